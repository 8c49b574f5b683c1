//! Recovery: the next lock holder finishes or undoes what an interrupted command left.
//!
//! Never guesses: it reads each file's state from its slot, and moves a text that belongs to no plan to `inbox/`.

use std::os::fd::AsFd;

use rustix::fs::AtFlags;

use super::StoreOptions;
use super::executor::{ActionHook, CommitExecutor, CommitFile};
use super::journal::Journal;
use super::platform::{self, NameInDir};
use super::protocol::{self, CommitAction, CommitOutcome, CommitStateMachine};
use super::record::IntentRecord;
use super::rescue::{rescue_path, rescued_warning};
use super::root::{DataRoot, file_name};
use crate::code::{Code, Rejection, Warning};

/// The result of a recovery.
pub struct RecoveryReport {
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Whether it ran to its end (a test may stop it).
    pub finished: bool,
}

/// Finishes or undoes the batch of an intent that has no end record.
///
/// # Errors
/// `outcome_unknown`, `io`, `read_only` if the system refuses; then the intent stays open for the next command.
pub fn recover_batch(
    root: &DataRoot,
    options: &StoreOptions,
    journal: &mut Option<Journal>,
    intent: IntentRecord,
    watch: ActionHook<'_>,
) -> Result<RecoveryReport, Rejection> {
    let rev = intent.rev;
    let Some(mut executor) = resume_batch(root, options, journal, intent) else {
        return Err(Rejection::new(Code::Io, format!("the journal's r{rev} names no file to recover")));
    };
    root.create_machine_dir(options.durability == super::Durability::Full)?;
    settle_names(root, &executor.files)?;
    let machine = CommitStateMachine::recover(executor.kinds());
    executor.warnings.extend(earlier_rescues(root, rev, executor.files.len()));
    let Some((outcome, left_unchanged)) = executor.run(machine, watch) else {
        return Ok(RecoveryReport { warnings: executor.warnings, finished: false });
    };
    if let CommitOutcome::Refused | CommitOutcome::Unknown = outcome {
        let cause = executor.first_refusal.map_or_else(String::new, |r| format!(": {}", r.message));
        let message = format!("the interrupted r{rev} can be neither finished nor undone{cause}");
        return Err(Rejection::new(Code::Io, message));
    }
    let applied = matches!(outcome, CommitOutcome::Applied | CommitOutcome::AppliedNotDurable);
    if applied && executor.intent.forgotten && !executor.end_written {
        let cause = executor.first_refusal.map_or_else(String::new, |r| format!(": {}", r.message));
        return Err(Rejection::new(
            Code::Io,
            format!("the texts removed by r{rev} cannot be erased from the undo slots{cause}"),
        ));
    }
    if applied {
        executor.free_forgotten_slots()
    } else {
        executor.clean_up(&left_unchanged)
    }
    let mut message = format!("the interrupted r{rev} was {}", if applied { "finished" } else { "undone" });
    if !left_unchanged.is_empty() {
        let names: Vec<&str> = left_unchanged.iter().map(|&i| executor.files[i].path.as_str()).collect();
        message.push_str(&format!("; {} was edited since and is left unchanged", names.join(", ")));
    }
    let mut warnings = vec![Warning::new(Code::Recovered, message).detail("rev", rev)];
    warnings.append(&mut executor.warnings);
    Ok(RecoveryReport { warnings, finished: true })
}

/// Whether the batch of an intent without an end record is applied to every file. Reads only: for readers after a power
/// cut, which may take the end record of a change that was acknowledged.
pub fn is_applied(root: &DataRoot, options: &StoreOptions, intent: &IntentRecord) -> bool {
    let mut journal = None;
    let Some(mut executor) = resume_batch(root, options, &mut journal, intent.clone()) else { return false };
    protocol::is_applied(executor.kinds(), |location, i| executor.perform(CommitAction::Inspect(location, i)))
}

/// An intent's batch as recovery continues it; `None` if it names no file, or an invalid path.
fn resume_batch<'a>(
    root: &'a DataRoot,
    options: &'a StoreOptions,
    journal: &'a mut Option<Journal>,
    intent: IntentRecord,
) -> Option<CommitExecutor<'a>> {
    let files = intent.files.iter().enumerate();
    let files: Option<Vec<CommitFile>> = files.map(|(i, file)| CommitFile::from_intent(file, intent.rev, i)).collect();
    Some(CommitExecutor {
        root,
        options,
        journal,
        files: files.filter(|files| !files.is_empty())?,
        intent,
        recovering: true,
        warnings: Vec::new(),
        first_refusal: None,
        intent_written: true,
        end_written: false,
        found_orphans: false,
    })
}

/// Gives each text one name again where a crash interrupted a move that took several steps, because the file system
/// cannot swap two files, or cannot rename to a name that must not exist.
fn settle_names(root: &DataRoot, files: &[CommitFile]) -> Result<(), Rejection> {
    let Some(undo) = root.undo_dir()? else { return Ok(()) };
    for file in files {
        let spare_name = super::slot::spare_name(&file.slot);
        let [slot, spare] = [&file.slot, &spare_name].map(|name| NameInDir { dir: undo, name });
        let parent = root.open_parent(&file.path).ok().flatten();
        let target = parent.as_ref().map(|dir| NameInDir { dir: dir.as_fd(), name: file_name(&file.path) });
        let exists = |name: NameInDir<'_>| platform::stat_name(name.dir, name.name).is_ok();
        // A text that is at its target already, or still, needs no slot: recovery goes on from there.
        if target.is_some_and(|target| platform::is_same_file(slot, target)) {
            let _ = rustix::fs::unlinkat(undo, slot.name, AtFlags::empty());
        }
        if !exists(spare) {
            continue;
        }
        let is_put_back = target.is_some_and(|to| !exists(to) && platform::rename_new(spare, to).is_ok());
        if !is_put_back {
            let _ = if exists(slot) {
                // Both texts of the swap have their names, or another program saved the file in place of the old text.
                rustix::fs::unlinkat(undo, spare.name, AtFlags::empty())
            } else {
                rustix::fs::renameat(undo, spare.name, undo, slot.name)
            };
        }
    }
    Ok(())
}

/// Returns warnings for texts that the interrupted command had already moved to `inbox/` without reporting them.
pub fn earlier_rescues(root: &DataRoot, rev: u64, files: usize) -> Vec<Warning> {
    let Ok(Some(inbox)) = root.open_folder("inbox") else { return Vec::new() };
    let existing_rescue = |i: &usize| {
        rescue_path("inbox", rev, *i, 0)
            .ok()
            .filter(|path| platform::stat_name(&inbox, super::root::file_name(path)).is_ok())
    };
    (0..files).filter_map(|i| existing_rescue(&i)).map(|path| rescued_warning(&path, None)).collect()
}
