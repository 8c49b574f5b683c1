//! Tests of edits: a text, an edit, the resulting text.

use super::*;

fn item(text: &str) -> NewBullet {
    NewBullet { text: text.into(), ..NewBullet::default() }
}

fn update(bullet: usize, text: &str) -> DocumentEdit {
    DocumentEdit::Update { bullet, text: text.into() }
}

fn remove(bullet: usize) -> DocumentEdit {
    DocumentEdit::Remove { bullet }
}

fn add(section: usize, text: &str) -> DocumentEdit {
    DocumentEdit::Insert { at: InsertPosition::EndOfSection(section), items: vec![item(text)] }
}

fn before(bullet: usize, text: &str) -> DocumentEdit {
    DocumentEdit::Insert { at: InsertPosition::Before(bullet), items: vec![item(text)] }
}

fn after(bullet: usize, text: &str) -> DocumentEdit {
    DocumentEdit::Insert { at: InsertPosition::After(bullet), items: vec![item(text)] }
}

fn below(under: usize, title: &str, text: &str) -> DocumentEdit {
    DocumentEdit::Insert {
        at: InsertPosition::NewSection { under, titles: vec![title.into()] },
        items: vec![item(text)],
    }
}

fn nested(under: usize, titles: &[&str], text: &str) -> DocumentEdit {
    let titles = titles.iter().map(|title| title.to_string()).collect();
    DocumentEdit::Insert { at: InsertPosition::NewSection { under, titles }, items: vec![item(text)] }
}

fn set(bullet: usize, line: &str) -> DocumentEdit {
    let meta = if line.is_empty() {
        BulletMeta::default()
    } else {
        BulletMeta::parse(&format!("<!-- mem {line} -->")).unwrap()
    };
    DocumentEdit::SetMeta { bullet, meta }
}

fn raw(start: usize, end: usize, new: &str) -> DocumentEdit {
    DocumentEdit::Raw(Splice { start, end, new: new.into() })
}

/// One edit or several.
trait EditList {
    fn into_vec(self) -> Vec<DocumentEdit>;
}

impl EditList for DocumentEdit {
    fn into_vec(self) -> Vec<DocumentEdit> {
        vec![self]
    }
}

impl<const N: usize> EditList for [DocumentEdit; N] {
    fn into_vec(self) -> Vec<DocumentEdit> {
        self.into()
    }
}

#[track_caller]
fn check(text: &str, edits: impl EditList, expected: &str) {
    let document = Document::parse(text);
    let done = apply_edits(&document, &edits.into_vec()).unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
    assert_eq!(done.document.text(), expected, "{text:?}");
    assert_eq!(splice(text, &done.splices).unwrap(), expected, "{:?}", done.splices);
}

#[track_caller]
fn check_refused(text: &str, edits: impl EditList, numbers: &[usize]) {
    let error = apply_edits(&Document::parse(text), &edits.into_vec()).unwrap_err();
    assert_eq!(error.iter().map(|r| r.edit).collect::<Vec<_>>(), numbers, "{text:?}: {error:?}");
}

#[test]
fn an_update_replaces_the_text_alone() {
    check("- a\n- b\n", update(1, "c"), "- a\n- c\n");
    check(
        "\u{feff}* a\r\n  <!-- mem imp=7 -->\r\n  - x",
        update(0, "c"),
        "\u{feff}* c\r\n  <!-- mem imp=7 -->\r\n  - x",
    );
    check("-   a  \n  lazy\nmore\n\n- b\n", update(0, "c"), "-   c\n\n- b\n");
    check("- a\n  b\n", update(0, "a b"), "- a\n  b\n");
    check("1. a\n2. b\n", update(1, "2019. was"), "1. a\n2. 2019\\. was\n");
    check("- a\n", update(0, " \tb\t"), "- b\n");
    check("-\n  a\n", update(0, "b"), "-\n  b\n");
    check("- - a\n- b\n", update(0, "c"), "- c\n- b\n");
    check("- # a\n- b\n", update(0, "# c"), "- \\# c\n- b\n");
    check("- ```\n  a\n  ```\n  - x\n", update(0, "c"), "- c\n  - x\n");
}

#[test]
fn a_closing_tag_below_a_list_stays() {
    let text = "<notes>\n\n- a\n- b\n</notes>\n";
    check(text, update(1, "c"), "<notes>\n\n- a\n- c\n</notes>\n");
    check(text, remove(1), "<notes>\n\n- a\n</notes>\n");
    check(text, add(0, "c"), "<notes>\n\n- a\n- b\n- c\n</notes>\n");
}

#[test]
fn a_text_is_never_parsed_as_structure() {
    for text in [
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
        "<https://a.b>",
        "[x",
        "]: y",
        "&#35; x",
        "-->",
        "*a",
        "<?php",
        "<![CDATA[",
        "\\# x",
        "a  b",
        "::: x",
        "|a|b|",
        "$$",
        "[^1]: x",
        "{#id}",
        "<script>",
    ] {
        for source in ["- a\n- b\n", "- a\n\n  more\n- b\n", "# H\n- a\n# I\n- b", "1. a\n   - b\n", "* a\nlazy\n* b\n"]
        {
            for edit_ in [update(0, text), update(1, text), add(0, text), before(1, text), after(0, text)] {
                let document = Document::parse(source);
                let done = apply_edits(&document, std::slice::from_ref(&edit_))
                    .unwrap_or_else(|w| panic!("{source:?} {edit_:?} {w:?}"));
                assert_eq!(done.document.bullet_text(done.written_bullets[0][0]), text, "{source:?} {text:?}");
            }
        }
    }
}

#[test]
fn what_is_no_line_of_text_is_refused() {
    for bad in ["", "  ", "a\n", "a\n\nb", "a\rb", "a\0", "\u{1b}[0m", "\u{85}"] {
        check_refused("- a\n", update(0, bad), &[0]);
        check_refused("- a\n", add(0, bad), &[0]);
    }
    check_refused("- a\n", add(0, "a\nb"), &[0]);
    check_refused("- a\n", [update(5, "x"), remove(1), add(3, "x")], &[0, 1, 2]);
    check_refused("- a\n", below(0, "a\nb", "x"), &[0]);
}

#[test]
fn an_update_may_have_lines_that_continue_it() {
    check(
        "- a\n  <!-- mem imp=7 -->\n  - x\n",
        update(0, "b\nc  \nd"),
        "- b\n  c  \n  d\n  <!-- mem imp=7 -->\n  - x\n",
    );
    check("10. a\n    b\r\n", update(0, "# c\nd"), "10. \\# c\n    d\r\n");
    check("- a", update(0, "b\nc"), "- b\n  c");
    for bad in ["b\n- c", "b\n# c", "b\n---", "b\n```", "b\n<!-- mem imp=7 -->"] {
        check_refused("- a\n\ntext\n", update(0, bad), &[0]);
    }
}

#[test]
fn a_replacement_leaves_the_marker_and_everything_around_it() {
    let replace = |bullet, text: &str, children: &[&str]| DocumentEdit::Replace {
        bullet,
        item: NewBullet {
            text: text.into(),
            meta: BulletMeta::parse("<!-- mem imp=7 -->"),
            children: children.iter().map(|c| c.to_string()).collect(),
            raw_first_line: None,
        },
    };
    check(
        "* a\n  - x\n* b\n",
        replace(0, "c", &["```", "# x", "```"]),
        "* c\n  <!-- mem imp=7 -->\n  ```\n  # x\n  ```\n* b\n",
    );
    check("1. a\n2. b\n3. c", replace(2, "d", &["e", "- f"]), "1. a\n2. b\n3. d\n   e\n   <!-- mem imp=7 -->\n   - f");
    check("- a\r\n- b\r\n", replace(0, "c", &["- d"]), "- c\r\n  <!-- mem imp=7 -->\r\n  - d\r\n- b\r\n");
    check_refused("- a\n- [x]\n", replace(0, "c", &["", "[x]: /u"]), &[0]);
    check_refused("- a\n- b\n", [replace(0, "c", &["- d"]), remove(0)], &[1]);
}

#[test]
fn a_removal_takes_whole_lines() {
    check("- a\n- b\n", remove(0), "- b\n");
    check("- a\n- b\n", remove(1), "- a\n");
    check("- a\n- b", remove(1), "- a");
    check("- a\r\n- b", remove(0), "- b");
    check("- a\n  <!-- mem imp=7 -->\n  - x\n\n  more\n- b\n", remove(0), "- b\n");
    check("- a\n\n- b\n\n- c\n", remove(1), "- a\n\n- c\n");
    check("- a\n\n- b\n", remove(1), "- a\n");
    check("- a\n\n- b", remove(1), "- a");
    check("- a\n\n- b\n\n\n", remove(1), "- a\n\n");
    check("- a\n\n- b\n\n- c\n", [remove(1), remove(2)], "- a\n");
    check("# H\n\n- a\n", remove(0), "# H\n");
    check("# H\n- a\n\n## I\n", remove(0), "# H\n\n## I\n");
    check("# H\n\n- a\n\n## I\n", remove(0), "# H\n\n## I\n");
    check("- a\n  - x\n  - y\n- b\n", remove(1), "- a\n  - y\n- b\n");
    check("- a\n  - x\n", [remove(0), remove(1)], "");
    check("- a", remove(0), "");
    check("\u{feff}- a\n\ntext\n", remove(0), "\u{feff}text\n");
}

#[test]
fn a_removal_that_would_join_two_blocks_leaves_a_blank_line() {
    check("para\n- a\n---\n", remove(0), "para\n\n---\n");
    check("para\n- a\n2. b\n", remove(0), "para\n\n2. b\n");
    check("- - a\n  - b\n- c\n", remove(0), "- c\n");
    check("- a\n- > b\n  > c\n- d\n", remove(1), "- a\n- d\n");
    check_refused("- a\n\n  [x]: /u\n- [x]\n", remove(0), &[0]);
}

#[test]
fn an_insert_looks_like_its_neighbour() {
    check("* a\n", add(0, "b"), "* a\n* b\n");
    check("- a", add(0, "b"), "- a\n- b");
    check("- a\r\n\r\n- b\r\n", add(0, "c"), "- a\r\n\r\n- b\r\n\r\n- c\r\n");
    check("1. a\n2. b\n", add(0, "c"), "1. a\n2. b\n3. c\n");
    check("9) a\n10) b\n", after(0, "c"), "9) a\n10) c\n10) b\n");
    check(" -\ta\n", add(0, "b"), " -\ta\n -\tb\n");
    check("- a\n  - x\n- b\n", after(1, "y"), "- a\n  - x\n  - y\n- b\n");
    check("- a\n  - x\n- b\n", after(0, "y"), "- a\n  - x\n- y\n- b\n");
    check("- a\n  - x\n", before(1, "y"), "- a\n  - y\n  - x\n");
    check("- a\n\n- b\n", before(1, "x"), "- a\n\n- x\n\n- b\n");
    check("- a\n\ntext\n", add(0, "b"), "- a\n- b\n\ntext\n");
    check("- a\n  <!-- mem imp=7 -->\n", add(0, "b"), "- a\n  <!-- mem imp=7 -->\n- b\n");
    check("- - a\n", after(0, "b"), "- - a\n- b\n");
    let two = DocumentEdit::Insert { at: InsertPosition::EndOfSection(0), items: vec![item("b"), item("c")] };
    check("3. a\n\n4. x", two, "3. a\n\n4. x\n\n5. b\n\n6. c");
}

#[test]
fn an_empty_section_gets_a_list_of_its_own() {
    check("", add(0, "a"), "- a\n");
    check("\u{feff}", add(0, "a"), "\u{feff}- a\n");
    check("# Title\n", add(0, "a"), "# Title\n\n- a\n");
    check("# Title", add(0, "a"), "# Title\n\n- a");
    check("# Title\n", add(1, "a"), "# Title\n\n- a\n");
    check("---\nx: y\n---\n", add(0, "a"), "---\nx: y\n---\n\n- a\n");
    check("# T\n\n> Summary: x\n\n## S\n", add(0, "a"), "# T\n\n> Summary: x\n\n- a\n\n## S\n");
    check("# T\n\n## S\n\n## U\n- b\n", add(2, "a"), "# T\n\n## S\n- a\n\n## U\n- b\n");
    check("# T\n## S\n## U\n\n* b\n", add(2, "a"), "# T\n## S\n\n* a\n\n## U\n\n* b\n");
    check("# T\n\n- a\n\n## S\n\n- b\n", add(0, "c"), "# T\n\n- a\n- c\n\n## S\n\n- b\n");
    check("# T\n\ntext\n", add(1, "a"), "# T\n\ntext\n\n- a\n");
    check("# T\n\n", [add(0, "a"), add(1, "b")], "# T\n\n- a\n- b\n\n");
    check("T\n===\n## S\ntext\n", add(0, "a"), "T\n===\n- a\n## S\ntext\n");
    check("P: (ID: m1)\n- a\n\ntext\n", add(1, "b"), "P: (ID: m1)\n- a\n- b\n\ntext\n");
    check("P: (ID: m1)\n\ntext\n", add(1, "b"), "P: (ID: m1)\n- b\n\ntext\n");
    check("P: (ID: m1)\r\n", add(1, "b"), "P: (ID: m1)\r\n- b\r\n");
    check("P: (ID: m1)\n- a\n", add(0, "b"), "- b\n\nP: (ID: m1)\n- a\n");
    check("## S\n- a\n", add(0, "b"), "- b\n## S\n- a\n");
}

#[test]
fn a_new_section_is_inserted_last() {
    check("# T\n\n- a\n", below(0, "Work", "b"), "# T\n\n- a\n\n## Work\n\n- b\n");
    check("# T\n- a", below(0, "Work", "b"), "# T\n- a\n\n## Work\n- b");
    check("# T\n\n## S\n\n## U\n", below(2, "V", "b"), "# T\n\n## S\n\n### V\n\n- b\n\n## U\n");
    check("# T\r\n", below(0, "C #", "b"), "# T\r\n\r\n## C \\#\r\n\r\n- b\r\n");
    check("", below(0, "W", "b"), "## W\n\n- b\n");
    check("# T\n", [below(0, "W", "b"), below(0, "W", "c"), add(0, "a")], "# T\n\n- a\n\n## W\n\n- b\n- c\n");
    check("# T\n\n## S\n\n- a", [below(0, "W", "b"), add(2, "c")], "# T\n\n## S\n\n- a\n- c\n\n## W\n\n- b");
    let without_bullets = |at| DocumentEdit::Insert { at, items: Vec::new() };
    check("# T\n", without_bullets(InsertPosition::NewSection { under: 0, titles: vec!["W".into()] }), "# T\n\n## W\n");
    check("# T", without_bullets(InsertPosition::NewSection { under: 0, titles: vec!["W".into()] }), "# T\n\n## W");
    check("# T\n", without_bullets(InsertPosition::EndOfSection(1)), "# T\n");
    check("# T\n", below(0, "W {#m12}", "b"), "# T\n\n## W {#m12}\n\n- b\n");
}

#[test]
fn new_sections_share_their_first_headings() {
    check("# T\n", nested(0, &["A", "B", "C"], "x"), "# T\n\n## A\n\n### B\n\n#### C\n\n- x\n");
    check("# T\n\n## S\n\n## U\n- u\n", nested(1, &["A", "B"], "x"), "# T\n\n## S\n\n## U\n- u\n\n## A\n### B\n- x\n");
    check("# T\n\n## S\n\n## U\n", nested(2, &["A", "B"], "x"), "# T\n\n## S\n\n### A\n\n#### B\n\n- x\n\n## U\n");
    check(
        "# T\n",
        [nested(0, &["A", "B"], "1"), nested(0, &["D"], "2"), nested(0, &["A", "C"], "3"), nested(0, &["A"], "4")],
        "# T\n\n## A\n\n- 4\n\n### B\n\n- 1\n\n### C\n\n- 3\n\n## D\n\n- 2\n",
    );
    check(
        "# T",
        [nested(0, &["A", "B"], "1"), nested(0, &["A", "B"], "2"), nested(0, &["A", "C"], "3")],
        "# T\n\n## A\n\n### B\n\n- 1\n- 2\n\n### C\n\n- 3",
    );
    // Deeper than six is level six.
    check(
        "",
        nested(0, &["1", "2", "3", "4", "5", "6"], "x"),
        "## 1\n\n### 2\n\n#### 3\n\n##### 4\n\n###### 5\n\n###### 6\n\n- x\n",
    );
}

#[test]
fn metadata_is_written_directly_below_the_text() {
    check("- a\n", set(0, "imp=7"), "- a\n  <!-- mem imp=7 -->\n");
    check("1. a\n   - x", set(1, "imp=7"), "1. a\n   - x\n     <!-- mem imp=7 -->");
    check("- a\r\n  b\r\n  - x\r\n", set(0, "pin"), "- a\r\n  b\r\n  <!-- mem pin -->\r\n  - x\r\n");
    check("- a\n  <!--mem imp=7-->  \n- b\n", set(0, "imp=8"), "- a\n  <!-- mem imp=8 -->  \n- b\n");
    check("- a\n  <!-- mem imp=7 -->\n- b\n", set(0, ""), "- a\n- b\n");
    check("- a\n  <!-- mem imp=7 -->", set(0, ""), "- a");
    check("-\ta\n", set(0, "imp=7"), "-\ta\n    <!-- mem imp=7 -->\n");
    check("-\n  a\n", set(0, "imp=7"), "-\n  a\n  <!-- mem imp=7 -->\n");
    check("- a\n  <!-- mem \"x -->\n", set(0, "imp=7"), "- a\n  <!-- mem imp=7 -->\n  <!-- mem \"x -->\n");
    check("- a\n", [set(0, "imp=7"), update(0, "b"), after(0, "c")], "- b\n  <!-- mem imp=7 -->\n- c\n");
    check("- a", [set(0, "imp=7"), after(0, "c")], "- a\n  <!-- mem imp=7 -->\n- c");
    check_refused(
        "- a\n",
        DocumentEdit::SetMeta { bullet: 0, meta: BulletMeta(vec![("a b".into(), "c".into())]) },
        &[0],
    );
}

#[test]
fn an_item_brings_its_children_and_metadata() {
    let full = |children: &[&str]| DocumentEdit::Insert {
        at: InsertPosition::EndOfSection(0),
        items: vec![NewBullet {
            text: "b".into(),
            meta: BulletMeta::parse("<!-- mem imp=7 -->"),
            children: children.iter().map(|c| c.to_string()).collect(),
            raw_first_line: None,
        }],
    };
    check(
        "1. a\n",
        full(&["- x", "  - y", "", "more", ""]),
        "1. a\n2. b\n   <!-- mem imp=7 -->\n   - x\n     - y\n\n   more\n",
    );
    check("- a", full(&["```", "# x", "```"]), "- a\n- b\n  <!-- mem imp=7 -->\n  ```\n  # x\n  ```");
    let without_meta = DocumentEdit::Insert {
        at: InsertPosition::EndOfSection(0),
        items: vec![NewBullet { text: "b".into(), children: vec!["".into(), "more".into()], ..NewBullet::default() }],
    };
    check("- a\n", without_meta, "- a\n- b\n\n  more\n");
    check("- a\n", full(&["more", "- x"]), "- a\n- b\n  more\n  <!-- mem imp=7 -->\n  - x\n");
    check_refused("- a\n- [x]\n", full(&["", "[x]: /u"]), &[0]);
    check(
        "- a\n",
        full(&["- x", "", "  <!-- mem imp=7 -->"]),
        "- a\n- b\n  <!-- mem imp=7 -->\n  - x\n\n    <!-- mem imp=7 -->\n",
    );
}

#[test]
fn edits_of_one_batch_are_located_before_it() {
    check("- a\n- b\n- c\n", [remove(0), update(1, "B"), before(2, "x"), add(0, "d")], "- B\n- x\n- c\n- d\n");
    check("- a\n- b\n", [remove(1), after(1, "c")], "- a\n- c\n");
    check("- a\n- b", [remove(1), after(1, "c")], "- a\n- c");
    check("- a\n\n- b\n\n- c\n", [remove(1), before(1, "x")], "- a\n\n- x\n\n- c\n");
    check("- a\n", [remove(0), add(0, "b")], "- b\n");
    check("para\n- a\n---\n- b\n", [remove(0), update(1, "c")], "para\n\n---\n- c\n");
    check_refused("- a\n", [update(0, "b"), update(0, "c")], &[1]);
    check_refused("- a\n  - b\n", [remove(0), update(1, "c"), after(1, "d")], &[1, 2]);
    check("- - a\n- b\n", [update(1, "x"), remove(0)], "- x\n");
}

#[test]
fn raw_edits_are_applied_first_and_others_are_translated() {
    check("# A\n- a\n", [raw(2, 3, "B C"), add(1, "b")], "# B C\n- a\n- b\n");
    check("# A\n- a\n", [add(1, "b"), raw(0, 0, "intro\n\n")], "intro\n\n# A\n- a\n- b\n");
    check("# A\n\n## B\n\n- a\n", [raw(5, 15, ""), add(0, "b")], "# A\n\n- b\n\n");
    check("# A\n- a\n", raw(0, 4, ""), "- a\n");
    check("- a\n- b\n", [raw(4, 8, "* c\n"), update(0, "x")], "- x\n* c\n");
    check_refused("- a\n- b\n", [raw(4, 8, ""), update(1, "x")], &[1]);
    check_refused("- é\n", [raw(3, 4, "")], &[0]);
    check_refused("- a\n", [raw(0, 2, ""), raw(1, 3, "")], &[1]);
}

#[test]
fn written_bullets_are_reported() {
    let document = Document::parse("- a\n- b\n");
    document.handles();
    let edits = [remove(0), before(1, "x"), update(1, "B"), raw(0, 0, ""), below(0, "S", "y")];
    let done = apply_edits(&document, &edits).unwrap();
    assert_eq!(done.written_bullets, [vec![], vec![0], vec![1], vec![], vec![2]]);
    assert_eq!(done.document.handles(), Document::parse(done.document.text()).handles());
}
