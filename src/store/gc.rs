//! Trims history that exceeds its age, count or size, and erases what `rm --forget` names.
//!
//! Never touches a memory file, nor what undoing the last 100 revisions needs.

use std::collections::{HashMap, HashSet};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::FileType;
use rustix::io::Errno;

use super::journal::{JOURNAL_NAME, Journal};
use super::journal_note::NOTE_NAMES;
use super::protocol::BatchEnding;
use super::record::{IntentRecord, encode_end, encode_intent, pair_with_endings};
use super::root::{open_plain, read_contents, read_error, write_all, write_error};
use super::{LockedStore, platform, slot, walk};
use crate::change::BulletTrail;
use crate::code::Rejection;
use crate::path::MemoryPath;
use crate::text::text_search::TextSearch;

/// The limits of a collection.
#[derive(Clone, Copy, Debug)]
pub struct GcLimits {
    /// Slots changed before this time are removed; seconds since 1970.
    pub oldest: i64,
    /// Maximum number of slots.
    pub slots: usize,
    /// Maximum size of all slots together, in bytes.
    pub bytes: u64,
    /// Maximum number of journal entries.
    pub entries: usize,
    /// The number of latest revisions that are always kept.
    pub protected_revisions: u64,
}

impl GcLimits {
    /// The defaults: 90 days, 10,000 slots, 256 MiB, 100,000 entries; the last 100 revisions are kept.
    pub fn default_at(now: i64) -> GcLimits {
        GcLimits {
            oldest: now - 90 * 24 * 3600,
            slots: 10_000,
            bytes: 256 << 20,
            entries: 100_000,
            protected_revisions: 100,
        }
    }
}

/// Number of revisions between two collections: trimming in bulk keeps single changes fast.
const GC_INTERVAL: u64 = 512;

/// How much of a journal is copied at once, in bytes.
const COPY_BYTES: u64 = 1 << 20;

/// The name under which a new journal is written before it replaces the old one.
const NEW_JOURNAL_NAME: &str = "journal.new";

struct SlotFile {
    rev: u64,
    file: usize,
    name: String,
    size: u64,
    changed: i64,
}

impl LockedStore<'_> {
    /// Whether [`LockedStore::gc`] is worth scanning `.memdir/undo/`, judged by the revision number.
    pub fn gc_due(&self) -> bool {
        self.next_revision.get().is_multiple_of(GC_INTERVAL)
    }

    /// Removes slots and journal entries that exceed the limits (90 days, 10,000 slots, 256 MiB, 100,000 entries),
    /// except those of the last 100 revisions. Journal entries are removed an eighth at a time, so that up to 112,500
    /// may stand. Call it after the answer is printed, because it scans `.memdir/undo/`.
    /// `now` is in seconds since 1970. Returns the number of removed slots.
    ///
    /// # Errors
    /// `io`, `read_only`.
    pub fn gc(&self, now: i64) -> Result<usize, Rejection> {
        self.gc_to(&GcLimits::default_at(now))
    }

    /// Collects with the given limits.
    pub(crate) fn gc_to(&self, limits: &GcLimits) -> Result<usize, Rejection> {
        let Some(undo) = self.root.undo_dir()? else { return Ok(0) };
        if let Some(machine) = self.root.machine_dir()? {
            // A process may have been killed while writing it.
            slot::free(machine, NEW_JOURNAL_NAME)?;
        }
        let protected_from = self.next_revision.get().saturating_sub(limits.protected_revisions);
        let mut slots = list_slots(undo)?;
        slots.sort_unstable_by_key(|s| std::cmp::Reverse(s.rev));
        let (mut count, mut bytes, mut removed) = (0, 0, 0);
        for slot in &slots {
            count += 1;
            bytes += slot.size;
            let exceeds_limits = slot.changed < limits.oldest || count > limits.slots || bytes > limits.bytes;
            if exceeds_limits && slot.rev < protected_from {
                slot::free(undo, &slot.name)?;
                removed += 1;
            }
        }
        self.trim_journal(limits, protected_from)?;
        Ok(removed)
    }

    fn trim_journal(&self, limits: &GcLimits, protected_from: u64) -> Result<(), Rejection> {
        let max_entries = limits.entries.max(1) as u64;
        let next = self.next_revision.get();
        let found = match self.journal.borrow().as_ref() {
            // Each revision has one entry, so the first revision bounds their number. What exceeds it is removed in
            // bulk, because the rest of the journal is copied.
            Some(journal) => match journal.first_revision()? {
                Some(first) if next.saturating_sub(first) <= max_entries + max_entries / 8 => return Ok(()),
                _ => journal.find_revision(next.saturating_sub(max_entries).min(protected_from))?,
            },
            None => return Ok(()),
        };
        match found {
            Some(0) => Ok(()),
            Some(from) => self.cut_journal(from),
            None => self.trim_records(limits, protected_from),
        }
    }

    /// Trims a journal in which a revision was not found by its offset.
    fn trim_records(&self, limits: &GcLimits, protected_from: u64) -> Result<(), Rejection> {
        let bytes = match self.journal.borrow().as_ref() {
            Some(journal) => journal.read_all()?,
            None => return Ok(()),
        };
        let mut records = pair_with_endings(&bytes);
        if records.len() <= limits.entries.max(1) {
            return Ok(());
        }
        let excess = records.len() - limits.entries.max(1);
        let keep_from = records.iter().position(|(intent, _)| intent.rev >= protected_from).unwrap_or(0);
        records.drain(..excess.min(keep_from));
        self.rewrite_journal(&records)
    }

    /// Erases every slot and journal text of these paths, and everything else in the history that contains one of these
    /// texts (operations and answers are erased by whole entries). That something happened, when and by whom, stays.
    ///
    /// # Errors
    /// `io`, `read_only`. What was erased until then stays erased.
    pub fn forget(&self, paths: &[MemoryPath], texts: &[String]) -> Result<(), Rejection> {
        self.forget_with_trails(paths, texts, &[], &[])
    }

    /// As [`LockedStore::forget`]; keeps the trails `added`, and drops those of the bullets whose handles have these
    /// numbers.
    ///
    /// # Errors
    /// As [`LockedStore::forget`].
    pub fn forget_with_trails(
        &self,
        paths: &[MemoryPath],
        texts: &[String],
        added: &[BulletTrail],
        dropped: &[u64],
    ) -> Result<(), Rejection> {
        let texts = TextSearch::new(texts);
        self.forget_vectors()?;
        let bytes = match self.journal.borrow().as_ref() {
            Some(journal) => journal.read_all()?,
            None => return Ok(()),
        };
        let mut records = pair_with_endings(&bytes);
        let undo = self.root.undo_dir()?;
        let slots = undo.map_or(Ok(Vec::new()), list_slots)?;
        let holders: Vec<&SlotFile> = slots
            .iter()
            .filter(|slot| {
                let bytes = undo.and_then(|undo| read_slot(undo, &slot.name));
                bytes.is_none_or(|bytes| texts.is_in(&String::from_utf8_lossy(&bytes)))
            })
            .collect();
        let path_of = |slot: &SlotFile| {
            let at = records.binary_search_by_key(&slot.rev, |(intent, _)| intent.rev).ok()?;
            Some(records[at].0.files.get(slot.file)?.path.as_str())
        };
        let is_named = |slot: &SlotFile| path_of(slot).is_some_and(|of| paths.iter().any(|path| path.as_str() == of));
        let held: HashSet<&str> = holders.iter().map(|slot| slot.name.as_str()).collect();
        // The slots first: after a crash in between, the journal still tells whose they are.
        if let Some(undo) = undo {
            for slot in slots.iter().filter(|slot| is_named(slot) || held.contains(slot.name.as_str())) {
                slot::erase(undo, &slot.name)?;
            }
            platform::sync(undo).map_err(|e| write_error(e, "'.memdir/undo/'"))?;
        }
        forget_in_records(&mut records, paths, &texts, &holders);
        // A new trail was found by way of the old ones.
        let replaced: HashSet<(&str, u64)> = added.iter().map(|trail| (&*trail.path, trail.bullet)).collect();
        let is_kept =
            |trail: &BulletTrail| !dropped.contains(&trail.bullet) && !replaced.contains(&(&*trail.path, trail.bullet));
        records.iter_mut().for_each(|(intent, _)| intent.trails.retain(is_kept));
        if let Some((newest, _)) = records.last_mut() {
            newest.trails.extend_from_slice(added);
        }
        // Torn lines, which are part of no record, are dropped too.
        self.rewrite_journal(&records)
    }

    /// Replaces the journal by these records.
    fn rewrite_journal(&self, records: &[(IntentRecord, Option<BatchEnding>)]) -> Result<(), Rejection> {
        let mut bytes = Vec::new();
        for (intent, ending) in records {
            bytes.extend(encode_intent(intent)?);
            bytes.extend(ending.map(|how| encode_end(intent.rev, how)).into_iter().flatten());
        }
        self.replace_journal(&mut |file| write_all(file, &bytes))
    }

    /// Replaces the journal by its part from an offset on.
    fn cut_journal(&self, from: u64) -> Result<(), Rejection> {
        let Some(machine) = self.root.machine_dir()? else { return Ok(()) };
        let Some(old) = Journal::open(machine, false)? else { return Ok(()) };
        self.replace_journal(&mut |file| {
            let mut at = from;
            while at < old.size {
                let part = old.read_range(at, old.size.min(at + COPY_BYTES)).map_err(|_| Errno::IO)?;
                if part.is_empty() {
                    return Err(Errno::IO);
                }
                write_all(file, &part)?;
                at += part.len() as u64;
            }
            Ok(())
        })
    }

    /// Replaces the journal in one step.
    fn replace_journal(&self, write: &mut dyn FnMut(&OwnedFd) -> Result<(), Errno>) -> Result<(), Rejection> {
        let to_error = |e: Errno| write_error(e, "the journal");
        let Some(machine) = self.root.machine_dir()? else { return Ok(()) };
        slot::free(machine, NEW_JOURNAL_NAME)?;
        // They may name what is forgotten.
        NOTE_NAMES.iter().try_for_each(|name| slot::free(machine, name))?;
        let file = platform::create_new(machine, NEW_JOURNAL_NAME).map_err(to_error)?;
        let written = write(&file).and_then(|()| platform::sync(&file));
        let replaced = written.and_then(|()| rustix::fs::renameat(machine, NEW_JOURNAL_NAME, machine, JOURNAL_NAME));
        replaced.map_err(|e| {
            let _ = slot::free(machine, NEW_JOURNAL_NAME);
            to_error(e)
        })?;
        // The old journal has no name any more: what is appended to it would be lost.
        self.journal.take();
        self.poisoned.set(true);
        self.journal.replace(Journal::open(machine, true)?);
        self.poisoned.set(false);
        platform::sync(machine).map_err(to_error)
    }
}

/// Erases these texts, and all texts of these paths, in the records of a journal. `holders` are the slots that have one.
///
/// The summary line of a file has words of its bullets: where the file had one of the texts before or after a revision,
/// the line goes, too.
fn forget_in_records(
    records: &mut [(IntentRecord, Option<BatchEnding>)],
    paths: &[MemoryPath],
    texts: &TextSearch,
    holders: &[&SlotFile],
) {
    let mut files_of: HashMap<u64, Vec<usize>> = HashMap::new();
    holders.iter().for_each(|slot| files_of.entry(slot.rev).or_default().push(slot.file));
    // The last revision of each file, and whether it had one of the texts.
    let mut last: HashMap<String, (usize, usize, bool)> = HashMap::new();
    let mut neighbours = Vec::new();
    for (at, (intent, _)) in records.iter_mut().enumerate() {
        let erased = files_of.get(&intent.rev).map_or(&[][..], Vec::as_slice);
        let found = intent.forget(paths, texts, erased);
        for (index, file) in intent.files.iter().enumerate() {
            let is_holder = found.contains(&index);
            match last.insert(file.path.clone(), (at, index, is_holder)) {
                Some((before, index, false)) if is_holder => neighbours.push((before, index)),
                Some((_, _, true)) if !is_holder => neighbours.push((at, index)),
                _ => {}
            }
        }
    }
    neighbours.into_iter().for_each(|(at, index)| records[at].0.forget_summary(index));
}

/// Returns a slot's bytes; `None` if they cannot be read.
fn read_slot(undo: BorrowedFd<'_>, name: &str) -> Option<Vec<u8>> {
    read_contents(&open_plain(undo, name, "an undo slot").ok()??, "an undo slot").ok()
}

fn list_slots(undo: BorrowedFd<'_>) -> Result<Vec<SlotFile>, Rejection> {
    let mut slots = Vec::new();
    let dir: OwnedFd = platform::open_dir(undo, "").map_err(|e| read_error(e, "'.memdir/undo/'"))?;
    let mut names = Vec::new();
    let mut add_name = |name: &[u8], _: FileType| names.extend(String::from_utf8(name.to_vec()));
    walk::list_names(&dir, &mut Vec::with_capacity(32 << 10), &mut add_name)
        .map_err(|e| read_error(e, "'.memdir/undo/'"))?;
    for name in names {
        let Some((rev, file)) = slot::parse_name(name.trim_end_matches(".old")) else { continue };
        let stat = match platform::stat_name(dir.as_fd(), &name) {
            Err(Errno::NOENT) => continue,
            result => result.map_err(|e| read_error(e, "an undo slot"))?,
        };
        slots.push(SlotFile { rev, file, name, size: stat.st_size as u64, changed: stat.st_ctime });
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{Changeset, EntryHeader, FileChange};
    use crate::code::Code;
    use crate::store::{Durability, RevisionSide, Store, StoreOptions};
    use std::sync::Arc;

    fn test_limits() -> GcLimits {
        GcLimits { oldest: 0, slots: 100, bytes: 1000, entries: 100, protected_revisions: 2 }
    }

    /// Commits a text of so many bytes as `a.md`.
    fn commit(lock: &LockedStore<'_>, length: usize) {
        let path = MemoryPath::new("a.md").unwrap();
        let file = FileChange {
            before: lock.store.read(&path).unwrap(),
            path,
            after: Some(Arc::new(vec![b'x'; length])),
            mode: None,
            edits: None,
            moved: None,
            summary: None,
        };
        let at = "2026-11-20T10:00:00Z".to_owned();
        let header = EntryHeader { at, actor: "t".into(), ..EntryHeader::default() };
        lock.commit(&Changeset { files: vec![file], ..Changeset::default() }, &header, None).unwrap();
    }

    /// Writes one file six times, each text with another size, and returns what a collection leaves.
    fn slots_after_gc(limits: GcLimits) -> (usize, Vec<u64>, Vec<u64>) {
        let dir = tempfile::tempdir().unwrap();
        let options = StoreOptions { durability: Durability::Fast, ..StoreOptions::default() };
        let store = Store::open(dir.path(), options).unwrap();
        let path = MemoryPath::new("a.md").unwrap();
        let (lock, _) = store.lock().unwrap();
        for n in 1..=6 {
            commit(&lock, 10 * n);
        }
        let removed = lock.gc_to(&limits).unwrap();
        let texts = (2..=6).filter(|&rev| match store.text_at(rev, &path, RevisionSide::Before) {
            Ok(text) => text.is_some(),
            Err(rejection) => {
                assert!(matches!(rejection.code, Code::HistoryGone | Code::RevisionNotFound));
                false
            }
        });
        let texts = texts.collect();
        let entries = store.journal().unwrap().iter().map(|entry| entry.rev).collect();
        (removed, texts, entries)
    }

    #[test]
    fn a_journal_that_was_cut_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let options = StoreOptions { durability: Durability::Fast, ..StoreOptions::default() };
        let store = Store::open(dir.path(), options).unwrap();
        let (lock, _) = store.lock().unwrap();
        let limits = GcLimits { entries: 16, protected_revisions: 2, ..test_limits() };
        let revisions = || store.journal().unwrap().iter().map(|entry| entry.rev).collect::<Vec<_>>();
        for n in 1..=40 {
            commit(&lock, n);
            lock.gc_to(&limits).unwrap();
            let kept = revisions();
            assert!(kept.len() <= 18 && kept.len() >= n.min(16) && kept.last() == Some(&(n as u64)), "{n}: {kept:?}");
        }
        // A line that was torn stays where it is, and a journal without the wanted revision is trimmed whole.
        let journal = dir.path().join(".memdir/journal");
        drop(lock);
        let text = fs_err::read_to_string(&journal).unwrap();
        let without: String =
            text.lines().filter(|l| !l.contains("\"rev\":27,")).map(|l| format!("{l}\n{{torn\n")).collect();
        fs_err::write(&journal, without).unwrap();
        let (lock, _) = store.lock().unwrap();
        let before = revisions();
        lock.gc_to(&GcLimits { entries: 14, ..limits }).unwrap();
        assert_eq!(revisions(), before.into_iter().filter(|rev| *rev >= 27).collect::<Vec<_>>());
    }

    #[test]
    fn each_limit_removes_the_oldest_and_keeps_the_last_revisions() {
        let all: Vec<u64> = (1..=6).collect();
        // The text before revision 2 is that of the created file, which the journal itself keeps.
        assert_eq!(slots_after_gc(test_limits()), (0, vec![2, 3, 4, 5, 6], all.clone()));
        assert_eq!(slots_after_gc(GcLimits { oldest: i64::MAX, ..test_limits() }), (3, vec![2, 5, 6], all.clone()));
        assert_eq!(slots_after_gc(GcLimits { slots: 3, ..test_limits() }), (2, vec![2, 4, 5, 6], all.clone()));
        assert_eq!(slots_after_gc(GcLimits { bytes: 120, ..test_limits() }), (2, vec![2, 4, 5, 6], all));
        assert_eq!(slots_after_gc(GcLimits { entries: 3, ..test_limits() }).2, [4, 5, 6]);
        assert_eq!(slots_after_gc(GcLimits { entries: 1, ..test_limits() }).2, [5, 6]);
    }
}
