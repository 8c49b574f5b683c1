//! Finds the speaker that a query names in a file of dialogue: a label that stands at several bullets, as `Ana: …`.
//!
//! Never decides by a list of names: what repeats before a colon is a label.

use std::collections::HashMap;

use super::count::ItemizedFile;
use super::items;
use super::terms::QueryTerms;
use crate::text::search_terms;

/// The least number of bullets in a file at which a label is that of a speaker.
const MIN_BULLETS: u32 = 3;

/// The speaker that a query names, and the others in the same file.
pub struct NamedSpeaker<'a> {
    others: Vec<&'a str>,
}

impl<'a> NamedSpeaker<'a> {
    /// The only label of a file that the query names; `None` if it names none of them or several.
    pub fn find(file: &'a ItemizedFile, terms: &QueryTerms) -> Option<NamedSpeaker<'a>> {
        if file.labels.iter().all(|count| *count < MIN_BULLETS) {
            return None;
        }
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for item in &file.items {
            let label = items::label_of(items::searched_texts(&file.document, item)[0], item.kind);
            if !label.is_empty() {
                *counts.entry(label).or_default() += 1;
            }
        }
        let labels = counts.into_iter().filter(|(_, count)| *count >= MIN_BULLETS).map(|(label, _)| label);
        let (named, others): (Vec<&str>, Vec<&str>) = labels.partition(|label| is_named(label, terms));
        (named.len() == 1 && !others.is_empty()).then_some(NamedSpeaker { others })
    }

    /// Whether a label is that of another speaker.
    pub fn is_another(&self, label: &str) -> bool {
        self.others.contains(&label)
    }
}

/// Whether the query contains every term of a label.
fn is_named(label: &str, terms: &QueryTerms) -> bool {
    let (mut all, mut any) = (true, false);
    search_terms(label, |term| {
        any = true;
        all &= terms.find(term).is_some_and(|found| !terms.all[found.term].implied);
    });
    any && all
}
