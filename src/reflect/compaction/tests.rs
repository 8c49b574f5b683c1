use anyhow::anyhow;
use serde_json::json;

use super::*;
use crate::operation::limits::SizeLimits;

const TEXT: &str = "# User\n\n- one\n- two ^id2\n- three\n  <!-- mem pin=true -->\n- four\n";

fn over_limit(most: SizeLimits) -> OverLimit {
    let document = Document::parse(TEXT);
    let path = MemoryPath::new("facts/user.md").unwrap();
    OverLimit::collect(
        &document,
        &path,
        &LimitedSection { section: 0, limits: most },
        &ItemAges::default(),
        &[],
        &|t| t.replace("four", "[secret]"),
    )
}

fn over_by_one() -> OverLimit {
    over_limit(SizeLimits { bullets: Some(3), ..SizeLimits::default() })
}

/// The decisions of a reply as `action target+absorbs text`, or the sentence for the model.
fn decisions_of(over_limit: &OverLimit, answer: &str) -> String {
    let rules = CompactionRules {
        max_chars: 20,
        sensitive: &[],
        check: &|text| if text == "bad" { Err(anyhow!("no")) } else { Ok(()) },
    };
    let decided = parse_reply(answer, &[]).and_then(|reply| decide(over_limit, &reply, &rules));
    let one = |d: &CompactionDecision| {
        format!("{:?} {}+{:?} {}", d.action, d.target, d.absorbs, d.text.as_deref().unwrap_or("-"))
    };
    decided.map_or_else(|error| error.to_string(), |all| all.iter().map(one).collect::<Vec<_>>().join("; "))
}

fn check(answer: &str, expected: &str) {
    let got = decisions_of(&over_by_one(), answer);
    assert!(got.contains(expected), "{answer}: {got}");
}

#[test]
fn a_decision_is_read_in_many_shapes() {
    check(r#"{"action":"delete","target":1}"#, "Delete 0+[] -");
    check(r#"{"action":"delete","targetMemoryId":"2","reason":null}"#, "Delete 1+[] -");
    check(
        r#"Sure! {"x":1} {"decision":{"action":"Merge","target":1,"absorbs":[2],"newContent":"one, two"}}"#,
        "Rewrite 0+[1] one, two",
    );
    check(r#"[{"action":"merge","target":"@ID2","absorbs":"1","text":"both"}]"#, "no such item");
    check(r##"[{"action":"merge","target":"^id2","absorbs":"#1","text":"two, one"}]"##, "Rewrite 1+[0] two, one");
    check(r#"{"op":"merge","target":1,"absorbs":[2,2,1],"new_content":"- one, two"}"#, "Rewrite 0+[1] one, two");
}

#[test]
fn an_invalid_decision_is_explained_in_a_sentence() {
    check("no", "no JSON object");
    check("{\"action\":\"delete\"}", "names no target");
    check(r#"{"action":"delete","target":3}"#, "item 3 is pinned");
    check(r#"{"action":"merge","target":1,"absorbs":[3],"new_content":"x"}"#, "item 3 is pinned");
    check(r#"{"action":"delete","target":5}"#, "from 1 to 4");
    check(r#"{"action":"delete","target":"facts/other.md@id2"}"#, "no such item");
    check(r#"{"action":"edit","target":1,"new_content":"x"}"#, "named in absorbs");
    check(r#"{"action":"delete","target":1,"absorbs":[2]}"#, "more than needed");
    check(r#"{"action":"merge","target":1,"absorbs":[2],"new_content":"bad"}"#, "no");
    check(r#"{"action":"merge","target":1,"absorbs":[2],"new_content":"Zebra"}"#, "lacks words of item 2: \"two\"");
    check(
        r#"{"action":"merge","target":1,"absorbs":[2],"new_content":"one, two, 3"}"#,
        "adds words that no item contains: \"3\"",
    );
    check(
        r#"{"action":"merge","target":1,"absorbs":[2],"new_content":"longer than twenty characters"}"#,
        "20 is the most",
    );
    // An item that was redacted in the prompt can be deleted but not rewritten.
    check(r#"{"action":"delete","target":4}"#, "Delete 3+[] -");
    check(r#"{"action":"merge","target":1,"absorbs":[4],"new_content":"x"}"#, "not shown whole");
}

#[test]
fn where_characters_are_counted_a_shorter_text_frees_space() {
    let over_limit = over_limit(SizeLimits { chars: Some(15), ..SizeLimits::default() });
    assert_eq!(decisions_of(&over_limit, r#"{"action":"edit","target":1,"new_content":"One"}"#), "Rewrite 0+[] One");
    assert_eq!(decisions_of(&over_limit, r#"{"action":"delete","target":1}"#), "Delete 0+[] -");
    assert!(decisions_of(&over_limit, r#"{"action":"delete","target":1,"absorbs":[2]}"#).contains("more than needed"));
}

#[test]
fn the_question_gives_the_limit_and_marks_pinned_items() {
    let question = build_question(&over_by_one(), 280);
    assert!(question.starts_with("facts/user.md: it holds 4 bullets and may hold 3.\n<items>\n"), "{question}");
    assert!(question.contains("\"importance\":5,\"pinned\":true,\"text\":\"three\""), "{question}");
    assert!(question.contains("\"cut\":true,\"text\":\"[secret]\"") && !question.contains("four"), "{question}");
    assert!(question.ends_with("</items>\nExactly 1 of the items must go: delete one with empty absorbs, or merge with one number in absorbs; new_content is one line of at most 280 characters.\n"), "{question}");
}

#[test]
fn a_grammar_allows_only_items_that_may_be_named() {
    // The third is pinned.
    let over_limit = over_by_one();
    let schema = bounded_decision_schema(&over_limit, 280);
    let all = [1, 2, 4];
    assert_eq!(schema["properties"]["target"]["enum"], json!(all));
    assert_eq!(
        schema["properties"]["absorbs"],
        json!({"type": "array", "items": {"type": "integer", "enum": all}, "maxItems": 1})
    );
    assert_eq!(schema["required"].as_array().unwrap().len(), schema["properties"].as_object().unwrap().len());
}

#[test]
fn a_step_that_changes_anything_else_is_detected() {
    let (over_limit, document) = (over_by_one(), Document::parse(TEXT));
    let rules = CompactionRules { max_chars: 20, sensitive: &[], check: &|_| Ok(()) };
    let answer = r#"{"action":"merge","target":1,"absorbs":[2],"new_content":"one, two"}"#;
    let decisions = decide(&over_limit, &parse_reply(answer, &[]).unwrap(), &rules).unwrap();
    let [step] = &plan_steps(&over_limit, &document, &decisions, "")[..] else { panic!("one step") };
    assert!(is_current(step, &document) && !is_current(step, &Document::parse(TEXT.replace("two", "2"))));
    let good = TEXT.replace("- one\n- two ^id2\n", "- one, two\n");
    for (after, fits) in [
        (good.clone(), true),
        (good.replace("# User\n", "# User\n\n> Summary: derived\n"), true),
        (good.replace("- one, two\n", "- one, two\n\n\n"), true),
        (good.replace("- four\n", ""), false),
        (good.replace("- four\n", "- Four\n"), false),
        (good.replace("pin=true", "pin=false"), false),
        (good.replace("- one, two\n", ""), false),
        (good.replace("- one, two\n", "- one, two\n- more\n"), false),
        (TEXT.to_owned(), false),
    ] {
        assert_eq!(check_conservation(step, &document, &Document::parse(after.clone())).is_ok(), fits, "{after}");
    }
}
