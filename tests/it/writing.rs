//! `check --writing`: memory that is there, held to the rules for new memory.

use crate::support::{CommandOutcome, Memory};

/// A check with findings answers, and reports them by its exit status.
fn found(memory: &Memory, line: &[&str]) -> CommandOutcome {
    let ran = memory.run(line).ends();
    assert_eq!(ran.status, 6, "{}", ran.stderr);
    ran
}

#[test]
fn a_violation_is_reported_with_its_position_and_rule() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n- Name: Zhang San\n- Moved to Cork last week\n- 我喜欢喝茶\n")
        .file("episodes/2026-02.md", "# 2026-02\n\n## Leak\n- Date: 2026-02-24\n- The team will fix the leak\n");
    let ran = found(&memory, &["check", "--writing"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("episodes/2026-02.md:5:7: warning: writing: not_past_tense: "), "{}", lines[0]);
    assert!(
        lines[1].starts_with("facts/user.md:4:17: warning: writing: relative_date: 'last week'. Write dates in full")
    );
    assert!(lines[2].starts_with("facts/user.md:5:3: warning: writing: not_third_person: "), "{}", lines[2]);
}

#[test]
fn without_the_policy_key_no_rule_is_enforced() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- I moved last week!\n");
    memory.run(["check"]).exit(0);
    found(&memory, &["check", "--writing"]);
}

#[test]
fn good_memory_and_procedures_have_no_findings() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n- Prefers tabs in Makefiles\n- 姓名：张三\n")
        .file("procedures/release.md", "# Release\n\n- Run the tests, then tag it!\n");
    memory.run(["check", "--writing"]).exit(0).stdout("");
}

#[test]
fn the_length_is_the_policys() {
    let memory = Memory::new()
        .policy("version: 1\nwriting:\n  max_chars: 12\n")
        .file("facts/user.md", "# User\n\n- Prefers tabs\n- Prefers spaces\n");
    let ran = found(&memory, &["check", "--writing", "--json"]).json();
    let findings = ran["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1);
    assert_eq!((&findings[0]["code"], &findings[0]["line"]), (&"writing".into(), &4.into()));
    assert!(findings[0]["text"].as_str().unwrap().starts_with("too_long: '14 characters'"));
}

#[test]
fn a_secret_is_reported_and_never_shown() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- The wifi password: hunter2xyz9!\n");
    let ran = found(&memory, &["check", "--writing"]);
    assert!(ran.stdout.contains(": secret: ") && !ran.stdout.contains("hunter2"), "{}", ran.stdout);
}

#[test]
fn only_the_named_files_are_looked_at_and_none_is_changed() {
    let memory =
        Memory::new().file("facts/user.md", "# User\n\n- Amazing!\n").file("facts/pets.md", "# Pets\n\n- Amazing!\n");
    let ran = found(&memory, &["check", "--writing", "pets"]).unchanged();
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
}

#[test]
fn contradictions_are_notes_with_handles_and_dates_and_findings_if_strict() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- City: Paris\n- Prefers tabs over spaces\n");
    memory.done(["add", "user", "City: Berlin", "Likes Rust", "Likes Go"]);
    let ran = memory.run(["check", "user"]).exit(0).unchanged();
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    let berlin = format!("@{} (", super::support::handle("City: Berlin"));
    assert!(ran.stdout.contains(": note: contradiction: ") && ran.stdout.contains(&berlin), "{}", ran.stdout);
    found(&memory, &["check", "--strict", "user"]);
    // Other sections are about other subjects.
    let memory = Memory::new().file("facts/team.md", "# Team\n\n## Ana\n\n- City: Paris\n\n## Bo\n\n- City: Berlin\n");
    memory.run(["check", "--strict"]).exit(0);
}
