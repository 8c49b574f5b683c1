//! Nothing is shown or answered before what it rests on is on the disk.
//!
//! Proves itself first: a run without syncs, and a run with any one of its syncs struck out, must be found wrong.

use super::aftermath::verdict;
use super::cases::{Case, Start, chosen};
use super::model::Disk;
use super::trace::{self, Call};
use super::watched;
use super::workspace::FaultWorkspace;

/// A run of a case: what it starts from, where it ran, and its calls.
pub struct Recorded {
    /// As it was before.
    pub before: FaultWorkspace,
    /// Where it ran.
    pub after: FaultWorkspace,
    /// What it did.
    pub calls: Vec<Call>,
}

impl Recorded {
    /// Runs it.
    pub fn of(case: &Case, env: &[(&str, &str)]) -> Recorded {
        let before = FaultWorkspace::before(case);
        let after = before.copy();
        let calls = trace::calls(&after, case, env);
        Recorded { before, after, calls }
    }

    /// What it did to the disk.
    pub fn disk(&self) -> Disk {
        Disk::of(self.before.path(), self.after.path(), &self.calls)
    }
}

#[test]
fn everything_is_synced_before_it_is_relied_on() {
    if !watched() {
        return;
    }
    let (mut tried, mut problems) = (0, Vec::new());
    for case in chosen() {
        let recorded = Recorded::of(case, &[]);
        let disk = recorded.disk();
        assert_eq!(disk.last().seen(), recorded.after.files(), "the model of {} is wrong", case.name);
        tried += recorded.calls.len();
        problems.extend(disk.disorder().into_iter().map(|w| format!("{}: {w}", case.name)));
    }
    verdict("calls in order", tried, &problems);
}

#[test]
fn a_missing_fsync_is_found() {
    if !watched() {
        return;
    }
    let case = super::errors::named("update");
    assert!(case.start == Start::Memory);
    for weak in ["fast", "atomic"] {
        let recorded = Recorded::of(case, &[("MEMDIR_DURABILITY", weak)]);
        assert!(!recorded.disk().disorder().is_empty(), "{weak} passes for full");
    }
    let mut recorded = Recorded::of(case, &[]);
    assert_eq!(recorded.disk().disorder(), Vec::<String>::new());
    let calls = recorded.calls.clone();
    let syncs: Vec<usize> = (0..calls.len()).filter(|&i| matches!(&*calls[i].name, "fsync" | "fdatasync")).collect();
    assert_eq!(syncs.len(), 3, "an ordinary update waits for the disk three times");
    for sync in syncs {
        recorded.calls = calls.clone();
        let struck = recorded.calls.remove(sync);
        assert!(!recorded.disk().disorder().is_empty(), "nobody misses {struck}");
    }
}
