//! The policy's limits on blocks and files: judged, refused, or kept by putting the oldest items aside.
//!
//! Never removes what is pinned.

use crate::change::{Changeset, Sign};
use crate::code::{Code, Rejection, Warning};
use crate::document::{Document, Edit, Edited, Item, Meta, Place, edit, item_of};
use crate::path::MemoryPath;
use crate::policy::{Limit, OnLimit};

use super::desk::{Desk, skeleton};
use super::locate::is_within;
use super::snapshot::Step;
use super::written::change;
use super::{effects, inert, refuse};

/// A removed item on its way to the archive: its path there, itself, its section's title.
pub type Evicted = (MemoryPath, Item, Option<String>);

/// How much a section is over a limit that compacts.
#[derive(Debug)]
pub struct Over {
    section: usize,
    bullets: usize,
    chars: usize,
}

/// Judges the policy's limits on a file as it would be.
///
/// # Errors
/// `limit_reached` for a place that is over its limit, grew, and refuses.
pub fn limits(desk: &Desk<'_>, path: &MemoryPath, before: Option<&Document>, after: &Document) -> Step<Vec<Over>> {
    let policy = desk.cx.policy;
    let mut over = Vec::new();
    if policy.limits.is_empty() || path.folder() == Some("archive") {
        return Ok(over);
    }
    for section in 0..after.sections().len() {
        let slug = effects::section_slug(after, section);
        for limit in policy.limits.iter().filter(|l| l.fits(path, slug.as_deref())) {
            match judged(limit, before, after, section) {
                Judged::Within => {}
                Judged::Compacts(one) => over.push(one),
                Judged::Refused(what) => {
                    let document = before.unwrap_or(after);
                    let slug = &after.sections()[section].slug;
                    let there = document.sections().iter().position(|s| s.slug == *slug).unwrap_or(0);
                    let inert = match before {
                        Some(before) => inert::bullets(before, path, desk.snapshot)?,
                        None => Vec::new(),
                    };
                    let least = least_valuable(document, there, &inert);
                    return Err(refuse::limit(document, path, there, what, &least).into());
                }
            }
        }
    }
    Ok(over)
}

/// A section's size: bullets, entries, characters.
fn size(document: &Document, section: usize) -> (usize, usize, usize) {
    let inside: Vec<usize> = (0..document.bullets().len()).filter(|&i| is_within(document, i, section)).collect();
    let entries = document
        .sections()
        .iter()
        .enumerate()
        .filter(|(i, s)| s.level == 2 && (section == 0 || s.parent as usize == section) && *i != 0)
        .count();
    let chars = inside.iter().map(|&i| document.bullet_text(i).chars().count()).sum();
    let top = inside.iter().filter(|&&i| document.bullets()[i].depth == 0).count();
    (top, entries, chars)
}

/// What a limit says of one place.
enum Judged {
    Within,
    Compacts(Over),
    /// Refused; the sentence says what it would hold.
    Refused(String),
}

fn judged(limit: &Limit, before: Option<&Document>, after: &Document, section: usize) -> Judged {
    let (bullets, entries, chars) = size(after, section);
    let slug = &after.sections()[section].slug;
    let old = before
        .and_then(|b| (0..b.sections().len()).find(|&i| b.sections()[i].slug == *slug).map(|i| size(b, i)))
        .unwrap_or_default();
    let grew = |now: usize, then: usize, most: Option<usize>| most.filter(|m| now > *m && now > then);
    let what = match (
        grew(bullets, old.0, limit.bullets),
        grew(entries, old.1, limit.entries),
        grew(chars, old.2, limit.chars),
    ) {
        (Some(most), _, _) => format!("{bullets} bullets; the policy allows {most}"),
        (_, Some(most), _) => format!("{entries} entries; the policy allows {most}"),
        (_, _, Some(most)) => format!("{chars} characters; the policy allows {most}"),
        _ => return Judged::Within,
    };
    if limit.on_limit == OnLimit::Compact && grew(entries, old.1, limit.entries).is_none() {
        let extra = |now: usize, most: Option<usize>| most.map_or(0, |m| now.saturating_sub(m));
        return Judged::Compacts(Over {
            section,
            bullets: extra(bullets, limit.bullets),
            chars: extra(chars, limit.chars),
        });
    }
    Judged::Refused(what)
}

/// A section's top-level bullets, least valuable first: pinned ones last, then by importance, age and place.
/// What an `inert` line says does not count.
pub fn least_valuable(document: &Document, section: usize, inert: &[usize]) -> Vec<usize> {
    let mut all = document.counted(section);
    all.sort_by_key(|&i| {
        let meta = said(document, i, inert);
        let imp: u8 = meta.get("imp").and_then(|v| v.parse().ok()).unwrap_or(5);
        (is_pinned(&meta), imp, dated(document, i, &meta), i)
    });
    all
}

/// A bullet's metadata, unless its line is inert.
fn said(document: &Document, bullet: usize, inert: &[usize]) -> Meta {
    match inert.contains(&bullet) {
        true => Meta::default(),
        false => document.bullet_meta(bullet).unwrap_or_default(),
    }
}

fn is_pinned(meta: &Meta) -> bool {
    meta.get("pin").is_some_and(|v| !matches!(v, "false" | "0" | "no"))
}

/// An item's date: its metadata, then its entry's `- Date:`; unknown sorts oldest.
fn dated(document: &Document, bullet: usize, meta: &Meta) -> String {
    if let Some(date) = meta.get("upd").or_else(|| meta.get("added")) {
        return date.to_owned();
    }
    let section = document.bullets()[bullet].section;
    let siblings = document.bullets().iter().enumerate().filter(|(_, b)| b.section == section && section != 0);
    let date = siblings
        .map(|(i, _)| document.bullet_text(i))
        .find_map(|t| t.strip_prefix("Date:").map(|d| d.trim().to_owned()));
    date.unwrap_or_default()
}

/// First in, first out: the oldest unpinned bullets make room and go to the archive. The answer says so.
pub fn evict(
    path: &MemoryPath,
    after: &Document,
    over: &[Over],
    changeset: &mut Changeset,
    evicted: &mut Vec<Evicted>,
    desk: &mut Desk<'_>,
) -> Step<Edited> {
    let before = desk.snapshot.file(path)?.map(|f| &f.document);
    let inert = inert::after(path, before, after, desk.snapshot)?;
    let mut gone: Vec<usize> = Vec::new();
    for one in over {
        let mut oldest = after.counted(one.section);
        oldest.retain(|&i| !is_pinned(&said(after, i, &inert)));
        oldest.sort_by_key(|&i| (dated(after, i, &said(after, i, &inert)), i));
        let (mut bullets, mut chars) = (one.bullets, one.chars);
        for i in oldest {
            if bullets == 0 && chars == 0 {
                break;
            }
            if !gone.contains(&i) {
                gone.push(i);
            }
            bullets = bullets.saturating_sub(1);
            chars = chars.saturating_sub(after.bullet_text(i).chars().count());
        }
        if bullets > 0 || chars > 0 {
            let least = least_valuable(after, one.section, &inert);
            return Err(refuse::limit(
                after,
                path,
                one.section,
                "more than the policy allows, and the rest is pinned".into(),
                &least,
            )
            .into());
        }
    }
    gone.sort_unstable();
    let to = path.below("archive")?;
    for &i in &gone {
        changeset.effects.push(effects::bullet(
            after,
            path,
            i,
            Sign::Removed,
            changeset.operations.len().saturating_sub(1),
        ));
        let section = after.bullets()[i].section as usize;
        let title =
            (section != 0 && after.sections()[section].level > 1).then(|| after.section_title(section).into_owned());
        evicted.push((to.clone(), item_of(after, i), title));
    }
    let message =
        format!("{path} was over its limit: {} of its oldest bullets went to {to} (first in, first out)", gone.len());
    desk.warn(
        0,
        Warning::new(Code::LimitReached, message).detail("archive", to.as_str()).detail("archived", gone.len()),
    );
    let edits: Vec<Edit> = gone.into_iter().map(|bullet| Edit::Remove { bullet }).collect();
    edit(after, &edits)
        .map_err(|r| Rejection::new(Code::WouldBreakStructure, format!("in {path}: {}", r[0].why)).into())
}

/// Adds one evicted item to its archive file, which may have been changed by this changeset already.
pub fn put_aside(
    desk: &mut Desk<'_>,
    changeset: &mut Changeset,
    to: &MemoryPath,
    item: Item,
    title: Option<String>,
) -> Step<()> {
    let present = desk.snapshot.file(to)?;
    let planned = changeset.files.iter().position(|f| f.path == *to);
    let text = match (planned, present) {
        (Some(i), _) => {
            changeset.files[i].after.as_ref().and_then(|b| String::from_utf8(b.to_vec()).ok()).unwrap_or_default()
        }
        (None, Some(file)) => file.document.text().to_owned(),
        (None, None) => skeleton(to),
    };
    let document = Document::parse(text);
    let place = match title {
        None => Place::End(0),
        Some(title) => match (1..document.sections().len()).find(|&i| document.section_title(i) == title) {
            Some(at) => Place::End(at),
            None => Place::NewSection { under: 0, title },
        },
    };
    let edited = edit(&document, &[Edit::Insert { at: place, items: vec![item] }])
        .map_err(|r| Rejection::new(Code::WouldBreakStructure, format!("in {to}: {}", r[0].why)))?;
    match planned {
        Some(i) => {
            changeset.files[i].after = Some(std::sync::Arc::new(edited.document.into_text().into_bytes()));
            changeset.files[i].edits = None;
        }
        None => {
            let edits = present.map(|_| edited.splices);
            changeset.files.push(change(to, present, Some(edited.document), edits, None));
        }
    }
    Ok(())
}
