//! The spellings of a word, a name or a number: `parseFile` and `parse_file`, `1,250` and `1250`, `Müller` and
//! `Mueller`.
//!
//! Never corrects: each function returns what the same thing may also be written as.

use std::borrow::Cow;

use super::word_list::{PhraseList, WordList, phrase_list, word_list};
use super::words;
use super::words::TextWord;

/// The parts of a word in camel case, and of one with letters before digits: `parseJSONFile` gives `parse`, `JSON` and
/// `File`, `OAuth2` gives `OAuth` and `2`. None if the word has one part only.
pub fn word_parts(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = if is_mixed(word) { word } else { "" };
    std::iter::from_fn(move || {
        let (part, after) = rest.split_at(first_part_length(rest));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// Whether an ASCII word has a capital after its first letter and a small letter, or a digit after a letter.
fn is_mixed(word: &str) -> bool {
    let bytes = word.as_bytes();
    word.is_ascii() && first_part_length(word) < bytes.len()
}

fn first_part_length(word: &str) -> usize {
    let bytes = word.as_bytes();
    let ends = |at: &usize| {
        let (before, here, after) = (bytes[at - 1], bytes[*at], bytes.get(at + 1));
        let starts_word = here.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_uppercase() && after.is_some_and(u8::is_ascii_lowercase));
        starts_word || before.is_ascii_digit() != here.is_ascii_digit()
    };
    // `OAuth` and `iPhone` are names, not a one-letter word before another.
    (2..bytes.len()).find(ends).unwrap_or(bytes.len())
}

/// A number with separators at the start of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeparatedNumber {
    /// Its length in bytes.
    pub length: usize,
    /// What it may mean, the most likely first: digits without separators (`1250`), or with dots (`1.3`).
    pub meanings: Vec<String>,
}

/// The number with separators that starts a text: groups of digits (`1,250`, `1.250`, `1 250`), decimals and versions
/// (`1.3`, `3,50`, `v2.14.0`). Not dates of the form `24.2.2026`.
pub fn separated_number(text: &str) -> Option<SeparatedNumber> {
    let digits_from = usize::from(text.starts_with(['v', 'V']));
    let digits = |at: usize| text.as_bytes()[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let first = digits(digits_from);
    if first == 0 {
        return None;
    }
    let mut end = digits_from + first;
    let mut groups = vec![&text[digits_from..end]];
    let mut separators: Vec<u8> = Vec::new();
    while let Some(separator @ (b'.' | b',' | b'\'' | b' ')) = text.as_bytes().get(end).copied() {
        let length = digits(end + 1);
        let group_only = matches!(separator, b' ' | b'\'');
        if length == 0
            || group_only && length != 3
            || separators.first().is_some_and(|known| group_only && *known != separator)
        {
            break;
        }
        separators.push(separator);
        groups.push(&text[end + 1..end + 1 + length]);
        end += 1 + length;
    }
    let is_date = groups.len() == 3 && groups[2].len() == 4 && separators[0] == b'.';
    let ends_inside = text.as_bytes().get(end).is_some_and(u8::is_ascii_alphanumeric);
    if groups.len() < 2 || is_date || ends_inside {
        return None;
    }
    let same = separators.iter().all(|known| *known == separators[0]);
    let is_grouped =
        digits_from == 0 && same && groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3);
    let mut meanings = Vec::new();
    if is_grouped && groups[0] != "0" {
        meanings.push(groups.concat());
    }
    if separators.iter().all(|known| matches!(known, b'.' | b',')) {
        let dotted = groups.join(".");
        let at = if separators[0] == b'.' && groups.len() == 2 { 0 } else { meanings.len() };
        meanings.insert(at, dotted);
    }
    Some(SeparatedNumber { length: end, meanings })
}

/// How a whole number may be written with separators; none for years and short numbers.
pub fn grouped_digits(number: &str) -> Vec<String> {
    let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    if !(4..=9).contains(&number.len())
        || is_year
        || !number.bytes().all(|b| b.is_ascii_digit())
        || number.starts_with('0')
    {
        return Vec::new();
    }
    let (head, tail) = number.split_at((number.len() - 1) % 3 + 1);
    let groups: Vec<&str> = std::iter::once(head).chain((0..tail.len() / 3).map(|i| &tail[3 * i..3 * i + 3])).collect();
    [",", ".", " ", "'"].map(|separator| groups.join(separator)).into()
}

/// Whether a lower-case word may be a hash, or the beginning of one.
pub fn is_hash(word: &str) -> bool {
    let is_hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    word.len() >= MIN_HASH_LETTERS
        && word.bytes().all(is_hex)
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}

/// The least number of letters that identify a hash, as git prints them.
pub const MIN_HASH_LETTERS: usize = 7;

/// The other spelling of a lower-case word by `-ise` and `-ize`: `organised` for `organized`, and the reverse.
pub fn ise_or_ize(word: &str) -> Option<String> {
    let ends = ["e", "ed", "es", "er", "ers", "ing", "ation", "ations"];
    let at = word.len() - ends.iter().filter(|end| word.ends_with(**end)).map(|end| end.len()).max()?;
    let stem = &word[..at];
    let other = match stem.strip_suffix("iz") {
        Some(stem) => format!("{stem}is"),
        None => format!("{}iz", stem.strip_suffix("is")?),
    };
    (stem.len() >= MIN_ISE_LETTERS).then(|| other + &word[at..])
}

/// With fewer letters before the ending it is no such verb: `rise`, `noise`, `size`.
const MIN_ISE_LETTERS: usize = 6;

/// The spelling of a lower-case word without umlauts as `ae`, `oe`, `ue`, or with them.
pub fn umlaut_spelling(word: &str) -> Option<Cow<'_, str>> {
    const LETTERS: [(&str, &str); 5] = [("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ø", "oe"), ("å", "aa")];
    if !word.is_ascii() {
        let has = LETTERS.iter().any(|(letter, _)| word.contains(letter));
        return has.then(|| LETTERS.iter().fold(word.to_owned(), |word, (from, to)| word.replace(from, to)).into());
    }
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) = ["ae", "oe", "ue"].iter().filter_map(|pair| rest.find(pair)).min() {
        let before = rest[..at].bytes().last();
        let after = rest.as_bytes().get(at + 2);
        // `queue`, `value` and `argues` have none.
        let is_umlaut = before.is_none_or(|b| !matches!(b, b'q' | b'a' | b'e' | b'o'))
            && after.is_some_and(|b| !matches!(b, b'a' | b'e' | b'i' | b'o' | b'u'))
            && !matches!(&rest[at + 2..], "s" | "d" | "r" | "rs");
        out += &rest[..at];
        out += match (&rest[at..at + 2], is_umlaut) {
            (pair, false) => pair,
            ("ae", true) => "ä",
            ("oe", true) => "ö",
            (_, true) => "ü",
        };
        rest = &rest[at + 2..];
    }
    out += rest;
    (out != word).then(|| out.into())
}

/// How a lower-case word is written with a hyphen or a dot, if it often is: `e-mail` for `email`.
pub fn hyphenated(word: &str) -> Option<&'static str> {
    HYPHENATED.line_with(word)?.split_once(' ').filter(|(joined, _)| *joined == word).map(|(_, apart)| apart)
}

const HYPHENATED: PhraseList = phrase_list!("word_forms/hyphenated.en.txt");

/// A name with a version behind it: `tls` and `1.3` for `TLSv1.3`, `oauth` and `2.0` for `OAuth2.0`; in lower case.
pub fn named_version(name: &str) -> Option<(String, String)> {
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, number) = name.split_at(letters);
    let name = name.strip_suffix(['v', 'V']).unwrap_or(name);
    let is_version = number.contains('.') && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    (name.len() >= 2 && is_version).then(|| (name.to_ascii_lowercase(), number.to_owned()))
}

/// A name of several parts without what joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedName {
    /// Its parts without what joins them, in lower case: `wifi`.
    pub text: String,
    /// Where it ends in its text, in bytes.
    pub end: usize,
    /// The length of its shortest part, in bytes.
    pub shortest_part: usize,
}

/// The names that start with a word of a text, the shortest first: for `wi` in `wi-fi-router` they are `wifi` and
/// `wifirouter`. None for a word without `-`, `.` or `_` and another word behind it.
pub fn joined_names<'t>(text: &'t str, word: &TextWord<'t>) -> impl Iterator<Item = JoinedName> + 't {
    let mut end = word.at + word.surface.len();
    let (mut name, mut shortest) = (None, word.surface.len());
    let first = word.text.clone();
    (1..MAX_NAME_PARTS).map_while(move |_| {
        let byte = *text.as_bytes().get(end)?;
        if !joins_parts(byte) || !text.as_bytes().get(end + 1).is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        let next = words(&text[end + 1..]).next()?;
        end += 1 + next.surface.len();
        shortest = next.surface.len().min(shortest);
        let name: &mut String = name.get_or_insert_with(|| first.to_string());
        *name += &next.text;
        Some(JoinedName { text: name.clone(), end, shortest_part: shortest })
    })
}

/// Maximum number of parts of a name.
const MAX_NAME_PARTS: usize = 4;

/// The abbreviation that a word of a text is, in lower case and without full stops, and where it ends: `us` for `US`
/// and `U.S.`. Only those that are another word in lower case: `us`.
pub fn function_word_acronym(text: &str, word: &TextWord<'_>) -> Option<(String, usize)> {
    let is_acronym = |name: &str| ACRONYMS.contains(name);
    let is_capital = |text: &str| text.bytes().all(|b| b.is_ascii_uppercase());
    if is_capital(word.surface) && is_acronym(&word.text) {
        return Some((word.text.to_string(), word.at + word.surface.len()));
    }
    // Before the look at what follows, which nearly all words are spared.
    if word.surface.len() > 1 || !is_capital(word.surface) {
        return None;
    }
    let name = joined_names(text, word).last()?;
    is_dotted(&text[word.at..name.end])
        .then_some(name)
        .filter(|name| is_acronym(&name.text))
        .map(|name| (name.text, name.end))
}

const ACRONYMS: WordList = word_list!("word_forms/acronyms.en.txt");

/// How an abbreviation of capitals is written with full stops: `u.s.a` for `USA`; `None` for other words.
pub fn dotted_acronym(surface: &str) -> Option<String> {
    let is_acronym = (2..=MAX_ACRONYM).contains(&surface.len()) && surface.bytes().all(|b| b.is_ascii_uppercase());
    is_acronym.then(|| surface.to_ascii_lowercase().chars().map(String::from).collect::<Vec<_>>().join("."))
}

/// The most letters of an abbreviation that is also written with full stops.
const MAX_ACRONYM: usize = 4;

/// Whether a name consists of single capitals with full stops between them.
fn is_dotted(name: &str) -> bool {
    name.split('.').all(|part| part.len() == 1 && part.as_bytes()[0].is_ascii_uppercase())
}

/// Whether a character joins the parts of one name: `node.js`, `wi-fi`, `max_retries`.
pub fn joins_parts(byte: u8) -> bool {
    matches!(byte, b'-' | b'.' | b'_')
}

/// Whether a character is a picture. The marks that change its colour or join two of them are not.
pub fn is_emoji(c: char) -> bool {
    matches!(c as u32,
        0x1f300..=0x1f3fa | 0x1f400..=0x1faff | 0x2600..=0x27bf | 0x2b00..=0x2bff | 0x2300..=0x23ff | 0x1f1e6..=0x1f1ff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_cut_where_its_case_or_kind_changes() {
        for (word, parts) in [
            ("parseConfigFile", "parse Config File"),
            ("HTTPServerPool", "HTTP Server Pool"),
            ("OAuth2", "OAuth 2"),
            ("ABC4471", "ABC 4471"),
            ("getX", "get X"),
        ] {
            assert_eq!(word_parts(word).collect::<Vec<_>>().join(" "), parts);
        }
        for word in ["parse", "Parse", "TLS", "iPhone", "2026", "Müller", "a1", ""] {
            assert_eq!(word_parts(word).next(), None, "{word}");
        }
    }

    #[test]
    fn numbers_mean_the_same_with_separators() {
        for (text, length, meanings) in [
            ("1,250 people", 5, &["1250", "1.250"][..]),
            ("1.250 km", 5, &["1.250", "1250"]),
            ("12 500", 6, &["12500"]),
            ("1'250'000", 9, &["1250000"]),
            ("1.3", 3, &["1.3"]),
            ("v2.14.0.", 7, &["2.14.0"]),
            ("3,50 euros", 4, &["3.50"]),
            ("10.1.0.7", 8, &["10.1.0.7"]),
        ] {
            let found = separated_number(text).unwrap();
            assert_eq!(
                (found.length, found.meanings.iter().map(String::as_str).collect::<Vec<_>>().as_slice()),
                (length, meanings),
                "{text}"
            );
        }
        for text in ["1250", "24.2.2026", "2026-02-24", "1 2", "v", "1.", "a1.2", "", "1.2a"] {
            assert_eq!(separated_number(text), None, "{text}");
        }
        assert_eq!(grouped_digits("12500"), ["12,500", "12.500", "12 500", "12'500"]);
        assert_eq!(grouped_digits("1250000")[0], "1,250,000");
        assert!(["2026", "125", "0125", "12a5", "1234567890"].iter().all(|number| grouped_digits(number).is_empty()));
    }

    #[test]
    fn parts_of_a_name_are_joined() {
        let names = |text: &str| {
            let first = words(text).next().unwrap();
            joined_names(text, &first).map(|name| (name.text, name.end, name.shortest_part)).collect::<Vec<_>>()
        };
        assert_eq!(names("Wi-Fi-Router here"), [("wifi".to_owned(), 5, 2), ("wifirouter".to_owned(), 12, 2)]);
        assert_eq!(names("e-mail. Next")[0], ("email".to_owned(), 6, 1));
        assert!(["end. Next", "a - b", "a--b", "word", "a/b"].iter().all(|text| names(text).is_empty()));
    }

    #[test]
    fn an_abbreviation_is_no_function_word() {
        let acronym = |text: &str| {
            let first = words(text).next().unwrap();
            function_word_acronym(text, &first).map_or(String::new(), |(name, end)| format!("{name} {end}"))
        };
        assert_eq!(
            (acronym("US law"), acronym("U.S. law"), acronym("IT")),
            ("us 2".into(), "us 3".into(), "it 2".into())
        );
        assert!(
            ["us", "Us", "U-S", "u.s.", "U.S.A.", "USA", "The US", "I"].iter().all(|text| acronym(text).is_empty())
        );
        assert_eq!(
            (dotted_acronym("USA"), dotted_acronym("Usa"), dotted_acronym("A")),
            (Some("u.s.a".into()), None, None)
        );
    }

    #[test]
    fn a_hash_has_letters_and_digits() {
        assert!(is_hash("9f3c2a7") && is_hash("9f3c2a7be41d8056"));
        assert!(!is_hash("9f3c2a") && !is_hash("1234567") && !is_hash("defaced") && !is_hash("9f3c2ag"));
    }

    #[test]
    fn a_word_has_other_spellings_with_ise_umlauts_and_hyphens() {
        let ise = |word: &str| ise_or_ize(word).unwrap_or_default();
        assert_eq!(
            (ise("organized"), ise("organisations"), ise("authorising")),
            ("organised".into(), "organizations".into(), "authorizing".into())
        );
        assert_eq!((ise("rise"), ise("size"), ise("table"), ise("")), Default::default());
        let umlaut = |word: &'static str| umlaut_spelling(word).unwrap_or_default();
        assert_eq!(
            (umlaut("mueller"), umlaut("müller"), umlaut("baeckerei")),
            ("müller".into(), "mueller".into(), "bäckerei".into())
        );
        for word in ["value", "queue", "question", "blue", "argues", "issued", "table", "does", "poet"] {
            assert!(umlaut_spelling(word).is_none_or(|_| word == "poet"), "{word}");
        }
        assert_eq!((hyphenated("email"), hyphenated("e-mail"), hyphenated("table")), (Some("e-mail"), None, None));
    }

    #[test]
    fn pictures_are_told_from_letters() {
        assert!("🎉🚀☀✅".chars().all(is_emoji));
        assert!(!"aé猫-€\u{fe0f}\u{1f3fd}".chars().any(is_emoji));
    }
}
