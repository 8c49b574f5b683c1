//! Every error and warning code of memdir, the exit status it means, and whether a retry can help.
//!
//! Never formats for a terminal and never exits: the front ends (`cli` and the library) do that.

use serde_json::{Map, Value};

mod quoting;
mod suggested_command;

pub use quoting::{escape, quote, quote_short};
pub use suggested_command::SuggestedCommand;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $exit:literal, $retry:literal;)+) => {
        /// An error or warning code. Its name never changes once it is released.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code { $($(#[doc = $doc])+ $variant,)+ }

        impl Code {
            /// All codes, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)+];

            /// The stable, snake_case name that scripts compare.
            pub fn name(self) -> &'static str { match self { $(Code::$variant => $name,)+ } }

            /// The exit status when this is the first error of a command; 0 for codes that are only used as warnings.
            pub fn exit(self) -> u8 { match self { $(Code::$variant => $exit,)+ } }

            /// Whether the same command may succeed when it is run again unchanged.
            pub fn retryable(self) -> bool { match self { $(Code::$variant => $retry,)+ } }

            /// One sentence for the manual: the doc comment of the variant.
            pub fn meaning(self) -> &'static str { match self { $(Code::$variant => concat!($($doc),+).trim_ascii(),)+ } }
        }
    };
}

codes! {
    /// A bug in memdir; please report it.
    Internal = "internal", 1, false;
    /// The operating system refused a read or a write.
    Io = "io", 1, false;
    /// A disk error left it unknown whether the change was made; check before you repeat it.
    OutcomeUnknown = "outcome_unknown", 1, false;
    /// A git command failed.
    Git = "git", 1, false;
    /// The command line is wrong.
    Usage = "usage", 2, false;
    /// A text argument contains a line break; pass long texts on stdin or with -F.
    Multiline = "multiline", 2, false;
    /// An operation is not valid JSON, has an unknown or missing field, or a value of the wrong type.
    InvalidOperation = "invalid_operation", 2, false;
    /// A query is not valid JSON, has an unknown field, or a filter that cannot be evaluated.
    InvalidQuery = "invalid_query", 2, false;
    /// Two operations of one batch change the same bullet or file.
    OverlappingOperations = "overlapping_operations", 2, false;
    /// The conversation is in an unknown format, or has no turns.
    InvalidTranscript = "invalid_transcript", 2, false;
    /// A checkpoint is not valid JSON, or its key is not 1 to 200 bytes long.
    InvalidCheckpoint = "invalid_checkpoint", 2, false;
    /// Content is required on stdin, and there is none.
    EmptyInput = "empty_input", 2, false;
    /// No data directory was found.
    NoDataDir = "no_data_dir", 3, false;
    /// git is not installed, or not on PATH.
    NoGit = "no_git", 3, false;
    /// The directory is not inside a git work tree.
    NoRepository = "no_repository", 3, false;
    /// The git repository has no remote of that name.
    NoRemote = "no_remote", 3, false;
    /// The memory has no scope of that name.
    ScopeNotFound = "scope_not_found", 3, false;
    /// The file does not exist.
    FileNotFound = "file_not_found", 3, false;
    /// A new file's name differs by one or two letters from an existing one.
    DidYouMean = "did_you_mean", 3, false;
    /// The file has no such section.
    SectionNotFound = "section_not_found", 3, false;
    /// No bullet has that handle, id, index or text.
    BulletNotFound = "bullet_not_found", 3, false;
    /// No pending proposal has that id.
    ProposalNotFound = "proposal_not_found", 3, false;
    /// No checkpoint has that key.
    CheckpointNotFound = "checkpoint_not_found", 3, false;
    /// The text that a patch replaces does not occur.
    TextNotFound = "text_not_found", 3, false;
    /// The journal has no such revision.
    RevisionNotFound = "revision_not_found", 3, false;
    /// The required history was removed by garbage collection, or belongs to another clone.
    HistoryGone = "history_gone", 3, false;
    /// The file's etag does not match `--if-match`, or another batch had the same id (`request`).
    Conflict = "conflict", 4, false;
    /// Both sides of a merge changed the same thing differently; a person must decide.
    MergeConflict = "merge_conflict", 4, false;
    /// The bullet with that handle was changed or removed since it was read.
    BulletChanged = "bullet_changed", 4, false;
    /// Several bullets match the handle, id or text.
    AmbiguousBullet = "ambiguous_bullet", 4, false;
    /// Several sections have that name.
    AmbiguousSection = "ambiguous_section", 4, false;
    /// Several files contain that id.
    AmbiguousId = "ambiguous_id", 4, false;
    /// The text that a patch replaces occurs more than once.
    AmbiguousText = "ambiguous_text", 4, false;
    /// The selector and the text refer to different bullets.
    TextMismatch = "text_mismatch", 4, false;
    /// The index was out of date; the bullet was found by its text.
    IndexMoved = "index_moved", 0, false;
    /// The section already has a bullet with that text.
    Duplicate = "duplicate", 4, false;
    /// An index or an id alone does not prove that the caller has read the current text.
    NeedsProof = "needs_proof", 4, false;
    /// The target already exists.
    Exists = "exists", 4, false;
    /// The path violates the path grammar or leads outside the data directory.
    InvalidPath = "invalid_path", 5, false;
    /// Not a plain, single-linked, regular file inside the data directory.
    UnsafeFile = "unsafe_file", 5, false;
    /// The file is not UTF-8 text.
    NotText = "not_text", 5, false;
    /// A file, a bullet or a batch exceeds its fixed limit.
    TooLarge = "too_large", 5, false;
    /// The file contains merge conflict markers and is read-only until they are resolved.
    ConflictMarkers = "conflict_markers", 5, false;
    /// The text would change the structure around it, and escaping does not prevent that.
    WouldBreakStructure = "would_break_structure", 5, false;
    /// The policy's limit on that block or file is reached.
    LimitReached = "limit_reached", 5, false;
    /// The policy's allowlist does not give this agent access to that category; this is a filter, not isolation.
    CategoryNotAllowed = "category_not_allowed", 5, false;
    /// A session in a scope names another scope, or its parent memory.
    ScopeNotAllowed = "scope_not_allowed", 5, false;
    /// An agent changes a sensitive field without the user's consent, decides about a proposal, or erases history through
    /// a tool: a person must.
    Consent = "consent", 5, false;
    /// An agent changes a file whose changes by agents a person reviews; the change waits in inbox/.
    Review = "review", 5, false;
    /// The text contains what looks like a key, a token or a password.
    Secret = "secret", 5, false;
    /// memdir.yaml is not valid: writes are refused, and reads, too, if the file cannot be read or its allowlists are
    /// not understood. An invalid entry of the user config is ignored, with a warning of this code.
    InvalidPolicy = "invalid_policy", 5, false;
    /// The clock stands before the newest date of the memory, or more than 400 days after it; `-f` confirms it.
    ClockJumped = "clock_jumped", 5, false;
    /// A config file of an agent host has an error, so it is not changed.
    InvalidConfig = "invalid_config", 5, false;
    /// The target cannot be written: it is reserved, read-only, or owned by another user.
    ReadOnly = "read_only", 5, false;
    /// The memory is not the root of its own git repository.
    NotOwnRepository = "not_own_repository", 5, false;
    /// git is in the middle of an operation (such as a rebase) or on a detached HEAD; a person must finish that first.
    Unfinished = "unfinished", 5, false;
    /// Most files of the memory, or of one of its folders, are gone and were not removed through memdir.
    Emptied = "emptied", 5, false;
    /// This memory and the remote have no commit in common.
    UnrelatedHistories = "unrelated_histories", 5, false;
    /// The remote no longer has commits that it had, and that are still here; a sync would push them again.
    Rewritten = "rewritten", 5, false;
    /// The remote was reached but rejected the push.
    RemoteRefused = "remote_refused", 5, false;
    /// A check reported findings.
    Findings = "findings", 6, false;
    /// Another process holds the lock, or has the file open for writing.
    Busy = "busy", 7, true;
    /// The caller cancelled the command before it changed anything.
    Cancelled = "cancelled", 7, true;
    /// The remote could not be reached, or denied access.
    Remote = "remote", 8, true;
    /// No model is configured, and this command needs one.
    NoModel = "no_model", 8, false;
    /// The model could not be reached in time, or its answer was not usable.
    Model = "model", 8, true;
    /// The model's host refuses: the key, the account, the model's name or the request.
    ModelRefused = "model_refused", 8, false;
    /// Only a part was done, or could be read; it is kept, and the rest can be run again.
    Partial = "partial", 8, true;
    /// The daily budget is used up, or the model did not answer in time. The work is queued where the message says so;
    /// else nothing was done, and the command can be run again.
    Deferred = "deferred", 0, false;
    /// A text violates the writing rules.
    Writing = "writing", 6, false;
    /// A bullet was added although another one says nearly the same.
    NearDuplicate = "near_duplicate", 0, false;
    /// Two bullets of a section exclude each other; `add` adds the new one anyway.
    Contradiction = "contradiction", 0, false;
    /// The change was made, but a directory could not be synced; a power cut may still undo it.
    NotDurable = "not_durable", 0, false;
    /// A text that another program saved at the same moment was kept in inbox/.
    Rescued = "rescued", 0, false;
    /// An interrupted command was completed or rolled back.
    Recovered = "recovered", 0, false;
    /// A metadata line without a bullet of its own; it has no effect.
    OrphanMetadata = "orphan_metadata", 6, false;
    /// A metadata value that is not valid; it counts as absent.
    InvalidMetadata = "invalid_metadata", 6, false;
    /// A file in inbox/ that is no proposal; `inbox` does not list it.
    NotAProposal = "not_a_proposal", 6, false;
    /// A glob of a rule for paths (`when`) that no path can match.
    UnmatchableGlob = "unmatchable_glob", 6, false;
    /// A code block, comment or other HTML that nothing closes; nothing can be appended to the file.
    UnclosedBlock = "unclosed_block", 6, false;
    /// A list item that starts with a comment or a link definition; it is no bullet.
    HiddenItem = "hidden_item", 6, false;
    /// A link whose target does not exist.
    DanglingLink = "dangling_link", 6, false;
    /// Two items have the same id.
    DuplicateId = "duplicate_id", 6, false;
    /// A summary line that has no space for new terms, or lists terms that are gone.
    StaleSummary = "stale_summary", 6, false;
    /// Age has left a bullet little confidence: confirm it with `set … upd=today`, or remove it.
    Stale = "stale", 6, false;
    /// A bullet for a git branch that was merged or deleted: archive it, or keep it without `branch`.
    StaleBranch = "stale_branch", 6, false;
    /// The last valid day of a bullet is over: reads leave it out.
    Expired = "expired", 6, false;
    /// The index MEMORY.md has a line for a file that is gone, or none for a file of the folder.
    StaleIndex = "stale_index", 6, false;
    /// An anchor whose lines of code moved or changed, or that cannot be compared.
    StaleAnchor = "stale_anchor", 6, false;
    /// A file name outside the path grammar: readable, not writable.
    OddName = "odd_name", 6, false;
    /// A conflict copy of a file, made by a sync tool.
    ConflictCopy = "conflict_copy", 6, false;
    /// Information: something was kept or left unchanged.
    Note = "note", 0, false;
}

/// An error: the code, a message for the person or agent who must act, and how to fix it where that is known.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rejection {
    pub code: Code,
    /// One sentence, lower case, without a final full stop.
    pub message: String,
    /// How to fix it, in plain words.
    pub hint: Option<String>,
    /// Commands to run next, the best one first.
    pub suggestions: Vec<SuggestedCommand>,
    /// Values for programs: candidates, etags, positions.
    pub details: Map<String, Value>,
    /// Whether the data directory was changed; `None` where that is unknown.
    pub changed: Option<bool>,
    /// The failing operation of a batch (0-based).
    pub operation: Option<usize>,
}

impl Rejection {
    /// An error that changed nothing (`changed` is `Some(false)`).
    pub fn new(code: Code, message: impl Into<String>) -> Rejection {
        Rejection {
            code,
            message: message.into(),
            hint: None,
            suggestions: Vec::new(),
            details: Map::new(),
            changed: Some(false),
            operation: None,
        }
    }

    /// Sets the sentence on how to fix it.
    pub fn hint(mut self, hint: impl Into<String>) -> Rejection {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a command to try.
    pub fn try_command(mut self, command: SuggestedCommand) -> Rejection {
        self.suggestions.push(command);
        self
    }

    /// Adds a value for programs to `details`.
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Rejection {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Sets the failing operation of a batch (0-based).
    pub fn at_operation(mut self, operation: usize) -> Rejection {
        self.operation = Some(operation);
        self
    }
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.message)
    }
}

impl std::error::Error for Rejection {}

/// A warning: the command succeeded, but the caller should know this.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Warning {
    pub code: Code,
    /// One sentence, lower case, without a final full stop.
    pub message: String,
    /// Values for programs, by name: `address`, `line`.
    pub details: Map<String, Value>,
}

impl Warning {
    pub fn new(code: Code, message: impl Into<String>) -> Warning {
        Warning { code, message: message.into(), details: Map::new() }
    }

    /// Adds a value for programs to `details`.
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Warning {
        self.details.insert(key.to_owned(), value.into());
        self
    }
}
