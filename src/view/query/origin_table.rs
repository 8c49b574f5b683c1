//! A table of bullets' origins as text, which is searched without being parsed: a memory may have a hundred thousand.
//!
//! Never read from a user: it is a note of this machine, with its checksum proven.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::bullet_origins::BulletOrigin;
use crate::document::Handle;
use crate::path::MemoryPath;

/// Size of a row, in bytes: handle, path, seconds since 1970, actor and source as hexadecimal numbers, and a newline.
/// Path, actor and source are indexes into the strings.
const ROW_BYTES: usize = 46;
/// Size of handle and path, by which rows are sorted, in bytes.
const KEY_BYTES: usize = 21;
/// The index that stands for "no source".
const NO_SOURCE: u32 = 0xff_ffff;

/// A table that is searched.
#[derive(Clone, Debug, Default)]
pub struct OriginTable {
    strings: Vec<String>,
    /// The index of each string.
    indexes: HashMap<String, u32>,
    /// The note, which ends with the rows, sorted.
    note: String,
    /// Where in it they start.
    rows: usize,
}

impl OriginTable {
    /// Reads a note: the strings as a JSON array on one line, and the rows.
    pub fn from_note(note: String) -> Option<OriginTable> {
        let (strings, rows) = note.split_once('\n')?;
        let start = strings.len() + 1;
        let strings: Vec<String> = serde_json::from_str(strings).ok()?;
        let indexes = strings.iter().cloned().zip(0..).collect();
        let is_table = rows.is_ascii() && rows.len().is_multiple_of(ROW_BYTES);
        is_table.then_some(OriginTable { strings, indexes, note, rows: start })
    }

    pub fn is_empty(&self) -> bool {
        self.rows == self.note.len()
    }

    /// The number of rows.
    fn len(&self) -> usize {
        (self.note.len() - self.rows) / ROW_BYTES
    }

    /// The origin of a bullet.
    pub fn find(&self, path: &MemoryPath, handle: Handle) -> Option<BulletOrigin> {
        let key = row_key(handle.0, *self.indexes.get(path.as_str())?);
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.row(middle)?[..KEY_BYTES].cmp(&key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return self.origin(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn row(&self, number: usize) -> Option<&str> {
        self.note.get(self.rows + number * ROW_BYTES..self.rows + (number + 1) * ROW_BYTES)
    }

    fn origin(&self, number: usize) -> Option<BulletOrigin> {
        let (_, value) = self.columns(number)?;
        Some(BulletOrigin {
            at: Timestamp::from_second(i64::try_from(value.seconds).ok()?).ok()?,
            by: self.strings.get(value.actor as usize)?.clone(),
            source: self.strings.get(value.source as usize).cloned(),
        })
    }

    fn columns(&self, number: usize) -> Option<((u64, u32), RowValue)> {
        let row = self.row(number)?;
        let hex = |from: usize, until: usize| u64::from_str_radix(row.get(from..until)?, 16).ok();
        let index = |from: usize| hex(from, from + 6).and_then(|n| u32::try_from(n).ok());
        let key = (hex(0, 15)?, index(15)?);
        Some((key, RowValue { seconds: hex(KEY_BYTES, 33)?, actor: index(33)?, source: index(39)? }))
    }
}

fn row_key(handle: u64, path: u32) -> String {
    format!("{handle:015x}{path:06x}")
}

/// When and by whom, and from which source, as indexes.
#[derive(Clone, Copy)]
struct RowValue {
    seconds: u64,
    actor: u32,
    source: u32,
}

/// A table that is written.
#[derive(Default)]
pub struct TableBuilder {
    strings: Vec<String>,
    indexes: HashMap<String, u32>,
    rows: BTreeMap<(u64, u32), RowValue>,
}

impl TableBuilder {
    /// Adds an earlier table; call it first.
    pub fn add_table(&mut self, table: &OriginTable) {
        (self.strings, self.indexes) = (table.strings.clone(), table.indexes.clone());
        self.rows = (0..table.len()).filter_map(|number| table.columns(number)).collect();
    }

    /// Adds an origin, instead of an earlier one of the same bullet.
    pub fn add(&mut self, handle: Handle, path: &MemoryPath, origin: &BulletOrigin) {
        let Ok(seconds) = u64::try_from(origin.at.as_second()) else { return };
        let path = self.index(path.as_str());
        let actor = self.index(&origin.by);
        let source = origin.source.as_deref().map_or(NO_SOURCE, |source| self.index(source));
        self.rows.insert((handle.0, path), RowValue { seconds, actor, source });
    }

    fn index(&mut self, text: &str) -> u32 {
        if let Some(index) = self.indexes.get(text) {
            return *index;
        }
        let index = self.strings.len() as u32;
        self.strings.push(text.to_owned());
        self.indexes.insert(text.to_owned(), index);
        index
    }

    /// The table as a note.
    pub fn to_note(&self) -> String {
        let mut out = serde_json::to_string(&self.strings).unwrap_or_default();
        out.push('\n');
        for ((handle, path), RowValue { seconds, actor, source }) in &self.rows {
            out.push_str(&row_key(*handle, *path));
            out.push_str(&format!("{seconds:012x}{actor:06x}{source:06x}\n"));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_keeps_the_newest_origin_of_every_bullet() {
        let path = |name: &str| MemoryPath::new(name).unwrap();
        let origin = |second: i64, by: &str, source: Option<&str>| {
            let at = Timestamp::from_second(second).unwrap();
            BulletOrigin { at, by: by.to_owned(), source: source.map(str::to_owned) }
        };
        let (a, b) = (path("facts/a.md"), path("facts/b.md"));
        let mut first = TableBuilder::default();
        for n in 0..100u64 {
            first.add(Handle(n << 40 | 7), &a, &origin(1_700_000_000 + n as i64, "me", None));
        }
        let first = OriginTable::from_note(first.to_note()).unwrap();
        let mut second = TableBuilder::default();
        second.add_table(&first);
        second.add(Handle(5 << 40 | 7), &b, &origin(1_800_000_000, "you", Some("talk \"x\"")));
        second.add(Handle(6 << 40 | 7), &a, &origin(1_900_000_000, "you", None));
        let second = OriginTable::from_note(second.to_note()).unwrap();
        assert_eq!(second.find(&a, Handle(5 << 40 | 7)), Some(origin(1_700_000_005, "me", None)));
        assert_eq!(second.find(&b, Handle(5 << 40 | 7)), Some(origin(1_800_000_000, "you", Some("talk \"x\""))));
        assert_eq!(second.find(&a, Handle(6 << 40 | 7)), Some(origin(1_900_000_000, "you", None)));
        assert_eq!(second.find(&b, Handle(6 << 40 | 7)), None);
        assert_eq!(second.find(&path("facts/c.md"), Handle(5 << 40 | 7)), None);
        assert!(OriginTable::from_note("[]\nx".to_owned()).is_none());
    }
}
