//! What a change of a text means, bullet by bullet.
//!
//! Never decides anything: it tells what two texts differ in.

use std::collections::HashMap;

use crate::change::{Effect, Sign};
use crate::document::Document;
use crate::path::MemoryPath;

/// One bullet as an effect.
pub fn bullet(document: &Document, path: &MemoryPath, bullet: usize, sign: Sign, operation: usize) -> Effect {
    Effect {
        path: path.clone(),
        sign,
        handle: Some(document.handle_name(bullet)),
        id: document.bullet_id(bullet).map(|id| id.into_owned()),
        text: document.bullet_text(bullet).into_owned(),
        section: section_slug(document, document.bullets()[bullet].section as usize),
        operation,
        to: None,
    }
}

/// A line that is no bullet: a heading, `key=value`.
pub fn line(
    path: &MemoryPath,
    sign: Sign,
    text: impl Into<String>,
    section: Option<String>,
    operation: usize,
) -> Effect {
    Effect { path: path.clone(), sign, handle: None, id: None, text: text.into(), section, operation, to: None }
}

/// A section's slug; none for the file.
pub fn section_slug(document: &Document, section: usize) -> Option<String> {
    (section != 0).then(|| document.sections()[section].slug.clone())
}

/// What differs between two texts: headings and bullets that went, then those that came. A bullet whose text stands
/// on both sides is neither, wherever it stands; other lines are told as one `~` when nothing else differs.
pub fn between(
    before: Option<&Document>,
    after: Option<&Document>,
    path: &MemoryPath,
    operation: usize,
) -> Vec<Effect> {
    let mut effects = Vec::new();
    one_way(before, after, path, Sign::Removed, operation, &mut effects);
    one_way(after, before, path, Sign::Added, operation, &mut effects);
    if effects.is_empty()
        && let (Some(before), Some(after)) = (before, after)
        && before.text() != after.text()
    {
        effects.push(line(path, Sign::Set, "text between bullets", None, operation));
    }
    effects
}

/// The headings and bullets of `here` that `there` lacks.
fn one_way(
    here: Option<&Document>,
    there: Option<&Document>,
    path: &MemoryPath,
    sign: Sign,
    operation: usize,
    effects: &mut Vec<Effect>,
) {
    let Some(here) = here else { return };
    let mut stands: HashMap<u64, usize> = HashMap::new();
    let mut titles: HashMap<String, usize> = HashMap::new();
    if let Some(there) = there {
        there.handles().iter().for_each(|h| *stands.entry(h.0).or_default() += 1);
        (1..there.sections().len()).for_each(|i| *titles.entry(heading(there, i)).or_default() += 1);
    }
    let mut gone = |key: u64| match stands.get_mut(&key) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    };
    let mut heading_gone = |title: &str| match titles.get_mut(title) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    };
    let mut bullets = here.handles().iter().enumerate().peekable();
    for s in 0..here.sections().len() {
        if s != 0 {
            let title = heading(here, s);
            if heading_gone(&title) {
                effects.push(line(path, sign, title, section_slug(here, s), operation));
            }
        }
        while let Some((i, handle)) = bullets.next_if(|(i, _)| here.bullets()[*i].section as usize <= s) {
            if gone(handle.0) {
                effects.push(bullet(here, path, i, sign, operation));
            }
        }
    }
}

/// A heading as people see it: `## Work`.
pub fn heading(document: &Document, section: usize) -> String {
    let level = document.sections()[section].level;
    let title = document.section_title(section);
    match level {
        7 => format!("{title}:"),
        n => format!("{} {title}", "#".repeat(n.into())),
    }
}
