//! Methods of `Memory` that read memories of other programs, and write them.

use crate::commands::export::{self, ExportOptions};
use crate::commands::import::{self, ImportOptions};
use crate::commands::results::{ExportResult, ImportResult};
use crate::commands::{ChangeOptions, Error};

use super::Memory;

impl Memory {
    /// Imports the memories of another program, as one revision.
    ///
    /// # Errors
    /// `file_not_found`, `too_large`, `unsafe_file` of the source; `usage` if its kind cannot be determined; as
    /// [`Memory::change`].
    pub fn import(&self, import: &ImportOptions, options: &ChangeOptions) -> Result<ImportResult, Error> {
        import::import(&self.session()?, import, options)
    }

    /// The memory in the format of another program, as a text or in a new file.
    ///
    /// # Errors
    /// As [`Memory::list`]; `exists`, `io` of the file to write.
    pub fn export(&self, export: &ExportOptions) -> Result<ExportResult, Error> {
        export::export(&self.session()?, export)
    }
}
