//! What readers show after a power cut: the end record of a change is not synced, so a cut may take it, and nothing else
//! of a change that was acknowledged.

use crate::support::Memory;

/// Removes the journal's last record.
fn lose_end_record(memory: &Memory) {
    let journal = memory.dir().join(".memdir/journal");
    let text = fs_err::read_to_string(&journal).unwrap();
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    assert!(text[last..].contains("\"end\""), "{}", &text[last..]);
    fs_err::write(journal, &text[..last]).unwrap();
}

const BATCH: &str =
    r#"[{"op":"add","at":"user","text":"Acknowledged fact"},{"op":"add","at":"tea","text":"Acknowledged tea"}]"#;

/// Two files, and a change of both that was acknowledged and lost its end record.
fn after_the_cut() -> Memory {
    let memory = Memory::new();
    memory.done(["add", "user", "Before"]);
    memory.done(["add", "tea", "Before"]);
    memory.run(["apply"]).stdin(BATCH).exit(0);
    lose_end_record(&memory);
    memory
}

#[test]
fn every_reader_shows_an_acknowledged_change_after_a_power_cut() {
    let memory = after_the_cut();
    for words in [
        &["list", "user"][..],
        &["list", "tea"],
        &["read", "user"],
        &["query", "acknowledged"],
        &["diff", "r2"],
        &["show", "r3"],
        &["query", "acknowledged", "--since", "r2"],
    ] {
        memory.done(words).unchanged().stdout_contains("Acknowledged");
    }
    memory.done(["context", "--style", "records"]).stdout_contains("Acknowledged fact");
    assert!(!memory.done(["log"]).stdout.contains("pending"));
    assert_eq!(memory.done(["status", "--json"]).json()["rev"], "r3");
    // The next writer agrees, and goes on.
    memory.done(["add", "user", "After"]).diff("M facts/user.md\n+- After\n");
    memory.done(["undo", "r3"]).stdout_contains("Acknowledged");
}

#[test]
fn a_save_after_the_cut_hides_nothing_of_the_change() {
    let memory = after_the_cut();
    memory.put("facts/user.md", "# User\n\n- Saved after the cut\n");
    memory.done(["list", "user"]).stdout_contains("Saved after the cut");
    memory.done(["list", "tea"]).stdout_contains("Acknowledged tea");
}

#[test]
fn a_batch_that_is_half_done_is_shown_as_not_made() {
    let memory = after_the_cut();
    // As if the power had gone between the two files: the second still has its old text, and its slot the new one.
    let (tea, slot) = (memory.dir().join("facts/tea.md"), memory.dir().join(".memdir/undo/3-1"));
    let (new, old) = (fs_err::read(&tea).unwrap(), fs_err::read(&slot).unwrap());
    fs_err::write(&tea, old).unwrap();
    fs_err::write(&slot, new).unwrap();
    for file in ["user", "tea"] {
        assert!(!memory.done(["list", file]).stdout.contains("Acknowledged"), "{file}");
    }
    memory.done(["log"]).stdout_contains("pending");
}

#[test]
fn a_save_that_will_be_put_back_is_shown() {
    let memory = after_the_cut();
    // The change displaced a save that it did not expect, and the power went before that was undone.
    let saved = "# User\n\n- Saved during the change\n";
    fs_err::write(memory.dir().join(".memdir/undo/3-0"), saved).unwrap();
    memory.done(["list", "user"]).stdout_contains("Saved during the change");
    memory.done(["query", "saved during"]).stdout_contains("Saved during the change");
    assert!(!memory.done(["list", "tea"]).stdout.contains("Acknowledged"));
    memory.run(["add", "tea", "Later"]).exit(0);
    assert_eq!(memory.text("facts/user.md").as_deref(), Some(saved));
}
