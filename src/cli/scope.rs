//! `scope`: its options as clap parses them, and its answers as text.
//!
//! Never decides what a name may be, or what is kept: `commands/scope.rs` does.

use clap::{Args, ValueEnum};

use super::output::CliReply;
use super::print_result::PrintResult;
use super::run::Runner;
use super::text::{Printer, TextStyle};
use crate::code::{Code, Rejection};
use crate::commands;
use crate::commands::results::{ScopeAction, ScopeChange, ScopeList, ScopeRow, WarningRow};
use crate::commands::scope::{ScopeOptions, leftover_note, without_policy_note};
use crate::text::counted_noun::counted_noun;
use crate::text::shell_quote::shell_quote;

#[derive(Args, Debug)]
#[command(
    about = "List, add or remove scopes: memories of their own in this one, one for each app, user or project",
    after_help = "-S NAME (or MEMDIR_SCOPE) runs any command in a scope. No command of another scope, and no plain \
                  command of the parent memory, shows what is in it. rm moves a scope to scopes/.archived/, which \
                  nothing reads, and add --restore brings it back; rm --purge deletes it, the archived one too.\n\n\
                  Example: memdir scope add web"
)]
#[group(skip)]
pub struct ScopeArgs {
    /// list (default), add or rm
    #[arg(value_name = "ACTION", default_value = "list", hide_default_value = true, hide_possible_values = true)]
    pub action: ScopeCommand,
    /// The scope's name: a-z, 0-9, '.', '_' and '-'
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Take an archived scope back
    #[arg(long)]
    pub restore: bool,
    /// Delete the scope and its history for good
    #[arg(long)]
    pub purge: bool,
    /// Show what would change, write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// The actions of `scope`, with the aliases by which they may be named.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeCommand {
    #[value(alias = "ls")]
    List,
    Add,
    #[value(alias = "remove")]
    Rm,
}

/// Runs an action; a missing name, or an argument that the action does not take, is a `usage` error.
pub fn run_scope(runner: &Runner<'_>, args: ScopeArgs) -> CliReply {
    let usage = |reason: &str| CliReply::from(Rejection::new(Code::Usage, reason));
    let options = |name| ScopeOptions { name, purge: args.purge, restore: args.restore, dry_run: args.dry_run };
    match (args.action, args.name) {
        (ScopeCommand::List, None) if !args.purge && !args.restore => runner.read_only(commands::scope::scope_list),
        (ScopeCommand::List, None) => usage("--restore is for add, --purge for rm"),
        (ScopeCommand::List, Some(_)) => usage("list takes no name; -S NAME list shows what is in a scope"),
        (ScopeCommand::Add | ScopeCommand::Rm, None) => usage("the name of the scope is missing"),
        (ScopeCommand::Add, Some(_)) if args.purge => usage("--purge is for rm"),
        (ScopeCommand::Rm, Some(_)) if args.restore => usage("--restore is for add"),
        (ScopeCommand::Add, Some(name)) => runner.read_only(|s| commands::scope::scope_add(s, &options(name))),
        (ScopeCommand::Rm, Some(name)) => runner.read_only(|s| commands::scope::scope_remove(s, &options(name))),
    }
}

impl PrintResult for ScopeList {
    fn print(&self, printer: &mut Printer) {
        for name in &self.leftovers {
            printer.note(&leftover_note(name));
        }
        for name in &self.without_policy {
            printer.note(&without_policy_note(name));
        }
        let all = [self.scopes.len(), self.archived.len(), self.leftovers.len(), self.without_policy.len()];
        if all == [0; 4] {
            return printer.note("this memory has no scopes; `memdir scope add NAME` makes one");
        }
        for row in &self.scopes {
            print_row(printer, row, "");
        }
        for row in &self.archived {
            print_row(printer, row, "archived: ");
        }
    }
}

fn print_row(printer: &mut Printer, row: &ScopeRow, state: &str) {
    let counts =
        [counted_noun(row.files, "file"), counted_noun(row.bullets, "bullet"), counted_noun(row.entries, "entry")]
            .join(", ");
    let changed = row.changed.as_deref().map(|at| format!(", changed {}", at.get(..10).unwrap_or(at)));
    printer.text(&row.name);
    printer.styled(TextStyle::Dim, &format!("  {state}{counts}{}", changed.unwrap_or_default())).end_line();
}

impl PrintResult for ScopeChange {
    fn print(&self, printer: &mut Printer) {
        let (name, items) = (&self.scope, counted_noun(self.items, "item"));
        let would = if self.dry_run { "would be " } else { "" };
        printer.note(&match self.action {
            ScopeAction::Kept => format!("the scope '{name}' exists, with {items}"),
            ScopeAction::Added => format!("scope '{name}' {would}added"),
            ScopeAction::Restored => format!("scope '{name}' {would}restored, with {items}"),
            ScopeAction::Archived => {
                let quoted = shell_quote(name);
                format!(
                    "scope '{name}' {would}archived, with {items}; `memdir scope add {quoted} --restore` brings it back"
                )
            }
            ScopeAction::Purged => format!("scope '{name}' {would}purged: {items} deleted for good"),
        });
    }

    fn has_changed(&self) -> bool {
        self.changed && !self.dry_run
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.warnings
    }

    fn is_quiet(&self) -> bool {
        true
    }
}
