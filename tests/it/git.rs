//! memdir and a real git: merges by bullet, set-up of clones, pull requests, work trees, and what a hostile clone brings.

mod answers;
mod ci;
mod diff;
mod driver;
mod hostile;
mod merges;
mod resolve;
mod setup;
mod stale_branches;
mod summary_merge;
mod worktrees;
