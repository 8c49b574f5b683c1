//! The queue of conversations that wait for budget, or that a hook left.
//!
//! A hook queues only the path of a transcript, because it must return at once. A conversation leaves the queue once
//! all of it is read. If a process dies while reading it, the next one continues; chunks that were committed are not
//! committed twice.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ReflectFlow, ReflectOptions, ReflectRun, lost_transcripts};
use crate::change::Etag;
use crate::code::{Code, Rejection, Warning};
use crate::commands::results::{ReflectReport, WarningRow};
use crate::commands::{ChangeOptions, CommandResult, Error, Session, budget};
use crate::host::outside_files;
use crate::reflect::prompt::ReplyMode;
use crate::text::counted_noun::counted_noun;

mod queue_error;

pub use queue_error::queue_error_warning;

/// A queued conversation, with the options of its run.
#[derive(Debug, Default, Serialize, Deserialize)]
struct QueuedConversation {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    conversation: String,
    /// The absolute path of a transcript, instead of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transcript: Option<String>,
    #[serde(default)]
    propose: bool,
    #[serde(default)]
    into: Option<String>,
    #[serde(default, rename = "way")]
    reply_mode: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    source: Option<String>,
}

/// Adds a conversation to the queue.
pub fn enqueue(
    session: &Session,
    bytes: &[u8],
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
) -> Result<(), Error> {
    let reply_mode = options.reply_mode.map(|mode| if mode == ReplyMode::Tools { "tools" } else { "ops" }.to_owned());
    let work = QueuedConversation {
        conversation: String::from_utf8_lossy(bytes).into_owned(),
        transcript: None,
        propose: options.propose,
        into: options.into.clone(),
        reply_mode,
        reason: change_options.reason.clone(),
        source: change_options.source.clone(),
    };
    let text = serde_json::to_string(&work).map_err(|e| Rejection::new(Code::Internal, e.to_string()))?;
    // The date sorts the queue; the hash gives equal work the same name, so that it is queued once.
    let name = format!("{}-{}.json", session.now.date(), Etag::of(text.as_bytes()).short());
    let unfiltered = session.unfiltered();
    let (locked, _) = unfiltered.store.lock()?;
    locked.enqueue(&name, text.as_bytes())?;
    Ok(())
}

/// Adds a transcript to the queue, by its path. `id` (the host's session) and `length` (of the transcript, in bytes)
/// name the queue item: the same state of a session is queued once. Takes no lock.
///
/// # Errors
/// `category_not_allowed` in a session that is filtered, `read_only`, `io`.
pub fn enqueue_transcript(session: &Session, path: &str, id: &str, length: u64) -> Result<(), Error> {
    let work = QueuedConversation { transcript: Some(path.to_owned()), ..QueuedConversation::default() };
    let text = serde_json::to_string(&work).map_err(|e| Rejection::new(Code::Internal, e.to_string()))?;
    let key = Etag::of(format!("{id}\0{path}").as_bytes()).short();
    let name = format!("{}-{key}-{length:012}", session.now.date());
    session.store.enqueue_reference(&name, text.as_bytes())?;
    Ok(())
}

/// Reads queued conversations, oldest first, until the queue is empty or the budget is used up. Skips those that
/// another process is reading.
///
/// # Errors
/// As [`super::reflect`].
pub fn drain(
    session: &Session,
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<ReflectReport> {
    let mut report = ReflectReport { dry_run: change_options.dry_run, ..ReflectReport::default() };
    let (mut failed, mut failures_in_a_row): (Vec<Error>, usize) = (Vec::new(), 0);
    let mut claimed_elsewhere: Vec<String> = Vec::new();
    let (mut needed_budget, mut is_stopped) = (0, false);
    for name in session.store.queued_names()? {
        let claim = match session.store.claim_queued(&name) {
            Ok(Some(claim)) => claim,
            Ok(None) => {
                claimed_elsewhere.push(name);
                continue;
            }
            Err(error) => {
                failed.push(error.into());
                continue;
            }
        };
        let Ok(work) = serde_json::from_slice::<QueuedConversation>(&claim.bytes) else {
            report
                .warnings
                .push(note_row(format!(".memdir/queue/{name} is not a queued conversation; it was skipped")));
            continue;
        };
        let (own_options, own_change_options) = queued_options(&work, options, change_options);
        let bytes = match &work.transcript {
            None => work.conversation.into_bytes(),
            Some(path) => match outside_files::read(Path::new(path)) {
                Ok(bytes) => bytes,
                // A disk or a permission may be back later.
                Err(error) if error.code == Code::Io => {
                    failed.push(error.into());
                    continue;
                }
                Err(error) => {
                    // The host has deleted it, or it can never be read: there is nothing to wait for.
                    let message = format!("a queued transcript is skipped: {}", error.message);
                    report.warnings.push(note_row(message));
                    if !change_options.dry_run {
                        failed.extend(claim.complete().err().map(Error::from));
                        lost_transcripts::record(session, &error.message);
                    }
                    continue;
                }
            },
        };
        let mut run = match ReflectRun::new(session, &own_options, &own_change_options) {
            Ok(run) => run,
            Err(error) => {
                failed.push(error);
                continue;
            }
        };
        run.from_queue = true;
        let next = run.read_all(&bytes);
        needed_budget = needed_budget.max(run.needed_budget);
        merge_reports(&mut report, run.report);
        match next {
            Ok(ReflectFlow::Continue) => failures_in_a_row = 0,
            Ok(ReflectFlow::Skip) => continue,
            Ok(ReflectFlow::Stop) => {
                is_stopped = true;
                break;
            }
            // A transcript without a conversation will not become one.
            Err(error) if work.transcript.is_some() && error.code() == Code::InvalidTranscript => {
                report.warnings.extend(error.rejections.iter().map(|rejection| note_row(rejection.message.clone())));
            }
            // A host may refuse one conversation; after two failures in a row it probably refuses all.
            Err(error) => {
                let is_hopeless = error.rejections.first().is_some_and(|r| r.code == Code::NoModel);
                failed.push(error);
                failures_in_a_row += 1;
                if is_hopeless || failures_in_a_row > 1 {
                    break;
                }
                continue;
            }
        }
        // It stays in the queue, and is not read again.
        if !change_options.dry_run
            && let Err(error) = claim.complete()
        {
            failed.push(error.into());
        }
    }
    if claimed_elsewhere.is_empty() && failed.is_empty() && !is_stopped && !change_options.dry_run {
        budget::set_needed(session, needed_budget);
    }
    if !claimed_elsewhere.is_empty() && report.deferred.is_none() {
        // What is no longer there was read to its end.
        let names = session.store.queued_names().unwrap_or_default();
        let busy = claimed_elsewhere.iter().filter(|name| names.contains(name)).count();
        report.deferred = (busy > 0)
            .then(|| format!("another process is reading {} of the queue", counted_noun(busy, "conversation")));
    }
    if !change_options.dry_run && (claimed_elsewhere.is_empty() || !failed.is_empty()) {
        let error = failed.last().map(Error::to_string);
        queue_error::record(session, error.or_else(|| report.partial.clone().filter(|_| is_stopped)).as_deref());
    }
    if let Some(error) = failed.into_iter().next() {
        super::end_run(&mut report, error)?;
    }
    Ok(report)
}

/// The options of the run, where the conversation was queued with none of its own.
fn queued_options<'a>(
    work: &QueuedConversation,
    options: &ReflectOptions<'a>,
    change_options: &ChangeOptions,
) -> (ReflectOptions<'a>, ChangeOptions) {
    let reply_mode =
        work.reply_mode.as_deref().map(|mode| if mode == "tools" { ReplyMode::Tools } else { ReplyMode::JsonObject });
    let own_options = ReflectOptions {
        reply_mode: reply_mode.or(options.reply_mode),
        propose: work.propose || options.propose,
        into: work.into.clone().or_else(|| options.into.clone()),
        facts_tokens: options.facts_tokens,
        instructions: options.instructions.clone(),
        open_model: options.open_model,
        progress: options.progress,
    };
    let change_options = ChangeOptions {
        reason: work.reason.clone().or_else(|| change_options.reason.clone()),
        source: work.source.clone().or_else(|| change_options.source.clone()),
        ..change_options.clone()
    };
    (own_options, change_options)
}

fn note_row(message: String) -> WarningRow {
    WarningRow::from(&Warning::new(Code::Note, message))
}

/// Adds an answer to another.
fn merge_reports(report: &mut ReflectReport, other: ReflectReport) {
    report.changed |= other.changed;
    report.conversations.extend(other.conversations);
    report.revs.extend(other.revs);
    report.files.extend(other.files);
    report.decisions.extend(other.decisions);
    report.warnings.extend(other.warnings);
    report.counts += other.counts;
    report.partial = other.partial.or(report.partial.take());
    report.deferred = other.deferred.or(report.deferred.take());
    match (&mut report.model, other.model) {
        (Some(sum), Some(add)) => {
            sum.turns += add.turns;
            sum.input_tokens = sum.input_tokens.saturating_add(add.input_tokens);
            sum.output_tokens = sum.output_tokens.saturating_add(add.output_tokens);
        }
        (slot @ None, add) => *slot = add,
        (Some(_), None) => {}
    }
}
