//! The verbs: their names, aliases and own options, as clap reads them.
//!
//! Never says what they do; `run.rs` joins what was said to the commands.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::args::{HowArgs, grammar};
use super::asked::QueryArgs;
use super::changes::{
    AddArgs, AppendArgs, ApplyArgs, BulletDelArgs, EditArgs, MvArgs, PatchArgs, RmArgs, SetArgs, UpdateArgs, WriteArgs,
};
use super::compact::CompactArgs;
use super::context::ContextArgs;
use super::reflect::{InboxArgs, ReflectArgs};
use super::team::{MergeArgs, MergeDriverArgs, ResolveArgs, SetupArgs, SyncArgs};

/// A verb before its options are built.
pub struct Verb {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub hidden: bool,
    pub grammar: fn(Command) -> Command,
}

const fn verb(name: &'static str, aliases: &'static [&'static str], grammar: fn(Command) -> Command) -> Verb {
    Verb { name, aliases, hidden: false, grammar }
}

const fn hidden(name: &'static str, grammar: fn(Command) -> Command) -> Verb {
    Verb { name, aliases: &[], hidden: true, grammar }
}

impl Verb {
    /// The verb's name; its options are built when it is called.
    pub fn command(&self) -> Command {
        let command = Command::new(self.name).defer(self.grammar).hide(self.hidden);
        match self.aliases.is_empty() {
            true => command,
            false => command.aliases(self.aliases.iter().copied()),
        }
    }
}

fn no_such() -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::InvalidSubcommand, "no such command\n")
}

macro_rules! verbs {
    ($($kind:ident $variant:ident($args:ty) = $name:literal $([$($alias:literal),*])?;)+) => {
        /// What was said: a verb with its arguments.
        #[derive(Debug)]
        pub enum Said { $($variant($args),)+ }

        /// All verbs, in the order of the manual.
        pub const ALL: &[Verb] = &[$(verbs!(@$kind $name, &[$($($alias),*)?], grammar::<$args>),)+];

        /// Reads the arguments of one verb.
        pub fn said(name: &str, matches: &ArgMatches) -> Result<Said, clap::Error> {
            match name {
                $($name => Ok(Said::$variant(<$args>::from_arg_matches(matches)?)),)+
                _ => Err(no_such()),
            }
        }
    };
    (@shown $name:literal, $aliases:expr, $grammar:expr) => { verb($name, $aliases, $grammar) };
    (@hidden $name:literal, $aliases:expr, $grammar:expr) => { hidden($name, $grammar) };
}

verbs! {
    shown Init(InitArgs) = "init";
    shown Status(StatusArgs) = "status" ["st"];
    shown List(ListArgs) = "list" ["ls"];
    shown Read(ReadArgs) = "read" ["cat"];
    shown Query(QueryArgs) = "query" ["search", "find", "grep"];
    shown Context(ContextArgs) = "context";
    shown Add(AddArgs) = "add";
    shown Update(UpdateArgs) = "update";
    shown Rm(RmArgs) = "rm" ["remove", "delete", "del"];
    shown Mv(MvArgs) = "mv" ["move", "rename"];
    shown Set(SetArgs) = "set";
    shown Append(AppendArgs) = "append";
    shown Patch(PatchArgs) = "patch";
    shown Write(WriteArgs) = "write";
    shown Apply(ApplyArgs) = "apply";
    shown Edit(EditArgs) = "edit";
    shown Bullet(BulletArgs) = "bullet";
    shown Log(LogArgs) = "log";
    shown Show(ShowArgs) = "show";
    shown Diff(DiffArgs) = "diff";
    shown Undo(UndoArgs) = "undo";
    shown Redo(RedoArgs) = "redo";
    shown Reflect(ReflectArgs) = "reflect";
    shown Inbox(InboxArgs) = "inbox";
    shown Compact(CompactArgs) = "compact";
    shown Check(CheckArgs) = "check";
    shown Resolve(ResolveArgs) = "resolve";
    shown Setup(SetupArgs) = "setup";
    shown Sync(SyncArgs) = "sync";
    hidden Merge(MergeArgs) = "merge";
    hidden MergeDriver(MergeDriverArgs) = "merge-driver";
    hidden Where(WhereArgs) = "where";
    hidden Schema(SchemaArgs) = "schema";
    hidden Completions(CompletionsArgs) = "completions";
    hidden Man(ManArgs) = "man";
    hidden Complete(CompleteArgs) = "__complete";
}

#[derive(Args, Debug)]
#[command(about = "Make a data dir", after_help = "Example: memdir init memory --example")]
#[group(skip)]
pub struct InitArgs {
    /// Where (without it: -C, MEMDIR, or ./memory)
    #[arg(value_name = "DIR")]
    pub at: Option<PathBuf>,
    /// With a small example memory
    #[arg(long)]
    pub example: bool,
    /// Around markdown that is there, changing nothing in it
    #[arg(long)]
    pub adopt: bool,
}

#[derive(Args, Debug)]
#[command(about = "What a person should know about this memory now", after_help = "Example: memdir status --json")]
#[group(skip)]
pub struct StatusArgs {}

#[derive(Args, Debug)]
#[command(
    about = "The files; a file's sections and bullets and what links to it; a section's",
    after_help = "Example: memdir list user#work"
)]
#[group(skip)]
pub struct ListArgs {
    /// A file or section; without it, all files
    #[arg(value_name = "FILE[#SECTION]")]
    pub address: Option<String>,
    /// At most so many rows; what is left out is counted
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Args, Debug)]
#[command(about = "A file, section or bullet as it stands", after_help = "Example: memdir read user#work")]
#[group(skip)]
pub struct ReadArgs {
    /// FILE, FILE#SECTION or FILE@BULLET
    #[arg(value_name = "ADDRESS")]
    pub address: String,
}

/// `bullet` and the verb after it.
#[derive(Debug)]
pub struct BulletArgs {
    pub verb: BulletSaid,
}

/// What was said after `bullet`.
#[derive(Debug)]
pub enum BulletSaid {
    Add(AddArgs),
    Del(BulletDelArgs),
    Update(UpdateArgs),
    List(BulletListArgs),
}

/// The verbs after `bullet`.
pub const BULLET: &[Verb] = &[
    verb("add", &[], |c| grammar::<AddArgs>(c).after_help("Example: memdir bullet add user#work 'Standup at ten'")),
    verb("del", &["rm"], grammar::<BulletDelArgs>),
    verb("update", &[], |c| grammar::<UpdateArgs>(c).override_usage(BULLET_UPDATE).after_help(BULLET_UPDATE_EXAMPLE)),
    verb("list", &[], grammar::<BulletListArgs>),
];

const BULLET_UPDATE: &str = "memdir bullet update [OPTIONS] FILE [--index N] [--old OLD] NEW
       memdir bullet update [OPTIONS] FILE OLD NEW
       memdir bullet update [OPTIONS] FILE@BULLET NEW";
const BULLET_UPDATE_EXAMPLE: &str =
    "Example: memdir bullet update user --index 1 --old 'Prefers tabs' 'Prefers spaces'";

impl Args for BulletArgs {
    fn augment_args(command: Command) -> Command {
        command
            .about("The same verbs on bullets alone")
            .after_help("Example: memdir bullet list user")
            .subcommand_required(true)
            .disable_help_subcommand(true)
            .subcommands(BULLET.iter().map(Verb::command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        BulletArgs::augment_args(command)
    }
}

impl FromArgMatches for BulletArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<BulletArgs, clap::Error> {
        let verb = match matches.subcommand() {
            Some(("add", m)) => BulletSaid::Add(AddArgs::from_arg_matches(m)?),
            Some(("del", m)) => BulletSaid::Del(BulletDelArgs::from_arg_matches(m)?),
            Some(("update", m)) => BulletSaid::Update(UpdateArgs::from_arg_matches(m)?),
            Some(("list", m)) => BulletSaid::List(BulletListArgs::from_arg_matches(m)?),
            _ => return Err(no_such()),
        };
        Ok(BulletArgs { verb })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = BulletArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Args, Debug)]
#[command(
    about = "All bullets of a file or section, with index and handle",
    after_help = "Example: memdir bullet list user"
)]
#[group(skip)]
pub struct BulletListArgs {
    /// The file or section
    #[arg(value_name = "FILE[#SECTION]")]
    pub address: String,
    /// At most so many rows; what is left out is counted
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Args, Debug)]
#[command(
    about = "What happened, newest first, outside edits included",
    after_help = "Example: memdir log user --since 2d -p"
)]
#[group(skip)]
pub struct LogArgs {
    /// Only what touched this file, section or bullet
    #[arg(value_name = "ADDRESS")]
    pub address: Option<String>,
    /// Bullet by bullet
    #[arg(short, long)]
    pub patch: bool,
    /// Only since then: r41, 2026-11-20, yesterday, 2d, '2 weeks'
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only by this one
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// At most so many
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Args, Debug)]
#[command(about = "What one revision did", after_help = "Example: memdir show r41")]
#[group(skip)]
pub struct ShowArgs {
    /// The revision
    #[arg(value_name = "REV")]
    pub revision: String,
}

#[derive(Args, Debug)]
#[command(
    about = "From a revision until now, or between two, memdir's or git's; without one, what is not yet recorded",
    after_help = "Example: memdir diff main...HEAD --stat"
)]
#[group(skip)]
pub struct DiffArgs {
    /// r41, r41..r44, a date or an age; any other is git's: main..HEAD, main...topic
    #[arg(value_name = "REV | A..B")]
    pub range: Option<String>,
    /// Only this file
    #[arg(value_name = "FILE")]
    pub address: Option<String>,
    /// Bullet by bullet from that revision (or date, or age) until now
    #[arg(long, value_name = "WHEN", conflicts_with = "address")]
    pub since: Option<String>,
    /// How many bullets came, went, were updated or moved in each file
    #[arg(long, conflicts_with = "bullets")]
    pub stat: bool,
    /// Bullet by bullet instead of lines
    #[arg(long)]
    pub bullets: bool,
}

#[derive(Args, Debug)]
#[command(about = "Take a revision back; again goes further back", after_help = "Example: memdir undo --by claude")]
#[group(skip)]
pub struct UndoArgs {
    /// Which; without it, the newest that is not undone
    #[arg(value_name = "REV")]
    pub revision: Option<String>,
    /// The newest change by this writer that is not undone
    #[arg(long, value_name = "NAME", conflicts_with = "revision")]
    pub by: Option<String>,
    /// Leave files alone that moved on and cannot be merged
    #[arg(long)]
    pub keep_edited: bool,
    #[command(flatten)]
    pub how: HowArgs,
}

#[derive(Args, Debug)]
#[command(about = "Bring back what was undone, or what an editor dropped", after_help = "Example: memdir redo r41")]
#[group(skip)]
pub struct RedoArgs {
    /// Which; without it, the latest undo
    #[arg(value_name = "REV")]
    pub revision: Option<String>,
    #[command(flatten)]
    pub how: HowArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Look for structural trouble; exits 6 when there is some",
    after_help = "Example: memdir check --fix -n"
)]
#[group(skip)]
pub struct CheckArgs {
    /// Only these files
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Only what is new since this revision of git's; paths from the working directory
    #[arg(long, value_name = "REV", conflicts_with = "fix")]
    pub since: Option<String>,
    /// Hold facts and episodes to the writing rules, too
    #[arg(long)]
    pub writing: bool,
    /// Mend what needs no decision
    #[arg(long)]
    pub fix: bool,
    #[command(flatten)]
    pub how: HowArgs,
}

#[derive(Args, Debug)]
#[command(about = "The data dir, or a file's absolute path", after_help = "Example: cd \"$(memdir where)\"")]
#[group(skip)]
pub struct WhereArgs {
    /// A file
    #[arg(value_name = "FILE")]
    pub address: Option<String>,
}

/// What a schema describes.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Operation,
    Policy,
    Query,
    Answer,
}

#[derive(Args, Debug)]
#[command(about = "JSON Schema", after_help = "Example: memdir schema operation")]
#[group(skip)]
pub struct SchemaArgs {
    /// Of what
    #[arg(value_name = "WHAT")]
    pub topic: Topic,
}

/// Shells that completions are made for.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Args, Debug)]
#[command(
    about = "A completion script",
    after_help = "Example: memdir completions bash > ~/.local/share/bash-completion/completions/memdir"
)]
#[group(skip)]
pub struct CompletionsArgs {
    /// For which shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

#[derive(Args, Debug)]
#[command(about = "A manual page (roff)", after_help = "Example: memdir man add | man -l -")]
#[group(skip)]
pub struct ManArgs {
    /// A command, or format for memdir-format(5); without it, memdir(1)
    #[arg(value_name = "PAGE")]
    pub page: Option<String>,
    /// Write all pages into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "page")]
    pub all: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(about = "Candidates for the last word", after_help = "Example: memdir __complete -- read us")]
#[group(skip)]
pub struct CompleteArgs {
    /// The words after memdir, the last one perhaps half typed
    #[arg(value_name = "WORD", allow_hyphen_values = true, trailing_var_arg = true)]
    pub words: Vec<String>,
}
