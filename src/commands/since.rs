//! What of a check is new: findings on lines that changed since one of git's revisions.
//!
//! Never looks for trouble itself.

use std::collections::{HashMap, HashSet};

use super::Session;
use super::answer::Finding;
use crate::code::Rejection;
use crate::host::git::Git;
use crate::path::MemoryPath;
use crate::view::diff::changed;

/// The largest policy, in bytes.
const POLICY: u64 = 1 << 20;

/// The findings on lines that changed since a revision: since it and `HEAD` parted, where they did. A finding about a
/// whole file counts where any of its lines changed.
///
/// # Errors
/// `no_repository`, `revision_not_found`, `no_git`, `git`.
pub fn since(session: &Session, revision: &str, findings: Vec<Finding>) -> Result<Vec<Finding>, Rejection> {
    let git = Git::at(&session.dir);
    git.place()?;
    let commit = git.commit(revision)?;
    // Whoever looks at a branch is not told of what the other branch has done meanwhile.
    let fork = git.commit("HEAD").ok().and_then(|head| git.fork(&commit, &head).ok().flatten());
    let then = git.files(fork.as_ref().unwrap_or(&commit))?;
    let mut lines: HashMap<String, Option<HashSet<usize>>> = HashMap::new();
    let mut new = Vec::new();
    for finding in findings {
        if !lines.contains_key(&finding.path) {
            let was = then.iter().find(|blob| blob.path == finding.path).map(|blob| blob.object.as_str());
            lines.insert(finding.path.clone(), lines_of(session, &git, &finding.path, was)?);
        }
        let fresh = match &lines[&finding.path] {
            None => true,
            Some(lines) => lines.contains(&finding.line) || finding.line == 0 && !lines.is_empty(),
        };
        if fresh {
            new.push(finding);
        }
    }
    Ok(new)
}

/// The lines of a file that changed; `None` for all of them. A line that only went marks the one after it.
fn lines_of(session: &Session, git: &Git, path: &str, was: Option<&str>) -> Result<Option<HashSet<usize>>, Rejection> {
    let Some(was) = was else { return Ok(None) };
    let mut before = git.contents(&[was])?.pop().unwrap_or_default();
    let now = match MemoryPath::found(path).ok().filter(|p| p.as_str().ends_with(".md")) {
        Some(path) => {
            before = session.store.recalled(&path, before).unwrap_or_default();
            session.store.read(&path).ok().flatten().map(|v| v.bytes.to_vec())
        }
        None => session.store.top_file(path, POLICY).ok().flatten().map(String::into_bytes),
    };
    let Some(now) = now else { return Ok(None) };
    Ok(Some(changed(&String::from_utf8_lossy(&before), &String::from_utf8_lossy(&now))))
}
