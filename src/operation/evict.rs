//! Making room: the oldest items of a place that is over its limit go to the archive, first in, first out.
//!
//! Never removes what is pinned, nor what holds something pinned.

use std::collections::{HashMap, HashSet};

use crate::change::{Changeset, Sign};
use crate::code::{Code, Rejection, Warning};
use crate::document::{Document, Edit, Edited, Handle, Item, Meta, Place as Seat, edit, item_of, section_range};
use crate::path::MemoryPath;

use super::desk::{Desk, skeleton};
use super::limits::{Place, Size, entries};
use super::locate::is_within;
use super::snapshot::Step;
use super::written::change;
use super::{effects, inert, refuse, whole};

/// One thing that can make room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thing {
    /// A bullet of a top-level list, with all below it.
    Bullet(usize),
    /// A `##` entry, as the index of its section.
    Entry(usize),
}

/// What tells how old the items of a text are, beside the text.
#[derive(Clone, Debug, Default)]
pub struct Ages<'a> {
    /// Bullets whose metadata line says nothing.
    pub inert: &'a [usize],
    known: Option<(HashSet<Handle>, HashSet<&'a str>)>,
    today: &'a str,
    dates: Dates,
}

/// The dates of sections: what their `- Date:` says.
type Dates = HashMap<u32, String>;

impl<'a> Ages<'a> {
    /// Of a text; what stands in `before` is no newcomer; newcomers are of `today`. Without a text before, there are none.
    pub fn new(of: &Document, inert: &'a [usize], before: Option<&'a Document>, today: &'a str) -> Ages<'a> {
        let known = |d: &'a Document| {
            (d.handles().iter().copied().collect(), d.sections().iter().map(|s| s.slug.as_str()).collect())
        };
        Ages { inert, known: before.map(known), today, dates: dates(of) }
    }
}

/// Something on its way to the archive.
#[derive(Debug)]
pub struct Evicted {
    to: MemoryPath,
    what: Aside,
}

#[derive(Debug)]
enum Aside {
    /// A bullet, and the title of the section that it comes from.
    Item(Item, Option<String>),
    /// An entry: its lines.
    Entry(String),
}

/// A section's top-level bullets, least valuable first: pinned ones last, then by importance, age and place.
/// What an `inert` line says does not count.
pub fn least_valuable(document: &Document, section: usize, inert: &[usize]) -> Vec<usize> {
    let mut all = document.counted(section);
    let dates = dates(document);
    all.sort_by_cached_key(|&i| {
        let meta = said(document, i, inert);
        (is_pinned(&meta), importance(&meta), dated(document, i, &meta, &dates), i)
    });
    all
}

/// A bullet's metadata, unless its line is inert.
pub fn said(document: &Document, bullet: usize, inert: &[usize]) -> Meta {
    match inert.contains(&bullet) {
        true => Meta::default(),
        false => document.bullet_meta(bullet).unwrap_or_default(),
    }
}

/// How important, 0 to 10; 5 where nobody said.
pub fn importance(meta: &Meta) -> u8 {
    meta.get("imp").and_then(|v| v.parse().ok()).unwrap_or(5)
}

fn is_pinned(meta: &Meta) -> bool {
    meta.get("pin").is_some_and(|v| !matches!(v, "false" | "0" | "no"))
}

/// Whether a thing or anything in it is pinned.
pub fn holds_pin(document: &Document, thing: Thing, inert: &[usize]) -> bool {
    inside(document, thing).any(|i| is_pinned(&said(document, i, inert)))
}

/// The bullets in a thing, itself among them.
fn inside(document: &Document, thing: Thing) -> std::ops::Range<usize> {
    let span = lines_of(document, thing);
    let before = |at: usize| document.bullets().partition_point(|b| (b.line as usize) < at);
    before(span.start)..before(span.end)
}

/// The bytes of a thing's lines.
pub fn lines_of(document: &Document, thing: Thing) -> std::ops::Range<usize> {
    match thing {
        Thing::Bullet(i) => document.bullets()[i].line as usize..document.bullets()[i].end as usize,
        Thing::Entry(s) => section_range(document, s),
    }
}

/// What goes with a thing.
pub fn weight(document: &Document, thing: Thing) -> Size {
    let all: Vec<usize> = inside(document, thing).collect();
    Size {
        bullets: all.iter().filter(|&&i| document.bullets()[i].depth == 0).count(),
        entries: usize::from(matches!(thing, Thing::Entry(_))),
        chars: all.iter().map(|&i| document.bullet_text(i).chars().count()).sum(),
    }
}

/// Whether a thing stands there only since the change.
pub fn is_new(document: &Document, thing: Thing, ages: &Ages<'_>) -> bool {
    let Some((handles, slugs)) = &ages.known else { return false };
    match thing {
        Thing::Bullet(i) => !handles.contains(&document.handles()[i]),
        Thing::Entry(s) => !slugs.contains(document.sections()[s].slug.as_str()),
    }
}

/// How old a thing is, as a date that sorts: unknown sorts oldest, a newcomer without a date is of today.
pub fn age(document: &Document, thing: Thing, ages: &Ages<'_>) -> String {
    let date = match thing {
        Thing::Bullet(i) => dated(document, i, &said(document, i, ages.inert), &ages.dates),
        Thing::Entry(s) => ages.dates.get(&(s as u32)).cloned().unwrap_or_default(),
    };
    match date.is_empty() && is_new(document, thing, ages) {
        true => ages.today.to_owned(),
        false => date,
    }
}

/// A bullet's date: its metadata, then its entry's `- Date:`; unknown sorts oldest.
fn dated(document: &Document, bullet: usize, meta: &Meta, dates: &Dates) -> String {
    if let Some(date) = meta.get("upd").or_else(|| meta.get("added")) {
        return date.to_owned();
    }
    dates.get(&document.bullets()[bullet].section).cloned().unwrap_or_default()
}

/// The first `- Date:` of each section.
fn dates(document: &Document) -> Dates {
    let mut dates = Dates::new();
    for (i, bullet) in document.bullets().iter().enumerate().filter(|(_, b)| b.section != 0) {
        if document.bullet_raw(i).starts_with("Date:") {
            let date = || document.bullet_text(i)["Date:".len()..].trim().to_owned();
            dates.entry(bullet.section).or_insert_with(date);
        }
    }
    dates
}

/// What goes first in, first out, so that a place is over by nothing; `None` where the rest is pinned. Oldest first,
/// ties by place; `gone` goes already.
pub fn first_out(document: &Document, place: &Place, gone: &[Thing], ages: &Ages<'_>) -> Option<Vec<Thing>> {
    let section = place.section;
    let there = |t: &&Thing| match t {
        Thing::Bullet(i) => is_within(document, *i, section),
        Thing::Entry(s) => entries(document, section).contains(s),
    };
    let mut left = place.over(document);
    left = gone.iter().filter(there).fold(left, |left, t| left.less(weight(document, *t)));
    let mut out: Vec<Thing> = Vec::new();
    let things = |bullets: bool| -> Vec<Thing> {
        match bullets {
            false => entries(document, section).into_iter().map(Thing::Entry).collect(),
            true => document.counted(section).into_iter().map(Thing::Bullet).collect(),
        }
    };
    for bullets in [false, true] {
        let due = |left: &Size| if bullets { left.bullets > 0 || left.chars > 0 } else { left.entries > 0 };
        if !due(&left) {
            continue;
        }
        let taken: Vec<std::ops::Range<usize>> = gone.iter().chain(&out).map(|t| lines_of(document, *t)).collect();
        let mut all = things(bullets);
        all.retain(|t| !holds_pin(document, *t, ages.inert));
        all.retain(|t| !taken.iter().any(|range| range.contains(&lines_of(document, *t).start)));
        all.sort_by_cached_key(|t| (age(document, *t, ages), *t));
        for thing in all {
            if !due(&left) {
                break;
            }
            left = left.less(weight(document, thing));
            out.push(thing);
        }
    }
    left.is_none().then_some(out)
}

/// First in, first out: the oldest unpinned items make room and go to the archive. The answer says so.
pub fn evict(
    path: &MemoryPath,
    after: &Document,
    over: &[Place],
    changeset: &mut Changeset,
    evicted: &mut Vec<Evicted>,
    desk: &mut Desk<'_>,
) -> Step<Edited> {
    let before = desk.snapshot.file(path)?.map(|f| &f.document);
    let inert = inert::after(path, before, after, desk.snapshot)?;
    let today = desk.today();
    let ages = Ages::new(after, &inert, before, &today);
    let mut gone: Vec<Thing> = Vec::new();
    for place in over {
        match first_out(after, place, &gone, &ages) {
            Some(more) => gone.extend(more),
            None => return Err(all_pinned(after, path, place.section, &inert).into()),
        }
    }
    gone.sort_by_key(|t| lines_of(after, *t).start);
    let to = path.below("archive")?;
    let operation = changeset.operations.len().saturating_sub(1);
    for &thing in &gone {
        changeset.effects.extend(removed(after, path, thing, operation));
        let what = match thing {
            Thing::Entry(s) => Aside::Entry(after.text()[section_range(after, s)].to_owned()),
            Thing::Bullet(i) => {
                let section = after.bullets()[i].section as usize;
                let titled = section != 0 && after.sections()[section].level > 1;
                Aside::Item(item_of(after, i), titled.then(|| after.section_title(section).into_owned()))
            }
        };
        evicted.push(Evicted { to: to.clone(), what });
    }
    let message = format!(
        "{path} was over its limit: {} of its oldest {} went to {to} (first in, first out)",
        gone.len(),
        kind(&gone)
    );
    desk.warn(
        0,
        Warning::new(Code::LimitReached, message).detail("archive", to.as_str()).detail("archived", gone.len()),
    );
    edit(after, &edits(after, &gone))
        .map_err(|r| Rejection::new(Code::WouldBreakStructure, format!("in {path}: {}", r[0].why)).into())
}

/// The refusal of a place in which nothing may go.
pub fn all_pinned(document: &Document, path: &MemoryPath, section: usize, inert: &[usize]) -> Rejection {
    let least = least_valuable(document, section, inert);
    refuse::limit(document, path, section, "more than the policy allows, and the rest is pinned".into(), &least)
}

fn kind(gone: &[Thing]) -> &'static str {
    let entry = |t: &Thing| matches!(t, Thing::Entry(_));
    match (gone.iter().any(entry), gone.iter().all(entry)) {
        (_, true) => "entries",
        (true, _) => "items",
        _ => "bullets",
    }
}

/// How a thing that goes is told.
fn removed(document: &Document, path: &MemoryPath, thing: Thing, operation: usize) -> Vec<crate::change::Effect> {
    let heading = match thing {
        Thing::Bullet(_) => None,
        Thing::Entry(s) => Some(effects::line(
            path,
            Sign::Removed,
            effects::heading(document, s),
            effects::section_slug(document, s),
            operation,
        )),
    };
    let bullet = |i| effects::bullet(document, path, i, Sign::Removed, operation);
    match thing {
        Thing::Bullet(i) => vec![bullet(i)],
        Thing::Entry(_) => heading.into_iter().chain(inside(document, thing).map(bullet)).collect(),
    }
}

/// The edits that take things out; entries that touch go as one.
fn edits(document: &Document, gone: &[Thing]) -> Vec<Edit> {
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    let mut edits = Vec::new();
    for thing in gone {
        match thing {
            Thing::Bullet(bullet) => edits.push(Edit::Remove { bullet: *bullet }),
            Thing::Entry(s) => {
                let range = section_range(document, *s);
                match ranges.last_mut().filter(|last| last.end >= range.start) {
                    Some(last) => last.end = range.end,
                    None => ranges.push(range),
                }
            }
        }
    }
    edits.extend(ranges.into_iter().map(|range| Edit::Raw(whole::cut(document, range))));
    edits
}

/// Adds one evicted item to its archive file, which may have been changed by this changeset already.
pub fn put_aside(desk: &mut Desk<'_>, changeset: &mut Changeset, evicted: Evicted) -> Step<()> {
    let to = &evicted.to;
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
    let one = match evicted.what {
        Aside::Entry(block) => Edit::Raw(
            whole::at_end(&document, &block)
                .map_err(|why| Rejection::new(Code::WouldBreakStructure, format!("in {to}: {why}")))?,
        ),
        Aside::Item(item, title) => {
            let at = match title {
                None => Seat::End(0),
                Some(title) => match (1..document.sections().len()).find(|&i| document.section_title(i) == title) {
                    Some(at) => Seat::End(at),
                    None => Seat::NewSection { under: 0, title },
                },
            };
            Edit::Insert { at, items: vec![item] }
        }
    };
    let edited = edit(&document, &[one])
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
