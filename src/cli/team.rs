//! The grammar of what joins a memory to git: merging, resolving, setting up.
//!
//! Clap only: never says what the verbs do.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::args::{HowArgs, seconds};

#[derive(Args, Debug)]
#[command(
    about = "Merge three files: the text to stdout, exit 4 when conflicts are left in it",
    after_help = "Example: memdir merge base.md ours.md theirs.md -o merged.md"
)]
#[group(skip)]
pub struct MergeArgs {
    /// The common ancestor
    #[arg(value_name = "BASE")]
    pub base: PathBuf,
    /// Our side
    #[arg(value_name = "OURS")]
    pub ours: PathBuf,
    /// Their side
    #[arg(value_name = "THEIRS")]
    pub theirs: PathBuf,
    /// Write the text here instead of to stdout
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Characters a conflict marker is long
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = size)]
    pub marker_size: usize,
}

#[derive(Args, Debug)]
#[command(
    about = "Merge for git: the result goes into OURS; exit 0 merged, 1 conflicts, over 128 not done",
    after_help = "Example: git config merge.memdir.driver 'memdir merge-driver -- %O %A %B %L %P %S %X %Y'"
)]
#[group(skip)]
pub struct MergeDriverArgs {
    /// The common ancestor (%O)
    #[arg(value_name = "BASE")]
    pub base: PathBuf,
    /// Our side, and where the result goes (%A)
    #[arg(value_name = "OURS")]
    pub ours: PathBuf,
    /// Their side (%B)
    #[arg(value_name = "THEIRS")]
    pub theirs: PathBuf,
    /// Characters a conflict marker is long (%L)
    #[arg(value_name = "SIZE", default_value_t = 7, value_parser = size)]
    pub size: usize,
    /// The file's path in the repository (%P), then names for base, ours and theirs (%S %X %Y, git 2.44)
    #[arg(value_name = "PATH [LABEL…]")]
    pub names: Vec<String>,
}

fn size(text: &str) -> Result<usize, String> {
    let fits = |n: &usize| (1..=1000).contains(n);
    text.parse().ok().filter(fits).ok_or_else(|| "a number from 1 to 1000".to_owned())
}

/// What memdir can be joined to.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// Merges by bullet in this clone
    Git,
}

#[derive(Args, Debug)]
#[command(
    about = "Let git merge by bullet: .gitattributes in the data dir, the driver in this clone's config",
    after_help = "Example: memdir setup git -n"
)]
#[group(skip)]
pub struct SetupArgs {
    /// Only git for now
    #[arg(value_name = "WHAT")]
    pub whom: Whom,
    /// Change nothing; exit 6 when something is missing
    #[arg(long, conflicts_with_all = ["remove", "print"])]
    pub check: bool,
    /// Take out what was set up, and nothing else
    #[arg(long, conflicts_with = "print")]
    pub remove: bool,
    /// Print the lines, for whoever sets it up by hand
    #[arg(long)]
    pub print: bool,
    /// Show what would be changed, change nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

#[derive(Args, Debug)]
#[command(
    about = "Merge files with conflict markers again, bullet by bullet; exit 4 when something is left",
    after_help = "Example: memdir resolve user --theirs"
)]
#[group(skip)]
pub struct ResolveArgs {
    /// The file; without it, all files with markers
    #[arg(value_name = "FILE")]
    pub file: Option<String>,
    /// Decide what is left: our side stands
    #[arg(long, conflicts_with_all = ["theirs", "both"])]
    pub ours: bool,
    /// Their side stands
    #[arg(long, conflicts_with = "both")]
    pub theirs: bool,
    /// Both stand, ours first
    #[arg(long)]
    pub both: bool,
    #[command(flatten)]
    pub how: HowArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Commit, fetch, merge by bullet and push a memory that is a git repository of its own",
    after_help = "Example: memdir sync -n"
)]
#[group(skip)]
pub struct SyncArgs {
    /// A remote's name or address; without it, the branch's own, origin, or the only one
    #[arg(value_name = "REMOTE")]
    pub remote: Option<String>,
    /// Show what would be committed; do nothing, and leave the remote alone
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// The commit's first line (otherwise told from the journal)
    #[arg(short = 'm', long, value_name = "TEXT", value_parser = super::argv::plain)]
    pub reason: Option<String>,
    /// Also when most of the memory, or a whole folder, is gone here or there. A push is never forced
    #[arg(short, long)]
    pub force: bool,
    /// How long git may talk to the remote, in seconds
    #[arg(long, value_name = "S", default_value = "600", value_parser = seconds)]
    pub timeout: Duration,
    /// How long to wait for another writer, in seconds (10)
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub lock_timeout: Option<Duration>,
}
