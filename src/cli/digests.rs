//! `compact --older`: its call and its answer as text.
//!
//! Never decides what a digest says: `commands/compact/digests.rs` does.

use super::compact::CompactArgs;
use super::output::CliReply;
use super::print_result::PrintResult;
use super::run::Runner;
use super::text::{Printer, TextStyle, effects, file_heading};
use crate::code::Code;
use crate::commands::compact::{DigestOptions, digest_episodes};
use crate::commands::results::{DigestReport, WarningRow};
use crate::text::counted_noun::counted_noun;

/// Runs `compact --older` with the configured model; without one, the old files are listed.
pub fn run_digests(runner: &Runner<'_>, args: &CompactArgs) -> CliReply {
    let options = DigestOptions {
        address: args.at.clone().unwrap_or_default(),
        older: args.older.clone().unwrap_or_default(),
        model_required: args.names_model(),
    };
    runner.compact_with_model("reading", args, |session, change_options, model| {
        digest_episodes(session, &options, change_options, model)
    })
}

impl PrintResult for DigestReport {
    /// Prints the changes, and each file that stays with the reason.
    fn print(&self, printer: &mut Printer) {
        if self.dry_run {
            printer.styled(TextStyle::Dim, "dry run, nothing written").end_line();
        }
        for file in &self.files {
            file_heading(printer, file, None);
            effects(printer, &file.effects);
        }
        for row in self.digests.iter().filter(|row| row.digest.is_none()) {
            let reason = row.reason.as_ref().or(self.stopped.as_ref()).map_or("", String::as_str);
            printer.styled(TextStyle::Dim, "waiting").text(" ").text(&row.file);
            let entries = counted_noun(row.entries, "entry");
            printer.text(&format!(" ({entries}): {reason}")).end_line();
        }
        if let Some(error) = &self.partial {
            printer.note(&format!("stopped: {error}"));
        }
        if let (Some(model), Some(tokens)) = (&self.model, &self.tokens) {
            printer.note(&format!("{model}, {} tokens", tokens.input + tokens.output));
        }
        let done = self.digests.iter().filter(|row| row.digest.is_some()).count();
        printer.note(&format!("{} digested, {} waiting", counted_noun(done, "old file"), self.digests.len() - done));
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.warnings
    }

    fn attention(&self) -> Option<Code> {
        self.partial.is_some().then_some(Code::Partial)
    }

    fn has_changed(&self) -> bool {
        self.changed && !self.dry_run
    }

    fn is_quiet(&self) -> bool {
        true
    }
}
