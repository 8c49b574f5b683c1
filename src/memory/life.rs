//! Methods of `Memory` that archive or purge old items, and take them back from the archive.

use super::Memory;
use crate::commands::results::{ChangeResult, PruneResult};
use crate::commands::{self, ChangeOptions, Error};
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
}
