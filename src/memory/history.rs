//! Methods of `Memory` that say what changed, when and by whom.
//!
//! Never has rules of its own: the commands decide.

use super::Memory;
use crate::commands::results::{DiffResult, LogResult, Outline, StatsReport};
use crate::commands::stats::{self, StatsOptions};
use crate::commands::{self, Error, ListOptions, LogOptions};

impl Memory {
    /// Journal entries and changes made outside memdir, newest first.
    ///
    /// # Errors
    /// `usage` for an invalid `since`; any error of resolving the address.
    pub fn log(&self, options: &LogOptions) -> Result<LogResult, Error> {
        commands::log(&self.session()?, options)
    }

    /// One revision with its changed bullets and a unified diff.
    ///
    /// # Errors
    /// `revision_not_found`, `category_not_allowed`.
    pub fn show(&self, revision: &str) -> Result<LogResult, Error> {
        commands::show(&self.session()?, revision)
    }

    /// The differences from a revision (or the newest recorded state) until now, or between two (`r41..r44`).
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `usage`, `git`.
    pub fn diff(&self, range: Option<&str>, address: Option<&str>) -> Result<DiffResult, Error> {
        commands::diff(&self.session()?, range, address)
    }

    /// All bullets of a file or section, each with its last change: who, when, from what.
    ///
    /// # Errors
    /// As [`Memory::list`].
    pub fn blame(&self, address: &str) -> Result<Outline, Error> {
        commands::list_bullets(&self.session()?, address, ListOptions { blame: true })
    }

    /// The figures of the changes that the journal still has: who made them, how many, and what became of them.
    ///
    /// # Errors
    /// `usage` for an invalid `since`, `io`.
    pub fn stats(&self, options: &StatsOptions) -> Result<StatsReport, Error> {
        stats::stats(&self.session()?, options)
    }
}
