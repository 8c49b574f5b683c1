//! Joins the blocks of a context under one hard budget.
//!
//! Never more tokens than asked for. What comes first is served first: news, what is pinned and important, the index,
//! the newest entries; each block keeps room for saying what it leaves out.

use super::answer::{Context, ContextEntry, ContextFile, ContextItem, Update};
use super::block::{self, Block, Rows, cost, costs, pack};
use super::delta::{self, Event, Since};
use super::entries::Entry;
use super::files::Listed;
use super::frame::{self, FRAME};
use super::how::HOW;
use super::notes::{self, Note, Why};
use super::records::Record;
use crate::policy::Policy;
use crate::view::query::answer::tokens;

/// The smallest budget, in tokens: what every context says in any case fits into it.
pub const LEAST: usize = 320;
/// The budget without one of the caller's, in tokens.
pub const BUDGET: usize = 2000;

const NOTES: &str = "Pinned and important:";
const FILES: &str = "Available memory:";
const ENTRIES: &str = "Newest entries:";
/// How long an item may be, in tokens: the first at which all that must be there leaves room for the index.
const LENGTHS: [usize; 5] = [80, 40, 24, 16, 10];

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// At most so many tokens.
    pub budget: usize,
    /// How the caller names the data dir, as shell words: `-C DIR`; empty where it is found without.
    pub before: String,
    /// Whose memory it is, for `records`.
    pub app: String,
}

impl Ask {
    /// How commands are to be read, where the data dir is not found without being named.
    fn note(&self) -> Option<String> {
        let plain = !self.before.is_empty() && !self.before.contains(char::is_control);
        plain.then(|| format!("Here `memdir` means: memdir {}", self.before))
    }

    /// The smallest budget that this question may have, in tokens.
    pub fn least(&self) -> usize {
        LEAST + self.note().map_or(0, |note| tokens(&note) + 1)
    }
}

/// What a context is made of.
#[derive(Default)]
pub struct Material {
    /// Since when news are told; `None` without news.
    pub since: Option<Since>,
    /// The news, most valuable first.
    pub events: Vec<Event>,
    /// The items, most valuable first.
    pub notes: Vec<Note>,
    /// The index, most valuable first.
    pub files: Vec<Listed>,
    /// The newest entries, newest first.
    pub entries: Vec<Entry>,
    /// How many files hold procedures.
    pub procedures: usize,
}

/// The context as a session should see it first.
pub fn page(ask: &Ask, material: &Material, policy: &Policy) -> Context {
    let Material { since, events, notes, files, entries, procedures } = material;
    let empty = events.is_empty() && notes.is_empty() && files.is_empty();
    let frame = if empty { "Nothing is remembered yet." } else { FRAME };
    let tail: Vec<String> = HOW.lines().map(str::to_owned).chain(ask.note()).collect();
    let aside: Vec<String> = (*procedures > 0)
        .then(|| format!("… and {} with procedures: memdir list procedures", frame::files(*procedures)))
        .into_iter()
        .collect();
    let told_notes = |left: &[usize]| notes::told(&left.iter().map(|n| &notes[*n]).collect::<Vec<_>>(), policy);
    let told_files = |left: &[usize]| vec![frame::more_files(left.len())];
    let told_entries = |left: &[usize]| vec![older(entries, left)];
    let none = Since { rev: String::new(), command: String::new() };
    let since_when = since.as_ref().unwrap_or(&none);
    let least = [
        delta::least(since_when, events),
        block::least(NOTES, notes.len(), &told_notes),
        block::least(FILES, files.len(), &told_files),
    ];
    // A blank line follows each block.
    let fixed = cost(frame) + costs(&tail) + costs(&aside) + 6 + least.iter().sum::<usize>();
    let mut room = (ask.budget * 4).saturating_sub(fixed);

    let news = delta::header(since_when, events, least[0] + room / 4);
    room = (room + least[0]).saturating_sub(news.cost());

    let (rows, given) = noted(notes, room + least[1]);
    let made = Rows { count: rows.len(), row: &|n| rows[n].clone(), place: &|n| n };
    let noted = pack(NOTES, &made, given, &told_notes);
    room = (room + least[1]).saturating_sub(noted.cost());

    let entry_rows: Vec<String> = entries.iter().map(Entry::line).collect();
    let wanted = if entries.is_empty() { 0 } else { cost(ENTRIES) + costs(&entry_rows) };
    // Where neither fits, the newest entries get a third.
    let given = least[2] + room - wanted.min(room / 3);
    let index = index(files, given, &told_files);
    room = (room + least[2]).saturating_sub(index.cost());

    let made = Rows { count: entries.len(), row: &|n| entry_rows[n].clone(), place: &|n| n };
    let mut newest = pack(ENTRIES, &made, room, &told_entries);
    if newest.shown.is_empty() {
        // The index tells of their files.
        newest = Block::default();
    }

    let mut shown_index = index.lines.clone();
    shown_index.extend(aside.iter().cloned());
    let mut blocks = vec![news.lines.clone(), vec![frame.to_owned()]];
    blocks.extend([noted.lines.clone(), shown_index, newest.lines.clone(), tail]);
    let left_out = [&news.told, &noted.told, &index.told, &aside, &newest.told].into_iter().flatten().cloned();
    Context {
        since: since.as_ref().filter(|_| !events.is_empty()).map(|s| s.rev.clone()),
        updates: news.shown.iter().map(|n| update(&events[*n], &news.lines[n + 1])).collect(),
        more_updates: events.len() - news.shown.len(),
        items: noted.shown.iter().map(|n| item(&notes[*n], &rows[*n])).collect(),
        files: index.shown.iter().map(|n| file(&files[*n])).collect(),
        entries: newest.shown.iter().map(|n| entry(&entries[*n], &entry_rows[*n])).collect(),
        left_out: left_out.collect(),
        ..whole("default", ask, &blocks)
    }
}

/// The items' lines, and how much of the room they get: all that must be there, and of the rest at most half.
fn noted(notes: &[Note], room: usize) -> (Vec<String>, usize) {
    let must = notes.iter().filter(|n| n.why != Why::Noted).count();
    let lines = |most: usize| notes.iter().map(|note| note.line(most)).collect::<Vec<_>>();
    let head = cost(NOTES);
    let fits = |rows: &Vec<String>| head + costs(&rows[..must]) <= room * 3 / 4;
    let rows = LENGTHS.iter().map(|most| lines(*most)).find(fits).unwrap_or_else(|| lines(LENGTHS[4]));
    let needed = if must == 0 { 0 } else { head + costs(&rows[..must]) };
    let given = needed.min(room);
    (rows, given + (room - given) / 2)
}

/// The index, chosen by value, in the order of paths.
fn index(files: &[Listed], room: usize, told: block::Told<'_>) -> Block {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by(|a, b| files[*a].path.cmp(&files[*b].path));
    let mut place = vec![0; files.len()];
    order.into_iter().enumerate().for_each(|(at, n)| place[n] = at);
    let rows = Rows { count: files.len(), row: &|n| files[n].line(), place: &|n| place[n] };
    pack(FILES, &rows, room, told)
}

/// Where the entries that are left out stand.
fn older(entries: &[Entry], left: &[usize]) -> String {
    let first = left.first().map_or("", |n| entries[*n].address.split(['#', '@']).next().unwrap_or_default());
    match frame::is_plain(first) {
        true => format!("… and older ones: memdir list {first}"),
        false => "… and older ones: memdir list episodes".to_owned(),
    }
}

/// The index alone, in m2's form (seeds/m2-markdown-memory.md 5).
pub fn available(ask: &Ask, files: &[Listed]) -> Context {
    let mut tail = vec!["Use memdir read to load relevant files before responding.".to_owned()];
    tail.extend(ask.note());
    let told = |left: &[usize]| vec![frame::more_files(left.len())];
    let index = index(files, (ask.budget * 4).saturating_sub(costs(&tail) + 2), &told);
    let lines = if files.is_empty() { vec![FILES.to_owned(), "(none yet)".to_owned()] } else { index.lines.clone() };
    Context {
        files: index.shown.iter().map(|n| file(&files[*n])).collect(),
        left_out: index.told.clone(),
        ..whole("index", ask, &[lines, tail])
    }
}

/// All items, numbered and dated, newest first (seeds/memory-feature.md). `whole` is how many there are.
pub fn listed(ask: &Ask, records: &[Record], count: usize) -> Context {
    let head = [
        format!("(memories for app: {})", frame::cut(&frame::line(&ask.app), 24)),
        "The following are memories from previous conversations with this app:".to_owned(),
    ];
    let tail = vec!["Use these memories to provide context-aware responses.".to_owned()];
    let day = |record: &Record| record.moment.map_or("unknown".to_owned(), |m| m.day.to_string());
    let line =
        |n: usize, record: &Record| format!("{n}. [Created: {}] {}", day(record), frame::cut(&record.text, LENGTHS[0]));
    let more = |n: usize| format!("… and {n} more: memdir list");
    let fixed = costs(&head) + costs(&tail) + 3;
    let mut room = (ask.budget * 4).saturating_sub(fixed);
    let rows: Vec<String> = records.iter().enumerate().map(|(n, record)| line(n + 1, record)).collect();
    if costs(&rows) > room || count > rows.len() {
        room = room.saturating_sub(cost(&more(count)));
    }
    let fits = |row: &&String| {
        let rest = room.checked_sub(cost(row));
        room = rest.unwrap_or(room);
        rest.is_some()
    };
    let shown: Vec<String> = rows.iter().take_while(fits).cloned().collect();
    let told: Vec<String> = (shown.len() < count).then(|| more(count - shown.len())).into_iter().collect();
    let items = records.iter().zip(&shown).map(|(record, line)| ContextItem {
        address: record.address.clone(),
        why: "record",
        date: record.moment.map(|m| m.day.to_string()),
        text: line.clone(),
    });
    let items = items.collect();
    let body: Vec<String> = shown.into_iter().chain(told.iter().cloned()).collect();
    Context { items, left_out: told, ..whole("records", ask, &[head.to_vec(), body, tail]) }
}

/// Blocks with blank lines between them.
fn whole(style: &'static str, ask: &Ask, blocks: &[Vec<String>]) -> Context {
    let mut text = String::new();
    for block in blocks.iter().filter(|lines| !lines.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        block.iter().for_each(|line| text.extend([line.as_str(), "\n"]));
    }
    Context { style, budget: ask.budget, tokens: tokens(&text), text, ..Context::default() }
}

fn update(event: &Event, line: &str) -> Update {
    Update { event: event.kind.name(), path: event.path.clone(), text: bare(line) }
}

fn item(note: &Note, line: &str) -> ContextItem {
    ContextItem {
        address: note.address.clone(),
        why: note.why.name(),
        date: note.moment.map(|m| m.day.to_string()),
        text: bare(line),
    }
}

fn file(file: &Listed) -> ContextFile {
    ContextFile { path: file.path.to_string(), size: file.size, text: bare(&file.line()) }
}

fn entry(entry: &Entry, line: &str) -> ContextEntry {
    ContextEntry { address: entry.address.clone(), date: entry.day.map(|d| d.to_string()), text: bare(line) }
}

/// A line without its marker.
fn bare(line: &str) -> String {
    line.strip_prefix("- ").unwrap_or(line).to_owned()
}
