//! The policy's limits on files and sections: measures content, and finds files and sections over a limit.
//!
//! Never evicts: `evict` does, or `compact` with a model.

use crate::document::Document;
use crate::path::MemoryPath;
use crate::policy::{LimitMeasure, OnLimit, Policy};
use crate::text::counted_noun::counted_noun;

use super::locate::is_in_section;
use super::planner::Planner;
use super::snapshot::PlanStep;
use super::{effects, evict, inert_metadata, rejections};

/// The size of a file or section as limits measure it; also an excess over limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentSize {
    /// Bullets of top-level lists, including those in subsections.
    pub bullets: usize,
    /// `##` entries.
    pub entries: usize,
    /// Characters (Unicode scalar values) of bullet text, nested bullets included.
    pub chars: usize,
}

impl ContentSize {
    /// The number for one measure.
    pub fn measured(&self, measure: LimitMeasure) -> usize {
        match measure {
            LimitMeasure::Bullets => self.bullets,
            LimitMeasure::Entries => self.entries,
            LimitMeasure::Chars => self.chars,
        }
    }

    /// The difference, per measure at least 0.
    pub fn saturating_sub(self, other: ContentSize) -> ContentSize {
        ContentSize {
            bullets: self.bullets.saturating_sub(other.bullets),
            entries: self.entries.saturating_sub(other.entries),
            chars: self.chars.saturating_sub(other.chars),
        }
    }

    /// Whether all numbers are 0.
    pub fn is_zero(&self) -> bool {
        *self == ContentSize::default()
    }
}

/// The maximum size of a file or section; `None` is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SizeLimits {
    pub bullets: Option<usize>,
    /// `##` entries.
    pub entries: Option<usize>,
    pub chars: Option<usize>,
}

impl SizeLimits {
    /// The policy's limits for a file (`slug` is `None`) or one of its sections.
    pub fn from_policy(policy: &Policy, path: &MemoryPath, slug: Option<&str>) -> SizeLimits {
        let most = |measure| policy.maximum_for(path, slug, measure).map(|(most, _)| most);
        SizeLimits {
            bullets: most(LimitMeasure::Bullets),
            entries: most(LimitMeasure::Entries),
            chars: most(LimitMeasure::Chars),
        }
    }

    /// By how much a size exceeds the limits.
    pub fn excess(&self, size: ContentSize) -> ContentSize {
        let over = |now: usize, most: Option<usize>| most.map_or(0, |m| now.saturating_sub(m));
        ContentSize {
            bullets: over(size.bullets, self.bullets),
            entries: over(size.entries, self.entries),
            chars: over(size.chars, self.chars),
        }
    }
}

/// A file (section 0) or section, and its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitedSection {
    /// An index into the document's sections.
    pub section: usize,
    pub limits: SizeLimits,
}

impl LimitedSection {
    /// By how much it exceeds its limits.
    pub fn excess(&self, document: &Document) -> ContentSize {
        self.limits.excess(section_size(document, self.section))
    }
}

/// Whether limits apply to a file. They do not in `archive/` and `inbox/`, where evicted and proposed items collect.
pub fn limits_apply_to(path: &MemoryPath) -> bool {
    !path.is_set_aside()
}

/// Checks the policy's limits on a file after a change. Returns the file or sections that grew over a limit with
/// `on_limit: compact`.
///
/// # Errors
/// `limit_reached` for one that grew over a limit with `on_limit: refuse`.
pub fn check_limits(
    planner: &Planner<'_>,
    path: &MemoryPath,
    before: Option<&Document>,
    after: &Document,
) -> PlanStep<Vec<LimitedSection>> {
    let mut over = Vec::new();
    for section in limited_sections(planner.context.policy, path, after) {
        match check_section_limits(planner.context.policy, path, before, after, section) {
            LimitCheck::Within => {}
            LimitCheck::NeedsCompaction(limited) => over.push(limited),
            LimitCheck::Rejected(what) => {
                let document = before.unwrap_or(after);
                let slug = &after.sections()[section].slug;
                let section_before = document.sections().iter().position(|s| s.slug == *slug).unwrap_or(0);
                let inert = match before {
                    Some(before) => inert_metadata::inert_bullets(before, path, planner.snapshot)?,
                    None => Vec::new(),
                };
                let least = evict::least_valuable(document, section_before, &inert);
                return Err(rejections::limit_reached(document, path, section_before, what, &least).into());
            }
        }
    }
    Ok(over)
}

/// The file or sections that grew over a limit with `on_limit: compact`.
pub fn grown_over_limit(
    policy: &Policy,
    path: &MemoryPath,
    before: Option<&Document>,
    after: &Document,
) -> Vec<LimitedSection> {
    let judge = |section| match check_section_limits(policy, path, before, after, section) {
        LimitCheck::NeedsCompaction(limited) => Some(limited),
        _ => None,
    };
    limited_sections(policy, path, after).filter_map(judge).collect()
}

/// The file or sections that are over a limit, whatever its `on_limit`.
pub fn sections_over_limit(policy: &Policy, path: &MemoryPath, document: &Document) -> Vec<LimitedSection> {
    let over_limit = |section| {
        let slug = effects::section_slug(document, section);
        let limited = LimitedSection { section, limits: SizeLimits::from_policy(policy, path, slug.as_deref()) };
        (limited.limits != SizeLimits::default() && !limited.excess(document).is_zero()).then_some(limited)
    };
    limited_sections(policy, path, document).filter_map(over_limit).collect()
}

fn limited_sections(policy: &Policy, path: &MemoryPath, document: &Document) -> std::ops::Range<usize> {
    let is_limited = policy.file_limits().next().is_some() && limits_apply_to(path);
    if is_limited { 0..document.sections().len() } else { 0..0 }
}

/// The `##` entries of a file or section, as indexes into the document's sections.
pub fn entry_sections(document: &Document, section: usize) -> Vec<usize> {
    let sections = document.sections();
    let inside = |i: &usize| sections[*i].level == 2 && (section == 0 || sections[*i].parent as usize == section);
    (1..sections.len()).filter(inside).collect()
}

/// The size of a file (section 0) or section.
pub fn section_size(document: &Document, section: usize) -> ContentSize {
    let inside: Vec<usize> = (0..document.bullets().len()).filter(|&i| is_in_section(document, i, section)).collect();
    ContentSize {
        bullets: inside.iter().filter(|&&i| document.bullets()[i].depth == 0).count(),
        entries: entry_sections(document, section).len(),
        chars: inside.iter().map(|&i| document.bullet_text(i).chars().count()).sum(),
    }
}

/// The result of checking one file or section.
enum LimitCheck {
    Within,
    NeedsCompaction(LimitedSection),
    /// Rejected; the text is the content that it would have, for `limit_reached`.
    Rejected(String),
}

fn check_section_limits(
    policy: &Policy,
    path: &MemoryPath,
    before: Option<&Document>,
    after: &Document,
    section: usize,
) -> LimitCheck {
    let slug = effects::section_slug(after, section);
    let bounds = [LimitMeasure::Bullets, LimitMeasure::Entries, LimitMeasure::Chars]
        .map(|m| policy.maximum_for(path, slug.as_deref(), m).map(|(max, limit)| (m, max, limit.on_limit)));
    if bounds.iter().all(Option::is_none) {
        return LimitCheck::Within;
    }
    let size_after = section_size(after, section);
    let size_before = before
        .and_then(|b| {
            let slug = &after.sections()[section].slug;
            (0..b.sections().len()).find(|&i| b.sections()[i].slug == *slug).map(|i| section_size(b, i))
        })
        .unwrap_or_default();
    let mut grew = bounds
        .iter()
        .flatten()
        .filter(|(m, most, _)| size_after.measured(*m) > *most && size_after.measured(*m) > size_before.measured(*m));
    let refused = grew.clone().find(|(.., on_limit)| *on_limit == OnLimit::Refuse);
    match refused.or_else(|| grew.next()) {
        None => LimitCheck::Within,
        Some((m, most, OnLimit::Refuse)) => {
            let size = counted_measure(size_after.measured(*m), *m);
            LimitCheck::Rejected(format!("{size}; the policy allows {most}"))
        }
        Some(_) => {
            let compaction_limit = |wanted| {
                let found = bounds.iter().flatten().find(|(m, _, then)| *m == wanted && *then == OnLimit::Compact);
                found.map(|(_, most, _)| *most)
            };
            let (bullets, entries, chars) = (
                compaction_limit(LimitMeasure::Bullets),
                compaction_limit(LimitMeasure::Entries),
                compaction_limit(LimitMeasure::Chars),
            );
            LimitCheck::NeedsCompaction(LimitedSection { section, limits: SizeLimits { bullets, entries, chars } })
        }
    }
}

/// A number with the noun for what a limit counts: `1 entry`, `20 bullets`.
pub fn counted_measure(n: usize, measure: LimitMeasure) -> String {
    let noun = match measure {
        LimitMeasure::Bullets => "bullet",
        LimitMeasure::Entries => "entry",
        LimitMeasure::Chars => "character",
    };
    counted_noun(n, noun)
}
