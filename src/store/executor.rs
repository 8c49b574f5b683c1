//! Carries out a batch: performs the actions that the protocol decides, by system calls, and reports the result of
//! each.
//!
//! Never chooses the next action: `protocol.rs` does.

mod clean_up;
mod lost_slot;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::expected_text::ExpectedText;
use super::journal::Journal;
use super::platform::{self, NameInDir, RenameError};
use super::protocol::{
    ActionResult, BatchEnding, CommitAction, CommitOutcome, CommitStateMachine, FileChangeKind, TextLocation, TextState,
};
use super::record::{IntentFile, IntentRecord, encode_end, encode_intent};
use super::rescue::{rescue_path, rescued_warning};
use super::root::{DataRoot, PlainFile, file_name, open_plain, read_contents, read_pieces, write_error};
use super::{Durability, StoreOptions, slot};
use crate::change::Etag;
use crate::code::{Code, Rejection, Warning};
use crate::path::MemoryPath;

/// How long to wait for a file that another process has open for writing.
const WRITER_WAIT: Duration = Duration::from_millis(200);
/// The same during recovery: a copy that its maker has not quite closed must not take back an acknowledged change.
const RECOVERY_WRITER_WAIT: Duration = Duration::from_secs(1);
/// Interval between two checks during that wait.
const WRITER_POLL: Duration = Duration::from_millis(4);

/// How often reading a text is tried again: too many open files, or a busy device, may be over soon.
const READ_RETRIES: usize = 5;

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
    /// The first refusal.
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

    /// Performs one action.
    pub fn perform(&mut self, action: CommitAction) -> ActionResult {
        let result = match action {
            CommitAction::Inspect(TextLocation::Target, i) if !self.intent_written => self.check_target(i),
            CommitAction::Inspect(place, i) => self
                .inspect(place, i)
                .map(|state| match state {
                    TextState::Foreign if place == TextLocation::Slot && self.is_torn_slot(i) => TextState::Absent,
                    state => state,
                })
                .map(ActionResult::Observed),
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

    fn open_text(&mut self, place: TextLocation, i: usize) -> Result<Option<PlainFile>, Rejection> {
        let shown = format!("'{}'", self.files[i].path);
        if place == TextLocation::Slot {
            return open_plain(self.undo()?, &self.files[i].slot, &shown);
        }
        if self.open_parent(i)?.is_none() {
            return Ok(None);
        }
        let file = &self.files[i];
        match &file.parent {
            Some(dir) => open_plain(dir, file_name(&file.path), &shown),
            None => Ok(None),
        }
    }

    /// Inspects a text. That it cannot be opened proves nothing about it: after some attempts the error is returned, and
    /// the outcome stays open.
    fn inspect(&mut self, place: TextLocation, i: usize) -> Result<TextState, Rejection> {
        let mut attempt = 0;
        loop {
            let observed = match self.open_text(place, i) {
                Ok(None) => Ok(TextState::Absent),
                Ok(Some(plain)) => self.classify(place, i, &plain),
                Err(why) => Err(why),
            };
            match observed {
                // A link or a directory: another process put it there.
                Err(why) if why.code == Code::UnsafeFile => return Ok(TextState::Foreign),
                Err(_) if self.has_foreign_mode(place, i) => return Ok(TextState::Foreign),
                Err(_) if attempt < READ_RETRIES => {
                    attempt += 1;
                    std::thread::sleep(WRITER_POLL);
                }
                result => return result,
            }
        }
    }

    /// Whether the file that a name leads to has another mode than both texts of the batch, so that it is none of them.
    fn has_foreign_mode(&self, place: TextLocation, i: usize) -> bool {
        let file = &self.files[i];
        let stat = match (place, &file.parent) {
            (TextLocation::Slot, _) => self.undo().ok().and_then(|undo| platform::stat_name(undo, &file.slot).ok()),
            (TextLocation::Target, Some(dir)) => platform::stat_name(dir, file_name(&file.path)).ok(),
            (TextLocation::Target, None) => None,
        };
        let is_known = |mode| [&file.base, &file.ours].into_iter().flatten().any(|text| text.mode == mode);
        stat.is_some_and(|stat| !is_known(platform::mode(&stat)))
    }

    fn classify(&self, place: TextLocation, i: usize, plain: &PlainFile) -> Result<TextState, Rejection> {
        // Checked before the bytes are read: a process that writes and closes in between must not go unnoticed.
        //
        // Our own text has a writer for a moment when another thread of this process starts a program while a slot is
        // written: until the child runs its program, it holds a copy of the descriptor.
        let begun = Instant::now();
        let wait = match (self.recovering, plain.stat.st_ino == self.files[i].inode) {
            (true, _) => RECOVERY_WRITER_WAIT,
            (false, true) => WRITER_WAIT,
            (false, false) => Duration::ZERO,
        };
        while platform::has_writer(&plain.fd) {
            if begun.elapsed() >= wait {
                return Ok(TextState::Foreign);
            }
            std::thread::sleep(WRITER_POLL);
        }
        self.classify_contents(place, i, plain)
    }

    fn classify_contents(&self, place: TextLocation, i: usize, plain: &PlainFile) -> Result<TextState, Rejection> {
        let [is_base, is_ours, is_empty] = match self.compare(i, plain) {
            Err(r) if r.code == Code::TooLarge => return Ok(TextState::Foreign),
            result => result?,
        };
        let file = &self.files[i];
        let same_inode = plain.stat.st_ino == file.inode;
        // No text is replaced by ours before ours is synced: if our own file is not ours, a power cut tore it, or a
        // person edited it before it was put back. It is never the old text, even if it reads the same.
        if self.recovering && same_inode && place == TextLocation::Slot && file.kind == FileChangeKind::Update {
            return Ok(if is_ours { TextState::Ours } else { TextState::Foreign });
        }
        // A forgotten text was emptied once it was displaced, so an empty slot means that this file was applied.
        let emptied = self.recovering && self.intent.forgotten && is_empty && place == TextLocation::Slot;
        if emptied && file.kind != FileChangeKind::Create {
            return Ok(TextState::Base);
        }
        // During recovery inodes may differ from the recorded ones, for example after a restored backup.
        Ok(match (is_base, is_ours && (same_inode || self.recovering)) {
            (true, true) if same_inode => TextState::Ours,
            (true, _) => TextState::Base,
            (false, true) => TextState::Ours,
            (false, false) => TextState::Foreign,
        })
    }

    /// Reads a file once. Returns whether it has the text before the batch, whether it has the text after it, and whether
    /// it is empty.
    fn compare(&self, i: usize, plain: &PlainFile) -> Result<[bool; 3], Rejection> {
        let shown = "a file of this change";
        let texts = [&self.files[i].base, &self.files[i].ours];
        let mode = platform::mode(&plain.stat);
        if texts.into_iter().flatten().any(|text| text.bytes.is_none()) {
            let bytes = read_contents(plain, shown)?;
            let [is_base, is_ours] = texts.map(|t| t.as_ref().is_some_and(|text| text.matches(&bytes, mode)));
            return Ok([is_base, is_ours, bytes.is_empty()]);
        }
        let mut comparisons = texts.map(|t| t.as_ref().and_then(|text| text.compare_pieces(mode)));
        let mut is_empty = true;
        read_pieces(plain, shown, |piece| {
            is_empty = false;
            comparisons.iter_mut().flatten().for_each(|comparison| comparison.push(piece));
        })?;
        let [is_base, is_ours] = comparisons.map(|c| c.is_some_and(|comparison| comparison.is_equal()));
        Ok([is_base, is_ours, is_empty])
    }

    /// Inspects a target for the first time, and waits for an editor that has it open for writing.
    fn check_target(&mut self, i: usize) -> Result<ActionResult, Rejection> {
        let started = Instant::now();
        loop {
            let Some(plain) = self.open_text(TextLocation::Target, i)? else {
                return Ok(ActionResult::Observed(TextState::Absent));
            };
            if !platform::has_writer(&plain.fd) {
                let text = self.classify_contents(TextLocation::Target, i, &plain)?;
                self.files[i].old_file = Some(plain);
                return Ok(ActionResult::Observed(text));
            }
            if started.elapsed() > WRITER_WAIT {
                let path = &self.files[i].path;
                return Err(Rejection::new(Code::Busy, format!("'{path}' is open for writing in another program")));
            }
            std::thread::sleep(WRITER_POLL);
        }
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
        match self.options.durability {
            Durability::Fast => Ok(()),
            // Recovery takes a created file without a slot as done, and knows a torn slot by the edits of its text.
            _ if self.has_created_files() || !self.intent.files[i].has_edits() => slot::sync(&written.file),
            _ => {
                self.files[i].unsynced = Some(written.file);
                Ok(())
            }
        }
    }

    fn has_created_files(&self) -> bool {
        self.files.iter().any(|file| file.kind == FileChangeKind::Create)
    }

    fn append_intent(&mut self) -> Result<ActionResult, Rejection> {
        let undo = self.undo()?;
        slot::free_orphans(undo, self.intent.rev, self.files.len(), self.found_orphans);
        // The slot's name, too.
        if self.is_fully_durable() && self.has_created_files() {
            platform::sync(undo).map_err(|e| write_error(e, "'.memdir/undo/'"))?;
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
        journal.append(&line).map_err(|e| write_error(e, "the journal"))?;
        self.intent_written = true;
        if self.options.durability == Durability::Fast {
            return Ok(ActionResult::Ok);
        }
        // One round: a power cut in it may leave the intent beside a slot that is torn or missing, and then recovery
        // ends the batch as one that never began.
        let mut slots = self.files.iter_mut().filter_map(|file| file.unsynced.take());
        let synced =
            slots.try_for_each(slot::sync).and_then(|()| journal.sync().map_err(|e| write_error(e, "the journal")));
        drop(slots);
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
        let by_link = || platform::exchange_by_link(a, b, &slot::spare_name(&file.slot));
        let result = match self.options.allow_exchange {
            true => match platform::exchange(a, b) {
                Err(e) if platform::is_unsupported(e) => by_link(),
                answer => answer.map_err(RenameError::from),
            },
            false => by_link(),
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
        for attempt in 0..1000 {
            let path = rescue_path(rev, i, attempt)?;
            self.root.create_parents(&path, self.is_fully_durable())?;
            let Some(inbox) = self.root.open_parent(&path)? else { continue };
            let from = NameInDir { dir: undo, name: &file.slot };
            match platform::rename_new(from, NameInDir { dir: inbox.as_fd(), name: file_name(&path) }) {
                Ok(()) => {
                    let _ = platform::sync(&inbox);
                    self.warnings.push(rescued_warning(&path, Some(&file.path)));
                    return Ok(());
                }
                Err(e) if e.errno == Errno::NOENT => return Ok(()),
                Err(e) if e.errno == Errno::EXIST => {}
                Err(e) => return Err(write_error(e.errno, &format!("'{path}'"))),
            }
        }
        Err(Rejection::new(Code::Io, "'inbox/' has too many rescued texts"))
    }

    fn sync_dirs(&mut self) -> Result<(), Rejection> {
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
