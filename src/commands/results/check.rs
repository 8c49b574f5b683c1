//! What `check` finds: findings with their level, and the state of anchors.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangeResult, none_left_out};
use crate::code::SuggestedCommand;

/// The findings of a check.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckReport {
    /// The number of files checked.
    pub checked: usize,
    /// The findings, in path and line order.
    pub findings: Vec<CheckFinding>,
    /// With `--anchors`: every anchor that was checked, in path and line order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchors: Option<Vec<AnchorRow>>,
    /// With `--fix`: the change that the fixes made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<ChangeResult>,
    /// With `--since`: the prefix that makes each path relative to the working directory (`memory/`); for annotations,
    /// to the root of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
    /// The number of words that were not compared for contradictions, because more than 40 bullets of a section have
    /// them.
    #[serde(skip_serializing_if = "none_left_out")]
    pub frequent_words: usize,
}

impl CheckReport {
    /// Whether there are findings other than notes.
    pub fn has_findings(&self) -> bool {
        self.findings.iter().any(|f| f.level != FindingLevel::Note)
    }
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FindingLevel {
    /// memdir cannot read or change what the finding is about.
    Error,
    /// A person or `--fix` should correct it.
    #[default]
    Warning,
    /// It may be intended: it does not make `check` exit with 6.
    Note,
}

impl FindingLevel {
    /// The name, as printed.
    pub fn name(self) -> &'static str {
        match self {
            FindingLevel::Error => "error",
            FindingLevel::Warning => "warning",
            FindingLevel::Note => "note",
        }
    }
}

/// One finding of a check.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckFinding {
    /// The path of the file.
    pub path: String,
    /// The line, 1-based; 0 for the file as a whole.
    pub line: usize,
    /// The column in characters, 1-based.
    pub col: usize,
    pub level: FindingLevel,
    /// The code of the finding, e.g. `dangling_link`.
    pub code: &'static str,
    /// The message, one sentence.
    pub text: String,
    /// Whether `--fix` can fix it.
    pub fixable: bool,
    /// With `--against`: the statement in a file outside the memory that contradicts this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<OutsideStatement>,
    /// Alternative commands: any one of them resolves the finding.
    #[serde(rename = "try", serialize_with = "commands_to_try", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub suggestions: Vec<SuggestedCommand>,
}

fn commands_to_try<S: serde::Serializer>(suggestions: &[SuggestedCommand], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(suggestions.iter().filter_map(|command| command.to_shell("")))
}

/// The state of an anchor's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnchorRowState {
    /// The lines are as they were when the anchor was written.
    Ok,
    /// Elsewhere in the file, or in a file that git renamed.
    Moved,
    Changed,
    /// The file is gone, or has fewer lines.
    Gone,
    /// git ignores the file, and it does not exist here.
    NotBuilt,
    /// The value is not valid, or the file must not be read.
    Refused,
}

impl AnchorRowState {
    pub const ALL: [AnchorRowState; 6] = [
        AnchorRowState::Ok,
        AnchorRowState::Moved,
        AnchorRowState::Changed,
        AnchorRowState::Gone,
        AnchorRowState::NotBuilt,
        AnchorRowState::Refused,
    ];

    /// Its name, as printed.
    pub fn words(self) -> &'static str {
        match self {
            AnchorRowState::Ok => "ok",
            AnchorRowState::Moved => "moved",
            AnchorRowState::Changed => "changed",
            AnchorRowState::Gone => "gone",
            AnchorRowState::NotBuilt => "not built",
            AnchorRowState::Refused => "refused",
        }
    }
}

/// An anchor that was checked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AnchorRow {
    /// The path of the memory file.
    pub path: String,
    /// The line of the anchor, 1-based.
    pub line: usize,
    /// Its column in characters, 1-based.
    pub col: usize,
    /// The address of the bullet.
    pub address: String,
    /// The anchor: `src/lib.rs:10-24#0123456789ab`.
    pub anchor: String,
    /// The state of its lines, compared with its hash.
    pub state: AnchorRowState,
    /// The anchor that its lines have now, if they moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// A statement in a file outside the memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OutsideStatement {
    /// The path of the file, as it was given.
    pub path: String,
    /// The line on which the statement starts, 1-based.
    pub line: usize,
    /// The statement, one sentence.
    pub text: String,
    /// The day on which the file was last changed, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::results::{ConflictSide, LogState};

    #[test]
    fn names_in_text_are_those_of_the_json() {
        let check = |json: serde_json::Value, name: &str| assert_eq!(json, name);
        for level in [FindingLevel::Error, FindingLevel::Warning, FindingLevel::Note] {
            check(serde_json::json!(level), level.name());
        }
        for state in AnchorRowState::ALL {
            check(serde_json::json!(state), &state.words().replace(' ', "_"));
        }
        for side in [ConflictSide::Base, ConflictSide::Ours, ConflictSide::Theirs] {
            check(serde_json::json!(side), side.name());
        }
        for state in [LogState::Undone, LogState::PutBack, LogState::Pending, LogState::Merged, LogState::Committed] {
            check(serde_json::json!(state), state.name());
        }
    }
}
