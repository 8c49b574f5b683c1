//! Finds English dates, and those in digits; also the end of a month in other languages.

use std::ops::Range;

use jiff::ToSpan;
use jiff::civil::Date;

use super::{DatePhrase, DateRead, DaySpan, Said, Unit, distant, in_direction, moved, spans_of, weekdays};
use crate::text::dates::{NUMBER_WORDS, PartialDate, parse_month, parse_weekday};
use crate::text::statement::OTHER_MONTHS;
use crate::text::word_list::{WordList, word_list};

/// Words before a number of years or months that has passed.
const LASTING: WordList = word_list!("relative_dates/lasting.en.txt");
/// Words for the end of a month, before its name.
const ENDS: WordList = word_list!("relative_dates/ends.other.txt");
/// Seasons, with their first month.
const SEASONS: [(&str, i8); 5] = [("spring", 3), ("summer", 6), ("autumn", 9), ("fall", 9), ("winter", 12)];

/// A word, a number, or a mark.
struct Piece<'t> {
    surface: &'t str,
    low: String,
    range: Range<usize>,
    /// Whether it follows the one before without a blank.
    is_joined: bool,
    is_capitalized: bool,
}

pub(super) fn phrases(text: &str, base: Option<Date>) -> Vec<DatePhrase> {
    let pieces = pieces(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let reader = Reader { pieces: &pieces[at..], before: at.checked_sub(1).map_or("", |b| &pieces[b].low) };
        match reader.written().or_else(|| reader.relative(base?)) {
            Some((said, length)) => {
                let range = pieces[at].range.start..pieces[at + length - 1].range.end;
                found.push(DatePhrase { range, said });
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// The last days that a text may give to something without a date: `30 days`, `the end of the month`.
pub(super) fn terms(text: &str, base: Date) -> Vec<DaySpan> {
    let plain = text.replace('-', " ");
    let pieces = pieces(&plain);
    let reader = |at: usize| Reader { pieces: &pieces[at..], before: "" };
    (0..pieces.len()).filter_map(|at| reader(at).term(base)).flatten().collect()
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let class = |c: char| match c {
        '×' | '÷' => 0,
        'a'..='z' | 'A'..='Z' | 'À'..='ɏ' => 1,
        '0'..='9' => 2,
        _ => 0,
    };
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut end = start + c.len_utf8();
        while class(c) != 0
            && let Some((at, next)) = chars.next_if(|(_, next)| class(*next) == class(c))
        {
            end = at + next.len_utf8();
        }
        let is_joined = pieces.last().is_some_and(|last| last.range.end == start);
        let surface = &text[start..end];
        let low = surface.to_ascii_lowercase();
        pieces.push(Piece { surface, low, range: start..end, is_joined, is_capitalized: c.is_ascii_uppercase() });
    }
    pieces
}

/// Reads a date at the first of its pieces.
struct Reader<'a> {
    pieces: &'a [Piece<'a>],
    before: &'a str,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.pieces.get(at).map_or("", |piece| &piece.low)
    }

    fn is_joined(&self, at: usize) -> bool {
        self.pieces.get(at).is_some_and(|piece| piece.is_joined)
    }

    /// One past a word for a part of the day, if there is one.
    fn after_part_of_day(&self, at: usize) -> usize {
        at + usize::from(matches!(self.word(at), "morning" | "afternoon" | "evening" | "night"))
    }

    fn digits(&self, at: usize, most: i16) -> Option<i16> {
        let word = self.word(at);
        let is_number = !word.is_empty() && word.len() <= 4 && word.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| word.parse().ok()).flatten().filter(|n| (1..=most).contains(n))
    }

    fn year(&self, at: usize) -> Option<i16> {
        let is_year = self.word(at).len() == 4 && ["19", "20"].iter().any(|start| self.word(at).starts_with(start));
        self.digits(at, 2099).filter(|_| is_year)
    }

    /// The day of a month and the pieces that it takes: `5`, `5th`.
    fn day(&self, at: usize) -> Option<(i8, usize)> {
        let day = self.digits(at, 31)? as i8;
        if self.ordinal_end(at + 1) { Some((day, 2)) } else { Some((day, 1)) }
    }

    fn ordinal_end(&self, at: usize) -> bool {
        self.is_joined(at) && matches!(self.word(at), "st" | "nd" | "rd" | "th")
    }

    /// A date that names its month, or a year alone.
    fn written(&self) -> DateRead {
        let date = |year, month, day, length| Some((Said::Written(PartialDate { year, month, day }), length));
        if let Some(year) = self.year(0) {
            let is_mark = |at| self.is_joined(at) && matches!(self.word(at), "-" | "/" | ".");
            if is_mark(1)
                && let Some(month) = self.digits(2, 12).filter(|_| self.is_joined(2))
            {
                return match self.digits(4, 31).filter(|_| is_mark(3) && self.is_joined(4)) {
                    Some(day) => date(Some(year), Some(month as i8), Some(day as i8), 5),
                    None => date(Some(year), Some(month as i8), None, 3),
                };
            }
            return date(Some(year), None, None, 1);
        }
        if let Some(read) = self.numeric().or_else(|| self.season_of_year()) {
            return Some(read);
        }
        if let Some(month) = parse_month(self.word(0)) {
            let (day, after) = match self.day(1) {
                Some((day, length)) if self.year(1).is_none() => (Some(day), 1 + length),
                _ => (None, 1),
            };
            let skip = after + usize::from(matches!(self.word(after), "," | "of"));
            return match self.year(skip) {
                Some(year) => date(Some(year), Some(month), day, skip + 1),
                // "may" and "march" are also verbs.
                None if day.is_none() && !self.pieces[0].is_capitalized => None,
                None => date(None, Some(month), day, after),
            };
        }
        let (day, length) = self.day(0)?;
        let skip = length + usize::from(self.word(length) == "of");
        let month = parse_month(self.word(skip))?;
        let after = skip + 1 + usize::from(self.word(skip + 1) == ",");
        match self.year(after) {
            Some(year) => date(Some(year), Some(month), Some(day), after + 1),
            None => date(None, Some(month), Some(day), skip + 1),
        }
    }

    /// `6.3.2026`, `03/06/2026`: day and month in either order.
    fn numeric(&self) -> DateRead {
        let mark = self.word(1);
        let is_one = matches!(mark, "." | "/" | "-") && self.word(3) == mark && (1..=4).all(|at| self.is_joined(at));
        let (one, other, year) = (self.digits(0, 31)?, self.digits(2, 31)?, self.year(4).filter(|_| is_one)?);
        let date = |day: i16, month: i16| Date::new(year, month as i8, day as i8).ok().map(DaySpan::day);
        let spans: Vec<DaySpan> = date(one, other).into_iter().chain(date(other, one)).collect();
        (!spans.is_empty()).then_some((Said::Spans(spans), 5))
    }

    /// `summer 2026`, `summer of 2026`, `Q2 2026`.
    fn season_of_year(&self) -> DateRead {
        if self.word(0) == "q"
            && let Some(quarter) = self.digits(1, 4).filter(|_| self.is_joined(1))
        {
            let first = Date::new(self.year(2)?, (quarter * 3 - 2) as i8, 1).ok()?;
            return Some((Said::Spans(distant(first, Unit::Quarter, 0)?), 3));
        }
        let skip = 1 + usize::from(self.word(1) == "of");
        let span = span_of_year(self.word(0), self.year(skip)?)?;
        Some((Said::Spans(vec![span]), skip + 1))
    }

    fn relative(&self, base: Date) -> DateRead {
        self.day_word(base)
            .or_else(|| self.distance(base))
            .or_else(|| self.directed(base))
            .or_else(|| self.second_next(base))
            .or_else(|| self.weekday(base))
            .or_else(|| self.day_alone(base))
    }

    fn day_word(&self, base: Date) -> DateRead {
        let day = |days: i64, length| Some((Said::Spans(vec![DaySpan::day(moved(base, days.days())?)]), length));
        match (self.word(0), self.word(1), self.word(2)) {
            ("day", "after", "tomorrow") => day(2, 3),
            ("day", "before", "yesterday") => day(-2, 3),
            ("last", "night", _) => day(-1, 2),
            ("this", "morning" | "afternoon" | "evening", _) | ("earlier" | "later", "today", _) => day(0, 2),
            ("today" | "tonight", ..) => day(0, 1),
            ("yesterday", ..) => day(-1, self.after_part_of_day(1)),
            ("tomorrow", ..) => day(1, self.after_part_of_day(1)),
            _ => None,
        }
    }

    /// A number and a unit: `two weeks`, `a couple of months`, `a fortnight`, `half a year`; not `once a week`, which is
    /// a rhythm.
    fn amount(&self, at: usize) -> Option<(i64, Unit, usize)> {
        if at == 0 && matches!(self.before, "once" | "twice" | "thrice" | "times") {
            return None;
        }
        if (self.word(at), self.word(at + 1), self.word(at + 2)) == ("half", "a", "year") {
            return Some((6, Unit::Month, 3));
        }
        let (count, length) = match self.word(at) {
            "a" | "an" if self.word(at + 1) == "couple" && self.word(at + 2) == "of" => (2, 3),
            "a" | "an" => (1, 1),
            word => match NUMBER_WORDS.iter().position(|number| *number == word) {
                Some(n) => (n as i64 + 1, 1),
                None => (i64::from(self.digits(at, 999)?), 1),
            },
        };
        match self.word(at + length) {
            "fortnight" | "fortnights" => Some((2 * count, Unit::Week, length + 1)),
            word => Some((count, unit(word)?, length + 1)),
        }
    }

    /// `two weeks ago`, `two years ago, in May`, `in two weeks`, `for two years`.
    fn distance(&self, base: Date) -> DateRead {
        let spans = |unit, count, length| Some((Said::Spans(distant(base, unit, count)?), length));
        if self.word(0) == "in" {
            let (count, unit, length) = self.amount(1)?;
            return spans(unit, count, length + 1);
        }
        let (count, unit, length) = self.amount(0)?;
        if let (Unit::Year, "ago") = (unit, self.word(length)) {
            let skip = length + 1 + usize::from(self.word(length + 1) == ",");
            let year = base.year() - i16::try_from(count).ok()?;
            if self.word(skip) == "in"
                && let Some(span) = span_of_year(self.word(skip + 1), year)
            {
                return Some((Said::Spans(vec![span]), skip + 2));
            }
        }
        match (self.word(length), self.word(length + 1)) {
            ("ago" | "back" | "earlier", _) => spans(unit, -count, length + 1),
            ("later" | "hence", _) => spans(unit, count, length + 1),
            ("from", "now" | "today") => spans(unit, count, length + 2),
            _ if matches!(unit, Unit::Month | Unit::Year) && LASTING.contains(self.before) => {
                spans(unit, -count, length)
            }
            _ => None,
        }
    }

    /// `30 days`, `the end of the month`, `the end of March`; not `30 days ago`.
    fn term(&self, base: Date) -> Option<Vec<DaySpan>> {
        if (self.word(0), self.word(1)) == ("end", "of") {
            let skip = 2 + usize::from(matches!(self.word(2), "the" | "this"));
            return self.month(skip, base).or_else(|| distant(base, unit(self.word(skip))?, 0));
        }
        if self.pieces.first().is_some_and(|piece| ENDS.contains(piece.surface)) {
            let skip = 1 + usize::from(matches!(self.word(1), "av" | "da" | "de" | "di" | "do" | "van"));
            return self.month(skip, base);
        }
        let (count, unit, length) = self.amount(0)?;
        match self.word(length) {
            "ago" | "back" | "earlier" => None,
            _ => distant(base, unit, count),
        }
    }

    /// A month in any language, with or without its year.
    fn month(&self, at: usize, base: Date) -> Option<Vec<DaySpan>> {
        let other = || OTHER_MONTHS.value(self.pieces.get(at)?.surface)?.parse().ok();
        let month = parse_month(self.word(at)).or_else(other)?;
        Some(spans_of(PartialDate { year: self.year(at + 1), month: Some(month), day: None }, base))
    }

    /// `last Friday`, `next month`, `this summer`, `next week Tuesday`, `next month on the 5th`.
    fn directed(&self, base: Date) -> DateRead {
        let direction = match self.word(0) {
            "last" | "past" => -1,
            "this" => 0,
            "next" | "coming" | "upcoming" => 1,
            _ => return None,
        };
        let word = self.word(1);
        let week = DaySpan::week(base)?;
        if let Some(weekday) = parse_weekday(word).filter(|_| !word.ends_with("days")) {
            let days = weekdays(base, weekday.to_monday_zero_offset());
            let mut meant = in_direction(&days, base, week, direction);
            if direction == 0 {
                meant.extend(days.iter().find(|day| day.first > base));
            }
            return Some((Said::Spans(meant), self.after_part_of_day(2)));
        }
        if word == "weekend" {
            let weekends: Vec<DaySpan> = weekdays(base, 5)
                .iter()
                .filter_map(|day| Some(DaySpan { last: moved(day.first, 1.days())?, ..*day }))
                .collect();
            return Some((Said::Spans(in_direction(&weekends, base, week, direction)), 2));
        }
        if let Some(found) = self.of_the_year(base, word, direction) {
            return Some((Said::Spans(found), 2));
        }
        let unit = unit(word)?;
        let spans = distant(base, unit, direction)?;
        let skip = 2 + usize::from(self.word(2) == "on");
        let skip = skip + usize::from(self.word(skip) == "the");
        let whole = *spans.last()?;
        match (unit, self.day(skip), parse_weekday(self.word(skip))) {
            (Unit::Month, Some((day, length)), _) if length == 2 => {
                let day = Date::new(whole.first.year(), whole.first.month(), day).ok()?;
                Some((Said::Spans(vec![DaySpan::day(day)]), skip + length))
            }
            (Unit::Week, _, Some(weekday)) => {
                let day = moved(whole.first, i64::from(weekday.to_monday_zero_offset()).days())?;
                Some((Said::Spans(vec![DaySpan::day(day)]), skip + 1))
            }
            _ => Some((Said::Spans(vec![whole]), 2)),
        }
    }

    /// A season or a month in a direction.
    fn of_the_year(&self, base: Date, word: &str, direction: i64) -> Option<Vec<DaySpan>> {
        let spans = (base.year() - 3..=base.year() + 3).map(|year| span_of_year(word, year));
        let spans: Vec<DaySpan> = spans.collect::<Option<_>>()?;
        Some(in_direction(&spans, base, DaySpan::year(base), direction))
    }

    /// `week after next`, `year before last`.
    fn second_next(&self, base: Date) -> DateRead {
        let count = match (self.word(1), self.word(2)) {
            ("after", "next") => 2,
            ("before", "last") => -2,
            _ => return None,
        };
        let spans = distant(base, unit(self.word(0))?, count)?;
        Some((Said::Spans(spans.last().copied().into_iter().collect()), 3))
    }

    /// `Friday`, `Friday next week`; not `every Friday`.
    fn weekday(&self, base: Date) -> DateRead {
        let word = self.word(0);
        let is_recurring = word.ends_with("days") || matches!(self.before, "every" | "each" | "any");
        let weekday = parse_weekday(word).filter(|_| !is_recurring)?.to_monday_zero_offset();
        let weeks = match (self.word(1), self.word(2)) {
            ("last", "week") => Some(-1),
            ("this", "week") => Some(0),
            ("next", "week") => Some(1),
            _ => None,
        };
        if let Some(weeks) = weeks {
            let week = *distant(base, Unit::Week, weeks)?.last()?;
            let day = moved(week.first, i64::from(weekday).days())?;
            return Some((Said::Spans(vec![DaySpan::day(day)]), 3));
        }
        let days = weekdays(base, weekday);
        let past = days.iter().rfind(|day| day.first < base);
        let next = days.iter().find(|day| day.first > base);
        let today = days.iter().find(|day| day.first == base);
        let meant = past.into_iter().chain(today).chain(next).copied().collect();
        Some((Said::Spans(meant), self.after_part_of_day(1)))
    }

    /// `the 16th`, `the 5th of next month`.
    fn day_alone(&self, base: Date) -> DateRead {
        let (day, length) = self.day(0).filter(|(_, length)| *length == 2)?;
        let skip = length + usize::from(self.word(length) == "of");
        let months = match (self.word(skip), self.word(skip + 1)) {
            ("last", "month") => Some(-1),
            ("this", "month") => Some(0),
            ("next", "month") => Some(1),
            _ => None,
        };
        let Some(months) = months else {
            return Some((Said::Written(PartialDate { year: None, month: None, day: Some(day) }), length));
        };
        let month = moved(base.first_of_month(), months.months())?;
        let day = Date::new(month.year(), month.month(), day).ok()?;
        Some((Said::Spans(vec![DaySpan::day(day)]), skip + 2))
    }
}

/// A season or a month of a year.
fn span_of_year(word: &str, year: i16) -> Option<DaySpan> {
    let (first, months) = match SEASONS.iter().find(|(name, _)| *name == word) {
        Some((_, month)) => (*month, 3),
        None => (parse_month(word)?, 1),
    };
    let first = Date::new(year, first, 1).ok()?;
    Some(DaySpan { first, last: moved(first, (months - 1).months())?.last_of_month() })
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word.strip_suffix('s').unwrap_or(word) {
        "day" => Unit::Day,
        "week" => Unit::Week,
        "month" => Unit::Month,
        "quarter" => Unit::Quarter,
        "year" => Unit::Year,
        _ => return None,
    })
}
