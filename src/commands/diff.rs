//! `diff`: the differences between two points of this machine's history, or between git revisions, by line and by
//! bullet.
//!
//! Never writes: reads journal, slots, files and git objects.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::commit_files::{file_objects, is_shared_file, read_objects};
use super::layer_names::{error_in_layer, name_in_files};
use super::layers::range_in_layer;
use super::log_target::LogTarget;
use super::past_texts::{PastTexts, current_text, visible_texts};
use super::point_in_time::{PointInTime, find_revision, parse_point_in_time};
use super::results::{ChangedFile, ChangedFileKind, DiffResult, EffectRow, PreviousBullet};
use super::sync_merges::HistoryPoint;
use super::{CommandResult, Session};
use crate::change::{EffectSign, EntryOutcome, Etag, JournalEntry};
use crate::code::{Code, Rejection};
use crate::document::{Document, Handle, RecordedUpdates};
use crate::host::git::Git;
use crate::operation::effects;
use crate::path::MemoryPath;
use crate::store::Store;
use crate::view::diff::unified_diff;
use crate::view::diff_bullets::{BulletChange, bullet_changes_since, bullet_overlap, recorded_updates};

/// The share of common bullets (0 to 1) from which an added and a removed file count as a rename. Half, as in git.
const RENAME_SIMILARITY: f64 = 0.5;
/// The largest number of file pairs that are compared to find renames.
const MAX_RENAME_PAIRS: usize = 1 << 12;

/// What is shown of a changed file whose earlier text is gone.
const LOST_TEXT: &str = "its earlier text is no longer in this machine's history";

/// The start or end of a range.
enum RangeEnd {
    /// A point in this machine's history.
    Revision(HistoryPoint),
    /// The name that the caller gave, and the git commit.
    Commit(String, String),
    /// Not given: at the start the newest recorded state, at the end the current files.
    Open,
}

/// A file at both ends of the range.
struct FilePair {
    path: MemoryPath,
    before: Option<Document>,
    after: Option<Document>,
    /// The bullets whose texts revisions in between have replaced.
    recorded: RecordedUpdates,
}

impl FilePair {
    fn new(path: MemoryPath, before: Option<Document>, after: Option<Document>) -> FilePair {
        FilePair { path, before, after, recorded: RecordedUpdates::default() }
    }
}

/// A file that may have changed, of which one of the two texts cannot be read.
struct UnknownFile {
    path: MemoryPath,
    reason: String,
}

impl UnknownFile {
    /// `None` for a restricted agent, from whom a file that cannot be read may be hidden.
    fn new(store: &Store, path: &MemoryPath, error: Rejection) -> Option<UnknownFile> {
        let reason = match error.code {
            Code::HistoryGone => LOST_TEXT.into(),
            _ => {
                store.require_unfiltered().ok()?;
                let path = format!("{path} ");
                error.message.strip_prefix(&path).map_or(error.message.clone(), str::to_owned)
            }
        };
        Some(UnknownFile { path: path.clone(), reason })
    }

    fn into_row(self) -> ChangedFile {
        let effects = vec![EffectRow { sign: EffectSign::Set, text: self.reason, ..EffectRow::default() }];
        let path = self.path.to_string();
        ChangedFile { path, kind: ChangedFileKind::Updated, to: None, rev: None, etag: None, effects }
    }
}

/// The differences from a revision (or the newest recorded state) until now, or between two revisions. `A...B` starts
/// at the merge base of the git revisions `A` and `B`.
///
/// # Errors
/// `revision_not_found`, `history_gone`, `usage`, `git`.
pub fn diff(session: &Session, range: Option<&str>, address: Option<&str>) -> CommandResult<DiffResult> {
    if let Some((layer, range, inner)) = session.layer_of_revision(range)? {
        let range = range_in_layer(layer, range)?;
        let range = Some(range.as_str()).filter(|range| !range.is_empty());
        let named = session.layer_of_revision(address)?;
        if named.as_ref().is_some_and(|(of_address, ..)| *of_address != layer) {
            return Err(Rejection::new(Code::Usage, "the range and the address are of two layers").into());
        }
        let address = named.map(|(_, address, _)| address).or(address);
        let mut result = diff(&inner, range, address).map_err(|error| error_in_layer(error, layer))?;
        name_in_files(&mut result.files, layer);
        return Ok(result);
    }
    let entries = session.store.journal()?;
    let only = address.map(|a| LogTarget::resolve(session, a)).transpose()?.map(|t| t.path);
    let past = PastTexts::new(session, &entries);
    let (from, to) = parse_range(session, range, &past)?;
    let mut unknown = Vec::new();
    let pairs = match (&from, &to) {
        (RangeEnd::Commit(_, a), RangeEnd::Commit(_, b)) => commit_pairs(session, a, b)?,
        (RangeEnd::Commit(_, a), RangeEnd::Open) => pairs_until_now(session, a, &mut unknown)?,
        (RangeEnd::Commit(..), _) | (_, RangeEnd::Commit(..)) => {
            return Err(Rejection::new(
                Code::Usage,
                "one end of the range is a memdir revision and the other a git revision",
            )
            .hint("r41, dates and ages are memdir revisions; anything else is a git revision")
            .into());
        }
        _ => journal_pairs(&past, &from, &to, only.as_ref(), &mut unknown)?,
    };
    let mut files = diff_files(pairs);
    files.retain(|f| only.as_ref().is_none_or(|o| *o == f.1.path || f.0.path == o.as_str()));
    join_moves(&mut files);
    let recorded_texts = RecordedTexts::new(&entries);
    for (file, _) in &mut files {
        file.effects.iter_mut().for_each(|row| recorded_texts.annotate(row));
    }
    let mut diff: String = files.iter().map(|(file, pair)| unified_text(file, pair)).collect();
    let mut files: Vec<ChangedFile> = files.into_iter().map(|(file, _)| file).collect();
    unknown.retain(|file| only.as_ref().is_none_or(|only| *only == file.path));
    unknown.iter().for_each(|file| diff.push_str(&format!("# {}: {}\n", file.path, file.reason)));
    files.extend(unknown.into_iter().map(UnknownFile::into_row));
    Ok(DiffResult { from: end_name(&from, "recorded"), to: end_name(&to, "now"), files, diff })
}

fn end_name(point: &RangeEnd, open: &str) -> String {
    match point {
        RangeEnd::Revision(point) => format!("r{}", point.rev),
        RangeEnd::Commit(name, _) => name.clone(),
        RangeEnd::Open => open.to_owned(),
    }
}

/// Parses a range into its two ends.
fn parse_range(
    session: &Session,
    range: Option<&str>,
    past: &PastTexts<'_>,
) -> Result<(RangeEnd, RangeEnd), Rejection> {
    let Some(range) = range else { return Ok((RangeEnd::Open, RangeEnd::Open)) };
    if let Some((a, b)) = range.split_once("...") {
        let git = Git::in_dir(&session.dir);
        let tip = if b.is_empty() { "HEAD" } else { b };
        let (a, b) = (git.resolve_commit(a)?, git.resolve_commit(tip)?);
        let no_ancestor = || Rejection::new(Code::RevisionNotFound, "the two revisions have no common ancestor");
        let fork = git.merge_base(&a, &b)?.ok_or_else(no_ancestor)?;
        return Ok((RangeEnd::Commit(range.to_owned(), fork), RangeEnd::Commit(tip.to_owned(), b)));
    }
    match range.split_once("..") {
        Some((a, "")) => Ok((parse_end(session, a, past)?, RangeEnd::Open)),
        Some((a, b)) => Ok((parse_end(session, a, past)?, parse_end(session, b, past)?)),
        None => Ok((parse_end(session, range, past)?, RangeEnd::Open)),
    }
}

/// Parses one end of a range: `r41`, dates and ages are memdir revisions; anything else is a git revision.
fn parse_end(session: &Session, text: &str, past: &PastTexts<'_>) -> Result<RangeEnd, Rejection> {
    let (entries, merges) = (past.entries, &past.merges);
    match parse_point_in_time(text, &session.now) {
        Ok(PointInTime::Revision(_)) => {
            find_revision(text, entries).map(|entry| RangeEnd::Revision(merges.after_revision(entry.rev)))
        }
        Ok(PointInTime::Time(at)) => {
            let rev = entries.iter().rev().find(|e| e.header.at < at).map_or(0, |e| e.rev);
            Ok(RangeEnd::Revision(merges.before_time(&at, rev)))
        }
        Err(error) => match Git::discover(&session.dir) {
            Some(git) => git.resolve_commit(text).map(|commit| RangeEnd::Commit(text.to_owned(), commit)),
            None => Err(error),
        },
    }
}

/// The files that may differ between two points of this machine's history. If only one is wanted, the others serve to
/// find out that it was renamed, and those that cannot be read are left out; else those are added to `unknown`.
fn journal_pairs(
    past: &PastTexts<'_>,
    from: &RangeEnd,
    to: &RangeEnd,
    only: Option<&MemoryPath>,
    unknown: &mut Vec<UnknownFile>,
) -> Result<Vec<FilePair>, Rejection> {
    let entries = past.entries;
    let (start, paths) = match (from, to) {
        // A range may go back in time, too.
        (RangeEnd::Revision(from), RangeEnd::Revision(to)) => (*from, past.changed_since(*from.min(to))),
        (RangeEnd::Revision(from), _) => (*from, past.changed_since(*from)),
        _ => (past.merges.newest_point(entries.last().map_or(0, |e| e.rev)), past.unrecorded()),
    };
    let end = match to {
        RangeEnd::Revision(point) => Some(*point),
        _ => None,
    };
    let ends = || [Some(start), end].into_iter().flatten();
    let points: Vec<_> = paths.iter().flat_map(|path| ends().map(move |point| (path, point))).collect();
    let mut texts = past.texts_at(&points)?.into_iter();
    let is_between = |rev: u64| rev > start.rev && end.is_none_or(|end| rev <= end.rev);
    let mut pairs = Vec::new();
    for path in &paths {
        let before = texts.next().unwrap_or(Ok(None));
        let after = match end {
            Some(_) => texts.next().unwrap_or(Ok(None)),
            None => current_text(past.store, path),
        };
        match before.and_then(|before| Ok((before, after?))) {
            Ok((before, after)) => {
                let recorded = recorded_updates(path, entries, |entry| is_between(entry.rev));
                pairs.push(FilePair { recorded, ..FilePair::new(path.clone(), before, after) });
            }
            Err(error) if only.is_some_and(|only| only == path) => return Err(error),
            Err(error) if only.is_none() => unknown.extend(UnknownFile::new(past.store, path, error)),
            Err(_) => {}
        }
    }
    Ok(pairs)
}

/// The files that may differ between two commits. `inbox/` and `scopes/` are excluded.
fn commit_pairs(session: &Session, from: &str, to: &str) -> Result<Vec<FilePair>, Rejection> {
    let git = Git::in_dir(&session.dir);
    let mut before = file_objects(&git, from)?;
    let mut after = file_objects(&git, to)?;
    let same: Vec<MemoryPath> =
        before.iter().filter(|(p, o)| after.get(*p) == Some(*o)).map(|(p, _)| p.clone()).collect();
    for path in same {
        before.remove(&path);
        after.remove(&path);
    }
    let seen = |texts| visible_texts(&session.store, texts);
    let (mut old, mut new) = (seen(read_objects(&git, &before)?), seen(read_objects(&git, &after)?));
    let paths: BTreeSet<MemoryPath> = before.into_keys().chain(after.into_keys()).collect();
    let pair = |path: MemoryPath| FilePair::new(path.clone(), old.remove(&path), new.remove(&path));
    Ok(paths.into_iter().map(pair).collect())
}

/// The files that may differ between a commit and now, without `inbox/` and `scopes/`. Those that cannot be read are
/// added to `unknown`.
fn pairs_until_now(session: &Session, from: &str, unknown: &mut Vec<UnknownFile>) -> Result<Vec<FilePair>, Rejection> {
    let git = Git::in_dir(&session.dir);
    let before = file_objects(&git, from)?;
    let mut old = visible_texts(&session.store, read_objects(&git, &before)?);
    let files = session.store.walk(None)?.into_iter().map(|f| f.path).filter(is_shared_file);
    let paths: BTreeSet<MemoryPath> = files.chain(before.into_keys()).collect();
    let mut pairs = Vec::new();
    for path in paths {
        match current_text(&session.store, &path) {
            Ok(now) => pairs.push(FilePair::new(path.clone(), old.remove(&path), now)),
            Err(error) => unknown.extend(UnknownFile::new(&session.store, &path, error)),
        }
    }
    Ok(pairs)
}

type DiffedFile = (ChangedFile, FilePair);

/// The changed files with their effect rows, sorted by path. A removed and an added file with similar bullets become
/// one moved file.
fn diff_files(pairs: Vec<FilePair>) -> Vec<DiffedFile> {
    let text = |d: &Option<Document>| d.as_ref().map(|d| d.text().to_owned());
    let mut pairs: Vec<FilePair> = pairs.into_iter().filter(|p| text(&p.before) != text(&p.after)).collect();
    let mut files = Vec::new();
    while let Some((removed, added)) = likeliest_rename(&pairs) {
        let after = pairs[added].after.take();
        let (path, before) = (pairs[removed].path.clone(), pairs[removed].before.take());
        let recorded = std::mem::take(&mut pairs[removed].recorded);
        let pair = FilePair { path: pairs[added].path.clone(), before, after, recorded };
        let file =
            ChangedFile { kind: ChangedFileKind::Moved, to: Some(pair.path.to_string()), ..changed_file(&pair, &path) };
        files.push((file, pair));
    }
    let rest = pairs.into_iter().filter(|p| p.before.is_some() || p.after.is_some());
    files.extend(rest.map(|pair| (changed_file(&pair, &pair.path), pair)));
    files.sort_by(|a, b| a.0.path.cmp(&b.0.path));
    files
}

/// The indexes of the removed and the added file of the most likely rename, if any is similar enough.
fn likeliest_rename(pairs: &[FilePair]) -> Option<(usize, usize)> {
    let one_sided = |before: bool| {
        let fits = move |p: &FilePair| p.before.is_some() == before && p.after.is_some() != before;
        pairs.iter().enumerate().filter(move |(_, p)| fits(p))
    };
    if one_sided(true).count() * one_sided(false).count() > MAX_RENAME_PAIRS {
        return None;
    }
    let candidates =
        one_sided(true).flat_map(|(removed, a)| one_sided(false).map(move |(added, b)| (removed, added, a, b)));
    let scored = candidates.filter_map(|(gone, come, a, b)| {
        let score = bullet_overlap(a.before.as_ref()?, b.after.as_ref()?);
        (score >= RENAME_SIMILARITY).then_some((score, gone, come))
    });
    scored.max_by(|a, b| a.0.total_cmp(&b.0).then((b.1, b.2).cmp(&(a.1, a.2)))).map(|(_, gone, come)| (gone, come))
}

fn changed_file(pair: &FilePair, path: &MemoryPath) -> ChangedFile {
    ChangedFile {
        path: path.to_string(),
        kind: match (&pair.before, &pair.after) {
            (None, _) => ChangedFileKind::Created,
            (_, None) => ChangedFileKind::Removed,
            _ => ChangedFileKind::Updated,
        },
        to: None,
        rev: None,
        etag: pair.after.as_ref().map(|d| Etag::of(d.text().as_bytes()).short()),
        effects: effect_rows(pair),
    }
}

/// The effect rows of one file: removed and added headings, then bullets. If only other lines differ, one row
/// represents all of them.
fn effect_rows(pair: &FilePair) -> Vec<EffectRow> {
    let empty = || Document::parse("");
    let (before, after) = (pair.before.clone().unwrap_or_else(empty), pair.after.clone().unwrap_or_else(empty));
    let mut rows = heading_rows(&before, &after, EffectSign::Removed);
    let added = heading_rows(&after, &before, EffectSign::Added);
    rows.extend(added);
    let changes = bullet_changes_since(&before, &after, &pair.recorded);
    rows.extend(changes.into_iter().map(|change| bullet_row(&before, &after, change)));
    if rows.is_empty() && pair.before.is_some() && pair.after.is_some() && before.text() != after.text() {
        rows.push(EffectRow { sign: EffectSign::Set, text: "text between bullets".into(), ..EffectRow::default() });
    }
    rows
}

/// The changed bullets of a file as lines: its path, then one line for each; none if the texts are equal.
pub(super) fn bullet_lines(path: &MemoryPath, before: Option<Document>, after: Option<Document>) -> Vec<String> {
    let text = |document: &Option<Document>| document.as_ref().map(|document| document.text().to_owned());
    if text(&before) == text(&after) {
        return Vec::new();
    }
    let word = match (&before, &after) {
        (None, _) => "new file ",
        (_, None) => "removed file ",
        _ => "",
    };
    let row_line = |row: EffectRow| {
        let handle = row.handle.map_or(String::new(), |handle| format!("@{handle} "));
        let to = row.to.map_or(String::new(), |to| format!(" → {to}"));
        let set = row.set.map_or(String::new(), |set| format!(" (now: {set})"));
        let was = row.was.map_or(String::new(), |was| format!(" (was @{} {})", was.handle, was.text));
        let line = format!("{} {handle}{}{to}{set}{was}", row.sign.symbol(), row.text);
        line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
    };
    let rows = effect_rows(&FilePair::new(path.clone(), before, after));
    [format!("{word}{path}")].into_iter().chain(rows.into_iter().map(row_line)).collect()
}

/// The headings of one side that the other side does not have.
fn heading_rows(here: &Document, there: &Document, sign: EffectSign) -> Vec<EffectRow> {
    let mut other: Vec<String> = (1..there.sections().len()).map(|s| effects::heading_text(there, s)).collect();
    let mut rows = Vec::new();
    for section in 1..here.sections().len() {
        let text = effects::heading_text(here, section);
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

fn bullet_row(before: &Document, after: &Document, change: BulletChange) -> EffectRow {
    let (sign, document, at) = match change {
        BulletChange::Removed(old) => (EffectSign::Removed, before, old),
        BulletChange::Added(new) => (EffectSign::Added, after, new),
        BulletChange::Moved(_, new) => (EffectSign::Moved, after, new),
        BulletChange::Updated(_, new) | BulletChange::Set(_, new) => (EffectSign::Set, after, new),
    };
    let previous = match change {
        BulletChange::Updated(old, _) => {
            Some(PreviousBullet { handle: before.handle_name(old), text: before.bullet_text(old).into_owned() })
        }
        BulletChange::Removed(_) | BulletChange::Added(_) | BulletChange::Moved(..) | BulletChange::Set(..) => None,
    };
    let section = effects::section_slug(document, document.bullets()[at].section as usize);
    let meta = || after.bullet_meta(at).unwrap_or_default().0.into_iter().map(|(k, v)| format!("{k}={v}"));
    EffectRow {
        sign,
        handle: Some(document.handle_name(at)),
        id: document.bullet_id(at).map(|id| id.into_owned()),
        text: document.bullet_text(at).into_owned(),
        to: match change {
            BulletChange::Moved(..) => Some(section.as_ref().map_or("the top".to_owned(), |slug| format!("#{slug}"))),
            _ => None,
        },
        set: match change {
            BulletChange::Set(..) => Some(meta().collect::<Vec<_>>().join(" ")),
            _ => None,
        },
        section,
        was: previous,
        ..EffectRow::default()
    }
}

/// Replaces a removed bullet in one file and the same bullet added in another by one move.
fn join_moves(files: &mut [DiffedFile]) {
    let mut added: HashMap<Handle, Vec<(usize, usize)>> = HashMap::new();
    for (f, (file, _)) in files.iter().enumerate().rev() {
        for (r, row) in file
            .effects
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, row)| row.sign == EffectSign::Added && row.handle.is_some())
        {
            added.entry(Handle::of(&row.text)).or_default().push((f, r));
        }
    }
    let mut moved_rows: Vec<(usize, usize)> = Vec::new();
    for f in 0..files.len() {
        for r in 0..files[f].0.effects.len() {
            let row = &files[f].0.effects[r];
            if row.sign != EffectSign::Removed || row.handle.is_none() {
                continue;
            }
            let Some(position) = added.get_mut(&Handle::of(&row.text)).and_then(Vec::pop) else { continue };
            let (target, added_row) = (&files[position.0].0, &files[position.0].0.effects[position.1]);
            let file = target.to.as_ref().unwrap_or(&target.path);
            let to = added_row.section.as_ref().map_or(file.clone(), |slug| format!("{file}#{slug}"));
            let handle = added_row.handle.clone();
            let row = &mut files[f].0.effects[r];
            (row.sign, row.to, row.handle) = (EffectSign::Moved, Some(to), handle);
            moved_rows.push(position);
        }
    }
    moved_rows.sort();
    moved_rows.into_iter().rev().for_each(|(f, r)| drop(files[f].0.effects.remove(r)));
}

fn unified_text(file: &ChangedFile, pair: &FilePair) -> String {
    let side = |d: &Option<Document>| d.as_ref().map(|d| d.text().to_owned());
    let lines = unified_diff(pair.path.as_str(), side(&pair.before).as_deref(), side(&pair.after).as_deref());
    match &file.to {
        Some(to) => format!("rename from {}\nrename to {to}\n{lines}", file.path),
        None => lines,
    }
}

/// The source, reason and quote that this machine's journal recorded for bullet texts.
struct RecordedTexts<'e> {
    texts: HashMap<Handle, (&'e JournalEntry, &'e Value)>,
}

impl<'e> RecordedTexts<'e> {
    fn new(entries: &'e [JournalEntry]) -> RecordedTexts<'e> {
        let mut texts = HashMap::new();
        for entry in entries.iter().filter(|e| e.outcome == EntryOutcome::Done) {
            for operation in &entry.operations {
                if let Some(text) = operation.get("text").and_then(Value::as_str) {
                    texts.insert(Handle::of(text), (entry, operation));
                }
            }
        }
        RecordedTexts { texts }
    }

    fn annotate(&self, row: &mut EffectRow) {
        if row.handle.is_none() || row.sign == EffectSign::Removed {
            return;
        }
        let Some((entry, operation)) = self.texts.get(&Handle::of(&row.text)) else { return };
        let recorded = |key: &str| operation.get(key).and_then(Value::as_str).map(str::to_owned);
        row.source = recorded("source").or_else(|| entry.header.source.clone());
        row.reason = recorded("reason").or_else(|| entry.header.reason.clone());
        row.quote = recorded("quote");
    }
}
