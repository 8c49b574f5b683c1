//! Finds the bytes of a file that may hold a term, so that only few files and items need a closer look.
//!
//! Never misses a place: what looks like a term is given, and counted properly later. Knows no markdown.

use memchr::memmem;

use super::terms::Terms;
use crate::text::tokens;
use crate::text::tokens::prefix;

/// How many bytes are looked at in one step; the compiler makes vector instructions of it.
const BLOCK: usize = 64;
/// How far a word is followed to either side.
const REACH: usize = 64;

/// What is looked for.
pub struct Spotter {
    scans: Vec<Scan>,
    grams: Vec<memmem::Finder<'static>>,
    /// Whether words of other scripts with capitals are wanted.
    letters: bool,
    /// The bytes that words with accents may start with, if they do not start with the accent.
    firsts: [bool; 256],
    wanted: Terms,
}

/// A prefix, and the two of its bytes that are the rarest.
struct Scan {
    prefix: Vec<u8>,
    first: usize,
    second: usize,
}

impl Spotter {
    /// Looks for the terms of a question.
    pub fn new(terms: &Terms) -> Spotter {
        let mut spotter = Spotter {
            scans: Vec::new(),
            grams: Vec::new(),
            letters: false,
            firsts: [false; 256],
            wanted: terms.clone(),
        };
        for term in terms.all.iter().filter(|t| !t.is_date()) {
            let prefix = prefix(&term.text);
            let mut chars = term.text.chars();
            match (prefix.is_empty(), chars.next(), chars.next()) {
                (false, ..) => {
                    let first = prefix.as_bytes()[0];
                    spotter.firsts[usize::from(first)] = true;
                    spotter.firsts[usize::from(first.to_ascii_uppercase())] = true;
                    spotter.scans.push(Scan::new(prefix.as_bytes()));
                }
                (_, Some(c), None) if crate::text::words::is_unspaced(c) => {
                    spotter.grams.push(memmem::Finder::new(term.text.as_bytes()).into_owned());
                }
                // A pair is found where its first character is.
                (_, Some(c), _) if crate::text::words::is_unspaced(c) => {}
                _ => spotter.letters = true,
            }
        }
        if !spotter.grams.is_empty() {
            for mark in ["\u{3099}", "\u{309a}"] {
                spotter.grams.push(memmem::Finder::new(mark).into_owned());
            }
        }
        spotter
    }

    /// Adds the offsets of all places that may hold a term, not sorted.
    pub fn find(&self, bytes: &[u8], out: &mut Vec<u32>) {
        for scan in &self.scans {
            scan.find(bytes, &mut |at| {
                if self.is_word_start(bytes, at) && self.may_be(bytes, at) {
                    out.push(at as u32);
                }
            });
        }
        for gram in &self.grams {
            out.extend(gram.find_iter(bytes).map(|at| at as u32));
        }
        match (self.letters, self.grams.is_empty()) {
            (true, _) => self.odd(bytes, |b| b >= 0xc3, out),
            (false, true) => self.odd(bytes, |b| b.wrapping_sub(0xc3) <= 0x0a || b == 0xe1 || b == 0xef, out),
            (false, false) => {
                self.odd(bytes, |b| b.wrapping_sub(0xc3) <= 0x0a || b == 0xe1 || b == 0xef || b == 0xed, out);
            }
        }
    }

    fn is_word_start(&self, bytes: &[u8], at: usize) -> bool {
        at == 0 || !bytes[at - 1].is_ascii_alphanumeric()
    }

    /// Whether the word around a place is, or may be, a term.
    fn may_be(&self, bytes: &[u8], at: usize) -> bool {
        let part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'\'' || *b >= 0x80;
        let floor = at.saturating_sub(REACH);
        let start = at - bytes[floor..at].iter().rev().take_while(|b| part(b)).count();
        let end = at + bytes[at..bytes.len().min(at + REACH)].iter().take_while(|b| part(b)).count();
        let word = &bytes[start..end];
        if start == floor && floor > 0 || end == at + REACH {
            return true;
        }
        let Ok(word) = std::str::from_utf8(word) else { return true };
        let mut found = false;
        tokens(word, |token| found |= self.wanted.find(token).is_some());
        found
    }

    /// Whether the word around an odd letter starts like a term, as far as a glance tells.
    fn may_start(&self, bytes: &[u8], at: usize) -> bool {
        let ascii = bytes[..at].iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'\'').count();
        let start = at - ascii;
        let alone = start == 0 || bytes[start - 1] < 0x80;
        ascii == 0 || !alone || bytes[start] == b'\'' || self.firsts[usize::from(bytes[start])]
    }

    /// Letters beyond ASCII: accents that search folds, and forms that it composes.
    fn odd(&self, bytes: &[u8], is_odd: impl Fn(u8) -> bool, out: &mut Vec<u32>) {
        let mut done = 0;
        let mut look = |from: usize, block: &[u8]| {
            for (i, b) in block.iter().enumerate() {
                let at = from + i;
                if at < done || !is_odd(*b) || !self.is_odd_letter(&bytes[at..]) {
                    continue;
                }
                let rest = bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b >= 0x80).count();
                done = at + rest.min(REACH);
                if self.may_start(bytes, at) && self.may_be(bytes, at) {
                    out.push(at as u32);
                }
            }
        };
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for (n, block) in blocks.iter().enumerate() {
            if block.iter().fold(false, |any, b| any | is_odd(*b)) {
                look(n * BLOCK, block);
            }
        }
        look(blocks.len() * BLOCK, rest);
    }

    fn is_odd_letter(&self, rest: &[u8]) -> bool {
        match rest {
            // Latin, marks; Latin Extended Additional; Hangul in parts; letters and kana of another width.
            [0xc3..=0xcd, ..] | [0xe1, 0xb8..=0xbb | 0x84..=0x87, ..] => true,
            [0xef, 0xbc, 0x90..=0xba, ..] | [0xef, 0xbd, 0x81..=0xbf, ..] | [0xef, 0xbe, ..] => true,
            [0xc3..=0xff, ..] => self.letters,
            _ => false,
        }
    }
}

impl Scan {
    fn new(prefix: &[u8]) -> Scan {
        let mut rarest: Vec<usize> = (0..prefix.len()).collect();
        rarest.sort_by_key(|i| (commonness(prefix[*i]), *i));
        let first = rarest[0];
        let second = rarest.get(1).copied().unwrap_or(first);
        Scan { prefix: prefix.to_vec(), first, second }
    }

    /// Calls for each place where the prefix stands, in any case.
    fn find(&self, bytes: &[u8], each: &mut dyn FnMut(usize)) {
        let Some(starts) = (bytes.len() + 1).checked_sub(self.prefix.len()).filter(|n| *n > 0) else { return };
        let (a, b) = (self.prefix[self.first] | 0x20, self.prefix[self.second] | 0x20);
        let (xs, x_rest) = bytes[self.first..self.first + starts].as_chunks::<BLOCK>();
        let (ys, _) = bytes[self.second..self.second + starts].as_chunks::<BLOCK>();
        let mut check = |at: usize| {
            if bytes[at..at + self.prefix.len()].eq_ignore_ascii_case(&self.prefix) {
                each(at);
            }
        };
        for (n, (x, y)) in xs.iter().zip(ys).enumerate() {
            let mut hit = 0xff_u8;
            for i in 0..BLOCK {
                let other = ((x[i] | 0x20) ^ a) | ((y[i] | 0x20) ^ b);
                hit = hit.min(other);
            }
            if hit == 0 {
                (0..BLOCK).filter(|i| (x[*i] | 0x20) == a && (y[*i] | 0x20) == b).for_each(|i| check(n * BLOCK + i));
            }
        }
        let from = starts - x_rest.len();
        (from..starts).for_each(check);
    }
}

/// How common a letter is in English, from 0.
fn commonness(byte: u8) -> usize {
    b"zqxjkvbpgwyfmculdhrsnioate".iter().position(|l| *l == byte).unwrap_or(0)
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
            ("москва", vec!["Москва", "МОСКВА"]),
            ("a1", vec!["A1"]),
        ] {
            let spotter = Spotter::new(&Terms::read(question, today));
            for text in texts {
                for pad in [0, 1, 40, 63, 64, 65, 127] {
                    let whole = format!("{}.{text}. {filler}", &filler[..pad]);
                    let mut found = Vec::new();
                    spotter.find(whole.as_bytes(), &mut found);
                    let (from, to) = (pad as u32 + 1, (pad + 1 + text.len()) as u32);
                    assert!(found.iter().any(|at| (from..to).contains(at)), "{question} in {text} at {pad}");
                }
            }
        }
    }

    #[test]
    fn other_words_are_passed_over() {
        let spotter = Spotter::new(&Terms::read("memory tea", Date::constant(2026, 2, 24)));
        let mut found = Vec::new();
        spotter.find("memo steam teapot Zoë memorandum, über “quoted”，好".as_bytes(), &mut found);
        assert!(found.is_empty(), "{found:?}");
    }
}
