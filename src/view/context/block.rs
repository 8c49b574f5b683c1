//! Packs lines into a token budget: a head, as many rows as fit, best first, and lines about the omitted rows with the
//! command that shows them.
//!
//! Never exceeds the budget. Budgets and costs are in quarters of a token, because whole tokens would not add up
//! exactly.

use std::collections::HashSet;

use crate::text::llm_tokens::token_quarters;

/// With a smaller rest of the budget, packing stops.
const MIN_REST: usize = 32;
/// Packing an index also stops after this many rows that did not fit: a large one is not searched to its end.
pub const MAX_INDEX_MISSES: usize = 16;

/// Cost of a line, line ending included, in quarters of a token.
pub fn line_cost(line: &str) -> usize {
    token_quarters(line) + 1
}

pub fn lines_cost(lines: &[String]) -> usize {
    lines.iter().map(|line| line_cost(line)).sum()
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
    /// After this many rows that did not fit, packing stops.
    pub max_misses: usize,
}

/// Takes rows as long as they fit. A row that is too long is skipped in favour of shorter ones, until `MIN_REST` or
/// `max_misses` is reached.
pub fn pack(head: &str, rows: &BlockRows<'_>, budget: usize, describe: DescribeOmitted<'_>) -> PackedBlock {
    if rows.count == 0 {
        return PackedBlock::default();
    }
    let mut formatted: Vec<String> = Vec::new();
    let mut whole = line_cost(head);
    while whole <= budget && formatted.len() < rows.count {
        formatted.push((rows.row)(formatted.len()));
        whole += line_cost(&formatted[formatted.len() - 1]);
    }
    let mut left = match whole <= budget {
        true => budget,
        false => budget.saturating_sub(min_budget(head, rows.count, describe)),
    };
    let (mut shown, mut misses) = (Vec::new(), 0);
    for n in 0..rows.count {
        if whole > budget && (left < MIN_REST || misses == rows.max_misses) {
            break;
        }
        if n >= formatted.len() && (rows.least_cost)(n) > left {
            misses += 1;
            continue;
        }
        let row = formatted.get(n).cloned().unwrap_or_else(|| (rows.row)(n));
        match left.checked_sub(line_cost(&row)) {
            Some(rest) => {
                left = rest;
                shown.push((n, row));
            }
            None => misses += 1,
        }
    }
    let taken: HashSet<usize> = shown.iter().map(|(n, _)| *n).collect();
    let left_out: Vec<usize> = (0..rows.count).filter(|n| !taken.contains(n)).collect();
    let omitted = if left_out.is_empty() { Vec::new() } else { describe(&left_out) };
    shown.sort_by_key(|(n, _)| (rows.position)(*n));
    let (shown, lines): (Vec<usize>, Vec<String>) = shown.into_iter().unzip();
    let lines = std::iter::once(head.to_owned()).chain(lines).chain(omitted.iter().cloned());
    PackedBlock { lines: lines.collect(), shown, omitted }
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
            max_misses: 16,
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
}
