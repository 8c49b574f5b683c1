//! Links between memory files: `[[wiki]]` links and relative markdown links, which file a link names, and what in it.
//!
//! Never reads a second file: whether a target exists is for those to say who know all files.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::{Document, Span, lines, section_range, slug};
use crate::path::MemoryPath;

/// Ends of names that wiki links have for what is no memory: a picture, a recording, a paper.
const ATTACHMENTS: [&str; 25] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "avif", "pdf", "mp3", "wav", "m4a", "ogg", "flac", "mp4", "mov",
    "webm", "mkv", "canvas", "base", "csv", "xlsx", "docx", "pptx", "zip",
];
/// How far before `](` the `[` of a link is looked for, in bytes.
const REACH: usize = 2048;

/// A link in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// First byte of the target's file part.
    pub start: usize,
    /// One past its last byte (before `#`, `|`, `]]` or `)`).
    pub end: usize,
    /// What stands after the `#`: a heading, a slug, `^id`. Empty without one.
    pub part: Span,
    /// From `[[` to behind `]]`; of a markdown link, from `](` to behind `)`.
    pub whole: Span,
    /// Whether it is `[[wiki]]` style (else a markdown link).
    pub wiki: bool,
}

/// All links of a text that may name memory files. Code and comments are not searched.
pub fn links(document: &Document) -> Vec<Link> {
    let mut found = candidates(document.text());
    if !found.is_empty() {
        let hidden = hidden(document, &found);
        found.retain(|link| !hidden.iter().any(|range| range.contains(&link.start)));
    }
    found
}

/// All places that look like links, in code and comments too: what a glance at a text tells without parsing it.
pub fn candidates(text: &str) -> Vec<Link> {
    let bytes = text.as_bytes();
    if memchr::memchr(b'[', bytes).is_none() {
        return Vec::new();
    }
    let wiki = memmem::find_iter(bytes, "[[").filter_map(|at| wiki(text, at));
    let plain = memmem::find_iter(bytes, "](").filter_map(|at| markdown(text, at));
    let mut found: Vec<Link> = wiki.chain(plain).filter(|link| !escaped(bytes, link.whole.start as usize)).collect();
    found.sort_by_key(|link| link.start);
    found
}

/// `[[file#part|shown]]`.
fn wiki(text: &str, at: usize) -> Option<Link> {
    let start = at + 2;
    let line = lines::end(text.as_bytes(), start);
    let inner = &text[start..start + text[start..line].find("]]")?];
    if inner.contains('[') || inner.trim().is_empty() {
        return None;
    }
    let close = start + inner.len() + 2;
    // In a table the bar before the shown text is escaped.
    let shown = inner.find('|').map_or(inner.len(), |bar| inner[..bar].trim_end_matches('\\').len());
    let named = &inner[..shown];
    let file = named.find(['#', '^']).unwrap_or(named.len());
    let part = named.find('#').map_or(named.len(), |hash| hash + 1);
    let extension = named[..file].rsplit_once('.').map_or("", |(_, extension)| extension.trim());
    if ATTACHMENTS.contains(&extension.to_ascii_lowercase().as_str()) {
        return None;
    }
    let span = |from: usize, to: usize| Span { start: from as u32, end: to as u32 };
    let part = span(start + part, start + shown);
    Some(Link { start, end: start + file, part, whole: span(at, close), wiki: true })
}

/// `](file.md#part "title")`, the file perhaps in angle brackets.
fn markdown(text: &str, at: usize) -> Option<Link> {
    let bytes = text.as_bytes();
    let angled = bytes.get(at + 2) == Some(&b'<');
    let start = at + 2 + usize::from(angled);
    let inner = match angled {
        true => &text[start..start + text[start..].find(['>', '\n'])?],
        false => destination(&text[start..])?,
    };
    let file = inner.split('#').next().unwrap_or(inner);
    if !file.ends_with(".md") || file.contains("://") || file.starts_with('/') || !opened(&bytes[..at]) {
        return None;
    }
    let (end, stop) = (start + file.len(), start + inner.len());
    let close = stop + memchr::memchr2(b')', b'\n', &bytes[stop..])? + 1;
    let span = |from: usize, to: usize| Span { start: from as u32, end: to as u32 };
    Some(Link { start, end, part: span((end + 1).min(stop), stop), whole: span(at, close), wiki: false })
}

/// A destination without angle brackets: up to a blank or the bracket that closes the link (CommonMark 6.3).
fn destination(text: &str) -> Option<&str> {
    let mut open = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' if open == 0 => return Some(&text[..at]),
            b')' => open -= 1,
            b' ' | b'\t' => return Some(&text[..at]),
            b'\n' | b'\r' => return None,
            _ => {}
        }
    }
    None
}

/// Whether a link's text begins somewhere before.
fn opened(before: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(REACH)..];
    let paragraph = memmem::rfind(near, b"\n\n").map_or(0, |i| i + 2);
    memchr::memchr(b'[', &near[paragraph..]).is_some()
}

fn escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
}

/// The code and comments of a document, where there may be some around a link.
fn hidden(document: &Document, found: &[Link]) -> Vec<Range<usize>> {
    let (text, bytes) = (document.text(), document.text().as_bytes());
    let indented = |link: &Link| {
        let line = &bytes[lines::start(bytes, link.start)..];
        line.starts_with(b"    ") || line.iter().take(4).any(|b| *b == b'\t')
    };
    let marked = memchr::memchr(b'`', bytes).is_some() || memmem::find(bytes, b"~~~").is_some();
    if !marked && memmem::find(bytes, b"<!--").is_none() && !found.iter().any(indented) {
        return Vec::new();
    }
    let body = document.body_start();
    let comment = |at: &Range<usize>| text[body + at.start..].trim_start().starts_with("<!--");
    let of = |(event, at): (Event<'_>, Range<usize>)| {
        let hides = match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => true,
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => comment(&at),
            _ => false,
        };
        hides.then(|| body + at.start..body + at.end)
    };
    Parser::new_ext(&text[body..], Options::empty()).into_offset_iter().filter_map(of).collect()
}

/// Whether a link's target names a file, as seen from the file that holds it.
pub fn names(target: &str, wiki: bool, holder: &MemoryPath, file: &MemoryPath) -> bool {
    let target = target.trim();
    match wiki {
        true => {
            let target = target.strip_suffix(".md").unwrap_or(target);
            let path = file.as_str().strip_suffix(".md").unwrap_or(file.as_str());
            same(target, path)
                || same(target, file.stem())
                || path.strip_prefix("facts/").is_some_and(|p| same(target, p))
        }
        false => relative(holder, target).is_some_and(|p| p == file.as_str()),
    }
}

fn same(a: &str, b: &str) -> bool {
    match a.is_ascii() && b.is_ascii() {
        true => a.eq_ignore_ascii_case(b),
        false => a.to_lowercase() == b.to_lowercase(),
    }
}

/// A relative link's path below the data dir.
pub fn relative(holder: &MemoryPath, target: &str) -> Option<String> {
    let target = decoded(target);
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

/// A text with its `%20` and the like as what they stand for; as it is, where that is no text.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digit = |i: usize| after.get(i).and_then(|b| char::from(*b).to_digit(16));
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                out.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The bytes that a link's part names: a section by its id, slug or heading (`Work`, `Work#Contacts`), or with `^id` a
/// bullet or the line that ends so. `None` where nothing has that name.
pub fn place(document: &Document, part: &str) -> Option<Range<usize>> {
    let part = decoded(part.trim());
    match part.strip_prefix('^') {
        Some(id) => block(document, id),
        None => section(document, &part).map(|at| section_range(document, at)),
    }
}

fn block(document: &Document, id: &str) -> Option<Range<usize>> {
    let bullet = (0..document.bullets().len()).find(|b| document.bullet_id(*b).is_some_and(|own| own == id));
    if let Some(b) = bullet.map(|b| document.bullets()[b]) {
        return Some(b.line as usize..b.end as usize);
    }
    let text = document.text();
    let ends = |at: &usize| {
        let before = text[..*at].chars().next_back();
        let after = text[at + 1 + id.len()..].chars().next();
        before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace)
    };
    let at = text.match_indices(&format!("^{id}")).map(|(at, _)| at).find(ends)?;
    Some(lines::start(text.as_bytes(), at)..lines::end(text.as_bytes(), at))
}

fn section(document: &Document, part: &str) -> Option<usize> {
    let sections = document.sections();
    let all = || 1..sections.len();
    let whole = slug(part);
    let named = |i: usize, name: &str| sections[i].slug == name || slug(&document.section_title(i)) == name;
    let by_id = all().find(|i| sections[*i].id.as_deref() == Some(part));
    by_id.or_else(|| all().find(|i| sections[*i].slug == part)).or_else(|| all().find(|i| named(*i, &whole))).or_else(
        || {
            let path: Vec<String> = part.split(['#', '/']).map(|name| slug(name.trim())).collect();
            let (last, above) = path.split_last()?;
            let inside = |i: usize| {
                let mut at = i;
                above.iter().rev().all(|name| {
                    at = sections[at].parent as usize;
                    while at != 0 && !named(at, name) {
                        at = sections[at].parent as usize;
                    }
                    at != 0
                })
            };
            all().find(|i| !above.is_empty() && named(*i, last) && inside(*i))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The links of a text: file part, `#`, part.
    fn check(text: &str, expected: &[&str]) {
        let document = Document::parse(text);
        let of = |l: &Link| match l.part.start == l.part.end {
            true => text[l.start..l.end].to_owned(),
            false => format!("{}#{}", &text[l.start..l.end], &text[l.part.range()]),
        };
        assert_eq!(links(&document).iter().map(of).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn wiki_links_and_markdown_links_are_found_with_their_parts() {
        check(
            "- [[user]] and [[user#work]], [[user|me]] [[facts/user#Work Life|work]]\n",
            &["user", "user#work", "user", "facts/user#Work Life"],
        );
        check(
            "- [a](user.md) [b](../p/q.md#x \"t\") ![c](<a b.md>) [d](a_(b).md)\n",
            &["user.md", "../p/q.md#x", "a b.md", "a_(b).md"],
        );
        check(
            "| [[user\\|me]] | [[#Work]] | [[user#^mem7]] | [[user^mem7]] |\n",
            &["user", "#Work", "user#^mem7", "user"],
        );
        check("---\nup: \"[[user]]\"\n---\n# T [[a]]\n\nSee [[b]].\n", &["user", "a", "b"]);
    }

    #[test]
    fn what_only_looks_like_a_link_is_none() {
        check("- `[[a]]` ``[b](b.md)`` [[c]]\n", &["c"]);
        check("```\n[[a]]\n```\n\n    [[b]]\n\n- x\n\n  ~~~\n  [[c]]\n  ~~~\n\n    - [[d]]\n", &["d"]);
        check("<!-- [[a]] -->\n\n- b <!-- [[b]] --> [[c]]\n  <!-- mem src=\"[[d]]\" -->\n", &["c"]);
        check("- \\[[a]] [\\[b]] [[c\n]] [[]] [[ ]] [[[d]]]\n\narray](e.md)\n", &[]);
        check(
            "- ![[picture.png]] [[paper.PDF]] [[node.js]] [x](http://y.z/a.md) [r](/a.md) [t](a.txt)\n",
            &["node.js"],
        );
    }

    #[test]
    fn a_link_names_a_file_by_path_name_or_way() {
        let path = |text: &str| MemoryPath::new(text).unwrap();
        let (holder, user) = (path("episodes/2026-02.md"), path("facts/user.md"));
        for (target, wiki, named) in [
            ("user", true, true),
            ("User.md", true, true),
            ("facts/user", true, true),
            ("notes/user", true, false),
            ("", true, false),
            ("../facts/user.md", false, true),
            ("../facts/%75ser.md", false, true),
            ("facts/user.md", false, false),
            ("../../facts/user.md", false, false),
        ] {
            assert_eq!(names(target, wiki, &holder, &user), named, "{target}");
        }
        assert!(names("ÉTÉ", true, &holder, &path("facts/été.md")));
    }

    #[test]
    fn a_part_names_a_section_or_a_line() {
        let text = "# User\n\n## Work Life {#job}\n\n- a ^mem7\n- b\n  <!-- mem id=m8 -->\n\n### TCP/IP\n\nLine ^l1\n\n## Home\n\n### Work\n- c\n";
        let document = Document::parse(text);
        let first = |part: &str| place(&document, part).map(|range| text[range].lines().next().unwrap());
        for (part, line) in [
            ("work-life", Some("## Work Life {#job}")),
            ("Work Life", Some("## Work Life {#job}")),
            ("job", Some("## Work Life {#job}")),
            ("TCP/IP", Some("### TCP/IP")),
            ("Home#Work", Some("### Work")),
            ("home/work", Some("### Work")),
            ("Work#Home", None),
            ("^mem7", Some("- a ^mem7")),
            ("^m8", Some("- b")),
            ("^l1", Some("Line ^l1")),
            ("^l", None),
            ("play", None),
        ] {
            assert_eq!(first(part), line, "{part}");
        }
    }
}
