//! Finds what the fragment of a link refers to: a section, a bullet, or a line with an id.
//!
//! Never searches the whole file for each link: ids and names are collected on the first question.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::links::percent_decode;
use super::{Document, lines, section_range, slug};

/// What the fragments of one document can name; of equal names the first in the file counts.
#[derive(Clone, Debug, Default)]
pub(super) struct FragmentIndex {
    /// The index of each bullet that has an id, by that id.
    bullets: OnceLock<HashMap<String, usize>>,
    /// The offset of each word `^id`, by id.
    words: OnceLock<HashMap<String, usize>>,
    /// Sections by id, and by slug.
    sections: OnceLock<[HashMap<String, usize>; 2]>,
    /// Sections by slug, and by the slug of their title.
    titles: OnceLock<HashMap<String, usize>>,
}

/// Byte range that a link's fragment refers to: a section by id, slug or heading (`Work`, `Work#Contacts`), or with
/// `^id` the bullet or line with this id. `None` if nothing matches.
pub fn fragment_range(document: &Document, part: &str) -> Option<Range<usize>> {
    let part = percent_decode(part.trim());
    match part.strip_prefix('^') {
        _ if part.is_empty() => None,
        Some(id) => find_block_id(document, id),
        None => find_section(document, &part).map(|at| section_range(document, at)),
    }
}

/// The first position of each name.
fn first_of_each(names: impl Iterator<Item = (String, usize)>) -> HashMap<String, usize> {
    let mut first = HashMap::new();
    for (name, at) in names {
        first.entry(name).or_insert(at);
    }
    first
}

fn find_block_id(document: &Document, id: &str) -> Option<Range<usize>> {
    let named = |b: usize| Some((document.bullet_id(b)?.into_owned(), b));
    let bullets = || first_of_each((0..document.bullets().len()).filter_map(named));
    if let Some(b) = document.fragments.bullets.get_or_init(bullets).get(id).map(|b| document.bullets()[*b]) {
        return Some(b.line_start as usize..b.end as usize);
    }
    let text = document.text();
    let is_word = |at: &usize| text[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let at = if id.contains(char::is_whitespace) {
        let ends = |at: &usize| text[at + 1 + id.len()..].chars().next().is_none_or(char::is_whitespace);
        text.match_indices(&format!("^{id}")).map(|(at, _)| at).filter(is_word).find(ends)?
    } else {
        let word = |at: usize| (text[at + 1..].split(char::is_whitespace).next().unwrap_or_default().to_owned(), at);
        let words = || first_of_each(text.match_indices('^').map(|(at, _)| at).filter(is_word).map(word));
        *document.fragments.words.get_or_init(words).get(id)?
    };
    Some(lines::start(text.as_bytes(), at)..lines::end(text.as_bytes(), at))
}

fn find_section(document: &Document, part: &str) -> Option<usize> {
    let sections = document.sections();
    let all = || 1..sections.len();
    let [by_id, by_slug] = document.fragments.sections.get_or_init(|| {
        let ids = all().filter_map(|i| Some((sections[i].id.clone()?, i)));
        [first_of_each(ids), first_of_each(all().map(|i| (sections[i].slug.clone(), i)))]
    });
    let titles = || {
        let names = |i: usize| [(sections[i].slug.clone(), i), (slug(&document.section_title(i)), i)];
        first_of_each(all().flat_map(names))
    };
    let by_title = |name: &str| document.fragments.titles.get_or_init(titles).get(name);
    let found = by_id.get(part).or_else(|| by_slug.get(part)).or_else(|| by_title(&slug(part)));
    found.copied().or_else(|| find_by_path(document, part))
}

/// The section of a path of headings: `Work#Contacts`, `Work/Contacts`.
fn find_by_path(document: &Document, part: &str) -> Option<usize> {
    let sections = document.sections();
    let path: Vec<String> = part.split(['#', '/']).map(|name| slug(name.trim())).collect();
    let (last, above) = path.split_last().filter(|(_, above)| !above.is_empty())?;
    let named = |i: usize, name: &str| sections[i].slug == name || slug(&document.section_title(i)) == name;
    let inside = |i: usize| {
        let mut at = i;
        above.iter().rev().all(|name| {
            at = sections[at].parent as usize;
            while at != 0 && !named(at, name) {
                at = sections[at].parent as usize;
            }
            at != 0
        })
    };
    (1..sections.len()).find(|i| named(*i, last) && inside(*i))
}
