//! Methods of `Memory` that answer the memory tools of vendors, for programs that speak to them in their own process.

use serde_json::{Value, json};

use super::Memory;
use crate::code::{Code, Rejection};
use crate::commands::{self, Error, MemoryToolReply};
use crate::operation::graph::GraphReply;

impl Memory {
    /// Carries out a request of Anthropic's memory tool, a JSON object: `/memories` is the data directory.
    ///
    /// # Errors
    /// As [`Memory::status`]. If the request fails, the reply says so.
    pub fn memory_tool(&self, request: &str) -> Result<MemoryToolReply, Error> {
        Ok(commands::memory_tool(&self.session()?, request))
    }

    /// Answers a request of the earlier memory designs (docs/internals/requirements.md), JSON: a call of `memory_read`,
    /// `memory_write`, `memory_patch`, `memory_append` or `memory_list`; a decision about bullets or paths; a search for
    /// locations (`json_content`); a `memory.query`. Proof is never asked for.
    ///
    /// # Errors
    /// `invalid_operation`, `invalid_query`; as the method that does the same.
    pub fn seed_request(&self, request: &str) -> Result<Value, Error> {
        commands::seed_request(&self.session()?, request)
    }

    /// Carries out a request of a knowledge graph, by the name of its tool: an entity is a fact file, an observation a
    /// bullet, a relation a relation bullet.
    ///
    /// # Errors
    /// `usage` for an unknown tool or other arguments; `file_not_found` for an observation about no entity; as
    /// [`Memory::change`].
    pub fn graph_tool(&self, tool: &str, arguments: Value) -> Result<GraphReply, Error> {
        let request = serde_json::from_value(json!({"tool": tool, "arguments": arguments}));
        let request = request
            .map_err(|error| Rejection::new(Code::Usage, format!("Invalid arguments for tool {tool}: {error}")))?;
        commands::graph(&self.session()?, &request)
    }
}
