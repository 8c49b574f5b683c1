//! The kinds of text an operation holds, each as a rule that we and a JSON Schema tell alike.
//!
//! Never escapes or repairs a text: how it stands in a file is `document`'s business.

use serde_json::{Map, Value};

use crate::shape::{Field, Pattern, Shape, integer, may};

/// One line that says something.
pub const LINE: Shape = Shape::Like(&Pattern {
    fits: |s| !s.contains(['\n', '\r']) && is_filled(s),
    regex: r"^[ \t]*[^ \t\r\n][^\r\n]*$",
    what: "one line of text",
    lines: true,
});

/// One line, perhaps empty.
pub const VALUE: Shape = Shape::Like(&Pattern {
    fits: |s| !s.contains(['\n', '\r']),
    regex: r"^[^\r\n]*$",
    what: "a text without line breaks",
    lines: true,
});

/// One line, and indented lines below it.
pub const BULLET: Shape = Shape::Like(&Pattern {
    fits: is_bullet,
    regex: r"^[ \t]*[^ \t\r\n][^\r\n]*(?:\r?\n(?:(?: {2}| ?\t)[^\r\n]*| ?))*$",
    what: "one line of text (further lines belong to it when they are indented by two blanks or a tab)",
    lines: true,
});

/// Any text but the empty one.
pub const FILLED: Shape = Shape::Text(1);
/// Any text.
pub const TEXT: Shape = Shape::Text(0);

/// A day of the calendar.
pub const DATE: Shape = Shape::Like(&Pattern {
    fits: is_date,
    regex: concat!(
        r"^(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
        r"|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$"
    ),
    what: "a date like 2026-02-24",
    lines: false,
});

/// Eight or more hex digits of a sha256.
pub const PROOF: Shape = Shape::Like(&Pattern {
    fits: |s| (8..=64).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_hexdigit()),
    regex: "^[0-9A-Fa-f]{8,64}$",
    what: "8 to 64 hex digits",
    lines: false,
});

/// A position, from 1.
pub const INDEX: Shape = Shape::Integer(1, i32::MAX as i64);

/// A metadata key.
pub const KEY: Pattern = Pattern {
    fits: |s| {
        let mut chars = s.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && s.len() <= 64
            && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
    },
    regex: "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$",
    what: "a letter and up to 63 letters, digits, '_', '-' or '.'",
    lines: false,
};

/// A metadata value.
pub const SCALAR: Shape = Shape::Either(&[VALUE, Shape::Number, Shape::Flag]);

/// What every operation may say.
pub const COMMON: &[Field] = &[
    may("seen", &PROOF, "8 or more hex digits of the sha256 of the file or section you read (advisory)"),
    may("if_match", &PROOF, "8 or more hex digits of the sha256 of the whole file; differs: nothing is done"),
    may("reason", &TEXT, "why, for the journal"),
    may("source", &TEXT, "from where, for the journal"),
];

fn is_filled(line: &str) -> bool {
    line.contains(|c| c != ' ' && c != '\t')
}

fn is_bullet(text: &str) -> bool {
    let mut lines = text.split('\n').collect::<Vec<_>>();
    let last = lines.len() - 1;
    for line in &mut lines[..last] {
        *line = line.strip_suffix('\r').unwrap_or(line);
    }
    let below = |l: &&str| matches!(*l, "" | " ") || ["  ", "\t", " \t"].iter().any(|i| l.starts_with(i));
    is_filled(lines[0]) && lines[1..].iter().all(below) && !lines.iter().any(|l| l.contains('\r'))
}

fn is_date(text: &str) -> bool {
    let b = text.as_bytes();
    let shaped = b.len() == 10
        && b.iter().enumerate().all(|(i, c)| if i == 4 || i == 7 { *c == b'-' } else { c.is_ascii_digit() });
    shaped && text.parse::<jiff::civil::Date>().is_ok()
}

/// A bullet's first line, and the lines below it without the indent they share.
pub fn split(text: &str) -> (String, Vec<String>) {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let below: Vec<(usize, &str)> = lines.map(columns).collect();
    let shared = below.iter().filter(|(_, rest)| !rest.is_empty()).map(|(n, _)| *n).min().unwrap_or(0);
    let dedent = |(n, rest): &(usize, &str)| match rest.is_empty() {
        true => String::new(),
        false => " ".repeat(n - shared) + rest,
    };
    let mut children: Vec<String> = below.iter().map(dedent).collect();
    while children.last().is_some_and(String::is_empty) {
        children.pop();
    }
    (first, children)
}

/// The inverse of [`split`].
pub fn join(text: &str, children: &[String]) -> String {
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

/// A line's indent in columns (a tab leads to the next multiple of four, CommonMark 2.2) and what follows.
fn columns(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches([' ', '\t']);
    let indent = &line[..line.len() - rest.len()];
    let width = indent.bytes().fold(0, |n, b| if b == b'\t' { n / 4 * 4 + 4 } else { n + 1 });
    (width, rest)
}

/// A checked object's fields, by type. An absent field and `null` are the same.
#[derive(Clone, Copy)]
pub struct Got<'a>(pub &'a Map<String, Value>);

impl Got<'_> {
    /// A text.
    pub fn text(self, name: &str) -> Option<String> {
        self.0.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// A text that the form demands.
    pub fn needed(self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    /// A flag; absent is false.
    pub fn flag(self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A position.
    pub fn index(self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(integer)
    }

    /// Old and new texts, under the names that a dialect gives them.
    pub fn pairs(self, name: &str, old: &str, new: &str) -> Vec<(String, String)> {
        let pair = |v: &Value| Some((v.get(old)?.as_str()?.to_owned(), v.get(new)?.as_str()?.to_owned()));
        let all = self.0.get(name).and_then(Value::as_array);
        all.map_or(Vec::new(), |all| all.iter().filter_map(pair).collect())
    }

    /// Keys and values.
    pub fn meta(self, name: &str) -> Vec<(String, String)> {
        let all = self.0.get(name).and_then(Value::as_object);
        all.map_or(Vec::new(), |all| all.iter().filter_map(|(k, v)| Some((k.clone(), scalar(v)?))).collect())
    }
}

/// A scalar as metadata writes it.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(s) => Some(s.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
