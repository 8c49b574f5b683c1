//! Opens a session: finds the data directory, the caller, the time and the policy, and installs the allowlist filter.
//!
//! Never creates a file. The command line and the library open every session here.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::code::{Code, Rejection, quote_short};
use crate::commands::vector_search::EmbeddingAccess;
use crate::commands::{Layer, Layers, ProgressNotes, Session, open_scope, read_policy};
use crate::host::config::UserConfig;
use crate::host::conversation_scope::{self, ConversationOrigin};
use crate::host::embeddings::EmbeddingSettings;
use crate::host::find::{FoundBy, FoundDirectory};
use crate::host::layers::{self, LayerList, LayerLocation, LeftOutLayer};
use crate::host::models::NESTED_CALL_VARIABLE;
use crate::host::{actor, clock, find, machine_key, trusted, user};
use crate::path::{ALL_SCOPES, ScopeName};
use crate::store::{Durability, Store, StoreOptions};

/// Which memory is opened, for whom, and how.
///
/// A field that is `None` is read from where the command line reads it: the environment (`MEMDIR`, `MEMDIR_AS`,
/// `MEMDIR_DURABILITY`, `MEMDIR_NOW`), then the user config.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The data directory itself. `None`: `MEMDIR`, else the nearest directory, from `start` upwards, that is or
    /// contains one, else the user's own.
    pub dir: Option<PathBuf>,
    /// A scope of that memory, which cannot be left: another memory in it, with its own files and history. `None`:
    /// `MEMDIR_SCOPE`, else the memory itself.
    pub scope: Option<String>,
    /// Whether `MEMDIR_SCOPE` may be `*`: for a search in all scopes, from their parent memory.
    pub all_scopes: bool,
    /// The scope of a session that is otherwise in no scope: the one to which its conversation belongs.
    pub default_scope: Option<String>,
    /// The directory in which the search starts, and from which relative paths lead. `None`: the working directory.
    pub start: Option<PathBuf>,
    /// Without `dir`: use the user's own memory, as `-g` does.
    pub global: bool,
    /// The name of the caller. The journal records it, and the policy's allowlists restrict what it may see. A name
    /// that the user config does not list under `people:` is an agent's: it changes sensitive fields only with the
    /// user's consent.
    pub actor: Option<String>,
    /// The caller is an agent whatever its name and the environment are: a front end that only agents use sets it.
    pub agent: bool,
    /// How much is synced before a change returns.
    pub durability: Option<Durability>,
    /// How long a change waits for the lock.
    pub lock_timeout: Option<Duration>,
    /// The current time; `None` is the clock's, read anew for every command.
    pub now: Option<jiff::Zoned>,
}

/// What a command needs from its session beside the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionNeeds {
    /// Only the texts. Saves reading git's config for the caller's name and the system's time zone.
    Texts,
    /// Also the day in the local time zone.
    LocalDay,
    /// Also the caller's name.
    All,
}

/// The variables that narrow what a command may do, or say where texts go.
const CONFINING_VARIABLES: [&str; 8] = [
    "MEMDIR_SCOPE",
    "MEMDIR_AS",
    "MEMDIR_MODE",
    NESTED_CALL_VARIABLE,
    "MEMDIR_DURABILITY",
    "MEMDIR_REMOTE",
    "MEMDIR_PROVIDER",
    "MEMDIR_MODEL",
];

/// The value of an environment variable, if it is set and UTF-8.
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Refuses a value that [`env`] would take for none, because what it confines would then be open.
///
/// # Errors
/// `usage`.
pub fn check_variables() -> Result<(), Rejection> {
    let unreadable = |name: &&str| std::env::var_os(name).is_some_and(|value| value.to_str().is_none());
    match CONFINING_VARIABLES.into_iter().find(unreadable) {
        Some(name) => {
            Err(Rejection::new(Code::Usage, format!("{name} is not UTF-8")).hint("see ENVIRONMENT in memdir(1)"))
        }
        None => Ok(()),
    }
}

/// The working directory.
///
/// # Errors
/// `io`.
pub fn working_dir() -> Result<PathBuf, Rejection> {
    std::env::current_dir().map_err(|e| Rejection::new(Code::Io, format!("cannot read the working directory: {e}")))
}

const NAME_ONE_SCOPE: &str = "name one scope; `memdir scope list` lists them";

impl OpenOptions {
    /// Options for a data directory: one with `memdir.yaml`, `facts/` or `episodes/` in it.
    pub fn new(dir: impl Into<PathBuf>) -> OpenOptions {
        OpenOptions { dir: Some(dir.into()), ..OpenOptions::default() }
    }

    /// Sets the name of the caller.
    pub fn actor(mut self, name: impl Into<String>) -> OpenOptions {
        self.actor = Some(name.into());
        self
    }

    /// Where to search for the data directory.
    pub(crate) fn directory_query(&self) -> find::DirectoryQuery {
        find::DirectoryQuery {
            dir: self.dir.clone(),
            global: self.global,
            env: std::env::var_os("MEMDIR").map(PathBuf::from),
            scope: None,
        }
    }

    /// Finds the data directory, in the scope that is named.
    fn find_directory(&self, start: &Path, config: &UserConfig) -> Result<FoundDirectory, Rejection> {
        check_variables()?;
        let query = find::DirectoryQuery { scope: self.named_scope()?, ..self.directory_query() };
        let found = find::find_data_dir(&query, start, &|| user::own_memory(config, &env, start))?;
        match (&found.scope, &self.default_scope) {
            (None, Some(name)) => Ok(FoundDirectory { scope: Some(ScopeName::existing(name)?.to_string()), ..found }),
            _ => Ok(found),
        }
    }

    /// The same options for a conversation: in the scope that the user config's rules give it, unless another is named.
    pub(crate) fn for_conversation(self, origin: &ConversationOrigin<'_>) -> OpenOptions {
        let (config, _) = user::load_config(&env);
        let scope = conversation_scope::scope_of(&config.scopes, origin, user::home(&env).as_deref());
        OpenOptions { default_scope: scope, ..self }
    }

    /// The scope of the option, else of `MEMDIR_SCOPE`. Where the environment names one, no option leaves it.
    fn named_scope(&self) -> Result<Option<ScopeName>, Rejection> {
        let named = env("MEMDIR_SCOPE").filter(|name| !name.is_empty());
        let confined = named.clone().filter(|name| name != ALL_SCOPES);
        let for_query =
            |what: &str| Rejection::new(Code::Usage, format!("{what} is for `query` only")).hint(NAME_ONE_SCOPE);
        match (self.scope.as_deref(), confined) {
            (Some(named), Some(confined)) if named != confined => Err(find::scope_not_allowed(&confined)),
            (Some(ALL_SCOPES), _) => Err(for_query("-S '*'")),
            (None, None) if named.is_some() && !self.all_scopes => Err(for_query("MEMDIR_SCOPE='*'")),
            (Some(named), _) => ScopeName::existing(named).map(Some),
            (None, Some(confined)) => ScopeName::existing(&confined).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Opens the session of one command: finds the data directory, the caller, the time and the policy. A caller with
    /// an allowlist gets a filtered store. Creates no file.
    ///
    /// # Errors
    /// `no_data_dir`, `usage` for an invalid setting, `invalid_policy`, and the errors of `Store::open`.
    pub(crate) fn open_session(&self, needs: SessionNeeds) -> Result<Session, Rejection> {
        let working_dir = self.start_dir()?;
        let (config, warnings) = user::load_config(&env);
        let found_dir = self.find_directory(&working_dir, &config)?;
        let layers = self.layer_locations(&found_dir, &config, &working_dir);
        let mut session = if layers.locations.is_empty() {
            self.open_found(&found_dir, &working_dir, &config, needs)?
        } else {
            self.open_layers(layers, &working_dir, &config, needs)?
        };
        session.policy.warnings.extend(warnings);
        Ok(session)
    }

    /// Opens the memory that was found.
    fn open_found(
        &self,
        found_dir: &FoundDirectory,
        working_dir: &Path,
        config: &UserConfig,
        needs: SessionNeeds,
    ) -> Result<Session, Rejection> {
        let is_agent = self.agent || actor::is_agent(self.actor.as_deref(), &env, &config.people);
        let memory = Store::open(&found_dir.memory, self.store_options(config)?)?;
        let (store, policy, scope) = match &found_dir.scope {
            None => {
                let policy = read_policy(&memory);
                (memory, policy, None)
            }
            Some(name) => {
                let unknown = |error: Rejection| match error.code {
                    Code::ScopeNotFound => ScopeName::new(name).err().unwrap_or(error),
                    _ => error,
                };
                let parts = open_scope(&memory, name, is_agent).map_err(unknown)?;
                (parts.store, parts.policy, Some(parts.scope))
            }
        };
        if let Some(error) = policy.read_refusal(is_agent) {
            return Err(error.clone());
        }
        // Allowlists filter by the caller's name, so with allowlists it is always resolved, even if that costs time.
        let needs_actor = needs == SessionNeeds::All || !policy.policy.allowlists.is_empty();
        let session = Session {
            store,
            prefixes: found_dir.prefixes(working_dir),
            policy,
            scope,
            layers: None,
            layer_name: None,
            embeddings: config.embeddings.as_ref().map(embedding_access),
            key_file: machine_key::path(&env),
            user_tokens_per_day: config.tokens_per_day,
            is_agent,
            actor: if self.agent {
                actor::agent(self.actor.as_deref(), &env)
            } else {
                actor::actor(self.actor.as_deref(), &env, Some(working_dir).filter(|_| needs_actor))
            },
            now: match &self.now {
                Some(now) => now.clone(),
                None => clock::now(&env, needs != SessionNeeds::Texts)?,
            },
            found_by: found_dir.found_by,
            dir: found_dir.dir(),
            progress: ProgressNotes::default(),
            spent: Default::default(),
        };
        // Here and nowhere else, so that no caller can forget it.
        Ok(session.with_allowlist())
    }

    /// Opens the session of a hook: only on a memory that the user config lists under `trusted:`, and without reading
    /// anything of another. `None` if it is not listed.
    ///
    /// # Errors
    /// As [`OpenOptions::open_session`].
    pub(crate) fn open_trusted_session(&self) -> Result<Option<Session>, Rejection> {
        let start = self.start_dir()?;
        let (config, _) = user::load_config(&env);
        let found = self.find_directory(&start, &config)?;
        // Trust in a memory includes its scopes.
        if ![&found.memory, &found.dir()].into_iter().any(|dir| trusted::is_trusted(&config, dir, &env)) {
            return Ok(None);
        }
        let mut layers = self.layer_locations(&found, &config, &start);
        let (listed, others) = std::mem::take(&mut layers.locations)
            .into_iter()
            .partition(|location| trusted::is_trusted(&config, &location.dir, &env));
        layers.locations = listed;
        layers
            .left_out
            .extend(others.iter().map(|location: &LayerLocation| left_out(location, Code::Usage, "is not trusted")));
        // The directories themselves, not what a search would find now.
        if layers.locations.is_empty() {
            self.open_found(&found, &start, &config, SessionNeeds::LocalDay).map(Some)
        } else {
            self.open_layers(layers, &start, &config, SessionNeeds::LocalDay).map(Some)
        }
    }

    /// Opens a memory again that was opened with these layers.
    ///
    /// # Errors
    /// As [`OpenOptions::open_session`].
    pub(crate) fn open_with_layers(&self, layers: &LayerList) -> Result<Session, Rejection> {
        if layers.locations.is_empty() {
            return self.open_session(SessionNeeds::All);
        }
        let (config, warnings) = user::load_config(&env);
        let mut session = self.open_layers(layers.clone(), &self.start_dir()?, &config, SessionNeeds::All)?;
        session.policy.warnings.extend(warnings);
        Ok(session)
    }

    /// The directory in which the search starts.
    fn start_dir(&self) -> Result<PathBuf, Rejection> {
        let mut dir = working_dir()?;
        dir.extend(&self.start);
        Ok(dir)
    }

    /// The layers of the user config, if the memory was searched for and is one of them. A caller that names
    /// a memory or a scope means that one alone.
    fn layer_locations(&self, found: &FoundDirectory, config: &UserConfig, start: &Path) -> LayerList {
        let is_searched = !self.global && matches!(found.found_by, FoundBy::Ancestor | FoundBy::User);
        if config.layers.is_empty() || !is_searched || found.scope.is_some() {
            return LayerList::default();
        }
        let known = layers::known_locations(found, user::own_memory(config, &env, start), &env);
        let list = layers::layer_locations(&config.layers, &known);
        if list.locations.iter().any(|location| layers::is_same_dir(&location.dir, &found.dir())) {
            list
        } else {
            LayerList::default()
        }
    }

    /// Opens the layers: the nearest is the session's memory. One that cannot be opened is left out.
    fn open_layers(
        &self,
        list: LayerList,
        working_dir: &Path,
        config: &UserConfig,
        needs: SessionNeeds,
    ) -> Result<Session, Rejection> {
        let mut left_out_layers = list.left_out.clone();
        let mut opened: Vec<(&LayerLocation, Session)> = Vec::new();
        let mut first_error = None;
        let mut nearer_error = None;
        for location in &list.locations {
            let found_by = match location.name.as_str() {
                layers::PROJECT => FoundBy::Ancestor,
                layers::MINE => FoundBy::User,
                _ => FoundBy::Layer,
            };
            if !find::is_data_dir(&location.dir) {
                left_out_layers.push(left_out(location, Code::NoDataDir, "is no memory"));
                continue;
            }
            if let Some(entry) = layers::disguised_entry(&location.dir, &list.locations) {
                let shown = quote_short(&entry);
                let reason = format!("has {shown}, which reads like another layer; rename it");
                let error = left_out(location, Code::UnsafeFile, &reason);
                if opened.is_empty() {
                    nearer_error.get_or_insert(unreadable_nearer_layer(location, &error));
                }
                left_out_layers.push(error);
                continue;
            }
            let found = FoundDirectory::new(location.dir.clone(), found_by);
            match found.and_then(|found| self.open_found(&found, working_dir, config, needs)) {
                Ok(session) => opened.push((location, session)),
                Err(error) => {
                    let unreadable = left_out(location, error.code, &format!("cannot be read: {}", error.message));
                    if opened.is_empty() {
                        nearer_error.get_or_insert(unreadable_nearer_layer(location, &unreadable));
                    }
                    left_out_layers.push(unreadable);
                    first_error.get_or_insert(error);
                }
            }
        }
        let mut opened = opened.into_iter();
        let Some((nearest, mut session)) = opened.next() else {
            return Err(first_error.unwrap_or_else(|| Rejection::new(Code::NoDataDir, "no layer is a memory")));
        };
        let others = opened.map(|(location, session)| {
            let session = Session { layer_name: Some(location.name.clone()), ..session };
            Layer { name: location.name.clone(), session: session.into() }
        });
        session.layers = Some(Layers {
            own: nearest.name.clone(),
            others: others.collect(),
            left_out: left_out_layers,
            refuses_changes: nearer_error,
            listed: list.clone(),
        });
        let warnings = session.layer_warnings();
        session.policy.warnings.extend(warnings);
        Ok(session)
    }

    fn store_options(&self, config: &UserConfig) -> Result<StoreOptions, Rejection> {
        let mut options = StoreOptions {
            durability: self.durability.map_or_else(|| default_durability(config), Ok)?,
            allow_exchange: env("MEMDIR_NO_EXCHANGE").is_none_or(|set| set.is_empty()),
            ..StoreOptions::default()
        };
        if let Some(timeout) = self.lock_timeout.or_else(|| Duration::try_from_secs_f64(config.lock_timeout_s?).ok()) {
            options.lock_timeout = timeout;
        }
        Ok(options)
    }
}

fn embedding_access(settings: &EmbeddingSettings) -> EmbeddingAccess {
    EmbeddingAccess { settings: Arc::new(settings.clone()), env }
}

fn left_out(location: &LayerLocation, code: Code, reason: &str) -> LeftOutLayer {
    let reason = format!("the layer {} is left out: {} {reason}", location.name, location.dir.display());
    LeftOutLayer::new(Some(&location.name), code, reason)
}

/// The error of a change that names no layer where a nearer one than the session's memory cannot be read.
fn unreadable_nearer_layer(location: &LayerLocation, unreadable: &LeftOutLayer) -> Rejection {
    let message = format!("a change goes to the nearest layer, but {}", unreadable.reason);
    Rejection::new(unreadable.code, message).hint(format!(
        "fix {}, or name the layer that you mean in front of the address, as in mine:user",
        location.dir.display()
    ))
}

/// The durability from `MEMDIR_DURABILITY`, else from the user config, else `full`.
fn default_durability(config: &UserConfig) -> Result<Durability, Rejection> {
    match env("MEMDIR_DURABILITY").filter(|d| !d.is_empty()).or_else(|| config.durability.clone()).as_deref() {
        None | Some("full") => Ok(Durability::Full),
        Some("atomic") => Ok(Durability::Atomic),
        Some("fast") => Ok(Durability::Fast),
        Some(_) => Err(Rejection::new(Code::Usage, "MEMDIR_DURABILITY must be full, atomic or fast")
            .hint("see ENVIRONMENT in memdir(1)")),
    }
}
