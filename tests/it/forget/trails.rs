//! What a text was before is forgotten with it, also after the history of its file was erased for another text.

use super::holders;
use crate::support::memory::{DataDirectory, path};

const OLD: &str = "Ana lives at 12 Elm";
const NEW: &str = "Ana moved away";
const INCOMPLETE: &str = "a part of the history of the text was erased or trimmed before";

/// Runs the commands, each a line of arguments separated by `|`; the last one must leave the old text nowhere.
fn check(lines: &[&str]) -> String {
    let memory = DataDirectory::new(&[]);
    let mut output = String::new();
    for line in lines {
        let words: Vec<&str> = line.split('|').collect();
        let run = memory.run(&words);
        assert_eq!(run.status, 0, "{lines:?}, {line}: {run:#?}");
        output = run.stderr;
    }
    for text in [OLD, NEW] {
        assert_eq!(holders(&memory, text), [""; 0], "{lines:?}: {output}");
    }
    memory.done(&["log", "--all"]);
    memory.done(&["status"]);
    memory.done(&["add", "after", "Something after"]);
    output
}

fn add_old(file: &str) -> String {
    format!("add|{file}|{OLD}")
}

fn update_in(file: &str) -> String {
    format!("update|{file}|{OLD}|{NEW}")
}

fn forget_in(file: &str) -> String {
    format!("rm|--forget|{file}|- {NEW}")
}

#[test]
fn an_earlier_wording_in_another_file_is_forgotten_after_another_text_was() {
    for between in [
        &["add|b|Other", "rm|--forget|b|- Other"][..],
        &["add|b|Other", "rm|--forget|b|- Other", "add|b|Third", "rm|--forget|b|- Third"],
        &["add|b|Other", "rm|b|- Other", "rm|--forget|b|- Other"],
        &["add|b|Other", "rm|--forget|b|- Other", "add|b|Kept", "update|b|Kept|Kept as well"],
    ] {
        let (first, update, last) = (add_old("a"), update_in("b"), forget_in("b"));
        let mut lines = vec![&*first, "mv|a@1|b|-f", &*update];
        lines.extend(between);
        lines.push(&last);
        let output = check(&lines);
        assert!(!output.contains(INCOMPLETE), "{output}");
    }
}

#[test]
fn what_was_archived_and_restored_before_is_followed() {
    let (first, update, last) = (add_old("b"), update_in("b"), forget_in("b"));
    check(&[
        &first,
        "rm|--archive|b@1|-f",
        "restore|archive/facts/b.md",
        &update,
        "add|b|Other",
        "rm|--forget|b|- Other",
        &last,
    ]);
    // What is still in the archive.
    let in_archive = format!("rm|--forget|archive/facts/b.md|- {NEW}");
    check(&[
        &first,
        &update,
        "mv|b@1|c|-f",
        "rm|--archive|c@1|-f",
        "add|c|Other",
        "rm|--forget|c|- Other",
        &in_archive.replace("/b.md", "/c.md"),
    ]);
}

#[test]
fn undone_and_repeated_changes_are_followed() {
    let (first, update, last) = (add_old("a"), update_in("b"), forget_in("b"));
    check(&[&first, "mv|a@1|b|-f", &update, "undo", "redo", "add|b|Other", "rm|--forget|b|- Other", &last]);
    check(&[
        &first,
        "mv|a@1|b|-f",
        "undo",
        "redo",
        &update,
        "add|a|Other",
        "rm|--forget|a|- Other",
        "add|b|Other",
        "rm|--forget|b|- Other",
        &last,
    ]);
}

#[test]
fn renamed_files_are_followed() {
    let (first, update, last) = (add_old("a"), update_in("a"), forget_in("d"));
    check(&[
        &first,
        &update,
        "mv|a|c",
        "add|c|Other",
        "rm|--forget|c|- Other",
        "mv|c|d",
        "add|d|Other",
        "rm|--forget|d|- Other",
        &last,
    ]);
}

#[test]
fn a_way_through_several_files_is_followed() {
    let first = add_old("a");
    for other in ["a", "b", "c"] {
        let (add, forget) = (format!("add|{other}|Other"), format!("rm|--forget|{other}|- Other"));
        let update = format!("update|c|Ana lives in Elm Street|{NEW}");
        let middle = format!("update|b|{OLD}|Ana lives in Elm Street");
        let last = forget_in("c");
        check(&[&first, "mv|a@1|b|-f", &middle, "mv|b@1|c|-f", &update, &add, &forget, &last]);
        let again = [&first, "mv|a@1|b|-f", &middle, &add, &forget, "mv|b@1|c|-f", &update, &add, &forget, &last];
        if other == "b" {
            check(&again);
        }
    }
}

#[test]
fn nested_bullets_are_followed() {
    let memory = DataDirectory::new(&[("facts/a.md", &*format!("# A\n\n- About Ana\n  - {OLD}\n- More\n"))]);
    memory.done(&["add", "a", "Later"]);
    memory.done(&["mv", "a@1", "b", "-f"]);
    memory.done(&["update", "b", OLD, NEW]);
    memory.done(&["add", "b", "Other"]);
    memory.done(&["rm", "--forget", "b", "- Other"]);
    memory.done(&["rm", "--forget", "b", &format!("- {NEW}")]);
    for text in [OLD, NEW] {
        assert_eq!(holders(&memory, text), [""; 0]);
    }
    assert!(memory.text("facts/b.md").contains("- About Ana\n") && memory.text("facts/a.md").contains("- More\n"));
}

/// The text that forgets first comes from the same file: its history is gone before.
#[test]
fn what_both_texts_have_in_common_is_erased_once() {
    let (first, update, last) = (add_old("a"), update_in("b"), forget_in("b"));
    check(&["add|a|Other", &first, "mv|a@1|b|-f", "mv|a@1|b|-f", &update, "rm|--forget|b|- Other", &last]);
}

#[test]
fn a_live_copy_of_an_earlier_wording_is_reported_as_before() {
    let memory = DataDirectory::new(&[("facts/twin.md", &*format!("# Twin\n\n- {OLD}\n"))]);
    memory.done(&["add", "a", OLD]);
    memory.done(&["mv", "a@1", "b", "-f"]);
    memory.done(&["update", "b", OLD, NEW]);
    memory.done(&["add", "b", "Other"]);
    memory.done(&["rm", "--forget", "b", "- Other"]);
    let output = memory.run(&["rm", "--forget", "b", &format!("- {NEW}")]);
    assert!(output.stderr.contains("also in facts/twin.md and was not removed"), "{output:#?}");
    assert_eq!(holders(&memory, OLD), ["facts/twin.md"]);
}

#[test]
fn what_is_not_known_any_more_is_said() {
    let memory = DataDirectory::new(&[]);
    memory.done(&["add", "a", OLD]);
    memory.done(&["mv", "a@1", "b", "-f"]);
    memory.done(&["update", "b", OLD, NEW]);
    // As if the history had been trimmed.
    let session = memory.session("t");
    let (locked, _) = session.store.lock().unwrap();
    locked.forget(&[path("facts/b.md")], &[]).unwrap();
    drop(locked);
    let output = memory.run(&["rm", "--forget", "b", &format!("- {NEW}")]);
    assert!(output.status == 0 && output.stderr.contains(INCOMPLETE), "{output:#?}");

    // A wording that only the erased part had.
    let memory = DataDirectory::new(&[]);
    memory.done(&["add", "b", OLD]);
    memory.done(&["update", "b", OLD, NEW]);
    memory.done(&["add", "b", "Other"]);
    memory.done(&["rm", "--forget", "b", "- Other"]);
    assert!(!holders(&memory, OLD).iter().any(|file| file.contains("journal")));
    let output = memory.run(&["rm", "--forget", "b", &format!("- {NEW}")]);
    assert!(output.status == 0 && output.stderr.contains(INCOMPLETE), "{output:#?}");
}

#[test]
fn nothing_is_said_where_nothing_is_missing() {
    let memory = DataDirectory::new(&[]);
    for line in
        [&["add", "b", NEW][..], &["add", "b", "Other"], &["add", "b", "Later"], &["rm", "--forget", "b", "- Other"]]
    {
        memory.done(line);
    }
    for text in [NEW, "Later"] {
        let output = memory.run(&["rm", "--forget", "b", &format!("- {text}")]);
        assert!(output.status == 0 && !output.stderr.contains(INCOMPLETE), "{output:#?}");
        assert_eq!(holders(&memory, text), [""; 0]);
    }
}

/// The trails have no text, and none of the forgotten.
#[test]
fn a_trail_has_no_text_and_goes_with_its_bullet() {
    let memory = DataDirectory::new(&[]);
    memory.done(&["add", "a", OLD]);
    memory.done(&["mv", "a@1", "b", "-f"]);
    memory.done(&["add", "b", "Other"]);
    memory.done(&["rm", "--forget", "b", "- Other"]);
    let journal = || std::fs::read_to_string(memory.path(".memdir/journal")).unwrap();
    assert!(journal().contains("\"trails\":[{\"path\":\"facts/b.md\""), "{}", journal());
    memory.done(&["rm", "--forget", "b", &format!("- {OLD}")]);
    assert!(!journal().contains("trails"), "{}", journal());
}

/// What an erased part said of a change, no trail tells.
#[test]
fn after_a_forget_nobody_is_named_for_what_another_one_wrote() {
    let memory = DataDirectory::new(&[]);
    memory.done(&["add", "c", "First text of the gamma bullet", "--as", "ana"]);
    memory.done(&["mv", "c@1", "a", "-f", "--as", "ana"]);
    memory.done(&["update", "a", "First text of the gamma bullet", "Bob wrote these words himself", "--as", "bob"]);
    memory.done(&["add", "a", "Xray must vanish", "--as", "ana"]);
    memory.done(&["rm", "--forget", "a", "- Xray must vanish"]);
    let blame = memory.done(&["list", "a", "--blame"]);
    assert!(blame.contains("unknown") && !blame.contains("ana"), "{blame}");
}

#[test]
fn copies_are_found_in_other_encodings() {
    let text = "Das Passwort für Björn ist grün";
    let memory = DataDirectory::new(&[]);
    memory.done(&["add", "a", text]);
    let put = |name: &str, bytes: Vec<u8>| std::fs::write(memory.path(name), bytes).unwrap();
    put("facts/latin.md", format!("# L\n\n- {text}\n").chars().map(|c| c as u8).collect());
    put("wide.txt", text.encode_utf16().flat_map(u16::to_le_bytes).collect());
    let escaped: String =
        text.chars().map(|c| if c.is_ascii() { c.into() } else { format!("\\u{:04x}", c as u32) }).collect();
    put("dump.json", format!("[\"{escaped}\"]").into_bytes());
    let said = memory.run(&["rm", "--forget", "a", &format!("- {text}")]).stderr;
    for name in ["facts/latin.md", "wide.txt", "dump.json"] {
        assert!(said.contains(name), "{name}: {said}");
    }
}
