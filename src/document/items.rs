//! A markdown list from stdin or a file, read as new items.
//!
//! Never writes: the items are escaped and proven when they are inserted.

use super::{Document, Item, Kind, lines};

/// Reads a markdown list into items: one top-level list item each, with its children indented from 0. A text without
/// any list gives one item a non-empty line.
///
/// # Errors
/// One sentence, when the text mixes a list with other blocks or holds items that are no plain bullets.
pub fn items_source(markdown: &str) -> Result<Vec<Item>, String> {
    let document = Document::parse(markdown);
    let is_item = |kind| matches!(kind, Kind::Bullet(_) | Kind::OtherItem);
    if !document.nodes.iter().any(|n| is_item(n.kind)) {
        let lines = markdown.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty());
        return Ok(lines.map(|line| Item { text: line.to_owned(), ..Item::default() }).collect());
    }
    let mut items = Vec::new();
    for (node, _) in document.nodes.iter().zip(&document.inner).filter(|(_, inner)| inner.depth == 0) {
        let number = 1 + memchr::memchr_iter(b'\n', &markdown.as_bytes()[..node.span.start as usize]).count();
        match node.kind {
            Kind::Bullet(bullet) => items.push(item(&document, bullet as usize)),
            Kind::OtherItem => return Err(format!("the item in line {number} does not start with plain text")),
            _ => {
                return Err(format!(
                    "line {number} is not part of a list; give a list, or plain lines without any list"
                ));
            }
        }
    }
    match document.front {
        Some(_) => Err("a list must not start with front matter".to_owned()),
        None => Ok(items),
    }
}

fn item(document: &Document, number: usize) -> Item {
    let bullet = document.bullets[number];
    let bytes = document.text.as_bytes();
    let mut from = lines::end(bytes, bullet.head_end as usize);
    if let Some(meta) = bullet.meta {
        from = document.metas[meta as usize].line.end as usize;
    }
    let width = lines::columns(&bytes[bullet.line as usize..content_on_line(bytes, &bullet)]);
    let below = &document.text[from.min(bullet.end as usize)..bullet.end as usize];
    Item {
        text: document.bullet_text(number).into_owned(),
        meta: document.bullet_meta(number),
        children: below.lines().map(|line| dedented(line, width)).collect(),
    }
}

/// Where a bullet's text starts, or would start had it begun on the marker's line.
pub(super) fn content_on_line(bytes: &[u8], bullet: &super::Bullet) -> usize {
    let line_end = lines::end(bytes, bullet.line as usize);
    match (bullet.content as usize) < line_end {
        true => bullet.content as usize,
        false => lines::trimmed(bytes, bullet.line as usize, line_end) + 1,
    }
}

/// A line without its first `width` columns of indent.
fn dedented(line: &str, width: usize) -> String {
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
        let got = items_source(markdown).unwrap();
        let got: Vec<_> =
            got.iter().map(|i| (i.text.as_str(), i.children.iter().map(String::as_str).collect())).collect();
        let want: Vec<(&str, Vec<&str>)> = expected.iter().map(|(t, c)| (*t, c.to_vec())).collect();
        assert_eq!(got, want, "{markdown:?}");
    }

    #[test]
    fn one_top_level_item_is_one_bullet_with_its_children() {
        check("- a\n- b\n", &[("a", &[]), ("b", &[])]);
        check("- a\n  - x\n    - y\n\n  more\n* b\n", &[("a", &["- x", "  - y", "", "more"]), ("b", &[])]);
        check("1. a\n   - x\n2. b\r\n", &[("a", &["- x"]), ("b", &[])]);
        check("- a\n\t- x\n", &[("a", &["  - x"])]);
        check("- a\n  b\n", &[("a b", &[])]);
        check("- \\# a\n", &[("# a", &[])]);
        assert_eq!(
            items_source("- a\n  <!-- mem imp=7 -->\n  - x\n").unwrap()[0].meta.as_ref().unwrap().get("imp"),
            Some("7")
        );
    }

    #[test]
    fn plain_lines_are_items_when_there_is_no_list() {
        check("a\n\n  b \n# c\n", &[("a", &[]), ("b", &[]), ("# c", &[])]);
        check("", &[]);
    }

    #[test]
    fn mixed_texts_are_refused_with_the_line() {
        for (text, part) in [
            ("# T\n- a\n", "line 1"),
            ("- a\n\ntext\n", "line 3"),
            ("- # a\n", "line 1"),
            ("---\na: b\n---\n- a\n", "front"),
        ] {
            let why = items_source(text).unwrap_err();
            assert!(why.contains(part), "{text:?}: {why}");
        }
    }
}
