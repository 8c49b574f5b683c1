//! Encodes and decodes journal records: one JSON object per line, with a checksum at the end.
//!
//! Pure. Never accepts a line with a wrong checksum.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::protocol::{BatchEnding, FileChangeKind};
use super::slot;
use crate::change::{
    BulletTrail, Changeset, EntryFile, EntryHeader, EntryOutcome, Etag, InverseKind, JournalEdit, JournalEntry,
};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

mod forget;

/// Size of every end record, including its newline, in bytes. It is fixed so that readers find the last one by reading
/// 64 bytes.
pub const END_RECORD_BYTES: usize = 64;

/// The record of what a batch is about to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IntentRecord {
    v: u32,
    pub rev: u64,
    #[serde(flatten)]
    header: EntryHeader,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
    #[serde(default, rename = "ops", skip_serializing_if = "Vec::is_empty")]
    operations: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undo: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redo: Option<u64>,
    /// Whether the batch's texts are kept nowhere (`rm --forget`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// What `rm --forget` kept of the bullets whose history it erased for another bullet. Any record may have some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trails: Vec<BulletTrail>,
    /// Folders that were created for it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dirs: Vec<String>,
    /// The files, in the order in which they are written.
    pub files: Vec<IntentFile>,
}

/// What an intent records about one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IntentFile {
    pub path: String,
    #[serde(default, with = "hex", skip_serializing_if = "Option::is_none")]
    before: Option<Etag>,
    #[serde(default, with = "hex", skip_serializing_if = "Option::is_none")]
    after: Option<Etag>,
    /// Permission bits before the batch (after it, for a created file).
    pub mode: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode_after: Option<u32>,
    /// The inode of the new text in the slot; 0 without one.
    #[serde(default)]
    pub inode: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edits: Option<Vec<(usize, String, String)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moved: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
}

impl IntentRecord {
    /// Creates the record of a changeset. The slots' inodes are filled in later.
    pub fn new(rev: u64, changeset: &Changeset, header: &EntryHeader, answer: Option<Value>) -> IntentRecord {
        let keep = !changeset.forget;
        let (undo, redo) = match changeset.inverts {
            Some(InverseKind::Undo(rev)) => (Some(rev), None),
            Some(InverseKind::Redo(rev)) => (None, Some(rev)),
            None => (None, None),
        };
        IntentRecord {
            v: 1,
            rev,
            // The user's words may repeat the text that is forgotten, and a digest could prove a guess at it.
            header: EntryHeader {
                consent: header.consent.clone().filter(|_| keep),
                request_digest: header.request_digest.clone().filter(|_| keep),
                ..header.clone()
            },
            answer: answer.filter(|_| keep),
            operations: if keep { changeset.operations.clone() } else { Vec::new() },
            undo,
            redo,
            forgotten: changeset.forget,
            trails: Vec::new(),
            dirs: Vec::new(),
            files: changeset.files.iter().map(|file| IntentFile::new(file, keep)).collect(),
        }
    }

    /// When it was written.
    pub fn at(&self) -> &str {
        &self.header.at
    }

    /// Whether every file is one that a command may write. Any other record was not written by memdir, and recovery
    /// ignores it.
    pub fn is_recoverable(&self) -> bool {
        self.files.iter().all(|file| file.path().is_some_and(|path| path.odd().is_none()))
    }

    /// Converts it to a journal entry with this outcome.
    pub fn into_entry(self, outcome: EntryOutcome) -> JournalEntry {
        JournalEntry {
            rev: self.rev,
            header: self.header,
            answer: self.answer,
            operations: self.operations,
            inverts: self.undo.map(InverseKind::Undo).or(self.redo.map(InverseKind::Redo)),
            outcome,
            files: self.files.into_iter().filter_map(IntentFile::into_entry).collect(),
            forgotten: self.forgotten,
        }
    }
}

/// Whether a text in a JSON value fulfils a condition.
pub fn any_string(value: &Value, contains_text: &dyn Fn(&String) -> bool) -> bool {
    match value {
        Value::String(text) => contains_text(text),
        Value::Array(all) => all.iter().any(|v| any_string(v, contains_text)),
        Value::Object(map) => map.iter().any(|(key, v)| contains_text(key) || any_string(v, contains_text)),
        _ => false,
    }
}

impl IntentFile {
    fn new(file: &crate::change::FileChange, keep: bool) -> IntentFile {
        let before = file.before.as_ref();
        let mode = before.map_or(file.mode.unwrap_or(0o600), |v| v.mode);
        let edits = match &file.before {
            Some(_) => {
                file.edits.as_ref().map(|all| all.iter().map(|e| (e.start, e.old.clone(), e.new.clone())).collect())
            }
            None => created_text(file).map(|text| vec![(0, String::new(), text)]),
        };
        IntentFile {
            path: file.path.to_string(),
            before: before.map(|v| v.etag),
            after: file.after.as_ref().map(|bytes| Etag::of(bytes)),
            mode,
            mode_after: file.mode.filter(|&m| file.after.is_some() && m != mode),
            inode: 0,
            edits: edits.filter(|_| keep),
            moved: file.moved.as_ref().map(MemoryPath::to_string),
            summary: file.summary.clone().filter(|_| keep),
        }
    }

    /// The other path of a move.
    pub fn moved(&self) -> Option<&str> {
        self.moved.as_deref()
    }

    pub fn kind(&self) -> FileChangeKind {
        match (self.before, self.after) {
            (None, _) => FileChangeKind::Create,
            (_, None) => FileChangeKind::Remove,
            _ => FileChangeKind::Update,
        }
    }

    /// The path, validated again: a journal may have been tampered with.
    pub fn path(&self) -> Option<MemoryPath> {
        MemoryPath::from_disk_name(&self.path).ok()
    }

    pub fn before(&self) -> Option<Etag> {
        self.before
    }

    pub fn after(&self) -> Option<Etag> {
        self.after
    }

    /// Permission bits after the batch. Set-user-ID, set-group-ID and sticky are never added: the record may not be
    /// ours.
    pub fn mode_after(&self) -> u32 {
        let kept = if self.before.is_some() { self.mode } else { 0 };
        self.mode_after.unwrap_or(self.mode) & (0o777 | kept)
    }

    /// Whether one text of the file can be rebuilt from the other.
    pub fn has_edits(&self) -> bool {
        self.edits.is_some()
    }

    /// Rebuilds the text after from the text before (`forward`) or the reverse; `None` if the edits are unknown or do
    /// not fit.
    pub fn apply(&self, text: &[u8], forward: bool) -> Option<Vec<u8>> {
        slot::apply_edits(text, self.edits.as_ref()?, forward)
    }

    fn into_entry(self) -> Option<EntryFile> {
        let edit = |(start, old, new): (usize, String, String)| JournalEdit { start, old, new };
        Some(EntryFile {
            path: self.path()?,
            before: self.before,
            after: self.after,
            mode: self.mode,
            edits: self.edits.map(|edits| edits.into_iter().map(edit).collect()),
            moved: self.moved.as_deref().and_then(|p| MemoryPath::from_disk_name(p).ok()),
            summary: self.summary,
        })
    }
}

/// Maximum size of a created file whose text the journal records, in bytes: no slot holds it, and an edit outside
/// memdir replaces it.
const MAX_CREATED_BYTES: usize = 8 << 10;

fn created_text(file: &crate::change::FileChange) -> Option<String> {
    // The old name of a moved file has the text in its slot.
    let bytes = file.after.as_ref().filter(|bytes| file.moved.is_none() && bytes.len() <= MAX_CREATED_BYTES)?;
    std::str::from_utf8(bytes).ok().map(str::to_owned)
}

/// Serializes etags as hex digits. Parsed without a copy, because a journal contains tens of thousands.
pub(super) mod hex {
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
        from.deserialize_str(HexVisitor).map(Some)
    }

    struct HexVisitor;

    impl Visitor<'_> for HexVisitor {
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
struct EndRecord<'a> {
    end: u64,
    #[serde(rename = "as", borrow)]
    how: &'a str,
}

/// A record of the journal.
#[derive(Clone, Debug)]
pub enum JournalRecord {
    /// What a batch is about to do.
    Intent(Box<IntentRecord>),
    /// How a revision ended.
    End(u64, BatchEnding),
}

/// Encodes an intent as a line.
pub fn encode_intent(intent: &IntentRecord) -> Result<Vec<u8>, Rejection> {
    let mut line = serde_json::to_vec(intent)
        .map_err(|e| Rejection::new(Code::Internal, format!("an intent cannot be written as JSON: {e}")))?;
    line.pop();
    Ok(append_checksum(line))
}

/// Encodes an end record, always [`END_RECORD_BYTES`] bytes.
pub fn encode_end(rev: u64, ending: BatchEnding) -> Vec<u8> {
    let word = match ending {
        BatchEnding::Done => "done",
        BatchEnding::Undone => "undone",
        BatchEnding::Rescued => "rescued",
    };
    let mut line = format!("{{\"v\":1,\"end\":{rev},\"as\":\"{word}\"").into_bytes();
    line.resize(END_RECORD_BYTES - CHECKSUM_BYTES - 1, b' ');
    append_checksum(line)
}

/// Size of `,"crc":"xxxxxxxx"}`, in bytes.
const CHECKSUM_BYTES: usize = 18;

fn append_checksum(mut line: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&line);
    line.extend_from_slice(format!(",\"crc\":\"{sum:08x}\"}}\n").as_bytes());
    line
}

/// Parses a line without its newline; `None` if its checksum is wrong.
pub fn parse_record(line: &[u8]) -> Option<JournalRecord> {
    verify_checksum(line)?;
    if line.starts_with(b"{\"v\":1,\"end\":") {
        let record: EndRecord<'_> = serde_json::from_slice(line).ok()?;
        let ending = match record.how {
            "done" => BatchEnding::Done,
            "undone" => BatchEnding::Undone,
            "rescued" => BatchEnding::Rescued,
            _ => return None,
        };
        return Some(JournalRecord::End(record.end, ending));
    }
    serde_json::from_slice(line).ok().map(|intent| JournalRecord::Intent(Box::new(intent)))
}

/// Checks a line's checksum.
pub fn verify_checksum(line: &[u8]) -> Option<()> {
    let (text, tail) = line.split_at_checked(line.len().checked_sub(CHECKSUM_BYTES)?)?;
    let digits = tail.strip_prefix(b",\"crc\":\"")?.strip_suffix(b"\"}")?;
    let sum = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (crc32fast::hash(text) == sum).then_some(())
}

/// Parses all valid lines.
pub fn parse_records(bytes: &[u8]) -> impl Iterator<Item = JournalRecord> + '_ {
    bytes.split(|&b| b == b'\n').filter_map(parse_record)
}

/// Converts records to journal entries, oldest first. An intent without a readable end counts as done unless it is the
/// last: the writer of the next intent had recovered it, and nearly all ends are `done`.
pub fn to_entries(records: Vec<(IntentRecord, Option<BatchEnding>)>) -> Vec<JournalEntry> {
    let last = records.len().saturating_sub(1);
    let to_entry = |(i, (intent, ending)): (usize, (IntentRecord, Option<BatchEnding>))| {
        intent.into_entry(entry_outcome(ending.or((i < last).then_some(BatchEnding::Done))))
    };
    records.into_iter().enumerate().map(to_entry).collect()
}

/// Pairs intents with their ends, oldest first. An end belongs to the last intent of its revision.
pub fn pair_with_endings(bytes: &[u8]) -> Vec<(IntentRecord, Option<BatchEnding>)> {
    let mut out: Vec<(IntentRecord, Option<BatchEnding>)> = Vec::new();
    parse_records(bytes).for_each(|record| add_record(&mut out, record));
    out
}

/// Adds the next record of a journal, as [`pair_with_endings`] does.
pub fn add_record(records: &mut Vec<(IntentRecord, Option<BatchEnding>)>, record: JournalRecord) {
    match record {
        JournalRecord::Intent(intent) => records.push((*intent, None)),
        JournalRecord::End(rev, ending) => {
            if let Some(last) = records.iter_mut().rev().find(|(intent, _)| intent.rev == rev) {
                last.1 = Some(ending);
            }
        }
    }
}

/// Converts an end to an entry's outcome; without an end the entry is pending.
pub fn entry_outcome(ending: Option<BatchEnding>) -> EntryOutcome {
    match ending {
        Some(BatchEnding::Done) => EntryOutcome::Done,
        Some(BatchEnding::Undone | BatchEnding::Rescued) => EntryOutcome::Undone,
        None => EntryOutcome::Pending,
    }
}

impl JournalRecord {
    /// Returns the record's revision.
    pub fn rev(&self) -> u64 {
        match self {
            JournalRecord::Intent(intent) => intent.rev,
            JournalRecord::End(rev, _) => *rev,
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::change::{FileChange, FileVersion};
    use std::sync::Arc;

    /// An intent whose line is longer by `grown` bytes.
    pub fn sample_intent(rev: u64, grown: usize) -> IntentRecord {
        let file = FileChange {
            path: MemoryPath::new("facts/a.md").unwrap(),
            before: Some(FileVersion::new(b"abc".to_vec(), 0o640)),
            after: Some(Arc::new(b"aXXc".to_vec())),
            mode: None,
            edits: Some(vec![JournalEdit { start: 1, old: "b".into(), new: "XX".into() }]),
            moved: None,
            summary: Some("line\nbreak".into()),
        };
        let operations = vec![Value::String("x".repeat(grown))];
        let changeset =
            Changeset { files: vec![file], operations, inverts: Some(InverseKind::Undo(3)), ..Changeset::default() };
        let header = EntryHeader {
            at: "2026-11-20T10:00:00Z".into(),
            actor: "me".into(),
            reason: Some("why".into()),
            source: None,
            consent: Some("yes".into()),
            request: Some("id".into()),
            request_digest: None,
        };
        IntentRecord::new(rev, &changeset, &header, Some(Value::Bool(true)))
    }

    #[test]
    fn an_end_line_has_always_the_same_size() {
        for rev in [0, 7, 123_456_789, 9_999_999_999_999] {
            for how in [BatchEnding::Done, BatchEnding::Undone, BatchEnding::Rescued] {
                let line = encode_end(rev, how);
                assert_eq!((line.len(), line[END_RECORD_BYTES - 1]), (END_RECORD_BYTES, b'\n'));
                let read = parse_record(&line[..END_RECORD_BYTES - 1]);
                assert!(matches!(read, Some(JournalRecord::End(r, h)) if (r, h) == (rev, how)), "{read:?}");
            }
        }
    }

    #[test]
    fn the_fields_of_the_header_are_part_of_the_record() {
        let line = encode_intent(&sample_intent(41, 3)).unwrap();
        let start = r#"{"v":1,"rev":41,"at":"2026-11-20T10:00:00Z","actor":"me","reason":"why","consent":"yes","request":"id","answer":true,"ops":["xxx"],"undo":3,"files":[{"path":"facts/a.md","#;
        assert!(line.starts_with(start.as_bytes()), "{}", String::from_utf8_lossy(&line));
        let least = r#"{"v":1,"rev":1,"at":"2026-11-20T10:00:00Z","actor":"me","files":[]}"#;
        let read: IntentRecord = serde_json::from_str(least).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), least);
        assert!(serde_json::from_str::<IntentRecord>(r#"{"v":1,"rev":1,"actor":"me","files":[]}"#).is_err());
    }

    #[test]
    fn an_intent_is_read_back_and_rejected_if_a_byte_is_wrong() {
        let line = encode_intent(&sample_intent(41, 3)).unwrap();
        let Some(JournalRecord::Intent(read)) = parse_record(&line[..line.len() - 1]) else { panic!() };
        let entry = read.into_entry(EntryOutcome::Done);
        assert_eq!((entry.rev, &*entry.header.actor, entry.inverts), (41, "me", Some(InverseKind::Undo(3))));
        assert_eq!((entry.answer, entry.header.request.as_deref()), (Some(Value::Bool(true)), Some("id")));
        let edit = JournalEdit { start: 1, old: "b".into(), new: "XX".into() };
        assert_eq!(entry.files[0].edits, Some(vec![edit]));
        assert_eq!((entry.files[0].mode, entry.files[0].before), (0o640, Some(Etag::of(b"abc"))));
        for i in 0..line.len() - 1 {
            let mut spoilt = line[..line.len() - 1].to_vec();
            spoilt[i] ^= 1;
            assert!(parse_record(&spoilt).is_none(), "byte {i}");
        }
    }
}
