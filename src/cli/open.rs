//! Opens a session: which data dir, who, when, under which policy.
//!
//! Never creates anything.

use std::path::PathBuf;
use std::time::Duration;

use super::args::Global;
use crate::code::Rejection;
use crate::commands::Session;
use crate::host::{actor, clock, find};
use crate::policy;
use crate::store::{Durability, Options, Store};

/// An environment variable, when it is text.
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The working directory.
pub fn work() -> Result<PathBuf, Rejection> {
    std::env::current_dir()
        .map_err(|e| Rejection::new(crate::code::Code::Io, format!("the working directory cannot be read: {e}")))
}

/// What the caller said about where.
pub fn asked(global: &Global) -> find::Asked {
    find::Asked { dir: global.dir.clone(), global: global.global, env: std::env::var_os("MEMDIR").map(PathBuf::from) }
}

/// A session for one command.
///
/// # Errors
/// `no_data_dir`, `usage` for a bad setting, and what opening the store answers.
pub fn session(global: &Global, lock_timeout: Option<Duration>) -> Result<Session, Rejection> {
    let work = work()?;
    let place = find::find(&asked(global), &work, &user_dir)?;
    let mut options = Options { durability: durability()?, ..Options::default() };
    if let Some(timeout) = lock_timeout {
        options.lock_timeout = timeout;
    }
    let store = Store::open(&place.dir, options)?;
    Ok(Session {
        store,
        prefixes: find::prefixes(&place.dir, &work),
        policy: policy::load(&find::policy_text(&place.dir)?),
        actor: actor::actor(global.actor.as_deref(), &env, &work),
        now: clock::now(env("MEMDIR_NOW").as_deref())?,
        found_by: place.found_by,
        dir: place.dir,
    })
}

/// The user's own data dir.
fn user_dir() -> Option<PathBuf> {
    None
}

fn durability() -> Result<Durability, Rejection> {
    match env("MEMDIR_DURABILITY").as_deref() {
        None | Some("" | "full") => Ok(Durability::Full),
        Some("atomic") => Ok(Durability::Atomic),
        Some("fast") => Ok(Durability::Fast),
        Some(_) => Err(Rejection::new(crate::code::Code::Usage, "MEMDIR_DURABILITY is full, atomic or fast")),
    }
}
