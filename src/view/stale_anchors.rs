//! Anchors that the last `check --anchors` on this machine found stale: its note, and the mark of their items.
//!
//! Never contains memory text: an item is known by a hash, so one whose text or anchor changed since is not marked.

use std::collections::BTreeMap;

use memchr::memmem;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::document::{Document, Handle, MetaKey};
use crate::path::MemoryPath;

/// The name of the note below `.memdir/`.
pub const STALE_ANCHORS_NOTE: &str = "anchors";
/// The first line of the note.
const HEADER: &str = "anchors 1";

/// Why an anchor is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StaleAnchor {
    /// Its lines are elsewhere.
    Moved,
    /// Its lines are nowhere in the file.
    Changed,
    /// Its file does not exist.
    Gone,
}

impl StaleAnchor {
    const ALL: [StaleAnchor; 3] = [StaleAnchor::Moved, StaleAnchor::Changed, StaleAnchor::Gone];

    /// Its name in JSON and in the note.
    pub fn name(self) -> &'static str {
        match self {
            StaleAnchor::Moved => "moved",
            StaleAnchor::Changed => "changed",
            StaleAnchor::Gone => "gone",
        }
    }
}

/// The mark behind the text of an item, for the state of its anchor: ` (anchor changed)`.
pub fn anchor_mark(state: StaleAnchor) -> String {
    format!(" (anchor {})", state.name())
}

/// A bullet with its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnchoredBulletKey(u64);

impl AnchoredBulletKey {
    /// `anchor` is the value of the metadata key.
    pub fn new(path: &MemoryPath, handle: Handle, anchor: &str) -> AnchoredBulletKey {
        let digest: [u8; 32] = Sha256::digest(format!("{path}\0{}\0{anchor}", handle.0)).into();
        AnchoredBulletKey(digest[..8].iter().fold(0, |key, byte| key << 8 | u64::from(*byte)))
    }
}

/// The stale anchors of a memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaleAnchors(BTreeMap<AnchoredBulletKey, StaleAnchor>);

impl StaleAnchors {
    /// Reads the note; a note of another form names nothing.
    pub fn from_note(note: &str) -> StaleAnchors {
        let mut lines = note.lines();
        if lines.next() != Some(HEADER) {
            return StaleAnchors::default();
        }
        let row = |line: &str| {
            let (key, state) = line.split_once(' ')?;
            let state = StaleAnchor::ALL.into_iter().find(|known| known.name() == state)?;
            Some((AnchoredBulletKey(u64::from_str_radix(key, 16).ok()?), state))
        };
        StaleAnchors(lines.filter_map(row).collect())
    }

    pub fn to_note(&self) -> String {
        let rows = self.0.iter().map(|(key, state)| format!("{:016x} {}\n", key.0, state.name()));
        format!("{HEADER}\n{}", rows.collect::<String>())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records what a check found; `None` for an anchor that is not stale.
    pub fn record(&mut self, key: AnchoredBulletKey, state: Option<StaleAnchor>) {
        match state {
            Some(state) => drop(self.0.insert(key, state)),
            None => drop(self.0.remove(&key)),
        }
    }

    /// Whether a file may have stale anchors, without parsing it: true for some that have none, too.
    pub fn may_concern(&self, bytes: &[u8]) -> bool {
        !self.is_empty() && memmem::find(bytes, format!("{}=", MetaKey::Anchor.name()).as_bytes()).is_some()
    }

    /// The number of stale anchors in a file.
    pub fn count_in(&self, document: &Document, path: &MemoryPath) -> usize {
        let is_stale = |bullet: &usize| {
            let meta = document.bullet_meta(*bullet);
            let anchor = meta.as_ref().and_then(|meta| meta.valid(MetaKey::Anchor));
            anchor.is_some_and(|anchor| {
                self.find(AnchoredBulletKey::new(path, Handle::of(document.bullet_raw(*bullet)), anchor)).is_some()
            })
        };
        if self.is_empty() { 0 } else { (0..document.bullets().len()).filter(is_stale).count() }
    }

    pub fn find(&self, key: AnchoredBulletKey) -> Option<StaleAnchor> {
        self.0.get(&key).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_stale_anchors_until_text_or_anchor_change() {
        let path = |name: &str| MemoryPath::new(name).unwrap();
        let key = |name: &str, text: &str, anchor: &str| AnchoredBulletKey::new(&path(name), Handle::of(text), anchor);
        let mut stale = StaleAnchors::default();
        stale.record(key("facts/a.md", "Retries", "a.rs:1"), Some(StaleAnchor::Changed));
        stale.record(key("facts/a.md", "Backoff", "a.rs:1"), Some(StaleAnchor::Gone));
        stale.record(key("facts/a.md", "Backoff", "a.rs:1"), None);
        let read = StaleAnchors::from_note(&stale.to_note());
        assert_eq!(read, stale);
        assert_eq!(read.find(key("facts/a.md", "Retries", "a.rs:1")), Some(StaleAnchor::Changed));
        for other in [
            ("facts/b.md", "Retries", "a.rs:1"),
            ("facts/a.md", "Retry", "a.rs:1"),
            ("facts/a.md", "Retries", "a.rs:2"),
        ] {
            assert_eq!(read.find(key(other.0, other.1, other.2)), None, "{other:?}");
        }
        assert!(!stale.to_note().contains("facts") && !stale.to_note().contains("a.rs"));
    }

    #[test]
    fn a_damaged_note_names_less() {
        for note in ["", "anchors 2\n0000000000000001 gone\n", "anchors 1\nx gone\n1 no\n\u{0}\n", "{}"] {
            assert!(StaleAnchors::from_note(note).is_empty(), "{note:?}");
        }
        assert!(!StaleAnchors::from_note("anchors 1\n\n0000000000000001 gone\n0000").is_empty());
    }
}
