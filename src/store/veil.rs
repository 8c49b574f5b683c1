//! What a reader of a store is not shown: every text on its way out passes here.
//!
//! Knows no markdown: what may be seen of a text is asked of whoever opened the store.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::view::Overlay;
use super::{Found, Reader, Store};
use crate::change::{Entry, Version};
use crate::code::Rejection;
use crate::path::MemoryPath;

/// Says what a store shows. What needs looking up it is given the store without a veil for.
pub trait Veil: Send + Sync {
    /// Why something is not shown.
    fn refusal(&self) -> Rejection;

    /// The same, for another data dir.
    fn again(&self) -> Arc<dyn Veil>;

    /// Whether a file is hidden whatever stands in it, and whether or not it is there.
    fn closes(&self, path: &MemoryPath) -> bool;

    /// What may be seen of a file as it is: its bytes, fewer of them, or nothing.
    fn text<'b>(&self, path: &MemoryPath, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>>;

    /// What may be seen of a text that a file had.
    fn past<'b>(&self, bare: &Store, path: &MemoryPath, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>>;

    /// What may be seen of the journal.
    fn entries(&self, bare: &Store, entries: Vec<Entry>) -> Vec<Entry>;
}

/// A veil as a store carries it, and whether it was ever in the way of a file that was read.
pub(super) struct Worn {
    veil: Arc<dyn Veil>,
    cut: AtomicBool,
}

/// The largest file, in bytes.
const WHOLE: usize = 64 << 20;

impl Store {
    /// The same data dir for a reader who may not see everything. Nothing can be written through it: what is not shown
    /// would be lost.
    pub fn veiled(&self, veil: Arc<dyn Veil>) -> Store {
        Store { worn: Some(Worn { veil, cut: AtomicBool::new(false) }), ..self.bare() }
    }

    /// The same data dir, all of it.
    pub fn bare(&self) -> Store {
        let root = Mutex::new(self.root());
        Store { options: self.options.clone(), root, overlay: Overlay::default(), worn: None }
    }

    /// Whether a file that was read has parts that were not shown.
    pub fn held_back(&self) -> bool {
        self.worn.as_ref().is_some_and(|worn| worn.cut.load(Ordering::Relaxed))
    }

    /// The veil, where there is one.
    pub(super) fn veil(&self) -> Option<&dyn Veil> {
        self.worn.as_ref().map(|worn| &*worn.veil)
    }

    /// The same store once more, where there is a veil.
    pub(super) fn once_more(&self) -> Option<Box<Store>> {
        self.worn.as_ref().map(|worn| Box::new(self.veiled(worn.veil.clone())))
    }

    /// Refuses what needs the whole memory.
    ///
    /// # Errors
    /// What the veil says, where there is one.
    pub fn unveiled(&self) -> Result<(), Rejection> {
        self.veil().map_or(Ok(()), |veil| Err(veil.refusal()))
    }

    /// One file as it may be seen. The etag stays the whole file's: it says which text that is, and proves nothing of it.
    pub(super) fn seen(&self, path: &MemoryPath, read: Option<Version>) -> Result<Option<Version>, Rejection> {
        let Some(worn) = &self.worn else { return Ok(read) };
        if worn.veil.closes(path) {
            return Err(worn.veil.refusal());
        }
        let Some(version) = read else { return Ok(None) };
        let fewer = match worn.veil.text(path, &version.bytes) {
            None => return Err(worn.veil.refusal()),
            Some(Cow::Borrowed(all)) if all.len() == version.bytes.len() => return Ok(Some(version)),
            Some(fewer) => fewer.into_owned(),
        };
        worn.cut.store(true, Ordering::Relaxed);
        Ok(Some(Version { bytes: Arc::new(fewer), ..version }))
    }

    /// A text of the past, from wherever it came, as it may be seen; `None` where nothing of it may.
    pub fn recalled(&self, path: &MemoryPath, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let Some(veil) = self.veil() else { return Some(bytes) };
        if veil.closes(path) {
            return None;
        }
        veil.past(&self.bare(), path, &bytes).map(Cow::into_owned)
    }

    /// The same of a version.
    pub(super) fn remembered(&self, path: &MemoryPath, then: Option<Version>) -> Option<Version> {
        let version = then?;
        let bytes = self.recalled(path, version.bytes.to_vec())?;
        Some(Version { bytes: Arc::new(bytes), ..version })
    }

    /// The files of a walk that may be seen at all: those with something in them to see.
    pub(super) fn visible(&self, found: Vec<Found>) -> Vec<Found> {
        let Some(veil) = self.veil() else { return found };
        let found: Vec<Found> = found.into_iter().filter(|file| !veil.closes(&file.path)).collect();
        let shows = self.pass_on(&found, WHOLE, &|file, read| match read {
            Ok((bytes, _)) => veil.text(&file.path, bytes).is_some(),
            Err(_) => true,
        });
        found.into_iter().zip(shows).filter_map(|(file, shows)| shows.then_some(file)).collect()
    }

    /// Files one by one as they may be seen: what may be, only a whole text tells.
    pub(super) fn each_seen<T: Send>(
        &self,
        veil: &dyn Veil,
        files: &[Found],
        limit: usize,
        f: Reader<'_, T>,
    ) -> Vec<T> {
        self.pass_on(files, WHOLE, &|file, read| match read {
            Err(why) => f(file, Err(why)),
            Ok((bytes, _)) => match veil.text(&file.path, bytes) {
                None => f(file, Err(veil.refusal())),
                Some(seen) => {
                    let file = Found { size: seen.len() as u64, ..file.clone() };
                    f(&file, Ok((&seen[..seen.len().min(limit)], seen.len() <= limit)))
                }
            },
        })
    }

    /// The journal's entries as they may be seen.
    pub(super) fn told(&self, entries: Vec<Entry>) -> Vec<Entry> {
        match self.veil() {
            Some(veil) => veil.entries(&self.bare(), entries),
            None => entries,
        }
    }
}
