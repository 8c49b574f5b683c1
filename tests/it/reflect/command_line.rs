//! `reflect` and `inbox` from the command line, with a program as the model.

use std::process::{Command, Stdio};

use super::script::add;
use crate::support::{CommandRun, Memory, clean_command, memdir_command};
use serde_json::json;

/// A memory whose model replies with these operations to every request; the request is kept beside it.
fn with(operations: &[serde_json::Value]) -> Memory {
    let memory = Memory::new();
    let home = memory.dir().with_file_name("answer.json");
    fs_err::write(&home, json!({ "operations": operations }).to_string()).unwrap();
    let home = home.parent().unwrap().to_str().unwrap().to_owned();
    let line = format!("model: {{provider: exec, command: [sh, -c, 'cat > {home}/asked; cat {home}/answer.json']}}\n");
    memory.configure(&line);
    memory
}

fn last_request(memory: &Memory) -> Option<String> {
    fs_err::read_to_string(memory.dir().with_file_name("asked")).ok()
}

fn reflect<'m>(memory: &'m Memory, words: &[&str]) -> CommandRun<'m> {
    memory
        .run(std::iter::once("reflect").chain(words.iter().copied()))
        .stdin("User: I'm Zhang San, I live in Berlin.\n")
}

#[test]
fn the_result_is_printed_on_one_page() {
    let memory = with(&[
        add("facts/user.md", "Name: Zhang San", "I'm Zhang San"),
        add("facts/user.md", "City: Berlin", "I live in Berlin"),
        add("facts/user.md", "Favourite colour: blue", "I like blue"),
    ]);
    let ran = reflect(&memory, &[]).exit(0);
    insta::assert_snapshot!(ran.stdout, @r"
    new file facts/user.md  r1
    + @tava Name: Zhang San
    waiting: City: Berlin (sensitive: city)
    try: memdir inbox --accept pe55c27
    refused: Favourite colour: blue (no_evidence: I like blue)
    1 turn, 3 found: 1 kept, 0 known, 1 waiting, 1 refused; exec sh, 0 tokens in, 0 out
    67 % passed all guards at the first attempt, 67 % grounded; refused: no_evidence 1
    ");
    let ran = reflect(&memory, &[]).exit(0);
    assert_eq!((ran.stdout.as_str(), ran.difference.as_str()), ("", ""));
    assert!(ran.stderr.contains("processed before"), "{ran}");
}

/// A transcript says in UTC when a turn was written; "tomorrow" was said in the user's time zone.
#[test]
fn relative_dates_are_those_of_the_local_day() {
    let fact = |day: &str| add("facts/user.md", &format!("Flies to Rome on {day}"), "I fly to Rome tomorrow");
    let talk = json!([{"role": "user", "content": "I fly to Rome tomorrow.", "timestamp": "2026-12-01T03:00:00Z"}]);
    let kept = |day: &str, now: &str| {
        let memory = with(&[fact(day)]);
        let run = memory.run(["reflect", "--json"]).env("MEMDIR_NOW", now).stdin(talk.to_string());
        run.exit(0).json()["counts"]["kept"] == 1
    };
    assert!(kept("2026-12-01", "2026-11-30T20:00:00-08:00"));
    assert!(!kept("2026-12-02", "2026-11-30T20:00:00-08:00"));
    assert!(kept("2026-12-02", "2026-12-01T04:00:00Z"));
    assert!(!kept("2026-12-01", "2026-12-01T04:00:00Z"));
}

#[test]
fn the_answer_in_json_names_every_decision() {
    let memory = with(&[
        add("facts/user.md", "Name: Zhang San", "I'm Zhang San"),
        add("facts/user.md", "Favourite colour: blue", "I like blue"),
    ]);
    let answer = reflect(&memory, &["--json"]).exit(0).json();
    // It repeats its reply after each correction: two corrections, and then the chunk ends.
    assert_eq!(answer["counts"], json!({"found": 2, "kept": 1, "known": 0, "proposed": 0, "refused": 1}));
    assert_eq!(answer["model"]["turns"], 3);
    assert_eq!(
        (&answer["decisions"][0]["verdict"], &answer["decisions"][1]["verdict"]),
        (&json!("kept"), &json!("refused"))
    );
    assert_eq!(answer["decisions"][1]["reasons"][0]["name"], "no_evidence");
    assert_eq!((&answer["conversations"][0]["kind"], &answer["revs"]), (&json!("markdown"), &json!(["r1"])));
}

#[test]
fn nothing_worth_keeping_is_a_sentence_and_no_error() {
    let memory = with(&[]);
    reflect(&memory, &[]).exit(0).unchanged().stderr_contains("nothing worth keeping");
}

#[test]
fn without_a_model_the_three_shortest_setups_are_listed() {
    let memory = Memory::new();
    let ran = reflect(&memory, &[])
        .exit(8)
        .stderr_contains("no_model")
        .stderr_contains("OPENAI_API_KEY")
        .stderr_contains("ollama");
    assert!(ran.stderr.contains("exec") || ran.stderr.contains("command"), "{ran}");
    // Where there is nothing to ask, no model is missed.
    memory.run(["reflect", "--queued"]).exit(0).stderr_contains("nothing pending");
}

#[test]
fn the_request_can_be_shown_without_calling_the_model() {
    let memory = with(&[]);
    memory.put("facts/user.md", "# User\n\n- Editor: vim\n");
    let ran = reflect(&memory, &["--show-prompt"])
        .exit(0)
        .unchanged()
        .stdout_contains("I'm Zhang San")
        .stdout_contains("Editor: vim");
    assert!(ran.stdout.contains("Every operation carries a `quote`") && last_request(&memory).is_none(), "{ran}");
}

#[test]
fn the_users_own_instructions_replace_ours() {
    let memory = with(&[]);
    let file = memory.dir().with_file_name("config").join("memdir/prompts/reflect.md");
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(&file, "Keep only birthdays. At most {max_chars} characters.\n").unwrap();
    reflect(&memory, &[]).exit(0);
    let last_request = last_request(&memory).unwrap();
    assert!(
        last_request.starts_with("Keep only birthdays. At most 280 characters.")
            && !last_request.contains("Every operation")
    );
}

#[test]
fn other_json_than_conversations_is_refused() {
    let memory = with(&[]);
    memory.run(["reflect"]).stdin("   \n").exit(2);
    memory.run(["reflect", "nowhere.md"]).exit(3).stderr_contains("file_not_found");
    memory.run(["reflect", "--check-model", "--queued"]).exit(2);
    for into in ["../x.md", "/etc/passwd", ".memdir/x.md", "a/../../b.md"] {
        reflect(&memory, &["--into", into]).exit(5).stderr_contains("invalid_path");
    }
}

#[test]
fn a_model_can_be_tried() {
    let memory = with(&[]);
    memory
        .run(["reflect", "--check-model"])
        .exit(0)
        .unchanged()
        .stdout_contains("exec sh")
        .stdout_contains("answered in");
}

#[test]
fn a_dry_run_from_the_command_line_writes_nothing() {
    let memory = with(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]);
    reflect(&memory, &["-n"]).exit(0).unchanged().stdout_contains("dry run").stdout_contains("Name: Zhang San");
    assert!(last_request(&memory).is_some());
    memory.done(["log"]).stdout("");
}

#[test]
fn over_the_daily_budget_work_is_deferred_and_reported() {
    let memory = with(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]);
    let line = memory.config();
    memory.configure(&format!("{line}budget: {{tokens_per_day: 10}}\n"));
    let needed = "raise budget.tokens_per_day to ";
    let deferred = reflect(&memory, &[]).exit(0).unchanged().stderr_contains("deferred");
    let message = deferred.stderr_contains("reflect --queued").stderr_contains(needed).stderr.clone();
    let needed: u64 = message.split(needed).nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(last_request(&memory).is_none());
    let status = memory.done(["status"]).stdout_contains("1 conversation waits in the queue");
    status.stderr_contains(&format!("one request needs {needed} tokens a day, and budget.tokens_per_day is 10"));
    let too_little = format!("{line}budget: {{tokens_per_day: {}}}\n", needed - 1);
    memory.configure(&too_little);
    memory.run(["reflect", "--queued"]).exit(0).stderr_contains("the conversation stays in the queue");
    memory.configure(&format!("{line}budget: {{tokens_per_day: {needed}}}\n"));
    assert!(!memory.done(["status"]).stderr.contains("larger budget"));
    memory.done(["reflect", "--queued"]).stdout_contains("Name: Zhang San");
}

#[test]
fn over_the_daily_number_of_memories_work_is_deferred_until_the_next_day() {
    let memory = with(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")])
        .policy("version: 2\nbudget: {writes_per_day: 1}\n");
    reflect(&memory, &[]).exit(0).stdout_contains("Name: Zhang San");
    let later = memory.run(["reflect"]).stdin("User: I'm Zhang San, and I like walks.\n").exit(0).unchanged();
    later.stderr_contains("1 of today's 1 memories are written: the conversation is queued");
    memory.run(["reflect", "--queued"]).exit(0).unchanged().stderr_contains("the conversation stays in the queue");
    let next_day = memory.run(["reflect", "--queued"]).env("MEMDIR_NOW", "2026-02-25T10:00:00Z").exit(0);
    next_day.stdout_contains("1 turn");
    memory.run(["reflect", "--queued"]).exit(0).stderr_contains("nothing pending");
}

#[test]
fn a_process_killed_behind_the_commit_has_counted_what_it_wrote() {
    for nth in 1.. {
        let memory = with(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")])
            .policy("version: 2\nbudget: {writes_per_day: 1}\n");
        let home = memory.dir().parent().unwrap().to_path_buf();
        let talk = home.join("talk.md");
        fs_err::write(&talk, "User: I'm Zhang San.\n").unwrap();
        let memdir = memdir_command(&home);
        let mut command = clean_command("strace", &home);
        let inject = format!("inject=renameat:signal=SIGKILL:when={nth}");
        command.args(["-qq", "-o", "/dev/null", "-e", "trace=renameat", "-e", &inject]).arg(memdir.get_program());
        command.envs(memdir.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("XDG_CONFIG_HOME", home.join("config")).env("MEMDIR", memory.dir());
        let ended = command.arg("reflect").arg(&talk).output().unwrap();
        if ended.status.success() {
            assert!(nth > 1 && memory.text("facts/user.md").is_some(), "{ended:?}");
            return;
        }
        let has_written = memory.text("facts/user.md").is_some_and(|text| text.contains("Zhang San"));
        let ledger: serde_json::Value =
            serde_json::from_str(&memory.text(".memdir/tokens").unwrap_or("{}".into())).unwrap();
        assert!(!has_written || ledger["writes"] == 1, "killed at renameat {nth}: {ledger}");
        // What was read twice is counted once.
        memory.run(["reflect", talk.to_str().unwrap()]).ends();
        assert!(memory.text("facts/user.md").is_none_or(|text| text.matches("Zhang San").count() == 1), "{nth}");
    }
}

/// Starts a command, and waits until its model has been called and is silent.
fn thinking(memory: &Memory, words: &[&str]) -> std::process::Child {
    let home = memory.dir().parent().unwrap().to_path_buf();
    let pipe = home.join("pipe");
    if !pipe.exists() {
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    }
    let line = format!("echo asked > {0}; exec sleep 60", pipe.display());
    memory.configure(&format!("model: {{provider: exec, command: [sh, -c, '{line}']}}\n"));
    let mut command = memdir_command(&home);
    command.args(words).env("XDG_CONFIG_HOME", home.join("config")).env("XDG_STATE_HOME", home.join("state"));
    command.env("MEMDIR", memory.dir());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(fs_err::read_to_string(&pipe).unwrap(), "asked\n");
    child
}

#[test]
fn a_process_stopped_during_the_model_call_changes_nothing() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::KILL] {
        let memory = Memory::new().file("facts/user.md", "# User\n\n- Editor: vim\n");
        let talk = memory.dir().with_file_name("talk.md");
        fs_err::write(&talk, "User: I'm Zhang San.\n").unwrap();
        let before = memory.tree();
        let mut child = thinking(&memory, &["reflect", talk.to_str().unwrap()]);
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
        assert!(!child.wait().unwrap().success());
        assert_eq!(memory.tree(), before);
        assert!(memory.session().store.journal().unwrap().is_empty());
    }
}

#[test]
fn a_killed_queue_run_leaves_the_work_to_the_next_one() {
    let memory = with(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]);
    let line = memory.config();
    memory.configure(&format!("{line}budget: {{tokens_per_day: 10}}\n"));
    reflect(&memory, &[]).exit(0).stderr_contains("deferred");
    let mut child = thinking(&memory, &["reflect", "--queued"]);
    // While it is being read, no other process takes it.
    memory.run(["reflect", "--queued"]).exit(0).stderr_contains("another process is reading 1 conversation");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::KILL).unwrap();
    child.wait().unwrap();
    memory.configure(&line);
    memory.done(["reflect", "--queued"]).stdout_contains("Name: Zhang San");
    memory.run(["reflect", "--queued"]).exit(0).unchanged().stderr_contains("nothing pending");
    assert_eq!(memory.text("facts/user.md").unwrap().matches("Zhang San").count(), 1);
}
