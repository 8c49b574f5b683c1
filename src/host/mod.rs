//! Everything else on this machine: the user's own config, where the data dir is, who calls, what time it is, what
//! stdin brings, the editor.
//!
//! Never opens a file below a data dir (but for the policy's text): that is `store/`'s alone.

pub mod actor;
pub mod clock;
pub mod config;
pub mod content;
pub mod editor;
pub mod find;
pub mod user;
