//! Conflict markers in a text: read into the three texts they were made of.
//!
//! Never decides anything: it only takes a text with markers apart.

use std::borrow::Cow;

use super::{Clash, Labels};

/// The three texts of a file that holds conflict markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The common ancestor; `None` when the markers do not show it (git's `merge` style).
    pub base: Option<String>,
    /// Our side, conflicts resolved to it.
    pub ours: String,
    /// Their side.
    pub theirs: String,
    /// How many conflicts there are.
    pub count: usize,
}

/// A text whose conflicts are set back to their base, or, where the markers do not show it, to our side: git hands a
/// merge of two common ancestors, conflicts and all, to a driver as the base (a criss-cross merge).
pub fn without(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    // Git makes the markers of each inner merge longer than those around it.
    while let Some(size) = longest(&text) {
        let Some(Sides { base, ours, .. }) = sides(&text, size) else { break };
        text = Cow::Owned(base.unwrap_or(ours));
    }
    text
}

/// The length of the longest opening marker, at least 7.
fn longest(text: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), b"<<<<<<<")?;
    let run = |line: &str| line.bytes().take_while(|b| *b == b'<').count();
    text.lines().map(run).filter(|n| *n >= 7).max()
}

/// Writes a clash at the end of a text, with markers in git's diff3 style.
pub fn write(out: &mut String, clash: &Clash, labels: &Labels) {
    let eol = if [&clash.ours, &clash.theirs, &clash.base].iter().any(|t| t.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut line = |text: &str| {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(eol);
        }
        out.push_str(text);
    };
    let marker = |sign: &str, name: &str| format!("{} {name}{eol}", sign.repeat(labels.size));
    line(&marker("<", labels.ours));
    line(&clash.ours);
    line(&marker("|", labels.base));
    line(&clash.base);
    line(&format!("{}{eol}", "=".repeat(labels.size)));
    line(&clash.theirs);
    line(&marker(">", labels.theirs));
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Common,
    Ours,
    Base,
    Theirs,
}

/// Takes a text with markers of `size` characters apart; `None` when it has none, or half of one.
pub fn sides(text: &str, size: usize) -> Option<Sides> {
    let mut sides = Sides { base: Some(String::new()), ours: String::new(), theirs: String::new(), count: 0 };
    let (mut part, mut shown) = (Part::Common, false);
    for line in text.split_inclusive('\n') {
        let next = match (part, marker(line, size)) {
            (Part::Common, Some('<')) => Part::Ours,
            (Part::Ours, Some('|')) => Part::Base,
            (Part::Ours | Part::Base, Some('=')) => Part::Theirs,
            (Part::Theirs, Some('>')) => Part::Common,
            (_, Some('<' | '>')) => return None,
            (Part::Common, _) => {
                sides.ours.push_str(line);
                sides.theirs.push_str(line);
                sides.base.iter_mut().for_each(|base| base.push_str(line));
                continue;
            }
            (Part::Ours, _) => {
                sides.ours.push_str(line);
                continue;
            }
            (Part::Base, _) => {
                sides.base.iter_mut().for_each(|base| base.push_str(line));
                continue;
            }
            (Part::Theirs, _) => {
                sides.theirs.push_str(line);
                continue;
            }
        };
        shown |= next == Part::Base;
        if next == Part::Theirs && !shown {
            sides.base = None;
        }
        if next == Part::Common {
            sides.count += 1;
            shown = false;
        }
        part = next;
    }
    (part == Part::Common && sides.count > 0).then_some(sides)
}

/// Which marker a line is: exactly `size` of its characters, then a blank or the line's end.
fn marker(line: &str, size: usize) -> Option<char> {
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
        let got = sides(text, 7);
        let got = got.as_ref().map(|s| (s.base.as_deref(), s.ours.as_str(), s.theirs.as_str(), s.count));
        assert_eq!(got, expected, "{text:?}");
    }

    #[test]
    fn markers_are_taken_apart() {
        check("- a\n", None);
        check(
            "- a\n<<<<<<< x\n- b\n||||||| y\n- c\n=======\n- d\n>>>>>>> z\n- e\n",
            Some((Some("- a\n- c\n- e\n"), "- a\n- b\n- e\n", "- a\n- d\n- e\n", 1)),
        );
        check("<<<<<<< x\n- b\n=======\n>>>>>>> z\n", Some((None, "- b\n", "", 1)));
        check("<<<<<<< x\r\n- b\r\n||||||| y\r\n=======\r\n>>>>>>> z\r\n", Some((Some(""), "- b\r\n", "", 1)));
    }

    #[test]
    fn half_a_set_is_none() {
        check("<<<<<<< x\n- b\n=======\n", None);
        check("<<<<<<< x\n- b\n>>>>>>> z\n", None);
        check("<<<<<<< x\n<<<<<<< y\n=======\n>>>>>>> z\n", None);
        check("<<<<<<<< x\n========\n>>>>>>>> z\n", None);
        assert_eq!(sides("<<<<<<<<< x\n- a\n=========\n>>>>>>>>> z\n", 9).unwrap().count, 1);
    }
}
