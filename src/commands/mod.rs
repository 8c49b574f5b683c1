//! Use cases: one function per command. Each takes a `Session` and plain arguments and returns a value.
//!
//! Never parses arguments, prints or exits: any front end (command line, library) can call every command.

use std::path::{Path, PathBuf};

use crate::change::EntryHeader;
use crate::code::{Code, Rejection, Warning};
use crate::host::find::FoundBy;
use crate::operation::{Batch, PlanContext};
use crate::path::PathPrefixes;
use crate::policy::LoadedPolicy;
use crate::reflect::guards::WritingRules;
use crate::store::Store;
use crate::text::secrets;

mod agent_index;
mod allowlist_filter;
mod backlinks;
mod blame;
pub mod budget;
mod bullet_life;
mod change;
mod check;
pub mod checkpoint;
mod code_anchors;
mod commit_files;
pub mod compact;
pub mod completion_words;
mod conflict_finder;
mod consent;
mod context;
mod cost_estimate;
mod dangling_links;
mod diff;
pub mod edit;
pub mod embed;
pub mod error_json;
mod etag;
pub mod export;
mod fetch;
mod findings_since;
mod first_written;
mod forget;
mod graph;
mod history;
mod history_export;
mod history_import;
pub mod hook;
pub mod import;
pub mod inbox;
mod init;
mod item_doubts;
mod journal_notes;
mod layer_names;
mod layers;
mod list_and_read;
mod listed_entries;
mod log_target;
mod machine_notes;
mod memory_tool;
pub mod merge;
pub mod model;
mod moved_file;
mod page;
mod past_texts;
mod planned_operations;
mod point_in_time;
mod progress;
pub mod prune;
mod query;
pub mod reflect;
mod related_files;
mod rename_conflicts;
mod resolve;
mod resolved_address;
mod restricted_change;
pub mod results;
mod review;
pub mod scope;
mod scope_gate;
mod scope_limits;
mod scope_session;
mod secrets_check;
mod seed_requests;
pub mod setup;
pub mod setup_host;
pub mod stats;
mod status;
mod superseded;
pub mod sync;
mod sync_merges;
mod undo;
mod unread_files;
pub mod usage;
pub mod vector_search;
mod watch;
mod work_branch;

pub use change::change;
pub use check::contradictions::MAX_BULLETS_PER_WORD;
pub use check::{CheckOptions, FolderReader, check, check_rot};
pub use context::{ContextRequest, ReaderMark, context};
pub use diff::diff;
pub use etag::etag;
pub use forget::require_kept_history;
pub use graph::graph;
pub use history::{LogRows, log, show};
pub use init::init;
pub use layers::{Layer, Layers};
pub use list_and_read::{
    ListOptions, OpenedFile, list, list_bullets, list_with, open_whole_file, outline, path_of, read,
};
pub use memory_tool::{MemoryToolReply, memory_tool};
pub use progress::{ProgressNotes, ProgressState};
pub use query::query;
pub use resolve::resolve;
pub use scope_session::{OpenScope, open_scope, read_policy};
pub use seed_requests::{seed_refusal, seed_request};
pub use status::status;
pub use undo::{redo, undo};
pub use watch::{WHOLE_MEMORY, WatchedState, watched_state};

pub use crate::view::context::result::ContextStyle;

/// A data directory opened for one caller.
pub struct Session {
    /// The store, filtered to what the caller may see.
    pub store: Store,
    /// The absolute path of the data directory.
    pub dir: PathBuf,
    /// How the data directory was found.
    pub found_by: FoundBy,
    /// The forms in which an address may name the data directory in front of a path, e.g. `memory/`.
    pub prefixes: PathPrefixes,
    /// The policy from `memdir.yaml`, or the defaults; of a scope, below that of its parent memory.
    pub policy: LoadedPolicy,
    /// The scope that the data directory is.
    pub scope: Option<OpenScope>,
    /// The memories that are read together with this one.
    pub layers: Option<Layers>,
    /// The name by which the nearest layer knows this one, if it is a farther layer.
    pub layer_name: Option<String>,
    /// The embeddings of the user config, for the memories that it names.
    pub embeddings: Option<vector_search::EmbeddingAccess>,
    /// Where the key is with which this machine signs what it writes for itself; `None` without a home.
    pub key_file: Option<PathBuf>,
    /// The limit of the user config on model usage, in tokens a day.
    pub user_tokens_per_day: Option<u64>,
    /// The name of the caller, as the journal records it.
    pub actor: String,
    /// Whether the caller is an agent, which may change sensitive fields only with the user's consent.
    pub is_agent: bool,
    /// The current time in the local time zone.
    pub now: jiff::Zoned,
    /// Where long commands note what they are doing.
    pub progress: ProgressNotes,
    /// The tokens of model calls that no revision has recorded yet.
    pub spent: budget::SpentTokens,
}

impl Session {
    /// The directory of the memory itself, also of a session in a scope.
    pub(crate) fn memory_dir(&self) -> &Path {
        let above = self.dir.parent().and_then(Path::parent);
        above.filter(|_| self.scope.is_some()).unwrap_or(&self.dir)
    }

    /// How this caller's operations are planned: with nothing forced, no file whose name is like that of another, and
    /// none in a reserved folder.
    fn plan_context(&self) -> PlanContext<'_> {
        PlanContext {
            policy: &self.policy.policy,
            prefixes: &self.prefixes,
            now: &self.now,
            actor: &self.actor,
            force: false,
            create: false,
            allow_reserved: false,
            links: None,
        }
    }
}

/// The options that every changing command takes.
#[derive(Clone, Debug, Default)]
pub struct ChangeOptions {
    /// Plan and show the change, but write nothing.
    pub dry_run: bool,
    /// Skip the staleness check when acting on an index, an id or a whole file.
    pub force: bool,
    /// Create a new file even where an existing file has a similar name.
    pub create: bool,
    /// Why the change is made; recorded in the history.
    pub reason: Option<String>,
    /// Where the content is from; recorded in the history.
    pub source: Option<String>,
    /// The user's words of consent to a change of sensitive fields, verbatim; recorded in the history.
    pub consent: Option<String>,
    /// The etag of the file that the caller read; operations on the file, and `compact` of it, are refused if it has
    /// another one now. Commands that name no file (`undo`, `redo`, `resolve`, `prune`, `inbox`) ignore it.
    pub if_match: Option<String>,
}

/// A failed command. As text it is `code: message`.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// All rejections, in order; the first determines the exit status.
    pub rejections: Vec<Rejection>,
    /// Warnings to print besides the rejections.
    pub warnings: Vec<Warning>,
}

impl Error {
    /// The code of the first rejection, which stands for the whole error.
    pub fn code(&self) -> Code {
        self.rejections.first().map_or(Code::Internal, |first| first.code)
    }

    /// The exit status with which the command line reports the error, 1 to 8.
    pub fn exit_status(&self) -> u8 {
        self.code().exit().max(1)
    }

    /// What the caller can do about it.
    pub fn hint(&self) -> Option<&str> {
        self.rejections.first()?.hint.as_deref()
    }

    /// Whether the memory was changed; `None` where this cannot be known.
    pub fn changed(&self) -> Option<bool> {
        self.rejections.first().map_or(Some(false), |first| first.changed)
    }

    /// The error of a command that committed a revision before it failed, if `is_committed`.
    pub(crate) fn after_commit(mut self, is_committed: bool) -> Error {
        if is_committed {
            self.rejections.iter_mut().for_each(|rejection| rejection.changed = Some(true));
        }
        self
    }
}

impl std::fmt::Display for Error {
    /// Writes `code: message`, one line for each rejection.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.rejections.is_empty() {
            return f.write_str(Code::Internal.name());
        }
        for (i, rejection) in self.rejections.iter().enumerate() {
            let line_break = if i == 0 { "" } else { "\n" };
            write!(f, "{line_break}{}: {}", rejection.code.name(), rejection.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Error {
        Error { rejections: vec![rejection], warnings: Vec::new() }
    }
}

impl From<Vec<Rejection>> for Error {
    fn from(rejections: Vec<Rejection>) -> Error {
        Error { rejections, warnings: Vec::new() }
    }
}

/// The result of a command: a value of its own type, or an error.
pub type CommandResult<T> = Result<T, Error>;

/// Which journal entries `log` shows.
#[derive(Clone, Debug, Default)]
pub struct LogOptions {
    /// Only entries that changed this file, section or bullet.
    pub address: Option<String>,
    /// Include the changed bullets of each entry.
    pub patch: bool,
    /// Only entries since this revision, date or age.
    pub since: Option<String>,
    /// Only entries of this actor.
    pub by: Option<String>,
    /// The largest number of entries, newest first.
    pub limit: Option<usize>,
    /// Include the whole history with its texts, unless an allowlist applies to the caller.
    pub texts: bool,
}

/// Which revision `undo` reverts.
#[derive(Clone, Debug, Default)]
pub struct UndoOptions {
    /// The revision to undo; without it the newest one that is not undone yet.
    pub revision: Option<String>,
    /// Undo the newest revision of this actor that is not undone yet.
    pub by: Option<String>,
    /// Skip files whose later edits conflict with the undo, instead of refusing.
    pub keep_edited: bool,
}

/// How `init` creates a memory, and what it writes beside `memdir.yaml` and `.gitignore`.
#[derive(Clone, Debug, Default)]
pub struct InitOptions {
    /// Write the example memory.
    pub example: bool,
    /// Turn a directory that already holds markdown into a memory, without changing its files.
    pub adopt: bool,
    /// Add a memory that this call creates to `trusted:` in the user config, so that hooks act on it.
    pub trust: bool,
    /// The caller is an agent, which trusts no files that were there before.
    pub is_agent: bool,
}

impl Session {
    /// Refuses writes if `memdir.yaml` has errors, or if they may be meant for a nearer layer that cannot be read.
    pub fn may_write(&self) -> Result<(), Error> {
        let of_layer = self.layers.as_ref().and_then(|layers| layers.refuses_changes.as_ref());
        match self.policy.refuses_writes.as_ref().or(of_layer) {
            Some(rejection) => Err(rejection.clone().into()),
            None => Ok(()),
        }
    }

    /// The prefix that turns a path of the memory into one from the working directory: `memory/`, or empty; an absolute
    /// path where the data directory is not below the working directory.
    pub fn path_prefix(&self) -> String {
        let prefixes = &self.prefixes.0;
        let plain = |p: &&String| !p.starts_with('/') && !p.starts_with("./");
        match (prefixes.iter().find(plain), prefixes.iter().any(|p| p == "./")) {
            (Some(prefix), _) => format!("{prefix}/"),
            (None, true) => String::new(),
            (None, false) => format!("{}/", self.dir.display()),
        }
    }

    /// The limit on model usage, in tokens a day: the smaller of the policy's and the user's. `None`: no limit.
    pub fn daily_budget(&self) -> Option<u64> {
        self.policy.policy.daily_budget(self.user_tokens_per_day)
    }

    /// The policy's rules for texts.
    pub fn writing_rules(&self) -> WritingRules {
        let policy = &self.policy.policy;
        WritingRules { max_chars: policy.max_chars, sensitive: policy.sensitive.clone(), benign: policy.benign.clone() }
    }

    /// The journal header of a change that is made now.
    pub fn header(&self, batch: &Batch) -> EntryHeader {
        let at = self.now.timestamp().round(jiff::Unit::Second).unwrap_or(self.now.timestamp());
        EntryHeader {
            at: at.to_string(),
            actor: self.actor.clone(),
            reason: batch.reason.clone(),
            source: batch.source.clone(),
            // The user's words may contain a key.
            consent: Some(batch.consent.join("; "))
                .filter(|quotes| !quotes.is_empty())
                .map(|quotes| secrets::redact(&quotes).0),
            request: batch.request.clone(),
            request_digest: batch.request.as_ref().filter(|_| !batch.operations.is_empty()).map(|_| batch.digest()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rejection_stands_for_the_error() {
        let all = Error::from(vec![Rejection::new(Code::Busy, "a").hint("wait"), Rejection::new(Code::Io, "b")]);
        assert_eq!((all.code(), all.exit_status(), all.hint()), (Code::Busy, 7, Some("wait")));
        assert_eq!(all.to_string(), "busy: a\nio: b");
        assert_eq!(Error::from(Vec::new()).exit_status(), 1);
    }
}
