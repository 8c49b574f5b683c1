//! `status` and `check`: their options as clap parses them, and their answers as text.
//!
//! Never prints memory text unescaped.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::ChangeArgs;
use super::github;
use super::output::OutputLayout;
use super::print_result::PrintResult;
use super::rot::frequent_words_line;
use super::text::{Printer, TextStyle, change_result, format_size, guard_figures};
use crate::code::{Code, SuggestedCommand};
use crate::commands::results::{
    AnchorRow, AnchorRowState, AttentionKind, AttentionRow, ChangeResult, CheckReport, FindingLevel, StatusReport,
    WarningRow,
};
use crate::text::counted_noun::counted_noun;

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
    /// The files to check (default: all)
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Only findings that are new since this git commit; paths are relative to the working directory
    #[arg(long, value_name = "COMMIT")]
    pub since: Option<String>,
    /// Also check facts and episodes against the writing rules
    #[arg(long)]
    pub writing: bool,
    /// Only compare the code that anchors name with their hashes; --since selects code files, --fix follows moved lines
    #[arg(long, conflicts_with_all = ["writing", "stale", "strict", "against"])]
    pub anchors: bool,
    /// Also report bullets that age has left little confidence (below 0.5, or at the floor of `decay`), or that expired
    #[arg(long)]
    pub stale: bool,
    /// Count contradictions and stale bullets as findings; without it they are notes
    #[arg(long)]
    pub strict: bool,
    /// Also report facts that contradict these files outside the memory, such as CLAUDE.md,AGENTS.md
    #[arg(long, value_name = "FILE[,FILE]", value_delimiter = ',')]
    pub against: Vec<PathBuf>,
    /// Report what is wrong with any folder of notes, which need not be a memory; writes nothing
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["files", "since", "writing", "anchors", "stale", "strict", "against", "fix", "format"]
    )]
    pub rot: Option<PathBuf>,
    /// Fix what needs no decision
    #[arg(long)]
    pub fix: bool,
    /// How findings are printed: text, json (as --json), or github (annotations of GitHub Actions)
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true, hide_default_value = true)]
    pub format: CheckFormat,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

/// How `check` prints its findings.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckFormat {
    /// Lines as compilers print them
    #[default]
    Text,
    /// One JSON object
    Json,
    /// Workflow commands of GitHub Actions
    Github,
}

impl PrintResult for StatusReport {
    /// Prints the state of the memory, and the commands to try.
    fn print(&self, printer: &mut Printer) {
        printer.styled(TextStyle::Heading, &self.dir);
        printer
            .text(&format!(": {}, {}, as {}", counted_noun(self.files, "file"), format_size(self.bytes), self.actor))
            .end_line();
        match (&self.rev, &self.since) {
            (Some(rev), Some(since)) => printer.text(&format!("last change {rev}, history since {since}")).end_line(),
            (Some(rev), None) => printer.text(&format!("last change {rev}")).end_line(),
            _ => printer.text("no history on this machine yet").end_line(),
        }
        for path in &self.outside {
            printer.styled(TextStyle::Handle, "not yet recorded").text(": ").file(None, path, path).end_line();
        }
        for dropped in &self.dropped {
            printer.text("dropped outside memdir: ").text(&dropped.rev).text(" by ").text(&dropped.actor);
            printer.text(" in ").file(None, &dropped.path, &dropped.path).text(": ").text(&dropped.text).end_line();
            printer.try_command(&SuggestedCommand::new("redo", dropped.rev.clone()));
        }
        for path in &self.conflicts {
            printer.styled(TextStyle::Removed, "conflict markers").text(": ").file(None, path, path).end_line();
            printer.try_command(&SuggestedCommand::new("resolve", path.clone()));
        }
        for path in &self.unmerged {
            printer.styled(TextStyle::Removed, "unfinished merge").text(": ").file(None, path, path).end_line();
        }
        if !self.unmerged.is_empty() {
            printer.try_command(&SuggestedCommand { subcommand: vec!["resolve"], operands: Vec::new() });
        }
        for path in &self.rescued {
            printer
                .styled(TextStyle::Handle, "kept after a concurrent save")
                .text(": ")
                .file(None, path, path)
                .end_line();
        }
        for line in &self.summaries {
            printer.text("summary: ").text(line).end_line();
        }
        pending_work(printer, self);
        match self.wired {
            Some(true) => printer.text("git merges by bullet in this clone").end_line(),
            Some(false) => {
                printer.text("git merges line by line in this clone").end_line();
                printer.try_command(&SuggestedCommand::new("setup", "git"));
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

/// Prints what needs attention, the queued conversations and the use of models today.
fn pending_work(printer: &mut Printer, state: &StatusReport) {
    for row in &state.attention {
        printer.text(&attention_line(row)).end_line();
        printer.try_command(&match (&row.layer, &row.command) {
            (None, Cow::Borrowed(command)) => {
                SuggestedCommand { subcommand: command.split(' ').skip(1).collect(), operands: Vec::new() }
            }
            (layer, _) => {
                SuggestedCommand::new("inbox", layer.as_ref().map_or(String::new(), |layer| format!("{layer}:")))
            }
        });
    }
    if state.queued > 0 {
        let waiting = if state.queued == 1 { "conversation waits" } else { "conversations wait" };
        printer.text(&format!("{} {waiting} in the queue", state.queued)).end_line();
        printer.try_command(&SuggestedCommand { subcommand: vec!["reflect", "--queued"], operands: Vec::new() });
    }
    if let Some(models) = &state.models {
        let requests = counted_noun(models.asked as usize, "request");
        printer.text(&format!("models: {} tokens today, {requests}", models.tokens)).end_line();
        if let Some(figures) = guard_figures(models.first_pass, models.grounded, &models.refused_by) {
            printer.text(&format!("proposals so far: {figures}")).end_line();
        }
    }
}

/// `12 anchors (10 ok, 2 moved)`.
fn anchor_counts(anchors: &[AnchorRow]) -> String {
    let count = |state| anchors.iter().filter(|anchor| anchor.state == state).count();
    let counted = AnchorRowState::ALL.map(|state| (count(state), state.words()));
    let counts: Vec<String> = counted.iter().filter(|(n, _)| *n > 0).map(|(n, state)| format!("{n} {state}")).collect();
    match anchors.len() {
        0 => "no anchors".to_owned(),
        1 => format!("1 anchor ({})", counts[0]),
        n => format!("{n} anchors ({})", counts.join(", ")),
    }
}

/// What needs attention, on one line: `2 proposals wait`.
fn attention_line(row: &AttentionRow) -> String {
    let (one, many) = match row.what {
        AttentionKind::Expired => ("bullet has expired", "bullets have expired"),
        AttentionKind::Stale => {
            ("bullet has lost its confidence with age", "bullets have lost their confidence with age")
        }
        AttentionKind::StaleAnchors => ("anchor was stale at the last check", "anchors were stale at the last check"),
        AttentionKind::Contradicted => ("contradiction", "contradictions"),
        AttentionKind::Overdue => ("proposal is overdue", "proposals are overdue"),
        AttentionKind::Merged => ("proposal was accepted by a merge", "proposals were accepted by a merge"),
        AttentionKind::Unused => ("item is unused", "items are unused"),
        AttentionKind::ToPurge => ("archived item is to be purged", "archived items are to be purged"),
        AttentionKind::Waiting => ("proposal waits", "proposals wait"),
    };
    let layer = row.layer.as_ref().map_or(String::new(), |layer| format!(" in {layer}"));
    format!("{} {}{layer}", row.count, if row.count == 1 { one } else { many })
}

impl PrintResult for CheckReport {
    /// Prints findings as compilers do, `path:line:column: level: code: text`, or as annotations.
    fn print(&self, printer: &mut Printer) {
        let files = match &self.anchors {
            Some(anchors) => format!("{} in {}", anchor_counts(anchors), counted_noun(self.checked, "file")),
            None => counted_noun(self.checked, "file"),
        };
        printer.note(&match self.findings.iter().filter(|f| f.level != FindingLevel::Note).count() {
            0 => format!("{files} checked, no findings"),
            1 => format!("1 finding in {files} checked"),
            n => format!("{n} findings in {files} checked"),
        });
        if self.frequent_words > 0 {
            printer.note(&frequent_words_line(self.frequent_words));
        }
        let prefix = self.below.as_deref().unwrap_or_default();
        if printer.layout == OutputLayout::GitHub {
            return self.findings.iter().for_each(|f| github::finding_annotation(printer, prefix, f));
        }
        if let Some(fixed) = self.fixed.as_ref().filter(|_| !printer.format.quiet) {
            change_result(printer, fixed);
        }
        for f in &self.findings {
            printer.styled(TextStyle::Heading, &format!("{prefix}{}", f.path));
            if f.line > 0 {
                printer.text(&format!(":{}:{}", f.line, f.col));
            }
            let fixable = if f.fixable { " (fixable with --fix)" } else { "" };
            printer.text(&format!(": {}: {}: {}{fixable}", f.level.name(), f.code, f.text)).end_line();
            f.suggestions.iter().for_each(|command| printer.try_command(command));
        }
        if printer.format.verbose {
            for anchor in self.anchors.iter().flatten().filter(|anchor| anchor.state == AnchorRowState::Ok) {
                printer.styled(TextStyle::Heading, &format!("{prefix}{}", anchor.path));
                printer.text(&format!(":{}:{}: ok: {}", anchor.line, anchor.col, anchor.anchor)).end_line();
            }
        }
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
