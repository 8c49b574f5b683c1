//! Removes one leading list marker from texts before clap parses them, so that `add user "- Prefers tabs"` works.
//!
//! Never changes the value of an option, and never reads the memory: only the arguments decide. A recognised text gets
//! a NUL in front, which no argument can contain; so clap takes it for a positional although it may start with `-`, and
//! [`text_value`] removes the NUL.

use std::ffi::{OsStr, OsString};

use super::grammar::{WordReader, WordRole, strip_list_marker};

const MARK: char = '\0';

/// Prepares the arguments (without the program's name) for clap.
pub fn prepare(args: Vec<OsString>) -> Vec<OsString> {
    let mut reader = WordReader::new();
    let prepare_word = |arg: OsString| {
        let role = reader.read(&arg.to_string_lossy());
        let Some(word) = arg.to_str() else {
            return arg;
        };
        match (role, strip_list_marker(word)) {
            (WordRole::OptionValue(option), Some(_)) if option.value.is_text() => add_mark(word),
            (WordRole::Positional(value), Some(text)) if value.is_text() => add_mark(text),
            _ => arg,
        }
    };
    expand_help(args).into_iter().map(prepare_word).collect()
}

/// Rewrites `memdir help add` to `memdir add --help`.
fn expand_help(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.first().is_some_and(|a| a == "help") {
        args.remove(0);
        args.push("--help".into());
    }
    args
}

fn add_mark(text: &str) -> OsString {
    let mut out = String::with_capacity(text.len() + 1);
    out.push(MARK);
    out.push_str(text);
    out.into()
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
        check(&["add", "user", "    - tabs"], &["add", "user", "\0tabs"]);
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
        check(&["append", "-t", "- a"], &["append", "-t", "\0- a"]);
        check(&["add", "user", "--tag", "- a"], &["add", "user", "--tag", "- a"]);
        assert_eq!(text_value("\0- why").unwrap(), "- why");
    }

    #[test]
    fn flags_and_other_commands_are_unchanged() {
        check(&["add", "user", "-n", "-"], &["add", "user", "-n", "-"]);
        check(&["read", "- a"], &["read", "- a"]);
        check(&["log", "add", "- a"], &["log", "add", "- a"]);
        check(&["help", "add"], &["add", "--help"]);
    }
}
