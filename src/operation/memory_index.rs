//! Keeps `MEMORY.md` of an agent's memory folder in step with the files that a batch changes: their lines are derived
//! in the same changeset, once, when everything else is planned (ARCHITECTURE.md, "The index of an agent's folder").
//!
//! Never reads the names of all files: `check --fix` does that. Never changes a line that is not the line of a file.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::file_change::{file_change, minimal_splice};
use super::planner::Planner;
use super::snapshot::{MissingInput, PlanStep, PlanStop, Snapshot};
use crate::change::{Changeset, FileChange};
use crate::document::Document;
use crate::document::memory_index::{
    INDEX_FILE, IndexEntry, index_entries, insert_entry, is_index_path, is_memory_index, memory_rule, memory_type,
};
use crate::path::MemoryPath;
use crate::text::one_line::{collapse_whitespace, cut_at_word};
use crate::text::{Splice, splice};

/// The host reads no more of the index than this many lines (<https://code.claude.com/docs/en/memory>).
pub const MAX_INDEX_LINES: usize = 200;
/// Nor more than this many bytes: 25 KB.
pub const MAX_INDEX_BYTES: usize = 25_000;
/// A line is at most this long, in characters.
const MAX_LINE_CHARS: usize = 150;

/// The path of the index.
pub fn index_path() -> Option<MemoryPath> {
    MemoryPath::from_disk_name(INDEX_FILE).ok()
}

/// Whether the index has lines for such files: all but itself, episodes, proposals and what was archived.
pub fn is_listed(path: &MemoryPath) -> bool {
    !is_index_path(path) && !path.holds_episodes() && !path.is_set_aside()
}

/// Whether the memory is an agent's folder with such an index, and has no `facts/`: new files go beside the others.
pub fn is_flat_folder(snapshot: &Snapshot) -> PlanStep<bool> {
    let Some(path) = index_path() else { return Ok(false) };
    match snapshot.file(&path) {
        Ok(Some(file)) if is_memory_index(&path, file.document.text()) => Ok(!snapshot.has_top_folder("facts")?),
        Ok(_) | Err(PlanStop::Rejected(_)) => Ok(false),
        Err(needed) => Err(needed),
    }
}

/// The index as an input that planning needs, if it was not read yet.
pub fn missing_index(snapshot: &Snapshot) -> Option<MissingInput> {
    match snapshot.file(&index_path()?) {
        Err(PlanStop::NeedsInput(needed)) => Some(needed),
        _ => None,
    }
}

/// Adds the index to a changeset that changes files which it lists. Files that it needs to compare their values are
/// requested all at once.
pub fn update_index(planner: &mut Planner<'_>, changeset: &mut Changeset) -> PlanStep<()> {
    let Some(path) = index_path() else { return Ok(()) };
    if !changeset.files.iter().any(|file| is_listed(&file.path)) {
        return Ok(());
    }
    let present = match planner.snapshot.file(&path) {
        Ok(present) => present,
        // What the caller may not see, or a merge left in conflict, is left alone.
        Err(PlanStop::Rejected(_)) => return Ok(()),
        Err(needed) => return Err(needed),
    };
    let planned = changeset.files.iter().position(|file| file.path == path);
    let before = match (planned, present) {
        (Some(at), _) => changeset.files[at].after.as_deref().and_then(|bytes| text_of(bytes)).map(str::to_owned),
        (None, present) => present.map(|file| file.document.text().to_owned()),
    };
    let Some(before) = before.filter(|text| is_memory_index(&path, text)) else { return Ok(()) };
    if present.is_some_and(|file| file.document.conflict_marker_line().is_some()) {
        return Ok(());
    }
    let mut changed: HashMap<MemoryPath, Document> = HashMap::new();
    let mut text = before.clone();
    for file in &changeset.files {
        text = with_file(planner.snapshot, text, file);
        let after = file.after.as_deref().and_then(|bytes| text_of(bytes));
        changed.extend(after.map(|after| (file.path.clone(), Document::parse(after))));
    }
    if is_too_long(&text) {
        let today = planner.today();
        let mut values = HashMap::new();
        for entry in index_entries(&text) {
            match value_in_snapshot(planner.snapshot, &changed, &entry.target, &today) {
                Ok(value) => drop(values.insert(entry.target, value)),
                Err(PlanStop::NeedsInput(needed)) => planner.missing_inputs.push(needed),
                Err(PlanStop::Rejected(_)) => {}
            }
        }
        text = packed(text, |target| values.get(target).cloned().flatten());
    }
    if text == before {
        return Ok(());
    }
    let edits = present.map(|file| vec![minimal_splice(file.document.text(), &text)]);
    let mut change = file_change(&path, present, Some(Document::parse(text)), edits, None);
    match planned {
        Some(at) => {
            change.moved = changeset.files[at].moved.take();
            changeset.files[at] = change;
        }
        None => changeset.files.push(change),
    }
    Ok(())
}

fn text_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The index after the change of one file. A line that differs from the derived one was written by a person or by the
/// agent: it stays as long as the file.
fn with_file(snapshot: &Snapshot, mut text: String, file: &FileChange) -> String {
    let old_path = file.moved.as_ref().filter(|_| file.before.is_none()).unwrap_or(&file.path);
    let old = snapshot.file(old_path).ok().flatten().map(|old| &old.document);
    let after = file.after.as_deref().and_then(|bytes| text_of(bytes)).filter(|_| is_listed(&file.path));
    let Some(after) = after else {
        let new_path = file.moved.as_ref().filter(|new| file.after.is_none() && is_listed(new));
        return match new_path {
            // The new path's change follows; until then the line waits for it.
            Some(_) => text,
            None => without_entries(text, file.path.as_str()),
        };
    };
    let document = Document::parse(after);
    let body = derived_line(&file.path, &document);
    // A rename of the file may already have renamed the target of its line.
    for target in [old_path, &file.path] {
        let derived = old.map(|old| [target, old_path].map(|named| line_of(old, &title_of(named, old), target)));
        let entries: Vec<IndexEntry> =
            index_entries(&text).into_iter().filter(|e| e.target == target.as_str()).collect();
        let mut splices = Vec::new();
        for entry in &entries {
            let is_derived = derived.iter().flatten().any(|line| *line == text[entry.body.clone()]);
            if is_derived {
                splices.push(Splice { start: entry.body.start, end: entry.body.end, new: body.clone() });
            } else if target != &file.path {
                splices.extend(renamed_target(&text, entry, &file.path));
            }
        }
        text = spliced(text, &splices);
    }
    if !index_entries(&text).iter().any(|entry| entry.target == file.path.as_str()) {
        let insertion = insert_entry(&text, file.path.as_str(), &body);
        text = spliced(text, &[insertion]);
    }
    text
}

fn spliced(text: String, splices: &[Splice]) -> String {
    splice(&text, splices).unwrap_or(text)
}

fn without_entries(text: String, target: &str) -> String {
    let entries = index_entries(&text).into_iter().filter(|entry| entry.target == target);
    let splices: Vec<Splice> = entries.map(|entry| removal(&entry)).collect();
    spliced(text, &splices)
}

fn removal(entry: &IndexEntry) -> Splice {
    Splice { start: entry.range.start, end: entry.range.end, new: String::new() }
}

/// The replacement of the link's target in a line.
fn renamed_target(text: &str, entry: &IndexEntry, to: &MemoryPath) -> Option<Splice> {
    let body = &text[entry.body.clone()];
    let link = crate::document::links::link_candidates(body).into_iter().find(|link| !link.is_wiki)?;
    let at = entry.body.start;
    Some(Splice { start: at + link.start, end: at + link.end, new: encoded(to.as_str()) })
}

/// The line of a file: `[Title](file.md) — hook`, without the list marker.
pub fn derived_line(path: &MemoryPath, document: &Document) -> String {
    line_of(document, &title_of(path, document), path)
}

fn line_of(document: &Document, title: &str, target: &MemoryPath) -> String {
    let link = format!("[{title}]({})", encoded(target.as_str()));
    let summary = || document.summary_line().map(|line| document.text()[line.value.range()].to_owned());
    let hook = document.front_text("description").filter(|text| !text.trim().is_empty());
    let hook = hook.or_else(|| summary().filter(|text| !text.trim().is_empty())).or_else(|| memory_rule(document));
    let room = MAX_LINE_CHARS.saturating_sub(link.chars().count() + 5).max(20);
    match hook.map(|hook| cut_at_word(&link_text(&hook), room)).filter(|hook| !hook.is_empty()) {
        Some(hook) => format!("{link} — {hook}"),
        None => link,
    }
}

/// The title of a file: `title`, its heading, `name`, its file name; a name in small letters is written as words.
fn title_of(path: &MemoryPath, document: &Document) -> String {
    let heading = || document.sections().iter().position(|section| section.level == 1);
    let title = document.front_text("title").or_else(|| Some(document.section_title(heading()?).into_owned()));
    let title = title.or_else(|| document.front_text("name")).filter(|title| !title.trim().is_empty());
    let title = title.unwrap_or_else(|| path.stem().to_owned());
    let title = cut_at_word(&link_text(&title.replace(['[', ']'], "")), MAX_LINE_CHARS / 2);
    super::locate::new_section_title(if title.is_empty() { path.stem() } else { &title })
}

/// A text on one line, without what would start a comment or another link.
fn link_text(text: &str) -> String {
    let plain = |c: char| if c.is_control() || c == '<' { ' ' } else { c };
    collapse_whitespace(&text.chars().map(plain).collect::<String>()).replace("](", "] (")
}

/// A path as the target of a link.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            ' ' | '(' | ')' | '%' | '#' | '<' | '>' => out.push_str(&format!("%{:02X}", c as u32)),
            _ => out.push(c),
        }
    }
    out
}

/// What decides which lines stay where not all fit; the greater value stays.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineValue {
    /// The greatest importance in the file; 10 for one with something pinned.
    importance: u8,
    /// The newest date that the file names: `modified`, or of a bullet.
    date: Option<String>,
    /// `user`, `feedback`, `project`, `reference`, then others.
    category: Reverse<usize>,
    /// The first in the order of names.
    name: Reverse<String>,
}

impl LineValue {
    /// The value of the line of a file.
    pub fn of(path: &str, document: &Document) -> LineValue {
        let metas = || (0..document.bullets().len()).filter_map(|bullet| document.bullet_meta(bullet));
        let stated = document.front_text("importance").and_then(|value| value.trim().parse().ok());
        let importance = |meta: &crate::document::BulletMeta| {
            if meta.is_pinned() { 10 } else { meta.importance().unwrap_or(0) }
        };
        let modified = document.front_text("modified").map(|day| day.chars().take(10).collect::<String>());
        let days = metas().filter_map(|meta| meta.day_changed()).map(|day| day.to_string());
        let kinds = ["user", "feedback", "project", "reference"];
        let kind = memory_type(document);
        LineValue {
            importance: metas().map(|meta| importance(&meta)).chain(stated).max().unwrap_or(0).min(10),
            date: days.chain(modified).max(),
            category: Reverse(kinds.iter().position(|name| Some(*name) == kind.as_deref()).unwrap_or(kinds.len())),
            name: Reverse(path.to_owned()),
        }
    }
}

/// Whether the host would not read all of an index.
fn is_too_long(text: &str) -> bool {
    text.len() > MAX_INDEX_BYTES || text.lines().count() > MAX_INDEX_LINES
}

/// Removes the lines of the least valuable files until the host reads all of the index. `value` is `None` for a file
/// that does not exist.
fn packed(text: String, value: impl Fn(&str) -> Option<LineValue>) -> String {
    let mut entries: Vec<(Option<LineValue>, IndexEntry)> =
        index_entries(&text).into_iter().map(|entry| (value(&entry.target), entry)).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.range.start.cmp(&a.1.range.start)));
    let (mut bytes, mut lines, mut splices) = (text.len(), text.lines().count(), Vec::new());
    for (_, entry) in &entries {
        if bytes <= MAX_INDEX_BYTES && lines <= MAX_INDEX_LINES {
            break;
        }
        bytes -= entry.range.len();
        lines -= text[entry.range.clone()].lines().count();
        splices.push(removal(entry));
    }
    splices.sort_by_key(|splice| splice.start);
    spliced(text, &splices)
}

/// The value of a line's file; what is changed now is as new as can be. Only a full index needs it: then the listed
/// files are read, at most as many as it has lines.
fn value_in_snapshot(
    snapshot: &Snapshot,
    changed: &HashMap<MemoryPath, Document>,
    target: &str,
    today: &str,
) -> PlanStep<Option<LineValue>> {
    let Ok(path) = MemoryPath::from_disk_name(target) else { return Ok(None) };
    if let Some(document) = changed.get(&path) {
        return Ok(Some(LineValue { date: Some(today.to_owned()), ..LineValue::of(target, document) }));
    }
    match snapshot.file(&path) {
        Ok(file) => Ok(file.map(|file| LineValue::of(target, &file.document))),
        Err(PlanStop::Rejected(_)) => Ok(None),
        Err(needed) => Err(needed),
    }
}

/// The index as it should be for these files: lines of files that are gone are removed, and what the host would not
/// read; missing ones are added as long as they fit, the most valuable first. `read` is `None` for a file that is
/// not text.
pub fn complete_index(text: &str, files: &[MemoryPath], read: impl Fn(&MemoryPath) -> Option<Document>) -> String {
    let is_there = |target: &str| files.iter().any(|path| path.as_str() == target);
    let gone: Vec<Splice> = index_entries(text).iter().filter(|entry| !is_there(&entry.target)).map(removal).collect();
    let mut text = spliced(text.to_owned(), &gone);
    if is_too_long(&text) {
        let value = |target: &str| {
            let path = MemoryPath::from_disk_name(target).ok()?;
            Some(LineValue::of(target, &read(&path)?))
        };
        text = packed(text, value);
    }
    let listed: HashSet<String> = index_entries(&text).into_iter().map(|entry| entry.target).collect();
    let missing = files.iter().filter(|path| is_listed(path) && !listed.contains(path.as_str()));
    let mut missing: Vec<(LineValue, &MemoryPath, String)> = missing
        .filter_map(|path| {
            let document = read(path)?;
            Some((LineValue::of(path.as_str(), &document), path, derived_line(path, &document)))
        })
        .collect();
    missing.sort_by(|a, b| b.0.cmp(&a.0));
    for (_, path, body) in missing {
        let insertion = insert_entry(&text, path.as_str(), &body);
        let longer = spliced(text.clone(), &[insertion]);
        if is_too_long(&longer) {
            break;
        }
        text = longer;
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::overlay::Overlay;
    use super::super::overlay::tests::plan_on;
    use super::super::{Action, Operation, Target};
    use super::*;
    use crate::change::FileVersion;

    fn path(name: &str) -> MemoryPath {
        MemoryPath::new(name).unwrap()
    }

    #[test]
    fn a_line_names_the_file_and_what_it_is_about() {
        let line = |name: &str, text: &str| derived_line(&path(name), &Document::parse(text));
        assert_eq!(line("a_b.md", "# Title\n\n- One. Two.\n"), "[Title](a_b.md) — One.");
        assert_eq!(line("a_b.md", "---\nname: use-pnpm\ndescription: d\n---\nx\n"), "[Use pnpm](a_b.md) — d");
        assert_eq!(line("a b (c).md", "> Summary: terms\n"), "[a b (c)](a%20b%20%28c%29.md) — terms");
        assert_eq!(line("a.md", ""), "[A](a.md)");
        assert_eq!(line("a.md", "# [x](y)\n\n- see [b](b.md) <!-- c\n"), "[X(y)](a.md) — see [b] (b.md) !-- c");
        let long = line("a.md", &format!("# T\n\n- {}\n", "word ".repeat(60)));
        assert!(long.chars().count() <= MAX_LINE_CHARS && long.ends_with("word…"), "{long}");
    }

    /// Plans operations one after the other on files in memory, and returns the files after each.
    fn plan_all(files: &BTreeMap<String, String>, actions: Vec<Action>) -> Vec<BTreeMap<String, String>> {
        let mut overlay = Overlay::default();
        for (name, text) in files {
            overlay.current.insert_file(path(name), Ok(Some(FileVersion::new(text.as_bytes().to_vec(), 0o600))));
        }
        let (mut files, mut states) = (files.clone(), Vec::new());
        for action in actions {
            let names: Vec<MemoryPath> = files.keys().map(|name| path(name)).collect();
            let changeset = plan_on(&mut overlay, &names, &[Operation::from(action)]).unwrap_or_default();
            for file in &changeset.files {
                match &file.after {
                    Some(bytes) => {
                        drop(files.insert(file.path.to_string(), String::from_utf8(bytes.to_vec()).unwrap()))
                    }
                    None => drop(files.remove(file.path.as_str())),
                }
            }
            overlay.push(changeset);
            states.push(files.clone());
        }
        states
    }

    fn action(kind: u8, n: usize, words: usize) -> Action {
        let at = Target::Address(format!("m{n}.md"));
        let text = format!("---\ndescription: {}\n---\n\n- fact {n}\n", "word ".repeat(words));
        match kind {
            0 => Action::Remove {
                at,
                index: None,
                text: None,
                archive: false,
                if_exists: true,
                purge: None,
                forget: false,
            },
            1 => Action::Move { at, to: format!("n{n}.md"), create: true },
            _ => Action::Write { at, text, create: true },
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
        #[test]
        fn an_index_fits_and_keeps_foreign_lines(
            listed in prop_oneof![0usize..3, 0usize..200],
            foreign in proptest::collection::vec("[a-z>#*`-]{0,3} ?[a-zA-Z .()\\[\\]]{0,40}", 0..20),
            steps in proptest::collection::vec((0u8..4, 0usize..210, 0usize..40), 1..12),
        ) {
            let mut lines: Vec<String> = foreign.clone();
            lines.extend((0..listed).map(|n| format!("- [M{n}](m{n}.md) — {}", "hook ".repeat(n % 26))));
            let text = format!("# Memory Index\n\n{}\n", lines.join("\n"));
            prop_assume!(index_entries(&text).len() == listed);
            let mut files: BTreeMap<String, String> =
                (0..listed).map(|n| (format!("m{n}.md"), format!("- fact {n}\n"))).collect();
            files.insert(INDEX_FILE.to_owned(), text);
            let other = |files: &BTreeMap<String, String>| without_all(files[INDEX_FILE].clone());
            let actions = steps.into_iter().map(|(kind, n, words)| action(kind, n, words)).collect();
            for state in plan_all(&files, actions) {
                let index = &state[INDEX_FILE];
                let (before, after) = (other(&files), other(&state));
                if index_entries(&files[INDEX_FILE]).is_empty() {
                    // The first line of all is set apart by a blank one.
                    let is_full = |line: &&str| !line.is_empty();
                    let own = after.split('\n').filter(is_full).collect::<Vec<_>>();
                    prop_assert_eq!(own, before.split('\n').filter(is_full).collect::<Vec<_>>());
                } else {
                    prop_assert_eq!(after, before);
                }
                for entry in index_entries(index) {
                    prop_assert!(state.contains_key(&entry.target), "{}", entry.target);
                }
                if state != files {
                    prop_assert!(!is_too_long(index), "{} {}", index.len(), index.lines().count());
                }
                files = state;
            }
        }
    }

    fn without_all(text: String) -> String {
        let splices: Vec<Splice> = index_entries(&text).iter().map(removal).collect();
        spliced(text, &splices)
    }
}
