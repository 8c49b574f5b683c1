//! `reflect --insights` from the command line, with a program as the model.

use serde_json::{Value, json};

use crate::support::{CommandRun, Memory};

const SEED: &str = "User shows increased trust when admitting mistakes.";

fn insight(summary: &str) -> Value {
    json!({"summary": summary, "tags": ["trust", "style"], "importance": 2})
}

/// A memory with facts and entries, whose model gives this answer to every request; the requests are kept beside it.
fn with_answer(answer: &str) -> Memory {
    let memory = Memory::new();
    let home = memory.dir().parent().unwrap().to_path_buf();
    fs_err::write(home.join("answer"), answer).unwrap();
    let home = home.to_str().unwrap();
    let line = format!("cat >> {home}/asked; echo _END_ >> {home}/asked; cat {home}/answer");
    memory.configure(&format!("people: [tester]\nmodel: {{provider: exec, command: [sh, -c, '{line}']}}\n"));
    memory.done(["add", "user", "Prefers short answers", "Key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"]);
    memory.run(["append", "-t", "Parser reviewed"]).stdin("- Ana admitted a mistake\n").exit(0);
    memory
}

fn with(insights: &[Value]) -> Memory {
    with_answer(&json!({ "insights": insights }).to_string())
}

fn insights<'m>(memory: &'m Memory, words: &[&str]) -> CommandRun<'m> {
    memory.run(["reflect", "--insights"].into_iter().chain(words.iter().copied()))
}

fn asked(memory: &Memory) -> String {
    fs_err::read_to_string(memory.dir().with_file_name("asked")).unwrap_or_default()
}

#[test]
fn an_insight_becomes_a_bullet_of_its_category() {
    let memory = with(&[insight(SEED), insight("User trusts Bettina.")]);
    let talk = memory.dir().with_file_name("talk.md");
    fs_err::write(&talk, "User: I was wrong about the cache.\n\nAssistant: Thanks for saying so.\n").unwrap();
    let before = memory.tree();
    insights(&memory, &["-n", "talk.md"]).exit(0).unchanged().stdout_contains("dry run").stdout_contains(SEED);
    let ran = insights(&memory, &["talk.md"]).exit(0);
    insta::assert_snapshot!(ran.stdout, @r"
    new file facts/insights.md  r3
    + @q7nk [relationship_dynamic] User shows increased trust when admitting mistakes. #trust #style
    refused: [relationship_dynamic] User trusts Bettina. #trust #style (ungrounded: Bettina)
    2 found: 1 kept, 0 known, 0 waiting, 1 refused; exec sh, 0 tokens in, 0 out
    ");
    insta::assert_snapshot!(memory.text("facts/insights.md").unwrap(), @r"
    # Insights

    > Summary: relationship, dynamic, increased, trust, admitting, mistakes, style

    - [relationship_dynamic] User shows increased trust when admitting mistakes. #trust #style
      <!-- mem imp=2 type=insight -->
    ");
    let asked = asked(&memory);
    for part in ["Prefers short answers", "Ana admitted a mistake", "I was wrong about the cache"] {
        assert!(asked.contains(part), "{part} in {asked}");
    }
    assert!(!asked.contains("sk-ant-"), "{asked}");
    memory.done(["log", "-L", "1"]).stdout_contains("insights");
    memory.done(["undo"]);
    assert_eq!(memory.tree(), before);
}

#[test]
fn at_most_once_in_a_day() {
    let memory = with(&[]);
    insights(&memory, &[]).exit(0).unchanged().stderr_contains("nothing worth keeping");
    let again = insights(&memory, &[]).env("MEMDIR_NOW", "2026-02-25T09:59:00Z").exit(0).unchanged();
    again.stderr_contains("at most once in 24 hours");
    assert_eq!(asked(&memory).matches("_END_").count(), 1);
    insights(&memory, &[]).env("MEMDIR_NOW", "2026-02-25T10:00:00Z").exit(0);
    // A clock that was wrong once does not stop it for years.
    insights(&memory, &[]).env("MEMDIR_NOW", "2036-02-25T10:00:00Z").exit(0);
    insights(&memory, &[]).env("MEMDIR_NOW", "2026-02-27T10:00:00Z").exit(0);
    assert_eq!(asked(&memory).matches("_END_").count(), 4);
}

#[test]
fn a_bad_answer_is_asked_for_once_more_and_changes_nothing() {
    let memory = with_answer("I see trust.");
    insights(&memory, &[]).exit(8).unchanged().stderr_contains("could not be used");
    assert_eq!(asked(&memory).matches("_END_").count(), 2);
    // It does not count as the run of the day.
    insights(&memory, &[]).exit(8);
}

#[test]
fn without_anything_to_look_at_no_model_is_called() {
    let memory = Memory::new();
    insights(&memory, &[]).exit(0).unchanged().stderr_contains("nothing to look at");
    memory.done(["add", "user", "Prefers tea"]);
    insights(&memory, &[]).exit(8).unchanged().stderr_contains("no_model");
}

#[test]
fn more_than_three_and_what_is_known_are_not_kept() {
    let many = ["short answers", "small steps", "early reviews", "plain words"];
    let memory = with(&many.map(|what| insight(&format!("User trusts {what}."))));
    let report = insights(&memory, &["--json"]).exit(0).json();
    assert_eq!((&report["counts"]["kept"], &report["counts"]["refused"]), (&3.into(), &1.into()));
    let later = insights(&memory, &["--json"]).env("MEMDIR_NOW", "2026-02-26T10:00:00Z").exit(0).json();
    assert_eq!((&later["counts"]["kept"], &later["counts"]["known"]), (&1.into(), &3.into()));
}

#[test]
fn insights_are_found_after_what_was_said() {
    let memory = Memory::new().file(
        "facts/user.md",
        "# User\n\n- [relationship_dynamic] User trusts early reviews\n- [work] User trusts early reviews in teams\n",
    );
    let found = memory.done(["query", "early reviews", "--json"]).json();
    let texts: Vec<&str> = found["items"].as_array().unwrap().iter().map(|i| i["text"].as_str().unwrap()).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains("teams"), "{texts:?}");
}

#[test]
fn what_some_agent_may_not_see_makes_no_insight() {
    let memory = with(&[]);
    memory.put(
        "memdir.yaml",
        "version: 1\ncategories: {custom: [{name: health}]}\n\
         allowlists: {planner: [work], doctor: [work, health]}\nagents: {default: planner}\n",
    );
    memory.done(["--as", "doctor", "add", "user", "[health] Allergic to penicillin", "Owns two cats"]);
    memory.run(["--as", "doctor", "append", "-t", "Call"]).stdin("- [health] pills again\n- tea bought\n").exit(0);
    let ran = memory.run(["--as", "doctor", "reflect", "--insights"]).exit(0);
    ran.stderr_contains("hides from some agents was left out");
    let asked = asked(&memory);
    assert!(asked.contains("Owns two cats") && asked.contains("tea bought"), "{asked}");
    assert!(!asked.contains("penicillin") && !asked.contains("pills"), "{asked}");
}
