//! `rm --forget`: what has to go beside the text itself — its copies put aside, and every trace in the history.
//!
//! Never touches another live file: where the same text stands there, that is told.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Session;
use super::fetch::is_aside;
use crate::change::{Changeset, FileChange, JournalEdit, Sign, Version};
use crate::code::{Code, Rejection, Warning};
use crate::document::{Document, Edit, edit};
use crate::operation::Snapshot;
use crate::path::MemoryPath;

/// The largest file that is searched, in bytes.
const WHOLE: usize = 64 << 20;
/// A text shorter than this, in bytes, is looked for with its list marker: alone it would be found in other words.
const SHORT: usize = 8;

/// What is to be scrubbed.
#[derive(Debug, Default)]
pub struct Traces {
    /// Files whose whole history goes.
    pub paths: Vec<MemoryPath>,
    /// Texts that no slot and no line of the journal may hold.
    pub texts: Vec<String>,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

/// What a changeset with `--forget` has to scrub. Adds to it the copies in `archive/` and `inbox/`.
///
/// # Errors
/// What reading the directory refuses.
pub fn traces(session: &Session, changeset: &mut Changeset, snapshot: &Snapshot) -> Result<Traces, Rejection> {
    let mut texts = removed(changeset, snapshot);
    let mut still: BTreeSet<MemoryPath> = BTreeSet::new();
    let mut copies = Vec::new();
    let found = session.store.walk(None)?;
    let holders = session.store.each(&found, WHOLE, &|file, read| {
        let text = String::from_utf8(read.ok()?.0.to_vec()).ok()?;
        texts.iter().any(|t| text.contains(t)).then(|| (file.path.clone(), text))
    });
    for (path, text) in holders.into_iter().flatten() {
        let planned = changeset.files.iter().find(|f| f.path == path);
        let after = match planned {
            Some(file) => file.after.as_ref().map(|b| String::from_utf8_lossy(b).into_owned()),
            None if is_aside(&path) => {
                let after = without(&text, &texts);
                copies.extend(copy(session, &path, &text, after.as_deref())?);
                after
            }
            None => Some(text),
        };
        let kept: Vec<&String> = after.iter().flat_map(|a| texts.iter().filter(|t| a.contains(t.as_str()))).collect();
        if !kept.is_empty() {
            still.insert(path);
            let kept: BTreeSet<String> = kept.into_iter().cloned().collect();
            texts.retain(|t| !kept.contains(t));
        }
    }
    let mut traces = Traces { paths: names(session, changeset, &copies, &texts), texts, warnings: Vec::new() };
    changeset.files.append(&mut copies);
    if !still.is_empty() {
        let shown: Vec<&str> = still.iter().map(MemoryPath::as_str).take(5).collect();
        let message = format!("some of the text also stands in {}, and stays there", shown.join(", "));
        traces.warnings.push(Warning::new(Code::Note, message));
    }
    if session.dir.ancestors().any(|d| d.join(".git").exists()) {
        let message = "git may still hold the text: what was committed stays in its history";
        traces.warnings.push(Warning::new(Code::Note, message));
    }
    Ok(traces)
}

/// The lines that go, without their markers, and the bullets that go, as they are meant.
fn removed(changeset: &Changeset, snapshot: &Snapshot) -> Vec<String> {
    let mut gone: BTreeSet<String> = BTreeSet::new();
    for file in &changeset.files {
        let Ok(Some(before)) = snapshot.file(&file.path) else { continue };
        let after = file.after.as_ref().map(|b| String::from_utf8_lossy(b).into_owned()).unwrap_or_default();
        let stays: BTreeSet<&str> = after.lines().map(str::trim).collect();
        let lines = before.document.text().lines().map(str::trim).filter(|line| !stays.contains(line));
        gone.extend(lines.filter_map(needle));
    }
    let bullets = changeset.effects.iter().filter(|e| e.sign == Sign::Removed);
    gone.extend(bullets.filter_map(|e| needle(&format!("- {}", e.text))));
    gone.into_iter().collect()
}

/// What a line is looked for by: its text, or all of it where that is short; `None` for lines that say nothing alone.
fn needle(line: &str) -> Option<String> {
    let derived = ["> Summary:", "<!-- mem ", "---", "```", "- Date: ", "- Updated: "]
        .iter()
        .any(|start| line.starts_with(start));
    let text = bare(line);
    if derived || text.is_empty() {
        return None;
    }
    Some(if text.len() < SHORT { line.to_owned() } else { text.to_owned() })
}

fn bare(line: &str) -> &str {
    line.trim().trim_start_matches(['#', '-', '*', '+', '>']).trim()
}

/// A text put aside, without the lines and bullets that are to be forgotten; `None` when nothing else was in it.
fn without(text: &str, texts: &[String]) -> Option<String> {
    let forgotten = |line: &str| texts.iter().any(|t| *t == bare(line) || t == line.trim());
    let document = Document::parse(text);
    let gone = |i: &usize| forgotten(&document.bullet_text(*i)) || forgotten(document.bullet_raw(*i));
    let top: Vec<Edit> = (0..document.bullets().len()).filter(gone).map(|bullet| Edit::Remove { bullet }).collect();
    let text = edit(&document, &top).map(|e| e.document.into_text()).unwrap_or_else(|_| text.to_owned());
    let mut left: String = text.split_inclusive('\n').filter(|line| !forgotten(line)).collect();
    if let Some(line) = Document::parse(&*left).summary().map(|s| s.line.range())
        && texts.iter().any(|t| left[line.clone()].contains(t.as_str()))
    {
        left.replace_range(line, "");
    }
    let says = |line: &str| !line.trim().is_empty() && !line.starts_with(['#', '>']);
    left.lines().any(says).then_some(left)
}

fn copy(
    session: &Session,
    path: &MemoryPath,
    text: &str,
    after: Option<&str>,
) -> Result<Option<FileChange>, Rejection> {
    let before: Option<Version> = session.store.read(path)?;
    if after == Some(text) || before.is_none() {
        return Ok(None);
    }
    let after = after.map(|text| Arc::new(text.as_bytes().to_vec()));
    Ok(Some(FileChange { path: path.clone(), before, after, mode: None, edits: None, moved: None, summary: None }))
}

/// The paths of a changeset, every path their files had before, where they were archived, and files that the text came
/// from or went to.
fn names(session: &Session, changeset: &Changeset, copies: &[FileChange], texts: &[String]) -> Vec<MemoryPath> {
    let mut names: Vec<MemoryPath> = changeset.files.iter().chain(copies).map(|f| f.path.clone()).collect();
    let Ok(entries) = session.store.journal() else { return names };
    let holds = |edits: &Option<Vec<JournalEdit>>| {
        let has = |text: &str| texts.iter().any(|t| text.contains(t.as_str()));
        edits.iter().flatten().any(|e| has(&e.old) || has(&e.new))
    };
    for entry in entries.iter().rev() {
        let ours = entry.files.iter().any(|f| names.contains(&f.path));
        for file in &entry.files {
            // A moved file's two halves name each other; going back in time, the new name comes first.
            let other = file.moved.as_ref().filter(|_| names.contains(&file.path));
            let here = Some(&file.path).filter(|_| ours && holds(&file.edits));
            for name in [other, here].into_iter().flatten() {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
    }
    names
}
