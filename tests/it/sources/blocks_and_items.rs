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

#[test]
fn a_block_that_a_category_makes_has_the_id_of_the_request() {
    let memory = Memory::new();
    let add = |text: &str| json!({"memory_id": "mem999", "category": "Pets", "sub_memory": text, "intent": "add"});
    apply(&memory, &add("Has a cat"));
    apply(&memory, &json!({"memory_id": "mem999", "sub_memory": "Has a dog", "intent": "add"}));
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.ends_with("## Pets {#mem999}\n\n- Has a cat\n- Has a dog\n"), "{text}");
    // A block that is there already keeps its id, and the reply says so.
    let other = json!({"memory_id": "mem998", "category": "Pets", "sub_memory": "Has a fox", "intent": "add"});
    let ran = memory.run(["apply"]).stdin(other.to_string()).exit(0);
    ran.stderr_contains("no block has the id mem998; the bullet is added to facts/user.md#pets");
}

#[test]
fn a_resource_is_searched_by_its_id() {
    let text = "---\nresource_id: resource_user_food_prefs\n---\n# Food\n\n## Likes\n\n- Pasta\n";
    let memory = Memory::new().file("facts/food.md", text).file("facts/trip.md", "# Trip\n\n- Pasta in Rome\n");
    for content in [
        json!("resource_user_food_prefs.json"),
        json!("resource_user_food_prefs"),
        json!("food.json"),
        json!({"_metadata": {"resource_id": "resource_user_food_prefs"}, "food": {}}),
        json!({"_metadata": {"resource_id": "resource_user_food_prefs.json"}}),
    ] {
        let found = ask(&memory, &json!({"query": "pasta", "json_content": content}));
        let locations = found["locations"].as_array().unwrap();
        assert_eq!((locations.len(), &locations[0]["path"]), (1, &json!("food.likes[0]")), "{content}: {found}");
    }
    let refused = ask(&memory, &json!({"query": "pasta", "json_content": "resource_x.json"}));
    assert_eq!(refused["message"], "no file has the name or the resource_id 'resource_x'");
}

#[test]
fn a_location_contains_what_its_relevance_says() {
    let text = "# Food\n\n## Likes\n\n- Pasta\n- Eggs with lox\n- Beer\n- Olives\n";
    let memory = Memory::new().file("facts/food.md", text);
    let found = ask(&memory, &json!({"query": "Remove all egg preferences", "json_content": "food"}));
    let locations = found["locations"].as_array().unwrap();
    assert_eq!(locations.len(), 1, "{found}");
    assert_eq!(locations[0]["current_value"], "Eggs with lox");
    assert_eq!((&locations[0]["relevance"], &found["reasoning"]), (&json!("Contains egg"), &json!("Found 1")));
}

#[test]
fn consent_is_given_in_the_arguments_of_a_call() {
    let memory = Memory::new();
    let write = |consent: &str| {
        let mut call = json!({"path": "facts/u.md", "content": "# U\n\n- City: Rome\n"});
        if !consent.is_empty() {
            call["consent"] = consent.into();
        }
        call
    };
    let refused = ask(&memory, &json!({"name": "memory_write", "arguments": write("")}));
    assert_eq!(refused["code"], "consent");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("in the field consent") && !hint.contains("--consent"), "{hint}");
    for arguments in [write("Yes, remember it"), Value::String(write("Yes, remember it").to_string())] {
        let memory = Memory::new();
        let reply = ask(&memory, &json!({"name": "memory_write", "arguments": arguments}));
        assert_eq!(reply["success"], true, "{reply}");
        memory.run(["log", "u"]).exit(0).stdout_contains("Yes, remember it");
    }
}

#[test]
fn a_query_may_be_called_like_the_other_tools() {
    let memory = Memory::new().file("facts/tasks.md", "# Tasks\n\n- [tasks] Ship the parser\n");
    let query = json!({"query": "ship parser", "top_k": 3});
    for name in ["memory.query", "memory_query"] {
        let reply = ask(&memory, &json!({"name": name, "arguments": query}));
        assert_eq!(reply[0]["text"], "[tasks] Ship the parser", "{reply}");
    }
    let wrong = ask(&memory, &json!({"name": "memory.query", "arguments": {"bogus": 1}}));
    assert_eq!(wrong["code"], "invalid_query");
}

#[test]
fn an_empty_list_means_that_nothing_matches() {
    let memory = Memory::new().file("facts/tasks.md", "# Tasks\n\n- Ship the parser\n");
    let reply = ask(&memory, &json!({"query": "parser", "budget_tokens": 2}));
    assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!("usage")), "{reply}");
    assert!(reply["message"].as_str().unwrap().starts_with("1 item matches, and none fits"), "{reply}");
    assert_eq!(ask(&memory, &json!({"query": "helicopter", "budget_tokens": 2})), json!([]));
}

#[test]
fn an_item_keeps_its_key() {
    let memory = Memory::new().file("facts/food.md", "# Food\n\n## Likes\n\n- Sushi\n");
    let insert = |item: &str, display: &str| json!({"operation": "insert", "path": "food.likes", "new_value": {"item": item, "display": display}});
    apply(&memory, &insert("crepes", "Crêpes"));
    apply(&memory, &insert("green_tea", "Green tea"));
    let keys = |memory: &Memory| {
        let ran = memory.run(["export", "--to", "json-memory"]).exit(0);
        let exported: Value = serde_json::from_str(&ran.stdout).unwrap();
        let items = exported["Food"]["Likes"].as_array().unwrap().clone();
        items.iter().map(|item| item["item"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&memory), ["sushi", "crepes", "green_tea"]);
    // Where the key follows from the text, nothing is written.
    assert!(memory.text("facts/food.md").unwrap().ends_with("  <!-- mem oid=crepes -->\n- Green tea\n"));
    let update = json!({
        "operation": "update", "path": "food.likes[1]", "current_value": "Crêpes",
        "new_value": {"item": "galettes", "display": "Galettes de sarrasin"},
    });
    assert_eq!(ask(&memory, &update)["success"], true);
    assert_eq!(keys(&memory), ["sushi", "galettes", "green_tea"]);
}

#[test]
fn the_id_that_an_item_has_is_not_written_twice() {
    let text = "# Food\n\n- Crêpes\n  <!-- mem id=crepes -->\n";
    let memory = Memory::new().file("facts/food.md", text);
    let update = json!({
        "operation": "update", "path": "food[0]", "current_value": "Crêpes",
        "new_value": {"item": "crepes", "display": "Crêpes with jam"},
    });
    apply(&memory, &update);
    assert!(memory.text("facts/food.md").unwrap().ends_with("- Crêpes with jam\n  <!-- mem id=crepes -->\n"));
}

#[test]
fn a_field_is_deleted_by_the_value_that_it_has() {
    let text = "# Food\n\n## Likes\n\n- Sushi\n- Eggs\n  <!-- mem exp=2026-12-31 -->\n";
    let delete = |path: &str, value: &str| json!({"operation": "delete", "path": path, "current_value": value});
    for value in ["2026-12-31", "Eggs"] {
        let memory = Memory::new().file("facts/food.md", text);
        apply(&memory, &delete("food.likes[1].expiry", value));
        assert!(memory.text("facts/food.md").unwrap().ends_with("- Sushi\n- Eggs\n"), "{value}");
    }
    let memory = Memory::new().file("facts/food.md", text);
    for (path, value) in [("food.likes[1].expiry", "2027-01-01"), ("food.likes[0].expiry", "2026-12-31")] {
        let ran = memory.run(["apply"]).stdin(delete(path, value).to_string()).exit(3).unchanged();
        ran.stderr_contains("bullet_not_found");
    }
}
