use serde_json::json;

use super::super::{Action, Batch, Target};
use super::*;

fn at(address: &str) -> Target {
    Target::Address(address.into())
}

fn add(at: Target, text: &str) -> Action {
    Action::Add { at, text: text.into(), children: vec![], meta: vec![], create: false }
}

fn update(at: Target, index: Option<i64>, old: Option<&str>, text: &str) -> Action {
    Action::Update {
        at,
        index,
        old: old.map(Into::into),
        text: text.into(),
        children: Vec::new(),
        meta: Vec::new(),
        archive: false,
    }
}

fn remove(at: Target, index: Option<i64>, text: Option<&str>) -> Action {
    Action::Remove {
        at,
        index,
        text: text.map(Into::into),
        archive: false,
        purge: None,
        forget: false,
        if_exists: false,
    }
}

/// As other dialects remove: once more is no error.
fn removed(at: Target, index: Option<i64>, text: Option<&str>) -> Action {
    Action::Remove {
        at,
        index,
        text: text.map(Into::into),
        archive: false,
        purge: None,
        forget: false,
        if_exists: true,
    }
}

/// Checks the actions parsed from a text, ignoring reason, source and preconditions.
#[track_caller]
fn assert_parses(text: &str, expected: &[Action]) -> Batch {
    let batch = parse_batch(text).unwrap_or_else(|r| panic!("{text}: {r:?}"));
    let actions: Vec<_> = batch.operations.iter().map(|o| o.action.clone()).collect();
    assert_eq!(actions, expected, "{text}");
    batch
}

/// Checks that one operation is rejected: the code, and a part of the message.
#[track_caller]
fn assert_rejected(text: &str, code: Code, part: &str) {
    match parse_batch(text) {
        Ok(batch) => panic!("{text}: {batch:?}"),
        Err(all) => {
            assert_eq!(all.len(), 1, "{text}: {all:?}");
            assert_eq!(all[0].code, code, "{text}: {}", all[0].message);
            assert!(all[0].message.contains(part), "{text}: {}", all[0].message);
        }
    }
}

mod seeds {
    use super::*;

    /// Examples from the specification of the bullet dialect, unchanged.
    #[test]
    fn the_examples_of_the_bullet_format_are_parsed() {
        assert_parses(
            r#"{
    "memory_id": "mem123",
    "sub_memory": "Lives with Anna",
    "intent": "add"
  }"#,
            &[add(at("@mem123"), "Lives with Anna")],
        );
        assert_parses(
            r#"{
    "memory_id": "mem123",
    "sub_memory": "Lives with Anna",
    "index": 3,
    "intent": "delete"
  }"#,
            &[removed(at("@mem123"), Some(3), Some("Lives with Anna"))],
        );
        assert_parses(
            r#"{
    "memory_id": "mem123",
    "old_sub_memory": "Lives in Denver",
    "new_sub_memory": "Lives in Austin",
    "index": 1,
    "intent": "update"
  }"#,
            &[update(at("@mem123"), Some(1), Some("Lives in Denver"), "Lives in Austin")],
        );
        assert_parses(
            r#"[
  {
    "memory_id": "mem123",
    "old_sub_memory": "Lives in Denver",
    "new_sub_memory": "Lives in Austin",
    "index": 1,
    "intent": "update"
  },
  {
    "memory_id": "mem123",
    "sub_memory": "Lives with Anna",
    "index": 3,
    "intent": "delete"
  }
]"#,
            &[
                update(at("@mem123"), Some(1), Some("Lives in Denver"), "Lives in Austin"),
                removed(at("@mem123"), Some(3), Some("Lives with Anna")),
            ],
        );
    }

    /// A category that does not exist creates a block; `index` is accepted on `add` too.
    #[test]
    fn bullets_by_category_address_and_with_an_index_too_many() {
        assert_parses(
            r#"{"intent":"add","category":"User Profile","sub_memory":"Age is 30","index":2}"#,
            &[add(Target::Category("User Profile".into()), "Age is 30")],
        );
        for (id, address) in [
            ("user@mem123", "user@mem123"),
            ("@mem123", "@mem123"),
            ("user#work", "user#work"),
            ("facts/user.md", "facts/user.md"),
        ] {
            assert_parses(
                &json!({"intent": "remove", "memory_id": id, "category": "x", "index": 2.0}).to_string(),
                &[removed(at(address), Some(2), None)],
            );
        }
    }

    /// Examples from the specification of the path dialect.
    #[test]
    fn the_examples_of_the_path_format_are_parsed() {
        let batch = assert_parses(
            r#"{
  "edits": [
    {
      "operation": "delete",
      "path": "food.likes[2]",
      "reason": "User wants to remove egg preferences"
    }
  ],
  "decision": "proceed",
  "reasoning": "Found egg preference, deleting as requested"
}"#,
            &[removed(at("food#likes"), Some(3), None)],
        );
        assert_eq!(batch.operations[0].reason.as_deref(), Some("User wants to remove egg preferences"));
        assert_eq!(batch.reason.as_deref(), Some("Found egg preference, deleting as requested"));
        assert_parses(
            r#"[
    {"operation": "delete", "path": "food.likes[2]", "file": "resource_user_food_prefs.json"},
    {"operation": "insert", "path": "food.likes", "new_value": {
        "item": "pasta_carbonara",
        "display": "Pasta (especially carbonara)",
        "added": "2025-12-28",
        "expiry": null
      }}
]"#,
            &[
                removed(at("resource_user_food_prefs.json#food/likes"), Some(3), None),
                Action::Add {
                    at: at("food#likes"),
                    text: "Pasta (especially carbonara)".into(),
                    children: vec![],
                    meta: vec![("added".into(), "2025-12-28".into()), ("oid".into(), "pasta_carbonara".into())],
                    create: false,
                },
            ],
        );
        assert_parses(
            r#"{"operation":"update","path":"food.likes[2]","new_value":{"item":"eggs","added":"2025-12-28"},"current_value":{"item":"scrambled_eggs_with_lox","tags":["x"]},"relevance":"Contains 'eggs'"}"#,
            &[update(at("food#likes"), Some(3), Some("scrambled_eggs_with_lox"), "eggs")],
        );
        assert_parses(
            r#"{"operation":"update","path":"a.b.c[0]","new_value":"x","current_value":"{'item': 'y', ...}"}"#,
            &[update(at("a#b/c"), Some(1), Some("{'item': 'y', ...}"), "x")],
        );
        assert_parses(
            r#"{"operation":"delete","path":"routine.rules.quiet","current_value":true}"#,
            &[removed(Target::SectionOrField("routine#rules/quiet".into()), None, Some("true"))],
        );
        assert_parses(
            r#"{"operation":"update","path":"style._items[0]","new_value":4,"current_value":"Short"}"#,
            &[update(at("style"), None, Some("Short"), "4")],
        );
        let meta = || vec![("exp".to_owned(), "2026-01-01".to_owned()), ("imp".to_owned(), "8".to_owned())];
        for json in [
            r#"{"operation":"update","path":"a[0]","new_value":{"item":"x","importance":8,"expiry":"2026-01-01","added":"2025-01-01"}}"#,
            r#"{"operation":"update","path":"a[0]","new_value":{"item":"x","importance":8,"expiry":null,"expiry_date":"2026-01-01"}}"#,
            r#"{"op":"update","at":"a","index":1,"text":"x","meta":{"exp":"2026-01-01","imp":8}}"#,
        ] {
            let batch = parse_batch(json).unwrap();
            let Action::Update { text, meta: set, .. } = &batch.operations[0].action else {
                panic!("an update: {json}")
            };
            assert_eq!((text.as_str(), set), ("x", &meta()), "{json}");
        }
        assert_parses(
            r#"{"operation":"insert","path":"food","new_value":{"item":"x","expiry":"2025-12-31","confidence":0.9,"importance":7,"durability":"high"}}"#,
            &[Action::Add {
                at: at("food"),
                text: "x".into(),
                children: vec![],
                meta: [("exp", "2025-12-31"), ("conf", "0.9"), ("imp", "7"), ("dur", "high")]
                    .map(|(k, v)| (k.into(), v.into()))
                    .to_vec(),
                create: false,
            }],
        );
    }

    #[test]
    fn a_bullets_own_address_needs_no_text() {
        assert_parses(r#"{"intent":"delete","memory_id":"user@acvh"}"#, &[removed(at("user@acvh"), None, None)]);
        assert_rejected(
            r#"{"intent":"delete","memory_id":"@mem123"}"#,
            Code::InvalidOperation,
            "'sub_memory' or 'index' is missing",
        );
        assert_rejected(
            r#"{"intent":"delete","category":"a@b"}"#,
            Code::InvalidOperation,
            "'sub_memory' or 'index' is missing",
        );
    }

    #[test]
    fn no_change_is_an_operation_of_its_own() {
        assert_parses(
            r#"{"operation":"no_change","path":"food.likes[0]","reason":"pasta already exists"}"#,
            &[Action::Nothing { at: Some(at("food#likes@1")) }],
        );
        assert_parses(r#"{"operation":"no_change"}"#, &[Action::Nothing { at: None }]);
        let none = assert_parses(r#"{"edits":[],"decision":"reject","reasoning":"duplicate"}"#, &[]);
        assert_eq!(none.reason.as_deref(), Some("duplicate"));
        assert_parses(r#"{"edits":[{"operation":"no_change"}],"decision":"reject"}"#, &[Action::Nothing { at: None }]);
        assert_rejected(
            r#"{"edits":[{"operation":"no_change"},{"operation":"delete","path":"food.likes[0]"}],"decision":"reject"}"#,
            Code::InvalidOperation,
            "proceed",
        );
    }

    #[test]
    fn a_tool_call_is_parsed_in_every_envelope() {
        let patch = Action::Patch {
            at: at("facts/user.md"),
            pairs: vec![("Role: dev".into(), "Role: Full-stack developer".into()), ("- x\n".into(), "".into())],
            archive: false,
        };
        let write = Action::Write { at: at("facts/user.md"), text: "# User Facts\n".into(), create: false };
        let append = Action::Append {
            at: Some(at("episodes/2026-02.md")),
            text: "## Logger stdout leak fix\n- Summary: pino → JS\n".into(),
            title: None,
            date: None,
            summary: None,
            file_summary: Some("logger fix".into()),
            create: false,
        };
        let patches = json!({"path": "facts/user.md", "patches": [{"oldText": "Role: dev", "newText": "Role: Full-stack developer"}, {"oldText": "- x\n", "newText": ""}]});
        let content = json!({"path": "facts/user.md", "content": "# User Facts\n"});
        let entry = json!({"path": "episodes/2026-02.md", "entry": "## Logger stdout leak fix\n- Summary: pino → JS\n", "summary": "logger fix"});
        for (tool, arguments, action) in
            [("memory_patch", patches, patch), ("memory_write", content, write), ("memory_append", entry, append)]
        {
            for call in [
                arguments.clone(),
                json!({"name": tool, "arguments": arguments}),
                json!({"tool": tool, "params": arguments}),
                json!({"name": tool, "input": arguments}),
                json!({"name": tool, "arguments": arguments.to_string()}),
            ] {
                assert_parses(&call.to_string(), std::slice::from_ref(&action));
                assert_parses(&json!([call]).to_string(), std::slice::from_ref(&action));
            }
        }
        assert_rejected(
            r#"{"name":"memory_read","arguments":{"path":"facts/user.md"}}"#,
            Code::InvalidOperation,
            "'memory_read' is not a write operation",
        );
        assert_rejected(r#"{"name":"memory_write","arguments":"{"}"#, Code::InvalidOperation, "arguments");
        assert_rejected(
            r#"{"name":"memory_write","arguments":{"path":"a","content":""},"params":{}}"#,
            Code::InvalidOperation,
            "",
        );
    }

    #[test]
    fn the_commands_of_an_editor_tool_are_parsed() {
        let patch = Action::Patch { at: at("user"), pairs: vec![("a".into(), "b".into())], archive: false };
        for text in [
            r#"{"command":"str_replace","path":"user","old_str":"a","new_str":"b"}"#,
            r#"{"path":"user","old_str":"a","new_str":"b"}"#,
        ] {
            assert_parses(text, std::slice::from_ref(&patch));
        }
        assert_rejected(r#"{"command":"view","path":"user"}"#, Code::InvalidOperation, "'str_replace'");
        assert_rejected(r#"{"path":"user","old_str":"","new_str":"b"}"#, Code::InvalidOperation, "'old_str'");
    }
}

#[test]
fn each_operation_of_the_own_dialect_is_parsed() {
    let tabs = add(at("user#travel"), "Prefers window seats");
    assert_parses(r#"{"op":"add","at":"user#travel","text":"Prefers window seats"}"#, std::slice::from_ref(&tabs));
    assert_parses(
        r#"{"op":"update","at":"user@acvh","text":"Prefers spaces"}"#,
        &[update(at("user@acvh"), None, None, "Prefers spaces")],
    );
    assert_parses(r#"{"op":"rm","at":"user@qe2f"}"#, &[remove(at("user@qe2f"), None, None)]);
    assert_parses(
        r#"{"op":"set","at":"user@qe2f","meta":{"imp":7,"pin":true,"exp":"","conf":0.5}}"#,
        &[Action::Set {
            at: at("user@qe2f"),
            pairs: [("imp", "7"), ("pin", "true"), ("exp", ""), ("conf", "0.5")]
                .map(|(k, v)| (k.into(), v.into()))
                .to_vec(),
        }],
    );
    assert_parses(
        r#"{"op":"patch","at":"user","pairs":[{"old":"a","new":""}]}"#,
        &[Action::Patch { at: at("user"), pairs: vec![("a".into(), "".into())], archive: false }],
    );
    let batch = assert_parses(
        r#"{"operations":[{"op":"add","at":"user#travel","text":"Prefers window seats","seen":"DEADBEEF","old":null}],"request":"r1","reason":"why","source":"chat-7"}"#,
        &[tabs],
    );
    assert_eq!(batch.operations[0].seen.as_deref(), Some("DEADBEEF"));
    assert_eq!(
        (batch.request.as_deref(), batch.reason.as_deref(), batch.source.as_deref()),
        (Some("r1"), Some("why"), Some("chat-7"))
    );
}

#[test]
fn indented_lines_are_children() {
    let children = |text: &str| match &parse_batch(&json!({"op": "add", "at": "user", "text": text}).to_string())
        .unwrap()
        .operations[0]
        .action
    {
        Action::Add { text, children, .. } => (text.clone(), children.join("|")),
        other => panic!("{other:?}"),
    };
    assert_eq!(children("a\n  - b\n    c\n  - d\n"), ("a".into(), "- b|  c|- d".into()));
    assert_eq!(children("a\r\n\t- b\r\n\t\tc"), ("a".into(), "- b|    c".into()));
    assert_eq!(children("a\n\n    b\n  c\n \n"), ("a".into(), "|  b|c".into()));
    for text in ["a\nb", "a\n b", "a\n- b", "a\rb", "a\n  b\nc"] {
        assert_rejected(
            &json!({"op": "add", "at": "user", "text": text}).to_string(),
            Code::Multiline,
            "'text' must be one line",
        );
    }
    assert_rejected(r#"{"op":"update","at":"user@acvh","text":"a\nb"}"#, Code::Multiline, "'text'");
    assert_rejected(
        r#"{"intent":"update","memory_id":"m1","new_sub_memory":"a\nb"}"#,
        Code::Multiline,
        "'new_sub_memory'",
    );
}

#[test]
fn what_is_around_operations() {
    let both = [remove(at("user@qe2f"), None, None), remove(at("user@acvh"), None, None)];
    let (one, two) = (r#"{"op":"rm","at":"user@qe2f"}"#, r#"{"intent":"delete","memory_id":"user@acvh","index":1}"#);
    let second = [both[0].clone(), removed(at("user@acvh"), Some(1), None)];
    assert_parses(&format!("{one}\n\n{two}\r\n"), &second);
    assert_parses(&format!("\u{feff}[{one},{two}]\n"), &second);
    assert_parses(&format!("```json\n[{one},{two}]\n```\n"), &second);
    assert_parses(&format!("```\n{one}\n{two}\n```"), &second);
    assert_parses(&format!("  ```jsonl\r\n{one}\r\n{two}\r\n```  "), &second);
    // Words around the only code block, as models answer.
    assert_parses(&format!("Sure! Here it is:\n\n```json\n[{one},{two}]\n```\n\nDone."), &second);
    assert_parses("[]", &[]);
    for (text, code) in [
        ("", Code::EmptyInput),
        (" \n", Code::EmptyInput),
        ("\u{feff}", Code::EmptyInput),
        ("```json\n```", Code::EmptyInput),
        ("Sure! Here it is:\n[]", Code::InvalidOperation),
        ("```rust\n[]\n```", Code::InvalidOperation),
        ("One:\n```json\n[]\n```\nor\n```json\n[]\n```", Code::InvalidOperation),
        ("It is not closed:\n```json\n[]\n", Code::InvalidOperation),
        ("[[]]", Code::InvalidOperation),
        ("[{\"operations\":[]}]", Code::InvalidOperation),
        ("3", Code::InvalidOperation),
        ("null", Code::InvalidOperation),
        ("{}", Code::InvalidOperation),
        ("{\"a\":1", Code::InvalidOperation),
        ("{\"op\":\"add\",\"at\":\"user\",\"text\":\"a\",\"text\":\"b\"}", Code::InvalidOperation),
    ] {
        assert_rejected(text, code, "");
    }
    assert_rejected(
        r#"{"op":"set","at":"user","meta":{"imp":1,"imp":2}}"#,
        Code::InvalidOperation,
        "duplicate key at line 1",
    );
    assert_rejected(&"[".repeat(100_000), Code::InvalidOperation, "recursion");
    assert_rejected(&format!("[{}]", vec![one; 1001].join(",")), Code::TooLarge, "1000");
    assert_eq!(parse_batch(&vec![one; 1000].join("\n")).unwrap().operations.len(), 1000);
}

#[test]
fn every_malformed_operation_is_reported_with_its_index() {
    let numbers =
        |text: &str| parse_batch(text).unwrap_err().iter().map(|r| (r.operation, r.code.name())).collect::<Vec<_>>();
    let good = r#"{"op":"rm","at":"user@qe2f"}"#;
    assert_eq!(
        numbers(&format!("[{good},3,{good},{{\"op\":\"add\"}},{{\"op\":\"add\",\"at\":\"user\",\"text\":\"a\\nb\"}}]")),
        [(Some(1), "invalid_operation"), (Some(3), "invalid_operation"), (Some(4), "multiline")]
    );
    assert_eq!(
        numbers(&format!("{good}\n{{\n{good}\n[]")),
        [(Some(1), "invalid_operation"), (Some(3), "invalid_operation")]
    );
    assert_eq!(parse_batch(&format!("{good}\n{{\n")).unwrap_err()[0].details["line"], 2);
}

#[test]
fn a_refusal_names_the_field() {
    let invalid = |text: &str, part: &str| assert_rejected(text, Code::InvalidOperation, part);
    invalid(r#"{"op":"add","at":"user","txet":"x"}"#, "add: 'txet' is unknown; did you mean 'text'?");
    invalid(r#"{"op":"add","at":"user","content":"x"}"#, "add: 'content' is unknown; did you mean 'text'?");
    invalid(r#"{"op":"add","at":"user"}"#, "add: 'text' is missing");
    invalid(r#"{"op":"add","text":"x"}"#, "add: 'at' or 'category' is missing");
    invalid(r#"{"op":"add","at":"u","category":"c","text":"x"}"#, "only one of 'at' and 'category'");
    invalid(r#"{"op":"add","at":"user","text":"x","old":"y"}"#, "add: 'old' does not belong to add");
    invalid(r#"{"op":"add","at":"user","text":7}"#, "'text' must be one line of text");
    invalid(r#"{"op":"ad","at":"user"}"#, "'op' 'ad' is unknown; did you mean 'add'?");
    invalid(r#"{"op":7}"#, "'op' must be a string");
    invalid(r#"{"Op":"add"}"#, "'Op' is unknown; did you mean 'op'?");
    invalid(
        r#"{"op":"patch","at":"u","pairs":[{"old":"a","new":"b"},{"old":"a","nwe":"b"}]}"#,
        "'pairs.1': 'nwe' is unknown; did you mean 'new'?",
    );
    invalid(r#"{"op":"patch","at":"u","pairs":[]}"#, "'pairs' must be a list that is not empty");
    invalid(r#"{"op":"set","at":"u","meta":{"a b":1}}"#, "'meta': the key 'a b' must be");
    invalid(r#"{"op":"set","at":"u","meta":{"a":[1]}}"#, "'meta.a' must be");
    invalid(r#"{"intent":"delete","memory_id":"mem123"}"#, "bullet_delete: 'sub_memory' or 'index' is missing");
    invalid(r#"{"operation":"update","path":"a[0]"}"#, "path_update: 'new_value' is missing");
    invalid(
        r#"{"operation":"insert","path":"a.b[0]","new_value":"x"}"#,
        "'path' must be a dotted path without an index",
    );
    invalid(r#"{"operation":"update","path":"a[0]","new_value":{"expiry":"2026-01-01"}}"#, "'display' or 'item'");
    for index in ["0", "-1", "1.5", "2147483648", "1e300", "\"3\"", "18446744073709551615"] {
        invalid(
            &format!(r#"{{"op":"rm","at":"user","index":{index}}}"#),
            "'index' must be a whole number from 1 to 2147483647",
        );
    }
    assert_parses(r#"{"op":"rm","at":"user","index":3.0}"#, &[remove(at("user"), Some(3), None)]);
}

/// A message is shown in a terminal and to a model: it contains little of the input, and escaped.
#[test]
fn a_refusal_repeats_little() {
    let evil = "\u{1b}]0;\u{202e}\u{7}".repeat(200);
    for value in [
        json!({ &evil: 1 }),
        json!({"op": evil}),
        json!({"op": "add", &evil: 1}),
        json!({"op": "set", "at": "u", "meta": {&evil: 1}}),
        json!({"op": "set", "at": "u", "meta": {"a": {&evil: 1}}}),
        json!({"name": evil, "arguments": {}}),
        json!({"intent": evil}),
        json!({"op": "add", "at": "u", "text": [evil]}),
    ] {
        for rejection in parse_batch(&value.to_string()).unwrap_err() {
            assert!(!rejection.message.contains(|c: char| c.is_control() || c == '\u{202e}'), "{}", rejection.message);
            assert!(rejection.message.chars().count() < 200, "{}", rejection.message);
        }
    }
}
