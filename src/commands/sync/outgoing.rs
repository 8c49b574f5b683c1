//! Checks of what is about to be committed and pushed: secrets, conflict markers, files outside a sparse checkout, and
//! what stays here. The only way to a push.
//!
//! Never prints a secret, only its file, line and kind.

use std::collections::{HashMap, HashSet};

use super::pending::PendingChange;
use super::synced_scopes::ScopePath;
use super::{SyncDirection, SyncRun};
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::commands::results::WarningRow;
use crate::commands::scope_session::read_policy;
use crate::host::remote::{FetchResult, PushResult, RemoteBranch};
use crate::host::repository::PendingFile;
use crate::path::SCOPES_FOLDER;
use crate::policy::{Policy, SecretRule, TEMPLATE};
use crate::store::init::POLICY_FILE;
use crate::text::counted_noun::counted_noun;
use crate::text::secrets::{Secret, blank_pins, find_secrets, redact};
use crate::text::shell_quote::shell_quote;

/// How many files or places a message names.
const MAX_NAMED: usize = 5;

/// Whether what looks like a secret may stand by chance in a line of an image, an archive or another file that is no
/// text. The known forms of keys count there as well.
fn is_in_noise(text: &str, secret: &Secret) -> bool {
    let start = text[..secret.range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[secret.range.end..].find('\n').map_or(text.len(), |at| secret.range.end + at);
    secret.may_be_chance()
        && text[start..end]
            .chars()
            .any(|c| c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}'))
}

impl SyncRun<'_> {
    /// Pushes a commit of this branch to a branch of the remote, of which `tip` is known to be there. `None` if it
    /// contains conflict markers, which are listed then. Every way to a remote's branch leads through here.
    ///
    /// # Errors
    /// `secret`, `invalid_policy`; those of a push.
    pub(super) fn push_commit(
        &mut self,
        head: &str,
        tip: Option<&str>,
        to: &RemoteBranch,
        set_upstream: bool,
        entry: Option<&str>,
    ) -> Result<Option<PushResult>, Rejection> {
        let policy = self.current_policy()?;
        self.check_unpushed_secrets(&policy, head, tip)?;
        if self.has_committed_markers(head, tip)? {
            return Ok(None);
        }
        let upstream_of = set_upstream.then_some(self.result.branch.as_str());
        self.git.push(head, to, upstream_of, entry, self.options.network_timeout).map(Some)
    }

    /// The policy as it is now: a merge may have brought another than the session began with.
    ///
    /// # Errors
    /// `invalid_policy`: its rules are not known, `secrets:` among them.
    pub(super) fn current_policy(&self) -> Result<Policy, Rejection> {
        let loaded = read_policy(&self.session.store);
        match loaded.refuses_writes {
            None => Ok(loaded.policy),
            Some(error) if error.hint.is_some() => Err(error),
            Some(error) => Err(error.hint("fix the file, then sync again; until then nothing is committed or pushed")),
        }
    }

    /// What happens to a secret in a file: what the policy says, or that of its scope, if it is stricter.
    fn secret_rule(&self, policy: &Policy, path: &str) -> SecretRule {
        let scope =
            ScopePath::parse(path).and_then(|path| self.session.session_of_scope(path.name, path.state).ok()?);
        scope.map_or(policy.secrets, |scope| scope.policy.policy.secrets)
    }

    /// Refuses a reason with a secret in it, as `add -m` does.
    ///
    /// # Errors
    /// `secret`.
    pub(super) fn check_reason(&self) -> Result<(), Rejection> {
        let reason = self.options.reason.as_deref().unwrap_or_default();
        // With an unsound policy nothing is committed.
        let refuses = self.current_policy().is_ok_and(|policy| policy.secrets == SecretRule::Refuse);
        match find_secrets(reason).first().filter(|_| refuses) {
            None => Ok(()),
            Some(secret) => Err(Rejection::new(
                Code::Secret,
                format!("the reason would be committed as plain text: {}", secret.kind),
            )
            .hint("leave it out, and say where it is kept instead")),
        }
    }

    /// Warns of secrets in lines that no commit has yet, or stops before they are committed, as `secrets:` of the
    /// policy says.
    ///
    /// # Errors
    /// `secret`; `git`.
    pub(super) fn check_pending_secrets(&mut self, policy: &Policy, pending: &[PendingFile]) -> Result<(), Rejection> {
        let mut found = SecretPlaces::default();
        for file in pending.iter().filter(|file| !file.is_deleted) {
            if policy.secrets == SecretRule::Off && ScopePath::parse(&file.path).is_none() {
                continue;
            }
            if file.committed_object.is_none()
                && let Some(secret) = find_secrets(&file.path).first()
            {
                found.add(self.secret_rule(policy, &file.path), name_place(&file.path, secret), secret.kind);
            }
            let Some(bytes) = self.git.read_work_file(&file.path) else { continue };
            let text = searchable(&bytes);
            let secrets = find_secrets(&blank_pins(&text));
            if secrets.is_empty() {
                continue;
            }
            let object: Vec<&str> = file.committed_object.as_deref().into_iter().collect();
            let before = self.git.read_objects(&object)?.into_iter().next().unwrap_or_default();
            let before = searchable(&before);
            let is_new = |secret: &&Secret| {
                !is_in_noise(&text, secret)
                    && is_news(&file.path, &text[secret.range.clone()])
                    && !before.contains(&text[secret.range.clone()])
            };
            for secret in secrets.iter().filter(is_new) {
                let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..secret.range.start]).count();
                let place = format!("{}:{line} ({})", redact(&file.path).0, secret.kind);
                found.add(self.secret_rule(policy, &file.path), place, secret.kind);
            }
        }
        if !found.refused.is_empty() {
            let named = named(&found.refused);
            return Err(Rejection::new(Code::Secret, format!("this would be committed as plain text: {named}"))
                .hint("take it out of the files, and say where it is kept instead; nothing was committed")
                .detail("places", found.refused));
        }
        self.warn_of_secrets("committed", found);
        Ok(())
    }

    /// Adds a warning about places that were not reported yet.
    fn warn_of_secrets(&mut self, action: &str, mut found: SecretPlaces) {
        found.warned.retain(|(place, _)| self.reported.insert(place.clone()));
        if found.warned.is_empty() {
            return;
        }
        let (places, kinds): (Vec<String>, Vec<&str>) = found.warned.into_iter().unzip();
        let warning = Warning::new(Code::Secret, format!("a secret is {action} as plain text: {}", named(&places)));
        self.result.warnings.push(WarningRow::from(&warning.detail("kinds", kinds)));
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
            Some(tip) => self.check_before_merge(&head, Some(&tip)),
            None => self.check_first_push(&remote, &head),
        }
    }

    /// Checks the commits before the first exchange with a remote, if they would be refused: asks the remote, which may
    /// have them already. A fetch changes no file and no branch.
    fn check_first_push(&mut self, remote: &RemoteBranch, head: &str) -> Result<(), Rejection> {
        if self.options.direction == SyncDirection::Fetch || self.options.dry_run {
            return Ok(());
        }
        let Ok(policy) = self.current_policy() else { return Ok(()) };
        if self.find_unpushed_secrets(&policy, head, None)?.refused.is_empty() {
            return Ok(());
        }
        // As above: anything else about the remote is said later.
        match self.git.fetch(remote, self.options.network_timeout) {
            Ok(FetchResult::Tip(tip)) => self.check_before_merge(head, Some(&tip)),
            Ok(FetchResult::NoSuchBranch) => self.check_before_merge(head, None),
            _ => Ok(()),
        }
    }

    /// Checks the commits that would be pushed before anything is merged, so that a refusal leaves the branch as it was.
    /// What cannot be checked yet, because the policy is unsound, is checked before the push.
    ///
    /// # Errors
    /// `secret`; `git`.
    pub(super) fn check_before_merge(&mut self, head: &str, tip: Option<&str>) -> Result<(), Rejection> {
        match self.current_policy() {
            Ok(policy) if self.options.direction != SyncDirection::Fetch => {
                self.check_unpushed_secrets(&policy, head, tip)
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Warns of secrets in what commits say and add which are about to be pushed, or stops before that, as `secrets:` of
    /// the policy says.
    ///
    /// # Errors
    /// `secret`; `git`.
    fn check_unpushed_secrets(&mut self, policy: &Policy, head: &str, tip: Option<&str>) -> Result<(), Rejection> {
        let compared = (head.to_owned(), tip.map(str::to_owned));
        if tip == Some(head) || self.searched.as_ref() == Some(&compared) {
            return Ok(());
        }
        let found = self.find_unpushed_secrets(policy, head, tip)?;
        if !found.refused.is_empty() {
            let undone = tip.map_or_else(String::new, |tip| {
                let tip = tip.get(..10).unwrap_or(tip);
                format!(" (`git reset --soft {tip}` makes them pending changes again)")
            });
            let named = named(&found.refused);
            return Err(Rejection::new(Code::Secret, format!("this would be pushed as plain text: {named}"))
                .hint(format!(
                    "take it out of the commits that are not pushed yet{undone}, and say where it is kept instead; \
                     nothing was pushed"
                ))
                .detail("places", found.refused));
        }
        self.searched = Some(compared);
        self.warn_of_secrets("pushed", found);
        Ok(())
    }

    /// The secrets in messages, names and lines of commits that are not in `tip`. Of a commit that this sync made, the
    /// message is memdir's, and a place has no commit: it was reported before the commit was made.
    fn find_unpushed_secrets(&self, policy: &Policy, head: &str, tip: Option<&str>) -> Result<SecretPlaces, Rejection> {
        let mut found = SecretPlaces::default();
        let has_scopes = self.session.store.unfiltered().has_top_name(SCOPES_FOLDER)?;
        if policy.secrets == SecretRule::Off && !has_scopes {
            return Ok(found);
        }
        let own: Vec<&str> = self.result.committed.iter().filter_map(|row| row.commit.as_deref()).collect();
        let is_own = |commit: &str| own.iter().any(|own| commit.starts_with(own));
        let in_commit = |commit: &str, place: String| {
            if is_own(commit) { place } else { format!("{place} in commit {}", commit.get(..10).unwrap_or(commit)) }
        };
        let lines = self.git.outgoing_lines(tip, head)?;
        for (commit, message) in lines.messages.iter().filter(|(commit, _)| !is_own(commit)) {
            for secret in find_secrets(message) {
                let place = in_commit(commit, format!("the message ({})", secret.kind));
                found.add(policy.secrets, place, secret.kind);
            }
        }
        let mut named_paths: HashSet<&str> = HashSet::new();
        let mut remote_texts: HashMap<&str, Option<String>> = HashMap::new();
        for added in &lines.added {
            if named_paths.insert(&added.path)
                && let Some(secret) = find_secrets(&added.path).first()
                && remote_texts.entry(&added.path).or_insert_with(|| self.committed_text(tip, &added.path)).is_none()
            {
                let place = in_commit(&added.commit, name_place(&added.path, secret));
                found.add(self.secret_rule(policy, &added.path), place, secret.kind);
            }
            let removed = lines.removed.get(&added.commit).map_or("", String::as_str);
            for secret in find_secrets(&blank_pins(&added.text)) {
                let text = &added.text[secret.range.clone()];
                let mut is_in_remote = || {
                    let there =
                        remote_texts.entry(&added.path).or_insert_with(|| self.committed_text(tip, &added.path));
                    there.as_ref().is_some_and(|there| there.contains(text))
                };
                // A line that moved, or was changed elsewhere, is no news; nor is what the remote's file has.
                if !is_in_noise(&added.text, &secret)
                    && is_news(&added.path, text)
                    && !removed.contains(text)
                    && !is_in_remote()
                {
                    let line = added.first_line + added.text[..secret.range.start].matches('\n').count();
                    let place = in_commit(&added.commit, format!("{}:{line} ({})", redact(&added.path).0, secret.kind));
                    found.add(self.secret_rule(policy, &added.path), place, secret.kind);
                }
            }
        }
        Ok(found)
    }

    /// The text of a file of a commit; `None` without one.
    fn committed_text(&self, commit: Option<&str>, path: &str) -> Option<String> {
        let output = self.git.invoke(&["cat-file", "blob", &format!("{}:{path}", commit?)], b"").ok()?;
        (output.status == 0).then(|| searchable(&output.stdout))
    }

    /// Stops where the remote's history was rewritten: a merge would bring back what was taken out of it, and the
    /// push would send it. The next sync stops, too.
    ///
    /// # Errors
    /// `rewritten`; `git`.
    pub(super) fn check_rewritten(&self, remote: &RemoteBranch, known: &str, tip: &str) -> Result<(), Rejection> {
        let withdrawn = if self.options.force { Vec::new() } else { self.git.withdrawn_commits(known, tip)? };
        if withdrawn.is_empty() {
            return Ok(());
        }
        self.git.record_tip(remote, known);
        let commits: Vec<String> = withdrawn.iter().map(|commit| redact(commit).0).collect();
        let short = |commit: &str| commit.get(..10).unwrap_or(commit).to_owned();
        Err(Rejection::new(
            Code::Rewritten,
            format!(
                "the history of {} was rewritten: {} that it had {} still here: {}",
                remote.display_name(),
                counted_noun(commits.len(), "commit"),
                if commits.len() == 1 { "is" } else { "are" },
                named(&commits)
            ),
        )
        .hint(format!(
            "`git rebase --onto {} {}` takes them out here, too, and keeps your other commits; --force merges, and \
             pushes them again",
            short(tip),
            short(known)
        ))
        .detail("commits", commits))
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

/// Where secrets were found, and what the policy says about each.
#[derive(Default)]
struct SecretPlaces {
    refused: Vec<String>,
    /// The places to warn of, and what kind of secret is there.
    warned: Vec<(String, &'static str)>,
}

impl SecretPlaces {
    fn add(&mut self, rule: SecretRule, place: String, kind: &'static str) {
        match rule {
            SecretRule::Refuse => self.refused.push(place),
            SecretRule::Warn => self.warned.push((place, kind)),
            SecretRule::Off => {}
        }
    }
}

/// Whether a file is a policy, of the memory or a scope.
pub(super) fn is_policy(path: &str) -> bool {
    path.rsplit('/').next() == Some(POLICY_FILE)
}

/// Whether a secret of a file is one: the comments of a policy, as `init` writes them, speak of some.
fn is_news(path: &str, secret: &str) -> bool {
    !is_policy(path) || !TEMPLATE.contains(secret)
}

/// The text of bytes that may be in another encoding: Latin-1, or UTF-16.
fn searchable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "")
}

/// The place of a secret in the name of a file.
fn name_place(path: &str, secret: &Secret) -> String {
    format!("the name of {} ({})", redact(path).0, secret.kind)
}

/// The first names of a list, without repetitions, and the number of others.
fn named(names: &[String]) -> String {
    let mut seen = HashSet::new();
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| seen.insert(*name)).collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    let first = names[..names.len() - more].join(", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}
