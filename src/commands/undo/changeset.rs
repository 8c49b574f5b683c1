//! The changeset of an `undo` or `redo`: the inverses of all files of a revision, and their effects.
//!
//! Never reads the journal: what to invert is decided already.

use std::sync::Arc;

use super::{RevisionInversion, erased_error, invert_file};
use crate::change::{Changeset, Effect, EffectSign, FileChange, InverseKind};
use crate::code::{Code, Rejection, Warning};
use crate::document::Document;
use crate::operation::conflict_regions::{self, ConflictChoice};
use crate::operation::effects;
use crate::path::MemoryPath;
use crate::store::Store;

/// The changeset that undoes or redoes a revision, based on the current files.
pub(super) fn inverse_changeset(store: &Store, inversion: &RevisionInversion) -> Result<Changeset, Vec<Rejection>> {
    let entry = &inversion.entry;
    if entry.forgotten {
        return Err(vec![erased_error(entry)]);
    }
    let mut changeset = Changeset {
        inverts: Some(if inversion.is_undo { InverseKind::Undo(entry.rev) } else { InverseKind::Redo(entry.rev) }),
        ..Changeset::default()
    };
    let mut refused = Vec::new();
    for file in &entry.files {
        match invert_file(store, inversion, file) {
            Ok(Some(mut change)) => {
                change.moved = file.moved.clone();
                changeset.files.push(change);
            }
            Ok(None) => {}
            Err(error) if inversion.keep_edited && error.code == Code::Conflict => {
                // A file that is gone was moved or removed: the refusal says by what.
                let is_gone = store.read(&file.path).is_ok_and(|now| now.is_none());
                let what =
                    if is_gone { error.message } else { format!("{} was edited since r{}", file.path, entry.rev) };
                changeset.warnings.push(Warning::new(Code::Note, format!("{what}; left as it is")));
            }
            Err(error) => refused.push(error),
        }
    }
    match refused.is_empty() {
        true => {
            drop_incomplete_moves(&mut changeset.files);
            changeset.effects = changeset.files.iter().flat_map(|change| change_effects(store, change)).collect();
            Ok(changeset)
        }
        false => Err(refused),
    }
}

/// Keeps a move only if both of its files are in the changeset and neither is also edited; else clears `moved`.
fn drop_incomplete_moves(files: &mut [FileChange]) {
    let halves: Vec<(MemoryPath, Option<MemoryPath>, bool)> =
        files.iter().map(|f| (f.path.clone(), f.moved.clone(), f.after.is_some() && f.before.is_some())).collect();
    for file in files {
        let other = halves.iter().find(|(path, _, _)| Some(path) == file.moved.as_ref());
        if !other.is_some_and(|(_, back, both)| back.as_ref() == Some(&file.path) && !both)
            || file.before.is_some() && file.after.is_some()
        {
            file.moved = None;
        }
    }
}

/// The effects of a file change, by bullet; a moved file has one effect for the move.
fn change_effects(store: &Store, change: &FileChange) -> Vec<Effect> {
    if change.moved.is_some() {
        let move_effect = || effects::line_effect(&change.path, EffectSign::Moved, "", None, 0);
        return change.before.iter().map(|_| move_effect()).collect();
    }
    let read = |bytes: &Arc<Vec<u8>>| Document::from_bytes(bytes.to_vec()).ok().map(without_conflict_markers);
    let before =
        change.before.as_ref().and_then(|_| store.read(&change.path).ok().flatten()).and_then(|v| read(&v.bytes));
    let after = change.after.as_ref().and_then(read);
    effects::diff_effects(before.as_ref(), after.as_ref(), &change.path, 0)
}

/// A document without conflict markers: takes our side of each conflict, because marker lines would parse as text.
fn without_conflict_markers(document: Document) -> Document {
    match conflict_regions::marker_length(document.text()) {
        Some(size) => Document::parse(conflict_regions::resolve_all(document.text(), size, ConflictChoice::Ours)),
        None => document,
    }
}
