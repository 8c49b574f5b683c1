//! Resources of json-memory as targets: the files that are one resource, and the bullets that are its fields.
//!
//! Never changes a field that the path does not name, and never makes a second place for a field that is there.

use super::locate::{ResolvedTarget, SectionRef, find_section, resolve, resolve_address};
use super::planner::PlanContext;
use super::snapshot::{LoadedFile, PlanStep, Snapshot};
use super::{Action, Operation, Target};
use crate::code::{Code, Rejection};
use crate::document::{Document, resource_field, section_titles, slug};
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
            if children.is_empty() && meta.is_empty() && level.has_only_fields() =>
        {
            let field = format!("{key}: {text}");
            if resource_field(&field).is_none() {
                return Ok(None);
            }
            (*at, *text) = (level.target(), field);
        }
        (Action::Add { at, text, .. }, Some(present)) if present == format!("{key}: {text}") => {
            (*at, *text) = (level.target(), present);
        }
        (Action::Add { .. }, Some(present)) => {
            return Err(Rejection::new(Code::Exists, format!("{} has the field '{present}' already", resolved.path))
                .hint("update it")
                .into());
        }
        (Action::Update { at, old, text, .. }, Some(present)) => {
            if resource_field(text).is_none_or(|(name, _)| name != key) {
                *text = format!("{key}: {text}");
            }
            *old = Some(expected_text(old.take(), key, present));
            *at = level.target();
        }
        (Action::Remove { at, text, .. }, Some(present)) => {
            *text = Some(expected_text(text.take(), key, present));
            *at = level.target();
        }
        _ => return Ok(None),
    }
    Ok(Some(changed))
}

/// The text that the caller expects of a field: its present one, if no value is named.
fn expected_text(value: Option<String>, key: &str, present: String) -> String {
    match value {
        Some(value) if value != present => format!("{key}: {value}"),
        _ => present,
    }
}

/// The bullets of a section itself, or of a file above its sections.
struct FieldLevel<'a> {
    document: &'a Document,
    address: String,
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
        Ok(Some(FieldLevel { document, address, bullets: top.filter(is_here).collect() }))
    }

    fn target(&self) -> Target {
        Target::Address(self.address.clone())
    }

    /// The text of the bullet with this field.
    fn field(&self, key: &str) -> Option<String> {
        let texts = self.bullets.iter().map(|bullet| self.document.bullet_text(*bullet).into_owned());
        texts.into_iter().find(|text| resource_field(text).is_some_and(|(name, _)| name == key))
    }

    fn has_only_fields(&self) -> bool {
        let is_field = |bullet: &usize| {
            resource_field(&self.document.bullet_text(*bullet)).is_some()
                && self.document.bullet_meta(*bullet).is_none()
        };
        !self.bullets.is_empty() && self.bullets.iter().all(is_field)
    }
}
