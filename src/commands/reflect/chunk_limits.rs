//! How many requests, writes and tokens one chunk may take.
//!
//! Counts nothing itself: `chunk` does.

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
