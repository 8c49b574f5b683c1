//! Points in a memory's history: `r41`, `2026-11-20`, `yesterday`, `2d`, `2 weeks`.
//!
//! Never guesses a revision for a name it does not know: those are git's.

use jiff::{Span, ToSpan, Zoned, civil::Date};

use crate::change::Entry;
use crate::code::{Code, Rejection};

/// A point in history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// A revision.
    Rev(u64),
    /// A time, as RFC 3339 in UTC: comparable with the journal's stamps.
    Time(String),
}

/// Reads a point in history.
///
/// # Errors
/// `usage`.
pub fn when(text: &str, now: &Zoned) -> Result<When, Rejection> {
    let text = text.trim();
    if let Some(rev) = text.strip_prefix('r').and_then(|n| n.parse().ok()) {
        return Ok(When::Rev(rev));
    }
    let start = |day: Date| day.to_zoned(now.time_zone().clone()).map(|z| When::Time(stamp(&z)));
    let bad = |_| Rejection::new(Code::Usage, "that day does not exist");
    match text.to_lowercase().as_str() {
        "now" => return Ok(When::Time(stamp(now))),
        "today" => return start(now.date()).map_err(bad),
        "yesterday" => return start(now.date().yesterday().map_err(bad)?).map_err(bad),
        _ => {}
    }
    if text.len() == 10
        && let Ok(day) = text.parse::<Date>()
    {
        return start(day).map_err(bad);
    }
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Ok(When::Time(stamp(&at.to_zoned(jiff::tz::TimeZone::UTC))));
    }
    if let Some(span) = age(text) {
        let then = now.checked_sub(span).map_err(bad)?;
        return Ok(When::Time(stamp(&then)));
    }
    let shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    Err(Rejection::new(Code::Usage, format!("'{shown}' is no point in time"))
        .hint("give r41, 2026-11-20, yesterday, 2d or '2 weeks'"))
}

/// `2d`, `2 weeks`, `3 hours ago`.
fn age(text: &str) -> Option<Span> {
    let text = text.trim_end_matches("ago").trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let n: i64 = text[..digits].parse().ok().filter(|n| *n <= 100_000)?;
    match text[digits..].trim() {
        "m" | "min" | "minute" | "minutes" => Some(n.minutes()),
        "h" | "hour" | "hours" => Some(n.hours()),
        "d" | "day" | "days" => Some(n.days()),
        "w" | "week" | "weeks" => Some(n.weeks()),
        "month" | "months" => Some(n.months()),
        "y" | "year" | "years" => Some(n.years()),
        _ => None,
    }
}

fn stamp(at: &Zoned) -> String {
    at.timestamp().round(jiff::Unit::Second).unwrap_or(at.timestamp()).to_string()
}

/// Whether an entry was made at or after a point.
pub fn since(entry: &Entry, when: &When) -> bool {
    match when {
        When::Rev(rev) => entry.rev > *rev,
        When::Time(at) => entry.at.as_str() >= at.as_str(),
    }
}

/// The revision a caller names.
///
/// # Errors
/// `usage` for another form, `revision_not_found`.
pub fn revision<'e>(text: &str, entries: &'e [Entry]) -> Result<&'e Entry, Rejection> {
    let number = text.trim().strip_prefix('r').and_then(|n| n.parse::<u64>().ok());
    let Some(rev) = number else {
        let shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
        return Err(
            Rejection::new(Code::Usage, format!("'{shown}' is no revision")).hint("revisions look like r41; see log")
        );
    };
    let found = entries.binary_search_by_key(&rev, |e| e.rev).ok().map(|i| &entries[i]);
    found.ok_or_else(|| {
        let span = match (entries.first(), entries.last()) {
            (Some(a), Some(b)) => format!("this machine's journal holds r{} to r{}", a.rev, b.rev),
            _ => "this machine's journal is empty".to_owned(),
        };
        Rejection::new(Code::RevisionNotFound, format!("there is no r{rev}")).hint(span)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let at: jiff::Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let now = at.to_zoned(jiff::tz::TimeZone::UTC);
        let got = when(text, &now).ok().map(|w| match w {
            When::Rev(n) => format!("r{n}"),
            When::Time(at) => at,
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
    }
}
