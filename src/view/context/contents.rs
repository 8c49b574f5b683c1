//! What a context is made of, and the lines of its items with what is known about them.
//!
//! Asks only about items whose lines may fit.

use super::block::{self, BlockRows, DescribeOmitted, MIN_REST, PackedBlock, file_heading, line_cost, pack};
use super::delta::{SeenRevision, UpdateEvent};
use super::entries::RecentEntry;
use super::facts::PlainFacts;
use super::files::IndexedFile;
use super::item_words;
use super::notes::{self, ContextNote, NoteReason};
use super::page::{NOTES_HEAD, address_path};
use super::remarks::{FindRemarks, ItemRemarks};
use super::result::{ContextItem, ContextReason};
use crate::policy::Policy;

/// The head of items that stand below all others, because the room for them may be needed by others soon.
const MORE_NOTES_HEAD: &str = "More pinned and important:";
/// A budget that everything fits into.
pub(super) const NO_LIMIT: usize = usize::MAX / 4;

/// The contents of a context.
#[derive(Clone, Default)]
pub struct ContextContents<'a> {
    /// The revision since which updates are reported; `None` without updates.
    pub since: Option<SeenRevision>,
    /// Whether the reader is one to whom updates are reported, now or the next time.
    pub has_reader: bool,
    /// The updates, most valuable first.
    pub events: Vec<UpdateEvent>,
    /// The items, most valuable first.
    pub notes: Vec<ContextNote>,
    /// The facts that are not among `notes`.
    pub facts: PlainFacts,
    /// The index, most valuable first.
    pub files: Vec<IndexedFile>,
    /// The newest entries, newest first.
    pub entries: Vec<RecentEntry>,
    /// The number of files with procedures.
    pub procedures: usize,
    /// Lines about the other layers and about files that cannot be read; counted where the budget has no room.
    pub beside: Vec<String>,
    /// Finds out what is known about an item that is shown; `None` if nothing is.
    pub find_remarks: Option<FindRemarks<'a>>,
}

impl ContextContents<'_> {
    pub(super) fn find_remarks(&self) -> FindRemarks<'_> {
        self.find_remarks.unwrap_or(&|_| ItemRemarks::default())
    }

    /// The line of an item, with what is known about it.
    pub fn note_line(&self, n: usize) -> String {
        self.notes[n].line(self.notes[n].remarks(self.find_remarks()))
    }

    /// The line of a fact, with what is known about it.
    pub fn fact_line(&self, n: usize) -> String {
        self.facts.facts[n].line(self.facts.facts[n].remarks(self.find_remarks()))
    }

    /// The cost of a fact's line without what is known about it, in quarters of a token.
    pub fn least_fact_cost(&self, n: usize) -> usize {
        line_cost(&self.facts.facts[n].line(&ItemRemarks::default()))
    }

    /// An item of the answer.
    pub fn note_item(&self, n: usize) -> ContextItem {
        let note = &self.notes[n];
        ContextItem {
            address: note.address.clone(),
            reason: note.reason.in_answer(),
            date: note.date.map(|m| m.day.to_string()),
            confidence: note.confidence.map(|confidence| confidence.rounded()),
            text: item_words(&self.note_line(n), &note.address, &note.path),
            stale_anchor: note.remarks(self.find_remarks()).anchor_state(),
            identity: note.identity,
        }
    }

    /// A fact of the answer.
    pub fn fact_item(&self, n: usize) -> ContextItem {
        let fact = &self.facts.facts[n];
        ContextItem {
            address: fact.address.clone(),
            reason: ContextReason::Fact,
            date: fact.date.map(|m| m.day.to_string()),
            confidence: fact.confidence.map(|confidence| confidence.rounded()),
            text: item_words(&self.fact_line(n), &fact.address, &fact.path),
            stale_anchor: fact.remarks(self.find_remarks()).anchor_state(),
            identity: fact.identity,
        }
    }

    /// The facts of these rows, the first selected first; `position` is the place of a row among the lines. With a
    /// smaller rest of the budget than `min_rest`, no more are added.
    pub fn pack_facts(
        &self,
        head: &str,
        rows: &[usize],
        position: &dyn Fn(usize) -> usize,
        budget: usize,
        min_rest: usize,
    ) -> PackedBlock {
        let block_rows = BlockRows {
            count: rows.len(),
            row: &|n| self.fact_line(rows[n]),
            least_cost: &|n| self.least_fact_cost(rows[n]),
            position,
            file: &|n| self.facts.facts[rows[n]].file(),
            max_misses: usize::MAX,
            min_rest,
        };
        let block = pack(head, &block_rows, budget, &|_| Vec::new());
        if block.shown.is_empty() { PackedBlock::default() } else { block }
    }

    /// The items of these rows, and what `describe` says about those that are left out.
    fn pack_note_rows(
        &self,
        head: &str,
        rows: &[usize],
        budget: usize,
        min_rest: usize,
        describe: DescribeOmitted<'_>,
    ) -> PackedBlock {
        let block_rows = BlockRows {
            count: rows.len(),
            row: &|n| self.note_line(rows[n]),
            least_cost: &|n| line_cost(&self.notes[rows[n]].line(&ItemRemarks::default())),
            position: &|n| n,
            file: &|n| self.notes[rows[n]].file(),
            max_misses: usize::MAX,
            min_rest,
        };
        pack(head, &block_rows, budget, describe)
    }

    /// The items, and lines about those that are left out.
    pub fn pack_notes(&self, budget: usize, policy: &Policy) -> PackedBlock {
        let all: Vec<usize> = (0..self.notes.len()).collect();
        self.pack_note_rows(NOTES_HEAD, &all, budget, MIN_REST, &|left| self.omitted_notes(left, policy))
    }

    /// The paths of the items of a block.
    pub fn whole_notes<'s>(&'s self, noted: &'s PackedBlock) -> impl Iterator<Item = &'s str> {
        noted.shown.iter().map(|n| address_path(&self.notes[*n].address))
    }

    /// The items that a page has room for below all others: as long as there is more room than `spare`, in quarters of
    /// a token. Returns their indices, too.
    pub fn pack_more_notes(&self, shown: &[usize], room: usize, spare: usize) -> (PackedBlock, Vec<usize>) {
        let others: Vec<usize> = (0..self.notes.len()).filter(|n| !shown.contains(n)).collect();
        let room = room.saturating_sub(1);
        let block = self.pack_note_rows(MORE_NOTES_HEAD, &others, room, spare.max(MIN_REST), &|_| Vec::new());
        let taken = block.shown.iter().map(|n| others[*n]).collect();
        (if block.shown.is_empty() { PackedBlock::default() } else { block }, taken)
    }

    /// A lower bound of what all items and facts cost, in quarters of a token.
    pub fn least_cost(&self) -> usize {
        let notes = self.notes.iter().map(|note| line_cost(&note.line(&ItemRemarks::default())));
        notes.sum::<usize>() + (0..self.facts.facts.len()).map(|n| self.least_fact_cost(n)).sum::<usize>()
    }

    /// The least budget that reports all items as left out.
    pub fn least_notes_budget(&self, policy: &Policy) -> usize {
        block::min_budget(NOTES_HEAD, self.notes.len(), &|left| self.omitted_notes(left, policy))
    }

    /// The lines about items that are left out, given by index.
    pub fn omitted_notes(&self, left: &[usize], policy: &Policy) -> Vec<String> {
        notes::omitted_lines(&left.iter().map(|n| &self.notes[*n]).collect::<Vec<_>>(), policy)
    }

    /// The part of a budget for the items: for the mandatory ones at most four fifths of it, and at most half of the
    /// rest.
    pub fn notes_budget(&self, budget: usize) -> usize {
        let most = budget / 5 * 4 + budget % 5 * 4 / 5;
        let must = self.notes.iter().filter(|n| n.reason != NoteReason::Noted).count();
        let mut needed = if must == 0 { 0 } else { line_cost(NOTES_HEAD) };
        let mut above = None;
        for n in 0..must {
            if needed > most {
                break;
            }
            let file = self.notes[n].file().filter(|file| Some(*file) != above);
            above = file.or(above);
            needed += line_cost(&self.note_line(n)) + file.map_or(0, |file| line_cost(&file_heading(file)));
        }
        let given = needed.min(most);
        given + (budget - given) / 2
    }
}
