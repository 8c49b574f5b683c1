//! Answers of a program that are no operations, or that contain a key: nothing is lost, and no key is printed or stored.

use serde_json::{Value, json};

use crate::support::{CommandOutcome, Memory};

/// A key in the format of a known provider.
const KEY: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const TALK: &str = "User: I have two cats.\nAssistant: ok\nUser: We deploy on Mondays.\n";

fn add(at: &str) -> Value {
    json!({"op": "add", "at": at, "text": "Has two cats", "quote": "I have two cats", "turn": 1})
}

fn operations(all: &[Value]) -> String {
    json!({"operations": all}).to_string()
}

/// Runs `memdir reflect` with an answer to each request, the last one repeated.
fn reflect(memory: &Memory, options: &[&str], answer: &str) -> CommandOutcome {
    let _ = fs_err::remove_file(memory.dir().parent().unwrap().join("asked"));
    memory.script_model(&vec![answer.to_owned(); 4]);
    memory.run([&["reflect"], options].concat()).stdin(TALK).may_change().ends()
}

#[test]
fn an_answer_without_operations_is_an_error_and_the_conversation_is_read_again() {
    for answer in [
        r#"{"error":"model overloaded"}"#,
        r#"{"x":1}"#,
        r#"[{"error":"x"}]"#,
        "[1, 2]",
        r#"{"operations":"sorry"}"#,
        &format!(r#"{{"x":"{}"}}"#, "x".repeat(100_000)),
        &"x".repeat(100_000),
    ] {
        let shown: String = answer.chars().take(40).collect();
        let memory = Memory::new();
        let failed = reflect(&memory, &[], answer);
        assert_eq!(failed.status, 8, "{shown}: {failed}");
        let message = &failed.stderr;
        assert!(message.contains("no operations") || message.contains("no JSON object"), "{shown}: {failed}");
        assert!(!message.contains("base_url"), "a program has none: {failed}");
        let kept = reflect(&memory, &[], &operations(&[add("facts/user.md")]));
        assert!(kept.status == 0 && memory.text("facts/user.md").unwrap().contains("two cats"), "{shown}: {kept}");
    }
}

#[test]
fn an_answer_that_says_nothing_stays_nothing() {
    for answer in [r#"{"operations":[]}"#, "[]", r#"{"operations":null}"#, r#"{"op":"nothing"}"#, "{}"] {
        let memory = Memory::new();
        let first = reflect(&memory, &[], answer);
        assert_eq!(first.status, 0, "{answer}: {first}");
        let again = reflect(&memory, &[], "never asked");
        assert!(again.status == 0 && memory.model_requests().is_empty(), "{answer}: {again}");
    }
}

#[test]
fn a_queued_conversation_stays_queued_after_an_answer_without_operations() {
    let memory = Memory::new().policy("version: 2\nbudget: {tokens_per_day: 1}\n");
    let queued = reflect(&memory, &[], "never asked");
    assert!(queued.stderr.contains("the conversation is queued"), "{queued}");
    memory.put("memdir.yaml", "version: 1\n");
    let failed = reflect(&memory, &["--queued"], r#"{"error":"model overloaded"}"#);
    assert_eq!(failed.status, 8, "{failed}");
    let kept = reflect(&memory, &["--queued"], &operations(&[add("facts/user.md")]));
    assert!(kept.status == 0 && memory.text("facts/user.md").unwrap().contains("two cats"), "{kept}");
}

/// Whether a text has the key, or its random part alone.
fn shows_key(text: &str) -> bool {
    text.to_lowercase().contains("abcdefghijklmnopqr")
}

#[test]
fn no_mode_prints_a_key_that_a_model_wrote() {
    let insight = json!({"insights": [{"summary": format!("The user prefers {KEY}"), "tags": [], "importance": 2}]});
    let record = json!({"record": format!("The user has two cats and {KEY}."), "importance": 3, "tags": []});
    let title = json!({"title": format!("Use {KEY}"), "steps": ["Run the tests", "Push the tag"]});
    let step = json!({"title": "Release the program", "steps": ["Run the tests", format!("Push {KEY}")]});
    let long = format!("Push the tag that stands in the middle of a long line {KEY}");
    let far = json!({"title": "Release the program", "steps": ["Run the tests", long]});
    for (mode, answer) in [
        ("--insights", insight),
        ("--record", record),
        ("--procedure", title),
        ("--procedure", step),
        ("--procedure", far),
    ] {
        for options in [&[mode][..], &[mode, "--json"]] {
            let memory = Memory::new().file("facts/user.md", "# User\n\n- Has two cats\n");
            memory.done(["add", "user", "Likes the snow"]);
            let ran = reflect(&memory, options, &answer.to_string());
            assert!(ran.stdout.contains("refused") || ran.status == 8, "{options:?}: {ran}");
            assert!(!shows_key(&ran.stdout) && !shows_key(&ran.stderr), "{options:?}: {ran}");
            assert!(!memory.tree().values().any(|(text, _)| shows_key(&String::from_utf8_lossy(text))), "{options:?}");
        }
    }
}

#[test]
fn a_digest_prints_no_key_that_a_model_wrote() {
    let entry = "# 2025-11 Episodes\n\n## Release\n- Date: 2025-11-03\n\nAna released 0.4.\n";
    for point in [format!("Ana released 0.4 with {KEY}"), format!("Ana released 0.4, after a long talk, with {KEY}")] {
        let memory = Memory::new().file("episodes/2025-11.md", entry);
        memory.script_model(&vec![json!({"points": [point]}).to_string(); 4]);
        for json in [&[][..], &["--json"]] {
            let words = [&["compact", "episodes", "--older", "1 month"], json].concat();
            let ran = memory.run(words).may_change().ends();
            assert!(!shows_key(&ran.stdout) && !shows_key(&ran.stderr), "{ran}");
        }
        assert!(memory.text("episodes/2025-11.md").is_some(), "{point}");
    }
}

#[test]
fn a_key_in_any_string_of_an_operation_is_refused() {
    let append = json!({"op": "append", "at": format!("episodes/{KEY}.md"), "title": "Cats", "text": "- Two cats",
        "quote": "I have two cats", "turn": 1});
    let write = json!({"op": "write", "at": format!("facts/{KEY}.md"), "text": "# Cats\n\n- Has two cats\n",
        "quote": "I have two cats", "turn": 1});
    let mut category = add("facts/user.md");
    category["meta"] = json!({"type": KEY});
    let mut exp = add("facts/user.md");
    exp["category"] = json!(KEY);
    let mut reason = add("facts/user.md");
    reason["reason"] = json!(format!("from {KEY}"));
    for operation in [
        append,
        write,
        add(&format!("facts/{KEY}.md")),
        add(&format!("facts/{KEY}/cats.md")),
        add(&format!("user.md#{KEY}")),
        category,
        exp,
        reason,
        json!({"op": "rm", "at": format!("user@{KEY}"), "quote": "I have two cats", "turn": 1}),
        json!({"op": KEY, "at": "facts/user.md", "quote": "I have two cats", "turn": 1}),
        json!({"op": "add", KEY: 1, "at": "facts/user.md", "quote": "I have two cats", "turn": 1}),
    ] {
        for options in [&[][..], &["--json"], &["--propose"]] {
            let memory = Memory::new();
            let ran = reflect(&memory, options, &operations(std::slice::from_ref(&operation)));
            assert!(!shows_key(&ran.stdout) && !shows_key(&ran.stderr), "{operation}: {ran}");
            let log = memory.run(["log", "-p", "--json"]).may_change().ends();
            assert!(!shows_key(&log.stdout), "{operation}: {log}");
            for (path, (text, _)) in memory.tree() {
                let text = String::from_utf8_lossy(&text).into_owned();
                assert!(!shows_key(&path.to_string()) && !shows_key(&text), "{operation}: {path}: {text}");
            }
        }
    }
}
