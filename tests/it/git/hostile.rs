//! What a clone may bring along: directories that git takes for repositories, with configs that name programs.
//!
//! Never lets memdir start any of them, whatever the command.

use crate::support::git_repo::Repo;

/// A config that names a program in every way that a command of ours could meet.
const CONFIG: &str = "[core]\nrepositoryformatversion=0\nbare=false\nworktree=WORKTREE\nhooksPath=hooks\n\
    fsmonitor=\"touch 'MARK-fsmonitor'; false\"\nsshCommand=\"touch 'MARK-ssh'; false\"\neditor=\"touch 'MARK-editor'\"\n\
    pager=\"touch 'MARK-pager'\"\n[user]\nname=x\nemail=x\n[protocol \"ext\"]\nallow=always\n\
    [filter \"f\"]\nclean=\"touch 'MARK-clean'; cat\"\nsmudge=\"touch 'MARK-smudge'; cat\"\n\
    [merge \"memdir\"]\ndriver=\"touch 'MARK-driver'; false\"\n[diff \"f\"]\ncommand=\"touch 'MARK-diff'\"\n\
    textconv=\"touch 'MARK-textconv'; cat\"\n[remote \"origin\"]\nurl=URL\nfetch=+refs/heads/*:refs/remotes/origin/*\n";

/// A clone whose folder `at` looks like a repository (or leads to one), with hooks that leave a mark beside the clone.
fn victim(at: &str, url: &str, shared: bool) -> Repo {
    let evil = Repo::new();
    evil.put("facts/user.md", "# User\n\n- a\n");
    evil.put(".gitattributes", "*.md filter=f diff=f\n");
    let dir = evil.root().join(at);
    let mark = evil.root().with_file_name("mark").display().to_string();
    let work_tree = if at == "memory" { "." } else { ".." };
    let put = |path: &str, text: &str| {
        let file = dir.join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    };
    let inner = if shared { "common/" } else { "" };
    put("HEAD", "ref: refs/heads/main\n");
    if shared {
        put("commondir", "common\n");
    }
    put(&format!("{inner}objects/keep"), "");
    put(&format!("{inner}refs/heads/keep"), "");
    let config = CONFIG.replace("WORKTREE", work_tree).replace("URL", url).replace("MARK", &mark);
    put(&format!("{inner}config"), &config);
    for hook in ["pre-commit", "post-commit", "commit-msg", "post-index-change", "reference-transaction", "pre-push"] {
        put(&format!("hooks/{hook}"), &format!("#!/bin/sh\ntouch '{mark}-{hook}'\n"));
        let path = dir.join("hooks").join(hook);
        fs_err::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    evil.git(["add", "--all", "--force"]);
    evil.git(["commit", "--quiet", "--message", "x"]);
    evil.clone_to("victim")
}

#[test]
fn nothing_that_a_clone_names_is_run() {
    for (at, shared) in [("memory", false), ("memory", true), ("memory/facts", false)] {
        for url in ["ext::sh -c touch% MARK-ext", "ssh://host.invalid/x"] {
            let victim = victim(at, url, shared);
            if at == "memory/facts" {
                // The folder of the memory itself is inside the planted repository.
                fs_err::write(victim.memory().join("facts/memdir.yaml"), "version: 1\n").unwrap();
            }
            let memory = victim.root().join(at);
            let memory = memory.to_str().unwrap();
            for args in [
                &["sync"][..],
                &["sync", "-n"],
                &["status"],
                &["diff", "HEAD"],
                &["diff", "HEAD~1...HEAD"],
                &["setup", "git"],
                &["resolve"],
                &["log"],
                &["list"],
                &["check"],
                &["check", "--anchors", "--since", "HEAD"],
                &["add", "user", "A fact"],
                &["sync"],
            ] {
                let output = victim
                    .program(env!("CARGO_BIN_EXE_memdir"), victim.root())
                    .args(["-C", memory])
                    .args(args)
                    .output();
                assert!(output.is_ok());
            }
            let beside = fs_err::read_dir(victim.root().parent().unwrap()).unwrap();
            let names = beside.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
            let marks: Vec<String> = names.filter(|name| name.starts_with("mark")).collect();
            assert!(marks.is_empty(), "{at} {url}: {marks:?}");
            let told =
                victim.program(env!("CARGO_BIN_EXE_memdir"), victim.root()).args(["-C", memory, "sync"]).output();
            let told = crate::support::git_repo::finished(told.unwrap());
            assert!(told.status != 0 && told.stderr.contains("looks like a git repository"), "{told:?}");
        }
    }
}

#[test]
fn a_remote_that_is_a_command_is_not_run() {
    let repo = Repo::new();
    repo.put("facts/user.md", "# User\n\n- a\n");
    let mark = repo.root().with_file_name("mark");
    repo.git(["remote", "add", "origin", &format!("ext::sh -c touch% {}", mark.display())]);
    repo.git(["config", "protocol.ext.allow", "always"]);
    let came = repo.memdir(["sync"]);
    assert!(came.status != 0 && !mark.exists(), "{came:?}");
}
