//! Parses the conflict markers of a text, and resolves all conflicts in favor of one side.
//!
//! Pure. Never chooses a side itself.

use super::merge::conflict_markers;

/// The length of git's default conflict marker, in characters.
const DEFAULT_MARKER_LENGTH: usize = 7;

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

/// Which side of a conflict to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictChoice {
    Ours,
    Theirs,
    /// Ours, then theirs.
    Both,
}

/// The length of a text's conflict markers, in characters; `None` if it has no complete set of them.
pub fn marker_length(text: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), b"<<<<<<<")?;
    let runs = text.lines().map(|line| line.bytes().take_while(|b| *b == b'<').count());
    runs.filter(|run| *run >= DEFAULT_MARKER_LENGTH).find(|run| conflict_markers::split_sides(text, *run).is_some())
}

/// The labels after the first markers: base, ours, theirs; empty where there is none.
pub fn marker_labels(text: &str, length: usize) -> [String; 3] {
    ['|', '<', '>'].map(|sign| {
        let name = text.lines().find_map(|line| marker_label(line, sign, length));
        name.unwrap_or_default().to_owned()
    })
}

fn marker_label(line: &str, sign: char, length: usize) -> Option<&str> {
    let rest = rest_after_marker(line, sign, length)?;
    Some(rest.trim())
}

/// The rest of a line after a marker of exactly this length.
fn rest_after_marker(line: &str, sign: char, length: usize) -> Option<&str> {
    let rest = line.trim_start_matches(sign);
    let ended = rest.is_empty() || rest.starts_with([' ', '\r', '\n']);
    (line.len() - rest.len() == length && ended).then_some(rest)
}

/// A line without conflict, or a whole conflict.
enum ConflictPiece<'a> {
    Common(&'a str),
    Conflict(ConflictRegion),
}

/// The conflicts of a text, in order.
pub fn parse_conflicts(text: &str, length: usize) -> Vec<ConflictRegion> {
    let conflict = |piece| match piece {
        ConflictPiece::Conflict(conflict) => Some(conflict),
        ConflictPiece::Common(_) => None,
    };
    split_at_conflicts(text, length).into_iter().filter_map(conflict).collect()
}

/// The text with every conflict resolved the same way.
pub fn resolve_all(text: &str, length: usize, choice: ConflictChoice) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in split_at_conflicts(text, length) {
        match (piece, choice) {
            (ConflictPiece::Common(text), _) => out.push_str(text),
            (ConflictPiece::Conflict(c), ConflictChoice::Ours) => out.push_str(&c.ours),
            (ConflictPiece::Conflict(c), ConflictChoice::Theirs) => out.push_str(&c.theirs),
            (ConflictPiece::Conflict(c), ConflictChoice::Both) => out.push_str(&ours_then_theirs(c)),
        }
    }
    out
}

/// Ours, then theirs; a text that is the same on both sides is kept once.
fn ours_then_theirs(conflict: ConflictRegion) -> String {
    let ConflictRegion { mut ours, theirs, .. } = conflict;
    if ours == theirs {
        return ours;
    }
    if !ours.is_empty() && !theirs.is_empty() && !ours.ends_with('\n') {
        ours.push('\n');
    }
    ours + &theirs
}

/// Splits a text into lines and conflicts, in order. Expects complete sets of markers of the length that
/// [`marker_length`] returned.
fn split_at_conflicts(text: &str, length: usize) -> Vec<ConflictPiece<'_>> {
    let (mut pieces, mut open): (Vec<ConflictPiece<'_>>, Option<(char, ConflictRegion)>) = (Vec::new(), None);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        match open.as_mut() {
            None if rest_after_marker(line, '<', length).is_some() => {
                let empty = String::new();
                open = Some(('<', ConflictRegion { line: number + 1, base: None, ours: empty.clone(), theirs: empty }));
            }
            None => pieces.push(ConflictPiece::Common(line)),
            Some((part @ '<', conflict)) if rest_after_marker(line, '|', length).is_some() => {
                *part = '|';
                conflict.base = Some(String::new());
            }
            Some((part @ ('<' | '|'), _)) if rest_after_marker(line, '=', length).is_some() => *part = '=',
            Some(('=', _)) if rest_after_marker(line, '>', length).is_some() => {
                pieces.extend(open.take().map(|(_, conflict)| ConflictPiece::Conflict(conflict)));
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
    fn conflicts_are_reported_with_their_lines() {
        assert_eq!(marker_length(TEXT), Some(7));
        assert_eq!(marker_labels(TEXT, 7), ["1f2e", "HEAD", "other"]);
        let all = parse_conflicts(TEXT, 7);
        let one = ConflictRegion { line: 2, base: Some("- c\n".into()), ours: "- b\n".into(), theirs: "- d\n".into() };
        assert_eq!(all, [one]);
    }

    #[test]
    fn a_side_is_taken() {
        assert_eq!(resolve_all(TEXT, 7, ConflictChoice::Ours), "- a\n- b\n- e\n");
        assert_eq!(resolve_all(TEXT, 7, ConflictChoice::Theirs), "- a\n- d\n- e\n");
        assert_eq!(resolve_all(TEXT, 7, ConflictChoice::Both), "- a\n- b\n- d\n- e\n");
        let plain = "<<<<<<< x\n=======\n- d\n>>>>>>> y\n";
        assert_eq!(
            (resolve_all(plain, 7, ConflictChoice::Ours), resolve_all(plain, 7, ConflictChoice::Both)),
            (String::new(), "- d\n".into())
        );
        assert_eq!(parse_conflicts(plain, 7)[0].base, None);
    }

    #[test]
    fn longer_markers_hide_shorter_ones_and_half_a_set_is_none() {
        let long = "<<<<<<<<< x\n- a\n<<<<<<< not one\n=========\n- b\n>>>>>>>>> y\n";
        assert_eq!(marker_length(long), Some(9));
        assert_eq!(parse_conflicts(long, 9)[0].ours, "- a\n<<<<<<< not one\n");
        assert_eq!(marker_length("<<<<<<< x\n- b\n=======\n"), None);
        assert_eq!(marker_length("- a\n"), None);
    }
}
