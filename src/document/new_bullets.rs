//! Reads a Markdown list from standard input or a file as new bullets.
//!
//! Never writes: the bullets are escaped and verified when they are inserted.

use super::{BlockKind, Document, NewBullet, lines};

/// Parses Markdown into new bullets: one for each top-level list item, with its children dedented to column 0. A text
/// without a list gives one bullet for each line that is not blank.
///
/// # Errors
/// A message of one sentence, if the text mixes a list with other blocks or contains items that are not bullets.
pub fn parse_new_bullets(markdown: &str) -> Result<Vec<NewBullet>, String> {
    let document = Document::parse(markdown);
    let is_item = |kind| matches!(kind, BlockKind::Bullet(_) | BlockKind::OtherListItem);
    if !document.blocks.iter().any(|n| is_item(n.kind)) {
        let lines = markdown.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty());
        return Ok(lines.map(|line| NewBullet { text: line.to_owned(), ..NewBullet::default() }).collect());
    }
    let mut items = Vec::new();
    for (node, _) in document.blocks.iter().zip(&document.block_details).filter(|(_, inner)| inner.depth == 0) {
        let number = 1 + memchr::memchr_iter(b'\n', &markdown.as_bytes()[..node.span.start as usize]).count();
        match node.kind {
            BlockKind::Bullet(bullet) => items.push(new_bullet(&document, bullet as usize)),
            BlockKind::OtherListItem => {
                return Err(format!("the item in line {number} does not start with plain text"));
            }
            _ => {
                return Err(format!(
                    "line {number} is not part of a list; give a list, or plain lines without any list"
                ));
            }
        }
    }
    match document.front_matter {
        Some(_) => Err("a list must not start with front matter".to_owned()),
        None => Ok(items),
    }
}

fn new_bullet(document: &Document, number: usize) -> NewBullet {
    let bullet = document.bullets[number];
    let bytes = document.text.as_bytes();
    let mut from = lines::end(bytes, bullet.text_end as usize);
    if let Some(meta) = bullet.meta {
        from = document.meta_lines[meta as usize].line.end as usize;
    }
    let width = lines::indent_columns(&bytes[bullet.line_start as usize..text_start_on_line(bytes, &bullet)]);
    let below = &document.text[from.min(bullet.end as usize)..bullet.end as usize];
    NewBullet {
        text: document.bullet_text(number).into_owned(),
        meta: document.bullet_meta(number),
        children: below.lines().map(|line| dedent(line, width)).collect(),
    }
}

/// Offset of a bullet's text on the marker's line, or where it would be if the text starts on a later line.
pub(super) fn text_start_on_line(bytes: &[u8], bullet: &super::Bullet) -> usize {
    let line_end = lines::end(bytes, bullet.line_start as usize);
    match (bullet.text_start as usize) < line_end {
        true => bullet.text_start as usize,
        false => lines::trim_end(bytes, bullet.line_start as usize, line_end) + 1,
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
    fn one_top_level_item_is_one_bullet_with_its_children() {
        check("- a\n- b\n", &[("a", &[]), ("b", &[])]);
        check("- a\n  - x\n    - y\n\n  more\n* b\n", &[("a", &["- x", "  - y", "", "more"]), ("b", &[])]);
        check("1. a\n   - x\n2. b\r\n", &[("a", &["- x"]), ("b", &[])]);
        check("- a\n\t- x\n", &[("a", &["  - x"])]);
        check("- a\n  b\n", &[("a b", &[])]);
        check("- \\# a\n", &[("# a", &[])]);
        assert_eq!(
            parse_new_bullets("- a\n  <!-- mem imp=7 -->\n  - x\n").unwrap()[0].meta.as_ref().unwrap().raw("imp"),
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
            let why = parse_new_bullets(text).unwrap_err();
            assert!(why.contains(part), "{text:?}: {why}");
        }
    }
}
