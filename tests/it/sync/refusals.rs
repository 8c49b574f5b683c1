//! What `sync` refuses: an emptied memory, here or there; a repository that is not the memory's own, or in the middle of
//! something else; a history that is another one.
//!
//! A refusal leaves every file and every commit; its text names the next command.

use crate::support::ProgramOutput;
use crate::support::git_repo::Repo;
use crate::sync::{pair, settle};

#[track_caller]
fn refused(repo: &Repo, status: i32, code: &str, part: &str) -> ProgramOutput {
    let stands = || (repo.git(["rev-parse", "HEAD"]), repo.git(["diff", "--cached"]), repo.git(["stash", "list"]));
    let before = stands();
    let run_output = repo.memdir(["sync"]).exit(status);
    assert!(
        run_output.stderr.contains(&format!("memdir: {code}: ")) && run_output.stderr.contains(part),
        "{run_output:#?}"
    );
    assert_eq!(stands(), before, "nothing was committed, merged or staged");
    run_output
}

/// Two clones in step with four files in two folders.
fn four() -> (Repo, Repo) {
    let (here, there) = pair();
    for path in ["facts/b.md", "procedures/c.md", "procedures/d.md"] {
        here.put(path, format!("# {path}\n\n- {path} says something of its own\n"));
    }
    settle(&here, &there);
    (here, there)
}

fn remove(repo: &Repo, paths: &[&str]) {
    paths.iter().for_each(|path| fs_err::remove_file(repo.memory().join(path)).unwrap());
}

const ALL: [&str; 4] = ["facts/user.md", "facts/b.md", "procedures/c.md", "procedures/d.md"];

#[test]
fn a_missing_memory_is_not_committed() {
    let (here, there) = four();
    remove(&here, &ALL);
    let run_output = refused(&here, 5, "emptied", "4 of 4 files of the memory are gone or empty here");
    assert!(run_output.stderr.contains("git restore") && !run_output.stderr.contains("try: "), "{run_output:#?}");
    here.git(["restore", "."]);
    settle(&here, &there);
    assert_eq!(there.git(["ls-files", "*.md"]).lines().count(), 4);
}

#[test]
fn a_missing_folder_is_committed_only_with_force() {
    let (here, there) = four();
    remove(&here, &ALL[2..]);
    refused(&here, 5, "emptied", "2 of 2 files of procedures/ are gone");
    assert_eq!(here.memdir(["sync", "-n", "--json"]).exit(5).stdout, "");
    here.memdir(["sync", "--force"]).exit(0);
    refused(&there, 5, "emptied", "2 of 2 files of procedures/ were removed or emptied on the other side");
    assert!(there.memory().join(ALL[3]).exists());
    there.memdir(["sync", "--force"]).exit(0);
    settle(&here, &there);
    assert!(!there.memory().join(ALL[3]).exists());
}

#[test]
fn emptied_files_are_no_better_than_vanished_ones() {
    let (here, _) = four();
    ALL[..3].iter().for_each(|path| here.put(path, ""));
    refused(&here, 5, "emptied", "3 of 4 files of the memory are gone or empty here");
}

#[test]
fn a_file_removed_by_memdir_is_removed_on_the_other_side_too() {
    let (here, there) = four();
    for path in &ALL[1..] {
        here.memdir(["rm", path, "-f"]).exit(0);
    }
    settle(&here, &there);
    assert_eq!(there.git(["ls-files", "*.md"]), "facts/user.md\n");
}

#[test]
fn a_file_that_a_person_removed_is_removed_by_sync() {
    let (here, there) = four();
    remove(&here, &ALL[..1]);
    settle(&here, &there);
    assert!(!there.memory().join(ALL[0]).exists());
}

#[test]
fn a_renamed_folder_is_not_lost() {
    let (here, there) = four();
    fs_err::rename(here.memory().join("procedures"), here.memory().join("how")).unwrap();
    here.put("how/c.md", here.text("how/c.md") + "- And a little more\n");
    settle(&here, &there);
    assert!(there.text("how/c.md").contains("a little more") && !there.memory().join(ALL[2]).exists());
}

#[test]
fn a_scope_answers_for_its_own_files() {
    let (here, there) = four();
    for name in ["a", "b"] {
        here.put(&format!("scopes/web/facts/{name}.md"), "# X\n\n- One\n");
    }
    settle(&here, &there);
    let scope = here.memory().join("scopes/web");
    let scope = scope.to_str().unwrap();
    for name in ["facts/a.md", "facts/b.md"] {
        here.memdir_in_work_tree(["--dir", scope, "rm", name, "-f"]).exit(0);
    }
    settle(&here, &there);
    assert!(!there.memory().join("scopes/web/facts/a.md").exists());
    let run_output = here.memdir_in_work_tree(["--dir", scope, "sync"]).exit(5);
    assert!(
        run_output.stderr.contains("memdir: not_own_repository: this memory is a subdirectory (scopes/web/) of"),
        "{run_output:#?}"
    );
}

#[test]
fn a_memory_within_a_repository_is_left_to_git() {
    let repo = Repo::new();
    let run_output = repo.memdir(["sync"]).exit(5);
    assert!(
        run_output
            .stderr
            .contains("memdir: not_own_repository: this memory is a subdirectory (memory/) of the repository")
    );
    assert!(run_output.stderr.contains("hint: use git there"), "{run_output:#?}");
}

#[test]
fn a_memory_outside_a_repository_gets_a_hint_how_to_create_one() {
    let memory = crate::support::Memory::new();
    let ran = memory.run(["sync"]).exit(5);
    ran.stderr_contains("memdir: not_own_repository: this memory is not in a git repository; nothing was changed\nhint: run `git init` in it");
}

#[test]
fn a_missing_git_is_an_error() {
    let memory = crate::support::Memory::new();
    memory.run(["sync"]).env("PATH", "/nonexistent").exit(3).stderr_contains("memdir: no_git: ");
}

#[test]
fn without_a_remote_sync_commits_and_reports_that() {
    let repo = Repo::whole();
    repo.memdir(["add", "user", "Prefers tabs"]).exit(0);
    let run_output = repo.memdir(["sync"]).exit(0);
    assert!(
        run_output.stderr.contains("memdir: no remote is configured; pending changes are committed locally"),
        "{run_output:#?}"
    );
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    let run_output = repo.memdir(["sync", "origin"]).exit(3);
    assert!(
        run_output
            .stderr
            .contains("memdir: no_remote: unknown git remote 'origin'; no remote is configured; nothing was changed")
    );
}

#[test]
fn the_remote_to_use_is_determined() {
    let (here, _) = pair();
    here.git(["remote", "add", "second", "/nonexistent"]);
    here.memdir(["sync"]).exit(0);
    let run_output = here.memdir(["sync", "second"]).exit(8);
    assert!(run_output.stderr.contains("memdir: remote: cannot sync with second: "), "{run_output:#?}");
    here.git(["branch", "--unset-upstream"]);
    here.memdir(["sync"]).exit(0);
    here.git(["remote", "rename", "origin", "first"]);
    let run_output = here.memdir(["sync"]).exit(2);
    assert!(run_output.stderr.contains("there are several remotes (first, second)"), "{run_output:#?}");
    here.memdir(["add", "user", "By its address"]).exit(0);
    here.memdir(["sync", here.root().with_file_name("hub.git").to_str().unwrap()]).exit(0);
}

#[test]
fn a_branch_of_another_name_there_is_followed() {
    let (here, there) = pair();
    here.git(["branch", "--quiet", "-m", "mine"]);
    here.memdir(["add", "user", "Said on mine"]).exit(0);
    let run_output = here.memdir(["sync"]).exit(0);
    assert!(run_output.stdout.ends_with("pushed 1 commit to origin/main\n"), "{run_output:#?}");
    there.memdir(["sync"]).exit(0);
    assert!(there.text("facts/user.md").contains("Said on mine"));
}

#[test]
fn an_unfinished_git_operation_is_refused_first() {
    let (here, there) = pair();
    here.git(["checkout", "--quiet", "--detach"]);
    refused(&here, 5, "unfinished", "no branch is checked out (a detached HEAD)");
    let prefers = |to: &str| there.text("facts/user.md").replace("Prefers tabs", to);
    there.parted("facts/user.md", &prefers("Prefers one"), &prefers("Prefers two"), &prefers("Prefers three"));
    there.try_git(["rebase", "other"]).exit(1);
    refused(&there, 5, "unfinished", "a rebase is in progress");
    there.git(["rebase", "--abort"]);
    there.try_git(["cherry-pick", "other"]).exit(1);
    refused(&there, 5, "unfinished", "a cherry-pick is in progress");
}

#[test]
fn a_repository_of_something_else_is_not_merged_unasked() {
    let program = Repo::whole();
    remove(&program, &["memdir.yaml"]);
    program.hub();
    program.commit("src/main.rs", "fn main() {}\n");
    program.git(["push", "--quiet", "origin", "main"]);
    let other = Repo::whole();
    other.put("facts/user.md", "# User\n\n- Of another beginning\n");
    other.git(["remote", "add", "origin", program.root().with_file_name("hub.git").to_str().unwrap()]);
    let run_output = other.memdir(["sync"]).exit(5);
    assert!(
        run_output.stderr.contains("memdir: unrelated_histories: this memory and origin/main have no commit in common")
    );
    assert!(
        run_output.stderr.contains("git pull --no-rebase --allow-unrelated-histories origin main"),
        "{run_output:#?}"
    );
    assert!(!other.root().join("src").exists());
    other.git(["pull", "--quiet", "--no-rebase", "--no-edit", "--allow-unrelated-histories", "origin", "main"]);
    other.memdir(["sync"]).exit(0);
    assert!(other.text("facts/user.md").contains("Of another beginning"));
}

#[test]
fn a_remote_with_nothing_but_a_readme_is_joined() {
    let host = Repo::whole();
    remove(&host, &["memdir.yaml"]);
    host.hub();
    host.commit("README.md", "# My memory\n");
    host.commit("LICENSE", "All rights reserved\n");
    host.git(["push", "--quiet", "origin", "main"]);
    let other = Repo::whole();
    other.memdir(["add", "user", "Prefers tabs"]).exit(0);
    other.git(["remote", "add", "origin", host.root().with_file_name("hub.git").to_str().unwrap()]);
    let run_output = other.memdir(["sync"]).exit(0);
    let note = "origin/main has no memory yet, only LICENSE, README.md: joined with it";
    assert!(run_output.stderr.contains(note), "{run_output:#?}");
    assert!(other.text("README.md") == "# My memory\n" && other.text("facts/user.md").contains("Prefers tabs"));
    assert_eq!(other.git(["rev-parse", "HEAD"]), other.git(["rev-parse", "origin/main"]));
}

#[test]
fn a_second_machine_that_ran_init_is_joined_with_all_bullets() {
    let (here, there) = pair();
    let other = Repo::whole();
    other.put("facts/user.md", "# User\n\n- Of another beginning\n");
    other.put("facts/more.md", "# More\n\n- One more\n");
    other.git(["remote", "add", "origin", here.root().with_file_name("hub.git").to_str().unwrap()]);
    let run_output = other.memdir(["sync"]).exit(0);
    let note =
        "this memory and origin/main began separately: joined, with all bullets of both (2 files here, 1 file there)";
    assert!(run_output.stderr.contains(note), "{run_output:#?}");
    settle(&here, &there);
    let text = there.text("facts/user.md");
    for bullet in ["Of another beginning", "Standup at ten", "Prefers tabs", "Window seats"] {
        assert_eq!(text.matches(&format!("- {bullet}\n")).count(), 1, "{text}");
    }
    assert_eq!(there.text("facts/more.md"), "# More\n\n- One more\n");
}

#[test]
fn an_empty_repository_takes_what_the_remote_has() {
    let (here, there) = pair();
    let other = Repo::whole();
    remove(&other, &["memdir.yaml"]);
    fs_err::create_dir(other.memory().join("facts")).unwrap();
    other.git(["remote", "add", "origin", here.root().with_file_name("hub.git").to_str().unwrap()]);
    other.memdir(["sync"]).exit(0);
    assert_eq!(other.text("facts/user.md"), here.text("facts/user.md"));
    other.memdir(["add", "user", "From a third one"]).exit(0);
    other.memdir(["sync"]).exit(0);
    settle(&here, &there);
    assert!(there.text("facts/user.md").contains("From a third one"));
}

#[test]
fn a_scope_that_vanishes_is_missed_although_one_of_its_name_was_purged() {
    let (here, there) = pair();
    here.memdir(["scope", "add", "web"]).exit(0);
    here.memdir(["-S", "web", "add", "user", "Of the first scope"]).exit(0);
    settle(&here, &there);
    here.memdir(["scope", "rm", "web", "--purge"]).exit(0);
    settle(&here, &there);
    assert!(!there.memory().join("scopes/web/facts/user.md").exists());
    here.memdir(["scope", "add", "web"]).exit(0);
    for name in ["user", "b", "c", "d"] {
        here.memdir(["-S", "web", "add", &format!("facts/{name}.md"), &format!("Says {name}"), "--create"]).exit(0);
    }
    settle(&here, &there);
    fs_err::rename(here.memory().join("scopes/web"), here.root().with_file_name("away")).unwrap();
    refused(&here, 5, "emptied", "4 of 5 files of the memory are gone");
}

#[test]
fn removals_by_memdir_are_known_to_other_clones_among_any_number_of_operations() {
    let (here, there) = four();
    for n in 0..41 {
        here.memdir(["add", "user", &format!("fact number {n} is about something")]).exit(0);
    }
    for path in &ALL[2..] {
        here.memdir(["rm", path, "-f"]).exit(0);
    }
    here.memdir(["sync"]).exit(0);
    let message = here.git(["log", "-1", "--format=%B"]);
    assert!(message.contains("\nMemdir-Removed: procedures/c.md\nMemdir-Removed: procedures/d.md\n"), "{message}");
    settle(&here, &there);
    assert!(!there.memory().join(ALL[2]).exists());
}

#[test]
fn the_removal_of_a_bullet_explains_no_file_that_vanishes_later() {
    let (here, there) = four();
    for path in ALL {
        here.memdir(["add", path, &format!("Of {path}, for a while")]).exit(0);
    }
    settle(&here, &there);
    for path in ALL {
        here.memdir(["rm", path, &format!("- Of {path}, for a while")]).exit(0);
    }
    here.memdir(["sync"]).exit(0);
    here.git(["rm", "--quiet", "facts/*.md", "procedures/*.md"]);
    here.git(["commit", "--quiet", "-m", "vanished"]);
    here.git(["push", "--quiet", "origin", "main"]);
    refused(&there, 5, "emptied", "4 of 4 files of the memory were removed or emptied on the other side");
}

#[test]
fn commits_of_older_versions_explain_the_files_that_they_remove() {
    for trailer in ["Memdir-Op: r7 rm procedures/c.md\nMemdir-Op: r8 rm procedures/d.md", "Memdir-Op: and 2 more"] {
        let (here, there) = four();
        here.git(["rm", "--quiet", "procedures/c.md", "procedures/d.md"]);
        here.git([
            "commit",
            "--quiet",
            "-m",
            &format!("memory: 2 files changed\n\nprocedures/c.md: gone\n\n{trailer}"),
        ]);
        here.git(["push", "--quiet", "origin", "main"]);
        there.memdir(["sync"]).exit(0);
        assert!(!there.memory().join(ALL[2]).exists(), "{trailer}");
    }
}

#[test]
fn what_a_forced_push_took_out_is_not_pushed_again() {
    let (here, there) = pair();
    let hub = here.root().with_file_name("hub.git");
    here.git(["-C", hub.to_str().unwrap(), "config", "receive.denyNonFastForwards", "false"]);
    here.put("facts/leaked.md", "# Leaked\n\n- The word is hunter2\n");
    settle(&here, &there);
    here.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    here.git(["push", "--quiet", "--force", "origin", "main"]);
    let rewritten = here.git(["ls-remote", "origin", "main"]);
    there.memdir(["add", "user", "Said there"]).exit(0);
    for only in [&["sync"][..], &["sync", "--only", "fetch"], &["sync"]] {
        let run = there.memdir(only).exit(5);
        for part in ["memdir: rewritten: ", "1 commit that it had is still here", "git rebase --onto "] {
            assert!(run.stderr.contains(part), "{part} {run:#?}");
        }
        assert_eq!(here.git(["ls-remote", "origin", "main"]), rewritten);
    }
    // The clone that pushed it goes on, and so does one that follows the hint.
    here.memdir(["sync"]).exit(0);
    let run = there.memdir(["sync"]).exit(5);
    let hint = run.stderr.split('`').find(|part| part.starts_with("git rebase")).unwrap();
    there.git(hint.split(' ').skip(1));
    settle(&there, &here);
    assert!(here.text("facts/user.md").contains("Said there") && !here.memory().join("facts/leaked.md").exists());
    assert!(!here.git(["log", "-p", "main"]).contains("hunter2"));
}

#[test]
fn a_rewritten_history_is_joined_with_force() {
    let (here, there) = pair();
    let hub = here.root().with_file_name("hub.git");
    here.git(["-C", hub.to_str().unwrap(), "config", "receive.denyNonFastForwards", "false"]);
    here.put("facts/more.md", "# More\n\n- Stays\n");
    settle(&here, &there);
    here.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    here.git(["push", "--quiet", "--force", "origin", "main"]);
    there.memdir(["sync"]).exit(5);
    there.memdir(["sync", "--force"]).exit(0);
    settle(&here, &there);
    assert_eq!(here.text("facts/more.md"), "# More\n\n- Stays\n");
}
