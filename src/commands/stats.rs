//! The command `stats`: figures of a memory and its use, from its files, the journal and `.memdir/usage`.
//!
//! Reads only, and invents nothing: what is not recorded on this machine is no row.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::budget::TokenLedger;
use super::point_in_time::{PointInTime, find_revision, is_since, parse_point_in_time};
use super::{CommandResult, Session};
use crate::change::{EntryOutcome, JournalEntry};
use crate::document::related_edge::stating_bullets;
use crate::document::{Document, MAX_FILE_BYTES, MetaKey, parse_date, split_category};
use crate::host::actor;
use crate::operation::limits;
use crate::path::ARCHIVE_FOLDER;

mod figure_table;
mod revision_events;

use figure_table::{DailyMetric, FigureTable};
use revision_events::{count_entry, is_of_inbox, only_writes, written_items};

/// Which figures are shown.
#[derive(Clone, Debug, Default)]
pub struct StatsOptions {
    /// Only events since this revision, date or age.
    pub since: Option<String>,
    /// Only what models and contexts cost, and how good their proposals were.
    pub cost: bool,
}

/// The result of `stats`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StatsReport {
    /// The first day of the events, UTC; absent if nothing is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last day of the events: today in UTC, `YYYY-MM-DD`.
    pub until: String,
    /// The figures, one for each metric, name and actor.
    pub figures: Vec<StatsFigure>,
}

/// A count or share: one for all days together, and one for each day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StatsFigure {
    /// What is measured: `items`, `category`, `age`, `never_used`, `scopes`, `created_per_hour`, `event`, `write`,
    /// `compaction`, `digest`, `duplicate`, `read`, `no_result`, `tokens_injected`, `injection_rate`, `tokens`,
    /// `tokens_today`, `tokens_per_day`, `requests_today`, `first_pass`, `grounded`, `chunks` or `refused`.
    pub metric: &'static str,
    /// What the count is of: a kind, a category, an event, a command.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The sum; a share is between 0 and 1.
    pub value: f64,
    /// The value of each day that has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<DayValue>,
}

/// The value of one day.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DayValue {
    /// YYYY-MM-DD, UTC for what the journal records.
    pub day: String,
    pub value: f64,
}

/// Figures of the memory as far as the caller sees it. A caller with an allowlist gets the events of its own only.
///
/// # Errors
/// `usage` for an invalid `since`, `revision_not_found` for a revision that there is not yet; `io`.
pub fn stats(session: &Session, options: &StatsOptions) -> CommandResult<StatsReport> {
    let from = options.since.as_deref().map(|since| parse_point_in_time(since, &session.now)).transpose()?;
    let restricted = session.store.require_unfiltered().is_err();
    let is_own = |actor: &str| !restricted || actor == session.actor;
    let today = session.now.timestamp().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    let mut entries = session.store.journal()?;
    if let (Some(PointInTime::Revision(rev)), Some(text)) = (&from, &options.since)
        && *rev > entries.last().map_or(0, |last| last.rev)
    {
        find_revision(text, &entries)?;
    }
    entries.retain(|entry| {
        entry.outcome == EntryOutcome::Done
            && is_own(&entry.header.actor)
            && !(restricted && entry.files.is_empty())
            && from.as_ref().is_none_or(|from| is_since(entry, from))
    });
    let mut table = FigureTable::default();
    let history = if entries.iter().any(only_writes) { Some(session.store.read_whole_history()?) } else { None };
    for entry in &entries {
        let written = history.as_ref().filter(|_| only_writes(entry)).map(|history| written_items(history, entry));
        count_entry(&mut table, entry, written);
    }
    let first_day = match &from {
        Some(PointInTime::Time(at)) => Some(day_of(at).to_owned()),
        Some(PointInTime::Revision(_)) | None => entries.first().map(|entry| day_of(&entry.header.at).to_owned()),
    };
    let is_in_time = |day: Date| from.is_none() || first_day.as_deref().is_some_and(|first| *first <= *day.to_string());
    let mut reads = session.store.recorded_uses();
    let [reader, writer] = actor::recorded_names(&|name| std::env::var(name).ok(), &session.dir);
    reads.iter_mut().filter(|read| read.actor == reader).for_each(|read| read.actor.clone_from(&writer));
    reads.retain(|read| is_own(&read.actor) && is_in_time(read.day));
    for read in &reads {
        let (name, day) = (read.command.as_str(), read.day.to_string());
        let mut add = |metric, value| table.add(metric, name, Some(&read.actor), &day, value);
        add(DailyMetric::Read, 1.0);
        match read.count {
            Some(0) => add(DailyMetric::NoResult, 1.0),
            Some(tokens) => add(DailyMetric::TokensInjected, tokens as f64),
            None => {}
        }
    }
    let first_day = first_day.or_else(|| reads.iter().map(|read| read.day.to_string()).min());
    let mut figures = Vec::new();
    if !options.cost {
        figures.extend(item_figures(session)?);
        if !restricted && session.scope.is_none() {
            figures.extend(scope_figures(session)?);
        }
        if let Some(rate) = hourly_rate(session, &table, entries.iter().find(|entry| !is_of_inbox(entry))) {
            figures.push(rate);
        }
        let contexts: Vec<_> = reads.iter().filter(|read| read.command == "context").collect();
        if !contexts.is_empty() {
            let with_memories = contexts.iter().filter(|read| read.count != Some(0)).count();
            let rate = with_memories as f64 / contexts.len() as f64;
            figures.push(figure("injection_rate", String::new(), (rate * 1000.0).round() / 1000.0));
        }
    }
    figures.extend(table.into_figures(options.cost));
    if !restricted {
        figures.extend(model_figures(session));
    }
    Ok(StatsReport { from: first_day, until: today, figures })
}

/// Bullets and entries by folder, bullets by category and age, and those that no recorded read has shown.
fn item_figures(session: &Session) -> CommandResult<Vec<StatsFigure>> {
    let mut files = session.store.walk(None)?;
    files.retain(|file| !file.path.is_in_inbox());
    let (today, uses) = (session.now.date(), session.store.usage());
    let counted = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        let document = Document::parse(std::str::from_utf8(read.ok()?.0).ok()?);
        let mut counts: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
        let mut count = |metric, name: &str| *counts.entry((metric, name.to_owned())).or_default() += 1;
        count("items", "files");
        let folder = file.path.folder().unwrap_or("facts");
        if file.path.holds_episodes() {
            (0..limits::section_size(&document, 0).entries).for_each(|_| count("items", "entries"));
        }
        for bullet in stating_bullets(&document) {
            count("items", &format!("bullets in {folder}/"));
            if folder == ARCHIVE_FOLDER {
                continue;
            }
            count("category", split_category(&document.bullet_text(bullet)).0.unwrap_or("none"));
            let meta = document.bullet_meta(bullet).unwrap_or_default();
            let written = [MetaKey::Upd, MetaKey::Added].into_iter().find_map(|key| parse_date(meta.raw(key.name())?));
            count("age", age_name(written.and_then(|day| day.until(today).ok()).map(|age| age.get_days())));
            let handle = document.handles()[bullet];
            let is_used = uses.last_use(&file.path, Some(handle)).or_else(|| uses.last_use(&file.path, None)).is_some();
            if uses.since.is_some() && !is_used {
                count("never_used", "bullets");
            }
        }
        Some(counts)
    });
    let mut sums: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    for ((metric, name), count) in counted.into_iter().flatten().flatten() {
        *sums.entry((metric, name)).or_default() += count;
    }
    let figure = |((metric, name), count)| figure(metric, name, count as f64);
    let mut figures: Vec<StatsFigure> = sums.into_iter().map(figure).collect();
    let order = |figure: &StatsFigure| ["items", "category", "age"].iter().position(|metric| *metric == figure.metric);
    figures.sort_by_key(|figure| order(figure).unwrap_or(3));
    Ok(figures)
}

/// The ranges of an age, as [`age_name`] calls them.
pub(super) const AGE_NAMES: [&str; 5] = ["1 to 7 days", "8 to 30 days", "31 to 365 days", "over a year", "undated"];

/// The range of an age in days.
pub(super) fn age_name(days: Option<i32>) -> &'static str {
    match days {
        Some(..=7) => AGE_NAMES[0],
        Some(8..=30) => AGE_NAMES[1],
        Some(31..=365) => AGE_NAMES[2],
        Some(366..) => AGE_NAMES[3],
        None => AGE_NAMES[4],
    }
}

/// How many scopes there are, this memory itself included, and how many of them have items.
fn scope_figures(session: &Session) -> CommandResult<Vec<StatsFigure>> {
    let scopes = super::scope::scope_list(session)?.scopes;
    let has_items = session.store.walk(None)?.iter().any(|file| !file.path.is_in_inbox());
    let used = scopes.iter().filter(|scope| scope.bullets + scope.entries > 0).count() + usize::from(has_items);
    Ok(vec![
        figure("scopes", "all".to_owned(), (scopes.len() + 1) as f64),
        figure("scopes", "with memories".to_owned(), used as f64),
    ])
}

/// Additions for each hour since the first event.
fn hourly_rate(session: &Session, table: &FigureTable, first: Option<&JournalEntry>) -> Option<StatsFigure> {
    let since: jiff::Timestamp = first?.header.at.parse().ok()?;
    let hours = (session.now.timestamp().duration_since(since).as_secs() as f64 / 3600.0).max(1.0);
    let rate = table.total(DailyMetric::Event, "ADD") / hours;
    Some(figure("created_per_hour", String::new(), (rate * 1000.0).round() / 1000.0))
}

/// What the ledger of model usage has: today's tokens, and the shares of good proposals over all days.
fn model_figures(session: &Session) -> Vec<StatsFigure> {
    let ledger = TokenLedger::load(&session.store);
    let day = session.now.date().to_string();
    let budget = session.daily_budget();
    let has_called = !ledger.day.is_empty();
    let requests = if ledger.day == day { ledger.requests } else { 0 };
    let rows = [
        ("tokens_today", has_called.then(|| ledger.used_on(&day) as f64)),
        ("requests_today", has_called.then_some(requests as f64)),
        ("tokens_per_day", budget.map(|tokens| tokens as f64)),
        ("first_pass", ledger.proposals.first_pass()),
        ("grounded", ledger.proposals.grounded_share()),
    ];
    let mut figures: Vec<StatsFigure> =
        rows.into_iter().filter_map(|(metric, value)| Some(figure(metric, String::new(), value?))).collect();
    let (read, skipped) = ledger.proposals.chunks;
    if read > 0 {
        figures.push(figure("chunks", "read".to_owned(), read as f64));
        figures.push(figure("chunks", "skipped".to_owned(), skipped as f64));
    }
    figures.extend(ledger.proposals.refused.into_iter().map(|(guard, count)| figure("refused", guard, count as f64)));
    figures
}

fn figure(metric: &'static str, name: String, value: f64) -> StatsFigure {
    StatsFigure { metric, name, value, ..StatsFigure::default() }
}

fn day_of(at: &str) -> &str {
    at.get(..10).unwrap_or(at)
}
