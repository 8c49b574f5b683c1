//! `check --rot DIR`: what is wrong with any folder of notes, as numbers with examples: repeated and contradicting
//! bullets, dangling links, an index that hosts cut off, anchors to code that changed, keys and passwords.
//!
//! Never writes, and needs no memory: the folder may be another program's.

use std::collections::HashMap;
use std::path::Path;

use super::contradictions::contradicting_pairs;
use super::line_and_column;
use super::links::dangling_targets;
use crate::code::Rejection;
use crate::commands::answer::{RotCount, RotReport};
use crate::document::related_edge::stating_bullets;
use crate::document::{Document, MetaKey};
use crate::host::code_history::repository_root;
use crate::host::notes_folder;
use crate::path::MemoryPath;
use crate::reflect::guards::secrets::{find_secrets, redact};
use crate::store::code_files::CodeFiles;
use crate::text::code_anchor::CodeAnchor;
use crate::text::code_text::CodeText;
use crate::text::near_duplicate::extra_words;
use crate::text::statement::Statement;
use crate::view::links::LinkNames;

/// How many examples of each kind are shown.
const EXAMPLES: usize = 3;
/// The longest text in an example, in characters.
const MAX_EXAMPLE_CHARS: usize = 60;
/// Files that hosts load at the start of a session.
const INDEX_FILES: [&str; 2] = ["MEMORY.md", "memory.md"];
/// What Claude Code loads of `MEMORY.md`: "the first 200 lines, or the first 25KB, whichever comes first"
/// (<https://code.claude.com/docs/en/memory>).
const INDEX_LINES: usize = 200;
const INDEX_BYTES: usize = 25_000;
/// A word that more bullets contain selects no pairs.
const MAX_BULLETS_PER_WORD: usize = 40;
/// Bullets with fewer words are list entries, not facts: `- yes` repeats everywhere.
const MIN_WORDS: usize = 2;

/// A note that could be read.
struct Note {
    path: MemoryPath,
    document: Document,
}

/// Examines a folder.
///
/// # Errors
/// As [`notes_folder::read_folder`].
pub fn check_rot(dir: &Path) -> Result<RotReport, Rejection> {
    let (files, mut unreadable) = notes_folder::read_folder(dir)?;
    let mut report = RotReport { dir: dir.display().to_string(), files: files.len(), ..RotReport::default() };
    let mut notes = Vec::new();
    for file in files {
        report.bytes += file.bytes.len();
        let note = MemoryPath::from_disk_name(&file.path).ok().zip(Document::from_bytes(file.bytes).ok());
        match note {
            Some((path, document)) => notes.push(Note { path, document }),
            None => unreadable += 1,
        }
    }
    report.unreadable = unreadable;
    report.bullets = notes.iter().map(|note| stating_bullets(&note.document).count()).sum();
    report.counts = vec![
        ("repeated", "repeated bullets", repeated(&notes)),
        ("contradictions", "contradicting pairs of bullets", contradictions(&notes)),
        ("dangling_links", "dangling links", dangling_links(&notes)),
        ("index_overflow", "lines of the index that Claude Code does not load", index_overflow(&notes)),
        ("not_in_index", "files missing from the index", not_in_index(&notes)),
        ("stale_anchors", "stale anchors to code", stale_anchors(dir, &notes)),
        ("secrets", "keys and passwords in plain text", secrets(&notes)),
    ]
    .into_iter()
    .map(|(kind, what, (count, examples))| RotCount { kind, what, count, examples })
    .collect();
    Ok(report)
}

/// How many there are, and the first few.
type CountedExamples = (usize, Vec<String>);

fn counted(mut all: Vec<String>) -> CountedExamples {
    let count = all.len();
    all.truncate(EXAMPLES);
    (count, all)
}

fn place(note: &Note, at: u32) -> String {
    format!("{}:{}", note.path, line_and_column(note.document.text(), at as usize).0)
}

fn shortened(text: &str) -> String {
    let text = redact(text).0;
    match text.char_indices().nth(MAX_EXAMPLE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// A bullet, by note and index.
type BulletAt = (usize, usize);

fn repeated(notes: &[Note]) -> CountedExamples {
    let all: Vec<(BulletAt, String)> = notes
        .iter()
        .enumerate()
        .flat_map(|(n, note)| {
            stating_bullets(&note.document).map(move |b| ((n, b), note.document.bullet_text(b).into_owned()))
        })
        .collect();
    let statements: Vec<Statement<'_>> = all.iter().map(|(_, text)| Statement::of(text)).collect();
    let mut by_words: HashMap<String, Vec<usize>> = HashMap::new();
    for (i, statement) in statements.iter().enumerate() {
        let mut words: Vec<&str> = statement.content().map(|token| token.key.as_str()).collect();
        if words.len() + usize::from(statement.label.is_some()) < MIN_WORDS {
            continue;
        }
        words.sort_unstable();
        let label = statement.label_key.as_deref().unwrap_or_default();
        by_words.entry(format!("{label}\0{}", words.join(" "))).or_default().push(i);
    }
    let mut groups: Vec<Vec<usize>> = by_words.into_values().filter(|group| group.len() > 1).collect();
    groups.sort();
    let mut found = Vec::new();
    for group in groups {
        // Of many equal ones, each is compared with the first.
        for &other in group[1..].iter().take(MAX_BULLETS_PER_WORD) {
            let (a, b) = (&statements[group[0]], &statements[other]);
            if a.text.trim() == b.text.trim() || extra_words(a, b) == Some(0) && a.has_same_tokens(b) {
                let at = |(n, bullet): BulletAt| place(&notes[n], notes[n].document.bullets()[bullet].line_start);
                found.push(format!("{} = {}: {}", at(all[other].0), at(all[group[0]].0), shortened(&all[other].1)));
            }
        }
    }
    counted(found)
}

fn contradictions(notes: &[Note]) -> CountedExamples {
    let of = |note: &Note| -> Vec<String> {
        let text = |bullet: usize| shortened(&note.document.bullet_text(bullet));
        let at = |bullet: usize| place(note, note.document.bullets()[bullet].line_start);
        let pairs = contradicting_pairs(&note.document).into_iter();
        pairs.map(|(a, b)| format!("{}: {} / {}: {}", at(b), text(b), at(a), text(a))).collect()
    };
    counted(notes.iter().flat_map(of).collect())
}

fn dangling_links(notes: &[Note]) -> CountedExamples {
    let names = LinkNames::new(notes.iter().map(|note| &note.path));
    let of = |note: &Note| -> Vec<String> {
        let found = dangling_targets(&note.path, &note.document, &names).into_iter();
        found.map(|(line, target)| format!("{}:{line}: {}", note.path, shortened(&target))).collect()
    };
    counted(notes.iter().flat_map(of).collect())
}

fn index(notes: &[Note]) -> Option<&Note> {
    notes.iter().find(|note| INDEX_FILES.contains(&note.path.as_str()))
}

fn index_overflow(notes: &[Note]) -> CountedExamples {
    let Some(index) = index(notes) else { return (0, Vec::new()) };
    let text = index.document.text();
    let (mut kept, mut bytes) = (0, 0);
    for line in text.split_inclusive('\n').take(INDEX_LINES) {
        bytes += line.len();
        if bytes > INDEX_BYTES {
            break;
        }
        kept += 1;
    }
    let lines = text.lines().count();
    match lines.saturating_sub(kept) {
        0 => (0, Vec::new()),
        lost => {
            let first = text.lines().nth(kept).unwrap_or_default();
            (lost, vec![format!("{}:{}: {}", index.path, kept + 1, shortened(first.trim()))])
        }
    }
}

fn not_in_index(notes: &[Note]) -> CountedExamples {
    let Some(index) = index(notes) else { return (0, Vec::new()) };
    let text = index.document.text();
    let is_named = |note: &Note| {
        let name = note.path.as_str().rsplit('/').next().unwrap_or_default();
        let stem = name.strip_suffix(".md").unwrap_or(name);
        text.contains(name) || text.contains(&format!("[[{stem}")) || text.contains(&name.replace(' ', "%20"))
    };
    let missing = notes.iter().filter(|note| note.path != index.path && !is_named(note));
    counted(missing.map(|note| note.path.to_string()).collect())
}

fn stale_anchors(dir: &Path, notes: &[Note]) -> CountedExamples {
    let root = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    // It follows no link out of the repository.
    let Ok(code) = CodeFiles::open(&repository_root(&root).unwrap_or(root)) else { return (0, Vec::new()) };
    let mut found = Vec::new();
    for note in notes {
        for (i, bullet) in note.document.bullets().iter().enumerate().filter(|(_, bullet)| bullet.meta.is_some()) {
            let meta = note.document.bullet_meta(i).unwrap_or_default();
            let Some(anchor) = meta.raw(MetaKey::Anchor.name()).and_then(|text| CodeAnchor::parse(text).ok()) else {
                continue;
            };
            let Some(hash) = anchor.hash else { continue };
            let text = code.read(&anchor.path).ok().flatten().and_then(CodeText::new);
            let state = match &text {
                None => "is gone",
                Some(text) if !text.has_hash(anchor.lines, hash) => "has changed",
                Some(_) => continue,
            };
            found.push(format!("{}: {} {state}", place(note, bullet.line_start), anchor.place()));
        }
    }
    counted(found)
}

/// The kinds and places of secrets; never a part of one.
fn secrets(notes: &[Note]) -> CountedExamples {
    let of = |note: &Note| -> Vec<String> {
        let found = find_secrets(note.document.text()).into_iter();
        found.map(|secret| format!("{}: {}", place(note, secret.range.start as u32), secret.kind)).collect()
    };
    counted(notes.iter().flat_map(of).collect())
}
