//! A copy of the memory in which planned changes are already applied, so that the next ones are planned on their
//! result.
//!
//! Operations of a batch refer to the state before the batch. A model with tools gets a result after each operation,
//! and a compaction decides after each step what is still over the limit: they plan one changeset after the other, and
//! commit all as one.
//!
//! Pure: never reads a file; the caller adds missing inputs to [`Overlay::current`].

use std::collections::HashMap;
use std::sync::Arc;

use super::inert_metadata::has_metadata_lines;
use super::snapshot::{FileHistory, FileInputs, LoadedFile, PastText, Snapshot};
use super::squash::squash;
use crate::change::{Changeset, FileChange, FileVersion};
use crate::document::{Document, RecordedUpdates};
use crate::path::MemoryPath;

/// The files as they were read, and the changes planned on top of them.
#[derive(Debug, Default)]
pub struct Overlay {
    /// The memory after the changes so far.
    pub current: Snapshot,
    /// All changes so far as one changeset.
    pub changeset: Changeset,
    /// What was read of the files that changes replaced in `current`.
    originals: HashMap<MemoryPath, FileInputs>,
}

impl Overlay {
    /// Applies the next changeset, which was planned on [`Overlay::current`].
    pub fn push(&mut self, next: Changeset) {
        next.files.iter().for_each(|file| self.apply(file));
        let originals = &self.originals;
        let text = |path: &MemoryPath| Some(originals.get(path)?.loaded()?.document.text());
        self.changeset = squash(std::mem::take(&mut self.changeset), next, text);
    }

    /// Replaces all changes by those of an earlier moment: `changeset` is a copy of [`Overlay::changeset`] from then.
    pub fn rollback(&mut self, changeset: Changeset) {
        for (path, original) in self.originals.drain() {
            self.current.list_file(&path, original.loaded().is_some());
            self.current.restore_file_inputs(path, original);
        }
        changeset.files.iter().for_each(|file| self.apply(file));
        self.changeset = changeset;
    }

    /// All changes as one changeset, and the snapshot without them.
    pub fn into_changeset(mut self) -> (Changeset, Snapshot) {
        let changeset = std::mem::take(&mut self.changeset);
        self.rollback(Changeset::default());
        (changeset, self.current)
    }

    /// A file as it was read, before all changes; `None` if it did not exist or was not read.
    pub fn original(&self, path: &MemoryPath) -> Option<&LoadedFile> {
        match self.originals.get(path) {
            Some(original) => original.loaded(),
            None => self.current.file(path).ok().flatten(),
        }
    }

    /// A file's text before the first change of it; `None` if it did not exist or was not changed.
    pub fn text_before(&self, path: &MemoryPath) -> Option<&str> {
        Some(self.originals.get(path)?.loaded()?.document.text())
    }

    /// A file's text after the changes: `None` if none of them changed it, `Some(None)` if it was removed.
    pub fn current_text(&self, path: &MemoryPath) -> Option<Option<&str>> {
        self.originals.get(path)?;
        Some(self.current.file(path).ok().flatten().map(|file| file.document.text()))
    }

    pub fn changed_files(&self) -> impl Iterator<Item = &MemoryPath> {
        self.changeset.files.iter().map(|f| &f.path)
    }

    /// The files of a changeset whose history must be added to [`Overlay::current`] before it is applied: a metadata
    /// line can be inert, and only the history of the text on disk shows that.
    pub fn missing_histories(&self, next: &Changeset) -> Vec<MemoryPath> {
        let is_missing = |path: &&MemoryPath| {
            let file = self.current.file(path).ok().flatten();
            !self.originals.contains_key(*path)
                && file.is_some_and(|file| has_metadata_lines(&file.document))
                && self.current.history(path).is_err()
        };
        next.files.iter().map(|file| &file.path).filter(is_missing).cloned().collect()
    }

    fn apply(&mut self, file: &FileChange) {
        let (current, path) = (&mut self.current, &file.path);
        let original = self.originals.entry(path.clone()).or_insert_with(|| current.take_file_inputs(path));
        let mode = file.mode.or(file.before.as_ref().map(|b| b.mode)).unwrap_or(0o600);
        let after = file.after.as_ref().map(|bytes| FileVersion::new(Arc::unwrap_or_clone(bytes.clone()), mode));
        let after_document = after.as_ref().and_then(|version| Document::from_bytes(version.bytes.to_vec()).ok());
        current.list_file(path, after.is_some());
        current.insert_file(path.clone(), Ok(after));
        if let Some(line) = file.summary.clone().map(Some).or(original.last_summary.clone()) {
            current.insert_last_summary(path.clone(), line);
        }
        if let Some(history) = after_document.and_then(|after| history_after(original, after)) {
            current.insert_history(path.clone(), history);
        }
    }
}

/// A file's history as if the change had been committed; `None` if it can only be read: nothing in the file depends on
/// it, or it was not loaded.
fn history_after(original: &FileInputs, after: Document) -> Option<FileHistory> {
    let before = original.loaded().map(|file| file.document.clone());
    let is_known = original.history.is_some() || !before.as_ref().is_some_and(has_metadata_lines);
    if !is_known || (original.history.is_none() && !has_metadata_lines(&after)) {
        return None;
    }
    let past_text = |rev, document| PastText {
        rev,
        actor: String::new(),
        document,
        updates: RecordedUpdates::default(),
        archived: RecordedUpdates::default(),
        moves: Vec::new(),
    };
    let mut past: Vec<PastText> = before.map(|document| past_text(Some(0), document)).into_iter().collect();
    if let Some(history) = &original.history {
        past.extend(history.last_written.clone().map(|document| past_text(None, document)));
        past.extend(history.past.iter().map(|p| past_text(p.rev, p.document.clone())));
    }
    let searched_from = original.history.as_ref().and_then(|history| history.searched_from);
    Some(FileHistory { last_written: Some(after), past, searched_from })
}

#[cfg(test)]
pub(super) mod tests {
    use jiff::tz::TimeZone;

    use super::super::{MissingInput, Operation, PlanContext, PlanOutcome, dialects, plan};
    use super::*;
    use crate::code::Rejection;
    use crate::path::PathPrefixes;
    use crate::policy::Policy;

    /// Plans operations on the files of an overlay. `names` lists the files; what else the planner asks for is not there.
    pub fn plan_on(
        overlay: &mut Overlay,
        names: &[MemoryPath],
        operations: &[Operation],
    ) -> Result<Changeset, Vec<Rejection>> {
        let now = "2026-02-24T10:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(TimeZone::UTC);
        let (policy, prefixes) = (Policy::default(), PathPrefixes::default());
        let context = PlanContext {
            policy: &policy,
            prefixes: &prefixes,
            now: &now,
            actor: "m",
            force: true,
            create: true,
            allow_reserved: false,
            links: None,
        };
        loop {
            let inputs = match plan(&overlay.current, operations, &context)? {
                PlanOutcome::Ready(changeset) => return Ok(*changeset),
                PlanOutcome::NeedsInput(inputs) => inputs,
            };
            inputs.into_iter().for_each(|input| match input {
                MissingInput::File(path) => overlay.current.insert_file(path, Ok(None)),
                MissingInput::TopFolder(name) => overlay.current.insert_top_folder(name, false),
                MissingInput::FileNames => overlay.current.set_file_names(names.to_vec()),
                MissingInput::History(of) => overlay.current.insert_history(of, Default::default()),
                MissingInput::LastSummary(of) => overlay.current.insert_last_summary(of, None),
                MissingInput::Backlinks(to) => overlay.current.insert_backlinks(to, Vec::new()),
                MissingInput::RelatedFiles { text, .. } => overlay.current.insert_related_files(text, Vec::new()),
                MissingInput::IdHolders(id) => overlay.current.insert_id_holders(id, Vec::new()),
            });
        }
    }

    fn plan_one_by_one(before: &str, operations: &[&str]) -> Overlay {
        let path = MemoryPath::new("facts/user.md").unwrap();
        let mut overlay = Overlay::default();
        overlay.current.insert_file(path.clone(), Ok(Some(FileVersion::new(before.into(), 0o640))));
        for json in operations {
            let batch = dialects::parse_batch(json).unwrap();
            let changeset = plan_on(&mut overlay, std::slice::from_ref(&path), &batch.operations).unwrap();
            overlay.push(changeset);
        }
        overlay
    }

    #[test]
    fn an_operation_sees_what_the_ones_before_it_left() {
        let first = "- a b c\n";
        let ops = [
            r#"{"op":"add","at":"user","text":"d e f"}"#,
            r#"{"op":"update","at":"user","old":"d e f","text":"g h i"}"#,
            r#"{"op":"rm","at":"user","text":"a b c"}"#,
        ];
        let overlay = plan_one_by_one(first, &ops);
        let [file] = &overlay.changeset.files[..] else { panic!("one file") };
        let after = String::from_utf8(file.after.as_ref().unwrap().to_vec()).unwrap();
        assert!(after.ends_with("- g h i\n") && !after.contains("a b c"), "{after}");
        assert!(file.before.as_ref().is_some_and(|b| b.etag == crate::change::Etag::of(first.as_bytes())));
        assert_eq!(overlay.changeset.operations.len(), 3);
        assert_eq!(overlay.changeset.effects.iter().map(|e| e.operation).max(), Some(2));
        assert_eq!(overlay.text_before(&file.path), Some(first));
    }

    #[test]
    fn what_comes_back_to_the_same_bytes_changes_nothing() {
        let first = "# U\n\n- a b c\n- x\n";
        let ops = [r#"{"op":"set","at":"user@2","meta":{"imp":"7"}}"#];
        let once = plan_one_by_one(first, &ops);
        assert_eq!(once.changeset.files.len(), 1);
        let back = [ops[0], r#"{"op":"set","at":"user@2","meta":{"imp":""}}"#];
        assert!(plan_one_by_one(first, &back).changeset.files.is_empty());
    }
    #[test]
    fn a_rollback_restores_what_was_read() {
        let first = "- a b c\n";
        let add = |text: &str| format!(r#"{{"op":"add","at":"user","text":"{text}"}}"#);
        let mut overlay = plan_one_by_one(first, &[&add("d e f")]);
        let (path, checkpoint) = (MemoryPath::new("facts/user.md").unwrap(), overlay.changeset.clone());
        let text = |overlay: &Overlay| overlay.current_text(&path).flatten().map(str::to_owned);
        let then = text(&overlay).unwrap();
        let file = FileChange { after: None, before: None, ..checkpoint.files[0].clone() };
        overlay.push(Changeset { files: vec![file], ..Changeset::default() });
        assert_eq!((text(&overlay), overlay.text_before(&path)), (None, Some(first)));
        overlay.rollback(checkpoint);
        assert_eq!(text(&overlay), Some(then));
        let (changeset, base) = overlay.into_changeset();
        assert_eq!(changeset.files.len(), 1);
        assert_eq!(base.file(&path).unwrap().map(|file| file.document.text()), Some(first));
    }
}
