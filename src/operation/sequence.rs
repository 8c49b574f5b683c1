//! Plans operations one after the other, each on the result of the previous ones, and combines them into one changeset.
//!
//! Operations of a batch refer to the state before the batch. A model with tools gets a result after each operation, so
//! its next operation refers to that state. Pure: never reads a file; the caller adds missing inputs to
//! [`OperationSequence::current`].

use std::collections::HashMap;

use crate::change::{Changeset, FileChange, FileVersion};
use crate::path::MemoryPath;

use super::Snapshot;
use super::squash::squash;

/// The state of a sequence of operations.
#[derive(Debug, Default)]
pub struct OperationSequence {
    /// The memory after the operations so far.
    pub current: Snapshot,
    /// All operations so far as one changeset.
    pub changeset: Changeset,
    texts_before: HashMap<MemoryPath, Option<String>>,
}

impl OperationSequence {
    /// Adds the next operation's changeset, which was planned on [`OperationSequence::current`].
    pub fn push(&mut self, next: Changeset) {
        for file in &next.files {
            self.apply_file_change(file);
        }
        let before = &self.texts_before;
        let text = |path: &MemoryPath| before.get(path).and_then(Option::as_deref);
        self.changeset = squash(std::mem::take(&mut self.changeset), next, text);
    }

    /// A file's text before the first operation that changed it; `None` if it did not exist.
    pub fn text_before(&self, path: &MemoryPath) -> Option<&str> {
        self.texts_before.get(path)?.as_deref()
    }

    /// A file's text after the operations: `None` if none of them changed it, `Some(None)` if it was removed.
    pub fn current_text(&self, path: &MemoryPath) -> Option<Option<&str>> {
        self.texts_before.get(path)?;
        Some(self.current.file(path).ok().flatten().map(|file| file.document.text()))
    }

    pub fn changed_files(&self) -> impl Iterator<Item = &MemoryPath> {
        self.changeset.files.iter().map(|f| &f.path)
    }

    fn apply_file_change(&mut self, file: &FileChange) {
        let (now, before) = (&mut self.current, &mut self.texts_before);
        let old = now.file(&file.path).ok().flatten();
        let mode = file.mode.or(old.map(|o| o.version.mode)).unwrap_or(0o600);
        before.entry(file.path.clone()).or_insert_with(|| old.map(|o| o.document.text().to_owned()));
        let after = file.after.as_ref().map(|bytes| FileVersion::new(bytes.to_vec(), mode));
        if let Ok(names) = now.file_names() {
            let mut names = names.to_vec();
            names.retain(|n| *n != file.path);
            names.extend(after.is_some().then(|| file.path.clone()));
            names.sort();
            now.set_file_names(names);
        }
        if let Some(line) = &file.summary {
            now.insert_last_summary(file.path.clone(), Some(line.clone()));
        }
        now.insert_file(file.path.clone(), Ok(after));
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::super::{MissingInput, PlanContext, PlanOutcome, dialects, plan};
    use super::*;
    use crate::path::PathPrefixes;
    use crate::policy::Policy;

    fn plan_in_sequence(before: &str, operations: &[&str]) -> OperationSequence {
        let path = MemoryPath::new("facts/user.md").unwrap();
        let mut sequence = OperationSequence::default();
        sequence.current.insert_file(path.clone(), Ok(Some(FileVersion::new(before.into(), 0o640))));
        sequence.current.insert_last_summary(path.clone(), None);
        let now = "2026-02-24T10:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(TimeZone::UTC);
        let (policy, prefixes) = (Policy::default(), PathPrefixes::default());
        let context = PlanContext {
            policy: &policy,
            prefixes: &prefixes,
            now: &now,
            actor: "m",
            force: true,
            create: false,
            allow_reserved: false,
        };
        for json in operations {
            let batch = dialects::parse_batch(json).unwrap();
            let changeset = loop {
                match plan(&sequence.current, &batch.operations, &context).unwrap() {
                    PlanOutcome::Ready(changeset) => break *changeset,
                    PlanOutcome::NeedsInput(missing_inputs) => {
                        missing_inputs.into_iter().for_each(|missing_input| match missing_input {
                            MissingInput::File(path) => sequence.current.insert_file(path, Ok(None)),
                            MissingInput::FileNames => sequence.current.set_file_names(vec![path.clone()]),
                            MissingInput::History(of) => sequence.current.insert_history(of, Default::default()),
                            other => panic!("{other:?}"),
                        })
                    }
                }
            };
            sequence.push(changeset);
        }
        sequence
    }

    #[test]
    fn an_operation_sees_what_the_ones_before_it_left() {
        let first = "- a b c\n";
        let ops = [
            r#"{"op":"add","at":"user","text":"d e f"}"#,
            r#"{"op":"update","at":"user","old":"d e f","text":"g h i"}"#,
            r#"{"op":"rm","at":"user","text":"a b c"}"#,
        ];
        let sequence = plan_in_sequence(first, &ops);
        let [file] = &sequence.changeset.files[..] else { panic!("one file") };
        let after = String::from_utf8(file.after.as_ref().unwrap().to_vec()).unwrap();
        assert!(after.ends_with("- g h i\n") && !after.contains("a b c"), "{after}");
        assert!(file.before.as_ref().is_some_and(|b| b.etag == crate::change::Etag::of(first.as_bytes())));
        assert_eq!(sequence.changeset.operations.len(), 3);
        assert_eq!(sequence.changeset.effects.iter().map(|e| e.operation).max(), Some(2));
        assert_eq!(sequence.text_before(&file.path), Some(first));
    }

    #[test]
    fn what_comes_back_to_the_same_bytes_changes_nothing() {
        let first = "# U\n\n- a b c\n- x\n";
        let ops = [r#"{"op":"set","at":"user@2","meta":{"imp":"7"}}"#];
        let once = plan_in_sequence(first, &ops);
        assert_eq!(once.changeset.files.len(), 1);
        let back = [ops[0], r#"{"op":"set","at":"user@2","meta":{"imp":""}}"#];
        assert!(plan_in_sequence(first, &back).changeset.files.is_empty());
    }
}
