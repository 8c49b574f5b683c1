//! `check --rot DIR`: what is wrong with any folder of notes, as numbers with examples: repeated and contradicting
//! bullets, dangling links, an index that hosts cut off, anchors to code that changed, keys and passwords.
//!
//! Never writes, and needs no memory: the folder may be another program's.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::contradictions::{PairSearch, contradicting_pairs_within};
use super::places::LineIndex;
use super::rot_index::{index_overflow, not_in_index};
use super::rot_links::{dangling_links, is_backup, is_day_note};
use super::rot_memories::{FolderReader, holds_scopes, is_restricted_memory, require_readable};
use crate::code::Rejection;
use crate::commands::Session;
use crate::commands::results::{RotCount, RotKind, RotReport, RotStop};
use crate::document::related_edge::stating_bullets;
use crate::document::{Document, MetaKey};
use crate::host::code_history::repository_root;
use crate::host::notes_folder::{self, FolderLimit, FolderLimits};
use crate::path::MemoryPath;
use crate::store::code_files::CodeFiles;
use crate::text::code_anchor::CodeAnchor;
use crate::text::code_text::CodeText;
use crate::text::near_duplicate::extra_words;
use crate::text::one_line::cut_with_ellipsis;
use crate::text::secrets::{blank_pins, find_secrets, redact};
use crate::text::statement::Statement;

/// How many examples of each kind are shown.
const EXAMPLES: usize = 3;
/// The longest text in an example, in characters.
const MAX_EXAMPLE_CHARS: usize = 60;
/// Of more bullets with the same words, the rest is not compared.
const MAX_EQUAL_BULLETS: usize = 40;
/// Bullets with fewer words are list entries, not facts: `- yes` repeats everywhere.
const MIN_WORDS: usize = 2;

/// The most pairs of bullets of one section that are compared, in the whole folder.
const MAX_PAIRS: usize = 500_000;

/// A note that could be read.
pub(super) struct Note {
    pub path: MemoryPath,
    pub document: Document,
}

/// Examines a folder for a caller, whose session is given where it has one.
///
/// # Errors
/// `category_not_allowed` for a memory that restricts the caller; `scope_not_allowed` in a scope, for what is outside
/// it in its memory; as [`notes_folder::read_folder`].
pub fn check_rot(dir: &Path, reader: FolderReader<'_>, session: Option<&Session>) -> Result<RotReport, Rejection> {
    require_readable(dir, reader, session)?;
    let limits = FolderLimits::default();
    let is_left_out = |folder: &Path| holds_scopes(folder) || is_backup(folder) || is_restricted_memory(folder, reader);
    let mut folder = notes_folder::read_folder(dir, limits, &is_left_out)?;
    let files = std::mem::take(&mut folder.files);
    let mut report = RotReport { dir: dir.display().to_string(), files: files.len(), ..RotReport::default() };
    report.left_out = folder.left_out;
    report.stopped = folder.stopped.map(|limit| stop_of(limit, limits, folder.entries));
    let mut notes = Vec::new();
    for file in files {
        report.bytes += file.bytes.len();
        match (MemoryPath::from_disk_name(&file.path), Document::from_bytes(file.bytes)) {
            (Ok(path), Ok(document)) => notes.push(Note { path, document }),
            (Err(_), _) => folder.add_unreadable(&file.path, "its name cannot be shown"),
            (_, Err(_)) => folder.add_unreadable(&file.path, "it is not UTF-8 text"),
        }
    }
    (report.unreadable, report.unreadable_examples) = (folder.unreadable, folder.unreadable_examples);
    report.bullets = notes.iter().map(|note| stating_bullets(&note.document).count()).sum();
    let mut search = PairSearch::of_at_most(MAX_PAIRS);
    let contradicting = contradictions(&notes, &mut search);
    report.frequent_words = search.frequent_words.len();
    if search.max_pairs == 0 {
        report.stopped.get_or_insert(RotStop { what: "pairs of bullets", limit: MAX_PAIRS, entries: folder.entries });
    }
    report.counts = vec![
        (RotKind::Repeated, repeated(&notes)),
        (RotKind::Contradictions, contradicting),
        (RotKind::DanglingLinks, dangling_links(&notes)),
        (RotKind::IndexOverflow, index_overflow(&notes)),
        (RotKind::NotInIndex, not_in_index(&notes)),
        (RotKind::StaleAnchors, stale_anchors(dir, &notes)),
        (RotKind::Secrets, secrets(&notes)),
    ]
    .into_iter()
    .map(|(kind, found)| RotCount { kind, what: kind.words(), count: found.count, examples: found.examples })
    .collect();
    Ok(report)
}

fn stop_of(limit: FolderLimit, limits: FolderLimits, entries: usize) -> RotStop {
    let (what, limit) = match limit {
        FolderLimit::Entries => ("names of files and folders", limits.entries),
        FolderLimit::Files => ("markdown files", limits.files),
        FolderLimit::Bytes => ("bytes of markdown files", limits.bytes as usize),
    };
    RotStop { what, limit, entries }
}

/// How many there are, and the first few.
#[derive(Default)]
pub(super) struct CountedExamples {
    pub count: usize,
    pub examples: Vec<String>,
}

impl CountedExamples {
    /// Counts one more. Its text is made only for the first few: to find its line takes time.
    pub fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(example());
        }
    }
}

fn place(note: &Note, at: u32) -> String {
    format!("{}:{}", note.path, LineIndex::of(note.document.text()).line(at as usize))
}

pub(super) fn shortened(text: &str) -> String {
    cut_with_ellipsis(&redact(text).0, MAX_EXAMPLE_CHARS).into_owned()
}

/// A bullet, by note and index.
type BulletAt = (usize, usize);

fn repeated(notes: &[Note]) -> CountedExamples {
    let text_of = |(n, bullet): BulletAt| notes[n].document.bullet_text(bullet);
    // A hash for each bullet, because there may be a million: equal hashes are compared as texts.
    let mut by_words: Vec<(u64, BulletAt)> = Vec::new();
    for (n, note) in notes.iter().enumerate() {
        for bullet in stating_bullets(&note.document) {
            by_words.extend(words_hash(&text_of((n, bullet))).map(|hash| (hash, (n, bullet))));
        }
    }
    by_words.sort_unstable();
    let mut groups: Vec<&[(u64, BulletAt)]> =
        by_words.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1).collect();
    groups.sort_by_key(|group| group[0].1);
    let mut found = CountedExamples::default();
    for group in groups {
        let first_text = text_of(group[0].1);
        let first = Statement::of_item(&first_text);
        // Of many equal ones, each is compared with the first.
        for &(_, other) in group[1..].iter().take(MAX_EQUAL_BULLETS) {
            // What was done on two days is no repetition.
            if other.0 != group[0].1.0 && [other, group[0].1].iter().all(|at| is_day_note(&notes[at.0].path)) {
                continue;
            }
            let text = text_of(other);
            let statement = Statement::of_item(&text);
            if first.text.trim() == statement.text.trim()
                || extra_words(&first, &statement) == Some(0) && first.has_same_tokens(&statement)
            {
                let at = |(n, bullet): BulletAt| place(&notes[n], notes[n].document.bullets()[bullet].line_start);
                found.add(|| format!("{} = {}: {}", at(other), at(group[0].1), shortened(&text)));
            }
        }
    }
    found
}

/// A hash of a bullet's label and words in any order; `None` if it has too few words.
fn words_hash(text: &str) -> Option<u64> {
    let statement = Statement::of_item(text);
    let mut words: Vec<&str> = statement.content().map(|token| token.key.as_str()).collect();
    if words.len() + usize::from(statement.label.is_some()) < MIN_WORDS {
        return None;
    }
    words.sort_unstable();
    let mut hasher = DefaultHasher::new();
    (statement.label_key.as_deref().unwrap_or_default(), words).hash(&mut hasher);
    Some(hasher.finish())
}

/// The contradicting pairs, as far as the search may go.
fn contradictions(notes: &[Note], search: &mut PairSearch) -> CountedExamples {
    let mut found = CountedExamples::default();
    for note in notes {
        let text = |bullet: usize| shortened(&note.document.bullet_text(bullet));
        let at = |bullet: usize| place(note, note.document.bullets()[bullet].line_start);
        for (a, b) in contradicting_pairs_within(&note.document, search) {
            found.add(|| format!("{}: {} / {}: {}", at(b), text(b), at(a), text(a)));
        }
    }
    found
}

fn stale_anchors(dir: &Path, notes: &[Note]) -> CountedExamples {
    let root = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    // It follows no link out of the repository.
    let Ok(code) = CodeFiles::open(&repository_root(&root).unwrap_or(root)) else { return CountedExamples::default() };
    let mut anchors: Vec<(BulletAt, CodeAnchor)> = Vec::new();
    for (n, note) in notes.iter().enumerate() {
        for (i, _) in note.document.bullets().iter().enumerate().filter(|(_, bullet)| bullet.meta.is_some()) {
            let meta = note.document.bullet_meta(i).unwrap_or_default();
            let anchor = meta.raw(MetaKey::Anchor.name()).and_then(|text| CodeAnchor::parse(text).ok());
            anchors.extend(anchor.filter(|anchor| anchor.hash.is_some()).map(|anchor| ((n, i), anchor)));
        }
    }
    // Each file of code is read once.
    anchors.sort_by(|a, b| a.1.path.cmp(&b.1.path));
    let mut stale: Vec<(BulletAt, String)> = Vec::new();
    for of_file in anchors.chunk_by(|a, b| a.1.path == b.1.path) {
        let text = code.read(&of_file[0].1.path).ok().flatten().and_then(CodeText::new);
        for (at, anchor) in of_file {
            let state = match (&text, anchor.hash) {
                (None, _) => "is gone",
                (Some(text), Some(hash)) if !text.has_hash(anchor.lines, hash) => "has changed",
                (Some(_), _) => continue,
            };
            stale.push((*at, format!("{} {state}", anchor.place())));
        }
    }
    stale.sort();
    let mut found = CountedExamples::default();
    for ((n, bullet), what) in &stale {
        found.add(|| format!("{}: {what}", place(&notes[*n], notes[*n].document.bullets()[*bullet].line_start)));
    }
    found
}

/// The kinds and places of secrets; never a part of one.
fn secrets(notes: &[Note]) -> CountedExamples {
    let mut found = CountedExamples::default();
    for note in notes {
        for secret in find_secrets(&blank_pins(note.document.text())) {
            found.add(|| format!("{}: {}", place(note, secret.range.start as u32), secret.kind));
        }
    }
    found
}
