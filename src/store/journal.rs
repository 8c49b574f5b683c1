//! The journal's lines: one JSON object each, closed by a checksum; and the file they are appended to.
//!
//! Never believes a line without a good checksum, and never changes a line that is there.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::protocol::{Ending, Kind};
use super::root::{refusal, refusal_to_write, write_all};
use super::{platform, slot};
use crate::change::{Changeset, Entry, EntryFile, Etag, Header, Inverts, JournalEdit, Outcome};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// Its name below `.memdir/`.
pub const NAME: &str = "journal";
/// The size of every end line, its line end included.
pub const END: usize = 64;
/// How much of its end is read to find the last entries, in bytes.
pub const TAIL: usize = 64 << 10;

/// What is about to happen: a line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Intent {
    v: u32,
    /// The revision.
    pub rev: u64,
    at: String,
    actor: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
    #[serde(default, rename = "ops", skip_serializing_if = "Vec::is_empty")]
    operations: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undo: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redo: Option<u64>,
    /// Its texts are kept nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// Folders that were made for it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dirs: Vec<String>,
    /// The files, in the order in which they are written.
    pub files: Vec<IntentFile>,
}

/// What an intent says of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IntentFile {
    /// Its path.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// Permission bits before (of a created file: after).
    pub mode: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode_after: Option<u32>,
    /// The inode of the text in the slot; 0 where there is none.
    #[serde(default)]
    pub inode: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edits: Option<Vec<(usize, String, String)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moved: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
}

impl Intent {
    /// What a changeset is about to do. `inodes` are the slots', by file.
    pub fn new(rev: u64, changeset: &Changeset, header: &Header, answer: Option<Value>) -> Intent {
        let keep = !changeset.forget;
        let (undo, redo) = match changeset.inverts {
            Some(Inverts::Undo(rev)) => (Some(rev), None),
            Some(Inverts::Redo(rev)) => (None, Some(rev)),
            None => (None, None),
        };
        Intent {
            v: 1,
            rev,
            at: header.at.clone(),
            actor: header.actor.clone(),
            reason: header.reason.clone(),
            source: header.source.clone(),
            request: header.request.clone(),
            answer: answer.filter(|_| keep),
            operations: if keep { changeset.operations.clone() } else { Vec::new() },
            undo,
            redo,
            forgotten: changeset.forget,
            dirs: Vec::new(),
            files: changeset.files.iter().map(|file| IntentFile::new(file, keep)).collect(),
        }
    }

    /// Takes every text out that a journal holds of these paths; says whether there was any of them.
    pub fn forget(&mut self, paths: &[MemoryPath]) -> bool {
        let named = |path: &str| paths.iter().any(|p| p.as_str() == path);
        if !self.files.iter().any(|file| named(&file.path)) {
            return false;
        }
        (self.answer, self.reason) = (None, None);
        self.operations.clear();
        self.forgotten = true;
        for file in self.files.iter_mut().filter(|file| named(&file.path)) {
            (file.edits, file.summary) = (None, None);
        }
        true
    }

    /// As an entry that ended in some way.
    pub fn entry(&self, outcome: Outcome) -> Entry {
        Entry {
            rev: self.rev,
            at: self.at.clone(),
            actor: self.actor.clone(),
            reason: self.reason.clone(),
            source: self.source.clone(),
            request: self.request.clone(),
            answer: self.answer.clone(),
            operations: self.operations.clone(),
            inverts: self.undo.map(Inverts::Undo).or(self.redo.map(Inverts::Redo)),
            outcome,
            files: self.files.iter().filter_map(IntentFile::entry).collect(),
            forgotten: self.forgotten,
        }
    }
}

impl IntentFile {
    fn new(file: &crate::change::FileChange, keep: bool) -> IntentFile {
        let before = file.before.as_ref();
        let mode = before.map_or(file.mode.unwrap_or(0o600), |v| v.mode);
        let edits = file.edits.as_ref().filter(|_| keep && before.is_some());
        let edits = edits.map(|all| all.iter().map(|e| (e.start, e.old.clone(), e.new.clone())).collect());
        IntentFile {
            path: file.path.to_string(),
            before: before.map(|v| v.etag.hex()),
            after: file.after.as_ref().map(|bytes| Etag::of(bytes).hex()),
            mode,
            mode_after: file.mode.filter(|&m| file.after.is_some() && m != mode),
            inode: 0,
            edits,
            moved: file.moved.as_ref().map(MemoryPath::to_string),
            summary: file.summary.clone().filter(|_| keep),
        }
    }

    /// What happens to it.
    pub fn kind(&self) -> Kind {
        match (&self.before, &self.after) {
            (None, _) => Kind::Create,
            (_, None) => Kind::Remove,
            _ => Kind::Update,
        }
    }

    /// Its path, checked again: a journal may have been tampered with.
    pub fn path(&self) -> Option<MemoryPath> {
        MemoryPath::found(&self.path).ok()
    }

    /// Etag of the text before.
    pub fn before(&self) -> Option<Etag> {
        self.before.as_deref().and_then(Etag::parse)
    }

    /// Etag of the text after.
    pub fn after(&self) -> Option<Etag> {
        self.after.as_deref().and_then(Etag::parse)
    }

    /// Permission bits after.
    pub fn mode_after(&self) -> u32 {
        self.mode_after.unwrap_or(self.mode)
    }

    /// The text after, from the text before (or the other way round), where the edits are known and fit.
    pub fn apply(&self, text: &[u8], forward: bool) -> Option<Vec<u8>> {
        slot::apply(text, self.edits.as_ref()?, forward)
    }

    fn entry(&self) -> Option<EntryFile> {
        let edit = |(start, old, new): &(usize, String, String)| JournalEdit {
            start: *start,
            old: old.clone(),
            new: new.clone(),
        };
        Some(EntryFile {
            path: self.path()?,
            before: self.before(),
            after: self.after(),
            mode: self.mode,
            edits: self.edits.as_ref().map(|edits| edits.iter().map(edit).collect()),
            moved: self.moved.as_deref().and_then(|p| MemoryPath::found(p).ok()),
            summary: self.summary.clone(),
        })
    }
}

#[derive(Deserialize)]
struct EndLine {
    end: u64,
    #[serde(rename = "as")]
    how: String,
}

/// A line of the journal.
#[derive(Clone, Debug)]
pub enum Line {
    /// What is about to happen.
    Intent(Box<Intent>),
    /// How a revision ended.
    End(u64, Ending),
}

/// The bytes of an intent's line.
pub fn intent_line(intent: &Intent) -> Result<Vec<u8>, Rejection> {
    let mut line = serde_json::to_vec(intent)
        .map_err(|e| Rejection::new(Code::Internal, format!("an intent cannot be written as JSON: {e}")))?;
    line.pop();
    Ok(close(line))
}

/// The bytes of an end line: always [`END`] of them.
pub fn end_line(rev: u64, ending: Ending) -> Vec<u8> {
    let how = match ending {
        Ending::Done => "done",
        Ending::Undone => "undone",
        Ending::Rescued => "rescued",
    };
    let mut line = format!("{{\"v\":1,\"end\":{rev},\"as\":\"{how}\"").into_bytes();
    line.resize(END - CLOSE - 1, b' ');
    close(line)
}

/// The size of `,"crc":"xxxxxxxx"}`.
const CLOSE: usize = 18;

fn close(mut line: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&line);
    line.extend_from_slice(format!(",\"crc\":\"{sum:08x}\"}}\n").as_bytes());
    line
}

/// Reads a line (without its line end); `None` when its checksum is not good.
pub fn parse(line: &[u8]) -> Option<Line> {
    checked(line)?;
    if line.starts_with(b"{\"v\":1,\"end\":") {
        let end: EndLine = serde_json::from_slice(line).ok()?;
        let how = match &*end.how {
            "done" => Ending::Done,
            "undone" => Ending::Undone,
            "rescued" => Ending::Rescued,
            _ => return None,
        };
        return Some(Line::End(end.end, how));
    }
    serde_json::from_slice(line).ok().map(|intent| Line::Intent(Box::new(intent)))
}

/// Whether a line's checksum is good.
fn checked(line: &[u8]) -> Option<()> {
    let (text, tail) = line.split_at_checked(line.len().checked_sub(CLOSE)?)?;
    let digits = tail.strip_prefix(b",\"crc\":\"")?.strip_suffix(b"\"}")?;
    let sum = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (crc32fast::hash(text) == sum).then_some(())
}

/// All good lines of some bytes, with where each starts.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Line> + '_ {
    bytes.split(|&b| b == b'\n').filter_map(parse)
}

/// Intents with how they ended, oldest first, an intent written twice under one number counting as its last.
pub fn records(bytes: &[u8]) -> Vec<(Intent, Option<Ending>)> {
    let mut out: Vec<(Intent, Option<Ending>)> = Vec::new();
    for line in lines(bytes) {
        match line {
            Line::Intent(intent) => out.push((*intent, None)),
            Line::End(rev, how) => {
                if let Some(last) = out.iter_mut().rev().find(|(intent, _)| intent.rev == rev) {
                    last.1 = Some(how);
                }
            }
        }
    }
    out
}

/// How an entry ended, from its end line. Anything but the last one that has none was superseded.
pub fn outcome(ending: Option<Ending>) -> Outcome {
    match ending {
        Some(Ending::Done) => Outcome::Done,
        Some(Ending::Undone | Ending::Rescued) => Outcome::Undone,
        None => Outcome::Pending,
    }
}

/// An open journal.
pub struct Journal {
    fd: OwnedFd,
    /// Its size when it was last looked at, in bytes.
    pub size: u64,
}

/// Where the journal stands.
pub enum Tail {
    /// The last line is this end.
    Ended(u64, Ending),
    /// The highest known revision, and the intent without an end, if there is one.
    Open(u64, Option<Box<Intent>>),
}

impl Tail {
    /// The highest known revision; 0 before the first.
    pub fn rev(&self) -> u64 {
        match self {
            Tail::Ended(rev, _) | Tail::Open(rev, _) => *rev,
        }
    }
}

impl Journal {
    /// Opens it; `None` when there is none. For writing only where the directory allows it.
    pub fn open(machine: BorrowedFd<'_>, write: bool) -> Result<Option<Journal>, Rejection> {
        let opened = match write {
            true => platform::open_append(machine, NAME),
            false => platform::open_file(machine, NAME),
        };
        let fd = match opened {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(e) if write => return Err(refusal_to_write(e, "the journal")),
            Err(e) => return Err(refusal(e, "the journal")),
        };
        Journal::held(fd).map(Some)
    }

    /// Makes it, or opens it when it is there.
    pub fn create(machine: BorrowedFd<'_>, sync: bool) -> Result<Journal, Rejection> {
        match platform::create(machine, NAME) {
            Ok(_) if sync => drop(platform::sync(machine)),
            Ok(_) | Err(Errno::EXIST) => {}
            Err(e) => return Err(refusal_to_write(e, "the journal")),
        }
        match Journal::open(machine, true)? {
            Some(journal) => Ok(journal),
            None => Err(refusal(Errno::NOENT, "the journal")),
        }
    }

    fn held(fd: OwnedFd) -> Result<Journal, Rejection> {
        let stat = rustix::fs::fstat(&fd).map_err(|e| refusal(e, "the journal"))?;
        if let Some(why) = super::root::unsafe_kind(&stat) {
            return Err(Rejection::new(Code::UnsafeFile, format!("the journal {why}")));
        }
        Ok(Journal { fd, size: stat.st_size as u64 })
    }

    /// Its last bytes, at most `most`; how many come before them.
    pub fn last(&self, most: usize) -> Result<(Vec<u8>, u64), Rejection> {
        let from = self.size.saturating_sub(most as u64);
        let mut bytes = Vec::with_capacity((self.size - from) as usize);
        while (bytes.len() as u64) < self.size - from {
            let at = from + bytes.len() as u64;
            match rustix::io::pread(&self.fd, rustix::buffer::spare_capacity(&mut bytes), at) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(e) => return Err(refusal(e, "the journal")),
            }
        }
        Ok((bytes, from))
    }

    /// All of it.
    pub fn all(&self) -> Result<Vec<u8>, Rejection> {
        self.last(usize::MAX).map(|(bytes, _)| bytes)
    }

    /// The whole lines among its last 64 KiB.
    pub fn recent(&self) -> Result<Vec<u8>, Rejection> {
        let (bytes, from) = self.last(TAIL)?;
        let start = match from {
            0 => 0,
            _ => memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |i| i + 1),
        };
        Ok(bytes[start..].to_vec())
    }

    /// The bytes by which readers see whether anything happened.
    pub fn mark(&self) -> Result<Vec<u8>, Rejection> {
        self.last(END).map(|(bytes, _)| bytes)
    }

    /// Where it stands.
    pub fn tail(&self) -> Result<Tail, Rejection> {
        let (mark, _) = self.last(END)?;
        if let Some(Line::End(rev, how)) = mark.strip_suffix(b"\n").and_then(parse) {
            return Ok(Tail::Ended(rev, how));
        }
        let recent = match self.recent()? {
            lines if self.size as usize <= TAIL || lines_hold_an_intent(&lines) => lines,
            _ => self.all()?,
        };
        let mut records = records(&recent);
        let known = lines(&recent).map(|line| line.rev()).max().unwrap_or(0);
        let last = records.pop().filter(|(intent, end)| end.is_none() && intent.rev == known);
        Ok(Tail::Open(known, last.map(|(intent, _)| Box::new(intent))))
    }

    /// Appends a line, first closing one that was torn.
    ///
    /// # Errors
    /// The system's; then nothing of the line is left, as far as the system still obeys.
    pub fn append(&mut self, line: &[u8]) -> Result<(), Errno> {
        let torn = self.size > 0 && self.mark().map_err(|_| Errno::IO)?.last() != Some(&b'\n');
        let whole = if torn { [b"\n", line].concat() } else { Vec::new() };
        let bytes = if torn { &whole[..] } else { line };
        match write_all(&self.fd, bytes) {
            Ok(()) => {
                self.size += bytes.len() as u64;
                Ok(())
            }
            Err(e) => {
                let _ = rustix::fs::ftruncate(&self.fd, self.size);
                Err(e)
            }
        }
    }

    /// Waits until it is on the disk.
    pub fn sync(&self) -> Result<(), Errno> {
        platform::sync_data(self.fd.as_fd())
    }
}

impl Line {
    fn rev(&self) -> u64 {
        match self {
            Line::Intent(intent) => intent.rev,
            Line::End(rev, _) => *rev,
        }
    }
}

fn lines_hold_an_intent(bytes: &[u8]) -> bool {
    lines(bytes).any(|line| matches!(line, Line::Intent(_)))
}
