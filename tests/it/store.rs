//! The store from outside: what is committed, kept, undone, recovered and refused on a real disk.

use std::path::Path;
use std::sync::Arc;

use memdir::change::{Changeset, EntryHeader, EntryOutcome, FileChange, FileVersion, JournalEdit};
use memdir::code::Code;
use memdir::path::MemoryPath;
use memdir::store::{CommitStopped, RevisionSide, Store, StoreOptions};

use crate::support::fast_store;

fn path(name: &str) -> MemoryPath {
    MemoryPath::new(name).unwrap()
}

fn header(actor: &str) -> EntryHeader {
    EntryHeader {
        at: "2026-11-20T10:00:00Z".into(),
        actor: actor.into(),
        reason: None,
        source: None,
        consent: None,
        request: None,
        request_digest: None,
    }
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

fn edit_of(start: usize, old: &str, new: &str) -> JournalEdit {
    JournalEdit { start, old: old.into(), new: new.into() }
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

fn text(version: Option<FileVersion>) -> Option<String> {
    version.map(|v| String::from_utf8(v.bytes.to_vec()).unwrap())
}

#[test]
fn every_text_that_a_commit_replaced_can_be_restored() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), fast_store()).unwrap();
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
    let at = |rev, name: &str, side| text(store.text_at(rev, &path(name), side).unwrap());
    for (rev, before, after) in
        [(1, Some("one\n"), Some("two\n")), (2, Some("two\n"), Some("three\n")), (3, Some("three\n"), None)]
    {
        assert_eq!(at(rev, "facts/a.md", RevisionSide::Before).as_deref(), before, "before r{rev}");
        assert_eq!(at(rev, "facts/a.md", RevisionSide::After).as_deref(), after, "after r{rev}");
    }
    assert_eq!(at(1, "new/b.md", RevisionSide::Before), None);
    assert_eq!(at(2, "new/b.md", RevisionSide::After).as_deref(), Some("b\n"));
    assert_eq!(store.text_at(9, &path("facts/a.md"), RevisionSide::After).unwrap_err().code, Code::RevisionNotFound);
    let journal = store.journal().unwrap();
    assert_eq!(
        journal.iter().map(|e| (e.rev, e.outcome)).collect::<Vec<_>>(),
        [(1, EntryOutcome::Done), (2, EntryOutcome::Done), (3, EntryOutcome::Done)]
    );
    assert_eq!(store.recent_entries().unwrap(), journal);
}

#[test]
fn a_plan_that_is_out_of_date_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), fast_store()).unwrap();
    write(dir.path(), "facts/a.md", "one\n");
    let plan = vec![change(&store, "new.md", Some("n\n")), change(&store, "facts/a.md", Some("two\n"))];
    write(dir.path(), "facts/a.md", "a person's\n");
    let (lock, _) = store.lock().unwrap();
    assert_eq!(lock.commit(&set(plan), &header("t"), None), Err(CommitStopped::BaseChanged(vec![])));
    // Also when the plan kept no more of the text than its etag.
    let mut proof = change(&store, "facts/a.md", Some("two\n"));
    proof.before = Some(FileVersion { bytes: Arc::default(), ..FileVersion::new(b"one\n".to_vec(), 0o644) });
    assert_eq!(lock.commit(&set(vec![proof]), &header("t"), None), Err(CommitStopped::BaseChanged(vec![])));
    assert_eq!(on_disk(dir.path(), "facts/a.md").as_deref(), Some("a person's\n"));
    assert_eq!(on_disk(dir.path(), "new.md"), None);
    assert_eq!(store.journal().unwrap(), []);
}

#[test]
fn edits_rebuild_either_text_when_a_slot_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), fast_store()).unwrap();
    write(dir.path(), "a.md", "- a\n- b\n");
    let mut first = change(&store, "a.md", Some("- a\n- bee\n"));
    first.edits = Some(vec![edit_of(6, "b", "bee")]);
    commit(&store, vec![first]);
    let mut second = change(&store, "a.md", Some("- A\n- bee\n"));
    second.edits = Some(vec![edit_of(2, "a", "A")]);
    commit(&store, vec![second]);
    std::fs::remove_dir_all(dir.path().join(".memdir/undo")).unwrap();
    let at = |rev, side| text(store.text_at(rev, &path("a.md"), side).unwrap());
    assert_eq!(at(1, RevisionSide::Before).as_deref(), Some("- a\n- b\n"));
    assert_eq!(at(1, RevisionSide::After).as_deref(), Some("- a\n- bee\n"));
    write(dir.path(), "a.md", "something else\n");
    let lost = store.text_at(1, &path("a.md"), RevisionSide::Before).unwrap_err();
    assert_eq!(lost.code, Code::HistoryGone);
}

/// Two files change, one is made, one goes: every kind of step.
fn batch(dir: &Path) -> (Store, Vec<FileChange>) {
    let store = Store::open(dir, fast_store()).unwrap();
    write(dir, "facts/a.md", "a\n");
    write(dir, "facts/b.md", "b\n");
    write(dir, "facts/gone.md", "gone\n");
    let mut edited = change(&store, "facts/b.md", Some("bb\n"));
    edited.edits = Some(vec![edit_of(1, "", "b")]);
    let files = vec![
        change(&store, "facts/a.md", Some("aa\n")),
        edited,
        change(&store, "sub/new.md", Some("new\n")),
        change(&store, "facts/gone.md", None),
    ];
    (store, files)
}

const NAMES: [&str; 4] = ["facts/a.md", "facts/b.md", "sub/new.md", "facts/gone.md"];

fn all(dir: &Path) -> [Option<String>; 4] {
    NAMES.map(|name| on_disk(dir, name))
}

fn some(texts: [&str; 4]) -> [Option<String>; 4] {
    texts.map(|t| (!t.is_empty()).then(|| t.to_owned()))
}

fn old() -> [Option<String>; 4] {
    some(["a\n", "b\n", "", "gone\n"])
}

fn new() -> [Option<String>; 4] {
    some(["aa\n", "bb\n", "new\n", ""])
}

/// How many actions the whole batch takes.
fn actions() -> usize {
    let dir = tempfile::tempdir().unwrap();
    let (store, files) = batch(dir.path());
    let (lock, _) = store.lock().unwrap();
    let mut actions = 0;
    lock.commit_watched(&set(files), &header("t"), None, &mut |_| {
        actions += 1;
        true
    });
    assert_eq!(all(dir.path()), new());
    actions
}

#[test]
fn a_crash_at_any_step_leaves_all_or_nothing_also_when_the_recovery_crashes() {
    let steps = actions();
    assert!(steps > 12, "{steps}");
    let mut outcomes = std::collections::BTreeSet::new();
    for crash in 0..steps {
        for again in 0..24 {
            let dir = tempfile::tempdir().unwrap();
            let (store, files) = batch(dir.path());
            let (lock, _) = store.lock().unwrap();
            let stopped = lock.commit_watched(&set(files), &header("t"), None, &mut |n| n < crash);
            assert_eq!(stopped, None);
            drop(lock);
            // Applied to every file, it may have been acknowledged.
            let expected = if all(dir.path()) == new() { new() } else { old() };
            let read = || store.consistent(|| NAMES.map(|n| text(store.read(&path(n)).unwrap()))).unwrap();
            // A program that another test starts holds our lock until it runs: to a reader its writer is at work.
            let seen = (0..50).map(|_| read()).find(|seen| *seen == expected).unwrap_or_else(read);
            assert_eq!(seen, expected, "a reader after a crash at {crash}");
            let (lock, _, finished) = store.lock_watched(&mut |n| n < again).unwrap();
            drop(lock);
            let (lock, _) = store.lock().unwrap();
            let now = all(dir.path());
            assert!(now == old() || now == new(), "crash at {crash}, again at {again}: {now:?}");
            let last = store.journal().unwrap().last().map(|e| e.outcome);
            let stands = (now == new()).then_some(EntryOutcome::Done);
            assert_eq!(last.filter(|o| *o == EntryOutcome::Done), stands);
            outcomes.insert(now == new());
            lock.commit(&set(vec![change(&store, "facts/a.md", Some("next\n"))]), &header("t"), None).unwrap();
            if finished {
                break;
            }
        }
    }
    assert_eq!(outcomes.len(), 2);
}

#[test]
fn a_recovery_without_slots_makes_them_again_from_the_edits() {
    for person in [false, true] {
        for crash in 0.. {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::open(dir.path(), fast_store()).unwrap();
            let edited = |name: &str| {
                write(dir.path(), name, "one\n");
                let mut file = change(&store, name, Some("one!\n"));
                file.edits = Some(vec![edit_of(3, "", "!")]);
                file
            };
            let files = vec![edited("a.md"), edited("b.md")];
            let (lock, _) = store.lock().unwrap();
            let stopped = lock.commit_watched(&set(files), &header("t"), None, &mut |n| n < crash);
            drop(lock);
            if stopped.is_some() {
                break;
            }
            for slot in ["1-0", "1-1"] {
                let _ = std::fs::remove_file(dir.path().join(".memdir/undo").join(slot));
            }
            if person {
                write(dir.path(), "b.md", "a person's\n");
            }
            drop(store.lock().unwrap());
            let now = ["a.md", "b.md"].map(|name| on_disk(dir.path(), name).unwrap());
            let stands = store.journal().unwrap().last().is_some_and(|e| e.outcome == EntryOutcome::Done);
            let a = if stands { "one!\n" } else { "one\n" };
            assert_eq!(now, [a, if person { "a person's\n" } else { a }], "crash at {crash}");
        }
    }
}

#[test]
fn a_crash_inside_a_swap_by_renames_leaves_one_name_for_each_text() {
    for done in 0..=3 {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let store = Store::open(dir.path(), StoreOptions { allow_exchange: false, ..fast_store() }).unwrap();
        write(dir.path(), "a.md", "one\n");
        let files = vec![change(&store, "a.md", Some("two\n"))];
        let (lock, _) = store.lock().unwrap();
        lock.commit_watched(&set(files), &header("t"), None, &mut |_| {
            on_disk(dir.path(), ".memdir/journal").is_none_or(|text| text.is_empty())
        });
        drop(lock);
        if done > 0 {
            std::fs::rename(at("a.md"), at(".memdir/undo/1-0.old")).unwrap();
        }
        // Without a rename that replaces nothing, the second one takes two steps.
        if done > 1 {
            std::fs::hard_link(at(".memdir/undo/1-0"), at("a.md")).unwrap();
        }
        if done > 2 {
            std::fs::remove_file(at(".memdir/undo/1-0")).unwrap();
        }
        let seen = store.consistent(|| text(store.read(&path("a.md")).unwrap())).unwrap();
        assert_eq!(seen.as_deref(), Some(if done > 2 { "two\n" } else { "one\n" }), "{done}");
        let (_lock, warnings) = store.lock().unwrap();
        assert_eq!(warnings.iter().map(|w| w.code).collect::<Vec<_>>(), [Code::Recovered]);
        assert_eq!(text(store.read(&path("a.md")).unwrap()).as_deref(), Some("two\n"));
        assert_eq!(text(store.text_at(1, &path("a.md"), RevisionSide::Before).unwrap()).as_deref(), Some("one\n"));
        assert!(!at(".memdir/undo/1-0.old").exists());
    }
}

/// Where a rename cannot refuse to replace, a move is a link and an unlink.
#[test]
fn a_crash_inside_a_move_by_links_leaves_one_name_for_each_text() {
    for (before, after) in [(None, Some("new\n")), (Some("old\n"), None)] {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let store = Store::open(dir.path(), fast_store()).unwrap();
        before.inspect(|text| write(dir.path(), "a.md", text));
        let files = vec![change(&store, "a.md", after)];
        let (lock, _) = store.lock().unwrap();
        lock.commit_watched(&set(files), &header("t"), None, &mut |_| {
            on_disk(dir.path(), ".memdir/journal").is_none_or(|text| text.is_empty())
        });
        drop(lock);
        let [from, to] = match before {
            None => [".memdir/undo/1-0", "a.md"],
            Some(_) => ["a.md", ".memdir/undo/1-0"],
        };
        std::fs::hard_link(at(from), at(to)).unwrap();
        assert_eq!(text(store.read(&path("a.md")).unwrap()).as_deref(), before.or(after));
        let (_lock, warnings) = store.lock().unwrap();
        assert_eq!(
            warnings.iter().map(|w| w.message.as_str()).collect::<Vec<_>>(),
            ["the interrupted r1 was finished"]
        );
        assert_eq!(text(store.read(&path("a.md")).unwrap()).as_deref(), after);
        let [was, now] = [RevisionSide::Before, RevisionSide::After].map(|side| store.text_at(1, &path("a.md"), side));
        assert_eq!((text(was.unwrap()).as_deref(), text(now.unwrap()).as_deref()), (before, after));
    }
}

#[test]
fn a_batch_that_is_half_written_is_not_seen_by_readers_of_several_files() {
    for crash in 0..actions() {
        let dir = tempfile::tempdir().unwrap();
        let (store, files) = batch(dir.path());
        let (lock, _) = store.lock().unwrap();
        lock.commit_watched(&set(files), &header("t"), None, &mut |n| n < crash);
        let (names, texts) = store
            .consistent(|| {
                let found = store.walk(None).unwrap();
                let texts = store.map_files(&found, 100, &|f, read| (f.size, read.unwrap().0.len() as u64));
                (found.iter().map(|f| f.path.to_string()).collect::<Vec<_>>(), texts)
            })
            .unwrap();
        assert_eq!(names, ["facts/a.md", "facts/b.md", "facts/gone.md"], "{crash}");
        assert_eq!(texts, [(2, 2), (2, 2), (5, 5)], "{crash}");
    }
}

/// What a person does to a file.
#[derive(Clone, Copy, Debug)]
enum Edit {
    InPlace,
    Rename,
    Delete,
}

fn edit(dir: &Path, name: &str, how: Edit, text: &str) -> bool {
    let file = dir.join(name);
    match how {
        Edit::InPlace => file.exists() && std::fs::write(&file, text).is_ok(),
        Edit::Rename => {
            std::fs::write(dir.join("saved~"), text).unwrap();
            std::fs::rename(dir.join("saved~"), &file).is_ok()
        }
        Edit::Delete => {
            let _ = std::fs::remove_file(&file);
            false
        }
    }
}

/// Everything a person can find: the files themselves and the inbox.
fn findable(dir: &Path) -> Vec<String> {
    let inbox = std::fs::read_dir(dir.join("inbox")).into_iter().flatten();
    let rescued = inbox.map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap());
    all(dir).into_iter().flatten().chain(rescued).collect()
}

#[test]
fn a_person_who_saves_at_any_step_loses_nothing() {
    let steps = actions();
    for step in 0..steps {
        for (name, how) in NAMES.iter().flat_map(|n| [Edit::InPlace, Edit::Rename, Edit::Delete].map(|how| (n, how))) {
            let dir = tempfile::tempdir().unwrap();
            let (store, files) = batch(dir.path());
            let (lock, _) = store.lock().unwrap();
            let mut saved = false;
            let answer = lock.commit_watched(&set(files), &header("t"), None, &mut |n| {
                if n == step {
                    saved = edit(dir.path(), name, how, "a person's\n");
                }
                true
            });
            let texts = findable(dir.path());
            let context = format!("{how:?} of {name} at {step}: {answer:?} {texts:?}");
            assert!(!saved || texts.contains(&"a person's\n".to_owned()), "{context}");
            let others = NAMES.iter().zip(all(dir.path())).zip(old().into_iter().zip(new()));
            let stands = matches!(answer, Some(Ok(_)));
            for ((other, now), (old, new)) in others.filter(|((other, _), _)| other != &name) {
                assert_eq!(now, if stands { new } else { old }, "{other} after {context}");
            }
            assert!(stands || matches!(answer, Some(Err(CommitStopped::BaseChanged(_)))), "{context}");
            assert!(stands || !dir.path().join("sub").exists() || all(dir.path())[2].is_some(), "{context}");
        }
    }
}

/// A batch that meets two saves of `a.md`; its warnings.
fn meet_two_saves(dir: &Path, store: &Store) -> Vec<Code> {
    write(dir, "a.md", "a\n");
    write(dir, "b.md", "b\n");
    let files = vec![change(store, "a.md", Some("aa\n")), change(store, "b.md", Some("bb\n"))];
    let (lock, _) = store.lock().unwrap();
    let count = std::cell::Cell::new(0);
    let answer = lock.commit_watched(&set(files), &header("t"), None, &mut |n| {
        // Before the first swap one text is saved, and right after it another.
        if count.get() == 0 && on_disk(dir, ".memdir/journal").is_some() {
            count.set(n);
            edit(dir, "a.md", Edit::Rename, "first\n");
        } else if n == count.get() + 1 && count.get() > 0 {
            edit(dir, "a.md", Edit::Rename, "second\n");
        }
        true
    });
    let Some(Err(CommitStopped::BaseChanged(warnings))) = answer else { panic!("{answer:?}") };
    assert_eq!(on_disk(dir, "a.md").as_deref(), Some("second\n"));
    assert_eq!(on_disk(dir, "b.md").as_deref(), Some("b\n"));
    warnings.iter().map(|w| w.code).collect()
}

#[test]
fn a_displaced_text_that_cannot_be_restored_is_kept_in_the_inbox_and_reported_twice() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), fast_store()).unwrap();
    assert_eq!(meet_two_saves(dir.path(), &store), [Code::Rescued]);
    assert_eq!(on_disk(dir.path(), "inbox/rescued-r1-0.md").as_deref(), Some("first\n"));
    let (_lock, warnings) = store.lock().unwrap();
    assert_eq!(warnings.iter().map(|w| w.code).collect::<Vec<_>>(), [Code::Rescued]);
}

#[test]
fn a_displaced_text_is_kept_in_the_archive_if_the_inbox_is_a_link() {
    let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::open(dir.path(), fast_store()).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("inbox")).unwrap();
    assert_eq!(meet_two_saves(dir.path(), &store), [Code::Rescued]);
    assert_eq!(on_disk(dir.path(), "archive/rescued-r1-0.md").as_deref(), Some("first\n"));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    drop(store.lock().unwrap());
}

#[test]
fn torn_and_spoilt_lines_name_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), fast_store()).unwrap();
    commit(&store, vec![change(&store, "a.md", Some("1\n"))]);
    commit(&store, vec![change(&store, "a.md", Some("2\n"))]);
    let journal = dir.path().join(".memdir/journal");
    let whole = std::fs::read(&journal).unwrap();
    let first_line = whole.iter().position(|&b| b == b'\n').unwrap() + 1;
    for cut in first_line + 64..whole.len() {
        std::fs::write(&journal, &whole[..cut]).unwrap();
        let known = store.journal().unwrap();
        assert!((1..=2).contains(&known.len()), "{cut}");
        std::fs::write(dir.path().join("a.md"), "x\n").unwrap();
        let (lock, _) = store.lock().unwrap();
        let rev = lock.commit(&set(vec![change(&store, "a.md", Some("y\n"))]), &header("t"), None).unwrap().rev;
        assert_eq!(rev, known.len() as u64 + 1, "{cut}");
        let entries = store.journal().unwrap();
        assert_eq!(entries.len(), known.len() + 1, "{cut}");
        assert!(entries.iter().all(|e| e.outcome != EntryOutcome::Pending), "{cut}: {entries:?}");
    }
    let mut spoilt = whole.clone();
    spoilt[20] ^= 1;
    std::fs::write(&journal, &spoilt).unwrap();
    assert_eq!(store.journal().unwrap().iter().map(|e| e.rev).collect::<Vec<_>>(), [2]);
}

const WORKER: &str = "MEMDIR_TEST_STORE_WORKER";

/// Appends 50 lines to one file, planning again whenever it moved. A child process of the test below.
fn worker(job: String) {
    let (number, dir) = job.split_once(' ').unwrap();
    let store = Store::open(Path::new(dir), fast_store()).unwrap();
    for line in 0..50 {
        let (lock, warnings) = store.lock().unwrap();
        assert_eq!(warnings, []);
        loop {
            let now = text(store.read(&path("facts/a.md")).unwrap()).unwrap();
            let mut next = change(&store, "facts/a.md", Some(&format!("{now}- {number}.{line}\n")));
            next.edits = Some(vec![edit_of(now.len(), "", &format!("- {number}.{line}\n"))]);
            match lock.commit(&set(vec![next]), &header(number), None) {
                Ok(_) => break,
                Err(CommitStopped::BaseChanged(_)) => {}
                Err(CommitStopped::Rejected(rejection)) => panic!("{rejection}"),
            }
        }
    }
}

#[test]
fn eight_processes_lose_no_line() {
    if let Ok(job) = std::env::var(WORKER) {
        return worker(job);
    }
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "facts/a.md", "");
    let spawn = |number: usize| {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["store::eight_processes_lose_no_line", "--exact"])
            .env(WORKER, format!("{number} {}", dir.path().display()))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..8).map(spawn).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let text = on_disk(dir.path(), "facts/a.md").unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 400);
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 400);
    let store = Store::open(dir.path(), fast_store()).unwrap();
    let journal = store.journal().unwrap();
    assert_eq!(journal.iter().map(|e| e.rev).collect::<Vec<_>>(), (1..=400).collect::<Vec<_>>());
    let first = store.text_at(1, &path("facts/a.md"), RevisionSide::Before).unwrap().unwrap();
    assert_eq!(*first.bytes, b"");
}

#[test]
fn a_file_that_is_being_written_is_waited_for_and_then_busy() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), fast_store()).unwrap();
    write(dir.path(), "a.md", "a\n");
    let plan = vec![change(&store, "a.md", Some("aa\n"))];
    let editor = std::fs::OpenOptions::new().write(true).open(dir.path().join("a.md")).unwrap();
    let (lock, _) = store.lock().unwrap();
    let Err(CommitStopped::Rejected(busy)) = lock.commit(&set(plan.clone()), &header("t"), None) else { panic!() };
    assert_eq!((busy.code, busy.changed), (Code::Busy, Some(false)));
    drop(editor);
    assert!(lock.commit(&set(plan), &header("t"), None).is_ok());
}

#[test]
fn modes_and_file_systems_without_atomic_exchange_are_supported() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), StoreOptions { allow_exchange: false, ..fast_store() }).unwrap();
    write(dir.path(), "a.md", "a\n");
    std::fs::set_permissions(dir.path().join("a.md"), PermissionsExt::from_mode(0o640)).unwrap();
    commit(&store, vec![change(&store, "a.md", Some("aa\n"))]);
    let mut chmod = change(&store, "a.md", Some("aa\n"));
    chmod.mode = Some(0o600);
    commit(&store, vec![chmod]);
    let mode = |name: &str| std::fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode("a.md"), 0o600);
    assert_eq!(store.text_at(1, &path("a.md"), RevisionSide::Before).unwrap().unwrap().mode, 0o640);
    assert_eq!(store.text_at(2, &path("a.md"), RevisionSide::Before).unwrap().unwrap().mode, 0o640);
    assert_eq!(store.text_at(2, &path("a.md"), RevisionSide::After).unwrap().unwrap().mode, 0o600);
    assert_eq!((mode(".memdir"), mode(".memdir/undo"), mode(".memdir/journal")), (0o700, 0o700, 0o600));
}

#[test]
fn a_forgotten_text_is_nowhere_in_the_machine_state() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), fast_store()).unwrap();
    commit(&store, vec![change(&store, "a.md", Some("secret\n")), change(&store, "b.md", Some("kept\n"))]);
    let mut second = change(&store, "a.md", Some("secret2\n"));
    second.edits = Some(vec![edit_of(6, "", "2")]);
    commit(&store, vec![second, change(&store, "b.md", Some("kept2\n"))]);
    let (lock, _) = store.lock().unwrap();
    let mut last = set(vec![change(&store, "a.md", None)]);
    last.forget = true;
    last.operations = vec![serde_json::json!({"op": "rm", "text": "secret2"})];
    lock.commit(&last, &header("t"), None).unwrap();
    lock.forget(&[path("a.md")], &[]).unwrap();
    let next = lock.commit(&set(vec![change(&store, "b.md", Some("kept3\n"))]), &header("t"), None).unwrap();
    assert_eq!(next.rev, 4);
    for file in walkdir::WalkDir::new(dir.path()).into_iter().flatten().filter(|e| e.file_type().is_file()) {
        assert!(!std::fs::read_to_string(file.path()).unwrap().contains("secret"), "{:?}", file.path());
    }
    assert_eq!(store.journal().unwrap().iter().map(|e| e.forgotten).collect::<Vec<_>>(), [true, true, true, false]);
    assert_eq!(store.text_at(1, &path("a.md"), RevisionSide::After).unwrap_err().code, Code::HistoryGone);
    assert_eq!(text(store.text_at(2, &path("b.md"), RevisionSide::Before).unwrap()).as_deref(), Some("kept\n"));
}

#[test]
fn a_replaced_data_dir_is_reopened() {
    let dir = tempfile::tempdir().unwrap();
    let (at, aside) = (dir.path().join("memory"), dir.path().join("aside"));
    write(&at, "a.md", "old\n");
    let store = Store::open(&at, fast_store()).unwrap();
    std::fs::rename(&at, &aside).unwrap();
    write(&at, "a.md", "new\n");
    let (lock, _) = store.lock().unwrap();
    let now = change(&store, "a.md", Some("newer\n"));
    assert_eq!(text(now.before.clone()).as_deref(), Some("new\n"));
    lock.commit(&set(vec![now]), &header("t"), None).unwrap();
    assert_eq!((on_disk(&at, "a.md").as_deref(), on_disk(&aside, "a.md").as_deref()), (Some("newer\n"), Some("old\n")));
}
