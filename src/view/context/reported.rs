//! Items that the updates show already: a page shows each once.
//!
//! Never takes out an item of which its update shows less than its line would.

use super::block::PackedBlock;
use super::contents::ContextContents;
use super::delta::{MAX_EVENTS, UpdateEvent};
use super::layered::overrules_mark;
use super::notes::confidence_mark;
use super::page::without_marker;
use super::result::ContextUpdate;

/// An item of a context's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemIndex {
    Note(usize),
    Fact(usize),
}

/// The updates that a page may show, each with the item that it is about and what is known about that.
pub(super) struct ReportedItems {
    pub(super) events: Vec<UpdateEvent>,
    items: Vec<Option<(ItemIndex, String)>>,
}

impl ReportedItems {
    /// `with_addresses`: whether the line of an update ends with the address of its item.
    pub(super) fn new(contents: &ContextContents<'_>, with_addresses: bool) -> ReportedItems {
        let mut events: Vec<UpdateEvent> = contents.events.iter().take(MAX_EVENTS).cloned().collect();
        let items = events.iter_mut().map(|event| {
            let item = find_item(contents, event)?;
            let (remarks, address) = match item {
                ItemIndex::Note(n) => (note_remarks(contents, n), &contents.notes[n].address),
                ItemIndex::Fact(n) => (fact_remarks(contents, n), &contents.facts.facts[n].address),
            };
            event.remarks = remarks;
            event.address_mark = if with_addresses { format!(" ({address})") } else { String::new() };
            Some((item, address.clone()))
        });
        let items = items.collect();
        ReportedItems { events, items }
    }

    /// The rows of the updates that a header shows.
    pub(super) fn rows(&self, header: &PackedBlock) -> Vec<ContextUpdate> {
        let row = |n: &usize| {
            let (event, line) = (&self.events[*n], &header.lines[n + 1]);
            let is_whole = line.starts_with(&event.whole_line());
            let address = self.items[*n].as_ref().filter(|_| is_whole).map(|(_, address)| address.clone());
            let identity = event.identity.filter(|_| is_whole);
            let text = without_marker(line);
            ContextUpdate { event: event.kind, path: event.path.clone(), address, text, identity }
        };
        header.shown.iter().map(row).collect()
    }

    /// The contents without the items that a header shows whole; `None` if it shows none.
    pub(super) fn others<'a>(
        &self,
        contents: &ContextContents<'a>,
        header: &PackedBlock,
    ) -> Option<ContextContents<'a>> {
        let is_whole = |n: &&usize| header.lines[**n + 1].starts_with(&self.events[**n].whole_line());
        let shown = header.shown.iter().filter(is_whole).filter_map(|n| Some(self.items[*n].as_ref()?.0));
        let shown: Vec<ItemIndex> = shown.collect();
        if shown.is_empty() {
            return None;
        }
        let mut others = contents.clone();
        let mut count_out = |path: &str| {
            if let Some(count) = others.facts.item_counts.get_mut(path) {
                *count = count.saturating_sub(1);
            }
        };
        for item in &shown {
            match item {
                ItemIndex::Note(n) => count_out(&contents.notes[*n].path),
                ItemIndex::Fact(n) => count_out(&contents.facts.facts[*n].path),
            }
        }
        let mut at = 0..;
        others.notes.retain(|_| at.next().is_none_or(|n| !shown.contains(&ItemIndex::Note(n))));
        let mut at = 0..;
        others.facts.facts.retain(|_| at.next().is_none_or(|n| !shown.contains(&ItemIndex::Fact(n))));
        Some(others)
    }
}

/// The item that an update is about, if the update has all of its text.
fn find_item(contents: &ContextContents<'_>, event: &UpdateEvent) -> Option<ItemIndex> {
    let identity = event.identity?;
    let is_same = |path: &str, of: Option<crate::document::Handle>, text: &str| {
        of == Some(identity) && path == event.path && event.text.ends_with(text)
    };
    let note = contents.notes.iter().position(|note| is_same(&note.path, note.identity, &note.text));
    let fact = || contents.facts.facts.iter().position(|fact| is_same(&fact.path, fact.identity, &fact.text));
    note.map(ItemIndex::Note).or_else(|| fact().map(ItemIndex::Fact))
}

fn note_remarks(contents: &ContextContents<'_>, n: usize) -> String {
    let note = &contents.notes[n];
    let known = note.remarks(contents.find_remarks()).to_text();
    format!("{known}{}{}", confidence_mark(note.confidence), overrules_mark(&note.overrules))
}

fn fact_remarks(contents: &ContextContents<'_>, n: usize) -> String {
    let fact = &contents.facts.facts[n];
    let known = fact.remarks(contents.find_remarks()).to_text();
    format!("{known}{}{}", confidence_mark(fact.confidence), overrules_mark(&fact.overrules))
}
