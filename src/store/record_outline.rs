//! What a journal record says of a change without the texts of its files: read without copying most of the line.
//!
//! Never judges a journal in which records and ends are out of order: then read the records whole.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::protocol::BatchEnding;
use super::record::{self, JournalRecord};

/// The outline of a change that took effect.
#[derive(Deserialize)]
pub struct RecordOutline<'a> {
    rev: u64,
    #[serde(borrow)]
    pub at: Cow<'a, str>,
    #[serde(borrow)]
    pub actor: Cow<'a, str>,
    #[serde(default)]
    pub source: Option<String>,
    #[serde(default)]
    pub request: Option<String>,
    #[serde(default)]
    undo: Option<u64>,
    #[serde(default)]
    redo: Option<u64>,
    #[serde(default, rename = "ops")]
    pub operations: Vec<Value>,
    #[serde(borrow)]
    pub files: Vec<FileOutline<'a>>,
}

#[derive(Deserialize)]
pub struct FileOutline<'a> {
    #[serde(borrow)]
    pub path: Cow<'a, str>,
}

impl RecordOutline<'_> {
    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// Whether it undid or repeated another change.
    pub fn is_inversion(&self) -> bool {
        self.undo.is_some() || self.redo.is_some()
    }
}

/// Calls `each` with the changes of a journal's bytes that took effect, oldest first. `last_ending` is that of the last
/// record if it has no end. `None` if the journal is out of order; then what `each` was called with counts for nothing.
pub fn outline_records(
    bytes: &[u8],
    last_ending: Option<BatchEnding>,
    each: &mut dyn FnMut(&RecordOutline<'_>),
) -> Option<()> {
    let mut open: Option<(RecordOutline<'_>, Option<BatchEnding>)> = None;
    let mut end = |record: Option<(RecordOutline<'_>, Option<BatchEnding>)>, default: Option<BatchEnding>| {
        if let Some((outline, ending)) = record
            && ending.or(default) == Some(BatchEnding::Done)
        {
            each(&outline);
        }
    };
    for line in bytes.split(|&b| b == b'\n') {
        if line.starts_with(b"{\"v\":1,\"end\":") {
            match (record::parse_record(line), &mut open) {
                (Some(JournalRecord::End(rev, ending)), Some((outline, last))) if outline.rev == rev => {
                    *last = Some(ending);
                }
                (None, _) => {}
                (Some(_), _) => return None,
            }
            continue;
        }
        let Some(()) = record::verify_checksum(line) else { continue };
        let next = serde_json::from_slice(line).ok()?;
        // The writer of the next record had recovered one without a readable end.
        end(open.replace((next, None)), Some(BatchEnding::Done));
    }
    end(open, last_ending);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::record::tests::sample_intent;
    use crate::store::record::{encode_end, encode_intent, pair_with_endings, to_entries};

    fn outlined(bytes: &[u8], last: Option<BatchEnding>) -> Option<Vec<u64>> {
        let mut all = Vec::new();
        outline_records(bytes, last, &mut |outline| all.push(outline.rev)).map(|()| all)
    }

    #[test]
    fn outlines_are_those_of_the_records_that_took_effect() {
        let intent = |rev| encode_intent(&sample_intent(rev, 10)).unwrap();
        let mut bytes = Vec::new();
        for (rev, ending) in [(1, BatchEnding::Done), (2, BatchEnding::Undone), (3, BatchEnding::Rescued)] {
            bytes.extend(intent(rev));
            bytes.extend(encode_end(rev, ending));
        }
        bytes.extend(b"{\"torn\":\n");
        bytes.extend(intent(4));
        bytes.extend(intent(5));
        for (last, wanted) in [(None, vec![1, 4]), (Some(BatchEnding::Done), vec![1, 4, 5])] {
            assert_eq!(outlined(&bytes, last), Some(wanted.clone()));
            let mut records = pair_with_endings(&bytes);
            records.last_mut().unwrap().1 = last;
            let done = to_entries(records).into_iter().filter(|e| e.outcome == crate::change::EntryOutcome::Done);
            assert_eq!(done.map(|e| e.rev).collect::<Vec<_>>(), wanted);
        }
        bytes.extend(encode_end(1, BatchEnding::Undone));
        assert_eq!(outlined(&bytes, None), None, "an end that is out of order");
    }
}
