//! Which places are meant, and how they are found again in a text that changed.
//!
//! Looks only; decides nothing.

use super::super::Session;
use super::super::fetch::is_aside;
use super::super::look::named_by;
use super::CompactQuery;
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::operation::effects::section_slug;
use crate::operation::limits::{self, Most, Place, size};
use crate::path::MemoryPath;
use crate::policy::{Measure, Policy, glob};

/// The largest file that is looked into, in bytes.
const WHOLE: usize = 64 * 1024 * 1024;

/// Which places are meant.
#[derive(Clone, Debug)]
pub enum Scope {
    /// Those that the batch pushes over a limit that compacts.
    Grown,
    /// Every place over its limit, and those that the batch pushes over one.
    All,
    /// Those in a file, or in a section of it.
    In(MemoryPath, Option<String>),
    /// One, down to a number.
    To(Spot),
}

/// A place as it is found again after every step: by its section's slug.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// The file.
    pub path: MemoryPath,
    /// The section's slug; none for the file.
    pub slug: Option<String>,
    /// The most that it may hold.
    pub most: Most,
}

impl Spot {
    /// A place in a text.
    pub fn of(path: &MemoryPath, document: &Document, place: &Place) -> Spot {
        let slug = section_slug(document, place.section);
        Spot { path: path.clone(), slug, most: place.most }
    }

    /// Where it is in a text; `None` when it is gone.
    pub fn place(&self, document: &Document) -> Option<Place> {
        let section = match &self.slug {
            None => 0,
            Some(slug) => document.sections().iter().position(|s| s.slug == *slug).filter(|s| *s > 0)?,
        };
        Some(Place { section, most: self.most })
    }

    /// Its address.
    pub fn address(&self) -> String {
        match &self.slug {
            None => self.path.to_string(),
            Some(slug) => format!("{}#{slug}", self.path),
        }
    }
}

/// Which places a query means.
///
/// # Errors
/// `usage`, `read_only`, and what resolving the address refuses.
pub fn scope(session: &Session, query: &CompactQuery) -> Result<Scope, Rejection> {
    let Some(address) = &query.address else {
        return match query.to {
            None => Ok(Scope::All),
            Some(_) => Err(Rejection::new(Code::Usage, "--to needs an address: which file or section?")),
        };
    };
    let named = named_by(session, address)?;
    if named.bullet.is_some() {
        return Err(Rejection::new(Code::Usage, "compact takes a file or section, not a bullet"));
    }
    if is_aside(&named.path) {
        return Err(Rejection::new(Code::ReadOnly, "what was put aside has no limit"));
    }
    let slug = section_slug(&named.document, named.section);
    let Some(to) = query.to else { return Ok(Scope::In(named.path, slug)) };
    let bound = session.policy.policy.bound(&named.path, slug.as_deref(), Measure::Entries);
    let has = size(&named.document, named.section);
    let entries = bound.is_some() || named.path.folder() == Some("episodes") && has.entries > 0;
    let most = match entries {
        true => Most { entries: Some(to), ..Most::default() },
        false => Most { bullets: Some(to), ..Most::default() },
    };
    Ok(Scope::To(Spot { path: named.path, slug, most }))
}

/// Whether a section is another one or lies in it.
pub fn inside(document: &Document, mut section: usize, within: usize) -> bool {
    loop {
        if section == within {
            return true;
        }
        if section == 0 {
            return false;
        }
        section = document.sections()[section].parent as usize;
    }
}

/// The files in which something is over a limit.
pub fn over_somewhere(session: &Session, policy: &Policy) -> Result<Vec<MemoryPath>, Rejection> {
    if policy.limits.is_empty() {
        return Ok(Vec::new());
    }
    let limited = |path: &MemoryPath| {
        let file = |at: &str| glob::fits(at.split_once('#').map_or(at, |(file, _)| file), path.as_str());
        limits::kept_in(path) && path.odd().is_none() && policy.limits.iter().any(|l| file(&l.at))
    };
    let mut files = session.store.walk(None)?;
    files.retain(|f| f.refused.is_none() && limited(&f.path));
    let found = session.store.each(&files, WHOLE, &|file, read| {
        let (bytes, _) = read.ok()?;
        let document = Document::read(bytes.to_vec()).ok().filter(|d| d.conflict_marker().is_none())?;
        (!limits::over(policy, &file.path, &document).is_empty()).then(|| file.path.clone())
    });
    Ok(found.into_iter().flatten().collect())
}
