//! What a document offers for its summary line: labels, headings, entry titles; and the text that its words come from.
//!
//! Never looks into front matter, code or the summary line itself.

use std::collections::HashSet;

use super::{Document, Genre};
use crate::document::{Kind, Span};
use crate::text::columns;
use crate::text::words::{is_unspaced, is_word};

use super::line::{MOST_COLUMNS, Terms};

const NEVER: [&str; 3] = ["summary", "date", "updated"];

/// All(t): the terms a text offers, in file order.
pub fn all(document: &Document, genre: Genre) -> Terms {
    let mut terms = Terms::default();
    let mut add = |term: Option<String>| {
        if let Some(term) = term.filter(|t| !NEVER.contains(&t.as_str())) {
            terms.add(term);
        }
    };
    let mut sections = headings(document, genre).into_iter().peekable();
    // A long list repeats its labels: one that gave its term once needs no second look.
    let mut known: HashSet<&str> = HashSet::new();
    for (bullet, key) in labelled(document, genre) {
        if known.contains(key) {
            continue;
        }
        let at = document.bullets()[bullet].line;
        while let Some((_, title)) = sections.next_if(|(start, _)| *start < at) {
            add(heading(&title));
        }
        if let Some(term) = label(&document.bullet_text(bullet)) {
            known.insert(key);
            add(Some(term));
        }
    }
    sections.for_each(|(_, title)| add(heading(&title)));
    terms
}

fn headings(document: &Document, genre: Genre) -> Vec<(u32, String)> {
    let wanted = |level: u8| if genre == Genre::Episodes { level == 2 } else { level >= 2 };
    let sections = document.sections().iter().enumerate().filter(|(_, s)| wanted(s.level));
    sections.map(|(i, s)| (s.heading.start, document.section_title(i).into_owned())).collect()
}

/// The top-level bullets that may have a label, each with what stands before its first colon.
fn labelled(document: &Document, genre: Genre) -> impl Iterator<Item = (usize, &str)> {
    let wanted = if genre == Genre::Episodes { 0 } else { document.bullets().len() };
    let top = (0..wanted).filter(|&i| document.bullets()[i].depth == 0);
    top.filter_map(|i| {
        let raw = without_category(document.bullet_raw(i).trim_start());
        Some((i, &raw[..label_end(raw)?.0]))
    })
}

/// The term of a labelled bullet.
fn label(text: &str) -> Option<String> {
    labelled_text(text).map(|(label, _)| label)
}

/// The label of a bullet `Label: text`, `**Label**: text`, `**Label:** text` and the text: at most three words, one of
/// them with letters.
fn labelled_text(text: &str) -> Option<(String, &str)> {
    let text = without_category(text.trim_start());
    let (end, length) = label_end(text)?;
    let rest = text[end + length..].trim_start_matches(['*', '_', '`']).trim();
    let term = term(&text[..end], usize::MAX)?;
    let short = term.split(' ').count() <= 3 && columns(&term) <= 40 && term.chars().any(char::is_alphabetic);
    let sentence = text[..end].contains(['，', '。', ',']) || text[..end].contains(". ");
    (short && !sentence && !rest.is_empty()).then_some((term, rest))
}

/// Most bytes of a label with its marks.
const LABEL: usize = 240;

/// Where a label would end: at its colon, and how long that is.
fn label_end(text: &str) -> Option<(usize, usize)> {
    // No label is longer; a long list is looked at often.
    let head = &text.as_bytes()[..text.len().min(LABEL)];
    let wide = memchr::memmem::find(head, "：".as_bytes()).map(|i| (i, '：'.len_utf8()));
    let colon = memchr::memchr_iter(b':', head).map(|i| (i, 1)).find(|&(i, _)| ends_label(&text[i + 1..]));
    [wide, colon].into_iter().flatten().min()
}

fn ends_label(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '_', '`']);
    rest.starts_with(char::is_whitespace)
}

fn without_category(text: &str) -> &str {
    let inside = text.strip_prefix('[').and_then(|t| t.split_once("] "));
    inside.filter(|(category, _)| !category.contains(['[', ']'])).map_or(text, |(_, rest)| rest.trim_start())
}

/// The term of a heading: its first four words.
fn heading(title: &str) -> Option<String> {
    term(title, 4)
}

/// Lower case, marks of emphasis and links taken off, commas as blanks, folded and cut; nothing that would read as prose
/// or could not stand in a line of its own.
fn term(text: &str, most_words: usize) -> Option<String> {
    let plain: String = text.replace("<!--", " ").chars().map(|c| if breaks(c) { ' ' } else { c }).collect();
    let plain: String = plain.chars().filter(|c| !matches!(c, '*' | '`')).collect();
    let lower = plain.replace("[[", "").replace("]]", "").to_lowercase();
    let cut: Vec<&str> = lower.split_whitespace().take(most_words).collect();
    let cut = cut.join(" ");
    let cut = cut.trim_matches(|c: char| {
        matches!(c, '.' | '。' | '．' | '!' | '?' | '！' | '？' | ':' | '：' | '_') || c == ' '
    });
    (columns(cut) <= MOST_COLUMNS && cut.chars().any(char::is_alphanumeric)).then(|| cut.to_string())
}

fn breaks(c: char) -> bool {
    matches!(c, ',' | '，' | '、') || c.is_control()
}

/// Bytes of prose that are looked at: telling words of a longer text are those of its beginning.
const MOST_PROSE: usize = 1 << 20;

/// The text whose words may tell what a file holds: bullets, paragraphs, headings below the H1. Links are left out.
pub fn prose(document: &Document) -> String {
    let summary = document.summary().map(|s| s.line);
    let mut out = String::new();
    let mut add = |text: &str| {
        for piece in text.split_whitespace().filter(|p| !p.contains("://")) {
            out.push_str(piece);
            out.push(' ');
        }
        out.push('\n');
    };
    let read = document.nodes().iter().take_while(|n| (n.span.start as usize) < MOST_PROSE);
    for node in read {
        match node.kind {
            Kind::Heading(section) if document.sections()[section as usize].level > 1 => {
                add(&document.section_title(section as usize));
            }
            // A label is a term already, or one that entries of any kind share.
            Kind::Bullet(bullet) => {
                let text = document.bullet_text(bullet as usize);
                add(labelled_text(&text).map_or(&*text, |(_, rest)| rest));
            }
            Kind::Paragraph => add(&document.text()[node.span.range()]),
            Kind::Quote => add(&without(document, node.span, summary)),
            _ => {}
        }
    }
    out
}

/// A quote's text; the summary line may stand among its lines.
fn without(document: &Document, quote: Span, summary: Option<Span>) -> String {
    let text = document.text();
    match summary.filter(|s| quote.start <= s.start && s.end <= quote.end) {
        Some(s) => [&text[quote.start as usize..s.start as usize], &text[s.end as usize..quote.end as usize]].concat(),
        None => text[quote.range()].to_owned(),
    }
}

/// A document's text below the front matter, without the summary line, lower case.
pub fn body(document: &Document) -> String {
    let text = document.text();
    let start = document.front_matter().map_or(0, |f| f.end as usize);
    match document.summary().filter(|s| s.line.start as usize >= start) {
        Some(s) => text[start..s.line.start as usize].to_lowercase() + &text[s.line.end as usize..].to_lowercase(),
        None => text[start..].to_lowercase(),
    }
}

/// Whether a term stands in a lower-case text: not as a part of a longer word.
pub fn stands(body: &str, term: &str) -> bool {
    let term = term.to_lowercase();
    let goes_on = |inner: Option<char>, outer: Option<char>| match (inner, outer) {
        (Some(i), Some(o)) => is_word(i) && is_word(o) && !is_unspaced(i) && !is_unspaced(o),
        _ => false,
    };
    body.match_indices(&term).any(|(at, _)| {
        let (before, after) = (&body[..at], &body[at + term.len()..]);
        !goes_on(term.chars().next(), before.chars().next_back())
            && !goes_on(term.chars().next_back(), after.chars().next())
    })
}

/// Whether a text has outgrown the telling words of its line: its size passed a power of two. So words are chosen anew
/// often while a file is small, and hardly ever later.
pub fn outgrown(before: &Document, after: &Document) -> bool {
    let size = |d: &Document| d.text().len() - d.summary().map_or(0, |s| s.line.range().len());
    size(after).max(1).ilog2() > size(before).max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_at_most_three_words_before_a_colon() {
        for (bullet, expected) in [
            ("Name: Zhang San", Some("name")),
            ("**Name**: Zhang", Some("name")),
            ("**Home Town:** Lyon", Some("home town")),
            ("`Editor`: vim", Some("editor")),
            ("[fact] Name: Zhang #tag", Some("name")),
            ("姓名：张三", Some("姓名")),
            ("Release day rule: Tuesday", Some("release day rule")),
            ("One two three four: no", None),
            ("He said, quietly: no", None),
            ("see https://example.org", None),
            ("at 10:30 sharp", None),
            ("10: ten", None),
            ("Node.js: version 24", Some("node.js")),
            ("[ ] Task: sweep", Some("task")),
            ("Done. Note: swept", None),
            ("Name:", None),
            ("no label", None),
        ] {
            assert_eq!(label(bullet).as_deref(), expected, "{bullet}");
        }
    }

    #[test]
    fn a_heading_is_cut_to_four_words_and_never_reads_as_prose() {
        for (title, expected) in [
            ("Logger stdout leak fix in pino", Some("logger stdout leak fix")),
            ("Food, drink", Some("food drink")),
            ("**Done.**", Some("done")),
            ("See [[Target]]", Some("see target")),
            ("A <!-- b", Some("a b")),
            ("???", None),
        ] {
            assert_eq!(heading(title).as_deref(), expected, "{title}");
        }
    }

    #[test]
    fn a_term_stands_on_word_boundaries() {
        for (body, term, expected) in [
            ("- likes jazz.", "Jazz", true),
            ("- jazzy", "jazz", false),
            ("- free jazz, ok", "free jazz", true),
            ("我们喜欢绿茶", "绿茶", true),
            ("用rust写", "rust", true),
            ("", "jazz", false),
        ] {
            assert_eq!(stands(body, term), expected, "{body} {term}");
        }
    }
}
