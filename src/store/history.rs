//! Reads texts of earlier revisions: from slots, from the current file, or rebuilt from another version by the
//! journal's edits.
//!
//! Never returns a text whose etag differs from the journal's.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::journal::Journal;
use super::protocol::BatchEnding;
use super::record::{IntentFile, IntentRecord, to_entries};
use super::root::{DataRoot, open_plain, read_version};
use super::{RecordWithEnd, RevisionSide, Store, slot};
use crate::change::{BulletTrail, EntryFile, Etag, FileVersion, JournalEntry};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// What one revision did to one file.
struct HistoryStep<'a> {
    rev: u64,
    number: usize,
    file: &'a IntentFile,
    took_effect: bool,
}

/// The journal, read once: its entries, and the texts that can be recovered from it, the slots and the files.
pub struct JournalHistory {
    root: Arc<DataRoot>,
    records: Vec<(IntentRecord, Option<BatchEnding>)>,
    /// The filtered store through which the history is read, if there is a filter.
    filtered: Option<Box<Store>>,
}

impl JournalHistory {
    /// Wraps records, with the read filter of a store if there is one.
    pub(super) fn new(
        root: Arc<DataRoot>,
        records: Vec<(IntentRecord, Option<BatchEnding>)>,
        filtered: Option<Box<Store>>,
    ) -> JournalHistory {
        JournalHistory { root, records, filtered }
    }

    /// Returns the entries, oldest first.
    pub fn entries(&self) -> Vec<JournalEntry> {
        let all = to_entries(self.records.clone());
        match &self.filtered {
            Some(store) => store.filter_journal_entries(all),
            None => all,
        }
    }

    /// Returns the trails that `rm --forget` kept, without a filter: they tell of files that a caller may not see.
    pub fn bullet_trails(&self) -> impl Iterator<Item = &BulletTrail> {
        self.records.iter().flat_map(|(intent, _)| &intent.trails)
    }

    /// Returns the text of a file on one side of a revision, as [`super::Store::text_at`] does, without reading the
    /// journal again.
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `io`.
    pub fn text(&self, rev: u64, path: &MemoryPath, side: RevisionSide) -> Result<Option<FileVersion>, Rejection> {
        self.texts_of(path).text(rev, side)
    }

    /// Returns the texts of one file: for a caller who asks for several.
    pub fn texts_of<'a>(&'a self, path: &'a MemoryPath) -> FileTexts<'a> {
        FileTexts { history: self, steps: FileSteps::of(&self.records, path) }
    }
}

/// The texts of one file, as [`JournalHistory::text`] returns them.
pub struct FileTexts<'a> {
    history: &'a JournalHistory,
    steps: FileSteps<'a>,
}

impl FileTexts<'_> {
    /// Returns the text on one side of a revision.
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `io`.
    pub fn text(&self, rev: u64, side: RevisionSide) -> Result<Option<FileVersion>, Rejection> {
        require_revision(&self.history.records, rev)?;
        let version = self.steps.text_at(&self.history.root, rev, side)?;
        Ok(match &self.history.filtered {
            Some(store) => store.filter_past_version(self.steps.path, version),
            None => version,
        })
    }
}

impl Store {
    /// Returns the text of a file on one side of a revision: `Ok(None)` if it did not exist there, `history_gone` if
    /// neither slot nor edits hold it any more. For a file that the revision did not touch, the text that it had at
    /// that time, if the journal knows it.
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `io`.
    pub fn text_at(&self, rev: u64, path: &MemoryPath, side: RevisionSide) -> Result<Option<FileVersion>, Rejection> {
        self.texts_at(rev).text(path, side)
    }

    /// Returns the texts of the files around a revision: for a caller who asks for several.
    pub fn texts_at(&self, rev: u64) -> TextsAtRevision<'_> {
        TextsAtRevision { store: self, rev, parts: Default::default() }
    }
}

/// The texts of files around one revision, as [`Store::text_at`] returns them. Each part of the journal is read once,
/// when it is first needed: the record of a revision of 1,000 files has all their texts.
pub struct TextsAtRevision<'s> {
    store: &'s Store,
    rev: u64,
    parts: [OnceCell<Option<Vec<RecordWithEnd>>>; JOURNAL_PARTS],
}

/// The parts of the journal that are searched for a text, one after the other.
const JOURNAL_PARTS: usize = 4;

impl TextsAtRevision<'_> {
    /// Returns the text of a file on one side of the revision.
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `io`.
    pub fn text(&self, path: &MemoryPath, side: RevisionSide) -> Result<Option<FileVersion>, Rejection> {
        let root = self.store.root();
        let mut version = None;
        for number in 0..JOURNAL_PARTS {
            let is_last = number + 1 == JOURNAL_PARTS;
            let Some(part) = self.part(number)?.filter(|part| is_last || touches_file(part, self.rev, path)) else {
                continue;
            };
            match text_at_revision(&root, part, self.rev, path, side) {
                Err(_) if !is_last => {}
                found => {
                    version = found?;
                    break;
                }
            }
        }
        let is_filtered = self.store.read_filter().is_some();
        Ok(if is_filtered { self.store.filter_past_version(path, version) } else { version })
    }

    /// Nearly always the revision itself is enough, because a slot holds its text; else a later one may lead to it.
    fn part(&self, number: usize) -> Result<Option<&[RecordWithEnd]>, Rejection> {
        let part = &self.parts[number];
        if part.get().is_none() {
            let root = self.store.root();
            let records = match number {
                0 => self.store.revision_records(self.rev, false)?,
                1 => Some(self.store.read_records(&root, &Journal::recent_lines)?),
                2 => self.store.records_from(self.rev)?,
                _ => Some(self.store.read_records(&root, &Journal::read_all)?),
            };
            let _ = part.set(records);
        }
        Ok(part.get().and_then(Option::as_deref))
    }
}

/// Rebuilds the text of a file before an entry from the text after it; `None` if the entry has no edits, or they do not
/// fit. The caller checks the etag.
pub fn text_before(file: &EntryFile, after: &[u8]) -> Option<Vec<u8>> {
    let edits = file.edits.as_ref()?.iter().map(|edit| (edit.start, edit.old.clone(), edit.new.clone()));
    slot::apply_edits(after, &edits.collect::<Vec<_>>(), false)
}

/// Whether these records contain what a revision did to a file; if so, earlier records cannot change the answer.
fn touches_file(records: &[(IntentRecord, Option<BatchEnding>)], rev: u64, path: &MemoryPath) -> bool {
    records.iter().any(|(intent, _)| intent.rev == rev && intent.files.iter().any(|file| file.path == path.as_str()))
}

/// Returns the text of a file on one side of a revision. If the revision did not touch the file, the nearest earlier
/// revision that did decides, else the nearest later one.
fn text_at_revision(
    root: &DataRoot,
    records: &[(IntentRecord, Option<BatchEnding>)],
    rev: u64,
    path: &MemoryPath,
    side: RevisionSide,
) -> Result<Option<FileVersion>, Rejection> {
    require_revision(records, rev)?;
    FileSteps::of(records, path).text_at(root, rev, side)
}

fn require_revision(records: &[(IntentRecord, Option<BatchEnding>)], rev: u64) -> Result<(), Rejection> {
    if records.iter().any(|(intent, _)| intent.rev == rev) {
        Ok(())
    } else {
        Err(Rejection::new(Code::RevisionNotFound, format!("this clone's journal has no r{rev}")))
    }
}

/// What all revisions did to one file.
struct FileSteps<'a> {
    path: &'a MemoryPath,
    steps: Vec<HistoryStep<'a>>,
    /// The steps from or to a text, in order.
    by_text: HashMap<Etag, Vec<usize>>,
    /// The present text, read when the first earlier one is asked for.
    present: OnceCell<Option<FileVersion>>,
    /// Texts that neither slots nor edits lead to. Without them, each text on the far side of an outside edit would be
    /// searched for among all slots again.
    lost: RefCell<HashSet<Etag>>,
}

impl<'a> FileSteps<'a> {
    fn of(records: &'a [(IntentRecord, Option<BatchEnding>)], path: &'a MemoryPath) -> FileSteps<'a> {
        let steps_in = |(intent, ending): &'a (IntentRecord, Option<BatchEnding>)| {
            let took_effect = !matches!(ending, Some(BatchEnding::Undone | BatchEnding::Rescued));
            let files = intent.files.iter().enumerate().filter(|(_, file)| file.path == path.as_str());
            files.map(move |(number, file)| HistoryStep { rev: intent.rev, number, file, took_effect })
        };
        let steps: Vec<HistoryStep<'a>> = records.iter().flat_map(steps_in).collect();
        let mut by_text: HashMap<Etag, Vec<usize>> = HashMap::new();
        for (at, step) in steps.iter().enumerate() {
            for etag in [step.file.before(), step.file.after()].into_iter().flatten() {
                by_text.entry(etag).or_default().push(at);
            }
        }
        FileSteps { path, steps, by_text, present: OnceCell::new(), lost: RefCell::default() }
    }

    fn text_at(&self, root: &DataRoot, rev: u64, side: RevisionSide) -> Result<Option<FileVersion>, Rejection> {
        let history_gone = || {
            let message = format!("the text of '{}' at r{rev} is no longer kept on this machine", self.path);
            Rejection::new(Code::HistoryGone, message)
        };
        let (etag, mode) = wanted_etag(&self.steps, rev, side).ok_or_else(history_gone)?;
        let Some(etag) = etag else { return Ok(None) };
        let bytes = find_text(root, self, etag)?.ok_or_else(history_gone)?;
        Ok(Some(FileVersion { bytes: Arc::new(bytes), etag, mode, inode: 0 }))
    }

    /// The steps from or to a text, oldest first.
    fn beside(&self, etag: Etag) -> impl DoubleEndedIterator<Item = (usize, &HistoryStep<'a>)> {
        self.by_text.get(&etag).into_iter().flatten().map(|at| (*at, &self.steps[*at]))
    }
}

fn wanted_etag(steps: &[HistoryStep<'_>], rev: u64, side: RevisionSide) -> Option<(Option<Etag>, u32)> {
    let before = |step: &HistoryStep<'_>| (step.file.before(), step.file.mode);
    let after = |step: &HistoryStep<'_>| (step.file.after(), step.file.mode_after());
    if let Some(own) = steps.iter().find(|step| step.rev == rev) {
        return Some(if side == RevisionSide::Before { before(own) } else { after(own) });
    }
    let earlier = steps.iter().rev().find(|step| step.rev < rev && step.took_effect).map(after);
    earlier.or_else(|| steps.iter().find(|step| step.rev > rev && step.took_effect).map(before))
}

/// Finds a text by its etag: breadth-first over the journal's edits, starting at the text itself.
fn find_text(root: &DataRoot, steps: &FileSteps<'_>, etag: Etag) -> Result<Option<Vec<u8>>, Rejection> {
    if steps.lost.borrow().contains(&etag) {
        return Ok(None);
    }
    let now = steps.present.get_or_init(|| root.read(steps.path).ok().flatten());
    // For each text that was reached: the step and direction by which the wanted text is rebuilt from it.
    let mut reached: HashMap<Etag, Option<(usize, bool)>> = HashMap::from([(etag, None)]);
    let mut queue = VecDeque::from([etag]);
    while let Some(at) = queue.pop_front() {
        let here = match now {
            Some(now) if now.etag == at => Some(now.bytes.to_vec()),
            _ => match find_in_slots(root, steps, at)? {
                None => created_text(steps, at),
                text => text,
            },
        };
        if let Some(text) = here {
            return Ok(replay_edits(&steps.steps, &reached, at, text));
        }
        for (i, step) in steps.beside(at) {
            let (Some(before), Some(after)) = (step.file.before(), step.file.after()) else { continue };
            for (from, to, forward) in [(before, after, true), (after, before, false)] {
                if to == at && !reached.contains_key(&from) {
                    reached.insert(from, Some((i, forward)));
                    queue.push_back(from);
                }
            }
        }
    }
    steps.lost.borrow_mut().extend(reached.into_keys());
    Ok(None)
}

/// The text with which a file was created, as the journal records it.
fn created_text(steps: &FileSteps<'_>, etag: Etag) -> Option<Vec<u8>> {
    let created = steps.beside(etag).filter(|(_, step)| step.file.before().is_none());
    created.filter_map(|(_, step)| step.file.apply(b"", true)).find(|text| Etag::of(text) == etag)
}

/// Rebuilds the wanted text from one that was reached. Only the result is hashed: an edit that does not fit is noticed
/// there, too, and hashing the text of each of thousands of steps takes longer than editing it.
fn replay_edits(
    steps: &[HistoryStep<'_>],
    reached: &HashMap<Etag, Option<(usize, bool)>>,
    from: Etag,
    mut text: Vec<u8>,
) -> Option<Vec<u8>> {
    let mut at = from;
    while let Some((i, forward)) = reached.get(&at)? {
        let file = steps[*i].file;
        text = file.apply(&text, *forward)?;
        at = if *forward { file.after()? } else { file.before()? };
    }
    (at == from || Etag::of(&text) == at).then_some(text)
}

/// Reads a text from any slot that may hold it, and checks its etag.
fn find_in_slots(root: &DataRoot, steps: &FileSteps<'_>, etag: Etag) -> Result<Option<Vec<u8>>, Rejection> {
    let Some(undo) = root.undo_dir()? else { return Ok(None) };
    for (_, step) in steps.beside(etag).rev() {
        let name = slot::name(step.rev, step.number);
        let Ok(Some(plain)) = open_plain(undo, &name, "an undo slot") else { continue };
        let Ok(version) = read_version(&plain, "an undo slot") else { continue };
        if version.etag == etag {
            return Ok(Some(version.bytes.to_vec()));
        }
    }
    Ok(None)
}
