//! The index `MEMORY.md` of a memory that is an agent's folder, as it should be for the files on disk.
//!
//! Never keeps it in step with changes: planning does (`operation/memory_index.rs`).

use super::{ChangeOptions, CommandResult, Session};
use crate::document::Document;
use crate::document::memory_index::INDEX_FILE;
use crate::operation::memory_index::{complete_index, index_path};
use crate::operation::{Action, Batch, Target};
use crate::path::MemoryPath;
use crate::store::FoundFile;

/// The text of an index that has none yet.
const NEW_INDEX: &str = "# Memory Index\n";

/// The index with the lines that it lacks, and without those of files that are gone. `all` holds every file.
pub(super) fn completed(session: &Session, text: &str, all: &[FoundFile]) -> String {
    let names: Vec<MemoryPath> =
        all.iter().filter(|file| file.unsafe_reason.is_none()).map(|file| file.path.clone()).collect();
    complete_index(text, &names, |path| {
        let version = session.store.read(path).ok().flatten()?;
        Document::from_bytes(version.bytes.to_vec()).ok()
    })
}

/// Creates the index, if the memory has no file of that name.
///
/// # Errors
/// Those of a change.
pub(super) fn create(session: &Session) -> CommandResult<()> {
    let all = session.store.walk(None)?;
    if index_path().is_none_or(|path| all.iter().any(|file| file.path == path)) {
        return Ok(());
    }
    let text = completed(session, NEW_INDEX, &all);
    let action = Action::Write { at: Target::Address(INDEX_FILE.to_owned()), text, create: true };
    super::change::change(session, Batch::from_iter([action]), &ChangeOptions::default()).map(drop)
}
