//! The events of a revision: what it added, updated, removed, merged or restored, and what it cost.
//!
//! Reads recorded operations, and texts only where a revision wrote whole files.

use serde_json::Value;

use super::super::compact::report::{COMPACT_SOURCE, LIMIT_REASON};
use super::super::compact::{DIGEST_REASON, DUPLICATE_REASON, MERGED_INTO};
use super::day_of;
use super::figure_table::{DailyMetric, FigureTable};
use crate::change::{InverseKind, JournalEntry};
use crate::document::Document;
use crate::operation::limits;
use crate::store::{JournalHistory, RevisionSide};
use crate::view::diff_bullets::{BulletChange, bullet_changes};

/// Whether an operation is about a proposal, which changes nothing yet.
fn is_for_inbox(operation: &Value) -> bool {
    operation.get("at").and_then(Value::as_str).is_some_and(|at| at.starts_with("inbox/"))
}

/// Whether a revision is about proposals alone.
pub fn is_of_inbox(entry: &JournalEntry) -> bool {
    !entry.files.is_empty() && entry.files.iter().all(|file| file.path.is_in_inbox())
}

/// Whether a revision wrote whole files of the memory, and did nothing else.
pub fn only_writes(entry: &JournalEntry) -> bool {
    let is_write = |operation: &Value| operation.get("op").and_then(Value::as_str) == Some("write");
    !is_of_inbox(entry) && !entry.operations.is_empty() && entry.operations.iter().all(is_write)
}

/// The events of a revision that wrote whole files: one for each bullet or entry that it added, and one for each file
/// in which something else changed, or whose texts the history has no more.
pub fn written_items(history: &JournalHistory, entry: &JournalEntry) -> Vec<&'static str> {
    let mut events = Vec::new();
    for file in &entry.files {
        let text = |side| history.text(entry.rev, &file.path, side);
        let (Ok(before), Ok(after)) = (text(RevisionSide::Before), text(RevisionSide::After)) else {
            events.push("UPDATE");
            continue;
        };
        let [before, after] = [before, after].map(|version| {
            let bytes = version.map(|version| version.bytes.to_vec());
            bytes.and_then(|bytes| Document::from_bytes(bytes).ok()).unwrap_or_else(|| Document::parse(""))
        });
        let added = if file.path.holds_episodes() {
            let [before, after] = [&before, &after].map(|text| limits::section_size(text, 0).entries);
            vec!["ADD"; after.saturating_sub(before)]
        } else {
            added_bullets(&before, &after)
        };
        let is_changed = bullet_changes(&before, &after).iter().any(|change| !matches!(change, BulletChange::Added(_)));
        if added.is_empty() || is_changed {
            events.push("UPDATE");
        }
        events.extend(added);
    }
    events
}

/// The events of the bullets that a text has and an earlier one did not.
fn added_bullets(before: &Document, after: &Document) -> Vec<&'static str> {
    let is_link = |bullet| after.bullet_text(bullet).contains("[[");
    let changes = bullet_changes(before, after).into_iter();
    let added = changes.filter_map(|change| match change {
        BulletChange::Added(bullet) if after.bullets()[bullet].depth == 0 => Some(bullet),
        _ => None,
    });
    added.map(|bullet| if is_link(bullet) { "LINK" } else { "ADD" }).collect()
}

/// Counts the events of a revision, and the tokens of the model calls that it is from. `written` are the events of one
/// that wrote whole files.
pub fn count_entry(table: &mut FigureTable, entry: &JournalEntry, written: Option<Vec<&'static str>>) {
    let day = day_of(&entry.header.at);
    for kind in written.iter().flatten() {
        table.add(DailyMetric::Event, kind, None, day, 1.0);
    }
    for operation in &entry.operations {
        let name = operation.get("op").and_then(Value::as_str).unwrap_or("other");
        if !is_for_inbox(operation) {
            if written.is_none() && !is_absorbed(operation, entry) {
                table.add(DailyMetric::Event, event_kind(operation, entry), None, day, 1.0);
            }
            table.add(DailyMetric::Write, name, Some(&entry.header.actor), day, 1.0);
        }
        let reason = operation.get("reason").and_then(Value::as_str).unwrap_or_default();
        if name == "rm" && reason.starts_with(DUPLICATE_REASON) {
            table.add(DailyMetric::Duplicate, "", Some(&entry.header.actor), day, 1.0);
        }
        if name == "append" && reason.starts_with(DIGEST_REASON) {
            table.add(DailyMetric::Digest, "", Some(&entry.header.actor), day, 1.0);
        }
        for (key, name) in [("input_tokens", "input"), ("output_tokens", "output")] {
            if let Some(tokens) = operation.get(key).and_then(Value::as_f64) {
                table.add(DailyMetric::Tokens, name, Some(&entry.header.actor), day, tokens);
            }
        }
    }
    if is_forget(entry) {
        table.add(DailyMetric::Event, "DELETE", None, day, 1.0);
        table.add(DailyMetric::Write, "rm", Some(&entry.header.actor), day, 1.0);
    }
    if is_compaction(entry) {
        table.add(DailyMetric::Compaction, "", Some(&entry.header.actor), day, 1.0);
    }
    match entry.inverts {
        _ if is_of_inbox(entry) => return,
        Some(InverseKind::Undo(_)) => table.add(DailyMetric::Write, "undo", Some(&entry.header.actor), day, 1.0),
        Some(InverseKind::Redo(_)) => table.add(DailyMetric::Write, "redo", Some(&entry.header.actor), day, 1.0),
        None => return,
    }
    table.add(DailyMetric::Event, "RESTORE", None, day, 1.0);
}

/// The kind of event that an operation is, in the words of the audit log that memdir grew from.
fn event_kind(operation: &Value, entry: &JournalEntry) -> &'static str {
    let text = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
    let is_archived = operation.get("archive").and_then(Value::as_bool) == Some(true);
    match text("op") {
        "add" if text("text").contains("[[") => "LINK",
        "add" | "append" => "ADD",
        // The old text is kept, and this one is of several: a merge.
        "update" | "patch" if is_archived => "MERGE",
        "rm" if is_archived && entry.header.reason.as_deref() == Some("prune") => "TTL",
        "rm" => "DELETE",
        "set" if operation.pointer("/meta/exp").is_some() => "TTL",
        "restore" => "RESTORE",
        _ => "UPDATE",
    }
}

/// Whether a revision is a `rm --forget`, of which the history keeps no operation.
fn is_forget(entry: &JournalEntry) -> bool {
    entry.forgotten && entry.operations.is_empty() && entry.inverts.is_none() && !is_of_inbox(entry)
}

/// Whether an operation takes an item away that a merge of the same revision absorbs: they have the same source and, by
/// a model that decides several things, the same reason.
fn is_absorbed(operation: &Value, entry: &JournalEntry) -> bool {
    let text = |operation: &Value, key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_archived = |operation: &Value| operation.get("archive").and_then(Value::as_bool) == Some(true);
    let is_merge = |other: &Value| {
        ["update", "patch"].contains(&text(other, "op").as_str())
            && is_archived(other)
            && text(other, "source") == text(operation, "source")
            && text(other, "reason") == text(operation, "reason")
    };
    let is_duplicate = || text(operation, "reason").starts_with(&format!("{DUPLICATE_REASON} {MERGED_INTO}"));
    text(operation, "op") == "rm" && is_archived(operation) && (is_duplicate() || entry.operations.iter().any(is_merge))
}

/// Whether a revision removed items because of a limit: a run of `compact`, or a change with `on_limit: compact`.
fn is_compaction(entry: &JournalEntry) -> bool {
    let text = |operation: &Value, key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_by_compact = |operation: &Value| {
        text(operation, "source").starts_with(COMPACT_SOURCE) || text(operation, "reason").starts_with(LIMIT_REASON)
    };
    let archives = |operation: &Value| {
        let adds = ["add", "append", "update", "write"].contains(&text(operation, "op").as_str());
        !adds || operation.get("archive").and_then(Value::as_bool) == Some(true)
    };
    // Of a forgotten revision nothing tells what it did.
    let is_known = !entry.operations.is_empty() && !entry.forgotten;
    let fills_archive = is_known && entry.files.iter().any(|file| file.path.is_archived());
    entry.operations.iter().any(is_by_compact)
        || (fills_archive && entry.inverts.is_none() && !entry.operations.iter().any(archives))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::change::{EntryHeader, EntryOutcome};

    #[test]
    fn events_have_the_names_of_the_audit_log() {
        let entry = |reason: Option<&str>| JournalEntry {
            rev: 1,
            header: EntryHeader {
                at: "2026-02-24T10:00:00Z".into(),
                actor: "ana".into(),
                reason: reason.map(str::to_owned),
                ..EntryHeader::default()
            },
            answer: None,
            operations: Vec::new(),
            inverts: None,
            outcome: EntryOutcome::Done,
            files: Vec::new(),
            forgotten: false,
        };
        let kind = |operation: Value| event_kind(&operation, &entry(None));
        assert_eq!(kind(json!({"op": "add", "text": "Likes tea"})), "ADD");
        assert_eq!(kind(json!({"op": "add", "text": "related_to [[project]]"})), "LINK");
        assert_eq!(kind(json!({"op": "update", "text": "b"})), "UPDATE");
        assert_eq!(kind(json!({"op": "update", "text": "b", "archive": true})), "MERGE");
        assert_eq!(kind(json!({"op": "rm", "archive": true})), "DELETE");
        assert_eq!(event_kind(&json!({"op": "rm", "archive": true}), &entry(Some("prune"))), "TTL");
        assert_eq!(kind(json!({"op": "set", "meta": {"exp": "2026-03-01"}})), "TTL");
        assert_eq!(kind(json!({"op": "set", "meta": {"imp": "3"}})), "UPDATE");
        assert_eq!(kind(json!({"op": "restore"})), "RESTORE");
    }
}
