//! The five tools of `--tools seed`: whole files, exact patches and entries, with the arguments and results of the
//! earlier markdown memory design (docs/internals/requirements.md).
//!
//! Never knows what a call does: the library answers it, as it answers `memdir tool seed`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::tool_result::ToolResult;
use super::tools::{ToolEffect, ToolRequest, ToolSpec, output_schema};
use crate::commands::Error;
use crate::commands::results::{SeedChange, SeedFile};

/// The tools, in the order of their document.
pub const SEED_TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "memory_read",
        title: "Read",
        description: "Read a memory file",
        effect: ToolEffect::Reads,
        input: || fields(&["path"], &[]),
        output: None,
        run: read,
    },
    ToolSpec {
        name: "memory_write",
        title: "Write",
        description: "Create or overwrite a fact file",
        effect: ToolEffect::Changes,
        input: || fields(&["path", "content"], &[]),
        output: Some(output_schema::<SeedChange>),
        run: |call| change(call, "memory_write"),
    },
    ToolSpec {
        name: "memory_patch",
        title: "Patch",
        description: "Replace texts of a memory file, each of which occurs exactly once",
        effect: ToolEffect::Changes,
        input: patch_schema,
        output: Some(output_schema::<SeedChange>),
        run: |call| change(call, "memory_patch"),
    },
    ToolSpec {
        name: "memory_append",
        title: "Append",
        description: "Append an episode entry (markdown)",
        effect: ToolEffect::Adds,
        input: || fields(&["path", "entry"], &["summary"]),
        output: Some(output_schema::<SeedChange>),
        run: |call| change(call, "memory_append"),
    },
    ToolSpec {
        name: "memory_list",
        title: "List",
        description: "List memory files with summary and size in bytes",
        effect: ToolEffect::Reads,
        input: || fields(&[], &[]),
        output: Some(output_schema::<SeedFileList>),
        run: list,
    },
];

/// A schema whose fields are all strings.
fn fields(required: &[&str], optional: &[&str]) -> Value {
    let text = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
    let properties: serde_json::Map<String, Value> = required.iter().chain(optional).map(text).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn patch_schema() -> Value {
    let text = json!({"type": "string"});
    let patch = json!({
        "type": "object", "properties": {"oldText": text, "newText": text}, "required": ["oldText", "newText"],
    });
    json!({
        "type": "object",
        "properties": {"path": text, "patches": {"type": "array", "items": patch}},
        "required": ["path", "patches"],
    })
}

/// The list of files.
#[derive(Serialize, JsonSchema)]
struct SeedFileList {
    files: Vec<SeedFile>,
}

/// The library knows these calls.
fn answer(call: &ToolRequest, tool: &str) -> Result<Value, Error> {
    call.memory.seed_request(&json!({"name": tool, "arguments": call.arguments}).to_string())
}

fn read(call: &ToolRequest) -> Result<ToolResult, Error> {
    let text = answer(call, "memory_read")?;
    Ok(ToolResult::plain(text.as_str().unwrap_or_default().to_owned()))
}

/// The text is the array alone.
fn list(call: &ToolRequest) -> Result<ToolResult, Error> {
    let files = answer(call, "memory_list")?;
    Ok(ToolResult::with_text(Some(files.to_string()), &json!({"files": files})))
}

fn change(call: &ToolRequest, tool: &str) -> Result<ToolResult, Error> {
    Ok(ToolResult::of(&answer(call, tool)?))
}
