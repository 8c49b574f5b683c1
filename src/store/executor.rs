//! Carries out a batch: performs the actions that the protocol decides, by system calls, and reports the result of
//! each.
//!
//! Never chooses the next action: `protocol.rs` does.

mod clean_up;
mod inspect;
mod lost_slot;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

use super::expected_text::ExpectedText;
use super::journal::Journal;
use super::platform::{self, NameInDir, RenameError};
use super::protocol::{
    ActionResult, BatchEnding, CommitAction, CommitOutcome, CommitStateMachine, FileChangeKind, TextLocation, TextState,
};
use super::record::{IntentFile, IntentRecord, encode_end, encode_intent};
use super::rescue::{RESCUE_FOLDERS, rescue_path, rescued_warning};
use super::root::{DataRoot, PlainFile, file_name, open_plain, read_contents, write_error};
use super::{Durability, StoreOptions, slot};
use crate::change::Etag;
use crate::code::{Code, Rejection, Warning};
use crate::path::MemoryPath;

/// One file of a batch.
pub struct CommitFile {
    pub path: MemoryPath,
    pub kind: FileChangeKind,
    /// The name of its slot.
    pub slot: String,
    /// The text before the batch.
    pub base: Option<ExpectedText>,
    /// The text after the batch.
    pub ours: Option<ExpectedText>,
    /// The inode of the new text; 0 before it is written.
    pub inode: u64,
    parent: Option<OwnedFd>,
    old_file: Option<PlainFile>,
    /// Its slot, while it is written but not synced.
    unsynced: Option<OwnedFd>,
}

impl CommitFile {
    /// A file of which nothing is done yet.
    pub fn new(
        path: MemoryPath,
        kind: FileChangeKind,
        slot: String,
        base: Option<ExpectedText>,
        ours: Option<ExpectedText>,
    ) -> CommitFile {
        CommitFile { path, kind, slot, base, ours, inode: 0, parent: None, old_file: None, unsynced: None }
    }

    /// A file of an intent, its texts known by their etags.
    pub fn from_intent(file: &IntentFile, rev: u64, number: usize) -> Option<CommitFile> {
        let base = file.before().map(|etag| ExpectedText::by_etag(etag, file.mode));
        let ours = file.after().map(|etag| ExpectedText::by_etag(etag, file.mode_after()));
        let named = CommitFile::new(file.path()?, file.kind(), slot::name(rev, number), base, ours);
        Some(CommitFile { inode: file.inode, ..named })
    }
}

/// Called before each action with its number; `false` stops there, as a crash would.
pub type ActionHook<'a> = &'a mut dyn FnMut(usize) -> bool;

/// A batch that is being carried out.
pub struct CommitExecutor<'a> {
    pub root: &'a DataRoot,
    pub options: &'a StoreOptions,
    pub journal: &'a mut Option<Journal>,
    /// The batch's intent record.
    pub intent: IntentRecord,
    pub files: Vec<CommitFile>,
    /// Whether this is the recovery of an interrupted batch.
    pub recovering: bool,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// The first error of an action; the error of the commit if that fails.
    pub first_refusal: Option<Rejection>,
    /// Whether the intent record is in the journal.
    pub intent_written: bool,
    /// Whether the end record is in the journal.
    pub end_written: bool,
    /// Whether an earlier batch of the same number left slots.
    pub found_orphans: bool,
}

impl CommitExecutor<'_> {
    /// Runs the batch to its end; `None` if `watch` stopped it.
    pub fn run(
        &mut self,
        mut machine: CommitStateMachine,
        watch: ActionHook<'_>,
    ) -> Option<(CommitOutcome, Vec<usize>)> {
        platform::allow_open_files(self.files.len());
        let mut action = machine.start();
        for number in 0.. {
            if let CommitAction::Finish(verdict) = action {
                return Some((verdict, machine.left_unchanged()));
            }
            if !watch(number) {
                return None;
            }
            let result = self.perform(action);
            action = machine.step(result);
        }
        None
    }

    /// What happens to each file.
    pub fn kinds(&self) -> Vec<FileChangeKind> {
        self.files.iter().map(|file| file.kind).collect()
    }

    /// Performs one action on the disk and returns its result; keeps the first error in `first_refusal`.
    pub fn perform(&mut self, action: CommitAction) -> ActionResult {
        let result = match action {
            CommitAction::Inspect(TextLocation::Target, i) if !self.intent_written => self.check_target(i),
            CommitAction::Inspect(place, i) => self.inspect_or_torn(place, i).map(ActionResult::Observed),
            CommitAction::WriteSlot(i) if self.recovering => self.rebuild_slot(i).map(|()| ActionResult::Ok),
            CommitAction::WriteSlot(i) => self.write_slot(i).map(|()| ActionResult::Ok),
            CommitAction::AppendIntent => self.append_intent(),
            CommitAction::Exchange(i) => self.exchange(i),
            CommitAction::MoveIn(i) => self.move_text(i, true),
            CommitAction::MoveOut(i) => self.move_text(i, false),
            CommitAction::Rescue(i) => self.move_to_inbox(i).map(|()| ActionResult::Ok),
            CommitAction::SyncDirs => self.sync_dirs().map(|()| ActionResult::Ok),
            CommitAction::AppendEnd(ending) => self.append_end(ending).map(|()| ActionResult::Ok),
            CommitAction::Finish(_) => Ok(ActionResult::Ok),
        };
        match result {
            Ok(result) => result,
            Err(rejection) => {
                self.first_refusal.get_or_insert(rejection);
                ActionResult::Refused
            }
        }
    }

    fn is_fully_durable(&self) -> bool {
        self.options.durability == Durability::Full
    }

    fn undo(&self) -> Result<BorrowedFd<'_>, Rejection> {
        match self.root.undo_dir()? {
            Some(dir) => Ok(dir),
            None => Err(removed_meanwhile_error("'.memdir/undo/'")),
        }
    }

    /// Returns the open folder of a file; `None` if it does not exist.
    fn open_parent(&mut self, i: usize) -> Result<Option<BorrowedFd<'_>>, Rejection> {
        if self.files[i].parent.is_none() {
            self.files[i].parent = self.root.open_parent(&self.files[i].path)?;
        }
        Ok(self.files[i].parent.as_ref().map(|dir| dir.as_fd()))
    }

    fn write_slot(&mut self, i: usize) -> Result<(), Rejection> {
        // Before the first record of a journal all folders are synced anyway.
        let begun = self.journal.as_ref().is_some_and(|journal| journal.size > 0);
        self.root.create_machine_dir(begun && self.is_fully_durable())?;
        if self.files[i].kind == FileChangeKind::Create && self.open_parent(i)?.is_none() {
            let created = self.root.create_parents(&self.files[i].path, self.is_fully_durable())?;
            self.intent.dirs.extend(created);
        }
        let undo = self.undo()?;
        let file = &self.files[i];
        let Some((bytes, mode)) = file.ours.as_ref().and_then(|k| Some((k.bytes.clone()?, k.mode))) else {
            return slot::free(undo, &file.slot);
        };
        // A moved file keeps its attributes: they are copied from its old name.
        let moved_from = self.intent.files[i].moved().filter(|_| file.kind == FileChangeKind::Create);
        let old_file = |from: &str| self.files.iter().find(|other| other.path.as_str() == from);
        let source = moved_from.and_then(old_file).unwrap_or(file);
        let written = slot::write(undo, &file.slot, &bytes, mode, source.old_file.as_ref())?;
        self.found_orphans |= written.replaced_orphan;
        self.warnings.extend(written.warning);
        let file = &mut self.files[i];
        (file.inode, file.old_file) = (written.inode, None);
        self.intent.files[i].inode = written.inode;
        self.files[i].unsynced = (self.options.durability != Durability::Fast).then_some(written.file);
        Ok(())
    }

    /// Whether the slots must be on disk before the intent is: recovery takes a created file without a slot as done,
    /// and knows a torn slot by the edits of its text.
    fn needs_synced_slots(&self) -> bool {
        let is_unknown = |i: usize| self.files[i].unsynced.is_some() && !self.intent.files[i].has_edits();
        self.has_created_files() || (0..self.files.len()).any(is_unknown)
    }

    /// Waits until the slots are on disk, which are all started to be written before the first wait.
    fn sync_slots(&mut self) -> Result<(), Rejection> {
        let slots: Vec<_> = self.files.iter_mut().filter_map(|file| file.unsynced.take()).collect();
        if slots.len() > 1 {
            slots.iter().for_each(|slot| platform::start_writing(slot, 0));
        }
        slots.iter().try_for_each(slot::sync)
    }

    fn has_created_files(&self) -> bool {
        self.files.iter().any(|file| file.kind == FileChangeKind::Create)
    }

    fn append_intent(&mut self) -> Result<ActionResult, Rejection> {
        slot::free_orphans(self.undo()?, self.intent.rev, self.files.len(), self.found_orphans);
        if self.needs_synced_slots() {
            self.sync_slots()?;
        }
        // The slot's name, too.
        if self.is_fully_durable() && self.has_created_files() {
            platform::sync(self.undo()?).map_err(|e| write_error(e, "'.memdir/undo/'"))?;
        }
        let line = encode_intent(&self.intent)?;
        if self.journal.is_none() {
            let Some(machine) = self.root.machine_dir()? else {
                return Err(removed_meanwhile_error("'.memdir/'"));
            };
            *self.journal = Some(Journal::create(machine)?);
        }
        let Some(journal) = self.journal.as_mut() else { return Ok(ActionResult::Refused) };
        if journal.size == 0 && self.options.durability != Durability::Fast {
            self.root.sync_machine_dir()?;
        }
        let offset = journal.size;
        journal.append(&line).map_err(|e| write_error(e, "the journal"))?;
        self.intent_written = true;
        if self.options.durability == Durability::Fast {
            return Ok(ActionResult::Ok);
        }
        // One round: a power cut in it may leave the intent beside a slot that is torn or missing, and then recovery
        // ends the batch as one that never began.
        journal.start_writing(offset);
        let synced = self.sync_slots().and_then(|()| match self.journal {
            Some(journal) => journal.sync().map_err(|e| write_error(e, "the journal")),
            None => Ok(()),
        });
        match synced {
            Ok(()) => Ok(ActionResult::Ok),
            Err(rejection) => {
                self.first_refusal = Some(rejection);
                Ok(ActionResult::Failed)
            }
        }
    }

    fn append_end(&mut self, ending: BatchEnding) -> Result<(), Rejection> {
        let to_error = |e| write_error(e, "the journal");
        if ending != BatchEnding::Done && self.options.durability != Durability::Fast {
            // The end record `undone` must not reach the disk before the restored files do.
            let _ = self.sync_dirs();
        }
        if ending == BatchEnding::Done && self.intent.forgotten {
            // A process that is killed between the end record and the freeing of the slots must leave no text in them.
            for file in self.files.iter().filter(|file| file.kind != FileChangeKind::Create) {
                slot::truncate(self.undo()?, &file.slot)?;
            }
        }
        let Some(journal) = self.journal.as_mut() else { return Ok(()) };
        journal.append(&encode_end(self.intent.rev, ending)).map_err(to_error)?;
        self.end_written = true;
        // Losing `done` costs nothing: the slots imply it, and the next intent's sync writes it too.
        match ending {
            BatchEnding::Done => Ok(()),
            BatchEnding::Undone | BatchEnding::Rescued if self.options.durability == Durability::Fast => Ok(()),
            BatchEnding::Undone | BatchEnding::Rescued => journal.sync().map_err(to_error),
        }
    }

    fn exchange(&mut self, i: usize) -> Result<ActionResult, Rejection> {
        if self.open_parent(i)?.is_none() {
            return Ok(ActionResult::Raced);
        }
        if self.recovering && matches!(platform::stat_name(self.undo()?, &self.files[i].slot), Err(Errno::NOENT)) {
            let _ = self.rebuild_slot(i);
        }
        let file = &self.files[i];
        let Some(dir) = &file.parent else { return Ok(ActionResult::Raced) };
        let undo = self.undo()?;
        let (a, b) =
            (NameInDir { dir: undo, name: &file.slot }, NameInDir { dir: dir.as_fd(), name: file_name(&file.path) });
        let by_rename = || platform::exchange_by_rename(a, b, &slot::spare_name(&file.slot));
        let result = if self.options.allow_exchange {
            match platform::exchange(a, b) {
                Err(e) if platform::is_unsupported(e) => by_rename(),
                answer => answer.map_err(RenameError::from),
            }
        } else {
            by_rename()
        };
        let path = file.path.clone();
        self.rename_result(result, &path)
    }

    fn move_text(&mut self, i: usize, into_target: bool) -> Result<ActionResult, Rejection> {
        if self.open_parent(i)?.is_none() {
            if !into_target {
                return Ok(ActionResult::Raced);
            }
            // The folder was removed with its file, or was never created.
            self.root.create_parents(&self.files[i].path, self.is_fully_durable())?;
            self.open_parent(i)?;
        }
        let file = &self.files[i];
        let Some(dir) = &file.parent else { return Ok(ActionResult::Raced) };
        let slot = NameInDir { dir: self.undo()?, name: &file.slot };
        let target = NameInDir { dir: dir.as_fd(), name: file_name(&file.path) };
        let (from, to) = if into_target { (slot, target) } else { (target, slot) };
        let (result, path) = (platform::rename_new(from, to), file.path.clone());
        self.rename_result(result, &path)
    }

    fn rename_result(&mut self, result: Result<(), RenameError>, path: &MemoryPath) -> Result<ActionResult, Rejection> {
        match result {
            Ok(()) => Ok(ActionResult::Ok),
            Err(RenameError { errno, is_partial: true }) => {
                self.first_refusal.get_or_insert_with(|| write_error(errno, &format!("'{path}'")));
                Ok(ActionResult::Failed)
            }
            Err(RenameError { errno, .. }) => match errno {
                Errno::EXIST | Errno::NOENT | Errno::ISDIR | Errno::NOTDIR | Errno::NOTEMPTY => Ok(ActionResult::Raced),
                errno => Err(write_error(errno, &format!("'{path}'"))),
            },
        }
    }

    /// Moves a displaced text from its slot to `inbox/`, where a person finds it.
    fn move_to_inbox(&mut self, i: usize) -> Result<(), Rejection> {
        let undo = self.undo()?;
        let (rev, file) = (self.intent.rev, &self.files[i]);
        let create_folder = |path: &MemoryPath| self.root.create_parents(path, self.is_fully_durable());
        let is_usable = |folder: &&str| match rescue_path(folder, rev, i, 0).and_then(|path| create_folder(&path)) {
            Err(error) => error.code != Code::UnsafeFile,
            Ok(_) => true,
        };
        let folder = RESCUE_FOLDERS.into_iter().find(is_usable).unwrap_or(RESCUE_FOLDERS[0]);
        for attempt in 0..1000 {
            let path = rescue_path(folder, rev, i, attempt)?;
            create_folder(&path)?;
            let Some(inbox) = self.root.open_parent(&path)? else { continue };
            let from = NameInDir { dir: undo, name: &file.slot };
            let to = NameInDir { dir: inbox.as_fd(), name: file_name(&path) };
            match platform::rename_new(from, to) {
                Ok(()) => {
                    let _ = platform::sync(&inbox);
                    self.warnings.push(rescued_warning(&path, Some(&file.path)));
                    return Ok(());
                }
                Err(e) if e.errno == Errno::NOENT => return Ok(()),
                // A move by links was interrupted.
                Err(_) if platform::is_same_file(from, to) => return slot::free(undo, &file.slot),
                Err(e) if e.errno == Errno::EXIST => {}
                Err(e) => return Err(write_error(e.errno, &format!("'{path}'"))),
            }
        }
        Err(Rejection::new(Code::Io, format!("'{folder}/' has too many rescued texts")))
    }

    fn sync_dirs(&self) -> Result<(), Rejection> {
        if self.options.durability != Durability::Full {
            return Ok(());
        }
        let mut synced: Vec<&str> = Vec::new();
        let mut result = Ok(());
        for file in &self.files {
            let folder = file.path.parent();
            if synced.contains(&folder) {
                continue;
            }
            synced.push(folder);
            if let Some(dir) = &file.parent
                && let Err(e) = platform::sync(dir)
            {
                result = Err(write_error(e, &format!("'{folder}/'")));
            }
        }
        result
    }
}

/// The error if something below an open handle was removed.
pub fn removed_meanwhile_error(what: &str) -> Rejection {
    Rejection::new(Code::Busy, format!("{what} was removed during the change")).hint("run the command again")
}
