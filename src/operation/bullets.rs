//! Plans operations on bullets: `add`, `update`, `rm`, and `set` of their metadata.
//!
//! Never depends on the other operations of the batch: all refer to the text before it.

use crate::change::EffectSign;
use crate::code::{Code, Rejection, Warning};
use crate::document::related_edge::parent_bullet;
use crate::document::{
    BulletMeta, Document, DocumentEdit, InsertPosition, LocatedBullet, MetaKey, NewBullet, block_id, section_range,
    to_new_bullet,
};
use crate::path::{BulletRef, MemoryPath};
use crate::text::one_line::collapse_whitespace;

use super::archive::{self, ArchiveCopy, ArchivedItem};
use super::bullet_links::LinkedBullets;
use super::choose_bullet::{BulletChoice, BulletSelector, choose_bullet};
use super::inert_metadata::own_metadata;
use super::known_bullet::add_known;
use super::locate::{self, ResolvedTarget, SectionRef};
use super::past_changes::was_made;
use super::pending_edit::{EffectKind, PendingEdit};
use super::planner::{IndexedOperation, Planner, TakenText, new_file_document};
use super::related_bullets::warn_related;
use super::snapshot::{PlanStep, PlanStop, matches_etag};
use super::unique_ids::check_unique_id;
use super::{Target, effects, field_checks, inert_metadata, rejections};

/// The bullet that an operation selects, and whether it needs a change.
pub enum BulletPick {
    /// This bullet is to be changed.
    Change(usize),
    /// This bullet already has the new text.
    Unchanged(usize),
}

/// What selects a bullet of the file or section that an address names, beside the address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectorArgs<'a> {
    /// The bullet's index in the file or section, from 1.
    pub index: Option<i64>,
    /// The bullet's present text.
    pub text: Option<&'a str>,
}

/// What `update` gives a bullet.
pub struct BulletReplacement<'a> {
    /// The new text and, with more than a paragraph, what is below it.
    pub item: NewBullet,
    /// Metadata keys and values to set; an empty value removes the key.
    pub meta: &'a [(String, String)],
}

/// Selects the bullet of an operation, and adds the warning if there is one.
pub fn pick_bullet(
    planner: &mut Planner<'_>,
    request: IndexedOperation<'_>,
    resolved: &ResolvedTarget<'_>,
    args: SelectorArgs<'_>,
    new: Option<&str>,
) -> PlanStep<BulletPick> {
    let Some(file) = resolved.file else {
        return Err(rejections::file_not_found(&resolved.path, planner.snapshot).into());
    };
    // First, because in a file with conflict markers bullets may be missing, and `bullet_not_found` would mislead.
    planner.check_writable(&resolved.path, Some(&file.document))?;
    let section = resolved.existing_section(file)?;
    let op = request.operation;
    let (name, occurrence, nth) = match &resolved.bullet {
        Some(BulletRef::Name(name)) => (Some(name.as_str()), None, None),
        Some(BulletRef::Occurrence(name, nth)) => (Some(name.as_str()), Some(*nth), None),
        Some(BulletRef::Index(nth)) => (None, None, Some(i64::try_from(*nth).unwrap_or(i64::MAX))),
        None => (None, None, None),
    };
    if let Some((nth, index)) = nth.zip(args.index).filter(|(nth, index)| nth != index) {
        let reason = format!("the address selects bullet {nth}, but the index is {index}");
        return Err(Rejection::new(Code::Usage, reason).into());
    }
    let inert = if name.is_some_and(|name| locate::bullets_with_id(&file.document, name).next().is_some()) {
        inert_metadata::inert_bullets(&file.document, &resolved.path, planner.snapshot)?
    } else {
        Vec::new()
    };
    let section_text = &file.document.text()[section_range(&file.document, section)];
    let selector = BulletSelector {
        name,
        occurrence,
        index: nth.or(args.index),
        text: args.text,
        section,
        proven: op.if_match.is_some() || matches_etag(op.seen.as_deref(), file, Some(section_text)),
        force: planner.context.force,
        new_text: new,
        inert: &inert,
    };
    let located = |index| LocatedBullet { path: &resolved.path, document: &file.document, index };
    match choose_bullet(&file.document, &selector) {
        BulletChoice::Selected(at) => Ok(BulletPick::Change(at)),
        // The new text is there and the old one is not: another writer may have made each of the two so.
        BulletChoice::Unchanged(at) if was_made(planner, located(at), &selector)? => Ok(BulletPick::Unchanged(at)),
        BulletChoice::SelectedWithWarning(at, code) => {
            planner.warn(request.index, rejections::selection_warning(file, &resolved.path, at, code, &selector));
            Ok(BulletPick::Change(at))
        }
        BulletChoice::Rejected(code, found) => {
            Err(rejections::selection_rejected(file, &resolved.path, code, &found, &selector).into())
        }
        BulletChoice::Unchanged(_) | BulletChoice::NotFound => Err(rejections::bullet_not_found(
            file,
            &resolved.path,
            planner.snapshot.history(&resolved.path)?,
            &selector,
        )
        .into()),
    }
}

/// `add`: inserts a bullet at the end of a file's or section's own text. Missing files and sections are created.
pub fn add(
    planner: &mut Planner<'_>,
    request: IndexedOperation<'_>,
    item: NewBullet,
    create: bool,
) -> PlanStep<Vec<PendingEdit>> {
    let resolved = planner.resolve(request.at)?;
    let IndexedOperation { index: n, operation: op, at } = request;
    if resolved.bullet.is_some() {
        return Err(Rejection::new(Code::Usage, "add expects a file or section, not a bullet").into());
    }
    let base = planner.edit_base(request, &resolved, create)?;
    let document = base.document();
    let (position, within) = match &resolved.section {
        SectionRef::File => (InsertPosition::EndOfSection(0), Some(0)),
        SectionRef::At(at) => (InsertPosition::EndOfSection(*at), Some(*at)),
        SectionRef::Missing(name) => (new_section_position(document, name, new_id(at), &resolved.path)?, None),
    };
    if let (Some(section @ 1..), Some(id)) = (within, new_id(at))
        && document.sections()[section].id.as_deref() != Some(id)
    {
        let message = format!(
            "no block has the id {id}; the bullet is added to {}#{}, which does not get that id",
            resolved.path,
            document.sections()[section].slug
        );
        planner.warn(n, Warning::new(Code::Note, message));
    }
    if let Some(index) = within.and_then(|within| locate::bullet_with_text(document, &item.paragraph(), within)) {
        let existing = LocatedBullet { path: &resolved.path, document, index };
        if has_children(&item) && !same_children(document, index, &item) {
            return Err(rejections::same_text_other_children(existing).into());
        }
        if !reads_as(existing, &item.paragraph()) {
            let address = format!("{}@{}", resolved.path, document.handle_name(index));
            let message = format!("{address} has the text but for backslashes; nothing was added, `update` changes it");
            planner.warn(n, Warning::new(Code::Note, message).detail("address", address));
        }
        return add_known(planner, n, existing, item.meta.as_ref());
    }
    warn_related(planner, n, &resolved.path, document, within, &item.paragraph());
    warn_expired(planner, n, item.meta.as_ref());
    let item = planner.stamp_new_bullet(item, op);
    Ok(vec![PendingEdit::Edit(
        resolved.path,
        DocumentEdit::Insert { at: position, items: vec![item] },
        EffectKind::Added,
    )])
}

/// The id of the block that an operation adds to, if it must be in no file yet: its section is named by a category.
fn new_id(at: &Target) -> Option<&str> {
    match at {
        Target::IdOrCategory { id, .. } => Some(id),
        Target::Address(_) | Target::SectionOrField(_) | Target::File(_) | Target::Category(_) => None,
    }
}

/// Whether a bullet has a text also as a reader sees it, where a handle does not count backslashes.
fn reads_as(bullet: LocatedBullet<'_>, text: &str) -> bool {
    let LocatedBullet { document, index, .. } = bullet;
    collapse_whitespace(&document.bullet_text(index)) == collapse_whitespace(text)
}

/// Whether a new bullet has more than a paragraph.
fn has_children(item: &NewBullet) -> bool {
    item.children.len() > item.continuation_lines()
}

/// Whether a bullet and a new one have the same lines below their paragraphs.
fn same_children(document: &Document, bullet: usize, item: &NewBullet) -> bool {
    let present = to_new_bullet(document, bullet);
    present.children[present.continuation_lines()..] == item.children[item.continuation_lines()..]
}

/// The position of a new section with an optional id, and of its parents.
fn new_section_position(
    document: &Document,
    name: &str,
    id: Option<&str>,
    path: &MemoryPath,
) -> Result<InsertPosition, Rejection> {
    let (under, mut titles) = locate::new_section_place(document, name, path)?;
    if let (Some(title), Some(id)) = (titles.last_mut(), id) {
        *title = format!("{title} {{#{id}}}");
    }
    Ok(InsertPosition::NewSection { under, titles })
}

/// `update`: replaces the first paragraph of a bullet; with more than a paragraph, also what is below it. Sets
/// metadata.
pub fn update(
    planner: &mut Planner<'_>,
    request: IndexedOperation<'_>,
    selector: SelectorArgs<'_>,
    new: BulletReplacement<'_>,
    archive: bool,
) -> PlanStep<Vec<PendingEdit>> {
    let resolved = planner.resolve(request.at)?;
    planner.check_if_match(request, &resolved);
    let file = planner.existing_writable_file(&resolved)?;
    let (n, BulletReplacement { mut item, meta: pairs }) = (request.index, new);
    if item.text.contains(['\n', '\r']) {
        return Err(Rejection::new(Code::Multiline, "the text contains a line break").into());
    }
    let mut paragraph = item.paragraph().into_owned();
    let document = &file.document;
    let located = |index| LocatedBullet { path: &resolved.path, document, index };
    if let Some(index) = bullet_with_shown_value(document, &resolved, selector, &paragraph, pairs) {
        return set_meta_of(planner, n, located(index), pairs);
    }
    let picked = pick_bullet(planner, request, &resolved, selector, Some(&paragraph))?;
    let (BulletPick::Change(index) | BulletPick::Unchanged(index)) = picked;
    let bullet = located(index);
    if let Some(id) = block_id(document.bullet_raw(index)).filter(|_| block_id(&paragraph).is_none()) {
        append_block_id(&mut item, id);
        paragraph = item.paragraph().into_owned();
    }
    let id = document.bullet_id(index);
    let is_known = |(key, value): &&(String, String)| key == MetaKey::Oid.name() && id.as_deref() == Some(value);
    let pairs: Vec<_> = pairs.iter().filter(|pair| !is_known(pair)).cloned().collect();
    let has_text = matches!(picked, BulletPick::Unchanged(_)) || reads_as(bullet, &paragraph);
    if has_text && (!has_children(&item) || same_children(document, index, &item)) {
        return if pairs.is_empty() {
            Ok(vec![unchanged_bullet(bullet, n)])
        } else {
            set_meta_of(planner, n, bullet, &pairs)
        };
    }
    let place = |i: usize| (document.bullets()[i].section, parent_bullet(document, i));
    let same_text = document.bullets_by_text(&paragraph);
    for holder in same_text.into_iter().filter(|&i| i != index && place(i) == place(index)) {
        let rejection = rejections::duplicate_bullet(bullet, holder);
        let handle = document.handles()[holder];
        let path = resolved.path.clone();
        planner.taken_texts.push(TakenText { operation: n, path, holder, handle, rejection });
    }
    if !pairs.iter().any(|(key, _)| key == MetaKey::Exp.name()) {
        warn_expired(planner, n, bullet.meta().as_ref());
    }
    let stamped = planner.updated_meta(bullet, request.operation)?;
    let meta = if pairs.is_empty() { stamped } else { Some(merged_meta(planner, n, bullet, stamped, &pairs)?.0) };
    let mut pending = Vec::new();
    if archive {
        let copy = ArchivedItem::bullet(planner, bullet, own_metadata(bullet, planner.snapshot)?, None)?;
        pending.push(PendingEdit::Archive(Box::new(copy)));
    }
    pending.extend(replacement_edits(bullet, item, meta));
    Ok(pending)
}

/// Adds an id to the end of a new bullet's paragraph, where links find it.
fn append_block_id(item: &mut NewBullet, id: &str) {
    let lines = item.continuation_lines();
    let last = if lines == 0 { &mut item.text } else { &mut item.children[lines - 1] };
    last.push_str(&format!(" ^{id}"));
}

/// The result of an operation on a bullet that needs no change.
pub(super) fn unchanged_bullet(bullet: LocatedBullet<'_>, n: usize) -> PendingEdit {
    PendingEdit::Unchanged(effects::bullet_effect(bullet, EffectSign::Unchanged, n))
}

/// The edits that give a bullet a new text and, if `item` has more than a paragraph, what is below it. `meta: None`
/// leaves the metadata.
fn replacement_edits(old: LocatedBullet<'_>, mut item: NewBullet, meta: Option<BulletMeta>) -> Vec<PendingEdit> {
    let (path, bullet) = (old.path.clone(), old.index);
    let updated = EffectKind::Updated(bullet);
    if has_children(&item) {
        item.meta = meta.or_else(|| old.meta());
        return vec![PendingEdit::Edit(path, DocumentEdit::Replace { bullet, item }, updated)];
    }
    let lines = std::iter::once(item.text.as_str()).chain(item.children.iter().map(String::as_str));
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut edits = vec![PendingEdit::Edit(path.clone(), DocumentEdit::Update { bullet, text }, updated)];
    let set = |meta| PendingEdit::Edit(path, DocumentEdit::SetMeta { bullet, meta }, EffectKind::NoEffect);
    edits.extend(meta.map(set));
    edits
}

/// The bullet at an index, if an operation removes a value of its metadata and shows that value, not the bullet's text,
/// as what is there. Only a path of json-memory to a field, as in `food.likes[2].expiry`, makes such operations.
fn bullet_with_shown_value(
    document: &Document,
    resolved: &ResolvedTarget<'_>,
    selector: SelectorArgs<'_>,
    text: &str,
    pairs: &[(String, String)],
) -> Option<usize> {
    let ([(key, value)], None) = (pairs, &resolved.bullet) else { return None };
    let section = match resolved.section {
        SectionRef::File => 0,
        SectionRef::At(at) => at,
        SectionRef::Missing(_) => return None,
    };
    let nth = usize::try_from(selector.index?).ok()?.checked_sub(1)?;
    let bullet = *document.top_level_bullets(section).get(nth)?;
    let is_shown =
        value.is_empty() && selector.text == Some(text) && document.bullet_meta(bullet)?.raw(key) == selector.text;
    is_shown.then_some(bullet)
}

/// `rm`: removes a bullet, a section or a file. With `archive`, a copy goes to `archive/`.
pub fn remove(
    planner: &mut Planner<'_>,
    request: IndexedOperation<'_>,
    selector: SelectorArgs<'_>,
    archive: Option<ArchiveCopy<'_>>,
) -> PlanStep<Vec<PendingEdit>> {
    let resolved = planner.resolve(request.at)?;
    if resolved.bullet.is_none() && selector == SelectorArgs::default() {
        return remove_block(planner, request, resolved, archive);
    }
    planner.check_if_match(request, &resolved);
    let file = planner.existing_writable_file(&resolved)?;
    let picked = pick_bullet(planner, request, &resolved, selector, None)?;
    let (BulletPick::Change(bullet) | BulletPick::Unchanged(bullet)) = picked;
    let mut pending = Vec::new();
    let located = LocatedBullet { path: &resolved.path, document: &file.document, index: bullet };
    if let Some(copy) = archive {
        let item = ArchivedItem::bullet(planner, located, own_metadata(located, planner.snapshot)?, copy.purge_on)?;
        pending.push(PendingEdit::Archive(Box::new(item)));
    }
    pending.extend(LinkedBullets::of_bullet(located).without_relations(planner)?);
    pending.push(PendingEdit::Edit(resolved.path, DocumentEdit::Remove { bullet }, EffectKind::Removed(bullet)));
    Ok(pending)
}

/// The result of `rm` with `if_exists` for a bullet that is not there; `what` is its text, and why.
pub fn already_removed(
    planner: &Planner<'_>,
    request: IndexedOperation<'_>,
    what: String,
) -> PlanStep<Vec<PendingEdit>> {
    let path = planner.resolve(request.at)?.path;
    Ok(vec![PendingEdit::Unchanged(effects::line_effect(&path, EffectSign::Unchanged, what, None, request.index))])
}

/// Removes a whole section or file. No bullet is named, so the caller must prove that it read all of it.
fn remove_block<'a>(
    planner: &mut Planner<'a>,
    request: IndexedOperation<'_>,
    resolved: ResolvedTarget<'a>,
    archive: Option<ArchiveCopy<'_>>,
) -> PlanStep<Vec<PendingEdit>> {
    let Some(file) = resolved.file else {
        return Err(rejections::file_not_found(&resolved.path, planner.snapshot).into());
    };
    planner.check_if_match(request, &resolved);
    let section = resolved.existing_section(file)?;
    let (n, op) = (request.index, request.operation);
    let range = section_range(&file.document, section);
    let proven =
        op.if_match.is_some() || matches_etag(op.seen.as_deref(), file, Some(&file.document.text()[range.clone()]));
    // First: with a proof it would be refused all the same.
    let file = planner.existing_writable_file(&resolved)?;
    if !proven && !planner.context.force {
        return Err(rejections::removal_needs_proof(file, &resolved.path, section, &op.action).into());
    }
    let part = if section == 0 { 0..file.document.text().len() } else { range.clone() };
    let relations =
        LinkedBullets { path: &resolved.path, document: &file.document, part }.without_relations(planner)?;
    if section == 0 {
        let mut pending = match archive {
            Some(copy) => archive::archive_file(planner, &resolved.path, &file.document, copy.purge_on)?,
            None => vec![PendingEdit::RemoveFile(resolved.path)],
        };
        pending.extend(relations);
        return Ok(pending);
    }
    let mut effects = vec![effects::line_effect(
        &resolved.path,
        EffectSign::Removed,
        effects::heading_text(&file.document, section),
        effects::section_slug(&file.document, section),
        n,
    )];
    let inside = |i: &usize| locate::is_in_section(&file.document, *i, section);
    let located = |index| LocatedBullet { path: &resolved.path, document: &file.document, index };
    effects.extend(
        (0..file.document.bullets().len())
            .filter(inside)
            .map(|i| effects::bullet_effect(located(i), EffectSign::Removed, n)),
    );
    let mut pending = relations;
    if let Some(copy) = archive {
        let item = ArchivedItem::section(planner, &resolved.path, &file.document, section, copy.purge_on)?;
        pending.push(PendingEdit::Archive(Box::new(item)));
    }
    let cut = super::whole_file::removal_splice(&file.document, range);
    pending.push(PendingEdit::Edit(resolved.path, DocumentEdit::Raw(cut), EffectKind::Prepared(effects)));
    Ok(pending)
}

/// The insertion of a block of markdown at the end of a file, which is created if missing.
pub fn append_insertion(planner: &Planner<'_>, to: &MemoryPath, block: &str) -> PlanStep<PendingEdit> {
    let insertion = match planner.snapshot.file(to)? {
        Some(file) => super::whole_file::append_splice(&file.document, block),
        None => super::whole_file::append_splice(&new_file_document(to), block),
    };
    let base = insertion.map_err(|reason| PlanStop::from(Rejection::new(Code::WouldBreakStructure, reason)))?;
    Ok(PendingEdit::Edit(to.clone(), DocumentEdit::Raw(base), EffectKind::NoEffect))
}

/// `set`: changes a bullet's metadata.
pub fn set_meta<'a>(
    planner: &mut Planner<'a>,
    request: IndexedOperation<'_>,
    resolved: ResolvedTarget<'a>,
    pairs: &[(String, String)],
) -> PlanStep<Vec<PendingEdit>> {
    planner.check_if_match(request, &resolved);
    let file = planner.existing_writable_file(&resolved)?;
    let (BulletPick::Change(bullet) | BulletPick::Unchanged(bullet)) =
        pick_bullet(planner, request, &resolved, SelectorArgs::default(), None)?;
    let bullet = LocatedBullet { path: &resolved.path, document: &file.document, index: bullet };
    set_meta_of(planner, request.index, bullet, pairs)
}

/// A bullet's metadata with these values, and the values as they are stored. The base is `stamped` if there is one,
/// else the present metadata.
fn merged_meta(
    planner: &mut Planner<'_>,
    n: usize,
    bullet: LocatedBullet<'_>,
    stamped: Option<BulletMeta>,
    pairs: &[(String, String)],
) -> PlanStep<(BulletMeta, Vec<(String, String)>)> {
    let inert = inert_metadata::inert_bullets(bullet.document, bullet.path, planner.snapshot)?;
    // An inert line belongs to another bullet: it is replaced when this bullet gets metadata.
    let present = || bullet.meta().filter(|_| !inert.contains(&bullet.index));
    let mut meta = stamped.or_else(present).unwrap_or_default();
    let today = planner.today();
    let stored = |(key, value): &(String, String)| (key.clone(), field_checks::stored_value(key, value, &today));
    let pairs: Vec<(String, String)> = pairs.iter().map(stored).collect();
    for (key, value) in &pairs {
        field_checks::check_meta(key, value)?;
        if key == "id" && !value.is_empty() {
            check_unique_id(bullet, value, &inert)?;
        }
        meta.set(key, value);
    }
    if pairs.iter().any(|(key, _)| key == MetaKey::Exp.name()) {
        warn_expired(planner, n, Some(&meta));
    }
    Ok((meta, pairs))
}

/// Adds a warning if the last day that is given to a bullet is over already.
fn warn_expired(planner: &mut Planner<'_>, n: usize, meta: Option<&BulletMeta>) {
    if let Some(day) = meta.and_then(BulletMeta::expires).filter(|day| *day < planner.context.now.date()) {
        let message = format!("it expired on {day} already, so `context` and `query` leave it out");
        planner.warn(n, Warning::new(Code::Expired, message));
    }
}

/// Sets values of a bullet's metadata; an empty one removes its key.
pub(super) fn set_meta_of(
    planner: &mut Planner<'_>,
    n: usize,
    bullet: LocatedBullet<'_>,
    pairs: &[(String, String)],
) -> PlanStep<Vec<PendingEdit>> {
    let (meta, pairs) = merged_meta(planner, n, bullet, None, pairs)?;
    let present = bullet.meta();
    if Some(&meta) == present.as_ref() || (meta.0.is_empty() && present.is_none()) {
        return Ok(vec![unchanged_bullet(bullet, n)]);
    }
    let pairs_text = pairs.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ");
    Ok(vec![PendingEdit::Edit(
        bullet.path.clone(),
        DocumentEdit::SetMeta { bullet: bullet.index, meta },
        EffectKind::MetaSet(bullet.index, pairs_text),
    )])
}
