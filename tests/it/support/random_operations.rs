//! Random operations on a small memory, sensible and senseless ones mixed; the same seed gives the same ones.
//!
//! Never judges what they lead to.

use serde_json::{Value, json};

use crate::support::{Memory, Tree};

/// A small generator of numbers (xorshift): a failing seed can be run again.
pub struct Dice(u64);

impl Dice {
    /// Dice that fall the same way for the same seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    /// One of several.
    pub fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// True once in `n` times.
    pub fn rarely(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

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

fn bullet(dice: &mut Dice, tree: &Tree) -> String {
    let names: Vec<&String> = tree.keys().filter(|n| n.ends_with(".md")).collect();
    if names.is_empty() {
        return "user@1".into();
    }
    let name = dice.one(&names);
    let document = memdir::document::Document::parse(String::from_utf8_lossy(&tree[name].0).into_owned());
    let count = document.bullets().len();
    match dice.below(12) {
        0 => format!("{name}@zzzz"),
        1 => "user@mem7".into(),
        2 => "@mem7".into(),
        3 => format!("{name}@{}", dice.below(6)),
        _ if count == 0 => format!("{name}@1"),
        _ => format!("{name}@{}", document.handle_name(dice.below(count))),
    }
}

fn text(dice: &mut Dice) -> String {
    match dice.below(40) {
        0 => "x".repeat(9000),
        1..=20 => format!("Fact {}", dice.below(1000)),
        _ => dice.one(&TEXTS).to_owned(),
    }
}

/// One operation on what a tree holds.
pub fn operation(dice: &mut Dice, tree: &Tree) -> Value {
    let place = |dice: &mut Dice| if dice.rarely(3) { dice.one(&PLACES) } else { dice.one(&PLACES[..8]) }.to_owned();
    let mut op = match dice.below(16) {
        0..=3 => json!({"op": "add", "at": place(dice), "text": text(dice)}),
        4..=6 => json!({"op": "update", "at": bullet(dice, tree), "text": text(dice)}),
        7 => json!({"op": "update", "at": "user", "old": dice.one(&TEXTS), "text": dice.one(&TEXTS)}),
        8 | 9 => json!({"op": "rm", "at": bullet(dice, tree)}),
        10 => json!({"op": "rm", "at": place(dice), "archive": dice.rarely(2)}),
        11 if dice.rarely(2) => json!({"op": "mv", "at": bullet(dice, tree), "to": place(dice)}),
        11 => json!({"op": "mv", "at": place(dice), "to": place(dice)}),
        12 => {
            let (key, value) = dice.one(&[
                ("imp", "7"),
                ("pin", "true"),
                ("exp", "2026-12-31"),
                ("imp", ""),
                ("id", "mem9"),
                ("x", "a b"),
            ]);
            json!({"op": "set", "at": bullet(dice, tree), "meta": {key: value}})
        }
        13 if dice.rarely(2) => {
            let key = dice.one(&["summary", "title", "updated"]);
            json!({"op": "set", "at": place(dice), "meta": {key: text(dice)}})
        }
        13 => json!({"op": "write", "at": place(dice), "text": format!("# W\n\n- {}\n", text(dice))}),
        14 => json!({"op": "patch", "at": place(dice), "pairs": [{"old": text(dice), "new": text(dice)}]}),
        _ => {
            json!({"op": "append", "at": place(dice), "title": text(dice), "text": format!("- Lesson: {}\n", text(dice))})
        }
    };
    let more = op.as_object_mut().unwrap();
    if dice.rarely(20) {
        more.insert("index".into(), json!(dice.below(7) as i64 - 1));
    }
    if dice.rarely(25) {
        more.insert("seen".into(), json!(dice.one(&["0123456789abcdef", "short", ""])));
    }
    if dice.rarely(20) {
        more.insert("if_match".into(), json!("0123456789abcdef"));
    }
    op
}

/// A batch as a caller hands it in: mostly a list of operations, sometimes nonsense.
pub fn batch(dice: &mut Dice, tree: &Tree) -> String {
    let mut all: Vec<Value> = (0..1 + dice.below(2) * dice.below(4)).map(|_| operation(dice, tree)).collect();
    if dice.rarely(15) {
        let at = dice.below(all.len());
        let wrong =
            [json!({"colour": "red"}), json!(7), json!({"op": "explode"}), json!({"op": "add", "at": 5}), Value::Null];
        match dice.rarely(2) {
            true => all[at] = dice.one(&wrong),
            false => drop(all[at].as_object_mut().unwrap().insert("colour".into(), json!("red"))),
        }
    }
    let text = match dice.below(4) {
        0 => json!({"operations": all, "reason": "fuzz"}).to_string(),
        1 => all.iter().map(|op| format!("{op}\n")).collect(),
        _ => Value::Array(all).to_string(),
    };
    match dice.rarely(40) {
        true => text.chars().take(dice.below(text.len())).collect(),
        false => text,
    }
}
