//! The rest of the machine: user config, finding the data directory, actor, clock, stdin, editor, pager, git, model
//! selection, the program's own path.
//!
//! Never opens a file below a data directory (except the policy's text and git's own files there): only `store/` does.

pub mod actor;
pub mod agent_hosts;
pub mod background;
pub mod branch_states;
pub mod clock;
pub mod code_history;
pub mod commit_losses;
pub mod config;
pub mod conflict_refs;
pub mod content;
pub mod conversation_scope;
pub mod editor;
mod embedded_repository;
pub mod embeddings;
pub mod find;
pub mod git;
pub mod git_dir;
pub mod home_remote;
pub mod import_source;
pub mod keys;
pub mod layers;
pub mod line_history;
pub mod lock_files;
pub mod machine_key;
pub mod models;
pub mod notes_folder;
pub mod outgoing_lines;
pub mod outside_files;
pub mod pager;
pub mod program;
mod push_queue_refs;
pub mod remote;
pub mod repository;
pub mod review_branch;
pub mod tree_changes;
pub mod trusted;
pub mod unshared_files;
pub mod user;
pub mod work_file;

/// Looks up an environment variable.
pub type EnvLookup<'a> = &'a dyn Fn(&str) -> Option<String>;
