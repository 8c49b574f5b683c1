//! The changeset of an `undo` or `redo`: the inverses of all files of a revision, and their effects.
//!
//! Never decides which revision to invert.

use std::path::Path;
use std::sync::Arc;

use super::outside_edits::own_lines;
use super::sources::InversionSources;
use super::{CONFLICT_HINT, RevisionInversion, changed_again, erased_error, invert_file};
use crate::change::{Changeset, Effect, EffectSign, FileChange, InverseKind};
use crate::code::{Code, Rejection, Warning};
use crate::document::Document;
use crate::operation::conflict_regions::{self, ConflictChoice};
use crate::operation::effects;
use crate::path::MemoryPath;
use crate::store::{RevisionSide, Store};

/// The changeset that undoes or redoes a revision, based on the current files; `repository` is the data directory, if git
/// may be asked about a file that is gone.
pub(super) fn inverse_changeset(
    store: &Store,
    repository: Option<&Path>,
    inversion: &RevisionInversion,
) -> Result<Changeset, Vec<Rejection>> {
    let entry = &inversion.entry;
    if entry.forgotten {
        return Err(vec![erased_error(entry)]);
    }
    let sources = InversionSources::new(store, repository, entry.rev);
    let mut changeset = Changeset { inverts: Some(inversion.inverts), ..Changeset::default() };
    let (mut refused, mut skipped) = (Vec::new(), Vec::new());
    let mut refuse = |path: &MemoryPath, mut error: Rejection, changeset: &mut Changeset| {
        if matches!(inversion.inverts, InverseKind::Redo(_)) && error.hint.as_deref() == Some(CONFLICT_HINT) {
            error.hint = Some("edit the file manually".to_owned());
        }
        if !inversion.keep_edited || error.code != Code::Conflict {
            return refused.push(error);
        }
        changeset.warnings.push(Warning::new(Code::Note, format!("{}; left as it is", error.message)));
        skipped.push(path.clone());
    };
    for file in &entry.files {
        match invert_file(&sources, inversion, file) {
            Ok(Some(mut change)) => {
                change.moved = file.moved.clone();
                changeset.files.push(change);
            }
            Ok(None) => {}
            Err(mut error) => {
                // A file that is gone was moved or removed: the refusal says by what.
                if error.code == Code::Conflict && store.read(&file.path).is_ok_and(|now| now.is_some()) {
                    error.message = if inversion.keep_edited {
                        format!("{} was edited since r{}", file.path, entry.rev)
                    } else {
                        error.message
                    };
                }
                refuse(&file.path, error, &mut changeset);
            }
        }
    }
    if inversion.is_undo || !inversion.is_in_effect {
        for (path, error) in
            changed_again::find_conflicts(&sources, inversion, &changeset.files).map_err(|error| vec![error])?
        {
            changeset.files.retain(|change| change.path != path);
            refuse(&path, error, &mut changeset);
        }
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    let moves_skipped = |change: &FileChange| changed_again::shares_moved_bullet(&sources, &change.path, &skipped);
    let (others, files): (Vec<FileChange>, Vec<FileChange>) = changeset.files.into_iter().partition(moves_skipped);
    changeset.files = files;
    changeset.warnings.extend(others.iter().map(|change| {
        let message = format!("{}: r{} moved bullets from or to such a file; left as it is", change.path, entry.rev);
        Warning::new(Code::Note, message)
    }));
    changeset.warnings.extend(changeset.files.iter().filter(|change| brings_markers_back(change)).map(|change| {
        let message = format!(
            "{path} has conflict markers again and is not written until `memdir resolve {path}` decides them",
            path = change.path
        );
        Warning::new(Code::Note, message)
    }));
    if (inversion.is_undo || !inversion.is_in_effect) && skipped.is_empty() {
        drop_lone_summaries(&sources, inversion, &mut changeset);
    }
    drop_incomplete_moves(&mut changeset.files);
    changeset.effects = changeset.files.iter().flat_map(|change| change_effects(store, change)).collect();
    Ok(changeset)
}

/// Drops a change of summary lines alone, which follow from the rest, unless the revision changed nothing else: then
/// nothing of it is left to invert, which a note says.
fn drop_lone_summaries(sources: &InversionSources<'_>, inversion: &RevisionInversion, changeset: &mut Changeset) {
    let is_same = |before: Option<&[u8]>, after: Option<&[u8]>| match (before, after) {
        (Some(before), Some(after)) => own_lines(before) == own_lines(after),
        (before, after) => before == after,
    };
    let is_lone = |change: &FileChange| {
        let before = change.before.as_ref().map(|version| &version.bytes[..]);
        is_same(before, change.after.as_ref().map(|bytes| &bytes[..]))
    };
    let changed_texts = |path: &MemoryPath| {
        let [before, after] = [RevisionSide::Before, RevisionSide::After].map(|side| sources.text(path, side));
        let (Ok(before), Ok(after)) = (before, after) else { return true };
        let [before, after] = [&before, &after].map(|version| version.as_ref().map(|version| &version.bytes[..]));
        !is_same(before, after)
    };
    if changeset.files.iter().all(is_lone) && inversion.entry.files.iter().any(|file| changed_texts(&file.path)) {
        changeset.files.clear();
        let (verb, named) = inversion.named();
        let message = format!(
            "nothing of r{named} is left to {verb}: its text was removed or changed since; name an older revision"
        );
        changeset.warnings.push(Warning::new(Code::Note, message));
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

/// Whether a file has conflict markers after a change and had none before.
fn brings_markers_back(change: &FileChange) -> bool {
    let has_markers = |bytes: &Arc<Vec<u8>>| {
        std::str::from_utf8(bytes).is_ok_and(|text| conflict_regions::marker_length(text).is_some())
    };
    change.after.as_ref().is_some_and(has_markers)
        && !change.before.as_ref().is_some_and(|version| has_markers(&version.bytes))
}

/// A document without conflict markers: takes our side of each conflict, because marker lines would parse as text.
fn without_conflict_markers(document: Document) -> Document {
    match conflict_regions::marker_length(document.text()) {
        Some(size) => Document::parse(conflict_regions::resolve_all(document.text(), size, ConflictChoice::Ours)),
        None => document,
    }
}
