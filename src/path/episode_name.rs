//! The names of episode files: a month (`2026-02`), a week (`2026-W07`), or a year, as those of digests are.

use jiff::civil::{Date, ISOWeekDate, Weekday};

/// Whether a file stem is `YYYY-MM` or `YYYY-Www`.
pub fn is_episode(stem: &str) -> bool {
    let b = stem.as_bytes();
    let digits = |r: std::ops::Range<usize>| b.get(r).is_some_and(|s| s.iter().all(u8::is_ascii_digit));
    match b.len() {
        7 => digits(0..4) && b[4] == b'-' && digits(5..7) && (1..=12).contains(&stem[5..7].parse::<u8>().unwrap_or(0)),
        8 => {
            digits(0..4)
                && &b[4..6] == b"-W"
                && digits(6..8)
                && (1..=53).contains(&stem[6..8].parse::<u8>().unwrap_or(0))
        }
        _ => false,
    }
}

/// Whether a file stem is a year.
pub fn is_year(stem: &str) -> bool {
    stem.len() == 4 && stem.bytes().all(|b| b.is_ascii_digit())
}

/// The first and last day of the month or ISO week that a file stem names.
pub fn episode_days(stem: &str) -> Option<(Date, Date)> {
    let (year, part) = stem.split_once('-').filter(|_| is_episode(stem))?;
    let year: i16 = year.parse().ok()?;
    match part.strip_prefix('W') {
        Some(week) => {
            let week = week.parse().ok()?;
            let day = |weekday| Some(ISOWeekDate::new(year, week, weekday).ok()?.date());
            Some((day(Weekday::Monday)?, day(Weekday::Sunday)?))
        }
        None => {
            let first = Date::new(year, part.parse().ok()?, 1).ok()?;
            Some((first, first.last_of_month()))
        }
    }
}

/// The path of the month's file for a day's entries.
pub fn month_file(day: Date) -> String {
    format!("episodes/{:04}-{:02}.md", day.year(), day.month())
}

/// The path of the ISO week's file for a day's entries.
pub fn week_file(day: Date) -> String {
    let week = day.iso_week_date();
    format!("episodes/{:04}-W{:02}.md", week.year(), week.week())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_days_it_covers() {
        for (stem, expected) in [
            ("2025-11", Some("2025-11-01 2025-11-30")),
            ("2024-02", Some("2024-02-01 2024-02-29")),
            ("2025-W01", Some("2024-12-30 2025-01-05")),
            ("2025", None),
            ("2025-13", None),
            ("2025-W53", None),
            ("2025-W60", None),
            ("2025-11-03", None),
            ("notes-11", None),
        ] {
            let got = episode_days(stem).map(|(first, last)| format!("{first} {last}"));
            assert_eq!(got.as_deref(), expected, "{stem}");
        }
        assert!(is_year("2025") && !is_year("2025-1") && !is_year("202"));
    }

    #[test]
    fn a_day_has_a_month_and_a_week() {
        let day = Date::constant(2024, 12, 31);
        assert_eq!(
            (month_file(day).as_str(), week_file(day).as_str()),
            ("episodes/2024-12.md", "episodes/2025-W01.md")
        );
    }
}
