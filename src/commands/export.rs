//! The command `export`: the files that the caller may see, in the format of another program.
//!
//! Never writes below the data directory unless the caller names a file there, and never over an existing one unasked.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::first_written::CreationHistory;
use super::import::ImportRow;
use super::journal_notes::bullet_origins;
use super::list_and_read::resolve_address;
use super::page::page;
use super::{CommandResult, Session};
use crate::code::{Code, Rejection};
use crate::document::memory_index::{index_entries, is_memory_index};
use crate::document::{Document, MAX_FILE_BYTES};
use crate::host::outside_files;
use crate::operation::graph::{GraphRequest, MemoryGraph};
use crate::operation::graph_files::GraphFile;
use crate::operation::memory_index;
use crate::path::MemoryPath;
use crate::store::scopes::ScopeState;
use crate::text::counted_noun::counted_noun;
use crate::view::export::left_out;
use crate::view::export::{self, ExportFile, ExportedText};

/// The format of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportKind {
    /// Whole files and their bullets, in one object.
    #[default]
    Json,
    /// One bullet a line.
    Jsonl,
    /// The texts of the files.
    Markdown,
    /// The index that Claude Code reads.
    ClaudeIndex,
    /// The file of the MCP server for knowledge graphs.
    ServerMemory,
    /// A resource with `_metadata` and lists of items.
    JsonMemory,
    /// Entries and facts with id, content and times.
    Records,
    /// A page to look at, in one file.
    Html,
}

/// What `export` writes, and where.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    pub to: ExportKind,
    /// The addresses of files; if empty, all files except those of `archive/` and `inbox/`.
    pub files: Vec<String>,
    /// The file to write; with `None`, the text is in the result.
    pub out: Option<PathBuf>,
    /// Replace that file if it exists.
    pub force: bool,
}

/// The result of `export`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ExportResult {
    /// The exported text; empty if it was written to a file.
    pub text: String,
    /// The file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// The number of items.
    pub items: usize,
    /// What the format cannot represent, and files that could not be read.
    pub skipped: Vec<ImportRow>,
    /// Whether files could not be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
}

/// Exports files.
///
/// # Errors
/// `file_not_found`, `usage` for an address inside a file; `exists`, `io` of the file to write.
pub fn export(session: &Session, options: &ExportOptions) -> CommandResult<ExportResult> {
    let ReadFiles { files, unreadable, folders } = read_files(session, &options.files)?;
    let mut exported = match options.to {
        ExportKind::Json => export::json(&files),
        ExportKind::Jsonl => export::jsonl(&files),
        ExportKind::Markdown => export::markdown(&files),
        ExportKind::ClaudeIndex => claude_index(&files),
        ExportKind::ServerMemory => server_memory(&files)?,
        ExportKind::JsonMemory => export::json_memory(&files),
        ExportKind::Records => {
            let history = CreationHistory::whole(session);
            let first_written = |file: &_, bullet| history.first_written(file, bullet);
            let last_written = |file: &_, bullet| history.last_written(file, bullet);
            export::records(
                files,
                &bullet_origins(&session.store, session.now.time_zone())?,
                &first_written,
                &last_written,
            )
        }
        ExportKind::Html => page(session, files, options)?,
    };
    let unread = !unreadable.is_empty();
    unreadable.iter().for_each(|(path, reason)| exported.leave_out(path, reason));
    if options.to != ExportKind::ClaudeIndex {
        let row = |(folder, count)| (folder, format!("{}, exported only if named", counted_noun(count, "file")));
        exported.left_out.extend(folders.into_iter().map(row));
        let scopes = scope_count(session, &options.files)?;
        if scopes > 0 {
            let reason = format!("{}, each exported with -S NAME", counted_noun(scopes, "scope"));
            exported.left_out.push(("scopes/".to_owned(), reason));
        }
    }
    let ExportedText { text, items, left_out } = exported;
    let skipped = left_out.into_iter().map(|(item, reason)| ImportRow { item, reason }).collect();
    let Some(out) = &options.out else { return Ok(ExportResult { text, out: None, items, skipped, unread }) };
    write(out, &text, options.force)?;
    Ok(ExportResult { text: String::new(), out: Some(out.display().to_string()), items, skipped, unread })
}

/// How many scopes an export of everything leaves out, as far as the caller may know.
fn scope_count(session: &Session, addresses: &[String]) -> Result<usize, Rejection> {
    if addresses.is_empty() && session.store.require_unfiltered().is_ok() {
        session.store.scope_names(ScopeState::Live).map(|names| names.len())
    } else {
        Ok(0)
    }
}

fn write(out: &Path, text: &str, force: bool) -> Result<(), Rejection> {
    outside_files::create_private(out, text.as_bytes(), force)
}

/// The files to export.
#[derive(Default)]
struct ReadFiles {
    files: Vec<ExportFile>,
    /// Those that cannot be exported, and why.
    unreadable: Vec<(MemoryPath, String)>,
    /// The folders that are exported only if their files are named, with the number of these.
    folders: BTreeMap<String, usize>,
}

fn read_files(session: &Session, addresses: &[String]) -> Result<ReadFiles, Rejection> {
    if !addresses.is_empty() {
        let named = addresses.iter().map(|address| {
            let named = resolve_address(session, address)?;
            if named.section != 0 || named.bullet.is_some() {
                Err(Rejection::new(Code::Usage, format!("'{address}' is no file; whole files are exported")))
            } else {
                Ok(ExportFile { path: named.path, document: named.document })
            }
        });
        return Ok(ReadFiles { files: named.collect::<Result<_, _>>()?, ..ReadFiles::default() });
    }
    session.store.consistent(|| {
        let mut found = session.store.walk(None)?;
        let mut result = ReadFiles::default();
        found.retain(|file| {
            let is_exported = !file.path.is_set_aside();
            if let Some(folder) = file.path.folder().filter(|_| !is_exported) {
                *result.folders.entry(format!("{folder}/")).or_default() += 1;
            }
            is_exported
        });
        let read = session.store.map_files(&found, MAX_FILE_BYTES, &|file, read| match read {
            Ok((bytes, _)) => match Document::from_bytes(bytes.to_vec()) {
                Ok(document) => Ok(ExportFile { path: file.path.clone(), document }),
                Err(_) => Err((file.path.clone(), "it is not UTF-8 text".to_owned())),
            },
            Err(error) => Err((file.path.clone(), error.message)),
        });
        for file in read {
            match file {
                Ok(file) => result.files.push(file),
                Err(error) => result.unreadable.push(error),
            }
        }
        Ok(result)
    })?
}

/// The index that Claude Code reads at the start of a session.
fn claude_index(files: &[ExportFile]) -> ExportedText {
    let paths: Vec<MemoryPath> = files.iter().map(|file| file.path.clone()).collect();
    let documents: HashMap<&MemoryPath, &Document> = files.iter().map(|file| (&file.path, &file.document)).collect();
    let text = memory_index::complete_index("", &paths, |path| documents.get(path).copied().cloned());
    let listed: HashSet<String> = index_entries(&text).into_iter().map(|entry| entry.target).collect();
    let mut exported = ExportedText { text, items: listed.len(), left_out: Vec::new() };
    for path in paths.iter().filter(|path| !listed.contains(path.as_str())) {
        let reason = if memory_index::is_listed(path) {
            "the index has 200 lines or 25 KB already"
        } else {
            "such files have no line in an index"
        };
        exported.leave_out(path, reason);
    }
    exported
}

/// The graph of the files, one entity or relation a line.
fn server_memory(files: &[ExportFile]) -> Result<ExportedText, Rejection> {
    let mut exported = ExportedText::default();
    let mut parts = Vec::new();
    for file in files {
        if GraphFile::is_part(&file.path) && !is_memory_index(&file.path, file.document.text()) {
            left_out::report_prose(file, &mut exported);
            left_out::report_summary(file, &mut exported);
            left_out::report_metadata(file, &[], &mut exported);
            left_out::report_front_matter(file, &["title", "type"], &mut exported);
            left_out::report_headings(file, &mut exported);
            parts.push(GraphFile::read(file.path.clone(), String::new(), file.document.clone()));
        } else {
            exported.leave_out(&file.path, "it holds no facts")
        }
    }
    let graph = MemoryGraph::new(parts);
    for (path, name) in graph.renamed() {
        exported.leave_out(path, &left_out::shared_title(name));
    }
    let (_, graph) = graph.answer(&GraphRequest::ReadGraph {})?;
    for (name, kind) in [("entities", "entity"), ("relations", "relation")] {
        for row in graph.structured.get(name).and_then(Value::as_array).into_iter().flatten() {
            let mut line = Map::from_iter([("type".to_owned(), Value::from(kind))]);
            line.extend(row.as_object().cloned().unwrap_or_default());
            exported.text.push_str(&Value::Object(line).to_string());
            exported.text.push('\n');
            exported.items += 1;
        }
    }
    Ok(exported)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{bullet_to_text, section_titles};
    use crate::operation::import::compose::compose;
    use crate::operation::import::{ImportKind, SourceFile};

    /// The bullets of a text, each with the titles of its sections, sorted.
    fn placed_bullets(document: &Document) -> Vec<(Vec<String>, String)> {
        let top = (0..document.bullets().len()).filter(|at| document.bullets()[*at].depth == 0);
        let mut all: Vec<_> = top
            .map(|at| {
                let section = document.bullets()[at].section as usize;
                (section_titles(document, section), bullet_to_text(document, at))
            })
            .collect();
        all.sort();
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn every_bullet_is_in_a_resource_or_counted_and_is_read_back(
            lines in proptest::collection::vec((0usize..14, 0usize..3), 1..16),
        ) {
            let shapes = [
                "- tone: ", "- tone: text ", "- likes: ", "- items: ", "- item: ", "- display: ", "- _items: ", "- Plain ",
                "## tone", "## items", "## likes", "### deep", "### tone", "## _items",
            ];
            let mut text = "# Style\n\n".to_owned();
            for (n, (shape, meta)) in lines.iter().enumerate() {
                match shapes[*shape] {
                    heading if heading.starts_with('#') => text.push_str(&format!("\n{heading}\n\n")),
                    bullet => {
                        text.push_str(&format!("{bullet}{n}\n"));
                        text.push_str(if *meta == 0 { "  <!-- mem imp=7 -->\n" } else { "" });
                    }
                }
            }
            let path = MemoryPath::new("facts/style.md").unwrap();
            let file = ExportFile { path, document: Document::parse(text.as_str()) };
            let was = placed_bullets(&file.document);
            let exported = export::json_memory(&[file]);
            let counts = exported.left_out.iter().filter_map(|(_, reason)| reason.split_once(" beside a section"));
            let lost: usize = counts.map(|(count, _)| count.split(' ').next().unwrap().parse::<usize>().unwrap()).sum();
            prop_assert_eq!(exported.items + lost, was.len(), "{}", text);
            let source = SourceFile { name: "style.json".to_owned(), bytes: exported.text.clone().into_bytes() };
            let read = ImportKind::JsonMemory.read(&[source]);
            let document = match read.notes.first() {
                Some(note) => Document::parse(compose(note, None).unwrap().text.unwrap_or_default()),
                None => Document::parse(""),
            };
            let is = placed_bullets(&document);
            prop_assert_eq!(is.len(), exported.items, "{}\n{}", text, exported.text);
            prop_assert!(is.iter().all(|(_, text)| was.iter().any(|(_, other)| other == text)), "{:?}", is);
            if !text.contains("## _items") {
                prop_assert_eq!(is, was, "{}", exported.text);
            }
        }
    }
}
