//! Answers and errors as text for people and agents.
//!
//! Never prints memory text unescaped: every part of a line passes through `sanitize`.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::output::{OutputFormat, OutputLayout};
use super::print_result::PrintResult;
use super::{github, hyperlinks, sanitize};
use crate::code::{Rejection, SuggestedCommand, Warning};
use crate::commands::Error;
use crate::commands::results::{
    ChangeResult, ChangedFile, ChangedFileKind, ContextResult, EffectRow, EffectSign, RepeatedChange, WarningRow,
};
pub use crate::text::format_size;
use crate::text::one_line::cut_with_ellipsis;

/// Collects the text of a result, with escapes and colours.
pub struct Printer<'a> {
    /// The text for stdout.
    pub out: String,
    /// The text for stderr.
    pub err: String,
    pub layout: OutputLayout,
    pub format: &'a OutputFormat,
}

/// The style of a part of a line, by its meaning.
#[derive(Clone, Copy)]
pub enum TextStyle {
    Added,
    Removed,
    Handle,
    Heading,
    /// Who made a change.
    Name,
    Dim,
}

impl Printer<'_> {
    /// Appends a text, escaped as a part of a line.
    pub fn text(&mut self, text: &str) -> &mut Self {
        sanitize::escape_line(&mut self.out, text, self.format.terminal);
        self
    }

    /// Appends a text that a model wrote and that is no memory, with everything escaped that cannot be seen, also in a
    /// pipe.
    pub fn foreign_text(&mut self, text: &str) -> &mut Self {
        sanitize::escape_line(&mut self.out, text, true);
        self
    }

    /// Appends a text in a style.
    pub fn styled(&mut self, style: TextStyle, text: &str) -> &mut Self {
        if !self.format.color {
            return self.text(text);
        }
        self.out.push_str(match style {
            TextStyle::Added => "\x1b[32m",
            TextStyle::Removed => "\x1b[31m",
            TextStyle::Handle => "\x1b[33m",
            TextStyle::Heading => "\x1b[1m",
            TextStyle::Name => "\x1b[36m",
            TextStyle::Dim => "\x1b[2m",
        });
        self.text(text);
        self.out.push_str("\x1b[0m");
        self
    }

    /// Appends a file's name, as a link to the file where the terminal shows links. `text` starts with the path: a
    /// heading may say more.
    pub fn file(&mut self, style: Option<TextStyle>, path: &str, text: &str) -> &mut Self {
        if let Some(dir) = &self.format.link_dir {
            hyperlinks::start_link(&mut self.out, dir, path);
        }
        match style {
            Some(style) => self.styled(style, text),
            None => self.text(text),
        };
        if self.format.link_dir.is_some() {
            hyperlinks::end_link(&mut self.out);
        }
        self
    }

    /// Appends blanks up to column `width`, for a text `columns` wide that was appended last. Only on a terminal: rows
    /// of a pipe are read by programs.
    pub fn align(&mut self, columns: usize, width: usize) -> &mut Self {
        if self.format.size.is_some() {
            (columns..width).for_each(|_| self.out.push(' '));
        }
        self
    }

    /// Appends a line end; the last call of a chain.
    pub fn end_line(&mut self) {
        self.out.push('\n');
    }

    /// Appends `@handle ^id `.
    pub fn handle(&mut self, handle: &str, id: Option<&str>) -> &mut Self {
        self.reference(&format!("@{handle}"), id)
    }

    /// Appends what selects a bullet in its file, and its id: `@handle ^id `, or `#section@2 ` of equal texts.
    pub fn reference(&mut self, reference: &str, id: Option<&str>) -> &mut Self {
        self.styled(TextStyle::Handle, reference);
        if let Some(id) = id {
            self.out.push(' ');
            self.styled(TextStyle::Handle, &format!("^{id}"));
        }
        self.out.push(' ');
        self
    }

    /// Appends a line `memdir: …` to the text for stderr.
    pub fn note(&mut self, text: &str) {
        self.err.push_str("memdir: ");
        sanitize::escape_line(&mut self.err, text, true);
        self.err.push('\n');
    }

    /// Appends a line with a command to try, unless it cannot be spelled safely.
    pub fn try_command(&mut self, command: &SuggestedCommand) {
        if let Some(command) = command.to_shell(&self.format.dir_option) {
            self.text("try: ").text(&command).end_line();
        }
    }

    /// Appends a unified diff.
    pub fn diff(&mut self, diff: &str) {
        for line in diff.lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => Some(TextStyle::Added),
                Some(b'-') => Some(TextStyle::Removed),
                Some(b'@') => Some(TextStyle::Dim),
                _ => None,
            };
            let mut escaped = String::with_capacity(line.len());
            sanitize::escape_lines(&mut escaped, line, self.format.terminal);
            match style {
                Some(style) if self.format.color => drop(self.styled(style, &escaped)),
                _ => self.out.push_str(&escaped),
            }
            self.end_line();
        }
    }
}

/// Renders a result: the text for stdout and the text for stderr.
pub fn result(
    result: &dyn PrintResult,
    warnings: &[Warning],
    layout: OutputLayout,
    format: &OutputFormat,
) -> (String, String) {
    let mut printer = Printer { out: String::new(), err: String::new(), layout, format };
    result.print(&mut printer);
    if format.quiet {
        return (if result.is_quiet() { String::new() } else { printer.out }, String::new());
    }
    let rows: Vec<WarningRow> =
        warnings.iter().map(WarningRow::from).chain(result.warnings().iter().cloned()).collect();
    match layout {
        // The runner reads both streams: a line of stderr could be a command as well.
        OutputLayout::GitHub => rows.iter().for_each(|row| github::warning_annotation(&mut printer.out, row)),
        _ => print_warnings(&mut printer.err, &rows),
    }
    (printer.out, printer.err)
}

impl PrintResult for RepeatedChange {
    fn print(&self, printer: &mut Printer) {
        printer.text("= already applied as ").text(self.rev().unwrap_or("an earlier revision")).end_line();
    }
}

impl PrintResult for ContextResult {
    fn print(&self, printer: &mut Printer) {
        sanitize::escape_lines(&mut printer.out, &self.text, printer.format.terminal);
    }
}

fn print_warnings(err: &mut String, warnings: &[WarningRow]) {
    for (i, warning) in warnings.iter().enumerate() {
        if warnings[..i].iter().any(|t| t.code == warning.code && t.message == warning.message) {
            continue;
        }
        match warning.code {
            "note" => err.push_str("memdir: "),
            code => drop(write!(err, "memdir: warning: {code}: ")),
        }
        sanitize::escape_line(err, &warning.message, true);
        err.push('\n');
    }
}

/// Renders an error: every rejection with its candidates, hint and commands to try.
pub fn error(error: &Error, format: &OutputFormat) -> String {
    let mut out = String::new();
    for rejection in &error.rejections {
        write_rejection(&mut out, rejection, format);
    }
    if !format.quiet {
        print_warnings(&mut out, &error.warnings.iter().map(WarningRow::from).collect::<Vec<_>>());
    }
    out
}

fn write_rejection(out: &mut String, r: &Rejection, format: &OutputFormat) {
    let _ = write!(out, "memdir: {}: ", r.code.name());
    if let Some(n) = r.operation {
        let _ = write!(out, "operation {}: ", n + 1);
    }
    sanitize::escape_line(out, &r.message, true);
    out.push_str(match r.changed {
        Some(false) if r.details.contains_key("proposal") => "; nothing else was changed\n",
        Some(false) if format.may_change => "; nothing was changed\n",
        Some(false) => "\n",
        Some(true) => "; what was done before stays\n",
        None => "; it is not known whether anything was changed\n",
    });
    for key in ["was", "now"] {
        let Some(version) = r.details.get(key) else { continue };
        let part = |key: &str| version.get(key).and_then(Value::as_str);
        let Some(text) = version.as_str().or_else(|| part("text")) else { continue };
        let _ = write!(out, "  {key}: ");
        if let Some(handle) = part("handle") {
            let _ = write!(out, "@{handle} ");
        }
        sanitize::escape_line(out, &cut_with_ellipsis(text, 100), true);
        out.push('\n');
    }
    if let Some(Value::Array(candidates)) = r.details.get("candidates") {
        for candidate in candidates {
            let part = |key: &str| candidate.get(key).and_then(Value::as_str).unwrap_or("");
            out.push_str("  ");
            sanitize::escape_line(out, part("address"), true);
            out.push(' ');
            sanitize::escape_line(out, &cut_with_ellipsis(part("text"), 100), true);
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
    }
    if let Some(hint) = &r.hint {
        out.push_str("hint: ");
        sanitize::escape_line(out, hint, true);
        out.push('\n');
    }
    for command in r.suggestions.iter().filter_map(|c| c.to_shell(&format.dir_option)) {
        let _ = writeln!(out, "try: {command}");
    }
}

impl PrintResult for ChangeResult {
    fn print(&self, printer: &mut Printer) {
        change_result(printer, self);
        if !self.changed && self.files.is_empty() {
            printer.note("nothing to do");
        }
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.warnings
    }

    fn has_all_warnings(&self) -> bool {
        true
    }

    fn has_changed(&self) -> bool {
        self.changed && !self.dry_run
    }

    fn is_quiet(&self) -> bool {
        true
    }
}

/// Prints a change: its files with the revision, and their bullets.
pub fn change_result(printer: &mut Printer, change: &ChangeResult) {
    if change.dry_run {
        printer.styled(TextStyle::Dim, "dry run, nothing written").end_line();
        if let Some(diff) = change.diff.as_deref().filter(|d| !d.is_empty()) {
            return printer.diff(diff);
        }
    }
    if let Some(rev) = &change.undone {
        printer.text("undone ").text(rev).end_line();
    }
    if let Some(rev) = &change.redone {
        printer.text("redone ").text(rev).end_line();
    }
    for file in &change.files {
        file_heading(printer, file, file.rev.as_deref().or(change.rev.as_deref()));
        effects(printer, &file.effects);
    }
    if let Some(count) = change.applied_count {
        printer.text(&format!("applied {count}")).end_line();
    }
}

/// Prints the heading of a file, such as `new file facts/user.md  r7`.
pub fn file_heading(printer: &mut Printer, file: &ChangedFile, rev: Option<&str>) {
    match file.kind {
        ChangedFileKind::Created => drop(printer.text("new file ")),
        ChangedFileKind::Removed => drop(printer.text("removed ")),
        ChangedFileKind::Updated | ChangedFileKind::Moved | ChangedFileKind::Unchanged => {}
    }
    printer.file(Some(TextStyle::Heading), &file.path, &file.path);
    if let Some(to) = &file.to {
        printer.out.push_str(" → ");
        printer.file(Some(TextStyle::Heading), to, to);
    }
    match (file.kind, rev) {
        (ChangedFileKind::Unchanged, _) => drop(printer.text("  unchanged")),
        (_, Some(rev)) => drop(printer.text("  ").styled(TextStyle::Dim, rev)),
        _ => {}
    }
    if let Some(etag) = file.etag.as_ref().filter(|_| printer.format.verbose) {
        printer.text("  etag ").text(etag);
    }
    printer.end_line();
}

/// Prints one line per effect, such as `+ @acvh Prefers tabs`.
pub fn effects(printer: &mut Printer, effects: &[EffectRow]) {
    for effect in effects {
        let style = match effect.sign {
            EffectSign::Added => TextStyle::Added,
            EffectSign::Removed => TextStyle::Removed,
            EffectSign::Unchanged | EffectSign::Moved | EffectSign::Set => TextStyle::Dim,
        };
        printer.styled(style, effect.sign.symbol()).text(" ");
        match (&effect.handle, &effect.id) {
            (Some(handle), id) => drop(printer.handle(handle, id.as_deref())),
            (None, Some(id)) => drop(printer.styled(TextStyle::Handle, &format!("^{id}")).text(" ")),
            (None, None) => {}
        }
        printer.text(&effect.text);
        if let Some(to) = &effect.to {
            printer.text(" → ").text(to);
        }
        if let Some(set) = &effect.set {
            printer.text(" (now: ").text(set).text(")");
        }
        if let Some(was) = &effect.was {
            printer.text(" (was @").text(&was.handle).text(" ").text(&was.text).text(")");
        }
        for (label, value) in [("from", &effect.source), ("quote", &effect.quote), ("why", &effect.reason)] {
            if let Some(value) = value {
                printer.text(&format!(" ({label}: ")).text(value).text(")");
            }
        }
        printer.end_line();
    }
}

/// What the guards decided about proposals, as one line; `None` before the first proposal.
pub fn guard_figures(
    first_pass: Option<f64>,
    grounded: Option<f64>,
    refused: &BTreeMap<String, u64>,
) -> Option<String> {
    let percent = |share: f64, what: &str| format!("{:.0} % {what}", share * 100.0);
    let mut parts = vec![percent(first_pass?, "passed all guards at the first attempt")];
    parts.extend(grounded.map(|share| percent(share, "grounded")));
    let mut refused: Vec<(&String, &u64)> = refused.iter().collect();
    refused.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let refused: Vec<String> = refused.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
    let refused = if refused.is_empty() { String::new() } else { format!("; refused: {}", refused.join(", ")) };
    Some(parts.join(", ") + &refused)
}

#[cfg(test)]
mod tests;
