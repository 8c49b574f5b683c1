//! The words of a refusal: what others wrote, short and harmless; what they probably meant; what is known.
//!
//! Never repeats more than 60 characters.

/// A text of others as a message may show it: quoted, escaped, at most 60 characters.
pub fn shown(text: &str) -> String {
    let mut out = String::from("'");
    let mut room: usize = 58;
    for c in text.chars() {
        let piece: String = match c {
            // Direction and format characters are printable to `escape_debug`, and hostile in a terminal.
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
                c.escape_unicode().collect()
            }
            '\'' | '"' => c.into(),
            _ => c.escape_debug().collect(),
        };
        let length = piece.chars().count();
        if length > room.saturating_sub(1) {
            out.push('…');
            break;
        }
        room -= length;
        out.push_str(&piece);
    }
    out.push('\'');
    out
}

/// The known name that somebody probably meant: at most two letters away, or three in a long name.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 64 {
        return None;
    }
    let plain = |s: &str| s.to_lowercase().replace(['-', ' '], "_");
    let name = plain(name);
    let reach = (name.chars().count() / 3).clamp(1, 3);
    known.map(|k| (distance(&name, &plain(k)), k)).filter(|(d, _)| *d <= reach).min().map(|(_, k)| k)
}

/// Letters to insert, delete, replace or swap (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// `'a', 'b' or 'c'`.
pub fn list(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [word] => format!("'{word}'"),
        [head @ .., tail] => {
            let head = head.iter().map(|w| format!("'{w}'")).collect::<Vec<_>>().join(", ");
            format!("{head} {last} '{tail}'")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_text_is_shown_short_and_harmless() {
        assert_eq!(shown("a'b"), "'a'b'");
        assert_eq!(shown("a\u{1b}[31m\n\u{202e}"), "'a\\u{1b}[31m\\n\\u{202e}'");
        for text in ["x".repeat(500), "\u{1b}".repeat(500), "é".repeat(58)] {
            assert!(shown(&text).chars().count() <= 60, "{}", shown(&text));
        }
    }

    #[test]
    fn the_nearest_name_is_near() {
        let known = ["text", "title", "old_sub_memory", "at"];
        let check = |name, want| assert_eq!(nearest(name, known.into_iter()), want, "{name}");
        check("txet", Some("text"));
        check("Old-Sub-Memory", Some("old_sub_memory"));
        check("old_submemory", Some("old_sub_memory"));
        check("colour", None);
        check("", None);
    }
}
