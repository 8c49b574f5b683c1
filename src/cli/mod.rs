//! The command line: parses arguments, runs a use case of `commands` and prints its result.
//!
//! Never implements a use case, and never ends the process: it returns an exit status.

mod args;
mod argv;
mod bullet;
mod change_args;
mod checkpoint;
mod compact;
mod complete;
mod context;
mod digests;
mod duplicates;
mod embed;
mod generate;
mod git;
mod git_args;
mod github;
mod grammar;
mod print_result;
#[rustfmt::skip]
mod grammar_table;
mod history;
mod hook;
mod hyperlinks;
mod import_args;
mod json;
mod list_and_read;
mod manual;
mod mcp_args;
mod merge_commands;
mod model;
mod open;
mod output;
mod pager;
mod plain_args;
mod progress;
mod prune;
mod query_args;
mod query_text;
mod reflect;
mod roff_text;
mod rot;
mod run;
mod run_reflect;
mod sanitize;
mod scope;
mod state;
mod stats;
mod subcommands;
mod text;
mod to_operation;
mod tool;

use std::ffi::OsString;

use args::GlobalArgs;
use clap::error::ErrorKind;
use grammar::CommandGrammar;
use output::{CliReply, OutputFormat};

use crate::code::{Code, Rejection, SuggestedCommand};
use crate::commands;
use crate::host::agent_hosts::EMPTY_ENVELOPE;

/// What `--version` prints, as clap would print it.
const VERSION: &str = concat!("memdir ", env!("CARGO_PKG_VERSION"), "\n");

/// Runs one command line (without the program's name) and returns the exit status (ARCHITECTURE.md, "Output and exit
/// codes").
pub fn run(args: Vec<OsString>) -> u8 {
    let json = argv::wants_json(&args);
    if let [only] = &args[..]
        && (only == "--version" || only == "-V")
    {
        return output::print_reply(CliReply::Text(VERSION.to_owned()), &OutputFormat::default());
    }
    if let Some((global, command, path)) = plain_args::parse(&args) {
        return run_command(&global, command, path);
    }
    let called = grammar::WordReader::command_of(&args);
    let path = called.path;
    let option_before_dash = grammar::WordReader::option_before_dash(&args);
    let words = std::iter::once(OsString::from("memdir")).chain(argv::prepare(args));
    let status = match args::command().try_get_matches_from(words).and_then(|matches| args::from_matches(&matches)) {
        Ok((global, Some(command))) => run_command(&global, command, path),
        Ok((global, None)) => {
            output::print_reply(CliReply::Text(subcommands::HELP.into()), &OutputFormat::new(&global))
        }
        Err(error) => {
            let may_change = subcommands::always_may_change(path);
            let format = OutputFormat { json, may_change, ..OutputFormat::default() };
            let status = output::print_reply(clap_reply(&error, called, option_before_dash), &format);
            // git reads a merge driver's exit status 1 to 128 as "merged with conflicts", so a usage error needs a
            // higher one.
            if path == ["merge-driver"] && status != 0 { commands::merge::EXIT_NOT_DONE } else { status }
        }
    };
    // Hosts read a hook's exit status 2 as an order to stop, whatever went wrong.
    if path == ["hook"] && status != 0 {
        output::print_reply(CliReply::Hook(EMPTY_ENVELOPE.to_owned(), None, Box::new(|_| {})), &OutputFormat::default())
    } else {
        status
    }
}

/// Runs a parsed command and prints its result. A usage error without a hint names the help of the command.
fn run_command(global: &GlobalArgs, command: subcommands::CliCommand, path: &[&'static str]) -> u8 {
    let mut format = OutputFormat { may_change: command.may_change(), ..OutputFormat::new(global) };
    format.json |= command.prints_json();
    if format.terminal && !format.json && !global.no_pager && command.may_be_long() {
        format.pager = crate::host::pager::configured_pager(&open::env);
    }
    let mut reply = match open::enter_start(global) {
        Ok(()) => subcommands::run(global, command),
        Err(rejection) => rejection.into(),
    };
    if let CliReply::Result(result, ..) = &mut reply
        && let Err(error) = &mut **result
        && let [rejection] = &mut error.rejections[..]
        && rejection.code == Code::Usage
        && rejection.hint.is_none()
        && rejection.suggestions.is_empty()
    {
        rejection.suggestions.push(help_hint(path));
    }
    output::print_reply(reply, &format)
}

/// The command that prints the help of the command with this path.
fn help_hint(path: &[&'static str]) -> SuggestedCommand {
    SuggestedCommand { subcommand: path.iter().copied().chain(["--help"]).collect(), operands: Vec::new() }
}

/// Converts a clap error: help and version are printed as answers, anything else is a usage error.
fn clap_reply(error: &clap::Error, called: &CommandGrammar, option_before_dash: Option<String>) -> CliReply {
    let rejection = || usage_rejection(&error.to_string(), called);
    match (error.kind(), option_before_dash) {
        (ErrorKind::DisplayHelp | ErrorKind::DisplayVersion, _) => CliReply::Text(error.to_string()),
        (ErrorKind::UnknownArgument, Some(option)) => {
            let hint = format!("a value that starts with '-' stands in one word with its option: {option}=VALUE");
            rejection().hint(hint).into()
        }
        _ => rejection().into(),
    }
}

/// Converts clap's error text: its first paragraph is the message, its tips are the hint, and the help of the called
/// command is the command to try.
fn usage_rejection(text: &str, called: &CommandGrammar) -> Rejection {
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
    let sentence = first.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let mut rejection = Rejection::new(Code::Usage, sentence.trim_end_matches('.'));
    for paragraph in paragraphs {
        if let Some(tip) = paragraph.trim().strip_prefix("tip: ") {
            // clap's own tip names only the start of the text, and `rm` would read an address after `--`.
            rejection = if tip.starts_with("to pass '") && called.takes_text() {
                rejection.hint("a text that starts with '-' needs a list marker, in one word: '- -5 degrees'")
            } else {
                rejection.hint(tip.lines().map(str::trim).collect::<Vec<_>>().join(" "))
            };
        }
    }
    rejection.try_command(help_hint(called.path))
}

/// The whole grammar with all subcommands and options built, for tests and generators.
pub fn grammar() -> clap::Command {
    let mut command = args::command();
    command.build();
    command
}

/// The committed completion scripts and manual pages: `(path, text)`, the path from the root of the repository.
pub fn generated_files() -> Vec<(String, String)> {
    generate::generated_files()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_valid_and_the_top_level_help_is_short_and_names_every_command() {
        let mut command = args::command();
        command.build();
        command.debug_assert();
        assert!(subcommands::HELP.lines().count() <= 25, "{}", subcommands::HELP.lines().count());
        assert!(subcommands::HELP.lines().all(|l| l.chars().count() <= 100));
        for command in subcommands::ALL.iter().filter(|command| !command.hidden) {
            assert!(
                subcommands::HELP.split(|c: char| !c.is_alphanumeric()).any(|w| w == command.name),
                "{}",
                command.name
            );
        }
    }

    #[test]
    fn the_version_is_that_of_the_grammar() {
        let error = args::command().try_get_matches_from(["memdir", "--version"]).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::DisplayVersion, VERSION));
    }

    #[test]
    fn every_command_has_one_example() {
        let mut command = args::command();
        command.build();
        let mut all: Vec<clap::Command> = command.get_subcommands().cloned().collect();
        all.extend(command.find_subcommand("bullet").unwrap().get_subcommands().cloned());
        for mut command in all.into_iter().filter(|c| c.get_name() != "help") {
            let help = command.render_help().to_string();
            assert_eq!(help.matches("Example: ").count(), 1, "{help}");
        }
    }

    /// The usage error of a command line, and the command to try.
    fn usage_error(line: &str) -> (Rejection, String) {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let called = grammar::WordReader::command_of(&words);
        let words = std::iter::once(OsString::from("memdir")).chain(argv::prepare(words));
        let error = args::command().try_get_matches_from(words).unwrap_err();
        let rejection = usage_rejection(&error.to_string(), called);
        let command = rejection.suggestions[0].to_shell("").unwrap();
        (rejection, command)
    }

    #[test]
    fn clap_errors_are_converted() {
        let (rejection, _) = usage_error("add user x --reson y");
        assert_eq!(rejection.message, "unexpected argument '--reson' found");
        assert!(rejection.hint.unwrap().contains("--reason"));
    }

    #[test]
    fn a_usage_error_names_the_help_of_its_command() {
        for (line, hint) in [
            ("add user x --reson y", "memdir add --help"),
            ("list -L x", "memdir list --help"),
            ("-C dir ls -L", "memdir list --help"),
            ("read", "memdir read --help"),
            ("bullet", "memdir bullet --help"),
            ("bullet rm --index x", "memdir bullet del --help"),
            ("lost", "memdir --help"),
        ] {
            assert_eq!(usage_error(line).1, hint, "{line}");
        }
    }

    #[test]
    fn only_some_commands_may_change_something() {
        let may_change = |line: &str| {
            let words = std::iter::once("memdir").chain(line.split(' '));
            let matches = args::command().try_get_matches_from(words).unwrap();
            args::from_matches(&matches).unwrap().1.unwrap().may_change()
        };
        for line in ["add user x", "bullet add user x", "check --fix", "inbox p1 --accept", "setup git", "sync", "undo"]
        {
            assert!(may_change(line), "{line}");
        }
        for line in
            ["list", "bullet list user", "check", "inbox", "setup git --check", "merge a b c", "diff", "schema query"]
        {
            assert!(!may_change(line), "{line}");
        }
        assert!(subcommands::always_may_change(&["bullet", "add"]) && subcommands::always_may_change(&["add"]));
        assert!(!subcommands::always_may_change(&["check"]) && !subcommands::always_may_change(&["bullet", "list"]));
    }
}
