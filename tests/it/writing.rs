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
        .file("facts/user.md", "# User\n\n- Prefers tabs\n- Owns two goats\n");
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
    let berlin = format!("@{} (", crate::support::handle("City: Berlin"));
    assert!(ran.stdout.contains(": note: contradiction: ") && ran.stdout.contains(&berlin), "{}", ran.stdout);
    // Both days, where both are known.
    let dated = Memory::new().file("facts/user.md", "- City: Paris\n  <!-- mem added=2025-01-02 -->\n");
    dated.done(["add", "user", "City: Berlin"]);
    let (paris, berlin) = (crate::support::handle("City: Paris"), crate::support::handle("City: Berlin"));
    dated
        .run(["check"])
        .exit(0)
        .stdout_contains(&format!("@{berlin} (2026-02-24) contradicts @{paris} (2025-01-02)\n"));
    // The day of a longer text that contains it is not its own.
    let undated = Memory::new().file("facts/user.md", "- City: Rome\n- City: Paris\n");
    undated.done(["add", "user", "City: Rome East"]);
    undated.done(["rm", &format!("user@{}", crate::support::handle("City: Rome East"))]);
    let (rome, paris) = (crate::support::handle("City: Rome"), crate::support::handle("City: Paris"));
    undated.run(["check"]).exit(0).stdout_contains(&format!("@{paris} contradicts @{rome}\n"));
    found(&memory, &["check", "--strict", "user"]);
    // Other sections are about other subjects.
    let memory = Memory::new().file("facts/team.md", "# Team\n\n## Ana\n\n- City: Paris\n\n## Bo\n\n- City: Berlin\n");
    memory.run(["check", "--strict"]).exit(0);
}

/// Writes a file beside the data directory, last changed on 2026-02-20.
fn outside(memory: &Memory, name: &str, text: impl AsRef<[u8]>) {
    let path = memory.dir().parent().unwrap().join(name);
    fs_err::write(&path, text).unwrap();
    let changed = "2026-02-20T12:00:00Z".parse::<jiff::Timestamp>().unwrap();
    fs_err::File::options().write(true).open(&path).unwrap().set_modified(changed.into()).unwrap();
}

#[test]
fn check_against_names_both_places_with_their_days_and_writes_neither() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n- Prefers tabs over spaces\n- 用户住在柏林\n- Likes Rust\n")
        .file("facts/shop.md", "# Shop\n\nProse.\n\n- The server listens on port 8080\n");
    memory.done(["add", "user", "City: Berlin"]);
    let guide = "# Guide\n\n```\nCity: Rome\n```\n\nCity: Paris\n\n- The server listens\n  on port 8081. Likes Go\n";
    outside(&memory, "CLAUDE.md", guide);
    outside(&memory, "AGENTS.md", "* Prefers spaces over tabs\n* 用户住在汉堡\n* Likes Rust\n");
    let ran = memory.run(["check", "--against", "CLAUDE.md,AGENTS.md"]).exit(0).unchanged();
    let name = crate::support::handle;
    let expected = [
        format!(
            "facts/shop.md:5:1: note: contradiction: @{} contradicts CLAUDE.md:9 (changed 2026-02-20)",
            name("The server listens on port 8080")
        ),
        format!(
            "facts/user.md:5:1: note: contradiction: @{} contradicts AGENTS.md:1 (changed 2026-02-20)",
            name("Prefers tabs over spaces")
        ),
        format!(
            "facts/user.md:6:1: note: contradiction: @{} contradicts AGENTS.md:2 (changed 2026-02-20)",
            name("用户住在柏林")
        ),
        format!(
            "facts/user.md:8:1: note: contradiction: @{} (2026-02-24) contradicts CLAUDE.md:7 (changed 2026-02-20)",
            name("City: Berlin")
        ),
    ];
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);
    let ran = memory.run(["check", "shop", "--strict", "--against", "CLAUDE.md", "--against", "AGENTS.md", "--json"]);
    let ran = ran.may_change().ends();
    assert_eq!(ran.status, 6);
    let against = &ran.json()["findings"][0]["against"];
    assert_eq!((&against["path"], &against["line"]), (&"CLAUDE.md".into(), &9.into()));
    assert_eq!(against["text"], "The server listens   on port 8081.");
    assert_eq!(fs_err::read(memory.dir().parent().unwrap().join("CLAUDE.md")).unwrap(), guide.as_bytes());
}

#[test]
fn what_one_side_says_of_two_subjects_contradicts_neither() {
    let memory = Memory::new()
        .file("facts/atlas.md", "# Atlas\n\n- Language: Rust\n")
        .file("facts/zephyr.md", "# Zephyr\n\n- Language: Go\n");
    outside(&memory, "CLAUDE.md", "# Zephyr\n\n- Language: Go\n");
    memory.run(["check", "--strict", "--against", "CLAUDE.md"]).exit(0);
    outside(&memory, "CLAUDE.md", "# Both\n\n## Atlas\n\n- Language: Rust\n\n## Zephyr\n\n- Language: Zig\n");
    let ran = found(&memory, &["check", "--strict", "--against", "CLAUDE.md"]);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    assert!(ran.stdout.starts_with("facts/zephyr.md:3:1: warning: ") && ran.stdout.contains("CLAUDE.md:9"));
}

#[test]
fn a_file_that_check_cannot_compare_is_named_with_the_reason() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- City: Berlin\n");
    let beside = memory.dir().parent().unwrap().to_path_buf();
    outside(&memory, "bytes.md", b"City: \xff\n");
    outside(&memory, "nul.md", "City: \0\n");
    fs_err::File::create(beside.join("huge.md")).unwrap().set_len((64 << 20) + 1).unwrap();
    fs_err::create_dir(beside.join("folder")).unwrap();
    for (file, status, message) in [
        ("bytes.md", 5, "'bytes.md' is not UTF-8 at byte 6"),
        ("nul.md", 5, "'nul.md' contains a NUL at byte 6"),
        ("huge.md", 5, "'huge.md' is larger than 64 MiB"),
        ("folder", 5, "'folder' is not a regular file"),
        ("missing.md", 3, "'missing.md' does not exist"),
    ] {
        let ran = memory.run(["check", "--against", file]).exit(status).unchanged();
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
}
