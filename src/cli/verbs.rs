//! The subcommands: names, aliases and their own options, as clap parses them.
//!
//! Never runs a command: `run.rs` maps each to its use case in `commands`.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use schemars::{Schema, SchemaGenerator};

use super::args::{ChangeArgs, grammar};
use super::change_args::{
    AddArgs, AppendArgs, ApplyArgs, BulletDelArgs, EditArgs, MvArgs, PatchArgs, RmArgs, SetArgs, UpdateArgs, WriteArgs,
};
use super::compact::CompactArgs;
use super::context::ContextArgs;
use super::git_args::{MergeArgs, MergeDriverArgs, ResolveArgs, SetupArgs, SyncArgs};
use super::query_args::QueryArgs;
use super::reflect::{InboxArgs, ReflectArgs};
use crate::commands::answer::{
    ChangeResult, CheckReport, CompactReport, ContextResult, DiffResult, FileList, InboxList, InitResult, LogResult,
    MergeResult, ModelCheck, Outline, QueryResult, ReflectReport, RepeatedChange, ResolveResult, SetupResult,
    StatusReport, SyncResult, TextResult, WhereResult,
};

/// The name and aliases of a subcommand, whether it may change the memory, and how to build its options.
pub struct CommandSpec {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub hidden: bool,
    /// What it does, for the help of `bullet`. The other commands are listed in `args::HELP`.
    about: Option<&'static str>,
    /// Whether it may change something with any options.
    pub always_may_change: bool,
    pub grammar: fn(Command) -> Command,
}

impl CommandSpec {
    /// The clap command. Its options are built only if it is called, because building all of them slows every start.
    pub fn command(&self) -> Command {
        let command = Command::new(self.name).defer(self.grammar).hide(self.hidden);
        let command = self.about.into_iter().fold(command, Command::about);
        match self.aliases.is_empty() {
            true => command,
            false => command.aliases(self.aliases.iter().copied()),
        }
    }
}

fn no_such() -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::InvalidSubcommand, "no such command\n")
}

fn check<A>(condition: fn(&A) -> bool, args: &A) -> bool {
    condition(args)
}

// Each row declares whether a command only reads or may change something, for some commands on which condition, and the
// types of its results that no row above returns.
macro_rules! verbs {
    ($($kind:ident $effect:ident $variant:ident($args:ty) $(-> $($result:ty)|+)? = $name:literal
        $([$($alias:literal),*])? $(, if $condition:expr)?;)+) => {
        /// A parsed subcommand with its arguments.
        #[derive(Debug)]
        pub enum CliCommand { $($variant($args),)+ }

        /// All subcommands, in the order of the manual.
        pub const ALL: &[CommandSpec] = &[$(CommandSpec {
            name: $name,
            aliases: &[$($($alias),*)?],
            hidden: verbs!(@hidden $kind),
            about: None,
            always_may_change: verbs!(@changes $effect) $(&& !verbs!(@is_condition $condition))?,
            grammar: grammar::<$args>,
        },)+];

        impl CliCommand {
            /// Whether this command may change something, so that its errors must report that nothing was changed.
            pub fn may_change(&self) -> bool {
                match self {
                    $(CliCommand::$variant(_args) => verbs!(@changes $effect) $(&& check::<$args>($condition, _args))?,)+
                }
            }
        }

        /// The JSON Schemas of all results.
        pub fn answer_schemas(generator: &mut SchemaGenerator) -> Vec<Schema> {
            vec![$($($(generator.subschema_for::<$result>(),)+)?)+]
        }

        /// Builds a subcommand from its name and its parsed arguments.
        pub fn from_matches(name: &str, matches: &ArgMatches) -> Result<CliCommand, clap::Error> {
            match name {
                $($name => Ok(CliCommand::$variant(<$args>::from_arg_matches(matches)?)),)+
                _ => Err(no_such()),
            }
        }
    };
    (@hidden visible) => { false };
    (@hidden hidden) => { true };
    (@is_condition $condition:expr) => { true };
    (@changes reads) => { false };
    (@changes changes) => { true };
}

verbs! {
    visible changes Init(InitArgs) -> InitResult = "init";
    visible reads Status(StatusArgs) -> StatusReport = "status" ["st"];
    visible reads List(ListArgs) -> FileList | Outline = "list" ["ls"];
    visible reads Read(ReadArgs) -> TextResult = "read" ["cat"];
    visible reads Query(QueryArgs) -> QueryResult = "query" ["search", "find", "grep"];
    visible reads Context(ContextArgs) -> ContextResult = "context";
    visible changes Add(AddArgs) -> ChangeResult = "add";
    visible changes Update(UpdateArgs) = "update";
    visible changes Rm(RmArgs) = "rm" ["remove", "delete", "del"];
    visible changes Mv(MvArgs) = "mv" ["move", "rename"];
    visible changes Set(SetArgs) = "set";
    visible changes Append(AppendArgs) = "append";
    visible changes Patch(PatchArgs) = "patch";
    visible changes Write(WriteArgs) = "write";
    visible changes Apply(ApplyArgs) -> RepeatedChange = "apply";
    visible changes Edit(EditArgs) = "edit";
    visible changes Bullet(BulletArgs) = "bullet", if |a| !matches!(a.command, BulletCommand::List(_));
    visible reads Log(LogArgs) -> LogResult = "log";
    visible reads Show(ShowArgs) = "show";
    visible reads Diff(DiffArgs) -> DiffResult = "diff";
    visible changes Undo(UndoArgs) = "undo";
    visible changes Redo(RedoArgs) = "redo";
    visible changes Reflect(ReflectArgs) -> ReflectReport | ModelCheck = "reflect", if |a| !a.check_model && !a.show_prompt;
    visible changes Inbox(InboxArgs) -> InboxList = "inbox", if |a| a.accept || a.reject;
    visible changes Compact(CompactArgs) -> CompactReport = "compact";
    visible changes Check(CheckArgs) -> CheckReport = "check", if |a| a.fix;
    visible changes Resolve(ResolveArgs) -> ResolveResult = "resolve";
    visible changes Setup(SetupArgs) -> SetupResult = "setup", if |a| !a.check && !a.print;
    visible changes Sync(SyncArgs) -> SyncResult = "sync";
    hidden reads Merge(MergeArgs) -> MergeResult = "merge";
    hidden reads MergeDriver(MergeDriverArgs) = "merge-driver";
    hidden reads Where(WhereArgs) -> WhereResult = "where";
    hidden reads Schema(SchemaArgs) = "schema";
    hidden reads Completions(CompletionsArgs) = "completions";
    hidden reads Man(ManArgs) = "man";
    hidden reads Complete(CompleteArgs) = "__complete";
}

#[derive(Args, Debug)]
#[command(about = "Create a data directory", after_help = "Example: memdir init memory --example")]
#[group(skip)]
pub struct InitArgs {
    /// The directory (default: --dir, MEMDIR, or ./memory; with -g, your own memory)
    #[arg(value_name = "DIR")]
    pub at: Option<PathBuf>,
    /// Include a small example memory
    #[arg(long)]
    pub example: bool,
    /// Adopt the existing markdown files without changing them
    #[arg(long)]
    pub adopt: bool,
}

#[derive(Args, Debug)]
#[command(
    about = "Show the state of the memory: unrecorded edits, conflicts, pending proposals",
    after_help = "Example: memdir status --json"
)]
#[group(skip)]
pub struct StatusArgs {}

#[derive(Args, Debug)]
#[command(
    about = "List files, or the sections, bullets and backlinks of one",
    after_help = "Example: memdir list user#work"
)]
#[group(skip)]
pub struct ListArgs {
    /// A file or section (default: all files)
    #[arg(value_name = "FILE[#SECTION]")]
    pub address: Option<String>,
    /// Print at most N rows, and how many are left out
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Args, Debug)]
#[command(about = "Print a file, section or bullet", after_help = "Example: memdir read user#work")]
#[group(skip)]
pub struct ReadArgs {
    /// FILE, FILE#SECTION or FILE@BULLET
    #[arg(value_name = "ADDRESS")]
    pub address: String,
}

/// `bullet` and its own subcommand.
#[derive(Debug)]
pub struct BulletArgs {
    pub command: BulletCommand,
}

/// A parsed subcommand of `bullet`.
#[derive(Debug)]
pub enum BulletCommand {
    Add(AddArgs),
    Del(BulletDelArgs),
    Update(UpdateArgs),
    List(BulletListArgs),
}

/// The subcommands of `bullet`.
pub const BULLET: &[CommandSpec] = &[
    bullet("add", &[], "Add bullets to a file or section; create it if it is missing", true, |c| {
        grammar::<AddArgs>(c).after_help("Example: memdir bullet add user#work 'Standup at ten'")
    }),
    bullet("del", &["rm"], "Remove one bullet by handle, index or text", true, grammar::<BulletDelArgs>),
    bullet("update", &[], "Replace the text of a bullet", true, |c| {
        grammar::<UpdateArgs>(c).override_usage(BULLET_UPDATE).after_help(BULLET_UPDATE_EXAMPLE)
    }),
    bullet(
        "list",
        &[],
        "List all bullets of a file or section with index and handle",
        false,
        grammar::<BulletListArgs>,
    ),
];

const fn bullet(
    name: &'static str,
    aliases: &'static [&'static str],
    about: &'static str,
    always_may_change: bool,
    grammar: fn(Command) -> Command,
) -> CommandSpec {
    CommandSpec { name, aliases, hidden: false, about: Some(about), always_may_change, grammar }
}

/// Whether the command of this path (`["bullet", "add"]`) may change something with any options.
pub fn always_may_change(path: &[&str]) -> bool {
    let (specs, name) = match path {
        ["bullet", name] => (BULLET, name),
        [name] => (ALL, name),
        _ => return false,
    };
    specs.iter().any(|spec| spec.name == *name && spec.always_may_change)
}

const BULLET_UPDATE: &str = "memdir bullet update [OPTIONS] FILE [--index N] [--old OLD] NEW
       memdir bullet update [OPTIONS] FILE OLD NEW
       memdir bullet update [OPTIONS] FILE@BULLET NEW";
const BULLET_UPDATE_EXAMPLE: &str =
    "Example: memdir bullet update user --index 1 --old 'Prefers tabs' 'Prefers spaces'";

impl Args for BulletArgs {
    fn augment_args(command: Command) -> Command {
        command
            .about("Add, remove, update or list bullets")
            .after_help("Example: memdir bullet list user")
            .subcommand_required(true)
            .disable_help_subcommand(true)
            .subcommands(BULLET.iter().map(CommandSpec::command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        BulletArgs::augment_args(command)
    }
}

impl FromArgMatches for BulletArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<BulletArgs, clap::Error> {
        let command = match matches.subcommand() {
            Some(("add", m)) => BulletCommand::Add(AddArgs::from_arg_matches(m)?),
            Some(("del", m)) => BulletCommand::Del(BulletDelArgs::from_arg_matches(m)?),
            Some(("update", m)) => BulletCommand::Update(UpdateArgs::from_arg_matches(m)?),
            Some(("list", m)) => BulletCommand::List(BulletListArgs::from_arg_matches(m)?),
            _ => return Err(no_such()),
        };
        Ok(BulletArgs { command })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = BulletArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Args, Debug)]
#[command(
    about = "List all bullets of a file or section with index and handle",
    after_help = "Example: memdir bullet list user"
)]
#[group(skip)]
pub struct BulletListArgs {
    /// The file or section
    #[arg(value_name = "FILE[#SECTION]")]
    pub address: String,
    /// Print at most N rows, and how many are left out
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Args, Debug)]
#[command(
    about = "Show the history, newest first, including edits made outside memdir",
    after_help = "Example: memdir log user --since 2d -p"
)]
#[group(skip)]
pub struct LogArgs {
    /// Only entries that changed this file, section or bullet
    #[arg(value_name = "ADDRESS")]
    pub address: Option<String>,
    /// Show each bullet change
    #[arg(short, long)]
    pub patch: bool,
    /// Only entries since WHEN: r41, 2026-11-20, yesterday, 2d, '2 weeks'
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only entries by this actor
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Print at most N entries
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Args, Debug)]
#[command(about = "Show what one revision changed", after_help = "Example: memdir show r41")]
#[group(skip)]
pub struct ShowArgs {
    /// The revision
    #[arg(value_name = "REV")]
    pub revision: String,
}

#[derive(Args, Debug)]
#[command(
    about = "Show changes since a revision or between two, memdir's or git's; without one, unrecorded edits",
    after_help = "Example: memdir diff main...HEAD --stat"
)]
#[group(skip)]
pub struct DiffArgs {
    /// r41, r41..r44, a date or an age; anything else is a git range: main..HEAD, main...topic
    #[arg(value_name = "REV | A..B")]
    pub range: Option<String>,
    /// Only this file
    #[arg(value_name = "FILE")]
    pub address: Option<String>,
    /// Show bullet changes from this revision, date or age until now
    #[arg(long, value_name = "WHEN", conflicts_with = "address")]
    pub since: Option<String>,
    /// Count the bullets added, removed, updated and moved in each file
    #[arg(long, conflicts_with = "bullets")]
    pub stat: bool,
    /// Show bullet changes instead of lines
    #[arg(long)]
    pub bullets: bool,
}

#[derive(Args, Debug)]
#[command(about = "Undo a revision; repeat to go further back", after_help = "Example: memdir undo --by claude")]
#[group(skip)]
pub struct UndoArgs {
    /// The revision (default: the newest that is not undone)
    #[arg(value_name = "REV")]
    pub revision: Option<String>,
    /// Undo the newest change by this actor that is not undone
    #[arg(long, value_name = "NAME", conflicts_with = "revision")]
    pub by: Option<String>,
    /// Skip files that were edited since and cannot be merged
    #[arg(long)]
    pub keep_edited: bool,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

#[derive(Args, Debug)]
#[command(about = "Redo an undone change, or one that an editor dropped", after_help = "Example: memdir redo r41")]
#[group(skip)]
pub struct RedoArgs {
    /// The revision (default: the latest undo)
    #[arg(value_name = "REV")]
    pub revision: Option<String>,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Check the structure of files; exit 6 if there are findings",
    after_help = "Example: memdir check --fix -n"
)]
#[group(skip)]
pub struct CheckArgs {
    /// Only these files
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Only findings that are new since this git commit; paths are relative to the working directory
    #[arg(long, value_name = "COMMIT", conflicts_with = "fix")]
    pub since: Option<String>,
    /// Also check facts and episodes against the writing rules
    #[arg(long)]
    pub writing: bool,
    /// Fix what needs no decision
    #[arg(long)]
    pub fix: bool,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

#[derive(Args, Debug)]
#[command(about = "Print the path of the data directory or of a file", after_help = "Example: cd \"$(memdir where)\"")]
#[group(skip)]
pub struct WhereArgs {
    /// The file (default: the data directory)
    #[arg(value_name = "FILE")]
    pub address: Option<String>,
}

/// What a schema describes.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaTopic {
    Operation,
    Policy,
    Query,
    Answer,
}

#[derive(Args, Debug)]
#[command(about = "Print a JSON Schema", after_help = "Example: memdir schema operation")]
#[group(skip)]
pub struct SchemaArgs {
    /// What the schema describes
    #[arg(value_name = "WHAT")]
    pub topic: SchemaTopic,
}

/// The shells that have a completion script.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionShell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Args, Debug)]
#[command(
    about = "Print a shell completion script",
    after_help = "Example: memdir completions bash > ~/.local/share/bash-completion/completions/memdir"
)]
#[group(skip)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: CompletionShell,
}

#[derive(Args, Debug)]
#[command(about = "Print a manual page (roff)", after_help = "Example: memdir man add | man -l -")]
#[group(skip)]
pub struct ManArgs {
    /// A command, or format for memdir-format(5), durability for memdir-durability(7) (default: memdir(1))
    #[arg(value_name = "PAGE")]
    pub page: Option<String>,
    /// Write all pages into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "page")]
    pub all: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(about = "Print completions for the last word", after_help = "Example: memdir __complete -- read us")]
#[group(skip)]
pub struct CompleteArgs {
    /// The words after memdir; the last one may be incomplete
    #[arg(value_name = "WORD", allow_hyphen_values = true, trailing_var_arg = true)]
    pub words: Vec<String>,
}
