//! Recognises proposals whose branch was merged: merging is accepting.
//!
//! Looks only at proposals that `inbox --branch` committed, and at nothing while their branch is checked out.

use std::collections::HashMap;

use super::branch::PROPOSAL_TRAILER;
use super::{InboxFile, apply_and_remove, read_proposals};
use crate::code::Rejection;
use crate::commands::answer::ChangeResult;
use crate::commands::{ChangeOptions, Error, Session};
use crate::host::git::Git;
use crate::path::MemoryPath;

/// Removes the proposals that were merged; `None` if there are none. Returns their ids.
///
/// # Errors
/// Errors of the store and of git.
pub fn remove_merged_proposals(session: &Session) -> Result<Option<(Vec<String>, ChangeResult)>, Error> {
    if session.may_write().is_err() || session.store.require_unfiltered().is_err() {
        return Ok(None);
    }
    let files = read_proposals(session)?;
    let merged = merged_proposals(session, &files)?;
    if merged.is_empty() {
        return Ok(None);
    }
    let removals: Vec<_> = merged.iter().map(|file| file.removal()).collect();
    let ids = merged.iter().map(|file| file.id().to_owned()).collect();
    Ok(Some((ids, apply_and_remove(session, &[], &removals, &ChangeOptions::default(), "merged")?)))
}

/// The proposals on a branch that was merged into the one that is checked out: a commit since then names them, or (a host
/// may write messages of its own) the files say what they propose.
fn merged_proposals<'f>(session: &Session, files: &'f [InboxFile]) -> Result<Vec<&'f InboxFile>, Rejection> {
    let on_branch = |file: &'f InboxFile| Some((file, file.proposal.branch()?));
    let on_branch: Vec<_> = files.iter().filter_map(on_branch).collect();
    let Some(git) = Git::discover(&session.dir).filter(|_| !on_branch.is_empty()) else { return Ok(Vec::new()) };
    let current = git.current_branch()?;
    let mut messages: HashMap<String, String> = HashMap::new();
    let mut merged = Vec::new();
    for (file, branch) in on_branch.into_iter().filter(|(_, branch)| current.as_ref() != Some(&branch.name)) {
        let of_base = messages
            .entry(branch.base.clone())
            // A base that is gone: the history was rewritten, and only the files can tell.
            .or_insert_with(|| git.messages_with(PROPOSAL_TRAILER, &branch.base).unwrap_or_default());
        let is_named = of_base.lines().any(|line| line.trim_end().strip_prefix(PROPOSAL_TRAILER) == Some(file.id()));
        if is_named || is_in_files(session, &file.proposal.diff)? {
            merged.push(file);
        }
    }
    Ok(merged)
}

/// Whether the files have all lines that a diff adds, and none that it removes. Summary lines are derived, and do not
/// count.
fn is_in_files(session: &Session, diff: &str) -> Result<bool, Rejection> {
    let mut lines: Vec<String> = Vec::new();
    let mut compared = 0;
    let mut removes_file = false;
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("+++ ") {
            removes_file = name == "/dev/null";
            lines = match name.strip_prefix("b/").map(MemoryPath::new) {
                Some(Ok(path)) => {
                    let version = session.store.read(&path)?;
                    let text = version.map(|v| String::from_utf8_lossy(&v.bytes).into_owned()).unwrap_or_default();
                    text.lines().map(|line| line.trim_end().to_owned()).collect()
                }
                _ => Vec::new(),
            };
            continue;
        }
        let (sign, text) = line.split_at_checked(1).unwrap_or(("", line));
        let text = text.trim_end();
        if line.starts_with("--- ") || text.is_empty() || text.starts_with("> Summary:") || removes_file {
            continue;
        }
        let is_there = lines.iter().any(|other| other == text);
        match sign {
            "+" if is_there => compared += 1,
            "-" if !is_there => compared += 1,
            "+" | "-" => return Ok(false),
            _ => {}
        }
    }
    Ok(compared > 0)
}
