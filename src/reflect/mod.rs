//! Decides which changes proposed by a model are made: prompts, evidence, guards, routing, compaction.
//!
//! Pure: conversations, documents and replies are arguments. Never calls a model and never writes.
//!
//! In reading order: [`chunks`] splits a conversation; [`prompt`] and [`tool_schema`] define the input of the model and
//! the form of its reply; [`proposal`] parses the reply; [`guards`] check texts; [`judge`] routes a proposal, and
//! [`outcome`] routes it again once its effects are known; [`inbox_item`] is the file of a proposal that waits for
//! review; [`compaction`] removes and merges items where a limit is exceeded, [`duplicates`] those that say the same.

pub mod chunks;
pub mod compaction;
pub mod digest;
pub mod duplicates;
pub mod guards;
pub mod host_strings;
pub mod inbox_item;
pub mod insights;
pub mod judge;
pub mod merge_conditions;
pub mod metadata;
pub mod outcome;
pub mod procedure;
pub mod prompt;
pub mod proposal;
pub mod record;
pub mod removal;
mod reply_json;
pub mod request;
pub mod tool_schema;
