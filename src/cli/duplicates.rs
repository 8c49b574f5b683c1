//! `compact --duplicates`: its call and its answer as text.
//!
//! Never decides which bullets say the same: `commands/compact/duplicates.rs` does.

use super::compact::CompactArgs;
use super::output::CliReply;
use super::print_result::PrintResult;
use super::run::Runner;
use super::text::{Printer, TextStyle, change_result};
use crate::commands::compact::{DuplicatesOptions, remove_duplicates};
use crate::commands::results::{DuplicatesReport, WarningRow};
use crate::text::counted_noun::counted_noun;

/// Runs `compact --duplicates` with the configured model; without one, the pairs are listed.
pub fn run_duplicates(runner: &Runner<'_>, args: &CompactArgs) -> CliReply {
    let options = DuplicatesOptions { address: args.at.clone(), model_required: args.names_model() };
    runner.compact_with_model("reading", args, |session, change_options, model| {
        remove_duplicates(session, &options, change_options, model)
    })
}

impl PrintResult for DuplicatesReport {
    /// Prints each removed bullet with the one that stays, each pair that waits with a command, and the figures.
    fn print(&self, printer: &mut Printer) {
        if self.change.dry_run {
            change_result(printer, &self.change);
        }
        for row in &self.removed {
            let what = if row.new_text.is_some() { "merged" } else { "archived" };
            printer.styled(TextStyle::Dim, what).text(" ").text(&row.address).text(" ").text(&row.text).end_line();
            let text = row.new_text.as_ref().unwrap_or(&row.kept_text);
            printer.text("  ").styled(TextStyle::Dim, "kept").text(" ").text(&row.kept).text(" ").text(text).end_line();
            printer.text("  ").styled(TextStyle::Dim, &row.reason).end_line();
        }
        for pair in &self.waiting {
            printer.styled(TextStyle::Dim, "waiting").text(" ").text(&pair.a).text(" ").text(&pair.a_text).end_line();
            printer.text("        ").text(&pair.b).text(" ").text(&pair.b_text).end_line();
            let reason = format!("  {} ({:.0} % alike); to remove one: ", pair.reason, pair.similarity * 100.0);
            printer.styled(TextStyle::Dim, &reason).text(&pair.command).end_line();
        }
        if self.waiting_count > self.waiting.len() {
            let more = self.waiting_count - self.waiting.len();
            printer.note(&format!("{} not shown", counted_noun(more, "more pair")));
        }
        if let Some(reason) = self.stopped.as_ref().filter(|_| self.waiting_count > 0) {
            printer.note(&format!("not asked about all pairs: {reason}"));
        }
        if let (Some(model), Some(tokens)) = (&self.model, &self.tokens) {
            let asked =
                format!("{} asked about, {} of them different", counted_noun(self.asked, "pair"), self.different);
            printer.note(&format!("{asked}; {model}, {} tokens", tokens.input + tokens.output));
        }
        let rev = self.change.rev.as_ref().map_or(String::new(), |rev| format!("{rev}: "));
        let bullets = self.bullets - self.removed.len();
        printer.note(&format!(
            "{rev}{} removed, {} waiting; repeated: {} of {} ({}), now {} of {bullets} ({})",
            counted_noun(self.removed.len(), "duplicate"),
            counted_noun(self.waiting_count, "pair"),
            self.repeated_before,
            counted_noun(self.bullets, "bullet"),
            share(self.repeated_before, self.bullets),
            self.repeated_after,
            share(self.repeated_after, bullets),
        ));
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.change.warnings
    }

    fn has_changed(&self) -> bool {
        self.change.has_changed()
    }

    fn is_quiet(&self) -> bool {
        true
    }
}

fn share(part: usize, all: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64)
}
