//! Removes what a batch that has ended leaves in `.memdir/undo/` and needs no longer.

use super::{CommitExecutor, FileChangeKind, slot};

impl CommitExecutor<'_> {
    /// Frees the slots of a batch that keeps no text, once it has ended.
    pub fn free_forgotten_slots(&self) {
        if let Ok(Some(undo)) = self.root.undo_dir()
            && self.intent.forgotten
        {
            self.files.iter().for_each(|file| drop(slot::free(undo, &file.slot)));
        }
    }

    /// Removes what an undone batch leaves behind: its own texts in slots, and folders that it created.
    pub fn clean_up(&self, left_unchanged: &[usize]) {
        let Ok(Some(undo)) = self.root.undo_dir() else { return };
        for (i, file) in self.files.iter().enumerate() {
            if !left_unchanged.contains(&i) && file.kind != FileChangeKind::Remove {
                let _ = slot::free(undo, &file.slot);
            }
        }
        self.root.remove_folders(&self.intent.dirs);
    }
}
