//! `scope`: lists, adds and removes the scopes of a memory.
//!
//! Never deletes a scope unless asked to purge it, and never reads an archived one for anything but a count.

use schemars::JsonSchema;
use serde::Serialize;

use super::allowlist_filter::allowlist_rejection;
use super::forget::git_warning;
use super::results::WarningRow;
use super::scope_gate::{require_person_for_leftovers, require_person_for_scope};
use super::{CommandResult, Session};
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::document::{Document, MAX_FILE_BYTES};
use crate::operation::limits;
use crate::path::{MemoryPath, ScopeName};
use crate::store::scope_leftovers::{ScopeLeftovers, scope_without_policy};
use crate::store::scopes::{ScopeState, scope_not_found};
use crate::store::{Store, init};
use crate::text::counted_noun::counted_noun;
use crate::text::shell_quote::shell_quote;

/// What a new scope has as its policy.
const SCOPE_POLICY: &str = "\
# memdir.yaml: the policy of this scope. That of the parent memory applies; a key here can only make it
# stricter. `memdir scope` manages scopes.

version: 1
";

/// A scope, and how much it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ScopeRow {
    pub name: String,
    /// Files, without those of `archive/` and `inbox/`.
    pub files: usize,
    /// Top-level bullets of those files, without those of episodes.
    pub bullets: usize,
    /// Entries of episode files.
    pub entries: usize,
    /// The time of the last recorded change, RFC 3339; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
}

/// The scopes of a memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ScopeList {
    /// The scopes in use, sorted by name.
    pub scopes: Vec<ScopeRow>,
    /// Those that were removed and not purged, by name.
    pub archived: Vec<ScopeRow>,
    /// For a person: the names of scopes whose files git removed, and whose history is left on this machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leftovers: Vec<String>,
    /// For a person: the names of directories with files and the history of a scope, but without its `memdir.yaml`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_policy: Vec<String>,
}

/// What became of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ScopeAction {
    Added,
    /// It was there already.
    Kept,
    Restored,
    Archived,
    Purged,
}

/// The result of adding or removing a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ScopeChange {
    /// Always true: a failure is an error.
    pub success: bool,
    /// Whether anything was changed (with `dry_run`: would be).
    pub changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The name of the scope.
    pub scope: String,
    pub action: ScopeAction,
    /// The number of its items: bullets, and entries of episodes; of a scope whose files git removed, the files in its
    /// `inbox/`.
    pub items: usize,
    /// The number of items deleted for good, also those of its archive.
    #[serde(rename = "deletedCount", skip_serializing_if = "Option::is_none")]
    pub deleted_count: Option<usize>,
    /// Where texts of a purged scope may remain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRow>,
}

/// Which scope is added or removed, and how.
#[derive(Clone, Debug, Default)]
pub struct ScopeOptions {
    pub name: String,
    /// For a removal: delete the scope for good, and an archived one of that name.
    pub purge: bool,
    /// For an addition: restore the archived scope of that name.
    pub restore: bool,
    /// Report what would change, and change nothing.
    pub dry_run: bool,
}

/// Lists the scopes with their sizes. Also finishes interrupted purges.
///
/// # Errors
/// `scope_not_allowed` in a scope; `category_not_allowed` for a caller that does not see everything; `io`.
pub fn scope_list(session: &Session) -> CommandResult<ScopeList> {
    let store = managed_store(session)?;
    // On a directory that cannot be written, what a killed purge left stays until the next command.
    drop(store.finish_purges().and_then(|()| store.adopt_leftovers()));
    let rows = |state| -> Result<Vec<ScopeRow>, Rejection> {
        let mut rows = Vec::new();
        for name in store.scope_names(state)? {
            match readable_part(session, &store, state, &name)? {
                ReadablePart::Store(scope) => rows.push(scope_row(name, &scope)?),
                ReadablePart::Nothing => rows.push(ScopeRow { name, ..ScopeRow::default() }),
                // Removed meanwhile.
                ReadablePart::NoScope => {}
            }
        }
        Ok(rows)
    };
    let leftovers = leftover_scopes(session);
    let names_of = |all: &[ScopeLeftovers], has_files: bool| {
        all.iter().filter(|one| one.has_files == has_files).map(|one| one.name.to_string()).collect()
    };
    Ok(ScopeList {
        scopes: rows(ScopeState::Live)?,
        archived: rows(ScopeState::Archived)?,
        leftovers: names_of(&leftovers, false),
        without_policy: names_of(&leftovers, true),
    })
}

/// The scopes whose history, with the texts that `undo` needs, is left on this machine, but no `memdir.yaml`. None for an
/// agent, which may not delete it, in a scope, and where the names cannot be read.
fn leftover_scopes(session: &Session) -> Vec<ScopeLeftovers> {
    if session.is_agent || session.visibility().is_some() || session.scope.is_some() {
        Vec::new()
    } else {
        session.store.scope_leftovers().unwrap_or_default()
    }
}

/// A sentence for each of [`leftover_scopes`], with what to do about it.
pub(super) fn leftover_notes(session: &Session) -> Vec<String> {
    let note = |one: &ScopeLeftovers| {
        if one.has_files { without_policy_note(one.name.as_str()) } else { leftover_note(one.name.as_str()) }
    };
    leftover_scopes(session).iter().map(note).collect()
}

/// The sentence about a scope whose files git removed.
pub fn leftover_note(name: &str) -> String {
    format!(
        "git removed the files of the scope '{name}', and its history is left on this machine; unless another branch \
         has them, `memdir scope rm {} --purge` deletes it for good",
        shell_quote(name)
    )
}

/// The sentence about a scope that has files, but no `memdir.yaml`.
pub fn without_policy_note(name: &str) -> String {
    format!(
        "the scope '{name}' has files, but no memdir.yaml that makes it one: bring its memdir.yaml back with git, or \
         make an empty one beside the files"
    )
}

/// The scope that a change names, and which of that name there are.
struct NamedScope {
    name: ScopeName,
    store: Store,
    is_live: bool,
    is_archived: bool,
}

/// Finds the scope that a change names, after what interrupted changes of scopes left is completed.
///
/// # Errors
/// `invalid_path` for another name; errors of [`Session::may_write`] and of the store.
fn find_scope(session: &Session, options: &ScopeOptions) -> CommandResult<NamedScope> {
    let (name, store) = (ScopeName::existing(&options.name)?, managed_store(session)?);
    session.may_write()?;
    if !options.dry_run {
        store.finish_purges()?;
        store.adopt_leftovers()?;
    }
    let is_live = store.open_scope(ScopeState::Live, name.as_str())?.is_some();
    let is_archived = store.open_scope(ScopeState::Archived, name.as_str())?.is_some();
    if !is_live && !is_archived && store.leftovers_of(&name)?.is_none() {
        ScopeName::new(name.as_str())?;
    }
    Ok(NamedScope { name, store, is_live, is_archived })
}

/// Creates a scope, or takes an archived one back.
///
/// # Errors
/// `invalid_path` for another name; `exists` if an archived scope has it, unless it is to be restored, or if the history
/// of an earlier scope is left;
/// `scope_not_found` if there is none to restore; as [`scope_list`].
pub fn scope_add(session: &Session, options: &ScopeOptions) -> CommandResult<ScopeChange> {
    let NamedScope { name, store, is_live, is_archived } = find_scope(session, options)?;
    let items = |state| item_count(session, &store, state, &name);
    let change = |action, items| ScopeChange {
        success: true,
        changed: action != ScopeAction::Kept,
        dry_run: options.dry_run,
        scope: name.to_string(),
        action,
        items,
        deleted_count: None,
        warnings: Vec::new(),
    };
    match (is_live, is_archived, options.restore) {
        (true, _, true) => Err(Rejection::new(Code::Exists, format!("the scope '{name}' exists")).into()),
        (true, _, false) => Ok(change(ScopeAction::Kept, items(ScopeState::Live)?)),
        (false, true, true) => {
            require_person_for_scope(session, &name, ScopeState::Archived)?;
            let items = items(ScopeState::Archived)?;
            if !options.dry_run {
                store.move_scope(&name, ScopeState::Archived, ScopeState::Live)?;
            }
            Ok(change(ScopeAction::Restored, items))
        }
        (false, false, true) => {
            Err(Rejection::new(Code::ScopeNotFound, format!("there is no archived scope '{name}' to restore"))
                .try_command(SuggestedCommand { subcommand: vec!["scope", "add"], operands: vec![name.to_string()] })
                .into())
        }
        (false, true, false) => Err(archived_rejection(&name, items(ScopeState::Archived)?).into()),
        (false, false, false) => {
            if let Some(leftovers) = store.leftovers_of(&name)? {
                return Err(leftovers_rejection(&leftovers).into());
            }
            if !options.dry_run {
                create_scope(&store, &name)?;
            }
            Ok(change(ScopeAction::Added, 0))
        }
    }
}

/// Moves a scope to the archive, or deletes it for good.
///
/// # Errors
/// `scope_not_found`; `exists` if the archive has one of that name; `review`, `consent` or `category_not_allowed` for
/// an agent that may not remove what the scope holds; as [`scope_list`].
pub fn scope_remove(session: &Session, options: &ScopeOptions) -> CommandResult<ScopeChange> {
    let NamedScope { name, store, is_live, is_archived } = find_scope(session, options)?;
    let items_of = |state| item_count(session, &store, state, &name);
    let change = |action, items, deleted_count| ScopeChange {
        success: true,
        changed: true,
        dry_run: options.dry_run,
        scope: name.to_string(),
        action,
        items,
        deleted_count,
        warnings: if options.purge {
            git_warning(session, "what was in the scope").iter().map(WarningRow::from).collect()
        } else {
            Vec::new()
        },
    };
    require_person_for_scope(session, &name, ScopeState::Live)?;
    if options.purge {
        require_person_for_scope(session, &name, ScopeState::Archived)?;
        let states = [(ScopeState::Live, is_live), (ScopeState::Archived, is_archived)];
        let found: Vec<ScopeState> = states.into_iter().filter_map(|(state, exists)| exists.then_some(state)).collect();
        if found.is_empty() {
            let leftovers = store.leftovers_of(&name)?.ok_or_else(|| scope_not_found(name.as_str()))?;
            require_person_for_leftovers(session, &name)?;
            if leftovers.has_files {
                return Err(scope_without_policy(&name).into());
            }
            let in_inbox =
                if options.dry_run { leftovers.in_inbox } else { store.purge_scope_leftovers(&name)?.in_inbox };
            return Ok(change(ScopeAction::Purged, in_inbox, Some(in_inbox)));
        }
        let items = purge_scopes(session, &store, &name, &found, options.dry_run)?;
        return Ok(change(ScopeAction::Purged, items, Some(items)));
    }
    match (is_live, is_archived) {
        (true, false) => {
            let items = items_of(ScopeState::Live)?;
            if !options.dry_run {
                store.move_scope(&name, ScopeState::Live, ScopeState::Archived)?;
            }
            Ok(change(ScopeAction::Archived, items, None))
        }
        (true, true) => Err(archived_rejection(&name, items_of(ScopeState::Archived)?).into()),
        (false, true) => {
            let items = items_of(ScopeState::Archived)?;
            let reason = format!("the scope '{name}' is archived already, with {}", counted_noun(items, "item"));
            Err(Rejection::new(Code::ScopeNotFound, reason)
                .try_command(SuggestedCommand {
                    subcommand: vec!["scope", "rm", "--purge"],
                    operands: vec![name.to_string()],
                })
                .into())
        }
        (false, false) => Err(match store.leftovers_of(&name)?.filter(|_| !session.is_agent) {
            None => scope_not_found(name.as_str()),
            Some(leftovers) => Rejection { code: Code::ScopeNotFound, ..leftovers_rejection(&leftovers) },
        }
        .into()),
    }
}

/// Deletes the scopes of a name for good; returns how many items they had.
fn purge_scopes(
    session: &Session,
    memory: &Store,
    name: &ScopeName,
    states: &[ScopeState],
    dry_run: bool,
) -> Result<usize, Rejection> {
    let mut items = 0;
    for (n, state) in states.iter().enumerate() {
        let in_scope = item_count(session, memory, *state, name)?;
        if !dry_run {
            memory
                .purge_scope(name, *state)
                .map_err(|error| Rejection { changed: if n > 0 { Some(true) } else { error.changed }, ..error })?;
        }
        items += in_scope;
    }
    if !dry_run {
        note_purged(session, name.as_str());
    }
    Ok(items)
}

/// The note of purged scopes, one name a line: for `sync`, which refuses to commit that files vanished without memdir.
const PURGED_NOTE: &str = "purged-scopes";

/// Adds a name to the note. Without it `sync` asks for --force, and nothing else is lost.
fn note_purged(session: &Session, name: &str) {
    let mut names = purged_scopes(session);
    names.retain(|known| known != name);
    names.push(name.to_owned());
    drop(session.store.write_note_unlocked(PURGED_NOTE, &names.join("\n")));
}

/// Takes names out of the note, once a commit has what was purged.
pub(super) fn forget_purged(session: &Session, committed: &[String]) {
    if committed.is_empty() {
        return;
    }
    let mut names = purged_scopes(session);
    names.retain(|known| !committed.contains(known));
    drop(session.store.write_note_unlocked(PURGED_NOTE, &names.join("\n")));
}

/// The names of scopes that were purged on this machine, and that no commit of a sync lacks yet.
pub(super) fn purged_scopes(session: &Session) -> Vec<String> {
    session.store.read_note(PURGED_NOTE).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// The unfiltered store of a session that may manage scopes.
fn managed_store(session: &Session) -> Result<Store, Rejection> {
    session.require_no_scope()?;
    match session.visibility() {
        None => Ok(session.store.unfiltered()),
        Some(_) => Err(allowlist_rejection()),
    }
}

/// What a caller may read of a scope.
enum ReadablePart {
    /// The scope's store, with the filter of its policy for the caller.
    Store(Store),
    /// The caller is an agent, and no sound policy says what it may read.
    Nothing,
    NoScope,
}

/// What the caller may read of a scope: no number of this command counts anything else.
fn readable_part(session: &Session, memory: &Store, state: ScopeState, name: &str) -> Result<ReadablePart, Rejection> {
    match session.session_of_scope(name, state) {
        Ok(None) => Ok(ReadablePart::NoScope),
        Ok(Some(scope)) if scope.policy.read_refusal(session.is_agent).is_none() => {
            Ok(ReadablePart::Store(scope.store))
        }
        Err(error) if error.code != Code::InvalidPolicy => Err(error),
        Ok(Some(_)) | Err(_) if session.is_agent => Ok(ReadablePart::Nothing),
        // A person can open the files, and may want to remove the scope.
        Ok(Some(_)) | Err(_) => Ok(memory.open_scope(state, name)?.map_or(ReadablePart::NoScope, ReadablePart::Store)),
    }
}

/// The error where an archived scope has the name.
fn archived_rejection(name: &ScopeName, items: usize) -> Rejection {
    let try_with = |subcommand| SuggestedCommand { subcommand, operands: vec![name.to_string()] };
    Rejection::new(Code::Exists, format!("an archived scope '{name}' exists, with {}", counted_noun(items, "item")))
        .hint("bring it back with --restore, or delete it for good with `rm --purge`")
        .try_command(try_with(vec!["scope", "add", "--restore"]))
        .try_command(try_with(vec!["scope", "rm", "--purge"]))
        .detail("items", items)
}

/// The error where the history of an earlier scope has the name.
fn leftovers_rejection(leftovers: &ScopeLeftovers) -> Rejection {
    let name = &leftovers.name;
    if leftovers.has_files {
        return Rejection { code: Code::Exists, ..scope_without_policy(name) };
    }
    let reason = format!("the history of an earlier scope '{name}' is left, whose files git removed");
    let quoted = shell_quote(name.as_str());
    let hint = format!("bring its files back with git, or delete it for good with `scope rm --purge {quoted}`");
    Rejection::new(Code::Exists, reason).hint(hint)
}

/// Creates what a scope consists of. A killed run is finished by the next: every step leaves what is there.
fn create_scope(store: &Store, name: &ScopeName) -> Result<(), Rejection> {
    let scope = store.create_scope_folder(name)?;
    let changed = |error: Rejection| Rejection { changed: Some(true), ..error };
    scope.create_file(init::GITIGNORE_FILE, init::GITIGNORE_TEXT.as_bytes()).map_err(changed)?;
    // Last: it makes the directory a memory.
    scope.create_file(init::POLICY_FILE, SCOPE_POLICY.as_bytes()).map_err(changed)?;
    Ok(())
}

fn scope_row(name: String, scope: &Store) -> Result<ScopeRow, Rejection> {
    let counted = count_files(scope, &|path| !path.is_set_aside())?;
    Ok(ScopeRow {
        name,
        files: counted.len(),
        bullets: counted.iter().map(|count| count.bullets).sum(),
        entries: counted.iter().map(|count| count.entries).sum(),
        changed: scope.recent_entries()?.pop().map(|entry| entry.header.at),
    })
}

/// The number of items of a scope that the caller may read, archived ones included. Proposals do not count.
fn item_count(session: &Session, memory: &Store, state: ScopeState, name: &ScopeName) -> Result<usize, Rejection> {
    let ReadablePart::Store(scope) = readable_part(session, memory, state, name.as_str())? else { return Ok(0) };
    let counted = count_files(&scope, &|path| !path.is_in_inbox())?;
    Ok(counted.iter().map(|count| count.bullets + count.entries).sum())
}

/// The items of one file.
#[derive(Clone, Copy, Default)]
struct FileItems {
    bullets: usize,
    entries: usize,
}

fn count_files(scope: &Store, counts: &dyn Fn(&MemoryPath) -> bool) -> Result<Vec<FileItems>, Rejection> {
    let mut files = scope.walk(None)?;
    files.retain(|file| counts(&file.path));
    Ok(scope.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        let Some(document) = read.ok().and_then(|(bytes, _)| Document::from_bytes(bytes.to_vec()).ok()) else {
            return FileItems::default();
        };
        let size = limits::section_size(&document, 0);
        // The bullets of an entry are parts of it. An archived file keeps its path below `archive/`.
        let path = file.path.as_str();
        let below_archive = path.strip_prefix("archive/").and_then(|path| MemoryPath::from_disk_name(path).ok());
        if below_archive.as_ref().unwrap_or(&file.path).holds_episodes() && size.entries > 0 {
            FileItems { bullets: 0, entries: size.entries }
        } else {
            FileItems { bullets: size.bullets, entries: 0 }
        }
    }))
}
