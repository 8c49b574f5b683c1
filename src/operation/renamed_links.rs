//! The names by which links lead to a file that gets another path.
//!
//! Never writes a name that leads to another file.

use crate::document::Document;
use crate::document::link_names::{LinkNames, without_extension};
use crate::document::links::{FileLink, percent_encode};
use crate::path::MemoryPath;

use super::snapshot::{PlanStep, Snapshot};

/// The names of all files after a change that may make `to`.
pub fn names_after<'a>(snapshot: &'a Snapshot, to: &'a MemoryPath) -> PlanStep<LinkNames<'a>> {
    Ok(LinkNames::new(snapshot.file_names()?.iter().chain([to])))
}

/// The name that a link to `from` in the file `holder` gets for the file `to`. `after`: the names of all files then.
pub fn link_name(
    document: &Document,
    link: &FileLink,
    holder: &MemoryPath,
    from: &MemoryPath,
    to: &MemoryPath,
    after: &LinkNames<'_>,
) -> String {
    let text = document.text();
    match link.is_wiki {
        true => wiki_link_target(text[link.start..link.end].trim(), from, to, after),
        false if text[..link.start].ends_with('<') => relative_link_path(holder, to),
        false => percent_encode(&relative_link_path(holder, to)),
    }
}

/// The new target of a wiki link, in the form of the old one: stem or path, with or without `.md`. A stem that leads to
/// another file becomes the path.
fn wiki_link_target(old: &str, from: &MemoryPath, to: &MemoryPath, after: &LinkNames<'_>) -> String {
    let suffix = if old.ends_with(".md") { ".md" } else { "" };
    let is_stem = without_extension(old).to_lowercase() == from.stem().to_lowercase();
    let leads_there = is_stem && after.leads_to(to.stem(), true, to, to);
    let name = if leads_there { to.stem() } else { without_extension(to.as_str()) };
    format!("{name}{suffix}")
}

fn relative_link_path(holder: &MemoryPath, to: &MemoryPath) -> String {
    let here: Vec<&str> = holder.parent().split('/').filter(|p| !p.is_empty()).collect();
    let there: Vec<&str> = to.as_str().split('/').collect();
    let common = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
    let mut out = vec![".."; here.len() - common];
    out.extend(&there[common..]);
    out.join("/")
}
