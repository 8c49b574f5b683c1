//! The five tools of `--tools seed`: whole files, exact patches and entries, with the arguments and results of the
//! markdown memory that memdir grew from.
//!
//! Never refuses to overwrite a file for want of an etag, as that memory does not; every overwritten text can be undone.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::{self, check, text};
use super::tool_answer::ToolAnswer;
use super::tools::{ToolCall, ToolEffect, ToolSpec, output_schema};
use crate::commands::results::{ChangeOutcome, ListResult};
use crate::commands::{ChangeOptions, Error};

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

/// The result of a change.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SeedChange {
    success: bool,
    /// For a patch: the number of replacements.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied_count: Option<usize>,
}

/// The list of files.
#[derive(Serialize, JsonSchema)]
struct SeedFileList {
    files: Vec<SeedFile>,
}

/// One file.
#[derive(Serialize, JsonSchema)]
struct SeedFile {
    path: String,
    summary: String,
    /// In bytes.
    size: u64,
}

fn read(call: &ToolCall) -> Result<ToolAnswer, Error> {
    check(&arguments::PATH, &call.arguments)?;
    Ok(ToolAnswer::plain(call.memory.read(text(&call.arguments, "path").unwrap_or_default())?.text))
}

/// The text is the array alone.
fn list(call: &ToolCall) -> Result<ToolAnswer, Error> {
    check(&arguments::NONE, &call.arguments)?;
    let files = match call.memory.list(None)? {
        ListResult::Files(list) => list.files,
        ListResult::Outline(_) => Vec::new(),
    };
    let files = files.into_iter().filter(|file| file.refused.is_none());
    let files = files.map(|file| SeedFile { path: file.path, summary: file.summary, size: file.size }).collect();
    let files = SeedFileList { files };
    Ok(ToolAnswer::with_text(serde_json::to_string(&files.files).ok(), &files))
}

/// The library reads the call in the dialect of these tools.
fn change(call: &ToolCall, tool: &str) -> Result<ToolAnswer, Error> {
    let operation = json!({"name": tool, "arguments": call.arguments}).to_string();
    let options = ChangeOptions { force: true, ..ChangeOptions::default() };
    let applied_count = match call.memory.apply(&operation, &options)? {
        ChangeOutcome::Changed(change) => change.applied_count,
        ChangeOutcome::Repeated(_) => None,
    };
    Ok(ToolAnswer::of(&SeedChange { success: true, applied_count }))
}
