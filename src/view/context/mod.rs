//! Builds what an agent should see at the start of a session: updates, pinned and important items, plain facts, the
//! index of what is left, the newest entries.
//!
//! Pure: documents, policy and time are arguments, lines are the result. Never exceeds the budget, and never prints
//! memory text that could be taken for anything but a note.
//!
//! In reading order: [`context_filter`] decides what may be shown; [`prefilter`] finds files that need parsing;
//! [`notes`] selects items, [`facts`] adds plain ones, [`delta`] finds the updates, `updates_header` has their lines,
//! `reported` the items that these show already, [`files`] sorts the index, [`entries`] lists the newest episodes,
//! [`layered`] merges the items of several memories, [`records`] lists all items by date; [`remarks`] says how old an
//! item is and what speaks against it; [`sanitize`] makes their texts harmless; [`block`] packs lines into a budget;
//! [`contents`] has what a context is made of; [`page`] joins the blocks, [`stable_page`] in the order for prompt
//! caches; [`answer`] is the result.

pub mod agent_guide;
pub mod block;
pub mod contents;
pub mod context_filter;
pub mod delta;
pub mod entries;
pub mod facts;
pub mod files;
pub mod layered;
pub mod notes;
pub mod page;
pub mod prefilter;
pub mod records;
pub mod remarks;
mod reported;
pub mod result;
pub mod sanitize;
pub mod seen_items;
mod stable_page;

use crate::document::{Document, Handle};
use crate::path::MemoryPath;
use crate::view::query::count::ItemizedFile;
use crate::view::query::items::{self, ItemKind};

/// Parses a document into items, for [`crate::view::query::item_facts::ItemFacts`].
pub fn itemize(path: &MemoryPath, document: Document) -> ItemizedFile {
    ItemizedFile::without_counts(path.clone(), document)
}

/// The item index of a bullet.
fn bullet_item(file: &ItemizedFile, bullet: usize) -> Option<usize> {
    file.items.iter().position(|item| item.kind == ItemKind::Bullet(bullet as u32))
}

/// An item's address: `facts/user.md@acvh`, the section for an item that is not a bullet, or the file.
pub fn item_address(file: &ItemizedFile, item: usize) -> String {
    let (document, path) = (&file.document, &file.path);
    let item = &file.items[item];
    let section = &document.sections()[item.section as usize];
    match item.kind {
        ItemKind::Bullet(b) => format!("{path}{}", document.bullet_reference(b as usize)),
        _ if section.level <= 1 => path.to_string(),
        _ => format!("{path}#{}", section.slug),
    }
}

/// An item's line below the name of its file: `- @acvh text`. One that has no place in its file names it:
/// `- text (a.md)`.
fn item_line(address: &str, path: &str, text: &str) -> String {
    match place_in_file(address, path) {
        Some(place) => format!("- {place} {text}"),
        None => format!("- {text} ({address})"),
    }
}

/// An item's line without its marker and its place.
fn item_words(line: &str, address: &str, path: &str) -> String {
    let text = line.strip_prefix("- ").unwrap_or(line);
    let place = place_in_file(address, path).and_then(|place| text.strip_prefix(place)).unwrap_or(text);
    place.trim_start().to_owned()
}

/// What follows the path in a sanitized address: `@acvh`, `#section`.
fn place_in_file<'a>(address: &'a str, path: &str) -> Option<&'a str> {
    address.strip_prefix(sanitize::sanitize_line(path).as_str()).filter(|place| place.starts_with(['@', '#']))
}

/// Identity of a bullet's text: equal for bullets that say the same.
pub fn item_identity(file: &ItemizedFile, item: usize) -> Option<Handle> {
    match file.items[item].kind {
        ItemKind::Bullet(b) => Some(items::identity(&file.document, file.path.as_str(), b as usize)),
        _ => None,
    }
}

/// An item's text: of an entry or heading its title.
pub fn item_text(file: &ItemizedFile, item: usize) -> String {
    let document = &file.document;
    let item = &file.items[item];
    match item.kind {
        ItemKind::Bullet(b) => document.bullet_text(b as usize).into_owned(),
        ItemKind::Entry | ItemKind::Heading => document.section_title(item.section as usize).into_owned(),
        _ => items::paragraph_text(document, item).into_owned(),
    }
}

/// An item's text with its further paragraphs.
fn whole_text(file: &ItemizedFile, item: usize) -> String {
    let text = item_text(file, item);
    let [_, more] = items::searched_texts(&file.document, &file.items[item]);
    if more.trim().is_empty() { text } else { format!("{text} {more}") }
}

/// The bytes of an item's whole text.
fn text_bytes(file: &ItemizedFile, item: usize) -> usize {
    items::searched_texts(&file.document, &file.items[item]).map(str::len).iter().sum()
}

pub mod update_kind;
mod updates_header;

#[cfg(test)]
mod budget_tests;
#[cfg(test)]
mod tests;
