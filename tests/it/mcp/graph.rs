//! `memdir mcp --tools graph` against what server-memory answered to the same calls (`tests/mcp/graph.py` records it).
//!
//! Where the answers differ, and why: entities and relations come in the order of the files, not of their creation; an
//! observation has no blanks at the ends of its lines, because a bullet has none; one that is given twice in a call, or
//! differs only in spaces from a bullet, is one bullet; an observation that no bullet can hold (an empty one), or that
//! needs the user's consent, is refused.

use serde_json::{Value, json};

use super::client::{Era, McpClient, server_command};
use crate::support::Memory;

const RECORDED: &str = include_str!("../../../fixtures/mcp/server-memory-calls.jsonl");
const URI: &str = "memory://knowledge-graph";

fn server(memory: &Memory) -> McpClient {
    McpClient::start(memory, &["--tools", "graph", "--as", "claude"], Era::Initialize)
}

/// The answer in an order that does not depend on files.
fn in_order(mut answer: Value) -> Value {
    for list in ["entities", "relations"] {
        if let Some(rows) = answer[list].as_array_mut() {
            rows.sort_by_key(Value::to_string);
        }
    }
    answer
}

fn one_entity(name: &str, observations: &[&str]) -> Value {
    json!({"entities": [{"name": name, "entityType": "person", "observations": observations}]})
}

#[test]
fn every_recorded_call_is_answered_alike() {
    let memory = Memory::new();
    let mut client = server(&memory);
    let calls: Vec<Value> = RECORDED.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(calls.len() >= 60);
    for (number, call) in calls.iter().enumerate() {
        let params = json!({"name": call["tool"], "arguments": call["arguments"]});
        let result = client.request("tools/call", params)["result"].clone();
        let text = result["content"][0]["text"].as_str().unwrap();
        let told = format!("call {number}: {} {}", call["tool"], call["arguments"]);
        if call["is_error"] == true {
            assert_eq!((&result["isError"], text), (&json!(true), call["text"].as_str().unwrap()), "{told}");
            continue;
        }
        let structured = result["structuredContent"].clone();
        assert_eq!(in_order(structured.clone()), in_order(call["structured"].clone()), "{told}\n{text}");
        // The text is the same in its form: the message, the new rows, or the graph.
        let rows = ["entities", "relations", "results"].map(|rows| &structured[rows]);
        let shown = match (&structured["message"], call["tool"].as_str().unwrap()) {
            (Value::String(message), _) => message.clone(),
            (_, "read_graph" | "search_nodes" | "open_nodes") => serde_json::to_string_pretty(&structured).unwrap(),
            _ => serde_json::to_string_pretty(rows.into_iter().find(|rows| rows.is_array()).unwrap()).unwrap(),
        };
        assert_eq!(text, shown, "{told}");
    }
    let graph = client.call("read_graph", json!({}));
    let read = client.request("resources/read", json!({"uri": URI}))["result"]["contents"][0].clone();
    assert_eq!((&read["text"], &read["uri"]), (&graph["content"][0]["text"], &json!(URI)));
    client.close();
    memory.run(["check"]).ends();
}

#[test]
fn the_graph_is_markdown_that_people_can_read() {
    let memory = Memory::new();
    let mut client = server(&memory);
    client.call("create_entities", one_entity("Ana María", &["Prefers tabs", "Steps:\n- one"]));
    let relations = json!({"relations": [
        {"from": "Ana María", "to": "Acme", "relationType": "works_at"},
        {"from": "Ana María", "to": "Acme", "relationType": "worked with"},
    ]});
    client.call("create_relations", relations);
    let text = memory.text("facts/Ana María.md").unwrap();
    for line in [
        "type: person\n",
        "# Ana María\n",
        "- Prefers tabs\n- Steps:\n  - one\n- works_at [[Acme]]\n- \"worked with\" [[Acme]]\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    // What people write is part of the graph.
    memory.put("facts/acme.md", "# Acme\n\n- Makes rockets\n- employs [[Ana María]] (since May)\n");
    let graph = client.call("open_nodes", json!({"names": ["Acme"]}))["structuredContent"].clone();
    assert_eq!(graph["entities"], json!([{"name": "Acme", "entityType": "acme", "observations": ["Makes rockets"]}]));
    assert_eq!(graph["relations"].as_array().unwrap().len(), 3);
    // An index lists what other files say.
    memory.put("MEMORY.md", "- [Ana](facts/ana.md) — prefers tabs\n");
    let found = client.call("search_nodes", json!({"query": "prefers tabs"}))["structuredContent"].clone();
    assert_eq!(found["entities"].as_array().unwrap().len(), 1, "{found}");
    client.close();
    assert_eq!(memory.done(["log", "--json"]).json()["entries"].as_array().unwrap().len(), 2, "a call is one revision");
    memory.done(["undo"]);
    memory.done(["undo"]);
    assert_eq!(memory.text("facts/Ana María.md"), None);
}

#[test]
fn observations_that_a_bullet_cannot_hold_are_refused_and_blanks_at_line_ends_dropped() {
    let memory = Memory::new();
    let mut client = server(&memory);
    client.call("create_entities", one_entity("Ana", &["  padded \n lines  ", "twice", "twice"]));
    let known = client.call(
        "add_observations",
        json!({"observations": [{"entityName": "Ana", "contents": ["twice ", "a  b", "a b"]}]}),
    );
    assert_eq!(known["structuredContent"]["results"][0]["addedObservations"], json!(["a  b"]), "{known}");
    let graph = client.call("read_graph", json!({}))["structuredContent"].clone();
    assert_eq!(graph["entities"][0]["observations"], json!(["padded\n lines", "twice", "a  b"]));
    let before = memory.tree();
    for (tool, arguments, part) in [
        ("create_entities", one_entity("Bob", &["kept", " "]), "cannot be kept as a bullet"),
        ("create_entities", one_entity("Bob", &["kept", &"x".repeat(9_000)]), "at most 8 KiB"),
        ("add_observations", json!({"observations": [{"entityName": "Ana", "contents": [""]}]}), "cannot be kept"),
        ("add_observations", json!({"observations": [{"entityName": "Ana"}]}), "missing field `contents`"),
        ("search_nodes", json!({}), "missing field `query`"),
        ("create_entities", one_entity("Cleo", &["Preferred name: Cleo"]), "their own words"),
    ] {
        let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone();
        let text = answer["content"][0]["text"].as_str().unwrap();
        assert_eq!(answer["isError"], true, "{answer}");
        assert!(text.contains(part) && !text.contains("--"), "{tool}: {text}");
    }
    client.close();
    let proposals = |tree: crate::support::Tree| {
        tree.into_iter().filter(|(path, _)| !path.starts_with("inbox/")).collect::<Vec<_>>()
    };
    assert_eq!(proposals(memory.tree()), proposals(before));
}

#[test]
fn the_graph_is_the_resource_and_its_subscribers_are_notified() {
    let memory = Memory::new().file("facts/ana.md", "# Ana\n\n- Prefers tabs\n");
    let mut client = server(&memory);
    let listed = client.request("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(
        (&listed[0]["uri"], &listed[0]["name"], listed.as_array().unwrap().len()),
        (&json!(URI), &json!("knowledge-graph"), 1)
    );
    assert_eq!(client.request("resources/templates/list", json!({}))["result"]["resourceTemplates"], json!([]));
    assert!(client.request("resources/subscribe", json!({"uri": URI}))["result"].is_object());
    client.call("add_observations", json!({"observations": [{"entityName": "Ana", "contents": ["Uses Linux"]}]}));
    assert_eq!(client.notification("notifications/resources/updated")["uri"], URI);
    memory.put("facts/ana.md", "# Ana\n\n- By an editor\n");
    assert_eq!(client.notification("notifications/resources/updated")["uri"], URI);
    client.close();
}

#[test]
fn a_graph_obeys_what_its_server_may_do() {
    let policy = "version: 1\nallowlists:\n  planner: [tasks]\n  doctor: [user, secret]\n";
    let memory = Memory::new().policy(policy).file("facts/tasks.md", "# Tasks\n\n- Ship it\n- part_of [[Secret]]\n");
    memory.put("facts/secret.md", "# Secret\n\n- The plan\n");
    let read_only = server_command(&memory, &["--tools", "graph", "--read-only", "--as", "claude"]);
    let mut client = McpClient::spawn(read_only, Era::Initialize);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read_graph", "search_nodes", "open_nodes"]);
    let refused =
        client.request("tools/call", json!({"name": "delete_entities", "arguments": {"entityNames": ["Tasks"]}}));
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    client.close();
    let mut off = server_command(&memory, &["--tools", "graph"]);
    off.env("MEMDIR_MODE", "off");
    let mut client = McpClient::spawn(off, Era::Initialize);
    assert_eq!(client.request("tools/list", json!({}))["result"]["tools"], json!([]));
    assert!(client.request("resources/read", json!({"uri": URI}))["error"].is_object());
    client.close();

    let mut client = McpClient::start(&memory, &["--tools", "graph", "--as", "planner"], Era::Initialize);
    let mut seen = client.call("read_graph", json!({})).to_string();
    seen += &client.request("resources/read", json!({"uri": URI})).to_string();
    for (tool, arguments) in [
        ("add_observations", json!({"observations": [{"entityName": "Secret", "contents": ["x"]}]})),
        ("create_entities", one_entity("secret", &[])),
    ] {
        let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        seen += &answer.to_string();
    }
    client.call("delete_entities", json!({"entityNames": ["Secret"]}));
    assert!(seen.contains("Ship it") && !seen.contains("The plan"), "{seen}");
    client.close();
    assert_eq!(memory.text("facts/secret.md").unwrap(), "# Secret\n\n- The plan\n");
}

#[test]
fn writers_of_one_graph_lose_nothing() {
    let memory = Memory::new().file("facts/ana.md", "# Ana\n");
    let mut clients: Vec<McpClient> = (0..4).map(|_| server(&memory)).collect();
    for round in 0..10 {
        let ids: Vec<u64> = clients
            .iter_mut()
            .enumerate()
            .map(|(n, client)| {
                let contents = json!([format!("Fact {round} of {n}"), format!("Fact {round} of all")]);
                let arguments = json!({"observations": [{"entityName": "Ana", "contents": contents}]});
                client.begin("tools/call", json!({"name": "add_observations", "arguments": arguments}))
            })
            .collect();
        for (client, id) in clients.iter().zip(ids) {
            assert_eq!(client.answer(id)["result"]["isError"], false);
        }
    }
    clients.into_iter().for_each(McpClient::close);
    let text = memory.text("facts/ana.md").unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("- Fact")).count(), 50, "{text}");
}
