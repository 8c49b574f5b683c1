//! The examples of the source documents, word for word, through the command line.

use serde_json::Value;

use crate::support::Memory;

const PROFILE: &str = "\
# User

User Profile: (ID: mem123)
- Lives in Denver
- Age is 30
- Lives with Anna
";

fn profile() -> Memory {
    Memory::new().file("facts/user.md", PROFILE)
}

/// The bullets of a file, in order.
fn bullets(memory: &Memory, path: &str) -> Vec<String> {
    let document = memdir::document::Document::parse(memory.text(path).unwrap());
    (0..document.bullets().len()).map(|i| document.bullet_text(i).into_owned()).collect()
}

mod bullet_crud {
    use super::*;

    const ADD: &str = r#"  {
    "memory_id": "mem123",
    "sub_memory": "Lives with Anna",
    "intent": "add"
  }"#;
    const DELETE: &str = r#"  {
    "memory_id": "mem123",
    "sub_memory": "Lives with Anna",
    "index": 3,
    "intent": "delete"
  }"#;
    const UPDATE: &str = r#"  {
    "memory_id": "mem123",
    "old_sub_memory": "Lives in Denver",
    "new_sub_memory": "Lives in Austin",
    "index": 1,
    "intent": "update"
  }"#;
    const BOTH: &str = r#"[
  {
    "memory_id": "mem123",
    "old_sub_memory": "Lives in Denver",
    "new_sub_memory": "Lives in Austin",
    "index": 1,
    "intent": "update"
  },
  {
    "memory_id": "mem123",
    "sub_memory": "Lives with Anna",
    "index": 3,
    "intent": "delete"
  }
]"#;

    #[test]
    fn an_existing_bullet_is_not_added_twice() {
        let memory = profile();
        let ran = memory.run(["apply"]).stdin(ADD).exit(0).unchanged();
        assert!(ran.stdout.contains("= @"), "{ran}");
    }

    #[test]
    fn adding_a_known_bullet_changes_nothing() {
        let memory = Memory::new().file("facts/user.md", &PROFILE.replace("- Lives with Anna\n", ""));
        memory.run(["apply"]).stdin(ADD).exit(0);
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Denver", "Age is 30", "Lives with Anna"]);
        memory.run(["apply"]).stdin(ADD).exit(0).unchanged();
    }

    #[test]
    fn deleting_by_index_and_text_and_again() {
        let memory = profile();
        memory.run(["apply"]).stdin(DELETE).exit(0);
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Denver", "Age is 30"]);
        memory.run(["apply"]).stdin(DELETE).exit(0).unchanged().stdout_contains("= Lives with Anna (removed before)");
    }

    #[test]
    fn a_text_that_another_block_had_is_not_said_to_be_removed() {
        let text = "# User\n\n## Work {#mem1}\n\n- Prefers tabs\n\n## Home {#mem2}\n\n- Likes tea\n- Likes rum\n";
        let memory = Memory::new().file("facts/user.md", text);
        memory.done(["rm", "user#home", "- Likes rum"]);
        for (id, why) in [("mem2", "removed before"), ("mem1", "not in that section")] {
            let delete = format!(r#"{{"intent":"delete","memory_id":"{id}","sub_memory":"Likes rum"}}"#);
            let told = format!("= Likes rum ({why})");
            memory.run(["apply"]).stdin(delete).exit(0).unchanged().stdout_contains(&told);
        }
    }

    #[test]
    fn updating_by_index_and_text_and_again() {
        let memory = profile();
        memory.run(["apply"]).stdin(UPDATE).exit(0);
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Austin", "Age is 30", "Lives with Anna"]);
        memory.run(["apply"]).stdin(UPDATE).exit(0).unchanged();
    }

    #[test]
    fn the_whole_answer_to_i_moved_to_austin() {
        let memory = profile();
        memory.run(["apply"]).stdin(BOTH).exit(0);
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Austin", "Age is 30"]);
        let fenced = format!("```json\n{BOTH}\n```\n");
        let memory = profile();
        memory.run(["apply"]).stdin(fenced).exit(0);
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Austin", "Age is 30"]);
    }

    #[test]
    fn an_index_that_is_out_of_date_is_warned_of_and_the_text_decides() {
        let memory = profile();
        let moved = DELETE.replace("\"index\": 3", "\"index\": 1");
        memory.run(["apply"]).stdin(moved).exit(0).stderr_contains("index_moved");
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Denver", "Age is 30"]);
    }

    #[test]
    fn with_unchanged_state_the_index_wins_for_an_update_and_nothing_is_removed_against_its_text() {
        let memory = profile();
        let etag = memdir::change::Etag::of(PROFILE.as_bytes()).short();
        let seen = format!("\"index\": 2, \"seen\": \"{etag}\"");
        memory.run(["apply"]).stdin(DELETE.replace("\"index\": 3", &seen)).exit(4).stderr_contains("text_mismatch");
        memory.run(["apply"]).stdin(UPDATE.replace("\"index\": 1", &seen)).exit(0).stderr_contains("text_mismatch");
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Denver", "Lives in Austin", "Lives with Anna"]);

        // The document's JSON as it stands: the caller says with the etag that nothing changed.
        let memory = profile();
        let unchanged = ["apply", "--if-match", &etag];
        let other_index = UPDATE.replace("\"index\": 1", "\"index\": 2");
        memory
            .run(unchanged)
            .stdin(DELETE.replace("\"index\": 3", "\"index\": 2"))
            .exit(4)
            .stderr_contains("text_mismatch");
        memory.run(unchanged).stdin(other_index.clone()).exit(0).stderr_contains("text_mismatch");
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Denver", "Lives in Austin", "Lives with Anna"]);
        memory.run(unchanged).stdin(other_index).exit(0).unchanged();
    }

    /// "Parse ID, text and index": also with words around the answer, and with the index as a string.
    #[test]
    fn an_answer_in_a_code_block_is_taken_out_of_its_words() {
        let memory = profile();
        let answer = format!(
            "Here is the change you need:\n\n```json\n{}\n```\n\nLet me know!",
            DELETE.replace(": 3", ": \"3\"")
        );
        memory.run(["apply"]).stdin(answer.clone()).exit(0);
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Denver", "Age is 30"]);
        let memory = profile();
        memory.run(["apply"]).stdin(format!("{answer}\n```json\n[]\n```\n")).exit(2).unchanged();
        for index in ["\"0\"", "\"-1\"", "\"three\"", "\"3 \""] {
            memory.run(["apply"]).stdin(DELETE.replace(": 3", &format!(": {index}"))).exit(2).unchanged();
        }
    }

    /// "Index base (0/1) must be specified": it is 1, and an operation cannot choose another.
    #[test]
    fn an_index_counts_from_one_and_an_operation_names_no_base() {
        for (index, left) in [
            (1, ["Age is 30", "Lives with Anna"]),
            (2, ["Lives in Denver", "Lives with Anna"]),
            (3, ["Lives in Denver", "Age is 30"]),
        ] {
            let memory = profile();
            let alone = format!(r#"{{"memory_id": "mem123", "index": {index}, "intent": "delete"}}"#);
            memory.run(["apply", "-f"]).stdin(alone).exit(0);
            assert_eq!(bullets(&memory, "facts/user.md"), left);
        }
        let memory = profile();
        memory
            .run(["apply"])
            .stdin(DELETE.replace("\"index\": 3", "\"index\": 0"))
            .exit(2)
            .stderr_contains("from 1 to");
        let with_base = DELETE.replace("\"index\": 3", "\"index\": 2, \"index_base\": 0");
        memory.run(["apply"]).stdin(with_base).exit(2).stderr_contains("'index_base' is unknown");
    }

    #[test]
    fn equal_bullets_are_ambiguous_by_text_and_distinguished_by_index() {
        let memory = Memory::new().file("facts/user.md", &format!("{PROFILE}- Lives with Anna\n"));
        let by_text = DELETE.replace("    \"index\": 3,\n", "");
        memory.run(["apply"]).stdin(by_text).exit(4).stderr_contains("ambiguous_bullet");
        memory.run(["apply"]).stdin(DELETE).exit(0);
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Denver", "Age is 30", "Lives with Anna"]);
    }

    #[test]
    fn removing_the_last_bullet_keeps_its_heading() {
        let memory = Memory::new().file("facts/user.md", "# User\n\nUser Profile: (ID: mem123)\n- Lives with Anna\n");
        let last = DELETE.replace("\"index\": 3", "\"index\": 1");
        memory.run(["apply"]).stdin(last).exit(0);
        let text = memory.text("facts/user.md").unwrap();
        assert!(text.contains("User Profile: (ID: mem123)") && !text.contains("Anna"), "{text}");
        let headed =
            Memory::new().file("facts/user.md", "# User\n\n## Home {#mem123}\n\n- Lives with Anna\n\n## Work\n\n- x\n");
        headed.run(["apply"]).stdin(DELETE.replace("\"index\": 3", "\"index\": 1")).exit(0);
        let text = headed.text("facts/user.md").unwrap();
        assert!(text.contains("## Home {#mem123}\n\n## Work"), "{text}");
        headed.run(["apply"]).stdin(ADD).exit(0);
        assert!(headed.text("facts/user.md").unwrap().contains("## Home {#mem123}\n\n- Lives with Anna\n\n## Work"));
    }

    #[test]
    fn a_category_without_a_block_makes_one_in_the_default_file() {
        let memory = Memory::new();
        let add = r#"{"category": "User Profile", "sub_memory": "Lives in Denver", "intent": "add"}"#;
        memory.run(["apply"]).stdin(add).exit(0);
        assert_eq!(
            memory.text("facts/user.md").unwrap(),
            "# User\n\n> Summary: user profile, denver\n\n## User Profile\n\n- Lives in Denver\n"
        );
        memory.run(["apply"]).stdin(add).exit(0).unchanged();
        memory.run(["apply"]).stdin(add.replace("Lives in Denver", "Age is 30")).exit(0);
        assert_eq!(bullets(&memory, "facts/user.md"), ["Lives in Denver", "Age is 30"]);
    }

    #[test]
    fn an_unknown_id_and_a_part_of_a_text_change_nothing() {
        let memory = profile();
        memory.run(["apply"]).stdin(ADD.replace("mem123", "mem999")).exit(3).stderr_contains("mem999");
        memory
            .run(["apply"])
            .stdin(DELETE.replace("Lives with Anna", "Anna"))
            .exit(3)
            .stderr_contains("bullet_not_found");
    }
}

mod json_memory {
    use super::*;

    fn food() -> Memory {
        Memory::new().file(
            "facts/food.md",
            "# Food\n\n> Summary: what I like to eat and what not.\n\n## Likes\n\n- Pasta (especially carbonara)\n- Sushi\n- scrambled_eggs_with_lox\n\n## Dislikes\n\n- Olives\n",
        )
    }

    /// "Remove all egg preferences", stage 2.
    #[test]
    fn the_editors_decision() {
        let memory = food();
        let decision = r#"{
  "edits": [
    {
      "operation": "delete",
      "path": "food.likes[2]",
      "reason": "User requested removal of egg preferences"
    }
  ],
  "decision": "proceed",
  "reasoning": "Clear intent to remove eggs"
}"#;
        // A position alone proves nothing: the finder's current_value, `seen` or -f does.
        memory.run(["apply"]).stdin(decision).exit(4).stderr_contains("needs_proof");
        memory.run(["apply", "-f"]).stdin(decision).exit(0).diff("M facts/food.md\n-- scrambled_eggs_with_lox\n");
        let log = memory.done(["log", "--json"]).json();
        assert_eq!(log["entries"][0]["reason"], "Clear intent to remove eggs");
    }

    #[test]
    fn with_the_value_that_the_finder_saw_no_force_is_needed() {
        let memory = food();
        let edit = r#"{"operation": "delete", "path": "food.likes[2]", "current_value": "scrambled_eggs_with_lox"}"#;
        memory.run(["apply"]).stdin(edit).exit(0).diff("M facts/food.md\n-- scrambled_eggs_with_lox\n");
    }

    #[test]
    fn insert_update_and_no_change() {
        let memory = food();
        let insert = r#"{"operation": "insert", "path": "food.likes", "new_value": "Omelettes"}"#;
        memory.run(["apply"]).stdin(insert).exit(0).diff("M facts/food.md\n+- Omelettes\n");
        memory.run(["apply"]).stdin(insert).exit(0).unchanged();
        let update =
            r#"{"operation": "update", "path": "food.likes[1]", "current_value": "Sushi", "new_value": "Sashimi"}"#;
        memory.run(["apply"]).stdin(update).exit(0).diff("M facts/food.md\n-- Sushi\n+- Sashimi\n");
        memory.run(["apply"]).stdin(r#"{"operation": "no_change", "path": "food.likes"}"#).exit(0).unchanged();
    }

    /// "delete: Remove item from list or field from dict".
    #[test]
    fn a_field_of_an_item_is_removed_by_its_path() {
        let memory = Memory::new().file(
            "facts/food.md",
            "# Food\n\n> Summary: sushi\n\n## Likes\n\n- Sushi\n  <!-- mem imp=7 exp=2026-12-31 -->\n",
        );
        let bare = r#"{"operation": "delete", "path": "food.likes[0].expiry"}"#;
        memory.run(["apply"]).stdin(bare).exit(4).unchanged().stderr_contains("needs_proof");
        let proven = bare.replace('}', ", \"current_value\": \"Sushi\"}");
        memory.run(["apply"]).stdin(proven).exit(0);
        assert!(memory.text("facts/food.md").unwrap().contains("- Sushi\n  <!-- mem imp=7 -->\n"));
        memory.run(["apply", "-f"]).stdin(bare.replace("expiry", "importance")).exit(0);
        assert!(memory.text("facts/food.md").unwrap().ends_with("- Sushi\n"));
        for path in ["food.likes[0].added", "food.likes[0].colour", "food.likes[0].", "food.likes[0][1]"] {
            memory.run(["apply", "-f"]).stdin(bare.replace("food.likes[0].expiry", path)).exit(2).unchanged();
        }
    }

    /// "no_change: Duplicate or invalid": also as the only edit of a decision to reject.
    #[test]
    fn a_rejection_may_say_no_change() {
        let memory = food();
        let edits = r#"{"edits": [{"operation": "no_change", "path": "food.likes[0]", "reason": "exists"}], "decision": "reject"}"#;
        memory.run(["apply"]).stdin(edits).exit(0).unchanged();
        let change =
            edits.replace("no_change", "delete").replace("\"reason\": \"exists\"", "\"current_value\": \"Sushi\"");
        memory.run(["apply"]).stdin(change).exit(2).unchanged().stderr_contains("there are edits");
    }

    #[test]
    fn several_edits_are_all_or_nothing() {
        let memory = food();
        let edits = r#"[{"operation": "insert", "path": "food.likes", "new_value": "Tofu"},
                        {"operation": "delete", "path": "food.dislikes[4]", "current_value": "Eggs"}]"#;
        memory.run(["apply"]).stdin(edits).exit(3);
    }
}

mod m2 {
    use super::*;

    const USER: &str = "\
# User Facts

> Summary: user name, language, role

- Name: Zhang San
- Language: prefers Chinese discussion, English code
- Role: Full-stack developer
- Updated: 2026-02-24
";
    const EPISODES: &str = "\
# 2026-02 Episodes

> Summary: logger fix, short ID, config refactor

## Logger stdout leak fix
- Summary: pino pipeline stdout leak → custom JS transport
- Date: 2026-02-24
- Problem: pino-pretty in pipeline mode leaks to stdout
- Solution: Custom line-transport.js, removed pipeline entirely
- Lesson: pino worker threads cannot load .ts files in Bun
";
    const SHORT_ID: &str = "\
## Short ID implementation
- Summary: UUID → 16-char hex short ID
- Date: 2026-02-24
- Task: Replace full UUID with shorter IDs
- Solution: First 64 bits of UUID v4 as 16-char hex
- Collision probability: ~1 in 2^64
";

    fn memory() -> Memory {
        Memory::new().file("facts/user.md", USER).file("episodes/2026-02.md", EPISODES)
    }

    #[test]
    fn memory_write_creates_a_file_and_requires_proof_before_it_overwrites() {
        let memory = Memory::new();
        memory.run(["write", "facts/user.md"]).stdin(USER).exit(0);
        assert_eq!(memory.text("facts/user.md").as_deref(), Some(USER));
        memory.run(["write", "facts/user.md"]).stdin(USER).exit(0).unchanged();
        memory
            .run(["write", "facts/user.md"])
            .stdin("# User Facts\n")
            .exit(4)
            .stderr_contains("needs_proof")
            .stderr_contains("remove 4 of its bullets");
        let call = r##"{"name": "memory_write", "arguments": {"path": "facts/project.md", "content": "# Project\n\n- Stack: Bun\n"}}"##;
        memory.run(["apply"]).stdin(call).exit(0);
        assert!(memory.text("facts/project.md").unwrap().contains("- Stack: Bun\n"));
    }

    #[test]
    fn memory_patch_replaces_each_text_once_and_counts() {
        let memory = memory();
        let patches = r#"[{"oldText": "Full-stack developer", "newText": "Architect"}, {"oldText": "Zhang San", "newText": "Zhang Wei"}]"#;
        let answer = memory.run(["patch", "facts/user.md", "--json"]).stdin(patches).exit(0).json();
        assert_eq!(answer["applied_count"], 2);
        assert_eq!(
            bullets(&memory, "facts/user.md")[..3],
            ["Name: Zhang Wei", "Language: prefers Chinese discussion, English code", "Role: Architect"]
        );
        let again = memory.run(["patch", "facts/user.md", "--json"]).stdin(patches).exit(0).unchanged().json();
        assert_eq!((&again["applied_count"], &again["changed"]), (&Value::from(0), &Value::from(false)));
        let one_misses = r#"[{"oldText": "Architect", "newText": "x"}, {"oldText": "nowhere", "newText": "y"}]"#;
        memory.run(["patch", "facts/user.md"]).stdin(one_misses).exit(3).stderr_contains("text_not_found");
        memory.run(["patch", "facts/user.md", "--old", "an", "--new", "x"]).exit(4).stderr_contains("ambiguous_text");
        let call = r#"{"name": "memory_patch", "arguments": {"path": "facts/user.md", "patches": [{"oldText": "Architect", "newText": "CTO"}]}}"#;
        memory.run(["apply"]).stdin(call).exit(0).diff("M facts/user.md\n-- Role: Architect\n+- Role: CTO\n");
    }

    #[test]
    fn memory_append_adds_an_entry_once_and_its_summary_is_the_callers() {
        let memory = memory();
        memory.run(["append", "episodes/2026-02.md"]).stdin(SHORT_ID).exit(0);
        let text = memory.text("episodes/2026-02.md").unwrap();
        assert!(text.ends_with(&format!("in Bun\n\n{SHORT_ID}")), "{text}");
        assert!(text.contains("> Summary: logger fix, short ID, config refactor"), "a person's line stays: {text}");
        memory.run(["append", "episodes/2026-02.md"]).stdin(SHORT_ID).exit(0).unchanged();
        let call = serde_json::json!({"name": "memory_append", "arguments": {
            "path": "episodes/2026-03.md", "entry": SHORT_ID, "summary": "short ID"}});
        memory.run(["apply"]).stdin(call.to_string()).exit(0);
        let text = memory.text("episodes/2026-03.md").unwrap();
        assert_eq!(text, format!("# 2026-03 Episodes\n\n> Summary: short ID\n\n{SHORT_ID}"));
    }

    #[test]
    fn append_writes_the_entry_of_the_document_from_its_parts() {
        let memory = memory();
        let body = "- Task: Replace full UUID with shorter IDs\n- Solution: First 64 bits of UUID v4 as 16-char hex\n- Collision probability: ~1 in 2^64\n";
        let words = ["append", "-t", "Short ID implementation", "-s", "UUID → 16-char hex short ID"];
        memory.run(words).stdin(body).exit(0);
        assert!(memory.text("episodes/2026-02.md").unwrap().ends_with(SHORT_ID));
        // The first entry of a month makes the file, with its heading and a summary line.
        let memory = Memory::new();
        memory.run(words).stdin(body).exit(0);
        let text = memory.text("episodes/2026-02.md").unwrap();
        let summary = text.lines().nth(2).unwrap();
        assert!(summary.starts_with("> Summary: short id implementation"), "{text}");
        assert_eq!(text, format!("# 2026-02 Episodes\n\n{summary}\n\n{SHORT_ID}"));
    }

    #[test]
    fn memory_list_shows_files_with_size_and_summary() {
        let memory = memory();
        let printed = memory.done(["list"]).stdout;
        assert!(printed.contains(&format!("facts/user.md ({}B): user name, language, role", USER.len())), "{printed}");
        assert!(printed.contains("logger fix, short ID, config refactor"), "{printed}");
    }

    #[test]
    fn no_path_leaves_the_directory() {
        let memory = memory();
        for path in ["../../etc/passwd", "facts/../../x.md", "/etc/passwd", "facts/%2e%2e/x", "..\\x"] {
            memory.run(["write", path]).stdin("x\n").exit(5);
            let call = serde_json::json!({"name": "memory_write", "arguments": {"path": path, "content": "x"}});
            memory.run(["apply"]).stdin(call.to_string()).exit(5);
        }
    }
}
