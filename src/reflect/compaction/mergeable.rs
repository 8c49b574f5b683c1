//! Decides which items a decision may merge: those of one section and one kind, that count for the same agents and
//! under the same metadata. The merged text keeps their kind.
//!
//! Never compares what the texts say.

use std::collections::BTreeSet;

use anyhow::bail;

use super::{CompactionItem, OverLimit};
use crate::document::{BulletMarks, BulletMeta, Document, MetaKey, Strikethrough};
use crate::operation::evict::{EvictionCandidate, ItemAges, byte_range, effective_meta};
use crate::reflect::merge_conditions::{HiddenLines, conditions_text, limiting_metadata};
use crate::reflect::record::RELATED_KEY;

/// What must be equal of items that become one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemConditions {
    /// The index of the section that a bullet is in, or that is around an entry.
    section: u32,
    /// The marks of a bullet; of an entry, those of all its bullets.
    marks: BTreeSet<BulletMarks>,
    /// The metadata that limits when and where it counts, and the agents that may not see it.
    conditions: String,
    /// The highest importance that anything in it states.
    pub(super) importance: Option<u8>,
    /// The ids of the conversations that a record comes from or is related to, in an entry.
    related: Vec<String>,
    /// Why it can be merged with nothing, as the end of a sentence.
    obstacle: Option<&'static str>,
}

impl ItemConditions {
    pub(super) fn of(
        document: &Document,
        candidate: EvictionCandidate,
        ages: &ItemAges<'_>,
        hidden: &HiddenLines<'_>,
    ) -> ItemConditions {
        let range = byte_range(document, candidate);
        let inside = |i: &usize| range.contains(&(document.bullets()[*i].line_start as usize));
        let (section, own) = match candidate {
            EvictionCandidate::Bullet(i) => (document.bullets()[i].section, Some(i)),
            EvictionCandidate::Entry(s) => (document.sections()[s].parent, None),
        };
        let others: Vec<usize> = (0..document.bullets().len()).filter(inside).filter(|i| Some(*i) != own).collect();
        let is_entry = own.is_none();
        let metadata = |i: usize| {
            let mut limits = limiting_metadata(&effective_meta(document, i, ages.inert));
            // Of an entry, the new text keeps them.
            limits.retain(|pair| !(is_entry && pair.starts_with(&format!("{RELATED_KEY}="))));
            limits
        };
        let marks = |i: usize| BulletMarks::of(&document.bullet_text(i));
        let has_metadata = others.iter().any(|i| !metadata(*i).is_empty());
        let other_marks = special_marks(others.iter().map(|i| marks(*i)));
        let own_marks = own.map(marks);
        // In an entry, the marks of one statement could go to another.
        let has_moving_marks = own.is_none()
            && (document.text()[range.clone()].contains("~~") || other_marks.iter().any(|marks| marks.task.is_some()));
        let agents = hidden.agents_without(&range);
        let obstacle = if agents.is_none() {
            Some("is hidden from some agents in part")
        } else if has_metadata {
            Some("has metadata inside that a new text would lose")
        } else if own.is_some() && !other_marks.is_empty() {
            Some("has a category or a task inside that a new text would lose")
        } else if own_marks.iter().chain(&other_marks).any(|m| m.strike == Strikethrough::Part) {
            Some("is struck through in part")
        } else if has_moving_marks {
            Some("has struck-through text or tasks inside that could change places")
        } else {
            None
        };
        let of_key = |i: &usize, key: &str| effective_meta(document, *i, ages.inert).raw(key).map(str::to_owned);
        let sources = |i: &usize| [MetaKey::Src.name(), RELATED_KEY].map(|key| of_key(i, key));
        let related = others.iter().filter(|_| is_entry).flat_map(sources).flatten();
        let related = related.flat_map(|ids| ids.split(',').map(str::to_owned).collect::<Vec<_>>()).collect();
        let stated = own.iter().chain(&others).filter_map(|i| effective_meta(document, *i, ages.inert).importance());
        ItemConditions {
            section,
            importance: stated.max(),
            related,
            marks: match own_marks {
                Some(own) => special_marks(std::iter::once(own)),
                None => other_marks,
            },
            conditions: conditions_text(&own.map(metadata).unwrap_or_default(), &agents.unwrap_or_default()),
            obstacle,
        }
    }

    /// Whether two items may become one.
    pub(super) fn fits(&self, other: &ItemConditions, entries: bool) -> bool {
        self.obstacle.is_none() && other.obstacle.is_none() && self.difference(other, entries).is_none()
    }

    /// In what two items differ that must be equal.
    fn difference(&self, other: &ItemConditions, entries: bool) -> Option<&'static str> {
        if self.section != other.section {
            Some("are in different sections")
        } else if !entries && self.marks != other.marks {
            Some("have different categories or are of different kinds")
        } else if self.conditions != other.conditions {
            Some("count at different times or places, or for different agents")
        } else {
            None
        }
    }
}

/// Marks other than those of a plain bullet.
fn special_marks(all: impl Iterator<Item = BulletMarks>) -> BTreeSet<BulletMarks> {
    all.filter(|marks| *marks != BulletMarks::default()).collect()
}

/// Checks that items may become one, and that the new text is of their kind.
///
/// # Errors
/// A sentence for the model.
pub(super) fn check_mergeable(
    over_limit: &OverLimit,
    target: usize,
    absorbs: &[usize],
    text: &str,
) -> anyhow::Result<()> {
    let (items, entries) = (&over_limit.items, over_limit.entries);
    let all = || absorbs.iter().chain([&target]);
    for &at in all() {
        if let Some(obstacle) = items[at].conditions.obstacle {
            bail!("item {} {obstacle}: it can be deleted, but not merged or rewritten", at + 1);
        }
        if let Some(difference) = items[target].conditions.difference(&items[at].conditions, entries) {
            bail!("items {} and {} {difference}, so they cannot be merged", target + 1, at + 1);
        }
    }
    let wanted: BTreeSet<&BulletMarks> = all().flat_map(|at| &items[*at].conditions.marks).collect();
    let lines = text.lines().map(BulletMarks::of);
    let found = special_marks(lines);
    if found.iter().collect::<BTreeSet<_>>() != wanted {
        bail!(
            "new_content must have the [category], the task marker and the strikethrough of the items that it \
             replaces, and no other"
        );
    }
    Ok(())
}

/// The numbers of the groups of items that may become one, from 1; empty if all of them may.
pub(super) fn group_numbers(over_limit: &OverLimit) -> Vec<usize> {
    let mut first_of_group: Vec<usize> = Vec::new();
    let mut numbers = Vec::new();
    for (at, item) in over_limit.items.iter().enumerate() {
        let fits = |first: &usize| over_limit.items[*first].conditions.fits(&item.conditions, over_limit.entries);
        let group = first_of_group.iter().position(fits).unwrap_or_else(|| {
            first_of_group.push(at);
            first_of_group.len() - 1
        });
        numbers.push(group + 1);
    }
    if first_of_group.len() < 2 { Vec::new() } else { numbers }
}

/// The importance that a merged bullet must state: that of the most important item, if the target's is lower.
pub(super) fn raised_importance(over_limit: &OverLimit, target: usize, absorbs: &[usize]) -> Option<u8> {
    let of_item = |item: &CompactionItem| item.conditions.importance.max(Some(item.importance));
    let highest = absorbs.iter().filter_map(|at| of_item(&over_limit.items[*at])).max()?;
    (highest > over_limit.items[target].importance).then_some(highest)
}

/// The new body of an entry, with the metadata of its items below its first bullet: the highest importance that one of
/// them states, and the conversations that they are related to.
pub(super) fn with_metadata(body: &str, over_limit: &OverLimit, target: usize, absorbs: &[usize]) -> String {
    let all = || std::iter::once(&target).chain(absorbs).map(|at| &over_limit.items[*at].conditions);
    let mut meta = BulletMeta::default();
    if let Some(highest) = all().filter_map(|conditions| conditions.importance).max() {
        meta.set(MetaKey::Imp.name(), &highest.to_string());
    }
    let mut related: Vec<&str> = Vec::new();
    for id in all().flat_map(|conditions| &conditions.related) {
        if !related.contains(&id.as_str()) {
            related.push(id);
        }
    }
    if !related.is_empty() {
        meta.set(RELATED_KEY, &related.join(","));
    }
    if meta.0.is_empty() {
        return body.to_owned();
    }
    let is_bullet = |line: &str| ["- ", "* ", "+ "].iter().any(|marker| line.trim_start().starts_with(marker));
    let mut lines: Vec<String> = body.lines().map(str::to_owned).collect();
    let next = lines.iter().skip(1).position(|line| is_bullet(line)).map_or(lines.len(), |at| at + 1);
    lines.insert(next, format!("  {}", meta.to_comment()));
    lines.join("\n")
}
