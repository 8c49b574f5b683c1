//! `log` and `show`: the journal and the changes made outside memdir.
//!
//! Never writes, not even that an outside edit was noticed: reads journal, slots and files.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use super::allowlist_filter::allowlist_rejection;
use super::blame::commit_origin;
use super::bullet_life::{BulletHistory, LifeCause, LifeEvent, LifeExtent};
use super::change::effect_rows;
use super::history_export::export_history;
use super::layer_names::{error_in_layer, name_layer_in_log, name_layer_in_row};
use super::list_and_read::ResolvedAddress;
use super::listed_entries::{DEFAULT_LOG_LIMIT, JournalSummary, ListedRange, entries_to_list};
use super::log_target::LogTarget;
use super::point_in_time::{PointInTime, find_revision, is_since, parse_point_in_time};
use super::results::{
    BulletStep, ChangedFile, ChangedFileKind, ItemReason, LogResult, LogRow, LogState, SupersededBullet,
};
use super::superseded::superseded_bullets;
use super::sync::SyncState;
use super::sync_merges::SyncMerges;
use super::{CommandResult, LogOptions, Session};
use crate::change::{EntryFile, Etag, InverseKind, JournalEntry};
use crate::code::Rejection;
use crate::document::Document;
use crate::operation::effects::diff_effects;
use crate::path::MemoryPath;
use crate::store::{JournalPages, RevisionSide, Store, TextsAtRevision};
use crate::view::diff::unified_diff;
use crate::view::journal::{self, OutsideEdit, RevisionState};
use crate::view::outline::LifeChange;

/// Journal entries and outside edits, newest first.
///
/// # Errors
/// `usage` for an invalid `since`; any error of resolving the address.
pub fn log(session: &Session, options: &LogOptions) -> CommandResult<LogResult> {
    let mut rows = LogRows::start(session, options)?;
    let limit = options.limit.unwrap_or(DEFAULT_LOG_LIMIT);
    let mut entries = Vec::new();
    let mut more = rows.range.older_rows;
    while let Some(row) = rows.next(session)? {
        if entries.len() < limit {
            entries.push(row)
        } else {
            more += 1
        }
        rows.only_counts = entries.len() >= limit;
    }
    let exported = rows.layer.as_ref().map_or(session, |(_, inner)| inner);
    // A part of the history cannot be imported, and the whole has what was not asked for.
    let is_whole = rows.by.is_none() && rows.target.is_none() && rows.from.is_none();
    let history = (options.texts && is_whole && !rows.restricted).then(|| export_history(exported)).transpose()?;
    Ok(LogResult { entries, since: rows.summary.since, more, history })
}

/// The rows of `log`, made one by one, newest first. An entry is dropped once its row is made.
pub struct LogRows {
    entries: Vec<JournalEntry>,
    /// The pages with older entries.
    pages: Option<JournalPages>,
    range: ListedRange,
    summary: JournalSummary,
    target: Option<LogTarget>,
    life: Option<TargetLife>,
    merges: SyncMerges,
    /// The rows that follow are not shown.
    only_counts: bool,
    from: Option<PointInTime>,
    by: Option<String>,
    patch: bool,
    restricted: bool,
    ready: VecDeque<LogRow>,
    /// The rows after all entries.
    last: Vec<LogRow>,
    /// The layer whose history it is, if the address names one.
    layer: Option<(String, Arc<Session>)>,
}

impl LogRows {
    /// Reads the journal and prepares the rows; the limit of the options is the caller's.
    ///
    /// # Errors
    /// As [`log`].
    pub fn start(session: &Session, options: &LogOptions) -> CommandResult<LogRows> {
        if let Some((layer, address, inner)) = session.layer_of_revision(options.address.as_deref())? {
            let address = Some(address.to_owned()).filter(|address| !address.is_empty());
            let rows = LogRows::start(&inner, &LogOptions { address, ..options.clone() });
            let rows = rows.map_err(|error| error_in_layer(error, layer))?;
            return Ok(LogRows { layer: Some((layer.to_owned(), inner)), ..rows });
        }
        let mut summary = JournalSummary::default();
        let (entries, pages, range) = entries_to_list(session, options, &mut summary)?;
        let target = options.address.as_deref().map(|a| LogTarget::resolve(session, a)).transpose()?;
        let life = match target.as_ref().and_then(|target| target.bullet.as_ref()) {
            Some((named, number)) => Some(TargetLife::of(session, named, *number)?),
            None => None,
        };
        let mut rows = LogRows {
            range,
            summary,
            pages,
            from: options.since.as_deref().map(|s| parse_point_in_time(s, &session.now)).transpose()?,
            by: options.by.clone(),
            patch: options.patch,
            restricted: session.visibility().is_some(),
            ready: VecDeque::new(),
            last: Vec::new(),
            target,
            life,
            merges: SyncMerges::of(session),
            only_counts: false,
            entries,
            layer: None,
        };
        if rows.lists_outside_edits() {
            let git_rows = |cause, state| rows.life.iter().flat_map(move |life| life.git_rows(cause, state));
            let mut ready: VecDeque<LogRow> = git_rows(LifeCause::Merged(None), LogState::Merged).collect();
            let last_etags = rows.summary.outside_edits.last.iter();
            let unrecorded = changed_since(&session.store, last_etags, rows.target.as_ref().map(|t| &t.path));
            ready.extend(
                unrecorded.iter().filter_map(|(edited, _)| rows.outside_row(edited, None, LogState::Unrecorded)),
            );
            let last = if rows.from.is_none() {
                git_rows(LifeCause::Committed, LogState::Committed).collect()
            } else {
                Vec::new()
            };
            (rows.ready, rows.last) = (ready, last);
        }
        Ok(rows)
    }

    /// The next row; `None` after the last.
    ///
    /// # Errors
    /// `io` if the journal cannot be read on.
    pub fn next(&mut self, session: &Session) -> Result<Option<LogRow>, Rejection> {
        let layer = self.layer.clone();
        let session = layer.as_ref().map_or(session, |(_, inner)| inner);
        while self.ready.is_empty() {
            if let (true, Some(pages)) = (self.entries.is_empty(), &mut self.pages) {
                self.entries = pages.read_newest()?;
            }
            match self.entries.pop().filter(|entry| entry.rev >= self.range.from) {
                Some(entry) => self.add_rows_of(session, &entry),
                None => {
                    (self.entries, self.pages) = (Vec::new(), None);
                    self.ready.extend(std::mem::take(&mut self.last));
                    break;
                }
            }
        }
        let row = self.ready.pop_front();
        Ok(row.map(|row| layer.iter().fold(row, |row, (name, _)| name_layer_in_row(row, name))))
    }

    fn add_rows_of(&mut self, session: &Session, entry: &JournalEntry) {
        let is_since = self.from.as_ref().is_none_or(|from| is_since(entry, from));
        if is_since && self.fits(session, entry) {
            let mut row = log_row(session, entry, self.summary.states.get(entry.rev), self.patch);
            if let Some(target) = &self.target {
                row.superseded.retain(|bullet| *target.path.as_str() == bullet.path || self.life.is_some());
                row.items.retain(|item| self.life.is_some() || item.at.starts_with(target.path.as_str()));
            }
            if let Some(event) = self.life.as_ref().and_then(|life| life.step_of_revision(entry.rev)) {
                row.superseded.retain(|bullet| is_superseded(event, bullet));
                let earlier = event.earlier.as_ref().map(|earlier| &earlier.text);
                row.items.retain(|item| earlier.is_none() || item.text.as_ref() == earlier);
                row.bullet = Some(bullet_step(event));
            }
            self.ready.push_back(row);
        }
        if is_since && self.lists_outside_edits() {
            let edited = self.summary.gaps.get(&entry.rev).into_iter().flatten();
            let edited: Vec<OutsideEdit> = edited.cloned().collect();
            let merged = if self.only_counts { HashSet::new() } else { self.merges.merged_files(&edited) };
            let row = |edit: &OutsideEdit| {
                let state = if merged.contains(&edit.path) { LogState::Merged } else { LogState::Outside };
                self.outside_row(&edit.path, Some(entry.rev), state)
            };
            let rows: Vec<LogRow> = edited.iter().filter_map(row).collect();
            self.ready.extend(rows);
        }
    }

    /// Whether an entry is listed, whenever it was made.
    fn fits(&self, session: &Session, entry: &JournalEntry) -> bool {
        // An entry without visible files is not shown at all.
        !(self.restricted && entry.files.is_empty())
            && self.by.as_deref().is_none_or(|by| entry.is_by(by))
            && self.target.as_ref().is_none_or(|target| match &self.life {
                Some(life) => life.step_of_revision(entry.rev).is_some(),
                None => target.is_touched_by(session, entry),
            })
    }

    fn lists_outside_edits(&self) -> bool {
        self.by.as_deref().is_none_or(|by| by == "outside")
    }

    /// The row of an outside edit. A bullet has only those that changed it, in whichever file it was.
    fn outside_row(&self, edited: &MemoryPath, before_rev: Option<u64>, state: LogState) -> Option<LogRow> {
        match &self.life {
            None => self.target.as_ref().is_none_or(|t| t.path == *edited).then(|| gap_row(edited, state, None)),
            Some(life) => life.outside_step(edited, before_rev).map(|step| gap_row(edited, state, Some(step))),
        }
    }
}

/// What the history tells of one bullet, newest first, also of the files in which it was before.
struct TargetLife {
    /// Each change with the revision that made it, or for an outside edit the next one.
    events: Vec<(Option<u64>, LifeEvent)>,
    /// The first change of each revision.
    by_revision: HashMap<u64, usize>,
    /// The first outside edit of each file before a revision, or since the last one.
    outside: HashMap<(Option<u64>, MemoryPath), usize>,
}

impl TargetLife {
    fn of(session: &Session, named: &ResolvedAddress, number: usize) -> Result<TargetLife, Rejection> {
        let history = BulletHistory::open(session, Store::read_whole_history)?;
        let events = history.lives(named, &[number], LifeExtent::Whole)?.into_iter().flatten();
        let rev = |event: &LifeEvent| match event.cause {
            LifeCause::Entry(index) => Some(history.entries[index].rev),
            LifeCause::Outside(rev) | LifeCause::Merged(rev) => rev,
            LifeCause::Committed => None,
        };
        let mut life = TargetLife {
            events: events.map(|event| (rev(&event), event)).collect(),
            by_revision: HashMap::new(),
            outside: HashMap::new(),
        };
        for (number, (rev, event)) in life.events.iter().enumerate() {
            match (event.cause, rev) {
                (LifeCause::Entry(_), Some(rev)) => drop(life.by_revision.entry(*rev).or_insert(number)),
                (LifeCause::Outside(_) | LifeCause::Merged(Some(_)), _) => {
                    life.outside.entry((*rev, event.path.clone())).or_insert(number);
                }
                (LifeCause::Entry(_) | LifeCause::Merged(None) | LifeCause::Committed, _) => {}
            }
        }
        Ok(life)
    }

    /// The changes that are part of git's history and no outside edits: what a sync changed last, or what is older than
    /// the journal.
    fn git_rows(&self, cause: LifeCause, state: LogState) -> impl Iterator<Item = LogRow> {
        let events = self.events.iter().map(|(_, event)| event).filter(move |event| event.cause == cause);
        events.map(move |event| gap_row(&event.path, state, Some(bullet_step(event))))
    }

    fn step_of_revision(&self, rev: u64) -> Option<&LifeEvent> {
        self.by_revision.get(&rev).map(|number| &self.events[*number].1)
    }

    /// What an outside edit of a file changed, before a revision or since the last one.
    fn outside_step(&self, path: &MemoryPath, before_rev: Option<u64>) -> Option<BulletStep> {
        let number = self.outside.get(&(before_rev, path.clone()))?;
        Some(bullet_step(&self.events[*number].1))
    }
}

fn is_superseded(event: &LifeEvent, bullet: &SupersededBullet) -> bool {
    event.earlier.as_ref().is_some_and(|earlier| *earlier.path.as_str() == bullet.path && earlier.text == bullet.text)
}

fn bullet_step(event: &LifeEvent) -> BulletStep {
    let earlier = |change: LifeChange| event.earlier.as_ref().filter(|_| event.change == change);
    BulletStep {
        change: event.change,
        path: event.path.to_string(),
        from: earlier(LifeChange::Updated).map(|earlier| earlier.text.clone()),
        moved_from: earlier(LifeChange::Moved).map(|earlier| earlier.address()),
        commit: event.commit.as_ref().map(commit_origin),
    }
}

fn gap_row(path: &MemoryPath, state: LogState, bullet: Option<BulletStep>) -> LogRow {
    LogRow {
        rev: None,
        at: None,
        actor: "outside".into(),
        state,
        what: match state {
            LogState::Unrecorded => "changed outside memdir, not yet recorded".into(),
            LogState::Merged => "merged by a sync".into(),
            LogState::Committed => "committed before this machine's history begins".into(),
            _ => "changed outside memdir".into(),
        },
        reason: None,
        items: Vec::new(),
        source: None,
        proposed_by: None,
        consent: None,
        superseded: Vec::new(),
        files: vec![path.to_string()],
        bullet,
        effects: Vec::new(),
        diff: None,
    }
}

fn log_row(session: &Session, entry: &JournalEntry, state: Option<&RevisionState>, patch: bool) -> LogRow {
    LogRow {
        rev: Some(format!("r{}", entry.rev)),
        at: Some(entry.header.at.clone()),
        actor: entry.header.actor.clone(),
        state: match state {
            Some(RevisionState::Undone { .. }) => LogState::Undone,
            Some(RevisionState::RolledBack) => LogState::PutBack,
            Some(RevisionState::Pending) => LogState::Pending,
            Some(RevisionState::Done) | None => LogState::Done,
        },
        what: describe(entry),
        reason: entry.header.reason.clone(),
        items: item_reasons(entry),
        source: entry.header.source.clone(),
        proposed_by: Some(entry.proposers().join(", ")).filter(|names| !names.is_empty()),
        consent: entry.header.consent.clone(),
        superseded: superseded_bullets(entry),
        files: entry.files.iter().map(|f| f.path.to_string()).collect(),
        bullet: None,
        effects: if patch { changed_files(session, entry, &texts_of(&session.store, entry)) } else { Vec::new() },
        diff: None,
    }
}

/// The operations with a reason of their own.
fn item_reasons(entry: &JournalEntry) -> Vec<ItemReason> {
    let own = entry.operations.iter().filter_map(|operation| {
        let field = |name: &str| operation.get(name).and_then(Value::as_str).map(str::to_owned);
        let reason = field("reason").filter(|reason| entry.header.reason.as_ref() != Some(reason))?;
        Some(ItemReason { at: field("at")?, text: field("text"), reason })
    });
    own.collect()
}

/// A short description of an entry: `undo r40`, or its operation names with counts (`add 2, rm`).
fn describe(entry: &JournalEntry) -> String {
    // Entries that lost their texts to a later `rm --forget` still name their operations.
    if entry.forgotten && entry.operations.is_empty() && entry.inverts.is_none() {
        return "rm --forget".into();
    }
    match entry.inverts {
        Some(InverseKind::Undo(rev)) => return format!("undo r{rev}"),
        Some(InverseKind::Redo(rev)) => return format!("redo r{rev}"),
        None => {}
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for op in entry.operations.iter().filter_map(|op| op.get("op").and_then(Value::as_str)) {
        match counts.iter_mut().find(|(verb, _)| *verb == op) {
            Some((_, n)) => *n += 1,
            None => counts.push((op, 1)),
        }
    }
    let label = |(verb, n): (&str, usize)| if n == 1 { verb.to_owned() } else { format!("{verb} {n}") };
    counts.into_iter().map(label).collect::<Vec<_>>().join(", ")
}

/// The texts of a file before and after a revision; `None` where it did not exist or history no longer has it.
pub(super) type TextsAround = (Option<Document>, Option<Document>);

pub(super) fn texts_around(texts: &TextsAtRevision<'_>, path: &MemoryPath) -> TextsAround {
    let parse = |side| Document::from_bytes(texts.text(path, side).ok().flatten()?.bytes.to_vec()).ok();
    (parse(RevisionSide::Before), parse(RevisionSide::After))
}

/// The texts of each file of an entry, in its order. A move has none.
fn texts_of(store: &Store, entry: &JournalEntry) -> Vec<TextsAround> {
    let around = store.texts_at(entry.rev);
    let texts = |file: &EntryFile| match file.moved {
        Some(_) => (None, None),
        None => texts_around(&around, &file.path),
    };
    entry.files.iter().map(texts).collect()
}

fn changed_files(session: &Session, entry: &JournalEntry, texts: &[TextsAround]) -> Vec<ChangedFile> {
    let mut out = Vec::new();
    for (file, (before, after)) in entry.files.iter().zip(texts) {
        if let Some(other) = &file.moved {
            // A move is recorded as two files; the one with the old name represents both.
            let etag = file.after.filter(|_| session.store.require_unfiltered().is_ok());
            let moved = || changed_file(&file.path, true, etag, &[]);
            out.extend(file.before.map(|_| ChangedFile {
                kind: ChangedFileKind::Moved,
                to: Some(other.to_string()),
                ..moved()
            }));
            continue;
        }
        let gone = (file.before.is_some() && before.is_none()) || (file.after.is_some() && after.is_none());
        let effects = if gone { Vec::new() } else { diff_effects(before.as_ref(), after.as_ref(), &file.path, 0) };
        let etag = file.after.map(|etag| after.as_ref().map_or(etag, |text| session.shown_etag(text.text(), etag)));
        out.push(changed_file(&file.path, file.before.is_some(), etag, &effects));
    }
    out
}

fn changed_file(path: &MemoryPath, was: bool, after: Option<Etag>, effects: &[crate::change::Effect]) -> ChangedFile {
    ChangedFile {
        path: path.to_string(),
        kind: match (was, after) {
            (false, _) => ChangedFileKind::Created,
            (_, None) => ChangedFileKind::Removed,
            _ => ChangedFileKind::Updated,
        },
        etag: after.map(|e| e.short()),
        effects: effect_rows(effects, path),
        ..ChangedFile::default()
    }
}

/// Files that differ from the journal's newest state of them, with the revision of that state. What a sync merged in is
/// part of git's history, so it does not count as an outside edit.
pub fn unrecorded_files(store: &Store, entries: &[JournalEntry]) -> Vec<(MemoryPath, u64)> {
    let last_etags = journal::last_etags(entries);
    changed_since(store, last_etags.iter().map(|(path, last)| (*path, last)), None)
}

/// Of files with the etag after their last revision and its number, those that are different now, sorted.
fn changed_since<'a>(
    store: &Store,
    last_etags: impl Iterator<Item = (&'a MemoryPath, &'a (Option<Etag>, u64))>,
    only: Option<&MemoryPath>,
) -> Vec<(MemoryPath, u64)> {
    let memo = SyncState::load(store);
    let mut changed = Vec::new();
    for (path, (etag, rev)) in last_etags.filter(|(path, _)| only.is_none_or(|only| only == *path)) {
        // One that cannot be read counts as changed: those who show texts say why they have none.
        let now = store.read(path).ok().flatten().map(|version| version.etag);
        if now != *etag && !memo.was_merged(path, *rev, now) {
            changed.push((path.clone(), *rev));
        }
    }
    changed.sort();
    changed
}

/// Shows one revision with its changed bullets and a unified diff.
///
/// # Errors
/// `revision_not_found`; `category_not_allowed` for a revision without visible files.
pub fn show(session: &Session, rev: &str) -> CommandResult<LogResult> {
    if let Some((layer, rev, inner)) = session.layer_of_revision(Some(rev))? {
        return Ok(name_layer_in_log(show(&inner, rev).map_err(|error| error_in_layer(error, layer))?, layer));
    }
    let (entries, since) = revision_and_state(session, rev)?;
    let states = journal::revision_states(&entries);
    let entry = find_revision(rev, &entries)?;
    if session.visibility().is_some() && entry.files.is_empty() {
        return Err(allowlist_rejection().into());
    }
    let mut entry_row = log_row(session, entry, states.get(&entry.rev), false);
    let texts = texts_of(&session.store, entry);
    entry_row.effects = changed_files(session, entry, &texts);
    entry_row.diff = Some(entry.files.iter().zip(&texts).map(|(file, texts)| file_diff(file, texts)).collect());
    Ok(LogResult { entries: vec![entry_row], since, more: 0, history: None })
}

/// The entry of a revision and others that tell whether it is in effect, and the time of the journal's first entry.
fn revision_and_state(session: &Session, rev: &str) -> Result<(Vec<JournalEntry>, Option<String>), Rejection> {
    if let Ok(PointInTime::Revision(number)) = parse_point_in_time(rev, &session.now)
        && let Some(history) = session.store.read_revision(number)?
    {
        return Ok((history.entries(), session.store.history_start()?));
    }
    let entries = session.store.journal()?;
    let since = entries.first().map(|entry| entry.header.at.clone());
    Ok((entries, since))
}

fn file_diff(file: &EntryFile, (before, after): &TextsAround) -> String {
    let path = &file.path;
    if let Some(to) = &file.moved {
        let first = file.before.is_some();
        return if first { format!("rename from {path}\nrename to {to}\n") } else { String::new() };
    }
    if (file.before.is_some() && before.is_none()) || (file.after.is_some() && after.is_none()) {
        format!("# {path}: its text is no longer in this machine's history\n")
    } else {
        unified_diff(path.as_str(), before.as_ref().map(Document::text), after.as_ref().map(Document::text))
    }
}
