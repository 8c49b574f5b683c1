//! Links between memory files: `[[wiki]]` links and relative markdown links, and which file a link names.
//!
//! Never reads a second file: whether a target exists is for those to say who know all files.

use super::{Document, Kind};
use crate::path::MemoryPath;

/// A link in a text: the bytes of its target, and the target itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// First byte of the target's file part.
    pub start: usize,
    /// One past its last byte (before `#`, `|`, `]]` or `)`).
    pub end: usize,
    /// Whether it is `[[wiki]]` style (else a markdown link).
    pub wiki: bool,
}

/// All links of a text that may name memory files. Code is not searched.
pub fn links(document: &Document) -> Vec<Link> {
    let text = document.text();
    let code: Vec<_> = document.nodes().iter().filter(|n| n.kind == Kind::Code).map(|n| n.span.range()).collect();
    let outside = |at: usize| !code.iter().any(|r| r.contains(&at));
    let mut found = Vec::new();
    for (at, _) in text.match_indices("[[") {
        let start = at + 2;
        let Some(len) = text[start..].find("]]") else { continue };
        let inner = &text[start..start + len];
        if inner.contains(['\n', '[']) || !outside(at) || inner.trim().is_empty() {
            continue;
        }
        let end = start + inner.find(['#', '|', '^']).unwrap_or(len);
        found.push(Link { start, end, wiki: true });
    }
    for (at, _) in text.match_indices("](") {
        let start = at + 2;
        let Some(len) = text[start..].find([')', '\n', ' ']) else { continue };
        let inner = &text[start..start + len];
        let file = inner.split('#').next().unwrap_or(inner);
        if outside(at) && file.ends_with(".md") && !file.contains("://") && !file.starts_with('/') {
            found.push(Link { start, end: start + file.len(), wiki: false });
        }
    }
    found.sort_by_key(|l| l.start);
    found
}

/// Whether a link's target names a file, as seen from the file that holds it.
pub fn names(target: &str, wiki: bool, holder: &MemoryPath, file: &MemoryPath) -> bool {
    let target = target.trim();
    match wiki {
        true => {
            let target = target.strip_suffix(".md").unwrap_or(target);
            let path = file.as_str().strip_suffix(".md").unwrap_or(file.as_str());
            let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
            same(target, path)
                || same(target, file.stem())
                || path.strip_prefix("facts/").is_some_and(|p| same(target, p))
        }
        false => relative(holder, target).is_some_and(|p| p == file.as_str()),
    }
}

/// A relative link's path below the data dir.
pub fn relative(holder: &MemoryPath, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = holder.parent().split('/').filter(|p| !p.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}
