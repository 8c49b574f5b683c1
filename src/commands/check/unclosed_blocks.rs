//! Finds the front matter and the block at the end of a file that nothing closes.
//!
//! Never closes them: where they should end is not known.

use super::finding;
use crate::code::Code;
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::document::{Document, is_front_matter_unclosed};
use crate::path::MemoryPath;

/// What is not closed in a file.
pub fn unclosed_blocks(path: &MemoryPath, document: &Document) -> Vec<CheckFinding> {
    let as_finding = |line, text| finding(path, line, 1, Code::UnclosedBlock, FindingLevel::Warning, text);
    let front = "no line '---' closes the front matter, so its keys are read as text";
    let front = is_front_matter_unclosed(document.text()).then(|| as_finding(1, front.to_owned()));
    let block = document.open_block().map(|open| as_finding(open.line(), open.to_string()));
    front.into_iter().chain(block).collect()
}
