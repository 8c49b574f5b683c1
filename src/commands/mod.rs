//! Use cases: where the rooms meet. Each verb takes a `Session` and plain arguments and answers a value.
//!
//! No clap, no printing, no exit: any door (command line, MCP) can call every verb.

use std::path::PathBuf;

use crate::change::Header;
use crate::code::{Rejection, Warning};
use crate::path::Prefixes;
use crate::policy::Loaded;
use crate::store::Store;

pub mod answer;
pub mod budget;
mod change;
mod check;
pub mod compact;
mod context;
mod diff;
pub mod edit;
mod fetch;
mod forget;
mod gate;
mod guarded;
mod history;
pub mod inbox;
mod init;
mod links;
mod look;
pub mod merge;
pub mod model;
mod query;
pub mod reflect;
mod resolve;
pub mod setup;
mod since;
mod status;
pub mod sync;
mod undo;
mod when;

pub use answer::Answer;
pub use change::change;
pub use check::{Looks, check, checked};
pub use compact::compact;
pub use context::{ContextQuery, Style as ContextStyle, context};
pub use diff::diff;
pub use history::{log, show};
pub use init::init;
pub use look::{Whole, bullets, list, open, outlined, read, whereis};
pub use query::query;
pub use resolve::resolve;
pub use status::status;
pub use undo::{redo, undo};

/// A data dir opened for one caller.
pub struct Session {
    /// The store, as the caller may see it.
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

/// Which revision `undo` takes back.
#[derive(Clone, Debug, Default)]
pub struct UndoQuery {
    /// This one; without it the newest that is not undone yet.
    pub revision: Option<String>,
    /// The newest of this actor that is not undone yet.
    pub by: Option<String>,
    /// Where a file moved on and cannot be merged, leave that file as it is.
    pub keep_edited: bool,
}

/// What `init` is asked for.
#[derive(Clone, Debug, Default)]
pub struct InitQuery {
    /// With the example memory.
    pub example: bool,
    /// Around what is there, changing nothing in it.
    pub adopt: bool,
}

impl Session {
    /// Refuses writes under a policy that is not understood.
    pub fn may_write(&self) -> Result<(), Failure> {
        match &self.policy.refuses_writes {
            Some(rejection) => Err(rejection.clone().into()),
            None => Ok(()),
        }
    }

    /// The data dir as it is written in front of a path from the working directory: `memory/`, or empty; absolute
    /// where it lies elsewhere.
    pub fn below(&self) -> String {
        let all = &self.prefixes.0;
        let plain = |p: &&String| !p.starts_with('/') && !p.starts_with("./");
        match (all.iter().find(plain), all.iter().any(|p| p == "./")) {
            (Some(below), _) => format!("{below}/"),
            (None, true) => String::new(),
            (None, false) => format!("{}/", self.dir.display()),
        }
    }

    /// The journal's header for a change made now.
    pub fn header(&self, reason: Option<String>, source: Option<String>, request: Option<String>) -> Header {
        let at = self.now.timestamp().round(jiff::Unit::Second).unwrap_or(self.now.timestamp());
        Header { at: at.to_string(), actor: self.actor.clone(), reason, source, request }
    }
}
