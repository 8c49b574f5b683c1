//! Everything else on this machine: the user's own config, where the data dir is, who calls, what time it is, what
//! stdin brings, the editor, git, which model is meant, where the program itself stands.
//!
//! Never opens a file below a data dir (but for the policy's text, and git's own files there): that is `store/`'s alone.

pub mod actor;
pub mod clock;
pub mod config;
pub mod content;
pub mod editor;
pub mod find;
pub mod git;
pub mod keys;
pub mod models;
pub mod program;
pub mod remote;
pub mod repository;
pub mod texts;
pub mod user;
