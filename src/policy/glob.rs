//! Whether a path fits a glob: `*` and `?` stay within a component, `**` crosses them.
//!
//! Takes time proportional to the product of both lengths, whatever the glob.

/// Whether a text fits a glob. `**/` also stands for nothing, so `**/user.md` fits `user.md`.
pub fn fits(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    // `reach[i]`: the glob read so far can have eaten the first `i` characters.
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    let mut rest = &glob[..];
    while let Some((piece, after)) = next(rest) {
        reach = match piece {
            Piece::Dirs => (0..=text.len())
                .scan(false, |any, i| {
                    let here = reach[i];
                    let now = here || *any && i > 0 && text[i - 1] == '/';
                    *any |= here;
                    Some(now)
                })
                .collect(),
            Piece::All => (0..=text.len())
                .scan(false, |any, i| {
                    *any |= reach[i];
                    Some(*any)
                })
                .collect(),
            Piece::Some => (0..=text.len())
                .scan(false, |any, i| {
                    *any = reach[i] || *any && text[i - 1] != '/';
                    Some(*any)
                })
                .collect(),
            Piece::One(want) => (0..=text.len())
                .map(|i| i > 0 && reach[i - 1] && want.map_or(text[i - 1] != '/', |c| text[i - 1] == c))
                .collect(),
        };
        rest = after;
    }
    reach[text.len()]
}

/// A piece of a glob.
enum Piece {
    /// `**/` at the start of a component.
    Dirs,
    /// `**`
    All,
    /// `*`
    Some,
    /// One character, or `?`.
    One(Option<char>),
}

fn next(glob: &[char]) -> Option<(Piece, &[char])> {
    match glob {
        [] => None,
        ['*', '*', '/', rest @ ..] => Some((Piece::Dirs, rest)),
        ['*', '*', rest @ ..] => Some((Piece::All, rest)),
        ['*', rest @ ..] => Some((Piece::Some, rest)),
        ['?', rest @ ..] => Some((Piece::One(None), rest)),
        [c, rest @ ..] => Some((Piece::One(Some(*c)), rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stay_in_their_component() {
        let check = |glob, text, want| assert_eq!(fits(glob, text), want, "{glob} on {text}");
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
        check("facts/user.md", "facts/user.md", true);
        check("facts/user.md", "facts/user.mdx", false);
    }

    #[test]
    fn many_stars_are_no_bomb() {
        assert!(!fits(&"*a".repeat(500), &"a".repeat(400)));
        assert!(fits(&"**".repeat(500), &"a/".repeat(400)));
    }
}
