//! Every error and warning code of memdir, the exit status it means, and whether a retry can help.
//!
//! Never formats for a terminal and never exits: doors do that.

use serde_json::{Map, Value};

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $exit:literal, $retry:literal;)+) => {
        /// What went wrong (or is worth a warning), by a name that never changes once released.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[doc = $doc])+ $variant,)+ }

        impl Code {
            /// All codes, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)+];

            /// The stable, snake_case name that scripts compare.
            pub fn name(self) -> &'static str { match self { $(Code::$variant => $name,)+ } }

            /// The process's exit status when this code is the verdict; 0 for codes that are only warnings.
            pub fn exit(self) -> u8 { match self { $(Code::$variant => $exit,)+ } }

            /// Whether the same command may succeed when it is simply run again.
            pub fn retryable(self) -> bool { match self { $(Code::$variant => $retry,)+ } }

            /// One sentence for the manual.
            pub fn meaning(self) -> &'static str { match self { $(Code::$variant => concat!($($doc),+).trim_ascii(),)+ } }
        }
    };
}

codes! {
    /// A bug in memdir; please report it.
    Internal = "internal", 1, false;
    /// The operating system refused a read or a write.
    Io = "io", 1, false;
    /// The disk failed so that nobody can say whether the change was made; look before you repeat it.
    OutcomeUnknown = "outcome_unknown", 1, false;
    /// git did not do what it was asked.
    Git = "git", 1, false;
    /// The command line is wrong.
    Usage = "usage", 2, false;
    /// A text given as an argument holds a line break; long texts come by stdin or -F.
    Multiline = "multiline", 2, false;
    /// An operation is not valid JSON, has an unknown or missing field, or a value of the wrong type.
    InvalidOperation = "invalid_operation", 2, false;
    /// A question is not valid JSON, has an unknown field, or asks for something that cannot be told.
    InvalidQuery = "invalid_query", 2, false;
    /// Two operations of one batch meet on one bullet or file.
    OverlappingOperations = "overlapping_operations", 2, false;
    /// The conversation is in no known format, or holds no turn.
    InvalidTranscript = "invalid_transcript", 2, false;
    /// Content was due on stdin and none came.
    EmptyInput = "empty_input", 2, false;
    /// No data directory was found here.
    NoDataDir = "no_data_dir", 3, false;
    /// git is not installed, or not on PATH.
    NoGit = "no_git", 3, false;
    /// The directory is in no git work tree.
    NoRepository = "no_repository", 3, false;
    /// git has no remote of that name here.
    NoRemote = "no_remote", 3, false;
    /// The file does not exist.
    FileNotFound = "file_not_found", 3, false;
    /// A new file's name is a letter or two away from an existing one.
    DidYouMean = "did_you_mean", 3, false;
    /// The file has no such section.
    SectionNotFound = "section_not_found", 3, false;
    /// No bullet has that handle, id, index or text.
    BulletNotFound = "bullet_not_found", 3, false;
    /// No proposal of that id waits.
    ProposalNotFound = "proposal_not_found", 3, false;
    /// The text that a patch replaces stands nowhere.
    TextNotFound = "text_not_found", 3, false;
    /// The journal has no such revision.
    RevisionNotFound = "revision_not_found", 3, false;
    /// The history that this needs has been reaped, or is another clone's.
    HistoryGone = "history_gone", 3, false;
    /// The file is not what `--if-match` says.
    Conflict = "conflict", 4, false;
    /// Both sides of a merge say something different about one thing; a person must decide.
    MergeConflict = "merge_conflict", 4, false;
    /// The bullet with that handle was rephrased or removed since it was read.
    BulletChanged = "bullet_changed", 4, false;
    /// Several bullets fit.
    AmbiguousBullet = "ambiguous_bullet", 4, false;
    /// Several sections fit.
    AmbiguousSection = "ambiguous_section", 4, false;
    /// Several files hold that id.
    AmbiguousId = "ambiguous_id", 4, false;
    /// The text that a patch replaces stands more than once.
    AmbiguousText = "ambiguous_text", 4, false;
    /// Selector and text disagree about which bullet is meant.
    TextMismatch = "text_mismatch", 4, false;
    /// The index was out of date; the text decided.
    IndexMoved = "index_moved", 0, false;
    /// The section has another bullet with that text.
    Duplicate = "duplicate", 4, false;
    /// A position or an id alone does not prove that the caller saw the text.
    NeedsProof = "needs_proof", 4, false;
    /// What should be made exists already.
    Exists = "exists", 4, false;
    /// The name breaks the path grammar or leaves the data directory.
    InvalidPath = "invalid_path", 5, false;
    /// Not a plain, single-linked, regular file inside the data directory.
    UnsafeFile = "unsafe_file", 5, false;
    /// The file is not UTF-8 text.
    NotText = "not_text", 5, false;
    /// A file, a bullet or a batch is over its fixed limit.
    TooLarge = "too_large", 5, false;
    /// The file holds merge conflict markers and is read-only until they are resolved.
    ConflictMarkers = "conflict_markers", 5, false;
    /// The text would change the structure around it, however it is escaped.
    WouldBreakStructure = "would_break_structure", 5, false;
    /// The policy's limit for that block or file is reached.
    LimitReached = "limit_reached", 5, false;
    /// The policy's allowlist does not let this agent have that category; a filter against slips, no isolation.
    CategoryNotAllowed = "category_not_allowed", 5, false;
    /// The text holds what looks like a key, a token or a password.
    Secret = "secret", 5, false;
    /// memdir.yaml (or the user config) is not valid; reads go on, writes wait.
    InvalidPolicy = "invalid_policy", 5, false;
    /// The place cannot be written: reserved, read-only, or another user's.
    ReadOnly = "read_only", 5, false;
    /// The memory is not the root of a git repository of its own.
    NotOwnRepository = "not_own_repository", 5, false;
    /// git is in the middle of something (a rebase, a commit looked at by itself) that a person must end first.
    Unfinished = "unfinished", 5, false;
    /// Most of the memory, or of one of its folders, is gone, and nobody removed it through memdir.
    Emptied = "emptied", 5, false;
    /// This memory and the remote's have no commit in common.
    UnrelatedHistories = "unrelated_histories", 5, false;
    /// The remote was reached and did not take what was sent.
    RemoteRefused = "remote_refused", 5, false;
    /// A check found something.
    Findings = "findings", 6, false;
    /// Somebody else holds the lock, or keeps the file open for writing.
    Busy = "busy", 7, true;
    /// The remote could not be reached, or let nobody in.
    Remote = "remote", 8, true;
    /// No model is configured, and this command needs one.
    NoModel = "no_model", 8, false;
    /// The model could not be reached in time, or its answer made no sense.
    Model = "model", 8, true;
    /// The model's host refuses: the key, the account, the model's name or the request.
    ModelRefused = "model_refused", 8, false;
    /// The work ended half-way; what was done until then stands, and the rest can be run again.
    Partial = "partial", 8, true;
    /// The day's budget is spent; the work waits in the queue.
    Deferred = "deferred", 0, false;
    /// A text breaks the writing rules.
    Writing = "writing", 6, false;
    /// A near duplicate of an existing bullet was added all the same.
    NearDuplicate = "near_duplicate", 0, false;
    /// The change stands, but a directory could not be synced; a power cut may still undo it.
    NotDurable = "not_durable", 0, false;
    /// A text that somebody saved at the same moment was kept in inbox/.
    Rescued = "rescued", 0, false;
    /// An interrupted command was finished or undone.
    Recovered = "recovered", 0, false;
    /// A metadata line without a bullet of its own; it has no effect.
    OrphanMetadata = "orphan_metadata", 6, false;
    /// A link whose target does not exist.
    DanglingLink = "dangling_link", 6, false;
    /// One id on two items.
    DuplicateId = "duplicate_id", 6, false;
    /// A summary line that waits for room or names what is gone.
    StaleSummary = "stale_summary", 6, false;
    /// A name outside the path grammar: readable, not writable.
    OddName = "odd_name", 6, false;
    /// A copy that a sync tool made of two versions of a file.
    ConflictCopy = "conflict_copy", 6, false;
    /// Something was kept or left as it was, and the reader should know.
    Note = "note", 0, false;
}

/// A command that may mend what was refused, as data: each door spells it its own way.
///
/// It never holds memory text, because the next reader pastes it into a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The verb and fixed flags, as the command line spells them: `["rm"]`, `["undo", "--keep-edited"]`.
    pub verb: Vec<&'static str>,
    /// Addresses, handles, revisions.
    pub address: Vec<String>,
}

impl Hint {
    /// A hint with one verb and one address.
    pub fn new(verb: &'static str, address: impl Into<String>) -> Hint {
        Hint { verb: vec![verb], address: vec![address.into()] }
    }
}

/// A refusal: the code, a sentence for whoever must act, and the mend where there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    /// What kind of refusal.
    pub code: Code,
    /// One sentence, lower case, without the final full stop.
    pub message: String,
    /// A sentence in plain words that says what to do, if there is one.
    pub hint: Option<String>,
    /// Commands to try.
    pub hints: Vec<Hint>,
    /// Anything a program may want: candidates, etags, positions.
    pub details: Map<String, Value>,
    /// Whether the directory was changed; `None` where nobody can know.
    pub changed: Option<bool>,
    /// The number (from 0) of the operation of a batch that was refused.
    pub operation: Option<usize>,
}

impl Rejection {
    /// A refusal that left everything as it was.
    pub fn new(code: Code, message: impl Into<String>) -> Rejection {
        Rejection {
            code,
            message: message.into(),
            hint: None,
            hints: Vec::new(),
            details: Map::new(),
            changed: Some(false),
            operation: None,
        }
    }

    /// Adds a sentence that says what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Rejection {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a command to try.
    pub fn try_(mut self, hint: Hint) -> Rejection {
        self.hints.push(hint);
        self
    }

    /// Adds a detail for programs.
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Rejection {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Says which operation of a batch was refused (from 0).
    pub fn at(mut self, operation: usize) -> Rejection {
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

/// Something that was done all the same, and that the reader should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// What kind of warning.
    pub code: Code,
    /// One sentence, lower case, without the final full stop.
    pub message: String,
    /// Anything a program may want.
    pub details: Map<String, Value>,
}

impl Warning {
    /// A warning with a sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Warning {
        Warning { code, message: message.into(), details: Map::new() }
    }

    /// Adds a detail for programs.
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Warning {
        self.details.insert(key.to_owned(), value.into());
        self
    }
}
