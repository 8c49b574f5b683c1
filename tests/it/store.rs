//! The store from outside: what is committed, kept, undone, recovered and refused on a real disk.

use std::path::Path;
use std::sync::Arc;

use memdir::change::{Changeset, Etag, FileChange, Header, Outcome, Version};
use memdir::code::Code;
use memdir::path::MemoryPath;
use memdir::store::{Durability, Options, Side, Stopped, Store};
use memdir::text::Splice;

fn path(name: &str) -> MemoryPath {
    MemoryPath::new(name).unwrap()
}

fn options() -> Options {
    Options { durability: Durability::Fast, ..Options::default() }
}

fn header(actor: &str) -> Header {
    Header { at: "2026-11-20T10:00:00Z".into(), actor: actor.into(), reason: None, source: None, request: None }
}

/// What a file is to become; `None` removes it.
fn change(store: &Store, name: &str, after: Option<&str>) -> FileChange {
    FileChange {
        path: path(name),
        before: store.read(&path(name)).unwrap(),
        after: after.map(|text| Arc::new(text.as_bytes().to_vec())),
        mode: None,
        edits: None,
        moved: None,
        summary: None,
    }
}

fn set(files: Vec<FileChange>) -> Changeset {
    Changeset { files, ..Changeset::default() }
}

fn commit(store: &Store, files: Vec<FileChange>) -> u64 {
    let (lock, warnings) = store.lock().unwrap();
    assert_eq!(warnings, []);
    let done = lock.commit(&set(files), &header("t"), None).unwrap();
    assert_eq!(done.warnings, []);
    done.rev
}

fn write(dir: &Path, name: &str, text: &str) {
    let file = dir.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn on_disk(dir: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(dir.join(name)).ok()
}

fn text(version: Option<Version>) -> Option<String> {
    version.map(|v| String::from_utf8(v.bytes.to_vec()).unwrap())
}

#[test]
fn every_text_that_was_committed_over_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), options()).unwrap();
    write(dir.path(), "facts/a.md", "one\n");
    assert_eq!(
        commit(&store, vec![change(&store, "facts/a.md", Some("two\n")), change(&store, "new/b.md", Some("b\n"))]),
        1
    );
    assert_eq!(commit(&store, vec![change(&store, "facts/a.md", Some("three\n"))]), 2);
    assert_eq!(commit(&store, vec![change(&store, "facts/a.md", None)]), 3);
    assert_eq!(on_disk(dir.path(), "facts/a.md"), None);
    assert_eq!(on_disk(dir.path(), "new/b.md").as_deref(), Some("b\n"));
    assert_eq!(on_disk(dir.path(), ".memdir/.gitignore").as_deref(), Some("*\n"));
    let at = |rev, name: &str, side| text(store.text(rev, &path(name), side).unwrap());
    for (rev, before, after) in
        [(1, Some("one\n"), Some("two\n")), (2, Some("two\n"), Some("three\n")), (3, Some("three\n"), None)]
    {
        assert_eq!(at(rev, "facts/a.md", Side::Before).as_deref(), before, "before r{rev}");
        assert_eq!(at(rev, "facts/a.md", Side::After).as_deref(), after, "after r{rev}");
    }
    assert_eq!(at(1, "new/b.md", Side::Before), None);
    assert_eq!(at(2, "new/b.md", Side::After).as_deref(), Some("b\n"));
    assert_eq!(store.text(9, &path("facts/a.md"), Side::After).unwrap_err().code, Code::RevisionNotFound);
    let journal = store.journal().unwrap();
    assert_eq!(
        journal.iter().map(|e| (e.rev, e.outcome)).collect::<Vec<_>>(),
        [(1, Outcome::Done), (2, Outcome::Done), (3, Outcome::Done)]
    );
    assert_eq!(store.recent().unwrap(), journal);
}

#[test]
fn a_plan_that_is_out_of_date_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), options()).unwrap();
    write(dir.path(), "facts/a.md", "one\n");
    let plan = vec![change(&store, "new.md", Some("n\n")), change(&store, "facts/a.md", Some("two\n"))];
    write(dir.path(), "facts/a.md", "a person's\n");
    let (lock, _) = store.lock().unwrap();
    assert_eq!(lock.commit(&set(plan), &header("t"), None), Err(Stopped::Moved(vec![])));
    assert_eq!(on_disk(dir.path(), "facts/a.md").as_deref(), Some("a person's\n"));
    assert_eq!(on_disk(dir.path(), "new.md"), None);
    assert_eq!(store.journal().unwrap(), []);
}

#[test]
fn edits_rebuild_either_text_when_a_slot_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), options()).unwrap();
    write(dir.path(), "a.md", "- a\n- b\n");
    let mut first = change(&store, "a.md", Some("- a\n- bee\n"));
    first.edits = Some(vec![Splice { start: 6, end: 7, new: "bee".into() }]);
    commit(&store, vec![first]);
    let mut second = change(&store, "a.md", Some("- A\n- bee\n"));
    second.edits = Some(vec![Splice { start: 2, end: 3, new: "A".into() }]);
    commit(&store, vec![second]);
    std::fs::remove_dir_all(dir.path().join(".memdir/undo")).unwrap();
    let at = |rev, side| text(store.text(rev, &path("a.md"), side).unwrap());
    assert_eq!(at(1, Side::Before).as_deref(), Some("- a\n- b\n"));
    assert_eq!(at(1, Side::After).as_deref(), Some("- a\n- bee\n"));
    write(dir.path(), "a.md", "something else\n");
    let lost = store.text(1, &path("a.md"), Side::Before).unwrap_err();
    assert_eq!(lost.code, Code::HistoryGone);
    let _ = Etag::of(b"");
}
