//! Items that links join to the found ones: one or two of them stand at the end of an answer.
//!
//! Never adds what a filter or the gate turns away, or what the answer shows already.

use std::collections::{HashMap, HashSet};

use super::answer::{Found, LAST_LINE, Row, Tie, plain};
use super::facts::About;
use super::filter::Ask;
use super::items::Sort;
use super::score::{Hit, Ranking};
use crate::document::links::{Link, candidates, names, place};
use crate::path::MemoryPath;
use crate::view::links::{Names, Seen, edges, relation, target};

/// Most linked items of an answer.
const MOST: usize = 2;
/// So many of the best found items are looked at.
const NEAR: usize = 8;

/// The found items whose links count: the best ones.
pub struct Around<'a> {
    hits: Vec<&'a Hit>,
    /// What the answer shows already: file and item.
    shown: HashSet<(&'a MemoryPath, usize)>,
    ranking: &'a Ranking<'a>,
    /// All files that may be shown, by name.
    names: &'a Names<'a>,
}

/// The files that are worth a look.
pub struct Ends<'a> {
    /// What the hits link to.
    targets: Vec<&'a MemoryPath>,
    /// Where the hits stand.
    own: Vec<&'a MemoryPath>,
}

impl Ends<'_> {
    /// Whether a file is one of them: a link leads to it, or one of what may be its links leads to a hit.
    pub fn takes(&self, path: &MemoryPath, text: &str) -> bool {
        let to_hit = |link: &Link| {
            let named = &text[link.start..link.end];
            self.own.iter().any(|file| names(named, link.wiki, path, file))
        };
        self.targets.contains(&path) || candidates(text).iter().any(to_hit)
    }
}

impl<'a> Around<'a> {
    /// Looks at the best of the shown hits.
    pub fn of(shown: &[&'a Hit], ranking: &'a Ranking<'a>, names: &'a Names<'a>) -> Around<'a> {
        let at = |hit: &&'a Hit| (&ranking.files[hit.file].found.path, hit.item);
        Around {
            hits: shown.iter().take(NEAR).copied().collect(),
            shown: shown.iter().map(at).collect(),
            ranking,
            names,
        }
    }

    /// The files at the ends of their links.
    pub fn ends(&self) -> Ends<'a> {
        let mut ends = Ends { targets: Vec::new(), own: Vec::new() };
        for hit in &self.hits {
            let about = &self.ranking.files[hit.file];
            let own = edges(about, &|_, item| item == hit.item);
            let files = own.iter().filter_map(|edge| self.leads_to(about, &edge.link));
            ends.targets.extend(files.map(|file| self.names.path(file)));
            ends.own.push(&about.found.path);
        }
        ends.own.dedup();
        ends
    }

    fn leads_to(&self, about: &About<'_>, link: &Link) -> Option<usize> {
        self.names.find(target(&about.found.document, link).0, link.wiki, &about.found.path)
    }

    /// Adds linked items to an answer, those of the best hit first: what it links to, then what links to it.
    pub fn add(&self, answer: &mut Found, others: &[About<'_>], ask: &Ask, seen: &Seen<'_>) {
        let by_path: HashMap<&MemoryPath, &About<'_>> = others.iter().map(|o| (&o.found.path, o)).collect();
        let room = ask.budget.map_or(usize::MAX, |b| b.saturating_sub(LAST_LINE));
        for hit in &self.hits {
            let about = &self.ranking.files[hit.file];
            let with = plain(about, hit.item, &Ask::default()).address;
            let mut rows = self.outgoing(hit, about, &by_path, seen);
            rows.extend(self.incoming(hit, about, others, seen));
            for (about, item, direction, relation) in rows {
                let date = about.moment(item).map(|m| m.day.to_string());
                let linked = Some(Tie { with: with.clone(), direction, relation });
                let row = Row { date, linked, ..plain(about, item, ask) };
                let cost = row.cost(&answer.items.last().map_or(String::new(), Row::head));
                // Paragraphs of a section share an address.
                let told = |other: &Row| other.address == row.address && other.text == row.text;
                if answer.items.iter().any(told) || answer.tokens.saturating_add(cost) > room {
                    continue;
                }
                answer.tokens += cost;
                answer.linked += 1;
                answer.items.push(row);
                if answer.linked == MOST {
                    return;
                }
            }
        }
    }

    /// What a hit links to: of each target one item.
    fn outgoing<'o>(
        &self,
        hit: &Hit,
        about: &About<'_>,
        others: &HashMap<&MemoryPath, &'o About<'o>>,
        seen: &Seen<'_>,
    ) -> Vec<Way<'o>> {
        let mut ways = Vec::new();
        for edge in edges(about, &|_, item| item == hit.item) {
            let part = target(&about.found.document, &edge.link).1;
            let there = self.leads_to(about, &edge.link).and_then(|file| others.get(self.names.path(file)).copied());
            let Some(there) = there.filter(|t| t.found.path != about.found.path || !part.is_empty()) else { continue };
            if let Some(item) = self.one_of(there, part, seen) {
                ways.push((there, item, "from", relation(about, &edge)));
            }
        }
        ways
    }

    /// An item of a file, or of a part of it, that may be seen and is not shown yet: the one that fits the question
    /// best, else the first; a heading only where nothing else is.
    fn one_of(&self, about: &About<'_>, part: &str, seen: &Seen<'_>) -> Option<usize> {
        let found = about.found;
        let bytes = place(&found.document, part).filter(|_| !part.is_empty()).unwrap_or(0..found.document.text().len());
        let inside = |i: &usize| {
            bytes.contains(&(found.items[*i].start as usize))
                && !self.shown.contains(&(&found.path, *i))
                && seen(about, *i)
        };
        let own = |hit: &&Hit| self.ranking.files[hit.file].found.path == found.path;
        let fits = self.ranking.hits.iter().filter(own).map(|hit| hit.item).find(inside);
        let heading = |i: &usize| matches!(found.items[*i].sort, Sort::Heading | Sort::Entry);
        let all = || (0..found.items.len()).filter(inside);
        fits.or_else(|| all().find(|i| !heading(i))).or_else(|| all().next())
    }

    /// What links to a hit's file, or to the part of it that holds the hit.
    fn incoming<'o>(&self, hit: &Hit, about: &About<'_>, others: &'o [About<'o>], seen: &Seen<'_>) -> Vec<Way<'o>> {
        let mut ways = Vec::new();
        let found = about.found;
        let at = found.items[hit.item].start as usize;
        for other in others.iter().filter(|o| o.found.path != found.path) {
            for edge in edges(other, seen) {
                let part = target(&other.found.document, &edge.link).1;
                let there = self.leads_to(other, &edge.link).map(|file| self.names.path(file));
                let inside = || place(&found.document, part).is_none_or(|bytes| bytes.contains(&at));
                if there == Some(&found.path) && (part.is_empty() || inside()) {
                    ways.push((other, edge.item, "to", relation(other, &edge)));
                }
            }
        }
        ways
    }
}

/// An item at the other end of a link, which way the link leads, and what it says.
type Way<'o> = (&'o About<'o>, usize, &'static str, Option<String>);
