//! What planning knows of a memory, and what it asks for when that is not enough.
//!
//! Pure: whoever plans fetches what is wanted and plans again.

use std::collections::HashMap;

use crate::change::{Etag, Version};
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::path::MemoryPath;

/// A file as planning sees it.
#[derive(Debug)]
pub struct Loaded {
    /// Etag, mode and inode; its bytes are the document's text and not kept twice.
    pub version: Version,
    /// The same, parsed.
    pub document: Document,
}

/// What is known of a file.
#[derive(Debug)]
pub enum Known {
    /// It does not exist.
    Absent,
    /// It exists.
    Present(Box<Loaded>),
    /// It must not, or cannot, be read.
    Refused(Rejection),
}

/// One text that a file had.
#[derive(Debug)]
pub struct Past {
    /// The revision that ended it; `None` where an outside edit did.
    pub rev: Option<u64>,
    /// Who ended it.
    pub actor: String,
    /// When, as the journal says it.
    pub at: String,
    /// The text.
    pub document: Document,
}

/// What journal and slots know of a file.
#[derive(Debug, Default)]
pub struct History {
    /// The text that memdir left last, if it can still be had and the file has changed since.
    pub left: Option<Document>,
    /// Earlier texts, newest first: what stood before each revision, and before that, where it differs, what the
    /// revision before left (then `rev` is `None`: an outside edit ended it).
    pub past: Vec<Past>,
}

/// What planning asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// A file's content.
    File(MemoryPath),
    /// The names of all files (before a new one is made).
    Names,
    /// The files that hold this id.
    Id(String),
    /// The files that link to this one.
    LinksTo(MemoryPath),
    /// memdir's own last summary line for a file, from the journal's last 64 KiB.
    Line(MemoryPath),
    /// What journal and slots know of a file.
    History(MemoryPath),
}

/// Why a step of planning stopped.
#[derive(Debug)]
pub enum Stop {
    /// It must be told something first.
    Want(Want),
    /// It is refused.
    Reject(Box<Rejection>),
}

impl From<Rejection> for Stop {
    fn from(rejection: Rejection) -> Stop {
        Stop::Reject(Box::new(rejection))
    }
}

/// A step of planning.
pub type Step<T> = Result<T, Stop>;

/// What is known so far.
#[derive(Debug, Default)]
pub struct Snapshot {
    files: HashMap<MemoryPath, Known>,
    names: Option<Vec<MemoryPath>>,
    ids: HashMap<String, Vec<MemoryPath>>,
    links: HashMap<MemoryPath, Vec<MemoryPath>>,
    lines: HashMap<MemoryPath, Option<String>>,
    histories: HashMap<MemoryPath, History>,
}

impl Snapshot {
    /// Knows nothing yet.
    pub fn new() -> Snapshot {
        Snapshot::default()
    }

    /// Learns what reading a file gave.
    pub fn learn(&mut self, path: MemoryPath, read: Result<Option<Version>, Rejection>) {
        let known = match read {
            Ok(None) => Known::Absent,
            Err(rejection) => Known::Refused(rejection),
            Ok(Some(mut version)) => match Document::read(taken(&mut version)) {
                Ok(document) => Known::Present(Box::new(Loaded { version, document })),
                Err(why) => Known::Refused(not_text(&path, why)),
            },
        };
        self.files.insert(path, known);
    }

    /// Learns all file names.
    pub fn learn_names(&mut self, names: Vec<MemoryPath>) {
        self.names = Some(names);
    }

    /// Learns which files hold an id.
    pub fn learn_id(&mut self, id: String, files: Vec<MemoryPath>) {
        self.ids.insert(id, files);
    }

    /// Learns which files link to one.
    pub fn learn_links(&mut self, to: MemoryPath, files: Vec<MemoryPath>) {
        self.links.insert(to, files);
    }

    /// Learns memdir's own last summary line for a file.
    pub fn learn_line(&mut self, of: MemoryPath, line: Option<String>) {
        self.lines.insert(of, line);
    }

    /// Learns a file's history.
    pub fn learn_history(&mut self, of: MemoryPath, history: History) {
        self.histories.insert(of, history);
    }

    /// A file: `None` when it does not exist.
    pub fn file(&self, path: &MemoryPath) -> Step<Option<&Loaded>> {
        match self.files.get(path) {
            None => Err(Stop::Want(Want::File(path.clone()))),
            Some(Known::Absent) => Ok(None),
            Some(Known::Present(loaded)) => Ok(Some(loaded)),
            Some(Known::Refused(rejection)) => Err(rejection.clone().into()),
        }
    }

    /// Whether something stands at a path, readable or not.
    pub fn exists(&self, path: &MemoryPath) -> Step<bool> {
        match self.files.get(path) {
            None => Err(Stop::Want(Want::File(path.clone()))),
            Some(Known::Absent) => Ok(false),
            // Whether it is there is not told to whoever may not see it.
            Some(Known::Refused(why)) if why.code == Code::CategoryNotAllowed => Err(why.clone().into()),
            Some(_) => Ok(true),
        }
    }

    /// All file names.
    pub fn names(&self) -> Step<&[MemoryPath]> {
        self.names.as_deref().ok_or(Stop::Want(Want::Names))
    }

    /// The files that hold an id.
    pub fn holders(&self, id: &str) -> Step<&[MemoryPath]> {
        self.ids.get(id).map(Vec::as_slice).ok_or_else(|| Stop::Want(Want::Id(id.to_owned())))
    }

    /// The files that link to one.
    pub fn linking(&self, to: &MemoryPath) -> Step<&[MemoryPath]> {
        self.links.get(to).map(Vec::as_slice).ok_or_else(|| Stop::Want(Want::LinksTo(to.clone())))
    }

    /// memdir's own last summary line for a file, if the journal still knows one.
    pub fn line(&self, of: &MemoryPath) -> Step<Option<&str>> {
        self.lines.get(of).map(Option::as_deref).ok_or_else(|| Stop::Want(Want::Line(of.clone())))
    }

    /// A file's history.
    pub fn history(&self, of: &MemoryPath) -> Step<&History> {
        self.histories.get(of).ok_or_else(|| Stop::Want(Want::History(of.clone())))
    }
}

/// The bytes of a version, moved out where nobody else holds them: a large file must not stand in memory twice.
fn taken(version: &mut Version) -> Vec<u8> {
    std::sync::Arc::unwrap_or_clone(std::mem::take(&mut version.bytes))
}

/// The refusal of bytes that are no text.
pub fn not_text(path: &MemoryPath, why: crate::document::NotText) -> Rejection {
    use crate::document::NotText;
    let (what, at) = match why {
        NotText::Utf8(at) => ("is not UTF-8", at),
        NotText::Nul(at) => ("holds a NUL byte", at),
    };
    Rejection::new(Code::NotText, format!("{path} {what} (byte {at})"))
        .hint("memdir changes only UTF-8 text; convert the file first")
        .detail("path", path.as_str())
        .detail("offset", at)
}

/// Whether a caller's `seen` is the present etag of the file or of that part of it.
pub fn is_current(seen: Option<&str>, loaded: &Loaded, part: Option<&str>) -> bool {
    seen.is_some_and(|s| loaded.version.etag.proven_by(s) || part.is_some_and(|p| Etag::of(p.as_bytes()).proven_by(s)))
}
