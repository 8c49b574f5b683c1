//! What `check --rot` says about `MEMORY.md`: the lines that its host does not load, and the files that it does not
//! name.
//!
//! Never searches the index for one name after the other: both may be long.

use std::collections::HashSet;

use super::rot::{CountedExamples, Note, shortened};

/// Files that hosts load at the start of a session.
const INDEX_FILES: [&str; 2] = ["MEMORY.md", "memory.md"];
/// What Claude Code loads of `MEMORY.md`: "the first 200 lines, or the first 25KB, whichever comes first"
/// (<https://code.claude.com/docs/en/memory>).
const INDEX_LINES: usize = 200;
const INDEX_BYTES: usize = 25_000;

fn index(notes: &[Note]) -> Option<&Note> {
    notes.iter().find(|note| INDEX_FILES.contains(&note.path.as_str()))
}

pub(super) fn index_overflow(notes: &[Note]) -> CountedExamples {
    let Some(index) = index(notes) else { return CountedExamples::default() };
    let text = index.document.text();
    let (mut kept, mut bytes) = (0, 0);
    for line in text.split_inclusive('\n').take(INDEX_LINES) {
        bytes += line.len();
        if bytes > INDEX_BYTES {
            break;
        }
        kept += 1;
    }
    let count = text.lines().count().saturating_sub(kept);
    let first = text.lines().nth(kept).unwrap_or_default();
    let example = (count > 0).then(|| format!("{}:{}: {}", index.path, kept + 1, shortened(first.trim())));
    CountedExamples { count, examples: example.into_iter().collect() }
}

pub(super) fn not_in_index(notes: &[Note]) -> CountedExamples {
    let mut found = CountedExamples::default();
    let Some(index) = index(notes) else { return found };
    let names = IndexNames::of(index.document.text(), notes);
    for note in notes.iter().filter(|note| note.path != index.path && !names.contains(file_name(note))) {
        found.add(|| note.path.to_string());
    }
    found
}

fn file_name(note: &Note) -> &str {
    note.path.as_str().rsplit('/').next().unwrap_or_default()
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}

/// The parts of an index that may be names of notes: as long as the name of one, and before a final `.md` or after
/// `[[`.
struct IndexNames<'a> {
    /// What ends in `.md`.
    files: HashSet<&'a str>,
    /// What starts a wiki link.
    links: HashSet<&'a str>,
}

impl<'a> IndexNames<'a> {
    fn of(text: &'a str, notes: &[Note]) -> IndexNames<'a> {
        let lengths =
            |length: fn(&str) -> usize| notes.iter().map(|note| length(file_name(note))).collect::<HashSet<_>>();
        let plain = lengths(str::len);
        let escaped = lengths(|name| name.len() + 2 * name.matches(' ').count());
        let stems = lengths(|name| stem(name).len());
        let ends = text.match_indices('.').map(|(at, _)| at + ".md".len());
        let ends = ends.filter(|end| text.get(end - 3..*end).is_some_and(|name| name.eq_ignore_ascii_case(".md")));
        let before =
            |end: usize| plain.union(&escaped).filter_map(move |length| text.get(end.checked_sub(*length)?..end));
        let starts = text.match_indices("[[").map(|(at, _)| at + 2);
        let after = |start: usize| stems.iter().filter_map(move |length| text.get(start..start + length));
        IndexNames { files: ends.flat_map(before).collect(), links: starts.flat_map(after).collect() }
    }

    fn contains(&self, name: &str) -> bool {
        self.files.contains(name) || self.files.contains(&*name.replace(' ', "%20")) || self.links.contains(stem(name))
    }
}
