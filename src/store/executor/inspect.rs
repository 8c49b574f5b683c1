//! Finds out which text of a batch a file has: the one before it, the one after it, or another.
//!
//! Never changes a file.

use std::time::{Duration, Instant};

use super::{
    ActionResult, Code, CommitExecutor, FileChangeKind, PlainFile, Rejection, TextLocation, TextState, file_name,
    open_plain, platform, read_contents,
};
use crate::store::root::read_pieces;

/// How long to wait for a file that another process has open for writing.
const WRITER_WAIT: Duration = Duration::from_millis(200);
/// The same during recovery: a copy that its maker has not quite closed must not take back an acknowledged change.
const RECOVERY_WRITER_WAIT: Duration = Duration::from_secs(1);
/// Interval between two checks during that wait.
const WRITER_POLL: Duration = Duration::from_millis(4);

/// How often reading a text is tried again: too many open files, or a busy device, may be over soon.
const READ_RETRIES: usize = 5;

impl CommitExecutor<'_> {
    pub(super) fn open_text(&mut self, place: TextLocation, i: usize) -> Result<Option<PlainFile>, Rejection> {
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

    /// Inspects a text. A slot that a power cut tore counts as absent: it holds no text.
    pub(super) fn inspect_or_torn(&mut self, place: TextLocation, i: usize) -> Result<TextState, Rejection> {
        let state = self.inspect(place, i)?;
        let is_torn = state == TextState::Foreign && place == TextLocation::Slot && self.is_torn_slot(i);
        Ok(if is_torn { TextState::Absent } else { state })
    }

    /// Inspects a text. One that cannot be opened is tried again; then the error is returned, and recovery decides
    /// later.
    pub(super) fn inspect(&mut self, place: TextLocation, i: usize) -> Result<TextState, Rejection> {
        let mut attempt = 0;
        loop {
            let observed = match self.open_text(place, i) {
                Ok(None) => Ok(TextState::Absent),
                Ok(Some(plain)) => self.classify(place, i, &plain),
                Err(error) => Err(error),
            };
            match observed {
                // A link or a directory: another process put it there.
                Err(error) if error.code == Code::UnsafeFile => return Ok(TextState::Foreign),
                Err(_) if self.has_foreign_mode(place, i) => return Ok(TextState::Foreign),
                Err(_) if attempt < READ_RETRIES => {
                    attempt += 1;
                    std::thread::sleep(WRITER_POLL);
                }
                result => return result,
            }
        }
    }

    /// Whether the file that a name leads to has another mode than both texts of the batch, so it is neither.
    pub(super) fn has_foreign_mode(&self, place: TextLocation, i: usize) -> bool {
        let file = &self.files[i];
        let stat = match (place, &file.parent) {
            (TextLocation::Slot, _) => self.undo().ok().and_then(|undo| platform::stat_name(undo, &file.slot).ok()),
            (TextLocation::Target, Some(dir)) => platform::stat_name(dir, file_name(&file.path)).ok(),
            (TextLocation::Target, None) => None,
        };
        let is_known = |mode| [&file.base, &file.ours].into_iter().flatten().any(|text| text.mode == mode);
        stat.is_some_and(|stat| !is_known(platform::mode(&stat)))
    }

    pub(super) fn classify(&self, place: TextLocation, i: usize, plain: &PlainFile) -> Result<TextState, Rejection> {
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

    pub(super) fn classify_contents(
        &self,
        place: TextLocation,
        i: usize,
        plain: &PlainFile,
    ) -> Result<TextState, Rejection> {
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

    /// Reads a file once. Returns whether it has the text before the batch, whether it has the text after it, and
    /// whether it is empty.
    pub(super) fn compare(&self, i: usize, plain: &PlainFile) -> Result<[bool; 3], Rejection> {
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
    pub(super) fn check_target(&mut self, i: usize) -> Result<ActionResult, Rejection> {
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
}
