//! Edges between items and files: which item links where, what it says of it, and who links here.
//!
//! Never reads a file. Whatever is told of a link goes through [`edges`], and so past whoever may not see its source.

use std::collections::HashMap;

use serde::Serialize;

use super::query::facts::About;
use super::query::items::{self, Sort};
use crate::document::links::{Link, place, relative};
use crate::document::{Document, Span, category};
use crate::path::MemoryPath;

/// Most words of a relation type.
const RELATION: usize = 3;

/// Whether somebody may be told of an item (of a file's items by its number).
pub type Seen<'a> = dyn Fn(&About<'_>, usize) -> bool + 'a;

/// A link from an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The item, an index into the file's.
    pub item: usize,
    /// The link.
    pub link: Link,
}

/// The links of a file that start in items that may be seen. Links elsewhere (in the title, in front matter) are none.
///
/// The gate: backlinks, linked items and what a link adds to a score all come from here, so whoever is not to see an
/// item learns nothing of it through its links.
pub fn edges(about: &About<'_>, seen: &Seen<'_>) -> Vec<Edge> {
    let found = about.found;
    let of = |link: &Link| Some(Edge { item: items::item_at(&found.items, link.whole.start)?, link: *link });
    found.links.iter().filter_map(of).filter(|edge| seen(about, edge.item)).collect()
}

/// What a bullet says of what it links to: the words before, where nothing else stands there
/// (`- depends_on [[project]] (since May)`).
pub fn relation(about: &About<'_>, edge: &Edge) -> Option<String> {
    let document = &about.found.document;
    let Sort::Bullet(b) = about.found.items[edge.item].sort else { return None };
    let bullet = document.bullets()[b as usize];
    let Span { start, end } = edge.link.whole;
    if !edge.link.wiki || start < bullet.content || end > bullet.head_end {
        return None;
    }
    let (_, text) = category(document.bullet_raw(b as usize));
    let before = text.len() - (bullet.head_end - start) as usize;
    relation_in(text, before).map(str::to_owned)
}

/// The words before a bullet's links; `link` is where the one in question starts.
fn relation_in(text: &str, link: usize) -> Option<&str> {
    let first = text.find("[[")?;
    let mut rest = &text[first..];
    while let Some((_, after)) = rest.strip_prefix("[[").and_then(|inner| inner.split_once("]]")) {
        rest = after.trim_start_matches([' ', ',', ';']);
    }
    let bare = rest.is_empty() || rest.starts_with(['(', '#', '^']);
    let words = text[..first].trim().trim_end_matches(':').trim_end();
    let count = words.split_whitespace().count();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    let listed = link < text.len() - rest.len();
    (bare && listed && (1..=RELATION).contains(&count) && words.chars().all(plain)).then_some(words)
}

/// Files by the names that links call them.
pub struct Names<'p> {
    files: Vec<&'p MemoryPath>,
    /// By name in lower case: how good a name it is (0 the best), and the file.
    named: HashMap<String, (u8, usize)>,
}

impl<'p> Names<'p> {
    /// Learns the names of files. Of two files of one name, the whole path comes before a path below `facts/`, that
    /// before a bare name, what is archived or proposed last; then the first.
    pub fn new(files: impl IntoIterator<Item = &'p MemoryPath>) -> Names<'p> {
        let mut names = Names { files: Vec::new(), named: HashMap::new() };
        for path in files {
            let file = names.files.len();
            let whole = bare(path.as_str());
            let aside = if matches!(path.folder(), Some("archive" | "inbox")) { 4 } else { 0 };
            names.learn(whole, 0, file);
            if let Some(below) = whole.strip_prefix("facts/") {
                names.learn(below, 1, file);
            }
            names.learn(path.stem(), 2 + aside, file);
            names.files.push(path);
        }
        names
    }

    fn learn(&mut self, name: &str, rank: u8, file: usize) {
        let held = self.named.entry(name.to_lowercase()).or_insert((rank, file));
        if rank < held.0 {
            *held = (rank, file);
        }
    }

    /// A file by its number.
    pub fn path(&self, file: usize) -> &'p MemoryPath {
        self.files[file]
    }

    /// The file that a link in `holder` names, by its number; its own for a link that names a part only.
    pub fn find(&self, target: &str, wiki: bool, holder: &MemoryPath) -> Option<usize> {
        let target = target.trim();
        let found = |name: &str| self.named.get(&name.to_lowercase()).copied();
        if wiki {
            let name = if target.is_empty() { holder.as_str() } else { target };
            return found(bare(name)).map(|(_, file)| file);
        }
        let path = relative(holder, target)?;
        found(bare(&path)).map(|(_, file)| file).filter(|file| self.files[*file].as_str() == path)
    }
}

fn bare(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

/// The text of a link's target, and of its part.
pub fn target<'d>(document: &'d Document, link: &Link) -> (&'d str, &'d str) {
    (&document.text()[link.start..link.end], &document.text()[link.part.range()])
}

/// An item that links to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Backlink {
    /// Where it stands: `facts/user.md@acvh`, or the section for what is no bullet.
    pub address: String,
    /// A bullet's handle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// What it says of the link: `depends_on` of `- depends_on [[project]]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// The part it names, as it is written; none for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Its text on one line.
    pub text: String,
}

/// What a list of backlinks is of: a file, or a section of it.
pub struct Aim<'a> {
    /// The file.
    pub path: &'a MemoryPath,
    /// Its document.
    pub document: &'a Document,
    /// The section; 0 for the file.
    pub section: usize,
    /// All files by name.
    pub names: &'a Names<'a>,
}

impl Aim<'_> {
    /// Whether a link in a file leads here. A file's own links lead nowhere else, and are none.
    fn meets(&self, about: &About<'_>, link: &Link) -> bool {
        let (file, part) = target(&about.found.document, link);
        let there = self.names.find(file, link.wiki, &about.found.path).map(|n| self.names.files[n]);
        if there != Some(self.path) || about.found.path == *self.path {
            return false;
        }
        let section = &self.document.sections()[self.section];
        let inside = |at: usize| (section.heading.start as usize..section.end as usize).contains(&at);
        self.section == 0 || place(self.document, part).is_some_and(|place| inside(place.start))
    }
}

/// The items of a file that link to another file or section, each once, in file order.
pub fn backlinks(about: &About<'_>, aim: &Aim<'_>, seen: &Seen<'_>) -> Vec<Backlink> {
    let mut last = None;
    let mut rows = Vec::new();
    for edge in edges(about, seen) {
        if aim.meets(about, &edge.link) && last.replace(edge.item) != Some(edge.item) {
            rows.push(backlink(about, &edge));
        }
    }
    rows
}

fn backlink(about: &About<'_>, edge: &Edge) -> Backlink {
    let found = about.found;
    let item = &found.items[edge.item];
    let (address, handle) = items::address(&found.document, &found.path, item);
    let (_, part) = target(&found.document, &edge.link);
    Backlink {
        address,
        handle,
        relation: relation(about, edge),
        part: (!part.trim().is_empty()).then(|| part.trim().to_owned()),
        text: items::line(&found.document, item),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::query::count::Found;
    use crate::view::query::known::Known;

    fn path(text: &str) -> MemoryPath {
        MemoryPath::new(text).unwrap()
    }

    /// What links to a file or section: address without its file, relation, part.
    fn check(holder: &str, text: &str, to: (&str, &str, usize), expected: &[(&str, Option<&str>, Option<&str>)]) {
        let (to_path, to_text, section) = to;
        let to_path = path(to_path);
        let others = [path("facts/other.md"), path("notes/user.md"), path(holder), to_path.clone()];
        let (names, document, known) = (Names::new(&others), Document::parse(to_text), Known::default());
        let found = Found::whole(path(holder), Document::parse(text));
        let aim = Aim { path: &to_path, document: &document, section, names: &names };
        let rows = backlinks(&About::new(&found, &known), &aim, &|_, _| true);
        let got: Vec<_> = rows.iter().map(|b| (b.text.as_str(), b.relation.as_deref(), b.part.as_deref())).collect();
        assert_eq!(got, expected, "{text}");
    }

    const USER: (&str, &str, usize) = ("facts/user.md", "# User\n\n## Work\n\n### Tools\n- vim\n\n## Home\n- x\n", 0);

    #[test]
    fn items_that_link_here_are_told_with_what_they_say_of_it() {
        check(
            "facts/project.md",
            "# P [[user]]\n\n- owned_by [[user]] (since May)\n- Ana uses [[user#Work|it]] daily\n- [[other]], [[notes/user]]\n\nSee [u](user.md) and [[User]].\n",
            USER,
            &[
                ("owned_by [[user]] (since May)", Some("owned_by"), None),
                ("Ana uses [[user#Work|it]] daily", None, Some("Work")),
                ("See [u](user.md) and [[User]].", None, None),
            ],
        );
        check("facts/user.md", "- [[user]] [[#Work]]\n", USER, &[]);
        check("facts/project.md", "- `[[user]]`\n- see [[users]]\n", USER, &[]);
    }

    #[test]
    fn a_section_is_linked_to_by_its_parts_too() {
        let work = (USER.0, USER.1, 2);
        check(
            "facts/project.md",
            "- a [[user]]\n- b [[user#Work]]\n- c [[user#tools]]\n- d [[user#home]]\n- e [[user#gone]]\n",
            work,
            &[("b [[user#Work]]", Some("b"), Some("Work")), ("c [[user#tools]]", Some("c"), Some("tools"))],
        );
    }

    #[test]
    fn whoever_may_not_see_an_item_learns_nothing_of_its_links() {
        let found = Found::whole(path("facts/a.md"), Document::parse("- one [[b]]\n- two [[b]]\n"));
        let known = Known::default();
        let about = About::new(&found, &known);
        let items: Vec<usize> = edges(&about, &|_, item| item != 0).iter().map(|e| e.item).collect();
        assert_eq!(items, [1]);
    }

    #[test]
    fn a_relation_is_the_words_before_the_links_and_nothing_else() {
        for (text, relation) in [
            ("depends_on [[a]]", Some("depends_on")),
            ("part of: [[a]] #tag", Some("part of")),
            ("[decision] blocked-by [[a]], [[b]] (until May)", Some("blocked-by")),
            ("[[a]]", None),
            ("met Bob about [[a]] today", None),
            ("we talked with Ana about [[a]]", None),
            ("see: the plan, [[a]]", None),
        ] {
            let found = Found::whole(path("facts/x.md"), Document::parse(format!("- {text}\n")));
            let known = Known::default();
            let about = About::new(&found, &known);
            for edge in edges(&about, &|_, _| true) {
                assert_eq!(super::relation(&about, &edge).as_deref(), relation, "{text}");
            }
        }
    }

    #[test]
    fn of_two_files_of_one_name_the_better_named_is_meant() {
        let files = [path("archive/facts/user.md"), path("facts/user.md"), path("notes/user.md"), path("plan.md")];
        let names = Names::new(&files);
        let holder = path("facts/plan.md");
        for (target, wiki, found) in [
            ("user", true, Some(1)),
            ("notes/User", true, Some(2)),
            ("archive/facts/user", true, Some(0)),
            ("plan", true, Some(3)),
            ("nobody", true, None),
            ("user.md", false, Some(1)),
            ("../plan.md", false, Some(3)),
            ("User.md", false, None),
        ] {
            assert_eq!(names.find(target, wiki, &holder), found, "{target}");
        }
    }
}
