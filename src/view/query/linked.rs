//! Adds items that are linked to the matching ones: at most two, at the end of a result. Those that automatic relations
//! name come by themselves, the others on request.
//!
//! Never adds an item that a filter removes or that the result already shows.

use std::collections::{HashMap, HashSet};

use super::filter::ItemFilter;
use super::item_facts::ItemFacts;
use super::items::{self, ItemKind};
use super::query_row::{LinkDirection, LinkReason, QueryRow};
use super::result::{LAST_LINE_TOKENS, QueryResult, plain_row};
use super::score::{Ranking, ScoredItem};
use crate::document::fragments::fragment_range;
use crate::document::link_names::LinkNames;
use crate::document::links::{FileLink, link_candidates, may_refer_to};
use crate::path::MemoryPath;
use crate::view::links::{LinkEdge, VisibilityCheck, edges, edges_of_item, relation, target_and_fragment};

/// Maximum number of linked items in a result.
const MAX_LINKED: usize = 2;
/// The number of best items whose links are followed.
const MAX_SOURCES: usize = 8;

/// The best items of a result, whose links are followed.
pub struct LinkedItemFinder<'a> {
    hits: Vec<&'a ScoredItem>,
    /// What the result already shows: file and item index.
    shown: HashSet<(&'a MemoryPath, usize)>,
    ranking: &'a Ranking<'a>,
    /// All files that may be shown, by name.
    names: &'a LinkNames<'a>,
    /// Whether only automatic relations are followed, forwards.
    relations_only: bool,
}

/// Whether one of the best items has an automatic relation.
pub fn has_relations(shown: &[&ScoredItem], ranking: &Ranking<'_>) -> bool {
    let has = |hit: &&ScoredItem| {
        let facts = &ranking.files[hit.file];
        !facts.file.links.is_empty() && edges_of_item(facts, hit.item).any(|edge| edge.is_automatic)
    };
    shown.iter().take(MAX_SOURCES).any(has)
}

/// The files that must be parsed to find linked items.
pub struct LinkedFiles<'a> {
    /// The files that the best items link to.
    targets: Vec<&'a MemoryPath>,
    /// The files that contain the best items.
    hit_files: Vec<&'a MemoryPath>,
}

impl LinkedFiles<'_> {
    /// Whether a file must be parsed: a link points to it, or one of its possible links points to a file with a best
    /// item.
    pub fn includes(&self, path: &MemoryPath, text: &str) -> bool {
        let to_hit = |link: &FileLink| {
            let named = &text[link.start..link.end];
            self.hit_files.iter().any(|file| may_refer_to(named, link.is_wiki, path, file))
        };
        self.is_target(path) || !self.hit_files.is_empty() && link_candidates(text).iter().any(to_hit)
    }

    /// Whether a link points to the file.
    pub fn is_target(&self, path: &MemoryPath) -> bool {
        self.targets.contains(&path)
    }
}

impl<'a> LinkedItemFinder<'a> {
    /// Takes the best of the shown items.
    pub fn new(shown: &[&'a ScoredItem], ranking: &'a Ranking<'a>, names: &'a LinkNames<'a>) -> LinkedItemFinder<'a> {
        let at = |hit: &&'a ScoredItem| (&ranking.files[hit.file].file.path, hit.item);
        LinkedItemFinder {
            hits: shown.iter().take(MAX_SOURCES).copied().collect(),
            shown: shown.iter().map(at).collect(),
            ranking,
            names,
            relations_only: false,
        }
    }

    /// Follows automatic relations only, to the bullets that they name.
    pub fn relations_only(self) -> LinkedItemFinder<'a> {
        LinkedItemFinder { relations_only: true, ..self }
    }

    /// The links of a result that are followed.
    fn edges(&self, hit: &ScoredItem) -> Vec<LinkEdge> {
        let own = edges_of_item(&self.ranking.files[hit.file], hit.item);
        own.filter(|edge| edge.is_automatic || !self.relations_only).collect()
    }

    /// The files at either end of their links.
    pub fn linked_files(&self) -> LinkedFiles<'a> {
        let mut files_at_ends = LinkedFiles { targets: Vec::new(), hit_files: Vec::new() };
        for hit in &self.hits {
            let facts = &self.ranking.files[hit.file];
            let own = self.edges(hit);
            let files = own.iter().filter_map(|edge| self.target_file(facts, &edge.link));
            files_at_ends.targets.extend(files.map(|file| self.names.path(file)));
            files_at_ends.hit_files.extend(Some(&facts.file.path).filter(|_| !self.relations_only));
        }
        files_at_ends.hit_files.dedup();
        files_at_ends
    }

    fn target_file(&self, facts: &ItemFacts<'_>, link: &FileLink) -> Option<usize> {
        self.names.resolve(target_and_fragment(&facts.file.document, link).0, link.is_wiki, &facts.file.path)
    }

    /// Adds linked items to a result, those of the best item first: first the items it links to, then the items that
    /// link to it.
    pub fn add(
        &self,
        answer: &mut QueryResult,
        others: &[ItemFacts<'_>],
        filter: &ItemFilter<'_>,
        seen: &VisibilityCheck<'_>,
    ) {
        let options = filter.options;
        let by_path: HashMap<&MemoryPath, &ItemFacts<'_>> = others.iter().map(|o| (&o.file.path, o)).collect();
        let budget = options.budget.map_or(usize::MAX, |b| b.saturating_sub(LAST_LINE_TOKENS));
        for hit in &self.hits {
            let facts = &self.ranking.files[hit.file];
            let with = items::address(&facts.file.document, &facts.file.path, &facts.file.items[hit.item]).0;
            let mut rows = self.outgoing(hit, facts, &by_path, seen);
            if !self.relations_only {
                rows.extend(self.incoming(hit, facts, others, seen));
            }
            for (about, item, direction, relation) in rows {
                let date = about.date(item).map(|m| m.day.to_string());
                let linked = Some(LinkReason { with: with.clone(), direction, relation });
                let row = QueryRow { date, linked, ..plain_row(about, item, filter) };
                let cost = row.token_cost(&answer.items.last().map_or(String::new(), QueryRow::heading));
                // Paragraphs of a section share an address.
                let is_shown = |other: &QueryRow| other.address == row.address && other.text == row.text;
                if answer.items.iter().any(is_shown) || answer.tokens.saturating_add(cost) > budget {
                    continue;
                }
                answer.tokens += cost;
                answer.linked += 1;
                answer.items.push(row);
                if answer.linked == MAX_LINKED {
                    return;
                }
            }
        }
    }

    /// What an item links to: one item of each target.
    fn outgoing<'o>(
        &self,
        hit: &ScoredItem,
        facts: &ItemFacts<'_>,
        others: &HashMap<&MemoryPath, &'o ItemFacts<'o>>,
        seen: &VisibilityCheck<'_>,
    ) -> Vec<LinkedItem<'o>> {
        let mut linked = Vec::new();
        for edge in self.edges(hit) {
            let part = target_and_fragment(&facts.file.document, &edge.link).1;
            let there = self.target_file(facts, &edge.link).and_then(|file| others.get(self.names.path(file)).copied());
            let Some(there) = there.filter(|t| t.file.path != facts.file.path || !part.is_empty()) else { continue };
            if let Some(item) = self.best_item(there, part, seen) {
                linked.push((there, item, LinkDirection::From, relation(facts, &edge)));
            }
        }
        linked
    }

    /// An item of a file or section that may be seen and is not shown yet: the one that matches the query best, else
    /// the first; a heading only if there is nothing else.
    fn best_item(&self, facts: &ItemFacts<'_>, part: &str, seen: &VisibilityCheck<'_>) -> Option<usize> {
        let file = facts.file;
        let bytes = fragment_range(&file.document, part).unwrap_or(0..file.document.text().len());
        let inside = |i: &usize| {
            bytes.contains(&(file.items[*i].start as usize))
                && !self.shown.contains(&(&file.path, *i))
                && seen(facts, *i)
        };
        let own = |hit: &&ScoredItem| self.ranking.files[hit.file].file.path == file.path;
        let fits = self.ranking.hits.iter().filter(own).map(|hit| hit.item).find(inside);
        let heading = |i: &usize| matches!(file.items[*i].kind, ItemKind::Heading | ItemKind::Entry);
        let all = || (0..file.items.len()).filter(inside);
        fits.or_else(|| all().find(|i| !heading(i))).or_else(|| all().next())
    }

    /// The items that link to an item's file, or to the section that contains it.
    fn incoming<'o>(
        &self,
        hit: &ScoredItem,
        facts: &ItemFacts<'_>,
        others: &'o [ItemFacts<'o>],
        seen: &VisibilityCheck<'_>,
    ) -> Vec<LinkedItem<'o>> {
        let mut linked = Vec::new();
        let found = facts.file;
        let at = found.items[hit.item].start as usize;
        for other in others.iter().filter(|o| o.file.path != found.path) {
            for edge in edges(other, seen) {
                let part = target_and_fragment(&other.file.document, &edge.link).1;
                let there = self.target_file(other, &edge.link).map(|file| self.names.path(file));
                let inside = || fragment_range(&found.document, part).is_none_or(|bytes| bytes.contains(&at));
                if there == Some(&found.path) && (part.is_empty() || inside()) {
                    linked.push((other, edge.item, LinkDirection::To, relation(other, &edge)));
                }
            }
        }
        linked
    }
}

/// An item at the other end of a link: its file, its index, the direction, and the relation.
type LinkedItem<'o> = (&'o ItemFacts<'o>, usize, LinkDirection, Option<String>);
