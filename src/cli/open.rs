//! Opens a session with the global options.
//!
//! Never decides how: `memory` opens it, for the command line as for the library.

use std::time::Duration;

use super::args::GlobalArgs;
use crate::code::{Code, Rejection};
use crate::commands::Session;
use crate::memory::OpenOptions;
pub use crate::memory::{SessionNeeds, check_variables, env, working_dir};
use crate::path::ALL_SCOPES;

/// What the global options say about the memory to open.
pub fn open_options(global: &GlobalArgs, lock_timeout: Option<Duration>) -> OpenOptions {
    OpenOptions {
        dir: global.dir.clone(),
        global: global.global,
        scope: global.scope.clone(),
        actor: global.actor.clone(),
        lock_timeout,
        ..OpenOptions::default()
    }
}

/// Whether the options or the environment ask for all scopes.
pub fn names_all_scopes(global: &GlobalArgs) -> bool {
    match &global.scope {
        Some(name) => name == ALL_SCOPES,
        None => env("MEMDIR_SCOPE").as_deref() == Some(ALL_SCOPES),
    }
}

/// Changes to the directory that `-C` names, so that every relative path of the command line starts there.
///
/// # Errors
/// `no_data_dir`: there is no such directory.
pub fn enter_start(global: &GlobalArgs) -> Result<(), Rejection> {
    for dir in global.start.iter().filter(|dir| !dir.is_empty()) {
        std::env::set_current_dir(dir).map_err(|error| {
            Rejection::new(Code::NoDataDir, format!("cannot change to '{}': {error}", dir.to_string_lossy()))
                .hint("-C DIR names the directory in which to start")
        })?;
    }
    Ok(())
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
