//! Edits of bullets as replacements of bytes, proven by parsing the result again (FINDINGS 1's recipe).
//!
//! Never touches a byte outside the edited bullets, and refuses what it cannot prove.

use super::{Document, Meta};
use crate::text::Splice;

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

/// Applies edits all at once.
///
/// # Errors
/// Every edit that had to be refused; then nothing is applied.
pub fn edit(document: &Document, edits: &[Edit]) -> Result<Edited, Vec<Refused>> {
    let _ = (document, edits);
    todo!()
}
