//! Finds what becomes of links to the parts of a file when a section of it gets another title or moves to another file.
//!
//! Never lets a link lead to another text than before: what cannot follow is counted, and the caller is warned.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::code::{Code, Warning};
use crate::document::fragments::fragment_range;
use crate::document::link_names::LinkNames;
use crate::document::links::{FileLink, find_links, own_part_links, reference_uses};
use crate::document::{Document, DocumentEdit, slug};
use crate::path::MemoryPath;
use crate::text::Splice;
use crate::text::counted_noun::counted_noun;

use super::pending_edit::PendingEdit;
use super::planner::Planner;
use super::reference_links::lost_uses;
use super::renamed_links::{link_name, names_after};
use super::snapshot::PlanStep;
use super::validation;

/// How many files with dangling links a warning names.
const NAMED_FILES: usize = 3;

/// A section that gets another title, moves to the end of another file, or both.
pub struct SectionChange<'a> {
    pub from: &'a MemoryPath,
    pub document: &'a Document,
    /// The edit of the title, in `document`.
    pub title: Option<&'a Splice>,
    /// The text of `from` afterwards.
    pub after: Document,
    pub moved: Option<MovedSection<'a>>,
    pub lines: LineBreaks,
}

/// Where the lines end in the text before, the text afterwards, and the text that a section moves to: found once, for
/// all links.
#[derive(Default)]
pub struct LineBreaks([OnceCell<Vec<usize>>; 3]);

const BEFORE: usize = 0;
const AFTER: usize = 1;
const OTHER: usize = 2;

/// A section that moves to the end of another file.
pub struct MovedSection<'a> {
    /// The section in the file that it leaves.
    pub range: Range<usize>,
    pub to: &'a MemoryPath,
    /// The other file with the section in it.
    pub after: Document,
    /// Where the section starts in `after`.
    pub start: usize,
}

/// What lets links follow.
#[derive(Default)]
pub struct LinkUpdates {
    /// The edits of links outside the section that moves.
    pub pending: Vec<PendingEdit>,
    /// The edits of links in the section that moves, in the text of the file that it leaves.
    pub inside: Vec<Splice>,
}

/// The names of all files before a change and afterwards.
struct NamesAround<'a> {
    before: LinkNames<'a>,
    after: LinkNames<'a>,
}

/// Where a part of the file is afterwards. Lines are counted because line endings may differ between the files.
struct NewPlace<'a> {
    path: &'a MemoryPath,
    document: &'a Document,
    /// Its text among [`LineBreaks`].
    text: usize,
    line: usize,
}

impl SectionChange<'_> {
    /// The edits that let links to parts of the file follow. Adds a warning about links that cannot.
    pub fn update_links(&self, planner: &mut Planner<'_>, n: usize) -> PlanStep<LinkUpdates> {
        let mut holders: BTreeSet<&MemoryPath> = planner.snapshot.backlinks(self.from)?.iter().collect();
        holders.insert(self.from);
        let to = self.moved.as_ref().map_or(self.from, |moved| moved.to);
        let names = NamesAround {
            before: LinkNames::new(planner.snapshot.file_names()?),
            after: names_after(planner.snapshot, to)?,
        };
        let (mut updates, mut dangling, mut files) = (LinkUpdates::default(), 0, BTreeSet::new());
        for holder in holders {
            let Some(file) = planner.snapshot.file(holder)? else { continue };
            let is_writable =
                validation::check_writable(holder, Some(&file.document), planner.context.allow_reserved).is_ok();
            let mut edits = Vec::new();
            for link in self.links_of(holder, &file.document) {
                let moved =
                    self.moved.as_ref().filter(|moved| holder == self.from && moved.range.contains(&link.start));
                let holders = [holder, moved.map_or(holder, |moved| moved.to)];
                match self.link_edits(&names, holders, &file.document, &link) {
                    Some(splices) if splices.is_empty() => {}
                    Some(splices) if moved.is_some() => updates.inside.extend(splices),
                    Some(splices) if is_writable => edits.extend(splices.into_iter().map(DocumentEdit::Raw)),
                    _ => {
                        dangling += 1;
                        files.insert(moved.map_or(holder, |moved| moved.to));
                    }
                }
            }
            if !edits.is_empty() {
                updates.pending.push(PendingEdit::UpdateLinks(holder.clone(), edits));
            }
        }
        if dangling > 0 {
            planner.warn(n, dangling_warning(dangling, &files));
        }
        if let Some(warning) = undefined_references_warning(&self.undefined_references()) {
            planner.warn(n, warning);
        }
        Ok(updates)
    }

    /// The links of a file that may lead to a part of `from`. A link in the title that changes is left as it is.
    fn links_of(&self, holder: &MemoryPath, document: &Document) -> Vec<FileLink> {
        let mut links = find_links(document);
        if holder == self.from {
            links.extend(own_part_links(document));
            let title = self.title.map(|title| title.start..title.end);
            links.retain(|link| title.as_ref().is_none_or(|title| !title.contains(&link.start)));
        }
        links
    }

    /// How many links by reference have their definition in another file afterwards, so that they lead nowhere or where
    /// the other file's definition says; by the file that has the link.
    fn undefined_references(&self) -> Vec<(&MemoryPath, usize)> {
        let Some(moved) = &self.moved else { return Vec::new() };
        let (inside, outside) = reference_uses(self.document).into_iter().partition(|(at, _)| moved.range.contains(at));
        let there = reference_uses(&moved.after).into_iter().filter(|(at, _)| *at >= moved.start).collect();
        vec![(moved.to, lost_uses(inside, there)), (self.from, lost_uses(outside, reference_uses(&self.after)))]
    }

    /// The edits of a link, given the file that it stands in before and afterwards; `None` if it cannot lead to its text
    /// any more.
    fn link_edits(
        &self,
        names: &NamesAround<'_>,
        [holder, holder_after]: [&MemoryPath; 2],
        document: &Document,
        link: &FileLink,
    ) -> Option<Vec<Splice>> {
        let (named, part) = (&document.text()[link.start..link.end], &document.text()[link.fragment.range()]);
        let is_own = holder == self.from && named.trim().is_empty();
        let is_to_file = is_own || names.before.leads_to(named, link.is_wiki, holder, self.from);
        let Some(target) = fragment_range(self.document, part).filter(|_| is_to_file) else { return Some(Vec::new()) };
        let place = self.new_place(target.start);
        let new_part = self.new_part(link, part, &place)?;
        let mut splices = Vec::new();
        let stays_own = is_own && place.path == holder_after;
        if !stays_own && (is_own || place.path != self.from) {
            let new = link_name(document, link, holder_after, self.from, place.path, &names.after);
            splices.push(Splice { start: link.start, end: link.end, new });
        }
        if new_part != part {
            splices.push(Splice {
                start: link.fragment.start as usize,
                end: link.fragment.end as usize,
                new: new_part,
            });
        }
        Some(splices)
    }

    /// Where the text that starts at a byte of `document` is afterwards.
    fn new_place(&self, at: usize) -> NewPlace<'_> {
        let line = self.line(BEFORE, at);
        let here = |line: usize| NewPlace { path: self.from, document: &self.after, text: AFTER, line };
        match &self.moved {
            Some(moved) if moved.range.contains(&at) => {
                let line = line - self.line(BEFORE, moved.range.start) + self.line(OTHER, moved.start);
                NewPlace { path: moved.to, document: &moved.after, text: OTHER, line }
            }
            Some(moved) if at >= moved.range.end => {
                here(line + self.line(BEFORE, moved.range.start) - self.line(BEFORE, moved.range.end))
            }
            _ => here(line),
        }
    }

    /// The number of line endings before a byte of a text.
    fn line(&self, text: usize, at: usize) -> usize {
        let breaks = self.lines.0[text].get_or_init(|| {
            let other = || self.moved.as_ref().map_or("", |moved| moved.after.text());
            let bytes = [self.document.text(), self.after.text(), other()][text].as_bytes();
            memchr::memchr_iter(b'\n', bytes).collect()
        });
        breaks.partition_point(|end| *end < at)
    }

    /// The fragment that leads to a place, in the form of the old one; `None` if there is none.
    fn new_part(&self, link: &FileLink, part: &str, place: &NewPlace<'_>) -> Option<String> {
        let leads_there = |part: &String| {
            fragment_range(place.document, part).is_some_and(|range| self.line(place.text, range.start) == place.line)
        };
        let kept = Some(part.to_owned()).filter(leads_there);
        if kept.is_some() || part.trim().starts_with('^') {
            return kept;
        }
        let sections = place.document.sections();
        let starts_there = |i: &usize| self.line(place.text, sections[*i].heading.start as usize) == place.line;
        let at = (1..sections.len()).find(starts_there)?;
        let is_plain =
            |title: &String| link.is_wiki && !title.contains(['#', '^', '|', '[', ']', '/', '\\', '%', '`', '*']);
        let title = |at: usize| Some(place.document.section_title(at).into_owned()).filter(is_plain);
        let parent = (sections[at].parent as usize, title(at));
        let below_parent = match parent {
            (above @ 1.., Some(name)) => title(above).map(|above| format!("{above}#{name}")),
            _ => None,
        };
        let as_slug = Some(sections[at].slug.clone());
        let in_path = self.part_with_new_title(part).filter(|part| link.is_wiki || !part.contains(' '));
        let candidates = if part.trim() == slug(part) {
            [in_path, as_slug, title(at), None]
        } else {
            [in_path, title(at), below_parent, as_slug]
        };
        candidates.into_iter().flatten().find(leads_there)
    }

    /// A path of headings, `Work#Contacts`, with the new title of the section that is in it.
    fn part_with_new_title(&self, part: &str) -> Option<String> {
        let title = self.title?;
        let (old, new) = (slug(&self.document.text()[title.start..title.end]), &title.new);
        let step = |step: &str| match slug(step.trim()) == old {
            true if step == old => slug(new),
            true => new.clone(),
            false => step.to_owned(),
        };
        let steps = part.split_inclusive(['#', '/']).map(|written| {
            let name = written.trim_end_matches(['#', '/']);
            format!("{}{}", step(name), &written[name.len()..])
        });
        (part.contains(['#', '/']) && !new.contains(['#', '^', '|', '[', ']', '/', '\\'])).then(|| steps.collect())
    }
}

/// The warning that some links lead nowhere after a change; `files`: those that contain them.
pub fn dangling_warning(dangling: usize, files: &BTreeSet<&MemoryPath>) -> Warning {
    let links = if dangling == 1 { "1 link leads".to_owned() } else { format!("{dangling} links lead") };
    let message =
        format!("{links} nowhere after the change, in {}; `memdir check` lists dangling links", named_files(files));
    Warning::new(Code::DanglingLink, message).detail("links", dangling)
}

/// The warning about links by reference whose definition stays in another file; `None` if there are none. `lost`: the
/// files that have such links, with their number.
pub fn undefined_references_warning(lost: &[(&MemoryPath, usize)]) -> Option<Warning> {
    let files: BTreeSet<&MemoryPath> = lost.iter().filter(|(_, links)| *links > 0).map(|(path, _)| *path).collect();
    let count: usize = lost.iter().map(|(_, links)| links).sum();
    let message = format!(
        "{} of the form [text][label] lost the definition, in {}: copy it from the other file",
        counted_noun(count, "link"),
        named_files(&files)
    );
    (count > 0).then(|| Warning::new(Code::DanglingLink, message).detail("links", count))
}

/// The paths of some files on one line, of more than three the first three and how many more.
fn named_files(files: &BTreeSet<&MemoryPath>) -> String {
    let mut names: Vec<String> = files.iter().take(NAMED_FILES).map(|path| path.to_string()).collect();
    if files.len() > NAMED_FILES {
        names.push(format!("{} more", files.len() - NAMED_FILES));
    }
    names.join(", ")
}
