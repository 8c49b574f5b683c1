//! Results and errors of a command that ran in another layer, with the layer's name in front of paths and revisions, so
//! that they can be given to the next command.
//!
//! Never changes the texts of a memory.

use super::Error;
use super::answer::{ChangeResult, ChangedFile, CheckReport, LogResult, LogRow};
use crate::code::Hint;
use crate::path::SourceAddress;

fn named(layer: &str, address: &str) -> String {
    SourceAddress { source: layer, address }.to_string()
}

/// Names the layer in the paths of these files.
pub(super) fn name_in_files(files: &mut [ChangedFile], layer: &str) {
    for file in files {
        file.path = named(layer, &file.path);
        file.to = file.to.as_ref().map(|to| named(layer, to));
    }
}

/// Names the layer in the paths of a change, and in the revision that it undid or repeated.
pub(super) fn name_layer(result: &mut ChangeResult, layer: &str) {
    name_in_files(&mut result.files, layer);
    for rev in [&mut result.undone, &mut result.redone].into_iter().flatten() {
        *rev = named(layer, rev);
    }
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
    name_in_files(&mut row.effects, layer);
    row
}

/// Names the layer in the findings of a check.
pub(super) fn name_layer_in_report(mut report: CheckReport, layer: &str) -> CheckReport {
    for finding in &mut report.findings {
        finding.path = named(layer, &finding.path);
        finding.hints.iter_mut().for_each(|hint| name_in_hint(hint, layer));
    }
    report.anchors.iter_mut().flatten().for_each(|anchor| anchor.path = named(layer, &anchor.path));
    report.fixed.iter_mut().for_each(|fixed| name_layer(fixed, layer));
    report
}

/// An error of a command in a layer: the message says which, and the commands to try name it.
pub(super) fn error_in_layer(mut error: Error, layer: &str) -> Error {
    for rejection in &mut error.rejections {
        rejection.message = format!("in the layer {layer}: {}", rejection.message);
        rejection.hints.iter_mut().for_each(|hint| name_in_hint(hint, layer));
    }
    error
}

/// The first operand of a command is an address or a revision, if it has one.
fn name_in_hint(hint: &mut Hint, layer: &str) {
    match hint.operands.first_mut() {
        Some(operand) => *operand = named(layer, operand),
        None if hint.verb == ["list"] => hint.operands.push(format!("{layer}:")),
        None => {}
    }
}
