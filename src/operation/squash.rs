//! Combines consecutive changesets into one.
//!
//! Pure. Never plans: each changeset was planned on the result of the one before it.

use crate::change::{Changeset, FileChange, JournalEdit};
use crate::path::MemoryPath;
use crate::text::{Splice, compose};

/// Combines two changesets into one with the same result; `second` was planned on the result of `first`.
/// `text` returns a file's text before both. A file with the same bytes before and after is left out.
pub fn squash<'t>(mut first: Changeset, second: Changeset, text: impl Fn(&MemoryPath) -> Option<&'t str>) -> Changeset {
    let shift = first.operations.len();
    for file in second.files {
        match first.files.iter_mut().find(|f| f.path == file.path) {
            Some(earlier) => squash_file(earlier, file, text(&earlier.path.clone())),
            None => first.files.push(file),
        }
    }
    first.files.retain(|f| match (&f.before, &f.after) {
        (None, None) => false,
        (Some(before), Some(after)) => f.mode.is_some() || before.etag != crate::change::Etag::of(after),
        _ => true,
    });
    first.effects.extend(second.effects.into_iter().map(|mut effect| {
        effect.operation += shift;
        effect
    }));
    first.warnings.extend(second.warnings);
    first.operations.extend(second.operations);
    first.applied += second.applied;
    first.forget |= second.forget;
    first
}

fn squash_file(earlier: &mut FileChange, later: FileChange, text: Option<&str>) {
    earlier.edits = match (text, earlier.edits.take(), later.edits) {
        (Some(text), Some(a), Some(b)) => {
            let to_splices = |edits: Vec<JournalEdit>| -> Vec<Splice> {
                edits.into_iter().map(|e| Splice { start: e.start, end: e.start + e.old.len(), new: e.new }).collect()
            };
            let to_journal_edit =
                |s: Splice| Some(JournalEdit { start: s.start, old: text.get(s.start..s.end)?.to_owned(), new: s.new });
            compose(&to_splices(a), &to_splices(b)).into_iter().map(to_journal_edit).collect()
        }
        _ => None,
    };
    earlier.after = later.after;
    earlier.mode = later.mode.or(earlier.mode);
    earlier.summary = later.summary.or(earlier.summary.take());
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::change::FileVersion;
    use crate::operation::file_change::minimal_splice;

    fn change(before: &str, after: &str) -> Changeset {
        let s = minimal_splice(before, after);
        let edit = JournalEdit { start: s.start, old: before[s.start..s.end].to_owned(), new: s.new };
        let file = FileChange {
            path: MemoryPath::new("facts/user.md").unwrap(),
            before: Some(FileVersion::new(before.into(), 0o600)),
            after: Some(Arc::new(after.as_bytes().to_vec())),
            mode: None,
            edits: Some(vec![edit]),
            moved: None,
            summary: None,
        };
        Changeset { files: vec![file], ..Changeset::default() }
    }

    fn check(texts: [&str; 3], expected: &[(usize, &str, &str)]) {
        let squashed = squash(change(texts[0], texts[1]), change(texts[1], texts[2]), |_| Some(texts[0]));
        let edits: Vec<_> = squashed.files.iter().flat_map(|f| f.edits.clone().unwrap_or_default()).collect();
        let missing_input: Vec<_> =
            expected.iter().map(|(at, old, new)| (*at, old.to_string(), new.to_string())).collect();
        assert_eq!(edits.into_iter().map(|e| (e.start, e.old, e.new)).collect::<Vec<_>>(), missing_input, "{texts:?}");
    }

    #[test]
    fn two_changes_of_a_file_are_one_with_edits_on_the_first_text() {
        check(["- a\n", "- a\n- b\n", "- b\n"], &[(2, "a\n", "b\n")]);
        check(["- a\n- b\n", "- a\n- b\n- c\n", "- b\n- c\n"], &[(2, "a\n- ", ""), (8, "", "- c\n")]);
    }

    #[test]
    fn a_file_that_reads_as_before_is_left_out() {
        check(["- a\n", "- a\n- b\n", "- a\n"], &[]);
    }
}
