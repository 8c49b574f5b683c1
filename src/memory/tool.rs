//! The memory tools of vendors, for programs that speak to them in their own process.

use super::Memory;
use crate::commands::{self, Error, MemoryToolReply};

impl Memory {
    /// Carries out a request of Anthropic's memory tool, a JSON object: `/memories` is the data directory.
    ///
    /// # Errors
    /// As [`Memory::status`]. What fails in the request is a reply as well.
    pub fn memory_tool(&self, request: &str) -> Result<MemoryToolReply, Error> {
        Ok(commands::memory_tool(&self.session()?, request))
    }
}
