//! `reflect` and `inbox` from the command line, with a program as the model.

use std::process::{Command, Stdio};

use super::super::support::{Memory, NOW, Run};
use super::script::add;
use serde_json::json;

/// Writes the user config of a memory's home.
pub fn configured(memory: &Memory, text: &str) {
    let file = memory.dir().with_file_name("config").join("memdir/config.yaml");
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, text).unwrap();
}

/// A memory whose model answers with these operations, whatever it is asked; the question is kept beside it.
fn with(operations: &[serde_json::Value]) -> Memory {
    let memory = Memory::new();
    let home = memory.dir().with_file_name("answer.json");
    fs_err::write(&home, json!({ "operations": operations }).to_string()).unwrap();
    let home = home.parent().unwrap().to_str().unwrap().to_owned();
    let line = format!("model: {{provider: exec, command: [sh, -c, 'cat > {home}/asked; cat {home}/answer.json']}}\n");
    configured(&memory, &line);
    memory
}

fn asked(memory: &Memory) -> Option<String> {
    fs_err::read_to_string(memory.dir().with_file_name("asked")).ok()
}

fn reads<'m>(memory: &'m Memory, words: &[&str]) -> Run<'m> {
    memory
        .run(std::iter::once("reflect").chain(words.iter().copied()))
        .stdin("User: I'm Zhang San, I live in Berlin.\n")
}

#[test]
fn what_came_of_it_is_told_on_one_page() {
    let memory = with(&[
        add("facts/user.md", "Name: Zhang San", "I'm Zhang San"),
        add("facts/user.md", "City: Berlin", "I live in Berlin"),
        add("facts/user.md", "Favourite colour: blue", "I like blue"),
    ]);
    let ran = reads(&memory, &[]).exit(0);
    insta::assert_snapshot!(ran.stdout, @r"
    new file facts/user.md  r1
    + @tava Name: Zhang San
    waits: City: Berlin (sensitive: city)
    try: memdir inbox --accept pe55c27
    refused: Favourite colour: blue (no_evidence: I like blue)
    1 turn, 3 found: 1 kept, 0 known, 1 waiting, 1 refused; exec sh, 0 tokens in, 0 out
    ");
    let ran = reads(&memory, &[]).exit(0);
    assert_eq!((ran.stdout.as_str(), ran.difference.as_str()), ("", ""));
    assert!(ran.stderr.contains("processed before"), "{ran}");
}

#[test]
fn the_answer_in_json_names_every_decision() {
    let memory = with(&[
        add("facts/user.md", "Name: Zhang San", "I'm Zhang San"),
        add("facts/user.md", "Favourite colour: blue", "I like blue"),
    ]);
    let answer = reads(&memory, &["--json"]).exit(0).json();
    // It says the same again when it is told what was wrong: two corrections, and then it is enough.
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
    reads(&memory, &[]).exit(0).unchanged().tells("nothing worth keeping");
}

#[test]
fn without_a_model_the_three_shortest_ways_to_get_going_are_told() {
    let memory = Memory::new();
    let ran = reads(&memory, &[]).exit(8).tells("no_model").tells("OPENAI_API_KEY").tells("ollama");
    assert!(ran.stderr.contains("exec") || ran.stderr.contains("command"), "{ran}");
    // Where there is nothing to ask, no model is missed.
    memory.run(["reflect", "--queued"]).exit(0).tells("nothing pending");
}

#[test]
fn what_would_be_sent_can_be_seen_without_asking() {
    let memory = with(&[]);
    memory.put("facts/user.md", "# User\n\n- Editor: vim\n");
    let ran = reads(&memory, &["--show-prompt"]).exit(0).unchanged().says("I'm Zhang San").says("Editor: vim");
    assert!(ran.stdout.contains("Every operation carries a `quote`") && asked(&memory).is_none(), "{ran}");
}

#[test]
fn a_persons_own_instructions_take_the_place_of_ours() {
    let memory = with(&[]);
    let file = memory.dir().with_file_name("config").join("memdir/prompts/reflect.md");
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(&file, "Keep only birthdays. At most {max_chars} characters.\n").unwrap();
    reads(&memory, &[]).exit(0);
    let asked = asked(&memory).unwrap();
    assert!(asked.starts_with("Keep only birthdays. At most 280 characters.") && !asked.contains("Every operation"));
}

#[test]
fn what_is_no_conversation_is_refused() {
    let memory = with(&[]);
    memory.run(["reflect"]).stdin("   \n").exit(2);
    memory.run(["reflect", "nowhere.md"]).exit(3).tells("file_not_found");
    memory.run(["reflect", "--check-model", "--queued"]).exit(2);
    for into in ["../x.md", "/etc/passwd", ".memdir/x.md", "a/../../b.md"] {
        reads(&memory, &["--into", into]).exit(5).tells("invalid_path");
    }
}

#[test]
fn a_model_can_be_tried() {
    let memory = with(&[]);
    memory.run(["reflect", "--check-model"]).exit(0).unchanged().says("exec sh").says("answered in");
}

#[test]
fn a_dry_run_from_the_command_line_writes_nothing() {
    let memory = with(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]);
    reads(&memory, &["-n"]).exit(0).unchanged().says("dry run").says("Name: Zhang San");
    assert!(asked(&memory).is_some());
    memory.done(["log"]).stdout("");
}

#[test]
fn over_the_days_budget_work_waits_and_says_so() {
    let memory = with(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]);
    let file = memory.dir().with_file_name("config").join("memdir/config.yaml");
    let line = fs_err::read_to_string(&file).unwrap();
    configured(&memory, &format!("{line}budget: {{tokens_per_day: 10}}\n"));
    reads(&memory, &[]).exit(0).unchanged().tells("deferred").tells("reflect --queued");
    assert!(asked(&memory).is_none());
    memory.done(["status"]).says("1 conversation waits for budget");
    configured(&memory, &line);
    memory.done(["reflect", "--queued"]).says("Name: Zhang San");
}

/// Starts a command, and waits until its model has been asked and says nothing.
fn thinking(memory: &Memory, words: &[&str]) -> std::process::Child {
    let home = memory.dir().parent().unwrap().to_path_buf();
    let pipe = home.join("pipe");
    if !pipe.exists() {
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    }
    let line = format!("echo asked > {0}; exec sleep 60", pipe.display());
    configured(memory, &format!("model: {{provider: exec, command: [sh, -c, '{line}']}}\n"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
    command.args(words).current_dir(&home).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    command.env("HOME", &home).env("XDG_CONFIG_HOME", home.join("config")).env("MEMDIR", memory.dir());
    command.env("MEMDIR_NOW", NOW).env("MEMDIR_AS", "tester").env("MEMDIR_DURABILITY", "fast");
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(fs_err::read_to_string(&pipe).unwrap(), "asked\n");
    child
}

#[test]
fn whoever_is_stopped_while_the_model_thinks_leaves_no_trace() {
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
fn a_drain_that_is_killed_leaves_the_work_to_the_next_one() {
    let memory = with(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]);
    let file = memory.dir().with_file_name("config").join("memdir/config.yaml");
    let line = fs_err::read_to_string(&file).unwrap();
    configured(&memory, &format!("{line}budget: {{tokens_per_day: 10}}\n"));
    reads(&memory, &[]).exit(0).tells("deferred");
    let mut child = thinking(&memory, &["reflect", "--queued"]);
    // While it is being read, nobody else takes it.
    memory.run(["reflect", "--queued"]).exit(0).tells("nothing pending");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::KILL).unwrap();
    child.wait().unwrap();
    configured(&memory, &line);
    memory.done(["reflect", "--queued"]).says("Name: Zhang San");
    memory.run(["reflect", "--queued"]).exit(0).unchanged().tells("nothing pending");
    assert_eq!(memory.text("facts/user.md").unwrap().matches("Zhang San").count(), 1);
}
