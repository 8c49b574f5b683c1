//! When bullets were first written: their creation, although their texts changed since.
//!
//! Reads the journal at the first question, and follows all bullets of a file together.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use jiff::tz::TimeZone;

use super::Session;
use super::bullet_life::{BulletHistory, LifeCause, LifeEvent, LifeExtent, ReadHistory};
use super::list_and_read::ResolvedAddress;
use crate::path::MemoryPath;
use crate::store::Store;
use crate::view::outline::LifeChange;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::{FirstWritten, ItemDate};

/// The history, as far as it was asked for.
pub struct CreationHistory<'s> {
    session: &'s Session,
    read: ReadHistory,
    /// `None` if it cannot be read.
    history: OnceCell<Option<BulletHistory<'s>>>,
    /// For each file that was asked for, one row for each bullet.
    known: RefCell<HashMap<MemoryPath, Vec<FirstWritten>>>,
}

impl<'s> CreationHistory<'s> {
    /// As far as the whole journal tells.
    pub fn whole(session: &'s Session) -> CreationHistory<'s> {
        CreationHistory::new(session, Store::read_whole_history)
    }

    /// As far as the journal's end tells, which costs as much however long it is.
    pub fn recent(session: &'s Session) -> CreationHistory<'s> {
        CreationHistory::new(session, Store::read_recent_history)
    }

    fn new(session: &'s Session, read: ReadHistory) -> CreationHistory<'s> {
        CreationHistory { session, read, history: OnceCell::new(), known: RefCell::default() }
    }

    /// When a bullet of a file was first written, by its index in the file's document.
    pub fn first_written(&self, file: &ItemizedFile, bullet: usize) -> FirstWritten {
        let mut known = self.known.borrow_mut();
        let rows = known.entry(file.path.clone()).or_insert_with(|| self.follow(file));
        rows.get(bullet).copied().unwrap_or(FirstWritten::Unknown)
    }

    /// Follows all bullets of a file; no rows if the history cannot be read.
    fn follow(&self, file: &ItemizedFile) -> Vec<FirstWritten> {
        let Some(history) = self.history.get_or_init(|| BulletHistory::open(self.session, self.read).ok()) else {
            return Vec::new();
        };
        let named = ResolvedAddress::of_file(&file.path, &file.document);
        let bullets: Vec<usize> = (0..file.document.bullets().len()).collect();
        let lives = history.lives(&named, &bullets, LifeExtent::Whole).unwrap_or_default();
        lives.iter().map(|life| first_of(history, life)).collect()
    }
}

/// The beginning of a life, whose events are newest first.
fn first_of(history: &BulletHistory<'_>, life: &[LifeEvent]) -> FirstWritten {
    let Some(first) = life.last() else { return FirstWritten::Unrecorded };
    let at = match first.cause {
        _ if first.change != LifeChange::Added => None,
        LifeCause::Entry(index) => Some(history.entries[index].header.at.as_str()),
        // Only git knows when a text was typed outside memdir.
        LifeCause::Outside(_) | LifeCause::Merged | LifeCause::Committed => {
            first.commit.as_ref().map(|commit| commit.at.as_str())
        }
    };
    let at = at.and_then(|at| at.parse::<jiff::Timestamp>().ok()).map(|at| TimeZone::UTC.to_datetime(at));
    match at {
        Some(at) => FirstWritten::At(ItemDate { day: at.date(), time: Some(at.time()) }),
        None => FirstWritten::Unknown,
    }
}
