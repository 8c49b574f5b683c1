//! `MEMORY.md` of an agent's memory folder, from outside: one revision with the files that it lists, other lines byte
//! for byte, and never a search result. The folder has the shape that Claude Code gives it.

use std::path::Path;

use crate::support::{Memory, memdir_command};

const INDEX: &str = "MEMORY.md";

/// A memory with the files of `fixtures/adopted/claude-memory`.
fn folder() -> Memory {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/adopted/claude-memory");
    let files = fs_err::read_dir(source).unwrap().map(|entry| entry.unwrap().path());
    let memory = Memory::new();
    files.for_each(|file| memory.put(file.file_name().unwrap().to_str().unwrap(), fs_err::read(&file).unwrap()));
    memory
}

fn index(memory: &Memory) -> String {
    memory.text(INDEX).unwrap()
}

#[test]
fn a_memory_and_its_line_are_one_revision() {
    let memory = folder();
    let before = memory.tree();
    memory.run(["add", "release_day", "Releases leave on Tuesday. Never on Friday."]).exit(0).diff(
        "M MEMORY.md\n+- [Release day](release_day.md) — Releases leave on Tuesday.\n\
         A release_day.md\n+# Release day\n+\n+- Releases leave on Tuesday. Never on Friday.\n",
    );
    // The bare name means the file beside the others, also for the next command.
    memory.run(["add", "release_day", "Tags are signed"]).exit(0).diff("M release_day.md\n+- Tags are signed\n");
    memory
        .run(["update", "release_day", "Releases leave on Tuesday. Never on Friday.", "Releases leave on Monday."])
        .exit(0)
        .diff(
            "M MEMORY.md\n-- [Release day](release_day.md) — Releases leave on Tuesday.\n\
         +- [Release day](release_day.md) — Releases leave on Monday.\n\
         M release_day.md\n-- Releases leave on Tuesday. Never on Friday.\n+- Releases leave on Monday.\n",
        );
    (0..3).for_each(|_| drop(memory.done(["undo"])));
    assert_eq!(memory.tree(), before);
}

#[test]
fn a_removed_memory_takes_its_line_along_and_brings_it_back() {
    let memory = folder();
    let before = index(&memory);
    memory.done(["rm", "-f", "feedback_no_mocks"]);
    let lines = "- [No mocks for the broker](feedback_no_mocks.md) — integration tests talk to a real one\n  \
                 (the reason is in the file)\n";
    assert_eq!(index(&memory), before.replace(lines, ""));
    memory.done(["undo"]);
    assert_eq!(index(&memory), before);
    memory.done(["mv", "user_role", "ana"]);
    assert_eq!(index(&memory), before.replace("(user_role.md)", "(ana.md)"));
    fs_err::create_dir(memory.dir().join("notes")).unwrap();
    memory.done(["mv", "ana", "notes/ana"]);
    assert_eq!(index(&memory), before.replace("(user_role.md)", "(notes/ana.md)"));
    // Without a folder in its new name a file stays where it is.
    memory.done(["mv", "notes/ana", "bea"]);
    assert_eq!(index(&memory), before.replace("(user_role.md)", "(notes/bea.md)"));
}

#[test]
fn an_index_is_never_a_search_result() {
    let memory = folder();
    for words in [
        &["query", "lockfile twice"][..],
        &["query", "pnpm"],
        &["context"],
        &["context", "--style", "index"],
        &["query", "--linked", "pnpm"],
    ] {
        let answer = memory.run(words).exit(0).stdout;
        assert!(!answer.contains(INDEX) && !answer.contains("broke the lockfile"), "{words:?}: {answer}");
    }
    assert_eq!(memory.run(["--json", "query", "read the release notes"]).exit(0).json()["found"], 0);
    // Notes of the same name are searched as before.
    let notes = Memory::new().file(INDEX, "# MEMORY.md\n\n- the controller speaks MQTT\n");
    notes.run(["query", "MQTT"]).exit(0).stdout_contains("the controller speaks MQTT");
    notes.run(["add", "user", "x"]).exit(0).diff("A facts/user.md\n+# User\n+\n+- x\n");
}

#[test]
fn the_kind_of_a_memory_is_its_category_and_its_rule_comes_first() {
    let memory = folder();
    let query = |words: &[&str]| memory.run([&["--json", "query"], words].concat()).exit(0).json();
    let found = query(&["--category", "feedback", "reconnect"]);
    let text = found["items"][0]["text"].as_str().unwrap();
    assert_eq!(
        text,
        "Integration tests talk to a real broker, never to a mock **Why:** a mocked broker hid a broken reconnect last \
         quarter."
    );
    assert_eq!(found["items"][0]["category"], "feedback");
    assert_eq!(query(&["--category", "user", "reconnect"])["found"], 0);
    let text = query(&["deployment failed"])["items"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("Use pnpm for every install. **Why:** npm rewrote"), "{text}");
    let context = memory.run(["context"]).exit(0).stdout;
    let reason = context.lines().find(|line| line.contains("**Why:** npm")).unwrap();
    assert!(reason.starts_with("- Use pnpm for every install. **Why:**"), "{reason}");
}

#[test]
fn check_names_what_the_index_lacks_and_completes_it() {
    let memory = folder();
    memory.run(["check"]).exit(0);
    memory.put("reference_docs.md", "---\nname: docs\ndescription: Where the docs are\n---\n\nAt docs.example.org.\n");
    fs_err::remove_file(memory.dir().join("user_role.md")).unwrap();
    let findings = memory.run(["check"]).ends().stdout;
    assert!(findings.contains("stale_index: the index has no line for reference_docs.md"), "{findings}");
    assert!(
        findings.contains("stale_index: the index has a line for user_role.md, which does not exist"),
        "{findings}"
    );
    let before = index(&memory);
    memory.done(["check", "--fix"]);
    let line = "  (the reason is in the file)\n";
    let added = format!("{line}- [Docs](reference_docs.md) — Where the docs are\n");
    let rest = before.replace("- [Ana's role](user_role.md) — embedded engineer\n", "");
    assert_eq!(index(&memory), rest.replace(line, &added));
    memory.run(["check"]).exit(0);
}

#[test]
fn a_full_index_keeps_the_most_valuable_lines() {
    let memory = Memory::new();
    let mut index_text = "# Memory Index\n\nmine\n\n".to_owned();
    for n in 0..196 {
        let day = format!("2026-01-{:02}", n % 28 + 1);
        let front = format!("---\nname: m{n:03}\ndescription: fact {n}\nmodified: {day}\n---\n\nFact {n}.\n");
        memory.put(&format!("m{n:03}.md"), front);
        index_text += &format!("- [M{n:03}](m{n:03}.md) — fact {n}\n");
    }
    memory.put(INDEX, &index_text);
    memory.put("m000.md", "---\nname: m000\nmodified: 2025-01-01\nimportance: 9\n---\n\nFact 0.\n");
    memory.done(["add", "fresh", "A fact"]);
    let after = index(&memory);
    assert_eq!(after.lines().count(), 200);
    // The oldest line has left, by name the last of its day; the older but important one has not.
    assert!(after.contains("(fresh.md)") && after.contains("(m000.md)") && !after.contains("(m168.md)"), "{after}");
    memory.run(["check"]).exit(0);
}

#[test]
fn an_agent_that_may_not_see_all_sees_no_index() {
    let memory =
        folder().policy("version: 1\ncategories:\n  custom:\n    - name: feedback\nallowlists:\n  bob: [user]\n");
    memory.run(["read", INDEX]).by("bob").exit(5);
    let before = index(&memory);
    memory.run(["add", "user_role", "Prefers diagrams"]).by("bob").exit(0);
    assert_eq!(index(&memory), before);
    let answer = memory.run(["query", "pnpm"]).by("bob").exit(0).stdout;
    assert!(!answer.contains("install"), "{answer}");
}

#[test]
fn two_branches_that_each_add_a_memory_merge() {
    let base = index(&folder());
    let add = |title: &str| {
        let memory = folder();
        memory.done(["add", title, "A fact", "--create"]);
        index(&memory)
    };
    let edit = |hook: &str| base.replace("embedded engineer", hook);
    let both = add("feedback_pnpm_b").replace(
        "(feedback_pnpm_b.md) — A fact\n",
        "(feedback_pnpm_b.md) — A fact\n- [Feedback pnpm c](feedback_pnpm_c.md) — A fact\n",
    );
    let dir = tempfile::tempdir().unwrap();
    let merge = |ours: &str, theirs: &str| {
        for (name, text) in [("O", base.as_str()), ("A", ours), ("B", theirs)] {
            fs_err::write(dir.path().join(name), text).unwrap();
        }
        let mut command = memdir_command(dir.path());
        let status = command.args(["merge-driver", "--", "O", "A", "B", "7", "memory/MEMORY.md"]).status().unwrap();
        (status.code(), fs_err::read_to_string(dir.path().join("A")).unwrap())
    };
    assert_eq!(merge(&add("feedback_pnpm_b"), &add("feedback_pnpm_c")), (Some(0), both));
    let (status, merged) = merge(&add("aa"), &add("zz"));
    assert_eq!(status, Some(0));
    assert!(merged.contains("(aa.md)") && merged.contains("(zz.md)"), "{merged}");
    assert_eq!(merge(&edit("engineer"), &edit("firmware engineer")), (Some(0), edit("engineer")));
}

#[test]
fn writers_at_the_same_time_lose_no_line() {
    let memory = folder();
    let names: Vec<String> = (0..2).flat_map(|w| (0..8).map(move |n| format!("w{w}n{n}"))).collect();
    std::thread::scope(|scope| {
        for half in names.chunks(8) {
            scope.spawn(|| {
                half.iter().for_each(|name| drop(memory.run(["add", name, "A fact", "--create"]).may_change().exit(0)))
            });
        }
    });
    let text = index(&memory);
    names.iter().for_each(|name| assert!(text.contains(&format!("({name}.md) — A fact\n")), "{name}: {text}"));
    assert!(text.starts_with("# Memory Index\n\nAsk before you delete anything here. — Ana\n"), "{text}");
    memory.run(["check"]).exit(0);
}
