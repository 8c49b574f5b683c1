//! memdir: memory for AI agents as a directory of markdown.
//!
//! Read the rooms in this order; each says what it is for and what it never does.

pub mod change;
pub mod cli;
pub mod code;
pub mod commands;
pub mod document;
pub mod host;
pub mod operation;
pub mod path;
pub mod policy;
pub mod shape;
pub mod store;
pub mod text;
