//! Removes one leading list marker from texts before clap parses them, so that `add user "- Prefers tabs"` works.
//!
//! Never changes the value of an option, and never reads the memory: only the arguments decide. A recognised text gets
//! a NUL in front, which no argument can contain; so clap takes it for a positional although it may start with `-`, and
//! [`text_value`] removes the NUL.

use std::ffi::{OsStr, OsString};

/// Options with a value, of the commands that take texts. A test compares them with the grammar.
const LONG_OPTIONS: [&str; 14] = [
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
/// Options whose value is a text.
const LONG_TEXT_OPTIONS: [&str; 1] = ["old"];
const SHORT_OPTIONS: [char; 3] = ['C', 'm', 'F'];

const MARK: char = '\0';

/// What the next word is, given the words before it.
#[derive(Clone, Copy, PartialEq)]
enum ExpectedWord {
    /// A subcommand.
    Command,
    /// `add`, `del` or `update` after `bullet`.
    BulletCommand,
    /// A positional of a command that takes texts; the number counts those before it.
    Text(usize),
    /// A word that needs no preparation.
    Other,
}

/// Prepares the arguments (without the program's name) for clap.
pub fn prepare(args: Vec<OsString>) -> Vec<OsString> {
    let args = expand_help(args);
    let mut expected = ExpectedWord::Command;
    let mut out = Vec::with_capacity(args.len());
    let mut is_value = false;
    let mut after_double_dash = false;
    for arg in args {
        let Some(word) = arg.to_str() else {
            is_value = false;
            expected = expected.next("");
            out.push(arg);
            continue;
        };
        if std::mem::take(&mut is_value) {
            out.push(if strip_list_marker(word).is_some() { add_mark(word) } else { arg });
        } else if !after_double_dash && word == "--" {
            after_double_dash = true;
            out.push(arg);
        } else if let (ExpectedWord::Text(_), Some(text)) = (expected, strip_list_marker(word)) {
            expected = expected.next(word);
            out.push(add_mark(text));
        } else if !after_double_dash && word.len() > 1 && word.starts_with('-') {
            is_value = takes_next_word(word);
            out.push(arg);
        } else {
            expected = expected.next(word);
            out.push(arg);
        }
    }
    out
}

impl ExpectedWord {
    fn next(self, word: &str) -> ExpectedWord {
        match (self, word) {
            (ExpectedWord::Command, "bullet") => ExpectedWord::BulletCommand,
            (ExpectedWord::Command, "add" | "update" | "rm" | "remove" | "delete" | "del") => ExpectedWord::Text(0),
            (ExpectedWord::BulletCommand, "add" | "del" | "update" | "rm") => ExpectedWord::Text(0),
            (ExpectedWord::Text(n), _) => ExpectedWord::Text(n + 1),
            _ => ExpectedWord::Other,
        }
    }
}

/// Rewrites `memdir help add` to `memdir add --help`.
fn expand_help(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.first().is_some_and(|a| a == "help") {
        args.remove(0);
        args.push("--help".into());
    }
    args
}

/// The text after a list marker. `-n` and `--` are not list markers: a marker is followed by a space or a tab.
fn strip_list_marker(word: &str) -> Option<&str> {
    let rest = word.strip_prefix(['-', '*', '+'])?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start_matches([' ', '\t']))
}

fn add_mark(text: &str) -> OsString {
    let mut out = String::with_capacity(text.len() + 1);
    out.push(MARK);
    out.push_str(text);
    out.into()
}

/// Whether the value of this option is the next word (not `--name=value` or `-Fvalue`).
fn takes_next_word(word: &str) -> bool {
    if let Some(long) = word.strip_prefix("--") {
        return LONG_OPTIONS.contains(&long) || LONG_TEXT_OPTIONS.contains(&long);
    }
    let with_value = word.char_indices().skip(1).find(|(_, c)| SHORT_OPTIONS.contains(c));
    with_value.is_some_and(|(i, c)| i + c.len_utf8() == word.len())
}

/// Parses a text argument: removes the NUL that [`prepare`] added.
pub fn text_value(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.strip_prefix(MARK).unwrap_or(text).to_owned())
}

/// A positional of `rm`: an address, or the text of a bullet if it has a list marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RmOperand {
    /// An address, as typed.
    Address(String),
    /// A text that had a list marker.
    Text(String),
}

/// Parses a positional of `rm`.
pub fn rm_operand(text: &str) -> Result<RmOperand, std::convert::Infallible> {
    Ok(match text.strip_prefix(MARK) {
        Some(text) => RmOperand::Text(text.to_owned()),
        None => RmOperand::Address(text.to_owned()),
    })
}

/// Whether the raw arguments contain `--json`: used for errors that occur before they are parsed.
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
    fn one_list_marker_is_removed_from_a_text() {
        check(&["add", "user", "- tabs"], &["add", "user", "\0tabs"]);
        check(&["add", "user", "* - tabs", "+ -n"], &["add", "user", "\0- tabs", "\0-n"]);
        check(&["-C", "add", "add", "user", "- a"], &["-C", "add", "add", "user", "\0a"]);
        check(&["update", "user", "- a", "- b"], &["update", "user", "\0a", "\0b"]);
        check(&["bullet", "del", "user", "- a"], &["bullet", "del", "user", "\0a"]);
        check(&["add", "user", "--", "- a", "-n"], &["add", "user", "--", "\0a", "-n"]);
    }

    #[test]
    fn the_value_of_an_option_keeps_its_marker() {
        check(&["add", "user", "-m", "- why", "- a"], &["add", "user", "-m", "\0- why", "\0a"]);
        check(&["add", "user", "-nm", "- why"], &["add", "user", "-nm", "\0- why"]);
        check(&["bullet", "update", "u", "--old", "- a", "b"], &["bullet", "update", "u", "--old", "\0- a", "b"]);
        assert_eq!(text_value("\0- why").unwrap(), "- why");
    }

    #[test]
    fn flags_and_other_commands_are_unchanged() {
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
                assert!(LONG_OPTIONS.contains(&long) || LONG_TEXT_OPTIONS.contains(&long), "--{long} of {command}");
                assert!(
                    arg.get_short().is_none_or(|s| SHORT_OPTIONS.contains(&s)),
                    "-{:?} of {command}",
                    arg.get_short()
                );
            }
        }
    }
}
