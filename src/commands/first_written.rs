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

/// When the first text of a bullet was written and, if it is known, the last.
type WrittenTimes = (FirstWritten, Option<ItemDate>);

/// The history, as far as it was asked for.
pub struct CreationHistory<'s> {
    session: &'s Session,
    read: ReadHistory,
    /// `None` if it cannot be read.
    history: OnceCell<Option<BulletHistory<'s>>>,
    /// For each file that was asked for, one row for each bullet.
    known: RefCell<HashMap<MemoryPath, Vec<WrittenTimes>>>,
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
        self.row(file, bullet).map_or(FirstWritten::Unknown, |(first, _)| first)
    }

    /// When the last text of a bullet was written; `None` if the history does not know it.
    pub fn last_written(&self, file: &ItemizedFile, bullet: usize) -> Option<ItemDate> {
        self.row(file, bullet)?.1
    }

    fn row(&self, file: &ItemizedFile, bullet: usize) -> Option<WrittenTimes> {
        let mut known = self.known.borrow_mut();
        let rows = known.entry(file.path.clone()).or_insert_with(|| self.follow(file));
        rows.get(bullet).copied()
    }

    /// Follows all bullets of a file; no rows if the history cannot be read.
    fn follow(&self, file: &ItemizedFile) -> Vec<WrittenTimes> {
        let Some(history) = self.history.get_or_init(|| BulletHistory::open(self.session, self.read).ok()) else {
            return Vec::new();
        };
        let named = ResolvedAddress::of_file(&file.path, &file.document);
        let bullets: Vec<usize> = (0..file.document.bullets().len()).collect();
        let lives = history.lives(&named, &bullets, LifeExtent::Whole).unwrap_or_default();
        let time_of = |event: &LifeEvent| time_of(history, event, self.session.now.time_zone());
        lives.iter().map(|life| (first_of(life, &time_of), last_of(life, &time_of))).collect()
    }
}

/// The beginning of a life, whose events are newest first.
fn first_of(life: &[LifeEvent], time_of: &dyn Fn(&LifeEvent) -> Option<ItemDate>) -> FirstWritten {
    let Some(first) = life.last() else { return FirstWritten::Unrecorded };
    match time_of(first).filter(|_| first.change == LifeChange::Added) {
        Some(at) => FirstWritten::At(at),
        None => FirstWritten::Unknown,
    }
}

/// The last change of a text in a life.
fn last_of(life: &[LifeEvent], time_of: &dyn Fn(&LifeEvent) -> Option<ItemDate>) -> Option<ItemDate> {
    let is_text = |event: &&LifeEvent| matches!(event.change, LifeChange::Added | LifeChange::Updated);
    time_of(life.iter().find(is_text)?)
}

fn time_of(history: &BulletHistory<'_>, event: &LifeEvent, zone: &TimeZone) -> Option<ItemDate> {
    let at = match event.cause {
        LifeCause::Entry(index) => history.entries[index].header.at.as_str(),
        // Only git knows when a text was typed outside memdir.
        LifeCause::Outside(_) | LifeCause::Merged(_) | LifeCause::Committed => event.commit.as_ref()?.at.as_str(),
    };
    Some(ItemDate::of_time(at.parse().ok()?, zone))
}
