//! The command line: one door to the commands.
//!
//! Never does what a command does, and never ends the process: it answers an exit status.

mod args;
mod argv;
mod asked;
mod changes;
mod compact;
mod complete;
mod context;
mod format;
mod found;
mod generate;
mod git;
mod hints;
mod history;
mod json;
mod meant;
mod model;
mod open;
mod output;
mod reflect;
mod run;
mod sanitize;
mod state;
mod team;
mod text;
mod verbs;

use std::ffi::OsString;

use clap::error::ErrorKind;
use output::{Reply, Style};

use crate::code::{Code, Hint, Rejection};
use crate::commands;

/// Runs one command line (without the program's name) and answers the exit status (DESIGN 5).
pub fn run(args: Vec<OsString>) -> u8 {
    let json = argv::wants_json(&args);
    // git takes 1 to 128 for conflicts in a text that was merged.
    let driver = args.first().is_some_and(|verb| verb == "merge-driver");
    let said = match asked::plain(&args) {
        Some((global, asked)) => Ok((global, Some(verbs::Said::Query(asked)))),
        None => {
            let words = std::iter::once(OsString::from("memdir")).chain(argv::prepare(args));
            args::command().try_get_matches_from(words).and_then(|matches| args::read(&matches))
        }
    };
    match said {
        Ok((global, Some(said))) => output::finish(run::run(&global, said), &Style::new(&global)),
        Ok((global, None)) => output::finish(Reply::Plain(args::HELP.into()), &Style::new(&global)),
        Err(error) => {
            let status = output::finish(misread(&error), &Style { json, ..Style::default() });
            if driver && status != 0 { commands::merge::NOT_DONE } else { status }
        }
    }
}

/// What clap has to say: help is an answer, anything else a refusal.
fn misread(error: &clap::Error) -> Reply {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Reply::Plain(error.to_string()),
        _ => refusal(&error.to_string()).into(),
    }
}

/// Clap's words in our form: its first paragraph, its tips as the hint, the verb's help as the command to try.
fn refusal(said: &str) -> Rejection {
    let mut paragraphs = said.split("\n\n");
    let first = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
    let sentence = first.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let mut rejection = Rejection::new(Code::Usage, sentence.trim_end_matches('.'));
    for paragraph in paragraphs {
        if let Some(tip) = paragraph.trim().strip_prefix("tip: ") {
            rejection = rejection.hint(tip.lines().map(str::trim).collect::<Vec<_>>().join(" "));
        }
    }
    let usage = said.split("Usage: memdir ").nth(1).unwrap_or_default();
    let is_verb = |w: &&str| verbs::ALL.iter().chain(verbs::BULLET).any(|v| v.name == *w);
    let verb: Vec<String> = usage.split_whitespace().take_while(is_verb).map(str::to_owned).collect();
    rejection.try_(Hint { verb: if verb.is_empty() { vec!["--help"] } else { vec!["help"] }, address: verb })
}

/// The whole grammar, built: for whoever must look at every verb and option.
pub fn grammar() -> clap::Command {
    let mut command = args::command();
    command.build();
    command
}

/// Completion scripts and manual pages, as they are committed: `(path, text)` from the root of the repository.
pub fn generated() -> Vec<(String, String)> {
    generate::all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_sound_and_the_first_help_is_short_and_names_every_verb() {
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
    fn every_verb_has_one_example() {
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
    fn claps_errors_are_told_in_our_form() {
        let said = args::command().try_get_matches_from(["memdir", "add", "user", "x", "--reson", "y"]).unwrap_err();
        let refused = refusal(&said.to_string());
        assert_eq!(refused.message, "unexpected argument '--reson' found");
        assert!(refused.hint.unwrap().contains("--reason"));
        assert_eq!(hints::spell(&refused.hints[0], "").unwrap(), "memdir help add");
    }
}
