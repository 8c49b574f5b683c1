//! Combines consecutive changesets into one.
//!
//! Pure. Never plans: each changeset was planned on the result of the one before it.

use std::sync::Arc;

use super::snapshot::{FileHistory, PastText, Snapshot};
use crate::change::{Changeset, FileChange, FileVersion, JournalEdit};
use crate::document::Document;
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

/// The snapshot after a changeset, to plan the next one on: its files, and their histories as if it had been
/// committed. Files that it does not change are not in it and are requested again.
pub fn apply_to_snapshot(changeset: &Changeset, base: &Snapshot) -> Snapshot {
    let mut snapshot = Snapshot::new();
    for file in &changeset.files {
        let mode = file.mode.or(file.before.as_ref().map(|b| b.mode)).unwrap_or(0o600);
        let version = file.after.as_ref().map(|bytes| FileVersion::new(Arc::unwrap_or_clone(bytes.clone()), mode));
        snapshot.insert_file(file.path.clone(), Ok(version));
        if let Some(line) = &file.summary {
            snapshot.insert_last_summary(file.path.clone(), Some(line.clone()));
        }
        if let Some(history) = history_after(file, base) {
            snapshot.insert_history(file.path.clone(), history);
        }
    }
    snapshot
}

/// A file's history after a change by memdir. If the snapshot has no history, it consists of the text before the change.
fn history_after(file: &FileChange, base: &Snapshot) -> Option<FileHistory> {
    let after = Document::from_bytes(file.after.as_ref()?.to_vec()).ok()?;
    let before = base.file(&file.path).ok().flatten().map(|f| f.document.clone());
    let mut past: Vec<PastText> = Vec::new();
    let past_text = |rev, document| PastText { rev, actor: String::new(), at: String::new(), document };
    past.extend(before.map(|document| past_text(Some(0), document)));
    if let Ok(history) = base.history(&file.path) {
        past.extend(history.last_written.clone().map(|document| past_text(None, document)));
        past.extend(history.past.iter().map(|p| past_text(p.rev, p.document.clone())));
    }
    Some(FileHistory { last_written: Some(after), past })
}

#[cfg(test)]
mod tests {
    use super::*;
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
