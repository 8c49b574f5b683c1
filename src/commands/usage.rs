//! Which items count as used by an answer or a change, for `prune`: `read` and `query` use what they show, and what is
//! moved or restored is in use. A `context` uses nothing: an agent is given it without asking.

use super::Session;
use super::answer::TextResult;
use crate::change::{Changeset, EffectSign};
use crate::path::SourceAddress;
use crate::view::query::answer::QueryResult;

/// Records that these items were shown by a command. Call it once the answer is out.
pub fn record_use(session: &Session, command: &str, items: &[String]) {
    session.store.unfiltered().record_use(session.now.date(), command, &session.actor, items);
}

/// What `read` shows.
pub fn read_items(text: &TextResult) -> Vec<String> {
    let part = match (&text.handle, &text.section) {
        (Some(handle), _) => format!("@{handle}"),
        (None, Some(slug)) => format!("#{slug}"),
        (None, None) => String::new(),
    };
    match SourceAddress::parse(&text.path) {
        None => vec![format!("{}{part}", text.path)],
        Some(_) => Vec::new(),
    }
}

/// What `query` shows, of the memory itself: items of others are not its own to keep.
pub fn query_items(result: &QueryResult) -> Vec<String> {
    let is_own = |address: &&String| SourceAddress::parse(address).is_none();
    result.items.iter().map(|item| &item.address).filter(is_own).cloned().collect()
}

/// Records what a change has moved: its earlier uses are recorded at its old place.
pub fn record_moves(session: &Session, changeset: &Changeset) {
    let files = changeset.files.iter().filter(|file| file.moved.is_some() && file.after.is_some());
    let mut items: Vec<String> = files.map(|file| file.path.to_string()).collect();
    for effect in changeset.effects.iter().filter(|effect| effect.sign == EffectSign::Moved && !effect.text.is_empty())
    {
        let to = effect.to.as_deref().unwrap_or_default();
        match &effect.handle {
            Some(handle) => items.push(format!("{}@{handle}", to.split('#').next().unwrap_or_default())),
            None => items.push(to.to_owned()),
        }
    }
    items.retain(|item| !item.is_empty());
    record_use(session, "mv", &items);
}
