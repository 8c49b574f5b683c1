//! Takes old history away: what is past its age, count or size, and what is to be forgotten.
//!
//! Never touches a file that people own, and never what the last 100 revisions need to be undone.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::FileType;
use rustix::io::Errno;

use super::journal::{Journal, NAME};
use super::line::{Intent, end_line, intent_line, records};
use super::protocol::Ending;
use super::root::{contents, open_plain, refusal, refusal_to_write, write_all};
use super::{Locked, platform, slot, walk};
use crate::code::Rejection;
use crate::path::MemoryPath;

/// What a reaping leaves.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Slots that were written or displaced earlier than this go; seconds since 1970.
    pub since: i64,
    /// Most slots.
    pub slots: usize,
    /// Most bytes in slots.
    pub bytes: u64,
    /// Most entries of the journal.
    pub entries: usize,
    /// The last so many revisions are never touched.
    pub spared: u64,
}

impl Bounds {
    /// 90 days, 10,000 slots, 256 MiB, 100,000 entries; the last 100 revisions are spared.
    pub fn at(now: i64) -> Bounds {
        Bounds { since: now - 90 * 24 * 3600, slots: 10_000, bytes: 256 << 20, entries: 100_000, spared: 100 }
    }
}

/// A journal larger than this, in bytes, is a sign that something may be reaped.
const LARGE: u64 = 16 << 20;
/// After so many revisions it is looked whether something may be reaped.
const OFTEN: u64 = 512;

/// The name of a journal that is being written anew.
const NEW: &str = "journal.new";

struct Slot {
    rev: u64,
    file: usize,
    name: String,
    size: u64,
    changed: i64,
}

impl Locked<'_> {
    /// Whether a [`Locked::reap`] is worth its scan of `.memdir/undo/`, from what is known without one: the revision's
    /// number and the journal's size.
    pub fn reap_due(&self) -> bool {
        let large = self.journal.borrow().as_ref().is_some_and(|journal| journal.size > LARGE);
        let rev = self.next.get();
        rev.is_multiple_of(OFTEN) || large && rev.is_multiple_of(64)
    }

    /// Removes slots and journal entries past their bounds (90 days, 10,000 slots, 256 MiB, 100,000 entries; never of
    /// the last 100 revisions); meant for after an answer, off the hot path. `now` is in seconds since 1970. Answers how
    /// many slots went.
    ///
    /// # Errors
    /// `io`, `read_only`.
    pub fn reap(&self, now: i64) -> Result<usize, Rejection> {
        self.reap_to(&Bounds::at(now))
    }

    /// Reaps to given bounds.
    pub(crate) fn reap_to(&self, bounds: &Bounds) -> Result<usize, Rejection> {
        let Some(undo) = self.root.undo()? else { return Ok(0) };
        if let Some(machine) = self.root.machine()? {
            // Somebody was killed while writing it.
            slot::free(machine, NEW)?;
        }
        let spared = self.next.get().saturating_sub(bounds.spared);
        let mut slots = list(undo)?;
        slots.sort_unstable_by_key(|s| std::cmp::Reverse(s.rev));
        let (mut count, mut bytes, mut gone) = (0, 0, 0);
        for slot in &slots {
            count += 1;
            bytes += slot.size;
            let over = slot.changed < bounds.since || count > bounds.slots || bytes > bounds.bytes;
            if over && slot.rev < spared {
                slot::free(undo, &slot.name)?;
                gone += 1;
            }
        }
        self.reap_journal(bounds, spared)?;
        Ok(gone)
    }

    fn reap_journal(&self, bounds: &Bounds, spared: u64) -> Result<(), Rejection> {
        let bytes = match self.journal.borrow().as_ref() {
            Some(journal) => journal.all()?,
            None => return Ok(()),
        };
        let mut records = records(&bytes);
        let most = bounds.entries.max(1);
        if records.len() <= most {
            return Ok(());
        }
        let excess = records.len() - most;
        let keep_from = records.iter().position(|(intent, _)| intent.rev >= spared).unwrap_or(0);
        records.drain(..excess.min(keep_from));
        self.rewrite(&records)
    }

    /// Scrubs every slot and journal text of these paths, and whatever else of the history holds one of these texts
    /// (operations and answers go by whole entries). That something happened, when and by whom, stays.
    ///
    /// # Errors
    /// `io`, `read_only`. What was scrubbed until then stays scrubbed.
    pub fn forget(&self, paths: &[MemoryPath], texts: &[String]) -> Result<(), Rejection> {
        let bytes = match self.journal.borrow().as_ref() {
            Some(journal) => journal.all()?,
            None => return Ok(()),
        };
        let mut records = records(&bytes);
        for (intent, _) in &mut records {
            intent.forget(paths, texts);
        }
        // Torn lines, which are in no record, go with it.
        self.rewrite(&records)?;
        let Some(undo) = self.root.undo()? else { return Ok(()) };
        let file = |rev, i: usize| {
            let at = records.binary_search_by_key(&rev, |(intent, _)| intent.rev).ok()?;
            records[at].0.files.get(i)
        };
        let finders: Vec<_> = texts.iter().map(|t| memchr::memmem::Finder::new(t.as_bytes())).collect();
        for slot in list(undo)? {
            let named = file(slot.rev, slot.file).is_some_and(|f| paths.iter().any(|p| p.as_str() == f.path));
            let holds = |bytes: &[u8]| finders.iter().any(|f| f.find(bytes).is_some());
            if named || read(undo, &slot.name).is_none_or(|bytes| holds(&bytes)) {
                scrub(undo, &slot.name)?;
            }
        }
        platform::sync(undo).map_err(|e| refusal_to_write(e, "'.memdir/undo/'"))
    }

    /// Puts another journal in this one's place, in one step.
    fn rewrite(&self, records: &[(Intent, Option<Ending>)]) -> Result<(), Rejection> {
        let refused = |e: Errno| refusal_to_write(e, "the journal");
        let Some(machine) = self.root.machine()? else { return Ok(()) };
        let mut bytes = Vec::new();
        for (intent, ending) in records {
            bytes.extend(intent_line(intent)?);
            bytes.extend(ending.map(|how| end_line(intent.rev, how)).into_iter().flatten());
        }
        slot::free(machine, NEW)?;
        let file = platform::create(machine, NEW).map_err(refused)?;
        let written = write_all(&file, &bytes).and_then(|()| platform::sync(&file));
        let put = written.and_then(|()| rustix::fs::renameat(machine, NEW, machine, NAME));
        put.map_err(|e| {
            let _ = slot::free(machine, NEW);
            refused(e)
        })?;
        platform::sync(machine).map_err(refused)?;
        *self.journal.borrow_mut() = Journal::open(machine, true)?;
        Ok(())
    }
}

/// Empties a slot before its name goes, so that a handle or a snapshot of the name finds nothing.
fn scrub(undo: BorrowedFd<'_>, name: &str) -> Result<(), Rejection> {
    if let Ok(file) = platform::open_append(undo, name) {
        let _ = rustix::fs::ftruncate(&file, 0);
        let _ = platform::sync(&file);
    }
    slot::free(undo, name)
}

/// A slot's bytes; `None` when they cannot be read.
fn read(undo: BorrowedFd<'_>, name: &str) -> Option<Vec<u8>> {
    contents(&open_plain(undo, name, "an undo slot").ok()??, "an undo slot").ok()
}

fn list(undo: BorrowedFd<'_>) -> Result<Vec<Slot>, Rejection> {
    let mut slots = Vec::new();
    let dir: OwnedFd = platform::open_dir(undo, "").map_err(|e| refusal(e, "'.memdir/undo/'"))?;
    let mut names = Vec::new();
    let mut keep = |name: &[u8], _: FileType| names.extend(String::from_utf8(name.to_vec()));
    walk::entries(&dir, &mut Vec::with_capacity(32 << 10), &mut keep).map_err(|e| refusal(e, "'.memdir/undo/'"))?;
    for name in names {
        let Some((rev, file)) = slot::parse_name(name.trim_end_matches(".old")) else { continue };
        let stat = match platform::look(dir.as_fd(), &name) {
            Err(Errno::NOENT) => continue,
            answer => answer.map_err(|e| refusal(e, "an undo slot"))?,
        };
        slots.push(Slot { rev, file, name, size: stat.st_size as u64, changed: stat.st_ctime });
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{Changeset, FileChange, Header};
    use crate::code::Code;
    use crate::store::{Durability, Options, Side, Store};
    use std::sync::Arc;

    fn bounds() -> Bounds {
        Bounds { since: 0, slots: 100, bytes: 1000, entries: 100, spared: 2 }
    }

    /// A store whose one file was written six times, each text another size, and what is left after reaping.
    fn left(bounds: Bounds) -> (usize, Vec<u64>, Vec<u64>) {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { durability: Durability::Fast, ..Options::default() };
        let store = Store::open(dir.path(), options).unwrap();
        let path = MemoryPath::new("a.md").unwrap();
        let (lock, _) = store.lock().unwrap();
        for n in 1..=6 {
            let file = FileChange {
                path: path.clone(),
                before: store.read(&path).unwrap(),
                after: Some(Arc::new(vec![b'x'; 10 * n])),
                mode: None,
                edits: None,
                moved: None,
                summary: None,
            };
            let at = "2026-11-20T10:00:00Z".to_owned();
            let header = Header { at, actor: "t".into(), reason: None, source: None, request: None };
            lock.commit(&Changeset { files: vec![file], ..Changeset::default() }, &header, None).unwrap();
        }
        let gone = lock.reap_to(&bounds).unwrap();
        let texts = (2..=6).filter(|&rev| match store.text(rev, &path, Side::Before) {
            Ok(text) => text.is_some(),
            Err(rejection) => {
                assert!(matches!(rejection.code, Code::HistoryGone | Code::RevisionNotFound));
                false
            }
        });
        let texts = texts.collect();
        let entries = store.journal().unwrap().iter().map(|entry| entry.rev).collect();
        (gone, texts, entries)
    }

    #[test]
    fn each_bound_takes_the_oldest_and_spares_the_last_revisions() {
        let all: Vec<u64> = (1..=6).collect();
        assert_eq!(left(bounds()), (0, vec![2, 3, 4, 5, 6], all.clone()));
        assert_eq!(left(Bounds { since: i64::MAX, ..bounds() }), (3, vec![5, 6], all.clone()));
        assert_eq!(left(Bounds { slots: 3, ..bounds() }), (2, vec![4, 5, 6], all.clone()));
        assert_eq!(left(Bounds { bytes: 120, ..bounds() }), (2, vec![4, 5, 6], all));
        assert_eq!(left(Bounds { entries: 3, ..bounds() }).2, [4, 5, 6]);
        assert_eq!(left(Bounds { entries: 1, ..bounds() }).2, [5, 6]);
    }
}
