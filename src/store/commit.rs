//! A new batch: what it may contain, and what its end means to the caller.
//!
//! Never touches a file itself: `run.rs` does, as `protocol.rs` says.

use std::sync::Arc;

use serde_json::Value;

use super::line::{Intent, IntentFile};
use super::protocol::{Machine, Verdict};
use super::run::{File, Known, Run, Watch};
use super::{Committed, Locked, Stopped, slot};
use crate::change::{Changeset, Etag, Header};
use crate::code::{Code, Rejection, Warning};

impl Locked<'_> {
    /// Commits as [`Locked::commit`] does, asking before each action; for tests of crashes and strangers.
    #[doc(hidden)]
    pub fn commit_watched(
        &self,
        changeset: &Changeset,
        header: &Header,
        answer: Option<Value>,
        watch: Watch<'_>,
    ) -> Option<Result<Committed, Stopped>> {
        let rev = self.next.get();
        if self.spent.get() {
            let told = "an earlier change is still open; lock again, which finishes or undoes it";
            return Some(Err(Stopped::Rejected(Rejection::new(Code::OutcomeUnknown, told))));
        }
        if changeset.files.is_empty() {
            return Some(Ok(Committed { rev: rev.saturating_sub(1), warnings: Vec::new() }));
        }
        if let Err(rejection) = writable(changeset) {
            return Some(Err(Stopped::Rejected(rejection)));
        }
        let mut journal = self.journal.borrow_mut();
        let mut intent = Intent::new(rev, changeset, header, answer);
        let files = changeset.files.iter().zip(&mut intent.files).enumerate();
        let files: Vec<File> =
            files.map(|(i, (change, entry))| plan_file(change, entry, rev, i, self.store.options.new_mode)).collect();
        let mut run = Run {
            root: &self.root,
            options: &self.store.options,
            journal: &mut journal,
            intent,
            files,
            recovering: false,
            warnings: Vec::new(),
            refused: None,
            begun: false,
            ended: false,
            orphans: false,
        };
        let machine = Machine::commit(run.files.iter().map(|f| f.kind).collect());
        self.spent.set(true);
        let (verdict, kept) = run.run(machine, watch)?;
        self.spent.set(verdict == Verdict::Unknown || run.begun && !run.ended);
        if !matches!(verdict, Verdict::Done | Verdict::NotDurable | Verdict::Unknown) {
            if run.begun && !self.root.is_current() {
                // Slots went with it: what was done could not be put back, and nothing is left to tell how far it came.
                self.spent.set(true);
                return Some(Err(Stopped::Rejected(vanished(rev))));
            }
            run.sweep(&kept);
        }
        let stands = matches!(verdict, Verdict::Done | Verdict::NotDurable);
        let refused = run.refused.take();
        if stands && run.ended {
            run.free_forgotten();
        } else if stands && run.intent.forgotten {
            let why = refused.as_ref().map_or(String::new(), |r| format!(" ({})", r.message));
            let told = format!("the text is gone from the memory, but not yet from r{rev}'s slots{why}");
            run.warnings.push(Warning::new(Code::Io, format!("{told}; the next change tries again")));
        }
        if run.begun {
            self.next.set(rev + 1);
        }
        Some(answer_of(verdict, rev, run.warnings, refused))
    }
}

fn plan_file(
    change: &crate::change::FileChange,
    entry: &mut IntentFile,
    rev: u64,
    number: usize,
    new_mode: u32,
) -> File {
    if change.before.is_none() {
        entry.mode = change.mode.unwrap_or(new_mode);
    }
    let after = |bytes: &Arc<Vec<u8>>| {
        let etag = entry.after().unwrap_or_else(|| Etag::of(bytes));
        Known::new(bytes.clone(), etag, entry.mode_after())
    };
    let base = change.before.as_ref().map(Known::of);
    let ours = change.after.as_ref().map(after);
    File::new(change.path.clone(), entry.kind(), slot::name(rev, number), base, ours)
}

/// What no commit may write, whatever planned it.
fn writable(changeset: &Changeset) -> Result<(), Rejection> {
    for (i, file) in changeset.files.iter().enumerate() {
        let path = &file.path;
        if let Some(why) = path.odd() {
            return Err(Rejection::new(Code::InvalidPath, format!("'{path}' cannot be written: {why}")));
        }
        if file.before.is_none() && file.after.is_none() || changeset.files[..i].iter().any(|f| f.path == *path) {
            return Err(Rejection::new(Code::Internal, format!("the plan for '{path}' makes no sense")));
        }
        if file.after.as_ref().is_some_and(|bytes| bytes.len() as u64 > super::root::LARGEST) {
            return Err(Rejection::new(Code::TooLarge, format!("'{path}' would be larger than 64 MiB")));
        }
    }
    Ok(())
}

fn vanished(rev: u64) -> Rejection {
    let told =
        format!("'.memdir/' was taken away in the middle of r{rev}; some of its files may be written, others not");
    let mut rejection = Rejection::new(Code::OutcomeUnknown, told).hint("look at the files, then run it again");
    rejection.changed = None;
    rejection
}

fn answer_of(
    verdict: Verdict,
    rev: u64,
    mut warnings: Vec<Warning>,
    refused: Option<Rejection>,
) -> Result<Committed, Stopped> {
    let why = refused.as_ref().map_or(String::new(), |r| format!(" ({})", r.message));
    match verdict {
        Verdict::Done | Verdict::NotDurable => {
            if verdict == Verdict::NotDurable {
                let told = format!("r{rev} stands, but a power cut may still undo it{why}");
                warnings.push(Warning::new(Code::NotDurable, told));
            }
            Ok(Committed { rev, warnings })
        }
        Verdict::Moved => Err(Stopped::Moved(warnings)),
        Verdict::Refused => Err(Stopped::Rejected(
            refused.unwrap_or_else(|| Rejection::new(Code::Io, "the change could not be written")),
        )),
        Verdict::Unknown => {
            let told = format!("the disk failed in the middle of r{rev}{why}; the next command finishes or undoes it");
            let mut rejection = Rejection::new(Code::OutcomeUnknown, told);
            rejection.changed = None;
            Err(Stopped::Rejected(rejection))
        }
    }
}
