//! Findings about rules for paths (`when=`) with a glob that no path can match.

use super::{LineIndex, finding};
use crate::code::Code;
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::document::{Document, MetaKey};
use crate::path::MemoryPath;
use crate::policy::path_globs::{GlobProblem, glob_problems};

/// The globs of a file that no path can match, each at its metadata line, with the reason and what to write instead.
pub fn unmatchable_globs(path: &MemoryPath, document: &Document) -> Vec<CheckFinding> {
    let (mut found, lines) = (Vec::new(), LineIndex::of(document.text()));
    for meta in document.meta_lines().iter() {
        let Some(bullet) = meta.bullet.map(|bullet| bullet as usize) else { continue };
        let Some(values) = document.bullet_meta(bullet) else { continue };
        let line = lines.line(meta.line.start as usize);
        let handle = document.handle_name(bullet);
        for GlobProblem { glob, reason, hint } in values.raw(MetaKey::When.name()).into_iter().flat_map(glob_problems) {
            let message = format!("@{handle}: when='{glob}' matches no path: {reason}; {hint}");
            found.push(finding(path, line, 1, Code::UnmatchableGlob, FindingLevel::Warning, message));
        }
    }
    found
}
