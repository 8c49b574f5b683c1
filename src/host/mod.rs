//! Everything on this machine beside the data dir: where it is, who calls, what time it is, what stdin brings.
//!
//! Never opens a file below the data dir; the store does.

pub mod actor;
pub mod clock;
pub mod content;
pub mod editor;
pub mod find;
