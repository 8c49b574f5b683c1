//! `prune` and `restore`: their options as clap parses them, and the answer of `prune` as text.
//!
//! Never decides what is archived or purged: `commands/prune.rs` does.

use clap::Args;

use super::args::{ChangeArgs, ChangeSettings, FileCreationArgs};
use super::print_result::PrintResult;
use super::text::{Printer, TextStyle, change_result};
use crate::commands::results::{PruneResult, WarningRow};
use crate::text::counted_noun::counted_noun;

#[derive(Args, Debug)]
#[command(
    about = "Take bullets, sections or files back from archive/",
    after_help = "Each goes back to its file and section, which are made again if they are gone. An archive file without \
                  an item is restored with everything in it.\n\n\
                  Example: memdir restore user@acvh"
)]
#[group(skip)]
pub struct RestoreArgs {
    /// Its address in archive/, or the one that it had before
    #[arg(value_name = "ADDRESS", required = true)]
    pub at: Vec<String>,
    #[command(flatten)]
    pub change_args: FileCreationArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Archive what expired or is unused, purge what was archived long enough, by the rules of memdir.yaml",
    after_help = "Without rules (lifetimes, expired, checkpoints) only proposals are dropped that waited too long. Everything but \
                  checkpoints is one revision, which undo takes back. If the clock looks wrong, -f is required.\n\n\
                  Example: memdir prune -n"
)]
#[group(skip)]
pub struct PruneArgs {
    /// Trust the clock, also if it seems to have jumped
    #[arg(short, long, help_heading = "Change options")]
    pub force: bool,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

impl From<&PruneArgs> for ChangeSettings {
    fn from(args: &PruneArgs) -> Self {
        ChangeSettings::from(&args.change_args).force(args.force)
    }
}

impl PrintResult for PruneResult {
    /// Prints a line for each item, with its rule.
    fn print(&self, printer: &mut Printer) {
        if self.change.dry_run {
            change_result(printer, &self.change);
        }
        let lists = [
            ("archived", &self.archived),
            ("purged", &self.purged),
            ("dropped", &self.dropped),
            ("removed checkpoint", &self.checkpoints),
        ];
        for (what, items) in lists {
            for item in items {
                printer.styled(TextStyle::Dim, what).text(" ").text(&item.address);
                if !item.text.is_empty() {
                    printer.text(" ").text(&item.text);
                }
                printer.end_line();
                printer.styled(TextStyle::Dim, &format!("  {}", item.reason)).end_line();
            }
        }
        let (archived, purged, dropped) = (self.archived.len(), self.purged.len(), self.dropped.len());
        let checkpoints = self.checkpoints.len();
        if archived + purged + dropped + checkpoints == 0 {
            return printer.note("nothing is expired, unused or to be purged");
        }
        let rev = self.change.rev.as_ref().map_or(String::new(), |rev| format!("{rev}: "));
        let proposals =
            if dropped == 0 { String::new() } else { format!(", {} dropped", counted_noun(dropped, "proposal")) };
        let states = if checkpoints == 0 {
            String::new()
        } else {
            format!(", {} removed", counted_noun(checkpoints, "checkpoint"))
        };
        printer.note(&format!("{rev}{archived} archived, {purged} purged{proposals}{states}"));
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.change.warnings
    }

    fn has_changed(&self) -> bool {
        self.change.has_changed() || !self.change.dry_run && !self.checkpoints.is_empty()
    }

    fn is_quiet(&self) -> bool {
        true
    }
}
