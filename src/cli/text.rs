//! Answers and errors as text for people and agents.
//!
//! Never prints memory text raw: everything that a line holds goes through `sanitize`.

use std::fmt::Write;

use serde_json::Value;

use super::output::{Layout, Style};
use super::{compact, found, git, hints, history, sanitize, state};
use crate::code::{Rejection, Warning};
use crate::commands::Failure;
use crate::commands::answer::{
    Answer, Backlink, BulletRow, Changed, ChangedFile, EffectRow, Files, Init, Outline, Told,
};
pub use crate::text::size;

/// A page under construction.
pub struct Page<'a> {
    pub out: String,
    pub style: &'a Style,
}

/// Colours, by what they mean.
#[derive(Clone, Copy)]
pub enum Ink {
    Added,
    Removed,
    Name,
    Head,
    Faint,
}

impl Page<'_> {
    /// A text as a part of a line.
    pub fn text(&mut self, text: &str) -> &mut Self {
        sanitize::line(&mut self.out, text, self.style.terminal);
        self
    }

    /// A text in colour.
    pub fn ink(&mut self, ink: Ink, text: &str) -> &mut Self {
        if !self.style.color {
            return self.text(text);
        }
        self.out.push_str(match ink {
            Ink::Added => "\x1b[32m",
            Ink::Removed => "\x1b[31m",
            Ink::Name => "\x1b[33m",
            Ink::Head => "\x1b[1m",
            Ink::Faint => "\x1b[2m",
        });
        self.text(text);
        self.out.push_str("\x1b[0m");
        self
    }

    /// The end of a line.
    pub fn end(&mut self) {
        self.out.push('\n');
    }

    /// `@handle ^id `.
    pub fn name(&mut self, handle: &str, id: Option<&str>) -> &mut Self {
        self.ink(Ink::Name, &format!("@{handle}"));
        if let Some(id) = id {
            self.out.push(' ');
            self.ink(Ink::Name, &format!("^{id}"));
        }
        self.out.push(' ');
        self
    }

    /// A unified diff, line by line.
    pub fn diff(&mut self, diff: &str) {
        for line in diff.lines() {
            let ink = match line.as_bytes().first() {
                Some(b'+') => Some(Ink::Added),
                Some(b'-') => Some(Ink::Removed),
                Some(b'@') => Some(Ink::Faint),
                _ => None,
            };
            let mut shown = String::with_capacity(line.len());
            sanitize::lines(&mut shown, line, self.style.terminal);
            match ink {
                Some(ink) if self.style.color => drop(self.ink(ink, &shown)),
                _ => self.out.push_str(&shown),
            }
            self.end();
        }
    }
}

/// An answer: what goes to stdout, what to stderr.
pub fn answer(answer: &Answer, warnings: &[Warning], layout: Layout, style: &Style) -> (String, String) {
    let mut page = Page { out: String::new(), style };
    let mut err = String::new();
    let mut told: Vec<Told> = warnings.iter().map(as_told).collect();
    match answer {
        Answer::Changed(change) => {
            told.extend(change.warnings.iter().cloned());
            changed(&mut page, change, &mut err);
        }
        Answer::Repeated(first) => {
            let rev = first.get("rev").and_then(|r| r.as_str()).unwrap_or("an earlier revision");
            page.text(&format!("= done before, as {rev}")).end();
        }
        Answer::Files(files) => {
            list(&mut page, files);
            left_out(files.more, &mut err);
        }
        Answer::Outline(outline) => {
            outlined(&mut page, outline, layout == Layout::Numbered);
            left_out(outline.more, &mut err);
        }
        Answer::Found(answer) => found::found(&mut page, answer, &mut err),
        Answer::Context(context) => sanitize::lines(&mut page.out, &context.text, style.terminal),
        Answer::Text(text) => {
            match style.terminal {
                true => {
                    sanitize::lines(&mut page.out, &text.text, true);
                    if !page.out.ends_with('\n') {
                        page.end();
                    }
                }
                false => page.out.push_str(&text.text),
            }
            if style.verbose {
                let _ = writeln!(err, "{} {} bytes, etag {}", text.path, text.size, text.etag);
            }
        }
        Answer::Log(log) => history::log(&mut page, log, &mut err),
        Answer::Diff(diff) => history::diff(&mut page, diff, layout),
        Answer::Status(now) => {
            told.extend(now.warnings.iter().cloned());
            state::status(&mut page, now);
        }
        Answer::Check(found) => {
            if let Some(fixed) = &found.fixed {
                told.extend(fixed.warnings.iter().cloned());
            }
            state::check(&mut page, found, &mut err);
        }
        Answer::Init(made) => init(&mut page, made, &mut err),
        Answer::Merged(merged) => git::merged(&mut page, merged, &mut err),
        Answer::Resolved(resolved) => {
            told.extend(resolved.change.warnings.iter().cloned());
            let mut none = String::new();
            changed(&mut page, &resolved.change, if resolved.left.is_empty() { &mut err } else { &mut none });
            git::left(&mut page, resolved);
        }
        Answer::Setup(set) => git::setup(&mut page, set, &mut err),
        Answer::Sync(sync) => told.extend(git::synced(&mut page, sync, &mut err)),
        Answer::Model(check) => {
            told.extend(check.warnings.iter().cloned());
            super::model::checked(&mut page, check);
        }
        Answer::Reflected(answer) => {
            told.extend(answer.warnings.iter().cloned());
            super::reflect::reflected(&mut page, answer, &mut err);
        }
        Answer::Inbox(answer) => {
            told.extend(answer.warnings.iter().cloned());
            super::reflect::inbox(&mut page, answer, &mut err);
        }
        Answer::Compacted(done) => {
            told.extend(done.change.warnings.iter().cloned());
            compact::compacted(&mut page, done, &mut err);
        }
        Answer::Where(place) => {
            page.text(place.path.as_ref().unwrap_or(&place.dir)).end();
            if style.verbose {
                let _ = writeln!(err, "found by {}", place.found_by);
            }
        }
    }
    if style.quiet {
        let said = match answer {
            Answer::Setup(setup) => setup.findings.is_empty(),
            Answer::Resolved(resolved) => resolved.left.is_empty(),
            Answer::Sync(sync) => !sync.left(),
            Answer::Changed(_) | Answer::Compacted(_) | Answer::Init(_) | Answer::Reflected(_) => true,
            _ => false,
        };
        if said {
            page.out.clear();
        }
        return (page.out, String::new());
    }
    warn(&mut err, &told, style.terminal);
    (page.out, err)
}

fn as_told(w: &Warning) -> Told {
    Told { code: w.code.name(), message: w.message.clone(), details: w.details.clone() }
}

fn warn(err: &mut String, told: &[Told], terminal: bool) {
    for (i, warning) in told.iter().enumerate() {
        if told[..i].iter().any(|t| t.code == warning.code && t.message == warning.message) {
            continue;
        }
        match warning.code {
            "note" => err.push_str("memdir: "),
            code => drop(write!(err, "memdir: warning: {code}: ")),
        }
        sanitize::line(err, &warning.message, terminal);
        err.push('\n');
    }
}

/// A failure: every refusal with its candidates and commands.
pub fn failure(failure: &Failure, style: &Style, terminal: bool) -> String {
    let mut out = String::new();
    for rejection in &failure.rejections {
        refusal(&mut out, rejection, style, terminal);
    }
    if !style.quiet {
        warn(&mut out, &failure.warnings.iter().map(as_told).collect::<Vec<_>>(), terminal);
    }
    out
}

fn refusal(out: &mut String, r: &Rejection, style: &Style, terminal: bool) {
    let _ = write!(out, "memdir: {}: ", r.code.name());
    if let Some(n) = r.operation {
        let _ = write!(out, "operation {}: ", n + 1);
    }
    sanitize::line(out, &r.message, terminal);
    out.push_str(match r.changed {
        Some(false) => "; nothing was changed\n",
        Some(true) => "; the change was made\n",
        None => "; whether anything was changed is not known\n",
    });
    for key in ["was", "now"] {
        let Some(version) = r.details.get(key) else { continue };
        let part = |key: &str| version.get(key).and_then(Value::as_str);
        let Some(text) = version.as_str().or_else(|| part("text")) else { continue };
        let _ = write!(out, "  {key}: ");
        if let Some(handle) = part("handle") {
            let _ = write!(out, "@{handle} ");
        }
        sanitize::line(out, &sanitize::cut(text, 100), terminal);
        out.push('\n');
    }
    if let Some(Value::Array(candidates)) = r.details.get("candidates") {
        for candidate in candidates {
            let part = |key: &str| candidate.get(key).and_then(Value::as_str).unwrap_or("");
            out.push_str("  ");
            sanitize::line(out, part("address"), terminal);
            out.push(' ');
            sanitize::line(out, &sanitize::cut(part("text"), 100), terminal);
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
    }
    if let Some(hint) = &r.hint {
        out.push_str("hint: ");
        sanitize::line(out, hint, terminal);
        out.push('\n');
    }
    for command in r.hints.iter().filter_map(|h| hints::spell(h, &style.before)) {
        let _ = writeln!(out, "try: {command}");
    }
}

/// A change: its revision, files and bullets.
pub fn changed(page: &mut Page, change: &Changed, err: &mut String) {
    if change.dry_run {
        page.ink(Ink::Faint, "dry run, nothing written").end();
        if let Some(diff) = change.diff.as_deref().filter(|d| !d.is_empty()) {
            return page.diff(diff);
        }
    }
    if let Some(rev) = &change.undone {
        page.text("undone ").text(rev).end();
    }
    if let Some(rev) = &change.redone {
        page.text("redone ").text(rev).end();
    }
    for file in &change.files {
        file_head(page, file, change.rev.as_deref());
        effects(page, &file.effects);
    }
    if let Some(count) = change.applied_count {
        page.text(&format!("applied {count}")).end();
    }
    if !change.changed && change.files.is_empty() {
        err.push_str("memdir: nothing to do\n");
    }
}

/// `facts/user.md  r7`, with what happened to the file where it was not just changed.
pub fn file_head(page: &mut Page, file: &ChangedFile, rev: Option<&str>) {
    match file.kind {
        "created" => drop(page.text("new file ")),
        "removed" => drop(page.text("removed ")),
        _ => {}
    }
    page.ink(Ink::Head, &file.path);
    if let Some(to) = &file.to {
        page.out.push_str(" → ");
        page.ink(Ink::Head, to);
    }
    match (file.kind, rev) {
        ("unchanged", _) => drop(page.text("  unchanged")),
        (_, Some(rev)) => drop(page.text("  ").ink(Ink::Faint, rev)),
        _ => {}
    }
    if let Some(etag) = file.etag.as_ref().filter(|_| page.style.verbose) {
        page.text("  etag ").text(etag);
    }
    page.end();
}

/// `+ @acvh Prefers tabs` and the like.
pub fn effects(page: &mut Page, effects: &[EffectRow]) {
    for effect in effects {
        let ink = match effect.sign {
            "+" => Ink::Added,
            "-" => Ink::Removed,
            _ => Ink::Faint,
        };
        page.ink(ink, effect.sign).text(" ");
        match (&effect.handle, &effect.id) {
            (Some(handle), id) => drop(page.name(handle, id.as_deref())),
            (None, Some(id)) => drop(page.ink(Ink::Name, &format!("^{id}")).text(" ")),
            (None, None) => {}
        }
        page.text(&effect.text);
        if let Some(to) = &effect.to {
            page.text(" → ").text(to);
        }
        if let Some(set) = &effect.set {
            page.text(" (now: ").text(set).text(")");
        }
        if let Some(was) = &effect.was {
            page.text(" (was @").text(&was.handle).text(" ").text(&was.text).text(")");
        }
        for (label, value) in [("from", &effect.source), ("quote", &effect.quote), ("why", &effect.reason)] {
            if let Some(value) = value {
                page.text(&format!(" ({label}: ")).text(value).text(")");
            }
        }
        page.end();
    }
}

/// `1 file`, `2 files`.
pub fn files(n: usize) -> String {
    format!("{n} file{}", if n == 1 { "" } else { "s" })
}

/// Says that a list was cut, and how to see all of it.
fn left_out(more: usize, err: &mut String) {
    if more > 0 {
        let _ = writeln!(err, "memdir: {more} more; without -L all are shown");
    }
}

fn list(page: &mut Page, files: &Files) {
    page.out.reserve(files.files.len() * 96);
    for file in &files.files {
        page.ink(Ink::Head, &file.path);
        match &file.refused {
            Some(why) => drop(page.text(" (refused: ").text(why).text(")")),
            None => drop(page.text(" (").text(&size(file.size)).text(")")),
        }
        if !file.summary.is_empty() {
            page.text(": ").text(&file.summary);
        }
        page.end();
    }
}

fn outlined(page: &mut Page, outline: &Outline, numbered: bool) {
    if !numbered {
        page.ink(Ink::Head, &outline.path);
        if let Some(section) = &outline.section {
            page.text("#").text(section);
        }
        let about = if outline.summary.is_empty() { &outline.title } else { &outline.summary };
        if !about.is_empty() {
            page.text(": ").text(about);
        }
        if page.style.verbose {
            page.text("  etag ").text(&outline.etag);
        }
        page.end();
    }
    for bullet in &outline.bullets {
        row(page, bullet, numbered);
    }
    for section in &outline.sections {
        let marks = "#".repeat(usize::from(section.level.clamp(1, 6)));
        page.text(&marks).text(" ").ink(Ink::Head, &section.slug);
        if let Some(id) = &section.id {
            page.text(" ").ink(Ink::Name, &format!("^{id}"));
        }
        page.text(" (");
        if let Some(date) = &section.date {
            page.text(date).text(", ");
        }
        page.text(&section.bullets.to_string()).text(")");
        match &section.summary {
            Some(summary) => drop(page.text(": ").text(summary)),
            None if section.title.to_lowercase().replace(' ', "-") != section.slug => {
                page.text(": ").text(&section.title);
            }
            None => {}
        }
        page.end();
    }
    backlinks(page, &outline.backlinks);
}

/// How many backlinks are shown, how wide their texts.
const BACKLINKS: (usize, usize) = (10, 60);

/// `← facts/user.md@acvh depends_on`: who links here, with what it says of it, else the beginning of its text.
fn backlinks(page: &mut Page, rows: &[Backlink]) {
    let (most, wide) = BACKLINKS;
    let shown = if page.style.verbose { rows.len() } else { rows.len().min(most) };
    for row in &rows[..shown] {
        page.text("← ").ink(Ink::Name, &row.address);
        if let Some(part) = &row.part {
            page.text(" → #").text(part);
        }
        match &row.relation {
            Some(relation) => drop(page.text(" ").text(relation)),
            None => drop(page.text(": ").text(&sanitize::cut(&row.text, wide))),
        }
        page.end();
    }
    if shown < rows.len() {
        page.ink(Ink::Faint, &format!("← and {} more: -v shows all", rows.len() - shown)).end();
    }
}

fn row(page: &mut Page, bullet: &BulletRow, numbered: bool) {
    for _ in 0..bullet.depth {
        page.out.push_str("  ");
    }
    if let Some(n) = bullet.index.filter(|_| numbered) {
        page.text(&format!("{n} "));
    }
    page.name(&bullet.handle, bullet.id.as_deref()).text(&bullet.text);
    if page.style.verbose {
        for (key, value) in &bullet.meta {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            page.ink(Ink::Faint, &format!(" {key}={value}"));
        }
    }
    page.end();
}

fn init(page: &mut Page, made: &Init, err: &mut String) {
    page.ink(Ink::Head, &made.dir).end();
    for path in &made.created {
        page.ink(Ink::Added, "+").text(" ").text(path).end();
    }
    if made.adopted > 0 {
        page.text(&format!("adopted {}", files(made.adopted))).end();
    }
    if !made.changed {
        err.push_str("memdir: nothing to do\n");
    }
    for note in &made.notes {
        err.push_str("memdir: ");
        sanitize::line(err, note, page.style.terminal);
        err.push('\n');
    }
}

#[cfg(test)]
mod tests;
