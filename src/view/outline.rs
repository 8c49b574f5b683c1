//! A file one level down: its bullets with handles, its sections or entries with counts and dates.
//!
//! Never reads a second file.

use serde::Serialize;
use serde_json::{Map, Value};

use super::links::Backlink;
use crate::change::Etag;
use crate::document::Document;
use crate::path::MemoryPath;

/// A file or section, one level down.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Outline {
    /// The file.
    pub path: String,
    /// The section's slug; none for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The title.
    pub title: String,
    /// The summary.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The etag of the file or section: give it back as `seen`.
    pub etag: String,
    /// Bullets of its own text (all of them for `bullet list`), in file order.
    pub bullets: Vec<BulletRow>,
    /// Its sections, or entries newest first.
    pub sections: Vec<SectionRow>,
    /// What links to it, in the order of files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub backlinks: Vec<Backlink>,
    /// How many rows were left out by a limit.
    #[serde(skip_serializing_if = "none_left_out")]
    pub more: usize,
}

/// Whether a list is whole; for serde.
pub fn none_left_out(more: &usize) -> bool {
    *more == 0
}

/// One bullet.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct BulletRow {
    /// Its full address with handle: `facts/user.md@acvh`.
    pub address: String,
    /// Its handle.
    pub handle: String,
    /// Its explicit id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// From 1, as counted in the file or section that was asked for; none for nested ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// 0 for top-level ones.
    pub depth: u8,
    /// The section's slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its text.
    pub text: String,
    /// Its metadata.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

/// One section or entry.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct SectionRow {
    /// Its full address: `facts/user.md#work`.
    pub address: String,
    /// Its slug.
    pub slug: String,
    /// Its explicit id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its title.
    pub title: String,
    /// 1–6; 7 for `Title: (ID: x)` above a list.
    pub level: u8,
    /// An entry's date, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// An entry's own summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How many bullets, subsections included.
    pub bullets: usize,
}

/// How deep an outline looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Own bullets, and sections as rows.
    One,
    /// All bullets, no rows for sections.
    Flat,
}

/// The outline of a file (`section` 0) or of one of its sections.
pub fn outline(document: &Document, path: &MemoryPath, section: usize, depth: Depth) -> Outline {
    let counted = document.counted(section);
    let own = |i: &usize| depth == Depth::Flat || is_own(document, *i, section);
    let inside = |i: &usize| within(document, document.bullets()[*i].section as usize, section);
    let rows = (0..document.bullets().len()).filter(inside).filter(own).map(|i| {
        let index = counted.binary_search(&i).ok().map(|n| n + 1);
        bullet_row(document, path, i, index)
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
        summary: summary(document),
        etag: whole.short(),
        bullets: rows.collect(),
        sections: if depth == Depth::One { sections(document, path, section) } else { Vec::new() },
        backlinks: Vec::new(),
        more: 0,
    }
}

/// The value of a document's summary line; empty without one.
pub fn summary(document: &Document) -> String {
    document.summary().map(|s| document.text()[s.value.range()].trim().trim_matches('"').to_owned()).unwrap_or_default()
}

/// One bullet with its address.
pub fn bullet_row(document: &Document, path: &MemoryPath, bullet: usize, index: Option<usize>) -> BulletRow {
    let handle = document.handle_name(bullet);
    let b = &document.bullets()[bullet];
    let meta = document.bullet_meta(bullet).unwrap_or_default();
    BulletRow {
        address: format!("{path}@{handle}"),
        handle,
        id: document.bullet_id(bullet).map(|id| id.into_owned()),
        index,
        depth: b.depth,
        section: (b.section != 0).then(|| document.sections()[b.section as usize].slug.clone()),
        text: document.bullet_text(bullet).into_owned(),
        meta: meta.0.into_iter().map(|(k, v)| (k, Value::String(v))).collect(),
    }
}

/// The sections directly below one; the H1 counts as the file itself. Entries of an episode file come newest first.
fn sections(document: &Document, path: &MemoryPath, section: usize) -> Vec<SectionRow> {
    let all = document.sections();
    let roof = |mut at: usize| {
        // A file's only H1 is its title: what stands below it stands in the file.
        while section == 0 && at != 0 && all[at].level == 1 && is_title(document, at) {
            at = all[at].parent as usize;
        }
        at
    };
    let child = |i: &usize| {
        *i != section && !(section == 0 && is_title(document, *i)) && roof(all[*i].parent as usize) == section
    };
    let mut rows: Vec<SectionRow> = (1..all.len())
        .filter(child)
        .map(|i| SectionRow {
            address: format!("{path}#{}", all[i].slug),
            slug: all[i].slug.clone(),
            id: all[i].id.clone(),
            title: document.section_title(i).into_owned(),
            level: all[i].level,
            date: field(document, i, "Date"),
            summary: field(document, i, "Summary"),
            bullets: document.counted(i).len(),
        })
        .collect();
    if path.folder() == Some("episodes") {
        rows.reverse();
        rows.sort_by(|a, b| b.date.cmp(&a.date));
    }
    rows
}

fn is_title(document: &Document, section: usize) -> bool {
    let all = document.sections();
    all[section].level == 1 && all.iter().filter(|s| s.level == 1).count() == 1
}

/// Whether a bullet stands in a section's own text; a file's title does not count as a section.
fn is_own(document: &Document, bullet: usize, section: usize) -> bool {
    let at = document.bullets()[bullet].section as usize;
    at == section || (section == 0 && at != 0 && is_title(document, at))
}

fn within(document: &Document, mut at: usize, section: usize) -> bool {
    while at != section && at != 0 {
        at = document.sections()[at].parent as usize;
    }
    at == section
}

/// The value of an entry's own field bullet: `- Date: 2026-02-24`.
pub fn field(document: &Document, section: usize, label: &str) -> Option<String> {
    let own = document.bullets().iter().enumerate().filter(|(_, b)| b.section as usize == section && b.depth == 0);
    own.map(|(i, _)| document.bullet_text(i))
        .find_map(|t| t.strip_prefix(label).and_then(|r| r.strip_prefix(':')).map(|v| v.trim().to_owned()))
}
