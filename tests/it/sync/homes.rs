//! The remote of homes that vanish: what a session starts with, what its end has pushed, and what is said where it
//! could not.
//!
//! Never reaches another machine: remotes are bare repositories on this disk, or a program that answers nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::git_repo::finished;
use crate::support::{NOW, ProgramOutput, clean_command, program, write_program};

/// A machine with a home of its own, whose memory is the user's.
struct Home {
    all: Arc<TempDir>,
    dir: PathBuf,
    /// Variables that its sessions get besides.
    env: Vec<(&'static str, String)>,
}

impl Home {
    /// A new machine beside `all`, with the config that people keep elsewhere.
    fn new(all: &Arc<TempDir>, name: &str) -> Home {
        let home = Home { all: all.clone(), dir: all.path().join(name), env: Vec::new() };
        fs_err::create_dir_all(home.dir.join("work")).unwrap();
        home.config(&home.remote(), "");
        home
    }

    /// The same, once it has followed the remote.
    fn set_up(all: &Arc<TempDir>, name: &str) -> Home {
        let home = Home::new(all, name);
        home.memdir(&["-g", "init"]).exit(0);
        home.memdir(&["-g", "sync", "--setup"]).exit(0);
        home
    }

    fn remote(&self) -> String {
        self.all.path().join("remote.git").to_str().unwrap().to_owned()
    }

    fn config(&self, remote: &str, more: &str) {
        let file = self.dir.join(".config/memdir/config.yaml");
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        let trusted = Value::from(self.memory().to_str().unwrap());
        fs_err::write(file, format!("trusted: [{trusted}]\nsync: {{remote: {remote:?}, timeout_s: 20}}\n{more}"))
            .unwrap();
    }

    fn memory(&self) -> PathBuf {
        self.dir.join(".local/share/memdir")
    }

    fn command(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        let own = program();
        let path = format!("{}:{}", own.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
        let mut command = clean_command(name, &self.dir);
        command.current_dir(self.dir.join("work")).env("PATH", path).env("HOME", &self.dir);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CEILING_DIRECTORIES", self.all.path());
        command.env("MEMDIR_NOW", NOW).env("MEMDIR_DURABILITY", "fast").env_remove("XDG_CONFIG_HOME");
        command.envs(self.env.iter().map(|(name, value)| (*name, value.as_str())));
        command
    }

    fn memdir(&self, words: &[&str]) -> ProgramOutput {
        finished(self.command(program()).env("MEMDIR_AS", "").args(words).output().unwrap())
    }

    fn git(&self, words: &[&str]) -> String {
        let mut command = self.command("git");
        finished(command.arg("-C").arg(self.memory()).args(words).output().unwrap()).exit(0).stdout
    }

    /// Answers one event, as Claude Code calls it.
    fn hook(&self, event: &str) -> Value {
        let mut child = self.start_hook(event);
        self.end_hook(&mut child)
    }

    fn start_hook(&self, event: &str) -> std::process::Child {
        let mut command = self.command(program());
        command.env("MEMDIR_AS", "").args(["hook", event]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = json!({"session_id": "s", "cwd": self.dir.join("work"), "hook_event_name": event}).to_string();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        child
    }

    #[track_caller]
    fn end_hook(&self, child: &mut std::process::Child) -> Value {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
    }

    fn context(&self) -> String {
        self.hook("session-start")["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    fn facts(&self) -> String {
        fs_err::read_to_string(self.memory().join("facts/user.md")).unwrap_or_default()
    }

    fn add(&self, text: &str) {
        self.memdir(&["-g", "add", "user", text]).exit(0);
    }

    /// What the machine leaves when it is gone: nothing.
    fn vanish(self) {
        fs_err::remove_dir_all(&self.dir).unwrap();
    }
}

/// An empty bare repository, and the place for homes.
fn world() -> Arc<TempDir> {
    let all = Arc::new(tempfile::tempdir().unwrap());
    let remote = all.path().join("remote.git");
    let mut command = clean_command("git", all.path());
    command.args(["init", "--quiet", "--bare", "--initial-branch=main"]).arg(&remote);
    finished(command.output().unwrap()).exit(0);
    all
}

/// A file of the remote's branch.
fn there(all: &TempDir, branch: &str, path: &str) -> String {
    let mut command = clean_command("git", all.path());
    command.arg("-C").arg(all.path().join("remote.git")).args(["show", &format!("{branch}:{path}")]);
    ProgramOutput::of(&mut command).stdout
}

#[test]
fn what_stop_acknowledged_is_in_the_next_home() {
    let all = world();
    let first = Home::set_up(&all, "first");
    first.add("Prefers tabs");
    assert_eq!(first.hook("stop"), json!({}));
    first.vanish();
    let second = Home::set_up(&all, "second");
    assert!(second.context().contains("Prefers tabs"));
    second.add("Likes rain");
    assert_eq!(second.hook("session-end"), json!({}));
    // Edits by other programs count, too.
    fs_err::write(second.memory().join("facts/tea.md"), "# Tea\n\n- Green\n").unwrap();
    assert_eq!(second.hook("stop"), json!({}));
    second.vanish();
    let third = Home::set_up(&all, "third");
    assert!(
        third.facts().contains("- Prefers tabs\n") && third.facts().contains("- Likes rain\n"),
        "{}",
        third.facts()
    );
    assert_eq!(there(&all, "main", "facts/tea.md"), "# Tea\n\n- Green\n");
}

#[test]
fn a_session_starts_with_what_another_home_pushed() {
    let all = world();
    let (first, second) = (Home::set_up(&all, "first"), Home::set_up(&all, "second"));
    first.add("Prefers tabs");
    first.hook("stop");
    assert!(second.context().contains("Prefers tabs"));
    assert!(second.facts().contains("- Prefers tabs\n"));
    // Nothing was pushed by that.
    second.add("Likes rain");
    second.context();
    assert!(!there(&all, "main", "facts/user.md").contains("Likes rain"));
}

#[test]
fn without_the_remote_it_says_so_and_goes_on() {
    let all = world();
    let home = Home::set_up(&all, "home");
    let (remote, away) = (all.path().join("remote.git"), all.path().join("away.git"));
    fs_err::rename(&remote, &away).unwrap();
    // Nothing new: nothing to push, and the remote is not asked.
    assert_eq!(home.hook("stop"), json!({}));
    home.add("Prefers tabs");
    let message = home.hook("stop")["systemMessage"].as_str().unwrap().to_owned();
    assert!(
        message
            .starts_with("memdir: the memory is not pushed, and only this machine has its changes: cannot sync with "),
        "{message}"
    );
    let context = home.context();
    assert!(
        context.starts_with("memdir: the memory is as this machine has it, not as its remote: ")
            && context.contains("Prefers tabs"),
        "{context}"
    );
    home.add("Likes rain");
    fs_err::rename(&away, &remote).unwrap();
    assert_eq!(home.hook("stop"), json!({}));
    let text = there(&all, "main", "facts/user.md");
    assert!(text.contains("Prefers tabs") && text.contains("Likes rain"), "{text}");
}

#[test]
fn a_remote_that_hangs_is_waited_for_as_long_as_the_config_says() {
    let all = world();
    let mut home = Home::set_up(&all, "home");
    let (ssh, started) = (all.path().join("ssh"), all.path().join("started"));
    write_program(&ssh, &format!("#!/bin/sh\ntouch '{}'\nexec sleep 20\n", started.display()));
    home.env.push(("GIT_SSH_COMMAND", ssh.to_str().unwrap().to_owned()));
    home.config(&home.remote(), "");
    home.git(&["config", "memdir.remote", "ssh://nowhere/notes.git"]);
    let file = home.dir.join(".config/memdir/config.yaml");
    let config = fs_err::read_to_string(&file).unwrap();
    let config = config.replace(&format!("{:?}", home.remote()), "\"ssh://nowhere/notes.git\"");
    fs_err::write(&file, config.replace("timeout_s: 20", "timeout_s: 0.5")).unwrap();
    home.add("Prefers tabs");
    let begun = std::time::Instant::now();
    let message = home.hook("stop")["systemMessage"].as_str().unwrap().to_owned();
    let context = home.context();
    assert!(begun.elapsed() < std::time::Duration::from_secs(15), "{:?}", begun.elapsed());
    assert!(message.contains("did not answer within 0"), "{message}");
    assert!(context.contains("Prefers tabs"), "{context}");
    assert!(started.exists());
}

#[test]
fn a_conflict_goes_to_a_branch_named_by_machine_and_day() {
    let all = world();
    let first = Home::set_up(&all, "first");
    first.add("Meets the team on Monday at ten");
    first.hook("stop");
    let second = Home::set_up(&all, "second");
    let change = |home: &Home, text: &str| {
        home.memdir(&["-g", "update", "user", "Meets the team on Monday at ten", text]).exit(0);
    };
    change(&first, "Meets the team on Tuesday at ten");
    change(&second, "Meets the team on Friday at ten");
    assert_eq!(first.hook("stop"), json!({}));
    let message = second.hook("stop")["systemMessage"].as_str().unwrap().to_owned();
    let branch = message.split_whitespace().find(|word| word.starts_with("conflict/")).unwrap().trim_end_matches(':');
    assert!(branch.ends_with("-2026-02-24"), "{message}");
    assert!(
        message.starts_with("memdir: the memory is pushed, but not merged: ") && !message.contains("only this machine"),
        "{message}"
    );
    assert!(there(&all, branch, "facts/user.md").contains("Friday"));
    assert!(there(&all, "main", "facts/user.md").contains("Tuesday"));
    // No markers and no open merge: the session goes on with what it has, and pushes more of it to the same branch.
    assert!(second.facts().contains("Friday") && !second.facts().contains("<<<<"), "{}", second.facts());
    assert_eq!(second.git(&["status", "--porcelain"]), "");
    second.add("Likes rain");
    assert!(second.hook("stop")["systemMessage"].as_str().unwrap().contains(branch));
    assert!(there(&all, branch, "facts/user.md").contains("Likes rain"));
    assert!(second.context().starts_with("memdir: "));
    // A third with another conflict gets a branch of its own.
    let third = Home::set_up(&all, "third");
    third.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    change(&third, "Meets the team on Sunday at ten");
    assert!(third.hook("stop")["systemMessage"].as_str().unwrap().contains(&format!("{branch}-2")));
    assert!(there(&all, &format!("{branch}-2"), "facts/user.md").contains("Sunday"));
    // By hand, a person resolves it.
    second.memdir(&["-g", "sync"]).exit(4);
    second.memdir(&["-g", "resolve", "--both"]).exit(0);
    second.memdir(&["-g", "sync"]).exit(0);
    assert!(there(&all, "main", "facts/user.md").contains("Friday"));
}

#[test]
fn a_remote_that_cannot_be_written_is_reported() {
    let all = world();
    let home = Home::set_up(&all, "home");
    write_program(&all.path().join("remote.git/hooks/pre-receive"), "#!/bin/sh\necho read-only >&2\nexit 1\n");
    home.add("Prefers tabs");
    let message = home.hook("stop")["systemMessage"].as_str().unwrap().to_owned();
    assert!(message.contains("not pushed") && message.contains("rejected the branch"), "{message}");
    // Reading goes on.
    assert!(home.context().contains("Prefers tabs"));
}

#[test]
fn homes_that_stop_at_once_lose_nothing() {
    let all = world();
    let homes: Vec<Home> = (0..3).map(|n| Home::set_up(&all, &format!("home{n}"))).collect();
    for (n, home) in homes.iter().enumerate() {
        home.add(&format!("From machine {n}"));
    }
    let mut hooks: Vec<_> = homes.iter().map(|home| home.start_hook("stop")).collect();
    let answers: Vec<Value> = homes.iter().zip(&mut hooks).map(|(home, child)| home.end_hook(child)).collect();
    let text = there(&all, "main", "facts/user.md");
    for (n, answer) in answers.iter().enumerate() {
        // What is not there was not acknowledged.
        assert!(text.contains(&format!("From machine {n}")) || *answer != json!({}), "{answer} {text}");
        assert!(*answer == json!({}) || answer["systemMessage"].is_string(), "{answer}");
    }
    assert_eq!(answers, vec![json!({}); 3], "20 seconds are enough");
}

#[test]
fn a_memory_that_does_not_follow_the_remote_is_left_alone() {
    let all = world();
    let home = Home::new(&all, "home");
    // The user's own memory: it says what is missing.
    home.memdir(&["-g", "init"]).exit(0);
    home.add("Prefers tabs");
    assert!(home.hook("stop")["systemMessage"].as_str().unwrap().contains("run `memdir sync --setup`"));
    home.memdir(&["-g", "sync", "--home"]).exit(5).stderr_contains("not_own_repository");
    // A project's memory, trusted, a repository of its own with a remote of its own: none of the user's business.
    let project = home.dir.join("work/memory");
    fs_err::create_dir_all(project.join("facts")).unwrap();
    fs_err::write(project.join("facts/a.md"), "- Secret of the project\n").unwrap();
    let elsewhere = all.path().join("elsewhere.git");
    let git = |dir: &Path, words: &[&str]| {
        finished(home.command("git").arg("-C").arg(dir).args(words).output().unwrap()).exit(0)
    };
    git(all.path(), &["init", "--quiet", "--bare", elsewhere.to_str().unwrap()]);
    git(&project, &["init", "--quiet", "."]);
    git(&project, &["remote", "add", "origin", elsewhere.to_str().unwrap()]);
    let file = home.dir.join(".config/memdir/config.yaml");
    let text = fs_err::read_to_string(&file)
        .unwrap()
        .replace("trusted: [", &format!("trusted: [{:?}, ", project.to_str().unwrap()));
    fs_err::write(&file, text).unwrap();
    assert_eq!(home.hook("stop"), json!({}));
    assert!(home.context().contains("Secret of the project"));
    // It names another remote than the user's: a clone cannot choose.
    git(&project, &["config", "memdir.remote", elsewhere.to_str().unwrap()]);
    assert_eq!(home.hook("stop"), json!({}));
    for remote in ["remote.git", "elsewhere.git"] {
        assert_eq!(git(&all.path().join(remote), &["for-each-ref"]).stdout, "", "{remote}");
    }
}

#[test]
fn the_environment_names_a_remote_and_an_unsound_one_is_refused() {
    let all = world();
    let mut home = Home::set_up(&all, "home");
    home.add("Prefers tabs");
    home.env.push(("MEMDIR_REMOTE", String::new()));
    assert_eq!(home.hook("stop"), json!({}));
    assert_eq!(there(&all, "main", "facts/user.md"), "");
    home.env[0].1 = "origin".to_owned();
    assert!(
        home.hook("stop")["systemMessage"]
            .as_str()
            .unwrap()
            .contains("MEMDIR_REMOTE must be a URL or an absolute path")
    );
    home.memdir(&["-g", "sync", "--setup"]).exit(2).stderr_contains("MEMDIR_REMOTE must be");
    home.env[0].1 = home.remote();
    assert_eq!(home.hook("stop"), json!({}));
    assert!(there(&all, "main", "facts/user.md").contains("Prefers tabs"));
    // A program as a remote never runs.
    let ran = all.path().join("ran");
    home.env[0].1 = format!("ext::sh -c touch% {}", ran.display());
    home.memdir(&["-g", "sync", "--setup"]);
    home.hook("stop");
    assert!(!ran.exists());
}

#[test]
fn modes_that_only_read_ask_no_remote() {
    let all = world();
    let mut home = Home::set_up(&all, "home");
    home.add("Prefers tabs");
    home.env.push(("MEMDIR_MODE", "read".to_owned()));
    let message = home.hook("stop")["systemMessage"].as_str().unwrap().to_owned();
    assert!(message.contains("is not pushed") && message.contains("MEMDIR_MODE=read"), "{message}");
    assert_eq!(there(&all, "main", "facts/user.md"), "");
}

#[test]
fn stop_names_what_no_commit_has() {
    let all = world();
    let mut home = Home::set_up(&all, "home");
    home.add("Prefers tabs");
    assert_eq!(home.hook("stop"), json!({}), "nothing is left out");
    let message = |home: &Home| home.hook("stop")["systemMessage"].as_str().unwrap_or_default().to_owned();
    // Ignored by the memory's own file.
    let ignored = home.memory().join(".gitignore");
    let before = fs_err::read_to_string(&ignored).unwrap_or_default();
    fs_err::write(&ignored, format!("{before}facts/secret.md\n")).unwrap();
    home.memdir(&["-g", "add", "secret", "Ignored"]).exit(0);
    let told = message(&home);
    assert!(told.contains("is pushed, but only this machine has facts/secret.md"), "{told}");
    assert!(there(&all, "main", "facts/user.md").contains("Prefers tabs"));
    assert_eq!(there(&all, "main", "facts/secret.md"), "");
    // A folder that is a repository of its own.
    let nested = home.memory().join("facts/nested");
    fs_err::create_dir_all(&nested).unwrap();
    fs_err::write(nested.join("n.md"), "- Nested\n").unwrap();
    home.git(&["init", "--quiet", "facts/nested"]);
    let told = message(&home);
    assert!(told.contains("facts/nested/") && told.contains("facts/secret.md"), "{told}");
    fs_err::remove_dir_all(&nested).unwrap();
    fs_err::remove_file(home.memory().join("facts/secret.md")).unwrap();
    assert_eq!(message(&home), "");
    // A proposal, whose agent read that it is kept.
    fs_err::write(home.memory().join("memdir.yaml"), "version: 2\nagents: {write: propose}\n").unwrap();
    home.memdir(&["-g", "--as", "bot", "add", "user", "Proposed"]).exit(5);
    let told = message(&home);
    assert!(told.contains("only this machine has 1 proposal in inbox/"), "{told}");
    // With nothing to push, a session that only reads says the same.
    home.env.push(("MEMDIR_MODE", "read".to_owned()));
    assert_eq!(message(&home), told);
}

#[test]
fn no_message_has_the_password_or_token_of_a_remote() {
    let all = world();
    let mut home = Home::set_up(&all, "home");
    let url = "https://x-access-token:SECRETPW@127.0.0.1:1/x.git?token=SECRETQ";
    home.git(&["config", "memdir.remote", url]);
    home.git(&["config", "branch.main.remote", url]);
    home.config(url, "");
    home.add("Prefers tabs");
    let start = home.hook("session-start").to_string();
    let stop = home.hook("stop").to_string();
    home.env.push(("MEMDIR_REMOTE", url.to_owned()));
    let [sync, setup] = ["--home", "--setup"].map(|how| {
        let output = home.memdir(&["-g", "sync", how]).exit(8);
        output.stdout + &output.stderr
    });
    for text in [start, stop, sync, setup, home.git(&["log", "--format=%B"])] {
        assert!(!text.contains("SECRET"), "{text}");
    }
    assert!(home.hook("stop").to_string().contains("https://127.0.0.1:1/x.git"), "it says which remote");
}

#[test]
fn setting_up_asks_the_remote_first() {
    let all = world();
    let home = Home::new(&all, "home");
    home.config("/nowhere/at/all.git", "");
    home.memdir(&["-g", "init"]).exit(0);
    home.memdir(&["-g", "sync", "--setup"]).exit(8).stderr_contains("memdir: remote: ");
    assert!(!home.memory().join(".git").exists());
    home.config(&home.remote(), "");
    let done = home.memdir(&["-g", "sync", "--setup"]).exit(0);
    assert!(done.stderr.contains("made the memory a git repository, on the branch main"), "{done:?}");
    assert!(done.stderr.contains("git knows no identity here"), "{done:?}");
    // Again: nothing to do.
    home.memdir(&["-g", "sync", "--setup"]).exit(0);
}

#[test]
fn a_host_that_shows_no_message_gets_it_on_stderr() {
    let all = world();
    let home = Home::set_up(&all, "home");
    let ask = |event: &str| {
        let mut command = home.command(program());
        command.env("MEMDIR_AS", "").args(["hook", event, "--host", "cursor"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = json!({"conversation_id": "s", "workspace_roots": [home.dir.join("work")]}).to_string();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    home.add("Prefers tabs");
    assert_eq!(ask("stop"), ("{}\n".to_owned(), String::new()));
    home.add("Prefers short lines");
    fs_err::rename(all.path().join("remote.git"), all.path().join("gone.git")).unwrap();
    for event in ["stop", "session-end"] {
        let (envelope, message) = ask(event);
        assert!(envelope == "{}\n" && message.contains("not pushed"), "{envelope} {message}");
    }
}

/// Two homes that changed the same bullet; the first has pushed. Both refuse secrets.
fn conflicting(all: &Arc<TempDir>) -> (Home, Home) {
    let first = Home::set_up(all, "first");
    fs_err::write(first.memory().join("memdir.yaml"), "version: 2\nsecrets: refuse\n").unwrap();
    first.add("Meets the team on Monday at ten");
    first.hook("stop");
    let second = Home::set_up(all, "second");
    for (home, day) in [(&first, "Tuesday"), (&second, "Friday")] {
        let text = format!("Meets the team on {day} at ten");
        home.memdir(&["-g", "update", "user", "Meets the team on Monday at ten", &text]).exit(0);
    }
    first.hook("stop");
    (first, second)
}

fn branches(all: &TempDir) -> String {
    let mut command = clean_command("git", all.path());
    command.arg("-C").arg(all.path().join("remote.git")).args(["for-each-ref", "--format=%(refname)"]);
    ProgramOutput::of(&mut command).stdout
}

#[test]
fn a_conflict_of_a_home_that_vanished_is_named_by_the_others_and_merged_there() {
    let all = world();
    let (first, second) = conflicting(&all);
    second.add("Likes rain");
    let message = second.hook("stop")["systemMessage"].as_str().unwrap().to_owned();
    let branch = message.split_whitespace().find(|word| word.starts_with("conflict/")).unwrap().trim_end_matches(':');
    fs_err::remove_dir_all(&second.dir).unwrap();
    let command = format!("git -C {} merge memdir/{branch}`", first.memory().display());
    assert!(!first.memdir(&["-g", "status"]).exit(0).stderr.contains(branch), "not fetched yet");
    first.memdir(&["-g", "sync"]).exit(0).stderr_contains(&command);
    first.memdir(&["-g", "status"]).exit(0).stderr_contains(&command);
    let third = Home::set_up(&all, "third");
    third.memdir(&["-g", "status"]).exit(0).stderr_contains(&format!("the remote's branch {branch} waits"));
    // A name is part of the command: none but memdir's own is proposed.
    let foreign = "conflict/x;touch${IFS}y-2026-11-29";
    third.git(&["commit", "--quiet", "--allow-empty", "-m", "not merged"]);
    third.git(&["push", "--quiet", "origin", &format!("HEAD:refs/heads/{foreign}")]);
    third.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    let local_name = format!("memdir/{branch}");
    let mut merge = first.command("git");
    merge.arg("-C").arg(first.memory()).args(["merge", "--quiet", &local_name]);
    finished(merge.output().unwrap()).exit(1);
    first.memdir(&["-g", "resolve", "--both"]).exit(0);
    let synced = first.memdir(&["-g", "sync"]).exit(0);
    assert!(!synced.stderr.contains("conflict/"), "{synced:?}");
    assert!(branches(&all).contains(&format!("refs/heads/{branch}\n")), "no branch is removed");
    let text = there(&all, "main", "facts/user.md");
    assert!(["Tuesday", "Friday", "Likes rain"].iter().all(|part| text.contains(part)), "{text}");
    for home in [&first, &third] {
        home.memdir(&["-g", "sync"]).exit(0);
        let status = home.memdir(&["-g", "status"]).exit(0);
        assert!(!status.stderr.contains("conflict/"), "{status:?}");
    }
}

/// The copies of such branches are a courtesy.
#[test]
fn a_sync_needs_no_copies_of_conflict_branches() {
    let all = world();
    let home = Home::set_up(&all, "first");
    home.git(&["push", "--quiet", "origin", "HEAD:refs/heads/conflict/vm-2026-11-29"]);
    home.git(&["update-ref", "refs/memdir/conflict", "HEAD"]);
    home.add("Likes rain");
    home.memdir(&["-g", "sync"]).exit(0);
    assert!(there(&all, "main", "facts/user.md").contains("Likes rain"));
}

#[test]
fn fetching_sends_nothing_to_a_conflict_branch_either() {
    let all = world();
    let (_, second) = conflicting(&all);
    let token = "ghp_1234567890abcdefghijklmnopqrstuvwxyzAB";
    second.git(&["commit", "--quiet", "--all", "-m", "own"]);
    fs_err::write(second.memory().join("facts/keys.md"), format!("# Keys\n\n- token: {token}\n")).unwrap();
    second.git(&["add", "--all"]);
    second.git(&["commit", "--quiet", "-m", "by git"]);
    let run = second.memdir(&["-g", "sync", "--home", "--only", "fetch"]).exit(4);
    assert!(run.stderr.contains("this memory and the remote changed the same"), "{run:?}");
    assert!(second.context().contains("this memory and the remote changed the same"));
    second.memdir(&["-g", "sync", "--home"]).exit(5).stderr_contains("memdir: secret: ");
    assert_eq!(branches(&all), "refs/heads/main\n");
    second.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    second.memdir(&["-g", "sync", "--home"]).exit(4);
    assert!(branches(&all).starts_with("refs/heads/conflict/"), "{}", branches(&all));
}

#[test]
fn setting_up_replaces_no_file_that_the_remote_does_not_have() {
    let all = world();
    let first = Home::set_up(&all, "first");
    first.memdir(&["-g", "scope", "add", "web"]).exit(0);
    first.memdir(&["-g", "-S", "web", "add", "user", "Remote text"]).exit(0);
    first.memdir(&["-g", "sync", "--home"]).exit(0);
    let second = Home::new(&all, "second");
    second.memdir(&["-g", "init"]).exit(0);
    second.memdir(&["-g", "scope", "add", "web"]).exit(0);
    second.memdir(&["-g", "-S", "web", "add", "user", "Local text"]).exit(0);
    second.memdir(&["-g", "sync", "--setup"]).exit(0);
    let text = fs_err::read_to_string(second.memory().join("scopes/web/facts/user.md")).unwrap();
    assert!(text.contains("- Local text\n") && text.contains("- Remote text\n"), "{text}");
    // A file that is no text of the memory is not lost either.
    let third = Home::new(&all, "third");
    third.memdir(&["-g", "init"]).exit(0);
    fs_err::write(third.memory().join("notes.txt"), "my own notes\n").unwrap();
    third.memdir(&["-g", "sync", "--setup"]).exit(0);
    assert_eq!(there(&all, "main", "notes.txt"), "my own notes\n");
}
