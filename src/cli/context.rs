//! `context`: its options as clap parses them, and what is recorded once the answer is printed.
//!
//! Never reads the memory itself.

use clap::{Args, ValueEnum};

use super::args::{GlobalArgs, whole_number};
use super::open::{self, SessionNeeds};
use super::output::{CliReply, OutputFormat};
use crate::commands::usage::ResultUse;
use crate::commands::{self, ContextRequest, ContextStyle};

#[derive(Args, Debug)]
#[command(
    about = "Print what an agent needs when a session starts: news, pinned and important items, other facts, the files, the newest entries",
    after_help = "With --as NAME (or MEMDIR_AS), it starts with what has changed since the last call of that reader, and \
                  records this call in .memdir/ once the answer is printed; with -n it does not. The first call has \
                  no news.\n\nExample: memdir context --as claude -b 1000"
)]
#[group(skip)]
pub struct ContextArgs {
    /// default; index: only the list of files; records: the ten newest items
    #[arg(long, value_name = "STYLE", default_value = "default", hide_default_value = true)]
    pub style: ContextStyleArg,
    /// Print at most N tokens (default 2000, at least 320), and the commands that show what is left out
    #[arg(short = 'b', long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    pub budget: Option<usize>,
    /// What rarely changes first and the news last, so that prompt caches hold
    #[arg(long)]
    pub stable: bool,
    /// Do not record the news as seen: the next call shows them again
    #[arg(short = 'n', long)]
    pub peek: bool,
}

/// The layout of a context.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[value(rename_all = "lower")]
pub enum ContextStyleArg {
    Default,
    Index,
    Records,
}

/// Whether the caller has an explicit name. Only such a name has a mark: several agents may share the name that is
/// guessed from the system or git, and news shown to one of them would be missed by the others.
pub fn has_reader_name(global: &GlobalArgs) -> bool {
    let is_not_blank = |name: &String| name.chars().any(|c| !c.is_control() && !c.is_whitespace());
    global.actor.as_ref().is_some_and(is_not_blank) || open::env("MEMDIR_AS").as_ref().is_some_and(is_not_blank)
}

/// Runs `context`. The reader's mark moves only after the answer was printed, so that no news are lost.
pub fn run_context(global: &GlobalArgs, args: &ContextArgs) -> CliReply {
    let session = match open::open_session(global, SessionNeeds::LocalDay, None) {
        Ok(session) => session,
        Err(rejection) => return rejection.into(),
    };
    let query = ContextRequest {
        style: match args.style {
            ContextStyleArg::Default => ContextStyle::Default,
            ContextStyleArg::Index => ContextStyle::Index,
            ContextStyleArg::Records => ContextStyle::Records,
        },
        budget: args.budget,
        reader: has_reader_name(global).then(|| session.actor.clone()),
        command_prefix: OutputFormat::new(global).dir_option,
        for_tools: false,
        stable: args.stable,
        path_rules_follow: false,
        directory: None,
    };
    let warnings = session.policy.warnings.clone();
    match commands::context(&session, &query) {
        Ok((result, mark)) => {
            let (peek, used) = (args.peek, ResultUse::of_context(&result));
            let record = move || {
                if !peek {
                    mark.iter().for_each(|mark| mark.save(&session.store));
                    used.record(&session);
                }
            };
            CliReply::ResultThen(result.into(), warnings, Box::new(record))
        }
        Err(error) => CliReply::Result(Box::new(Err(error)), warnings, super::output::OutputLayout::Plain),
    }
}
