//! Resources of json-memory as targets: the files that are one resource, and the bullets that are its fields.
//!
//! Never changes a field that the path does not name, and never makes a second place for a field that is there.

use super::locate::{ResolvedTarget, SectionRef, find_section, resolve, resolve_address};
use super::planner::PlanContext;
use super::snapshot::{LoadedFile, PlanStep, Snapshot};
use super::{Action, Operation, Target};
use crate::code::{Code, Rejection};
use crate::document::{Document, field_value_as_json, resource_field, section_titles, slug};
use crate::path::{MemoryPath, PathPrefixes};

/// The name of a resource in an address whose file ends in `.json`, as the finder of json-memory writes it, and the
/// rest of the address.
pub fn resource_name(written: &str) -> Option<(&str, &str)> {
    let (file, place) = written.split_at(written.find(['#', '@']).unwrap_or(written.len()));
    Some((file.strip_suffix(".json")?, place))
}

/// Resolves a place in the file of a resource. Of several files with its name, the one that the first name of the path
/// is.
///
/// # Errors
/// `ambiguous_id` if that decides nothing.
pub fn resolve_resource<'a>(
    written: &str,
    name: &str,
    place: &str,
    snapshot: &'a Snapshot,
    prefixes: &PathPrefixes,
) -> PlanStep<ResolvedTarget<'a>> {
    let as_written = resolve_address(written, snapshot, prefixes)?;
    if as_written.file.is_some() {
        return Ok(as_written);
    }
    let named = resolve_address(&format!("{name}{place}"), snapshot, prefixes)?;
    if named.file.is_some() {
        return Ok(named);
    }
    let files = resource_files(name, snapshot)?;
    let path = match files[..] {
        [] => return Ok(named),
        [one] => one,
        _ => {
            let first = place.trim_start_matches('#').split(['/', '@']).next().unwrap_or_default();
            let mut fitting = Vec::new();
            for path in &files {
                if let Some(file) = snapshot.file(path)?
                    && slug(&file.document.section_title(0)) == slug(first)
                {
                    fitting.push(*path);
                }
            }
            match fitting[..] {
                [one] => one,
                _ => return Err(ambiguous_resource(name, &files).into()),
            }
        }
    };
    resolve_address(&format!("{path}{place}"), snapshot, prefixes)
}

/// The files with a `resource_id`. A file that only holds this id is meant if there is no other.
pub fn resource_files<'a>(name: &str, snapshot: &'a Snapshot) -> PlanStep<Vec<&'a MemoryPath>> {
    let holders = snapshot.id_holders(name)?;
    if holders.len() < 2 {
        return Ok(holders.iter().collect());
    }
    let mut files = Vec::new();
    for path in holders {
        let file = snapshot.file(path)?;
        if file.is_some_and(|file| file.document.front_text("resource_id").as_deref() == Some(name)) {
            files.push(path);
        }
    }
    Ok(files)
}

fn ambiguous_resource(name: &str, files: &[&MemoryPath]) -> Rejection {
    let candidates: Vec<_> = files.iter().map(|path| serde_json::json!({"address": path.as_str()})).collect();
    Rejection::new(Code::AmbiguousId, format!("{} files have the resource_id '{name}'", files.len()))
        .hint("start the path with the title of one of them, or name the file")
        .detail("candidates", candidates)
}

/// The operation on the bullet that is a field, if its target is one: with the bullet's text in place of the value.
/// `None` for any other operation. An insertion where no field is there makes one if the section has nothing but fields.
///
/// # Errors
/// `exists` for an insertion of another value; those of resolving the target.
pub fn on_field(op: &Operation, snapshot: &Snapshot, context: &PlanContext<'_>) -> PlanStep<Option<Operation>> {
    let (Action::Add { at, .. } | Action::Update { at, index: None, .. } | Action::Remove { at, index: None, .. }) =
        &op.action
    else {
        return Ok(None);
    };
    if !matches!(at, Target::SectionOrField(_)) {
        return Ok(None);
    }
    let resolved = resolve(at, snapshot, context.prefixes, context.policy)?;
    let (Some(file), SectionRef::Missing(name)) = (resolved.file, &resolved.section) else { return Ok(None) };
    let (parent, key) = name.rsplit_once('/').unwrap_or(("", name));
    let Some(level) = FieldLevel::find(file, &resolved.path, parent)? else { return Ok(None) };
    let mut changed = op.clone();
    let present = level.field(key);
    match (&mut changed.action, present) {
        (Action::Add { at, text, children, meta, .. }, None)
            if children.is_empty()
                && meta.is_empty()
                && level.has_only_fields()
                && (is_resource(file) || !field_value_as_json(text).is_string()) =>
        {
            let field = format!("{key}: {text}");
            if resource_field(&field).is_none() {
                return Ok(None);
            }
            (*at, *text) = (level.target(), field);
        }
        (Action::Add { at, text, .. }, Some((_, present))) if present == format!("{key}: {text}") => {
            (*at, *text) = (level.target(), present);
        }
        (Action::Add { .. }, Some((_, present))) => {
            return Err(Rejection::new(Code::Exists, format!("{} has the field '{present}' already", resolved.path))
                .hint("update it")
                .into());
        }
        (Action::Update { at, index, old, text, .. }, Some((nth, present))) => {
            check_value(old.as_deref(), key, &present, &resolved.path)?;
            if resource_field(text).is_none_or(|(name, _)| name != key) {
                *text = format!("{key}: {text}");
            }
            (*at, *index, *old) = (level.target(), Some(nth), Some(present));
        }
        (Action::Remove { at, index, text, .. }, Some((nth, present))) => {
            check_value(text.as_deref(), key, &present, &resolved.path)?;
            (*at, *index, *text) = (level.target(), Some(nth), Some(present));
        }
        _ => return Ok(None),
    }
    Ok(Some(changed))
}

/// Whether a file came from a resource: in any other one, a text below a name without a section makes a new section.
fn is_resource(file: &LoadedFile) -> bool {
    file.document.front_text("resource_id").is_some()
}

/// Rejects another value than the present one as proof of a field.
fn check_value(value: Option<&str>, key: &str, present: &str, path: &MemoryPath) -> Result<(), Rejection> {
    match value {
        Some(value) if value != present && format!("{key}: {value}") != present => {
            let message = format!("{path} has the field '{present}', and not '{key}: {value}'");
            Err(Rejection::new(Code::BulletNotFound, message).hint("read the file again"))
        }
        _ => Ok(()),
    }
}

/// The bullets of a section itself, or of a file above its sections.
struct FieldLevel<'a> {
    document: &'a Document,
    address: String,
    /// The section's index; 0 is the file.
    section: usize,
    bullets: Vec<usize>,
}

impl<'a> FieldLevel<'a> {
    fn find(file: &'a LoadedFile, path: &MemoryPath, parent: &str) -> PlanStep<Option<FieldLevel<'a>>> {
        let document = &file.document;
        let section = match parent {
            "" => None,
            name => match find_section(document, name, path)? {
                Some(at) => Some(at),
                None => return Ok(None),
            },
        };
        // The title of a file is no section of a resource.
        let section = section.filter(|at| document.sections()[*at].level > 1);
        let is_here = |bullet: &usize| {
            let at = document.bullets()[*bullet].section as usize;
            section.map_or_else(|| section_titles(document, at).is_empty(), |section| at == section)
        };
        let top = (0..document.bullets().len()).filter(|bullet| document.bullets()[*bullet].depth == 0);
        let address = match section {
            Some(at) => format!("{path}#{}", document.sections()[at].slug),
            None => path.to_string(),
        };
        let bullets = top.filter(is_here).collect();
        Ok(Some(FieldLevel { document, address, section: section.unwrap_or(0), bullets }))
    }

    fn target(&self) -> Target {
        Target::Address(self.address.clone())
    }

    /// The bullet with this field: its index below the target, from 1, and its text. The target's subsections may have
    /// a field of the same text.
    fn field(&self, key: &str) -> Option<(i64, String)> {
        let is_field = |text: &str| resource_field(text).is_some_and(|(name, _)| name == key);
        let texts = self.bullets.iter().map(|bullet| (*bullet, self.document.bullet_text(*bullet).into_owned()));
        let (bullet, text) = texts.into_iter().find(|(_, text)| is_field(text))?;
        let nth = self.document.top_level_bullets(self.section).iter().position(|other| *other == bullet)?;
        Some((i64::try_from(nth).ok()? + 1, text))
    }

    fn has_only_fields(&self) -> bool {
        let is_field = |bullet: &usize| {
            resource_field(&self.document.bullet_text(*bullet)).is_some()
                && self.document.bullet_meta(*bullet).is_none()
        };
        !self.bullets.is_empty() && self.bullets.iter().all(is_field)
    }
}
