//! Answers, read only: outlines, differences, the journal as people read it, what fits a question, who links where,
//! what a session should see first.
//!
//! Pure. Never plans a change.

pub mod context;
pub mod diff;
pub mod journal;
pub mod links;
pub mod outline;
pub mod pairs;
pub mod query;
