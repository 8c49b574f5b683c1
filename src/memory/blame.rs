//! Methods of `Memory` that say which change last wrote each bullet.
//!
//! Never has rules of its own: the command decides.

use super::Memory;
use crate::commands::results::Outline;
use crate::commands::{self, Error, ListOptions};

impl Memory {
    /// All bullets of a file or section, each with its last change: who, when, from what.
    ///
    /// # Errors
    /// As [`Memory::list`].
    pub fn blame(&self, address: &str) -> Result<Outline, Error> {
        commands::list_bullets(&self.session()?, address, ListOptions { blame: true })
    }
}
