//! Findings about bullets that are kept for a git branch which was merged or deleted.
//!
//! Never decides whether such a bullet still holds: the commands to try are for both answers. Asks git only if a bullet
//! is for a branch.

use std::collections::BTreeSet;

use super::{LineIndex, finding};
use crate::code::{Code, SuggestedCommand};
use crate::commands::Session;
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::commands::work_branch::repository_at_work;
use crate::document::{Document, MetaKey};
use crate::host::branch_states::BranchState;
use crate::host::git::Git;
use crate::path::MemoryPath;

/// A bullet that is kept for a branch.
pub struct BranchBullet {
    branch: String,
    handle: String,
    address: String,
    line: usize,
}

/// The bullets of a file that are kept for a branch.
pub fn branch_bullets(path: &MemoryPath, document: &Document) -> Vec<BranchBullet> {
    let lines = LineIndex::of(document.text());
    let of = |bullet: usize| {
        let meta = document.bullet_meta(bullet)?;
        let branch = meta.valid(MetaKey::Branch)?.to_owned();
        let line = lines.line(document.bullets()[bullet].line_start as usize);
        let address = format!("{path}{}", document.bullet_reference(bullet));
        Some(BranchBullet { branch, handle: document.handle_name(bullet), address, line })
    };
    (0..document.bullets().len()).filter_map(of).collect()
}

/// The findings about bullets of branches that were merged or deleted; none outside a repository, or if git fails.
pub fn branch_findings(
    session: &Session,
    all: Vec<(&MemoryPath, Vec<BranchBullet>)>,
    level: FindingLevel,
) -> Vec<CheckFinding> {
    let names: BTreeSet<String> = all.iter().flat_map(|(_, bullets)| bullets).map(|one| one.branch.clone()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let Ok(states) = Git::in_dir(&repository_at_work(session)).branch_states(&names) else { return Vec::new() };
    let mut findings = Vec::new();
    for (path, bullets) in all {
        for bullet in bullets {
            let became = match states.get(&bullet.branch) {
                Some(BranchState::Merged) => "was merged",
                Some(BranchState::Deleted) => "was deleted",
                Some(BranchState::Open) | None => continue,
            };
            let text = format!("@{} is for the branch {}, which {became}", bullet.handle, bullet.branch);
            let archive =
                SuggestedCommand { subcommand: vec!["rm", "--archive"], operands: vec![bullet.address.clone()] };
            let keep =
                SuggestedCommand { subcommand: vec!["set"], operands: vec![bullet.address, "branch=".to_owned()] };
            let suggestions = vec![archive, keep];
            findings
                .push(CheckFinding { suggestions, ..finding(path, bullet.line, 1, Code::StaleBranch, level, text) });
        }
    }
    findings
}
