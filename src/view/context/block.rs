//! Packs lines into room: a head, as many rows as fit, best first, and what was left out with the command to see it.
//!
//! Never more than the room it is given. Rooms and costs are in quarters of a token, so that they add up exactly.

use crate::view::query::answer::quarters;

/// With less room than this, nothing else is tried.
const LEAST: usize = 32;

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
    /// The rows that are shown, by their numbers, in the order given.
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

/// Takes rows, best first, as long as there is room; a long one makes room for shorter ones behind it. Shown they are
/// in the order of `place`.
pub fn pack(head: &str, rows: &[String], place: impl Fn(usize) -> usize, room: usize, told: Told<'_>) -> Block {
    if rows.is_empty() {
        return Block::default();
    }
    let whole = cost(head) + costs(rows);
    let mut left_out = Vec::new();
    let mut shown = Vec::new();
    let mut left = match whole <= room {
        true => whole,
        false => room.saturating_sub(least(head, rows.len(), told)),
    };
    for (n, row) in rows.iter().enumerate() {
        match left.checked_sub(cost(row)) {
            Some(rest) if whole <= room || left >= LEAST => {
                left = rest;
                shown.push(n);
            }
            _ => left_out.push(n),
        }
    }
    let told = if left_out.is_empty() { Vec::new() } else { told(&left_out) };
    shown.sort_by_key(|n| place(*n));
    let lines = std::iter::once(head.to_owned());
    let lines = lines.chain(shown.iter().map(|n| rows[*n].clone())).chain(told.iter().cloned());
    Block { lines: lines.collect(), shown, told }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(room: usize, expected: &[&str]) {
        let rows: Vec<String> =
            ["- first one", "- a second one that is rather long", "- third"].map(String::from).into();
        let told = |left: &[usize]| vec![format!("… {} more", left.len())];
        let block = pack("Head:", &rows, |n| n, room, &told);
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
