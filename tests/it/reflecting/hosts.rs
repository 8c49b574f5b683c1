//! `reflect` and `compact` against hosts on loopback, through the program: both protocols, every fault.

use std::time::{Duration, Instant};

use memdir::llm::Protocol;
use serde_json::{Value, json};

use super::super::model_server::{Answer, Server};
use super::super::models::{KEY, WIRES, faults};
use super::super::support::{CommandRun, Memory};
use super::door::configured;
use super::script::add;

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
    let full = std::env::var_os("MEMDIR_FULL").is_some_and(|v| v == "1");
    let bullets: String =
        ["alpha", "bravo", "candle", "delta"].iter().map(|w| format!("- The {w} service\n")).collect();
    let all = WIRES.iter().flat_map(|wire| faults(*wire).into_iter().enumerate().map(|(n, (say, _))| (*wire, n, say)));
    // Each fault in one protocol; the full run takes both.
    for (wire, _, fault) in all.filter(|(wire, n, _)| full || (*wire == Protocol::ChatCompletions) == (n % 2 == 0)) {
        let server = Server::always(fault.clone());
        let memory = Memory::new()
            .policy("version: 1\nlimits:\n  - at: facts/*.md\n    bullets: 3\n    on_limit: compact\n")
            .file("facts/user.md", &format!("# User\n\n{bullets}"));
        configured(&memory, &format!("model: {{overall_s: {OVERALL}}}\n"));
        let before = memory.tree();
        let began = Instant::now();
        let ran = reflect_with(&memory, &server, wire, &["reflect", &write_conversation(&memory)]).ends();
        assert!(began.elapsed() < Duration::from_secs_f64(OVERALL + 1.0) + SLACK, "{fault:?}\n{ran}");
        assert_eq!((ran.status, &memory.tree()), (8, &before), "{fault:?}\n{ran}");
        assert!(ran.stderr.contains("model") && !format!("{ran}").contains(KEY), "{fault:?}\n{ran}");
        let began = Instant::now();
        let ran = reflect_with(&memory, &server, wire, &["compact"]).ends();
        assert!(began.elapsed() < Duration::from_secs_f64(OVERALL + 1.0) + SLACK, "{fault:?}\n{ran}");
        assert_eq!(ran.status, 0, "age decides: {fault:?}\n{ran}");
        let kept = memory.text("facts/user.md").unwrap() + &memory.text("archive/facts/user.md").unwrap();
        assert!(bullets.lines().all(|line| kept.contains(line)), "{fault:?}\n{ran}");
        memory.done(["check"]);
        memory.done(["undo"]);
        assert_eq!(memory.tree(), before, "{fault:?}");
    }
}

/// What a loaded machine may take for two processes.
const SLACK: Duration = Duration::from_secs(2);
