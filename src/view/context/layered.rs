//! The items of several layers in one context: the nearest first, and what a nearer one contradicts left out.
//!
//! Never leaves out an item without a mark at the one that overrules it.

use super::facts::PlainFact;
use super::notes::ContextNote;
use super::page::address_path;
use crate::view::overruled::{LayeredText, distance, overruled_pairs};

/// The number of facts, the most valuable, that are compared with each other.
const MAX_COMPARED_FACTS: usize = 600;

/// Puts the items of nearer layers before equally valuable ones of farther layers, whose names are given, and takes out
/// those that are overruled.
pub fn merge_layers(notes: &mut Vec<ContextNote>, facts: &mut Vec<PlainFact>, layers: &[String]) {
    notes.sort_by_key(|note| (note.rank(), distance(&note.address, layers)));
    facts.sort_by_key(|fact| (fact.rank(), distance(&fact.address, layers)));
    let compared = &facts[..facts.len().min(MAX_COMPARED_FACTS)];
    let addresses = notes.iter().map(|note| (note.address.as_str(), note.text.as_str()));
    let addresses: Vec<(&str, &str)> =
        addresses.chain(compared.iter().map(|fact| (fact.address.as_str(), fact.text.as_str()))).collect();
    let texts: Vec<LayeredText<'_>> =
        addresses.iter().map(|(address, text)| LayeredText::new(address_path(address), text, layers)).collect();
    let pairs = overruled_pairs(&texts);
    let marks: Vec<(usize, String)> = pairs.iter().map(|(far, near)| (*near, addresses[*far].0.to_owned())).collect();
    let count = notes.len();
    for (near, address) in marks {
        match near.checked_sub(count) {
            None => notes[near].overrules.push(address),
            Some(fact) => facts[fact].overrules.push(address),
        }
    }
    let mut at = 0..;
    notes.retain(|_| at.next().is_some_and(|n| !pairs.contains_key(&n)));
    facts.retain(|_| at.next().is_some_and(|n| !pairs.contains_key(&n)));
}

/// What the line of an item ends with that overrules others.
pub fn overrules_mark(overruled: &[String]) -> String {
    match overruled {
        [] => String::new(),
        all => format!(" (overrules {})", all.join(", ")),
    }
}
