//! `log`, `show`, `diff`, `undo` and `redo`: their options as clap parses them, and the history as text.
//!
//! Never prints memory text unescaped, and never reads the clock.

use clap::Args;

use super::args::{ChangeArgs, whole_number};
use super::list_and_read::print_commit;
use super::open::{self, SessionNeeds};
use super::output::{CliReply, OutputFormat, OutputLayout};
use super::print_result::PrintResult;
use super::run::Runner;
use super::text::{self, Printer, TextStyle, effects, file_heading};
use crate::commands::results::{ChangedFile, ChangedFileKind, DiffResult, EffectSign, LogResult, LogRow, LogState};
use crate::commands::{self, LogOptions};
use crate::text::counted_noun::counted_noun;

#[derive(Args, Debug)]
#[command(
    about = "Show the history, newest first, including edits made outside memdir",
    after_help = "Example: memdir log user --since 2d -p"
)]
#[group(skip)]
pub struct LogArgs {
    /// Only entries that changed this file, section or bullet
    #[arg(value_name = "ADDRESS")]
    pub address: Option<String>,
    /// Show each bullet change
    #[arg(short, long)]
    pub patch: bool,
    /// Only entries since WHEN: r41, 2026-11-20, yesterday, 2d, '2 weeks'
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only entries by this actor
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Print at most N entries, 0 for all (default: 50)
    #[arg(short = 'L', long, short_alias = 'n', alias = "max-count", value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    pub limit: Option<usize>,
    /// Print all entries; with --json and -p, the whole history with its texts
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    /// Print only revision, operations and files of each entry
    #[arg(long)]
    pub oneline: bool,
}

#[derive(Args, Debug)]
#[command(about = "Show what one revision changed", after_help = "Example: memdir show r41")]
#[group(skip)]
pub struct ShowArgs {
    /// The revision to show, e.g. r41
    #[arg(value_name = "REV")]
    pub revision: String,
}

#[derive(Args, Debug)]
#[command(
    about = "Show changes since a revision or between two, memdir's or git's; without one, unrecorded edits",
    after_help = "Example: memdir diff main...HEAD --stat"
)]
#[group(skip)]
pub struct DiffArgs {
    /// r41, r41..r44, a date or an age; anything else is a git range: main..HEAD, main...topic
    #[arg(value_name = "REV | A..B")]
    pub range: Option<String>,
    /// Only this file
    #[arg(value_name = "FILE")]
    pub address: Option<String>,
    /// Show bullet changes from this revision, date or age until now
    #[arg(long, value_name = "WHEN", conflicts_with = "address")]
    pub since: Option<String>,
    /// Count the bullets added, removed, updated and moved in each file
    #[arg(long, conflicts_with = "bullets")]
    pub stat: bool,
    /// Show bullet changes instead of lines
    #[arg(long)]
    pub bullets: bool,
}

#[derive(Args, Debug)]
#[command(about = "Undo a revision; repeat to go further back", after_help = "Example: memdir undo --by claude")]
#[group(skip)]
pub struct UndoArgs {
    /// The revision (default: the newest that is not undone)
    #[arg(value_name = "REV")]
    pub revision: Option<String>,
    /// Undo the newest change by this actor that is not undone
    #[arg(long, value_name = "NAME", conflicts_with = "revision")]
    pub by: Option<String>,
    /// Skip files that were edited since and cannot be merged
    #[arg(long)]
    pub keep_edited: bool,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

#[derive(Args, Debug)]
#[command(about = "Redo an undone change, or one that an editor dropped", after_help = "Example: memdir redo r41")]
#[group(skip)]
pub struct RedoArgs {
    /// The revision (default: the latest undo)
    #[arg(value_name = "REV")]
    pub revision: Option<String>,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

/// How many rows of a whole log are printed at once.
const ROWS_AT_ONCE: usize = 256;

/// Prints all entries while they are read, unless the answer is one JSON object or there is something to say about it.
pub fn run_whole_log(runner: &Runner<'_>, query: &LogOptions, layout: OutputLayout) -> CliReply {
    let format = OutputFormat::new(runner.global);
    let session = match open::open_session(runner.global, SessionNeeds::All, None) {
        Ok(session) if !format.json && !format.verbose && session.policy.warnings.is_empty() => session,
        Ok(_) => return runner.log(query, layout),
        Err(rejection) => return rejection.into(),
    };
    let mut rows = match commands::LogRows::start(&session, query) {
        Ok(rows) => rows,
        Err(error) => return CliReply::of(Err::<LogResult, _>(error), Vec::new(), layout),
    };
    let mut first = match rows.next(&session) {
        Ok(Some(first)) => Some(first),
        Ok(None) => return runner.log(query, layout),
        Err(rejection) => return rejection.into(),
    };
    CliReply::Lines(Box::new(std::iter::from_fn(move || {
        let others = std::iter::from_fn(|| rows.next(&session).transpose());
        let entries: Result<Vec<LogRow>, _> =
            first.take().map(Ok).into_iter().chain(others).take(ROWS_AT_ONCE).collect();
        let entries = match entries {
            Ok(entries) if entries.is_empty() => return None,
            Ok(entries) => entries,
            Err(rejection) => return Some(Err(rejection)),
        };
        let part = LogResult { entries, since: None, more: 0, history: None };
        Some(Ok(text::result(&part, &[], layout, &format).0))
    })))
}

impl PrintResult for LogResult {
    /// Prints the journal's entries, newest first.
    fn print(&self, printer: &mut Printer) {
        let rev_width = self.entries.iter().map(|entry| rev_name(entry).len()).max().unwrap_or(0);
        for entry in &self.entries {
            let is_short = printer.layout == OutputLayout::OneLine;
            log_line(printer, entry, is_short, rev_width);
            for bullet in entry.superseded.iter().filter(|_| !is_short) {
                printer.text("superseded ").styled(TextStyle::Handle, &format!("@{}", bullet.handle));
                printer.text(" \"").text(&bullet.text).text("\" — conversation ").text(&bullet.conversation);
                printer.text(&format!(", turn {}", bullet.turn)).end_line();
            }
            for item in entry.items.iter().filter(|_| !is_short) {
                printer.text("because ").text(&item.at);
                if let Some(text) = &item.text {
                    printer.text(" \"").text(text).text("\"");
                }
                printer.text(": ").text(&item.reason).end_line();
            }
            for file in &entry.effects {
                file_heading(printer, file, None);
                effects(printer, &file.effects);
            }
            if let Some(diff) = &entry.diff {
                printer.diff(diff);
            }
        }
        if self.more > 0 {
            printer.note(&format!("{} not shown; -L 0 shows all", counted_noun(self.more, "older entry")));
        }
        match &self.since {
            None if self.entries.is_empty() => printer.note("no history on this machine yet"),
            Some(_) if self.entries.is_empty() && self.more == 0 => printer.note("no revision matches"),
            Some(since) if printer.format.verbose => printer.note(&format!("history since {since}")),
            _ => {}
        }
    }
}

fn rev_name(entry: &LogRow) -> &str {
    entry.rev.as_deref().unwrap_or("--")
}

/// Prints one entry: `r41 2026-11-20 14:02Z claude: add 2, rm; facts/user.md (why: …)`; `short` is without time, actor,
/// reason, source and consent: `r41 add 2, rm; facts/user.md`.
fn log_line(printer: &mut Printer, entry: &LogRow, short: bool, rev_width: usize) {
    printer.styled(TextStyle::Handle, rev_name(entry)).align(rev_name(entry).len(), rev_width);
    if let Some(at) = entry.at.as_ref().filter(|_| !short) {
        printer.text(" ").styled(TextStyle::Dim, &to_minute(at));
    }
    if !short {
        printer.text(" ").styled(TextStyle::Name, &entry.actor);
    }
    match entry.state {
        // The field `what` already shows these states.
        LogState::Done | LogState::Outside | LogState::Unrecorded => {}
        state => drop(printer.text(" (").text(state.name()).text(")")),
    }
    if !entry.what.is_empty() {
        printer.text(if short { " " } else { ": " }).text(&entry.what);
    }
    if !entry.files.is_empty() {
        printer.out.push(';');
        for path in &entry.files {
            printer.text(" ").file(None, path, path);
        }
    }
    if let Some(bullet) = entry.bullet.as_ref().filter(|_| !short) {
        for (label, value) in [("was", &bullet.from), ("moved from", &bullet.moved_from)] {
            if let Some(value) = value {
                printer.text(&format!(" ({label}: ")).text(value).text(")");
            }
        }
    }
    if let Some(commit) = entry.bullet.as_ref().and_then(|bullet| bullet.commit.as_ref()).filter(|_| !short) {
        print_commit(printer, commit);
    }
    let recorded = [
        ("proposed by", &entry.proposed_by),
        ("why", &entry.reason),
        ("from", &entry.source),
        ("consent", &entry.consent),
    ];
    for (label, value) in recorded {
        if let Some(value) = value.as_ref().filter(|_| !short) {
            printer.text(&format!(" ({label}: ")).text(value).text(")");
        }
    }
    printer.end_line();
}

/// Shortens an RFC 3339 time in UTC to the minute: `2026-11-20 14:02Z`.
pub(super) fn to_minute(at: &str) -> String {
    match (at.get(..10), at.get(10..16), at.ends_with('Z')) {
        (Some(day), Some(time), true) => format!("{day} {}Z", &time[1..]),
        _ => at.to_owned(),
    }
}

impl PrintResult for DiffResult {
    /// Prints a diff as lines, bullet changes or counts.
    fn print(&self, printer: &mut Printer) {
        match printer.layout {
            OutputLayout::Stat => {
                self.files.iter().for_each(|file| diff_counts(printer, file));
            }
            OutputLayout::Bullets => {
                for file in &self.files {
                    file_heading(printer, file, None);
                    effects(printer, &file.effects);
                }
            }
            OutputLayout::Plain | OutputLayout::Numbered | OutputLayout::OneLine | OutputLayout::GitHub => {
                printer.diff(&self.diff)
            }
        }
    }
}

/// Prints the counts of one file: `+2 bullets, 1 updated, 1 moved in facts/user.md`.
fn diff_counts(printer: &mut Printer, file: &ChangedFile) {
    let bullets = || file.effects.iter().filter(|e| e.handle.is_some());
    let count = |sign, set: bool| bullets().filter(|e| e.sign == sign && e.set.is_some() == set).count();
    let mut parts = Vec::new();
    for (sign, n) in [("+", count(EffectSign::Added, false)), ("-", count(EffectSign::Removed, false))] {
        if n > 0 {
            parts.push(format!("{sign}{}", counted_noun(n, "bullet")));
        }
    }
    for (n, word) in [
        (count(EffectSign::Set, false), "updated"),
        (count(EffectSign::Moved, false), "moved"),
        (count(EffectSign::Set, true), "with new metadata"),
    ] {
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    }
    if parts.is_empty() {
        parts.push(if file.to.is_some() { "no bullet changed" } else { "other text" }.to_owned());
    }
    printer.text(&parts.join(", ")).text(" in ").file(Some(TextStyle::Heading), &file.path, &file.path);
    if let Some(to) = &file.to {
        printer.text(" → ").file(Some(TextStyle::Heading), to, to);
    }
    match file.kind {
        ChangedFileKind::Created => drop(printer.text(" (new file)")),
        ChangedFileKind::Removed => drop(printer.text(" (removed)")),
        ChangedFileKind::Updated | ChangedFileKind::Moved | ChangedFileKind::Unchanged => {}
    }
    printer.end_line();
}
