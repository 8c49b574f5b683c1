//! One chunk in a run of `reflect`: the limits of the day, the model, the commit.
//!
//! Never reads a chunk twice that is committed. Settles the tokens that it reserved, unless the lock cannot be taken: then
//! they stay reserved until midnight.

use std::ops::Range;

use super::chunk::{AcceptedOperation, ChunkResult, read_chunk};
use super::commit_chunk::{self, ChunkOrigin, CommittedChunk};
use super::overlay::ReflectOverlay;
use super::proposal_totals::ProposalTotals;
use super::{ReflectFlow, ReflectRun, inbox, watermark};
use crate::code::Rejection;
use crate::commands::budget::{self, TokenLedger, TokenReservation};
use crate::commands::results::WarningRow;
use crate::commands::{Error, Session};
use crate::llm::Deadline;
use crate::reflect::chunks::render_turns;
use crate::store::LockedStore;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::transcript::Turn;

/// What a chunk costs besides its turns, as estimated for the budget: the memory's facts (4,000 tokens by default), the
/// instructions and the replies.
const OVERHEAD_TOKENS: usize = 6000;

/// A chunk of a conversation that is to be read.
pub(super) struct PendingChunk<'a> {
    /// The id of the conversation.
    pub conversation: &'a str,
    /// The turns of the whole conversation.
    pub turns: &'a [Turn],
    /// The turns of the chunk.
    pub range: Range<usize>,
    /// The conversation as it was given, to be queued.
    pub transcript: &'a [u8],
}

impl PendingChunk<'_> {
    /// The request id of the chunk: it is committed only once.
    fn request(&self) -> String {
        let turns = &self.turns[self.range.clone()];
        let (first, last) = (turns[0].number, turns[turns.len() - 1].number);
        let (prefix, hash) = (budget::CONVERSATION_REQUEST, watermark::turns_hash(turns));
        format!("{prefix}{}:{first}-{last}:{hash}", self.conversation)
    }

    fn estimated_tokens(&self) -> u64 {
        let turns = render_turns(&self.turns[self.range.clone()], &|t| t.to_owned());
        (estimate_llm_tokens(&turns) + OVERHEAD_TOKENS) as u64
    }

    /// The turns of the conversation that are read once the chunk is.
    fn turns_read(&self) -> &[Turn] {
        &self.turns[..self.range.end]
    }
}

impl ReflectRun<'_> {
    /// Reads one chunk, from the prompt to the commit.
    pub(super) fn process_chunk(&mut self, chunk: &PendingChunk<'_>) -> Result<ReflectFlow, Error> {
        let session = self.session;
        let request = chunk.request();
        if commit_chunk::is_committed(session, &request)? {
            self.save_watermark(chunk)?;
            return Ok(ReflectFlow::Continue);
        }
        self.open_model()?;
        let today = session.now.date().to_string();
        // Looked at before each chunk, so that none of its memories is lost: the chunk that reaches the limit is read
        // to its end.
        if let Some(reason) = write_limit_reached(session, &today) {
            self.enqueue(chunk.transcript, &reason)?;
            return Ok(ReflectFlow::Stop);
        }
        let mut overlay = ReflectOverlay::open(session, self.options.facts_tokens)?;
        // Read first: an error must not leave tokens reserved.
        let unconfirmed = unconfirmed_texts(session, chunk)?;
        let estimate = chunk.estimated_tokens();
        let Some(reservation) = budget::reserve(session, &request, estimate)? else {
            return self.defer_for_budget(chunk, estimate, &today);
        };
        let Some((opened, deadline)) = &self.opened else { return Ok(ReflectFlow::Stop) };
        let input = self.chunk_input(chunk.turns, &today, &unconfirmed);
        let result = read_chunk(&mut overlay, &*opened.model, *deadline, &input, chunk.range.clone());
        let model_id = opened.model.id().clone();
        let conversation = chunk.conversation;
        let origin = ChunkOrigin { model: &model_id, conversation, request, usage: result.estimated_usage };
        match self.commit_result(chunk, &result, &origin, reservation)? {
            Some(committed) => self.add_result(model_id, result, committed),
            None => Ok(ReflectFlow::Stop),
        }
    }

    fn open_model(&mut self) -> Result<(), Rejection> {
        if self.opened.is_none() {
            let opened = (self.options.open_model)()?;
            self.report.warnings.extend(opened.warnings.iter().map(WarningRow::from));
            let deadline = Deadline::within(opened.total_timeout);
            self.opened = Some((opened, deadline));
        }
        Ok(())
    }

    /// Queues a conversation whose next chunk the budget of today, or of any day, is not enough for.
    fn defer_for_budget(&mut self, chunk: &PendingChunk<'_>, tokens: u64, today: &str) -> Result<ReflectFlow, Error> {
        let session = self.session;
        if let Some(reason) = budget::shortfall(session, tokens) {
            self.needed_budget = budget::needed_budget(session, tokens);
            if !self.change_options.dry_run {
                budget::raise_needed(session, self.needed_budget);
            }
            self.enqueue(chunk.transcript, &reason)?;
            return Ok(ReflectFlow::Skip);
        }
        let used = TokenLedger::load(&session.store).used_on(today);
        let budget = budget::spendable(session, session.daily_budget().unwrap_or_default());
        let reason =
            format!("{used} of today's {budget} tokens are used, and the rest is not enough for the next chunk");
        self.enqueue(chunk.transcript, &reason)?;
        Ok(ReflectFlow::Stop)
    }

    /// Commits what was accepted of a chunk, or only plans it, and settles its tokens. `None`: other processes have
    /// reached the day's limit meanwhile, and the conversation is queued.
    fn commit_result(
        &mut self,
        chunk: &PendingChunk<'_>,
        result: &ChunkResult,
        origin: &ChunkOrigin<'_>,
        reservation: TokenReservation,
    ) -> Result<Option<CommittedChunk>, Error> {
        let session = self.session;
        // If the model or the memory failed during the chunk, nothing of it is committed: the chunk will be read again
        // as a whole.
        let is_incomplete = result.error.is_some() || result.obstacle.is_some();
        let accepted = if is_incomplete { &[][..] } else { &result.accepted[..] };
        let settle = |locked: &LockedStore<'_>, totals: &ProposalTotals| {
            budget::settle(session, locked, reservation, result.estimated_usage, result.requests, totals);
        };
        let unfiltered = session.unfiltered();
        if self.change_options.dry_run {
            // A dry run writes no memory, but its tokens count.
            if session.daily_budget().is_some() {
                let (locked, _) = unfiltered.store.lock()?;
                settle(&locked, &ProposalTotals::default());
            }
            return commit_chunk::dry_run(session, accepted, origin).map(Some);
        }
        let (locked, warnings) = unfiltered.store.lock()?;
        self.report.warnings.extend(warnings.iter().map(WarningRow::from));
        // Other processes may have reached the limit meanwhile.
        let limit = write_limit_reached(session, &session.now.date().to_string());
        if let Some(reason) = limit.filter(|_| writes_memory(accepted)) {
            settle(&locked, &ProposalTotals::default());
            // The queue takes the same lock.
            drop(locked);
            self.add_costs(origin.model.clone(), result);
            self.enqueue(chunk.transcript, &reason)?;
            return Ok(None);
        }
        settle(&locked, &ProposalTotals::of(result));
        // Counted first: where the process is killed behind the commit, no more than the limit is written.
        budget::add_writes(session, &locked, unwritten(accepted, None));
        let kept = commit_chunk::commit(session, &locked, accepted, origin, self.change_options);
        budget::remove_writes(session, &locked, unwritten(accepted, Some(&kept)));
        if kept.is_ok() && !is_incomplete {
            watermark::save(&locked, chunk.conversation, chunk.turns_read());
        }
        kept.map(Some)
    }

    fn save_watermark(&self, chunk: &PendingChunk<'_>) -> Result<(), Error> {
        if !self.change_options.dry_run {
            let unfiltered = self.session.unfiltered();
            let (locked, _) = unfiltered.store.lock()?;
            watermark::save(&locked, chunk.conversation, chunk.turns_read());
        }
        Ok(())
    }
}

/// Why nothing more is written today, if the policy's limit is reached.
fn write_limit_reached(session: &Session, today: &str) -> Option<String> {
    let written = TokenLedger::load(&session.store).written_on(today);
    let limit = session.policy.policy.writes_per_day.filter(|limit| written >= *limit)?;
    Some(format!("{written} of today's {limit} memories are written"))
}

/// Whether one of the operations is a write, and no proposal.
fn writes_memory(accepted: &[AcceptedOperation]) -> bool {
    accepted.iter().any(|operation| operation.as_proposal.is_none())
}

/// How many of the operations that are writes, and no proposals, were not made by this commit; `None`: before it.
fn unwritten(accepted: &[AcceptedOperation], kept: Option<&Result<CommittedChunk, Error>>) -> usize {
    let is_unwritten = |at: usize| match kept {
        None => true,
        Some(Ok(committed)) => {
            committed.by_other_process || committed.dropped.iter().any(|(dropped, _)| *dropped == at)
        }
        Some(Err(error)) => error.rejections.iter().all(|rejection| rejection.changed == Some(false)),
    };
    accepted.iter().filter(|a| a.as_proposal.is_none() && is_unwritten(a.decision_index)).count()
}

/// The texts that wait because only one conversation states them, another one than this.
fn unconfirmed_texts(session: &Session, chunk: &PendingChunk<'_>) -> Result<Vec<String>, Rejection> {
    let own_ids = [chunk.conversation, &watermark::first_turn_id(chunk.turns)];
    let waiting = inbox::waiting_fields(session)?.into_iter();
    Ok(waiting.filter(|field| !own_ids.contains(&&*field.conversation)).flat_map(|field| field.texts).collect())
}
