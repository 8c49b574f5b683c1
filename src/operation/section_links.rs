//! Finds what becomes of links to a section that moves to another file.
//!
//! Never changes a link that would lead to another text there: it is counted, and the caller is warned.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::code::{Code, Warning};
use crate::document::Document;
use crate::document::fragments::fragment_range;
use crate::document::links::{FileLink, find_links, refers_to};
use crate::path::MemoryPath;

use super::pending_edit::PendingEdit;
use super::planner::Planner;
use super::relocate::link_update;
use super::snapshot::PlanStep;
use super::validation;

/// How many files with dangling links a warning names.
const NAMED_FILES: usize = 3;

/// A section that moves to the end of another file.
pub struct MovedSection<'a> {
    pub from: &'a MemoryPath,
    pub document: &'a Document,
    /// The section in `document`.
    pub range: Range<usize>,
    pub to: &'a MemoryPath,
    /// The other file with the section in it.
    pub after: Document,
    /// Where the section starts in `after`.
    pub start: usize,
}

impl MovedSection<'_> {
    /// The edits that let links to the section follow it. Adds a warning about links that cannot.
    pub fn update_links(&self, planner: &mut Planner<'_>, n: usize) -> PlanStep<Vec<PendingEdit>> {
        let mut holders: BTreeSet<&MemoryPath> = planner.snapshot.backlinks(self.from)?.iter().collect();
        holders.insert(self.from);
        let (mut pending, mut dangling, mut files) = (Vec::new(), 0, BTreeSet::new());
        for holder in holders {
            let Some(file) = planner.snapshot.file(holder)? else { continue };
            let is_writable =
                validation::check_writable(holder, Some(&file.document), planner.context.allow_reserved).is_ok();
            let mut edits = Vec::new();
            for link in find_links(&file.document) {
                match self.fate(holder, &file.document, &link) {
                    LinkFate::Stays => {}
                    LinkFate::Follows if is_writable => {
                        edits.push(link_update(&file.document, &link, holder, self.from, self.to));
                    }
                    LinkFate::Follows | LinkFate::Dangles => {
                        dangling += 1;
                        files.insert(if self.moves_along(holder, &link) { self.to } else { holder });
                    }
                }
            }
            if !edits.is_empty() {
                pending.push(PendingEdit::UpdateLinks(holder.clone(), edits));
            }
        }
        if dangling > 0 {
            planner.warn(n, self.dangling_warning(dangling, &files));
        }
        Ok(pending)
    }

    fn fate(&self, holder: &MemoryPath, document: &Document, link: &FileLink) -> LinkFate {
        let (named, part) = (&document.text()[link.start..link.end], &document.text()[link.fragment.range()]);
        let is_own = holder == self.from && named.trim().is_empty();
        let is_to_file = is_own || refers_to(named, link.is_wiki, holder, self.from);
        let Some(target) = fragment_range(self.document, part).filter(|_| is_to_file) else { return LinkFate::Stays };
        let is_to_section = self.range.contains(&target.start);
        let follows = fragment_range(&self.after, part).is_some_and(|found| found.start >= self.start);
        match self.moves_along(holder, link) {
            // It moves along: without a name of a file it now leads into the other file.
            true if is_own == is_to_section && (follows || !is_own) => LinkFate::Stays,
            true => LinkFate::Dangles,
            false if !is_to_section => LinkFate::Stays,
            false if follows => LinkFate::Follows,
            false => LinkFate::Dangles,
        }
    }

    /// Whether a link is in the section itself.
    fn moves_along(&self, holder: &MemoryPath, link: &FileLink) -> bool {
        holder == self.from && self.range.contains(&link.start)
    }

    fn dangling_warning(&self, dangling: usize, files: &BTreeSet<&MemoryPath>) -> Warning {
        let mut names: Vec<String> = files.iter().take(NAMED_FILES).map(|path| path.to_string()).collect();
        if files.len() > NAMED_FILES {
            names.push(format!("{} more", files.len() - NAMED_FILES));
        }
        let links = if dangling == 1 { "1 link leads".to_owned() } else { format!("{dangling} links lead") };
        let message =
            format!("{links} nowhere after the move, in {}; `memdir check` lists dangling links", names.join(", "));
        Warning::new(Code::DanglingLink, message).detail("links", dangling)
    }
}

/// What a link does when the section moves.
enum LinkFate {
    Stays,
    Follows,
    Dangles,
}
