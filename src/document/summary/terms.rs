//! Extracts the candidate terms of a summary line (labels, headings, entry titles) and the prose that keywords come
//! from.
//!
//! Never reads front matter, code or the summary line itself.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::{Document, FileKind};
use crate::document::related_edge::related_edge;
use crate::document::{BlockKind, Span};
use crate::text::display_width;
use crate::text::secrets::{Secret, find_secrets};
use crate::text::words::{is_unspaced, is_word_char};

use super::line::{MAX_COLUMNS, SummaryTerms};

const EXCLUDED_TERMS: [&str; 3] = ["summary", "date", "updated"];

/// The candidate terms of a document, in file order.
pub fn candidate_terms(document: &Document, kind: FileKind) -> SummaryTerms {
    let mut terms = SummaryTerms::default();
    let mut add = |term: Option<String>| {
        if let Some(term) = term.filter(|t| !EXCLUDED_TERMS.contains(&t.as_str())) {
            terms.add(term);
        }
    };
    let mut sections = headings(document, kind).into_iter().peekable();
    // Long lists repeat their labels, so each label is parsed only once.
    let mut parsed_labels: HashSet<&str> = HashSet::new();
    for (bullet, key) in labelled_bullets(document, kind, 0..document.bullets().len()) {
        if parsed_labels.contains(key) {
            continue;
        }
        let at = document.bullets()[bullet].line_start;
        while let Some((_, title)) = sections.next_if(|(start, _)| *start < at) {
            add(heading_term(&title));
        }
        if let Some(term) = label_term(&document.bullet_text(bullet)) {
            parsed_labels.insert(key);
            add(Some(term));
        }
    }
    sections.for_each(|(_, title)| add(heading_term(&title)));
    terms
}

/// The candidate terms before and after a change. Extracting them from a long list is costly, and most changes leave
/// them as they are.
pub fn candidate_terms_of_both(before: &Document, after: &Document, kind: FileKind) -> (SummaryTerms, SummaryTerms) {
    let first = candidate_terms(before, kind);
    let second = if has_same_terms(before, after, kind) { first.clone() } else { candidate_terms(after, kind) };
    (first, second)
}

/// Whether two texts have the same headings, and differ only in bullets that have the same labels in both, or none, or
/// those of bullets above them. Says no if in doubt.
fn has_same_terms(before: &Document, after: &Document, kind: FileKind) -> bool {
    let titles = |document: &Document| headings(document, kind).into_iter().map(|(_, title)| title).collect::<Vec<_>>();
    if before.sections().len() != after.sections().len() || titles(before) != titles(after) {
        return false;
    }
    let (old, new) = (before.bullets(), after.bullets());
    let is_same = |i: usize, j: usize| {
        let same_place = (old[i].depth, old[i].section) == (new[j].depth, new[j].section);
        same_place && before.bullet_raw(i) == after.bullet_raw(j)
    };
    let shared = old.len().min(new.len());
    let front = (0..shared).take_while(|&i| is_same(i, i)).count();
    let back = (1..=shared - front).take_while(|&n| is_same(old.len() - n, new.len() - n)).count();
    let is_above =
        |key: &str| labelled_bullets(after, kind, 0..front).any(|(i, other)| other == key && has_label(after, i));
    // With the section of each, because headings are terms, too.
    let new_labels = |document: &Document, changed: Range<usize>| -> Vec<(u32, String)> {
        let labelled = labelled_bullets(document, kind, changed).filter(|(_, key)| !is_above(key));
        let label = |i: usize| Some((document.bullets()[i].section, label_term(&document.bullet_text(i))?));
        labelled.filter_map(|(i, _)| label(i)).collect()
    };
    new_labels(before, front..old.len() - back) == new_labels(after, front..new.len() - back)
}

fn has_label(document: &Document, bullet: usize) -> bool {
    label_term(&document.bullet_text(bullet)).is_some()
}

fn headings(document: &Document, kind: FileKind) -> Vec<(u32, String)> {
    let wanted = |level: u8| if kind == FileKind::Episodes { level == 2 } else { level >= 2 };
    let sections = document.sections().iter().enumerate().filter(|(_, s)| wanted(s.level));
    sections.map(|(i, s)| (s.heading.start, document.section_title(i).into_owned())).collect()
}

/// Top-level bullets of a range that may have a label, each with the text before its first colon.
fn labelled_bullets(document: &Document, kind: FileKind, range: Range<usize>) -> impl Iterator<Item = (usize, &str)> {
    let range = if kind == FileKind::Episodes { 0..0 } else { range };
    let top = range.filter(|&i| document.bullets()[i].depth == 0);
    top.filter_map(|i| {
        let raw = without_category(document.bullet_raw(i).trim_start());
        Some((i, &raw[..label_end(raw)?.0]))
    })
}

/// The term of a bullet's label.
fn label_term(text: &str) -> Option<String> {
    let has_secret = |label: &str| {
        find_possible_secrets(text).iter().any(|secret| label.contains(&text[secret.range.clone()].to_lowercase()))
    };
    split_label(text).map(|(label, _)| label).filter(|label| !has_secret(label))
}

/// Splits a bullet `Label: text`, `**Label**: text` or `**Label:** text` into term and text. A label has at most three
/// words, and one of them contains letters.
fn split_label(text: &str) -> Option<(String, &str)> {
    let text = without_category(text.trim_start());
    let (end, length) = label_end(text)?;
    let rest = text[end + length..].trim_start_matches(['*', '_', '`']).trim();
    let term = normalize_term(&text[..end], usize::MAX)?;
    let short = term.split(' ').count() <= 3 && display_width(&term) <= 40 && term.chars().any(char::is_alphabetic);
    let contains = |mark: &&str| find_short(&text.as_bytes()[..end], mark).is_some();
    let sentence = ["，", "。", ",", ". "].iter().any(contains);
    (short && !sentence && !rest.is_empty()).then_some((term, rest))
}

/// Maximum length of a label with its markup, in bytes.
const MAX_LABEL_BYTES: usize = 240;

/// Offset of the label's colon and length of the colon in bytes.
fn label_end(text: &str) -> Option<(usize, usize)> {
    // Labels are short; do not scan long bullets for a colon.
    let head = &text.as_bytes()[..text.len().min(MAX_LABEL_BYTES)];
    let wide = "：".as_bytes();
    memchr::memchr2_iter(b':', wide[0], head).find_map(|i| match head[i] {
        b':' => is_label_end(&text[i + 1..]).then_some((i, 1)),
        _ => head[i..].starts_with(wide).then_some((i, wide.len())),
    })
}

/// The offset of a pattern. Labels are so short that preparing a search would cost more than the search.
fn find_short(text: &[u8], pattern: &str) -> Option<usize> {
    let pattern = pattern.as_bytes();
    memchr::memchr_iter(pattern[0], text).find(|&at| text[at..].starts_with(pattern))
}

fn is_label_end(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '_', '`']);
    rest.starts_with(char::is_whitespace)
}

fn without_category(text: &str) -> &str {
    let inside = text.strip_prefix('[').and_then(|t| t.split_once("] "));
    inside.filter(|(category, _)| !category.contains(['[', ']'])).map_or(text, |(_, rest)| rest.trim_start())
}

/// The term of a heading: its first four words; none if a key or password is in it.
fn heading_term(title: &str) -> Option<String> {
    normalize_term(title, 4).filter(|_| find_possible_secrets(title).is_empty())
}

/// The keys and passwords of a text; none are looked for in one without a word that has the form of one, as most are.
fn find_possible_secrets(text: &str) -> Vec<Secret> {
    let may_be_secret = |word: &str| word.len() >= SHORTEST_SECRET && word.bytes().any(|b| b.is_ascii_digit());
    if text.split_whitespace().any(may_be_secret) { find_secrets(text) } else { Vec::new() }
}

/// A shorter word is no secret, in bytes.
const SHORTEST_SECRET: usize = 8;

/// Normalizes a term: lower case, without emphasis and link markup, commas replaced by spaces, whitespace collapsed,
/// cut to a number of words. `None` if it is too wide for a line or has no letters and digits. Trailing punctuation is
/// removed, since a final full stop would mark the line as prose.
fn normalize_term(text: &str, most_words: usize) -> Option<String> {
    let lower =
        if text.bytes().all(is_plain) { text.to_ascii_lowercase() } else { without_markup(text).to_lowercase() };
    let cut: Vec<&str> = lower.split_whitespace().take(most_words).collect();
    let cut = cut.join(" ");
    let cut = cut.trim_matches(|c: char| {
        matches!(c, '.' | '。' | '．' | '!' | '?' | '！' | '？' | ':' | '：' | '_') || c == ' '
    });
    (display_width(cut) <= MAX_COLUMNS && cut.chars().any(char::is_alphanumeric)).then(|| cut.to_string())
}

/// Whether [`without_markup`] leaves a byte as it is.
fn is_plain(b: u8) -> bool {
    (b' '..0x7f).contains(&b) && !matches!(b, b'<' | b',' | b'*' | b'`' | b'[' | b']')
}

fn without_markup(text: &str) -> String {
    let plain: String = text.replace("<!--", " ").chars().map(|c| if is_separator(c) { ' ' } else { c }).collect();
    let plain: String = plain.chars().filter(|c| !matches!(c, '*' | '`')).collect();
    plain.replace("[[", "").replace("]]", "")
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | '，' | '、') || c.is_control()
}

/// Keywords are taken from the first MiB of a text.
const MAX_PROSE_BYTES: usize = 1 << 20;

/// The text to extract keywords from: bullets, paragraphs and headings below the H1. URLs, the targets of links and
/// comments are left out.
pub fn keyword_source(document: &Document) -> String {
    let summary = document.summary_line().map(|s| s.line);
    let labels: HashSet<u32> = document.sections().iter().filter(|s| s.level == 7).map(|s| s.heading.start).collect();
    let mut out = String::new();
    let mut add = |text: &str| {
        let may_have_url = memchr::memchr(b':', text.as_bytes()).is_some();
        for piece in without_targets(text).split_whitespace().filter(|p| !may_have_url || !p.contains("://")) {
            out.push_str(piece);
            out.push(' ');
        }
        out.push('\n');
    };
    let read = document.blocks().iter().take_while(|n| (n.span.start as usize) < MAX_PROSE_BYTES);
    for node in read {
        match node.kind {
            BlockKind::Heading(section) if document.sections()[section as usize].level > 1 => {
                add(&document.section_title(section as usize));
            }
            // A label is a term already, or one that entries of any kind share, so only the text after it is used.
            BlockKind::Bullet(bullet) if related_edge(document, bullet as usize).is_some() => {}
            BlockKind::Bullet(bullet) if is_digest_note(document.bullet_raw(bullet as usize)) => {}
            BlockKind::Bullet(bullet) => {
                let text = document.bullet_text(bullet as usize);
                match split_label(&text) {
                    // Without its label a password is a word.
                    Some((_, rest)) => add(&without_secrets(&text, rest)),
                    None => add(&text),
                }
            }
            // The heading of a block, `User Profile: (ID: mem123)`, is a term already, and its id is no word.
            BlockKind::Paragraph if labels.contains(&node.span.start) => {}
            BlockKind::Paragraph => add(&document.text()[node.span.range()]),
            BlockKind::Quote => add(&quote_without_summary(document, node.span, summary)),
            _ => {}
        }
    }
    out
}

/// The end of a text without its keys and passwords.
fn without_secrets<'t>(text: &'t str, end: &'t str) -> Cow<'t, str> {
    let secrets = find_possible_secrets(text);
    let from = end.as_ptr() as usize - text.as_ptr() as usize;
    let mut out = Cow::Borrowed(end);
    let inside = |secret: &&Secret| secret.range.start >= from && secret.range.end <= from + end.len();
    for secret in secrets.iter().filter(inside).rev() {
        out.to_mut().replace_range(secret.range.start - from..secret.range.end - from, " ");
    }
    out
}

/// Whether a bullet is memdir's own line below a digest, `Digest of 9 entries: [[archive/episodes/2025-11]]`.
fn is_digest_note(text: &str) -> bool {
    text.strip_prefix("Digest of ").is_some_and(|rest| rest.contains(": [[archive/") && rest.ends_with("]]"))
}

/// How far the end of a link or comment is looked for, in bytes: a line of nothing but their starts is read once.
const MAX_MARKUP_BYTES: usize = 64 << 10;

/// The offset of a mark that is not far away.
fn find_near(text: &str, mark: &str) -> Option<usize> {
    memchr::memmem::find(&text.as_bytes()[..text.len().min(MAX_MARKUP_BYTES)], mark.as_bytes())
}

/// A text without comments and without what its links point to: `[the plan](plans/may.md)` is `[the plan`.
fn without_targets(text: &str) -> Cow<'_, str> {
    if memchr::memchr3(b'[', b']', b'<', text.as_bytes()).is_none() {
        return text.into();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find([']', '[', '<']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let length = if found.starts_with("](") {
            find_near(found, ")").map(|end| end + 1)
        } else if let Some(inside) = found.strip_prefix("[[") {
            // `[[note|alias]]`
            let end = find_near(inside, "]]").unwrap_or(0);
            inside[..end].rfind('|').map(|bar| "[[|".len() + bar)
        } else if found.starts_with("<!--") {
            find_near(found, "-->").map(|end| end + "-->".len())
        } else {
            None
        };
        let length = length.unwrap_or_else(|| {
            out.push_str(&found[..1]);
            1
        });
        rest = &found[length..];
    }
    out.push_str(rest);
    out.into()
}

/// A quote's text without the summary line.
fn quote_without_summary(document: &Document, quote: Span, summary: Option<Span>) -> String {
    let text = document.text();
    match summary.filter(|s| quote.start <= s.start && s.end <= quote.end) {
        Some(s) => [&text[quote.start as usize..s.start as usize], &text[s.end as usize..quote.end as usize]].concat(),
        None => text[quote.range()].to_owned(),
    }
}

/// A document's text after the front matter, without the summary line, in lower case.
pub fn lower_body(document: &Document) -> String {
    let text = document.text();
    let start = document.front_matter().map_or(0, |f| f.end as usize);
    match document.summary_line().filter(|s| s.line.start as usize >= start) {
        Some(s) => text[start..s.line.start as usize].to_lowercase() + &text[s.line.end as usize..].to_lowercase(),
        None => text[start..].to_lowercase(),
    }
}

/// Whether a lower-case text contains a term as whole words.
pub fn contains_term(body: &str, term: &str) -> bool {
    let term = term.to_lowercase();
    let continues_word = |inner: Option<char>, outer: Option<char>| match (inner, outer) {
        (Some(i), Some(o)) => is_word_char(i) && is_word_char(o) && !is_unspaced(i) && !is_unspaced(o),
        _ => false,
    };
    if term.is_empty() {
        return true;
    }
    memchr::memmem::find_iter(body.as_bytes(), term.as_bytes()).any(|at| {
        let (before, after) = (&body[..at], &body[at + term.len()..]);
        !continues_word(term.chars().next(), before.chars().next_back())
            && !continues_word(term.chars().next_back(), after.chars().next())
    })
}

/// Whether the size of a document passed a power of two, so that its keywords are chosen again. This happens often
/// while a file is small, and rarely later, so that lines stay stable.
pub fn size_class_grew(before: &Document, after: &Document) -> bool {
    let size = |d: &Document| d.text().len() - d.summary_line().map_or(0, |s| s.line.range().len());
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
            assert_eq!(label_term(bullet).as_deref(), expected, "{bullet}");
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
            assert_eq!(heading_term(title).as_deref(), expected, "{title}");
        }
    }

    #[test]
    fn a_target_of_a_link_is_no_text() {
        for (text, expected) in [
            ("See [the plan](plans/may.md) first", "See [the plan first"),
            ("![Logo](pics/a.png \"Title\"), [[other-note|the note]]", "![Logo, the note]]"),
            ("[[note]] [x] a <!-- id: 1 --> b < c", "[[note]] [x] a  b < c"),
            ("[open](never", "[open](never"),
            ("a <!-- b", "a <!-- b"),
        ] {
            assert_eq!(without_targets(text), expected);
        }
    }

    #[test]
    fn a_term_matches_on_word_boundaries() {
        for (body, term, expected) in [
            ("- likes jazz.", "Jazz", true),
            ("- jazzy", "jazz", false),
            ("- free jazz, ok", "free jazz", true),
            ("我们喜欢绿茶", "绿茶", true),
            ("用rust写", "rust", true),
            ("", "jazz", false),
        ] {
            assert_eq!(contains_term(body, term), expected, "{body} {term}");
        }
    }
}
