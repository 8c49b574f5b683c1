//! The past: `log` and `show`.
//!
//! Reads journal, slots and files; writes nothing down, not even that it saw an outside edit.

use serde_json::Value;

use super::answer::{Answer, ChangedFile, Log, LogRow};
use super::change::rows;
use super::gate::refusal;
use super::sync::Memo;
use super::when::{revision, since, when};
use super::{LogQuery, Session, Verdict, look};
use crate::change::{Entry, Etag, Inverts};
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::operation::effects;
use crate::path::MemoryPath;
use crate::store::{Side, Store};
use crate::view::diff::unified;
use crate::view::journal::{self, State};

/// How many entries `log` shows without a limit of the caller's.
const MOST: usize = 50;

/// The journal's entries and outside edits, newest first.
///
/// # Errors
/// `usage` for a `since` that is no point in time; what the address refuses.
pub fn log(session: &Session, query: &LogQuery) -> Verdict {
    let entries = session.store.journal()?;
    let states = journal::states(&entries);
    let target = query.address.as_deref().map(|a| Touched::named(session, a)).transpose()?;
    let from = query.since.as_deref().map(|s| when(s, &session.now)).transpose()?;
    let gaps = journal::gaps(&entries);
    let restricted = session.sight().is_some();
    let fits = |e: &&Entry| {
        // Of what touched nothing that the caller may see, nothing is told.
        !(restricted && e.files.is_empty())
            && from.as_ref().is_none_or(|w| since(e, w))
            && query.by.as_deref().is_none_or(|by| e.actor == by)
            && target.as_ref().is_none_or(|t| t.touched_by(session, e))
    };
    let path = target.as_ref().map(|t| &t.path);
    let outside = |by: &Option<String>| by.as_deref().is_none_or(|b| b == "outside");
    let mut all = Vec::new();
    if outside(&query.by) {
        all.extend(unrecorded(&session.store, &entries, path)?.into_iter().map(|(p, _)| gap_row(&p, "unrecorded")));
    }
    for entry in entries.iter().rev() {
        if fits(&entry) {
            all.push(row(session, entry, states.get(&entry.rev), query.patch));
        }
        let seen = gaps.iter().filter(|g| g.before_rev == entry.rev && path.is_none_or(|p| *p == g.path));
        if outside(&query.by) && from.as_ref().is_none_or(|w| since(entry, w)) {
            all.extend(seen.map(|g| gap_row(&g.path, "outside")));
        }
    }
    let limit = query.limit.unwrap_or(MOST);
    let more = all.len().saturating_sub(limit);
    all.truncate(limit);
    Ok(Answer::Log(Log { entries: all, since: entries.first().map(|e| e.at.clone()), more }))
}

/// What a caller asks the log about.
pub(super) struct Touched {
    /// The file.
    pub(super) path: MemoryPath,
    text: Option<String>,
    section: Option<String>,
}

impl Touched {
    /// A file (also one that is gone), a section or a bullet.
    pub(super) fn named(session: &Session, address: &str) -> Result<Touched, Rejection> {
        match look::named_by(session, address) {
            Ok(named) => Ok(Touched {
                text: named.bullet.map(|i| named.document.bullet_text(i).into_owned()),
                section: (named.section != 0).then(|| named.document.sections()[named.section].slug.clone()),
                path: named.path,
            }),
            Err(why) if why.code == Code::FileNotFound => match why.details.get("path").and_then(Value::as_str) {
                Some(path) => Ok(Touched { path: MemoryPath::new(path)?, text: None, section: None }),
                None => Err(why),
            },
            Err(why) => Err(why),
        }
    }

    fn touched_by(&self, session: &Session, entry: &Entry) -> bool {
        let Some(file) = entry.files.iter().find(|f| f.path == self.path) else { return false };
        if self.text.is_none() && self.section.is_none() {
            return true;
        }
        let (before, after) = texts(&session.store, entry.rev, &file.path);
        let effects = effects::between(before.as_ref(), after.as_ref(), &file.path, 0);
        effects.iter().any(|e| {
            self.text.as_ref().is_none_or(|t| e.text == *t)
                && self.section.as_ref().is_none_or(|s| e.section.as_ref() == Some(s))
        })
    }
}

fn gap_row(path: &MemoryPath, state: &'static str) -> LogRow {
    LogRow {
        rev: None,
        at: None,
        actor: "outside".into(),
        state,
        what: match state {
            "unrecorded" => "changed outside memdir, not yet recorded".into(),
            _ => "changed outside memdir".into(),
        },
        reason: None,
        source: None,
        files: vec![path.to_string()],
        effects: Vec::new(),
        diff: None,
    }
}

fn row(session: &Session, entry: &Entry, state: Option<&State>, patch: bool) -> LogRow {
    LogRow {
        rev: Some(format!("r{}", entry.rev)),
        at: Some(entry.at.clone()),
        actor: entry.actor.clone(),
        state: match state {
            Some(State::Undone { .. }) => "undone",
            Some(State::PutBack) => "put_back",
            Some(State::Pending) => "pending",
            _ => "done",
        },
        what: what(entry),
        reason: entry.reason.clone(),
        source: entry.source.clone(),
        files: entry.files.iter().map(|f| f.path.to_string()).collect(),
        effects: if patch { effects_of(&session.store, entry) } else { Vec::new() },
        diff: None,
    }
}

/// What an entry did, in a few words.
fn what(entry: &Entry) -> String {
    if entry.forgotten {
        return "rm --forget".into();
    }
    match entry.inverts {
        Some(Inverts::Undo(rev)) => return format!("undo r{rev}"),
        Some(Inverts::Redo(rev)) => return format!("redo r{rev}"),
        None => {}
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for op in entry.operations.iter().filter_map(|op| op.get("op").and_then(Value::as_str)) {
        match counts.iter_mut().find(|(verb, _)| *verb == op) {
            Some((_, n)) => *n += 1,
            None => counts.push((op, 1)),
        }
    }
    let one = |(verb, n): (&str, usize)| if n == 1 { verb.to_owned() } else { format!("{verb} {n}") };
    counts.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

fn texts(store: &Store, rev: u64, path: &MemoryPath) -> (Option<Document>, Option<Document>) {
    (super::fetch::text(store, rev, path, Side::Before), super::fetch::text(store, rev, path, Side::After))
}

fn effects_of(store: &Store, entry: &Entry) -> Vec<ChangedFile> {
    let mut out = Vec::new();
    for file in &entry.files {
        if let Some(other) = &file.moved {
            // The new name's half is told by the old one's.
            let moved = |f| ChangedFile { kind: "moved", to: Some(other.to_string()), ..f };
            out.extend(file.before.map(|_| moved(changed_file(&file.path, true, file.after, &[]))));
            continue;
        }
        let (before, after) = texts(store, entry.rev, &file.path);
        let gone = (file.before.is_some() && before.is_none()) || (file.after.is_some() && after.is_none());
        let effects = if gone { Vec::new() } else { effects::between(before.as_ref(), after.as_ref(), &file.path, 0) };
        out.push(changed_file(&file.path, file.before.is_some(), file.after, &effects));
    }
    out
}

fn changed_file(path: &MemoryPath, was: bool, after: Option<Etag>, effects: &[crate::change::Effect]) -> ChangedFile {
    ChangedFile {
        path: path.to_string(),
        kind: match (was, after) {
            (false, _) => "created",
            (_, None) => "removed",
            _ => "updated",
        },
        to: None,
        etag: after.map(|e| e.short()),
        effects: rows(effects, path),
    }
}

/// Files that are not as the journal left them: the path, and the revision that left them. What a sync merged in is
/// git's history, and no outside edit.
pub fn unrecorded(
    store: &Store,
    entries: &[Entry],
    only: Option<&MemoryPath>,
) -> Result<Vec<(MemoryPath, u64)>, Rejection> {
    let mut moved = Vec::new();
    let memo = Memo::of(store);
    for (path, (etag, rev)) in journal::left(entries) {
        if only.is_some_and(|p| p != path) {
            continue;
        }
        let now = store.read(path).ok().flatten().map(|v| v.etag);
        if now != etag && !memo.merged_in(path, rev, now) {
            moved.push((path.clone(), rev));
        }
    }
    moved.sort();
    Ok(moved)
}

/// What one revision did.
///
/// # Errors
/// `revision_not_found`; `category_not_allowed` for one that touched nothing that the caller may see.
pub fn show(session: &Session, rev: &str) -> Verdict {
    let entries = session.store.journal()?;
    let states = journal::states(&entries);
    let entry = revision(rev, &entries)?;
    if session.sight().is_some() && entry.files.is_empty() {
        return Err(refusal().into());
    }
    let mut one = row(session, entry, states.get(&entry.rev), true);
    one.diff = Some(entry.files.iter().map(|f| file_diff(&session.store, entry, &f.path)).collect());
    Ok(Answer::Log(Log { entries: vec![one], since: entries.first().map(|e| e.at.clone()), more: 0 }))
}

fn file_diff(store: &Store, entry: &Entry, path: &MemoryPath) -> String {
    let file = entry.files.iter().find(|f| f.path == *path);
    if let Some(to) = file.and_then(|f| f.moved.as_ref()) {
        let first = file.is_some_and(|f| f.before.is_some());
        return if first { format!("rename from {path}\nrename to {to}\n") } else { String::new() };
    }
    let (before, after) = texts(store, entry.rev, path);
    let gone = file.is_some_and(|f| (f.before.is_some() && before.is_none()) || (f.after.is_some() && after.is_none()));
    match gone {
        true => format!("# {path}: its text is no longer in this machine's history\n"),
        false => unified(path.as_str(), before.as_ref().map(Document::text), after.as_ref().map(Document::text)),
    }
}
