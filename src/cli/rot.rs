//! `check --rot DIR`: its answer as text, on one screen.

use std::path::Path;

use super::answer::PrintAnswer;
use super::output::{CliReply, OutputLayout};
use super::text::{Printer, TextStyle, count};
use crate::code::Code;
use crate::commands::answer::{RotReport, RotStop, WarningRow};
use crate::commands::check_rot;
use crate::text::byte_size::format_size;

/// Runs `check --rot`, which needs no data directory.
pub fn run_rot(dir: &Path) -> CliReply {
    CliReply::of(check_rot(dir).map_err(Into::into), Vec::new(), OutputLayout::Plain)
}

impl PrintAnswer for RotReport {
    /// Prints each number with its examples below it.
    fn print(&self, printer: &mut Printer) {
        let size = format!(
            "{}, {}, {}",
            count(self.files, "file"),
            count(self.bullets, "bullet"),
            format_size(self.bytes as u64)
        );
        printer.styled(TextStyle::Heading, &self.dir).text(&format!(": {size}")).end_line();
        if self.unreadable > 0 {
            printer.note(&format!("{} could not be read", count(self.unreadable, "file")));
        }
        if let Some(RotStop { what, limit, entries }) = &self.stopped {
            let line = format!("stopped at {limit} {what}, after {entries} names; the rest was not checked");
            printer.text(&line).end_line();
        }
        for row in &self.counts {
            printer.text(&format!("{:>5}  {}", row.count, row.what)).end_line();
            for example in &row.examples {
                printer.text("       ").styled(TextStyle::Dim, example).end_line();
            }
        }
    }

    fn warnings(&self) -> &[WarningRow] {
        &[]
    }

    fn attention(&self) -> Option<Code> {
        self.has_findings().then_some(Code::Findings)
    }
}
