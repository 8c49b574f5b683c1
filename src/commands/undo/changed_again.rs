//! What an inversion would bring back or remove although later changes decided about the same bullets: a bullet that
//! came back after its removal and was then replaced or removed again has no trace in the texts that are merged.
//!
//! Never compares wording: two bullets are the same if their handles are.

use std::collections::{HashMap, HashSet};

use super::sources::InversionSources;
use super::{CONFLICT_HINT, RevisionInversion};
use crate::change::{EntryOutcome, Etag, FileChange, FileVersion, InverseKind, JournalEntry};
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::document::{Document, Handle};
use crate::operation::effects::section_slug;
use crate::path::MemoryPath;
use crate::store::{JournalHistory, RevisionSide, Store};
use crate::text::one_line::{cut_with_ellipsis, one_line};

/// Characters of a bullet's text in a message.
const SHOWN_CHARACTERS: usize = 60;

/// The conflicts of the file changes of an inversion with later changes of the same bullets: per file at most one.
///
/// # Errors
/// `io`, `too_large`.
pub(super) fn find_conflicts(
    sources: &InversionSources<'_>,
    inversion: &RevisionInversion,
    changes: &[FileChange],
) -> Result<Vec<(MemoryPath, Rejection)>, Rejection> {
    let store = sources.store;
    let later = LaterRevisions::new(sources.entries()?, inversion);
    let mut is_touched = later.touch_files(inversion);
    for file in &inversion.entry.files {
        let left = if inversion.is_undo { file.after } else { file.before };
        is_touched |= store.read(&file.path)?.map(|version| version.etag) != left;
    }
    if !is_touched {
        return Ok(Vec::new());
    }
    let history = sources.history()?;
    let files: HashMap<&MemoryPath, FileBullets> = inversion
        .entry
        .files
        .iter()
        .map(|file| (&file.path, FileBullets::new(store, history, &later, inversion, &file.path)))
        .collect();
    let conflict_of =
        |change: &FileChange| Some((change.path.clone(), file_conflict(&files, &later, inversion, change)?));
    Ok(changes.iter().filter_map(conflict_of).collect())
}

/// Whether the revision moved a bullet between a file and one of the files `skipped`: inverting one half would remove
/// its text, or make it stand in both.
pub(super) fn shares_moved_bullet(sources: &InversionSources<'_>, path: &MemoryPath, skipped: &[MemoryPath]) -> bool {
    if skipped.is_empty() {
        return false;
    }
    let counts = |path: &MemoryPath| {
        [RevisionSide::Before, RevisionSide::After]
            .map(|side| counts_of(sources.text(path, side).ok().flatten().as_ref()))
    };
    let [own_before, own_after] = counts(path);
    let (lost, gained) = (difference(&own_before, &own_after), difference(&own_after, &own_before));
    skipped.iter().any(|other| {
        let [before, after] = counts(other);
        difference(&before, &after).keys().any(|handle| gained.contains_key(handle))
            || difference(&after, &before).keys().any(|handle| lost.contains_key(handle))
    })
}

/// The conflict of one file change with later changes of the bullets that it brings back or removes.
fn file_conflict(
    files: &HashMap<&MemoryPath, FileBullets>,
    later: &LaterRevisions<'_>,
    inversion: &RevisionInversion,
    change: &FileChange,
) -> Option<Rejection> {
    let file = files.get(&change.path)?;
    let now = document_of(change.before.as_ref());
    let after = document_in(change.after.as_ref().map(|bytes| &bytes[..]));
    let (now_counts, after_counts) = (document_counts(&now), document_counts(&after));
    let ((verb, rev), path) = (inversion.named(), &change.path);
    let refusal = |what: String, by: Option<u64>| {
        let error = Rejection::new(Code::Conflict, format!("{path}: {verb} r{rev} would {what}"));
        let error = error.detail("path", path.as_str());
        match by.filter(|by| later.may_be_undone(*by)) {
            Some(by) => error
                .hint(format!("undo r{by} first, then {verb} r{rev}"))
                .try_command(SuggestedCommand::new("undo", format!("r{by}"))),
            None => error.hint(CONFLICT_HINT),
        }
    };
    let gained = difference(&after_counts, &now_counts);
    let brought_back = (0..after.bullets().len()).filter(|bullet| {
        let handle = &after.handles()[*bullet];
        gained.contains_key(handle) && file.restored.contains_key(handle)
    });
    for bullet in brought_back {
        let handle = after.handles()[bullet];
        // A bullet that the revision moved to another file may have been removed or replaced there.
        let there = files.iter().filter(|(other, moved)| ***other != *path && moved.taken.contains_key(&handle));
        let loss = file
            .losses_after_return
            .get(&handle)
            .or_else(|| there.into_iter().find_map(|(_, it)| it.losses.get(&handle)));
        let shown = shown_bullet(&after, bullet);
        if let Some(by) = loss {
            return Some(refusal(format!("bring back {shown}, which {} since", loser(*by)), *by));
        }
        let section = section_slug(&after, after.bullets()[bullet].section as usize);
        let [left_here, now_here, after_here] =
            [&file.left_text, &now, &after].map(|document| count_in_section(document, handle, section.as_deref()));
        let came_back_here = after_here > now_here && now_here > left_here;
        if came_back_here || count(&now_counts, handle) > count(&file.left, handle) {
            return Some(refusal(format!("add {shown} a second time: it came back since"), None));
        }
    }
    if let Some(bullet) = (0..after.bullets().len()).find(|bullet| {
        let handle = after.handles()[*bullet];
        let [now, after] = [&now, &after].map(|document| section_of(document, handle));
        matches!((file.moved.get(&handle), now, after), (Some(left), Some(now), Some(after)) if *left != now && now != after)
    }) {
        return Some(refusal(format!("move {}, which was moved since", shown_bullet(&after, bullet)), None));
    }
    let lost = difference(&now_counts, &after_counts);
    let removed = (0..now.bullets().len()).filter(|bullet| {
        let handle = &now.handles()[*bullet];
        lost.contains_key(handle) && file.taken.contains_key(handle)
    });
    removed.into_iter().find_map(|bullet| {
        let by = file.losses.get(&now.handles()[bullet])?;
        let shown = shown_bullet(&now, bullet);
        Some(refusal(format!("remove {shown}, which {} and which came back since", loser(*by)), None))
    })
}

fn loser(by: Option<u64>) -> String {
    let by = by.map_or_else(|| "another program".to_owned(), |by| format!("r{by}"));
    format!("{by} removed, moved or replaced")
}

pub(super) fn shown_bullet(document: &Document, bullet: usize) -> String {
    let text = one_line(&document.bullet_text(bullet));
    format!("@{} \"{}\"", document.handle_name(bullet), cut_with_ellipsis(&text, SHOWN_CHARACTERS))
}

/// The later revisions, and which of their changes are in effect.
struct LaterRevisions<'a> {
    /// All that took effect after the revision was last made, undone or made again.
    entries: Vec<&'a JournalEntry>,
    /// Those whose removals count. Of a revision and its undo, neither does.
    in_effect: HashSet<u64>,
}

impl<'a> LaterRevisions<'a> {
    fn new(entries: &'a [JournalEntry], inversion: &RevisionInversion) -> LaterRevisions<'a> {
        let inversions: HashMap<u64, InverseKind> =
            entries.iter().filter_map(|entry| Some((entry.rev, entry.inverts?))).collect();
        // The revision that an entry is about, and whether the entry put it out of effect.
        let meaning = |rev: u64| {
            let (mut root, mut is_undo) = (rev, false);
            // An inversion names an older revision, so this ends.
            while let Some(InverseKind::Undo(older) | InverseKind::Redo(older)) = inversions.get(&root).copied()
                && older < root
            {
                is_undo ^= matches!(inversions[&root], InverseKind::Undo(_));
                root = older;
            }
            (root, is_undo)
        };
        let own = meaning(inversion.entry.rev).0;
        let done: Vec<&JournalEntry> = entries.iter().filter(|entry| entry.outcome == EntryOutcome::Done).collect();
        let start = done.iter().map(|entry| entry.rev).filter(|rev| meaning(*rev).0 == own).max();
        let start = start.unwrap_or(inversion.entry.rev);
        let later: Vec<&JournalEntry> = done.into_iter().filter(|entry| entry.rev > start).collect();
        let mut by_root: HashMap<u64, Vec<u64>> = HashMap::new();
        later.iter().for_each(|entry| by_root.entry(meaning(entry.rev).0).or_default().push(entry.rev));
        let in_effect = by_root.into_iter().filter_map(|(root, revs)| {
            let [first, last] = [revs[0], revs[revs.len() - 1]].map(|rev| (rev, meaning(rev).1));
            // A later revision counts unless it is undone at last, an older one if it changed its state for good.
            if root > start { (!last.1).then_some(first.0) } else { (first.1 == last.1).then_some(last.0) }
        });
        LaterRevisions { in_effect: in_effect.collect(), entries: later }
    }

    fn touch_files(&self, inversion: &RevisionInversion) -> bool {
        let mut files = self.entries.iter().flat_map(|entry| &entry.files);
        files.any(|file| inversion.entry.files.iter().any(|own| own.path == file.path))
    }

    /// Whether to propose to undo this revision first.
    fn may_be_undone(&self, rev: u64) -> bool {
        self.entries.iter().any(|entry| entry.rev == rev && entry.inverts.is_none() && !entry.forgotten)
    }

    /// The paths of a file: its own, and those to which later revisions moved it.
    fn paths_of(&self, path: &MemoryPath) -> Vec<MemoryPath> {
        let mut paths = vec![path.clone()];
        for file in self.entries.iter().flat_map(|entry| &entry.files) {
            if let Some(to) = file.moved.as_ref().filter(|to| file.after.is_none() && !paths.contains(to))
                && paths.contains(&file.path)
            {
                paths.push(to.clone());
            }
        }
        paths
    }
}

/// How often each bullet stands in a text.
pub(super) type HandleCounts = HashMap<Handle, usize>;

/// What an inversion and later changes did to the bullets of one file.
struct FileBullets {
    /// The text as the revision left it.
    left_text: Document,
    /// Its bullets.
    left: HandleCounts,
    /// What the inversion brings back.
    restored: HandleCounts,
    /// What the inversion takes out.
    taken: HandleCounts,
    /// What the inversion moves to another section, with the slug of the section in which the revision left it.
    moved: HashMap<Handle, String>,
    /// What of these was removed or replaced since, and by which revision; `None` for an edit outside memdir.
    losses: HashMap<Handle, Option<u64>>,
    /// Of these, what had come back before: an equal bullet that was there all the time is another one.
    losses_after_return: HashMap<Handle, Option<u64>>,
}

impl FileBullets {
    fn new(
        store: &Store,
        history: &JournalHistory,
        later: &LaterRevisions<'_>,
        inversion: &RevisionInversion,
        path: &MemoryPath,
    ) -> FileBullets {
        let (from, to) = inversion_sides(inversion);
        let text = |side| history.text(inversion.entry.rev, path, side).ok().flatten();
        let (left_version, wanted) = (text(from), text(to));
        let [left_text, wanted] = [&left_version, &wanted].map(|version| document_of(version.as_ref()));
        let moved = left_text.handles().iter().filter_map(|handle| {
            let [from, to] = [&left_text, &wanted].map(|document| section_of(document, *handle));
            (to? != from.clone()?).then_some((*handle, from?))
        });
        let moved = moved.collect();
        let (left, wanted) = (document_counts(&left_text), document_counts(&wanted));
        let (restored, taken) = (difference(&wanted, &left), difference(&left, &wanted));
        let (mut losses, mut losses_after_return) = (HashMap::new(), HashMap::new());
        for at in later.paths_of(path) {
            let first = (at == *path).then(|| left_version.clone());
            find_losses(store, history, later, &at, first, &mut |handle, old, by| {
                if !restored.contains_key(&handle) && !taken.contains_key(&handle) {
                    return;
                }
                losses.insert(handle, by);
                if old.handles().iter().filter(|other| **other == handle).count() > count(&left, handle) {
                    losses_after_return.insert(handle, by);
                }
            });
        }
        FileBullets { left_text, left, restored, taken, moved, losses, losses_after_return }
    }
}

/// Calls `each` for what was removed or replaced in the file at a path, with the text in which it stood before, and by
/// which revision. `left` is the text to start from, if the file was there. Texts no longer kept are skipped.
fn find_losses(
    store: &Store,
    history: &JournalHistory,
    later: &LaterRevisions<'_>,
    path: &MemoryPath,
    left: Option<Option<FileVersion>>,
    each: &mut dyn FnMut(Handle, &Document, Option<u64>),
) {
    let texts = history.texts_of(path);
    let etag = |version: &Option<FileVersion>| version.as_ref().map(|version| version.etag);
    let mut previous: Option<(Option<Etag>, Option<Document>)> =
        left.map(|version| (etag(&version), Some(document_of(version.as_ref()))));
    let mut add = |old: &Option<Document>, new: &Option<Document>, by: Option<u64>| {
        if let (Some(old), Some(new)) = (old, new) {
            lost_bullets(old, new).into_keys().for_each(|handle| each(handle, old, by));
        }
    };
    for entry in &later.entries {
        let Some(file) = entry.files.iter().find(|file| file.path == *path) else { continue };
        let document = |side| texts.text(entry.rev, side).ok().map(|version| document_of(version.as_ref()));
        let before = match previous.take() {
            Some((found, document)) if found == file.before => document,
            earlier => {
                let before = document(RevisionSide::Before);
                add(&earlier.and_then(|(_, document)| document), &before, None);
                before
            }
        };
        let after = document(RevisionSide::After);
        let is_moved = file.moved.is_some() && file.after.is_none();
        if later.in_effect.contains(&entry.rev) && !is_moved {
            add(&before, &after, Some(entry.rev));
        }
        previous = Some((file.after, after));
    }
    let now = store.read(path).ok().flatten();
    if let Some((_, document)) = previous.filter(|(found, _)| *found != etag(&now)) {
        add(&document, &Some(document_of(now.as_ref())), None);
    }
}

/// What stands in `old` more often than in `new`. Only the bullets between the first and the last difference are
/// hashed: one revision of a long file changes few of them, and there may be hundreds of revisions.
fn lost_bullets(old: &Document, new: &Document) -> HandleCounts {
    fn raw_texts(document: &Document) -> Vec<&str> {
        (0..document.bullets().len()).map(|bullet| document.bullet_raw(bullet)).collect()
    }
    let (old, new) = (raw_texts(old), raw_texts(new));
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let counts = |raw_texts: &[&str]| handle_counts(raw_texts.iter().map(|raw| Handle::of(raw)));
    difference(&counts(&old[..old.len() - end]), &counts(&new[..new.len() - end]))
}

/// The sides of the revision from which and to which an inversion leads.
fn inversion_sides(inversion: &RevisionInversion) -> (RevisionSide, RevisionSide) {
    if inversion.is_undo {
        (RevisionSide::After, RevisionSide::Before)
    } else {
        (RevisionSide::Before, RevisionSide::After)
    }
}

/// The document of a version; an empty one for none, and for one that is not UTF-8.
fn document_of(version: Option<&FileVersion>) -> Document {
    document_in(version.map(|version| &version.bytes[..]))
}

fn document_in(bytes: Option<&[u8]>) -> Document {
    let document = bytes.and_then(|bytes| Document::from_bytes(bytes.to_vec()).ok());
    document.unwrap_or_else(|| Document::parse(String::new()))
}

/// The slug of the section of a bullet that stands once in the text; empty above the first heading.
fn section_of(document: &Document, handle: Handle) -> Option<String> {
    let mut found = (0..document.bullets().len()).filter(|bullet| document.handles()[*bullet] == handle);
    let (Some(bullet), None) = (found.next(), found.next()) else { return None };
    Some(section_slug(document, document.bullets()[bullet].section as usize).unwrap_or_default())
}

/// How often a bullet stands in the sections with a slug; `None`: above the first heading.
fn count_in_section(document: &Document, handle: Handle, slug: Option<&str>) -> usize {
    let is_there = |bullet: &usize| {
        document.handles()[*bullet] == handle
            && section_slug(document, document.bullets()[*bullet].section as usize).as_deref() == slug
    };
    (0..document.bullets().len()).filter(is_there).count()
}

fn counts_of(version: Option<&FileVersion>) -> HandleCounts {
    document_counts(&document_of(version))
}

pub(super) fn document_counts(document: &Document) -> HandleCounts {
    handle_counts(document.handles().iter().copied())
}

fn handle_counts(handles: impl Iterator<Item = Handle>) -> HandleCounts {
    let mut counts = HandleCounts::new();
    handles.for_each(|handle| *counts.entry(handle).or_default() += 1);
    counts
}

pub(super) fn count(counts: &HandleCounts, handle: Handle) -> usize {
    counts.get(&handle).copied().unwrap_or(0)
}

/// What `more` has more often than `less`.
pub(super) fn difference(more: &HandleCounts, less: &HandleCounts) -> HandleCounts {
    let surplus = more.iter().map(|(handle, times)| (*handle, times.saturating_sub(count(less, *handle))));
    surplus.filter(|(_, times)| *times > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what one text has lost in another, against the counts of all their bullets.
    fn check(old: &str, new: &str, lost: &[(&str, usize)]) {
        let [old, new] = [old, new].map(|text| Document::parse(text.to_owned()));
        let lost: HandleCounts = lost.iter().map(|(text, times)| (Handle::of(text), *times)).collect();
        assert_eq!(lost_bullets(&old, &new), lost);
        assert_eq!(difference(&document_counts(&old), &document_counts(&new)), lost);
    }

    #[test]
    fn what_a_text_lost_is_found_wherever_it_stood() {
        check("", "- a\n", &[]);
        check("- a\n- b\n- c\n", "", &[("a", 1), ("b", 1), ("c", 1)]);
        check("- a\n- b\n- c\n", "- a\n- c\n", &[("b", 1)]);
        check("- a\n- b\n- c\n", "- a\n- x\n- c\n", &[("b", 1)]);
        check("- a\n- b\n- c\n- d\n", "- d\n- x\n- b\n- a\n", &[("c", 1)]);
    }

    #[test]
    fn of_equal_bullets_the_missing_ones_count() {
        check("- a\n- a\n- a\n", "- a\n", &[("a", 2)]);
        check("- a\n- b\n- a\n", "- b\n", &[("a", 2)]);
        check("- a\n- b\n", "- b\n- a\n- a\n", &[]);
    }

    #[test]
    fn another_spelling_of_a_text_is_no_loss() {
        check("- a  b\n- c\n", "- a b\n- c\n", &[]);
        check("- a\n- b\n", "# New\n\n* b\n\n## Other\n\n* a\n", &[]);
    }
}
