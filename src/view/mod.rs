//! Read-only views: outlines, diffs, revision states, query results, links, and the context for a session.
//!
//! Pure: never reads a file and never plans a change.

pub mod context;
pub mod diff;
pub mod diff_bullets;
pub mod export;
pub mod followed_bullet;
pub mod journal;
pub mod links;
pub mod outline;
pub mod overruled;
pub mod page;
pub mod query;
pub mod stale_anchors;
pub mod staleness;
