//! Use cases: where the rooms meet. Each verb takes a `Session` and plain arguments and answers a value.
//!
//! No clap, no printing, no exit: any door (command line, MCP) can call every verb.

use std::path::PathBuf;

use crate::code::{Rejection, Warning};
use crate::operation::Batch;
use crate::path::Prefixes;
use crate::policy::Loaded;
use crate::store::Store;

pub mod answer;
pub mod edit;

pub use answer::Answer;

/// A data dir opened for one caller.
pub struct Session {
    /// The store.
    pub store: Store,
    /// The data dir as an absolute path.
    pub dir: PathBuf,
    /// How the data dir was found: `flag`, `environment`, `ancestor` or `user`.
    pub found_by: &'static str,
    /// How the data dir may be written in front of a path.
    pub prefixes: Prefixes,
    /// The policy, read or defaults.
    pub policy: Loaded,
    /// Who calls.
    pub actor: String,
    /// Now, with the local time zone.
    pub now: jiff::Zoned,
}

/// How a change is to be made: what every changing command takes.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// Plan and show, write nothing.
    pub dry_run: bool,
    /// Proof by decree.
    pub force: bool,
    /// Whether new files may have names close to existing ones.
    pub create: bool,
    /// Why.
    pub reason: Option<String>,
    /// From where.
    pub source: Option<String>,
    /// Etag of the file the caller read.
    pub if_match: Option<String>,
}

/// A command that did not do what it was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// All refusals, in order; the first decides the exit status.
    pub rejections: Vec<Rejection>,
    /// What else the reader should know.
    pub warnings: Vec<Warning>,
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Failure {
        Failure { rejections: vec![rejection], warnings: Vec::new() }
    }
}

impl From<Vec<Rejection>> for Failure {
    fn from(rejections: Vec<Rejection>) -> Failure {
        Failure { rejections, warnings: Vec::new() }
    }
}

/// What a verb gives back.
pub type Verdict = Result<Answer, Failure>;

/// Makes a change: every mutating verb but undo and redo is a batch of operations.
pub fn change(session: &Session, batch: Batch, how: &How) -> Verdict {
    let _ = (session, batch, how);
    todo!()
}

/// One level down: the files, a file's sections and bullets, or a section's bullets.
pub fn list(session: &Session, address: Option<&str>) -> Verdict {
    let _ = (session, address);
    todo!()
}

/// All bullets of a file or section, flat, with index and handle (`bullet list`).
pub fn bullets(session: &Session, address: &str) -> Verdict {
    let _ = (session, address);
    todo!()
}

/// A file, section or bullet as it stands.
pub fn read(session: &Session, address: &str) -> Verdict {
    let _ = (session, address);
    todo!()
}

/// What `log` shows.
#[derive(Clone, Debug, Default)]
pub struct LogQuery {
    /// Only what touched this file, section or bullet.
    pub address: Option<String>,
    /// With the bullets that changed.
    pub patch: bool,
    /// Only since then (a revision, a date, an age).
    pub since: Option<String>,
    /// Only by this actor.
    pub by: Option<String>,
    /// At most so many, newest first.
    pub limit: Option<usize>,
}

/// The journal's entries and outside edits, newest first.
pub fn log(session: &Session, query: &LogQuery) -> Verdict {
    let _ = (session, query);
    todo!()
}

/// What one revision did.
pub fn show(session: &Session, revision: &str) -> Verdict {
    let _ = (session, revision);
    todo!()
}

/// From a revision (or the last recorded state) until now, or between two.
pub fn diff(session: &Session, range: Option<&str>, address: Option<&str>) -> Verdict {
    let _ = (session, range, address);
    todo!()
}

/// Which revision `undo` takes back.
#[derive(Clone, Debug, Default)]
pub struct UndoQuery {
    /// This one; without it the newest that is not undone yet.
    pub revision: Option<String>,
    /// All of one actor's latest run of changes not yet undone.
    pub by: Option<String>,
    /// Where a file moved on and cannot be merged, leave that file as it is.
    pub keep_edited: bool,
}

/// Takes a revision back; merges where files moved on.
pub fn undo(session: &Session, query: &UndoQuery, how: &How) -> Verdict {
    let _ = (session, query, how);
    todo!()
}

/// Brings back what was undone, or what an editor overwrote.
pub fn redo(session: &Session, revision: Option<&str>, how: &How) -> Verdict {
    let _ = (session, revision, how);
    todo!()
}

/// What a person should know about this memory now.
pub fn status(session: &Session) -> Verdict {
    let _ = session;
    todo!()
}

/// Looks for structural trouble; `fix` mends what can be mended without a decision.
pub fn check(session: &Session, files: &[String], fix: bool, how: &How) -> Verdict {
    let _ = (session, files, fix, how);
    todo!()
}

/// What `init` is asked for.
#[derive(Clone, Debug, Default)]
pub struct InitQuery {
    /// With the example memory.
    pub example: bool,
    /// Around what is there, changing nothing in it.
    pub adopt: bool,
}

/// Makes a data dir. Works without a session, because there is none yet.
pub fn init(dir: &std::path::Path, query: &InitQuery) -> Verdict {
    let _ = (dir, query);
    todo!()
}

/// Where things are: the data dir, a file's absolute path.
pub fn whereis(session: &Session, address: Option<&str>) -> Verdict {
    let _ = (session, address);
    todo!()
}
