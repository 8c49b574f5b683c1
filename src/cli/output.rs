//! Decides what goes to stdout, what goes to stderr, and the exit status. No other module does.
//!
//! Never computes an result, and never fails on a closed pipe: a reader that closes it has read enough.

use std::io::{ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;

use super::args::{ColorChoice, GlobalArgs};
use super::print_result::{PrintResult, PrintableResult};
use super::{hyperlinks, json, open, pager, sanitize, text};
use crate::code::{Code, Rejection, Warning};
use crate::commands::{Error, OpenedFile};
use crate::host::pager as host_pager;
use crate::text::shell_quote::shell_quote;

/// How answers are printed.
#[derive(Clone, Debug, Default)]
pub struct OutputFormat {
    /// Print one JSON object.
    pub json: bool,
    /// Print no result of a change and no warnings.
    pub quiet: bool,
    /// Also print etags and metadata.
    pub verbose: bool,
    pub color: bool,
    /// Whether stdout is a terminal.
    pub terminal: bool,
    /// The rows and columns of that terminal; `None` in a pipe.
    pub size: Option<(usize, usize)>,
    /// Whether that terminal shows links to files.
    pub links: bool,
    /// The directory of the files that an result names, if they are shown as links.
    pub link_dir: Option<PathBuf>,
    /// The command of the user's pager, if the answer may be shown through it.
    pub pager: Option<String>,
    /// Whether the command may change something; if so, errors report that nothing was changed.
    pub may_change: bool,
    /// How the caller selected the data directory (`-C DIR`, `--dir DIR`, `-g`, `-S NAME`), repeated in the commands to
    /// try.
    pub dir_option: String,
    /// Its part that git understands, too: `-C DIR`.
    pub start_options: String,
}

impl OutputFormat {
    /// Derives the format from the options, the environment and whether stdout is a terminal.
    pub fn new(global: &GlobalArgs) -> OutputFormat {
        let terminal = std::io::stdout().is_terminal();
        let no_color = || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let is_dumb = || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        let color = match global.color.unwrap_or_default() {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !no_color() && !is_dumb(),
        };
        let quote = |dir: &std::ffi::OsStr| shell_quote(&dir.to_string_lossy());
        let mut dir_options: Vec<String> = global.start.iter().map(|dir| format!("-C {}", quote(dir))).collect();
        let start_options = dir_options.join(" ");
        dir_options.extend(global.dir.as_ref().map(|dir| format!("--dir {}", quote(dir.as_os_str()))));
        dir_options.extend(global.global.then(|| "-g".to_owned()));
        dir_options.extend(global.scope.as_ref().map(|name| format!("-S {}", shell_quote(name))));
        let dir_option = dir_options.join(" ");
        let GlobalArgs { json, quiet, verbose, .. } = *global;
        let size = if terminal { host_pager::terminal_size() } else { None };
        let links = color && terminal && hyperlinks::are_supported(&open::env);
        let format = OutputFormat { json, quiet, verbose, color, terminal, size, links, ..OutputFormat::default() };
        OutputFormat { dir_option, start_options, ..format }
    }

    /// The columns of the terminal; `None` in a pipe.
    pub fn columns(&self) -> Option<usize> {
        self.size.map(|(_, columns)| columns)
    }
}

/// A variant of an result's layout, selected by the command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputLayout {
    #[default]
    Plain,
    /// Bullets with their indexes.
    Numbered,
    /// A diff as counts per file.
    Stat,
    /// A diff as bullet changes.
    Bullets,
    /// Entries of the history, short.
    OneLine,
    /// Findings as annotations of GitHub Actions.
    GitHub,
}

/// The result of a command line, ready to be printed.
pub enum CliReply {
    /// Text printed as it is: help, a schema, a script.
    Text(String),
    /// An exit status required by another program (git), and text for stderr.
    Status(u8, String),
    /// A whole file, whose bytes are copied to stdout, and an action to run only after that.
    Copy(OpenedFile, Box<dyn FnOnce()>),
    /// Lines that are printed one by one, each as soon as it is there; an error ends them.
    Lines(Box<dyn Iterator<Item = Result<String, Rejection>>>),
    /// The envelope of a hook, a message for stderr, and an action that is run afterwards, with whether the envelope was
    /// printed. The exit status is 0 in any case.
    Hook(String, Option<String>, Box<dyn FnOnce(bool)>),
    /// A reply that names files in this directory.
    About(PathBuf, Box<CliReply>),
    /// A result, and an action to run only after it was printed.
    ResultThen(PrintableResult, Vec<Warning>, Box<dyn FnOnce()>),
    /// A result or an error, with the session's warnings.
    Result(Box<Result<PrintableResult, Error>>, Vec<Warning>, OutputLayout),
}

impl CliReply {
    /// The reply of a command that returned this result.
    pub fn of<T: Into<PrintableResult>>(
        result: Result<T, Error>,
        warnings: Vec<Warning>,
        layout: OutputLayout,
    ) -> CliReply {
        CliReply::Result(Box::new(result.map(Into::into)), warnings, layout)
    }

    /// The same reply in another layout.
    pub fn in_layout(self, layout: OutputLayout) -> CliReply {
        match self {
            CliReply::Result(result, warnings, _) => CliReply::Result(result, warnings, layout),
            CliReply::About(dir, reply) => CliReply::About(dir, Box::new(reply.in_layout(layout))),
            other => other,
        }
    }

    /// The same reply, whose files are in a directory.
    pub fn about(self, dir: PathBuf) -> CliReply {
        match self {
            CliReply::Result(ref result, ..) if result.is_err() => self,
            other => CliReply::About(dir, Box::new(other)),
        }
    }
}

impl From<Error> for CliReply {
    fn from(error: Error) -> CliReply {
        CliReply::Result(Box::new(Err(error)), Vec::new(), OutputLayout::Plain)
    }
}

impl From<Rejection> for CliReply {
    fn from(rejection: Rejection) -> CliReply {
        CliReply::Result(Box::new(Err(rejection.into())), Vec::new(), OutputLayout::Plain)
    }
}

/// Prints a reply and returns the exit status.
pub fn print_reply(reply: CliReply, format: &OutputFormat) -> u8 {
    match reply {
        CliReply::Text(text) => exit_status(write_stdout(&text), 0, false, format),
        CliReply::Status(status, stderr) => {
            write_stderr(&stderr);
            status
        }
        CliReply::Lines(lines) => {
            for line in lines {
                match line.map(|line| write_stdout(&line)) {
                    Ok(Ok(())) => {}
                    Ok(result) => return exit_status(result, 0, false, format),
                    Err(rejection) => return print_reply(rejection.into(), format),
                }
            }
            exit_status(Ok(()), 0, false, format)
        }
        CliReply::Hook(envelope, message, then) => {
            if let Some(message) = message {
                let mut line = "memdir: ".to_owned();
                sanitize::escape_line(&mut line, &message, true);
                write_stderr(&(line + "\n"));
            }
            then(write_stdout(&envelope).is_ok());
            0
        }
        CliReply::Copy(file, then) => copy_file(file, then, format),
        CliReply::About(dir, reply) => {
            let link_dir = Some(dir).filter(|_| format.links);
            print_reply(*reply, &OutputFormat { link_dir, ..format.clone() })
        }
        CliReply::ResultThen(result, warnings, then) => {
            let (out, err) = render_result(&*result, &warnings, OutputLayout::Plain, format);
            write_stderr(&err);
            if needs_pager(&out, result_status(&*result), format) {
                then();
                return show(&out, &*result, format);
            }
            let written = write_stdout(&out);
            if written.is_ok() {
                then();
            }
            exit_status(written, result_status(&*result), result.has_changed(), format)
        }
        CliReply::Result(verdict, warnings, layout) => match *verdict {
            Ok(result) => print_result(&*result, &warnings, layout, format),
            Err(error) => print_error(error, warnings, format),
        },
    }
}

fn copy_file(file: OpenedFile, then: Box<dyn FnOnce()>, format: &OutputFormat) -> u8 {
    // A copy of the descriptor, because `Stdout` is line buffered and would scan every piece for line ends.
    let out = std::io::stdout().as_fd().try_clone_to_owned();
    match out.and_then(|out| file.copy_to(&mut std::fs::File::from(out))) {
        Ok(Err(rejection)) => print_error(rejection.into(), Vec::new(), format),
        Ok(Ok(())) => {
            then();
            0
        }
        Err(e) => exit_status(Err(e), 0, false, format),
    }
}

fn print_result(result: &dyn PrintResult, warnings: &[Warning], layout: OutputLayout, format: &OutputFormat) -> u8 {
    let (out, err) = render_result(result, warnings, layout, format);
    write_stderr(&err);
    show(&out, result, format)
}

/// Prints the text of a result, through the pager if it is long, and returns the exit status.
fn show(out: &str, result: &dyn PrintResult, format: &OutputFormat) -> u8 {
    let status = result_status(result);
    if let Some(pager) = format.pager.as_ref().filter(|_| needs_pager(out, status, format)) {
        // Only a failure returns; then the text is printed as without a pager.
        let _ = host_pager::become_pager(pager, out);
    }
    exit_status(write_stdout(out), status, result.has_changed(), format)
}

/// Whether a text is shown through the pager. A result with findings is not: its exit status would be the pager's.
fn needs_pager(out: &str, status: u8, format: &OutputFormat) -> bool {
    let is_long = |(rows, columns)| pager::is_longer(out, rows, columns);
    format.pager.is_some() && status == 0 && format.size.is_some_and(is_long)
}

fn print_error(mut error: Error, warnings: Vec<Warning>, format: &OutputFormat) -> u8 {
    // What the error says is no warning, too.
    let is_said = |warning: &Warning| error.rejections.iter().any(|rejection| rejection.message == warning.message);
    let more: Vec<Warning> = warnings.into_iter().filter(|warning| !is_said(warning)).collect();
    error.warnings.extend(more);
    let terminal = std::io::stderr().is_terminal();
    write_stderr(&if format.json {
        escape_json(json::error(&error, &format.dir_option), terminal)
    } else {
        text::error(&error, format)
    });
    error.exit_status()
}

fn render_result(
    result: &dyn PrintResult,
    warnings: &[Warning],
    layout: OutputLayout,
    format: &OutputFormat,
) -> (String, String) {
    if format.json {
        (escape_json(json::result(result, warnings), format.terminal), String::new())
    } else {
        text::result(result, warnings, layout, format)
    }
}

/// Escapes JSON for a terminal; a pipe gets it unchanged.
fn escape_json(json: String, terminal: bool) -> String {
    if terminal { sanitize::escape_json(json) } else { json }
}

/// The exit status of a result: 0, unless it has findings, conflicts or stopped part-way.
fn result_status(result: &dyn PrintResult) -> u8 {
    result.attention().map_or(0, Code::exit)
}

fn write_stdout(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes to stderr. A failure is ignored: there is nowhere to report it.
fn write_stderr(text: &str) {
    if !text.is_empty() {
        drop(std::io::stderr().lock().write_all(text.as_bytes()));
    }
}

/// The exit status after writing the result. If it could not be written, the error on stderr still reports
/// whether the memory was changed.
fn exit_status(result: std::io::Result<()>, status: u8, changed: bool, style: &OutputFormat) -> u8 {
    match result {
        Ok(()) => status,
        Err(e) if e.kind() == ErrorKind::BrokenPipe => status,
        Err(e) => {
            let mut rejection = Rejection::new(Code::Io, format!("cannot write the answer: {e}"));
            rejection.changed = Some(changed);
            print_error(rejection.into(), Vec::new(), style)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::results::{CheckFinding, CheckReport, FindingLevel};

    #[test]
    fn a_check_with_findings_exits_6() {
        let mut check = CheckReport::default();
        assert_eq!(result_status(&check), 0);
        check.findings.push(CheckFinding {
            path: "facts/a.md".into(),
            line: 1,
            col: 1,
            level: FindingLevel::Warning,
            code: "odd_name",
            ..CheckFinding::default()
        });
        assert_eq!(result_status(&check), 6);
    }
}
