//! `status` and `check`: their options as clap parses them, and their answers as text.
//!
//! Never prints memory text unescaped.

use std::path::PathBuf;

use clap::Args;

use super::answer::PrintAnswer;
use super::args::ChangeArgs;
use super::text::{Printer, TextStyle, change_result, file_count, format_size, guard_figures};
use crate::code::{Code, Hint};
use crate::commands::answer::{AnchorRow, ChangeResult, CheckReport, StatusReport, WarningRow};

#[derive(Args, Debug)]
#[command(
    about = "Show the state of the memory: unrecorded edits, conflicts, pending proposals",
    after_help = "Example: memdir status --json"
)]
#[group(skip)]
pub struct StatusArgs {}

#[derive(Args, Debug)]
#[command(
    about = "Check the structure of files; exit 6 if there are findings",
    after_help = "Example: memdir check --fix -n"
)]
#[group(skip)]
pub struct CheckArgs {
    /// Only these files
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Only findings that are new since this git commit; paths are relative to the working directory
    #[arg(long, value_name = "COMMIT")]
    pub since: Option<String>,
    /// Also check facts and episodes against the writing rules
    #[arg(long)]
    pub writing: bool,
    /// Only compare the code that anchors name with their hashes; --since selects code files, --fix follows moved lines
    #[arg(long, conflicts_with_all = ["writing", "strict", "against"])]
    pub anchors: bool,
    /// Count contradictions as findings; without it they are notes
    #[arg(long)]
    pub strict: bool,
    /// Also report facts that contradict these files outside the memory, such as CLAUDE.md,AGENTS.md
    #[arg(long, value_name = "FILE[,FILE]", value_delimiter = ',')]
    pub against: Vec<PathBuf>,
    /// Fix what needs no decision
    #[arg(long)]
    pub fix: bool,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

impl PrintAnswer for StatusReport {
    /// Prints the state of the memory, and the commands to try.
    fn print(&self, printer: &mut Printer) {
        printer.styled(TextStyle::Heading, &self.dir);
        printer
            .text(&format!(": {}, {}, as {}", file_count(self.files), format_size(self.bytes), self.actor))
            .end_line();
        match (&self.rev, &self.since) {
            (Some(rev), Some(since)) => printer.text(&format!("last change {rev}, history since {since}")).end_line(),
            (Some(rev), None) => printer.text(&format!("last change {rev}")).end_line(),
            _ => printer.text("no history on this machine yet").end_line(),
        }
        for path in &self.outside {
            printer.text("not yet recorded: ").text(path).end_line();
        }
        for dropped in &self.dropped {
            printer.text("dropped outside memdir: ").text(&dropped.rev).text(" by ").text(&dropped.actor);
            printer.text(" in ").text(&dropped.path).text(": ").text(&dropped.text).end_line();
            printer.try_command(&Hint::new("redo", dropped.rev.clone()));
        }
        for path in &self.conflicts {
            printer.text("conflict markers: ").text(path).end_line();
            printer.try_command(&Hint::new("resolve", path.clone()));
        }
        for path in &self.rescued {
            printer.text("kept after a concurrent save: ").text(path).end_line();
        }
        for line in &self.summaries {
            printer.text("summary: ").text(line).end_line();
        }
        pending_work(printer, self);
        match self.wired {
            Some(true) => printer.text("git merges by bullet in this clone").end_line(),
            Some(false) => {
                printer.text("git merges line by line in this clone").end_line();
                printer.try_command(&Hint::new("setup", "git"));
            }
            None => {}
        }
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.warnings
    }

    fn has_all_warnings(&self) -> bool {
        true
    }
}

/// Prints the pending proposals, the queued conversations and the use of models today.
fn pending_work(printer: &mut Printer, state: &StatusReport) {
    let count = |n: usize, one: &str| if n == 1 { format!("1 {one} waits") } else { format!("{n} {one}s wait") };
    let pending = [
        (state.proposals, count(state.proposals, "proposal"), Hint { verb: vec!["inbox"], operands: Vec::new() }),
        (
            state.queued,
            count(state.queued, "conversation") + " in the queue",
            Hint { verb: vec!["reflect", "--queued"], operands: Vec::new() },
        ),
    ];
    for (n, line, hint) in pending {
        if n > 0 {
            printer.text(&line).end_line();
            printer.try_command(&hint);
        }
    }
    if let Some(models) = &state.models {
        printer.text(&format!("models: {} tokens today, {} requests", models.tokens, models.asked)).end_line();
        if let Some(figures) = guard_figures(models.first_pass, models.grounded, &models.refused_by) {
            printer.text(&format!("proposals so far: {figures}")).end_line();
        }
    }
}

/// `12 anchors (10 ok, 2 moved)`.
fn anchor_counts(anchors: &[AnchorRow]) -> String {
    let states = ["ok", "moved", "changed", "gone", "not_built", "refused"];
    let count = |state: &str| anchors.iter().filter(|anchor| anchor.state == state).count();
    let counted = states.iter().map(|state| (count(state), state.replace('_', " "))).filter(|(n, _)| *n > 0);
    let counts: Vec<String> = counted.map(|(n, state)| format!("{n} {state}")).collect();
    match anchors.len() {
        0 => "no anchors".to_owned(),
        1 => format!("1 anchor ({})", counts[0]),
        n => format!("{n} anchors ({})", counts.join(", ")),
    }
}

impl PrintAnswer for CheckReport {
    /// Prints findings as compilers do: `path:line:column: level: code: text`.
    fn print(&self, printer: &mut Printer) {
        if let Some(fixed) = &self.fixed {
            change_result(printer, fixed);
        }
        for f in &self.findings {
            printer.styled(TextStyle::Heading, &format!("{}{}", self.below.as_deref().unwrap_or_default(), f.path));
            if f.line > 0 {
                printer.text(&format!(":{}:{}", f.line, f.col));
            }
            let fixable = if f.fixable { " (fixable with --fix)" } else { "" };
            printer.text(&format!(": {}: {}: {}{fixable}", f.level, f.code, f.text)).end_line();
        }
        let files = match &self.anchors {
            Some(anchors) => format!("{} in {}", anchor_counts(anchors), file_count(self.checked)),
            None => file_count(self.checked),
        };
        if printer.format.verbose {
            for anchor in self.anchors.iter().flatten().filter(|anchor| anchor.state == "ok") {
                printer.styled(
                    TextStyle::Heading,
                    &format!("{}{}", self.below.as_deref().unwrap_or_default(), anchor.path),
                );
                printer.text(&format!(":{}:{}: ok: {}", anchor.line, anchor.col, anchor.anchor)).end_line();
            }
        }
        printer.note(&match self.findings.iter().filter(|f| f.level != "note").count() {
            0 => format!("{files} checked, no findings"),
            1 => format!("1 finding in {files} checked"),
            n => format!("{n} findings in {files} checked"),
        });
    }

    fn warnings(&self) -> &[WarningRow] {
        self.fixed.as_ref().map_or(&[], |fixed| &fixed.warnings)
    }

    fn attention(&self) -> Option<Code> {
        self.has_findings().then_some(Code::Findings)
    }

    fn has_changed(&self) -> bool {
        self.fixed.as_ref().is_some_and(ChangeResult::has_changed)
    }
}
