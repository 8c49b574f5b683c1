//! Finds dangling links: to a file that does not exist, or to a fragment (`#…`) that the file does not contain.
//!
//! Never reads a target file unless a link to it has a fragment; each such file is read once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::{CheckFinding, FindingLevel, PlaceCursor, finding};
use crate::code::Code;
use crate::commands::Session;
use crate::document::Document;
use crate::document::fragments::fragment_range;
use crate::document::link_names::LinkNames;
use crate::document::links::{find_links, resolve_relative};
use crate::path::MemoryPath;
use crate::text::one_line::cut_with_ellipsis;
use crate::view::links::target_and_fragment;

/// A link in a checked file, with its 1-based line and column.
pub struct CheckedLink {
    target: String,
    fragment: String,
    wiki: bool,
    pub line: usize,
    pub col: usize,
}

/// The links of a document that can point into the memory: wiki links and relative paths.
pub fn checkable_links(path: &MemoryPath, document: &Document) -> Vec<CheckedLink> {
    let all = find_links(document);
    let inside = all.iter().map(|link| (link, target_and_fragment(document, link)));
    let mut places = PlaceCursor::new(document.text());
    let candidates = inside.filter(|(link, (target, _))| link.is_wiki || resolve_relative(path, target).is_some());
    candidates
        .map(|(link, (target, fragment))| {
            let (line, col) = places.at(link.start);
            CheckedLink {
                target: target.trim().to_owned(),
                fragment: fragment.trim().to_owned(),
                wiki: link.is_wiki,
                line,
                col,
            }
        })
        .collect()
}

/// The findings about the links of some files; `names` indexes all files of the memory.
pub fn dangling_links(
    session: &Session,
    links_by_file: &[(&MemoryPath, Vec<CheckedLink>)],
    names: &LinkNames<'_>,
) -> Vec<CheckFinding> {
    let mut findings = Vec::new();
    let mut links_by_target: BTreeMap<usize, Vec<(&MemoryPath, &CheckedLink)>> = BTreeMap::new();
    for (holder, link) in links_by_file.iter().flat_map(|(path, links)| links.iter().map(move |link| (*path, link))) {
        match names.resolve(&link.target, link.wiki, holder) {
            None => {
                findings.push(dangling_finding(holder, link, format!("no file named '{}'", shortened(&link.target))))
            }
            Some(file) if !link.fragment.is_empty() => links_by_target.entry(file).or_default().push((holder, link)),
            Some(_) => {}
        }
    }
    for (file, links) in links_by_target {
        let path = names.path(file);
        let Ok(Some(version)) = session.store.read(path) else { continue };
        // An unreadable file has a finding of its own.
        let Ok(document) = Document::from_bytes(version.bytes.to_vec()) else { continue };
        for (holder, link) in links.into_iter().filter(|(_, link)| !has_fragment(&document, &link.fragment, link.wiki))
        {
            findings.push(dangling_finding(
                holder,
                link,
                format!("{path} has no section, bullet or anchor '{}'", shortened(&link.fragment)),
            ));
        }
    }
    findings
}

/// Whether a link of the file `holder` led somewhere among the files of an earlier state, of which `names` are the names
/// and `read` gives the texts.
pub fn led_somewhere(
    holder: &MemoryPath,
    link: &CheckedLink,
    names: &LinkNames<'_>,
    read: &dyn Fn(&MemoryPath) -> Option<Rc<Document>>,
) -> bool {
    match names.resolve(&link.target, link.wiki, holder) {
        None => false,
        Some(_) if link.fragment.is_empty() => true,
        Some(file) => read(names.path(file)).is_some_and(|past| has_fragment(&past, &link.fragment, link.wiki)),
    }
}

/// Whether a document contains the fragment of a link. Markdown links may also name an HTML anchor (`id` or `name`) or
/// a line (`L12`).
pub fn has_fragment(document: &Document, fragment: &str, is_wiki: bool) -> bool {
    let anchor = || ["id", "name"].iter().any(|key| document.text().contains(&format!("{key}=\"{fragment}\"")));
    let line = || fragment.strip_prefix('L').is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    fragment_range(document, fragment).is_some() || !is_wiki && (line() || anchor())
}

fn dangling_finding(holder: &MemoryPath, link: &CheckedLink, text: String) -> CheckFinding {
    finding(holder, link.line, link.col, Code::DanglingLink, FindingLevel::Warning, text)
}

/// A link or fragment, cut so that a message stays readable.
fn shortened(text: &str) -> Cow<'_, str> {
    cut_with_ellipsis(text, 60)
}
