//! Reads the quantities of an English text.

use std::ops::Range;

use super::{Measured, Period, Quantity, Ratio};
use crate::text::statement::NUMBER_WORDS;
use crate::text::stopwords;
use crate::text::word_list::{WordList, word_list};

/// Words for "every day" and the like, each with its period.
const PERIOD_ADVERBS: WordList = word_list!("guards/grounding/period_adverbs.en.txt");

/// Words before the age of a person.
const BEFORE_AGE: [&str; 12] = ["is", "s", "m", "am", "are", "was", "turned", "turns", "turning", "re", "be", "age"];

/// A word, a number or a sign; other punctuation is one token, too.
struct Token<'a> {
    low: String,
    surface: &'a str,
    range: Range<usize>,
}

pub(super) fn quantities(text: &str) -> Vec<Measured> {
    let tokens = Tokens(tokens(text));
    let (mut found, mut i) = (Vec::new(), 0);
    while i < tokens.0.len() {
        match tokens.quantity(i) {
            Some((length, quantity)) => {
                let range = tokens.0[i].range.start..tokens.0[i + length - 1].range.end;
                found.push(Measured { range, quantity });
                i += length;
            }
            None => i += 1,
        }
    }
    found
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            c if c.is_ascii_digit() => number_length(rest),
            c if c.is_alphabetic() => rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        if !first.is_whitespace() && !matches!(first, '-' | '\'' | '’' | '*' | '`' | '_') {
            let surface = &rest[..length];
            found.push(Token { low: surface.to_lowercase(), surface, range: at..at + length });
        }
        at += length;
    }
    found
}

/// The length of digits with the marks between them.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while is_digit(end) || matches!(bytes.get(end), Some(b'.' | b',' | b':')) && is_digit(end + 1) {
        end += 1;
    }
    end
}

struct Tokens<'a>(Vec<Token<'a>>);

impl Tokens<'_> {
    fn low(&self, i: usize) -> &str {
        self.0.get(i).map_or("", |token| &token.low)
    }

    fn has(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(i, word)| self.low(at + i) == *word)
    }

    fn is_joined(&self, i: usize) -> bool {
        i > 0 && self.0.get(i).is_some_and(|token| token.range.start == self.0[i - 1].range.end)
    }

    /// The quantity that starts at a token, with its number of tokens.
    fn quantity(&self, i: usize) -> Option<(usize, Quantity)> {
        self.age(i)
            .or_else(|| self.frequency(i))
            .or_else(|| self.clock(i))
            .or_else(|| self.duration(i).map(|(length, period)| (length, Quantity::Duration(period))))
            .or_else(|| self.share(i))
            .or_else(|| self.size(i))
            .or_else(|| self.metric(i))
            .or_else(|| self.repetition(i).map(|(length, times)| (length, Quantity::Times(times))))
            .or_else(|| self.count(i))
    }

    /// A number in digits or words.
    fn number(&self, i: usize) -> Option<(usize, Ratio)> {
        let low = self.low(i);
        if low.starts_with(|c: char| c.is_ascii_digit()) {
            return Some((1, Ratio::parse(low).filter(|_| !low.contains(':'))?));
        }
        let word = |low: &str| match low {
            "one" => Some(1),
            "twice" | "thrice" => None,
            _ => NUMBER_WORDS.value(low)?.parse::<i64>().ok(),
        };
        let first = word(low)?;
        let (length, number) = match word(self.low(i + 1)).filter(|second| first >= 20 && *second < 10) {
            Some(second) => (2, first + second),
            None => (1, first),
        };
        let factor = match self.low(i + length) {
            "hundred" => 100,
            "thousand" => 1000,
            "million" => 1_000_000,
            _ => return Some((length, Ratio::whole(number))),
        };
        Some((length + 1, Ratio::whole(number * factor)))
    }

    /// A number, or an article that stands for one.
    fn amount(&self, i: usize) -> Option<(usize, Ratio)> {
        match self.low(i) {
            "a" | "an" => Some((1, Ratio::whole(1))),
            _ => self.number(i),
        }
    }

    fn duration(&self, i: usize) -> Option<(usize, Period)> {
        // "half an hour", "half hour", "a quarter of an hour"
        let part = match (self.low(i), self.low(i + 1)) {
            ("half", "a" | "an") => Some((2, Ratio::HALF)),
            ("half", _) => Some((1, Ratio::HALF)),
            ("a", "half") => Some((2, Ratio::HALF)),
            ("a", "quarter") if self.has(i + 2, &["of", "an"]) => Some((4, Ratio::new(1, 4))),
            ("three", "quarters") if self.has(i + 2, &["of", "an"]) => Some((4, Ratio::new(3, 4))),
            _ => None,
        };
        if let Some((length, part)) = part
            && let Some(unit) = unit(self.low(i + length))
        {
            return Some((length + 1, unit.times(part)));
        }
        let (mut length, mut number) = self.amount(i)?;
        let mut halves = |at: usize| {
            let is_half = self.has(at, &["and", "a", "half"]);
            number = if is_half { number.plus(Ratio::HALF) } else { number };
            if is_half { 3 } else { 0 }
        };
        length += halves(i + length);
        let unit = unit(self.low(i + length))?;
        length += 1;
        length += halves(i + length);
        Some((length, unit.times(number)))
    }

    fn frequency(&self, i: usize) -> Option<(usize, Quantity)> {
        let once = Ratio::whole(1);
        if let Some(period) = PERIOD_ADVERBS.value(self.low(i)) {
            return Some((1, Quantity::Frequency(once, period_named(period)?)));
        }
        if matches!(self.low(i), "every" | "each") {
            let (length, period) = self.every(i)?;
            return Some((length, Quantity::Frequency(once, period)));
        }
        if self.low(i) == "at"
            && let Some((length, period)) = self.duration(i + 1)
            && matches!(self.low(i + 1 + length), "intervals" | "interval")
        {
            return Some((length + 2, Quantity::Frequency(once, period)));
        }
        let (length, times) = self.repetition(i)?;
        let (more, period) = match self.low(i + length) {
            "every" | "each" => self.every(i + length)?,
            "a" | "an" | "per" => (2, period_named(self.low(i + length + 1))?),
            _ => return None,
        };
        Some((length + more, Quantity::Frequency(times, period)))
    }

    /// "every day", "every other day", "every two days"
    fn every(&self, i: usize) -> Option<(usize, Period)> {
        let (length, number) = match self.low(i + 1) {
            "other" | "second" => (1, Ratio::whole(2)),
            "third" => (1, Ratio::whole(3)),
            "fourth" => (1, Ratio::whole(4)),
            "single" => (1, Ratio::whole(1)),
            _ => self.number(i + 1).unwrap_or((0, Ratio::whole(1))),
        };
        let period = period_named(self.low(i + length + 1))?;
        // "Every other morning" is no period with a name.
        let is_plain = !matches!(period, Period::Named(_)) || number == Ratio::whole(1);
        is_plain.then(|| (length + 2, period.times(number)))
    }

    /// A repetition at word `i` ("twice", "three times"): how many words it has, and how often.
    fn repetition(&self, i: usize) -> Option<(usize, Ratio)> {
        match self.low(i) {
            "once" => Some((1, Ratio::whole(1))),
            "twice" => Some((1, Ratio::whole(2))),
            "thrice" => Some((1, Ratio::whole(3))),
            _ => {
                let (length, number) = self.number(i)?;
                (self.low(i + length) == "times").then_some((length + 1, number))
            }
        }
    }

    fn share(&self, i: usize) -> Option<(usize, Quantity)> {
        let share = |length, above, below| Some((length, Quantity::Share(Ratio::new(above, below))));
        let follows = |at: usize| matches!(self.low(at), "of" | "the" | "our" | "my" | "their" | "all" | "his" | "her");
        match (self.low(i), self.low(i + 1)) {
            ("half", _) if follows(i + 1) => return share(1, 1, 2),
            ("a" | "one", "half") if follows(i + 2) => return share(2, 1, 2),
            ("a" | "one", "third") if follows(i + 2) => return share(2, 1, 3),
            ("two", "thirds") => return share(2, 2, 3),
            ("a" | "one", "quarter") if self.low(i + 2) == "of" && !self.has(i + 3, &["an"]) => return share(2, 1, 4),
            ("three", "quarters") if self.low(i + 2) == "of" && !self.has(i + 3, &["an"]) => return share(2, 3, 4),
            ("a" | "one", "fifth") if follows(i + 2) => return share(2, 1, 5),
            _ => {}
        }
        let (length, number) = self.number(i)?;
        let rest = i + length;
        if self.low(rest) == "%" || self.low(rest) == "percent" {
            return Some((length + 1, Quantity::Share(number.times(Ratio::new(1, 100)))));
        }
        if self.has(rest, &["per", "cent"]) {
            return Some((length + 2, Quantity::Share(number.times(Ratio::new(1, 100)))));
        }
        let of = if self.has(rest, &["out", "of"]) { rest + 2 } else { rest + 1 };
        let is_part = of == rest + 2 || self.low(rest) == "in" && number == Ratio::whole(1);
        let (more, all) = self.number(of).filter(|_| is_part)?;
        let is_proper = number.1 == 1 && all.1 == 1 && number.0 < all.0;
        is_proper.then_some((of + more - i, Quantity::Share(Ratio::new(number.0, all.0))))
    }

    fn size(&self, i: usize) -> Option<(usize, Quantity)> {
        let (length, number) =
            self.number(i).filter(|_| self.low(i).as_bytes().first().is_some_and(u8::is_ascii_digit))?;
        let unit = self.0.get(i + length)?;
        // "64k users" is a number.
        let next = self.low(i + length + 1);
        let is_alone = !next.starts_with(char::is_alphanumeric) || stopwords::is_stopword(next);
        let letter = match unit.surface {
            "KB" | "kB" | "kb" => 'K',
            "k" | "K" if self.is_joined(i + length) && is_alone => 'K',
            _ => return None,
        };
        Some((length + 1, Quantity::Size(number, letter)))
    }

    /// "80 cm", "0.8 m".
    fn metric(&self, i: usize) -> Option<(usize, Quantity)> {
        let (length, number) = self.number(i)?;
        let unit = self.low(i + length);
        // "2 m" may be millions where a noun follows.
        let ends = unit != "m"
            || !self.low(i + length + 1).starts_with(char::is_alphabetic)
            || stopwords::is_stopword(self.low(i + length + 1));
        let (number, base) = super::in_metric_base(number, unit).filter(|_| ends)?;
        Some((length + 1, Quantity::Amount(number, base)))
    }

    fn age(&self, i: usize) -> Option<(usize, Quantity)> {
        if self.low(i) == "aged" {
            return self.number(i + 1).map(|(length, years)| (length + 1, Quantity::Age(years)));
        }
        let (length, years) = self.number(i).filter(|(_, years)| years.1 == 1 && years.0 <= MAX_AGE)?;
        let rest = i + length;
        if matches!(self.low(rest), "year" | "years") && self.low(rest + 1) == "old" {
            return Some((length + 2, Quantity::Age(years)));
        }
        if self.has(rest, &["years", "of", "age"]) {
            return Some((length + 3, Quantity::Age(years)));
        }
        let next = self.low(rest);
        let ends = !next.starts_with(|c: char| c.is_alphanumeric() || c == '%')
            || matches!(next, "and" | "but" | "now" | "so" | "this" | "next" | "in" | "on" | "already");
        let follows = i > 0 && BEFORE_AGE.contains(&self.low(i - 1));
        (ends && follows).then_some((length, Quantity::Age(years)))
    }

    fn count(&self, i: usize) -> Option<(usize, Quantity)> {
        let dozen = |at: usize| matches!(self.low(at), "dozen" | "dozens");
        let (length, number) = match (self.low(i), self.low(i + 1)) {
            ("half", "a") if dozen(i + 2) => (2, Ratio::HALF),
            ("half", _) if dozen(i + 1) => (1, Ratio::HALF),
            ("dozen", _) => (0, Ratio::whole(1)),
            ("half", "a" | "an") => return Some((2, Quantity::Count(Ratio::HALF))),
            _ => self.amount(i)?,
        };
        if self.has(i + length, &["and", "a", "half"]) {
            return Some((length + 3, Quantity::Count(number.plus(Ratio::HALF))));
        }
        if dozen(i + length) {
            return Some((length + 1, Quantity::Count(number.times(Ratio::whole(12)))));
        }
        (self.low(i) != "a" && self.low(i) != "an").then_some((length, Quantity::Count(number)))
    }

    fn clock(&self, i: usize) -> Option<(usize, Quantity)> {
        let (length, hour, minute) = match self.low(i) {
            "noon" | "midday" => return Some((1, Quantity::Clock(vec![12 * 60]))),
            "midnight" => return Some((1, Quantity::Clock(vec![0]))),
            low if low.contains(':') => {
                let (hour, minute) = low.split_once(':')?;
                (1, hour.parse::<u32>().ok()?, minute.parse::<u32>().ok()?)
            }
            _ => self.spoken_time(i)?,
        };
        let is_padded = self.low(i).starts_with('0');
        let is_plain = self.low(i).starts_with(|c: char| c.is_ascii_digit()) && !self.low(i).contains(':');
        let (more, half) = self.half_of_day(i + length);
        // A number alone is no time of day.
        if hour > 24 || minute > 59 || is_plain && half.is_none() && length == 1 {
            return None;
        }
        let times = match half {
            Some(is_later) => vec![hour % 12 * 60 + minute + if is_later { 12 * 60 } else { 0 }],
            None if is_padded || hour > 12 || hour == 0 => vec![hour % 24 * 60 + minute],
            None => vec![hour % 12 * 60 + minute, (hour % 12 + 12) * 60 + minute],
        };
        Some((length + more, Quantity::Clock(times)))
    }

    /// "half past nine", "quarter to ten", "nine o'clock", a number before "am" or "in the morning": tokens, hour,
    /// minute.
    fn spoken_time(&self, i: usize) -> Option<(usize, u32, u32)> {
        let start = usize::from(self.low(i) == "a" && self.low(i + 1) == "quarter");
        let (length, minutes) = match self.low(i + start) {
            "half" => (1, 30),
            "quarter" => (1, 15),
            _ => {
                let (length, number) = self.number(i)?;
                (length, u32::try_from(number.0).ok().filter(|_| number.1 == 1)?)
            }
        };
        let at = i + start + length;
        let direction = if self.low(at) == "minutes" { at + 1 } else { at };
        // "half six" is half past six.
        if start == 0 && self.low(i) == "half" && !matches!(self.low(direction), "past" | "to") {
            let (more, hour) = self.number(i + 1).filter(|(_, hour)| hour.1 == 1 && (1..=12).contains(&hour.0))?;
            let is_counted = unit(self.low(i + 1 + more)).is_some();
            return (!is_counted && !matches!(self.low(i + 1), "one" | "a")).then_some((1 + more, hour.0 as u32, 30));
        }
        if matches!(self.low(direction), "past" | "to") {
            let (more, hour) =
                self.number(direction + 1).filter(|(_, hour)| hour.1 == 1 && (1..=12).contains(&hour.0))?;
            let (hour, is_past) = (hour.0 as u32, self.low(direction) == "past");
            let (hour, minutes) = if is_past { (hour, minutes) } else { (hour + 11, 60 - minutes.min(59)) };
            return Some((direction + 1 + more - i, if hour > 12 { hour - 12 } else { hour }, minutes));
        }
        let is_number = start == 0 && !matches!(self.low(i), "half" | "quarter") && (1..=12).contains(&minutes);
        if is_number && self.has(at, &["o", "clock"]) {
            return Some((length + 2, minutes, 0));
        }
        (is_number && self.half_of_day(at).1.is_some()).then_some((length, minutes, 0))
    }

    /// Tokens such as "pm" and "in the morning", and whether they mean the half of the day after noon.
    fn half_of_day(&self, i: usize) -> (usize, Option<bool>) {
        let dotted = |letter: &str| self.has(i, &[letter, ".", "m"]);
        match self.low(i) {
            "am" => (1, Some(false)),
            "pm" => (1, Some(true)),
            "a" if dotted("a") => (3 + usize::from(self.low(i + 3) == "."), Some(false)),
            "p" if dotted("p") => (3 + usize::from(self.low(i + 3) == "."), Some(true)),
            "in" if self.has(i + 1, &["the", "morning"]) => (3, Some(false)),
            "in" if self.has(i + 1, &["the", "afternoon"]) || self.has(i + 1, &["the", "evening"]) => (3, Some(true)),
            _ => (0, None),
        }
    }
}

/// No person is older.
const MAX_AGE: i64 = 120;

/// The unit of a duration.
fn unit(low: &str) -> Option<Period> {
    let seconds = |n| Some(Period::Seconds(Ratio::whole(n)));
    match low {
        "ms" | "millisecond" | "milliseconds" => Some(Period::Seconds(Ratio::new(1, 1000))),
        "s" | "sec" | "secs" | "second" | "seconds" => seconds(1),
        "min" | "mins" | "minute" | "minutes" => seconds(60),
        "h" | "hr" | "hrs" | "hour" | "hours" => seconds(60 * 60),
        "day" | "days" => seconds(24 * 60 * 60),
        "week" | "weeks" => seconds(7 * 24 * 60 * 60),
        "fortnight" | "fortnights" => seconds(14 * 24 * 60 * 60),
        "month" | "months" => Some(Period::Months(Ratio::whole(1))),
        "year" | "years" | "yr" | "yrs" => Some(Period::Months(Ratio::whole(12))),
        "decade" | "decades" => Some(Period::Months(Ratio::whole(120))),
        _ => None,
    }
}

/// The period of a frequency.
fn period_named(low: &str) -> Option<Period> {
    match low {
        "quarter" | "quarters" => Some(Period::Months(Ratio::whole(3))),
        "night" | "nights" => Some(Period::Named("night")),
        "morning" | "mornings" => Some(Period::Named("morning")),
        "evening" | "evenings" => Some(Period::Named("evening")),
        _ => unit(low),
    }
}
