//! The header of a context: what changed since a reader's last one, a line an event.
//!
//! Never tells more than three events; the others are counted, with the command that shows them.

use super::block::{PackedBlock, line_cost, lines_cost};
use super::sanitize;
use super::update_kind::UpdateKind;
use crate::document::Handle;
use crate::text::llm_tokens::token_quarters;

/// How the head of the updates starts.
pub const UPDATES_HEAD: &str = "Memory updates since ";
/// The maximum number of events shown.
pub const MAX_EVENTS: usize = 3;
/// The maximum length of an event in tokens, and the minimum for which a line is shown.
const MAX_EVENT_TOKENS: usize = 48;
const MIN_EVENT_TOKENS: usize = 10;

/// A change since the reader's last look, as one line of the context.
#[derive(Clone, Debug, Default)]
pub struct UpdateEvent {
    pub kind: UpdateKind,
    /// The path of the file.
    pub path: String,
    pub(super) text: String,
    pub(super) imp: Option<String>,
    /// What is known about its item.
    pub(super) remarks: String,
    /// The address of its item, as its line ends with it; empty if it is not shown.
    pub(super) address_mark: String,
    pub(super) value: f64,
    pub(super) rev: Option<u64>,
    /// The identity of the bullet, if it is one that exists.
    pub(super) identity: Option<Handle>,
}

impl UpdateEvent {
    /// Its line in at most `room` quarters of a token: `- +created: [Personal] Preferred name is Ana (imp=2)`. What is
    /// known about its item, and its address, stand behind a whole text only.
    fn line(&self, room: usize) -> String {
        let whole = self.whole_line();
        let with_address = format!("{whole}{}", self.address_mark);
        let most = |mark: &str| room.min(MAX_EVENT_TOKENS * 4 + token_quarters(mark));
        if token_quarters(&with_address) <= most(&format!("{}{}", self.remarks, self.address_mark)) {
            return with_address;
        }
        if token_quarters(&whole) <= most(&self.remarks) {
            return whole;
        }
        let (head, imp) = (format!("- {}: ", self.kind.label()), self.importance_mark());
        let left = most("").saturating_sub(token_quarters(&head) + token_quarters(&imp));
        format!("{head}{}{imp}", sanitize::truncate(&self.text, left / 4))
    }

    /// Its line with the whole text, without an address.
    pub(super) fn whole_line(&self) -> String {
        format!("- {}: {}{}{}", self.kind.label(), self.text, self.importance_mark(), self.remarks)
    }

    fn importance_mark(&self) -> String {
        self.imp.as_ref().map_or(String::new(), |imp| format!(" (imp={imp})"))
    }
}

/// The revision that a reader has seen, and the command that shows everything since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenRevision {
    /// The revision that the reader saw last, such as `r41`.
    pub rev: String,
    /// Such as `memdir diff --since r41`.
    pub command: String,
}

/// The header in a budget of `budget` quarters of a token: a head, and up to three events, the first of `count`.
pub fn updates_header(since: &SeenRevision, events: &[UpdateEvent], count: usize, budget: usize) -> PackedBlock {
    let Some(head) = (!events.is_empty()).then(|| head_line(since)) else { return PackedBlock::default() };
    let more = |n: usize| format!("… and {n} more: {}", since.command);
    let last = if count <= MAX_EVENTS { 0 } else { line_cost(&more(count)) };
    let rows = events.len().min(MAX_EVENTS);
    let each = budget.saturating_sub(line_cost(&head) + last + rows) / rows;
    let shown = if each < MIN_EVENT_TOKENS * 4 { 0 } else { rows };
    let omitted: Vec<String> = (shown < count).then(|| more(count - shown)).into_iter().collect();
    // Where all of them fit whole, none is cut to its share of the room.
    let lines = |room: usize| events[..shown].iter().map(|event| event.line(room)).collect::<Vec<_>>();
    let whole = lines(usize::MAX);
    let rows = if line_cost(&head) + last + lines_cost(&whole) <= budget { whole } else { lines(each) };
    PackedBlock {
        lines: std::iter::once(head).chain(rows).chain(omitted.iter().cloned()).collect(),
        shown: (0..shown).collect(),
        omitted,
    }
}

fn head_line(since: &SeenRevision) -> String {
    match since.rev.strip_prefix('r') {
        Some(number) => format!("{UPDATES_HEAD}rev {number}:"),
        None => format!("{UPDATES_HEAD}{}:", since.rev),
    }
}

/// The smallest budget of a header, in quarters of a token.
pub fn min_budget(since: &SeenRevision, events: &[UpdateEvent]) -> usize {
    match events.len() {
        0 => 0,
        n => line_cost(&head_line(since)) + line_cost(&format!("… and {n} more: {}", since.command)),
    }
}
