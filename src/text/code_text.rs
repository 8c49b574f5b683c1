//! The lines of a code file: the hash of some of them, and where they are after the file has changed.
//!
//! Never guesses: lines that occur twice in a file are not followed.

use memchr::memmem;

use super::code_anchor::{LineRange, LinesHash};

/// A file with a NUL among its first bytes is binary, as for git.
const BINARY_PREFIX_BYTES: usize = 8000;
/// Lines with fewer letters and digits, such as a closing brace, are not followed: the same line elsewhere is rarely
/// the same code.
const MIN_FOLLOWED_CHARS: usize = 4;

/// What became of the lines of an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinesMatch {
    /// They are in the anchor's place.
    Same,
    /// They occur once, elsewhere.
    Moved(LineRange),
    /// The lines occur nowhere in the file.
    Changed,
    /// They occur elsewhere more than once: the first lines of two occurrences.
    Repeated([u32; 2]),
}

/// The hash for a new anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAnchorHash {
    pub hash: LinesHash,
    /// Whether the lines can be followed when they move: they occur once in the file, and are more than punctuation.
    pub is_followed: bool,
}

/// The text of a code file, with `\n` at the end of each line.
pub struct CodeText {
    text: Vec<u8>,
    /// The offset of each line, and the end of the text.
    starts: Vec<usize>,
}

impl CodeText {
    /// Normalises the line endings of a file; `None` for a binary file.
    pub fn new(mut bytes: Vec<u8>) -> Option<CodeText> {
        if memchr::memchr(0, &bytes[..bytes.len().min(BINARY_PREFIX_BYTES)]).is_some() {
            return None;
        }
        if memmem::find(&bytes, b"\r\n").is_some() {
            let mut before = 0;
            bytes = bytes.iter().enumerate().fold(Vec::with_capacity(bytes.len()), |mut out, (at, byte)| {
                if *byte == b'\n' && before == b'\r' && at > 0 {
                    out.pop();
                }
                before = *byte;
                out.push(*byte);
                out
            });
        }
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', &bytes).map(|at| at + 1)).collect();
        Some(CodeText { text: bytes, starts })
    }

    /// Its length in bytes.
    pub fn byte_count(&self) -> u64 {
        self.text.len() as u64
    }

    pub fn line_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Lines, with their endings; `None` if the file has fewer.
    fn block(&self, lines: LineRange) -> Option<&[u8]> {
        let end = *self.starts.get(lines.last as usize)?;
        Some(&self.text[*self.starts.get(lines.first as usize - 1)?..end])
    }

    /// The hash for a new anchor; `None` if the file has fewer lines.
    pub fn new_hash(&self, lines: Option<LineRange>) -> Option<NewAnchorHash> {
        let Some(lines) = lines else {
            return Some(NewAnchorHash { hash: LinesHash::of(&self.text), is_followed: true });
        };
        let block = self.block(lines)?;
        let is_followed = can_be_followed(block) && self.occurrences(block).nth(1).is_none();
        let hash = if is_followed { LinesHash::of(block) } else { LinesHash::in_place(block, lines) };
        Some(NewAnchorHash { hash, is_followed })
    }

    /// Whether lines (the whole file for `None`) have a hash.
    pub fn has_hash(&self, lines: Option<LineRange>, hash: LinesHash) -> bool {
        match lines {
            None => LinesHash::of(&self.text) == hash,
            Some(lines) => self
                .block(lines)
                .is_some_and(|block| LinesHash::of(block) == hash || LinesHash::in_place(block, lines) == hash),
        }
    }

    /// Finds the lines of an anchor: in its place, else the nearest lines with that hash, if they occur once.
    /// `bytes_left` limits how many bytes are hashed to search; without any left, lines count as changed.
    pub fn find(&self, lines: Option<LineRange>, hash: LinesHash, bytes_left: &mut u64) -> LinesMatch {
        if self.has_hash(lines, hash) {
            return LinesMatch::Same;
        }
        let Some(moved) = lines.and_then(|lines| self.search(lines, hash, bytes_left)) else {
            return LinesMatch::Changed;
        };
        let Some(block) = self.block(moved).filter(|block| can_be_followed(block)) else { return LinesMatch::Changed };
        let mut found = self.occurrences(block);
        match (found.next(), found.next()) {
            (Some(one), Some(two)) => LinesMatch::Repeated([one, two]),
            _ => LinesMatch::Moved(moved),
        }
    }

    /// The nearest lines with a hash. Most code moves by a few lines, so few are hashed.
    fn search(&self, lines: LineRange, hash: LinesHash, bytes_left: &mut u64) -> Option<LineRange> {
        let more = (lines.count() - 1) as u32;
        let last_first = (self.line_count() as u32).checked_sub(more).filter(|last| *last > 0)?;
        let origin = lines.first.min(last_first);
        for distance in 0..last_first {
            let [above, below] = [origin.checked_sub(distance), origin.checked_add(distance)];
            for first in [above, below.filter(|_| distance > 0)].into_iter().flatten().filter(|first| *first > 0) {
                let place = LineRange { first, last: first.saturating_add(more) };
                let Some(block) = self.block(place) else { continue };
                *bytes_left = bytes_left.checked_sub(block.len() as u64)?;
                if LinesHash::of(block) == hash {
                    return Some(place);
                }
            }
        }
        None
    }

    /// The first line, 1-based, of each occurrence of whole lines, also of those that overlap.
    fn occurrences<'a>(&'a self, block: &'a [u8]) -> impl Iterator<Item = u32> + 'a {
        let finder = memmem::Finder::new(block).into_owned();
        let mut from = 0;
        std::iter::from_fn(move || {
            loop {
                let at = from + finder.find(self.text.get(from..).filter(|_| !block.is_empty())?)?;
                from = at + 1;
                if let Ok(line) = self.starts.binary_search(&at) {
                    return Some(line as u32 + 1);
                }
            }
        })
    }
}

fn can_be_followed(block: &[u8]) -> bool {
    block.iter().filter(|b| b.is_ascii_alphanumeric() || **b >= 0x80).nth(MIN_FOLLOWED_CHARS - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENOUGH: u64 = 1 << 20;

    fn code(text: &str) -> CodeText {
        CodeText::new(text.into()).unwrap()
    }

    fn lines(first: u32, last: u32) -> LineRange {
        LineRange { first, last }
    }

    /// What becomes of an anchor to lines of `before` in `after`.
    fn check(before: &str, at: LineRange, after: &str, expected: LinesMatch) {
        let hash = code(before).new_hash(Some(at)).unwrap().hash;
        assert_eq!(code(after).find(Some(at), hash, &mut { ENOUGH }), expected, "{before:?} {at} {after:?}");
    }

    #[test]
    fn a_hash_is_that_of_sha256sum() {
        // printf 'fn two() {}\n' | sha256sum
        let text = code("fn one() {}\nfn two() {}\n");
        assert_eq!(text.new_hash(Some(lines(2, 2))).unwrap().hash.to_string(), "b8fbfe51cb75");
        // printf 'fn one() {}\nfn two() {}\n' | sha256sum
        let whole = text.new_hash(None).unwrap();
        assert_eq!((whole.hash.to_string().as_str(), whole.is_followed), ("f64cb7e2c472", true));
        assert_eq!(text.new_hash(Some(lines(2, 3))), None);
        assert_eq!(code("").new_hash(Some(lines(1, 1))), None);
    }

    #[test]
    fn line_endings_do_not_count() {
        let unix = code("fn one() {}\nfn two() {}\n");
        let hash = unix.new_hash(Some(lines(2, 2))).unwrap().hash;
        for other in ["fn one() {}\r\nfn two() {}\r\n", "fn one() {}\r\nfn two() {}", "fn one() {}\nfn two() {}"] {
            assert!(code(other).has_hash(Some(lines(2, 2)), hash), "{other:?}");
            assert_eq!(code(other).new_hash(None), unix.new_hash(None));
        }
        assert!(!code("fn one() {}\nfn two() {}\r").has_hash(Some(lines(2, 2)), hash));
        assert_eq!(code("\r\n\r\r\na").text, b"\n\r\na\n");
    }

    #[test]
    fn binary_files_have_no_lines() {
        assert!(CodeText::new(b"\x7fELF\0\0".to_vec()).is_none());
        assert!(CodeText::new(b"caf\xe9 (Latin 1)\n".to_vec()).is_some());
    }

    #[test]
    fn lines_that_moved_are_found() {
        let before = "use std::fmt;\nfn one() {}\nfn two() {}\nfn three() {}\n";
        check(before, lines(3, 3), before, LinesMatch::Same);
        check(before, lines(3, 3), "// new\nuse std::fmt;\nfn one() {}\nfn two() {}\n", LinesMatch::Moved(lines(4, 4)));
        check(before, lines(2, 3), "fn one() {}\nfn two() {}\n", LinesMatch::Moved(lines(1, 2)));
        check(before, lines(3, 4), "fn two() {}\nfn four() {}\nfn three() {}\n", LinesMatch::Changed);
        check(before, lines(4, 4), "fn three() {}", LinesMatch::Moved(lines(1, 1)));
        check(before, lines(3, 3), "fn two() { 1 }\n", LinesMatch::Changed);
        check(before, lines(2, 4), "fn one() {}\n", LinesMatch::Changed);
        check(before, lines(2, 3), "", LinesMatch::Changed);
    }

    #[test]
    fn lines_that_occur_twice_are_not_followed() {
        let twice = "fn two() {}\nfn four() {}\nfn two() {}\n";
        check("fn one() {}\nfn two() {}\n", lines(2, 2), twice, LinesMatch::Repeated([1, 3]));
        // Where they were, they count, however often they occur elsewhere.
        check("fn two() {}\n", lines(1, 1), twice, LinesMatch::Same);
        // What occurred twice from the start is compared, but not followed to the other place when it changes.
        check(twice, lines(1, 1), twice, LinesMatch::Same);
        check(twice, lines(1, 1), "fn new() {}\nfn four() {}\nfn two() {}\n", LinesMatch::Changed);
        assert!(!code(twice).new_hash(Some(lines(1, 1))).unwrap().is_followed);
        // Overlapping.
        check("aaaa\naaaa\nbbbb\n", lines(1, 2), "bbbb\naaaa\naaaa\naaaa\n", LinesMatch::Repeated([2, 3]));
    }

    #[test]
    fn punctuation_is_not_followed() {
        check("fn one() {\n}\n", lines(2, 2), "fn one() {\n    1\n}\n", LinesMatch::Changed);
        check("fn one() {\n}\n", lines(2, 2), "fn one() {\n}\n\n", LinesMatch::Same);
        check("\n\n", lines(1, 1), "x\n\n", LinesMatch::Changed);
    }

    /// Random texts of few different lines, compared with the definition: the whole lines, counted.
    #[test]
    fn a_search_finds_what_counting_finds() {
        let mut state = 7u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let kinds =
            ["fn one() {}", "fn two() {}", "fn three()", "}", "", "let x = 1;", "  let x = 1;", "fn two() {}\r"];
        let mut seen = [0; 4];
        for _ in 0..20_000 {
            let mut text = |most: usize| {
                let count = 1 + random(most);
                (0..count).map(|_| kinds[random(kinds.len())]).collect::<Vec<_>>()
            };
            let (before, after) = (text(6), text(12));
            let first = 1 + random(before.len());
            let place = lines(first as u32, (first + random(before.len() - first + 1)) as u32);
            let joined = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let new = code(&joined(&before)).new_hash(Some(place)).unwrap();
            let found = code(&joined(&after)).find(Some(place), new.hash, &mut { ENOUGH });
            let plain =
                |lines: &[&str]| lines.iter().map(|line| line.trim_end_matches('\r').to_owned()).collect::<Vec<_>>();
            let (before, after) = (plain(&before), plain(&after));
            let block = &before[first - 1..place.last as usize];
            let starts = |text: &[String]| -> Vec<u32> {
                let windows = text.windows(block.len()).enumerate().filter(|(_, window)| *window == block);
                windows.map(|(at, _)| at as u32 + 1).collect()
            };
            let is_followed = starts(&before).len() == 1 && block.concat().matches(char::is_alphanumeric).count() >= 4;
            assert_eq!(new.is_followed, is_followed, "{before:?} {place}");
            let expected = match starts(&after)[..] {
                ref all if all.contains(&place.first) => LinesMatch::Same,
                _ if !is_followed => LinesMatch::Changed,
                [] => LinesMatch::Changed,
                [one] => LinesMatch::Moved(lines(one, one + place.last - place.first)),
                [one, two, ..] => LinesMatch::Repeated([one, two]),
            };
            assert_eq!(found, expected, "{before:?} {place} {after:?}");
            seen[match found {
                LinesMatch::Same => 0,
                LinesMatch::Moved(_) => 1,
                LinesMatch::Changed => 2,
                LinesMatch::Repeated(_) => 3,
            }] += 1;
        }
        assert!(seen.iter().all(|count| *count > 200), "{seen:?}");
    }

    #[test]
    fn a_search_ends() {
        let anchor = lines(u32::MAX - 1, u32::MAX);
        let text = code("fn one() {}\nfn two() {}\n");
        assert_eq!(text.find(Some(anchor), LinesHash(1), &mut { ENOUGH }), LinesMatch::Changed);
        let hash = text.new_hash(Some(lines(1, 2))).unwrap().hash;
        assert_eq!(text.find(Some(anchor), hash, &mut { ENOUGH }), LinesMatch::Moved(lines(1, 2)));
        assert_eq!(text.find(Some(lines(1, u32::MAX)), hash, &mut { ENOUGH }), LinesMatch::Changed);
        let one = text.new_hash(Some(lines(1, 1))).unwrap().hash;
        assert_eq!(text.find(Some(lines(2, 2)), one, &mut 10), LinesMatch::Changed);
        assert_eq!(text.find(Some(lines(2, 2)), one, &mut 30), LinesMatch::Moved(lines(1, 1)));
    }
}
