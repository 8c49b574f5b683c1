//! Unified diffs, as `git diff` prints them.
//!
//! Never filters: it shows every changed line.

use std::collections::HashSet;

use similar::{ChangeTag, DiffOp, TextDiff};

use crate::change::EffectSign;

/// A file's unified diff with three lines of context; empty if nothing differs.
pub fn unified_diff(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    if before == after {
        return String::new();
    }
    let name = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    let diff = TextDiff::from_lines(old, new);
    let mut unified = diff.unified_diff();
    unified.context_radius(3).header(&name("a", before), &name("b", after));
    unified.to_string()
}

/// The removed (`-`) and added (`+`) lines, without line endings and context.
pub fn line_changes(before: &str, after: &str) -> Vec<(EffectSign, String)> {
    let diff = TextDiff::from_lines(before, after);
    let sign = |tag| match tag {
        ChangeTag::Equal => None,
        ChangeTag::Delete => Some(EffectSign::Removed),
        ChangeTag::Insert => Some(EffectSign::Added),
    };
    let changes = diff.iter_all_changes();
    changes.filter_map(|c| Some((sign(c.tag())?, c.value().trim_end_matches(['\r', '\n']).to_owned()))).collect()
}

/// The 1-based lines of `after` that are not in `before`; a removed line marks the one that follows it.
pub fn changed_line_numbers(before: &str, after: &str) -> HashSet<usize> {
    let mut lines = HashSet::new();
    for op in TextDiff::from_lines(before, after).ops() {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Delete { new_index, .. } => drop(lines.insert(new_index + 1)),
            _ => lines.extend(op.new_range().map(|line| line + 1)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_counted_in_the_new_text() {
        let of = |before, after| {
            let mut lines: Vec<usize> = changed_line_numbers(before, after).into_iter().collect();
            lines.sort_unstable();
            lines
        };
        assert_eq!(of("a\nb\n", "a\nx\nb\ny\n"), [2, 4]);
        assert_eq!(of("a\nb\nc\n", "a\nc\n"), [2]);
        assert!(of("a\n", "a\n").is_empty());
    }

    #[test]
    fn shows_what_git_would_show() {
        assert_eq!(
            unified_diff("facts/a.md", Some("- a\n- b\n"), Some("- a\n- c\n")),
            "--- a/facts/a.md\n+++ b/facts/a.md\n@@ -1,2 +1,2 @@\n - a\n-- b\n+- c\n"
        );
        assert!(unified_diff("a.md", None, Some("x\n")).starts_with("--- /dev/null\n+++ b/a.md\n"));
        assert_eq!(unified_diff("a.md", Some("x"), Some("x")), "");
    }
}
