//! Counts what of a memory needs attention: expired and stale bullets, stale anchors, contradictions,
//! proposals.
//!
//! Never parses a file unless its bytes give a reason, so that `status` stays about as fast as `query`; contradictions,
//! for which every fact must be parsed and compared, are counted in a small memory only.

use std::sync::{Mutex, PoisonError};

use jiff::civil::Date;

use crate::code::Rejection;
use crate::commands::Session;
use crate::commands::check::contradictions::contradicting_groups;
use crate::commands::conflict_finder::ConflictFinder;
use crate::commands::inbox::merged_removals;
use crate::commands::journal_notes::stale_anchors;
use crate::commands::layers::Layer;
use crate::commands::results::{AttentionKind, AttentionRow};
use crate::document::summary::FileKind;
use crate::document::{Document, MAX_FILE_BYTES};
use crate::operation::file_change::file_kind;
use crate::reflect::inbox_item;
use crate::store::FoundFile;
use crate::view::stale_anchors::StaleAnchors;
use crate::view::staleness::{StaleReason, may_have_stale_bullets, stale_bullets};

/// If all fact files together are larger, in bytes, contradictions are not counted: comparing 180 KiB of facts takes
/// 60 ms, all the rest of `status` 2 ms.
const MAX_COMPARED_BYTES: u64 = 64 << 10;

/// Counts of one file, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttentionCounts {
    /// The size in bytes.
    pub bytes: u64,
    /// Whether the file has unresolved merge conflicts.
    pub is_conflicted: bool,
    expired: usize,
    stale: usize,
    stale_anchors: usize,
    waiting: usize,
    merged: usize,
    overdue: usize,
}

/// Examines files, each read once.
pub struct AttentionScan<'a> {
    session: &'a Session,
    facts: Mutex<FactTexts>,
    /// What the last check of this machine found: no code is opened.
    stale_anchors: StaleAnchors,
    unmerged: ConflictFinder<'a>,
}

/// The texts of fact files, dropped once they are too large to be compared.
#[derive(Default)]
struct FactTexts {
    bytes: u64,
    texts: Vec<Vec<u8>>,
}

impl FactTexts {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if self.bytes <= MAX_COMPARED_BYTES { self.texts.push(bytes.to_vec()) } else { self.texts.clear() }
    }

    /// The number of groups of bullets that contradict each other.
    fn contradictions(&self, today: Date) -> usize {
        // A file in conflict holds both sides, of which one will go.
        let documents = self.texts.iter().filter_map(|bytes| Document::from_bytes(bytes.clone()).ok());
        let settled = documents.filter(|document| document.conflict_marker_line().is_none());
        settled.map(|document| contradicting_groups(&document, today).len()).sum()
    }
}

impl<'a> AttentionScan<'a> {
    pub fn new(session: &'a Session) -> AttentionScan<'a> {
        AttentionScan {
            session,
            facts: Mutex::default(),
            stale_anchors: stale_anchors(&session.store),
            unmerged: ConflictFinder::new(session),
        }
    }

    /// The counts of a file. What cannot be read has none: `check` reports it.
    pub fn examine(&self, file: &FoundFile, read: Result<(&[u8], bool), Rejection>) -> AttentionCounts {
        let mut counts = AttentionCounts { bytes: file.size, ..AttentionCounts::default() };
        let Ok((bytes, _)) = read else { return counts };
        counts.is_conflicted =
            std::str::from_utf8(bytes).is_ok_and(|text| self.unmerged.has_conflict(&file.path, text));
        if inbox_item::id_of(&file.path).is_some() {
            let today = self.session.now.date().to_string();
            if inbox_item::parse_item(&String::from_utf8_lossy(bytes)).is_expired(&today) {
                counts.overdue = 1
            } else {
                counts.waiting = 1
            }
        }
        if file.path.is_set_aside() {
            return counts;
        }
        if file_kind(&file.path) == FileKind::Facts {
            self.facts.lock().unwrap_or_else(PoisonError::into_inner).add(bytes);
        }
        if counts.is_conflicted {
            return counts;
        }
        if !may_have_stale_bullets(bytes) && !self.stale_anchors.may_concern(bytes) {
            return counts;
        }
        let Ok(document) = Document::from_bytes(bytes.to_vec()) else { return counts };
        let (decay, today) = (self.session.policy.policy.decay, self.session.now.date());
        for (_, reason) in stale_bullets(&document, &file.path, decay, today) {
            match reason {
                StaleReason::Expired(_) => counts.expired += 1,
                StaleReason::Decayed(_) => counts.stale += 1,
            }
        }
        counts.stale_anchors = self.stale_anchors.count_in(&document, &file.path);
        counts
    }

    /// The rows of all files, without those that count nothing.
    pub fn rows(&self, each: &[AttentionCounts]) -> Vec<AttentionRow> {
        let sum = |count: fn(&AttentionCounts) -> usize| each.iter().map(count).sum::<usize>();
        let contradictions =
            self.facts.lock().unwrap_or_else(PoisonError::into_inner).contradictions(self.session.now.date());
        let (waiting, merged) = waiting_and_merged(self.session, sum(|c| c.waiting));
        let rows = [
            (AttentionKind::Expired, sum(|c| c.expired), "memdir check --stale"),
            (AttentionKind::Stale, sum(|c| c.stale), "memdir check --stale"),
            (AttentionKind::StaleAnchors, sum(|c| c.stale_anchors), "memdir check --anchors"),
            (AttentionKind::Contradicted, contradictions, "memdir check"),
            (AttentionKind::Overdue, sum(|c| c.overdue), "memdir prune"),
            (AttentionKind::Merged, merged, "memdir prune"),
            (AttentionKind::Waiting, waiting, "memdir inbox"),
        ];
        let rows = rows.into_iter().filter(|(_, count, _)| *count > 0);
        let row = |(what, count, command): (_, _, &'static str)| AttentionRow {
            what,
            count,
            layer: None,
            command: command.into(),
        };
        rows.map(row).collect()
    }
}

/// The proposals that wait in farther layers, and a sentence for each layer that cannot be read.
pub fn layer_rows(session: &Session) -> (Vec<AttentionRow>, Vec<String>) {
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for Layer { name, session: layer } in session.layers.iter().flat_map(|layers| &layers.others) {
        match count_proposals(layer) {
            Ok(counts) => rows.extend(
                [
                    (AttentionKind::Overdue, counts.overdue),
                    (AttentionKind::Merged, counts.merged),
                    (AttentionKind::Waiting, counts.waiting),
                ]
                .into_iter()
                .filter(|(_, n)| *n > 0)
                .map(|(what, count)| AttentionRow {
                    what,
                    count,
                    layer: Some(name.clone()),
                    command: format!("memdir inbox {name}:").into(),
                }),
            ),
            Err(error) => left_out.push(format!("the layer {name} is left out: {}", error.message)),
        }
    }
    (rows, left_out)
}

fn count_proposals(session: &Session) -> Result<AttentionCounts, Rejection> {
    let files = session.store.walk(None)?.into_iter().filter(|file| inbox_item::id_of(&file.path).is_some());
    let files: Vec<FoundFile> = files.collect();
    let scan = AttentionScan::new(session);
    let counts = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| scan.examine(file, read));
    let sum = |count: fn(&AttentionCounts) -> usize| counts.iter().map(count).sum::<usize>();
    let (waiting, merged) = waiting_and_merged(session, sum(|c| c.waiting));
    Ok(AttentionCounts { overdue: sum(|c| c.overdue), waiting, merged, ..AttentionCounts::default() })
}

/// Of proposals that are not overdue, the number of those that wait, and of those whose branch was merged: a merge
/// accepted them, and only their files are left.
fn waiting_and_merged(session: &Session, count: usize) -> (usize, usize) {
    if count == 0 {
        return (0, 0);
    }
    // Without git, none is known to be merged.
    let merged = merged_removals(session).map_or(0, |removals| removals.len()).min(count);
    (count - merged, merged)
}
