//! The system calls of a run, as `strace` writes them down.
//!
//! Never interprets them: that is `model.rs`.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use super::cases::Case;
use super::workspace::FaultWorkspace;
use crate::support::program;

/// One system call of the program's main thread.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Its arguments as written; texts as hex escapes.
    pub args: Vec<String>,
    /// What it answered; `None` when it did not return.
    pub answer: Option<i64>,
    /// The how manieth of its name it is, from 1.
    pub nth: usize,
}

impl Call {
    /// An argument that is a number.
    pub fn number(&self, i: usize) -> Option<i64> {
        self.args.get(i)?.parse().ok()
    }

    /// An argument that is a text.
    pub fn text(&self, i: usize) -> Option<Vec<u8>> {
        let hex = self.args.get(i)?.strip_prefix('"')?.strip_suffix('"')?;
        hex.split("\\x").skip(1).map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
    }

    /// A text argument that is a name.
    pub fn name_at(&self, i: usize) -> Option<String> {
        self.text(i).and_then(|bytes| String::from_utf8(bytes).ok())
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |i: usize| match self.name_at(i) {
            Some(text) => text.chars().take(40).collect(),
            None => self.args[i].chars().take(40).collect::<String>(),
        };
        let args: Vec<String> = (0..self.args.len()).map(shown).collect();
        write!(f, "{}({}) #{}", self.name, args.join(", "), self.nth)
    }
}

/// Whether a child can be traced here.
pub fn available() -> bool {
    let quiet = |c: &mut Command| c.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    quiet(Command::new("strace").args(["-o", "/dev/null"]).arg(program()).arg("--version"))
}

/// Runs a case in a place and writes its calls down.
pub fn calls(workspace: &FaultWorkspace, case: &Case, env: &[(&str, &str)]) -> Vec<Call> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let name = log.path().to_str().unwrap();
    let through = ["strace", "-xx", "-s", "10000000", "-o", name].map(str::to_owned);
    let output = workspace.run(case, &through, env);
    let result = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || output.status.code() == Some(6), "{}: {result}", case.name);
    parse(&std::fs::read_to_string(log.path()).unwrap())
}

/// Threads and processes that a case starts beside its main thread.
pub fn others(workspace: &FaultWorkspace, case: &Case) -> usize {
    let log = tempfile::NamedTempFile::new().unwrap();
    let through = ["strace", "-f", "-e", "trace=openat", "-o", log.path().to_str().unwrap()].map(str::to_owned);
    workspace.run(case, &through, &[]);
    let text = std::fs::read_to_string(log.path()).unwrap();
    let pids: std::collections::BTreeSet<&str> = text.lines().filter_map(|l| l.split_whitespace().next()).collect();
    pids.len() - 1
}

/// Reads a trace.
pub fn parse(trace: &str) -> Vec<Call> {
    let mut count = BTreeMap::<String, usize>::new();
    let mut calls = Vec::new();
    for line in trace.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_lowercase())) {
        let Some((name, rest)) = line.split_once('(') else { continue };
        let (args, tail) = arguments(rest);
        let answer = tail.trim_start().strip_prefix("= ").and_then(|a| {
            let word = a.split_whitespace().next()?;
            match word.strip_prefix("0x") {
                Some(hex) => i64::from_str_radix(hex, 16).ok(),
                None => word.parse().ok(),
            }
        });
        let nth = count.entry(name.to_owned()).or_default();
        *nth += 1;
        calls.push(Call { name: name.to_owned(), args, answer, nth: *nth });
    }
    calls
}

/// Splits a call's arguments at its commas; also what follows them.
fn arguments(text: &str) -> (Vec<String>, &str) {
    let (mut args, mut depth, mut quoted, mut from) = (Vec::new(), 0usize, false, 0);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' | '(' => depth += 1,
            ')' if depth == 0 => {
                args.push(text[from..i].trim().to_owned());
                return (args, &text[i + 1..]);
            }
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                args.push(text[from..i].trim().to_owned());
                from = i + 1;
            }
            _ => {}
        }
    }
    (args, "")
}

/// What makes `strace` meddle with one call.
pub fn meddling(name: &str, how: &str) -> Vec<String> {
    let inject = format!("inject={name}:{how}");
    ["strace", "-qq", "-o", "/dev/null", "-e", &format!("trace={name}"), "-e", &inject].map(str::to_owned).to_vec()
}
