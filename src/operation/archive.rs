//! Moves items to `archive/`: under the headings of their file, with a metadata line that says when, from where, and
//! when they are purged, so that a clone without our journal can put them back.
//!
//! Never decides what is archived, and never puts an item below a heading that is itself archived: each goes by its own
//! dates.

use std::collections::HashMap;

use crate::change::{Changeset, FileChange};
use crate::code::{Code, Rejection};
use crate::document::{
    BulletMeta, Document, DocumentEdit, InsertPosition, LocatedBullet, MetaKey, MetaLine, NewBullet, apply_edits,
    categories_around, front_matter_tags, is_title_section, section_range, section_titles, tags_block, to_moved_bullet,
};
use crate::path::MemoryPath;
use crate::text::{Splice, splice};

use super::file_change::{file_change, minimal_splice};
use super::hidden_items;
use super::pending_edit::{EffectKind, PendingEdit};
use super::planner::{Planner, initial_text};
use super::snapshot::{LoadedFile, PlanStep, PlanStop};
use super::whole_file;

/// The level of a paragraph that acts as the heading of a list.
const LABEL_LEVEL: u8 = 7;

/// An item that leaves its file, and the archive file that it is moved to.
#[derive(Debug)]
pub struct ArchivedItem {
    to: MemoryPath,
    /// The text of the archive file if there is none yet.
    new_file: String,
    /// The titles of the sections around it, outermost first.
    titles: Vec<String>,
    /// The categories around it that hide it from some agents.
    hidden: Vec<String>,
    content: ArchivedContent,
}

#[derive(Debug)]
enum ArchivedContent {
    Bullet(NewBullet),
    /// The lines of a section with its heading.
    Section(String),
}

/// The copy of a removed item below `archive/`.
#[derive(Clone, Copy)]
pub struct ArchiveCopy<'a> {
    /// The first day on which `prune` removes it, `YYYY-MM-DD`; `None`: it stays.
    pub purge_on: Option<&'a str>,
}

impl ArchivedItem {
    /// A bullet of a file with its own metadata, which may not be what its line says. `purge` is the first day on which
    /// `prune` removes it for good.
    pub fn bullet(
        planner: &Planner<'_>,
        bullet: LocatedBullet<'_>,
        meta: Option<BulletMeta>,
        purge: Option<&str>,
    ) -> Result<ArchivedItem, Rejection> {
        let LocatedBullet { path, document, index: bullet } = bullet;
        let section = document.bullets()[bullet].section as usize;
        let mut item = to_moved_bullet(document, bullet);
        let mut meta = meta.unwrap_or_default();
        set_archive_keys(&mut meta, &planner.today(), purge, Some(&section_reference(document, section)));
        if let Some(number) = document.list_number(bullet).filter(|_| document.bullets()[bullet].depth == 0) {
            meta.set(MetaKey::Nr.name(), &number.to_string());
        }
        item.meta = Some(meta);
        let (text, hidden) =
            hidden_items::with_category_of_parents(planner.context.policy, document, bullet, item.text);
        item.text = text;
        let mut archived = ArchivedItem::new(planner, path, document, section, ArchivedContent::Bullet(item))?;
        archived.hidden.extend(hidden);
        Ok(archived)
    }

    /// A section of a file, with its heading.
    pub fn section(
        planner: &Planner<'_>,
        path: &MemoryPath,
        document: &Document,
        section: usize,
        purge: Option<&str>,
    ) -> Result<ArchivedItem, Rejection> {
        let parent = document.sections()[section].parent as usize;
        let range = section_range(document, section);
        let mut block = document.text()[range.clone()].to_owned();
        let mut meta =
            section_meta_line(document, section).and_then(|line| meta_of(document, line)).unwrap_or_default();
        if let Some(line) = section_meta_line(document, section).filter(|line| line.line.start as usize >= range.start)
        {
            block.replace_range(line.line.start as usize - range.start..line.line.end as usize - range.start, "");
        }
        set_archive_keys(&mut meta, &planner.today(), purge, Some(&section_reference(document, parent)));
        let heading = &document.sections()[section];
        let (at, eol) = (heading.heading.end as usize - range.start, document.eol().as_str());
        let comment = meta.to_comment();
        match heading.level {
            LABEL_LEVEL => block.insert_str(0, &format!("{comment}{eol}")),
            _ if block[..at].ends_with('\n') => block.insert_str(at, &format!("{comment}{eol}")),
            _ => block.insert_str(at, &format!("{eol}{comment}")),
        }
        ArchivedItem::new(planner, path, document, parent, ArchivedContent::Section(block))
    }

    fn new(
        planner: &Planner<'_>,
        path: &MemoryPath,
        document: &Document,
        section: usize,
        content: ArchivedContent,
    ) -> Result<ArchivedItem, Rejection> {
        Ok(ArchivedItem {
            to: path.in_archive()?,
            new_file: new_archive_text(path, document),
            titles: section_titles(document, section),
            hidden: hidden_items::hidden_categories(planner.context.policy, categories_around(document, section)),
            content,
        })
    }
}

/// Writes when an item was archived, when it is purged and from where it is; `None` removes a value.
pub fn set_archive_keys(meta: &mut BulletMeta, archived: &str, purge: Option<&str>, from: Option<&str>) {
    meta.set(MetaKey::Archived.name(), archived);
    meta.set(MetaKey::Purge.name(), purge.unwrap_or_default());
    meta.set(MetaKey::From.name(), from.unwrap_or_default());
}

/// Removes what [`set_archive_keys`] wrote, and the number in a list.
pub fn clear_archive_keys(meta: &mut BulletMeta) {
    set_archive_keys(meta, "", None, None);
    meta.set(MetaKey::Nr.name(), "");
}

/// A section as the key `from` names it: `#slug`, or `#` for what is above all headings or directly below the title.
fn section_reference(document: &Document, section: usize) -> String {
    let slug = if is_title_section(document, section) { "" } else { document.sections()[section].slug.as_str() };
    format!("#{slug}")
}

/// The metadata line of a section or, for section 0, of the file: directly below the heading (the title, or without one
/// the start of the text); directly above the paragraph that acts as a list's heading, because nothing may stand
/// between the two.
pub fn section_meta_line(document: &Document, section: usize) -> Option<&MetaLine> {
    let title =
        || document.sections().iter().find(|s| s.level == 1).map_or(document.body_start() as u32, |s| s.heading.end);
    let heading = &document.sections()[section];
    let is_own = |line: &&MetaLine| match (section, heading.level) {
        (0, _) => line.line.start == title(),
        (_, LABEL_LEVEL) => line.line.end == heading.heading.start,
        _ => line.line.start == heading.heading.end,
    };
    document.meta_lines().iter().filter(|line| line.bullet.is_none()).find(is_own)
}

/// The metadata of a section or, for section 0, of the file.
pub fn section_meta(document: &Document, section: usize) -> Option<BulletMeta> {
    meta_of(document, section_meta_line(document, section)?)
}

fn meta_of(document: &Document, line: &MetaLine) -> Option<BulletMeta> {
    BulletMeta::parse(&document.text()[line.line.range()])
}

/// Whether a section was archived as a whole.
pub fn is_archived_section(document: &Document, section: usize) -> bool {
    section_meta(document, section).is_some_and(|meta| meta.raw(MetaKey::Archived.name()).is_some())
}

/// The text of an archive file without items: the tags and the title of the file that they are from. The tags stay with
/// them because allowlists go by tags.
fn new_archive_text(path: &MemoryPath, document: &Document) -> String {
    let front = match front_matter_tags(document) {
        None => document.front_matter().map_or(String::new(), |front| document.text()[front.range()].to_owned()),
        Some(tags) if tags.is_empty() => String::new(),
        Some(tags) => tags_block(&tags, "\n"),
    };
    let title = document.sections().iter().find(|s| s.level == 1).map(|s| &document.text()[s.heading.range()]);
    let title = title.map_or_else(|| initial_text(path), |heading| format!("{}\n", heading.trim_end()));
    format!("{front}{title}")
}

/// Adds items to their archive files, which may already be in the changeset.
///
/// # Errors
/// `would_break_structure` where an item would be read differently in its archive file.
pub fn archive_items(planner: &mut Planner<'_>, changeset: &mut Changeset, items: Vec<ArchivedItem>) -> PlanStep<()> {
    let mut by_file: Vec<(MemoryPath, Vec<ArchivedItem>)> = Vec::new();
    let mut numbers: HashMap<MemoryPath, usize> = HashMap::new();
    for item in items {
        let number = *numbers.entry(item.to.clone()).or_insert_with(|| {
            by_file.push((item.to.clone(), Vec::new()));
            by_file.len() - 1
        });
        by_file[number].1.push(item);
    }
    // All missing files are asked for at once: each further round plans everything again.
    for (to, _) in &by_file {
        match planner.snapshot.file(to) {
            Err(PlanStop::NeedsInput(missing)) => planner.missing_inputs.push(missing),
            found => drop(found?),
        }
    }
    if !planner.missing_inputs.is_empty() {
        return Ok(());
    }
    let of_path = |(i, file): (usize, &FileChange)| (file.path.clone(), i);
    let changed: HashMap<MemoryPath, usize> = changeset.files.iter().enumerate().map(of_path).collect();
    for (to, items) in by_file {
        let present = planner.snapshot.file(&to)?;
        let is_target = |i: &usize| changeset.files[*i].after.is_some() || changeset.files[*i].moved.is_none();
        let planned = changed.get(&to).copied().filter(is_target);
        let planned_text = planned.and_then(|i| changeset.files[i].after.as_ref());
        let text = match (planned, present) {
            // Its last item was purged: it begins anew.
            (Some(_), _) if planned_text.is_none() => items[0].new_file.clone(),
            (Some(_), _) => planned_text.and_then(|b| String::from_utf8(b.to_vec()).ok()).unwrap_or_default(),
            (None, Some(file)) => file.document.text().to_owned(),
            (None, None) => items[0].new_file.clone(),
        };
        let broken = |reason: String| Rejection::new(Code::WouldBreakStructure, format!("in {to}: {reason}"));
        let target = Document::parse(text);
        // Allowlists go by tags, and a present file may lack those of the items.
        let mut missing = Vec::new();
        for item in &items {
            missing.extend(hidden_items::missing_categories(&item.hidden, (&to, &target), &item.titles));
        }
        let missing = hidden_items::hidden_categories(planner.context.policy, missing);
        let is_tagged = !missing.is_empty();
        let target = if is_tagged { Document::parse(hidden_items::with_tags(&target, &missing)) } else { target };
        let (document, edits) = with_items(target, items).map_err(broken)?;
        let edits = edits.filter(|_| !is_tagged);
        let whole = |file: &LoadedFile| vec![minimal_splice(file.document.text(), document.text())];
        let edits = match planned {
            None => edits.filter(|_| present.is_some()).or_else(|| present.map(whole)),
            Some(_) => present.map(whole),
        };
        match planned {
            Some(i) if changeset.files[i].moved.is_some() => {
                changeset.files[i].after = Some(std::sync::Arc::new(document.into_text().into_bytes()));
            }
            Some(i) => changeset.files[i] = file_change(&to, present, Some(document), edits, None),
            None => changeset.files.push(file_change(&to, present, Some(document), edits, None)),
        }
    }
    Ok(())
}

/// An archive file with more items, and the replacements that made it, where they are known.
fn with_items(mut document: Document, items: Vec<ArchivedItem>) -> Result<(Document, Option<Vec<Splice>>), String> {
    let refused = |all: Vec<crate::document::EditRefusal>| all[0].reason.clone();
    let mut has_new_sections = false;
    for item in &items {
        for depth in 1..=item.titles.len() {
            let known = mirrored_sections(&document);
            if known.contains_key(&item.titles[..depth]) {
                continue;
            }
            let under = known.get(&item.titles[..depth - 1]).copied().unwrap_or(0);
            let at = InsertPosition::NewSection { under, titles: vec![item.titles[depth - 1].clone()] };
            let edit = DocumentEdit::Insert { at, items: Vec::new() };
            document = apply_edits(&document, &[edit]).map_err(refused)?.document;
            has_new_sections = true;
        }
    }
    let known = mirrored_sections(&document);
    let mut bullets: Vec<(usize, Vec<NewBullet>)> = Vec::new();
    let mut blocks: Vec<(usize, String)> = Vec::new();
    for item in items {
        let section = known.get(&item.titles[..]).copied().unwrap_or(0);
        match item.content {
            ArchivedContent::Bullet(bullet) => match bullets.iter_mut().find(|(at, _)| *at == section) {
                Some((_, all)) => all.push(bullet),
                None => bullets.push((section, vec![bullet])),
            },
            ArchivedContent::Section(block) => match blocks.iter_mut().find(|(at, _)| *at == section) {
                Some((_, all)) => *all = format!("{}\n\n{block}", all.trim_end()),
                None => blocks.push((section, block)),
            },
        }
    }
    let mut edits: Vec<DocumentEdit> = bullets
        .into_iter()
        .map(|(section, items)| DocumentEdit::Insert { at: InsertPosition::EndOfSection(section), items })
        .collect();
    for (section, block) in blocks {
        edits.push(DocumentEdit::Raw(block_splice(&document, section, &block)?));
    }
    let edited = apply_edits(&document, &edits).map_err(refused)?;
    Ok((edited.document, (!has_new_sections).then_some(edited.splices)))
}

/// The sections that only repeat the headings of the file that the items are from, by their titles.
fn mirrored_sections(document: &Document) -> HashMap<Vec<String>, usize> {
    let mut all = HashMap::new();
    // For each section its titles, or none if it or one around it was archived as a whole.
    let mut titles: Vec<Option<Vec<String>>> = vec![Some(Vec::new())];
    for (i, section) in document.sections().iter().enumerate().skip(1) {
        let around =
            titles[section.parent as usize].clone().filter(|_| !is_archived_section(document, i) || section.level == 1);
        let own = around.map(|mut around| {
            if section.level > 1 {
                around.push(document.section_title(i).into_owned());
            }
            around
        });
        if let Some(own) = own.as_ref().filter(|_| section.level > 1) {
            all.entry(own.clone()).or_insert(i);
        }
        titles.push(own);
    }
    all
}

/// The splice that puts a block at the end of a section, for section 0 of the file.
///
/// # Errors
/// A message, if the text before it would change the block's structure.
pub fn block_splice(document: &Document, section: usize, block: &str) -> Result<Splice, String> {
    let text = document.text();
    let end = section_range(document, section).end;
    if end == text.len() {
        return whole_file::append_splice(document, block);
    }
    let eol = document.eol().as_str();
    let gap = if text[..end].ends_with(&eol.repeat(2)) { "" } else { eol };
    let new = format!("{gap}{}{eol}{eol}", block.trim_end().replace("\r\n", "\n").replace('\n', eol));
    require_same_blocks(document, Splice { start: end, end, new }, block)
}

/// The insertion of a block, if it and the text around it keep their structure.
///
/// # Errors
/// A message, if they do not.
pub fn require_same_blocks(document: &Document, insertion: Splice, block: &str) -> Result<Splice, String> {
    let parsed = splice(document.text(), std::slice::from_ref(&insertion))
        .map(Document::parse)
        .map_err(|_| "out of bounds".to_owned())?;
    let alone = Document::parse(block);
    let same = parsed.bullets().len() == document.bullets().len() + alone.bullets().len()
        && parsed.blocks().len() == document.blocks().len() + alone.blocks().len();
    if same { Ok(insertion) } else { Err("the text around it would change its structure".to_owned()) }
}

/// The cuts that remove the headings of an archive file below which nothing is left; `None` if nothing is left at all.
pub fn empty_section_cuts(document: &Document) -> Option<Vec<Splice>> {
    let is_content = |block: &crate::document::DocumentBlock| {
        let start = block.span.start;
        let is_title = |s: &crate::document::Section| s.heading.start == start && s.level != 0;
        !matches!(block.kind, crate::document::BlockKind::Heading(_)) && !document.sections().iter().any(is_title)
    };
    let content: Vec<u32> = document.blocks().iter().filter(|b| is_content(b)).map(|b| b.span.start).collect();
    let holds = |range: std::ops::Range<usize>| {
        content
            .get(content.partition_point(|at| (*at as usize) < range.start))
            .is_some_and(|at| (*at as usize) < range.end)
    };
    if content.is_empty() {
        return None;
    }
    let mut cuts: Vec<Splice> = Vec::new();
    for section in (1..document.sections().len()).filter(|&i| document.sections()[i].level > 1) {
        let range = section_range(document, section);
        if !holds(range.clone()) && cuts.last().is_none_or(|last| last.end <= range.start) {
            cuts.push(whole_file::removal_splice(document, range));
        }
    }
    Some(cuts)
}

/// The edits that move a whole file to `archive/`. If there is a file of that name already, it gets a number, and its
/// metadata line names the old path.
pub fn archive_file(
    planner: &Planner<'_>,
    path: &MemoryPath,
    document: &Document,
    purge: Option<&str>,
) -> PlanStep<Vec<PendingEdit>> {
    let mut to = path.in_archive()?;
    let mut from = None;
    let stem = to.as_str().strip_suffix(".md").unwrap_or(to.as_str()).to_owned();
    let mut number = 1;
    while planner.snapshot.exists(&to)? {
        number += 1;
        to = MemoryPath::new(&format!("{stem}-{number}.md"))?;
        from = Some(path.as_str());
    }
    let old = section_meta_line(document, 0);
    let mut meta = old.and_then(|line| meta_of(document, line)).unwrap_or_default();
    set_archive_keys(&mut meta, &planner.today(), purge, from);
    let eol = document.eol().as_str();
    let at =
        document.sections().iter().find(|s| s.level == 1).map_or(document.body_start(), |s| s.heading.end as usize);
    let range = old.map_or(at..at, |line| line.line.range());
    let gap = if at == 0 || document.text()[..at].ends_with('\n') { "" } else { eol };
    let line = Splice { start: range.start, end: range.end, new: format!("{gap}{}{eol}", meta.to_comment()) };
    Ok(vec![
        PendingEdit::MoveFile(path.clone(), to),
        PendingEdit::Edit(path.clone(), DocumentEdit::Raw(line), EffectKind::NoEffect),
    ])
}
