//! Reads Markdown from standard input or a file as new bullets, and copies bullets so that they can be inserted again.
//!
//! Never writes: the bullets are escaped and verified when they are inserted. Never cuts a text into pieces that it
//! does not mark as list items.

use super::{BlockKind, Document, DocumentEdit, InsertPosition, NewBullet, apply_edits, escape, lines};

/// Parses Markdown into new bullets. A list gives one for each top-level item, with its children and code blocks; a
/// text without a list is one bullet.
///
/// # Errors
/// A message of one sentence, if the text mixes a list with other blocks or cannot be a bullet.
pub fn parse_new_bullets(markdown: &str) -> Result<Vec<NewBullet>, String> {
    let document = Document::parse(markdown);
    if document.front_matter.is_some() {
        return Err("the text starts with front matter, which a bullet cannot contain".to_owned());
    }
    let is_item = |kind| matches!(kind, BlockKind::Bullet(_) | BlockKind::OtherListItem);
    if document.blocks.iter().any(|n| is_item(n.kind)) && !is_numbered_line(&document) {
        list_bullets(&document)
    } else {
        text_bullet(&document).map(|bullet| bullet.into_iter().collect())
    }
}

/// Whether the text is a single line that starts with a number, such as "2019. A good year". A list has several lines.
fn is_numbered_line(document: &Document) -> bool {
    let line = document.text[document.body_start..].trim();
    line.starts_with(|c: char| c.is_ascii_digit()) && !line.contains('\n')
}

/// The items of a list, and nothing else.
fn list_bullets(document: &Document) -> Result<Vec<NewBullet>, String> {
    let mut items: Vec<NewBullet> = Vec::new();
    let mut last_end = None;
    for (node, _) in document.blocks.iter().zip(&document.block_details).filter(|(_, inner)| inner.depth == 0) {
        let number = document.line_number(node.span.start);
        match (node.kind, items.last_mut()) {
            (BlockKind::Bullet(bullet), _) => items.push(to_new_bullet(document, bullet as usize)),
            // A fence in the first column directly below an item ends the list for Markdown, but not for who wrote it.
            (BlockKind::Code, Some(item)) if last_end == Some(node.span.start) => {
                item.children.extend(document.text[node.span.range()].lines().map(str::to_owned));
            }
            (BlockKind::OtherListItem, _) => {
                return Err(format!("the list item in line {number} does not start with plain text"));
            }
            (kind, above) => {
                let what = block_name(kind);
                let remedy = match above {
                    Some(_) => "indent it by two spaces to make it part of the item above",
                    None => "start it with '- ' and indent the list by two spaces to make one item of both",
                };
                return Err(format!("the text mixes a list with other text: line {number} is {what}; {remedy}"));
            }
        }
        last_end = Some(node.span.end);
    }
    Ok(items)
}

/// A text without a list as one bullet; `None` if it is blank.
fn text_bullet(document: &Document) -> Result<Option<NewBullet>, String> {
    let mut text: Vec<&str> = document.text[document.body_start..].lines().collect();
    let is_blank = |line: &&str| line.trim().is_empty();
    text.truncate(text.iter().rposition(|line| !is_blank(line)).map_or(0, |i| i + 1));
    let text = &text[text.iter().position(|line| !is_blank(line)).unwrap_or(text.len())..];
    let Some((first, rest)) = text.split_first() else { return Ok(None) };
    if rest.is_empty() {
        return Ok(Some(NewBullet { text: first.trim().to_owned(), ..NewBullet::default() }));
    }
    if let Some(heading) = document.blocks.iter().find(|n| matches!(n.kind, BlockKind::Heading(_))) {
        let number = document.line_number(heading.span.start);
        return Err(format!("line {number} is a heading, which a bullet cannot contain; use `append` or `write`"));
    }
    let indent = |line: &str| lines::indent_columns(&line.as_bytes()[..line.len() - line.trim_start().len()]);
    let shared = text.iter().filter(|line| !is_blank(line)).map(|line| indent(line)).min().unwrap_or(0);
    let mut written = format!("- {}", first.trim());
    for line in rest {
        written.extend(["\n  ", &dedent(line, shared)]);
    }
    let document_of_item = Document::parse(written.trim_end());
    match document_of_item.blocks.as_slice() {
        [first, rest @ ..]
            if matches!(first.kind, BlockKind::Bullet(0))
                && document_of_item.block_details[0].opening == 0
                && rest.iter().all(|n| n.span.end <= first.span.end) =>
        {
            Ok(Some(to_new_bullet(&document_of_item, 0)))
        }
        _ => {
            let what = document.blocks.first().map_or("a link definition", |n| block_name(n.kind));
            Err(format!("the text starts with {what}, and a bullet starts with a line of plain text"))
        }
    }
}

fn block_name(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Heading(_) => "a heading",
        BlockKind::Bullet(_) | BlockKind::OtherListItem => "a list item",
        BlockKind::Paragraph => "a paragraph",
        BlockKind::Code => "a code block",
        BlockKind::Quote => "a block quote",
        BlockKind::Html => "HTML",
        BlockKind::ThematicBreak => "a thematic break",
    }
}

/// Copies a bullet with text, metadata and children, ready to be inserted elsewhere.
pub fn to_new_bullet(document: &Document, number: usize) -> NewBullet {
    let bullet = document.bullets[number];
    let bytes = document.text.as_bytes();
    let text_end = lines::end(bytes, bullet.text_end as usize);
    let from = bullet.meta.map_or(text_end, |meta| document.meta_lines[meta as usize].line.end as usize);
    let width = lines::indent_columns(&bytes[bullet.line_start as usize..text_start_on_line(bytes, &bullet)]);
    let dedented = |text: &str| text.lines().map(|line| dedent(line, width)).collect::<Vec<_>>();
    let (first, continued) = document.bullet_raw(number).split_once('\n').unwrap_or((document.bullet_raw(number), ""));
    let continued = dedented(continued);
    let paragraph_end = continued.len();
    let mut item = NewBullet {
        text: escape::decode(first.trim_end().into()).into_owned(),
        meta: document.bullet_meta(number),
        children: continued,
        raw_first_line: None,
    };
    item.children.extend(dedented(&document.text[from.min(bullet.end as usize)..bullet.end as usize]));
    // Below a metadata line, a paragraph needs no blank line to be one of its own.
    if item.meta.is_some() && item.continuation_lines() > paragraph_end {
        item.children.insert(paragraph_end, String::new());
    }
    item
}

/// Offset of a bullet's text on the marker's line, or where it would be if the text starts on a later line.
pub(super) fn text_start_on_line(bytes: &[u8], bullet: &super::Bullet) -> usize {
    let line_end = lines::end(bytes, bullet.line_start as usize);
    if (bullet.text_start as usize) < line_end {
        bullet.text_start as usize
    } else {
        lines::trim_end(bytes, bullet.line_start as usize, line_end) + 1
    }
}

/// Copies a bullet as [`to_new_bullet`] does, with the bytes of its first line, so that it is the same elsewhere; without
/// them if the line is more than text, such as a heading, and can only be written escaped.
pub fn to_moved_bullet(document: &Document, number: usize) -> NewBullet {
    let mut item = to_new_bullet(document, number);
    let raw = document.bullet_raw(number).split('\n').next().unwrap_or_default().trim_end_matches('\r');
    if escape::encode_first_line(&item.text, &item.children) == raw {
        return item;
    }
    let escaped = item.clone();
    item.raw_first_line = Some(raw.to_owned());
    let insert = DocumentEdit::Insert { at: InsertPosition::EndOfSection(0), items: vec![item.clone()] };
    match apply_edits(&Document::parse(""), &[insert]) {
        Ok(_) => item,
        Err(_) => escaped,
    }
}

/// Removes the first `width` columns of indent from a line.
fn dedent(line: &str, width: usize) -> String {
    let mut column = 0;
    for (i, c) in line.char_indices() {
        match c {
            _ if column >= width => return " ".repeat(column - width) + &line[i..],
            ' ' => column += 1,
            '\t' => column = column / 4 * 4 + 4,
            _ => return line[i..].to_owned(),
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, expected: &[(&str, &[&str])]) {
        let got = parse_new_bullets(markdown).unwrap();
        let got: Vec<_> =
            got.iter().map(|i| (i.text.as_str(), i.children.iter().map(String::as_str).collect())).collect();
        let want: Vec<(&str, Vec<&str>)> = expected.iter().map(|(t, c)| (*t, c.to_vec())).collect();
        assert_eq!(got, want, "{markdown:?}");
    }

    #[test]
    fn a_moved_bullet_keeps_its_first_line_if_that_is_text() {
        let moved = |line: &str| to_moved_bullet(&Document::parse(format!("- {line}\n")), 0);
        assert_eq!(moved("a <!-- b --> c").raw_first_line.as_deref(), Some("a <!-- b --> c"));
        for line in [
            "# heading",
            "## h <!-- mem imp=3 -->",
            "1. one",
            "- dash",
            "***",
            "<div>",
            "<div>x</div>",
            "<pre>x",
            "<?php",
            "<!DOCTYPE x>",
            "a\u{a0}",
            "plain",
            "```",
        ] {
            let item = moved(line);
            let insert = DocumentEdit::Insert { at: InsertPosition::EndOfSection(0), items: vec![item] };
            assert!(apply_edits(&Document::parse("- x\n"), &[insert]).is_ok(), "{line}");
        }
    }

    #[test]
    fn one_top_level_item_is_one_bullet_with_its_children() {
        check("- a\n- b\n", &[("a", &[]), ("b", &[])]);
        check("- a\n  - x\n    - y\n\n  more\n* b\n", &[("a", &["- x", "  - y", "", "more"]), ("b", &[])]);
        check("1. a\n   - x\n2. b\r\n", &[("a", &["- x"]), ("b", &[])]);
        check("- a\n\t- x\n", &[("a", &["  - x"])]);
        check("- a\n  b\n", &[("a", &["b"])]);
        check("- \\# a\n", &[("# a", &[])]);
        check("- # a\n- 1. b\n  c\n", &[("# a", &[]), ("1. b", &["c"])]);
        assert_eq!(
            parse_new_bullets("- a\n  <!-- mem imp=7 -->\n  - x\n").unwrap()[0].meta.as_ref().unwrap().raw("imp"),
            Some("7")
        );
    }

    #[test]
    fn a_text_without_a_list_is_one_bullet() {
        check("a\n", &[("a", &[])]);
        check("a\n  b \nc\n", &[("a", &["  b ", "c"])]);
        check("\n  a\n  b\n\n  c\n\n", &[("a", &["b", "", "c"])]);
        check("\u{feff}a\r\nb\r\n", &[("a", &["b"])]);
        check("Run:\n```sh\n- x\n\nmake\n```\n", &[("Run:", &["```sh", "- x", "", "make", "```"])]);
        check("a\n> b\n", &[("a", &["> b"])]);
        for one_line in ["# c", "> c", "2019. A good year", "---", "<b>"] {
            check(one_line, &[(one_line, &[])]);
        }
        check("", &[]);
        check(" \n\n", &[]);
    }

    #[test]
    fn a_fence_directly_below_an_item_belongs_to_it() {
        check("- a\n  ```\n  x\n  ```\n- b\n", &[("a", &["```", "x", "```"]), ("b", &[])]);
        check("- a\n```\n- x\n```\n- b\n", &[("a", &["```", "- x", "```"]), ("b", &[])]);
    }

    #[test]
    fn a_text_that_cannot_be_one_bullet_is_refused() {
        for (text, part) in [
            ("a\n\n## b\n", "line 3 is a heading"),
            ("a\n===\n", "line 1 is a heading"),
            ("```\nx\n```\n", "a code block"),
            ("> a\n> b\n", "a block quote"),
            ("---\na: b\n---\nc\n", "front matter"),
            ("<div>\nx\n</div>\n", "HTML"),
        ] {
            let error = parse_new_bullets(text).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_copied_bullet_keeps_its_lines() {
        let copy = |text: &str| to_new_bullet(&Document::parse(text), 0);
        assert_eq!(copy("- a\n  <!-- mem imp=7 -->\n  b\n").children, ["", "b"]);
        assert_eq!(copy("- a\n  b\n  <!-- mem imp=7 -->\n\n  - c\n").children, ["b", "", "- c"]);
        assert_eq!(copy("- a\nb\n").children, ["b"]);
    }

    #[test]
    fn mixed_texts_are_refused_with_the_line() {
        for (text, part) in [
            ("# T\n- a\n", "line 1 is a heading"),
            ("Intro:\n- a\n", "line 1 is a paragraph"),
            ("- a\n\ntext\n", "line 3"),
            ("- a\n\n```\nx\n```\n", "line 3 is a code block"),
            ("- <!-- a -->\n", "line 1"),
            ("---\na: b\n---\n- a\n", "front"),
        ] {
            let error = parse_new_bullets(text).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
