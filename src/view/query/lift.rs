//! What links are worth to a ranking: an item gains a share of the best score that it is linked with, either way.
//!
//! Never finds an item: who has no score of its own gains nothing.

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
    for group in ties(files, hits).chunk_by(|a, b| a.to == b.to) {
        let to = group[0].to.0..group[0].to.1;
        let there = Two::of(hits, to.clone());
        let here = Two::of(hits, group.iter().map(|tie| tie.from));
        for tie in group {
            best[tie.from] = best[tie.from].max(there.but(tie.from));
        }
        for (at, best) in best.iter_mut().enumerate().take(to.end).skip(to.start) {
            *best = best.max(here.but(at));
        }
    }
    for (hit, best) in hits.iter_mut().zip(best) {
        hit.lift = LINK * best;
        hit.score += hit.lift;
    }
}

/// A link between hits.
struct Tie {
    /// The hits that it leads to: the first, and one past the last.
    to: (usize, usize),
    /// The hit that holds it.
    from: usize,
}

/// The links between hits, those that lead to the same hits side by side.
fn ties(files: &[About<'_>], hits: &[Hit]) -> Vec<Tie> {
    let names = Names::new(files.iter().map(|about| &about.found.path));
    let starts: Vec<usize> = (0..=files.len()).map(|file| hits.partition_point(|hit| hit.file < file)).collect();
    let lift = Lifting { files, hits, starts, names };
    let mut ties = Vec::new();
    for (file, about) in files.iter().enumerate().filter(|(_, about)| !about.found.links.is_empty()) {
        let own = lift.starts[file]..lift.starts[file + 1];
        // What may not be seen is no hit any more.
        for edge in edges(about, &|_, _| true) {
            let Ok(at) = hits[own.clone()].binary_search_by_key(&edge.item, |hit| hit.item) else { continue };
            let Some(to) = lift.leads_to(file, &edge.link) else { continue };
            ties.push(Tie { to, from: own.start + at });
        }
    }
    ties.sort_unstable_by_key(|tie| (tie.to, tie.from));
    ties
}

/// What links are looked up in.
struct Lifting<'a> {
    files: &'a [About<'a>],
    hits: &'a [Hit],
    /// By file: its first hit.
    starts: Vec<usize>,
    names: Names<'a>,
}

impl Lifting<'_> {
    /// The hits that a link leads to. A link to its own file names nothing new.
    fn leads_to(&self, holder: usize, link: &Link) -> Option<(usize, usize)> {
        let (named, part) = target(&self.files[holder].found.document, link);
        let file = self.names.find(named, link.wiki, &self.files[holder].found.path)?;
        let (start, end) = (self.starts[file], self.starts[file + 1]);
        let found = self.files[file].found;
        let Some(bytes) = place(&found.document, part) else {
            return Some((start, end)).filter(|_| file != holder && start < end);
        };
        let item = |at: usize| found.items.partition_point(|item| (item.start as usize) < at);
        let hit = |at: usize| start + self.hits[start..end].partition_point(|hit| hit.item < item(at));
        Some((hit(bytes.start), hit(bytes.end))).filter(|(start, end)| start < end)
    }
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
