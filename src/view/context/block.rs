//! Packs lines into a token budget: a head, as many rows as fit, best first, below the names of their files, and lines
//! about the omitted rows with the command that shows them.
//!
//! Never exceeds the budget. Budgets and costs are in quarters of a token, because whole tokens would not add up
//! exactly.

use std::collections::{BTreeMap, HashSet};

use super::sanitize::{is_plain_name, sanitize_line};
use crate::text::llm_tokens::token_quarters;

/// With a smaller rest of the budget, packing stops.
pub const MIN_REST: usize = 32;
/// Packing an index also stops after this many rows that did not fit: a large one is not searched to its end.
pub const MAX_INDEX_MISSES: usize = 16;

/// Cost of a line, line ending included, in quarters of a token.
pub fn line_cost(line: &str) -> usize {
    token_quarters(line) + 1
}

pub fn lines_cost(lines: &[String]) -> usize {
    lines.iter().map(|line| line_cost(line)).sum()
}

/// The line above the rows of a file. A name that could be taken for more than a name has a dash: it is data.
pub fn file_heading(path: &str) -> String {
    let marker = if path.split(':').all(is_plain_name) { "" } else { "- " };
    format!("{marker}{}:", sanitize_line(path))
}

/// The cost of the names of files above rows of these files, in this order.
pub fn headings_cost<'a>(files: impl Iterator<Item = Option<&'a str>>) -> usize {
    let mut above = None;
    let mut cost = 0;
    for file in files.flatten() {
        if above.replace(file) != Some(file) {
            cost += line_cost(&file_heading(file));
        }
    }
    cost
}

/// A head and the rows below it.
#[derive(Clone, Debug, Default)]
pub struct PackedBlock {
    /// Its lines, head and last lines included; empty if there is nothing to show.
    pub lines: Vec<String>,
    /// The indices of the rows shown, in the order of the lines.
    pub shown: Vec<usize>,
    /// The lines about omitted rows.
    pub omitted: Vec<String>,
}

impl PackedBlock {
    pub fn cost(&self) -> usize {
        lines_cost(&self.lines)
    }
}

/// Returns the lines that report omitted rows, given their indices. More rows must not give shorter lines:
/// `min_budget` relies on it.
pub type DescribeOmitted<'a> = &'a dyn Fn(&[usize]) -> Vec<String>;

/// The smallest budget in which a block can report everything as omitted.
pub fn min_budget(head: &str, rows: usize, omitted: DescribeOmitted<'_>) -> usize {
    match rows {
        0 => 0,
        rows => line_cost(head) + lines_cost(&omitted(&(0..rows).collect::<Vec<_>>())),
    }
}

/// Rows, best first, formatted on demand: of a large index only a few are ever shown.
pub struct BlockRows<'a> {
    pub count: usize,
    /// Formats the row with this index.
    pub row: &'a dyn Fn(usize) -> String,
    /// A lower bound of a row's cost, in quarters of a token: a row that cannot fit is not formatted.
    pub least_cost: &'a dyn Fn(usize) -> usize,
    /// Sort key of a row among the shown ones.
    pub position: &'a dyn Fn(usize) -> usize,
    /// The file whose name stands above a row, unless it stands above the row before; `None` for a row without one.
    pub file: &'a dyn Fn(usize) -> Option<&'a str>,
    /// After this many rows that did not fit, packing stops.
    pub max_misses: usize,
    /// With a smaller rest of the budget, in quarters of a token, packing stops.
    pub min_rest: usize,
}

/// The rows shown so far, by their place among the lines.
#[derive(Default)]
struct ShownRows<'a>(BTreeMap<(usize, usize), (String, Option<&'a str>)>);

impl<'a> ShownRows<'a> {
    /// What a row costs here, with the names of files that it brings.
    fn cost(&self, place: (usize, usize), row: &str, file: Option<&str>) -> usize {
        let heading = |file: Option<&str>| file.map_or(0, |file| line_cost(&file_heading(file)));
        if file.is_none() {
            return line_cost(row);
        }
        let above = self.0.range(..place).rev().find_map(|(_, (_, file))| *file);
        let below = self.0.range(place..).find_map(|(_, (_, file))| *file);
        let own = if above == file { 0 } else { heading(file) };
        let before = if below == above { 0 } else { heading(below) };
        let after = if below == file { 0 } else { heading(below) };
        line_cost(row) + own + after - before
    }

    fn into_lines(self) -> (Vec<usize>, Vec<String>) {
        let (mut shown, mut lines, mut current) = (Vec::new(), Vec::new(), None);
        for ((_, n), (row, file)) in self.0 {
            if let Some(file) = file.filter(|file| Some(*file) != current) {
                lines.push(file_heading(file));
                current = Some(file);
            }
            shown.push(n);
            lines.push(row);
        }
        (shown, lines)
    }
}

/// Takes rows as long as they fit. A row that is too long is skipped in favour of shorter ones, until `min_rest` or
/// `max_misses` is reached.
pub fn pack(head: &str, rows: &BlockRows<'_>, budget: usize, describe: DescribeOmitted<'_>) -> PackedBlock {
    if rows.count == 0 {
        return PackedBlock::default();
    }
    let formatted = rows_within(rows, budget.saturating_sub(line_cost(head)));
    let place = |n: usize| ((rows.position)(n), n);
    let mut shown = ShownRows::default();
    let mut left = budget.checked_sub(line_cost(head));
    for (n, row) in formatted.iter().enumerate() {
        left = left.and_then(|left| left.checked_sub(shown.cost(place(n), row, (rows.file)(n))));
        shown.0.insert(place(n), (row.clone(), (rows.file)(n)));
    }
    if formatted.len() < rows.count || left.is_none() {
        let room = budget.saturating_sub(min_budget(head, rows.count, describe));
        shown = pack_part(rows, formatted, room);
    }
    let (shown, lines) = shown.into_lines();
    let taken: HashSet<usize> = shown.iter().copied().collect();
    let left_out: Vec<usize> = (0..rows.count).filter(|n| !taken.contains(n)).collect();
    let omitted = if left_out.is_empty() { Vec::new() } else { describe(&left_out) };
    let lines = std::iter::once(head.to_owned()).chain(lines).chain(omitted.iter().cloned());
    PackedBlock { lines: lines.collect(), shown, omitted }
}

/// The first rows, at least as many as fit into `room` without the names of files.
fn rows_within(rows: &BlockRows<'_>, room: usize) -> Vec<String> {
    let mut formatted: Vec<String> = Vec::new();
    let mut sum = 0;
    while sum <= room && formatted.len() < rows.count {
        formatted.push((rows.row)(formatted.len()));
        sum += line_cost(&formatted[formatted.len() - 1]);
    }
    formatted
}

/// The rows that fit into `left`; `formatted` are the first ones.
fn pack_part<'a>(rows: &BlockRows<'a>, formatted: Vec<String>, mut left: usize) -> ShownRows<'a> {
    let (mut shown, mut misses) = (ShownRows::default(), 0);
    for n in 0..rows.count {
        if left < rows.min_rest || misses == rows.max_misses {
            break;
        }
        if n >= formatted.len() && (rows.least_cost)(n) > left {
            misses += 1;
            continue;
        }
        let row = formatted.get(n).cloned().unwrap_or_else(|| (rows.row)(n));
        let (place, file) = (((rows.position)(n), n), (rows.file)(n));
        match left.checked_sub(shown.cost(place, &row, file)) {
            Some(rest) => {
                left = rest;
                shown.0.insert(place, (row, file));
            }
            None => misses += 1,
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(budget: usize, expected: &[&str]) {
        let rows: Vec<String> =
            ["- first one", "- a second one that is rather long", "- third"].map(String::from).into();
        let omitted = |left: &[usize]| vec![format!("… {} more", left.len())];
        let rows = BlockRows {
            count: rows.len(),
            row: &|n| rows[n].clone(),
            least_cost: &|_| 0,
            position: &|n| n,
            file: &|_| None,
            max_misses: 16,
            min_rest: MIN_REST,
        };
        let block = pack("Head:", &rows, budget, &omitted);
        assert_eq!(block.lines, expected, "{budget}");
        assert!(block.cost() <= budget);
    }

    #[test]
    fn a_row_that_is_too_long_is_skipped_for_shorter_ones() {
        check(100, &["Head:", "- first one", "- a second one that is rather long", "- third"]);
        check(60, &["Head:", "- first one", "- third", "… 1 more"]);
        check(20, &["Head:", "… 3 more"]);
    }

    #[test]
    fn the_name_of_a_file_stands_once_above_its_rows() {
        let rows = [("a.md", "- @1 one"), ("b c.md", "- @2 two"), ("a.md", "- @3 three"), ("", "- four (d.md)")];
        let check = |place: [usize; 4], budget: usize, expected: &[&str]| {
            let rows = BlockRows {
                count: rows.len(),
                row: &|n| rows[n].1.to_owned(),
                least_cost: &|_| 0,
                position: &|n| place[n],
                file: &|n| Some(rows[n].0).filter(|file| !file.is_empty()),
                max_misses: 16,
                min_rest: 0,
            };
            let block = pack("Head:", &rows, budget, &|_| Vec::new());
            assert_eq!(block.lines[1..], *expected, "{budget}");
            assert!(block.cost() <= budget, "{} of {budget}", block.cost());
        };
        let grouped = ["a.md:", "- @1 one", "- four (d.md)", "- @3 three", "- b c.md:", "- @2 two"];
        check([0, 3, 2, 1], 100, &grouped);
        let cost = |lines: &[&str]| 6 + lines.iter().map(|line| line_cost(line)).sum::<usize>();
        check([0, 3, 2, 1], cost(&grouped), &grouped);
        check([0, 3, 2, 1], cost(&grouped) - 1, &["a.md:", "- @1 one", "- @3 three", "- b c.md:", "- @2 two"]);
        check(
            [0, 1, 2, 3],
            100,
            &["a.md:", "- @1 one", "- b c.md:", "- @2 two", "a.md:", "- @3 three", "- four (d.md)"],
        );
    }
}
