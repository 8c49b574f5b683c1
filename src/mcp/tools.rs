//! The table of tools: names, descriptions, schemas, and what each does to the memory.
//!
//! Never runs a tool.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::graph_tools::GRAPH_TOOLS;
use super::memory_tools::MEMORY_TOOLS;
use super::seed_tools::SEED_TOOLS;
use super::tool_result::ToolResult;
use super::{ServerAccess, ToolSet};
use crate::commands::Error;
use crate::memory::Memory;

/// What a tool may do to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEffect {
    Reads,
    /// It adds, and neither replaces nor removes anything.
    Adds,
    Changes,
    /// It removes, and a repetition removes nothing more.
    Deletes,
}

/// One call of a tool.
pub struct ToolRequest {
    pub memory: Memory,
    pub arguments: Map<String, Value>,
    /// The name whose mark of what it has seen is moved; `None` if there is none, or the server may not write.
    pub reader: Option<String>,
}

/// A tool: how it is listed, and what runs when it is called.
pub struct ToolSpec {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub effect: ToolEffect,
    /// The JSON Schema of the arguments.
    pub input: fn() -> Value,
    /// The JSON Schema of the structured result; `None` if there is only text.
    pub output: Option<fn() -> Value>,
    pub run: fn(&ToolRequest) -> Result<ToolResult, Error>,
}

impl ToolSpec {
    /// The tools of a set.
    fn all(tools: ToolSet) -> &'static [ToolSpec] {
        match tools {
            ToolSet::Memory => MEMORY_TOOLS,
            ToolSet::Seed => SEED_TOOLS,
            ToolSet::Graph => GRAPH_TOOLS,
        }
    }

    /// The tool of this name.
    pub fn find(tools: ToolSet, name: &str) -> Option<&'static ToolSpec> {
        ToolSpec::all(tools).iter().find(|tool| tool.name == name)
    }

    /// The tools that are offered to a client.
    pub fn offered(tools: ToolSet, access: ServerAccess) -> impl Iterator<Item = &'static ToolSpec> {
        ToolSpec::all(tools).iter().filter(move |tool| match access {
            ServerAccess::ReadAndChange => true,
            ServerAccess::ReadOnly => !tool.changes(),
            ServerAccess::Nothing => false,
        })
    }

    /// Whether it may change the memory.
    pub fn changes(&self) -> bool {
        self.effect != ToolEffect::Reads
    }

    /// The tool as the protocol describes it.
    pub fn describe(&self) -> Tool {
        let (destructive, idempotent) = match self.effect {
            ToolEffect::Reads => (false, true),
            ToolEffect::Adds => (false, false),
            ToolEffect::Changes => (true, false),
            ToolEffect::Deletes => (true, true),
        };
        let annotations = ToolAnnotations::new().read_only(!self.changes()).open_world(false);
        let annotations = annotations.destructive(destructive).idempotent(idempotent);
        let tool = Tool::new(self.name, self.description, object((self.input)()));
        let tool = tool.with_title(self.title).with_annotations(annotations);
        self.output.into_iter().fold(tool, |tool, output| tool.with_raw_output_schema(object(output())))
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    let Value::Object(schema) = schema else { return Arc::default() };
    Arc::new(schema)
}

/// The JSON Schema of a result, without definitions and without what only a reader of the source needs.
pub fn output_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    strip(&mut schema);
    schema
}

/// Removes titles, and formats and bounds of numbers: clients warn about formats that they do not know.
fn strip(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            for key in ["format", "minimum", "maximum"] {
                object.remove(key);
            }
            if object.get("title").is_some_and(Value::is_string) {
                object.remove("title");
            }
            object.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, descriptions and input schemas of the default tools, as a model reads them.
    fn listing() -> String {
        let rows = MEMORY_TOOLS.iter().map(|tool| {
            serde_json::json!({"name": tool.name, "description": tool.description, "input_schema": (tool.input)()})
        });
        Value::from_iter(rows).to_string()
    }

    #[test]
    fn the_default_tools_cost_a_session_few_tokens() {
        let listing = listing();
        // Measured with o200k and Claude's tokenizer: about four bytes a token.
        assert!(listing.len() <= MAX_LISTING_BYTES, "{} bytes:\n{listing}", listing.len());
    }

    /// About 900 tokens.
    const MAX_LISTING_BYTES: usize = 3600;

    #[test]
    fn every_tool_is_described_and_read_only_servers_offer_no_change() {
        for tool in MEMORY_TOOLS.iter().chain(SEED_TOOLS).chain(GRAPH_TOOLS) {
            let described = serde_json::to_value(tool.describe()).unwrap();
            assert_eq!(described["inputSchema"]["type"], "object", "{}", tool.name);
            assert!(tool.output.is_none() || described["outputSchema"]["type"] == "object", "{}", tool.name);
            assert_eq!(described["annotations"]["readOnlyHint"], !tool.changes(), "{}", tool.name);
            assert!(!described.to_string().contains("\"format\""), "{described}");
        }
        let names = |access| ToolSpec::offered(ToolSet::Memory, access).map(|tool| tool.name).collect::<Vec<_>>();
        assert_eq!(names(ServerAccess::ReadAndChange).len(), 6);
        assert_eq!(names(ServerAccess::ReadOnly), ["memory_context", "memory_query", "memory_list", "memory_read"]);
        assert_eq!(names(ServerAccess::Nothing).len(), 0);
    }
}
