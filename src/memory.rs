//! The library's front: `Memory` has a method for each command, with typed results and one error type.
//!
//! Never has rules of its own: every method opens a session, as the command line does, and calls one function of
//! `commands`.

use std::path::Path;
use std::str::FromStr;

use crate::code::Rejection;
use crate::commands::compact::CompactOptions;
use crate::commands::merge::MergeInput;
use crate::commands::model::OpenModel;
use crate::commands::reflect::ReflectOptions;
use crate::commands::results::{
    ChangeOutcome, ChangeResult, CheckReport, CompactOutcome, ContextResult, EtagResult, InitResult, ListResult,
    MergeResult, ModelCheck, Outline, PathResult, ReflectReport, ResolveResult, SetupResult, StatusReport, SyncResult,
};
use crate::commands::setup::SetupMode;
use crate::commands::sync::SyncOptions;
use crate::commands::usage::ResultUse;
use crate::commands::{
    self, ChangeOptions, CheckOptions, ContextRequest, Error, InitOptions, ListOptions, ProgressNotes, ReaderMark,
    Session, UndoOptions, WatchedState,
};
use crate::host::find::FoundBy;
use crate::host::layers::LayerList;
use crate::host::models::ModelQuery;
use crate::llm::Model;
use crate::operation::conflict_regions::ConflictChoice;
use crate::operation::{Action, Batch, Target, dialects};
use crate::view::query::filter::QueryOptions;

mod checkpoints;
mod history;
mod import;
mod inbox;
mod maintenance;
mod open;
mod retrieval;
mod scopes;
mod tool;

pub use open::{OpenOptions, SessionNeeds, check_variables, env, working_dir};

/// Opens the model that the query, the environment and the user config select.
///
/// # Errors
/// `no_model`, `usage`; the errors of the host if its list of models had to be fetched.
pub fn open_model(query: &ModelQuery) -> Result<OpenModel, Rejection> {
    commands::model::open_model(query, &env)
}

/// Sends a short request to the configured model, and reports what answered.
///
/// # Errors
/// As [`open_model`]; `model`, `model_refused`.
pub fn check_model(query: &ModelQuery) -> Result<ModelCheck, Error> {
    commands::model::check_model(query, &env)
}

/// An opened memory.
///
/// It holds no lock and no open file: every method reads the files as they are then, so other processes and editors
/// may change them at any time. A caller that the policy's allowlists restrict sees only its categories.
#[derive(Clone, Debug)]
pub struct Memory {
    /// With the directory and the caller that were found.
    options: OpenOptions,
    /// The layers that were found, to be opened again.
    layers: LayerList,
    found_by: FoundBy,
    /// Found once, when the memory is opened: a name that is passed on counts as given.
    is_agent: bool,
    /// Whether the user config has `find.embeddings`.
    has_embeddings: bool,
    progress: ProgressNotes,
}

impl Memory {
    /// Opens a memory. Creates no file.
    ///
    /// # Errors
    /// `no_data_dir`, `usage` for an invalid setting, `invalid_policy`, `io`.
    pub fn open(options: OpenOptions) -> Result<Memory, Error> {
        let session = options.open_session(SessionNeeds::All)?;
        let layers = session.layers.as_ref().map(|layers| layers.listed.clone()).unwrap_or_default();
        let (dir, actor) = (Some(session.dir), Some(session.actor));
        let (found_by, is_agent, has_embeddings) = (session.found_by, session.is_agent, session.embeddings.is_some());
        let progress = ProgressNotes::default();
        Ok(Memory {
            options: OpenOptions { dir, actor, ..options },
            layers,
            found_by,
            is_agent,
            has_embeddings,
            progress,
        })
    }

    /// The same memory, whose commands note in `progress` what they are doing.
    pub(crate) fn with_progress(&self, progress: &ProgressNotes) -> Memory {
        Memory { progress: progress.clone(), ..self.clone() }
    }

    /// Creates a data directory, or adopts a directory that already holds markdown.
    ///
    /// # Errors
    /// `exists` for a directory that already contains markdown (without `adopt`), `io`, `read_only`.
    pub fn init(dir: &Path, options: &InitOptions) -> Result<InitResult, Error> {
        commands::init(dir, options)
    }

    /// The name of the caller.
    pub fn actor(&self) -> &str {
        self.options.actor.as_deref().unwrap_or_default()
    }

    fn session(&self) -> Result<Session, Error> {
        let session = self.options.open_with_layers(&self.layers)?;
        let progress = self.progress.clone();
        progress.set_warnings(&session.policy.warnings);
        Ok(Session { found_by: self.found_by, is_agent: self.is_agent, progress, ..session })
    }

    /// The state of the memory, and warnings about its policy.
    ///
    /// # Errors
    /// `io`.
    pub fn status(&self) -> Result<StatusReport, Error> {
        commands::status(&self.session()?)
    }

    /// The files, or the outline of a file or section with what links to it.
    ///
    /// # Errors
    /// `file_not_found`, `section_not_found`, `invalid_path`.
    pub fn list(&self, address: Option<&str>) -> Result<ListResult, Error> {
        commands::list(&self.session()?, address)
    }

    /// The outline of a file or section, without what links to it; reads no other file.
    ///
    /// # Errors
    /// As [`Memory::list`].
    pub fn outline(&self, address: &str) -> Result<Outline, Error> {
        commands::outline(&self.session()?, address)
    }

    /// All bullets of a file or section, with index and handle.
    ///
    /// # Errors
    /// As [`Memory::list`].
    pub fn bullets(&self, address: &str) -> Result<Outline, Error> {
        commands::list_bullets(&self.session()?, address, ListOptions::default())
    }

    /// The etag of a file or section, to prove with `seen` or `if_match` which text a change is meant for.
    ///
    /// # Errors
    /// As [`Memory::read`].
    pub fn etag(&self, address: &str) -> Result<EtagResult, Error> {
        commands::etag(&self.session()?, address)
    }

    /// What a watcher compares: the visible files, and the etags of some files or sections.
    ///
    /// # Errors
    /// `io`.
    pub(crate) fn watched_state(&self, addresses: &[String]) -> Result<WatchedState, Error> {
        commands::watched_state(&self.session()?, addresses)
    }

    /// The absolute path of the data directory and, with an address, of a file.
    ///
    /// # Errors
    /// As [`Memory::list`].
    pub fn path_of(&self, address: Option<&str>) -> Result<PathResult, Error> {
        commands::path_of(&self.session()?, address)
    }

    /// What an agent should see when a session starts, and the mark to pass to [`Memory::mark_read`] once it was shown;
    /// `None` without a reader.
    ///
    /// # Errors
    /// `usage` for a budget that is too small; `io`.
    pub fn context(&self, request: &ContextRequest) -> Result<(ContextResult, Option<ReaderMark>), Error> {
        let session = self.session()?;
        let (context, mark) = commands::context(&session, request)?;
        ResultUse::of_context(&context).record(&session);
        Ok((context, mark))
    }

    /// Records what a reader has seen: its next context reports only what changed since.
    ///
    /// # Errors
    /// Those of opening the memory; a mark that cannot be written is ignored, and the next context repeats these updates.
    pub fn mark_read(&self, mark: &ReaderMark) -> Result<(), Error> {
        mark.save(&self.session()?.store);
        Ok(())
    }

    /// Adds a bullet at the end of a file or section.
    ///
    /// # Errors
    /// As [`Memory::change`].
    pub fn add(&self, at: &str, text: &str) -> Result<ChangeResult, Error> {
        self.change_one(Action::add(Target::address(at), text))
    }

    /// Replaces the text of a bullet (`user@t7an`).
    ///
    /// # Errors
    /// As [`Memory::change`].
    pub fn update(&self, bullet: &str, text: &str) -> Result<ChangeResult, Error> {
        self.change_one(Action::update(Target::address(bullet), text))
    }

    /// Removes a bullet, section or file.
    ///
    /// # Errors
    /// As [`Memory::change`].
    pub fn remove(&self, at: &str) -> Result<ChangeResult, Error> {
        self.change_one(Action::remove(Target::address(at)))
    }

    /// Moves a bullet, section or file (and the links to it) to another file or section.
    ///
    /// # Errors
    /// As [`Memory::change`].
    pub fn move_to(&self, at: &str, destination: &str) -> Result<ChangeResult, Error> {
        self.change_one(Action::move_to(Target::address(at), destination))
    }

    /// Sets a bullet's metadata, a section's title or id, or a file's summary; an empty value removes the key.
    ///
    /// # Errors
    /// As [`Memory::change`].
    pub fn set(&self, at: &str, pairs: &[(&str, &str)]) -> Result<ChangeResult, Error> {
        self.change_one(Action::set(Target::address(at), pairs))
    }

    /// Replaces texts of a file, each of which occurs exactly once in it.
    ///
    /// # Errors
    /// As [`Memory::change`].
    pub fn patch(&self, file: &str, pairs: &[(&str, &str)]) -> Result<ChangeResult, Error> {
        self.change_one(Action::patch(Target::address(file), pairs))
    }

    /// Creates a file, or replaces the version of it that has this etag ([`Memory::etag`]).
    ///
    /// # Errors
    /// As [`Memory::change`]; `needs_proof` without the etag, `conflict` if the file has another one now.
    pub fn write(&self, file: &str, text: &str, if_match: Option<&str>) -> Result<ChangeResult, Error> {
        let if_match = if_match.map(str::to_owned);
        self.change_action(
            Action::write(Target::address(file), text),
            &ChangeOptions { if_match, ..ChangeOptions::default() },
        )
    }

    /// Appends an entry, or a block of markdown, to a file; without one, to the current episode file.
    ///
    /// # Errors
    /// As [`Memory::change`].
    pub fn append(&self, at: Option<&str>, title: Option<&str>, text: &str) -> Result<ChangeResult, Error> {
        self.change_one(Action::append(at.map(Target::address), title, text))
    }

    fn change_one(&self, action: Action) -> Result<ChangeResult, Error> {
        self.change_action(action, &ChangeOptions::default())
    }

    fn change_action(&self, action: Action, options: &ChangeOptions) -> Result<ChangeResult, Error> {
        match self.change(Batch::from_iter([action]), options)? {
            ChangeOutcome::Changed(change) => Ok(change),
            // A batch without a request id repeats nothing.
            ChangeOutcome::Repeated(first) => {
                Ok(ChangeResult { rev: first.rev().map(str::to_owned), ..ChangeResult::default() })
            }
        }
    }

    /// Makes a batch of operations as one revision: all of them or none.
    ///
    /// # Errors
    /// One rejection for each operation that cannot be made; nothing was changed unless [`Error::changed`] says so.
    pub fn change(&self, batch: Batch, options: &ChangeOptions) -> Result<ChangeOutcome, Error> {
        commands::change(&self.session()?, batch, options)
    }

    /// As [`Memory::change`]; where the batch pushes a file or section over a limit with `on_limit: compact`, the model
    /// decides what to remove, in the same revision. Without a model, the oldest items go to the archive.
    ///
    /// # Errors
    /// As [`Memory::change`]; `limit_reached` if everything is pinned.
    pub fn change_within_limits(
        &self,
        batch: Batch,
        options: &ChangeOptions,
        model: Option<&dyn Model>,
    ) -> Result<ChangeOutcome, Error> {
        commands::compact::change_with(&self.session()?, batch, options, model)
    }

    /// As [`Memory::change`], with the operations as JSON (`memdir schema operation`), or in a dialect of other tools.
    ///
    /// # Errors
    /// `invalid_operation`; as [`Memory::change`].
    pub fn apply(&self, operations: &str, options: &ChangeOptions) -> Result<ChangeOutcome, Error> {
        self.change(operations.parse()?, options)
    }

    /// Undoes a revision; merges files that were changed since.
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `conflict` if the same lines were changed since, `category_not_allowed`.
    pub fn undo(&self, revision: &UndoOptions, options: &ChangeOptions) -> Result<ChangeResult, Error> {
        commands::undo(&self.session()?, revision, options)
    }

    /// Applies a revision again that was undone, or whose changes an editor overwrote.
    ///
    /// # Errors
    /// As [`Memory::undo`].
    pub fn redo(&self, revision: Option<&str>, options: &ChangeOptions) -> Result<ChangeResult, Error> {
        commands::redo(&self.session()?, revision, options)
    }

    /// Structural problems of these files, or of all; fixes those that need no decision if asked to. Findings are
    /// not errors.
    ///
    /// # Errors
    /// Errors of resolving an address; `revision_not_found`, `no_repository`, `git` with `since`.
    pub fn check(
        &self,
        files: &[String],
        check: &CheckOptions<'_>,
        options: &ChangeOptions,
    ) -> Result<CheckReport, Error> {
        commands::check(&self.session()?, files, check, options)
    }

    /// Merges files with conflict markers again; with `take`, decides the remaining conflicts. Conflicts that remain
    /// are not errors.
    ///
    /// # Errors
    /// `category_not_allowed`, `conflict_markers`; errors of resolving the address.
    pub fn resolve(
        &self,
        address: Option<&str>,
        take: Option<ConflictChoice>,
        options: &ChangeOptions,
    ) -> Result<ResolveResult, Error> {
        commands::resolve(&self.session()?, address, take, options)
    }

    /// Reads a conversation and keeps what a model finds worth remembering.
    ///
    /// # Errors
    /// `invalid_transcript`, `no_model`, `model`, `model_refused`. An error after the first chunk is in the report.
    pub fn reflect(
        &self,
        conversation: &[u8],
        reflect: &ReflectOptions<'_>,
        options: &ChangeOptions,
    ) -> Result<ReflectReport, Error> {
        commands::reflect::reflect(&self.session()?, conversation, reflect, options)
    }

    /// The prompt of [`Memory::reflect`] for a conversation, without calling a model.
    ///
    /// # Errors
    /// `invalid_transcript`.
    pub fn reflect_prompt(&self, conversation: &[u8], reflect: &ReflectOptions<'_>) -> Result<String, Error> {
        commands::reflect::show_prompt(&self.session()?, conversation, reflect)
    }

    /// Reads the conversations in the queue: those of hooks, and those that wait for budget.
    ///
    /// # Errors
    /// As [`Memory::reflect`].
    pub fn reflect_queued(
        &self,
        reflect: &ReflectOptions<'_>,
        options: &ChangeOptions,
    ) -> Result<ReflectReport, Error> {
        commands::reflect::reflect_queued(&self.session()?, reflect, options)
    }

    /// Reduces files and sections to their limits, within the day's token budget; without a model, by age.
    ///
    /// # Errors
    /// `category_not_allowed`; `limit_reached` if everything is pinned; as [`Memory::change`].
    pub fn compact(
        &self,
        compact: &CompactOptions,
        options: &ChangeOptions,
        model: Option<&OpenModel>,
    ) -> Result<CompactOutcome, Error> {
        commands::compact::compact_within_budget(&self.session()?, compact, options, model, &|_| {})
    }

    /// Merges three files by bullet, into `out` or the result's text. Needs no memory. Conflicts are not errors.
    ///
    /// # Errors
    /// `file_not_found`, `not_text`, `io`.
    pub fn merge(input: &MergeInput, out: Option<&Path>) -> Result<MergeResult, Error> {
        commands::merge::merge(input, out)
    }

    /// Commits, fetches, merges and pushes with git. Conflicts are not errors.
    ///
    /// # Errors
    /// `category_not_allowed`, `not_own_repository`, `invalid_policy`, `secret`, `no_remote`, `remote`, `rewritten`,
    /// `unrelated_histories`, `busy`, `git` and others. Commits and merges made before the error stay;
    /// [`Error::changed`] says whether there are any.
    pub fn sync(&self, options: &SyncOptions<'_>) -> Result<SyncResult, Error> {
        commands::sync::sync(&self.session()?, options)
    }

    /// Configures, checks or removes git's merge driver in this clone.
    ///
    /// # Errors
    /// `no_repository`, `no_git`, `git`, `io`.
    pub fn setup_git(&self, mode: SetupMode, dry_run: bool) -> Result<SetupResult, Error> {
        commands::setup::setup_git(&self.session()?, mode, dry_run)
    }
}

/// The operations of JSON, as [`Memory::apply`] reads them; the error lists each that is malformed.
impl FromStr for Batch {
    type Err = Error;

    fn from_str(operations: &str) -> Result<Batch, Error> {
        Ok(dialects::parse_batch(operations)?)
    }
}

impl From<&str> for QueryOptions {
    fn from(question: &str) -> QueryOptions {
        QueryOptions { query: question.to_owned(), ..QueryOptions::default() }
    }
}
