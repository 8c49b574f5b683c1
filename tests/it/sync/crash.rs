//! `sync` killed before and after each git command that it runs: the next one continues, nothing is lost or doubled.
//!
//! A sample of the steps in every run, all of them with `MEMDIR_FULL`. A script replaces git and kills
//! the memdir that called it.

use crate::support::git_repo::{Repo, finished};
use crate::support::memory::full;
use crate::support::write_program;
use crate::sync::network::real_git;
use crate::sync::pair;

const FILE: &str = "facts/user.md";

/// A git that counts its calls and kills its caller at one of them.
struct Killer {
    dir: tempfile::TempDir,
}

impl Killer {
    fn new() -> Killer {
        let dir = tempfile::tempdir().unwrap();
        let (here, real) = (dir.path().display(), real_git());
        let text = format!(
            "#!/bin/sh\nn=$(($(cat '{here}/n') + 1))\necho $n > '{here}/n'\nat=$(cat '{here}/at')\n\
             [ \"$at\" = \"before $n\" ] && {{ kill -9 $PPID; exit 1; }}\n'{real}' \"$@\"\ncame=$?\n\
             [ \"$at\" = \"after $n\" ] && kill -9 $PPID\nexit $came\n",
            real = real.display()
        );
        let git = dir.path().join("git");
        write_program(&git, &text);
        Killer { dir }
    }

    /// Runs a sync that is killed there; returns how many calls there were, and whether it was killed.
    fn sync(&self, repo: &Repo, at: &str) -> (usize, bool) {
        fs_err::write(self.dir.path().join("n"), "0").unwrap();
        fs_err::write(self.dir.path().join("at"), at).unwrap();
        let mut command = repo.program(env!("CARGO_BIN_EXE_memdir"), repo.root());
        let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, v)| v).unwrap().to_owned();
        command.env("PATH", format!("{}:{}", self.dir.path().display(), path.to_string_lossy()));
        let output = command.arg("--dir").arg(repo.memory()).arg("sync").output().unwrap();
        let killed = output.status.code().is_none();
        if !killed {
            finished(output).exit(0);
        }
        let calls = fs_err::read_to_string(self.dir.path().join("n")).unwrap();
        (calls.trim().parse().unwrap(), killed)
    }
}

/// Both clones add something new; the other one has synced.
fn parted(here: &Repo, there: &Repo, round: usize) {
    there.memdir(["add", "user#travel", &format!("Said there in round {round}")]).exit(0);
    there.put(&format!("facts/of-{round}.md"), format!("# Of {round}\n\n- A file of round {round}\n"));
    there.memdir(["sync"]).exit(0);
    here.memdir(["add", "user#work", &format!("Said here in round {round}")]).exit(0);
    let before = if round == 0 { "Prefers tabs".to_owned() } else { format!("Prefers what round {} had", round - 1) };
    here.memdir(["update", "user", &before, &format!("Prefers what round {round} had")]).exit(0);
}

/// Every text added up to this round occurs once, in both.
fn check(here: &Repo, there: &Repo, round: usize, at: &str) {
    here.memdir(["sync"]).exit(0);
    there.memdir(["sync"]).exit(0);
    here.memdir(["sync"]).exit(0);
    for repo in [here, there] {
        assert_eq!(repo.git(["status", "--porcelain"]), "", "{at}");
    }
    assert_eq!(here.git(["rev-parse", "HEAD^{tree}"]), there.git(["rev-parse", "HEAD^{tree}"]), "{at}");
    let text = here.text(FILE);
    for run_output in (0..=round).flat_map(|n| ["there", "here"].map(|who| format!("Said {who} in round {n}\n"))) {
        assert_eq!(text.matches(&run_output).count(), 1, "{at}: {run_output}{text}");
    }
    assert_eq!(text.matches("- Prefers what round").count(), 1, "{at}: {text}");
    assert!(text.contains(&format!("- Prefers what round {round} had\n")), "{at}: {text}");
    assert_eq!(here.text(&format!("facts/of-{round}.md")).lines().count(), 3, "{at}");
    let litter = fs_err::read_dir(here.root().join(".git")).unwrap().map(|e| e.unwrap().file_name());
    let litter: Vec<_> =
        litter.filter(|n| n.to_string_lossy().contains("lock") || n.to_string_lossy().contains("memdir")).collect();
    assert!(litter.is_empty(), "{at}: {litter:?}");
    let status = here.memdir(["status", "--json"]).exit(0).json();
    assert_eq!(status["dropped"].to_string(), "[]", "{at}: {status:#}");
}

#[test]
fn a_sync_that_is_killed_anywhere_is_taken_up_by_the_next() {
    let (here, there) = pair();
    let killer = Killer::new();
    parted(&here, &there, 0);
    let (calls, killed) = killer.sync(&here, "never");
    assert!(calls > 20 && !killed, "{calls}");
    check(&here, &there, 0, "never");
    let every = if full() { 1 } else { 11 };
    for (round, n) in (1..=2 * calls).step_by(every).enumerate() {
        let at = format!("{} {}", ["before", "after"][n % 2], n.div_ceil(2));
        parted(&here, &there, round + 1);
        let (made, killed) = killer.sync(&here, &at);
        // A sync may need a few calls less than the first one; then there is no such call.
        assert!(killed || made < n.div_ceil(2), "{at} of {made}");
        check(&here, &there, round + 1, &at);
    }
}
