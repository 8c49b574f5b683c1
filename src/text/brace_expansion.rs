//! Expands the braces of a shell word or a glob: `{a,b}.rs` stands for `a.rs` and `b.rs`.

/// The texts that a text with braces stands for, in their order. Braces without a comma, and braces that are not closed,
/// stand for themselves; so do those beyond `max` texts.
pub fn expand_braces(text: &str, max: usize) -> Vec<String> {
    let (mut open, mut done) = (vec![text.to_owned()], Vec::new());
    while let Some(next) = open.pop() {
        match first_braces(&next) {
            Some((start, end, parts)) if done.len() + open.len() + parts.len() <= max => {
                open.extend(parts.iter().rev().map(|part| format!("{}{part}{}", &next[..start], &next[end..])));
            }
            _ => done.push(next),
        }
    }
    done
}

/// The first braces with a comma between them: where they start and end, in bytes, and their parts.
fn first_braces(text: &str) -> Option<(usize, usize, Vec<&str>)> {
    text.match_indices('{').find_map(|(start, _)| {
        let (mut depth, mut parts, mut from) = (0, Vec::new(), start + 1);
        for (at, c) in text[start..].char_indices().map(|(at, c)| (start + at, c)) {
            match c {
                '{' => depth += 1,
                ',' if depth == 1 => {
                    parts.push(&text[from..at]);
                    from = at + 1;
                }
                '}' if depth == 1 => {
                    parts.push(&text[from..at]);
                    return (parts.len() > 1).then_some((start, at + 1, parts));
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::expand_braces;

    #[test]
    fn braces_are_expanded_in_their_order() {
        let check = |text: &str, expected: &[&str]| assert_eq!(expand_braces(text, 8), expected, "{text}");
        check("src/{a,b}.rs", &["src/a.rs", "src/b.rs"]);
        check("x.rs{,.bak}", &["x.rs", "x.rs.bak"]);
        check("{a,b{c,d}}/{e,f}", &["a/e", "a/f", "bc/e", "bc/f", "bd/e", "bd/f"]);
        for same in ["a.rs", "{a}", "{}", "{a,b", "a,b}", "{a,b}{a,b}{a,b}{a,b}"] {
            assert!(expand_braces(same, 8).len() <= 8);
        }
        check("{a}/{b,c}", &["{a}/b", "{a}/c"]);
        check("{a,b", &["{a,b"]);
    }
}
