//! Prepares a new batch, checks what it may write, and turns its outcome into the caller's result.
//!
//! Never touches a memory file itself: `executor.rs` does, in the order that `protocol.rs` decides.

use std::sync::Arc;

use serde_json::Value;

use super::executor::{ActionHook, CommitExecutor, CommitFile};
use super::expected_text::ExpectedText;
use super::protocol::{CommitOutcome, CommitStateMachine};
use super::record::{IntentFile, IntentRecord};
use super::{CommitStopped, Committed, LockedStore, slot};
use crate::change::{Changeset, EntryHeader, Etag};
use crate::code::{Code, Rejection, Warning};
use crate::document::{MAX_FILE_BYTES, MAX_FILE_SIZE};

impl LockedStore<'_> {
    /// Commits as [`LockedStore::commit`] does, calling `watch` before each action; for tests of crashes and of
    /// concurrent edits. `None` if `watch` stopped it.
    #[doc(hidden)]
    pub fn commit_watched(
        &self,
        changeset: &Changeset,
        header: &EntryHeader,
        answer: Option<Value>,
        watch: ActionHook<'_>,
    ) -> Option<Result<Committed, CommitStopped>> {
        let rev = self.next_revision.get();
        if self.poisoned.get() {
            let message = "the outcome of an earlier change is unknown; lock again to recover it";
            return Some(Err(CommitStopped::Rejected(Rejection::new(Code::OutcomeUnknown, message))));
        }
        if changeset.files.is_empty() {
            return Some(Ok(Committed { etags: Vec::new(), rev: rev.saturating_sub(1), warnings: Vec::new() }));
        }
        if let Err(rejection) = check_writable(changeset) {
            return Some(Err(CommitStopped::Rejected(rejection)));
        }
        let mut journal = self.journal.borrow_mut();
        let mut intent = IntentRecord::new(rev, changeset, header, answer);
        let files = changeset.files.iter().zip(&mut intent.files).enumerate();
        let files: Vec<CommitFile> = files
            .map(|(i, (change, entry))| plan_file(change, entry, rev, i, self.store.options.new_file_mode))
            .collect();
        let mut executor = CommitExecutor {
            root: &self.root,
            options: &self.store.options,
            journal: &mut journal,
            intent,
            files,
            recovering: false,
            warnings: Vec::new(),
            first_refusal: None,
            intent_written: false,
            end_written: false,
            found_orphans: false,
        };
        let machine = CommitStateMachine::commit(executor.kinds());
        self.poisoned.set(true);
        let (outcome, left_unchanged) = executor.run(machine, watch)?;
        self.poisoned.set(outcome == CommitOutcome::Unknown || executor.intent_written && !executor.end_written);
        if !matches!(outcome, CommitOutcome::Applied | CommitOutcome::AppliedNotDurable | CommitOutcome::Unknown) {
            if executor.intent_written && !self.root.is_current() {
                // The slots were removed with `.memdir/`: finished files cannot be restored, and nothing records which
                // ones were written.
                self.poisoned.set(true);
                return Some(Err(CommitStopped::Rejected(machine_dir_removed_error(rev))));
            }
            executor.clean_up(&left_unchanged);
        }
        let is_applied = matches!(outcome, CommitOutcome::Applied | CommitOutcome::AppliedNotDurable);
        let refused = executor.first_refusal.take();
        if is_applied && executor.end_written {
            executor.free_forgotten_slots();
        } else if is_applied && executor.intent.forgotten {
            let cause = refused.as_ref().map_or(String::new(), |r| format!(" ({})", r.message));
            let message =
                format!("the text is removed from the memory, but not yet from the undo slots of r{rev}{cause}");
            executor.warnings.push(Warning::new(Code::Io, format!("{message}; the next change retries")));
        }
        if executor.intent_written {
            self.next_revision.set(rev + 1);
        }
        let etags = executor.intent.files.iter().map(IntentFile::after).collect();
        Some(commit_result(outcome, rev, etags, executor.warnings, refused))
    }
}

fn plan_file(
    change: &crate::change::FileChange,
    entry: &mut IntentFile,
    rev: u64,
    number: usize,
    new_mode: u32,
) -> CommitFile {
    if change.before.is_none() {
        entry.mode = change.mode.unwrap_or(new_mode);
    }
    let after = |bytes: &Arc<Vec<u8>>| {
        let etag = entry.after().unwrap_or_else(|| Etag::of(bytes));
        ExpectedText::new(bytes.clone(), etag, entry.mode_after())
    };
    let base = change.before.as_ref().map(ExpectedText::of_version);
    let ours = change.after.as_ref().map(after);
    CommitFile::new(change.path.clone(), entry.kind(), slot::name(rev, number), base, ours)
}

/// Checks what every commit must satisfy, however it was planned.
fn check_writable(changeset: &Changeset) -> Result<(), Rejection> {
    for (i, file) in changeset.files.iter().enumerate() {
        let path = &file.path;
        if let Some(reason) = path.odd() {
            return Err(Rejection::new(Code::InvalidPath, format!("'{path}' cannot be written: {reason}")));
        }
        if file.before.is_none() && file.after.is_none() || changeset.files[..i].iter().any(|f| f.path == *path) {
            return Err(Rejection::new(Code::Internal, format!("the plan for '{path}' is invalid")));
        }
        if file.after.as_ref().is_some_and(|bytes| bytes.len() > MAX_FILE_BYTES) {
            return Err(Rejection::new(Code::TooLarge, format!("'{path}' would be larger than {MAX_FILE_SIZE}")));
        }
    }
    Ok(())
}

fn machine_dir_removed_error(rev: u64) -> Rejection {
    let message = format!("'.memdir/' was removed during r{rev}; some of its files may be written, others not");
    let mut rejection =
        Rejection::new(Code::OutcomeUnknown, message).hint("check the files, then run the command again");
    rejection.changed = None;
    rejection
}

fn commit_result(
    outcome: CommitOutcome,
    rev: u64,
    etags: Vec<Option<Etag>>,
    mut warnings: Vec<Warning>,
    refused: Option<Rejection>,
) -> Result<Committed, CommitStopped> {
    let cause = refused.as_ref().map_or(String::new(), |r| format!(" ({})", r.message));
    match outcome {
        CommitOutcome::Applied | CommitOutcome::AppliedNotDurable => {
            if outcome == CommitOutcome::AppliedNotDurable {
                let message = format!("r{rev} is committed, but a power cut may still undo it{cause}");
                warnings.push(Warning::new(Code::NotDurable, message));
            }
            Ok(Committed { etags, rev, warnings })
        }
        CommitOutcome::BaseChanged => Err(CommitStopped::BaseChanged(warnings)),
        CommitOutcome::Refused => Err(CommitStopped::Rejected(
            refused.unwrap_or_else(|| Rejection::new(Code::Io, "the change could not be written")),
        )),
        CommitOutcome::Unknown => {
            let message = format!("the disk failed during r{rev}{cause}; the next command finishes or undoes it");
            let mut rejection = Rejection::new(Code::OutcomeUnknown, message);
            rejection.changed = None;
            Err(CommitStopped::Rejected(rejection))
        }
    }
}
