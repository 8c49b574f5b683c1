//! Parses points in a memory's history: `r41`, `2026-11-20`, `yesterday`, `2d`, `2 weeks`.
//!
//! Never reads git: any other name is an error here, and `diff` then tries it as a git revision.

use jiff::{Span, Zoned, civil::Date};

use crate::change::JournalEntry;
use crate::code::{Code, Rejection, quote_short};

/// A point in history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointInTime {
    /// A revision: `r41` is 41.
    Revision(u64),
    /// A time, as RFC 3339 in UTC, so that it compares as a string with the times in the journal.
    Time(String),
}

/// Parses a point in history; `now` also gives the time zone in which days start.
///
/// # Errors
/// `usage`.
pub fn parse_point_in_time(text: &str, now: &Zoned) -> Result<PointInTime, Rejection> {
    let text = text.trim();
    if let Some(rev) = text.strip_prefix('r').and_then(|n| n.parse().ok()) {
        return Ok(PointInTime::Revision(rev));
    }
    let start = |day: Date| day.to_zoned(now.time_zone().clone()).map(|z| PointInTime::Time(utc_string(&z)));
    let out_of_range = |_| Rejection::new(Code::Usage, "the date is out of range");
    match text.to_lowercase().as_str() {
        "now" => return Ok(PointInTime::Time(utc_string(now))),
        "today" => return start(now.date()).map_err(out_of_range),
        "yesterday" => return start(now.date().yesterday().map_err(out_of_range)?).map_err(out_of_range),
        _ => {}
    }
    if text.len() == 10
        && let Ok(day) = text.parse::<Date>()
    {
        return start(day).map_err(out_of_range);
    }
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Ok(PointInTime::Time(utc_string(&at.to_zoned(jiff::tz::TimeZone::UTC))));
    }
    if let Some(span) = parse_age(text) {
        let then = span.and_then(|span| now.checked_sub(span)).map_err(out_of_range)?;
        return Ok(PointInTime::Time(utc_string(&then)));
    }
    let quoted = quote_short(text);
    Err(Rejection::new(Code::Usage, format!("{quoted} is not a revision, date or age"))
        .hint("use r41, 2026-11-20, yesterday, 2d or '2 weeks'"))
}

/// Parses an age: `2d`, `2 weeks`, `3 hours ago`; an error for one that is out of range.
fn parse_age(text: &str) -> Option<Result<Span, jiff::Error>> {
    let text = text.trim_end_matches("ago").trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let n: i64 = text[..digits].parse().ok().filter(|n| *n <= 100_000)?;
    let span = Span::new();
    let span = match text[digits..].trim() {
        "m" | "min" | "minute" | "minutes" => span.try_minutes(n),
        "h" | "hour" | "hours" => span.try_hours(n),
        "d" | "day" | "days" => span.try_days(n),
        "w" | "week" | "weeks" => span.try_weeks(n),
        "month" | "months" => span.try_months(n),
        "y" | "year" | "years" => span.try_years(n),
        _ => return None,
    };
    Some(span)
}

/// A time in UTC, to the second, as the journal has it.
pub fn utc_string(at: &Zoned) -> String {
    at.timestamp().round(jiff::Unit::Second).unwrap_or(at.timestamp()).to_string()
}

/// Whether an entry was made after a revision, or at or after a time.
pub fn is_since(entry: &JournalEntry, when: &PointInTime) -> bool {
    match when {
        PointInTime::Revision(rev) => entry.rev > *rev,
        PointInTime::Time(at) => entry.header.at.as_str() >= at.as_str(),
    }
}

/// The entry of a revision such as `r41`.
///
/// # Errors
/// `usage` for any other form, `revision_not_found`.
pub fn find_revision<'e>(text: &str, entries: &'e [JournalEntry]) -> Result<&'e JournalEntry, Rejection> {
    let number = text.trim().strip_prefix('r').and_then(|n| n.parse::<u64>().ok());
    let Some(rev) = number else {
        let quoted = quote_short(text);
        return Err(Rejection::new(Code::Usage, format!("{quoted} is not a revision"))
            .hint("revisions look like r41; run `memdir log` to list them"));
    };
    let found = entries.binary_search_by_key(&rev, |e| e.rev).ok().map(|i| &entries[i]);
    found.ok_or_else(|| {
        let range_hint = match (entries.first(), entries.last()) {
            (Some(a), Some(b)) => format!("this machine's journal contains r{} to r{}", a.rev, b.rev),
            _ => "this machine's journal is empty".to_owned(),
        };
        Rejection::new(Code::RevisionNotFound, format!("r{rev} does not exist")).hint(range_hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let at: jiff::Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let now = at.to_zoned(jiff::tz::TimeZone::UTC);
        let got = parse_point_in_time(text, &now).ok().map(|w| match w {
            PointInTime::Revision(n) => format!("r{n}"),
            PointInTime::Time(at) => at,
        });
        assert_eq!(got.as_deref(), expected, "{text}");
    }

    #[test]
    fn points_in_time_as_people_write_them() {
        check("r41", Some("r41"));
        check("2026-11-20", Some("2026-11-20T00:00:00Z"));
        check("yesterday", Some("2026-11-20T00:00:00Z"));
        check("today", Some("2026-11-21T00:00:00Z"));
        check("2d", Some("2026-11-19T12:00:00Z"));
        check("2 weeks", Some("2026-11-07T12:00:00Z"));
        check("3 hours ago", Some("2026-11-21T09:00:00Z"));
        check("2026-11-20T10:00:00+02:00", Some("2026-11-20T08:00:00Z"));
        check("main", None);
        check("2026-02-30", None);
        check("99999999999999999999d", None);
        check("100000 minutes", Some("2026-09-13T01:20:00Z"));
        check("20000y", None);
    }
}
