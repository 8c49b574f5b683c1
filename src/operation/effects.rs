//! Builds effects: the list of added, removed and changed bullets that a result reports.
//!
//! Never decides what to change.

use std::collections::HashMap;

use crate::change::{Effect, EffectSign};
use crate::document::{Document, LocatedBullet};
use crate::path::MemoryPath;

/// The effect of a change of one bullet.
pub fn bullet_effect(bullet: LocatedBullet<'_>, sign: EffectSign, operation: usize) -> Effect {
    let LocatedBullet { path, document, index } = bullet;
    Effect {
        path: path.clone(),
        sign,
        handle: Some(document.handle_name(index)),
        id: document.bullet_id(index).map(|id| id.into_owned()),
        text: document.bullet_text(index).into_owned(),
        section: section_slug(document, document.bullets()[index].section as usize),
        operation,
        to: None,
    }
}

/// The effect of a change that is not a bullet: a heading, `key=value`.
pub fn line_effect(
    path: &MemoryPath,
    sign: EffectSign,
    text: impl Into<String>,
    section: Option<String>,
    operation: usize,
) -> Effect {
    Effect { path: path.clone(), sign, handle: None, id: None, text: text.into(), section, operation, to: None }
}

/// A section's slug; `None` for section 0, the file.
pub fn section_slug(document: &Document, section: usize) -> Option<String> {
    (section != 0).then(|| document.sections()[section].slug.clone())
}

/// The difference of two texts: removed headings and bullets, then added ones. A bullet that is in both texts is not
/// reported even if it moved. If only other lines differ, there is a single `~` effect.
pub fn diff_effects(
    before: Option<&Document>,
    after: Option<&Document>,
    path: &MemoryPath,
    operation: usize,
) -> Vec<Effect> {
    let mut effects = Vec::new();
    push_missing(before, after, path, EffectSign::Removed, operation, &mut effects);
    push_missing(after, before, path, EffectSign::Added, operation, &mut effects);
    if effects.is_empty()
        && let (Some(before), Some(after)) = (before, after)
        && before.text() != after.text()
    {
        effects.push(line_effect(path, EffectSign::Set, "text between bullets", None, operation));
    }
    effects
}

/// Adds the headings and bullets of `document` that `other` does not have. Duplicates are counted.
fn push_missing(
    document: Option<&Document>,
    other: Option<&Document>,
    path: &MemoryPath,
    sign: EffectSign,
    operation: usize,
    effects: &mut Vec<Effect>,
) {
    let Some(here) = document else { return };
    let mut handle_counts: HashMap<u64, usize> = HashMap::new();
    let mut title_counts: HashMap<String, usize> = HashMap::new();
    if let Some(there) = other {
        there.handles().iter().for_each(|h| *handle_counts.entry(h.0).or_default() += 1);
        (1..there.sections().len()).for_each(|i| *title_counts.entry(heading_text(there, i)).or_default() += 1);
    }
    let mut is_missing = |key: u64| match handle_counts.get_mut(&key) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    };
    let mut heading_is_missing = |title: &str| match title_counts.get_mut(title) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    };
    let mut bullets = here.handles().iter().enumerate().peekable();
    for s in 0..here.sections().len() {
        if s != 0 {
            let title = heading_text(here, s);
            if heading_is_missing(&title) {
                effects.push(line_effect(path, sign, title, section_slug(here, s), operation));
            }
        }
        while let Some((index, handle)) = bullets.next_if(|(i, _)| here.bullets()[*i].section as usize <= s) {
            if is_missing(handle.0) {
                effects.push(bullet_effect(LocatedBullet { path, document: here, index }, sign, operation));
            }
        }
    }
}

/// A heading as the result shows it: `## Work`, or `Work:` for a label line, which has level 7.
pub fn heading_text(document: &Document, section: usize) -> String {
    let level = document.sections()[section].level;
    let title = document.section_title(section);
    match level {
        7 => format!("{title}:"),
        n => format!("{} {title}", "#".repeat(n.into())),
    }
}
