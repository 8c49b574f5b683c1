//! Finds the backlinks of a file or section for `list FILE`, by scanning all files once.
//!
//! Never changes anything. Files in `archive/` and `inbox/` are skipped.

use super::list_and_read::ResolvedAddress;
use crate::code::Rejection;
use crate::document::link_names::LinkNames;
use crate::document::links::{link_candidates, may_refer_to};
use crate::document::{Document, MAX_FILE_BYTES};
use crate::store::{FoundFile, Store};
use crate::view::links::{Backlink, BacklinkTarget, backlinks};
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;

/// The items that link to a file or section, in the order of files and items. Unreadable files are skipped.
///
/// # Errors
/// `io` when a folder cannot be read.
pub fn find_backlinks(store: &Store, target: &ResolvedAddress) -> Result<Vec<Backlink>, Rejection> {
    let mut files: Vec<FoundFile> = store.walk(None)?;
    let all: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    files.retain(|file| !file.path.is_set_aside() && file.path != target.path);
    let found = store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok())?;
        // A cheap scan first, so that only files with a candidate are parsed.
        let is_candidate = link_candidates(text)
            .iter()
            .any(|l| may_refer_to(&text[l.start..l.end], l.is_wiki, &file.path, &target.path));
        is_candidate.then(|| {
            let found = ItemizedFile::without_counts(file.path.clone(), Document::parse(text));
            found.document.handles();
            found
        })
    });
    let found: Vec<ItemizedFile> = found.into_iter().flatten().collect();
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let names = LinkNames::new(&all);
    let aim = BacklinkTarget { path: &target.path, document: &target.document, section: target.section, names: &names };
    let known = BulletOrigins::default();
    // Accepts every item: the store already hides what the caller may not see.
    Ok(found.iter().flat_map(|found| backlinks(&ItemFacts::new(found, &known), &aim, &|_, _| true)).collect())
}
