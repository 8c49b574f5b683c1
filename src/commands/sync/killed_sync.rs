//! Records that a sync runs git, so that the next one finds the locks that a killed sync left, and removes them.
//!
//! Never touches a lock without the record of a sync that was killed.

use super::SyncRun;
use crate::code::Rejection;
use crate::commands::Session;
use crate::host::lock_files::GitUser;

/// File name under `.memdir/`; empty while no sync runs.
const FILE_NAME: &str = "syncing";

impl SyncRun<'_> {
    /// Removes the locks that an earlier, killed sync left, and records this one. Returns whether it is recorded: the
    /// record of the earlier one is kept while another git may hold its locks.
    pub(super) fn remove_stale_locks(&mut self) -> Result<bool, Rejection> {
        if let Some(earlier) = self.session.read_signed_json_note::<GitUser>(FILE_NAME) {
            // Under the lock: no other sync merges or commits meanwhile.
            let removed = self.with_lock(|run, _| run.git.remove_stale_locks(&earlier))?;
            let Some(removed) = removed else { return Ok(false) };
            for lock in removed {
                self.note(&format!("removed git's lock {lock}, left by a sync that was killed"));
            }
        }
        // It is only a help for the next sync, so this one does not fail because of it.
        if let Some(user) = GitUser::current() {
            self.session.write_signed_json_note(FILE_NAME, &user);
        }
        Ok(true)
    }
}

/// Records that the recorded sync has ended.
pub fn record_end(session: &Session) {
    drop(session.store.write_note_unlocked(FILE_NAME, ""));
}
