//! Programs that answer, in every build: how they are chosen, and that nobody of theirs outlives memdir.
//!
//! Looks at processes from outside, through a pipe that stays open for as long as any of them lives.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use memdir::code::Rejection;
use memdir::commands::answer::{Answer, ModelCheck};
use memdir::commands::model;
use memdir::host::models::ModelQuery;
use memdir::llm::{self, ChatMessage, Deadline, ModelConfig, ModelRequest, Protocol};

/// Where the asking process finds the pipe.
const PIPE: &str = "MEMDIR_TEST_PIPE";

/// What `--check-model` says, with this environment.
pub fn tried(asked: &ModelQuery, env: &[(&str, &str)]) -> Result<ModelCheck, Rejection> {
    let env = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
    match model::check_model(asked, &env) {
        Ok(Answer::Model(check)) => Ok(check),
        Ok(other) => panic!("{other:?}"),
        Err(failure) => Err(failure.rejections[0].clone()),
    }
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

/// Asks a program that does not answer, and has children of its own. Does nothing unless the other test calls it.
#[test]
fn asks_in_a_process_of_its_own() {
    let Ok(pipe) = std::env::var(PIPE) else { return };
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
    };
    let request = ModelRequest { messages: vec![ChatMessage::User("hi".into())], ..ModelRequest::default() };
    let reply = llm::open(&choice).unwrap().complete(&request, Deadline::within(Duration::from_secs(60)));
    panic!("it was to be killed: {reply:?}");
}

#[test]
fn a_program_and_its_children_die_with_memdir() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::KILL] {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut asking = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "model_programs::asks_in_a_process_of_its_own"])
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
fn a_program_of_the_users_config_answers() {
    let home = config("model: {command: [sh, -c, 'cat >/dev/null; echo pong']}");
    let env = [("XDG_CONFIG_HOME", text(home.path()))];
    let check = tried(&ModelQuery::default(), &env).unwrap();
    assert_eq!((check.provider.as_str(), check.model.as_str(), check.endpoint.as_str()), ("exec", "sh", "sh"));
    let home = config("model: {command: [sh, -c, 'sleep 60'], timeout_s: 0.1}");
    let refused = tried(&ModelQuery::default(), &[("XDG_CONFIG_HOME", text(home.path()))]).unwrap_err();
    assert_eq!((refused.code.name(), refused.code.retryable()), ("model", true));
}

#[test]
fn nothing_configured_names_three_ways_to_get_going() {
    let refused = tried(&ModelQuery::default(), &[]).unwrap_err();
    assert_eq!((refused.code.name(), refused.code.exit()), ("no_model", 8));
    let hint = refused.hint.unwrap();
    assert_eq!(hint.split(';').count(), 3, "{hint}");
}

#[test]
fn a_program_that_memdir_asked_cannot_make_memdir_ask() {
    let home = config("model: {command: [sh, -c, 'test -n \"$MEMDIR_INSIDE\" && echo pong']}");
    let env = [("XDG_CONFIG_HOME", text(home.path()))];
    tried(&ModelQuery::default(), &env).unwrap();
    let refused = tried(&ModelQuery::default(), &[env[0], ("MEMDIR_INSIDE", "1")]).unwrap_err();
    assert_eq!(refused.code.name(), "no_model");
}

#[test]
#[cfg(not(feature = "network"))]
fn a_build_without_network_says_so() {
    let refused = tried(&ModelQuery { provider: Some("ollama".into()), ..ModelQuery::default() }, &[]).unwrap_err();
    assert_eq!((refused.code.name(), refused.code.exit()), ("no_model", 8));
    assert_eq!(refused.message, "this build of memdir has no network support");
}
