//! Which items count as used by a result or a change, for `prune`: `read` and `query` use what they show, and what is
//! moved or restored is in use. A `context` uses nothing, because an agent is given it without asking: only its size is
//! recorded, for `stats`.

use super::Session;
use super::results::TextResult;
use crate::change::{Changeset, EffectSign};
use crate::path::{MemoryPath, SourceAddress, split_shown_address};
use crate::view::context::result::ContextResult;
use crate::view::query::result::QueryResult;

/// What one result showed, to be recorded once it is out.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultUse {
    command: &'static str,
    /// The addresses of what it showed: `facts/user.md@acvh`. Empty where only `count` matters.
    items: Vec<String>,
    /// The tokens of a context, 0 for one without memories; 0 for a query that found nothing.
    count: Option<u64>,
}

impl ResultUse {
    /// Of a whole file.
    pub fn of_file(path: &MemoryPath) -> ResultUse {
        ResultUse { command: "read", items: vec![path.to_string()], count: None }
    }

    /// Of the text that `read` shows; of nothing for a text of another memory.
    pub fn of_read(text: &TextResult) -> ResultUse {
        let part = match (&text.handle, &text.section) {
            (Some(handle), _) => format!("@{handle}"),
            (None, Some(slug)) => format!("#{slug}"),
            (None, None) => String::new(),
        };
        let is_own = SourceAddress::parse_shared(&text.path).is_none();
        let items = is_own.then(|| format!("{}{part}", text.path)).into_iter().collect();
        ResultUse { command: "read", items, count: None }
    }

    /// What `query` shows, of the memory itself: items of others are not its own to keep.
    pub fn of_query(result: &QueryResult) -> ResultUse {
        let is_own = |address: &&String| SourceAddress::parse_shared(address).is_none();
        let items = result.items.iter().map(|item| &item.address).filter(is_own).cloned().collect();
        ResultUse { command: "query", items, count: result.items.is_empty().then_some(0) }
    }

    /// The size of a context.
    pub fn of_context(context: &ContextResult) -> ResultUse {
        let shows_item = !context.items.is_empty() || context.updates.iter().any(|update| update.address.is_some());
        let is_empty = !shows_item && context.files.is_empty() && context.entries.is_empty();
        let tokens = if is_empty { 0 } else { context.tokens };
        ResultUse { command: "context", items: Vec::new(), count: Some(tokens as u64) }
    }

    /// Of a text of some tokens that a hook passes on.
    pub fn of_injection(tokens: usize) -> ResultUse {
        ResultUse { command: "context", items: Vec::new(), count: Some(tokens as u64) }
    }

    /// Records it. Best effort: what cannot be written is not recorded.
    pub fn record(&self, session: &Session) {
        let (store, day) = (session.store.unfiltered(), session.now.date());
        match self.count {
            Some(count) => store.record_count(day, self.command, &session.actor, count),
            None => store.record_use(day, self.command, &session.actor, &self.items),
        }
    }
}

/// Records what a change has moved, because its earlier uses are recorded at its old place, and what an undo has brought
/// back: without that, the next `prune` would archive it again.
pub fn record_moves(session: &Session, changeset: &Changeset) {
    let files = changeset.files.iter().filter(|file| file.moved.is_some() && file.after.is_some());
    let mut items: Vec<String> = files.map(|file| file.path.to_string()).collect();
    for effect in changeset.effects.iter().filter(|effect| effect.sign == EffectSign::Moved && !effect.text.is_empty())
    {
        let to = effect.to.as_deref().unwrap_or_default();
        match &effect.handle {
            Some(handle) => items.push(format!("{}@{handle}", split_shown_address(to).0)),
            None => items.push(to.to_owned()),
        }
    }
    if changeset.inverts.is_some() {
        let brought_back = changeset.effects.iter().filter(|effect| effect.sign == EffectSign::Added);
        items.extend(brought_back.filter_map(|effect| match (&effect.handle, &effect.section) {
            (Some(handle), _) => Some(format!("{}@{handle}", effect.path)),
            // An entry, which may have no bullets.
            (None, Some(section)) => Some(format!("{}#{section}", effect.path)),
            (None, None) => None,
        }));
    }
    items.retain(|item| !item.is_empty());
    session.store.unfiltered().record_use(session.now.date(), "mv", &session.actor, &items);
}
