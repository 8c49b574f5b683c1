//! Sums by metric, name and actor, with the value of each day.
//!
//! Knows no journal: the caller says what counts.

use std::collections::BTreeMap;

use super::{DayValue, StatsFigure};

/// A metric with a value for each day, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DailyMetric {
    Event,
    Write,
    Compaction,
    Digest,
    Duplicate,
    Read,
    NoResult,
    TokensInjected,
    Tokens,
}

impl DailyMetric {
    fn name(self) -> &'static str {
        match self {
            DailyMetric::Event => "event",
            DailyMetric::Write => "write",
            DailyMetric::Compaction => "compaction",
            DailyMetric::Digest => "digest",
            DailyMetric::Duplicate => "duplicate",
            DailyMetric::Read => "read",
            DailyMetric::NoResult => "no_result",
            DailyMetric::TokensInjected => "tokens_injected",
            DailyMetric::Tokens => "tokens",
        }
    }

    /// Whether it costs something: what models were asked, and what agents were given to read.
    fn is_cost(self) -> bool {
        matches!(self, DailyMetric::TokensInjected | DailyMetric::Tokens)
    }
}

/// Counts by metric, name and actor, and for each day.
#[derive(Default)]
pub struct FigureTable(BTreeMap<(DailyMetric, String, Option<String>), BTreeMap<String, f64>>);

impl FigureTable {
    pub fn add(&mut self, metric: DailyMetric, name: &str, actor: Option<&str>, day: &str, value: f64) {
        let days = self.0.entry((metric, name.to_owned(), actor.map(str::to_owned))).or_default();
        *days.entry(day.to_owned()).or_default() += value;
    }

    pub fn total(&self, metric: DailyMetric, name: &str) -> f64 {
        let rows = self.0.iter().filter(|((of, row, _), _)| *of == metric && row == name);
        // The sum of nothing is negative zero.
        rows.flat_map(|(_, days)| days.values()).sum::<f64>() + 0.0
    }

    /// With `only_cost` only the metrics that cost something.
    pub fn into_figures(self, only_cost: bool) -> impl Iterator<Item = StatsFigure> {
        let rows = self.0.into_iter().filter(move |((metric, ..), _)| !only_cost || metric.is_cost());
        rows.map(|((metric, name, actor), days)| StatsFigure {
            metric: metric.name(),
            name,
            actor,
            value: days.values().sum(),
            days: days.into_iter().map(|(day, value)| DayValue { day, value }).collect(),
        })
    }
}
