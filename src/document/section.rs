//! Builds the sections of a file: heading titles, slugs, ids, and the section of each bullet.
//!
//! Ignores headings inside list items and quotes: only top-level headings start a section.

use std::borrow::Cow;
use std::collections::HashMap;

use pulldown_cmark::{Event, Options, Parser};
use unicode_normalization::char::is_combining_mark;

use super::parse::{BlockBuilder, span};
use super::{BlockKind, Document, Section, Span, lines};
use crate::path::is_id;

/// Level of a paragraph that acts as the heading of a list.
pub(super) const LABEL_LEVEL: u8 = 7;

/// Byte range of a section including heading and subsections; the whole text for section 0.
pub fn section_range(document: &Document, section: usize) -> std::ops::Range<usize> {
    match section {
        0 => 0..document.text().len(),
        n => document.sections()[n].heading.start as usize..document.sections()[n].end as usize,
    }
}

/// Whether a section is that of the file's title, its first H1, or the part above all headings.
pub fn is_title_section(document: &Document, section: usize) -> bool {
    let first = || document.sections().iter().position(|section| section.level == 1);
    section == 0 || document.sections()[section].level == 1 && first() == Some(section)
}

/// The titles of a section and those around it, outermost first, without the title of the file; empty for the file.
pub fn section_titles(document: &Document, section: usize) -> Vec<String> {
    let (mut titles, mut at) = (Vec::new(), section);
    while at != 0 {
        if !is_title_section(document, at) {
            titles.insert(0, document.section_title(at).into_owned());
        }
        at = document.sections()[at].parent as usize;
    }
    titles
}

/// Builds the sections of a text. Stores the section index in each heading and bullet.
pub(super) fn build_sections(text: &str, body: usize, builder: &mut BlockBuilder) -> Vec<Section> {
    let mut sections = SectionBuilder::new(text, span(body, body));
    for i in 0..builder.blocks.len() {
        let node = builder.blocks[i];
        let top = builder.details[i].depth == 0;
        match node.kind {
            BlockKind::Heading(level) => {
                builder.blocks[i].kind = BlockKind::Heading(sections.all.len() as u32);
                let (title, id) = heading_title(text, node.span);
                sections.open(level as u8, node.span, title, id);
            }
            BlockKind::Bullet(b) => builder.bullets[b as usize].section = sections.current as u32,
            BlockKind::OtherListItem => {}
            _ if top => {
                if sections.all[sections.current].level == LABEL_LEVEL {
                    sections.close(LABEL_LEVEL, node.span.start);
                }
                let list = matches!(
                    builder.blocks.get(i + 1).map(|n| n.kind),
                    Some(BlockKind::Bullet(_) | BlockKind::OtherListItem)
                );
                let label = (node.kind == BlockKind::Paragraph).then(|| label_title(text, node.span)).flatten();
                // With the colon it is a heading without a list too, so that a block keeps its id with no bullet left.
                if let Some((title, id, _)) = label.filter(|(.., colon)| list || *colon) {
                    sections.open(LABEL_LEVEL, node.span, title, Some(id));
                }
            }
            _ => {}
        }
    }
    sections.all
}

/// The sections of a text while its blocks are read in order.
struct SectionBuilder<'a> {
    text: &'a str,
    all: Vec<Section>,
    /// The innermost open section, an index into `all`.
    current: usize,
    slugs: SlugCounter,
}

impl<'a> SectionBuilder<'a> {
    /// Begins with the root section; `start` is the empty span at which the body starts.
    fn new(text: &'a str, start: Span) -> SectionBuilder<'a> {
        let end = text.len() as u32;
        let root = Section {
            level: 0,
            heading: start,
            title: start,
            slug: String::new(),
            id: None,
            end,
            own_end: end,
            parent: 0,
        };
        SectionBuilder { text, all: vec![root], current: 0, slugs: SlugCounter::default() }
    }

    /// Opens a section below the innermost one of a smaller level.
    fn open(&mut self, level: u8, heading: Span, title: Span, id: Option<String>) {
        self.close(level, heading.start);
        let parent = &mut self.all[self.current];
        parent.own_end = parent.own_end.min(heading.start);
        let slug = self.slugs.unique(&slug(&self.text[title.range()]));
        let end = self.text.len() as u32;
        self.all.push(Section { level, heading, title, slug, id, end, own_end: end, parent: self.current as u32 });
        self.current = self.all.len() - 1;
    }

    /// Closes all open sections with this level or a deeper one at an offset.
    fn close(&mut self, level: u8, at: u32) {
        while self.all[self.current].level >= level {
            let section = &mut self.all[self.current];
            section.end = at;
            section.own_end = section.own_end.min(at);
            self.current = section.parent as usize;
        }
    }
}

/// Returns the span of a heading's text and its id.
fn heading_title(text: &str, heading: Span) -> (Span, Option<String>) {
    let bytes = text.as_bytes();
    let range = heading.range();
    let start = lines::skip_blanks(bytes, range.start);
    let hashes = bytes[start..range.end].iter().take_while(|b| **b == b'#').count();
    let atx = (1..=6).contains(&hashes)
        && bytes.get(start + hashes).is_none_or(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
    let (from, to) = if atx {
        let to = lines::trim_end(bytes, start + hashes, range.end);
        let from = lines::skip_blanks(bytes, start + hashes).min(to);
        (from, without_closing_hashes(bytes, from, to))
    } else {
        let underline = lines::start(bytes, lines::end_without_eol(bytes, range.end).max(range.start + 1) - 1);
        (start, lines::trim_end(bytes, start, underline.max(start)))
    };
    split_id(text, from, to)
}

/// End of an ATX heading's text, without its closing `#`s (CommonMark 4.2).
fn without_closing_hashes(bytes: &[u8], from: usize, to: usize) -> usize {
    let hashes = bytes[from..to].iter().rev().take_while(|b| **b == b'#').count();
    let before = to - hashes;
    if hashes > 0 && (before == from || lines::is_blank(bytes[before - 1])) {
        lines::trim_end(bytes, from, before)
    } else {
        to
    }
}

/// Splits `{#id}` or `(ID: id)` off the end of a title.
fn split_id(text: &str, from: usize, to: usize) -> (Span, Option<String>) {
    let title = &text[from..to];
    let braces = title.strip_suffix('}').and_then(|t| t.rsplit_once("{#"));
    let round = title.strip_suffix(')').and_then(|t| t.rsplit_once("(ID:"));
    let found = braces.or(round.map(|(before, id)| (before.trim_end().trim_end_matches(':'), id)));
    match found.map(|(before, id)| (before.trim_end(), id.trim())).filter(|(_, id)| is_id(id)) {
        Some((before, id)) => (span(from, from + before.len()), Some(id.to_owned())),
        None => (span(from, to), None),
    }
}

/// A title without its trailing id.
pub(super) fn title_without_id(title: &str) -> &str {
    let (title_span, _) = split_id(title, 0, title.len());
    &title[title_span.range()]
}

/// Splits a one-line paragraph `Title: (ID: id)` into title and id, and says whether the title has its colon.
fn label_title(text: &str, paragraph: Span) -> Option<(Span, String, bool)> {
    let bytes = text.as_bytes();
    let from = lines::skip_blanks(bytes, paragraph.start as usize);
    let to = lines::trim_end(bytes, from, paragraph.end as usize);
    if !text[from..to].ends_with(')') || text[from..to].contains(['\n', '\r']) {
        return None;
    }
    let (title, id) = split_id(text, from, to);
    let colon = text[title.range().end..to].trim_start().starts_with(':');
    Some((title, id?, colon))
}

/// GitHub's slug of a heading: its visible text in lower case, without punctuation, with hyphens for spaces. Where it
/// would be empty, symbols other than ASCII stay, so that an address can name the heading.
pub fn slug(title: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '_' | '-' | ' ' | '‿' | '⁀');
    let visible_title = visible_text(title);
    let lower = visible_title.chars().flat_map(char::to_lowercase);
    let slug: String = lower.filter(|c| is_kept(*c)).map(|c| if c == ' ' { '-' } else { c }).collect();
    let is_symbol = |c: &char| !c.is_ascii() && !c.is_whitespace() && !c.is_control();
    if slug.is_empty() { visible_title.chars().filter(is_symbol).collect() } else { slug }
}

fn visible_text(title: &str) -> Cow<'_, str> {
    if !title.contains(['*', '_', '[', '<', '&', '\\', '`', '\n', '\r', '!']) {
        return Cow::Borrowed(title);
    }
    let line = format!("# {}", title.lines().map(str::trim).collect::<Vec<_>>().join(" "));
    let mut out = String::new();
    for event in Parser::new_ext(&line, Options::empty()) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// Slugs already used, each with the last suffix given out for it.
#[derive(Default)]
struct SlugCounter(HashMap<String, u32>);

impl SlugCounter {
    /// Returns the slug, with the first suffix `-1`, `-2` … that makes it unique.
    fn unique(&mut self, slug: &str) -> String {
        let mut name = slug.to_owned();
        while self.0.contains_key(&name) {
            let count = self.0.entry(slug.to_owned()).or_default();
            *count += 1;
            name = format!("{slug}-{count}");
        }
        self.0.insert(name.clone(), 0);
        name
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Document;

    fn slugs(text: &str) -> Vec<(u8, String, String)> {
        let document = Document::parse(text);
        (1..document.sections().len())
            .map(|i| {
                (
                    document.sections()[i].level,
                    document.section_title(i).into_owned(),
                    document.sections()[i].slug.clone(),
                )
            })
            .collect()
    }

    #[test]
    fn a_heading_of_symbols_has_an_address() {
        check(
            "## 🎉\n\n## 🎉 \n\n## ——\n\n## A 🎉\n",
            &[(2, "🎉", "🎉"), (2, "🎉", "🎉-1"), (2, "——", "——"), (2, "A 🎉", "a-")],
        );
    }

    fn check(text: &str, expected: &[(u8, &str, &str)]) {
        let want: Vec<_> = expected.iter().map(|(l, t, s)| (*l, t.to_string(), s.to_string())).collect();
        assert_eq!(slugs(text), want, "{text:?}");
    }

    #[test]
    fn titles_and_slugs_are_as_on_github() {
        check("# User Facts\n", &[(1, "User Facts", "user-facts")]);
        check("## What's *new*? ##\n", &[(2, "What's *new*?", "whats-new")]);
        check(
            "Setext\n===\n\nsecond line\nof it\n---\n",
            &[(1, "Setext", "setext"), (2, "second line of it", "second-line-of-it")],
        );
        check("# a_b `c` [d](e) & f\n", &[(1, "a_b `c` [d](e) & f", "a_b-c-d--f")]);
        check("# A\n# a\n# a-1\n# A\n", &[(1, "A", "a"), (1, "a", "a-1"), (1, "a-1", "a-1-1"), (1, "A", "a-2")]);
        check("# 项目 Ünï\n#\n#tag\n", &[(1, "项目 Ünï", "项目-ünï"), (1, "", "")]);
        check("# C \\#\n", &[(1, "C #", "c-")]);
    }

    #[test]
    fn ids_are_no_part_of_a_title() {
        let of = |text: &str| {
            let document = Document::parse(text);
            (
                document.section_title(1).into_owned(),
                document.sections()[1].slug.clone(),
                document.sections()[1].id.clone(),
            )
        };
        let known = |t: &str, s: &str, id: &str| (t.to_owned(), s.to_owned(), Some(id.to_owned()));
        assert_eq!(of("## Work {#mem123}\n"), known("Work", "work", "mem123"));
        assert_eq!(of("## Work (ID: mem123) ##\n"), known("Work", "work", "mem123"));
        assert_eq!(of("Work {#mem123}\n---\n"), known("Work", "work", "mem123"));
        assert_eq!(of("User Profile: (ID: mem123)\n- a\n"), known("User Profile", "user-profile", "mem123"));
        assert_eq!(of("## Not {#1}\n").2, None);
    }

    #[test]
    fn a_labelled_list_is_a_section_until_another_block_follows() {
        let text = "# T\n\nProfile: (ID: m1)\n- a\n\n* b\n\nprose\n\n- c\n\n## S\n- d\n";
        let document = Document::parse(text);
        let at: Vec<u32> = document.bullets().iter().map(|b| b.section).collect();
        assert_eq!(at, [2, 2, 1, 3]);
        let label = &document.sections()[2];
        assert_eq!((label.level, label.parent, &text[label.end as usize..][..5]), (7, 1, "prose"));
        assert_eq!(&text[document.sections()[1].own_end as usize..][..7], "Profile");
        assert_eq!(Document::parse("Profile (ID: m1)\n\ntext\n").sections().len(), 1);
    }

    #[test]
    fn a_label_with_a_colon_is_a_section_without_a_list() {
        for text in ["P: (ID: m1)\n", "P: (ID: m1)\n\ntext\n\n- a\n", "P: (ID: m1)\n\n## S\n- a\n"] {
            let document = Document::parse(text);
            let label = &document.sections()[1];
            assert_eq!((label.level, label.id.as_deref()), (7, Some("m1")), "{text}");
            assert!(document.bullets().iter().all(|b| b.section != 1), "{text}");
        }
        let text = "A: (ID: m1)\n\nB: (ID: m2)\n- b\n";
        let ids: Vec<_> = Document::parse(text).sections()[1..].iter().map(|s| s.id.clone().unwrap()).collect();
        assert_eq!(ids, ["m1", "m2"]);
        for text in ["See the notes of the meeting (ID: m1)\n", "A: b\nC: (ID: m1)\n", "> P: (ID: m1)\n"] {
            assert_eq!(Document::parse(text).sections().len(), 1, "{text}");
        }
    }
}
