//! `sync` with remotes that are faster, slower, refusing or missing: races, concurrent edits, hooks that refuse.
//!
//! Never waits longer than a test allows, and never reaches another machine. A script replaces git where something
//! must happen just before or after one of its steps.

use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::support::git_repo::Repo;
use crate::support::{NOW, ProgramOutput, write_program};
use crate::sync::{pair, settle};

const FILE: &str = "facts/user.md";

/// Runs a script's text before git does a step (`fetch`, `push`, `merge`), so many times; it gets `$N`, from 1.
pub struct Beside {
    dir: tempfile::TempDir,
}

impl Beside {
    /// A git that runs `script` before (`when` is `before`) or after its step.
    pub fn new(step: &str, when: &str, times: usize, script: &str) -> Beside {
        let dir = tempfile::tempdir().unwrap();
        let real = real_git();
        let text = format!(
            "#!/bin/sh\nhere='{here}'\nhook() {{\n  N=$(($(cat \"$here/n\") + 1))\n  [ $N -le {times} ] || return\n  \
             echo $N > \"$here/n\"\n  ( PATH=${{PATH#*:}}; {script} ) >> \"$here/log\" 2>&1\n}}\ncase \" $* \" in\n*' {step} '*) ;;\n\
             *) exec '{real}' \"$@\" ;;\nesac\n[ {when} = before ] && hook\n'{real}' \"$@\"\ncame=$?\n\
             [ {when} = after ] && hook\nexit $came\n",
            here = dir.path().display(),
            real = real.display(),
        );
        fs_err::write(dir.path().join("n"), "0").unwrap();
        let git = dir.path().join("git");
        write_program(&git, &text);
        Beside { dir }
    }

    /// The command with this git.
    pub fn command(&self, repo: &Repo, args: &[&str]) -> Command {
        let mut command = repo.program(env!("CARGO_BIN_EXE_memdir"), repo.root());
        let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, v)| v).unwrap().to_owned();
        command.env("PATH", format!("{}:{}", self.dir.path().display(), path.to_string_lossy()));
        command.arg("--dir").arg(repo.memory()).args(args);
        command
    }

    /// Runs memdir with this git.
    pub fn memdir(&self, repo: &Repo, args: &[&str]) -> ProgramOutput {
        crate::support::git_repo::finished(self.command(repo, args).output().unwrap())
    }

    /// How often the script ran, and its output.
    pub fn ran(&self) -> (usize, String) {
        let text = |name| fs_err::read_to_string(self.dir.path().join(name)).unwrap_or_default();
        (text("n").trim().parse().unwrap(), text("log"))
    }
}

/// git itself.
pub fn real_git() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|dir| dir.join("git")).find(|git| git.exists()).unwrap()
}

/// A shell's words for a change in another clone that is synced at once.
fn elsewhere(there: &Repo) -> String {
    format!("memdir -C '{0}' add user#travel \"Said there $N\" && memdir -C '{0}' sync", there.memory().display())
}

#[test]
fn a_lost_race_is_retried() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let beside = Beside::new("push", "before", 2, &elsewhere(&there));
    let result = beside.memdir(&here, &["sync"]).exit(0);
    assert_eq!(beside.ran().0, 2, "{:?}", beside.ran());
    assert!(
        result.stdout.contains("merged 2 commits from origin/main") && result.stdout.contains("pushed 3 commits"),
        "{result:#?}"
    );
    settle(&here, &there);
    let text = there.text(FILE);
    for run_output in ["Said here", "Said there 1", "Said there 2"] {
        assert_eq!(text.matches(run_output).count(), 1, "{text}");
    }
}

#[test]
fn a_sync_that_always_loses_the_race_ends_with_try_later() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let beside = Beside::new("push", "before", 999, &git_push(&there));
    let result = beside.memdir(&here, &["sync", "--json", "--timeout", "5"]).exit(7);
    let error: serde_json::Value = serde_json::from_str(&result.stderr).unwrap();
    assert_eq!((&error["code"], &error["retryable"], &error["changed"]), (&"busy".into(), &true.into(), &true.into()));
    // From the third on, each is followed by one that joins the queue of clones, which the other one
    // ignores; the last one leaves it.
    let (pushes, message) = (beside.ran().0, error["message"].as_str().unwrap());
    let lost = pushes.div_ceil(2);
    assert!(lost > 2 && message.starts_with(&format!("origin/main changed {lost} times")), "{pushes} {message}");
    settle(&here, &there);
    assert!(there.text(FILE).contains("Said here"));
}

/// A shell's words for a push of another clone by git, which knows no queue.
fn git_push(there: &Repo) -> String {
    let dir = there.memory().display();
    format!("git -C '{dir}' commit --quiet --allow-empty -m $N && git -C '{dir}' push --quiet origin HEAD:main")
}

/// The queue entry of another clone on the hub, whose sync began some seconds before [`NOW`].
fn other_entry(here: &Repo, seconds: i64) -> (PathBuf, String) {
    let branch: String = Sha256::digest("main")[..8].iter().map(|b| format!("{b:02x}")).collect();
    let began = NOW.parse::<jiff::Timestamp>().unwrap().as_second() - seconds;
    let (hub, entry) =
        (here.root().with_file_name("hub.git"), format!("refs/memdir/waiting/{branch}/0000000000-{began:012}-0"));
    here.git(["-C", hub.to_str().unwrap(), "update-ref", &entry, "refs/heads/main"]);
    (hub, entry)
}

fn queue_entries(here: &Repo) -> String {
    let hub = here.root().with_file_name("hub.git");
    here.git(["-C", hub.to_str().unwrap(), "for-each-ref", "--format=%(refname)", "refs/memdir"])
}

#[test]
fn a_clone_lets_those_first_that_wait_longer() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let (hub, entry) = other_entry(&here, 5);
    // The other one pushes and leaves the queue before this one looks for the third time.
    let script =
        format!("[ $N != 3 ] || {{ {}; git -C '{}' update-ref -d {entry}; }}", git_push(&there), hub.display());
    let beside = Beside::new("fetch", "before", 99, &script);
    let result = beside.memdir(&here, &["sync", "--json"]).exit(0);
    assert_eq!(beside.ran().0, 3, "{:?}", beside.ran());
    assert!(result.json()["lost_races"].is_null() && result.json()["merged"]["commits"] == 1, "{result:#?}");
    assert_eq!(queue_entries(&here), "", "nobody waits any more");
    settle(&here, &there);
}

#[test]
fn a_forgotten_entry_delays_nobody() {
    let (here, _) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let (_, entry) = other_entry(&here, 16 * 60);
    let beside = Beside::new("fetch", "before", 99, ":");
    beside.memdir(&here, &["sync"]).exit(0);
    assert_eq!((beside.ran().0, queue_entries(&here).trim()), (1, entry.as_str()));
}

#[test]
fn a_clone_that_lost_three_races_joins_the_queue_and_leaves_it() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let hub = here.root().with_file_name("hub.git");
    let script = format!(
        "[ $N -gt 3 ] || {{ {}; }}; echo $N; git -C '{}' for-each-ref --format='%(refname)' refs/memdir",
        git_push(&there),
        hub.display()
    );
    let beside = Beside::new("push", "before", 99, &script);
    let result = beside.memdir(&here, &["sync", "--json"]).exit(0);
    assert_eq!(result.json()["lost_races"], 3, "{result:#?}");
    // Three lost pushes, the one that joins the queue, and the one that wins and leaves it.
    let (pushes, log) = beside.ran();
    let seen: Vec<bool> = log.lines().map(|line| line.starts_with("refs/memdir/waiting/")).collect();
    assert_eq!((pushes, &seen[..]), (5, &[false, false, false, false, false, true][..]), "{log}");
    assert_eq!(queue_entries(&here), "");
}

#[test]
fn a_push_that_loses_with_an_entry_adds_the_same_one_again() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let hub = here.root().with_file_name("hub.git");
    // The fourth push adds the entry, the fifth loses in spite of it, the sixth adds it again.
    let script = format!(
        "case $N in 1|2|3|5) {} ;; esac; git -C '{}' for-each-ref --format='%(refname)' refs/memdir",
        git_push(&there),
        hub.display()
    );
    let beside = Beside::new("push", "before", 99, &script);
    let result = beside.memdir(&here, &["sync", "--json"]).exit(0);
    assert_eq!(result.json()["lost_races"], 4, "{result:#?}");
    let (pushes, log) = beside.ran();
    let seen: Vec<&str> = log.lines().filter(|line| line.starts_with("refs/memdir/waiting/")).collect();
    assert!(pushes == 7 && seen.len() == 2 && seen[0] == seen[1], "{pushes} {log}");
    assert_eq!(queue_entries(&here), "");
}

#[test]
fn a_remote_that_keeps_the_entry_still_takes_the_branch() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let hook = here.root().with_file_name("hub.git").join("hooks/update");
    executable(&hook, "#!/bin/sh\n[ ${1%/*/*} != refs/memdir/waiting ] || [ $3 != ${3#*[1-9a-f]} ]\n");
    let script = format!("[ $N -gt 3 ] || {{ {}; }}", git_push(&there));
    let beside = Beside::new("push", "before", 99, &script);
    let result = beside.memdir(&here, &["sync", "--json"]).exit(0);
    assert!(result.json()["pushed"].as_u64() > Some(0), "{result:#?}");
    assert_eq!((beside.ran().0, queue_entries(&here).lines().count()), (5, 1));
    settle(&here, &there);
}

#[test]
fn a_clone_behind_several_asks_for_the_queue_only() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let (hub, first) = other_entry(&here, 5);
    let (_, second) = other_entry(&here, 4);
    // Both others leave before this one asks for the second time.
    let script = format!(
        "[ $N != 2 ] || {{ {}; for entry in {first} {second}; do git -C '{}' update-ref -d $entry; done; }}",
        git_push(&there),
        hub.display()
    );
    let asked = Beside::new("ls-remote", "before", 99, &script);
    asked.memdir(&here, &["sync", "--json"]).exit(0);
    assert_eq!((asked.ran().0, queue_entries(&here).as_str()), (2, ""), "{:?}", asked.ran());
    settle(&here, &there);
}

/// Before the first `failing` pushes, the hub cannot store the new objects: files stand where their directories belong.
fn with_a_hub_that_cannot_store(here: &Repo, failing: usize) -> Beside {
    let hub = here.root().with_file_name("hub.git");
    let script = format!(
        "find '{hub}/objects' -maxdepth 1 -type f -delete; [ $N -gt {failing} ] || \
         for object in $(git -C '{here}' rev-list --objects --no-object-names origin/main..HEAD); do \
         dir='{hub}/objects/'$(echo $object | cut -c1-2); [ -e $dir ] || : >$dir; done",
        hub = hub.display(),
        here = here.root().display()
    );
    Beside::new("push", "before", 99, &script)
}

#[test]
fn a_push_that_the_remote_could_not_store_is_retried() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let beside = with_a_hub_that_cannot_store(&here, 3);
    beside.memdir(&here, &["sync"]).exit(0);
    assert_eq!(beside.ran().0, 4, "{:?}", beside.ran());
    settle(&here, &there);
    assert!(there.text(FILE).contains("Said here"));
}

#[test]
fn a_remote_that_can_never_store_is_reported_after_five_pushes() {
    let (here, _) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let beside = with_a_hub_that_cannot_store(&here, 99);
    let result = beside.memdir(&here, &["sync"]).exit(5);
    assert!(result.stderr.contains("(unable to migrate objects to permanent storage)"), "{result:#?}");
    assert_eq!(beside.ran().0, 5);
}

#[test]
fn changes_during_the_fetch_are_committed_and_merged() {
    let (here, there) = pair();
    there.memdir(["add", "user#travel", "Said there"]).exit(0);
    there.memdir(["sync"]).exit(0);
    let file = here.memory().join(FILE);
    let script = format!(
        "sed -i 's/Prefers tabs/Prefers spaces/' '{}' && memdir -C '{}' add user#work 'By an agent'",
        file.display(),
        here.memory().display()
    );
    let beside = Beside::new("fetch", "after", 1, &script);
    beside.memdir(&here, &["sync"]).exit(0);
    assert_eq!(beside.ran().0, 1);
    settle(&here, &there);
    let text = there.text(FILE);
    for run_output in ["Said there", "By an agent", "Prefers spaces"] {
        assert_eq!(text.matches(run_output).count(), 1, "{run_output} {text}");
    }
}

#[test]
fn an_editor_that_saves_before_git_merges_is_not_overwritten() {
    let (here, there) = pair();
    there.memdir(["add", "user#travel", "Said there"]).exit(0);
    there.memdir(["sync"]).exit(0);
    let script = format!("sed -i 's/Prefers tabs/Prefers spaces/' '{}'", here.memory().join(FILE).display());
    let beside = Beside::new("merge", "before", 1, &script);
    beside.memdir(&here, &["sync"]).exit(0);
    assert_eq!(beside.ran().0, 1);
    settle(&here, &there);
    let text = there.text(FILE);
    assert!(text.contains("Prefers spaces") && text.contains("Said there"), "{text}");
}

#[test]
fn another_running_git_is_retried_by_the_caller() {
    let (here, _) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    here.put(".git/index.lock", "");
    let result = here.memdir(["sync"]).exit(7);
    let message = "memdir: busy: git's lock .git/index.lock is in the way, and no git is running in this repository";
    assert!(result.stderr.contains(message) && result.stderr.contains("`rm .git/index.lock`"), "{result:#?}");
    fs_err::remove_file(here.root().join(".git/index.lock")).unwrap();
    here.memdir(["sync"]).exit(0);
}

#[test]
fn syncs_of_one_clone_at_the_same_time_do_no_harm() {
    let (here, there) = pair();
    there.memdir(["add", "user#travel", "Said there"]).exit(0);
    there.memdir(["sync"]).exit(0);
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let command = || {
        let mut command = here.program(env!("CARGO_BIN_EXE_memdir"), here.root());
        command.arg("--dir").arg(here.memory()).arg("sync");
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    for child in [command(), command(), command()] {
        let result = crate::support::git_repo::finished(child.wait_with_output().unwrap());
        assert!(matches!(result.status, 0 | 7), "{result:#?}");
    }
    settle(&here, &there);
    let text = there.text(FILE);
    assert!(text.matches("Said there").count() == 1 && text.matches("Said here").count() == 1, "{text}");
}

#[test]
fn the_lock_is_free_while_git_talks_to_the_remote() {
    let (here, _) = pair();
    for step in ["fetch", "push"] {
        here.memdir(["add", "user#work", &format!("Said before {step}")]).exit(0);
        let script =
            format!("memdir -C '{}' add user#work \"During {step}\" --lock-timeout 0", here.memory().display());
        let beside = Beside::new(step, "before", 1, &script);
        beside.memdir(&here, &["sync"]).exit(0);
        let ran = beside.ran();
        assert!(ran.0 == 1 && !ran.1.contains("busy"), "{ran:?}");
    }
}

#[test]
fn a_remote_that_is_not_there_leaves_the_commit_for_the_next_sync() {
    let (here, there) = pair();
    let hub = here.root().with_file_name("hub.git");
    fs_err::rename(&hub, hub.with_extension("away")).unwrap();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let result = here.memdir(["sync"]).exit(8);
    assert!(result.stderr.starts_with("memdir: remote: cannot sync with origin: "), "{result:#?}");
    assert!(result.stderr.contains("and the next sync pushes them\ntry: memdir --dir "), "{result:#?}");
    assert_eq!(here.git(["status", "--porcelain"]), "");
    fs_err::rename(hub.with_extension("away"), &hub).unwrap();
    settle(&here, &there);
    assert!(there.text(FILE).contains("Said here"));
}

#[test]
fn a_remote_that_never_answers_is_not_waited_for() {
    let (here, _) = pair();
    here.git(["remote", "set-url", "origin", "ssh://nowhere.invalid/memory"]);
    here.git(["config", "core.sshCommand", "exec sleep 60;"]);
    let result = here.memdir(["sync", "--timeout", "0.2"]).exit(8);
    assert!(result.stderr.contains("memdir: remote: origin did not answer within 0 s"), "{result:#?}");
    assert!(!here.root().join(".git/index.lock").exists());
}

#[test]
fn a_refusing_remote_is_reported_and_not_retried() {
    let (here, _) = pair();
    let hook = here.root().with_file_name("hub.git").join("hooks/pre-receive");
    executable(&hook, "#!/bin/sh\necho run >> ran\necho 'memory is frozen' >&2\nexit 1\n");
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let result = here.memdir(["sync"]).exit(5);
    let run_output = "memdir: remote_refused: origin rejected the branch: [remote rejected] (pre-receive hook declined) memory is frozen";
    assert!(result.stderr.starts_with(run_output), "{result:#?}");
    assert_eq!(fs_err::read_to_string(here.root().with_file_name("hub.git").join("ran")).unwrap(), "run\n");
}

#[test]
fn a_refusing_hook_is_reported() {
    let (here, _) = pair();
    executable(&here.root().join(".git/hooks/pre-commit"), "#!/bin/sh\necho 'notes: too long' >&2\nexit 1\n");
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let result = here.memdir(["sync"]).exit(1);
    assert!(result.stderr.starts_with("memdir: git: git commit failed: notes: too long; nothing was changed\nhint: "));
}

#[test]
fn a_commit_needs_a_git_identity() {
    let (here, _) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    here.git(["config", "user.useConfigOnly", "true"]);
    let mut command = here.program(env!("CARGO_BIN_EXE_memdir"), here.root());
    for who in ["AUTHOR", "COMMITTER"] {
        command.env_remove(format!("GIT_{who}_NAME")).env_remove(format!("GIT_{who}_EMAIL"));
    }
    let result =
        crate::support::git_repo::finished(command.arg("--dir").arg(here.memory()).arg("sync").output().unwrap())
            .exit(1);
    assert!(result.stderr.contains("hint: set your git identity: `git config user.name NAME`"), "{result:#?}");
    here.git(["config", "user.name", "Somebody Else"]);
    here.git(["config", "user.email", "else@localhost"]);
    let mut command = here.program(env!("CARGO_BIN_EXE_memdir"), here.root());
    for who in ["AUTHOR", "COMMITTER"] {
        command.env_remove(format!("GIT_{who}_NAME")).env_remove(format!("GIT_{who}_EMAIL"));
    }
    crate::support::git_repo::finished(command.arg("--dir").arg(here.memory()).arg("sync").output().unwrap()).exit(0);
    assert_eq!(here.git(["log", "-1", "--format=%an <%ae>"]), "Somebody Else <else@localhost>\n");
}

#[test]
fn settings_that_change_how_git_merges_do_not_change_a_sync() {
    let (here, there) = pair();
    for (key, value) in [("merge.ff", "only"), ("branch.main.mergeOptions", "--squash"), ("pull.rebase", "true")] {
        there.git(["config", key, value]);
    }
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    there.memdir(["add", "user#travel", "Said there"]).exit(0);
    here.memdir(["sync"]).exit(0);
    there.memdir(["sync"]).exit(0);
    settle(&here, &there);
    assert!(here.text(FILE).contains("Said there") && here.text(FILE).contains("Said here"));
}

fn executable(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    write_program(path, text);
}

#[test]
fn the_reason_for_which_git_refuses_a_merge_is_given_beside_a_repository_in_the_memory() {
    let (here, there) = pair();
    there.memdir(["add", "user#travel", "Said there"]).exit(0);
    there.memdir(["sync"]).exit(0);
    here.git(["config", "merge.verifySignatures", "true"]);
    here.git(["init", "--quiet", "facts/sub"]);
    here.put("facts/sub/z.md", "- z\n");
    let run = here.memdir(["sync"]).exit(1);
    assert!(run.stderr.contains("git did not merge: ") && run.stderr.contains("signature"), "{run:#?}");
}
