//! The planner's state: its inputs, the warnings and failed preconditions it collects, and shared helpers.
//!
//! Never interprets an operation.

use jiff::Zoned;

use crate::change::Etag;
use crate::code::{Rejection, Warning};
use crate::document::{BulletMeta, Document, DocumentEdit, Handle, LocatedBullet, MetaKey, NewBullet, section_range};
use crate::path::{MemoryPath, PathPrefixes};
use crate::policy::{LinkRule, Policy, StampKey};

use super::inert_metadata::own_metadata;
use super::locate::{ResolvedTarget, SectionRef, resolve};
use super::pending_edit::PendingEdit;
use super::snapshot::{LoadedFile, MissingInput, PlanStep, Snapshot, matches_etag};
use super::{Operation, Target, rejections, validation};

/// The inputs of planning besides the operations and the snapshot.
#[derive(Debug)]
pub struct PlanContext<'a> {
    pub policy: &'a Policy,
    /// Prefixes of the data directory that a caller may put in front of a path.
    pub prefixes: &'a PathPrefixes,
    pub now: &'a Zoned,
    /// Who makes the change, as written to the journal.
    pub actor: &'a str,
    /// `-f`: skip the staleness check.
    pub force: bool,
    /// `--create`: new files may have names similar to existing ones.
    pub create: bool,
    /// Reserved folders (`archive/`, `inbox/`) may be written, as `check --fix` does.
    pub allow_reserved: bool,
    /// The relations that the change writes by itself: those of the policy, for an agent.
    pub links: Option<LinkRule>,
}

/// An operation of a batch, and its target.
#[derive(Clone, Copy, Debug)]
pub struct IndexedOperation<'a> {
    /// The operation's index in the batch, from 0.
    pub index: usize,
    pub operation: &'a Operation,
    pub at: &'a Target,
}

/// The text that an edit applies to: an existing file, or the initial text of a new one.
#[derive(Debug)]
pub enum EditBase<'a> {
    Present(&'a LoadedFile),
    New(Box<Document>),
}

impl EditBase<'_> {
    pub fn document(&self) -> &Document {
        match self {
            EditBase::Present(file) => &file.document,
            EditBase::New(document) => document,
        }
    }
}

/// A new file's document: its title and nothing else.
pub fn new_file_document(path: &MemoryPath) -> Document {
    Document::parse(initial_text(path))
}

/// The state of planning one batch.
pub struct Planner<'a> {
    pub snapshot: &'a Snapshot,
    pub context: &'a PlanContext<'a>,
    /// Whether the present operation may take items out of `archive/`.
    pub(super) may_change_archive: bool,
    pub(super) warnings: Vec<(usize, Warning)>,
    pub(super) etag_mismatches: Vec<(usize, MemoryPath, Option<Etag>)>,
    pub(super) missing_inputs: Vec<MissingInput>,
    /// Updates to the text of another bullet: errors, unless the batch takes that text from it.
    pub(super) taken_texts: Vec<TakenText>,
    /// The files that are made for restored items, with their front matter.
    pub(super) restored_files: Vec<(MemoryPath, String)>,
}

/// An update to a text that another bullet of the section has before the batch.
pub(super) struct TakenText {
    pub(super) operation: usize,
    pub(super) path: MemoryPath,
    /// The bullet that has the text.
    pub(super) holder: usize,
    /// The handle of the text.
    pub(super) handle: Handle,
    /// The error if the holder keeps it.
    pub(super) rejection: Rejection,
}

impl TakenText {
    /// Whether another operation removes the holder or gives it another text.
    pub(super) fn is_free(&self, pending: &[(usize, PendingEdit)]) -> bool {
        let frees = |bullet: &usize, path: &MemoryPath| *path == self.path && *bullet == self.holder;
        pending.iter().any(|(n, edit)| match edit {
            _ if *n == self.operation => false,
            PendingEdit::Edit(path, DocumentEdit::Remove { bullet }, _) => frees(bullet, path),
            PendingEdit::Edit(path, DocumentEdit::Update { bullet, text }, _) => {
                frees(bullet, path) && Handle::of(text) != self.handle
            }
            PendingEdit::Edit(path, DocumentEdit::Replace { bullet, item }, _) => {
                frees(bullet, path) && Handle::of(&item.text) != self.handle
            }
            _ => false,
        })
    }

    /// Whether this operation and another one take the same text.
    pub(super) fn is_shared(&self, all: &[TakenText]) -> bool {
        let place = |taken: &TakenText| (taken.path.clone(), taken.holder);
        all.iter().any(|other| other.operation != self.operation && place(other) == place(self))
    }
}

impl<'a> Planner<'a> {
    pub fn new(snapshot: &'a Snapshot, context: &'a PlanContext<'a>) -> Planner<'a> {
        Planner {
            snapshot,
            context,
            may_change_archive: false,
            warnings: Vec::new(),
            etag_mismatches: Vec::new(),
            missing_inputs: Vec::new(),
            taken_texts: Vec::new(),
            restored_files: Vec::new(),
        }
    }

    /// Resolves an operation's target.
    pub fn resolve(&self, at: &Target) -> PlanStep<ResolvedTarget<'a>> {
        resolve(at, self.snapshot, self.context.prefixes, self.context.policy)
    }

    /// Checks whether the present operation may change a file.
    pub fn check_writable(&self, path: &MemoryPath, document: Option<&Document>) -> Result<(), Rejection> {
        let allowed = self.context.allow_reserved || self.may_change_archive && path.is_archived();
        validation::check_writable(path, document, allowed)
    }

    /// Adds a warning to the result.
    pub fn warn(&mut self, operation: usize, warning: Warning) {
        self.warnings.push((operation, warning));
    }

    /// Checks `if_match` against the file or section of a target and records a mismatch. A mismatch is an error only if
    /// the file would change, so that a repeated operation without effect still succeeds.
    pub fn check_if_match(&mut self, request: IndexedOperation<'_>, resolved: &ResolvedTarget<'_>) {
        let Some(proof) = &request.operation.if_match else { return };
        let is_current = |file: &LoadedFile| {
            let section = match resolved.section {
                SectionRef::At(section) => Some(&file.document.text()[section_range(&file.document, section)]),
                SectionRef::File | SectionRef::Missing(_) => None,
            };
            matches_etag(Some(proof), file, section)
        };
        if !resolved.file.is_some_and(is_current) {
            let etag = resolved.file.map(|file| file.version.etag);
            self.etag_mismatches.push((request.index, resolved.path.clone(), etag));
        }
    }

    /// The existing file of a resolved target. Errors if it does not exist or must not be changed.
    pub fn existing_writable_file(&self, resolved: &ResolvedTarget<'a>) -> PlanStep<&'a LoadedFile> {
        let Some(file) = resolved.file else {
            return Err(rejections::file_not_found(&resolved.path, self.snapshot).into());
        };
        self.check_writable(&resolved.path, Some(&file.document))?;
        Ok(file)
    }

    /// The text to edit at a target that may not exist yet. Checks the path and records an `if_match` mismatch.
    pub fn edit_base(
        &mut self,
        request: IndexedOperation<'_>,
        target: &ResolvedTarget<'_>,
        create: bool,
    ) -> PlanStep<EditBase<'a>> {
        let file = self.writable_file(&target.path)?;
        self.check_if_match(request, target);
        self.existing_or_new(request, &target.path, file, create)
    }

    /// The text to edit at the destination of a move, which may not exist yet: `if_match` is about the file that the
    /// item leaves.
    pub fn destination_base(
        &self,
        request: IndexedOperation<'_>,
        path: &MemoryPath,
        create: bool,
    ) -> PlanStep<EditBase<'a>> {
        self.existing_or_new(request, path, self.writable_file(path)?, create)
    }

    /// The file at a path; `None` if it does not exist. Errors if it must not be changed.
    fn writable_file(&self, path: &MemoryPath) -> PlanStep<Option<&'a LoadedFile>> {
        let file = self.snapshot.file(path)?;
        self.check_writable(path, file.map(|f| &f.document))?;
        Ok(file)
    }

    /// A file, or the initial text of a new one if there may be one at that path.
    fn existing_or_new(
        &self,
        request: IndexedOperation<'_>,
        path: &MemoryPath,
        file: Option<&'a LoadedFile>,
        create: bool,
    ) -> PlanStep<EditBase<'a>> {
        if let Some(file) = file {
            return Ok(EditBase::Present(file));
        }
        let create = create || self.context.create;
        if let Some(written) = request.operation.created_name().filter(|_| !create) {
            validation::check_extension(written, path)?;
        }
        validation::check_creatable(path, self.snapshot, create, self.context.allow_reserved)?;
        Ok(EditBase::New(Box::new(new_file_document(path))))
    }

    /// Today's date in the caller's time zone, `YYYY-MM-DD`.
    pub fn today(&self) -> String {
        self.context.now.date().to_string()
    }

    /// A new bullet with the metadata that the policy adds: date, actor, source.
    pub fn stamp_new_bullet(&self, mut item: NewBullet, op: &Operation) -> NewBullet {
        let mut meta = item.meta.take().unwrap_or_default();
        let stamps = &self.context.policy.stamps;
        if stamps.contains(&StampKey::Added) && meta.raw(MetaKey::Added.name()).is_none() {
            meta.set(MetaKey::Added.name(), &self.today());
        }
        self.stamp_origin(&mut meta, op);
        item.meta = (!meta.0.is_empty()).then_some(meta);
        item
    }

    /// The new metadata of an updated bullet; `None` if the policy changes nothing. The history is requested only for a
    /// line that says more than stamps do, which may be inert.
    pub fn updated_meta(&self, bullet: LocatedBullet<'_>, op: &Operation) -> PlanStep<Option<BulletMeta>> {
        let stamps = &self.context.policy.stamps;
        if !stamps.iter().any(|stamp| matches!(stamp, StampKey::By | StampKey::Upd | StampKey::Src)) {
            return Ok(None);
        }
        let old = bullet.meta();
        let is_stamp =
            |key: &str| [MetaKey::Added, MetaKey::Upd, MetaKey::By, MetaKey::Src].iter().any(|k| k.name() == key);
        let has_stamps_only = old.iter().flat_map(|meta| &meta.0).all(|(key, _)| is_stamp(key));
        let own = if has_stamps_only { old.clone() } else { own_metadata(bullet, self.snapshot)? };
        let mut meta = own.unwrap_or_default();
        if stamps.contains(&StampKey::Upd) {
            meta.set(MetaKey::Upd.name(), &self.today());
        }
        self.stamp_origin(&mut meta, op);
        Ok((Some(&meta) != old.as_ref() && !meta.0.is_empty()).then_some(meta))
    }

    fn stamp_origin(&self, meta: &mut BulletMeta, op: &Operation) {
        let stamps = &self.context.policy.stamps;
        if stamps.contains(&StampKey::By) {
            meta.set(MetaKey::By.name(), self.context.actor);
        }
        if stamps.contains(&StampKey::Src)
            && let Some(source) = &op.source
        {
            meta.set(MetaKey::Src.name(), source);
        }
    }
}

/// The initial text of a new file: its title.
pub fn initial_text(path: &MemoryPath) -> String {
    let stem = path.stem();
    match stem {
        _ if crate::path::is_episode(stem) || path.holds_episodes() && crate::path::is_year(stem) => {
            format!("# {stem} Episodes\n")
        }
        _ if crate::path::is_daily_note(stem) => format!("# {stem}\n"),
        _ => format!("# {}\n", super::locate::new_section_title(stem)),
    }
}
