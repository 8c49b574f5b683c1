//! What a power cut leaves, and what readers and the next command make of it: it may take the end record of a change that
//! was acknowledged, and nothing else of it; and it may leave the intent of a change that never began, beside slots that
//! are torn or missing.

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

/// What a cut leaves of a slot that was not synced.
const REMAINS: [Option<&[u8]>; 5] = [None, Some(b""), Some(&[0; 16]), Some(b"# User\n\n\0 Sum"), Some(b"# A person's")];

/// A memory whose last change was cut off between its intent and the sync of its slots; the first slot is left as given.
/// Slots keep their inodes, as after a cut.
fn before_the_sync(left: Option<&[u8]>) -> Memory {
    let memory = after_the_cut();
    for (n, file) in ["user", "tea"].into_iter().enumerate() {
        let (file, slot) =
            (memory.dir().join(format!("facts/{file}.md")), memory.dir().join(format!(".memdir/undo/3-{n}")));
        let aside = memory.dir().join(".memdir/aside");
        fs_err::rename(&file, &aside).unwrap();
        fs_err::rename(&slot, &file).unwrap();
        fs_err::rename(&aside, &slot).unwrap();
    }
    let slot = memory.dir().join(".memdir/undo/3-0");
    match left {
        Some(bytes) => fs_err::write(slot, bytes).unwrap(),
        None => fs_err::remove_file(slot).unwrap(),
    }
    memory
}

#[test]
fn a_change_whose_slot_never_reached_the_disk_did_not_begin() {
    for left in REMAINS {
        let memory = before_the_sync(left);
        for file in ["user", "tea"] {
            assert!(!memory.done(["list", file]).unchanged().stdout.contains("Acknowledged"), "{left:?}");
        }
        let next = memory.done(["add", "user", "After"]).stderr_contains("the interrupted r3 was undone");
        memory.done(["list", "user"]).stdout_contains("Before").stdout_contains("After");
        for file in ["user", "tea"] {
            assert!(!memory.done(["list", file]).stdout.contains("Acknowledged"), "{left:?}");
        }
        assert!(!memory.dir().join(".memdir/undo/3-0").exists() && !memory.dir().join(".memdir/undo/3-1").exists());
        // What is no part of the new text may be a person's: it is kept.
        let is_kept = left.is_some_and(|bytes| bytes.ends_with(b"person's"));
        assert_eq!(next.stderr.contains("inbox/rescued-"), is_kept, "{}", next.stderr);
        memory.run(["check"]).exit(0);
    }
}

#[test]
fn an_empty_slot_is_not_taken_for_the_empty_text_that_was_replaced() {
    let memory = Memory::new();
    memory.put("facts/empty.md", "");
    memory.done(["add", "empty", "Cut off"]);
    lose_end_record(&memory);
    let (file, slot) = (memory.dir().join("facts/empty.md"), memory.dir().join(".memdir/undo/1-0"));
    fs_err::rename(&file, memory.dir().join(".memdir/aside")).unwrap();
    fs_err::rename(&slot, &file).unwrap();
    fs_err::rename(memory.dir().join(".memdir/aside"), &slot).unwrap();
    fs_err::write(&slot, "").unwrap();
    memory.done(["add", "other", "After"]).stderr_contains("the interrupted r1 was undone");
    assert_eq!(memory.text("facts/empty.md").as_deref(), Some(""));
    assert!(!memory.done(["log"]).stdout.contains("Cut off"));
}
