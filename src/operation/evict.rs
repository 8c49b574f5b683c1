//! Evicts the oldest items of a file or section over its limit to the archive, first in, first out.
//!
//! Never evicts a pinned bullet, nor an item that contains one, nor a bullet that the change itself adds.

use std::collections::{HashMap, HashSet};

use crate::change::{Changeset, EffectSign};
use crate::code::{Code, Rejection, Warning};
use crate::document::{
    BulletMeta, DEFAULT_IMPORTANCE, Document, DocumentEdit, EditedDocument, Handle, LocatedBullet, apply_edits,
    section_range,
};
use crate::path::MemoryPath;

use super::archive::ArchivedItem;
use super::limits::{ContentSize, LimitedSection, entry_sections};
use super::locate::is_in_section;
use super::planner::Planner;
use super::snapshot::PlanStep;
use super::{effects, inert_metadata, rejections, whole_file};

/// An item that can be evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvictionCandidate {
    /// A bullet of a top-level list with its children.
    Bullet(usize),
    /// A `##` entry, as an index into the document's sections.
    Entry(usize),
}

/// The context needed to date the items of a document.
#[derive(Clone, Debug, Default)]
pub struct ItemAges<'a> {
    /// Bullets whose metadata line is ignored. See `inert_metadata`.
    pub inert: &'a [usize],
    existing: Option<(HashSet<Handle>, HashSet<&'a str>)>,
    today: &'a str,
    dates: DatesBySection,
    /// Whether new items stay, other than entries of an earlier day.
    keeps_new: bool,
}

/// The `- Date:` values of sections, by index of the section.
type DatesBySection = HashMap<u32, String>;

impl<'a> ItemAges<'a> {
    /// The context for the document `of`. Items that are not in `before` are new and count as dated `today`; without
    /// `before`, no item is new.
    pub fn new(of: &Document, inert: &'a [usize], before: Option<&'a Document>, today: &'a str) -> ItemAges<'a> {
        let existing = |d: &'a Document| {
            (d.handles().iter().copied().collect(), d.sections().iter().map(|s| s.slug.as_str()).collect())
        };
        ItemAges { inert, existing: before.map(existing), today, dates: section_dates(of), keeps_new: false }
    }

    /// The same, where new items are not evicted, other than entries of an earlier day.
    fn keeping_new(self) -> ItemAges<'a> {
        ItemAges { keeps_new: true, ..self }
    }
}

/// A section's top-level bullets, least valuable first: unpinned before pinned, then by importance, age and position.
/// Metadata of `inert` bullets is ignored.
pub fn least_valuable(document: &Document, section: usize, inert: &[usize]) -> Vec<usize> {
    let mut all = document.top_level_bullets(section);
    let dates = section_dates(document);
    all.sort_by_cached_key(|&i| {
        let meta = effective_meta(document, i, inert);
        (meta.is_pinned(), importance(&meta), bullet_date(document, i, &meta, &dates), i)
    });
    all
}

/// A bullet's metadata; empty if its line is inert.
pub fn effective_meta(document: &Document, bullet: usize, inert: &[usize]) -> BulletMeta {
    if inert.contains(&bullet) { BulletMeta::default() } else { document.bullet_meta(bullet).unwrap_or_default() }
}

/// The importance, 0 to 10; [`DEFAULT_IMPORTANCE`] if not set.
pub fn importance(meta: &BulletMeta) -> u8 {
    meta.importance().unwrap_or(DEFAULT_IMPORTANCE)
}

/// Whether an item is pinned or contains a pinned bullet.
pub fn contains_pinned(document: &Document, candidate: EvictionCandidate, inert: &[usize]) -> bool {
    bullets_of_candidate(document, candidate).any(|i| effective_meta(document, i, inert).is_pinned())
}

/// The bullets of an item, itself included.
pub fn bullets_of_candidate(document: &Document, candidate: EvictionCandidate) -> std::ops::Range<usize> {
    let span = byte_range(document, candidate);
    let before = |at: usize| document.bullets().partition_point(|b| (b.line_start as usize) < at);
    before(span.start)..before(span.end)
}

/// The byte range of an item's lines.
pub fn byte_range(document: &Document, candidate: EvictionCandidate) -> std::ops::Range<usize> {
    match candidate {
        EvictionCandidate::Bullet(i) => document.bullets()[i].line_start as usize..document.bullets()[i].end as usize,
        EvictionCandidate::Entry(s) => section_range(document, s),
    }
}

/// By how much the content shrinks when an item is evicted.
pub fn candidate_size(document: &Document, candidate: EvictionCandidate) -> ContentSize {
    let all: Vec<usize> = bullets_of_candidate(document, candidate).collect();
    ContentSize {
        bullets: all.iter().filter(|&&i| document.bullets()[i].depth == 0).count(),
        entries: usize::from(matches!(candidate, EvictionCandidate::Entry(_))),
        chars: all.iter().map(|&i| document.bullet_text(i).chars().count()).sum(),
    }
}

/// Whether an item was added by the present change.
pub fn is_new(document: &Document, candidate: EvictionCandidate, ages: &ItemAges<'_>) -> bool {
    let Some((handles, slugs)) = &ages.existing else { return false };
    match candidate {
        EvictionCandidate::Bullet(i) => !handles.contains(&document.handles()[i]),
        EvictionCandidate::Entry(s) => !slugs.contains(document.sections()[s].slug.as_str()),
    }
}

/// Whether an item is new and therefore not evicted. An entry that is added late, with the date of an earlier day, is as
/// old as it says.
fn stays_as_new(document: &Document, candidate: EvictionCandidate, ages: &ItemAges<'_>) -> bool {
    let is_earlier = matches!(candidate, EvictionCandidate::Entry(_))
        && candidate_date(document, candidate, ages).as_str() < ages.today;
    ages.keeps_new && is_new(document, candidate, ages) && !is_earlier
}

/// An item's date, for sorting: empty (oldest) if unknown, today for a new item without a date.
pub fn candidate_date(document: &Document, candidate: EvictionCandidate, ages: &ItemAges<'_>) -> String {
    let date = match candidate {
        EvictionCandidate::Bullet(i) => bullet_date(document, i, &effective_meta(document, i, ages.inert), &ages.dates),
        EvictionCandidate::Entry(s) => ages.dates.get(&(s as u32)).cloned().unwrap_or_default(),
    };
    if date.is_empty() && is_new(document, candidate, ages) { ages.today.to_owned() } else { date }
}

/// A bullet's date: from its metadata, else from its section's `- Date:`; empty if unknown.
fn bullet_date(document: &Document, bullet: usize, meta: &BulletMeta, dates: &DatesBySection) -> String {
    if let Some(date) = meta.changed() {
        return date.to_owned();
    }
    dates.get(&document.bullets()[bullet].section).cloned().unwrap_or_default()
}

/// The first `- Date:` value of each section.
fn section_dates(document: &Document) -> DatesBySection {
    let mut dates = DatesBySection::new();
    for (i, bullet) in document.bullets().iter().enumerate().filter(|(_, b)| b.section != 0) {
        if document.bullet_raw(i).starts_with("Date:") {
            let date = || document.bullet_text(i)["Date:".len()..].trim().to_owned();
            dates.entry(bullet.section).or_insert_with(date);
        }
    }
    dates
}

/// The items to evict, oldest first, so that a file or section is within its limit; `None` if the remaining items are
/// pinned, or new and to be kept. Ties are broken by position. Items in `already_selected` are evicted anyway. Entries
/// are selected before bullets, because an evicted entry takes its bullets with it.
pub fn select_oldest(
    document: &Document,
    limited: &LimitedSection,
    already_selected: &[EvictionCandidate],
    ages: &ItemAges<'_>,
) -> Option<Vec<EvictionCandidate>> {
    let section = limited.section;
    let heading = document.sections()[section].heading.start as usize;
    let leaves =
        |t: &EvictionCandidate| matches!(t, EvictionCandidate::Entry(_)) && byte_range(document, *t).contains(&heading);
    if section != 0 && already_selected.iter().any(leaves) {
        return Some(Vec::new());
    }
    let in_section = |t: &&EvictionCandidate| match t {
        EvictionCandidate::Bullet(i) => is_in_section(document, *i, section),
        EvictionCandidate::Entry(s) => entry_sections(document, section).contains(s),
    };
    let mut excess = limited.excess(document);
    excess = already_selected
        .iter()
        .filter(in_section)
        .fold(excess, |left, t| left.saturating_sub(candidate_size(document, *t)));
    let mut selected: Vec<EvictionCandidate> = Vec::new();
    let candidates = |bullets: bool| -> Vec<EvictionCandidate> {
        if !bullets {
            entry_sections(document, section).into_iter().map(EvictionCandidate::Entry).collect()
        } else {
            document.top_level_bullets(section).into_iter().map(EvictionCandidate::Bullet).collect()
        }
    };
    for bullets in [false, true] {
        let is_over = |left: &ContentSize| if bullets { left.bullets > 0 || left.chars > 0 } else { left.entries > 0 };
        if !is_over(&excess) {
            continue;
        }
        let selected_ranges: Vec<std::ops::Range<usize>> =
            already_selected.iter().chain(&selected).map(|t| byte_range(document, *t)).collect();
        let mut all = candidates(bullets);
        all.retain(|t| !contains_pinned(document, *t, ages.inert) && !stays_as_new(document, *t, ages));
        all.retain(|t| !selected_ranges.iter().any(|range| range.contains(&byte_range(document, *t).start)));
        all.sort_by_cached_key(|t| (candidate_date(document, *t, ages), *t));
        for candidate in all {
            if !is_over(&excess) {
                break;
            }
            excess = excess.saturating_sub(candidate_size(document, candidate));
            selected.push(candidate);
        }
    }
    excess.is_zero().then_some(selected)
}

/// Evicts the oldest unpinned items of all files or sections in `over`, and adds effects and a warning. The items are
/// added to `evicted`; `archive::archive_items` writes them. What the change adds stays, unless it `replaces` the whole
/// text.
///
/// # Errors
/// `limit_reached` if the remaining items are pinned or new.
pub fn evict(
    path: &MemoryPath,
    after: &Document,
    replaces: bool,
    over: &[LimitedSection],
    changeset: &mut Changeset,
    evicted: &mut Vec<ArchivedItem>,
    planner: &mut Planner<'_>,
) -> PlanStep<EditedDocument> {
    let before = planner.snapshot.file(path)?.map(|f| &f.document);
    let inert = inert_metadata::inert_after_change(path, before, after, planner.snapshot)?;
    let today = planner.today();
    let empty = Document::parse("");
    let ages = if replaces {
        ItemAges::new(after, &inert, before, &today)
    } else {
        ItemAges::new(after, &inert, Some(before.unwrap_or(&empty)), &today).keeping_new()
    };
    let mut selected: Vec<EvictionCandidate> = Vec::new();
    // Entries first, here too: they take bullets with them that other limits would choose.
    let mut over: Vec<&LimitedSection> = over.iter().collect();
    over.sort_by_key(|limited| limited.excess(after).entries == 0);
    for limited in over {
        match select_oldest(after, limited, &selected, &ages) {
            Some(more) => selected.extend(more),
            None => return Err(all_pinned_rejection(after, path, limited.section, &ages).into()),
        }
    }
    let is_entry = |t: &&EvictionCandidate| matches!(t, EvictionCandidate::Entry(_));
    let entries: Vec<_> = selected.iter().filter(is_entry).map(|t| byte_range(after, *t)).collect();
    let leaves_with_entry = |t: &EvictionCandidate| {
        !is_entry(&t) && entries.iter().any(|range| range.contains(&byte_range(after, *t).start))
    };
    selected.retain(|t| !leaves_with_entry(t));
    selected.sort_by_key(|t| byte_range(after, *t).start);
    let to = path.in_archive()?;
    let operation = changeset.operations.len().saturating_sub(1);
    for &candidate in &selected {
        changeset.effects.extend(removal_effects(after, path, candidate, operation));
        evicted.push(match candidate {
            EvictionCandidate::Entry(section) => ArchivedItem::section(planner, path, after, section, None)?,
            EvictionCandidate::Bullet(index) => {
                let meta = effective_meta(after, index, &inert);
                ArchivedItem::bullet(planner, LocatedBullet { path, document: after, index }, Some(meta), None)?
            }
        });
    }
    let message = format!(
        "{path} was over its limit: moved {} of its oldest {} to {to} (first in, first out)",
        selected.len(),
        plural_noun(&selected)
    );
    planner.warn(
        0,
        Warning::new(Code::LimitReached, message).detail("archive", to.as_str()).detail("archived", selected.len()),
    );
    apply_edits(after, &removal_edits(after, &selected))
        .map_err(|r| Rejection::new(Code::WouldBreakStructure, format!("in {path}: {}", r[0].reason)).into())
}

/// `limit_reached`: no item may be evicted. The items that were there before are named.
pub fn all_pinned_rejection(document: &Document, path: &MemoryPath, section: usize, ages: &ItemAges<'_>) -> Rejection {
    let mut least = least_valuable(document, section, ages.inert);
    least.retain(|i| !is_new(document, EvictionCandidate::Bullet(*i), ages));
    let mut rejection = rejections::limit_reached(
        document,
        path,
        section,
        "more than the policy allows, and all other items are pinned or new".into(),
        &least,
    );
    if least.is_empty() {
        rejection.hint = Some("the change alone adds more than the limit allows: split it, or raise the limit".into());
        rejection.suggestions.clear();
    }
    rejection
}

fn plural_noun(candidates: &[EvictionCandidate]) -> &'static str {
    let entry = |t: &EvictionCandidate| matches!(t, EvictionCandidate::Entry(_));
    match (candidates.iter().any(entry), candidates.iter().all(entry)) {
        (_, true) => "entries",
        (true, _) => "items",
        _ => "bullets",
    }
}

/// The effects of an item's eviction: its heading if it is an entry, and its bullets.
fn removal_effects(
    document: &Document,
    path: &MemoryPath,
    candidate: EvictionCandidate,
    operation: usize,
) -> Vec<crate::change::Effect> {
    let heading = match candidate {
        EvictionCandidate::Bullet(_) => None,
        EvictionCandidate::Entry(s) => Some(effects::line_effect(
            path,
            EffectSign::Removed,
            effects::heading_text(document, s),
            effects::section_slug(document, s),
            operation,
        )),
    };
    let bullet =
        |index| effects::bullet_effect(LocatedBullet { path, document, index }, EffectSign::Removed, operation);
    match candidate {
        EvictionCandidate::Bullet(i) => vec![bullet(i)],
        EvictionCandidate::Entry(_) => {
            heading.into_iter().chain(bullets_of_candidate(document, candidate).map(bullet)).collect()
        }
    }
}

/// The edits that remove items. Adjacent entries are removed by one edit, so that the edits do not overlap.
fn removal_edits(document: &Document, candidates: &[EvictionCandidate]) -> Vec<DocumentEdit> {
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    let mut edits = Vec::new();
    for thing in candidates {
        match thing {
            EvictionCandidate::Bullet(bullet) => edits.push(DocumentEdit::Remove { bullet: *bullet }),
            EvictionCandidate::Entry(s) => {
                let range = section_range(document, *s);
                match ranges.last_mut().filter(|last| last.end >= range.start) {
                    Some(last) => last.end = range.end,
                    None => ranges.push(range),
                }
            }
        }
    }
    edits.extend(ranges.into_iter().map(|range| DocumentEdit::Raw(whole_file::removal_splice(document, range))));
    edits
}
