//! Findings about metadata values that are not valid: they count as absent.

use super::{LineIndex, finding};
use crate::code::{Code, quote_short};
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::document::meta_keys::MetaType;
use crate::document::{Document, MetaKey};
use crate::path::MemoryPath;

/// The values of a file that do not count, each at its metadata line, with what is expected. Globs have findings of their
/// own.
pub fn invalid_values(path: &MemoryPath, document: &Document) -> Vec<CheckFinding> {
    let (mut found, lines) = (Vec::new(), LineIndex::of(document.text()));
    for meta in document.meta_lines() {
        let Some(bullet) = meta.bullet.map(|bullet| bullet as usize) else { continue };
        for (key, value) in document.bullet_meta(bullet).unwrap_or_default().0 {
            let Some(spec) = MetaKey::from_name(&key).map(MetaKey::spec) else { continue };
            if spec.value == MetaType::Globs || spec.value.accepts(&value) {
                continue;
            }
            let (handle, value, expected) = (document.handle_name(bullet), quote_short(&value), spec.value.describe());
            let message = format!("@{handle}: {key}={value} is not valid and does not count: expected {expected}");
            let line = lines.line(meta.line.start as usize);
            found.push(finding(path, line, 1, Code::InvalidMetadata, FindingLevel::Warning, message));
        }
    }
    found
}
