//! The nine tools of `--tools graph`, with the names, descriptions, schemas and answers of the server that agents know
//! for knowledge graphs (<https://www.npmjs.com/package/@modelcontextprotocol/server-memory>, 2026.8.31).
//!
//! Never has a word of its own in what a client reads; a test compares the list with the published one.

use serde_json::{Map, Value, json};

use super::tool_result::ToolResult;
use super::tools::{ToolEffect, ToolRequest, ToolSpec};
use crate::commands::Error;

/// The tools, in the order of that server.
pub const GRAPH_TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "create_entities",
        title: "Create Entities",
        description: "Create multiple new entities in the knowledge graph",
        effect: ToolEffect::Adds,
        input: || arguments_schema(json!({"entities": list(open_entity())})),
        output: Some(|| result_schema(json!({"entities": list(entity())}))),
        run: |call| answer(call, "create_entities"),
    },
    ToolSpec {
        name: "create_relations",
        title: "Create Relations",
        description: "Create multiple new relations between entities in the knowledge graph. Relations should be in \
                      active voice",
        effect: ToolEffect::Adds,
        input: || arguments_schema(json!({"relations": list(open_relation())})),
        output: Some(|| result_schema(json!({"relations": list(relation())}))),
        run: |call| answer(call, "create_relations"),
    },
    ToolSpec {
        name: "add_observations",
        title: "Add Observations",
        description: "Add new observations to existing entities in the knowledge graph",
        effect: ToolEffect::Adds,
        input: || {
            arguments_schema(json!({"observations": list(fields(json!({
                "entityName": text("The name of the entity to add the observations to"),
                "contents": texts("An array of observation contents to add"),
            })))}))
        },
        output: Some(|| {
            let plain = json!({"type": "string"});
            result_schema(json!({"results": list(closed_fields(
                json!({"entityName": plain, "addedObservations": list(plain)}),
            ))}))
        }),
        run: |call| answer(call, "add_observations"),
    },
    ToolSpec {
        name: "delete_entities",
        title: "Delete Entities",
        description: "Delete multiple entities and their associated relations from the knowledge graph",
        effect: ToolEffect::Deletes,
        input: || arguments_schema(json!({"entityNames": texts("An array of entity names to delete")})),
        output: Some(deletion),
        run: |call| answer(call, "delete_entities"),
    },
    ToolSpec {
        name: "delete_observations",
        title: "Delete Observations",
        description: "Delete specific observations from entities in the knowledge graph",
        effect: ToolEffect::Deletes,
        input: || {
            arguments_schema(json!({"deletions": list(fields(json!({
                "entityName": text("The name of the entity containing the observations"),
                "observations": texts("An array of observations to delete"),
            })))}))
        },
        output: Some(deletion),
        run: |call| answer(call, "delete_observations"),
    },
    ToolSpec {
        name: "delete_relations",
        title: "Delete Relations",
        description: "Delete multiple relations from the knowledge graph",
        effect: ToolEffect::Deletes,
        input: || {
            let relations = with(list(open_relation()), "description", "An array of relations to delete".into());
            arguments_schema(json!({"relations": relations}))
        },
        output: Some(deletion),
        run: |call| answer(call, "delete_relations"),
    },
    ToolSpec {
        name: "read_graph",
        title: "Read Graph",
        description: "Read the entire knowledge graph",
        effect: ToolEffect::Reads,
        input: || with(json!({"type": "object", "properties": {}}), "$schema", DIALECT.into()),
        output: Some(graph),
        run: |call| answer(call, "read_graph"),
    },
    ToolSpec {
        name: "search_nodes",
        title: "Search Nodes",
        description: "Search for nodes in the knowledge graph based on a query",
        effect: ToolEffect::Reads,
        input: || {
            let query = "The search query to match against entity names, types, and observation content";
            arguments_schema(json!({"query": text(query)}))
        },
        output: Some(graph),
        run: |call| answer(call, "search_nodes"),
    },
    ToolSpec {
        name: "open_nodes",
        title: "Open Nodes",
        description: "Open specific nodes in the knowledge graph by their names",
        effect: ToolEffect::Reads,
        input: || arguments_schema(json!({"names": texts("An array of entity names to retrieve")})),
        output: Some(graph),
        run: |call| answer(call, "open_nodes"),
    },
];

/// The library reads the request and writes the answer.
fn answer(call: &ToolRequest, tool: &str) -> Result<ToolResult, Error> {
    let reply = call.memory.graph_tool(tool, Value::Object(call.arguments.clone()))?;
    Ok(ToolResult::with_text(Some(reply.text), &reply.structured))
}

const DIALECT: &str = "http://json-schema.org/draft-07/schema#";

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn texts(description: &str) -> Value {
    with(list(json!({"type": "string"})), "description", description.into())
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

/// An object, all of whose fields are required.
fn fields(properties: Value) -> Value {
    let required: Vec<String> = properties.as_object().map(Map::keys).into_iter().flatten().cloned().collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// The same, without any other field.
fn closed_fields(properties: Value) -> Value {
    with(fields(properties), "additionalProperties", false.into())
}

fn arguments_schema(properties: Value) -> Value {
    with(fields(properties), "$schema", DIALECT.into())
}

fn result_schema(properties: Value) -> Value {
    with(closed_fields(properties), "$schema", DIALECT.into())
}

fn with(mut schema: Value, key: &str, value: Value) -> Value {
    schema[key] = value;
    schema
}

fn entity_fields() -> Value {
    json!({
        "name": text("The name of the entity"),
        "entityType": text("The type of the entity"),
        "observations": texts("An array of observation contents associated with the entity"),
    })
}

fn relation_fields() -> Value {
    json!({
        "from": text("The name of the entity where the relation starts"),
        "to": text("The name of the entity where the relation ends"),
        "relationType": text("The type of the relation"),
    })
}

fn open_entity() -> Value {
    fields(entity_fields())
}

fn entity() -> Value {
    closed_fields(entity_fields())
}

fn open_relation() -> Value {
    fields(relation_fields())
}

fn relation() -> Value {
    closed_fields(relation_fields())
}

fn graph() -> Value {
    result_schema(json!({"entities": list(entity()), "relations": list(relation())}))
}

fn deletion() -> Value {
    result_schema(json!({"success": {"type": "boolean"}, "message": {"type": "string"}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published list (`tools/list` of the package), without what only its task support needs.
    const PUBLISHED: &str = include_str!("../../fixtures/mcp/server-memory-tools.json");

    #[test]
    fn the_tools_are_word_for_word_those_that_were_published() {
        let published: Vec<Value> = serde_json::from_str(PUBLISHED).unwrap();
        let ours: Vec<Value> = GRAPH_TOOLS.iter().map(|tool| serde_json::to_value(tool.describe()).unwrap()).collect();
        assert_eq!(ours.len(), published.len());
        for (ours, published) in ours.iter().zip(&published) {
            for key in ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] {
                assert_eq!(ours[key], published[key], "{}: {key}", published["name"]);
            }
        }
    }
}
