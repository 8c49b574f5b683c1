//! `check --since`: keeps the findings on lines that changed since a git revision.
//!
//! Never finds problems itself.

use std::collections::{HashMap, HashSet};

use super::Session;
use super::results::CheckFinding;
use crate::code::Rejection;
use crate::host::git::Git;
use crate::path::MemoryPath;
use crate::view::diff::changed_line_numbers;

/// The largest policy file that is read, in bytes.
const MAX_POLICY_BYTES: u64 = 1 << 20;

/// Keeps the findings on lines that changed since the merge base of a git revision and `HEAD` (since the revision
/// itself, if there is none). A finding about a whole file is kept if any of its lines changed.
///
/// # Errors
/// `no_repository`, `revision_not_found`, `no_git`, `git`.
pub fn findings_since(
    session: &Session,
    revision: &str,
    findings: Vec<CheckFinding>,
) -> Result<Vec<CheckFinding>, Rejection> {
    let git = Git::in_dir(&session.dir);
    git.work_tree()?;
    let commit = git.resolve_commit(revision)?;
    // Compares with the merge base, so that later changes on the other branch do not count as changes here.
    let fork = git.resolve_commit("HEAD").ok().and_then(|head| git.merge_base(&commit, &head).ok().flatten());
    let base_files = git.files_at(fork.as_ref().unwrap_or(&commit))?;
    let mut lines: HashMap<String, Option<HashSet<usize>>> = HashMap::new();
    let mut new = Vec::new();
    for finding in findings {
        if !lines.contains_key(&finding.path) {
            let old_object = base_files.iter().find(|blob| blob.path == finding.path).map(|blob| blob.object.as_str());
            lines.insert(finding.path.clone(), changed_lines(session, &git, &finding.path, old_object)?);
        }
        let is_new = match &lines[&finding.path] {
            None => true,
            Some(lines) => lines.contains(&finding.line) || finding.line == 0 && !lines.is_empty(),
        };
        if is_new {
            new.push(finding);
        }
    }
    Ok(new)
}

/// The 1-based numbers of the lines of a file that changed; `None` for all of them. A removed line marks the line after
/// it.
fn changed_lines(
    session: &Session,
    git: &Git,
    path: &str,
    old_object: Option<&str>,
) -> Result<Option<HashSet<usize>>, Rejection> {
    let Some(was) = old_object else { return Ok(None) };
    let mut before = git.read_objects(&[was])?.pop().unwrap_or_default();
    let now = match MemoryPath::from_disk_name(path).ok().filter(|p| p.as_str().ends_with(".md")) {
        Some(path) => {
            before = session.store.filter_past_bytes(&path, before).unwrap_or_default();
            session.store.read(&path).ok().flatten().map(|v| v.bytes.to_vec())
        }
        None => session.store.read_top_file(path, MAX_POLICY_BYTES).ok().flatten().map(String::into_bytes),
    };
    let Some(now) = now else { return Ok(None) };
    Ok(Some(changed_line_numbers(&String::from_utf8_lossy(&before), &String::from_utf8_lossy(&now))))
}
