//! Which bullets a conversation superseded: recorded in the journal's operations, and read back for `log`.
//!
//! Never compares texts: what a planned operation removes is what it supersedes.

use serde_json::{Value, json};

use super::results::SupersededBullet;
use crate::change::{Changeset, EffectSign, JournalEntry};

/// The key of the superseded bullets in an operation.
const SUPERSEDED_KEY: &str = "superseded";

/// Records the bullets whose texts are replaced by updates and patches that name their conversation.
pub fn record_superseded(changeset: &mut Changeset) {
    for (n, operation) in changeset.operations.iter_mut().enumerate() {
        let replaces = matches!(operation["op"].as_str(), Some("update" | "patch"));
        let Value::Object(operation) = operation else { continue };
        if !replaces || !operation.contains_key("conversation") {
            continue;
        }
        let removed = changeset.effects.iter().filter(|e| e.operation == n && e.sign == EffectSign::Removed);
        let row = |e: &crate::change::Effect| {
            Some(json!({"path": e.path.as_str(), "handle": e.handle.as_ref()?, "text": e.text}))
        };
        let bullets: Vec<Value> = removed.filter_map(row).collect();
        if !bullets.is_empty() {
            operation.insert(SUPERSEDED_KEY.into(), json!(bullets));
        }
    }
}

/// The bullets that an entry replaced because of a conversation.
pub fn superseded_bullets(entry: &JournalEntry) -> Vec<SupersededBullet> {
    let string = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let each = |operation: &Value| -> Option<Vec<SupersededBullet>> {
        let conversation = string(operation, "conversation")?;
        let turn = operation.get("turn")?.as_u64()?;
        let bullets = operation.get(SUPERSEDED_KEY)?.as_array()?.iter();
        let bullet = |value: &Value| {
            let (path, handle, text) = (string(value, "path")?, string(value, "handle")?, string(value, "text")?);
            Some(SupersededBullet { path, handle, text, conversation: conversation.clone(), turn })
        };
        Some(bullets.filter_map(bullet).collect())
    };
    entry.operations.iter().filter_map(each).flatten().collect()
}
