//! The kinds of text in an operation, each as a check and an equivalent JSON Schema pattern.
//!
//! Never escapes or repairs a text: `document` does, when it writes one.

use serde_json::{Map, Value};

use crate::json_shape::{JsonShape, ShapeField, TextPattern, as_integer, optional};

/// One line with at least one character that is not a blank.
pub const LINE: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| !s.contains(['\n', '\r']) && is_not_blank(s),
    regex: r"^[ \t]*[^ \t\r\n][^\r\n]*$",
    expected: "one line of text",
    reports_multiline: true,
});

/// One line, may be empty.
pub const LINE_OR_EMPTY: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| !s.contains(['\n', '\r']),
    regex: r"^[^\r\n]*$",
    expected: "a text without line breaks",
    reports_multiline: true,
});

/// One line, with optional indented lines below it.
pub const BULLET: JsonShape = JsonShape::Matching(&TextPattern {
    matches: is_bullet_text,
    regex: r"^[ \t]*[^ \t\r\n][^\r\n]*(?:\r?\n(?:(?: {2}| ?\t)[^\r\n]*| ?))*$",
    expected: "one line of text (further lines belong to it if they are indented by two spaces or a tab)",
    reports_multiline: true,
});

/// One character or more, of any kind, line breaks included.
pub const NON_EMPTY_TEXT: JsonShape = JsonShape::Text(1);
pub const ANY_TEXT: JsonShape = JsonShape::Text(0);

/// A calendar date, `YYYY-MM-DD`.
pub const DATE: JsonShape = JsonShape::Matching(&TextPattern {
    matches: is_date,
    regex: concat!(
        r"^(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
        r"|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$"
    ),
    expected: "a date like 2026-02-24",
    reports_multiline: false,
});

/// 8 to 64 hex digits of a SHA-256.
pub const HEX_DIGEST: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| (8..=64).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_hexdigit()),
    regex: "^[0-9A-Fa-f]{8,64}$",
    expected: "8 to 64 hex digits",
    reports_multiline: false,
});

/// A bullet's index, from 1.
pub const INDEX: JsonShape = JsonShape::Integer(1, i32::MAX as i64);

/// The same as a model may print it: also as a string of digits.
pub const PRINTED_INDEX: JsonShape = JsonShape::AnyOf(&[INDEX, JsonShape::Matching(&INDEX_TEXT)]);

const INDEX_TEXT: TextPattern = TextPattern {
    matches: |s| s.len() <= 9 && s.bytes().all(|b| b.is_ascii_digit()) && s.bytes().next().is_some_and(|b| b != b'0'),
    regex: "^[1-9][0-9]{0,8}$",
    expected: "the same in digits",
    reports_multiline: false,
};

pub const META_KEY: TextPattern = TextPattern {
    matches: |s| {
        let mut chars = s.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && s.len() <= 64
            && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
    },
    regex: "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$",
    expected: "a letter and up to 63 letters, digits, '_', '-' or '.'",
    reports_multiline: false,
};

pub const META_VALUE: JsonShape = JsonShape::AnyOf(&[LINE_OR_EMPTY, JsonShape::Number, JsonShape::Boolean]);

/// The optional fields of every operation.
pub const COMMON_FIELDS: &[ShapeField] = &[
    optional("seen", &HEX_DIGEST, "8 or more hex digits of the sha256 of the file or section you read (advisory)"),
    optional(
        "if_match",
        &HEX_DIGEST,
        "8 or more hex digits of the sha256 of the file, or of the section that the address names; if it differs, nothing is changed",
    ),
    optional("reason", &ANY_TEXT, "the reason, for the journal"),
    optional("source", &ANY_TEXT, "the source, for the journal"),
    optional("consent", &ANY_TEXT, "the user's words of consent to the batch, verbatim, for the journal"),
];

fn is_not_blank(line: &str) -> bool {
    line.contains(|c| c != ' ' && c != '\t')
}

fn is_bullet_text(text: &str) -> bool {
    let mut lines = text.split('\n').collect::<Vec<_>>();
    let last = lines.len() - 1;
    for line in &mut lines[..last] {
        *line = line.strip_suffix('\r').unwrap_or(line);
    }
    let below = |l: &&str| matches!(*l, "" | " ") || ["  ", "\t", " \t"].iter().any(|i| l.starts_with(i));
    is_not_blank(lines[0]) && lines[1..].iter().all(below) && !lines.iter().any(|l| l.contains('\r'))
}

fn is_date(text: &str) -> bool {
    let b = text.as_bytes();
    let shaped = b.len() == 10
        && b.iter().enumerate().all(|(i, c)| if i == 4 || i == 7 { *c == b'-' } else { c.is_ascii_digit() });
    shaped && text.parse::<jiff::civil::Date>().is_ok()
}

/// Splits a bullet's text into its first line, and the lines below it. These lose the two spaces that make them part of
/// the bullet and keep the rest of their indent, which may make them code. If tabs indent them, they lose the columns
/// that they share. Blank lines at the end are left out.
pub fn split_bullet_text(text: &str) -> (String, Vec<String>) {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let mut below: Vec<&str> = lines.collect();
    let is_filled = |line: &&str| is_not_blank(line);
    below.truncate(below.iter().rposition(is_filled).map_or(0, |last| last + 1));
    if below.iter().filter(|line| is_filled(line)).all(|line| line.starts_with("  ")) {
        let unindented = below.iter().map(|line| line.strip_prefix("  ").unwrap_or_default().to_owned());
        return (first, unindented.collect());
    }
    let columns: Vec<(usize, &str)> = below.into_iter().map(indent_columns).collect();
    let shared = columns.iter().filter(|(_, rest)| !rest.is_empty()).map(|(n, _)| *n).min().unwrap_or(0);
    let dedent =
        |(n, rest): &(usize, &str)| if rest.is_empty() { String::new() } else { " ".repeat(n - shared) + rest };
    (first, columns.iter().map(dedent).collect())
}

/// The inverse of [`split_bullet_text`], for lines of which the last one is not blank.
pub fn join_bullet_text(text: &str, children: &[String]) -> String {
    let mut out = text.to_owned();
    for child in children {
        out.push('\n');
        if !child.is_empty() {
            out.push_str("  ");
            out.push_str(child);
        }
    }
    out
}

/// A line's indent in columns (a tab advances to the next multiple of four, CommonMark 2.2) and the rest of the line.
fn indent_columns(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches([' ', '\t']);
    let indent = &line[..line.len() - rest.len()];
    let width = indent.bytes().fold(0, |n, b| if b == b'\t' { n / 4 * 4 + 4 } else { n + 1 });
    (width, rest)
}

/// Access to the fields of an object that was checked already. An absent field and `null` are the same.
#[derive(Clone, Copy)]
pub struct CheckedFields<'a>(pub &'a Map<String, Value>);

impl CheckedFields<'_> {
    pub fn text(self, name: &str) -> Option<String> {
        self.0.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// A text that the shape requires.
    pub fn required_text(self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    /// A flag; `false` if absent.
    pub fn flag(self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub fn index(self, name: &str) -> Option<i64> {
        let value = self.0.get(name)?;
        as_integer(value).or_else(|| value.as_str()?.parse().ok())
    }

    /// Old and new texts, under a dialect's names for them.
    pub fn text_pairs(self, name: &str, old: &str, new: &str) -> Vec<(String, String)> {
        let pair = |v: &Value| Some((v.get(old)?.as_str()?.to_owned(), v.get(new)?.as_str()?.to_owned()));
        let all = self.0.get(name).and_then(Value::as_array);
        all.map_or(Vec::new(), |all| all.iter().filter_map(pair).collect())
    }

    pub fn key_values(self, name: &str) -> Vec<(String, String)> {
        let all = self.0.get(name).and_then(Value::as_object);
        all.map_or(Vec::new(), |all| all.iter().filter_map(|(k, v)| Some((k.clone(), scalar_text(v)?))).collect())
    }
}

/// A scalar as metadata text; `None` for other values.
pub fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(s) => Some(s.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_bullet_keep_what_indent_they_have_beside_that_of_the_bullet() {
        for (text, below) in [
            ("a\n  b", &["b"][..]),
            ("a\n\n      make docs\n      make check\n", &["", "    make docs", "    make check"]),
            ("a\n  ```\n   \n  \tx\n  ```\n  ", &["```", " ", "\tx", "```"]),
            ("a\n\t- b\n\t\t- c", &["- b", "    - c"]),
            ("a\n \n\n", &[]),
        ] {
            assert_eq!(split_bullet_text(text), ("a".to_owned(), below.iter().map(|line| line.to_string()).collect()));
        }
    }

    proptest::proptest! {
        #[test]
        fn splitting_a_joined_text_returns_its_lines(
            above in proptest::collection::vec("[ \t]{0,6}[a-z`#-]{0,3}", 0..5),
            last in "[ \t]{0,6}[a-z`#-]{1,3}",
        ) {
            let lines: Vec<String> = above.into_iter().chain([last]).collect();
            let joined = join_bullet_text("text", &lines);
            proptest::prop_assert!(is_bullet_text(&joined));
            proptest::prop_assert_eq!(split_bullet_text(&joined), ("text".to_owned(), lines));
        }
    }
}
