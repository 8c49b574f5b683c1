//! What `compact` and `compact --duplicates` merge: only bullets that count for the same agents, at the same times and
//! places, and the merged text is of their kind.

use serde_json::json;

use crate::support::Memory;

const POLICY: &str = "version: 1\ncategories: {custom: [{name: health}]}\n\
    allowlists: {planner: [work], doctor: [work, health]}\nagents: {default: planner}\n";
const MERGED: &str = "Likes tea and owns two cats";

fn decision(text: &str) -> String {
    json!({"action": "merge", "target": 1, "absorbs": [2], "new_content": text, "reason": "r"}).to_string()
}

/// The file of two facts after `compact user --to 1` with a model that merges the second into the first, and its
/// prompt. What is not merged is left to age.
fn merged(memory: &Memory, facts: &str, text: &str) -> (String, String) {
    memory.put("facts/user.md", format!("# User\n\n{facts}").into_bytes());
    memory.script_model(&[decision(text), decision(text)]);
    memory.done(["--as", "doctor", "compact", "user", "--to", "1"]);
    (memory.text("facts/user.md").unwrap(), memory.model_requests())
}

#[track_caller]
fn check(policy: &str, facts: &str, text: &str, is_merged: bool) {
    let memory = Memory::new().policy(policy);
    let (after, _) = merged(&memory, facts, text);
    assert_eq!(after.contains(&format!("- {text}\n")), is_merged, "{facts} / {text}: {after}");
}

#[test]
fn a_merge_keeps_the_category_of_its_items() {
    let tea = "- [health] Allergic to penicillin\n- Likes tea\n";
    for text in ["Allergic to penicillin, likes tea", "[health] Allergic to penicillin, likes tea"] {
        check(POLICY, tea, text, false);
        check("version: 1\n", tea, text, false);
    }
    let plain = "- Likes tea\n- Owns two cats\n";
    check(POLICY, plain, MERGED, true);
    for mark in ["[health] ", "[secret] ", "[ ] ", "[x] ", "**[health]** "] {
        check(POLICY, plain, &format!("{mark}{MERGED}"), false);
    }
    check(POLICY, plain, &format!("~~{MERGED}~~"), false);
    check(POLICY, plain, "Likes ~~tea and owns two~~ cats", false);
    let health = "- [health] Allergic to nuts\n- [Health] Takes pills\n";
    check(POLICY, health, "[health] Allergic to nuts, takes pills", true);
    check(POLICY, health, "Allergic to nuts, takes pills", false);
    check(POLICY, "- [ ] Buy tea\n- [ ] Feed two cats\n", "[ ] Buy tea, feed two cats", true);
    check(POLICY, "- [ ] Buy tea\n- [x] Feed two cats\n", "[ ] Buy tea, feed two cats", false);
    check(POLICY, "- ~~Likes tea~~\n- ~~Owns two cats~~\n", MERGED, false);
}

#[test]
fn bullets_of_two_sections_are_not_merged() {
    let facts = "## Work\n\n- Stand-up at 10:00\n\n## Health\n\n- Allergic to penicillin\n";
    check(POLICY, facts, "Stand-up at 10:00, allergic to penicillin", false);
}

#[test]
fn a_hidden_part_of_an_item_goes_into_no_text() {
    let facts = "- Doctor\n  - [health] Allergic to penicillin\n- Likes tea\n";
    check(POLICY, facts, "Doctor: allergic to penicillin, likes tea", false);
}

#[test]
fn a_merge_keeps_what_limits_its_items() {
    for key in ["exp=2027-01-01", "when=src/**", "branch=dev", "type=insight", "other=1"] {
        let absorbed = format!("- Likes tea\n- Owns two cats\n  <!-- mem {key} -->\n");
        check("version: 1\n", &absorbed, MERGED, false);
        let target = format!("- Likes tea\n  <!-- mem {key} -->\n- Owns two cats\n");
        check("version: 1\n", &target, MERGED, false);
        let both = format!("- Likes tea\n  <!-- mem {key} -->\n- Owns two cats\n  <!-- mem {key} -->\n");
        let (after, _) = merged(&Memory::new(), &both, MERGED);
        assert!(after.ends_with(&format!("- {MERGED}\n  <!-- mem {key} -->\n")), "{after}");
    }
}

#[test]
fn a_merged_bullet_has_the_highest_importance() {
    for (first, second, expected) in [
        ("", "  <!-- mem imp=9 -->\n", "  <!-- mem imp=9 -->\n"),
        ("  <!-- mem imp=7 -->\n", "  <!-- mem imp=6 -->\n", "  <!-- mem imp=7 -->\n"),
        ("", "  <!-- mem imp=3 -->\n", ""),
        ("  <!-- mem imp=3 id=a1 -->\n", "", "  <!-- mem imp=5 id=a1 -->\n"),
    ] {
        let facts = format!("- Likes tea\n{first}- Owns two cats\n{second}");
        let (after, _) = merged(&Memory::new(), &facts, MERGED);
        assert!(after.ends_with(&format!("- {MERGED}\n{expected}")), "{facts}: {after}");
    }
}

#[test]
fn the_model_is_told_which_items_belong_together() {
    let facts = "- Likes tea\n- Owns two cats\n- [health] No nuts\n";
    let (_, asked) = merged(&Memory::new().policy(POLICY), facts, MERGED);
    assert!(asked.contains("Only items of one group may be merged"), "{asked}");
    let (_, asked) = merged(&Memory::new().policy(POLICY), "- Likes tea\n- Owns two cats\n", MERGED);
    assert!(!asked.contains("group"), "{asked}");
}

#[test]
fn an_entry_keeps_its_categories_and_its_importance() {
    let run = |first: &str, second: &str, text: &str| {
        let memory = Memory::new().policy(POLICY);
        let days = |title: &str, line: &str| format!("## {title}\n- Date: 2026-02-03\n- {line}\n");
        let file = format!("# 2026-02 Episodes\n\n{}\n{}", days("Tea", first), days("Cats", second));
        memory.put("episodes/2026-02.md", file.into_bytes());
        let answer = decision(text);
        memory.script_model(&[answer.clone(), answer]);
        memory.done(["--as", "doctor", "compact", "episodes/2026-02", "--to", "1"]);
        memory.text("episodes/2026-02.md").unwrap()
    };
    let text = "- Bought tea\n- Fed the cats";
    let after = run("Bought tea", "Fed the cats\n  <!-- mem imp=8 -->", text);
    assert!(after.contains("- Bought tea\n  <!-- mem imp=8 -->\n- Fed the cats\n"), "{after}");
    let after = run("[health] Bought tea", "Fed the cats", text);
    assert!(!after.contains("- Bought tea"), "{after}");
    let after = run("Bought tea", "Fed the cats\n  <!-- mem exp=2027-01-01 -->", text);
    assert!(!after.contains("- Bought tea\n- Fed"), "{after}");
    // What is struck through, or done, could become another statement.
    let after = run("~~Bought tea~~", "Fed the cats", "- Bought tea\n- ~~Fed the cats~~");
    assert!(!after.contains("~~Fed"), "{after}");
    let after = run("[x] Bought tea", "[ ] Fed the cats", "- [ ] Bought tea\n- [x] Fed the cats");
    assert!(!after.contains("[x] Fed"), "{after}");
}

#[test]
fn duplicates_keep_their_kind_and_their_section() {
    let (a, b) = ("Rents a boat from Greta", "Rents a boat in summer");
    let whole = "Rents a boat from Greta in summer";
    let run = |file: String, text: &str| {
        let memory = Memory::new().policy(POLICY);
        memory.put("facts/user.md", file.into_bytes());
        let pairs = json!({"pairs": [{"n": 1, "verdict": "merge", "keep": "a", "text": text}]}).to_string();
        memory.script_model(&[pairs.clone(), pairs]);
        memory.done(["--as", "doctor", "compact", "--duplicates"]);
        memory.text("facts/user.md").unwrap()
    };
    let plain = format!("# User\n\n- {a}\n- {b}\n");
    assert!(run(plain.clone(), whole).contains(whole));
    for text in [format!("[secret] {whole}"), format!("[ ] {whole}"), format!("~~{whole}~~")] {
        assert!(!run(plain.clone(), &text).contains(whole), "{text}");
    }
    let sections = format!("# User\n\n## Work\n\n- {a}\n\n## Health\n\n- {b}\n");
    assert!(!run(sections, whole).contains(whole));
    assert!(!run(format!("# User\n\n## One\n\n- {a}\n\n## Two\n\n- {b}\n"), whole).contains(whole));
}

#[test]
fn equal_bullets_for_different_agents_are_no_duplicates() {
    let memory = Memory::new().policy(POLICY);
    memory.put("facts/user.md", b"# User\n\n## Work\n\n- Allergic to nuts\n\n## Health\n\n- Allergic to nuts\n");
    let same = json!({"pairs": [{"n": 1, "verdict": "same", "keep": "b", "text": null}]}).to_string();
    memory.script_model(&[same.clone(), same]);
    memory.done(["--as", "doctor", "compact", "--duplicates"]);
    assert_eq!(memory.text("facts/user.md").unwrap().matches("Allergic").count(), 2);
}
