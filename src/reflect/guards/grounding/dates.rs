//! Resolves dates from the day on which they were said: "next Friday", "two weeks ago", "May 12", 下周五, 5月12号.
//!
//! Where people mean different days by a phrase, each is right: "next Friday" is this week's, or that of the next. Never
//! guesses: "recently" is no date.

use std::ops::Range;

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::restated;
use crate::text::Splice;
use crate::text::dates::PartialDate;
use crate::text::phrase::has_unspaced_script;
use crate::text::word_list::{PhraseList, phrase_list};

mod chinese;
mod english;

/// Words before the day on which something was said.
const AS_OF: PhraseList = phrase_list!("relative_dates/as_of.txt");
/// Words that add nothing to a statement.
const NOW: [&str; 2] = ["now", "目前"];

/// Days in a row, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DaySpan {
    first: Date,
    last: Date,
}

impl DaySpan {
    fn day(day: Date) -> DaySpan {
        DaySpan { first: day, last: day }
    }

    /// From Monday to Sunday.
    fn week(day: Date) -> Option<DaySpan> {
        let monday = moved(day, -i64::from(day.weekday().to_monday_zero_offset()).days())?;
        Some(DaySpan { first: monday, last: moved(monday, 6.days())? })
    }

    fn month(day: Date) -> DaySpan {
        DaySpan { first: day.first_of_month(), last: day.last_of_month() }
    }

    fn year(day: Date) -> DaySpan {
        DaySpan { first: day.first_of_year(), last: day.last_of_year() }
    }

    /// Whether a written date is that of the span, or the month or year in which the span lies. A week is also named by
    /// its first day, a longer time by its first and last.
    fn is_written_as(&self, date: PartialDate) -> bool {
        let PartialDate { year, month, day } = date;
        let is_day = |d: Date| {
            day == Some(d.day()) && month.is_none_or(|m| m == d.month()) && year.is_none_or(|y| y == d.year())
        };
        if day.is_some() {
            return is_day(self.first) || is_day(self.last);
        }
        let is_in = |d: Date| month.is_none_or(|m| m == d.month()) && year.is_none_or(|y| y == d.year());
        is_in(self.first) && is_in(self.last)
    }
}

/// What a phrase says of a date.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    /// Its parts, as they are written.
    Written(PartialDate),
    /// The days that it may mean.
    Spans(Vec<DaySpan>),
}

/// What the start of a text says of a date, and how long that is: in bytes, or in words.
type DateRead = Option<(Said, usize)>;

/// A phrase that says a date, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DatePhrase {
    range: Range<usize>,
    said: Said,
}

impl DatePhrase {
    /// The days that are meant. Of a date without a year it is the last one before the base, or the next.
    fn spans(&self, base: Date) -> Vec<DaySpan> {
        match &self.said {
            Said::Spans(spans) => spans.clone(),
            Said::Written(date) => spans_of(*date, base),
        }
    }

    /// Whether the phrase, of a text that is read without a base, is a name for a span.
    fn names(&self, span: &DaySpan) -> bool {
        match &self.said {
            Said::Spans(spans) => spans.contains(span),
            Said::Written(date) => span.is_written_as(*date),
        }
    }
}

/// The text with each date in the words of a source that means the same; `None` if nothing changes.
pub(super) fn in_forms_of(text: &str, sources: &[&str], times: &[&str]) -> Option<String> {
    let own = phrases(text, None);
    if own.is_empty() {
        return None;
    }
    let mut bases: Vec<Date> = times.iter().filter_map(|time| time.get(..10)?.parse().ok()).collect();
    bases.sort_unstable();
    bases.dedup();
    let said: Vec<(Vec<DaySpan>, &str)> = bases
        .iter()
        .flat_map(|base| sources.iter().map(move |source| (*base, *source)))
        .flat_map(|(base, source)| {
            let meant = move |phrase: DatePhrase| (phrase.spans(base), &source[phrase.range]);
            phrases(source, Some(base)).into_iter().map(meant)
        })
        .collect();
    let as_of = |own: &DatePhrase| {
        let before = text[..own.range.start].trim_end().to_lowercase();
        let is_now = AS_OF.iter().any(|words| before.ends_with(words));
        is_now && bases.iter().any(|base| own.names(&DaySpan::day(*base)))
    };
    let all = sources.join("\n").to_lowercase();
    let mut splices = Vec::new();
    for phrase in own {
        let equal = said.iter().find(|(spans, _)| spans.iter().any(|span| phrase.names(span)));
        let is_said = all.contains(&text[phrase.range.clone()].to_lowercase());
        let words = match equal {
            Some((_, words)) if !is_said => words,
            None if as_of(&phrase) => NOW[usize::from(has_unspaced_script(text))],
            _ => continue,
        };
        let Range { start, end } = phrase.range;
        splices.push(Splice { start, end, new: (*words).to_owned() });
    }
    restated(text, &splices)
}

/// Whether texts give something this last day without naming it: "for 30 days", "until the end of the month", 三个月.
pub(super) fn is_last_day(day: Date, sources: &[&str], times: &[&str]) -> bool {
    let bases = times.iter().filter_map(|time| time.get(..10)?.parse::<Date>().ok());
    bases.into_iter().any(|base| {
        let terms = |source: &&str| english::terms(source, base).into_iter().chain(chinese::terms(source, base));
        sources.iter().flat_map(terms).any(|span| span.last == day)
    })
}

/// A day whose month and number changed places: 9月6日 for 6月9号.
pub(super) fn exchanged_day(text: &str, sources: &[&str]) -> Option<String> {
    let said: Vec<(i8, i8)> = sources.iter().flat_map(|source| chinese::written_days(source)).collect();
    let is_exchanged = |(month, day): &(i8, i8)| !said.contains(&(*month, *day)) && said.contains(&(*day, *month));
    chinese::written_days(text).into_iter().find(is_exchanged).map(|(month, day)| format!("{month}月{day}日"))
}

/// The dates of a text, without relative ones if no base is given.
fn phrases(text: &str, base: Option<Date>) -> Vec<DatePhrase> {
    let mut found = english::phrases(text, base);
    if has_unspaced_script(text) {
        let other = chinese::phrases(text, base);
        found.retain(|one| other.iter().all(|o| o.range.end <= one.range.start || one.range.end <= o.range.start));
        found.extend(other);
        found.sort_by_key(|phrase| phrase.range.start);
    }
    found
}

fn moved(day: Date, by: Span) -> Option<Date> {
    day.checked_add(by).ok()
}

fn spans_of(date: PartialDate, base: Date) -> Vec<DaySpan> {
    let years = match date.year {
        Some(year) => vec![year],
        None => vec![base.year() - 1, base.year(), base.year() + 1],
    };
    let months = match (date.month, date.day) {
        (Some(month), _) => vec![month],
        (None, Some(_)) => (1..=12).collect(),
        (None, None) => Vec::new(),
    };
    let mut spans = Vec::new();
    for year in years {
        spans.extend(months.iter().filter_map(|month| {
            let first = Date::new(year, *month, date.day.unwrap_or(1)).ok()?;
            Some(if date.day.is_some() { DaySpan::day(first) } else { DaySpan::month(first) })
        }));
        if date.month.is_none() && date.day.is_none() {
            spans.extend(Date::new(year, 1, 1).ok().map(DaySpan::year));
        }
    }
    if date.year.is_none() { nearest(&spans, base) } else { spans }
}

/// The last span that has begun, and the first that has not ended, of spans in their order.
fn nearest(spans: &[DaySpan], base: Date) -> Vec<DaySpan> {
    let past = spans.iter().rfind(|span| span.first <= base);
    let next = spans.iter().find(|span| span.last >= base);
    past.into_iter().chain(next.filter(|next| past != Some(next))).copied().collect()
}

/// "Last", "this" or "next" of spans that come again: the nearest, and where that is in the base's own year or week (the
/// `round`), also the one beyond, because people say both.
fn in_direction(spans: &[DaySpan], base: Date, round: DaySpan, direction: i64) -> Vec<DaySpan> {
    let is_in_round = |span: &&DaySpan| span.first >= round.first && span.first <= round.last;
    let found: Vec<&DaySpan> = match direction {
        ..0 => spans.iter().rev().filter(|span| span.last < base).collect(),
        0 => return spans.iter().filter(is_in_round).copied().collect(),
        1.. => spans.iter().filter(|span| span.first > base).collect(),
    };
    let count = if found.first().is_some_and(is_in_round) { 2 } else { 1 };
    found.into_iter().take(count).copied().collect()
}

/// The weekday in the weeks around a base; 0 is Monday.
fn weekdays(base: Date, weekday: i8) -> Vec<DaySpan> {
    let Some(week) = DaySpan::week(base) else { return Vec::new() };
    let day = |weeks: i64| moved(week.first, (weeks * 7 + i64::from(weekday)).days()).map(DaySpan::day);
    (-2..=2).filter_map(day).collect()
}

/// The span that is `count` units after a base (before it, if negative): a day, the month of that day, or its year.
fn distant(base: Date, unit: Unit, count: i64) -> Option<Vec<DaySpan>> {
    Some(match unit {
        Unit::Day => vec![DaySpan::day(moved(base, count.days())?)],
        Unit::Week => {
            let day = moved(base, (count * 7).days())?;
            vec![DaySpan::day(day), DaySpan::week(day)?]
        }
        Unit::Month => {
            let day = moved(base, count.months())?;
            vec![DaySpan::day(day), DaySpan::month(day)]
        }
        Unit::Quarter => {
            let first = moved(base.first_of_month(), (count * 3 - i64::from((base.month() - 1) % 3)).months())?;
            vec![DaySpan { first, last: moved(first, 2.months())?.last_of_month() }]
        }
        Unit::Year => vec![DaySpan::year(moved(base, count.years())?)],
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

#[cfg(test)]
mod tests;
