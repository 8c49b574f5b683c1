//! `reflect` and `inbox`: their options as clap parses them, and their answers as text.
//!
//! Never decides what is kept, and never prints memory text unescaped.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::args::{ChangeArgs, ChangeSettings, seconds, whole_number};
use super::argv;
use super::model::ModelArgs;
use super::print_result::PrintResult;
use super::sanitize;
use super::text::{Printer, TextStyle, effects, file_heading, guard_figures};
use crate::code::{Code, SuggestedCommand};
use crate::commands::reflect::reason_text;
use crate::commands::results::{
    DecisionVerdict, InboxList, ProposalRow, ReflectDecision, ReflectReport, RequestDecision, RequestVerdict,
    WarningRow,
};
use crate::text::counted_noun::counted_noun;

/// The form in which the model replies.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReflectModeArg {
    #[default]
    Auto,
    Tools,
    Ops,
}

#[derive(Args, Debug)]
#[command(
    about = "Extract memories from a conversation; a model proposes, rules decide",
    after_help = "Reads transcripts of Claude Code, Codex, Gemini CLI, Aider and GitHub Copilot, OpenAI messages and \
                  responses, the exports of ChatGPT, Claude.ai, Cursor, AI Studio and ShareGPT, markdown with \
                  speakers, and plain text.\n\nExample: memdir reflect session.jsonl -n"
)]
#[group(skip)]
pub struct ReflectArgs {
    /// The conversation (default or -: stdin)
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// tools: the model makes tool calls; ops: it replies with one JSON object; auto: whichever its host supports
    #[arg(
        long,
        value_name = "auto|tools|ops",
        hide_possible_values = true,
        default_value = "auto",
        hide_default_value = true
    )]
    pub mode: ReflectModeArg,
    /// Apply nothing: put every proposal into inbox/
    #[arg(long)]
    pub propose: bool,
    /// Put everything into this file, and refuse what the model proposes for others
    #[arg(long, value_name = "FILE")]
    pub into: Option<String>,
    /// Make one entry of each conversation: a paragraph of up to four sentences; over a limit, the model decides which
    /// entry leaves
    #[arg(long, conflicts_with_all = ["queued", "check_model", "show_prompt", "propose", "into", "insights"])]
    pub record: bool,
    /// With --record: the ids of conversations that it is related to
    #[arg(long, value_name = "ID,…", value_delimiter = ',', requires = "record", value_parser = argv::text_value)]
    pub related: Vec<String>,
    /// Write down how the task of the conversation was done: numbered steps in a new file of procedures/
    #[arg(long, conflicts_with_all = ["queued", "check_model", "show_prompt", "propose", "into", "insights", "record"])]
    pub procedure: bool,
    /// Ask what the newest entries and facts, and FILE if there is one, show about the user; at most once in 24 hours
    #[arg(long, conflicts_with_all = ["queued", "check_model", "show_prompt", "propose", "into"])]
    pub insights: bool,
    /// Make a change that is asked for in words, such as "Remove all egg preferences": a model finds the items, and its
    /// edits are made together or not at all
    #[arg(
        long,
        value_name = "TEXT",
        value_parser = argv::text_value,
        conflicts_with_all = ["file", "mode", "queued", "check_model", "show_prompt", "propose", "into", "insights", "record", "procedure"]
    )]
    pub request: Option<String>,
    /// With --request: only files with one of these tags in their front matter
    #[arg(long, value_name = "TAG,…", value_delimiter = ',', requires = "request", conflicts_with = "file", value_parser = argv::text_value)]
    pub tags: Vec<String>,
    /// With --request: the model that finds the items; also `finder` in the user config
    #[arg(long, value_name = "NAME", requires = "request", conflicts_with = "file", help_heading = "Model options")]
    pub finder: Option<String>,
    /// With --request: the model that decides on the edits; also `editor` in the user config
    #[arg(long, value_name = "NAME", requires = "request", conflicts_with = "file", help_heading = "Model options")]
    pub editor: Option<String>,
    /// Print the first prompt without calling a model
    #[arg(long, conflicts_with_all = ["check_model", "queued"])]
    pub show_prompt: bool,
    /// Tokens of facts in the prompt (default 4000); of a larger memory it has what the conversation is about
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number, help_heading = "Model options", conflicts_with_all = ["record", "procedure", "insights", "request"])]
    pub facts_tokens: Option<usize>,
    /// Show which model would be called, and test it
    #[arg(long, conflicts_with_all = ["file", "queued"])]
    pub check_model: bool,
    /// Process the conversations that hooks queued, and those queued when the daily token budget was used up
    #[arg(long, conflicts_with = "file")]
    pub queued: bool,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Call the model, show what would change, write nothing
    #[arg(short = 'n', long, help_heading = "Change options")]
    pub dry_run: bool,
    /// The reason, recorded in the history
    #[arg(short = 'm', long, value_name = "TEXT", help_heading = "Change options", value_parser = argv::text_value)]
    pub reason: Option<String>,
    /// The source, recorded in the history (default: the conversation's id)
    #[arg(long, value_name = "ID", help_heading = "Change options", value_parser = argv::text_value)]
    pub source: Option<String>,
    /// Seconds to wait for another writer (default 10)
    #[arg(long, value_name = "S", help_heading = "Change options", allow_negative_numbers = true, value_parser = seconds)]
    pub lock_timeout: Option<Duration>,
}

#[derive(Args, Debug)]
#[command(
    about = "List the proposals that need a decision; accept or reject them",
    after_help = "Example: memdir inbox p3f9a2c --accept"
)]
#[group(skip)]
pub struct InboxArgs {
    /// The proposals (default: all)
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Apply them to the memory as it is now; without IDs, all that can be read
    #[arg(long, conflicts_with = "reject")]
    pub accept: bool,
    /// Discard them
    #[arg(long)]
    pub reject: bool,
    /// Commit them on a new git branch, one a commit, and print the text of a pull request
    #[arg(long, value_name = "NAME", conflicts_with_all = ["accept", "reject"])]
    pub branch: Option<String>,
    /// Skip the staleness check of proposals that act on an index, an id or a whole file: apply them to what is there now
    #[arg(short, long, help_heading = "Change options")]
    pub force: bool,
    /// Create a new file even if its name is close to an existing one, or has another extension than .md
    #[arg(long, help_heading = "Change options")]
    pub create: bool,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

impl From<&InboxArgs> for ChangeSettings {
    fn from(args: &InboxArgs) -> Self {
        ChangeSettings::from(&args.change_args).force(args.force).create(args.create)
    }
}

impl PrintResult for ReflectReport {
    /// Prints what was kept, what needs approval, what was refused and why, and the totals.
    fn print(&self, printer: &mut Printer) {
        if self.dry_run {
            printer.styled(TextStyle::Dim, "dry run, nothing written").end_line();
        }
        let rev = self.revs.first().filter(|_| self.revs.len() == 1).map(String::as_str);
        for file in self.files.iter().filter(|f| !f.path.starts_with("inbox/")) {
            file_heading(printer, file, rev);
            effects(printer, &file.effects);
        }
        for decision in self.decisions.iter().filter(|d| d.verdict == DecisionVerdict::Proposed) {
            pending_proposal(printer, decision);
        }
        for decision in self.decisions.iter().filter(|d| d.verdict == DecisionVerdict::Refused) {
            printer.text("refused: ");
            if decision.text.is_empty() {
                // A removal has no text.
                let what = [&decision.op, decision.at.as_deref().unwrap_or("")].join(" ");
                printer.foreign_text(what.trim_end());
            } else {
                printer.foreign_text(&decision.text);
            }
            reasons(printer, decision);
            printer.end_line();
        }
        let skipped: usize = self.conversations.iter().map(|c| c.skipped).sum();
        if skipped > 0 {
            printer.note(&format!("{skipped} broken lines were skipped"));
        }
        if let Some(request) = &self.request {
            request_decision(printer, request);
        }
        for (word, reason) in [("partial", &self.partial), ("deferred", &self.deferred)] {
            if let Some(reason) = reason {
                printer.note(&format!("{word}: {reason}"));
            }
        }
        totals(printer, self);
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

fn reasons(printer: &mut Printer, decision: &ReflectDecision) {
    let reasons: Vec<String> = decision.reasons.iter().map(reason_text).collect();
    if !reasons.is_empty() {
        let mut shown = String::new();
        sanitize::escape_line(&mut shown, &format!(" ({})", reasons.join(", ")), true);
        printer.styled(TextStyle::Dim, &shown);
    }
}

fn pending_proposal(printer: &mut Printer, decision: &ReflectDecision) {
    printer.text("waiting: ").foreign_text(&decision.text);
    reasons(printer, decision);
    printer.end_line();
    if let Some(id) = &decision.proposal {
        printer.try_command(&SuggestedCommand { subcommand: vec!["inbox", "--accept"], operands: vec![id.clone()] });
    }
}

/// Why a request changes nothing, if so.
fn request_decision(printer: &mut Printer, request: &RequestDecision) {
    let word = match request.decision {
        RequestVerdict::NoChange => "no change",
        RequestVerdict::Reject => "rejected",
        RequestVerdict::Refused => "nothing is changed",
        RequestVerdict::Proceed => return,
    };
    printer.text(word).text(": ").foreign_text(match request.reasoning.as_str() {
        "" => "the model gives no reason",
        error => error,
    });
    printer.end_line();
}

fn totals(printer: &mut Printer, report: &ReflectReport) {
    let (turns, seen) = report.conversations.iter().fold((0, 0), |(t, s), c| (t + c.turns, s + c.seen));
    let counts = report.counts;
    let stopped = report.partial.is_some() || report.deferred.is_some();
    if counts.found == 0 && !stopped && report.request.is_none() {
        printer.note(match turns > 0 && seen == turns {
            true => "nothing new: this conversation was processed before",
            false if report.conversations.is_empty() && report.model.is_none() => "nothing pending in the queue",
            false => "nothing worth keeping",
        });
    }
    if let Some(model) = &report.model {
        let new = turns.saturating_sub(seen);
        let read = if report.conversations.is_empty() { String::new() } else { counted_noun(new, "turn") + ", " };
        let line = format!(
            "{read}{} found: {} kept, {} known, {} waiting, {} refused; {} {}, {} tokens in, {} out",
            counts.found,
            counts.kept,
            counts.known,
            counts.proposed,
            counts.refused,
            model.provider,
            model.model,
            model.input_tokens,
            model.output_tokens,
        );
        printer.styled(TextStyle::Dim, &line).end_line();
        if let Some(finder) = &report.finder {
            let found = report.request.as_ref().and_then(|request| request.found).unwrap_or_default();
            let line = format!(
                "{} found by {} {}, {} tokens in, {} out",
                counted_noun(found, "item"),
                finder.provider,
                finder.model,
                finder.input_tokens,
                finder.output_tokens,
            );
            printer.styled(TextStyle::Dim, &line).end_line();
        }
        if let Some(figures) = guard_figures(report.first_pass, report.grounded, &report.refused_by) {
            printer.styled(TextStyle::Dim, &figures).end_line();
        }
    }
}

impl PrintResult for InboxList {
    /// Prints the pending proposals, or what was done with them.
    fn print(&self, printer: &mut Printer) {
        if self.dry_run && self.proposals.is_empty() {
            printer.styled(TextStyle::Dim, "dry run, nothing written").end_line();
        }
        for proposal in &self.proposals {
            inbox_item(printer, proposal);
        }
        if let Some(branch) = &self.branch {
            let commits = counted_noun(branch.commits.len(), "commit");
            printer.note(&format!("branch {}: {commits}; the proposals wait until it is merged", branch.name));
            for line in branch.body.lines() {
                printer.text(line).end_line();
            }
        }
        for file in self.files.iter().filter(|f| !f.path.starts_with("inbox/")) {
            file_heading(printer, file, self.rev.as_deref());
            effects(printer, &file.effects);
        }
        let [accepted, rejected] =
            if self.dry_run { ["would accept", "would reject"] } else { ["accepted", "rejected"] };
        let decided = [(accepted, &self.accepted), (rejected, &self.rejected), ("merged", &self.merged)];
        for (what, ids) in decided {
            for id in ids {
                printer.text(what).text(" ").styled(TextStyle::Handle, id).end_line();
            }
        }
        if !self.changed && (!self.merged.is_empty() || self.proposals.iter().any(|proposal| proposal.expired)) {
            printer.try_command(&SuggestedCommand { subcommand: vec!["prune"], operands: Vec::new() });
        }
        for path in &self.rescued {
            printer.text("kept after a concurrent save: ").text(path).end_line();
        }
        let is_decided = self.branch.is_some() || decided.iter().any(|(_, ids)| !ids.is_empty());
        if self.proposals.is_empty() && self.rescued.is_empty() && !is_decided {
            printer.note("nothing pending");
        }
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.warnings
    }

    fn has_changed(&self) -> bool {
        self.changed && !self.dry_run
    }

    /// Decisions are a change; what waits, and the text of a pull request, are an answer.
    fn is_quiet(&self) -> bool {
        self.proposals.is_empty() && self.branch.is_none() && self.rescued.is_empty()
    }
}

fn inbox_item(printer: &mut Printer, proposal: &ProposalRow) {
    printer.styled(TextStyle::Handle, &proposal.id).text(" ").styled(TextStyle::Heading, &proposal.title).end_line();
    for line in &proposal.said {
        printer.text("  ").text(line).end_line();
    }
    if proposal.expired {
        printer.text("  it has expired: it can only be proposed again").end_line();
    }
    for note in &proposal.notes {
        printer.text("  ").text(note).end_line();
    }
    printer.diff(&proposal.diff);
    if let Some(problem) = &proposal.problem {
        printer.text("  its operation cannot be read: ").text(problem).end_line();
        printer.text("  mend the file, or reject the proposal").end_line();
        let operands = vec![proposal.id.clone()];
        printer.try_command(&SuggestedCommand { subcommand: vec!["inbox", "--reject"], operands });
    }
}
