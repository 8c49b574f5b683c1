//! Any text as a bullet, a heading or a value of front matter, and back again, exactly.
//!
//! Never loses more than blanks at the ends of a bullet's lines and blank lines around them. What would be read back as
//! another text is refused.

use super::{Document, DocumentEdit, InsertPosition, NewBullet, apply_edits, escape, front_matter, to_new_bullet};

/// A text as a bullet. Lists, quotes and code below the first line stay Markdown where that can be read back; else
/// their lines are escaped. `None` if the text cannot be a bullet, as an empty one.
pub fn bullet_from_text(text: &str) -> Option<NewBullet> {
    let text = trim_lines(text);
    let (first, below) = text.split_once('\n').unwrap_or((&text, ""));
    let lines = || below.split('\n').filter(|_| text.contains('\n'));
    let readable: [Vec<String>; 2] =
        [lines().map(str::to_owned).collect(), lines().map(|line| escape::encode(line).into_owned()).collect()];
    let as_bullet = |children| NewBullet { text: first.to_owned(), children, ..NewBullet::default() };
    readable.into_iter().map(as_bullet).find(|item| read_back(item).as_deref() == Some(&text))
}

/// The text of a bullet with what is below it.
pub fn bullet_to_text(document: &Document, bullet: usize) -> String {
    copied_text(to_new_bullet(document, bullet))
}

/// The text of a copied bullet with what is below it.
pub(super) fn copied_text(item: NewBullet) -> String {
    let mut lines = vec![item.text];
    lines.extend(item.children.into_iter().map(|line| escape::decode(line.into()).into_owned()));
    lines.join("\n")
}

/// A text as a bullet can hold it: without blanks at the ends of its lines, and without blank lines around it.
pub fn trim_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// The line of an H1 with this text; `None` if it would be read back as another one.
pub fn title_line(title: &str) -> Option<String> {
    let line = format!("# {}\n", escape::encode_title(title));
    let document = Document::parse(line.as_str());
    (document.sections().len() == 2 && !title.is_empty() && document.section_title(0) == title).then_some(line)
}

/// A line of front matter.
pub fn front_matter_line(key: &str, value: &str) -> String {
    format!("{key}: {}\n", front_matter::quote_scalar(value))
}

/// The text of a bullet once it is written; `None` if it cannot be, or would be more than one bullet.
fn read_back(item: &NewBullet) -> Option<String> {
    let insert = DocumentEdit::Insert { at: InsertPosition::EndOfSection(0), items: vec![item.clone()] };
    let written = apply_edits(&Document::parse("# T\n"), &[insert]).ok()?.document;
    (written.top_level_bullets(0) == [0] && written.sections().len() == 2).then(|| bullet_to_text(&written, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_is_read_back_as_it_was() {
        for (text, children) in [
            ("Likes tea", &[][..]),
            ("# no heading", &[]),
            ("Steps:\n- one\n  - two", &["- one", "  - two"]),
            ("one\n\ntwo", &["", "two"]),
            ("Run:\n```sh\nmake\n```", &["```sh", "make", "```"]),
            ("a\n# b", &["# b"]),
            ("a\n<!-- mem imp=9 -->", &["\\<!-- mem imp=9 -->"]),
        ] {
            let Some(item) = bullet_from_text(text) else { panic!("{text:?}") };
            assert_eq!(read_back(&item).as_deref(), Some(text));
            assert_eq!(item.children, children, "{text:?}");
        }
        assert_eq!(bullet_from_text("  a \r\n b \n").map(|item| (item.text, item.children)), {
            Some(("a".to_owned(), vec![" b".to_owned()]))
        });
        assert_eq!(bullet_from_text(" \n"), None);
        assert_eq!(bullet_from_text("a\n==="), None, "a heading, which no backslash prevents");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn what_is_accepted_is_exact(text in r"([-+*#>`~<\[\]:.\\ a1\n]|<!-- mem x=1 -->|\n\n){0,10}") {
            if let Some(item) = bullet_from_text(&text) {
                prop_assert_eq!(read_back(&item), Some(trim_lines(&text)));
            }
        }
    }
}
