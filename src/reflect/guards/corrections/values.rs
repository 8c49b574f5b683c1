//! Finds values in a text that a speaker may replace by another: numbers, weekdays, months and names.
//!
//! Never compares what two values mean: that is the caller's.

use crate::text::statement::{MONTHS, NUMBER_WORDS, WEEKDAYS};
use crate::text::word_list::{WordList, word_list};
use crate::text::words::is_unspaced;
use crate::text::{stem, stopwords, word_frequency};

/// Words behind a number with which it counts something new.
const AFTER_COUNT: WordList = word_list!("guards/corrections/after_count.en.txt");
const HAN_DIGITS: &str = "一二两三四五六七八九十百千半零〇";
const HAN_DAYS: &str = "一二三四五六日天末";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextValueKind {
    Number,
    Weekday,
    Month,
    Name,
}

/// A value and where it stands, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextValue {
    pub start: usize,
    pub end: usize,
    pub kind: TextValueKind,
    /// The word or the character that a number counts.
    pub unit: String,
    /// Where the unit ends; the end of the value without one.
    pub unit_end: usize,
}

impl TextValue {
    pub fn surface<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }

    /// Whether both are written alike: in capitals, with one, in digits with a point.
    pub fn is_like(&self, text: &str, other: &TextValue, other_text: &str) -> bool {
        let shape = |word: &str| {
            let letters = word.chars().filter(|c| c.is_uppercase()).count();
            (letters.min(2), word.contains('.'), word.contains(':'))
        };
        shape(self.surface(text)) == shape(other.surface(other_text))
    }

    /// Whether one may stand in the place of another.
    pub fn may_replace(&self, other: &TextValue) -> bool {
        self.kind == other.kind && (self.unit.is_empty() || other.unit.is_empty() || self.unit == other.unit)
    }
}

/// The values of a text, in order.
pub(super) fn values(text: &str) -> Vec<TextValue> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = if c.is_alphanumeric() && !is_unspaced(c) {
            let end = word_end(text, at);
            found.extend(spaced_value(text, at, end));
            end
        } else if is_unspaced(c) {
            let value = han_value(text, at);
            let end = value.as_ref().map_or(at + c.len_utf8(), |value| value.end);
            found.extend(value);
            end
        } else {
            at + c.len_utf8()
        };
        at = end;
    }
    found
}

/// Where a word ends that starts at a place: `.`, `:`, `-` and the like belong to it between letters and digits.
pub(super) fn word_end(text: &str, start: usize) -> usize {
    let is_part = |c: char| c.is_alphanumeric() && !is_unspaced(c);
    let mut chars = text[start..].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '.' | ':' | ',' | '\'' | '’' | '-' | '_' | '/');
        let next = chars.peek().map(|(_, next)| *next);
        let is_joined = joins && next.is_some_and(|next| is_part(next) && (c != ',' || next.is_ascii_digit()));
        if !is_part(c) && !is_joined {
            return start + at;
        }
    }
    text.len()
}

fn spaced_value(text: &str, start: usize, end: usize) -> Option<TextValue> {
    let word = &text[start..end];
    let low = word.to_lowercase();
    let kind = if word.starts_with(|c: char| c.is_ascii_digit()) || NUMBER_WORDS.value(&low).is_some() && low != "one" {
        TextValueKind::Number
    } else if WEEKDAYS.value(&low).is_some() {
        TextValueKind::Weekday
    } else if MONTHS.value(&low).is_some() && (low != "may" || word != low) {
        TextValueKind::Month
    } else {
        is_name(text, start, word, &low).then_some(TextValueKind::Name)?
    };
    let next = text[end..].trim_start();
    if AFTER_COUNT.contains(&next[..word_end(next, 0)].to_lowercase()) {
        return None;
    }
    let has_unit = kind == TextValueKind::Number && !word.contains(':');
    let (unit, unit_end) = if has_unit { unit_at(text, end) } else { (String::new(), end) };
    Some(TextValue { start, end, kind, unit, unit_end })
}

/// Whether a word names something: a capital letter within a sentence, a Latin word in Chinese, a rare word.
fn is_name(text: &str, start: usize, word: &str, low: &str) -> bool {
    let before = text[..start].trim_end_matches([' ', '"', '(', '“']);
    let opens = before.is_empty() || before.ends_with(['.', '!', '?', '\n', ':']);
    let is_capital = word.contains(char::is_uppercase) && !matches!(word, "I" | "A");
    let is_rare = word.chars().count() > 2
        && word_frequency::per_mille(&stem(low)) == 0
        && word_frequency::per_mille(low) == 0
        && !stopwords::is_stopword(low);
    let beside_han = before.ends_with(is_unspaced) || text[start + word.len()..].trim_start().starts_with(is_unspaced);
    is_capital && !opens && !word.contains('\'') || (is_rare || beside_han) && !word.contains('\'')
}

/// The word or the character that a number before it counts, and where it ends.
fn unit_at(text: &str, end: usize) -> (String, usize) {
    let rest = &text[end..];
    let skip = if rest.starts_with([' ', '-']) { 1 } else { 0 };
    match rest[skip..].chars().next() {
        Some(c) if is_unspaced(c) => (c.to_string(), end + skip + c.len_utf8()),
        Some(c) if c.is_alphabetic() => {
            let unit_end = word_end(text, end + skip);
            let low = text[end + skip..unit_end].to_lowercase();
            if stopwords::is_stopword(&low) || skip == 0 {
                (String::new(), end)
            } else {
                (stem(&low).into_owned(), unit_end)
            }
        }
        Some('%') => ("%".to_owned(), end + skip + 1),
        _ => (String::new(), end),
    }
}

/// A Chinese number or weekday at a place.
fn han_value(text: &str, start: usize) -> Option<TextValue> {
    let rest = &text[start..];
    let day = ["周", "星期", "礼拜"].iter().find_map(|lead| {
        let day = rest.strip_prefix(lead)?.chars().next().filter(|day| HAN_DAYS.contains(*day))?;
        Some(start + lead.len() + day.len_utf8())
    });
    if let Some(end) = day {
        return Some(TextValue { start, end, kind: TextValueKind::Weekday, unit: String::new(), unit_end: end });
    }
    let length = rest.chars().take_while(|c| HAN_DIGITS.contains(*c)).map(char::len_utf8).sum::<usize>();
    let (end, digits) = (start + length, &rest[..length]);
    // 一下, 一直, 十分: a single 一 or 十 before no unit counts nothing.
    if digits.is_empty()
        || matches!(digits, "一" | "百" | "千" | "半")
        || rest[length..].starts_with(['分', '万']) && digits == "十"
    {
        return None;
    }
    let (unit, unit_end) = unit_at(text, end);
    Some(TextValue { start, end, kind: TextValueKind::Number, unit, unit_end })
}
