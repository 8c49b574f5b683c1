//! Cuts a document into items: bullets, headings and entries, paragraphs, table rows, code with its lead-in.
//!
//! Never an item: front matter, the title, the summary line, metadata lines, rules, comments, automatic
//! relations, the base of a merge conflict.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::document::related_edge::related_edge;
use crate::document::{BlockKind, BulletMeta, Document, DocumentBlock, Handle, memory_index, split_category};
use crate::path::{MemoryPath, SourceAddress};
use crate::text::one_line::collapse_whitespace;

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A bullet, with its index in the document's bullets.
    Bullet(u32),
    /// A `##` heading in an episode file: the title of an entry.
    Entry,
    /// Any other heading.
    Heading,
    /// A paragraph or a quote.
    Paragraph,
    /// A row of a table.
    Row,
    /// A code block with the paragraph directly above it.
    Code,
}

impl ItemKind {
    /// Its name in the JSON result.
    pub fn name(self) -> &'static str {
        match self {
            ItemKind::Bullet(_) => "bullet",
            ItemKind::Entry => "entry",
            ItemKind::Heading => "heading",
            ItemKind::Paragraph => "paragraph",
            ItemKind::Row => "row",
            ItemKind::Code => "code",
        }
    }
}

/// What a search finds and a context shows: a part of a file, by its byte range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentItem {
    pub kind: ItemKind,
    /// Offset of its first line, in bytes.
    pub start: u32,
    /// End offset, exclusive; items never overlap.
    pub end: u32,
    /// The index of the innermost section.
    pub section: u32,
}

/// All items of a file, in file order; none of an agent's index, which only repeats other files.
pub fn items_of(document: &Document, path: &MemoryPath) -> Vec<DocumentItem> {
    if memory_index::is_memory_index(path, document.text()) {
        Vec::new()
    } else {
        items(document, path.holds_episodes())
    }
}

/// All items of a text. With `episodes`, `##` headings are entries.
fn items(document: &Document, episodes: bool) -> Vec<DocumentItem> {
    let summary = document.summary_line().map_or(0..0, |s| s.line.range());
    let labels: HashSet<u32> = document.sections().iter().filter(|s| s.level == 7).map(|s| s.heading.start).collect();
    let mut builder = ItemBuilder {
        document,
        out: Vec::with_capacity(document.blocks().len()),
        section: 0,
        summary,
        labels,
        episodes,
    };
    let nodes = document.blocks();
    let mut at = 0;
    while at < nodes.len() {
        at += builder.add_block(nodes, at);
    }
    builder.out
}

struct ItemBuilder<'a> {
    document: &'a Document,
    out: Vec<DocumentItem>,
    section: u32,
    summary: Range<usize>,
    labels: HashSet<u32>,
    episodes: bool,
}

impl ItemBuilder<'_> {
    /// Adds the items of a block; returns how many blocks were consumed.
    fn add_block(&mut self, nodes: &[DocumentBlock], at: usize) -> usize {
        let node = nodes[at];
        let (start, end) = (node.span.start, node.span.end);
        self.enter_section(start);
        match node.kind {
            BlockKind::Heading(section) => self.add_heading(section, start, end),
            BlockKind::Bullet(b) if related_edge(self.document, b as usize).is_some() => {}
            BlockKind::Bullet(b) => self.push(ItemKind::Bullet(b), start, own_end(nodes, at)),
            BlockKind::OtherListItem => self.push(ItemKind::Paragraph, start, own_end(nodes, at)),
            BlockKind::Paragraph if self.labels.contains(&start) => self.push(ItemKind::Heading, start, end),
            BlockKind::Paragraph => {
                if let Some(rows) = table_start(&self.document.text()[start as usize..end as usize]) {
                    self.add_rows(start + rows as u32, end);
                } else if let Some(code) = nodes.get(at + 1).filter(|next| next.kind == BlockKind::Code) {
                    self.push(ItemKind::Code, start, code.span.end);
                    return 2;
                } else {
                    self.push(ItemKind::Paragraph, start, end);
                }
            }
            BlockKind::Quote if self.summary.contains(&(start as usize)) => {}
            BlockKind::Quote => self.push(ItemKind::Paragraph, start, end),
            BlockKind::Code => self.push(ItemKind::Code, start, end),
            BlockKind::Html | BlockKind::ThematicBreak => {}
        }
        1
    }

    /// Sets the innermost section that contains an offset.
    fn enter_section(&mut self, at: u32) {
        let sections = self.document.sections();
        let mut inside = sections.partition_point(|s| s.heading.start <= at).saturating_sub(1);
        while inside > 0 && sections[inside].end <= at {
            inside = sections[inside].parent as usize;
        }
        self.section = inside as u32;
    }

    fn add_heading(&mut self, section: u32, start: u32, end: u32) {
        self.section = section;
        match self.document.sections()[section as usize].level {
            1 => {}
            2 if self.episodes => self.push(ItemKind::Entry, start, end),
            _ => self.push(ItemKind::Heading, start, end),
        }
    }

    fn add_rows(&mut self, start: u32, end: u32) {
        let mut at = start;
        for line in self.document.text()[start as usize..end as usize].split_inclusive('\n') {
            let next = at + line.len() as u32;
            self.push(ItemKind::Row, at, next);
            at = next;
        }
    }

    fn push(&mut self, sort: ItemKind, start: u32, end: u32) {
        if start < end && !self.document.is_in_conflict_base(start as usize) {
            self.out.push(DocumentItem { kind: sort, start, end, section: self.section });
        }
    }
}

/// The offset of a table's first row in a paragraph: below a line of `|`, `-` and `:`.
fn table_start(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let (head, rule) = (lines.next()?, lines.next()?);
    (head.contains('|') && is_table_rule(rule)).then_some(head.len() + rule.len())
}

fn is_table_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// The end of an item's own text: the start of the first item nested in it.
fn own_end(nodes: &[DocumentBlock], at: usize) -> u32 {
    let end = nodes[at].span.end;
    nodes.get(at + 1).map_or(end, |next| end.min(next.span.start))
}

/// The searched texts of an item: its text, and its other content without metadata.
pub fn searched_texts<'a>(document: &'a Document, item: &DocumentItem) -> [&'a str; 2] {
    let text = document.text();
    match item.kind {
        ItemKind::Bullet(b) => {
            let bullet = document.bullets()[b as usize];
            let below = bullet.meta.map_or(bullet.text_end, |m| document.meta_lines()[m as usize].line.end);
            [document.bullet_raw(b as usize), &text[below.min(item.end) as usize..item.end as usize]]
        }
        ItemKind::Entry | ItemKind::Heading => [&text[document.sections()[item.section as usize].title.range()], ""],
        _ => [&text[item.start as usize..item.end as usize], ""],
    }
}

/// The metadata of a bullet that has some.
pub fn metadata_of(document: &Document, item: &DocumentItem) -> Option<BulletMeta> {
    match item.kind {
        ItemKind::Bullet(bullet) => document.bullet_meta(bullet as usize),
        _ => None,
    }
}

/// An item's address (`facts/user.md@acvh`, or the section for an item that is not a bullet) and a bullet's handle.
pub fn address(document: &Document, path: &MemoryPath, item: &DocumentItem) -> (String, Option<String>) {
    let section = &document.sections()[item.section as usize];
    match item.kind {
        ItemKind::Bullet(b) => {
            let address = format!("{path}{}", document.bullet_reference(b as usize));
            (address, Some(document.handle_name(b as usize)))
        }
        _ if section.level <= 1 => (path.to_string(), None),
        _ => (format!("{path}#{}", section.slug), None),
    }
}

/// An item's text on one line.
pub fn item_line(document: &Document, item: &DocumentItem) -> String {
    match item.kind {
        ItemKind::Bullet(b) => document.bullet_text(b as usize).into_owned(),
        ItemKind::Entry | ItemKind::Heading => document.section_title(item.section as usize).into_owned(),
        _ => collapse_whitespace(&paragraph_text(document, item)),
    }
}

/// The text of an item that is neither a bullet nor a heading. A paragraph with the reason of a rule, or how it is
/// applied, starts with that rule: alone it means little.
pub fn paragraph_text<'d>(document: &'d Document, item: &DocumentItem) -> Cow<'d, str> {
    let raw = &document.text()[item.start as usize..item.end as usize];
    let is_reason = item.kind == ItemKind::Paragraph && memory_index::is_reason(raw);
    // The rule may be a sentence of a long table: only a reason asks for it.
    match is_reason.then(|| memory_index::memory_rule(document)).flatten() {
        Some(rule) => Cow::Owned(format!("{rule} {raw}")),
        None => Cow::Borrowed(raw),
    }
}

/// The index of the item that contains an offset.
pub fn item_at(items: &[DocumentItem], at: u32) -> Option<usize> {
    let i = items.partition_point(|item| item.end <= at);
    (i < items.len() && items[i].start <= at).then_some(i)
}

/// The length of an item's searched texts, in bytes.
pub fn searched_length(document: &Document, item: &DocumentItem) -> usize {
    let [text, more] = searched_texts(document, item);
    text.len() + more.len()
}

/// Whether the text of an item ends with a question mark; what follows in brackets, such as a picture, and comments do
/// not count.
pub fn is_question(document: &Document, item: &DocumentItem) -> bool {
    ends_with_question(searched_texts(document, item)[0])
}

fn ends_with_question(text: &str) -> bool {
    let mut text = text.trim_end();
    while let Some((open, close)) = [("<!--", "-->"), ("[", "]")].into_iter().find(|(_, close)| text.ends_with(close)) {
        match text[..text.len() - close.len()].rfind(open) {
            Some(start) => text = text[..start].trim_end(),
            None => break,
        }
    }
    text.ends_with(['?', '？'])
}

/// The label of an item with this text; empty if it is no bullet or has none.
pub fn label_of(text: &str, kind: ItemKind) -> &str {
    if matches!(kind, ItemKind::Bullet(_)) { label(text) } else { "" }
}

/// A handle that bullets of several files have in common only if they say the same there: a bullet with a label, or a
/// relation, has its subject from its file.
pub fn identity(document: &Document, path: &str, bullet: usize) -> Handle {
    let handle = document.handles()[bullet];
    let raw = document.bullet_raw(bullet);
    if label(raw).is_empty() && !raw.contains("[[") {
        handle
    } else {
        let named = SourceAddress::parse_shared(path).filter(|named| !named.address.starts_with(' '));
        let path = named.map_or(path, |named| named.address);
        Handle::of(&format!("{path} {}", handle.prefix(12)))
    }
}

/// Maximum length of a label, in bytes.
const MAX_LABEL_BYTES: usize = 80;

/// The label of a bullet (`Name: …`, `**Name**: …`, `[category] Name: …`): at most three words before a colon and a
/// blank. Empty if there is none.
pub fn label(text: &str) -> &str {
    let text = text.trim_start();
    let (_, text) = split_category(text);
    let mut head = text.len().min(MAX_LABEL_BYTES);
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
                let [head, more] = searched_texts(&document, i);
                let slug = &document.sections()[i.section as usize].slug;
                (i.kind.name(), format!("{}{}", head.trim(), more.trim()), slug.clone())
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
    fn a_question_may_have_a_picture_behind_it() {
        for text in
            ["Why?", "为什么？", "Do you like it? [image: a photo of a cat]", "Why? <!-- x --> [a] ", "Why? [a?]"]
        {
            assert!(ends_with_question(text), "{text}");
        }
        for text in ["", "Why? Because.", "[image: why?]", "Why? because]", "No -->", "[a]"] {
            assert!(!ends_with_question(text), "{text}");
        }
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
            assert_eq!(split_category(text).0, wanted, "{text}");
        }
    }
}
