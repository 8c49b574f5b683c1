//! Finds dates in text, and turns them into search terms with a prefix of their own: `@y2026 @m2026-2 @mon2
//! @d2026-02-24`.
//!
//! Never reads the clock: the caller passes the date that "yesterday" refers to. The word "may" alone is not a month.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::words;

/// The English names of the months, in lower case.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// One to twelve.
pub const NUMBER_WORDS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// A date of which some parts may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartialDate {
    pub year: Option<i16>,
    /// Month, 1–12.
    pub month: Option<i8>,
    /// Day of the month, 1–31.
    pub day: Option<i8>,
}

impl PartialDate {
    /// A date with all parts known.
    pub fn from_day(date: Date) -> PartialDate {
        PartialDate { year: Some(date.year()), month: Some(date.month()), day: Some(date.day()) }
    }

    pub fn from_month(year: i16, month: i8) -> PartialDate {
        PartialDate { year: Some(year), month: Some(month), day: None }
    }

    /// The earliest day that matches; `None` if the year is unknown.
    pub fn first_day(self) -> Option<Date> {
        Date::new(self.year?, self.month.unwrap_or(1), self.day.unwrap_or(1)).ok()
    }

    /// Calls `each` for every search term of the date.
    pub fn for_each_term(self, mut each: impl FnMut(String)) {
        let PartialDate { year, month, day } = self;
        if let Some(y) = year {
            each(format!("@y{y}"));
        }
        if let (Some(y), Some(m)) = (year, month) {
            each(format!("@m{y}-{m}"));
        }
        if let Some(m) = month {
            each(format!("@mon{m}"));
        }
        if let (Some(y), Some(m), Some(d)) = (year, month, day) {
            each(format!("@d{y}-{m:02}-{d:02}"));
        }
    }
}

/// The dates in a text. Relative dates ("yesterday", "last Friday", "two weeks ago") are resolved from `base`, and
/// ignored without it.
pub fn find_dates(text: &str, base: Option<Date>) -> Vec<PartialDate> {
    let mut out = Vec::new();
    if !may_contain_date(text) {
        return out;
    }
    let words: Vec<String> =
        words(text).filter(|w| !w.is_ngram || w.surface.chars().count() == 1).map(|w| w.text.into_owned()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut at = 0;
    while at < words.len() {
        let parsed = parse_absolute(&words[at..]).or_else(|| parse_relative(&words[at..], base?));
        match parsed {
            Some((date, length)) => {
                if let Some(date) = date {
                    out.push(date);
                }
                at += length;
            }
            None => at += 1,
        }
    }
    out
}

/// Whether a text mentions a date, a time of day, or a relative date.
pub fn mentions_time(text: &str) -> bool {
    let some_day = Date::constant(2020, 6, 15);
    if !find_dates(text, Some(some_day)).is_empty() {
        return true;
    }
    let words: Vec<String> = words(text).map(|w| w.text.into_owned()).collect();
    let number = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit());
    let clock = |i: usize, half: &str| match words[i].strip_suffix(half) {
        Some("") => i > 0 && number(&words[i - 1]),
        Some(hour) => number(hour),
        None => false,
    };
    let named = |w: &str| matches!(w, "recently" | "tonight" | "since") || parse_weekday(w).is_some();
    words.iter().enumerate().any(|(i, w)| named(w) || clock(i, "am") || clock(i, "pm"))
}

/// Fast check whether a text may contain a date: it has a digit or a word used in dates.
fn may_contain_date(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
        || words(text).any(|w| {
            parse_month(&w.text).is_some()
                || matches!(&*w.text, "yesterday" | "today" | "tomorrow" | "tonight" | "last" | "next" | "this" | "ago")
        })
}

/// A date, and the number of words it takes. `None` for a date that is out of range.
type DateMatch = (Option<PartialDate>, usize);

fn parse_absolute(words: &[&str]) -> Option<DateMatch> {
    let at = |i: usize| words.get(i).copied().unwrap_or("");
    let date = |year, month, day, length| Some((Some(PartialDate { year, month, day }), length));
    if let Some(y) = parse_year(at(0)) {
        return match (parse_number(at(1), 12), parse_number(at(2), 31)) {
            _ if at(1) == "年" => match parse_number(at(2), 12).filter(|_| at(3) == "月") {
                Some(m) => match parse_number(at(4), 31).filter(|_| at(5) == "日") {
                    Some(d) => date(Some(y), Some(m), Some(d), 6),
                    None => date(Some(y), Some(m), None, 4),
                },
                None => date(Some(y), None, None, 2),
            },
            (Some(m), Some(d)) if Date::new(y, m, d).is_ok() && at(1).len() == 2 => date(Some(y), Some(m), Some(d), 3),
            (Some(m), _) if at(1).len() == 2 => date(Some(y), Some(m), None, 2),
            _ => date(Some(y), None, None, 1),
        };
    }
    if let Some(m) = parse_month(at(0)) {
        let day = parse_ordinal(at(1));
        return match (day, parse_year(at(1)), day.and_then(|_| parse_year(at(2)))) {
            (_, Some(y), _) => date(Some(y), Some(m), None, 2),
            (Some(d), _, Some(y)) => date(Some(y), Some(m), Some(d), 3),
            (Some(d), ..) => date(None, Some(m), Some(d), 2),
            _ if at(0) == "may" || at(0).len() == 3 => None,
            _ => date(None, Some(m), None, 1),
        };
    }
    let day = parse_ordinal(at(0))?;
    let skip = 1 + usize::from(at(1) == "of");
    let m = parse_month(at(skip))?;
    match parse_year(at(skip + 1)) {
        Some(y) => date(Some(y), Some(m), Some(day), skip + 2),
        None => date(None, Some(m), Some(day), skip + 1),
    }
}

fn parse_relative(words: &[&str], base: Date) -> Option<DateMatch> {
    let at = |i: usize| words.get(i).copied().unwrap_or("");
    let day = |span: Span| base.checked_add(span).ok().map(PartialDate::from_day);
    match at(0) {
        "today" | "tonight" => return Some((day(0.days()), 1)),
        "yesterday" => return Some((day(-1.days()), 1)),
        "tomorrow" => return Some((day(1.days()), 1)),
        word @ ("last" | "next" | "this") => {
            let direction: i64 = match word {
                "last" => -1,
                "next" => 1,
                _ => 0,
            };
            return parse_unit(at(1), direction, base).map(|date| (date, 2));
        }
        _ => {}
    }
    let count = parse_number(at(0), 99).map(i64::from).or_else(|| match at(0) {
        "a" | "an" => Some(1),
        "few" => Some(3),
        word => NUMBER_WORDS.iter().position(|n| *n == word).map(|i| i as i64 + 1),
    })?;
    if at(2) != "ago" {
        return None;
    }
    let date = match at(1).trim_end_matches('s') {
        "day" => day((-count).days()),
        "week" => day((-count * 7).days()).map(|t| PartialDate { day: None, ..t }),
        "month" => day((-count).months()).map(|t| PartialDate { day: None, ..t }),
        "year" => day((-count).years()).map(|t| PartialDate { day: None, month: None, ..t }),
        _ => return None,
    };
    Some((date, 3))
}

/// Parses the unit after "last", "next" or "this": "week", "Friday", "month". `direction` is -1, 1 or 0.
fn parse_unit(unit: &str, direction: i64, base: Date) -> Option<Option<PartialDate>> {
    let month_of = |date: Result<Date, jiff::Error>| date.ok().map(|d| PartialDate::from_month(d.year(), d.month()));
    Some(match unit {
        "night" if direction < 0 => base.yesterday().ok().map(PartialDate::from_day),
        "week" | "weekend" => month_of(base.checked_add((direction * 7).days())),
        "month" => month_of(base.checked_add(direction.months())),
        "year" | "summer" | "winter" | "spring" | "autumn" | "fall" => base
            .checked_add(direction.years())
            .ok()
            .map(|d| PartialDate { year: Some(d.year()), month: None, day: None }),
        _ => match (parse_weekday(unit), parse_month(unit)) {
            (Some(wanted), _) => {
                let nth = if direction < 0 { -1 } else { 1 };
                base.nth_weekday(nth, wanted).ok().map(PartialDate::from_day)
            }
            (_, Some(m)) => {
                let back = direction <= 0 && m > base.month();
                let on = direction > 0 && m <= base.month();
                Some(PartialDate::from_month(base.year() + i16::from(on) - i16::from(back), m))
            }
            _ => return None,
        },
    })
}

fn parse_year(word: &str) -> Option<i16> {
    let four = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    four.then(|| word.parse().ok()).flatten()
}

fn parse_number(word: &str, most: i8) -> Option<i8> {
    let digits = !word.is_empty() && word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| word.parse().ok()).flatten().filter(|n| (1..=most).contains(n))
}

fn parse_ordinal(word: &str) -> Option<i8> {
    let plain = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    parse_number(plain, 31)
}

/// The month of a name or its first three letters, in lower case.
pub fn parse_month(word: &str) -> Option<i8> {
    let word = if word == "sept" { "sep" } else { word };
    let at = MONTHS.iter().position(|m| *m == word || word.len() == 3 && m.starts_with(word))?;
    Some(at as i8 + 1)
}

/// The day of a name in lower case, also in the plural.
pub fn parse_weekday(word: &str) -> Option<Weekday> {
    Some(match word.strip_suffix('s').unwrap_or(word) {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        // 2026-02-24 is a Tuesday.
        let base = Date::constant(2026, 2, 24);
        let mut terms = Vec::new();
        find_dates(text, Some(base)).into_iter().for_each(|d| d.for_each_term(|t| terms.push(t)));
        assert_eq!(terms.join(" "), expected, "{text}");
    }

    #[test]
    fn absolute_dates_become_search_terms() {
        check("on 2026-02-24 we", "@y2026 @m2026-2 @mon2 @d2026-02-24");
        check("8 May, 2023", "@y2023 @m2023-5 @mon5 @d2023-05-08");
        check("1:56 pm on the 8th of May", "@mon5");
        check("May 8th 2023; June 2024", "@y2023 @m2023-5 @mon5 @d2023-05-08 @y2024 @m2024-6 @mon6");
        check("in 2023 or July", "@y2023 @mon7");
        check("it may be, may I", "");
        check("2026年2月24日", "@y2026 @m2026-2 @mon2 @d2026-02-24");
        check("version 3.14 and 12 eggs", "");
        check("2026年2月", "@y2026 @m2026-2 @mon2");
        check("2026年", "@y2026");
        check("March 3rd", "@mon3");
    }

    #[test]
    fn relative_dates() {
        check("yesterday", "@y2026 @m2026-2 @mon2 @d2026-02-23");
        check("last Friday", "@y2026 @m2026-2 @mon2 @d2026-02-20");
        check("next Tuesday", "@y2026 @m2026-3 @mon3 @d2026-03-03");
        check("last month, last year", "@y2026 @m2026-1 @mon1 @y2025");
        check("two weeks ago", "@y2026 @m2026-2 @mon2");
        check("3 days ago", "@y2026 @m2026-2 @mon2 @d2026-02-21");
        check("last December", "@y2025 @m2025-12 @mon12");
        check("last in line", "");
        assert!(find_dates("yesterday", None).is_empty());
    }

    #[test]
    fn a_text_that_mentions_a_time() {
        for text in ["at 10 am", "met on Friday", "in 2023", "last week", "at 10pm"] {
            assert!(mentions_time(text), "{text}");
        }
        for text in ["I am happy", "may I", "the last one", "am"] {
            assert!(!mentions_time(text), "{text}");
        }
    }
}
