//! Parses the plainest command lines of the commands that are run most without clap, because building its options takes
//! longer than the command itself on a small memory.
//!
//! Never accepts what the grammar refuses, and never understands a line otherwise than it does: anything unusual is
//! left to clap.

use std::ffi::OsString;

use super::args::{FileChangeArgs, GlobalArgs};
use super::bullet::{BulletArgs, BulletCommand};
use super::change_args::{AddArgs, UpdateArgs};
use super::grammar::{CommandGrammar, WordReader, WordRole, strip_list_marker};
use super::list_and_read::{ListArgs, ReadArgs};
use super::query_args::QueryArgs;
use super::subcommands::CliCommand;

/// The words of a command line that has only global options with a value, `--json` and `-L`, and those of `update` that
/// name a bullet by its number.
struct PlainLine {
    global: GlobalArgs,
    command: &'static CommandGrammar,
    positionals: Vec<String>,
    limit: Option<usize>,
    index: Option<i64>,
    force: bool,
}

/// Parses `[-C DIR] [--dir DIR] [-S NAME] [--as NAME] [--json]` with `query WORDS… [-L N]`, `list [ADDRESS] [-L N]`,
/// `read ADDRESS`, `[bullet] add ADDRESS TEXT…` or `[bullet] update ADDRESS [OLD] TEXT
/// [--index N] [--force]`. Returns the options, the command and its path;
/// `None` for anything else, which clap then parses.
pub fn parse(args: &[OsString]) -> Option<(GlobalArgs, CliCommand, &'static [&'static str])> {
    let line = PlainLine::read(args)?;
    let PlainLine { global, command, mut positionals, limit, index, force } = line;
    let parsed = match (command.path, limit, positionals.len()) {
        (["query"], _, 1..) if positionals.iter().all(|word| word != "-") => {
            CliCommand::Query(QueryArgs { words: positionals, limit, ..QueryArgs::default() })
        }
        (["list"], _, 0 | 1) => CliCommand::List(ListArgs { address: positionals.pop(), blame: false, limit }),
        (["read"], None, 1) => CliCommand::Read(ReadArgs { address: positionals.pop()? }),
        (["add"], None, 2..) => CliCommand::Add(add_args(positionals)),
        (["bullet", "add"], None, 2..) => {
            CliCommand::Bullet(BulletArgs { command: BulletCommand::Add(add_args(positionals)) })
        }
        (["update"], None, 2 | 3) => CliCommand::Update(update_args(positionals, index, force)),
        (["bullet", "update"], None, 2 | 3) => {
            let args = update_args(positionals, index, force);
            CliCommand::Bullet(BulletArgs { command: BulletCommand::Update(args) })
        }
        _ => return None,
    };
    Some((global, parsed, command.path))
}

fn add_args(mut positionals: Vec<String>) -> AddArgs {
    let at = positionals.remove(0);
    AddArgs { at, texts: positionals, ..AddArgs::default() }
}

fn update_args(mut positionals: Vec<String>, index: Option<i64>, force: bool) -> UpdateArgs {
    let at = positionals.remove(0);
    let change_args = FileChangeArgs { force, ..FileChangeArgs::default() };
    UpdateArgs { at, texts: positionals, index, change_args, ..UpdateArgs::default() }
}

impl PlainLine {
    fn read(args: &[OsString]) -> Option<PlainLine> {
        let (mut global, mut positionals, mut limit) = (GlobalArgs::default(), Vec::new(), None);
        let (mut index, mut force) = (None, false);
        let mut reader = WordReader::new();
        for arg in args {
            let word = arg.to_str()?;
            let is_name = !word.is_empty() && !word.starts_with('-');
            match reader.read(word) {
                WordRole::Subcommand => {}
                WordRole::OptionValue(option) => match option.long {
                    "" if option.short == Some('C') && is_name => global.start.push(word.into()),
                    "dir" if global.dir.is_none() && is_name => global.dir = Some(word.into()),
                    "scope" if global.scope.is_none() && is_name => global.scope = Some(word.to_owned()),
                    "as" if global.actor.is_none() && is_name => global.actor = Some(word.to_owned()),
                    "limit" if limit.is_none() => limit = Some(word.parse().ok()?),
                    "index" if index.is_none() && is_name => index = Some(word.parse().ok()?),
                    _ => return None,
                },
                WordRole::Options => match word {
                    "--json" if !global.json => global.json = true,
                    "--force" if !force && matches!(reader.command.path, [.., "update"]) => force = true,
                    // Only where the command has it, and then its value is the next word.
                    "-C" | "--dir" | "-S" | "--scope" | "--as" | "-L" | "--limit" | "--index"
                        if reader.expects_value() => {}
                    _ => return None,
                },
                WordRole::Positional(kind) => {
                    let text = strip_list_marker(word).filter(|_| kind.is_text());
                    positionals.push(text.unwrap_or(word).to_owned());
                }
                WordRole::DoubleDash => return None,
            }
        }
        (!reader.expects_value()).then_some(PlainLine {
            global,
            command: reader.command,
            positionals,
            limit,
            index,
            force,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cli::{args, argv};

    fn from_grammar(words: &[&str]) -> Option<String> {
        let words = argv::prepare(words.iter().map(OsString::from).collect());
        let all = std::iter::once(OsString::from("memdir")).chain(words);
        let (global, command) = args::from_matches(&args::command().try_get_matches_from(all).ok()?).ok()?;
        Some(format!("{global:?} {:?}", command?))
    }

    fn without_clap(words: &[&str]) -> Option<String> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        parse(&words).map(|(global, command, _)| format!("{global:?} {command:?}"))
    }

    fn words(line: &str) -> Vec<&str> {
        line.split(' ').collect()
    }

    #[test]
    fn a_plain_line_parses_as_the_grammar_does() {
        for line in [
            "query tabs",
            "query when did we fix it",
            "-C mem query tabs and spaces",
            "-C a -C b query c",
            "--dir mem --json find tabs -L 5",
            "-S web query tabs",
            "query --scope web tabs -L 2",
            "--json search help -L 5 tabs",
            "grep query add -L 0",
            "query tabs -L +5",
            "list",
            "ls --json",
            "list user#work -L 5",
            "-C a list --dir b user",
            "read user",
            "--as claude read facts/user.md@acvh --json",
            "read list",
            "add user tabs",
            "remember user tabs spaces --as me",
            "bullet add user tabs",
            "add user -",
            "--dir mem bullet add facts/user.md one two",
            "update user@acvh tabs",
            "replace user tabs spaces --as me",
            "bullet update facts/user.md --force --index 3 tabs",
            "--dir mem update user --index 3 tabs --json",
            "update user --force tabs spaces",
        ] {
            let plain = without_clap(&words(line));
            assert!(plain.is_some(), "{line}");
            assert_eq!(plain, from_grammar(&words(line)), "{line}");
        }
        for line in [&["add", "user", "- tabs", "* - b", ""][..], &["bullet", "add", "user", "+ a"], &["list", ""]] {
            let plain = without_clap(line);
            assert!(plain.is_some(), "{line:?}");
            assert_eq!(plain, from_grammar(line), "{line:?}");
        }
    }

    #[test]
    fn anything_else_is_left_to_the_grammar() {
        for line in [
            "query",
            "query -",
            "query a --tag x",
            "query a -b 9",
            "query -L 5",
            "query a -L x",
            "query a -L",
            "-q query a",
            "query a -L 1 -L 2",
            "-S a -S b query c",
            "-S -x query c",
            "-C",
            "-C a",
            "--dir a --dir b query c",
            "-C -g query a",
            "query a --",
            "query -- a",
            "query - a",
            "--json --json query a",
            "-C query a",
            "list a b",
            "list -L",
            "list --blame",
            "-L 5 list",
            "read",
            "read a b",
            "read a -L 5",
            "read -x",
            "add",
            "add user",
            "add user -n tabs",
            "add user tabs --tag x",
            "add user tabs -L 5",
            "add -L 5 user tabs",
            "add user -- -n",
            "bullet",
            "bullet add user",
            "bullet list user",
            "help add",
            "add user tabs --json --json",
            "add user tabs -",
            "--as -x read a",
            "lost user tabs",
            "add --help",
            "update",
            "update user",
            "update user a b c",
            "update user --index -1 tabs",
            "update user --index x tabs",
            "update user --index 1 --index 2 tabs",
            "update user --force --force tabs",
            "update user -f tabs",
            "update user --old tabs spaces",
            "update user tabs -L 5",
            "add user tabs --force",
            "add user tabs --index 3",
            "bullet del user --index 3",
            "--force update user a b",
        ] {
            let plain = without_clap(&words(line));
            let is_same = plain.is_some() && plain == from_grammar(&words(line));
            assert!(plain.is_none() || is_same && line.ends_with(" -"), "{line}: {plain:?}");
        }
    }

    proptest! {
        #[test]
        fn no_line_is_understood_otherwise_than_by_the_grammar(
            line in proptest::collection::vec(
                prop_oneof![
                    3 => proptest::sample::select(vec!["query", "list", "ls", "read", "cat", "add", "bullet", "remember", "update", "replace"]),
                    2 => proptest::sample::select(vec!["user", "tabs", "- a", "+ b", "-", "", "5", "x=y", "über", "#a", "+5"]),
                    2 => proptest::sample::select(vec!["-C", "--dir", "-S", "--scope", "--as", "-L", "--limit", "--json", "--index", "--force"]),
                    1 => proptest::sample::select(vec!["-n", "--", "-L5", "--dir=a", "-Ca", "-q", "--tag", "-h", "-", "help"]),
                ],
                0..7,
            ),
        ) {
            if let Some(plain) = without_clap(&line) {
                prop_assert_eq!(Some(plain), from_grammar(&line), "{:?}", line);
            }
        }
    }
}
