//! Plans the steps of a compaction on an overlay: what the files would contain after each of them.
//!
//! Reads from the store what planning requires; never writes.

use std::collections::BTreeMap;

use super::super::change::plan_in_context;
use super::super::fetch::{fetch, with_fetches};
use super::super::scope_limits::needed_reductions;
use super::super::{Error, Session};
use crate::change::{Changeset, Etag};
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::operation::limits::SizeLimits;
use crate::operation::overlay::Overlay;
use crate::operation::{MissingInput, Operation, PlanContext, Snapshot, inert_metadata};
use crate::path::MemoryPath;
use crate::policy::Policy;
use crate::reflect::compaction::{CompactionStep, check_conservation, current_operations, is_current};

/// The files on disk and the changes planned on top of them.
pub struct CompactOverlay<'a> {
    session: &'a Session,
    /// The policy without evictions: `compact` decides itself what is removed.
    policy: Policy,
    overlay: Overlay,
}

/// Why a step was not applied.
pub enum StepError {
    /// The items it refers to have changed.
    ItemsChanged,
    /// The planner rejected it.
    PlanningFailed(Error),
    /// The plan would change items that the step does not name.
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
            StepError::SideEffects(reason) => reason.clone(),
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

impl<'a> CompactOverlay<'a> {
    pub fn new(session: &'a Session) -> CompactOverlay<'a> {
        let policy = session.policy.policy.without_eviction();
        CompactOverlay { session, policy, overlay: Overlay::default() }
    }

    /// Plans operations on the current state of the overlay.
    pub fn plan(&mut self, operations: &[Operation], force: bool, create: bool) -> Result<Changeset, Error> {
        let session = self.session;
        let context = PlanContext { policy: &self.policy, force, create, ..session.plan_context() };
        plan_in_context(session, &mut self.overlay.current, operations, &context)
    }

    /// Adds a planned change to the overlay.
    pub fn accept(&mut self, changeset: Changeset) -> Result<(), Rejection> {
        for path in self.overlay.missing_histories(&changeset) {
            fetch(&self.session.store, MissingInput::History(path), &mut self.overlay.current)?;
        }
        self.overlay.push(changeset);
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
        check_conservation(step, &before, &after).map_err(|error| StepError::SideEffects(error.to_string()))?;
        self.accept(changeset).map_err(|r| StepError::PlanningFailed(r.into()))
    }

    /// The current text of a file; `None` if it does not exist.
    pub fn document(&mut self, path: &MemoryPath) -> Result<Option<Document>, Rejection> {
        with_fetches(&self.session.store, &mut self.overlay.current, |snapshot| {
            Ok(snapshot.file(path)?.map(|file| file.document.clone()))
        })
    }

    /// The sizes to which files must be reduced so that the limits on the scope as a whole hold.
    ///
    /// # Errors
    /// `limit_reached` if too much is pinned.
    pub fn scope_reductions(&self, only_grown: bool) -> Result<BTreeMap<MemoryPath, SizeLimits>, Error> {
        let limits = &self.session.policy.policy.scope_limits;
        if limits.is_empty() {
            Ok(BTreeMap::new())
        } else {
            needed_reductions(self.session, &self.overlay, limits, only_grown)
        }
    }

    /// The etag of the file on disk.
    pub fn etag(&mut self, path: &MemoryPath) -> Result<Option<Etag>, Rejection> {
        self.document(path)?;
        Ok(self.overlay.original(path).map(|file| file.version.etag))
    }

    /// The text of the file on disk, if it has been read.
    pub fn document_on_disk(&self, path: &MemoryPath) -> Option<&Document> {
        self.overlay.original(path).map(|file| &file.document)
    }

    /// Indices of the bullets whose metadata line has no effect.
    pub fn inert_bullets(&mut self, path: &MemoryPath, document: &Document) -> Result<Vec<usize>, Rejection> {
        with_fetches(&self.session.store, &mut self.overlay.current, |snapshot| {
            inert_metadata::inert_bullets(document, path, snapshot)
        })
    }

    /// The files changed so far, sorted.
    pub fn changed_files(&self) -> Vec<MemoryPath> {
        let mut all: Vec<MemoryPath> = self.overlay.changed_files().cloned().collect();
        all.sort();
        all.dedup();
        all
    }

    /// The changes so far, for `rollback`.
    pub fn checkpoint(&self) -> Changeset {
        self.overlay.changeset.clone()
    }

    /// Discards everything planned after the checkpoint.
    pub fn rollback(&mut self, checkpoint: Changeset) {
        self.overlay.rollback(checkpoint);
    }

    /// Everything planned, as one changeset, and the snapshot it is based on.
    pub fn into_changeset(self) -> (Changeset, Snapshot) {
        self.overlay.into_changeset()
    }
}
