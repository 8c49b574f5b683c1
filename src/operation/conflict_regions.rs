//! Parses the conflict markers of a text, and resolves all conflicts in favor of one side.
//!
//! Pure. Never chooses a side itself.

pub use super::merge::conflict_markers::ConflictRegion;
use super::merge::conflict_markers::{self, ConflictPiece, rest_after_marker};
use crate::document::Document;

/// The length of git's default conflict marker, in characters.
const DEFAULT_MARKER_LENGTH: usize = 7;

/// Which side of a conflict to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConflictChoice {
    Ours,
    Theirs,
    /// Ours, then theirs.
    Both,
}

/// The length of a text's conflict markers, in characters; `None` if it has no complete set of them, or if they are an
/// example ([`Document::example_marker_line`]).
pub fn marker_length(text: &str) -> Option<usize> {
    let is_example =
        |length: &usize| *length == DEFAULT_MARKER_LENGTH && Document::parse(text).example_marker_line().is_some();
    unmerged_marker_length(text).filter(|length| !is_example(length))
}

/// As [`marker_length`], for a file that git lists as unmerged: markers in code may be a conflict, too.
pub fn unmerged_marker_length(text: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), b"<<<<<<<")?;
    let runs = text.lines().map(|line| line.bytes().take_while(|b| *b == b'<').count());
    runs.filter(|run| *run >= DEFAULT_MARKER_LENGTH).find(|run| conflict_markers::split_sides(text, *run).is_some())
}

/// The labels after the first markers: base, ours, theirs; empty where there is none, as in jj's markers.
pub fn marker_labels(text: &str, length: usize) -> [String; 3] {
    ['|', '<', '>'].map(|sign| {
        let name = text.lines().find_map(|line| Some(rest_after_marker(line, sign, length)?.trim()));
        name.filter(|name| !name.starts_with("conflict ")).unwrap_or_default().to_owned()
    })
}

/// The conflicts of a text, in order.
pub fn parse_conflicts(text: &str, length: usize) -> Vec<ConflictRegion> {
    let conflict = |piece| match piece {
        ConflictPiece::Conflict(conflict, _) => Some(conflict),
        ConflictPiece::Common(_) => None,
    };
    conflict_markers::split_pieces(text, length).unwrap_or_default().into_iter().filter_map(conflict).collect()
}

/// The text with every conflict resolved the same way. A key of the front matter or of a bullet's metadata has one
/// value: a conflict about it stays if both sides are to be kept.
pub fn resolve_all(text: &str, length: usize, choice: ConflictChoice) -> String {
    let mut out = String::with_capacity(text.len());
    let mut front_matter = FrontMatterPosition::Before;
    for piece in conflict_markers::split_pieces(text, length).unwrap_or_default() {
        front_matter = front_matter.after(&piece);
        match (piece, choice) {
            (ConflictPiece::Common(text), _) => out.push_str(text),
            (ConflictPiece::Conflict(c, _), ConflictChoice::Ours) => out.push_str(&c.ours),
            (ConflictPiece::Conflict(c, _), ConflictChoice::Theirs) => out.push_str(&c.theirs),
            (ConflictPiece::Conflict(c, marked), ConflictChoice::Both) => {
                let in_front_matter = front_matter == FrontMatterPosition::Inside;
                if in_front_matter && !c.ours.is_empty() && !c.theirs.is_empty() || differs_in_metadata(&c) {
                    out.push_str(marked)
                } else {
                    out.push_str(&ours_then_theirs(c))
                }
            }
        }
    }
    out
}

/// Whether a bullet of both sides has the same text and other metadata: to keep both would be to have it twice.
fn differs_in_metadata(conflict: &ConflictRegion) -> bool {
    let [ours, theirs] = [&conflict.ours, &conflict.theirs].map(|text| Document::parse(text.clone()));
    let is_pair = |a: usize, b: usize| {
        ours.bullet_text(a) == theirs.bullet_text(b) && ours.bullet_meta(a) != theirs.bullet_meta(b)
    };
    (0..ours.bullets().len()).any(|a| (0..theirs.bullets().len()).any(|b| is_pair(a, b)))
}

/// Whether a text that is read piece by piece has come to its front matter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FrontMatterPosition {
    Before,
    Inside,
    Behind,
}

impl FrontMatterPosition {
    fn after(self, piece: &ConflictPiece<'_>) -> FrontMatterPosition {
        let opens = |text: &str| text.trim_start_matches('\u{feff}').lines().next().map(str::trim_end) == Some("---");
        match (self, piece) {
            (FrontMatterPosition::Before, ConflictPiece::Common(line)) if opens(line) => FrontMatterPosition::Inside,
            (FrontMatterPosition::Before, ConflictPiece::Conflict(c, _)) if opens(&c.ours) && opens(&c.theirs) => {
                FrontMatterPosition::Inside
            }
            (FrontMatterPosition::Before, _) => FrontMatterPosition::Behind,
            (FrontMatterPosition::Inside, ConflictPiece::Common(line)) if matches!(line.trim_end(), "---" | "...") => {
                FrontMatterPosition::Behind
            }
            (position, _) => position,
        }
    }
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
    fn a_front_matter_key_keeps_its_conflict_where_both_sides_are_wanted() {
        let of = |owner: &str| format!("---\n{owner}---\n\n- a\n");
        let key = "<<<<<<< x\nowner: ann\n=======\nowner: ben\n>>>>>>> y\n";
        let bullets = "<<<<<<< x\n- b\n=======\n- c\n>>>>>>> y\n";
        let text = of(key) + bullets;
        assert_eq!(resolve_all(&text, 7, ConflictChoice::Both), of(key) + "- b\n- c\n");
        assert_eq!(resolve_all(&text, 7, ConflictChoice::Ours), of("owner: ann\n") + "- b\n");
        let added = "<<<<<<< x\nowner: ann\n=======\n>>>>>>> y\n";
        assert_eq!(resolve_all(&of(added), 7, ConflictChoice::Both), of("owner: ann\n"));
    }

    #[test]
    fn longer_markers_hide_shorter_ones_and_half_a_set_is_none() {
        let long = "<<<<<<<<< x\n- a\n<<<<<<< not one\n=========\n- b\n>>>>>>>>> y\n";
        assert_eq!(marker_length(long), Some(9));
        assert_eq!(parse_conflicts(long, 9)[0].ours, "- a\n<<<<<<< not one\n");
        assert_eq!(marker_length("<<<<<<< x\n- b\n=======\n"), None);
        assert_eq!(marker_length("- a\n"), None);
        let example = format!("```\n{TEXT}```\n");
        assert_eq!((marker_length(&example), unmerged_marker_length(&example)), (None, Some(7)));
    }
}
