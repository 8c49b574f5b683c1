//! Recognizes a side that already contains all changes of the other one, as when the result of a merge is merged again.
//!
//! Never guesses: every changed line must be unique, below the same heading and item, and in the same order.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::text::similarity;

/// Minimum similarity at which a line of `full` may be another wording of one that `other` removed.
const MAY_BE_REWORDED: f64 = 0.4;
/// Above this number of pairs lines are not compared.
const MAX_PAIRS: usize = 10_000;
/// So many lines that were taken away or moved are stepped over, each with a search in the whole text.
const MAX_STEPS: usize = 64;

/// Whether each of two changed texts contains all changes of the other one: `[ours contains theirs, theirs contains
/// ours]`.
pub fn which_contains(base: &str, ours: &str, theirs: &str) -> [bool; 2] {
    // In most pairs each side has a line that the other one lacks: then no table of all lines is needed.
    if has_own_line(base, theirs, ours) && has_own_line(base, ours, theirs) {
        return [false; 2];
    }
    let [base, ours, theirs] = [base, ours, theirs].map(PlacedLines::new);
    [contains_changes(&base, &ours, &theirs), contains_changes(&base, &theirs, &ours)]
}

/// Whether a line near the first changes of `other` is nowhere in `base` and `full`.
fn has_own_line(base: &str, other: &str, full: &str) -> bool {
    let (mut rest, mut steps) = (base, 0);
    for line in other.split_inclusive('\n') {
        if let Some(after) = rest.strip_prefix(line) {
            rest = after;
            continue;
        }
        let Some(at) = base.find(line) else { return !full.contains(line) };
        rest = &base[at + line.len()..];
        steps += 1;
        if steps > MAX_STEPS {
            break;
        }
    }
    false
}

/// Whether `full` contains every change from `base` to `other`: all lines that it added, none that it removed (nor in
/// other words), and the lines of both in the same order.
fn contains_changes(base: &PlacedLines, full: &PlacedLines, other: &PlacedLines) -> bool {
    let added: Vec<&PlacedLine> = other.lines.iter().filter(|line| !base.has(line)).collect();
    let removed: Vec<&PlacedLine> = base.lines.iter().filter(|line| !other.has(line)).collect();
    let is_unique = |line: &&PlacedLine| [base, full, other].iter().all(|text| text.count(line) <= 1);
    !(added.is_empty() && removed.is_empty())
        && added.iter().all(|line| full.has(line))
        && !removed.iter().any(|line| full.has(line))
        && added.iter().chain(&removed).all(is_unique)
        && full.has_order_of(other)
        && !may_reword(base, full, other, &removed)
}

/// Whether `full` may have other wordings of the removed lines: a line of its own in their place, or a similar one
/// anywhere. An edit against a removal is a conflict.
fn may_reword(base: &PlacedLines, full: &PlacedLines, other: &PlacedLines, removed: &[&PlacedLine]) -> bool {
    let is_own = |line: &&PlacedLine| !line.text.trim().is_empty() && !base.has(line) && !other.has(line);
    let own: Vec<&PlacedLine> = full.lines.iter().filter(is_own).collect();
    if own.len() * removed.len() > MAX_PAIRS {
        return true;
    }
    let is_anchor = |line: &&PlacedLine| base.count(line) == 1 && full.count(line) == 1 && other.has(line);
    let position = |text: &PlacedLines, line: &PlacedLine| text.lines.iter().position(|found| found == line);
    removed.iter().any(|line| {
        let at = position(base, line).unwrap_or(0);
        let above = base.lines[..at].iter().rfind(is_anchor).and_then(|line| position(full, line));
        let below = base.lines[at..].iter().find(is_anchor).and_then(|line| position(full, line));
        let (from, to) = (above.unwrap_or(0), below.unwrap_or(full.lines.len()));
        full.lines.get(from..to).is_none_or(|between| between.iter().any(|line| is_own(&line)))
            || own.iter().any(|own| similarity(own.text, line.text) >= MAY_BE_REWORDED)
    })
}

/// A line with what it belongs to: the heading above it, and the line above it that is less indented. A blank line
/// belongs to the line above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlacedLine<'a> {
    /// Of the three texts; each line is looked up about six times.
    digest: u64,
    heading: &'a str,
    above: &'a str,
    text: &'a str,
}

impl<'a> PlacedLine<'a> {
    fn new(heading: &'a str, above: &'a str, text: &'a str) -> PlacedLine<'a> {
        let mut state = DefaultHasher::new();
        (heading, above, text).hash(&mut state);
        PlacedLine { digest: state.finish(), heading, above, text }
    }
}

impl Hash for PlacedLine<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest);
    }
}

/// The lines of a text in order, and how often each occurs.
struct PlacedLines<'a> {
    lines: Vec<PlacedLine<'a>>,
    counts: HashMap<PlacedLine<'a>, usize>,
}

impl<'a> PlacedLines<'a> {
    fn new(text: &'a str) -> PlacedLines<'a> {
        let (mut heading, mut open): (&str, Vec<(usize, &str)>) = ("", Vec::new());
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            let is_blank = line.trim().is_empty();
            if !is_blank {
                open.retain(|(outer, _)| *outer < indent);
            }
            let above = open.last().map_or("", |(_, above)| *above);
            lines.push(PlacedLine::new(heading, above, line));
            if line.starts_with('#') {
                heading = line;
            }
            if !is_blank {
                open.push((indent, line));
            }
        }
        let mut counts = HashMap::new();
        lines.iter().for_each(|line| *counts.entry(*line).or_default() += 1);
        PlacedLines { lines, counts }
    }

    fn count(&self, line: &PlacedLine<'_>) -> usize {
        self.counts.get(line).copied().unwrap_or(0)
    }

    fn has(&self, line: &PlacedLine<'_>) -> bool {
        self.counts.contains_key(line)
    }

    /// Whether the lines that occur once in both have the same order in both.
    fn has_order_of(&self, other: &PlacedLines<'_>) -> bool {
        let common: HashSet<&PlacedLine<'_>> =
            self.lines.iter().filter(|line| self.count(line) == 1 && other.count(line) == 1).collect();
        let of_common = |line: &&PlacedLine<'_>| common.contains(*line);
        self.lines.iter().filter(of_common).eq(other.lines.iter().filter(of_common))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_contained_only_at_their_place_and_in_their_order() {
        let base = "# T\n\n- a\n- b\n\n## S\n\n- c\n";
        let contains_changes = |base: &str, full: &str, other: &str| which_contains(base, full, other)[0];
        let contains = |full: &str, other: &str| contains_changes(base, full, other);
        let added = base.replace("- b\n", "- b\n- x\n");
        assert!(contains(&added.replace("- c\n", "- c\n- z\n"), &added));
        assert!(contains("# T\n\n- b\n- x\n\n## S\n\n- c\n", &added));
        assert!(!contains(base, &added));
        // In another section, in another order, or not removed.
        assert!(!contains(&base.replace("- c\n", "- c\n- x\n"), &added));
        assert!(!contains(&base.replace("- a\n- b\n", "- b\n- x\n- a\n"), &added));
        assert!(!contains(&added, &base.replace("- b\n", "- x\n")));
        // Removed on one side and reworded on the other.
        let long = base.replace("- b\n", "- Ships by boat on even Mondays\n");
        let reworded = base.replace("- b\n", "- Ships by boat on odd Mondays\n");
        assert!(!contains_changes(&long, &reworded, &base.replace("- b\n", "")));
        let moved = base.replace("- b\n", "").replace("- c\n", "- c\n- Ships by boat on odd Mondays\n");
        assert!(!contains_changes(&long, &moved, &base.replace("- b\n", "")));
        // The same metadata of another bullet.
        let meta = |bullet: &str| base.replace(bullet, &format!("{bullet}  <!-- mem imp=3 -->\n"));
        assert!(!contains(&meta("- a\n"), &meta("- b\n")));
        assert!(contains(&meta("- a\n").replace("- b\n", ""), &meta("- a\n")));
        assert!(!contains(&added, base));
    }

    #[test]
    fn a_line_of_one_side_alone_is_found_without_tables() {
        let base = "# T\n\n- a\n- b\n- c\n";
        assert!(has_own_line(base, "# T\n\n- b\n- x\n- c\n", base));
        assert!(!has_own_line(base, "# T\n\n- b\n- x\n- c\n", "# T\n\n- a\n- x\n"));
        assert!(!has_own_line(base, "# T\n\n- c\n- a\n", base));
        assert!(!has_own_line(base, base, ""));
    }
}
