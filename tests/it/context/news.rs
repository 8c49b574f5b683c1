//! The header of `context`: changes since a reader's last look, by any actor.

use crate::support::{Memory, handle};

const USER: &str = "# User\n\n- Prefers tabs over spaces\n- Lives in Austin\n- Drinks tea\n\n## Goals\n\n- Ship v1 by August\n- [health] Lactose intolerant since 2019\n- Oat milk is fine with coffee\n";

/// A memory that the journal knows, and whose reader has seen it.
fn seen() -> Memory {
    let m = Memory::new();
    m.run(["write", "facts/user.md"]).stdin(USER).exit(0);
    m.done(["context", "--as", "r"]);
    m
}

/// The header, without the rest.
#[track_caller]
fn header(m: &Memory) -> String {
    let ran = m.run(["context", "--as", "r", "-n"]).exit(0).quiet();
    if ran.stdout.starts_with("Memory updates since ") {
        ran.stdout.split("\n\n").next().unwrap().to_owned()
    } else {
        String::new()
    }
}

#[track_caller]
fn check(m: &Memory, lines: &[&str]) {
    let expected =
        if lines.is_empty() { String::new() } else { format!("Memory updates since rev 1:\n{}", lines.join("\n")) };
    assert_eq!(header(m), expected);
}

fn at(text: &str) -> String {
    format!("user@{}", handle(text))
}

#[test]
fn a_first_read_and_an_unchanged_memory_report_no_updates() {
    let m = Memory::new().file("facts/user.md", USER);
    assert_eq!(header(&m), "");
    let m = seen();
    check(&m, &[]);
}

#[test]
fn creating_updating_and_deleting_are_reported() {
    let m = seen();
    m.done(["add", "user#personal", "Preferred name is Ana", "--imp", "2"]);
    m.done(["update", &at("Ship v1 by August"), "Ship v1 by Sep"]);
    m.done(["rm", &at("Drinks tea")]);
    check(
        &m,
        &[
            "- +created: [Personal] Preferred name is Ana (imp=2)",
            "- -deleted: [user] Drinks tea",
            "- ↑updated: [Goals] Ship v1 by Sep",
        ],
    );
}

#[test]
fn a_bullet_added_and_removed_between_two_reads_is_not_reported() {
    let m = seen();
    m.done(["add", "user", "Swims"]);
    m.done(["rm", &at("Swims")]);
    m.done(["update", &at("Drinks tea"), "Drinks coffee"]);
    m.done(["undo"]);
    check(&m, &[]);
}

#[test]
fn archiving_and_restoring_are_reported() {
    let m = seen();
    m.done(["rm", &at("Drinks tea"), "--archive"]);
    check(&m, &["- ↓soft-deleted: [user] Drinks tea"]);
    m.done(["context", "--as", "r"]);
    assert_eq!(header(&m), "", "told once");
    m.done(["undo"]);
    assert_eq!(header(&m), "Memory updates since rev 2:\n- ↺restored: [user] Drinks tea");
    m.done(["context", "--as", "r"]);
    m.done(["rm", &at("Lives in Austin")]);
    m.done(["context", "--as", "r"]);
    m.done(["undo"]);
    m.done(["add", "user", "Swims"]);
    let updates = header(&m);
    assert!(
        updates.contains("- ↺restored: [user] Lives in Austin") && updates.contains("- +created: [user] Swims"),
        "{updates}"
    );
}

#[test]
fn a_merge_of_two_bullets_is_one_event() {
    let m = seen();
    let batch = format!(
        r#"[{{"op":"update","at":"{}","text":"[health] Lactose intolerant since 2019, oat milk is fine with coffee"}},{{"op":"rm","at":"{}"}}]"#,
        at("[health] Lactose intolerant since 2019"),
        at("Oat milk is fine with coffee"),
    );
    m.run(["apply"]).stdin(batch).exit(0);
    let updates = header(&m);
    assert!(
        updates.contains("- ↔merged: [Goals] Combined 2 notes: [health] Lactose intolerant since 2019, oat milk"),
        "{updates}"
    );
    assert!(!updates.contains("deleted") && updates.lines().count() == 2, "{updates}");
}

/// They share most of their words, but what the removed one said is gone.
#[test]
fn an_update_and_a_removal_beside_it_are_two_events() {
    let m = Memory::new();
    let debian = |host: &str, version: u8| format!("The {host} server runs Debian {version}");
    m.done(["add", "ops", &debian("staging", 11), &debian("build", 11)]);
    m.done(["context", "--as", "r"]);
    m.done(["update", "ops", &debian("staging", 11), &debian("staging", 12)]);
    m.done(["rm", &format!("ops@{}", handle(&debian("build", 11)))]);
    check(
        &m,
        &["- -deleted: [ops] The build server runs Debian 11", "- ↑updated: [ops] The staging server runs Debian 12"],
    );
}

#[test]
fn a_bullet_that_was_added_beside_a_removed_one_is_no_update_of_it() {
    let limit = "version: 2\nlimits:\n  - {at: facts/builds.md, bullets: 2, on_limit: compact}\n";
    let m = Memory::new().policy(limit);
    let build = |n: u8| format!("Build {n} passed on main");
    m.done(["add", "builds", &build(41), &build(42)]);
    m.done(["context", "--as", "r"]);
    m.done(["add", "builds", &build(43)]);
    check(&m, &["- ↓soft-deleted: [builds] Build 41 passed on main", "- +created: [builds] Build 43 passed on main"]);
    let old = format!("builds@{}", handle(&build(41)));
    m.run(["read", &old])
        .exit(4)
        .stderr_contains("in facts/builds.md was archived by tester in r2\n")
        .stderr_contains(&format!("try: memdir restore facts/{}\n", old.replace('@', ".md@")));
    let new = format!("builds@{}", handle(&build(43)));
    m.done(["list", "builds", "--blame"])
        .stdout_contains("Build 43 passed on main\n  r2 2026-02-24 10:00Z tester: added");
    assert!(!m.done(["log", &new]).stdout.contains("was:"));
    let diff = m.done(["diff", "r1", "--bullets"]).stdout;
    assert!(diff.contains("> @") && diff.contains("+ @") && !diff.contains("~ @"), "{diff}");
    let batch = format!(r#"[{{"op":"rm","at":"{new}"}},{{"op":"add","at":"builds","text":"{}"}}]"#, build(44));
    m.run(["apply"]).stdin(batch).exit(0);
    m.run(["read", &new]).exit(4).stderr_contains("was removed by tester in r3\n");
}

#[test]
fn a_merge_by_compact_is_one_event_and_counts_as_one() {
    let merge = r#"{"action":"merge","target":1,"absorbs":[2],"reason":"allergies",
        "new_content":"Is allergic to peanuts and is allergic to cashews"}"#;
    let m = Memory::new();
    m.done(["add", "user", "Is allergic to peanuts", "Is allergic to cashews", "Owns a bike"]);
    m.script_model(&[merge.to_owned()]);
    m.done(["context", "--as", "r"]);
    m.done(["compact", "facts/user.md", "--to", "2"]);
    check(&m, &["- ↔merged: [user] Combined 2 notes: Is allergic to peanuts and is allergic to cashews"]);
    let rows = m.done(["stats", "--csv"]).stdout;
    assert!(rows.contains("event,MERGE") && !rows.contains("event,DELETE"), "{rows}");
}

#[test]
fn metadata_and_moves_are_updates() {
    let m = seen();
    m.done(["set", &at("Drinks tea"), "imp=9"]);
    m.done(["mv", &at("Lives in Austin"), "places"]);
    m.done(["mv", &at("Oat milk is fine with coffee"), "user"]);
    check(
        &m,
        &[
            "- ↑updated: [user] Drinks tea (imp=9)",
            "- ↑updated: [user] Oat milk is fine with coffee",
            "- ↑updated: [places] Lives in Austin",
        ],
    );
}

#[test]
fn whole_files_are_one_event() {
    let m = seen();
    m.done(["mv", "user", "person"]);
    check(&m, &["- ↑updated: facts/user.md → facts/person.md"]);
    m.done(["context", "--as", "r"]);
    m.done(["rm", "person", "-f", "--archive"]);
    assert_eq!(header(&m), "Memory updates since rev 2:\n- ↓soft-deleted: facts/person.md");
    m.done(["undo"]);
    m.done(["rm", "person", "-f"]);
    assert_eq!(header(&m), "Memory updates since rev 2:\n- -deleted: facts/person.md");
    m.run(["write", "notes"]).stdin("# Notes\n\nOnly prose.\n").exit(0);
    assert!(header(&m).contains("- +created: facts/notes.md"), "{}", header(&m));
}

#[test]
fn an_entry_is_one_event() {
    let m = seen();
    m.run(["append", "-t", "Logger fix", "-s", "pino leak", "-d", "2026-02-20"])
        .stdin("- Lesson: look twice\n")
        .exit(0);
    check(&m, &["- +created: [2026-02] Logger fix: pino leak"]);
    m.done(["context", "--as", "r"]);
    m.done(["add", "2026-02#logger-fix", "And again"]);
    assert_eq!(header(&m), "Memory updates since rev 2:\n- ↑updated: [2026-02] Logger fix: pino leak");
}

#[test]
fn the_rest_is_counted_with_a_command_that_works() {
    let m = seen();
    let texts: Vec<String> = (1..=17).map(|n| format!("Fact number {n}")).collect();
    m.done(["add", "user"].into_iter().chain(texts.iter().map(String::as_str)));
    let updates = header(&m);
    assert_eq!(updates.lines().count(), 5, "{updates}");
    assert_eq!(updates.lines().last(), Some("… and 14 more: memdir diff --since r1"));
    m.run(["diff", "--since", "r1"]).exit(0).stdout_contains("Fact number 17");
    let fresh = Memory::new();
    fresh.done(["context", "--as", "r"]);
    fresh.done(["add", "user"].into_iter().chain(texts.iter().map(String::as_str)));
    let updates = header(&fresh);
    assert!(
        updates.starts_with("Memory updates since rev 0:") && updates.ends_with("… and 14 more: memdir log"),
        "{updates}"
    );
}

#[test]
fn pinned_and_important_updates_are_first_then_the_newest() {
    let m = seen();
    m.done(["add", "user", "first", "--imp", "3"]);
    m.done(["add", "user", "second", "--imp", "8"]);
    m.done(["add", "user", "third", "--pin"]);
    m.done(["add", "other", "fourth"]);
    check(
        &m,
        &[
            "- +created: [user] third",
            "- +created: [user] second (imp=8)",
            "- +created: [user] first (imp=3)",
            "… and 1 more: memdir diff --since r1",
        ],
    );
}

#[test]
fn outside_edits_are_reported_once_recorded_or_not() {
    let m = seen();
    let edit = |from: &str, to: &str| m.put("facts/user.md", m.text("facts/user.md").unwrap().replace(from, to));
    // The journal holds the text with which the file was created.
    edit("Lives in Austin", "Lives in Lisbon");
    check(&m, &["- ↑updated: [user] Lives in Lisbon"]);
    m.done(["add", "user", "Hums"]);
    m.done(["context", "--as", "r"]);
    edit("Lives in Lisbon", "Lives in Austin");
    assert_eq!(header(&m), "Memory updates since rev 2:\n- ↑updated: [user] Lives in Austin");
    m.done(["context", "--as", "r"]);
    assert_eq!(header(&m), "");
    // Recorded by the next writer: not reported again to a reader that has seen it.
    m.done(["add", "other", "x"]);
    m.done(["add", "user", "Swims"]);
    let updates = header(&m);
    assert!(updates.contains("Swims") && !updates.contains("Austin"), "{updates}");
    m.done(["context", "--as", "r"]);
    // An edit between two revisions, which the chain of etags shows.
    edit("Drinks tea", "Drinks mate");
    m.done(["add", "user", "Sings"]);
    let updates = header(&m);
    assert!(
        updates.contains("↑updated: [user] Drinks mate") && updates.contains("+created: [user] Sings"),
        "{updates}"
    );
    m.done(["context", "--as", "r"]);
    // Reported, then edited again outside: the reported change and the new one are both shown.
    edit("Sings", "Sings loudly");
    m.done(["context", "--as", "r"]);
    edit("Prefers tabs over spaces", "Prefers spaces over tabs");
    assert!(header(&m).contains("Prefers spaces over tabs"), "{}", header(&m));
    m.done(["context", "--as", "r"]);
    fs_err::remove_file(m.dir().join("facts/user.md")).unwrap();
    assert!(header(&m).contains("- -deleted: facts/user.md"), "{}", header(&m));
    m.done(["context", "--as", "r"]);
    assert_eq!(header(&m), "");
}

#[test]
fn each_outside_edit_is_reported_once() {
    let m = Memory::new();
    m.done(["add", "plan", "Step one", "Step two", "Step three", "Step four", "Step five"]);
    m.done(["context", "--as", "r"]);
    let edit = |was: &str, is: &str| {
        let text = m.text("facts/plan.md").unwrap();
        assert!(text.contains(was), "{text}");
        m.put("facts/plan.md", text.replace(was, is));
    };
    for step in ["one", "two", "three"] {
        edit(&format!("- Step {step}\n"), &format!("- Step {step} was finished by Jo\n"));
        check(&m, &[&format!("- ↑updated: [plan] Step {step} was finished by Jo")]);
        m.done(["context", "--as", "r"]);
        check(&m, &[]);
    }
    // Nothing of it is repeated where the comparison with the last revision pairs the texts otherwise.
    edit("- Step four\n", "- The client cancelled everything\n");
    check(&m, &["- -deleted: [plan] Step four", "- +created: [plan] The client cancelled everything"]);
    m.done(["context", "--as", "r"]);
    // Back to what the last revision has.
    edit("- Step one was finished by Jo\n", "- Step one\n");
    check(&m, &["- ↑updated: [plan] Step one"]);
    m.done(["context", "--as", "r"]);
    // An edit that no revision has, edited again and removed.
    edit("Step two was finished by Jo", "Step two was finished by Ana");
    check(&m, &["- ↑updated: [plan] Step two was finished by Ana"]);
    m.done(["context", "--as", "r"]);
    edit("- The client cancelled everything\n", "");
    check(&m, &["- ↑updated: facts/plan.md"]);
    m.done(["context", "--as", "r"]);
    check(&m, &[]);
    // A mark holds no text.
    let files = fs_err::read_dir(m.dir().join(".memdir")).unwrap().map(|file| file.unwrap().path());
    let marks: Vec<String> = files
        .filter(|path| path.to_string_lossy().contains("mark-"))
        .map(|path| fs_err::read_to_string(path).unwrap())
        .collect();
    assert!(!marks.is_empty() && marks.iter().all(|mark| !mark.contains("Step")), "{marks:?}");
}

#[test]
fn each_outside_edit_of_an_entry_is_reported_once() {
    let m = Memory::new();
    for title in ["One", "Two"] {
        m.run(["append", "-t", title, "-s", "planned", "-d", "2026-02-20"]).stdin("- Step: first").exit(0);
    }
    m.done(["context", "--as", "r"]);
    let path = "episodes/2026-02.md";
    let edit = |was: &str, is: &str| m.put(path, m.text(path).unwrap().replacen(was, is, 1));
    edit("- Step: first", "- Step: second");
    assert_eq!(header(&m).matches("updated: ").count(), 1, "{}", header(&m));
    m.done(["context", "--as", "r"]);
    edit("- Step: first", "- Step: third");
    let updates = header(&m);
    assert_eq!(updates.matches("↑updated: ").count(), 1, "{updates}");
    m.done(["context", "--as", "r"]);
    m.put(path, m.text(path).unwrap() + "\n## Three\n- Date: 2026-02-21\n\nDone.\n");
    let updates = header(&m);
    assert!(updates.contains("+created: [2026-02] Three") && !updates.contains("updated: ["), "{updates}");
}

#[test]
fn outside_edits_before_the_first_read_are_not_reported() {
    let m = Memory::new();
    m.run(["write", "facts/user.md"]).stdin(USER).exit(0);
    m.put("facts/user.md", USER.replace("Drinks tea", "Drinks mate"));
    m.done(["context", "--as", "r"]);
    check(&m, &[]);
    m.done(["add", "user", "Swims"]);
    check(&m, &["- +created: [user] Swims"]);
}

#[test]
fn forgotten_archived_and_expired_items_are_not_reported() {
    let m = seen();
    m.done(["rm", &at("Drinks tea"), "--forget"]);
    m.done(["add", "user", "Over by now", "--exp", "2026-02-20"]);
    m.run(["write", "procedures/release.md"]).stdin("# Release\n\n- Tag it\n").exit(0);
    let updates = header(&m);
    assert!(!updates.contains("tea") && !updates.contains("Over by now") && !updates.contains("elease"), "{updates}");
}

#[test]
fn other_text_is_reported_by_its_file_and_summaries_are_not_reported() {
    let m = seen();
    m.done(["set", "user", "summary=who you are"]);
    check(&m, &[]);
    m.put("facts/user.md", m.text("facts/user.md").unwrap() + "\nSome prose.\n");
    check(&m, &["- ↑updated: facts/user.md"]);
}

#[test]
fn files_that_memdir_never_wrote_may_appear_and_disappear() {
    let m = seen();
    m.put("facts/dropped.md", "# Dropped\n\n- A note from elsewhere\n");
    m.put("inbox/proposed.md", "- Not consented to\n");
    m.put("procedures/p.md", "- Not for a context\n");
    check(&m, &["- +created: [dropped] A note from elsewhere"]);
    // Reported once, also when memdir has written to it since.
    m.done(["add", "dropped", "And one more"]);
    let updates = header(&m);
    assert!(updates.contains("A note from elsewhere") && updates.contains("And one more"), "{updates}");
    m.done(["context", "--as", "r"]);
    assert_eq!(header(&m), "");
    m.put("facts/brief.md", "- Brief\n");
    m.done(["context", "--as", "r"]);
    fs_err::remove_file(m.dir().join("facts/brief.md")).unwrap();
    assert_eq!(header(&m), "Memory updates since rev 2:\n- -deleted: facts/brief.md");
}
