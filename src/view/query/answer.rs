//! A ranking as an answer: the best items in groups of one entry each, cut to a limit and a budget, explained.
//!
//! Never changes the order: a group ends where the next best item stands elsewhere.

use serde::Serialize;
use serde_json::{Map, Value};

use super::facts::About;
use super::filter::Ask;
use super::items::{self, Sort};
use super::score::{Hit, Ranking};
use super::terms::Terms;
use crate::document::section_range;

/// What fits a question.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Found {
    /// The question.
    pub query: String,
    /// The scope that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Best first; newest first of those that fit equally well.
    pub items: Vec<Row>,
    /// How many of those that fit are shown.
    pub shown: usize,
    /// How many are shown besides, because a link joins them to a found one.
    #[serde(skip_serializing_if = "crate::view::outline::none_left_out")]
    pub linked: usize,
    /// How many fit.
    pub found: usize,
    /// About how many tokens the shown ones take as text.
    pub tokens: usize,
    /// How many more would fit a filter by time, were their day known.
    #[serde(skip_serializing_if = "crate::view::outline::none_left_out")]
    pub undated: usize,
}

/// One item that fits.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Where it stands: `facts/user.md@acvh`, or the section for what is no bullet.
    pub address: String,
    /// The file.
    pub path: String,
    /// The section's slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The entry's or section's title, else the file's.
    pub title: String,
    /// When it is from, `YYYY-MM-DD`; none where that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// `bullet`, `entry`, `heading`, `paragraph`, `row` or `code`.
    pub kind: &'static str,
    /// A bullet's handle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Its explicit id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its own `[category]`, else its file's name.
    pub category: String,
    /// Its text on one line.
    pub text: String,
    /// With `full`: the item as it stands, with its children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full: Option<String>,
    /// With `full`: the episode entry it belongs to, as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Its metadata.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Its score: comparable within one answer only.
    pub score: f64,
    /// How well it fits, from 0 to 1 (1: it says every word of the question): what a threshold compares.
    pub relevance: f64,
    /// With `explain`: what each part contributed to the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<Part>>,
    /// For an item that is here because a link joins it to a found one: that link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked: Option<Tie>,
}

/// A link between a found item and one that stands in an answer because of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Tie {
    /// The found item's address.
    pub with: String,
    /// `to` where this item holds the link, `from` where the found one does.
    pub direction: &'static str,
    /// What the item that holds the link says of it: `depends_on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
}

impl Tie {
    /// The link on one line: `← facts/user.md@acvh depends_on`.
    pub fn line(&self) -> String {
        let arrow = if self.direction == "to" { '→' } else { '←' };
        match &self.relation {
            Some(relation) => format!("{arrow} {} {relation}", self.with),
            None => format!("{arrow} {}", self.with),
        }
    }
}

/// A part of a score.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Part {
    /// The term as search compares it, or `(file)`, `(time)`, `(question)`, `(link)`.
    pub term: String,
    /// What it added.
    pub score: f64,
}

impl Row {
    /// What stands above a group of items: `facts/user.md#work: Work (2026-02-24)`.
    pub fn head(&self) -> String {
        let mut head = self.path.clone();
        if let Some(section) = &self.section {
            head.push('#');
            head.push_str(section);
        }
        if !self.title.is_empty() {
            head.push_str(": ");
            head.push_str(&self.title);
        }
        if let Some(date) = &self.date {
            head.push_str(&format!(" ({date})"));
        }
        head
    }

    /// What stands below the head: the item on one line, and whole texts where they are given.
    pub fn lines(&self) -> (Option<&str>, Option<&str>) {
        let Some(full) = self.full.as_deref() else { return (Some(&self.text), None) };
        let entry = self.entry.as_deref().map(str::trim_end);
        match (&self.handle, full.split_once('\n')) {
            (Some(_), Some((_, below))) => {
                (Some(&self.text), entry.or(Some(below.trim_end()).filter(|b| !b.is_empty())))
            }
            (Some(_), None) => (Some(&self.text), entry),
            (None, _) => (None, entry.or(Some(full.trim_end()))),
        }
    }

    /// About how many tokens it takes as text; `last` is the head of the item before it.
    pub fn cost(&self, last: &str) -> usize {
        let head = self.head();
        let name = self.handle.as_ref().map_or(0, |h| tokens(h) + 1);
        let parts: usize = self.parts.iter().flatten().map(|p| tokens(&p.term) + 4).sum();
        let above = if head == last { 0 } else { tokens(&head) + 1 };
        let (line, more) = self.lines();
        let lines: usize = [line, more].into_iter().flatten().map(|text| tokens(text) + 1).sum();
        let tie = self.linked.as_ref().map_or(0, |tie| tokens(&tie.line()) + 1);
        above + name + lines + parts + tie
    }
}

/// About how many tokens a text is: four ASCII bytes or one Chinese character each.
pub fn tokens(text: &str) -> usize {
    quarters(text).div_ceil(4)
}

/// The same in quarters of a token, which can be added up.
pub fn quarters(text: &str) -> usize {
    text.chars().map(weight).sum()
}

/// What one character takes, in quarters of a token.
pub fn weight(c: char) -> usize {
    match c {
        _ if c.is_ascii() => 1,
        _ if crate::text::words::is_unspaced(c) => 4,
        _ => 2,
    }
}

/// What the last line of an answer takes, in tokens, at most.
pub const LAST_LINE: usize = 32;

/// Makes the answer.
pub fn answer(ranking: &Ranking<'_>, terms: &Terms, ask: &Ask) -> Found {
    shown(ranking, terms, ask).0
}

/// Makes the answer; with it, the hits that are shown.
pub fn shown<'r>(ranking: &'r Ranking<'_>, terms: &Terms, ask: &Ask) -> (Found, Vec<&'r Hit>) {
    let fits = |hit: &&Hit| ask.threshold.is_none_or(|least| ranking.relevance(hit) >= least);
    let hits: Vec<&Hit> = ranking.hits.iter().filter(fits).collect();
    let mut found = Found {
        query: ask.question.clone(),
        scope: ask.scope.clone(),
        found: hits.len(),
        undated: ranking.undated,
        ..Found::default()
    };
    let limit = ask.limit.unwrap_or(usize::MAX);
    // What is linked must find room, too.
    let kept = |budget: usize| if ask.linked { budget / LINKED } else { 0 };
    let room = ask.budget.map_or(usize::MAX, |b| b.saturating_sub(LAST_LINE) - kept(b.saturating_sub(LAST_LINE)));
    let mut told = Vec::new();
    let mut last = String::new();
    let mut entry: Option<(usize, u32)> = None;
    for hit in hits {
        if found.items.len() >= limit {
            break;
        }
        let row = row(ranking, hit, terms, ask, &mut entry);
        let cost = row.cost(&last);
        if found.tokens + cost > room {
            // A long one makes room for shorter ones behind it, up to a point.
            if room - found.tokens < LEAST {
                break;
            }
            entry = None;
            continue;
        }
        found.tokens += cost;
        last = row.head();
        found.items.push(row);
        told.push(hit);
    }
    found.shown = found.items.len();
    (found, told)
}

/// What the last line of a budget's room leaves to linked items, as a share.
const LINKED: usize = 4;

/// With less room than this, in tokens, nothing else is tried.
const LEAST: usize = 16;

/// `entry` is the one whose whole text was given last.
fn row(ranking: &Ranking<'_>, hit: &Hit, terms: &Terms, ask: &Ask, entry: &mut Option<(usize, u32)>) -> Row {
    let about = &ranking.files[hit.file];
    let row = plain(about, hit.item, ask);
    let place = (hit.file, about.found.items[hit.item].section);
    Row {
        date: hit.moment.map(|m| m.day.to_string()),
        entry: row.entry.filter(|_| entry.replace(place) != Some(place)),
        score: rounded(hit.score),
        relevance: rounded(ranking.relevance(hit)),
        parts: ask.explain.then(|| explained(ranking, hit, terms)),
        ..row
    }
}

/// An item as it is answered, without what a ranking knows of it.
pub fn plain(about: &About<'_>, item: usize, ask: &Ask) -> Row {
    let (document, path) = (&about.found.document, &about.found.path);
    let category = about.category(item).unwrap_or(path.stem()).to_owned();
    let meta = about.meta(item).0.into_iter().map(|(k, v)| (k, Value::String(v))).collect();
    let item = &about.found.items[item];
    let section = &document.sections()[item.section as usize];
    let bullet = match item.sort {
        Sort::Bullet(b) => Some(b as usize),
        _ => None,
    };
    let (address, handle) = items::address(document, path, item);
    let raw = &document.text()[item.start as usize..item.end as usize];
    Row {
        address,
        path: path.to_string(),
        section: (section.level > 1).then(|| section.slug.clone()),
        title: document.section_title(item.section as usize).into_owned(),
        kind: item.sort.name(),
        handle,
        id: bullet.and_then(|b| document.bullet_id(b)).map(|id| id.into_owned()),
        category,
        text: items::line(document, item),
        full: ask.full.then(|| whole(document, bullet, raw).to_owned()),
        entry: ask.full.then(|| entry(document, path.folder(), item.section)).flatten(),
        meta,
        ..Row::default()
    }
}

/// A bullet with its children; anything else as it stands.
fn whole<'a>(document: &'a crate::document::Document, bullet: Option<usize>, raw: &'a str) -> &'a str {
    match bullet.map(|b| document.bullets()[b]) {
        Some(b) => &document.text()[b.line as usize..b.end as usize],
        None => raw,
    }
}

/// The episode entry around a section, as it stands.
fn entry(document: &crate::document::Document, folder: Option<&str>, section: u32) -> Option<String> {
    if folder != Some("episodes") {
        return None;
    }
    let mut at = section as usize;
    while at != 0 && document.sections()[at].level != 2 {
        at = document.sections()[at].parent as usize;
    }
    (at != 0).then(|| document.text()[section_range(document, at)].to_owned())
}

fn explained(ranking: &Ranking<'_>, hit: &Hit, terms: &Terms) -> Vec<Part> {
    let (items, file) = ranking.parts(hit);
    let part = |term: &str, score: f64| Part { term: term.to_owned(), score: rounded(score) };
    let mut parts: Vec<Part> = terms.all.iter().zip(items).map(|(t, score)| part(&t.text, score)).collect();
    parts.push(part("(file)", file));
    if hit.nudge != 0.0 {
        parts.push(part(if hit.nudge > 0.0 { "(time)" } else { "(question)" }, hit.nudge));
    }
    parts.push(part("(link)", hit.lift));
    parts.retain(|p| p.score != 0.0);
    parts
}

/// Thousandths: more would be noise.
fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_about_four_letters_or_one_character() {
        assert_eq!((tokens(""), tokens("abcd"), tokens("abcde"), tokens("项目"), tokens("été")), (0, 1, 2, 2, 2));
    }
}
