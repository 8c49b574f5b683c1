//! One table over the front ends: the same operation through the shell, the memory tool and the graph's tools leaves the
//! same files and the same journal, or is refused for the same reason. (`memory_change` against the shell is in `mcp`.)

use serde_json::{Value, json};

use super::client::{Era, McpClient};
use super::memory;
use crate::support::{Memory, handle};

/// How an operation is requested, besides as operations to `apply`.
enum FrontEnd {
    MemoryTool(Value),
    GraphTool(&'static str, Value),
}

/// Sends the request, and returns the text of the answer and whether it is an error.
fn ask(memory: &Memory, front_end: &FrontEnd) -> (String, bool) {
    match front_end {
        FrontEnd::MemoryTool(request) => {
            let ran = memory.run(["tool", "anthropic"]).by("claude").stdin(request.to_string()).may_change().ends();
            let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
            (reply["content"].as_str().unwrap().to_owned(), reply["is_error"] == true)
        }
        FrontEnd::GraphTool(tool, arguments) => {
            let mut client = McpClient::start(memory, &["--tools", "graph", "--as", "claude"], Era::Initialize);
            let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
            client.close();
            let result = &answer["result"];
            (result["content"][0]["text"].as_str().unwrap().to_owned(), result["isError"] == true)
        }
    }
}

#[test]
fn every_front_end_leaves_the_same_changeset_journal_and_refusal() {
    let etag = memory().done(["etag", "user", "--json"]).json()["etag"].clone();
    let release = memory().done(["etag", "procedures/release.md", "--json"]).json()["etag"].clone();
    let tabs = format!("facts/user.md@{}", handle("Prefers tabs"));
    let bob = "---\ntype: person\n---\n# Bob\n\n- Likes tea\n";
    let observe = |name: &str, text: &str| json!({"observations": [{"entityName": name, "contents": [text]}]});
    let rows = [
        (
            json!({"op": "write", "at": "fresh.md", "text": "# Fresh\n\n- New\n", "create": true}),
            FrontEnd::MemoryTool(
                json!({"command": "create", "path": "/memories/fresh.md", "file_text": "# Fresh\n\n- New\n"}),
            ),
        ),
        (
            json!({"op": "write", "at": "facts/user.md", "if_match": etag,
                "text": "# User\n\n> Summary: tabs\n\n- Prefers spaces\n- Lives in Austin\n"}),
            FrontEnd::MemoryTool(
                json!({"command": "str_replace", "path": "/memories/user.md", "old_str": "tabs", "new_str": "spaces"}),
            ),
        ),
        (
            json!({"op": "write", "at": "procedures/release.md", "if_match": release, "text": "# Release\n\n- Tag it\n- Push it\n"}),
            FrontEnd::MemoryTool(
                json!({"command": "insert", "path": "/memories/procedures/release.md", "insert_line": 3, "insert_text": "- Push it"}),
            ),
        ),
        (
            json!({"op": "rm", "at": "procedures/release.md"}),
            FrontEnd::MemoryTool(json!({"command": "delete", "path": "/memories/procedures"})),
        ),
        (
            json!({"op": "mv", "at": "procedures/release.md", "to": "procedures/ship.md", "create": true}),
            FrontEnd::MemoryTool(
                json!({"command": "rename", "old_path": "/memories/procedures/release.md", "new_path": "/memories/procedures/ship.md"}),
            ),
        ),
        (
            json!({"op": "write", "at": "facts/Bob.md", "text": bob, "create": true}),
            FrontEnd::GraphTool(
                "create_entities",
                json!({"entities": [{"name": "Bob", "entityType": "person", "observations": ["Likes tea"]}]}),
            ),
        ),
        (
            json!({"op": "add", "at": "facts/user.md", "text": "Uses Linux", "create": true, "if_match": etag}),
            FrontEnd::GraphTool("add_observations", observe("User", "Uses Linux")),
        ),
        (
            json!({"op": "add", "at": "facts/user.md", "text": "works_at [[Acme]]", "create": true, "if_match": etag}),
            FrontEnd::GraphTool(
                "create_relations",
                json!({"relations": [{"from": "User", "to": "Acme", "relationType": "works_at"}]}),
            ),
        ),
        (
            json!({"op": "rm", "at": tabs, "if_match": etag}),
            FrontEnd::GraphTool(
                "delete_observations",
                json!({"deletions": [{"entityName": "User", "observations": ["Prefers tabs"]}]}),
            ),
        ),
        (
            json!({"op": "rm", "at": "facts/user.md", "if_match": etag}),
            FrontEnd::GraphTool("delete_entities", json!({"entityNames": ["User"]})),
        ),
        // Refused: a sensitive field without consent, a name that no file may have, a text that is too long.
        (
            json!({"op": "write", "at": "me.md", "text": "# Me\n\n- Preferred name: Ana\n", "create": true}),
            FrontEnd::MemoryTool(
                json!({"command": "create", "path": "/memories/me.md", "file_text": "# Me\n\n- Preferred name: Ana\n"}),
            ),
        ),
        (
            json!({"op": "write", "at": ".hidden.md", "text": "x", "create": true}),
            FrontEnd::MemoryTool(json!({"command": "create", "path": "/memories/.hidden.md", "file_text": "x"})),
        ),
        (
            json!({"op": "add", "at": "facts/user.md", "text": "Preferred name: Ana", "create": true, "if_match": etag}),
            FrontEnd::GraphTool("add_observations", observe("User", "Preferred name: Ana")),
        ),
        (
            json!({"op": "add", "at": "facts/user.md", "text": "x".repeat(9000), "create": true, "if_match": etag}),
            FrontEnd::GraphTool("add_observations", observe("User", &"x".repeat(9000))),
        ),
    ];
    for (operation, front_end) in rows {
        let (by_shell, by_tool) = (memory(), memory());
        let batch = json!({"operations": [operation]}).to_string();
        let words = if operation["op"] == "rm" {
            vec!["apply", "--json", "--force", "-"]
        } else {
            vec!["apply", "--json", "-"]
        };
        let shell = by_shell.run(words).by("claude").stdin(batch).may_change().ends();
        let (text, is_error) = ask(&by_tool, &front_end);
        assert_eq!(by_shell.tree(), by_tool.tree(), "{operation}: {text}\n{shell}");
        assert_eq!(by_shell.text(".memdir/journal.jsonl"), by_tool.text(".memdir/journal.jsonl"), "{operation}");
        assert_eq!(shell.status != 0, is_error, "{operation}: {text}\n{shell}");
        if is_error {
            let message = shell.error()["message"].as_str().unwrap().to_owned();
            assert!(text.contains(&message), "{operation}: {text}\n{message}");
        }
    }
}

#[test]
fn a_restricted_subscriber_is_notified_only_of_what_it_sees() {
    let policy = "version: 2\ncategories: {custom: [{name: health}]}\nallowlists: {planner: [work, other]}\n";
    let text = |hidden: &str, shown: &str| format!("# User\n\n## Health\n\n- {hidden}\n\n## Work\n\n- {shown}\n");
    let memory = Memory::new().policy(policy).file("facts/user.md", &text("Hidden a", "Standup"));
    let memory = memory.file("facts/other.md", "# Other\n\n- One\n");
    let mut client = McpClient::start(&memory, &["--as", "planner"], Era::Initialize);
    for uri in ["memdir://facts/user.md", "memdir://facts/other.md"] {
        client.request("resources/subscribe", json!({"uri": uri}));
    }
    memory.put("facts/user.md", text("Hidden b", "Standup"));
    memory.put("facts/other.md", "# Other\n\n- Two\n");
    assert_eq!(client.notification("notifications/resources/updated")["uri"], "memdir://facts/other.md");
    memory.put("facts/user.md", text("Hidden b", "Standup at ten"));
    assert_eq!(client.notification("notifications/resources/updated")["uri"], "memdir://facts/user.md");
    memory.put("facts/user.md", text("Hidden c", "Standup at ten"));
    memory.put("facts/other.md", "# Other\n\n- Three\n");
    assert_eq!(client.notification("notifications/resources/updated")["uri"], "memdir://facts/other.md");
    client.close();
}

#[test]
fn a_hidden_and_a_missing_resource_are_answered_as_on_the_command_line() {
    let policy = "version: 2\ncategories: {custom: [{name: health}]}\nallowlists: {planner: [work]}\n";
    let memory = Memory::new().policy(policy).file("facts/notes.md", "---\ntags: [health]\n---\n# Notes\n\n- Hidden\n");
    let memory = memory.file("facts/user.md", "# User\n\n- Shown\n- [health] Hidden\n");
    let mut client = McpClient::start(&memory, &["--as", "planner"], Era::Initialize);
    for address in ["facts/notes.md", "facts/none.md", "facts/health.md", "facts/user.md#none", "facts/user.md@zzzz"] {
        let uri = format!("memdir://{}", address.replace('#', "%23"));
        let error = client.request("resources/read", json!({"uri": uri}))["error"].clone();
        let shell = memory.run(["read", address, "--json"]).by("planner").ends().error();
        assert_eq!(error["data"]["code"], shell["code"], "{address}: {error}");
        assert!(!error.to_string().contains("Hidden"), "{error}");
    }
    client.close();
}
