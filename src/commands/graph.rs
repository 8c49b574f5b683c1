//! A memory as a knowledge graph: every request reads the fact files once and makes at most one revision.
//!
//! Never changes a file that another writer changed since it was read: the request is carried out again on the new
//! text.

use super::memory_tool::MAX_TRIES;
use super::{ChangeOptions, CommandResult, Session};
use crate::change::Etag;
use crate::code::{Code, Rejection};
use crate::document::memory_index::is_memory_index;
use crate::document::{Document, MAX_FILE_BYTES};
use crate::operation::Batch;
use crate::operation::graph::{GraphReply, GraphRequest, MemoryGraph};
use crate::operation::graph_files::GraphFile;

/// Carries out one request.
///
/// # Errors
/// `file_not_found` for an observation about no entity; those of a change.
pub fn graph(session: &Session, request: &GraphRequest) -> CommandResult<GraphReply> {
    let mut tries = 1;
    loop {
        let (operations, reply) = read_graph(session)?.answer(request)?;
        if operations.is_empty() {
            return Ok(reply);
        }
        let batch = Batch { operations, ..Batch::default() };
        match super::change(session, batch, &ChangeOptions::default()) {
            Ok(_) => return Ok(reply),
            // Another writer changed a file, or created the one of this name.
            Err(error) if matches!(error.code(), Code::Conflict | Code::NeedsProof) && tries < MAX_TRIES => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Reads all fact files that the caller may see.
fn read_graph(session: &Session) -> Result<MemoryGraph, Rejection> {
    session.store.consistent(|| {
        let mut files = session.store.walk(None)?;
        files.retain(|file| GraphFile::is_part(&file.path));
        let files = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
            let (bytes, _) = read.ok()?;
            let document = Document::from_bytes(bytes.to_vec()).ok()?;
            // An index lists what other files say.
            let is_index = is_memory_index(&file.path, document.text());
            (!is_index).then(|| GraphFile::read(file.path.clone(), Etag::of(bytes).short(), document))
        });
        Ok(MemoryGraph::new(files.into_iter().flatten().collect()))
    })?
}
