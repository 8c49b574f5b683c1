//! Hostile input of `memdir hook`: whatever arrives on stdin, it exits 0 and prints one envelope and nothing else.
//!
//! Never judges what an envelope contains: `hooks.rs` does.

use std::io::{Read, Write};
use std::process::Stdio;

use fastrand::Rng;
use serde_json::Value;

use crate::hooks::Project;
use crate::support::ProgramOutput;
use crate::support::memory::full;

const EMPTY: &str = "{}\n";
const EVENTS: [&str; 6] = ["session-start", "user-prompt", "pre-tool", "pre-compact", "stop", "session-end"];
const HOSTS: [&str; 4] = ["claude", "codex", "gemini", "cursor"];

#[test]
fn input_that_is_not_json_gets_the_empty_envelope() {
    let project = Project::new();
    let whole = project.input("claude", "session-start");
    let cut = whole[..whole.len() / 2].to_vec();
    let deep = b"[".repeat(200_000);
    let nested = [b"{\"a\":".repeat(200_000), b"}".repeat(200_000)].concat();
    let long = [b"{\"a\":\"".to_vec(), vec![b'x'; 6 << 20], b"\"}".to_vec()].concat();
    let binary: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let twice = [whole.clone(), whole].concat();
    for input in [Vec::new(), cut, deep, nested, long, binary, twice, b"null".to_vec(), b"\xff\xfe{}".to_vec()] {
        let shown = String::from_utf8_lossy(&input[..input.len().min(40)]).into_owned();
        assert_eq!(project.hook(&["session-start"], &input), EMPTY, "{shown}");
    }
}

#[test]
fn a_host_that_keeps_stdin_open_gets_its_answer() {
    let project = Project::new();
    for (input, expected) in [(Vec::new(), ""), (project.input("claude", "session-start"), "Prefers tabs")] {
        let mut child = project.command(&["hook", "session-start"]).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&input).unwrap();
        let mut stdout = String::new();
        child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        assert_eq!((child.wait().unwrap().code(), stdout.contains(expected)), (Some(0), true), "{stdout}");
        serde_json::from_str::<Value>(&stdout).unwrap();
    }
}

#[test]
fn endless_input_is_not_read_to_its_end() {
    let project = Project::new();
    let endless = fs_err::File::open("/dev/zero").unwrap();
    let output = ProgramOutput::of(project.command(&["hook", "session-start"]).stdin(Stdio::from(endless.into_file())));
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (0, EMPTY, ""));
    let mut child = project.command(&["hook", "stop"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || while stdin.write_all(&[b'['; 4096]).is_ok() {});
    let output: ProgramOutput = child.wait_with_output().unwrap().into();
    writer.join().unwrap();
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (0, EMPTY, ""));
}

/// Values that a field of an input is replaced by.
const VALUES: [&str; 12] = [
    "null",
    "0",
    "-1e999",
    "\"\"",
    "\"/\"",
    "\"/dev/zero\"",
    "\"/proc/self/fd/0\"",
    "\"../../..\"",
    "[]",
    "{\"a\":{\"b\":[1,2,{}]}}",
    "\"\\u0000\\ud83d\\ude00\\u202e\"",
    "[\"/etc\",7]",
];

/// Changes an input: bytes, cuts, repeats, or the value of a field.
fn mutated(rng: &mut Rng, input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=rng.usize(..3) {
        let at = rng.usize(..bytes.len().max(1));
        match rng.usize(..6) {
            0 => bytes.truncate(at),
            1 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = rng.u8(..)),
            2 => bytes.insert(at.min(bytes.len()), rng.u8(..)),
            3 => bytes.extend_from_within(at..),
            4 => drop(bytes.drain(at..(at + rng.usize(..40)).min(bytes.len()))),
            _ => {
                let Ok(Value::Object(mut fields)) = serde_json::from_slice(&bytes) else { continue };
                let name = fields.keys().nth(rng.usize(..fields.len().max(1))).cloned().unwrap_or_default();
                let value = VALUES[rng.usize(..VALUES.len())];
                let value = serde_json::from_str(value).unwrap_or(Value::Null);
                fields.insert(name, value);
                bytes = Value::Object(fields).to_string().into_bytes();
            }
        }
    }
    bytes
}

#[test]
fn no_input_changes_the_exit_status_or_prints_beside_the_envelope() {
    let full = full();
    let runs = if full { 5000 } else { 200 };
    let project = Project::new();
    let mut rng = Rng::with_seed(0x9e37_79b9_7f4a_7c15);
    let mut answers = [0; 2];
    for run in 0..runs {
        let host = HOSTS[rng.usize(..HOSTS.len())];
        let event = EVENTS[rng.usize(..EVENTS.len())];
        // Codex has no end of a session, so it gets the input of its last event.
        let source = if (host, event) == ("codex", "session-end") { "stop" } else { event };
        let input = mutated(&mut rng, &project.input(host, source));
        let stdout = project.hook(&[event, "--host", host], &input);
        let shown = String::from_utf8_lossy(&input);
        let envelope: Value = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{run}: {e} {stdout:?} {shown}"));
        assert!(stdout.ends_with("}\n") && stdout.lines().count() == 1, "{run}: {stdout:?} {shown}");
        let is_empty = envelope == serde_json::json!({});
        let is_context = event == "session-start"
            && (envelope["additional_context"].is_string()
                || envelope["hookSpecificOutput"]["additionalContext"].is_string());
        assert!(is_empty || is_context, "{run}: {stdout:?} {shown}");
        answers[usize::from(is_context)] += 1;
    }
    // Both kinds occur, so that the comparison above compares something.
    assert!(answers[0] > runs / 2 && answers[1] > 0, "{answers:?}");
    println!("hook: {runs} inputs, {} with a context", answers[1]);
}

/// JavaScript cuts texts between the halves of an emoji, and `JSON.stringify` writes such a half as an escape.
#[test]
fn a_prompt_with_half_a_character_is_read() {
    let project = Project::new();
    let prompt = |text: &[u8]| {
        let head = format!("{{\"session_id\":\"s-{}\",\"cwd\":{:?},\"prompt\":\"", text.len(), project.work());
        project.hook(&["user-prompt"], &[head.as_bytes(), b"Prefers tabs or spaces? ", text, b"\"}"].concat())
    };
    for half in [&b""[..], b"\\ud83d", b"\\ude00 now", b"caf\xe9 here"] {
        assert!(prompt(half).contains("Prefers tabs"), "{}", String::from_utf8_lossy(half));
    }
}
