//! How far each conversation was read on this machine.
//!
//! Only a hint: without it, a conversation is read again, and what it contains is already known.

use serde::{Deserialize, Serialize};

use crate::change::Etag;
use crate::store::{LockedStore, Store};
use crate::transcript::{Conversation, Turn};

/// File name under `.memdir/`.
const FILE_NAME: &str = "reflected";
/// How many conversations are recorded.
const MAX_ENTRIES: usize = 2000;

/// How far one conversation was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WatermarkEntry {
    id: String,
    turns: usize,
    hash: String,
}

/// The id of a conversation: its own, or a hash of its first two turns.
pub fn conversation_id(conversation: &Conversation) -> String {
    match conversation.id.as_deref().map(str::trim).filter(|id| is_plain_id(id)) {
        Some(id) => id.to_owned(),
        None => derived_id(&conversation.turns[..conversation.turns.len().min(2)]),
    }
}

/// Whether an id can be used as it is: ASCII letters, digits and `-_.:`, 100 at most.
pub fn is_plain_id(id: &str) -> bool {
    (1..=100).contains(&id.len()) && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c))
}

/// The id that a conversation without one of its own had while it consisted of its first turn.
pub fn first_turn_id(turns: &[Turn]) -> String {
    derived_id(&turns[..turns.len().min(1)])
}

fn derived_id(first_turns: &[Turn]) -> String {
    format!("c{}", &turns_hash(first_turns)[..12])
}

/// A hash of the roles and texts of turns.
pub fn turns_hash(turns: &[Turn]) -> String {
    let mut text = String::new();
    for turn in turns {
        text.push_str(turn.role.name());
        text.push('\0');
        text.push_str(&turn.text);
        text.push('\0');
    }
    Etag::of(text.as_bytes()).short()
}

/// How many turns of a conversation were read before; 0 if any of them has changed since.
pub fn turns_read(store: &Store, id: &str, turns: &[Turn]) -> usize {
    let entries = load(store);
    let entry = entries.iter().find(|entry| entry.id == id && entry.turns <= turns.len());
    entry.filter(|seen| turns_hash(&turns[..seen.turns]) == seen.hash).map_or(0, |seen| seen.turns)
}

/// Records that a conversation was read up to the last of `turns`; errors are ignored.
pub fn save(locked: &LockedStore<'_>, id: &str, turns: &[Turn]) {
    let mut entries = load(locked.store);
    entries.retain(|entry| entry.id != id);
    entries.push(WatermarkEntry { id: id.to_owned(), turns: turns.len(), hash: turns_hash(turns) });
    let all = &entries[entries.len().saturating_sub(MAX_ENTRIES)..];
    if let Ok(text) = serde_json::to_string(all) {
        drop(locked.write_note(FILE_NAME, &text));
    }
}

fn load(store: &Store) -> Vec<WatermarkEntry> {
    store.read_json_note(FILE_NAME).unwrap_or_default()
}
