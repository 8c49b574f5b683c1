//! What the program's entry sees to before anything else runs: closed descriptors, and a pipe that closes.

use std::process::Command;

use crate::support::{Memory, program};

/// Runs a line of bash with the program as `$0` and the data directory as `$1`; its stdout.
fn bash(memory: &Memory, line: &str) -> String {
    let output = Command::new("bash").args(["-c", line]).arg(program()).arg(memory.dir()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn output_to_a_closed_descriptor_is_written_to_no_file() {
    for closed in ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"] {
        let memory = Memory::new().file("facts/user.md", "# User\n\n- Prefers tabs\n");
        let line = format!("\"$0\" --dir \"$1\" add user 'Lives in Austin' >/dev/null {closed}; echo $?");
        assert_eq!(bash(&memory, &line), "0\n", "{closed}");
        let text = memory.text("facts/user.md").unwrap();
        assert_eq!(text, "# User\n\n> Summary: tabs, austin\n\n- Prefers tabs\n- Lives in Austin\n", "{closed}");
        let journal = memory.text(".memdir/journal").unwrap();
        let is_record = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        assert!(journal.lines().all(is_record), "{closed}: {journal}");
    }
}

#[test]
fn a_pipe_that_closes_is_a_success() {
    let bullets: String = (0..20_000).map(|n| format!("- Fact {n} is longer than nothing\n")).collect();
    let memory = Memory::new().file("facts/user.md", &format!("# User\n\n{bullets}"));
    let status = bash(&memory, "\"$0\" --dir \"$1\" list user | head -1 >/dev/null; echo ${PIPESTATUS[0]}");
    assert_eq!(status, "0\n");
}

#[test]
fn an_unusable_answer_of_a_model_is_an_error_with_backtraces_on_too() {
    let memory = Memory::new();
    memory.script_model(&["hello".to_owned()]);
    for name in ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE"] {
        let ran = memory.run(["reflect", "--record"]).stdin("User: hi\nAssistant: ho\n").env(name, "full");
        ran.exit(8).unchanged().stderr_contains("model");
    }
}
