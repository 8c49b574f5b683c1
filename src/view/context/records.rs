//! The newest items by date: the content of `context --style records`.
//!
//! Never ranks: only the date counts; items without one are last.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::context_filter::ContextFilter;
use super::entries::{is_hidden, shown_summary};
use super::remarks::ShownItem;
use super::{item_address, item_text, sanitize};
use crate::document::MetaKey;
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::{FirstWritten, ItemDate, ItemFacts};
use crate::view::query::items::{ItemKind, label};

/// The most records that are shown.
pub const MAX_RECORDS: usize = 10;
/// Bullets of an entry that say something about it, not what happened.
const FIELDS: [&str; 7] = ["Date", "Updated", "Importance", "Tags", "Source", "Related", "Summary"];

/// An item as the style `records` shows it: with its date, if that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedRecord {
    pub address: String,
    pub date: Option<ItemDate>,
    /// Its text as one sanitized line.
    pub text: String,
    /// The value of its metadata key `anchor`.
    pub anchor: Option<String>,
}

impl DatedRecord {
    /// The record as an item that is about to be shown.
    pub fn as_shown(&self) -> ShownItem<'_> {
        let day = self.date.map(|date| date.day);
        ShownItem { address: &self.address, text: &self.text, day, anchor: self.anchor.as_deref() }
    }
}

/// Finds when a bullet of a file was first written, by its index.
pub type FindFirstWritten<'a> = &'a dyn Fn(&ItemizedFile, usize) -> FirstWritten;

/// An item's date, its file and its index there, and whether the date is that of its creation. The greatest is the
/// newest.
type RankedRecord = (Option<ItemDate>, RecordPosition, bool);

/// Where a record is. Of one date, the last of a file is the newest, because new ones go to its end; what has no date
/// keeps the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordPosition {
    file: Reverse<usize>,
    item: isize,
}

impl RecordPosition {
    pub fn new(file: usize, item: usize, is_dated: bool) -> RecordPosition {
        let item = isize::try_from(item).unwrap_or(isize::MAX);
        RecordPosition { file: Reverse(file), item: if is_dated { item } else { -item } }
    }

    fn file_and_item(self) -> (usize, usize) {
        (self.file.0, self.item.unsigned_abs())
    }
}

/// The date by which records are sorted: that of an entry has the time at which the history first saw it on that day.
pub fn record_date(facts: &ItemFacts<'_>, item: usize, first_written: FindFirstWritten<'_>) -> Option<ItemDate> {
    match facts.file.items[item].kind {
        ItemKind::Entry => entry_date(facts, item),
        _ => creation_date(facts, item, first_written),
    }
}

fn entry_date(facts: &ItemFacts<'_>, entry: usize) -> Option<ItemDate> {
    let items = &facts.file.items;
    let date = facts.created(entry)?;
    let below = (entry + 1..items.len()).take_while(|item| items[*item].kind != ItemKind::Entry);
    let written = below.filter_map(|item| facts.written(item));
    Some(written.filter(|at| date.at.is_none() && at.day == date.day).min().unwrap_or(date))
}

/// The newest records of these files by creation, at most `most`, and the number of all: bullets, paragraphs and table
/// rows; from episode files the entries with their summaries. `first_written` is asked only for what may be among the
/// newest, because a bullet is never younger than its last text.
pub fn newest_records(
    files: &[ItemizedFile],
    origins: &BulletOrigins,
    filter: &ContextFilter,
    first_written: FindFirstWritten<'_>,
    most: usize,
) -> (Vec<DatedRecord>, usize) {
    let mut all: BinaryHeap<RankedRecord> = BinaryHeap::new();
    for (f, file) in files.iter().enumerate() {
        let facts = ItemFacts::new(file, origins);
        let is_shown = |item: usize| match file.items[item].kind {
            ItemKind::Entry => !is_hidden(&facts, item, filter),
            _ => filter.allows_item(&facts, item),
        };
        let counts = (0..file.items.len()).filter(|item| is_record(file, *item) && is_shown(*item));
        all.extend(counts.map(|item| {
            let is_created = facts.bullet_dated_by_journal(item).is_none();
            let date = match file.items[item].kind {
                ItemKind::Entry => entry_date(&facts, item),
                _ => facts.created(item),
            };
            (date, RecordPosition::new(f, item, date.is_some()), is_created)
        }));
    }
    let whole = all.len();
    let mut newest = Vec::new();
    while newest.len() < most
        && let Some((date, position, is_created)) = all.pop()
    {
        let (f, item) = position.file_and_item();
        if is_created {
            newest.push((date, f, item));
            continue;
        }
        let date = creation_date(&ItemFacts::new(&files[f], origins), item, first_written);
        all.push((date, RecordPosition::new(f, item, date.is_some()), true));
    }
    let record = |(date, f, item): (Option<ItemDate>, usize, usize)| DatedRecord {
        address: sanitize::sanitize_line(&item_address(&files[f], item)),
        date,
        text: sanitize::sanitize_line(&match files[f].items[item].kind {
            ItemKind::Entry => entry_text(&ItemFacts::new(&files[f], origins), item, filter),
            _ => item_text(&files[f], item),
        }),
        anchor: ItemFacts::new(&files[f], origins).meta(item).valid(MetaKey::Anchor).map(str::to_owned),
    };
    (newest.into_iter().map(record).collect(), whole)
}

/// The date on which an item was created; `None` if it is unknown.
pub fn creation_date(facts: &ItemFacts<'_>, item: usize, first_written: FindFirstWritten<'_>) -> Option<ItemDate> {
    let first = facts.bullet_dated_by_journal(item).map(|bullet| first_written(facts.file, bullet));
    match first {
        Some(FirstWritten::At(date)) => Some(date),
        Some(FirstWritten::Unknown) => None,
        Some(FirstWritten::Unrecorded) | None => facts.created(item),
    }
}

/// The text of an entry: its title and its summary, or without one what is written below the title. A title that only
/// repeats how the text begins is left out.
fn entry_text(facts: &ItemFacts<'_>, entry: usize, filter: &ContextFilter) -> String {
    let file = facts.file;
    let summary = shown_summary(facts, entry, filter).unwrap_or_default();
    let text = if summary.is_empty() { entry_body(facts, entry, filter) } else { summary };
    if text.is_empty() {
        return item_text(file, entry);
    }
    if repeats_title(&item_text(file, entry), &text) { text } else { format!("{}: {text}", item_text(file, entry)) }
}

/// The bullets, paragraphs and rows of an entry that may be shown, as one line.
pub fn entry_body(facts: &ItemFacts<'_>, entry: usize, filter: &ContextFilter) -> String {
    let file = facts.file;
    let below = (entry + 1..file.items.len()).take_while(|item| file.items[*item].kind != ItemKind::Entry);
    let shown = below.filter(|item| match file.items[*item].kind {
        ItemKind::Bullet(b) => !FIELDS.contains(&label(file.document.bullet_raw(b as usize))),
        ItemKind::Paragraph | ItemKind::Row => true,
        ItemKind::Entry | ItemKind::Heading | ItemKind::Code => false,
    });
    let shown = shown.filter(|item| filter.allows_item(facts, *item));
    shown.map(|item| item_text(file, item)).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Whether a title is no more than the first words of a text.
pub fn repeats_title(title: &str, text: &str) -> bool {
    let title = title.trim_end_matches('…').trim_end();
    text.strip_prefix(title).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// A text of at most `most` characters: a longer one is cut and ends with `…`.
pub fn cut_to_chars(text: &str, most: usize) -> Cow<'_, str> {
    if text.chars().nth(most).is_none() {
        return text.into();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{}…", kept.trim_end()).into()
}

pub fn is_record(file: &ItemizedFile, item: usize) -> bool {
    // A daily note may have no entries; then its bullets are the records.
    let has_entries = || file.path.folder() == Some("episodes") || file.items.iter().any(|i| i.kind == ItemKind::Entry);
    match file.items[item].kind {
        ItemKind::Entry => true,
        _ if file.path.holds_episodes() && has_entries() => false,
        ItemKind::Bullet(b) => !matches!(label(file.document.bullet_raw(b as usize)), "Updated" | "Date"),
        ItemKind::Paragraph | ItemKind::Row => true,
        ItemKind::Heading | ItemKind::Code => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::path::MemoryPath;
    use crate::view::context::itemize;

    fn check(text: &str, shown: &[&str]) {
        let path = MemoryPath::from_disk_name("episodes/2025-10.md").unwrap();
        let file = itemize(&path, Document::from_bytes(text.as_bytes().to_vec()).unwrap());
        let filter = ContextFilter { today: jiff::civil::date(2025, 10, 11), branch: None };
        let (records, count) =
            newest_records(&[file], &BulletOrigins::default(), &filter, &|_, _| FirstWritten::Unrecorded, MAX_RECORDS);
        assert_eq!(records.iter().map(|record| record.text.as_str()).collect::<Vec<_>>(), shown);
        assert_eq!(count, shown.len());
    }

    #[test]
    fn an_entry_is_its_text() {
        check(
            "# E\n\n## Tea\n- Date: 2025-10-10\n- Summary: Green, no sugar.\n- Why: taste\n",
            &["Tea: Green, no sugar."],
        );
        check(
            "# E\n\n## Tea\n- Date: 2025-10-10\n- Importance: 6\n- Likes green tea.\n\nNo sugar.\n",
            &["Tea: Likes green tea.; No sugar."],
        );
        check("# E\n\n## Tea\n- Date: 2025-10-10\n- Source: c1\n", &["Tea"]);
    }

    #[test]
    fn a_title_that_begins_the_text_is_not_repeated() {
        check("# E\n\n## Likes green\n- Summary: Likes green tea.\n", &["Likes green tea."]);
        check("# E\n\n## Likes tea\n- Summary: Likes teapots.\n", &["Likes tea: Likes teapots."]);
    }

    #[test]
    fn what_is_no_longer_true_is_not_shown() {
        check(
            "# E\n\n## Tea\n- Likes green tea.\n- Was ill\n  <!-- mem exp=2025-10-01 -->\n",
            &["Tea: Likes green tea."],
        );
        let expired = "- Summary: Was ill.\n  <!-- mem exp=2025-10-01 -->\n";
        check(&format!("# E\n\n## Tea\n{expired}- Likes green tea.\n"), &["Tea: Likes green tea."]);
        check(&format!("# E\n\n## Was ill\n- Date: 2025-10-10\n{expired}"), &[]);
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        assert_eq!(cut_to_chars("abcdef", 6), "abcdef");
        assert_eq!(cut_to_chars("abcdefg", 6), "abcde…");
        assert_eq!(cut_to_chars("项目 中文", 4), "项目…");
        assert_eq!(cut_to_chars("项目中文", 4), "项目中文");
    }
}
