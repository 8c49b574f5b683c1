//! `mv`: bullets, sections and files get another place; links to a moved file follow.
//!
//! Never touches a link it is not sure of.

use crate::change::{Changeset, Effect, FileChange, Sign};
use crate::code::{Code, Rejection};
use crate::document::links::{links, names};
use crate::document::{Document, Edit, Place, item_of, section_range};
use crate::path::{Address, MemoryPath};
use crate::text::{Splice, splice};

use super::bullets::{Pick, pick};
use super::desk::Desk;
use super::draft::{Draft, Echo};
use super::locate::{self, SectionRef, Spot, resolve, title_for};
use super::snapshot::{Loaded, Step};
use super::{Operation, Target, effects, gates, refuse, whole};

/// Moves whatever the address names.
pub fn relocate(
    desk: &mut Desk<'_>,
    n: usize,
    op: &Operation,
    at: &Target,
    to: &str,
    create: bool,
) -> Step<Vec<Draft>> {
    let spot = resolve(at, desk.snapshot, desk.cx.prefixes, desk.cx.policy)?;
    desk.proof(n, op, &spot)?;
    if spot.bullet.is_some() {
        let (Pick::Act(bullet) | Pick::Done(bullet)) = pick(desk, n, op, &spot, None, None, None)?;
        let file = desk.changeable(&spot)?;
        return move_bullet(desk, n, op, &spot, file, bullet, to, create);
    }
    let file = desk.changeable(&spot)?;
    match &spot.section {
        SectionRef::File => move_file(desk, n, &spot.path, to, create),
        SectionRef::At(section) => move_section(desk, n, op, &spot, file, *section, to, create),
        SectionRef::Missing(name) => Err(refuse::no_section(file, &spot.path, name).into()),
    }
}

#[allow(clippy::too_many_arguments, reason = "one move, its two ends")]
fn move_bullet(
    desk: &mut Desk<'_>,
    n: usize,
    op: &Operation,
    from: &Spot<'_>,
    file: &Loaded,
    bullet: usize,
    to: &str,
    create: bool,
) -> Step<Vec<Draft>> {
    let dest = locate::address(to, desk.snapshot, desk.cx.prefixes)?;
    if dest.bullet.is_some() {
        return Err(Rejection::new(Code::Usage, "a bullet moves to a file or section").into());
    }
    let other = Operation { if_match: None, ..op.clone() };
    let base = desk.writable(n, &other, &dest.path, create)?;
    let document = desk.document(&base);
    let item = item_of(&file.document, bullet);
    let (place, within) = match &dest.section {
        SectionRef::File => (Place::End(0), 0),
        SectionRef::At(at) => (Place::End(*at), *at),
        SectionRef::Missing(name) => (Place::NewSection { under: 0, title: title_for(name) }, usize::MAX),
    };
    let home = file.document.bullets()[bullet].section as usize;
    if dest.path == from.path && home == within {
        return Ok(vec![Draft::Same(effects::bullet(&file.document, &from.path, bullet, Sign::Same, n))]);
    }
    let twins = document.by_text(&item.text);
    let same = dest.path == from.path;
    if let Some(&twin) = twins
        .iter()
        .find(|&&i| !(same && i == bullet) && within != usize::MAX && document.bullets()[i].section as usize == within)
    {
        return Err(refuse::duplicate(document, &dest.path, twin, twin).into());
    }
    let place_name = match (&dest.section, document) {
        (SectionRef::At(at), d) => format!("{}#{}", dest.path, d.sections()[*at].slug),
        (SectionRef::Missing(name), _) => format!("{}#{}", dest.path, crate::document::slug(name)),
        _ => dest.path.to_string(),
    };
    Ok(vec![
        Draft::Edit(from.path.clone(), Edit::Remove { bullet }, Echo::MovedAway(bullet, place_name)),
        Draft::Edit(dest.path.clone(), Edit::Insert { at: place, items: vec![item] }, Echo::Silent),
    ])
}

#[allow(clippy::too_many_arguments, reason = "one move, its two ends")]
fn move_section(
    desk: &mut Desk<'_>,
    n: usize,
    op: &Operation,
    from: &Spot<'_>,
    file: &Loaded,
    section: usize,
    to: &str,
    create: bool,
) -> Step<Vec<Draft>> {
    let dest = locate::address(to, desk.snapshot, desk.cx.prefixes)?;
    if dest.bullet.is_some() {
        return Err(Rejection::new(Code::Usage, "a section moves to a file or section").into());
    }
    if dest.path == from.path {
        return match dest.section {
            SectionRef::Missing(name) => super::values::set(
                desk,
                n,
                op,
                &Target::Address(format!("{}#{}", from.path, file.document.sections()[section].slug)),
                &[("title".into(), title_for(&name))],
            ),
            _ => Err(Rejection::new(Code::Exists, "the section stands in that file already")
                .hint("to rename it, give a title that is free")
                .into()),
        };
    }
    let other = Operation { if_match: None, ..op.clone() };
    let base = desk.writable(n, &other, &dest.path, create)?;
    let document = desk.document(&base);
    let range = section_range(&file.document, section);
    let mut block = file.document.text()[range.clone()].trim_end().to_owned() + "\n";
    let mut title = file.document.section_title(section).into_owned();
    if let SectionRef::Missing(name) = &dest.section {
        let s = &file.document.sections()[section];
        let (a, b) = (s.title.start as usize - range.start, s.title.end as usize - range.start);
        title = title_for(name);
        block.replace_range(a..b, &title);
    }
    if let SectionRef::At(_) = dest.section {
        return Err(Rejection::new(Code::Exists, format!("{} has that section already", dest.path)).into());
    }
    let twin = (1..document.sections().len()).any(|i| document.section_title(i) == title);
    if twin {
        return Err(Rejection::new(Code::Exists, format!("{} has a section of that title already", dest.path)).into());
    }
    let put = whole::at_end(document, &block)
        .map_err(|why| Rejection::new(Code::WouldBreakStructure, format!("in {}: {why}", dest.path)))?;
    let mut told = effects::line(
        &from.path,
        Sign::Moved,
        effects::heading(&file.document, section),
        effects::section_slug(&file.document, section),
        n,
    );
    told.to = Some(format!("{}#{}", dest.path, crate::document::slug(&title)));
    Ok(vec![
        Draft::Edit(from.path.clone(), Edit::Raw(whole::cut(&file.document, range)), Echo::Told(vec![told])),
        Draft::Edit(dest.path.clone(), Edit::Raw(put), Echo::Silent),
    ])
}

fn move_file(desk: &mut Desk<'_>, n: usize, from: &MemoryPath, to: &str, create: bool) -> Step<Vec<Draft>> {
    let dest = file_name(desk, from, to)?;
    if dest == *from {
        return Ok(vec![Draft::Same(effects::line(from, Sign::Same, "the file has that name already", None, n))]);
    }
    if desk.snapshot.exists(&dest)? {
        return Err(refuse::exists(&dest).into());
    }
    gates::writable(&dest, None, desk.cx.own)?;
    if dest.folded() != from.folded() {
        gates::creatable(&dest, desk.snapshot, create || desk.cx.create || close_on_purpose(from, &dest), desk.cx.own)?;
    }
    let mut drafts = vec![Draft::Moved(from.clone(), dest.clone())];
    for holder in desk.snapshot.linking(from)? {
        let Some(file) = desk.snapshot.file(holder)? else { continue };
        let edits = relinked(&file.document, holder, from, &dest);
        if !edits.is_empty() && gates::writable(holder, Some(&file.document), desk.cx.own).is_ok() {
            drafts.push(Draft::Links(holder.clone(), edits));
        }
    }
    Ok(drafts)
}

/// A rename by a letter or two is meant: the old name goes.
fn close_on_purpose(from: &MemoryPath, to: &MemoryPath) -> bool {
    gates::close(from.stem(), to.stem())
}

/// The new path of a file: an address, or a folder that keeps the name (`mv user notes/`).
fn file_name(desk: &Desk<'_>, from: &MemoryPath, to: &str) -> Step<MemoryPath> {
    let written = match to.ends_with('/') {
        true => format!("{to}{}.md", from.stem()),
        false => to.to_owned(),
    };
    let Address::In(readings) = Address::parse(&written, desk.cx.prefixes)? else {
        return Err(Rejection::new(Code::Usage, "a file moves to a file").into());
    };
    let reading = &readings[readings.len() - 1];
    if reading.section.is_some() || reading.bullet.is_some() {
        return Err(Rejection::new(Code::Usage, "a file moves to a file").into());
    }
    for path in &reading.files {
        if desk.snapshot.exists(path)? {
            return Ok(path.clone());
        }
    }
    Ok(reading.files[reading.files.len() - 1].clone())
}

/// Puts a moved file (and the links it holds to itself) into the changeset.
pub fn moved(
    present: Option<&Loaded>,
    from: &MemoryPath,
    to: &MemoryPath,
    n: usize,
    edits: Vec<(usize, Edit, Echo)>,
    changeset: &mut Changeset,
) -> Step<()> {
    let Some(file) = present else { return Ok(()) };
    let mut text = file.document.text().to_owned();
    let mut raw: Vec<Splice> =
        edits.into_iter().filter_map(|(_, e, _)| if let Edit::Raw(s) = e { Some(s) } else { None }).collect();
    raw.sort_by_key(|s| s.start);
    if !raw.is_empty() {
        text = splice(&text, &raw).map_err(|_| Rejection::new(Code::Internal, "links overlap"))?;
    }
    changeset.effects.push(Effect { to: Some(to.to_string()), ..effects::line(from, Sign::Moved, "", None, n) });
    changeset.files.push(FileChange {
        path: from.clone(),
        before: Some(file.version.clone()),
        after: None,
        mode: None,
        edits: None,
        moved: Some(to.clone()),
        summary: None,
    });
    changeset.files.push(FileChange {
        path: to.clone(),
        before: None,
        after: Some(std::sync::Arc::new(text.into_bytes())),
        mode: Some(file.version.mode),
        edits: None,
        moved: Some(from.clone()),
        summary: None,
    });
    Ok(())
}

/// The replacements that let a file's links follow a move.
fn relinked(document: &Document, holder: &MemoryPath, from: &MemoryPath, to: &MemoryPath) -> Vec<Edit> {
    let text = document.text();
    links(document)
        .into_iter()
        .filter(|l| names(&text[l.start..l.end], l.wiki, holder, from))
        .map(|l| {
            let old = &text[l.start..l.end];
            let new = match l.wiki {
                true => wiki_name(old.trim(), from, to),
                false if text[..l.start].ends_with('<') => relative_to(holder, to),
                false => relative_to(holder, to).replace(' ', "%20").replace('(', "%28").replace(')', "%29"),
            };
            Edit::Raw(Splice { start: l.start, end: l.end, new })
        })
        .collect()
}

/// The new target in the manner of the old one: stem for stem, path for path, `.md` where it stood.
fn wiki_name(old: &str, from: &MemoryPath, to: &MemoryPath) -> String {
    let suffix = if old.ends_with(".md") { ".md" } else { "" };
    let bare = old.strip_suffix(".md").unwrap_or(old);
    let path = to.as_str().strip_suffix(".md").unwrap_or(to.as_str());
    let stem = bare.to_lowercase() == from.stem().to_lowercase();
    let name = if stem { to.stem() } else { path };
    format!("{name}{suffix}")
}

fn relative_to(holder: &MemoryPath, to: &MemoryPath) -> String {
    let here: Vec<&str> = holder.parent().split('/').filter(|p| !p.is_empty()).collect();
    let there: Vec<&str> = to.as_str().split('/').collect();
    let common = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
    let mut out = vec![".."; here.len() - common];
    out.extend(&there[common..]);
    out.join("/")
}
