//! The policy's limits on blocks and files: what a place holds, what it may hold, and which places grew over it.
//!
//! Never makes room: `evict` does, or whoever asked a model first.

use crate::document::Document;
use crate::path::MemoryPath;
use crate::policy::{Measure, OnLimit, Policy};

use super::desk::Desk;
use super::locate::is_within;
use super::snapshot::Step;
use super::{effects, evict, inert, refuse};

/// What a place holds, as limits measure it; also, by how much it is over them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Bullets of top-level lists, subsections included.
    pub bullets: usize,
    /// `##` entries.
    pub entries: usize,
    /// Characters (Unicode scalar values) of bullet text, nested bullets included.
    pub chars: usize,
}

impl Size {
    /// One of its numbers.
    pub fn of(&self, measure: Measure) -> usize {
        match measure {
            Measure::Bullets => self.bullets,
            Measure::Entries => self.entries,
            Measure::Chars => self.chars,
        }
    }

    /// What is left of it without something; never less than nothing.
    pub fn less(self, gone: Size) -> Size {
        Size {
            bullets: self.bullets.saturating_sub(gone.bullets),
            entries: self.entries.saturating_sub(gone.entries),
            chars: self.chars.saturating_sub(gone.chars),
        }
    }

    /// Whether it is nothing.
    pub fn is_none(&self) -> bool {
        *self == Size::default()
    }
}

/// The most that a place may hold; `None`: as much as it likes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Most {
    /// Bullets.
    pub bullets: Option<usize>,
    /// `##` entries.
    pub entries: Option<usize>,
    /// Characters of bullet text.
    pub chars: Option<usize>,
}

impl Most {
    /// What the policy says of a file (`slug` none) or a section of it.
    pub fn of(policy: &Policy, path: &MemoryPath, slug: Option<&str>) -> Most {
        let most = |measure| policy.bound(path, slug, measure).map(|(most, _)| most);
        Most { bullets: most(Measure::Bullets), entries: most(Measure::Entries), chars: most(Measure::Chars) }
    }

    /// By how much a size is over it.
    pub fn over(&self, size: Size) -> Size {
        let over = |now: usize, most: Option<usize>| most.map_or(0, |m| now.saturating_sub(m));
        Size {
            bullets: over(size.bullets, self.bullets),
            entries: over(size.entries, self.entries),
            chars: over(size.chars, self.chars),
        }
    }
}

/// A file (section 0) or section, and the most that it may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// An index into the document's sections.
    pub section: usize,
    /// The most.
    pub most: Most,
}

impl Place {
    /// By how much it is over its limit.
    pub fn over(&self, document: &Document) -> Size {
        self.most.over(size(document, self.section))
    }
}

/// Whether limits are kept in a file at all: what was put aside may pile up.
pub fn kept_in(path: &MemoryPath) -> bool {
    !matches!(path.folder(), Some("archive" | "inbox"))
}

/// Judges the policy's limits on a file as it would be: the places that grew over a limit that compacts.
///
/// # Errors
/// `limit_reached` for a place that is over its limit, grew, and refuses.
pub fn limits(desk: &Desk<'_>, path: &MemoryPath, before: Option<&Document>, after: &Document) -> Step<Vec<Place>> {
    let mut over = Vec::new();
    for section in judged_sections(desk.cx.policy, path, after) {
        match judged(desk.cx.policy, path, before, after, section) {
            Judged::Within => {}
            Judged::Compacts(place) => over.push(place),
            Judged::Refused(what) => {
                let document = before.unwrap_or(after);
                let slug = &after.sections()[section].slug;
                let there = document.sections().iter().position(|s| s.slug == *slug).unwrap_or(0);
                let inert = match before {
                    Some(before) => inert::bullets(before, path, desk.snapshot)?,
                    None => Vec::new(),
                };
                let least = evict::least_valuable(document, there, &inert);
                return Err(refuse::limit(document, path, there, what, &least).into());
            }
        }
    }
    Ok(over)
}

/// The places of a file that grew over a limit that compacts.
pub fn grown(policy: &Policy, path: &MemoryPath, before: Option<&Document>, after: &Document) -> Vec<Place> {
    let judge = |section| match judged(policy, path, before, after, section) {
        Judged::Compacts(place) => Some(place),
        _ => None,
    };
    judged_sections(policy, path, after).filter_map(judge).collect()
}

/// The places of a file that are over a limit, whatever the policy says of it.
pub fn over(policy: &Policy, path: &MemoryPath, document: &Document) -> Vec<Place> {
    let place = |section| {
        let slug = effects::section_slug(document, section);
        let place = Place { section, most: Most::of(policy, path, slug.as_deref()) };
        (place.most != Most::default() && !place.over(document).is_none()).then_some(place)
    };
    judged_sections(policy, path, document).filter_map(place).collect()
}

fn judged_sections(policy: &Policy, path: &MemoryPath, document: &Document) -> std::ops::Range<usize> {
    match policy.limits.is_empty() || !kept_in(path) {
        true => 0..0,
        false => 0..document.sections().len(),
    }
}

/// The entries of a file or section.
pub fn entries(document: &Document, section: usize) -> Vec<usize> {
    let sections = document.sections();
    let inside = |i: &usize| sections[*i].level == 2 && (section == 0 || sections[*i].parent as usize == section);
    (1..sections.len()).filter(inside).collect()
}

/// A section's size.
pub fn size(document: &Document, section: usize) -> Size {
    let inside: Vec<usize> = (0..document.bullets().len()).filter(|&i| is_within(document, i, section)).collect();
    Size {
        bullets: inside.iter().filter(|&&i| document.bullets()[i].depth == 0).count(),
        entries: entries(document, section).len(),
        chars: inside.iter().map(|&i| document.bullet_text(i).chars().count()).sum(),
    }
}

/// What the limits say of one place.
enum Judged {
    Within,
    Compacts(Place),
    /// Refused; the sentence says what it would hold.
    Refused(String),
}

fn judged(policy: &Policy, path: &MemoryPath, before: Option<&Document>, after: &Document, section: usize) -> Judged {
    let slug = effects::section_slug(after, section);
    let bounds = [Measure::Bullets, Measure::Entries, Measure::Chars]
        .map(|m| policy.bound(path, slug.as_deref(), m).map(|(most, limit)| (m, most, limit.on_limit)));
    if bounds.iter().all(Option::is_none) {
        return Judged::Within;
    }
    let now = size(after, section);
    let old = before
        .and_then(|b| {
            let slug = &after.sections()[section].slug;
            (0..b.sections().len()).find(|&i| b.sections()[i].slug == *slug).map(|i| size(b, i))
        })
        .unwrap_or_default();
    let mut grew = bounds.iter().flatten().filter(|(m, most, _)| now.of(*m) > *most && now.of(*m) > old.of(*m));
    let refused = grew.clone().find(|(.., then)| *then == OnLimit::Refuse);
    match refused.or_else(|| grew.next()) {
        None => Judged::Within,
        Some((m, most, OnLimit::Refuse)) => {
            Judged::Refused(format!("{} {}; the policy allows {most}", now.of(*m), word(*m)))
        }
        Some(_) => {
            let compacts = |wanted| {
                let found = bounds.iter().flatten().find(|(m, _, then)| *m == wanted && *then == OnLimit::Compact);
                found.map(|(_, most, _)| *most)
            };
            let (bullets, entries, chars) =
                (compacts(Measure::Bullets), compacts(Measure::Entries), compacts(Measure::Chars));
            Judged::Compacts(Place { section, most: Most { bullets, entries, chars } })
        }
    }
}

/// What a limit counts, in words.
pub fn word(measure: Measure) -> &'static str {
    match measure {
        Measure::Bullets => "bullets",
        Measure::Entries => "entries",
        Measure::Chars => "characters",
    }
}
