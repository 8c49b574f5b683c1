//! Keys and passwords in long texts: what is cut has none of them before it is cut.

use serde_json::json;

use crate::support::Memory;

/// A private key of that many lines, as `openssl` prints one.
fn private_key(lines: usize) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut rng = fastrand::Rng::with_seed(7);
    let line = |_| (0..64).map(|_| char::from(ALPHABET[rng.usize(..64)])).collect::<String>();
    let body: Vec<String> = (0..lines).map(line).collect();
    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", body.join("\n"))
}

/// How many lines of a key a text has.
fn key_lines(key: &str, text: &str) -> usize {
    key.lines().filter(|line| text.contains(line.trim())).count()
}

#[test]
fn insights_send_no_part_of_a_key_that_is_longer_than_what_they_look_at() {
    let key = private_key(26);
    let talk = format!("User: Why is this key refused by the server?\n\n{key}");
    let password = format!("User: {} the wifi password is Tr0ub4dor-9x {}\n", "x".repeat(30), "and so on ".repeat(98));
    // An entry and a fact are cut, too.
    let entry = format!("# 2026-02 Episodes\n\n## Server\n- Date: 2026-02-20\n- {} {key}", "Set it up. ".repeat(30));
    for talk in [talk, password] {
        let memory = Memory::new().file("episodes/2026-02.md", &entry);
        memory.script_model(&[json!({"insights": []}).to_string()]);
        memory.run(["reflect", "--insights"]).stdin(talk).may_change().ends();
        let asked = memory.model_requests();
        assert!(asked.contains("_END_") && key_lines(&key, &asked) == 0, "{asked}");
        assert!(!asked.contains("Tr0ub4dor"), "{asked}");
    }
}

#[test]
fn the_end_of_a_key_in_long_tool_output_is_not_sent() {
    let key = private_key(100);
    let log = "some build log, nothing special in it here\n".repeat(100);
    // `tail -n +2` of the file prints the key without its first line.
    let headless = key.split_once('\n').unwrap().1;
    for output in [format!("{log}{key}"), headless.to_owned()] {
        let call = json!({"id": "1", "function": {"name": "sh", "arguments": "{}"}});
        let talk = json!({"messages": [
            {"role": "user", "content": "deploy"},
            {"role": "assistant", "content": null, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": output},
        ]});
        let memory = Memory::new();
        let shown = memory.run(["reflect", "--show-prompt"]).stdin(talk.to_string()).exit(0).stdout;
        assert!(shown.contains("tool") && key_lines(&key, &shown) == 0, "{shown}");
    }
}
