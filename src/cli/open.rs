//! Opens a session: finds the data directory, the caller, the time and the policy.
//!
//! Never creates a file.

use std::path::PathBuf;
use std::time::Duration;

use super::args::GlobalArgs;
use crate::code::{Code, Rejection, Warning};
use crate::commands::Session;
use crate::host::config::UserConfig;
use crate::host::{actor, clock, find, user};
use crate::policy;
use crate::store::{Durability, Store, StoreOptions, init};

/// The value of an environment variable, if it is set and UTF-8.
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

pub fn working_dir() -> Result<PathBuf, Rejection> {
    std::env::current_dir().map_err(|e| Rejection::new(Code::Io, format!("cannot read the working directory: {e}")))
}

/// Where to search for the data directory: the options and `MEMDIR`.
pub fn directory_query(global: &GlobalArgs) -> find::DirectoryQuery {
    find::DirectoryQuery {
        dir: global.dir.clone(),
        global: global.global,
        env: std::env::var_os("MEMDIR").map(PathBuf::from),
    }
}

/// What a command needs from its session beside the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionNeeds {
    /// Only the texts. Saves reading git's config for the caller's name and the system's time zone.
    TextsOnly,
    /// Also the caller's name and the local time.
    All,
}

/// The largest policy, in bytes.
const MAX_POLICY_BYTES: u64 = 64 << 10;

/// Opens the session of one command.
///
/// # Errors
/// `no_data_dir`, `usage` for an invalid setting, and the errors of `Store::open`.
pub fn open_session(
    global: &GlobalArgs,
    needs: SessionNeeds,
    lock_timeout: Option<Duration>,
) -> Result<Session, Rejection> {
    let working_dir = working_dir()?;
    let (config, warnings) = user::load_config(&env);
    let found_dir = find::find_data_dir(&directory_query(global), &working_dir, &|| user::data_dir(&config, &env))?;
    let exchange = env("MEMDIR_NO_EXCHANGE").is_none_or(|set| set.is_empty());
    let mut options =
        StoreOptions { durability: durability(&config)?, allow_exchange: exchange, ..StoreOptions::default() };
    if let Some(timeout) = lock_timeout.or_else(|| Duration::try_from_secs_f64(config.lock_timeout_s?).ok()) {
        options.lock_timeout = timeout;
    }
    let store = Store::open(&found_dir.dir, options)?;
    let text = store.read_top_file(init::POLICY_FILE, MAX_POLICY_BYTES);
    let mut policy = text.map_or_else(unreadable_policy, |text| policy::load(&text.unwrap_or_default()));
    if let Some(why) = policy.refuses_reads {
        return Err(why);
    }
    policy.warnings.extend(warnings);
    // Allowlists filter by the caller's name, so with allowlists it is always resolved, even if that costs time.
    let needs_actor = needs == SessionNeeds::All || !policy.policy.allowlists.is_empty();
    let session = Session {
        store,
        prefixes: find::prefixes(&found_dir.dir, &working_dir),
        policy,
        actor: actor::actor(global.actor.as_deref(), &env, Some(&*working_dir).filter(|_| needs_actor)),
        now: clock::now(env("MEMDIR_NOW").as_deref(), needs == SessionNeeds::All)?,
        found_by: found_dir.found_by,
        dir: found_dir.dir,
    };
    Ok(session.with_allowlist())
}

/// The policy to use if `memdir.yaml` cannot be read: writes are refused and reads work, as with an invalid one.
fn unreadable_policy(rejection: Rejection) -> policy::LoadedPolicy {
    let warnings = vec![Warning::new(rejection.code, rejection.message.clone())];
    policy::LoadedPolicy {
        policy: policy::Policy::default(),
        refuses_writes: Some(rejection),
        refuses_reads: None,
        warnings,
    }
}

/// The durability from `MEMDIR_DURABILITY`, else from the user config, else `full`.
fn durability(config: &UserConfig) -> Result<Durability, Rejection> {
    match env("MEMDIR_DURABILITY").filter(|d| !d.is_empty()).or_else(|| config.durability.clone()).as_deref() {
        None | Some("full") => Ok(Durability::Full),
        Some("atomic") => Ok(Durability::Atomic),
        Some("fast") => Ok(Durability::Fast),
        Some(_) => Err(Rejection::new(Code::Usage, "MEMDIR_DURABILITY must be full, atomic or fast")
            .hint("see ENVIRONMENT in memdir(1)")),
    }
}
