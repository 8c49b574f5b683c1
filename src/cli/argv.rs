//! Takes one leading list marker off texts before clap sees them, so that `add user "- Prefers tabs"` just works.
//!
//! Never touches the value of an option, and never guesses: it looks at words, not at a memory. A text that it
//! recognised is marked with a NUL in front, which no argument can hold; clap then takes whatever follows for a
//! positional, and [`text`] removes the mark.

use std::ffi::{OsStr, OsString};

/// Options with a value that verbs with texts take. A test compares them with the grammar.
const LONG: [&str; 14] = [
    "dir",
    "as",
    "color",
    "reason",
    "source",
    "if-match",
    "lock-timeout",
    "file",
    "tag",
    "imp",
    "exp",
    "conf",
    "id",
    "index",
];
const LONG_TEXT: [&str; 1] = ["old"];
const SHORT: [char; 3] = ['C', 'm', 'F'];

const MARK: char = '\0';

/// What the words before it say about the next one.
#[derive(Clone, Copy, PartialEq)]
enum Due {
    /// A verb.
    Verb,
    /// `add`, `del` or `update` after `bullet`.
    Bullet,
    /// A positional of a verb with texts; the number counts those seen.
    Text(usize),
    /// Nothing of ours.
    Other,
}

/// The arguments (without the program's name) as clap should see them.
pub fn prepare(args: Vec<OsString>) -> Vec<OsString> {
    let args = help(args);
    let mut due = Due::Verb;
    let mut out = Vec::with_capacity(args.len());
    let mut value = false;
    let mut plain = false;
    for arg in args {
        let Some(word) = arg.to_str() else {
            value = false;
            due = due.next("");
            out.push(arg);
            continue;
        };
        if std::mem::take(&mut value) {
            out.push(if marker(word).is_some() { marked(word) } else { arg });
        } else if !plain && word == "--" {
            plain = true;
            out.push(arg);
        } else if let (Due::Text(_), Some(rest)) = (due, marker(word)) {
            due = due.next(word);
            out.push(marked(rest));
        } else if !plain && word.len() > 1 && word.starts_with('-') {
            value = wants_value(word);
            out.push(arg);
        } else {
            due = due.next(word);
            out.push(arg);
        }
    }
    out
}

impl Due {
    fn next(self, word: &str) -> Due {
        match (self, word) {
            (Due::Verb, "bullet") => Due::Bullet,
            (Due::Verb, "add" | "update" | "rm" | "remove" | "delete" | "del") => Due::Text(0),
            (Due::Bullet, "add" | "del" | "update" | "rm") => Due::Text(0),
            (Due::Text(n), _) => Due::Text(n + 1),
            _ => Due::Other,
        }
    }
}

/// `memdir help add` is `memdir add --help`.
fn help(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.first().is_some_and(|a| a == "help") {
        args.remove(0);
        args.push("--help".into());
    }
    args
}

/// The text behind a list marker. `-n` and `--` are none: a marker has a blank after it.
fn marker(word: &str) -> Option<&str> {
    let rest = word.strip_prefix(['-', '*', '+'])?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start_matches([' ', '\t']))
}

fn marked(text: &str) -> OsString {
    let mut out = String::with_capacity(text.len() + 1);
    out.push(MARK);
    out.push_str(text);
    out.into()
}

/// Whether an option word leaves its value to the next word.
fn wants_value(word: &str) -> bool {
    if let Some(long) = word.strip_prefix("--") {
        return LONG.contains(&long) || LONG_TEXT.contains(&long);
    }
    let at = word.char_indices().skip(1).find(|(_, c)| SHORT.contains(c));
    at.is_some_and(|(i, c)| i + c.len_utf8() == word.len())
}

/// Reads a text argument: takes the mark off.
pub fn plain(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.strip_prefix(MARK).unwrap_or(text).to_owned())
}

/// A positional of `rm`: an address, or (it came with a list marker) a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// As it was typed.
    Plain(String),
    /// It had a list marker.
    Item(String),
}

/// Reads a positional that may be an address or a marked text.
pub fn word(text: &str) -> Result<Word, std::convert::Infallible> {
    Ok(match text.strip_prefix(MARK) {
        Some(text) => Word::Item(text.to_owned()),
        None => Word::Plain(text.to_owned()),
    })
}

/// Whether the caller asked for JSON, looked up in the raw words: for errors before there is a grammar.
pub fn wants_json(args: &[OsString]) -> bool {
    args.iter().take_while(|a| *a != OsStr::new("--")).any(|a| a == "--json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &[&str], seen: &[&str]) {
        let out = prepare(line.iter().map(Into::into).collect());
        assert_eq!(out, seen.iter().map(OsString::from).collect::<Vec<_>>(), "{line:?}");
    }

    #[test]
    fn one_list_marker_comes_off_a_text() {
        check(&["add", "user", "- tabs"], &["add", "user", "\0tabs"]);
        check(&["add", "user", "* - tabs", "+ -n"], &["add", "user", "\0- tabs", "\0-n"]);
        check(&["-C", "add", "add", "user", "- a"], &["-C", "add", "add", "user", "\0a"]);
        check(&["update", "user", "- a", "- b"], &["update", "user", "\0a", "\0b"]);
        check(&["bullet", "del", "user", "- a"], &["bullet", "del", "user", "\0a"]);
        check(&["add", "user", "--", "- a", "-n"], &["add", "user", "--", "\0a", "-n"]);
    }

    #[test]
    fn what_belongs_to_an_option_keeps_its_marker() {
        check(&["add", "user", "-m", "- why", "- a"], &["add", "user", "-m", "\0- why", "\0a"]);
        check(&["add", "user", "-nm", "- why"], &["add", "user", "-nm", "\0- why"]);
        check(&["bullet", "update", "u", "--old", "- a", "b"], &["bullet", "update", "u", "--old", "\0- a", "b"]);
        assert_eq!(plain("\0- why").unwrap(), "- why");
    }

    #[test]
    fn flags_and_other_verbs_are_left_alone() {
        check(&["add", "user", "-n", "-"], &["add", "user", "-n", "-"]);
        check(&["read", "- a"], &["read", "- a"]);
        check(&["log", "add", "- a"], &["log", "add", "- a"]);
        check(&["help", "add"], &["add", "--help"]);
    }

    #[test]
    fn the_lists_of_options_are_the_grammars() {
        let mut command = crate::cli::args::command();
        command.build();
        let mut texts: Vec<&clap::Command> =
            ["add", "update", "rm"].map(|v| command.find_subcommand(v).unwrap()).into();
        let bullet = command.find_subcommand("bullet").unwrap();
        texts.extend(["add", "update", "del"].map(|v| bullet.find_subcommand(v).unwrap()));
        for command in texts {
            for arg in command.get_arguments().filter(|a| !a.is_positional() && a.get_action().takes_values()) {
                let long = arg.get_long().unwrap();
                assert!(LONG.contains(&long) || LONG_TEXT.contains(&long), "--{long} of {command}");
                assert!(arg.get_short().is_none_or(|s| SHORT.contains(&s)), "-{:?} of {command}", arg.get_short());
            }
        }
    }
}
