//! Lists of words and phrases that are compiled in from files under `data/`, one entry a line.
//!
//! Never reads a file at run time, and never builds an index: the text of the file is searched in place.
//!
//! A file starts with comment lines (`# …`) on the purpose of the list, and an empty line. A list in two languages
//! has two files side by side: `tone/terms.en.txt`, `tone/terms.zh.txt`.

use std::cmp::Ordering;

/// The [`WordList`] of a file under `data/`.
macro_rules! word_list {
    ($path:literal) => {
        $crate::text::word_list::WordList::new(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $path)))
    };
}
/// The [`PhraseList`] of a file under `data/`.
macro_rules! phrase_list {
    ($path:literal) => {
        $crate::text::word_list::PhraseList::new(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $path)))
    };
}
pub(crate) use {phrase_list, word_list};

/// Entries in byte order, for exact look-up.
#[derive(Clone, Copy, Debug)]
pub struct WordList(&'static str);

impl WordList {
    pub const fn new(file: &'static str) -> WordList {
        WordList(entries(file))
    }

    /// Whether the list has this entry.
    pub fn contains(self, word: &str) -> bool {
        self.search(word, b'\n').is_some()
    }

    /// The rest of the line that starts with `word` and a space, in a list whose entries have a value.
    pub fn value(self, word: &str) -> Option<&'static str> {
        self.search(word, b' ')?.get(word.len() + 1..)
    }

    pub fn iter(self) -> Entries {
        Entries(self.0)
    }

    /// The entries, each with a line end, for tables that the compiler makes.
    pub const fn as_bytes(self) -> &'static [u8] {
        self.0.as_bytes()
    }

    /// The line that starts with a word and `end` or a line end. Binary search over byte offsets: each step compares
    /// the line around the middle, of which only what the word shares with it is read.
    fn search(self, word: &str, end: u8) -> Option<&'static str> {
        let (text, word) = (self.0.as_bytes(), word.as_bytes());
        let (mut low, mut high) = (0, text.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let start = line_start(text, middle);
            let mut shared = 0;
            while let (Some(a), Some(b)) = (text.get(start + shared), word.get(shared))
                && a == b
                && *a != end
                && *a != b'\n'
            {
                shared += 1;
            }
            // What ends an entry sorts before every other byte.
            let next = text.get(start + shared).filter(|b| **b != end && **b != b'\n');
            match next.cmp(&word.get(shared)) {
                Ordering::Equal => return Some(&self.0[start..line_end(text, start + shared)]),
                Ordering::Less => low = line_end(text, start + shared) + 1,
                Ordering::Greater => high = start,
            }
        }
        None
    }
}

/// Entries in an order that matters, such as patterns: the first that matches counts.
#[derive(Clone, Copy, Debug)]
pub struct PhraseList(&'static str);

impl PhraseList {
    pub const EMPTY: PhraseList = PhraseList("");

    pub const fn new(file: &'static str) -> PhraseList {
        PhraseList(entries(file))
    }

    pub fn iter(self) -> Entries {
        Entries(self.0)
    }

    /// The first line that has `word` among its words, which a space separates.
    pub fn line_with(self, word: &str) -> Option<&'static str> {
        let text = self.0.as_bytes();
        let is_end = |at: Option<&u8>| at.is_none_or(|b| matches!(b, b' ' | b'\n'));
        let is_word =
            |at: &usize| is_end(at.checked_sub(1).map(|before| &text[before])) && is_end(text.get(at + word.len()));
        let at = memchr::memmem::find_iter(text, word.as_bytes()).find(is_word).filter(|_| !word.is_empty())?;
        Some(&self.0[line_start(text, at)..line_end(text, at)])
    }

    /// The spellings that start with the same byte as a text, in any ASCII case, in a list with several a line: `ms|msec`.
    pub fn spellings_like(self, text: &str) -> impl Iterator<Item = &'static str> {
        let list = self.0.as_bytes();
        let first = text.bytes().next().unwrap_or(b'\n');
        let is_start = move |at: &usize| at.checked_sub(1).is_none_or(|before| matches!(list[before], b'|' | b'\n'));
        memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), list).filter(is_start).map(
            move |at| {
                let length = list[at..].iter().position(|b| matches!(b, b'|' | b'\n'));
                &self.0[at..length.map_or(list.len(), |length| at + length)]
            },
        )
    }

    /// The parts between empty lines.
    pub fn sections(self) -> impl Iterator<Item = PhraseList> {
        self.0.split("\n\n").map(PhraseList)
    }
}

/// The entries of a list, in their order.
#[derive(Clone, Debug)]
pub struct Entries(&'static str);

impl Iterator for Entries {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        let length = line_end(self.0.as_bytes(), 0);
        let entry = &self.0[..length];
        let rest = self.0.get(length + 1..);
        let is_end = self.0.is_empty();
        self.0 = rest.unwrap_or_default();
        (!is_end).then_some(entry)
    }
}

impl IntoIterator for PhraseList {
    type Item = &'static str;
    type IntoIter = Entries;

    fn into_iter(self) -> Entries {
        self.iter()
    }
}

/// Where the line around a byte starts. Lines are so short that a plain loop is faster than `memchr`, and a loop of
/// iterators takes five times as long in a build for tests.
fn line_start(text: &[u8], at: usize) -> usize {
    let mut start = at;
    while start > 0 && text[start - 1] != b'\n' {
        start -= 1;
    }
    start
}

/// Where the line around a byte ends: at its line end, or at the end of the text.
fn line_end(text: &[u8], at: usize) -> usize {
    let mut end = at;
    while end < text.len() && text[end] != b'\n' {
        end += 1;
    }
    end
}

/// The text after the comment, which ends with the first empty line.
const fn entries(file: &'static str) -> &'static str {
    let bytes = file.as_bytes();
    let mut at = 1;
    while bytes[at - 1] != b'\n' || bytes[at] != b'\n' {
        at += 1;
    }
    file.split_at(at + 1).1
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: WordList = WordList::new("# A sample.\n# Two lines.\n\na\nabc 3\nabd 12\nb\nyou're\n你好\n");

    #[test]
    fn each_entry_is_found_and_nothing_else() {
        for word in ["a", "abc 3", "abd 12", "b", "you're", "你好"] {
            assert!(SAMPLE.contains(word), "{word}");
        }
        for word in ["", "aa", "abc", "0", "c", "你", "zz", "# A sample.", "a\nabc 3", "\n"] {
            assert!(!SAMPLE.contains(word), "{word}");
        }
        assert_eq!(SAMPLE.iter().count(), 6);
    }

    #[test]
    fn a_line_is_found_by_each_of_its_words() {
        const GROUPS: PhraseList = PhraseList::new("# Groups.\n\nbuy bought\ngo went gone\nfoot feet\n");
        for (word, line) in
            [("buy", "buy bought"), ("went", "go went gone"), ("gone", "go went gone"), ("feet", "foot feet")]
        {
            assert_eq!(GROUPS.line_with(word), Some(line));
        }
        for other in ["", "bu", "ought", "o", "# Groups."] {
            assert_eq!(GROUPS.line_with(other), None, "{other}");
        }
    }

    #[test]
    fn spellings_are_found_by_their_first_byte() {
        const UNITS: PhraseList = PhraseList::new("# Units.\n\nms|msec|毫秒\nM|Mm\nkm|%\n");
        for (text, all) in [
            ("metres", &["ms", "msec", "M", "Mm"][..]),
            ("KM", &["km"]),
            ("毫", &["毫秒"]),
            ("%", &["%"]),
            ("sec", &[]),
            ("|", &[]),
            ("", &[]),
        ] {
            assert_eq!(UNITS.spellings_like(text).collect::<Vec<_>>(), all, "{text}");
        }
    }

    #[test]
    fn a_value_is_the_rest_of_the_line() {
        assert_eq!(SAMPLE.value("abc"), Some("3"));
        assert_eq!(SAMPLE.value("abd"), Some("12"));
        for other in ["ab", "a", "", "abc 3", "abc 3\nabd", "abc 3\nabd 12"] {
            assert_eq!(SAMPLE.value(other), None, "{other:?}");
        }
    }
}
