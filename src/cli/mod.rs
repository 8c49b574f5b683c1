//! The command line: parses arguments, runs a use case of `commands` and prints its answer.
//!
//! Never implements a use case, and never ends the process: it returns an exit status.

mod args;
mod argv;
mod change_args;
mod compact;
mod complete;
mod context;
mod generate;
mod git;
mod git_args;
mod hints;
mod history;
mod json;
mod manual;
mod model;
mod open;
mod output;
mod query_args;
mod reflect;
mod results;
mod run;
mod sanitize;
mod state;
mod text;
mod to_operation;
mod verbs;

use std::ffi::OsString;

use clap::error::ErrorKind;
use output::{CliReply, OutputFormat};

use crate::code::{Code, Hint, Rejection};
use crate::commands;

/// Runs one command line (without the program's name) and returns the exit status (ARCHITECTURE.md, "Output and exit
/// codes").
pub fn run(args: Vec<OsString>) -> u8 {
    let json = argv::wants_json(&args);
    // git reads a merge driver's exit status 1 to 128 as "merged with conflicts", so a usage error needs a higher one.
    let is_merge_driver = args.first().is_some_and(|verb| verb == "merge-driver");
    let parsed = match query_args::simple_query(&args) {
        Some((global, args)) => Ok((global, Some(verbs::CliCommand::Query(args)))),
        None => {
            let words = std::iter::once(OsString::from("memdir")).chain(argv::prepare(args));
            args::command().try_get_matches_from(words).and_then(|matches| args::from_matches(&matches))
        }
    };
    match parsed {
        Ok((global, Some(command))) => output::print_reply(run::run(&global, command), &OutputFormat::new(&global)),
        Ok((global, None)) => output::print_reply(CliReply::Text(args::HELP.into()), &OutputFormat::new(&global)),
        Err(error) => {
            let status = output::print_reply(clap_reply(&error), &OutputFormat { json, ..OutputFormat::default() });
            if is_merge_driver && status != 0 { commands::merge::EXIT_NOT_DONE } else { status }
        }
    }
}

/// Converts a clap error: help and version are printed as answers, anything else is a usage error.
fn clap_reply(error: &clap::Error) -> CliReply {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => CliReply::Text(error.to_string()),
        _ => usage_rejection(&error.to_string()).into(),
    }
}

/// Converts clap's error text: its first paragraph is the message, its tips are the hint, and the help of the
/// subcommand in its usage line is the command to try.
fn usage_rejection(text: &str) -> Rejection {
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
    let sentence = first.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let mut rejection = Rejection::new(Code::Usage, sentence.trim_end_matches('.'));
    for paragraph in paragraphs {
        if let Some(tip) = paragraph.trim().strip_prefix("tip: ") {
            rejection = rejection.hint(tip.lines().map(str::trim).collect::<Vec<_>>().join(" "));
        }
    }
    let usage = text.split("Usage: memdir ").nth(1).unwrap_or_default();
    let is_subcommand = |w: &&str| verbs::ALL.iter().chain(verbs::BULLET).any(|v| v.name == *w);
    let subcommand: Vec<String> = usage.split_whitespace().take_while(is_subcommand).map(str::to_owned).collect();
    rejection.try_command(Hint {
        verb: if subcommand.is_empty() { vec!["--help"] } else { vec!["help"] },
        operands: subcommand,
    })
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
        assert!(args::HELP.lines().count() <= 25, "{}", args::HELP.lines().count());
        assert!(args::HELP.lines().all(|l| l.chars().count() <= 100));
        for verb in verbs::ALL.iter().filter(|v| !v.hidden) {
            assert!(args::HELP.split(|c: char| !c.is_alphanumeric()).any(|w| w == verb.name), "{}", verb.name);
        }
    }

    #[test]
    fn every_command_has_one_example() {
        let mut command = args::command();
        command.build();
        let mut all: Vec<clap::Command> = command.get_subcommands().cloned().collect();
        all.extend(command.find_subcommand("bullet").unwrap().get_subcommands().cloned());
        for mut verb in all.into_iter().filter(|c| c.get_name() != "help") {
            let help = verb.render_help().to_string();
            assert_eq!(help.matches("Example: ").count(), 1, "{help}");
        }
    }

    #[test]
    fn clap_errors_are_converted() {
        let error = args::command().try_get_matches_from(["memdir", "add", "user", "x", "--reson", "y"]).unwrap_err();
        let refused = usage_rejection(&error.to_string());
        assert_eq!(refused.message, "unexpected argument '--reson' found");
        assert!(refused.hint.unwrap().contains("--reason"));
        assert_eq!(hints::to_command(&refused.hints[0], "").unwrap(), "memdir help add");
    }
}
