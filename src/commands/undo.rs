//! Taking back and bringing back: `undo` and `redo`, the second door into a commit.
//!
//! Byte for byte where nothing moved on; a merge where something did; nothing where the merge would have to guess.

use std::sync::Arc;

use super::answer::Answer;
use super::change::commit_loop;
use super::guarded::{discreet, whole};
use super::when::revision;
use super::{Failure, How, Session, UndoQuery, Verdict};
use crate::change::{Changeset, Effect, Entry, EntryFile, FileChange, Inverts, JournalEdit, Sign, Version};
use crate::code::{Code, Hint, Rejection, Warning};
use crate::document::{Document, Edit, edit};
use crate::operation::regions::{self, Take};
use crate::operation::written::narrow;
use crate::operation::{Batch, Snapshot, effects, merge, refuse};
use crate::path::MemoryPath;
use crate::store::{Side, Store};
use crate::view::journal;

/// Takes a revision back; merges where files moved on.
///
/// # Errors
/// `revision_not_found`, `history_gone`, `conflict` where the same lines were changed since; `category_not_allowed` for
/// one that touched a file of which the caller may not see everything.
pub fn undo(session: &Session, query: &UndoQuery, how: &How) -> Verdict {
    turn(session, how, query.revision.as_deref(), |entries| {
        let entry = match &query.revision {
            Some(rev) => Some(revision(rev, entries)?),
            None => journal::to_undo(entries, query.by.as_deref()),
        };
        let Some(entry) = entry else { return Ok(None) };
        let states = journal::states(entries);
        match states.get(&entry.rev) {
            Some(journal::State::Done) => {}
            Some(journal::State::Undone { by }) => {
                return Err(Rejection::new(Code::Exists, format!("r{} was undone already, by r{by}", entry.rev))
                    .try_(Hint::new("redo", format!("r{}", entry.rev))));
            }
            _ => return Err(Rejection::new(Code::RevisionNotFound, format!("r{} was never made", entry.rev))),
        }
        Ok(Some(Turn { entry: entry.clone(), back: true, keep_edited: query.keep_edited }))
    })
}

/// Brings back what was undone, or what an editor overwrote.
///
/// # Errors
/// As `undo`.
pub fn redo(session: &Session, rev: Option<&str>, how: &How) -> Verdict {
    turn(session, how, rev, |entries| {
        let entry = match rev {
            Some(rev) => Some(revision(rev, entries)?),
            None => journal::to_redo(entries),
        };
        Ok(entry.map(|e| Turn { entry: e.clone(), back: false, keep_edited: false }))
    })
}

/// One revision to be turned.
struct Turn {
    entry: Entry,
    back: bool,
    keep_edited: bool,
}

fn turn(
    session: &Session,
    how: &How,
    rev: Option<&str>,
    choose: impl Fn(&[Entry]) -> Result<Option<Turn>, Rejection>,
) -> Verdict {
    session.may_write()?;
    let (asking, bare) = (session, session.sight().map(|_| session.bare()));
    let session = bare.as_ref().unwrap_or(session);
    let make = || -> Result<(Changeset, Snapshot), Failure> {
        let entries = entries(&session.store, rev)?;
        let Some(turn) = choose(&entries)? else { return Ok((nothing(), Snapshot::new())) };
        if bare.is_some() {
            whole(asking, session, &turn.entry)?;
        }
        Ok((inverse(&session.store, &turn)?, Snapshot::new()))
    };
    if how.dry_run {
        let (changeset, snapshot) = make()?;
        let mut changed = super::change::shown(&changeset, &snapshot);
        changed.diff = Some(diff(session, &changeset));
        return Ok(named(Answer::Changed(changed), changeset.inverts));
    }
    let (locked, warnings) = session.store.lock()?;
    let warnings = if bare.is_some() { discreet(&warnings) } else { warnings };
    let batch = Batch { reason: how.reason.clone(), source: how.source.clone(), ..Batch::default() };
    let mut inverts = None;
    let answer = commit_loop(session, &locked, &batch, warnings, || {
        let made = make()?;
        inverts = made.0.inverts;
        Ok(made)
    })?;
    Ok(named(answer, inverts))
}

/// The entries in which a revision is looked for. One that is named is nearly always new, and only later ones tell
/// whether it still stands: then a long journal need not be read whole under the lock.
fn entries(store: &Store, rev: Option<&str>) -> Result<Vec<Entry>, Rejection> {
    if let Some(rev) = rev.and_then(|rev| rev.strip_prefix('r')?.parse::<u64>().ok()) {
        let recent = store.recent()?;
        if recent.iter().any(|entry| entry.rev == rev) {
            return Ok(recent);
        }
    }
    store.journal()
}

fn diff(session: &Session, changeset: &Changeset) -> String {
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let one = |f: &FileChange| {
        let now = session.store.read(&f.path).ok().flatten();
        let after = f.after.as_ref().map(|b| text(b));
        crate::view::diff::unified(f.path.as_str(), now.map(|v| text(&v.bytes)).as_deref(), after.as_deref())
    };
    changeset.files.iter().map(one).collect()
}

fn named(answer: Answer, inverts: Option<Inverts>) -> Answer {
    let Answer::Changed(mut changed) = answer else { return answer };
    match inverts {
        Some(Inverts::Undo(rev)) => changed.undone = Some(format!("r{rev}")),
        Some(Inverts::Redo(rev)) => changed.redone = Some(format!("r{rev}")),
        None => {}
    }
    Answer::Changed(changed)
}

fn nothing() -> Changeset {
    let warning = Warning::new(Code::Note, "no change is left for that");
    Changeset { warnings: vec![warning], ..Changeset::default() }
}

/// The changeset that turns a revision back (or makes it again), on the files as they are now.
fn inverse(store: &Store, turn: &Turn) -> Result<Changeset, Vec<Rejection>> {
    let entry = &turn.entry;
    if entry.forgotten {
        let gone = Rejection::new(
            Code::HistoryGone,
            format!("r{} was made with --forget: its texts are gone on purpose", entry.rev),
        );
        return Err(vec![gone]);
    }
    let mut changeset = Changeset {
        inverts: Some(if turn.back { Inverts::Undo(entry.rev) } else { Inverts::Redo(entry.rev) }),
        ..Changeset::default()
    };
    let mut refused = Vec::new();
    for file in &entry.files {
        match turned(store, turn, file) {
            Ok(Some(mut change)) => {
                change.moved = file.moved.clone();
                changeset.files.push(change);
            }
            Ok(None) => {}
            Err(why) if turn.keep_edited && why.code == Code::Conflict => {
                let message = format!("{} was edited since r{}; it was left as it is", file.path, entry.rev);
                changeset.warnings.push(Warning::new(Code::Note, message));
            }
            Err(why) => refused.push(why),
        }
    }
    match refused.is_empty() {
        true => {
            unmove(&mut changeset.files);
            changeset.effects = changeset.files.iter().flat_map(|change| told(store, change)).collect();
            Ok(changeset)
        }
        false => Err(refused),
    }
}

/// A move is one only where both halves are there, and tell no other story.
fn unmove(files: &mut [FileChange]) {
    let halves: Vec<(MemoryPath, Option<MemoryPath>, bool)> =
        files.iter().map(|f| (f.path.clone(), f.moved.clone(), f.after.is_some() && f.before.is_some())).collect();
    for file in files {
        let other = halves.iter().find(|(path, _, _)| Some(path) == file.moved.as_ref());
        if !other.is_some_and(|(_, back, both)| back.as_ref() == Some(&file.path) && !both)
            || file.before.is_some() && file.after.is_some()
        {
            file.moved = None;
        }
    }
}

/// A change bullet by bullet; a file that only gets another name has none to tell.
fn told(store: &Store, change: &FileChange) -> Vec<Effect> {
    if change.moved.is_some() {
        let named = || effects::line(&change.path, Sign::Moved, "", None, 0);
        return change.before.iter().map(|_| named()).collect();
    }
    let read = |bytes: &Arc<Vec<u8>>| Document::read(bytes.to_vec()).ok().map(unmarked);
    let before =
        change.before.as_ref().and_then(|_| store.read(&change.path).ok().flatten()).and_then(|v| read(&v.bytes));
    let after = change.after.as_ref().and_then(read);
    effects::between(before.as_ref(), after.as_ref(), &change.path, 0)
}

/// A text with conflict markers is told by our side: markers are no bullets.
fn unmarked(document: Document) -> Document {
    match regions::size(document.text()) {
        Some(size) => Document::parse(regions::take(document.text(), size, Take::Ours)),
        None => document,
    }
}

/// What one file becomes: `None` when it is so already.
fn turned(store: &Store, turn: &Turn, file: &EntryFile) -> Result<Option<FileChange>, Rejection> {
    let (from, to) = if turn.back { (Side::After, Side::Before) } else { (Side::Before, Side::After) };
    let rev = turn.entry.rev;
    let now = store.read(&file.path)?;
    let (base_etag, goal_etag) = if turn.back { (file.after, file.before) } else { (file.before, file.after) };
    let etag = now.as_ref().map(|v| v.etag);
    if etag == goal_etag && (turn.back || etag != base_etag) {
        return Ok(None);
    }
    let goal = store.text(rev, &file.path, to)?;
    if etag == base_etag {
        return Ok(Some(change(&file.path, now, goal)));
    }
    let base = store.text(rev, &file.path, from)?;
    moved_on(&file.path, base, now, goal, rev).map(Some)
}

/// One file as a change from what stands there to what shall stand there.
pub(super) fn change(path: &MemoryPath, now: Option<Version>, goal: Option<Version>) -> FileChange {
    FileChange {
        path: path.clone(),
        mode: goal.as_ref().map(|g| g.mode),
        edits: edits(now.as_ref(), goal.as_ref()),
        after: goal.map(|g| g.bytes),
        before: now,
        moved: None,
        summary: None,
    }
}

fn edits(now: Option<&Version>, goal: Option<&Version>) -> Option<Vec<JournalEdit>> {
    let text = |v: Option<&Version>| v.and_then(|v| String::from_utf8(v.bytes.to_vec()).ok());
    let (now, goal) = (text(now)?, text(goal)?);
    let s = narrow(&now, &goal);
    Some(vec![JournalEdit { start: s.start, old: now[s.start..s.end].to_owned(), new: s.new }])
}

/// The file is not as the revision left it: both changes, or a conflict.
fn moved_on(
    path: &MemoryPath,
    base: Option<Version>,
    now: Option<Version>,
    goal: Option<Version>,
    rev: u64,
) -> Result<FileChange, Rejection> {
    let edited = || {
        Rejection::new(Code::Conflict, format!("{path} was changed since r{rev} where r{rev} changed it"))
            .hint("change it by hand, or leave edited files as they are with --keep-edited")
            .detail("path", path.as_str())
    };
    let Some(now) = now else { return Err(edited()) };
    let text = |v: &Version| String::from_utf8(v.bytes.to_vec()).map_err(|_| edited());
    let ours = text(&now)?;
    let base_text = base.as_ref().map(text).transpose()?.unwrap_or_default();
    let goal_text = match (&goal, &base) {
        (Some(goal), _) => text(goal)?,
        // The revision made the file and others wrote in it since: what it wrote goes, the file stays.
        (None, Some(_)) => without_bullets(&base_text).ok_or_else(edited)?,
        (None, None) => return Err(edited()),
    };
    let merged = merge::merge(&base_text, &ours, &goal_text, &merge::Labels::default()).clean().map_err(|clashes| {
        let mut why = refuse::clash(path, &clashes);
        why.hint = Some("change it by hand, or leave edited files as they are with --keep-edited".into());
        why
    })?;
    let merged = Version::new(merged.into_bytes(), now.mode);
    Ok(FileChange { mode: None, ..change(path, Some(now), Some(merged)) })
}

fn without_bullets(text: &str) -> Option<String> {
    let document = Document::parse(text);
    let top = (0..document.bullets().len()).filter(|&i| document.bullets()[i].depth == 0);
    let edits: Vec<Edit> = top.map(|bullet| Edit::Remove { bullet }).collect();
    edit(&document, &edits).ok().map(|e| e.document.into_text())
}
