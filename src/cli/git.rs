//! Text output of `merge`, `setup`, `resolve` and `sync`.
//!
//! Never prints memory text unescaped, except a merged text to a pipe.

use super::print_result::PrintResult;
use super::sanitize;
use super::text::{Printer, TextStyle, change_result};
use crate::code::{Code, SuggestedCommand};
use crate::commands::results::{
    ConflictRow, ConflictSide, ConflictedFile, EffectSign, MergeResult, RenamedFile, ResolveResult, SetupResult,
    SyncResult, UndecidedFile, UndecidedReason, WarningRow,
};
use crate::commands::sync::home::ON_CONFLICT_BRANCH;
use crate::host::agent_hosts::{AgentHost, SETUP_NOTE};
use crate::text::counted_noun::counted_noun;
use crate::text::one_line::cut_with_ellipsis;
use crate::text::shell_quote::shell_quote;

impl PrintResult for MergeResult {
    /// Prints only the merged text to stdout, and the number of conflicts to stderr.
    fn print(&self, printer: &mut Printer) {
        match (&self.out, printer.format.terminal) {
            (Some(_), _) => {}
            (None, true) => sanitize::escape_lines(&mut printer.out, &self.text, true),
            (None, false) => printer.out.push_str(&self.text),
        }
        if !self.clean {
            let lines: Vec<String> = self.clashes.iter().take(20).map(|clash| clash.line.to_string()).collect();
            let n = self.clashes.len();
            let many = if n == 1 { "conflict is" } else { "conflicts are" };
            printer.note(&format!("merge_conflict: {n} {many} left, in line {}", lines.join(", ")));
        }
    }

    fn attention(&self) -> Option<Code> {
        (!self.clean).then_some(Code::MergeConflict)
    }
}

impl PrintResult for SetupResult {
    /// Prints the lines added and removed in each file.
    fn print(&self, printer: &mut Printer) {
        if self.dry_run {
            printer.styled(TextStyle::Dim, "dry run, nothing written").end_line();
        }
        for file in &self.files {
            printer.styled(TextStyle::Heading, &file.path).end_line();
            for line in &file.lines {
                let style = if line.sign == EffectSign::Added { TextStyle::Added } else { TextStyle::Removed };
                printer.styled(style, line.sign.symbol()).text(" ").text(&line.text).end_line();
            }
        }
        if self.wired && self.has_changed() {
            printer.note(match self.host {
                None => "commit these changes, and run `memdir setup git` once in every other clone",
                Some(name) => AgentHost::by_name(name).map_or(SETUP_NOTE, |host| host.setup_note),
            });
        }
        for command in &self.commands {
            printer.text("run: ").text(command).end_line();
        }
        for finding in &self.findings {
            printer.text(finding).end_line();
        }
        for entry in &self.kept {
            printer.note(entry);
        }
        if self.findings.is_empty() && self.commands.is_empty() && self.kept.is_empty() && !self.changed {
            printer.note(match (self.wired, self.host) {
                (true, None) => "git merges by bullet here",
                (true, Some(_)) => "everything is set up already",
                (false, _) => "nothing to do",
            });
        }
    }

    fn attention(&self) -> Option<Code> {
        (!self.findings.is_empty()).then_some(Code::Findings)
    }

    fn has_changed(&self) -> bool {
        self.changed && !self.dry_run
    }

    fn is_quiet(&self) -> bool {
        self.findings.is_empty() && self.commands.is_empty() && self.kept.is_empty()
    }
}

impl PrintResult for ResolveResult {
    /// Prints the change, the unresolved conflicts with the bullets of both sides, and the commands to continue.
    fn print(&self, printer: &mut Printer) {
        if self.needs_decision() {
            change_result(printer, &self.change)
        } else {
            self.change.print(printer)
        }
        for file in &self.left {
            unresolved_file(printer, file);
            for option in ["--ours", "--theirs", "--both"] {
                printer.try_command(&SuggestedCommand {
                    subcommand: vec!["resolve", option],
                    operands: vec![file.path.clone()],
                });
            }
        }
        self.undecided.iter().for_each(|file| undecided_file(printer, file, &self.dir));
        for path in &self.add {
            let inside = path.strip_prefix(&self.dir).map_or(&**path, |path| path.trim_start_matches('/'));
            let git = git_in(printer, &self.dir);
            try_line(printer, &format!("{git} add -- {}", shell_quote(inside)));
        }
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.change.warnings
    }

    fn attention(&self) -> Option<Code> {
        self.needs_decision().then_some(Code::MergeConflict)
    }

    fn has_changed(&self) -> bool {
        self.change.has_changed()
    }

    fn is_quiet(&self) -> bool {
        !self.needs_decision()
    }
}

/// git, run in the data directory, wherever the user is: paths are relative to it.
fn git_in(printer: &Printer, dir: &str) -> String {
    let mut command = "git".to_owned();
    if !printer.format.start_options.is_empty() {
        command = format!("{command} {}", printer.format.start_options);
    }
    if !dir.is_empty() {
        command = format!("{command} -C {}", shell_quote(dir));
    }
    command
}

fn unresolved_file(printer: &mut Printer, file: &ConflictedFile) {
    let count = counted_noun(file.conflicts.len(), "conflict");
    printer.styled(TextStyle::Heading, &file.path).text(": ").text(&count).text(" left").end_line();
    file.conflicts.iter().for_each(|conflict| conflict_sides(printer, conflict));
}

/// The most file names in one line.
const MAX_NAMED_FILES: usize = 5;

impl PrintResult for SyncResult {
    /// Prints what was committed, merged and pushed, then the unresolved conflicts and the commands to continue.
    fn print(&self, printer: &mut Printer) {
        if self.dry_run {
            printer.styled(TextStyle::Dim, "dry run, nothing committed; the remote was not contacted").end_line();
        }
        for commit in &self.committed {
            match &commit.commit {
                Some(name) => {
                    let subject = commit.message.lines().next().unwrap_or_default();
                    printer.text("committed ").styled(TextStyle::Handle, name).text(" ").text(subject).end_line();
                }
                None => commit.message.trim_end().lines().for_each(|line| printer.text(line).end_line()),
            }
        }
        let remote = self.remote.as_deref().unwrap_or_default();
        if let Some(merged) = &self.merged {
            let names = merged.files.iter().take(MAX_NAMED_FILES).map(String::as_str).collect::<Vec<_>>().join(" ");
            let more = merged.files.len().saturating_sub(MAX_NAMED_FILES);
            printer.text("merged ").text(&counted_noun(merged.commits, "commit")).text(" from ").text(remote);
            printer.text(if names.is_empty() { "" } else { ": " }).text(&names);
            printer.text(&if more > 0 { format!(" and {more} more") } else { String::new() }).end_line();
        }
        if self.pushed > 0 {
            printer.text("pushed ").text(&counted_noun(self.pushed, "commit")).text(" to ").text(remote).end_line();
        }
        self.conflicts.iter().for_each(|file| unresolved_file(printer, file));
        for file in &self.conflicts {
            printer.try_command(&SuggestedCommand::new("resolve", file.path.clone()));
        }
        self.undecided.iter().for_each(|file| undecided_file(printer, file, &self.dir));
        if let Some(branch) = &self.conflict_branch {
            printer.note(&format!(
                "merge_conflict: this memory and the remote changed the same; {ON_CONFLICT_BRANCH}{branch}: \
                 merge it there, or sync with it here and resolve the conflicts"
            ));
            self.try_again(printer);
        } else if self.has_only_markers() {
            printer.note(
                "merge_conflict: nothing was committed; resolve the conflicts, or indent such lines by a space where \
                 they are an example (as in a code block), then sync again",
            );
            self.try_again(printer);
        } else if self.needs_decision() {
            printer.note(
                "merge_conflict: the merge is not finished; resolve the conflicts, then sync again (or `git commit`; \
                 `git merge --abort` cancels the merge)",
            );
            self.try_again(printer);
        } else if !self.changed && self.committed.is_empty() {
            let remote =
                if remote.is_empty() || self.dry_run { String::new() } else { format!(", up to date with {remote}") };
            printer.note(&format!("nothing to do{remote}"));
        }
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.warnings
    }

    fn attention(&self) -> Option<Code> {
        self.needs_decision().then_some(Code::MergeConflict)
    }

    fn has_changed(&self) -> bool {
        self.changed && !self.dry_run
    }

    fn is_quiet(&self) -> bool {
        !self.needs_decision()
    }
}

impl SyncResult {
    /// Whether nothing but conflict markers in changed files is in the way: no merge need be in progress.
    fn has_only_markers(&self) -> bool {
        use UndecidedReason::{LeftoverMarker, Markers, OddName};
        let is_marker = |file: &UndecidedFile| matches!(file.reason, Markers | LeftoverMarker | OddName);
        self.conflicts.is_empty() && !self.undecided.is_empty() && self.undecided.iter().all(is_marker)
    }

    /// Prints the command that syncs with the same remote, if the caller named one.
    fn try_again(&self, printer: &mut Printer) {
        if let Some(remote) = &self.requested {
            printer.try_command(&SuggestedCommand::new("sync", remote.clone()));
        }
    }
}

/// Prints a file that could not be merged by bullet, and the commands that resolve it.
fn undecided_file(printer: &mut Printer, file: &UndecidedFile, dir: &str) {
    let description = match file.reason {
        UndecidedReason::RemovedHere => "removed here, changed there",
        UndecidedReason::RemovedThere => "changed here, removed there",
        UndecidedReason::BothMoved => "moved or removed on both sides",
        UndecidedReason::Deleted => "deleted here, although both sides have it; keep one, or none",
        UndecidedReason::BothRenamed => "renamed on both sides, here and there to another name; keep one",
        UndecidedReason::Decided => "has no conflict markers, but is not marked as resolved in git",
        UndecidedReason::Markers => "contains conflict markers",
        UndecidedReason::LeftoverMarker => {
            "has a conflict marker that was left over (see `memdir check`); delete that line"
        }
        UndecidedReason::NoMemory => "is not a file of this memory; resolve it in an editor",
        UndecidedReason::OddName => {
            "has conflict markers and a name that memdir does not write; resolve it in an editor"
        }
        UndecidedReason::Unreadable => "could not be searched for conflict markers",
        UndecidedReason::NoText => "cannot be merged by bullet",
    };
    if let Some(renamed) = &file.renamed {
        return renamed_file(printer, file, renamed, dir);
    }
    let place = file.line.map_or_else(|| file.path.clone(), |line| format!("{}:{line}", file.path));
    printer.styled(TextStyle::Heading, &place).text(": ").text(description).end_line();
    if file.reason == UndecidedReason::Markers {
        return printer.try_command(&SuggestedCommand::new("resolve", file.path.clone()));
    }
    if matches!(file.reason, UndecidedReason::OddName | UndecidedReason::Unreadable | UndecidedReason::LeftoverMarker) {
        return;
    }
    let git = git_in(printer, dir);
    let path = shell_quote(&file.path);
    if file.reason == UndecidedReason::Deleted {
        for command in ["checkout --ours", "checkout --theirs", "rm"] {
            try_line(printer, &format!("{git} {command} -- {path}"));
        }
        return;
    }
    try_line(printer, &format!("{git} add -- {path}"));
    if matches!(file.reason, UndecidedReason::RemovedHere | UndecidedReason::RemovedThere | UndecidedReason::BothMoved)
    {
        try_line(printer, &format!("{git} rm -- {path}"));
    }
}

/// Prints a file that both sides renamed, and the commands that keep one of its names.
fn renamed_file(printer: &mut Printer, file: &UndecidedFile, renamed: &RenamedFile, dir: &str) {
    let RenamedFile { ours, theirs, .. } = renamed;
    let new_names = format!("renamed to {ours} here and to {theirs} there, with the same text in both; keep one");
    printer.styled(TextStyle::Heading, &file.path).text(": ").text(&new_names).end_line();
    let git = git_in(printer, dir);
    let old = shell_quote(&file.path);
    for (kept, gone) in [(ours, theirs), (theirs, ours)] {
        let (kept, gone) = (shell_quote(kept), shell_quote(gone));
        try_line(printer, &format!("{git} rm -- {old} {gone} && {git} add -- {kept}"));
    }
}

fn try_line(printer: &mut Printer, command: &str) {
    printer.text("try: ").text(command).end_line();
}

/// Prints `line 9`, then each side's bullets with their handles, or the first line of its text.
fn conflict_sides(printer: &mut Printer, conflict: &ConflictRow) {
    printer.styled(TextStyle::Dim, &format!("line {}", conflict.line)).end_line();
    let sides = [
        (ConflictSide::Base, conflict.base.as_deref()),
        (ConflictSide::Ours, Some(&*conflict.ours)),
        (ConflictSide::Theirs, Some(&*conflict.theirs)),
    ];
    for (side, text) in sides {
        let Some(text) = text else { continue };
        let name = side.name();
        let mut bullets = conflict.bullets.iter().filter(|b| b.side == side).peekable();
        if bullets.peek().is_none() {
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("(nothing)");
            printer.text(&format!("  {name:<6} ")).text(&cut_with_ellipsis(first, 100)).end_line();
        }
        for bullet in bullets {
            printer.text(&format!("  {name:<6} ")).handle(&bullet.handle, None).text(&bullet.text);
            for (key, value) in &bullet.metadata {
                let pair = if value.is_empty() { format!(" {key}") } else { format!(" {key}={value}") };
                printer.styled(TextStyle::Dim, &pair);
            }
            printer.end_line();
        }
    }
}
