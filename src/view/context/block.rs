//! Packs lines into room: a head, as many rows as fit, best first, and what was left out with the command to see it.
//!
//! Never more than the room it is given. Rooms and costs are in quarters of a token, so that they add up exactly.

use std::collections::HashSet;

use crate::view::query::answer::quarters;

/// With less room than this, nothing else is tried.
const LEAST: usize = 32;
/// And after so many rows that were too long.
const MISSES: usize = 16;

/// What a line takes, its end included.
pub fn cost(line: &str) -> usize {
    quarters(line) + 1
}

/// What lines take.
pub fn costs(lines: &[String]) -> usize {
    lines.iter().map(|line| cost(line)).sum()
}

/// Rows below a head.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its lines, head and last lines included; none where there is nothing to say.
    pub lines: Vec<String>,
    /// The rows that are shown, by their numbers, in the order of its lines.
    pub shown: Vec<usize>,
    /// What is said of those left out.
    pub told: Vec<String>,
}

impl Block {
    /// What it takes.
    pub fn cost(&self) -> usize {
        costs(&self.lines)
    }
}

/// What is said of rows that are left out, by their numbers; for more of them never shorter.
pub type Told<'a> = &'a dyn Fn(&[usize]) -> Vec<String>;

/// The least room in which a block can say at least what it leaves out.
pub fn least(head: &str, rows: usize, told: Told<'_>) -> usize {
    match rows {
        0 => 0,
        rows => cost(head) + costs(&told(&(0..rows).collect::<Vec<_>>())),
    }
}

/// Rows, best first, made when they are needed: of a large index only a few are ever shown.
pub struct Rows<'a> {
    /// How many there are.
    pub count: usize,
    /// Makes one.
    pub row: &'a dyn Fn(usize) -> String,
    /// Where one is shown among those that are.
    pub place: &'a dyn Fn(usize) -> usize,
}

/// Takes rows as long as there is room; a long one makes room for shorter ones behind it, up to a point.
pub fn pack(head: &str, rows: &Rows<'_>, room: usize, told: Told<'_>) -> Block {
    if rows.count == 0 {
        return Block::default();
    }
    let mut made: Vec<String> = Vec::new();
    let mut whole = cost(head);
    while whole <= room && made.len() < rows.count {
        made.push((rows.row)(made.len()));
        whole += cost(&made[made.len() - 1]);
    }
    let mut left = match whole <= room {
        true => room,
        false => room.saturating_sub(least(head, rows.count, told)),
    };
    let (mut shown, mut misses) = (Vec::new(), 0);
    for n in 0..rows.count {
        if whole > room && (left < LEAST || misses == MISSES) {
            break;
        }
        let row = made.get(n).cloned().unwrap_or_else(|| (rows.row)(n));
        match left.checked_sub(cost(&row)) {
            Some(rest) => {
                left = rest;
                shown.push((n, row));
            }
            None => misses += 1,
        }
    }
    let taken: HashSet<usize> = shown.iter().map(|(n, _)| *n).collect();
    let left_out: Vec<usize> = (0..rows.count).filter(|n| !taken.contains(n)).collect();
    let told = if left_out.is_empty() { Vec::new() } else { told(&left_out) };
    shown.sort_by_key(|(n, _)| (rows.place)(*n));
    let (shown, lines): (Vec<usize>, Vec<String>) = shown.into_iter().unzip();
    let lines = std::iter::once(head.to_owned()).chain(lines).chain(told.iter().cloned());
    Block { lines: lines.collect(), shown, told }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(room: usize, expected: &[&str]) {
        let rows: Vec<String> =
            ["- first one", "- a second one that is rather long", "- third"].map(String::from).into();
        let told = |left: &[usize]| vec![format!("… {} more", left.len())];
        let rows = Rows { count: rows.len(), row: &|n| rows[n].clone(), place: &|n| n };
        let block = pack("Head:", &rows, room, &told);
        assert_eq!(block.lines, expected, "{room}");
        assert!(block.cost() <= room);
    }

    #[test]
    fn a_long_row_makes_room_for_shorter_ones() {
        check(100, &["Head:", "- first one", "- a second one that is rather long", "- third"]);
        check(60, &["Head:", "- first one", "- third", "… 1 more"]);
        check(20, &["Head:", "… 3 more"]);
    }
}
