//! The result of reading one chunk of a conversation: decisions, accepted operations, and what it cost.
//!
//! Only data; `chunk` fills it, `commit_chunk` commits it.

use crate::code::Rejection;
use crate::commands::results::ReflectDecision;
use crate::llm::{LlmError, TokenUsage};
use crate::operation::Operation;
use crate::reflect::guards::QuoteEvidence;

/// An accepted operation, with the evidence for it.
#[derive(Clone, Debug)]
pub struct AcceptedOperation {
    pub operation: Operation,
    /// The turn that proves it.
    pub evidence: QuoteEvidence,
    /// The quoted words of that turn, without secrets.
    pub quote: String,
    /// Why it becomes a proposal, and the diff it would make; `None`: it is applied.
    pub as_proposal: Option<(String, String)>,
    /// How many writes it counts as, for `ChunkLimits`.
    pub writes: usize,
    /// Index of its decision.
    pub decision_index: usize,
}

/// The result of reading a chunk.
#[derive(Debug, Default)]
pub struct ChunkResult {
    /// Decisions on all proposals of the model.
    pub decisions: Vec<ReflectDecision>,
    /// The operations to be committed, some of them as proposals.
    pub accepted: Vec<AcceptedOperation>,
    /// Number of requests sent.
    pub requests: usize,
    /// Token counts as reported by the host.
    pub usage: TokenUsage,
    /// Token counts, estimated where the host reports none; used for limits and budgets.
    pub estimated_usage: TokenUsage,
    /// The error that ended the dialogue, if any.
    pub error: Option<LlmError>,
    /// Why the memory could not be read or written as a proposal needs it, if so; it ended the dialogue.
    pub obstacle: Option<Rejection>,
    /// The limit that ended the dialogue, if any.
    pub limit_reached: Option<&'static str>,
    /// Number of texts checked by the writing rules at their first attempt, and how many of them passed.
    pub first_attempts: (u64, u64),
}
