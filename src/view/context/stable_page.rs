//! The page in the order for prompt caches, which keep a text as long as it begins with the same bytes: how to use memdir,
//! pinned and important items, older facts, the index, the newest entries, new facts, the updates.
//!
//! Never moves what a change of today does not concern: what is shown of older facts, of entries and of the index depends
//! on neither today's facts nor the updates, but for the end of the list of older facts, which makes room for new ones in
//! steps. Facts of yesterday become older ones at midnight, when no cache of a prompt lives that long.

use std::collections::{HashMap, HashSet};

use super::answer::ContextResult;
use super::block::{self, PackedBlock, line_cost};
use super::contents::{ContextContents, NO_LIMIT};
use super::delta;
use super::files::IndexedFile;
use super::page::{
    ContextOptions, FACTS_HEAD, FILES_HEAD, FixedLines, MORE_FILES_HEAD, address_path, entry_row, file_row,
    join_blocks, omitted_files, pack_entries, pack_index, since_when, update_row,
};
use crate::policy::Policy;

const NEW_FACTS_HEAD: &str = "New facts:";
const MORE_FACTS_HEAD: &str = "More facts:";
/// The part of the budget that is kept for updates, whether there are some or not.
const UPDATES_SHARE: usize = 14;
/// The room for new facts grows in steps of this part of the budget: within a step, one more moves nothing else.
const STEP_SHARE: usize = 14;
/// This part of the budget may stay empty: what would fill it, each new fact would push out again.
const EMPTY_SHARE: usize = 11;
/// The part of what the items leave that the index and the entries get, where not everything fits.
const INDEX_SHARE: usize = 6;
/// The least step, in quarters of a token: room for a fact.
const MIN_STEP: usize = 32 * 4;

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

/// The context at the start of a session.
pub(super) fn stable_page(options: &ContextOptions, contents: &ContextContents<'_>, policy: &Policy) -> ContextResult {
    let ContextContents { since, events, files, entries, .. } = contents;
    let fixed = FixedLines::new(options, contents);
    let since_when = since_when(contents);
    let least_notes = contents.least_notes_budget(policy);
    let least_files = block::min_budget(FILES_HEAD, files.len(), &omitted_files);
    let total = options.budget * 4;
    let mut budget = total.saturating_sub(fixed.cost() + least_notes + least_files);
    let share = if contents.has_reader { total / UPDATES_SHARE } else { 0 };
    let share = share.max(delta::min_budget(&since_when, events)).min(budget);
    let updates = delta::updates_header(&since_when, events, share);
    let spare = Spare { unused: share.saturating_sub(updates.cost()), empty: total / EMPTY_SHARE };
    budget -= share;

    let mut noted = contents.pack_notes(contents.notes_budget(budget + least_notes), policy);
    let step = (total / STEP_SHARE).max(MIN_STEP);
    let after = |noted: &PackedBlock| (budget + least_notes).saturating_sub(noted.cost()) + least_files;
    let pack_after = |noted: &PackedBlock| {
        pack_rest(contents, &contents.whole_notes(noted).collect::<Vec<_>>(), after(noted), spare, step)
    };
    let mut rest = pack_after(&noted);
    // What is left over goes to items, in steps, too, and new facts count as whole ones.
    let new = rest.facts[1].0.cost();
    let kept = new.div_ceil(step).max(1) * step;
    let left = (after(&noted) + new).saturating_sub(rest.cost() + kept);
    let steps = left / step;
    if let Some(whole) = pack_whole(contents, policy, budget + least_notes + least_files) {
        (noted, rest) = whole;
    } else if !noted.omitted.is_empty() && steps > 0 {
        noted = contents.pack_notes(noted.cost() + steps * step, policy);
        rest = pack_after(&noted);
    }
    // What is left over goes to updates. A header in less room may be longer, where it only tells their number.
    let room = (after(&noted) + share).saturating_sub(rest.cost());
    let wider = delta::updates_header(&since_when, events, room);
    let updates = if wider.cost() <= room { wider } else { updates };
    let (more_notes, more_rows) =
        contents.pack_more_notes(&noted.shown, room.saturating_sub(updates.cost()), total / EMPTY_SHARE);

    let FixedLines { frame, guide, aside } = fixed;
    let mut shown_index = rest.index.lines.clone();
    shown_index.extend(aside.iter().cloned());
    let [older, newer, more] = &rest.facts;
    let mut blocks = vec![guide, vec![frame], noted.lines.clone(), older.0.lines.clone(), shown_index];
    blocks.extend([&rest.entries, &newer.0, &more.0].map(|block| block.lines.clone()));
    blocks.extend([more_notes.lines, updates.lines.clone()]);
    let left_out = [&noted.omitted, &rest.index.omitted, &aside, &rest.entries.omitted, &updates.omitted];
    let items = noted.shown.iter().chain(&more_rows).map(|n| contents.note_item(*n));
    ContextResult {
        since: since.as_ref().filter(|_| !events.is_empty()).map(|s| s.rev.clone()),
        updates: updates.shown.iter().map(|n| update_row(&events[*n], &updates.lines[n + 1])).collect(),
        more_updates: events.len() - updates.shown.len(),
        items: items.chain(rest.shown_facts().map(|n| contents.fact_item(n))).collect(),
        files: rest.index.shown.iter().map(|n| file_row(&files[rest.index_files[*n]])).collect(),
        entries: rest.entries.shown.iter().map(|n| entry_row(&entries[*n], &entries[*n].line())).collect(),
        left_out: left_out.into_iter().flatten().cloned().collect(),
        ..join_blocks("default", options, &blocks)
    }
}

/// What of the updates' room is left to others, and how much may stay empty in the end, in quarters of a token.
#[derive(Clone, Copy)]
struct Spare {
    unused: usize,
    empty: usize,
}

/// Packs entries, index and facts into `budget`, and more of the older facts into what is left of it and of the updates'
/// room. `whole_notes` are the paths of items that are already shown whole.
fn pack_rest(
    contents: &ContextContents<'_>,
    whole_notes: &[&str],
    budget: usize,
    spare: Spare,
    step: usize,
) -> StableRest {
    let facts = &contents.facts.facts;
    let mut new = new_facts(contents);
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

    // Of very many new facts the first count as older ones, again in steps.
    let costs: Vec<usize> = new.iter().map(|n| line_cost(&contents.fact_line(*n))).collect();
    let half = (budget / 2).max(step);
    let settled = costs.iter().sum::<usize>() / half * half;
    let mut sum = 0;
    let is_settled = |cost: &&usize| {
        sum += **cost;
        sum <= settled
    };
    let first_new = costs.iter().take_while(is_settled).count();
    let new = new.split_off(first_new);
    let is_new: HashSet<usize> = new.iter().copied().collect();
    let older: Vec<usize> = (0..facts.len()).filter(|n| !is_new.contains(n)).collect();

    let needed = if new.is_empty() { 0 } else { line_cost(NEW_FACTS_HEAD) + costs[first_new..].iter().sum::<usize>() };
    let kept = needed.div_ceil(step).max(1) * step;
    let main = contents.pack_facts(FACTS_HEAD, &older, &|n| n, budget.saturating_sub(kept));
    let mut left = budget.saturating_sub(main.cost());
    // The newest are selected first, and stand last.
    let newest: Vec<usize> = new.iter().rev().copied().collect();
    let newer = contents.pack_facts(NEW_FACTS_HEAD, &newest, &|n| newest.len() - n, left);
    left = (left + spare.unused).saturating_sub(newer.cost());
    let shown: HashSet<usize> = main.shown.iter().map(|n| older[*n]).collect();
    let mut others: Vec<usize> = older.iter().copied().filter(|n| !shown.contains(n)).collect();
    let head = line_cost(MORE_FACTS_HEAD);
    let mut room = left.saturating_sub(head);
    others.retain(|n| {
        let may_fit = room + head > spare.empty && contents.least_fact_cost(*n) <= room;
        let cost = if may_fit { line_cost(&contents.fact_line(*n)) } else { usize::MAX };
        let is_taken = cost <= room;
        room -= if is_taken { cost } else { 0 };
        is_taken
    });
    let more = contents.pack_facts(MORE_FACTS_HEAD, &others, &|n| n, left);
    StableRest {
        entries,
        index,
        index_files: (0..contents.files.len()).collect(),
        facts: [(main, older), (newer, newest), (more, others)],
    }
}

/// The new facts, oldest first.
fn new_facts(contents: &ContextContents<'_>) -> Vec<usize> {
    let facts = &contents.facts.facts;
    let mut new: Vec<usize> = (0..facts.len()).filter(|n| facts[*n].is_new).collect();
    new.sort_by_key(|n| facts[*n].age_order());
    new
}

/// The items and all below them; `None` if they do not fit into a budget.
fn pack_whole(contents: &ContextContents<'_>, policy: &Policy, budget: usize) -> Option<(PackedBlock, StableRest)> {
    if contents.least_cost() > budget {
        return None;
    }
    let noted = contents.pack_notes(NO_LIMIT, policy);
    let whole_notes: Vec<&str> = contents.whole_notes(&noted).collect();
    let rest = whole_rest(contents, &whole_notes, &new_facts(contents));
    let cost = noted.cost() + rest.cost();
    (cost <= budget).then_some((noted, rest))
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
    StableRest {
        entries: pack_entries(entries, NO_LIMIT),
        index: pack_index(head, &listed, &IndexedFile::stable_line, NO_LIMIT),
        index_files,
        facts: [
            (contents.pack_facts(FACTS_HEAD, &older, &|n| n, NO_LIMIT), older),
            (contents.pack_facts(NEW_FACTS_HEAD, new, &|n| n, NO_LIMIT), new.to_vec()),
            (PackedBlock::default(), Vec::new()),
        ],
    }
}
