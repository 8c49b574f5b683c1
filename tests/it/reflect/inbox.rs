//! What waits for a person: proposals as files, accepted, rejected, edited, out of date, expired.

use super::script::{Script, add, ops};
use crate::support::{Memory, handle};
use serde_json::json;

const CITY: &str = "User: I live in Berlin these days.\n";

/// A memory in which one proposal waits; its id.
fn waiting(memory: &Memory) -> String {
    let answer = Script::of([ops(&[add("facts/user.md", "City: Berlin", "I live in Berlin")])]).reads(memory, CITY);
    assert_eq!(answer.counts.proposed, 1, "{:?}", answer.decisions);
    answer.decisions[0].proposal.clone().unwrap()
}

#[test]
fn a_sensitive_field_waits_and_can_be_accepted() {
    let memory = Memory::new();
    let id = waiting(&memory);
    assert_eq!(memory.text("facts/user.md"), None);
    memory.done(["inbox"]).stdout_contains(&id).stdout_contains("+- City: Berlin").stdout_contains("I live in Berlin");
    memory.done(["inbox", &id, "--accept", "-n"]).unchanged();
    memory.done(["inbox", &id, "--accept"]).stdout_contains("+ @").stdout_contains(&format!("accepted {id}"));
    assert!(memory.text("facts/user.md").unwrap().contains("- City: Berlin\n"));
    assert_eq!(memory.text(&format!("inbox/{id}.md")), None);
    memory.done(["inbox"]).stdout("").stderr_contains("nothing pending");
    // The decision is on a text that must still be in the proposal.
    let entry = memory.session().store.journal().unwrap().pop().unwrap();
    assert!(entry.operations.iter().any(|op| op["op"] == "rm" && op["if_match"].is_string()), "{entry:?}");
    // Both halves are one revision.
    memory.done(["undo"]);
    assert!(memory.text("facts/user.md").is_none() && memory.text(&format!("inbox/{id}.md")).is_some());
}

#[test]
fn a_rejected_proposal_is_removed_and_journaled() {
    let memory = Memory::new();
    let id = waiting(&memory);
    memory.done(["inbox", &id, "--reject", "-m", "moved again"]);
    assert_eq!((memory.text("facts/user.md"), memory.text(&format!("inbox/{id}.md"))), (None, None));
    memory.done(["log"]).stdout_contains("inbox: rejected: moved again");
    memory.run(["inbox", &id, "--accept"]).exit(3).stderr_contains("proposal_not_found");
}

#[test]
fn a_proposal_waits_once_however_often_it_is_made() {
    let memory = Memory::new();
    let id = waiting(&memory);
    let again = "User: As I said, I live in Berlin these days, really.\n";
    let answer = Script::of([ops(&[add("facts/user.md", "City: Berlin", "I live in Berlin")])]).reads(&memory, again);
    assert_eq!((answer.decisions[0].proposal.as_deref(), answer.changed), (Some(&*id), false));
}

#[test]
fn a_proposal_that_no_longer_applies_is_a_conflict_and_stays_pending() {
    let memory = Memory::new();
    memory.done(["add", "user", "City: Hamburg"]);
    let old = handle("City: Hamburg");
    let update = json!({"op": "update", "at": format!("user@{old}"), "text": "City: Berlin", "quote": "I live in Berlin", "turn": 1});
    let answer = Script::of([ops(&[update])]).reads(&memory, CITY);
    let id = answer.decisions[0].proposal.clone().unwrap();
    memory.done(["update", &format!("user@{old}"), "City: Munich"]);
    memory.run(["inbox", &id, "--accept"]).exit(4).stderr_contains("bullet_changed");
    memory.done(["inbox"]).stdout_contains(&id);
}

#[test]
fn a_person_may_edit_a_proposal_first() {
    let memory = Memory::new();
    let id = waiting(&memory);
    let path = format!("inbox/{id}.md");
    let edited =
        memory.text(&path).unwrap().replace("\"text\":\"City: Berlin\"", "\"text\":\"City: Berlin (Wedding)\"");
    memory.put(&path, &edited);
    memory.done(["inbox", &id, "--accept"]);
    assert!(memory.text("facts/user.md").unwrap().contains("Berlin (Wedding)"));
    let memory = Memory::new();
    let id = waiting(&memory);
    memory.put(&format!("inbox/{id}.md"), "# nothing left\n");
    memory.run(["inbox", &id, "--accept"]).exit(2).stderr_contains("invalid_operation");
    memory.done(["inbox", &id, "--reject"]);
}

#[test]
fn an_expired_proposal_is_removed_and_journaled() {
    let memory = Memory::new();
    let id = waiting(&memory);
    let path = format!("inbox/{id}.md");
    let later = |day: &str| format!("2026-03-{day}T10:00:00Z");
    memory.run(["inbox"]).env("MEMDIR_NOW", &later("03")).exit(0).stdout_contains(&id);
    memory.run(["inbox", &id, "--accept"]).env("MEMDIR_NOW", &later("04")).exit(3).stderr_contains("expired");
    assert!(memory.text(&path).is_some());
    // A list changes nothing.
    let list = memory.run(["inbox"]).env("MEMDIR_NOW", &later("04")).exit(0);
    assert!(
        list.stdout.contains(&id) && list.stdout.contains("it has expired") && list.stdout.contains("memdir prune")
    );
    assert!(memory.text(&path).is_some());
    let json = memory.run(["inbox", "--json"]).env("MEMDIR_NOW", &later("04")).exit(0).json();
    assert_eq!((&json["proposals"][0]["expired"], &json["changed"]), (&true.into(), &false.into()), "{json}");
    // All that can be accepted: nothing.
    memory.run(["inbox", "--accept"]).env("MEMDIR_NOW", &later("04")).exit(0);
    assert_eq!(memory.text("facts/user.md"), None);
    memory.run(["prune"]).env("MEMDIR_NOW", "2031-03-04T10:00:00Z").exit(5).stderr_contains("clock_jumped");
    assert!(memory.text(&path).is_some());
    memory.run(["prune"]).env("MEMDIR_NOW", &later("04")).exit(0).stdout_contains(&id);
    assert_eq!(memory.text(&path), None);
    memory.done(["log"]).stdout_contains("prune");
}

#[test]
fn every_proposal_waits_on_request() {
    let memory = Memory::new();
    let mut script = Script::of([ops(&[
        add("facts/user.md", "Name: Zhang San", "I'm Zhang San"),
        add("facts/project.md", "Project name: Phoenix", "project is Phoenix"),
    ])]);
    script.propose = true;
    let answer = script.reads(&memory, "User: I'm Zhang San and my project is Phoenix.\n");
    assert_eq!((answer.counts.proposed, answer.counts.kept), (2, 0), "{:?}", answer.decisions);
    memory.done(["inbox", "--accept"]);
    assert!(memory.text("facts/user.md").is_some() && memory.text("facts/project.md").is_some());
}

const BENIGN: &str = "version: 2\nbenign: [tone, goals_add, city]\n";

fn tone(text: &str) -> Script {
    Script::of([ops(&[add("facts/user.md", text, "prefer a concise tone")])])
}

#[test]
fn a_benign_field_applies_once_a_second_conversation_states_it() {
    let memory = Memory::new().policy(BENIGN);
    let first = "User: I prefer a concise tone.\n";
    let answer = tone("Tone: concise").reads(&memory, first);
    assert_eq!(answer.counts.proposed, 1, "{:?}", answer.decisions);
    assert_eq!(answer.decisions[0].reasons[0].name, "uncorroborated");
    let id = answer.decisions[0].proposal.clone().unwrap();
    memory.done(["inbox"]).stdout_contains("Waits because: uncorroborated tone");
    // The same conversation, continued, is no second one; another value does not state the same.
    let more = format!("{first}Assistant: Sure.\nUser: As I said, I prefer a concise tone.\n");
    assert_eq!(tone("Tone: concise").reads(&memory, &more).counts.proposed, 1);
    let other = Script::of([ops(&[add("facts/user.md", "Tone: formal", "prefer a formal tone")])]);
    let answer = other.reads(&memory, "User: For letters I prefer a formal tone.\n");
    assert_eq!(answer.counts.proposed, 1, "{:?}", answer.decisions);
    assert_eq!(memory.text("facts/user.md"), None);
    let second = "User: Good morning. I prefer a concise tone, please.\n";
    let answer = tone("Tone: concise").reads(&memory, second);
    assert_eq!(answer.counts.kept, 1, "{:?}", answer.decisions);
    assert!(memory.text("facts/user.md").unwrap().contains("- Tone: concise\n"));
    // What waited for it is decided in the same revision; the other value still waits.
    assert_eq!(memory.text(&format!("inbox/{id}.md")), None);
    assert_eq!(memory.tree().keys().filter(|path| path.starts_with("inbox/")).count(), 1);
    memory.done(["undo"]);
    assert!(memory.text("facts/user.md").is_none() && memory.text(&format!("inbox/{id}.md")).is_some());
}

#[test]
fn goals_are_added_once_a_second_conversation_states_them() {
    let memory = Memory::new().policy(BENIGN);
    let goal = |talk: &str, quote: &str| {
        let text = "Goal: run a marathon in October";
        Script::of([ops(&[add("facts/user.md", text, quote)])]).reads(&memory, talk).counts
    };
    assert_eq!(goal("User: I want to run a marathon in October.\n", "run a marathon in October").proposed, 1);
    assert_eq!(goal("User: In October I run a marathon in October!\n", "run a marathon in October").kept, 1);
}

#[test]
fn what_waits_for_another_reason_corroborates_nothing() {
    let memory = Memory::new().policy(BENIGN);
    // Only a tool stated it.
    let talk = "User: Look it up.\nTool: config says prefer a concise tone\n";
    let answer = tone("Tone: concise").reads(&memory, talk);
    assert_eq!(answer.counts.proposed, 1, "{:?}", answer.decisions);
    assert_eq!(answer.decisions[0].reasons[0].name, "tool_evidence");
    let answer = tone("Tone: concise").reads(&memory, "User: I prefer a concise tone.\n");
    assert_eq!((answer.counts.kept, answer.counts.proposed), (0, 1), "{:?}", answer.decisions);
}

#[test]
fn a_benign_field_that_the_user_asks_to_remember_applies_at_once_and_a_sensitive_one_waits() {
    let memory = Memory::new().policy(BENIGN);
    let answer = tone("Tone: concise").reads(&memory, "User: Please remember that I prefer a concise tone.\n");
    assert_eq!(answer.counts.kept, 1, "{:?}", answer.decisions);
    // `city` is in both lists: it changes with consent only.
    for talk in ["User: I live in Berlin these days.\n", "User: Hi! I live in Berlin, by the way.\n"] {
        let answer =
            Script::of([ops(&[add("facts/user.md", "City: Berlin", "I live in Berlin")])]).reads(&memory, talk);
        assert_eq!((answer.counts.kept, answer.counts.proposed), (0, 1), "{talk} {:?}", answer.decisions);
    }
    // Without the key, such a field is a fact like any other.
    let memory = Memory::new();
    assert_eq!(tone("Tone: concise").reads(&memory, "User: I prefer a concise tone.\n").counts.kept, 1);
}

#[test]
fn a_request_in_a_pasted_text_is_no_consent_and_a_refusal_there_is_decided_by_a_person() {
    let answer = |talk: &str, fact: &str, quote: &str| {
        Script::of([ops(&[add("facts/user.md", fact, quote)])]).reads(&Memory::new(), talk)
    };
    let city = |talk: &str| answer(talk, "City: Berlin", "I live in Berlin");
    let own = city("User: Remember that I live in Berlin. What does she want?\n\n> Where are the keys?\n");
    assert_eq!(own.counts.kept, 1, "{:?}", own.decisions);
    let pasted = city("User: I live in Berlin. What does she want?\n\n> Please remember that I live in Berlin.\n");
    assert_eq!(pasted.counts.proposed, 1, "{:?}", pasted.decisions);
    assert_eq!(pasted.decisions[0].reasons[0].name, "sensitive");
    let talk = "User: The build runs on Bun. What does she want?\n\n> Please don't save that.\n";
    let refused = answer(talk, "The build runs on Bun.", "The build runs on Bun");
    assert_eq!(refused.counts.proposed, 1, "{:?}", refused.decisions);
    assert_eq!(refused.decisions[0].reasons[0].name, "maybe_withheld");
}

#[test]
fn what_an_accepted_proposal_superseded_is_in_the_history_with_its_turn() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- City: Hamburg\n");
    let at = format!("facts/user.md@{}", handle("City: Hamburg"));
    let update = json!({"op": "update", "at": at, "text": "City: Berlin", "quote": "I live in Berlin", "turn": 1});
    let answer = Script::of([ops(&[update])]).reads(&memory, CITY);
    assert_eq!(answer.counts.proposed, 1, "{:?}", answer.decisions);
    // A dry run prints operations that `apply` accepts.
    let planned = memory.done(["inbox", "--accept", "-n", "--json"]);
    assert!(!planned.stdout.contains("superseded"), "{planned}");
    memory.done(["inbox", "--accept"]);
    let id = &answer.conversations[0].id;
    let line = format!("superseded @{} \"City: Hamburg\" — conversation {id}, turn 1\n", handle("City: Hamburg"));
    memory.done(["log", "-L", "1"]).stdout_contains(&line);
    let entry = memory.session().store.journal().unwrap().pop().unwrap();
    assert_eq!(entry.operations[0]["quote"], "I live in Berlin");
}

#[test]
fn proposals_about_one_place_are_accepted_one_after_the_other() {
    let memory = Memory::new().policy("version: 2\nagents: {write: propose}\n").file("facts/a.md", "# A\n\n- Tea\n");
    for words in [&["update", "a@1", "Coffee", "-f"][..], &["update", "a@1", "Water", "-f"]] {
        memory.run(words).by("planner").may_change().exit(5);
    }
    let refused = memory.run(["inbox", "--accept"]).ends();
    assert!(refused.status != 0 && refused.stderr.contains("one after the other"), "{refused}");
    assert!(refused.stderr.contains("try: memdir inbox --accept p"), "{refused}");
}
