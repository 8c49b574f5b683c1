//! `setup git` configures a clone, leaves everything else byte for byte, and can be removed; `status` and `init` report
//! whether a clone is configured.
//!
//! Never merges anything: that the driver it wires works is looked at where git merges.

use crate::support::git_repo::Repo;
use fs_err as fs;

fn config(repo: &Repo) -> String {
    fs::read_to_string(repo.root().join(".git/config")).unwrap()
}

#[test]
fn setup_configures_a_clone_once_and_lists_its_changes() {
    let repo = Repo::new();
    repo.memdir(["setup", "git", "--check"]).exit(6);
    let result = repo.memdir(["setup", "git"]).exit(0);
    assert!(result.stdout.contains("memory/.gitattributes\n+ # memdir begin\n+ *.md merge=memdir diff=markdown\n"));
    assert!(result.stdout.contains("\ngit config\n+ merge.memdir.name=memdir: bullet by bullet\n"), "{result:#?}");
    assert_eq!(repo.text(".gitattributes"), "# memdir begin\n*.md merge=memdir diff=markdown\n# memdir end\n");
    assert_eq!(repo.text(".gitignore"), "# memdir begin\n/inbox/\n# memdir end\n");
    let before = (config(&repo), repo.text(".gitattributes"));
    let again = repo.memdir(["setup", "git"]).exit(0);
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("", "memdir: git merges by bullet here\n"));
    assert_eq!((config(&repo), repo.text(".gitattributes")), before);
    repo.memdir(["setup", "git", "--check"]).exit(0);
    let attributes = repo.git(["check-attr", "merge", "diff", "--", "memory/facts/a.md"]);
    assert_eq!(attributes, "memory/facts/a.md: merge: memdir\nmemory/facts/a.md: diff: markdown\n");
}

#[test]
fn files_that_init_ignores_already_are_not_listed_twice() {
    let repo = Repo::new();
    repo.put(".gitignore", "/inbox/\n/.memdir/\n");
    repo.memdir(["setup", "git"]).exit(0);
    assert_eq!(repo.text(".gitignore"), "/inbox/\n/.memdir/\n");
}

#[test]
fn removing_leaves_every_other_byte() {
    for own in [None, Some(""), Some("*.png binary\r\n"), Some("*.png binary"), Some("*.md merge=union\n")] {
        let repo = Repo::new();
        repo.git(["config", "merge.other.driver", "true"]);
        if let Some(own) = own {
            repo.put(".gitattributes", own);
            repo.put(".gitignore", "notes.txt");
        }
        let before = config(&repo);
        repo.memdir(["setup", "git"]).exit(0);
        assert_ne!(config(&repo), before);
        let result = repo.memdir(["setup", "git", "--remove"]).exit(0);
        assert!(result.stdout.contains("\n- *.md merge=memdir diff=markdown\n"), "{result:#?}");
        assert_eq!(config(&repo), before);
        assert_eq!(fs::read_to_string(repo.memory().join(".gitattributes")).ok().as_deref(), own);
        assert_eq!(fs::read_to_string(repo.memory().join(".gitignore")).ok().as_deref(), own.map(|_| "notes.txt"));
        let again = repo.memdir(["setup", "git", "--remove"]).exit(0);
        assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("", "memdir: nothing to do\n"));
    }
}

#[test]
fn a_dry_run_shows_the_same_and_changes_nothing() {
    let repo = Repo::new();
    let before = config(&repo);
    let shown = repo.memdir(["setup", "git", "-n"]).exit(0);
    assert!(!repo.memory().join(".gitattributes").exists() && config(&repo) == before);
    let done = repo.memdir(["setup", "git"]).exit(0);
    assert_eq!(shown.stdout, format!("dry run, nothing written\n{}", done.stdout));
}

#[test]
fn an_attribute_rule_that_overrides_ours_is_found() {
    let repo = Repo::wired();
    fs::write(repo.root().join(".git/info/attributes"), "*.md merge=union\n").unwrap();
    let result = repo.memdir(["setup", "git", "--check"]).exit(6);
    assert_eq!(result.stdout, "git's attributes set merge=union for the files of this memory\n");
    let result = repo.memdir(["--json", "setup", "git", "--check"]).exit(6);
    assert_eq!((&result.json()["wired"], result.json()["findings"].as_array().unwrap().len()), (&false.into(), 1));
    fs::remove_file(repo.root().join(".git/info/attributes")).unwrap();
    repo.git(["config", "merge.memdir.recursive", "text"]);
    assert!(repo.memdir(["setup", "git", "--check"]).exit(6).stdout.starts_with("merge.memdir.recursive is set"));
    repo.memdir(["setup", "git"]).exit(0);
    repo.memdir(["setup", "git", "--check"]).exit(0);
}

#[test]
fn a_link_in_the_place_of_gits_files_is_refused() {
    let repo = Repo::new();
    let outside = repo.root().join("outside");
    fs::write(&outside, "mine\n").unwrap();
    std::os::unix::fs::symlink(&outside, repo.memory().join(".gitattributes")).unwrap();
    let result = repo.memdir(["setup", "git"]);
    assert!(result.status == 5 && result.stderr.starts_with("memdir: unsafe_file: "), "{result:#?}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine\n");
}

#[test]
fn outside_a_work_tree_or_without_git_an_error_says_so() {
    let repo = Repo::new();
    fs::remove_dir_all(repo.root().join(".git")).unwrap();
    let result = repo.memdir(["setup", "git"]).exit(3);
    assert!(result.stderr.starts_with("memdir: no_repository: "), "{result:#?}");
    let mut command = repo.program(env!("CARGO_BIN_EXE_memdir"), repo.root());
    let output = command.env("PATH", "/nonexistent").args(["setup", "git"]).output().unwrap();
    let run_output = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(3) && run_output.starts_with("memdir: no_git: git is not installed"),
        "{run_output}"
    );
    let shown = repo.memdir(["setup", "git", "--print"]).exit(0).stdout;
    assert!(shown.contains("*.md merge=memdir diff=markdown\n") && shown.contains("git config merge.memdir.driver '"));
}

#[test]
fn the_environment_of_another_repositorys_hook_is_ignored() {
    let (repo, other) = (Repo::new(), Repo::new());
    let before = config(&other);
    let mut command = repo.program(env!("CARGO_BIN_EXE_memdir"), repo.root());
    command.env("GIT_DIR", other.root().join(".git")).env("GIT_WORK_TREE", other.root()).env("GIT_INDEX_FILE", "none");
    let output = command.args(["setup", "git"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(config(&other), before);
    repo.memdir(["setup", "git", "--check"]).exit(0);
}

#[test]
fn attributes_that_only_the_index_has_do_not_count() {
    let repo = Repo::new();
    repo.memdir(["setup", "git"]).exit(0);
    repo.git(["add", "-A"]);
    repo.git(["commit", "-qm", "memory"]);
    let attributes = repo.root().join("memory/.gitattributes");
    let text = fs::read_to_string(&attributes).unwrap();
    fs::remove_file(&attributes).unwrap();
    repo.memdir(["setup", "git", "--check"]).exit(6);
    repo.memdir(["setup", "git"]).exit(0);
    assert_eq!(fs::read_to_string(&attributes).unwrap(), text);
    repo.memdir(["setup", "git", "--check"]).exit(0);
}

#[test]
fn status_and_init_report_the_state_of_the_clone() {
    let repo = Repo::new();
    let result = repo.memdir(["status"]).exit(0);
    assert!(result.stdout.contains("git merges line by line in this clone\ntry: memdir --dir '"), "{result:#?}");
    assert!(result.stdout.ends_with(" setup git\n"), "{result:#?}");
    repo.memdir(["setup", "git"]).exit(0);
    assert!(repo.memdir(["status"]).exit(0).stdout.ends_with("git merges by bullet in this clone\n"));
    assert_eq!(repo.memdir(["status", "--json"]).exit(0).json()["wired"], true);
    let result = repo.memdir_in_work_tree(["init", "second"]).exit(0);
    assert!(result.stderr.contains("`memdir setup git`"), "{result:#?}");
    let ignored = Repo::new();
    fs::write(ignored.root().join(".gitignore"), "/memory/\n").unwrap();
    assert!(!ignored.memdir(["status"]).exit(0).stdout.contains("git merges"));
}

#[test]
fn no_command_that_a_repository_names_is_run() {
    let repo = Repo::wired();
    repo.commit("facts/user.md", "# User\n\n- Prefers tabs\n");
    let trap = repo.root().join("trap");
    fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\n", repo.root().join("sprung").display())).unwrap();
    std::fs::set_permissions(&trap, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for key in ["core.fsmonitor", "core.pager", "diff.external", "core.editor", "core.sshCommand"] {
        repo.git(["config", key, trap.to_str().unwrap()]);
    }
    repo.put("facts/user.md", "<<<<<<< a\n- x\n||||||| o\n- z\n=======\n- y\n>>>>>>> b\n");
    for line in
        [&["status"][..], &["setup", "git", "--check"], &["diff", "HEAD"], &["check", "--since", "HEAD"], &["resolve"]]
    {
        repo.memdir(line.iter());
    }
    assert!(!repo.root().join("sprung").exists());
}
