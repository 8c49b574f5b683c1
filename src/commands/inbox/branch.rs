//! `inbox --branch`: commits waiting proposals on a new git branch, one proposal a commit, for a pull request.
//!
//! Never changes a file of the memory but the proposals' own, and never git's index, work tree or checked out branch. A
//! proposal is planned on the files as they are, and merged bullet by bullet with what is committed.

use std::collections::BTreeMap;

use super::accept::{is_forced, operations_to_plan, plan_accepted};
use super::withdrawal::{is_own_proposal, require_publishable};
use super::{InboxFile, not_found_error, read_proposals, selected_ids};
use crate::change::Changeset;
use crate::code::{Code, Rejection, Warning};
use crate::commands::commit_files::file_objects;
use crate::commands::diff::bullet_lines;
use crate::commands::fetch::last_summary;
use crate::commands::results::{BranchCommit, ProposalBranch};
use crate::commands::secrets_check::check_secrets;
use crate::commands::{ChangeOptions, CommandResult, Session};
use crate::document::Document;
use crate::document::summary::{SummaryUpdate, update_summary};
use crate::host::git::Git;
use crate::host::review_branch::BranchFile;
use crate::operation::Snapshot;
use crate::operation::file_change::file_kind;
use crate::operation::merge::{ConflictLabels, merge_file};
use crate::path::MemoryPath;
use crate::reflect::inbox_item::{ReviewBranch, with_branch};
use crate::text::one_line::one_line;
use crate::text::secrets::redact;
use crate::text::splice;
use crate::view::diff_bullets::{BulletChange, bullet_changes};

/// The trailer with the id of a proposal: where it is in the history, the proposal is accepted.
pub(super) const PROPOSAL_TRAILER: &str = "Memdir-Proposal: ";
/// How the reason of a proposal starts that waits for the user's consent.
const CONSENT_REASON: &str = "sensitive";
/// Maximum length of a commit's subject, in characters.
const MAX_SUBJECT_CHARS: usize = 72;

/// The branch that was made, and the text of each proposal's file that now names it.
pub(super) struct MadeBranch<'f> {
    pub(super) branch: ProposalBranch,
    pub(super) marked: Vec<(&'f InboxFile, String)>,
    pub(super) warnings: Vec<Warning>,
    tip: String,
    git: Git,
}

impl MadeBranch<'_> {
    /// Checks that nothing is in the way of [`MadeBranch::create`].
    ///
    /// # Errors
    /// `git`.
    pub(super) fn require_creatable(&self) -> Result<(), Rejection> {
        self.git.check_branch_lock(&self.branch.name, &self.tip)
    }

    /// Lets the branch exist.
    ///
    /// # Errors
    /// `exists`, `git`.
    pub(super) fn create(&self) -> Result<(), Rejection> {
        self.git.create_branch(&self.branch.name, &self.tip)
    }
}

/// Reads the proposals that `inbox --branch` is about: those named, else all that do not wait for consent and are on no
/// branch; for an agent, of its own. Also returns how many wait for consent.
///
/// # Errors
/// `proposal_not_found`; `consent` for an agent that names one of another, or one that waits for consent; `io`.
pub(super) fn proposals_for_branch(session: &Session, ids: &[String]) -> Result<(Vec<InboxFile>, usize), Rejection> {
    let today = session.now.date().to_string();
    let all = read_proposals(session)?;
    for id in selected_ids(ids, &all) {
        all.iter()
            .find(|file| file.id() == id && !file.proposal.is_expired(&today))
            .ok_or_else(|| not_found_error(&id))?;
    }
    let is_named = |file: &InboxFile| ids.iter().any(|id| id == file.id());
    let waits = |file: &InboxFile| !file.proposal.reason().starts_with(CONSENT_REASON);
    for file in all.iter().filter(|file| is_named(file)) {
        require_publishable(session, file.id(), &file.proposal, !waits(file))?;
    }
    let is_chosen = |file: &InboxFile| ids.is_empty() && is_own_proposal(session, &file.proposal);
    let git = Git::in_dir(&session.dir);
    let mut chosen = Vec::new();
    let mut for_consent = 0;
    for file in all.into_iter().filter(|file| is_chosen(file) && !file.proposal.is_expired(&today) || is_named(file)) {
        let is_on_branch = match file.proposal.branch() {
            Some(branch) => git.has_branch(&branch.name)?,
            None => false,
        };
        match (is_named(&file) || !is_on_branch, is_named(&file) || waits(&file)) {
            (true, true) => chosen.push(file),
            (true, false) => for_consent += 1,
            (false, _) => {}
        }
    }
    Ok((chosen, for_consent))
}

/// Makes the commits of a branch, which does not exist before [`MadeBranch::create`].
///
/// # Errors
/// `no_repository`, `usage`, `exists`, `git`; if no proposal can be committed, the reason of the first.
pub(super) fn make_branch<'f>(
    session: &Session,
    files: &'f [InboxFile],
    name: &str,
    options: &ChangeOptions,
) -> CommandResult<MadeBranch<'f>> {
    let git = Git::in_dir(&session.dir);
    git.work_tree()?;
    git.check_new_branch(name)?;
    let no_commit = |error: Rejection| match error.code {
        Code::RevisionNotFound => {
            Rejection::new(Code::Git, "the repository has no commit yet").hint("commit the memory first")
        }
        _ => error,
    };
    let base = git.resolve_commit("HEAD").map_err(no_commit)?;
    let mut tip = BranchTip { objects: file_objects(&git, &base)?, texts: BTreeMap::new(), commit: base.clone() };
    let mut made = MadeBranch {
        branch: ProposalBranch { name: name.to_owned(), base: base.clone(), ..ProposalBranch::default() },
        marked: Vec::new(),
        warnings: Vec::new(),
        tip: String::new(),
        git: git.clone(),
    };
    let mut first_problem = None;
    for file in files {
        match commit_proposal(session, &git, &mut tip, file, options) {
            Ok((commit, warnings)) => {
                let of_proposal = |warning: Warning| {
                    let message = format!("{}: {}", file.id(), warning.message);
                    Warning { message, ..warning }
                };
                made.warnings.extend(warnings.into_iter().map(of_proposal));
                made.branch.commits.push(commit);
                let branch = ReviewBranch { name: name.to_owned(), base: base.chars().take(12).collect() };
                made.marked.push((file, with_branch(&file.text, Some(&branch))));
            }
            Err(error) => {
                made.warnings
                    .push(Warning::new(error.code, format!("{} stays in the inbox: {}", file.id(), error.message)));
                first_problem.get_or_insert(error);
            }
        }
    }
    if let Some(error) = first_problem.filter(|_| made.branch.commits.is_empty()) {
        return Err(error.into());
    }
    made.tip = tip.commit;
    made.branch.body = request_body(&made.branch.commits);
    Ok(made)
}

/// The files at the newest commit of the branch.
struct BranchTip {
    /// Files of the first commit, with the names of their objects.
    objects: BTreeMap<MemoryPath, String>,
    /// Texts that were read or changed since; `None`: no such file.
    texts: BTreeMap<MemoryPath, Option<Vec<u8>>>,
    commit: String,
}

impl BranchTip {
    fn text(&mut self, git: &Git, path: &MemoryPath) -> Result<Option<Vec<u8>>, Rejection> {
        if let Some(known) = self.texts.get(path) {
            return Ok(known.clone());
        }
        let read = match self.objects.get(path) {
            Some(object) => git.read_objects(&[object])?.pop(),
            None => None,
        };
        self.texts.insert(path.clone(), read.clone());
        Ok(read)
    }
}

/// Commits one proposal on top of the branch; also returns a warning of secrets, which the commit's message leaves out.
///
/// # Errors
/// `secret`, `file_not_found`, `merge_conflict`, `duplicate`, `git`; the rejections of the planner.
fn commit_proposal(
    session: &Session,
    git: &Git,
    tip: &mut BranchTip,
    file: &InboxFile,
    options: &ChangeOptions,
) -> Result<(BranchCommit, Vec<Warning>), Rejection> {
    let force = is_forced(&[file], options.force);
    let operations = operations_to_plan(file, force)?;
    let mut snapshot = Snapshot::new();
    let planned = plan_accepted(session, &mut snapshot, &operations, &ChangeOptions { force, ..options.clone() });
    let mut changeset = planned.map_err(|mut error| error.rejections.remove(0))?;
    changeset.warnings.clear();
    check_secrets(session, &mut changeset, &snapshot)?;
    let (files, diff) = committed_files(session, git, tip, &changeset, &snapshot)?;
    let title = redact(&one_line(&file.proposal.title)).0;
    let diff: Vec<String> = diff.iter().map(|line| redact(line).0).collect();
    let by = file.proposal.proposer().map(one_line).unwrap_or_else(|| "unknown".to_owned());
    let subject: String = format!("memory: {title}").chars().take(MAX_SUBJECT_CHARS).collect();
    let trailers = format!("Memdir-By: {by}\n{PROPOSAL_TRAILER}{}", file.id());
    let message = format!("{subject}\n\n{}\n\n{trailers}\n", diff.join("\n"));
    tip.commit = git.commit_files(&tip.commit, &files, &message)?;
    for (path, file) in changeset.files.iter().map(|change| &change.path).zip(files) {
        tip.texts.insert(path.clone(), file.bytes);
    }
    let commit = BranchCommit { commit: tip.commit.clone(), proposal: file.id().to_owned(), title, by, diff };
    Ok((commit, changeset.warnings))
}

/// The files of a commit, in the order of the changeset, and the bullets that it changes.
fn committed_files(
    session: &Session,
    git: &Git,
    tip: &mut BranchTip,
    changeset: &Changeset,
    snapshot: &Snapshot,
) -> Result<(Vec<BranchFile>, Vec<String>), Rejection> {
    let (mut files, mut diff) = (Vec::new(), Vec::new());
    for change in &changeset.files {
        let path = change.path.as_str();
        // The planner keeps the text itself only in its snapshot.
        let read = snapshot.file(&change.path).ok().flatten().map(|loaded| loaded.document.text().as_bytes().to_vec());
        let before = change.before.as_ref().map(|version| read.unwrap_or_else(|| version.bytes.to_vec()));
        let committed = tip.text(git, &change.path)?;
        let bytes = match (before, &committed, &change.after) {
            (Some(_), None, _) if tip.objects.contains_key(&change.path) => {
                let reason = format!("another proposal on this branch moves or removes {path}");
                return Err(Rejection::new(Code::MergeConflict, reason).hint("accept the other proposal first"));
            }
            (Some(_), None, _) => {
                return Err(Rejection::new(Code::FileNotFound, format!("{path} is not committed yet"))
                    .hint("commit the memory first"));
            }
            (before, committed, after) if before == *committed => after.as_ref().map(|bytes| bytes.to_vec()),
            (_, _, None) => {
                let reason = format!(
                    "another proposal, or a change that is not committed, changes {path}, so it cannot be removed on a \
                     branch"
                );
                let hint = "accept the other proposal, or commit the memory first";
                return Err(Rejection::new(Code::MergeConflict, reason).hint(hint));
            }
            (before, committed, Some(after)) => {
                require_same_bullets(path, [&before, committed].map(|b| b.as_deref().unwrap_or_default()), after)?;
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let [before, committed] = [&before, committed].map(|b| text(b.as_deref().unwrap_or_default()));
                let merged = merge_file(path, &before, &committed, &text(after), &ConflictLabels::default());
                let merged = merged.into_clean_text().map_err(|_| changed_elsewhere(path))?;
                Some(with_updated_summary(session, &change.path, &committed, merged)?.into_bytes())
            }
        };
        let document = |bytes: &Option<Vec<u8>>| {
            bytes.as_ref().map(|bytes| Document::parse(String::from_utf8_lossy(bytes).into_owned()))
        };
        diff.extend(bullet_lines(&change.path, document(&committed), document(&bytes)));
        files.push(BranchFile { path: path.to_owned(), bytes });
    }
    if diff.is_empty() {
        Err(Rejection::new(Code::Duplicate, "the last commit says that already"))
    } else {
        Ok((files, diff))
    }
}

/// A merged text, with the summary line that a change from `committed` to it leaves: each side's line is derived from
/// a text that may still have what the other side removed.
fn with_updated_summary(
    session: &Session,
    path: &MemoryPath,
    committed: &str,
    merged: String,
) -> Result<String, Rejection> {
    let [before, after] = [committed, merged.as_str()].map(|text| Document::parse(text.to_owned()));
    let last = last_summary(&session.store.journal()?, path);
    let update = update_summary(&before, &after, file_kind(path), Some(last.as_deref()));
    // A line that a side took out stays out.
    Ok(match Some(update).filter(|_| after.summary_line().is_some()) {
        Some(SummaryUpdate::Write { splice: line, .. }) => splice(&merged, &[line]).unwrap_or(merged),
        _ => merged,
    })
}

/// Refuses a change of bullets that the branch does not have: a merge would take their new texts for additions.
fn require_same_bullets(path: &str, [before, committed]: [&[u8]; 2], after: &[u8]) -> Result<(), Rejection> {
    let parse = |bytes: &[u8]| Document::parse(String::from_utf8_lossy(bytes).into_owned());
    let (before, committed, after) = (parse(before), parse(committed), parse(after));
    let is_there = |old: usize| committed.handles().contains(&before.handles()[old]);
    let is_sound = bullet_changes(&before, &after).into_iter().all(|change| match change {
        BulletChange::Added(_) => true,
        BulletChange::Removed(old)
        | BulletChange::Updated(old, _)
        | BulletChange::Moved(old, _)
        | BulletChange::Set(old, _) => is_there(old),
    });
    if is_sound { Ok(()) } else { Err(changed_elsewhere(path)) }
}

fn changed_elsewhere(path: &str) -> Rejection {
    let reason = format!("it changes what another proposal, or a change in {path} that is not committed, changes");
    Rejection::new(Code::MergeConflict, reason).hint("accept one of them first")
}

/// The text of a pull request. Everything from the memory is indented, so that nothing in it is markup.
fn request_body(commits: &[BranchCommit]) -> String {
    let mut body = String::from("What agents propose for the memory, bullet by bullet. Merging accepts it.\n");
    for commit in commits {
        body.push_str(&format!("\n    {} by {}\n", commit.title, commit.by));
        commit.diff.iter().for_each(|line| body.push_str(&format!("    {line}\n")));
    }
    body.push('\n');
    // A host that squashes the commits takes its message from here.
    commits.iter().for_each(|commit| body.push_str(&format!("{PROPOSAL_TRAILER}{}\n", commit.proposal)));
    body
}
