//! Runs the structural merge: `merge` by hand, and the driver that git calls.
//!
//! Never opens a data directory: three files are merged, wherever they are.

use super::git_args::{MergeArgs, MergeDriverArgs};
use super::output::{CliReply, OutputLayout};
use crate::commands::merge::{self, MergeInput};

/// Merges three files that the caller names; the result goes to stdout or to the file of `-o`.
pub fn merge_files(args: &MergeArgs) -> CliReply {
    let three = MergeInput { marker_size: args.marker_size, ..MergeInput::new(&args.base, &args.ours, &args.theirs) };
    CliReply::of(merge::merge(&three, args.out.as_deref()), Vec::new(), OutputLayout::Plain)
}

/// Runs `merge-driver`, which git calls.
pub fn merge_driver(args: MergeDriverArgs) -> CliReply {
    // A git before 2.44 does not expand the label placeholders, and passes `%S` itself.
    let path = args.names.first().cloned().unwrap_or_default();
    let mut names =
        args.names.into_iter().skip(1).map(|name| Some(name).filter(|n| !n.is_empty() && !n.starts_with('%')));
    let labels = ["base", "ours", "theirs"].map(|default| names.next().flatten().unwrap_or_else(|| default.to_owned()));
    let three =
        MergeInput { base: args.base, ours: args.ours, theirs: args.theirs, marker_size: args.size, labels, path };
    let driven = merge::run_driver(&three);
    CliReply::Status(driven.status, driven.message.map(|message| message + "\n").unwrap_or_default())
}
