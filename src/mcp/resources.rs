//! The files of a memory as resources: `memdir://facts/user.md`; with the tools for a graph, the graph as one.
//!
//! Never lists or reads what the caller may not see: it calls the library as the tools do.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::json;

use super::ToolSet;
use super::tool_result::error_json;
use crate::code::Code;
use crate::commands::results::ListResult;
use crate::commands::{Error, WHOLE_MEMORY};
use crate::memory::Memory;

const SCHEME: &str = "memdir://";
/// The graph of `--tools graph`, named as by the server that agents know for it.
const GRAPH_URI: &str = "memory://knowledge-graph";
const MARKDOWN: &str = "text/markdown";
/// The number of files on one page of the list.
const PAGE_SIZE: usize = 500;

/// The resources of a set of tools.
pub fn list(memory: &Memory, tools: ToolSet, cursor: Option<&str>) -> Result<ListResourcesResult, Error> {
    match tools {
        ToolSet::Memory | ToolSet::Seed => list_files(memory, cursor),
        ToolSet::Graph => {
            let graph = Resource::new(GRAPH_URI, "knowledge-graph")
                .with_title("Knowledge Graph")
                .with_description("The full knowledge graph with all entities and relations")
                .with_mime_type("application/json");
            Ok(ListResourcesResult::with_all_items(vec![graph]))
        }
    }
}

/// One page of the files; `cursor` is the last path of the page before.
fn list_files(memory: &Memory, cursor: Option<&str>) -> Result<ListResourcesResult, Error> {
    let files = match memory.list(None)? {
        ListResult::Files(list) => list.files,
        ListResult::Outline(_) => Vec::new(),
    };
    let mut rest = files.into_iter().filter(|file| file.refused.is_none());
    let rest = rest.by_ref().skip_while(|file| cursor.is_some_and(|last| file.path.as_str() <= last));
    let mut page: Vec<_> = rest.take(PAGE_SIZE + 1).collect();
    let has_more = page.len() > PAGE_SIZE;
    page.truncate(PAGE_SIZE);
    let next_cursor = page.last().filter(|_| has_more).map(|last| last.path.clone());
    let resource = |file: crate::commands::results::FileRow| {
        let resource = Resource::new(to_uri(&file.path), file.path).with_mime_type(MARKDOWN).with_size(file.size);
        if file.summary.is_empty() { resource } else { resource.with_description(file.summary) }
    };
    let mut result = ListResourcesResult::with_all_items(page.into_iter().map(resource).collect());
    result.next_cursor = next_cursor;
    Ok(result)
}

/// The template of all addresses, where the files are the resources.
pub fn templates(tools: ToolSet) -> ListResourceTemplatesResult {
    if tools == ToolSet::Graph {
        return ListResourceTemplatesResult::with_all_items(Vec::new());
    }
    let template = ResourceTemplate::new(format!("{SCHEME}{{+address}}"), "memory")
        .with_description("A file, a section (FILE%23SECTION) or a bullet (FILE@HANDLE)")
        .with_mime_type(MARKDOWN);
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// The text of a file, section or bullet, or the graph.
pub fn read(memory: &Memory, uri: &str, address: &str) -> Result<ReadResourceResult, Error> {
    if address == WHOLE_MEMORY {
        let graph = memory.graph_tool("read_graph", json!({}))?.text;
        return Ok(ReadResourceResult::new(vec![
            ResourceContents::text(graph, uri).with_mime_type("application/json"),
        ]));
    }
    let text = memory.read(address)?.text;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(MARKDOWN)]))
}

/// An error as the protocol reports it for a resource.
pub fn error_data(error: &Error) -> ErrorData {
    let (message, data) = (error.to_string(), Some(error_json(ToolSet::Memory, error)));
    match error.code() {
        Code::FileNotFound | Code::SectionNotFound | Code::BulletNotFound => {
            ErrorData::resource_not_found(message, data)
        }
        Code::Usage | Code::InvalidPath => ErrorData::invalid_params(message, data),
        // What is about the memory, not about the URI: the same request may work later.
        _ => ErrorData::internal_error(message, data),
    }
}

/// What a URI has encoded: all but RFC 3986's unreserved characters, the separator of folders, and `@`.
const ENCODED: AsciiSet =
    NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'@');

/// The URI of a file.
pub fn to_uri(path: &str) -> String {
    format!("{SCHEME}{}", utf8_percent_encode(path, &ENCODED))
}

/// The address that a URI names; for the graph that of the whole memory.
///
/// # Errors
/// `invalid_params` for another scheme, or text that is not percent-encoded UTF-8.
pub fn to_address(uri: &str) -> Result<String, ErrorData> {
    if uri == GRAPH_URI {
        return Ok(WHOLE_MEMORY.to_owned());
    }
    let invalid = || ErrorData::invalid_params(format!("not a URI of this server: it must start with {SCHEME}"), None);
    let encoded = uri.strip_prefix(SCHEME).filter(|rest| !rest.is_empty()).ok_or_else(invalid)?;
    percent_decode_str(encoded).decode_utf8().map(Cow::into_owned).map_err(|_| invalid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_its_uri_are_inverse() {
        for (path, uri) in [
            ("facts/user.md", "memdir://facts/user.md"),
            ("facts/项目.md", "memdir://facts/%E9%A1%B9%E7%9B%AE.md"),
            ("notes/Ideen (2026).md", "memdir://notes/Ideen%20%282026%29.md"),
            ("a/100%.md", "memdir://a/100%25.md"),
        ] {
            assert_eq!(to_uri(path), uri);
            assert_eq!(to_address(uri).unwrap(), path);
        }
        assert_eq!(to_address("memdir://facts/user.md#work").unwrap(), "facts/user.md#work");
        assert_eq!(to_address("memdir://100%").unwrap(), "100%");
        for uri in ["file:///etc/passwd", "memdir:/x", "memdir://", "memdir://%ff", ""] {
            assert!(to_address(uri).is_err(), "{uri}");
        }
    }
}
