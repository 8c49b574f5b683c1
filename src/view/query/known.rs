//! What the journal knows of bullets: who said them, when, and from what.
//!
//! Never looks at a text's place: a bullet that moved within its file keeps what is known of it.

use std::collections::HashMap;

use jiff::tz::TimeZone;
use serde_json::Value;

use super::facts::Moment;
use crate::change::{Entry, Outcome};
use crate::document::{Document, Handle};
use crate::path::MemoryPath;

/// How a bullet came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// When.
    pub at: Moment,
    /// By whom.
    pub by: String,
    /// From what.
    pub source: Option<String>,
}

/// Bullets by file and handle.
#[derive(Clone, Debug, Default)]
pub struct Known {
    makings: Vec<Made>,
    bullets: HashMap<Handle, Vec<(MemoryPath, usize)>>,
}

impl Known {
    /// Reads entries, oldest first; of two makings of one text, the newer counts.
    pub fn read(entries: &[Entry]) -> Known {
        let mut known = Known::default();
        let made = entries.iter().filter(|e| e.outcome == Outcome::Done && e.inverts.is_none());
        for entry in made {
            let Some(at) = moment(&entry.at) else { continue };
            let number = known.makings.len();
            known.makings.push(Made { at, by: entry.actor.clone(), source: entry.source.clone() });
            for text in entry.operations.iter().flat_map(texts) {
                for handle in handles(text) {
                    known.learn(handle, entry, number);
                }
            }
        }
        known
    }

    /// Whether nothing is known at all.
    pub fn is_empty(&self) -> bool {
        self.bullets.is_empty()
    }

    /// What is known of a bullet.
    pub fn find(&self, path: &MemoryPath, handle: Handle) -> Option<&Made> {
        let files = self.bullets.get(&handle)?;
        files.iter().find(|(file, _)| file == path).map(|(_, number)| &self.makings[*number])
    }

    fn learn(&mut self, handle: Handle, entry: &Entry, number: usize) {
        let files = self.bullets.entry(handle).or_default();
        for file in &entry.files {
            match files.iter_mut().find(|(path, _)| *path == file.path) {
                Some((_, last)) => *last = number,
                None => files.push((file.path.clone(), number)),
            }
        }
    }
}

/// A stamp of the journal, in UTC.
fn moment(stamp: &str) -> Option<Moment> {
    let at: jiff::Timestamp = stamp.parse().ok()?;
    let at = TimeZone::UTC.to_datetime(at);
    Some(Moment { day: at.date(), time: Some(at.time()) })
}

/// The new texts of an operation, as the journal keeps it.
fn texts(operation: &Value) -> Vec<&str> {
    let field = |name: &str| operation.get(name).and_then(Value::as_str);
    let pairs = operation.get("pairs").and_then(Value::as_array).into_iter().flatten();
    field("text")
        .into_iter()
        .chain(pairs.filter_map(|pair| pair.as_array().and_then(|p| p.get(1)).or_else(|| pair.get("new"))?.as_str()))
        .collect()
}

/// The handles of a text: of the whole, as a bullet's, and of the bullets in it.
fn handles(text: &str) -> Vec<Handle> {
    let mut all = vec![Handle::of(text)];
    if text.contains('\n') || text.starts_with(['-', '*', '+']) {
        let document = Document::parse(text);
        all.extend((0..document.bullets().len()).map(|b| Handle::of(document.bullet_raw(b))));
    }
    all
}
