//! `embed`: its options as clap parses them, and its answer as text.
//!
//! Never decides which texts are sent: `commands/embed.rs` does.

use std::time::Duration;

use clap::Args;

use super::print_result::PrintResult;
use super::text::Printer;
use crate::commands::results::{EmbedResult, WarningRow};
use crate::text::counted_noun::counted_noun;

/// The longest wait for further changes, in seconds.
const MAX_SETTLE_S: u64 = 60;

#[derive(Args, Debug)]
#[command(
    about = "Compute the embeddings that are missing, and delete those of removed texts",
    after_help = "A change and the start of a session do it in the background. Only memories that the user config names \
                  under find.embeddings have embeddings.\n\nExample: memdir embed"
)]
#[group(skip)]
pub struct EmbedArgs {
    /// Wait N seconds for further changes first
    #[arg(long, value_name = "N", hide = true, value_parser = clap::value_parser!(u64).range(..=MAX_SETTLE_S))]
    pub settle: Option<u64>,
}

impl EmbedArgs {
    pub fn settle_time(&self) -> Duration {
        Duration::from_secs(self.settle.unwrap_or(0))
    }
}

impl PrintResult for EmbedResult {
    fn print(&self, printer: &mut Printer) {
        if self.busy {
            printer.note("another process is computing embeddings; run `memdir embed` again to check that it finished");
            return;
        }
        let missing = if self.missing > 0 { format!(", {} still missing", self.missing) } else { String::new() };
        let full = match self.without_space {
            0 => String::new(),
            texts => format!(", {texts} without one because the table is full"),
        };
        let EmbedResult { vectors, made, dropped, model, .. } = self;
        let count = counted_noun(*vectors, "embedding");
        printer.text(&format!("{count} by {model}: {made} new, {dropped} dropped{missing}{full}")).end_line();
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.warnings
    }
}
