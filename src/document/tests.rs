//! Tests of parsing, and property tests that the fast path and the Markdown parser agree.

use proptest::prelude::*;

use super::*;

/// Blocks, bullets, sections and metadata, without the text.
fn debug_parts(d: &Document) -> String {
    format!("{:#?}\n{:#?}\n{:#?}\n{:#?}\n{:?}", d.blocks, d.bullets, d.sections, d.meta_lines, d.definitions)
}

fn texts(text: &str) -> Vec<String> {
    let d = Document::parse(text);
    (0..d.bullets().len())
        .map(|b| format!("{}{}", ">".repeat(d.bullets()[b].depth as usize), d.bullet_text(b)))
        .collect()
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(texts(text), expected, "{text:?}");
}

#[test]
fn bullets_are_items_that_start_with_a_paragraph() {
    check("- a\n- b\n", &["a", "b"]);
    check("\u{feff}- a\r\n- b", &["a", "b"]);
    check("- a\rb\r- c", &["a b", "c"]);
    check("- a\n  b\nlazy\n\n- c\n", &["a b lazy", "c"]);
    check("- a\n  - b\n\t- c\n  1. d\n", &["a", ">b", ">>c", ">d"]);
    check("1. a\n2) b\n", &["a", "b"]);
    check("-\n- <!-- c -->\n- x\n", &["x"]);
    check("> - quoted\n\n- a\n", &["a"]);
    check("- a\n\n  > - q\n- b\n", &["a", "b"]);
    check("```\n- no\n```\n- a\n", &["a"]);
    check("<div>\n- no\n</div>\n\n- a\n", &["a"]);
    check("---\nlist:\n- no\n---\n- a\n", &["a"]);
    check("-\n  late\n- \\- b\n", &["late", "- b"]);
    check("- [x]: /url\n  text\n- b\n", &["b"]);
    check("- a<br>\n  <!-- mem x=1 -->\n", &["a<br>"]);
}

#[test]
fn a_bullet_may_start_with_a_block_that_is_no_paragraph() {
    check("- # h\n- > q\n- - n\n- ***\n- x\n", &["# h", "> q", "- n", "***", "x"]);
    check("- 2024. was\n  a year\n- b\n", &["2024. was a year", "b"]);
    check("- 1. a\n  2. b\n     - c\n- - - d\n", &["1. a", ">b", ">>c", "- - d"]);
    check("- ```sh\n  make\n  ```\n  - c\n- > q\n  > r\n", &["```sh make ```", ">c", "> q > r"]);
    check("- a\n  - # h\n  - 3) c\n- - # h\n- -\n", &["a", "># h", ">3) c", "- # h", "-"]);
    check("- <div>\n  x\n  </div>\n-     code\n", &["<div> x </div>", "code"]);
    for text in ["- # h\n", "- > q\n", "- 1. x\n", "- ```\n  x\n  ```\n", "- <b>x\n"] {
        let text = format!("{text}  <!-- mem id=m1 -->\n- b\n");
        let d = Document::parse(text.as_str());
        assert_eq!((d.bullets().len(), d.bullet_id(0).as_deref()), (2, Some("m1")), "{text:?}");
    }
}

#[test]
fn a_tag_alone_on_its_line_is_no_text_of_the_bullet_above() {
    let text = "<notes>\n\n- a\n  - b\n</notes>\n\n- c\n  <br>\n- d\n<https://x.y>\n";
    check(text, &["a", ">b", "c <br>", "d <https://x.y>"]);
    let d = Document::parse(text);
    let spans: Vec<&str> = d.blocks().iter().map(|n| &text[n.span.range()]).collect();
    assert_eq!(spans[..4], ["<notes>\n", "- a\n  - b\n", "  - b\n", "</notes>\n"]);
    assert_eq!(d.blocks()[3].kind, BlockKind::Html);
    check("- a\n</x>\n  - b\n", &["a </x>", ">b"]);
    check("- a\n  more\n<x y=\"1\">", &["a more"]);
}

#[test]
fn an_item_ends_with_its_last_line() {
    let text = "- a\n\n- b\n\n  more\n\n\n## H\n- c";
    let d = Document::parse(text);
    let spans: Vec<&str> = d.bullets().iter().map(|b| &text[b.line_start as usize..b.end as usize]).collect();
    assert_eq!(spans, ["- a\n", "- b\n\n  more\n", "- c"]);
    assert_eq!(&text[d.blocks()[2].span.range()], "## H\n");
    let tabs = "1. a\n\n\t- b\n\t- c\n\nx\n";
    let d = Document::parse(tabs);
    let spans: Vec<&str> = d.bullets().iter().map(|b| &tabs[b.line_start as usize..b.end as usize]).collect();
    assert_eq!(spans, ["1. a\n\n\t- b\n\t- c\n", "\t- b\n", "\t- c\n"]);
}

#[test]
fn a_metadata_line_belongs_to_the_bullet_directly_above() {
    let meta = |text: &str| {
        let d = Document::parse(text);
        let of: Vec<Option<String>> =
            (0..d.bullets().len()).map(|b| d.bullet_meta(b).map(|m| m.to_comment())).collect();
        (of, d.meta_lines().iter().filter(|m| m.bullet.is_none()).count())
    };
    let one = || Some("<!-- mem imp=7 -->".to_owned());
    assert_eq!(meta("- a\n  <!-- mem imp=7 -->\n- b\n"), (vec![one(), None], 0));
    assert_eq!(meta("- a\n  b\n  <!-- mem imp=7 -->\n  - c\n    <!-- mem imp=7 -->\n"), (vec![one(), one()], 0));
    assert_eq!(meta("- a\n\n  <!-- mem imp=7 -->\n"), (vec![None], 1));
    assert_eq!(meta("- a\n<!-- mem imp=7 -->\n"), (vec![None], 1));
    assert_eq!(meta("- a\n  <!-- mem imp=7 -->\n  <!-- mem imp=8 -->\n"), (vec![one()], 1));
    assert_eq!(meta("- a\n  <!-- mem imp=\"7 -->\n"), (vec![None], 0));
    assert_eq!(meta("```\n<!-- mem imp=7 -->\n```\n"), (vec![], 0));
}

#[test]
fn ids_come_from_metadata_or_the_end_of_the_text() {
    let d = Document::parse("- a\n  <!-- mem id=mem7 -->\n- b ^note-1\n- c ^ d\n- 2^10\n");
    let ids: Vec<_> = (0..4).map(|b| d.bullet_id(b).map(Cow::into_owned)).collect();
    assert_eq!(ids, [Some("mem7".into()), Some("note-1".into()), None, None]);
}

#[test]
fn an_index_counts_top_level_bullets_of_a_section_with_its_subsections() {
    let d = Document::parse("- z\n# T\n- a\n  - n\n## S\n- b\n### U\n- c\n## V\n- d\n");
    assert_eq!(d.top_level_bullets(0), [0, 1, 3, 4, 5]);
    assert_eq!(d.top_level_bullets(2), [3, 4]);
    assert_eq!(d.top_level_bullets(4), [5]);
}

#[test]
fn handles_name_bullets_and_texts_find_them() {
    let d = Document::parse("- a\n- b\n- a\n- \\# c\n- d\\_e\n");
    let names: Vec<String> = (0..5).map(|b| d.handle_name(b)).collect();
    assert_eq!(names[0], names[2]);
    assert_eq!(d.bullets_by_handle(&names[0]), [0, 2]);
    assert_eq!(d.bullets_by_handle(&names[1].to_uppercase()), [1]);
    assert!(d.bullets_by_handle("zzzzzzzz").is_empty() && d.bullets_by_handle("").is_empty());
    assert_eq!(d.bullets_by_text(" a "), [0, 2]);
    assert_eq!(d.bullets_by_text("# c"), [3]);
    assert_eq!(d.bullets_by_text("\\# c"), [3]);
    assert_eq!(d.bullets_by_text("d_e"), [4]);
    assert!(d.bullets_by_text("").is_empty());
}

#[test]
fn a_printed_handle_is_the_shortest_that_names_one_text() {
    let d = Document::parse((0..3000).map(|i| format!("- fact {i}\n")).collect::<String>());
    let fresh = Document::parse(d.text());
    assert_eq!(fresh.handle_name(77), {
        drop(d.handle_name(0));
        d.handle_name(77)
    });
    let mut longest = 0;
    for b in 0..3000 {
        let name = d.handle_name(b);
        longest = longest.max(name.len());
        assert_eq!(d.bullets_by_handle(&name), [b]);
        assert!(name.len() == 4 || d.bullets_by_handle(&name[..name.len() - 1]).len() > 1);
    }
    assert!((5..=8).contains(&longest), "{longest}");
}

#[test]
fn the_summary_is_above_all_bullets_and_subheadings() {
    let of = |text: &str| {
        let d = Document::parse(text);
        d.summary_line().map(|s| (text[s.line.range()].to_owned(), text[s.value.range()].to_owned(), s.in_front_matter))
    };
    let found = |line: &str, value: &str, front| Some((line.to_owned(), value.to_owned(), front));
    assert_eq!(of("# T\n\n> Summary: a, b \n\n- x\n"), found("> Summary: a, b \n", "a, b", false));
    assert_eq!(of(">Summary:\n"), found(">Summary:\n", "", false));
    assert_eq!(of("> note\n> Summary: a\nlazy\n"), found("> Summary: a\n", "a", false));
    assert_eq!(of("---\nsummary: \"a: b\"\n---\n> Summary: x\n"), found("summary: \"a: b\"\n", "\"a: b\"", true));
    assert_eq!(of("# T\n## S\n> Summary: x\n"), None);
    assert_eq!(of("- a\n\n> Summary: x\n"), None);
}

#[test]
fn only_a_whole_set_of_conflict_markers_counts() {
    let of = |text: &str| Document::parse(text).conflict_marker_line();
    assert_eq!(of("a\n<<<<<<< ours\nb\n||||||| base\n=======\nc\n>>>>>>> theirs\n"), Some(2));
    assert_eq!(of("a\r\n<<<<<<< ours\r\n=======\r\n>>>>>>> theirs\r\n"), Some(2));
    assert_eq!(of("<<<<<<< ours\n- a\n>>>>>>> theirs\n"), None);
    assert_eq!(of("Title\n=======\n"), None);
    assert_eq!(of("- a <<<<<<< b\n=======\n>>>>>>> c\n"), None);
}

#[test]
fn markers_in_a_closed_block_of_code_are_an_example() {
    let lines = |text: &str| {
        let document = Document::parse(text);
        (document.conflict_marker_line(), document.example_marker_line())
    };
    let set = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";
    let diff3 = set.replace("=======", "||||||| base\n=======");
    let example = |text: &str| {
        assert_eq!(lines(text), (None, Some(text.lines().position(|l| l.starts_with("<<<<")).unwrap() + 1)), "{text}")
    };
    example(&format!("- a\n\n```\n{set}```\n- b\n"));
    example(&format!("~~~~ text\n{set}x\n{diff3}~~~~~\n\nTitle\n=======\n"));
    example(&format!("```\n{set}```\n\n  ```sh\n{diff3}  ```\n").replace('\n', "\r\n"));
    let conflict = |text: &str| {
        let (line, example) = lines(text);
        assert!(line.is_some() && example.is_none(), "{text}");
    };
    // Outside code, in code that is not closed, and in part of it.
    conflict(set);
    conflict(&format!("```\n{set}"));
    conflict(&format!("````\n{set}```\n"));
    conflict(&format!("```\n{set}```\n{set}"));
    conflict("```\n<<<<<<< ours\na\n```\n=======\nb\n```\n>>>>>>> theirs\n");
    conflict("<<<<<<< ours\n```\na\n=======\n```\nb\n>>>>>>> theirs\n```\n");
    conflict("<<<<<<< ours\n```\na\n```\n=======\n```\nb\n```\n>>>>>>> theirs\n");
    conflict("```\na\n<<<<<<< ours\n```\n\n```\n=======\nb\n>>>>>>> theirs\n```\n");
    conflict("    a\n<<<<<<< ours\n    b\n=======\n    c\n>>>>>>> theirs\n    d\n");
    conflict(&format!("- a\n\n  ```\n{set}  ```\n"));
    // A second marker of one kind, or one that is left over.
    conflict(&format!("```\n<<<<<<< x\n{set}```\n"));
    conflict(&format!("```\n{set}>>>>>>> x\n```\n"));
    // jj's own, which git does not list.
    conflict("```\n<<<<<<< conflict 1 of 1\n+++++++ one\n- a\n%%%%%%% two\n+b\n>>>>>>> conflict 1 of 1 ends\n```\n");
    conflict(&format!("```\n{set}```\n").replace("ours", "Side #1 (Conflict 1 of 1)"));
    assert_eq!(lines("```\n<<<<<<< ours\n```\n"), (None, None));
}

#[test]
fn bytes_that_are_no_text_are_rejected() {
    assert_eq!(Document::from_bytes(b"a\xff".to_vec()).unwrap_err(), TextDecodeError::InvalidUtf8(1));
    assert_eq!(Document::from_bytes(b"ab\0".to_vec()).unwrap_err(), TextDecodeError::NulByte(2));
    assert_eq!(Document::from_bytes(b"- a".to_vec()).unwrap().bullets().len(), 1);
}

#[test]
fn lines_end_as_most_of_them_do() {
    assert_eq!(Document::parse("a\r\nb\r\nc\n").eol(), LineEnding::Crlf);
    assert_eq!(Document::parse("a\nb\r\nc\n").eol(), LineEnding::Lf);
    assert_eq!(Document::parse("").eol(), LineEnding::Lf);
}

/// Lines that are hard for Markdown parsers.
const NASTY: &[&str] = &[
    "",
    "",
    "",
    " ",
    "- a",
    "- b",
    "* c",
    "+ d",
    "  - n",
    "\t- t",
    "    - four",
    " - one",
    "   - three",
    "1. o",
    "2. p",
    "10) q",
    "  1. r",
    "text",
    "  cont",
    "    code",
    "\tcode",
    "===",
    "---",
    "***",
    "- ---",
    "- - x",
    "- # h",
    "- > q",
    "> q",
    ">- q",
    "lazy",
    "# H",
    "## H *x* {#id9}",
    "### ",
    "#",
    "#tag",
    " # I",
    "<div>",
    "</div>",
    "<!-- c -->",
    "  <!-- mem imp=7 -->",
    "<!-- mem a=1 -->",
    "<!--",
    "-->",
    "```",
    "~~~",
    "  ```",
    "- ```",
    "- <div>",
    "[x]: /u",
    "[x]:",
    "- [y]: /v",
    "[z",
    "- z]: /w",
    "'title'",
    "- **Bold**: x",
    "- [cat] y",
    "- `code",
    "- 1. x",
    "-",
    "*",
    "- ",
    "-\ttab",
    "-   pad",
    "-      ind",
    "- x  ",
    "- x\\",
    "- \u{a0}nb",
    "\u{a0}",
    "Label: (ID: m1)",
    "- 2019 was",
    "- 2019. was",
    "- *x",
    "- * y",
    "- _ _ _",
    "<b>",
    "- (p) \\",
    "&nbsp;",
    "- é",
    "- 项目",
];

prop_compose! {
    fn nasty()(lines in prop::collection::vec((prop::sample::select(NASTY), 0..40u8), 0..14)) -> String {
        let mut text = String::new();
        for (line, eol) in &lines {
            text.push_str(line);
            text.push_str(match eol { 0 => "\r", 1..4 => "\r\n", _ => "\n" });
        }
        if lines.len() % 5 == 0 { text.truncate(text.trim_end().len()); }
        text
    }
}

/// Hard lines, without those that disable the fast path.
fn cuttable() -> impl Strategy<Value = String> {
    let off = |l: &&&str| {
        l.contains("```")
            || l.contains("~~~")
            || l.contains("<div")
            || l.contains("</div")
            || matches!(**l, "<!--" | "<b>")
    };
    let pool: Vec<&str> = NASTY.iter().filter(|l| !off(l)).copied().collect();
    let plain = vec!["- a", "* b", "+ c", "# H", "- [x] y", "", "- a `b"];
    let line = prop_oneof![prop::sample::select(pool), prop::sample::select(plain)];
    (prop::collection::vec(line, 0..14), any::<bool>()).prop_map(|(l, crlf)| l.join(if crlf { "\r\n" } else { "\n" }))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]
    #[test]
    fn reading_by_chunks_and_reading_whole_agree(text in nasty()) {
        let (chunked, whole) = (Document::parse_with(text.clone(), true), Document::parse_with(text, false));
        prop_assert_eq!(debug_parts(&chunked), debug_parts(&whole));
    }

    #[test]
    fn they_agree_where_chunks_are_cut(text in cuttable()) {
        let (chunked, whole) = (Document::parse_with(text.clone(), true), Document::parse_with(text, false));
        prop_assert_eq!(debug_parts(&chunked), debug_parts(&whole));
    }

    #[test]
    fn spans_are_in_order_and_inside(text in nasty()) {
        let d = Document::parse(text.as_str());
        for pair in d.blocks().windows(2) {
            prop_assert!(pair[0].span.start <= pair[1].span.start, "{:?}", pair);
        }
        for (node, inner) in d.blocks().iter().zip(&d.block_details) {
            prop_assert!(node.span.start < node.span.end && node.span.end as usize <= text.len());
            prop_assert!(lines::start(text.as_bytes(), node.span.start as usize) == node.span.start as usize);
            prop_assert!(inner.depth > 0 || d.blocks().iter().zip(&d.block_details).all(|(n, i)| i.depth > 0
                || n.span.end <= node.span.start || n.span.start >= node.span.end || n == node));
        }
        for (i, b) in d.bullets().iter().enumerate() {
            prop_assert!(b.line_start <= b.marker && b.marker < b.text_start && b.text_start < b.text_end && b.text_end <= b.end, "{:?}", b);
            prop_assert!(d.bullet_text(i).len() <= d.bullet_raw(i).len());
        }
    }
}
