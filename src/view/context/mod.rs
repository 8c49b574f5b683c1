//! What a session should see first: news, what is pinned and important, the files, the newest entries.
//!
//! Pure: documents, policy and the time come as values, lines go out. Never more than the budget, and never memory
//! text that could pass for anything but a note.
//!
//! In reading order: [`gate`] says what may be seen; [`spot`] finds bytes that are worth a closer look; [`notes`] are
//! the items, [`delta`] the news, [`files`] the index, [`entries`] the newest episodes, [`records`] all items by date;
//! [`frame`] makes their texts harmless; [`block`] packs lines into room; [`page`] joins the blocks; [`answer`] is what
//! comes of it.

pub mod answer;
pub mod block;
pub mod delta;
pub mod entries;
pub mod files;
pub mod frame;
pub mod gate;
pub mod how;
pub mod notes;
pub mod page;
pub mod records;
pub mod spot;

use crate::document::Document;
use crate::path::MemoryPath;
use crate::view::query::count::Found;
use crate::view::query::items::Sort;

/// A document cut into items, as [`crate::view::query::facts::About`] looks at it.
pub fn cut(path: &MemoryPath, document: Document) -> Found {
    Found::whole(path.clone(), document)
}

/// The item that a bullet is.
fn item_of(found: &Found, bullet: usize) -> Option<usize> {
    found.items.iter().position(|item| item.sort == Sort::Bullet(bullet as u32))
}

/// Where an item stands: `facts/user.md@acvh`, the section of what is no bullet, or the file.
fn address(found: &Found, item: usize) -> String {
    let (document, path) = (&found.document, &found.path);
    let item = &found.items[item];
    let section = &document.sections()[item.section as usize];
    match item.sort {
        Sort::Bullet(b) => format!("{path}@{}", document.handle_name(b as usize)),
        _ if section.level <= 1 => path.to_string(),
        _ => format!("{path}#{}", section.slug),
    }
}

/// An item's text.
fn text(found: &Found, item: usize) -> String {
    let document = &found.document;
    let item = &found.items[item];
    match item.sort {
        Sort::Bullet(b) => document.bullet_text(b as usize).into_owned(),
        Sort::Entry | Sort::Heading => document.section_title(item.section as usize).into_owned(),
        _ => document.text()[item.start as usize..item.end as usize].to_owned(),
    }
}

#[cfg(test)]
mod tests;
