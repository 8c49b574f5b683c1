//! Links between items and files: which item links where, with which relation, and what links to a file.
//!
//! Never reads a file. Every use of links goes through [`edges`], which leaves out items that the reader may not see.

use serde::Serialize;

use super::query::count::ItemizedFile;
use super::query::item_facts::ItemFacts;
use super::query::items::{self, ItemKind};
use crate::document::fragments::fragment_range;
use crate::document::link_names::LinkNames;
use crate::document::links::FileLink;
use crate::document::related_edge::{RELATED_TO, RelatedEdge, link_strength, parent_bullet, related_edge};
use crate::document::{Document, Span, split_category};
use crate::path::MemoryPath;

/// Maximum number of words of a relation.
const MAX_RELATION_WORDS: usize = 3;

/// Whether a reader may see an item, given by its index in the file.
pub type VisibilityCheck<'a> = dyn Fn(&ItemFacts<'_>, usize) -> bool + 'a;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEdge {
    /// The index of the item in its file; for an automatic relation that of the bullet above it.
    pub item: usize,
    pub link: FileLink,
    /// `w=` of its bullet, 0 to 1; 1 without it.
    pub strength: f64,
    /// Whether memdir wrote it.
    pub is_automatic: bool,
}

/// The links of a file that start in visible items. A link outside of any item (in the title, in front matter) does not
/// count.
///
/// Backlinks, linked items and link boosts are all computed from this list, so that links never reveal an item that the
/// reader may not see.
pub fn edges(facts: &ItemFacts<'_>, seen: &VisibilityCheck<'_>) -> Vec<LinkEdge> {
    facts.file.edges().all.iter().copied().filter(|edge| seen(facts, edge.item)).collect()
}

/// The links of a file that start in one item.
pub fn edges_of_item<'f>(facts: &ItemFacts<'f>, item: usize) -> impl Iterator<Item = LinkEdge> + use<'f> {
    let edges = facts.file.edges();
    let first = edges.by_item.partition_point(|at| edges.all[*at].item < item);
    let of_item = edges.by_item[first..].iter().map(|at| edges.all[*at]);
    of_item.take_while(move |edge| edge.item == item)
}

/// All links of a file that start in an item.
pub struct FileEdges {
    /// In the order of the file.
    all: Vec<LinkEdge>,
    /// The indexes of `all`, by item.
    by_item: Vec<usize>,
}

impl FileEdges {
    pub fn of(file: &ItemizedFile) -> FileEdges {
        let all: Vec<LinkEdge> = file.links.iter().filter_map(|link| edge(file, link)).collect();
        let mut by_item: Vec<usize> = (0..all.len()).collect();
        by_item.sort_by_key(|at| all[*at].item);
        FileEdges { all, by_item }
    }
}

fn edge(file: &ItemizedFile, link: &FileLink) -> Option<LinkEdge> {
    let (document, at) = (&file.document, link.span.start);
    let is_automatic = |edge: &RelatedEdge<'_>| document.bullets()[edge.bullet].text_start <= at;
    if let Some(item) = items::item_at(&file.items, at) {
        let strength = match file.items[item].kind {
            ItemKind::Bullet(b) => link_strength(document, b as usize),
            _ => None,
        };
        return Some(LinkEdge { item, link: *link, strength: strength.unwrap_or(1.0), is_automatic: false });
    }
    let bullet = document.bullets().partition_point(|bullet| bullet.line_start <= at).checked_sub(1)?;
    let found = related_edge(document, bullet).filter(is_automatic)?;
    let parent = document.bullets()[parent_bullet(document, bullet)?];
    let item = items::item_at(&file.items, parent.text_start)?;
    Some(LinkEdge { item, link: *link, strength: found.strength, is_automatic: true })
}

/// The relation that a bullet names: the words before its links, perhaps in quotes, if the bullet has no other text
/// (`- depends_on [[project]] (since May)`).
pub fn relation(facts: &ItemFacts<'_>, edge: &LinkEdge) -> Option<String> {
    let document = &facts.file.document;
    let ItemKind::Bullet(b) = facts.file.items[edge.item].kind else { return None };
    let bullet = document.bullets()[b as usize];
    let Span { start, end } = edge.link.span;
    if edge.is_automatic {
        return Some(RELATED_TO.to_owned());
    }
    if !edge.link.is_wiki || start < bullet.text_start || end > bullet.text_end {
        return None;
    }
    let (_, text) = split_category(document.bullet_raw(b as usize));
    let before = text.len() - (bullet.text_end - start) as usize;
    words_before_links(text, before).map(str::to_owned)
}

/// The words before a bullet's links; `link` is the offset of the link in question.
fn words_before_links(text: &str, link: usize) -> Option<&str> {
    let first = text.find("[[")?;
    let mut rest = &text[first..];
    while let Some((_, after)) = rest.strip_prefix("[[").and_then(|inner| inner.split_once("]]")) {
        rest = after.trim_start_matches([' ', ',', ';']);
    }
    let has_no_other_text = rest.is_empty() || rest.starts_with(['(', '#', '^']);
    let words = text[..first].trim().trim_end_matches(':').trim_end();
    let count = words.split_whitespace().count();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    let listed = link < text.len() - rest.len();
    if let Some(quoted) = words.strip_prefix('"').and_then(|words| words.strip_suffix('"')) {
        return (has_no_other_text && listed && !quoted.is_empty() && !quoted.contains('"')).then_some(quoted);
    }
    (has_no_other_text && listed && (1..=MAX_RELATION_WORDS).contains(&count) && words.chars().all(plain))
        .then_some(words)
}

/// The texts of a link's target and of its fragment.
pub fn target_and_fragment<'d>(document: &'d Document, link: &FileLink) -> (&'d str, &'d str) {
    (&document.text()[link.start..link.end], &document.text()[link.fragment.range()])
}

/// An item that links to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Backlink {
    /// Its address: `facts/user.md@acvh`, or the section for an item that is not a bullet.
    pub address: String,
    /// The handle of a bullet, without `@`; absent for another item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The relation that it names: `depends_on` in `- depends_on [[project]]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// The section or id that the link names, as written; absent for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Its text on one line.
    pub text: String,
}

/// The file or section whose backlinks are listed.
pub struct BacklinkTarget<'a> {
    pub path: &'a MemoryPath,
    pub document: &'a Document,
    /// The section's index; 0 for the whole file.
    pub section: usize,
    pub names: &'a LinkNames<'a>,
}

impl BacklinkTarget<'_> {
    /// Whether a link in another file points here. A file's links to itself are no backlinks.
    fn matches(&self, facts: &ItemFacts<'_>, link: &FileLink) -> bool {
        let (file, part) = target_and_fragment(&facts.file.document, link);
        let there = self.names.resolve(file, link.is_wiki, &facts.file.path).map(|n| self.names.path(n));
        if there != Some(self.path) || facts.file.path == *self.path {
            return false;
        }
        let section = &self.document.sections()[self.section];
        let inside = |at: usize| (section.heading.start as usize..section.end as usize).contains(&at);
        self.section == 0 || fragment_range(self.document, part).is_some_and(|place| inside(place.start))
    }
}

/// The items of a file that link to the target, each once, in file order.
pub fn backlinks(facts: &ItemFacts<'_>, aim: &BacklinkTarget<'_>, seen: &VisibilityCheck<'_>) -> Vec<Backlink> {
    let mut last = None;
    let mut rows = Vec::new();
    for edge in edges(facts, seen) {
        if aim.matches(facts, &edge.link) && last.replace(edge.item) != Some(edge.item) {
            rows.push(backlink(facts, &edge));
        }
    }
    rows
}

fn backlink(facts: &ItemFacts<'_>, edge: &LinkEdge) -> Backlink {
    let file = facts.file;
    let item = &file.items[edge.item];
    let (address, handle) = items::address(&file.document, &file.path, item);
    let (_, part) = target_and_fragment(&file.document, &edge.link);
    Backlink {
        address,
        handle,
        relation: relation(facts, edge),
        part: (!part.trim().is_empty()).then(|| part.trim().to_owned()),
        text: items::item_line(&file.document, item),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::query::bullet_origins::BulletOrigins;
    use crate::view::query::count::ItemizedFile;

    fn path(text: &str) -> MemoryPath {
        MemoryPath::new(text).unwrap()
    }

    /// Checks what links to a file or section: text, relation, fragment.
    fn check(holder: &str, text: &str, to: (&str, &str, usize), expected: &[(&str, Option<&str>, Option<&str>)]) {
        let (to_path, to_text, section) = to;
        let to_path = path(to_path);
        let others = [path("facts/other.md"), path("notes/user.md"), path(holder), to_path.clone()];
        let (names, document, origins) = (LinkNames::new(&others), Document::parse(to_text), BulletOrigins::default());
        let file = ItemizedFile::without_counts(path(holder), Document::parse(text));
        let aim = BacklinkTarget { path: &to_path, document: &document, section, names: &names };
        let rows = backlinks(&ItemFacts::new(&file, &origins), &aim, &|_, _| true);
        let got: Vec<_> = rows.iter().map(|b| (b.text.as_str(), b.relation.as_deref(), b.part.as_deref())).collect();
        assert_eq!(got, expected, "{text}");
    }

    const USER: (&str, &str, usize) = ("facts/user.md", "# User\n\n## Work\n\n### Tools\n- vim\n\n## Home\n- x\n", 0);

    #[test]
    fn backlinks_are_listed_with_their_relation() {
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
    fn links_of_hidden_items_are_not_listed() {
        let file = ItemizedFile::without_counts(path("facts/a.md"), Document::parse("- one [[b]]\n- two [[b]]\n"));
        let origins = BulletOrigins::default();
        let facts = ItemFacts::new(&file, &origins);
        let items: Vec<usize> = edges(&facts, &|_, item| item != 0).iter().map(|e| e.item).collect();
        assert_eq!(items, [1]);
    }

    #[test]
    fn a_relation_is_the_words_before_the_links_and_nothing_else() {
        for (text, relation) in [
            ("depends_on [[a]]", Some("depends_on")),
            ("part of: [[a]] #tag", Some("part of")),
            ("[decision] blocked-by [[a]], [[b]] (until May)", Some("blocked-by")),
            ("\"works together with\" [[a]]", Some("works together with")),
            ("[[a]]", None),
            ("met Bob about [[a]] today", None),
            ("we talked with Ana about [[a]]", None),
            ("see: the plan, [[a]]", None),
        ] {
            let file = ItemizedFile::without_counts(path("facts/x.md"), Document::parse(format!("- {text}\n")));
            let origins = BulletOrigins::default();
            let facts = ItemFacts::new(&file, &origins);
            for edge in edges(&facts, &|_, _| true) {
                assert_eq!(super::relation(&facts, &edge).as_deref(), relation, "{text}");
            }
        }
    }
}
