//! The dangling links of `check --rot`: to a file that does not exist, or to a part that the file does not have.
//!
//! Knows the names that other programs give a note: Logseq's pages, aliases and journals, the ids of a Zettelkasten.
//! An alias of Obsidian is no target of a link there.

use std::collections::HashSet;
use std::path::Path;

use jiff::civil::Date;

use super::links::has_fragment;
use super::places::LineIndex;
use super::rot::{CountedExamples, Note, shortened};
use crate::document::Document;
use crate::document::link_names::LinkNames;
use crate::document::links::{FileLink, find_links, percent_decode, resolve_relative};
use crate::path::{MemoryPath, is_daily_note};
use crate::text::dates::MONTHS;
use crate::view::links::target_and_fragment;

/// The least digits of an id at the start of a note's name: a day, `20260102`.
const MIN_ID_DIGITS: usize = 8;
/// How far before a link the `{{` of its query may stand, in bytes.
const MAX_LOOKBACK: usize = 256;
/// Logseq's properties of a page that are names of it (<https://docs.logseq.com/#/page/properties>).
const NAME_PROPERTIES: [&str; 2] = ["alias::", "title::"];

/// The links of some notes that lead nowhere.
pub(super) fn dangling_links(notes: &[Note]) -> CountedExamples {
    let names = LinkNames::new(notes.iter().map(|note| &note.path));
    let other_names: HashSet<String> = notes.iter().flat_map(other_names).collect();
    let mut found = CountedExamples::default();
    for note in notes {
        let text = note.document.text();
        let marks: Vec<usize> = text.match_indices("%%").map(|(at, _)| at).collect();
        for link in find_links(&note.document).iter().filter(|link| !is_placeholder(text, link, &marks)) {
            let (target, fragment) = target_and_fragment(&note.document, link);
            let (target, fragment) = (target.trim(), fragment.trim());
            let is_outside = !link.is_wiki && resolve_relative(&note.path, target).is_none();
            if is_outside || link.is_wiki && other_names.contains(&target.to_lowercase()) {
                continue;
            }
            let has_part = |document: &Document| fragment.is_empty() || has_fragment(document, fragment, link.is_wiki);
            let written = match names.resolve(target, link.is_wiki, &note.path) {
                None => target.to_owned(),
                Some(file) if !has_part(&notes[file].document) => format!("{target}#{fragment}"),
                Some(_) => continue,
            };
            found.add(|| format!("{}:{}: {}", note.path, LineIndex::of(text).line(link.start), shortened(&written)));
        }
    }
    found
}

/// Names of a note besides its path and its file name, in lower case.
fn other_names(note: &Note) -> Vec<String> {
    let stem = note.path.stem();
    let mut names = Vec::new();
    if stem.contains("___") || stem.contains('%') {
        names.push(percent_decode(&stem.replace("___", "/")).to_lowercase());
    }
    let digits = stem.bytes().take_while(u8::is_ascii_digit).count();
    if digits >= MIN_ID_DIGITS {
        names.push(stem[..digits].to_owned());
    }
    names.extend(day_of(stem).into_iter().flat_map(day_names));
    let head = note.document.text().lines().take_while(|line| line.contains(":: ") || line.trim() == "-");
    for line in head {
        let line = line.trim_start_matches(['-', ' ']);
        let values = NAME_PROPERTIES.iter().find_map(|key| line.strip_prefix(key)).unwrap_or_default();
        let plain = |name: &str| name.trim().trim_start_matches("[[").trim_end_matches("]]").to_lowercase();
        names.extend(values.split(',').map(plain).filter(|name| !name.is_empty()));
    }
    names
}

/// The day in a note's name, as Logseq (`2026_01_02`) or Obsidian (`2026-01-02`) writes it.
fn day_of(stem: &str) -> Option<Date> {
    let stem = stem.replace('_', "-");
    is_daily_note(&stem).then(|| stem.parse().ok())?
}

/// How Logseq writes a day in a link: in its default format and the commonest others.
fn day_names(day: Date) -> [String; 4] {
    let (number, month) = (day.day(), MONTHS[day.month() as usize - 1]);
    let ending = match (number % 10, number / 10) {
        (_, 1) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    let written = |month: &str| format!("{month} {number}{ending}, {}", day.year());
    [written(&month[..3]), written(month), day.to_string(), day.strftime("%Y/%m/%d").to_string()]
}

/// Whether a note is that of a day.
pub(super) fn is_day_note(path: &MemoryPath) -> bool {
    day_of(path.stem()).is_some()
}

/// Whether a folder holds Logseq's own copies of earlier texts.
pub(super) fn is_backup(folder: &Path) -> bool {
    let is_logseq = || folder.parent().is_some_and(|above| above.join("config.edn").is_file());
    ["bak", "version-files"].iter().any(|name| folder.ends_with(name)) && is_logseq()
}

/// Whether a link is part of a template or of a query (`{{query [[x]]}}`), or stands in a comment of Obsidian, between
/// two `%%`.
fn is_placeholder(text: &str, link: &FileLink, comment_marks: &[usize]) -> bool {
    let target = &text[link.start..link.end];
    let end = link.span.start as usize;
    let near = &text.as_bytes()[end.saturating_sub(MAX_LOOKBACK)..end];
    let line = near.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let last = |bytes: &[u8], pair: &[u8]| bytes.windows(2).rposition(|two| two == pair);
    let in_braces = last(line, b"{{").is_some_and(|open| last(&line[open..], b"}}").is_none());
    let marks_before = comment_marks.partition_point(|mark| *mark < link.start);
    let in_comment = marks_before % 2 == 1 && marks_before < comment_marks.len();
    target.contains("{{") || target.contains("<%") || in_braces || in_comment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_the_names_that_logseq_gives_it() {
        let names = |stem: &str| day_of(stem).map(day_names).map(|names| names[0].clone());
        for (stem, name) in [
            ("2026_01_02", Some("jan 2nd, 2026")),
            ("2026-11-11", Some("nov 11th, 2026")),
            ("2026_05_31", Some("may 31st, 2026")),
            ("2026_13_01", None),
            ("notes", None),
        ] {
            assert_eq!(names(stem).as_deref(), name, "{stem}");
        }
    }
}
