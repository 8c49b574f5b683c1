//! Plans `set`: metadata of bullets, titles and ids of sections, summary, title and front matter of files.
//!
//! Never serializes front matter or headings anew: one value is replaced, all other bytes stay.

use serde_json::Value;

use crate::change::{Effect, EffectSign};
use crate::code::{Code, Rejection, quote_short};
use crate::document::{Document, DocumentEdit, slug};
use crate::path::{MemoryPath, is_id};
use crate::policy::yaml;
use crate::text::Splice;

use super::field_checks::{check_key, check_summary_line, invalid_value};
use super::pending_edit::{EffectKind, PendingEdit};
use super::planner::{IndexedOperation, Planner};
use super::section_links::{LineBreaks, SectionChange};
use super::snapshot::PlanStep;
use super::{bullets, effects, whole_file};

/// Sets values on the bullet, section or file that the address names.
pub fn set(
    planner: &mut Planner<'_>,
    request: IndexedOperation<'_>,
    pairs: &[(String, String)],
) -> PlanStep<Vec<PendingEdit>> {
    let resolved = planner.resolve(request.at)?;
    if pairs.is_empty() {
        return Err(Rejection::new(Code::Usage, "no KEY=VALUE given").into());
    }
    if resolved.bullet.is_some() {
        return bullets::set_meta(planner, request, resolved, pairs);
    }
    planner.check_if_match(request, &resolved);
    let file = planner.existing_writable_file(&resolved)?;
    let section = resolved.existing_section(file)?;
    let n = request.index;
    let mut pending = Vec::new();
    let mut new_front = NewFrontMatter::default();
    for (key, value) in pairs {
        let edits = match section {
            0 => set_file_value(&file.document, &resolved.path, key, value, n, &mut new_front)?,
            at => vec![set_section_value(&file.document, &resolved.path, at, key, value, n)?],
        };
        if key == "title"
            && let Some(PendingEdit::Edit(_, DocumentEdit::Raw(title), _)) = edits.first()
            && title.start < title.end
            && file.document.sections().iter().any(|section| section.title.start as usize == title.start)
        {
            pending.extend(renamed_links(planner, n, &resolved.path, &file.document, title)?);
        }
        pending.extend(edits);
    }
    // Before a title that is added at the same place.
    pending.splice(..0, new_front.into_edit(&file.document, &resolved.path));
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
    let change = SectionChange {
        from: path,
        document,
        title: Some(title),
        after: parse_after(document, title),
        moved: None,
        lines: LineBreaks::default(),
    };
    Ok(change.update_links(planner, n)?.pending)
}

/// The keys that are set in a file without front matter.
#[derive(Default)]
struct NewFrontMatter {
    lines: Vec<String>,
    effects: Vec<Effect>,
}

impl NewFrontMatter {
    /// The edit that writes them as one front matter, at the start of the file; none without keys.
    fn into_edit(self, document: &Document, path: &MemoryPath) -> Option<PendingEdit> {
        if self.lines.is_empty() {
            return None;
        }
        let (at, eol) = (document.body_start(), document.eol().as_str());
        let new = format!("---{eol}{}{eol}---{eol}{eol}", self.lines.join(eol));
        let splice = DocumentEdit::Raw(Splice { start: at, end: at, new });
        Some(PendingEdit::Edit(path.clone(), splice, EffectKind::Prepared(self.effects)))
    }
}

fn set_file_value(
    document: &Document,
    path: &MemoryPath,
    key: &str,
    value: &str,
    n: usize,
    new_front: &mut NewFrontMatter,
) -> PlanStep<Vec<PendingEdit>> {
    let effect = effects::line_effect(path, EffectSign::Set, format!("{key}={value}"), None, n);
    let prepared = |effect| EffectKind::Prepared(vec![effect]);
    if key == "summary" {
        check_summary_line(value)?;
        if document.summary_line().is_some_and(|s| document.text()[s.value.range()] == *value) {
            return Ok(Vec::new());
        }
        let empty_edit =
            DocumentEdit::Raw(Splice { start: document.text().len(), end: document.text().len(), new: String::new() });
        return Ok(vec![
            PendingEdit::Edit(path.clone(), empty_edit, prepared(effect)),
            PendingEdit::SetSummary(path.clone(), value.to_owned()),
        ]);
    }
    if key == "title" {
        let title = whole_file::require_one_line("title", value)?;
        let heading = document.sections().iter().find(|s| s.level == 1);
        let has_front_title = document.has_front_key(key);
        let in_front = if has_front_title { front_splice(document, path, key, title)? } else { None };
        let in_text = match heading {
            Some(h1) if document.text()[h1.title.range()] == *title => None,
            Some(h1) => {
                Some(Splice { start: h1.title.start as usize, end: h1.title.end as usize, new: title.to_owned() })
            }
            None if has_front_title => None,
            None => {
                let at = document.body_start();
                let eol = document.eol().as_str();
                Some(Splice { start: at, end: at, new: format!("# {title}{eol}{eol}") })
            }
        };
        if let Some(splice) = &in_text {
            let after = parse_after(document, splice);
            require_title(title, &after.section_title(0))?;
            require_same_parts(document, &after, usize::from(heading.is_none()))?;
        }
        // Two edits, one effect.
        let mut effect = Some(effect);
        let mut edit = |splice| {
            let kind = effect.take().map_or(EffectKind::NoEffect, prepared);
            PendingEdit::Edit(path.clone(), DocumentEdit::Raw(splice), kind)
        };
        return Ok(in_text.into_iter().chain(in_front).map(&mut edit).collect());
    }
    check_key(key)?;
    if value.chars().any(char::is_control) {
        return Err(Rejection::new(Code::Multiline, "a value must be one line without control characters").into());
    }
    if value.is_empty() && !document.has_front_key(key) {
        return Ok(Vec::new());
    }
    if document.front_matter().is_none() {
        let fresh = Document::parse("---\n---\n");
        new_front.lines.extend(fresh.set_front_value(key, value).map(|line| line.new.trim_end().to_owned()));
        new_front.effects.push(effect);
        return Ok(Vec::new());
    }
    let splice = front_splice(document, path, key, value)?;
    let edit = splice.map(|splice| PendingEdit::Edit(path.clone(), DocumentEdit::Raw(splice), prepared(effect)));
    Ok(edit.into_iter().collect())
}

/// The replacement of a value in the front matter; `None` if it has that value already.
fn front_splice(document: &Document, path: &MemoryPath, key: &str, value: &str) -> Result<Option<Splice>, Rejection> {
    let splice = document
        .set_front_value(key, value)
        .filter(|splice| changes_only_key(document, splice, key, value))
        .ok_or_else(|| front_matter_not_changed(path, key))?;
    Ok(Some(splice).filter(|splice| document.text()[splice.start..splice.end] != splice.new))
}

/// Whether a replacement sets or removes this key of the front matter and keeps all others, as a YAML parser reads it.
/// In a front matter that is no valid YAML, only a value on one line is replaced.
fn changes_only_key(document: &Document, splice: &Splice, key: &str, value: &str) -> bool {
    let Ok(after) = crate::text::splice(document.text(), std::slice::from_ref(splice)) else { return false };
    let after = front_matter_keys(&Document::parse(after));
    match front_matter_keys(document) {
        Ok(Some(mut keys)) => {
            if value.is_empty() {
                drop(keys.remove(key))
            } else {
                drop(keys.insert(key.to_owned(), value.into()))
            }
            after == Ok(Some(keys))
        }
        Ok(None) => false,
        Err(()) => after != Ok(None) && (document.front_value(key).is_some() || !document.has_front_key(key)),
    }
}

/// The keys of a front matter and their values; `None` if it is YAML of another form.
///
/// # Errors
/// If it is no valid YAML.
fn front_matter_keys(document: &Document) -> Result<Option<serde_json::Map<String, Value>>, ()> {
    let text = document.front_matter().map_or("", |front| &document.text()[front.range()]);
    let lines: Vec<&str> = text.lines().collect();
    // With the last line end, which belongs to a block of text: `a: |`.
    let inner = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default().iter().flat_map(|line| [*line, "\n"]);
    match yaml::parse(&inner.collect::<String>()) {
        Ok(Value::Object(keys)) => Ok(Some(keys)),
        Ok(Value::Null) => Ok(Some(serde_json::Map::new())),
        Ok(_) => Ok(None),
        Err(_) => Err(()),
    }
}

fn front_matter_not_changed(path: &MemoryPath, key: &str) -> Rejection {
    let message = format!("'{key}' in the front matter of {path} cannot be changed without changing the rest of it");
    Rejection::new(Code::WouldBreakStructure, message).hint("edit the front matter in the file itself")
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
                format!("a section has no {}; only its title and id can be set", quote_short(key)),
            )
            .into());
        }
    };
    let after = parse_after(document, &splice);
    if key == "title" {
        require_title(value, &after.section_title(at))?;
    }
    require_same_parts(document, &after, 0)?;
    let effect = effects::line_effect(path, EffectSign::Set, format!("{key}={value}"), Some(section.slug.clone()), n);
    Ok(PendingEdit::Edit(path.clone(), DocumentEdit::Raw(splice), EffectKind::Prepared(vec![effect])))
}

/// A document with one replacement.
fn parse_after(document: &Document, splice: &Splice) -> Document {
    Document::parse(crate::text::splice(document.text(), std::slice::from_ref(splice)).unwrap_or_default())
}

/// Refuses a title that Markdown reads as another one.
fn require_title(title: &str, read: &str) -> Result<(), Rejection> {
    if slug(read) == slug(title) { Ok(()) } else { Err(whole_file::misread_title(title, read)) }
}

/// Refuses a change that makes or removes sections or bullets, other than so many new sections.
fn require_same_parts(document: &Document, after: &Document, new_sections: usize) -> Result<(), Rejection> {
    let is_same = after.sections().len() == document.sections().len() + new_sections
        && after.bullets().len() == document.bullets().len();
    if is_same {
        Ok(())
    } else {
        Err(Rejection::new(Code::WouldBreakStructure, "the change would make another section or bullet"))
    }
}
