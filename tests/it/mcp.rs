//! `memdir mcp`: the server as a client sees it, in both eras of the protocol.
//!
//! The official clients run against it in `tests/mcp`.

mod answers;
mod client;
mod front_ends;
mod graph;

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use client::{Era, McpClient, initialize_params, server_command};
use serde_json::{Value, json};

use crate::support::memory::full_or_skipped;
use crate::support::{Memory, handle};

const USER: &str = "# User\n\n> Summary: tabs\n\n- Prefers tabs\n- Lives in Austin\n";

fn memory() -> Memory {
    Memory::new().file("facts/user.md", USER).file("procedures/release.md", "# Release\n\n- Tag it\n")
}

/// A session of the first era, with `--as claude`.
fn session(memory: &Memory) -> McpClient {
    McpClient::start(memory, &["--as", "claude"], Era::Initialize)
}

fn add(text: &str) -> Value {
    json!({"operations": [{"op": "add", "at": "user", "text": text}]})
}

fn boon_accepts(schema: &Value, value: &Value) -> Result<(), String> {
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("schema.json", schema.clone()).unwrap();
    let mut schemas = boon::Schemas::new();
    let index = compiler.compile("schema.json", &mut schemas).unwrap();
    schemas.validate(value, index).map_err(|e| e.to_string())
}

#[test]
fn both_eras_offer_the_same_tools() {
    let memory = memory();
    let mut names = Vec::new();
    for era in [Era::Initialize, Era::Inline] {
        let mut client = McpClient::start(&memory, &[], era);
        let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
        names
            .push(tools.as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>());
        let read = client.call("memory_read", json!({"address": "user"}));
        assert_eq!(read["content"][0]["text"], USER);
        client.close();
    }
    assert_eq!(
        names[0],
        ["memory_context", "memory_query", "memory_list", "memory_read", "memory_change", "memory_append"]
    );
    assert_eq!(names[0], names[1]);
}

#[test]
fn a_client_that_only_discovers_learns_the_versions() {
    let memory = memory();
    let mut client = McpClient::start(&memory, &[], Era::Inline);
    let found = client.request("server/discover", json!({}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")), "{found}");
    client.close();
}

#[test]
fn every_result_fits_its_output_schema() {
    let memory = memory();
    let mut client = session(&memory);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    for (name, arguments) in [
        ("memory_context", json!({})),
        ("memory_query", json!({"query": "tabs", "return": "full"})),
        ("memory_query", json!({"query": "nothing at all like this"})),
        ("memory_list", json!({})),
        ("memory_list", json!({"address": "user"})),
        ("memory_read", json!({"address": format!("user@{}", handle("Prefers tabs"))})),
        ("memory_change", add("Uses Linux")),
        (
            "memory_change",
            json!({"operations": [{"op": "set", "at": "user", "meta": {"title": "Me"}}], "dry_run": true}),
        ),
        (
            "memory_change",
            json!({"operations": [
                {"op": "patch", "at": "user", "pairs": [{"old": "Prefers tabs", "new": "Prefers spaces"}]},
            ], "dry_run": true}),
        ),
        ("memory_append", json!({"title": "Met Bob", "text": "In Lisbon"})),
    ] {
        let tool = tools.as_array().unwrap().iter().find(|t| t["name"] == name).unwrap();
        boon_accepts(&tool["inputSchema"], &arguments).unwrap_or_else(|e| panic!("{name} {arguments}: {e}"));
        let result = client.call(name, arguments.clone());
        boon_accepts(&tool["outputSchema"], &result["structuredContent"])
            .unwrap_or_else(|e| panic!("{name} {arguments}: {e}\n{result}"));
    }
    client.close();
}

#[test]
fn a_change_leaves_the_same_journal_as_the_shell() {
    let batches = [
        add("Uses Linux"),
        json!({"operations": [{"op": "update", "at": "user", "old": "Prefers tabs", "text": "Prefers spaces"}], "reason": "asked"}),
        json!({"operations": [
            {"op": "rm", "at": format!("user@{}", handle("Lives in Austin"))},
            {"op": "mv", "at": "procedures/release.md", "to": "procedures/ship.md"},
        ]}),
        json!({"operations": [{"op": "write", "at": "fresh", "text": "# Fresh\n\n- New\n"}], "request": "q1"}),
        json!({"operations": [{"op": "patch", "at": "user", "pairs": [{"old": "Prefers tabs", "new": "Prefers tabs!"}]}]}),
        json!({"operations": [{"op": "append", "title": "Met Bob", "text": "In Lisbon"}]}),
        json!({"operations": [{"op": "set", "at": "user", "meta": {"summary": "x"}}]}),
        // Refused: no such bullet; a sensitive field without consent; a field that does not exist.
        json!({"operations": [{"op": "rm", "at": "user@zzzz"}]}),
        json!({"operations": [{"op": "add", "at": "user", "text": "Preferred name: Ana"}]}),
        json!({"operations": [{"op": "add", "at": "user", "text": "a", "wrong": 1}]}),
        json!({"operations": [{"op": "write", "at": "user", "text": "# X\n"}]}),
    ];
    for batch in batches {
        let (by_shell, by_tool) = (memory(), memory());
        let shell = by_shell.run(["apply", "--json", "-"]).by("claude").stdin(batch.to_string()).may_change().ends();
        let mut client = session(&by_tool);
        let answer = client.request("tools/call", json!({"name": "memory_change", "arguments": batch}));
        client.close();
        assert_eq!(by_shell.tree(), by_tool.tree(), "{batch}");
        assert_eq!(by_shell.text(".memdir/journal.jsonl"), by_tool.text(".memdir/journal.jsonl"), "{batch}");
        let tool_text: Value = serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        if shell.status == 0 {
            let mut expected = shell.json();
            expected.as_object_mut().unwrap().shift_remove("v");
            assert_eq!((&expected, &expected), (&tool_text, &answer["result"]["structuredContent"]), "{batch}");
        } else {
            let expected = shell.error();
            for key in ["code", "message", "changed", "retryable", "details"] {
                assert_eq!(expected[key], tool_text[key], "{batch}: {tool_text}");
            }
        }
    }
}

#[test]
fn the_caller_is_an_agent_and_no_client_names_itself() {
    let memory = memory();
    let mut command = server_command(&memory, &[]);
    command.env_remove("MEMDIR_AS").env("USER", "ana");
    let mut client = McpClient::spawn(command, Era::Initialize);
    client.call("memory_change", add("Uses Linux"));
    let refused = client.refused("memory_change", add("Preferred name: Ana"));
    assert_eq!(refused["code"], "consent", "{refused}");
    client.close();
    let log = memory.done(["log", "--json"]).json();
    assert_eq!(log["entries"][0]["actor"], "agent", "neither mallory nor ana: {log}");
    // A name from `people:` does not make the caller a person here.
    let mut client = McpClient::start(&memory, &["--as", "tester"], Era::Initialize);
    assert_eq!(client.refused("memory_change", add("Preferred name: Ana"))["code"], "consent");
    let mut with_words = add("Preferred name: Ana");
    with_words["consent"] = "yes, remember that my name is Ana".into();
    client.call("memory_change", with_words);
    client.close();
}

#[test]
fn a_query_is_answered_as_a_list_of_bullets() {
    let memory = memory();
    let mut client = session(&memory);
    let result =
        client.call("memory_query", json!({"agent": "claude", "query": "tabs", "top_k": 1, "return": "bullets"}));
    let id = format!("facts/user.md@{}", handle("Prefers tabs"));
    let wanted = json!([{"id": id, "category": "user", "text": "[user] Prefers tabs"}]);
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, wanted);
    assert_eq!(result["structuredContent"]["items"], wanted);
    let none = client.call("memory_query", json!({"query": "tabs", "filters": {"user_id": "../.."}}));
    assert_eq!(none["structuredContent"], json!({"items": [], "found": 0}), "a user_id only narrows");
    // An item of another scope is no item of this memory with the same address.
    memory.done(["scope", "add", "cal"]);
    memory.done(["-S", "cal", "add", "user", "Prefers tabs"]);
    let of_scope = client.call("memory_query", json!({"query": "tabs", "filters": {"user_id": "cal"}}));
    let named = of_scope["structuredContent"]["items"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(named, format!("scopes/cal/{id}"));
    let removal = json!({"operations": [{"op": "rm", "at": named}]});
    assert_eq!(client.refused("memory_change", removal)["code"], "invalid_path");
    assert!(memory.text("facts/user.md").unwrap().contains("Prefers tabs"));
    let full = client.call("memory_query", json!({"query": "tabs", "return": "full"}));
    assert_eq!(full["structuredContent"]["items"][0]["full"], "- Prefers tabs\n");
    client.close();
}

#[test]
fn an_error_names_code_reason_and_mend() {
    let memory = memory();
    let mut client = session(&memory);
    for (tool, arguments, code, part) in [
        ("memory_read", json!({"address": "usr"}), "file_not_found", "memory_"),
        ("memory_read", json!({}), "usage", "address"),
        ("memory_read", json!({"adress": "user"}), "usage", "did you mean 'address'"),
        ("memory_read", json!({"address": "../../etc/passwd"}), "invalid_path", ""),
        ("memory_query", json!({"qery": "x"}), "invalid_query", "did you mean 'query'"),
        ("memory_query", json!({}), "usage", "no words"),
        ("memory_query", json!({"query": "tabs", "filters": {"user_id": "*"}}), "invalid_query", "names one scope"),
        ("memory_context", json!({"budget_tokens": 1}), "usage", "at least"),
        ("memory_change", json!({"operations": []}), "", ""),
        ("memory_change", json!({}), "invalid_operation", ""),
        ("memory_change", json!({"operations": [], "dry_run": "no"}), "usage", "dry_run"),
        ("memory_append", json!({"title": "T"}), "usage", "text"),
        ("memory_append", json!({"title": "T", "text": " "}), "empty_input", "'text' is empty"),
        ("memory_list", json!({"address": "user", "limit": 0}), "usage", "limit"),
    ] {
        if code.is_empty() {
            client.request("tools/call", json!({"name": tool, "arguments": arguments}));
            continue;
        }
        let error = client.refused(tool, arguments.clone());
        assert_eq!(error["code"], code, "{tool} {arguments}: {error}");
        assert!(error.to_string().contains(part), "{tool} {arguments}: {error}");
        assert_eq!(error["changed"], false, "{error}");
    }
    let unknown = client.request("tools/call", json!({"name": "memory_forget", "arguments": {}}));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("memory_change"), "{unknown}");
    client.close();
}

#[test]
fn a_read_only_server_changes_nothing() {
    let memory = memory();
    let before = memory.tree();
    let by_option = server_command(&memory, &["--read-only", "--as", "claude"]);
    let mut by_mode = server_command(&memory, &["--as", "claude"]);
    by_mode.env("MEMDIR_MODE", "read");
    for command in [by_option, by_mode] {
        let mut client = McpClient::spawn(command, Era::Initialize);
        let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
        assert_eq!(tools.as_array().unwrap().len(), 4);
        assert!(tools.as_array().unwrap().iter().all(|t| t["annotations"]["readOnlyHint"] == true), "{tools}");
        client.call("memory_context", json!({}));
        assert_eq!(client.refused("memory_change", add("x"))["code"], "read_only");
        assert_eq!(client.refused("memory_append", json!({"text": "x"}))["code"], "read_only");
        client.close();
    }
    assert_eq!(memory.tree(), before);
    assert!(!memory.dir().join(".memdir").exists(), "not even a mark");
    let mut off = server_command(&memory, &[]);
    off.env("MEMDIR_MODE", "off");
    let mut client = McpClient::spawn(off, Era::Initialize);
    assert_eq!(client.request("tools/list", json!({}))["result"]["tools"], json!([]));
    let error = client.refused("memory_list", json!({}));
    assert!(error["message"].as_str().unwrap().contains("MEMDIR_MODE=off"), "{error}");
    assert_eq!(client.refused("memory_read", json!({"address": "user"}))["code"], "read_only");
    assert!(client.request("resources/list", json!({}))["error"].is_object());
    client.close();
    memory.run(["mcp"]).env("MEMDIR_MODE", "maybe").exit(2).stderr_contains("on, read or off");
}

#[test]
fn the_seeds_tools_answer_as_their_document_says() {
    let project = "# Project\n\n> Summary: tabs\n\n- Uses tabs\n";
    let episodes = "# 2026-02 Episodes\n\n> Summary: logger\n\n## Logger\n\n- Fixed\n";
    let memory = Memory::new().file("facts/project.md", project).file("episodes/2026-02.md", episodes);
    let mut client = McpClient::start(&memory, &["--tools", "seed", "--as", "claude"], Era::Initialize);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["memory_read", "memory_write", "memory_patch", "memory_append", "memory_list"]);
    let listed = client.call("memory_list", json!({}));
    let text: Value = serde_json::from_str(listed["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text[0], json!({"path": "episodes/2026-02.md", "summary": "logger", "size": 58}));
    assert_eq!(listed["structuredContent"]["files"], text);
    let read = client.call("memory_read", json!({"path": "facts/project.md"}));
    assert_eq!((&read["content"][0]["text"], read.get("structuredContent")), (&json!(project), None));
    // The file exists, and no etag is given.
    let written = "# Project\n\n> Summary: compiler\n\n- Compiler: Zig\n";
    let result = client.call("memory_write", json!({"path": "facts/project.md", "content": written}));
    assert_eq!(result["structuredContent"], json!({"success": true}));
    let patches = json!([{"oldText": "Zig", "newText": "Rust"}, {"oldText": "# Project", "newText": "# The project"}]);
    let result = client.call("memory_patch", json!({"path": "facts/project.md", "patches": patches}));
    assert_eq!(result["structuredContent"], json!({"success": true, "appliedCount": 2}));
    let entry = "## Short ID\n\n- Summary: 16 hex digits\n- Date: 2026-02-24\n";
    let result =
        client.call("memory_append", json!({"path": "episodes/2026-02.md", "entry": entry, "summary": "logger, ids"}));
    assert_eq!(result["structuredContent"], json!({"success": true}));
    assert_eq!(
        memory.text("facts/project.md").unwrap(),
        "# The project\n\n> Summary: compiler, rust\n\n- Compiler: Rust\n"
    );
    assert!(memory.text("episodes/2026-02.md").unwrap().contains("> Summary: logger, ids"));
    for _ in 0..3 {
        memory.done(["undo"]);
    }
    assert_eq!(memory.text("facts/project.md").unwrap(), project, "an overwritten file can be restored");
    for (tool, arguments, code) in [
        (
            "memory_patch",
            json!({"path": "facts/project.md", "patches": [{"oldText": "none", "newText": "x"}]}),
            "text_not_found",
        ),
        ("memory_write", json!({"path": "../x.md", "content": "x"}), "invalid_path"),
        ("memory_write", json!({"path": "facts/me.md", "content": "# Me\n\n- Preferred name: Ana\n"}), "consent"),
        ("memory_read", json!({"path": "facts/none.md"}), "file_not_found"),
    ] {
        assert_eq!(client.refused(tool, arguments.clone())["code"], code, "{arguments}");
    }
    client.close();
}

#[test]
fn only_a_named_reader_has_news() {
    let memory = memory();
    let mut client = session(&memory);
    client.call("memory_context", json!({}));
    client.call("memory_change", add("Uses Linux"));
    let context = client.call("memory_context", json!({}));
    let text = context["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("Memory updates since rev") && text.contains("Uses Linux"), "{text}");
    assert!(text.contains("memory_append") && !text.contains("memdir add"), "{text}");
    let again = client.call("memory_context", json!({}));
    assert!(!again["content"][0]["text"].as_str().unwrap().contains("+created"), "{again}");
    client.close();
}

#[test]
fn files_are_resources() {
    let memory = memory().file("notes/Ideen (2026).md", "# Ideen\n\n- Boot\n");
    for era in [Era::Initialize, Era::Inline] {
        let mut client = McpClient::start(&memory, &[], era);
        let list = client.request("resources/list", json!({}))["result"]["resources"].clone();
        let uris: Vec<&str> = list.as_array().unwrap().iter().map(|r| r["uri"].as_str().unwrap()).collect();
        let wanted =
            ["memdir://facts/user.md", "memdir://notes/Ideen%20%282026%29.md", "memdir://procedures/release.md"];
        assert_eq!(uris, wanted);
        assert_eq!((&list[0]["description"], &list[0]["mimeType"]), (&json!("tabs"), &json!("text/markdown")));
        let templates = client.request("resources/templates/list", json!({}));
        assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "memdir://{+address}");
        for (uri, text) in [
            ("memdir://facts/user.md", USER),
            ("memdir://notes/Ideen%20%282026%29.md", "# Ideen\n\n- Boot\n"),
            (&*format!("memdir://user@{}", handle("Prefers tabs")), "- Prefers tabs\n"),
        ] {
            let read = client.request("resources/read", json!({"uri": uri}));
            assert_eq!(read["result"]["contents"][0]["text"], text, "{read}");
        }
        let missing = if era == Era::Initialize { -32002 } else { -32602 };
        for (uri, code) in [
            ("memdir://facts/none.md", missing),
            ("memdir://../../etc/passwd", -32602),
            ("memdir://%2e%2e/x.md", -32602),
            ("file:///etc/passwd", -32602),
        ] {
            let answer = client.request("resources/read", json!({"uri": uri}));
            assert_eq!(answer["error"]["code"], code, "{uri}: {answer}");
        }
        client.close();
    }
}

#[test]
fn a_long_list_of_resources_comes_in_pages() {
    let memory = memory();
    for n in 0..1200 {
        memory.put(&format!("facts/n{n:04}.md"), "# N\n\n- One\n");
    }
    let mut client = session(&memory);
    let (mut uris, mut params) = (BTreeSet::new(), json!({}));
    loop {
        let page = client.request("resources/list", params)["result"].clone();
        uris.extend(page["resources"].as_array().unwrap().iter().map(|r| r["uri"].to_string()));
        match page.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    assert_eq!(uris.len(), 1202);
    client.close();
}

#[test]
fn a_restricted_agent_sees_its_categories_through_every_method() {
    let policy = "version: 1\nallowlists:\n  planner: [tasks]\n  doctor: [user, secret]\n";
    let memory = memory().policy(policy).file("facts/tasks.md", "# Tasks\n\n- Ship it\n");
    let mut client = McpClient::start(&memory, &["--as", "planner"], Era::Initialize);
    let mut seen = String::new();
    for (tool, arguments) in [
        ("memory_context", json!({})),
        ("memory_list", json!({})),
        ("memory_query", json!({"query": "tabs Austin ship"})),
    ] {
        seen += &client.call(tool, arguments).to_string();
    }
    seen += &client.refused("memory_read", json!({"address": "user"})).to_string();
    seen += &client.refused("memory_change", add("x")).to_string();
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "memdir://facts/user.md"})),
        ("resources/subscribe", json!({"uri": "memdir://facts/user.md"})),
    ] {
        seen += &client.request(method, params).to_string();
    }
    assert!(seen.contains("Ship it") && seen.contains("memdir://facts/tasks.md"), "{seen}");
    assert!(!seen.contains("Prefers") && !seen.contains("Austin"), "{seen}");
    // A change that it may not see is not reported; one that it may see is.
    client.request("resources/subscribe", json!({"uri": "memdir://facts/tasks.md"}));
    memory.put("facts/user.md", "# User\n\n- Changed\n");
    memory.put("facts/secret.md", "# Secret\n\n- New\n");
    memory.put("facts/tasks.md", "# Tasks\n\n- Shipped\n");
    let updated = client.notification("notifications/resources/updated");
    assert_eq!(updated["uri"], "memdir://facts/tasks.md");
    client.close();
}

#[test]
fn a_subscriber_is_notified_whoever_changed_the_file() {
    let memory = memory();
    let mut client = session(&memory);
    let uri = "memdir://facts/user.md";
    assert!(client.request("resources/subscribe", json!({"uri": uri}))["result"].is_object());
    client.request("resources/list", json!({}));
    client.call("memory_change", add("Uses Linux"));
    assert_eq!(client.notification("notifications/resources/updated")["uri"], uri);
    memory.put("facts/user.md", "# User\n\n- By an editor\n");
    assert_eq!(client.notification("notifications/resources/updated")["uri"], uri);
    memory.done(["add", "user", "By the shell"]);
    assert_eq!(client.notification("notifications/resources/updated")["uri"], uri);
    memory.put("facts/new.md", "# New\n");
    client.notification("notifications/resources/list_changed");
    client.request("resources/unsubscribe", json!({"uri": uri}));
    memory.done(["add", "user", "Not watched"]);
    memory.put("facts/newer.md", "# Newer\n");
    client.notification("notifications/resources/list_changed");
    client.close();
}

#[test]
fn a_listener_of_the_second_era_is_notified_until_it_cancels() {
    let memory = memory();
    let mut client = McpClient::start(&memory, &[], Era::Inline);
    let uri = "memdir://facts/user.md";
    let filter = json!({"notifications": {"resourceSubscriptions": [uri], "resourcesListChanged": true}});
    let id = client.begin("subscriptions/listen", filter);
    client.notification("notifications/subscriptions/acknowledged");
    client.call("memory_change", add("Uses Linux"));
    let updated = client.notification("notifications/resources/updated");
    assert_eq!(updated["uri"], uri);
    assert_eq!(updated["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{updated}");
    memory.put("facts/new.md", "# New\n");
    client.notification("notifications/resources/list_changed");
    // An open subscription does not hold up the end.
    drop(client.request("tools/list", json!({})));
    client.close_with_open_listener(id);
}

#[test]
fn garbage_is_no_reason_to_stop() {
    let memory = memory();
    let mut client = McpClient::spawn_silent(server_command(&memory, &[]), Era::Initialize);
    let deep = "[".repeat(100_000);
    let huge = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(1 << 20));
    let lines: [&[u8]; 12] = [
        b"",
        b"\x00\xff\xfe",
        b"hello",
        b"{",
        b"[]",
        b"null",
        b"{\"jsonrpc\":\"2.0\"}",
        b"{\"jsonrpc\":\"1.0\",\"id\":{},\"method\":7}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nothing\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}",
        deep.as_bytes(),
        huge.as_bytes(),
    ];
    for line in lines {
        client.send_line(line);
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 77, "method": "initialize", "params": initialize_params()}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    for line in lines {
        client.send_line(line);
    }
    client.send(
        &json!({"jsonrpc": "2.0", "id": 78, "method": "tools/call", "params": {"name": "memory_read", "arguments": 7}}),
    );
    client.send(&json!({"jsonrpc": "2.0", "id": 79, "method": "tools/list"}));
    let answered = std::iter::repeat_with(|| client.receive()).find(|message| message["id"] == 79).unwrap();
    assert_eq!(answered["result"]["tools"].as_array().unwrap().len(), 6);
    client.close();
}

#[test]
fn a_line_that_is_no_request_is_answered_with_an_error() {
    let memory = memory();
    let parse_error = |line: &'static [u8]| (line, Some((-32700, Value::Null)));
    let invalid = |line: &'static [u8], id: Value| (line, Some((-32600, id)));
    let unanswered = |line: &'static [u8]| (line, None);
    // JSON-RPC 2.0, sections 4 to 6, and the error responses of MCP: the id is that of the request, if it can be read.
    let lines = [
        parse_error(b"{\"jsonrpc\": \"2.0\", \"method\": \"foobar, \"params\": \"bar\", \"baz]"),
        parse_error(b"hello"),
        parse_error(b"\x00\xff\xfe"),
        parse_error(b"{} {}"),
        invalid(b"{\"jsonrpc\": \"2.0\", \"method\": 1, \"params\": \"bar\"}", Value::Null),
        invalid(b"[]", Value::Null),
        invalid(b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Value::Null),
        invalid(b"7", Value::Null),
        invalid(b"{}", Value::Null),
        invalid(b"{\"jsonrpc\":\"1.0\",\"id\":{},\"method\":7}", Value::Null),
        invalid(b"{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}", json!(5)),
        invalid(b"{\"jsonrpc\":\"2.0\",\"id\":\"a\"}", json!("a")),
        unanswered(b""),
        unanswered(b" \r"),
        unanswered(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nothing\"}"),
        unanswered(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}"),
        unanswered(b"{\"method\":\"notifications/cancelled\"}"),
        // Answers: two programs that answered each other's errors would never stop.
        unanswered(b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}"),
        unanswered(b"{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}"),
    ];
    for is_begun in [false, true] {
        let era = Era::Initialize;
        let command = server_command(&memory, &[]);
        let mut client = if is_begun { McpClient::spawn(command, era) } else { McpClient::spawn_silent(command, era) };
        for (line, _) in &lines {
            client.send_line(line);
        }
        if !is_begun {
            client.send(&json!({"jsonrpc": "2.0", "id": 77, "method": "initialize", "params": initialize_params()}));
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        for (line, expected) in lines.iter().filter_map(|(line, answer)| Some((line, answer.clone()?))) {
            let answer = client.receive();
            let found = (answer["error"]["code"].as_i64().unwrap_or_default(), answer.get("id").cloned().unwrap());
            assert_eq!(found, expected, "{} {answer}", String::from_utf8_lossy(line));
            assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
            assert!(answer["error"]["message"].is_string(), "{answer}");
        }
        if !is_begun {
            assert_eq!(client.receive()["id"], 77);
        }
        assert_eq!(client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 6);
        client.close();
    }
}

#[test]
fn batches_are_served_in_the_version_that_has_them() {
    let memory = memory();
    let begin = |version: &str| {
        let mut client = McpClient::spawn_silent(server_command(&memory, &[]), Era::Initialize);
        let mut params = initialize_params();
        params["protocolVersion"] = json!(version);
        client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        assert_eq!(client.receive()["result"]["protocolVersion"], version);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    };
    let request = |id: u64, method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method});
    let mut client = begin("2025-03-26");
    client.send(&json!([request(1, "ping"), request(2, "tools/list"), request(3, "foo/bar"), 7,
        {"jsonrpc": "2.0", "method": "notifications/nothing"}, request(4, "initialize")]));
    let answers = client.receive();
    let answers = answers.as_array().expect("one array");
    let answer = |id: Value| answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("{answers:?}"));
    assert_eq!(answers.len(), 5, "{answers:?}");
    assert_eq!(answer(json!(1))["result"], json!({}));
    assert_eq!(answer(json!(2))["result"]["tools"].as_array().unwrap().len(), 6);
    assert_eq!(answer(json!(3))["error"]["message"], "Method not found: foo/bar");
    assert_eq!(answer(json!(4))["error"]["code"], -32600);
    assert_eq!(answer(Value::Null)["error"]["code"], -32600);
    // Notifications alone get no answer; an empty batch is none.
    client.send(&json!([{"jsonrpc": "2.0", "method": "notifications/nothing"}]));
    client.send(&json!([]));
    let empty = client.receive();
    assert_eq!((&empty["error"]["code"], &empty["id"]), (&json!(-32600), &Value::Null), "{empty}");
    assert_eq!(client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 6);
    client.close();
    let mut client = begin("2025-06-18");
    client.send(&json!([request(1, "ping")]));
    let refused = client.receive();
    assert!(refused["error"]["message"].as_str().unwrap().contains("no batches"), "{refused}");
    client.close();
}

#[test]
fn a_last_request_without_a_line_break_is_answered() {
    let memory = memory();
    for (last, ids) in [
        ("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\"}", vec![0, 9]),
        ("{\"jsonrpc\":\"2.0\",\"id\":9", vec![0]),
    ] {
        let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize_params()});
        let input = format!("{begin}\n{}\n{last}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let output = assert_cmd::Command::from_std(server_command(&memory, &[])).write_stdin(input).output().unwrap();
        let answers = String::from_utf8(output.stdout).unwrap();
        let found: Vec<i64> =
            answers.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_i64().unwrap()).collect();
        assert_eq!(found, ids, "{answers}");
    }
}

#[test]
fn wrong_params_of_a_method_are_not_taken_for_a_missing_method() {
    let memory = memory();
    let mut client = session(&memory);
    for (method, params, reason) in [
        ("tools/call", json!({}), "missing field `name`"),
        ("tools/call", json!({"name": 5}), "expected a string"),
        ("tools/call", json!({"name": "memory_list", "arguments": "{}"}), "expected a map"),
        ("tools/call", json!({"name": "memory_list", "arguments": []}), "expected a map"),
        ("resources/read", json!({}), "missing field `uri`"),
        ("resources/subscribe", json!({"uri": 5}), "expected a string"),
        ("resources/unsubscribe", json!({}), "missing field `uri`"),
    ] {
        let error = &client.request(method, params)["error"];
        let message = error["message"].as_str().unwrap();
        assert!(error["code"] == -32602 && message.contains(method) && message.contains(reason), "{method}: {error}");
    }
    assert_eq!(client.request("prompts/list", json!({}))["error"]["code"], -32601);
    client.close();
}

#[test]
fn a_wrong_initialize_is_answered_and_the_next_one_begins_the_session() {
    let memory = memory();
    let mut client = McpClient::spawn_silent(server_command(&memory, &[]), Era::Initialize);
    let wrong = |name: &str, value: Value| {
        let mut params = initialize_params();
        params[name] = value;
        params
    };
    let all = [
        (wrong("protocolVersion", Value::Null), "protocolVersion must be a string"),
        (wrong("protocolVersion", json!(7)), "protocolVersion must be a string"),
        (wrong("capabilities", json!([])), "capabilities must be an object"),
        (wrong("clientInfo", json!("me")), "clientInfo must be an object"),
        (wrong("clientInfo", json!({"name": 5})), "invalid type"),
        (json!({}), "protocolVersion must be a string"),
    ];
    for (params, reason) in all {
        client.send(&json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": params}));
        // A client that does not read the answer goes on.
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let answer = client.receive();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("i"), &json!(-32602)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(reason), "{reason}: {answer}");
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert_eq!(client.receive()["error"]["code"], -32602);
    client.send(&json!({"jsonrpc": "2.0", "id": 77, "method": "initialize", "params": initialize_params()}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(client.receive()["id"], 77);
    client.send(&json!({"jsonrpc": "2.0", "id": 79, "method": "tools/list"}));
    assert_eq!(client.receive()["result"]["tools"].as_array().unwrap().len(), 6);
    client.close();
}

#[test]
fn a_line_that_is_too_long_is_answered_and_the_next_one_is_read() {
    let memory = memory();
    let mut client = session(&memory);
    client.send_line(format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(16 << 20)));
    let answer = client.receive();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &Value::Null), "{answer}");
    assert_eq!(client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 6);
    client.close();
}

#[test]
fn a_server_ends_with_stdin_or_a_signal() {
    let memory = memory();
    McpClient::spawn_silent(server_command(&memory, &[]), Era::Initialize).close();
    session(&memory).close();
    session(&memory).terminate();
    let mut listening = McpClient::start(&memory, &[], Era::Inline);
    listening.begin("subscriptions/listen", json!({"notifications": {"resourcesListChanged": true}}));
    listening.notification("notifications/subscriptions/acknowledged");
    listening.terminate();
}

/// Sends 30 changes and ends stdin: each is answered, and they are made in order.
fn assert_all_are_answered(memory: &Memory, mut server: Command) {
    let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize_params()}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    lines.extend((1..=30).map(|n| {
        let params = json!({"name": "memory_change", "arguments": add(&format!("Fact number {n} of this list"))});
        json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params})
    }));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::io::Write::write_all(&mut stdin, text.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 31);
    let user = memory.text("facts/user.md").unwrap();
    let facts: Vec<&str> = user.lines().filter(|line| line.contains("Fact number")).collect();
    let wanted: Vec<String> = (1..=30).map(|n| format!("- Fact number {n} of this list")).collect();
    assert_eq!(facts, wanted);
}

#[test]
fn what_was_sent_before_the_end_is_answered_in_order() {
    let memory = memory();
    assert_all_are_answered(&memory, server_command(&memory, &["--as", "claude"]));
}

/// Each of the 30 changes takes 0.3 s: longer together than `rmcp` waits after the end of stdin. In the full run, which
/// has the time and does not go without `strace`.
#[test]
fn a_slow_disk_leaves_nothing_unanswered() {
    if !full_or_skipped("a server whose disk is slow") {
        return;
    }
    let memory = memory();
    let server = server_command(&memory, &["--as", "claude"]);
    let mut slow = Command::new("strace");
    slow.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"]);
    slow.args(["-e", "inject=fsync,fdatasync:delay_exit=150000"]).arg(server.get_program()).args(server.get_args());
    slow.env_clear().envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    slow.current_dir(server.get_current_dir().unwrap()).env("MEMDIR_DURABILITY", "full");
    assert_all_are_answered(&memory, slow);
}

#[test]
fn a_server_starts_before_its_memory_exists() {
    let home = tempfile::tempdir().unwrap();
    let mut client = McpClient::spawn(
        {
            let mut command = crate::support::memdir_command(home.path());
            command.arg("mcp");
            command
        },
        Era::Initialize,
    );
    let error = client.refused("memory_list", json!({}));
    assert_eq!(error["code"], "no_data_dir", "{error}");
    crate::support::memdir_command(home.path()).args(["init", "memory"]).output().unwrap();
    client.call("memory_change", add("Uses Linux"));
    client.close();
    assert!(home.path().join("memory/facts/user.md").exists());
}

#[test]
fn a_call_that_waits_reports_progress_and_can_be_cancelled() {
    let memory = memory();
    let lock = std::fs::File::open(memory.dir()).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut client = session(&memory);
    let call = |text: &str| json!({"name": "memory_change", "arguments": add(text), "_meta": {"progressToken": "p"}});
    let id = client.begin("tools/call", call("Cancelled"));
    let (first, second) =
        (client.notification("notifications/progress"), client.notification("notifications/progress"));
    assert_eq!(first["progressToken"], "p");
    assert!(first["progress"].as_f64() < second["progress"].as_f64(), "{first} {second}");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    // The answer proves that the cancellation was read before.
    client.call("memory_list", json!({}));
    drop(lock);
    client.call("memory_change", add("Kept"));
    let user = memory.text("facts/user.md").unwrap();
    assert!(user.contains("Kept") && !user.contains("Cancelled"), "{user}");
    client.close();
}

#[test]
fn a_cancelled_command_changes_nothing() {
    let memory = memory();
    let session = memory.session();
    session.progress.cancel();
    let batch = memdir::operation::dialects::parse_batch(&add("x").to_string()).unwrap();
    let refused = memdir::commands::change(&session, batch, &memdir::ChangeOptions::default()).unwrap_err();
    assert_eq!(refused.code().name(), "cancelled");
    let query = memdir::commands::query(&session, &"tabs".into()).unwrap_err();
    assert_eq!((query.code().name(), query.exit_status()), ("cancelled", 7));
    assert_eq!(memory.text("facts/user.md").unwrap(), USER);
}
