//! Dates as texts say them, turned into terms of a namespace of their own: `@y2026 @m2026-2 @mon2 @d2026-02-24`.
//!
//! Never reads a clock: what "yesterday" means comes with the text. A bare "may" is no month.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::words;

const MONTHS: [&str; 12] = [
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
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// A date as far as it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    /// The year, where it is told.
    pub year: Option<i16>,
    /// The month, from 1.
    pub month: Option<i8>,
    /// The day, from 1.
    pub day: Option<i8>,
}

impl Told {
    /// A whole date.
    pub fn day(date: Date) -> Told {
        Told { year: Some(date.year()), month: Some(date.month()), day: Some(date.day()) }
    }

    /// A month of a year.
    pub fn month(year: i16, month: i8) -> Told {
        Told { year: Some(year), month: Some(month), day: None }
    }

    /// The first day that it may be; `None` where the year is not told.
    pub fn first(self) -> Option<Date> {
        Date::new(self.year?, self.month.unwrap_or(1), self.day.unwrap_or(1)).ok()
    }

    /// Its terms.
    pub fn terms(self, mut each: impl FnMut(String)) {
        let Told { year, month, day } = self;
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

/// The dates that a text tells; relative ones ("yesterday", "last Friday", "two weeks ago") counted from `base`, and
/// passed over without it.
pub fn dates(text: &str, base: Option<Date>) -> Vec<Told> {
    let mut out = Vec::new();
    if !may_tell(text) {
        return out;
    }
    let words: Vec<String> =
        words(text).filter(|w| !w.gram || w.surface.chars().count() == 1).map(|w| w.text.into_owned()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut at = 0;
    while at < words.len() {
        let read = absolute(&words[at..]).or_else(|| relative(&words[at..], base?));
        match read {
            Some((told, length)) => {
                if let Some(told) = told {
                    out.push(told);
                }
                at += length;
            }
            None => at += 1,
        }
    }
    out
}

/// Whether a text says when something was: a date, a time of the day, or a relative expression.
pub fn tells_time(text: &str) -> bool {
    let some_day = Date::constant(2020, 6, 15);
    if !dates(text, Some(some_day)).is_empty() {
        return true;
    }
    let words: Vec<String> = words(text).map(|w| w.text.into_owned()).collect();
    let number = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit());
    let clock = |i: usize, half: &str| match words[i].strip_suffix(half) {
        Some("") => i > 0 && number(&words[i - 1]),
        Some(hour) => number(hour),
        None => false,
    };
    let named = |w: &str| matches!(w, "recently" | "tonight" | "since") || weekday(w).is_some();
    words.iter().enumerate().any(|(i, w)| named(w) || clock(i, "am") || clock(i, "pm"))
}

/// A digit or a letter of a date word must be there: most texts need no closer look.
fn may_tell(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
        || words(text).any(|w| {
            month(&w.text).is_some()
                || matches!(&*w.text, "yesterday" | "today" | "tomorrow" | "tonight" | "last" | "next" | "this" | "ago")
        })
}

/// What a text says of a date at its start, and how many words that takes.
type Read = (Option<Told>, usize);

fn absolute(words: &[&str]) -> Option<Read> {
    let at = |i: usize| words.get(i).copied().unwrap_or("");
    let told = |year, month, day, length| Some((Some(Told { year, month, day }), length));
    if let Some(y) = year(at(0)) {
        return match (number(at(1), 12), number(at(2), 31)) {
            _ if at(1) == "年" => match number(at(2), 12).filter(|_| at(3) == "月") {
                Some(m) => match number(at(4), 31).filter(|_| at(5) == "日") {
                    Some(d) => told(Some(y), Some(m), Some(d), 6),
                    None => told(Some(y), Some(m), None, 4),
                },
                None => told(Some(y), None, None, 2),
            },
            (Some(m), Some(d)) if Date::new(y, m, d).is_ok() && at(1).len() == 2 => told(Some(y), Some(m), Some(d), 3),
            (Some(m), _) if at(1).len() == 2 => told(Some(y), Some(m), None, 2),
            _ => told(Some(y), None, None, 1),
        };
    }
    if let Some(m) = month(at(0)) {
        let day = ordinal(at(1));
        return match (day, year(at(1)), day.and_then(|_| year(at(2)))) {
            (_, Some(y), _) => told(Some(y), Some(m), None, 2),
            (Some(d), _, Some(y)) => told(Some(y), Some(m), Some(d), 3),
            (Some(d), ..) => told(None, Some(m), Some(d), 2),
            _ if at(0) == "may" || at(0).len() == 3 => None,
            _ => told(None, Some(m), None, 1),
        };
    }
    let day = ordinal(at(0))?;
    let skip = 1 + usize::from(at(1) == "of");
    let m = month(at(skip))?;
    match year(at(skip + 1)) {
        Some(y) => told(Some(y), Some(m), Some(day), skip + 2),
        None => told(None, Some(m), Some(day), skip + 1),
    }
}

fn relative(words: &[&str], base: Date) -> Option<Read> {
    let at = |i: usize| words.get(i).copied().unwrap_or("");
    let day = |span: Span| base.checked_add(span).ok().map(Told::day);
    match at(0) {
        "today" | "tonight" => return Some((day(0.days()), 1)),
        "yesterday" => return Some((day(-1.days()), 1)),
        "tomorrow" => return Some((day(1.days()), 1)),
        word @ ("last" | "next" | "this") => {
            let way: i64 = match word {
                "last" => -1,
                "next" => 1,
                _ => 0,
            };
            return ranged(at(1), way, base).map(|told| (told, 2));
        }
        _ => {}
    }
    let count = number(at(0), 99).map(i64::from).or_else(|| match at(0) {
        "a" | "an" => Some(1),
        "few" => Some(3),
        word => NUMBERS.iter().position(|n| *n == word).map(|i| i as i64 + 1),
    })?;
    if at(2) != "ago" {
        return None;
    }
    let told = match at(1).trim_end_matches('s') {
        "day" => day((-count).days()),
        "week" => day((-count * 7).days()).map(|t| Told { day: None, ..t }),
        "month" => day((-count).months()).map(|t| Told { day: None, ..t }),
        "year" => day((-count).years()).map(|t| Told { day: None, month: None, ..t }),
        _ => return None,
    };
    Some((told, 3))
}

/// "last week", "next Friday", "this month".
fn ranged(unit: &str, way: i64, base: Date) -> Option<Option<Told>> {
    let month_of = |date: Result<Date, jiff::Error>| date.ok().map(|d| Told::month(d.year(), d.month()));
    Some(match unit {
        "night" if way < 0 => base.yesterday().ok().map(Told::day),
        "week" | "weekend" => month_of(base.checked_add((way * 7).days())),
        "month" => month_of(base.checked_add(way.months())),
        "year" | "summer" | "winter" | "spring" | "autumn" | "fall" => {
            base.checked_add(way.years()).ok().map(|d| Told { year: Some(d.year()), month: None, day: None })
        }
        _ => match (weekday(unit), month(unit)) {
            (Some(wanted), _) => {
                let nth = if way < 0 { -1 } else { 1 };
                base.nth_weekday(nth, wanted).ok().map(Told::day)
            }
            (_, Some(m)) => {
                let back = way <= 0 && m > base.month();
                let on = way > 0 && m <= base.month();
                Some(Told::month(base.year() + i16::from(on) - i16::from(back), m))
            }
            _ => return None,
        },
    })
}

fn year(word: &str) -> Option<i16> {
    let four = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    four.then(|| word.parse().ok()).flatten()
}

fn number(word: &str, most: i8) -> Option<i8> {
    let digits = !word.is_empty() && word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| word.parse().ok()).flatten().filter(|n| (1..=most).contains(n))
}

fn ordinal(word: &str) -> Option<i8> {
    let plain = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    number(plain, 31)
}

fn month(word: &str) -> Option<i8> {
    let word = if word == "sept" { "sep" } else { word };
    let at = MONTHS.iter().position(|m| *m == word || word.len() == 3 && m.starts_with(word))?;
    Some(at as i8 + 1)
}

fn weekday(word: &str) -> Option<Weekday> {
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
        // A Tuesday.
        let base = Date::constant(2026, 2, 24);
        let mut terms = Vec::new();
        dates(text, Some(base)).into_iter().for_each(|d| d.terms(|t| terms.push(t)));
        assert_eq!(terms.join(" "), expected, "{text}");
    }

    #[test]
    fn absolute_dates() {
        check("on 2026-02-24 we", "@y2026 @m2026-2 @mon2 @d2026-02-24");
        check("8 May, 2023", "@y2023 @m2023-5 @mon5 @d2023-05-08");
        check("1:56 pm on the 8th of May", "@mon5");
        check("May 8th 2023; June 2024", "@y2023 @m2023-5 @mon5 @d2023-05-08 @y2024 @m2024-6 @mon6");
        check("in 2023 or July", "@y2023 @mon7");
        check("it may be, may I", "");
        check("2026年2月24日", "@y2026 @m2026-2 @mon2 @d2026-02-24");
        check("version 3.14 and 12 eggs", "");
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
        assert!(dates("yesterday", None).is_empty());
    }

    #[test]
    fn a_text_that_tells_time() {
        for text in ["at 10 am", "met on Friday", "in 2023", "last week", "at 10pm"] {
            assert!(tells_time(text), "{text}");
        }
        for text in ["I am happy", "may I", "the last one", "am"] {
            assert!(!tells_time(text), "{text}");
        }
    }
}
