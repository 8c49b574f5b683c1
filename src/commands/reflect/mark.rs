//! How far conversations were read on this machine.
//!
//! Never the truth: without it a conversation is read again, and what it holds is known already.

use serde::{Deserialize, Serialize};

use crate::change::Etag;
use crate::store::{Locked, Store};
use crate::transcript::{Conversation, Turn};

/// Its name below `.memdir/`.
const NAME: &str = "reflected";
/// How many conversations are remembered.
const MOST: usize = 2000;

/// How far one conversation was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    id: String,
    turns: usize,
    hash: String,
}

/// A conversation's id: its own, or one made of its first two turns.
pub fn id(conversation: &Conversation) -> String {
    let own = conversation.id.as_deref().map(str::trim).filter(|id| !id.is_empty() && id.len() <= 100);
    let plain = |id: &&str| id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
    match own.filter(plain) {
        Some(id) => id.to_owned(),
        None => format!("c{}", &hash(&conversation.turns[..conversation.turns.len().min(2)])[..12]),
    }
}

/// What turns said, in one word.
pub fn hash(turns: &[Turn]) -> String {
    let mut all = String::new();
    for turn in turns {
        all.push_str(turn.role.name());
        all.push('\0');
        all.push_str(&turn.text);
        all.push('\0');
    }
    Etag::of(all.as_bytes()).short()
}

/// How many of a conversation's turns were read before, if they still say the same.
pub fn seen(store: &Store, id: &str, turns: &[Turn]) -> usize {
    let all = read(store);
    let own = all.iter().find(|seen| seen.id == id && seen.turns <= turns.len());
    own.filter(|seen| hash(&turns[..seen.turns]) == seen.hash).map_or(0, |seen| seen.turns)
}

/// Remembers that a conversation was read up to here, as well as it can be.
pub fn keep(locked: &Locked<'_>, id: &str, turns: &[Turn]) {
    let mut all = read(locked.store);
    all.retain(|seen| seen.id != id);
    all.push(Seen { id: id.to_owned(), turns: turns.len(), hash: hash(turns) });
    let all = &all[all.len().saturating_sub(MOST)..];
    if let Ok(text) = serde_json::to_string(all) {
        drop(locked.keep_note(NAME, &text));
    }
}

fn read(store: &Store) -> Vec<Seen> {
    store.note(NAME).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
