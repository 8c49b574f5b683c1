//! Plans `mv`: moves bullets, sections and files.
//!
//! Never updates the links to a moved file: that needs all moves of the batch.

use crate::change::{Changeset, Effect, EffectSign, FileChange};
use crate::code::{Code, Rejection};
use crate::document::{
    Document, DocumentEdit, InsertPosition, LocatedBullet, NewBullet, section_range, to_moved_bullet,
};
use crate::path::{Address, AddressReading, MemoryPath, no_such_name};
use crate::text::{Splice, splice};

use super::bullet_links::LinkedBullets;
use super::bullets::{BulletPick, SelectorArgs, pick_bullet};
use super::inert_metadata::own_metadata;
use super::locate::{self, ResolvedTarget, SectionRef, new_section_title};
use super::pending_edit::{EffectKind, PendingEdit};
use super::planner::{IndexedOperation, Planner};
use super::reference_links::lost_by_bullet;
use super::relative_links::{rebased_bullet, rebased_links};
use super::section_links::{LineBreaks, MovedSection, SectionChange, undefined_references_warning};
use super::snapshot::{LoadedFile, PlanStep};
use super::{Target, adopted, effects, rejections, validation, whole_file};

/// Moves the bullet, section or file that the address names.
pub fn relocate(
    planner: &mut Planner<'_>,
    request: IndexedOperation<'_>,
    to: &str,
    create: bool,
) -> PlanStep<Vec<PendingEdit>> {
    let resolved = planner.resolve(request.at)?;
    planner.check_if_match(request, &resolved);
    let bullet = match resolved.bullet {
        Some(_) => {
            let (BulletPick::Change(bullet) | BulletPick::Unchanged(bullet)) =
                pick_bullet(planner, request, &resolved, SelectorArgs::default(), None)?;
            Some(bullet)
        }
        None => None,
    };
    let file = planner.existing_writable_file(&resolved)?;
    let item = ItemMove { request, from: &resolved.path, file, to, create };
    match (bullet, &resolved.section) {
        (Some(bullet), _) => item.move_bullet(planner, bullet),
        (None, SectionRef::File) => move_file(planner, request.index, &resolved.path, to, create),
        (None, SectionRef::At(section)) => item.move_section(planner, *section),
        (None, SectionRef::Missing(name)) => Err(rejections::section_not_found(file, &resolved.path, name).into()),
    }
}

/// A bullet or section that moves out of its place.
struct ItemMove<'a> {
    request: IndexedOperation<'a>,
    from: &'a MemoryPath,
    /// The text of `from`.
    file: &'a LoadedFile,
    /// The destination, as the caller wrote it.
    to: &'a str,
    create: bool,
}

impl ItemMove<'_> {
    /// Resolves the destination of the item, which `what` names in the error.
    fn destination<'p>(&self, planner: &Planner<'p>, what: &str) -> PlanStep<ResolvedTarget<'p>> {
        let dest = locate::resolve_address(self.to, planner.snapshot, planner.context.prefixes)?;
        match dest.bullet {
            None => Ok(dest),
            Some(_) => {
                Err(Rejection::new(Code::Usage, format!("a {what} can only be moved to a file or section")).into())
            }
        }
    }

    fn move_bullet(&self, planner: &mut Planner<'_>, bullet: usize) -> PlanStep<Vec<PendingEdit>> {
        let ItemMove { request, from, file, create, .. } = *self;
        let source = LocatedBullet { path: from, document: &file.document, index: bullet };
        let dest = self.destination(planner, "bullet")?;
        let base = planner.destination_base(request, &dest.path, create)?;
        let document = base.document();
        let item = NewBullet {
            meta: own_metadata(source, planner.snapshot)?,
            ..rebased_bullet(to_moved_bullet(&file.document, bullet), from, &dest.path)
        };
        let is_numbered = file.document.list_number(bullet).is_some();
        let (position, within) = match &dest.section {
            SectionRef::File => (end_of_list(document, 0, is_numbered), Some(0)),
            SectionRef::At(at) => (end_of_list(document, *at, is_numbered), Some(*at)),
            SectionRef::Missing(name) => {
                let (under, titles) = locate::new_section_place(document, name, &dest.path)?;
                (InsertPosition::NewSection { under, titles }, None)
            }
        };
        let same_file = dest.path == *from;
        let is_nested = file.document.bullets()[bullet].depth > 0;
        if same_file && !is_nested && within.is_some_and(|within| locate::is_directly_in(document, bullet, within)) {
            return Ok(vec![PendingEdit::Unchanged(effects::bullet_effect(
                source,
                EffectSign::Unchanged,
                request.index,
            ))]);
        }
        if let Some(existing) = within.and_then(|within| locate::bullet_with_text(document, &item.paragraph(), within))
        {
            return Err(rejections::duplicate_bullet(
                LocatedBullet { path: &dest.path, document, index: existing },
                existing,
            )
            .into());
        }
        let destination = match (&dest.section, document) {
            (SectionRef::At(at), d) => format!("{}#{}", dest.path, d.sections()[*at].slug),
            (SectionRef::Missing(name), _) => {
                format!("{}#{}", dest.path, crate::document::slug(name.rsplit('/').next().unwrap_or(name)))
            }
            _ => dest.path.to_string(),
        };
        if !same_file {
            let (moved, stayed) = lost_by_bullet(&file.document, bullet, document);
            if let Some(warning) = undefined_references_warning(&[(&dest.path, moved), (from, stayed)]) {
                planner.warn(request.index, warning);
            }
        }
        let linked = LinkedBullets::of_bullet(source);
        let mut pending = vec![
            PendingEdit::Edit(
                from.clone(),
                DocumentEdit::Remove { bullet },
                EffectKind::MovedAway(bullet, destination),
            ),
            PendingEdit::Edit(
                dest.path.clone(),
                DocumentEdit::Insert { at: position, items: vec![item] },
                EffectKind::NoEffect,
            ),
        ];
        pending.extend(linked.follow_to(planner, &dest.path)?);
        Ok(pending)
    }

    /// The move of a section within its file: it gets a new title.
    fn rename_section(&self, planner: &mut Planner<'_>, section: usize, to: &SectionRef) -> PlanStep<Vec<PendingEdit>> {
        let ItemMove { request, from, file, .. } = *self;
        let SectionRef::Missing(name) = to else {
            return Err(Rejection::new(Code::Exists, "the section is already in that file")
                .hint("to rename it, use a title that no other section has")
                .into());
        };
        let old = &file.document.sections()[section];
        require_parent(&file.document, name, old.parent as usize, from)?;
        let at = Target::Address(format!("{from}#{}", old.slug));
        super::set_values::set(
            planner,
            IndexedOperation { at: &at, ..request },
            &[("title".into(), new_section_title(name))],
        )
    }

    /// The replacement of a section's title, if the destination names a new one. Errors if the destination has a section
    /// of that title.
    fn title_at(
        &self,
        section: usize,
        dest: &ResolvedTarget<'_>,
        document: &Document,
    ) -> Result<(String, Option<Splice>), Rejection> {
        let exists = |what| Err(Rejection::new(Code::Exists, format!("{} already has {what}", dest.path)));
        let old = &self.file.document;
        let (title, splice) = match &dest.section {
            SectionRef::At(_) => return exists("that section"),
            SectionRef::Missing(name) => {
                require_parent(document, name, 0, &dest.path)?;
                let span = old.sections()[section].title;
                let new = new_section_title(name);
                (new.clone(), Some(Splice { start: span.start as usize, end: span.end as usize, new }))
            }
            SectionRef::File => (old.section_title(section).into_owned(), None),
        };
        if !becomes_file(&dest.section, dest.file.is_none(), &title, document)
            && (1..document.sections().len()).any(|i| document.section_title(i) == title)
        {
            exists("a section with that title")
        } else {
            Ok((title, splice))
        }
    }

    fn move_section(&self, planner: &mut Planner<'_>, section: usize) -> PlanStep<Vec<PendingEdit>> {
        let ItemMove { request, from, file, create, .. } = *self;
        let dest = self.destination(planner, "section")?;
        if dest.path == *from {
            return self.rename_section(planner, section, &dest.section);
        }
        let base = planner.destination_base(request, &dest.path, create)?;
        let document = base.document();
        let range = section_range(&file.document, section);
        let (title, title_splice) = self.title_at(section, &dest, document)?;
        let mut effect = effects::line_effect(
            from,
            EffectSign::Moved,
            effects::heading_text(&file.document, section),
            effects::section_slug(&file.document, section),
            request.index,
        );
        effect.to = Some(format!("{}#{}", dest.path, crate::document::slug(&title)));
        let would_break = |reason| Rejection::new(Code::WouldBreakStructure, format!("in {}: {reason}", dest.path));
        let block = moved_text(&file.document, &range, title_splice.iter().cloned())?;
        let becomes_file = becomes_file(&dest.section, dest.file.is_none(), &title, document);
        let insert = |block: &str| {
            if becomes_file {
                Ok(Splice { start: 0, end: document.text().len(), new: as_file(block) })
            } else {
                whole_file::append_splice(document, block).map_err(would_break)
            }
        };
        let insertion = insert(&block)?;
        let removal = whole_file::removal_splice(&file.document, range.clone());
        let start = insertion.start + insertion.new.len() - insertion.new.trim_start_matches(['\n', '\r']).len();
        let change = SectionChange {
            from,
            document: &file.document,
            title: title_splice.as_ref(),
            after: Document::parse(spliced(file.document.text(), std::slice::from_ref(&removal))?),
            moved: Some(MovedSection {
                range: range.clone(),
                to: &dest.path,
                after: Document::parse(spliced(document.text(), std::slice::from_ref(&insertion))?),
                start,
            }),
            lines: LineBreaks::default(),
        };
        let updates = change.update_links(planner, request.index)?;
        let mut inside = updates.inside;
        for link in rebased_links(&file.document, from, &dest.path) {
            if range.contains(&link.start) && inside.iter().all(|other| other.start != link.start) {
                inside.push(link);
            }
        }
        let block = moved_text(&file.document, &range, inside.into_iter().chain(title_splice.iter().cloned()))?;
        let insertion = insert(&block)?;
        let mut pending = vec![
            PendingEdit::Edit(from.clone(), DocumentEdit::Raw(removal), EffectKind::Prepared(vec![effect])),
            PendingEdit::Edit(dest.path.clone(), DocumentEdit::Raw(insertion), EffectKind::NoEffect),
        ];
        pending.extend(updates.pending);
        Ok(pending)
    }
}

/// Rejects the name of a moved section if it names another parent than the one that it will have (0: the file): a move
/// puts no section below another one.
fn require_parent(document: &Document, name: &str, parent: usize, path: &MemoryPath) -> Result<(), Rejection> {
    let Some((named, _)) = name.rsplit_once('/') else { return Ok(()) };
    if parent > 0 && locate::find_section(document, named, path)? == Some(parent) {
        return Ok(());
    }
    let message = format!("a section is moved to a file, not below the section '{named}'");
    Err(Rejection::new(Code::Usage, message).hint("name only its new title: FILE#SECTION"))
}

/// The text of a section as it is appended to another file.
fn moved_text(
    document: &Document,
    range: &std::ops::Range<usize>,
    splices: impl Iterator<Item = Splice>,
) -> Result<String, Rejection> {
    let mut splices: Vec<Splice> = splices
        .map(|one| Splice { start: one.start - range.start, end: one.end - range.start, new: one.new })
        .collect();
    splices.sort_by_key(|one| one.start);
    Ok(spliced(&document.text()[range.clone()], &splices)?.trim_end().to_owned() + "\n")
}

/// Whether a section takes the place of the title that a new file would get, because it is the same.
fn becomes_file(to: &SectionRef, is_new: bool, title: &str, new_file: &Document) -> bool {
    is_new && matches!(to, SectionRef::File) && new_file.section_title(0) == title
}

/// A section as a file of its own: its heading is the title.
fn as_file(section: &str) -> String {
    let heading = section.trim_start_matches('#');
    if heading.len() < section.len() { format!("#{heading}") } else { section.to_owned() }
}

fn spliced(text: &str, splices: &[Splice]) -> Result<String, Rejection> {
    splice(text, splices).map_err(|_| Rejection::new(Code::Internal, "links overlap"))
}

fn move_file(planner: &Planner<'_>, n: usize, from: &MemoryPath, to: &str, create: bool) -> PlanStep<Vec<PendingEdit>> {
    let dest = new_file_path(planner, from, to)?;
    if dest == *from {
        return Ok(vec![PendingEdit::Unchanged(effects::line_effect(
            from,
            EffectSign::Unchanged,
            "the file already has that name",
            None,
            n,
        ))]);
    }
    if planner.snapshot.exists(&dest)? {
        return Err(rejections::path_exists(&dest).into());
    }
    validation::check_writable(&dest, None, planner.context.allow_reserved)?;
    if !(create || planner.context.create) {
        validation::check_extension(to, &dest)?;
    }
    if dest.case_folded() != from.case_folded() {
        validation::check_creatable(
            &dest,
            planner.snapshot,
            create || planner.context.create || is_small_rename(from, &dest),
            planner.context.allow_reserved,
        )?;
    }
    // The links follow when all moves of the batch are known (`moved_files`); what that reads is asked for here, together
    // with what the other operations need.
    planner.snapshot.backlinks(from)?;
    planner.snapshot.file_names()?;
    Ok(vec![PendingEdit::MoveFile(from.clone(), dest)])
}

/// Whether a rename changes a name by a letter or two. The check for similar names does not apply: the old name is
/// removed.
fn is_small_rename(from: &MemoryPath, to: &MemoryPath) -> bool {
    validation::is_similar_name(from.stem(), to.stem())
}

/// The end of a section (0: the file above all sections) for an item with or without a number. Where the section ends in
/// a numbered list, one without a number goes to the end of the last other list.
pub(super) fn end_of_list(document: &Document, section: usize, is_numbered: bool) -> InsertPosition {
    let is_within = |own: usize| match section {
        0 => document.sections()[own].level <= 1,
        at => own == at,
    };
    let bullets = document.bullets().iter().enumerate();
    let own: Vec<usize> =
        bullets.filter(|(_, b)| b.depth == 0 && is_within(b.section as usize)).map(|(at, _)| at).collect();
    let has_number = |bullet: &usize| document.list_number(*bullet).is_some();
    let last_other = own.iter().rfind(|bullet| !has_number(bullet));
    match (own.last(), last_other) {
        (Some(last), Some(other)) if has_number(last) && !is_numbered => InsertPosition::After(*other),
        _ => InsertPosition::EndOfSection(section),
    }
}

/// The new path of a file. `to` is an address, or a folder in which the file keeps its name (`mv user notes/`).
fn new_file_path(planner: &Planner<'_>, from: &MemoryPath, to: &str) -> PlanStep<MemoryPath> {
    let written = if to.ends_with('/') { format!("{to}{}.md", from.stem()) } else { to.to_owned() };
    let Address::Readings(readings) = Address::parse(&written, planner.context.prefixes)? else {
        return Err(Rejection::new(Code::Usage, "a file can only be moved to a file").into());
    };
    let names_file = |reading: &&AddressReading| reading.section.is_none() && reading.bullet.is_none();
    for path in readings.iter().filter(names_file).flat_map(|reading| &reading.files) {
        if planner.snapshot.exists(path)? {
            return Ok(path.clone());
        }
    }
    let reading = &readings[readings.len() - 1];
    if reading.files.is_empty() {
        return Err(no_such_name(&written).into());
    }
    if reading.section.is_some() || reading.bullet.is_some() {
        return Err(Rejection::new(Code::Usage, "a file can only be moved to a file").into());
    }
    // A file outside memdir's own folders is renamed where it is.
    if let Some(name) = reading.at_top().filter(|name| from.is_adopted() && name.folder().is_none()) {
        let parent = if from.parent().is_empty() { String::new() } else { format!("{}/", from.parent()) };
        return Ok(MemoryPath::new(&format!("{parent}{name}"))?);
    }
    if let Some(new) = adopted::new_file(reading, planner.snapshot)? {
        return Ok(new);
    }
    Ok(reading.files[reading.files.len() - 1].clone())
}

/// Adds a moved file to the changeset, with its links to itself updated.
pub fn add_moved_file(
    present: Option<&LoadedFile>,
    from: &MemoryPath,
    to: &MemoryPath,
    n: usize,
    edits: Vec<(usize, DocumentEdit, EffectKind)>,
    changeset: &mut Changeset,
) -> PlanStep<()> {
    let Some(file) = present else { return Ok(()) };
    let mut text = file.document.text().to_owned();
    let mut raw: Vec<Splice> =
        edits.into_iter().filter_map(|(_, e, _)| if let DocumentEdit::Raw(s) = e { Some(s) } else { None }).collect();
    raw.sort_by_key(|s| s.start);
    if !raw.is_empty() {
        text = spliced(&text, &raw)?;
    }
    changeset
        .effects
        .push(Effect { to: Some(to.to_string()), ..effects::line_effect(from, EffectSign::Moved, "", None, n) });
    changeset.files.push(FileChange {
        path: from.clone(),
        before: Some(file.version.clone()),
        after: None,
        mode: None,
        edits: None,
        moved: Some(to.clone()),
        summary: None,
    });
    changeset.files.push(FileChange {
        path: to.clone(),
        before: None,
        after: Some(std::sync::Arc::new(text.into_bytes())),
        mode: Some(file.version.mode),
        edits: None,
        moved: Some(from.clone()),
        summary: None,
    });
    Ok(())
}
