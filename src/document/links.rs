//! Links between memory files: finds `[[wiki]]` links, relative Markdown links and the definitions of reference links,
//! and resolves their target file and fragment.
//!
//! Never reads other files: the caller checks whether a target exists.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::{Document, Span, lines};
use crate::path::MemoryPath;

/// File extensions of wiki links that name attachments, not memory files.
const ATTACHMENT_EXTENSIONS: [&str; 25] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "avif", "pdf", "mp3", "wav", "m4a", "ogg", "flac", "mp4", "mov",
    "webm", "mkv", "canvas", "base", "csv", "xlsx", "docx", "pptx", "zip",
];
/// Maximum number of bytes to search for the `[` before `](`.
const MAX_LOOKBACK: usize = 2048;

/// A link to a memory file. Offsets are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLink {
    /// Start of the file part of the target.
    pub start: usize,
    /// End of the file part, exclusive (before `#`, `|`, `]]` or `)`).
    pub end: usize,
    /// The fragment after `#`: a heading, a slug, or `^id`. Empty if there is none.
    pub fragment: Span,
    /// The link's span: from `[[` to `]]`, for a Markdown link from `](` to `)`, for a definition (`[label]: file.md`)
    /// from the start of its line to the end of its target.
    pub span: Span,
    /// Whether it is a `[[wiki]]` link, not a Markdown link.
    pub is_wiki: bool,
}

/// All links of a document that may refer to memory files, excluding code and comments.
pub fn find_links(document: &Document) -> Vec<FileLink> {
    without_hidden(document, link_candidates(document.text()))
}

/// The Markdown links of a document to a part of itself, `[work](#work)` or `[ref]: #work`, excluding code and comments.
pub fn own_part_links(document: &Document) -> Vec<FileLink> {
    let mut found = markdown_links(document.text(), |file| file.is_empty());
    found.extend(link_definitions(document.text(), |file| file.is_empty()));
    found.retain(|link| !link.fragment.range().is_empty());
    found.sort_by_key(|link| link.start);
    without_hidden(document, found)
}

/// The Markdown links and images of a document whose destination is a relative path, of a memory file or of any other
/// file, excluding code and comments. A name without a dot or slash is not a link: it may be prose, `f[x](y)`.
pub fn relative_path_links(document: &Document) -> Vec<FileLink> {
    let mut found = markdown_links(document.text(), is_relative_path);
    found.extend(link_definitions(document.text(), is_relative_path));
    found.sort_by_key(|link| link.start);
    without_hidden(document, found)
}

/// The link reference definitions with an accepted file, `[label]: file.md#part "title"` (CommonMark 4.7), each on a
/// line of its own, to which `[text][label]` leads. A label that starts with `^` is that of a footnote.
fn link_definitions(text: &str, accepts: fn(&str) -> bool) -> impl Iterator<Item = FileLink> {
    memmem::find_iter(text.as_bytes(), "]:").filter_map(move |close| parse_link_definition(text, close, accepts))
}

/// Parses the definition whose label ends at a byte offset.
fn parse_link_definition(text: &str, close: usize, accepts: fn(&str) -> bool) -> Option<FileLink> {
    // Looks no further than to the next bracket: a line may have many that end like a label.
    let open =
        memchr::memrchr3(b'[', b']', b'\n', &text.as_bytes()[..close]).filter(|at| text[*at..].starts_with('['))?;
    let label = &text[open + 1..close];
    if label.trim().is_empty() || label.starts_with('^') || label.contains('\r') || label.ends_with('\\') {
        return None;
    }
    let line = text[..open].trim_end_matches([' ', '>']).len();
    if !(line == 0 || text[..line].ends_with(['\n', '\r'])) {
        return None;
    }
    let after = close + 2;
    let target = after + text[after..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_angled = text[target..].starts_with('<');
    let start = target + usize::from(is_angled);
    let ends = |byte: u8| if is_angled { matches!(byte, b'>' | b'\n') } else { byte.is_ascii_whitespace() };
    let stop = start + text[start..].bytes().position(ends).unwrap_or(text.len() - start);
    let rest = &text[stop..lines::end(text.as_bytes(), stop)];
    let title = if is_angled { rest.strip_prefix('>')? } else { rest }.trim();
    if !(title.is_empty() || title.starts_with(['"', '\'', '('])) {
        return None;
    }
    let end = start + text[start..stop].find('#').unwrap_or(stop - start);
    let span = |from: usize, to: usize| Span { start: from as u32, end: to as u32 };
    accepts(&text[start..end]).then(|| FileLink {
        start,
        end,
        fragment: span((end + 1).min(stop), stop),
        span: span(line, stop),
        is_wiki: false,
    })
}

/// The links and images by reference, `[text][label]`, `[label][]` or `[label]`, whose label is defined in the document:
/// where each starts, and the destination that the definition gives it. Ascending.
pub fn reference_uses(document: &Document) -> Vec<(usize, String)> {
    let body = document.body_start();
    let text = &document.text()[body..];
    if memmem::find(text.as_bytes(), b"]:").is_none() {
        return Vec::new();
    }
    let is_reference = |kind: LinkType| matches!(kind, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut);
    let found = |(event, at): (Event<'_>, Range<usize>)| match event {
        Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
            is_reference(link_type).then(|| (body + at.start, dest_url.into_string()))
        }
        _ => None,
    };
    Parser::new_ext(text, Options::empty()).into_offset_iter().filter_map(found).collect()
}

fn markdown_links(text: &str, accepts: fn(&str) -> bool) -> Vec<FileLink> {
    let links = memmem::find_iter(text.as_bytes(), "](").filter_map(|at| parse_markdown_link(text, at, accepts));
    links.filter(|link| !is_escaped(text.as_bytes(), link.span.start as usize)).collect()
}

fn is_memory_file(file: &str) -> bool {
    file.ends_with(".md") && !file.contains("://") && !file.starts_with('/')
}

fn is_relative_path(file: &str) -> bool {
    let has_scheme = file.split('/').next().is_some_and(|first| first.contains(':'));
    let is_address = has_scheme || file.starts_with(['/', '\\', '?']) || file.starts_with("www.");
    !is_address && file.contains(['.', '/'])
}

/// The links that are not in code or in a comment.
fn without_hidden(document: &Document, mut found: Vec<FileLink>) -> Vec<FileLink> {
    if !found.is_empty() {
        // Both are in the order of the text.
        let hidden = code_and_comment_ranges(document, &found);
        let (mut hidden, mut end) = (hidden.into_iter().peekable(), 0);
        found.retain(|link| {
            while let Some(range) = hidden.next_if(|range| range.start <= link.start) {
                end = end.max(range.end);
            }
            link.start >= end
        });
    }
    found
}

/// All text that looks like a link, including code and comments; needs no parsed document.
pub fn link_candidates(text: &str) -> Vec<FileLink> {
    let bytes = text.as_bytes();
    if memchr::memchr(b'[', bytes).is_none() {
        return Vec::new();
    }
    // Behind the last end there is no link, however many seem to start.
    let last_end = memmem::rfind(bytes, b"]]").unwrap_or(0);
    let starts = memmem::find_iter(bytes, "[[").take_while(|at| *at < last_end);
    let wiki = starts.filter_map(|at| parse_wiki_link(text, at));
    let plain = memmem::find_iter(bytes, "](").filter_map(|at| parse_markdown_link(text, at, is_memory_file));
    let mut found: Vec<FileLink> =
        wiki.chain(plain).filter(|link| !is_escaped(bytes, link.span.start as usize)).collect();
    found.extend(link_definitions(text, is_memory_file));
    found.sort_by_key(|link| link.start);
    found
}

/// Parses `[[file#fragment|label]]` at a byte offset; `None` for an attachment, or if the line does not close it.
fn parse_wiki_link(text: &str, at: usize) -> Option<FileLink> {
    let start = at + 2;
    // What a name cannot have ends the search, so that a line of brackets is read once.
    let end = start + memchr::memchr3(b'[', b'\n', b'\r', &text.as_bytes()[start..]).unwrap_or(text.len() - start);
    let inner = &text[start..start + text[start..end].find("]]")?];
    if inner.trim().is_empty() {
        return None;
    }
    let close = start + inner.len() + 2;
    // Inside a table, the `|` before the label is escaped.
    let label_start = inner.find('|').map_or(inner.len(), |bar| inner[..bar].trim_end_matches('\\').len());
    let named = &inner[..label_start];
    let file = named.find(['#', '^']).unwrap_or(named.len());
    let part = named.find('#').map_or(named.len(), |hash| hash + 1);
    let extension = named[..file].rsplit_once('.').map_or("", |(_, extension)| extension.trim());
    if ATTACHMENT_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()) {
        return None;
    }
    let span = |from: usize, to: usize| Span { start: from as u32, end: to as u32 };
    let part = span(start + part, start + label_start);
    Some(FileLink { start, end: start + file, fragment: part, span: span(at, close), is_wiki: true })
}

/// Parses `](file.md#fragment "title")`; the destination may be in angle brackets. `None` unless the file is accepted.
fn parse_markdown_link(text: &str, at: usize, accepts: fn(&str) -> bool) -> Option<FileLink> {
    let bytes = text.as_bytes();
    let angled = bytes.get(at + 2) == Some(&b'<');
    let start = at + 2 + usize::from(angled);
    let inner = if angled {
        &text[start..start + memchr::memchr2(b'>', b'\n', near(&bytes[start..]))?]
    } else {
        link_destination(&text[start..])?
    };
    let file = inner.split('#').next().unwrap_or(inner);
    if !accepts(file) || !has_opening_bracket(&bytes[..at]) {
        return None;
    }
    let (end, stop) = (start + file.len(), start + inner.len());
    let close = stop + memchr::memchr2(b')', b'\n', near(&bytes[stop..]))? + 1;
    let span = |from: usize, to: usize| Span { start: from as u32, end: to as u32 };
    Some(FileLink { start, end, fragment: span((end + 1).min(stop), stop), span: span(at, close), is_wiki: false })
}

/// How far the end of a link is looked for, in bytes: a line of nothing but starts of links is read once.
const MAX_LINK_BYTES: usize = 4096;

fn near(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(MAX_LINK_BYTES)]
}

/// A destination without angle brackets: up to a space, or up to the bracket that closes the link (CommonMark 6.3).
fn link_destination(text: &str) -> Option<&str> {
    let mut open = 0;
    for (at, byte) in near(text.as_bytes()).iter().enumerate() {
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

/// Whether a `[` precedes in the same paragraph.
fn has_opening_bracket(before: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(MAX_LOOKBACK)..];
    let paragraph = memmem::rfind(near, b"\n\n").map_or(0, |i| i + 2);
    memchr::memchr(b'[', &near[paragraph..]).is_some()
}

fn is_escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
}

/// Ranges of code and comments. Empty without parsing if no link can be inside one.
fn code_and_comment_ranges(document: &Document, found: &[FileLink]) -> Vec<Range<usize>> {
    let (text, bytes) = (document.text(), document.text().as_bytes());
    let (mut line_start, mut read) = (0, 0);
    // Each line is looked for once: the links are in the order of the text.
    let indented = |link: &FileLink| {
        let new_line =
            memchr::memrchr2(b'\n', b'\r', bytes.get(read..link.start).unwrap_or_default()).map(|at| read + at + 1);
        (line_start, read) = (new_line.unwrap_or(line_start), link.start);
        let line = &bytes[line_start..];
        line.starts_with(b"    ") || line.iter().take(4).any(|b| *b == b'\t')
    };
    let marked = memchr::memchr(b'`', bytes).is_some() || memmem::find(bytes, b"~~~").is_some();
    if !marked && memmem::find(bytes, b"<!--").is_none() && !found.iter().any(indented) {
        return Vec::new();
    }
    let body = document.body_start();
    let comment = |at: &Range<usize>| text[body + at.start..].trim_start().starts_with("<!--");
    let hidden_range = |(event, at): (Event<'_>, Range<usize>)| {
        let hides = match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => true,
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => comment(&at),
            _ => false,
        };
        hides.then(|| body + at.start..body + at.end)
    };
    Parser::new_ext(&text[body..], Options::empty()).into_offset_iter().filter_map(hidden_range).collect()
}

/// Whether a link's target in the file `holder` may refer to `file`, whatever other files there are. [`LinkNames`]
/// decides.
///
/// [`LinkNames`]: super::link_names::LinkNames
pub fn may_refer_to(target: &str, wiki: bool, holder: &MemoryPath, file: &MemoryPath) -> bool {
    let target = target.trim();
    if wiki {
        let target = target.strip_suffix(".md").unwrap_or(target);
        let path = file.as_str().strip_suffix(".md").unwrap_or(file.as_str());
        eq_ignore_case(target, path)
            || eq_ignore_case(target, file.stem())
            || path.strip_prefix("facts/").is_some_and(|p| eq_ignore_case(target, p))
    } else {
        resolve_relative(holder, target).is_some_and(|p| p == file.as_str())
    }
}

fn eq_ignore_case(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() { a.eq_ignore_ascii_case(b) } else { a.to_lowercase() == b.to_lowercase() }
}

/// Resolves a relative link to a path below the data directory; `None` if it leaves the directory.
pub fn resolve_relative(holder: &MemoryPath, target: &str) -> Option<String> {
    let target = percent_decode(target);
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

/// Encodes what would end the destination of a Markdown link, or read as an escape.
pub fn percent_encode(path: &str) -> String {
    path.replace('%', "%25").replace(' ', "%20").replace('(', "%28").replace(')', "%29")
}

/// Decodes `%20` and similar escapes; unchanged if the result is not UTF-8.
pub fn percent_decode(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8().unwrap_or(Cow::Borrowed(text))
}

#[cfg(test)]
mod tests {
    use super::super::fragments::fragment_range;
    use super::*;

    /// The links of a text as `file#fragment`.
    fn check(text: &str, expected: &[&str]) {
        let document = Document::parse(text);
        let of = |l: &FileLink| {
            if l.fragment.start == l.fragment.end {
                text[l.start..l.end].to_owned()
            } else {
                format!("{}#{}", &text[l.start..l.end], &text[l.fragment.range()])
            }
        };
        assert_eq!(find_links(&document).iter().map(of).collect::<Vec<_>>(), expected, "{text}");
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
        check(
            "See [w][work], [t].\n\n[work]: user.md#work \"Work\"\n [t]:<a b.md#t>\n> [u]: ../u.md\n",
            &["user.md#work", "a b.md#t", "../u.md"],
        );
    }

    #[test]
    fn links_to_a_part_of_the_file_and_to_any_relative_path_are_found() {
        let text = "- [a](#work) [b](u.md#x) ![c](img/a.png) [d](<../a b.rs#L3>) `[e](e/f)` [g](http://a/b.c) [h](/i.md) \\
                    f[x](y) [j](mailto:a@b.c) [k](www.a.b) [l](#) [[m#n]]\n\n[r]: ../n.md#a \"t\"\n[s]: <o p.md>\nas [t]: u.md\n";
        let document = Document::parse(text);
        let parts: Vec<&str> = own_part_links(&document).iter().map(|l| &text[l.fragment.range()]).collect();
        assert_eq!(parts, ["work"]);
        let files: Vec<&str> = relative_path_links(&document).iter().map(|l| &text[l.start..l.end]).collect();
        assert_eq!(files, ["u.md", "img/a.png", "../a b.rs", "../n.md", "o p.md"]);
    }

    #[test]
    fn links_by_reference_are_found_where_their_label_is_defined() {
        let text = "---\na: b\n---\n- [x][R], [r], ![i][r], [r][], [u], `[r]` [x](y.md)\n\n[r]: a.md\n";
        let found = reference_uses(&Document::parse(text));
        assert!(found.iter().all(|(_, to)| to == "a.md"), "{found:?}");
        let uses: Vec<&str> = found.iter().map(|(at, _)| &text[*at..*at + 4]).collect();
        assert_eq!(uses, ["[x][", "[r],", "![i]", "[r][",]);
        assert!(reference_uses(&Document::parse("- [r], [x][r]\n")).is_empty());
    }

    #[test]
    fn text_that_only_resembles_a_link_is_ignored() {
        check("- `[[a]]` ``[b](b.md)`` [[c]]\n", &["c"]);
        check("```\n[[a]]\n```\n\n    [[b]]\n\n- x\n\n  ~~~\n  [[c]]\n  ~~~\n\n    - [[d]]\n", &["d"]);
        check("<!-- [[a]] -->\n\n- b <!-- [[b]] --> [[c]]\n  <!-- mem src=\"[[d]]\" -->\n", &["c"]);
        check("- \\[[a]] [\\[b]] [[c\n]] [[]] [[ ]] [[[d]]]\n\narray](e.md)\n", &[]);
        check(
            "[^1]: a.md\n[b]: b.md is a file\n[c](d)[e]: e.md\n[f]: http://f/f.md\n`[g]: g.md`\n\\[h]: h.md\n[]: i.md\n",
            &[],
        );
        check("```\n[a]: a.md\n```\n\n<!--\n[b]: b.md\n-->\n", &[]);
        check(
            "- ![[picture.png]] [[paper.PDF]] [[node.js]] [x](http://y.z/a.md) [r](/a.md) [t](a.txt)\n",
            &["node.js"],
        );
    }

    #[test]
    fn a_link_refers_to_a_file_by_path_name_or_relative_path() {
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
            assert_eq!(may_refer_to(target, wiki, &holder, &user), named, "{target}");
        }
        assert!(may_refer_to("ÉTÉ", true, &holder, &path("facts/été.md")));
    }

    #[test]
    fn a_part_names_a_section_or_a_line() {
        let text = "# User\n\n## Work Life {#job}\n\n- a ^mem7\n- b\n  <!-- mem id=m8 -->\n\n### TCP/IP\n\nLine ^l1\n\n## Home\n\n### Work\n- c\n";
        let document = Document::parse(text);
        let first = |part: &str| fragment_range(&document, part).map(|range| text[range].lines().next().unwrap());
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
            ("", None),
        ] {
            assert_eq!(first(part), line, "{part}");
        }
    }
}
