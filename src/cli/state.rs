//! The state of a memory as text: what a person should know, and what a check found.
//!
//! Never prints memory text raw.

use std::fmt::Write;

use super::hints;
use super::text::{Ink, Page, changed, files, size};
use crate::code::Hint;
use crate::commands::answer::{Check, Status};

/// What a person should know now, and what to try.
pub fn status(page: &mut Page, state: &Status) {
    page.ink(Ink::Head, &state.dir);
    page.text(&format!(": {}, {}, as {}", files(state.files), size(state.bytes), state.actor)).end();
    match (&state.rev, &state.since) {
        (Some(rev), Some(since)) => page.text(&format!("last change {rev}, history since {since}")).end(),
        (Some(rev), None) => page.text(&format!("last change {rev}")).end(),
        _ => page.text("no history on this machine yet").end(),
    }
    for path in &state.outside {
        page.text("not yet recorded: ").text(path).end();
    }
    for gone in &state.dropped {
        page.text("dropped outside memdir: ").text(&gone.rev).text(" by ").text(&gone.actor);
        page.text(" in ").text(&gone.path).text(": ").text(&gone.text).end();
        let hint = Hint::new("redo", gone.rev.clone());
        if let Some(command) = hints::spell(&hint, &page.style.before) {
            page.text("try: ").text(&command).end();
        }
    }
    for path in &state.conflicts {
        page.text("conflict markers: ").text(path).end();
        if let Some(command) = hints::spell(&Hint::new("resolve", path.clone()), &page.style.before) {
            page.text("try: ").text(&command).end();
        }
    }
    for path in &state.rescued {
        page.text("kept after a collision: ").text(path).end();
    }
    for line in &state.summaries {
        page.text("summary: ").text(line).end();
    }
    waiting(page, state);
    match state.wired {
        Some(true) => page.text("git merges by bullet in this clone").end(),
        Some(false) => {
            page.text("git merges line by line in this clone").end();
            if let Some(command) = hints::spell(&Hint::new("setup", "git"), &page.style.before) {
                page.text("try: ").text(&command).end();
            }
        }
        None => {}
    }
}

/// What waits for a person or for another day, and what models cost.
fn waiting(page: &mut Page, state: &Status) {
    let many = |n: usize, one: &str| if n == 1 { format!("1 {one} waits") } else { format!("{n} {one}s wait") };
    let waits = [
        (state.proposals, many(state.proposals, "proposal"), Hint { verb: vec!["inbox"], address: Vec::new() }),
        (
            state.queued,
            many(state.queued, "conversation") + " for budget",
            Hint { verb: vec!["reflect", "--queued"], address: Vec::new() },
        ),
    ];
    for (n, line, hint) in waits {
        if n > 0 {
            page.text(&line).end();
            if let Some(command) = hints::spell(&hint, &page.style.before) {
                page.text("try: ").text(&command).end();
            }
        }
    }
    if let Some(models) = &state.models {
        let pass =
            models.first_pass.map_or(String::new(), |p| format!("; {:.0} % passed all guards at once", p * 100.0));
        page.text(&format!("models: {} tokens today, asked {} times{pass}", models.tokens, models.asked)).end();
    }
}

/// Findings as compilers print them.
pub fn check(page: &mut Page, check: &Check, err: &mut String) {
    if let Some(fixed) = &check.fixed {
        changed(page, fixed, &mut String::new());
    }
    for f in &check.findings {
        page.ink(Ink::Head, &format!("{}{}", check.below.as_deref().unwrap_or_default(), f.path));
        if f.line > 0 {
            page.text(&format!(":{}:{}", f.line, f.col));
        }
        let mend = if f.fixable { " (--fix mends it)" } else { "" };
        page.text(&format!(": {}: {}: {}{mend}", f.level, f.code, f.text)).end();
    }
    let _ = match check.findings.len() {
        0 => writeln!(err, "memdir: {} checked, nothing found", files(check.checked)),
        1 => writeln!(err, "memdir: 1 finding in {} checked", files(check.checked)),
        n => writeln!(err, "memdir: {n} findings in {} checked", files(check.checked)),
    };
}
