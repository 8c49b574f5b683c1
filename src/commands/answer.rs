//! What commands answer: plain values that any door can print.
//!
//! Never holds colours, columns or shell words. Field names are the JSON contract: fields are only ever added.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

mod compact;
mod git;
mod model;
mod reflected;
mod status;
mod sync;

pub use compact::{Compacted, CompactedPlace, DecisionRow, Tokens};
pub use git::{ClashRow, LeftFile, Merged, Resolved, Setup, SetupFile, SetupLine, SideBullet};
pub use model::ModelCheck;
pub use reflected::{Asked, Conversation, Counts, Decision, Inbox, Proposed, Reason, Reflected};
pub use status::{Dropped, Models, Status};
pub use sync::{Committed, MergedIn, Sync, Undecided};

pub use crate::view::context::answer::{Context, ContextEntry, ContextFile, ContextItem, Update};
pub use crate::view::links::Backlink;
use crate::view::outline::none_left_out;
pub use crate::view::outline::{BulletRow, Outline, SectionRow};
pub use crate::view::query::answer::{Found, Row};

/// The JSON Schema of what `--json` prints: an answer on stdout, or an error on stderr.
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

/// An error as it is printed on stderr: the first refusal, flat.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorAnswer {
    /// The code's name.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// What to do, in plain words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Commands to try; they never hold memory text.
    #[serde(rename = "try")]
    pub tries: Vec<String>,
    /// Whether the memory was changed; null where nobody can know.
    pub changed: Option<bool>,
    /// Whether the same command may succeed when it is run again.
    pub retryable: bool,
    /// Anything a program may want: candidates, etags, positions.
    pub details: serde_json::Map<String, Value>,
    /// Of a batch: every refusal, each with the number of its operation (from 0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<Vec<FailedOperation>>,
    /// What else the reader should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<Told>>,
}

/// One refusal of a batch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FailedOperation {
    /// The operation's number (from 0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<usize>,
    /// The code's name.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// What to do, in plain words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Commands to try.
    #[serde(rename = "try")]
    pub tries: Vec<String>,
    /// Whether the memory was changed.
    pub changed: Option<bool>,
    /// Whether a retry may help.
    pub retryable: bool,
    /// Anything a program may want.
    pub details: serde_json::Map<String, Value>,
}

/// An answer, one variant a shape.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    /// A change, made or planned.
    Changed(Changed),
    /// The answer of a `request` that was done before, as the journal kept it.
    Repeated(Value),
    /// The files.
    Files(Files),
    /// A file's or section's outline.
    Outline(Outline),
    /// What fits a question.
    Found(Found),
    /// What a session should see first.
    Context(Box<Context>),
    /// A text as it stands.
    Text(Text),
    /// Journal entries.
    Log(Log),
    /// Differences.
    Diff(Diff),
    /// The state of the memory.
    Status(Status),
    /// What a check found.
    Check(Check),
    /// A new data dir.
    Init(Init),
    /// Paths.
    Where(Where),
    /// Three texts made one.
    Merged(Merged),
    /// Files with conflict markers, merged again.
    Resolved(Resolved),
    /// What joins this clone to git.
    Setup(Setup),
    /// A memory in step with another repository.
    Sync(Sync),
    /// What came of reading conversations.
    Reflected(Reflected),
    /// What waits for a person.
    Inbox(Inbox),
    /// A model that was tried.
    Model(ModelCheck),
    /// Places brought back to their limits.
    Compacted(Compacted),
}

/// A warning as it is answered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Told {
    /// The code's name.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// For programs.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub details: serde_json::Map<String, Value>,
}

/// A change.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Changed {
    /// Whether any byte of the memory changed (with `dry_run`: would change).
    pub changed: bool,
    /// Nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The new revision, as `r41`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// The revision that was undone or redone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone: Option<String>,
    /// The revision that was redone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redone: Option<String>,
    /// Files, in the order of the effects.
    pub files: Vec<ChangedFile>,
    /// For a patch: how many replacements were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_count: Option<usize>,
    /// With `dry_run`: the operations, as `apply` accepts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<Value>>,
    /// With `dry_run`: a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Told>,
}

/// One file of a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangedFile {
    /// Its path.
    pub path: String,
    /// `created`, `updated`, `removed`, `moved` or `unchanged`.
    pub kind: &'static str,
    /// Its new path, when it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The new etag (16 hex digits); none when it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The effects in it.
    pub effects: Vec<EffectRow>,
}

/// One line of a change.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct EffectRow {
    /// `+`, `-`, `=`, `>` or `~`.
    pub sign: &'static str,
    /// The bullet's handle, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Its explicit id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its text, an entry's title, or `key=value`.
    pub text: String,
    /// Its section's slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Where it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The number of the operation (from 0).
    pub operation: usize,
    /// Of a difference: the bullet as it was, where it was rephrased.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<Was>,
    /// Of a difference: its metadata now, where only that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Of a difference: from where it came, as this machine's journal knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Of a difference: why, as the journal knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of a difference: the words that prove it, as the journal knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

/// A bullet as it was.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Was {
    /// Its handle then.
    pub handle: String,
    /// Its text then.
    pub text: String,
}

impl Answer {
    /// A list cut to its first rows; it says how many were left out.
    pub fn limited(mut self, limit: Option<usize>) -> Answer {
        let Some(limit) = limit else { return self };
        match &mut self {
            Answer::Files(files) => {
                files.more = files.files.len().saturating_sub(limit);
                files.files.truncate(limit);
            }
            Answer::Outline(outline) => {
                let rows = |o: &Outline| o.bullets.len() + o.sections.len() + o.backlinks.len();
                let all = rows(outline);
                outline.bullets.truncate(limit);
                outline.sections.truncate(limit - outline.bullets.len());
                outline.backlinks.truncate(limit - outline.bullets.len() - outline.sections.len());
                outline.more = all - rows(outline);
            }
            _ => {}
        }
        self
    }
}

/// The files of a memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Files {
    /// Sorted by path.
    pub files: Vec<FileRow>,
    /// How many were left out by a limit.
    #[serde(skip_serializing_if = "none_left_out")]
    pub more: usize,
}

/// One file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FileRow {
    /// Its path.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Its summary; empty without one.
    pub summary: String,
    /// Why it was not opened (a link, a device …).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// A text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Text {
    /// The file.
    pub path: String,
    /// The section's slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The bullet's handle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The etag of the file or section: give it back as `seen` or `--if-match`.
    pub etag: String,
    /// Bytes of the file.
    pub size: u64,
    /// The exact text.
    pub text: String,
}

/// The journal.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Log {
    /// Newest first.
    pub entries: Vec<LogRow>,
    /// Since when this machine has a history (RFC 3339); none without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Whether more was left out by a limit.
    pub more: usize,
}

/// One entry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LogRow {
    /// `r41`; none for an outside edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// RFC 3339; none for an outside edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Who; `outside` for an edit that memdir did not make.
    pub actor: String,
    /// `done`, `undone`, `put_back`, `pending`, `outside` or `unrecorded`.
    pub state: &'static str,
    /// `undo r40`, `redo r40`, or the verbs of its operations (`add 2, rm`).
    pub what: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// From where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its files.
    pub files: Vec<String>,
    /// With `-p` and `show`: bullet by bullet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<ChangedFile>,
    /// With `show`: a unified diff, where the history still has both texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Differences.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Diff {
    /// From (`r41`, a revision of git's, or `recorded`).
    pub from: String,
    /// To (`r44`, a revision of git's, or `now`).
    pub to: String,
    /// By file, bullet by bullet.
    pub files: Vec<ChangedFile>,
    /// A unified diff.
    pub diff: String,
}

/// What a check found.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Check {
    /// Files looked at.
    pub checked: usize,
    /// In path and line order.
    pub findings: Vec<Finding>,
    /// With `--fix`: what was mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Changed>,
    /// With `--since`: the data dir as it stands in front of each path, from the working directory (`memory/`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
}

/// One finding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// The file.
    pub path: String,
    /// From 1; 0 for the file as a whole.
    pub line: usize,
    /// From 1, in characters.
    pub col: usize,
    /// `error` or `warning`.
    pub level: &'static str,
    /// The code's name.
    pub code: &'static str,
    /// One sentence.
    pub text: String,
    /// Whether `--fix` mends it.
    pub fixable: bool,
}

/// A new data dir.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Init {
    /// Where, absolute.
    pub dir: String,
    /// Whether anything was made.
    pub changed: bool,
    /// What was made, relative to it.
    pub created: Vec<String>,
    /// Markdown files that were there and count from now on.
    pub adopted: usize,
    /// One sentence more, e.g. that a shorter way to git exists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Paths.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Where {
    /// The data dir, absolute.
    pub dir: String,
    /// The file that was asked for, absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How the data dir was found: `flag`, `environment`, `ancestor` or `user`.
    pub found_by: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_counts_what_it_leaves_out() {
        let row = |path: &str| FileRow { path: path.into(), size: 1, summary: String::new(), refused: None };
        let files = Answer::Files(Files { files: vec![row("a.md"), row("b.md"), row("c.md")], more: 0 });
        let Answer::Files(cut) = files.clone().limited(Some(2)) else { panic!("another answer") };
        assert_eq!((cut.files.len(), cut.more), (2, 1));
        let Answer::Files(all) = files.limited(None) else { panic!("another answer") };
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
        let Answer::Outline(cut) = Answer::Outline(outline).limited(Some(1)) else { panic!("another answer") };
        assert_eq!((cut.bullets.len(), cut.sections.len(), cut.more), (0, 1, 1));
    }
}
