//! Which directory is the memory: `-C`, `--dir`, `MEMDIR`, the parents, the user's own.

use std::path::Path;

use crate::support::{ProgramOutput, clean_command, memdir_command, program};

/// A directory with `app/`, a project that holds a memory, and `plain/`, a directory with one markdown file.
fn project() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("app/memory/memdir.yaml", "version: 1\n"),
        ("app/memory/facts/user.md", "# User\n\n- Prefers tabs\n"),
        ("app/src/main.c", ""),
        ("plain/notes.md", "# Notes\n\n- One\n"),
    ] {
        let file = root.path().join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }
    root
}

#[track_caller]
fn run(root: &Path, words: &[&str]) -> ProgramOutput {
    ProgramOutput::of(memdir_command(root).args(words))
}

#[test]
fn c_starts_elsewhere_and_finds_from_there() {
    let root = project();
    let root = root.path();
    for start in ["app", "app/src", "app/memory", "app/memory/facts"] {
        let result = run(root, &["-C", start, "read", "user"]).exit(0);
        assert_eq!(result.stdout, "# User\n\n- Prefers tabs\n", "{start}");
    }
    // Several add up, before and behind the command; an empty one stays where it is.
    run(root, &["-C", "app", "list", "-C", "src", "-C", ""]).exit(0);
    run(root, &["-C", "app", "query", "tabs"]).exit(0);
    // Files of the command line start there too.
    fs_err::write(root.join("app/src/more.md"), "- From a file\n").unwrap();
    run(root, &["-C", "app/src", "add", "user", "-F", "more.md"]).exit(0);
    assert_eq!(run(root, &["-C", "nowhere", "list"]).exit(3).error_code(), "no_data_dir");
    assert!(!root.join("app/facts").exists() && !root.join("app/.memdir").exists());
    // A command to try repeats it.
    let refused = run(root, &["-C", "app", "read", "usr"]).exit(3);
    assert!(refused.stderr.contains("try: memdir -C app "), "{refused:?}");
}

#[test]
fn dir_and_memdir_name_the_memory_itself() {
    let root = project();
    let root = root.path();
    run(root, &["--dir", "app/memory", "read", "user"]).exit(0);
    ProgramOutput::of(memdir_command(root).env("MEMDIR", "app/memory").args(["read", "user"])).exit(0);
    // As GIT_DIR is for git, MEMDIR is stronger than where the search starts.
    ProgramOutput::of(memdir_command(root).env("MEMDIR", "memory").args(["-C", "app", "read", "user"])).exit(0);
    let before = crate::support::test_dir::below(root, |_| true);
    for words in [&["list"][..], &["add", "user", "x"], &["write", "user", "-F", "plain/notes.md"], &["status"]] {
        for (dir, message) in [
            ("app", "is not a memory, but holds one"),
            ("plain", "is not a memory: it has no memdir.yaml, facts/ or episodes/"),
            ("none", "is not a directory"),
        ] {
            let by_flag = run(root, &[&["--dir", dir], words].concat()).exit(3);
            let by_env = ProgramOutput::of(memdir_command(root).env("MEMDIR", dir).args(words)).exit(3);
            for refused in [by_flag, by_env] {
                assert_eq!(refused.error_code(), "no_data_dir");
                assert!(refused.stderr.contains(message), "{refused:?}");
            }
        }
    }
    assert_eq!(crate::support::test_dir::below(root, |_| true), before, "refusing changed something");
    // The way out works as it is printed.
    let refused = run(root, &["--dir", "plain", "list"]).exit(3);
    assert!(refused.stderr.contains("try: memdir --dir plain init --adopt\n"), "{refused:?}");
    run(root, &["--dir", "plain", "init", "--adopt"]).exit(0);
    assert!(run(root, &["--dir", "plain", "list"]).exit(0).stdout.starts_with("notes.md "));
}

#[test]
fn init_adopt_without_a_folder_makes_none() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    fs_err::write(root.join("note.md"), "# Note\n\n- one\n").unwrap();
    let refused = run(root, &["init", "--adopt"]).exit(2);
    assert!(refused.stderr.contains("usage: --adopt needs the folder to adopt"), "{refused:?}");
    assert!(refused.stderr.contains("try: memdir init --adopt .\n"), "{refused:?}");
    assert_eq!(fs_err::read_dir(root).unwrap().count(), 1);
    assert!(run(root, &["init", "--adopt", "."]).exit(0).stdout.contains("adopted 1 file"));
}

#[test]
fn the_search_does_not_pass_a_scope_that_is_none_yet() {
    let root = project();
    let scopes = root.path().join("app/memory/scopes");
    fs_err::create_dir_all(scopes.join("new")).unwrap();
    fs_err::create_dir_all(scopes.join("web/facts")).unwrap();
    assert_eq!(run(&scopes.join("new"), &["list"]).exit(3).error_code(), "no_data_dir");
    assert_eq!(run(&scopes.join("web"), &["where"]).exit(0).stdout.lines().count(), 1);
}

#[test]
fn g_names_the_users_own_memory_and_init_creates_it() {
    let root = project();
    let root = root.path();
    assert_eq!(run(root, &["-g", "list"]).exit(3).error_code(), "no_data_dir");
    let made = run(root, &["-g", "init"]).exit(0);
    assert!(root.join(".local/share/memdir/memdir.yaml").is_file() && !root.join("memory").exists(), "{made:?}");
    run(root, &["-g", "add", "user", "Prefers tea", "--create"]).exit(0);
    // It is what is found where no memory is near, and not where one is.
    assert_eq!(run(root, &["query", "tea"]).exit(0).stdout, run(root, &["-g", "query", "tea"]).exit(0).stdout);
    assert!(!run(root, &["-C", "app", "list"]).exit(0).stdout.contains("tea"));
    // The user config names another place.
    fs_err::create_dir_all(root.join(".config/memdir")).unwrap();
    fs_err::write(root.join(".config/memdir/config.yaml"), "memory:\n  dataDir: ~/mine\n").unwrap();
    run(root, &["-g", "init"]).exit(0);
    assert!(root.join("mine/memdir.yaml").is_file());
    assert_eq!(run(root, &["-g", "init", "elsewhere"]).exit(2).error_code(), "usage");
}

/// Nothing is migrated when a command starts: files of earlier versions are read as they are, the second time as the
/// first.
#[test]
fn every_start_leaves_an_older_memory_as_it_is() {
    let memory = crate::support::Memory::new()
        .policy("version: 1\nepisodes: week\n")
        .file("facts/user.md", "- likes tea\n- likes snow\n  <!-- mem imp=7 -->\n")
        .file("episodes/2025-W40.md", "## Release\n- Date: 2025-10-02\n- Lesson: tag first\n");
    let dir = memory.dir();
    let starts: [&[&str]; 6] =
        [&["init", dir.to_str().unwrap()], &["list"], &["context"], &["status"], &["query", "tea"], &["check"]];
    let [first, second] = [0, 1].map(|_| starts.map(|line| memory.run(line).ends()));
    for (first, second) in first.iter().zip(&second) {
        assert_eq!((&*first.difference, &*second.difference), ("", ""), "{second}");
        assert_eq!((first.status, &first.stdout), (second.status, &second.stdout), "{second}");
    }
    assert!(first[0].stderr.contains("the directory is already a memory"), "{}", first[0]);
    assert!(first[2].stdout.contains("likes tea") && first[2].stdout.contains("Release"), "{}", first[2]);
}

#[test]
fn init_inside_a_memory_says_whose_files_these_are() {
    let root = project();
    let at = |dir: &str| run(root.path(), &["init", dir]).exit(0).stderr;
    assert!(at("app/memory/facts/own").contains("this is inside the memory "), "not told");
    assert!(!at("app/memory/scopes/web").contains("inside the memory"), "a scope has files of its own");
    assert!(!at("beside").contains("inside the memory"));
}

#[test]
fn without_variables_the_journal_names_the_systems_user() {
    let root = project();
    let mut command = clean_command(program(), root.path());
    ProgramOutput::of(command.args(["-C", "app", "add", "user", "x", "--quiet"])).exit(0);
    let log = run(root.path(), &["-C", "app", "--json", "log"]).exit(0).json();
    let actor = log["entries"][0]["actor"].as_str().unwrap().to_owned();
    assert!(!actor.is_empty() && actor != "unknown", "{actor}");
}

#[test]
fn completion_follows_c_and_dir() {
    let root = project();
    for words in [&["-C", "app"][..], &["--dir", "app/memory"], &["-C", "app/src", "--as", "x"]] {
        let result = run(root.path(), &[&["__complete", "--"], words, &["read", "us"]].concat()).exit(0);
        assert_eq!(result.stdout, "user.md\t\n", "{words:?}");
    }
}

/// `query`, `list` and `log` have one option for this, with one meaning.
#[test]
fn a_limit_of_0_is_all_rows() {
    let memory = crate::support::Memory::new();
    for n in 1..=12 {
        memory.done(["add", "user", &format!("Likes fruit number {n}")]);
    }
    let lines = |words: &[&str]| memory.done(words).stdout.lines().filter(|line| !line.is_empty()).count();
    for command in [&["list", "user"][..], &["bullet", "list", "user"], &["query", "fruit"], &["log", "--oneline"]] {
        let all = lines(&[command, &["-L", "99"]].concat());
        assert_eq!(lines(&[command, &["-L", "0"]].concat()), all, "{command:?}");
        assert!(lines(&[command, &["-L", "3"]].concat()) < all, "{command:?}");
        for wrong in ["-1", "-L", "x"] {
            let refused = memory.run([command, &["-L", wrong]].concat()).exit(2);
            assert!(!refused.stderr.contains("-- -1"), "{refused}");
            if wrong != "-L" {
                refused.stderr_contains("expected a whole number, 0 or more");
            }
        }
    }
    memory.done(["list", "user", "-L", "3"]).stderr_contains("9 more; -L 0 shows all");
    memory.done(["log", "-L", "11"]).stderr_contains("1 older entry not shown; -L 0 shows all");
    assert_eq!(memory.session().store.journal().unwrap().len(), 12);
}

#[test]
fn a_negative_number_is_no_option() {
    let memory = crate::support::Memory::new();
    for (words, reason) in [
        (&["query", "x", "-b", "-1"][..], "expected a whole number, 0 or more"),
        (&["context", "-b", "-1"], "expected a whole number, 0 or more"),
        (&["compact", "user", "--to", "-1"], "expected a number of 1 or more"),
        (&["query", "x", "--conf", "-0.5"], "expected a number from 0 to 1"),
        (&["query", "x", "--imp", "-1"], "from 0 to 10"),
        (&["add", "user", "x", "--imp", "-1"], "imp"),
        (&["add", "user", "x", "--lock-timeout", "-1"], "expected a number of seconds"),
    ] {
        let refused = memory.run(words).exit(2);
        assert!(!refused.stderr.contains("unexpected argument") && !refused.stderr.contains("-- -1"), "{refused}");
        refused.stderr_contains(reason);
    }
}
