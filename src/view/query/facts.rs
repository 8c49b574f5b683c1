//! What is known of an item beyond its words: its day, its metadata, its categories and tags.
//!
//! Never guesses: what nobody wrote down is unknown.

use std::cell::OnceCell;

use jiff::civil::{Date, DateTime, Time};

use super::count::Found;
use super::items::{self, Sort};
use super::known::{Known, Made};
use crate::document::{Document, Handle, Meta, category, tags};
use crate::path::MemoryPath;
use crate::text::dates::{Told, dates};

/// A day, and where the time is known the day and time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The day.
    pub day: Date,
    /// The time.
    pub time: Option<Time>,
}

impl Moment {
    /// A whole day.
    pub fn on(day: Date) -> Moment {
        Moment { day, time: None }
    }

    /// Whether it is at a point in time or after it.
    pub fn since(self, point: Point) -> bool {
        match self.time {
            Some(time) => self.day.to_datetime(time) >= point.at,
            None => self.day >= point.day,
        }
    }

    /// Whether it is at a point in time or before it.
    pub fn until(self, point: Point) -> bool {
        match self.time {
            Some(time) => self.day.to_datetime(time) <= point.at,
            None => self.day <= point.day,
        }
    }
}

/// A point in time that a filter names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its day where the caller is: for items of which only the day is known.
    pub day: Date,
    /// The same in UTC.
    pub at: DateTime,
}

/// The days that a document's sections tell: `- Date:`, else the heading, else the section around it, else the file's
/// name.
pub struct Days(Vec<Option<Told>>);

impl Days {
    /// Looks a document through once.
    pub fn of(document: &Document, path: &MemoryPath) -> Days {
        let sections = document.sections();
        let mut fields: Vec<Option<Told>> = vec![None; sections.len()];
        for (i, bullet) in document.bullets().iter().enumerate() {
            let value = document.bullet_raw(i).strip_prefix("Date:");
            if let Some(value) = value.filter(|_| bullet.depth == 0) {
                let field = &mut fields[bullet.section as usize];
                *field = field.or_else(|| dates(value, None).first().copied());
            }
        }
        let named = week(path.stem()).or_else(|| dates(path.stem(), None).into_iter().next());
        let mut all: Vec<Option<Told>> = Vec::with_capacity(sections.len());
        for (i, section) in sections.iter().enumerate() {
            let around = if i == 0 { named } else { all[section.parent as usize] };
            let own = fields[i].or_else(|| dates(&document.text()[section.title.range()], None).into_iter().next());
            all.push(own.or(around));
        }
        Days(all)
    }

    /// What a section tells.
    pub fn told(&self, section: u32) -> Option<Told> {
        self.0[section as usize]
    }
}

/// `2026-W07`: the week's Monday.
fn week(stem: &str) -> Option<Told> {
    let (year, week) = stem.split_once("-W")?;
    let (year, week) = (year.parse().ok()?, week.parse().ok()?);
    let day = jiff::civil::ISOWeekDate::new(year, week, jiff::civil::Weekday::Monday).ok()?;
    Some(Told::day(day.date()))
}

/// One file's items, and what is known of them.
pub struct About<'a> {
    /// The file.
    pub found: &'a Found,
    known: &'a Known,
    days: OnceCell<Days>,
    front_tags: OnceCell<Vec<String>>,
}

impl<'a> About<'a> {
    /// What is known of a file's items; `known` is what the journal knows.
    pub fn new(found: &'a Found, known: &'a Known) -> About<'a> {
        About { found, known, days: OnceCell::new(), front_tags: OnceCell::new() }
    }

    /// An item's metadata; empty for what is no bullet.
    pub fn meta(&self, item: usize) -> Meta {
        match self.found.items[item].sort {
            Sort::Bullet(b) => self.found.document.bullet_meta(b as usize).unwrap_or_default(),
            _ => Meta::default(),
        }
    }

    /// Whether an item is pinned.
    pub fn pinned(&self, item: usize) -> bool {
        pinned(&self.meta(item))
    }

    /// An item's importance, 0–10.
    pub fn importance(&self, item: usize) -> Option<f64> {
        self.meta(item).get("imp").and_then(|imp| imp.parse().ok())
    }

    /// Who made an item, when and from what, as the journal knows.
    pub fn made(&self, item: usize) -> Option<&'a Made> {
        if self.known.is_empty() {
            return None;
        }
        match self.found.items[item].sort {
            Sort::Bullet(b) => {
                self.known.find(&self.found.path, Handle::of(self.found.document.bullet_raw(b as usize)))
            }
            _ => None,
        }
    }

    /// When an item is from: its metadata (`upd`, `added`), the journal, its entry, the file's name.
    pub fn moment(&self, item: usize) -> Option<Moment> {
        let meta = self.meta(item);
        let own = ["upd", "added"].iter().find_map(|key| day(meta.get(key)?));
        let made = || self.made(item).map(|m| m.at);
        let days = || self.days.get_or_init(|| Days::of(&self.found.document, &self.found.path));
        own.map(Moment::on)
            .or_else(made)
            .or_else(|| days().told(self.found.items[item].section).and_then(Told::first).map(Moment::on))
    }

    /// The last day on which an item holds.
    pub fn expires(&self, item: usize) -> Option<Date> {
        self.meta(item).get("exp").and_then(day)
    }

    /// An item's `#tags` and its file's, lower case, without `#`.
    pub fn tags(&self, item: usize) -> Vec<String> {
        let mut tags = self.file_tags().to_vec();
        for part in items::parts(&self.found.document, &self.found.items[item]) {
            hashtags(part, &mut tags);
        }
        tags
    }

    /// What an item belongs to, lower case: its file's stem and tags, its sections' slugs, its `[category]`; and
    /// `procedural` below `procedures/`.
    pub fn categories(&self, item: usize) -> Vec<String> {
        let document = &self.found.document;
        let one = &self.found.items[item];
        let mut all = vec![self.found.path.stem().to_lowercase()];
        all.extend(self.file_tags().iter().cloned());
        let mut section = one.section as usize;
        while section != 0 {
            all.push(document.sections()[section].slug.clone());
            section = document.sections()[section].parent as usize;
        }
        if let Some(category) = self.category(item) {
            all.push(category.to_lowercase());
        }
        if self.found.path.folder() == Some("procedures") {
            all.extend(["procedures".to_owned(), "procedural".to_owned()]);
        }
        all
    }

    /// An item's own `[category]`.
    pub fn category(&self, item: usize) -> Option<&'a str> {
        match self.found.items[item].sort {
            Sort::Bullet(b) => category(self.found.document.bullet_raw(b as usize)).0,
            _ => None,
        }
    }

    fn file_tags(&self) -> &[String] {
        self.front_tags.get_or_init(|| tags(&self.found.document).unwrap_or_default())
    }
}

/// Whether metadata pins its item.
pub fn pinned(meta: &Meta) -> bool {
    meta.get("pin").is_some_and(|v| !matches!(v, "false" | "no" | "0"))
}

/// A day as metadata writes it, perhaps with a time behind it.
fn day(value: &str) -> Option<Date> {
    value.get(..10)?.parse().ok()
}

/// The `#tags` of a text, lower case.
fn hashtags(text: &str, out: &mut Vec<String>) {
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
    fn a_section_tells_its_day() {
        let text = "# Diary\n\n## One\n- Date: 2026-02-24\n### Deep\n- x\n## 8 May 2023 walk\n- y\n## Three\n- z\n";
        let document = Document::parse(text);
        let days = Days::of(&document, &MemoryPath::new("episodes/2026-02.md").unwrap());
        let first: Vec<String> = (0..document.sections().len())
            .map(|s| days.told(s as u32).and_then(Told::first).unwrap().to_string())
            .collect();
        assert_eq!(first, ["2026-02-01", "2026-02-01", "2026-02-24", "2026-02-24", "2023-05-08", "2026-02-01"]);
        let weekly = Days::of(&document, &MemoryPath::new("episodes/2026-W09.md").unwrap());
        assert_eq!(weekly.told(0).and_then(Told::first).unwrap().to_string(), "2026-02-23");
        assert_eq!(Days::of(&document, &MemoryPath::new("facts/user.md").unwrap()).told(5), None);
    }

    #[test]
    fn tags_are_words_behind_a_hash() {
        let mut tags = Vec::new();
        hashtags("#Work at a#b, C# [#x] (#deep/er-1) #12 ##h https://x/#frag", &mut tags);
        assert_eq!(tags, ["work", "deep/er-1"]);
        let document = Document::parse("---\ntags: [Work, '#home']\n---\n- a\n");
        let tags = |text: &str| super::tags(&Document::parse(text)).unwrap();
        assert_eq!(tags(document.text()), ["work", "home"]);
        assert_eq!(tags("---\ntags:\n- a\n- b\n---\n"), ["a", "b"]);
        assert_eq!(tags("---\ntags: a, b\n---\n"), ["a", "b"]);
    }
}
