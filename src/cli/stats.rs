//! `stats`: its options as clap parses them, and the figures as a table with a line for the days, or as CSV.
//!
//! Never counts: `commands/stats.rs` does.

use std::fmt::Write;

use clap::Args;

use super::open;
use super::output::CliReply;
use super::print_result::PrintResult;
use super::run::Runner;
use super::sanitize;
use super::text::{Printer, TextStyle};
use crate::commands;
use crate::commands::results::{StatsFigure, StatsReport};
use crate::commands::stats::StatsOptions;

#[derive(Args, Debug)]
#[command(
    about = "Show figures of the memory and of its use: items, events, reads, tokens",
    after_help = "Events are those of this machine's history, reads those that .memdir/usage still has one by one. A \
                  caller with an allowlist sees its own.\n\nExample: memdir stats --since 30d"
)]
#[group(skip)]
pub struct StatsArgs {
    /// Only events since WHEN: r41, 2026-11-20, yesterday, 2d, '2 weeks'
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only what models and contexts cost, and how good their proposals were
    #[arg(long)]
    pub cost: bool,
    /// Print comma-separated values: metric, name, actor, day (empty for the sum), value
    #[arg(long)]
    pub csv: bool,
}

/// Prints the figures as a table or JSON, or as CSV with `--csv` and without `--json`.
pub fn run_stats(runner: &Runner<'_>, args: &StatsArgs) -> CliReply {
    let options = StatsOptions { since: args.since.clone(), cost: args.cost };
    if !args.csv || runner.global.json {
        return runner.read_only(|session| commands::stats::stats(session, &options));
    }
    let session = open::open_session(runner.global, open::SessionNeeds::All, None).map_err(commands::Error::from);
    match session.and_then(|session| commands::stats::stats(&session, &options)) {
        Ok(report) => CliReply::Text(to_csv(&report)),
        Err(error) => error.into(),
    }
}

/// One line for each sum, with an empty day, and one for each day.
fn to_csv(report: &StatsReport) -> String {
    let mut out = String::from("metric,name,actor,day,value\n");
    for figure in &report.figures {
        let actor = figure.actor.as_deref().unwrap_or_default();
        let sum = std::iter::once(("", figure.value));
        for (day, value) in sum.chain(figure.days.iter().map(|day| (day.day.as_str(), day.value))) {
            let fields = [figure.metric, &figure.name, actor, day].map(csv_field);
            let _ = writeln!(out, "{},{value}", fields.join(","));
        }
    }
    out
}

/// A field, quoted where it must be. A spreadsheet would run a text that starts as a formula does.
fn csv_field(text: &str) -> String {
    let mut escaped = if text.starts_with(['=', '+', '-', '@']) { "'".to_owned() } else { String::new() };
    sanitize::escape_line(&mut escaped, text, true);
    if escaped.contains([',', '"']) { format!("\"{}\"", escaped.replace('"', "\"\"")) } else { escaped }
}

/// The widest line of days, in characters.
const MAX_SPARKS: usize = 30;

/// One character for each day from the first to the last, or for several days if they are many: its height is the sum
/// of those days relative to the greatest. A day that cannot be read is left out.
fn sparkline(from: &str, until: &str, figure: &StatsFigure, is_unicode: bool, most: usize) -> String {
    let (Ok(from), Ok(until)) = (from.parse::<jiff::civil::Date>(), until.parse::<jiff::civil::Date>()) else {
        return String::new();
    };
    let days_since = |day: jiff::civil::Date| from.until(day).ok().and_then(|age| usize::try_from(age.get_days()).ok());
    let Some(last) = days_since(until) else { return String::new() };
    let days_each = (last + 1).div_ceil(most.max(1));
    let mut sums = vec![0.0; last / days_each + 1];
    for day in &figure.days {
        let at = day.day.parse().ok().and_then(days_since).map(|days| days / days_each);
        if let Some(sum) = at.and_then(|at| sums.get_mut(at)) {
            *sum += day.value;
        }
    }
    let levels: &[char] = if is_unicode {
        &[' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
    } else {
        &[' ', '.', ':', '-', '=', '+', '*', '#', '@']
    };
    let greatest = sums.iter().copied().fold(0.0, f64::max);
    let level = |sum: f64| if sum > 0.0 { ((sum / greatest * 8.0).ceil() as usize).clamp(1, 8) } else { 0 };
    sums.into_iter().map(|sum| levels[level(sum)]).collect()
}

/// Whether the locale's encoding is UTF-8.
fn is_utf8_locale() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| open::env(name).filter(|v| !v.is_empty()));
    set.is_some_and(|locale| locale.to_lowercase().replace('-', "").ends_with("utf8"))
}

impl PrintResult for StatsReport {
    /// Prints metric, name, actor and value in columns, and the days as a line of characters.
    fn print(&self, printer: &mut Printer) {
        let (from, is_unicode) = (self.from.as_deref().unwrap_or(&self.until), is_utf8_locale());
        let names: Vec<String> = self
            .figures
            .iter()
            .map(|figure| match &figure.actor {
                Some(actor) => format!("{} by {actor}", figure.name),
                None => figure.name.clone(),
            })
            .collect();
        let width = |texts: &mut dyn Iterator<Item = &str>| texts.map(|text| text.chars().count()).max().unwrap_or(0);
        let metric_width = width(&mut self.figures.iter().map(|figure| figure.metric));
        let name_width = width(&mut names.iter().map(String::as_str));
        // What the columns and the two bars around the line leave free of a terminal.
        let room = |columns: usize| columns.saturating_sub(metric_width + name_width + 16);
        let sparks = printer.format.columns().map_or(MAX_SPARKS, |columns| room(columns).min(MAX_SPARKS));
        for (figure, name) in self.figures.iter().zip(&names) {
            let value = (figure.value * 1000.0).round() / 1000.0;
            printer.styled(TextStyle::Heading, figure.metric);
            let blanks = metric_width - figure.metric.len();
            printer.text(&format!("{:blanks$}  {name:name_width$}  {value:>8}", ""));
            if !figure.days.is_empty() && sparks > 0 {
                let line = sparkline(from, &self.until, figure, is_unicode, sparks);
                printer.styled(TextStyle::Dim, &format!("  |{line}|"));
            }
            printer.end_line();
        }
        match &self.from {
            Some(from) => printer.note(&format!("events from {from} to {}", self.until)),
            None if self.figures.is_empty() => printer.note("no items and no events"),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::results::DayValue;

    fn figure(days: &[(&str, f64)]) -> StatsFigure {
        let days = days.iter().map(|(day, value)| DayValue { day: (*day).to_owned(), value: *value }).collect();
        StatsFigure { metric: "event", name: "ADD".into(), value: 9.0, days, ..StatsFigure::default() }
    }

    #[test]
    fn a_line_has_a_character_for_each_day_or_for_several() {
        let three = figure(&[("2026-02-01", 8.0), ("2026-02-03", 1.0)]);
        assert_eq!(sparkline("2026-02-01", "2026-02-04", &three, true, 30), "█ ▁ ");
        assert_eq!(sparkline("2026-02-01", "2026-02-04", &three, false, 30), "@ . ");
        assert_eq!(sparkline("2025-02-01", "2026-02-04", &three, true, 30).chars().count(), 29);
        assert_eq!(sparkline("2026-02-05", "2026-02-04", &three, true, 30), "");
    }

    #[test]
    fn fields_of_csv_are_quoted_and_no_formulas() {
        assert_eq!(
            ["a", "a,b", "say \"x\"", "=1+1", "a\nb"].map(csv_field),
            ["a", "\"a,b\"", "\"say \"\"x\"\"\"", "'=1+1", "a\\nb"]
        );
        let report = StatsReport { figures: vec![figure(&[("2026-02-01", 9.0)])], ..StatsReport::default() };
        assert_eq!(to_csv(&report), "metric,name,actor,day,value\nevent,ADD,,,9\nevent,ADD,,2026-02-01,9\n");
    }
}
