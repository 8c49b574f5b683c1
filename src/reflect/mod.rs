//! The model proposes, code decides: prompts, evidence, guards, routing, and what compaction may take away.
//!
//! Pure: conversations, documents and replies come as values. Never asks a model and never writes.

pub mod compaction;
