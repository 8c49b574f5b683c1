//! What people expect of single commands, each test named after what surprised them.

use crate::support::{Memory, handle};

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
fn the_log_of_a_bullet_goes_back_through_its_updates() {
    let memory = Memory::new();
    memory.done(["add", "user", "Lives in Austin", "--id", "home", "--create"]);
    memory.done(["add", "user", "Prefers tabs"]);
    memory.done(["update", "user", "Lives in Austin", "Moved to a house in Denver"]);
    memory.done(["update", "user", "Prefers tabs", "Prefers spaces"]);
    memory.done(["update", "user", "Moved to a house in Denver", "Lives in Boston"]);
    let revisions = |address: &str| {
        let json = memory.run(["--json", "log", address]).exit(0).json();
        let entries = json["entries"].as_array().unwrap().clone();
        entries.iter().map(|e| e["rev"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(revisions("user@home"), ["r5", "r3", "r1"]);
    assert_eq!(revisions(&format!("user@{}", handle("Lives in Boston"))), ["r5", "r3", "r1"]);
    assert_eq!(revisions(&format!("user@{}", handle("Prefers spaces"))), ["r4", "r2"]);
}

#[test]
fn a_written_file_without_a_summary_line_gets_one() {
    let memory = Memory::new();
    memory.done(["add", "user", "Name: Ana", "--create"]);
    memory.run(["write", "user", "-f"]).stdin("# User\n\n- Home: Oslo\n- Work: remote\n- Pet: cat\n").exit(0);
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.contains("\n> Summary: home, work, pet\n"), "{text}");
    // A line in the new text stays as it is.
    memory.run(["write", "user", "-f"]).stdin("# User\n\n> Summary: mine\n\n- Home: Rome\n").exit(0);
    assert!(memory.text("facts/user.md").unwrap().contains("\n> Summary: mine\n"));
}

#[test]
fn bullets_of_an_older_entry_count_as_of_its_date() {
    let memory = Memory::new();
    memory.run(["append", "-d", "2026-01-10", "-t", "Trip"]).stdin("- Lost the kayak paddle\n").exit(0);
    let items = |words: &[&str]| {
        let json = memory.run(["--json", "query", "kayak"].iter().chain(words)).exit(0).json();
        json["items"].as_array().unwrap().clone()
    };
    assert_eq!(items(&[])[0]["date"], "2026-01-10");
    assert!(items(&["--since", "2026-02-01"]).is_empty());
    assert_eq!(items(&["--since", "2026-01-01", "--until", "2026-01-31"]).len(), 1);
}

#[test]
fn created_is_the_day_of_creation_although_it_was_updated() {
    let memory = Memory::new()
        .file("facts/user.md", "- Likes tea\n  <!-- mem added=2026-01-05 upd=2026-02-20 -->\n- Owns a boat\n");
    memory.run(["context", "--style", "records"]).exit(0).stdout_contains("[Created: 2026-01-05] Likes tea");
}

#[test]
fn created_is_the_day_of_the_first_text_that_the_history_knows() {
    let memory = Memory::new();
    let on = |day: &str, words: &[&str]| drop(memory.run(words).env("MEMDIR_NOW", &format!("{day}T10:00:00Z")).exit(0));
    on("2026-01-05", &["add", "user", "Editor: vim", "--create"]);
    on("2026-01-06", &["add", "user", "Owns a boat"]);
    on("2026-01-07", &["add", "work", "Leads a team", "--create"]);
    on("2026-02-20", &["update", "user@1", "-f", "Editor: helix"]);
    on("2026-02-21", &["mv", &format!("work@{}", handle("Leads a team")), "user"]);
    on("2026-02-22", &["update", "user@3", "-f", "Leads a team of nine"]);
    let records = || memory.run(["context", "--style", "records"]).exit(0).stdout.clone();
    let shown = records();
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains("[Created:")).collect();
    assert_eq!(
        rows,
        [
            "1. [Created: 2026-01-07] Leads a team of nine",
            "2. [Created: 2026-01-06] Owns a boat",
            "3. [Created: 2026-01-05] Editor: helix",
        ]
    );
    let ran = memory.run(["export", "--to", "records"]).exit(0);
    let exported: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let row = exported["memories"].as_array().unwrap().iter().find(|row| row["content"] == "Editor: helix").unwrap();
    assert_eq!(
        (&row["createdAt"], &row["updatedAt"]),
        (&"2026-01-05T10:00:00Z".into(), &"2026-02-20T10:00:00Z".into())
    );
}

#[test]
fn created_is_unknown_where_the_history_does_not_know_the_first_text() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Editor: vim\n");
    memory.done(["update", "user@1", "-f", "Editor: helix"]);
    memory.run(["context", "--style", "records"]).exit(0).stdout_contains("1. [Created: unknown] Editor: helix");
    let ran = memory.run(["export", "--to", "records"]).exit(0);
    let exported: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(exported["memories"][0]["createdAt"].is_null(), "{exported}");
    assert_eq!(exported["memories"][0]["updatedAt"], "2026-02-24T10:00:00Z");
}

#[test]
fn an_entry_has_one_summary() {
    let memory = Memory::new();
    let text = "- Summary: the text's own\n- Detail\n";
    memory
        .run(["append", "-t", "One", "-s", "the option's"])
        .stdin(text)
        .exit(0)
        .stderr_contains("the given summary was not used");
    let text = memory.text("episodes/2026-02.md").unwrap();
    assert_eq!(text.matches("- Summary:").count(), 1, "{text}");
}

#[test]
fn the_summary_of_an_entry_is_its_first_bullet() {
    for (text, entry) in [
        ("- Detail\n- Summary: short\n- More\n", "## One\n- Summary: short\n- Date: 2026-02-24\n- Detail\n- More\n"),
        ("- Summary: short\n- Detail\n", "## One\n- Summary: short\n- Date: 2026-02-24\n- Detail\n"),
        ("- Summary: short", "## One\n- Summary: short\n- Date: 2026-02-24\n"),
        (
            "- Detail\n- Summary: short\n  <!-- mem imp=7 -->\n",
            "## One\n- Summary: short\n  <!-- mem imp=7 -->\n- Date: 2026-02-24\n- Detail\n",
        ),
        // A summary of several lines, two of them, or one in a list or in code, is left as it is.
        ("- A\n- Summary: short\n  and long\n", "## One\n- Date: 2026-02-24\n- A\n- Summary: short\n  and long\n"),
        ("- Summary: a\n- Summary: b\n", "## One\n- Date: 2026-02-24\n- Summary: a\n- Summary: b\n"),
        ("- A\n  - Summary: b\n", "## One\n- Date: 2026-02-24\n- A\n  - Summary: b\n"),
        ("```\n- Summary: b\n```\n", "## One\n- Date: 2026-02-24\n\n```\n- Summary: b\n```\n"),
    ] {
        let memory = Memory::new();
        memory.run(["append", "-t", "One"]).stdin(text).exit(0);
        let written = memory.text("episodes/2026-02.md").unwrap();
        assert!(written.ends_with(entry), "{text:?} → {written}");
        memory.run(["append", "-t", "One"]).stdin(text).exit(0).unchanged();
    }
}

#[test]
fn the_id_of_a_block_is_no_word_of_the_summary() {
    let memory = Memory::new().file("facts/user.md", "User Profile: (ID: mem123)\n\n- Vegan\n");
    memory.done(["add", "user#mem123", "Lives in Oslo"]);
    let text = memory.text("facts/user.md").unwrap();
    let summary = text.lines().find(|l| l.starts_with("> Summary:")).unwrap();
    assert!(summary.contains("user profile") && !summary.contains("mem123") && !summary.contains("id,"), "{text}");
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
    memory.done(["query", "--tag", "none"]).stdout("").stderr_contains("no matches; try other filters\n");
    memory.done(["query", "zyzzyva"]).stdout("").stderr_contains("no matches; try other or fewer words\n");
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
