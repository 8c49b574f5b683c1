//! What a request may change: the items of the fact files, with the paths that edits name them by.

use super::overlay::ReflectOverlay;
use crate::commands::query::query;
use crate::commands::{Error, Session};
use crate::document::front_matter_tags;
use crate::operation::dialects::print_path;
use crate::path::MemoryPath;
use crate::reflect::request::{MAX_ITEM_TOKENS, NamedItem, RequestFile, RequestItem, item_tokens, resolve_item};
use crate::view::outline::{OutlineDepth, outline, summary_value};
use crate::view::query::filter::QueryOptions;

/// The files of a request and their items, in order.
pub struct RequestMemory {
    pub files: Vec<RequestFile>,
    pub items: Vec<RequestItem>,
    /// Whether the tags of the request chose the files.
    pub is_routed: bool,
}

impl RequestMemory {
    /// The files with one of the tags in their front matter; all files if there is none, or no tag is given.
    pub fn new(overlay: &ReflectOverlay<'_>, tags: &[String]) -> RequestMemory {
        let tags_of = |document| front_matter_tags(document).unwrap_or_default();
        let wanted: Vec<String> = tags.iter().map(|tag| tag.trim().trim_start_matches('#').to_lowercase()).collect();
        let has_tag = |tags: &[String]| tags.iter().any(|tag| wanted.contains(tag));
        let is_routed = overlay.fact_files().any(|(_, document)| has_tag(&tags_of(document)));
        let mut memory = RequestMemory { files: Vec::new(), items: Vec::new(), is_routed };
        for (path, document) in overlay.fact_files() {
            let tags = tags_of(document);
            if is_routed && !has_tag(&tags) {
                continue;
            }
            let file = memory.files.len();
            memory.files.push(RequestFile { path: path.clone(), summary: summary_value(document), tags });
            for row in outline(document, path, 0, OutlineDepth::Flat).bullets {
                let section = document.bullets()[row.number].section as usize;
                // The title of the file is no list of its own.
                let section = if document.sections()[section].level > 1 { section } else { 0 };
                let counted = document.top_level_bullets(section);
                let Some(index) = counted.iter().position(|number| *number == row.number) else { continue };
                let slug = row.section.as_deref().filter(|_| section != 0);
                if let Some((file_name, path)) = print_path(path, slug, Some(index + 1)) {
                    memory.items.push(RequestItem { file, file_name, path, address: row.address, text: row.text });
                }
            }
        }
        memory
    }

    /// Whether one question can show all items.
    pub fn fits(&self) -> bool {
        self.items.iter().map(item_tokens).sum::<usize>() <= MAX_ITEM_TOKENS
    }

    /// The items for a search: all if they fit, else those with words of the request, the best ones.
    ///
    /// # Errors
    /// `io`.
    pub fn candidates(&self, session: &Session, request: &str) -> Result<Vec<usize>, Error> {
        if self.fits() {
            return Ok((0..self.items.len()).collect());
        }
        let options =
            QueryOptions { query: request.to_owned(), budget: Some(MAX_ITEM_TOKENS), ..QueryOptions::default() };
        let ranked = query(session, &options)?.items;
        let place = |address: &String| self.items.iter().position(|item| item.address == *address);
        Ok(self.within_budget(ranked.iter().filter_map(|row| place(&row.address))))
    }

    /// The items around those that a search found: their files, else their lists, else only they.
    pub fn neighbourhood(&self, found: &[usize], insert_path: Option<&str>) -> Vec<usize> {
        let item = |n: &usize| &self.items[*n];
        let in_file = |n: &usize| found.iter().any(|f| item(f).file == item(n).file) || self.is_insert(insert_path, *n);
        let in_list = |n: &usize| {
            found.iter().any(|f| item(f).file == item(n).file && item(f).list() == item(n).list())
                || self.is_insert(insert_path, *n)
        };
        let tokens = |items: &[usize]| items.iter().map(|n| item_tokens(item(n))).sum::<usize>();
        let all = || 0..self.items.len();
        let mut shown: Vec<usize> = all().filter(in_file).collect();
        if tokens(&shown) > MAX_ITEM_TOKENS {
            shown = all().filter(in_list).collect();
        }
        if tokens(&shown) > MAX_ITEM_TOKENS {
            let others = shown.iter().filter(|n| !found.contains(n));
            shown = self.within_budget(found.iter().chain(others).copied());
        }
        shown
    }

    /// The path of a list that a model proposes for a new item, if there is such a list.
    pub fn known_list<'a>(&self, path: Option<&'a str>) -> Option<&'a str> {
        path.filter(|path| (0..self.items.len()).any(|n| self.is_insert(Some(path), n)))
    }

    fn is_insert(&self, path: Option<&str>, item: usize) -> bool {
        path.is_some_and(|path| self.items[item].list() == path)
    }

    /// The first items, as many as one question can show, in the order of the memory.
    fn within_budget(&self, ranked: impl Iterator<Item = usize>) -> Vec<usize> {
        let (mut shown, mut left) = (Vec::new(), MAX_ITEM_TOKENS);
        for n in ranked {
            let tokens = item_tokens(&self.items[n]);
            if tokens <= left && !shown.contains(&n) {
                left -= tokens;
                shown.push(n);
            }
        }
        shown.sort_unstable();
        shown
    }

    /// The items that a search named and that exist with the text that it quotes.
    pub fn resolve(&self, locations: &[NamedItem], shown: &[usize]) -> Vec<usize> {
        let mut found: Vec<usize> =
            locations.iter().filter_map(|named| resolve_item(named, &self.items, shown).ok()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a change of a file is one of this request: any file if no tag chose them.
    pub fn may_change(&self, path: &MemoryPath) -> bool {
        !self.is_routed || path.is_archived() || self.files.iter().any(|file| file.path == *path)
    }
}
