//! Opens a session with the global options.
//!
//! Never decides how: `memory` opens it, for the command line as for the library.

use std::time::Duration;

use super::args::GlobalArgs;
use crate::code::Rejection;
use crate::commands::Session;
use crate::memory::OpenOptions;
pub use crate::memory::{SessionNeeds, env, working_dir};

/// What the global options say about the memory to open.
pub fn open_options(global: &GlobalArgs, lock_timeout: Option<Duration>) -> OpenOptions {
    OpenOptions {
        dir: global.dir.clone(),
        global: global.global,
        actor: global.actor.clone(),
        lock_timeout,
        ..OpenOptions::default()
    }
}

/// Opens the session of one command.
///
/// # Errors
/// As `OpenOptions::open_session`.
pub fn open_session(
    global: &GlobalArgs,
    needs: SessionNeeds,
    lock_timeout: Option<Duration>,
) -> Result<Session, Rejection> {
    open_options(global, lock_timeout).open_session(needs)
}
