//! An overlay of planned changes: what the files would contain after each step.
//!
//! Reads from the store what planning requires; never writes.

use std::collections::HashSet;

use super::super::change::plan_in_context;
use super::super::fetch::fetch;
use super::super::{Error, Session};
use crate::change::{Changeset, Etag};
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::operation::squash::{apply_to_snapshot, squash};
use crate::operation::{MissingInput, Operation, PlanContext, PlanStop, Snapshot, inert_metadata};
use crate::path::MemoryPath;
use crate::policy::Policy;
use crate::reflect::compaction::{CompactionStep, check_conservation, current_operations, is_current};

/// The files on disk and the changes planned on top of them.
pub struct Overlay<'a> {
    session: &'a Session,
    /// The policy without evictions: `compact` decides itself what is removed.
    policy: Policy,
    base: Snapshot,
    overlaid: Option<Snapshot>,
    changeset: Changeset,
}

/// Why a step was not applied.
pub enum StepError {
    /// The items it refers to have changed.
    ItemsChanged,
    /// Planning failed.
    PlanningFailed(Error),
    /// It would change something that it does not name.
    SideEffects(String),
}

impl StepError {
    /// The reason, for the model.
    pub fn message(&self) -> String {
        match self {
            StepError::ItemsChanged => "the items have changed".into(),
            StepError::PlanningFailed(failure) => {
                failure.rejections.first().map(|r| r.message.clone()).unwrap_or_default()
            }
            StepError::SideEffects(why) => why.clone(),
        }
    }

    /// The reason, for the user: eviction by age failed.
    pub fn into_rejection(self, path: &MemoryPath) -> Rejection {
        match self {
            StepError::PlanningFailed(Error { mut rejections, .. }) if !rejections.is_empty() => {
                rejections.swap_remove(0)
            }
            other => Rejection::new(Code::LimitReached, format!("{path} could not be compacted: {}", other.message()))
                .hint("remove or archive something manually"),
        }
    }
}

impl<'a> Overlay<'a> {
    pub fn new(session: &'a Session) -> Overlay<'a> {
        let policy = session.policy.policy.without_eviction();
        Overlay { session, policy, base: Snapshot::new(), overlaid: None, changeset: Changeset::default() }
    }

    fn current(&mut self) -> &mut Snapshot {
        self.overlaid.as_mut().unwrap_or(&mut self.base)
    }

    /// Plans operations on the current state of the overlay.
    pub fn plan(&mut self, operations: &[Operation], force: bool, create: bool) -> Result<Changeset, Error> {
        let session = self.session;
        let policy = self.policy.clone();
        let context = PlanContext {
            policy: &policy,
            prefixes: &session.prefixes,
            now: &session.now,
            actor: &session.actor,
            force,
            create,
            allow_reserved: false,
        };
        plan_in_context(session, self.current(), operations, &context)
    }

    /// Adds a planned change to the overlay.
    pub fn accept(&mut self, changeset: Changeset) -> Result<(), Rejection> {
        // A metadata line without effect can pin a bullet, and only the journal shows that. Load it before the next
        // step is planned.
        for file in &changeset.files {
            let has_inert_lines = self
                .base
                .file(&file.path)
                .ok()
                .flatten()
                .is_some_and(|f| inert_metadata::has_metadata_lines(&f.document));
            if has_inert_lines && self.base.history(&file.path).is_err() {
                fetch(&self.session.store, MissingInput::History(file.path.clone()), &mut self.base)?;
            }
        }
        let base = &self.base;
        let text = |path: &MemoryPath| base.file(path).ok().flatten().map(|f| f.document.text());
        self.changeset = squash(std::mem::take(&mut self.changeset), changeset, text);
        self.overlaid = Some(apply_to_snapshot(&self.changeset, &self.base));
        Ok(())
    }

    /// Applies one step, if all its items exist and nothing else would change.
    pub fn apply_step(&mut self, step: &CompactionStep) -> Result<(), StepError> {
        let before = match self.document(&step.path) {
            Ok(Some(document)) if is_current(step, &document) => document,
            _ => return Err(StepError::ItemsChanged),
        };
        let changeset =
            self.plan(&current_operations(step, &before), false, false).map_err(StepError::PlanningFailed)?;
        let file = changeset.files.iter().find(|f| f.path == step.path);
        let after = file.and_then(|f| Document::from_bytes(f.after.as_ref()?.to_vec()).ok());
        let Some(after) = after else { return Err(StepError::SideEffects("it changes nothing".into())) };
        check_conservation(step, &before, &after).map_err(StepError::SideEffects)?;
        self.accept(changeset).map_err(|r| StepError::PlanningFailed(r.into()))
    }

    /// The current text of a file; `None` if it does not exist.
    pub fn document(&mut self, path: &MemoryPath) -> Result<Option<Document>, Rejection> {
        let store = &self.session.store;
        let snapshot = self.overlaid.as_mut().unwrap_or(&mut self.base);
        loop {
            match snapshot.file(path) {
                Ok(file) => return Ok(file.map(|f| f.document.clone())),
                Err(PlanStop::Rejected(why)) => return Err(*why),
                Err(PlanStop::NeedsInput(input)) => fetch(store, input, snapshot)?,
            }
        }
    }

    /// The etag of the file on disk.
    pub fn etag(&mut self, path: &MemoryPath) -> Result<Option<Etag>, Rejection> {
        self.document(path)?;
        Ok(self.base.file(path).ok().flatten().map(|f| f.version.etag))
    }

    /// The text of the file on disk, if it has been read.
    pub fn document_on_disk(&self, path: &MemoryPath) -> Option<&Document> {
        self.base.file(path).ok().flatten().map(|f| &f.document)
    }

    /// Indices of the bullets whose metadata line has no effect.
    pub fn inert_bullets(&mut self, path: &MemoryPath, document: &Document) -> Result<Vec<usize>, Rejection> {
        let store = &self.session.store;
        let snapshot = self.overlaid.as_mut().unwrap_or(&mut self.base);
        loop {
            match inert_metadata::inert_bullets(document, path, snapshot) {
                Ok(found) => return Ok(found),
                Err(PlanStop::Rejected(why)) => return Err(*why),
                Err(PlanStop::NeedsInput(input)) => fetch(store, input, snapshot)?,
            }
        }
    }

    /// The files changed so far, sorted.
    pub fn changed_files(&self) -> Vec<MemoryPath> {
        let paths: HashSet<&MemoryPath> = self.changeset.files.iter().map(|f| &f.path).collect();
        let mut all: Vec<MemoryPath> = paths.into_iter().cloned().collect();
        all.sort();
        all
    }

    /// A snapshot of the overlay, for `rollback`.
    pub fn checkpoint(&self) -> Changeset {
        self.changeset.clone()
    }

    /// Discards everything planned after the snapshot.
    pub fn rollback(&mut self, checkpoint: Changeset) {
        self.changeset = checkpoint;
        self.overlaid = match self.changeset.files.is_empty() {
            true => None,
            false => Some(apply_to_snapshot(&self.changeset, &self.base)),
        };
    }

    /// Reads all changed files from disk, as the diff of a dry run needs them.
    pub fn load_changed_files(&mut self) -> Result<(), Rejection> {
        for path in self.changed_files() {
            if let Err(PlanStop::NeedsInput(input)) = self.base.file(&path) {
                fetch(&self.session.store, input, &mut self.base)?;
            }
        }
        Ok(())
    }

    /// Everything planned, as one changeset, and the snapshot it is based on.
    pub fn into_changeset(self) -> (Changeset, Snapshot) {
        (self.changeset, self.base)
    }
}
