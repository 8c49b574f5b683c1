//! Opens a session: which data dir, who, when, under which policy.
//!
//! Never creates anything.

use std::path::PathBuf;
use std::time::Duration;

use super::args::Global;
use crate::code::{Code, Rejection, Warning};
use crate::commands::Session;
use crate::host::config::UserConfig;
use crate::host::{actor, clock, find, user};
use crate::policy;
use crate::store::{Durability, Options, Store, make};

/// An environment variable, when it is text.
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The working directory.
pub fn work() -> Result<PathBuf, Rejection> {
    std::env::current_dir().map_err(|e| Rejection::new(Code::Io, format!("the working directory cannot be read: {e}")))
}

/// What the caller said about where.
pub fn asked(global: &Global) -> find::Asked {
    find::Asked { dir: global.dir.clone(), global: global.global, env: std::env::var_os("MEMDIR").map(PathBuf::from) }
}

/// What a command asks of its session beside the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Texts only: git's files are not asked for a name, nor the system for its time zone.
    Texts,
    /// Who calls, and the local time.
    All,
}

/// The largest policy, in bytes.
const POLICY: u64 = 64 << 10;

/// A session for one command.
///
/// # Errors
/// `no_data_dir`, `usage` for a bad setting, and what opening the store answers.
pub fn session(global: &Global, need: Need, lock_timeout: Option<Duration>) -> Result<Session, Rejection> {
    let work = work()?;
    let (config, warnings) = user::config(&env);
    let place = find::find(&asked(global), &work, &|| user::data_dir(&config, &env))?;
    let exchange = env("MEMDIR_NO_EXCHANGE").is_none_or(|set| set.is_empty());
    let mut options = Options { durability: durability(&config)?, exchange, ..Options::default() };
    if let Some(timeout) = lock_timeout.or_else(|| Duration::try_from_secs_f64(config.lock_timeout_s?).ok()) {
        options.lock_timeout = timeout;
    }
    let store = Store::open(&place.dir, options)?;
    let text = store.top_file(make::MARKER, POLICY);
    let mut policy = text.map_or_else(unread, |text| policy::load(&text.unwrap_or_default()));
    if let Some(why) = policy.refuses_reads {
        return Err(why);
    }
    policy.warnings.extend(warnings);
    // Who may see what is asked of the caller's name: then it must be the right one, whatever that costs.
    let known = need == Need::All || !policy.policy.allowlists.is_empty();
    let session = Session {
        store,
        prefixes: find::prefixes(&place.dir, &work),
        policy,
        actor: actor::actor(global.actor.as_deref(), &env, Some(&*work).filter(|_| known)),
        now: clock::now(env("MEMDIR_NOW").as_deref(), need == Need::All)?,
        found_by: place.found_by,
        dir: place.dir,
    };
    Ok(session.gated())
}

/// A policy that cannot be read refuses writes and lets reads go on, as a broken one does.
fn unread(rejection: Rejection) -> policy::Loaded {
    let warnings = vec![Warning::new(rejection.code, rejection.message.clone())];
    policy::Loaded { policy: policy::Policy::default(), refuses_writes: Some(rejection), refuses_reads: None, warnings }
}

/// `MEMDIR_DURABILITY`, else the user config's.
fn durability(config: &UserConfig) -> Result<Durability, Rejection> {
    match env("MEMDIR_DURABILITY").filter(|d| !d.is_empty()).or_else(|| config.durability.clone()).as_deref() {
        None | Some("full") => Ok(Durability::Full),
        Some("atomic") => Ok(Durability::Atomic),
        Some("fast") => Ok(Durability::Fast),
        Some(_) => Err(Rejection::new(Code::Usage, "MEMDIR_DURABILITY is full, atomic or fast")),
    }
}
