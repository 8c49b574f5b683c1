//! The part of a memory that planning has read, and the inputs it can request.
//!
//! Pure. Never reads a file: the caller of `plan` fetches missing inputs, adds them here and plans again.

use std::collections::HashMap;

use crate::change::{Changeset, Etag, FileVersion};
use crate::code::{Code, Rejection};
use crate::document::{Document, RecordedUpdates};
use crate::path::MemoryPath;

/// A file that was read and parsed.
#[derive(Debug)]
pub struct LoadedFile {
    /// Etag, mode and inode. Its bytes are empty: the document has them, and large files must not be in memory twice.
    pub version: FileVersion,
    /// The whole text, parsed.
    pub document: Document,
}

/// What reading a file returned.
#[derive(Debug)]
pub enum FileState {
    /// The file does not exist.
    Absent,
    Present(Box<LoadedFile>),
    /// The file must not, or cannot, be read.
    Unreadable(Rejection),
}

/// One earlier text of a file.
#[derive(Debug)]
pub struct PastText {
    /// The revision that replaced it; `None` for an edit outside memdir.
    pub rev: Option<u64>,
    /// The actor of that revision; `outside` for an edit outside memdir, empty in an overlay.
    pub actor: String,
    pub document: Document,
    /// The texts of bullets that the revision replaced, inserted and removed.
    pub updates: RecordedUpdates,
    /// Those that it put into the file's copy in `archive/`.
    pub archived: RecordedUpdates,
    /// What that revision moved: addresses from and to, as its caller wrote them.
    pub moves: Vec<(String, String)>,
}

/// Earlier texts of a file, reconstructed from the journal and its slots.
#[derive(Debug, Default)]
pub struct FileHistory {
    /// The text that memdir wrote last, if it is still available and the file has changed since.
    pub last_written: Option<Document>,
    /// Earlier texts, newest first: the text before each revision and, where it differs, the text that the preceding
    /// revision wrote (with `rev` `None`: an edit outside memdir replaced it).
    pub past: Vec<PastText>,
    /// The oldest revision that was searched for them; `None` if all were.
    pub searched_from: Option<u64>,
}

/// What a snapshot has of one file.
#[derive(Debug, Default)]
pub struct FileInputs {
    state: Option<FileState>,
    pub last_summary: Option<Option<String>>,
    pub history: Option<FileHistory>,
}

impl FileInputs {
    /// The file, if it was read and exists.
    pub fn loaded(&self) -> Option<&LoadedFile> {
        match &self.state {
            Some(FileState::Present(loaded)) => Some(loaded),
            _ => None,
        }
    }
}

/// An input that planning needs and the snapshot does not have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MissingInput {
    /// Whether a file exists, and its version and text.
    File(MemoryPath),
    /// The names of all files; needed before a new file is created.
    FileNames,
    /// Whether there is a folder of this name at the top of the memory.
    TopFolder(String),
    /// The files that contain this id.
    IdHolders(String),
    /// The files that link to this one.
    Backlinks(MemoryPath),
    /// The last summary line that memdir generated for a file, from the last 64 KiB of the journal.
    LastSummary(MemoryPath),
    /// A file's earlier texts.
    History(MemoryPath),
    /// The files with bullets that share the most search terms with a text.
    RelatedFiles {
        text: String,
        /// The least number of terms that a bullet must share.
        least_shared: usize,
        /// The maximum number of files.
        most: usize,
    },
}

/// Why planning an operation stopped.
#[derive(Debug)]
pub enum PlanStop {
    /// An input is missing.
    NeedsInput(MissingInput),
    /// The operation is rejected.
    Rejected(Box<Rejection>),
}

impl From<Rejection> for PlanStop {
    fn from(rejection: Rejection) -> PlanStop {
        PlanStop::Rejected(Box::new(rejection))
    }
}

/// The result of a step of planning.
pub type PlanStep<T> = Result<T, PlanStop>;

/// What planning has read of a memory so far.
#[derive(Debug, Default)]
pub struct Snapshot {
    files: HashMap<MemoryPath, FileState>,
    file_names: Option<Vec<MemoryPath>>,
    top_folders: HashMap<String, bool>,
    id_holders: HashMap<String, Vec<MemoryPath>>,
    backlinks: HashMap<MemoryPath, Vec<MemoryPath>>,
    last_summaries: HashMap<MemoryPath, Option<String>>,
    histories: HashMap<MemoryPath, FileHistory>,
    related_files: HashMap<String, Vec<MemoryPath>>,
}

impl Snapshot {
    pub fn new() -> Snapshot {
        Snapshot::default()
    }

    /// Adds the result of reading a file.
    pub fn insert_file(&mut self, path: MemoryPath, read: Result<Option<FileVersion>, Rejection>) {
        let state = match read {
            Ok(None) => FileState::Absent,
            Err(rejection) => FileState::Unreadable(rejection),
            Ok(Some(mut version)) => match Document::from_bytes(take_bytes(&mut version)) {
                Ok(document) => FileState::Present(Box::new(LoadedFile { version, document })),
                Err(error) => FileState::Unreadable(not_text_rejection(&path, error)),
            },
        };
        self.files.insert(path, state);
    }

    pub fn set_file_names(&mut self, names: Vec<MemoryPath>) {
        self.file_names = Some(names);
    }

    /// Adds whether there is a folder of this name at the top of the memory.
    pub fn insert_top_folder(&mut self, name: String, exists: bool) {
        self.top_folders.insert(name, exists);
    }

    /// Adds the files that contain an id.
    pub fn insert_id_holders(&mut self, id: String, files: Vec<MemoryPath>) {
        self.id_holders.insert(id, files);
    }

    /// Adds the files that link to a file.
    pub fn insert_backlinks(&mut self, to: MemoryPath, files: Vec<MemoryPath>) {
        self.backlinks.insert(to, files);
    }

    /// Adds the last summary line that memdir generated for a file; `None` if the journal has none.
    pub fn insert_last_summary(&mut self, of: MemoryPath, line: Option<String>) {
        self.last_summaries.insert(of, line);
    }

    pub fn insert_history(&mut self, of: MemoryPath, history: FileHistory) {
        self.histories.insert(of, history);
    }

    /// Adds the files with bullets that share the most search terms with a text, best first.
    pub fn insert_related_files(&mut self, text: String, files: Vec<MemoryPath>) {
        self.related_files.insert(text, files);
    }

    /// Removes all that was read of one file.
    pub fn take_file_inputs(&mut self, path: &MemoryPath) -> FileInputs {
        FileInputs {
            state: self.files.remove(path),
            last_summary: self.last_summaries.remove(path),
            history: self.histories.remove(path),
        }
    }

    /// Replaces all that the snapshot has of one file.
    pub fn restore_file_inputs(&mut self, path: MemoryPath, inputs: FileInputs) {
        self.take_file_inputs(&path);
        self.last_summaries.extend(inputs.last_summary.map(|line| (path.clone(), line)));
        self.histories.extend(inputs.history.map(|history| (path.clone(), history)));
        self.files.extend(inputs.state.map(|state| (path, state)));
    }

    /// Adds a file to the names of all files, or removes it, if the names were read.
    pub fn list_file(&mut self, path: &MemoryPath, exists: bool) {
        let Some(names) = &mut self.file_names else { return };
        names.retain(|name| name != path);
        names.extend(exists.then(|| path.clone()));
        names.sort();
    }

    /// Whether it was looked for a file.
    pub fn has_read(&self, path: &MemoryPath) -> bool {
        self.files.contains_key(path)
    }

    /// A file; `None` if it does not exist.
    pub fn file(&self, path: &MemoryPath) -> PlanStep<Option<&LoadedFile>> {
        match self.files.get(path) {
            None => Err(PlanStop::NeedsInput(MissingInput::File(path.clone()))),
            Some(FileState::Absent) => Ok(None),
            Some(FileState::Present(loaded)) => Ok(Some(loaded)),
            Some(FileState::Unreadable(rejection)) => Err(rejection.clone().into()),
        }
    }

    /// Whether a file exists, readable or not.
    pub fn exists(&self, path: &MemoryPath) -> PlanStep<bool> {
        match self.files.get(path) {
            None => Err(PlanStop::NeedsInput(MissingInput::File(path.clone()))),
            Some(FileState::Absent) => Ok(false),
            // A caller that may not read the file must not learn whether it exists. Whether a file exists that the
            // system refuses to open is not known.
            Some(FileState::Unreadable(error)) if matches!(error.code, Code::CategoryNotAllowed | Code::Io) => {
                Err(error.clone().into())
            }
            Some(_) => Ok(true),
        }
    }

    pub fn file_names(&self) -> PlanStep<&[MemoryPath]> {
        self.file_names.as_deref().ok_or(PlanStop::NeedsInput(MissingInput::FileNames))
    }

    /// Whether there is a folder of this name at the top of the memory.
    pub fn has_top_folder(&self, name: &str) -> PlanStep<bool> {
        self.top_folders
            .get(name)
            .copied()
            .ok_or_else(|| PlanStop::NeedsInput(MissingInput::TopFolder(name.to_owned())))
    }

    /// The files that contain an id.
    pub fn id_holders(&self, id: &str) -> PlanStep<&[MemoryPath]> {
        self.id_holders
            .get(id)
            .map(Vec::as_slice)
            .ok_or_else(|| PlanStop::NeedsInput(MissingInput::IdHolders(id.to_owned())))
    }

    /// The files that link to a file.
    pub fn backlinks(&self, to: &MemoryPath) -> PlanStep<&[MemoryPath]> {
        self.backlinks
            .get(to)
            .map(Vec::as_slice)
            .ok_or_else(|| PlanStop::NeedsInput(MissingInput::Backlinks(to.clone())))
    }

    /// The last summary line that memdir generated for a file, if the journal has one.
    pub fn last_summary(&self, of: &MemoryPath) -> PlanStep<Option<&str>> {
        self.last_summaries
            .get(of)
            .map(Option::as_deref)
            .ok_or_else(|| PlanStop::NeedsInput(MissingInput::LastSummary(of.clone())))
    }

    /// The files that [`MissingInput::RelatedFiles`] asks for.
    pub fn related_files(&self, wanted: MissingInput) -> PlanStep<&[MemoryPath]> {
        let known = match &wanted {
            MissingInput::RelatedFiles { text, .. } => self.related_files.get(text),
            _ => None,
        };
        known.map(Vec::as_slice).ok_or(PlanStop::NeedsInput(wanted))
    }

    pub fn history(&self, of: &MemoryPath) -> PlanStep<&FileHistory> {
        self.histories.get(of).ok_or_else(|| PlanStop::NeedsInput(MissingInput::History(of.clone())))
    }
}

impl Snapshot {
    /// Moves the texts of the files that a changeset replaces into it, and drops everything else.
    pub fn move_texts_to(mut self, changeset: &mut Changeset) {
        for file in &mut changeset.files {
            if let (Some(before), Some(FileState::Present(loaded))) = (&mut file.before, self.files.remove(&file.path))
                && before.etag == loaded.version.etag
                && before.bytes.is_empty()
            {
                before.bytes = std::sync::Arc::new(loaded.document.into_text().into_bytes());
            }
        }
    }
}

/// Takes the bytes out of a version, without a copy if they are not shared: a large file must not be in memory twice.
fn take_bytes(version: &mut FileVersion) -> Vec<u8> {
    std::sync::Arc::unwrap_or_clone(std::mem::take(&mut version.bytes))
}

/// The rejection of a file that is not UTF-8 text; `at` is the byte offset from 0.
pub fn not_text_rejection(path: &MemoryPath, error: crate::document::TextDecodeError) -> Rejection {
    use crate::document::TextDecodeError;
    let (what, at) = match error {
        TextDecodeError::InvalidUtf8(at) => ("is not UTF-8", at),
        TextDecodeError::NulByte(at) => ("contains a NUL byte", at),
    };
    Rejection::new(Code::NotText, format!("{path} {what} (byte {at})"))
        .hint("memdir changes only UTF-8 text; convert the file first")
        .detail("path", path.as_str())
        .detail("offset", at)
}

/// Whether a caller's `seen` is the present etag of the file, or of `part` of its text.
pub fn matches_etag(seen: Option<&str>, loaded: &LoadedFile, part: Option<&str>) -> bool {
    seen.is_some_and(|s| {
        loaded.version.etag.matches_prefix(s) || part.is_some_and(|p| Etag::of(p.as_bytes()).matches_prefix(s))
    })
}
