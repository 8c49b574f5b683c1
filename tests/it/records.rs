//! Records, as apps read them: `context --style records` and `export --to records`, with the day on which each was made.

use crate::support::{Memory, handle};

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
fn of_one_day_the_newest_records_are_first() {
    let memory = Memory::new();
    for n in 1..=12 {
        memory.run(["append", "-t", &format!("Talk {n}")]).stdin(format!("Text {n}")).may_change().exit(0);
    }
    let shown = || {
        let ran = memory.run(["context", "--style", "records"]).exit(0);
        let texts = ran.stdout.lines().filter_map(|line| Some(line.split_once("] ")?.1.to_owned()));
        texts.collect::<Vec<_>>()
    };
    let talks: Vec<String> = (3..=12).rev().map(|n| format!("Talk {n}: Text {n}")).collect();
    assert_eq!(shown(), talks);
    for n in 1..=3 {
        memory
            .run(["add", "user", &format!("Fact {n}")])
            .env("MEMDIR_NOW", "2026-02-24T11:00:00Z")
            .may_change()
            .exit(0);
    }
    let facts = [3, 2, 1].map(|n| format!("Fact {n}"));
    assert_eq!(shown(), [&facts[..], &talks[..7]].concat());
    let ran = memory.run(["export", "--to", "records"]).exit(0);
    let exported: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let contents: Vec<&str> =
        exported["memories"].as_array().unwrap().iter().map(|row| row["content"].as_str().unwrap()).collect();
    assert_eq!(contents[..4], ["Fact 3", "Fact 2", "Fact 1", "Talk 12\n- Date: 2026-02-24\n\nText 12"]);
    // Read back, they are in the order in which they were written.
    let other = Memory::new();
    let file = other.dir().parent().unwrap().join("records.json");
    fs_err::write(&file, &ran.stdout).unwrap();
    other.run(["import", file.to_str().unwrap()]).may_change().exit(0);
    let facts: String = other.text("facts/user.md").unwrap().lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(facts, "- Fact 1- Fact 2- Fact 3");
}

#[test]
fn an_entry_that_was_changed_is_updated_at_that_time() {
    let memory = Memory::new().file(
        "episodes/2025-10.md",
        "# 2025-10 Episodes\n\n## Talk\n- Summary: Meetings after 2pm.\n- Date: 2025-10-10\n\n## Walk\n- Summary: Meetings.\n- Date: 2025-10-09\n",
    );
    memory.done(["patch", "episodes/2025-10", "--old", "after 2pm", "--new", "after 3pm"]);
    memory
        .run(["append", "episodes/2025-10", "-t", "Late", "-d", "2025-10-08"])
        .stdin("- Written later\n")
        .may_change()
        .exit(0);
    let ran = memory.run(["export", "--to", "records"]).exit(0);
    let exported: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let times: Vec<_> = exported["memories"].as_array().unwrap().iter().map(|row| row["updatedAt"].as_str()).collect();
    let expected = ["2026-02-24T10:00:00Z", "2025-10-09T00:00:00Z", "2025-10-08T00:00:00Z"];
    assert_eq!(times, expected.map(Some), "{exported}");
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
