//! Edits of bullets as replacements of bytes, proven by parsing the result again (FINDINGS 1's recipe).
//!
//! Never touches a byte outside the edited bullets, and refuses what it cannot prove.

use super::{Document, Meta};
use crate::text::{Splice, compose, splice};

mod lay;
mod raw;
mod seat;
mod verify;

/// A new bullet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Its text, one line, as people mean it; escaped where it could break out.
    pub text: String,
    /// Its metadata line, if any.
    pub meta: Option<Meta>,
    /// Markdown below its text, one line each, indented from 0: nested lists, paragraphs. Empty for most.
    pub children: Vec<String>,
}

/// Where new bullets go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// After the last top-level bullet of a section's own text (without subsections), else at the end of its own text.
    /// Section 0 means: the text above the first heading below the H1.
    End(usize),
    /// Directly before a bullet, as its sibling.
    Before(usize),
    /// Directly after a bullet (and its children), as its sibling.
    After(usize),
    /// Under a new heading at the end of a section (0: of the file), one level deeper than it (2 in the file).
    NewSection {
        /// The section around it.
        under: usize,
        /// The heading's text.
        title: String,
    },
}

/// One change. Indexes are those of the document before all edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Replaces a bullet's first paragraph; marker, metadata and children stay.
    Update {
        /// Which.
        bullet: usize,
        /// The new text.
        text: String,
    },
    /// Removes bullets with metadata and children.
    Remove {
        /// Which.
        bullet: usize,
    },
    /// Adds bullets, in order.
    Insert {
        /// Where.
        at: Place,
        /// What.
        items: Vec<Item>,
    },
    /// Writes, replaces or (empty) removes a bullet's metadata line.
    SetMeta {
        /// Which.
        bullet: usize,
        /// The whole new metadata.
        meta: Meta,
    },
    /// Replaces bytes as they are: the caller vouches for them. Not verified beyond UTF-8 boundaries;
    /// must not overlap another edit.
    Raw(Splice),
}

/// A text after its edits.
#[derive(Debug)]
pub struct Edited {
    /// Sorted, disjoint replacements on the old text.
    pub splices: Vec<Splice>,
    /// The new text, parsed.
    pub document: Document,
    /// For each edit, the bullets it wrote, as indexes into the new document (empty for `Remove` and `Raw`).
    pub wrote: Vec<Vec<usize>>,
}

/// An edit that cannot be proven harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its number in the list.
    pub edit: usize,
    /// Why, for people.
    pub why: String,
}

/// Applies edits all at once. `Raw` ones are applied first, then all others, located on the document before.
///
/// # Errors
/// Every edit that had to be refused; then nothing is applied.
pub fn edit(document: &Document, edits: &[Edit]) -> Result<Edited, Vec<Refused>> {
    if !edits.iter().any(|e| matches!(e, Edit::Raw(_))) {
        return proven(document, edits);
    }
    let raws = raw::collect(document, edits)?;
    let between = raw::apply(document, &raws)?;
    let others = raw::translate(document, &between, &raws, edits)?;
    if others.is_empty() {
        let wrote = vec![Vec::new(); edits.len()];
        return Ok(Edited { splices: raws.into_iter().map(|(_, s)| s).collect(), document: between, wrote });
    }
    let (numbers, moved): (Vec<usize>, Vec<Edit>) = others.into_iter().unzip();
    let renumber = |r: Refused| Refused { edit: numbers[r.edit], why: r.why };
    let done = proven(&between, &moved).map_err(|all| all.into_iter().map(renumber).collect::<Vec<_>>())?;
    let mut wrote = vec![Vec::new(); edits.len()];
    for (number, bullets) in numbers.iter().zip(done.wrote) {
        wrote[*number] = bullets;
    }
    let raws: Vec<Splice> = raws.into_iter().map(|(_, s)| s).collect();
    Ok(Edited { splices: compose(&raws, &done.splices), document: done.document, wrote })
}

/// Repairs go from plain over blank lines around to a list of its own.
const LEVELS: std::ops::RangeInclusive<u8> = 0..=2;

/// Applies edits with as little repair as the proof needs.
fn proven(document: &Document, edits: &[Edit]) -> Result<Edited, Vec<Refused>> {
    let plan = lay::claims(document, edits)?;
    let all: Vec<usize> = (0..edits.len()).collect();
    let mut levels = vec![0; edits.len()];
    if let Some(done) = attempt(document, &plan, &all, &levels)? {
        return Ok(done);
    }
    let mut refused = Vec::new();
    repair(document, &plan, &all, &mut levels, &mut refused)?;
    if !refused.is_empty() {
        return Err(refused);
    }
    for floor in LEVELS {
        let levels: Vec<u8> = levels.iter().map(|l| floor.max(*l)).collect();
        if let Some(done) = attempt(document, &plan, &all, &levels)? {
            return Ok(done);
        }
    }
    Err(all
        .into_iter()
        .map(|edit| Refused { edit, why: "these changes together would break the structure".into() })
        .collect())
}

/// Finds by halving which edits need which repair.
fn repair(
    document: &Document,
    plan: &lay::Claims<'_>,
    some: &[usize],
    levels: &mut [u8],
    refused: &mut Vec<Refused>,
) -> Result<(), Vec<Refused>> {
    if let [edit] = some {
        for level in LEVELS {
            levels[*edit] = level;
            if attempt(document, plan, some, levels)?.is_some() {
                return Ok(());
            }
        }
        let why = "the text around it would be read differently, however it is written".to_owned();
        refused.push(Refused { edit: *edit, why });
        return Ok(());
    }
    if some.is_empty() || attempt(document, plan, some, levels)?.is_some() {
        return Ok(());
    }
    let (left, right) = some.split_at(some.len() / 2);
    repair(document, plan, left, levels, refused)?;
    repair(document, plan, right, levels, refused)
}

/// Writes some of the edits and reads the result; `None` when it does not read as it should.
fn attempt(
    document: &Document,
    plan: &lay::Claims<'_>,
    some: &[usize],
    levels: &[u8],
) -> Result<Option<Edited>, Vec<Refused>> {
    let pieces = lay::pieces(document, plan, some, levels)?;
    let splices: Vec<Splice> = pieces.iter().map(|p| p.splice.clone()).collect();
    let Ok(text) = splice(document.text(), &splices) else { return Ok(None) };
    let after = Document::parse(text);
    let Some(matched) = verify::verify(document, &after, plan, some, &pieces) else { return Ok(None) };
    after.take_handles(document, &matched.origin);
    Ok(Some(Edited { splices, document: after, wrote: matched.wrote }))
}

#[cfg(test)]
mod tests;
