//! The fact files of a memory as entities of a graph: how one is read, and the text and name of a new one.
//!
//! Never reads or writes a file.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

use super::graph::{GraphEntity, no_bullet};
use crate::code::{Code, Rejection};
use crate::document::related_edge::text_without_edges;
use crate::document::relation::{RelationText, escape_relation, unescape_relation};
use crate::document::{
    Document, DocumentEdit, EditRefusal, InsertPosition, NewBullet, apply_edits, bullet_from_text, front_matter_line,
    title_line, trim_lines,
};
use crate::path::MemoryPath;
use crate::text::one_line::collapse_whitespace;

/// The file with the relations that start at no entity.
pub const RELATIONS_FILE: &str = "facts/relations.md";
/// The longest name of a new file, in bytes, without its number and extension.
const MAX_STEM_BYTES: usize = 120;

/// A fact file, read as an entity.
pub struct GraphFile {
    pub path: MemoryPath,
    pub etag: String,
    pub document: Document,
    /// `title:` of the front matter, else the heading, else the name of the file.
    pub title: String,
    /// The name of the entity: the title, in a graph with the path if another file has the same title.
    pub name: String,
    /// `type:` of the front matter, else the name of the file, which is its category.
    pub entity_type: String,
    /// The texts of the bullets that are no relations, each with the bullet's index.
    pub observations: Vec<(usize, String)>,
    /// The relation bullets, each with its index.
    pub relations: Vec<(usize, RelationText)>,
}

impl GraphFile {
    /// Whether a graph has the file: it holds facts.
    pub fn is_part(path: &MemoryPath) -> bool {
        (path.is_adopted() || path.folder() == Some("facts")) && !path.holds_episodes()
    }

    /// Reads the name, type, observations and relations of a parsed file.
    pub fn read(path: MemoryPath, etag: String, document: Document) -> GraphFile {
        let title = stated_title(&document).unwrap_or_else(|| path.stem().to_owned());
        let entity_type = document.front_text("type").unwrap_or_else(|| path.stem().to_owned());
        let (mut observations, mut relations) = (Vec::new(), Vec::new());
        for bullet in document.top_level_bullets(0) {
            let text = text_without_edges(&document, bullet);
            match RelationText::parse(&text) {
                Some(relation) => relations.push((bullet, relation)),
                None => observations.push((bullet, unescape_relation(&text))),
            }
        }
        GraphFile { path, etag, document, name: title.clone(), title, entity_type, observations, relations }
    }

    /// Whether the file is an entity, and not only the place of relations that have none.
    pub fn is_entity(&self) -> bool {
        self.path.as_str() != RELATIONS_FILE || !self.observations.is_empty()
    }

    pub fn entity(&self) -> Option<GraphEntity> {
        self.is_entity().then(|| GraphEntity {
            name: self.name.clone(),
            entity_type: self.entity_type.clone(),
            observations: self.observations.iter().map(|(_, text)| text.clone()).collect(),
        })
    }

    /// Whether the file has this observation, or a bullet that differs from it only in spaces: it would not be added.
    /// `line` is that of [`bullet_line`].
    pub fn has_observation(&self, text: &str, line: Option<&str>) -> bool {
        self.observations.iter().any(|(_, known)| known == text)
            || line.is_some_and(|line| !self.document.bullets_by_text(line).is_empty())
    }
}

/// What a file says that it is about: `title:` of its front matter, else its heading.
pub fn stated_title(document: &Document) -> Option<String> {
    let heading = || Some(document.section_title(0).into_owned()).filter(|title| !title.is_empty());
    document.front_text("title").or_else(heading)
}

/// The text of a bullet as one line, with single spaces, if there is nothing below it.
pub fn bullet_line(bullet: &NewBullet) -> Option<String> {
    let is_line = bullet.children.len() == bullet.continuation_lines();
    is_line.then(|| collapse_whitespace(&bullet.paragraph()))
}

/// The text of the file of a new entity. An observation that is given twice is one bullet.
///
/// # Errors
/// `would_break_structure` for an observation that cannot be a bullet.
pub fn entity_text(entity: &GraphEntity) -> Result<String, Rejection> {
    let heading = title_line(&entity.name);
    let title = if heading.is_some() { String::new() } else { front_matter_line("title", &entity.name) };
    let kind = front_matter_line("type", &entity.entity_type);
    let head = format!("---\n{title}{kind}---\n{}", heading.unwrap_or_default());
    let (mut texts, mut items) = (HashSet::new(), Vec::new());
    for text in &entity.observations {
        let bullet = bullet_from_text(&escape_relation(text)).ok_or_else(|| no_bullet(text))?;
        if texts.insert(bullet_line(&bullet).unwrap_or_else(|| trim_lines(text))) {
            items.push(bullet);
        }
    }
    let insert = DocumentEdit::Insert { at: InsertPosition::EndOfSection(0), items };
    Ok(apply_edits(&Document::parse(head), &[insert]).map_err(not_written)?.document.into_text())
}

/// Why bullets cannot be written.
pub(super) fn not_written(refused: Vec<EditRefusal>) -> Rejection {
    let reason = refused.into_iter().next().map(|first| first.reason).unwrap_or_default();
    Rejection::new(Code::WouldBreakStructure, reason)
}

/// The path of a new entity's file: its name, where that can be the name of a file, so that links lead to it. `taken`
/// are the paths of all files in their case-folded form.
pub fn new_entity_path(name: &str, taken: &HashSet<String>) -> MemoryPath {
    new_path_in("facts", name, taken)
}

/// The path of a new file for anything with a name, below a folder that can hold files.
pub(super) fn new_path_in(folder: &str, name: &str, taken: &HashSet<String>) -> MemoryPath {
    let stem = entity_stem(name);
    let mut number = 1;
    loop {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        match new_path(&format!("{folder}/{stem}{suffix}.md")).filter(|path| !taken.contains(&path.case_folded())) {
            Some(path) => return path,
            None => number += 1,
        }
    }
}

/// Whether [`new_entity_path`] makes files of this stem for entities of this name.
pub fn is_made_stem(stem: &str, name: &str) -> bool {
    let is_number = |n: &str| n.is_empty() || n.strip_prefix('-').is_some_and(|n| n.parse::<usize>().is_ok());
    entity_stems(name).any(|made| stem.strip_prefix(&made).is_some_and(is_number))
}

/// The stem of a new file for a name.
fn entity_stem(name: &str) -> String {
    entity_stems(name).next().unwrap_or_else(|| "entity".to_owned())
}

/// The texts made of a name that can be the stem of a file: the name itself, where it can, then without what a file
/// name does without; the last one is for names that no file can have.
pub(super) fn entity_stems(name: &str) -> impl Iterator<Item = String> {
    let itself = Some(name.nfc().collect::<String>())
        .filter(|itself| itself.len() <= MAX_STEM_BYTES && !itself.contains('/') && !itself.starts_with(['-', ' ']));
    let kept = |c: char| if c.is_alphanumeric() || " _-.,'()+&".contains(c) { c } else { '-' };
    let safe: String = name.nfc().map(kept).collect();
    let safe = cut(safe.trim_start_matches(['-', '.', ' ']).trim_end_matches(['-', '.', ' ']));
    let plain: String = safe.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let stems = itself.into_iter().chain([safe.to_owned(), format!("entity-{plain}")]);
    stems.filter(|stem| new_path(&format!("facts/{stem}.md")).is_some())
}

/// The path, if a new file can have it.
pub(super) fn new_path(path: &str) -> Option<MemoryPath> {
    MemoryPath::new(path).ok().filter(|path| path.new_name_problem().is_none() && path.as_str() != RELATIONS_FILE)
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_STEM_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim_end_matches(['-', '.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_has_the_name_of_its_entity_where_it_can() {
        let path = |name: &str, taken: &[&str]| {
            let taken = taken.iter().map(|path| (*path).to_owned()).collect();
            new_entity_path(name, &taken).to_string()
        };
        for (name, wanted) in [
            ("Ana María", "facts/Ana María.md"),
            ("项目", "facts/项目.md"),
            ("Node.js", "facts/Node.js.md"),
            ("../../etc/passwd", "facts/etc-passwd.md"),
            ("a/b\\c", "facts/a-b-c.md"),
            ("CON", "facts/entity-CON.md"),
            ("", "facts/entity-.md"),
            ("\u{202e}\n", "facts/entity-.md"),
            ("C#", "facts/C.md"),
            ("ünï 🎉", "facts/ünï 🎉.md"),
            ("It’s – a=b!", "facts/It’s – a=b!.md"),
            (" -x. ", "facts/x.md"),
            ("Relations", "facts/Relations.md"),
            ("relations", "facts/entity-relations.md"),
        ] {
            assert_eq!(path(name, &[]), wanted, "{name:?}");
        }
        assert_eq!(path("Bob", &["facts/bob.md", "facts/bob-2.md"]), "facts/Bob-3.md");
        assert!(path(&"é".repeat(300), &[]).len() < 140);
    }

    #[test]
    fn the_text_of_a_new_entity_is_read_back() {
        let entity = |name: &str, kind: &str, observations: &[&str]| GraphEntity {
            name: name.to_owned(),
            entity_type: kind.to_owned(),
            observations: observations.iter().map(|text| (*text).to_owned()).collect(),
        };
        for (written, text) in [
            (
                entity("Ana", "person", &["Likes tea", "Steps:\n- one"]),
                "---\ntype: person\n---\n# Ana\n\n- Likes tea\n- Steps:\n  - one\n",
            ),
            (entity("C #", "", &[]), "---\ntype: \"\"\n---\n# C \\#\n"),
            (
                entity("a\nb", "x: y", &["knows [[B]]"]),
                "---\ntitle: \"a\\nb\"\ntype: \"x: y\"\n---\n\n- knows \\[[B]]\n",
            ),
            (entity(" x ", "t", &[]), "---\ntitle: \" x \"\ntype: t\n---\n"),
        ] {
            assert_eq!(entity_text(&written).unwrap(), text);
            let path = MemoryPath::new("facts/a.md").unwrap();
            assert_eq!(GraphFile::read(path, String::new(), Document::parse(text)).entity(), Some(written));
        }
        assert_eq!(entity_text(&entity("a", "t", &[" "])).unwrap_err().code, Code::WouldBreakStructure);
    }
}
