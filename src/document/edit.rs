//! Applies bullet edits as byte replacements, and verifies them by parsing the result again (ARCHITECTURE.md,
//! "Promises").
//!
//! Never touches a byte outside the edited bullets, and refuses an edit that it cannot verify.

use std::borrow::Cow;

use super::{BulletMeta, Document, escape};
use crate::text::{Splice, compose, splice};

mod insert_layout;
mod raw;
mod render;
mod verify;

pub use raw::share_only_blanks;

/// A bullet to insert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewBullet {
    /// Plain text, one line. Escaped on writing where Markdown would read it as structure.
    pub text: String,
    pub meta: Option<BulletMeta>,
    /// Markdown below the text, one entry for each line, dedented to column 0: first the lines that continue the text's
    /// paragraph, then nested lists, code blocks, more paragraphs. Usually empty.
    pub children: Vec<String>,
    /// The first line as a file has it, if that is not how `text` would be written: with comments, or blanks at the end
    /// that break the line. It is written instead of `text`.
    pub raw_first_line: Option<String>,
}

impl NewBullet {
    /// The whole first paragraph, as [`Document::bullet_text`] returns it once the bullet is written.
    pub fn paragraph(&self) -> Cow<'_, str> {
        if self.children.first().is_some_and(|line| !line.trim().is_empty()) {
            Cow::Owned(self.parse_paragraph().0)
        } else {
            Cow::Borrowed(&self.text)
        }
    }

    /// The number of leading children that continue the text's paragraph. Decided by the Markdown parser, because what
    /// ends a paragraph depends on more than the first character of a line.
    pub fn continuation_lines(&self) -> usize {
        if self.children.first().is_some_and(|line| !line.trim().is_empty()) { self.parse_paragraph().1 } else { 0 }
    }

    /// The first line as it is written, without blanks before it.
    fn first_line(&self) -> Cow<'_, str> {
        match &self.raw_first_line {
            Some(raw) => Cow::Borrowed(raw.trim_start_matches([' ', '\t'])),
            None => escape::encode_first_line(render::trim_blanks(&self.text), &self.children),
        }
    }

    /// Paragraph and number of continuation lines. Without a paragraph, the text and none.
    fn parse_paragraph(&self) -> (String, usize) {
        let mut written = format!("- {}", self.first_line());
        self.children.iter().for_each(|line| written.extend(["\n  ", line.as_str()]));
        let document = Document::parse(written);
        let bullet = document.bullets().first().filter(|b| b.depth == 0 && b.text_end > b.text_start);
        let Some(bullet) = bullet else { return (self.text.clone(), 0) };
        let lines = memchr::memchr_iter(b'\n', &document.text().as_bytes()[..bullet.text_end as usize]).count();
        (document.bullet_text(0).into_owned(), lines)
    }
}

/// Where to insert new bullets. Indexes refer to the document before the edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertPosition {
    /// After the last top-level bullet of a section's own content (without subsections), else at the end of that
    /// content. For section 0: the content above the first heading other than the H1.
    EndOfSection(usize),
    /// Directly before a bullet, as its sibling. No operation asks for it yet.
    #[cfg_attr(not(feature = "internals"), expect(dead_code))]
    Before(usize),
    /// Directly after a bullet and its children, as its sibling.
    After(usize),
    /// Among the numbered top-level bullets of a section's own content: where the number is missing, and with it; in a
    /// section without bullets as a numbered list; as `EndOfSection` where it is not missing.
    Numbered { section: usize, number: u32 },
    /// Below new headings at the end of a section (0: of the file). The first heading is one level deeper than the
    /// section (in the file, level 2), each other one level deeper than the one before. Edits with the same first
    /// headings share them.
    NewSection {
        /// Index of the enclosing section.
        under: usize,
        /// From the outermost to the innermost; at least one.
        titles: Vec<String>,
    },
}

/// One change to a document. Indexes refer to the document before all edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentEdit {
    /// Replaces a bullet's first paragraph. Marker, metadata and children are unchanged.
    Update {
        bullet: usize,
        /// Plain text; after a line break, lines that continue the paragraph, as Markdown without indent.
        text: String,
    },
    /// Replaces a bullet with its metadata and children by another one at the same place. The marker is unchanged.
    Replace { bullet: usize, item: NewBullet },
    /// Removes a bullet with its metadata and children.
    Remove { bullet: usize },
    /// Inserts bullets in the given order.
    Insert { at: InsertPosition, items: Vec<NewBullet> },
    /// Adds or replaces a bullet's metadata line; empty metadata removes the line.
    SetMeta {
        bullet: usize,
        /// All keys of the new line.
        meta: BulletMeta,
    },
    /// Replaces a byte range as given. Not verified, except that the range lies on character boundaries and does not
    /// overlap another edit; the caller is responsible for the result.
    Raw(Splice),
}

/// The result of applying edits.
#[derive(Debug)]
pub struct EditedDocument {
    /// Sorted, disjoint replacements of the old text.
    pub splices: Vec<Splice>,
    /// The text after the edits, parsed.
    pub document: Document,
    /// For each edit, the bullets it wrote as indexes into the new document; empty for `Remove` and `Raw`.
    pub written_bullets: Vec<Vec<usize>>,
}

/// An edit that was refused because it cannot be verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRefusal {
    /// Index of the edit in the list.
    pub edit: usize,
    /// Reason shown to users.
    pub reason: String,
}

/// Applies a list of edits. `Raw` edits are applied first; the positions of the others are then translated.
///
/// # Errors
/// All refused edits. If one edit is refused, none is applied.
pub fn apply_edits(document: &Document, edits: &[DocumentEdit]) -> Result<EditedDocument, Vec<EditRefusal>> {
    if !edits.iter().any(|e| matches!(e, DocumentEdit::Raw(_))) {
        return apply_verified(document, edits);
    }
    let raw_edits = raw::collect(document, edits)?;
    let between = raw::apply(document, &raw_edits)?;
    let others = raw::translate_edits(document, &between, &raw_edits, edits)?;
    if others.is_empty() {
        let written_bullets = vec![Vec::new(); edits.len()];
        return Ok(EditedDocument {
            splices: raw_edits.into_iter().map(|(_, s)| s).collect(),
            document: between,
            written_bullets,
        });
    }
    let (numbers, moved): (Vec<usize>, Vec<DocumentEdit>) = others.into_iter().unzip();
    let renumber = |r: EditRefusal| EditRefusal { edit: numbers[r.edit], reason: r.reason };
    let verified = apply_verified(&between, &moved).map_err(|all| all.into_iter().map(renumber).collect::<Vec<_>>())?;
    let mut wrote = vec![Vec::new(); edits.len()];
    for (number, bullets) in numbers.iter().zip(verified.written_bullets) {
        wrote[*number] = bullets;
    }
    let raws: Vec<Splice> = raw_edits.into_iter().map(|(_, s)| s).collect();
    Ok(EditedDocument {
        splices: compose(&raws, &verified.splices),
        document: verified.document,
        written_bullets: wrote,
    })
}

/// Levels of extra formatting that an edit may need to parse as intended: 0 none, 1 blank lines around, 2 a separate
/// list.
const REPAIR_LEVELS: std::ops::RangeInclusive<u8> = 0..=2;

/// Applies edits with the lowest repair levels that pass verification.
fn apply_verified(document: &Document, edits: &[DocumentEdit]) -> Result<EditedDocument, Vec<EditRefusal>> {
    let targets = render::collect_targets(document, edits)?;
    let all: Vec<usize> = (0..edits.len()).collect();
    let mut levels = vec![0; edits.len()];
    if let Some(done) = try_edits(document, &targets, &all, &levels)? {
        return Ok(done);
    }
    let mut refused = Vec::new();
    find_repair_levels(document, &targets, &all, &mut levels, &mut refused)?;
    if !refused.is_empty() {
        return Err(refused);
    }
    // Edits that pass alone can still fail together, so raise all levels step by step.
    for floor in REPAIR_LEVELS {
        let levels: Vec<u8> = levels.iter().map(|l| floor.max(*l)).collect();
        if let Some(done) = try_edits(document, &targets, &all, &levels)? {
            return Ok(done);
        }
    }
    Err(all
        .into_iter()
        .map(|edit| EditRefusal {
            edit,
            reason: "these changes together would change how the rest of the file is parsed".into(),
        })
        .collect())
}

/// Finds the repair level of each edit by bisection: only edits that fail on their own need a higher level.
fn find_repair_levels(
    document: &Document,
    targets: &render::EditTargets<'_>,
    subset: &[usize],
    levels: &mut [u8],
    refused: &mut Vec<EditRefusal>,
) -> Result<(), Vec<EditRefusal>> {
    if let [edit] = subset {
        for level in REPAIR_LEVELS {
            levels[*edit] = level;
            if try_edits(document, targets, subset, levels)?.is_some() {
                return Ok(());
            }
        }
        let reason = match document.open_block() {
            Some(block) => block.to_string(),
            None => "the change would alter how the surrounding Markdown is parsed".to_owned(),
        };
        refused.push(EditRefusal { edit: *edit, reason });
        return Ok(());
    }
    if subset.is_empty() || try_edits(document, targets, subset, levels)?.is_some() {
        return Ok(());
    }
    let (left, right) = subset.split_at(subset.len() / 2);
    find_repair_levels(document, targets, left, levels, refused)?;
    find_repair_levels(document, targets, right, levels, refused)
}

/// Applies a subset of the edits and verifies the result; `None` if verification fails.
fn try_edits(
    document: &Document,
    targets: &render::EditTargets<'_>,
    subset: &[usize],
    levels: &[u8],
) -> Result<Option<EditedDocument>, Vec<EditRefusal>> {
    let rendered = render::render_edits(document, targets, subset, levels)?;
    let splices: Vec<Splice> = rendered.iter().map(|p| p.splice.clone()).collect();
    let Ok(text) = splice(document.text(), &splices) else { return Ok(None) };
    let after = Document::parse(text);
    let Some(matched) = verify::verify(document, &after, targets, subset, &rendered) else { return Ok(None) };
    after.reuse_handles(document, &matched.origin);
    Ok(Some(EditedDocument { splices, document: after, written_bullets: matched.written }))
}

/// Refuses a text that is not one line of a document.
fn check_text(text: &str) -> Result<(), String> {
    match text {
        _ if render::trim_blanks(text).is_empty() => Err("the text is empty".to_owned()),
        _ if text.contains(['\n', '\r']) => Err("the text contains a line break".to_owned()),
        _ if text.contains(|c: char| c.is_control() && c != '\t') => {
            Err("the text contains a control character".to_owned())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
