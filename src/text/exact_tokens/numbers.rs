//! Reads numbers with what is bound to them: a currency, a unit, a half of a day, a sign, a bound.

use std::ops::Range;

use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

const UNITS: PhraseList = phrase_list!("exact_tokens/units.txt");
const CURRENCIES: PhraseList = phrase_list!("exact_tokens/currencies.txt");
const COMPARISONS: PhraseList = phrase_list!("exact_tokens/comparisons.txt");
const SIGNS: PhraseList = phrase_list!("exact_tokens/signs.txt");
/// Words for the two halves of a day.
const MORNING: [&str; 10] =
    ["morning", "breakfast", "dawn", "sunrise", "a.m", "早", "上午", "凌晨", "清晨", "midnight"];
const EVENING: [&str; 14] = [
    "evening",
    "afternoon",
    "tonight",
    "night",
    "dinner",
    "supper",
    "noon",
    "lunch",
    "p.m",
    "下午",
    "晚",
    "傍晚",
    "中午",
    "夜",
];

/// A number in digits with a currency beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrencyAmount {
    /// The bytes of the number and its currency.
    pub range: Range<usize>,
    /// Without group separators: `1250`.
    pub value: String,
    /// The first line of the list of currencies that has the spelling: a plain `$` is the dollar of the United States.
    pub currency: &'static str,
}

/// The amounts of money in a text: $900, 900 USD, 1250美元.
pub fn currency_amounts(text: &str) -> Vec<CurrencyAmount> {
    let amount = |number: BoundNumber<'_>| {
        let spelling = number.currency?;
        let at = (spelling.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        let range = number.digits.start.min(at)..number.digits.end.max(at + spelling.len());
        Some(CurrencyAmount { range, value: number.value, currency: lines_of(CURRENCIES, spelling).first()? })
    };
    bound_numbers(text).into_iter().filter_map(amount).collect()
}

/// A number in digits with what stands beside it.
#[derive(Debug)]
pub(super) struct BoundNumber<'a> {
    /// The bytes of the digits.
    digits: Range<usize>,
    /// Without sign and group separators: `900`, `9:30`.
    value: String,
    sign: Option<char>,
    currency: Option<&'a str>,
    unit: Option<&'a str>,
    /// `am` or `pm`.
    half: Option<&'static str>,
    /// `<`, `<=`, `>`, `>=`.
    bound: Option<&'static str>,
    /// Whether the bound is written as a sign.
    has_bound_sign: bool,
}

/// The numbers of a text.
pub(super) fn bound_numbers(text: &str) -> Vec<BoundNumber<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
        while is_digit(at) || matches!(bytes.get(at), Some(b'.' | b',' | b':')) && is_digit(at + 1) {
            at += 1;
        }
        // What stands within a name or a version is no number: H2O, v1.
        if start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'_') {
            continue;
        }
        found.push(read_number(text, start, at));
    }
    found
}

fn read_number(text: &str, start: usize, end: usize) -> BoundNumber<'_> {
    let value = text[start..end].replace(',', "");
    let value = value.strip_suffix(":00").unwrap_or(&value);
    let value = value.strip_suffix(".0").or(value.strip_suffix(".00")).unwrap_or(value);
    let value = value.strip_prefix('0').filter(|v| v.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(value);
    let (mut sign, mut currency, mut bound) = (None, None, None);
    let mut before = &text[..start];
    for _ in 0..3 {
        let trimmed = before.strip_suffix(' ').unwrap_or(before);
        if let Some(rest) = before.strip_suffix(['-', '−', '+'])
            && sign.is_none()
            && is_sign_place(rest, &text[end..])
        {
            sign = Some(if before.ends_with('+') { '+' } else { '-' });
            before = rest;
        } else if let Some(symbol) = ends_with_currency(trimmed).filter(|_| currency.is_none()) {
            currency = Some(symbol);
            before = &trimmed[..trimmed.len() - symbol.len()];
        } else if let Some((rest, found)) = ends_with_bound(trimmed) {
            bound = Some(found);
            before = rest;
            break;
        } else {
            break;
        }
    }
    let has_bound_sign = bound.is_some();
    let after = &text[end..];
    let unit_of = |list: PhraseList| starts_with_unit(after, list);
    currency = currency.or_else(|| unit_of(CURRENCIES));
    let unit = if currency.is_some() { None } else { unit_of(UNITS) };
    let rest = unit
        .or(currency.filter(|c| after.trim_start().starts_with(c)))
        .map_or(after, |unit| after.trim_start().get(unit.len()..).unwrap_or_default());
    BoundNumber {
        digits: start..end,
        value: value.to_owned(),
        sign,
        currency,
        unit,
        half: half_after(after),
        bound: bound.or_else(|| bound_in_words(before, rest)),
        has_bound_sign,
    }
}

/// Whether a sign between these two texts belongs to the number: not in "3-5", "5 - 3", "v-2", "+49 170 1234".
fn is_sign_place(before: &str, after: &str) -> bool {
    let zone = ["UTC", "GMT"].iter().any(|zone| before.ends_with(zone));
    let is_free = before.is_empty()
        || before.ends_with(|c: char| c.is_whitespace() || "([:=~<>≥≤$€£¥".contains(c) || !c.is_ascii());
    let is_range = before.trim_end().ends_with(|c: char| c.is_ascii_digit());
    let is_phone = after.strip_prefix(' ').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    zone || is_free && !is_range && !is_phone
}

fn ends_with_currency(before: &str) -> Option<&str> {
    let last = before.rsplit(|c: char| c.is_whitespace() || c == '(' || c == ':').next()?;
    let is_known = |word: &str| CURRENCIES.iter().any(|line| line.split('|').any(|one| one == word));
    let is_code = |word: &&str| word.len() >= 2 && word.starts_with(|c: char| c.is_ascii_uppercase()) && is_known(word);
    let symbol = || {
        let c = before.chars().next_back()?;
        let start = before.len() - c.len_utf8();
        "$€£¥￥₹₽₩₺₴₿".contains(c).then(|| &before[start..])
    };
    Some(last).filter(is_code).or_else(symbol)
}

fn ends_with_bound(before: &str) -> Option<(&str, &'static str)> {
    let all = [
        ("<=", "<="),
        ("=<", "<="),
        (">=", ">="),
        ("≤", "<="),
        ("≥", ">="),
        ("＜", "<"),
        ("＞", ">"),
        ("<", "<"),
        (">", ">"),
    ];
    let (sign, bound) = all.iter().find(|(sign, _)| before.ends_with(sign))?;
    let rest = &before[..before.len() - sign.len()];
    // Arrows, tags, and the mark of a quoted line.
    let is_other = rest.ends_with(['-', '=', '<', '>']) || rest.is_empty() && *sign == ">";
    (!is_other).then_some((rest, *bound))
}

fn bound_in_words(before: &str, after: &str) -> Option<&'static str> {
    let tail = before.trim_end().to_lowercase();
    let head = after.trim_start().to_lowercase();
    let is_end = |rest: &str, word: &str| !word.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let ends = |word: &str| {
        tail.strip_suffix(word)
            .is_some_and(|rest| !word.is_ascii() || !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let mut best: Option<(usize, &'static str)> = None;
    for line in COMPARISONS {
        let Some((sign, phrases)) = line.split_once(' ') else { continue };
        let (first, last) = phrases.split_once(" /").unwrap_or((phrases, ""));
        let before = first.split('|').filter(|word| !word.is_empty() && ends(word));
        let after = last
            .trim()
            .split('|')
            .filter(|word| !word.is_empty() && head.strip_prefix(*word).is_some_and(|rest| is_end(rest, word)));
        // "not more than" and "more than": the longer one counts.
        for word in before.chain(after) {
            if best.is_none_or(|(length, _)| word.len() > length) {
                best = Some((word.len(), sign));
            }
        }
    }
    best.map(|(_, sign)| sign)
}

/// The longest entry of a list with which a text starts, after at most one space.
fn starts_with_unit(after: &str, list: PhraseList) -> Option<&str> {
    let text = after.strip_prefix([' ', '\u{a0}', '\u{202f}', '-']).unwrap_or(after);
    let first = text.chars().next()?;
    if first.is_ascii_whitespace() || "/,;:.!?()".contains(first) {
        return None;
    }
    let mut longest: Option<&str> = None;
    for spelling in list.spellings_like(text) {
        let Some(head) = text.get(..spelling.len()) else { continue };
        let is_same = head == spelling || spelling.len() > 1 && head.eq_ignore_ascii_case(spelling);
        let ends = !spelling.ends_with(|c: char| c.is_ascii_alphabetic())
            || !text[spelling.len()..]
                .starts_with(|c: char| c.is_alphanumeric() && c.is_ascii() || matches!(c, '²' | '³' | '+' | '#'));
        // "5 m/s" is no length.
        let is_part = text[spelling.len()..].starts_with('/')
            && list.spellings_like(text).any(|one| {
                one.len() > spelling.len() && text.get(..one.len()).is_some_and(|head| head.eq_ignore_ascii_case(one))
            });
        if is_same && ends && !is_part && longest.is_none_or(|l| spelling.len() > l.len()) {
            longest = Some(head);
        }
    }
    longest
}

fn half_after(after: &str) -> Option<&'static str> {
    let low =
        after.trim_start_matches([' ', '\u{a0}']).get(..5).map_or_else(|| after.trim_start(), |_| after.trim_start());
    let low: String = low.chars().take(5).collect::<String>().to_lowercase();
    [("am", "am"), ("a.m.", "am"), ("a.m", "am"), ("pm", "pm"), ("p.m.", "pm"), ("p.m", "pm")].iter().find_map(
        |(text, half)| {
            low.strip_prefix(text).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric())).then_some(*half)
        },
    )
}

/// The lines of a list that have a spelling; in another case those that have it in any case.
fn lines_of(list: PhraseList, spelling: &str) -> Vec<&'static str> {
    let exact: Vec<&str> = list.iter().filter(|line| line.split('|').any(|one| one == spelling)).collect();
    if !exact.is_empty() {
        exact
    } else {
        list.iter().filter(|line| line.split('|').any(|one| one.eq_ignore_ascii_case(spelling))).collect()
    }
}

/// Whether a text has a spelling of one of some lines, as a whole word or right behind a digit.
fn has_spelling(text: &str, lines: &[&str]) -> bool {
    let is_in = |one: &str| {
        text.match_indices(one).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + one.len()..]);
            let is_word = one.starts_with(|c: char| c.is_ascii_alphabetic());
            // A single letter is a unit behind a number only.
            let is_free = match one.len() {
                1 if is_word => before.trim_end().ends_with(|c: char| c.is_ascii_digit()),
                _ => !is_word || !before.ends_with(|c: char| c.is_alphabetic()),
            };
            is_free && (!is_word || !after.starts_with(|c: char| c.is_ascii_alphanumeric()))
        })
    };
    let low = text.to_lowercase();
    lines
        .iter()
        .flat_map(|line| line.split('|'))
        .any(|one| is_in(one) || one.len() > 3 && low.contains(&one.to_lowercase()))
}

impl BoundNumber<'_> {
    /// What is bound to this number and to none of these with the same value, nor, if nothing of the kind is bound to
    /// those, stands anywhere in the sources.
    pub(super) fn missing_parts(&self, text: &str, known: &[BoundNumber<'_>], sources: &[&str]) -> Vec<String> {
        let same: Vec<&BoundNumber<'_>> = known.iter().filter(|k| k.value == self.value).collect();
        let mut missing = Vec::new();
        let measure = self.currency.map(|c| (CURRENCIES, c)).or(self.unit.map(|u| (UNITS, u)));
        if let Some((list, spelling)) = measure
            && !has_measure(list, spelling, &same, sources)
        {
            missing.push(spelling.to_owned());
        }
        if let Some(half) = self.half
            && !self.has_half(half, &same, known, sources)
        {
            missing.push(half.to_owned());
        }
        missing.extend(self.missing_sign(text, &same, sources));
        missing.extend(self.missing_bound(&same));
        missing
    }

    fn has_half(&self, half: &str, same: &[&BoundNumber<'_>], known: &[BoundNumber<'_>], sources: &[&str]) -> bool {
        if same.iter().any(|k| k.half.is_some()) {
            return same.iter().any(|k| k.half == Some(half));
        }
        let low = sources.join(" ").to_lowercase();
        // 06:45 is no evening, whatever else the sources name.
        if half == "pm" && low.contains(&format!("0{}", self.value)) {
            return false;
        }
        let words: &[&str] = if half == "am" { &MORNING } else { &EVENING };
        let (hour, rest) = self.value.split_once(':').map_or((self.value.as_str(), ""), |(hour, rest)| (hour, rest));
        let later = hour.parse::<u32>().map(|h| if h == 12 { 12 } else { h + 12 }).unwrap_or(99);
        let is_24 = |k: &BoundNumber<'_>| {
            let (h, m) = k.value.split_once(':').map_or((k.value.as_str(), ""), |(h, m)| (h, m));
            h.parse() == Ok(later) && m == rest
        };
        words.iter().any(|word| low.contains(word))
            || half == "pm" && known.iter().any(is_24)
            || known.iter().any(|k| k.half == Some(half)) && !known.iter().any(|k| k.half.is_some_and(|h| h != half))
    }

    fn missing_sign(&self, text: &str, same: &[&BoundNumber<'_>], sources: &[&str]) -> Option<String> {
        let says = |sources: &[&str], sign: char| {
            let low = sources.join(" ").to_lowercase();
            let line = SIGNS.iter().find_map(|line| line.strip_prefix(sign)).unwrap_or_default().trim();
            line.split('|').any(|word| {
                if word.is_ascii() {
                    low.split(|c: char| !c.is_alphanumeric()).any(|w| w == word)
                } else {
                    low.contains(word)
                }
            })
        };
        match self.sign {
            Some(sign) if same.iter().any(|k| k.sign == Some(sign)) => None,
            Some(sign) => {
                let is_other = same.iter().any(|k| k.sign.is_some());
                (is_other || !says(sources, sign)).then(|| format!("{sign}{}", self.value))
            }
            None => {
                let is_negative = !same.is_empty() && same.iter().all(|k| k.sign == Some('-'));
                (is_negative && !says(&[text], '-')).then(|| format!("-{}", self.value))
            }
        }
    }

    fn missing_bound(&self, same: &[&BoundNumber<'_>]) -> Option<String> {
        if same.iter().any(|k| k.bound == self.bound) {
            return None;
        }
        // "At least" and "at most" are alternatives to each other wherever they stand.
        let is_opposite = |bound: &str| {
            let other = if bound == "<" { ">" } else { "<" };
            matches!(bound, "<" | ">") && same.iter().any(|k| k.bound == Some(other))
        };
        match self.bound {
            Some(bound) if self.has_bound_sign || is_opposite(bound) => Some(bound.to_owned()),
            _ => same.iter().find(|k| k.has_bound_sign).and_then(|k| k.bound).map(str::to_owned),
        }
    }
}

/// Whether a unit or currency stands in the sources: at one of the numbers with the same value, if any of these has
/// one.
fn has_measure(list: PhraseList, spelling: &str, same: &[&BoundNumber<'_>], sources: &[&str]) -> bool {
    let lines = lines_of(list, spelling);
    // A pound is a weight or a currency.
    let other = |k: &BoundNumber<'_>| k.currency.or(k.unit).map(str::to_owned);
    let bound: Vec<String> = same.iter().filter_map(|k| other(k)).collect();
    if !bound.is_empty() {
        let theirs = bound.iter().flat_map(|one| lines_of(list, one));
        return theirs.into_iter().any(|line| lines.contains(&line));
    }
    // 340 is said for 340元.
    !spelling.is_ascii() && spelling.chars().all(is_unspaced) && !same.is_empty()
        || sources.iter().any(|source| has_spelling(source, &lines))
}
