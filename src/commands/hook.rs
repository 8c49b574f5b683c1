//! `hook`: what a host's hook does with a trusted memory: the first context of a session, what is known about a prompt
//! or a tool call, and transcripts queued for `reflect`.
//!
//! Never calls a model, never waits for a writer, and never fails: what cannot be done is left out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::context::{ContextRequest, ReaderMark, context};
use super::usage::ResultUse;
use super::{Session, reflect};
use crate::code::{Code, Warning};
use crate::host::agent_hosts::{AgentHost, EMPTY_ENVELOPE, HookEvent, HookInput};
use crate::host::models::{self, ModelQuery, NESTED_CALL_VARIABLE};
use crate::host::{EnvLookup, background, outside_files, user};
use crate::policy::ExpiredRule;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::view::context::delta::UPDATES_HEAD;
use crate::view::context::page::{ContextOptions, address_path};
use crate::view::context::result::ContextResult;
use crate::view::context::sanitize::{NOTES_NOTICE, sanitize_line};
use home_sync::{HomeSync, sync_home, unpushed_notice};
use recall::shown::{ShownBullet, ShownItems};

mod home_sync;
mod recall;
mod subagent;

/// The note of a session that was not queued because no model is configured: [`NEW`], then [`REPORTED`].
const NO_MODEL_NOTE: &str = "hook-without-model";
/// The note of the day on which a session's start ran `prune` last.
const PRUNE_NOTE: &str = "hook-prune";
/// The budget of a session's start in tokens, unless the hook's command names another.
pub const START_BUDGET: usize = 600;
const NEW: &str = "new";
const REPORTED: &str = "reported";

/// How far hooks and other front ends of agents may go: `MEMDIR_MODE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryMode {
    /// Read, and queue conversations.
    On,
    /// Read, and queue nothing.
    Read,
    /// Do nothing.
    Off,
}

impl MemoryMode {
    /// Parses the variable. An unknown value is `Off`: a hook cannot report it, and doing less is safe.
    pub fn parse(value: Option<&str>) -> MemoryMode {
        match value.map(str::trim) {
            None | Some("" | "on") => MemoryMode::On,
            Some("read") => MemoryMode::Read,
            Some(_) => MemoryMode::Off,
        }
    }
}

/// What the command of a hook says beside its event.
#[derive(Clone, Debug, Default)]
pub struct HookOptions {
    /// The budget of a session's start in tokens.
    pub budget: Option<usize>,
    /// The options with which commands reach the same memory, quoted for a shell; empty if they need none.
    pub command_prefix: String,
}

/// The answer of a hook.
#[derive(Default)]
pub struct HookAnswer {
    /// The whole of stdout.
    pub envelope: String,
    /// For stderr: a message for the user that the host's envelope cannot hold.
    pub message: Option<String>,
    /// To be saved once the envelope is printed.
    pub mark: Option<ReaderMark>,
    /// To be recorded then.
    pub used: Option<ResultUse>,
    /// What the session has seen then, to be saved as well.
    pub shown: Option<ShownItems>,
    /// What is saved as seen already, to be taken back if the envelope cannot be printed.
    pub claimed: Option<ShownItems>,
    /// Whether to start `reflect --queued` in the background once the envelope is printed.
    pub drain: bool,
    /// Whether to start `prune` in the background once the envelope is printed.
    pub prune: bool,
    /// Whether to start `embed` in the background then, if vectors are missing.
    pub embed: bool,
}

impl HookAnswer {
    /// The answer of a hook that does nothing.
    pub fn empty() -> HookAnswer {
        HookAnswer { envelope: EMPTY_ENVELOPE.to_owned(), ..HookAnswer::default() }
    }
}

/// Whether a hook does anything at all here: not with `MEMDIR_MODE=off`, and not below a model that memdir itself runs,
/// whose own sessions would otherwise be queued, and reading them would start the next.
pub fn is_active(env: EnvLookup<'_>) -> bool {
    MemoryMode::parse(env("MEMDIR_MODE").as_deref()) != MemoryMode::Off
        && env(NESTED_CALL_VARIABLE).is_none_or(|v| v.is_empty())
}

/// Answers one event. What must survive the end of the host is on disk when this returns.
pub fn answer(
    session: &Session,
    host: &AgentHost,
    event: HookEvent,
    input: &HookInput,
    options: &HookOptions,
    env: EnvLookup<'_>,
) -> HookAnswer {
    let may_queue = MemoryMode::parse(env("MEMDIR_MODE").as_deref()) == MemoryMode::On;
    match event {
        HookEvent::SessionStart => {
            let notice = may_queue.then(|| sync_home(session, HomeSync::Fetch, env)).flatten();
            HookAnswer {
                drain: may_queue && has_queued(session) && has_model(env),
                prune: may_queue && note_prune(session).is_some(),
                embed: may_queue,
                ..start_context(session, host, input, options, notice).unwrap_or_else(HookAnswer::empty)
            }
        }
        HookEvent::PreCompact | HookEvent::Stop | HookEvent::SessionEnd => {
            let queued = may_queue && enqueue(session, input, env).is_some();
            // What a session was shown is gone once it is summarized.
            let shown = (event == HookEvent::PreCompact).then(|| ShownItems::reset(session, input));
            // Before a summary the session goes on: its end pushes.
            let notice = match event {
                HookEvent::PreCompact => None,
                _ if may_queue => sync_home(session, HomeSync::Push, env),
                _ => unpushed_notice(session, env),
            };
            let shown_notice = notice.as_ref().and_then(|notice| host.message_envelope(notice));
            let message = notice.filter(|_| shown_notice.is_none());
            let envelope = shown_notice.unwrap_or_else(|| EMPTY_ENVELOPE.to_owned());
            HookAnswer { envelope, message, drain: queued, shown, ..HookAnswer::empty() }
        }
        HookEvent::SubagentStart => subagent::start(session, host, input, options).unwrap_or_else(HookAnswer::empty),
        HookEvent::UserPrompt | HookEvent::PreTool | HookEvent::PostTool => {
            recall::recall(session, host, event, input).unwrap_or_else(HookAnswer::empty)
        }
    }
}

/// The text of `context` in the host's envelope, below a notice.
fn start_context(
    session: &Session,
    host: &AgentHost,
    input: &HookInput,
    options: &HookOptions,
    notice: Option<String>,
) -> Option<HookAnswer> {
    let request = ContextRequest {
        reader: Some(session.actor.clone()),
        budget: Some(start_budget(options)),
        command_prefix: options.command_prefix.clone(),
        stable: true,
        path_rules_follow: host.takes_text(HookEvent::PreTool),
        directory: input.directory.as_ref().map(PathBuf::from),
        ..ContextRequest::default()
    };
    let (result, mark) = context(session, &request).ok()?;
    if input.is_resumed {
        let mut shown = ShownItems::load(session, input);
        if !shown.is_empty() {
            shown
                .add(result.updates.iter().filter_map(|update| Some(ShownBullet::new(update.identity?, &update.path))));
            let updates = updates_of(&result.text).map(|updates| format!("{NOTES_NOTICE}\n\n{updates}"));
            let notice = notice.map(|notice| sanitize_line(&notice));
            let text = notice.into_iter().chain(updates).collect::<Vec<_>>().join("\n\n");
            let used = Some(ResultUse::of_injection(estimate_llm_tokens(&text)));
            let envelope = if text.is_empty() {
                EMPTY_ENVELOPE.to_owned()
            } else {
                host.context_envelope(HookEvent::SessionStart, &text)
            };
            return Some(HookAnswer { envelope, mark, used, shown: Some(shown), ..HookAnswer::default() });
        }
    }
    let notice = notice.map_or(String::new(), |notice| format!("{}\n\n", sanitize_line(&notice)));
    let envelope = host.context_envelope(HookEvent::SessionStart, &(notice + &result.text));
    let used = Some(ResultUse::of_context(&result));
    let mut shown = ShownItems::reset(session, input);
    shown.add(shown_bullets(&result));
    Some(HookAnswer { envelope, mark, used, shown: Some(shown), ..HookAnswer::default() })
}

/// The budget of a session's start in tokens. A hook cannot fail, so one that is too small is raised.
fn start_budget(options: &HookOptions) -> usize {
    let context = ContextOptions { dir_args: options.command_prefix.clone(), ..ContextOptions::default() };
    options.budget.unwrap_or(START_BUDGET).max(context.min_budget())
}

/// The bullets that a context shows, as items or as news.
fn shown_bullets(context: &ContextResult) -> Vec<ShownBullet> {
    let items = context.items.iter().map(|item| (item.identity, address_path(&item.address)));
    let updates = context.updates.iter().map(|update| (update.identity, update.path.as_str()));
    items.chain(updates).filter_map(|(identity, path)| Some(ShownBullet::new(identity?, path))).collect()
}

/// The news at the end of a context in the stable order, which is what a resumed session lacks.
fn updates_of(text: &str) -> Option<&str> {
    text.find(&format!("\n{UPDATES_HEAD}")).map(|at| &text[at + 1..])
}

/// Queues the session's transcript; `None` if there is none, no model could read it, or it cannot be written down.
fn enqueue(session: &Session, input: &HookInput, env: EnvLookup<'_>) -> Option<()> {
    let path = input.transcript.as_deref()?;
    let length = outside_files::regular_file_length(Path::new(path)).filter(|length| *length > 0)?;
    session.may_write().ok()?;
    if !has_model(env) {
        if session.store.read_note(NO_MODEL_NOTE).is_none() {
            // Without the note `status` does not mention it, and nothing else is lost.
            drop(session.store.write_note_unlocked(NO_MODEL_NOTE, NEW));
        }
        return None;
    }
    reflect::enqueue_transcript(session, path, &input.session, length).ok()
}

fn has_queued(session: &Session) -> bool {
    reflect::queued_items(session).is_ok_and(|items| !items.own.is_empty())
}

fn has_model(env: EnvLookup<'_>) -> bool {
    models::select_model(&ModelQuery::default(), &user::load_config(env).0, env).is_ok()
}

/// Notes that `prune` runs today; `None` if it has run already, the policy has no rule for it, or nothing can be
/// written down. A caller that may not see everything may not prune, either.
fn note_prune(session: &Session) -> Option<()> {
    let policy = &session.policy.policy;
    if policy.lifetimes.is_empty() && policy.expired == ExpiredRule::Hide || session.visibility().is_some() {
        return None;
    }
    session.may_write().ok()?;
    let today = session.now.date().to_string();
    if session.store.read_note(PRUNE_NOTE).as_deref() == Some(today.as_str()) {
        return None;
    }
    session.store.write_note_unlocked(PRUNE_NOTE, &today).ok()
}

/// Starts `prune` for this memory and caller in the background. A failure is ignored: the next day's session start tries
/// again.
pub fn start_prune(session: &Session) {
    start_in_background(session, &["prune"]);
}

fn start_in_background(session: &Session, command: &[&str]) {
    let words = [OsString::from("--dir"), session.dir.clone().into(), "--as".into(), session.actor.clone().into()];
    drop(background::start(words.into_iter().chain(command.iter().map(OsString::from))));
}

/// Starts `reflect --queued` for this memory and caller in the background. If that fails, the queue waits for the next
/// session.
pub fn start_drain(session: &Session) {
    start_in_background(session, &["reflect", "--queued"]);
}

/// The notice that conversations are not kept because no model is configured. Returned once.
pub(super) fn no_model_notice(session: &Session) -> Option<Warning> {
    if session.store.read_note(NO_MODEL_NOTE)? != NEW {
        return None;
    }
    // If it cannot be written, the notice appears again.
    drop(session.store.write_note_unlocked(NO_MODEL_NOTE, REPORTED));
    Some(Warning::new(
        Code::Note,
        "hooks queue no conversations, because no model is configured; see MODELS in memdir-format(5)",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_mode_does_nothing() {
        for (value, mode) in [
            (None, MemoryMode::On),
            (Some(""), MemoryMode::On),
            (Some("on"), MemoryMode::On),
            (Some("read"), MemoryMode::Read),
            (Some("off"), MemoryMode::Off),
            (Some("of"), MemoryMode::Off),
        ] {
            assert_eq!(MemoryMode::parse(value), mode, "{value:?}");
        }
    }

    #[test]
    fn a_hook_of_our_own_model_does_nothing() {
        let set = |name: &'static str, value: &'static str| move |n: &str| (n == name).then(|| value.to_owned());
        assert!(is_active(&|_| None) && is_active(&set("MEMDIR_MODE", "read")));
        assert!(!is_active(&set("MEMDIR_MODE", "off")) && !is_active(&set("MEMDIR_INSIDE", "1")));
    }
}
