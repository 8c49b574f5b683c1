//! Every answer of the program, and every error, is valid by the schema that the program prints.

use serde_json::Value;

use crate::support::{ProgramOutput, memdir_command};

struct Memory(tempfile::TempDir);

impl Memory {
    fn run(&self, line: &[&str]) -> ProgramOutput {
        ProgramOutput::of(memdir_command(self.0.path()).args(line))
    }
}

#[test]
fn every_answer_and_every_error_fits_the_schema() {
    let memory = Memory(tempfile::tempdir().unwrap());
    let schema: Value = serde_json::from_str(&memory.run(&["schema", "answer"]).stdout).unwrap();
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
        let ProgramOutput { status, stdout: out, stderr: err } = memory.run(&[line, &["--json"][..]].concat());
        let (answer, silent) = if out.is_empty() { (&err, &out) } else { (&out, &err) };
        assert!(silent.is_empty(), "{line:?}: {err}");
        assert!(answer.starts_with("{\"v\":1,") && answer.trim_end().lines().count() == 1, "{line:?}: {answer}");
        let value: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(status != 0 && value["findings"].is_null(), value.get("code").is_some(), "{line:?}");
        if let Err(why) = schemas.validate(&value, index) {
            panic!("{line:?}: {why}\n{answer}");
        }
    }
}
