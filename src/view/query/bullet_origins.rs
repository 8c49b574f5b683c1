//! What this machine knows of bullets: from the journal who wrote them, when, and from which source; from the last
//! check which of their anchors are stale.
//!
//! Never depends on a bullet's position: one that moved within its file keeps its origin.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::item_facts::ItemDate;
use super::origin_table::{OriginTable, TableBuilder};
use crate::change::{EntryOutcome, JournalEntry};
use crate::document::{Document, Handle};
use crate::path::{MemoryPath, SourceAddress};
use crate::view::stale_anchors::{AnchoredBulletKey, StaleAnchor, StaleAnchors};

/// The origin of a bullet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulletOrigin {
    pub at: Timestamp,
    /// The actor of the journal entry: an agent or a person.
    pub by: String,
    pub source: Option<String>,
}

/// The origins of bullets, by file and handle.
#[derive(Clone, Debug, Default)]
pub struct BulletOrigins {
    origins: Vec<BulletOrigin>,
    bullets: HashMap<Handle, Vec<(MemoryPath, usize)>>,
    /// The origins from earlier entries.
    older: OriginTable,
    /// The time zone of days; without one UTC.
    pub zone: Option<TimeZone>,
    /// Not from the journal: set by the caller.
    pub stale_anchors: StaleAnchors,
    /// Those of memories that are read with this one, by the name in front of their paths.
    sources: Vec<(String, BulletOrigins)>,
}

impl BulletOrigins {
    /// Reads journal entries, oldest first; if a text was written twice, the later entry counts.
    pub fn from_journal(entries: &[JournalEntry]) -> BulletOrigins {
        let mut origins = BulletOrigins::default();
        for entry in entries.iter().filter(|e| e.outcome == EntryOutcome::Done && e.inverts.is_none()) {
            let texts = entry.operations.iter().flat_map(new_texts);
            let files = entry.files.iter().map(|file| file.path.clone()).collect();
            origins.add(&entry.header.at, &entry.header.actor, entry.header.source.as_deref(), texts, files);
        }
        origins
    }

    /// Adds a change that is neither an undo nor a redo: its time, actor, source, the texts that it wrote and its
    /// files. Call it in the order of the journal.
    pub fn add<'t>(
        &mut self,
        at: &str,
        actor: &str,
        source: Option<&str>,
        texts: impl Iterator<Item = &'t str>,
        files: Vec<MemoryPath>,
    ) {
        let Ok(at) = at.parse() else { return };
        let number = self.origins.len();
        self.origins.push(BulletOrigin { at, by: actor.to_owned(), source: source.map(str::to_owned) });
        for handle in texts.flat_map(text_handles) {
            self.insert(handle, &files, number);
        }
    }

    /// Origins to which later entries are added, with a note of the earlier ones; `None` if the note cannot be read.
    pub fn from_note(note: String) -> Option<BulletOrigins> {
        Some(BulletOrigins { older: OriginTable::from_note(note)?, ..BulletOrigins::default() })
    }

    /// Everything as a note.
    pub fn to_note(&self) -> String {
        let mut builder = TableBuilder::default();
        builder.add_table(&self.older);
        for (handle, files) in &self.bullets {
            for (path, number) in files {
                builder.add(*handle, path, &self.origins[*number]);
            }
        }
        builder.to_note()
    }

    /// Adds the origins of a memory whose files are named `NAME:PATH`.
    pub fn add_source(&mut self, name: &str, origins: BulletOrigins) {
        self.sources.push((name.to_owned(), origins));
    }

    /// The origins of the memory that a path names, and the path there.
    fn source_of(&self, path: &MemoryPath) -> Option<(&BulletOrigins, MemoryPath)> {
        let named = SourceAddress::parse_shared(path.as_str()).filter(|_| !self.sources.is_empty())?;
        let (_, origins) = self.sources.iter().find(|(name, _)| name == named.source)?;
        Some((origins, MemoryPath::from_disk_name(named.address).ok()?))
    }

    pub fn is_empty(&self) -> bool {
        self.bullets.is_empty() && self.older.is_empty() && self.sources.is_empty()
    }

    /// Whether no anchor is known to be stale.
    pub fn has_no_stale_anchor(&self) -> bool {
        self.stale_anchors.is_empty() && self.sources.iter().all(|(_, origins)| origins.has_no_stale_anchor())
    }

    /// Whether the last check found the anchor of a bullet stale.
    pub fn stale_anchor(&self, path: &MemoryPath, handle: Handle, anchor: &str) -> Option<StaleAnchor> {
        match self.source_of(path) {
            Some((origins, path)) => origins.stale_anchor(&path, handle, anchor),
            None => self.stale_anchors.find(AnchoredBulletKey::new(path, handle, anchor)),
        }
    }

    /// When a bullet was written.
    pub fn date(&self, path: &MemoryPath, handle: Handle) -> Option<ItemDate> {
        self.find(path, handle).map(|origin| self.date_of(&origin))
    }

    /// The date of an origin.
    pub fn date_of(&self, origin: &BulletOrigin) -> ItemDate {
        ItemDate::of_time(origin.at, self.zone.as_ref().unwrap_or(&TimeZone::UTC))
    }

    pub fn find(&self, path: &MemoryPath, handle: Handle) -> Option<BulletOrigin> {
        if let Some((origins, path)) = self.source_of(path) {
            return origins.find(&path, handle);
        }
        let recent = self.bullets.get(&handle).and_then(|files| files.iter().find(|(file, _)| file == path));
        match recent {
            Some((_, number)) => Some(self.origins[*number].clone()),
            None => self.older.find(path, handle),
        }
    }

    fn insert(&mut self, handle: Handle, paths: &[MemoryPath], number: usize) {
        let files = self.bullets.entry(handle).or_default();
        for path in paths {
            match files.iter_mut().find(|(file, _)| file == path) {
                Some((_, last)) => *last = number,
                None => files.push((path.clone(), number)),
            }
        }
    }
}

/// The new texts of an operation in its journal form. A removal has none: its text is an old one, whose bullet keeps its
/// age if the removal is undone.
pub fn new_texts(operation: &Value) -> Vec<&str> {
    let field = |name: &str| operation.get(name).and_then(Value::as_str);
    if field("op") == Some("rm") {
        return Vec::new();
    }
    let pairs = operation.get("pairs").and_then(Value::as_array).into_iter().flatten();
    field("text")
        .into_iter()
        .chain(pairs.filter_map(|pair| pair.as_array().and_then(|p| p.get(1)).or_else(|| pair.get("new"))?.as_str()))
        .collect()
}

/// The handle of a whole text as one bullet, and those of the bullets that it contains.
fn text_handles(text: &str) -> Vec<Handle> {
    let mut all = vec![Handle::of(text)];
    if text.contains('\n') || text.starts_with(['-', '*', '+']) {
        let document = Document::parse(text);
        all.extend((0..document.bullets().len()).map(|b| Handle::of(document.bullet_raw(b))));
    }
    all
}
