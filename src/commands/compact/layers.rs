//! Changes planned one upon the other, none of them made: what the memory would be after each.
//!
//! Reads the store where planning asks for it; never writes.

use std::collections::HashSet;

use super::super::change::plan_with;
use super::super::fetch::fetch;
use super::super::{Failure, Session};
use crate::change::{Changeset, Etag};
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::operation::joined::{joined, left};
use crate::operation::{Context, Operation, Snapshot, Stop, Want, inert};
use crate::path::MemoryPath;
use crate::policy::Policy;
use crate::reflect::compaction::{Step, conserved, proven, ready};

/// What is on disk, and all that was planned upon it.
pub struct Layers<'a> {
    session: &'a Session,
    /// The policy without anybody making room on the side.
    policy: Policy,
    base: Snapshot,
    top: Option<Snapshot>,
    changeset: Changeset,
}

/// Why a step was not taken.
pub enum Refused {
    /// What it is about is not there any more.
    Moved,
    /// The planner says no.
    Planned(Failure),
    /// It would change what nobody named.
    Lost(String),
}

impl Refused {
    /// For whoever decided it.
    pub fn sentence(&self) -> String {
        match self {
            Refused::Moved => "the items are not what they were".into(),
            Refused::Planned(failure) => failure.rejections.first().map(|r| r.message.clone()).unwrap_or_default(),
            Refused::Lost(why) => why.clone(),
        }
    }

    /// For a person: age decided, and even that could not be done.
    pub fn into_rejection(self, path: &MemoryPath) -> Rejection {
        match self {
            Refused::Planned(Failure { mut rejections, .. }) if !rejections.is_empty() => rejections.swap_remove(0),
            other => Rejection::new(Code::LimitReached, format!("{path} could not be compacted: {}", other.sentence()))
                .hint("remove or archive something by hand"),
        }
    }
}

impl<'a> Layers<'a> {
    /// Nothing planned yet.
    pub fn new(session: &'a Session) -> Layers<'a> {
        let policy = session.policy.policy.without_eviction();
        Layers { session, policy, base: Snapshot::new(), top: None, changeset: Changeset::default() }
    }

    fn now(&mut self) -> &mut Snapshot {
        self.top.as_mut().unwrap_or(&mut self.base)
    }

    /// Plans operations on what stands there now.
    pub fn plan(&mut self, operations: &[Operation], force: bool, create: bool) -> Result<Changeset, Failure> {
        let session = self.session;
        let policy = self.policy.clone();
        let cx = Context {
            policy: &policy,
            prefixes: &session.prefixes,
            now: &session.now,
            actor: &session.actor,
            force,
            create,
            own: false,
        };
        plan_with(session, self.now(), operations, &cx)
    }

    /// Puts a planned change upon the others.
    pub fn accept(&mut self, changeset: Changeset) -> Result<(), Rejection> {
        // What pins a bullet may be a line that says nothing, and only history tells: the next layer must know it.
        for file in &changeset.files {
            let lines = self.base.file(&file.path).ok().flatten().is_some_and(|f| inert::has_lines(&f.document));
            if lines && self.base.history(&file.path).is_err() {
                fetch(&self.session.store, Want::History(file.path.clone()), &mut self.base)?;
            }
        }
        let base = &self.base;
        let text = |path: &MemoryPath| base.file(path).ok().flatten().map(|f| f.document.text());
        self.changeset = joined(std::mem::take(&mut self.changeset), changeset, text);
        self.top = Some(left(&self.changeset, &self.base));
        Ok(())
    }

    /// Carries one step out, if everything that it names stands there and nothing else would change.
    pub fn take(&mut self, step: &Step) -> Result<(), Refused> {
        let before = match self.document(&step.path) {
            Ok(Some(document)) if ready(step, &document) => document,
            _ => return Err(Refused::Moved),
        };
        let changeset = self.plan(&proven(step, &before), false, false).map_err(Refused::Planned)?;
        let file = changeset.files.iter().find(|f| f.path == step.path);
        let after = file.and_then(|f| Document::read(f.after.as_ref()?.to_vec()).ok());
        let Some(after) = after else { return Err(Refused::Lost("it changes nothing".into())) };
        conserved(step, &before, &after).map_err(Refused::Lost)?;
        self.accept(changeset).map_err(|r| Refused::Planned(r.into()))
    }

    /// What a file would read; `None` where there is none.
    pub fn document(&mut self, path: &MemoryPath) -> Result<Option<Document>, Rejection> {
        let store = &self.session.store;
        let now = self.top.as_mut().unwrap_or(&mut self.base);
        loop {
            match now.file(path) {
                Ok(file) => return Ok(file.map(|f| f.document.clone())),
                Err(Stop::Reject(why)) => return Err(*why),
                Err(Stop::Want(want)) => fetch(store, want, now)?,
            }
        }
    }

    /// A file's etag on disk.
    pub fn etag(&mut self, path: &MemoryPath) -> Result<Option<Etag>, Rejection> {
        self.document(path)?;
        Ok(self.base.file(path).ok().flatten().map(|f| f.version.etag))
    }

    /// What a file reads on disk, if that is known.
    pub fn before(&self, path: &MemoryPath) -> Option<&Document> {
        self.base.file(path).ok().flatten().map(|f| &f.document)
    }

    /// The bullets of a file whose metadata line says nothing.
    pub fn inert(&mut self, path: &MemoryPath, document: &Document) -> Result<Vec<usize>, Rejection> {
        let store = &self.session.store;
        let now = self.top.as_mut().unwrap_or(&mut self.base);
        loop {
            match inert::bullets(document, path, now) {
                Ok(found) => return Ok(found),
                Err(Stop::Reject(why)) => return Err(*why),
                Err(Stop::Want(want)) => fetch(store, want, now)?,
            }
        }
    }

    /// The files that are changed so far.
    pub fn changed(&self) -> Vec<MemoryPath> {
        let all: HashSet<&MemoryPath> = self.changeset.files.iter().map(|f| &f.path).collect();
        let mut all: Vec<MemoryPath> = all.into_iter().cloned().collect();
        all.sort();
        all
    }

    /// What was planned so far, to come back to.
    pub fn mark(&self) -> Changeset {
        self.changeset.clone()
    }

    /// Takes back what was planned since.
    pub fn back(&mut self, mark: Changeset) {
        self.changeset = mark;
        self.top = match self.changeset.files.is_empty() {
            true => None,
            false => Some(left(&self.changeset, &self.base)),
        };
    }

    /// Reads what stands on disk of every file that would change: a diff is due.
    pub fn know_all(&mut self) -> Result<(), Rejection> {
        for path in self.changed() {
            if let Err(Stop::Want(want)) = self.base.file(&path) {
                fetch(&self.session.store, want, &mut self.base)?;
            }
        }
        Ok(())
    }

    /// All of it as one change, and what it was planned on.
    pub fn made(self) -> (Changeset, Snapshot) {
        (self.changeset, self.base)
    }
}
