//! Names of files that some file systems cannot store side by side, the copies that sync tools leave, and what no command
//! shows in `inbox/`.

use std::collections::HashMap;

use super::finding;
use crate::code::Code;
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::path::MemoryPath;
use crate::reflect::inbox_item::id_of;
use crate::store::{FoundFile, is_rescue_path};

/// What is wrong with the names of the selected files (all, if none is selected) beside each other.
pub(super) fn name_findings(all: &[FoundFile], selected: &[MemoryPath]) -> Vec<CheckFinding> {
    let mut findings = Vec::new();
    let mut seen: HashMap<String, &MemoryPath> = HashMap::new();
    for file in all.iter().filter(|f| selected.is_empty() || selected.contains(&f.path)) {
        if let Some(other) = seen.insert(file.path.case_folded(), &file.path) {
            let text = format!(
                "differs from {other} only in letter case or Unicode form; some file systems cannot store both"
            );
            findings.push(finding(&file.path, 0, 1, Code::Exists, FindingLevel::Error, text));
        }
        let has_original = |stem: &str| {
            let parent = if file.path.parent().is_empty() { String::new() } else { format!("{}/", file.path.parent()) };
            all.iter().any(|other| *other.path.as_str() == format!("{parent}{stem}.md"))
        };
        if is_conflict_copy(file.path.stem(), &has_original) {
            let text = "looks like a conflict copy made by a sync tool: merge it manually".to_owned();
            findings.push(finding(&file.path, 0, 1, Code::ConflictCopy, FindingLevel::Warning, text));
        }
    }
    findings
}

/// The selected files in `inbox/` (all, if none is selected) that hold neither a proposal nor a rescued text, by their
/// names: no command shows them.
pub(super) fn other_inbox_files(all: &[FoundFile], selected: &[MemoryPath]) -> Vec<CheckFinding> {
    let is_other = |file: &&FoundFile| {
        let path = &file.path;
        let is_known = id_of(path).is_some() || is_rescue_path(path);
        path.folder() == Some("inbox") && !is_known && (selected.is_empty() || selected.contains(path))
    };
    let text = "is no proposal: `memdir inbox` does not list it; move it elsewhere or delete it";
    let at = |file: &FoundFile| finding(&file.path, 0, 1, Code::NotAProposal, FindingLevel::Warning, text.to_owned());
    all.iter().filter(is_other).map(at).collect()
}

/// Whether a sync tool names its copies so: `(Ana's conflicted copy 2026-02-24)` (Dropbox, Nextcloud, Obsidian),
/// `(Case Conflict)` (Dropbox), `.sync-conflict-20260224-101010-ABCDEFG` (Syncthing), `_conflict-20260224-101010`
/// (ownCloud), `(SFConflict ana 2026-02-24)` (Seafile), and beside the original `(1)` (Google Drive) or ` 2` (iCloud).
/// OneDrive adds the computer's name, which cannot be recognised.
fn is_conflict_copy(stem: &str, has_original: &dyn Fn(&str) -> bool) -> bool {
    let low = stem.to_lowercase();
    let marks =
        ["conflicted copy", ".sync-conflict-", "_conflict-", "(sfconflict ", "(case conflict", "encoding conflict)"];
    let is_count = |n: &str| (1..=2).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit());
    let in_brackets = stem.strip_suffix(')').and_then(|s| s.rsplit_once(" ("));
    let counted = in_brackets.or_else(|| stem.rsplit_once(' ')).filter(|(_, n)| is_count(n));
    marks.iter().any(|mark| low.contains(mark)) || counted.is_some_and(|(original, _)| has_original(original))
}
