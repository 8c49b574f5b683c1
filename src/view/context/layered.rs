//! The items of several layers in one context: the nearest first, and what a nearer one contradicts left out.
//!
//! Never leaves out an item without a mark at the one that overrules it.

use std::cmp::Reverse;

use super::delta::{SeenRevision, UpdateEvent};
use super::entries::RecentEntry;
use super::facts::PlainFact;
use super::notes::ContextNote;
use super::page::address_path;
use super::records::DatedRecord;
use crate::path::SourceAddress;
use crate::view::overruled::{LayeredText, distance, overruled_pairs};

/// The number of notes, and of facts, the most valuable, that are compared with each other: more than a context shows,
/// and each costs its analysis.
const MAX_COMPARED: usize = 400;

/// Puts the items of nearer layers before equally valuable ones of farther layers, whose names are given, and takes out
/// those that are overruled.
pub fn merge_layers(notes: &mut Vec<ContextNote>, facts: &mut Vec<PlainFact>, layers: &[String]) {
    notes.sort_by_key(|note| (note.rank(), distance(&note.address, layers)));
    facts.sort_by_key(|fact| (fact.rank(), distance(&fact.address, layers)));
    let compared = &facts[..facts.len().min(MAX_COMPARED)];
    let count = notes.len().min(MAX_COMPARED);
    let addresses = notes[..count].iter().map(|note| (note.address.as_str(), note.text.as_str()));
    let addresses: Vec<(&str, &str)> =
        addresses.chain(compared.iter().map(|fact| (fact.address.as_str(), fact.text.as_str()))).collect();
    let texts: Vec<LayeredText<'_>> =
        addresses.iter().map(|(address, text)| LayeredText::new(address_path(address), text, layers)).collect();
    let pairs = overruled_pairs(&texts);
    let marks: Vec<(usize, String)> = pairs.iter().map(|(far, near)| (*near, addresses[*far].0.to_owned())).collect();
    for (near, address) in marks {
        match near.checked_sub(count) {
            None => notes[near].overrules.push(address),
            Some(fact) => facts[fact].overrules.push(address),
        }
    }
    let mut at = 0..;
    notes.retain(|_| at.next().is_none_or(|n| n >= count || !pairs.contains_key(&n)));
    let mut at = count..;
    facts.retain(|_| at.next().is_none_or(|n| !pairs.contains_key(&n)));
}

/// What changed in one memory since a reader's last look.
pub struct MemoryUpdates {
    /// The name of the layer; `None` for the nearest.
    pub layer: Option<String>,
    /// What the reader has seen of it; `None` on its first look.
    pub since: Option<SeenRevision>,
    pub events: Vec<UpdateEvent>,
}

/// The updates of several memories, given with the nearest first: the most valuable first, each with the name of its
/// layer, and the revisions since which they are.
pub fn merge_updates(all: Vec<MemoryUpdates>) -> (Option<SeenRevision>, Vec<UpdateEvent>) {
    let mut seen: Vec<SeenRevision> = Vec::new();
    let mut events: Vec<UpdateEvent> = Vec::new();
    for MemoryUpdates { layer, since, events: own } in all.into_iter().filter(|one| !one.events.is_empty()) {
        seen.extend(since.map(|since| match &layer {
            Some(name) => SeenRevision { rev: format!("{name}:{}", since.rev), ..since },
            None => since,
        }));
        events.extend(own.into_iter().map(|event| match &layer {
            Some(name) => {
                UpdateEvent { path: in_layer(name, &event.path), text: format!("{name}: {}", event.text), ..event }
            }
            None => event,
        }));
    }
    events.sort_by(|a, b| b.value.total_cmp(&a.value));
    let mut seen = seen.into_iter();
    // At most two are named, because the head must fit the least budget.
    let since = seen.next().map(|first| match (seen.next(), seen.next().is_some()) {
        (None, _) => first,
        (Some(second), is_more) => {
            let more = if is_more { ", …" } else { "" };
            SeenRevision {
                rev: format!("{}, {}{more}", first.rev, second.rev),
                command: format!("{}; {}", first.command, second.command),
            }
        }
    });
    (since, events)
}

/// The entries of a layer among those of nearer ones, newest first; on the same day the nearer first.
pub fn merge_entries(all: &mut Vec<RecentEntry>, layer: &str, entries: Vec<RecentEntry>) {
    let in_this_layer = |entry: RecentEntry| RecentEntry {
        address: in_layer(layer, &entry.address),
        summary: entry.summary.map(|summary| in_layer(layer, &summary)),
        ..entry
    };
    all.extend(entries.into_iter().map(in_this_layer));
    all.sort_by_key(|entry| Reverse(entry.day));
}

/// The records of a layer among those of nearer ones, newest first; of the same date the nearer first.
pub fn merge_records(all: &mut Vec<DatedRecord>, layer: &str, records: Vec<DatedRecord>, most: usize) {
    all.extend(records.into_iter().map(|record| DatedRecord { address: in_layer(layer, &record.address), ..record }));
    all.sort_by_key(|record| Reverse(record.date));
    all.truncate(most);
}

fn in_layer(layer: &str, address: &str) -> String {
    SourceAddress { source: layer, address }.to_string()
}

/// What the line of an item ends with that overrules others.
pub fn overrules_mark(overruled: &[String]) -> String {
    match overruled {
        [] => String::new(),
        all => format!(" (overrules {})", all.join(", ")),
    }
}
