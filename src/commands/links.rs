//! Who links to a file: the one look through all files that `list FILE` pays for.
//!
//! Never changes anything. Archived and proposed items are not asked.

use super::fetch::is_aside;
use super::look::Named;
use crate::code::Rejection;
use crate::document::Document;
use crate::document::links::{candidates, names};
use crate::store::{Found as File, Store};
use crate::view::links::{Aim, Backlink, Names, backlinks};
use crate::view::query::count::Found;
use crate::view::query::facts::About;
use crate::view::query::known::Known;

/// The largest file, in bytes.
const WHOLE: usize = 64 << 20;

/// The items that link to a file or section, in the order of files and items. What cannot be read links nowhere.
///
/// # Errors
/// `io` when a folder cannot be read.
pub fn linking(store: &Store, to: &Named) -> Result<Vec<Backlink>, Rejection> {
    let mut files: Vec<File> = store.walk(None)?;
    let all: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    files.retain(|file| !is_aside(&file.path) && file.path != to.path);
    let found = store.each(&files, WHOLE, &|file, read| {
        let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok())?;
        // Most files hold nothing that even looks like it: those are not parsed.
        let named = candidates(text).iter().any(|l| names(&text[l.start..l.end], l.wiki, &file.path, &to.path));
        named.then(|| {
            let found = Found::whole(file.path.clone(), Document::parse(text));
            found.document.handles();
            found
        })
    });
    let found: Vec<Found> = found.into_iter().flatten().collect();
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let names = Names::new(&all);
    let aim = Aim { path: &to.path, document: &to.document, section: to.section, names: &names };
    let known = Known::default();
    // The gate: whoever may not see an item is to be turned away here, before it is told who links.
    Ok(found.iter().flat_map(|found| backlinks(&About::new(found, &known), &aim, &|_, _| true)).collect())
}
