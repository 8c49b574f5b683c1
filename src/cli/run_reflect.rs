//! Runs `reflect`: its input, its models, and which of its tasks is meant.
//!
//! Never prints and never exits: the result is returned as a `CliReply`.

use std::io::IsTerminal;
use std::path::PathBuf;

use super::open::{self, SessionNeeds};
use super::output::{CliReply, OutputLayout};
use super::progress::ProgressDisplay;
use super::reflect::{ReflectArgs, ReflectModeArg};
use super::run::{Runner, stdin_wait};
use super::sanitize;
use crate::code::Rejection;
use crate::commands::model::{check_model, open_model};
use crate::commands::reflect::{self, ReflectOptions, RequestOptions};
use crate::commands::results::ReflectReport;
use crate::commands::{ChangeOptions, CommandResult, Error, ProgressNotes, Session};
use crate::host::config::UserConfig;
use crate::host::conversation_scope::{ConversationOrigin, field_value};
use crate::host::models::{ModelQuery, ModelRole};
use crate::host::{content, user};
use crate::reflect::prompt::ReplyMode;

impl Runner<'_> {
    /// Runs `reflect`. The conversation is read before the data directory is searched for; the model is opened only
    /// when it is needed.
    pub fn reflect(&self, args: ReflectArgs) -> CliReply {
        if args.check_model {
            let checked = open::check_variables()
                .map_err(Error::from)
                .and_then(|()| check_model(&ModelQuery::from(args.model), &open::env));
            return CliReply::of(checked, Vec::new(), OutputLayout::Plain);
        }
        let (conversation, instructions) = match read_input(&args) {
            Ok(read) => read,
            Err(rejection) => return rejection.into(),
        };
        let user_config = user::load_config(&open::env).0;
        let models = ReflectModels::of(&args, &user_config);
        let notes = ProgressNotes::default();
        notes.begin("reflecting");
        let options = ReflectOptions {
            reply_mode: match args.mode {
                ReflectModeArg::Auto => None,
                ReflectModeArg::Tools => Some(ReplyMode::Tools),
                ReflectModeArg::Ops => Some(ReplyMode::JsonObject),
            },
            propose: args.propose,
            into: args.into.clone(),
            facts_tokens: args.facts_tokens,
            instructions,
            open_model: &|| open_model(&models.editor, &open::env),
            progress: &|task: &str| notes.begin(task),
        };
        let session = self.reflect_session(&args, &conversation);
        if args.show_prompt {
            let prompt = session.map_err(Error::from);
            return match prompt.and_then(|session| reflect::show_prompt(&session, &conversation, &options)) {
                Ok(prompt) => CliReply::Text(escape_for_terminal(prompt)),
                Err(error) => error.into(),
            };
        }
        let session = match session {
            Ok(session) => session,
            Err(rejection) => return rejection.into(),
        };
        let _display = ProgressDisplay::start(self.global, &notes);
        let result = run_task(&session, &args, &conversation, &options, &models);
        CliReply::of(result, session.policy.warnings, OutputLayout::Plain)
    }

    /// The session in the scope that the conversation belongs to. The queue is that of one memory, or of one scope; a
    /// request is no conversation.
    fn reflect_session(&self, args: &ReflectArgs, conversation: &[u8]) -> Result<Session, Rejection> {
        let named = open::open_options(self.global, args.lock_timeout);
        if args.queued || args.request.is_some() {
            return named.open_session(SessionNeeds::All);
        }
        let field = |field: &str| field_value(conversation, field);
        // Where it took place, as Claude Code and Codex say, else here.
        let own = ["cwd", "payload.cwd"].into_iter().filter_map(field).map(PathBuf::from).find(|dir| dir.is_absolute());
        let directory = own.or_else(|| open::working_dir().ok());
        let origin = ConversationOrigin { directory: directory.as_deref(), field: &field };
        named.for_conversation(&origin).open_session(SessionNeeds::All)
    }
}

/// The conversation, empty where none is read, and the user's own instructions.
fn read_input(args: &ReflectArgs) -> Result<(Vec<u8>, Option<String>), Rejection> {
    let has_none = args.queued || args.request.is_some() || (args.insights && args.file.is_none());
    let conversation = if has_none { Vec::new() } else { content::read_bytes(args.file.as_deref(), stdin_wait()?)? };
    Ok((conversation, user::custom_prompt(&open::env, "reflect")?))
}

/// The models of a run. A request may have one of its own for each of its steps.
struct ReflectModels {
    editor: ModelQuery,
    /// `None`: the model that is named for both.
    finder: Option<ModelQuery>,
}

impl ReflectModels {
    fn of(args: &ReflectArgs, config: &UserConfig) -> ReflectModels {
        let named = ModelQuery::from(args.model.clone());
        let has_finder = args.finder.is_some() || config.finder.is_some();
        let finder = has_finder.then(|| named.for_role(ModelRole::Finder, args.finder.as_deref()));
        let editor = match args.request {
            Some(_) => named.for_role(ModelRole::Editor, args.editor.as_deref()),
            None => named,
        };
        ReflectModels { editor, finder }
    }
}

/// Runs the task that the options name: a request, a record, a procedure, the queue, insights, or reading a
/// conversation.
fn run_task(
    session: &Session,
    args: &ReflectArgs,
    conversation: &[u8],
    options: &ReflectOptions<'_>,
    models: &ReflectModels,
) -> CommandResult<ReflectReport> {
    let change_options = ChangeOptions {
        dry_run: args.dry_run,
        reason: args.reason.clone(),
        source: args.source.clone(),
        ..ChangeOptions::default()
    };
    if let Some(text) = args.request.as_deref() {
        let open_finder = models.finder.as_ref().map(|query| || open_model(query, &open::env));
        let open_finder = open_finder.as_ref().map(|open| open as _);
        let request = RequestOptions { text, tags: &args.tags, open_finder };
        return reflect::answer_request(session, &request, options, &change_options);
    }
    match (args.queued, args.insights) {
        _ if args.record => reflect::make_record(session, conversation, &args.related, options, &change_options),
        _ if args.procedure => reflect::make_procedure(session, conversation, options, &change_options),
        (true, _) => reflect::reflect_queued(session, options, &change_options),
        (_, true) => reflect::make_insights(session, conversation, options, &change_options),
        (false, false) => reflect::reflect(session, conversation, options, &change_options),
    }
}

/// Escapes a text that contains memory for a terminal; a pipe gets it unchanged.
fn escape_for_terminal(text: String) -> String {
    if !std::io::stdout().is_terminal() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    sanitize::escape_lines(&mut out, &text, true);
    out
}
