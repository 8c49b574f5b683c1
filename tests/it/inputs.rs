//! The rules of input, held for every verb of the grammar: address first, content from `-F` or stdin, no wait on a
//! silent pipe, one list marker taken off, several ways to write one address. A verb without a row here fails.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::{Command, Output, Stdio};

use crate::support::memdir_command;

/// What a verb takes.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// Nothing from stdin, no new text.
    Nothing,
    /// New text as an argument only.
    Text,
    /// Content from stdin or `-F` where no argument gives it; new text as an argument too.
    Both,
    /// Content from stdin or `-F` only.
    Content,
}
use Takes::{Both, Content, Nothing, Text};

/// A command: its words, a complete command line (`T` is replaced by a text), what it takes.
type Row = (&'static str, &'static [&'static str], Takes);

const ROWS: &[Row] = &[
    ("init", &["init", "new"], Nothing),
    ("status", &["status"], Nothing),
    ("list", &["list"], Nothing),
    ("read", &["read", "user"], Nothing),
    ("query", &["query", "tabs"], Nothing),
    ("context", &["context"], Nothing),
    ("add", &["add", "user", "T"], Both),
    ("update", &["update", "user", "Prefers tabs", "T"], Text),
    ("rm", &["rm", "user@2"], Nothing),
    ("restore", &["restore", "user@2"], Nothing),
    ("prune", &["prune"], Nothing),
    ("mv", &["mv", "user@2", "other"], Nothing),
    ("set", &["set", "user", "summary=x"], Nothing),
    ("append", &["append"], Content),
    ("patch", &["patch", "user"], Content),
    ("write", &["write", "fresh"], Content),
    ("apply", &["apply"], Content),
    ("edit", &["edit", "user"], Nothing),
    ("bullet add", &["bullet", "add", "user", "T"], Both),
    ("bullet del", &["bullet", "del", "user", "Prefers tabs"], Nothing),
    ("bullet update", &["bullet", "update", "user", "--old", "Prefers tabs", "T"], Text),
    ("bullet list", &["bullet", "list", "user"], Nothing),
    ("log", &["log"], Nothing),
    ("show", &["show", "r1"], Nothing),
    ("diff", &["diff"], Nothing),
    ("stats", &["stats"], Nothing),
    ("embed", &["embed"], Nothing),
    ("undo", &["undo"], Nothing),
    ("redo", &["redo"], Nothing),
    ("reflect", &["reflect", "--queued"], Nothing),
    ("inbox", &["inbox"], Nothing),
    ("compact", &["compact", "user", "--to", "1"], Nothing),
    ("check", &["check"], Nothing),
    ("resolve", &["resolve", "user"], Nothing),
    ("setup", &["setup", "git", "--print"], Nothing),
    ("scope", &["scope"], Nothing),
    ("sync", &["sync", "-n"], Nothing),
    ("import", &["import", "memory", "-n"], Nothing),
    ("export", &["export", "--to", "json", "user"], Nothing),
    ("mcp", &["mcp", "--help"], Nothing),
    ("checkpoint", &["checkpoint", "save", "key"], Content),
    ("merge", &["merge", "memory/facts/user.md", "memory/facts/user.md", "memory/facts/user.md"], Nothing),
    (
        "merge-driver",
        &["merge-driver", "memory/facts/user.md", "memory/facts/user.md", "memory/facts/user.md"],
        Nothing,
    ),
    ("hook", &["hook", "session-start"], Nothing),
    ("tool", &["tool", "anthropic"], Nothing),
    ("etag", &["etag", "user"], Nothing),
    ("where", &["where"], Nothing),
    ("schema", &["schema", "operation"], Nothing),
    ("completions", &["completions", "bash"], Nothing),
    ("man", &["man"], Nothing),
    ("__complete", &["__complete", "--", "read", ""], Nothing),
];

/// Verbs whose first argument is no address of a memory.
const NO_ADDRESS: [&str; 22] = [
    "stats",
    "scope",
    "checkpoint",
    "import",
    "mcp",
    "apply",
    "reflect",
    "inbox",
    "query",
    "context",
    "init",
    "show",
    "schema",
    "completions",
    "man",
    "__complete",
    "merge",
    "merge-driver",
    "setup",
    "sync",
    "hook",
    "tool",
];

struct Memory {
    root: tempfile::TempDir,
}

impl Memory {
    fn new() -> Memory {
        let root = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(root.path().join("memory/facts")).unwrap();
        let memory = Memory { root };
        fs_err::write(memory.root.path().join("memory/memdir.yaml"), "version: 1\n").unwrap();
        let text = "# User\n\n- Prefers tabs\n- Lives in Austin\n";
        fs_err::write(memory.root.path().join("memory/facts/user.md"), text).unwrap();
        memory
    }

    fn command(&self, line: &[&str]) -> Command {
        let mut command = memdir_command(self.root.path());
        command
            .env("EDITOR", "true")
            .env("MEMDIR_AS", "")
            .env("GIT_AUTHOR_NAME", "test")
            .env("MEMDIR_STDIN_WAIT", "20")
            .args(line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, line: &[&str]) -> Output {
        self.command(line).output().unwrap()
    }

    fn run_with_stdin(&self, line: &[&str], content: &[u8]) -> Output {
        // A loaded machine may need longer than the silent pipe is given here.
        let mut command = self.command(line);
        let mut child = command.env("MEMDIR_STDIN_WAIT", "9000").stdin(Stdio::piped()).spawn().unwrap();
        drop(child.stdin.take().unwrap().write_all(content));
        child.wait_with_output().unwrap()
    }

    /// Runs with a pipe on stdin that stays open and silent until the command has ended.
    fn silent(&self, line: &[&str]) -> Output {
        let mut child = self.command(line).stdin(Stdio::piped()).spawn().unwrap();
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
        child.stderr.take().unwrap().read_to_end(&mut stderr).unwrap();
        let held = child.stdin.take();
        let status = child.wait().unwrap();
        drop(held);
        Output { status, stdout, stderr }
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The exit status and code of a refusal.
fn refused(output: &Output) -> (i32, String) {
    let printed = stderr(output);
    let code = printed.strip_prefix("memdir: ").and_then(|rest| rest.split(':').next()).unwrap_or(&printed);
    (output.status.code().unwrap_or(-1), code.to_owned())
}

fn filled(line: &[&str], text: &str) -> Vec<String> {
    line.iter().map(|word| if *word == "T" { text.to_owned() } else { (*word).to_owned() }).collect()
}

fn words(line: &[String]) -> Vec<&str> {
    line.iter().map(String::as_str).collect()
}

fn leaves() -> Vec<(String, clap::Command)> {
    let mut all = Vec::new();
    for verb in memdir::cli::grammar().get_subcommands() {
        if !verb.has_subcommands() {
            all.push((verb.get_name().to_owned(), verb.clone()))
        } else {
            all.extend(
                verb.get_subcommands()
                    .map(|below| (format!("{} {}", verb.get_name(), below.get_name()), below.clone())),
            )
        }
    }
    all
}

#[test]
fn every_command_has_a_row() {
    let verbs: BTreeSet<String> = leaves().into_iter().map(|(name, _)| name).collect();
    let rows: BTreeSet<String> = ROWS.iter().map(|row| row.0.to_owned()).collect();
    assert_eq!(verbs, rows);
}

#[test]
fn the_address_is_the_first_argument_and_content_has_a_file_option() {
    for (name, verb) in leaves() {
        let takes = ROWS.iter().find(|row| row.0 == name).unwrap().2;
        if let Some(first) = verb.get_positionals().next()
            && !NO_ADDRESS.contains(&name.as_str())
        {
            let value = first.get_value_names().unwrap()[0].to_string();
            let known = ["ADDRESS", "FILE", "FILE[#SECTION]", "REV", "REV | A..B"];
            assert!(known.contains(&value.as_str()), "{name}: {value}");
        }
        let file = verb.get_arguments().any(|a| a.get_short() == Some('F') && a.get_long() == Some("file"));
        assert!(file || !matches!(takes, Content | Both), "{name} takes content and has no -F");
    }
}

#[test]
fn required_content_is_read_from_stdin_without_waiting_for_a_silent_pipe() {
    for (name, line, _) in ROWS.iter().filter(|row| matches!(row.2, Content | Both)) {
        let memory = Memory::new();
        let line: Vec<&str> = line.iter().copied().filter(|word| *word != "T").collect();
        let empty = (2, "empty_input".to_owned());
        assert_eq!(refused(&memory.silent(&line)), empty, "{name}");
        assert_eq!(refused(&memory.run_with_stdin(&line, b" \n")), empty, "{name}");
        assert_eq!(refused(&memory.run_with_stdin(&line, b"a\0b")), (5, "not_text".to_owned()), "{name}");
        assert_eq!(refused(&memory.run_with_stdin(&line, b"a\xffb")), (5, "not_text".to_owned()), "{name}");
        let dash = [line.as_slice(), &["-F", "-"]].concat();
        assert_eq!(refused(&memory.silent(&dash)), empty, "{name}");
        let dash = [line.as_slice(), &["-"]].concat();
        assert_eq!(refused(&memory.silent(&dash)), empty, "{name} -");
        let file = [line.as_slice(), &["-F", "nowhere.md"]].concat();
        assert_eq!(refused(&memory.run(&file)), (3, "file_not_found".to_owned()), "{name}");
    }
}

#[test]
fn an_update_without_new_text_reads_stdin() {
    let memory = Memory::new();
    for line in [&["update", "user@acvh"][..], &["update", "user@acvh", "-"], &["update", "user", "Prefers tabs", "-"]]
    {
        assert_eq!(refused(&memory.silent(line)), (2, "empty_input".to_owned()), "{line:?}");
    }
    let result = memory.run_with_stdin(&["update", "user@acvh"], b"Prefers spaces,\nfour of them\n");
    assert_eq!(result.status.code(), Some(0), "{}", stderr(&result));
    let text = fs_err::read_to_string(memory.root.path().join("memory/facts/user.md")).unwrap();
    assert!(text.contains("- Prefers spaces,\n  four of them\n- Lives"), "{text}");
}

#[test]
fn what_a_dry_run_prints_can_be_piped_into_apply() {
    let lines: [&[&str]; 8] = [
        &["add", "user", "Drinks tea", "--imp", "7", "-m", "asked"],
        &["update", "user", "Prefers tabs", "Prefers spaces"],
        &["rm", "user@acvh"],
        &["mv", "user@acvh", "other"],
        &["set", "user@acvh", "imp=7"],
        &["append", "-t", "Fix", "-F", "../content.md"],
        &["patch", "user", "--old", "tabs", "--new", "spaces"],
        &["write", "fresh", "-F", "../content.md"],
    ];
    for line in lines {
        let [direct, piped] = [0, 1].map(|_| Memory::new());
        for memory in [&direct, &piped] {
            fs_err::write(memory.root.path().join("content.md"), "- a\n- b\n").unwrap();
        }
        let line: Vec<&str> = line.iter().map(|word| word.trim_start_matches("../")).collect();
        assert_eq!(direct.run(&line).status.code(), Some(0), "{line:?}");
        let planned = piped.run(&[&line[..], &["-n", "--json"]].concat());
        let applied = piped.run_with_stdin(&["apply", "-"], &planned.stdout);
        assert_eq!(applied.status.code(), Some(0), "{line:?}: {}", stderr(&applied));
        let tree = |memory: &Memory| {
            let mut files = std::collections::BTreeMap::new();
            for folder in ["facts", "episodes"] {
                for file in std::fs::read_dir(memory.root.path().join("memory").join(folder)).into_iter().flatten() {
                    let path = file.unwrap().path();
                    files.insert(path.file_name().unwrap().to_owned(), fs_err::read_to_string(path).unwrap());
                }
            }
            files
        };
        assert_eq!(tree(&piped), tree(&direct), "{line:?}");
    }
}

#[test]
fn a_line_break_in_a_text_argument_is_refused() {
    for (name, line, _) in ROWS.iter().filter(|row| row.1.contains(&"T")) {
        let memory = Memory::new();
        let result = refused(&memory.run(&words(&filled(line, "a\nb"))));
        assert_eq!(result, (2, "multiline".to_owned()), "{name}");
    }
}

#[test]
fn an_error_with_json_is_one_object_on_stderr() {
    let memory = Memory::new();
    for line in [&["--json", "add", "user", "a\nb"][..], &["add", "user", "a\nb", "--json"], &["ad", "--json"]] {
        let output = memory.run(line);
        let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
        assert!(stderr(&output).starts_with("{\"v\":1,\"code\":"), "{line:?}");
        assert_eq!((&error["changed"], &error["retryable"]), (&false.into(), &false.into()), "{line:?}");
        assert!(output.stdout.is_empty(), "{line:?}");
    }
}

#[test]
fn without_a_command_the_first_help_is_printed() {
    let memory = Memory::new();
    let (bare, asked) = (memory.run(&[]), memory.run(&["--help"]));
    assert_eq!((bare.status.code(), bare.stdout.as_slice()), (Some(0), asked.stdout.as_slice()));
    assert!(bare.stdout.iter().filter(|b| **b == b'\n').count() <= 25);
}

#[test]
fn commands_without_content_never_read_stdin() {
    // The request of `tool` is its stdin.
    for (name, line, _) in ROWS.iter().filter(|row| row.2 != Content && row.0 != "tool") {
        let memory = Memory::new();
        let line = filled(line, "Drinks tea");
        let result = memory.silent(&words(&line));
        assert!(!stderr(&result).contains("empty_input"), "{name}: {}", stderr(&result));
        assert_ne!(result.status.code(), Some(101), "{name}: {}", stderr(&result));
    }
}

/// What a dry run would do: its operations, without the address as it was written.
fn planned(memory: &Memory, line: &[&str]) -> serde_json::Value {
    let output = memory.run(&[line, &["-n", "--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{line:?}: {}", stderr(&output));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["dry_run"], true, "{line:?}");
    answer["files"].clone()
}

#[test]
fn one_list_marker_is_removed_from_every_text() {
    for (name, line, _) in ROWS.iter().filter(|row| row.1.contains(&"T")) {
        let memory = Memory::new();
        let plain = planned(&memory, &words(&filled(line, "Drinks tea")));
        assert_eq!(planned(&memory, &words(&filled(line, "- Drinks tea"))), plain, "{name}");
        assert_eq!(planned(&memory, &words(&filled(line, "* Drinks tea"))), plain, "{name}");
        let flag = planned(&memory, &words(&filled(line, "- -n")));
        assert!(flag.to_string().contains("\"-n\""), "{name}: {flag}");
    }
}

#[test]
fn a_dry_run_writes_nothing() {
    let memory = Memory::new();
    let file = memory.root.path().join("memory/facts/user.md");
    let before = fs_err::read(&file).unwrap();
    for (_, line, _) in ROWS.iter().filter(|row| row.1.contains(&"T")) {
        planned(&memory, &words(&filled(line, "Drinks tea")));
    }
    assert_eq!(fs_err::read(&file).unwrap(), before);
}

#[test]
fn one_file_can_be_written_in_many_ways() {
    let memory = Memory::new();
    let absolute = memory.root.path().join("memory/facts/user.md");
    let plain = memory.run(&["read", "user"]);
    assert_eq!(plain.status.code(), Some(0), "{}", stderr(&plain));
    for way in ["user.md", "facts/user", "facts/user.md", "memory/facts/user.md", "./memory/facts/user.md"] {
        assert_eq!(memory.run(&["read", way]).stdout, plain.stdout, "{way}");
    }
    assert_eq!(memory.run(&["read", absolute.to_str().unwrap()]).stdout, plain.stdout);
    let inside = memory.command(&["read", "facts/user.md"]).current_dir(memory.root.path().join("memory")).output();
    assert_eq!(inside.unwrap().stdout, plain.stdout);
}

#[test]
fn several_texts_are_one_change_and_a_list_from_stdin_is_the_same() {
    let (one, two) = (Memory::new(), Memory::new());
    let result = one.run(&["add", "user", "Drinks tea", "- Likes rain"]);
    assert_eq!(result.status.code(), Some(0), "{}", stderr(&result));
    let run_with_stdin = two.run_with_stdin(&["add", "user"], b"- Drinks tea\n- Likes rain\n");
    assert_eq!(String::from_utf8_lossy(&run_with_stdin.stdout), String::from_utf8_lossy(&result.stdout));
    let text = |memory: &Memory| fs_err::read_to_string(memory.root.path().join("memory/facts/user.md")).unwrap();
    assert_eq!(text(&one), text(&two));
    assert!(text(&one).ends_with("- Lives in Austin\n- Drinks tea\n- Likes rain\n"), "{}", text(&one));
}

#[test]
fn an_option_keeps_its_value_and_output_has_no_colour_in_a_pipe() {
    let memory = Memory::new();
    let result = memory.run(&["add", "user", "Drinks tea", "-m", "- because"]);
    assert_eq!(result.status.code(), Some(0), "{}", stderr(&result));
    let log = memory.run(&["log", "--json"]);
    let log: serde_json::Value = serde_json::from_slice(&log.stdout).unwrap();
    assert_eq!(log["entries"][0]["reason"], "- because");
    assert!(!result.stdout.contains(&0x1b));
    assert!(memory.run(&["list", "--color", "always"]).stdout.contains(&0x1b));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let memory = Memory::new();
    let mut child = memory.command(&["list", "user"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}
