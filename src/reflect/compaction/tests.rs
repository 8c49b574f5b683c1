use super::*;
use crate::operation::limits::Most;

const TEXT: &str = "# User\n\n- one\n- two ^id2\n- three\n  <!-- mem pin=true -->\n- four\n";

fn crowd(most: Most) -> Crowd {
    let document = Document::parse(TEXT);
    let path = MemoryPath::new("facts/user.md").unwrap();
    Crowd::of(&document, &path, &Place { section: 0, most }, &Ages::default(), &|t| t.replace("four", "[secret]"))
}

fn three() -> Crowd {
    crowd(Most { bullets: Some(3), ..Most::default() })
}

/// What comes of an answer: `act target+absorbs text`, or the sentence for the model.
fn said(crowd: &Crowd, answer: &str) -> String {
    let rules = Rules { most_chars: 20, fits: &|text| if text == "bad" { Err("no".into()) } else { Ok(()) } };
    let decided = read(answer, &[]).and_then(|said| decide(crowd, &said, &rules));
    let one = |d: &Decision| format!("{:?} {}+{:?} {}", d.act, d.target, d.absorbs, d.text.as_deref().unwrap_or("-"));
    decided.map_or_else(|why| why, |all| all.iter().map(one).collect::<Vec<_>>().join("; "))
}

fn check(answer: &str, expected: &str) {
    let got = said(&three(), answer);
    assert!(got.contains(expected), "{answer}: {got}");
}

#[test]
fn a_decision_is_read_in_many_shapes() {
    check(r#"{"action":"delete","target":1}"#, "Delete 0+[] -");
    check(r#"{"action":"delete","targetMemoryId":"2","reason":null}"#, "Delete 1+[] -");
    check(
        r#"Sure! {"x":1} {"decision":{"action":"Merge","target":1,"absorbs":[2],"newContent":"both"}}"#,
        "Rewrite 0+[1] both",
    );
    check(r#"[{"action":"merge","target":"@ID2","absorbs":"1","text":"both"}]"#, "no such item");
    check(r##"[{"action":"merge","target":"^id2","absorbs":"#1","text":"both"}]"##, "Rewrite 1+[0] both");
    check(r#"{"op":"merge","target":1,"absorbs":[2,2,1],"new_content":"- both"}"#, "Rewrite 0+[1] both");
}

#[test]
fn what_is_no_decision_is_told_in_a_sentence() {
    check("no", "no JSON object");
    check("{\"action\":\"delete\"}", "names no target");
    check(r#"{"action":"delete","target":3}"#, "item 3 is pinned");
    check(r#"{"action":"merge","target":1,"absorbs":[3],"new_content":"x"}"#, "item 3 is pinned");
    check(r#"{"action":"delete","target":5}"#, "from 1 to 4");
    check(r#"{"action":"delete","target":"facts/other.md@id2"}"#, "no such item");
    check(r#"{"action":"edit","target":1,"new_content":"x"}"#, "named in absorbs");
    check(r#"{"action":"delete","target":1,"absorbs":[2]}"#, "more than needed");
    check(r#"{"action":"merge","target":1,"absorbs":[2],"new_content":"bad"}"#, "no");
    check(
        r#"{"action":"merge","target":1,"absorbs":[2],"new_content":"longer than twenty characters"}"#,
        "20 is the most",
    );
    // What the model was not shown as it is can go, and cannot be rewritten.
    check(r#"{"action":"delete","target":4}"#, "Delete 3+[] -");
    check(r#"{"action":"merge","target":1,"absorbs":[4],"new_content":"x"}"#, "not shown whole");
}

#[test]
fn where_characters_are_counted_a_shorter_text_makes_room() {
    let crowd = crowd(Most { chars: Some(15), ..Most::default() });
    assert_eq!(said(&crowd, r#"{"action":"edit","target":1,"new_content":"1"}"#), "Rewrite 0+[] 1");
    assert_eq!(said(&crowd, r#"{"action":"delete","target":1}"#), "Delete 0+[] -");
    assert!(said(&crowd, r#"{"action":"delete","target":1,"absorbs":[2]}"#).contains("more than needed"));
}

#[test]
fn the_question_says_what_is_due_and_marks_what_stays() {
    let asked = ask(&three(), 280);
    assert!(asked.starts_with("facts/user.md: it holds 4 bullets and may hold 3.\n<items>\n"), "{asked}");
    assert!(asked.contains("\"importance\":5,\"pinned\":true,\"text\":\"three\""), "{asked}");
    assert!(asked.contains("\"cut\":true,\"text\":\"[secret]\"") && !asked.contains("four"), "{asked}");
    assert!(asked.ends_with("</items>\nExactly 1 of the items must go: delete one with empty absorbs, or merge with one number in absorbs; new_content is one line of at most 280 characters.\n"), "{asked}");
}

#[test]
fn a_step_that_touches_anything_else_is_found_out() {
    let (crowd, document) = (three(), Document::parse(TEXT));
    let rules = Rules { most_chars: 20, fits: &|_| Ok(()) };
    let answer = r#"{"action":"merge","target":1,"absorbs":[2],"new_content":"both"}"#;
    let decisions = decide(&crowd, &read(answer, &[]).unwrap(), &rules).unwrap();
    let [step] = &steps(&crowd, &document, &decisions, "")[..] else { panic!("one step") };
    assert!(ready(step, &document) && !ready(step, &Document::parse(TEXT.replace("two", "2"))));
    let good = TEXT.replace("- one\n- two ^id2\n", "- both\n");
    for (after, fits) in [
        (good.clone(), true),
        (good.replace("# User\n", "# User\n\n> Summary: derived\n"), true),
        (good.replace("- both\n", "- both\n\n\n"), true),
        (good.replace("- four\n", ""), false),
        (good.replace("- four\n", "- Four\n"), false),
        (good.replace("pin=true", "pin=false"), false),
        (good.replace("- both\n", ""), false),
        (good.replace("- both\n", "- both\n- more\n"), false),
        (TEXT.to_owned(), false),
    ] {
        assert_eq!(conserved(step, &document, &Document::parse(after.clone())).is_ok(), fits, "{after}");
    }
}
