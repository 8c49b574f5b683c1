//! Finds the files that both sides of a merge renamed, each to another name: git lists the old name and both new ones,
//! and leaves the merged text under both.
//!
//! Never decides which name stays.

use std::collections::HashSet;

use crate::host::git::{Git, UnmergedIndexEntry};

use super::results::{RenamedFile, UndecidedFile, UndecidedReason};
use crate::operation::conflict_regions::unmerged_marker_length;

/// The rows of the unmerged entries that both sides renamed: one for each file, by its old path. Other entries have none,
/// nor have those whose merged text has conflicts: none of the two names may be chosen before these are resolved.
pub(super) fn renamed_on_both_sides(git: &Git, unmerged: &[UnmergedIndexEntry]) -> Vec<UndecidedFile> {
    // What was renamed has no base under its new name. The merge wrote one object for both sides.
    let is_new = |entry: &&UnmergedIndexEntry| entry.base.is_none();
    let ours: Vec<_> = unmerged.iter().filter(is_new).filter(|e| e.ours.is_some() && e.theirs.is_none()).collect();
    let mut theirs: Vec<_> =
        unmerged.iter().filter(is_new).filter(|e| e.theirs.is_some() && e.ours.is_none()).collect();
    let mut olds: Vec<_> = unmerged.iter().filter(|e| e.ours.is_none() && e.theirs.is_none()).collect();
    let mut rows = Vec::new();
    for ours in ours {
        let Some(at) = theirs.iter().position(|entry| entry.theirs == ours.ours) else { continue };
        if has_conflict(git, ours) {
            continue;
        }
        let Some(old) = most_similar(git, ours, &olds) else { continue };
        let (theirs, old) = (theirs.remove(at), olds.remove(old));
        let renamed = RenamedFile { ours: ours.path.clone(), theirs: theirs.path.clone() };
        let reason = UndecidedReason::BothRenamed;
        rows.push(UndecidedFile { renamed: Some(renamed), ..UndecidedFile::new(&old.path, reason) });
    }
    rows
}

/// Whether the merged text of an entry has conflict markers, or cannot be read.
fn has_conflict(git: &Git, merged: &UnmergedIndexEntry) -> bool {
    let text = merged.ours.as_deref().and_then(|object| git.read_objects(&[object]).ok()?.pop());
    text.is_none_or(|text| unmerged_marker_length(&String::from_utf8_lossy(&text)).is_some())
}

/// The position of the old entry with which the merged text shares most lines; the only one, whatever it shares.
fn most_similar(git: &Git, merged: &UnmergedIndexEntry, olds: &[&UnmergedIndexEntry]) -> Option<usize> {
    if olds.len() < 2 {
        return (olds.len() == 1).then_some(0);
    }
    let objects = [merged.ours.as_deref()].into_iter().chain(olds.iter().map(|old| old.base.as_deref()));
    let texts = git.read_objects(&objects.collect::<Option<Vec<_>>>()?).ok()?;
    let lines = |text: &[u8]| text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<HashSet<_>>();
    let (merged, olds) = texts.split_first()?;
    let merged = lines(merged);
    let shared = olds.iter().map(|old| lines(old).intersection(&merged).count());
    shared.enumerate().max_by_key(|(at, count)| (*count, std::cmp::Reverse(*at))).map(|(at, _)| at)
}

/// The paths that a row is about.
pub(super) fn paths_of(row: &UndecidedFile) -> impl Iterator<Item = &str> {
    let renamed = row.renamed.iter().flat_map(|renamed| [renamed.ours.as_str(), renamed.theirs.as_str()]);
    renamed.chain([row.path.as_str()])
}
