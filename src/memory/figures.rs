//! Methods of `Memory` about the memory as a whole: its figures and its embeddings.

use std::time::Duration;

use super::Memory;
use crate::commands::results::{EmbedResult, StatsReport};
use crate::commands::stats::{self, StatsOptions};
use crate::commands::{Error, embed};

impl Memory {
    /// The figures of the changes that the journal still has: who made them, how many, and what became of them.
    ///
    /// # Errors
    /// `usage` for an invalid `since`, `io`.
    pub fn stats(&self, options: &StatsOptions) -> Result<StatsReport, Error> {
        stats::stats(&self.session()?, options)
    }

    /// Computes the embeddings that are missing, and deletes those of removed texts.
    ///
    /// # Errors
    /// `no_model` if the user config names no host for this memory; `model`, `model_refused`, `io`, `read_only`.
    pub fn embed(&self) -> Result<EmbedResult, Error> {
        embed::embed(&self.session()?, Duration::ZERO)
    }
}
