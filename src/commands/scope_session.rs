//! Opens a scope of a memory: its store below that of the memory, its policy below the memory's, and the shared scopes.
//!
//! Never opens a scope without the policy above it, and never lets a session in a scope open another that is not
//! shared.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::allowlist_filter::AllowlistFilter;
use super::layers::Sources;
use crate::code::{Code, Rejection, Warning};
use crate::host::find::scope_not_allowed;
use crate::path::{PathPrefixes, SCOPES_FOLDER, ScopeName, SourceAddress};
use crate::policy::{LoadedPolicy, Policy};
use crate::store::scopes::{ScopeState, scope_not_found};
use crate::store::{Store, init};
use crate::text::shell_quote::shell_quote;

/// The largest policy, in bytes.
const MAX_POLICY_BYTES: u64 = 64 << 10;

/// The scope that a session is in, and what of its parent memory reaches into it.
#[derive(Clone)]
pub struct OpenScope {
    pub name: String,
    /// The parent memory, unfiltered: only for opening shared scopes.
    memory: Arc<Store>,
    policy_above: Policy,
}

/// Why a scope is left out of an answer about several.
pub(super) fn left_out_note(error: &Rejection) -> String {
    format!("left out: {}", error.message)
}

/// Reads the policy of a memory that is no scope.
pub fn read_policy(store: &Store) -> LoadedPolicy {
    match store.read_top_file(init::POLICY_FILE, MAX_POLICY_BYTES) {
        Ok(text) => crate::policy::load(&text.unwrap_or_default()),
        Err(error) => unreadable_policy(&error),
    }
}

/// The policy to use if `memdir.yaml` cannot be read: it may restrict what agents see, so reads are refused as well as
/// writes.
fn unreadable_policy(error: &Rejection) -> LoadedPolicy {
    let message = match error.message.strip_prefix("memdir.yaml cannot be read") {
        Some(_) => error.message.clone(),
        None => format!("memdir.yaml cannot be read: {}", error.message),
    };
    let rejection = Rejection::new(Code::InvalidPolicy, message)
        .hint("fix the file: it may restrict what agents see, so nothing can be read or written until then");
    LoadedPolicy {
        policy: Policy::default(),
        warnings: vec![Warning::new(rejection.code, rejection.message.clone())],
        refuses_writes: Some(rejection.clone()),
        refuses_reads: Some(rejection),
        refuses_agent_reads: None,
    }
}

/// A scope's store, its policy and where it is.
pub struct ScopeParts {
    pub store: Store,
    pub policy: LoadedPolicy,
    pub scope: OpenScope,
}

/// Opens a scope of the memory that a store holds.
///
/// # Errors
/// `scope_not_found`; `invalid_policy` if the memory has no policy or one with an error: it governs its scopes; also if
/// the scope's own policy cannot be read and may have allowlists, for an agent also if it is no YAML; `unsafe_file`,
/// `io`.
pub fn open_scope(memory: &Store, name: &str, is_agent: bool) -> Result<ScopeParts, Rejection> {
    let not_found = || {
        let rejection = scope_not_found(name);
        let Ok(shown) = ScopeName::new(name) else { return rejection };
        match memory.open_scope(ScopeState::Archived, name) {
            Ok(Some(_)) => {
                rejection.hint(format!("it is archived; `memdir scope add --restore {shown}` brings it back"))
            }
            _ => rejection.hint(format!("`memdir scope add {shown}` makes one, `memdir scope` lists those there are")),
        }
    };
    let parts = open_scope_in(memory, ScopeState::Live, name)?.ok_or_else(not_found)?;
    match parts.policy.read_refusal(is_agent) {
        None => Ok(parts),
        Some(error) => Err(Rejection { message: format!("the scope '{name}': {}", error.message), ..error.clone() }),
    }
}

/// Opens a scope that is live or archived; `None` if there is none.
///
/// # Errors
/// As [`open_scope`].
fn open_scope_in(memory: &Store, state: ScopeState, name: &str) -> Result<Option<ScopeParts>, Rejection> {
    let Some(store) = memory.open_scope(state, name)? else { return Ok(None) };
    let policy_above = governing_policy(memory)?;
    let text = store.read_top_file(init::POLICY_FILE, MAX_POLICY_BYTES);
    let policy = match text {
        Ok(text) => crate::policy::load_scope(&text.unwrap_or_default(), &policy_above, name),
        Err(error) => unreadable_policy(&error),
    };
    let scope = OpenScope { name: name.to_owned(), memory: Arc::new(memory.unfiltered()), policy_above };
    Ok(Some(ScopeParts { store, policy, scope }))
}

/// The policy of the parent memory of a scope. Without one that is whole, nothing says what the scope may do.
fn governing_policy(memory: &Store) -> Result<Policy, Rejection> {
    let governs = "the policy of the parent memory governs this scope";
    let Some(text) = memory.read_top_file(init::POLICY_FILE, MAX_POLICY_BYTES)? else {
        return Err(Rejection::new(Code::InvalidPolicy, format!("{governs}, and it has no memdir.yaml"))
            .hint("create one with `memdir init` in the parent memory"));
    };
    let loaded = crate::policy::load(&text);
    match loaded.refuses_writes {
        None => Ok(loaded.policy),
        Some(error) => Err(Rejection::new(Code::InvalidPolicy, format!("{governs}: {}", error.message))
            .hint("fix memdir.yaml of the parent memory; until then its scopes are closed")),
    }
}

impl Session {
    /// Refuses what a session in a scope must not do: manage scopes, or look into others.
    ///
    /// # Errors
    /// `scope_not_allowed`.
    pub fn require_no_scope(&self) -> Result<(), Rejection> {
        self.scope.as_ref().map_or(Ok(()), |scope| Err(scope_not_allowed(&scope.name)))
    }

    /// The directory of the memory whose policy governs this session: of a scope the one above it.
    pub(super) fn governing_dir(&self) -> &Path {
        let above = self.scope.as_ref().and_then(|_| self.dir.parent()?.parent());
        above.unwrap_or(&self.dir)
    }

    /// Refuses files of the parent memory of a scope, or of its other scopes, that a command line names by their paths.
    ///
    /// # Errors
    /// `scope_not_allowed`.
    pub(super) fn require_outside(&self, files: &[PathBuf]) -> Result<(), Rejection> {
        let Some(here) = &self.scope else { return Ok(()) };
        let (Ok(above), Ok(own)) = (self.governing_dir().canonicalize(), self.dir.canonicalize()) else {
            return Ok(());
        };
        let is_foreign =
            |path: &PathBuf| path.canonicalize().is_ok_and(|real| real.starts_with(&above) && !real.starts_with(&own));
        if files.iter().any(is_foreign) { Err(scope_not_allowed(&here.name)) } else { Ok(()) }
    }

    /// The session of a scope, with this caller and this time. Of a session in a scope only that scope itself.
    ///
    /// # Errors
    /// `scope_not_allowed`; as [`open_scope`].
    pub(super) fn session_in_scope(&self, name: &str) -> Result<Session, Rejection> {
        match &self.scope {
            Some(here) if here.name == name => Ok(self.clone_session()),
            Some(here) => Err(scope_not_allowed(&here.name)),
            None => Ok(self.session_with(open_scope(&self.store.unfiltered(), name, self.is_agent)?)),
        }
    }

    /// The session of this caller in a scope that may be archived; `None` if there is none of that name.
    ///
    /// # Errors
    /// As [`open_scope`].
    pub(super) fn session_of_scope(&self, name: &str, state: ScopeState) -> Result<Option<Session>, Rejection> {
        let parts = open_scope_in(&self.store.unfiltered(), state, name)?;
        Ok(parts.map(|parts| self.session_with(parts)))
    }

    /// The scopes that this one may read although they are others, by name. One that does not exist is left out, and so
    /// is this one; one whose policy cannot be read is left out with a note.
    ///
    /// # Errors
    /// As [`open_scope`].
    pub(super) fn shared_scopes(&self) -> Result<Sources, Rejection> {
        let Some(here) = &self.scope else { return Ok(Sources::default()) };
        let others = here.policy_above.shared.iter().filter(|name| **name != here.name);
        let mut shared = Sources::default();
        for name in others {
            match open_scope(&here.memory, name, self.is_agent) {
                Ok(parts) => shared.sessions.push((name.clone(), Arc::new(self.session_with(parts)))),
                Err(error) if error.code == Code::ScopeNotFound => {}
                Err(error) if error.code == Code::InvalidPolicy => shared.left_out.push(left_out_note(&error)),
                Err(error) => return Err(error),
            }
        }
        Ok(shared)
    }

    /// The shared scope of this name.
    ///
    /// # Errors
    /// As [`open_scope`].
    pub(super) fn shared_scope(&self, name: &str) -> Result<Option<Session>, Rejection> {
        let Some(here) = &self.scope else { return Ok(None) };
        if here.name != name && here.policy_above.shared.iter().any(|shared| shared == name) {
            Ok(Some(self.session_with(open_scope(&here.memory, name, self.is_agent)?)))
        } else {
            Ok(None)
        }
    }

    /// Refuses an address in a shared scope. From here such a scope is only read: nothing changes it, and its history,
    /// limits and findings are its own.
    ///
    /// # Errors
    /// `scope_not_allowed`; as [`open_scope`].
    pub(super) fn require_own_scope(&self, address: &str) -> Result<(), Rejection> {
        let named = self.scope.as_ref().and_then(|_| SourceAddress::parse_shared(address));
        let Some(SourceAddress { source, .. }) = named else { return Ok(()) };
        match self.shared_scope(source)? {
            None => Ok(()),
            Some(_) => {
                let reason = format!("the scope '{source}' is shared: from here it can be read, and nothing else");
                Err(Rejection::new(Code::ScopeNotAllowed, reason).hint(format!(
                    "`list`, `read`, `query` and `context` show it; the rest is done in it, with -S {}",
                    shell_quote(source)
                )))
            }
        }
    }

    /// A session of the same caller in a scope, which shares nothing with others.
    fn session_with(&self, parts: ScopeParts) -> Session {
        let dir = match &self.scope {
            Some(_) => self.dir.with_file_name(&parts.scope.name),
            None => self.dir.join(SCOPES_FOLDER).join(&parts.scope.name),
        };
        Session {
            store: parts.store,
            dir,
            prefixes: PathPrefixes::default(),
            policy: parts.policy,
            scope: Some(parts.scope),
            layers: None,
            layer_name: None,
            ..self.clone_session()
        }
        .with_allowlist()
    }

    /// The same session, with the same filter.
    pub(super) fn clone_session(&self) -> Session {
        let unfiltered = self.unfiltered();
        let store = match self.visibility() {
            Some(visibility) => unfiltered.store.filtered(Arc::new(AllowlistFilter::new(visibility))),
            None => self.store.unfiltered(),
        };
        Session { store, ..unfiltered }
    }
}
