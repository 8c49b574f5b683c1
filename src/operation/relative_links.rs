//! Rewrites the relative links in a text that moves to a file in another folder.
//!
//! Never opens what a link leads to: only the paths are computed.

use crate::document::links::{FileLink, percent_encode, relative_path_links};
use crate::document::{Document, NewBullet};
use crate::path::MemoryPath;
use crate::text::{Splice, splice};

/// The edits that let the relative links of a document lead from `to` where they led from `from`.
pub fn rebased_links(document: &Document, from: &MemoryPath, to: &MemoryPath) -> Vec<Splice> {
    if from.parent() == to.parent() {
        return Vec::new();
    }
    let rebase = |link: FileLink| {
        let is_angled = document.text()[..link.start].ends_with('<');
        let folder =
            |path: &MemoryPath| if is_angled { path.parent().to_owned() } else { percent_encode(path.parent()) };
        let new = rebased_path(&document.text()[link.start..link.end], &folder(from), &folder(to));
        Splice { start: link.start, end: link.end, new }
    };
    relative_path_links(document).into_iter().map(rebase).collect()
}

/// A bullet whose relative links lead from `to` where they led from `from`.
pub fn rebased_bullet(mut item: NewBullet, from: &MemoryPath, to: &MemoryPath) -> NewBullet {
    let rebased = |text: &str| {
        let document = Document::parse(text);
        splice(text, &rebased_links(&document, from, to)).unwrap_or_else(|_| text.to_owned())
    };
    if from.parent() != to.parent() {
        item.text = rebased(&item.text);
        item.raw_first_line = item.raw_first_line.map(|line| rebased(&line));
        item.children =
            rebased(&item.children.join("\n")).split('\n').map(str::to_owned).take(item.children.len()).collect();
    }
    item
}

/// A relative path of one folder, as a path of another. Steps above the memory's own folder are kept.
fn rebased_path(path: &str, from: &str, to: &str) -> String {
    let folders =
        |folder: &str| folder.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (mut whole, mut above) = (folders(from), 0);
    let is_folder = path.ends_with('/');
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if whole.pop().is_none() => above += 1,
            ".." => {}
            name => whole.push(name.to_owned()),
        }
    }
    let there = folders(to);
    let common = if above > 0 { 0 } else { whole.iter().zip(&there).take_while(|(a, b)| a == b).count() };
    let mut steps = vec!["..".to_owned(); there.len() - common + above];
    steps.extend(whole.drain(common..));
    let joined = if steps.is_empty() { ".".to_owned() } else { steps.join("/") };
    if is_folder { joined + "/" } else { joined }
}

#[cfg(test)]
mod tests {
    use super::rebased_path;

    #[test]
    fn a_path_is_the_same_seen_from_another_folder() {
        for (path, from, to, expected) in [
            ("a.md", "facts", "procedures", "../facts/a.md"),
            ("../facts/a.md", "procedures", "facts", "a.md"),
            ("img/a.png", "facts", "facts/deep", "../img/a.png"),
            ("../../src/a.rs", "facts", "procedures/deep", "../../../src/a.rs"),
            ("./a.md", "facts/deep", "facts", "deep/a.md"),
            ("img/", "", "facts", "../img/"),
            ("..", "facts", "facts/deep", "../.."),
        ] {
            assert_eq!(rebased_path(path, from, to), expected, "{path} from {from} to {to}");
        }
    }
}
