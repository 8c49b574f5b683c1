//! `reflect` and `inbox`: their options as clap reads them, and their answers as text.
//!
//! Never decides what is kept, and never prints memory text raw.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::args::{HowArgs, seconds};
use super::model::ModelArgs;
use super::text::{Ink, Page, effects, file_head};
use super::{argv, hints};
use crate::code::Hint;
use crate::commands::answer::{Decision, Inbox, Proposed, Reflected};
use crate::commands::reflect::spelled;

/// How the model answers.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Auto,
    Tools,
    Ops,
}

#[derive(Args, Debug)]
#[command(
    about = "Read a conversation and keep what is worth it; a model proposes, rules decide",
    after_help = "Transcripts of Claude Code, Codex, Gemini CLI, OpenAI messages, ChatGPT exports, markdown with speakers \
                  and plain text are read as they are.\n\nExample: memdir reflect session.jsonl -n"
)]
#[group(skip)]
pub struct ReflectArgs {
    /// The conversation; - or nothing: stdin
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// tools: the model calls them one by one; ops: it answers with one JSON object; auto: whichever its host can
    #[arg(
        long,
        value_name = "auto|tools|ops",
        hide_possible_values = true,
        default_value = "auto",
        hide_default_value = true
    )]
    pub mode: Mode,
    /// Keep nothing at once: everything waits in inbox/
    #[arg(long)]
    pub propose: bool,
    /// Everything goes into this file
    #[arg(long, value_name = "FILE")]
    pub into: Option<String>,
    /// Show what the model would be told first, and ask nobody
    #[arg(long, conflicts_with_all = ["check_model", "queued"])]
    pub show_prompt: bool,
    /// Show which model would be asked, and try it
    #[arg(long, conflicts_with_all = ["file", "queued"])]
    pub check_model: bool,
    /// Read the conversations that wait for budget
    #[arg(long, conflicts_with = "file")]
    pub queued: bool,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Ask, show what would be done, write nothing
    #[arg(short = 'n', long, help_heading = "Changes")]
    pub dry_run: bool,
    /// Why, for the journal
    #[arg(short = 'm', long, value_name = "TEXT", help_heading = "Changes", value_parser = argv::plain)]
    pub reason: Option<String>,
    /// From where, for the journal; without it, the conversation's id
    #[arg(long, value_name = "ID", help_heading = "Changes", value_parser = argv::plain)]
    pub source: Option<String>,
    /// How long to wait for another writer, in seconds (10)
    #[arg(long, value_name = "S", help_heading = "Changes", value_parser = seconds)]
    pub lock_timeout: Option<Duration>,
}

#[derive(Args, Debug)]
#[command(
    about = "What waits for a person; accept or reject it",
    after_help = "Example: memdir inbox p3f9a2c --accept"
)]
#[group(skip)]
pub struct InboxArgs {
    /// Which proposals; without ids, all
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Carry them out, planned on the memory as it is now
    #[arg(long, conflicts_with = "reject")]
    pub accept: bool,
    /// Drop them
    #[arg(long)]
    pub reject: bool,
    #[command(flatten)]
    pub how: HowArgs,
}

/// What was kept, what waits, what was turned down and why, and the sum.
pub fn reflected(page: &mut Page, answer: &Reflected, err: &mut String) {
    if answer.dry_run {
        page.ink(Ink::Faint, "dry run, nothing written").end();
    }
    let rev = answer.revs.first().filter(|_| answer.revs.len() == 1).map(String::as_str);
    for file in answer.files.iter().filter(|f| !f.path.starts_with("inbox/")) {
        file_head(page, file, rev);
        effects(page, &file.effects);
    }
    for decision in answer.decisions.iter().filter(|d| d.verdict == "proposed") {
        proposed(page, decision);
    }
    for decision in answer.decisions.iter().filter(|d| d.verdict == "refused") {
        page.text("refused: ").text(&decision.text);
        let why: Vec<String> = decision.reasons.iter().map(spelled).collect();
        page.ink(Ink::Faint, &format!(" ({})", why.join(", "))).end();
    }
    let skipped: usize = answer.conversations.iter().map(|c| c.skipped).sum();
    if skipped > 0 {
        err.push_str(&format!("memdir: {skipped} broken lines were left out\n"));
    }
    for why in answer.partial.iter().chain(&answer.deferred) {
        err.push_str("memdir: ");
        err.push_str(if answer.partial.as_ref() == Some(why) { "partial: " } else { "deferred: " });
        super::sanitize::line(err, why, page.style.terminal);
        err.push('\n');
    }
    sum(page, answer, err);
}

fn proposed(page: &mut Page, decision: &Decision) {
    page.text("waits: ").text(&decision.text);
    let why: Vec<String> = decision.reasons.iter().map(spelled).collect();
    if !why.is_empty() {
        page.ink(Ink::Faint, &format!(" ({})", why.join(", ")));
    }
    page.end();
    if let Some(id) = &decision.proposal
        && let Some(command) =
            hints::spell(&Hint { verb: vec!["inbox", "--accept"], address: vec![id.clone()] }, &page.style.before)
    {
        page.text("try: ").text(&command).end();
    }
}

fn sum(page: &mut Page, answer: &Reflected, err: &mut String) {
    let (turns, seen) = answer.conversations.iter().fold((0, 0), |(t, s), c| (t + c.turns, s + c.seen));
    let counts = answer.counts;
    let stopped = answer.partial.is_some() || answer.deferred.is_some();
    if counts.found == 0 && !stopped {
        err.push_str(match turns > 0 && seen == turns {
            true => "memdir: nothing new: this conversation was read before\n",
            false if answer.conversations.is_empty() => "memdir: nothing waits in the queue\n",
            false => "memdir: nothing worth keeping\n",
        });
    }
    if let Some(model) = &answer.model {
        let new = turns.saturating_sub(seen);
        let line = format!(
            "{new} turn{}, {} found: {} kept, {} known, {} waiting, {} refused; {} {}, {} tokens in, {} out",
            if new == 1 { "" } else { "s" },
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
        page.ink(Ink::Faint, &line).end();
    }
}

/// What waits, or what became of it.
pub fn inbox(page: &mut Page, answer: &Inbox, err: &mut String) {
    if answer.dry_run && answer.proposals.is_empty() {
        page.ink(Ink::Faint, "dry run, nothing written").end();
    }
    for proposal in &answer.proposals {
        waiting(page, proposal);
    }
    for file in answer.files.iter().filter(|f| !f.path.starts_with("inbox/")) {
        file_head(page, file, answer.rev.as_deref());
        effects(page, &file.effects);
    }
    for (what, ids) in [("accepted", &answer.accepted), ("rejected", &answer.rejected), ("expired", &answer.expired)] {
        for id in ids {
            page.text(what).text(" ").ink(Ink::Name, id).end();
        }
    }
    for path in &answer.rescued {
        page.text("kept after a collision: ").text(path).end();
    }
    let decided = answer.accepted.len() + answer.rejected.len() + answer.expired.len();
    if answer.proposals.is_empty() && answer.rescued.is_empty() && decided == 0 {
        err.push_str("memdir: nothing waits\n");
    }
}

fn waiting(page: &mut Page, proposal: &Proposed) {
    page.ink(Ink::Name, &proposal.id).text(" ").ink(Ink::Head, &proposal.title).end();
    for line in &proposal.said {
        page.text("  ").text(line).end();
    }
    page.diff(&proposal.diff);
    if !proposal.readable {
        page.text("  its operation cannot be read any more: mend ").text(&proposal.path).text(", or reject it").end();
    }
}
