//! The files and sections that a compaction covers, and how they are found again after each step.
//!
//! Only reads; decides nothing.

use super::super::Session;
use super::super::list_and_read::{ResolvedAddress, resolve_address};
use super::CompactOptions;
use crate::code::{Code, Rejection};
use crate::document::{Document, MAX_FILE_BYTES};
use crate::operation::effects::section_slug;
use crate::operation::limits::{self, LimitedSection, SizeLimits, section_size};
use crate::path::MemoryPath;
use crate::policy::{LimitMeasure, Policy, glob};

/// What a compaction covers.
#[derive(Clone, Debug)]
pub enum CompactionTarget {
    /// What the batch pushes over a limit with `on_limit: compact`.
    GrownByBatch,
    /// Everything that exceeds its limit, and what the batch pushes over one.
    All,
    /// What exceeds its limit in one file, or in one section of it.
    Within(MemoryPath, Option<String>),
    /// One file or section, down to a given size.
    ToSize(LimitedSectionRef),
}

/// A file or section, identified by slug so that it can be found again in a changed text.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitedSectionRef {
    pub path: MemoryPath,
    /// The section's slug; `None` for the whole file.
    pub slug: Option<String>,
    /// The limits that apply to it; `None` in them is unlimited.
    pub limits: SizeLimits,
}

impl LimitedSectionRef {
    pub fn new(path: &MemoryPath, document: &Document, limited: &LimitedSection) -> LimitedSectionRef {
        let slug = section_slug(document, limited.section);
        LimitedSectionRef { path: path.clone(), slug, limits: limited.limits }
    }

    /// Finds it in a text; `None` if the section no longer exists.
    pub fn locate(&self, document: &Document) -> Option<LimitedSection> {
        let section = match &self.slug {
            None => 0,
            Some(slug) => document.sections().iter().position(|s| s.slug == *slug).filter(|s| *s > 0)?,
        };
        Some(LimitedSection { section, limits: self.limits })
    }

    /// Whether some item stays, so that there is something to decide.
    pub fn leaves_choice(&self) -> bool {
        self.limits.entries != Some(0) && self.limits.bullets != Some(0)
    }

    pub fn address(&self) -> String {
        match &self.slug {
            None => self.path.to_string(),
            Some(slug) => format!("{}#{slug}", self.path),
        }
    }
}

/// What the options ask to compact.
///
/// # Errors
/// `usage`, `read_only`, and errors of resolving the address.
pub fn resolve_target(session: &Session, options: &CompactOptions) -> Result<CompactionTarget, Rejection> {
    let Some(address) = &options.address else {
        return match options.to {
            None => Ok(CompactionTarget::All),
            Some(_) => Err(Rejection::new(Code::Usage, "--to needs the address of a file or section")),
        };
    };
    let target = resolve_file_or_section(session, address)?;
    let slug = section_slug(&target.document, target.section);
    let Some(to) = options.to else { return Ok(CompactionTarget::Within(target.path, slug)) };
    let limit = session.policy.policy.maximum_for(&target.path, slug.as_deref(), LimitMeasure::Entries);
    let current_size = section_size(&target.document, target.section);
    let entries = limit.is_some() || target.path.holds_episodes() && current_size.entries > 0;
    let limits = if entries {
        SizeLimits { entries: Some(to), ..SizeLimits::default() }
    } else {
        SizeLimits { bullets: Some(to), ..SizeLimits::default() }
    };
    Ok(CompactionTarget::ToSize(LimitedSectionRef { path: target.path, slug, limits }))
}

/// The file or section that an address names.
///
/// # Errors
/// `usage` for a bullet, `read_only` in `archive/` and `inbox/`, and errors of resolving the address.
pub fn resolve_file_or_section(session: &Session, address: &str) -> Result<ResolvedAddress, Rejection> {
    session.require_own_scope(address)?;
    let target = resolve_address(session, address)?;
    if target.bullet.is_some() {
        return Err(Rejection::new(Code::Usage, "compact takes a file or section, not a bullet"));
    }
    if target.path.is_set_aside() {
        return Err(Rejection::new(Code::ReadOnly, "nothing is compacted in archive/ and inbox/"));
    }
    Ok(target)
}

/// Whether `section` is `within` or one of its subsections.
pub fn is_within(document: &Document, mut section: usize, within: usize) -> bool {
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

/// The files in which something exceeds its limit.
pub fn files_over_limit(session: &Session, policy: &Policy) -> Result<Vec<MemoryPath>, Rejection> {
    if policy.file_limits().next().is_none() {
        return Ok(Vec::new());
    }
    let has_limit = |path: &MemoryPath| {
        let file = |at: &str| glob::matches(at.split_once('#').map_or(at, |(file, _)| file), path.as_str());
        limits::limits_apply_to(path) && path.odd().is_none() && policy.file_limits().any(|l| file(&l.at))
    };
    let mut files = session.store.walk(None)?;
    files.retain(|f| f.unsafe_reason.is_none() && has_limit(&f.path));
    let paths = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        let (bytes, _) = read.ok()?;
        let document = Document::from_bytes(bytes.to_vec()).ok().filter(|d| d.conflict_marker_line().is_none())?;
        (!limits::sections_over_limit(policy, &file.path, &document).is_empty()).then(|| file.path.clone())
    });
    Ok(paths.into_iter().flatten().collect())
}
