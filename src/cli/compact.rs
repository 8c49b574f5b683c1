//! `compact`: its options as clap parses them, and its answer as text.
//!
//! Never decides what is archived: `commands/compact.rs` does.

use std::path::PathBuf;

use clap::Args;

use super::args::FileCreationArgs;
use super::model::ModelArgs;
use super::output::CliReply;
use super::print_result::PrintResult;
use super::run::{Runner, read_content};
use super::text::{Printer, change_result};
use super::to_operation::ContentReader;
use crate::commands::Error;
use crate::commands::compact::{CompactOptions, compact_within_budget};
use crate::commands::results::{CompactReport, WarningRow};
use crate::operation::dialects;

#[derive(Args, Debug)]
#[command(
    about = "Reduce what exceeds its limit; removed items are moved to archive/",
    after_help = "Without an address, everything that exceeds a limit of the policy is reduced. A model is asked for 120 seconds \
                  at most; then the oldest items go.\n\n\
                  With --duplicates, bullets of facts that say the same are united: equal texts at once, similar ones as \
                  the model says, at most 50 pairs a day. Without a model the pairs are listed.\n\n\
                  `memdir compact episodes --older '3 months'` replaces old months by an entry each in episodes/YEAR.md; \
                  the months move to archive/, at most 12 in one run.\n\n\
                  Example: memdir compact user --to 40 -n"
)]
#[group(skip)]
pub struct CompactArgs {
    /// The file or section
    #[arg(value_name = "FILE[#SECTION]")]
    pub at: Option<String>,
    /// Reduce to N bullets (entries, in an episode file), regardless of the policy
    #[arg(long, value_name = "N", requires = "at", allow_negative_numbers = true, value_parser = at_least_one)]
    pub to: Option<usize>,
    /// Also apply these operations, as JSON (- for stdin), in the same batch; what they add may be archived, too
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Replace each month or week of episodes that ended before this by one entry that a model writes: 2026-01-01,
    /// '3 months'; without a model, list them
    #[arg(long, value_name = "AGE", requires = "at", conflicts_with_all = ["to", "file", "by_age", "duplicates"])]
    pub older: Option<String>,
    /// Split months of episodes into weeks, by the days of the entries; links to them follow. No model is called
    #[arg(long, requires = "at", conflicts_with_all = ["to", "file", "duplicates", "older"])]
    pub by_week: bool,
    /// Remove bullets that say the same as another one; without a model, list them
    #[arg(long, conflicts_with_all = ["to", "file", "by_age"])]
    pub duplicates: bool,
    /// Call no model: archive the oldest
    #[arg(long, help_heading = "Model options")]
    pub by_age: bool,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub change_args: FileCreationArgs,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "expected a number of 1 or more".to_owned())
}

/// Runs `compact`; without a model, or with `--by-age`, the oldest items are archived.
pub fn run_compact(runner: &Runner<'_>, args: &CompactArgs) -> CliReply {
    let options = match args.to_options(&read_content) {
        Ok(options) => options,
        Err(error) => return error.into(),
    };
    runner.compact_with_model("compacting", args, |session, change_options, model| {
        let progress = |task: &str| session.progress.begin(task);
        compact_within_budget(session, &options, change_options, model, &progress)
    })
}

impl CompactArgs {
    /// Converts the arguments, and the operations of `-F`, to the command's options.
    pub fn to_options(&self, content: ContentReader) -> Result<CompactOptions, Error> {
        let batch = match &self.file {
            Some(file) => Some(dialects::parse_batch(&content(Some(file))?)?),
            None => None,
        };
        Ok(CompactOptions { address: self.at.clone(), to: self.to, batch, model_required: self.names_model() })
    }

    /// Whether its own options name the model, which then must answer.
    pub fn names_model(&self) -> bool {
        !self.by_age && (self.model.provider.is_some() || self.model.model.is_some())
    }
}

impl PrintResult for CompactReport {
    /// Prints the change, and the decision for each file or section.
    fn print(&self, printer: &mut Printer) {
        if self.places.is_empty() && self.change.files.is_empty() && self.change.warnings.is_empty() {
            return printer.note("nothing is over its limit");
        }
        change_result(printer, &self.change);
        for place in &self.places {
            printer.note(&format!("{}: {}", place.address, place.sentence));
        }
        if let (Some(model), Some(tokens)) = (&self.model, &self.tokens) {
            printer.note(&format!("{model}, {} tokens", tokens.input + tokens.output));
        }
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.change.warnings
    }

    fn has_all_warnings(&self) -> bool {
        true
    }

    fn has_changed(&self) -> bool {
        self.change.has_changed()
    }

    fn is_quiet(&self) -> bool {
        true
    }
}
