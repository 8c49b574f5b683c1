//! The six tools of the default set, each one call of the library.
//!
//! Never repeats a check of the library: what it refuses is the answer.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::arguments::{self, check, count, text};
use super::tool_result::ToolResult;
use super::tools::{ToolEffect, ToolRequest, ToolSpec, output_schema};
use crate::code::{Code, Rejection};
use crate::commands::results::{ChangeOutcome, ChangeResult, FileRow, ListResult, Outline, QueryResult, TextResult};
use crate::commands::{ChangeOptions, ContextRequest, Error, require_kept_history};
use crate::operation::Batch;
use crate::operation::dialects::APPEND_ARGUMENTS;
use crate::path::ALL_SCOPES;
use crate::view::query::query_json::{self, QueryItem};

/// The default tools, in the order in which a session uses them.
pub const MEMORY_TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "memory_context",
        title: "Start of a session",
        description: "What to know when a session starts: news, important facts, the files. Call it first.",
        effect: ToolEffect::Reads,
        input: arguments::context_schema,
        output: Some(output_schema::<ContextAnswer>),
        run: context,
    },
    ToolSpec {
        name: "memory_query",
        title: "Search",
        description: "Search the memory, best match first. The ids are addresses for the other tools.",
        effect: ToolEffect::Reads,
        input: arguments::query_schema,
        output: Some(output_schema::<QueryAnswer>),
        run: query,
    },
    ToolSpec {
        name: "memory_list",
        title: "List",
        description: "The files with their summaries; or the sections and bullets of one, with handles.",
        effect: ToolEffect::Reads,
        input: arguments::list_schema,
        output: Some(output_schema::<ListAnswer>),
        run: list,
    },
    ToolSpec {
        name: "memory_read",
        title: "Read",
        description: "The exact markdown of a file, section or bullet, and its etag.",
        effect: ToolEffect::Reads,
        input: arguments::read_schema,
        output: Some(output_schema::<TextResult>),
        run: read,
    },
    ToolSpec {
        name: "memory_change",
        title: "Change",
        description: "Change the memory: all operations or none, one undoable revision. Remember a fact: \
                      {op:add, at:user, text}. One fact a bullet; correct with update instead of adding.",
        effect: ToolEffect::Changes,
        input: arguments::change_schema,
        output: Some(output_schema::<ChangeResult>),
        run: change,
    },
    ToolSpec {
        name: "memory_append",
        title: "Append an entry",
        description: "Write down what happened, as a dated entry; after a task worth remembering.",
        effect: ToolEffect::Adds,
        input: arguments::append_schema,
        output: Some(output_schema::<ChangeResult>),
        run: append,
    },
];

/// The context of a session.
#[derive(Serialize, JsonSchema)]
struct ContextAnswer {
    /// The context as text, within the budget.
    text: String,
    /// Its estimated size in tokens.
    tokens: usize,
    /// The revision since which news are reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
}

fn context(call: &ToolRequest) -> Result<ToolResult, Error> {
    check(&arguments::CONTEXT, &call.arguments)?;
    let budget = count(&call.arguments, "budget_tokens");
    let reader = call.reader.clone();
    let request = ContextRequest { budget, reader, for_tools: true, stable: true, ..ContextRequest::default() };
    let (context, mark) = call.memory.context(&request)?;
    let answer = ContextAnswer { text: context.text, tokens: context.tokens, since: context.since };
    Ok(ToolResult { mark, ..ToolResult::with_text(Some(answer.text.clone()), &answer) })
}

/// The result of a search.
#[derive(Serialize, JsonSchema)]
struct QueryAnswer {
    items: Vec<QueryItem>,
    /// How many items match.
    found: usize,
}

/// The text is the array of items alone, which is the format of `memory.query`. A second one says if none of those that
/// match fits into the budget.
fn query(call: &ToolRequest) -> Result<ToolResult, Error> {
    let options = query_json::parse(&Value::Object(call.arguments.clone()).to_string())?;
    if options.scope.as_deref() == Some(ALL_SCOPES) {
        // The ids of the answer are addresses for the other tools, which name no scope.
        return Err(Rejection::new(Code::InvalidQuery, "'filters.user_id' names one scope; '*' is not one")
            .hint("leave it out to search this memory; `memdir -S '*' query` searches all scopes")
            .into());
    }
    let result = call.memory.query(options.with_default_limit())?;
    let left_out = || (!result.left_out.is_empty()).then(|| result.left_out.join("; "));
    let note = result.nothing_fits().or_else(left_out);
    let QueryResult { items, found, scope, .. } = result;
    let items = items.into_iter().map(|row| QueryItem::new(row, scope.as_deref())).collect();
    let answer = QueryAnswer { items, found };
    Ok(ToolResult { note, ..ToolResult::with_text(serde_json::to_string(&answer.items).ok(), &answer) })
}

/// The files of a memory, or the outline of one.
#[derive(Default, Serialize, JsonSchema)]
struct ListAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FileRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Proves to a later change which text was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// The bullets outside sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    bullets: Option<Vec<ListedItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<Vec<ListedItem>>,
    /// The items that link to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    backlinks: Vec<String>,
    /// How many rows the limit left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

/// A bullet or section.
#[derive(Serialize, JsonSchema)]
struct ListedItem {
    address: String,
    /// The text of a bullet, the title of a section.
    text: String,
    /// The last day of a bullet, if it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    expired: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// The number of bullets of a section.
    #[serde(skip_serializing_if = "Option::is_none")]
    bullets: Option<usize>,
}

impl From<Outline> for ListAnswer {
    fn from(outline: Outline) -> ListAnswer {
        let bullet = |row: crate::commands::results::BulletRow| {
            let expired = row.last_day().filter(|_| row.expired).map(|day| day.to_string());
            ListedItem { address: row.address, text: row.text, expired, date: None, summary: None, bullets: None }
        };
        let section = |row: crate::commands::results::SectionRow| ListedItem {
            address: row.address,
            text: row.title,
            expired: None,
            date: row.date,
            summary: row.summary,
            bullets: Some(row.bullets),
        };
        ListAnswer {
            path: Some(outline.path),
            title: Some(outline.title).filter(|title| !title.is_empty()),
            etag: Some(outline.etag),
            bullets: Some(outline.bullets.into_iter().map(bullet).collect()),
            sections: Some(outline.sections.into_iter().map(section).collect()),
            backlinks: outline.backlinks.into_iter().map(|link| link.address).collect(),
            more: Some(outline.more).filter(|more| *more > 0),
            ..ListAnswer::default()
        }
    }
}

fn list(call: &ToolRequest) -> Result<ToolResult, Error> {
    check(&arguments::LIST, &call.arguments)?;
    let limit = count(&call.arguments, "limit");
    let answer = match call.memory.list(text(&call.arguments, "address"))?.truncated(limit) {
        ListResult::Files(list) => {
            let more = Some(list.more).filter(|more| *more > 0);
            ListAnswer { files: Some(list.files), more, ..ListAnswer::default() }
        }
        ListResult::Outline(outline) => ListAnswer::from(outline),
    };
    Ok(ToolResult::of(&answer))
}

fn read(call: &ToolRequest) -> Result<ToolResult, Error> {
    check(&arguments::READ, &call.arguments)?;
    let result = call.memory.read(text(&call.arguments, "address").unwrap_or_default())?;
    Ok(ToolResult::with_text(Some(result.text.clone()), &result))
}

/// Everything but `dry_run` is the batch, in the form that `apply` takes.
fn change(call: &ToolRequest) -> Result<ToolResult, Error> {
    let mut batch = call.arguments.clone();
    let dry_run = match batch.shift_remove("dry_run") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(dry_run)) => dry_run,
        Some(_) => return Err(Rejection::new(Code::Usage, "'dry_run' must be true or false").into()),
    };
    if batch.keys().all(|key| ["reason", "source", "consent", "request"].contains(&key.as_str())) {
        let missing = Rejection::new(Code::InvalidOperation, "'operations' is missing");
        return Err(missing
            .hint("example: {\"operations\":[{\"op\":\"add\",\"at\":\"user\",\"text\":\"Prefers tabs\"}]}")
            .into());
    }
    apply(call, Value::Object(batch), &ChangeOptions { dry_run, ..ChangeOptions::default() })
}

fn append(call: &ToolRequest) -> Result<ToolResult, Error> {
    check(&APPEND_ARGUMENTS, &call.arguments)?;
    if text(&call.arguments, "text").is_some_and(|text| text.trim().is_empty()) {
        return Err(Rejection::new(Code::EmptyInput, "'text' is empty").hint("say what happened").into());
    }
    let mut operation = call.arguments.clone();
    operation.insert("op".to_owned(), "append".into());
    apply(call, Value::Object(operation), &ChangeOptions::default())
}

fn apply(call: &ToolRequest, operations: Value, options: &ChangeOptions) -> Result<ToolResult, Error> {
    let batch: Batch = operations.to_string().parse()?;
    require_kept_history(&batch)?;
    Ok(match call.memory.change(batch, options)? {
        ChangeOutcome::Changed(change) => ToolResult::of(&change),
        ChangeOutcome::Repeated(first) => ToolResult::of(&first),
    })
}
