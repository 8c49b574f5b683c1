//! `check --rot DIR`: its answer as text, on one screen.

use std::path::Path;

use super::args::GlobalArgs;
use super::open::{SessionNeeds, check_variables, env, open_session, working_dir};
use super::output::{CliReply, OutputLayout};
use super::print_result::PrintResult;
use super::text::{Printer, TextStyle};
use crate::code::Code;
use crate::commands::results::{RotReport, RotStop, WarningRow};
use crate::commands::{FolderReader, MAX_BULLETS_PER_WORD, check_rot};
use crate::host::{actor, user};
use crate::text::byte_size::format_size;
use crate::text::counted_noun::counted_noun;

/// Runs `check --rot`, which needs no data directory. Where one is found, the caller's scope in it holds.
pub fn run_rot(global: &GlobalArgs, dir: &Path) -> CliReply {
    if let Err(error) = check_variables() {
        return error.into();
    }
    let names_scope = global.scope.is_some() || env("MEMDIR_SCOPE").is_some_and(|name| !name.is_empty());
    let session = match open_session(global, SessionNeeds::Texts, None) {
        Err(error) if names_scope => return error.into(),
        opened => opened.ok(),
    };
    let caller = actor::actor(global.actor.as_deref(), &env, working_dir().ok().as_deref());
    let is_agent = actor::is_agent(global.actor.as_deref(), &env, &user::load_config(&env).0.people);
    let report = check_rot(dir, FolderReader { actor: &caller, is_agent }, session.as_ref());
    CliReply::of(report.map_err(Into::into), Vec::new(), OutputLayout::Plain)
}

/// How many words led to no contradictions, and why.
pub(super) fn frequent_words_line(words: usize) -> String {
    let occur = if words == 1 { "occurs" } else { "occur" };
    let words = counted_noun(words, "word");
    format!("{words} {occur} in more than {MAX_BULLETS_PER_WORD} bullets of a section and led to no contradictions")
}

impl PrintResult for RotReport {
    /// Prints each number with its examples below it.
    fn print(&self, printer: &mut Printer) {
        let size = format!(
            "{}, {}, {}",
            counted_noun(self.files, "file"),
            counted_noun(self.bullets, "bullet"),
            format_size(self.bytes as u64)
        );
        printer.styled(TextStyle::Heading, &self.dir).text(&format!(": {size}")).end_line();
        if self.unreadable > 0 {
            let more = self.unreadable.saturating_sub(self.unreadable_examples.len());
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let named = self.unreadable_examples.join("; ");
            let files = if self.unreadable == 1 { "file or folder was" } else { "files and folders were" };
            printer.note(&format!("{} {files} not read: {named}{more}", self.unreadable));
        }
        if self.left_out > 0 {
            let folders = counted_noun(self.left_out, "folder");
            printer.note(&format!(
                "left out: {folders} of scopes, of Logseq's backups, or of a memory whose policy restricts the caller"
            ));
        }
        if let Some(RotStop { what, limit, entries }) = &self.stopped {
            let line = format!("stopped at {limit} {what}, after {entries} names; the rest was not checked");
            printer.text(&line).end_line();
        }
        if self.frequent_words > 0 {
            printer.text(&frequent_words_line(self.frequent_words)).end_line();
        }
        for row in &self.counts {
            printer.text(&format!("{:>5}  {}", row.count, row.what)).end_line();
            for example in &row.examples {
                printer.text("       ").styled(TextStyle::Dim, example).end_line();
            }
        }
    }

    fn warnings(&self) -> &[WarningRow] {
        &[]
    }

    fn attention(&self) -> Option<Code> {
        self.has_findings().then_some(Code::Findings)
    }
}
