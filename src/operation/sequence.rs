//! Operations one after the other, each planned on what the ones before it leave, as one changeset in the end.
//!
//! A batch means the state before it; whoever sees an answer after each operation (a model with tools) means the state
//! he was shown. Pure: what planning asks for is fetched by the caller into [`Sequence::now`].

use std::collections::HashMap;

use crate::change::{Changeset, FileChange, Version};
use crate::path::MemoryPath;

use super::Snapshot;
use super::joined::joined;

/// What a sequence has come to.
#[derive(Debug, Default)]
pub struct Sequence {
    /// The memory as the operations so far leave it.
    pub now: Snapshot,
    /// All of them as one changeset.
    pub changeset: Changeset,
    before: HashMap<MemoryPath, Option<String>>,
}

impl Sequence {
    /// Takes the next operation's changeset, planned on [`Sequence::now`].
    pub fn take(&mut self, next: Changeset) {
        for file in &next.files {
            self.learn(file);
        }
        let before = &self.before;
        let text = |path: &MemoryPath| before.get(path).and_then(Option::as_deref);
        self.changeset = joined(std::mem::take(&mut self.changeset), next, text);
    }

    /// A file's text before the first operation that changed it; `None` where it did not exist.
    pub fn text_before(&self, path: &MemoryPath) -> Option<&str> {
        self.before.get(path)?.as_deref()
    }

    /// A file's text as the operations leave it, where one of them changed it; `None` inside where it is gone.
    pub fn text_now(&self, path: &MemoryPath) -> Option<Option<&str>> {
        self.before.get(path)?;
        Some(self.now.file(path).ok().flatten().map(|file| file.document.text()))
    }

    /// The files that were changed.
    pub fn changed(&self) -> impl Iterator<Item = &MemoryPath> {
        self.changeset.files.iter().map(|f| &f.path)
    }

    fn learn(&mut self, file: &FileChange) {
        let (now, before) = (&mut self.now, &mut self.before);
        let old = now.file(&file.path).ok().flatten();
        let mode = file.mode.or(old.map(|o| o.version.mode)).unwrap_or(0o600);
        before.entry(file.path.clone()).or_insert_with(|| old.map(|o| o.document.text().to_owned()));
        let after = file.after.as_ref().map(|bytes| Version::new(bytes.to_vec(), mode));
        if let Ok(names) = now.names() {
            let mut names = names.to_vec();
            names.retain(|n| *n != file.path);
            names.extend(after.is_some().then(|| file.path.clone()));
            names.sort();
            now.learn_names(names);
        }
        if let Some(line) = &file.summary {
            now.learn_line(file.path.clone(), Some(line.clone()));
        }
        now.learn(file.path.clone(), Ok(after));
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::super::{Context, Planned, Want, plan, read};
    use super::*;
    use crate::path::Prefixes;
    use crate::policy::Policy;

    /// Plans operations one after the other on one file.
    fn run(before: &str, operations: &[&str]) -> Sequence {
        let path = MemoryPath::new("facts/user.md").unwrap();
        let mut sequence = Sequence::default();
        sequence.now.learn(path.clone(), Ok(Some(Version::new(before.into(), 0o640))));
        sequence.now.learn_line(path.clone(), None);
        let now = "2026-02-24T10:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(TimeZone::UTC);
        let (policy, prefixes) = (Policy::default(), Prefixes::default());
        let cx = Context {
            policy: &policy,
            prefixes: &prefixes,
            now: &now,
            actor: "m",
            force: true,
            create: false,
            own: false,
        };
        for json in operations {
            let batch = read::batch(json).unwrap();
            let changeset = loop {
                match plan(&sequence.now, &batch.operations, &cx).unwrap() {
                    Planned::Ready(changeset) => break *changeset,
                    Planned::Needs(wants) => wants.into_iter().for_each(|want| match want {
                        Want::File(path) => sequence.now.learn(path, Ok(None)),
                        Want::Names => sequence.now.learn_names(vec![path.clone()]),
                        Want::History(of) => sequence.now.learn_history(of, Default::default()),
                        other => panic!("{other:?}"),
                    }),
                }
            };
            sequence.take(changeset);
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
        let sequence = run(first, &ops);
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
        let once = run(first, &ops);
        assert_eq!(once.changeset.files.len(), 1);
        let back = [ops[0], r#"{"op":"set","at":"user@2","meta":{"imp":""}}"#];
        assert!(run(first, &back).changeset.files.is_empty());
    }
}
