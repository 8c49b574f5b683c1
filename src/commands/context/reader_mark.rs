//! The mark of a reader: the last revision that it has seen of each memory that it reads, and the outside edits that
//! were reported to it.
//!
//! Never needed for correctness: without a mark, the next context only reports no updates.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::change::{EntryOutcome, Etag, JournalEntry};
use crate::commands::Session;
use crate::path::MemoryPath;
use crate::store::Store;
use crate::view::context::delta::SeenRevision;
use crate::view::context::seen_items::SeenItems;
use crate::view::query::bullet_origins::BulletOrigins;

/// How much a reader has seen of a memory, and of each layer that is read with it.
#[derive(Clone)]
pub struct ReaderMark {
    own: MemoryMark,
    layers: Vec<(Arc<Session>, MemoryMark)>,
}

impl fmt::Debug for ReaderMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layers: Vec<&MemoryMark> = self.layers.iter().map(|(_, mark)| mark).collect();
        f.debug_struct("ReaderMark").field("own", &self.own).field("layers", &layers).finish()
    }
}

impl ReaderMark {
    pub(super) fn new(own: MemoryMark, layers: Vec<(Arc<Session>, MemoryMark)>) -> ReaderMark {
        ReaderMark { own, layers }
    }

    /// Saves the mark in the reader's memory, whose store is given, and in its layers, on a best-effort basis.
    pub(crate) fn save(&self, store: &Store) {
        self.own.save(store);
        self.layers.iter().for_each(|(layer, mark)| mark.save(&layer.store));
    }
}

/// The text of a file that another program changed, as a reader has seen it.
pub struct OutsideVersion {
    pub etag: Etag,
    /// `None` if there are too many.
    pub items: Option<SeenItems>,
}

/// How much of one memory a reader has seen; stored as JSON below its `.memdir/`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryMark {
    /// The name of the reader.
    reader: String,
    /// The last revision that it has seen; 0 before the first.
    rev: u64,
    /// The time of that revision. It detects that the journal was replaced: another journal has another time for this
    /// number.
    #[serde(default)]
    at: Option<String>,
    /// Files changed outside memdir, with the etags that the reader has seen; none for a removed file.
    #[serde(default)]
    outside: BTreeMap<String, Option<String>>,
    /// What the reader has seen of these files, as [`SeenItems::to_text`] writes it: their texts are in no history.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    items: BTreeMap<String, String>,
    /// The files that existed. Without them, adding or removing a file that memdir never wrote would go unnoticed.
    files: FileNames,
}

impl MemoryMark {
    /// Loads the mark of a reader; `None` on its first look.
    pub fn load(store: &Store, reader: &str) -> Option<MemoryMark> {
        let mark: MemoryMark = store.read_json_note(&note_name(reader))?;
        (mark.reader == reader).then_some(mark)
    }

    /// The mark of a reader that has seen these revisions and files, and was shown these outside edits.
    pub fn new(
        reader: &str,
        revisions: &[JournalEntry],
        files: &FileNames,
        outside: HashMap<MemoryPath, Option<OutsideVersion>>,
    ) -> MemoryMark {
        // A pending revision is reported once it is either done or undone.
        let decided = revisions.iter().take_while(|r| r.outcome != EntryOutcome::Pending).last();
        MemoryMark {
            reader: reader.to_owned(),
            rev: decided.map_or(0, |r| r.rev),
            at: decided.map(|r| r.header.at.clone()),
            files: files.clone(),
            items: outside
                .iter()
                .filter_map(|(path, text)| Some((path.to_string(), text.as_ref()?.items.as_ref()?.to_text())))
                .collect(),
            outside: outside
                .into_iter()
                .map(|(path, text)| (path.to_string(), text.map(|text| text.etag.hex())))
                .collect(),
        }
    }

    /// Whether the mark belongs to this journal.
    pub fn matches_journal(&self, revisions: &[JournalEntry]) -> bool {
        let last = revisions.last().map_or(0, |r| r.rev);
        let own_entry = revisions.iter().find(|r| r.rev == self.rev);
        // Gc may have removed its revision together with all older ones.
        self.rev <= last && own_entry.is_none_or(|own| Some(&own.header.at) == self.at.as_ref())
    }

    /// The last revision that the reader has seen.
    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// The etag that the reader has seen of a file changed outside memdir; `Some(None)` if the file was removed, `None`
    /// if it was not changed outside.
    pub fn outside(&self, path: &MemoryPath) -> Option<Option<Etag>> {
        self.outside.get(path.as_str()).map(|hex| hex.as_deref().and_then(Etag::from_hex))
    }

    /// What the reader has seen of a file changed outside memdir.
    pub fn items(&self, path: &MemoryPath) -> Option<SeenItems> {
        self.items.get(path.as_str()).map(|text| SeenItems::from_text(text))
    }

    /// The files that existed at the last look.
    pub fn files(&self) -> &FileNames {
        &self.files
    }

    /// The revision since which updates are reported, and the command that shows the changes since then.
    pub fn since(&self, revisions: &[JournalEntry]) -> SeenRevision {
        let rev = format!("r{}", self.rev);
        let command = if revisions.iter().any(|r| r.rev == self.rev) {
            format!("memdir diff --since {rev}")
        } else {
            "memdir log".to_owned()
        };
        SeenRevision { rev, command }
    }

    /// When and by whom bullets were written by memdir since the last look.
    pub fn new_origins(&self, revisions: &[JournalEntry]) -> BulletOrigins {
        BulletOrigins::from_journal(&revisions[revisions.partition_point(|r| r.rev <= self.rev)..])
    }

    /// Saves the mark on a best-effort basis: on a read-only mount the next context reports the same updates again.
    pub(crate) fn save(&self, store: &Store) {
        let name = note_name(&self.reader);
        let Ok(text) = serde_json::to_string(self) else { return };
        if store.read_note(&name).as_deref() != Some(&text) {
            drop(store.write_note_unlocked(&name, &text));
        }
    }
}

/// A set of file names as one string, because the usual operation is to compare two sets that are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileNames(String);

impl FileNames {
    /// The separator; no path contains it.
    const SEPARATOR: &str = "//";

    /// Joins the paths in the given order.
    pub fn join<'a>(paths: impl Iterator<Item = &'a MemoryPath>) -> FileNames {
        let mut joined = String::new();
        paths.for_each(|path| joined.extend([path.as_str(), FileNames::SEPARATOR]));
        FileNames(joined)
    }

    /// The names as a set.
    pub fn to_set(&self) -> HashSet<&str> {
        self.0.split(FileNames::SEPARATOR).filter(|name| !name.is_empty()).collect()
    }
}

/// The file name of the mark below `.memdir/`. It is a hash, because a reader name may contain any characters.
fn note_name(reader: &str) -> String {
    format!("mark-{}", Etag::of(reader.as_bytes()).short())
}
