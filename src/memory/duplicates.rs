//! Methods of `Memory` that remove bullets which say what another one says.

use super::Memory;
use crate::commands::compact::{DuplicatesOptions, remove_duplicates};
use crate::commands::model::OpenModel;
use crate::commands::results::DuplicatesReport;
use crate::commands::{ChangeOptions, Error};

impl Memory {
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
}
