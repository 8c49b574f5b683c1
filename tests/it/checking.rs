//! `check`: each problem in names, texts, ids, metadata, summaries and limits is found where it is, and `--fix` mends
//! those that need no decision.

use crate::support::Memory;

/// The findings as `path:line code`, with `*` where `--fix` mends it.
#[track_caller]
fn findings(memory: &Memory, words: &[&str]) -> Vec<String> {
    let answer = memory.run([words, &["--json"]].concat()).may_change().ends();
    let found = answer.json()["findings"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
    assert_eq!(answer.status, if found.is_empty() { 0 } else { 6 }, "{answer}");
    let row = |f: &serde_json::Value| {
        let mark = if f["fixable"] == true { "*" } else { "" };
        format!("{}:{} {}{mark}", f["path"].as_str().unwrap(), f["line"], f["code"].as_str().unwrap())
    };
    found.iter().map(row).collect()
}

/// Files, and what is found in them.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);

#[test]
fn each_problem_is_found_where_it_is() {
    let big = format!("# Big\n\n- {}\n", "x".repeat(9000));
    let full_line = format!("# H\n\n> Summary: {}\n\n- Tabs: yes\n", ["my own term"; 9].join(", "));
    let cases: &[Case] = &[
        (&[("a.md", "# A\n\n- One\n"), ("b (2) c.md", "# B\n")], &[]),
        (
            &[("a.md", "- One\n  <!-- mem id=same -->\n"), ("b.md", "# B\n\n- Two\n  <!-- mem id=same -->\n")],
            &["facts/b.md:3 duplicate_id"],
        ),
        (
            &[("a.md", "- One\n  <!-- mem id=same -->\n- Two\n  <!-- mem id=same -->\n\n## Three {#same}\n")],
            &["facts/a.md:1 duplicate_id", "facts/a.md:3 duplicate_id"],
        ),
        (&[("a.sync-conflict-20260101-1.md", "- c\n")], &["facts/a.sync-conflict-20260101-1.md:0 conflict_copy"]),
        (&[("a (Ann's conflicted copy).md", "- c\n")], &["facts/a (Ann's conflicted copy).md:0 conflict_copy"]),
        (&[("Case.md", "- d\n"), ("case.md", "- e\n")], &["facts/case.md:0 exists"]),
        (&[("m.md", "# M\n\n<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n")], &["facts/m.md:3 conflict_markers"]),
        (&[("o.md", "# O\n\n<!-- mem imp=3 -->\n\n- f\n")], &["facts/o.md:3 orphan_metadata*"]),
        (
            &[(
                "w.md",
                "# W\n\n- f\n  <!-- mem when=src/[ab,../x/**,src/** -->\n- g\n  <!-- mem when=*.{ts,tsx} -->\n",
            )],
            &["facts/w.md:4 unmatchable_glob"],
        ),
        (&[("c.md", "# C\n\n- f\n\n```sh\nls\n")], &["facts/c.md:5 unclosed_block"]),
        (&[("c.md", "---\ntags: [c]\n\n# C\n\n- f\n")], &["facts/c.md:1 unclosed_block"]),
        (&[("c.md", "---\n\n# C\n\n- f\n")], &[]),
        (
            &[("v.md", "# V\n\n- x\n  <!-- mem exp=2026-13-01 pin=maybe imp=99 note=any -->\n")],
            &["facts/v.md:4 invalid_metadata", "facts/v.md:4 invalid_metadata", "facts/v.md:4 invalid_metadata"],
        ),
        // The same line twice: which of them a text replacement would hit is not certain.
        (
            &[("o.md", "<!-- mem imp=3 -->\n\n# O\n\n<!-- mem imp=3 -->\n")],
            &["facts/o.md:1 orphan_metadata", "facts/o.md:5 orphan_metadata"],
        ),
        (
            &[(
                "i.md",
                "# I\n\n- <!-- why --> Uses tabs\n- <!-- hidden -->\n-\n- [y]: /v\n- <!-- a -->\n  text\n  - b\n1. [z]: /w\n",
            )],
            &[
                "facts/i.md:3 hidden_item",
                "facts/i.md:6 hidden_item",
                "facts/i.md:7 hidden_item",
                "facts/i.md:10 hidden_item",
            ],
        ),
        (&[("big.md", &big)], &["facts/big.md:3 too_large"]),
        (&[("full.md", "# Full\n\n- a\n- b\n- c\n")], &["facts/full.md:1 limit_reached"]),
        (&[("s.md", "# S\n\n> Summary: \n\n- Tabs: yes\n")], &["facts/s.md:3 stale_summary*"]),
        (&[("h.md", &full_line)], &["facts/h.md:3 stale_summary"]),
    ];
    for (files, expected) in cases {
        let limits = "version: 1\nlimits:\n  - {at: facts/full.md, bullets: 2, on_limit: refuse}\n";
        let memory = files
            .iter()
            .fold(Memory::new().policy(limits), |memory, (name, text)| memory.file(&format!("facts/{name}"), text));
        assert_eq!(findings(&memory, &["check"]), *expected, "{files:?}");
    }
}

#[test]
fn what_is_no_text_and_what_is_not_opened_is_named() {
    let memory = Memory::new().file("facts/a.md", "- One\n");
    memory.put("facts/latin.md", b"bad \xff\n");
    fs_err::os::unix::fs::symlink("a.md", memory.dir().join("facts/link.md")).unwrap();
    assert_eq!(findings(&memory, &["check"]), ["facts/latin.md:0 not_text", "facts/link.md:0 unsafe_file"]);
    memory
        .run(["check"])
        .may_change()
        .exit(6)
        .stdout_contains("facts/link.md: error: unsafe_file: is not opened: is a symbolic link\n");
    assert_eq!(findings(&memory, &["check", "facts/a.md"]), [""; 0]);
}

#[test]
fn a_policy_with_an_error_is_a_finding() {
    let memory = Memory::new().policy("version: 1\nlimits: 7\n").file("facts/a.md", "- One\n");
    assert_eq!(findings(&memory, &["check"]), ["memdir.yaml:0 invalid_policy"]);
    assert_eq!(findings(&memory, &["check", "facts/a.md"]), [""; 0]);
}

/// An editor removes bullets: the terms of those that memdir wrote into the summary are stale, those of a person stay.
#[test]
fn terms_that_an_editor_made_stale_are_found_and_removed() {
    let memory = Memory::new();
    memory.done(["add", "user", "Tabs: yes", "Spaces: no", "Editor: vim"]);
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.contains("> Summary: tabs, spaces, editor\n"), "{text}");
    memory.put("facts/user.md", text.replace("- Tabs: yes\n", ""));
    assert_eq!(findings(&memory, &["check"]), ["facts/user.md:3 stale_summary*"]);
    let planned = memory.run(["check", "--fix", "-n"]).may_change().exit(6).unchanged();
    planned.stdout_contains("+> Summary: spaces, editor\n");
    memory
        .done(["check", "--fix"])
        .diff("M facts/user.md\n-> Summary: tabs, spaces, editor\n+> Summary: spaces, editor\n");
    assert_eq!(findings(&memory, &["check"]), [""; 0]);
    memory.put("facts/user.md", memory.text("facts/user.md").unwrap().replace("spaces, editor", "spaces, my plans"));
    assert_eq!(findings(&memory, &["check"]), [""; 0]);
}

#[test]
fn a_fix_is_one_revision_and_mends_all_that_needs_no_decision() {
    let memory = Memory::new()
        .file("facts/o.md", "# O\n\n<!-- mem imp=3 -->\n\n- f\n")
        .file("facts/s.md", "# S\n\n> Summary: \n\n- Tabs: yes\n- Spaces: no\n- Lines: 100\n")
        .file("facts/a.sync-conflict-20260101-1.md", "- c\n");
    let before = memory.tree();
    let left = findings(&memory, &["check", "--fix"]);
    assert_eq!(left, ["facts/a.sync-conflict-20260101-1.md:0 conflict_copy"]);
    assert_eq!(memory.text("facts/o.md").unwrap(), "# O\n\n\n- f\n");
    assert!(memory.text("facts/s.md").unwrap().contains("> Summary: tabs, spaces, lines"));
    memory.done(["undo"]);
    assert_eq!(memory.tree(), before);
}

/// A file that memdir does not write keeps no other from being fixed.
#[test]
fn a_fix_leaves_out_what_cannot_be_written() {
    let text = "# X\n\npara\n\n<!-- mem pin -->\n\n- a\n";
    let memory = Memory::new().file("facts/x.md", text).file("facts/a:b.md", text);
    let shown = memory.run(["check"]).ends().stdout;
    assert_eq!(shown.matches("fixable with --fix").count(), 1, "{shown}");
    let fixed = memory.run(["check", "--fix", "-q"]).may_change().ends().stdout;
    assert!(!fixed.contains("facts/x.md"), "{fixed}");
    assert!(!memory.text("facts/x.md").unwrap().contains("<!-- mem"));
    assert_eq!(memory.text("facts/a:b.md").unwrap(), text);
}

#[test]
fn findings_are_annotations_of_github_that_no_text_breaks_out_of() {
    let repo = crate::support::git_repo::Repo::new();
    repo.put(
        "facts/user.md",
        "# User\n\n- See [[nowhere ::error::50% %0A::stop-commands::x]]\n- A ##[error]b [[none, c]]\n",
    );
    repo.put("facts/a,line=9::error::b%0A.md", "# A\n\n- City: Paris\n- City: Berlin\n");
    repo.put("facts/two\n::error::lines.md", "# B\n");
    for dir in [repo.root().to_owned(), repo.memory().to_owned()] {
        let run = |words: &[&str]| {
            let mut command = repo.program(env!("CARGO_BIN_EXE_memdir"), &dir);
            crate::support::ProgramOutput::of(command.arg("--dir").arg(repo.memory()).args(words))
        };
        let found = run(&["check", "--format", "github"]).exit(6);
        let json = run(&["check", "--json"]).exit(6);
        let count = json.json()["findings"].as_array().unwrap().len();
        assert_eq!(found.stdout.lines().count(), count, "{found:#?}");
        for line in found.stdout.lines() {
            let command = line.strip_prefix("::").unwrap_or_else(|| panic!("{found:#?}"));
            let (properties, _) = command.split_once("::").unwrap();
            assert!(
                ["warning file=memory/", "notice file=memory/", "error file=memory/"]
                    .iter()
                    .any(|start| properties.starts_with(start)),
                "{line}"
            );
            let names = properties.split(',').map(|property| property.split(['=', ' ']).next().unwrap());
            assert!(
                names.clone().all(|name| ["warning", "notice", "error", "line", "col", "title"].contains(&name)),
                "{line}"
            );
        }
        let link = "::warning file=memory/facts/user.md,line=3,col=9,title=dangling_link::\
                    no file named 'nowhere ::error::50%25 %250A::stop-commands::x'\n";
        assert!(found.stdout.contains(link), "{found:#?}");
        assert!(found.stderr.starts_with("memdir: ") && found.stderr.lines().count() == 1, "{found:#?}");
        assert_eq!(run(&["check", "--format", "json"]).stdout, json.stdout);
        assert_eq!(run(&["check", "--format", "text"]).stdout, run(&["check"]).stdout);
    }
    let failed = repo.memdir(["check", "nowhere", "--format", "json"]).exit(3);
    assert_eq!(failed.error_code(), "file_not_found");
    assert!(failed.stderr.starts_with("{\"v\":1"), "{failed:#?}");
}

#[test]
fn words_that_led_to_no_comparison_are_counted() {
    let list = |bullets: usize| (1..=bullets).map(|n| format!("- Sensor {n}: 20 degrees\n")).collect::<String>();
    let told = "2 words occur in more than 40 bullets of a section and led to no contradictions";
    let memory = Memory::new().file("facts/a.md", &format!("# A\n\n{}", list(41)));
    memory.done(["check"]).stderr_contains(told);
    assert_eq!(memory.done(["check", "--json"]).json()["frequent_words"], 2);
    memory.put("facts/a.md", format!("# A\n\n{}", list(40)));
    assert!(!memory.done(["check"]).stderr.contains("more than 40"));
    assert!(memory.done(["check", "--json"]).json().get("frequent_words").is_none());
}

#[test]
fn status_names_conflicts_in_files_that_no_revision_wrote() {
    let conflict = "# User\n\n<<<<<<< ours\n- A\n=======\n- B\n>>>>>>> theirs\n";
    let memory = Memory::new().file("facts/user.md", conflict).file("facts/a.md", "# A\n\n- Likes tea\n");
    memory.done(["status"]).stdout_contains("conflict markers: facts/user.md\ntry: memdir resolve facts/user.md\n");
    assert_eq!(memory.done(["status", "--json"]).json()["conflicts"], serde_json::json!(["facts/user.md"]));
}

#[test]
fn numbered_bullets_are_one_contradiction() {
    let bullets = (1..=12).map(|n| format!("- Fact number {n}\n")).collect::<String>();
    let memory =
        Memory::new().file("facts/a.md", &format!("# A\n\n{bullets}\n## Home\n\n- City: Rome\n- City: Oslo\n"));
    let found = memory.done(["check", "--json"]).json();
    let texts: Vec<&str> = found["findings"].as_array().unwrap().iter().filter_map(|f| f["text"].as_str()).collect();
    assert_eq!(texts.len(), 2, "{found}");
    assert!(
        texts[0].starts_with("12 bullets contradict each other: @") && texts[0].ends_with(" and 8 more"),
        "{found}"
    );
    assert!(texts[1].contains(" contradicts @"), "{found}");
    memory.done(["status"]).stdout_contains("2 contradictions\n");
}

#[test]
fn texts_of_one_add_may_contradict_each_other() {
    let memory = Memory::new();
    memory
        .done(["add", "user", "City: Paris", "City: Berlin", "Likes tea"])
        .stderr_contains("'City: Berlin' contradicts 'City: Paris', which the same change adds to facts/user.md");
    let apart = memory.done(["add", "user#Trips", "Number: 12"]);
    assert!(!apart.stderr.contains("contradicts"), "{apart}");
}

#[test]
fn a_file_in_the_inbox_that_is_no_proposal_is_found() {
    let memory = Memory::new().file("inbox/p123.md", "hello\n").file("inbox/rescued-r1-0.md", "# R\n");
    assert_eq!(findings(&memory, &["check"]), ["inbox/p123.md:0 not_a_proposal"]);
    memory.run(["check"]).ends().stdout_contains("`memdir inbox` does not list it");
}
