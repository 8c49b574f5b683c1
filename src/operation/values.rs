//! `set`: metadata of bullets, titles and ids of sections, summary and front matter of files.
//!
//! Never re-serialises anything: one value is spliced, the rest keeps its bytes.

use crate::change::Sign;
use crate::code::{Code, Rejection};
use crate::document::{Document, Edit, slug};
use crate::path::{MemoryPath, is_id};
use crate::text::Splice;

use super::desk::Desk;
use super::draft::{Draft, Echo};
use super::keys::{bad, check_line, key_grammar, shown};
use super::locate::{SectionRef, resolve};
use super::snapshot::Step;
use super::{Operation, Target, bullets, effects, refuse, whole};

/// Sets values on whatever the address names.
pub fn set(desk: &mut Desk<'_>, n: usize, op: &Operation, at: &Target, pairs: &[(String, String)]) -> Step<Vec<Draft>> {
    let spot = resolve(at, desk.snapshot, desk.cx.prefixes, desk.cx.policy)?;
    if pairs.is_empty() {
        return Err(Rejection::new(Code::Usage, "set needs KEY=VALUE").into());
    }
    if spot.bullet.is_some() {
        return bullets::set_meta(desk, n, op, spot, pairs);
    }
    desk.proof(n, op, &spot)?;
    let file = desk.changeable(&spot)?;
    let section = match &spot.section {
        SectionRef::File => 0,
        SectionRef::At(at) => *at,
        SectionRef::Missing(name) => return Err(refuse::no_section(file, &spot.path, name).into()),
    };
    let mut drafts = Vec::new();
    for (key, value) in pairs {
        drafts.extend(match section {
            0 => file_value(&file.document, &spot.path, key, value, n)?,
            at => vec![section_value(&file.document, &spot.path, at, key, value, n)?],
        });
    }
    if drafts.is_empty() {
        drafts.push(Draft::Same(effects::line(&spot.path, Sign::Same, "the values are set already", None, n)));
    }
    Ok(drafts)
}

fn file_value(document: &Document, path: &MemoryPath, key: &str, value: &str, n: usize) -> Step<Vec<Draft>> {
    let told = Echo::Told(vec![effects::line(path, Sign::Set, format!("{key}={value}"), None, n)]);
    if key == "summary" {
        check_line(value)?;
        if document.summary().is_some_and(|s| document.text()[s.value.range()] == *value) {
            return Ok(Vec::new());
        }
        let nothing =
            Edit::Raw(Splice { start: document.text().len(), end: document.text().len(), new: String::new() });
        return Ok(vec![Draft::Edit(path.clone(), nothing, told), Draft::Line(path.clone(), value.to_owned())]);
    }
    if key == "title" {
        let title = whole::one_line("title", value)?;
        let splice = match document.sections().iter().find(|s| s.level == 1) {
            Some(h1) if document.text()[h1.title.range()] == *title => return Ok(Vec::new()),
            Some(h1) => Splice { start: h1.title.start as usize, end: h1.title.end as usize, new: title.to_owned() },
            None => {
                let at = document.front_matter().map_or(0, |f| f.end as usize);
                let eol = document.eol().as_str();
                Splice { start: at, end: at, new: format!("# {title}{eol}{eol}") }
            }
        };
        return Ok(vec![Draft::Edit(path.clone(), Edit::Raw(splice), told)]);
    }
    key_grammar(key)?;
    if value.chars().any(char::is_control) {
        return Err(Rejection::new(Code::Multiline, "a value must be one line without control characters").into());
    }
    let splice = match document.set_front(key, value) {
        Some(splice) if document.text()[splice.start..splice.end] == splice.new => return Ok(Vec::new()),
        Some(splice) => splice,
        None => {
            let eol = document.eol().as_str();
            let bom = if document.text().starts_with('\u{feff}') { 3 } else { 0 };
            let fresh = Document::parse("---\n---\n");
            let line = fresh.set_front(key, value).map(|s| s.new.trim_end().to_owned()).unwrap_or_default();
            Splice { start: bom, end: bom, new: format!("---{eol}{line}{eol}---{eol}{eol}") }
        }
    };
    Ok(vec![Draft::Edit(path.clone(), Edit::Raw(splice), told)])
}

fn section_value(document: &Document, path: &MemoryPath, at: usize, key: &str, value: &str, n: usize) -> Step<Draft> {
    let section = &document.sections()[at];
    let splice = match key {
        "title" => {
            let title = whole::one_line("title", value)?;
            Splice { start: section.title.start as usize, end: section.title.end as usize, new: title.to_owned() }
        }
        "id" if section.level <= 6 && section.id.is_none() => {
            if !is_id(value) {
                return Err(bad("id", value, "a letter, then 1–63 letters, digits, '_' or '-'").into());
            }
            let end = section.title.end as usize;
            Splice { start: end, end, new: format!(" {{#{value}}}") }
        }
        "id" => return Err(Rejection::new(Code::Exists, "the section has an id already").into()),
        _ => {
            return Err(
                Rejection::new(Code::Usage, format!("a section has a title and an id, no '{}'", shown(key))).into()
            );
        }
    };
    let after = crate::text::splice(document.text(), std::slice::from_ref(&splice)).unwrap_or_default();
    let after = Document::parse(after);
    let kept = after.sections().len() == document.sections().len() && after.bullets().len() == document.bullets().len();
    if !kept || (key == "title" && slug(&after.section_title(at)) != slug(value)) {
        return Err(Rejection::new(Code::WouldBreakStructure, "that title makes no heading").into());
    }
    let told = effects::line(path, Sign::Set, format!("{key}={value}"), Some(section.slug.clone()), n);
    Ok(Draft::Edit(path.clone(), Edit::Raw(splice), Echo::Told(vec![told])))
}
