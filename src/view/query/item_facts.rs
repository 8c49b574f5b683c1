//! What is known of an item beyond its text: date, metadata, categories and tags.
//!
//! Never guesses: what is not written down is unknown.

use std::cell::OnceCell;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::bullet_origins::{BulletOrigin, BulletOrigins};
use super::count::ItemizedFile;
use super::items::{self, ItemKind};
use crate::document::{
    BulletMeta, Document, ExpiryDates, Handle, MetaKey, category_name, front_matter_tags, memory_index, slug,
    split_category,
};
use crate::path::{MemoryPath, episode_days};
use crate::policy::{DecayRule, EffectiveConfidence};
use crate::text::dates::{PartialDate, find_dates};
use crate::view::stale_anchors::StaleAnchor;

/// A date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemDate {
    /// The day in the caller's time zone, or as it is stated.
    pub day: Date,
    /// The date and time in UTC, if the time is known.
    pub at: Option<DateTime>,
}

impl ItemDate {
    pub fn day_only(day: Date) -> ItemDate {
        ItemDate { day, at: None }
    }

    /// The date of a point in time, in a time zone.
    pub fn of_time(time: Timestamp, zone: &TimeZone) -> ItemDate {
        ItemDate { day: zone.to_datetime(time).date(), at: Some(TimeZone::UTC.to_datetime(time)) }
    }

    /// Whether it is at or after a time bound.
    pub fn is_since(self, point: TimeBound) -> bool {
        match self.at {
            Some(at) => at >= point.at,
            None => self.day >= point.day,
        }
    }

    /// Whether it is at or before a time bound.
    pub fn is_until(self, point: TimeBound) -> bool {
        match self.at {
            Some(at) => at <= point.at,
            None => self.day <= point.day,
        }
    }
}

/// The bound of a date filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBound {
    /// The date in the caller's time zone, for items without a time.
    pub day: Date,
    /// The date and time in UTC.
    pub at: DateTime,
}

/// What the history says about the first text of a bullet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstWritten {
    At(ItemDate),
    /// Its text was changed, and the history does not have its first text, or not the day of that.
    Unknown,
    /// The history knows no change of it.
    Unrecorded,
}

/// The dates of a document's sections: from `- Date:`, else the heading, else the enclosing section, else the file's
/// name.
pub struct SectionDates(Vec<Option<PartialDate>>);

impl SectionDates {
    /// Reads the dates of all sections.
    pub fn of(document: &Document, path: &MemoryPath) -> SectionDates {
        let sections = document.sections();
        let mut fields: Vec<Option<PartialDate>> = vec![None; sections.len()];
        for (i, bullet) in document.bullets().iter().enumerate() {
            let value = document.bullet_raw(i).strip_prefix("Date:");
            if let Some(value) = value.filter(|_| bullet.depth == 0) {
                let field = &mut fields[bullet.section as usize];
                *field = field.or_else(|| find_dates(value, None).first().copied());
            }
        }
        // A week counts as its Monday; a month has no day.
        let monday = path.stem().contains("-W").then(|| episode_days(path.stem())).flatten();
        let named = monday.map(|(first, _)| PartialDate::from_day(first));
        let named = named.or_else(|| find_dates(path.stem(), None).into_iter().next());
        let mut all: Vec<Option<PartialDate>> = Vec::with_capacity(sections.len());
        for (i, section) in sections.iter().enumerate() {
            let around = if i == 0 { named } else { all[section.parent as usize] };
            let own =
                fields[i].or_else(|| find_dates(&document.text()[section.title.range()], None).into_iter().next());
            all.push(own.or(around));
        }
        SectionDates(all)
    }

    pub fn date_of(&self, section: u32) -> Option<PartialDate> {
        self.0[section as usize]
    }

    /// The day of a bullet as its file states it: `upd`, else `added`, else the first day of its section's date. The
    /// same on every machine, because the journal has no part in it.
    pub fn day_of_bullet(&self, meta: &BulletMeta, section: u32) -> Option<Date> {
        meta.day_changed().or_else(|| self.date_of(section).and_then(PartialDate::first_day))
    }
}

/// One file's items, with their dates, metadata, categories and tags.
pub struct ItemFacts<'a> {
    pub file: &'a ItemizedFile,
    origins: &'a BulletOrigins,
    front_tags: OnceCell<Vec<String>>,
    memory_type: OnceCell<Option<String>>,
    front_meta: OnceCell<BulletMeta>,
    expiry_dates: OnceCell<ExpiryDates>,
    inert: &'a [usize],
}

impl<'a> ItemFacts<'a> {
    /// `origins` holds what the journal knows of bullets.
    pub fn new(file: &'a ItemizedFile, origins: &'a BulletOrigins) -> ItemFacts<'a> {
        ItemFacts {
            file,
            origins,
            front_tags: OnceCell::new(),
            memory_type: OnceCell::new(),
            front_meta: OnceCell::new(),
            expiry_dates: OnceCell::new(),
            inert: &[],
        }
    }

    /// The same without the metadata of these bullets, whose lines belong to others: see `operation::inert_metadata`.
    pub fn ignoring(self, inert: &'a [usize]) -> ItemFacts<'a> {
        ItemFacts { inert, ..self }
    }

    /// An item's metadata; empty if it is not a bullet. What an item of a procedure does not state, the front matter of
    /// its file does: the steps belong together.
    pub fn meta(&self, item: usize) -> BulletMeta {
        let own = match self.file.items[item].kind {
            ItemKind::Bullet(b) if !self.inert.contains(&(b as usize)) => {
                self.file.document.bullet_meta(b as usize).unwrap_or_default()
            }
            _ => BulletMeta::default(),
        };
        match self.file.path.folder() {
            Some("procedures") => own.or(self.front_meta.get_or_init(|| front_meta(&self.file.document))),
            _ => own,
        }
    }

    pub fn is_pinned(&self, item: usize) -> bool {
        self.meta(item).is_pinned()
    }

    /// An item's importance, 0–10.
    pub fn importance(&self, item: usize) -> Option<u8> {
        self.meta(item).importance()
    }

    /// Who wrote a bullet, when and from which source, according to the journal.
    pub fn origin(&self, item: usize) -> Option<BulletOrigin> {
        if self.origins.is_empty() {
            return None;
        }
        match self.file.items[item].kind {
            ItemKind::Bullet(b) => {
                self.origins.find(&self.file.path, Handle::of(self.file.document.bullet_raw(b as usize)))
            }
            _ => None,
        }
    }

    /// When a bullet was written, according to the journal.
    pub fn written(&self, item: usize) -> Option<ItemDate> {
        self.origin(item).map(|origin| self.origins.date_of(&origin))
    }

    /// Whether the last check found a bullet's anchor stale.
    pub fn stale_anchor(&self, item: usize) -> Option<StaleAnchor> {
        let ItemKind::Bullet(bullet) = self.file.items[item].kind else { return None };
        if self.origins.has_no_stale_anchor() {
            return None;
        }
        let (document, meta) = (&self.file.document, self.meta(item));
        let handle = Handle::of(document.bullet_raw(bullet as usize));
        self.origins.stale_anchor(&self.file.path, handle, meta.valid(MetaKey::Anchor)?)
    }

    /// An item's date: from its metadata (`upd`, `added`), the journal, its entry, or the file's name. In an episode
    /// the entry's day is stronger than the journal's: it is when it happened, not when it was written down.
    pub fn date(&self, item: usize) -> Option<ItemDate> {
        self.meta(item).day_changed().map(ItemDate::day_only).or_else(|| self.recorded_date(item))
    }

    /// The date on which an item was created, as far as it is known: as [`ItemFacts::date`], without `upd`.
    pub fn created(&self, item: usize) -> Option<ItemDate> {
        self.meta(item).day_added().map(ItemDate::day_only).or_else(|| self.recorded_date(item))
    }

    /// The index of a bullet whose [`ItemFacts::created`] is the time at which the journal last saw its text written:
    /// an earlier text of it may be older.
    pub fn bullet_dated_by_journal(&self, item: usize) -> Option<usize> {
        let ItemKind::Bullet(bullet) = self.file.items[item].kind else { return None };
        let origin = self.origin(item)?;
        let written = self.origins.date_of(&origin);
        let is_last_text = self.meta(item).day_added().is_none() && self.recorded_date(item) == Some(written);
        is_last_text.then_some(bullet as usize)
    }

    /// The date of an item without metadata.
    fn recorded_date(&self, item: usize) -> Option<ItemDate> {
        let written = self.written(item);
        let around = self.section_dates().date_of(self.file.items[item].section);
        let day = around.and_then(PartialDate::first_day).map(ItemDate::day_only);
        let is_other_day = |at: &ItemDate| day.is_some_and(|day| day.day != at.day);
        match written {
            Some(at)
                if self.file.path.holds_episodes() && around.is_some_and(|d| d.day.is_some()) && is_other_day(&at) =>
            {
                day
            }
            Some(at) => Some(at),
            None => day,
        }
    }

    fn section_dates(&self) -> &SectionDates {
        self.file.section_dates()
    }

    /// An item's confidence today; `None` if it states none.
    pub fn confidence(&self, item: usize, decay: Option<DecayRule>, today: Date) -> Option<EffectiveConfidence> {
        let meta = self.meta(item);
        let stated = meta.confidence()?;
        let since = decay.and_then(|_| self.section_dates().day_of_bullet(&meta, self.file.items[item].section));
        Some(EffectiveConfidence::new(stated, decay, since, today))
    }

    /// The last day on which an item is valid: its own, or that of the bullet around it ([`ExpiryDates`]).
    pub fn expires(&self, item: usize) -> Option<Date> {
        match self.file.items[item].kind {
            ItemKind::Bullet(bullet) if self.file.document.bullets()[bullet as usize].depth > 0 => {
                let is_inert = |bullet| self.inert.contains(&bullet);
                let dates = self.expiry_dates.get_or_init(|| ExpiryDates::of(&self.file.document, is_inert));
                dates.last_day(bullet as usize).or_else(|| self.meta(item).expires())
            }
            _ => self.meta(item).expires(),
        }
    }

    /// An item's `#tags` and its file's tags, in lower case, without `#`.
    pub fn tags(&self, item: usize) -> Vec<String> {
        let mut tags = self.file_tags().to_vec();
        for part in items::searched_texts(&self.file.document, &self.file.items[item]) {
            hashtags(part, &mut tags);
        }
        tags
    }

    /// An item's categories, each as [`category_name`]: its file's stem and tags, its sections' slugs, its `[category]`;
    /// `procedural` below `procedures/`.
    pub fn categories(&self, item: usize) -> Vec<String> {
        let document = &self.file.document;
        let one = &self.file.items[item];
        let mut all = vec![category_name(self.file.path.stem())];
        all.extend(self.file_tags().iter().map(|tag| category_name(tag)));
        let mut section = one.section as usize;
        while section != 0 {
            all.push(category_name(&slug(&document.section_title(section))));
            section = document.sections()[section].parent as usize;
        }
        if let Some(category) = self.category(item) {
            all.push(category_name(category));
        }
        if self.file.path.is_procedure() {
            all.extend(["procedures".to_owned(), "procedural".to_owned()]);
        }
        all
    }

    /// An item's own `[category]`.
    pub fn category(&self, item: usize) -> Option<&'a str> {
        match self.file.items[item].kind {
            ItemKind::Bullet(b) => split_category(self.file.document.bullet_raw(b as usize)).0,
            _ => None,
        }
    }

    /// The kind of memory that its file's front matter names: `metadata.type`.
    pub fn memory_type(&self) -> Option<&str> {
        self.memory_type.get_or_init(|| memory_index::memory_type(&self.file.document)).as_deref()
    }

    fn file_tags(&self) -> &[String] {
        self.front_tags.get_or_init(|| front_matter_tags(&self.file.document).unwrap_or_default())
    }
}

/// The keys of a procedure's front matter, with the keys of metadata that they stand for.
const FRONT_KEYS: [(&str, MetaKey); 7] = [
    ("importance", MetaKey::Imp),
    ("pinned", MetaKey::Pin),
    ("by", MetaKey::By),
    ("run", MetaKey::Run),
    ("source", MetaKey::Src),
    ("created", MetaKey::Added),
    ("updated", MetaKey::Upd),
];

/// The metadata that front matter states.
fn front_meta(document: &Document) -> BulletMeta {
    let mut meta = BulletMeta::default();
    for (key, name) in FRONT_KEYS {
        if let Some(value) = document.front_text(key).filter(|value| name.accepts(value)) {
            meta.set(name.name(), &value);
        }
    }
    meta
}

/// Appends the `#tags` of a text, in lower case.
pub fn hashtags(text: &str, out: &mut Vec<String>) {
    for at in memchr::memchr_iter(b'#', text.as_bytes()) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '#' | '/' | '&' | '[')) {
            continue;
        }
        let rest = &text[at + 1..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))).unwrap_or(rest.len());
        let tag = rest[..end].trim_end_matches('/');
        if tag.chars().any(char::is_alphabetic) {
            out.push(tag.to_lowercase());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_a_date() {
        let text = "# Diary\n\n## One\n- Date: 2026-02-24\n### Deep\n- x\n## 8 May 2023 walk\n- y\n## Three\n- z\n";
        let document = Document::parse(text);
        let days = SectionDates::of(&document, &MemoryPath::new("episodes/2026-02.md").unwrap());
        let first: Vec<String> = (0..document.sections().len())
            .map(|s| days.date_of(s as u32).and_then(PartialDate::first_day).unwrap().to_string())
            .collect();
        assert_eq!(first, ["2026-02-01", "2026-02-01", "2026-02-24", "2026-02-24", "2023-05-08", "2026-02-01"]);
        let weekly = SectionDates::of(&document, &MemoryPath::new("episodes/2026-W09.md").unwrap());
        assert_eq!(weekly.date_of(0).and_then(PartialDate::first_day).unwrap().to_string(), "2026-02-23");
        assert_eq!(SectionDates::of(&document, &MemoryPath::new("facts/user.md").unwrap()).date_of(5), None);
    }

    #[test]
    fn tags_are_words_behind_a_hash() {
        let mut tags = Vec::new();
        hashtags("#Work at a#b, C# [#x] (#deep/er-1) #12 ##h https://x/#frag", &mut tags);
        assert_eq!(tags, ["work", "deep/er-1"]);
        let document = Document::parse("---\ntags: [Work, '#home']\n---\n- a\n");
        let tags = |text: &str| super::front_matter_tags(&Document::parse(text)).unwrap();
        assert_eq!(tags(document.text()), ["work", "home"]);
        assert_eq!(tags("---\ntags:\n- a\n- b\n---\n"), ["a", "b"]);
        assert_eq!(tags("---\ntags: a, b\n---\n"), ["a", "b"]);
    }
}
