//! The conflicts of a text with markers, one by one, and what becomes of the text when they are decided.
//!
//! Pure. Never decides by itself: whoever calls says which side stands.

use super::merge::markers;

/// git's shortest marker.
const SHORTEST: usize = 7;

/// One conflict of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The line of its first marker, from 1.
    pub line: usize,
    /// What stood there before both; `None` where the markers do not show it (git's `merge` style).
    pub base: Option<String>,
    /// Our side's text.
    pub ours: String,
    /// Their side's text.
    pub theirs: String,
}

/// Which side of a conflict stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// Ours.
    Ours,
    /// Theirs.
    Theirs,
    /// Ours, then theirs.
    Both,
}

/// How long a text's conflict markers are; `None` where it holds no whole set of them.
pub fn size(text: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), b"<<<<<<<")?;
    let runs = text.lines().map(|line| line.bytes().take_while(|b| *b == b'<').count());
    runs.filter(|run| *run >= SHORTEST).find(|run| markers::sides(text, *run).is_some())
}

/// The names behind the first markers: base, ours, theirs; empty where none stand there.
pub fn labels(text: &str, size: usize) -> [String; 3] {
    ['|', '<', '>'].map(|sign| {
        let name = text.lines().find_map(|line| named(line, sign, size));
        name.unwrap_or_default().to_owned()
    })
}

fn named(line: &str, sign: char, size: usize) -> Option<&str> {
    let rest = marked(line, sign, size)?;
    Some(rest.trim())
}

/// What stands behind a marker of exactly that length.
fn marked(line: &str, sign: char, size: usize) -> Option<&str> {
    let rest = line.trim_start_matches(sign);
    let ended = rest.is_empty() || rest.starts_with([' ', '\r', '\n']);
    (line.len() - rest.len() == size && ended).then_some(rest)
}

/// A stretch of a text.
enum Piece<'a> {
    Common(&'a str),
    Conflict(Conflict),
}

/// The conflicts, in file order.
pub fn conflicts(text: &str, size: usize) -> Vec<Conflict> {
    let conflict = |piece| match piece {
        Piece::Conflict(conflict) => Some(conflict),
        Piece::Common(_) => None,
    };
    pieces(text, size).into_iter().filter_map(conflict).collect()
}

/// The text with every conflict decided the same way.
pub fn take(text: &str, size: usize, take: Take) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text, size) {
        match (piece, take) {
            (Piece::Common(text), _) => out.push_str(text),
            (Piece::Conflict(c), Take::Ours) => out.push_str(&c.ours),
            (Piece::Conflict(c), Take::Theirs) => out.push_str(&c.theirs),
            (Piece::Conflict(c), Take::Both) => out.push_str(&both(c)),
        }
    }
    out
}

/// Ours, then theirs; a text that both sides have stands once.
fn both(conflict: Conflict) -> String {
    let Conflict { mut ours, theirs, .. } = conflict;
    if ours == theirs {
        return ours;
    }
    if !ours.is_empty() && !theirs.is_empty() && !ours.ends_with('\n') {
        ours.push('\n');
    }
    ours + &theirs
}

/// The whole text in order. Expects whole sets of markers, as [`size`] finds them.
fn pieces(text: &str, size: usize) -> Vec<Piece<'_>> {
    let (mut pieces, mut open): (Vec<Piece<'_>>, Option<(char, Conflict)>) = (Vec::new(), None);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        match open.as_mut() {
            None if marked(line, '<', size).is_some() => {
                let none = String::new();
                open = Some(('<', Conflict { line: number + 1, base: None, ours: none.clone(), theirs: none }));
            }
            None => pieces.push(Piece::Common(line)),
            Some((part @ '<', conflict)) if marked(line, '|', size).is_some() => {
                *part = '|';
                conflict.base = Some(String::new());
            }
            Some((part @ ('<' | '|'), _)) if marked(line, '=', size).is_some() => *part = '=',
            Some(('=', _)) if marked(line, '>', size).is_some() => {
                pieces.extend(open.take().map(|(_, conflict)| Piece::Conflict(conflict)));
            }
            Some(('<', conflict)) => conflict.ours.push_str(line),
            Some(('|', conflict)) => conflict.base.get_or_insert_default().push_str(line),
            Some((_, conflict)) => conflict.theirs.push_str(line),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "- a\n<<<<<<< HEAD\n- b\n||||||| 1f2e\n- c\n=======\n- d\n>>>>>>> other\n- e\n";

    #[test]
    fn conflicts_are_told_with_their_lines() {
        assert_eq!(size(TEXT), Some(7));
        assert_eq!(labels(TEXT, 7), ["1f2e", "HEAD", "other"]);
        let all = conflicts(TEXT, 7);
        let one = Conflict { line: 2, base: Some("- c\n".into()), ours: "- b\n".into(), theirs: "- d\n".into() };
        assert_eq!(all, [one]);
    }

    #[test]
    fn a_side_is_taken() {
        assert_eq!(take(TEXT, 7, Take::Ours), "- a\n- b\n- e\n");
        assert_eq!(take(TEXT, 7, Take::Theirs), "- a\n- d\n- e\n");
        assert_eq!(take(TEXT, 7, Take::Both), "- a\n- b\n- d\n- e\n");
        let plain = "<<<<<<< x\n=======\n- d\n>>>>>>> y\n";
        assert_eq!((take(plain, 7, Take::Ours), take(plain, 7, Take::Both)), (String::new(), "- d\n".into()));
        assert_eq!(conflicts(plain, 7)[0].base, None);
    }

    #[test]
    fn longer_markers_hide_shorter_ones_and_half_a_set_is_none() {
        let long = "<<<<<<<<< x\n- a\n<<<<<<< not one\n=========\n- b\n>>>>>>>>> y\n";
        assert_eq!(size(long), Some(9));
        assert_eq!(conflicts(long, 9)[0].ours, "- a\n<<<<<<< not one\n");
        assert_eq!(size("<<<<<<< x\n- b\n=======\n"), None);
        assert_eq!(size("- a\n"), None);
    }
}
