//! What readers of several files see while a batch is half written: all of it as not written.
//!
//! Never writes, never locks, never waits for a writer for long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use super::journal::{Journal, Tail};
use super::line::{Intent, Line, lines};
use super::root::{Root, open_plain, version};
use super::{Found, Reader, Store, open_journal, slot};
use crate::change::{Etag, Version};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// How often a reading is made again when the journal itself was replaced meanwhile.
const ROUNDS: usize = 8;
/// How often a writer that is at work is given a moment first.
const MOMENTS: usize = 8;
/// The moment.
const MOMENT: Duration = Duration::from_micros(500);
/// How often one file is looked at when it changes between two looks.
const LOOKS: usize = 16;

/// What a later intent says of one file.
#[derive(Clone)]
struct Step {
    before: Option<Etag>,
    after: Option<Etag>,
    mode: u32,
    slot: String,
}

/// What happened to files since the state that is being read, while a consistent reading runs.
#[derive(Default)]
pub struct Overlay {
    on: AtomicBool,
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    files: HashMap<String, Vec<Step>>,
    /// The journal, and how far it was read, in bytes: intents that are added behind that count as not written.
    pinned: Option<(Journal, u64)>,
}

impl Overlay {
    /// Whether there is nothing to look up.
    pub fn is_empty(&self) -> bool {
        !self.on.load(Ordering::Acquire)
    }

    fn set(&self, files: HashMap<String, Vec<Step>>, pinned: Option<(Journal, u64)>) {
        self.on.store(!files.is_empty() || pinned.is_some(), Ordering::Release);
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = State { files, pinned };
    }

    /// Learns what was written since. Whatever memdir wrote to a file that was read before this call is known after it.
    fn refresh(&self) {
        let read = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if read.pinned.as_ref().is_none_or(|(journal, known)| journal.grown().is_ok_and(|size| size == *known)) {
            return;
        }
        drop(read);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let State { files, pinned: Some((journal, known)) } = &mut *state else { return };
        let Ok(bytes) = journal.since(*known) else { return };
        let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |i| i + 1);
        *known += whole as u64;
        for line in lines(&bytes[..whole]) {
            if let Line::Intent(intent) = line {
                learn(files, &intent);
            }
        }
    }

    /// Whether memdir wrote to a file since the state that is being read; asked after the file was read.
    pub fn touched(&self, path: &MemoryPath) -> bool {
        self.refresh();
        self.state.read().unwrap_or_else(PoisonError::into_inner).files.contains_key(path.as_str())
    }

    fn steps(&self, path: &MemoryPath) -> Option<Vec<Step>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).files.get(path.as_str()).cloned()
    }

    /// A file as it was in the state that is being read; a text that a person saved since stands.
    pub fn read(&self, root: &Root, path: &MemoryPath) -> Result<Option<Version>, Rejection> {
        for _ in 0..LOOKS {
            let now = root.read(path)?;
            self.refresh();
            let Some(steps) = self.steps(path) else { return Ok(now) };
            let etag = now.as_ref().map(|v| v.etag);
            let before = steps[0].before;
            if etag == before || !steps.iter().any(|step| step.after == etag) {
                return Ok(now);
            }
            let Some(before) = before else { return Ok(None) };
            for step in steps.iter().filter(|step| step.before == Some(before)) {
                if let Some(displaced) = displaced(root, step, before)? {
                    return Ok(Some(displaced));
                }
            }
            // Put back between the two looks.
        }
        root.read(path)
    }

    /// Brings a walk back to the state that is being read: what was made since is left out, what was removed comes back.
    pub fn amend(&self, root: &Root, under: &str, found: &mut Vec<Found>) {
        if self.is_empty() {
            return;
        }
        self.refresh();
        let names: Vec<String> =
            self.state.read().unwrap_or_else(PoisonError::into_inner).files.keys().cloned().collect();
        for name in names {
            let Ok(path) = MemoryPath::found(&name) else { continue };
            let at = found.binary_search_by(|f| f.path.cmp(&path));
            let inside = under.is_empty() || name.strip_prefix(under).is_some_and(|rest| rest.starts_with('/'));
            match (at, self.read(root, &path)) {
                (Ok(i), Ok(None)) => drop(found.remove(i)),
                (Err(i), Ok(Some(_))) if inside => found.insert(i, Found { path, size: 0, refused: None }),
                _ => {}
            }
        }
    }

    /// Reads a file for [`Store::each`].
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

/// The text that a batch took out of its place.
fn displaced(root: &Root, step: &Step, wanted: Etag) -> Result<Option<Version>, Rejection> {
    let Some(undo) = root.undo()? else { return Ok(None) };
    // Where files cannot be swapped in one step, the text lies under the spare name for a moment.
    for name in [step.slot.clone(), slot::spare(&step.slot)] {
        let Ok(Some(plain)) = open_plain(undo, &name, "an undo slot") else { continue };
        let held = version(&plain, "an undo slot")?;
        if held.etag == wanted {
            return Ok(Some(Version { mode: step.mode, ..held }));
        }
    }
    Ok(None)
}

fn learn(files: &mut HashMap<String, Vec<Step>>, intent: &Intent) {
    for (i, file) in intent.files.iter().enumerate() {
        let slot = slot::name(intent.rev, i);
        let step = Step { before: file.before(), after: file.after(), mode: file.mode, slot };
        files.entry(file.path.clone()).or_default().push(step);
    }
}

/// Runs a reading: once as things are, and where something was written meanwhile, once more with all that is written
/// after its beginning counted as not written.
pub fn consistent<T>(store: &Store, mut f: impl FnMut() -> T) -> Result<T, Rejection> {
    let root = store.root();
    let (mut moments, mut tries) = (0, 0);
    loop {
        let Some(journal) = open_journal(&root)? else {
            let answer = f();
            if open_journal(&root)?.is_none() || tries >= ROUNDS {
                return Ok(answer);
            }
            tries += 1;
            continue;
        };
        let before = journal.mark()?;
        let pending = pending(&journal)?;
        if !pending.is_empty() && moments < MOMENTS {
            moments += 1;
            std::thread::sleep(MOMENT);
            continue;
        }
        tries += 1;
        let (inode, whole) = (journal.inode, journal.whole_until()?);
        store.overlay.set(pending, (tries > 1).then_some((journal, whole)));
        let answer = f();
        store.overlay.set(HashMap::new(), None);
        let now = open_journal(&root)?;
        let same = now.as_ref().is_some_and(|journal| journal.inode == inode);
        let untouched = || now.as_ref().is_some_and(|journal| journal.mark().is_ok_and(|mark| mark == before));
        if same && (tries > 1 || untouched()) || tries >= ROUNDS {
            return Ok(answer);
        }
    }
}

fn pending(journal: &Journal) -> Result<HashMap<String, Vec<Step>>, Rejection> {
    let mut files = HashMap::new();
    if let Tail::Open(_, Some(intent)) = journal.tail()? {
        learn(&mut files, &intent);
    }
    Ok(files)
}
