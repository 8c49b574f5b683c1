//! `MEMORY.md` of an agent's memory folder: one line for each of the other files, which are read when they are needed
//! (<https://code.claude.com/docs/en/memory>). Finds those lines, and reads rule and kind of a file.
//!
//! Never reads another file and never decides which lines there should be: see `operation/memory_index.rs`.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Map, Value};

use super::links::{link_candidates, resolve_relative};
use super::{BlockKind, Document, lines};
use crate::path::MemoryPath;
use crate::policy::yaml;
use crate::text::Splice;
use crate::text::one_line::collapse_whitespace;
use crate::text::sentences::sentences;

/// The path of the index, at the top of the folder.
pub const INDEX_FILE: &str = "MEMORY.md";
/// The kinds of memories that Claude Code writes into `metadata.type` (`type` in older files).
const MEMORY_TYPES: [&str; 4] = ["user", "feedback", "project", "reference"];

/// The line of one file: a list item that starts with a link to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The path that the link leads to, from the top of the folder.
    pub target: String,
    /// The whole item with its line ending: its line, and the indented lines that continue it.
    pub range: Range<usize>,
    /// From the link to the end of the line, without blanks and line ending.
    pub body: Range<usize>,
}

/// Whether this is the path of an index.
pub fn is_index_path(path: &MemoryPath) -> bool {
    path.as_str() == INDEX_FILE
}

/// Whether a file is a derived index: it is called so, and lists files, calls itself an index, or has no text yet.
/// Other programs keep notes under the same name.
pub fn is_memory_index(path: &MemoryPath, text: &str) -> bool {
    is_index_path(path) && is_index_text(text)
}

fn is_index_text(text: &str) -> bool {
    let own_lines = || {
        let (_, body) = super::front_matter::split(text);
        text[body..].lines().map(str::trim).filter(|line| !line.is_empty())
    };
    let is_title = |line: &str| line.starts_with("# ") && line.to_lowercase().contains("index");
    !index_entries(text).is_empty() || own_lines().any(is_title) || own_lines().all(|line| line.starts_with('#'))
}

/// The lines of files in an index, in file order. Lines in code and comments are text like any other.
pub fn index_entries(text: &str) -> Vec<IndexEntry> {
    entries_and_end(text).0
}

/// The lines of files, and the end of what can hold more: code or a comment that is never closed goes to the end of
/// the text.
fn entries_and_end(text: &str) -> (Vec<IndexEntry>, usize) {
    let (mut found, mut at): (Vec<IndexEntry>, usize) = (Vec::new(), 0);
    let (mut fence, mut is_comment, mut opened_at) = (None, false, 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if is_comment {
            is_comment = !trimmed.contains("-->");
            continue;
        }
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => (fence, opened_at) = (Some(mark), start),
            _ => {}
        }
        if fence.is_some() || mark.is_some() {
            continue;
        }
        if trimmed.starts_with("<!--") {
            (is_comment, opened_at) = (!trimmed.contains("-->"), start);
            continue;
        }
        let continues = line.starts_with([' ', '\t']) && !trimmed.is_empty() && item_text(line).is_none();
        match (entry_at(line, start), found.last_mut()) {
            (Some(entry), _) => found.push(entry),
            (None, Some(last)) if continues && last.range.end == start => last.range.end = at,
            _ => {}
        }
    }
    let is_open = fence.is_some() || is_comment;
    (found, if is_open { opened_at } else { text.len() })
}

/// The entry of a line at an offset, if the line is one.
fn entry_at(line: &str, start: usize) -> Option<IndexEntry> {
    let text = item_text(line)?;
    let from = line.len() - text.len();
    let bare = text.trim_start_matches(['*', '_']);
    let link = link_candidates(text).into_iter().find(|link| !link.is_wiki)?;
    let label = &text[text.len() - bare.len()..link.span.start as usize];
    // The item starts with the link's own bracket: a task starts with another.
    let mut depth = 0;
    let is_inside = |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth > 0
    };
    if label.is_empty() || !label.chars().all(is_inside) {
        return None;
    }
    let top = MemoryPath::from_disk_name(INDEX_FILE).ok()?;
    let target = resolve_relative(&top, &text[link.start..link.end])?;
    let body = start + from..start + from + text.trim_end().len();
    Some(IndexEntry { target, range: start..start + line.len(), body })
}

/// The text of a list item's first line, behind its marker.
fn item_text(line: &str) -> Option<&str> {
    let text = line.trim_start_matches([' ', '\t']);
    let after = match text.strip_prefix(['-', '*', '+']) {
        Some(after) => after,
        None => {
            let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let after = digits.strip_prefix(['.', ')'])?;
            if digits.len() == text.len() { return None } else { after }
        }
    };
    after.starts_with([' ', '\t']).then(|| after.trim_start_matches([' ', '\t']))
}

/// The insertion of a new line. It goes behind the last line whose target sorts before its own, so that two branches
/// seldom write at the same place; the first line of all goes to the end of the text, apart from what is above it.
pub fn insert_entry(text: &str, target: &str, body: &str) -> Splice {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (entries, end) = entries_and_end(text);
    let before = entries.iter().rfind(|entry| *entry.target < *target);
    let (at, beside) = match (before, entries.first()) {
        (Some(before), _) => (before.range.end, before),
        (None, Some(first)) => (first.range.start, first),
        (None, None) => {
            let (above, below) = text.split_at(end);
            let ends_line = above.is_empty() || above.ends_with('\n');
            let is_apart = above.trim_start_matches('\u{feff}').is_empty() || above.ends_with(&eol.repeat(2));
            let gap = eol.repeat(usize::from(!ends_line) + usize::from(!is_apart));
            let end_gap = eol.repeat(usize::from(!below.is_empty()));
            return Splice { start: end, end, new: format!("{gap}- {body}{eol}{end_gap}") };
        }
    };
    let marker = &text[beside.range.start..beside.body.start];
    let marker = if marker.trim().len() == 1 { marker } else { "- " };
    let new = if text[..at].is_empty() || text[..at].ends_with('\n') {
        format!("{marker}{body}{eol}")
    } else {
        format!("{eol}{marker}{body}")
    };
    Splice { start: at, end: at, new }
}

/// Both sides of a merge without the conflicts about lines of files: if both changed a line, ours is taken; a removed
/// line stays removed. Lines are derived, and the next write of their file or `check --fix` corrects them. Of two lines
/// of one file only the first is looked at.
pub fn without_line_conflicts(base: &str, ours: &str, theirs: &str) -> (String, String) {
    let [base_entries, our_entries, their_entries] = [base, ours, theirs].map(entries_by_target);
    let (mut our_splices, mut their_splices) = (Vec::new(), Vec::new());
    let set = |entry: &IndexEntry, new: &str| Splice {
        start: entry.body.start,
        end: entry.range.start + lines_end(entry),
        new: new.to_owned(),
    };
    let old = |target: &str| base_entries.get(target).map(|old| &base[old.body.clone()]);
    for (target, entry) in &our_entries {
        let (body, old) = (&ours[entry.body.clone()], old(target));
        match their_entries.get(target) {
            Some(other) if Some(&theirs[other.body.clone()]) != old && Some(body) != old => {
                their_splices.push(set(other, body));
            }
            None => our_splices.extend(old.filter(|old| *old != body).map(|old| set(entry, old))),
            Some(_) => {}
        }
    }
    for (target, entry) in their_entries.iter().filter(|(target, _)| !our_entries.contains_key(*target)) {
        let old = old(target).filter(|old| *old != &theirs[entry.body.clone()]);
        their_splices.extend(old.map(|old| set(entry, old)));
    }
    let apply = |text: &str, mut splices: Vec<Splice>| {
        splices.sort_by_key(|splice| splice.start);
        crate::text::splice(text, &splices).unwrap_or_else(|_| text.to_owned())
    };
    (apply(ours, our_splices), apply(theirs, their_splices))
}

/// The first line of each file.
fn entries_by_target(text: &str) -> BTreeMap<String, IndexEntry> {
    let mut found = BTreeMap::new();
    for entry in index_entries(text) {
        found.entry(entry.target.clone()).or_insert(entry);
    }
    found
}

/// The end of an entry's body, from the start of the entry.
fn lines_end(entry: &IndexEntry) -> usize {
    entry.body.end - entry.range.start
}

/// The kind of memory that the front matter of a file names: `metadata.type`, or `type` in older files.
pub fn memory_type(document: &Document) -> Option<String> {
    let front = document.front_matter()?;
    if !document.text()[front.range()].contains("type") {
        return None;
    }
    let inner = inner_front_matter(document)?;
    let Ok(Value::Object(fields)) = yaml::parse(inner) else { return None };
    memory_type_of(&fields)
}

/// The kind of memory in the fields of a front matter.
pub(super) fn memory_type_of(fields: &Map<String, Value>) -> Option<String> {
    let nested = fields.get("metadata").and_then(|metadata| metadata.get("type")).and_then(Value::as_str);
    let flat = fields.get("type").and_then(Value::as_str).filter(|kind| MEMORY_TYPES.contains(kind));
    nested.or(flat).map(|kind| kind.trim().to_lowercase()).filter(|kind| !kind.is_empty())
}

/// The YAML between the fences.
fn inner_front_matter(document: &Document) -> Option<&str> {
    let range = document.front_matter()?.range();
    let bytes = document.text().as_bytes();
    let end = lines::start(bytes, lines::end_without_eol(bytes, range.end));
    document.text().get(lines::end(bytes, range.start)..end)
}

/// What a memory is about, in one sentence: the first of its text, unless that is a reason, else its description.
pub fn memory_rule(document: &Document) -> Option<String> {
    let text = document.text();
    let is_text = |kind: &BlockKind| matches!(kind, BlockKind::Paragraph | BlockKind::Bullet(_));
    let first = document.blocks().iter().find(|block| is_text(&block.kind));
    let first = first.map(|block| match block.kind {
        BlockKind::Bullet(bullet) => document.bullet_raw(bullet as usize),
        _ => &text[block.span.range()],
    });
    let sentence = first.filter(|text| !is_reason(text)).and_then(|text| {
        let line = collapse_whitespace(text.split("**Why").next().unwrap_or(text));
        sentences(&line).first().map(|sentence| sentence.trim().to_owned())
    });
    sentence.filter(|sentence| !sentence.is_empty()).or_else(|| document.front_text("description"))
}

/// Whether a text is the reason of a rule, or how it is applied, not the rule itself.
pub fn is_reason(text: &str) -> bool {
    ["**Why", "**How to apply"].iter().any(|start| text.trim_start().starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = index_entries(text);
        let found: Vec<(&str, &str)> = found.iter().map(|e| (e.target.as_str(), &text[e.range.clone()])).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn the_lines_of_files_are_found() {
        check("# I\n\n- [A](a.md) — hook\n- own line\n", &[("a.md", "- [A](a.md) — hook\n")]);
        check("* **[A b](a%20b.md)** -- x\r\n", &[("a b.md", "* **[A b](a%20b.md)** -- x\r\n")]);
        check("2. [A](./sub/a.md)\n   — more\n\ntext\n", &[("sub/a.md", "2. [A](./sub/a.md)\n   — more\n")]);
        check("- [a (b)](a_(b).md)\n  - nested\n", &[("a_(b).md", "- [a (b)](a_(b).md)\n")]);
        check("- [A](a.md)", &[("a.md", "- [A](a.md)")]);
        for foreign in [
            "- see [A](a.md)\n",
            "[A](a.md)\n",
            "- [A](https://x/a.md)\n",
            "- [A](a.txt)\n",
            "- [[a]]\n",
            "- [A](../a.md)\n",
            "```\n- [A](a.md)\n```\n",
            "<!--\n- [A](a.md)\n-->\n",
            "- [x] do [A](a.md)\n",
        ] {
            check(foreign, &[]);
        }
    }

    #[test]
    fn an_index_is_told_from_notes_of_the_same_name() {
        let path = MemoryPath::new(INDEX_FILE).unwrap();
        for index in ["", "# Memory\n\n", "# Memory Index\n\nmine\n", "- [A](a.md)\n\nmine\n"] {
            assert!(is_memory_index(&path, index), "{index:?}");
        }
        assert!(!is_memory_index(&path, "# MEMORY.md\n\n## Decisions\n\n- MQTT\n"));
        assert!(!is_memory_index(&MemoryPath::new("sub/MEMORY.md").unwrap(), "- [A](a.md)\n"));
    }

    #[test]
    fn a_new_line_goes_where_its_name_sorts() {
        let insert = |text: &str, target: &str| {
            crate::text::splice(text, &[insert_entry(text, target, &format!("[N]({target})"))]).unwrap()
        };
        assert_eq!(insert("", "a.md"), "- [N](a.md)\n");
        assert_eq!(insert("# I\n", "a.md"), "# I\n\n- [N](a.md)\n");
        assert_eq!(insert("# I\n\n", "a.md"), "# I\n\n- [N](a.md)\n");
        assert_eq!(insert("# I\n\n```\nx\n", "a.md"), "# I\n\n- [N](a.md)\n\n```\nx\n");
        assert_eq!(insert("# I\n<!-- x\n", "a.md"), "# I\n\n- [N](a.md)\n\n<!-- x\n");
        assert_eq!(insert("# I\r\n\r\n- [B](b.md)\r\n", "a.md"), "# I\r\n\r\n- [N](a.md)\r\n- [B](b.md)\r\n");
        assert_eq!(insert("* [B](b.md)\n\nmine\n", "c.md"), "* [B](b.md)\n* [N](c.md)\n\nmine\n");
        assert_eq!(insert("1. [B](b.md)", "c.md"), "1. [B](b.md)\n- [N](c.md)");
    }

    #[test]
    fn a_file_says_what_it_is_about() {
        let of = |text: &str| {
            let document = Document::parse(text);
            (memory_type(&document), memory_rule(&document))
        };
        let some = |text: &str| Some(text.to_owned());
        let head = "---\nname: a\ndescription: Short\nmetadata:\n  type: feedback\n---\n\n";
        assert_eq!(of(&format!("{head}Use pnpm. Always.\n\n**Why:** x\n")), (some("feedback"), some("Use pnpm.")));
        assert_eq!(of(&format!("{head}**Why:** x\n")), (some("feedback"), some("Short")));
        assert_eq!(of("---\ntype: user\n---\n- Knows C\n"), (some("user"), some("Knows C")));
        assert_eq!(of("---\ntype: note\n---\n# T\n"), (None, None));
    }

    #[test]
    fn two_edits_of_one_line_are_no_conflict() {
        let base = "- [A](a.md) — 1\n- [B](b.md) — 1\n";
        let (ours, theirs) = without_line_conflicts(base, "- [A](a.md) — 2\n", "- [A](a.md) — 3\n- [B](b.md) — 4\n");
        assert_eq!((ours.as_str(), theirs.as_str()), ("- [A](a.md) — 2\n", "- [A](a.md) — 2\n- [B](b.md) — 1\n"));
        let twice = "- [A](a.md) — 2\n- [A](a.md) — 3\n";
        assert_eq!(without_line_conflicts(base, twice, "- [A](a.md) — 4\n").1, "- [A](a.md) — 2\n");
        // Two lines of one file.
        let twice = "- [A](a.md) — 3\n- [A](a.md) — 4\n";
        let (ours, theirs) = without_line_conflicts("- [A](a.md) — 1\n", "- [A](a.md) — 2\n- [A](a.md) — 5\n", twice);
        assert_eq!(ours, "- [A](a.md) — 2\n- [A](a.md) — 5\n");
        assert_eq!(theirs, "- [A](a.md) — 2\n- [A](a.md) — 4\n");
    }
}
