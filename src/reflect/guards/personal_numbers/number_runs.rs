//! Cuts numbers out of a sentence: groups of digits with single separators between them.
//!
//! Never joins a number with the letters, signs and longer names beside it: `a1b2`, `#12`, `v1.2-3` are not numbers.

use std::ops::RangeInclusive;

use super::is_chinese_resident;

/// A number as it is written.
pub(super) struct NumberRun<'a> {
    pub has_plus: bool,
    pub groups: Vec<&'a str>,
    separators: String,
    pub before: &'a str,
    pub after: &'a str,
}

impl NumberRun<'_> {
    /// All digits, without a zero that is dialled only within the country: +44 (0)20.
    pub fn digits(&self) -> String {
        let dialled = |(at, group): &(usize, &&str)| {
            !(self.has_plus && *at > 0 && **group == "0" && self.separators.contains('('))
        };
        self.groups.iter().enumerate().filter(dialled).map(|(_, group)| *group).collect()
    }

    /// Whether the number of its digits is in the range.
    pub fn counts(&self, range: RangeInclusive<usize>) -> bool {
        range.contains(&self.digits().len())
    }

    /// Whether one of these separates its groups.
    pub fn has_separator<const N: usize>(&self, any: [char; N]) -> bool {
        self.separators.contains(any)
    }

    /// Whether the run is a decimal number, such as "52.520008".
    pub fn is_decimal(&self) -> bool {
        self.groups.len() == 2 && self.separators == "."
    }

    /// A date with a year, in whatever order, alone or with a time; or a range of years.
    pub fn is_date(&self) -> bool {
        let is_year = |group: &&str| group.len() == 4 && (group.starts_with("19") || group.starts_with("20"));
        let compact = |group: &&str| {
            group.len() >= 8
                && is_year(&&group[..4])
                && group[4..6].parse().is_ok_and(|month: u8| (1..=12).contains(&month))
        };
        self.groups.iter().take(3).any(is_year) && self.groups.iter().all(|group| group.len() == 4 || group.len() <= 2)
            || self.groups.first().is_some_and(compact) && !self.has_plus && matches!(self.groups[0].len(), 8 | 12 | 14)
    }

    /// Whether it is an amount of money.
    pub fn has_currency(&self) -> bool {
        const SIGNS: [&str; 9] = ["$", "€", "£", "¥", "￥", "元", "EUR", "USD", "CNY"];
        let after = self.after.trim_start();
        SIGNS.iter().any(|sign| self.before.trim_end().ends_with(sign) || after.starts_with(sign))
    }
}

/// The numbers of a sentence.
pub(super) fn number_runs(sentence: &str) -> Vec<NumberRun<'_>> {
    let bytes = sentence.as_bytes();
    let (mut runs, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let (run, end) = run_at(sentence, at);
        runs.extend(run);
        at = end;
    }
    runs
}

/// The number whose first digit is here, unless it is a part of something else, and where to go on.
fn run_at(sentence: &str, first: usize) -> (Option<NumberRun<'_>>, usize) {
    let bytes = sentence.as_bytes();
    let mut start = first;
    while start > 0 && matches!(bytes[start - 1], b'(' | b'+') {
        start -= 1;
    }
    let has_plus = sentence[start..first].contains('+');
    let (mut groups, mut separators, mut at) = (Vec::new(), sentence[start..first].replace('+', ""), first);
    loop {
        let length = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        groups.push(&sentence[at..at + length]);
        at += length;
        match separator_length(&sentence[at..]) {
            Some(length) => {
                separators.push_str(&sentence[at..at + length]);
                at += length;
            }
            None => break,
        }
    }
    // The last digit of a resident's number may be an X.
    let ends_resident = || sentence.get(at - 17.min(at)..=at).is_some_and(is_chinese_resident);
    if matches!(bytes.get(at), Some(b'X' | b'x')) && ends_resident() {
        let last = groups.len() - 1;
        let from = at - groups[last].len();
        groups[last] = &sentence[from..=at];
        at += 1;
    }
    let joined = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '#' | '@' | '$');
    let goes_on = || {
        let mut rest = sentence[at..].chars();
        match rest.next() {
            Some(c) if c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '%') => true,
            Some('.' | ',' | ':' | '-' | '/') => rest.next().is_some_and(|c| c.is_ascii_alphanumeric()),
            _ => false,
        }
    };
    let is_part = sentence[..start].ends_with(joined) || goes_on();
    if is_part {
        let rest = sentence[at..].bytes().take_while(|b| b.is_ascii_alphanumeric()).count();
        return (None, at + rest);
    }
    (Some(NumberRun { has_plus, groups, separators, before: &sentence[..start], after: &sentence[at..] }), at)
}

/// The length of what separates two groups of one number, if a digit follows: a space, a sign, or a bracket with a
/// space.
fn separator_length(rest: &str) -> Option<usize> {
    let is_separator =
        |c: char| matches!(c, ' ' | '-' | '.' | '/' | '(' | ')' | '\u{a0}' | '\u{2010}' | '\u{2011}' | '–');
    let separator: String = rest.chars().take_while(|c| is_separator(*c)).take(3).collect();
    let has_bracket = separator.contains(['(', ')']);
    let fits = separator.chars().count() == 1 || has_bracket && separator.chars().count() <= 2;
    (fits && rest[separator.len()..].starts_with(|c: char| c.is_ascii_digit())).then_some(separator.len())
}
