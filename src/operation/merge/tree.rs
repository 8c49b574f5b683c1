//! A text as a tree of atoms: sections, list items, blocks, and the blank lines before each. Every byte has its place.
//!
//! Never judges what is the same as what: that is the pairing's.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::document::{Document, Kind};

/// What an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// The file.
    Root,
    /// A heading, with what belongs to it below.
    Section,
    /// The one line that says what the file holds.
    Summary,
    /// A bullet: its own lines; nested items are atoms below it.
    Item,
    /// Any other block: paragraph, code, quote, table, an item that is no bullet.
    Block,
}

/// A piece of a text.
#[derive(Clone, Debug)]
pub struct Atom {
    /// What it is.
    pub what: What,
    /// Its own lines (without what belongs to it below), from the first byte of its indent; may lack a last line end.
    pub own: Range<usize>,
    /// The blank lines before it.
    pub gap: Range<usize>,
    /// The atom it belongs to; the root's is the root.
    pub parent: usize,
    /// Items and blocks that belong to it, in order.
    pub kids: Vec<usize>,
    /// Subsections, in order.
    pub subs: Vec<usize>,
    /// The nearest section around it (a section's is itself).
    pub scope: usize,
    /// A digest of what it says: white space folded, without marker and metadata.
    pub key: u64,
    /// Its explicit id.
    pub id: Option<String>,
    /// The bullet's number in the document.
    pub bullet: Option<usize>,
}

/// A text, parsed into atoms in file order; the first is the root.
#[derive(Debug)]
pub struct Tree {
    /// The document; its text has no byte order mark.
    pub document: Document,
    /// The atoms. An atom's own number is greater than its parent's.
    pub atoms: Vec<Atom>,
    /// The blank lines after the last atom.
    pub tail: Range<usize>,
}

impl Tree {
    /// Takes a text apart.
    pub fn of(text: &str) -> Tree {
        let document = Document::parse(text);
        let start = document.body_start();
        let root = Atom {
            what: What::Root,
            own: start..start,
            gap: start..start,
            parent: 0,
            kids: Vec::new(),
            subs: Vec::new(),
            scope: 0,
            key: 0,
            id: None,
            bullet: None,
        };
        let mut build =
            Build { document: &document, atoms: vec![root], at: start, open: Vec::new(), sections: vec![0] };
        build.nodes();
        let Build { atoms, at, .. } = build;
        let tail = at..document.text().len();
        Tree { atoms, tail, document }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// An atom's own lines.
    pub fn own(&self, atom: usize) -> &str {
        &self.text()[self.atoms[atom].own.clone()]
    }

    /// An atom's lines with all that belongs to it.
    pub fn whole(&self, atom: usize) -> &str {
        &self.text()[self.atoms[atom].own.start..self.end(atom)]
    }

    fn end(&self, atom: usize) -> usize {
        let Atom { kids, subs, own, .. } = &self.atoms[atom];
        subs.last().or(kids.last()).map_or(own.end, |last| self.end(*last))
    }

    /// The blanks before an atom's first line's text.
    pub fn indent(&self, atom: usize) -> &str {
        let own = self.own(atom);
        &own[..own.len() - own.trim_start_matches([' ', '\t']).len()]
    }

    /// The meaning of an atom's own text, on one line.
    pub fn said(&self, atom: usize) -> String {
        match (self.atoms[atom].bullet, self.atoms[atom].what) {
            (Some(bullet), _) => self.document.bullet_text(bullet).into_owned(),
            (None, What::Section) => self.title(atom).to_owned(),
            _ => self.own(atom).split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }

    /// A section's heading without its markers.
    pub fn title(&self, atom: usize) -> &str {
        let own = self.own(atom).trim();
        let first = own.lines().next().unwrap_or_default();
        first.trim_start_matches('#').trim().trim_end_matches('#').trim_end()
    }

    /// The label of a bullet: what stands before `: `, at most three words.
    pub fn label(&self, atom: usize) -> Option<String> {
        let bullet = self.atoms[atom].bullet?;
        let text = self.document.bullet_text(bullet);
        let (label, _) = text.split_once(": ").or_else(|| text.split_once('：'))?;
        let label = label.trim_matches(['*', '_']);
        (!label.is_empty() && label.split_whitespace().count() <= 3).then(|| label.to_lowercase())
    }
}

struct Build<'a> {
    document: &'a Document,
    atoms: Vec<Atom>,
    /// Up to where the text has its place.
    at: usize,
    /// Items that are open, with their ends.
    open: Vec<(usize, usize)>,
    /// The atom of each of the document's sections.
    sections: Vec<usize>,
}

impl Build<'_> {
    fn nodes(&mut self) {
        let summary = self.document.summary().filter(|s| !s.front).map(|s| s.line);
        let nodes = self.document.nodes();
        let mut i = 0;
        while i < nodes.len() {
            let span = nodes[i].span.range();
            self.open.retain(|(_, end)| span.start < *end);
            let inside = nodes[i + 1..].iter().take_while(|n| n.span.range().start < span.end).count();
            match nodes[i].kind {
                Kind::Heading(section) => self.heading(section as usize, span),
                Kind::Bullet(bullet) if inside == 0 => drop(self.push(What::Item, span, Some(bullet as usize))),
                Kind::Bullet(bullet) if self.all_in_place(i, inside) => {
                    let own = span.start..self.trimmed(span.start, nodes[i + 1].span.range().start);
                    let atom = self.push(What::Item, own, Some(bullet as usize));
                    self.open.push((atom, span.end));
                }
                Kind::Bullet(bullet) => {
                    self.push(What::Item, span, Some(bullet as usize));
                    i += inside;
                }
                Kind::Quote if summary == Some(nodes[i].span) => drop(self.push(What::Summary, span, None)),
                _ => {
                    self.push(What::Block, span, None);
                    i += inside;
                }
            }
            i += 1;
        }
        self.fill(self.document.text().len());
    }

    /// Whether nothing but blank lines stands between the items below an item, and nothing after them.
    fn all_in_place(&self, node: usize, inside: usize) -> bool {
        let nodes = self.document.nodes();
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

    /// Where the last line that is not blank ends.
    fn trimmed(&self, start: usize, end: usize) -> usize {
        let text = &self.document.text()[start..end];
        let kept = text.trim_end_matches([' ', '\t', '\r', '\n']);
        start + text[kept.len()..].find('\n').map_or(text.len(), |i| kept.len() + i + 1)
    }

    fn heading(&mut self, section: usize, span: Range<usize>) {
        self.fill(span.start);
        let found = &self.document.sections()[section];
        let parent = self.sections.get(found.parent as usize).copied().unwrap_or(0);
        let number = self.atoms.len();
        let gap = self.take(&span);
        let key = digest(What::Section, &self.document.section_title(section));
        let id = found.id.clone();
        self.atoms.push(Atom {
            what: What::Section,
            own: span,
            gap,
            parent,
            kids: Vec::new(),
            subs: Vec::new(),
            scope: number,
            key,
            id,
            bullet: None,
        });
        self.atoms[parent].subs.push(number);
        self.sections.resize(section, 0);
        self.sections.push(number);
    }

    fn push(&mut self, what: What, own: Range<usize>, bullet: Option<usize>) -> usize {
        self.fill(own.start);
        self.add(what, own, bullet)
    }

    /// What no block covers (link definitions) is a block of its own.
    fn fill(&mut self, to: usize) {
        let text = &self.document.text()[self.at..to.max(self.at)];
        if text.trim().is_empty() {
            return;
        }
        let blank = text.len() - text.trim_start_matches([' ', '\t', '\r', '\n']).len();
        let first = self.at + text[..blank].rfind('\n').map_or(0, |i| i + 1);
        let end = self.trimmed(first, to);
        self.add(What::Block, first..end, None);
    }

    /// The blank lines before an atom, which are placed with it.
    fn take(&mut self, own: &Range<usize>) -> Range<usize> {
        let gap = self.at.min(own.start)..own.start;
        self.at = self.at.max(own.end);
        gap
    }

    fn add(&mut self, what: What, own: Range<usize>, bullet: Option<usize>) -> usize {
        let number = self.atoms.len();
        let gap = self.take(&own);
        let scope = self.sections.iter().rev().find(|s| **s > 0).copied().unwrap_or(0);
        let parent = self.open.last().map_or(scope, |(item, _)| *item);
        let key = match bullet {
            Some(bullet) => digest(what, &self.document.bullet_text(bullet)),
            None if what == What::Summary => 0,
            None => digest(what, &self.document.text()[own.clone()]),
        };
        let id = bullet.and_then(|b| self.document.bullet_id(b)).map(|id| id.into_owned());
        let atom = Atom { what, own, gap, parent, kids: Vec::new(), subs: Vec::new(), scope, key, id, bullet };
        self.atoms.push(atom);
        self.atoms[parent].kids.push(number);
        number
    }
}

/// A digest of a text's words: white space does not count.
pub fn digest(what: What, text: &str) -> u64 {
    let mut state = DefaultHasher::new();
    what.hash(&mut state);
    let text = text.trim();
    let bytes = text.as_bytes();
    let plain = !bytes.windows(2).any(|w| w[1].is_ascii_whitespace() && (w[0] == b' ' || w[1] != b' ') || w[0] >= 0x80);
    match plain {
        true => text.hash(&mut state),
        false => text.split_whitespace().collect::<Vec<_>>().join(" ").hash(&mut state),
    }
    state.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> String {
        fn show(tree: &Tree, atom: usize, out: &mut String) {
            let Atom { what, kids, subs, .. } = &tree.atoms[atom];
            out.push_str(&format!("{what:?}"));
            if *what != What::Root {
                out.push_str(&format!(" {:?}", tree.said(atom)));
            }
            if kids.len() + subs.len() > 0 {
                out.push_str(" (");
                kids.iter().chain(subs).for_each(|k| show(tree, *k, out));
                out.push(')');
            }
            out.push(' ');
        }
        let tree = Tree::of(text);
        let mut out = String::new();
        show(&tree, 0, &mut out);
        let mut all: String = text[..tree.document.body_start()].to_owned();
        for atom in &tree.atoms[1..] {
            all.push_str(&text[atom.gap.clone()]);
            all.push_str(&text[atom.own.clone()]);
        }
        assert_eq!(all + &text[tree.tail.clone()], text, "every byte has its place");
        out.replace(" )", ")").trim_end().to_owned()
    }

    #[test]
    fn sections_hold_items_and_items_hold_items() {
        assert_eq!(shape("- a\n- b\n"), r#"Root (Item "a" Item "b")"#);
        assert_eq!(
            shape("# T\n\n> Summary: x\n\n- a\n  - b\n\n  - c\n- d\n\n## S\n\ntext\n\n- e\n"),
            concat!(
                r#"Root (Section "T" (Summary "> Summary: x" Item "a" (Item "b" Item "c") Item "d" "#,
                r#"Section "S" (Block "text" Item "e")))"#
            )
        );
    }

    #[test]
    fn what_is_no_bullet_is_one_block() {
        assert_eq!(shape("- a\n\n  - b\n\n  more of a\n- c\n"), r#"Root (Item "a" Item "c")"#);
        assert_eq!(
            shape("[x]: /y\n\n- [ ]\n- # h\n  - k\n"),
            r##"Root (Block "[x]: /y" Item "[ ]" Block "- # h - k")"##
        );
        assert_eq!(shape("```\n# no\n- no\n```\n\n- a\n"), r#"Root (Block "``` # no - no ```" Item "a")"#);
        assert_eq!(shape("---\na: b\n---\n\n\n"), "Root");
    }
}
