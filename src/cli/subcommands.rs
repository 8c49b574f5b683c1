//! The table of subcommands: the first help, names and aliases, what each may change and returns, and its use case.
//!
//! Never implements a use case. The options of each are beside the text that it prints.

use clap::{ArgMatches, Command, FromArgMatches};
use schemars::{Schema, SchemaGenerator};

use super::args::{ChangeSettings, GlobalArgs, grammar};
use super::bullet::{BULLET, BulletArgs, BulletCommand};
use super::change_args::{
    AddArgs, AppendArgs, ApplyArgs, EditArgs, MvArgs, PatchArgs, RmArgs, SetArgs, UpdateArgs, WriteArgs,
};
use super::checkpoint::{CheckpointArgs, run_checkpoint};
use super::compact::{CompactArgs, run_compact};
use super::complete::CompleteArgs;
use super::context::ContextArgs;
use super::digests::run_digests;
use super::duplicates::run_duplicates;
use super::embed::EmbedArgs;
use super::generate::{CompletionsArgs, ManArgs, SchemaArgs};
use super::git_args::{MergeArgs, MergeDriverArgs, ResolveArgs, SetupArgs, SyncArgs};
use super::history::{DiffArgs, LogArgs, RedoArgs, ShowArgs, UndoArgs, run_whole_log};
use super::hook::HookArgs;
use super::import_args::{ExportArgs, ImportArgs};
use super::list_and_read::{EtagArgs, InitArgs, ListArgs, ReadArgs, WhereArgs};
use super::mcp_args::{self, McpArgs};
use super::merge_commands::{merge_driver, merge_files};
use super::open::SessionNeeds;
use super::output::{CliReply, OutputLayout};
use super::prune::{PruneArgs, RestoreArgs};
use super::query_args::QueryArgs;
use super::reflect::{InboxArgs, ReflectArgs};
use super::rot::run_rot;
use super::run::{Runner, check_agent, read_content};
use super::scope::{self, ScopeArgs, ScopeCommand};
use super::state::{CheckArgs, CheckFormat, StatusArgs};
use super::stats::{StatsArgs, run_stats};
use super::tool::ToolArgs;
use super::{complete, generate, to_operation};
use crate::commands::inbox::InboxDecision;
use crate::commands::results::{
    ChangeResult, CheckReport, CheckpointChange, CheckpointList, CheckpointText, CompactReport, ContextResult,
    DiffResult, DigestReport, DuplicatesReport, EmbedResult, EtagResult, ExportResult, FileList, ImportResult,
    InboxList, InitResult, LogResult, MergeResult, ModelCheck, Outline, PathResult, PruneResult, QueryResult,
    ReflectReport, RepeatedChange, ResolveResult, RotReport, ScopeChange, ScopeList, SetupResult, StatsReport,
    StatusReport, SyncResult, TextResult,
};
use crate::commands::{self, ListOptions, LogOptions, Session, UndoOptions, edit};
use crate::operation::conflict_regions::ConflictChoice;

/// What `memdir` and `memdir --help` print.
pub const HELP: &str = "\
memdir: memory for agents as a directory of markdown

usage: memdir [-C DIR] [--dir DIR | -g] [-S SCOPE] [--as NAME] [--json] [-q|-v] COMMAND

read     list [FILE[#SECTION]]      files, sections, bullets with handles (@acvh)
         read ADDRESS               print a FILE, FILE#SECTION or FILE@BULLET
         query WORDS…               search, best match first; -L N, --tag, --since, --in GLOB
         context --as NAME          what an agent needs when a session starts; -b TOKENS
         status                     unrecorded edits, conflicts, pending proposals
change   add FILE[#SECTION] TEXT…   add bullets; several texts, -F FILE, or - for stdin
         update FILE@BULLET NEW     replace a bullet's text; or FILE OLD NEW
         rm ADDRESS…                remove (--archive keeps a copy, --forget erases all traces)
         mv ADDRESS DEST · restore ADDRESS…   move; take back what was archived
         set ADDRESS KEY=VALUE…     metadata, titles, summary
         append [FILE] -t TITLE     add an episode entry, its text from stdin
         patch FILE --old A --new B   replace a text that occurs exactly once
         write FILE · edit FILE · apply (operations as JSON) · bullet add|del|update|list
history  log [ADDRESS] · show REV · diff [REV] · undo [REV] · redo [REV] · stats
upkeep   reflect [FILE] · inbox [ID…] [--accept|--reject|--branch] · compact [FILE] · prune · embed
team     init [DIR] · scope [add|rm] · check [FILE…] · setup git · sync [REMOTE] · resolve [FILE]
hosts    setup HOST (claude, codex, …) · mcp [--read-only] (Model Context Protocol) · checkpoint
         import SOURCE · export --to KIND   memories of other programs

Changes take -n (dry run) and -m REASON, those of a file --if-match ETAG and -f, too.
memdir COMMAND --help explains one command; man memdir explains all.
";

/// The name and aliases of a subcommand, whether it may change the memory, and how to build its options.
pub struct CommandSpec {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub hidden: bool,
    /// What it does, for the help of `bullet`. The other commands are listed in `HELP`.
    pub about: Option<&'static str>,
    /// Whether it may change something with any options.
    pub always_may_change: bool,
    pub grammar: fn(Command) -> Command,
}

impl CommandSpec {
    /// The clap command. Its options are built only if it is called, because building all of them slows every start.
    pub fn command(&self) -> Command {
        let command = Command::new(self.name).defer(self.grammar).hide(self.hidden);
        let command = self.about.into_iter().fold(command, Command::about);
        if self.aliases.is_empty() { command } else { command.aliases(self.aliases.iter().copied()) }
    }
}

pub fn no_such() -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::InvalidSubcommand, "no such command\n")
}

fn check<A>(condition: fn(&A) -> bool, args: &A) -> bool {
    condition(args)
}

// Each row declares whether a command only reads or may change something, for some commands on which condition, and the
// types of its results that no row above returns.
macro_rules! subcommands {
    ($($kind:ident $effect:ident $variant:ident($args:ty) $(-> $($result:ty)|+)? = $name:literal
        $([$($alias:literal),*])? $(, if $condition:expr)?;)+) => {
        /// A parsed subcommand with its arguments.
        #[derive(Debug)]
        pub enum CliCommand { $($variant($args),)+ }

        /// All subcommands, in the order of the manual.
        pub const ALL: &[CommandSpec] = &[$(CommandSpec {
            name: $name,
            aliases: &[$($($alias),*)?],
            hidden: subcommands!(@hidden $kind),
            about: None,
            always_may_change: subcommands!(@changes $effect) $(&& !subcommands!(@is_condition $condition))?,
            grammar: grammar::<$args>,
        },)+];

        impl CliCommand {
            /// Whether this command may change something, so that its errors must report that nothing was changed.
            pub fn may_change(&self) -> bool {
                match self {
                    $(CliCommand::$variant(_args) => subcommands!(@changes $effect) $(&& check::<$args>($condition, _args))?,)+
                }
            }
        }

        /// The JSON Schemas of all results.
        pub fn result_schemas(generator: &mut SchemaGenerator) -> Vec<Schema> {
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

subcommands! {
    visible changes Init(InitArgs) -> InitResult = "init";
    visible reads Status(StatusArgs) -> StatusReport = "status" ["st"];
    visible reads List(ListArgs) -> FileList | Outline = "list" ["ls"];
    visible reads Read(ReadArgs) -> TextResult = "read" ["cat", "get", "view"];
    visible reads Query(QueryArgs) -> QueryResult = "query" ["search", "find", "grep", "recall"];
    visible reads Context(ContextArgs) -> ContextResult = "context";
    visible changes Add(AddArgs) -> ChangeResult = "add" ["remember"];
    visible changes Update(UpdateArgs) = "update" ["replace"];
    visible changes Rm(RmArgs) = "rm" ["remove", "delete", "del"];
    visible changes Restore(RestoreArgs) = "restore";
    visible changes Mv(MvArgs) = "mv" ["move", "rename"];
    visible changes Set(SetArgs) = "set";
    visible changes Append(AppendArgs) = "append";
    visible changes Patch(PatchArgs) = "patch";
    visible changes Write(WriteArgs) = "write";
    visible changes Apply(ApplyArgs) -> RepeatedChange = "apply";
    visible changes Edit(EditArgs) = "edit";
    visible changes Bullet(BulletArgs) = "bullet", if |a| !matches!(a.command, BulletCommand::List(_));
    visible reads Log(LogArgs) -> LogResult = "log" ["history"];
    visible reads Show(ShowArgs) = "show";
    visible reads Diff(DiffArgs) -> DiffResult = "diff";
    visible reads Stats(StatsArgs) -> StatsReport = "stats";
    visible changes Undo(UndoArgs) = "undo";
    visible changes Redo(RedoArgs) = "redo";
    visible changes Reflect(ReflectArgs) -> ReflectReport | ModelCheck = "reflect", if |a| !a.check_model && !a.show_prompt;
    visible changes Inbox(InboxArgs) -> InboxList = "inbox", if |a| a.accept || a.reject || a.branch.is_some();
    visible changes Compact(CompactArgs) -> CompactReport | DuplicatesReport | DigestReport = "compact";
    visible changes Prune(PruneArgs) -> PruneResult = "prune";
    visible changes Check(CheckArgs) -> CheckReport | RotReport = "check", if |a| a.fix;
    visible changes Resolve(ResolveArgs) -> ResolveResult = "resolve";
    visible changes Setup(SetupArgs) -> SetupResult = "setup", if |a| !a.check && !a.print;
    visible changes Scope(ScopeArgs) -> ScopeList | ScopeChange = "scope", if |a| a.action != ScopeCommand::List;
    visible changes Sync(SyncArgs) -> SyncResult = "sync";
    visible changes Import(ImportArgs) -> ImportResult = "import";
    visible reads Embed(EmbedArgs) -> EmbedResult = "embed";
    visible reads Export(ExportArgs) -> ExportResult = "export";
    visible changes Mcp(McpArgs) = "mcp", if |a| !a.read_only;
    visible changes Checkpoint(CheckpointArgs) -> CheckpointChange | CheckpointList | CheckpointText = "checkpoint", if |a| a.may_change();
    hidden reads Merge(MergeArgs) -> MergeResult = "merge";
    hidden reads MergeDriver(MergeDriverArgs) = "merge-driver";
    hidden changes Hook(HookArgs) = "hook";
    hidden changes Tool(ToolArgs) = "tool";
    hidden reads Etag(EtagArgs) -> EtagResult = "etag";
    hidden reads Where(WhereArgs) -> PathResult = "where";
    hidden reads Schema(SchemaArgs) = "schema";
    hidden reads Completions(CompletionsArgs) = "completions";
    hidden reads Man(ManArgs) = "man";
    hidden reads Complete(CompleteArgs) = "__complete";
}

impl CliCommand {
    /// Whether the answer may be longer than a screen, so that it is shown through the pager.
    pub fn may_be_long(&self) -> bool {
        use CliCommand::{Diff, List, Log, Query, Show, Stats, Status};
        matches!(self, List(_) | Log(_) | Show(_) | Diff(_) | Query(_) | Status(_) | Stats(_))
    }
}

/// Runs one parsed subcommand.
pub fn run(global: &GlobalArgs, command: CliCommand) -> CliReply {
    let runner = Runner { global };
    match command {
        CliCommand::Init(a) => runner.init(&a),
        CliCommand::Status(_) => runner.read_only(commands::status),
        CliCommand::List(a) => {
            let list = |s: &Session| {
                let options = ListOptions { blame: a.blame };
                Ok(commands::list_with(s, a.address.as_deref(), options)?.truncated(a.limit))
            };
            runner.read_texts(OutputLayout::Plain, list)
        }
        CliCommand::Read(a) => runner.read(&a.address),
        CliCommand::Query(a) => match a.query_options(&read_content).and_then(|options| check_agent(global, options)) {
            Ok(options) => runner.query(&options),
            Err(rejection) => rejection.into(),
        },
        CliCommand::Context(a) => super::context::run_context(global, &a),
        CliCommand::Add(a) => runner.apply_batch(&a.change_args, to_operation::add(&a, &read_content)),
        CliCommand::Update(a) => runner.apply_batch(&a.change_args, to_operation::update(&a, &read_content)),
        CliCommand::Rm(a) => {
            to_operation::name_text_of_rm(runner.apply_batch(&a.change_args, to_operation::rm(&a)), &a)
        }
        CliCommand::Restore(a) => runner.apply_batch(&a.change_args, to_operation::restore(&a)),
        CliCommand::Mv(a) => runner.apply_batch(&a.change_args, to_operation::mv(&a)),
        CliCommand::Set(a) => runner.apply_batch(&a.change_args, to_operation::set(&a)),
        CliCommand::Append(a) => runner.append(&a),
        CliCommand::Patch(a) => runner.apply_batch(&a.change_args, to_operation::patch(&a, &read_content)),
        CliCommand::Write(a) => runner.apply_batch(&a.change_args, to_operation::write(&a, &read_content)),
        CliCommand::Apply(a) => runner.apply_batch(&a.change_args, to_operation::apply(&a, &read_content)),
        CliCommand::Edit(a) => {
            let settings = ChangeSettings::from(&a.change_args).create(a.create);
            runner.change_with(settings, |s, options| edit::edit(s, &a.at, a.resume.as_deref(), options))
        }
        CliCommand::Bullet(a) => match a.command {
            BulletCommand::Add(a) => runner.apply_batch(&a.change_args, to_operation::add(&a, &read_content)),
            BulletCommand::Del(a) => runner.apply_batch(&a.change_args, to_operation::bullet_del(&a)),
            BulletCommand::Update(a) => runner.apply_batch(&a.change_args, to_operation::update(&a, &read_content)),
            BulletCommand::List(a) => {
                let options = ListOptions { blame: a.blame };
                let list = |s: &Session| Ok(commands::list_bullets(s, &a.address, options)?.truncated(a.limit));
                runner.read_texts(OutputLayout::Numbered, list)
            }
        },
        CliCommand::Log(a) => {
            let limit = if a.all || a.limit == Some(0) { Some(usize::MAX) } else { a.limit };
            let texts = a.all && a.patch && global.json;
            let options = LogOptions { address: a.address, patch: a.patch, since: a.since, by: a.by, limit, texts };
            let layout = if a.oneline { OutputLayout::OneLine } else { OutputLayout::Plain };
            if a.all { run_whole_log(&runner, &options, layout) } else { runner.log(&options, layout) }
        }
        CliCommand::Show(a) => runner.read_only(|s| commands::show(s, &a.revision)),
        CliCommand::Diff(a) => {
            let layout = match (a.stat, a.bullets || a.since.is_some()) {
                (true, _) => OutputLayout::Stat,
                (_, true) => OutputLayout::Bullets,
                _ => OutputLayout::Plain,
            };
            // With --since, the only positional is the file, which clap has parsed as the range.
            let (range, file) = if a.since.is_some() { (a.since, a.range) } else { (a.range, a.address) };
            runner.in_session(SessionNeeds::All, None, layout, |s| commands::diff(s, range.as_deref(), file.as_deref()))
        }
        CliCommand::Stats(a) => run_stats(&runner, &a),
        CliCommand::Undo(a) => {
            let undo_options = UndoOptions { revision: a.revision, by: a.by, keep_edited: a.keep_edited };
            runner.change_with(&a.change_args, |s, options| commands::undo(s, &undo_options, options))
        }
        CliCommand::Redo(a) => {
            runner.change_with(&a.change_args, |s, options| commands::redo(s, a.revision.as_deref(), options))
        }
        CliCommand::Reflect(a) => runner.reflect(a),
        CliCommand::Inbox(a) if a.branch.is_some() => {
            let name = a.branch.as_deref().unwrap_or_default();
            runner.change_with(&a, |s, options| commands::inbox::inbox_branch(s, &a.ids, name, options))
        }
        CliCommand::Inbox(a) => {
            let decision = match (a.accept, a.reject) {
                (true, _) => Some(InboxDecision::Accept),
                (_, true) => Some(InboxDecision::Reject),
                _ => None,
            };
            runner.change_with(&a, |s, options| commands::inbox::inbox(s, &a.ids, decision, options))
        }
        CliCommand::Check(CheckArgs { rot: Some(dir), .. }) => run_rot(global, &dir),
        CliCommand::Check(a) => runner.check(&a),
        CliCommand::Compact(a) if a.duplicates => run_duplicates(&runner, &a),
        CliCommand::Compact(a) if a.by_week => runner.change_with(&a.change_args, |session, options| {
            commands::compact::split_into_weeks(session, a.at.as_deref().unwrap_or_default(), options)
        }),
        CliCommand::Compact(a) if a.older.is_some() => run_digests(&runner, &a),
        CliCommand::Compact(a) => run_compact(&runner, &a),
        CliCommand::Prune(a) => runner.change_with_progress("reading", &a, commands::prune::prune),
        CliCommand::Resolve(a) => {
            let take = match (a.ours, a.theirs, a.both) {
                (true, ..) => Some(ConflictChoice::Ours),
                (_, true, _) => Some(ConflictChoice::Theirs),
                (.., true) => Some(ConflictChoice::Both),
                _ => None,
            };
            runner.change_with(&a.change_args, |s, options| commands::resolve(s, a.file.as_deref(), take, options))
        }
        CliCommand::Import(a) => {
            let (options, settings) = (a.to_options(), ChangeSettings::from(&a.change_args).create(a.create));
            runner.change_with_progress("reading", settings, |s, change_options| {
                commands::import::import(s, &options, change_options)
            })
        }
        CliCommand::Export(a) => {
            runner.with_progress("exporting", SessionNeeds::All, None, |s| commands::export::export(s, &a.to_options()))
        }
        CliCommand::Embed(a) => {
            let settle = a.settle_time();
            runner.read_only(move |s| commands::embed::embed(s, settle))
        }
        CliCommand::Mcp(a) => mcp_args::run_server(global, &a),
        CliCommand::Checkpoint(a) => run_checkpoint(&runner, &a),
        CliCommand::Merge(a) => merge_files(&a),
        CliCommand::MergeDriver(a) => merge_driver(a),
        CliCommand::Setup(a) => runner.setup(&a),
        CliCommand::Scope(a) => scope::run_scope(&runner, a),
        CliCommand::Sync(a) => runner.sync(a),
        CliCommand::Hook(a) => super::hook::run_hook(global, &a),
        CliCommand::Tool(a) => super::tool::run_tool(global, &a),
        CliCommand::Etag(a) => runner.read_texts(OutputLayout::Plain, |s| commands::etag(s, &a.address)),
        CliCommand::Where(a) => runner.read_texts(OutputLayout::Plain, |s| commands::path_of(s, a.address.as_deref())),
        CliCommand::Schema(a) => CliReply::Text(generate::schema(a.topic)),
        CliCommand::Completions(a) => CliReply::Text(generate::completions(a.shell)),
        CliCommand::Man(a) => generate::man(&a).map_or_else(CliReply::from, CliReply::Text),
        CliCommand::Complete(a) => CliReply::Text(complete::complete(global, &a.words)),
    }
}

impl CliCommand {
    /// Whether its own options ask for JSON.
    pub fn prints_json(&self) -> bool {
        matches!(self, CliCommand::Check(a) if a.format == CheckFormat::Json)
    }
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
