//! `memdir hook`: the envelope of every host and event, what is queued and drained, and on which memories it acts.
//!
//! Never starts a host: the inputs are fixtures in the vendors' shapes (`fixtures/hooks`).

mod hostile_input;
mod names;
pub mod recall;
mod recall_once;
mod subagents;
mod touched_commands;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::memory::full_or_skipped;
use crate::support::{ProgramOutput, memdir_command};

const EMPTY: &str = "{}\n";
/// A model that answers nothing useful and fails: what is queued stays queued.
const FAILING_MODEL: &str = "model: {provider: exec, command: [\"false\"]}\n";

/// A project with a trusted memory, a transcript, and a home of its own.
pub struct Project {
    pub home: TempDir,
}

impl Project {
    pub fn new() -> Project {
        let project = Project { home: tempfile::tempdir().unwrap() };
        project.put("work/memory/memdir.yaml", "version: 1\n");
        project.put("work/memory/facts/user.md", "# User\n\n- Prefers tabs\n");
        let turn = json!({"type": "user", "message": {"role": "user", "content": "I'm Zhang San"}, "sessionId": "s",
            "uuid": "1", "timestamp": "2026-02-24T09:00:00Z"});
        project.put("work/transcript.jsonl", &format!("{turn}\n"));
        project.put("work/transcript.json", "[{\"role\":\"user\",\"content\":\"I'm Zhang San\"}]\n");
        project.config("");
        project
    }

    pub fn put(&self, path: &str, text: &str) {
        let file = self.home.path().join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }

    /// Writes the user config: the memory is trusted, and what else is given.
    pub fn config(&self, more: &str) {
        let trusted = Value::from(self.memory().to_str().unwrap());
        self.put(".config/memdir/config.yaml", &format!("trusted: [{trusted}]\n{more}"));
    }

    /// A model that finds one fact.
    pub fn working_model(&self) {
        let operation =
            json!({"op": "add", "at": "facts/user.md", "text": "Name: Zhang San", "quote": "I'm Zhang San", "turn": 1});
        self.put("answer.json", &json!({"operations": [operation]}).to_string());
        let answer = self.home.path().join("answer.json");
        self.config(&format!("model: {{provider: exec, command: [cat, {:?}]}}\n", answer.to_str().unwrap()));
    }

    pub fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    pub fn memory(&self) -> PathBuf {
        self.work().join("memory")
    }

    /// memdir in the project, as a host calls it: without a name for the caller.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = memdir_command(self.home.path());
        command.env_remove("MEMDIR_AS").current_dir(self.work()).args(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a hook with an input; it must exit 0 and print nothing on stderr.
    #[track_caller]
    pub fn hook(&self, words: &[&str], input: &[u8]) -> String {
        self.hook_with(words, input, &[])
    }

    #[track_caller]
    pub fn hook_with(&self, words: &[&str], input: &[u8], env: &[(&str, &str)]) -> String {
        let mut command = self.command(&["hook"]);
        let mut child = command.args(words).envs(env.iter().copied()).spawn().unwrap();
        // A hook that has seen enough may be gone before all is written.
        drop(child.stdin.take().unwrap().write_all(input));
        let output: ProgramOutput = child.wait_with_output().unwrap().into();
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{words:?}: {output:#?}");
        output.stdout
    }

    /// The input of a host's event, from the fixtures.
    pub fn input(&self, host: &str, event: &str) -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/hooks/{host}/{event}.json"));
        fs_err::read_to_string(path).unwrap().replace("{dir}", self.work().to_str().unwrap()).into_bytes()
    }

    pub fn run(&self, words: &[&str]) -> ProgramOutput {
        ProgramOutput::of(self.command(words).stdin(Stdio::null()))
    }

    pub fn queue(&self) -> Vec<String> {
        let Ok(folder) = fs_err::read_dir(self.memory().join(".memdir/queue")) else { return Vec::new() };
        let mut names: Vec<String> = folder.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn facts(&self) -> String {
        fs_err::read_to_string(self.memory().join("facts/user.md")).unwrap()
    }

    /// Reads the queue until it is empty: another process may hold an item for a moment.
    pub fn drain(&self) {
        for _ in 0..1000 {
            self.run(&["reflect", "--queued"]);
            if self.queue().is_empty() {
                return;
            }
        }
        panic!("the queue is never empty: {:?}", self.queue());
    }
}

/// The hosts and the events that each has.
fn host_events() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hooks");
    let names = |dir: &Path| -> Vec<String> {
        let mut names: Vec<String> =
            fs_err::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let hosts = names(&folder).into_iter().filter(|name| name != "README.md");
    let rows = hosts.flat_map(|host| {
        let events = names(&folder.join(&host)).into_iter().map(|name| name.trim_end_matches(".json").to_owned());
        events.map(|event| (host.clone(), event)).collect::<Vec<_>>()
    });
    rows.collect()
}

#[test]
fn every_host_and_event_has_its_envelope() {
    let rows = host_events();
    assert_eq!(rows.len(), 26, "{rows:?}");
    for (host, event) in rows {
        let project = Project::new();
        let stdout = project.hook(&[&event, "--host", &host], &project.input(&host, &event));
        if !event.ends_with("-start") {
            assert_eq!(stdout, EMPTY, "{host} {event}");
            continue;
        }
        let envelope: Value = serde_json::from_str(&stdout).unwrap();
        let text = match host.as_str() {
            "cursor" => &envelope["additional_context"],
            _ => &envelope["hookSpecificOutput"]["additionalContext"],
        };
        let context = project.run(&["--as", &host, "context", "-n", "--stable", "-b", "600"]).exit(0).stdout;
        assert!(context.contains("Prefers tabs"), "{context}");
        assert_eq!(text, &Value::from(context.as_str()), "{host}");
        let expected = match host.as_str() {
            "cursor" => json!({"additional_context": text}),
            _ => {
                let name = if event == "session-start" { "SessionStart" } else { "SubagentStart" };
                json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})
            }
        };
        assert_eq!(stdout, format!("{expected}\n"), "{host}");
    }
}

/// The agent's shell has neither the options of the hook nor its rules for scopes.
#[test]
fn a_start_names_commands_that_reach_the_memory_of_the_hook() {
    let project = Project::new();
    for words in [&["init", "notes"][..], &["init", "elsewhere"], &["scope", "add", "web"]] {
        project.run(words).exit(0);
    }
    let notes = project.work().join("notes").to_str().unwrap().to_owned();
    let config = |scopes: &str| {
        let trusted = json!([project.memory(), notes, project.work().join("elsewhere")]);
        project.put(".config/memdir/config.yaml", &format!("trusted: {trusted}\n{scopes}"));
    };
    config("");
    let input = project.input("claude", "session-start");
    let text = |words: &[&str]| {
        let answer: Value = serde_json::from_str(&project.hook(words, &input)).unwrap();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    let note = |text: String| text.lines().find(|line| line.starts_with("Here")).map(str::to_owned).unwrap_or_default();
    let named_by = |words: &[&str]| note(text(words));
    assert_eq!(named_by(&["session-start"]), "");
    let named = format!("Here `memdir` means: memdir --dir {notes}");
    assert_eq!(named_by(&["--dir", &notes, "session-start"]), named);
    assert_eq!(named_by(&["--dir", "notes", "session-start"]), named);
    let agent = |words: &[&str]| {
        let answer: Value =
            serde_json::from_str(&project.hook(words, &project.input("claude", "subagent-start"))).unwrap();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    assert_eq!(note(agent(&["--dir", &notes, "subagent-start"])), named);
    assert_eq!(named_by(&["-S", "web", "session-start"]), "Here `memdir` means: memdir -S web");
    let scope = format!("{}/scopes/web", project.memory().to_str().unwrap());
    let both = format!("Here `memdir` means: memdir --dir {} -S web", project.memory().to_str().unwrap());
    assert_eq!(named_by(&["--dir", &scope, "session-start"]), both);
    // A budget that has no room for the line is raised.
    assert_eq!(named_by(&["--dir", &scope, "session-start", "--budget", "1"]), both);
    config("scopes:\n  - {directory: '**', scope: web}\n");
    assert_eq!(named_by(&["session-start"]), "Here `memdir` means: memdir -S web");
    // What the line says is true.
    project.run(&["-S", "web", "add", "user", "Likes rain"]).exit(0);
    assert!(text(&["session-start"]).contains("Likes rain"));
}

#[test]
fn a_memory_that_is_not_trusted_gets_the_empty_envelope_and_no_file() {
    let project = Project::new();
    let input = project.input("claude", "session-start");
    for config in ["", "trusted: []\n", "trusted: [/nowhere, memory]\n", "trusted: [\n"] {
        project.put(".config/memdir/config.yaml", &format!("{config}{FAILING_MODEL}"));
        for event in ["session-start", "session-end", "stop", "pre-compact"] {
            assert_eq!(project.hook(&[event], &input), EMPTY, "{config}");
            let dir = project.memory();
            let named = ["--dir", dir.to_str().unwrap(), event];
            let words: Vec<&str> = named.to_vec();
            assert_eq!(project.hook(&words, &input), EMPTY, "{config}");
        }
        assert!(!project.memory().join(".memdir").exists());
    }
    // A link from a project to a trusted memory is not followed, as by no search.
    project.config("");
    project.put("other/x", "");
    std::os::unix::fs::symlink(project.memory(), project.home.path().join("other/memory")).unwrap();
    let elsewhere = json!({"cwd": project.home.path().join("other")}).to_string();
    assert_eq!(project.hook(&["session-start"], elsewhere.as_bytes()), EMPTY);
}

#[test]
fn init_trusts_the_memory_that_it_makes_and_no_other() {
    let project = Project::new();
    project.put(".config/memdir/config.yaml", "people: [ana] # me\n");
    project.run(&["init"]).exit(0);
    let config = || fs_err::read_to_string(project.home.path().join(".config/memdir/config.yaml")).unwrap();
    assert_eq!(config(), "people: [ana] # me\n");
    project.run(&["init", "other"]).exit(0);
    let other = project.work().join("other").canonicalize().unwrap();
    assert_eq!(config(), format!("people: [ana] # me\ntrusted:\n  - {:?}\n", other.to_str().unwrap()));
    let input = json!({"cwd": other}).to_string();
    assert!(project.hook(&["session-start"], input.as_bytes()).contains("additionalContext"));
    // Files that were there before are trusted by a person.
    project.put("work/adopted/notes.md", "- From elsewhere\n");
    let before = config();
    let output = project.run(&["--as", "bot", "init", "--adopt", "adopted"]).exit(0);
    assert!(output.stderr.contains("until a person trusts it") && config() == before, "{output:#?}");
    project.put(".config/memdir/config.yaml", "people: [\n");
    let output = project.run(&["init", "third"]).exit(0);
    assert!(output.stderr.contains("hooks will not act on this memory"), "{output:#?}");
    assert_eq!(config(), "people: [\n");
}

#[test]
fn the_mode_is_obeyed() {
    let project = Project::new();
    project.config(FAILING_MODEL);
    for (mode, reads, queues) in [("off", false, 0), ("nonsense", false, 0), ("read", true, 0), ("on", true, 1)] {
        let env = [("MEMDIR_MODE", mode)];
        let start = project.hook_with(&["session-start"], &project.input("claude", "session-start"), &env);
        assert_eq!(start.contains("Prefers tabs"), reads, "{mode}");
        let input = project.input("claude", "session-end");
        assert_eq!(project.hook_with(&["session-end"], &input, &env), EMPTY);
        assert_eq!(project.queue().len(), queues, "{mode}");
    }
    // The sessions of a model that memdir runs are not read.
    let inside = [("MEMDIR_INSIDE", "1")];
    assert_eq!(project.hook_with(&["session-start"], &project.input("claude", "session-start"), &inside), EMPTY);
}

#[test]
fn one_state_of_a_session_is_queued_once() {
    let project = Project::new();
    project.config(FAILING_MODEL);
    for (host, event) in host_events().iter().filter(|(_, e)| ["pre-compact", "stop", "session-end"].contains(&&**e)) {
        project.hook(&[event, "--host", host], &project.input(host, event));
    }
    // One for each of the four sessions.
    assert_eq!(project.queue().len(), 4, "{:?}", project.queue());
    let text = fs_err::read_to_string(project.work().join("transcript.jsonl")).unwrap();
    project.put("work/transcript.jsonl", &text.repeat(2));
    project.hook(&["stop"], &project.input("claude", "stop"));
    assert_eq!(project.queue().len(), 5, "{:?}", project.queue());
}

#[test]
fn without_a_transcript_nothing_is_queued() {
    let project = Project::new();
    project.config(FAILING_MODEL);
    project.put("work/empty.jsonl", "");
    project.put("work/key.pem", "secret\n");
    fs_err::create_dir(project.work().join("folder.jsonl")).unwrap();
    for name in ["missing.jsonl", "empty.jsonl", "key.pem", "folder.jsonl"] {
        let input = json!({"session_id": "s", "cwd": project.work(), "transcript_path": project.work().join(name)});
        assert_eq!(project.hook(&["session-end"], input.to_string().as_bytes()), EMPTY);
        assert_eq!(project.queue().len(), 0, "{name}");
    }
    // One that the host deletes later leaves the queue without a call of the model.
    project.hook(&["session-end"], &project.input("claude", "session-end"));
    assert_eq!(project.queue().len(), 1);
    fs_err::remove_file(project.work().join("transcript.jsonl")).unwrap();
    project.drain();
}

#[test]
fn a_transcript_without_a_conversation_leaves_the_queue() {
    let project = Project::new();
    project.put("work/transcript.jsonl", "\u{0}\u{1}not a conversation");
    project.config(FAILING_MODEL);
    project.hook(&["session-end"], &project.input("claude", "session-end"));
    project.drain();
    assert_eq!(project.facts(), "# User\n\n- Prefers tabs\n");
}

#[test]
fn without_a_model_nothing_is_queued_and_status_says_so_once() {
    let project = Project::new();
    let notice = "hooks queue no conversations, because no model is configured";
    let status = || project.run(&["status"]).exit(0).stderr.contains(notice);
    assert!(!status());
    for _ in 0..2 {
        assert_eq!(project.hook(&["session-end"], &project.input("claude", "session-end")), EMPTY);
    }
    assert!(project.queue().is_empty());
    assert_eq!((status(), status()), (true, false));
    project.hook(&["session-end"], &project.input("claude", "session-end"));
    assert!(!status());
}

#[test]
fn status_says_that_hooks_show_nothing_where_the_memory_is_not_trusted() {
    let project = Project::new();
    let notice = |command: &str| {
        format!("this directory is not trusted, so its texts do not go to agents; if it is yours, `{command}`")
    };
    let status = || project.run(&["status"]).exit(0).stderr;
    assert!(!status().contains("not trusted"));
    // Without a trusted memory, nothing says that the user has hooks.
    project.put(".config/memdir/config.yaml", "people: [ana]\n");
    assert!(!status().contains("not trusted"));
    // The memory was elsewhere when it was trusted.
    project.put(".config/memdir/config.yaml", "trusted: [/nowhere/memory]\n");
    assert!(status().contains("`memdir setup` with the name of a host trusts it"), "{}", status());
    // A repository that came with hooks.
    project.put(".config/memdir/config.yaml", "people: [ana]\n");
    let hooks = r#"{"hooks": {"preToolUse": [{"command": "memdir hook pre-tool --host cursor"}]}}"#;
    project.put("work/.cursor/hooks.json", hooks);
    assert!(status().contains(&notice("memdir setup cursor")), "{}", status());
    project.run(&["setup", "cursor"]).exit(0);
    assert!(!status().contains("not trusted"), "{}", status());
}

#[test]
fn a_queued_session_is_read_in_the_background() {
    let project = Project::new();
    project.config(FAILING_MODEL);
    project.hook(&["session-end"], &project.input("claude", "session-end"));
    // What a failed or killed run left is read by the next session's start.
    assert_eq!(project.queue().len(), 1);
    project.working_model();
    for _ in 0..1000 {
        project.hook(&["session-start"], &project.input("claude", "session-start"));
        if project.queue().is_empty() {
            break;
        }
    }
    assert!(project.queue().is_empty());
    assert!(project.facts().contains("- Name: Zhang San\n"), "{}", project.facts());
    let log = project.run(&["--json", "log"]).exit(0).json();
    assert_eq!(log["entries"][0]["actor"], "claude", "{log}");
}

#[test]
fn a_kill_right_after_the_answer_loses_nothing() {
    for event in ["session-end", "stop", "pre-compact"] {
        let project = Project::new();
        project.config(FAILING_MODEL);
        let mut child = project.command(&["hook", event]).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&project.input("claude", event)).unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        child.kill().unwrap();
        assert_eq!((line.as_str(), project.queue().len()), (EMPTY, 1), "{event}");
        child.wait().unwrap();
        project.working_model();
        project.drain();
        assert!(project.facts().contains("- Name: Zhang San\n"), "{event}: {}", project.facts());
    }
}

#[test]
fn a_held_lock_delays_no_hook() {
    let project = Project::new();
    project.config(&format!("lock_timeout_s: 3600\n{FAILING_MODEL}"));
    let directory = fs_err::File::open(project.memory()).unwrap();
    rustix::fs::flock(&directory, rustix::fs::FlockOperation::LockExclusive).unwrap();
    for event in ["session-end", "session-start"] {
        project.hook_with(&[event], &project.input("claude", event), &[("MEMDIR_MODE", "on")]);
    }
    assert_eq!(project.queue().len(), 1);
    drop(directory);
    project.working_model();
    project.drain();
}

#[test]
fn a_closed_or_full_stdout_is_no_failure() {
    let project = Project::new();
    let input = project.home.path().join("input");
    fs_err::write(&input, project.input("claude", "session-start")).unwrap();
    for redirect in [">&-", ">/dev/full", "| true", "2>&- >&- <&-"] {
        let line = format!("\"$0\" hook session-start <\"$1\" {redirect}; echo $? >&2");
        let command = project.command(&[]);
        let program = command.get_program().to_owned();
        let environment: Vec<_> = command.get_envs().map(|(k, v)| (k.to_owned(), v.map(|v| v.to_owned()))).collect();
        let mut shell = Command::new("bash");
        shell.env_clear().args(["-c", &format!("set -o pipefail; {line}")]).arg(program).arg(&input);
        for (key, value) in environment {
            if let Some(value) = value {
                shell.env(key, value);
            }
        }
        let output = ProgramOutput::of(shell.current_dir(project.work()).stdin(Stdio::null()));
        assert_eq!(output.stderr.trim(), "0", "{redirect}: {output:#?}");
    }
}

#[test]
fn a_wrong_command_line_exits_0_and_prints_the_empty_envelope() {
    let project = Project::new();
    for words in
        [&["hook"][..], &["hook", "lost"], &["hook", "stop", "--host", "emacs"], &["hook", "stop", "-C", "/no"]]
    {
        let output = project.run(words);
        assert_eq!((output.status, output.stdout.as_str()), (0, EMPTY), "{words:?}");
        assert!(!output.stderr.is_empty(), "{words:?}");
    }
}

#[test]
fn an_answer_takes_at_most_20_ms() {
    // A busy machine is a poor clock.
    if !full_or_skipped("the time of a hook's answer") {
        return;
    }
    let project = Project::new();
    project.config(FAILING_MODEL);
    for event in ["session-end", "session-start", "user-prompt"] {
        let input = project.input("claude", event);
        let mut times: Vec<std::time::Duration> = (0..200)
            .map(|n| {
                let input = String::from_utf8(input.clone()).unwrap().replace("6f1c2a7e", &format!("{n:08}"));
                let begun = std::time::Instant::now();
                project.hook_with(&[event], input.as_bytes(), &[("MEMDIR_DURABILITY", "full")]);
                begun.elapsed()
            })
            .collect();
        times.sort();
        let median = times[times.len() / 2];
        println!("hook {event}: median {median:?}, worst {:?}", times[times.len() - 1]);
        assert!(median.as_millis() <= 20, "{event}: {median:?}");
    }
}

#[test]
fn a_session_start_prunes_once_a_day() {
    let project = Project::new();
    let archive = project.memory().join("archive/facts/user.md");
    let noted = || fs_err::read_to_string(project.memory().join(".memdir/hook-prune")).unwrap_or_default();
    let input = project.input("claude", "session-start");
    assert_eq!(project.run(&["add", "user", "Is in Rome", "--exp", "2026-02-01"]).status, 0);
    project.hook(&["session-start"], &input);
    assert_eq!(noted(), "", "without a rule nothing is pruned");
    fs_err::write(project.memory().join("memdir.yaml"), "version: 2\nexpired: archive\n").unwrap();
    project.hook_with(&["session-start"], &input, &[("MEMDIR_MODE", "read")]);
    assert_eq!(noted(), "");
    project.hook(&["session-start"], &input);
    assert_eq!(noted(), "2026-02-24");
    // The hook does not wait for it.
    while !archive.exists() {
        std::thread::yield_now();
    }
    assert!(fs_err::read_to_string(&archive).unwrap().contains("Is in Rome"));
}

/// Who can push to a shared memory can put files into its `.memdir/`, and a transcript may be any file of the user.
#[test]
fn what_git_brought_into_the_machine_state_neither_acts_nor_speaks() {
    let project = Project::new();
    project.put("diary.txt", "User: the keys are in the blue box\nAssistant: I see.\n");
    let diary = project.home.path().join("diary.txt");
    let sent = project.home.path().join("sent");
    let script = format!("cat >> {}; echo '{{\"operations\": []}}'", sent.display());
    project.config(&format!("people: [tester]\nmodel: {{provider: exec, command: [sh, -c, {}]}}\n", json!(script)));
    let item = "2026-01-01-aaaa-000000000001.ref";
    project.put(&format!("work/memory/.memdir/queue/{item}"), &json!({"transcript": diary}).to_string());
    let queued = json!({"conversation": "User: I like tea.\n"});
    project.put("work/memory/.memdir/queue/2026-01-02-bbbb.json", &queued.to_string());
    let note = json!({"day": "2026-02-24", "message": "zqforged", "count": 1, "reason": "zqforged"}).to_string();
    for name in ["queue_error", "lost_transcripts"] {
        project.put(&format!("work/memory/.memdir/{name}"), &note);
    }
    project.hook(&["session-start"], &project.input("claude", "session-start"));
    let read = project.run(&["reflect", "--queued"]).exit(0);
    let told = "2 files in .memdir/queue/ are not read: they lack the signature of this machine";
    assert!(read.stderr.contains(told), "{read:#?}");
    let status = project.run(&["status"]).exit(0);
    assert!(status.stderr.contains(told) && !status.stderr.contains("zqforged"), "{status:#?}");
    assert!(!sent.exists(), "{}", fs_err::read_to_string(&sent).unwrap());
    assert_eq!(project.queue().len(), 2);
    // What this machine queues beside it is read.
    project.hook(&["session-end"], &project.input("claude", "session-end"));
    for _ in 0..1000 {
        project.run(&["reflect", "--queued"]);
        if project.queue().len() == 2 {
            break;
        }
    }
    let sent = fs_err::read_to_string(sent).unwrap();
    assert!(sent.contains("I'm Zhang San") && !sent.contains("blue box") && !sent.contains("like tea"), "{sent}");
    assert!(project.queue().contains(&item.to_owned()));
}
