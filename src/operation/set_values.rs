//! Plans `set`: metadata of bullets, titles and ids of sections, summary, title and front matter of files.
//!
//! Never serializes front matter or headings anew: one value is replaced, all other bytes stay.

use crate::change::EffectSign;
use crate::code::{Code, Rejection};
use crate::document::{Document, DocumentEdit, slug};
use crate::path::{MemoryPath, is_id};
use crate::text::Splice;

use super::field_checks::{check_key, check_summary_line, escape_for_message, invalid_value};
use super::locate::{SectionRef, resolve};
use super::pending_edit::{EffectKind, PendingEdit};
use super::planner::Planner;
use super::section_links::{LineBreaks, SectionChange};
use super::snapshot::PlanStep;
use super::{Operation, Target, bullets, effects, rejections, whole_file};

/// Sets values on the bullet, section or file that the address names.
pub fn set(
    planner: &mut Planner<'_>,
    n: usize,
    op: &Operation,
    at: &Target,
    pairs: &[(String, String)],
) -> PlanStep<Vec<PendingEdit>> {
    let resolved = resolve(at, planner.snapshot, planner.context.prefixes, planner.context.policy)?;
    if pairs.is_empty() {
        return Err(Rejection::new(Code::Usage, "no KEY=VALUE given").into());
    }
    if resolved.bullet.is_some() {
        return bullets::set_meta(planner, n, op, resolved, pairs);
    }
    planner.check_if_match(n, op, &resolved);
    let file = planner.existing_writable_file(&resolved)?;
    let section = match &resolved.section {
        SectionRef::File => 0,
        SectionRef::At(at) => *at,
        SectionRef::Missing(name) => return Err(rejections::section_not_found(file, &resolved.path, name).into()),
    };
    let mut pending = Vec::new();
    for (key, value) in pairs {
        let edits = match section {
            0 => set_file_value(&file.document, &resolved.path, key, value, n)?,
            at => vec![set_section_value(&file.document, &resolved.path, at, key, value, n)?],
        };
        if key == "title"
            && let Some(PendingEdit::Edit(_, DocumentEdit::Raw(title), _)) = edits.first()
            && title.start < title.end
        {
            pending.extend(renamed_links(planner, n, &resolved.path, &file.document, title)?);
        }
        pending.extend(edits);
    }
    if pending.is_empty() {
        pending.push(PendingEdit::Unchanged(effects::line_effect(
            &resolved.path,
            EffectSign::Unchanged,
            "the values are already set",
            None,
            n,
        )));
    }
    Ok(pending)
}

/// The edits that let links to a section with a new title follow.
fn renamed_links(
    planner: &mut Planner<'_>,
    n: usize,
    path: &MemoryPath,
    document: &Document,
    title: &Splice,
) -> PlanStep<Vec<PendingEdit>> {
    let after = crate::text::splice(document.text(), std::slice::from_ref(title)).unwrap_or_default();
    let change = SectionChange {
        from: path,
        document,
        title: Some(title),
        after: Document::parse(after),
        moved: None,
        lines: LineBreaks::default(),
    };
    Ok(change.update_links(planner, n)?.pending)
}

fn set_file_value(
    document: &Document,
    path: &MemoryPath,
    key: &str,
    value: &str,
    n: usize,
) -> PlanStep<Vec<PendingEdit>> {
    let effect_kind =
        EffectKind::Prepared(vec![effects::line_effect(path, EffectSign::Set, format!("{key}={value}"), None, n)]);
    if key == "summary" {
        check_summary_line(value)?;
        if document.summary_line().is_some_and(|s| document.text()[s.value.range()] == *value) {
            return Ok(Vec::new());
        }
        let empty_edit =
            DocumentEdit::Raw(Splice { start: document.text().len(), end: document.text().len(), new: String::new() });
        return Ok(vec![
            PendingEdit::Edit(path.clone(), empty_edit, effect_kind),
            PendingEdit::SetSummary(path.clone(), value.to_owned()),
        ]);
    }
    if key == "title" {
        let title = whole_file::require_one_line("title", value)?;
        let splice = match document.sections().iter().find(|s| s.level == 1) {
            Some(h1) if document.text()[h1.title.range()] == *title => return Ok(Vec::new()),
            Some(h1) => Splice { start: h1.title.start as usize, end: h1.title.end as usize, new: title.to_owned() },
            None => {
                let at = document.front_matter().map_or(0, |f| f.end as usize);
                let eol = document.eol().as_str();
                Splice { start: at, end: at, new: format!("# {title}{eol}{eol}") }
            }
        };
        return Ok(vec![PendingEdit::Edit(path.clone(), DocumentEdit::Raw(splice), effect_kind)]);
    }
    check_key(key)?;
    if value.chars().any(char::is_control) {
        return Err(Rejection::new(Code::Multiline, "a value must be one line without control characters").into());
    }
    let splice = match document.set_front_value(key, value) {
        Some(splice) if document.text()[splice.start..splice.end] == splice.new => return Ok(Vec::new()),
        Some(splice) => splice,
        None => {
            let eol = document.eol().as_str();
            let bom = if document.text().starts_with('\u{feff}') { 3 } else { 0 };
            let fresh = Document::parse("---\n---\n");
            let line = fresh.set_front_value(key, value).map(|s| s.new.trim_end().to_owned()).unwrap_or_default();
            Splice { start: bom, end: bom, new: format!("---{eol}{line}{eol}---{eol}{eol}") }
        }
    };
    Ok(vec![PendingEdit::Edit(path.clone(), DocumentEdit::Raw(splice), effect_kind)])
}

fn set_section_value(
    document: &Document,
    path: &MemoryPath,
    at: usize,
    key: &str,
    value: &str,
    n: usize,
) -> PlanStep<PendingEdit> {
    let section = &document.sections()[at];
    let splice = match key {
        "title" => {
            let title = whole_file::require_one_line("title", value)?;
            Splice { start: section.title.start as usize, end: section.title.end as usize, new: title.to_owned() }
        }
        "id" if section.level <= 6 && section.id.is_none() => {
            if !is_id(value) {
                return Err(invalid_value(
                    "id",
                    value,
                    "a letter or digit, then 1–63 letters, digits, '_' or '-'; not digits alone",
                )
                .into());
            }
            let end = section.title.end as usize;
            Splice { start: end, end, new: format!(" {{#{value}}}") }
        }
        "id" => return Err(Rejection::new(Code::Exists, "the section already has an id").into()),
        _ => {
            return Err(Rejection::new(
                Code::Usage,
                format!("a section has no '{}'; only its title and id can be set", escape_for_message(key)),
            )
            .into());
        }
    };
    let after = crate::text::splice(document.text(), std::slice::from_ref(&splice)).unwrap_or_default();
    let after = Document::parse(after);
    let kept = after.sections().len() == document.sections().len() && after.bullets().len() == document.bullets().len();
    if key == "title" && slug(&after.section_title(at)) != slug(value) {
        return Err(super::whole_file::misread_title(value, &after.section_title(at)).into());
    }
    if !kept {
        return Err(Rejection::new(Code::WouldBreakStructure, "the change would make another section or bullet").into());
    }
    let effect = effects::line_effect(path, EffectSign::Set, format!("{key}={value}"), Some(section.slug.clone()), n);
    Ok(PendingEdit::Edit(path.clone(), DocumentEdit::Raw(splice), EffectKind::Prepared(vec![effect])))
}
