//! Methods of `Memory` that keep it in order: old items, duplicates, embeddings.
//!
//! Never has rules of its own: the commands decide.

use std::time::Duration;

use super::Memory;
use crate::commands::compact::{DuplicatesOptions, remove_duplicates};
use crate::commands::model::OpenModel;
use crate::commands::results::{ChangeResult, DuplicatesReport, EmbedResult, PruneResult};
use crate::commands::{self, ChangeOptions, Error, embed};
use crate::operation::{Action, Target};

impl Memory {
    /// Takes a bullet, section or file back from `archive/`. The address is the one in `archive/`, or the one that it
    /// had before.
    ///
    /// # Errors
    /// As [`Memory::change`]; `exists` or `duplicate` where its place is taken.
    pub fn restore(&self, at: &str) -> Result<ChangeResult, Error> {
        self.change_one(Action::Restore { at: Target::address(at) })
    }

    /// Archives what expired or is unused, purges what was archived long enough, and drops overdue proposals, by the
    /// rules of the policy.
    ///
    /// # Errors
    /// `category_not_allowed` for a caller that does not see everything, `clock_jumped`; as [`Memory::change`].
    pub fn prune(&self, options: &ChangeOptions) -> Result<PruneResult, Error> {
        commands::prune::prune(&self.session()?, options)
    }

    /// Removes bullets of facts that say what another one says, within the day's token budget; without a model, lists
    /// the pairs and changes nothing. Removed bullets move to `archive/`.
    ///
    /// # Errors
    /// `category_not_allowed`; `model` if a required model cannot be reached; as [`Memory::change`].
    pub fn remove_duplicates(
        &self,
        duplicates: &DuplicatesOptions,
        options: &ChangeOptions,
        model: Option<&OpenModel>,
    ) -> Result<DuplicatesReport, Error> {
        remove_duplicates(&self.session()?, duplicates, options, model)
    }

    /// Computes the embeddings that are missing, and deletes those of removed texts.
    ///
    /// # Errors
    /// `no_model` if the user config names no host for this memory; `model`, `model_refused`, `io`, `read_only`.
    pub fn embed(&self) -> Result<EmbedResult, Error> {
        embed::embed(&self.session()?, Duration::ZERO)
    }
}
