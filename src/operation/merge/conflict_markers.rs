//! Reads and writes conflict markers: a text with markers is split into base, ours and theirs.
//!
//! Never resolves a conflict.

use std::borrow::Cow;

use super::{ConflictLabels, MergeConflict};
use crate::document::Document;

/// The three texts of a file that contains conflict markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictSides {
    /// The common ancestor; `None` if the markers do not show it (git's `merge` style).
    pub base: Option<String>,
    /// Our side of every conflict.
    pub ours: String,
    /// Their side of every conflict.
    pub theirs: String,
    /// The number of conflicts.
    pub count: usize,
}

/// Replaces conflicts in a base text by their own base, or by our side if the markers do not show it. Git passes the
/// merge of two common ancestors as the base, conflicts included (a criss-cross merge).
pub fn without_conflicts(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    // Git makes the markers of each inner merge longer than those around it.
    while let Some(size) = longest_marker(&text) {
        if Document::parse(&*text).example_marker_line().is_some() {
            break;
        }
        let Some(ConflictSides { base, ours, .. }) = split_sides(&text, size) else { break };
        text = Cow::Owned(base.unwrap_or(ours));
    }
    text
}

/// The length of the longest opening marker, at least 7.
fn longest_marker(text: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), b"<<<<<<<")?;
    let run = |line: &str| line.bytes().take_while(|b| *b == b'<').count();
    text.lines().map(run).filter(|n| *n >= 7).max()
}

/// Appends a conflict to a text, with markers in git's diff3 style.
pub fn write_conflict(out: &mut String, conflict: &MergeConflict, labels: &ConflictLabels) {
    let eol = if [&conflict.ours, &conflict.theirs, &conflict.base].iter().any(|t| t.ends_with("\r\n")) {
        "\r\n"
    } else {
        "\n"
    };
    let mut line = |text: &str| {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(eol);
        }
        out.push_str(text);
    };
    let marker = |sign: &str, name: &str| format!("{} {name}{eol}", sign.repeat(labels.size));
    line(&marker("<", labels.ours));
    line(&conflict.ours);
    line(&marker("|", labels.base));
    line(&conflict.base);
    line(&format!("{}{eol}", "=".repeat(labels.size)));
    line(&conflict.theirs);
    line(&marker(">", labels.theirs));
}

/// One conflict in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictRegion {
    /// The line number of its first marker, from 1.
    pub line: usize,
    /// The common ancestor's text; `None` if the markers do not include it (git's `merge` conflict style).
    pub base: Option<String>,
    pub ours: String,
    pub theirs: String,
}

/// A line without conflict, or a whole conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConflictPiece<'a> {
    Common(&'a str),
    /// The conflict, and its lines with their markers.
    Conflict(ConflictRegion, &'a str),
}

/// Splits a text at markers of `size` characters; `None` if it has no markers or an incomplete set.
pub fn split_sides(text: &str, size: usize) -> Option<ConflictSides> {
    let mut sides = ConflictSides { base: Some(String::new()), ours: String::new(), theirs: String::new(), count: 0 };
    for piece in split_pieces(text, size)? {
        let (base, ours, theirs) = match &piece {
            ConflictPiece::Common(line) => (Some(*line), *line, *line),
            ConflictPiece::Conflict(conflict, _) => {
                sides.count += 1;
                (conflict.base.as_deref(), &*conflict.ours, &*conflict.theirs)
            }
        };
        sides.base = sides.base.zip(base).map(|(all, base)| all + base);
        sides.ours.push_str(ours);
        sides.theirs.push_str(theirs);
    }
    (sides.count > 0).then_some(sides)
}

/// Splits a text into lines and conflicts, in order; `None` for an incomplete set of markers. Reads the markers of git
/// and those of jj (`%%%%%%%` before a diff, `+++++++` before a side, `-------` before the base).
pub fn split_pieces(text: &str, size: usize) -> Option<Vec<ConflictPiece<'_>>> {
    let mut pieces = Vec::new();
    let (mut rest, mut number) = (text, 1);
    while let Some(line) = rest.split_inclusive('\n').next() {
        let mut taken = line.len();
        if is_marker(line, '<', size) {
            let inside: Vec<&str> =
                rest[taken..].split_inclusive('\n').take_while(|line| !is_marker(line, '>', size)).collect();
            let end = taken + inside.iter().map(|line| line.len()).sum::<usize>();
            let last = rest[end..].split_inclusive('\n').next()?;
            taken = end + last.len();
            let conflict = read_conflict(&inside, size, number)?;
            pieces.push(ConflictPiece::Conflict(conflict, &rest[..taken]));
            number += inside.len() + 2;
        } else if is_marker(line, '>', size) {
            return None;
        } else {
            pieces.push(ConflictPiece::Common(line));
            number += 1;
        }
        rest = &rest[taken..];
    }
    Some(pieces)
}

/// Reads the lines between the outer markers of a conflict.
fn read_conflict(lines: &[&str], size: usize, line: usize) -> Option<ConflictRegion> {
    if lines.iter().any(|line| is_marker(line, '<', size)) {
        return None;
    }
    let is_from_jj =
        lines.first().is_some_and(|first| ['%', '+', '-'].iter().any(|sign| is_marker(first, *sign, size)));
    if is_from_jj { read_jj_conflict(lines, size, line) } else { read_git_conflict(lines, size, line) }
}

fn read_git_conflict(lines: &[&str], size: usize, line: usize) -> Option<ConflictRegion> {
    let is = |sign: char| move |line: &&str| is_marker(line, sign, size);
    // Above the marker of the base stands ours alone, whatever it contains.
    let base = lines.iter().position(is('|')).filter(|base| lines[*base..].iter().any(is('=')));
    let middle = separator(lines, base.map_or(0, |base| base + 1), size)?;
    let (before, theirs) = (&lines[..middle], lines[middle + 1..].concat());
    let (ours, base) = match base {
        Some(at) => (&before[..at], Some(before[at + 1..].concat())),
        None => (before, None),
    };
    Some(ConflictRegion { line, base, ours: ours.concat(), theirs })
}

/// The line that separates theirs from the text before it, from a line on. Of several lines like it, the one that
/// underlines no heading; `None` if that leaves none or several.
fn separator(lines: &[&str], from: usize, size: usize) -> Option<usize> {
    let is_separator = |at: &usize| is_marker(lines[*at], '=', size);
    let candidates: Vec<usize> = (from..lines.len()).filter(is_separator).collect();
    if let [only] = candidates[..] {
        return Some(only);
    }
    let may_be_heading = |line: &str| {
        let title = line.trim_start_matches('#');
        !line.trim().is_empty() && (title.len() == line.len() || !title.starts_with([' ', '\t']))
    };
    let is_underline = |at: &usize| *at > from && may_be_heading(lines[at - 1]) && !is_separator(&(at - 1));
    let mut alone = candidates.iter().filter(|at| !is_underline(at));
    alone.next().filter(|_| alone.next().is_none()).copied()
}

/// Reads a conflict of two sides in jj's styles: the sides as they are, or one of them as a diff from the base.
fn read_jj_conflict(lines: &[&str], size: usize, line: usize) -> Option<ConflictRegion> {
    let (mut sides, mut bases): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut part = '%';
    for line in lines {
        match ['%', '+', '-', '\\'].into_iter().find(|sign| is_marker(line, *sign, size)) {
            // The second line of the label of a diff.
            Some('\\') => continue,
            Some(sign) => {
                part = sign;
                (if sign == '-' { &mut bases } else { &mut sides }).push(String::new());
                bases.extend((sign == '%').then(String::new));
                continue;
            }
            None => {}
        }
        let (sign, content) = match part {
            '%' => line.split_at_checked(1).filter(|(sign, _)| ["+", "-", " "].contains(sign)).unwrap_or((" ", line)),
            _ => (if part == '+' { "+" } else { "-" }, *line),
        };
        if sign != "-" {
            sides.last_mut()?.push_str(content);
        }
        if sign != "+" {
            bases.last_mut()?.push_str(content);
        }
    }
    match (&sides[..], &bases[..]) {
        ([ours, theirs], [base]) => {
            Some(ConflictRegion { line, base: Some(base.clone()), ours: ours.clone(), theirs: theirs.clone() })
        }
        _ => None,
    }
}

/// Whether a line is a marker: exactly `size` of the sign, then a blank or the line's end.
fn is_marker(line: &str, sign: char, size: usize) -> bool {
    rest_after_marker(line, sign, size).is_some_and(|rest| sign != '=' || rest.trim().is_empty())
}

/// The rest of a line after a marker of exactly this length.
pub fn rest_after_marker(line: &str, sign: char, size: usize) -> Option<&str> {
    let rest = line.trim_start_matches(sign);
    let ended = rest.is_empty() || rest.starts_with([' ', '\r', '\n']);
    (line.len() - rest.len() == size && ended).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(Option<&str>, &str, &str, usize)>) {
        let got = split_sides(text, 7);
        let got = got.as_ref().map(|s| (s.base.as_deref(), s.ours.as_str(), s.theirs.as_str(), s.count));
        assert_eq!(got, expected, "{text:?}");
    }

    #[test]
    fn markers_split_into_sides() {
        check("- a\n", None);
        check(
            "- a\n<<<<<<< x\n- b\n||||||| y\n- c\n=======\n- d\n>>>>>>> z\n- e\n",
            Some((Some("- a\n- c\n- e\n"), "- a\n- b\n- e\n", "- a\n- d\n- e\n", 1)),
        );
        check("<<<<<<< x\n- b\n=======\n>>>>>>> z\n", Some((None, "- b\n", "", 1)));
        check("<<<<<<< x\r\n- b\r\n||||||| y\r\n=======\r\n>>>>>>> z\r\n", Some((Some(""), "- b\r\n", "", 1)));
    }

    #[test]
    fn an_incomplete_set_is_none() {
        check("<<<<<<< x\n- b\n=======\n", None);
        check("<<<<<<< x\n- b\n>>>>>>> z\n", None);
        check("<<<<<<< x\n<<<<<<< y\n=======\n>>>>>>> z\n", None);
        check("<<<<<<<< x\n========\n>>>>>>>> z\n", None);
        assert_eq!(split_sides("<<<<<<<<< x\n- a\n=========\n>>>>>>>>> z\n", 9).unwrap().count, 1);
    }

    #[test]
    fn an_underlined_heading_is_no_marker() {
        let conflict = |base: &str, ours: &str, theirs: &str| {
            let conflict =
                MergeConflict { line: 1, base: base.to_owned(), ours: ours.to_owned(), theirs: theirs.to_owned() };
            let mut text = String::new();
            write_conflict(&mut text, &conflict, &ConflictLabels::default());
            text
        };
        let [base, ours, theirs] = ["Profile", "Account", "Persona"].map(|title| format!("{title}\n=======\n"));
        for [base, ours, theirs] in [
            [&*base, &ours, &theirs],
            ["", &ours, &theirs],
            [&base, "", &theirs],
            [&base, &ours, ""],
            ["# P\n", &ours, &theirs],
        ] {
            check(&conflict(base, ours, theirs), Some((Some(base), ours, theirs, 1)));
            let without_base = conflict("", ours, theirs).replace("||||||| base\n", "");
            check(&without_base, Some((None, ours, theirs, 1)));
        }
        // Which of the two separates the sides cannot be known.
        check(&conflict("Text\n", "# A\n", &theirs), None);
    }

    #[test]
    fn the_markers_of_jj_split_into_sides_too() {
        let diff_first = "- a\n<<<<<<< conflict 1 of 1\n%%%%%%% diff from: qpvu 12 \"base\"\n\\\\\\\\\\\\\\        to: x 3 \"one\"\n - k\n-- c\n+- b\n+++++++ y 4 \"two\"\n- k\n- d\n>>>>>>> conflict 1 of 1 ends\n- e\n";
        let expected = Some((Some("- a\n- k\n- c\n- e\n"), "- a\n- k\n- b\n- e\n", "- a\n- k\n- d\n- e\n", 1));
        check(diff_first, expected);
        check(
            "- a\n<<<<<<< conflict 1 of 1\n+++++++ one\n- k\n- b\n------- base\n- k\n- c\n+++++++ two\n- k\n- d\n>>>>>>> conflict 1 of 1 ends\n- e\n",
            expected,
        );
        check(
            "- a\n<<<<<<< conflict 1 of 1\n+++++++ one\n- k\n- b\n%%%%%%% diff from base to two\n - k\n-- c\n+- d\n>>>>>>> conflict 1 of 1 ends\n- e\n",
            expected,
        );
        let three =
            "<<<<<<< conflict 1 of 1\n%%%%%%% a\n-- c\n+- b\n%%%%%%% b\n-- c\n+- d\n+++++++ c\n- e\n>>>>>>> end\n";
        check(three, None);
    }
}
