//! Answers, read only: outlines, differences, the journal as people read it.
//!
//! Pure. Never plans a change.

pub mod diff;
pub mod journal;
pub mod outline;
pub mod pairs;
