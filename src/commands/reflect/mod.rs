//! `reflect`: extracts memories from conversations. A model proposes operations, code validates them, and each chunk of
//! a conversation is one commit.
//!
//! Never holds the lock while a model is running, and writes nothing of a chunk before the whole chunk is decided.
//!
//! Modules: `pending_chunk` takes one chunk from the budget to the commit; `overlay` is the memory with the accepted
//! operations applied; `chunk` reads the chunk; `commit_chunk` commits it; `proposal_totals` counts what the guards
//! decided; `watermark` records how far a conversation was read; `queue` stores conversations until there is budget
//! again.

pub mod chunk;
mod chunk_limits;
mod chunk_result;
mod commit_chunk;
mod conversation_question;
mod conversations;
mod decision_text;
mod insights;
mod lost_transcripts;
mod overlay;
mod pending_chunk;
mod procedure;
mod proposal_totals;
mod queue;
mod record;
mod request;
mod request_edits;
mod request_memory;
mod single_answer;
mod watermark;

use self::conversations::parse_conversations;
use super::model::{OpenModel, model_rejection};
use super::results::{
    ConversationRow as Row, DecisionCounts, DecisionVerdict, ModelCallCosts, ReflectDecision, ReflectReport,
    RefusalReason,
};
use super::{ChangeOptions, CommandResult, Error, Session, inbox, list_and_read};
use crate::code::{Code, Rejection};
use crate::host::models::ToolUse;
use crate::llm::{Deadline, ErrorKind};
use crate::path::{Address, MemoryPath};
use crate::reflect::chunks::split_chunks;
use crate::reflect::guards::WritingRules;
use crate::reflect::prompt::{REFLECT_PROMPT, ReplyMode};
use crate::transcript::{Conversation, Turn};
use chunk::{ChunkInput, ChunkLimits, ChunkResult, first_request};
use commit_chunk::CommittedChunk;
use overlay::ReflectOverlay;
use pending_chunk::PendingChunk;

pub use insights::make_insights;
pub use lost_transcripts::lost_transcripts_warning;
pub use procedure::make_procedure;
pub use proposal_totals::ProposalTotals;
pub use queue::{
    conversations_with_texts, enqueue_transcript, foreign_items_warning, queue_error_warning, queued_items,
    reflect_queued,
};
pub use record::make_record;
pub use request::{RequestOptions, answer_request};

/// Maximum length of a chunk, in estimated tokens.
const CHUNK_TOKENS: usize = 6000;

/// How conversations are read, by which model, and what becomes of its operations.
pub struct ReflectOptions<'a> {
    /// With tools, or as one JSON object. `None`: as configured for the model, else whatever the host supports.
    pub reply_mode: Option<ReplyMode>,
    /// Turn every operation into a proposal.
    pub propose: bool,
    /// The file into which everything is written.
    pub into: Option<String>,
    /// How much of the memory's facts a prompt contains, in estimated tokens; `None`: 4,000. Of a larger memory it
    /// contains what the conversation is about.
    pub facts_tokens: Option<usize>,
    /// The user's own instructions, instead of the built-in ones.
    pub instructions: Option<String>,
    /// Opens the model. Called at most once, and only if there is something to read.
    pub open_model: &'a dyn Fn() -> Result<OpenModel, Rejection>,
    /// Receives one line about each step, to be displayed.
    pub progress: &'a dyn Fn(&str),
}

impl<'a> ReflectOptions<'a> {
    /// Reads with the model that `open_model` opens, keeps what passes the rules, and reports no progress.
    pub fn new(open_model: &'a dyn Fn() -> Result<OpenModel, Rejection>) -> ReflectOptions<'a> {
        ReflectOptions {
            reply_mode: None,
            propose: false,
            into: None,
            facts_tokens: None,
            instructions: None,
            open_model,
            progress: &|_| {},
        }
    }
}

/// Whether to continue after a chunk.
#[derive(PartialEq)]
enum ReflectFlow {
    Continue,
    /// This conversation waits; another may be read.
    Skip,
    /// The model answered, but not so that this conversation can be read.
    Unusable(Rejection),
    /// Nothing more can be read today.
    Stop,
}

/// Reads conversations and keeps what is worth remembering.
///
/// # Errors
/// `invalid_transcript`; `no_model`; `model` and `model_refused` if no chunk was read before; errors of committing.
/// Later errors are in the report, as `partial`.
pub fn reflect(
    session: &Session,
    bytes: &[u8],
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<ReflectReport> {
    let mut run = ReflectRun::new(session, options, change_options)?;
    if let Err(error) = run.read_all(bytes) {
        end_run(&mut run.report, error)?;
    }
    Ok(run.report)
}

/// The first prompt that would be sent, without calling a model: the instructions, then the conversation.
///
/// # Errors
/// `invalid_transcript`, `io`.
pub fn show_prompt(session: &Session, bytes: &[u8], options: &ReflectOptions<'_>) -> Result<String, Error> {
    let change_options = ChangeOptions { dry_run: true, ..ChangeOptions::default() };
    let run = ReflectRun::new(session, options, &change_options)?;
    let conversations = parse_conversations(session, bytes)?;
    let first =
        conversations.iter().find_map(|c| Some((c, split_chunks(&c.turns, 0, CHUNK_TOKENS).into_iter().next()?)));
    let Some((conversation, range)) = first else {
        return Ok("the conversation has nothing to send\n".into());
    };
    let today = session.now.date().to_string();
    let input = run.chunk_input(&conversation.turns, &today, &[]);
    let request = first_request(&mut ReflectOverlay::open(session, options.facts_tokens)?, &input, range);
    let question = request.messages.iter().map(|m| match m {
        crate::llm::ChatMessage::User(text) => text.as_str(),
        _ => "",
    });
    Ok(format!("{}\n\n{}", request.system, question.collect::<String>()))
}

/// One run of `reflect`: the model, once it is open, and the report so far.
struct ReflectRun<'a> {
    session: &'a Session,
    options: &'a ReflectOptions<'a>,
    change_options: &'a ChangeOptions,
    into: Option<MemoryPath>,
    writing_rules: WritingRules,
    opened: Option<(OpenModel, Deadline)>,
    /// Whether the conversation is from the queue.
    from_queue: bool,
    /// The daily budget that a chunk needs which no day's budget is enough for; 0 if there is none.
    needed_budget: u64,
    totals: ProposalTotals,
    report: ReflectReport,
}

impl<'a> ReflectRun<'a> {
    fn new(
        session: &'a Session,
        options: &'a ReflectOptions<'a>,
        change_options: &'a ChangeOptions,
    ) -> Result<ReflectRun<'a>, Error> {
        let report = new_report(session, change_options)?;
        let into = options.into.as_deref().map(|file| resolve_into(session, file)).transpose()?;
        Ok(ReflectRun {
            session,
            options,
            change_options,
            into,
            writing_rules: session.writing_rules(),
            opened: None,
            from_queue: false,
            needed_budget: 0,
            totals: ProposalTotals::default(),
            report,
        })
    }

    fn read_all(&mut self, bytes: &[u8]) -> Result<ReflectFlow, Error> {
        let (mut failure, mut failures_in_a_row) = (None, 0);
        for conversation in parse_conversations(self.session, bytes)? {
            match self.read_conversation(&conversation, bytes)? {
                ReflectFlow::Continue => failures_in_a_row = 0,
                ReflectFlow::Unusable(rejection) => {
                    failure.get_or_insert(rejection);
                    failures_in_a_row += 1;
                    // A model may refuse one conversation; after two failures in a row it probably refuses all.
                    if failures_in_a_row > 1 {
                        break;
                    }
                }
                flow => {
                    self.report.partial = failure.map(|first| partial_text(&first)).or(self.report.partial.take());
                    return Ok(flow);
                }
            }
        }
        let Some(rejection) = failure else { return Ok(ReflectFlow::Continue) };
        end_run(&mut self.report, rejection.clone().into())?;
        Ok(ReflectFlow::Unusable(rejection))
    }

    fn read_conversation(&mut self, conversation: &Conversation, bytes: &[u8]) -> Result<ReflectFlow, Error> {
        let turns = &conversation.turns;
        let id = watermark::conversation_id(conversation);
        let start = watermark::turns_read(&self.session.store, &id, turns);
        let chunk_ranges = split_chunks(turns, start, CHUNK_TOKENS);
        self.report.conversations.push(Row {
            id: id.clone(),
            kind: conversation.kind.name(),
            turns: turns.len(),
            seen: start,
            skipped: conversation.skipped,
            chunks: 0,
            of: chunk_ranges.len(),
        });
        for range in chunk_ranges {
            let chunk = PendingChunk { conversation: &id, turns, range, transcript: bytes };
            let flow = self.process_chunk(&chunk)?;
            if flow != ReflectFlow::Continue {
                return Ok(flow);
            }
            if let Some(row) = self.report.conversations.last_mut() {
                row.chunks += 1;
            }
        }
        Ok(ReflectFlow::Continue)
    }

    fn chunk_input<'r>(&'r self, turns: &'r [Turn], today: &'r str, unconfirmed: &'r [String]) -> ChunkInput<'r> {
        let configured = self.opened.as_ref().and_then(|(opened, _)| match opened.tools {
            ToolUse::Auto => None,
            ToolUse::On => Some(ReplyMode::Tools),
            ToolUse::Off => Some(ReplyMode::JsonObject),
        });
        ChunkInput {
            reply_mode: self.options.reply_mode.or(configured),
            instructions: self.options.instructions.as_deref().unwrap_or(REFLECT_PROMPT),
            turns,
            into: self.into.as_ref(),
            prefixes: &self.session.prefixes,
            unconfirmed,
            writing_rules: &self.writing_rules,
            today,
            propose: self.options.propose,
            limits: ChunkLimits::default(),
            progress: self.options.progress,
        }
    }

    /// Adds the result of a chunk to the report.
    fn add_result(
        &mut self,
        model_id: crate::llm::ModelId,
        result: ChunkResult,
        committed: CommittedChunk,
    ) -> Result<ReflectFlow, Error> {
        self.add_costs(model_id, &result);
        self.add_totals(&ProposalTotals::of(&result));
        if let Some(error) = result.error {
            // A host that refuses a text answers with status 400.
            let is_refusal = error.kind == ErrorKind::Rejected && error.status.is_none_or(|status| status == 400);
            if error.kind.is_unusable_answer() || is_refusal {
                return Ok(ReflectFlow::Unusable(model_rejection(error)));
            }
            end_run(&mut self.report, model_rejection(error).into())?;
            return Ok(ReflectFlow::Stop);
        }
        if let Some(obstacle) = result.obstacle {
            return Err(obstacle.into());
        }
        let mut decisions = result.decisions;
        for (at, id) in committed.proposals {
            decisions[at].proposal = Some(id);
        }
        for (at, rejection) in committed.dropped {
            decisions[at].verdict = DecisionVerdict::Refused;
            decisions[at].reasons = vec![decision_text::rejection_reason(&rejection)];
        }
        // Another process committed the same chunk first, so this run has kept nothing.
        for decision in decisions.iter_mut().filter(|d| {
            committed.by_other_process && [DecisionVerdict::Kept, DecisionVerdict::Proposed].contains(&d.verdict)
        }) {
            decision.verdict = DecisionVerdict::Known;
        }
        self.add_counts(&decisions);
        self.report.decisions.extend(decisions);
        if let Some(change) = committed.change {
            self.report.add_change(change);
        }
        if let Some(cap) = result.limit_reached {
            let message =
                format!("a chunk of the conversation reached its limit of {cap}; accepted operations were kept");
            self.report.partial.get_or_insert(message);
        }
        Ok(ReflectFlow::Continue)
    }

    fn add_costs(&mut self, model_id: crate::llm::ModelId, result: &ChunkResult) {
        let costs = self.report.model.get_or_insert_with(|| ModelCallCosts {
            provider: model_id.provider,
            model: model_id.model,
            ..ModelCallCosts::default()
        });
        costs.turns += result.requests;
        costs.input_tokens = costs.input_tokens.saturating_add(result.usage.input);
        costs.output_tokens = costs.output_tokens.saturating_add(result.usage.output);
    }

    fn add_totals(&mut self, totals: &ProposalTotals) {
        self.totals += totals;
        self.report.first_pass = self.totals.first_pass();
        self.report.grounded = self.totals.grounded_share();
        self.report.refused_by.clone_from(&self.totals.refused);
    }

    fn add_counts(&mut self, decisions: &[ReflectDecision]) {
        let of = |verdict| decisions.iter().filter(|d| d.verdict == verdict).count();
        self.report.counts += DecisionCounts {
            found: decisions.len(),
            kept: of(DecisionVerdict::Kept),
            known: of(DecisionVerdict::Known),
            proposed: of(DecisionVerdict::Proposed),
            refused: of(DecisionVerdict::Refused),
        };
    }

    /// A limit of the day is reached: puts the conversation into the queue, with the options of this run.
    fn enqueue(&mut self, bytes: &[u8], reason: &str) -> Result<(), Error> {
        let status = match (self.change_options.dry_run, self.from_queue) {
            (true, _) => "the conversation would be queued",
            (_, true) => "the conversation stays in the queue",
            _ => {
                queue::enqueue(self.session, bytes, self.options, self.change_options)?;
                "the conversation is queued; run `memdir reflect --queued` to continue"
            }
        };
        self.report.deferred = Some(format!("{reason}: {status}"));
        Ok(())
    }
}

/// The report of a run that begins. Errors where the session may not write, unless it is a dry run.
fn new_report(session: &Session, change_options: &ChangeOptions) -> Result<ReflectReport, Error> {
    if !change_options.dry_run {
        session.may_write()?;
    }
    Ok(ReflectReport { dry_run: change_options.dry_run, ..ReflectReport::default() })
}

/// Ends a run: with an error if nothing was read or changed before, else with `partial` in the report.
fn end_run(report: &mut ReflectReport, error: Error) -> Result<(), Error> {
    if !report.changed && report.conversations.iter().all(|c| c.chunks == 0) {
        return Err(error);
    }
    report.partial = Some(partial_text(&overlay::first_rejection(error)));
    Ok(())
}

fn partial_text(rejection: &Rejection) -> String {
    format!("{}: {}", rejection.code.name(), rejection.message)
}

/// The file of `--into`.
fn resolve_into(session: &Session, file: &str) -> Result<MemoryPath, Rejection> {
    let Address::Readings(readings) = Address::parse(file, &session.prefixes)? else {
        return Err(Rejection::new(Code::Usage, "--into takes a file"));
    };
    let whole_file = readings.into_iter().rfind(|r| r.section.is_none() && r.bullet.is_none());
    let files = whole_file.map(|r| r.files).unwrap_or_default();
    let found = list_and_read::resolve_address(session, file).ok();
    let existing = found.filter(|named| named.section == 0 && named.bullet.is_none()).map(|named| named.path);
    existing.or_else(|| files.into_iter().next_back()).ok_or_else(|| Rejection::new(Code::Usage, "--into takes a file"))
}

/// A reason as text.
pub fn reason_text(reason: &RefusalReason) -> String {
    if reason.what.is_empty() { reason.name.clone() } else { format!("{}: {}", reason.name, reason.what) }
}
