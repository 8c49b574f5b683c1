//! Refuses ids that another bullet or section of the file has, wherever they stand: in metadata, text or a heading.
//!
//! Never looks at a whole file that is written: `check` reports what a person put there.

use crate::code::{Code, Rejection};
use crate::document::{Document, DocumentEdit, EditedDocument, LocatedBullet, MetaKey, block_id};
use crate::path::MemoryPath;

use super::file_edits::FileEdits;
use super::locate;
use super::pending_edit::EffectKind;

/// Refuses new bullets, texts and headings with an id that another bullet or section has after all edits. What moves,
/// goes to `archive/` or comes back keeps the id that it has: `check` reports two of one.
pub fn check_new_ids(base: &Document, edited: &EditedDocument, file_edits: &FileEdits) -> Result<(), Rejection> {
    let (document, path) = (&edited.document, &file_edits.path);
    for ((n, _, kind), written) in file_edits.edits.iter().zip(&edited.written_bullets) {
        for index in written.iter().copied().filter(|_| matches!(kind, EffectKind::Added)) {
            let id = document.bullet_meta(index).and_then(|meta| meta.raw(MetaKey::Id.name()).map(str::to_owned));
            let check = |id: String| check_unique_id(LocatedBullet { path, document, index }, &id, &[]);
            id.map_or(Ok(()), check).map_err(|error| error.at_operation(*n))?;
        }
    }
    // Nearly no edit writes one in a text: then the bullets, of which there may be many, are not looked at.
    let may_have_id = |text: &str| text.contains('^') || text.contains("{#");
    if path.is_archived() || !edited.splices.iter().any(|splice| may_have_id(&splice.new)) {
        return Ok(());
    }
    // The destination of what moves has no effect of its own.
    let writers = || file_edits.edits.iter().rev().filter(|(.., kind)| *kind != EffectKind::NoEffect);
    let is_new = |id: &&str| count_of(written_ids(document), id) > count_of(written_ids(base), id);
    let all = || document.bullet_ids().iter().map(|(_, id)| &**id).chain(section_ids(document));
    let twice = written_ids(document).filter(is_new).filter(|id| count_of(all(), id) > 1);
    let written = twice.filter_map(|id| Some((id, writers().find(|(_, edit, _)| writes(edit, id))?.0))).next();
    written.map_or(Ok(()), |(id, n)| Err(id_in_use(id, path).at_operation(n)))
}

/// Whether the text of an edit contains an id.
fn writes(edit: &DocumentEdit, id: &str) -> bool {
    let has = |text: &str| text.contains(id);
    match edit {
        DocumentEdit::Update { text, .. } => has(text),
        DocumentEdit::Replace { item, .. } => has(&item.text) || item.children.iter().any(|line| has(line)),
        DocumentEdit::Insert { items, .. } => {
            items.iter().any(|item| has(&item.text) || item.children.iter().any(|line| has(line)))
        }
        DocumentEdit::Raw(splice) => has(&splice.new),
        DocumentEdit::Remove { .. } | DocumentEdit::SetMeta { .. } => false,
    }
}

fn count_of<'a>(ids: impl Iterator<Item = &'a str>, id: &str) -> usize {
    ids.filter(|other| *other == id).count()
}

fn section_ids(document: &Document) -> impl Iterator<Item = &str> {
    document.sections().iter().filter_map(|section| section.id.as_deref())
}

/// The ids that stand in texts of bullets and in headings, not in metadata.
fn written_ids(document: &Document) -> impl Iterator<Item = &str> {
    let in_texts = (0..document.bullets().len()).filter_map(|bullet| block_id(document.bullet_raw(bullet)));
    in_texts.chain(section_ids(document))
}

/// Refuses an id that a bullet other than this one, or a section, has.
pub fn check_unique_id(bullet: LocatedBullet<'_>, id: &str, inert: &[usize]) -> Result<(), Rejection> {
    let LocatedBullet { path, document, index } = bullet;
    let mut others = locate::bullets_with_id(document, id).filter(|i| *i != index && !inert.contains(i));
    if others.next().is_none() && document.sections().iter().all(|s| s.id.as_deref() != Some(id)) {
        return Ok(());
    }
    Err(id_in_use(id, path))
}

/// `exists`: another bullet or section of the file has the id.
fn id_in_use(id: &str, path: &MemoryPath) -> Rejection {
    Rejection::new(Code::Exists, format!("the id {id} is already used in {path}"))
        .hint("ids must be unique within a file; choose another one")
}
