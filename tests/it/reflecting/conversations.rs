//! Annotated conversations with a model's realistic answers: what must be kept, refused, proposed, or left alone.
//!
//! Each folder of `fixtures/conversations/` holds the conversation, perhaps a memory to begin with, the answers that
//! the model gives in turn, and what must come of them.

use std::path::{Path, PathBuf};

use memdir::commands::answer::{ReflectDecision, ReflectReport};
use memdir::llm::replay::text_reply;
use memdir::reflect::guards::secrets::redact;
use serde_json::Value;

use super::super::support::Memory;
use super::script::Script;

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
    for (key, verdict) in [("kept", "kept"), ("refused", "refused"), ("proposed", "proposed"), ("known", "known")] {
        let wanted = expected.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        // A known text is refused too, with the duplicate as its reason.
        let is = |d: &&ReflectDecision| d.verdict == verdict || verdict == "refused" && d.verdict == "known";
        let of: Vec<&ReflectDecision> = answer.decisions.iter().filter(is).collect();
        for one in &wanted {
            if !of.iter().any(|d| fits(d, one)) {
                out.push(format!("{}: not {verdict}: {one}", folder.display()));
            }
        }
        // Anything kept or proposed beyond that was not expected.
        if ["kept", "proposed"].contains(&verdict) && of.len() > wanted.len() {
            let texts: Vec<&str> = of.iter().map(|d| d.text.as_str()).collect();
            out.push(format!("{}: {verdict} {} times: {texts:?}", folder.display(), of.len()));
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
