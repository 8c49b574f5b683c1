//! Operations on bullets, from what is wanted to edits: `add`, `update`, `rm`, and `set` of their metadata.
//!
//! Looks only at the texts before the batch; never at what other operations of the batch do.

use crate::change::{Effect, Sign};
use crate::code::{Code, Rejection, Warning};
use crate::document::{Document, Edit, Item, Place, item_of, section_range};
use crate::path::{BulletRef, MemoryPath};

use super::choose::{Choice, Selector, choose};
use super::desk::Desk;
use super::draft::{Draft, Echo};
use super::locate::{self, SectionRef, Spot, resolve, title_for};
use super::snapshot::{Step, Stop, is_current};
use super::{Operation, Target, effects, gates, inert, keys, refuse};

/// The bullet an operation is about, and whether anything is to be done.
pub enum Pick {
    /// Act on it.
    Act(usize),
    /// It reads so already.
    Done(usize),
}

/// Finds the one bullet that an operation names.
pub fn pick(
    desk: &mut Desk<'_>,
    n: usize,
    op: &Operation,
    spot: &Spot<'_>,
    index: Option<i64>,
    text: Option<&str>,
    new: Option<&str>,
) -> Step<Pick> {
    let Some(file) = spot.file else { return Err(refuse::no_file(&spot.path, desk.snapshot).into()) };
    // What cannot be written is told as that, not as a bullet that conflict markers have swallowed.
    gates::writable(&spot.path, Some(&file.document), desk.cx.own)?;
    let section = match &spot.section {
        SectionRef::File => 0,
        SectionRef::At(at) => *at,
        SectionRef::Missing(name) => return Err(refuse::no_section(file, &spot.path, name).into()),
    };
    let (name, nth) = match &spot.bullet {
        Some(BulletRef::Name(name)) => (Some(name.as_str()), None),
        Some(BulletRef::Nth(nth)) => (None, Some(i64::try_from(*nth).unwrap_or(i64::MAX))),
        None => (None, None),
    };
    if let (Some(nth), Some(index)) = (nth, index)
        && nth != index
    {
        return Err(Rejection::new(Code::Usage, format!("the address says bullet {nth}, the index {index}")).into());
    }
    let inert = match name.is_some_and(|name| locate::holding_id(&file.document, name).next().is_some()) {
        true => inert::bullets(&file.document, &spot.path, desk.snapshot)?,
        false => Vec::new(),
    };
    let part = &file.document.text()[section_range(&file.document, section)];
    let selector = Selector {
        name,
        index: nth.or(index),
        text,
        section,
        seen: op.if_match.is_some() || is_current(op.seen.as_deref(), file, Some(part)),
        force: desk.cx.force,
        new,
        inert: &inert,
    };
    match choose(&file.document, &selector) {
        Choice::Act(at) => Ok(Pick::Act(at)),
        Choice::Done(at) => Ok(Pick::Done(at)),
        Choice::Warn(at, code) => {
            desk.warn(n, refuse::disagreement(file, &spot.path, at, code, &selector));
            Ok(Pick::Act(at))
        }
        Choice::Refuse(code, found) => Err(refuse::choice(file, &spot.path, code, &found, &selector).into()),
        Choice::Gone => Err(refuse::gone(file, &spot.path, desk.snapshot.history(&spot.path)?, &selector).into()),
    }
}

/// `add`: at the end of a file's or section's own text; files and sections are made when missing.
pub fn add(desk: &mut Desk<'_>, n: usize, op: &Operation, at: &Target, item: Item, create: bool) -> Step<Vec<Draft>> {
    let spot = resolve(at, desk.snapshot, desk.cx.prefixes, desk.cx.policy)?;
    if spot.bullet.is_some() {
        return Err(Rejection::new(Code::Usage, "add takes a file or section, not a bullet").into());
    }
    let base = desk.writable(n, op, &spot.path, create)?;
    let document = desk.document(&base);
    let (place, within) = match &spot.section {
        SectionRef::File => (Place::End(0), Some(0)),
        SectionRef::At(at) => (Place::End(*at), Some(*at)),
        SectionRef::Missing(name) => (new_section(document, name, &spot.path)?, None),
    };
    if let Some(within) = within
        && let Some(&twin) = document.by_text(&item.text).iter().find(|&&i| locate::is_within(document, i, within))
    {
        return Ok(vec![Draft::Same(effects::bullet(document, &spot.path, twin, Sign::Same, n))]);
    }
    if let Some(within) = within {
        near_duplicate(desk, n, &spot.path, document, within, &item.text);
    }
    let item = desk.stamped_new(item, op);
    Ok(vec![Draft::Edit(spot.path, Edit::Insert { at: place, items: vec![item] }, Echo::Added)])
}

/// Where a missing section is made: below its parent when a path was given and the parent exists.
fn new_section(document: &Document, name: &str, path: &MemoryPath) -> Result<Place, Rejection> {
    let under = match name.rsplit_once('/') {
        Some((parent, _)) => locate::find_section(document, parent, path)?.unwrap_or(0),
        None => 0,
    };
    let title = title_for(name);
    if title.is_empty() || title.chars().any(char::is_control) {
        return Err(Rejection::new(Code::WouldBreakStructure, "that name makes no heading"));
    }
    Ok(Place::NewSection { under, title })
}

/// How many bullets a section may have before near duplicates are no longer looked for: it is a courtesy, not a proof.
const COURTESY: usize = 2000;

/// How many bullets are compared closely: a list of readings that differ in a number would cost more than it tells.
const ALIKE: usize = 8;

/// Whether most words of either text stand in the other: cheap, so that likeness is measured for a few bullets only.
fn mostly_shared(raw: &str, wanted: &[&str]) -> bool {
    let shared = wanted.iter().filter(|w| raw.contains(**w)).count();
    let size = raw.split_whitespace().count();
    shared * 5 >= wanted.len() * 4 && size * 4 <= wanted.len() * 5
}

fn near_duplicate(desk: &mut Desk<'_>, n: usize, path: &MemoryPath, document: &Document, within: usize, text: &str) {
    let bullets = document.bullets();
    if bullets.len() > COURTESY {
        return;
    }
    let wanted: Vec<&str> = text.split_whitespace().collect();
    let near = (0..bullets.len())
        .filter(|&i| locate::is_within(document, i, within))
        .filter(|&i| mostly_shared(document.bullet_raw(i), &wanted))
        .take(ALIKE)
        .find(|&i| crate::text::likeness(&document.bullet_text(i), text) >= crate::text::likeness::NEAR);
    if let Some(i) = near {
        let address = format!("{path}@{}", document.handle_name(i));
        desk.warn(
            n,
            Warning::new(Code::NearDuplicate, format!("{address} says nearly the same; added all the same"))
                .detail("address", address),
        );
    }
}

/// `update`: the first paragraph of one bullet.
pub fn update(
    desk: &mut Desk<'_>,
    n: usize,
    op: &Operation,
    at: &Target,
    index: Option<i64>,
    old: Option<&str>,
    text: &str,
) -> Step<Vec<Draft>> {
    let spot = resolve(at, desk.snapshot, desk.cx.prefixes, desk.cx.policy)?;
    desk.proof(n, op, &spot)?;
    let file = desk.changeable(&spot)?;
    let picked = pick(desk, n, op, &spot, index, old, Some(text))?;
    let document = &file.document;
    let bullet = match picked {
        Pick::Done(i) => return Ok(vec![Draft::Same(effects::bullet(document, &spot.path, i, Sign::Same, n))]),
        Pick::Act(i) => i,
    };
    let twins = document.by_text(text);
    if twins.contains(&bullet) {
        return Ok(vec![Draft::Same(effects::bullet(document, &spot.path, bullet, Sign::Same, n))]);
    }
    let section = document.bullets()[bullet].section;
    if let Some(&twin) = twins.iter().find(|&&i| document.bullets()[i].section == section) {
        return Err(refuse::duplicate(document, &spot.path, bullet, twin).into());
    }
    let mut drafts =
        vec![Draft::Edit(spot.path.clone(), Edit::Update { bullet, text: text.to_owned() }, Echo::Updated(bullet))];
    if let Some(meta) = desk.stamped_update(document, bullet, op) {
        drafts.push(Draft::Edit(spot.path, Edit::SetMeta { bullet, meta }, Echo::Silent));
    }
    Ok(drafts)
}

/// `rm`: a bullet, a section or a file.
pub fn remove(
    desk: &mut Desk<'_>,
    n: usize,
    op: &Operation,
    at: &Target,
    selector: (Option<i64>, Option<&str>),
    archive: bool,
) -> Step<Vec<Draft>> {
    let spot = resolve(at, desk.snapshot, desk.cx.prefixes, desk.cx.policy)?;
    if spot.bullet.is_none() && selector == (None, None) {
        return remove_block(desk, n, op, spot, archive);
    }
    desk.proof(n, op, &spot)?;
    let file = desk.changeable(&spot)?;
    let picked = pick(desk, n, op, &spot, selector.0, selector.1, None)?;
    let (Pick::Act(bullet) | Pick::Done(bullet)) = picked;
    let mut drafts = Vec::new();
    if archive {
        let to = desk.archive_of(&spot.path)?;
        let section = file.document.bullets()[bullet].section as usize;
        drafts.push(archived(desk, &to, &file.document, section, vec![item_of(&file.document, bullet)])?);
    }
    drafts.push(Draft::Edit(spot.path, Edit::Remove { bullet }, Echo::Removed(bullet)));
    Ok(drafts)
}

/// A section or file goes as a whole: nothing in it was named, so the whole must have been seen.
fn remove_block<'a>(desk: &mut Desk<'a>, n: usize, op: &Operation, spot: Spot<'a>, archive: bool) -> Step<Vec<Draft>> {
    let Some(file) = spot.file else { return Err(refuse::no_file(&spot.path, desk.snapshot).into()) };
    desk.proof(n, op, &spot)?;
    let section = match &spot.section {
        SectionRef::File => 0,
        SectionRef::At(at) => *at,
        SectionRef::Missing(name) => return Err(refuse::no_section(file, &spot.path, name).into()),
    };
    let range = section_range(&file.document, section);
    let proven =
        op.if_match.is_some() || is_current(op.seen.as_deref(), file, Some(&file.document.text()[range.clone()]));
    if !proven && !desk.cx.force {
        return Err(refuse::whole(file, &spot.path, section).into());
    }
    let file = desk.changeable(&spot)?;
    if section == 0 {
        if archive {
            let to = desk.archive_of(&spot.path)?;
            if desk.snapshot.exists(&to)? {
                return Err(refuse::exists(&to).into());
            }
            return Ok(vec![Draft::Moved(spot.path, to)]);
        }
        return Ok(vec![Draft::Gone(spot.path)]);
    }
    let mut told = vec![effects::line(
        &spot.path,
        Sign::Removed,
        effects::heading(&file.document, section),
        effects::section_slug(&file.document, section),
        n,
    )];
    let inside = |i: &usize| locate::is_within(&file.document, *i, section);
    told.extend(
        (0..file.document.bullets().len())
            .filter(inside)
            .map(|i| effects::bullet(&file.document, &spot.path, i, Sign::Removed, n)),
    );
    let mut drafts = Vec::new();
    if archive {
        let to = desk.archive_of(&spot.path)?;
        drafts.push(appended(desk, &to, &file.document.text()[range.clone()], Vec::new())?);
    }
    let cut = super::whole::cut(&file.document, range);
    drafts.push(Draft::Edit(spot.path, Edit::Raw(cut), Echo::Told(told)));
    Ok(drafts)
}

/// Puts items into an archive file, under the heading they come from.
pub fn archived(desk: &Desk<'_>, to: &MemoryPath, from: &Document, section: usize, items: Vec<Item>) -> Step<Draft> {
    let title = from.section_title(section).into_owned();
    let at = match desk.snapshot.file(to)? {
        Some(file) if section != 0 => {
            match (1..file.document.sections().len()).find(|&i| file.document.section_title(i) == title) {
                Some(there) => Place::End(there),
                None => Place::NewSection { under: 0, title },
            }
        }
        None if section != 0 && from.sections()[section].level > 1 => Place::NewSection { under: 0, title },
        _ => Place::End(0),
    };
    Ok(Draft::Edit(to.clone(), Edit::Insert { at, items }, Echo::Silent))
}

/// Appends a block of markdown to a file (made when missing).
pub fn appended(desk: &Desk<'_>, to: &MemoryPath, block: &str, told: Vec<Effect>) -> Step<Draft> {
    let base = match desk.snapshot.file(to)? {
        Some(file) => super::whole::at_end(&file.document, block),
        None => super::whole::at_end(&desk.skeleton(to), block),
    };
    let base = base.map_err(|why| Stop::from(Rejection::new(Code::WouldBreakStructure, why)))?;
    Ok(Draft::Edit(to.clone(), Edit::Raw(base), if told.is_empty() { Echo::Silent } else { Echo::Told(told) }))
}

/// `set` of a bullet's metadata.
pub fn set_meta<'a>(
    desk: &mut Desk<'a>,
    n: usize,
    op: &Operation,
    spot: Spot<'a>,
    pairs: &[(String, String)],
) -> Step<Vec<Draft>> {
    desk.proof(n, op, &spot)?;
    let file = desk.changeable(&spot)?;
    let (Pick::Act(bullet) | Pick::Done(bullet)) = pick(desk, n, op, &spot, None, None, None)?;
    let document = &file.document;
    let inert = inert::bullets(document, &spot.path, desk.snapshot)?;
    // What an inert line says was meant for another bullet: it goes when somebody says what this one has.
    let mut meta = document.bullet_meta(bullet).filter(|_| !inert.contains(&bullet)).unwrap_or_default();
    for (key, value) in pairs {
        keys::check_meta(key, value)?;
        if key == "id" && !value.is_empty() {
            unique_id(document, &spot.path, bullet, value, &inert)?;
        }
        meta.set(key, value);
    }
    if Some(&meta) == document.bullet_meta(bullet).as_ref()
        || (meta.0.is_empty() && document.bullet_meta(bullet).is_none())
    {
        return Ok(vec![Draft::Same(effects::bullet(document, &spot.path, bullet, Sign::Same, n))]);
    }
    let told = pairs.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ");
    Ok(vec![Draft::Edit(spot.path, Edit::SetMeta { bullet, meta }, Echo::Values(bullet, told))])
}

fn unique_id(
    document: &Document,
    path: &MemoryPath,
    bullet: usize,
    id: &str,
    inert: &[usize],
) -> Result<(), Rejection> {
    let bullets = locate::holding_id(document, id).filter(|i| *i != bullet && !inert.contains(i));
    let sections = document.sections().iter().filter(|s| s.id.as_deref() == Some(id));
    match bullets.count() + sections.count() {
        0 => Ok(()),
        _ => Err(Rejection::new(Code::Exists, format!("the id {id} is taken in {path}"))
            .hint("ids are unique in a file: choose another")),
    }
}
