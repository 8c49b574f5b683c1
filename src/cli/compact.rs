//! `compact`: its options, as clap reads them, and its answer as text.
//!
//! Never says what they do; `commands/compact.rs` does.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;

use super::args::HowArgs;
use super::meant::Content;
use super::model::ModelArgs;
use super::sanitize;
use super::text::{Page, changed};
use crate::commands::Failure;
use crate::commands::answer::Compacted;
use crate::commands::compact::CompactQuery;
use crate::operation::read;

#[derive(Args, Debug)]
#[command(
    about = "Bring what is over its limit back to it; what goes is kept below archive/",
    after_help = "Without an address: every place that is over a limit of the policy.\n\n\
                  Example: memdir compact user --to 40 -n"
)]
#[group(skip)]
pub struct CompactArgs {
    /// The file or section
    #[arg(value_name = "FILE[#SECTION]")]
    pub at: Option<String>,
    /// Down to N bullets (entries, in an episode file), whatever the policy says
    #[arg(long, value_name = "N", requires = "at", value_parser = at_least_one)]
    pub to: Option<usize>,
    /// Operations as JSON (- is stdin) that are made in the same batch: what they bring may go, too
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Ask nobody: the oldest go
    #[arg(long, help_heading = "Model")]
    pub by_age: bool,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub how: HowArgs,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "a number from 1".to_owned())
}

impl CompactArgs {
    /// What is asked for.
    pub fn query(&self, content: Content) -> Result<CompactQuery, Failure> {
        let batch = match &self.file {
            Some(file) => Some(read::batch(&content(Some(file))?)?),
            None => None,
        };
        Ok(CompactQuery { address: self.at.clone(), to: self.to, batch })
    }
}

/// The change, and what was decided where.
pub fn compacted(page: &mut Page, done: &Compacted, err: &mut String) {
    if done.places.is_empty() && done.change.files.is_empty() && done.change.warnings.is_empty() {
        err.push_str("memdir: nothing is over its limit\n");
        return;
    }
    let mut none = String::new();
    changed(page, &done.change, &mut none);
    for place in &done.places {
        err.push_str("memdir: ");
        sanitize::line(err, &place.address, page.style.terminal);
        err.push_str(": ");
        sanitize::line(err, &place.told, page.style.terminal);
        err.push('\n');
    }
    if let (Some(model), Some(tokens)) = (&done.model, &done.tokens) {
        err.push_str("memdir: ");
        sanitize::line(err, model, page.style.terminal);
        let _ = writeln!(err, ", {} tokens", tokens.input + tokens.output);
    }
}
