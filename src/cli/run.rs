//! Runs use cases in a session that is opened with the global options.
//!
//! Never prints and never exits: the result is returned as a `CliReply`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::{ChangeSettings, GlobalArgs};
use super::change_args::AppendArgs;
use super::compact::CompactArgs;
use super::git_args::{SetupArgs, SetupTarget, SyncArgs};
use super::list_and_read::InitArgs;
use super::open::SessionNeeds;
use super::output::{CliReply, OutputLayout};
use super::print_result::PrintableResult;
use super::progress::ProgressDisplay;
use super::state::{CheckArgs, CheckFormat};
use super::{open, query_args, to_operation};
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::commands::model::{OpenModel, open_model};
use crate::commands::setup_host::{self, HostSetupOptions, HostTarget};
use crate::commands::sync::{self, SyncOptions};
use crate::commands::usage::ResultUse;
use crate::commands::{
    self, ChangeOptions, CheckOptions, CommandResult, Error, InitOptions, LogOptions, Session, edit, embed, setup,
    vector_search,
};
use crate::host::agent_hosts::AgentHost;
use crate::host::agent_hosts::config_paths::ConfigOwner;
use crate::host::models::ModelQuery;
use crate::host::{actor, content, editor, find, user};
use crate::memory::OpenOptions;
use crate::operation::Batch;
use crate::path::ALL_SCOPES;
use crate::view::query::filter::QueryOptions;

/// Opens sessions with the global options and runs commands in them.
pub struct Runner<'a> {
    pub global: &'a GlobalArgs,
}

impl Runner<'_> {
    /// Runs a command that only reads, and needs the caller and the time.
    pub fn read_only<T: Into<PrintableResult>>(&self, use_case: impl FnOnce(&Session) -> CommandResult<T>) -> CliReply {
        self.in_session(SessionNeeds::All, None, OutputLayout::Plain, use_case)
    }

    /// Runs a command that changes the memory, with its options.
    pub fn change_with<T: Into<PrintableResult>>(
        &self,
        settings: impl Into<ChangeSettings>,
        use_case: impl FnOnce(&Session, &ChangeOptions) -> CommandResult<T>,
    ) -> CliReply {
        let ChangeSettings { options, lock_timeout } = settings.into();
        self.in_session(SessionNeeds::All, lock_timeout, OutputLayout::Plain, |session| {
            then_embed(session, use_case(session, &options))
        })
    }

    /// Runs a batch of operations. Errors in the arguments are reported before the data directory is searched for.
    pub fn apply_batch(&self, settings: impl Into<ChangeSettings>, batch: Result<Batch, impl Into<Error>>) -> CliReply {
        match batch {
            Ok(batch) => self.change_with(settings, |session, options| commands::change(session, batch, options)),
            Err(error) => error.into().into(),
        }
    }

    /// Runs `append`. On a terminal, the text is written in the editor if there is one and no other content is given.
    pub fn append(&self, args: &AppendArgs) -> CliReply {
        if args.names_content() || !std::io::stdin().is_terminal() || !editor::is_configured() {
            return self.apply_batch(&args.change_args, to_operation::append(args, &read_content));
        }
        let template = if args.title.is_none() && args.at.is_none() { "## " } else { "" };
        let to_batch = |text: String| to_operation::append(args, &|_| Ok(text.clone()));
        self.change_with(&args.change_args, |session, options| edit::compose(session, template, to_batch, options))
    }

    /// Runs a command that only reads texts and depends on neither the caller nor the time.
    pub fn read_texts<T: Into<PrintableResult>>(
        &self,
        layout: OutputLayout,
        use_case: impl FnOnce(&Session) -> CommandResult<T>,
    ) -> CliReply {
        self.in_session(SessionNeeds::Texts, None, layout, use_case)
    }

    /// Prints a file, section or bullet. A whole file is copied to a pipe directly, unless there are warnings to print.
    pub fn read(&self, address: &str) -> CliReply {
        let can_copy = !self.global.json && !self.global.verbose && !std::io::stdout().is_terminal();
        let whole_file =
            |session: &Session| if can_copy { commands::open_whole_file(session, address) } else { Ok(None) };
        // The day of its use is recorded.
        match open::open_session(self.global, SessionNeeds::LocalDay, None).and_then(|s| Ok((whole_file(&s)?, s))) {
            Ok((Some(file), session)) if session.policy.warnings.is_empty() => {
                let used = ResultUse::of_file(&file.path);
                CliReply::Copy(file, Box::new(move || used.record(&session)))
            }
            Ok((_, session)) => {
                let result = commands::read(&session, address);
                let mut warnings = session.policy.warnings.clone();
                if session.store.has_redacted() && result.is_ok() {
                    let message = "parts outside the caller's allowlist are not shown";
                    warnings.push(Warning::new(Code::Note, message));
                }
                reply_then_record(session, result, warnings, ResultUse::of_read)
            }
            Err(rejection) => rejection.into(),
        }
    }

    /// Searches the memory; with [`ALL_SCOPES`] as the scope, all of its scopes, too.
    pub fn query(&self, options: &QueryOptions) -> CliReply {
        // All scopes are searched from their parent memory.
        let all_scopes = open::names_all_scopes(self.global);
        let global = GlobalArgs { scope: self.global.scope.clone().filter(|_| !all_scopes), ..self.global.clone() };
        let scope = if all_scopes { Some(ALL_SCOPES.to_owned()) } else { options.scope.clone() };
        let options = &QueryOptions { scope, vectors: Some(true), ..options.clone() };
        let open_options = OpenOptions { all_scopes, ..open::open_options(&global, None) };
        match open_options.open_session(SessionNeeds::LocalDay) {
            Ok(session) => {
                session.progress.begin("searching");
                let touching = query_args::named_from_root(&options.touching, &session.dir);
                let options = QueryOptions { touching, ..options.clone() };
                let result = {
                    let _display = ProgressDisplay::start(self.global, &session.progress);
                    commands::query(&session, &options)
                };
                let mut warnings = session.policy.warnings.clone();
                warnings.extend(vector_search::failure_notice(&session));
                reply_then_record(session, result, warnings, ResultUse::of_query)
            }
            Err(rejection) => rejection.into(),
        }
    }

    /// Runs `setup`; `--print` needs no data directory.
    pub fn setup(&self, args: &SetupArgs) -> CliReply {
        let target = match host_target(args.target) {
            None if args.project || args.user || args.auto_memory => {
                let message = "--project, --user and --auto-memory are for agent hosts, not for git";
                return Rejection::new(Code::Usage, message).into();
            }
            target => target,
        };
        if args.print {
            let text = target.map_or_else(setup::manual_instructions, setup_host::manual_entries);
            return text.map_or_else(CliReply::from, CliReply::Text);
        }
        let mode = match (args.check, args.remove) {
            (true, _) => setup::SetupMode::Check,
            (_, true) => setup::SetupMode::Remove,
            _ => setup::SetupMode::Install,
        };
        let owner = match (args.project, args.user) {
            (true, _) => Some(ConfigOwner::Project),
            (_, true) => Some(ConfigOwner::User),
            _ => None,
        };
        self.in_session(SessionNeeds::Texts, None, OutputLayout::Plain, |session| match target {
            None => setup::setup_git(session, mode, args.dry_run),
            Some(target) => {
                let options =
                    HostSetupOptions { target, owner, mode, dry_run: args.dry_run, auto_memory: args.auto_memory };
                setup_host::setup_host(session, &open::working_dir()?, &options, &open::env)
            }
        })
    }

    /// Checks the named files, or all; with `--fix`, fixes them in one change.
    pub fn check(&self, args: &CheckArgs) -> CliReply {
        let options = CheckOptions {
            since: args.since.as_deref(),
            writing: args.writing,
            stale: args.stale,
            strict: args.strict,
            anchors: args.anchors,
            against: &args.against,
            fix: args.fix,
            paths_from_root: args.format == CheckFormat::Github,
        };
        let check =
            |s: &Session, change_options: &ChangeOptions| commands::check(s, &args.files, &options, change_options);
        let reply = self.change_with_progress("checking", &args.change_args, check);
        match args.format {
            CheckFormat::Github => reply.in_layout(OutputLayout::GitHub),
            CheckFormat::Text | CheckFormat::Json => reply,
        }
    }

    /// Synchronizes with the remote of the memory; with `--home` or `--setup`, with that of the user config.
    pub fn sync(&self, args: SyncArgs) -> CliReply {
        self.with_progress("syncing", SessionNeeds::All, args.lock_timeout, |session| {
            let progress = |task: &str| session.progress.begin(task);
            let (dry_run, force, wait) = (args.dry_run, args.force, args.timeout);
            let options = SyncOptions {
                direction: args.direction(),
                remote: args.remote,
                dry_run,
                force,
                reason: args.reason,
                network_timeout: wait,
                progress: &progress,
                ..SyncOptions::default()
            };
            let synced = match (args.setup, args.home) {
                (false, false) => sync::sync(session, &options),
                (setup, _) => sync::home::sync_home(session, &open::env, setup, options),
            };
            then_embed(session, synced)
        })
    }

    /// Runs one of the tasks of `compact` with the configured model, or with none if none is configured and the options
    /// name none.
    pub fn compact_with_model<T: Into<PrintableResult>>(
        &self,
        task: &str,
        args: &CompactArgs,
        use_case: impl FnOnce(&Session, &ChangeOptions, Option<&OpenModel>) -> CommandResult<T>,
    ) -> CliReply {
        let opened = if args.by_age {
            None
        } else {
            match open_model(&ModelQuery::from(args.model.clone()), &open::env) {
                Ok(opened) => Some(opened),
                Err(error) if error.code == Code::NoModel && !args.names_model() => None,
                Err(error) => return error.into(),
            }
        };
        self.change_with_progress(task, &args.change_args, |session, options| {
            use_case(session, options, opened.as_ref())
        })
    }

    /// Like [`Runner::change_with`], for a command that may take long.
    pub fn change_with_progress<T: Into<PrintableResult>>(
        &self,
        task: &str,
        settings: impl Into<ChangeSettings>,
        use_case: impl FnOnce(&Session, &ChangeOptions) -> CommandResult<T>,
    ) -> CliReply {
        let ChangeSettings { options, lock_timeout } = settings.into();
        self.with_progress(task, SessionNeeds::All, lock_timeout, |session| {
            then_embed(session, use_case(session, &options))
        })
    }

    /// Runs a command that may take long, and shows on a terminal what it is doing, initially `task`.
    pub fn with_progress<T: Into<PrintableResult>>(
        &self,
        task: &str,
        needs: SessionNeeds,
        timeout: Option<Duration>,
        use_case: impl FnOnce(&Session) -> CommandResult<T>,
    ) -> CliReply {
        self.in_session(needs, timeout, OutputLayout::Plain, |session| {
            session.progress.begin(task);
            let _display = ProgressDisplay::start(self.global, &session.progress);
            use_case(session)
        })
    }

    /// Opens a session, and runs a command in it.
    // Inlined in `subcommands::run`, all commands together would need 72 KiB of stack, cleared by the kernel for each.
    #[inline(never)]
    pub fn in_session<T: Into<PrintableResult>>(
        &self,
        needs: SessionNeeds,
        timeout: Option<Duration>,
        layout: OutputLayout,
        use_case: impl FnOnce(&Session) -> CommandResult<T>,
    ) -> CliReply {
        match open::open_session(self.global, needs, timeout) {
            Ok(session) => {
                let result = use_case(&session);
                CliReply::of(result, session.policy.warnings, layout).about(session.dir)
            }
            Err(rejection) => rejection.into(),
        }
    }

    pub fn log(&self, options: &LogOptions, layout: OutputLayout) -> CliReply {
        self.in_session(SessionNeeds::All, None, layout, |s| commands::log(s, options))
    }

    /// Runs `init` in the given directory, else `--dir`, else with `-g` in the user's own, else `MEMDIR`, else
    /// `./memory`.
    pub fn init(&self, args: &InitArgs) -> CliReply {
        if args.at.is_some() && (self.global.global || self.global.dir.is_some()) {
            let named = if self.global.global { "-g" } else { "--dir" };
            return Rejection::new(Code::Usage, format!("{named} and DIR both name the directory; omit one")).into();
        }
        let dir_query = open::open_options(self.global, None).directory_query();
        let working_dir = match open::check_variables().and_then(|()| open::working_dir()) {
            Ok(work) => work,
            Err(rejection) => return rejection.into(),
        };
        let named = args.at.clone().or(dir_query.dir).or(dir_query.env);
        let is_default = named.is_none() && !dir_query.global;
        let dir = if dir_query.global {
            match user::new_own_memory(&user::load_config(&open::env).0, &open::env, &working_dir) {
                Some(dir) => dir,
                None => return find::no_own_memory_error().into(),
            }
        } else {
            named.unwrap_or_else(|| PathBuf::from("memory"))
        };
        if args.adopt && is_default && !working_dir.join(&dir).is_dir() {
            return Rejection::new(Code::Usage, "--adopt needs the folder to adopt")
                .hint("`.` is the working directory")
                .try_command(SuggestedCommand { subcommand: vec!["init", "--adopt"], operands: vec![".".to_owned()] })
                .into();
        }
        let people = user::load_config(&open::env).0.people;
        let is_agent = actor::is_agent(self.global.actor.as_deref(), &open::env, &people);
        let query = InitOptions { example: args.example, adopt: args.adopt, trust: true, is_agent };
        CliReply::of(commands::init(&working_dir.join(dir), &query), Vec::new(), OutputLayout::Plain)
    }
}

/// A reply that, once printed, records the use of the items it showed.
fn reply_then_record<T: Into<PrintableResult>>(
    session: Session,
    result: CommandResult<T>,
    warnings: Vec<Warning>,
    used: fn(&T) -> ResultUse,
) -> CliReply {
    match result {
        Ok(result) => {
            let (used, dir) = (used(&result), session.dir.clone());
            CliReply::ResultThen(result.into(), warnings, Box::new(move || used.record(&session))).about(dir)
        }
        Err(error) => CliReply::Result(Box::new(Err(error)), warnings, OutputLayout::Plain),
    }
}

/// After a change, vectors of what is new are made in the background, if there is a host for this memory.
fn then_embed<T>(session: &Session, result: CommandResult<T>) -> CommandResult<T> {
    if session.embeddings.is_some() && result.is_ok() {
        embed::start_if_due(session);
    }
    result
}

/// The host that `setup` is called for; `None` for git.
fn host_target(target: SetupTarget) -> Option<HostTarget> {
    let host = |name| AgentHost::by_name(name).map(HostTarget::Host);
    match target {
        SetupTarget::Git => None,
        SetupTarget::Claude => host("claude"),
        SetupTarget::Codex => host("codex"),
        SetupTarget::Gemini => host("gemini"),
        SetupTarget::Cursor => host("cursor"),
        SetupTarget::AgentsMd => Some(HostTarget::AgentsMd),
        SetupTarget::Mcp => Some(HostTarget::Mcp),
    }
}

/// Refuses a JSON query whose `agent` differs from `--as`.
///
/// # Errors
/// `invalid_query`.
pub fn check_agent(global: &GlobalArgs, query: QueryOptions) -> Result<QueryOptions, Rejection> {
    match (global.actor.as_deref(), query.agent.as_deref()) {
        (Some(actor), Some(agent)) if actor != agent => {
            let message = "the query's 'agent' and --as name different agents";
            Err(Rejection::new(Code::InvalidQuery, message).hint("omit one of them, or give both the same name"))
        }
        _ => Ok(query),
    }
}

/// Reads content from a file or stdin. `MEMDIR_STDIN_WAIT` is how long to wait for a silent pipe, in milliseconds.
pub fn read_content(file: Option<&Path>) -> Result<String, Rejection> {
    content::read_text(file, stdin_wait()?)
}

pub(super) fn stdin_wait() -> Result<Duration, Rejection> {
    let error = |_| {
        Rejection::new(Code::Usage, "MEMDIR_STDIN_WAIT must be a number of milliseconds")
            .hint("see ENVIRONMENT in memdir(1)")
    };
    match open::env("MEMDIR_STDIN_WAIT") {
        None => Ok(content::DEFAULT_WAIT),
        Some(ms) => ms.parse().map(Duration::from_millis).map_err(error),
    }
}
