//! What a model must not bring about whatever it answers: by another verb, by headings, names and summaries, by saying
//! a thing twice.

use memdir::commands::budget::Spent;
use memdir::llm::replay::{calls, says};
use memdir::reflect::prompt::Way;
use serde_json::{Value, json};

use super::super::support::{Memory, handle};
use super::script::{Script, add, ops};

const CITY: &str = "User: I live in Berlin these days.\n";
const QUOTE: &str = "I live in Berlin";

/// An operation with the words of [`CITY`] as its evidence.
fn proven(mut operation: Value) -> Value {
    operation["quote"] = json!(QUOTE);
    operation["turn"] = json!(1);
    operation
}

#[test]
fn proposals_that_differ_only_in_metadata_are_decisions_of_their_own() {
    let memory = Memory::new();
    let with = |importance: u8| {
        let mut one = add("facts/user.md", "City: Berlin", QUOTE);
        one["importance"] = json!(importance);
        one
    };
    let answer = Script::of([ops(&[with(7), with(8)])]).reads(&memory, CITY);
    assert_eq!(answer.counts.proposed, 2, "{:?}", answer.decisions);
    assert!(answer.decisions.iter().all(|d| d.proposal.is_some()), "{:?}", answer.decisions);
}

#[test]
fn a_secret_that_is_removed_is_not_sent_with_the_answer() {
    let text = "Deploy token: ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let memory = Memory::new().file("facts/ops.md", &format!("# Ops\n\n- {text}\n"));
    let at = format!("facts/ops.md@{}", handle(text));
    let remove = json!({"at": at, "reason": "revoked", "quote": "the deploy token was revoked", "turn": 1});
    let script = Script::of([calls([("rm", remove)]), says("done")]).way(Way::Tools);
    let answer = script.reads(&memory, "User: the deploy token was revoked.\n");
    assert_eq!(answer.counts.kept, 1, "{:?}", answer.decisions);
    assert!(!script.results(1)[0].contains("ghp_abc"), "{:?}", script.results(1));
}

#[test]
fn a_dry_run_holds_nothing_of_the_budget_when_it_ends() {
    let memory = Memory::new();
    let mut script = Script::of([ops(&[add("facts/user.md", "Pet: a cat", "I have a cat")])]);
    (script.dry_run, script.budget) = (true, Some(7000));
    script.reads(&memory, "User: I have a cat.\n");
    // What it really cost is spent: the model was asked.
    assert_eq!(Spent::of(&memory.session().store).taken("2026-02-24"), 110);
}

#[test]
fn a_proposal_made_again_after_its_time_waits_again() {
    let memory = Memory::new();
    let city = || ops(&[add("facts/user.md", "City: Berlin", QUOTE)]);
    Script::of([city()]).reads(&memory, CITY);
    let mut later = Script::of([city()]);
    later.day = Some("2026-03-20");
    let answer = later.reads(&memory, "User: As I said, I live in Berlin.\n");
    let id = answer.decisions[0].proposal.clone().unwrap();
    let file = memory.text(&format!("inbox/{id}.md")).expect("it waits");
    assert!(file.contains("Expires: 2026-03-27"), "{file}");
}

#[test]
fn a_proposal_that_is_named_twice_is_carried_out_once() {
    let memory = Memory::new();
    let entry = json!({"op": "append", "title": "Move", "text": "- Solution: a lorry was rented"});
    let mut script = Script::of([ops(&[proven(entry)])]);
    script.propose = true;
    let id = script.reads(&memory, CITY).decisions[0].proposal.clone().unwrap();
    let accepted = memory.done(["inbox", &id, &id, "--accept"]);
    assert_eq!(accepted.stdout.matches(&format!("accepted {id}")).count(), 1, "{accepted}");
    assert_eq!(memory.text("episodes/2026-02.md").unwrap().matches("a lorry").count(), 1);
}

#[test]
fn the_prompt_is_shown_as_it_would_be_sent() {
    let memory = Memory::new().file("facts/ops.md", "# Ops\n\n- Token: ghp_abcdefghijklmnopqrstuvwxyz0123456789\n");
    let shown = memory.run(["reflect", "--show-prompt"]).stdin("User: hello\n").ends();
    assert!(shown.status == 0 && shown.stdout.contains("- @"), "{shown}");
    assert!(!shown.stdout.contains("ghp_abc"), "{shown}");
}
