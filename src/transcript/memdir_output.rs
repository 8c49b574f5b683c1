//! Recognises what memdir itself printed, in a message that a host or a person pasted: the memory must not become
//! evidence for itself.
//!
//! Never reads a memory: the line alone decides.

use crate::document::Handle;

/// Folders of a data directory; a path in one of them is an address even without a size or a handle.
const FOLDERS: [&str; 5] = ["facts/", "episodes/", "procedures/", "inbox/", "archive/"];

/// Words before an address in a result.
const RESULTS: [&str; 4] = ["archived ", "merged ", "restored ", "waiting "];

/// Whether a line is printed by a command of memdir: an address with its text, a revision, a result, a diff, a
/// proposal.
pub(super) fn is_output_line(line: &str) -> bool {
    let line = line.trim();
    const OPENINGS: [&str; 14] = [
        "memdir: ",
        "try: memdir",
        "hint: ",
        "undone r",
        "redone r",
        "last change r",
        "dry run, nothing written",
        "{\"v\":1,",
        "--- a/",
        "+++ b/",
        "--- /dev/null",
        "+++ /dev/null",
        "new file ",
        "removed ",
    ];
    let opened = |opening: &&str| line.strip_prefix(*opening).is_some_and(|rest| is_result(opening, rest));
    let inner = line.trim_start_matches(['-', '+', '*', '>', '~', '=', '↑', '↓', ' ']);
    // After a sign of a result, no name of a person follows: its handle may be letters alone.
    let result = line.trim_start_matches(['+', '~', '=', '↑', '↓']);
    let handle = result.trim_start().strip_prefix('@').map(handle_of);
    OPENINGS.iter().any(opened)
        || result != line && handle.is_some_and(|handle| handle.len() >= 4)
        || starts_with_handle(inner)
        || is_numbered_handle(inner)
        || starts_with_address(inner)
        || is_index_line(inner)
        || RESULTS.iter().any(|word| inner.strip_prefix(word).is_some_and(starts_with_address))
        || ends_with_address(inner)
        || is_revision(inner)
        || is_count(inner)
        || is_proposal(line)
}

/// Whether what follows an opening word is a result of memdir, and not a sentence that starts with the same word.
fn is_result(opening: &str, rest: &str) -> bool {
    match opening {
        "new file " | "removed " => rest.split(' ').next().is_some_and(|path| path.ends_with(".md")),
        "undone r" | "redone r" | "last change r" => rest.starts_with(|c: char| c.is_ascii_digit()),
        _ => true,
    }
}

/// Whether a line is part of an episode entry or of a file's head, so that its own paragraphs follow.
pub(super) fn is_entry_line(line: &str) -> bool {
    let day = |rest: &str| rest.len() >= 10 && rest.as_bytes()[4] == b'-' && rest.as_bytes()[0] == b'2';
    ["- Date: ", "- 日期：", "- 日期: "].iter().any(|label| line.strip_prefix(label).is_some_and(day))
}

/// Whether a line holds the metadata of a bullet, so that it is part of a file, as `read` prints it.
pub(super) fn is_metadata_line(line: &str) -> bool {
    line.trim_start().strip_prefix("<!-- mem ").is_some_and(|rest| rest.trim_end().ends_with("-->"))
}

/// How many places are tried as the end of a text: each costs a hash.
const MAX_ENDS: usize = 8;

/// `@acvh text`: a handle has digits in it, or it is that of the text; otherwise it could be a person's name.
fn starts_with_handle(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('@') else { return false };
    let handle = handle_of(rest);
    let Some(text) = rest[handle.len()..].strip_prefix(' ') else { return false };
    // What a result appends: a destination, the former text, the reason.
    let is_of = |text: &str| Handle::of(text).prefix(handle.len()) == handle;
    let ends = || [" (", " → "].into_iter().flat_map(|mark| text.match_indices(mark).take(MAX_ENDS));
    handle.len() >= 4
        && (handle.bytes().any(|b| b.is_ascii_digit()) || is_of(text) || ends().any(|(at, _)| is_of(&text[..at])))
}

/// `3 @acvh text`, as `bullet list` prints it.
fn is_numbered_handle(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() < line.len() && digits.strip_prefix(' ').is_some_and(starts_with_handle)
}

/// `[User](facts/user.md) — city, tabs`, as an index lists a file.
fn is_index_line(line: &str) -> bool {
    let Some((path, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("](")?.1.split_once(')')) else {
        return false;
    };
    let is_file = path.ends_with(".md") && FOLDERS.iter().any(|folder| path.starts_with(folder));
    is_file && (rest.is_empty() || rest.starts_with(" — "))
}

/// `p3f9a2c add City: Cork`, as `inbox` prints a proposal.
fn is_proposal(line: &str) -> bool {
    let id = line.split(' ').next().unwrap_or_default();
    let is_hex = |rest: &str| rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_hexdigit());
    id.len() < line.len() && id.strip_prefix('p').is_some_and(is_hex)
}

/// The letters and digits of Crockford's base 32 at the start of a text.
fn handle_of(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c.is_ascii_lowercase() && !"ilou".contains(c)));
    &text[..end.unwrap_or(text.len())]
}

/// `facts/user.md: …`, `facts/user.md (137B): …`, `facts/user.md@acvh …`, `facts/user.md#work …`, `facts/user.md  r3`
fn starts_with_address(line: &str) -> bool {
    let Some(end) = line.find(".md").map(|at| at + 3) else { return false };
    let (path, after) = line.split_at(end);
    if path.contains(char::is_whitespace) {
        return false;
    }
    let sized = after.strip_prefix(" (").is_some_and(|size| size.starts_with(|c: char| c.is_ascii_digit()));
    let changed = after.strip_prefix("  r").is_some_and(|rev| rev.starts_with(|c: char| c.is_ascii_digit()));
    let handle = after.strip_prefix('@').is_some_and(|handle| handle_of(handle).len() >= 4);
    let shown = FOLDERS.iter().any(|folder| path.contains(folder)) && after.starts_with([':', '#', '@']);
    sized || changed || handle || shown
}

/// `Prefers tabs (facts/user.md@acvh)` or `Prefers tabs (facts/user.md)`, as `context` prints it.
fn ends_with_address(line: &str) -> bool {
    let Some((_, inner)) = line.strip_suffix(')').and_then(|line| line.rsplit_once('(')) else { return false };
    let is_file = inner.ends_with(".md") && !inner.contains(char::is_whitespace);
    starts_with_address(inner) || is_file && FOLDERS.iter().any(|folder| inner.contains(folder))
}

/// `r3 2026-11-22 17:26Z ana: add; facts/work.md`
fn is_revision(line: &str) -> bool {
    let Some((revision, rest)) = line.strip_prefix('r').and_then(|line| line.split_once(' ')) else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits(revision) && rest.split('-').next().is_some_and(|year| year.len() == 4 && digits(year))
}

/// `2 of 7 items, 28 tokens`
fn is_count(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').take(6).collect();
    matches!(words[..], [_, "of", _, "item," | "items,", _, tokens] if tokens.starts_with("token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_memdir_are_recognised() {
        for line in [
            "facts/user.md: User (2026-11-22)",
            "facts/user.md (137B): city, tabs",
            "- facts/user.md@nk4e Prefers tabs",
            "notes/user.md@nk4e Prefers tabs",
            "episodes/2026-11.md#alps-trip: Alps trip (2026-11-22)",
            "@nk4e Prefers tabs over spaces",
            "+ @v30m City: Cork",
            "+ @acvh Likes jazz music",
            "@ekfy Reads the Reykjavik Grapevine 8",
            "- @ekfy Reads the Reykjavik Grapevine 8",
            "> @ekfy Reads the Reykjavik Grapevine 8 → facts/papers.md#papers (why: sorted)",
            "p3f9a2c add City: Cork",
            "= @v30m City: Cork",
            "- Prefers tabs (facts/user.md@nkwp)",
            "- Prefers tabs (facts/user.md)",
            "new file facts/user.md  r1",
            "facts/user.md  r7",
            "1 @nk4e Prefers tabs over spaces",
            "- [User](facts/user.md) — city, tabs",
            "waiting facts/user.md@nk4e Prefers tabs",
            "r3 2026-11-22 17:26Z ana: add; facts/work.md",
            "2 of 7 items, 28 tokens; whole texts: --full",
            "memdir: bullet_changed: facts/user.md has no such bullet",
            "{\"v\":1,\"files\":[]}",
        ] {
            assert!(is_output_line(line), "{line}");
        }
    }

    #[test]
    fn lines_that_a_person_wrote_are_not_taken_for_output() {
        for line in [
            "@jack please review this",
            "- @mary reads the Reykjavik Grapevine 8",
            "palaces are large",
            "README.md: please fix the typos",
            "see facts/user.md",
            "removed the old parser",
            "new file for the parser, please",
            "3 of 7 items are broken",
            "r2 d2 is a robot",
            "1 @mary reads the Reykjavik Grapevine 8",
            "- [User](https://example.org/user.md) — my page",
            "waiting for facts of Ana",
            "- I live in Rome (really)",
        ] {
            assert!(!is_output_line(line), "{line}");
        }
        assert!(is_metadata_line("  <!-- mem imp=8 -->") && !is_metadata_line("<!-- members only -->"));
        assert!(is_entry_line("- Date: 2026-11-22") && !is_entry_line("- Date: next week"));
    }
}
