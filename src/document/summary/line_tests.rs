use super::*;

fn list(terms: &str) -> Vec<String> {
    split(terms)
}

fn offer(terms: &str) -> Terms {
    let mut all = Terms::default();
    list(terms).into_iter().for_each(|t| all.add(t));
    all
}

/// A change of what a text offers; words after `|` stand in the text without being offered.
fn follow_with(value: &str, before: &str, after: &str, last: Option<&str>) -> String {
    let (after, text) = after.split_once('|').unwrap_or((after, ""));
    let (was, is, text) = (offer(before), offer(after), list(text));
    let stands = |t: &str| is.has(t) || has(&text, t);
    let change = Change { before: &was, after: &is, stands: &stands, fresh: None };
    let last = last.map(list);
    match follow(value, &change, last.as_deref()) {
        Verdict::Keep => "keep".into(),
        Verdict::NeedsLast => "needs last".into(),
        Verdict::Line { terms, .. } => terms.join(", "),
    }
}

#[track_caller]
fn check(value: &str, (before, after): (&str, &str), expected: &str) {
    assert_eq!(follow_with(value, before, after, None), expected);
    if expected != "needs last" {
        assert_eq!(follow_with(value, before, after, Some("")), expected, "with a last line");
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
fn a_term_that_somebody_took_out_does_not_come_back() {
    check("name", ("name, work", "name, work"), "keep");
    check("name", ("name, work", "name, work, food"), "name, food");
}

#[test]
fn memdirs_oldest_terms_make_room() {
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
    assert_eq!(follow_with("jazz", "", "name", Some("jazz")), "name");
    assert_eq!(follow_with("jazz", "", "name|jazz", Some("jazz")), "jazz, name");
    assert_eq!(follow_with("jazz", "", "name", Some("")), "jazz, name");
    check("jazz", ("name", "name"), "needs last");
    check("jazz", ("name", "name|jazz"), "keep");
}

#[test]
fn a_persons_words_stay() {
    for (before, after, expected) in [
        ("name", "name, food", "my words, name, food"),
        ("name", "", "my words"),
        ("name", "|name", "keep"),
        ("name", "name", "keep"),
    ] {
        assert_eq!(follow_with("my words, name", before, after, Some("")), expected);
    }
}

#[test]
fn in_a_persons_full_line_only_memdirs_terms_make_room() {
    let mine = "q, r, s, t, u, v, w, x, name, food";
    assert_eq!(
        follow_with(mine, "name, food", "name, food, work", Some("name, food")),
        mine.replace("name, food", "food, work")
    );
    assert_eq!(follow_with(mine, "name, food", "name, food, work", Some("")), "keep");
    assert_eq!(follow_with(mine, "name, food", "food", Some("")), mine.replace(" name,", ""));
    // What waited comes in when a label leaves.
    assert_eq!(follow_with(mine, "name, food, work", "food, work", Some("")), mine.replace("name, food", "food, work"));
}

#[test]
fn what_memdir_wrote_into_a_persons_line_is_told_apart() {
    let (was, is) = (offer("name"), offer("name, food"));
    let change = Change { before: &was, after: &is, stands: &|_| false, fresh: None };
    let Verdict::Line { own, .. } = follow("my words, name", &change, Some(&list("name"))) else { panic!() };
    assert_eq!(own.join(", "), "name, food");
}

#[test]
fn prose_is_never_touched() {
    for prose in ["All about me.", "what I know about Anna", "关于我。", "name, food and drink at home"] {
        for last in [None, Some(""), Some(prose)] {
            assert_eq!(follow_with(prose, "name", "food", last), "keep");
        }
    }
}

#[test]
fn a_longer_line_than_memdir_writes_is_a_persons() {
    let eleven = format!("{TEN}, k");
    assert_eq!(follow_with(&eleven, &eleven, &format!("{eleven}, l"), None), "keep");
    assert_eq!(follow_with(&eleven, &eleven, TEN, None), TEN);
}

#[test]
fn telling_words_are_chosen_anew_when_a_text_outgrows_them() {
    let anew = || list("name, jazz, austin");
    let (was, is) = (offer("name"), offer("name"));
    let change = Change { before: &was, after: &is, stands: &|_| true, fresh: Some(&anew) };
    let check = |value: &str, last: Option<&str>, expected: &[&str]| {
        let last = last.map(list);
        let terms = match follow(value, &change, last.as_deref()) {
            Verdict::Line { terms, .. } => terms,
            other => vec![format!("{other:?}")],
        };
        assert_eq!(terms, expected);
    };
    check("tabs, jazz, name", None, &["NeedsLast"]);
    check("tabs, jazz, name", Some("tabs, jazz, name"), &["jazz", "name", "austin"]);
    check("tabs, jazz, name", Some("jazz"), &["Keep"]);
}

#[test]
fn a_fresh_line_takes_the_first_terms_and_fills_up_with_telling_words() {
    let telling = || vec![("jazz".to_string(), 7), ("name".into(), 2), ("tabs".into(), 5)];
    assert_eq!(fresh(&list("name"), telling).join(", "), "name, tabs, jazz");
    assert_eq!(fresh(&list("name, food, work"), telling).join(", "), "name, food, work");
    assert_eq!(fresh(&[], telling).join(", "), "name, tabs, jazz");
    assert_eq!(fresh(&list(&format!("{TEN}, k")), telling).join(", "), TEN);
    assert_eq!(fresh(&[], Vec::new), Vec::<String>::new());
}
