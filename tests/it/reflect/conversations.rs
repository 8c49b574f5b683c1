//! Annotated conversations with a model's realistic answers: what must be kept, refused, proposed, or left alone.
//!
//! Each folder of `fixtures/conversations/` holds the conversation, perhaps a memory to begin with, the answers that
//! the model gives in turn, and what must come of them.

use std::path::{Path, PathBuf};

use memdir::commands::results::DecisionVerdict::{Kept, Known, Proposed, Refused};
use memdir::commands::results::{ReflectDecision, ReflectReport};
use memdir::llm::replay::text_reply;
use memdir::text::secrets::redact;
use serde_json::Value;

use super::script::{Script, add, ops};
use crate::support::Memory;

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conversations");
    let mut all: Vec<PathBuf> = fs_err::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    all.retain(|path| path.is_dir());
    all.sort();
    all
}

fn memory(folder: &Path) -> Memory {
    let memory = Memory::new();
    let start = folder.join("memory");
    for entry in walkdir::WalkDir::new(&start).into_iter().filter_map(Result::ok).filter(|e| e.file_type().is_file()) {
        let name = entry.path().strip_prefix(&start).unwrap().to_str().unwrap().to_owned();
        memory.put(&name, fs_err::read(entry.path()).unwrap());
    }
    memory
}

fn conversation(folder: &Path) -> String {
    let is = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == "conversation");
    let file = fs_err::read_dir(folder).unwrap().map(|e| e.unwrap().path()).find(is).unwrap();
    fs_err::read_to_string(file).unwrap()
}

fn replies(folder: &Path) -> Vec<String> {
    let text = fs_err::read_to_string(folder.join("replies.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    all.into_iter().map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned)).collect()
}

fn fits(decision: &ReflectDecision, wanted: &Value) -> bool {
    let same = |key: &str, is: &str| wanted.get(key).and_then(Value::as_str).is_none_or(|w| w == is);
    let why = wanted.get("why").and_then(Value::as_str);
    // An entry is identified by its title, and annotated with the lines below it.
    // What is printed has no secrets.
    let redacted = || wanted["text"].as_str().map(|text| redact(text).0).as_ref() == Some(&decision.text);
    let text = decision.op == "append" || same("text", &decision.text) || redacted();
    text && same("op", &decision.op) && why.is_none_or(|why| decision.reasons.iter().any(|r| r.name == why))
}

/// What of the expectations did not come true.
fn missing(folder: &Path, answer: &ReflectReport, expected: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for (key, verdict) in [("kept", Kept), ("refused", Refused), ("proposed", Proposed), ("known", Known)] {
        let wanted = expected.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        // A known text is refused too, with the duplicate as its reason.
        let is = |d: &&ReflectDecision| d.verdict == verdict || verdict == Refused && d.verdict == Known;
        let of: Vec<&ReflectDecision> = answer.decisions.iter().filter(is).collect();
        for one in &wanted {
            if !of.iter().any(|d| fits(d, one)) {
                out.push(format!("{}: not {key}: {one}", folder.display()));
            }
        }
        // Anything kept or proposed beyond that was not expected.
        if [Kept, Proposed].contains(&verdict) && of.len() > wanted.len() {
            let texts: Vec<&str> = of.iter().map(|d| d.text.as_str()).collect();
            out.push(format!("{}: {key} {} times: {texts:?}", folder.display(), of.len()));
        }
    }
    out
}

#[test]
fn each_conversation_gives_its_annotated_result() {
    let mut broken = Vec::new();
    let all = folders();
    for folder in &all {
        let memory = memory(folder);
        let before = memory.tree();
        let script = Script::of(replies(folder).into_iter().map(text_reply));
        let expected: Value =
            serde_yaml::from_str(&fs_err::read_to_string(folder.join("expected.yaml")).unwrap()).unwrap();
        let answer = match script.tries(&memory, &conversation(folder)) {
            Ok(answer) => answer,
            Err(failure) => {
                broken.push(format!("{}: {failure:?}", folder.display()));
                continue;
            }
        };
        let lost = missing(folder, &answer, &expected);
        if !lost.is_empty() {
            broken.extend(lost);
            broken.push(format!("   {:?}", answer.decisions));
        }
        if expected.get("unchanged").and_then(Value::as_bool) == Some(true) && memory.tree() != before {
            broken.push(format!("{}: changed", folder.display()));
        }
        for asked in expected.get("asked").and_then(Value::as_array).into_iter().flatten() {
            let (query, holds) = (asked["query"].as_str().unwrap(), asked["holds"].as_str().unwrap());
            let found = memory.done(["query", query]);
            if !found.stdout.contains(holds) {
                broken.push(format!("{}: {query:?} does not find {holds:?}\n{found}", folder.display()));
            }
        }
        // The same conversation again has no new turns, and the model is not called.
        let nobody = Script::of([]);
        let again = nobody.reads(&memory, &conversation(folder));
        assert!(again.decisions.is_empty() && nobody.requests().is_empty(), "{}", folder.display());
    }
    assert!(all.len() >= 20, "{} conversations", all.len());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn a_rule_of_the_user_is_kept_as_a_statement_about_the_user() {
    for (said, order, statement) in [
        (
            "Always run tests before committing",
            "Always run tests before committing",
            "The user wants tests run before every commit",
        ),
        ("Never push to main on Fridays.", "Never push to main on Fridays", "User wants no pushes to main on Fridays"),
        (
            "Don't use emojis in commit messages",
            "Don't use emojis in commit messages",
            "User prefers commit messages without emojis",
        ),
        ("提交前一定要先跑测试。", "提交前一定要先跑测试", "用户希望提交前先跑测试"),
        ("以后不要在周五部署", "不要在周五部署", "用户希望周五不部署"),
    ] {
        let memory = Memory::new();
        let conversation = format!("User: {said}\nAssistant: Noted.\n");
        // First the imperative: it is refused, and the advice says how it can be kept.
        let (first, second) = (add("facts/user.md", order, order), add("facts/user.md", statement, order));
        let script = Script::of([ops(&[first]), ops(&[second])]);
        let answer = script.reads(&memory, &conversation);
        assert_eq!(answer.counts.kept, 1, "{said}: {:?}", answer.decisions);
        assert!(memory.text("facts/user.md").unwrap().contains(statement), "{said}");
        let advice = script.question(1);
        assert!(advice.contains("instruction") && advice.contains("The user wants"), "{advice}");
    }
}
