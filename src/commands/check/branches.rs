//! Findings about bullets that are kept for a git branch which was merged or deleted.
//!
//! Never decides whether such a bullet still holds: the commands to try are for both answers. Asks git only if a bullet
//! is for a branch.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{LineIndex, finding};
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::commands::Session;
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::commands::work_branch::repository_at_work;
use crate::document::{Document, Handle, MetaKey};
use crate::host::branch_states::BranchState;
use crate::host::git::Git;
use crate::path::MemoryPath;

/// A bullet that is kept for a branch.
pub struct BranchBullet {
    key: BranchBulletKey,
    handle: String,
    address: String,
    line: usize,
}

/// The branch that a bullet is kept for, and the handle of its text: what a bullet has in any file and commit.
type BranchBulletKey = (String, Handle);

/// The bullets of a file that are kept for a branch.
pub fn branch_bullets(path: &MemoryPath, document: &Document) -> Vec<BranchBullet> {
    let lines = LineIndex::of(document.text());
    let of = |(bullet, key): (usize, BranchBulletKey)| {
        let line = lines.line(document.bullets()[bullet].line_start as usize);
        let address = format!("{path}{}", document.bullet_reference(bullet));
        BranchBullet { key, handle: document.handle_name(bullet), address, line }
    };
    bullet_keys(document).map(of).collect()
}

/// The bullets that are kept for a branch, by their number.
fn bullet_keys(document: &Document) -> impl Iterator<Item = (usize, BranchBulletKey)> {
    let of = |bullet: usize| {
        let branch = document.bullet_meta(bullet)?.valid(MetaKey::Branch)?.to_owned();
        Some((bullet, (branch, document.handles()[bullet])))
    };
    (0..document.bullets().len()).filter_map(of)
}

/// The findings about bullets of branches that were merged or deleted; none outside a repository, or if git fails.
pub fn branch_findings(
    session: &Session,
    all: Vec<(&MemoryPath, Vec<BranchBullet>)>,
    level: FindingLevel,
) -> Vec<CheckFinding> {
    let names: BTreeSet<String> = all.iter().flat_map(|(_, bullets)| bullets).map(|one| one.key.0.clone()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let dir = repository_at_work(session);
    let git = Git::in_dir(&dir);
    let Ok(states) = git.branch_states(&names) else { return Vec::new() };
    // Private memory is in no commit of the repository.
    let is_in_repository = dir == session.dir;
    let picked =
        if is_in_repository { cherry_picked_bullets(&git, &states).unwrap_or_default() } else { HashSet::new() };
    let mut findings = Vec::new();
    for (path, bullets) in all {
        for bullet in bullets {
            let (branch, _) = &bullet.key;
            let became = match states.get(branch) {
                Some(BranchState::Merged) => "was merged",
                Some(BranchState::Deleted) => "was deleted",
                Some(BranchState::Unmerged(_)) if picked.contains(&bullet.key) => {
                    "is not merged, but the bullet was squashed, rebased or cherry-picked"
                }
                Some(BranchState::Unmerged(_) | BranchState::Open) | None => continue,
            };
            let is_open = matches!(states.get(branch), Some(BranchState::Unmerged(_)));
            let text = format!("@{} is for the branch {branch}, which {became}", bullet.handle);
            let archive =
                SuggestedCommand { subcommand: vec!["rm", "--archive"], operands: vec![bullet.address.clone()] };
            let keep =
                SuggestedCommand { subcommand: vec!["set"], operands: vec![bullet.address, "branch=".to_owned()] };
            // Work on a branch that is not merged may go on.
            let suggestions = if is_open { vec![keep, archive] } else { vec![archive, keep] };
            findings
                .push(CheckFinding { suggestions, ..finding(path, bullet.line, 1, Code::StaleBranch, level, text) });
        }
    }
    findings
}

/// The bullets that came to HEAD from branches that are not merged into it, by a squash, a rebase or a cherry-pick: HEAD
/// and the branch have them, but not the commit at which they parted.
fn cherry_picked_bullets(
    git: &Git,
    states: &BTreeMap<String, BranchState>,
) -> Result<HashSet<BranchBulletKey>, Rejection> {
    let mut unmerged = Vec::new();
    for (name, state) in states {
        match state {
            BranchState::Unmerged(tips) => unmerged.push((name, tips)),
            BranchState::Open | BranchState::Merged | BranchState::Deleted => {}
        }
    }
    if unmerged.is_empty() {
        return Ok(HashSet::new());
    }
    let head = git.resolve_commit("HEAD")?;
    let tips = unmerged.iter().flat_map(|(_, tips)| tips.iter());
    let of_branches = tips.flat_map(|tip| tip.bases.iter().chain([&tip.commit]));
    let commits: BTreeSet<&str> = of_branches.chain([&head]).map(String::as_str).collect();
    let commits: Vec<&str> = commits.into_iter().collect();
    let mut bullets: HashMap<&str, HashSet<BranchBulletKey>> = HashMap::new();
    for (commit, text) in git.texts_with("branch=", &commits)? {
        let Ok(document) = Document::from_bytes(text) else { continue };
        bullets.entry(commit).or_default().extend(bullet_keys(&document).map(|(_, key)| key));
    }
    let has =
        |commit: &String, key: &BranchBulletKey| bullets.get(commit.as_str()).is_some_and(|all| all.contains(key));
    let is_picked = |key: &&BranchBulletKey| {
        let of_branch = unmerged.iter().filter(|(name, _)| **name == key.0).flat_map(|(_, tips)| tips.iter());
        of_branch.clone().any(|tip| has(&tip.commit, key))
            && !of_branch.clone().any(|tip| tip.bases.iter().any(|base| has(base, key)))
    };
    Ok(bullets.get(head.as_str()).into_iter().flatten().filter(is_picked).cloned().collect())
}
