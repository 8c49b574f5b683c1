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
use crate::store::queue::{QueueClaim, QueuedItems};
use crate::text::counted_noun::counted_noun;
use crate::text::one_line::one_line;
use crate::text::text_search::TextSearch;
use crate::transcript;

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
        conversation: transcript::decode_text(bytes).into_owned(),
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
    let key = session.new_signing_key()?;
    let (locked, _) = unfiltered.store.lock()?;
    locked.enqueue(&key, &name, text.as_bytes())?;
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
    session.store.require_unfiltered()?;
    session.store.enqueue_reference(&session.new_signing_key()?, &name, text.as_bytes())?;
    Ok(())
}

/// What waits in the queue, and what is there that this machine did not queue.
///
/// # Errors
/// `io`.
pub fn queued_items(session: &Session) -> Result<QueuedItems, Rejection> {
    session.store.queued_items(session.signing_key().as_ref())
}

/// The warning about items that this machine did not queue: git may have brought them, and reading one would send any
/// file that it names to the model.
pub fn foreign_items_warning(items: &QueuedItems) -> Option<Warning> {
    let what = match &items.foreign[..] {
        [] => return None,
        [one] => format!("'.memdir/queue/{}' is not read: it lacks", one_line(one)),
        several => format!("{} files in .memdir/queue/ are not read: they lack", several.len()),
    };
    let by_whom = "the signature of this machine, so git, another home directory or an earlier memdir wrote";
    let pronoun = if items.foreign.len() == 1 { "it" } else { "them" };
    Some(Warning::new(
        Code::Note,
        format!(
            "{what} {by_whom} {pronoun}; read a conversation that you know with `memdir reflect FILE`, and remove the rest"
        ),
    ))
}

/// The names of the queued conversations in which one of some texts stands, or which cannot be read.
///
/// # Errors
/// `io`.
pub fn conversations_with_texts(session: &Session, texts: &TextSearch) -> Result<Vec<String>, Rejection> {
    session.store.queued_with_texts(session.signing_key().as_ref(), texts, &|item| {
        let work: QueuedConversation = serde_json::from_slice(item).ok()?;
        outside_files::read(Path::new(&work.transcript?)).ok()
    })
}

/// Reads queued conversations, oldest first, until the queue is empty or the budget is used up. Skips those that
/// another process is reading.
///
/// # Errors
/// As [`super::reflect`].
pub fn reflect_queued(
    session: &Session,
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<ReflectReport> {
    let report = ReflectReport { dry_run: change_options.dry_run, ..ReflectReport::default() };
    let mut run = QueueRun { session, options, change_options, report, errors: Vec::new(), needed_budget: 0 };
    let (mut claimed_elsewhere, mut failures_in_a_row, mut is_stopped) = (Vec::new(), 0, false);
    let items = queued_items(session)?;
    if let Some(warning) = foreign_items_warning(&items) {
        run.note(warning.message);
    }
    for name in items.own {
        match run.read_item(&name) {
            Ok(QueueItemOutcome::Read) => failures_in_a_row = 0,
            Ok(QueueItemOutcome::Skipped) => {}
            Ok(QueueItemOutcome::ClaimedElsewhere) => claimed_elsewhere.push(name),
            Ok(QueueItemOutcome::Stopped) => {
                is_stopped = true;
                break;
            }
            Ok(QueueItemOutcome::Failed(code)) => {
                failures_in_a_row += 1;
                // A host may refuse one conversation; after two failures in a row it probably refuses all.
                if code == Code::NoModel || failures_in_a_row > 1 {
                    break;
                }
            }
            Err(error) => run.errors.push(error),
        }
    }
    let QueueRun { mut report, errors, needed_budget, .. } = run;
    if claimed_elsewhere.is_empty() && errors.is_empty() && !is_stopped && !change_options.dry_run {
        budget::set_needed(session, needed_budget);
    }
    if !claimed_elsewhere.is_empty() && report.deferred.is_none() {
        // What is no longer there was read to its end.
        let names = queued_items(session).unwrap_or_default().own;
        let busy = claimed_elsewhere.iter().filter(|name| names.contains(name)).count();
        report.deferred = (busy > 0)
            .then(|| format!("another process is reading {} of the queue", counted_noun(busy, "conversation")));
    }
    if !change_options.dry_run && (claimed_elsewhere.is_empty() || !errors.is_empty()) {
        let error = errors.last().map(Error::to_string);
        queue_error::record(session, error.or_else(|| report.partial.clone().filter(|_| is_stopped)).as_deref());
    }
    if let Some(error) = errors.into_iter().next() {
        super::end_run(&mut report, error)?;
    }
    Ok(report)
}

/// One run over the queue.
struct QueueRun<'a> {
    session: &'a Session,
    options: &'a ReflectOptions<'a>,
    change_options: &'a ChangeOptions,
    report: ReflectReport,
    errors: Vec<Error>,
    /// The largest daily budget that a conversation needs which no day's budget is enough for; 0 if there is none.
    needed_budget: u64,
}

/// What became of an item of the queue.
enum QueueItemOutcome {
    /// It was read to its end.
    Read,
    /// It has nothing to read, or waits for a larger budget.
    Skipped,
    /// Another process is reading it.
    ClaimedElsewhere,
    /// It stays in the queue because reading it failed, with this code.
    Failed(Code),
    /// The run ends here: a limit of the day is reached, or the model failed.
    Stopped,
}

impl QueueRun<'_> {
    /// Reads one item of the queue.
    ///
    /// # Errors
    /// Those of claiming and opening the item, which do not count as failures of the model; it stays in the queue.
    fn read_item(&mut self, name: &str) -> Result<QueueItemOutcome, Error> {
        let key = self.session.signing_key();
        let claim = key.map(|key| self.session.store.claim_queued(&key, name)).transpose()?.flatten();
        let Some(claim) = claim else { return Ok(QueueItemOutcome::ClaimedElsewhere) };
        let Ok(work) = serde_json::from_slice::<QueuedConversation>(&claim.bytes) else {
            self.note(format!(".memdir/queue/{name} is not a queued conversation; it was skipped"));
            return Ok(QueueItemOutcome::Skipped);
        };
        let (options, change_options) = queued_options(&work, self.options, self.change_options);
        let bytes = match &work.transcript {
            None => work.conversation.into_bytes(),
            Some(path) => match outside_files::read(Path::new(path)) {
                Ok(bytes) => bytes,
                // A disk or a permission may be back later.
                Err(error) if error.code == Code::Io => return Err(error.into()),
                Err(error) => {
                    // The host has deleted it, or it can never be read: there is nothing to wait for.
                    self.note(format!("a queued transcript is skipped: {}", error.message));
                    self.complete(claim);
                    if !self.change_options.dry_run {
                        lost_transcripts::record(self.session, &error.message);
                    }
                    return Ok(QueueItemOutcome::Skipped);
                }
            },
        };
        let mut run = ReflectRun::new(self.session, &options, &change_options)?;
        run.from_queue = true;
        let flow = run.read_all(&bytes);
        self.needed_budget = self.needed_budget.max(run.needed_budget);
        merge_reports(&mut self.report, run.report);
        let outcome = match flow {
            Ok(ReflectFlow::Continue) => QueueItemOutcome::Read,
            Ok(ReflectFlow::Skip) => return Ok(QueueItemOutcome::Skipped),
            Ok(ReflectFlow::Stop) => return Ok(QueueItemOutcome::Stopped),
            Ok(ReflectFlow::Unusable(rejection)) => return Ok(QueueItemOutcome::Failed(rejection.code)),
            // What is no conversation will not become one.
            Err(error) if error.code() == Code::InvalidTranscript => {
                error.rejections.into_iter().for_each(|rejection| self.note(rejection.message));
                QueueItemOutcome::Skipped
            }
            Err(error) => {
                let code = error.code();
                self.errors.push(error);
                return Ok(QueueItemOutcome::Failed(code));
            }
        };
        self.complete(claim);
        Ok(outcome)
    }

    /// Takes an item out of the queue. If that fails it stays there, and is not read again.
    fn complete(&mut self, claim: QueueClaim) {
        if !self.change_options.dry_run {
            self.errors.extend(claim.complete().err().map(Error::from));
        }
    }

    fn note(&mut self, message: String) {
        self.report.warnings.push(WarningRow::from(&Warning::new(Code::Note, message)));
    }
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
        (Some(sum), Some(add)) => sum.add(&add),
        (slot @ None, add) => *slot = add,
        (Some(_), None) => {}
    }
}
