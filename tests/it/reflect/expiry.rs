//! Metadata that a model sets: an expiry hides a bullet, so it needs a date that was said, about that bullet.

use memdir::results::DecisionVerdict::{self, Kept, Proposed, Refused};
use serde_json::{Value, json};

use super::script::{Script, add, ops};
use crate::support::{Memory, handle};

const PEANUTS: &str = "Allergic to peanuts";

fn memory(text: &str) -> Memory {
    Memory::new().file("facts/user.md", &format!("# User\n\n- {text}\n- Owns a kettle\n"))
}

fn set(text: &str, meta: Value, quote: &str) -> Value {
    json!({"op": "set", "at": format!("facts/user.md@{}", handle(text)), "meta": meta, "quote": quote, "turn": 1})
}

/// The verdict on an operation on a bullet, and its reasons. What is not kept changes no byte.
fn verdict(memory: &Memory, operation: &Value, conversation: &str) -> (DecisionVerdict, String) {
    let before = memory.text("facts/user.md");
    let reply = || ops(std::slice::from_ref(operation));
    let report = Script::of([reply(), reply(), reply()]).reads(memory, conversation);
    let decision = report.decisions.first().unwrap_or_else(|| panic!("{report:?}"));
    assert_eq!(memory.text("facts/user.md") == before, decision.verdict != Kept, "{decision:?}");
    (decision.verdict, decision.reasons.iter().map(|r| r.name.as_str()).collect::<Vec<_>>().join(" "))
}

#[test]
fn an_expiry_without_evidence_waits_as_a_removal_does() {
    let tea = "User: I like coffee very much.\n";
    for (text, meta, conversation, quote, reasons) in [
        (PEANUTS, json!({"exp": "2020-01-01"}), tea, "I like coffee", "ungrounded unrelated expired"),
        (PEANUTS, json!({"exp": "2026-03-01"}), tea, "I like coffee", "ungrounded unrelated"),
        (PEANUTS, json!({"imp": 0, "conf": 0}), tea, "I like coffee", "unrelated"),
        (PEANUTS, json!({"exp": "2026-03-01"}), "User: Is a peanut a nut?\n", "Is a peanut a nut", "ungrounded"),
        (
            PEANUTS,
            json!({"exp": "2020-01-01"}),
            "User: I have been allergic to peanuts since 2020-01-01.\n",
            "allergic to peanuts since 2020-01-01",
            "expired",
        ),
        (
            "对花生过敏",
            json!({"exp": "2020-01-01"}),
            "User: 我很喜欢喝咖啡。\n",
            "我很喜欢喝咖啡",
            "ungrounded unrelated expired",
        ),
        ("对花生过敏", json!({"exp": "2026-12-31"}), "User: 花生是坚果吗？\n", "花生是坚果吗", "ungrounded"),
        (
            PEANUTS,
            json!({"exp": "2026-02-27"}),
            "User: I am still allergic to peanuts. I was in Rome for 3 days.\n",
            "I was in Rome for 3 days",
            "not_ended",
        ),
        (
            PEANUTS,
            json!({"exp": "2026-02-27"}),
            "User: My allergy to peanuts does not end in 3 days, it never ends.\n",
            "My allergy to peanuts does not end in 3 days",
            "not_ended",
        ),
    ] {
        let operation = set(text, meta, quote);
        assert_eq!(verdict(&memory(text), &operation, conversation), (Proposed, reasons.into()), "{operation}");
    }
}

#[test]
fn an_expiry_needs_the_word_of_the_user() {
    let mut operation = set(PEANUTS, json!({"exp": "2026-02-27"}), "An open bar of peanuts keeps for 3 days");
    operation["turn"] = json!(2);
    let conversation = "User: What is in a Snickers bar?\n\nAssistant: An open bar of peanuts keeps for 3 days.\n";
    let found = verdict(&memory(PEANUTS), &operation, conversation);
    assert!(found.0 == Proposed && found.1.ends_with("not_ended"), "{found:?}");
}

#[test]
fn what_is_denied_may_have_a_last_day() {
    let meat = "Does not eat meat";
    let quote = "I do not eat meat until 2026-04-04";
    let operation = set(meat, json!({"exp": "2026-04-04"}), quote);
    assert_eq!(verdict(&memory(meat), &operation, &format!("User: {quote}.\n")), (Kept, String::new()));
    let mut added = add("facts/user.md", "Does not eat meat until 2026-04-04", quote);
    added["expires"] = json!("2026-04-04");
    assert_eq!(verdict(&memory(PEANUTS), &added, &format!("User: {quote}.\n")), (Kept, String::new()));
}

#[test]
fn an_update_that_leaves_the_text_needs_evidence_too() {
    for text in [PEANUTS, "Is allergic to peanuts"] {
        let mut operation = set(PEANUTS, json!({"exp": "2026-12-31"}), "coffee until 2026-12-31");
        (operation["op"], operation["text"]) = (json!("update"), json!(text));
        let found = verdict(&memory(PEANUTS), &operation, "User: I only drink coffee until 2026-12-31.\n");
        assert!(found.0 == Proposed && found.1.ends_with("unrelated"), "{text}: {found:?}");
    }
}

#[test]
fn a_new_fact_expires_on_a_day_that_was_said() {
    let check = |text: &str, exp: &str, quote: &str, expected: (DecisionVerdict, &str)| {
        let mut operation = add("facts/user.md", text, quote);
        operation["expires"] = json!(exp);
        let found = verdict(&memory(PEANUTS), &operation, &format!("User: {quote}.\n"));
        assert_eq!(found, (expected.0, expected.1.to_owned()), "{text} {exp}");
    };
    // Said on Tuesday, 2026-02-24.
    for (text, exp, quote) in [
        ("The trial ends on 2026-12-31", "2026-12-31", "The trial ends on 2026-12-31"),
        ("The trial ends on December 31", "2026-12-31", "The trial ends on December 31"),
        ("Is off until 2026-02-27", "2026-02-27", "I am off until Friday"),
        ("The trial runs for 30 days", "2026-03-26", "The trial runs for 30 days"),
        ("User parks in garage B", "2026-02-28", "I park in garage B this month"),
        ("The offer stands", "2026-02-28", "The offer stands, it ends at the end of the month"),
        ("试用期到2026年12月31日", "2026-12-31", "试用期到2026年12月31日"),
        ("用户休假到2026年3月6日", "2026-03-06", "我休假到下周五"),
        ("试用期三个月", "2026-05-24", "试用期三个月"),
        ("停车位在B区", "2026-02-28", "我的停车位在B区，到月底"),
        ("The user is on call.", "2026-02-27", "I am on call until Friday"),
        ("The user is on call.", "2026-02-28", "I am on call until the end of the month"),
        ("用户值班。", "2026-02-27", "我值班到周五"),
    ] {
        check(text, exp, quote, (Kept, ""));
    }
    for (text, exp, quote) in [
        ("The trial ends on 2026-12-31", "2026-12-01", "The trial ends on 2026-12-31"),
        ("Likes coffee", "2026-03-01", "I like coffee"),
        ("The trial runs for 30 days", "2026-03-10", "The trial runs for 30 days"),
        ("试用期三个月", "2026-04-24", "试用期三个月"),
        ("喜欢喝咖啡", "2026-03-01", "我喜欢喝咖啡"),
        ("The user is on call.", "2026-02-26", "I am on call until Friday"),
        ("The user is on call.", "2026-02-27", "I am not on call until Friday"),
        ("The user is on call.", "2026-02-27", "I am on call until Friday except in the mornings"),
    ] {
        check(text, exp, quote, (Proposed, "ungrounded"));
    }
    check("Likes coffee", "2020-01-01", "I like coffee", (Proposed, "ungrounded expired"));
}

#[test]
fn what_the_user_says_of_a_bullet_may_let_it_expire() {
    for (text, meta, quote) in [
        ("Is on a diet", json!({"exp": "2026-06-30"}), "The diet ends on June 30"),
        ("Is on a diet", json!({"exp": "2026-02-20"}), "I gave up the diet on 2026-02-20"),
        ("Is on a diet", json!({"imp": 9}), "The diet is very important to me"),
        ("正在节食", json!({"exp": "2026-06-30"}), "节食到6月30号结束"),
    ] {
        let operation = set(text, meta, quote);
        let found = verdict(&memory(text), &operation, &format!("User: {quote}.\n"));
        assert_eq!(found, (Kept, String::new()), "{operation}");
    }
}

#[test]
fn an_expiry_of_what_is_pinned_waits_whatever_is_said() {
    let text = "# User\n\n- Is on a diet\n  <!-- mem pin=yes -->\n";
    let operation = set("Is on a diet", json!({"exp": "2026-06-30"}), "The diet ends on June 30");
    let memory = Memory::new().file("facts/user.md", text);
    let found = verdict(&memory, &operation, "User: The diet ends on June 30.\n");
    assert_eq!(found, (Proposed, "pinned".into()));
}

#[test]
fn a_model_changes_metadata_by_set_only_and_of_bullets_only() {
    let quote = "I am on a diet until 2026-06-30";
    let conversation = format!("User: {quote}.\n");
    let text = "# User\n\n- Is on a diet\n  <!-- mem exp=2026-12-31 -->\n- Owns a kettle\n";
    let patch = json!({"op": "patch", "at": "facts/user.md", "quote": quote, "turn": 1,
        "pairs": [{"old": "exp=2026-12-31", "new": "exp=2026-06-30"}]});
    let file = json!({"op": "set", "at": "facts/user.md", "meta": {"exp": "2026-06-30"}, "quote": quote, "turn": 1});
    for operation in [patch, file] {
        let memory = Memory::new().file("facts/user.md", text);
        assert_eq!(verdict(&memory, &operation, &conversation), (Refused, "not_allowed".into()), "{operation}");
    }
}

/// No rule is made for the judged texts: the number says how many of them are wrong.
#[test]
fn a_day_stands_for_the_words_that_say_until_when() {
    for (file, most_wrong) in [
        (include_str!("../../../fixtures/grounding/until_judged.en.txt"), 0),
        (include_str!("../../../fixtures/grounding/until_judged.zh.txt"), 0),
    ] {
        let mut wrong = Vec::new();
        for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let [label, text, exp, quote] = line.splitn(4, " | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
            let mut operation = add("facts/user.md", text, quote);
            operation["expires"] = json!(exp);
            let (found, reasons) = verdict(&memory(PEANUTS), &operation, &format!("User: {quote}.\n"));
            if (found == Kept) != (label == "yes") {
                wrong.push(format!("{line}: {reasons}"));
            }
        }
        println!("{} wrong: {wrong:#?}", wrong.len());
        assert!(wrong.len() <= most_wrong, "{wrong:#?}");
    }
}
