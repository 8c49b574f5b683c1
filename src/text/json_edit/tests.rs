use serde_json::json;

use super::*;

const STRICT: JsonDialect = JsonDialect { comments: false, trailing_commas: false };
const LOOSE: JsonDialect = JsonDialect { comments: true, trailing_commas: true };
const PATH: [&str; 2] = ["hooks", "Start"];

fn steps(index: usize) -> [JsonStep<'static>; 3] {
    [JsonStep::Key("hooks"), JsonStep::Key("Start"), JsonStep::Index(index)]
}

/// Appends an element and removes it again.
#[track_caller]
fn check(before: &str, after: &str) {
    let edited = insert(before, LOOSE, &PATH, true, &json!({"run": "m"})).unwrap();
    assert_eq!(edited, after);
    let value = parse(&edited, LOOSE).unwrap();
    let list = value["hooks"]["Start"].as_array().unwrap();
    assert_eq!(list.last(), Some(&json!({"run": "m"})));
    let restored = remove(&edited, LOOSE, &steps(list.len() - 1)).unwrap();
    assert_eq!(restored.unwrap_or_default(), before);
}

#[test]
fn a_character_that_hosts_refuse_is_refused() {
    for text in ["{\"a\": \"x\ty\"}", "{\"a\": \"x\ny\"}", "{\"a\":\u{a0}1}", "{\"a\": 1,\u{c}\"b\": 2}", "{\"\0\": 1}"]
    {
        assert!(parse(text, STRICT).is_err() && parse(text, LOOSE).is_err(), "{text:?}");
    }
    for text in ["\u{feff}{\"\u{a0}é\": \"\\t\\\"\u{7f}/*\"}\r\n", "{\t}"] {
        assert!(parse(text, STRICT).is_ok() && parse(text, LOOSE).is_ok(), "{text:?}");
    }
    assert!(parse("{ // \"é\t\n  /* \u{c} */ \"a\": 1 } // \"", LOOSE).is_ok());
}

#[test]
fn a_missing_file_is_created_and_removed() {
    check("", "{\n  \"hooks\": {\n    \"Start\": [\n      {\n        \"run\": \"m\"\n      }\n    ]\n  }\n}\n");
}

#[test]
fn an_item_behind_a_line_comment_starts_a_line() {
    let list = "{\"hooks\": {\"Start\": [ {\"own\": 1} // todo\n ]}}";
    check(list, "{\"hooks\": {\"Start\": [ {\"own\": 1}, // todo\n  { \"run\": \"m\" }\n ]}}");
    // A container with nothing but a comment gets two items, and loses them again.
    let before = "{\n  // only a comment\n}\n";
    let one = insert(before, LOOSE, &PATH, true, &json!({"run": "m"})).unwrap();
    let two = insert(&one, LOOSE, &["servers", "memdir"], false, &json!({"command": "m"})).unwrap();
    let value = parse(&two, LOOSE).unwrap();
    assert_eq!(
        (&value["hooks"]["Start"][0]["run"], &value["servers"]["memdir"]["command"]),
        (&json!("m"), &json!("m"))
    );
    assert!(two.contains("// only a comment\n"), "{two}");
    let rest = remove(&two, LOOSE, &[JsonStep::Key("servers"), JsonStep::Key("memdir")]).unwrap().unwrap();
    assert_eq!(remove(&rest, LOOSE, &steps(0)).unwrap().unwrap_or_default(), before);
}

#[test]
fn items_of_a_deeper_container_keep_the_indentation_of_the_file() {
    let before = "{\n  \"hooks\": {\n    \"End\": 1\n  }\n}\n";
    let after = "{\n  \"hooks\": {\n    \"End\": 1,\n    \"Start\": [\n      {\n        \"run\": \"m\"\n      }\n    ]\n  }\n}\n";
    check(before, after);
    check(&before.replace("  ", "\t"), &after.replace("  ", "\t"));
}

#[test]
fn missing_containers_are_created_and_removed() {
    check(
        "{\n    \"a\": 1\n}\n",
        "{\n    \"a\": 1,\n    \"hooks\": {\n        \"Start\": [\n            {\n                \"run\": \"m\"\n            }\n        ]\n    }\n}\n",
    );
    check("{\"a\": 1}", "{\"a\": 1, \"hooks\": { \"Start\": [ { \"run\": \"m\" } ] }}");
}

#[test]
fn empty_containers_stay_when_the_item_goes() {
    check("{}", "{\"hooks\": {\n  \"Start\": [\n    {\n      \"run\": \"m\"\n    }\n  ]\n}}");
    check("{\"hooks\": {\"Start\": []}}", "{\"hooks\": {\"Start\": [{\n  \"run\": \"m\"\n}]}}");
    check(
        "{\r\n  \"hooks\": {\r\n  }\r\n}",
        "{\r\n  \"hooks\": {\"Start\": [\r\n    {\r\n      \"run\": \"m\"\r\n    }\r\n  ]\r\n  }\r\n}",
    );
}

#[test]
fn comments_and_trailing_commas_stay() {
    check(
        "{ // mine\n  \"hooks\": {\n    \"Start\": [\n      {\"run\": \"x\"}, // first\n      /* last */\n    ],\n  },\n}\n",
        "{ // mine\n  \"hooks\": {\n    \"Start\": [\n      {\"run\": \"x\"}, // first\n      /* last */\n      {\n        \"run\": \"m\"\n      },\n    ],\n  },\n}\n",
    );
    check(
        "{\n\t\"a\": 1 // one, two\n}",
        "{\n\t\"a\": 1, // one, two\n\t\"hooks\": {\n\t\t\"Start\": [\n\t\t\t{\n\t\t\t\t\"run\": \"m\"\n\t\t\t}\n\t\t]\n\t}\n}",
    );
}

#[test]
fn items_in_the_middle_and_in_front_are_removed() {
    let text = "{\"hooks\": {\"Start\": [1, 2, 3]}}";
    let without = |index| remove(text, STRICT, &steps(index)).unwrap().unwrap();
    assert_eq!(without(0), "{\"hooks\": {\"Start\": [ 2, 3]}}");
    assert_eq!(without(1), "{\"hooks\": {\"Start\": [1, 3]}}");
    assert_eq!(without(2), "{\"hooks\": {\"Start\": [1, 2]}}");
    assert_eq!(remove(text, STRICT, &steps(3)).unwrap().unwrap(), text);
}

#[test]
fn a_value_is_replaced_in_its_place() {
    let text = "{\"hooks\": {\"Start\": [1, /* two */ {\"a\": [2]}, 3]}} // end";
    let with = |index| replace(text, LOOSE, &steps(index), &json!(["x", "y"])).unwrap();
    assert_eq!(with(1), "{\"hooks\": {\"Start\": [1, /* two */ [\"x\", \"y\"], 3]}} // end");
    assert_eq!(with(3), text);
}

#[test]
fn what_the_reader_would_reject_is_not_edited() {
    for broken in ["{", "{\"a\" 1}", "{\"a\":1,\"a\":2}", "[1", "{'a':1}", "{a:1}", " ", "{\"a\":1}}", "{\"a\":0x1}"] {
        assert!(insert(broken, LOOSE, &PATH, true, &json!(1)).is_err(), "{broken}");
        assert!(remove(broken, LOOSE, &steps(0)).is_err(), "{broken}");
    }
    for strict in ["{} // x", "{\"a\":1,}"] {
        assert!(parse(strict, STRICT).is_err() && parse(strict, LOOSE).is_ok(), "{strict}");
    }
    for other in ["[]", "{\"hooks\": []}", "{\"hooks\": {\"Start\": {}}}", "7"] {
        assert!(insert(other, STRICT, &PATH, true, &json!(1)).is_err(), "{other}");
    }
    assert!(insert("{\"a\":1}", STRICT, &["a"], false, &json!(1)).is_err());
}

#[test]
fn a_byte_order_mark_stays() {
    let edited = insert("\u{feff}{\"a\": 1}", STRICT, &["b"], false, &json!(2)).unwrap();
    assert_eq!(edited, "\u{feff}{\"a\": 1, \"b\": 2}");
    assert_eq!(remove(&edited, STRICT, &[JsonStep::Key("b")]).unwrap().unwrap(), "\u{feff}{\"a\": 1}");
}

/// The offsets between the tokens of a JSON text without comments.
fn token_gaps(text: &str) -> Vec<usize> {
    let mut gaps = Vec::new();
    let mut is_in_string = false;
    for (at, c) in text.char_indices() {
        if !is_in_string && (c.is_whitespace() || "{}[]:,\"".contains(c)) {
            gaps.push(at);
        }
        is_in_string ^= c == '"';
    }
    gaps
}

/// Comments may stand anywhere, before an item is added or after.
#[test]
fn comments_anywhere_are_kept_and_break_nothing() {
    let texts = [
        "{\"hooks\":{\"Start\":[{\"own\":\"a//b\"}]},\"x\":1}",
        "{\n  \"hooks\": {\n    \"Start\": [\n      1,\n      2\n    ]\n  }\n}\n",
        "{\"hooks\": {\"Start\": [ ]}}",
        "{\"hooks\": {}}",
        "{ \"a\": [1], \"b\": {} }",
        "{}",
    ];
    let comments = ["// c\n", "/* c */", "/* // */ // \"\n", "/* a\n// */", " // [,]\r\n"];
    let mut edits = 0;
    for text in texts {
        for gap in token_gaps(text) {
            for comment in comments {
                let before = format!("{}{comment}{}", &text[..gap], &text[gap..]);
                let value = parse(&before, LOOSE).unwrap();
                let after = insert(&before, LOOSE, &PATH, true, &json!({"run": "m"})).unwrap();
                let both = insert(&after, LOOSE, &["servers", "m"], false, &json!({"args": ["x"]})).unwrap();
                let edited = parse(&both, LOOSE).unwrap_or_else(|error| panic!("{error:?}\n{before}\n{both}"));
                let list = edited["hooks"]["Start"].as_array().unwrap();
                assert_eq!(
                    (list.last(), &edited["servers"]["m"]["args"][0]),
                    (Some(&json!({"run": "m"})), &json!("x"))
                );
                let index = list.len() - 1;
                let servers = [JsonStep::Key("servers"), JsonStep::Key("m")];
                let rest = remove(&both, LOOSE, &servers).unwrap().unwrap();
                assert_eq!(rest, after, "{before}");
                let rest = remove(&after, LOOSE, &steps(index)).unwrap().unwrap();
                assert_eq!(rest, before, "{after}");
                assert_eq!(parse(&rest, LOOSE).unwrap(), value);
                edits += 1;
            }
        }
        // Comments that come later.
        let with = insert(text, LOOSE, &PATH, true, &json!({"run": "m"})).unwrap();
        let with = insert(&with, LOOSE, &["z"], false, &json!(2)).unwrap();
        let index = parse(&with, LOOSE).unwrap()["hooks"]["Start"].as_array().unwrap().len() - 1;
        for gap in token_gaps(&with) {
            for comment in comments {
                let commented = format!("{}{comment}{}", &with[..gap], &with[gap..]);
                let rest = remove(&commented, LOOSE, &steps(index)).unwrap().unwrap();
                let rest = parse(&rest, LOOSE).unwrap_or_else(|error| panic!("{error:?}\n{commented}\n{rest}"));
                assert_eq!(rest["z"], 2, "{commented}");
                assert!(!rest.to_string().contains("run"), "{commented}");
                edits += 1;
            }
        }
    }
    assert!(edits > 1000, "{edits}");
}
