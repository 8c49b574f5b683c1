//! Every answer of the program, and every error, is valid by the schema that the program prints.

use std::process::Command;

use serde_json::Value;

struct Memory(tempfile::TempDir);

impl Memory {
    fn run(&self, line: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
        command
            .env_clear()
            .env("HOME", self.0.path())
            .env("MEMDIR_AS", "test")
            .env("MEMDIR_NOW", "2026-02-24T10:00:00Z");
        let output = command.current_dir(self.0.path()).args(line).stdin(std::process::Stdio::null()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

#[test]
fn every_answer_and_every_error_fits_the_schema() {
    let memory = Memory(tempfile::tempdir().unwrap());
    let schema: Value = serde_json::from_str(&memory.run(&["schema", "answer"]).1).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("answer.json", schema).unwrap();
    let index = compiler.compile("answer.json", &mut schemas).unwrap();
    let lines: &[&[&str]] = &[
        &["list"],
        &["init", "memory"],
        &["add", "user", "Prefers tabs", "Lives in Austin", "--imp", "7"],
        &["add", "user#work", "Standup at ten", "-n"],
        &["add", "user#work", "Standup at ten", "-m", "why", "--source", "here"],
        &["list"],
        &["list", "user"],
        &["context"],
        &["context", "--style", "index"],
        &["context", "--style", "records"],
        &["context", "-b", "3"],
        &["bullet", "list", "user"],
        &["read", "user"],
        &["read", "user#work"],
        &["update", "user", "Prefers tabs", "Prefers spaces"],
        &["update", "user@zzzz", "x"],
        &["rm", "user", "nowhere"],
        &["bullet", "del", "user", "--index", "1"],
        &["set", "user", "summary=mine"],
        &["mv", "user", "person"],
        &["log"],
        &["log", "-p"],
        &["show", "r1"],
        &["diff", "r1"],
        &["undo"],
        &["redo"],
        &["status"],
        &["check"],
        &["where", "person"],
        &["write", "person"],
        &["nonsense"],
    ];
    for line in lines {
        let (status, out, err) = memory.run(&[line, &["--json"][..]].concat());
        let (said, silent) = if out.is_empty() { (&err, &out) } else { (&out, &err) };
        assert!(silent.is_empty(), "{line:?}: {err}");
        assert!(said.starts_with("{\"v\":1,") && said.trim_end().lines().count() == 1, "{line:?}: {said}");
        let value: Value = serde_json::from_str(said).unwrap();
        assert_eq!(status.unwrap_or(-1) != 0 && value["findings"].is_null(), value.get("code").is_some(), "{line:?}");
        if let Err(why) = schemas.validate(&value, index) {
            panic!("{line:?}: {why}\n{said}");
        }
    }
}
