//! Findings about `MEMORY.md` of an agent's memory folder: lines of files that are gone, files without a line, and what
//! the host would not read.
//!
//! Never writes: the fix is an ordinary write of the completed index.

use std::collections::HashSet;

use super::{LineIndex, finding, fix_operation};
use crate::code::{Code, Rejection};
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::commands::{Session, agent_index};
use crate::document::Document;
use crate::document::memory_index::{index_entries, is_memory_index};
use crate::operation::memory_index::index_path;
use crate::operation::{Action, Operation, Target};
use crate::store::FoundFile;

/// The findings about the index, and the operation that completes it; nothing if the memory has none. `all` holds every
/// file of the memory.
pub(super) fn index_findings(
    session: &Session,
    all: &[FoundFile],
) -> Result<(Vec<CheckFinding>, Option<Operation>), Rejection> {
    let none = (Vec::new(), None);
    let Some(path) = index_path().filter(|path| all.iter().any(|file| file.path == *path)) else { return Ok(none) };
    let Some(version) = session.store.read(&path)? else { return Ok(none) };
    let Some(text) = std::str::from_utf8(&version.bytes).ok().filter(|text| is_memory_index(&path, text)) else {
        return Ok(none);
    };
    if Document::parse(text).conflict_marker_line().is_some() {
        return Ok(none);
    }
    let complete = agent_index::completed(session, text, all);
    if complete == text {
        return Ok(none);
    }
    let targets = |text: &str| index_entries(text).into_iter().map(|entry| entry.target).collect::<HashSet<_>>();
    let (present, wanted) = (targets(text), targets(&complete));
    let warning = |line, text: String| {
        let found = finding(&path, line, 1, Code::StaleIndex, FindingLevel::Warning, text);
        CheckFinding { fixable: true, ..found }
    };
    let (mut findings, lines) = (Vec::new(), LineIndex::of(text));
    for entry in index_entries(text).iter().filter(|entry| !wanted.contains(&entry.target)) {
        let line = lines.line(entry.range.start);
        let target = &entry.target;
        findings.push(if all.iter().any(|file| file.path.as_str() == target) {
            warning(line, format!("the index is too long for its host with the line of {target}"))
        } else {
            warning(line, format!("the index has a line for {target}, which does not exist"))
        });
    }
    let mut missing: Vec<&String> = wanted.difference(&present).collect();
    missing.sort();
    findings.extend(missing.iter().map(|target| warning(0, format!("the index has no line for {target}"))));
    let write = Action::Write { at: Target::Address(path.to_string()), text: complete, create: false };
    let fix = Operation { if_match: Some(version.etag.hex()), ..fix_operation(write) };
    Ok((findings, Some(fix)))
}
