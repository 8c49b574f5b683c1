//! `checkpoint`: its options as clap parses them, and its answers as text.
//!
//! Never decides what may be saved: `commands/checkpoint.rs` does.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::args::{etag_prefix, seconds};
use super::open::SessionNeeds;
use super::output::{CliReply, OutputLayout};
use super::print_result::PrintResult;
use super::run::{Runner, read_content};
use super::sanitize;
use super::text::{Printer, TextStyle, format_size};
use crate::code::{Code, Rejection};
use crate::commands::checkpoint;
use crate::commands::results::{CheckpointChange, CheckpointList, CheckpointOutcome, CheckpointRow, CheckpointText};
use crate::commands::{CommandResult, Error, Session};

#[derive(Args, Debug)]
#[command(
    about = "Save, load, list or remove the state of an agent, as JSON under a key",
    after_help = "save reads JSON (16 MiB at most) from stdin unless -F names a file, and load prints the same bytes. A \
                  checkpoint is no memory: no search, context, export, sync or undo knows it. A caller with an \
                  allowlist uses only keys that start with its name and '/'.\n\n\
                  Example: memdir checkpoint save ana/thread-7 -F state.json"
)]
#[group(skip)]
pub struct CheckpointArgs {
    /// save, load, list or rm
    #[arg(value_name = "ACTION", hide_possible_values = true)]
    pub action: CheckpointAction,
    /// The key, 1 to 200 bytes: user and thread, by convention
    #[arg(value_name = "KEY")]
    pub key: Option<String>,
    /// - for stdin, which is the default
    #[arg(value_name = "-")]
    pub content: Option<String>,
    /// Read the JSON from a file (- for stdin)
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Only replace or remove the checkpoint if it still has this etag (8 or more hex digits)
    #[arg(long, value_name = "ETAG", value_parser = etag_prefix)]
    pub if_match: Option<String>,
    /// Seconds to wait for another writer (default 10)
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub lock_timeout: Option<Duration>,
}

/// The actions of `checkpoint`, with the aliases by which they may be named.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointAction {
    Save,
    #[value(alias = "get")]
    Load,
    #[value(alias = "ls")]
    List,
    #[value(alias = "remove")]
    Rm,
}

impl CheckpointArgs {
    /// Whether it may change a checkpoint.
    pub fn may_change(&self) -> bool {
        matches!(self.action, CheckpointAction::Save | CheckpointAction::Rm)
    }
}

/// Runs an action; a missing key, or an argument that the action does not take, is a `usage` error.
pub fn run_checkpoint(runner: &Runner<'_>, args: &CheckpointArgs) -> CliReply {
    let usage = |reason: &str| Error::from(Rejection::new(Code::Usage, reason));
    let wrong = match (args.action, &args.key) {
        (CheckpointAction::List, Some(_)) => Some("list takes no key"),
        (CheckpointAction::Save | CheckpointAction::Load | CheckpointAction::Rm, None) => {
            Some("the key of the checkpoint is missing")
        }
        _ if args.action != CheckpointAction::Save && (args.file.is_some() || args.content.is_some()) => {
            Some("only save takes content")
        }
        _ if args.content.as_deref().is_some_and(|word| word != "-") => {
            Some("the content comes from stdin or, with -F, from a file")
        }
        _ if !args.may_change() && args.if_match.is_some() => Some("--if-match is for save and rm"),
        _ => None,
    };
    if let Some(reason) = wrong {
        return usage(reason).into();
    }
    let (key, if_match) = (args.key.as_deref().unwrap_or_default(), args.if_match.as_deref());
    match args.action {
        CheckpointAction::List => runner.read_only(checkpoint::list_checkpoints),
        CheckpointAction::Load => runner.read_only(|s| checkpoint::load_checkpoint(s, key)),
        CheckpointAction::Rm => change(runner, args, |s| checkpoint::remove_checkpoint(s, key, if_match)),
        CheckpointAction::Save => match read_content(args.file.as_deref()) {
            Ok(state) => change(runner, args, |s| checkpoint::save_checkpoint(s, key, &state, if_match)),
            Err(rejection) => rejection.into(),
        },
    }
}

fn change(
    runner: &Runner<'_>,
    args: &CheckpointArgs,
    use_case: impl FnOnce(&Session) -> CommandResult<CheckpointChange>,
) -> CliReply {
    runner.in_session(SessionNeeds::All, args.lock_timeout, OutputLayout::Plain, use_case)
}

impl PrintResult for CheckpointList {
    /// Prints key, size, age and etag of each.
    fn print(&self, printer: &mut Printer) {
        if self.checkpoints.is_empty() && self.damaged.is_empty() {
            return printer.note("no checkpoints; `memdir checkpoint save KEY` saves one");
        }
        self.checkpoints.iter().for_each(|row| print_row(printer, row));
        for path in &self.damaged {
            printer.note(&format!(
                "{path} is a checkpoint that another program damaged; save its key again, or remove it"
            ));
        }
    }
}

fn print_row(printer: &mut Printer, row: &CheckpointRow) {
    printer.text(&row.key);
    if row.damaged {
        printer.styled(TextStyle::Dim, "  damaged").end_line();
        return;
    }
    let (size, age) = (format_size(row.bytes), format_age(row.age_seconds.unwrap_or(0)));
    printer.styled(TextStyle::Dim, &format!("  {size}, {age}, etag {}", row.etag)).end_line();
}

/// `now`, `5min`, `3h`, `12d`: the largest whole unit.
fn format_age(seconds: i64) -> String {
    match seconds {
        ..60 => "now".to_owned(),
        60..3600 => format!("{}min", seconds / 60),
        3600..86400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

impl PrintResult for CheckpointText {
    /// Prints the exact text, escaped only for a terminal.
    fn print(&self, printer: &mut Printer) {
        if printer.format.terminal {
            sanitize::escape_lines(&mut printer.out, &self.text, true)
        } else {
            printer.out.push_str(&self.text)
        }
        if printer.format.verbose {
            let CheckpointRow { key, bytes, etag, .. } = &self.checkpoint;
            printer.note(&format!("{key} {bytes} bytes, etag {etag}"));
        }
    }
}

impl PrintResult for CheckpointChange {
    fn print(&self, printer: &mut Printer) {
        let outcome = match self.outcome {
            CheckpointOutcome::Saved => "saved ",
            CheckpointOutcome::Removed => "removed ",
        };
        printer.styled(TextStyle::Dim, outcome);
        print_row(printer, &self.checkpoint);
        for item in &self.pruned {
            printer.styled(TextStyle::Dim, "pruned ").text(&item.address);
            printer.styled(TextStyle::Dim, &format!("  {}", item.reason)).end_line();
        }
    }

    fn has_changed(&self) -> bool {
        true
    }

    fn is_quiet(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_printed_in_its_largest_whole_unit() {
        let ages = [-5, 59, 60, 3599, 3600, 86_399, 86_400, 864_000].map(format_age);
        assert_eq!(ages, ["now", "now", "1min", "59min", "1h", "23h", "1d", "10d"]);
    }
}
