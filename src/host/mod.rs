//! Everything else on this machine: the user's own config, editors, git, hosts.
//!
//! Never opens a file below a data dir: that is `store/`'s alone.

pub mod config;
