//! What readers of several files see while a batch is half written: all of it as not written.
//!
//! Never writes, never locks, never waits for a writer for long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use super::journal::{Journal, Tail};
use super::protocol::Kind;
use super::root::{Root, open_plain, version};
use super::{Found, Reader, Store, open_journal, slot};
use crate::change::{Etag, Version};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// How often a reading is made again.
const ROUNDS: usize = 16;
/// How often a writer that is at work is given a moment first.
const MOMENTS: usize = 8;
/// The moment.
const MOMENT: Duration = Duration::from_micros(500);

/// What an open intent says of one file.
#[derive(Clone)]
pub struct Pending {
    kind: Kind,
    before: Option<Etag>,
    after: Option<Etag>,
    mode: u32,
    slot: String,
}

/// The files of an open intent, while a consistent reading runs.
#[derive(Default)]
pub struct Overlay {
    on: AtomicBool,
    files: RwLock<Arc<HashMap<String, Pending>>>,
}

impl Overlay {
    /// Whether there is nothing to look up.
    pub fn is_empty(&self) -> bool {
        !self.on.load(Ordering::Acquire)
    }

    /// What is pending for a file.
    pub fn of(&self, path: &MemoryPath) -> Option<Pending> {
        if self.is_empty() { None } else { self.files().get(path.as_str()).cloned() }
    }

    fn files(&self) -> Arc<HashMap<String, Pending>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, files: HashMap<String, Pending>) {
        self.on.store(!files.is_empty(), Ordering::Release);
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(files);
    }

    /// Brings a walk back to the state before the open batch: what it made is left out, what it removed comes back.
    pub fn amend(&self, root: &Root, under: &str, found: &mut Vec<Found>) {
        if self.is_empty() {
            return;
        }
        let files = self.files();
        for (name, pending) in files.iter() {
            let Ok(path) = MemoryPath::found(name) else { continue };
            let at = found.binary_search_by(|f| f.path.cmp(&path));
            let inside = under.is_empty() || name.strip_prefix(under).is_some_and(|rest| rest.starts_with('/'));
            match (at, pending.read(root, &path)) {
                (Ok(i), Ok(None)) => drop(found.remove(i)),
                (Err(i), Ok(Some(_))) if inside => found.insert(i, Found { path, size: 0, refused: None }),
                _ => {}
            }
        }
    }
}

impl Pending {
    /// The file as it was before the open batch; a text that a person saved since stands.
    pub fn read(&self, root: &Root, path: &MemoryPath) -> Result<Option<Version>, Rejection> {
        let now = root.read(path)?;
        if now.as_ref().map(|v| v.etag) != self.after {
            return Ok(now);
        }
        if self.kind == Kind::Create {
            return Ok(None);
        }
        match self.displaced(root)? {
            Some(before) => Ok(Some(before)),
            // Put back between the two looks.
            None => root.read(path),
        }
    }

    fn displaced(&self, root: &Root) -> Result<Option<Version>, Rejection> {
        let Some(undo) = root.undo()? else { return Ok(None) };
        let Some(plain) = open_plain(undo, &self.slot, "an undo slot")? else { return Ok(None) };
        let held = version(&plain, "an undo slot")?;
        Ok((Some(held.etag) == self.before).then_some(Version { mode: self.mode, ..held }))
    }

    /// Reads the file for [`Store::each`].
    pub fn pass<T>(&self, root: &Root, found: &Found, limit: usize, f: Reader<'_, T>) -> T {
        match self.read(root, &found.path) {
            Ok(Some(v)) => {
                let found = Found { size: v.bytes.len() as u64, ..found.clone() };
                f(&found, Ok((&v.bytes[..v.bytes.len().min(limit)], v.bytes.len() <= limit)))
            }
            Ok(None) => {
                let gone = format!("'{}' does not exist any more", found.path);
                f(found, Err(Rejection::new(Code::FileNotFound, gone)))
            }
            Err(rejection) => f(found, Err(rejection)),
        }
    }
}

/// Runs a reading until nothing was written meanwhile.
pub fn consistent<T>(store: &Store, mut f: impl FnMut() -> T) -> Result<T, Rejection> {
    let root = store.root();
    let mut moments = 0;
    for round in 1.. {
        let journal = open_journal(&root)?;
        let before = journal.as_ref().map(Journal::mark).transpose()?;
        let pending = journal.as_ref().map_or(Ok(HashMap::new()), pending)?;
        if !pending.is_empty() && moments < MOMENTS {
            moments += 1;
            std::thread::sleep(MOMENT);
            continue;
        }
        store.overlay.set(pending);
        let answer = f();
        store.overlay.set(HashMap::new());
        let after = open_journal(&root)?.as_ref().map(Journal::mark).transpose()?;
        if before == after || round >= ROUNDS + MOMENTS {
            return Ok(answer);
        }
    }
    Ok(f())
}

fn pending(journal: &Journal) -> Result<HashMap<String, Pending>, Rejection> {
    let Tail::Open(_, Some(intent)) = journal.tail()? else { return Ok(HashMap::new()) };
    if intent.scrubbed {
        return Ok(HashMap::new());
    }
    let one = |(i, file): (usize, &super::line::IntentFile)| {
        let slot = slot::name(intent.rev, i);
        let pending = Pending { kind: file.kind(), before: file.before(), after: file.after(), mode: file.mode, slot };
        (file.path.clone(), pending)
    };
    Ok(intent.files.iter().enumerate().map(one).collect())
}
