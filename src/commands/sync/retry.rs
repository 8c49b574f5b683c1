//! What an error of `sync` says besides its cause: what was done before it, and the command that starts again.
//!
//! Never names a command that would go to another remote.

use super::{SyncOptions, SyncRun};
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::commands::results::SyncResult;
use crate::commands::{Error, Session};
use crate::host::git::Git;
use crate::text::shell_quote::shell_quote;
use crate::text::url_credentials::without_credentials;

/// The remote that the caller named, unless its URL may hold a password: what is printed goes to models.
pub(super) fn printable_remote(options: &SyncOptions<'_>) -> Option<String> {
    options.remote.clone().filter(|remote| without_credentials(remote) == *remote)
}

/// The command that starts the same sync again; `None` if it cannot be printed.
fn sync_again(options: &SyncOptions<'_>) -> Option<SuggestedCommand> {
    match (&options.remote, options.conflict_branch.is_some()) {
        (_, true) => Some(SuggestedCommand { subcommand: vec!["sync", "--home"], operands: Vec::new() }),
        (None, false) => Some(SuggestedCommand { subcommand: vec!["sync"], operands: Vec::new() }),
        (Some(_), false) => printable_remote(options).map(|remote| SuggestedCommand::new("sync", remote)),
    }
}

/// Adds to `not_own_repository` what to run: with the remote that the caller named, not with a placeholder.
pub(super) fn with_remote(mut error: Rejection, session: &Session, options: &SyncOptions<'_>) -> Rejection {
    if error.code != Code::NotOwnRepository || options.remote.is_none() || options.conflict_branch.is_some() {
        return error;
    }
    // In a subdirectory of another repository the choice is the user's, and the hint names both ways.
    if Git::in_dir(&session.dir).work_tree().is_err() {
        let init = format!("git init {}", shell_quote(&session.dir.display().to_string()));
        error = error.hint(format!("make it a repository with `{init}`, then sync again"));
    }
    error.suggestions.extend(sync_again(options));
    error
}

impl SyncRun<'_> {
    /// Turns a rejection into an error that also reports what was done before it.
    pub(super) fn with_context(&self, mut error: Rejection) -> Error {
        let SyncResult { committed, merged, pushed, .. } = &self.result;
        if let Some(last) = committed.last().and_then(|c| c.commit.clone()) {
            error = error.detail("committed", last);
        }
        if !committed.is_empty() || merged.is_some() || *pushed > 0 {
            error.changed = Some(true);
            // After a rewritten history the next sync stops, too.
            error.hint = Some(match error.hint.take() {
                Some(hint) if error.code == Code::Rewritten => hint,
                Some(hint) => format!("{hint}; pending changes are committed locally, and the next sync pushes them"),
                None => "pending changes are committed locally, and the next sync pushes them".to_owned(),
            });
        }
        if error.code == Code::Remote {
            error.suggestions.extend(sync_again(self.options));
        }
        let warnings = self.result.warnings.iter().map(|w| Warning::new(Code::Note, w.message.clone())).collect();
        Error { rejections: vec![error], warnings }
    }
}
