//! The recipes of `fixtures/ci/` work: they are run unchanged against a bare repository on this disk.
//!
//! Reaches no network and installs nothing.

use std::path::Path;

use crate::support::git_repo::Repo;
use crate::support::{ProgramOutput, write_program};

const BASE: &str = "# User\n\n## Work\n\n- Standup at ten\n\n## Travel\n\n- Window seats\n";
const FILE: &str = "facts/user.md";

fn fixture(name: &str) -> String {
    fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ci").join(name)).unwrap()
}

/// The workflow, and the one script in it that is ours.
fn workflow() -> (serde_yaml::Value, String) {
    let yaml: serde_yaml::Value = serde_yaml::from_str(&fixture("github-merge-memory.yml")).unwrap();
    let steps = yaml["jobs"]["merge"]["steps"].as_sequence().unwrap().clone();
    let own = steps.iter().find(|step| step["name"] == "Merge").unwrap();
    (yaml.clone(), own["run"].as_str().unwrap().to_owned())
}

/// A bare repository with `main` and `memory`, as pushed by others, and a clone of it as CI makes one.
struct Host {
    person: Repo,
    runner: Repo,
}

fn host(main: &str, memory: &str) -> Host {
    let person = Repo::new();
    person.commit(FILE, BASE);
    person.git(["init", "--quiet", "--bare", "../host.git"]);
    person.git(["-C", "../host.git", "symbolic-ref", "HEAD", "refs/heads/main"]);
    person.git(["remote", "add", "origin", "../host.git"]);
    person.git(["checkout", "--quiet", "-b", "memory"]);
    person.commit(FILE, memory);
    person.git(["checkout", "--quiet", "main"]);
    person.commit(FILE, main);
    person.git(["push", "--quiet", "origin", "main", "memory"]);
    let runner = person.clone_to("runner");
    runner.git(["remote", "set-url", "origin", "../host.git"]);
    Host { person, runner }
}

impl Host {
    /// Runs the script as the workflow does.
    fn run(&self, env: &[(&str, &str)]) -> ProgramOutput {
        let mut command = self.runner.program("bash", self.runner.root());
        command.envs(env.iter().copied()).arg("-c").arg(workflow().1);
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        ProgramOutput {
            status: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    fn tip(&self) -> String {
        self.person.git(["-C", "../host.git", "rev-parse", "refs/heads/memory"]).trim().to_owned()
    }

    fn text(&self) -> String {
        self.person.git(["-C", "../host.git", "show", "memory:memory/facts/user.md"])
    }
}

fn with(line: &str) -> String {
    BASE.replace("- Standup at ten\n", &format!("- Standup at ten\n{line}\n"))
}

#[test]
fn the_workflow_and_the_snippet_are_one_script() {
    let (yaml, script) = workflow();
    let snippet = fixture("merge-memory.sh");
    assert_eq!(snippet.split_once('\n').unwrap(), ("#!/usr/bin/env bash", script.as_str()));
    assert!(!script.contains("--force") && !script.contains("push -f") && !script.contains("\"+HEAD"));
    assert!(yaml["jobs"]["merge"]["timeout-minutes"].as_u64().is_some_and(|m| m <= 30));
    assert!(!script.contains("${{"), "what others can name never becomes a part of the script");
}

#[test]
fn the_base_branch_is_merged_into_the_memory_branch_and_pushed() {
    let host = host(&with("- Likes dark mode"), &with("- Speaks Dutch"));
    let before = host.tip();
    let run_output = host.run(&[]).exit(0);
    assert_eq!(run_output.stdout, "+1 bullet in facts/user.md\n");
    let text = host.text();
    assert!(
        text.contains("- Likes dark mode\n") && text.contains("- Speaks Dutch\n") && !text.contains("<<<"),
        "{text}"
    );
    host.person.git(["-C", "../host.git", "merge-base", "--is-ancestor", &before, "memory"]);
    let tip = host.tip();
    assert_eq!(host.run(&[]).exit(0).stdout, "memory holds all of main\n");
    assert_eq!(host.tip(), tip);
    assert_eq!(host.runner.git(["status", "--porcelain"]), "");
}

#[test]
fn a_true_conflict_is_named_and_nothing_is_pushed() {
    let host = host(&BASE.replace("at ten", "at nine"), &BASE.replace("at ten", "at noon"));
    let before = host.tip();
    let run_output = host.run(&[]).exit(1);
    assert!(run_output.stderr.contains("memory/facts/user.md\n"), "{run_output:#?}");
    assert!(
        run_output.stderr.contains("Standup at nine") && run_output.stderr.contains("Standup at noon"),
        "{run_output:#?}"
    );
    assert_eq!(host.tip(), before);
    assert_eq!(host.runner.git(["status", "--porcelain"]), "");
}

#[test]
fn a_lost_race_is_retried_a_limited_number_of_times() {
    let host = host(&with("- Likes dark mode"), &with("- Speaks Dutch"));
    host.person.git(["checkout", "--quiet", "memory"]);
    host.person.commit("facts/other.md", "# Other\n\n- Faster\n");
    let hook = host.runner.root().join(".git/hooks/pre-push");
    fs_err::create_dir_all(hook.parent().unwrap()).unwrap();
    let person = host.person.root().display();
    let push = format!("git -C '{person}' push --quiet origin memory");
    write_program(&hook, &format!("#!/bin/sh\nunset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX\n{push}\n"));
    let run_output = host.run(&[]).exit(0);
    assert!(run_output.stderr.contains("somebody else pushed to memory first (try 1 of 5)"), "{run_output:#?}");
    assert!(host.text().contains("- Likes dark mode\n"));
    host.person.git(["-C", "../host.git", "show", "memory:memory/facts/other.md"]);
    host.person.git(["checkout", "--quiet", "main"]);
    host.person.commit("facts/more.md", "# More\n\n- One\n");
    host.person.git(["push", "--quiet", "origin", "main"]);
    fs_err::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    let run_output = host.run(&[("TRIES", "2")]).exit(1);
    assert_eq!(run_output.stderr.matches("somebody else pushed").count(), 2, "{run_output:#?}");
}

#[test]
fn a_missing_branch_is_nothing_to_do() {
    let host = host(BASE, BASE);
    assert_eq!(host.run(&[("BRANCH", "none")]).exit(0).stdout, "none does not exist; nothing to merge\n");
}

/// The step of the workflow that comments, with a `gh` that notes its arguments and answers with `answer` when it is asked
/// for the comments.
fn comment(answer: &str, changed: &str) -> (i32, String) {
    let repo = Repo::new();
    let yaml: serde_yaml::Value = serde_yaml::from_str(&fixture("github-comment-memory.yml")).unwrap();
    let steps = yaml["jobs"]["comment"]["steps"].as_sequence().unwrap().clone();
    let script = steps.iter().find(|step| step["name"] == "Comment").unwrap()["run"].as_str().unwrap().to_owned();
    assert!(!script.contains("${{"), "a branch's name would be run as a part of the text");
    let dir = repo.root().with_file_name("bin");
    fs_err::create_dir_all(&dir).unwrap();
    let gh = dir.join("gh");
    let log = dir.join("log");
    let text = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >> '{}'\ncase \"$*\" in *--jq*) printf '%s' '{answer}' ;; esac\n",
        log.display()
    );
    write_program(&gh, &text);
    let mut command = repo.program("bash", repo.root());
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap_or_default());
    command.env("PATH", path).args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script]);
    command.env("REPOSITORY", "me/app").env("NUMBER", "7").env("CHANGED", changed).env("FILE", "/tmp/c.md");
    let output = command.output().unwrap();
    (output.status.code().unwrap(), fs_err::read_to_string(&log).unwrap_or_default())
}

#[test]
fn a_pull_request_gets_one_comment_that_is_kept_up_to_date() {
    let (status, calls) = comment("", "true");
    assert_eq!(status, 0);
    assert!(calls.contains("--method POST repos/me/app/issues/7/comments --field body=@/tmp/c.md"), "{calls}");
    for changed in ["true", "false"] {
        let (status, calls) = comment("4711\n", changed);
        assert_eq!(status, 0);
        assert!(calls.contains("--method PATCH repos/me/app/issues/comments/4711 --field body=@/tmp/c.md"), "{calls}");
        assert!(!calls.contains("POST"), "{calls}");
    }
    let (status, calls) = comment("", "false");
    assert!(status == 0 && !calls.contains("POST") && !calls.contains("PATCH"), "{calls}");
}
