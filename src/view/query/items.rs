//! Cuts a document into items: bullets, headings and entries, paragraphs, table rows, code with its lead-in.
//!
//! Never an item: front matter, the title, the summary line, metadata lines, rules, comments.

use std::collections::HashSet;
use std::ops::Range;

use crate::document::{Document, Kind, Node, category};
use crate::path::MemoryPath;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A bullet, an index into the document's bullets.
    Bullet(u32),
    /// A `##` heading of an episode file: an entry's title.
    Entry,
    /// A heading elsewhere.
    Heading,
    /// A paragraph or a quote.
    Paragraph,
    /// A row of a table.
    Row,
    /// Code with the paragraph directly above it.
    Code,
}

impl Sort {
    /// Its name in an answer.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Bullet(_) => "bullet",
            Sort::Entry => "entry",
            Sort::Heading => "heading",
            Sort::Paragraph => "paragraph",
            Sort::Row => "row",
            Sort::Code => "code",
        }
    }
}

/// One item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub sort: Sort,
    /// First byte of its lines.
    pub start: u32,
    /// One past its last byte; items never overlap.
    pub end: u32,
    /// The innermost section, an index into the document's sections.
    pub section: u32,
}

/// All items, in file order. `episodes` says whether `##` headings are entries.
pub fn items(document: &Document, episodes: bool) -> Vec<Item> {
    let summary = document.summary().map_or(0..0, |s| s.line.range());
    let labels: HashSet<u32> = document.sections().iter().filter(|s| s.level == 7).map(|s| s.heading.start).collect();
    let mut cut =
        Cut { document, out: Vec::with_capacity(document.nodes().len()), section: 0, summary, labels, episodes };
    let nodes = document.nodes();
    let mut at = 0;
    while at < nodes.len() {
        at += cut.node(nodes, at);
    }
    cut.out
}

struct Cut<'a> {
    document: &'a Document,
    out: Vec<Item>,
    section: u32,
    summary: Range<usize>,
    labels: HashSet<u32>,
    episodes: bool,
}

impl Cut<'_> {
    /// Adds what a node gives; how many nodes that takes.
    fn node(&mut self, nodes: &[Node], at: usize) -> usize {
        let node = nodes[at];
        let (start, end) = (node.span.start, node.span.end);
        self.enter(start);
        match node.kind {
            Kind::Heading(section) => self.heading(section, start, end),
            Kind::Bullet(b) => self.push(Sort::Bullet(b), start, own_end(nodes, at)),
            Kind::OtherItem => self.push(Sort::Paragraph, start, own_end(nodes, at)),
            Kind::Paragraph if self.labels.contains(&start) => self.push(Sort::Heading, start, end),
            Kind::Paragraph => {
                if let Some(rows) = table(&self.document.text()[start as usize..end as usize]) {
                    self.rows(start + rows as u32, end);
                } else if let Some(code) = nodes.get(at + 1).filter(|next| next.kind == Kind::Code) {
                    self.push(Sort::Code, start, code.span.end);
                    return 2;
                } else {
                    self.push(Sort::Paragraph, start, end);
                }
            }
            Kind::Quote if self.summary.contains(&(start as usize)) => {}
            Kind::Quote => self.push(Sort::Paragraph, start, end),
            Kind::Code => self.push(Sort::Code, start, end),
            Kind::Html | Kind::Rule => {}
        }
        1
    }

    /// The innermost section that holds a place.
    fn enter(&mut self, at: u32) {
        let sections = self.document.sections();
        let mut inside = sections.partition_point(|s| s.heading.start <= at).saturating_sub(1);
        while inside > 0 && sections[inside].end <= at {
            inside = sections[inside].parent as usize;
        }
        self.section = inside as u32;
    }

    fn heading(&mut self, section: u32, start: u32, end: u32) {
        self.section = section;
        match self.document.sections()[section as usize].level {
            1 => {}
            2 if self.episodes => self.push(Sort::Entry, start, end),
            _ => self.push(Sort::Heading, start, end),
        }
    }

    fn rows(&mut self, start: u32, end: u32) {
        let mut at = start;
        for line in self.document.text()[start as usize..end as usize].split_inclusive('\n') {
            let next = at + line.len() as u32;
            self.push(Sort::Row, at, next);
            at = next;
        }
    }

    fn push(&mut self, sort: Sort, start: u32, end: u32) {
        if start < end {
            self.out.push(Item { sort, start, end, section: self.section });
        }
    }
}

/// Where a table's rows start in a paragraph: below a line that is made of `|`, `-` and `:`.
fn table(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let (head, rule) = (lines.next()?, lines.next()?);
    (head.contains('|') && is_table_rule(rule)).then_some(head.len() + rule.len())
}

fn is_table_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Where an item's own text ends: before the first item inside it.
fn own_end(nodes: &[Node], at: usize) -> u32 {
    let end = nodes[at].span.end;
    nodes.get(at + 1).map_or(end, |next| end.min(next.span.start))
}

/// The parts of an item that are searched: its text, and what else stands in it but metadata.
pub fn parts<'a>(document: &'a Document, item: &Item) -> [&'a str; 2] {
    let text = document.text();
    match item.sort {
        Sort::Bullet(b) => {
            let bullet = document.bullets()[b as usize];
            let below = bullet.meta.map_or(bullet.head_end, |m| document.metas()[m as usize].line.end);
            [document.bullet_raw(b as usize), &text[below.min(item.end) as usize..item.end as usize]]
        }
        Sort::Entry | Sort::Heading => [&text[document.sections()[item.section as usize].title.range()], ""],
        _ => [&text[item.start as usize..item.end as usize], ""],
    }
}

/// Where an item is found again: `facts/user.md@acvh`, or the section for what is no bullet; and a bullet's handle.
pub fn address(document: &Document, path: &MemoryPath, item: &Item) -> (String, Option<String>) {
    let section = &document.sections()[item.section as usize];
    match item.sort {
        Sort::Bullet(b) => {
            let handle = document.handle_name(b as usize);
            (format!("{path}@{handle}"), Some(handle))
        }
        _ if section.level <= 1 => (path.to_string(), None),
        _ => (format!("{path}#{}", section.slug), None),
    }
}

/// An item's text on one line.
pub fn line(document: &Document, item: &Item) -> String {
    match item.sort {
        Sort::Bullet(b) => document.bullet_text(b as usize).into_owned(),
        Sort::Entry | Sort::Heading => document.section_title(item.section as usize).into_owned(),
        _ => {
            let raw = &document.text()[item.start as usize..item.end as usize];
            raw.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    }
}

/// The item that holds a byte.
pub fn item_at(items: &[Item], at: u32) -> Option<usize> {
    let i = items.partition_point(|item| item.end <= at);
    (i < items.len() && items[i].start <= at).then_some(i)
}

/// How long its searched text is, in bytes.
pub fn length(document: &Document, item: &Item) -> usize {
    let [text, more] = parts(document, item);
    text.len() + more.len()
}

/// Most bytes of a label.
const LABEL: usize = 80;

/// The label of a bullet (`Name: …`, `**Name**: …`, `[category] Name: …`): at most three words before a colon and a
/// blank. Empty without one.
pub fn label(text: &str) -> &str {
    let text = text.trim_start();
    let (_, text) = category(text);
    let mut head = text.len().min(LABEL);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let ends = |i: &usize| matches!(text[i + 1..].bytes().next(), Some(b' ' | b'\t' | b'*' | b'_' | b'`'));
    let wide = text[..head].find('：');
    let colon = memchr::memchr_iter(b':', &text.as_bytes()[..head]).find(ends);
    let end = match (colon, wide) {
        (Some(a), Some(b)) => a.min(b),
        (a, b) => match a.or(b) {
            Some(end) => end,
            None => return "",
        },
    };
    let label = text[..end].trim_matches(['*', '_', '`', ' ']);
    let sentence = label.contains(['.', ',', '?', '!', ';', '。', '，', '\n']);
    let words = label.split_whitespace().count();
    if (1..=3).contains(&words) && !sentence && label.chars().any(char::is_alphabetic) { label } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str, &str)]) {
        let document = Document::parse(text);
        let all = items(&document, text.contains("Episodes"));
        let got: Vec<_> = all
            .iter()
            .map(|i| {
                let [head, more] = parts(&document, i);
                let slug = &document.sections()[i.section as usize].slug;
                (i.sort.name(), format!("{}{}", head.trim(), more.trim()), slug.clone())
            })
            .collect();
        let want: Vec<_> = expected.iter().map(|(s, t, g)| (*s, (*t).to_owned(), (*g).to_owned())).collect();
        assert_eq!(got, want, "{text}");
        assert!(all.windows(2).all(|w| w[0].end <= w[1].start), "{all:?}");
    }

    #[test]
    fn a_document_is_cut_into_what_can_be_found() {
        check(
            "---\na: b\n---\n# T\n\n> Summary: x\n\nIntro.\n\n- a\n  <!-- mem imp=7 -->\n  - b\n\n## S\n> said\n\n- c\n\n  more\n",
            &[
                ("paragraph", "Intro.", "t"),
                ("bullet", "a", "t"),
                ("bullet", "b", "t"),
                ("heading", "S", "s"),
                ("paragraph", "> said", "s"),
                ("bullet", "cmore", "s"),
            ],
        );
    }

    #[test]
    fn entries_rows_and_code_with_its_lead_in() {
        check(
            "# 2026-02 Episodes\n\n## Fix {#f1}\n- Date: 2026-02-24\n\nRun this:\n```sh\nmake\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n    indented\n",
            &[
                ("entry", "Fix", "fix"),
                ("bullet", "Date: 2026-02-24", "fix"),
                ("code", "Run this:\n```sh\nmake\n```", "fix"),
                ("row", "| 1 | 2 |", "fix"),
                ("row", "| 3 | 4 |", "fix"),
                ("code", "indented", "fix"),
            ],
        );
    }

    #[test]
    fn sections_go_in_and_out() {
        check(
            "- a\n\n# T\n## A\n### B\n- b\n## C\nProfile: (ID: m1)\n- p\n\nprose\n",
            &[
                ("bullet", "a", ""),
                ("heading", "A", "a"),
                ("heading", "B", "b"),
                ("bullet", "b", "b"),
                ("heading", "C", "c"),
                ("heading", "Profile", "profile"),
                ("bullet", "p", "profile"),
                ("paragraph", "prose", "c"),
            ],
        );
    }

    #[test]
    fn labels_and_categories() {
        for (text, wanted) in [
            ("Name: Ana", "Name"),
            ("**Time zone:** CET", "Time zone"),
            ("[decision] Scope: small", "Scope"),
            ("姓名：安娜", "姓名"),
            ("see http://x.y", ""),
            ("at 10:30 we met", ""),
            ("this is a sentence: yes", ""),
            ("no label", ""),
        ] {
            assert_eq!(label(text), wanted, "{text}");
        }
        for (text, wanted) in [
            ("[preference] tabs", Some("preference")),
            ("[ ] task", None),
            ("[x] done", None),
            ("[a](b)", None),
            ("[00:00:11] said", None),
            ("[[Link]]", None),
        ] {
            assert_eq!(category(text).0, wanted, "{text}");
        }
    }
}
