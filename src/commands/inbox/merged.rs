//! Recognises proposals whose branch was merged: merging is accepting.
//!
//! Looks only at proposals that `inbox --branch` committed, and at nothing while their branch is checked out.

use std::collections::{HashMap, HashSet};

use super::accept::apply_and_remove;
use super::branch::PROPOSAL_TRAILER;
use super::{InboxFile, read_proposals};
use crate::code::Rejection;
use crate::commands::results::ChangeResult;
use crate::commands::{ChangeOptions, Error, Session};
use crate::document::BulletMeta;
use crate::host::git::Git;
use crate::path::MemoryPath;
use crate::reflect::inbox_item::ReviewBranch;
use crate::text::similarity::similarity;

/// How similar (0 to 1) a bullet is at least to the one that a review made of it.
const MIN_REWORDED_SIMILARITY: f64 = 0.6;

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
    let ids = merged.iter().map(|file| file.id().to_owned()).collect();
    Ok(Some((ids, remove_proposals(session, &merged)?)))
}

/// Removes proposals that were merged.
///
/// # Errors
/// Errors of the store, and `conflict` if a file was changed since it was read.
pub(super) fn remove_proposals(session: &Session, merged: &[&InboxFile]) -> Result<ChangeResult, Error> {
    let removals: Vec<_> = merged.iter().map(|file| file.removal()).collect();
    apply_and_remove(session, &[], &removals, &ChangeOptions::default(), "merged")
}

/// The proposals on a branch that was merged into the one that is checked out: a commit since then names them, or (a
/// host may write messages of its own) the files say what they propose, or all that the branch says in the end, after a
/// review that reworded or dropped some of it.
///
/// # Errors
/// `io`, `git`.
pub(super) fn merged_proposals<'f>(session: &Session, files: &'f [InboxFile]) -> Result<Vec<&'f InboxFile>, Rejection> {
    let on_branch = |file: &'f InboxFile| Some((file, file.proposal.branch()?));
    let on_branch: Vec<_> = files.iter().filter_map(on_branch).collect();
    let Some(git) = Git::discover(&session.dir).filter(|_| !on_branch.is_empty()) else { return Ok(Vec::new()) };
    let current = git.current_branch()?;
    let mut messages: HashMap<String, String> = HashMap::new();
    let mut base_files = BaseFiles { git: &git, lines: HashMap::new() };
    let mut branch_diffs: HashMap<ReviewBranch, Vec<String>> = HashMap::new();
    let (mut merged, mut left) = (Vec::new(), Vec::new());
    for (file, branch) in on_branch.into_iter().filter(|(_, branch)| current.as_ref() != Some(&branch.name)) {
        let of_base = messages
            .entry(branch.base.clone())
            // A base that is gone: the history was rewritten, and only the files can tell.
            .or_insert_with(|| git.messages_with(PROPOSAL_TRAILER, &branch.base).unwrap_or_default());
        let is_named = of_base.lines().any(|line| line.trim_end().strip_prefix(PROPOSAL_TRAILER) == Some(file.id()));
        if is_named || is_in_files(session, &mut base_files, &branch.base, &file.proposal.diff)? {
            merged.push((file, branch))
        } else {
            left.push((file, branch))
        }
    }
    let merged_branches: HashSet<ReviewBranch> =
        merged.iter().map(|(_, branch): &(_, ReviewBranch)| branch.clone()).collect();
    for (file, branch) in left {
        let diffs = branch_diffs
            .entry(branch.clone())
            .or_insert_with(|| git.branch_diffs(&branch.base, &branch.name).unwrap_or_default());
        let mut is_merged = false;
        for diff in diffs.iter() {
            is_merged |= is_in_files(session, &mut base_files, &branch.base, diff)?;
        }
        // A similar bullet alone is no merge: others of the branch were merged, or it is gone.
        let may_be_reworded = !is_merged && (merged_branches.contains(&branch) || diffs.is_empty());
        if is_merged
            || may_be_reworded && is_reworded_in_files(session, &mut base_files, &branch.base, &file.proposal.diff)?
        {
            merged.push((file, branch));
        }
    }
    Ok(merged.into_iter().map(|(file, _)| file).collect())
}

/// Whether the files have a similar line, which the base of the branch lacks, for each that a diff adds, and none that
/// it removes: a review reworded it, and its branch is gone.
fn is_reworded_in_files(
    session: &Session,
    base_files: &mut BaseFiles<'_>,
    base: &str,
    diff: &str,
) -> Result<bool, Rejection> {
    let mut reworded = String::new();
    let (mut new_lines, mut count): (Vec<String>, usize) = (Vec::new(), 0);
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ b/").and_then(|name| MemoryPath::new(name).ok()) {
            let then = base_files.lines(base, &path);
            new_lines = present_lines(session, &path)?;
            new_lines.retain(|line| line.starts_with("- ") && !then.contains(line));
        }
        let added = line.strip_prefix('+').map(str::trim_end).filter(|text| text.starts_with("- "));
        let similar = added.filter(|text| !new_lines.iter().any(|line| line == text)).and_then(|text| {
            new_lines.iter().find(|line| similarity(&line[2..], &text[2..]) >= MIN_REWORDED_SIMILARITY)
        });
        match similar {
            Some(other) => {
                count += 1;
                reworded.push_str(&format!("+{other}\n"));
            }
            None => reworded.push_str(&format!("{line}\n")),
        }
    }
    Ok(count > 0 && is_in_files(session, base_files, base, &reworded)?)
}

/// Whether the files have all lines that a diff adds, and none that it removes. A line that the base of the branch has
/// as well must be there once more, or once less; a metadata line must follow the bullet that has it in the diff.
/// Summary lines are derived, and do not count.
fn is_in_files(session: &Session, base_files: &mut BaseFiles<'_>, base: &str, diff: &str) -> Result<bool, Rejection> {
    let mut compared = 0;
    for (path, lines) in changed_lines(diff) {
        let now = match &path {
            Some(path) => present_lines(session, path)?,
            None => Vec::new(),
        };
        let then = path.as_ref().map_or(&[][..], |path| base_files.lines(base, path));
        let mut differences: HashMap<&str, isize> = HashMap::new();
        for line in &lines {
            if BulletMeta::parse(line.text).is_some() {
                let is_there = now.windows(2).any(|pair| pair[0] == line.above && pair[1] == line.text);
                if is_there != line.is_added {
                    return Ok(false);
                }
                compared += 1;
            } else {
                *differences.entry(line.text).or_default() += if line.is_added { 1 } else { -1 };
            }
        }
        let count = |lines: &[String], text: &str| lines.iter().filter(|line| *line == text).count().cast_signed();
        for (text, difference) in differences.into_iter().filter(|(_, difference)| *difference != 0) {
            let (now, wanted) = (count(&now, text), (count(then, text) + difference).max(0));
            if difference > 0 && now < wanted || difference < 0 && now > wanted {
                return Ok(false);
            }
            compared += 1;
        }
    }
    Ok(compared > 0)
}

/// The files of git's commits where branches began, read once each.
struct BaseFiles<'g> {
    git: &'g Git,
    lines: HashMap<(String, MemoryPath), Vec<String>>,
}

impl BaseFiles<'_> {
    /// The lines of a file in a commit; empty if it did not exist, or if the commit is gone.
    fn lines(&mut self, base: &str, path: &MemoryPath) -> &[String] {
        self.lines.entry((base.to_owned(), path.clone())).or_insert_with(|| {
            let text = self.git.stdout_of(&["show", &format!("{base}:./{path}")]).unwrap_or_default();
            lines_of(&text)
        })
    }
}

/// The lines of a file as it is now; empty without one.
fn present_lines(session: &Session, path: &MemoryPath) -> Result<Vec<String>, Rejection> {
    Ok(session.store.read(path)?.map(|version| lines_of(&version.bytes)).unwrap_or_default())
}

/// The lines of a text, without blanks at their ends.
fn lines_of(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text).lines().map(|line| line.trim_end().to_owned()).collect()
}

/// A line of a diff that counts, with the line above it in its own version of the file.
struct ChangedLine<'d> {
    /// Else it is removed.
    is_added: bool,
    above: &'d str,
    text: &'d str,
}

/// The added and removed lines of each file that a diff leaves in place.
fn changed_lines(diff: &str) -> Vec<(Option<MemoryPath>, Vec<ChangedLine<'_>>)> {
    let mut files: Vec<(Option<MemoryPath>, Vec<ChangedLine<'_>>)> = Vec::new();
    let (mut above_old, mut above_new, mut removes_file) = ("", "", false);
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("+++ ") {
            removes_file = name == "/dev/null";
            files.push((name.strip_prefix("b/").and_then(|name| MemoryPath::new(name).ok()), Vec::new()));
            continue;
        }
        let Some((_, lines)) = files.last_mut().filter(|_| !removes_file && !line.starts_with("--- ")) else {
            continue;
        };
        let (sign, text) = line.split_at_checked(1).unwrap_or(("", line));
        let text = text.trim_end();
        let above = match sign {
            "+" => std::mem::replace(&mut above_new, text),
            "-" => std::mem::replace(&mut above_old, text),
            _ => {
                (above_old, above_new) = (text, text);
                continue;
            }
        };
        if !text.is_empty() && !text.starts_with("> Summary:") {
            lines.push(ChangedLine { is_added: sign == "+", above, text });
        }
    }
    files
}
