//! Random operations on a small memory, sensible and senseless ones mixed; the same seed gives the same ones.
//!
//! Never judges what they lead to.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::support::{Memory, Tree};

const USER: &str = "\
# User

> Summary: name, work, travel

- Name: Zhang San
- Prefers tabs
- Said twice
- Said twice

## Work

- [pref] standup before 10:00 #calendar
  <!-- mem id=mem7 imp=7 -->
- depends_on [[project]]
  - a child

## Travel

- Window seats
";

/// A memory with one of everything: metadata, links, CRLF, no final newline, an episode, an adopted note.
pub fn memory() -> Memory {
    Memory::new()
        .file("facts/user.md", USER)
        .file("facts/project.md", "# Project\r\n\r\n- Uses Bun\r\n- See [[user]]\r\n")
        .file("facts/plain.md", "- one\n- two\n- three")
        .file("procedures/release.md", "# Release\n\n1. tag\n2. push\n\n```sh\n- no bullet\n```\n")
        .file("episodes/2026-02.md", "# 2026-02 Episodes\n\n## Logger fix\n- Date: 2026-02-20\n- Lesson: flush\n")
        .file("notes.md", "---\ntitle: Notes\nupdated: 2026-01-01\n---\n\ntext\n\n* star\n* moon\n")
}

const PLACES: [&str; 15] = [
    "user",
    "user#work",
    "user#travel",
    "project",
    "facts/plain.md",
    "procedures/release.md",
    "2026-02",
    "notes.md",
    "fresh/one",
    "fresh/two",
    "user#new-section",
    "user#work/deeper",
    "archive/facts/user.md",
    "../outside",
    "nosuch#part",
];

const TEXTS: [&str; 22] = [
    "Prefers tabs",
    "Prefers spaces",
    "Said twice",
    "one",
    "Label: a value",
    "Uses Bun, mostly",
    "# no heading",
    "> no quote",
    "1. no number",
    "- a marker",
    "```",
    "<!-- mem id=evil -->",
    "*** ---",
    "[a]: b",
    "trailing \\",
    "`tick $HOME",
    "",
    "   ",
    "two\nlines",
    "\u{202e}bidi\u{7}",
    "喜欢用中文讨论",
    "a <!-- b",
];

fn bullet(rng: &mut Rng, tree: &Tree) -> String {
    let names: Vec<&String> = tree.keys().filter(|n| n.ends_with(".md")).collect();
    if names.is_empty() {
        return "user@1".into();
    }
    let name = rng.choice(names).unwrap();
    let document = memdir::document::Document::parse(String::from_utf8_lossy(&tree[name].0).into_owned());
    let count = document.bullets().len();
    match rng.usize(..12) {
        0 => format!("{name}@zzzz"),
        1 => "user@mem7".into(),
        2 => "@mem7".into(),
        3 => format!("{name}@{}", rng.usize(..6)),
        _ if count == 0 => format!("{name}@1"),
        _ => format!("{name}@{}", document.handle_name(rng.usize(..count))),
    }
}

fn text(rng: &mut Rng) -> String {
    match rng.usize(..40) {
        0 => "x".repeat(9000),
        1..=20 => format!("Fact {}", rng.usize(..1000)),
        _ => rng.choice(TEXTS).unwrap().to_owned(),
    }
}

/// One operation on what a tree holds.
pub fn operation(rng: &mut Rng, tree: &Tree) -> Value {
    let place = |rng: &mut Rng| {
        let places = if rng.usize(..3) == 0 { &PLACES[..] } else { &PLACES[..8] };
        rng.choice(places).unwrap().to_string()
    };
    let mut op = match rng.usize(..16) {
        0..=3 => json!({"op": "add", "at": place(rng), "text": text(rng)}),
        4..=6 => json!({"op": "update", "at": bullet(rng, tree), "text": text(rng)}),
        7 => {
            json!({"op": "update", "at": "user", "old": rng.choice(TEXTS).unwrap(), "text": rng.choice(TEXTS).unwrap()})
        }
        8 | 9 => json!({"op": "rm", "at": bullet(rng, tree)}),
        10 => json!({"op": "rm", "at": place(rng), "archive": rng.bool()}),
        11 if rng.bool() => json!({"op": "mv", "at": bullet(rng, tree), "to": place(rng)}),
        11 => json!({"op": "mv", "at": place(rng), "to": place(rng)}),
        12 => {
            let (key, value) = rng
                .choice([
                    ("imp", "7"),
                    ("pin", "true"),
                    ("exp", "2026-12-31"),
                    ("imp", ""),
                    ("id", "mem9"),
                    ("x", "a b"),
                ])
                .unwrap();
            json!({"op": "set", "at": bullet(rng, tree), "meta": {key: value}})
        }
        13 if rng.bool() => {
            let key = rng.choice(["summary", "title", "updated"]).unwrap();
            json!({"op": "set", "at": place(rng), "meta": {key: text(rng)}})
        }
        13 => json!({"op": "write", "at": place(rng), "text": format!("# W\n\n- {}\n", text(rng))}),
        14 => json!({"op": "patch", "at": place(rng), "pairs": [{"old": text(rng), "new": text(rng)}]}),
        _ => {
            json!({"op": "append", "at": place(rng), "title": text(rng), "text": format!("- Lesson: {}\n", text(rng))})
        }
    };
    let more = op.as_object_mut().unwrap();
    if rng.usize(..20) == 0 {
        more.insert("index".into(), json!(rng.usize(..7) as i64 - 1));
    }
    if rng.usize(..25) == 0 {
        more.insert("seen".into(), json!(rng.choice(["0123456789abcdef", "short", ""]).unwrap()));
    }
    if rng.usize(..20) == 0 {
        more.insert("if_match".into(), json!("0123456789abcdef"));
    }
    op
}

/// A batch as a caller hands it in: mostly a list of operations, sometimes nonsense.
pub fn batch(rng: &mut Rng, tree: &Tree) -> String {
    let mut all: Vec<Value> = (0..1 + rng.usize(..2) * rng.usize(..4)).map(|_| operation(rng, tree)).collect();
    if rng.usize(..15) == 0 {
        let at = rng.usize(..all.len());
        let wrong =
            [json!({"colour": "red"}), json!(7), json!({"op": "explode"}), json!({"op": "add", "at": 5}), Value::Null];
        if rng.bool() {
            all[at] = rng.choice(wrong).unwrap()
        } else {
            drop(all[at].as_object_mut().unwrap().insert("colour".into(), json!("red")))
        }
    }
    let text = match rng.usize(..4) {
        0 => json!({"operations": all, "reason": "fuzz"}).to_string(),
        1 => all.iter().map(|op| format!("{op}\n")).collect(),
        _ => Value::Array(all).to_string(),
    };
    match rng.usize(..40) {
        0 => text.chars().take(rng.usize(..text.len())).collect(),
        _ => text,
    }
}
