//! `diff`: between two points of this machine's history, or between git's revisions; line by line and bullet by bullet.
//!
//! Reads journal, slots, files and git's objects; writes nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::answer::{Answer, ChangedFile, Diff, EffectRow, Was};
use super::history::{Touched, unrecorded};
use super::when::{When, revision, when};
use super::{Session, Verdict};
use crate::change::{Entry, Etag, Outcome};
use crate::code::{Code, Rejection};
use crate::document::{Document, Handle};
use crate::host::git::Git;
use crate::operation::effects;
use crate::path::MemoryPath;
use crate::store::{Side, Store};
use crate::view::diff::unified;
use crate::view::pairs::{Fate, fates, shared};

/// From this share of common bullets on, a file that came is one that went, renamed.
const RENAMED: f64 = 0.5;
/// The most pairs of files that are compared to find renames.
const MOST: usize = 1 << 12;

/// A point that a difference starts or ends at.
enum Point {
    /// The last revision of this machine at it; 0 is before the first.
    Revision(u64),
    /// A commit, and how the caller named it.
    Commit(String, String),
    /// What the journal knows last; at the end of a range, the files as they are.
    Open,
}

/// A file on both sides.
struct Pair {
    path: MemoryPath,
    before: Option<Document>,
    after: Option<Document>,
}

/// From a revision (or the last recorded state) until now, or between two. `A...B` starts where git's `A` and `B`
/// parted.
///
/// # Errors
/// `revision_not_found`, `history_gone`, `usage`, `git`.
pub fn diff(session: &Session, range: Option<&str>, address: Option<&str>) -> Verdict {
    let entries = session.store.journal()?;
    let only = address.map(|a| Touched::named(session, a)).transpose()?.map(|t| t.path);
    let (from, to) = ends(session, range, &entries)?;
    let pairs = match (&from, &to) {
        (Point::Commit(_, a), Point::Commit(_, b)) => committed(session, a, Some(b))?,
        (Point::Commit(_, a), Point::Open) => committed(session, a, None)?,
        (Point::Commit(..), _) | (_, Point::Commit(..)) => {
            return Err(Rejection::new(Code::Usage, "one end of the range is memdir's and the other is git's")
                .hint("r41, dates and ages are memdir's revisions; any other is git's")
                .into());
        }
        _ => recorded(session, &entries, &from, &to)?,
    };
    let mut files = paired(pairs);
    files.retain(|f| only.as_ref().is_none_or(|o| *o == f.1.path || f.0.path == o.as_str()));
    across(&mut files);
    let known = Known::new(&entries);
    for (file, _) in &mut files {
        file.effects.iter_mut().for_each(|row| known.tell(row));
    }
    let diff = files.iter().map(|(file, pair)| text(file, pair)).collect();
    let files = files.into_iter().map(|(file, _)| file).collect();
    Ok(Answer::Diff(Diff { from: named(&from, "recorded"), to: named(&to, "now"), files, diff }))
}

fn named(point: &Point, open: &str) -> String {
    match point {
        Point::Revision(rev) => format!("r{rev}"),
        Point::Commit(name, _) => name.clone(),
        Point::Open => open.to_owned(),
    }
}

/// The two ends of a range as it was written.
fn ends(session: &Session, range: Option<&str>, entries: &[Entry]) -> Result<(Point, Point), Rejection> {
    let Some(range) = range else { return Ok((Point::Open, Point::Open)) };
    if let Some((a, b)) = range.split_once("...") {
        let git = Git::at(&session.dir);
        let tip = if b.is_empty() { "HEAD" } else { b };
        let (a, b) = (git.commit(a)?, git.commit(tip)?);
        let none = || Rejection::new(Code::RevisionNotFound, "the two revisions have nothing in common");
        let fork = git.fork(&a, &b)?.ok_or_else(none)?;
        return Ok((Point::Commit(range.to_owned(), fork), Point::Commit(tip.to_owned(), b)));
    }
    match range.split_once("..") {
        Some((a, "")) => Ok((point(session, a, entries)?, Point::Open)),
        Some((a, b)) => Ok((point(session, a, entries)?, point(session, b, entries)?)),
        None => Ok((point(session, range, entries)?, Point::Open)),
    }
}

/// A point by its name: `r41`, dates and ages are memdir's; any other revision is git's.
fn point(session: &Session, text: &str, entries: &[Entry]) -> Result<Point, Rejection> {
    match when(text, &session.now) {
        Ok(When::Rev(_)) => revision(text, entries).map(|e| Point::Revision(e.rev)),
        Ok(When::Time(at)) => Ok(Point::Revision(entries.iter().rev().find(|e| e.at < at).map_or(0, |e| e.rev))),
        Err(why) => match Git::around(&session.dir) {
            Some(git) => git.commit(text).map(|commit| Point::Commit(text.to_owned(), commit)),
            None => Err(why),
        },
    }
}

/// The files that differ between two points of this machine's history.
fn recorded(session: &Session, entries: &[Entry], from: &Point, to: &Point) -> Result<Vec<Pair>, Rejection> {
    let store = &session.store;
    let (start, paths) = match from {
        Point::Revision(rev) => (Some(*rev), touched_since(store, entries, *rev)?),
        _ => (entries.last().map(|e| e.rev), unrecorded(store, entries, None)?.into_iter().map(|(p, _)| p).collect()),
    };
    let mut pairs = Vec::new();
    for path in paths {
        let before = at(store, entries, &path, start)?;
        let after = match to {
            Point::Revision(rev) => at(store, entries, &path, Some(*rev))?,
            _ => now(store, &path),
        };
        pairs.push(Pair { path, before, after });
    }
    Ok(pairs)
}

/// The files that any revision after `from` touched, and those changed outside.
fn touched_since(store: &Store, entries: &[Entry], from: u64) -> Result<Vec<MemoryPath>, Rejection> {
    let mut paths: BTreeSet<MemoryPath> = BTreeSet::new();
    for entry in entries.iter().filter(|e| e.rev > from && e.outcome == Outcome::Done) {
        paths.extend(entry.files.iter().map(|f| f.path.clone()));
    }
    paths.extend(unrecorded(store, entries, None)?.into_iter().map(|(p, _)| p));
    Ok(paths.into_iter().collect())
}

/// A file as it was right after a revision: the last text left by then, else the text the next revision found.
fn at(store: &Store, entries: &[Entry], path: &MemoryPath, rev: Option<u64>) -> Result<Option<Document>, Rejection> {
    let rev = rev.unwrap_or(0);
    let touches = |e: &&Entry| e.outcome == Outcome::Done && e.files.iter().any(|f| f.path == *path);
    let (rev, side) = match entries.iter().rev().filter(touches).find(|e| e.rev <= rev) {
        Some(entry) => (entry.rev, Side::After),
        None => match entries.iter().filter(touches).find(|e| e.rev > rev) {
            Some(entry) => (entry.rev, Side::Before),
            None => return Ok(now(store, path)),
        },
    };
    Ok(store.text(rev, path, side)?.and_then(|v| Document::read(v.bytes.to_vec()).ok()))
}

fn now(store: &Store, path: &MemoryPath) -> Option<Document> {
    store.read(path).ok().flatten().and_then(|v| Document::read(v.bytes.to_vec()).ok())
}

/// The files that differ between two commits, or between one and now. `inbox/` and scopes are no part of it.
fn committed(session: &Session, from: &str, to: Option<&str>) -> Result<Vec<Pair>, Rejection> {
    let git = Git::at(&session.dir);
    let mut before = objects(&git, from)?;
    let Some(to) = to else { return until_now(session, &git, before) };
    let mut after = objects(&git, to)?;
    let same: Vec<MemoryPath> =
        before.iter().filter(|(p, o)| after.get(*p) == Some(*o)).map(|(p, _)| p.clone()).collect();
    for path in same {
        before.remove(&path);
        after.remove(&path);
    }
    let seen = |texts| seen(&session.store, texts);
    let (mut old, mut new) = (seen(texts(&git, &before)?), seen(texts(&git, &after)?));
    let paths: BTreeSet<MemoryPath> = before.into_keys().chain(after.into_keys()).collect();
    let pair = |path: MemoryPath| Pair { before: old.remove(&path), after: new.remove(&path), path };
    Ok(paths.into_iter().map(pair).collect())
}

fn until_now(session: &Session, git: &Git, before: BTreeMap<MemoryPath, String>) -> Result<Vec<Pair>, Rejection> {
    let mut old = seen(&session.store, texts(git, &before)?);
    let files = session.store.walk(None)?.into_iter().map(|f| f.path).filter(counts);
    let paths: BTreeSet<MemoryPath> = files.chain(before.into_keys()).collect();
    let pair = |path: MemoryPath| Pair { before: old.remove(&path), after: now(&session.store, &path), path };
    Ok(paths.into_iter().map(pair).collect())
}

/// Whether a path of a repository is a file of this memory that is shared.
fn counts(path: &MemoryPath) -> bool {
    let text = path.as_str();
    text.ends_with(".md")
        && !text.split('/').any(|c| c.starts_with('.'))
        && !matches!(path.folder(), Some("inbox" | "scopes"))
}

/// The memory's files at a commit: their objects.
pub(super) fn objects(git: &Git, commit: &str) -> Result<BTreeMap<MemoryPath, String>, Rejection> {
    let files = git.files(commit)?.into_iter();
    Ok(files
        .filter_map(|blob| Some((MemoryPath::found(&blob.path).ok()?, blob.object)))
        .filter(|(p, _)| counts(p))
        .collect())
}

/// What objects hold, as documents; what is no text is read as well as it can be.
pub(super) fn texts(
    git: &Git,
    objects: &BTreeMap<MemoryPath, String>,
) -> Result<HashMap<MemoryPath, Document>, Rejection> {
    let names: Vec<&str> = objects.values().map(String::as_str).collect();
    let contents = git.contents(&names)?.into_iter();
    let read = |bytes: Vec<u8>| Document::parse(String::from_utf8_lossy(&bytes).into_owned());
    Ok(objects.keys().cloned().zip(contents.map(read)).collect())
}

/// Of texts that git keeps, what the caller may see.
fn seen(store: &Store, texts: HashMap<MemoryPath, Document>) -> HashMap<MemoryPath, Document> {
    if store.unveiled().is_ok() {
        return texts;
    }
    let shown = |(path, document): (MemoryPath, Document)| {
        let bytes = store.recalled(&path, document.into_text().into_bytes())?;
        Some((path, Document::parse(String::from_utf8_lossy(&bytes).into_owned())))
    };
    texts.into_iter().filter_map(shown).collect()
}

type File = (ChangedFile, Pair);

/// Files with what became of their bullets; a file that went and one that came with its bullets are one, renamed.
fn paired(pairs: Vec<Pair>) -> Vec<File> {
    let text = |d: &Option<Document>| d.as_ref().map(|d| d.text().to_owned());
    let mut pairs: Vec<Pair> = pairs.into_iter().filter(|p| text(&p.before) != text(&p.after)).collect();
    let mut files = Vec::new();
    while let Some((gone, come)) = renamed(&pairs) {
        let after = pairs[come].after.take();
        let (path, before) = (pairs[gone].path.clone(), pairs[gone].before.take());
        let pair = Pair { path: pairs[come].path.clone(), before, after };
        let file = ChangedFile { kind: "moved", to: Some(pair.path.to_string()), ..file(&pair, &path) };
        files.push((file, pair));
    }
    let rest = pairs.into_iter().filter(|p| p.before.is_some() || p.after.is_some());
    files.extend(rest.map(|pair| (file(&pair, &pair.path), pair)));
    files.sort_by(|a, b| a.0.path.cmp(&b.0.path));
    files
}

/// The two halves of the most likely rename.
fn renamed(pairs: &[Pair]) -> Option<(usize, usize)> {
    let only = |before: bool| {
        let fits = move |p: &Pair| p.before.is_some() == before && p.after.is_some() != before;
        pairs.iter().enumerate().filter(move |(_, p)| fits(p))
    };
    if only(true).count() * only(false).count() > MOST {
        return None;
    }
    let each = only(true).flat_map(|(gone, a)| only(false).map(move |(come, b)| (gone, come, a, b)));
    let scored = each.filter_map(|(gone, come, a, b)| {
        let score = shared(a.before.as_ref()?, b.after.as_ref()?);
        (score >= RENAMED).then_some((score, gone, come))
    });
    scored.max_by(|a, b| a.0.total_cmp(&b.0).then((b.1, b.2).cmp(&(a.1, a.2)))).map(|(_, gone, come)| (gone, come))
}

fn file(pair: &Pair, path: &MemoryPath) -> ChangedFile {
    ChangedFile {
        path: path.to_string(),
        kind: match (&pair.before, &pair.after) {
            (None, _) => "created",
            (_, None) => "removed",
            _ => "updated",
        },
        to: None,
        etag: pair.after.as_ref().map(|d| Etag::of(d.text().as_bytes()).short()),
        effects: rows(pair),
    }
}

/// Headings that went and came, then bullets; other lines as one row where nothing else differs.
fn rows(pair: &Pair) -> Vec<EffectRow> {
    let empty = || Document::parse("");
    let (before, after) = (pair.before.clone().unwrap_or_else(empty), pair.after.clone().unwrap_or_else(empty));
    let mut rows = headings(&before, &after, "-");
    let added = headings(&after, &before, "+");
    rows.extend(added);
    rows.extend(fates(&before, &after).into_iter().map(|fate| bullet(&before, &after, fate)));
    if rows.is_empty() && pair.before.is_some() && pair.after.is_some() && before.text() != after.text() {
        rows.push(EffectRow { sign: "~", text: "text between bullets".into(), ..EffectRow::default() });
    }
    rows
}

/// The headings of one side that the other lacks.
fn headings(here: &Document, there: &Document, sign: &'static str) -> Vec<EffectRow> {
    let mut other: Vec<String> = (1..there.sections().len()).map(|s| effects::heading(there, s)).collect();
    let mut rows = Vec::new();
    for section in 1..here.sections().len() {
        let text = effects::heading(here, section);
        match other.iter().position(|o| *o == text) {
            Some(at) => drop(other.swap_remove(at)),
            None => rows.push(EffectRow {
                sign,
                text,
                section: effects::section_slug(here, section),
                ..EffectRow::default()
            }),
        }
    }
    rows
}

fn bullet(before: &Document, after: &Document, fate: Fate) -> EffectRow {
    let (sign, document, at) = match fate {
        Fate::Removed(old) => ("-", before, old),
        Fate::Added(new) => ("+", after, new),
        Fate::Moved(_, new) => (">", after, new),
        Fate::Updated(_, new) | Fate::Set(_, new) => ("~", after, new),
    };
    let was = match fate {
        Fate::Updated(old, _) => {
            Some(Was { handle: before.handle_name(old), text: before.bullet_text(old).into_owned() })
        }
        _ => None,
    };
    let section = effects::section_slug(document, document.bullets()[at].section as usize);
    let meta = || after.bullet_meta(at).unwrap_or_default().0.into_iter().map(|(k, v)| format!("{k}={v}"));
    EffectRow {
        sign,
        handle: Some(document.handle_name(at)),
        id: document.bullet_id(at).map(|id| id.into_owned()),
        text: document.bullet_text(at).into_owned(),
        to: match fate {
            Fate::Moved(..) => Some(section.as_ref().map_or("the top".to_owned(), |slug| format!("#{slug}"))),
            _ => None,
        },
        set: match fate {
            Fate::Set(..) => Some(meta().collect::<Vec<_>>().join(" ")),
            _ => None,
        },
        section,
        was,
        ..EffectRow::default()
    }
}

/// A bullet that went from one file and came in another has moved.
fn across(files: &mut [File]) {
    let mut came: HashMap<Handle, Vec<(usize, usize)>> = HashMap::new();
    for (f, (file, _)) in files.iter().enumerate().rev() {
        for (r, row) in file.effects.iter().enumerate().rev().filter(|(_, row)| row.sign == "+" && row.handle.is_some())
        {
            came.entry(Handle::of(&row.text)).or_default().push((f, r));
        }
    }
    let mut gone: Vec<(usize, usize)> = Vec::new();
    for f in 0..files.len() {
        for r in 0..files[f].0.effects.len() {
            let row = &files[f].0.effects[r];
            if row.sign != "-" || row.handle.is_none() {
                continue;
            }
            let Some(place) = came.get_mut(&Handle::of(&row.text)).and_then(Vec::pop) else { continue };
            let (target, there) = (&files[place.0].0, &files[place.0].0.effects[place.1]);
            let file = target.to.as_ref().unwrap_or(&target.path);
            let to = there.section.as_ref().map_or(file.clone(), |slug| format!("{file}#{slug}"));
            let handle = there.handle.clone();
            let row = &mut files[f].0.effects[r];
            (row.sign, row.to, row.handle) = (">", Some(to), handle);
            gone.push(place);
        }
    }
    gone.sort();
    gone.into_iter().rev().for_each(|(f, r)| drop(files[f].0.effects.remove(r)));
}

fn text(file: &ChangedFile, pair: &Pair) -> String {
    let side = |d: &Option<Document>| d.as_ref().map(|d| d.text().to_owned());
    let lines = unified(pair.path.as_str(), side(&pair.before).as_deref(), side(&pair.after).as_deref());
    match &file.to {
        Some(to) => format!("rename from {}\nrename to {to}\n{lines}", file.path),
        None => lines,
    }
}

/// What this machine's journal knows of texts: where they came from, and why.
struct Known<'e> {
    texts: HashMap<Handle, (&'e Entry, &'e Value)>,
}

impl<'e> Known<'e> {
    fn new(entries: &'e [Entry]) -> Known<'e> {
        let mut texts = HashMap::new();
        for entry in entries.iter().filter(|e| e.outcome == Outcome::Done) {
            for operation in &entry.operations {
                if let Some(text) = operation.get("text").and_then(Value::as_str) {
                    texts.insert(Handle::of(text), (entry, operation));
                }
            }
        }
        Known { texts }
    }

    fn tell(&self, row: &mut EffectRow) {
        if row.handle.is_none() || row.sign == "-" {
            return;
        }
        let Some((entry, operation)) = self.texts.get(&Handle::of(&row.text)) else { return };
        let said = |key: &str| operation.get(key).and_then(Value::as_str).map(str::to_owned);
        row.source = said("source").or_else(|| entry.source.clone());
        row.reason = said("reason").or_else(|| entry.reason.clone());
        row.quote = said("quote");
    }
}
