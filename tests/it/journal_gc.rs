//! Reaping: old history goes by age, count, bytes and entries, in bulk, and never what the last 100 revisions need.
//!
//! Looks from outside: the history is made by hand, the real program takes it away.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::ProgramOutput;
use crate::support::memory::{DataDirectory, full_or_skipped};

/// The revision whose command looks for what is too old.
const DUE: u64 = 511;
/// The oldest that is spared then: the last 100, and the next one.
const SPARED: u64 = DUE + 1 - 100;

/// A line of a journal, closed by its checksum.
fn line(text: &str) -> String {
    format!("{text},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(text.as_bytes()))
}

/// A memory whose journal contains so many revisions.
fn memory(revisions: u64) -> DataDirectory {
    let memory = DataDirectory::new(&[("facts/user.md", "# User\n\n- Lives in Austin\n")]);
    memory.done(&["add", "user", "Keeps bees"]);
    let mut journal = memory.text(".memdir/journal");
    let hash = "0".repeat(64);
    for rev in 2..=revisions {
        let files = format!("[{{\"path\":\"facts/old.md\",\"after\":\"{hash}\",\"mode\":384,\"inode\":1}}]");
        let intent =
            format!("{{\"v\":1,\"rev\":{rev},\"at\":\"2026-01-01T00:00:00Z\",\"actor\":\"t\",\"files\":{files}");
        let end = format!("{{\"v\":1,\"end\":{rev},\"as\":\"done\"");
        write!(journal, "{}{}", line(&intent), line(&format!("{end:<45}"))).unwrap();
    }
    memory.write(".memdir/journal", &journal);
    memory
}

/// Makes slots, by name and bytes (holes, for most).
fn slots(memory: &DataDirectory, slots: impl IntoIterator<Item = (u64, usize, u64)>) {
    for (rev, file, bytes) in slots {
        File::create(memory.path(&format!(".memdir/undo/{rev}-{file}"))).unwrap().set_len(bytes).unwrap();
    }
}

/// The slots that are there.
fn left(memory: &DataDirectory) -> BTreeSet<(u64, usize)> {
    let names = std::fs::read_dir(memory.path(".memdir/undo")).unwrap().map(|e| e.unwrap().file_name());
    let parse = |name: &str| name.split_once('-').map(|(rev, file)| (rev.parse().unwrap(), file.parse().unwrap()));
    names.map(|name| parse(name.to_str().unwrap()).unwrap()).collect()
}

/// Adds until the expected revision, the last one at this time.
fn until_due(memory: &DataDirectory, first: u64, due: u64, now: &str) {
    for rev in first..=due {
        let text = format!("Number {rev}.");
        let mut command = memory.command(&["add", "user", &text]);
        let result =
            ProgramOutput::of(command.env("MEMDIR_NOW", if rev == due { now } else { "2026-02-24T10:00:00Z" }));
        assert!(result.status == 0 && result.stdout.contains(&format!("r{rev}")), "{result:?}");
    }
}

/// The last revisions come back byte for byte, one after the other.
fn undone(memory: &DataDirectory, revisions: std::ops::RangeInclusive<u64>) {
    for rev in revisions.rev() {
        assert!(memory.text("facts/user.md").contains(&format!("- Number {rev}.\n")));
        memory.done(&["undo"]);
        assert!(!memory.text("facts/user.md").contains(&format!("- Number {rev}.\n")));
    }
}

#[test]
fn history_over_the_age_limit_is_removed_and_the_last_hundred_revisions_stay() {
    let memory = memory(DUE - 7);
    slots(&memory, (2..=DUE - 7).map(|rev| (rev, 0, 10)));
    let before = left(&memory);
    until_due(&memory, DUE - 6, DUE, "2026-02-24T10:00:00Z");
    assert!(left(&memory).is_superset(&before), "nothing is ninety days old");
    let memory = self::memory(DUE - 7);
    slots(&memory, (2..=DUE - 7).map(|rev| (rev, 0, 10)));
    until_due(&memory, DUE - 6, DUE, "2040-01-01");
    assert_eq!(left(&memory), (SPARED..=DUE).map(|rev| (rev, 0)).collect());
    undone(&memory, DUE - 6..=DUE);
    assert_eq!(memory.run(&["status"]).status, 0);
    assert_eq!(memory.run(&["log"]).status, 0);
}

#[test]
fn history_over_the_count_limit_is_removed_and_the_last_hundred_revisions_stay() {
    let memory = memory(DUE - 7);
    slots(&memory, (0..10_050).map(|file| (5, file, 1)));
    slots(&memory, (400..=DUE - 7).map(|rev| (rev, 0, 10)));
    until_due(&memory, DUE - 6, DUE, "2026-02-24");
    let left = left(&memory);
    assert_eq!(left.len(), 10_000);
    assert!((400..=DUE).all(|rev| left.contains(&(rev, 0))), "the oldest go first");
    undone(&memory, DUE - 6..=DUE);
}

#[test]
fn history_over_the_size_limit_is_removed_and_the_last_hundred_revisions_stay() {
    const LARGE: u64 = 300 << 20;
    for (rev, kept) in [(5, vec![410, 420]), (SPARED + 8, vec![SPARED + 8])] {
        let memory = memory(DUE - 7);
        slots(&memory, [(2, 0, 10), (410, 0, 10), (420, 0, 10), (rev, 0, LARGE)]);
        until_due(&memory, DUE - 6, DUE, "2026-02-24");
        let kept: BTreeSet<u64> = kept.into_iter().chain(DUE - 6..=DUE).collect();
        assert_eq!(left(&memory).into_iter().map(|(rev, _)| rev).collect::<BTreeSet<_>>(), kept);
        undone(&memory, DUE - 6..=DUE);
    }
}

#[test]
fn a_journal_that_is_too_long_loses_its_oldest_entries() {
    if !full_or_skipped("journals of 100,000 entries") {
        return;
    }
    // An eighth more than 100,000 entries may stand; the rest is copied only once that is exceeded.
    for (due, left) in [(512 * 219 - 1, 512 * 219 - 1), (512 * 220 - 1, 100_000)] {
        let memory = memory(due - 2);
        until_due(&memory, due - 1, due, "2026-02-24");
        let entries = memory.session("t").store.journal().unwrap();
        assert_eq!((entries.len() as u64, entries[0].rev, entries.last().unwrap().rev), (left, due + 1 - left, due));
        undone(&memory, due - 1..=due);
    }
}

#[test]
fn garbage_collection_between_any_two_changes_removes_nothing_that_a_command_needs() {
    let memory = memory(400);
    slots(&memory, (2..=400).map(|rev| (rev, 0, 10)));
    let (stop, mut gone) = (AtomicBool::new(false), 0);
    let writer = |number: usize| {
        for k in 0..12 {
            let text = format!("Writer {number} says {k}.");
            let answer = memory.done(&["add", "user", &text, "--json"]);
            let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
            memory.done(&["undo", answer["rev"].as_str().unwrap()]);
        }
    };
    std::thread::scope(|scope| {
        let reaper = scope.spawn(|| {
            let mut gone = 0;
            while !stop.load(Ordering::Relaxed) {
                let session = memory.session("reaper");
                let (locked, _) = session.store.lock().unwrap();
                gone += locked.gc(2_000_000_000).unwrap();
            }
            gone
        });
        let writers: Vec<_> = (0..3).map(|number| scope.spawn(move || writer(number))).collect();
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        stop.store(true, Ordering::Relaxed);
        gone = reaper.join().unwrap();
        assert!(ended.iter().all(Result::is_ok), "a command missed what was reaped");
    });
    assert!(gone > 300, "{gone}");
    assert!(!memory.text("facts/user.md").contains("says"));
    assert!(left(&memory).len() <= 101);
}
