//! Links that lead nowhere: to a file that does not exist, or to a part that its file does not have.
//!
//! Never looks into a file for a part unless a link names one; each such file is read once.

use std::collections::BTreeMap;

use super::{Finding, finding, place as line_of};
use crate::code::Code;
use crate::commands::Session;
use crate::document::Document;
use crate::document::links::{links, place, relative};
use crate::path::MemoryPath;
use crate::view::links::{Names, target};

/// A link as a check remembers it.
pub struct Written {
    target: String,
    part: String,
    wiki: bool,
    line: usize,
    col: usize,
}

/// The links of a document that may name something in the memory.
pub fn written(path: &MemoryPath, document: &Document) -> Vec<Written> {
    let all = links(document);
    let inside = all.iter().map(|link| (link, target(document, link)));
    let of = inside.filter(|(link, (target, _))| link.wiki || relative(path, target).is_some());
    of.map(|(link, (target, part))| {
        let (line, col) = line_of(document.text(), link.start);
        Written { target: target.trim().to_owned(), part: part.trim().to_owned(), wiki: link.wiki, line, col }
    })
    .collect()
}

/// What is wrong with the links of some files; `names` knows all files there are.
pub fn dangling(session: &Session, held: &[(&MemoryPath, Vec<Written>)], names: &Names<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut parts: BTreeMap<usize, Vec<(&MemoryPath, &Written)>> = BTreeMap::new();
    for (holder, link) in held.iter().flat_map(|(path, links)| links.iter().map(move |link| (*path, link))) {
        match names.find(&link.target, link.wiki, holder) {
            None => findings.push(told(holder, link, format!("no file is named '{}'", cut(&link.target)))),
            Some(file) if !link.part.is_empty() => parts.entry(file).or_default().push((holder, link)),
            Some(_) => {}
        }
    }
    for (file, links) in parts {
        let path = names.path(file);
        let Ok(Some(version)) = session.store.read(path) else { continue };
        // What cannot be read is told of where it stands.
        let Ok(document) = Document::read(version.bytes.to_vec()) else { continue };
        for (holder, link) in links.into_iter().filter(|(_, link)| !has(&document, link)) {
            findings.push(told(holder, link, format!("{path} has nothing named '{}'", cut(&link.part))));
        }
    }
    findings
}

/// Whether a document has what a link names in it. Markdown links may name an anchor of HTML, or a line.
fn has(document: &Document, link: &Written) -> bool {
    let anchor = || ["id", "name"].iter().any(|key| document.text().contains(&format!("{key}=\"{}\"", link.part)));
    let line = || link.part.strip_prefix('L').is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    place(document, &link.part).is_some() || !link.wiki && (line() || anchor())
}

fn told(holder: &MemoryPath, link: &Written, text: String) -> Finding {
    finding(holder, link.line, link.col, Code::DanglingLink, "warning", text)
}

fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}
