//! The union of all results, as `--json` prints it, and its JSON Schema.
//!
//! Never used below the command line: there every command returns its own type.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::commands::answer::{
    ChangeOutcome, ChangeResult, CheckReport, CompactOutcome, CompactReport, ContextResult, DiffResult, FileList,
    InboxList, InitResult, ListResult, LogResult, MergeResult, ModelCheck, Outline, QueryResult, ReflectReport,
    ResolveResult, SetupResult, StatusReport, SyncResult, TextResult, WarningRow, WhereResult,
};

/// The JSON Schema of the output of `--json`: an answer on stdout, or an error on stderr.
pub fn schema() -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let answer = generator.subschema_for::<Answer>();
    let error = generator.subschema_for::<ErrorAnswer>();
    let definitions = generator.take_definitions(true);
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memdir answer",
        "type": "object",
        "properties": { "v": { "const": 1 } },
        "required": ["v"],
        "anyOf": [answer, error],
        "$defs": definitions,
    })
}

/// The answer of a command, one variant for each result type.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    /// A change that was made or, with `dry_run`, planned.
    Changed(ChangeResult),
    /// The stored answer of an earlier change with the same `request`.
    Repeated(Value),
    /// The files of a memory.
    Files(FileList),
    /// The outline of a file or section.
    Outline(Outline),
    /// The results of a query.
    Found(QueryResult),
    /// What a session should see first, within a token budget.
    Context(Box<ContextResult>),
    /// The exact text of a file, section or bullet.
    Text(TextResult),
    /// Journal entries.
    Log(LogResult),
    /// Differences between two points in history.
    Diff(DiffResult),
    /// The state of the memory.
    Status(StatusReport),
    /// The findings of a check.
    Check(CheckReport),
    /// A new data dir.
    Init(InitResult),
    /// The absolute paths of the data dir and a file.
    Where(WhereResult),
    /// The result of a three-way merge.
    Merged(MergeResult),
    /// Files whose conflict markers were resolved.
    Resolved(ResolveResult),
    /// The git configuration of this clone.
    Setup(SetupResult),
    /// The result of syncing with another repository.
    Sync(SyncResult),
    /// The result of reflecting on conversations.
    Reflected(ReflectReport),
    /// Proposals that wait for a decision.
    Inbox(InboxList),
    /// The result of testing the configured model.
    Model(ModelCheck),
    /// Files and sections that were reduced to their limits.
    Compacted(CompactReport),
}

impl Answer {
    /// Truncates a list to its first `limit` rows and records how many were left out in `more`.
    pub fn truncated(mut self, limit: Option<usize>) -> Answer {
        let Some(limit) = limit else { return self };
        match &mut self {
            Answer::Files(files) => {
                files.more = files.files.len().saturating_sub(limit);
                files.files.truncate(limit);
            }
            Answer::Outline(outline) => {
                let rows = |o: &Outline| o.bullets.len() + o.sections.len() + o.backlinks.len();
                let total = rows(outline);
                outline.bullets.truncate(limit);
                outline.sections.truncate(limit - outline.bullets.len());
                outline.backlinks.truncate(limit - outline.bullets.len() - outline.sections.len());
                outline.more = total - rows(outline);
            }
            _ => {}
        }
        self
    }
}

/// One `From` for each result that is a variant of its own.
macro_rules! from_results {
    ($($result:ident => $variant:ident),* $(,)?) => {
        $(impl From<$result> for Answer {
            fn from(result: $result) -> Answer {
                Answer::$variant(result)
            }
        })*
    };
}

from_results! {
    ChangeResult => Changed,
    FileList => Files,
    Outline => Outline,
    QueryResult => Found,
    TextResult => Text,
    LogResult => Log,
    DiffResult => Diff,
    StatusReport => Status,
    CheckReport => Check,
    InitResult => Init,
    WhereResult => Where,
    MergeResult => Merged,
    ResolveResult => Resolved,
    SetupResult => Setup,
    SyncResult => Sync,
    ReflectReport => Reflected,
    InboxList => Inbox,
    ModelCheck => Model,
    CompactReport => Compacted,
}

impl From<ContextResult> for Answer {
    fn from(context: ContextResult) -> Answer {
        Answer::Context(Box::new(context))
    }
}

impl From<ChangeOutcome> for Answer {
    fn from(outcome: ChangeOutcome) -> Answer {
        match outcome {
            ChangeOutcome::Changed(change) => Answer::Changed(change),
            ChangeOutcome::Repeated(first) => Answer::Repeated(first.0),
        }
    }
}

impl From<CompactOutcome> for Answer {
    fn from(outcome: CompactOutcome) -> Answer {
        match outcome {
            CompactOutcome::Compacted(report) => Answer::Compacted(report),
            CompactOutcome::Repeated(first) => Answer::Repeated(first.0),
        }
    }
}

impl From<ListResult> for Answer {
    fn from(list: ListResult) -> Answer {
        match list {
            ListResult::Files(files) => Answer::Files(files),
            ListResult::Outline(outline) => Answer::Outline(outline),
        }
    }
}

/// An error as printed on stderr: the fields of the first rejection at the top level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorAnswer {
    /// The error code.
    pub code: String,
    /// The error message, one sentence.
    pub message: String,
    /// What the caller can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Commands to try; they never contain memory text.
    #[serde(rename = "try")]
    pub tries: Vec<String>,
    /// Whether the memory was changed; null where this cannot be known.
    pub changed: Option<bool>,
    /// Whether the same command may succeed when run again.
    pub retryable: bool,
    /// Details for programs: candidates, etags, positions.
    pub details: serde_json::Map<String, Value>,
    /// For a batch: every rejection, each with the 0-based number of its operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<Vec<FailedOperation>>,
    /// Warnings besides the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<WarningRow>>,
}

/// One rejected operation of a batch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FailedOperation {
    /// The 0-based number of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<usize>,
    /// The error code.
    pub code: String,
    /// The error message, one sentence.
    pub message: String,
    /// What the caller can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Commands to try.
    #[serde(rename = "try")]
    pub tries: Vec<String>,
    /// Whether the memory was changed.
    pub changed: Option<bool>,
    /// Whether the same command may succeed when run again.
    pub retryable: bool,
    /// Details for programs.
    pub details: serde_json::Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::answer::{FileRow, SectionRow};

    #[test]
    fn a_limit_counts_what_it_leaves_out() {
        let row = |path: &str| FileRow { path: path.into(), size: 1, summary: String::new(), refused: None };
        let files = Answer::Files(FileList { files: vec![row("a.md"), row("b.md"), row("c.md")], more: 0 });
        let Answer::Files(cut) = files.clone().truncated(Some(2)) else { panic!("another answer") };
        assert_eq!((cut.files.len(), cut.more), (2, 1));
        let Answer::Files(all) = files.truncated(None) else { panic!("another answer") };
        assert_eq!((all.files.len(), all.more), (3, 0));
        let section = SectionRow {
            address: String::new(),
            slug: String::new(),
            id: None,
            title: String::new(),
            level: 2,
            date: None,
            summary: None,
            bullets: 0,
        };
        let outline = Outline { sections: vec![section.clone(), section], ..Outline::default() };
        let Answer::Outline(cut) = Answer::Outline(outline).truncated(Some(1)) else { panic!("another answer") };
        assert_eq!((cut.bullets.len(), cut.sections.len(), cut.more), (0, 1, 1));
    }
}
