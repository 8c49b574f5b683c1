//! What waits in the other work trees of the repository: each has an `inbox/` of its own, which git ignores, and which
//! goes with the work tree.
//!
//! Reads no text there, and changes nothing: names of files are counted.

use std::path::Path;

use crate::code::{Code, Warning};
use crate::commands::{Session, read_policy};
use crate::document::Visibility;
use crate::host::find::is_data_dir;
use crate::host::git_dir::GitDirectory;
use crate::reflect::inbox_item;
use crate::store::{Store, StoreOptions};
use crate::text::shell_quote::shell_quote;

/// A note for each other work tree in which proposals wait, with the command that lists them. None for a caller with an
/// allowlist, which may see no proposals.
pub fn waiting_in_other_work_trees(session: &Session) -> Vec<Warning> {
    let Some(repository) = GitDirectory::find(&session.dir).filter(|_| session.visibility().is_none()) else {
        return Vec::new();
    };
    let dir = session.dir.canonicalize().unwrap_or_default();
    let Ok(inside) = dir.strip_prefix(repository.work_tree()) else { return Vec::new() };
    let memories = repository.other_work_trees().into_iter().map(|tree| tree.join(inside));
    memories.filter_map(|memory| note(&memory, count_proposals(session, &memory)?)).collect()
}

fn note(memory: &Path, count: usize) -> Option<Warning> {
    let (proposals, they) = match count {
        0 => return None,
        1 => ("1 proposal waits".to_owned(), "it goes"),
        n => (format!("{n} proposals wait"), "they go"),
    };
    let dir = memory.to_string_lossy();
    let list = format!("memdir --dir {} inbox", shell_quote(&dir));
    Some(Warning::new(
        Code::Note,
        format!("{proposals} in another work tree, and {they} with it: {dir}; `{list}` lists what to decide before"),
    ))
}

/// The number of proposals of a memory; `None` if none is there, a link leads to it, or its policy restricts the caller.
fn count_proposals(session: &Session, memory: &Path) -> Option<usize> {
    if !is_data_dir(memory) || memory.canonicalize().ok()? != memory {
        return None;
    }
    let store = Store::open(memory, StoreOptions::default()).ok()?;
    let policy = read_policy(&store);
    if policy.read_refusal(session.is_agent).is_some()
        || Visibility::for_agent(&policy.policy, &session.actor).is_some()
    {
        return None;
    }
    let files = store.walk(Some("inbox")).ok()?;
    Some(files.iter().filter(|file| inbox_item::id_of(&file.path).is_some()).count())
}
