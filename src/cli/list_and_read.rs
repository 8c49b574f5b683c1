//! `init`, `list`, `read`, `etag` and `where`: their options as clap parses them, and their answers as text.
//!
//! Never prints memory text unescaped, except an exact text to a pipe.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;

use super::args::whole_number;
use super::history::to_minute;
use super::output::OutputLayout;
use super::print_result::PrintResult;
use super::sanitize;
use super::text::{Printer, TextStyle, format_size};
use crate::commands::results::{
    Backlink, BulletBlame, BulletRow, CommitOrigin, EtagResult, FileList, InitResult, Outline, PathResult, TextResult,
};
use crate::document::MetaKey;
use crate::text::one_line::cut_with_ellipsis;

use crate::text::counted_noun::counted_noun;
use crate::text::display_width;
use crate::view::query::query_row::{branch_mark, expired_mark};

#[derive(Args, Debug)]
#[command(about = "Create a memory", after_help = "Example: memdir init memory --example")]
#[group(skip)]
pub struct InitArgs {
    /// The directory (default: --dir, MEMDIR, or ./memory; with -g, your own memory)
    #[arg(value_name = "DIR")]
    pub at: Option<PathBuf>,
    /// Include a small example memory (not with --adopt)
    #[arg(long)]
    pub example: bool,
    /// Adopt the existing markdown files without changing them
    #[arg(long)]
    pub adopt: bool,
}

#[derive(Args, Debug)]
#[command(
    about = "List files, or the sections, bullets and backlinks of one",
    after_help = "Example: memdir list user#work"
)]
#[group(skip)]
pub struct ListArgs {
    /// A file or section (default: all files)
    #[arg(value_name = "FILE[#SECTION]")]
    pub address: Option<String>,
    /// Show who last changed each bullet, when and from what
    #[arg(long)]
    pub blame: bool,
    /// Print at most N rows, and how many are left out; 0 for all
    #[arg(short = 'L', long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    pub limit: Option<usize>,
}

#[derive(Args, Debug)]
#[command(
    about = "List all bullets of a file or section with index and handle",
    after_help = "Example: memdir bullet list user"
)]
#[group(skip)]
pub struct BulletListArgs {
    /// The file or section
    #[arg(value_name = "FILE[#SECTION]")]
    pub address: String,
    /// Show who last changed each bullet, when and from what
    #[arg(long)]
    pub blame: bool,
    /// Print at most N rows, and how many are left out; 0 for all
    #[arg(short = 'L', long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    pub limit: Option<usize>,
}

#[derive(Args, Debug)]
#[command(about = "Print a file, section or bullet", after_help = "Example: memdir read user#work")]
#[group(skip)]
pub struct ReadArgs {
    /// FILE, FILE#SECTION or FILE@BULLET
    #[arg(value_name = "ADDRESS")]
    pub address: String,
}

#[derive(Args, Debug)]
#[command(
    about = "Print the etag of a file or section, for --if-match",
    after_help = "Example: memdir write user -F new.md --if-match \"$(memdir etag user)\""
)]
#[group(skip)]
pub struct EtagArgs {
    /// The file or section
    #[arg(value_name = "FILE[#SECTION]")]
    pub address: String,
}

#[derive(Args, Debug)]
#[command(about = "Print the path of the memory or of a file", after_help = "Example: cd \"$(memdir where)\"")]
#[group(skip)]
pub struct WhereArgs {
    /// The file (default: the data directory)
    #[arg(value_name = "FILE")]
    pub address: Option<String>,
}

impl PrintResult for InitResult {
    fn print(&self, printer: &mut Printer) {
        printer.styled(TextStyle::Heading, &self.dir).end_line();
        for path in &self.created {
            printer.styled(TextStyle::Added, "+").text(" ").text(path).end_line();
        }
        if self.adopted > 0 {
            printer.text(&format!("adopted {}", counted_noun(self.adopted, "file"))).end_line();
        }
        if !self.changed {
            printer.note("nothing to do");
        }
        self.notes.iter().for_each(|note| printer.note(note));
    }

    fn has_changed(&self) -> bool {
        self.changed
    }

    fn is_quiet(&self) -> bool {
        true
    }
}

/// Prints how many rows were cut, and how to see all.
fn more_rows(printer: &mut Printer, more: usize) {
    if more > 0 {
        printer.note(&format!("{more} more; -L 0 shows all"));
    }
}

impl PrintResult for FileList {
    fn print(&self, printer: &mut Printer) {
        self.left_out.iter().for_each(|reason| printer.note(reason));
        if let Some(columns) = printer.format.columns() {
            file_table(printer, self, columns);
            return more_rows(printer, self.more);
        }
        printer.out.reserve(self.files.len() * 96);
        for file in &self.files {
            printer.styled(TextStyle::Heading, &file.path);
            match &file.refused {
                Some(reason) => drop(printer.text(" (refused: ").text(reason).text(")")),
                None => drop(printer.text(" (").text(&format_size(file.size)).text(")")),
            }
            if !file.summary.is_empty() {
                printer.text(": ").text(&file.summary);
            }
            printer.end_line();
        }
        more_rows(printer, self.more);
    }
}

/// The widest column of paths that still leaves room for summaries.
const MAX_PATH_COLUMNS: usize = 40;

/// Prints files on a terminal: path, size and summary in columns, each file on one line.
fn file_table(printer: &mut Printer, list: &FileList, columns: usize) {
    let shown = |text: &str| {
        let mut shown = String::new();
        sanitize::escape_line(&mut shown, text, true);
        shown
    };
    let widths = list.files.iter().map(|file| display_width(&shown(&file.path)));
    let path_width = widths.max().unwrap_or(0).min(MAX_PATH_COLUMNS);
    for file in &list.files {
        printer.file(Some(TextStyle::Heading), &file.path, &file.path);
        let width = display_width(&shown(&file.path));
        printer.align(width, path_width);
        let size = if file.refused.is_some() { "refused".to_owned() } else { format_size(file.size) };
        printer.styled(TextStyle::Dim, &format!("  {size:>8}  "));
        let room = columns.saturating_sub(width.max(path_width) + 12);
        let about = shown(file.refused.as_deref().unwrap_or(&file.summary));
        printer.out.push_str(&fit_columns(&about, room));
        printer.out.truncate(printer.out.trim_end_matches(' ').len());
        printer.end_line();
    }
}

/// The text cut to a number of terminal columns, with an ellipsis if it was cut.
fn fit_columns(text: &str, columns: usize) -> String {
    if display_width(text) <= columns {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        if display_width(&cut) + display_width(c.encode_utf8(&mut [0; 4])) + 1 > columns {
            break;
        }
        cut.push(c);
    }
    cut + if columns > 0 { "…" } else { "" }
}

impl PrintResult for Outline {
    fn print(&self, printer: &mut Printer) {
        outline_rows(printer, self, printer.layout == OutputLayout::Numbered);
        more_rows(printer, self.more);
    }
}

fn outline_rows(printer: &mut Printer, outline: &Outline, numbered: bool) {
    if !numbered {
        printer.file(Some(TextStyle::Heading), &outline.path, &outline.path);
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
        bullet_row(printer, &outline.path, bullet, numbered);
    }
    for section in &outline.sections {
        // A line `Title: (ID: x)` has no marks in its file either.
        if section.level <= 6 {
            printer.text(&"#".repeat(usize::from(section.level.max(1)))).text(" ");
        }
        printer.styled(TextStyle::Heading, &section.slug);
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
            None => drop(printer.text(": ").text(&cut_with_ellipsis(&row.text, max_chars))),
        }
        printer.end_line();
    }
    if shown < rows.len() {
        printer.styled(TextStyle::Dim, &format!("← and {} more; use -v to show all", rows.len() - shown)).end_line();
    }
}

fn bullet_row(printer: &mut Printer, path: &str, bullet: &BulletRow, numbered: bool) {
    for _ in 0..bullet.depth {
        printer.out.push_str("  ");
    }
    if let Some(n) = bullet.index.filter(|_| numbered) {
        printer.text(&format!("{n} "));
    }
    let reference = bullet.address.strip_prefix(path).unwrap_or(&bullet.address);
    printer.reference(reference, bullet.id.as_deref()).text(&bullet.text);
    let branch = bullet.meta.get(MetaKey::Branch.name()).and_then(|name| name.as_str());
    if let Some(branch) = branch.filter(|_| !printer.format.verbose) {
        printer.styled(TextStyle::Dim, &branch_mark(branch));
    }
    if let Some(last) = bullet.last_day().filter(|_| bullet.expired) {
        printer.styled(TextStyle::Dim, &expired_mark(&last.to_string()));
    }
    if printer.format.verbose {
        for (key, value) in &bullet.meta {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            printer.styled(TextStyle::Dim, &format!(" {key}={value}"));
        }
    }
    printer.end_line();
    if let Some(blame) = &bullet.blame {
        blame_line(printer, bullet.depth, blame);
    }
}

/// Prints the last change of a bullet: `r2 2026-02-24 10:00Z bot: updated from "Prefers tabs" (why: …)`.
fn blame_line(printer: &mut Printer, depth: u8, blame: &BulletBlame) {
    for _ in 0..=depth {
        printer.out.push_str("  ");
    }
    let Some(actor) = &blame.actor else {
        printer.styled(TextStyle::Dim, "unknown: no revision on this machine explains it").end_line();
        return;
    };
    if let Some(rev) = &blame.rev {
        printer.styled(TextStyle::Handle, rev).text(" ");
    }
    if let Some(at) = &blame.at {
        printer.styled(TextStyle::Dim, &to_minute(at)).text(" ");
    }
    printer.text(actor).text(": ").text(blame.change.name());
    if let Some(from) = &blame.from {
        printer.text(" from \"").text(from).text("\"");
    }
    if let Some(from) = &blame.moved_from {
        printer.text(" from ").text(from);
    }
    for (label, value) in [("proposed by", &blame.proposed_by), ("why", &blame.reason), ("from", &blame.source)] {
        if let Some(value) = value {
            printer.text(&format!(" ({label}: ")).text(value).text(")");
        }
    }
    if let Some(commit) = &blame.commit {
        print_commit(printer, commit);
    }
    printer.end_line();
}

/// Prints the commit that brought a bullet: ` (commit 43b65bf8e8 2026-02-24 10:00Z by ana)`.
pub(super) fn print_commit(printer: &mut Printer, commit: &CommitOrigin) {
    let id = commit.id.get(..10).unwrap_or(&commit.id);
    printer
        .text(" (commit ")
        .text(id)
        .text(" ")
        .text(&to_minute(&commit.at))
        .text(" by ")
        .text(&commit.author)
        .text(")");
}

impl PrintResult for TextResult {
    /// Prints the exact text, escaped only for a terminal.
    fn print(&self, printer: &mut Printer) {
        if printer.format.terminal {
            sanitize::escape_lines(&mut printer.out, &self.text, true);
            if !printer.out.ends_with('\n') {
                printer.end_line();
            }
        } else {
            printer.out.push_str(&self.text)
        }
        if printer.format.verbose {
            let section = self.section.as_ref().filter(|_| self.handle.is_none());
            let (place, size) = match section {
                Some(section) => (format!("{}#{section}", self.path), self.text.len() as u64),
                None => (self.path.clone(), self.size),
            };
            let _ = writeln!(printer.err, "{place} {size} bytes, etag {}", self.etag);
        }
    }
}

impl PrintResult for EtagResult {
    fn print(&self, printer: &mut Printer) {
        printer.text(&self.etag).end_line();
    }
}

impl PrintResult for PathResult {
    fn print(&self, printer: &mut Printer) {
        printer.text(self.path.as_ref().unwrap_or(&self.dir)).end_line();
        if printer.format.verbose {
            let _ = writeln!(printer.err, "found by {}", self.found_by.name());
        }
    }
}
