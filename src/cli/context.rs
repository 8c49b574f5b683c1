//! `context`: its options as clap reads them, and what is noted once the answer is out.
//!
//! Never looks at a memory itself.

use clap::{Args, ValueEnum};

use super::args::Global;
use super::open::{self, Need};
use super::output::{Reply, Style};
use crate::commands::{self, ContextQuery, ContextStyle};

#[derive(Args, Debug)]
#[command(
    about = "What a session should see first: news, what is pinned and important, the files, the newest entries",
    after_help = "With --as NAME (or MEMDIR_AS) it begins with what has changed since that reader looked last, and \
                  notes in .memdir/ that it was told, once the answer is out; -n does not. The first time there is no \
                  news.\n\nExample: memdir context --as claude -b 1000"
)]
#[group(skip)]
pub struct ContextArgs {
    /// default; index: the files alone; records: all items by date, newest first
    #[arg(long, value_name = "STYLE", default_value = "default", hide_default_value = true)]
    pub style: Said,
    /// At most so many tokens (2000), 320 or more; what is left out is told, with the command to see it
    #[arg(short = 'b', long, value_name = "N")]
    pub budget: Option<usize>,
    /// Leave the reader's mark where it is: the same news are told again
    #[arg(short = 'n', long)]
    pub peek: bool,
}

/// How a context is laid out.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[value(rename_all = "lower")]
pub enum Said {
    Default,
    Index,
    Records,
}

/// The context; the mark moves once it is written.
pub fn context(global: &Global, args: &ContextArgs) -> Reply {
    let session = match open::session(global, Need::Texts, None) {
        Ok(session) => session,
        Err(rejection) => return rejection.into(),
    };
    let said = |name: &String| name.chars().any(|c| !c.is_control() && !c.is_whitespace());
    let named = global.actor.as_ref().is_some_and(said) || open::env("MEMDIR_AS").as_ref().is_some_and(said);
    let query = ContextQuery {
        style: match args.style {
            Said::Default => ContextStyle::Default,
            Said::Index => ContextStyle::Index,
            Said::Records => ContextStyle::Records,
        },
        budget: args.budget,
        // A host's or git's name is a guess: what one session was told, another of that name would miss.
        reader: named.then(|| session.actor.clone()),
        before: Style::new(global).before,
    };
    let warnings = session.policy.warnings.clone();
    match commands::context(&session, &query) {
        Ok((answer, mark)) => {
            let mark = mark.filter(|_| !args.peek);
            Reply::Then(Box::new(answer), warnings, Box::new(move || mark.iter().for_each(|m| m.keep(&session.store))))
        }
        Err(failure) => Reply::Told(Box::new(Err(failure)), warnings, super::output::Layout::Plain),
    }
}
