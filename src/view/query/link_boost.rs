//! Boosts linked items in a ranking: an item gains a share of the best score among the items it is linked with, in
//! either direction, weighed by the strength of the link.
//!
//! Never adds an item: one without a score of its own gains nothing.

use super::item_facts::ItemFacts;
use super::score::ScoredItem;
use crate::document::fragments::fragment_range;
use crate::document::link_names::LinkNames;
use crate::document::links::FileLink;
use crate::view::links::{edges_of_item, target_and_fragment};

/// The share of the best linked item's score that is added.
const LINK_SHARE: f64 = 0.1;

/// Adds the link boosts. The scored items must be sorted by file and item.
pub fn add_link_boosts(files: &[ItemFacts<'_>], hits: &mut [ScoredItem]) {
    if files.iter().all(|facts| facts.file.links.is_empty()) {
        return;
    }
    debug_assert!(hits.is_sorted_by_key(|hit| (hit.file, hit.item)));
    let mut best = vec![0.0_f64; hits.len()];
    for group in scored_links(files, hits).chunk_by(|a, b| a.to == b.to) {
        let to = group[0].to.0..group[0].to.1;
        let there = BestTwo::new(to.clone().map(|at| (at, hits[at].score)));
        let here = BestTwo::new(group.iter().map(|link| (link.from, link.strength * hits[link.from].score)));
        for tie in group {
            best[tie.from] = best[tie.from].max(tie.strength * there.best_except(tie.from));
        }
        for (at, best) in best.iter_mut().enumerate().take(to.end).skip(to.start) {
            *best = best.max(here.best_except(at));
        }
    }
    for (hit, best) in hits.iter_mut().zip(best) {
        hit.link_boost = LINK_SHARE * best;
        hit.score += hit.link_boost;
    }
}

/// A link between scored items.
struct ScoredLink {
    /// The scored items that it points to, as a half-open index range.
    to: (usize, usize),
    /// The scored item that contains it.
    from: usize,
    /// The strength of the link, 0 to 1.
    strength: f64,
}

/// The links between scored items, sorted by target.
fn scored_links(files: &[ItemFacts<'_>], hits: &[ScoredItem]) -> Vec<ScoredLink> {
    let names = LinkNames::new(files.iter().map(|facts| &facts.file.path));
    let starts: Vec<usize> = (0..=files.len()).map(|file| hits.partition_point(|hit| hit.file < file)).collect();
    let resolver = LinkedItems { files, hits, starts, names };
    let mut links = Vec::new();
    for (file, about) in files.iter().enumerate().filter(|(_, about)| !about.file.links.is_empty()) {
        // Items that may not be seen were already removed from the ranking.
        let own = resolver.starts[file]..resolver.starts[file + 1];
        for (from, hit) in own.clone().zip(&hits[own]) {
            for edge in edges_of_item(about, hit.item) {
                let Some(to) = resolver.linked_hits(file, &edge.link) else { continue };
                links.push(ScoredLink { to, from, strength: edge.strength });
            }
        }
    }
    links.sort_unstable_by_key(|link| (link.to, link.from));
    links
}

/// Resolves links to scored items.
struct LinkedItems<'a> {
    files: &'a [ItemFacts<'a>],
    hits: &'a [ScoredItem],
    /// The first scored item of each file.
    starts: Vec<usize>,
    names: LinkNames<'a>,
}

impl LinkedItems<'_> {
    /// The scored items that a link points to. A link to its whole own file gives none.
    fn linked_hits(&self, holder: usize, link: &FileLink) -> Option<(usize, usize)> {
        let (named, part) = target_and_fragment(&self.files[holder].file.document, link);
        let file = self.names.resolve(named, link.is_wiki, &self.files[holder].file.path)?;
        let (start, end) = (self.starts[file], self.starts[file + 1]);
        let found = self.files[file].file;
        let Some(bytes) = fragment_range(&found.document, part) else {
            return Some((start, end)).filter(|_| file != holder && start < end);
        };
        let item = |at: usize| found.items.partition_point(|item| (item.start as usize) < at);
        let hit = |at: usize| start + self.hits[start..end].partition_point(|hit| hit.item < item(at));
        Some((hit(bytes.start), hit(bytes.end))).filter(|(start, end)| start < end)
    }
}

/// The two best scores of a group: an item must not be boosted by itself.
struct BestTwo {
    first: (usize, f64),
    second: f64,
}

impl BestTwo {
    /// Takes items, each with its score.
    fn new(among: impl Iterator<Item = (usize, f64)>) -> BestTwo {
        let mut best = BestTwo { first: (usize::MAX, 0.0), second: 0.0 };
        for (at, score) in among {
            if at != best.first.0 && score > best.first.1 {
                best = BestTwo { first: (at, score), second: best.first.1 };
            } else if at != best.first.0 {
                best.second = best.second.max(score);
            }
        }
        best
    }

    fn best_except(&self, at: usize) -> f64 {
        if at == self.first.0 { self.second } else { self.first.1 }
    }
}
