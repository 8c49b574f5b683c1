//! Documents from outside: random texts times random edits, judged by a second CommonMark parser.
//!
//! Never checks how an edit was made, only the text that is parsed back.

use std::collections::BTreeSet;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use memdir::document::{BulletMeta, Document, DocumentEdit, EditedDocument, InsertPosition, NewBullet, apply_edits};
use memdir::text::splice;
use proptest::prelude::*;

/// Lines as people write them.
const TAME: &[&str] = &[
    "",
    "",
    "- a",
    "- Name: x",
    "- [preference] b #tag (c)",
    "* star",
    "  - nested",
    "    - deep",
    "  <!-- mem exp=2026-12-31 imp=7 -->",
    "## Work",
    "## Work {#mem123}",
    "### Sub",
    "- 项目 é",
    "- **Bold**: `code`",
];

/// Lines that readers of markdown stumble over. (Not `<b>` below an item: comrak, as cmark, takes it for an HTML block,
/// against CommonMark 4.6 and commonmark.js.)
const NASTY: &[&str] = &[
    "text",
    "lazy",
    "  cont",
    "    code",
    "===",
    "---",
    "***",
    "- ---",
    "- - x",
    "- # h",
    "- > q",
    "> q",
    "> - quoted",
    "#",
    "<div>",
    "</div>",
    "<!-- c -->",
    "<!-- mem a=1 -->",
    "```",
    "~~~",
    "  ```",
    "- ```",
    "[x]: /u",
    "- [y]: /v",
    "[x] and [y]",
    "-",
    "-\ttab",
    "-   pad",
    "- x  ",
    "- x\\",
    "- 2019. was",
    "10) ten",
    "1. one",
    "2. two",
    "   - three",
    "\t- t",
    "+ plus",
    "Label: (ID: m1)",
    "- late\n  more",
    "- [x]",
    "-\n  below",
    "- a ^id7",
];

/// Texts that try to break out.
const TEXTS: &[&str] = &[
    "plain",
    "Prefers window seats",
    "# x",
    "- x",
    "---",
    "--",
    "===",
    "* * *",
    "```",
    "~~~ x",
    "> q",
    "<div>",
    "</x",
    "<!-- c",
    "a <!-- c",
    "[x]: /u",
    "1. x",
    "1)",
    "+",
    "\\",
    "a\\",
    "`a",
    "a ``b",
    "\u{a0}x",
    "a\tb",
    "<b>",
    "[x",
    "]: y",
    "&#35; x",
    "-->",
    "*a",
    "<?php",
    "\\# x",
    "a  b",
    "|a|b|",
    "中文",
    "<https://a.b>",
    "2019. was",
    "a_b *c* [d](e)",
];

#[derive(Clone, Debug)]
struct RequestedEdit {
    kind: u8,
    place: prop::sample::Index,
    text: &'static str,
}

fn requested_edit() -> impl Strategy<Value = RequestedEdit> {
    (0..8u8, any::<prop::sample::Index>(), prop::sample::select(TEXTS)).prop_map(|(kind, place, text)| RequestedEdit {
        kind,
        place,
        text,
    })
}

fn text(lines: Vec<&'static str>, crlf: bool, bom: bool, last: bool, front: bool) -> String {
    let mut out = lines.join("\n");
    if last {
        out.push('\n');
    }
    if front {
        out.insert_str(0, "---\ntitle: x\n---\n");
    }
    if crlf {
        out = out.replace('\n', "\r\n");
    }
    if bom { format!("\u{feff}{out}") } else { out }
}

fn texts(pool: Vec<&'static str>) -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(prop::sample::select(pool), 0..12);
    let rare = || prop::bool::weighted(0.2);
    (lines, any::<bool>(), rare(), prop::bool::weighted(0.8), rare()).prop_map(|(l, c, b, e, f)| text(l, c, b, e, f))
}

/// The requested edit, where the document has a place for it.
fn made(document: &Document, requested_edit: &RequestedEdit) -> Option<DocumentEdit> {
    let bullets = document.bullets().len();
    let bullet = (bullets > 0).then(|| requested_edit.place.index(bullets.max(1)));
    let section = requested_edit.place.index(document.sections().len());
    let items = vec![NewBullet { text: requested_edit.text.into(), ..NewBullet::default() }];
    Some(match requested_edit.kind {
        0 | 1 => DocumentEdit::Update { bullet: bullet?, text: requested_edit.text.into() },
        2 => DocumentEdit::Remove { bullet: bullet? },
        3 => DocumentEdit::Insert { at: InsertPosition::Before(bullet?), items },
        4 => DocumentEdit::Insert { at: InsertPosition::After(bullet?), items },
        5 => DocumentEdit::Insert { at: InsertPosition::EndOfSection(section), items },
        6 => DocumentEdit::Insert {
            at: InsertPosition::NewSection { under: section, titles: vec![requested_edit.text.into()] },
            items,
        },
        _ => DocumentEdit::SetMeta {
            bullet: bullet?,
            meta: BulletMeta(vec![("imp".into(), requested_edit.text.into())]),
        },
    })
}

/// Bullets as comrak sees them: the line on which their text starts, and the text without markup. A bullet that starts
/// with another block than a paragraph has a mark as its text; what it starts with is no bullet of its own. An item that
/// starts with a link definition, of which comrak keeps no node, is no bullet.
fn judged(text: &str, body: usize) -> Vec<(usize, String)> {
    let arena = Arena::new();
    let body = &text[body..];
    let root = parse_document(&arena, body, &Options::default());
    let mut out = Vec::new();
    for node in root.descendants().filter(|n| matches!(n.data().value, NodeValue::Item(_))) {
        let quoted = node.ancestors().any(|a| matches!(a.data().value, NodeValue::BlockQuote));
        let list = node.parent().filter(|_| node.previous_sibling().is_none());
        let starts_text = list.is_some_and(|list| {
            list.previous_sibling().is_none()
                && list.parent().is_some_and(|around| {
                    matches!(around.data().value, NodeValue::Item(_)) && starts_item(body, around, list)
                })
        });
        let Some(first) = node.first_child().filter(|_| !quoted && !starts_text) else { continue };
        if !starts_item(body, node, first) {
            continue;
        }
        let seen = match &first.data().value {
            NodeValue::Paragraph => seen_text(first),
            NodeValue::HtmlBlock(html) if html.literal.trim_start().starts_with("<!--") => continue,
            _ => "<block>".to_owned(),
        };
        out.push((first.data().sourcepos.start.line, seen));
    }
    out.sort();
    out
}

/// Whether a child stands where the text of its item starts, with nothing before it.
fn starts_item<'a>(body: &str, item: &'a comrak::nodes::AstNode<'a>, child: &'a comrak::nodes::AstNode<'a>) -> bool {
    let line = item.data().sourcepos.start.line;
    let below = body.split_inclusive('\n').skip(line - 1).collect::<String>();
    let marked = below.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let marker = below.len() - marked.len() + 1;
    let content = below.len() - below[marker..].trim_start_matches([' ', '\t', '\r', '\n']).len();
    child.data().sourcepos.start.line == line + below[..content].matches('\n').count()
}

/// The text of a paragraph without markup.
fn seen_text<'a>(paragraph: &'a comrak::nodes::AstNode<'a>) -> String {
    let mut seen = String::new();
    for part in paragraph.descendants() {
        match &part.data().value {
            NodeValue::Text(t) => seen.push_str(t),
            NodeValue::Code(c) => seen.push_str(&c.literal),
            NodeValue::HtmlInline(h) => seen.push_str(h),
            NodeValue::SoftBreak | NodeValue::LineBreak => seen.push(' '),
            _ => {}
        }
    }
    seen
}

/// The same lines as this crate sees them.
fn lines_of(document: &Document) -> Vec<usize> {
    let body = &document.text()[document.body_start()..];
    let line = |at: usize| body[..at].matches('\n').count() + 1;
    document.bullets().iter().map(|b| line(b.text_start as usize - document.body_start())).collect()
}

/// Bullets that edits remove (with their children), and those that they rephrase.
fn touched(document: &Document, edits: &[DocumentEdit]) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let (mut gone, mut new) = (BTreeSet::new(), BTreeSet::new());
    for edit in edits {
        match edit {
            DocumentEdit::Remove { bullet } => {
                let of = document.bullets()[*bullet];
                let inside = |b: &usize| (of.marker..of.end).contains(&document.bullets()[*b].marker);
                gone.extend((0..document.bullets().len()).filter(inside));
            }
            DocumentEdit::Update { bullet, .. } => drop(new.insert(*bullet)),
            _ => {}
        }
    }
    (gone, new)
}

/// Everything that must hold after edits that were not refused.
fn holds(before: &Document, edits: &[DocumentEdit], done: &EditedDocument) -> Result<(), TestCaseError> {
    let after = &done.document;
    prop_assert_eq!(splice(before.text(), &done.splices).unwrap(), after.text());
    let fresh = Document::parse(after.text());
    prop_assert_eq!(fresh.bullets(), after.bullets());
    for (edit, wrote) in edits.iter().zip(&done.written_bullets) {
        match edit {
            DocumentEdit::Update { text, .. } => prop_assert_eq!(&after.bullet_text(wrote[0]), text),
            DocumentEdit::Insert { items, .. } => prop_assert_eq!(&after.bullet_text(wrote[0]), &items[0].text),
            DocumentEdit::SetMeta { meta, .. } => prop_assert_eq!(after.bullet_meta(wrote[0]), Some(meta.clone())),
            _ => {}
        }
    }
    let (gone, new) = touched(before, edits);
    let old: Vec<usize> = (0..before.bullets().len()).filter(|b| !gone.contains(b) && !new.contains(b)).collect();
    let meta_only = |b: &usize| {
        edits.iter().zip(&done.written_bullets).any(|(e, w)| matches!(e, DocumentEdit::SetMeta { .. }) && w.contains(b))
    };
    let text_of = |b: &usize| {
        edits
            .iter()
            .zip(&done.written_bullets)
            .any(|(e, w)| !matches!(e, DocumentEdit::SetMeta { .. }) && w.contains(b))
    };
    let kept: Vec<usize> = (0..after.bullets().len()).filter(|b| !text_of(b)).collect();
    prop_assert_eq!(kept.len(), old.len());
    for (o, k) in old.iter().zip(&kept) {
        prop_assert_eq!(before.bullet_raw(*o), after.bullet_raw(*k));
        prop_assert!(meta_only(k) || before.bullet_meta(*o) == after.bullet_meta(*k));
    }
    let seen_before = judged(before.text(), before.body_start());
    let agree =
        |seen: &[(usize, String)], d: &Document| seen.iter().map(|(l, _)| *l).collect::<Vec<_>>() == lines_of(d);
    if agree(&seen_before, before) {
        let seen = judged(after.text(), after.body_start());
        prop_assert!(agree(&seen, after), "{:?}\n{:?}\n{:?}", seen, lines_of(after), after.text());
        for (o, k) in old.iter().zip(&kept) {
            prop_assert_eq!(&seen_before[*o].1, &seen[*k].1);
        }
    }
    Ok(())
}

/// Lines that no edit touched are still there, in their order.
fn keeps_lines(before: &Document, edits: &[DocumentEdit], after: &str) -> Result<(), TestCaseError> {
    let (gone, new) = touched(before, edits);
    let mut cut: Vec<(u32, u32)> =
        gone.iter().map(|b| (before.bullets()[*b].line_start, before.bullets()[*b].end)).collect();
    cut.extend(new.iter().map(|b| (before.bullets()[*b].line_start, before.bullets()[*b].text_end)));
    for edit in edits {
        if let DocumentEdit::SetMeta { bullet, .. } = edit
            && let Some(meta) = before.bullets()[*bullet].meta
        {
            let line = before.meta_lines()[meta as usize].line;
            cut.push((line.start, line.end));
        }
    }
    let mark = if before.text().starts_with('\u{feff}') { 3 } else { 0 };
    let mut at = mark;
    let mut rest = after[mark..].split_inclusive('\n').map(str::trim_end);
    for line in before.text()[mark..].split_inclusive('\n') {
        let (start, end) = (at as u32, (at + line.trim_end().len()) as u32);
        at += line.len();
        if line.trim().is_empty() || cut.iter().any(|(from, to)| *from < end && start < *to) {
            continue;
        }
        prop_assert!(rest.any(|l| l == line.trim_end()), "{line:?} is lost in {after:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn an_edit_of_an_ordinary_text_is_done_and_reads_back(source in texts(TAME.to_vec()), requested_edit in requested_edit()) {
        let document = Document::parse(source);
        if let Some(wanted) = made(&document, &requested_edit) {
            let edits = [wanted];
            match apply_edits(&document, &edits) {
                Ok(done) => {
                    holds(&document, &edits, &done)?;
                    keeps_lines(&document, &edits, done.document.text())?;
                }
                Err(why) => prop_assert!(false, "{:?}", why),
            }
        }
    }

    #[test]
    fn edits_of_any_text_read_back_or_are_refused(
        source in texts([TAME, NASTY].concat()),
        requested_edit in prop::collection::vec(requested_edit(), 1..5),
    ) {
        let document = Document::parse(source);
        let edits: Vec<DocumentEdit> = requested_edit.iter().filter_map(|a| made(&document, a)).collect();
        if let Ok(done) = apply_edits(&document, &edits) {
            holds(&document, &edits, &done)?;
            keeps_lines(&document, &edits, done.document.text())?;
        }
    }
}

/// An item that starts with a link definition has no text, and may have bullets below it.
#[test]
fn a_bullet_below_a_link_definition_keeps_its_text() {
    let document = Document::parse("- [y]: /v\n  - nested".to_owned());
    let items = vec![NewBullet { text: "plain".into(), ..NewBullet::default() }];
    let edits = [DocumentEdit::Insert { at: InsertPosition::Before(0), items }];
    let done = apply_edits(&document, &edits).unwrap();
    assert_eq!(done.document.text(), "- [y]: /v\n  - plain\n  - nested");
    holds(&document, &edits, &done).unwrap();
}
