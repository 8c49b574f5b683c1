//! Collects the bullets of facts that may be duplicates, with what metadata, journal and uses say about them.
//!
//! Never changes anything, and leaves out bullets with children: they say more than their first line.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::change::Etag;
use crate::commands::{CommandResult, Session, journal_notes};
use crate::document::{Bullet, Document, Handle, MAX_FILE_BYTES, Visibility, section_titles};
use crate::operation::evict::{EvictionCandidate, byte_range};
use crate::path::MemoryPath;
use crate::reflect::duplicates::DuplicateItem;
use crate::reflect::merge_conditions::{HiddenLines, conditions_text, limiting_metadata};
use crate::store::usage::UsageTable;
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;
use crate::view::query::items::ItemKind;

/// The part of the bullets that counts as often used: a tenth.
const OFTEN_USED_SHARE: usize = 10;

/// A bullet, and how it is found again in a changed file.
#[derive(Clone, Debug)]
pub struct PoolBullet {
    pub item: DuplicateItem,
    pub key: BulletKey,
}

/// Identifies a bullet by its text, its lines and its section.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BulletKey {
    pub handle: Handle,
    pub lines: String,
    pub section: String,
}

impl BulletKey {
    fn of(document: &Document, bullet: usize) -> BulletKey {
        let section = document.bullets()[bullet].section as usize;
        BulletKey {
            handle: document.handles()[bullet],
            lines: document.text()[byte_range(document, EvictionCandidate::Bullet(bullet))].trim_end().to_owned(),
            section: section_slug(document, section),
        }
    }

    /// The bullets of a document that it fits; several only if they are equal in everything.
    pub fn find(&self, document: &Document) -> Vec<usize> {
        let same = |i: &usize| document.handles()[*i] == self.handle && BulletKey::of(document, *i) == *self;
        document.top_level_bullets(0).into_iter().filter(same).collect()
    }
}

fn section_slug(document: &Document, section: usize) -> String {
    match section {
        0 => String::new(),
        at => document.sections()[at].slug.clone(),
    }
}

/// What is looked at: everything, a file, or a section with its subsections.
#[derive(Clone, Debug, Default)]
pub struct PoolFilter {
    pub path: Option<MemoryPath>,
    pub section: Option<String>,
}

/// The bullets of all facts, in the order of files and lines.
///
/// # Errors
/// `io`, `too_large`.
pub fn collect(session: &Session, filter: &PoolFilter) -> CommandResult<Vec<PoolBullet>> {
    let agents = Visibility::of_agents(&session.policy.policy);
    let uses = session.store.unfiltered().usage();
    let origins = journal_notes::bullet_origins(&session.store, session.now.time_zone())?;
    let mut files = session.store.walk(None)?;
    files.retain(|file| {
        let is_fact = file.path.folder() == Some("facts") || file.path.is_adopted();
        let is_wanted = filter.path.as_ref().is_none_or(|path| *path == file.path);
        is_fact && !file.path.holds_episodes() && is_wanted && file.path.odd().is_none() && file.unsafe_reason.is_none()
    });
    session.progress.begin_files("reading", files.len());
    let found = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        session.progress.finish_file();
        let (bytes, _) = read.ok()?;
        let document = Document::from_bytes(bytes.to_vec()).ok().filter(|d| d.conflict_marker_line().is_none())?;
        Some(bullets_of_file(&file.path, document, filter, &uses, &origins, &agents))
    });
    session.progress.check()?;
    let mut all: Vec<(PoolBullet, Option<Date>)> = found.into_iter().flatten().flatten().collect();
    mark_often_used(&mut all);
    Ok(all.into_iter().map(|(bullet, _)| bullet).collect())
}

fn bullets_of_file(
    path: &MemoryPath,
    document: Document,
    filter: &PoolFilter,
    uses: &UsageTable,
    origins: &BulletOrigins,
    agents: &[Visibility],
) -> Vec<(PoolBullet, Option<Date>)> {
    let last_uses = last_uses(path, &document, uses);
    let file = ItemizedFile::without_counts(path.clone(), document);
    let facts = ItemFacts::new(&file, origins);
    let document = &file.document;
    let hidden = HiddenLines::of(document, path, agents);
    let is_inside = |mut section: usize| match &filter.section {
        None => true,
        Some(slug) => loop {
            if section == 0 {
                break false;
            }
            if document.sections()[section].slug == *slug {
                break true;
            }
            section = document.sections()[section].parent as usize;
        },
    };
    let mut out = Vec::new();
    for (number, item) in file.items.iter().enumerate() {
        let ItemKind::Bullet(bullet) = item.kind else { continue };
        let at = bullet as usize;
        let own = document.bullets()[at];
        if own.depth != 0 || has_more_lines(document, own) || !is_inside(own.section as usize) {
            continue;
        }
        let meta = facts.meta(number);
        // A bullet of which a part is hidden has no like.
        let range = own.line_start as usize..own.end as usize;
        let Some(agents_without) = hidden.agents_without(&range) else { continue };
        let key = BulletKey::of(document, at);
        let reference = document.bullet_reference(at);
        let etag = reference.starts_with('#').then(|| Etag::of(document.text().as_bytes()).short());
        let item = DuplicateItem {
            path: path.clone(),
            section: key.section.clone(),
            headings: section_titles(document, own.section as usize),
            reference,
            text: document.bullet_text(at).into_owned(),
            etag,
            changed: facts.date(number).map(|date| date.day),
            pinned: facts.is_pinned(number),
            has_id: document.bullet_id(at).is_some(),
            importance: facts.importance(number),
            often_used: false,
            conditions: conditions_text(&limiting_metadata(&meta), &agents_without),
        };
        out.push((PoolBullet { item, key }, last_uses.get(&at).copied()));
    }
    out
}

/// Whether a bullet has lines beyond its first paragraph and its metadata.
fn has_more_lines(document: &Document, bullet: Bullet) -> bool {
    let meta = bullet.meta.map(|at| document.meta_lines()[at as usize].line.range());
    let rest = bullet.text_end as usize..bullet.end as usize;
    let text = match meta.filter(|meta| meta.start >= rest.start && meta.end <= rest.end) {
        None => document.text()[rest].to_owned(),
        Some(meta) => format!("{}{}", &document.text()[rest.start..meta.start], &document.text()[meta.end..rest.end]),
    };
    !text.trim().is_empty()
}

/// The last day on which each bullet of a file was shown.
fn last_uses(path: &MemoryPath, document: &Document, uses: &UsageTable) -> HashMap<usize, Date> {
    let mut last: HashMap<usize, Date> = HashMap::new();
    for (shown, day) in uses.shown_bullets(path) {
        for bullet in document.bullets_by_handle(shown) {
            let known = last.entry(bullet).or_insert(day);
            *known = day.max(*known);
        }
    }
    last
}

/// Marks the tenth of the bullets that were used last.
fn mark_often_used(all: &mut [(PoolBullet, Option<Date>)]) {
    let mut used: Vec<(std::cmp::Reverse<Date>, usize)> =
        all.iter().enumerate().filter_map(|(i, (_, day))| Some((std::cmp::Reverse((*day)?), i))).collect();
    used.sort();
    for (_, at) in used.iter().take(all.len().div_ceil(OFTEN_USED_SHARE)) {
        all[*at].0.item.often_used = true;
    }
}
