//! The lives of bullets: the revisions and outside edits that made them what they are, newest first, across files.
//!
//! Never guesses: where the history has no text any more, a life ends without its beginning.

use std::cell::RefCell;
use std::collections::HashMap;

use self::gaps::{LifeCollector, may_move_bullets};
use self::text_change::{TextChange, earlier};
use super::Session;
use super::list_and_read::ResolvedAddress;
use super::sync::SyncState;
use super::sync_merges::SyncMerges;
use crate::change::{EntryFile, EntryOutcome, Etag, InverseKind, JournalEntry, replaced_texts};
use crate::code::Rejection;
use crate::document::{Document, Handle, RecordedUpdates};
use crate::host::git::Git;
use crate::host::line_history::{GitCommit, LineHistory};
use crate::path::MemoryPath;
use crate::store::{self, JournalHistory, RevisionSide, Store};
use crate::view::diff_bullets::{BulletChange, bullet_changes, bullet_pasts};
use crate::view::followed_bullet::{FollowedBullet, take_inserted};
use crate::view::journal::OutsideEdit;
use crate::view::outline::LifeChange;

mod gaps;
mod text_change;

/// What changed a bullet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifeCause {
    /// The journal's entry with this index.
    Entry(usize),
    /// An edit outside memdir, before this revision; `None` if no revision has recorded it yet.
    Outside(Option<u64>),
    /// A sync, which replaced the file by the result of a merge, before this revision; `None` if none has written it
    /// since.
    Merged(Option<u64>),
    /// What git knows from before the journal begins.
    Committed,
}

/// A bullet before a change.
#[derive(Clone, Debug)]
pub(super) struct EarlierBullet {
    pub(super) path: MemoryPath,
    /// The slug of its section; `None` above the first heading.
    pub(super) section: Option<String>,
    pub(super) text: String,
    pub(super) handle: Handle,
}

impl EarlierBullet {
    /// The address of its file or section: `facts/user.md#work`.
    pub(super) fn address(&self) -> String {
        match &self.section {
            Some(section) => format!("{}#{section}", self.path),
            None => self.path.to_string(),
        }
    }
}

/// One change in the life of a bullet.
#[derive(Clone, Debug)]
pub(super) struct LifeEvent {
    pub(super) change: LifeChange,
    pub(super) cause: LifeCause,
    /// The file in which the bullet is after the change.
    pub(super) path: MemoryPath,
    /// The bullet before the change, if there is one that the caller may see.
    pub(super) earlier: Option<EarlierBullet>,
    /// For a change that memdir did not make: the commit that brought it.
    pub(super) commit: Option<GitCommit>,
}

/// The changes of a bullet, newest first.
#[derive(Clone, Debug, Default)]
pub(super) struct BulletLife {
    pub(super) events: Vec<LifeEvent>,
    /// Whether a part of the history that had earlier texts of it was erased or trimmed.
    pub(super) is_incomplete: bool,
}

/// How far lives are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifeExtent {
    /// Only the last change.
    LastChange,
    /// All changes, back to the first text.
    Whole,
}

/// Reads the journal, whole or its end.
pub(super) type ReadHistory = fn(&Store) -> Result<JournalHistory, Rejection>;

/// The journal, and how bullets are followed back through it.
pub(super) struct BulletHistory<'s> {
    session: &'s Session,
    /// Unfiltered, so that bullets are followed by the texts that revisions really had.
    store: Store,
    history: JournalHistory,
    pub(super) entries: Vec<JournalEntry>,
    /// For each file the indexes of the entries that took effect on it.
    entries_of: HashMap<MemoryPath, Vec<usize>>,
    /// What git knows of the files that were asked for.
    lines_of: RefCell<HashMap<MemoryPath, LineHistory>>,
    names_commits: bool,
    /// Whether bullets are followed past parts of the history that `rm --forget` erased.
    follows_trails: bool,
    merges: SyncMerges,
}

/// A file in which bullets are still to be followed.
struct FileToFollow {
    path: MemoryPath,
    /// Only entries before this index are looked at.
    until: usize,
    /// The text after these entries.
    text: String,
    bullets: Vec<FollowedBullet>,
}

impl<'s> BulletHistory<'s> {
    /// # Errors
    /// Those of `read`.
    pub(super) fn open(session: &'s Session, read: ReadHistory) -> Result<BulletHistory<'s>, Rejection> {
        let store = session.store.unfiltered();
        let history = read(&store)?;
        let entries = history.entries();
        let mut entries_of: HashMap<MemoryPath, Vec<usize>> = HashMap::new();
        for (index, entry) in entries.iter().enumerate().filter(|(_, e)| e.outcome == EntryOutcome::Done) {
            entry.files.iter().for_each(|file| entries_of.entry(file.path.clone()).or_default().push(index));
        }
        let (lines_of, merges) = (RefCell::default(), SyncMerges::of(session));
        Ok(BulletHistory {
            session,
            store,
            history,
            entries,
            entries_of,
            lines_of,
            names_commits: true,
            follows_trails: false,
            merges,
        })
    }

    /// The lives of some bullets of a file, which was read for the caller; the numbers are those of its document. A
    /// life without events has no change that the history knows.
    ///
    /// # Errors
    /// `io`.
    pub(super) fn lives(
        &self,
        named: &ResolvedAddress,
        bullets: &[usize],
        extent: LifeExtent,
    ) -> Result<Vec<Vec<LifeEvent>>, Rejection> {
        let lives = self.lives_and_gaps(named, bullets, extent)?;
        Ok(lives.into_iter().map(|life| life.events).collect())
    }

    /// As [`BulletHistory::lives`], with what is known to be missing.
    ///
    /// # Errors
    /// `io`.
    pub(super) fn lives_and_gaps(
        &self,
        named: &ResolvedAddress,
        bullets: &[usize],
        extent: LifeExtent,
    ) -> Result<Vec<BulletLife>, Rejection> {
        let mut lives =
            LifeCollector { extent, lives: vec![BulletLife::default(); bullets.len()], pending: Vec::new() };
        let whole = self.store.read(&named.path)?.and_then(|v| Document::from_bytes(v.bytes.to_vec()).ok());
        if let Some(whole) = whole {
            let numbers = numbers_in_whole(&named.document, &whole);
            let start = bullets.iter().enumerate();
            let start =
                start.filter_map(|(life, b)| Some(FollowedBullet::new(&whole, numbers.get(*b).copied()??, life)));
            let (path, bullets) = (named.path.clone(), start.collect());
            let text = whole.text().to_owned();
            lives.pending.push(FileToFollow { path, until: self.entries.len(), text, bullets });
        }
        while let Some(file) = lives.pending.pop() {
            self.follow_in_file(file, &mut lives);
        }
        Ok(lives.lives)
    }

    /// Follows bullets back through the entries of one file; ends where they were added, or the history does.
    fn follow_in_file(&self, from: FileToFollow, lives: &mut LifeCollector) {
        let FileToFollow { path, until, mut text, mut bullets } = from;
        let mut etag = Etag::of(text.as_bytes());
        let indexes = self.entries_of.get(&path).map_or(&[][..], Vec::as_slice);
        let mut newer = indexes.iter().find(|index| **index >= until).map(|index| self.entries[*index].rev);
        for index in indexes.iter().rev().copied().filter(|index| *index < until) {
            let entry = &self.entries[index];
            let Some(file) = entry.files.iter().find(|file| file.path == path) else { continue };
            if file.after != Some(etag) {
                let cause = self.outside_cause(&path, entry.rev, newer, etag);
                let before = match file.after {
                    None => Document::parse(String::new()),
                    Some(_) => match self.document_at(entry.rev, &path, RevisionSide::After) {
                        Some(before) => before,
                        None => return drop(self.follow_past_gap(&path, index + 1, bullets, lives)),
                    },
                };
                let step = TextChange {
                    cause,
                    path: &path,
                    earlier_path: &path,
                    // An edit may remove one bullet and add another in its place.
                    replaces_texts: false,
                    updates: RecordedUpdates::default(),
                };
                bullets = self.compare(&step, before.text(), &text, bullets, lives);
                text = before.text().to_owned();
            }
            if bullets.is_empty() {
                return;
            }
            let Some(before) = file.before else {
                return self.follow_created_file(index, file, &text, bullets, lives);
            };
            match self.step_back(index, file, before, &text, bullets, lives) {
                Some(stepped) => (text, bullets) = stepped,
                None => return,
            }
            (etag, newer) = (before, Some(entry.rev));
        }
        self.end_at_commit(&path, &text, bullets, lives);
    }

    /// Ends bullets that are older than the journal in the commits that brought them, if git knows these.
    fn end_at_commit(&self, path: &MemoryPath, text: &str, bullets: Vec<FollowedBullet>, lives: &mut LifeCollector) {
        let step = TextChange::of(LifeCause::Committed, path, path);
        let event = |bullet| self.with_commit(step.event(LifeChange::Added, None), bullet, text);
        let known = bullets.iter().map(|bullet| (bullet, event(bullet))).filter(|(_, event)| event.commit.is_some());
        known.for_each(|(bullet, event)| lives.push(bullet, event));
    }

    /// The text before an entry, and the bullets in it that are still followed. `None` if the history does not have
    /// that text, or nothing is left to follow.
    fn step_back(
        &self,
        index: usize,
        file: &EntryFile,
        before: Etag,
        text: &str,
        mut bullets: Vec<FollowedBullet>,
        lives: &mut LifeCollector,
    ) -> Option<(String, Vec<FollowedBullet>)> {
        let entry = &self.entries[index];
        let reverted = store::text_before(file, text.as_bytes()).and_then(|bytes| String::from_utf8(bytes).ok());
        if let (Some(reverted), Some(edits)) = (&reverted, &file.edits) {
            // Most revisions only insert lines, or touch none of these bullets: then no text is parsed.
            let inserted = take_inserted(edits, &mut bullets);
            self.end_at_entry(index, &file.path, inserted, lives);
            if !bullets.iter().any(|bullet| bullet.is_touched(edits)) {
                bullets.iter_mut().for_each(|bullet| bullet.shift_back(edits));
                return (!bullets.is_empty()).then(|| (reverted.clone(), bullets));
            }
        }
        let reverted = match reverted.filter(|reverted| Etag::of(reverted.as_bytes()) == before) {
            Some(reverted) => reverted,
            None => match self.document_at(entry.rev, &file.path, RevisionSide::Before) {
                Some(document) => document.text().to_owned(),
                None => {
                    drop(self.follow_past_gap(&file.path, index + 1, bullets, lives));
                    return None;
                }
            },
        };
        let step = TextChange {
            cause: LifeCause::Entry(index),
            path: &file.path,
            earlier_path: &file.path,
            replaces_texts: entry.inverts.is_some() || entry.may_rephrase(),
            updates: replaced_texts(&self.entries, entry, &file.path).into_iter().collect(),
        };
        let bullets = self.compare(&step, &reverted, text, bullets, lives);
        (!bullets.is_empty()).then_some((reverted, bullets))
    }

    /// What changed a file between a revision and the next one.
    fn outside_cause(&self, path: &MemoryPath, rev: u64, newer: Option<u64>, etag: Etag) -> LifeCause {
        let is_merge = match newer {
            None => SyncState::load(&self.store).was_merged(path, rev, Some(etag)),
            Some(before_rev) => {
                let path = path.clone();
                let edit = OutsideEdit { path, after_rev: rev, before_rev, etag: Some(etag) };
                !self.merges.merged_files(&[edit]).is_empty()
            }
        };
        if is_merge { LifeCause::Merged(newer) } else { LifeCause::Outside(newer) }
    }

    /// Ends bullets in the entry that created their file, or follows them to the file's name before a move.
    fn follow_created_file(
        &self,
        index: usize,
        file: &EntryFile,
        text: &str,
        bullets: Vec<FollowedBullet>,
        lives: &mut LifeCollector,
    ) {
        let Some(from) = &file.moved else { return self.end_at_entry(index, &file.path, bullets, lives) };
        let Some(before) = self.document_at(self.entries[index].rev, from, RevisionSide::Before) else {
            let bullets = self.follow_past_gap(&file.path, index + 1, bullets, lives);
            return self.end_at_entry(index, &file.path, bullets, lives);
        };
        let step = TextChange::of(LifeCause::Entry(index), &file.path, from);
        let bullets = self.compare(&step, before.text(), text, bullets, lives);
        if !bullets.is_empty() {
            let (path, text) = (from.clone(), before.text().to_owned());
            lives.pending.push(FileToFollow { path, until: index, text, bullets });
        }
    }

    /// Compares two texts, records what changed the followed bullets, and returns those to follow in the older text.
    fn compare(
        &self,
        step: &TextChange<'_>,
        before: &str,
        after: &str,
        bullets: Vec<FollowedBullet>,
        lives: &mut LifeCollector,
    ) -> Vec<FollowedBullet> {
        let (before, after) = (Document::parse(before.to_owned()), Document::parse(after.to_owned()));
        let pasts = bullet_pasts(&before, &after, &step.updates, step.replaces_texts);
        let (mut older, mut added) = (Vec::new(), Vec::new());
        for bullet in bullets {
            let number = after.bullets().binary_search_by_key(&bullet.span.start, |b| b.marker as usize);
            let Some(past) = number.ok().map(|number| pasts[number]) else { continue };
            let Some(old) = past.number else {
                added.push(bullet);
                continue;
            };
            let change = match past.change {
                Some(BulletChange::Updated(..)) => Some(LifeChange::Updated),
                Some(BulletChange::Moved(..)) => Some(LifeChange::Moved),
                Some(BulletChange::Set(..)) => Some(LifeChange::Set),
                Some(BulletChange::Added(_) | BulletChange::Removed(_)) | None => None,
            };
            let change = if step.path == step.earlier_path { change } else { change.or(Some(LifeChange::Moved)) };
            if change.is_some() && !self.may_show(step.earlier_path, &before, old) {
                added.push(bullet);
                continue;
            }
            if let Some(change) = change {
                let event = step.event(change, Some(earlier(step.earlier_path, &before, old)));
                lives.push(&bullet, self.with_commit(event, &bullet, after.text()));
            }
            if change.is_none() || lives.extent == LifeExtent::Whole {
                older.push(FollowedBullet::new(&before, old, bullet.life));
            }
        }
        match step.cause {
            LifeCause::Entry(index) => self.end_at_entry(index, step.path, added, lives),
            LifeCause::Outside(_) | LifeCause::Merged(_) | LifeCause::Committed => {
                let event = |bullet| self.with_commit(step.event(LifeChange::Added, None), bullet, after.text());
                added.iter().for_each(|bullet| lives.push(bullet, event(bullet)));
            }
        }
        older
    }

    /// Adds the commit that brought a bullet's text, if memdir did not make the change and git knows it.
    fn with_commit(&self, mut event: LifeEvent, bullet: &FollowedBullet, text: &str) -> LifeEvent {
        if matches!(event.cause, LifeCause::Entry(_)) {
            return event;
        }
        if !self.names_commits {
            return event;
        }
        let mut lines_of = self.lines_of.borrow_mut();
        let lines = lines_of.entry(event.path.clone()).or_insert_with(|| {
            let git = Git::discover(&self.session.dir);
            git.and_then(|git| git.line_history(event.path.as_str()).ok()).unwrap_or_default()
        });
        let first_line = text.get(bullet.span.clone()).and_then(|raw| raw.lines().next());
        event.commit = first_line.and_then(|line| lines.commit_of(line)).cloned();
        event
    }

    /// Handles bullets that an entry brought into a file: they were moved from another file, restored, or are new.
    fn end_at_entry(
        &self,
        index: usize,
        path: &MemoryPath,
        mut bullets: Vec<FollowedBullet>,
        lives: &mut LifeCollector,
    ) {
        let entry = &self.entries[index];
        let step = TextChange::of(LifeCause::Entry(index), path, path);
        let mut is_source_unknown = false;
        for file in entry.files.iter().filter(|file| file.path != *path && file.before.is_some()) {
            if bullets.is_empty() || file.edits.as_ref().is_some_and(|edits| edits.iter().all(|e| e.old.is_empty())) {
                continue;
            }
            let Some(before) = self.document_at(entry.rev, &file.path, RevisionSide::Before) else {
                is_source_unknown = true;
                continue;
            };
            let after = self.document_at(entry.rev, &file.path, RevisionSide::After);
            let changes = bullet_changes(&before, &after.unwrap_or_else(|| Document::parse(String::new())));
            let removed = changes.into_iter().filter_map(|change| match change {
                BulletChange::Removed(number) => Some(number),
                _ => None,
            });
            let mut removed: Vec<usize> = removed.filter(|n| self.may_show(&file.path, &before, *n)).collect();
            bullets.retain(|bullet| {
                let Some(at) = removed.iter().position(|n| before.handles()[*n] == bullet.handle) else { return true };
                let number = removed.remove(at);
                lives.push(bullet, step.event(LifeChange::Moved, Some(earlier(&file.path, &before, number))));
                lives.follow(&file.path, index, &before, number, bullet.life);
                false
            });
        }
        if is_source_unknown && may_move_bullets(entry) {
            bullets = self.follow_past_gap(path, index + 1, bullets, lives);
        }
        for bullet in bullets {
            lives.push(&bullet, step.event(LifeChange::Added, None));
            self.follow_restored(entry, path, &bullet, lives);
        }
    }

    /// Follows a bullet that an undo or redo restored to the revision that it undid or repeated.
    fn follow_restored(
        &self,
        entry: &JournalEntry,
        path: &MemoryPath,
        bullet: &FollowedBullet,
        lives: &mut LifeCollector,
    ) {
        let Some(InverseKind::Undo(rev) | InverseKind::Redo(rev)) = entry.inverts else { return };
        let Ok(index) = self.entries.binary_search_by_key(&rev, |e| e.rev) else { return };
        if lives.extent == LifeExtent::LastChange || !self.entries[index].files.iter().any(|f| f.path == *path) {
            return;
        }
        for (side, until) in [(RevisionSide::Before, index), (RevisionSide::After, index + 1)] {
            let Some(document) = self.document_at(rev, path, side) else {
                lives.lives[bullet.life].is_incomplete |= side == RevisionSide::Before;
                continue;
            };
            let number = document.handles().iter().position(|handle| *handle == bullet.handle);
            let Some(number) = number.filter(|number| self.may_show(path, &document, *number)) else { continue };
            if side == RevisionSide::Before {
                let step = TextChange::of(LifeCause::Entry(index), path, path);
                lives.push(bullet, step.event(LifeChange::Removed, Some(earlier(path, &document, number))));
            }
            return lives.follow(path, until, &document, number, bullet.life);
        }
    }

    fn document_at(&self, rev: u64, path: &MemoryPath, side: RevisionSide) -> Option<Document> {
        let version = self.history.text(rev, path, side).ok().flatten()?;
        Document::from_bytes(version.bytes.to_vec()).ok()
    }

    /// Whether the caller may see a bullet of an earlier text.
    fn may_show(&self, path: &MemoryPath, document: &Document, number: usize) -> bool {
        if self.session.store.require_unfiltered().is_ok() {
            return true;
        }
        let shown = self.session.store.filter_past_bytes(path, document.text().as_bytes().to_vec());
        let shown = shown.and_then(|bytes| Document::from_bytes(bytes).ok());
        let place = bullet_place(document, number);
        shown.is_some_and(|shown| (0..shown.bullets().len()).any(|at| bullet_place(&shown, at) == place))
    }
}

/// A bullet's text and section.
fn bullet_place(document: &Document, number: usize) -> (Handle, Option<&str>) {
    let section = document.bullets()[number].section as usize;
    (document.handles()[number], (section != 0).then(|| document.sections()[section].slug.as_str()))
}

/// For each bullet of a text that a caller sees, its number in the whole text.
fn numbers_in_whole(shown: &Document, whole: &Document) -> Vec<Option<usize>> {
    let mut next = 0;
    let number_of = |number: usize| {
        let is_same = |at: &usize| bullet_place(whole, *at) == bullet_place(shown, number);
        let at = (next..whole.bullets().len()).find(is_same)?;
        next = at + 1;
        Some(at)
    };
    (0..shown.bullets().len()).map(number_of).collect()
}
