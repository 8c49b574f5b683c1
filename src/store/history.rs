//! Texts of earlier revisions: from slots, from the file as it is, or from a neighbour by the journal's edits.
//!
//! Never hands out a text whose etag is not the one the journal names.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::line::{Intent, IntentFile, entries};
use super::protocol::Ending;
use super::root::{Root, open_plain, version};
use super::{Side, Store, slot};
use crate::change::{Entry, Etag, Version};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// One revision's say on one file.
struct Step<'a> {
    rev: u64,
    number: usize,
    file: &'a IntentFile,
    stands: bool,
}

/// The journal, read once: its entries, and the texts that it, the slots and the files still hold.
pub struct Past {
    root: Arc<Root>,
    records: Vec<(Intent, Option<Ending>)>,
    /// The store that is looked at through a veil, if it is.
    veiled: Option<Box<Store>>,
}

impl Past {
    /// What these records tell; through a store's veil, where there is one.
    pub(super) fn new(root: Arc<Root>, records: Vec<(Intent, Option<Ending>)>, veiled: Option<Box<Store>>) -> Past {
        Past { root, records, veiled }
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        let all = entries(self.records.clone());
        match &self.veiled {
            Some(store) => store.told(all),
            None => all,
        }
    }

    /// The text of a file on one side of a revision; as [`super::Store::text`], without reading the journal again.
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `io`.
    pub fn text(&self, rev: u64, path: &MemoryPath, side: Side) -> Result<Option<Version>, Rejection> {
        let then = text(&self.root, &self.records, rev, path, side)?;
        Ok(match &self.veiled {
            Some(store) => store.remembered(path, then),
            None => then,
        })
    }
}

/// Whether these records tell what a revision did to a file; then earlier ones cannot change which text is meant.
pub fn names(records: &[(Intent, Option<Ending>)], rev: u64, path: &MemoryPath) -> bool {
    records.iter().any(|(intent, _)| intent.rev == rev && intent.files.iter().any(|file| file.path == path.as_str()))
}

/// The text of a file on one side of a revision. A revision that did not touch the file is answered by the nearest
/// one before it that did, else by the nearest one after.
pub fn text(
    root: &Root,
    records: &[(Intent, Option<Ending>)],
    rev: u64,
    path: &MemoryPath,
    side: Side,
) -> Result<Option<Version>, Rejection> {
    if !records.iter().any(|(intent, _)| intent.rev == rev) {
        return Err(Rejection::new(Code::RevisionNotFound, format!("this clone's journal has no r{rev}")));
    }
    let steps = steps(records, path);
    let gone = || {
        Rejection::new(
            Code::HistoryGone,
            format!("the text of '{path}' at r{rev} is not kept on this machine any more"),
        )
    };
    let (etag, mode) = wanted(&steps, rev, side).ok_or_else(gone)?;
    let Some(etag) = etag else { return Ok(None) };
    let bytes = find(root, &steps, path, etag)?.ok_or_else(gone)?;
    Ok(Some(Version { bytes: Arc::new(bytes), etag, mode, inode: 0 }))
}

fn steps<'a>(records: &'a [(Intent, Option<Ending>)], path: &MemoryPath) -> Vec<Step<'a>> {
    let of = |(intent, ending): &'a (Intent, Option<Ending>)| {
        let stands = !matches!(ending, Some(Ending::Undone | Ending::Rescued));
        let files = intent.files.iter().enumerate().filter(|(_, file)| file.path == path.as_str());
        files.map(move |(number, file)| Step { rev: intent.rev, number, file, stands })
    };
    records.iter().flat_map(of).collect()
}

fn wanted(steps: &[Step<'_>], rev: u64, side: Side) -> Option<(Option<Etag>, u32)> {
    let before = |step: &Step<'_>| (step.file.before(), step.file.mode);
    let after = |step: &Step<'_>| (step.file.after(), step.file.mode_after());
    if let Some(own) = steps.iter().find(|step| step.rev == rev) {
        return Some(if side == Side::Before { before(own) } else { after(own) });
    }
    let earlier = steps.iter().rev().find(|step| step.rev < rev && step.stands).map(after);
    earlier.or_else(|| steps.iter().find(|step| step.rev > rev && step.stands).map(before))
}

/// Looks for a text: itself first, then outwards over the journal's edits.
fn find(root: &Root, steps: &[Step<'_>], path: &MemoryPath, etag: Etag) -> Result<Option<Vec<u8>>, Rejection> {
    let now = root.read(path).ok().flatten();
    // Each text that was reached, with the step and direction that leads from it back towards the wanted one.
    let mut reached: HashMap<Etag, Option<(usize, bool)>> = HashMap::from([(etag, None)]);
    let mut queue = VecDeque::from([etag]);
    while let Some(at) = queue.pop_front() {
        let here = match &now {
            Some(now) if now.etag == at => Some(now.bytes.to_vec()),
            _ => from_slots(root, steps, at)?,
        };
        if let Some(text) = here {
            return Ok(walk_back(steps, &reached, at, text));
        }
        for (i, step) in steps.iter().enumerate() {
            let (Some(before), Some(after)) = (step.file.before(), step.file.after()) else { continue };
            for (from, to, forward) in [(before, after, true), (after, before, false)] {
                if to == at && !reached.contains_key(&from) {
                    reached.insert(from, Some((i, forward)));
                    queue.push_back(from);
                }
            }
        }
    }
    Ok(None)
}

fn walk_back(
    steps: &[Step<'_>],
    reached: &HashMap<Etag, Option<(usize, bool)>>,
    mut at: Etag,
    mut text: Vec<u8>,
) -> Option<Vec<u8>> {
    while let Some((i, forward)) = reached.get(&at)? {
        let file = steps[*i].file;
        text = file.apply(&text, *forward)?;
        at = if *forward { file.after()? } else { file.before()? };
        if Etag::of(&text) != at {
            return None;
        }
    }
    Some(text)
}

/// A text from any slot that may hold it, checked.
fn from_slots(root: &Root, steps: &[Step<'_>], etag: Etag) -> Result<Option<Vec<u8>>, Rejection> {
    let Some(undo) = root.undo()? else { return Ok(None) };
    for step in steps.iter().rev() {
        if step.file.before() != Some(etag) && step.file.after() != Some(etag) {
            continue;
        }
        let name = slot::name(step.rev, step.number);
        let Ok(Some(plain)) = open_plain(undo, &name, "an undo slot") else { continue };
        let Ok(held) = version(&plain, "an undo slot") else { continue };
        if held.etag == etag {
            return Ok(Some(held.bytes.to_vec()));
        }
    }
    Ok(None)
}
