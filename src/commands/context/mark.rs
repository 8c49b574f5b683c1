//! What a reader has seen: the revision, and the outside edits it was told of.
//!
//! Never the truth about anything: without it, the next context tells no news.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::change::{Entry, Etag, Outcome};
use crate::path::MemoryPath;
use crate::store::Store;
use crate::view::context::delta::Since;
use crate::view::query::known::Known;

/// Up to where a reader has seen a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Who.
    reader: String,
    /// The last revision it knows; 0 before the first.
    rev: u64,
    /// When that was made: another journal's revision of this number was made at another time.
    #[serde(default)]
    at: Option<String>,
    /// Files changed outside memdir, as the reader knows them: their etags; none for one that is gone.
    #[serde(default)]
    outside: BTreeMap<String, Option<String>>,
    /// The files that were there: what the journal never wrote comes and goes unseen otherwise.
    files: Names,
}

impl Mark {
    /// A reader's mark; `None` on its first look.
    pub fn of(store: &Store, reader: &str) -> Option<Mark> {
        let mark: Mark = serde_json::from_str(&store.note(&name(reader))?).ok()?;
        (mark.reader == reader).then_some(mark)
    }

    /// The mark after a look at all of these revisions and files, with the outside edits that it showed.
    pub fn after(reader: &str, revisions: &[Entry], files: &Names, outside: HashMap<MemoryPath, Option<Etag>>) -> Mark {
        // A revision whose fate is open is told when it is decided.
        let decided = revisions.iter().take_while(|r| r.outcome != Outcome::Pending).last();
        Mark {
            reader: reader.to_owned(),
            rev: decided.map_or(0, |r| r.rev),
            at: decided.map(|r| r.at.clone()),
            files: files.clone(),
            outside: outside.into_iter().map(|(path, etag)| (path.to_string(), etag.map(|e| e.hex()))).collect(),
        }
    }

    /// Whether it belongs to this journal.
    pub fn stands(&self, revisions: &[Entry]) -> bool {
        let last = revisions.last().map_or(0, |r| r.rev);
        let own = revisions.iter().find(|r| r.rev == self.rev);
        // Its own revision may have been forgotten, in bulk with all older ones.
        self.rev <= last && own.is_none_or(|own| Some(&own.at) == self.at.as_ref())
    }

    /// The last revision that the reader knows.
    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// How the reader knows a file that was changed outside memdir: its etag; none for one that was gone.
    pub fn outside(&self, path: &MemoryPath) -> Option<Option<Etag>> {
        self.outside.get(path.as_str()).map(|hex| hex.as_deref().and_then(Etag::parse))
    }

    /// The files that were there.
    pub fn files(&self) -> &Names {
        &self.files
    }

    /// The point since which news are told.
    pub fn since(&self, revisions: &[Entry]) -> Since {
        let rev = format!("r{}", self.rev);
        let command = match revisions.iter().any(|r| r.rev == self.rev) {
            true => format!("memdir diff --since {rev}"),
            false => "memdir log".to_owned(),
        };
        Since { rev, command }
    }

    /// What memdir itself has made since.
    pub fn fresh(&self, revisions: &[Entry]) -> Known {
        Known::read(&revisions[revisions.partition_point(|r| r.rev <= self.rev)..])
    }

    /// Writes it down, as well as it can be: on a read-only mount the next context starts where this one did.
    pub fn keep(&self, store: &Store) {
        let name = name(&self.reader);
        let Ok(text) = serde_json::to_string(self) else { return };
        if store.note(&name).as_deref() != Some(&text) {
            drop(store.leave_note(&name, &text));
        }
    }
}

/// Names of files in one text: mostly two of them are compared, and are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names(String);

impl Names {
    /// What no path holds.
    const BETWEEN: &str = "//";

    /// Joins names.
    pub fn of<'a>(paths: impl Iterator<Item = &'a MemoryPath>) -> Names {
        let mut all = String::new();
        paths.for_each(|path| all.extend([path.as_str(), Names::BETWEEN]));
        Names(all)
    }

    /// The names one by one.
    pub fn all(&self) -> HashSet<&str> {
        self.0.split(Names::BETWEEN).filter(|name| !name.is_empty()).collect()
    }
}

/// The note's name below `.memdir/`: readers may be called anything.
fn name(reader: &str) -> String {
    format!("mark-{}", Etag::of(reader.as_bytes()).short())
}
