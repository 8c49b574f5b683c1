//! The arguments and the text output of `import` and `export`.
//!
//! Never reads a file, and never prints text of others unescaped, except an export to a pipe.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};

use super::args::ChangeArgs;
use super::print_result::PrintResult;
use super::sanitize;
use super::text::{Printer, TextStyle, change_result};
use crate::code::Code;
use crate::commands::export::{ExportKind, ExportOptions, ExportResult};
use crate::commands::import::{ImportOptions, ImportResult};
use crate::commands::results::WarningRow;
use crate::operation::import::ImportKind;
use crate::text::counted_noun::counted_noun;

#[derive(Args, Debug)]
#[command(
    about = "Import the memories of another program",
    after_help = "SOURCE is a file, a folder or a zip archive. What the memory has already is not added again, and what is \
                  left out or kept in another form is listed. What `memdir log --all -p --json` printed becomes the \
                  history of an empty memory.\n\nExample: memdir import ~/.claude/projects/app/memory -n"
)]
#[group(skip)]
pub struct ImportArgs {
    /// A file, a folder or a zip archive
    #[arg(value_name = "SOURCE", value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Whose memories they are (default: detected from the content)
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(ImportKind::ALL.map(ImportKind::name)))]
    pub from: Option<String>,
    /// The folder for new files (default: facts)
    #[arg(long = "in", value_name = "FOLDER")]
    pub folder: Option<String>,
    /// Create a new file even if its name is close to an existing one
    #[arg(long, help_heading = "Change options")]
    pub create: bool,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

impl ImportArgs {
    pub fn to_options(&self) -> ImportOptions {
        ImportOptions { source: self.path.clone(), from: self.from.clone(), folder: self.folder.clone() }
    }
}

#[derive(Args, Debug)]
#[command(
    about = "Print the memory in the format of another program",
    after_help = "Without FILE, all files but those of archive/ and inbox/. What the format has no place for is listed on \
                  stderr.\n\nExample: memdir export --to server-memory -o memory.jsonl"
)]
#[group(skip)]
pub struct ExportArgs {
    /// The files to export (default: all)
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// The format of the output
    #[arg(long, value_name = "KIND", value_enum)]
    pub to: ExportKindArg,
    /// Write to a new file that only you can read; - is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Replace that file if it exists
    #[arg(short, long, requires = "out")]
    pub force: bool,
}

/// The format of an export, as it is named on the command line.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKindArg {
    /// Whole files and their bullets
    Json,
    /// One bullet a line
    Jsonl,
    /// The texts of the files, one after the other
    Markdown,
    /// The index MEMORY.md of Claude Code
    ClaudeIndex,
    /// Entities and relations, one a line
    ServerMemory,
    /// A resource with lists of items
    JsonMemory,
    /// The memories of an app: entries and facts with id, content and times
    Records,
    /// A page to look at, in one file that needs no server
    Html,
}

impl ExportArgs {
    pub fn to_options(&self) -> ExportOptions {
        let to = match self.to {
            ExportKindArg::Json => ExportKind::Json,
            ExportKindArg::Jsonl => ExportKind::Jsonl,
            ExportKindArg::Markdown => ExportKind::Markdown,
            ExportKindArg::ClaudeIndex => ExportKind::ClaudeIndex,
            ExportKindArg::ServerMemory => ExportKind::ServerMemory,
            ExportKindArg::JsonMemory => ExportKind::JsonMemory,
            ExportKindArg::Records => ExportKind::Records,
            ExportKindArg::Html => ExportKind::Html,
        };
        // `-` is standard output.
        let out = self.out.clone().filter(|out| out.as_os_str() != "-");
        ExportOptions { to, files: self.files.clone(), out, force: self.force }
    }
}

impl PrintResult for ImportResult {
    /// Prints the change, the totals, and a line for each item that is not kept as it was.
    fn print(&self, printer: &mut Printer) {
        change_result(printer, &self.change);
        for (what, rows) in [("skipped", &self.skipped), ("altered", &self.altered)] {
            for row in rows {
                printer.styled(TextStyle::Dim, what).text(" ").text(&row.item).text(": ").text(&row.reason).end_line();
            }
        }
        let added = if self.change.dry_run { "to add" } else { "added" };
        // A note begins with "memdir: " already.
        let from = if self.from == ImportKind::Memdir.name() { String::new() } else { format!("{}: ", self.from) };
        printer.note(&format!(
            "{from}{} {added}, {} already there, {} skipped, {} altered",
            self.added,
            self.present,
            self.skipped.len(),
            self.altered.len()
        ));
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.change.warnings
    }

    fn has_changed(&self) -> bool {
        self.change.has_changed()
    }

    fn is_quiet(&self) -> bool {
        true
    }
}

impl PrintResult for ExportResult {
    /// Prints only the text to stdout, and to stderr what it does not contain.
    fn print(&self, printer: &mut Printer) {
        if printer.format.terminal {
            sanitize::escape_lines(&mut printer.out, &self.text, true)
        } else {
            printer.out.push_str(&self.text)
        }
        if let Some(out) = &self.out {
            printer.note(&format!("{} in {out}", counted_noun(self.items, "item")));
        }
        for row in &self.skipped {
            printer.note(&format!("not exported: {}: {}", row.item, row.reason));
        }
    }

    fn attention(&self) -> Option<Code> {
        self.unread.then_some(Code::Partial)
    }
}
