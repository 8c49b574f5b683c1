//! The page in the order for prompt caches, which keep a text as long as it begins with the same bytes: how to use
//! memdir, pinned and important items, the index, the newest entries, older facts, new facts, the updates.
//!
//! Never moves what a change of today does not concern: what is shown of items, of entries and of the index depends on
//! neither today's facts nor the updates, and of older facts only the end does. It makes room for new ones in steps.
//! Facts of yesterday become older ones at midnight, when no cache of a prompt lives that long.

use std::collections::{HashMap, HashSet};

use super::block::{self, MIN_REST, PackedBlock, headings_cost, line_cost};
use super::contents::{ContextContents, NO_LIMIT};
use super::delta;
use super::files::IndexedFile;
use super::page::{
    ContextOptions, FACTS_HEAD, FILES_HEAD, FixedLines, MORE_FILES_HEAD, address_path, entry_row, file_row,
    join_blocks, least_budgets, omitted_entries_line, omitted_files, pack_entries, pack_index, pack_more_entries,
    since_when,
};
use super::reported::ReportedItems;
use super::result::{ContextResult, ContextStyle};
use crate::policy::Policy;

const NEW_FACTS_HEAD: &str = "New facts:";
const MORE_FACTS_HEAD: &str = "More facts:";
/// The part of the budget for updates, of which facts take what these leave.
const UPDATES_SHARE: usize = 14;
/// The part of the budget that updates may take at most, where not everything fits.
const MOST_UPDATES_SHARE: usize = 8;
/// The room for new facts grows in steps of this part of the budget: within a step, one more moves nothing else.
const STEP_SHARE: usize = 18;
/// The least step, in quarters of a token: room for a fact.
const MIN_STEP: usize = 32 * 4;
/// How many steps of the room are filled by value; what stands before is not moved by new facts, and is sorted by file.
const UNSORTED_STEPS: usize = 4;
/// The part of the page that a new fact may change.
const MOVING_SHARE: usize = 10;
/// This part of the budget may stay empty: what would fill it, each new fact would push out again.
const EMPTY_SHARE: usize = 11;
/// What a new fact and the fact that it pushes out take, in quarters of a token.
const TWO_FACTS: usize = 60 * 4;
/// The least page, in quarters of a token, that keeps room for a new fact beside more items or entries. On a smaller one
/// that room would be too large a part.
const MIN_MORE_ROWS: usize = 600 * 4;
/// The part of the page that may be kept for a new fact beside more items.
const MOST_KEPT_SHARE: usize = 13;
/// The part of what the items leave that the index and the entries get, where not everything fits.
const INDEX_SHARE: usize = 6;

/// The blocks between the items and the updates.
struct StableRest {
    entries: PackedBlock,
    index: PackedBlock,
    /// The index's rows as indices of [`ContextContents::files`].
    index_files: Vec<usize>,
    /// Three blocks of facts, each with its rows as indices of the facts.
    facts: [(PackedBlock, Vec<usize>); 3],
}

impl StableRest {
    fn cost(&self) -> usize {
        self.entries.cost() + self.index.cost() + self.facts.iter().map(|(block, _)| block.cost()).sum::<usize>()
    }

    /// The facts that are shown, in the order of the lines.
    fn shown_facts(&self) -> impl Iterator<Item = usize> {
        self.facts.iter().flat_map(|(block, rows)| block.shown.iter().map(|n| rows[*n]))
    }
}

/// The blocks of a page below the instructions.
struct StableBlocks {
    noted: PackedBlock,
    rest: StableRest,
    /// More items below the older facts.
    more_notes: (PackedBlock, Vec<usize>),
    /// More entries below the older facts, where all facts are shown.
    more_entries: (PackedBlock, Vec<usize>),
    /// The lines about items and entries that none of the blocks shows.
    left_out: Vec<String>,
}

impl StableBlocks {
    fn cost(&self) -> usize {
        self.noted.cost() + self.rest.cost() + self.more_notes.0.cost() + self.more_entries.0.cost()
    }
}

/// The context at the start of a session.
pub(super) fn stable_page(options: &ContextOptions, contents: &ContextContents<'_>, policy: &Policy) -> ContextResult {
    let least = least_budgets(contents, policy).iter().sum();
    let fixed = FixedLines::new(options, contents, least);
    let total = options.budget.saturating_mul(4);
    let room = total.saturating_sub(fixed.cost());
    let reported = ReportedItems::new(contents, true);
    let (since, count) = (since_when(contents), contents.events.len());

    let updates = delta::updates_header(&since, &reported.events, count, NO_LIMIT);
    let others = reported.others(contents, &updates);
    let whole = pack_whole(others.as_ref().unwrap_or(contents), policy, room.saturating_sub(updates.cost()));
    if let Some(blocks) = whole {
        return to_result(options, contents, others.as_ref().unwrap_or(contents), fixed, blocks, &reported, &updates);
    }
    let reserve = if contents.has_reader { total / UPDATES_SHARE } else { 0 };
    let reserve = reserve.max(delta::min_budget(&since, &contents.events)).min(room);
    let most = reserve.max(updates.cost().min(total / MOST_UPDATES_SHARE)).min(room);
    let updates = delta::updates_header(&since, &reported.events, count, most);
    let others = reported.others(contents, &updates);
    let shown = others.as_ref().unwrap_or(contents);
    // Items and index have the same room whatever the updates take, unless the facts cannot make up for it.
    let pack =
        |reserve: usize| pack_part(shown, policy, room - reserve, &Room { total, reserve, updates: updates.cost() });
    let fits = |blocks: &StableBlocks| blocks.cost() + updates.cost() <= room;
    let blocks = Some(pack(reserve)).filter(fits).unwrap_or_else(|| pack(most));
    to_result(options, contents, shown, fixed, blocks, &reported, &updates)
}

/// Joins the blocks. `all` is everything; `contents` is `all` without what the updates report, and the blocks index
/// into it.
fn to_result(
    options: &ContextOptions,
    all: &ContextContents<'_>,
    contents: &ContextContents<'_>,
    fixed: FixedLines,
    blocks: StableBlocks,
    reported: &ReportedItems,
    updates: &PackedBlock,
) -> ContextResult {
    let FixedLines { frame, guide, aside } = fixed;
    let StableBlocks { noted, rest, more_notes, more_entries, left_out } = blocks;
    let ((more_notes, more_rows), (more_entries, older)) = (more_notes, more_entries);
    let mut shown_index = rest.index.lines.clone();
    shown_index.extend(aside.iter().cloned());
    let mut lines = vec![guide, vec![frame], noted.lines.clone(), shown_index, rest.entries.lines.clone()];
    let [older_facts, new_facts, more_facts] = rest.facts.each_ref().map(|(block, _)| block.lines.clone());
    lines.extend([older_facts, more_entries.lines, more_notes.lines, new_facts, more_facts, updates.lines.clone()]);
    let left_out = [&left_out, &rest.index.omitted, &aside, &updates.omitted];
    let items = noted.shown.iter().chain(&more_rows).map(|n| contents.note_item(*n));
    let (files, entries) = (&contents.files, &contents.entries);
    ContextResult {
        since: all.since.as_ref().filter(|_| !all.events.is_empty()).map(|s| s.rev.clone()),
        updates: reported.rows(updates),
        more_updates: all.events.len() - updates.shown.len(),
        items: items.chain(rest.shown_facts().map(|n| contents.fact_item(n))).collect(),
        files: rest.index.shown.iter().map(|n| file_row(&files[rest.index_files[*n]])).collect(),
        entries: rest
            .entries
            .shown
            .iter()
            .chain(&older)
            .map(|n| entry_row(&entries[*n], &entries[*n].line()))
            .collect(),
        left_out: left_out.into_iter().flatten().cloned().collect(),
        ..join_blocks(ContextStyle::Default, options, &lines)
    }
}

/// The budget of the whole page, what is kept of it for updates, and what they take, in quarters of a token.
struct Room {
    total: usize,
    reserve: usize,
    updates: usize,
}

impl Room {
    /// A budget with what the updates leave of their room, or without what they take of it.
    fn beside_updates(&self, budget: usize) -> usize {
        (budget + self.reserve).saturating_sub(self.updates)
    }

    fn step(&self) -> usize {
        (self.total / STEP_SHARE).max(MIN_STEP)
    }

    /// How much of a page without new facts may stay empty: of a small one, a new fact moves too much.
    fn empty(&self) -> usize {
        TWO_FACTS.saturating_sub(self.total / MOVING_SHARE).min(self.total / EMPTY_SHARE).max(MIN_REST)
    }
}

/// The items and what is below them, as far as they fit into `budget` and what the updates leave.
fn pack_part(contents: &ContextContents<'_>, policy: &Policy, budget: usize, room: &Room) -> StableBlocks {
    let least_files = block::min_budget(FILES_HEAD, contents.files.len(), &omitted_files);
    let mut noted = contents.pack_notes(contents.notes_budget(budget.saturating_sub(least_files)), policy);
    let after = |noted: &PackedBlock| budget.saturating_sub(noted.cost());
    let pack_after =
        |noted: &PackedBlock| pack_rest(contents, &contents.whole_notes(noted).collect::<Vec<_>>(), after(noted), room);
    let mut rest = pack_after(&noted);
    // What is left over goes to items, in steps, too, and new facts count as whole ones.
    let step = room.step();
    let new = rest.facts[1].0.cost();
    let kept = new.div_ceil(step).max(1) * step;
    let steps = (after(&noted) + new).saturating_sub(rest.cost() + kept) / step;
    if !noted.omitted.is_empty() && steps > 0 {
        noted = contents.pack_notes(noted.cost() + steps * step, policy);
        rest = pack_after(&noted);
    }
    let left = room.beside_updates(after(&noted)).saturating_sub(rest.cost());
    let is_large = room.total >= MIN_MORE_ROWS;
    // A few new facts have room beside them, so that the next one moves nothing.
    let new = rest.facts[1].0.cost();
    let beside_new = left.saturating_sub((new.div_ceil(step).max(1) * step).saturating_sub(new));
    let notes = |room: usize, spare: usize| contents.pack_more_notes(&noted.shown, room, spare);
    let is_used = |(block, _): &(PackedBlock, Vec<usize>)| left - block.cost() <= room.total / MOST_KEPT_SHARE;
    let more_notes = Some(notes(beside_new, MIN_REST)).filter(|notes| is_large && is_used(notes));
    let more_notes = more_notes.unwrap_or_else(|| notes(left, room.empty()));
    let has_all = noted.omitted.is_empty() && rest.shown_facts().count() == contents.facts.facts.len();
    let entries = |room: usize, spare: usize| pack_more_entries(&contents.entries, &rest.entries.shown, room, spare);
    let more_entries = match (has_all, is_large) {
        (true, true) => entries(beside_new, MIN_REST),
        (true, false) => entries(left, room.empty()),
        (false, _) => Default::default(),
    };
    let not_shown = (0..contents.notes.len()).filter(|n| !noted.shown.contains(n) && !more_notes.1.contains(n));
    let mut left_out = contents.omitted_notes(&not_shown.collect::<Vec<_>>(), policy);
    // Without any entry on the page, the index lists their files.
    let has_entries = [&rest.entries, &more_entries.0].iter().any(|block| !block.shown.is_empty());
    let is_shown = |n: &usize| rest.entries.shown.contains(n) || more_entries.1.contains(n);
    let first_entry = (0..contents.entries.len()).find(|n| has_entries && !is_shown(n));
    left_out.extend(first_entry.map(|n| omitted_entries_line(Some(&contents.entries[n]))));
    StableBlocks { noted, rest, more_notes, more_entries, left_out }
}

/// Packs entries, index and facts into `budget`, and more facts into what the updates leave. `whole_notes` are the
/// paths of items that are already shown whole.
fn pack_rest(contents: &ContextContents<'_>, whole_notes: &[&str], budget: usize, room: &Room) -> StableRest {
    let facts = &contents.facts.facts;
    let new = new_facts(contents);
    if (0..facts.len()).map(|n| contents.least_fact_cost(n)).sum::<usize>() <= budget {
        let whole = whole_rest(contents, whole_notes, &new);
        if whole.cost() <= budget {
            return whole;
        }
    }
    let share = budget / INDEX_SHARE;
    let least = block::min_budget(FILES_HEAD, contents.files.len(), &omitted_files);
    let for_index = line_cost(FILES_HEAD) + contents.files.iter().map(|f| line_cost(&f.stable_line())).sum::<usize>();
    let available = share.saturating_sub(least);
    let entries = pack_entries(&contents.entries, share.saturating_sub(for_index).max(available / 3).min(available));
    let all: Vec<&IndexedFile> = contents.files.iter().collect();
    let for_index = share.saturating_sub(entries.cost()).max(least.min(budget));
    let index = pack_index(FILES_HEAD, &all, &IndexedFile::stable_line, for_index);
    let budget = budget.saturating_sub(entries.cost() + index.cost());
    let facts = pack_facts(contents, new, budget, room);
    StableRest { entries, index, index_files: (0..contents.files.len()).collect(), facts }
}

/// Packs older facts, new ones, and more of the older ones into `budget` and what the updates leave.
fn pack_facts(
    contents: &ContextContents<'_>,
    mut new: Vec<usize>,
    budget: usize,
    room: &Room,
) -> [(PackedBlock, Vec<usize>); 3] {
    let step = room.step();
    // Of very many new facts the first count as older ones, again in steps: a quarter to a half of the room is for
    // others.
    let costs: Vec<usize> = new.iter().map(|n| line_cost(&contents.fact_line(*n))).collect();
    let half = (budget / 2).max(step);
    let settled = costs.iter().sum::<usize>().saturating_sub(half).div_ceil(half / 2) * (half / 2);
    let mut sum = 0;
    let is_settled = |cost: &&usize| {
        sum += **cost;
        sum <= settled
    };
    let first_new = costs.iter().take_while(is_settled).count();
    let new = new.split_off(first_new);
    let is_new: HashSet<usize> = new.iter().copied().collect();
    let older: Vec<usize> = (0..contents.facts.facts.len()).filter(|n| !is_new.contains(n)).collect();
    let names = headings_cost(new.iter().map(|n| contents.facts.facts[*n].file()));
    let needed = line_cost(NEW_FACTS_HEAD) + costs[first_new..].iter().sum::<usize>() + names;
    let needed = if new.is_empty() { 0 } else { needed };
    let kept = needed.div_ceil(step).max(1) * step;
    let order = OlderFacts::new(contents, older, budget, kept, step);
    let budget = room.beside_updates(budget);
    let (for_older, min_rest) =
        if new.is_empty() { (budget, room.empty()) } else { (budget.saturating_sub(kept), MIN_REST) };
    let main = contents.pack_facts(FACTS_HEAD, &order.rows, &|n| order.places[n], for_older, min_rest);
    if new.is_empty() {
        return [(main, order.rows), Default::default(), Default::default()];
    }
    let left = budget.saturating_sub(main.cost());
    // The newest are selected first, and stand last.
    let newest: Vec<usize> = new.iter().rev().copied().collect();
    let newer = contents.pack_facts(NEW_FACTS_HEAD, &newest, &|n| newest.len() - n, left, MIN_REST);
    let left = left.saturating_sub(newer.cost());
    let others = order.others(&main);
    let moving = (room.total / MOVING_SHARE).saturating_sub(needed);
    let empty = left.saturating_sub(moving).min(room.total / EMPTY_SHARE).max(MIN_REST);
    let more = contents.pack_facts(MORE_FACTS_HEAD, &others, &|n| n, left, empty);
    [(main, order.rows), (newer, newest), (more, others)]
}

/// Older facts in the order in which they are selected, and their places among the lines.
struct OlderFacts {
    rows: Vec<usize>,
    places: Vec<usize>,
}

impl OlderFacts {
    /// Those come first that fit beside `kept` for new ones, whatever else is shown: what has room today stands behind
    /// them.
    fn new(contents: &ContextContents<'_>, older: Vec<usize>, budget: usize, kept: usize, step: usize) -> OlderFacts {
        let by_file = places_by_file(contents, &older, budget.saturating_sub(UNSORTED_STEPS * step));
        let main = contents.pack_facts(FACTS_HEAD, &older, &|n| by_file[n], budget.saturating_sub(kept), MIN_REST);
        let mut first = main.shown;
        first.sort_unstable();
        let is_first: HashSet<usize> = first.iter().copied().collect();
        let others: Vec<usize> = (0..older.len()).filter(|n| !is_first.contains(n)).collect();
        let places = first.iter().map(|n| by_file[*n]).chain((0..others.len()).map(|n| older.len() + n)).collect();
        OlderFacts { rows: first.into_iter().chain(others).map(|n| older[n]).collect(), places }
    }

    /// The rows that a block of them does not show, the most valuable first.
    fn others(&self, block: &PackedBlock) -> Vec<usize> {
        let shown: HashSet<usize> = block.shown.iter().copied().collect();
        (0..self.rows.len()).filter(|n| !shown.contains(n)).map(|n| self.rows[n]).collect()
    }
}

/// The places of facts among the lines: the first ones, as many as fit into `sorted`, by file, the most valuable file
/// first; the others by value.
fn places_by_file(contents: &ContextContents<'_>, rows: &[usize], sorted: usize) -> Vec<usize> {
    let mut files: HashMap<&str, usize> = HashMap::new();
    let mut sum = 0;
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        if sum <= sorted {
            sum +=
                line_cost(&contents.fact_line(*row)) + headings_cost([contents.facts.facts[*row].file()].into_iter());
        }
        let next = files.len();
        let file =
            if sum <= sorted { *files.entry(&contents.facts.facts[*row].path).or_insert(next) } else { usize::MAX };
        order.push((file, n));
    }
    order.sort_unstable();
    let mut places = vec![0; rows.len()];
    order.into_iter().enumerate().for_each(|(place, (_, n))| places[n] = place);
    places
}

/// The new facts, oldest first.
fn new_facts(contents: &ContextContents<'_>) -> Vec<usize> {
    let facts = &contents.facts.facts;
    let mut new: Vec<usize> = (0..facts.len()).filter(|n| facts[*n].is_new).collect();
    new.sort_by_key(|n| facts[*n].age_order());
    new
}

/// The items and all below them; `None` if they do not fit into a budget.
fn pack_whole(contents: &ContextContents<'_>, policy: &Policy, budget: usize) -> Option<StableBlocks> {
    if contents.least_cost() > budget {
        return None;
    }
    let noted = contents.pack_notes(NO_LIMIT, policy);
    let whole_notes: Vec<&str> = contents.whole_notes(&noted).collect();
    let rest = whole_rest(contents, &whole_notes, &new_facts(contents));
    let cost = noted.cost() + rest.cost();
    (cost <= budget).then(|| StableBlocks {
        noted,
        rest,
        more_notes: Default::default(),
        more_entries: Default::default(),
        left_out: Vec::new(),
    })
}

/// All entries and facts, and the index of the files of which something is left.
fn whole_rest(contents: &ContextContents<'_>, whole_notes: &[&str], new: &[usize]) -> StableRest {
    let ContextContents { files, entries, facts, .. } = contents;
    let mut shown_items: HashMap<&str, usize> = HashMap::new();
    let whole_entries = entries.iter().filter(|entry| entry.is_whole()).map(|entry| address_path(&entry.address));
    let paths = whole_notes.iter().copied().chain(facts.facts.iter().map(|fact| fact.path.as_str()));
    paths.chain(whole_entries).for_each(|path| *shown_items.entry(path).or_default() += 1);
    let is_left = |file: &IndexedFile| {
        let path = file.path.as_str();
        facts.item_counts.get(path) != Some(shown_items.get(path).unwrap_or(&0))
    };
    let index_files: Vec<usize> = (0..files.len()).filter(|n| is_left(&files[*n])).collect();
    let head = if index_files.len() < files.len() { MORE_FILES_HEAD } else { FILES_HEAD };
    let listed: Vec<&IndexedFile> = index_files.iter().map(|n| &files[*n]).collect();
    let older: Vec<usize> = (0..facts.facts.len()).filter(|n| !facts.facts[*n].is_new).collect();
    let places = places_by_file(contents, &older, NO_LIMIT);
    StableRest {
        entries: pack_entries(entries, NO_LIMIT),
        index: pack_index(head, &listed, &IndexedFile::stable_line, NO_LIMIT),
        index_files,
        facts: [
            (contents.pack_facts(FACTS_HEAD, &older, &|n| places[n], NO_LIMIT, MIN_REST), older),
            (contents.pack_facts(NEW_FACTS_HEAD, new, &|n| n, NO_LIMIT, MIN_REST), new.to_vec()),
            Default::default(),
        ],
    }
}
