//! `reflect --procedure` from the command line, with a program as the model.

use serde_json::json;

use super::record::with;
use crate::support::{CommandRun, Memory};

const TALK: &str = "User: Release 0.4 please, as last time. Ask Bo first.\n\n\
                    Assistant: I asked Bo, ran `cargo test`, tagged v0.4 and built the archive with `make dist`.\n";

fn answer(steps: &[&str]) -> String {
    json!({"title": "Release the program", "steps": steps, "importance": 7, "tags": ["release"]}).to_string()
}

fn steps() -> String {
    answer(&["Ask Bo.", "Run `cargo test`.", "Tag the version.", "Build the archive with `make dist`."])
}

fn procedure<'m>(memory: &'m Memory, words: &[&str]) -> CommandRun<'m> {
    memory.run(["reflect", "--procedure"].into_iter().chain(words.iter().copied())).stdin(TALK)
}

#[test]
fn a_conversation_becomes_numbered_steps() {
    let memory = with(&[steps(), steps()]);
    procedure(&memory, &["-n"]).exit(0).unchanged().stdout_contains("dry run").stdout_contains("Ask Bo.");
    insta::assert_snapshot!(procedure(&memory, &[]).exit(0).stdout, @r"
    new file procedures/release-the-program.md  r1
    + # Release the program
    + @nfat Ask Bo.
    + @x182 Run `cargo test`.
    + @j0ba Tag the version.
    + @rj3j Build the archive with `make dist`.
    2 turns, 1 found: 1 kept, 0 known, 0 waiting, 0 refused; exec sh, 0 tokens in, 0 out
    ");
    insta::assert_snapshot!(memory.text("procedures/release-the-program.md").unwrap(), @r"
    ---
    tags: [release]
    importance: 7
    created: 2026-02-24
    source: c5a1006303a48
    ---

    # Release the program

    1. Ask Bo.
    2. Run `cargo test`.
    3. Tag the version.
    4. Build the archive with `make dist`.
    ");
    assert!(memory.model_requests().contains("built the archive"));
    // The same conversation is not asked about again.
    procedure(&memory, &[]).exit(0).unchanged().stderr_contains("processed before");
    memory.run(["check"]).exit(0);
    memory.done(["undo"]);
    assert_eq!(memory.text("procedures/release-the-program.md"), None);
}

#[test]
fn it_stays_out_of_answers_that_do_not_ask_for_procedures() {
    let memory = with(&[steps()]);
    memory.done(["--as", "claude", "add", "user", "Builds archives at night"]);
    memory.run(["--as", "claude", "reflect", "--procedure"]).stdin(TALK).exit(0);
    let path = "procedures/release-the-program.md";
    let text = memory.text(path).unwrap();
    let source = text.lines().find_map(|line| line.strip_prefix("source: ")).unwrap().to_owned();
    let found = |words: &[&str]| memory.done(["query"].iter().chain(words)).stdout.contains("make dist");
    assert!(!found(&["archive"]) && !memory.done(["context"]).stdout.contains("make dist"));
    // The front matter's metadata is that of each step.
    for words in [
        &["archive", "--category", "procedural"][..],
        &["--category", "procedural", "--imp", "7"],
        &["--category", "procedural", "--by", "claude"],
        &["--category", "procedural", "--tag", "release"],
        &["--all", "--source", &source],
    ] {
        assert!(found(words), "{words:?}");
    }
    assert!(!found(&["--category", "procedural", "--imp", "8"]));
    assert!(!found(&["--category", "procedural", "--pinned"]));
    let pinned = text.replacen("importance: 7\n", "importance: 7\npinned: true\nrun: r-9\n", 1);
    memory.put(path, pinned);
    assert!(found(&["--category", "procedural", "--pinned"]) && found(&["--category", "procedural", "--run", "r-9"]));
}

#[test]
fn a_procedure_that_breaks_a_rule_is_asked_for_once_more() {
    let wrong = answer(&["Ask Carla.", "Deploy without asking."]);
    let memory = with(&[wrong.clone(), steps()]);
    procedure(&memory, &[]).exit(0).stdout_contains("Ask Bo.");
    assert!(memory.model_requests().contains("(Carla)"), "{}", memory.model_requests());
    let memory = with(&[wrong.clone(), wrong]);
    let ran = procedure(&memory, &[]).exit(0).unchanged();
    ran.stdout_contains("ungrounded: Carla").stdout_contains("permission: ");
}

#[test]
fn a_procedure_that_there_is_stays() {
    let memory = with(&[steps()]).file("procedures/release-the-program.md", "# Release the program\n\n1. Wait.\n");
    procedure(&memory, &[]).exit(4).unchanged().stderr_contains("exists");
}

#[test]
fn no_procedure_no_model_and_no_time() {
    let memory = with(&[answer(&[])]);
    procedure(&memory, &[]).exit(0).unchanged().stderr_contains("nothing worth keeping");
    procedure(&Memory::new(), &[]).exit(8).unchanged().stderr_contains("no_model");
    let memory = with(&["none".into(), "none".into()]);
    procedure(&memory, &[]).exit(8).unchanged().stderr_contains("\"steps\"");
    for more in ["--record", "--insights", "--propose", "--queued"] {
        procedure(&memory, &[more]).exit(2).unchanged();
    }
}
