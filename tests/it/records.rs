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
fn created_is_unknown_where_the_history_does_not_know_the_first_text() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Editor: vim\n");
    memory.done(["update", "user@1", "-f", "Editor: helix"]);
    memory.run(["context", "--style", "records"]).exit(0).stdout_contains("1. [Created: unknown] Editor: helix");
    let ran = memory.run(["export", "--to", "records"]).exit(0);
    let exported: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(exported["memories"][0]["createdAt"].is_null(), "{exported}");
    assert_eq!(exported["memories"][0]["updatedAt"], "2026-02-24T10:00:00Z");
}
