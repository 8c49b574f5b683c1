//! Joins the blocks of a context under one hard budget.
//!
//! Never exceeds the budget in tokens. Blocks are served in order: updates, pinned and important items, the index, the
//! newest entries; each keeps enough budget to report what it omits.

use super::agent_guide::AGENT_GUIDE;
use super::answer::{ContextEntry, ContextFile, ContextItem, ContextResult, ContextUpdate};
use super::block::{self, BlockRows, PackedBlock, line_cost, lines_cost, pack};
use super::delta::{self, SeenRevision, UpdateEvent};
use super::entries::RecentEntry;
use super::files::IndexedFile;
use super::notes::{self, ContextNote, NoteReason};
use super::records::DatedRecord;
use super::sanitize::{self, NOTES_NOTICE};
use crate::policy::Policy;
use crate::view::query::answer::estimate_llm_tokens;

/// The smallest budget in tokens: the fixed lines of every context fit into it.
pub const MIN_BUDGET: usize = 320;
/// The default budget in tokens.
pub const DEFAULT_BUDGET: usize = 2000;

const NOTES_HEAD: &str = "Pinned and important:";
const FILES_HEAD: &str = "Available memory:";
const ENTRIES_HEAD: &str = "Newest entries:";
/// Maximum length of an item in tokens: the first value at which the mandatory items leave budget for the index is
/// used.
const ITEM_LENGTHS: [usize; 5] = [80, 40, 24, 16, 10];

/// Options of a context.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    /// The budget in tokens.
    pub budget: usize,
    /// Shell words that name the data dir, such as `-C DIR`; empty if memdir finds it without them.
    pub dir_args: String,
    /// The name of the app whose memory it is, for `records`.
    pub app: String,
}

impl ContextOptions {
    /// A line that explains how to read commands, if the data dir must be named.
    fn command_note(&self) -> Option<String> {
        let plain = !self.dir_args.is_empty() && !self.dir_args.contains(char::is_control);
        plain.then(|| format!("Here `memdir` means: memdir {}", self.dir_args))
    }

    /// The smallest budget in tokens that these options allow.
    pub fn min_budget(&self) -> usize {
        MIN_BUDGET + self.command_note().map_or(0, |note| estimate_llm_tokens(&note) + 1)
    }
}

/// The contents of a context.
#[derive(Default)]
pub struct ContextContents {
    /// The revision since which updates are reported; `None` without updates.
    pub since: Option<SeenRevision>,
    /// The updates, most valuable first.
    pub events: Vec<UpdateEvent>,
    /// The items, most valuable first.
    pub notes: Vec<ContextNote>,
    /// The index, most valuable first.
    pub files: Vec<IndexedFile>,
    /// The newest entries, newest first.
    pub entries: Vec<RecentEntry>,
    /// The number of files with procedures.
    pub procedures: usize,
}

/// The context at the start of a session.
pub fn default_page(options: &ContextOptions, contents: &ContextContents, policy: &Policy) -> ContextResult {
    let ContextContents { since, events, notes, files, entries, procedures } = contents;
    let empty = events.is_empty() && notes.is_empty() && files.is_empty();
    let frame = if empty { "Nothing is remembered yet." } else { NOTES_NOTICE };
    let tail: Vec<String> = AGENT_GUIDE.lines().map(str::to_owned).chain(options.command_note()).collect();
    let aside: Vec<String> = (*procedures > 0)
        .then(|| format!("… and {} with procedures: memdir list procedures", sanitize::file_count(*procedures)))
        .into_iter()
        .collect();
    let omitted_notes =
        |left: &[usize]| notes::omitted_lines(&left.iter().map(|n| &notes[*n]).collect::<Vec<_>>(), policy);
    let omitted_files = |left: &[usize]| vec![sanitize::omitted_files_line(left.len())];
    let omitted_entries = |left: &[usize]| vec![omitted_entries_line(entries, left)];
    let none = SeenRevision { rev: String::new(), command: String::new() };
    let since_when = since.as_ref().unwrap_or(&none);
    let least = [
        delta::min_budget(since_when, events),
        block::min_budget(NOTES_HEAD, notes.len(), &omitted_notes),
        block::min_budget(FILES_HEAD, files.len(), &omitted_files),
    ];
    // A blank line follows each of the six blocks.
    let fixed = line_cost(frame) + lines_cost(&tail) + lines_cost(&aside) + 6 + least.iter().sum::<usize>();
    let mut budget = (options.budget * 4).saturating_sub(fixed);

    let updates = delta::updates_header(since_when, events, least[0] + budget / 4);
    budget = (budget + least[0]).saturating_sub(updates.cost());

    let (rows, given) = fit_notes(notes, budget + least[1]);
    let block_rows = BlockRows { count: rows.len(), row: &|n| rows[n].clone(), position: &|n| n };
    let noted = pack(NOTES_HEAD, &block_rows, given, &omitted_notes);
    budget = (budget + least[1]).saturating_sub(noted.cost());

    let entry_rows: Vec<String> = entries.iter().map(RecentEntry::line).collect();
    let wanted = if entries.is_empty() { 0 } else { line_cost(ENTRIES_HEAD) + lines_cost(&entry_rows) };
    // If index and entries do not both fit, the entries get a third.
    let given = least[2] + budget - wanted.min(budget / 3);
    let index = pack_index(files, given, &omitted_files);
    budget = (budget + least[2]).saturating_sub(index.cost());

    let made = BlockRows { count: entries.len(), row: &|n| entry_rows[n].clone(), position: &|n| n };
    let mut newest = pack(ENTRIES_HEAD, &made, budget, &omitted_entries);
    if newest.shown.is_empty() {
        // The index already lists their files.
        newest = PackedBlock::default();
    }

    let mut shown_index = index.lines.clone();
    shown_index.extend(aside.iter().cloned());
    let mut blocks = vec![updates.lines.clone(), vec![frame.to_owned()]];
    blocks.extend([noted.lines.clone(), shown_index, newest.lines.clone(), tail]);
    let left_out =
        [&updates.omitted, &noted.omitted, &index.omitted, &aside, &newest.omitted].into_iter().flatten().cloned();
    ContextResult {
        since: since.as_ref().filter(|_| !events.is_empty()).map(|s| s.rev.clone()),
        updates: updates.shown.iter().map(|n| update_row(&events[*n], &updates.lines[n + 1])).collect(),
        more_updates: events.len() - updates.shown.len(),
        items: noted.shown.iter().map(|n| item_row(&notes[*n], &rows[*n])).collect(),
        files: index.shown.iter().map(|n| file_row(&files[*n])).collect(),
        entries: newest.shown.iter().map(|n| entry_row(&entries[*n], &entry_rows[*n])).collect(),
        left_out: left_out.collect(),
        ..join_blocks("default", options, &blocks)
    }
}

/// The lines of the items and their budget: all mandatory items, and at most half of the rest.
fn fit_notes(notes: &[ContextNote], budget: usize) -> (Vec<String>, usize) {
    let must = notes.iter().filter(|n| n.reason != NoteReason::Noted).count();
    let lines = |most: usize| notes.iter().map(|note| note.line(most)).collect::<Vec<_>>();
    let head = line_cost(NOTES_HEAD);
    let fits = |rows: &Vec<String>| head + lines_cost(&rows[..must]) <= budget * 3 / 4;
    let rows = ITEM_LENGTHS.iter().map(|most| lines(*most)).find(fits).unwrap_or_else(|| lines(ITEM_LENGTHS[4]));
    let needed = if must == 0 { 0 } else { head + lines_cost(&rows[..must]) };
    let given = needed.min(budget);
    (rows, given + (budget - given) / 2)
}

/// The index: selected by value, printed in path order.
fn pack_index(files: &[IndexedFile], budget: usize, omitted: block::DescribeOmitted<'_>) -> PackedBlock {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by(|a, b| files[*a].path.cmp(&files[*b].path));
    let mut place = vec![0; files.len()];
    order.into_iter().enumerate().for_each(|(at, n)| place[n] = at);
    let rows = BlockRows { count: files.len(), row: &|n| files[n].line(), position: &|n| place[n] };
    pack(FILES_HEAD, &rows, budget, omitted)
}

/// The line that reports omitted entries.
fn omitted_entries_line(entries: &[RecentEntry], left: &[usize]) -> String {
    let first = left.first().map_or("", |n| entries[*n].address.split(['#', '@']).next().unwrap_or_default());
    match sanitize::is_plain_name(first) {
        true => format!("… and older ones: memdir list {first}"),
        false => "… and older ones: memdir list episodes".to_owned(),
    }
}

/// The index alone, followed by the instruction to load relevant files.
pub fn index_page(options: &ContextOptions, files: &[IndexedFile]) -> ContextResult {
    let mut tail = vec!["Use memdir read to load relevant files before responding.".to_owned()];
    tail.extend(options.command_note());
    let omitted = |left: &[usize]| vec![sanitize::omitted_files_line(left.len())];
    let index = pack_index(files, (options.budget * 4).saturating_sub(lines_cost(&tail) + 2), &omitted);
    let lines =
        if files.is_empty() { vec![FILES_HEAD.to_owned(), "(none yet)".to_owned()] } else { index.lines.clone() };
    ContextResult {
        files: index.shown.iter().map(|n| file_row(&files[*n])).collect(),
        left_out: index.omitted.clone(),
        ..join_blocks("index", options, &[lines, tail])
    }
}

/// All items, numbered and dated, newest first. `count` is the number of all records, `records` those that are given.
pub fn records_page(options: &ContextOptions, records: &[DatedRecord], count: usize) -> ContextResult {
    let head = [
        format!("(memories for app: {})", sanitize::truncate(&sanitize::sanitize_line(&options.app), 24)),
        "The following are memories from previous conversations with this app:".to_owned(),
    ];
    let tail = vec!["Use these memories to provide context-aware responses.".to_owned()];
    let day = |record: &DatedRecord| record.date.map_or("unknown".to_owned(), |m| m.day.to_string());
    let line = |n: usize, record: &DatedRecord| {
        format!("{n}. [Created: {}] {}", day(record), sanitize::truncate(&record.text, ITEM_LENGTHS[0]))
    };
    let more = |n: usize| format!("… and {n} more: memdir list");
    let fixed = lines_cost(&head) + lines_cost(&tail) + 3;
    let mut budget = (options.budget * 4).saturating_sub(fixed);
    let rows: Vec<String> = records.iter().enumerate().map(|(n, record)| line(n + 1, record)).collect();
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
    let items = records.iter().zip(&shown).map(|(record, line)| ContextItem {
        address: record.address.clone(),
        why: "record",
        date: record.date.map(|m| m.day.to_string()),
        text: line.clone(),
    });
    let items = items.collect();
    let body: Vec<String> = shown.into_iter().chain(omitted.iter().cloned()).collect();
    ContextResult { items, left_out: omitted, ..join_blocks("records", options, &[head.to_vec(), body, tail]) }
}

/// Joins blocks with blank lines between them.
fn join_blocks(style: &'static str, options: &ContextOptions, blocks: &[Vec<String>]) -> ContextResult {
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

fn update_row(event: &UpdateEvent, line: &str) -> ContextUpdate {
    ContextUpdate { event: event.kind.name(), path: event.path.clone(), text: without_marker(line) }
}

fn item_row(note: &ContextNote, line: &str) -> ContextItem {
    ContextItem {
        address: note.address.clone(),
        why: note.reason.name(),
        date: note.date.map(|m| m.day.to_string()),
        text: without_marker(line),
    }
}

fn file_row(file: &IndexedFile) -> ContextFile {
    ContextFile { path: file.path.to_string(), size: file.size, text: without_marker(&file.line()) }
}

fn entry_row(entry: &RecentEntry, line: &str) -> ContextEntry {
    ContextEntry { address: entry.address.clone(), date: entry.day.map(|d| d.to_string()), text: without_marker(line) }
}

/// A line without its list marker.
fn without_marker(line: &str) -> String {
    line.strip_prefix("- ").unwrap_or(line).to_owned()
}
