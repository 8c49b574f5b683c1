//! What the store must never touch: links, FIFOs, directories in a file's place, anything outside the data directory.
//!
//! Runs without privileges only: as root it starts itself again as user `nobody`, or reports that it did nothing.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memdir::change::{Changeset, EntryHeader, FileChange, FileVersion};
use memdir::code::Code;
use memdir::path::MemoryPath;
use memdir::store::{CommitStopped, Store};

use crate::support::test_dir::passed_as_nobody;
use crate::support::{Memory, fast_store};

fn path(name: &str) -> MemoryPath {
    MemoryPath::new(name).unwrap()
}

fn open(dir: &Path) -> Store {
    Store::open(dir, fast_store()).unwrap()
}

fn commit(store: &Store, name: &str, before: Option<&str>, after: Option<&str>) -> Result<u64, CommitStopped> {
    let file = FileChange {
        path: path(name),
        before: before.map(|text| FileVersion::new(text.into(), 0o644)),
        after: after.map(|text| Arc::new(text.into())),
        mode: None,
        edits: None,
        moved: None,
        summary: None,
    };
    let header = EntryHeader {
        at: "2026-11-20T10:00:00Z".into(),
        actor: "t".into(),
        reason: None,
        source: None,
        consent: None,
        request: None,
        request_digest: None,
    };
    let (lock, _) = store.lock().map_err(CommitStopped::Rejected)?;
    let changeset = Changeset { files: vec![file], ..Changeset::default() };
    lock.commit(&changeset, &header, None).map(|done| done.rev)
}

fn code(answer: Result<u64, CommitStopped>) -> Option<Code> {
    match answer {
        Err(CommitStopped::Rejected(rejection)) => {
            assert_eq!(rejection.changed, Some(false));
            Some(rejection.code)
        }
        _ => None,
    }
}

/// A data directory with one of everything that is no plain file, and what lies outside.
fn trap(dir: &Path) -> (PathBuf, PathBuf) {
    let (inside, outside) = (dir.join("memory"), dir.join("outside"));
    for folder in [inside.join("facts"), inside.join("dir.md"), outside.clone()] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(outside.join("target.md"), "outside\n").unwrap();
    std::fs::write(inside.join("plain.md"), "plain\n").unwrap();
    symlink(outside.join("target.md"), inside.join("link.md")).unwrap();
    symlink("plain.md", inside.join("near.md")).unwrap();
    symlink(&outside, inside.join("door")).unwrap();
    std::fs::hard_link(outside.join("target.md"), inside.join("hard.md")).unwrap();
    let fifo = std::fs::File::open(&inside).unwrap();
    rustix::fs::mkfifoat(&fifo, "fifo.md", rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    (inside, outside)
}

const TRAPS: [&str; 6] = ["dir.md", "fifo.md", "hard.md", "link.md", "near.md", "door/target.md"];

fn outside_is_untouched(outside: &Path) {
    let names: Vec<_> = std::fs::read_dir(outside).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["target.md"]);
    assert_eq!(std::fs::read_to_string(outside.join("target.md")).unwrap(), "outside\n");
}

#[test]
fn only_plain_files_are_read_listed_and_written() {
    if passed_as_nobody() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (inside, outside) = trap(dir.path());
    let store = open(&inside);
    for name in TRAPS {
        let refused = store.read(&path(name)).unwrap_err();
        assert_eq!(refused.code, Code::UnsafeFile, "{name}: {refused}");
        for (before, after) in [(None, Some("x\n")), (Some("outside\n"), Some("x\n")), (Some("outside\n"), None)] {
            assert!(commit(&store, name, before, after).is_err(), "{name}");
        }
    }
    outside_is_untouched(&outside);
    let found = store.walk(None).unwrap();
    let refused: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.unsafe_reason.is_some())).collect();
    let expected = [("fifo.md", true), ("hard.md", false), ("link.md", true), ("near.md", true), ("plain.md", false)];
    assert_eq!(refused, expected);
    let read =
        store.map_files(&found, 4, &|f, read| (f.size, read.map(|(b, whole)| (b.to_vec(), whole)).map_err(|r| r.code)));
    assert_eq!(read[4], (6, Ok((b"plai".to_vec(), false))));
    assert!(read[..4].iter().all(|(_, r)| *r == Err(Code::UnsafeFile)), "{read:?}");
    assert_eq!(store.walk(Some("door")).unwrap_err().code, Code::UnsafeFile);
}

#[test]
fn machine_state_behind_a_link_is_refused() {
    if passed_as_nobody() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (inside, outside) = trap(dir.path());
    symlink(&outside, inside.join(".memdir")).unwrap();
    let store = open(&inside);
    assert_eq!(store.journal().unwrap_err().code, Code::UnsafeFile);
    assert_eq!(code(commit(&store, "new.md", None, Some("x\n"))), Some(Code::UnsafeFile));
    outside_is_untouched(&outside);
    std::fs::remove_file(inside.join(".memdir")).unwrap();
    std::fs::create_dir(inside.join(".memdir")).unwrap();
    symlink(outside.join("target.md"), inside.join(".memdir/journal")).unwrap();
    let store = open(&inside);
    assert_eq!(code(commit(&store, "new.md", None, Some("x\n"))), Some(Code::UnsafeFile));
    outside_is_untouched(&outside);
    assert!(!inside.join("new.md").exists());
}

#[test]
fn a_folder_that_becomes_a_link_between_plan_and_swap_leads_nowhere() {
    if passed_as_nobody() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for step in 0..12 {
        let dir = tempfile::tempdir_in(dir.path()).unwrap();
        let (inside, outside) = trap(dir.path());
        std::fs::write(inside.join("facts/target.md"), "outside\n").unwrap();
        let store = open(&inside);
        let before = store.read(&path("facts/target.md")).unwrap();
        let file = FileChange {
            path: path("facts/target.md"),
            before,
            after: Some(Arc::new(b"x\n".to_vec())),
            mode: None,
            edits: None,
            moved: None,
            summary: None,
        };
        let header = EntryHeader {
            at: "2026-11-20T10:00:00Z".into(),
            actor: "t".into(),
            reason: None,
            source: None,
            consent: None,
            request: None,
            request_digest: None,
        };
        let (lock, _) = store.lock().unwrap();
        let changeset = Changeset { files: vec![file], ..Changeset::default() };
        lock.commit_watched(&changeset, &header, None, &mut |n| {
            if n == step {
                std::fs::rename(inside.join("facts"), inside.join("aside")).unwrap();
                symlink(&outside, inside.join("facts")).unwrap();
            }
            true
        });
        outside_is_untouched(&outside);
    }
}

#[test]
fn a_read_only_data_dir_can_be_read() {
    if passed_as_nobody() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("memory");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(inside.join("a.md"), "a\n").unwrap();
    std::fs::write(inside.join("closed.md"), "c\n").unwrap();
    std::fs::set_permissions(inside.join("a.md"), PermissionsExt::from_mode(0o644)).unwrap();
    std::fs::set_permissions(inside.join("closed.md"), PermissionsExt::from_mode(0o000)).unwrap();
    std::fs::set_permissions(&inside, PermissionsExt::from_mode(0o555)).unwrap();
    let store = open(&inside);
    assert_eq!(*store.read(&path("a.md")).unwrap().unwrap().bytes, b"a\n");
    assert_eq!(store.consistent(|| store.walk(None).unwrap().len()).unwrap(), 2);
    assert_eq!(store.read(&path("closed.md")).unwrap_err().code, Code::Io);
    assert_eq!(code(commit(&store, "a.md", Some("a\n"), Some("b\n"))), Some(Code::ReadOnly));
    assert_eq!(store.journal().unwrap(), []);
    std::fs::set_permissions(&inside, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(commit(&store, "a.md", Some("a\n"), Some("b\n")), Ok(1));
}

#[test]
fn a_file_made_unreadable_or_replaced_by_a_folder_at_any_step_is_restored() {
    if passed_as_nobody() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (step, folder) in (0..12).flat_map(|step| [(step, true), (step, false)]) {
        let dir = tempfile::tempdir_in(dir.path()).unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a.md"), "a\n").unwrap();
        let store = open(dir.path());
        let file = FileChange {
            path: path("a.md"),
            before: store.read(&path("a.md")).unwrap(),
            after: Some(Arc::new(b"aa\n".to_vec())),
            mode: None,
            edits: None,
            moved: None,
            summary: None,
        };
        let header = EntryHeader {
            at: "2026-11-20T10:00:00Z".into(),
            actor: "t".into(),
            reason: None,
            source: None,
            consent: None,
            request: None,
            request_digest: None,
        };
        let (lock, _) = store.lock().unwrap();
        let changeset = Changeset { files: vec![file], ..Changeset::default() };
        let mut reached = false;
        lock.commit_watched(&changeset, &header, None, &mut |n| {
            if n == step && folder {
                std::fs::remove_file(at("a.md")).unwrap();
                std::fs::create_dir(at("a.md")).unwrap();
            } else if n == step {
                std::fs::write(at("closed"), "closed\n").unwrap();
                std::fs::set_permissions(at("closed"), PermissionsExt::from_mode(0o000)).unwrap();
                std::fs::rename(at("closed"), at("a.md")).unwrap();
            }
            reached |= n == step;
            true
        });
        drop(lock);
        let now = std::fs::metadata(at("a.md")).unwrap();
        assert!(!reached || now.is_dir() == folder && (folder || now.permissions().mode() & 0o777 == 0), "{step}");
        assert_eq!(store.lock().map(|(_, warnings)| warnings), Ok(vec![]), "{step}");
    }
}

#[test]
fn a_linked_folder_is_named_as_left_out() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Likes rain\n");
    let outside = memory.dir().parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("n.md"), "- Secret rain\n").unwrap();
    symlink(&outside, memory.dir().join("facts/ext.1")).unwrap();
    // A link to a file that is no note is none of its business.
    symlink(outside.join("n.md"), memory.dir().join("facts/n.txt")).unwrap();
    symlink(outside.join("n.md"), memory.dir().join("Makefile")).unwrap();
    let reason = "'facts/ext.1' is a symbolic link";
    memory.done(["list"]).stdout_contains("facts/ext.1 (refused: is a symbolic link)");
    memory.done(["query", "rain"]).stderr_contains(reason);
    memory.done(["context"]).stdout_contains(reason);
    let checked = memory.run(["check"]).may_change().exit(6).unchanged();
    checked.stdout_contains("facts/ext.1: error: unsafe_file: is not opened: is a symbolic link");
    for words in [&["list"][..], &["query", "rain"], &["context"], &["list", "--json"]] {
        let ran = memory.done(words);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!said.contains("Secret") && !said.contains("n.txt") && !said.contains("Makefile"), "{ran}");
    }
}
