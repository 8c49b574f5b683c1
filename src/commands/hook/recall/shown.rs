//! `.memdir/shown`: what sessions were shown, so that nothing is shown twice. Hashes only.
//!
//! Each answer appends a record, so that hooks at one time keep what the others write. No clock decides what is kept: a
//! file that has grown is cut to the sessions that were active last. Best effort: what cannot be written is shown
//! again.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use jiff::civil::Date;
use sha2::{Digest, Sha256};

use crate::commands::Session;
use crate::document::Handle;
use crate::host::agent_hosts::HookInput;
use crate::store::Store;
use crate::text::hex;

/// File names below `.memdir/`.
const NOTE: &str = "shown";
pub(super) const LOCK: &str = "shown.lock";
/// How long a hook waits for others that write a record at the same time: each takes less than a millisecond.
pub(super) const LOCK_WAIT: Duration = Duration::from_millis(40);
/// The size above which the file is cut, and what then remains, in bytes.
const MAX_BYTES: usize = 512 << 10;
const CUT_BYTES: usize = 256 << 10;
/// An item that stands for what was shown before, once the host has summarized it.
pub(super) const RESET: &str = "*";
/// What an item begins with that did not reach the host after all.
const TAKEN_BACK: char = '-';

/// A bullet as sessions see it: its text, wherever it stands, and the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownBullet {
    text: String,
    file: String,
}

impl ShownBullet {
    pub fn new(identity: Handle, path: &str) -> ShownBullet {
        ShownBullet { text: text_hash(identity), file: ShownBullet::file_hash(path) }
    }

    /// Whether it has the same text, in whichever file.
    pub fn has_text_of(&self, other: &ShownBullet) -> bool {
        self.text == other.text
    }

    /// What stands for it in the file.
    pub(super) fn to_item(&self) -> String {
        format!("{}{}", self.text, self.file)
    }

    /// The hash of the file in an item.
    pub(super) fn file_of(item: &str) -> &str {
        item.get(TEXT_HASH_LENGTH..).unwrap_or_default()
    }

    /// The hash of a file by its path.
    pub(super) fn file_hash(path: &str) -> String {
        hash(path, 3)
    }
}

/// The records of one name in the file: of a session, or of what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShownFile {
    name: String,
    today: Date,
}

impl ShownFile {
    pub(super) fn new(name: &str, session: &Session) -> ShownFile {
        ShownFile { name: hash(name, 6), today: session.now.date() }
    }

    /// The items of all records, oldest first.
    pub(super) fn items(&self, store: &Store) -> Vec<String> {
        let text = store.read_note(NOTE).unwrap_or_default();
        let own = text.lines().filter_map(parse).filter(|(name, _)| *name == self.name);
        own.flat_map(|(_, items)| items.split(',')).map(str::to_owned).collect()
    }

    /// Appends a record. The caller holds the lock.
    pub(super) fn append(&self, store: &Store, items: &[String]) {
        if items.is_empty() {
            return;
        }
        let line = format!("{} {} {}\n", self.today, self.name, items.join(","));
        let before = store.read_note(NOTE).unwrap_or_default();
        let is_torn = !before.is_empty() && !before.ends_with('\n');
        let line = if is_torn { format!("\n{line}") } else { line };
        let saved = if before.len() + line.len() > MAX_BYTES {
            store.write_note_unlocked(NOTE, &cut(&(before + &line)))
        } else {
            store.append_to_note(NOTE, &line)
        };
        drop(saved);
    }
}

/// What one session was shown, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownItems {
    file: ShownFile,
    items: Vec<String>,
    /// What is not saved yet.
    added: Vec<String>,
}

impl ShownItems {
    /// What the session of an input was shown. A sub-agent has not seen what the main one has.
    pub fn load(session: &Session, input: &HookInput) -> ShownItems {
        let mut shown = ShownItems { added: Vec::new(), ..ShownItems::reset(session, input) };
        shown.read(&session.store);
        shown
    }

    /// The state of a session that starts, or whose earlier text is about to be summarized.
    pub fn reset(session: &Session, input: &HookInput) -> ShownItems {
        let name = format!("{}\0{}\0{}", input.session, input.agent, session.actor);
        ShownItems { file: ShownFile::new(&name, session), items: Vec::new(), added: vec![RESET.to_owned()] }
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether a text was shown, in whichever file.
    pub fn contains(&self, identity: Handle) -> bool {
        let text = text_hash(identity);
        self.items.iter().any(|item| item.starts_with(&text))
    }

    /// Other texts of the same file that were shown after this one, as [`text_hash`] makes them.
    pub fn shown_after(&self, bullet: &ShownBullet) -> Vec<String> {
        let last = self.items.iter().rposition(|item| item.starts_with(&bullet.text));
        let later = last.map_or(&[][..], |at| &self.items[at + 1..]).iter().rev();
        let of_file = later.filter(|item| item.ends_with(&bullet.file)).filter_map(|item| item.get(..12));
        of_file.map(str::to_owned).collect()
    }

    pub fn add(&mut self, bullets: impl IntoIterator<Item = ShownBullet>) {
        self.added.extend(bullets.into_iter().map(|bullet| bullet.to_item()));
    }

    /// Adds bullets that are about to be shown, and saves them at once. Returns for each whether to show it: not if
    /// another hook of the session has taken it since this one was loaded.
    pub fn claim(&mut self, store: &Store, bullets: Vec<ShownBullet>) -> Vec<bool> {
        let _lock = store.lock_note(LOCK, LOCK_WAIT);
        let known = self.items.len();
        self.read(store);
        // A session that was reset meanwhile has seen nothing.
        let others: HashSet<&str> = self.items.iter().skip(known).filter_map(|item| item.get(..12)).collect();
        let is_free: Vec<bool> = bullets.iter().map(|one| !others.contains(one.text.as_str())).collect();
        let taken = bullets.into_iter().zip(&is_free).filter(|(_, free)| **free);
        self.add(taken.map(|(bullet, _)| bullet).collect::<Vec<_>>());
        self.file.append(store, &self.added);
        is_free
    }

    /// Takes back what was claimed: it did not reach the host.
    pub fn take_back(mut self, store: &Store) {
        for item in &mut self.added {
            item.insert(0, TAKEN_BACK);
        }
        self.save(store);
    }

    /// Saves what was added.
    pub fn save(&self, store: &Store) {
        if !self.added.is_empty() {
            let _lock = store.lock_note(LOCK, LOCK_WAIT);
            self.file.append(store, &self.added);
        }
    }

    fn read(&mut self, store: &Store) {
        self.items.clear();
        for item in self.file.items(store) {
            match item.strip_prefix(TAKEN_BACK) {
                _ if item == RESET => self.items.clear(),
                Some(text) => self.items.retain(|known| known != text),
                None => self.items.push(item),
            }
        }
    }
}

/// The session and the items of a record.
fn parse(line: &str) -> Option<(&str, &str)> {
    let mut fields = line.split(' ').skip(1);
    Some((fields.next()?, fields.next()?))
}

/// The records of the sessions that were active last, up to [`CUT_BYTES`].
fn cut(text: &str) -> String {
    let records = text.lines().filter_map(|line| Some((parse(line)?.0, line)));
    let kept = last_active(records.clone().map(|(session, line)| (session, line.len() + 1)), CUT_BYTES);
    records.filter(|(session, _)| kept.contains(session)).map(|(_, line)| format!("{line}\n")).collect()
}

/// The sessions that were active last, as many as have all their records in `max_bytes`. Takes the session and the size
/// in bytes of each record, oldest first, and visits each twice: a file has thousands of records.
fn last_active<'a>(
    records: impl DoubleEndedIterator<Item = (&'a str, usize)> + Clone,
    max_bytes: usize,
) -> HashSet<&'a str> {
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for (session, bytes) in records.clone() {
        *sizes.entry(session).or_default() += bytes;
    }
    let (mut kept, mut total) = (HashSet::new(), 0);
    for (session, _) in records.rev() {
        // A session's size is taken at its last record; at an earlier one it is counted already.
        total += sizes.remove(session).unwrap_or(0);
        if total > max_bytes {
            break;
        }
        kept.insert(session);
    }
    kept
}

/// The characters of what [`text_hash`] makes.
const TEXT_HASH_LENGTH: usize = 12;

/// What stands for a text in the file.
pub fn text_hash(identity: Handle) -> String {
    hash(&identity.prefix(12), 6)
}

pub(super) fn hash(text: &str, bytes: usize) -> String {
    hex(&Sha256::digest(text.as_bytes())[..bytes])
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn each_record_is_visited_twice_however_many_sessions_there_are() {
        let sessions: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let visits = Cell::new(0);
        let records = sessions.iter().map(|session| (session.as_str(), 1)).inspect(|_| visits.set(visits.get() + 1));
        let kept = last_active(records, 1000);
        assert_eq!((kept.len(), visits.get()), (1000, 2000));
    }

    #[test]
    fn a_file_that_has_grown_keeps_the_sessions_that_were_active_last() {
        let record = |session: usize| format!("2026-02-24 {session:012x} {}\n", "0123456789abcdef01,".repeat(50));
        let text: String = (0..1000).chain([3]).map(record).collect();
        let kept = cut(&text);
        assert!(kept.len() <= CUT_BYTES && kept.len() > CUT_BYTES / 2, "{}", kept.len());
        assert_eq!(kept.matches(&format!(" {:012x} ", 3)).count(), 2, "the one that goes on has all of its records");
        assert!(kept.contains(&record(999)) && !kept.contains(&record(4)));
    }
}
