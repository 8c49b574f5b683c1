//! The model proposes, code decides: prompts, evidence, guards, routing, and what compaction may take away.
//!
//! Pure: conversations, documents and replies come as values. Never asks a model and never writes.
//!
//! In reading order: [`chunks`] cuts a conversation into pieces; [`prompt`] and [`offer`] say what a model is told and
//! how it may answer; [`wish`] reads what it wants; [`guards`] say what is wrong with it, [`judge`] where it goes, and [`outcome`] whether what comes of it may stay;
//! [`proposal`] is what waits for a person; [`compaction`] makes room.

pub mod chunks;
pub mod compaction;
pub mod guards;
pub mod judge;
pub mod offer;
pub mod outcome;
pub mod prompt;
pub mod proposal;
pub mod wish;
