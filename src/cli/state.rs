//! Text output of `status` and `check`.
//!
//! Never prints memory text unescaped.

use std::fmt::Write;

use super::hints;
use super::text::{Printer, TextStyle, change_result, file_count, format_size};
use crate::code::Hint;
use crate::commands::answer::{CheckReport, StatusReport};

/// Prints the state of the memory, and the commands to try.
pub fn status(printer: &mut Printer, state: &StatusReport) {
    printer.styled(TextStyle::Heading, &state.dir);
    printer
        .text(&format!(": {}, {}, as {}", file_count(state.files), format_size(state.bytes), state.actor))
        .end_line();
    match (&state.rev, &state.since) {
        (Some(rev), Some(since)) => printer.text(&format!("last change {rev}, history since {since}")).end_line(),
        (Some(rev), None) => printer.text(&format!("last change {rev}")).end_line(),
        _ => printer.text("no history on this machine yet").end_line(),
    }
    for path in &state.outside {
        printer.text("not yet recorded: ").text(path).end_line();
    }
    for dropped in &state.dropped {
        printer.text("dropped outside memdir: ").text(&dropped.rev).text(" by ").text(&dropped.actor);
        printer.text(" in ").text(&dropped.path).text(": ").text(&dropped.text).end_line();
        let hint = Hint::new("redo", dropped.rev.clone());
        if let Some(command) = hints::to_command(&hint, &printer.format.dir_option) {
            printer.text("try: ").text(&command).end_line();
        }
    }
    for path in &state.conflicts {
        printer.text("conflict markers: ").text(path).end_line();
        if let Some(command) = hints::to_command(&Hint::new("resolve", path.clone()), &printer.format.dir_option) {
            printer.text("try: ").text(&command).end_line();
        }
    }
    for path in &state.rescued {
        printer.text("kept after a concurrent save: ").text(path).end_line();
    }
    for line in &state.summaries {
        printer.text("summary: ").text(line).end_line();
    }
    pending_work(printer, state);
    match state.wired {
        Some(true) => printer.text("git merges by bullet in this clone").end_line(),
        Some(false) => {
            printer.text("git merges line by line in this clone").end_line();
            if let Some(command) = hints::to_command(&Hint::new("setup", "git"), &printer.format.dir_option) {
                printer.text("try: ").text(&command).end_line();
            }
        }
        None => {}
    }
}

/// Prints the pending proposals, the queued conversations and the use of models today.
fn pending_work(printer: &mut Printer, state: &StatusReport) {
    let count = |n: usize, one: &str| if n == 1 { format!("1 {one} waits") } else { format!("{n} {one}s wait") };
    let pending = [
        (state.proposals, count(state.proposals, "proposal"), Hint { verb: vec!["inbox"], operands: Vec::new() }),
        (
            state.queued,
            count(state.queued, "conversation") + " for budget",
            Hint { verb: vec!["reflect", "--queued"], operands: Vec::new() },
        ),
    ];
    for (n, line, hint) in pending {
        if n > 0 {
            printer.text(&line).end_line();
            if let Some(command) = hints::to_command(&hint, &printer.format.dir_option) {
                printer.text("try: ").text(&command).end_line();
            }
        }
    }
    if let Some(models) = &state.models {
        let first_pass = models
            .first_pass
            .map_or(String::new(), |p| format!("; {:.0} % passed all guards at the first attempt", p * 100.0));
        printer
            .text(&format!("models: {} tokens today, {} requests{first_pass}", models.tokens, models.asked))
            .end_line();
    }
}

/// Prints findings as compilers do: `path:line:column: level: code: text`.
pub fn check(printer: &mut Printer, check: &CheckReport, err: &mut String) {
    if let Some(fixed) = &check.fixed {
        change_result(printer, fixed, &mut String::new());
    }
    for f in &check.findings {
        printer.styled(TextStyle::Heading, &format!("{}{}", check.below.as_deref().unwrap_or_default(), f.path));
        if f.line > 0 {
            printer.text(&format!(":{}:{}", f.line, f.col));
        }
        let fixable = if f.fixable { " (fixable with --fix)" } else { "" };
        printer.text(&format!(": {}: {}: {}{fixable}", f.level, f.code, f.text)).end_line();
    }
    let _ = match check.findings.len() {
        0 => writeln!(err, "memdir: {} checked, no findings", file_count(check.checked)),
        1 => writeln!(err, "memdir: 1 finding in {} checked", file_count(check.checked)),
        n => writeln!(err, "memdir: {n} findings in {} checked", file_count(check.checked)),
    };
}
