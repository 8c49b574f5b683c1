//! Resolves an address to a file and section, and finds sections and bullets by name.
//!
//! Never selects a bullet by index and text: see `choose_bullet`.

use super::resource_targets::{resolve_resource, resource_name};
use super::snapshot::{LoadedFile, PlanStep, PlanStop, Snapshot};
use super::{Target, adopted, rejections};
use crate::code::{Code, Rejection, SuggestedCommand, quote};
use crate::document::{Document, category_key, slug};
use crate::path::{Address, BulletRef, MemoryPath, PathPrefixes, is_id, no_such_name};
use crate::policy::Policy;

/// The section that an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionRef {
    /// The file, without a section.
    File,
    /// An existing section, as an index into the document's sections.
    At(usize),
    /// A section that does not exist; its name as written in the address.
    Missing(String),
}

/// The file, section and bullet that an address names.
#[derive(Debug)]
pub struct ResolvedTarget<'a> {
    pub path: MemoryPath,
    /// The file; `None` if it does not exist.
    pub file: Option<&'a LoadedFile>,
    pub section: SectionRef,
    /// The part of the address after `@`.
    pub bullet: Option<BulletRef>,
}

impl ResolvedTarget<'_> {
    /// The section in the target's file (0: the whole file). Errors if it does not exist.
    pub fn existing_section(&self, file: &LoadedFile) -> Result<usize, Rejection> {
        match &self.section {
            SectionRef::File => Ok(0),
            SectionRef::At(section) => Ok(*section),
            SectionRef::Missing(name) => Err(rejections::section_not_found(file, &self.path, name)),
        }
    }
}

/// Resolves an operation's target.
pub fn resolve<'a>(
    target: &Target,
    snapshot: &'a Snapshot,
    prefixes: &PathPrefixes,
    policy: &Policy,
) -> PlanStep<ResolvedTarget<'a>> {
    match target {
        Target::Address(written) | Target::SectionOrField(written) => match resource_name(written) {
            Some((name, place)) => resolve_resource(written, name, place, snapshot, prefixes),
            None => resolve_address(written, snapshot, prefixes),
        },
        Target::File(path) => {
            let path = MemoryPath::new(path)?;
            let file = snapshot.file(&path)?;
            Ok(ResolvedTarget { section: section_ref(file, None, &path)?, path, file, bullet: None })
        }
        Target::IdOrCategory { id, category } => match resolve_id(id, snapshot) {
            Err(PlanStop::Rejected(error)) if error.code == Code::BulletNotFound => {
                resolve(&Target::Category(category.clone()), snapshot, prefixes, policy)
            }
            resolved => resolved,
        },
        Target::Category(name) => {
            let path = adopted::default_file(MemoryPath::new(&policy.default_file)?, snapshot)?;
            let file = snapshot.file(&path)?;
            let section = section_ref(file, Some(name.trim()), &path)?;
            Ok(ResolvedTarget { path, file, section, bullet: None })
        }
    }
}

/// Resolves an address. An address with `#` or `@` can be read as a file name with that character, or as a file with a
/// section or bullet; the first reading whose file exists is used, else the last one.
pub fn resolve_address<'a>(
    written: &str,
    snapshot: &'a Snapshot,
    prefixes: &PathPrefixes,
) -> PlanStep<ResolvedTarget<'a>> {
    match Address::parse(written, prefixes)? {
        Address::Id(id) => resolve_id(&id, snapshot),
        Address::Readings(readings) => {
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
                let found = match found {
                    None => adopted::existing_or_new_file(&reading, snapshot)?,
                    found => found,
                };
                let path = match found.or_else(|| reading.files.last().cloned()) {
                    Some(path) => path,
                    None => continue,
                };
                let file = snapshot.file(&path)?;
                if file.is_none()
                    && let Some(reason) = path.odd()
                {
                    let shown = quote(path.as_str(), 80);
                    return Err(
                        Rejection::new(Code::InvalidPath, format!("{shown} is not a memory path: {reason}")).into()
                    );
                }
                let section = section_ref(file, reading.section.as_deref(), &path)?;
                return Ok(ResolvedTarget { path, file, section, bullet: reading.bullet });
            }
            Err(no_such_name(written).into())
        }
    }
}

/// Resolves an id without a file, `@mem123`: the only kind of address that requires a search of all files.
fn resolve_id<'a>(id: &str, snapshot: &'a Snapshot) -> PlanStep<ResolvedTarget<'a>> {
    let holders = snapshot.id_holders(id)?;
    let path = match holders {
        [one] => one.clone(),
        [] => {
            return Err(Rejection::new(Code::BulletNotFound, format!("no file contains the id {id}"))
                .hint("use FILE@ID, or list the files")
                .try_command(SuggestedCommand { subcommand: vec!["list"], operands: vec![] })
                .into());
        }
        several => {
            let candidates: Vec<_> =
                several.iter().map(|p| serde_json::json!({"address": format!("{p}@{id}")})).collect();
            return Err(Rejection::new(Code::AmbiguousId, format!("{} files contain the id {id}", several.len()))
                .hint("use FILE@ID")
                .detail("candidates", candidates)
                .into());
        }
    };
    let file = snapshot.file(&path)?;
    let document = file.map(|f| &f.document);
    let as_section = document.and_then(|d| d.sections().iter().position(|s| s.id.as_deref() == Some(id)));
    Ok(match as_section {
        Some(at) => ResolvedTarget { path, file, section: SectionRef::At(at), bullet: None },
        None => ResolvedTarget { path, file, section: SectionRef::File, bullet: Some(BulletRef::Name(id.to_owned())) },
    })
}

fn section_ref(file: Option<&LoadedFile>, name: Option<&str>, path: &MemoryPath) -> PlanStep<SectionRef> {
    let Some(name) = name else { return Ok(SectionRef::File) };
    let Some(file) = file else { return Ok(SectionRef::Missing(name.to_owned())) };
    Ok(match find_section(&file.document, name, path)? {
        Some(at) => SectionRef::At(at),
        None => SectionRef::Missing(name.to_owned()),
    })
}

/// The section of a name: an exact id, else a slug as GitHub generates it, with optional parents (`work/contacts`).
///
/// # Errors
/// `ambiguous_section` if several sections match.
pub fn find_section(document: &Document, name: &str, path: &MemoryPath) -> Result<Option<usize>, Rejection> {
    let sections = document.sections();
    let by_id: Vec<usize> = (1..sections.len()).filter(|&i| sections[i].id.as_deref() == Some(name)).collect();
    let found = if by_id.is_empty() { find_by_slug_path(document, name) } else { by_id };
    match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let candidates: Vec<_> = found
                .iter()
                .map(|&i| serde_json::json!({"address": format!("{path}#{}", sections[i].slug), "text": document.section_title(i)}))
                .collect();
            Err(Rejection::new(Code::AmbiguousSection, format!("{} sections of {path} match that name", found.len()))
                .hint("use the full slug or the parent: FILE#PARENT/SECTION")
                .detail("candidates", candidates))
        }
    }
}

/// The sections that a slug, or a path of slugs, names. If none has this slug, `_` and `-` are the same: a section that
/// was made for `favorite_dishes` has the title "Favorite dishes".
pub fn find_by_slug_path(document: &Document, name: &str) -> Vec<usize> {
    let sections = document.sections();
    let exact: Vec<usize> = (1..sections.len()).filter(|&i| sections[i].slug == name).collect();
    if !exact.is_empty() {
        return exact;
    }
    let is_slug = |i: usize, name: &str| sections[i].slug == name || slug(&document.section_title(i)) == name;
    let found = find_by_names(document, name, slug, is_slug);
    // A full slug takes precedence over a title with that slug: `notes` is the first of `notes`, `notes-1`.
    let whole: Vec<usize> = found.iter().copied().filter(|&i| sections[i].slug == slug(name)).collect();
    if !whole.is_empty() {
        return whole;
    }
    if !found.is_empty() || !name.contains(['_', '-']) {
        return found;
    }
    find_by_names(document, name, category_key, |i, name| category_key(&document.section_title(i)) == name)
}

/// The sections that the parts of a path name, each in a normal form, below one another.
fn find_by_names(
    document: &Document,
    name: &str,
    normal_form: fn(&str) -> String,
    is_named: impl Fn(usize, &str) -> bool,
) -> Vec<usize> {
    let sections = document.sections();
    let parts: Vec<String> = name.split('/').map(normal_form).collect();
    let Some((last, parents)) = parts.split_last() else { return Vec::new() };
    let fits = |i: &usize| {
        let mut at = *i;
        if !is_named(at, last) {
            return false;
        }
        parents.iter().rev().all(|parent| {
            loop {
                at = sections[at].parent as usize;
                if at == 0 {
                    return false;
                }
                if is_named(at, parent) {
                    return true;
                }
            }
        })
    };
    (1..sections.len()).filter(fits).collect()
}

/// Where a section that an address names and a file lacks is made: the section below which it goes (0: the file), and
/// the titles of the new headings, the outermost first. Parents that exist are used, others are made.
///
/// # Errors
/// `would_break_structure` if a part of the name is no title, or the headings would be deeper than six levels;
/// `ambiguous_section` if several sections match a parent.
pub fn new_section_place(
    document: &Document,
    name: &str,
    path: &MemoryPath,
) -> Result<(usize, Vec<String>), Rejection> {
    let reject = |message: &str| Err(Rejection::new(Code::WouldBreakStructure, message));
    let (mut under, mut parents) = (0, name);
    while let Some((rest, _)) = parents.rsplit_once('/') {
        parents = rest;
        if let Some(found) = find_section(document, rest, path)? {
            under = found;
            break;
        }
    }
    let missing = if under == 0 { name } else { &name[parents.len() + 1..] };
    let titles: Vec<String> = missing.split('/').map(new_section_title).collect();
    if titles.iter().any(|title| title.is_empty() || title.chars().any(char::is_control)) {
        return reject("the name is not a valid heading");
    }
    let mut outer = &document.sections()[under];
    // A paragraph that names the list below it is a section without a heading.
    if usize::from(outer.level) > MAX_HEADING_LEVEL {
        outer = &document.sections()[outer.parent as usize];
    }
    if usize::from(outer.level.max(1)) + titles.len() > MAX_HEADING_LEVEL {
        return reject("the headings would be deeper than six levels");
    }
    Ok((under, titles))
}

/// The deepest level of a Markdown heading.
const MAX_HEADING_LEVEL: usize = 6;

/// The title of a new section: the name as written, or, if it is a slug, with spaces and a capital (`to-do` → `To do`),
/// if that name finds the section again.
pub fn new_section_title(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name).trim();
    let is_slug = !last.contains(' ') && last.chars().all(|c| !c.is_uppercase());
    let spaced = last.replace(['-', '_'], " ");
    let mut chars = spaced.chars();
    let title = chars.next().map(|c| c.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default();
    if is_slug && category_key(&title) == category_key(last) { title } else { last.to_owned() }
}

/// The bullets that an id or handle names. Ids are compared whole and take precedence over handles; the ids of `inert`
/// bullets are ignored. Bullets in the section `within` take precedence over others of the same handle.
pub fn bullets_by_name(document: &Document, name: &str, within: Option<usize>, inert: &[usize]) -> Vec<usize> {
    let inside = |i: &usize| within.is_none_or(|s| is_in_section(document, *i, s));
    if is_id(name) {
        let by_id: Vec<usize> = bullets_with_id(document, name).filter(|i| !inert.contains(i)).collect();
        if !by_id.is_empty() {
            return by_id;
        }
    }
    let all = document.bullets_by_handle(name);
    let some: Vec<usize> = all.iter().copied().filter(|i| inside(i)).collect();
    if some.is_empty() { all } else { some }
}

/// The bullets that the part of an address after `@` means in a section; 0 is the file.
pub fn bullets_by_ref(document: &Document, bullet: &BulletRef, section: usize) -> Vec<usize> {
    let within = (section != 0).then_some(section);
    let nth = |all: Vec<usize>, n: usize| n.checked_sub(1).and_then(|n| all.get(n).copied()).into_iter().collect();
    match bullet {
        BulletRef::Name(name) => bullets_by_name(document, name, within, &[]),
        BulletRef::Occurrence(name, n) => nth(bullets_by_name(document, name, within, &[]), *n),
        BulletRef::Index(n) => nth(document.top_level_bullets(section), *n),
    }
}

/// The bullet that a section itself has with a text, not below another bullet and not in a section below; section 0 is
/// the file above all headings but its title.
pub fn bullet_with_text(document: &Document, text: &str, section: usize) -> Option<usize> {
    let is_there = |i: &usize| document.bullets()[*i].depth == 0 && is_directly_in(document, *i, section);
    document.bullets_by_text(text).into_iter().find(is_there)
}

/// Whether a bullet stands in a section itself, not in a section below it.
pub fn is_directly_in(document: &Document, bullet: usize, section: usize) -> bool {
    match document.bullets()[bullet].section as usize {
        own if section == 0 => document.sections()[own].level <= 1,
        own => own == section,
    }
}

/// The bullets whose metadata has an id.
pub fn bullets_with_id<'d>(document: &'d Document, id: &'d str) -> impl Iterator<Item = usize> + 'd {
    document.bullet_ids().iter().filter(move |(_, own)| own == id).map(|(i, _)| *i)
}

/// Whether a bullet is in a section or one of its subsections. Section 0 is the file.
pub fn is_in_section(document: &Document, bullet: usize, section: usize) -> bool {
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
