//! What became of git branches: still open, merged into the one that is checked out, or deleted.
//!
//! Only reads.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::git::Git;
use super::repository::split_nul;
use crate::code::Rejection;

/// Options of each comparison: no program of a config or of attributes.
const PATCH_ARGS: [&str; 3] = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
/// The newest commits that are compared with a branch.
const MAX_SQUASHES: &str = "--max-count=200";

/// What became of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchState {
    /// It goes on, or this clone cannot tell.
    Open,
    /// The branch that is checked out lacks commits of it: these tips, here or on a remote, are not merged.
    Unmerged(Vec<UnmergedTip>),
    /// The branch that is checked out has all of its commits, or one with the same changes, as a squash makes it.
    Merged,
    /// Neither this clone nor one of its remotes has it.
    Deleted,
}

/// The newest commit of a branch, which HEAD lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmergedTip {
    /// Its full hash.
    pub commit: String,
    /// Where HEAD and the branch parted: their merge base, and the commit of the branch that HEAD was made from, if the
    /// branch was rewritten since.
    pub bases: Vec<String>,
}

/// The full name of a ref and the commit that it stands at.
type RefTip = (String, String);

impl Git {
    /// What became of these branches. One that never had a commit of its own is open, although it is merged for git. So
    /// is the one that is checked out, one that others are made from and merged into, and one that the branch which is
    /// checked out began with.
    ///
    /// # Errors
    /// `git`.
    pub fn branch_states(&self, names: &BTreeSet<String>) -> Result<BTreeMap<String, BranchState>, Rejection> {
        let listed = |args: &[&str]| -> Result<BTreeSet<RefTip>, Rejection> {
            let options = ["for-each-ref", "--format=%(refname) %(objectname)"];
            let out = self.stdout_of(&[&options, args, &["refs/heads", "refs/remotes"]].concat())?;
            let lines = String::from_utf8_lossy(&out).into_owned();
            Ok(lines.lines().filter_map(|line| line.split_once(' ')).map(|(a, b)| (a.into(), b.into())).collect())
        };
        let all = listed(&[])?;
        let tips_of = |name: &str| all.iter().filter(|(of, _)| branch_name(of) == Some(name)).collect::<Vec<_>>();
        let merged = match self.resolve_commit("HEAD") {
            Ok(head) => listed(&["--merged", &head])?,
            Err(_) => BTreeSet::new(),
        };
        let current = self.current_branch()?;
        let from_start = match current.as_ref().map(|name| self.branch_start(name)).transpose()?.flatten() {
            Some(start) => listed(&["--merged", &start])?,
            None => BTreeSet::new(),
        };
        let trunks = self.trunk_branches()?;
        let is_missing = |name: &String| current.as_ref() != Some(name) && tips_of(name).is_empty();
        let knows_deleted = names.iter().any(is_missing) && self.knows_all_branches()?;
        let mut states = BTreeMap::new();
        for name in names {
            let tips = tips_of(name);
            let mut unmerged: Vec<&RefTip> = tips.iter().copied().filter(|tip| !merged.contains(*tip)).collect();
            unmerged.dedup_by_key(|(_, commit)| commit);
            let goes_on = trunks.contains(name) || tips.iter().any(|tip| from_start.contains(*tip));
            let state = match () {
                // Perhaps without a commit yet.
                () if current.as_ref() == Some(name) => BranchState::Open,
                () if tips.is_empty() && knows_deleted => BranchState::Deleted,
                () if tips.is_empty() || goes_on => BranchState::Open,
                () if !unmerged.is_empty() => self.unmerged_state(&unmerged)?,
                () if self.has_own_commits(name, &tips)? => BranchState::Merged,
                () => BranchState::Open,
            };
            states.insert(name.clone(), state);
        }
        Ok(states)
    }

    /// The Markdown files below the directory that contain a text, in each of some commits: a commit with the bytes of a
    /// file.
    ///
    /// # Errors
    /// `git`.
    pub fn texts_with<'c>(&self, text: &str, commits: &[&'c str]) -> Result<Vec<(&'c str, Vec<u8>)>, Rejection> {
        let options =
            ["--no-replace-objects", "grep", "--files-with-matches", "-z", "--text", "--fixed-strings", "-e", text];
        let output = self.invoke(&[&options[..], commits, &["--", "*.md"]].concat(), b"")?;
        let found: Vec<(&str, String)> = split_nul(&output.stdout)
            .iter()
            .filter_map(|name| name.split_once(':').filter(|(_, path)| !path.contains('\n')))
            .filter_map(|(commit, path)| {
                Some((*commits.iter().find(|one| **one == commit)?, format!("{commit}:./{path}")))
            })
            .collect();
        let names: Vec<&str> = found.iter().map(|(_, name)| name.as_str()).collect();
        Ok(found.iter().map(|(commit, _)| *commit).zip(self.read_objects(&names)?).collect())
    }

    /// Whether a branch that this clone does not have is nowhere: not in a clone that fetches some branches only, as
    /// shallow ones usually do, whatever their config says.
    fn knows_all_branches(&self) -> Result<bool, Rejection> {
        let remotes = self.stdout_line(&["remote"])?;
        let output = self.invoke(&["config", "--null", "--get-regexp", r"^remote\..*\.fetch$"], b"")?;
        let refspecs = split_nul(&output.stdout);
        let fetches_all = |remote: &str| {
            let key = format!("remote.{remote}.fetch");
            let of_remote = || refspecs.iter().filter_map(|line| line.split_once('\n')).filter(|(k, _)| *k == key);
            let is_whole = |spec: &str| ["refs/heads/*:", "refs/*:"].iter().any(|all| spec.starts_with(all));
            of_remote().any(|(_, spec)| is_whole(spec.trim_start_matches('+')))
                && !of_remote().any(|(_, spec)| spec.starts_with('^'))
        };
        Ok(remotes.lines().all(fetches_all) && !self.is_shallow()?)
    }

    /// The state of a branch with tips that HEAD lacks.
    fn unmerged_state(&self, tips: &[&RefTip]) -> Result<BranchState, Rejection> {
        // What cannot be compared counts as unmerged.
        if tips.iter().all(|(full_name, _)| self.is_squashed(full_name).unwrap_or(false)) {
            return Ok(BranchState::Merged);
        }
        let mut unmerged = Vec::new();
        for (full_name, commit) in tips {
            let Some(base) = self.merge_base("HEAD", full_name)? else { continue };
            let fork = self.invoke(&["merge-base", "--fork-point", full_name, "HEAD"], b"")?;
            let fork = String::from_utf8_lossy(&fork.stdout).trim_end().to_owned();
            let bases = [base, fork].into_iter().filter(|commit| !commit.is_empty()).collect();
            unmerged.push(UnmergedTip { commit: commit.clone(), bases });
        }
        Ok(BranchState::Unmerged(unmerged))
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
    fn has_own_commits(&self, name: &str, tips: &[&RefTip]) -> Result<bool, Rejection> {
        let full_name = format!("refs/heads/{name}");
        let output = self.invoke(&["log", "--walk-reflogs", "--format=%gs", &full_name, "--"], b"")?;
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        let steps: Vec<&str> = log.lines().collect();
        let makes_commits = ["commit", "cherry-pick", "revert", "rebase", "am"];
        if steps.iter().any(|what| makes_commits.iter().any(|verb| what.starts_with(verb))) {
            return Ok(true);
        }
        // One that has just been made has none, wherever it was made; one that was checked out from a remote may.
        let of_remote = format!("/{name}");
        if matches!(steps[..], [only] if only.starts_with("branch: Created") && !only.ends_with(&of_remote)) {
            return Ok(false);
        }
        let commits: BTreeSet<&String> = tips.iter().map(|(_, commit)| commit).collect();
        for commit in commits {
            let kept = self.stdout_of(&["rev-list", "--first-parent", "HEAD", &format!("^{commit}^@"), "--"])?;
            if !String::from_utf8_lossy(&kept).lines().any(|one| one == commit) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The branch of a ref, here or on a remote; `None` for any other.
fn branch_name(full_name: &str) -> Option<&str> {
    let of_remote = || Some(full_name.strip_prefix("refs/remotes/")?.split_once('/')?.1);
    full_name.strip_prefix("refs/heads/").or_else(of_remote)
}
