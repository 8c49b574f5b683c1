//! Parses a text into a tree of nodes: sections, list items, blocks, and the blank lines before each. Every byte
//! belongs to exactly one node or gap.
//!
//! Never decides which nodes match.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::document::{BlockKind, Document};
use crate::text::one_line::collapse_whitespace;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MergeNodeKind {
    /// The whole file.
    Root,
    /// A heading and all that belongs to it.
    Section,
    /// The summary line.
    Summary,
    /// A bullet: its own lines; nested items are nodes below it.
    Item,
    /// Any other block: paragraph, code, quote, table, or a list item that is not a bullet.
    Block,
}

/// One node of a tree.
#[derive(Clone, Debug)]
pub struct MergeNode {
    pub kind: MergeNodeKind,
    /// Byte range of its own lines, without its children, from the first byte of the indent; the last line ending may
    /// be missing.
    pub own: Range<usize>,
    /// Byte range of the blank lines before it.
    pub gap: Range<usize>,
    /// The parent node; the root is its own parent.
    pub parent: usize,
    /// Child items and blocks, in order.
    pub children: Vec<usize>,
    /// The nodes of its subsections, in file order.
    pub subsections: Vec<usize>,
    /// The nearest enclosing section; for a section itself.
    pub section: usize,
    /// A digest of its text: white space collapsed, without marker and metadata.
    pub key: u64,
    pub id: Option<String>,
    /// The bullet's index in the document.
    pub bullet: Option<usize>,
}

/// A text, parsed into nodes in file order; node 0 is the root.
#[derive(Debug)]
pub struct MergeTree {
    /// The parsed document; its text has no byte order mark.
    pub document: Document,
    /// The nodes. A node's index is greater than its parent's.
    pub nodes: Vec<MergeNode>,
    /// Byte range of the blank lines after the last node.
    pub tail: Range<usize>,
}

impl MergeTree {
    /// Parses markdown; any text is valid.
    pub fn parse(text: &str) -> MergeTree {
        let document = Document::parse(text);
        let start = document.body_start();
        let root = MergeNode {
            kind: MergeNodeKind::Root,
            own: start..start,
            gap: start..start,
            parent: 0,
            children: Vec::new(),
            subsections: Vec::new(),
            section: 0,
            key: 0,
            id: None,
            bullet: None,
        };
        let mut build = MergeTreeBuilder {
            document: &document,
            nodes: vec![root],
            at: start,
            open_items: Vec::new(),
            sections: vec![0],
        };
        build.add_blocks();
        let MergeTreeBuilder { nodes, at, .. } = build;
        let tail = at..document.text().len();
        MergeTree { nodes, tail, document }
    }

    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// A node's own lines.
    pub fn own_text(&self, node: usize) -> &str {
        &self.text()[self.nodes[node].own.clone()]
    }

    /// A node's lines with all its descendants.
    pub fn subtree_text(&self, node: usize) -> &str {
        &self.text()[self.subtree_range(node)]
    }

    /// The byte range of a node's lines and all its descendants.
    pub fn subtree_range(&self, node: usize) -> Range<usize> {
        self.nodes[node].own.start..self.subtree_end(node)
    }

    /// A node and all its descendants, in file order.
    pub fn subtree(&self, node: usize) -> Vec<usize> {
        let end = self.subtree_end(node);
        (node..self.nodes.len()).take_while(|at| *at == node || self.nodes[*at].own.start < end).collect()
    }

    fn subtree_end(&self, node: usize) -> usize {
        let MergeNode { children, subsections, own, .. } = &self.nodes[node];
        subsections.last().or(children.last()).map_or(own.end, |last| self.subtree_end(*last))
    }

    /// The indent of a node's first line.
    pub fn indent(&self, node: usize) -> &str {
        let own = self.own_text(node);
        &own[..own.len() - own.trim_start_matches([' ', '\t']).len()]
    }

    /// A node's own text on one line, without marker and metadata.
    pub fn plain_text(&self, node: usize) -> String {
        match (self.nodes[node].bullet, self.nodes[node].kind) {
            (Some(bullet), _) => self.document.bullet_text(bullet).into_owned(),
            (None, MergeNodeKind::Section) => self.title(node).to_owned(),
            _ => collapse_whitespace(self.own_text(node)),
        }
    }

    /// A section's heading without its markers.
    pub fn title(&self, node: usize) -> &str {
        let own = self.own_text(node).trim();
        let first = own.lines().next().unwrap_or_default();
        first.trim_start_matches('#').trim().trim_end_matches('#').trim_end()
    }

    /// A bullet's label in lower case: the text before `: `, at most three words.
    pub fn label(&self, node: usize) -> Option<String> {
        let bullet = self.nodes[node].bullet?;
        let text = self.document.bullet_text(bullet);
        let (label, _) = text.split_once(": ").or_else(|| text.split_once('：'))?;
        let label = label.trim_matches(['*', '_']);
        (!label.is_empty() && label.split_whitespace().count() <= 3).then(|| label.to_lowercase())
    }
}

struct MergeTreeBuilder<'a> {
    document: &'a Document,
    nodes: Vec<MergeNode>,
    /// End of the text that is assigned to nodes so far, in bytes.
    at: usize,
    /// Open list items with their end offsets.
    open_items: Vec<(usize, usize)>,
    /// The node of each of the document's sections.
    sections: Vec<usize>,
}

impl MergeTreeBuilder<'_> {
    fn add_blocks(&mut self) {
        let summary = self.document.summary_line().filter(|s| !s.in_front_matter).map(|s| s.line);
        let nodes = self.document.blocks();
        let mut i = 0;
        while i < nodes.len() {
            let span = nodes[i].span.range();
            self.open_items.retain(|(_, end)| span.start < *end);
            let inside = nodes[i + 1..].iter().take_while(|n| n.span.range().start < span.end).count();
            match nodes[i].kind {
                BlockKind::Heading(section) => self.add_heading(section as usize, span),
                BlockKind::Bullet(bullet) if inside == 0 => {
                    _ = self.fill_and_add(MergeNodeKind::Item, span, Some(bullet as usize));
                }
                BlockKind::Bullet(bullet) if self.only_blanks_between(i, inside) => {
                    let own = span.start..self.trimmed_end(span.start, nodes[i + 1].span.range().start);
                    let node = self.fill_and_add(MergeNodeKind::Item, own, Some(bullet as usize));
                    self.open_items.push((node, span.end));
                }
                BlockKind::Bullet(bullet) => {
                    self.fill_and_add(MergeNodeKind::Item, span, Some(bullet as usize));
                    i += inside;
                }
                BlockKind::Quote if summary == Some(nodes[i].span) => {
                    _ = self.fill_and_add(MergeNodeKind::Summary, span, None);
                }
                _ => {
                    self.fill_and_add(MergeNodeKind::Block, span, None);
                    i += inside;
                }
            }
            i += 1;
        }
        self.add_uncovered(self.document.text().len());
    }

    /// Whether only blank lines occur between the items nested in an item and after them. If not, the item is kept as
    /// one node.
    fn only_blanks_between(&self, node: usize, inside: usize) -> bool {
        let nodes = self.document.blocks();
        let bytes = self.document.text();
        let mut at = nodes[node + 1].span.range().start;
        for below in &nodes[node + 1..=node + inside] {
            let span = below.span.range();
            if at < span.start && !bytes[at..span.start].trim().is_empty() {
                return false;
            }
            at = at.max(span.end);
        }
        bytes[at..nodes[node].span.range().end].trim().is_empty()
    }

    /// The end of the last line that is not blank, in bytes.
    fn trimmed_end(&self, start: usize, end: usize) -> usize {
        let text = &self.document.text()[start..end];
        let kept = text.trim_end_matches([' ', '\t', '\r', '\n']);
        start + text[kept.len()..].find('\n').map_or(text.len(), |i| kept.len() + i + 1)
    }

    fn add_heading(&mut self, section: usize, span: Range<usize>) {
        self.add_uncovered(span.start);
        let found = &self.document.sections()[section];
        let parent = self.sections.get(found.parent as usize).copied().unwrap_or(0);
        let number = self.nodes.len();
        let gap = self.take_gap(&span);
        let key = text_digest(MergeNodeKind::Section, &self.document.section_title(section));
        let id = found.id.clone();
        self.nodes.push(MergeNode {
            kind: MergeNodeKind::Section,
            own: span,
            gap,
            parent,
            children: Vec::new(),
            subsections: Vec::new(),
            section: number,
            key,
            id,
            bullet: None,
        });
        self.nodes[parent].subsections.push(number);
        self.sections.resize(section, 0);
        self.sections.push(number);
    }

    fn fill_and_add(&mut self, kind: MergeNodeKind, own: Range<usize>, bullet: Option<usize>) -> usize {
        self.add_uncovered(own.start);
        self.add_node(kind, own, bullet)
    }

    /// Text that no block covers (such as link definitions) becomes a block.
    fn add_uncovered(&mut self, to: usize) {
        let text = &self.document.text()[self.at..to.max(self.at)];
        if text.trim().is_empty() {
            return;
        }
        let blank = text.len() - text.trim_start_matches([' ', '\t', '\r', '\n']).len();
        let first = self.at + text[..blank].rfind('\n').map_or(0, |i| i + 1);
        let end = self.trimmed_end(first, to);
        self.add_node(MergeNodeKind::Block, first..end, None);
    }

    /// Takes the blank lines before a node, which move with it.
    fn take_gap(&mut self, own: &Range<usize>) -> Range<usize> {
        let gap = self.at.min(own.start)..own.start;
        self.at = self.at.max(own.end);
        gap
    }

    fn add_node(&mut self, kind: MergeNodeKind, own: Range<usize>, bullet: Option<usize>) -> usize {
        let number = self.nodes.len();
        let gap = self.take_gap(&own);
        let section = self.sections.iter().rev().find(|s| **s > 0).copied().unwrap_or(0);
        let parent = self.open_items.last().map_or(section, |(item, _)| *item);
        let key = match bullet {
            Some(bullet) => text_digest(kind, &self.document.bullet_text(bullet)),
            None if kind == MergeNodeKind::Summary => 0,
            None => text_digest(kind, &self.document.text()[own.clone()]),
        };
        let id = bullet.and_then(|b| self.document.bullet_id(b)).map(|id| id.into_owned());
        let node = MergeNode {
            kind,
            own,
            gap,
            parent,
            children: Vec::new(),
            subsections: Vec::new(),
            section,
            key,
            id,
            bullet,
        };
        self.nodes.push(node);
        self.nodes[parent].children.push(number);
        number
    }
}

/// A digest of a text's words; white space does not count.
pub fn text_digest(kind: MergeNodeKind, text: &str) -> u64 {
    let mut state = DefaultHasher::new();
    kind.hash(&mut state);
    let text = text.trim();
    let bytes = text.as_bytes();
    let plain = !bytes.windows(2).any(|w| w[1].is_ascii_whitespace() && (w[0] == b' ' || w[1] != b' ') || w[0] >= 0x80);
    if plain {
        text.hash(&mut state)
    } else {
        collapse_whitespace(text).hash(&mut state)
    }
    state.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_shape(text: &str) -> String {
        fn show(tree: &MergeTree, node: usize, out: &mut String) {
            let MergeNode { kind, children, subsections, .. } = &tree.nodes[node];
            out.push_str(&format!("{kind:?}"));
            if *kind != MergeNodeKind::Root {
                out.push_str(&format!(" {:?}", tree.plain_text(node)));
            }
            if children.len() + subsections.len() > 0 {
                out.push_str(" (");
                children.iter().chain(subsections).for_each(|k| show(tree, *k, out));
                out.push(')');
            }
            out.push(' ');
        }
        let tree = MergeTree::parse(text);
        let mut out = String::new();
        show(&tree, 0, &mut out);
        let mut all: String = text[..tree.document.body_start()].to_owned();
        for node in &tree.nodes[1..] {
            all.push_str(&text[node.gap.clone()]);
            all.push_str(&text[node.own.clone()]);
        }
        assert_eq!(all + &text[tree.tail.clone()], text, "every byte has its place");
        out.replace(" )", ")").trim_end().to_owned()
    }

    #[test]
    fn sections_hold_items_and_items_hold_items() {
        assert_eq!(tree_shape("- a\n- b\n"), r#"Root (Item "a" Item "b")"#);
        assert_eq!(
            tree_shape("# T\n\n> Summary: x\n\n- a\n  - b\n\n  - c\n- d\n\n## S\n\ntext\n\n- e\n"),
            concat!(
                r#"Root (Section "T" (Summary "> Summary: x" Item "a" (Item "b" Item "c") Item "d" "#,
                r#"Section "S" (Block "text" Item "e")))"#
            )
        );
    }

    #[test]
    fn what_is_no_bullet_is_one_block() {
        assert_eq!(tree_shape("- a\n\n  - b\n\n  more of a\n- c\n"), r#"Root (Item "a" Item "c")"#);
        assert_eq!(
            tree_shape("[x]: /y\n\n- [ ]\n- # h\n  - k\n"),
            r##"Root (Block "[x]: /y" Item "[ ]" Item "# h" (Item "k"))"##
        );
        assert_eq!(tree_shape("```\n# no\n- no\n```\n\n- a\n"), r#"Root (Block "``` # no - no ```" Item "a")"#);
        assert_eq!(tree_shape("---\na: b\n---\n\n\n"), "Root");
    }
}
