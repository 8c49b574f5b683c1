//! Results and errors of a command that ran in another layer, with the layer's name in front of paths and revisions, so
//! that they can be given to the next command.
//!
//! Never changes the texts of a memory.

use serde_json::{Map, Value};

use super::Error;
use super::results::{
    ChangeResult, ChangedFile, CheckReport, CompactReport, InboxList, LogResult, LogRow, ResolveResult,
};
use crate::code::{Rejection, SuggestedCommand};
use crate::path::SourceAddress;

/// The values of errors and warnings that are addresses, or ids that commands take.
const ADDRESS_KEYS: [&str; 6] = ["address", "path", "near", "moved_to", "archive", "proposal"];

fn named(layer: &str, address: &str) -> String {
    SourceAddress { source: layer, address }.to_string()
}

/// Names the layer in the paths of these files.
pub(super) fn name_in_files(files: &mut [ChangedFile], layer: &str) {
    for file in files {
        file.path = named(layer, &file.path);
        let destinations = std::iter::once(&mut file.to).chain(file.effects.iter_mut().map(|effect| &mut effect.to));
        destinations.flatten().for_each(|to| *to = named(layer, to));
    }
}

/// Names the layer in the paths of a change, in the operations and the diff of a dry run, and in the revision that it
/// undid or repeated.
pub(super) fn name_layer(result: &mut ChangeResult, layer: &str) {
    result.diff = result.diff.take().map(|diff| name_in_diff(&diff, layer));
    name_in_files(&mut result.files, layer);
    for operation in result.operations.iter_mut().flatten() {
        for key in ["at", "to"] {
            if let Some(Value::String(address)) = operation.get_mut(key) {
                *address = named(layer, address);
            }
        }
    }
    for rev in [&mut result.undone, &mut result.redone].into_iter().flatten() {
        *rev = named(layer, rev);
    }
    for warning in &mut result.warnings {
        warning.message = in_layer(layer, &warning.message);
        name_in_details(&mut warning.details, layer);
    }
}

/// Names the layer in the file names of a unified diff.
fn name_in_diff(diff: &str, layer: &str) -> String {
    let lines: Vec<&str> = diff.split_inclusive('\n').collect();
    let starts = |at: usize, start: &str| lines.get(at).is_some_and(|line| line.starts_with(start));
    // No line of a hunk starts with `@@`.
    let is_head = |at: usize| starts(at, "--- ") && starts(at + 1, "+++ ") && starts(at + 2, "@@ ");
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        let named_side = match (is_head(at), at > 0 && is_head(at - 1)) {
            (true, _) => line.strip_prefix("--- a/").map(|path| format!("--- a/{}", named(layer, path))),
            (_, true) => line.strip_prefix("+++ b/").map(|path| format!("+++ b/{}", named(layer, path))),
            _ => None,
        };
        out.push_str(named_side.as_deref().unwrap_or(line));
    }
    out
}

/// Names the layer in the rows of its log.
pub(super) fn name_layer_in_log(mut log: LogResult, layer: &str) -> LogResult {
    log.entries = log.entries.into_iter().map(|row| name_layer_in_row(row, layer)).collect();
    log
}

/// Names the layer in a row of its log.
pub(super) fn name_layer_in_row(mut row: LogRow, layer: &str) -> LogRow {
    row.rev = row.rev.map(|rev| named(layer, &rev));
    row.files = row.files.iter().map(|path| named(layer, path)).collect();
    row.items.iter_mut().for_each(|item| item.at = named(layer, &item.at));
    if let Some(step) = &mut row.bullet {
        step.path = named(layer, &step.path);
        step.moved_from.iter_mut().for_each(|from| *from = named(layer, from));
    }
    row.superseded.iter_mut().for_each(|bullet| bullet.path = named(layer, &bullet.path));
    name_in_files(&mut row.effects, layer);
    row
}

/// Names the layer in the findings of a check.
pub(super) fn name_layer_in_report(mut report: CheckReport, layer: &str) -> CheckReport {
    for finding in &mut report.findings {
        finding.path = named(layer, &finding.path);
        finding.suggestions.iter_mut().for_each(|command| name_in_command(command, layer));
    }
    for anchor in report.anchors.iter_mut().flatten() {
        anchor.path = named(layer, &anchor.path);
        anchor.address = named(layer, &anchor.address);
    }
    report.fixed.iter_mut().for_each(|fixed| name_layer(fixed, layer));
    report
}

/// Names the layer in its proposals.
pub(super) fn name_layer_in_inbox(mut list: InboxList, layer: &str) -> InboxList {
    for row in &mut list.proposals {
        row.id = named(layer, &row.id);
        row.path = named(layer, &row.path);
        row.problem = row.problem.take().map(|problem| named(layer, &problem));
    }
    let ids = [&mut list.accepted, &mut list.rejected, &mut list.merged, &mut list.rescued];
    ids.into_iter().flatten().for_each(|id| *id = named(layer, id));
    let commits = list.branch.iter_mut().flat_map(|branch| &mut branch.commits);
    commits.for_each(|commit| commit.proposal = named(layer, &commit.proposal));
    name_in_files(&mut list.files, layer);
    list
}

/// Names the layer in what `compact` did there.
pub(super) fn name_layer_in_compaction(mut report: CompactReport, layer: &str) -> CompactReport {
    name_layer(&mut report.change, layer);
    for decision in report.places.iter_mut().flat_map(|scope| &mut scope.decisions) {
        decision.target = named(layer, &decision.target);
        decision.absorbs.iter_mut().for_each(|address| *address = named(layer, address));
    }
    report.places.iter_mut().for_each(|scope| scope.address = named(layer, &scope.address));
    report
}

/// Names the layer in the files whose conflicts were resolved there, or are left.
pub(super) fn name_layer_in_resolved(mut result: ResolveResult, layer: &str) -> ResolveResult {
    name_layer(&mut result.change, layer);
    result.left.iter_mut().for_each(|file| file.path = named(layer, &file.path));
    result.undecided.iter_mut().for_each(|file| file.path = named(layer, &file.path));
    result
}

/// An error of a command in a layer: the message says which, and the commands to try name it.
pub(super) fn error_in_layer(mut error: Error, layer: &str) -> Error {
    error.rejections = error.rejections.into_iter().map(|rejection| rejection_in_layer(rejection, layer)).collect();
    error
}

/// [`error_in_layer`] for one rejection.
pub(super) fn rejection_in_layer(rejection: Rejection, layer: &str) -> Rejection {
    let message = in_layer(layer, &rejection.message);
    named_rejection(rejection, message, layer)
}

/// An error of reading a shared scope: as [`rejection_in_layer`].
pub(super) fn rejection_in_shared_scope(rejection: Rejection, scope: &str) -> Rejection {
    let message = format!("in the scope {scope}: {}", rejection.message);
    named_rejection(rejection, message, scope)
}

fn named_rejection(mut rejection: Rejection, message: String, source: &str) -> Rejection {
    rejection.message = match rejection.details.get("proposal").and_then(Value::as_str) {
        Some(id) => replace_word(&message, id, &named(source, id)),
        None => message,
    };
    let suggested = rejection.suggestions.first().and_then(|command| command.operands.first());
    if let (Some(hint), Some(address)) = (&mut rejection.hint, suggested) {
        *hint = replace_word(hint, address, &named(source, address));
    }
    name_in_details(&mut rejection.details, source);
    rejection.suggestions.iter_mut().for_each(|command| name_in_command(command, source));
    rejection
}

/// Replaces `word` in a text where it is no part of a longer word or address.
fn replace_word(text: &str, word: &str, replacement: &str) -> String {
    let is_inside = |c: char| c.is_alphanumeric() || "/-_.@#:".contains(c);
    let (mut replaced, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(word).filter(|_| !word.is_empty()) {
        let is_part = before.chars().next_back().or(replaced.chars().next_back()).is_some_and(is_inside)
            || after.chars().next().is_some_and(|c| c.is_alphanumeric() || "/-_@#:".contains(c));
        replaced.push_str(before);
        replaced.push_str(if is_part { word } else { replacement });
        rest = after;
    }
    replaced + rest
}

fn in_layer(layer: &str, sentence: &str) -> String {
    format!("in the layer {layer}: {sentence}")
}

/// Names the layer in the addresses among the values of an error or a warning, so that a candidate can be given to the
/// next command.
fn name_in_details(details: &mut Map<String, Value>, layer: &str) {
    for (key, value) in details {
        match value {
            Value::String(address) if ADDRESS_KEYS.contains(&key.as_str()) => *address = named(layer, address),
            Value::Object(inner) => name_in_details(inner, layer),
            Value::Array(rows) => {
                rows.iter_mut().filter_map(Value::as_object_mut).for_each(|row| name_in_details(row, layer));
            }
            _ => {}
        }
    }
}

/// The first operand of a command is an address or a revision, if it has one.
fn name_in_command(command: &mut SuggestedCommand, layer: &str) {
    match command.operands.first_mut() {
        Some(operand) => *operand = named(layer, operand),
        None if command.subcommand == ["list"] || command.subcommand == ["inbox"] => {
            command.operands.push(format!("{layer}:"))
        }
        None => {}
    }
}
