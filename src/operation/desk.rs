//! The planner's desk: what it is told, what it may look at, what it notes on the way.
//!
//! Never decides what an operation means.

use jiff::Zoned;

use crate::change::Etag;
use crate::code::{Rejection, Warning};
use crate::document::{Document, Item, Meta};
use crate::path::{MemoryPath, Prefixes};
use crate::policy::{Policy, Stamp};

use super::locate::Spot;
use super::snapshot::{Loaded, Snapshot, Step, Want};
use super::{Operation, gates, refuse};

/// What planning is told beside operations and snapshot.
#[derive(Debug)]
pub struct Context<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// How the data dir may be written in front of a path.
    pub prefixes: &'a Prefixes,
    /// Now.
    pub now: &'a Zoned,
    /// Who.
    pub actor: &'a str,
    /// `-f`: the caller takes the blame where proof is due.
    pub force: bool,
    /// `--create`: new names may be close to existing ones.
    pub create: bool,
    /// The batch runs on behalf of memdir's own mending (`check --fix`): reserved folders may be written.
    pub own: bool,
}

/// The base of an edit: a file that stands, or the skeleton of a new one.
#[derive(Debug)]
pub enum Base<'a> {
    /// The file.
    Present(&'a Loaded),
    /// A title, nothing else.
    New(Box<Document>),
}

/// The planner's desk: what it may look at, and what it noted.
pub struct Desk<'a> {
    /// What is known.
    pub snapshot: &'a Snapshot,
    /// What it was told.
    pub cx: &'a Context<'a>,
    pub(super) warnings: Vec<(usize, Warning)>,
    pub(super) mismatched: Vec<(usize, MemoryPath, Option<Etag>)>,
    pub(super) wanted: Vec<Want>,
}

impl<'a> Desk<'a> {
    /// Notes what the reader should know.
    pub fn warn(&mut self, operation: usize, warning: Warning) {
        self.warnings.push((operation, warning));
    }

    /// Checks `if_match`; a mismatch is judged when the outcome is known.
    pub fn proof(&mut self, n: usize, op: &Operation, spot: &Spot<'_>) -> Step<()> {
        if let Err(etag) = matches(op, spot.file) {
            self.mismatched.push((n, spot.path.clone(), etag));
        }
        Ok(())
    }

    /// The file of a spot, if it may be changed.
    pub fn changeable(&self, spot: &Spot<'a>) -> Step<&'a Loaded> {
        let Some(file) = spot.file else { return Err(refuse::no_file(&spot.path, self.snapshot).into()) };
        gates::writable(&spot.path, Some(&file.document), self.cx.own)?;
        Ok(file)
    }

    /// The base for a change of a path that may be new.
    pub fn writable(&mut self, n: usize, op: &Operation, path: &MemoryPath, create: bool) -> Step<Base<'a>> {
        let file = self.snapshot.file(path)?;
        gates::writable(path, file.map(|f| &f.document), self.cx.own)?;
        if let Err(etag) = matches(op, file) {
            self.mismatched.push((n, path.clone(), etag));
        }
        match file {
            Some(file) => Ok(Base::Present(file)),
            None => {
                gates::creatable(path, self.snapshot, create || self.cx.create, self.cx.own)?;
                Ok(Base::New(Box::new(self.skeleton(path))))
            }
        }
    }

    /// The document of a base.
    pub fn document<'b>(&self, base: &'b Base<'a>) -> &'b Document {
        match base {
            Base::Present(file) => &file.document,
            Base::New(document) => document,
        }
    }

    /// The text a new file starts from: its title.
    pub fn skeleton(&self, path: &MemoryPath) -> Document {
        Document::parse(skeleton(path))
    }

    /// Today, as the caller's calendar says it.
    pub fn today(&self) -> String {
        self.cx.now.date().to_string()
    }

    /// The path below `archive/`.
    pub fn archive_of(&self, path: &MemoryPath) -> Result<MemoryPath, Rejection> {
        path.below("archive")
    }

    /// A new item with the stamps that the policy asks for.
    pub fn stamped_new(&self, mut item: Item, op: &Operation) -> Item {
        let mut meta = item.meta.take().unwrap_or_default();
        let stamps = &self.cx.policy.stamps;
        if stamps.contains(&Stamp::Added) && meta.get("added").is_none() {
            meta.set("added", &self.today());
        }
        self.stamp_origin(&mut meta, op);
        item.meta = (!meta.0.is_empty()).then_some(meta);
        item
    }

    /// A changed bullet's metadata, when the policy asks for stamps.
    pub fn stamped_update(&self, document: &Document, bullet: usize, op: &Operation) -> Option<Meta> {
        let old = document.bullet_meta(bullet);
        let mut meta = old.clone().unwrap_or_default();
        if self.cx.policy.stamps.contains(&Stamp::Upd) {
            meta.set("upd", &self.today());
        }
        self.stamp_origin(&mut meta, op);
        (Some(&meta) != old.as_ref() && !meta.0.is_empty()).then_some(meta)
    }

    fn stamp_origin(&self, meta: &mut Meta, op: &Operation) {
        let stamps = &self.cx.policy.stamps;
        if stamps.contains(&Stamp::By) {
            meta.set("by", self.cx.actor);
        }
        if stamps.contains(&Stamp::Src)
            && let Some(source) = &op.source
        {
            meta.set("src", source);
        }
    }
}

/// The text a new file starts from.
pub fn skeleton(path: &MemoryPath) -> String {
    let stem = path.stem();
    match crate::path::is_episode(stem) {
        true => format!("# {stem} Episodes\n"),
        false => format!("# {}\n", super::locate::title_for(stem)),
    }
}

/// Checks `if_match` against a loaded file.
fn matches(op: &Operation, file: Option<&Loaded>) -> Result<(), Option<Etag>> {
    match (&op.if_match, file) {
        (None, _) => Ok(()),
        (Some(proof), Some(file)) if file.version.etag.proven_by(proof) => Ok(()),
        (Some(_), Some(file)) => Err(Some(file.version.etag)),
        (Some(_), None) => Err(None),
    }
}
