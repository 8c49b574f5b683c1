use super::*;
use crate::text::splice;

/// The text with its summary line updated, or the reason why nothing was written.
fn updated_text(before: &str, after: &str, kind: FileKind, last: Option<Option<&str>>) -> String {
    match update_summary(&Document::parse(before), &Document::parse(after), kind, last) {
        SummaryUpdate::Keep => "keep".into(),
        SummaryUpdate::NeedsLastLine => "needs last".into(),
        SummaryUpdate::Write { splice: s, .. } => splice(after, &[s]).unwrap(),
    }
}

#[track_caller]
fn check(before: &str, after: &str, expected: &str) {
    assert_eq!(updated_text(before, after, FileKind::Facts, None), expected, "from {before:?} to {after:?}");
}

fn check_terms(text: &str, kind: FileKind, expected: &str) {
    assert_eq!(summary_terms(&Document::parse(text), kind).join(", "), expected, "{text:?}");
}

const THREE: &str = "- Name: Z\n- Work: smith\n- Food: rice\n";

#[test]
fn facts_use_labels_and_headings_in_file_order() {
    check_terms(
        "# User\n\n> Summary: x\n\n- Name: Z\n- plain\n\n## Travel, in all its many forms\n\n- Date: 1\n- name: again\n  - Inner: no\n",
        FileKind::Facts,
        "name, travel in all its",
    );
    check_terms("---\nname: x\n---\n# H\n\n## Updated\n\n## Home\n- **City**: Lyon\n", FileKind::Facts, "home, city");
    check_terms("# H1\n", FileKind::Facts, "");
}

#[test]
fn episodes_use_their_entry_titles() {
    check_terms(
        "# 2026-02 Episodes\n\n## Logger stdout leak fix\n- Date: 2026-02-24\n- Lesson: no\n\n### Detail\n\n## Short id\n",
        FileKind::Episodes,
        "logger stdout leak fix, short id",
    );
}

#[test]
fn a_line_inside_a_quote_leaves_the_quote_its_words() {
    let (before, after) = ("", "> quote\n> Summary: jazz, name\n");
    let once = updated_text(before, after, FileKind::Facts, Some(Some("jazz, name")));
    assert_eq!(updated_text(&once, &once, FileKind::Facts, Some(Some("quote"))), "keep", "{once:?}");
}

#[test]
fn a_new_line_is_inserted_between_blank_lines_after_the_h1() {
    check("", &format!("# User\n\n{THREE}"), &format!("# User\n\n> Summary: name, work, food\n\n{THREE}"));
    check("", &format!("# User\n{THREE}"), &format!("# User\n\n> Summary: name, work, food\n\n{THREE}"));
    check(
        "",
        &format!("# User\r\n\r\n{}", THREE.replace('\n', "\r\n")),
        &format!("# User\r\n\r\n> Summary: name, work, food\r\n\r\n{}", THREE.replace('\n', "\r\n")),
    );
    check("", "# User\n\nlikes jazz", "# User\n\n> Summary: jazz\n\nlikes jazz");
}

#[test]
fn a_line_may_end_with_a_carriage_return_alone() {
    let three = THREE.replace('\n', "\r");
    check("", &format!("# User\r\r{three}"), &format!("# User\r\r> Summary: name, work, food\n\r{three}"));
    check("", &format!("# User\r{three}"), &format!("# User\r\r> Summary: name, work, food\n\n{three}"));
}

#[test]
fn without_an_h1_it_is_inserted_at_the_top() {
    check("", THREE, &format!("> Summary: name, work, food\n\n{THREE}"));
    check("", &format!("\u{feff}{THREE}"), &format!("\u{feff}> Summary: name, work, food\n\n{THREE}"));
    check(
        "",
        &format!("---\na: b\n---\n{THREE}"),
        &format!("---\na: b\n---\n\n> Summary: name, work, food\n\n{THREE}"),
    );
    check(
        "",
        &format!("---\na: b\n---\n\n{THREE}"),
        &format!("---\na: b\n---\n\n> Summary: name, work, food\n\n{THREE}"),
    );
    check("", "- jazz\n\n# Late\n", "> Summary: jazz\n\n- jazz\n\n# Late\n");
    check("", "# A\n## B", "# A\n\n> Summary: b\n\n## B");
}

#[test]
fn an_empty_line_is_filled_and_an_emptied_one_is_removed() {
    let with = |value: &str, rest: &str| format!("# U\n\n> Summary:{value}\n\n{rest}");
    check("", &with("", THREE), &with(" name, work, food", THREE));
    check(&with(" name", "- Name: Z\n"), &with(" name", "- 42\n"), "# U\n\n- 42\n");
    check(&with(" name", "- Name: Z\n"), "# U\n\n> Summary: name\n", "# U\n");
    check("> Summary: name\n\n- Name: Z\n", "> Summary: name\n\n- 42\n", "- 42\n");
    check("", "# U\n", "keep");
}

#[test]
fn a_new_label_is_appended_and_a_removed_one_is_dropped() {
    let file = |line: &str, bullets: &str| format!("# U\n\n> Summary: {line}\n\n{bullets}");
    let old = file("name, work, food", THREE);
    let more = format!("- Home: Lyon\n{THREE}");
    check(&old, &file("name, work, food", &more), &file("name, work, food, home", &more));
    let less = THREE.replace("- Work: smith\n", "");
    check(&old, &file("name, work, food", &less), &file("name, food", &less));
    check(&old, &file("name, work, food", &THREE.replace("rice", "noodles")), "keep");
    let mentioned = THREE.replace("- Work: smith", "- no work today");
    check(&old, &file("name, work, food", &mentioned), "keep");
}

#[test]
fn front_matter_that_has_a_summary_keeps_it_there() {
    let file = |line: &str, bullets: &str| format!("---\n{line}\n---\n\n{bullets}");
    let more = format!("{THREE}- Home: Lyon\n");
    let line = "summary: name, work, food";
    check(&file(line, THREE), &file(line, &more), &file(&format!("{line}, home"), &more));
    // A description only where memdir wrote it.
    let line = "description: name, work, food";
    let updated = |last| updated_text(&file(line, THREE), &file(line, &more), FileKind::Facts, Some(last));
    assert_eq!(updated(Some("name, work, food")), file(&format!("{line}, home"), &more));
    assert_eq!(updated(None), "keep");
    check("", &file("summary:", THREE), &file("summary: name, work, food", THREE));
    check(
        &file("a: b\nsummary: 'name'", "- Name: Z\n"),
        &file("a: b\nsummary: 'name'", "- 42\n"),
        &file("a: b", "- 42\n"),
    );
    for line in ["summary: [name, work, food]", "summary: All about me.", "description: |\n  name, work, food"] {
        check(&file(line, THREE), &file(line, &more), "keep");
    }
}

/// Editors and agents choose a rule or a skill by it.
#[test]
fn a_description_of_others_is_never_changed() {
    let file = |line: &str, bullets: &str| format!("---\n{line}\n---\n\n{bullets}");
    let more = format!("{THREE}- Home: Lyon\n");
    for line in
        ["description:", "description: null", "description: 'Test a package'", "description: name, my own words"]
    {
        let kept = updated_text(&file(line, THREE), &file(line, &more), FileKind::Facts, Some(None));
        assert_eq!(kept, "keep", "{line}");
    }
    // A summary is memdir's, with the words of a person.
    let own = "summary: name, my own words";
    let updated = updated_text(&file(own, THREE), &file(own, &more), FileKind::Facts, Some(None));
    assert_eq!(updated, file(&format!("{own}, home"), &more));
}

#[test]
fn a_quote_of_several_lines_is_never_changed() {
    let file = |bullets: &str| format!("# U\n\n> Summary: name, work, food,\n> and more\n\n{bullets}");
    check(&file(THREE), &file(&format!("{THREE}- Home: Lyon\n")), "keep");
}

#[test]
fn other_folders_get_no_line_but_keep_the_one_they_have() {
    assert_eq!(updated_text("", THREE, FileKind::Other, None), "keep");
    let file = |line: &str, rest: &str| format!("> Summary: {line}\n\n{THREE}{rest}");
    let line = "name, work, food";
    assert_eq!(
        updated_text(&file(line, ""), &file(line, "- Home: L\n"), FileKind::Other, None),
        file("name, work, food, home", "- Home: L\n")
    );
}

#[test]
fn the_last_line_is_requested_only_when_needed() {
    let file = |bullets: &str| format!("> Summary: tabs, austin\n\n{bullets}");
    let (old, new) = (file("- tabs\n- austin\n"), file("- tabs\n- Name: Z\n"));
    assert_eq!(updated_text(&old, &new, FileKind::Facts, None), "needs last");
    let memdirs = updated_text(&old, &new, FileKind::Facts, Some(Some("tabs, austin")));
    assert_eq!(memdirs, new.replace("tabs, austin", "tabs, name"));
    let persons = updated_text(&old, &new, FileKind::Facts, Some(None));
    assert_eq!(persons, new.replace("tabs, austin", "tabs, name"));
    assert_eq!(updated_text(&old, &old.replace("- tabs", "- Tabs!"), FileKind::Facts, None), "keep");
}

#[test]
fn pending_terms_of_a_persons_line_are_reported() {
    let waits = |line: &str| {
        pending_terms(&Document::parse(format!("> Summary: {line}\n\n{THREE}")), FileKind::Facts).join(", ")
    };
    assert_eq!(waits("name, work, food"), "");
    assert_eq!(waits("my words, name"), "");
    assert_eq!(waits("a, b, c, d, e, f, g, h, name, i"), "work, food");
    assert_eq!(waits("All about me and my long story."), "");
}

#[test]
fn a_single_entry_gets_its_title_and_keywords() {
    let text = "# 2026-02 Episodes\n\n## Logger stdout leak fix\n- Summary: pino pipeline leak, pino transport\n- Date: 2026-02-24\n- Lesson: threads cannot load files in Bun\n";
    assert_eq!(
        new_summary(&Document::parse(text), FileKind::Episodes),
        "logger stdout leak fix, pino, pipeline, transport, threads, load, bun"
    );
}

#[test]
fn a_text_without_labels_gets_keywords() {
    let fresh = |text: &str| new_summary(&Document::parse(text), FileKind::Facts);
    assert_eq!(fresh("# User\n\n- Prefers tabs\n- Lives in Austin\n- Vegan since 2024\n"), "tabs, austin, vegan");
    assert_eq!(fresh("# U\n\n- see https://example.org/marimba\n- 用户喜欢绿茶，绿茶\n"), "绿茶");
    assert_eq!(fresh("# U\n\n- Name: Zhang\n"), "name, zhang");
}

mod properties {
    use proptest::prelude::*;

    use super::super::line::{fits, split_terms};
    use super::*;

    /// Bullets with generated labels that occur nowhere else, plain bullets, and headings.
    fn bullets() -> impl Strategy<Value = Vec<String>> {
        let labelled = (0..14u8, "[a-z]{1,9}").prop_map(|(n, t)| format!("- Qlabel{}: {t}", (b'a' + n) as char));
        let plain = "[a-zé猫犬 ]{1,30}".prop_map(|t| format!("- x{t}"));
        let heading = (0..6u8).prop_map(|n| format!("\n## Zpart{}\n", (b'a' + n) as char));
        prop::collection::vec(prop_oneof![4 => labelled, 2 => plain, 1 => heading], 0..16)
    }

    fn file(line: &str, bullets: &[String]) -> String {
        let line = if line.is_empty() { String::new() } else { format!("> Summary: {line}\n\n") };
        format!("# U\n\n{line}{}\n", bullets.join("\n"))
    }

    fn value(text: &str) -> String {
        let document = Document::parse(text);
        document.summary_line().map(|s| text[s.value.range()].to_string()).unwrap_or_default()
    }

    /// The new text, and the terms that memdir stores for its line.
    fn step(before: &str, after: &str, last: &str) -> (String, String) {
        match update_summary(&Document::parse(before), &Document::parse(after), FileKind::Facts, Some(Some(last))) {
            SummaryUpdate::Keep => (after.into(), last.into()),
            SummaryUpdate::Write { splice: s, own_terms: line } => (splice(after, &[s]).unwrap(), line),
            SummaryUpdate::NeedsLastLine => panic!("needs the last line although it was given"),
        }
    }

    /// Pieces of Markdown that are hard for the search for an insertion point.
    fn markdown() -> impl Strategy<Value = String> {
        let pieces = [
            "# One\n",
            "Title\n===\n",
            "## Two, *three*\n",
            "- Name: x\n",
            "- jazz `a`\n  <!-- mem imp=3 -->\n",
            "1. One: x\n",
            "\n",
            "\n",
            "para\n",
            "para: \n\n",
            "> quote\n",
            "> Summary: jazz, name\n",
            "> Summary:\n",
            "```\n# code\n",
            "```\n",
            "    # indented\n",
            "<div>\n",
            "<!-- open\n",
            "-->\n",
            "---\n",
            "summary: jazz\n",
            "description: >\n",
            "[x]: /u\n",
            "| a | b |\n|---|---|\n",
            "- [ ] Task: x\n",
            "-\n",
            "- - Name: y\n",
            "  - Deep: z\n",
            "- Code <!--: x\n",
            "no end",
        ];
        let body = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..12).prop_map(|p| p.concat());
        (any::<bool>(), any::<bool>(), body).prop_map(|(bom, crlf, body)| {
            let body = if crlf { body.replace('\n', "\r\n") } else { body };
            if bom { format!("\u{feff}{body}") } else { body }
        })
    }

    fn bullet_texts(text: &str) -> Vec<String> {
        let document = Document::parse(text);
        (0..document.bullets().len()).map(|i| document.bullet_text(i).into_owned()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn whatever_the_text_its_bullets_stay_and_a_second_look_writes_nothing(
            before in markdown(),
            after in markdown(),
            kind in prop::sample::select(vec![FileKind::Facts, FileKind::Episodes, FileKind::Other]),
            last in prop::sample::select(vec!["", "jazz, name"]),
        ) {
            let look = |before: &str, after: &str, last: &str| {
                let (before, document) = (Document::parse(before), Document::parse(after));
                match update_summary(&before, &document, kind, Some(Some(last))) {
                    SummaryUpdate::Write { splice: s, own_terms } => Some((splice(after, &[s]).unwrap(), own_terms)),
                    _ => None,
                }
            };
            if let Some((written, line)) = look(&before, &after, last) {
                prop_assert_eq!(bullet_texts(&after), bullet_texts(&written), "{:?}", written);
                let sections = |t: &str| Document::parse(t).sections().len();
                prop_assert_eq!(sections(&after), sections(&written), "{:?}", written);
                prop_assert_eq!(look(&written, &written, &line), None, "{:?}", written);
            }
        }
    }

    proptest! {
        #[test]
        fn a_line_is_short_and_stays_when_nothing_changes(a in bullets(), b in bullets()) {
            let (first, last) = step("", &file("", &a), "");
            let (second, last) = step(&first, &file(&value(&first), &b), &last);
            prop_assert!(fits(&split_terms(&value(&second))), "{second}");
            prop_assert_eq!(&step(&second, &second, &last).0, &second);
        }

        #[test]
        fn a_persons_words_survive_any_change(a in bullets(), b in bullets(), c in bullets()) {
            let mine = ["my words", "Hobbies", "ünï"];
            let (first, last) = step("", &file("", &a), "");
            let mut line = split_terms(&value(&first));
            line.truncate(7);
            line.splice(line.len() / 2..line.len() / 2, mine.map(String::from));
            let line = line.join(", ");
            let (second, last) = step(&file(&line, &a), &file(&line, &b), &last);
            let (third, _) = step(&second, &file(&value(&second), &c), &last);
            for text in [&second, &third] {
                let terms = split_terms(&value(text));
                prop_assert!(fits(&terms) && mine.iter().all(|t| terms.iter().any(|x| x == t)), "{text}");
            }
        }

        #[test]
        fn a_persons_prose_is_never_touched(a in bullets(), b in bullets(), dot in any::<bool>()) {
            let prose = if dot { "My notes, all of them." } else { "my, notes on this and that" };
            let after = file(prose, &b);
            prop_assert_eq!(&step(&file(prose, &a), &after, prose).0, &after);
        }

        #[test]
        fn labels_that_come_and_go_leave_the_line_as_it_was(a in bullets(), new in 1..4usize) {
            let (first, last) = step("", &file("", &a), "");
            let line = value(&first);
            let room = split_terms(&line).len() + new <= 10 && line.len() + 12 * new <= 100;
            prop_assume!(room && summary_terms(&Document::parse(&*first), FileKind::Facts).len() >= 3);
            let mut more = a.clone();
            more.extend((0..new).map(|n| format!("- Wnew{n}: x")));
            let (second, last) = step(&first, &file(&line, &more), &last);
            let added: Vec<_> = (0..new).map(|n| format!("wnew{n}")).collect();
            prop_assert!(split_terms(&value(&second)).ends_with(&added));
            let (third, _) = step(&second, &file(&value(&second), &a), &last);
            prop_assert_eq!(value(&third), line);
        }
    }
}

#[test]
fn the_terms_after_a_change_are_those_of_the_text_after_it() {
    let check = |before: &str, after: &str| {
        let (before, after) = (Document::parse(before), Document::parse(after));
        let (first, second) = terms::candidate_terms_of_both(&before, &after, FileKind::Facts);
        assert_eq!(first.list(), terms::candidate_terms(&before, FileKind::Facts).list());
        assert_eq!(second.list(), terms::candidate_terms(&after, FileKind::Facts).list(), "{:?}", after.text());
    };
    // Each line of one text left out, doubled or moved, in a file of labels, headings, escapes, empty and nested ones.
    let lines = [
        "- Name: Z",
        "- plain text",
        "## Work",
        "- [job] Name: again",
        "- Title:",
        "- Title: smith",
        "- \\*Food\\*: rice",
        "- **City**: Lyon",
        "## Travel",
        "- city: x",
        "  - Inner: no",
        "- at 10:30: tea",
        "- Name: Z",
    ];
    let text = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    for from in 0..lines.len() {
        let mut without = lines.to_vec();
        let line = without.remove(from);
        check(&text(&lines), &text(&without));
        check(&text(&without), &text(&lines));
        for to in 0..=without.len() {
            let mut moved = without.clone();
            moved.insert(to, line);
            check(&text(&lines), &text(&moved));
            let mut doubled = lines.to_vec();
            doubled.insert(to, line);
            check(&text(&lines), &text(&doubled));
            let mut replaced = without.clone();
            if let Some(other) = replaced.get_mut(to) {
                *other = line;
                check(&text(&without), &text(&replaced));
            }
        }
    }
}

#[test]
fn labels_and_what_follows_them_name_no_secret() {
    let summary = |text: &str| new_summary(&Document::parse(text), FileKind::Facts);
    assert_eq!(summary("- password: Xk9vQ2mLp7Rt: staging\n- Kiln: red\n"), "password, kiln, staging, red");
    assert_eq!(summary("- Password: Xk9vQ2mLp7Rt\n- Kiln: red\n"), "password, kiln, red");
}
