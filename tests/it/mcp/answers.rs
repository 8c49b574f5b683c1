//! What an answer of `memdir mcp` carries besides the result: news that stay unread until it is out, hints in the words of
//! the tools, and warnings about the policy.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use super::client::{Era, McpClient, initialize_params, server_command};
use super::{add, memory, session};

fn context(client: &mut McpClient) -> String {
    client.call("memory_context", json!({}))["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn news_whose_answer_never_got_out_stay_news() {
    let memory = memory();
    let mut client = session(&memory);
    context(&mut client);
    client.close();
    memory.done(["add", "user", "Uses Linux"]);
    // The host is gone before it reads the answer.
    let mut server = server_command(&memory, &["--as", "claude"]);
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (mut stdin, mut stdout) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params()}))
        .unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    let call = json!({"name": "memory_context", "arguments": {}});
    let lines = [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ];
    for line in lines {
        // It may have ended already.
        let _ = writeln!(stdin, "{line}");
    }
    drop(stdin);
    server.wait().unwrap();

    let mut client = session(&memory);
    let text = context(&mut client);
    assert!(text.contains("Memory updates since rev") && text.contains("Uses Linux"), "{text}");
    client.close();
    // The last answer of a session was read, too.
    let mut client = session(&memory);
    let text = context(&mut client);
    assert!(!text.contains("+created"), "{text}");
    client.close();
}

#[test]
fn a_query_that_shows_nothing_of_what_matches_says_so() {
    let memory = memory();
    memory.done(["add", "user", "Uses Linux"]);
    let mut client = session(&memory);
    let answer = client.call("memory_query", json!({"query": "linux", "budget_tokens": 1}));
    assert_eq!(answer["content"][0]["text"], "[]");
    let note = answer["content"][1]["text"].as_str().unwrap();
    assert!(note.starts_with("1 item matches, and none fits into the budget; budget_tokens "), "{note}");
    let none = client.call("memory_query", json!({"query": "helicopter", "budget_tokens": 1}));
    assert_eq!(none["content"].as_array().unwrap().len(), 1, "{none}");
    client.close();
}

#[test]
fn a_hint_names_no_option_of_the_shell() {
    let memory = memory();
    let mut client = session(&memory);
    let change = |operation: Value| json!({"operations": [operation]});
    for (tool, arguments, code) in [
        ("memory_change", change(json!({"op": "rm", "at": "user"})), "needs_proof"),
        ("memory_change", change(json!({"op": "write", "at": "user", "text": "# X\n"})), "needs_proof"),
        ("memory_change", change(json!({"op": "add", "at": "userr", "text": "x"})), "did_you_mean"),
        ("memory_change", change(json!({"op": "write", "at": "run.sh", "text": "x"})), "invalid_path"),
        ("memory_change", change(json!({"op": "add", "at": "archive/facts/user", "text": "x"})), ""),
        ("memory_change", change(json!({"op": "add", "at": "inbox/p1", "text": "x"})), ""),
        ("memory_change", change(json!({"op": "add", "at": "user", "text": "Preferred name: Ana"})), "consent"),
        ("memory_context", json!({"budget_tokens": 1}), "usage"),
        ("memory_query", json!({}), "usage"),
        ("memory_list", json!({"address": "usr"}), "file_not_found"),
        ("memory_append", json!({"text": "It rained"}), "usage"),
    ] {
        let error = client.refused(tool, arguments.clone());
        assert!(code.is_empty() || error["code"] == code, "{error}");
        let told = format!("{} {} {}", error["message"], error["hint"], error["try"]);
        let option = told.split([' ', '"']).find(|word| word.len() > 1 && word.starts_with('-'));
        assert_eq!(option, None, "{tool} {arguments}: {error}");
    }
    client.close();
}

#[test]
fn a_call_with_a_wrong_argument_says_which_there_are() {
    let memory = memory();
    let mut client = session(&memory);
    let mut hint = |tool: &str, arguments: Value| -> String {
        let error = client.refused(tool, arguments);
        format!("{}: {}", error["message"].as_str().unwrap(), error["hint"].as_str().unwrap_or_default())
    };
    assert_eq!(
        hint("memory_list", json!({"path": "user"})),
        "arguments: 'path' is unknown: known fields: 'address' and 'limit'"
    );
    assert_eq!(hint("memory_read", json!({"path": "user"})), "arguments: 'path' is unknown: known fields: 'address'");
    let context = hint("memory_context", json!({"max": 500}));
    assert_eq!(context, "arguments: 'max' is unknown: known fields: 'budget_tokens'");
    let filters = hint("memory_query", json!({"query": "x", "filters": {"nope": 1}}));
    assert!(filters.starts_with("'filters': 'nope' is unknown: known fields: 'user_id', "), "{filters}");
    let operation = |more: Value| {
        let mut operation = json!({"op": "add", "at": "user", "text": "x"});
        operation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"operations": [operation]})
    };
    assert_eq!(
        hint("memory_change", operation(json!({"when": "src/**"}))),
        "add: 'when' is unknown: metadata is in 'meta': {\"meta\":{\"when\":…}}"
    );
    let other = hint("memory_change", operation(json!({"colour": "red"})));
    assert!(other.starts_with("add: 'colour' is unknown: known fields: 'op', 'at', "), "{other}");
    assert_eq!(
        hint("memory_append", json!({"text": "py done"})),
        "an episode entry needs a title: pass title, or start the text with '## '"
    );
    let append = hint("memory_append", json!({"op": "rm", "title": "Met Bo", "text": "x"}));
    assert!(append.starts_with("arguments: 'op' is unknown: known fields: 'at', 'text', 'title', "), "{append}");
    assert_eq!(
        ["memory_read", "memory_append"].map(|tool| hint(tool, json!({}))),
        [
            "arguments: 'address' is missing: expected: FILE, FILE#SECTION or FILE@HANDLE",
            "arguments: 'text' is missing: expected: markdown below the title, or without title the whole entry",
        ]
    );
    let none = hint("memory_change", json!({"reason": "x"}));
    assert!(none.starts_with("'operations' is missing: example: {\"operations\":"), "{none}");
    let field = hint("memory_change", json!({"operations": [{"op": "write", "text": "x"}]}));
    assert_eq!(field, "write: 'at' is missing: expected: the file's address");
    client.close();
}

#[test]
fn a_refusal_of_the_seeds_tools_says_so_in_their_words() {
    let memory = memory();
    let mut client = McpClient::start(&memory, &["--tools", "seed", "--as", "claude"], Era::Initialize);
    let error = client.refused("memory_read", json!({"path": "facts/usr.md"}));
    assert_eq!((&error["success"], &error["code"]), (&json!(false), &json!("file_not_found")));
    let tries = error["try"].to_string();
    assert!(tries.contains("memory_read {\\\"path\\\":") && !tries.contains("address"), "{tries}");
    let error = client.refused("memory_append", json!({"path": "episodes/2026-03.md", "content": "## Met Bo"}));
    assert!(error["message"].as_str().unwrap().contains("'content' is unknown; did you mean 'entry'?"), "{error}");
    client.close();
}

#[test]
fn a_warning_about_the_policy_is_shown_once() {
    let memory = memory().policy("version: 9\n");
    for tools in ["memory", "graph"] {
        let mut client = McpClient::start(&memory, &["--tools", tools, "--as", "claude"], Era::Initialize);
        let call = if tools == "memory" { "memory_list" } else { "read_graph" };
        let warned = client.call(call, json!({}))["content"].clone();
        assert!(warned[1]["text"].as_str().is_some_and(|text| text.starts_with("warning: ")), "{warned}");
        assert_eq!(client.call(call, json!({}))["content"].as_array().unwrap().len(), 1);
        client.close();
    }
    // A refusal carries it, too.
    let mut client = session(&memory);
    let refused = client.request("tools/call", json!({"name": "memory_change", "arguments": add("x")}));
    assert!(refused["result"]["content"][1]["text"].as_str().is_some() || refused["result"]["isError"] == false);
    client.close();
}

/// A `memory_context` first, then two calls of one turn, is what clients do.
#[test]
fn changes_after_a_context_are_made_in_the_order_in_which_they_came() {
    for _ in 0..5 {
        let memory = memory();
        let mut client = session(&memory);
        context(&mut client);
        let change = |op: Value| json!({"name": "memory_change", "arguments": {"operations": [op]}});
        let first = client.begin("tools/call", change(json!({"op": "add", "at": "order", "text": "Uses spaces"})));
        let update = json!({"op": "update", "at": "order", "old": "Uses spaces", "text": "Uses tabs"});
        let second = client.begin("tools/call", change(update));
        client.answer(first);
        client.answer(second);
        client.close();
        let text = memory.text("facts/order.md").unwrap();
        assert!(text.contains("- Uses tabs") && !text.contains("Uses spaces"), "{text}");
    }
}

/// JSON.stringify writes half an emoji as an escape, which is JSON.
#[test]
fn a_request_with_half_a_character_is_answered() {
    let memory = memory();
    let mut client = session(&memory);
    let call = "{\"name\":\"memory_query\",\"arguments\":{\"query\":\"tea \\ud83d\"}}";
    client.send_line(format!("{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{call}}}"));
    let answer = client.answer(77);
    assert!(answer["result"].is_object() || answer.get("content").is_some(), "{answer}");
    client.close();
}

/// A person erases history, in the shell: no tool does, whatever else is in its batch.
#[test]
fn no_tool_erases_history() {
    let memory = memory();
    let forget = json!({"op": "rm", "at": "user", "text": "Prefers tabs", "forget": true});
    let both = json!([{"op": "add", "at": "user", "text": "Uses Linux"}, forget]);
    let before = memory.tree();
    let mut client = session(&memory);
    for operations in [json!([forget]), both.clone()] {
        for dry_run in [true, false] {
            let arguments = json!({"operations": operations, "dry_run": dry_run, "consent": "yes"});
            let error = client.refused("memory_change", arguments);
            assert_eq!((&error["code"], &error["changed"]), (&json!("consent"), &json!(false)), "{error}");
            let hint = error["hint"].as_str().unwrap();
            assert!(hint.contains("a person runs `memdir rm --forget` in the shell"), "{error}");
        }
    }
    client.close();
    for request in [forget.clone(), both.clone(), json!({"operations": both})] {
        let ran = memory.run(["tool", "seed"]).stdin(request.to_string()).ends();
        assert!(ran.stdout.contains("\"success\":false") && ran.stdout.contains("rm --forget"), "{ran}");
    }
    assert_eq!(memory.tree(), before);
    // Without a tool it goes, by an agent, too.
    memory.run(["apply"]).stdin(forget.to_string()).by("claude").exit(0);
    assert!(!memory.text("facts/user.md").unwrap().contains("Prefers tabs"));
}
