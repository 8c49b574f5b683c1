use clap::FromArgMatches;

use super::*;
use crate::cli::{args, argv};

fn parse<A: FromArgMatches>(line: &[&str]) -> A {
    let words = argv::prepare(line.iter().map(Into::into).collect());
    let matches = args::command().try_get_matches_from(["memdir".into()].into_iter().chain(words)).unwrap();
    let mut at = &matches;
    while let Some((_, below)) = at.subcommand() {
        at = below;
    }
    A::from_arg_matches(at).unwrap()
}

fn none(_: Option<&Path>) -> Result<String, Rejection> {
    panic!("no content should be read")
}

fn actions(batch: Result<Batch, Rejection>) -> Vec<Action> {
    batch.unwrap().operations.into_iter().map(|o| o.action).collect()
}

fn refused(batch: Result<Batch, Rejection>) -> Code {
    batch.unwrap_err().code
}

#[test]
fn several_texts_are_one_batch_with_tags_and_metadata() {
    let args = parse(&["add", "user#work", "- Prefers tabs", "b", "--tag", "#x", "--imp", "7", "--pin"]);
    let meta = vec![("imp".to_owned(), "7".to_owned()), ("pin".to_owned(), "true".to_owned())];
    let add = |text: &str| Action::Add {
        at: target("user#work"),
        text: text.into(),
        children: vec![],
        meta: meta.clone(),
        create: false,
    };
    assert_eq!(actions(add_(&args)), [add("Prefers tabs #x"), add("b #x")]);
}

fn add_(args: &AddArgs) -> Result<Batch, Rejection> {
    super::add(args, &none)
}

#[test]
fn a_list_from_stdin_is_one_bullet_per_item() {
    let content = |_: Option<&Path>| Ok("- one\n  - child\n    deep\n* two\r\n  more\n\n+ three\n".to_owned());
    let texts: Vec<_> = actions(super::add(&parse(&["add", "user"]), &content))
        .into_iter()
        .map(|a| match a {
            Action::Add { text, children, .. } => (text, children),
            other => panic!("{other:?}"),
        })
        .collect();
    let own = |c: &[&str]| c.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        texts,
        [("one".into(), own(&["- child", "  deep"])), ("two".into(), own(&["more"])), ("three".into(), vec![])]
    );
}

#[test]
fn a_dash_means_stdin_wherever_content_is_due() {
    let content = |file: Option<&Path>| Ok(file.map_or("text", |_| "file").to_owned());
    let text = |batch: Result<Batch, Rejection>| match actions(batch).remove(0) {
        Action::Write { text, .. } => (None, text),
        Action::Append { at, text, .. } => (at, text),
        other => panic!("{other:?}"),
    };
    for line in [&["write", "new"][..], &["write", "new", "-"]] {
        assert_eq!(text(super::write(&parse(line), &content)).1, "text");
    }
    let append = |line: &[&str]| text(super::append(&parse(line), &content));
    assert_eq!(append(&["append"]), (None, "text".into()));
    assert_eq!(append(&["append", "-"]), (None, "text".into()));
    assert_eq!(append(&["append", "user", "-"]), (Some(target("user")), "text".into()));
    assert_eq!(append(&["append", "user", "-F", "f"]), (Some(target("user")), "file".into()));
    assert_eq!(refused(super::write(&parse(&["write", "new", "some text"]), &content)), Code::Usage);
    assert_eq!(refused(super::write(&parse(&["write", "new", "-", "-F", "f"]), &content)), Code::Usage);
    assert_eq!(refused(super::add(&parse(&["add", "user", "-", "a"]), &content)), Code::Usage);
}

#[test]
fn a_line_break_in_an_argument_is_refused() {
    assert_eq!(refused(add_(&parse(&["add", "user", "a\nb"]))), Code::Multiline);
    assert_eq!(refused(super::update(&parse(&["update", "user@acvh", "a\nb"]), &none)), Code::Multiline);
    assert_eq!(refused(add_(&parse(&["add", "user", "  "]))), Code::Usage);
    assert_eq!(refused(add_(&parse(&["add", "user", "a", "--tag", "b c"]))), Code::Usage);
}

#[test]
fn an_update_names_its_bullet_in_one_of_three_ways() {
    let update = |line: &[&str]| super::update(&parse(line), &none);
    let expected = |at_: &str, index, old: Option<&str>| {
        vec![Action::Update {
            at: target(at_),
            index,
            old: old.map(Into::into),
            text: "new".into(),
            children: Vec::new(),
            meta: Vec::new(),
            archive: false,
        }]
    };
    assert_eq!(actions(update(&["update", "user@acvh", "new"])), expected("user@acvh", None, None));
    assert_eq!(actions(update(&["update", "user", "- old", "- new"])), expected("user", None, Some("old")));
    let line = ["bullet", "update", "user", "--index", "2", "--old", "old", "new"];
    assert_eq!(actions(update(&line)), expected("user", Some(2), Some("old")));
    assert_eq!(refused(update(&["update", "user", "new"])), Code::Usage);
    let content = |_: Option<&Path>| Ok("new\n".to_owned());
    for line in [&["update", "user@acvh"][..], &["update", "user@acvh", "-"], &["update", "user@acvh", "-F", "f"]] {
        assert_eq!(actions(super::update(&parse(line), &content)), expected("user@acvh", None, None));
    }
    let two = |_: Option<&Path>| Ok("- a\n- b\n".to_owned());
    assert_eq!(refused(super::update(&parse(&["update", "user@acvh", "-"]), &two)), Code::Usage);
}

#[test]
fn a_removal_of_a_bullet_is_never_a_removal_of_its_file() {
    let remove = |at_: &str, index, text: Option<&str>| Action::Remove {
        at: target(at_),
        index,
        text: text.map(Into::into),
        archive: false,
        purge: None,
        forget: false,
        if_exists: false,
    };
    let rm = |line: &[&str]| super::rm(&parse(line));
    assert_eq!(
        actions(rm(&["rm", "user@a1b2", "x@c3d4"])),
        [remove("user@a1b2", None, None), remove("x@c3d4", None, None)]
    );
    assert_eq!(
        actions(rm(&["rm", "user", "- a", "- b"])),
        [remove("user", None, Some("a")), remove("user", None, Some("b"))]
    );
    assert_eq!(refused(rm(&["rm", "--", "- a"])), Code::Usage);
    let del = |line: &[&str]| super::bullet_del(&parse(line));
    assert_eq!(refused(del(&["bullet", "del", "user"])), Code::Usage);
    assert_eq!(refused(del(&["bullet", "del", "a@b.md"])), Code::Usage);
    assert_eq!(actions(del(&["bullet", "del", "user", "--index", "2"])), [remove("user", Some(2), None)]);
}

#[test]
fn patches_are_given_as_options_or_as_json() {
    let expected = vec![Action::Patch { at: target("user"), pairs: vec![("a".into(), "b".into())], archive: false }];
    assert_eq!(actions(super::patch(&parse(&["patch", "user", "--old", "a", "--new", "b"]), &none)), expected);
    for json in [
        r#"[{"oldText":"a","newText":"b"}]"#,
        r#"{"old_str":"a","new_str":"b"}"#,
        r#"{"patches":[{"oldText":"a","newText":"b"}]}"#,
        r#"[["a","b"]]"#,
    ] {
        let content = |_: Option<&Path>| Ok(json.to_owned());
        assert_eq!(actions(super::patch(&parse(&["patch", "user"]), &content)), expected, "{json}");
    }
    assert_eq!(refused(super::patch(&parse(&["patch", "user", "--old", "a"]), &none)), Code::Usage);
}
