//! Checks of what is about to be committed and pushed: secrets, files outside a sparse checkout, and what stays here.
//!
//! Never prints a secret, only its file, line and kind.

use std::collections::HashSet;

use super::pending::PendingChange;
use super::{SyncDirection, SyncRun};
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::commands::results::WarningRow;
use crate::document::blank_pins;
use crate::host::remote::{FetchResult, RemoteBranch};
use crate::host::repository::PendingFile;
use crate::policy::SecretRule;
use crate::reflect::guards::secrets::find_secrets;
use crate::text::shell_quote::shell_quote;

/// How many files or places a message names.
const MAX_NAMED: usize = 5;

impl SyncRun<'_> {
    /// Warns of secrets in lines that no commit has yet, or stops before they are committed, as `secrets:` of the
    /// policy says.
    ///
    /// # Errors
    /// `secret`; `git`.
    pub(super) fn check_pending_secrets(&mut self, pending: &[PendingFile]) -> Result<(), Rejection> {
        let rule = self.session.policy.policy.secrets;
        if rule == SecretRule::Off {
            return Ok(());
        }
        let (mut places, mut kinds) = (Vec::new(), Vec::new());
        for file in pending.iter().filter(|file| !file.is_deleted && !is_policy(&file.path)) {
            let Some(text) = self.git.read_work_file(&file.path) else { continue };
            let found = find_secrets(&blank_pins(&text));
            if found.is_empty() {
                continue;
            }
            let object: Vec<&str> = file.committed_object.as_deref().into_iter().collect();
            let before = self.git.read_objects(&object)?.into_iter().next().unwrap_or_default();
            let before = String::from_utf8_lossy(&before);
            for secret in found.into_iter().filter(|secret| !before.contains(&text[secret.range.clone()])) {
                let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..secret.range.start]).count();
                places.push(format!("{}:{line} ({})", file.path, secret.kind));
                kinds.push(secret.kind);
            }
        }
        if places.is_empty() {
            return Ok(());
        }
        let named = named(&places);
        if rule == SecretRule::Refuse {
            return Err(Rejection::new(Code::Secret, format!("this would be committed as plain text: {named}"))
                .hint("take it out of the files, and say where it is kept instead; nothing was committed")
                .detail("places", places));
        }
        let message = format!("a secret is committed as plain text: {named}");
        if self.noted.iter().all(|noted| *noted != message) {
            let warning = Warning::new(Code::Secret, &*message).detail("kinds", kinds);
            self.result.warnings.push(WarningRow::from(&warning));
            self.noted.push(message);
        }
        Ok(())
    }

    /// Checks the commits that no sync made and the remote lacks, as far as this clone knows the remote. Before anything
    /// is committed or merged, so that a refusal leaves everything as it was.
    ///
    /// # Errors
    /// `secret`; `git`.
    pub(super) fn check_known_unpushed(&mut self) -> Result<(), Rejection> {
        let (Ok(Some(branch)), Ok(head)) = (self.git.current_branch(), self.git.resolve_commit("HEAD")) else {
            return Ok(());
        };
        // What is wrong with the remote is said once the pending changes are committed.
        let Ok(Some(remote)) = self.remote_branch(&branch) else { return Ok(()) };
        match self.git.known_tip(&remote)? {
            Some(tip) => self.check_unpushed_secrets(&head, Some(&tip)),
            None => self.check_first_push(&remote, &head),
        }
    }

    /// Checks the commits before the first exchange with a remote, if they would be refused: asks the remote, which may
    /// have them already. A fetch changes no file and no branch.
    fn check_first_push(&mut self, remote: &RemoteBranch, head: &str) -> Result<(), Rejection> {
        let may_refuse = self.session.policy.policy.secrets == SecretRule::Refuse
            && self.options.direction != SyncDirection::Fetch
            && !self.options.dry_run;
        if !may_refuse || self.find_unpushed_secrets(head, None)?.is_empty() {
            return Ok(());
        }
        // As above: anything else about the remote is said later.
        match self.git.fetch(remote, self.options.network_timeout) {
            Ok(FetchResult::Tip(tip)) => self.check_unpushed_secrets(head, Some(&tip)),
            Ok(FetchResult::NoSuchBranch) => self.check_unpushed_secrets(head, None),
            _ => Ok(()),
        }
    }

    /// Warns of secrets in lines that commits add which are about to be pushed, or stops before that, as `secrets:` of
    /// the policy says; once in a sync. What a commit of this sync adds was checked before it was made.
    ///
    /// # Errors
    /// `secret`; `git`.
    pub(super) fn check_unpushed_secrets(&mut self, head: &str, tip: Option<&str>) -> Result<(), Rejection> {
        let rule = self.session.policy.policy.secrets;
        if self.is_outgoing_checked || rule == SecretRule::Off || self.options.direction == SyncDirection::Fetch {
            return Ok(());
        }
        self.is_outgoing_checked = true;
        if tip == Some(head) {
            return Ok(());
        }
        let (places, kinds): (Vec<String>, Vec<&str>) = self.find_unpushed_secrets(head, tip)?.into_iter().unzip();
        if places.is_empty() {
            return Ok(());
        }
        let named = named(&places);
        if rule == SecretRule::Refuse {
            let undone = tip.map_or_else(String::new, |tip| {
                let tip = tip.get(..10).unwrap_or(tip);
                format!(" (`git reset --soft {tip}` makes them pending changes again)")
            });
            return Err(Rejection::new(Code::Secret, format!("this would be pushed as plain text: {named}"))
                .hint(format!(
                    "take it out of the commits that are not pushed yet{undone}, and say where it is kept instead; \
                     nothing was pushed"
                ))
                .detail("places", places));
        }
        let warning = Warning::new(Code::Secret, format!("a secret is pushed as plain text: {named}"));
        self.result.warnings.push(WarningRow::from(&warning.detail("kinds", kinds)));
        Ok(())
    }

    /// The places and kinds of secrets in lines that commits add which are not in `tip`, but for those of this sync.
    fn find_unpushed_secrets(&self, head: &str, tip: Option<&str>) -> Result<Vec<(String, &'static str)>, Rejection> {
        let own: Vec<&str> = self.result.committed.iter().filter_map(|row| row.commit.as_deref()).collect();
        let lines = self.git.outgoing_lines(tip, head)?;
        let is_own = |commit: &str| own.iter().any(|own| commit.starts_with(own));
        let mut found = Vec::new();
        for added in lines.added.iter().filter(|added| !is_own(&added.commit) && !is_policy(&added.path)) {
            let removed = lines.removed.get(&added.commit).map_or("", String::as_str);
            for secret in find_secrets(&blank_pins(&added.text)) {
                let text = &added.text[secret.range.clone()];
                // A line that moved, or was changed elsewhere, is no news.
                if !removed.contains(text) {
                    let line = added.first_line + added.text[..secret.range.start].matches('\n').count();
                    let commit = added.commit.get(..10).unwrap_or(&added.commit);
                    found.push((format!("{}:{line} ({}) in commit {commit}", added.path, secret.kind), secret.kind));
                }
            }
        }
        Ok(found)
    }

    /// Refuses to commit a file that was made where a sparse checkout has left out the committed one.
    ///
    /// # Errors
    /// `conflict`; `git`.
    pub(super) fn check_sparse_checkout(
        &self,
        pending: &[PendingFile],
        changes: &[PendingChange],
    ) -> Result<(), Rejection> {
        let is_lossy = |path: &str| changes.iter().any(|c| c.path == path && c.counts.removed + c.counts.updated > 0);
        let suspects = pending.iter().filter(|file| file.committed_object.is_some() && !file.is_deleted);
        let suspects: Vec<&str> = suspects.map(|file| file.path.as_str()).filter(|path| is_lossy(path)).collect();
        if suspects.is_empty() {
            return Ok(());
        }
        let left_out = self.git.outside_sparse_checkout(&suspects)?;
        let Some(first) = left_out.first() else { return Ok(()) };
        Err(Rejection::new(
            Code::Conflict,
            format!("{first} is committed, but a sparse checkout leaves it out here; the new file would replace it"),
        )
        .hint(
            "move the new file away, check the committed one out (`git sparse-checkout add FOLDER` or `git \
             sparse-checkout disable`), and add the bullets again; nothing was committed",
        )
        .detail("path", first.as_str())
        .try_command(SuggestedCommand::new("read", first.clone())))
    }

    /// Names the changed files that git is set not to look at.
    pub(super) fn note_unwatched_changes(&mut self) {
        let Ok(changed) = self.git.unwatched_changes() else { return };
        for file in changed.iter().take(MAX_NAMED) {
            self.note(&format!(
                "git does not look at {} ({}), so its changes are not shared: try `git update-index --no-{} -- {}`",
                file.path,
                file.flag,
                file.flag,
                shell_quote(&file.path)
            ));
        }
        if changed.len() > MAX_NAMED {
            self.note(&format!("git does not look at {} more changed files", changed.len() - MAX_NAMED));
        }
    }

    /// Names the files that no commit has and that stay on this machine.
    pub(super) fn note_unshared_files(&mut self) {
        let Ok(unshared) = self.git.unshared_files() else { return };
        if !unshared.left_out.is_empty() {
            self.note(&format!("only this machine has {} (git commits nothing there)", named(&unshared.left_out)));
        }
    }
}

/// Whether a file is the policy: it has no place for a secret, and its comments, as `init` writes them, speak of some.
fn is_policy(path: &str) -> bool {
    path.rsplit('/').next() == Some("memdir.yaml")
}

/// The first names of a list, without repetitions, and the number of others.
fn named(names: &[String]) -> String {
    let mut seen = HashSet::new();
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| seen.insert(*name)).collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    let first = names[..names.len() - more].join(", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}
