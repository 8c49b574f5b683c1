//! Warns of links that a change lets dangle: those to a heading or file that a text edit or a removal takes away.
//!
//! Never refuses a change, and scans the directory only if a heading or file disappears. Where a section or file moves
//! or is renamed, the planner lets the links follow (`operation/section_links.rs`).

use std::collections::{BTreeSet, HashSet};

use super::Session;
use super::check::links::has_fragment;
use crate::change::{Changeset, FileChange};
use crate::code::Warning;
use crate::document::fragments::fragment_range;
use crate::document::link_names::LinkNames;
use crate::document::links::{FileLink, find_links, link_candidates, may_refer_to, own_part_links};
use crate::document::{Document, MAX_FILE_BYTES};
use crate::operation::section_links::dangling_warning;
use crate::operation::{Action, Operation, Snapshot};
use crate::path::MemoryPath;
use crate::view::links::target_and_fragment;

/// A file that loses headings, or is removed.
struct ReducedFile<'a> {
    path: &'a MemoryPath,
    before: &'a Document,
    /// `None`: the file is removed.
    after: Option<Document>,
}

/// The warning about links that lead nowhere after a planned change and led somewhere before; `None` if there are none.
/// A file that cannot be read is taken for one without links.
pub(super) fn find_dangling_links(
    session: &Session,
    operations: &[Operation],
    changeset: &Changeset,
    snapshot: &Snapshot,
) -> Option<Warning> {
    if !operations.iter().any(|operation| may_remove_headings(&operation.action)) {
        return None;
    }
    let reduced: Vec<ReducedFile<'_>> =
        changeset.files.iter().filter_map(|change| reduced_file(change, snapshot)).collect();
    if reduced.is_empty() {
        return None;
    }
    let found = session.store.walk(None).ok()?;
    let changes = |path: &MemoryPath| changeset.files.iter().find(|change| change.path == *path);
    let is_there = |path: &&MemoryPath| changes(path).is_none_or(|change| change.after.is_some());
    let written = changeset.files.iter().filter(|change| change.after.is_some()).map(|change| &change.path);
    let names_before = LinkNames::new(found.iter().map(|file| &file.path));
    let paths_after: BTreeSet<&MemoryPath> =
        found.iter().map(|file| &file.path).filter(is_there).chain(written).collect();
    let lost = LostTargets { reduced, names_before, names_after: LinkNames::new(paths_after) };
    let unchanged: Vec<_> =
        found.iter().filter(|file| !file.path.is_set_aside() && changes(&file.path).is_none()).cloned().collect();
    let counts = session.store.map_files(&unchanged, MAX_FILE_BYTES, &|file, read| {
        let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok());
        text.map_or(0, |text| lost.count_links(&file.path, text))
    });
    let mut holders: Vec<(&MemoryPath, usize)> = unchanged.iter().map(|file| &file.path).zip(counts).collect();
    for change in changeset.files.iter().filter(|change| !change.path.is_set_aside()) {
        let text = change.after.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        holders.extend(text.map(|text| (&change.path, lost.count_links(&change.path, text))));
    }
    holders.retain(|(_, links)| *links > 0);
    let files: BTreeSet<&MemoryPath> = holders.iter().map(|(path, _)| *path).collect();
    (!files.is_empty()).then(|| dangling_warning(holders.iter().map(|(_, links)| links).sum(), &files))
}

/// Whether an operation may take a heading away without an answer to its links. What a rule archives is none of the
/// operations that a caller names: it is frequent, and no reason to scan a directory each time.
fn may_remove_headings(action: &Action) -> bool {
    match action {
        Action::Write { .. } | Action::Patch { .. } => true,
        Action::Remove { index, text, .. } => index.is_none() && text.is_none(),
        Action::Add { .. }
        | Action::Update { .. }
        | Action::Move { .. }
        | Action::Restore { .. }
        | Action::Set { .. }
        | Action::Append { .. }
        | Action::Nothing { .. } => false,
    }
}

fn reduced_file<'a>(change: &'a FileChange, snapshot: &'a Snapshot) -> Option<ReducedFile<'a>> {
    // Links follow a moved file, but not to the archive.
    let is_moved = change.moved.as_ref().is_some_and(|to| !to.is_set_aside());
    if is_moved || change.path.is_set_aside() {
        return None;
    }
    let before = &snapshot.file(&change.path).ok().flatten()?.document;
    let after = match &change.after {
        Some(bytes) => Some(Document::parse(std::str::from_utf8(bytes).ok()?)),
        None => None,
    };
    let is_reduced = after.as_ref().is_none_or(|after| {
        let left: HashSet<_> = heading_names(after).collect();
        heading_names(before).any(|name| !left.contains(&name))
    });
    is_reduced.then_some(ReducedFile { path: &change.path, before, after })
}

/// What links may name headings by: slug, id, and the slug of the heading above.
fn heading_names(document: &Document) -> impl Iterator<Item = (&str, Option<&str>, &str)> {
    let sections = document.sections();
    let slug_of = |section: usize| sections[section].slug.as_str();
    sections
        .iter()
        .skip(1)
        .map(move |section| (section.slug.as_str(), section.id.as_deref(), slug_of(section.parent as usize)))
}

struct LostTargets<'a> {
    reduced: Vec<ReducedFile<'a>>,
    names_before: LinkNames<'a>,
    names_after: LinkNames<'a>,
}

impl LostTargets<'_> {
    /// How many links in the text of a file, as it is after the change, led somewhere before it and lead nowhere now.
    fn count_links(&self, holder: &MemoryPath, text: &str) -> usize {
        let own = self.reduced.iter().find(|file| file.path == holder);
        let may_dangle = |link: &FileLink| {
            let named = &text[link.start..link.end];
            self.reduced.iter().any(|file| may_refer_to(named, link.is_wiki, holder, file.path))
        };
        // A cheap scan first, so that only files with a candidate are parsed.
        if own.is_none() && !link_candidates(text).iter().any(may_dangle) {
            return 0;
        }
        let document = Document::parse(text);
        let links = find_links(&document).into_iter().chain(own_part_links(&document));
        links.filter(|link| self.dangles(holder, &document, link)).count()
    }

    fn dangles(&self, holder: &MemoryPath, document: &Document, link: &FileLink) -> bool {
        let (target, part) = target_and_fragment(document, link);
        let path = if target.trim().is_empty() {
            Some(holder)
        } else {
            self.names_before.resolve(target, link.is_wiki, holder).map(|file| self.names_before.path(file))
        };
        let Some(file) = path.and_then(|path| self.reduced.iter().find(|file| file.path == path)) else { return false };
        let part = part.trim();
        if !part.is_empty() && fragment_range(file.before, part).is_none() {
            return false;
        }
        match &file.after {
            Some(after) => !part.is_empty() && !has_fragment(after, part, link.is_wiki),
            None => self.names_after.resolve(target, link.is_wiki, holder).is_none(),
        }
    }
}
