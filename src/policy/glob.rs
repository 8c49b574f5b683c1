//! Matches paths against globs: `*` and `?` stay within a component, `**` crosses them.
//!
//! Takes time proportional to the product of both lengths, for any glob.

/// Whether a text matches a glob. `**/` also matches nothing, so `**/user.md` matches `user.md`.
pub fn matches(glob: &str, text: &str) -> bool {
    // Most globs of a memory are not for a path, and their first folder says so.
    let (literal, glob) = glob.split_at(glob.find(['*', '?']).unwrap_or(glob.len()));
    let Some(text) = text.strip_prefix(literal) else { return false };
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    // `reach[i]`: the part of the glob read so far can match the first `i` characters.
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    let mut remaining = &glob[..];
    while let Some((piece, after)) = next_piece(remaining) {
        reach = match piece {
            GlobPiece::AnyFolders => (0..=text.len())
                .scan(false, |any, i| {
                    let here = reach[i];
                    let now = here || *any && i > 0 && text[i - 1] == '/';
                    *any |= here;
                    Some(now)
                })
                .collect(),
            GlobPiece::AnyText => (0..=text.len())
                .scan(false, |any, i| {
                    *any |= reach[i];
                    Some(*any)
                })
                .collect(),
            GlobPiece::AnyName => (0..=text.len())
                .scan(false, |any, i| {
                    *any = reach[i] || *any && text[i - 1] != '/';
                    Some(*any)
                })
                .collect(),
            GlobPiece::Character(want) => (0..=text.len())
                .map(|i| i > 0 && reach[i - 1] && want.map_or(text[i - 1] != '/', |c| text[i - 1] == c))
                .collect(),
        };
        remaining = after;
    }
    reach[text.len()]
}

/// Whether a text can match both globs. Takes time proportional to the product of both lengths.
pub fn overlap(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut seen = vec![false; (a.len() + 1) * width];
    let mut open = vec![(0, 0)];
    // Both globs are read from their starts, one common character a step.
    while let Some((i, j)) = open.pop() {
        if std::mem::replace(&mut seen[i * width + j], true) {
            continue;
        }
        if i == a.len() && j == b.len() {
            return true;
        }
        let (of_a, of_b) = (steps(&a[i..], i), steps(&b[j..], j));
        open.extend(of_a.iter().filter(|step| step.1 == GlobStep::Nothing).map(|step| (step.0, j)));
        open.extend(of_b.iter().filter(|step| step.1 == GlobStep::Nothing).map(|step| (i, step.0)));
        for (next_a, step_a) in &of_a {
            open.extend(of_b.iter().filter(|(_, step_b)| step_a.meets(step_b)).map(|(next_b, _)| (*next_a, *next_b)));
        }
    }
    false
}

/// What a step in a glob reads of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlobStep {
    Nothing,
    One(char),
    /// Any character but `/`.
    OfName,
    Any,
}

impl GlobStep {
    /// Whether both read a character, and can read the same.
    fn meets(&self, other: &GlobStep) -> bool {
        match (self, other) {
            (GlobStep::Nothing, _) | (_, GlobStep::Nothing) => false,
            (GlobStep::One(a), GlobStep::One(b)) => a == b,
            (GlobStep::One(c), GlobStep::OfName) | (GlobStep::OfName, GlobStep::One(c)) => *c != '/',
            (GlobStep::Any | GlobStep::OfName, _) | (_, GlobStep::Any) => true,
        }
    }
}

/// The steps from a place in a glob, each with the place that it leads to. `at`: the place, in characters.
fn steps(glob: &[char], at: usize) -> Vec<(usize, GlobStep)> {
    let Some((piece, rest)) = next_piece(glob) else { return Vec::new() };
    let next = at + glob.len() - rest.len();
    match piece {
        GlobPiece::AnyFolders => vec![(next, GlobStep::Nothing), (at, GlobStep::Any), (next, GlobStep::One('/'))],
        GlobPiece::AnyText => vec![(next, GlobStep::Nothing), (at, GlobStep::Any)],
        GlobPiece::AnyName => vec![(next, GlobStep::Nothing), (at, GlobStep::OfName)],
        GlobPiece::Character(None) => vec![(next, GlobStep::OfName)],
        GlobPiece::Character(Some(c)) => vec![(next, GlobStep::One(c))],
    }
}

enum GlobPiece {
    /// `**/` at the start of a component.
    AnyFolders,
    /// `**`: any characters, also none and `/`.
    AnyText,
    /// `*`: any characters but `/`, also none.
    AnyName,
    /// One character, or `?`.
    Character(Option<char>),
}

fn next_piece(glob: &[char]) -> Option<(GlobPiece, &[char])> {
    match glob {
        [] => None,
        ['*', '*', '/', remaining @ ..] => Some((GlobPiece::AnyFolders, remaining)),
        ['*', '*', rest @ ..] => Some((GlobPiece::AnyText, rest)),
        ['*', rest @ ..] => Some((GlobPiece::AnyName, rest)),
        ['?', rest @ ..] => Some((GlobPiece::Character(None), rest)),
        [c, rest @ ..] => Some((GlobPiece::Character(Some(*c)), rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::{matches, overlap};

    #[test]
    fn stars_stay_in_their_component() {
        let check = |glob, text, want| assert_eq!(matches(glob, text), want, "{glob} on {text}");
        check("facts/*.md", "facts/user.md", true);
        check("facts/*.md", "facts/a/user.md", false);
        check("facts/**/*.md", "facts/user.md", true);
        check("facts/**/*.md", "facts/a/b/user.md", true);
        check("**", "facts/a/user.md", true);
        check("**/user.md", "user.md", true);
        check("**/user.md", "a/user.md", true);
        check("**/user.md", "auser.md", false);
        check("facts/**", "facts/a/b.md", true);
        check("facts/**", "factsa.md", false);
        check("facts/u?er.md", "facts/user.md", true);
        check("facts?user.md", "facts/user.md", false);
        check("facts/*", "facts/用户.md", true);
        check("*", "", true);
        check("", "", true);
        check("", "a", false);
        check("facts/**", "fact", false);
        check("facts/**/x/*.md", "facts/x/a.md", true);
        check("a/**/**/b", "a/b", true);
        check("用户/*", "用户/a", true);
        check("facts/user.md", "facts/user.md", true);
        check("facts/user.md", "facts/user.mdx", false);
    }

    #[test]
    fn globs_overlap_if_a_text_matches_both() {
        let check = |a, b, want| {
            assert_eq!((overlap(a, b), overlap(b, a)), (want, want), "{a} and {b}");
        };
        check("src/api/*.rs", "src/api/**", true);
        check("src/*/a.rs", "src/api/?.rs", true);
        check("src/*.rs", "src/api/**", false);
        check("src/*.rs", "**/*.rs", true);
        check("src/*.rs", "**/*.ts", false);
        check("a/**/b", "a/b", true);
        check("a*c", "*b*", true);
        check("src/**", "docs/**", false);
        check("", "**", true);
        check("", "?", false);
        check(&"*a".repeat(300), &"*b".repeat(300), false);
    }

    #[test]
    fn many_stars_take_bounded_time() {
        assert!(!matches(&"*a".repeat(500), &"a".repeat(400)));
        assert!(matches(&"**".repeat(500), &"a/".repeat(400)));
    }
}
