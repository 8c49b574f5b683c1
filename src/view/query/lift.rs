//! What links are worth to a ranking: an item gains a share of the best score that it is linked with, either way.
//!
//! Never finds an item: who has no score of its own gains nothing.

use std::collections::HashMap;
use std::ops::Range;

use super::facts::About;
use super::score::Hit;
use crate::document::links::{Link, place};
use crate::view::links::{Names, edges, target};

/// Of the best score among the items that one is linked with: what that adds (`w_rel` of seeds/memory-spec.md 2).
const LINK: f64 = 0.1;

/// Adds what links are worth; the hits are in the order of files and items.
pub fn lift(files: &[About<'_>], hits: &mut [Hit]) {
    if files.iter().all(|about| about.found.links.is_empty()) {
        return;
    }
    let mut best = vec![0.0_f64; hits.len()];
    for ((from, to), sources) in ties(files, hits) {
        let there = Two::of(hits, from..to);
        let here = Two::of(hits, sources.iter().copied());
        for at in sources {
            best[at] = best[at].max(there.but(at));
        }
        for (at, best) in best.iter_mut().enumerate().take(to).skip(from) {
            *best = best.max(here.but(at));
        }
    }
    for (hit, best) in hits.iter_mut().zip(best) {
        hit.lift = LINK * best;
        hit.score += hit.lift;
    }
}

/// Ranges of hits that are linked to, and the hits that link to each.
fn ties(files: &[About<'_>], hits: &[Hit]) -> HashMap<(usize, usize), Vec<usize>> {
    let names = Names::new(files.iter().map(|about| &about.found.path));
    let mut ties: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for (file, about) in files.iter().enumerate() {
        // What may not be seen is no hit any more.
        for edge in edges(about, &|_, _| true) {
            let source = hits.binary_search_by_key(&(file, edge.item), |h| (h.file, h.item));
            let (Ok(source), Some(range)) = (source, leads_to(files, hits, &names, file, &edge.link)) else { continue };
            ties.entry((range.start, range.end)).or_default().push(source);
        }
    }
    ties
}

/// The hits that a link leads to. A link to its own file names nothing new.
fn leads_to(files: &[About<'_>], hits: &[Hit], names: &Names<'_>, holder: usize, link: &Link) -> Option<Range<usize>> {
    let (named, part) = target(&files[holder].found.document, link);
    let file = names.find(named, link.wiki, &files[holder].found.path)?;
    let found = files[file].found;
    let items = match place(&found.document, part) {
        Some(bytes) if !part.is_empty() => {
            let first = found.items.partition_point(|item| (item.start as usize) < bytes.start);
            first..found.items.partition_point(|item| (item.start as usize) < bytes.end)
        }
        _ if file == holder => return None,
        _ => 0..found.items.len(),
    };
    let at = |item: usize| hits.partition_point(|h| (h.file, h.item) < (file, item));
    Some(at(items.start)..at(items.end)).filter(|range| !range.is_empty())
}

/// The two best scores among some hits: an item is not linked with itself.
struct Two {
    first: (usize, f64),
    second: f64,
}

impl Two {
    fn of(hits: &[Hit], among: impl Iterator<Item = usize>) -> Two {
        let mut two = Two { first: (usize::MAX, 0.0), second: 0.0 };
        for at in among {
            let score = hits[at].score;
            if at != two.first.0 && score > two.first.1 {
                two = Two { first: (at, score), second: two.first.1 };
            } else if at != two.first.0 {
                two.second = two.second.max(score);
            }
        }
        two
    }

    fn but(&self, at: usize) -> f64 {
        if at == self.first.0 { self.second } else { self.first.1 }
    }
}
