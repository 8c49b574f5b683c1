//! `sync` after a kill that left git's lock files: it removes what a killed sync left, and names what it must not touch.
//!
//! Never depends on time: a script replaces git, makes the locks and kills its caller.

use std::process::{Child, Command};

use crate::support::git_repo::Repo;
use crate::sync::network::Beside;
use crate::sync::{pair, settle};

const LOCKS: [&str; 4] =
    ["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/memdir/fetched/0123456789abcdef.lock"];

/// A sync of `here` that is killed with its git, while that git holds all of the locks.
fn killed_with_locks(here: &Repo) {
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let locks = LOCKS.map(|lock| format!(".git/{lock}")).join(" ");
    let script = format!("mkdir -p .git/refs/memdir/fetched; touch {locks}; kill -9 $PPID $$");
    let beside = Beside::new("fetch", "before", 1, &script);
    let output = beside.command(here, &["sync"]).output().unwrap();
    assert_eq!(output.status.code(), None, "{output:?}");
    assert_eq!(remaining(here), LOCKS);
}

fn remaining(here: &Repo) -> Vec<&'static str> {
    LOCKS.into_iter().filter(|lock| here.root().join(".git").join(lock).exists()).collect()
}

/// A program named like a git, running in the repository.
struct OtherGit(Child);

impl OtherGit {
    fn start(repo: &Repo) -> OtherGit {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("git-other");
        fs_err::copy("/bin/sleep", &program).unwrap();
        OtherGit(Command::new(program).arg("600").current_dir(repo.root()).spawn().unwrap())
    }
}

impl Drop for OtherGit {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn the_locks_of_a_killed_sync_are_removed_by_the_next() {
    let (here, there) = pair();
    killed_with_locks(&here);
    let result = here.memdir(["sync"]).exit(0);
    for lock in LOCKS {
        let note = format!("removed git's lock .git/{lock}, left by a sync that was killed\n");
        assert!(result.stderr.contains(&note), "{result:#?}");
    }
    assert_eq!(remaining(&here), [""; 0]);
    settle(&here, &there);
    assert!(there.text("facts/user.md").contains("Said here"));
}

#[test]
fn a_lock_that_a_running_git_may_hold_stays() {
    let (here, there) = pair();
    killed_with_locks(&here);
    let other = OtherGit::start(&here);
    here.memdir(["add", "user#work", "Said again"]).exit(0);
    let result = here.memdir(["sync"]).exit(7);
    let message = format!("another git process is running in this repository ({}); its lock is .git/", other.0.id());
    assert!(result.stderr.contains(&message), "{result:#?}");
    assert_eq!(remaining(&here), LOCKS);
    drop(other);
    here.memdir(["sync"]).exit(0);
    settle(&here, &there);
}

#[test]
fn a_lock_of_unknown_origin_is_named_and_stays() {
    let (here, _) = pair();
    for lock in LOCKS[1..3].iter().map(|lock| format!(".git/{lock}")) {
        here.memdir(["add", "user#work", &format!("Said with {lock}")]).exit(0);
        here.put(&lock, "");
        let result = here.memdir(["sync"]).exit(7);
        assert!(result.stderr.contains(&format!("git's lock {lock} is in the way")), "{result:#?}");
        assert!(result.stderr.contains(&format!("remove it: `rm {lock}`")), "{result:#?}");
        fs_err::remove_file(here.root().join(&lock)).unwrap();
        here.memdir(["sync"]).exit(0);
    }
}

#[test]
fn a_lock_in_the_remote_repository_is_named_and_is_no_lost_race() {
    let (here, _) = pair();
    here.memdir(["add", "user#work", "Said here"]).exit(0);
    let lock = here.root().with_file_name("hub.git").join("refs/heads/main.lock");
    fs_err::write(&lock, "").unwrap();
    let result = here.memdir(["sync"]).exit(7);
    assert!(result.stderr.contains("main.lock' is in the way on origin"), "{result:#?}");
    fs_err::remove_file(lock).unwrap();
    here.memdir(["sync"]).exit(0);
}
