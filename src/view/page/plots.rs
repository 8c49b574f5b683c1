//! Figures of a memory as drawings: values over time, and shares of a whole.
//!
//! Never counts: the values are arguments. Every drawing has its values as text, too.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::html::visible;

/// The size of a drawing without its axes.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 120.0;
/// The most bars that a drawing has: wider ones stand for weeks, months or years.
const MAX_BARS: usize = 62;

/// How a value of several days is made of those of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// The values of the days are added.
    OfPeriod,
    /// All values up to the period's end are added.
    UntilThen,
}

/// A bar chart of values over time.
#[derive(Debug, PartialEq)]
pub struct TimePlot {
    pub title: String,
    /// What is drawn, as a sentence, for those who cannot see it.
    pub label: String,
    pub bars: Vec<Bar>,
    /// The greatest value, as [`figure`] writes it.
    pub most: String,
    /// The first and the last period.
    pub from: String,
    pub until: String,
}

/// A bar, with its place in the drawing.
#[derive(Debug, PartialEq)]
pub struct Bar {
    pub period: String,
    pub value: String,
    pub x: String,
    pub y: String,
    pub width: String,
    pub height: String,
    /// Whether the value is 0, so that the table leaves it out.
    pub is_empty: bool,
}

/// Draws the values of days; `None` without any. `noun` is what is counted: "bullets".
pub fn time_plot(title: &str, noun: &str, days: &BTreeMap<Date, f64>, until: Date, sum: Sum) -> Option<TimePlot> {
    let first = *days.keys().next()?;
    let last = until.max(*days.keys().next_back()?);
    let (periods, name): (Vec<Date>, fn(Date) -> String) = periods(first, last);
    let mut values = vec![0.0; periods.len()];
    for (day, value) in days {
        values[periods.partition_point(|start| start <= day) - 1] += value;
    }
    if sum == Sum::UntilThen {
        let mut total = 0.0;
        values.iter_mut().for_each(|value| {
            total += *value;
            *value = total;
        });
    }
    let most = values.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let step = WIDTH / periods.len() as f64;
    let bars: Vec<Bar> = periods
        .iter()
        .zip(&values)
        .enumerate()
        .map(|(n, (start, value))| {
            let height = HEIGHT * value / most;
            Bar {
                period: name(*start),
                value: figure(*value),
                x: figure_of(n as f64 * step),
                y: figure_of(HEIGHT - height),
                width: figure_of((step * 0.8).min(28.0)),
                height: figure_of(height),
                is_empty: *value <= 0.0,
            }
        })
        .collect();
    let (from, until) = (name(periods[0]), name(*periods.last()?));
    let label = match sum {
        Sum::OfPeriod => format!("{title}: from {from} to {until}, {} {noun} at most", figure(most)),
        Sum::UntilThen => format!("{title}: {} {noun} on {until}, counted since {from}", figure(most)),
    };
    Some(TimePlot { title: title.to_owned(), label, bars, most: figure(most), from, until })
}

/// The first days of the periods from one day to another, and how a period is called.
fn periods(first: Date, last: Date) -> (Vec<Date>, fn(Date) -> String) {
    let all = |start: Date, step: Span| {
        let next = |day: &Date| day.checked_add(step).ok().filter(|day| *day <= last);
        std::iter::successors(Some(start), next).take(10_000).collect::<Vec<_>>()
    };
    let monday = first.checked_sub(i64::from(first.weekday().to_monday_zero_offset()).days()).unwrap_or(first);
    let days = all(first, 1.day());
    if days.len() <= MAX_BARS {
        return (days, |day| day.to_string());
    }
    let weeks = all(monday, 1.week());
    if weeks.len() <= MAX_BARS {
        return (weeks, |day| format!("week of {day}"));
    }
    let months = all(first.first_of_month(), 1.month());
    if months.len() <= MAX_BARS {
        return (months, |day| day.strftime("%Y-%m").to_string());
    }
    (all(first.first_of_year(), 1.year()), |day| day.year().to_string())
}

/// Parts of a whole: `facts 12`, `procedures 3`.
#[derive(Debug)]
pub struct ShareTable {
    pub title: String,
    pub rows: Vec<ShareRow>,
    /// How many smaller parts are left out.
    pub more: usize,
}

#[derive(Debug)]
pub struct ShareRow {
    pub name: String,
    pub value: String,
    /// The length of the bar, 0 to 100.
    pub length: String,
}

/// The parts of a whole, in the order in which they come, at most `limit`; `None` without any.
pub fn share_table(title: &str, parts: impl Iterator<Item = (String, f64)>, limit: usize) -> Option<ShareTable> {
    let all: Vec<(String, f64)> = parts.filter(|(_, value)| *value > 0.0).collect();
    let most = all.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let more = all.len().saturating_sub(limit);
    let row = |(name, value): (String, f64)| ShareRow {
        name: visible(&name).into_owned(),
        value: figure(value),
        length: figure_of(value / most * 100.0),
    };
    let rows: Vec<ShareRow> = all.into_iter().take(limit).map(row).collect();
    (!rows.is_empty()).then(|| ShareTable { title: title.to_owned(), rows, more })
}

/// A number as people write it: `1,234`, `0.25`.
pub fn figure(value: f64) -> String {
    if value.fract().abs() > 1e-9 {
        return format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 { format!("-{text}") } else { text }
}

/// A coordinate or length of the drawing, with at most one decimal: `12`, `3.5`.
fn figure_of(value: f64) -> String {
    format!("{value:.1}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(days: &[(&str, f64)], until: &str, sum: Sum) -> TimePlot {
        let days = days.iter().map(|(day, value)| (day.parse().unwrap(), *value)).collect();
        time_plot("Changes", "changes", &days, until.parse().unwrap(), sum).unwrap()
    }

    #[test]
    fn a_bar_stands_for_a_day_a_week_a_month_or_a_year() {
        let days = [("2026-02-01", 2.0), ("2026-02-03", 4.0)];
        let of = |until: &str, sum: Sum| {
            let plot = plot(&days, until, sum);
            let values: Vec<String> =
                plot.bars.iter().take(4).map(|bar| format!("{} {}", bar.period, bar.value)).collect();
            (plot.bars.len(), values.join(", "))
        };
        let short = of("2026-02-04", Sum::OfPeriod);
        assert_eq!(short, (4, "2026-02-01 2, 2026-02-02 0, 2026-02-03 4, 2026-02-04 0".to_owned()));
        let growing = of("2026-02-04", Sum::UntilThen);
        assert_eq!(growing.1, "2026-02-01 2, 2026-02-02 2, 2026-02-03 6, 2026-02-04 6");
        let weeks = of("2026-06-01", Sum::OfPeriod);
        assert_eq!((weeks.0, weeks.1.split(", ").next()), (19, Some("week of 2026-01-26 2")));
        assert_eq!(of("2029-06-01", Sum::OfPeriod).1.split(", ").next(), Some("2026-02 6"));
        assert_eq!(of("2039-06-01", Sum::OfPeriod).1.split(", ").next(), Some("2026 6"));
    }

    #[test]
    fn without_values_nothing_is_drawn() {
        let none = BTreeMap::new();
        assert_eq!(time_plot("x", "y", &none, Date::constant(2026, 2, 1), Sum::OfPeriod), None);
        assert!(share_table("x", std::iter::empty(), 3).is_none());
        let table = share_table("x", [("a".to_owned(), 3.0), ("b".to_owned(), 1.0)].into_iter(), 1).unwrap();
        assert_eq!((table.rows.len(), table.more, table.rows[0].length.as_str()), (1, 1, "100"));
    }

    #[test]
    fn figures_are_written_as_people_write_them() {
        assert_eq!([1234567.0, 100.0, 0.25, 3.0, -1000.0].map(figure), ["1,234,567", "100", "0.25", "3", "-1,000"]);
    }
}
