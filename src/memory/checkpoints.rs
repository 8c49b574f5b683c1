//! Methods of `Memory` that keep the state of an agent as JSON under a key, beside the memory.

use super::Memory;
use crate::commands::results::{CheckpointChange, CheckpointList, CheckpointText};
use crate::commands::{Error, checkpoint};

impl Memory {
    /// Saves a state, which must be JSON of at most 16 MiB, in place of the one under the key; with `if_match` only if
    /// that one has this etag. Nothing else of the memory changes, and `undo` does not take it back.
    ///
    /// # Errors
    /// `invalid_checkpoint`, `too_large`, `conflict`, `category_not_allowed` for a key of another agent, `busy`, `io`.
    pub fn save_checkpoint(&self, key: &str, state: &str, if_match: Option<&str>) -> Result<CheckpointChange, Error> {
        checkpoint::save_checkpoint(&self.session()?, key, state, if_match)
    }

    /// The state under a key, byte for byte.
    ///
    /// # Errors
    /// `checkpoint_not_found`, `category_not_allowed`, `invalid_checkpoint`, `io`.
    pub fn load_checkpoint(&self, key: &str) -> Result<CheckpointText, Error> {
        checkpoint::load_checkpoint(&self.session()?, key)
    }

    /// The keys that the caller may use, with their etags, times and sizes in bytes.
    ///
    /// # Errors
    /// `io`.
    pub fn checkpoints(&self) -> Result<CheckpointList, Error> {
        checkpoint::list_checkpoints(&self.session()?)
    }

    /// Removes the state under a key and erases its bytes; with `if_match` only if it has this etag.
    ///
    /// # Errors
    /// `checkpoint_not_found`, `conflict`, `category_not_allowed`, `busy`, `io`.
    pub fn remove_checkpoint(&self, key: &str, if_match: Option<&str>) -> Result<CheckpointChange, Error> {
        checkpoint::remove_checkpoint(&self.session()?, key, if_match)
    }
}
