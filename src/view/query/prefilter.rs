//! Finds byte offsets in a file that may be a term, so that only few files and items need parsing.
//!
//! Never misses a term: false positives are removed when terms are counted. Knows no Markdown.

use memchr::memmem;

use super::terms::QueryTerms;
use crate::text::caseless_prefix::CaselessPrefix;
use crate::text::spelling::{is_emoji, joins_parts};
use crate::text::strip_diacritics::strip_diacritics;
use crate::text::words::is_unspaced;

/// How many bytes are compared in one step: small enough for the compiler to vectorize.
const BLOCK_BYTES: usize = 64;
/// More characters than that are not searched one by one, but in one pass.
const MAX_SEARCHED_CHARACTERS: usize = 4;
/// The length in bytes of a character in a [`CharacterSet`].
const CHARACTER_BYTES: usize = 3;
/// Maximum distance in bytes at which the ends of a word are searched.
const MAX_WORD_BYTES: usize = 64;

/// The byte patterns of a query.
pub struct TermPrefilter {
    scans: Vec<CaselessPrefix>,
    grams: Vec<memmem::Finder<'static>>,
    /// Characters that are searched in one pass, because there are many.
    characters: Option<CharacterSet>,
    /// Whether words in other scripts with case are wanted.
    other_scripts: bool,
    /// The letters that terms in Cyrillic start with.
    first_cyrillic: Vec<char>,
    /// The ASCII bytes that a term may start with: an accented letter inside a word matters only after one of them.
    first_bytes: [bool; 256],
    terms: QueryTerms,
}

impl TermPrefilter {
    /// Builds the patterns of a query's terms.
    pub fn new(terms: &QueryTerms) -> TermPrefilter {
        let mut prefilter = TermPrefilter {
            scans: Vec::new(),
            grams: Vec::new(),
            characters: None,
            other_scripts: false,
            first_cyrillic: Vec::new(),
            first_bytes: [false; 256],
            terms: terms.clone(),
        };
        let mut characters: Vec<char> = Vec::new();
        for term in terms.all.iter().filter(|t| !t.is_date()).flat_map(|term| term.texts()) {
            let mut chars = term.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) if is_unspaced(c) || is_emoji(c) => characters.push(c),
                // A pair of characters is found through one of them, and a spelling with accents with the accented
                // letters of all words.
                (Some(c), _) if is_unspaced(c) || c.is_ascii() => {}
                (first, _) => {
                    prefilter.other_scripts = true;
                    prefilter.first_cyrillic.extend(first);
                }
            }
        }
        if characters.len() > MAX_SEARCHED_CHARACTERS {
            prefilter.characters = Some(CharacterSet::new(&characters));
            characters.retain(|c| c.len_utf8() != CHARACTER_BYTES);
        }
        let finder = |c: &char| memmem::Finder::new(c.encode_utf8(&mut [0; 4]).as_bytes()).into_owned();
        prefilter.grams = characters.iter().map(finder).collect();
        for prefix in &terms.prefixes {
            let first = prefix.as_bytes()[0];
            prefilter.first_bytes[usize::from(first)] = true;
            prefilter.first_bytes[usize::from(first.to_ascii_uppercase())] = true;
            prefilter.scans.push(CaselessPrefix::new(prefix));
        }
        if !prefilter.grams.is_empty() || prefilter.characters.is_some() {
            for mark in ["\u{3099}", "\u{309a}"] {
                prefilter.grams.push(memmem::Finder::new(mark).into_owned());
            }
        }
        prefilter
    }

    /// Appends the offsets that may be a term, unsorted.
    pub fn find(&self, bytes: &[u8], out: &mut Vec<u32>) {
        for scan in &self.scans {
            scan.find(bytes, &mut |at| {
                if self.is_word_start(bytes, at) && self.may_be_term(bytes, at) {
                    out.push(at as u32);
                }
            });
        }
        if let Some(characters) = &self.characters {
            characters.find(bytes, out);
        }
        for gram in &self.grams {
            out.extend(gram.find_iter(bytes).map(|at| at as u32));
        }
        let is_latin = |b: u8| b.wrapping_sub(0xc2) <= 0x0b || matches!(b, 0xe1 | 0xe2 | 0xef);
        match (self.other_scripts, self.grams.is_empty()) {
            (true, _) => self.scan_non_ascii(bytes, |b| b >= 0xc2, out),
            (false, true) => self.scan_non_ascii(bytes, is_latin, out),
            (false, false) => self.scan_non_ascii(bytes, |b| is_latin(b) || b == 0xed, out),
        }
    }

    /// Whether a word starts at an offset, or a part of one in camel case, or a version after its `v`.
    fn is_word_start(&self, bytes: &[u8], at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else { return true };
        if !before.is_ascii_alphanumeric() {
            return true;
        }
        let is_lower = |b: Option<&u8>| b.is_some_and(u8::is_ascii_lowercase);
        let starts_part =
            bytes[at].is_ascii_uppercase() && (!before.is_ascii_uppercase() || is_lower(bytes.get(at + 1)));
        starts_part || bytes[at].is_ascii_digit() && !before.is_ascii_digit()
    }

    /// Whether the word at an offset is a term, or may be one.
    fn may_be_term(&self, bytes: &[u8], at: usize) -> bool {
        let part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'\'' || *b >= 0x80;
        let floor = at.saturating_sub(MAX_WORD_BYTES);
        let start = at - bytes[floor..at].iter().rev().take_while(|b| part(b)).count();
        let limit = bytes.len().min(at + MAX_WORD_BYTES);
        let end = at + bytes[at..limit].iter().take_while(|b| part(b)).count();
        if start == floor && floor > 0 || end == at + MAX_WORD_BYTES {
            return true;
        }
        if self.contains_term(&bytes[start..end]) {
            return true;
        }
        // A name of several parts, or a number with separators: the end of the text that may belong to it.
        let joins = |b: &u8| joins_parts(*b) || matches!(b, b',' | b' ');
        let continues = bytes.get(end).is_some_and(joins) && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        let is_number = || bytes[at].is_ascii_digit() && bytes[end + 1].is_ascii_digit();
        if !continues || matches!(bytes[end], b' ' | b',') && !is_number() {
            return false;
        }
        let more = bytes[end..limit].iter().take_while(|b| part(b) || joins(b)).count();
        self.contains_term(&bytes[start..end + more])
    }

    fn contains_term(&self, text: &[u8]) -> bool {
        // A character at the end may be cut in two.
        let Ok(text) = std::str::from_utf8(text) else { return true };
        let mut found = false;
        self.terms.find_in(text, |_| found = true);
        found
    }

    /// Whether the word around a non-ASCII letter may start like a term, judged by its first byte.
    fn may_start_term(&self, bytes: &[u8], at: usize) -> bool {
        let ascii = bytes[..at].iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'\'').count();
        let start = at - ascii;
        let alone = start == 0 || bytes[start - 1] < 0x80;
        if ascii == 0 && alone && !self.may_start_cyrillic_term(&bytes[at..]) {
            return false;
        }
        ascii == 0 || !alone || bytes[start] == b'\'' || self.first_bytes[usize::from(bytes[start])]
    }

    /// Whether a word is in another script, or starts with the same Cyrillic letter as a term: stems there differ from
    /// their words in the end only.
    fn may_start_cyrillic_term(&self, word: &[u8]) -> bool {
        let [first @ 0xd0..=0xd3, second, ..] = *word else { return true };
        let c = char::from_u32(u32::from(first & 0x1f) << 6 | u32::from(second & 0x3f));
        let c = c.and_then(|c| c.to_lowercase().next()).unwrap_or_default();
        self.first_cyrillic.contains(&c)
            || strip_diacritics(c.encode_utf8(&mut [0; 4]))
                .chars()
                .next()
                .is_some_and(|c| self.first_cyrillic.contains(&c))
    }

    /// Searches words with letters beyond ASCII: accents and character forms that the search normalizes.
    fn scan_non_ascii(&self, bytes: &[u8], is_candidate: impl Fn(u8) -> bool, out: &mut Vec<u32>) {
        let mut done = 0;
        let mut scan_block = |from: usize, block: &[u8]| {
            for (i, b) in block.iter().enumerate() {
                let at = from + i;
                if at < done || !is_candidate(*b) || !self.is_normalized_letter(&bytes[at..]) {
                    continue;
                }
                let rest = bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b >= 0x80).count();
                done = at + rest.min(MAX_WORD_BYTES);
                if self.may_start_term(bytes, at) && self.may_be_term(bytes, at) {
                    out.push(at as u32);
                }
            }
        };
        let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
        for (n, block) in blocks.iter().enumerate() {
            if !block.is_ascii() && block.iter().fold(false, |any, b| any | is_candidate(*b)) {
                scan_block(n * BLOCK_BYTES, block);
            }
        }
        scan_block(blocks.len() * BLOCK_BYTES, rest);
    }

    fn is_normalized_letter(&self, rest: &[u8]) -> bool {
        match rest {
            // Latin letters with accents and combining marks; Latin Extended Additional; Hangul jamo; full-width
            // letters and half-width kana; ligatures; superscripts and subscripts; ª, µ and º; letterlike symbols,
            // numbers and letters in circles; modifier letters.
            [0xc2, 0xb2 | 0xb3 | 0xb9 | 0xaa | 0xb5 | 0xba | 0xbc..=0xbe, ..] => true,
            [0xe2, 0x81, 0xb0..=0xbf, ..] | [0xe2, 0x82, 0x80..=0x9c, ..] | [0xe2, 0x84..=0x86 | 0x91..=0x93, ..] => {
                true
            }
            [0xc3..=0xcd, ..] | [0xe1, 0xb4..=0xbb | 0x84..=0x87, ..] | [0xe2, 0xb1, ..] => true,
            [0xef, 0xac, 0x80..=0x86, ..]
            | [0xef, 0xbc, 0x90..=0xba, ..]
            | [0xef, 0xbd, 0x81..=0xbf, ..]
            | [0xef, 0xbe | 0xbf, ..] => true,
            [0xc3..=0xff, ..] => self.other_scripts,
            _ => false,
        }
    }
}

/// A set of characters of three bytes, as nearly all of scripts without spaces are.
struct CharacterSet(Vec<u64>);

impl CharacterSet {
    /// The set of those among the characters that have three bytes.
    fn new(characters: &[char]) -> CharacterSet {
        let mut bits = vec![0; 0x1_0000 / 64];
        for c in characters.iter().filter(|c| c.len_utf8() == CHARACTER_BYTES) {
            bits[*c as usize / 64] |= 1 << (*c as usize % 64);
        }
        CharacterSet(bits)
    }

    /// Appends the offsets of all its characters.
    fn find(&self, bytes: &[u8], out: &mut Vec<u32>) {
        for (at, window) in bytes.windows(CHARACTER_BYTES).enumerate() {
            let [first @ 0xe0..=0xef, second, third] = *window else { continue };
            let c = usize::from(first & 0x0f) << 12 | usize::from(second & 0x3f) << 6 | usize::from(third & 0x3f);
            if self.0[c / 64] >> (c % 64) & 1 == 1 {
                out.push(at as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    #[test]
    fn every_place_of_a_term_is_found() {
        let today = Date::constant(2026, 2, 24);
        let filler = "lorem ipsum dolor sit amet ".repeat(5);
        for (question, texts) in [
            ("memory", vec!["Memories", "MEMORY", "memory's", "the-memory", "记忆memory"]),
            ("cafe", vec!["café", "CAFÉ", "cafe\u{301}", "Cafés", "ｃａｆｅ"]),
            ("élan", vec!["elan", "ÉLAN", "Elan"]),
            ("dying", vec!["die", "dies", "Dying"]),
            ("猫", vec!["黑猫白", "猫"]),
            ("が", vec!["か\u{3099}", "が"]),
            ("한글", vec!["\u{1112}\u{1161}\u{11ab}", "한글은"]),
            ("москва", vec!["Москва", "МОСКВА", "москве"]),
            ("ёлка йод", vec!["Елки", "ЁЛКА", "Иод", "йода"]),
            ("їжа ќерка ўчора", vec!["їжа", "ЇЖА", "ќерка", "ўчора"]),
            ("µs", vec!["µs", "μs"]),
            ("a1", vec!["A1"]),
            ("北京图书馆开门", vec!["开", "闭馆", "大門の北"]),
            ("buy", vec!["Bought", "buying"]),
            ("config file", vec!["parseConfigFile", "ConfigFile", "max_config"]),
            ("organized", vec!["organised", "Organising"]),
            ("email", vec!["E-mail", "email", "e-Mails"]),
            ("nodejs", vec!["Node.js"]),
            ("1250", vec!["1,250", "1 250", "1.250"]),
            ("2.14.0", vec!["v2.14.0", "2.14.0"]),
            ("OAuth", vec!["OAuth2", "oauth"]),
            ("Mueller", vec!["Müller", "mueller"]),
            ("9f3c2a7", vec!["9f3c2a7be41d"]),
            ("9f3c2a7be41d", vec!["9f3c2a7"]),
            ("🎉", vec!["🎉"]),
            ("H2O", vec!["H₂O", "h2o", "Ｈ２Ｏ"]),
            ("CO2 m2", vec!["CO₂", "m²"]),
            ("file", vec!["ﬁle", "ﬁles", "FILE"]),
            ("office", vec!["oﬃce", "oﬀice"]),
            ("US", vec!["US", "U.S."]),
            ("USA", vec!["U.S.A.", "USA"]),
            ("U.S.", vec!["US"]),
            ("ABC123", vec!["ＡＢＣ１２３"]),
            ("Wo sind die Häuser?", vec!["Haus", "häuser"]),
        ] {
            let prefilter = TermPrefilter::new(&QueryTerms::parse(question, today));
            for text in texts {
                for pad in [0, 1, 40, 63, 64, 65, 127] {
                    let whole = format!("{}.{text}. {filler}", &filler[..pad]);
                    let mut found = Vec::new();
                    prefilter.find(whole.as_bytes(), &mut found);
                    let (from, to) = (pad as u32 + 1, (pad + 1 + text.len()) as u32);
                    assert!(found.iter().any(|at| (from..to).contains(at)), "{question} in {text} at {pad}");
                }
            }
        }
    }

    #[test]
    fn other_words_are_skipped() {
        let prefilter = TermPrefilter::new(&QueryTerms::parse("memory tea", Date::constant(2026, 2, 24)));
        let mut found = Vec::new();
        prefilter.find("memo steam teapot Zoë memorandum, über “quoted”，好".as_bytes(), &mut found);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_word_of_any_letter_is_found() {
        let today = Date::constant(2026, 2, 24);
        let letters = ('\u{80}'..'\u{3000}').chain('\u{ff00}'..='\u{ffef}');
        let letters = letters.filter(|c| c.is_alphanumeric() && !is_unspaced(*c));
        let missed = letters.filter(|c| {
            let word = String::from_iter([*c; 3]);
            let terms = QueryTerms::parse(&word, today);
            let mut is_term = false;
            terms.find_in(&word, |_| is_term = true);
            let mut found = Vec::new();
            TermPrefilter::new(&terms).find(word.as_bytes(), &mut found);
            is_term && found.is_empty()
        });
        assert_eq!(missed.collect::<String>(), "");
    }
}
