//! The verdict: what goes to stdout, what to stderr, and the exit status. The one place that decides it.
//!
//! Never computes an answer, and never panics on a closed pipe: whoever stopped reading has what he wanted.

use std::io::{ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;

use super::args::{Global, When};
use super::{hints, json, sanitize, text};
use crate::code::{Code, Rejection, Warning};
use crate::commands::answer::Answer;
use crate::commands::{Failure, Verdict, Whole};

/// How answers are to look.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// One JSON object.
    pub json: bool,
    /// No answer of a change, no warnings.
    pub quiet: bool,
    /// Etags and metadata too.
    pub verbose: bool,
    /// With colours.
    pub color: bool,
    /// Stdout is a terminal.
    pub terminal: bool,
    /// What the caller wrote before the verb, for commands to try: `-C DIR`.
    pub before: String,
}

impl Style {
    /// What the options, the environment and the streams ask for.
    pub fn new(global: &Global) -> Style {
        let terminal = std::io::stdout().is_terminal();
        let plain = || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let dumb = || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        let color = match global.color.unwrap_or_default() {
            When::Always => true,
            When::Never => false,
            When::Auto => terminal && !plain() && !dumb(),
        };
        let before = match &global.dir {
            Some(dir) => format!("-C {}", hints::quote(&dir.to_string_lossy())),
            None if global.global => "-g".to_owned(),
            None => String::new(),
        };
        let Global { json, quiet, verbose, .. } = *global;
        Style { json, quiet, verbose, color, terminal, before }
    }
}

/// How an answer is laid out beyond its own shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// As it is.
    #[default]
    Plain,
    /// Bullets with their numbers.
    Numbered,
    /// Differences: files and counts.
    Stat,
    /// Differences: bullet by bullet.
    Bullets,
}

/// What a verb came to.
pub enum Reply {
    /// Text that is no answer about a memory: help, a schema, a script.
    Plain(String),
    /// What another program's contract wants: an exit status, and what is said on stderr.
    Status(u8, String),
    /// A whole file, its bytes passed on as they are.
    Copy(Whole),
    /// An answer, and what is to be done once it is out, and only then.
    Then(Box<Answer>, Vec<Warning>, Box<dyn FnOnce()>),
    /// An answer or a refusal, and what the session has to say beside it.
    Told(Box<Verdict>, Vec<Warning>, Layout),
}

impl From<Rejection> for Reply {
    fn from(rejection: Rejection) -> Reply {
        Reply::Told(Box::new(Err(rejection.into())), Vec::new(), Layout::Plain)
    }
}

/// Prints a reply and says the exit status.
pub fn finish(reply: Reply, style: &Style) -> u8 {
    match reply {
        Reply::Plain(text) => written(print(&text), 0, false, style),
        Reply::Status(status, said) => {
            talk(&said);
            status
        }
        Reply::Copy(file) => passed(file, style),
        Reply::Then(answer, warnings, then) => {
            let (out, err) = pages(&answer, &warnings, Layout::Plain, style);
            talk(&err);
            let result = print(&out);
            if result.is_ok() {
                then();
            }
            written(result, status(&answer), changed(&answer), style)
        }
        Reply::Told(verdict, warnings, layout) => match *verdict {
            Ok(answer) => answered(&answer, &warnings, layout, style),
            Err(failure) => refused(failure, warnings, style),
        },
    }
}

fn passed(file: Whole, style: &Style) -> u8 {
    // Stdout itself would look for line ends in every piece.
    let out = std::io::stdout().as_fd().try_clone_to_owned();
    match out.and_then(|out| file.pass(&mut std::fs::File::from(out))) {
        Ok(Err(rejection)) => refused(rejection.into(), Vec::new(), style),
        Ok(Ok(())) => 0,
        Err(e) => written(Err(e), 0, false, style),
    }
}

fn answered(answer: &Answer, warnings: &[Warning], layout: Layout, style: &Style) -> u8 {
    let (out, err) = pages(answer, warnings, layout, style);
    talk(&err);
    written(print(&out), status(answer), changed(answer), style)
}

fn refused(mut failure: Failure, warnings: Vec<Warning>, style: &Style) -> u8 {
    failure.warnings.extend(warnings);
    let terminal = std::io::stderr().is_terminal();
    talk(&match style.json {
        true => seen(json::failure(&failure, &style.before), terminal),
        false => text::failure(&failure, style, terminal),
    });
    verdict(&failure)
}

fn pages(answer: &Answer, warnings: &[Warning], layout: Layout, style: &Style) -> (String, String) {
    match style.json {
        true => (seen(json::answer(answer, warnings), style.terminal), String::new()),
        false => text::answer(answer, warnings, layout, style),
    }
}

/// JSON as a terminal may see it; a pipe gets it as it is.
fn seen(json: String, terminal: bool) -> String {
    if terminal { sanitize::json(json) } else { json }
}

/// An answer's exit status: 0, but for a check that found something.
fn status(answer: &Answer) -> u8 {
    match answer {
        Answer::Check(check) if !check.findings.is_empty() => Code::Findings.exit(),
        Answer::Setup(setup) if !setup.findings.is_empty() => Code::Findings.exit(),
        Answer::Resolved(resolved) if !resolved.left.is_empty() => Code::MergeConflict.exit(),
        Answer::Sync(sync) if sync.left() => Code::MergeConflict.exit(),
        Answer::Merged(merged) if !merged.clean => Code::MergeConflict.exit(),
        Answer::Reflected(answer) if answer.partial.is_some() => Code::Partial.exit(),
        _ => 0,
    }
}

/// A failure's exit status: the first refusal's.
fn verdict(failure: &Failure) -> u8 {
    failure.rejections.first().map_or(Code::Internal, |r| r.code).exit().max(1)
}

fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Says on a terminal what begins now.
pub fn progress(what: &str) {
    let mut line = String::from("memdir: ");
    sanitize::line(&mut line, what, true);
    talk(&(line + "…\n"));
}

/// Says something on stderr; nobody can be told when that fails.
fn talk(text: &str) {
    if !text.is_empty() {
        drop(std::io::stderr().lock().write_all(text.as_bytes()));
    }
}

/// The exit status, once the answer is out. Where it cannot get out, the caller must still hear what became of the
/// memory.
fn written(result: std::io::Result<()>, status: u8, changed: bool, style: &Style) -> u8 {
    match result {
        Ok(()) => status,
        Err(e) if e.kind() == ErrorKind::BrokenPipe => status,
        Err(e) => {
            let mut rejection = Rejection::new(Code::Io, format!("the answer cannot be written: {e}"));
            rejection.changed = Some(changed);
            refused(rejection.into(), Vec::new(), style)
        }
    }
}

/// Whether an answer says that the memory changed.
fn changed(answer: &Answer) -> bool {
    match answer {
        Answer::Changed(change) => change.changed && !change.dry_run,
        Answer::Init(init) => init.changed,
        Answer::Resolved(resolved) => resolved.change.changed && !resolved.change.dry_run,
        Answer::Setup(setup) => setup.changed && !setup.dry_run,
        Answer::Sync(sync) => sync.changed && !sync.dry_run,
        Answer::Reflected(answer) => answer.changed && !answer.dry_run,
        Answer::Inbox(answer) => answer.changed && !answer.dry_run,
        Answer::Check(check) => check.fixed.as_ref().is_some_and(|fixed| fixed.changed && !fixed.dry_run),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::answer::{Check, Finding};

    #[test]
    fn the_first_refusal_decides_the_exit_status() {
        let all = vec![Rejection::new(Code::Busy, "a"), Rejection::new(Code::Io, "b")];
        assert_eq!(verdict(&all.into()), 7);
        assert_eq!(verdict(&Vec::new().into()), 1);
    }

    #[test]
    fn a_check_that_found_something_exits_6() {
        let mut check = Check::default();
        assert_eq!(status(&Answer::Check(check.clone())), 0);
        check.findings.push(Finding {
            path: "facts/a.md".into(),
            line: 1,
            col: 1,
            level: "warning",
            code: "odd_name",
            text: String::new(),
            fixable: false,
        });
        assert_eq!(status(&Answer::Check(check)), 6);
    }
}
