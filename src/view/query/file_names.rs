//! Finds the words of a query in what names a file: its name, its title (the H1) and the tags of its front matter.
//!
//! Never looks at episodes: a month or a day names no subject.

use super::terms::QueryTerms;
use crate::document::{Document, front_matter_tags};
use crate::path::{MemoryPath, is_episode};

/// The terms in the name of a file, without its folders, ascending.
pub fn terms_in_path(path: &MemoryPath, terms: &QueryTerms) -> Vec<u16> {
    let mut found = Vec::new();
    if names_a_subject(path) {
        add_terms(path.stem(), terms, &mut found);
    }
    found
}

/// Adds the terms in the title and the tags of a file to those in its name.
pub fn add_terms_in_head(path: &MemoryPath, document: &Document, terms: &QueryTerms, found: &mut Vec<u16>) {
    for_each_head_name(path, document, &mut |name| add_terms(name, terms, found));
}

/// Calls a function with the name of a file, its title and each of its tags.
pub fn for_each_name(path: &MemoryPath, document: &Document, call: &mut dyn FnMut(&str)) {
    if names_a_subject(path) {
        call(path.stem());
    }
    for_each_head_name(path, document, call);
}

fn for_each_head_name(path: &MemoryPath, document: &Document, call: &mut dyn FnMut(&str)) {
    if !names_a_subject(path) {
        return;
    }
    if document.sections().get(1).is_some_and(|section| section.level == 1) {
        call(&document.section_title(1));
    }
    front_matter_tags(document).unwrap_or_default().iter().for_each(|tag| call(tag));
}

fn names_a_subject(path: &MemoryPath) -> bool {
    !path.holds_episodes() && !is_episode(path.stem())
}

fn add_terms(text: &str, terms: &QueryTerms, found: &mut Vec<u16>) {
    terms.find_in(text, |term| found.push(term.term as u16));
    found.sort_unstable();
    found.dedup();
}
