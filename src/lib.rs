//! Memory for AI agents as a directory of markdown, changed by small, exact, undoable operations.
//!
//! ```
//! use memdir::{ChangeOptions, InitOptions, Memory, OpenOptions, UndoOptions};
//!
//! # fn main() -> Result<(), memdir::Error> {
//! let dir = std::env::temp_dir().join(format!("memdir-example-{}", std::process::id()));
//! Memory::init(&dir, &InitOptions::default())?;
//! let memory = Memory::open(OpenOptions::new(&dir).actor("claude"))?;
//!
//! memory.add("user", "Prefers tabs over spaces")?;
//! let found = memory.query("tabs")?;
//! assert_eq!(found.items[0].text, "Prefers tabs over spaces");
//!
//! let undone = memory.undo(&UndoOptions::default(), &ChangeOptions::default())?;
//! assert_eq!(undone.undone.as_deref(), Some("r1"));
//! assert_eq!(memory.query("tabs")?.items.len(), 0);
//! # std::fs::remove_dir_all(&dir).ok();
//! # Ok(())
//! # }
//! ```
//!
//! [`Memory`] has a method for each command that a program needs, and each method has a result type of its own
//! ([`results`]). Every error is an [`Error`] with a [`Code`], and says whether anything was changed. The files are the
//! only source of truth: other processes and editors may change them at any time, and the next call sees their changes.
//!
//! Codes, actions and fields of results are added in minor versions, so the enums and the result types are
//! `#[non_exhaustive]`: a `match` needs an arm for unknown variants, and a pattern ends in `..`. The `…Options` are
//! exhaustive, because a program writes them with `..Default::default()` or, where there is no default, with `new`; so
//! are the types that an implementation of [`models::Model`] returns.
//!
//! The features `network` (models behind HTTP), `cli` (the command line, with clap) and `mcp` (`memdir mcp`) are on by
//! default; a program that embeds the library needs none of them.

// What only the command line, the MCP server or a model behind HTTP needs is unused without them.
#![cfg_attr(not(all(feature = "cli", feature = "mcp", feature = "network")), allow(dead_code, unused_imports))]

// The modules, from the lowest up. The first lines of each tell its purpose and what it never does. A module may use
// those above it in this list, never those below (a test checks it); ARCHITECTURE.md explains how they work together.
//
// * `code`: every error and warning code, its exit status and whether a retry helps.
// * `threads`: work that a second thread shares.
// * `path`: paths that cannot leave the data directory, and addresses of files, sections and bullets.
// * `text`: byte splices, words, stems, similarity, dates; knows no markdown.
// * `json_shape`: tables of JSON objects from which readers and schemas are derived.
// * `policy`: what a data directory allows (`memdir.yaml`).
// * `document`: one markdown text: its parts, and edits that change nothing else.
// * `change`: what is about to happen and what did: the type between planning and storing.
// * `operation`: the operations, and `plan`, which turns them into a changeset. Pure.
// * `view`: read-only answers: outline, search, context, diff, journal. Pure.
// * `transcript`: conversations of other programs, read into turns. Pure.
// * `reflect`: prompts for a model, and the checks on what it proposes. Pure.
// * `store`: the only module that accesses the data directory: sandbox, lock, commit, journal, recovery.
// * `host`: the rest of this machine: finding the data directory, the user config, the editor, git.
// * `llm`: one request to a model, one reply; the only module that uses the network.
// * `commands`: the use cases, where the modules meet. Results are values.
// * `memory`: the library's front: `Memory::open` and one method for each command.
// * `mcp`: the MCP server: tools and resources for agents' hosts.
// * `cli`: the command line: grammar, arguments to operations, output.
//
// They are private. The crate's own tests, which are programs of their own, see them with the feature `internals`.

#[path = ""]
mod modules {
    pub mod change;
    pub mod code;
    pub mod commands;
    pub mod document;
    pub mod host;
    pub mod json_shape;
    pub mod operation;
    pub mod path;
    pub mod policy;
    pub mod reflect;
    pub mod store;
    pub mod text;
    pub mod threads;
    pub mod transcript;
    pub mod view;
    // Without the network only `exec` is used, and the protocols of the hosts are dead code.
    #[cfg_attr(not(feature = "network"), allow(dead_code))]
    pub mod llm;
    #[cfg(feature = "mcp")]
    pub mod mcp;
    pub mod memory;
}
#[cfg(not(feature = "internals"))]
use modules::*;
#[cfg(feature = "internals")]
pub use modules::*;

// Public for `main.rs`, which is a crate of its own.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

pub use code::{Code, Rejection, SuggestedCommand, Warning};
pub use commands::compact::{CompactOptions, DuplicatesOptions};
pub use commands::export::{ExportKind, ExportOptions};
pub use commands::import::ImportOptions;
pub use commands::inbox::InboxDecision;
pub use commands::merge::MergeInput;
pub use commands::reflect::ReflectOptions;
pub use commands::results;
pub use commands::scope::ScopeOptions;
pub use commands::setup::SetupMode;
pub use commands::stats::StatsOptions;
pub use commands::sync::{SyncDirection, SyncOptions};
pub use commands::{
    ChangeOptions, CheckOptions, ContextRequest, ContextStyle, Error, InitOptions, LogOptions, MemoryToolReply,
    ReaderMark, UndoOptions,
};
pub use memory::{Memory, OpenOptions};
pub use operation::conflict_regions::ConflictChoice;
pub use operation::graph::GraphReply;
pub use operation::{Action, Batch, Operation, Target};
pub use store::Durability;
pub use view::query::filter::QueryOptions;

/// Models for `reflect` and `compact`: opened as configured, or implemented by the caller.
pub mod models {
    pub use crate::commands::model::OpenModel;
    pub use crate::host::models::{ModelQuery, ModelRole, ToolUse};
    pub use crate::llm::{
        AnswerSchema, ChatMessage, Deadline, ErrorKind, LlmError, Model, ModelId, ModelReply, ModelRequest, StopReason,
        TokenUsage, ToolCall, ToolDefinition, ToolOutcome,
    };
    pub use crate::memory::{check_model, open_model};
    pub use crate::reflect::prompt::ReplyMode;
}
