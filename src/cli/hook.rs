//! `hook`: its options as clap parses them, and the call of the use case.
//!
//! Never prints anything but an envelope on stdout, with a message for the user on stderr where the host's envelope has
//! no place for it, and never fails: hosts take an exit status of 2 for an order to
//! stop.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::args::GlobalArgs;
use super::open;
use super::output::CliReply;
use crate::commands::Session;
use crate::commands::embed::start_if_due;
use crate::commands::hook::{self, HookAnswer, HookOptions};
use crate::host::agent_hosts::cut_json::close_cut_json;
use crate::host::agent_hosts::{self, AgentHost, HookEvent};
use crate::host::conversation_scope::{ConversationOrigin, MAX_HEAD_BYTES, field_value};
use crate::host::{content, outside_files};
use crate::memory::{OpenOptions, working_dir};
use crate::text::shell_quote::shell_quote;

/// How long a host may take to write its input.
const INPUT_WAIT: Duration = Duration::from_millis(200);
/// How much of an input is read, in bytes. Of the call of a tool the beginning counts, if it names the file; any other
/// input that is longer is not JSON when it is cut, and so gets the empty envelope.
const MAX_INPUT_BYTES: usize = 4 << 20;

#[derive(Args, Debug)]
#[command(
    about = "Answer a hook of an agent host: reads its JSON from stdin, prints its envelope, always exits 0",
    after_help = "session-start prints the text of `context --stable`, subagent-start the same without \
                  news, and in at most 300 more tokens what its task is about. user-prompt prints at most three \
                  bullets, pre-tool and post-tool at most two, rules for a touched path first, in at most 300 tokens; \
                  a longer rule is cut. pre-compact, stop and session-end queue the transcript and start `reflect --queued` in the \
                  background, if a model is configured. Acts only on memories that the user config lists under \
                  `trusted:` (`init` and `setup` add them). MEMDIR_MODE=read queues nothing, MEMDIR_MODE=off does \
                  nothing.\n\nExample: memdir hook session-start --host claude"
)]
#[group(skip)]
pub struct HookArgs {
    /// The event for which the host runs the hook
    #[arg(value_name = "EVENT", value_parser = parse_event())]
    pub event: HookEvent,
    /// The host, whose input and envelope are used
    #[arg(long, value_name = "HOST", default_value = "claude", value_parser = parse_host())]
    pub host: &'static AgentHost,
    /// At session-start and subagent-start, print at most N tokens (default 600, at least 320)
    #[arg(short = 'b', long, value_name = "N")]
    pub budget: Option<usize>,
}

fn parse_event() -> impl TypedValueParser<Value = HookEvent> {
    let known = PossibleValuesParser::new(HookEvent::ALL.map(HookEvent::name));
    known.try_map(|name| HookEvent::ALL.into_iter().find(|event| event.name() == name).ok_or("unknown event"))
}

fn parse_host() -> impl TypedValueParser<Value = &'static AgentHost> {
    let known = PossibleValuesParser::new(agent_hosts::ALL.map(|host| host.name));
    known.try_map(|name| AgentHost::by_name(&name).ok_or("unknown host"))
}

/// Answers one event with the envelope of the host. Once it is printed, records what was shown and starts work in the
/// background; if it could not be printed, takes back what it claimed to show.
pub fn run_hook(global: &GlobalArgs, args: &HookArgs) -> CliReply {
    let (HookAnswer { envelope, message, mark, used, shown, claimed, drain, prune, embed }, session) =
        match answer_event(global, args) {
            Some((answer, session)) => (answer, Some(session)),
            None => (HookAnswer::empty(), None),
        };
    let then = move |is_printed: bool| {
        let Some(session) = session else { return };
        if !is_printed {
            claimed.into_iter().for_each(|claimed| claimed.take_back(&session.store));
            return;
        }
        mark.iter().for_each(|mark| mark.save(&session.store));
        used.iter().for_each(|used| used.record(&session));
        shown.iter().for_each(|shown| shown.save(&session.store));
        if drain {
            hook::start_drain(&session);
        }
        if prune {
            hook::start_prune(&session);
        }
        if embed {
            start_if_due(&session);
        }
    };
    CliReply::Hook(envelope, message, Box::new(then))
}

fn answer_event(global: &GlobalArgs, args: &HookArgs) -> Option<(HookAnswer, Session)> {
    if !hook::is_active(&open::env) {
        return None;
    }
    let host = args.host;
    let mut text = content::read_stdin_within(INPUT_WAIT, MAX_INPUT_BYTES);
    if text.len() == MAX_INPUT_BYTES && matches!(args.event, HookEvent::PreTool | HookEvent::PostTool) {
        text = close_cut_json(&text).unwrap_or(text);
    }
    let input = host.parse_input(&text)?;
    let mut named = open::open_options(global, None);
    // The directory of a session changes with the agent's `cd`; Claude Code names the project's root to its hooks
    // (https://code.claude.com/docs/en/hooks), and so does Gemini CLI, by the same variable.
    if let Some(dir) = named.dir.as_mut().filter(|dir| dir.is_relative())
        && let Some(below) = open::env("CLAUDE_PROJECT_DIR").map(|root| Path::new(&root).join(&*dir))
        && below.is_dir()
    {
        *dir = below;
    }
    // `-C` is entered already, and wins over the directory that the host names.
    let start = input.directory.clone().map(PathBuf::from).filter(|_| global.start.is_empty());
    let actor = named.actor.clone().or_else(|| open::env("MEMDIR_AS")).filter(|name| !name.trim().is_empty());
    let options = OpenOptions { start, actor: Some(actor.unwrap_or_else(|| host.name.to_owned())), ..named };
    let in_transcript = |field: &str| {
        let head = outside_files::read_head(Path::new(input.transcript.as_deref()?), MAX_HEAD_BYTES).ok()?;
        field_value(&head, field)
    };
    let field = |field: &str| field_value(&text, field).or_else(|| in_transcript(field));
    let directory = input.directory.as_deref().map(Path::new);
    let options = options.for_conversation(&ConversationOrigin { directory, field: &field });
    let session = options.open_trusted_session().ok()??;
    let hook_options = HookOptions { budget: args.budget, command_prefix: command_prefix(global, &session) };
    Some((hook::answer(&session, host, args.event, &input, &hook_options, &open::env), session))
}

/// The options with which a command of the agent's shell reaches the memory of the hook. The shell has its environment,
/// but neither its options nor its rules for the scope of a conversation.
fn command_prefix(global: &GlobalArgs, session: &Session) -> String {
    let mut words = Vec::new();
    if global.dir.is_some() {
        words.push(format!("--dir {}", shell_quote(&session.memory_dir().to_string_lossy())));
    } else if global.global {
        words.push("-g".to_owned());
    } else if let (false, Ok(start)) = (global.start.is_empty(), working_dir()) {
        // `-C` is entered already.
        words.push(format!("-C {}", shell_quote(&start.to_string_lossy())));
    }
    let scope = session.scope.as_ref().filter(|scope| open::env("MEMDIR_SCOPE").as_ref() != Some(&scope.name));
    words.extend(scope.map(|scope| format!("-S {}", shell_quote(&scope.name))));
    words.join(" ")
}
