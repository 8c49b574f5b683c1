//! What is known about an item that an agent is shown, in one place for `context` and all hooks: its age, whether the
//! code that it is anchored to has changed, and whether the instructions of the repository say otherwise.
//!
//! Looks only at the items that it is asked about. What cannot be read raises no doubt.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Session;
use super::check::against::{OutsideIndex, OutsideText, outside_texts};
use super::code_anchors::AnchoredCode;
use crate::document::Document;
use crate::host::code_history::repository_root;
use crate::path::SourceAddress;
use crate::store::code_files::CodeFiles;
use crate::text::code_anchor::CodeAnchor;
use crate::text::code_path::CodePath;
use crate::text::code_text::{CodeText, LinesMatch};
use crate::view::context::remarks::{ItemRemarks, ShownItem, age_in_days, code_place};
use crate::view::stale_anchors::StaleAnchor;

/// Files with instructions for agents, which their hosts load by themselves.
const INSTRUCTIONS: [&str; 3] = ["CLAUDE.md", "AGENTS.md", "GEMINI.md"];
/// Larger files with instructions, in bytes, are not compared.
const MAX_INSTRUCTION_BYTES: usize = 256 << 10;
/// How many bytes of code are read for one answer, and how many are hashed to find lines that moved: some milliseconds.
const MAX_CODE_BYTES: u64 = 16 << 20;
const MAX_SEARCHED_BYTES: u64 = 8 << 20;

/// What shown items are compared with.
pub struct ItemDoubts<'a> {
    session: &'a Session,
    instructions: OutsideIndex<'a>,
    code: RefCell<CodeCache>,
}

/// The code files that anchors name, each read once.
struct CodeCache {
    /// By the name of the memory whose anchors name them, empty for the session's own; `None` without a repository.
    repositories: HashMap<String, Option<AnchoredCode>>,
    files: HashMap<(String, String), CodeFile>,
    bytes_left: u64,
    searched_left: u64,
}

enum CodeFile {
    Text(CodeText),
    Gone,
    Unreadable,
}

impl<'a> ItemDoubts<'a> {
    /// `instructions` are those of [`read_instructions`].
    pub fn new(session: &'a Session, instructions: &'a [OutsideText]) -> ItemDoubts<'a> {
        let code = CodeCache {
            repositories: HashMap::new(),
            files: HashMap::new(),
            bytes_left: MAX_CODE_BYTES,
            searched_left: MAX_SEARCHED_BYTES,
        };
        ItemDoubts { session, instructions: OutsideIndex::of(instructions), code: RefCell::new(code) }
    }

    /// What is known about an item.
    pub fn remarks(&self, item: &ShownItem<'_>) -> ItemRemarks {
        let contradicts = self.instructions.contradicting(item.text);
        ItemRemarks {
            age: item.day.and_then(|day| age_in_days(day, self.session.now.date())),
            stale_anchor: item.anchor.and_then(|anchor| self.stale_anchor(item.address, anchor)),
            contradicts: contradicts.map(|other| format!("{}:{}", other.file, other.line)),
        }
    }

    fn stale_anchor(&self, address: &str, anchor: &str) -> Option<(StaleAnchor, String)> {
        let anchor = CodeAnchor::parse(anchor).ok()?;
        let hash = anchor.hash?;
        let source = SourceAddress::parse_shared(address).map_or("", |address| address.source);
        let mut code = self.code.borrow_mut();
        let CodeCache { repositories, files, bytes_left, searched_left } = &mut *code;
        let repository = repositories.entry(source.to_owned()).or_insert_with(|| self.repository_of(source));
        let key = (source.to_owned(), anchor.path.to_string());
        let file = files.entry(key).or_insert_with(|| read_code(repository.as_ref(), &anchor.path, bytes_left));
        let state = match file {
            CodeFile::Unreadable => None,
            CodeFile::Gone => Some(StaleAnchor::Gone),
            CodeFile::Text(text) => match text.find(anchor.lines, hash, searched_left) {
                LinesMatch::Same => None,
                LinesMatch::Moved(_) => Some(StaleAnchor::Moved),
                LinesMatch::Changed | LinesMatch::Repeated(_) => Some(StaleAnchor::Changed),
            },
        }?;
        Some((state, code_place(&anchor, state)))
    }

    /// The code around a memory that is read together with the session's, or around its own for an empty name.
    fn repository_of(&self, source: &str) -> Option<AnchoredCode> {
        match source {
            "" => AnchoredCode::open(self.session).ok(),
            source => AnchoredCode::open(&*self.session.source(source).ok()??).ok(),
        }
    }
}

fn read_code(repository: Option<&AnchoredCode>, path: &CodePath, bytes_left: &mut u64) -> CodeFile {
    let Some(repository) = repository.filter(|_| *bytes_left > 0) else { return CodeFile::Unreadable };
    match repository.read(path) {
        Ok(Some(text)) => {
            *bytes_left = bytes_left.saturating_sub(text.byte_count());
            CodeFile::Text(text)
        }
        Ok(None) => CodeFile::Gone,
        Err(_) => CodeFile::Unreadable,
    }
}

/// The sentences of the instructions for agents in the repository of the memory, and in the one and the folder that the
/// caller works in. Not files of a memory: a restricted caller may not see them.
pub fn read_instructions(session: &Session, directory: &Path) -> Vec<OutsideText> {
    let memories = memory_dirs(session);
    let mut texts = Vec::new();
    for (root, folder) in instruction_folders(session, directory) {
        let Ok(files) = CodeFiles::open(&root) else { continue };
        for name in INSTRUCTIONS {
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let file = root.join(&path);
            if memories.iter().any(|memory| file.starts_with(memory)) || session.require_outside(&[file]).is_err() {
                continue;
            }
            // Through the sandbox, because a clone may bring a link along.
            let bytes = CodePath::new(&path).ok().and_then(|path| files.read(&path).ok()?);
            let bytes = bytes.filter(|bytes| bytes.len() <= MAX_INSTRUCTION_BYTES);
            if let Some(document) = bytes.and_then(|bytes| Document::from_bytes(bytes).ok()) {
                texts.extend(outside_texts(&path, None, &document));
            }
        }
    }
    texts
}

/// Where instructions may be: roots of repositories, each with a folder in it, or the working directory itself.
fn instruction_folders(session: &Session, directory: &Path) -> Vec<(PathBuf, String)> {
    let mut folders: Vec<(PathBuf, String)> = Vec::new();
    let mut push = |root: PathBuf, folder: String| {
        if !folders.contains(&(root.clone(), folder.clone())) {
            folders.push((root, folder));
        }
    };
    if let Some(root) = repository_root(&session.dir) {
        push(root, String::new());
    }
    if let Ok(directory) = directory.canonicalize() {
        let root = repository_root(&directory).unwrap_or_else(|| directory.clone());
        let folder = directory.strip_prefix(&root).ok().and_then(Path::to_str).map(str::to_owned);
        push(root.clone(), String::new());
        if let Some(folder) = folder {
            push(root, folder);
        }
    }
    folders
}

/// The data directories that the session reads, links resolved.
fn memory_dirs(session: &Session) -> Vec<PathBuf> {
    let others = session.sources().unwrap_or_default().sessions.into_iter().map(|(_, other)| other.dir.clone());
    std::iter::once(session.dir.clone()).chain(others).filter_map(|dir| dir.canonicalize().ok()).collect()
}
