//! Consistent reads of several files: while a batch is half written, readers see all of it as not written. A batch that
//! lost its end record in a power cut is judged as recovery would judge it.
//!
//! Never writes, never locks, and never waits long for a writer.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use super::journal::{Journal, JournalTail};
use super::record::{IntentRecord, JournalRecord, parse_records};
use super::root::{DataRoot, open_plain, read_version};
use super::{BufferCallback, FoundFile, Store, lock, open_journal_for_reading, recover, slot};
use crate::change::{Etag, FileVersion};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// How often a read is repeated if the journal itself was replaced meanwhile.
const MAX_READS: usize = 8;
/// How often a reader waits for an active writer before it reads.
const MAX_WRITER_WAITS: usize = 8;
/// The length of one such wait.
const WRITER_WAIT: Duration = Duration::from_micros(500);
/// How often one file is read again if it changes between two reads.
const MAX_FILE_READS: usize = 16;

/// What one later intent does to a file.
#[derive(Clone)]
struct OverlayStep {
    before: Option<Etag>,
    after: Option<Etag>,
    mode: u32,
    slot: String,
}

/// What happened to files since the state that is being read, during a consistent read.
#[derive(Default)]
pub struct PendingOverlay {
    active: AtomicBool,
    state: RwLock<OverlayState>,
}

#[derive(Default)]
struct OverlayState {
    files: HashMap<String, Vec<OverlayStep>>,
    /// The journal, and how far it was read, in bytes: later intents count as not written.
    pinned: Option<(Journal, u64)>,
}

impl PendingOverlay {
    /// Whether there is nothing to look up.
    pub fn is_empty(&self) -> bool {
        !self.active.load(Ordering::Acquire)
    }

    fn set(&self, files: HashMap<String, Vec<OverlayStep>>, pinned: Option<(Journal, u64)>) {
        self.active.store(!files.is_empty() || pinned.is_some(), Ordering::Release);
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = OverlayState { files, pinned };
    }

    /// Reads intents that were appended since. After this call every write of memdir to a file that was read before it
    /// is known.
    fn refresh(&self) {
        let read = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if read
            .pinned
            .as_ref()
            .is_none_or(|(journal, read_until)| journal.current_size().is_ok_and(|size| size == *read_until))
        {
            return;
        }
        drop(read);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let OverlayState { files, pinned: Some((journal, known)) } = &mut *state else { return };
        let Ok(bytes) = journal.bytes_since(*known) else { return };
        let complete = memchr::memrchr(b'\n', &bytes).map_or(0, |i| i + 1);
        *known += complete as u64;
        for line in parse_records(&bytes[..complete]) {
            if let JournalRecord::Intent(intent) = line {
                add_intent(files, &intent);
            }
        }
    }

    /// Whether memdir wrote to a file since the state that is being read; call it after reading the file.
    pub fn was_written(&self, path: &MemoryPath) -> bool {
        self.refresh();
        self.state.read().unwrap_or_else(PoisonError::into_inner).files.contains_key(path.as_str())
    }

    fn steps_of(&self, path: &MemoryPath) -> Option<Vec<OverlayStep>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).files.get(path.as_str()).cloned()
    }

    /// Returns a file as it was in the state that is being read; a text that a person saved since is returned as it is.
    pub fn read(&self, root: &DataRoot, path: &MemoryPath) -> Result<Option<FileVersion>, Rejection> {
        for _ in 0..MAX_FILE_READS {
            let now = root.read(path)?;
            self.refresh();
            let Some(steps) = self.steps_of(path) else { return Ok(now) };
            let was_absent = now.is_none();
            match text_before(root, &steps, now)? {
                // Its swap ended meanwhile.
                Some(None) if was_absent && root.read(path)?.is_some() => {}
                Some(text) => return Ok(text),
                // The file was restored between the two reads.
                None => {}
            }
        }
        root.read(path)
    }

    /// Restores a walk to the state that is being read: files created since are left out, files removed since are
    /// added.
    pub fn restore_walk(&self, root: &DataRoot, under: &str, found: &mut Vec<FoundFile>) {
        if self.is_empty() {
            return;
        }
        self.refresh();
        let names: Vec<String> =
            self.state.read().unwrap_or_else(PoisonError::into_inner).files.keys().cloned().collect();
        for name in names {
            let Ok(path) = MemoryPath::from_disk_name(&name) else { continue };
            let at = found.binary_search_by(|f| f.path.cmp(&path));
            let inside = under.is_empty() || name.strip_prefix(under).is_some_and(|rest| rest.starts_with('/'));
            match (at, self.read(root, &path)) {
                (Ok(i), Ok(None)) => drop(found.remove(i)),
                (Err(i), Ok(Some(_))) if inside => found.insert(i, FoundFile { path, size: 0, unsafe_reason: None }),
                _ => {}
            }
        }
    }

    /// Reads a file for [`Store::map_files`].
    pub fn read_for_callback<T>(
        &self,
        root: &DataRoot,
        found: &FoundFile,
        limit: usize,
        f: BufferCallback<'_, T>,
    ) -> T {
        match self.read(root, &found.path) {
            Ok(Some(v)) => {
                let mut bytes = Arc::unwrap_or_clone(v.bytes);
                let found = FoundFile { size: bytes.len() as u64, ..found.clone() };
                let is_complete = bytes.len() <= limit;
                bytes.truncate(limit);
                f(&found, Ok((&mut bytes, is_complete)))
            }
            Ok(None) => {
                let message = format!("'{}' no longer exists", found.path);
                f(found, Err(Rejection::new(Code::FileNotFound, message)))
            }
            Err(rejection) => f(found, Err(rejection)),
        }
    }
}

/// Follows a file's text back through the batches that wrote it: the slot of each holds the text that it displaced,
/// which may be a save that the batch did not expect and that will be put back. `None` if a slot is not there any more.
fn text_before(
    root: &DataRoot,
    steps: &[OverlayStep],
    now: Option<FileVersion>,
) -> Result<Option<Option<FileVersion>>, Rejection> {
    let mut text = now;
    for step in steps.iter().rev() {
        let etag = text.as_ref().map(|v| v.etag);
        // A save to a new file may be in the slot, too, while that file's creation is undone.
        let may_be_displaced = etag.is_none() && step.before.is_none();
        // Without a swap system call an old text has only its spare name for a moment.
        if etag.is_none()
            && step.before.is_some()
            && let Some(old) = read_slot(root, &slot::spare_name(&step.slot))?
        {
            text = Some(FileVersion { mode: step.mode, ..old });
            continue;
        }
        if etag == steps[0].before && !may_be_displaced {
            break;
        }
        if etag != step.after && !may_be_displaced {
            continue;
        }
        text = match (displaced_text(root, step)?, step.before) {
            (Some(displaced), _) => Some(displaced),
            (None, None) => None,
            (None, Some(_)) => return Ok(None),
        };
    }
    Ok(Some(text))
}

/// Returns the text that a batch displaced; `None` if it displaced none, or `rm --forget` erased it.
fn displaced_text(root: &DataRoot, step: &OverlayStep) -> Result<Option<FileVersion>, Rejection> {
    // Without a swap system call the text has the spare name for a moment.
    for name in [step.slot.clone(), slot::spare_name(&step.slot)] {
        let Some(slot_version) = read_slot(root, &name)? else { continue };
        let etag = Some(slot_version.etag);
        if etag == step.before {
            return Ok(Some(FileVersion { mode: step.mode, ..slot_version }));
        }
        if etag != step.after && !slot_version.bytes.is_empty() {
            return Ok(Some(slot_version));
        }
    }
    Ok(None)
}

/// Reads a slot; `None` if it does not exist, or cannot be opened.
fn read_slot(root: &DataRoot, name: &str) -> Result<Option<FileVersion>, Rejection> {
    let Some(undo) = root.undo_dir()? else { return Ok(None) };
    let Ok(Some(plain)) = open_plain(undo, name, "an undo slot") else { return Ok(None) };
    read_version(&plain, "an undo slot").map(Some)
}

fn add_intent(files: &mut HashMap<String, Vec<OverlayStep>>, intent: &IntentRecord) {
    for (i, file) in intent.files.iter().enumerate() {
        let slot = slot::name(intent.rev, i);
        let step = OverlayStep { before: file.before(), after: file.after(), mode: file.mode, slot };
        files.entry(file.path.clone()).or_default().push(step);
    }
}

/// Runs a read: first on the current state, and if something was written meanwhile, once more with everything written
/// after its start counted as not written.
pub fn read_consistently<T>(store: &Store, mut f: impl FnMut() -> T) -> Result<T, Rejection> {
    let root = store.root();
    let (mut writer_waits, mut tries) = (0, 0);
    loop {
        let Some(journal) = open_journal_for_reading(&root)? else {
            let result = f();
            if open_journal_for_reading(&root)?.is_none() || tries >= MAX_READS {
                return Ok(result);
            }
            tries += 1;
            continue;
        };
        let before = journal.tail_bytes()?;
        let mut pending = HashMap::new();
        if let JournalTail::Open(_, Some(intent)) = journal.read_tail()? {
            if writer_waits < MAX_WRITER_WAITS {
                writer_waits += 1;
                std::thread::sleep(WRITER_WAIT);
                continue;
            }
            match interrupted_batch(store, &root, &journal, &intent)? {
                BatchState::Applied => {}
                BatchState::Unfinished => add_intent(&mut pending, &intent),
                BatchState::Changing if tries < MAX_READS => {
                    tries += 1;
                    continue;
                }
                BatchState::Changing => add_intent(&mut pending, &intent),
            }
        }
        tries += 1;
        let (inode, complete) = (journal.inode, journal.complete_len()?);
        store.overlay.set(pending, (tries > 1).then_some((journal, complete)));
        let answer = f();
        store.overlay.set(HashMap::new(), None);
        let now = open_journal_for_reading(&root)?;
        let same_journal = now.as_ref().is_some_and(|journal| journal.inode == inode);
        let is_unchanged = || now.as_ref().is_some_and(|journal| journal.tail_bytes().is_ok_and(|mark| mark == before));
        if same_journal && (tries > 1 || is_unchanged()) || tries >= MAX_READS {
            return Ok(answer);
        }
    }
}

/// What readers make of a batch without an end record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState {
    /// Its writer is gone, and it is applied to every file: it may have been acknowledged.
    Applied,
    /// A writer is at work, or one was interrupted.
    Unfinished,
    /// The journal changed during the inspection.
    Changing,
}

/// Judges the last batch of a journal, which has no end record. The end record is not synced, so a power cut may take
/// it from a change that was acknowledged.
pub fn interrupted_batch(
    store: &Store,
    root: &DataRoot,
    journal: &Journal,
    intent: &IntentRecord,
) -> Result<BatchState, Rejection> {
    let is_latest = || -> Result<bool, Rejection> {
        let now = open_journal_for_reading(root)?;
        Ok(now.is_some_and(|now| (now.inode, now.size) == (journal.inode, journal.size)))
    };
    match lock::while_unlocked(root.dir.as_fd(), is_latest).transpose()? {
        None => return Ok(BatchState::Unfinished),
        Some(false) => return Ok(BatchState::Changing),
        Some(true) => {}
    }
    let is_applied = recover::is_applied(root, &store.options, intent);
    // The lock was released, so that a reader who is stopped blocks no writer: one may have recovered the batch since.
    Ok(match (is_latest()?, is_applied) {
        (false, _) => BatchState::Changing,
        (true, true) => BatchState::Applied,
        (true, false) => BatchState::Unfinished,
    })
}
