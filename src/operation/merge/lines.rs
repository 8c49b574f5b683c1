//! Three texts in, one out, line by line, with room for neighbours.
//!
//! Never guesses: where both sides changed the same lines differently it says so.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A stretch of base lines that one side replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk<'a> {
    /// The base lines that go, from 0; empty for an insertion before `start`.
    start: usize,
    end: usize,
    /// The lines that stand there instead.
    lines: Vec<&'a str>,
}

use super::{Clash, Labels, Merged, markers};

/// Merges two descendants of a text.
///
/// Unlike a plain line merge, changes that merely touch are no clash, because a list's items are independent: one side
/// may remove a line directly above one that the other side added. The derived summary line never clashes: ours stays.
pub fn merge(base: &str, ours: &str, theirs: &str, labels: &Labels) -> Merged {
    let whole = |text: &str| Merged { text: text.to_owned(), clashes: Vec::new() };
    if base == theirs || ours == theirs {
        return whole(ours);
    }
    if base == ours {
        return whole(theirs);
    }
    let lines = split(base);
    let mine = hunks(&lines, &split(ours));
    let yours = hunks(&lines, &split(theirs));
    weave(&lines, &mine, &yours, labels)
}

fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn hunks<'a>(base: &[&'a str], side: &[&'a str]) -> Vec<Hunk<'a>> {
    capture_diff_slices(Algorithm::Patience, base, side)
        .into_iter()
        .filter_map(|op| match op {
            DiffOp::Equal { .. } => None,
            _ => {
                let (old, new) = (op.old_range(), op.new_range());
                Some(Hunk { start: old.start, end: old.end, lines: side[new].to_vec() })
            }
        })
        .flat_map(|hunk| if hunk.lines.is_empty() { by_item(base, hunk) } else { by_line(hunk) })
        .collect()
}

/// A removal of several items is several removals: what the other side put between two of them stays.
fn by_item<'a>(base: &[&str], hunk: Hunk<'a>) -> Vec<Hunk<'a>> {
    let mut out: Vec<Hunk<'a>> = Vec::new();
    for (at, line) in base.iter().enumerate().take(hunk.end).skip(hunk.start) {
        match out.last_mut() {
            Some(last) if !starts_item(line) => last.end = at + 1,
            _ => out.push(Hunk { start: at, end: at + 1, lines: Vec::new() }),
        }
    }
    out
}

fn starts_item(line: &str) -> bool {
    ["- ", "* ", "+ "].iter().any(|marker| line.starts_with(marker))
}

/// A replacement of n lines by n lines is n replacements: items of a list are independent.
fn by_line(hunk: Hunk<'_>) -> Vec<Hunk<'_>> {
    let old = hunk.end - hunk.start;
    if old < 2 || old != hunk.lines.len() {
        return vec![hunk];
    }
    let one = |(i, line)| Hunk { start: hunk.start + i, end: hunk.start + i + 1, lines: vec![line] };
    hunk.lines.iter().copied().enumerate().map(one).collect()
}

fn weave(base: &[&str], mine: &[Hunk<'_>], yours: &[Hunk<'_>], labels: &Labels) -> Merged {
    let (mut out, mut clashes) = (String::new(), Vec::new());
    let (mut at, mut i, mut j) = (0, 0, 0);
    let copy = |out: &mut String, from: usize, to: usize| base[from.min(to)..to].iter().for_each(|l| push(out, l));
    while i < mine.len() || j < yours.len() {
        match (mine.get(i), yours.get(j)) {
            (Some(a), Some(b)) if overlap(a, b) => {
                copy(&mut out, at, a.start.min(b.start));
                match united(base, a, b) {
                    Some(lines) => lines.iter().for_each(|l| push(&mut out, l)),
                    None => {
                        let (start, end) = (a.start.min(b.start), a.end.max(b.end));
                        let side =
                            |h: &Hunk| [&base[start..h.start], &h.lines[..], &base[h.end..end]].concat().concat();
                        let clash = Clash {
                            line: out.lines().count() + 1,
                            base: base[start..end].concat(),
                            ours: side(a),
                            theirs: side(b),
                        };
                        markers::write(&mut out, &clash, labels);
                        clashes.push(clash);
                    }
                }
                at = a.end.max(b.end);
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), b) if b.is_none_or(|b| before(a, b)) => {
                copy(&mut out, at, a.start);
                a.lines.iter().for_each(|l| push(&mut out, l));
                (at, i) = (at.max(a.end), i + 1);
            }
            (_, Some(b)) => {
                copy(&mut out, at, b.start);
                b.lines.iter().for_each(|l| push(&mut out, l));
                (at, j) = (at.max(b.end), j + 1);
            }
            (Some(_), None) | (None, None) => unreachable!("the loop's condition"),
        }
    }
    copy(&mut out, at, base.len());
    Merged { text: out, clashes }
}

/// Adds a line; what stood last in its text may lack the line end that is needed now.
fn push(out: &mut String, line: &str) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(line);
}

/// Two hunks that cannot simply follow one another.
fn overlap(a: &Hunk<'_>, b: &Hunk<'_>) -> bool {
    if a.start == a.end && b.start == b.end {
        return a.start == b.start;
    }
    a.start < b.end && b.start < a.end
}

fn before(a: &Hunk<'_>, b: &Hunk<'_>) -> bool {
    (a.start, a.end) <= (b.start, b.end)
}

/// What both sides wanted of one stretch, where that can be said.
fn united<'a>(base: &[&str], a: &Hunk<'a>, b: &Hunk<'a>) -> Option<Vec<&'a str>> {
    if a == b {
        return Some(a.lines.clone());
    }
    if a.start == a.end && b.start == b.end {
        let theirs = b.lines.iter().filter(|l| !a.lines.contains(l) || l.trim().is_empty());
        let items = |h: &Hunk| h.lines.iter().all(|l| is_item(l));
        return (items(a) && items(b)).then(|| a.lines.iter().chain(theirs).copied().collect());
    }
    let same = a.start == b.start && a.end == b.end;
    (same && base[a.start..a.end].iter().all(|l| is_summary(l))).then(|| a.lines.clone())
}

fn is_item(line: &str) -> bool {
    let text = line.trim_start();
    text.trim_end().is_empty()
        || text.starts_with("- ")
        || text.starts_with("* ")
        || text.starts_with("+ ")
        || text.starts_with("<!-- mem")
}

fn is_summary(line: &str) -> bool {
    line.starts_with("> Summary:")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, ours: &str, theirs: &str, expected: Result<&str, usize>) {
        let got = merge(base, ours, theirs, &Labels::default()).clean();
        assert_eq!(got.as_deref().map_err(Vec::len), expected, "{base:?} {ours:?} {theirs:?}");
    }

    #[test]
    fn one_side_alone_wins() {
        check("- a\n", "- b\n", "- a\n", Ok("- b\n"));
        check("- a\n", "- a\n", "- c\n", Ok("- c\n"));
        check("- a\n", "- b\n", "- b\n", Ok("- b\n"));
    }

    #[test]
    fn neighbours_do_not_clash() {
        check("- a\n- b\n", "- a\n- b\n- c\n", "- a\n", Ok("- a\n- c\n"));
        check("- a\n- b\n", "- x\n- b\n", "- a\n- y\n", Ok("- x\n- y\n"));
        check("- a\n- b\n- c\n", "- a\n- B\n- C\n", "- A\n- b\n- c\n", Ok("- A\n- B\n- C\n"));
    }

    #[test]
    fn what_one_side_put_between_two_items_that_the_other_removed_stays() {
        check("- a\n- b\n- c\n", "- c\n", "- a\n- x\n- b\n- c\n", Ok("- x\n- c\n"));
        check("- a\n  <!-- mem imp=1 -->\n- b\n", "", "- a\n  <!-- mem imp=2 -->\n- b\n", Err(1));
    }

    #[test]
    fn two_additions_at_one_place_both_stay() {
        check("- a\n", "- a\n- b\n", "- a\n- c\n", Ok("- a\n- b\n- c\n"));
        check("- a\n", "- a\n- b\n- d\n", "- a\n- c\n- d\n", Ok("- a\n- b\n- d\n- c\n"));
    }

    #[test]
    fn the_same_line_changed_twice_is_a_clash() {
        check("- a\n", "- b\n", "- c\n", Err(1));
        check("- a\n- b\n", "- a\n", "- a\n- c\n", Err(1));
    }

    #[test]
    fn the_summary_line_never_clashes() {
        check(
            "> Summary: a\n\n- a\n- m\n- z\n",
            "> Summary: a, b\n\n- a\n- b\n- m\n- z\n",
            "> Summary: z\n\n- m\n- z\n",
            Ok("> Summary: a, b\n\n- b\n- m\n- z\n"),
        );
    }

    #[test]
    fn a_missing_final_newline_stays_missing_or_is_added_where_needed() {
        check("- a\n- b", "- a\n- b\n- c", "- A\n- b", Ok("- A\n- b\n- c"));
        check("- a", "- a", "", Ok(""));
    }
}
