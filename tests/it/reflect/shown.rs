//! What a model is shown of a memory: all facts of a small one, the relevant ones of a large one, and its read tools.

use memdir::llm::replay::{text_reply, tool_call_reply};
use memdir::reflect::prompt::ReplyMode;
use serde_json::{Value, json};

use super::script::{Script, add, object, ops};
use crate::support::{Memory, handle};

/// 40 files of 40 facts, about 20,000 tokens.
fn large() -> Memory {
    (0..40).fold(Memory::new(), |memory, file| {
        let bullets: String =
            (0..40).map(|i| format!("- Supplier {file}-{i} delivers part {i} in boxes of ten\n")).collect();
        memory.file(&format!("facts/suppliers-{file}.md"), &format!("# Suppliers {file}\n\n{bullets}"))
    })
}

#[test]
fn of_a_large_memory_the_prompt_holds_what_the_conversation_is_about() {
    let memory = large().file("facts/editor.md", "# Editor\n\n- Editor: vim\n").file("procedures/p.md", "- A step\n");
    let script = Script::of([ops(&[])]);
    script.reads(&memory, "User: I moved from vim to Helix as my editor.\n");
    let prompt = script.question(0);
    assert!(prompt.contains(&format!("facts/editor.md\n- @{} Editor: vim\n", handle("Editor: vim"))), "{prompt}");
    assert!(!prompt.contains("A step"), "procedures are no facts");
    assert!(prompt.len() < 40_000, "{}", prompt.len());
    // The number of facts that are not shown: a model that does not know it would add them again.
    let shown = prompt.matches("Supplier ").count();
    assert!(prompt.contains(&(1601 - 1 - shown).to_string()), "{shown} of 1600 shown:\n{prompt}");
}

#[test]
fn the_read_tools_show_files_bullets_and_texts_with_what_was_just_accepted() {
    let memory = large().file("facts/editor.md", "# Editor\n\n- Editor: vim\n\n## Plugins\n\n- None\n");
    let conversation = "User: I use Helix now, and Two cats live here.\n";
    let calls: [(&str, Value); 9] = [
        ("add", object(add("facts/pets.md", "Two cats live here", "Two cats live here"))),
        ("list", json!({})),
        ("list", json!({"at": "facts/pets.md"})),
        ("read", json!({"at": format!("editor@{}", handle("Editor: vim"))})),
        ("read", json!({"address": "editor#plugins"})),
        ("read", json!({"at": "suppliers-1"})),
        ("query", json!({"words": "unheard-of"})),
        ("read", json!({"at": "facts/none.md"})),
        ("read", json!({})),
    ];
    let script = Script::of([tool_call_reply(calls), text_reply("")]).way(ReplyMode::Tools);
    let answer = script.reads(&memory, conversation);
    assert_eq!(answer.counts.kept, 1, "{:?}", answer.decisions);
    let results = script.results(1);
    let [_, files, bullets, bullet, section, long, nothing, missing, unnamed] = &results[..] else {
        panic!("{results:?}")
    };
    assert!(files.contains("facts/editor.md: ") && files.ends_with("facts/pets.md\n"), "{files}");
    assert_eq!(*bullets, format!("- @{} Two cats live here\n", handle("Two cats live here")));
    assert_eq!(bullet, "- Editor: vim\n");
    assert_eq!(section, "## Plugins\n\n- None\n");
    assert!(long.starts_with("# Suppliers 1\n"), "{long}");
    assert_eq!(nothing, "nothing found\n");
    assert!(missing.contains("file_not_found") && unnamed.contains("usage"), "{missing}\n{unnamed}");
}

#[test]
fn the_result_of_a_read_tool_ends_at_a_line_with_a_note() {
    let text: String = (0..2000).map(|i| format!("- Fact number {i} about nothing\n")).collect();
    let memory = Memory::new().file("facts/long.md", &text);
    let calls = [("read", json!({"at": "facts/long.md"}))];
    let script = Script::of([tool_call_reply(calls), text_reply("")]).way(ReplyMode::Tools);
    script.reads(&memory, "User: What is in there?\n");
    let result = &script.results(1)[0];
    let (shown, note) = result.rsplit_once("\n[").unwrap();
    assert!(text.starts_with(&format!("{shown}\n")) && note.contains("left out"), "{note}");
    assert!((4_000..16_000).contains(&shown.len()), "{}", shown.len());
}

#[test]
fn a_pin_of_metadata_is_no_secret() {
    let text = "# User\n\n- Likes tea\n  <!-- mem pin=yes added=2025-01-02 -->\n- My pin=4821\n";
    let memory = Memory::new().file("facts/user.md", text);
    let script = Script::of([tool_call_reply([("read", json!({"at": "facts/user.md"}))]), text_reply("")]);
    let script = script.way(ReplyMode::Tools);
    script.reads(&memory, "User: What is in there?\n");
    assert_eq!(script.results(1)[0], text.replace("4821", "[redacted]"));
}

#[test]
fn the_prompt_holds_all_facts_if_it_may() {
    let memory = large();
    let home = memory.dir().with_file_name("talk.md");
    fs_err::write(home, "User: I moved from vim to Helix as my editor.\n").unwrap();
    let shown = |words: &[&str]| {
        let all = ["reflect", "talk.md", "--show-prompt"].iter().chain(words).copied();
        memory.run(all).exit(0).stdout.matches("Supplier ").count()
    };
    assert!(shown(&[]) < 1600);
    assert_eq!(shown(&["--facts-tokens", "200000"]), 1600);
    assert!(shown(&["--facts-tokens", "100"]) < 20);
}
