//! Plans `restore`: takes bullets, sections and files back from `archive/`, to the place that their metadata line and
//! the headings around them name.
//!
//! Never reads the journal: a clone restores as well. Never overwrites what has taken the place since.

use crate::change::EffectSign;
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::document::{
    Document, DocumentEdit, InsertPosition, LocatedBullet, MetaKey, NewBullet, apply_edits, categories_around,
    parse_date, section_range, section_titles, slug, to_moved_bullet,
};
use crate::path::{ARCHIVE_FOLDER, MemoryPath};
use crate::text::Splice;

use super::bullets::{BulletPick, SelectorArgs, pick_bullet};
use super::locate::{self, ResolvedTarget, SectionRef};
use super::pending_edit::{EffectKind, PendingEdit};
use super::planner::{EditBase, IndexedOperation, Planner};
use super::relocate::end_of_list;
use super::restore_place::{RestorePlace, later_entry, place_in};
use super::snapshot::{LoadedFile, PlanStep};
use super::{Target, adopted, archive, effects, hidden_items, rejections, validation, whole_file};

/// The file in `archive/` from which an operation takes something back.
#[derive(Clone, Copy)]
struct ArchiveFile<'a> {
    request: IndexedOperation<'a>,
    path: &'a MemoryPath,
    file: &'a LoadedFile,
}

/// Takes the bullet, section or file that the address names back. An address outside `archive/` is that from which it
/// was archived.
pub fn restore(planner: &mut Planner<'_>, request: IndexedOperation<'_>) -> PlanStep<Vec<PendingEdit>> {
    let resolved = resolve_archived(planner, request.at)?;
    planner.check_if_match(request, &resolved);
    let Some(file) = resolved.file else { return Err(not_archived(&resolved.path).into()) };
    validation::check_writable(&resolved.path, Some(&file.document), true)?;
    let archive_file = ArchiveFile { request, path: &resolved.path, file };
    if resolved.bullet.is_some() {
        let (BulletPick::Change(bullet) | BulletPick::Unchanged(bullet)) =
            pick_bullet(planner, request, &resolved, SelectorArgs::default(), None)?;
        let archived = take_bullet(planner, archive_file, bullet)?;
        let pending = restore_bullet(planner, archive_file, archived)?;
        return with_front_matter(planner, archive_file, pending);
    }
    let pending = match &resolved.section {
        SectionRef::At(section) => restore_section(planner, archive_file, *section)?,
        SectionRef::File if has_archive_keys(&file.document, 0) => return restore_file(planner, archive_file),
        SectionRef::File => restore_items(planner, archive_file, 0)?,
        SectionRef::Missing(name) => {
            return Err(rejections::section_not_found(file, &resolved.path, name).into());
        }
    };
    with_front_matter(planner, archive_file, pending)
}

/// The edits that restore items, with the front matter of their file if it is made for them.
fn with_front_matter(
    planner: &mut Planner<'_>,
    ArchiveFile { path, file, .. }: ArchiveFile<'_>,
    mut pending: Vec<PendingEdit>,
) -> PlanStep<Vec<PendingEdit>> {
    let home = home_path(path, file)?;
    if planner.snapshot.file(&home)?.is_some() {
        return Ok(pending);
    }
    let new = hidden_items::restored_front_matter(planner.context.policy, &file.document);
    match planner.restored_files.iter().find(|(made, _)| *made == home) {
        // Another operation of the batch makes the file.
        Some((_, front)) if *front == new => {}
        Some(_) => {
            let message = format!("items of {home} are archived with other tags; restore them one after the other");
            return Err(Rejection::new(Code::WouldBreakStructure, message).into());
        }
        None => {
            planner.restored_files.push((home.clone(), new.clone()));
            let front = (!new.is_empty()).then_some(Splice { start: 0, end: 0, new });
            pending.extend(front.map(|front| PendingEdit::Edit(home, DocumentEdit::Raw(front), EffectKind::NoEffect)));
        }
    }
    Ok(pending)
}

/// The file that an item goes back to, which must hide it from all agents from which it is hidden in the archive.
fn home_base<'a>(
    planner: &Planner<'a>,
    ArchiveFile { request, path, file }: ArchiveFile<'_>,
    home: &MemoryPath,
    section: usize,
) -> PlanStep<EditBase<'a>> {
    let base = planner.destination_base(request, home, true)?;
    if let EditBase::Present(present) = &base {
        let document = &file.document;
        let hidden = hidden_items::hidden_categories(planner.context.policy, categories_around(document, section));
        let missing =
            hidden_items::missing_categories(&hidden, (home, &present.document), &section_titles(document, section));
        hidden_items::require_categories(&missing, path, home)?;
    }
    Ok(base)
}

/// The target in `archive/`.
fn resolve_archived<'a>(planner: &Planner<'a>, at: &Target) -> PlanStep<ResolvedTarget<'a>> {
    let resolved = planner.resolve(at)?;
    if resolved.path.is_archived() {
        return Ok(resolved);
    }
    let mut place = String::new();
    match (&resolved.section, resolved.file) {
        (SectionRef::At(section), Some(file)) => {
            place.push_str(&format!("#{}", file.document.sections()[*section].slug));
        }
        (SectionRef::Missing(name), _) => place.push_str(&format!("#{name}")),
        (SectionRef::File, _) | (SectionRef::At(_), None) => {}
    }
    if let Some(bullet) = &resolved.bullet {
        place.push_str(&format!("@{bullet}"));
    }
    let resolve_copy = |path: &MemoryPath| {
        let address = Target::Address(format!("{}{place}", path.in_archive()?));
        planner.resolve(&address)
    };
    let copy = resolve_copy(&resolved.path)?;
    if copy.file.is_none()
        && resolved.file.is_none()
        && let Target::Address(written) = at
        && let Some(path) = adopted::archived_file(written, planner.context.prefixes, planner.snapshot)?
    {
        return resolve_copy(&path);
    }
    Ok(copy)
}

fn not_archived(path: &MemoryPath) -> Rejection {
    let home = path.below_archive().unwrap_or(path.as_str());
    Rejection::new(Code::FileNotFound, format!("nothing of {home} is archived"))
        .hint("`memdir list archive` shows what is archived")
        .try_command(SuggestedCommand::new("list", ARCHIVE_FOLDER))
}

fn has_archive_keys(document: &Document, section: usize) -> bool {
    archive::is_archived_section(document, section)
}

/// The path that an archive file has outside `archive/`: the one that its metadata line names, else its own.
fn home_path(path: &MemoryPath, file: &LoadedFile) -> Result<MemoryPath, Rejection> {
    let meta = archive::section_meta(&file.document, 0);
    let named = meta.as_ref().and_then(|meta| meta.raw(MetaKey::From.name())).filter(|from| !from.starts_with('#'));
    let own = path.below_archive().unwrap_or(path.as_str());
    let home = MemoryPath::new(named.unwrap_or(own))?;
    match home.folder() {
        // A file that git brought may name anything.
        Some("archive" | "inbox") => {
            Err(Rejection::new(Code::InvalidPath, format!("nothing can be restored to {home}")))
        }
        _ => Ok(home),
    }
}

/// A bullet of an archive file, on its way back.
struct ArchivedBullet {
    /// Its number in the archive file.
    bullet: usize,
    item: NewBullet,
    home: MemoryPath,
    /// The titles of the headings around it.
    titles: Vec<String>,
    /// Its `from`.
    from: Option<String>,
    /// The number that it had in its list.
    number: Option<u32>,
}

impl ArchivedBullet {
    /// Where it goes in a section that exists.
    fn position_in(&self, document: &Document, section: usize) -> InsertPosition {
        match self.number {
            Some(number) => InsertPosition::Numbered { section, number },
            None => end_of_list(document, section, false),
        }
    }
}

fn take_bullet(planner: &mut Planner<'_>, archive_file: ArchiveFile<'_>, bullet: usize) -> PlanStep<ArchivedBullet> {
    let ArchiveFile { request, path, file } = archive_file;
    let home = home_path(path, file)?;
    let mut item = to_moved_bullet(&file.document, bullet);
    let mut meta = item.meta.take().unwrap_or_default();
    item.text = hidden_items::restored_text(planner.context.policy, (path, &file.document), bullet, item.text, &home)?;
    let section = file.document.bullets()[bullet].section as usize;
    let from = meta.raw(MetaKey::From.name()).map(str::to_owned);
    let number = meta.raw(MetaKey::Nr.name()).and_then(|number| number.parse().ok());
    archive::clear_archive_keys(&mut meta);
    if planner.context.policy.lifetimes.iter().any(|rule| rule.unused_days.is_some()) {
        // Else the next `prune` would archive it again.
        meta.set(MetaKey::Upd.name(), &planner.today());
    }
    let today = planner.context.now.date();
    if let Some(expired) = meta.valid(MetaKey::Exp).and_then(parse_date).filter(|day| *day < today) {
        let message = format!("'{}' expired on {expired}: set exp to a later day, or reads leave it out", item.text);
        planner.warn(request.index, Warning::new(Code::Note, message));
    }
    item.meta = (!meta.0.is_empty()).then_some(meta);
    Ok(ArchivedBullet { bullet, item, home, titles: section_titles(&file.document, section), from, number })
}

fn restore_bullet(
    planner: &mut Planner<'_>,
    archive_file: ArchiveFile<'_>,
    archived: ArchivedBullet,
) -> PlanStep<Vec<PendingEdit>> {
    let ArchiveFile { path, file, .. } = archive_file;
    let ArchivedBullet { bullet, item, home, titles, from, .. } = &archived;
    let base = home_base(planner, archive_file, home, file.document.bullets()[*bullet].section as usize)?;
    let document = base.document();
    let (position, destination) = match place_in(document, titles, from.as_deref()) {
        RestorePlace::Section(at) => {
            require_new_text(document, home, at, item).map_err(|error| {
                archived_twin(error, LocatedBullet { path, document: &file.document, index: *bullet })
            })?;
            let address = match document.sections()[at].level {
                0 | 1 => home.to_string(),
                _ => format!("{home}#{}", document.sections()[at].slug),
            };
            (archived.position_in(document, at), address)
        }
        RestorePlace::NewSections(under, titles) => {
            let address = format!("{home}#{}", slug(titles.last().map_or("", String::as_str)));
            (InsertPosition::NewSection { under, titles }, address)
        }
    };
    Ok(vec![
        PendingEdit::Edit(
            path.clone(),
            DocumentEdit::Remove { bullet: *bullet },
            EffectKind::MovedAway(*bullet, destination),
        ),
        PendingEdit::Edit(
            home.clone(),
            DocumentEdit::Insert { at: position, items: vec![item.clone()] },
            EffectKind::NoEffect,
        ),
    ])
}

/// Refuses a bullet whose text its section (0: the file above all sections) has already.
fn require_new_text(document: &Document, home: &MemoryPath, at: usize, item: &NewBullet) -> Result<(), Rejection> {
    match locate::bullet_with_text(document, &item.paragraph(), at) {
        Some(existing) => {
            Err(rejections::duplicate_bullet(LocatedBullet { path: home, document, index: existing }, existing))
        }
        None => Ok(()),
    }
}

/// The refusal of a text that is live already: it is the archived one that can go.
fn archived_twin(error: Rejection, archived: LocatedBullet<'_>) -> Rejection {
    let address = format!("{}@{}", archived.path, archived.document.handle_name(archived.index));
    let error = Rejection { suggestions: Vec::new(), ..error };
    error
        .hint("the text is live already; remove the archived one instead")
        .try_command(SuggestedCommand::new("rm", address))
}

/// Restores a section that was archived as a whole, else the items below it.
fn restore_section(
    planner: &mut Planner<'_>,
    archive_file: ArchiveFile<'_>,
    section: usize,
) -> PlanStep<Vec<PendingEdit>> {
    if has_archive_keys(&archive_file.file.document, section) {
        let archived = take_section(planner, archive_file, section, &mut Vec::new())?;
        put_section(planner, archive_file, archived)
    } else {
        restore_items(planner, archive_file, section)
    }
}

/// A section that was archived as a whole, on its way back.
struct ArchivedSection {
    /// Its number in the archive file.
    section: usize,
    /// Its bytes there, with its metadata line.
    range: std::ops::Range<usize>,
    home: MemoryPath,
    /// The section of the home file that it goes to the end of.
    under: usize,
    /// Its lines, below those headings around it that are made again with it.
    block: String,
    /// The titles of the headings around it and its own.
    titles: Vec<String>,
    /// Which of them the first heading of the block is.
    first_title: usize,
}

/// Takes a section that was archived as a whole. `made` lists the missing sections around others that are restored with
/// it.
fn take_section(
    planner: &mut Planner<'_>,
    archive_file: ArchiveFile<'_>,
    section: usize,
    made: &mut Vec<Vec<String>>,
) -> PlanStep<ArchivedSection> {
    let ArchiveFile { path, file, .. } = archive_file;
    let source = &file.document;
    let home = home_path(path, file)?;
    let range = section_range(source, section);
    let line = archive::section_meta_line(source, section).map_or(range.start..range.start, |own| own.line.range());
    let mut meta = archive::section_meta(source, section).unwrap_or_default();
    let from = meta.raw(MetaKey::From.name()).map(str::to_owned);
    archive::clear_archive_keys(&mut meta);
    let kept =
        if meta.0.is_empty() { String::new() } else { format!("{}{}", meta.to_comment(), source.eol().as_str()) };
    // The line of a paragraph that acts as a heading is above it.
    let whole = line.start.min(range.start)..range.end;
    let block = format!("{}{kept}{}", &source.text()[whole.start..line.start], &source.text()[line.end..whole.end]);
    let mut block = block.trim_end().to_owned() + "\n";
    let base = home_base(planner, archive_file, &home, source.sections()[section].parent as usize)?;
    let document = base.document();
    let mut titles = section_titles(source, source.sections()[section].parent as usize);
    let mut first_title = titles.len();
    let under = match place_in(document, &titles, from.as_deref()) {
        RestorePlace::Section(at) => at,
        RestorePlace::NewSections(under, titles) => {
            // Those around it are gone, but for what this restores as well.
            let made_before = made.iter().map(|other| titles.iter().zip(other).take_while(|(a, b)| a == b).count());
            let missing = titles.len() - made_before.max().unwrap_or(0);
            let headings = around_headings(source, section, missing);
            block.insert_str(0, &headings);
            first_title = first_title.saturating_sub(missing);
            made.push(titles);
            under
        }
    };
    let title = source.section_title(section);
    let has_title = |i: &usize| document.sections()[*i].level > 1 && document.section_title(*i) == title;
    // Entries of one title are of different days.
    if !home.holds_episodes() && (1..document.sections().len()).any(|i| has_title(&i)) {
        let message = format!("{home} has a section '{title}' already");
        return Err(Rejection::new(Code::Exists, message)
            .hint("restore its bullets one by one, or rename the section that is there")
            .into());
    }
    titles.push(title.into_owned());
    Ok(ArchivedSection { section, range: whole, home, under, block, titles, first_title })
}

impl ArchivedSection {
    /// Adds a bullet that is from this section, or from one around it that is made again with it. Returns the title of
    /// the section that it is in; `None` if it is from elsewhere.
    fn add_bullet(&mut self, archived: &ArchivedBullet) -> Result<Option<String>, Rejection> {
        // Entries of one title are of different days.
        if self.home != archived.home || self.home.holds_episodes() {
            return Ok(None);
        }
        let shared = ..=self.first_title;
        if archived.titles.get(shared).is_none_or(|titles| titles != &self.titles[shared]) {
            return Ok(None);
        }
        let titles = &archived.titles[self.first_title..];
        let document = Document::parse(self.block.as_str());
        let at = match place_in(&document, titles, None) {
            RestorePlace::Section(at) => {
                require_new_text(&document, &self.home, at, &archived.item)?;
                archived.position_in(&document, at)
            }
            RestorePlace::NewSections(under, titles) => InsertPosition::NewSection { under, titles },
        };
        let edit = DocumentEdit::Insert { at, items: vec![archived.item.clone()] };
        let edited = apply_edits(&document, &[edit]).map_err(|refusals| {
            Rejection::new(Code::WouldBreakStructure, format!("in {}: {}", self.home, refusals[0].reason))
        })?;
        self.block = edited.document.into_text();
        Ok(titles.last().cloned())
    }
}

fn put_section(
    planner: &mut Planner<'_>,
    archive_file: ArchiveFile<'_>,
    archived: ArchivedSection,
) -> PlanStep<Vec<PendingEdit>> {
    let ArchiveFile { request, path, file } = archive_file;
    let source = &file.document;
    let ArchivedSection { section, range, home, under, block, titles, .. } = archived;
    let base = planner.destination_base(request, &home, true)?;
    let document = base.document();
    let later = home.holds_episodes().then(|| later_entry(document, &block)).flatten();
    let insertion = match later {
        Some(at) => {
            let eol = document.eol().as_str();
            let new = format!("{}{eol}", block.replace("\r\n", "\n").replace('\n', eol));
            archive::require_same_blocks(document, Splice { start: at, end: at, new }, &block)
        }
        None => archive::block_splice(document, under, &block),
    };
    let insertion =
        insertion.map_err(|error| Rejection::new(Code::WouldBreakStructure, format!("in {home}: {error}")))?;
    let mut effect = effects::line_effect(
        path,
        EffectSign::Moved,
        effects::heading_text(source, section),
        effects::section_slug(source, section),
        request.index,
    );
    effect.to = Some(format!("{home}#{}", slug(titles.last().map_or("", String::as_str))));
    Ok(vec![
        PendingEdit::Edit(
            path.clone(),
            DocumentEdit::Raw(whole_file::removal_splice(source, range)),
            EffectKind::Prepared(vec![effect]),
        ),
        PendingEdit::Edit(home, DocumentEdit::Raw(insertion), EffectKind::NoEffect),
    ])
}

/// The last `count` headings around a section, each with a blank line below it.
fn around_headings(document: &Document, section: usize, count: usize) -> String {
    let parent =
        |at: &usize| Some(document.sections()[*at].parent as usize).filter(|&up| document.sections()[up].level > 1);
    let mut around: Vec<usize> = std::iter::successors(parent(&section), parent).take(count).collect();
    around.reverse();
    let heading = |at: usize| format!("{}\n\n", document.text()[document.sections()[at].heading.range()].trim_end());
    around.into_iter().map(heading).collect()
}

fn restore_file(planner: &Planner<'_>, ArchiveFile { path, file, .. }: ArchiveFile<'_>) -> PlanStep<Vec<PendingEdit>> {
    let home = home_path(path, file)?;
    if planner.snapshot.exists(&home)? {
        return Err(rejections::path_exists(&home)
            .hint("restore its bullets one by one, or move the present file away first")
            .into());
    }
    validation::check_creatable(&home, planner.snapshot, true, false)?;
    let mut meta = archive::section_meta(&file.document, 0).unwrap_or_default();
    archive::clear_archive_keys(&mut meta);
    let new = if meta.0.is_empty() { String::new() } else { meta.to_comment() + file.document.eol().as_str() };
    let line = archive::section_meta_line(&file.document, 0).map(|line| line.line.range());
    let mut pending = vec![PendingEdit::MoveFile(path.clone(), home)];
    pending.extend(line.map(|line| {
        let splice = Splice { start: line.start, end: line.end, new };
        PendingEdit::Edit(path.clone(), DocumentEdit::Raw(splice), EffectKind::NoEffect)
    }));
    Ok(pending)
}

/// Takes back the items below a heading that only repeats that of their file; for section 0 all of the file.
fn restore_items(
    planner: &mut Planner<'_>,
    archive_file: ArchiveFile<'_>,
    section: usize,
) -> PlanStep<Vec<PendingEdit>> {
    let ArchiveFile { path, file, .. } = archive_file;
    let document = &file.document;
    let range = section_range(document, section);
    let archived: Vec<usize> = (1..document.sections().len()).filter(|&i| has_archive_keys(document, i)).collect();
    let is_inside = |at: u32| archived.iter().any(|&i| section_range(document, i).contains(&(at as usize)));
    let (mut pending, mut made, mut sections) = (Vec::new(), Vec::new(), Vec::new());
    for &i in archived.iter().filter(|&&i| range.contains(&(document.sections()[i].heading.start as usize))) {
        sections.push(take_section(planner, archive_file, i, &mut made)?);
    }
    let mut taken = Vec::new();
    for (i, bullet) in document.bullets().iter().enumerate() {
        if bullet.depth == 0 && range.contains(&(bullet.line_start as usize)) && !is_inside(bullet.line_start) {
            taken.push(take_bullet(planner, archive_file, i)?);
        }
    }
    // Those that go to one gap of a numbered list, by their numbers.
    taken.sort_by_key(|archived| archived.number.unwrap_or(0));
    let mut bullets = Vec::new();
    for archived in taken {
        let i = archived.bullet;
        let mut destination = None;
        for section in &mut sections {
            destination = section.add_bullet(&archived)?.map(|title| format!("{}#{}", section.home, slug(&title)));
            if destination.is_some() {
                break;
            }
        }
        bullets.extend(match destination {
            Some(destination) => {
                let effect = EffectKind::MovedAway(i, destination);
                vec![PendingEdit::Edit(path.clone(), DocumentEdit::Remove { bullet: i }, effect)]
            }
            None => restore_bullet(planner, archive_file, archived)?,
        });
    }
    for section in sections {
        pending.extend(put_section(planner, archive_file, section)?);
    }
    pending.extend(bullets);
    if pending.is_empty() {
        Err(Rejection::new(Code::BulletNotFound, format!("{path} has no archived item there")).into())
    } else {
        Ok(pending)
    }
}
