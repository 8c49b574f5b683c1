//! The journal's lines: one JSON object each, closed by a checksum.
//!
//! Pure, and never believes a line without a good checksum.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::protocol::{Ending, Kind};
use super::slot;
use crate::change::{Changeset, Entry, EntryFile, Etag, Header, Inverts, JournalEdit, Outcome};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// The size of every end line, its line end included.
pub const END: usize = 64;

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
    #[serde(default, with = "hex", skip_serializing_if = "Option::is_none")]
    before: Option<Etag>,
    #[serde(default, with = "hex", skip_serializing_if = "Option::is_none")]
    after: Option<Etag>,
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

    /// Takes every text out that a journal holds of these paths, and of other paths where one of these texts is in it;
    /// says whether there was any.
    pub fn forget(&mut self, paths: &[MemoryPath], texts: &[String]) -> bool {
        let holds = |text: &String| texts.iter().any(|t| text.contains(t.as_str()));
        let named = |file: &IntentFile| {
            let edited = file.edits.iter().flatten().any(|(_, old, new)| holds(old) || holds(new));
            edited || file.summary.as_ref().is_some_and(holds) || paths.iter().any(|p| p.as_str() == file.path)
        };
        let said = [&self.reason, &self.source, &self.request].into_iter().flatten().any(holds);
        let told = self.operations.iter().chain(&self.answer).any(|value| any_text(value, &holds));
        if !said && !told && !self.files.iter().any(named) {
            return false;
        }
        (self.answer, self.reason) = (None, None);
        self.source = self.source.take().filter(|s| !holds(s));
        self.request = self.request.take().filter(|s| !holds(s));
        self.operations.clear();
        self.forgotten = true;
        for file in self.files.iter_mut().filter(|file| named(file)) {
            (file.edits, file.summary) = (None, None);
        }
        true
    }

    /// As an entry that ended in some way.
    pub fn into_entry(self, outcome: Outcome) -> Entry {
        Entry {
            rev: self.rev,
            at: self.at,
            actor: self.actor,
            reason: self.reason,
            source: self.source,
            request: self.request,
            answer: self.answer,
            operations: self.operations,
            inverts: self.undo.map(Inverts::Undo).or(self.redo.map(Inverts::Redo)),
            outcome,
            files: self.files.into_iter().filter_map(IntentFile::into_entry).collect(),
            forgotten: self.forgotten,
        }
    }
}

fn any_text(value: &Value, holds: &dyn Fn(&String) -> bool) -> bool {
    match value {
        Value::String(text) => holds(text),
        Value::Array(all) => all.iter().any(|v| any_text(v, holds)),
        Value::Object(map) => map.iter().any(|(key, v)| holds(key) || any_text(v, holds)),
        _ => false,
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
            before: before.map(|v| v.etag),
            after: file.after.as_ref().map(|bytes| Etag::of(bytes)),
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
        match (self.before, self.after) {
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
        self.before
    }

    /// Etag of the text after.
    pub fn after(&self) -> Option<Etag> {
        self.after
    }

    /// Permission bits after.
    pub fn mode_after(&self) -> u32 {
        self.mode_after.unwrap_or(self.mode)
    }

    /// The text after, from the text before (or the other way round), where the edits are known and fit.
    pub fn apply(&self, text: &[u8], forward: bool) -> Option<Vec<u8>> {
        slot::apply(text, self.edits.as_ref()?, forward)
    }

    fn into_entry(self) -> Option<EntryFile> {
        let edit = |(start, old, new): (usize, String, String)| JournalEdit { start, old, new };
        Some(EntryFile {
            path: self.path()?,
            before: self.before,
            after: self.after,
            mode: self.mode,
            edits: self.edits.map(|edits| edits.into_iter().map(edit).collect()),
            moved: self.moved.as_deref().and_then(|p| MemoryPath::found(p).ok()),
            summary: self.summary,
        })
    }
}

/// Etags as hex digits, read without a copy of them: a journal holds tens of thousands.
mod hex {
    use super::Etag;
    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(etag: &Option<Etag>, to: S) -> Result<S::Ok, S::Error> {
        match etag {
            Some(etag) => to.serialize_str(&etag.hex()),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Etag>, D::Error> {
        from.deserialize_str(Digits).map(Some)
    }

    struct Digits;

    impl Visitor<'_> for Digits {
        type Value = Etag;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("64 hex digits")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Etag, E> {
            let mut out = [0; 32];
            if text.len() != 64 {
                return Err(E::invalid_length(text.len(), &self));
            }
            for (byte, pair) in out.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
                let digit = |c: u8| char::from(c).to_digit(16).ok_or_else(|| E::custom("not a hex digit"));
                *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
            }
            Ok(Etag(out))
        }
    }
}

#[derive(Deserialize)]
struct EndLine<'a> {
    end: u64,
    #[serde(rename = "as", borrow)]
    how: &'a str,
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
        let end: EndLine<'_> = serde_json::from_slice(line).ok()?;
        let how = match end.how {
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

/// Records as entries, oldest first. An end that cannot be read any more was a good one, as nearly all are: who wrote
/// the next intent had seen it, or written it.
pub fn entries(records: Vec<(Intent, Option<Ending>)>) -> Vec<Entry> {
    let last = records.len().saturating_sub(1);
    let known = |(i, (intent, ending)): (usize, (Intent, Option<Ending>))| {
        intent.into_entry(outcome(ending.or((i < last).then_some(Ending::Done))))
    };
    records.into_iter().enumerate().map(known).collect()
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

impl Line {
    /// Its revision.
    pub fn rev(&self) -> u64 {
        match self {
            Line::Intent(intent) => intent.rev,
            Line::End(rev, _) => *rev,
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::change::{FileChange, Version};
    use std::sync::Arc;

    /// An intent whose line is longer by `grown` bytes.
    pub fn intent(rev: u64, grown: usize) -> Intent {
        let file = FileChange {
            path: MemoryPath::new("facts/a.md").unwrap(),
            before: Some(Version::new(b"abc".to_vec(), 0o640)),
            after: Some(Arc::new(b"aXXc".to_vec())),
            mode: None,
            edits: Some(vec![JournalEdit { start: 1, old: "b".into(), new: "XX".into() }]),
            moved: None,
            summary: Some("line\nbreak".into()),
        };
        let operations = vec![Value::String("x".repeat(grown))];
        let changeset =
            Changeset { files: vec![file], operations, inverts: Some(Inverts::Undo(3)), ..Changeset::default() };
        let header = Header {
            at: "2026-11-20T10:00:00Z".into(),
            actor: "me".into(),
            reason: Some("why".into()),
            source: None,
            request: Some("id".into()),
        };
        Intent::new(rev, &changeset, &header, Some(Value::Bool(true)))
    }

    #[test]
    fn an_end_line_has_always_the_same_size() {
        for rev in [0, 7, 123_456_789, 9_999_999_999_999] {
            for how in [Ending::Done, Ending::Undone, Ending::Rescued] {
                let line = end_line(rev, how);
                assert_eq!((line.len(), line[END - 1]), (END, b'\n'));
                let read = parse(&line[..END - 1]);
                assert!(matches!(read, Some(Line::End(r, h)) if (r, h) == (rev, how)), "{read:?}");
            }
        }
    }

    #[test]
    fn an_intent_reads_as_it_was_written_and_not_at_all_when_a_byte_is_wrong() {
        let line = intent_line(&intent(41, 3)).unwrap();
        let Some(Line::Intent(read)) = parse(&line[..line.len() - 1]) else { panic!() };
        let entry = read.into_entry(Outcome::Done);
        assert_eq!((entry.rev, &*entry.actor, entry.inverts), (41, "me", Some(Inverts::Undo(3))));
        assert_eq!((entry.answer, entry.request.as_deref()), (Some(Value::Bool(true)), Some("id")));
        let edit = JournalEdit { start: 1, old: "b".into(), new: "XX".into() };
        assert_eq!(entry.files[0].edits, Some(vec![edit]));
        assert_eq!((entry.files[0].mode, entry.files[0].before), (0o640, Some(Etag::of(b"abc"))));
        for i in 0..line.len() - 1 {
            let mut spoilt = line[..line.len() - 1].to_vec();
            spoilt[i] ^= 1;
            assert!(parse(&spoilt).is_none(), "byte {i}");
        }
    }
}
