use super::*;

fn list(terms: &str) -> Vec<String> {
    split_terms(terms)
}

fn terms_of(terms: &str) -> SummaryTerms {
    let mut all = SummaryTerms::default();
    list(terms).into_iter().for_each(|t| all.add(t));
    all
}

/// Updates a line for a change of candidate terms; words after `|` are in the text without being candidates.
fn update_with(value: &str, before: &str, after: &str, last: Option<&str>) -> String {
    let (before, text_before) = before.split_once('|').unwrap_or((before, ""));
    let (after, text) = after.split_once('|').unwrap_or((after, ""));
    let (terms_before, terms_after) = (terms_of(before), terms_of(after));
    let (text_before, text) = (list(text_before), list(text));
    let in_text_before = |t: &str| terms_before.contains(t) || has_term(&text_before, t);
    let in_text = |t: &str| terms_after.contains(t) || has_term(&text, t);
    let change = TermChange {
        before: &terms_before,
        after: &terms_after,
        in_text_before: &in_text_before,
        in_text: &in_text,
        keeps_edited: false,
        new_line: None,
    };
    let last = last.map(list);
    match update_line(value, &change, last.as_deref()) {
        LineUpdate::Keep => "keep".into(),
        LineUpdate::NeedsLastLine => "needs last".into(),
        LineUpdate::Replace { terms, .. } => terms.join(", "),
    }
}

#[track_caller]
fn check(value: &str, (before, after): (&str, &str), expected: &str) {
    assert_eq!(update_with(value, before, after, None), expected);
    if expected != "needs last" {
        assert_eq!(update_with(value, before, after, Some("")), expected, "with a last line");
    }
}

const TEN: &str = "a, b, c, d, e, f, g, h, i, j";

#[test]
fn memdirs_line_follows_labels() {
    check("name, work", ("name, work", "name, work"), "keep");
    check("name, work", ("name, work", "name, work, food"), "name, work, food");
    check("name, work", ("name, work", "food, name, work"), "name, work, food");
    check("name, work", ("name, work", "name"), "name");
    check("name, work", ("name, work", "|work"), "work");
    check("name", ("name", ""), "");
    check("Name,work", ("name, work", "name, work, food"), "Name, work, food");
}

#[test]
fn a_term_that_a_person_removed_is_not_added_again() {
    check("name", ("name, work", "name, work"), "keep");
    check("name", ("name, work", "name, work, food"), "name, food");
}

#[test]
fn memdirs_oldest_terms_are_dropped_first() {
    check(TEN, (TEN, "a, b, c, d, e, f, g, h, i, j, k, l"), "c, d, e, f, g, h, i, j, k, l");
    let wide = "x".repeat(60);
    check(&wide, (&wide, &format!("{wide}, {}", "y".repeat(38))), &format!("{wide}, {}", "y".repeat(38)));
    check(&wide, (&wide, &format!("{wide}, {}", "y".repeat(39))), &"y".repeat(39));
    let chinese = "中".repeat(25);
    check(&chinese, (&chinese, &format!("{chinese}, {}", "文".repeat(25))), &"文".repeat(25));
}

#[test]
fn an_unknown_term_is_memdirs_only_by_its_last_line() {
    check("jazz", ("", "name"), "needs last");
    assert_eq!(update_with("jazz", "", "name", Some("jazz")), "name");
    assert_eq!(update_with("jazz", "", "name|jazz", Some("jazz")), "jazz, name");
    assert_eq!(update_with("jazz", "", "name", Some("")), "jazz, name");
    check("jazz", ("name", "name"), "needs last");
    check("jazz", ("name", "name|jazz"), "keep");
}

#[test]
fn a_term_leaves_with_its_last_occurrence_whoever_wrote_it() {
    for last in ["", "other"] {
        assert_eq!(update_with("my words, jazz, name", "name|jazz", "name", Some(last)), "my words, name");
        assert_eq!(update_with("my words, jazz, name", "name|jazz", "name|jazz", Some(last)), "keep");
        assert_eq!(update_with("my words, jazz, name", "name", "name", Some(last)), "keep");
    }
}

#[test]
fn a_persons_words_stay() {
    for (before, after, expected) in [
        ("name", "name, food", "my words, name, food"),
        ("name", "", "my words"),
        ("name", "|name", "keep"),
        ("name", "name", "keep"),
    ] {
        assert_eq!(update_with("my words, name", before, after, Some("")), expected);
    }
}

#[test]
fn in_a_persons_full_line_only_memdirs_terms_are_dropped() {
    let mine = "q, r, s, t, u, v, w, x, name, food";
    assert_eq!(
        update_with(mine, "name, food", "name, food, work", Some("name, food")),
        mine.replace("name, food", "food, work")
    );
    assert_eq!(update_with(mine, "name, food", "name, food, work", Some("")), "keep");
    assert_eq!(update_with(mine, "name, food", "food", Some("")), mine.replace(" name,", ""));
    // A pending term is added when another one is removed.
    assert_eq!(update_with(mine, "name, food, work", "food, work", Some("")), mine.replace("name, food", "food, work"));
}

#[test]
fn memdirs_own_terms_in_a_persons_line_are_reported() {
    let (was, is) = (terms_of("name"), terms_of("name, food"));
    let absent = |_: &str| false;
    let change = TermChange {
        before: &was,
        after: &is,
        in_text_before: &absent,
        in_text: &absent,
        keeps_edited: false,
        new_line: None,
    };
    let LineUpdate::Replace { own, .. } = update_line("my words, name", &change, Some(&list("name"))) else { panic!() };
    assert_eq!(own.join(", "), "name, food");
}

#[test]
fn prose_is_never_touched() {
    for prose in ["All about me.", "what I know about Anna", "关于我。", "name, food and drink at home"] {
        for last in [None, Some(""), Some(prose)] {
            assert_eq!(update_with(prose, "name", "food", last), "keep");
        }
    }
}

#[test]
fn a_longer_line_than_memdir_writes_is_a_persons() {
    let eleven = format!("{TEN}, k");
    assert_eq!(update_with(&eleven, &eleven, &format!("{eleven}, l"), None), "keep");
    assert_eq!(update_with(&eleven, &eleven, TEN, None), TEN);
}

#[test]
fn keywords_are_chosen_again_when_a_text_outgrows_them() {
    let new_line = || list("name, jazz, austin");
    let (was, is) = (terms_of("name"), terms_of("name"));
    let present = |_: &str| true;
    let change = TermChange {
        before: &was,
        after: &is,
        in_text_before: &present,
        in_text: &present,
        keeps_edited: false,
        new_line: Some(&new_line),
    };
    let check = |value: &str, last: Option<&str>, expected: &[&str]| {
        let last = last.map(list);
        let terms = match update_line(value, &change, last.as_deref()) {
            LineUpdate::Replace { terms, .. } => terms,
            other => vec![format!("{other:?}")],
        };
        assert_eq!(terms, expected);
    };
    check("tabs, jazz, name", None, &["NeedsLastLine"]);
    check("tabs, jazz, name", Some("tabs, jazz, name"), &["jazz", "name", "austin"]);
    check("tabs, jazz, name", Some("jazz"), &["Keep"]);
}

#[test]
fn a_new_line_takes_the_first_terms_and_adds_keywords() {
    let keywords = || vec![("jazz".to_string(), 7), ("name".into(), 2), ("tabs".into(), 5)];
    assert_eq!(new_line(&list("name"), keywords).join(", "), "name, tabs, jazz");
    assert_eq!(new_line(&list("name, food, work"), keywords).join(", "), "name, food, work");
    assert_eq!(new_line(&[], keywords).join(", "), "name, tabs, jazz");
    assert_eq!(new_line(&list(&format!("{TEN}, k")), keywords).join(", "), TEN);
    assert_eq!(new_line(&[], Vec::new), Vec::<String>::new());
}
