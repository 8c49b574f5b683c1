//! Arguments that contradict each other, texts that cannot be stored, names that mean several things: the exit status
//! and the reason of each refusal. The builder checks that nothing was changed.

use crate::support::{Memory, handle};

fn memory() -> Memory {
    Memory::new()
        .file("facts/a.md", "- A\n  <!-- mem id=mem1 -->\n")
        .file("facts/b.md", "- B\n  <!-- mem id=mem1 -->\n")
        .file("facts/twice.md", "- same\n- same\n")
        .file("facts/s.md", "# S\n\n## Work {#w1}\n\n### Contacts\n\n- x\n\n## Home\n\n### Contacts\n\n- y\n")
}

#[test]
fn contradictions_and_texts_that_cannot_be_stored_are_refused_with_the_reason() {
    let same = format!("twice@{}", handle("same"));
    let cases: &[(&[&str], i32, &str)] = &[
        (&["add", "a", "-F", "x", "y"], 2, "usage: give texts as arguments, or - for stdin, or a file with -F"),
        (&["add", "a", "x", "y", "--id", "z"], 2, "usage: --id needs exactly one text"),
        (&["update", "a", "OLD", "NEW", "--old", "x"], 2, "usage: the old text is given twice"),
        (&["update", "a", "OLD", "NEW", "-F", "x"], 2, "usage: give the new text as an argument or with -F, not both"),
        (&["set", "a", "k=a\nb"], 2, "multiline: a value must be one line"),
        (&["set", "s#home", "id=1 bad"], 2, "id"),
        (&["set", "s#w1", "id=w2"], 4, "exists: the section already has an id"),
        (&["set", "s#w1", "colour=red"], 2, "usage: a section has no 'colour'; only its title and id can be set"),
        (&["set", "s#none", "title=x"], 3, "section_not_found: facts/s.md has no section 'none'"),
        (&["patch", "a", "--old", "A", "--new", "b\nc"], 2, "multiline: a text argument contains a line break"),
        (&["patch", "a", "--old", "nowhere", "--new", "b"], 3, "text_not_found"),
        (&["append", "-t", "a\tb\u{1}"], 2, "multiline: the title must be one line without control characters"),
        (&["mv", &same, "b"], 4, "ambiguous_bullet: 2 bullets of facts/twice.md match"),
        (&["read", &same], 4, "ambiguous_bullet: 2 bullets of facts/twice.md match"),
        (&["update", "@mem1", "x"], 4, "ambiguous_id: 2 files contain the id mem1"),
        (&["read", "@mem1"], 4, "  facts/b.md@mem1"),
        (&["read", "@mem9"], 3, "bullet_not_found: no file contains the id mem9"),
        (&["man", "nix"], 2, "usage: no manual page 'nix'"),
        (&["init", "--example"], 4, "exists: --example needs an empty directory"),
        (&["edit", "a"], 2, "usage: no editor is set"),
        (&["edit", "--resume", "none.md", "a"], 3, "file_not_found: "),
    ];
    let memory = memory();
    for (line, status, reason) in cases {
        memory.run(*line).stdin("text\n").exit(*status).stderr_contains(reason);
    }
}

#[test]
fn content_on_stdin_that_is_no_content_is_refused() {
    let cases: &[(&[&str], &str, i32, &str)] = &[
        (&["patch", "a"], "[]", 2, "invalid_operation: invalid patches: the list is empty"),
        (&["patch", "a"], "7", 2, "invalid_operation: invalid patches: expected a list or an object"),
        (&["patch", "a"], "[{\"oldText\": \"A\", \"newText\": \"x\\u0000\"}]", 5, "not_text: the new text of pair 1"),
        (&["write", "facts/n.md"], "x\0y", 5, "not_text: the content contains a NUL at byte 1"),
        (&["write", "facts/n.md"], "<<<<<<< a\n=======\n>>>>>>> b\n", 5, "conflict_markers: line 1 of the text"),
        (&["append", "facts/a.md"], "\n", 2, "empty_input: "),
        (&["append"], "no heading\n", 2, "usage: an episode entry needs a title"),
        (&["append", "-t", ""], "text\n", 2, "usage: the title is empty"),
        (&["append", "-t", "T", "-s", " "], "text\n", 2, "usage: the summary is empty"),
    ];
    let memory = memory();
    for (line, content, status, reason) in cases {
        memory.run(*line).stdin(*content).exit(*status).stderr_contains(reason);
    }
}

#[test]
fn values_that_are_already_set_change_nothing() {
    let memory = memory();
    memory.done(["set", "s", "title=New", "description=x"]);
    memory.done(["set", "s", "title=New", "description=x"]).unchanged().stdout_contains("unchanged");
    memory.done(["set", "s#home", "id=h1"]).diff("M facts/s.md\n-## Home\n+## Home {#h1}\n");
    memory.done(["set", "a", "title=Now with a title"]).diff("M facts/a.md\n+# Now with a title\n+\n");
}

#[test]
fn weekly_episodes_have_the_iso_week_in_their_name() {
    let memory = Memory::new().policy("version: 1\nepisodes: week\n");
    memory.run(["append", "-t", "Standup"]).stdin("- text\n").exit(0).stdout_contains("episodes/2026-W09.md");
    // The ISO year of a day in early January is the one before.
    memory.run(["append", "-t", "New year", "--date", "2027-01-01"]).stdin("- text\n").exit(0);
    assert!(memory.text("episodes/2026-W53.md").is_some());
}

#[test]
fn all_manual_pages_are_written_to_a_directory() {
    let memory = memory();
    let dir = memory.dir().join("share/man");
    let dir = dir.to_str().unwrap();
    memory.done(["man", "--all", dir]);
    memory.done(["man", "--all", dir]).unchanged();
    let page = memory.text("share/man/memdir-add.1").unwrap();
    memory.done(["man", "--roff", "add"]).stdout(&page);
    let text = memory.done(["man", "add"]).stdout;
    assert!(text.starts_with("NAME\n    memdir-add - Add bullets") && !text.contains('\\'), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    memory.done(["man", "--roff", "durability"]).stdout(&memory.text("share/man/memdir-durability.7").unwrap());
    let file = memory.dir().join("memdir.yaml/man");
    memory.run(["man", "--all", file.to_str().unwrap()]).exit(1).stderr_contains("cannot be created").unchanged();
    for topic in ["operation", "policy", "query", "answer"] {
        assert!(memory.done(["schema", topic]).stdout.contains("\"$schema\""), "{topic}");
    }
}

#[test]
fn a_name_with_another_extension_is_not_taken_for_markdown() {
    let memory = Memory::new().file("facts/v1.2.md", "- x\n").file("facts/user.md", "- y\n");
    for words in [
        &["write", "facts/run.sh"][..],
        &["write", "Cargo.toml"],
        &["add", "notes.txt", "x"],
        &["append", "log.json", "-t", "x"],
        &["mv", "user", "user.bak"],
    ] {
        let refused = memory.run(words).stdin("- x\n").exit(5);
        assert!(refused.stderr.contains("invalid_path") && refused.stderr.contains("--create"), "{refused}");
    }
    memory.run(["write", "Cargo.toml", "--create"]).stdin("- x\n").exit(0).stdout_contains("facts/Cargo.toml.md");
    memory.run(["write", "setup.sh.md"]).stdin("- x\n").exit(0).stdout_contains("facts/setup.sh.md");
    memory.run(["add", "v1.2", "more"]).exit(0);
    memory.run(["add", "v2.0", "a version is no extension"]).exit(0);
    let json = r#"{"op":"add","at":"run.py","text":"x"}"#;
    memory.run(["apply"]).stdin(json).exit(5).stderr_contains("invalid_path");
}

#[test]
fn the_handle_of_a_moved_bullet_says_where_it_went() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Prefers tabs\n\n## Work\n\n- Standup at ten\n");
    memory.done(["add", "project", "x", "--create"]);
    memory.done(["mv", &*format!("user@{}", handle("Prefers tabs")), "project#style"]);
    memory.done(["mv", "user#work", "project"]);
    for (text, to) in [("Prefers tabs", "project#style"), ("Standup at ten", "project")] {
        let old = format!("user@{}", handle(text));
        let refused = memory.run(["update", &*old, "New"]).exit(4);
        assert!(refused.stderr.contains(&format!("was moved to {to} by tester in r")), "{refused}");
        let tried = refused.stderr.lines().find_map(|l| l.strip_prefix("try: memdir read ")).unwrap().to_owned();
        memory.run(["read", &*tried]).exit(0).stdout(&format!("- {text}\n"));
    }
    let json = memory.run(["--json", "read", &*format!("user@{}", handle("Prefers tabs"))]).exit(4).error();
    assert_eq!(json["details"]["moved_to"], "project#style");
}

#[test]
fn the_error_of_a_write_lists_the_bullets_it_would_remove_and_no_heading() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Prefers tabs\n\n## Work\n\n- Standup at ten\n");
    let error = memory.run(["write", "user", "--json"]).stdin("# Other\n").exit(4).unchanged().error();
    let candidates = error["details"]["candidates"].as_array().unwrap();
    let addresses: Vec<&str> = candidates.iter().map(|row| row["address"].as_str().unwrap()).collect();
    let expected = ["Prefers tabs", "Standup at ten"].map(|text| format!("facts/user.md@{}", handle(text)));
    assert_eq!(addresses, expected, "{error}");
}

#[test]
fn the_error_of_a_metadata_value_names_its_key() {
    let memory = Memory::new();
    memory
        .run(["add", "user", "Is in Rome", "--exp", "someday"])
        .exit(2)
        .stderr_contains("usage: exp='someday' is not valid");
}

#[test]
fn the_command_to_try_after_a_refused_removal_removes_in_the_same_manner() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n## Work\n\n- Standup at ten\n");
    for (option, command) in [
        (None, "rm -f facts/user.md#work"),
        (Some("--archive"), "rm -f --archive facts/user.md#work"),
        (Some("--forget"), "rm -f --forget facts/user.md#work"),
    ] {
        let words: Vec<&str> = ["rm", "user#work"].into_iter().chain(option).collect();
        memory.run(words).exit(4).unchanged().stderr_contains(&format!("try: memdir {command}\n"));
    }
    memory.done(["rm", "-f", "--archive", "facts/user.md#work"]);
    assert!(memory.text("archive/facts/user.md").is_some());
}

#[test]
fn a_question_without_an_answer_says_what_to_try() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Prefers tabs\n");
    memory
        .done(["query", "--tag", "none"])
        .stdout("")
        .stderr_contains("no matches; try other filters, or --all for what has expired or is archived\n");
    memory.done(["query", "zyzzyva", "--all"]).stdout("").stderr_contains("no matches; try other or fewer words\n");
    memory.run(["query"]).stdin("").exit(2).stderr_contains("hint: give words or a filter such as --tag, or pipe");
    let json = r#"{"query": "tabs or blanks"}"#;
    memory
        .run(["query", "--threshold", "0.9"])
        .stdin(json)
        .exit(2)
        .stderr_contains("as options or in the JSON, not both");
    memory.done(["add", "user", "Lives in Austin"]);
    memory.done(["log", "--by", "nobody"]).stdout("").stderr_contains("memdir: no revision matches\n");
    memory.done(["log", "procedures"]).stdout("").stderr_contains("memdir: no revision matches\n");
}

#[test]
fn an_error_about_a_moved_file_names_its_new_path() {
    let memory = Memory::new();
    memory.done(["add", "user", "A1", "--create"]);
    memory.done(["mv", "user", "person"]);
    memory.done(["mv", "person", "notes/human", "--create"]);
    let new = memory.tree().into_keys().find(|path| path.ends_with("human.md")).unwrap();
    for words in [&["list", "user"][..], &["read", "user"], &["rm", "user@1"], &["set", "person", "title=X"]] {
        let refused = memory.run(words).exit(3).stderr_contains(&format!("moved it to {new}"));
        refused.stderr_contains(&format!("try: memdir list {new}"));
    }
    // One that is back, or whose new file is gone, has no new path.
    memory.done(["rm", "-f", &new]);
    assert!(!memory.run(["list", "user"]).exit(3).stderr.contains("moved"));
}

#[test]
fn a_text_that_starts_with_a_dash_gets_a_tip_that_works() {
    let memory = Memory::new();
    memory.done(["add", "user", "A1", "--create"]);
    let tip = "a text that starts with '-' needs a list marker, in one word: '- -5 degrees'";
    for words in [&["add", "user", "-x"][..], &["add", "user", "-5 degrees", "--tag", "t"], &["rm", "user", "-x"]] {
        memory.run(words).exit(2).stderr_contains(tip);
    }
    memory.done(["add", "user", "- -5 degrees", "--tag", "t"]);
    assert!(memory.text("facts/user.md").unwrap().contains("- -5 degrees #t\n"));
    memory.done(["rm", "user", "- -5 degrees #t"]);
}

/// A person adds to a file that a revision created, with another revision after it: only what the revision wrote goes.
#[test]
fn undoing_the_creation_of_a_file_leaves_what_a_person_added_to_it() {
    let memory = Memory::new();
    memory.done(["add", "facts/new.md", "One", "Two"]);
    memory.done(["add", "facts/new.md", "Three"]);
    memory.put("facts/new.md", memory.text("facts/new.md").unwrap() + "- By hand\n");
    memory.done(["undo", "r1"]);
    let text = memory.text("facts/new.md").unwrap();
    assert!(text.ends_with("- Three\n- By hand\n") && !text.contains("One") && !text.contains("Two"), "{text}");
    memory.put("facts/new.md", text.replace("Three", "Three, changed"));
    memory.run(["undo", "r2"]).exit(4).stderr_contains("conflict: ");
}

#[test]
fn the_hint_for_a_value_that_begins_with_a_dash_works() {
    let memory = Memory::new();
    let cases = [
        (["add", "user", "A", "-m", "-reason"], "-m=VALUE"),
        (["add", "user", "B", "--id", "-x"], "--id=VALUE"),
        (["add", "user", "C", "--tag", "-x"], "--tag=VALUE"),
        (["log", "-L", "3", "--by", "-x"], "--by=VALUE"),
    ];
    for (words, form) in cases {
        let hint = format!("hint: a value that starts with '-' stands in one word with its option: {form}\n");
        memory.run(words).exit(2).unchanged().stderr_contains(&hint);
    }
    memory.run(["--as", "-x", "list"]).exit(2).stderr_contains("--as=VALUE\n");
    memory.run(["add", "user", "A", "-m=-reason"]).exit(0);
    memory.run(["log"]).exit(0).stdout_contains("(why: -reason)");
}
