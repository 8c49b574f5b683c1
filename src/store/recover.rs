//! Recovery: the next lock holder finishes or undoes what an interrupted command left.
//!
//! Never guesses: it reads each file's state from its slot, and a text that nobody planned is put where people look.

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::journal::Journal;
use super::line::Intent;
use super::protocol::{Machine, Verdict};
use super::root::Root;
use super::run::{File, Run, Watch, rescue_path, rescued};
use super::{Options, platform};
use crate::code::{Code, Rejection, Warning};

/// What there was to recover.
pub struct Recovered {
    /// What the reader should know.
    pub warnings: Vec<Warning>,
    /// Whether it came to an end (a test may stop it).
    pub finished: bool,
}

/// Finishes or undoes the batch of an intent that has no end line.
///
/// # Errors
/// `outcome_unknown`, `io`, `read_only` when the system refuses; then the intent stays for the next one.
pub fn recover(
    root: &Root,
    options: &Options,
    journal: &mut Option<Journal>,
    intent: Intent,
    watch: Watch<'_>,
) -> Result<Recovered, Rejection> {
    let rev = intent.rev;
    let files: Option<Vec<File>> =
        intent.files.iter().enumerate().map(|(i, file)| File::of_intent(file, rev, i)).collect();
    let Some(files) = files.filter(|files| !files.is_empty()) else {
        return Err(Rejection::new(Code::Io, format!("the journal's r{rev} names no file that could be recovered")));
    };
    root.make_machine(options.durability == super::Durability::Full)?;
    tidy_spares(root, &files)?;
    let machine = Machine::recover(files.iter().map(|f| f.kind).collect());
    let mut run = Run {
        root,
        options,
        journal,
        intent,
        files,
        recovering: true,
        warnings: Vec::new(),
        refused: None,
        begun: true,
        ended: false,
        orphans: false,
    };
    run.warnings.extend(rescued_before(root, rev, run.files.len()));
    let Some((verdict, kept)) = run.run(machine, watch) else {
        return Ok(Recovered { warnings: run.warnings, finished: false });
    };
    if let Verdict::Refused | Verdict::Unknown = verdict {
        let why = run.refused.map_or_else(String::new, |r| format!(": {}", r.message));
        let told = format!("the interrupted r{rev} can be neither finished nor undone{why}");
        return Err(Rejection::new(Code::Io, told));
    }
    let done = matches!(verdict, Verdict::Done | Verdict::NotDurable);
    if done && run.intent.forgotten && !run.ended {
        let why = run.refused.map_or_else(String::new, |r| format!(": {}", r.message));
        return Err(Rejection::new(Code::Io, format!("what r{rev} forgot cannot be emptied{why}")));
    }
    match done {
        true => run.free_forgotten(),
        false => run.sweep(&kept),
    }
    let mut told = format!("r{rev}, which had been interrupted, was {}", if done { "finished" } else { "undone" });
    if !kept.is_empty() {
        let names: Vec<&str> = kept.iter().map(|&i| run.files[i].path.as_str()).collect();
        told.push_str(&format!("; {} was edited since and stays as it is", names.join(", ")));
    }
    let mut warnings = vec![Warning::new(Code::Recovered, told).detail("rev", rev)];
    warnings.append(&mut run.warnings);
    Ok(Recovered { warnings, finished: true })
}

/// Where files cannot be swapped in one step, a crash may leave the old text under a third name.
fn tidy_spares(root: &Root, files: &[File]) -> Result<(), Rejection> {
    let Some(undo) = root.undo()? else { return Ok(()) };
    for file in files {
        let spare = super::slot::spare(&file.slot);
        if platform::look(undo, &spare).is_err() {
            continue;
        }
        let _ = match platform::look(undo, &file.slot) {
            Err(Errno::NOENT) => rustix::fs::renameat(undo, &spare, undo, &file.slot),
            _ => rustix::fs::unlinkat(undo, &spare, AtFlags::empty()),
        };
    }
    Ok(())
}

/// Texts that the interrupted command had already moved to `inbox/`, and had no time to tell of.
pub fn rescued_before(root: &Root, rev: u64, files: usize) -> Vec<Warning> {
    let Ok(Some(inbox)) = root.folder("inbox") else { return Vec::new() };
    let there =
        |i: &usize| rescue_path(rev, *i, 0).ok().filter(|path| platform::look(&inbox, super::root::last(path)).is_ok());
    (0..files).filter_map(|i| there(&i)).map(|path| rescued(&path, None)).collect()
}
