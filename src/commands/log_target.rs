//! What `log` is limited to: a file, a section or a bullet.

use serde_json::Value;

use super::Session;
use super::history::texts_around;
use super::list_and_read::{self, ResolvedAddress};
use crate::change::JournalEntry;
use crate::code::{Code, Rejection};
use crate::operation::effects::diff_effects;
use crate::path::MemoryPath;

/// The file, section or bullet whose entries are listed.
pub(super) struct LogTarget {
    /// The path of the file.
    pub(super) path: MemoryPath,
    pub(super) section: Option<String>,
    /// The bullet: its file as it was read, and its number there.
    pub(super) bullet: Option<(ResolvedAddress, usize)>,
}

impl LogTarget {
    /// Resolves the address of a file (which may be removed), a section or a bullet.
    pub(super) fn resolve(session: &Session, address: &str) -> Result<LogTarget, Rejection> {
        session.require_own_scope(address)?;
        let error = match list_and_read::resolve_address(session, address) {
            Ok(named) => {
                return Ok(LogTarget {
                    section: (named.section != 0).then(|| named.document.sections()[named.section].slug.clone()),
                    path: named.path.clone(),
                    bullet: named.bullet.map(|number| (named, number)),
                });
            }
            Err(error) => error,
        };
        let path = error.details.get("path").and_then(Value::as_str).map(MemoryPath::new);
        match path.filter(|_| error.code == Code::FileNotFound) {
            Some(Ok(path)) => Ok(LogTarget { path, section: None, bullet: None }),
            _ => Err(error),
        }
    }

    /// Whether an entry touched the file or section.
    pub(super) fn is_touched_by(&self, session: &Session, entry: &JournalEntry) -> bool {
        let Some(file) = entry.files.iter().find(|f| f.path == self.path) else { return false };
        let Some(section) = &self.section else { return true };
        let (before, after) = texts_around(&session.store.texts_at(entry.rev), &file.path);
        let effects = diff_effects(before.as_ref(), after.as_ref(), &file.path, 0);
        effects.iter().any(|e| e.section.as_ref() == Some(section))
    }
}
