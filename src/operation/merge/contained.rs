//! Recognizes a side that already contains all changes of the other one, as when the result of a merge is merged again.
//!
//! Never guesses: every line of which the other side changed the number must be unique, below the same headings and
//! items, and what both sides have equally often must be in the same order.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::text::similarity;

/// Minimum similarity at which a line of `full` may be another wording of one that `other` removed.
const MAY_BE_REWORDED: f64 = 0.4;
/// Above this number of pairs lines are not compared.
const MAX_PAIRS: usize = 10_000;
/// So many lines that were taken away or moved are stepped over, each with a search in the whole text.
const MAX_STEPS: usize = 64;
/// More `#` than this start no heading.
const MAX_HEADING_LEVEL: usize = 6;

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
    let is_unique = |line: &PlacedLine| [base, full, other].iter().all(|text| text.is_unique(line));
    let is_taken_over = |line: &PlacedLine| full.count(line) == other.count(line) && is_unique(line);
    let changed = |text: &PlacedLines| -> Vec<usize> {
        (0..text.lines.len()).filter(|at| base.count(&text.lines[*at]) != other.count(&text.lines[*at])).collect()
    };
    let (added, removed) = (changed(other), changed(base));
    !(added.is_empty() && removed.is_empty())
        && added.iter().all(|at| is_taken_over(&other.lines[*at]))
        && removed.iter().all(|at| is_taken_over(&base.lines[*at]))
        && full.has_order_of(other)
        && !may_reword(base, full, other, &removed)
}

/// Whether `full` may have other wordings of the removed lines (positions in `base`): a line of its own in their place,
/// or a similar one anywhere. An edit against a removal is a conflict.
fn may_reword(base: &PlacedLines, full: &PlacedLines, other: &PlacedLines, removed: &[usize]) -> bool {
    let is_own =
        |line: &PlacedLine| !line.text.trim().is_empty() && full.count(line) > base.count(line).max(other.count(line));
    let own: Vec<usize> = (0..full.lines.len()).filter(|at| is_own(&full.lines[*at])).collect();
    if own.is_empty() {
        return false;
    }
    if own.len() * removed.len() > MAX_PAIRS {
        return true;
    }
    // Lines of the base that stay, with their positions in both texts.
    let anchor = |(at, line): (usize, &PlacedLine)| {
        let stays = base.count(line) == 1 && full.count(line) == 1 && other.count(line) > 0;
        stays.then(|| Some((at, full.first_position(line)?)))?
    };
    let anchors: Vec<(usize, usize)> = base.lines.iter().enumerate().filter_map(anchor).collect();
    removed.iter().any(|at| {
        let next = anchors.partition_point(|(anchor, _)| anchor < at);
        let from = next.checked_sub(1).map_or(0, |above| anchors[above].1);
        let to = anchors.get(next).map_or(full.lines.len(), |(_, below)| *below);
        let text = base.lines[*at].text;
        from > to
            || own
                .iter()
                .any(|own| (from..to).contains(own) || similarity(full.lines[*own].text, text) >= MAY_BE_REWORDED)
    })
}

/// A line with what it belongs to: the headings above it, and the lines above it that are less indented. A blank line
/// belongs to the line above it; the underline of a heading is the heading, with its text.
#[derive(Clone, Copy, Debug)]
struct PlacedLine<'a> {
    /// Of the line and all that it belongs to.
    digest: u64,
    /// The position of the line that it belongs to.
    parent: Option<usize>,
    text: &'a str,
}

/// The lines of a text in order, and how often each occurs.
struct PlacedLines<'a> {
    lines: Vec<PlacedLine<'a>>,
    /// For each digest the number of its lines, and the position of the first one.
    counts: HashMap<u64, (usize, usize)>,
}

impl<'a> PlacedLines<'a> {
    fn new(text: &'a str) -> PlacedLines<'a> {
        // The lines that the next one may belong to: each is further inside than the one before it.
        let mut open: Vec<(LineDepth, usize)> = Vec::new();
        let mut placed = PlacedLines { lines: Vec::new(), counts: HashMap::new() };
        let (mut start, mut above) = (0, "");
        for line in text.split_inclusive('\n') {
            let is_blank = line.trim().is_empty();
            let underline = LineDepth::of_underline(line).filter(|_| !above.is_empty());
            let depth = underline.unwrap_or_else(|| LineDepth::of(line));
            if !is_blank {
                open.truncate(open.partition_point(|(outer, _)| *outer < depth));
            }
            let parent = open.last().map(|(_, outer)| *outer);
            if !is_blank {
                open.push((depth, placed.lines.len()));
            }
            let title = if underline.is_some() { above.len() } else { 0 };
            placed.push(parent, &text[start - title..start + line.len()]);
            start += line.len();
            above = if is_blank { "" } else { line };
        }
        placed
    }

    fn push(&mut self, parent: Option<usize>, text: &'a str) {
        let mut state = DefaultHasher::new();
        (parent.map(|parent| self.lines[parent].digest), text).hash(&mut state);
        let digest = state.finish();
        self.counts.entry(digest).or_insert((0, self.lines.len())).0 += 1;
        self.lines.push(PlacedLine { digest, parent, text });
    }

    fn count(&self, line: &PlacedLine) -> usize {
        self.counts.get(&line.digest).map_or(0, |(count, _)| *count)
    }

    fn first_position(&self, line: &PlacedLine) -> Option<usize> {
        self.counts.get(&line.digest).map(|(_, first)| *first)
    }

    /// Whether a line occurs here once at most, and so does all that it belongs to: below one of two equal headings or
    /// items it could have moved to the other.
    fn is_unique(&self, line: &PlacedLine) -> bool {
        let Some((count, first)) = self.counts.get(&line.digest) else { return true };
        let mut parent = self.lines[*first].parent;
        while let Some(at) = parent.filter(|_| *count == 1) {
            if self.count(&self.lines[at]) > 1 {
                return false;
            }
            parent = self.lines[at].parent;
        }
        *count == 1
    }

    /// Whether the lines that occur equally often in both have the same order in both.
    fn has_order_of(&self, other: &PlacedLines) -> bool {
        let is_common = |line: &&PlacedLine| self.count(line) == other.count(line);
        let digests =
            |text: &PlacedLines| -> Vec<u64> { text.lines.iter().filter(is_common).map(|line| line.digest).collect() };
        digests(self) == digests(other)
    }
}

/// How far inside a line is; a line belongs to the nearest one above it that is less far inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LineDepth {
    /// A heading, with its level.
    Heading(usize),
    /// Any other line, with its indent in bytes.
    Indented(usize),
}

impl LineDepth {
    fn of(line: &str) -> LineDepth {
        let text = line.trim_start_matches([' ', '\t']);
        let hashes = text.len() - text.trim_start_matches('#').len();
        match line.len() - text.len() {
            0..=3 if (1..=MAX_HEADING_LEVEL).contains(&hashes) => LineDepth::Heading(hashes),
            indent => LineDepth::Indented(indent),
        }
    }

    /// The depth of the heading that a line underlines, if there is one above it.
    fn of_underline(line: &str) -> Option<LineDepth> {
        let line = line.trim();
        let level = [(b'=', 1), (b'-', 2)].into_iter().find(|(sign, _)| line.bytes().all(|byte| byte == *sign));
        level.filter(|_| !line.is_empty()).map(|(_, level)| LineDepth::Heading(level))
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
    fn what_occurs_elsewhere_is_no_part_of_a_side() {
        let contains = |base: &str, full: &str, other: &str| which_contains(base, full, other)[0];
        let base = "# P\n\n## A\n\n### Todo\n\n- call\n\n## B\n\n### Todo\n\n- order\n- paint\n\n## Log\n\n- may\n";
        let logged = |text: &str| text.replace("- may\n", "- may\n- june\n");
        // Below another heading of the same name; an edit against a removal.
        for (other, full) in [
            (base.replace("- order\n", "- call\n"), base.replace("- order\n", "")),
            (base.replace("- order\n", "- order\n- call\n"), base.to_owned()),
            (base.replace("- paint\n", "").replace("- order\n", "- call\n"), base.replace("- order\n- paint\n", "")),
        ] {
            assert!(!contains(base, &logged(&full), &other), "{other}");
            assert!(contains(base, &logged(&other), &other), "{other}");
            let [base, full, other] =
                [base, &logged(&full), &other].map(|text| text.replace("### Todo\n", "Todo\n---\n").replace("## ", ""));
            assert!(!contains(&base, &full, &other), "{other}");
        }
        // Below one of two equal headings or items.
        let base = "- day\n  - plan\n    - a\n- day\n  - plan\n    - b\n- z\n";
        let other = base.replace("    - a\n", "    - a\n    - b\n");
        assert!(!contains(base, &base.replace("- z\n", "- y\n"), &other));
        let other = base.replace("    - b\n", "    - c\n");
        assert!(!contains(base, &other.replace("- z\n", "- y\n"), &base.replace("    - a\n", "    - c\n")));
        // A second line of code that is there once, or twice in another order.
        let base = "- t\n\n```\npull\nrestart\nsleep\ncheck\n```\n";
        let other = base.replace("sleep\ncheck\n", "check\nrestart\n");
        assert!(!contains(base, &base.replace("sleep\n", "").replace("- t\n", "- t\n- u\n"), &other));
        let base = "- t\n\n```\npull\nrestart\npull\ncheck\nsleep\n```\n";
        let other = base.replace("restart\npull\n", "pull\nrestart\n").replace("sleep\n", "");
        assert!(!contains(base, &base.replace("sleep\n", "").replace("- t\n", "- t\n- u\n"), &other));
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
