//! Files with several conversations, and conversations that wait: one that fails or is long holds up no other.

use serde_json::{Value, json};

use crate::support::{CommandOutcome, Memory};

fn conversation(id: &str, text: &str) -> String {
    json!({"id": id, "messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "Nice."}]})
        .to_string()
}

/// Lets a program be the model that cannot answer where a request has a text, and else gives an answer.
fn fails_at(memory: &Memory, text: &str) {
    let answers = r#"echo "{\"foo\":1}"; else echo "{\"operations\":[]}"; fi"#;
    let script = format!(r#"if grep -q "{text}"; then {answers}"#);
    memory.configure(&format!("model: {{provider: exec, command: [sh, -c, '{script}']}}\n"));
}

/// For each conversation of a report its id, and how many chunks of it were read.
fn read(ran: &CommandOutcome) -> Vec<(String, u64)> {
    let rows = ran.json()["conversations"].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row: &Value| (row["id"].as_str().unwrap().to_owned(), row["chunks"].as_u64().unwrap())).collect()
}

#[test]
fn a_conversation_without_a_usable_answer_holds_up_no_other() {
    let trees = |n: usize| conversation(&format!("c{n}"), &format!("I planted apple tree number {n} in the garden."));
    let export: Vec<String> = (0..4).map(trees).collect();
    let memory = Memory::new();
    fails_at(&memory, "tree number [02]");
    let run = || memory.run(["reflect", "--json"]).stdin(export.join("\n")).may_change().ends();
    let first = run();
    let chunks = |read: Vec<(String, u64)>| read.into_iter().map(|(_, chunks)| chunks).collect::<Vec<_>>();
    assert_eq!(chunks(read(&first)), [0, 1, 0, 1], "{first}");
    assert!(first.json()["partial"].as_str().unwrap().contains("no operations"), "{first}");
    // After two in a row nothing more is asked.
    let memory = Memory::new();
    fails_at(&memory, "tree number");
    let all = memory.run(["reflect", "--json"]).stdin(export.join("\n")).may_change().ends();
    assert_eq!(all.status, 8, "{all}");
}

#[test]
fn a_long_conversation_holds_up_no_record_of_another() {
    let part = |n: usize| {
        let text = format!("Part {n}: {}", "I describe the garden shed and its wooden walls again. ".repeat(12));
        [json!({"role": "user", "content": text}), json!({"role": "assistant", "content": "I see."})]
    };
    let long = json!({"id": "long", "messages": (0..60).flat_map(part).collect::<Vec<_>>()}).to_string();
    let export =
        [long, conversation("two", "I planted three apple trees."), conversation("three", "I sold my old car.")];
    let memory = Memory::new();
    memory.script_model(&vec![json!({"record": null, "importance": 5, "tags": []}).to_string(); 3]);
    let ran = memory.run(["reflect", "--record", "--json"]).stdin(export.join("\n")).may_change().ends();
    assert_eq!(read(&ran).len(), 3, "{ran}");
    assert!(ran.json()["partial"].as_str().unwrap().contains("long"), "{ran}");
}

#[test]
fn a_conversation_in_utf_16_waits_unharmed() {
    let talk = "User: I have two cats.\nAssistant: ok\n";
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(talk.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let operation = json!({"op": "add", "at": "facts/user.md", "text": "Has two cats", "quote": "I have two cats"});
    let memory = Memory::new().policy("version: 2\nbudget: {tokens_per_day: 1}\n");
    memory.script_model(&[json!({"operations": [operation]}).to_string()]);
    memory.run(["reflect"]).stdin(utf16).may_change().ends().stderr_contains("the conversation is queued");
    memory.put("memdir.yaml", "version: 1\n");
    memory.run(["reflect", "--queued"]).may_change().exit(0);
    assert!(memory.text("facts/user.md").unwrap().contains("two cats"));
}

#[test]
fn a_queued_text_that_can_never_be_read_leaves_the_queue() {
    let memory = Memory::new();
    memory.done(["add", "user", "Likes tea"]);
    let queue = memory.dir().join(".memdir/queue");
    let session = memory.session();
    let (locked, _) = session.store.lock().unwrap();
    let item = "{\"conversation\":\"U\\u0000s\\u0000\"}";
    locked.enqueue(&session.new_signing_key().unwrap(), "2026-02-24-0123456789ab.json", item.as_bytes()).unwrap();
    drop(locked);
    memory.script_model(&[]);
    memory.run(["reflect", "--queued"]).may_change().exit(0).stderr_contains("not a text file");
    assert_eq!(fs_err::read_dir(&queue).unwrap().count(), 0);
}
