//! From an address to a place: which file, which section, and whether they exist.
//!
//! Never chooses a bullet by index and text: that is `choose`.

use super::Target;
use super::snapshot::{Loaded, Snapshot, Step};
use crate::code::{Code, Hint, Rejection};
use crate::document::{Document, slug};
use crate::path::{Address, BulletRef, MemoryPath, Prefixes, is_id};
use crate::policy::Policy;

/// A section that is named: one that exists, or a title to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionRef {
    /// The whole file.
    File,
    /// An index into the document's sections.
    At(usize),
    /// None of that name; as it was written.
    Missing(String),
}

/// What an address names.
#[derive(Debug)]
pub struct Spot<'a> {
    /// The file.
    pub path: MemoryPath,
    /// Its content; `None` when it does not exist.
    pub file: Option<&'a Loaded>,
    /// The section.
    pub section: SectionRef,
    /// What followed the `@`.
    pub bullet: Option<BulletRef>,
}

/// Resolves what an operation works on.
pub fn resolve<'a>(target: &Target, snapshot: &'a Snapshot, prefixes: &Prefixes, policy: &Policy) -> Step<Spot<'a>> {
    match target {
        Target::Address(written) => address(written, snapshot, prefixes),
        Target::Category(name) => {
            let path = MemoryPath::new(&policy.default_file)?;
            let file = snapshot.file(&path)?;
            let section = section_ref(file, Some(name.trim()), &path)?;
            Ok(Spot { path, file, section, bullet: None })
        }
    }
}

/// Resolves an address.
pub fn address<'a>(written: &str, snapshot: &'a Snapshot, prefixes: &Prefixes) -> Step<Spot<'a>> {
    match Address::parse(written, prefixes)? {
        Address::Bare(id) => bare(&id, snapshot),
        Address::In(readings) => {
            let last = readings.len() - 1;
            for (i, reading) in readings.into_iter().enumerate() {
                let mut found = None;
                for path in &reading.files {
                    if snapshot.exists(path)? {
                        found = Some(path.clone());
                        break;
                    }
                }
                if i < last && found.is_none() {
                    continue;
                }
                let path = match found.or_else(|| reading.files.last().cloned()) {
                    Some(path) => path,
                    None => continue,
                };
                let file = snapshot.file(&path)?;
                if file.is_none()
                    && let Some(why) = path.odd()
                {
                    let shown: String = path.as_str().chars().take(80).flat_map(char::escape_debug).collect();
                    return Err(Rejection::new(Code::InvalidPath, format!("'{shown}' is no memory path: {why}")).into());
                }
                let section = section_ref(file, reading.section.as_deref(), &path)?;
                return Ok(Spot { path, file, section, bullet: reading.bullet });
            }
            Err(Rejection::new(Code::InvalidPath, "the address names no file").into())
        }
    }
}

/// A bare id: the one address that looks through the files.
fn bare<'a>(id: &str, snapshot: &'a Snapshot) -> Step<Spot<'a>> {
    let holders = snapshot.holders(id)?;
    let path = match holders {
        [one] => one.clone(),
        [] => {
            return Err(Rejection::new(Code::BulletNotFound, format!("no file holds the id {id}"))
                .hint("name the file: FILE@ID, or list the memory")
                .try_(Hint { verb: vec!["list"], address: vec![] })
                .into());
        }
        several => {
            let candidates: Vec<_> =
                several.iter().map(|p| serde_json::json!({"address": format!("{p}@{id}")})).collect();
            return Err(Rejection::new(Code::AmbiguousId, format!("{} files hold the id {id}", several.len()))
                .hint("name the file: FILE@ID")
                .detail("candidates", candidates)
                .into());
        }
    };
    let file = snapshot.file(&path)?;
    let document = file.map(|f| &f.document);
    let as_section = document.and_then(|d| d.sections().iter().position(|s| s.id.as_deref() == Some(id)));
    Ok(match as_section {
        Some(at) => Spot { path, file, section: SectionRef::At(at), bullet: None },
        None => Spot { path, file, section: SectionRef::File, bullet: Some(BulletRef::Name(id.to_owned())) },
    })
}

fn section_ref(file: Option<&Loaded>, name: Option<&str>, path: &MemoryPath) -> Step<SectionRef> {
    let Some(name) = name else { return Ok(SectionRef::File) };
    let Some(file) = file else { return Ok(SectionRef::Missing(name.to_owned())) };
    Ok(match find_section(&file.document, name, path)? {
        Some(at) => SectionRef::At(at),
        None => SectionRef::Missing(name.to_owned()),
    })
}

/// The section of that name: an exact id, else GitHub's slug, a parent path allowed (`work/contacts`).
///
/// # Errors
/// `ambiguous_section` when two are left.
pub fn find_section(document: &Document, name: &str, path: &MemoryPath) -> Result<Option<usize>, Rejection> {
    let sections = document.sections();
    let by_id: Vec<usize> = (1..sections.len()).filter(|&i| sections[i].id.as_deref() == Some(name)).collect();
    let found = if by_id.is_empty() { by_slug_path(document, name) } else { by_id };
    match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let candidates: Vec<_> = found
                .iter()
                .map(|&i| serde_json::json!({"address": format!("{path}#{}", sections[i].slug), "text": document.section_title(i)}))
                .collect();
            Err(Rejection::new(Code::AmbiguousSection, format!("{} sections of {path} fit that name", found.len()))
                .hint("name one by its full slug or its parent: FILE#PARENT/SECTION")
                .detail("candidates", candidates))
        }
    }
}

fn by_slug_path(document: &Document, name: &str) -> Vec<usize> {
    let sections = document.sections();
    let exact: Vec<usize> = (1..sections.len()).filter(|&i| sections[i].slug == name).collect();
    if !exact.is_empty() {
        return exact;
    }
    let parts: Vec<String> = name.split('/').map(slug).collect();
    let Some((last, parents)) = parts.split_last() else { return Vec::new() };
    let plain = |i: usize| slug(&document.section_title(i));
    let fits = |i: &usize| {
        let mut at = *i;
        if sections[at].slug != *last && plain(at) != *last {
            return false;
        }
        parents.iter().rev().all(|parent| {
            loop {
                at = sections[at].parent as usize;
                if at == 0 {
                    return false;
                }
                if sections[at].slug == *parent || plain(at) == *parent {
                    return true;
                }
            }
        })
    };
    let found: Vec<usize> = (1..sections.len()).filter(fits).collect();
    // A whole slug beats titles that only slug alike: `notes` is the first of `notes`, `notes-1`.
    let whole: Vec<usize> =
        found.iter().copied().filter(|&i| parents.is_empty() && sections[i].slug == *last).collect();
    if whole.is_empty() { found } else { whole }
}

/// The title of a section that has to be made: as it was written, made presentable when it is a bare slug.
pub fn title_for(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name).trim();
    let is_slug = !last.contains(' ') && last.chars().all(|c| !c.is_uppercase());
    if !is_slug {
        return last.to_owned();
    }
    let spaced = last.replace(['-', '_'], " ");
    let mut chars = spaced.chars();
    chars.next().map(|c| c.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// The bullets that a handle or id names, ids matched whole and before handles. The ids of `inert` bullets name nothing.
pub fn named(document: &Document, name: &str, within: Option<usize>, inert: &[usize]) -> Vec<usize> {
    let inside = |i: &usize| within.is_none_or(|s| is_within(document, *i, s));
    if is_id(name) {
        let by_id: Vec<usize> = holding_id(document, name).filter(|i| !inert.contains(i)).collect();
        if !by_id.is_empty() {
            return by_id;
        }
    }
    let all = document.by_handle(name);
    let some: Vec<usize> = all.iter().copied().filter(|i| inside(i)).collect();
    if some.is_empty() { all } else { some }
}

/// The bullets that have an id.
pub fn holding_id<'d>(document: &'d Document, id: &'d str) -> impl Iterator<Item = usize> + 'd {
    (0..document.bullets().len()).filter(move |&i| document.bullet_id(i).is_some_and(|x| x == id))
}

/// Whether a bullet lies in a section or one of its subsections.
pub fn is_within(document: &Document, bullet: usize, section: usize) -> bool {
    let mut at = document.bullets()[bullet].section as usize;
    loop {
        if at == section {
            return true;
        }
        if at == 0 {
            return false;
        }
        at = document.sections()[at].parent as usize;
    }
}
