//! Changesets made one after another, joined into one that does what they do in turn.
//!
//! Pure: the snapshot of a later one is what the earlier ones leave.

use std::sync::Arc;

use super::snapshot::{History, Past, Snapshot};
use crate::change::{Changeset, FileChange, JournalEdit, Version};
use crate::document::Document;
use crate::path::MemoryPath;
use crate::text::{Splice, compose};

/// One changeset that does what two do, one after the other: `second` was planned on what `first` leaves.
/// `text` gives a file's text before both. A file that reads in the end as before is left out.
pub fn joined<'t>(mut first: Changeset, second: Changeset, text: impl Fn(&MemoryPath) -> Option<&'t str>) -> Changeset {
    let shift = first.operations.len();
    for file in second.files {
        match first.files.iter_mut().find(|f| f.path == file.path) {
            Some(one) => follow(one, file, text(&one.path.clone())),
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

fn follow(one: &mut FileChange, then: FileChange, text: Option<&str>) {
    one.edits = match (text, one.edits.take(), then.edits) {
        (Some(text), Some(a), Some(b)) => {
            let plain = |edits: Vec<JournalEdit>| -> Vec<Splice> {
                edits.into_iter().map(|e| Splice { start: e.start, end: e.start + e.old.len(), new: e.new }).collect()
            };
            let both_ways =
                |s: Splice| Some(JournalEdit { start: s.start, old: text.get(s.start..s.end)?.to_owned(), new: s.new });
            compose(&plain(a), &plain(b)).into_iter().map(both_ways).collect()
        }
        _ => None,
    };
    one.after = then.after;
    one.mode = then.mode.or(one.mode);
    one.summary = then.summary.or(one.summary.take());
}

/// What a changeset would leave, as a snapshot to plan the next one on: its files, and their histories as if it had
/// been made. What it does not touch is asked for again.
pub fn left(changeset: &Changeset, known: &Snapshot) -> Snapshot {
    let mut left = Snapshot::new();
    for file in &changeset.files {
        let mode = file.mode.or(file.before.as_ref().map(|b| b.mode)).unwrap_or(0o600);
        let version = file.after.as_ref().map(|bytes| Version::new(Arc::unwrap_or_clone(bytes.clone()), mode));
        left.learn(file.path.clone(), Ok(version));
        if let Some(line) = &file.summary {
            left.learn_line(file.path.clone(), Some(line.clone()));
        }
        if let Some(history) = made(file, known) {
            left.learn_history(file.path.clone(), history);
        }
    }
    left
}

/// A file's history after a change that memdir makes. Without one, what stood there before is all that is known.
fn made(file: &FileChange, known: &Snapshot) -> Option<History> {
    let after = Document::read(file.after.as_ref()?.to_vec()).ok()?;
    let before = known.file(&file.path).ok().flatten().map(|f| f.document.clone());
    let mut past: Vec<Past> = Vec::new();
    let step = |rev, document| Past { rev, actor: String::new(), at: String::new(), document };
    past.extend(before.map(|document| step(Some(0), document)));
    if let Ok(history) = known.history(&file.path) {
        past.extend(history.left.clone().map(|document| step(None, document)));
        past.extend(history.past.iter().map(|p| step(p.rev, p.document.clone())));
    }
    Some(History { left: Some(after), past })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::written::narrow;

    fn change(before: &str, after: &str) -> Changeset {
        let s = narrow(before, after);
        let edit = JournalEdit { start: s.start, old: before[s.start..s.end].to_owned(), new: s.new };
        let file = FileChange {
            path: MemoryPath::new("facts/user.md").unwrap(),
            before: Some(Version::new(before.into(), 0o600)),
            after: Some(Arc::new(after.as_bytes().to_vec())),
            mode: None,
            edits: Some(vec![edit]),
            moved: None,
            summary: None,
        };
        Changeset { files: vec![file], ..Changeset::default() }
    }

    fn check(texts: [&str; 3], expected: &[(usize, &str, &str)]) {
        let both = joined(change(texts[0], texts[1]), change(texts[1], texts[2]), |_| Some(texts[0]));
        let edits: Vec<_> = both.files.iter().flat_map(|f| f.edits.clone().unwrap_or_default()).collect();
        let want: Vec<_> = expected.iter().map(|(at, old, new)| (*at, old.to_string(), new.to_string())).collect();
        assert_eq!(edits.into_iter().map(|e| (e.start, e.old, e.new)).collect::<Vec<_>>(), want, "{texts:?}");
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
