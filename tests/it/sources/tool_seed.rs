//! Every literal request of the source documents through `memdir tool seed`, with its reply, and what a program does with
//! replies: a search for locations, then the edit of what it found.

use serde_json::{Value, json};

use crate::sources::literal_requests::{Does, FOOD, ROWS, USER};
use crate::support::{CommandOutcome, Memory};

/// Sends one request. A reply says itself whether it is a refusal.
fn ask(memory: &Memory, request: &str) -> (Value, CommandOutcome) {
    let ran = memory.run(["tool", "seed"]).stdin(request).may_change().exit(0);
    (serde_json::from_str(&ran.stdout).unwrap(), ran)
}

#[test]
fn every_request_gets_the_reply_of_its_document() {
    let mut wrong = Vec::new();
    for (name, (path, text), request, does) in ROWS {
        // The tool is an agent's, and most examples are about where the user lives.
        let memory = Memory::new().policy("version: 1\nsensitive: []\n").file(path, text);
        let (reply, ran) = ask(&memory, request);
        let refused = |code: &str| reply["success"] == false && reply["code"] == code;
        let is_right = match does {
            Does::Once(diff) | Does::WithProof(diff) => {
                let patched = request.contains("\"patches\"").then_some(1);
                let repeated = ask(&memory, request).0;
                reply["success"] == true && reply["appliedCount"].as_u64() == patched && ran.difference == *diff
                    // An index alone names another item now.
                    && (repeated["success"] == true || matches!(does, Does::WithProof(_)))
            }
            Does::Nothing => reply["success"] == true && ran.difference.is_empty(),
            Does::Refused(code) => refused(code) && ran.difference.is_empty(),
            Does::OtherFrontEnd if request.contains("memory_read") => reply == json!(USER),
            Does::OtherFrontEnd if request.contains("memory_list") => {
                reply == json!([{"path": "facts/user.md", "summary": "user name, language, role", "size": USER.len()}])
            }
            Does::OtherFrontEnd if request.contains("userMessages") => refused("usage"),
            Does::OtherFrontEnd => refused("invalid_operation"),
        };
        if !is_right {
            wrong.push(format!("{name}\n  {reply}\n  {:?}", ran.difference));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), ROWS.len(), wrong.join("\n"));
}

#[test]
fn what_the_finder_finds_the_editor_may_edit_without_force() {
    let memory = Memory::new().file("facts/food.md", FOOD).file("facts/trip.md", "# Trip\n\n- Sushi in Osaka\n");
    let (found, _) = ask(&memory, r#"{"json_content": "food.json", "query": "sushi"}"#);
    assert_eq!(found["locations"][0]["path"], "food.likes[0]");
    assert_eq!(found["locations"][0]["current_value"], "Sushi");
    assert_eq!(found["suggested_insert_path"], "food.likes");
    assert_eq!(found["locations"].as_array().unwrap().len(), 1, "one file alone: {found}");
    let edits = |locations: &Value| {
        json!({
            "found_locations": locations, "suggested_insert_path": "food.likes",
            "edits": [{"operation": "delete", "path": "food.likes[0]", "reason": "no fish"}], "decision": "proceed",
        })
        .to_string()
    };
    memory.put("facts/food.md", FOOD.replace("- Sushi", "- Tempura\n- Sushi"));
    memory
        .run(["apply"])
        .stdin(edits(&found["locations"]))
        .may_change()
        .exit(0)
        .stderr_contains("index")
        .diff("M facts/food.md\n-- Sushi\n");
    memory.run(["apply"]).stdin(edits(&json!([]))).exit(4).stderr_contains("needs_proof");
    // A printed object of another language proves nothing.
    let printed = json!([{"path": "food.likes[0]", "current_value": "{'item': 'sushi', ...}"}]);
    memory.run(["apply"]).stdin(edits(&printed)).exit(4).stderr_contains("needs_proof");
}

#[test]
fn locations_are_paths_that_edits_understand() {
    let resource = json!({"_metadata": {"resource_id": "food"}, "food": {"likes": []}});
    for (path, text, query, content, expected) in [
        ("facts/food.md", FOOD, "sushi", resource, json!({"path": "food.likes[0]"})),
        ("facts/food.md", "# Food\n\n- Soup\n- Sushi\n", "sushi", Value::Null, json!({"path": "food[1]"})),
        (
            "facts/a.b.md",
            "# A\n\n## Likes\n\n- Sushi\n",
            "sushi",
            Value::Null,
            json!({"path": "likes[0]", "file": "facts/a.b.md"}),
        ),
        (
            "projects/lunch.md",
            "# Lunch\n\n## Steps\n\n- Order sushi\n",
            "sushi",
            Value::Null,
            json!({"path": "steps[0]", "file": "projects/lunch.md"}),
        ),
    ] {
        let memory = Memory::new().file(path, text);
        let (found, _) = ask(&memory, &json!({"json_content": content, "query": query}).to_string());
        let location = &found["locations"][0];
        assert_eq!((&location["path"], &location["file"]), (&expected["path"], &expected["file"]), "{found}");
        let mut edit = location.clone();
        edit["operation"] = "delete".into();
        let (reply, ran) = ask(&memory, &edit.to_string());
        assert_eq!(reply["success"], true, "{path}: {reply}");
        assert!(ran.difference.to_lowercase().contains("sushi"), "{}", ran.difference);
    }
    let memory = Memory::new().file("facts/food.md", FOOD);
    let (nothing, _) = ask(&memory, r#"{"json_content": null, "query": "helicopter"}"#);
    assert_eq!((&nothing["locations"], nothing.get("suggested_insert_path")), (&json!([]), None));
}

#[test]
fn a_resource_of_two_files_is_edited_in_the_file_that_the_path_names() {
    let front = "---\nresource_id: prefs\n---\n";
    let summary = "> Summary: What Ana prefers.";
    let memory = Memory::new()
        .file("facts/style.md", &format!("{front}# style\n\n{summary}\n\n## likes\n\n- Short answers\n"))
        .file("facts/interests.md", &format!("{front}# interests\n\n{summary}\n\n- AI\n- Chess\n"));
    let (found, _) = ask(&memory, r#"{"query": "AI answers", "json_content": "prefs.json"}"#);
    let paths: Vec<&Value> = found["locations"].as_array().unwrap().iter().map(|row| &row["path"]).collect();
    assert_eq!(paths.len(), 2, "{found}");
    let edit = |operation: &str, path: &str, value: &str| {
        json!({"operation": operation, "path": path, "file": "prefs.json", "new_value": value}).to_string()
    };
    let delete = r#"{"operation": "delete", "path": "interests[0]", "file": "prefs.json"}"#;
    assert_eq!(ask(&memory, delete).1.difference, "M facts/interests.md\n-- AI\n");
    let insert = ask(&memory, &edit("insert", "interests", "Go")).1;
    assert_eq!(insert.difference, "M facts/interests.md\n+- Go\n");
    let update = ask(&memory, &edit("update", "style.likes[0]", "Long answers")).1;
    assert_eq!(update.difference, "M facts/style.md\n-- Short answers\n+- Long answers\n");
    for path in ["hobbies", "hobbies[0]"] {
        let verb = if path == "hobbies" { "insert" } else { "update" };
        let (reply, ran) = ask(&memory, &edit(verb, path, "Tea"));
        assert_eq!((&reply["code"], ran.difference.as_str()), (&json!("ambiguous_id"), ""), "{reply}");
    }
    let (reply, _) = ask(&memory, r#"{"operation": "delete", "path": "hobbies[0]", "file": "prefs.json"}"#);
    assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!("ambiguous_id")), "{reply}");
}

#[test]
fn a_field_of_a_resource_is_named_by_its_path() {
    let routine =
        "# routine\n\n> Summary: What a day looks like.\n\n## timing_rules\n\n- quiet: true\n- coffee_after: 09:00\n";
    let memory = Memory::new().file("facts/routine.md", routine);
    let edit = |edit: Value| {
        let (reply, ran) = ask(&memory, &edit.to_string());
        (reply["code"].as_str().unwrap_or("done").to_owned(), ran.difference)
    };
    let done = |lines: &str| ("done".to_owned(), format!("M facts/routine.md\n{lines}"));
    let refused = |code: &str| (code.to_owned(), String::new());
    let path = |name: &str| format!("routine.timing_rules.{name}");
    // A value that is not there proves nothing.
    let wrong =
        json!({"operation": "update", "path": path("coffee_after"), "current_value": "08:00", "new_value": "10:00"});
    assert_eq!(edit(wrong), refused("bullet_not_found"));
    let update =
        json!({"operation": "update", "path": path("coffee_after"), "current_value": "09:00", "new_value": "10:00"});
    assert_eq!(edit(update), done("-- coffee_after: 09:00\n+- coffee_after: 10:00\n"));
    let number = json!({"operation": "insert", "path": path("max"), "new_value": 4});
    assert_eq!(edit(number.clone()), done("+- max: 4\n"));
    assert_eq!(edit(number).1, "", "it is there already");
    assert_eq!(edit(json!({"operation": "insert", "path": path("max"), "new_value": 5})), refused("exists"));
    let current = json!({"operation": "delete", "path": path("quiet"), "current_value": true});
    assert_eq!(edit(current), done("-- quiet: true\n"));
    assert_eq!(edit(json!({"operation": "delete", "path": path("max")})), done("-- max: 4\n"));
    let (reply, _) = ask(&memory, &json!({"operation": "delete", "path": path("max")}).to_string());
    assert!(reply["warnings"][0].as_str().unwrap().starts_with("nothing to delete: "), "{reply}");
    // A list of that name is one still.
    let list =
        json!({"operation": "insert", "path": path("teas"), "new_value": {"item": "oolong", "display": "Oolong"}});
    assert!(edit(list).1.contains("+### Teas\n"));
}

#[test]
fn a_field_is_that_of_the_level_which_its_path_names() {
    let both = "# routine\n\n> Summary: What a day looks like.\n\n- quiet: false\n- size: 3\n\n## night\n\n- quiet: true\n- size: 3\n";
    let delete = |path: &str, value: Value| json!({"operation": "delete", "path": path, "current_value": value});
    for (edit, lines) in [
        (delete("routine.quiet", json!(false)), "-- quiet: false\n"),
        (delete("routine.quiet", json!(true)), ""),
        (delete("routine.night.quiet", json!(true)), "-- quiet: true\n"),
        (json!({"operation": "delete", "path": "routine.size"}), "-- size: 3\n"),
        (json!({"operation": "update", "path": "routine.size", "new_value": 4}), "-- size: 3\n+- size: 4\n"),
    ] {
        let memory = Memory::new().file("facts/routine.md", both);
        let (_, ran) = ask(&memory, &edit.to_string());
        let head = if lines.is_empty() { "" } else { "M facts/routine.md\n" };
        assert_eq!(ran.difference, format!("{head}{lines}"), "{edit}");
        if edit["path"] == "routine.size" {
            let text = memory.text("facts/routine.md").unwrap();
            assert!(text.ends_with("## night\n\n- quiet: true\n- size: 3\n"), "{text}");
        }
    }
}

#[test]
fn the_items_of_a_level_itself_are_known_by_their_texts() {
    let pets = "# pets\n\n> Summary: Who lives here.\n\n- quiet: false\n- Own pet\n\n## cats\n\n- Tom\n";
    for (edit, lines) in [
        (json!({"operation": "delete", "path": "pets._items"}), ""),
        (json!({"operation": "delete", "path": "pets._items[0]"}), ""),
        (json!({"operation": "delete", "path": "pets._items[0]", "current_value": "Own pet"}), "-- Own pet\n"),
        (json!({"operation": "insert", "path": "pets._items", "new_value": "Rex"}), "+- Rex\n"),
    ] {
        let memory = Memory::new().file("facts/pets.md", pets);
        let (_, ran) = ask(&memory, &edit.to_string());
        let head = if lines.is_empty() { "" } else { "M facts/pets.md\n" };
        assert_eq!(ran.difference, format!("{head}{lines}"), "{edit}");
    }
}

#[test]
fn a_query_of_a_scope_that_does_not_exist_is_refused() {
    let memory = Memory::new().file("facts/tasks.md", "# Tasks\n\n- Ship the parser\n");
    let query = r#"{"query": "parser", "filters": {"user_id": "nope"}}"#;
    let (reply, _) = ask(&memory, query);
    assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!("scope_not_found")), "{reply}");
    memory.run(["query", "-"]).stdin(query).exit(0).stderr_contains("no scope 'nope', so nothing was searched");
}

#[test]
fn a_tool_call_without_arguments_has_empty_ones() {
    let memory = Memory::new().file("facts/user.md", USER);
    let (reply, _) = ask(&memory, r#"{"name": "memory_list"}"#);
    assert_eq!(reply[0]["path"], "facts/user.md", "{reply}");
    assert!(ask(&memory, r#"{"name": "memory_read"}"#).0["message"].as_str().unwrap().contains("'path' is missing"));
}

#[test]
fn a_query_gets_the_items_of_the_specification() {
    let memory = Memory::new().file("facts/tasks.md", "# Tasks\n\n- [tasks] Ship the parser\n- [goals] Sleep\n");
    let (reply, _) = ask(&memory, r#"{"query": "ship parser", "top_k": 3, "return": "bullets"}"#);
    assert_eq!(reply[0]["category"], "tasks");
    assert_eq!(reply[0]["text"], "[tasks] Ship the parser");
    assert_eq!(reply.as_array().unwrap().len(), 1);
}

#[test]
fn each_line_has_a_reply_and_consent_is_asked_for() {
    let memory = Memory::new().file("facts/user.md", USER);
    let lines = [
        r#"{"name": "memory_list", "arguments": {}}"#,
        "",
        "not JSON",
        r##"{"name": "memory_write", "arguments": {"path": "facts/me.md", "content": "# Me\n\n- Preferred name: Ana\n"}}"##,
        r#"{"name": "memory_read", "arguments": {"path": "../x.md"}}"#,
    ];
    let ran = memory.run(["tool", "seed", "--serve"]).stdin(lines.join("\n")).may_change().exit(0);
    let replies: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let codes: Vec<&str> = replies.iter().map(|reply| reply["code"].as_str().unwrap_or("none")).collect();
    assert_eq!(codes, ["none", "invalid_operation", "consent", "invalid_path"]);
}

#[test]
fn a_delete_of_what_is_not_there_is_done() {
    let memory = Memory::new().policy("version: 1\nsensitive: []\n").file("facts/food.md", FOOD);
    for path in ["food.likes[7]", "nofile.likes[0]", "food.nosection[0]"] {
        let (reply, ran) = ask(&memory, &json!({"operation": "delete", "path": path}).to_string());
        assert_eq!((&reply["success"], ran.difference.as_str()), (&json!(true), ""), "{path}: {reply}");
        assert!(reply["warnings"][0].as_str().unwrap().starts_with("nothing to delete: "), "{path}: {reply}");
    }
    // What else the request asks for is done, and only a delete is done by finding nothing.
    let edits =
        json!([{"operation": "delete", "path": "food.likes[9]"}, {"operation": "delete", "path": "food.likes[0]"}]);
    let (reply, ran) = ask(&memory, &json!({"edits": edits, "decision": "proceed"}).to_string());
    assert_eq!(reply["success"], true, "{reply}");
    assert_eq!(ran.difference.lines().filter(|line| line.starts_with("--")).count(), 1, "{}", ran.difference);
    // A retry of the request is the same batch.
    let retried = json!({"request": "r-1", "operations": [
        {"operation": "delete", "path": "food.likes[9]"},
        {"operation": "insert", "path": "food.likes", "new_value": "Cocoa"},
    ]});
    for _ in 0..2 {
        let (reply, _) = ask(&memory, &retried.to_string());
        assert_eq!(reply["success"], true, "{reply}");
    }
    assert_eq!(memory.text("facts/food.md").unwrap().matches("Cocoa").count(), 1);
    let update = json!({"operation": "update", "path": "food.likes[9]", "new_value": {"item": "Soup"}});
    assert_eq!(ask(&memory, &update.to_string()).0["code"], "bullet_not_found");
}
