//! Joins the blocks of a context under one hard budget.
//!
//! Never exceeds the budget in tokens. Blocks are served in order: updates, pinned and important items, other facts,
//! the newest entries, the index of what is left; each keeps enough budget to report what it omits. [`stable_page`] is
//! the order for prompt caches.

use std::collections::HashMap;

use super::agent_guide::{command_note, guide_for};
use super::block::{self, BlockRows, MAX_INDEX_MISSES, MIN_REST, PackedBlock, line_cost, lines_cost, pack};
use super::contents::{ContextContents, NO_LIMIT};
use super::delta::{self, SeenRevision};
use super::entries::RecentEntry;
use super::files::IndexedFile;
use super::records::{DatedRecord, cut_to_chars};
use super::remarks::{FindRemarks, ItemRemarks};
use super::reported::ReportedItems;
use super::result::{ContextEntry, ContextFile, ContextItem, ContextReason, ContextResult, ContextStyle};
use super::sanitize::{self, NOTES_NOTICE};
use super::stable_page::stable_page;
use crate::path::split_shown_address;
use crate::policy::Policy;
use crate::text::counted_noun::counted_noun;
use crate::text::llm_tokens::estimate_llm_tokens;

/// The smallest budget in tokens: the fixed lines of every context fit into it.
pub const MIN_BUDGET: usize = 320;
/// The default budget in tokens.
pub const DEFAULT_BUDGET: usize = 2000;

pub(super) const NOTES_HEAD: &str = "Pinned and important:";
pub(super) const FACTS_HEAD: &str = "Facts:";
pub(super) const FILES_HEAD: &str = "Available memory:";
/// The head of an index without the files of which everything is shown.
pub(super) const MORE_FILES_HEAD: &str = "More memory:";
const ENTRIES_HEAD: &str = "Newest entries:";
const MORE_ENTRIES_HEAD: &str = "More entries:";
/// The longest text of a record, in characters.
const MAX_RECORD_CHARS: usize = 200;

/// Options of a context.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    /// The budget in tokens.
    pub budget: usize,
    /// Shell words that name the data directory, such as `-C DIR`; empty if memdir finds it without them.
    pub dir_args: String,
    /// The name of the app whose memory it is, for `records`.
    pub app: String,
    /// The reader calls tools: the page says how to call them.
    pub for_tools: bool,
    /// What rarely changes comes first and the updates last.
    pub stable: bool,
    /// Rules for paths (`when=`) reach the reader when it touches one: other rules come before them.
    pub path_rules_follow: bool,
}

impl ContextOptions {
    /// The lines for which the budget has room beside what is `reserved`, in quarters of a token; those that do not fit
    /// are counted.
    fn fitting_lines(&self, lines: &[String], reserved: usize) -> Vec<String> {
        let room = self.budget.saturating_mul(4).saturating_sub(reserved);
        if lines_cost(lines) <= room {
            return lines.to_vec();
        }
        let mut left = room.saturating_sub(line_cost(&unfit_lines(lines.len())));
        let fits = |line: &&String| {
            let rest = left.checked_sub(line_cost(line));
            left = rest.unwrap_or(left);
            rest.is_some()
        };
        let mut shown: Vec<String> = lines.iter().filter(fits).cloned().collect();
        let count = unfit_lines(lines.len() - shown.len());
        shown.extend(Some(count).filter(|count| line_cost(count) <= room));
        shown
    }

    /// The smallest budget in tokens that these options allow.
    pub fn min_budget(&self) -> usize {
        MIN_BUDGET + command_note(&self.dir_args).map_or(0, |note| estimate_llm_tokens(&note) + 1)
    }
}

/// The lines of a page that do not depend on its budget.
pub(super) struct FixedLines {
    /// What the lines below it are.
    pub(super) frame: String,
    /// How to use memdir.
    pub(super) guide: Vec<String>,
    /// What is named beside the index.
    pub(super) aside: Vec<String>,
}

impl FixedLines {
    /// `least` is what the blocks between them need, in quarters of a token.
    pub(super) fn new(options: &ContextOptions, contents: &ContextContents<'_>, least: usize) -> FixedLines {
        let ContextContents { events, notes, facts, files, procedures, .. } = contents;
        let empty = events.is_empty() && notes.is_empty() && files.is_empty() && facts.facts.is_empty();
        let frame = if empty { "Nothing is remembered yet." } else { NOTES_NOTICE };
        let guide = guide_for(options.budget, options.for_tools);
        let aside = format!("… and {} with procedures: memdir list procedures", counted_noun(*procedures, "file"));
        let mut lines = FixedLines {
            frame: frame.to_owned(),
            guide: guide.lines().map(str::to_owned).chain(command_note(&options.dir_args)).collect(),
            aside: (*procedures > 0).then_some(aside).into_iter().collect(),
        };
        let beside = options.fitting_lines(&contents.beside, lines.cost() + least);
        lines.aside.extend(beside);
        lines
    }

    /// Their cost, with the blank lines of at most eight blocks, in quarters of a token.
    pub(super) fn cost(&self) -> usize {
        line_cost(&self.frame) + lines_cost(&self.guide) + lines_cost(&self.aside) + 8
    }
}

/// The revision since which updates are reported, or an empty one.
pub(super) fn since_when(contents: &ContextContents<'_>) -> SeenRevision {
    contents.since.clone().unwrap_or(SeenRevision { rev: String::new(), command: String::new() })
}

/// What updates, items and index need to report everything as left out, in quarters of a token.
pub(super) fn least_budgets(contents: &ContextContents<'_>, policy: &Policy) -> [usize; 3] {
    [
        delta::min_budget(&since_when(contents), &contents.events),
        contents.least_notes_budget(policy),
        block::min_budget(FILES_HEAD, contents.files.len(), &omitted_files),
    ]
}

/// What does not fit: `… and 2 lines for which the budget has no room`.
fn unfit_lines(count: usize) -> String {
    format!("… and {} for which the budget has no room", counted_noun(count, "line"))
}

/// The context at the start of a session.
pub fn default_page(options: &ContextOptions, contents: &ContextContents<'_>, policy: &Policy) -> ContextResult {
    if options.stable {
        return stable_page(options, contents, policy);
    }
    let ContextContents { since, events, files, entries, .. } = contents;
    let least = least_budgets(contents, policy);
    let fixed_lines = FixedLines::new(options, contents, least.iter().sum());
    let since_when = since_when(contents);
    let fixed = fixed_lines.cost() + least.iter().sum::<usize>();
    let mut budget = options.budget.saturating_mul(4).saturating_sub(fixed);

    let reported = ReportedItems::new(contents, false);
    let updates = delta::updates_header(&since_when, &reported.events, events.len(), least[0] + budget / 4);
    budget = (budget + least[0]).saturating_sub(updates.cost());
    let others = reported.others(contents, &updates);
    let contents = others.as_ref().unwrap_or(contents);

    let (noted, rest) = match pack_whole(contents, policy, budget + least[1] + least[2]) {
        Some(whole) => whole,
        None => pack_part(contents, policy, budget, [least[1], least[2]]),
    };

    let FixedLines { frame, guide, aside } = fixed_lines;
    let PackedRest { facts: packed_facts, index, index_files, entries: newest } = &rest;
    let mut shown_index = index.lines.clone();
    shown_index.extend(aside.iter().cloned());
    let mut blocks = vec![updates.lines.clone(), vec![frame]];
    blocks.extend([noted.lines.clone(), packed_facts.lines.clone(), shown_index, newest.lines.clone(), guide]);
    let left_out =
        [&updates.omitted, &noted.omitted, &index.omitted, &aside, &newest.omitted].into_iter().flatten().cloned();
    let items = noted.shown.iter().map(|n| contents.note_item(*n));
    let fact_items = packed_facts.shown.iter().map(|n| contents.fact_item(*n));
    ContextResult {
        since: since.as_ref().filter(|_| !events.is_empty()).map(|s| s.rev.clone()),
        updates: reported.rows(&updates),
        more_updates: events.len() - updates.shown.len(),
        items: items.chain(fact_items).collect(),
        files: index.shown.iter().map(|n| file_row(&files[index_files[*n]])).collect(),
        entries: newest.shown.iter().map(|n| entry_row(&entries[*n], &entries[*n].line())).collect(),
        left_out: left_out.collect(),
        ..join_blocks(ContextStyle::Default, options, &blocks)
    }
}

/// The items and all below them; `None` if they do not fit into a budget.
fn pack_whole(contents: &ContextContents<'_>, policy: &Policy, budget: usize) -> Option<(PackedBlock, PackedRest)> {
    if contents.least_cost() > budget {
        return None;
    }
    let noted = contents.pack_notes(NO_LIMIT, policy);
    let rest = pack_rest(contents, contents.whole_notes(&noted), NO_LIMIT, NO_LIMIT);
    (noted.cost() + rest.cost() <= budget).then_some((noted, rest))
}

/// The items and what is below them, as far as they fit into `budget` and the least budgets of items and index.
fn pack_part(
    contents: &ContextContents<'_>,
    policy: &Policy,
    mut budget: usize,
    [least_notes, least_files]: [usize; 2],
) -> (PackedBlock, PackedRest) {
    let mut noted = contents.pack_notes(contents.notes_budget(budget + least_notes), policy);
    budget = (budget + least_notes).saturating_sub(noted.cost());
    let mut rest = pack_rest(contents, contents.whole_notes(&noted), budget + least_files, budget);
    if !rest.is_complete(contents) {
        // Not everything fits: a third is kept for the index and the entries.
        rest = pack_rest(contents, contents.whole_notes(&noted), budget + least_files, budget - budget / 3);
    }
    budget = (budget + least_files).saturating_sub(rest.cost());
    // What is left over goes to items, then to facts.
    if !noted.omitted.is_empty() {
        let before = noted.cost();
        noted = contents.pack_notes(before + budget, policy);
        budget = (budget + before).saturating_sub(noted.cost());
    }
    let rest = rest.with_more_facts(contents, budget);
    (noted, rest)
}

/// The blocks below the items: facts, the index of what is left, the newest entries.
struct PackedRest {
    facts: PackedBlock,
    index: PackedBlock,
    /// The index's rows as indices of [`ContextContents::files`].
    index_files: Vec<usize>,
    entries: PackedBlock,
}

impl PackedRest {
    fn cost(&self) -> usize {
        self.facts.cost() + self.index.cost() + self.entries.cost()
    }

    /// Whether everything is shown, or at least named by the index.
    fn is_complete(&self, contents: &ContextContents<'_>) -> bool {
        self.facts.shown.len() == contents.facts.facts.len()
            && self.index.omitted.is_empty()
            && self.entries.shown.len() == contents.entries.len()
    }

    /// Adds the facts that fit into what is left over.
    fn with_more_facts(self, contents: &ContextContents<'_>, left_over: usize) -> PackedRest {
        let facts = if self.facts.shown.len() < contents.facts.facts.len() {
            pack_facts(contents, self.facts.cost() + left_over)
        } else {
            self.facts
        };
        PackedRest { facts, ..self }
    }
}

/// Packs facts into `for_facts`, then the newest entries and the index of what is left into the rest of `budget`.
/// `whole_notes` are the paths of items that are already shown whole.
fn pack_rest<'a>(
    contents: &'a ContextContents<'_>,
    whole_notes: impl Iterator<Item = &'a str>,
    budget: usize,
    for_facts: usize,
) -> PackedRest {
    let ContextContents { files, entries, facts, .. } = contents;
    let packed = pack_facts(contents, for_facts);
    let mut budget = budget.saturating_sub(packed.cost());
    let mut shown_items: HashMap<&str, usize> = HashMap::new();
    let fact_paths = packed.shown.iter().map(|n| facts.facts[*n].path.as_str());
    whole_notes.chain(fact_paths).for_each(|path| *shown_items.entry(path).or_default() += 1);

    let is_left = |shown: &HashMap<&str, usize>, file: &IndexedFile| {
        facts.item_counts.get(file.path.as_str()) != Some(shown.get(file.path.as_str()).unwrap_or(&0))
    };
    let mut with_entries = shown_items.clone();
    let whole_entries = entries.iter().filter(|entry| entry.is_whole());
    whole_entries.for_each(|entry| *with_entries.entry(address_path(&entry.address)).or_default() += 1);
    let mut for_index = line_cost(FILES_HEAD);
    for file in files.iter().filter(|file| is_left(&with_entries, file)) {
        for_index += line_cost(&file.line());
        if for_index > budget {
            break;
        }
    }
    let mut newest = pack_entries(entries, budget.saturating_sub(for_index));
    if newest.shown.len() < entries.len() {
        // If index and entries do not both fit, the entries get a third. The index also lists the files of entries
        // that are left out.
        let left = files.iter().filter(|file| is_left(&shown_items, file)).count();
        let available = budget.saturating_sub(block::min_budget(FILES_HEAD, left, &omitted_files));
        newest = pack_entries(entries, budget.saturating_sub(for_index).max(available / 3).min(available));
    }
    budget = budget.saturating_sub(newest.cost());
    let whole = newest.shown.iter().filter(|n| entries[**n].is_whole());
    whole.for_each(|n| *shown_items.entry(address_path(&entries[*n].address)).or_default() += 1);
    let index_files: Vec<usize> = (0..files.len()).filter(|n| is_left(&shown_items, &files[*n])).collect();
    let head = if index_files.len() < files.len() { MORE_FILES_HEAD } else { FILES_HEAD };
    let listed: Vec<&IndexedFile> = index_files.iter().map(|n| &files[*n]).collect();
    let index = pack_index(head, &listed, &IndexedFile::line, budget);
    PackedRest { facts: packed, index, index_files, entries: newest }
}

/// The newest entries; nothing if not even one fits, because the index lists their files.
pub(super) fn pack_entries(entries: &[RecentEntry], budget: usize) -> PackedBlock {
    let all: Vec<usize> = (0..entries.len()).collect();
    pack_entry_rows(ENTRIES_HEAD, entries, &all, budget, MIN_REST)
}

/// The entries that a page has room for below all else, as long as there is more room than `spare`, in quarters of a
/// token. Returns their indices, too.
pub(super) fn pack_more_entries(
    entries: &[RecentEntry],
    shown: &[usize],
    room: usize,
    spare: usize,
) -> (PackedBlock, Vec<usize>) {
    let others: Vec<usize> = (0..entries.len()).filter(|n| !shown.contains(n)).collect();
    let block = pack_entry_rows(MORE_ENTRIES_HEAD, entries, &others, room.saturating_sub(1), spare.max(MIN_REST));
    let taken = block.shown.iter().map(|n| others[*n]).collect();
    (block, taken)
}

fn pack_entry_rows(head: &str, entries: &[RecentEntry], rows: &[usize], budget: usize, min_rest: usize) -> PackedBlock {
    let block_rows = BlockRows {
        count: rows.len(),
        row: &|n| entries[rows[n]].line(),
        least_cost: &|_| 0,
        position: &|n| n,
        file: &|_| None,
        max_misses: MAX_INDEX_MISSES,
        min_rest,
    };
    let omitted = |left: &[usize]| vec![omitted_entries_line(left.first().map(|n| &entries[rows[*n]]))];
    let block = pack(head, &block_rows, budget, &omitted);
    if block.shown.is_empty() || block.cost() > budget { PackedBlock::default() } else { block }
}

/// The facts: selected by value, printed in the order of their files.
fn pack_facts(contents: &ContextContents<'_>, budget: usize) -> PackedBlock {
    let facts = &contents.facts.facts;
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by(|a, b| facts[*a].reading_order().cmp(&facts[*b].reading_order()));
    let mut place = vec![0; facts.len()];
    order.into_iter().enumerate().for_each(|(at, n)| place[n] = at);
    let all: Vec<usize> = (0..facts.len()).collect();
    contents.pack_facts(FACTS_HEAD, &all, &|n| place[n], budget, MIN_REST)
}

/// The path in an address.
pub fn address_path(address: &str) -> &str {
    split_shown_address(address).0
}

pub(super) fn omitted_files(left: &[usize]) -> Vec<String> {
    vec![sanitize::omitted_files_line(left.len())]
}

/// The index: selected by value, printed in path order.
pub(super) fn pack_index(
    head: &str,
    files: &[&IndexedFile],
    line: &dyn Fn(&IndexedFile) -> String,
    budget: usize,
) -> PackedBlock {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by(|a, b| files[*a].path.cmp(&files[*b].path));
    let mut place = vec![0; files.len()];
    order.into_iter().enumerate().for_each(|(at, n)| place[n] = at);
    let rows = BlockRows {
        count: files.len(),
        row: &|n| line(files[n]),
        least_cost: &|_| 0,
        position: &|n| place[n],
        file: &|_| None,
        max_misses: MAX_INDEX_MISSES,
        min_rest: MIN_REST,
    };
    pack(head, &rows, budget, &omitted_files)
}

/// The line that reports omitted entries; `first` is the newest of them.
pub(super) fn omitted_entries_line(first: Option<&RecentEntry>) -> String {
    let first = first.map_or("", |entry| address_path(&entry.address));
    if sanitize::is_plain_name(first) {
        format!("… and older ones: memdir list {first}")
    } else {
        "… and older ones: memdir list episodes".to_owned()
    }
}

/// The index alone, followed by lines about layers that are left out, and the instruction to load relevant files.
pub fn index_page(options: &ContextOptions, files: &[IndexedFile], beside: &[String]) -> ContextResult {
    let end = std::iter::once("Use memdir read to load relevant files before responding.".to_owned());
    let end: Vec<String> = end.chain(command_note(&options.dir_args)).collect();
    let least = block::min_budget(FILES_HEAD, files.len(), &omitted_files);
    let notes = options.fitting_lines(beside, lines_cost(&end) + least + 2);
    let tail = [notes.clone(), end].concat();
    let listed: Vec<&IndexedFile> = files.iter().collect();
    let index = pack_index(
        FILES_HEAD,
        &listed,
        &IndexedFile::line,
        options.budget.saturating_mul(4).saturating_sub(lines_cost(&tail) + 2),
    );
    let lines =
        if files.is_empty() { vec![FILES_HEAD.to_owned(), "(none yet)".to_owned()] } else { index.lines.clone() };
    ContextResult {
        files: index.shown.iter().map(|n| file_row(&files[*n])).collect(),
        left_out: index.omitted.iter().chain(&notes).cloned().collect(),
        ..join_blocks(ContextStyle::Index, options, &[lines, tail])
    }
}

/// All items, numbered and dated, newest first. `count` is the number of all records, `records` those that are given,
/// `beside` lines about layers that are left out, `find_remarks` finds out what speaks against a record.
pub fn records_page(
    options: &ContextOptions,
    records: &[DatedRecord],
    count: usize,
    beside: &[String],
    find_remarks: FindRemarks<'_>,
) -> ContextResult {
    let head = [
        format!("(memories for app: {})", sanitize::truncate(&sanitize::sanitize_line(&options.app), 24)),
        "The following are memories from previous conversations with this app:".to_owned(),
    ];
    let more = |n: usize| format!("… and {n} more: memdir list");
    let end = "Use these memories to provide context-aware responses.".to_owned();
    let notes = options.fitting_lines(beside, lines_cost(&head) + line_cost(&end) + line_cost(&more(count)) + 3);
    let tail = [notes.clone(), vec![end]].concat();
    let day = |record: &DatedRecord| record.date.map_or("unknown".to_owned(), |m| m.day.to_string());
    let remarks: Vec<ItemRemarks> = records.iter().map(|record| find_remarks(&record.as_shown())).collect();
    let line = |n: usize, record: &DatedRecord| {
        let text = cut_to_chars(&record.text, MAX_RECORD_CHARS);
        format!("{}. [Created: {}] {text}{}", n + 1, day(record), remarks[n].doubts())
    };
    let fixed = lines_cost(&head) + lines_cost(&tail) + 3;
    let mut budget = options.budget.saturating_mul(4).saturating_sub(fixed);
    let rows: Vec<String> = records.iter().enumerate().map(|(n, record)| line(n, record)).collect();
    if lines_cost(&rows) > budget || count > rows.len() {
        budget = budget.saturating_sub(line_cost(&more(count)));
    }
    let fits = |row: &&String| {
        let rest = budget.checked_sub(line_cost(row));
        budget = rest.unwrap_or(budget);
        rest.is_some()
    };
    let shown: Vec<String> = rows.iter().take_while(fits).cloned().collect();
    let omitted: Vec<String> = (shown.len() < count).then(|| more(count - shown.len())).into_iter().collect();
    let items = records.iter().zip(&remarks).zip(&shown).map(|((record, remarks), line)| ContextItem {
        address: record.address.clone(),
        reason: ContextReason::Record,
        date: record.date.map(|m| m.day.to_string()),
        confidence: None,
        text: line.clone(),
        stale_anchor: remarks.anchor_state(),
        identity: None,
    });
    let items = items.collect();
    let body: Vec<String> = shown.into_iter().chain(omitted.iter().cloned()).collect();
    let left_out = omitted.into_iter().chain(notes).collect();
    ContextResult { items, left_out, ..join_blocks(ContextStyle::Records, options, &[head.to_vec(), body, tail]) }
}

/// Joins blocks with blank lines between them.
pub(super) fn join_blocks(style: ContextStyle, options: &ContextOptions, blocks: &[Vec<String>]) -> ContextResult {
    let mut text = String::new();
    for block in blocks.iter().filter(|lines| !lines.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        block.iter().for_each(|line| text.extend([line.as_str(), "\n"]));
    }
    ContextResult {
        style,
        budget: options.budget,
        tokens: estimate_llm_tokens(&text),
        text,
        ..ContextResult::default()
    }
}

pub(super) fn file_row(file: &IndexedFile) -> ContextFile {
    ContextFile { path: file.path.to_string(), size: file.size, text: without_marker(&file.line()) }
}

pub(super) fn entry_row(entry: &RecentEntry, line: &str) -> ContextEntry {
    ContextEntry { address: entry.address.clone(), date: entry.day.map(|d| d.to_string()), text: without_marker(line) }
}

/// A line without its list marker.
pub(super) fn without_marker(line: &str) -> String {
    line.strip_prefix("- ").unwrap_or(line).to_owned()
}
