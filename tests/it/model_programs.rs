//! Programs as models, in every build: how they are chosen, and that no child process outlives memdir.
//!
//! Observes processes from outside, through a pipe that stays open for as long as any of them lives.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use memdir::code::Rejection;
use memdir::commands::model;
use memdir::commands::results::ModelCheck;
use memdir::host::models::ModelQuery;
use memdir::llm::{self, ChatMessage, Deadline, ModelConfig, ModelRequest, Protocol};

use crate::leaks::{Planted, ROWS, walk};

/// Where the asking process finds the pipe.
const PIPE: &str = "MEMDIR_TEST_PIPE";

/// The output of `--check-model` with this environment.
pub fn tried(asked: &ModelQuery, env: &[(&str, &str)]) -> Result<ModelCheck, Rejection> {
    let env = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
    model::check_model(asked, &env).map_err(|failure| failure.rejections[0].clone())
}

/// A home of the user config.
pub fn config(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs_err::create_dir(dir.path().join("memdir")).unwrap();
    fs_err::write(dir.path().join("memdir/config.yaml"), text).unwrap();
    dir
}

/// A path as text.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Calls a program that does not answer and has child processes. Does nothing unless the other test calls it.
fn model_call_in_a_child_process(pipe: String) {
    let line = "exec 9>\"$MEMDIR_TEST_PIPE\"; sleep 30 & echo up >&9; sleep 30; wait";
    let choice = ModelConfig {
        provider: "exec".into(),
        protocol: Protocol::Program,
        model: None,
        base_url: String::new(),
        key: None,
        command: ["sh", "-c", line].map(str::to_owned).into(),
        variables: vec![(PIPE.into(), pipe)],
        timeout: Duration::from_secs(60),
        max_tokens: None,
        temperature: None,
        top_p: None,
        hide_secrets: str::to_owned,
    };
    let request = ModelRequest { messages: vec![ChatMessage::User("hi".into())], ..ModelRequest::default() };
    let reply = llm::open(&choice).unwrap().complete(&request, Deadline::within(Duration::from_secs(60)));
    panic!("it was to be killed: {reply:?}");
}

#[test]
fn a_program_and_its_children_die_with_memdir() {
    if let Ok(pipe) = std::env::var(PIPE) {
        return model_call_in_a_child_process(pipe);
    }
    // Not by INT, which a shell lets its background jobs ignore.
    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::KILL] {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut asking = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "model_programs::a_program_and_its_children_die_with_memdir"])
            .env(PIPE, &pipe)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut reader = BufReader::new(fs_err::File::open(&pipe).unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "up\n");
        let began = Instant::now();
        rustix::process::kill_process(rustix::process::Pid::from_child(&asking), signal).unwrap();
        asking.wait().unwrap();
        // It ends when the last of them has gone.
        reader.read_to_string(&mut line).unwrap();
        assert!(began.elapsed() < Duration::from_secs(10), "{signal:?}");
    }
}

#[test]
fn a_program_of_the_user_config_is_the_model() {
    let home = config("model: {command: [sh, -c, 'cat >/dev/null; echo pong']}");
    let env = [("XDG_CONFIG_HOME", text(home.path()))];
    let check = tried(&ModelQuery::default(), &env).unwrap();
    assert_eq!((check.provider.as_str(), check.model.as_str(), check.endpoint.as_str()), ("exec", "sh", "sh"));
    let home = config("model: {command: [sh, -c, 'sleep 60'], timeout_s: 0.1}");
    let refused = tried(&ModelQuery::default(), &[("XDG_CONFIG_HOME", text(home.path()))]).unwrap_err();
    assert_eq!((refused.code.name(), refused.code.retryable()), ("model", true));
}

#[test]
fn an_empty_configuration_lists_three_setups() {
    let refused = tried(&ModelQuery::default(), &[]).unwrap_err();
    assert_eq!((refused.code.name(), refused.code.exit()), ("no_model", 8));
    let hint = refused.hint.unwrap();
    assert_eq!(hint.split(';').count(), 3, "{hint}");
}

#[test]
fn a_model_program_cannot_make_memdir_call_a_model() {
    let home = config("model: {command: [sh, -c, 'test -n \"$MEMDIR_INSIDE\" && echo pong']}");
    let env = [("XDG_CONFIG_HOME", text(home.path()))];
    tried(&ModelQuery::default(), &env).unwrap();
    let refused = tried(&ModelQuery::default(), &[env[0], ("MEMDIR_INSIDE", "1")]).unwrap_err();
    assert_eq!(refused.code.name(), "no_model");
}

/// Every command is walked with a model that records its calls.
#[test]
fn only_reflect_and_compact_call_a_model() {
    let planted = Planted::new();
    let calls = planted.memory.dir().with_file_name("calls");
    let script = format!("cat >/dev/null; echo call >> {}; echo none", text(&calls));
    let config = planted.memory.config();
    planted.memory.configure(&format!("{config}model: {{provider: exec, command: [sh, -c, '{script}']}}\n"));
    let mut callers = BTreeSet::new();
    walk(&planted, ROWS, "tester", |line, _| {
        if fs_err::remove_file(&calls).is_ok() {
            callers.extend(line.0.iter().find(|word| !word.starts_with('-')).cloned());
        }
        None
    });
    assert_eq!(callers, ["compact", "reflect"].map(str::to_owned).into());
}

#[test]
#[cfg(not(feature = "network"))]
fn a_build_without_network_reports_that() {
    let refused = tried(&ModelQuery { provider: Some("ollama".into()), ..ModelQuery::default() }, &[]).unwrap_err();
    assert_eq!((refused.code.name(), refused.code.exit()), ("no_model", 8));
    assert_eq!(refused.message, "this build of memdir has no network support");
}
