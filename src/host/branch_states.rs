//! What became of git branches: still open, merged into the one that is checked out, or deleted.
//!
//! Only reads.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::git::Git;
use crate::code::Rejection;

/// Options of each comparison: no program of a config or of attributes.
const PATCH_ARGS: [&str; 3] = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
/// The newest commits that are compared with a branch.
const MAX_SQUASHES: &str = "--max-count=200";

/// What became of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchState {
    Open,
    /// The branch that is checked out has all of its commits, or one with the same changes, as a squash makes it.
    Merged,
    /// Neither this clone nor one of its remotes has it.
    Deleted,
}

impl Git {
    /// What became of these branches. One that never had a commit of its own is open, although it is merged for git. So
    /// is the one that is checked out, one that others are made from and merged into, and one that the branch which is
    /// checked out began with.
    ///
    /// # Errors
    /// `git`.
    pub fn branch_states(&self, names: &BTreeSet<String>) -> Result<BTreeMap<String, BranchState>, Rejection> {
        let listed = |args: &[&str]| -> Result<HashSet<String>, Rejection> {
            let out = self.stdout_of(&[&["for-each-ref", "--format=%(refname)"], args].concat())?;
            Ok(String::from_utf8_lossy(&out).lines().map(str::to_owned).collect())
        };
        let all = listed(&["refs/heads", "refs/remotes"])?;
        let merged = match self.resolve_commit("HEAD") {
            Ok(head) => listed(&["--merged", &head, "refs/heads"])?,
            Err(_) => HashSet::new(),
        };
        let current = self.current_branch()?;
        let from_start = match current.as_ref().map(|name| self.branch_start(name)).transpose()?.flatten() {
            Some(start) => listed(&["--merged", &start, "refs/heads"])?,
            None => HashSet::new(),
        };
        let trunks = self.trunk_branches()?;
        let mut states = BTreeMap::new();
        for name in names {
            let full_name = format!("refs/heads/{name}");
            let is_elsewhere = || {
                let of_remote = |known: &String| {
                    known
                        .strip_prefix("refs/remotes/")
                        .and_then(|rest| rest.split_once('/'))
                        .is_some_and(|(_, n)| n == name)
                };
                all.iter().any(of_remote)
            };
            let is_current = current.as_ref() == Some(name);
            let may_end = !is_current && !trunks.contains(name) && !from_start.contains(&full_name);
            let state = match (all.contains(&full_name), merged.contains(&full_name)) {
                (true, true) if may_end && self.has_own_commits(&full_name)? => BranchState::Merged,
                // What cannot be compared counts as open.
                (true, false) if may_end && self.is_squashed(&full_name).unwrap_or(false) => BranchState::Merged,
                (true, _) => BranchState::Open,
                // Without a commit yet.
                (false, _) if is_current => BranchState::Open,
                (false, _) if is_elsewhere() => BranchState::Open,
                (false, _) => BranchState::Deleted,
            };
            states.insert(name.clone(), state);
        }
        Ok(states)
    }

    /// Whether one of the newest commits of HEAD that a branch lacks changes what the branch changes, as a whole.
    fn is_squashed(&self, full_name: &str) -> Result<bool, Rejection> {
        let Some(base) = self.merge_base("HEAD", full_name)? else { return Ok(false) };
        let diff = self.stdout_of(&[&["diff"], &PATCH_ARGS[..], &[&base, full_name, "--"]].concat())?;
        let range = format!("{base}..HEAD");
        let log =
            [&["log", "-p", "--no-show-signature", "--no-merges", MAX_SQUASHES], &PATCH_ARGS[..], &[&range, "--"]];
        let of_branch = self.patch_ids(&diff)?;
        Ok(!of_branch.is_empty() && self.patch_ids(&self.stdout_of(&log.concat())?)?.is_superset(&of_branch))
    }

    /// The ids of patches, which do not depend on line numbers or blanks.
    fn patch_ids(&self, patches: &[u8]) -> Result<HashSet<String>, Rejection> {
        let out = self.invoke(&["patch-id", "--stable"], patches)?.stdout;
        let first_words = String::from_utf8_lossy(&out)
            .lines()
            .filter_map(|line| line.split(' ').next())
            .map(str::to_owned)
            .collect();
        Ok(first_words)
    }

    /// The commit that a branch was made from, as far as its log reaches back to that.
    fn branch_start(&self, name: &str) -> Result<Option<String>, Rejection> {
        let full_name = format!("refs/heads/{name}");
        let output = self.invoke(&["log", "--walk-reflogs", "--format=%H %gs", &full_name, "--"], b"")?;
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = log.lines().last().and_then(|line| line.split_once(' '));
        Ok(first.filter(|(_, what)| what.starts_with("branch: Created")).map(|(commit, _)| commit.to_owned()))
    }

    /// The branches that others are usually made from: those of git's defaults, the config's, and the remotes'.
    fn trunk_branches(&self) -> Result<HashSet<String>, Rejection> {
        let heads = self.stdout_of(&["for-each-ref", "--format=%(symref)", "refs/remotes/*/HEAD"])?;
        let heads = String::from_utf8_lossy(&heads).into_owned();
        let of_remotes = heads.lines().filter_map(|line| line.strip_prefix("refs/remotes/")?.split_once('/'));
        let of_remotes = of_remotes.map(|(_, name)| name.to_owned());
        let configured = self.config_value("init.defaultBranch")?;
        Ok(["main", "master"].map(str::to_owned).into_iter().chain(configured).chain(of_remotes).collect())
    }

    /// Whether a merged branch had commits of its own: one that followed another branch by fast-forwards has none. Its
    /// log names those that were made here; those of others were merged by a commit, beside the commits of HEAD itself.
    fn has_own_commits(&self, full_name: &str) -> Result<bool, Rejection> {
        let output = self.invoke(&["log", "--walk-reflogs", "--format=%H %gs", full_name, "--"], b"")?;
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        let steps: Vec<(&str, &str)> = log.lines().filter_map(|line| line.split_once(' ')).collect();
        let Some((tip, _)) = steps.first().filter(|_| steps.len() > 1) else { return Ok(false) };
        let makes_commits = ["commit", "cherry-pick", "revert", "rebase", "am"];
        if steps.iter().any(|(_, what)| makes_commits.iter().any(|verb| what.starts_with(verb))) {
            return Ok(true);
        }
        let kept = self.stdout_of(&["rev-list", "--first-parent", "HEAD", &format!("^{tip}^@"), "--"])?;
        Ok(!String::from_utf8_lossy(&kept).lines().any(|commit| commit == *tip))
    }
}
