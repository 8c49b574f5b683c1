//! Methods of `Memory` that list, add and remove scopes. A session in one is opened with `OpenOptions::scope`.

use super::Memory;
use crate::commands::results::{ScopeChange, ScopeList};
use crate::commands::scope::ScopeOptions;
use crate::commands::{Error, scope};

impl Memory {
    /// Lists the scopes with their sizes, and those that were removed and not purged. Also finishes interrupted purges.
    ///
    /// # Errors
    /// `scope_not_allowed` in a scope, `category_not_allowed` for a caller that does not see everything, `io`.
    pub fn scopes(&self) -> Result<ScopeList, Error> {
        scope::scope_list(&self.session()?)
    }

    /// Creates a scope, or takes an archived one back.
    ///
    /// # Errors
    /// As [`Memory::scopes`]; `invalid_path` for an invalid name, `exists` if an archived scope has it.
    pub fn add_scope(&self, options: &ScopeOptions) -> Result<ScopeChange, Error> {
        scope::scope_add(&self.session()?, options)
    }

    /// Moves a scope to the archive or, with `purge`, deletes it for good.
    ///
    /// # Errors
    /// As [`Memory::scopes`]; `scope_not_found`, `busy`.
    pub fn remove_scope(&self, options: &ScopeOptions) -> Result<ScopeChange, Error> {
        scope::scope_remove(&self.session()?, options)
    }
}
