//! How many requests, writes and tokens one chunk may take.
//!
//! Counts nothing itself: `chunk` does.

use crate::reflect::chunks::is_shown;
use crate::transcript::Turn;

/// Limits of one chunk.
#[derive(Clone, Copy, Debug)]
pub struct ChunkLimits {
    /// Number of requests to the model.
    pub max_requests: usize,
    /// Number of accepted writes.
    pub max_writes: usize,
    /// Number of accepted writes per turn of the conversation.
    pub max_writes_per_turn: usize,
    /// Number of tokens spent, requests and replies together.
    pub max_tokens: u64,
    /// Upper bound of a reply, in tokens.
    pub max_reply_tokens: u32,
}

impl ChunkLimits {
    /// How many operations one reply about these turns may have, if a grammar limits it: one for each turn, within
    /// limits, because a small model would fill any list.
    pub fn max_operations(&self, turns: &[Turn]) -> usize {
        turns.iter().filter(|t| is_shown(t)).count().clamp(self.max_writes_per_turn, self.max_writes)
    }
}

impl Default for ChunkLimits {
    fn default() -> ChunkLimits {
        ChunkLimits {
            max_requests: 8,
            max_writes: 12,
            max_writes_per_turn: 3,
            max_tokens: 100_000,
            max_reply_tokens: 4096,
        }
    }
}
