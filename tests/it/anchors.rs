//! Anchors to code: they keep a hash of the lines, `check --anchors` says what became of them, and nothing outside the
//! repository is ever read for them.

use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::support::git_repo::Repo;
use crate::support::test_dir::passed_as_nobody;
use crate::support::{Memory, ProgramOutput, handle, program, write_program};

const CODE: &str = "use std::time;\n\nfn retries() -> u32 {\n    10\n}\n\nfn backoff() -> u32 {\n    250\n}\n";
const RETRIES: &str = "Retries ten times";
const BACKOFF: &str = "Backs off a quarter of a second";
const MEMORY: &str =
    "# Net\n\n> Summary: How the network code waits.\n\n- Retries ten times\n- Backs off a quarter of a second\n";

/// A repository with code and a memory of two bullets, everything committed.
fn repo() -> Repo {
    with_code(Repo::new())
}

fn with_code(repo: Repo) -> Repo {
    put(&repo, "src/net.rs", CODE);
    repo.commit("facts/net.md", MEMORY);
    repo
}

/// Writes a file of the work tree.
fn put(repo: &Repo, path: &str, text: impl AsRef<[u8]>) {
    let file = repo.root().join(path);
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, text).unwrap();
}

fn address(text: &str) -> String {
    format!("net@{}", handle(text))
}

/// Sets the anchor of a bullet.
fn set(repo: &Repo, text: &str, anchor: &str) -> ProgramOutput {
    repo.memdir(["set", &address(text), &format!("anchor={anchor}")])
}

/// Both anchors, committed with the code.
fn anchored() -> Repo {
    let repo = repo();
    set(&repo, RETRIES, "src/net.rs:3-5").exit(0);
    set(&repo, BACKOFF, "src/net.rs:7-9").exit(0);
    repo.save("anchors");
    repo
}

/// The anchors in the memory's file, in order.
fn anchors(repo: &Repo) -> Vec<String> {
    let text = repo.text("facts/net.md");
    let values = text.lines().filter_map(|l| l.split("anchor=").nth(1)).map(|v| v.trim_end_matches(" -->").to_owned());
    values.map(|value| value.trim_matches('"').to_owned()).collect()
}

#[track_caller]
fn check(repo: &Repo, status: i32, stdout: &str) {
    let output = repo.memdir(["check", "--anchors"]).exit(status);
    assert_eq!(output.stdout, stdout, "{output:#?}");
}

#[test]
fn an_anchor_keeps_the_hash_of_its_lines() {
    for repo in [repo(), with_code(Repo::whole())] {
        set(&repo, RETRIES, "src/net.rs:3-5").exit(0);
        // sed -n 3,5p src/net.rs | sha256sum
        assert_eq!(anchors(&repo), ["src/net.rs:3-5#5b089107aa7b"]);
        set(&repo, RETRIES, "src/net.rs:3").exit(0);
        assert_eq!(anchors(&repo), ["src/net.rs:3#24c5de60c786"]);
        set(&repo, RETRIES, "src/net.rs").exit(0);
        // sha256sum src/net.rs
        assert_eq!(anchors(&repo), ["src/net.rs#55aafee6203a"]);
        check(&repo, 0, "");
        let output = repo.memdir(["check", "--anchors", "-v"]).exit(0);
        assert_eq!(output.stdout, format!("{}:6:12: ok: src/net.rs#55aafee6203a\n", "facts/net.md"));
        assert!(output.stderr.contains("1 anchor (1 ok) in 1 file checked, no findings"), "{output:#?}");
        set(&repo, RETRIES, "").exit(0);
        assert_eq!(repo.text("facts/net.md"), MEMORY);
    }
}

#[test]
fn a_work_tree_of_its_own_has_its_own_code() {
    let repo = anchored();
    let other = repo.root().with_file_name("other");
    repo.git(["worktree", "add", "--quiet", "-b", "side", other.to_str().unwrap()]);
    fs_err::write(other.join("src/net.rs"), format!("// new\n{CODE}")).unwrap();
    let memory = other.join("memory");
    let run = |dir: &std::path::Path| {
        let mut command = repo.program(program(), repo.root());
        command.arg("--dir").arg(dir).args(["check", "--anchors", "--since", "HEAD"]);
        crate::support::git_repo::finished(command.output().unwrap())
    };
    assert!(run(&memory).exit(6).stdout.contains("moved: src/net.rs:3-5 is now src/net.rs:4-6"));
    assert_eq!(run(repo.memory()).exit(0).stdout, "");
    // A memory behind a link belongs to the repository in which it really is.
    symlink(&memory, repo.root().join("linked")).unwrap();
    assert!(run(&repo.root().join("linked")).exit(6).stdout.contains("moved: src/net.rs:3-5"));
}

#[test]
fn an_anchor_can_be_set_when_a_bullet_is_added_or_in_a_batch() {
    let repo = repo();
    let batch = format!(
        r#"[{{"op":"add","at":"net","text":"Uses the clock","meta":{{"anchor":"src/net.rs:1"}}}},
            {{"op":"set","at":"{}","meta":{{"anchor":"src/net.rs:7-9"}}}}]"#,
        address(BACKOFF)
    );
    repo.put("batch.json.txt", &batch);
    let file = repo.memory().join("batch.json.txt");
    repo.memdir(["apply", "-F", file.to_str().unwrap()]).exit(0);
    assert_eq!(anchors(&repo), ["src/net.rs:7-9#b5b4e767c688", "src/net.rs:1#debd7a955ce0"]);
    // A batch is refused whole, and names the operation.
    repo.put("batch.json.txt", batch.replace("net.rs:7-9", "none.rs:7-9").replace("clock", "watch"));
    let output = repo.memdir(["--json", "apply", "-F", file.to_str().unwrap()]).exit(3);
    let error: Value = serde_json::from_str(&output.stderr).unwrap();
    let failed = &error["failures"][0];
    assert_eq!((&failed["code"], &failed["operation"]), (&"file_not_found".into(), &1.into()), "{error}");
    assert_eq!(anchors(&repo).len(), 2);
}

#[test]
fn a_hash_that_is_given_is_verified() {
    let repo = repo();
    set(&repo, RETRIES, "src/net.rs:3-5#5b089107aa7b").exit(0);
    assert_eq!(anchors(&repo), ["src/net.rs:3-5#5b089107aa7b"]);
    let output = set(&repo, BACKOFF, "src/net.rs:7-9#5b089107aa7b").exit(4);
    assert_eq!(output.error_code(), "conflict");
    assert!(output.stderr.contains("src/net.rs:7-9 has the hash b5b4e767c688 now, not 5b089107aa7b"), "{output:#?}");
    assert_eq!(anchors(&repo).len(), 1);
}

#[test]
fn what_cannot_be_anchored_is_refused() {
    let repo = repo();
    for (anchor, status, code, part) in [
        ("src/none.rs:1", 3, "file_not_found", "has no file 'src/none.rs'"),
        ("src/net.rs:8-12", 2, "usage", "has 9 lines, fewer than src/net.rs:8-12"),
        ("src/net.rs:5-3", 2, "usage", "the first before the last"),
        ("src/net.rs:0", 2, "usage", "numbered from 1"),
        ("/etc/passwd:1", 5, "invalid_path", "the path is absolute"),
        ("../other/x.rs:1", 5, "invalid_path", "'.' and '..' are not allowed"),
        ("src/../../x:1", 5, "invalid_path", "'.' and '..' are not allowed"),
        (".git/config:1", 5, "invalid_path", "the path leads into .git/"),
        ("sub/.GIT /config", 5, "invalid_path", "the path leads into .git/"),
        ("memory/.memdir/journal:1", 5, "invalid_path", "the path leads into .memdir/"),
        ("src:1", 5, "unsafe_file", "'src' is a directory"),
    ] {
        let output = set(&repo, RETRIES, anchor).exit(status);
        assert_eq!(output.error_code(), code, "{anchor}: {output:#?}");
        assert!(output.stderr.contains(part), "{anchor}: {output:#?}");
        assert_eq!(repo.text("facts/net.md"), MEMORY, "{anchor}");
    }
    // Without a hash, no other way leads into a metadata line.
    let output = repo.memdir(["set", &address(RETRIES), "anchor=src/net.rs:3-5", "imp=11"]).exit(2);
    assert_eq!((output.error_code().as_str(), repo.text("facts/net.md").as_str()), ("usage", MEMORY));
    // In front matter it is a key like any other.
    repo.memdir(["set", "net", "anchor=home"]).exit(0);
    assert!(repo.text("facts/net.md").contains("anchor: home\n"));
}

#[test]
fn without_a_repository_there_are_no_anchors() {
    let memory = Memory::new().file("facts/net.md", MEMORY);
    for args in [&["set", &address(RETRIES), "anchor=x.rs:1"][..], &["check", "--anchors"]] {
        let output = memory.run(args).exit(3);
        assert!(output.stderr.contains("no_repository") && output.stderr.contains("git init"), "{output}");
    }
    // Something called .git is no repository.
    fs_err::create_dir(memory.dir().join("../.git")).unwrap();
    memory.run(["check", "--anchors"]).exit(3).stderr_contains("no_repository");
}

#[test]
fn each_anchor_is_ok_moved_changed_or_gone() {
    let repo = anchored();
    check(&repo, 0, "");
    put(&repo, "src/net.rs", CODE.replace("250", "500").replace("use std::time;\n", "use std::time;\nuse std::fmt;\n"));
    check(
        &repo,
        6,
        "facts/net.md:6:12: warning: stale_anchor: moved: src/net.rs:3-5 is now src/net.rs:4-6 (fixable with --fix)\n\
         facts/net.md:8:12: warning: stale_anchor: changed: src/net.rs:7-9\n",
    );
    let output = repo.memdir(["--json", "check", "--anchors"]).exit(6);
    let rows = &output.json()["anchors"];
    assert_eq!(
        rows[0],
        serde_json::json!({
            "path": "facts/net.md", "line": 6, "col": 12, "address": format!("facts/net.md@{}", handle(RETRIES)),
            "anchor": "src/net.rs:3-5#5b089107aa7b", "state": "moved", "to": "src/net.rs:4-6#5b089107aa7b",
        })
    );
    assert_eq!((&rows[1]["state"], rows[1].get("to")), (&"changed".into(), None));
    fs_err::remove_file(repo.root().join("src/net.rs")).unwrap();
    let gone = |lines: &str| format!("warning: stale_anchor: gone: src/net.rs:{lines}: the file does not exist\n");
    check(&repo, 6, &format!("facts/net.md:6:12: {}facts/net.md:8:12: {}", gone("3-5"), gone("7-9")));
    // Only what is asked for.
    repo.put("facts/other.md", "- x\n");
    assert_eq!(repo.memdir(["check", "--anchors", "facts/other.md"]).exit(0).stdout, "");
    // A plain check opens no code.
    assert_eq!(repo.memdir(["check"]).exit(0).stdout, "");
}

#[test]
fn line_endings_are_no_change() {
    let repo = anchored();
    put(&repo, "src/net.rs", CODE.replace('\n', "\r\n"));
    check(&repo, 0, "");
}

#[test]
fn lines_that_occur_twice_are_not_followed() {
    let repo = anchored();
    // Twice elsewhere: which one, nothing tells.
    put(&repo, "src/net.rs", format!("// one\n{CODE}{CODE}"));
    check(
        &repo,
        6,
        "facts/net.md:6:12: warning: stale_anchor: changed: src/net.rs:3-5: its lines now occur more than once, in lines 4 and 13\n\
         facts/net.md:8:12: warning: stale_anchor: changed: src/net.rs:7-9: its lines now occur more than once, in lines 8 and 17\n",
    );
    let before = repo.text("facts/net.md");
    repo.memdir(["check", "--anchors", "--fix"]).exit(6);
    assert_eq!(repo.text("facts/net.md"), before);
    // Twice when the anchor was set: the copy that stays is not the one that was meant.
    put(&repo, "src/net.rs", "fn get() {}\nfn put() {}\nfn get() {}\n}\n");
    let output = set(&repo, RETRIES, "src/net.rs:1").exit(0);
    assert!(output.stderr.contains("are not followed when they move"), "{output:#?}");
    set(&repo, BACKOFF, "src/net.rs:4").exit(0);
    check(&repo, 0, "");
    put(&repo, "src/net.rs", "fn set() {}\nfn put() {}\nfn get() {}\n\n}\n");
    let changed =
        |at: &str, line: usize| format!("facts/net.md:{at}:12: warning: stale_anchor: changed: src/net.rs:{line}\n");
    check(&repo, 6, &(changed("6", 1) + &changed("8", 4)));
}

#[test]
fn a_fix_is_one_revision_that_can_be_undone() {
    let repo = anchored();
    repo.put("facts/more.md", format!("# More\n\n- {RETRIES}\n"));
    repo.memdir(["set", &format!("more@{}", handle(RETRIES)), "imp=3", "anchor=src/net.rs:3-5"]).exit(0);
    let (net, more) = (repo.text("facts/net.md"), repo.text("facts/more.md"));
    put(&repo, "src/net.rs", format!("// new\n\n{CODE}"));
    let planned = repo.memdir(["check", "--anchors", "--fix", "-n"]).exit(6);
    assert!(planned.stdout.contains("+  <!-- mem anchor=src/net.rs:5-7#5b089107aa7b -->"), "{planned:#?}");
    assert_eq!((repo.text("facts/net.md"), repo.text("facts/more.md")), (net.clone(), more.clone()));
    repo.memdir(["check", "--anchors", "--fix"]).exit(0);
    assert_eq!(repo.text("facts/net.md"), net.replace("rs:3-5#", "rs:5-7#").replace("rs:7-9#", "rs:9-11#"));
    assert_eq!(repo.text("facts/more.md"), more.replace("rs:3-5#", "rs:5-7#"));
    check(&repo, 0, "");
    let log = repo.memdir(["--json", "log", "-L", "1"]).exit(0).json();
    assert!(log.to_string().contains("check --fix"), "{log}");
    repo.memdir(["undo"]).exit(0);
    assert_eq!((repo.text("facts/net.md"), repo.text("facts/more.md")), (net, more));
    // Again: nothing is left to do.
    repo.memdir(["check", "--anchors", "--fix"]).exit(0);
    let output = repo.memdir(["--json", "check", "--anchors", "--fix"]).exit(0);
    assert_eq!(output.json().get("fixed"), None);
}

#[test]
fn a_renamed_file_is_found_through_git() {
    let moved = "facts/net.md:6:12: warning: stale_anchor: moved: src/net.rs:3-5 is now NEW:4-6 (fixable with --fix)\n\
                 facts/net.md:8:12: warning: stale_anchor: moved: src/net.rs:7-9 is now NEW:8-10 (fixable with --fix)\n";
    let repo = anchored();
    // In the index only.
    fs_err::create_dir(repo.root().join("a [b]")).unwrap();
    repo.git(["mv", "src/net.rs", "a [b]/*.rs"]);
    put(&repo, "a [b]/*.rs", format!("// new\n{CODE}"));
    check(&repo, 6, &moved.replace("NEW", "a [b]/*.rs"));
    // Committed, then renamed again, then renamed in the index.
    repo.save("renamed");
    check(&repo, 6, &moved.replace("NEW", "a [b]/*.rs"));
    repo.git(["mv", "a [b]/*.rs", "net.rs"]);
    repo.save("renamed again");
    repo.git(["mv", "net.rs", "last.rs"]);
    check(&repo, 6, &moved.replace("NEW", "last.rs"));
    repo.memdir(["check", "--anchors", "--fix"]).exit(0);
    assert_eq!(anchors(&repo), ["last.rs:4-6#5b089107aa7b", "last.rs:8-10#b5b4e767c688"]);
    check(&repo, 0, "");
}

#[test]
fn a_file_that_was_renamed_and_changed_is_not_followed() {
    let repo = anchored();
    repo.git(["mv", "src/net.rs", "src/http.rs"]);
    put(&repo, "src/http.rs", CODE.replace("250", "500"));
    repo.save("renamed and changed");
    check(
        &repo,
        6,
        "facts/net.md:6:12: warning: stale_anchor: moved: src/net.rs:3-5 is now src/http.rs:3-5 (fixable with --fix)\n\
         facts/net.md:8:12: warning: stale_anchor: changed: src/net.rs:7-9: the file is now src/http.rs\n",
    );
    // Renamed on a branch that was merged, and gone for good after that.
    repo.git(["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    repo.git(["mv", "src/net.rs", "src/tcp.rs"]);
    repo.save("renamed on a branch");
    repo.git(["checkout", "--quiet", "-b", "other", "HEAD~1"]);
    put(&repo, "other.txt", "x\n");
    repo.save("other");
    repo.git(["merge", "--quiet", "--no-edit", "side"]);
    let found = repo.memdir(["check", "--anchors"]).exit(6).stdout;
    assert!(found.contains("src/net.rs:3-5 is now src/tcp.rs:3-5"), "{found}");
    fs_err::remove_file(repo.root().join("src/tcp.rs")).unwrap();
    repo.save("gone");
    let found = repo.memdir(["check", "--anchors"]).exit(6).stdout;
    assert_eq!(found.matches(": the file does not exist\n").count(), 2, "{found}");
}

#[test]
fn git_is_asked_only_if_a_file_is_gone() {
    let repo = anchored();
    let fake = repo.root().with_file_name("bin");
    fs_err::create_dir(&fake).unwrap();
    let calls = fake.join("calls");
    write_program(&fake.join("git"), &format!("#!/bin/sh\necho \"$@\" >> '{}'\nexit 1\n", calls.display()));
    let run = |args: &[&str]| {
        let mut command = repo.program(program(), repo.root());
        let path = format!("{}:/usr/bin:/bin", fake.display());
        crate::support::git_repo::finished(
            command.env("PATH", path).arg("--dir").arg(repo.memory()).args(args).output().unwrap(),
        )
    };
    put(&repo, "src/net.rs", format!("// new\n{CODE}"));
    run(&["check", "--anchors"]).exit(6);
    run(&["check", "--anchors", "--fix"]).exit(0);
    run(&["set", &address(RETRIES), "anchor=src/net.rs:4-6"]).exit(0);
    run(&["context"]).exit(0);
    assert!(!calls.exists(), "{}", fs_err::read_to_string(&calls).unwrap_or_default());
    fs_err::remove_file(repo.root().join("src/net.rs")).unwrap();
    let found = run(&["check", "--anchors"]).exit(6);
    assert!(found.stdout.contains("the file does not exist, and its new name is unknown: "), "{found:#?}");
    assert_eq!(fs_err::read_to_string(&calls).unwrap().lines().count(), 3);
}

#[test]
fn since_selects_the_code_that_changed() {
    let repo = anchored();
    put(&repo, "src/other.rs", "fn other() {}\n");
    set(&repo, BACKOFF, "src/other.rs:1").exit(0);
    repo.save("other");
    put(&repo, "src/net.rs", format!("// new\n{CODE}"));
    repo.save("changed");
    let run = |since: &str, status: i32| repo.memdir(["check", "--anchors", "--since", since]).exit(status);
    let moved = "memory/facts/net.md:6:12: warning: stale_anchor: moved: src/net.rs:3-5 is now src/net.rs:4-6 (fixable with --fix)\n";
    assert_eq!(run("HEAD~1", 6).stdout, moved);
    assert_eq!(run("HEAD", 0).stdout, "");
    assert!(run("HEAD", 0).stderr.contains("no anchors in 1 file checked, no findings"));
    // What is not committed counts.
    put(&repo, "src/other.rs", "fn another() {}\n");
    assert_eq!(run("HEAD", 6).stdout, "memory/facts/net.md:8:12: warning: stale_anchor: changed: src/other.rs:1\n");
    assert_eq!(run("v1", 3).error_code(), "revision_not_found");
    repo.memdir(["check", "--anchors", "--since", "HEAD~1", "--fix"]).exit(6);
    assert_eq!(anchors(&repo)[0], "src/net.rs:4-6#5b089107aa7b");
    // Findings of other checks are fixed all or none.
    assert_eq!(repo.memdir(["check", "--since", "HEAD", "--fix"]).exit(2).error_code(), "usage");
    repo.memdir(["check", "--anchors", "--writing"]).exit(2);
}

/// An anchor that a person wrote, or that a clone brought along.
fn by_hand(repo: &Repo, anchor: &str) {
    repo.put("facts/net.md", format!("# Net\n\n- {RETRIES}\n  <!-- mem anchor=\"{anchor}\" -->\n"));
}

#[test]
fn nothing_outside_the_repository_is_read() {
    if passed_as_nobody() {
        return;
    }
    let repo = repo();
    let outside = repo.root().with_file_name("outside");
    fs_err::create_dir(&outside).unwrap();
    fs_err::write(outside.join("net.rs"), CODE).unwrap();
    let root = repo.root();
    symlink(outside.join("net.rs"), root.join("link.rs")).unwrap();
    symlink("src/net.rs", root.join("near.rs")).unwrap();
    symlink(&outside, root.join("door")).unwrap();
    symlink("src", root.join("inner")).unwrap();
    fs_err::hard_link(outside.join("net.rs"), root.join("hard.rs")).unwrap();
    let dir = std::fs::File::open(root).unwrap();
    rustix::fs::mkfifoat(&dir, "fifo.rs", rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket.rs")).unwrap();
    put(&repo, "sub/.git", "gitdir: ../.git/modules/sub\n");
    put(&repo, "sub/src/net.rs", CODE);
    put(&repo, "nested/.git/HEAD", "ref: refs/heads/main\n");
    put(&repo, "nested/net.rs", CODE);
    put(&repo, "binary.rs", b"\x7fELF\0\0fn retries\n");
    fs_err::File::create(root.join("huge.rs")).unwrap().set_len((8 << 20) + 1).unwrap();
    for (path, why) in [
        ("link.rs", "'link.rs' is a symbolic link"),
        ("near.rs", "'near.rs' is a symbolic link"),
        ("door/net.rs", "'door/' is a symbolic link"),
        ("inner/net.rs", "'inner/' is a symbolic link"),
        ("hard.rs", "'hard.rs' has a second hard link"),
        ("fifo.rs", "'fifo.rs' is a FIFO"),
        ("socket.rs", "'socket.rs' is a socket or a device"),
        ("src", "'src' is a directory"),
        ("sub/src/net.rs", "'sub/src/net.rs' is in 'sub/', a submodule or another repository"),
        ("nested/net.rs", "'nested/net.rs' is in 'nested/', a submodule or another repository"),
        ("binary.rs", "'binary.rs' is a binary file"),
        ("huge.rs", "'huge.rs' is larger than 8 MiB"),
        ("../outside/net.rs", "'.' and '..' are not allowed in the path"),
        (outside.join("net.rs").to_str().unwrap(), "the path is absolute"),
        (".git/HEAD", "the path leads into .git/"),
        ("nested/.Git/HEAD", "the path leads into .git/"),
        ("git~1/HEAD", "the path leads into .git/"),
    ] {
        let before = repo.text("facts/net.md");
        let refused = set(&repo, RETRIES, &format!("{path}:3-5")).exit(5);
        assert!(refused.stderr.contains(why), "{path}: {refused:#?}");
        assert_eq!(repo.text("facts/net.md"), before);
        // The right hash proves nothing, and no other file takes the place.
        by_hand(&repo, &format!("{path}:3-5#5b089107aa7b"));
        let found = repo.memdir(["--json", "check", "--anchors"]).exit(6).json();
        assert_eq!(found["anchors"][0]["state"], "refused", "{path}: {found}");
        let text = found["findings"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("not compared: ") && text.ends_with(why), "{path}: {text}");
        repo.put("facts/net.md", MEMORY);
    }
    for (anchor, why) in
        [("src/net.rs:3-5", "the anchor has no hash: set it again"), ("src/net.rs:9-1", "its lines are not valid")]
    {
        by_hand(&repo, anchor);
        let found = repo.memdir(["check", "--anchors"]).exit(6);
        assert!(found.stdout.contains(&format!("error: stale_anchor: not compared: {anchor}: {why}\n")), "{found:#?}");
    }
    // A path that became a link after the check read its name.
    by_hand(&repo, "src/net.rs:3-5#5b089107aa7b");
    check(&repo, 0, "");
    fs_err::rename(root.join("src"), root.join("old")).unwrap();
    symlink(&outside, root.join("src")).unwrap();
    let found = repo.memdir(["check", "--anchors"]).exit(6);
    assert!(found.stdout.contains("'src/' is a symbolic link"), "{found:#?}");
}

#[test]
fn a_rename_out_of_reach_is_not_followed() {
    if passed_as_nobody() {
        return;
    }
    let repo = anchored();
    repo.git(["mv", "src/net.rs", "src/http.rs"]);
    repo.save("renamed");
    fs_err::remove_file(repo.root().join("src/http.rs")).unwrap();
    let outside = repo.root().with_file_name("net.rs");
    fs_err::write(&outside, CODE).unwrap();
    symlink(&outside, repo.root().join("src/http.rs")).unwrap();
    let found = repo.memdir(["check", "--anchors"]).exit(6);
    assert_eq!(found.stdout.matches("the file is now src/http.rs, which is not read\n").count(), 2, "{found:#?}");
}

#[test]
fn a_generated_file_that_is_not_built_is_no_finding() {
    let repo = repo();
    put(&repo, ".gitignore", "/gen/\n");
    put(&repo, "gen/net.rs", CODE);
    set(&repo, RETRIES, "gen/net.rs:3-5").exit(0);
    check(&repo, 0, "");
    put(&repo, "gen/net.rs", CODE.replace("10", "20"));
    check(&repo, 6, "facts/net.md:6:12: warning: stale_anchor: changed: gen/net.rs:3-5\n");
    fs_err::remove_dir_all(repo.root().join("gen")).unwrap();
    check(
        &repo,
        0,
        "facts/net.md:6:12: note: stale_anchor: not compared: gen/net.rs:3-5: the file does not exist here, and git ignores it\n",
    );
}

#[test]
fn context_compares_the_code_and_query_marks_what_the_last_check_found() {
    let repo = anchored();
    let ask = |args: &[&str]| repo.memdir(args).exit(0);
    let line = |text: &str, mark: &str| format!("- @{} {text}{mark}\n", handle(text));
    assert!(ask(&["context"]).stdout.contains(&line(BACKOFF, "")));
    put(&repo, "src/net.rs", format!("// new\n{}", CODE.replace("250", "500")));
    // `context` needs no check: it opens the code of what it shows. Lines that only moved are no doubt.
    let context = ask(&["context"]).stdout;
    assert!(context.contains(&line(BACKOFF, " (src/net.rs:7-9 changed)")), "{context}");
    assert!(context.contains(&line(RETRIES, "")), "{context}");
    let items = ask(&["--json", "context"]).json();
    let states: Vec<_> = items["items"].as_array().unwrap().iter().map(|item| item["stale_anchor"].as_str()).collect();
    assert_eq!(states, [Some("moved"), Some("changed")], "{items}");
    let records = ask(&["context", "--style", "records"]).stdout;
    assert!(records.contains(&format!("{BACKOFF} (src/net.rs:7-9 changed)\n")), "{records}");
    // `query` opens no code.
    assert!(!ask(&["query", "retries"]).stdout.contains("(anchor"));
    repo.memdir(["check", "--anchors"]).exit(6);
    let status = ask(&["--json", "status"]).json();
    let row = serde_json::json!({"what": "stale_anchors", "count": 2, "command": "memdir check --anchors"});
    assert!(status["attention"].as_array().unwrap().contains(&row), "{status}");
    assert!(ask(&["status"]).stdout.contains("\n2 anchors were stale at the last check\ntry: "));
    let marks = || ask(&["query", "retries", "backs"]).stdout.matches("(anchor ").count();
    let found = ask(&["query", "retries"]).stdout;
    assert!(found.contains(&format!("{RETRIES} (anchor moved)\n")), "{found}");
    let rows = ask(&["--json", "query", "backs off"]).json();
    assert_eq!(rows["items"][0]["stale_anchor"], "changed", "{rows}");
    // Pinned items are compared, too.
    repo.memdir(["set", &address(BACKOFF), "pin=true"]).exit(0);
    assert!(ask(&["context"]).stdout.contains(&line(BACKOFF, " (src/net.rs:7-9 changed)")));
    // A partial check changes only what it examined.
    repo.put("facts/other.md", "- x\n");
    repo.memdir(["check", "--anchors", "facts/other.md"]).exit(0);
    assert_eq!(marks(), 2);
    // Another anchor or another text is not what was checked.
    repo.memdir(["check", "--anchors", "--fix"]).exit(6);
    assert_eq!(marks(), 1);
    repo.memdir(["update", &address(BACKOFF), "Backs off half a second"]).exit(0);
    assert_eq!(marks(), 0);
    // A damaged note marks nothing.
    repo.put(".memdir/anchors", b"anchors 1\n\xff\xff");
    assert_eq!(marks(), 0);
}

#[test]
fn a_metadata_line_that_belonged_to_another_bullet_is_left_alone() {
    let repo = repo();
    repo.memdir(["set", &address(BACKOFF), "imp=3", "anchor=src/net.rs:7-9"]).exit(0);
    // An editor removes the bullet, and its metadata ends up below the one above.
    let line = format!("- {BACKOFF}\n");
    repo.put("facts/net.md", repo.text("facts/net.md").replace(&line, ""));
    let before = repo.text("facts/net.md");
    put(&repo, "src/net.rs", format!("// new\n{CODE}"));
    check(&repo, 0, "");
    repo.memdir(["check", "--anchors", "--fix"]).exit(0);
    assert_eq!(repo.text("facts/net.md"), before);
    assert!(!repo.memdir(["context"]).exit(0).stdout.contains("src/net.rs"));
    assert!(repo.memdir(["check"]).exit(6).stdout.contains("belonged to another bullet"));
}

#[test]
fn a_check_creates_no_machine_state() {
    let repo = repo();
    by_hand(&repo, "src/net.rs:1-2#5b089107aa7b");
    repo.memdir(["check", "--anchors"]).exit(6);
    assert!(!repo.memory().join(".memdir").exists());
}

#[test]
fn a_restricted_agent_learns_nothing_of_hidden_items() {
    let repo = repo();
    repo.put("memdir.yaml", "version: 1\ncategories:\n  custom:\n    - name: health\nallowlists:\n  planner: [net]\n");
    repo.put("facts/health.md", "# Health\n\n- Knee hurts\n");
    repo.memdir(["set", &format!("health@{}", handle("Knee hurts")), "anchor=src/net.rs:3-5"]).exit(0);
    set(&repo, BACKOFF, "src/net.rs:7-9").exit(0);
    let planner = |args: &[&str]| repo.memdir([&["--as", "planner"], args].concat());
    // A hash would prove what a hidden file contains.
    for anchor in ["memory/facts/health.md:3", "memory/facts/HEALTH.MD:3", "memory/facts/none.md:3"] {
        let refused = planner(&["set", &address(RETRIES), &format!("anchor={anchor}")]).exit(5);
        assert_eq!(refused.error_code(), "category_not_allowed", "{anchor}: {refused:#?}");
    }
    planner(&["set", &address(RETRIES), "anchor=src/net.rs:3-5"]).exit(0);
    put(&repo, "src/net.rs", CODE.replace("10", "20"));
    let found = planner(&["--json", "check", "--anchors"]).exit(6);
    assert!(!found.stdout.contains("health"), "{found:#?}");
    assert_eq!(found.json()["anchors"].as_array().unwrap().len(), 2);
    let context = planner(&["context"]).exit(0).stdout;
    assert_eq!((context.matches(" changed)").count(), context.contains("Knee")), (1, false), "{context}");
    // It sees a part only, so it notes nothing; what another check noted, it sees where it sees the item.
    let marks = || planner(&["query", "retries", "knee"]).exit(0).stdout.matches("(anchor changed)").count();
    assert_eq!(marks(), 0);
    repo.memdir(["check", "--anchors"]).exit(6);
    assert_eq!(marks(), 1);
    let counted = planner(&["--json", "status"]).exit(0).json()["attention"].to_string();
    assert!(
        counted.contains(r#""count":1,"what":"stale_anchors""#)
            || counted.contains(r#""what":"stale_anchors","count":1"#),
        "{counted}"
    );
}
