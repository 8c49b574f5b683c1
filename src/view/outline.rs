//! The outline of one file: its bullets with handles, its sections or entries with counts and dates.
//!
//! Never reads a second file.

use jiff::civil::Date;
use serde::Serialize;
use serde_json::{Map, Value};

use super::links::Backlink;
use crate::change::Etag;
use crate::document::{Document, ExpiryDates, LocatedBullet};
use crate::path::MemoryPath;

/// The outline of a file or section.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Outline {
    /// The path of the file.
    pub path: String,
    /// The section's slug; absent for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The title of the file or section, without markup.
    pub title: String,
    /// The summary line of the file; absent without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The etag of the file or section; pass it as `seen` to a later change.
    pub etag: String,
    /// Bullets of its own text (all bullets for `bullet list`), in file order.
    pub bullets: Vec<BulletRow>,
    /// Its sections; entries of an episode file are sorted newest first.
    pub sections: Vec<SectionRow>,
    /// Items that link to it, sorted by file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub backlinks: Vec<Backlink>,
    /// How many rows a limit left out.
    #[serde(skip_serializing_if = "none_left_out")]
    pub more: usize,
}

impl Outline {
    /// Marks the bullets of a document whose last valid day is before `today`.
    pub(crate) fn with_expired(mut self, document: &Document, today: Date) -> Outline {
        let dates = ExpiryDates::of(document, |_| false);
        for bullet in &mut self.bullets {
            bullet.last_day = dates.last_day(bullet.number);
            bullet.expired = bullet.last_day.is_some_and(|last| last < today);
        }
        self
    }

    /// Leaves out all rows but the first `limit`, and counts them in `more`. 0 means no limit.
    pub fn truncated(mut self, limit: Option<usize>) -> Outline {
        let Some(limit) = limit.filter(|limit| *limit > 0) else { return self };
        let rows = |o: &Outline| o.bullets.len() + o.sections.len() + o.backlinks.len();
        let total = rows(&self);
        self.bullets.truncate(limit);
        self.sections.truncate(limit - self.bullets.len());
        self.backlinks.truncate(limit - self.bullets.len() - self.sections.len());
        self.more = total - rows(&self);
        self
    }
}

/// Whether no rows were left out; for serde.
pub fn none_left_out(more: &usize) -> bool {
    *more == 0
}

/// A bullet of the file or section.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct BulletRow {
    /// Its full address with handle: `facts/user.md@acvh`.
    pub address: String,
    /// Its handle, without `@`: `acvh`.
    pub handle: String,
    /// Its explicit id, without `^`: `mem123`; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its 1-based index in the listed file or section; absent for nested bullets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Nesting depth; 0 for a top-level bullet.
    pub depth: u8,
    /// The slug of its section; absent above the first heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its text as one line, without escapes and metadata.
    pub text: String,
    /// Whether its last valid day (`exp`) is over: searches and contexts leave it out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// The values of its metadata, by key: `{"imp": "7"}`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// With `--blame`: its last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blame: Option<BulletBlame>,
    /// Its number among the bullets of the file, from 0.
    #[serde(skip)]
    pub(crate) number: usize,
    #[serde(skip)]
    pub(crate) last_day: Option<Date>,
}

impl BulletRow {
    /// The last day on which it is valid, by its own metadata or that of the bullet around it.
    pub fn last_day(&self) -> Option<Date> {
        self.last_day
    }
}

/// What happened to a bullet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LifeChange {
    Added,
    Updated,
    /// Moved to another file or section.
    Moved,
    /// Its metadata changed.
    Set,
    /// Removed, before it was restored.
    Removed,
    /// No revision on this machine explains the bullet.
    #[default]
    Unknown,
}

impl LifeChange {
    /// Its name in JSON and in text.
    pub fn name(self) -> &'static str {
        match self {
            LifeChange::Added => "added",
            LifeChange::Updated => "updated",
            LifeChange::Moved => "moved",
            LifeChange::Set => "set",
            LifeChange::Removed => "removed",
            LifeChange::Unknown => "unknown",
        }
    }
}

/// The last change of a bullet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct BulletBlame {
    /// What the revision did to the bullet.
    pub change: LifeChange,
    /// The revision, e.g. `r41`; absent for a change that memdir did not make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// The time (RFC 3339); absent for a change that memdir did not make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The actor; `outside` for an edit that memdir did not make, `merged` for one from a sync,
    /// `committed` for one that git knows from before this machine's history begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Who proposed the change that the actor accepted; several names are separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<String>,
    /// The text before, for `updated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The file or section before, for `moved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// The reason recorded with the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The recorded source, such as a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// For a change that memdir did not make on this machine: the commit that brought it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitOrigin>,
}

/// A commit that brought a bullet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct CommitOrigin {
    /// Its full hash in hexadecimal.
    pub id: String,
    /// The name of its author.
    pub author: String,
    /// When it was made (RFC 3339).
    pub at: String,
}

/// A section or entry.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct SectionRow {
    /// Its full address: `facts/user.md#work`.
    pub address: String,
    /// Its slug, which addresses name: `work`.
    pub slug: String,
    /// Its explicit id; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its title, without markup and id.
    pub title: String,
    /// The heading level, 1–6; 7 for a line `Title: (ID: x)` above a list.
    pub level: u8,
    /// An entry's date, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The value of its bullet `- Summary: …`; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The number of bullets, subsections included.
    pub bullets: usize,
}

/// How much of a file an outline lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineDepth {
    /// The section's own bullets, and its subsections as rows.
    OneLevel,
    /// All bullets, and no rows for sections.
    Flat,
}

/// The outline of a file (`section` 0) or of one of its sections.
pub fn outline(document: &Document, path: &MemoryPath, section: usize, depth: OutlineDepth) -> Outline {
    let counted = document.top_level_bullets(section);
    let title = title_section(document);
    let own = |i: &usize| depth == OutlineDepth::Flat || is_own(document, *i, section, title);
    let inside = |i: &usize| is_within(document, document.bullets()[*i].section as usize, section);
    let is_said = |i: &usize| !document.is_in_conflict_base(document.bullets()[*i].line_start as usize);
    let rows = (0..document.bullets().len()).filter(inside).filter(own).filter(is_said).map(|i| {
        let index = counted.binary_search(&i).ok().map(|n| n + 1);
        bullet_row(LocatedBullet { path, document, index: i }, index)
    });
    let whole = match section {
        0 => Etag::of(document.text().as_bytes()),
        n => Etag::of(
            &document.text().as_bytes()
                [document.sections()[n].heading.start as usize..document.sections()[n].end as usize],
        ),
    };
    Outline {
        path: path.to_string(),
        section: (section != 0).then(|| document.sections()[section].slug.clone()),
        title: document.section_title(section).into_owned(),
        summary: summary_value(document),
        etag: whole.short(),
        bullets: rows.collect(),
        sections: if depth == OutlineDepth::OneLevel { section_rows(document, path, section) } else { Vec::new() },
        backlinks: Vec::new(),
        more: 0,
    }
}

/// The value of a document's summary line; empty without one.
pub fn summary_value(document: &Document) -> String {
    document
        .summary_line()
        .map(|s| document.text()[s.value.range()].trim().trim_matches('"').to_owned())
        .unwrap_or_default()
}

pub fn bullet_row(located: LocatedBullet<'_>, index: Option<usize>) -> BulletRow {
    let LocatedBullet { document, index: bullet, .. } = located;
    let handle = document.handle_name(bullet);
    let b = &document.bullets()[bullet];
    let meta = located.meta().unwrap_or_default();
    BulletRow {
        address: located.address(),
        handle,
        id: document.bullet_id(bullet).map(|id| id.into_owned()),
        index,
        depth: b.depth,
        section: (b.section != 0).then(|| document.sections()[b.section as usize].slug.clone()),
        text: document.bullet_text(bullet).into_owned(),
        expired: false,
        meta: meta.0.into_iter().map(|(k, v)| (k, Value::String(v))).collect(),
        blame: None,
        number: bullet,
        last_day: None,
    }
}

/// The sections directly below one; the H1 counts as the file itself. Entries of an episode file are sorted newest
/// first.
fn section_rows(document: &Document, path: &MemoryPath, section: usize) -> Vec<SectionRow> {
    let (all, title) = (document.sections(), title_section(document));
    let parent_without_title = |mut at: usize| {
        // A file's only H1 is its title: sections below it are listed as the file's.
        while section == 0 && at != 0 && Some(at) == title {
            at = all[at].parent as usize;
        }
        at
    };
    let child = |i: &usize| {
        *i != section
            && !(section == 0 && Some(*i) == title)
            && parent_without_title(all[*i].parent as usize) == section
    };
    let mut rows: Vec<SectionRow> = (1..all.len())
        .filter(child)
        .map(|i| SectionRow {
            address: format!("{path}#{}", all[i].slug),
            slug: all[i].slug.clone(),
            id: all[i].id.clone(),
            title: document.section_title(i).into_owned(),
            level: all[i].level,
            date: field_value(document, i, "Date"),
            summary: field_value(document, i, "Summary"),
            bullets: document.top_level_bullets(i).len(),
        })
        .collect();
    if path.holds_episodes() {
        rows.reverse();
        rows.sort_by(|a, b| b.date.cmp(&a.date));
    }
    rows
}

/// The section whose heading is the file's title: its only H1.
fn title_section(document: &Document) -> Option<usize> {
    let mut first = document.sections().iter().enumerate().filter(|(_, section)| section.level == 1);
    first.next().filter(|_| first.next().is_none()).map(|(at, _)| at)
}

/// Whether a bullet belongs to a section's own text; a file's title does not count as a section.
fn is_own(document: &Document, bullet: usize, section: usize, title: Option<usize>) -> bool {
    let at = document.bullets()[bullet].section as usize;
    at == section || (section == 0 && Some(at) == title)
}

fn is_within(document: &Document, mut at: usize, section: usize) -> bool {
    while at != section && at != 0 {
        at = document.sections()[at].parent as usize;
    }
    at == section
}

/// The value of an entry's field bullet: `- Date: 2026-02-24`.
pub fn field_value(document: &Document, section: usize, label: &str) -> Option<String> {
    let is_own = |i: &usize| document.bullets()[*i].section as usize == section && document.bullets()[*i].depth == 0;
    let own = document.bullets_of(section).filter(is_own);
    own.map(|i| document.bullet_text(i)).find_map(|text| labelled_value(&text, label).map(str::to_owned))
}

/// The value in the text of a field bullet; `None` if its label is another one.
pub fn labelled_value<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    text.strip_prefix(label)?.strip_prefix(':').map(str::trim)
}
