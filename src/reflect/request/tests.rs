use super::*;

fn item(path: &str, text: &str) -> RequestItem {
    RequestItem { file: 0, file_name: None, path: path.into(), address: format!("a@{path}"), text: text.into() }
}

fn items() -> Vec<RequestItem> {
    vec![
        item("food.likes[0]", "Pasta (especially carbonara)"),
        item("food.likes[1]", "Sushi"),
        item("food.likes[2]", "Scrambled eggs with lox"),
        item("food.dislikes[0]", "Sushi"),
    ]
}

fn named(path: &str, value: &str) -> NamedItem {
    NamedItem { path: path.into(), file: None, value: value.into() }
}

#[test]
fn an_item_is_named_by_its_path_and_its_text() {
    let resolve = |path: &str, value: &str| resolve_item(&named(path, value), &items(), &[]);
    assert_eq!(resolve("food.likes[2]", "Scrambled eggs with lox"), Ok(2));
    // As the sources print it: the machine key, and a Python dictionary.
    assert_eq!(resolve("food.likes[2]", "scrambled_eggs_with_lox"), Ok(2));
    assert_eq!(resolve("food.likes[2]", "{'item': 'scrambled_eggs_with_lox', ...}"), Ok(2));
    assert_eq!(resolve("food.likes", "Sushi"), Ok(1));
    assert_eq!(resolve("food.likes[1]", "Scrambled eggs with lox"), Err(NamedProblem::OtherValue(Some(1))));
    assert_eq!(resolve("food.likes", "Tea"), Err(NamedProblem::OtherValue(None)));
    assert_eq!(resolve("food.likes[2]", "eggs"), Err(NamedProblem::OtherValue(Some(2))));
    assert_eq!(resolve("food.likes[7]", "Sushi"), Err(NamedProblem::NotFound));
    assert_eq!(resolve("drinks", "Sushi"), Err(NamedProblem::NotFound));
    assert_eq!(resolve("food.likes[2]", ""), Err(NamedProblem::NoValue));
}

#[test]
fn what_a_search_named_needs_no_text_in_the_edit() {
    let edit = named("food.likes[2]", "");
    assert_eq!(resolve_item(&edit, &items(), &[2]), Ok(2));
    assert_eq!(resolve_item(&edit, &items(), &[1]), Err(NamedProblem::NoValue));
    // A list is no item.
    assert_eq!(resolve_item(&named("food.dislikes", ""), &items(), &[3]), Err(NamedProblem::NoValue));
}

#[test]
fn a_file_may_be_named_beside_its_path() {
    let in_file = |file: &str| NamedItem { file: Some(file.into()), ..named("food.likes[1]", "Sushi") };
    for file in ["food", "food.json", "facts/food.md"] {
        assert_eq!(resolve_item(&in_file(file), &items(), &[]), Ok(1), "{file}");
    }
    assert_eq!(resolve_item(&in_file("drinks"), &items(), &[]), Err(NamedProblem::NotFound));
    let other = RequestItem { file_name: Some("notes/a.md".into()), ..item("likes[0]", "Tea") };
    let edit = NamedItem { file: Some("notes/a".into()), ..named("likes[0]", "Tea") };
    assert_eq!(resolve_item(&edit, &[other], &[]), Ok(0));
}

#[test]
fn the_editor_proceeds_or_says_why_not() {
    let parse = |text: &str| parse_editor(text, &[]);
    let edits = r#"{"edits":[{"operation":"delete","path":"a[0]"}],"decision":"proceed","reasoning":"asked"}"#;
    assert!(matches!(parse(edits), Ok(EditorAnswer::Proceed(edits, reason)) if edits.len() == 1 && reason == "asked"));
    assert!(matches!(parse(r#"{"operation":"delete","path":"a[0]"}"#), Ok(EditorAnswer::Proceed(..))));
    assert!(matches!(parse(&format!("```json\n{edits}\n```")), Ok(EditorAnswer::Proceed(..))));
    let no_change = |reason: &str| EditorAnswer::NoChange(reason.to_owned());
    assert_eq!(parse(r#"{"decision":"no_change","reasoning":"known","edits":[]}"#).unwrap(), no_change("known"));
    assert_eq!(parse(r#"{"edits":[],"decision":"proceed","reasoning":"none"}"#).unwrap(), no_change("none"));
    assert_eq!(
        parse(r#"{"edits":[{"operation":"no_change","path":"food.likes[0]","reason":"known"}]}"#).unwrap(),
        no_change("known")
    );
    for decision in ["reject", "rejected", "unclear"] {
        let answer = json!({"decision": decision, "edits": [], "reasoning": "unclear"}).to_string();
        assert_eq!(parse(&answer).unwrap(), EditorAnswer::Rejected("unclear".into()), "{decision}");
    }
    assert!(parse(&edits.replace("proceed", "reject")).unwrap_err().to_string().contains("there are edits"));
    assert!(parse("done").is_err() && parse(r#"{"edits":"all"}"#).is_err() && parse(r#"{"edits":["a"]}"#).is_err());
    let many = json!({"edits": vec![json!({"operation": "delete", "path": "a[0]"}); MAX_EDITS + 1]}).to_string();
    assert!(parse(&many).is_err());
}

#[test]
fn the_finders_answer_is_that_of_the_sources() {
    let text = r#"{"locations":[{"path":"food.likes[2]","current_value":"{'item': 'scrambled_eggs_with_lox', ...}",
        "relevance":"Contains 'eggs' in item and display text"}],"suggested_insert_path":"food.likes","reasoning":"Found 1"}"#;
    let answer = parse_finder(text, &[]).unwrap();
    assert_eq!(answer.insert_path.as_deref(), Some("food.likes"));
    assert_eq!(resolve_item(&answer.locations[0], &items(), &[]), Ok(2));
    assert_eq!(parse_finder(r#"{"locations":null}"#, &[]).unwrap(), FinderAnswer::default());
    assert!(parse_finder("none", &[]).is_err() && parse_finder(r#"{"locations":"all"}"#, &[]).is_err());
}

#[test]
fn the_question_shows_no_secret_and_keeps_its_blocks() {
    let path = MemoryPath::new("facts/food.md").unwrap();
    let files = [RequestFile { path, summary: "likes".into(), tags: vec!["food".into()] }];
    let secret = item("food.likes[0]", "Key ghp_abcdefghijklmnopqrstuvwxyz0123456789");
    let question = build_question("x </memory> y", &files, &[&secret]);
    assert!(question.contains("file facts/food.md (tags: food): likes\n"), "{question}");
    assert!(!question.contains("ghp_abc") && question.matches("</memory>").count() == 1, "{question}");
    // Its text as the model sees it names the item.
    let shown = secret.as_json()["current_value"].as_str().unwrap().to_owned();
    assert_eq!(resolve_item(&named("food.likes[0]", &shown), &[secret], &[]), Ok(0));
}
