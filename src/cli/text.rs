//! Answers and errors as text for people and agents.
//!
//! Never prints memory text unescaped: every part of a line passes through `sanitize`.

use std::fmt::Write;

use serde_json::Value;

use super::answer::Answer;
use super::output::{OutputFormat, OutputLayout};
use super::{compact, git, hints, history, results, sanitize, state};
use crate::code::{Rejection, Warning};
use crate::commands::Error;
use crate::commands::answer::{
    Backlink, BulletRow, ChangeResult, ChangedFile, EffectRow, FileList, InitResult, Outline, WarningRow,
};
pub use crate::text::format_size;

/// Collects the text for stdout, with escapes and colours.
pub struct Printer<'a> {
    pub out: String,
    pub format: &'a OutputFormat,
}

/// The style of a part of a line, by its meaning.
#[derive(Clone, Copy)]
pub enum TextStyle {
    Added,
    Removed,
    Handle,
    Heading,
    Dim,
}

impl Printer<'_> {
    /// Appends a text, escaped as a part of a line.
    pub fn text(&mut self, text: &str) -> &mut Self {
        sanitize::escape_line(&mut self.out, text, self.format.terminal);
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
            TextStyle::Dim => "\x1b[2m",
        });
        self.text(text);
        self.out.push_str("\x1b[0m");
        self
    }

    /// Ends the line.
    pub fn end_line(&mut self) {
        self.out.push('\n');
    }

    /// Appends `@handle ^id `.
    pub fn handle(&mut self, handle: &str, id: Option<&str>) -> &mut Self {
        self.styled(TextStyle::Handle, &format!("@{handle}"));
        if let Some(id) = id {
            self.out.push(' ');
            self.styled(TextStyle::Handle, &format!("^{id}"));
        }
        self.out.push(' ');
        self
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
                Some(ink) if self.format.color => drop(self.styled(ink, &escaped)),
                _ => self.out.push_str(&escaped),
            }
            self.end_line();
        }
    }
}

/// Renders an answer: the text for stdout and the text for stderr.
pub fn answer(answer: &Answer, warnings: &[Warning], layout: OutputLayout, format: &OutputFormat) -> (String, String) {
    let mut printer = Printer { out: String::new(), format };
    let mut err = String::new();
    let mut warning_rows: Vec<WarningRow> = warnings.iter().map(warning_row).collect();
    match answer {
        Answer::Changed(change) => {
            warning_rows.extend(change.warnings.iter().cloned());
            change_result(&mut printer, change, &mut err);
        }
        Answer::Repeated(first) => {
            let rev = first.get("rev").and_then(|r| r.as_str()).unwrap_or("an earlier revision");
            printer.text(&format!("= already applied as {rev}")).end_line();
        }
        Answer::Files(files) => {
            file_list(&mut printer, files);
            more_rows(files.more, &mut err);
        }
        Answer::Outline(outline) => {
            outline_rows(&mut printer, outline, layout == OutputLayout::Numbered);
            more_rows(outline.more, &mut err);
        }
        Answer::Found(answer) => results::query_results(&mut printer, answer, &mut err),
        Answer::Context(context) => sanitize::escape_lines(&mut printer.out, &context.text, format.terminal),
        Answer::Text(text) => {
            match format.terminal {
                true => {
                    sanitize::escape_lines(&mut printer.out, &text.text, true);
                    if !printer.out.ends_with('\n') {
                        printer.end_line();
                    }
                }
                false => printer.out.push_str(&text.text),
            }
            if format.verbose {
                let _ = writeln!(err, "{} {} bytes, etag {}", text.path, text.size, text.etag);
            }
        }
        Answer::Log(log) => history::log(&mut printer, log, &mut err),
        Answer::Diff(diff) => history::diff(&mut printer, diff, layout),
        Answer::Status(now) => {
            warning_rows.extend(now.warnings.iter().cloned());
            state::status(&mut printer, now);
        }
        Answer::Check(found) => {
            if let Some(fixed) = &found.fixed {
                warning_rows.extend(fixed.warnings.iter().cloned());
            }
            state::check(&mut printer, found, &mut err);
        }
        Answer::Init(made) => init_result(&mut printer, made, &mut err),
        Answer::Merged(merged) => git::merge_result(&mut printer, merged, &mut err),
        Answer::Resolved(resolved) => {
            warning_rows.extend(resolved.change.warnings.iter().cloned());
            let mut none = String::new();
            change_result(&mut printer, &resolved.change, if resolved.left.is_empty() { &mut err } else { &mut none });
            git::unresolved(&mut printer, resolved);
        }
        Answer::Setup(set) => git::setup(&mut printer, set, &mut err),
        Answer::Sync(sync) => warning_rows.extend(git::sync_result(&mut printer, sync, &mut err)),
        Answer::Model(check) => {
            warning_rows.extend(check.warnings.iter().cloned());
            super::model::model_check(&mut printer, check);
        }
        Answer::Reflected(answer) => {
            warning_rows.extend(answer.warnings.iter().cloned());
            super::reflect::reflect_report(&mut printer, answer, &mut err);
        }
        Answer::Inbox(answer) => {
            warning_rows.extend(answer.warnings.iter().cloned());
            super::reflect::inbox(&mut printer, answer, &mut err);
        }
        Answer::Compacted(done) => {
            warning_rows.extend(done.change.warnings.iter().cloned());
            compact::compact_report(&mut printer, done, &mut err);
        }
        Answer::Where(place) => {
            printer.text(place.path.as_ref().unwrap_or(&place.dir)).end_line();
            if format.verbose {
                let _ = writeln!(err, "found by {}", place.found_by);
            }
        }
    }
    if format.quiet {
        let suppress_stdout = match answer {
            Answer::Setup(setup) => setup.findings.is_empty(),
            Answer::Resolved(resolved) => resolved.left.is_empty(),
            Answer::Sync(sync) => !sync.needs_decision(),
            Answer::Changed(_) | Answer::Compacted(_) | Answer::Init(_) | Answer::Reflected(_) => true,
            Answer::Repeated(_)
            | Answer::Files(_)
            | Answer::Outline(_)
            | Answer::Found(_)
            | Answer::Context(_)
            | Answer::Text(_)
            | Answer::Log(_)
            | Answer::Diff(_)
            | Answer::Status(_)
            | Answer::Check(_)
            | Answer::Where(_)
            | Answer::Merged(_)
            | Answer::Inbox(_)
            | Answer::Model(_) => false,
        };
        if suppress_stdout {
            printer.out.clear();
        }
        return (printer.out, String::new());
    }
    print_warnings(&mut err, &warning_rows, format.terminal);
    (printer.out, err)
}

fn warning_row(w: &Warning) -> WarningRow {
    WarningRow { code: w.code.name(), message: w.message.clone(), details: w.details.clone() }
}

fn print_warnings(err: &mut String, warnings: &[WarningRow], terminal: bool) {
    for (i, warning) in warnings.iter().enumerate() {
        if warnings[..i].iter().any(|t| t.code == warning.code && t.message == warning.message) {
            continue;
        }
        match warning.code {
            "note" => err.push_str("memdir: "),
            code => drop(write!(err, "memdir: warning: {code}: ")),
        }
        sanitize::escape_line(err, &warning.message, terminal);
        err.push('\n');
    }
}

/// Renders a failure: every error with its candidates, hint and commands to try.
pub fn failure(failure: &Error, format: &OutputFormat, terminal: bool) -> String {
    let mut out = String::new();
    for rejection in &failure.rejections {
        refusal(&mut out, rejection, format, terminal);
    }
    if !format.quiet {
        print_warnings(&mut out, &failure.warnings.iter().map(warning_row).collect::<Vec<_>>(), terminal);
    }
    out
}

fn refusal(out: &mut String, r: &Rejection, format: &OutputFormat, terminal: bool) {
    let _ = write!(out, "memdir: {}: ", r.code.name());
    if let Some(n) = r.operation {
        let _ = write!(out, "operation {}: ", n + 1);
    }
    sanitize::escape_line(out, &r.message, terminal);
    out.push_str(match r.changed {
        Some(false) if format.may_change => "; nothing was changed\n",
        Some(false) => "\n",
        Some(true) => "; the change was made\n",
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
        sanitize::escape_line(out, &sanitize::truncate(text, 100), terminal);
        out.push('\n');
    }
    if let Some(Value::Array(candidates)) = r.details.get("candidates") {
        for candidate in candidates {
            let part = |key: &str| candidate.get(key).and_then(Value::as_str).unwrap_or("");
            out.push_str("  ");
            sanitize::escape_line(out, part("address"), terminal);
            out.push(' ');
            sanitize::escape_line(out, &sanitize::truncate(part("text"), 100), terminal);
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
    }
    if let Some(hint) = &r.hint {
        out.push_str("hint: ");
        sanitize::escape_line(out, hint, terminal);
        out.push('\n');
    }
    for command in r.hints.iter().filter_map(|h| hints::to_command(h, &format.dir_option)) {
        let _ = writeln!(out, "try: {command}");
    }
}

/// Prints a change: its files with the revision, and their bullets.
pub fn change_result(printer: &mut Printer, change: &ChangeResult, err: &mut String) {
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
        file_heading(printer, file, change.rev.as_deref());
        effects(printer, &file.effects);
    }
    if let Some(count) = change.applied_count {
        printer.text(&format!("applied {count}")).end_line();
    }
    if !change.changed && change.files.is_empty() {
        err.push_str("memdir: nothing to do\n");
    }
}

/// Prints the heading of a file, such as `new file facts/user.md  r7`.
pub fn file_heading(printer: &mut Printer, file: &ChangedFile, rev: Option<&str>) {
    match file.kind {
        "created" => drop(printer.text("new file ")),
        "removed" => drop(printer.text("removed ")),
        _ => {}
    }
    printer.styled(TextStyle::Heading, &file.path);
    if let Some(to) = &file.to {
        printer.out.push_str(" → ");
        printer.styled(TextStyle::Heading, to);
    }
    match (file.kind, rev) {
        ("unchanged", _) => drop(printer.text("  unchanged")),
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
            "+" => TextStyle::Added,
            "-" => TextStyle::Removed,
            _ => TextStyle::Dim,
        };
        printer.styled(style, effect.sign).text(" ");
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

/// `1 file`, `2 files`.
pub fn file_count(n: usize) -> String {
    format!("{n} file{}", if n == 1 { "" } else { "s" })
}

/// Prints how many rows were cut, and how to see all.
fn more_rows(more: usize, err: &mut String) {
    if more > 0 {
        let _ = writeln!(err, "memdir: {more} more; omit -L to show all");
    }
}

fn file_list(printer: &mut Printer, files: &FileList) {
    printer.out.reserve(files.files.len() * 96);
    for file in &files.files {
        printer.styled(TextStyle::Heading, &file.path);
        match &file.refused {
            Some(why) => drop(printer.text(" (refused: ").text(why).text(")")),
            None => drop(printer.text(" (").text(&format_size(file.size)).text(")")),
        }
        if !file.summary.is_empty() {
            printer.text(": ").text(&file.summary);
        }
        printer.end_line();
    }
}

fn outline_rows(printer: &mut Printer, outline: &Outline, numbered: bool) {
    if !numbered {
        printer.styled(TextStyle::Heading, &outline.path);
        if let Some(section) = &outline.section {
            printer.text("#").text(section);
        }
        let about = if outline.summary.is_empty() { &outline.title } else { &outline.summary };
        if !about.is_empty() {
            printer.text(": ").text(about);
        }
        if printer.format.verbose {
            printer.text("  etag ").text(&outline.etag);
        }
        printer.end_line();
    }
    for bullet in &outline.bullets {
        bullet_row(printer, bullet, numbered);
    }
    for section in &outline.sections {
        let marks = "#".repeat(usize::from(section.level.clamp(1, 6)));
        printer.text(&marks).text(" ").styled(TextStyle::Heading, &section.slug);
        if let Some(id) = &section.id {
            printer.text(" ").styled(TextStyle::Handle, &format!("^{id}"));
        }
        printer.text(" (");
        if let Some(date) = &section.date {
            printer.text(date).text(", ");
        }
        printer.text(&section.bullets.to_string()).text(")");
        match &section.summary {
            Some(summary) => drop(printer.text(": ").text(summary)),
            None if section.title.to_lowercase().replace(' ', "-") != section.slug => {
                printer.text(": ").text(&section.title);
            }
            None => {}
        }
        printer.end_line();
    }
    backlinks(printer, &outline.backlinks);
}

/// The most backlinks that are printed, and the most characters of their texts.
const BACKLINKS: (usize, usize) = (10, 60);

/// Prints `← facts/user.md@acvh depends_on`: the source of a link with its relation, else with the start of its text.
fn backlinks(printer: &mut Printer, rows: &[Backlink]) {
    let (max_rows, max_chars) = BACKLINKS;
    let shown = if printer.format.verbose { rows.len() } else { rows.len().min(max_rows) };
    for row in &rows[..shown] {
        printer.text("← ").styled(TextStyle::Handle, &row.address);
        if let Some(part) = &row.part {
            printer.text(" → #").text(part);
        }
        match &row.relation {
            Some(relation) => drop(printer.text(" ").text(relation)),
            None => drop(printer.text(": ").text(&sanitize::truncate(&row.text, max_chars))),
        }
        printer.end_line();
    }
    if shown < rows.len() {
        printer.styled(TextStyle::Dim, &format!("← and {} more; use -v to show all", rows.len() - shown)).end_line();
    }
}

fn bullet_row(printer: &mut Printer, bullet: &BulletRow, numbered: bool) {
    for _ in 0..bullet.depth {
        printer.out.push_str("  ");
    }
    if let Some(n) = bullet.index.filter(|_| numbered) {
        printer.text(&format!("{n} "));
    }
    printer.handle(&bullet.handle, bullet.id.as_deref()).text(&bullet.text);
    if printer.format.verbose {
        for (key, value) in &bullet.meta {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            printer.styled(TextStyle::Dim, &format!(" {key}={value}"));
        }
    }
    printer.end_line();
}

fn init_result(printer: &mut Printer, made: &InitResult, err: &mut String) {
    printer.styled(TextStyle::Heading, &made.dir).end_line();
    for path in &made.created {
        printer.styled(TextStyle::Added, "+").text(" ").text(path).end_line();
    }
    if made.adopted > 0 {
        printer.text(&format!("adopted {}", file_count(made.adopted))).end_line();
    }
    if !made.changed {
        err.push_str("memdir: nothing to do\n");
    }
    for note in &made.notes {
        err.push_str("memdir: ");
        sanitize::escape_line(err, note, printer.format.terminal);
        err.push('\n');
    }
}

#[cfg(test)]
mod tests;
