//! Blocks `Title: (ID: x)`, ids of blocks and items, consent and searches of the source documents, where a request is
//! followed by the next one.

use serde_json::{Value, json};

use crate::support::Memory;

const BLOCK: &str = "User Profile: (ID: mem123)\n- Lives in Denver\n";

/// The reply of `tool seed`.
fn ask(memory: &Memory, request: &Value) -> Value {
    let ran = memory.run(["tool", "seed"]).stdin(request.to_string()).may_change().exit(0);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn apply(memory: &Memory, request: &Value) {
    memory.run(["apply"]).stdin(request.to_string()).exit(0);
}

#[test]
fn a_file_that_begins_with_a_block_takes_bullets_of_its_own() {
    let memory = Memory::new().file("facts/user.md", BLOCK);
    memory.done(["add", "user", "Likes tea"]);
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.ends_with(&format!("\n\n- Likes tea\n\n{BLOCK}")), "{text}");
}

#[test]
fn a_block_keeps_its_id_when_its_last_bullet_leaves() {
    let memory = Memory::new().file("facts/user.md", &format!("{BLOCK}\n## Work\n\n- Standup\n"));
    apply(&memory, &json!({"memory_id": "mem123", "sub_memory": "Lives in Denver", "index": 1, "intent": "delete"}));
    let summary = |memory: &Memory| {
        let text = memory.text("facts/user.md").unwrap();
        text.lines().find(|line| line.starts_with("> Summary:")).unwrap().to_owned()
    };
    assert!(!summary(&memory).contains("mem123"), "{}", summary(&memory));
    memory.run(["list", "user"]).exit(0).stdout_contains("\nuser-profile ^mem123 (0)\n");
    apply(&memory, &json!({"memory_id": "mem123", "sub_memory": "Age is 30", "intent": "add"}));
    memory.done(["add", "user#mem123", "Lives with Anna"]);
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.contains("User Profile: (ID: mem123)\n- Age is 30\n- Lives with Anna\n\n## Work\n"), "{text}");
}

#[test]
fn the_last_bullet_of_a_block_is_restored_below_it() {
    let memory = Memory::new().file("facts/user.md", BLOCK);
    memory.done(["rm", "--archive", "user#mem123@1", "-f"]);
    memory.done(["restore", "archive/facts/user.md"]);
    assert!(memory.text("facts/user.md").unwrap().ends_with(BLOCK));
}
