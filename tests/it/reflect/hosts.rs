//! `reflect` and `compact` against hosts on loopback, through the program: both protocols, every fault.

use std::time::{Duration, Instant};

use memdir::llm::Protocol;
use serde_json::{Value, json};

use super::script::add;
use crate::models::{KEY, WIRES, faults};
use crate::support::memory::full;
use crate::support::model_server::{Answer, ScriptedReply, Server};
use crate::support::{CommandRun, Memory};

/// The deadline of all questions of one command, in seconds.
const OVERALL: f64 = 0.3;

fn reflect_with<'m>(memory: &'m Memory, server: &Server, wire: Protocol, words: &[&str]) -> CommandRun<'m> {
    let (key, url, provider) = match wire {
        Protocol::Messages => ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "anthropic"),
        _ => ("OPENAI_API_KEY", "OPENAI_BASE_URL", "openai"),
    };
    let run = memory.run(words.iter().copied().chain(["--provider", provider, "--model", "m"]));
    run.env(key, KEY).env(url, &server.url())
}

fn write_conversation(memory: &Memory) -> String {
    let file = memory.dir().with_file_name("talk.md");
    fs_err::write(&file, "User: I'm Zhang San.\n").unwrap();
    file.to_str().unwrap().to_owned()
}

/// A reply that calls tools.
fn calls(wire: Protocol, name: &str, arguments: Value) -> Answer {
    match wire {
        Protocol::Messages => {
            let block = json!([{"type": "tool_use", "id": "t1", "name": name, "input": arguments}]);
            Answer::message(&block, "tool_use")
        }
        _ => Answer::chat_calls([(name, arguments)]),
    }
}

fn text_reply(wire: Protocol, text: &str) -> Answer {
    match wire {
        Protocol::Messages => Answer::message(&json!([{"type": "text", "text": text}]), "end_turn"),
        _ => Answer::chat(text),
    }
}

#[test]
fn a_temperature_is_that_of_the_models_block_or_none() {
    let memory = Memory::new().file("facts/food.md", "# Food\n\n- Sushi\n");
    let block = |role: &str, more: &str| format!("{role}: {{provider: openai, name: m{more}}}\n");
    let blocks =
        [block("model", ""), block("finder", ", temperature: 0.1"), block("editor", ", temperature: 0.2")].concat();
    memory.configure(&format!("people: [tester]\n{blocks}"));
    let found = json!({"locations": [], "suggested_insert_path": "food", "reasoning": "none"}).to_string();
    let decision = json!({"edits": [], "decision": "no_change", "reasoning": "it is there"}).to_string();
    let server = Server::script([found.as_str(), &decision, "pong"].map(Answer::chat));
    for line in [&["reflect", "--request", "User likes sushi"][..], &["reflect", "--check-model"]] {
        memory.run(line).env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", &server.url()).exit(0);
    }
    let sent: Vec<Option<Value>> = server.requests().iter().map(|r| r.body.get("temperature").cloned()).collect();
    assert_eq!(sent, [Some(json!(0.1)), Some(json!(0.2)), None]);
}

#[test]
fn both_protocols_keep_the_replies() {
    for wire in WIRES {
        let memory = Memory::new();
        let arguments = super::script::object(add("facts/user.md", "Name: Zhang San", "I'm Zhang San"));
        let server = Server::script([calls(wire, "add", arguments), text_reply(wire, "done")]);
        let ran = reflect_with(&memory, &server, wire, &["reflect", &write_conversation(&memory)]).exit(0);
        assert!(memory.text("facts/user.md").unwrap().contains("- Name: Zhang San\n"), "{ran}");
        assert!(!format!("{ran}").contains(KEY));
        let one = json!({"operations": [add("facts/me.md", "Role: developer", "I'm Zhang San")]}).to_string();
        let server = Server::script([text_reply(wire, &one)]);
        let words = ["reflect", "-", "--mode", "ops"];
        let ran =
            reflect_with(&memory, &server, wire, &words).stdin("User: Hello, I'm Zhang San, a developer.\n").exit(0);
        assert!(memory.text("facts/me.md").unwrap().contains("- Role: developer\n"), "{ran}");
    }
}

#[test]
fn no_fault_of_a_host_commits_half_a_chunk_or_hangs() {
    let full = full();
    let bullets: String =
        ["alpha", "bravo", "candle", "delta"].iter().map(|w| format!("- The {w} service\n")).collect();
    let all = WIRES.iter().flat_map(|wire| faults(*wire).into_iter().enumerate().map(|(n, (say, _))| (*wire, n, say)));
    // Each fault in one protocol; the full run takes both.
    for (wire, _, fault) in all.filter(|(wire, n, _)| full || (*wire == Protocol::ChatCompletions) == (n % 2 == 0)) {
        let server = Server::always(fault.clone());
        let memory = Memory::new()
            .policy("version: 1\nlimits:\n  - at: facts/*.md\n    bullets: 3\n    on_limit: compact\n")
            .file("facts/user.md", &format!("# User\n\n{bullets}"));
        memory.configure(&format!("model: {{overall_s: {OVERALL}}}\n"));
        let before = memory.tree();
        let began = Instant::now();
        let ran = reflect_with(&memory, &server, wire, &["reflect", &write_conversation(&memory)]).ends();
        assert!(began.elapsed() < Duration::from_secs_f64(OVERALL + 1.0) + SLACK, "{fault:?}\n{ran}");
        assert_eq!((ran.status, &memory.tree()), (8, &before), "{fault:?}\n{ran}");
        assert!(ran.stderr.contains("model") && !format!("{ran}").contains(KEY), "{fault:?}\n{ran}");
        let began = Instant::now();
        let ran = reflect_with(&memory, &server, wire, &["compact"]).ends();
        assert!(began.elapsed() < Duration::from_secs_f64(OVERALL + 1.0) + SLACK, "{fault:?}\n{ran}");
        // The model was named: if it cannot be reached, nothing changes. A reply without a decision lets age decide.
        if ran.status == 8 {
            assert_eq!(memory.tree(), before, "{fault:?}\n{ran}");
            continue;
        }
        assert_eq!(ran.status, 0, "age decides: {fault:?}\n{ran}");
        let kept = memory.text("facts/user.md").unwrap() + &memory.text("archive/facts/user.md").unwrap();
        assert!(bullets.lines().all(|line| kept.contains(line)), "{fault:?}\n{ran}");
        memory.done(["check"]);
        memory.done(["undo"]);
        assert_eq!(memory.tree(), before, "{fault:?}");
    }
}

#[test]
fn compact_fails_without_the_model_that_was_named() {
    let memory = Memory::new()
        .policy("version: 1\nlimits:\n  - at: facts/*.md\n    bullets: 1\n    on_limit: compact\n")
        .file("facts/user.md", "# User\n\n- The alpha service\n- The bravo service\n");
    let url = "http://127.0.0.1:9/v1";
    let named = memory.run(["compact", "--provider", "openai", "--model", "m"]);
    named
        .env("OPENAI_API_KEY", KEY)
        .env("OPENAI_BASE_URL", url)
        .exit(8)
        .stderr_contains("cannot be reached")
        .unchanged();
    let wrong_key = Server::always(ScriptedReply::Answer(Answer::error(401, "Incorrect API key")));
    reflect_with(&memory, &wrong_key, Protocol::ChatCompletions, &["compact"]).exit(8).unchanged();
    // A model that is only configured may be away: age decides.
    let configured = memory.run(["compact"]).env("MEMDIR_PROVIDER", "openai").env("MEMDIR_MODEL", "m");
    configured.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", url).exit(0);
}

#[test]
fn plain_http_needs_no_certificates_and_https_names_them() {
    let memory = Memory::new();
    let server = Server::script([text_reply(Protocol::ChatCompletions, "{\"operations\": []}")]);
    let talk = write_conversation(&memory);
    let words = ["reflect", &talk, "--mode", "ops"];
    without_certificates(reflect_with(&memory, &server, Protocol::ChatCompletions, &words)).exit(0);
    let other = Memory::new();
    let talk = write_conversation(&other);
    let words = ["reflect", &talk, "--mode", "ops"];
    let secure = other.run(words.into_iter().chain(["--provider", "openai", "--model", "m"]));
    let secure =
        without_certificates(secure).env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", "https://127.0.0.1:9/v1");
    secure.exit(8).stderr_contains("https needs CA certificates").unchanged();
}

/// As in a container without certificates.
fn without_certificates(run: CommandRun<'_>) -> CommandRun<'_> {
    run.env("SSL_CERT_FILE", "/dev/null").env("SSL_CERT_DIR", "/dev/null")
}

#[test]
fn what_looks_like_a_key_in_an_error_is_not_printed_whoever_it_belongs_to() {
    let token = format!("ghp_{}", "aB3dE5fG7h".repeat(3) + "Jk9Lm1");
    let padding = "the upstream host refused ".repeat(11);
    for text in [format!("your token {token} is bad"), format!("{padding}{token}")] {
        let memory = Memory::new();
        let server = Server::always(ScriptedReply::Answer(Answer::error(400, &text)));
        let talk = write_conversation(&memory);
        let words = ["reflect", &talk, "--mode", "ops"];
        let ran = reflect_with(&memory, &server, Protocol::ChatCompletions, &words).exit(8).unchanged();
        assert!(!format!("{ran}").contains("ghp_aB3"), "{ran}");
    }
}

#[test]
fn a_key_that_a_host_repeats_is_neither_printed_nor_stored() {
    let part = &KEY[..8];
    let text = format!("The deploy key is {KEY} or {part}");
    let wire = Protocol::ChatCompletions;
    let memory = Memory::new();
    let one = json!({"operations": [add("facts/user.md", &text, &format!("it is {part} and {KEY}"))]}).to_string();
    let server = Server::script([text_reply(wire, &one), text_reply(wire, "{\"operations\": []}")]);
    let talk = write_conversation(&memory);
    let ran = reflect_with(&memory, &server, wire, &["reflect", &talk, "--mode", "ops", "--json"]).may_change().ends();
    assert!(!format!("{ran}").contains(part), "{ran}");
    let memory = Memory::new()
        .policy("version: 1\nlimits:\n  - at: facts/*.md\n    bullets: 1\n    on_limit: compact\n")
        .file("facts/user.md", "# User\n\n- The alpha service\n- The bravo service\n");
    let decision =
        json!({"action": "delete", "target": 1, "absorbs": [], "new_content": null, "reason": text}).to_string();
    let server = Server::script([text_reply(wire, &decision)]);
    let ran = reflect_with(&memory, &server, wire, &["compact", "--json"]).exit(0);
    let stored = memory.done(["log", "--json"]).stdout + &format!("{ran}");
    let journal = format!("{:?}", memory.tree());
    assert!(!stored.contains(part) && !journal.contains(part), "{stored}");
    let server = Server::always(ScriptedReply::Answer(Answer::error(401, &format!("Incorrect key {part}*****"))));
    let ran = reflect_with(&Memory::new(), &server, wire, &["reflect", &talk]).exit(8);
    assert!(!format!("{ran}").contains(part), "{ran}");
}

/// What a loaded machine may take for two processes.
const SLACK: Duration = Duration::from_secs(2);
