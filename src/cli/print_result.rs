//! What every result of a command can do: be printed as text or JSON, and decide the exit status; and the JSON Schema
//! of all results.
//!
//! Never used below the command line: there every command returns its own type.

use serde::Serialize;
use serde_json::Value;

use super::subcommands;
use super::text::Printer;
use crate::code::Code;
use crate::commands::error_json::ErrorAnswer;
use crate::commands::results::{ChangeOutcome, CompactOutcome, ListResult, WarningRow};

/// The JSON Schema of the output of `--json`: a result on stdout, or an error on stderr.
pub fn schema() -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut all = subcommands::result_schemas(&mut generator);
    all.push(generator.subschema_for::<ErrorAnswer>());
    let definitions = generator.take_definitions(true);
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memdir answer",
        "type": "object",
        "properties": { "v": { "const": 1 } },
        "required": ["v"],
        "anyOf": all,
        "$defs": definitions,
    })
}

/// The result of a command: what the command line needs to know of a result in order to print it. Each result type
/// implements it beside the text that it prints.
pub trait PrintResult: ToJson {
    /// Appends its text for stdout and stderr.
    fn print(&self, printer: &mut Printer);

    /// The warnings that the result carries; see [`PrintResult::has_all_warnings`] for those of the session.
    fn warnings(&self) -> &[WarningRow] {
        &[]
    }

    /// Whether its own warnings contain those of the session.
    fn has_all_warnings(&self) -> bool {
        false
    }

    /// Why the exit status is not 0 although there is a result: it has findings or conflicts, or stopped part-way.
    fn attention(&self) -> Option<Code> {
        None
    }

    /// Whether the command changed the memory.
    fn has_changed(&self) -> bool {
        false
    }

    /// Whether `-q` suppresses the text for stdout.
    fn is_quiet(&self) -> bool {
        false
    }
}

/// Serialisation as JSON, for a trait object.
pub trait ToJson {
    fn to_json(&self) -> String;
}

impl<T: Serialize> ToJson for T {
    fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|_| "{}".into())
    }
}

/// The result of any command.
pub type PrintableResult = Box<dyn PrintResult>;

impl<T: PrintResult + 'static> From<T> for PrintableResult {
    fn from(result: T) -> PrintableResult {
        Box::new(result)
    }
}

impl From<ChangeOutcome> for PrintableResult {
    fn from(outcome: ChangeOutcome) -> PrintableResult {
        match outcome {
            ChangeOutcome::Changed(change) => change.into(),
            ChangeOutcome::Repeated(first) => first.into(),
        }
    }
}

impl From<CompactOutcome> for PrintableResult {
    fn from(outcome: CompactOutcome) -> PrintableResult {
        match outcome {
            CompactOutcome::Compacted(report) => report.into(),
            CompactOutcome::Repeated(first) => first.into(),
        }
    }
}

impl From<ListResult> for PrintableResult {
    fn from(list: ListResult) -> PrintableResult {
        match list {
            ListResult::Files(files) => files.into(),
            ListResult::Outline(outline) => outline.into(),
        }
    }
}
