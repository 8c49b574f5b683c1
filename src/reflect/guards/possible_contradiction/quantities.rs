//! The quantities of a statement in one notation, so that "9 am" and 9:00, 九点半 and 9:30, an hour and 60 minutes are
//! the same: times, dates, durations, frequencies and numbers.
//!
//! Never decides what a quantity is of; `topics` compares only those of one attribute.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::OnceLock;

use crate::text::phrase::has_unspaced_script;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, phrase_list};

const FREQUENCIES: PhraseList = phrase_list!("guards/contradiction/frequencies.txt");

/// What a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum QuantityKind {
    /// Minutes after midnight.
    Time,
    /// 1 to 7.
    Weekday,
    /// 100 for each month, and the day of it, if that is known.
    Day,
    Year,
    /// Seconds.
    Duration,
    /// Times in a year.
    Frequency,
    /// Any other number.
    Number,
}

/// The quantities of a statement by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Quantities(BTreeMap<QuantityKind, BTreeSet<u64>>);

/// So much is added for a month.
const MONTH: u64 = 100;

/// How the quantities of two statements compare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct QuantityComparison {
    /// The kinds of which both have some, and none in common.
    pub(super) differing: Vec<QuantityKind>,
    /// The kinds of which both have one in common.
    pub(super) shared: usize,
}

impl Quantities {
    pub(super) fn of(text: &str) -> Quantities {
        let mut found = Quantities::default();
        let rest = found.take_frequencies(text);
        if has_unspaced_script(text) {
            found.read_han(&rest);
        } else {
            found.read_english(&rest);
        }
        found.join_days();
        found
    }

    /// Makes one day of a month and a number.
    fn join_days(&mut self) {
        let Some(all) = self.0.get_mut(&QuantityKind::Day) else { return };
        let (months, days): (Vec<u64>, Vec<u64>) = all.iter().partition(|value| **value >= MONTH);
        if let [month] = months[..] {
            *all = if days.is_empty() { [month].into() } else { days.into_iter().map(|day| month + day).collect() };
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, kind: QuantityKind) -> bool {
        self.0.contains_key(&kind)
    }

    pub(super) fn compare(&self, other: &Quantities) -> QuantityComparison {
        let mut result = QuantityComparison::default();
        for (kind, values) in &self.0 {
            if let Some(others) = other.0.get(kind) {
                let is_month = |all: &BTreeSet<u64>| *kind == QuantityKind::Day && all.iter().any(|v| v % MONTH == 0);
                let coarse = |all: &BTreeSet<u64>| all.iter().map(|value| value / MONTH).collect::<BTreeSet<u64>>();
                let is_apart = if is_month(values) || is_month(others) {
                    coarse(values).is_disjoint(&coarse(others))
                } else {
                    values.is_disjoint(others)
                };
                if is_apart { result.differing.push(*kind) } else { result.shared += 1 }
            }
        }
        // A weekday and how often exclude each other: every Friday, twice a year.
        let one_has = |kind| self.0.contains_key(&kind) != other.0.contains_key(&kind);
        if result.differing.is_empty() && one_has(QuantityKind::Frequency) && one_has(QuantityKind::Weekday) {
            let has_rare =
                |all: &Quantities| all.0.get(&QuantityKind::Frequency).is_some_and(|values| !values.contains(&52));
            if has_rare(self) || has_rare(other) {
                result.differing.push(QuantityKind::Frequency);
            }
        }
        result
    }

    fn add(&mut self, kind: QuantityKind, value: u64) {
        self.0.entry(kind).or_default().insert(value);
    }

    /// The text without its words for how often.
    fn take_frequencies(&mut self, text: &str) -> String {
        let is_han = has_unspaced_script(text);
        let mut rest = if is_han { text.to_owned() } else { spaced_words_with_colons(text) };
        for line in FREQUENCIES.iter() {
            let Some((times, phrases)) = line.split_once(' ') else { continue };
            for phrase in phrases.split('|') {
                let wanted = if is_han { phrase.to_owned() } else { format!(" {phrase} ") };
                // 每周五 names a day.
                if rest.contains(&wanted) {
                    self.add(QuantityKind::Frequency, times.parse().unwrap_or_default());
                    rest = rest.replace(&wanted, " ");
                }
            }
        }
        rest
    }

    fn read_english(&mut self, text: &str) {
        let spoken = [
            (" half past ", 30),
            (" quarter past ", 15),
            (" quarter to ", -15),
            (" five to ", -5),
            (" ten to ", -10),
            (" ten past ", 10),
            (" twenty past ", 20),
        ];
        let mut text = text.to_owned();
        for (phrase, minutes) in spoken {
            if let Some(at) = text.find(phrase) {
                let after = Statement::of(&text[at + phrase.len()..]).tokens.first().and_then(|t| t.key.parse().ok());
                if let Some(hour) = after.filter(|hour: &i64| (1..=24).contains(hour)) {
                    let is_late = is_after_noon(&text[at..]);
                    let hour = if is_late && hour < 12 { hour + 12 } else { hour };
                    self.add(QuantityKind::Time, (hour * 60 + minutes).unsigned_abs());
                    let next = text[at + phrase.len()..].find(' ').map_or(text.len(), |n| at + phrase.len() + n);
                    text.replace_range(at..next, " ");
                }
            }
        }
        for (word, minutes) in [(" noon ", 720), (" midnight ", 1440), (" midday ", 720)] {
            if text.contains(word) {
                self.add(QuantityKind::Time, minutes);
            }
        }
        for (word, number) in [(" dozen ", 12), (" once ", 1), (" twice ", 2), (" half ", 0), (" single ", 1)] {
            if text.contains(word) && number > 0 {
                self.add(QuantityKind::Number, number);
            }
        }
        let statement = Statement::of(text.trim());
        let tokens: Vec<&StatementToken<'_>> = statement.tokens.iter().collect();
        for (i, token) in tokens.iter().enumerate() {
            let word = |n: usize| tokens.get(n).map_or("", |t| t.surface);
            match token.kind {
                TokenKind::Date => self.add_date(&token.key),
                TokenKind::Number => self.add_number(token, i.checked_sub(1).map_or("", word), word(i + 1), &text),
                TokenKind::Name | TokenKind::Word => self.add_attached(token.surface, &text),
                TokenKind::Filler | TokenKind::Negation => {}
            }
        }
    }

    fn add_date(&mut self, key: &str) {
        match key.split_once('-') {
            Some(("weekday", day)) => self.add(QuantityKind::Weekday, day.parse().unwrap_or_default()),
            Some(("month", month)) => self.add(QuantityKind::Day, MONTH * month.parse::<u64>().unwrap_or_default()),
            _ => match key.parse() {
                Ok(year) if year >= 1000 => self.add(QuantityKind::Year, year),
                Ok(day) => self.add(QuantityKind::Day, day),
                Err(_) => {}
            },
        }
    }

    /// A number between two words: at 9, 9 am, 30 days, 940 euros.
    fn add_number(&mut self, token: &StatementToken<'_>, before: &str, after: &str, text: &str) {
        let key = token.key.replace('%', "");
        let (before, after) = (before.to_lowercase(), after.to_lowercase());
        if let Some((hour, minute)) = key.split_once(':') {
            if let (Ok(hour), Ok(minute)) = (hour.parse::<u64>(), minute.parse::<u64>()) {
                self.add(QuantityKind::Time, clock(hour, &after, text) * 60 + minute);
            }
            return;
        }
        let Ok(number) = key.parse::<f64>() else { return };
        let whole = number as u64;
        let is_clock = matches!(after.as_str(), "am" | "pm" | "o'clock" | "oclock");
        let is_at = matches!(before.as_str(), "at" | "until" | "till" | "by" | "before" | "after" | "around" | "from")
            && number <= 24.0
            && seconds(&after).is_none()
            && !after.starts_with(|c: char| c.is_ascii_digit());
        if is_clock || is_at && before != "from" {
            self.add(QuantityKind::Time, clock(whole, &after, text) * 60);
        } else if let Some(unit) = seconds(&after) {
            self.add(QuantityKind::Duration, (number * unit) as u64);
        } else if MONTH_NAMES.iter().any(|month| before.starts_with(month) || after.starts_with(month)) {
            self.add(QuantityKind::Day, whole);
        } else {
            self.add(QuantityKind::Number, (number * 100.0) as u64);
        }
    }

    /// A number with its unit attached: 9am, 30s, 5pm.
    fn add_attached(&mut self, surface: &str, text: &str) {
        let low = surface.to_lowercase();
        let digits = low.bytes().take_while(u8::is_ascii_digit).count();
        let (Ok(number), unit) = (low[..digits].parse::<u64>(), &low[digits..]) else { return };
        match unit {
            "am" | "pm" => self.add(QuantityKind::Time, clock(number, unit, text) * 60),
            _ => match seconds(unit) {
                Some(length) => self.add(QuantityKind::Duration, (number as f64 * length) as u64),
                None => self.add(QuantityKind::Number, number * 100),
            },
        }
    }

    fn read_han(&mut self, text: &str) {
        let chars: Vec<char> = text.chars().collect();
        let mut i = 0;
        while i < chars.len() {
            let before = i.checked_sub(1).map_or(' ', |p| chars[p]);
            if matches!(before, '周' | '期' | '拜') && i > 0 {
                if let Some(day) = "一二三四五六日".chars().position(|c| c == chars[i]) {
                    self.add(QuantityKind::Weekday, day as u64 + 1);
                    i += 1;
                    continue;
                }
                if chars[i] == '天' {
                    self.add(QuantityKind::Weekday, 7);
                }
            }
            let Some((number, length)) = han_number(&chars[i..]) else {
                i += 1;
                continue;
            };
            // A digit in a Latin name is no number: Python3, v2.
            if before.is_ascii_alphabetic() {
                i += length;
                continue;
            }
            let rest: String = chars[i + length..].iter().take(4).collect();
            i += length + self.add_han(number, rest.trim_start(), text, &chars, i + length);
        }
    }

    /// Adds a number by its unit; returns how many characters after it belong to it.
    fn add_han(&mut self, number: f64, rest: &str, text: &str, chars: &[char], at: usize) -> usize {
        let is = |units: &[&str]| units.iter().any(|unit| rest.starts_with(unit));
        if let Some(minutes) =
            rest.strip_prefix([':', '：']).and_then(|m| m.get(..2)).and_then(|m| m.parse::<u64>().ok())
        {
            self.add(QuantityKind::Time, han_clock(number as u64, text) * 60 + minutes);
            return 3;
        }
        if is(&["点", "时"]) && number <= 24.0 {
            let after: String = chars[(at + 1).min(chars.len())..].iter().collect();
            let after = after.trim_start_matches('钟');
            let quarter =
                [("半", 30), ("一刻", 15), ("三刻", 45)].into_iter().find(|(word, _)| after.starts_with(word));
            let rest: Vec<char> = after.chars().collect();
            let minutes = quarter.map(|(_, minutes)| minutes).or_else(|| han_number(&rest).map(|(n, _)| n as u64));
            self.add(
                QuantityKind::Time,
                han_clock(number as u64, text) * 60 + minutes.filter(|m| *m < 60).unwrap_or(0),
            );
            return 1
                + quarter.map_or(0, |(word, _)| word.chars().count())
                + usize::from(minutes.is_some() && quarter.is_none());
        }
        if is(&["月"]) {
            self.add(QuantityKind::Day, MONTH * number as u64);
        } else if is(&["号"]) && number > 31.0 {
            // 1043号发票 tells which one.
        } else if is(&["日", "号"]) {
            self.add(QuantityKind::Day, number as u64);
        } else if is(&["年"]) && number >= 1000.0 {
            self.add(QuantityKind::Year, number as u64);
        } else if let Some((_, unit)) = HAN_SECONDS.iter().find(|(unit, _)| rest.starts_with(unit)) {
            self.add(QuantityKind::Duration, (number * unit) as u64);
        } else {
            self.add(QuantityKind::Number, (number * 100.0) as u64);
        }
        0
    }
}

/// The words of a text between single spaces, with colons and points within numbers.
fn spaced_words_with_colons(text: &str) -> String {
    let plain: String =
        text.chars().map(|c| if c.is_alphanumeric() || ":.'-,/%".contains(c) { c } else { ' ' }).collect();
    let words = plain.split(' ').map(|w| w.trim_matches([':', '.', '\'', '-', ',', '/'])).filter(|w| !w.is_empty());
    let lowered = words.map(|word| {
        if word.chars().next().is_some_and(char::is_uppercase)
            && !MONTH_NAMES.iter().any(|month| word.to_lowercase().starts_with(month))
        {
            word.to_lowercase()
        } else {
            word.to_owned()
        }
    });
    format!(" {} ", lowered.collect::<Vec<_>>().join(" "))
}

const MONTH_NAMES: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The seconds of a unit of time.
fn seconds(unit: &str) -> Option<f64> {
    let one = match unit.strip_suffix('s').filter(|rest| rest.len() > 1).unwrap_or(unit) {
        "ms" | "millisecond" => 0.001,
        "s" | "sec" | "second" => 1.0,
        "min" | "minute" => 60.0,
        "h" | "hr" | "hour" => 3600.0,
        "d" | "day" => 86_400.0,
        "w" | "week" | "weekly" => 604_800.0,
        "month" => 2_592_000.0,
        "year" => 31_536_000.0,
        _ => return None,
    };
    Some(one)
}

/// The seconds of Chinese units of time, longer ones first.
const HAN_SECONDS: [(&str, f64); 14] = [
    ("毫秒", 0.001),
    ("秒", 1.0),
    ("分钟", 60.0),
    ("刻钟", 900.0),
    ("个小时", 3600.0),
    ("小时", 3600.0),
    ("天", 86_400.0),
    ("周", 604_800.0),
    ("个星期", 604_800.0),
    ("星期", 604_800.0),
    ("个礼拜", 604_800.0),
    ("礼拜", 604_800.0),
    ("个月", 2_592_000.0),
    ("年", 31_536_000.0),
];

fn is_after_noon(text: &str) -> bool {
    [" pm", " evening", " afternoon", " at night", " in the night"].iter().any(|word| text.contains(word))
}

/// The hour of the day, from 0 to 24.
fn clock(hour: u64, after: &str, text: &str) -> u64 {
    let is_late = after == "pm" || after != "am" && is_after_noon(text);
    if is_late && hour < 12 { hour + 12 } else { hour }
}

fn han_clock(hour: u64, text: &str) -> u64 {
    let is_late = ["下午", "晚上", "傍晚", "夜里", "晚"].iter().any(|word| text.contains(word));
    let is_late = is_late && !["早上", "上午", "凌晨", "清晨"].iter().any(|word| text.contains(word));
    let is_noon = text.contains("中午") && hour < 3;
    if (is_late && hour < 12 && hour > 0) || is_noon { hour + 12 } else { hour }
}

/// A number in digits or Chinese characters at the start, and how many characters it has.
fn han_number(chars: &[char]) -> Option<(f64, usize)> {
    let digits: String = chars.iter().take_while(|c| c.is_ascii_digit() || **c == '.' || **c == ',').collect();
    let digits = digits.trim_end_matches(['.', ',']);
    if !digits.is_empty() {
        let mut length = digits.chars().count();
        let mut number: f64 = digits.replace(',', "").parse().ok()?;
        while let Some(factor) = chars.get(length).and_then(|c| han_factor(*c)) {
            number *= factor;
            length += 1;
        }
        return Some((number, length));
    }
    let (mut total, mut part, mut length, mut any) = (0.0, 0.0, 0, false);
    for c in chars {
        if let Some(digit) = "零一二三四五六七八九".chars().position(|d| d == *c).or((*c == '两').then_some(2))
        {
            part = digit as f64;
        } else if let Some(factor) = han_factor(*c) {
            let before = if part == 0.0 && factor == 10.0 { 1.0 } else { part };
            if factor >= 10_000.0 {
                total = (total + part) * factor;
            } else {
                total += before * factor;
            }
            part = 0.0;
        } else {
            break;
        }
        (length, any) = (length + 1, true);
    }
    any.then_some((total + part, length))
}

fn han_factor(c: char) -> Option<f64> {
    Some(match c {
        '十' => 10.0,
        '百' => 100.0,
        '千' => 1000.0,
        '万' => 10_000.0,
        _ => return None,
    })
}

/// Whether a run of Chinese characters only counts: 三十, 两.
pub(super) fn is_han_count(run: &str) -> bool {
    run.chars().all(|c| "零一二三四五六七八九十两百千万半几点个只名位".contains(c))
}

/// Whether a word only counts or dates: a number word, a day, how often.
pub(super) fn is_frequency_word(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let phrases = FREQUENCIES.iter().filter_map(|line| line.split_once(' ')).flat_map(|(_, rest)| rest.split('|'));
        phrases.flat_map(|phrase| phrase.split(' ')).collect()
    });
    words.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_quantity_has_one_notation() {
        for (a, b) in [
            ("The shop opens at 9 am", "The shop opens at 9:00"),
            ("Sessions last an hour, 60 minutes", "Sessions last 1 hour"),
            ("Is up at half past six", "Gets up at 6:30"),
            ("The call is at 3 pm", "The call is at 15:00"),
            ("Releases fortnightly", "Releases every two weeks"),
            ("商店九点半开门", "商店9:30开门"),
            ("晚上八点打烊", "20:00打烊"),
            ("会话六十分钟后过期", "会话1小时后过期"),
            ("有十二名员工", "有12个人"),
        ] {
            let compared = Quantities::of(a).compare(&Quantities::of(b));
            assert!(compared.shared > 0 && compared.differing.is_empty(), "{a} / {b}: {compared:?}");
        }
        for (a, b) in [
            ("Deploys on Fridays", "Deploys on Tuesdays"),
            ("Goes to bed at ten", "Goes to bed at midnight"),
            ("Releases weekly", "Releases every other month"),
            ("晚上十点睡", "半夜十二点睡"),
            ("每周五部署", "每周二部署"),
            ("有三个孩子", "有两个孩子"),
        ] {
            let compared = Quantities::of(a).compare(&Quantities::of(b));
            assert!(!compared.differing.is_empty(), "{a} / {b}: {compared:?}");
        }
    }
}
