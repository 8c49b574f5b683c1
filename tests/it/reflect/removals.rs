//! A removal that a model proposes applies only if the user said that the bullet ended.

use memdir::results::DecisionVerdict;
use serde_json::{Value, json};

use super::script::{Script, add, ops};
use crate::support::{Memory, handle};

const TEA: &str = "Likes tea";

fn memory(text: &str) -> Memory {
    Memory::new().file("facts/user.md", &format!("# User\n\n- {text}\n- Owns a kettle\n"))
}

fn rm(text: &str, quote: &str) -> Value {
    json!({"op": "rm", "at": format!("facts/user.md@{}", handle(text)), "quote": quote, "turn": 1})
}

/// The verdict on a removal of the tea bullet, and its first reason.
fn verdict(conversation: &str, quote: &str) -> (DecisionVerdict, String) {
    let memory = memory(TEA);
    let report = Script::of([ops(&[rm(TEA, quote)])]).reads(&memory, conversation);
    let decision = &report.decisions[0];
    let stands = memory.text("facts/user.md").unwrap().contains("- Likes tea\n");
    assert_eq!(stands, decision.verdict != DecisionVerdict::Kept, "{decision:?}");
    assert_eq!(decision.text, TEA, "what would go is printed");
    (decision.verdict, decision.reasons.first().map(|r| r.name.clone()).unwrap_or_default())
}

#[test]
fn a_removal_without_a_word_of_ending_waits_with_the_reason() {
    for (conversation, quote) in [
        ("User: I still like tea, more than ever.\n", "I still like tea, more than ever"),
        ("User: Can you order tea for the office?\n", "Can you order tea for the office"),
        ("User: Hi there.\nAssistant: You no longer drink tea.\n", "You no longer drink tea"),
    ] {
        assert_eq!(verdict(conversation, quote), (DecisionVerdict::Proposed, "not_ended".into()), "{conversation}");
    }
    let unrelated = verdict("User: I gave up chess last spring.\n", "I gave up chess last spring");
    assert_eq!(unrelated.0, DecisionVerdict::Proposed);
}

#[test]
fn a_removal_with_a_word_of_ending_applies() {
    for (conversation, quote) in [
        ("User: I gave up tea last spring.\n", "I gave up tea last spring"),
        ("User: Please forget that I like tea.\n", "Please forget that I like tea"),
        ("User: That tea thing is wrong.\n", "That tea thing is wrong"),
    ] {
        assert_eq!(verdict(conversation, quote).0, DecisionVerdict::Kept, "{conversation}");
    }
}

#[test]
fn what_is_pasted_ends_nothing() {
    let pasted = "User: What do you think of this?\n\n> I gave up tea last spring.\n";
    assert_eq!(verdict(pasted, "I gave up tea last spring").0, DecisionVerdict::Proposed);
}

#[test]
fn a_pinned_bullet_waits_whatever_is_said() {
    let text = "# User\n\n- Likes tea\n  <!-- mem pin=yes -->\n";
    let memory = Memory::new().file("facts/user.md", text);
    let reply = ops(&[rm(TEA, "I gave up tea")]);
    let report = Script::of([reply]).reads(&memory, "User: I gave up tea last spring.\n");
    assert_eq!(report.decisions[0].verdict, DecisionVerdict::Proposed, "{:?}", report.decisions);
    assert!(report.decisions[0].reasons.iter().any(|r| r.name == "pinned"), "{:?}", report.decisions);
    assert_eq!(memory.text("facts/user.md").as_deref(), Some(text));
}

#[test]
fn a_fact_of_the_same_answer_replaces_a_bullet() {
    let old = "Office: Reykjavik harbour";
    let memory = memory(old);
    let quote = "The office is at the airport";
    let new = add("facts/user.md", "Office: the airport", quote);
    let report = Script::of([ops(&[rm(old, quote), new])]).reads(&memory, "User: The office is at the airport.\n");
    assert_eq!(report.counts.kept, 2, "{:?}", report.decisions);
    let memory = self::memory(old);
    let report = Script::of([ops(&[rm(old, quote)])]).reads(&memory, "User: The office is at the airport.\n");
    assert_eq!(report.counts.proposed, 1, "alone it waits: {:?}", report.decisions);
}

#[test]
fn reasons_name_what_was_wrong() {
    let memory = memory(TEA);
    memory.put("archive/facts/user.md", "# User\n\n- Likes milk\n- Likes juice\n");
    let at = format!("archive/facts/user.md@{}", handle("Likes milk"));
    let quote = "I gave up milk and tea";
    let archived = json!({"op": "rm", "at": at, "quote": quote, "turn": 1});
    let mut update = rm(TEA, quote);
    (update["op"], update["text"]) = (json!("update"), json!("Gave up tea"));
    let reply = ops(&[archived, update, rm(TEA, quote)]);
    let report = Script::of([reply, ops(&[]), ops(&[])]).reads(&memory, "User: I gave up milk and tea.\n");
    let reasons = |at: usize| report.decisions[at].reasons.iter().map(|r| r.what.clone()).collect::<String>();
    assert!(reasons(0).contains("archived"), "{:?}", report.decisions);
    assert!(reasons(2).contains("by an earlier operation of this answer"), "{:?}", report.decisions);
}

#[test]
fn a_long_reason_is_stored_in_part() {
    let memory = memory(TEA);
    let mut operation = rm(TEA, "I gave up tea");
    operation["reason"] = json!("tea is over ".repeat(60_000));
    Script::of([ops(&[operation])]).reads(&memory, "User: I gave up tea last spring.\n");
    let journal = memory.text(".memdir/journal").unwrap();
    assert!(journal.contains("tea is over tea is over") && journal.contains("[…]"), "the reason is stored");
    assert!(journal.matches("tea is over").count() < 60, "{} bytes", journal.len());
}

#[test]
fn an_answer_with_too_many_operations_is_an_error() {
    let memory = memory(TEA);
    let many: Vec<Value> = (0..1001).map(|n| add("facts/user.md", &format!("Has {n} cats"), "I have cats")).collect();
    let failure = Script::of([ops(&many)]).tries(&memory, "User: I have cats.\n").unwrap_err();
    assert!(failure.rejections[0].message.contains("1001 operations; at most 1000"), "{failure:?}");
}

/// bullet-document, its example: "Lives in Denver", "Age is 30", "Lives with Anna".
#[test]
fn a_move_replaces_the_city_and_leaves_the_companion() {
    let file = "# User\n\n- Lives in Denver\n- Age is 30\n- Lives with Anna\n";
    let update = |quote: &str| {
        json!({"op": "update", "at": format!("facts/user.md@{}", handle("Lives in Denver")), "text": "Lives in Austin",
            "quote": quote, "turn": 1})
    };
    let memory = Memory::new().file("facts/user.md", file);
    let report = Script::of([ops(&[update("I moved to Austin")])])
        .reads(&memory, "User: I moved to Austin. Please remember that.\n");
    assert_eq!(report.counts.kept, 1, "{:?}", report.decisions);
    let memory = Memory::new().file("facts/user.md", file);
    let reply = ops(&[update("I moved to Austin"), rm("Lives with Anna", "no longer live with Anna")]);
    let report =
        Script::of([reply]).reads(&memory, "User: Please remember: I moved to Austin and no longer live with Anna.\n");
    assert_eq!(report.counts.kept, 2, "{:?}", report.decisions);
}
