//! Turns a ranking into a result: the best items with their addresses and texts, cut to a limit and a budget, with
//! explanations.
//!
//! Never changes the order of the ranking: a group of rows ends where the next best item is in another section.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;

use super::filter::{ItemFilter, QueryOptions};
use super::item_facts::ItemFacts;
use super::items::{self, ItemKind};
use super::query_row::{ConfidenceNote, LinkReason, QueryRow, ScorePart};
use super::score::{Ranking, ScoreAdjustments, ScoredItem};
use super::terms::{QueryTerm, QueryTerms};
use crate::document::{MetaKey, section_range};
use crate::path::SourceAddress;
use crate::text::counted_noun::counted_noun;

/// The result of a query.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct QueryResult {
    /// The text of the query; empty if only filters were given.
    pub query: String,
    /// The scope that was searched, if it is not the caller's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Best first; equally good ones newest first.
    pub items: Vec<QueryRow>,
    /// Of a search in all scopes: what was found in each, by name. Addresses are those in the scope.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<ScopeMatches>,
    /// How many matching items are shown; of a search in all scopes, those of the scopes included.
    pub shown: usize,
    /// How many items are shown in addition because they are linked to a matching one.
    #[serde(skip_serializing_if = "crate::view::outline::none_left_out")]
    pub linked: usize,
    /// How many items match; of a search in all scopes, those of the scopes included.
    pub found: usize,
    /// Estimated size of the shown items as text, in tokens; of a search in all scopes, those of the scopes included.
    pub tokens: usize,
    /// How many more items a date filter left out because their date is unknown.
    #[serde(skip_serializing_if = "crate::view::outline::none_left_out")]
    pub undated: usize,
    /// How many different words of a very long query were not searched for; for scripts without spaces, characters and
    /// pairs of characters.
    #[serde(skip_serializing_if = "crate::view::outline::none_left_out")]
    pub words_left_out: usize,
    /// The bounds that show more items; absent if all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<LargerBounds>,
    /// A sentence for each layer and file that could not be searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The budget of the whole answer in tokens, if there is one.
    #[serde(skip)]
    pub budget: Option<usize>,
    /// Whether what has expired, the archive, the inbox and procedures were searched, too.
    #[serde(skip)]
    pub searched_all: bool,
}

impl QueryResult {
    /// Adds what the scopes have to the totals, once all of them are searched.
    pub fn count_scopes(&mut self) {
        for scope in &self.scopes {
            self.shown += scope.shown;
            self.found += scope.found;
            self.tokens += scope.tokens;
        }
    }

    /// A sentence, if items match and none of them fits into the budget.
    pub fn nothing_fits(&self) -> Option<String> {
        let suggested = self.more.as_ref().and_then(|more| more.budget);
        (self.items.is_empty() && self.found > 0).then(|| {
            let items = counted_noun(self.found, "item");
            let verb = if self.found == 1 { "matches" } else { "match" };
            let more = suggested.map_or(String::new(), |budget| format!("; budget_tokens {budget} shows more"));
            format!("{items} {verb}, and none fits into the budget{more}")
        })
    }
}

/// What was found in a scope.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ScopeMatches {
    /// The name of the scope.
    pub scope: String,
    /// The matching items, best first.
    pub items: Vec<QueryRow>,
    /// How many matching items are shown.
    pub shown: usize,
    /// How many items match.
    pub found: usize,
    /// Estimated size of the shown items as text, in tokens.
    pub tokens: usize,
}

impl QueryResult {
    /// Adds the result of another memory, which this one may read: its items keep their order and get addresses with
    /// their source. Of equally relevant items those of this memory come first.
    pub fn join_source(&mut self, source: &str, other: QueryResult, options: &QueryOptions) {
        let with_source = |address: &str| SourceAddress { source, address }.to_string();
        let mut others = other.items.into_iter().map(|row| QueryRow {
            address: with_source(&row.address),
            path: with_source(&row.path),
            linked: row.linked.map(|link| LinkReason { with: with_source(&link.with), ..link }),
            ..row
        });
        let mut next = others.next();
        let mut joined: Vec<QueryRow> = Vec::new();
        for row in std::mem::take(&mut self.items) {
            while let Some(other) = next.take_if(|other| other.relevance > row.relevance) {
                joined.push(other);
                next = others.next();
            }
            joined.push(row);
        }
        joined.extend(next.into_iter().chain(others));
        joined.truncate(options.limit.unwrap_or(usize::MAX));
        let (mut tokens, mut heading, mut fitting) = (0, String::new(), 0);
        for row in &joined {
            let cost = row.token_cost(&heading);
            if options.budget.is_some_and(|budget| tokens + cost > budget.saturating_sub(LAST_LINE_TOKENS)) {
                break;
            }
            (tokens, heading, fitting) = (tokens + cost, row.heading(), fitting + 1);
        }
        joined.truncate(fitting);
        (self.found, self.undated) = (self.found + other.found, self.undated + other.undated);
        self.words_left_out = self.words_left_out.max(other.words_left_out);
        self.left_out.extend(other.left_out.into_iter().map(|reason| format!("{source}: {reason}")));
        self.linked = joined.iter().filter(|row| row.linked.is_some()).count();
        self.shown = joined.len() - self.linked;
        (self.items, self.tokens) = (joined, tokens);
        let hidden = self.found.saturating_sub(self.shown);
        self.more = (hidden > 0).then(|| LargerBounds {
            items: hidden,
            limit: options.limit.map(|_| self.found),
            budget: options.budget.map(|budget| budget.saturating_mul(2)),
        });
    }
}

/// The bounds with which the same query shows more items. A bound that need not change is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct LargerBounds {
    /// How many more items they show, at least.
    pub items: usize,
    /// The maximum number of items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// The maximum number of tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
}

/// Budget kept for the last line of a result, in tokens.
pub const LAST_LINE_TOKENS: usize = 32;

/// How many more items the suggested bounds show.
const MORE_ITEMS: usize = 10;

#[cfg(test)]
pub fn query_result(ranking: &Ranking<'_>, terms: &QueryTerms, filter: &ItemFilter<'_>) -> QueryResult {
    query_result_with_hits(ranking, terms, filter).0
}

/// The result, and the ranked items that it shows.
pub fn query_result_with_hits<'r>(
    ranking: &'r Ranking<'_>,
    terms: &QueryTerms,
    filter: &ItemFilter<'_>,
) -> (QueryResult, Vec<&'r ScoredItem>) {
    let options = filter.options;
    let fits = |hit: &&ScoredItem| options.threshold.is_none_or(|least| ranking.relevance(hit) >= least);
    let hits: Vec<&ScoredItem> = ranking.hits.iter().filter(fits).collect();
    let mut result = QueryResult {
        query: options.query.clone(),
        scope: options.scope.clone(),
        found: hits.len(),
        undated: ranking.undated,
        words_left_out: terms.left_out,
        budget: options.budget,
        searched_all: options.all,
        ..QueryResult::default()
    };
    let limit = options.limit.unwrap_or(usize::MAX);
    let hits = without_spare_headings(ranking, hits, limit);
    // Reserve budget for linked items.
    let reserved = |budget: usize| if options.linked { budget / LINKED_SHARE } else { 0 };
    let available = options
        .budget
        .map_or(usize::MAX, |b| b.saturating_sub(LAST_LINE_TOKENS) - reserved(b.saturating_sub(LAST_LINE_TOKENS)));
    let mut shown_hits = Vec::new();
    let mut last = String::new();
    let mut entry: Option<(usize, u32)> = None;
    for hit in &hits {
        if result.items.len() >= limit {
            break;
        }
        let row = ranked_row(ranking, hit, terms, filter, &mut entry);
        let cost = row.token_cost(&last);
        if result.tokens + cost > available {
            // A row that is too long is skipped in favour of shorter ones, as long as the rest of the budget is not
            // tiny.
            if available - result.tokens < MIN_REST {
                break;
            }
            entry = None;
            continue;
        }
        result.tokens += cost;
        last = row.heading();
        result.items.push(row);
        shown_hits.push(*hit);
    }
    result.shown = result.items.len();
    if result.shown < result.found {
        let items = MORE_ITEMS.min(result.found - result.shown);
        let wanted = result.shown + items;
        let budget = options.budget.map(|budget| {
            let rows = hits.iter().take(wanted);
            let tokens = tokens_of_rows(rows.map(|hit| ranked_row(ranking, hit, terms, filter, &mut None)));
            let tokens = if options.linked { tokens * LINKED_SHARE / (LINKED_SHARE - 1) + 1 } else { tokens };
            (budget, LAST_LINE_TOKENS + tokens)
        });
        result.more = Some(LargerBounds {
            items,
            limit: options.limit.filter(|limit| *limit < wanted).map(|_| wanted),
            budget: budget.filter(|(given, needed)| given < needed).map(|(_, needed)| needed),
        });
    }
    (result, shown_hits)
}

/// Removes headings and titles of entries of which an item is a hit, too, if there are more hits than the limit: they are
/// printed above their items anyway, so they must not take the place of an item.
fn without_spare_headings<'r>(ranking: &Ranking<'_>, hits: Vec<&'r ScoredItem>, limit: usize) -> Vec<&'r ScoredItem> {
    if hits.len() <= limit {
        return hits;
    }
    let item = |hit: &ScoredItem| ranking.files[hit.file].file.items[hit.item];
    let titled: HashSet<(usize, u32)> = hits
        .iter()
        .filter(|hit| !matches!(item(hit).kind, ItemKind::Heading | ItemKind::Entry))
        .map(|hit| (hit.file, item(hit).section))
        .collect();
    let is_spare = |hit: &ScoredItem| match item(hit).kind {
        ItemKind::Heading | ItemKind::Entry => titled.contains(&(hit.file, item(hit).section)),
        ItemKind::Bullet(_) | ItemKind::Paragraph | ItemKind::Row | ItemKind::Code => false,
    };
    let spare = hits.iter().filter(|hit| is_spare(hit)).count();
    // Headings fill the places that are left.
    let mut headings = limit.saturating_sub(hits.len() - spare);
    let keep = |hit: &&ScoredItem| {
        let take_heading = is_spare(hit) && headings > 0;
        headings -= usize::from(take_heading);
        take_heading || !is_spare(hit)
    };
    hits.into_iter().filter(keep).collect()
}

/// The cost of consecutive rows, in tokens.
fn tokens_of_rows(rows: impl Iterator<Item = QueryRow>) -> usize {
    let mut last = String::new();
    rows.map(|row| {
        let cost = row.token_cost(&last);
        last = row.heading();
        cost
    })
    .sum()
}

/// Linked items get one part in this many of the budget.
const LINKED_SHARE: usize = 4;

/// With a smaller rest of the budget, in tokens, no further row is tried.
const MIN_REST: usize = 16;

/// `entry` is the entry whose source text was given last: it is not repeated.
fn ranked_row(
    ranking: &Ranking<'_>,
    hit: &ScoredItem,
    terms: &QueryTerms,
    filter: &ItemFilter<'_>,
    entry: &mut Option<(usize, u32)>,
) -> QueryRow {
    let facts = &ranking.files[hit.file];
    let row = plain_row(facts, hit.item, filter);
    let place = (hit.file, facts.file.items[hit.item].section);
    QueryRow {
        date: hit.date.map(|m| m.day.to_string()),
        entry: row.entry.filter(|_| entry.replace(place) != Some(place)),
        score: round_score(hit.score),
        relevance: round_score(ranking.relevance(hit)),
        similarity: hit.similarity,
        parts: filter.options.explain.then(|| score_parts(ranking, hit, terms)),
        ..row
    }
}

/// A row without what the ranking adds to it.
pub fn plain_row(facts: &ItemFacts<'_>, item: usize, filter: &ItemFilter<'_>) -> QueryRow {
    let QueryOptions { full, explain, .. } = *filter.options;
    let confidence = explain.then(|| filter.confidence(facts, item)).flatten().map(ConfidenceNote::of);
    let (document, path) = (&facts.file.document, &facts.file.path);
    let category = facts.category(item).or(facts.memory_type()).unwrap_or(path.stem()).to_owned();
    let stale_anchor = facts.stale_anchor(item);
    let expired = facts.expires(item).filter(|last_day| *last_day < filter.today).map(|day| day.to_string());
    let meta = facts.meta(item);
    let branch = meta.valid(MetaKey::Branch).map(str::to_owned);
    let meta = meta.0.into_iter().map(|(k, v)| (k, Value::String(v))).collect();
    let item = &facts.file.items[item];
    let section = &document.sections()[item.section as usize];
    let bullet = match item.kind {
        ItemKind::Bullet(b) => Some(b as usize),
        _ => None,
    };
    let (address, handle) = items::address(document, path, item);
    let raw = &document.text()[item.start as usize..item.end as usize];
    QueryRow {
        address,
        path: path.to_string(),
        section: (section.level > 1).then(|| section.slug.clone()),
        title: document.section_title(item.section as usize).into_owned(),
        kind: item.kind.name(),
        handle,
        identity: bullet.map(|b| items::identity(document, path.as_str(), b)),
        id: bullet.and_then(|b| document.bullet_id(b)).map(|id| id.into_owned()),
        category,
        text: items::item_line(document, item),
        full: full.then(|| source_text(document, bullet, raw).to_owned()),
        entry: full.then(|| entry_source(document, path, item.section)).flatten(),
        meta,
        branch,
        expired,
        stale_anchor,
        overruled_by: None,
        confidence,
        ..QueryRow::default()
    }
}

/// The source text of a bullet with its children, or of any other item.
fn source_text<'a>(document: &'a crate::document::Document, bullet: Option<usize>, raw: &'a str) -> &'a str {
    match bullet.map(|b| document.bullets()[b]) {
        Some(b) => &document.text()[b.line_start as usize..b.end as usize],
        None => raw,
    }
}

/// The source text of the episode entry that contains a section.
fn entry_source(document: &crate::document::Document, path: &crate::path::MemoryPath, section: u32) -> Option<String> {
    if !path.holds_episodes() {
        return None;
    }
    let mut at = section as usize;
    while at != 0 && document.sections()[at].level != 2 {
        at = document.sections()[at].parent as usize;
    }
    (at != 0).then(|| document.text()[section_range(document, at)].to_owned())
}

fn score_parts(ranking: &Ranking<'_>, hit: &ScoredItem, terms: &QueryTerms) -> Vec<ScorePart> {
    let (items, file) = ranking.contributions(hit);
    let part = |term: &str, score: f64| ScorePart { term: term.to_owned(), score: round_score(score), is_own: false };
    let own = ranking.files[hit.file].file.hits_of(hit.item);
    let is_own = |term: usize| {
        own.is_some_and(|hits| hits.counts.iter().any(|count| usize::from(count.term) == term && count.own > 0.0))
    };
    let term_parts = terms.all.iter().zip(items).enumerate();
    let mut parts: Vec<ScorePart> = term_parts
        .map(|(number, (term, score))| ScorePart { is_own: is_own(number), ..part(&explained(term), score) })
        .collect();
    parts.push(part("(file)", file));
    let ScoreAdjustments { time, question, speaker, insight, latest, vector, name } = hit.adjustments;
    let others = [
        ("(time)", time),
        ("(latest)", latest),
        ("(question)", question),
        ("(speaker)", speaker),
        ("(insight)", insight),
        ("(name)", name),
        ("(vector)", vector),
    ];
    parts.extend(others.map(|(what, score)| part(what, score)));
    parts.push(part("(link)", hit.link_boost));
    parts.retain(|p| p.score != 0.0);
    parts
}

/// A term as it is explained: `kayak for kyaak` if it stands in for another word.
fn explained(term: &QueryTerm) -> Cow<'_, str> {
    match &term.substitute_for {
        Some(word) => Cow::Owned(format!("{} for {word}", term.text)),
        None => Cow::Borrowed(&term.text),
    }
}

/// Rounds to thousandths: more digits would be noise.
fn round_score(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
