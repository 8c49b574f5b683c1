//! Reads and writes conflict markers: a text with markers is split into base, ours and theirs.
//!
//! Never resolves a conflict.

use std::borrow::Cow;

use super::{ConflictLabels, MergeConflict};

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkerRegion {
    Common,
    Ours,
    Base,
    Theirs,
}

/// Splits a text at markers of `size` characters; `None` if it has no markers or an incomplete set.
pub fn split_sides(text: &str, size: usize) -> Option<ConflictSides> {
    let mut sides = ConflictSides { base: Some(String::new()), ours: String::new(), theirs: String::new(), count: 0 };
    let (mut region, mut shown) = (MarkerRegion::Common, false);
    for line in text.split_inclusive('\n') {
        let next = match (region, marker_char(line, size)) {
            (MarkerRegion::Common, Some('<')) => MarkerRegion::Ours,
            (MarkerRegion::Ours, Some('|')) => MarkerRegion::Base,
            (MarkerRegion::Ours | MarkerRegion::Base, Some('=')) => MarkerRegion::Theirs,
            (MarkerRegion::Theirs, Some('>')) => MarkerRegion::Common,
            (_, Some('<' | '>')) => return None,
            (MarkerRegion::Common, _) => {
                sides.ours.push_str(line);
                sides.theirs.push_str(line);
                sides.base.iter_mut().for_each(|base| base.push_str(line));
                continue;
            }
            (MarkerRegion::Ours, _) => {
                sides.ours.push_str(line);
                continue;
            }
            (MarkerRegion::Base, _) => {
                sides.base.iter_mut().for_each(|base| base.push_str(line));
                continue;
            }
            (MarkerRegion::Theirs, _) => {
                sides.theirs.push_str(line);
                continue;
            }
        };
        shown |= next == MarkerRegion::Base;
        if next == MarkerRegion::Theirs && !shown {
            sides.base = None;
        }
        if next == MarkerRegion::Common {
            sides.count += 1;
            shown = false;
        }
        region = next;
    }
    (region == MarkerRegion::Common && sides.count > 0).then_some(sides)
}

/// The marker character of a line: exactly `size` of them, then a blank or the line's end.
fn marker_char(line: &str, size: usize) -> Option<char> {
    let first = line.chars().next().filter(|c| matches!(c, '<' | '|' | '=' | '>'))?;
    let run = line.bytes().take_while(|b| *b == first as u8).count();
    let rest = &line[run..];
    let ended = rest.is_empty() || rest.starts_with([' ', '\r', '\n']);
    (run == size && ended && (first != '=' || rest.trim().is_empty())).then_some(first)
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
}
