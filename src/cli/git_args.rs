//! Options of the commands that work with git: `merge`, `merge-driver`, `setup`, `resolve`, `sync`.
//!
//! Clap only: never runs a command.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::args::{ChangeArgs, seconds};
use crate::commands::sync::SyncDirection;

#[derive(Args, Debug)]
#[command(
    about = "Merge three files and print the text; exit 4 if conflicts are left in it",
    after_help = "Example: memdir merge base.md ours.md theirs.md -o merged.md"
)]
#[group(skip)]
pub struct MergeArgs {
    /// The file of the common ancestor
    #[arg(value_name = "BASE")]
    pub base: PathBuf,
    /// The file of our version
    #[arg(value_name = "OURS")]
    pub ours: PathBuf,
    /// The file of their version
    #[arg(value_name = "THEIRS")]
    pub theirs: PathBuf,
    /// Write the text to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The length of conflict markers, in characters
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = marker_length)]
    pub marker_size: usize,
}

#[derive(Args, Debug)]
#[command(
    about = "Merge for git and write the result to OURS; exit 0 merged, 1 conflicts, over 128 failed",
    after_help = "Example: git config merge.memdir.driver 'memdir merge-driver -- %O %A %B %L %P %S %X %Y'"
)]
#[group(skip)]
pub struct MergeDriverArgs {
    /// The common ancestor (%O)
    #[arg(value_name = "BASE")]
    pub base: PathBuf,
    /// Our version, replaced by the result (%A)
    #[arg(value_name = "OURS")]
    pub ours: PathBuf,
    /// Their version (%B)
    #[arg(value_name = "THEIRS")]
    pub theirs: PathBuf,
    /// The length of conflict markers, in characters (%L)
    #[arg(value_name = "SIZE", default_value_t = 7, value_parser = marker_length)]
    pub size: usize,
    /// The file's path in the repository (%P), then labels for base, ours and theirs (%S %X %Y, git 2.44)
    #[arg(value_name = "PATH [LABEL…]")]
    pub names: Vec<String>,
}

/// Parses the length of conflict markers, 1 to 1000 characters.
fn marker_length(text: &str) -> Result<usize, String> {
    let fits = |n: &usize| (1..=1000).contains(n);
    text.parse().ok().filter(fits).ok_or_else(|| "expected a number from 1 to 1000".to_owned())
}

/// What `setup` can set up.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupTarget {
    /// Merge by bullet in this clone
    Git,
    /// Hooks and the MCP server of Claude Code
    Claude,
    /// Hooks and the MCP server of Codex
    Codex,
    /// Hooks and the MCP server of Gemini CLI
    Gemini,
    /// Hooks and the MCP server of Cursor
    Cursor,
    /// Instructions in the project's AGENTS.md
    AgentsMd,
    /// The MCP server in the project's .mcp.json
    Mcp,
}

#[derive(Args, Debug)]
#[command(
    about = "Set up git to merge by bullet, or an agent host to use the memory",
    after_help = "git: .gitattributes in the data directory, the driver in this clone's config. A host: its hooks and \
                  MCP server in its config files, of which every other byte stays, and the memory in `trusted:` of \
                  the user config, unless an agent runs it; docs/agents.md lists the files. A config file with an \
                  error is refused.\n\n\
                  Example: memdir setup claude -n"
)]
#[group(skip)]
pub struct SetupArgs {
    /// What to set up
    #[arg(value_name = "WHAT")]
    pub target: SetupTarget,
    /// For a host: change the files of this project (default, except for your own memory)
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// For a host: change your own files, for all projects
    #[arg(long)]
    pub user: bool,
    /// Of claude: its own memory folder (autoMemoryDirectory) becomes this memory, with an index MEMORY.md
    #[arg(long)]
    pub auto_memory: bool,
    /// Change nothing; exit 6 if something is missing
    #[arg(long, conflicts_with_all = ["remove", "print"])]
    pub check: bool,
    /// Remove what was set up, and nothing else: a server of your own, with other arguments or keys, stays
    #[arg(long, conflicts_with = "print")]
    pub remove: bool,
    /// Print the lines and commands to set it up manually
    #[arg(long)]
    pub print: bool,
    /// Show what would change, write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

#[derive(Args, Debug)]
#[command(
    about = "Merge files with conflict markers again, bullet by bullet; exit 4 if conflicts are left",
    after_help = "Example: memdir resolve user --theirs"
)]
#[group(skip)]
pub struct ResolveArgs {
    /// The file (default: all files with conflict markers)
    #[arg(value_name = "FILE")]
    pub file: Option<String>,
    /// Resolve the remaining conflicts with our version
    #[arg(long, conflicts_with_all = ["theirs", "both"])]
    pub ours: bool,
    /// Resolve the remaining conflicts with their version
    #[arg(long, conflicts_with = "both")]
    pub theirs: bool,
    /// Resolve the remaining conflicts with both versions, ours first
    #[arg(long)]
    pub both: bool,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Commit, fetch, merge by bullet and push a memory that is its own git repository",
    after_help = "Example: memdir sync -n"
)]
#[group(skip)]
pub struct SyncArgs {
    /// A remote's name or URL (default: the branch's remote, origin, or the only one)
    #[arg(value_name = "REMOTE")]
    pub remote: Option<String>,
    /// Use the remote of the user config (sync.remote) or MEMDIR_REMOTE; a conflict goes to a branch of its own there
    #[arg(long, conflicts_with = "remote")]
    pub home: bool,
    /// Set this memory up to follow that remote, once in each home; makes it a git repository if needed
    #[arg(long, conflicts_with_all = ["remote", "dry_run", "only"])]
    pub setup: bool,
    /// Only fetch and merge; or push, without asking a remote that has everything
    #[arg(long, value_name = "DIRECTION", value_parser = ["fetch", "push"])]
    pub only: Option<String>,
    /// Show what would be committed; change nothing, do not contact the remote
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// The commit's subject (default: derived from the journal)
    #[arg(short = 'm', long, value_name = "TEXT", value_parser = super::argv::text_value)]
    pub reason: Option<String>,
    /// Continue even if most of the memory is gone here or there, or the remote's history was rewritten; never forces a
    /// push
    #[arg(short, long)]
    pub force: bool,
    /// Seconds that git may spend on the remote, lost races included
    #[arg(long, value_name = "S", default_value = "600", allow_negative_numbers = true, value_parser = seconds)]
    pub timeout: Duration,
    /// Seconds to wait for another writer (default 10)
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub lock_timeout: Option<Duration>,
}

impl SyncArgs {
    /// Which way commits go.
    pub fn direction(&self) -> SyncDirection {
        match self.only.as_deref() {
            Some("fetch") => SyncDirection::Fetch,
            Some(_) => SyncDirection::Push,
            None => SyncDirection::Both,
        }
    }
}
