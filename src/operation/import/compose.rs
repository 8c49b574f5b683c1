//! The text of a file with imported memories in it: new, or with what it did not have yet.
//!
//! Never changes a line that was there. What has an id or a text that the file has is there already.

use std::collections::{HashMap, HashSet};

use super::{ImportRemark, ImportedBullet, ImportedNote, NoteContent};
use crate::code::Rejection;
use crate::document::{
    BlockKind, BulletMeta, Document, DocumentEdit, InsertPosition, MetaKey, NewBullet, apply_edits, bullet_from_text,
    bullet_to_text, front_matter_line, section_titles, slug, title_line, to_new_bullet, trim_lines,
};
use crate::operation::graph_files::not_written;
use crate::operation::validation::check_bullet_size;
use crate::text::one_line::collapse_whitespace;

/// What importing a note makes of a file.
#[derive(Debug, Default)]
pub struct ComposedFile {
    /// The whole text; `None` if the file has everything already.
    pub text: Option<String>,
    pub added: usize,
    /// Items that the file had already.
    pub present: usize,
    pub remarks: Vec<ImportRemark>,
}

impl ComposedFile {
    fn remark(&mut self, item: &str, reason: impl Into<String>, is_skipped: bool) {
        self.remarks.push(ImportRemark { item: item.to_owned(), reason: reason.into(), is_skipped });
    }
}

/// The text of a file with a note in it.
///
/// # Errors
/// `would_break_structure` for bullets that cannot be written together.
pub fn compose(note: &ImportedNote, existing: Option<Document>) -> Result<ComposedFile, Rejection> {
    match (&note.content, existing) {
        (NoteContent::Text(text), None) => Ok(whole_text(note, text)),
        (NoteContent::Text(text), Some(file)) => add_text(note, text, file),
        (NoteContent::Bullets { title, front_matter, bullets }, existing) => {
            let mut composed = ComposedFile::default();
            let is_new = existing.is_none();
            let base = existing.unwrap_or_else(|| Document::parse(head(note, title, front_matter, &mut composed)));
            add_bullets(bullets, base, is_new, composed)
        }
    }
}

fn whole_text(note: &ImportedNote, text: &str) -> ComposedFile {
    let mut composed = ComposedFile::default();
    let document = Document::parse(text);
    let reason = match (text.contains('\0'), document.conflict_marker_line()) {
        (true, _) => Some("it contains a NUL byte".to_owned()),
        (_, Some(line)) => Some(format!("line {line} is a merge conflict marker")),
        _ => None,
    };
    match reason {
        Some(reason) => composed.remark(&note.name, reason, true),
        None => {
            composed.added = document.top_level_bullets(0).len().max(1);
            composed.text = Some(text.to_owned());
        }
    }
    composed
}

/// Adds the bullets of a text to a file that exists; what is no bullet is only reported.
fn add_text(note: &ImportedNote, text: &str, file: Document) -> Result<ComposedFile, Rejection> {
    if file.text() == text {
        return Ok(ComposedFile { present: 1, ..ComposedFile::default() });
    }
    let source = Document::parse(text);
    let mut composed = ComposedFile::default();
    let mut ids = KnownIds::of(&file);
    let mut items = Vec::new();
    for bullet in 0..source.bullets().len() {
        if source.bullets()[bullet].depth == 0 {
            let section = section_titles(&source, source.bullets()[bullet].section as usize);
            let (text, bullet) = (bullet_to_text(&source, bullet), to_new_bullet(&source, bullet));
            let placed = PlacedBullet { item: note.name.clone(), section, text, bullet };
            items.extend(ids.accept(placed, &mut composed));
        }
    }
    let in_bullet = |at: u32| source.bullets().iter().any(|b| b.line_start <= at && at < b.end);
    let summary = source.summary_line().map(|line| line.line.range());
    for block in source.blocks() {
        let is_part = matches!(block.kind, BlockKind::Bullet(_) | BlockKind::Heading(_) | BlockKind::ThematicBreak);
        let is_summary = summary.as_ref().is_some_and(|line| line.contains(&(block.span.start as usize)));
        let raw = text[block.span.range()].trim();
        if !is_part && !is_summary && !in_bullet(block.span.start) && !file.text().contains(raw) {
            let start: String = raw.chars().take(60).collect();
            composed.remark(&note.name, format!("the file exists; this text is not added to it: {start}"), true);
        }
    }
    insert_all(items, file, composed)
}

/// Front matter and heading of a new file.
fn head(note: &ImportedNote, title: &str, front: &[(String, String)], composed: &mut ComposedFile) -> String {
    let heading = title_line(title);
    let mut lines = String::new();
    if heading.is_none() {
        lines.push_str(&front_matter_line("title", title));
    }
    for (key, value) in front {
        if value.starts_with('[') && value.ends_with(']') {
            lines.push_str(&format!("{key}: {value}\n"))
        } else {
            lines.push_str(&front_matter_line(key, value))
        }
    }
    let written = if lines.is_empty() {
        heading.unwrap_or_default()
    } else {
        format!("---\n{lines}---\n{}", heading.unwrap_or_default())
    };
    let document = Document::parse(written.as_str());
    if let Some((key, _)) = front.iter().find(|(key, _)| document.front_value(key).is_none()) {
        composed.remark(&note.name, format!("its '{key}' cannot be a key of front matter"), false);
    }
    written
}

/// A bullet as it will be written.
struct PlacedBullet {
    /// Its position in the source.
    item: String,
    /// The titles of its section and those around it, outermost first.
    section: Vec<String>,
    /// Its text with what is below it, as it will be read back.
    text: String,
    bullet: NewBullet,
}

fn add_bullets(
    bullets: &[ImportedBullet],
    base: Document,
    is_new: bool,
    mut composed: ComposedFile,
) -> Result<ComposedFile, Rejection> {
    let mut ids = KnownIds::of(&base);
    let mut items: Vec<PlacedBullet> = Vec::new();
    for bullet in bullets {
        let lines = bullet.text.replace("\r\n", "\n");
        let text: String = lines.chars().filter(|c| is_kept(*c)).collect();
        if text.len() != lines.len() {
            composed.remark(&bullet.item, "control characters are left out of its text", false);
        }
        let Some((mut item, text)) = to_bullet(&text, bullet, &mut composed) else { continue };
        if let Err(error) = check_bullet_size(&item.text, &item.children) {
            composed.remark(&bullet.item, error.message, true);
            continue;
        }
        let section: Vec<String> =
            bullet.section.iter().filter_map(|title| section_title(title, bullet, &mut composed)).collect();
        item.meta = Some(checked_meta(bullet, &mut composed)).filter(|meta| !meta.0.is_empty());
        let placed = PlacedBullet { item: bullet.item.clone(), section, text, bullet: item };
        items.extend(ids.accept(placed, &mut composed));
    }
    // An entity without observations is one all the same.
    if is_new && items.is_empty() && (bullets.is_empty() || base.front_matter().is_some()) {
        composed.text = Some(base.text().to_owned());
        composed.added += 1;
        return Ok(composed);
    }
    insert_all(items, base, composed)
}

/// The ids of a file's bullets.
struct KnownIds {
    all: HashSet<String>,
    /// The texts of the bullets that an id names. With the section: in lists of items, the same name is no id.
    texts: HashMap<(String, Vec<String>), HashSet<String>>,
}

impl KnownIds {
    fn of(file: &Document) -> KnownIds {
        let mut ids = KnownIds { all: HashSet::new(), texts: HashMap::new() };
        for bullet in 0..file.bullets().len() {
            ids.all.extend(file.bullet_id(bullet).map(|id| id.into_owned()));
            let section = section_titles(file, file.bullets()[bullet].section as usize);
            for id in file.bullet_meta(bullet).into_iter().flat_map(|meta| foreign_ids(&meta, &section)) {
                ids.texts.entry(id).or_default().insert(collapse_whitespace(&bullet_to_text(file, bullet)));
            }
        }
        ids
    }

    /// The bullet if it is to be added: the file has none with its id in that section. An id is unique in its file: the
    /// second bullet with it keeps it as that of another program.
    fn accept(&mut self, mut placed: PlacedBullet, composed: &mut ComposedFile) -> Option<PlacedBullet> {
        let Some(mut meta) = placed.bullet.meta.take() else { return Some(placed) };
        let ids = foreign_ids(&meta, &placed.section);
        if let Some((texts, id)) = ids.into_iter().find_map(|id| Some((self.texts.get(&id)?, id.0))) {
            if texts.contains(&collapse_whitespace(&placed.text)) {
                composed.present += 1;
            } else {
                let reason = format!("a bullet with its id '{id}' is there with another text, and keeps that");
                composed.remark(&placed.item, reason, true);
            }
            return None;
        }
        if let Some(id) = meta.id().map(str::to_owned)
            && !self.all.insert(id.clone())
        {
            meta.set(MetaKey::Id.name(), "");
            meta.set(MetaKey::Oid.name(), &id);
            composed.remark(&placed.item, format!("another bullet has the id '{id}'; it is kept as oid"), false);
        }
        placed.bullet.meta = Some(meta);
        Some(placed)
    }
}

/// The ids by which a bullet is known elsewhere, each with its section.
fn foreign_ids(meta: &BulletMeta, section: &[String]) -> Vec<(String, Vec<String>)> {
    let ids = [MetaKey::Id, MetaKey::Oid].into_iter().filter_map(|key| meta.raw(key.name()));
    ids.map(|id| (id.to_owned(), slugs(section))).collect()
}

fn is_kept(c: char) -> bool {
    !c.is_control() || matches!(c, '\n' | '\t')
}

/// The text as a bullet, and how it will be read back. What Markdown cannot hold as it is becomes one line.
fn to_bullet(text: &str, bullet: &ImportedBullet, composed: &mut ComposedFile) -> Option<(NewBullet, String)> {
    if let Some(item) = bullet_from_text(text) {
        if trim_lines(text) != text {
            composed.remark(&bullet.item, "blanks around its lines are left out", false);
        }
        return Some((item, trim_lines(text)));
    }
    let line = collapse_whitespace(text);
    let item = bullet_from_text(&line);
    match &item {
        Some(_) => composed.remark(&bullet.item, "its lines are joined, because a bullet cannot hold them", false),
        None if line.is_empty() => composed.remark(&bullet.item, "it has no text", true),
        None => composed.remark(&bullet.item, "its text cannot be a bullet", true),
    }
    item.map(|item| (item, line))
}

fn section_title(title: &str, bullet: &ImportedBullet, composed: &mut ComposedFile) -> Option<String> {
    let plain: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let plain = collapse_whitespace(&plain);
    if plain != title {
        composed.remark(&bullet.item, "the name of its section is written as one line", false);
    }
    Some(plain).filter(|title| !slug(title).is_empty())
}

/// The metadata in the documented order. A value that its key does not permit stays under another name.
fn checked_meta(bullet: &ImportedBullet, composed: &mut ComposedFile) -> BulletMeta {
    let mut meta = BulletMeta::default();
    for (key, value) in &bullet.meta {
        let length = value.len();
        let value: String = value.chars().filter(|c| !c.is_control()).collect();
        if value.len() != length {
            composed.remark(
                &bullet.item,
                format!("line breaks and control characters are left out of its {key}"),
                false,
            );
        }
        let own = MetaKey::from_name(key);
        let is_name = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if own.is_none_or(|own| own.accepts(&value)) && is_name {
            meta.set(key, &value)
        } else {
            composed.remark(&bullet.item, format!("its {key} is '{value}', which is not valid here"), false);
            let plain: String = key.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
            meta.set(&format!("x-{plain}"), &value);
        }
    }
    meta
}

/// Inserts what the file has not yet, section by section.
fn insert_all(items: Vec<PlacedBullet>, base: Document, mut composed: ComposedFile) -> Result<ComposedFile, Rejection> {
    let mut sections: Vec<Vec<String>> = Vec::new();
    let mut by_section: HashMap<Vec<String>, Vec<NewBullet>> = HashMap::new();
    let mut known: HashMap<Vec<String>, HashSet<String>> = HashMap::new();
    for bullet in 0..base.bullets().len() {
        let b = &base.bullets()[bullet];
        if b.depth == 0 {
            let section = slugs(&section_titles(&base, b.section as usize));
            known.entry(section).or_default().insert(collapse_whitespace(&bullet_to_text(&base, bullet)));
        }
    }
    let mut added: HashSet<(Vec<String>, String)> = HashSet::new();
    for PlacedBullet { item, section, text, bullet } in items {
        let (section_slugs, text) = (slugs(&section), collapse_whitespace(&text));
        if known.get(&section_slugs).is_some_and(|texts| texts.contains(&text)) {
            composed.present += 1;
            continue;
        }
        if !added.insert((section_slugs, text)) {
            composed.remark(&item, "another item there has the same text", true);
            continue;
        }
        composed.added += 1;
        if !by_section.contains_key(&section) {
            sections.push(section.clone());
        }
        by_section.entry(section).or_default().push(bullet);
    }
    let mut file = base;
    for section in &sections {
        let at = section_position(&file, section);
        let items = by_section.remove(section).unwrap_or_default();
        file = apply(&file, DocumentEdit::Insert { at, items })?;
    }
    composed.text = (composed.added > 0).then(|| file.into_text());
    Ok(composed)
}

fn slugs(titles: &[String]) -> Vec<String> {
    titles.iter().map(|title| slug(title)).collect()
}

/// Where the bullets of a section go.
fn section_position(file: &Document, titles: &[String]) -> InsertPosition {
    let slugs_of: Vec<Vec<String>> = (0..file.sections().len()).map(|at| slugs(&section_titles(file, at))).collect();
    let find = |depth: usize| {
        let wanted = slugs(&titles[..depth]);
        (1..file.sections().len()).find(|at| slugs_of[*at] == wanted)
    };
    let found = (1..=titles.len()).rev().find_map(|depth| Some((depth, find(depth)?)));
    match found {
        Some((depth, at)) if depth == titles.len() => InsertPosition::EndOfSection(at),
        None if titles.is_empty() => InsertPosition::EndOfSection(0),
        _ => {
            let (depth, under) = found.unwrap_or_default();
            InsertPosition::NewSection { under, titles: titles[depth..].to_vec() }
        }
    }
}

fn apply(document: &Document, edit: DocumentEdit) -> Result<Document, Rejection> {
    apply_edits(document, &[edit]).map(|edited| edited.document).map_err(not_written)
}
