//! Line by line: for what has lines and no structure, and for whole texts that cannot be understood.
//!
//! Git's own kind of merge, by a library that agrees with git byte for byte where it was compared.

use similar::{MergeResolution, TextMerge};

use super::part::Part;

/// Merges three texts by lines.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Vec<Part> {
    let merged = TextMerge::from_lines(base, ours, theirs);
    let mut out: Vec<Part> = Vec::new();
    for region in merged.regions() {
        let base = || region.base_range().filter_map(|i| merged.base_line(i)).collect::<String>();
        let ours = || region.ours_range().filter_map(|i| merged.ours_line(i)).collect::<String>();
        let theirs = || region.theirs_range().filter_map(|i| merged.theirs_line(i)).collect::<String>();
        let text = match region.resolution() {
            MergeResolution::Conflict => {
                out.push(Part::Clash { base: base(), ours: ours(), theirs: theirs() });
                continue;
            }
            MergeResolution::Theirs => theirs(),
            MergeResolution::Unchanged => base(),
            _ => ours(),
        };
        match out.last_mut() {
            Some(Part::Text(last)) => last.push_str(&text),
            _ => out.push(Part::Text(text)),
        }
    }
    out
}
