//! Bad input of every kind: a clear error with a code, the words that nothing was changed, and every byte as it was.
//!
//! Text and `--json` alike. Tests that need closed files or full disks run without privileges, or report a skip.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use fs_err as fs;
use serde_json::Value;

use crate::support::test_dir::{TestDirectory, passed_as_nobody};
use crate::support::{Memory, ProgramOutput, program};

const USER: &str = "# User\n\n- Prefers tabs\n- Lives in Austin\n";
const CONFLICT: &str = "# C\n\n<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n";

/// A line must fail with this exit status and code, in text and in JSON, and change nothing.
#[track_caller]
fn refused(directory: &TestDirectory, line: &[&str], content: &[u8], exit: i32, code: &str) {
    let before = directory.files();
    let text = directory.run_with_stdin(line, content);
    assert_eq!((text.status, text.error_code().as_str()), (exit, code), "{line:?}: {text:?}");
    assert!(text.stdout.is_empty(), "{line:?}: {text:?}");
    assert_eq!(text.stderr.contains("nothing was changed"), may_change(line), "{line:?}: {text:?}");
    let json = directory.run_with_stdin(&[&["--json"], line].concat(), content);
    let error: Value = serde_json::from_str(&json.stderr).unwrap_or_else(|e| panic!("{line:?}: {e}: {json:?}"));
    assert_eq!((json.status, error["code"].as_str()), (exit, Some(code)), "{line:?}: {error}");
    assert_eq!((&error["v"], &error["changed"]), (&1.into(), &false.into()), "{line:?}: {error}");
    assert!(error["message"].as_str().is_some_and(|m| m.len() > 10) && error["try"].is_array(), "{line:?}: {error}");
    assert!(json.stdout.is_empty(), "{line:?}: {json:?}");
    assert!(directory.files() == before, "{line:?} changed something");
}

/// Whether the command of a line may change something; only then an error says that nothing was changed.
fn may_change(line: &[&str]) -> bool {
    let reads = [
        "list",
        "read",
        "query",
        "context",
        "status",
        "log",
        "show",
        "diff",
        "where",
        "schema",
        "man",
        "completions",
        "merge",
    ];
    let command = line.iter().find(|word| memdir::cli::grammar().find_subcommand(word).is_some());
    match command {
        Some(&"bullet") => !line.contains(&"list"),
        Some(&"check") => line.contains(&"--fix"),
        Some(&"inbox") => line.iter().any(|word| ["--accept", "--reject"].contains(word)),
        Some(command) => !reads.contains(command),
        None => false,
    }
}

/// A line must succeed.
#[track_caller]
fn done(directory: &TestDirectory, line: &[&str]) -> ProgramOutput {
    let result = directory.run(line);
    assert_eq!(result.status, 0, "{line:?}: {result:?}");
    result
}

/// Verbs that change a file, each as (line, content).
fn changes(file: &str) -> Vec<(Vec<&str>, &'static [u8])> {
    vec![
        (vec!["add", file, "x"], b""),
        (vec!["update", file, "a", "x"], b""),
        (vec!["rm", "-f", file], b""),
        (vec!["mv", file, "elsewhere"], b""),
        (vec!["set", file, "summary=x"], b""),
        (vec!["append", file], b"- x\n"),
        (vec!["patch", file, "--old", "a", "--new", "x"], b""),
        (vec!["write", "-f", file], b"x\n"),
        (vec!["bullet", "del", file, "a"], b""),
    ]
}

#[test]
fn files_that_are_no_text_are_refused_and_stay() {
    let directory = TestDirectory::new(&[("facts/user.md", USER)]);
    directory.put("facts/latin.md", b"# L\n\n- caf\xe9\n- a\n");
    directory.put("facts/nul.md", b"# N\n\n- a\0b\n- a\n");
    for file in ["facts/latin.md", "facts/nul.md"] {
        for (line, content) in changes(file) {
            // A whole file that is not parsed may be replaced or removed with `-f`.
            if !["rm", "write", "mv"].contains(&line[0]) {
                refused(&directory, &line, content, 5, "not_text");
            }
        }
        refused(&directory, &["list", file], b"", 5, "not_text");
        refused(&directory, &["bullet", "list", file], b"", 5, "not_text");
    }
    for line in [["read", "facts/latin.md", "-q"], ["read", "--json", "facts/latin.md"], ["read", "facts/nul.md", "-q"]]
    {
        let result = directory.run(&line);
        assert_eq!((result.status, result.error_code().as_str()), (5, "not_text"), "{line:?}: {result:?}");
    }
    done(&directory, &["list"]);
    done(&directory, &["status"]);
    done(&directory, &["add", "user", "still works"]);
}

#[test]
fn a_file_over_64_mib_is_refused_and_stays() {
    let directory = TestDirectory::new(&[("facts/user.md", USER)]);
    let file = std::fs::File::create(directory.dir().join("facts/huge.md")).expect("made");
    file.set_len(65 << 20).expect("sparse");
    let huge =
        || fs::metadata(directory.dir().join("facts/huge.md")).map(|m| (m.len(), m.modified().ok())).expect("there");
    let before = huge();
    for line in [&["read", "huge"][..], &["list", "huge"], &["add", "huge", "x"], &["rm", "-f", "huge"]] {
        let result = directory.run(line);
        assert_eq!((result.status, result.error_code().as_str()), (5, "too_large"), "{line:?}: {result:?}");
        assert_eq!(huge(), before, "{line:?}");
    }
    done(&directory, &["list"]);
    done(&directory, &["status"]);
}

#[test]
fn a_directory_where_a_file_is_expected_is_refused() {
    let directory = TestDirectory::new(&[("facts/user.md", USER)]);
    fs::create_dir_all(directory.dir().join("facts/dir.md")).expect("made");
    fs::create_dir_all(directory.dir().join("facts/plain")).expect("made");
    for (line, content) in changes("facts/dir.md") {
        refused(&directory, &line, content, 5, "unsafe_file");
    }
    refused(&directory, &["read", "facts/dir.md"], b"", 5, "unsafe_file");
    refused(&directory, &["add", "user", "-F", "memory/facts"], b"", 1, "io");
    refused(&directory, &["read", "facts/user.md/deeper"], b"", 3, "file_not_found");
    let result = directory.run(&["add", "facts/user.md/deeper", "x"]);
    assert!(result.status != 0 && directory.text("facts/user.md") == USER, "{result:?}");
}

#[test]
fn conflict_markers_make_a_file_read_only() {
    let directory = TestDirectory::new(&[("facts/c.md", CONFLICT)]);
    for (line, content) in changes("facts/c.md") {
        if line[0] != "mv" {
            refused(&directory, &line, content, 5, "conflict_markers");
        }
    }
    assert_eq!(done(&directory, &["read", "facts/c.md"]).stdout, CONFLICT);
    done(&directory, &["list", "facts/c.md"]);
    let result = directory.run(&["write", "fresh", "-F", "memory/facts/c.md"]);
    assert!(result.status == 0 || result.status == 5, "{result:?}");
}

#[test]
fn a_broken_policy_refuses_writes_with_its_line_and_allows_reads() {
    for (policy, line) in [("version: 1\nlimits: [\n", true), ("version: 1\nunknown_key: 1\n", true), ("- 1\n", false)]
    {
        let directory = TestDirectory::new(&[("facts/user.md", USER)]);
        directory.put("memdir.yaml", policy.as_bytes());
        refused(&directory, &["add", "user", "x"], b"", 5, "invalid_policy");
        refused(&directory, &["undo"], b"", 5, "invalid_policy");
        let result = directory.run(&["add", "user", "x"]);
        assert!(
            !line || result.stderr.contains("line 2") || result.stderr.contains("line 3"),
            "{policy:?}: {result:?}"
        );
        for read in [&["list"][..], &["read", "user"], &["list", "user"], &["status"]] {
            let result = done(&directory, read);
            assert!(result.stderr.contains("invalid_policy") || read == ["status"], "{policy:?} {read:?}: {result:?}");
        }
        let status = done(&directory, &["status"]).stderr;
        let reason = status.lines().next().unwrap().rsplit_once(": ").unwrap().1;
        assert_eq!(status.matches(reason).count(), 1, "{status}");
        assert!(status.contains("writes are disabled: see the warning before"), "{status}");
    }
    for (bytes, code) in [(&b"version: \xff\n"[..], "not_text"), (&[b'#'; 70_000][..], "too_large")] {
        let directory = TestDirectory::new(&[("facts/user.md", USER)]);
        directory.put("memdir.yaml", bytes);
        let result = directory.run(&["add", "user", "x"]);
        assert!(result.status == 5 && [code, "invalid_policy"].contains(&result.error_code().as_str()), "{result:?}");
        assert_eq!(directory.text("facts/user.md"), USER);
    }
}

#[test]
fn a_policy_of_a_newer_version_allows_reads() {
    let directory = TestDirectory::new(&[("facts/user.md", USER)]);
    directory.put("memdir.yaml", b"version: 99\nshiny: true\n");
    done(&directory, &["list"]);
    assert_eq!(done(&directory, &["read", "user"]).stdout, USER);
    refused(&directory, &["add", "user", "x"], b"", 5, "invalid_policy");
}

#[test]
fn operations_that_are_not_well_formed_are_refused() {
    let directory = TestDirectory::new(&[("facts/user.md", USER)]);
    let bad: [&[u8]; 16] = [
        b"{",
        b"nonsense",
        b"[1]",
        b"{}",
        b"{\"op\":\"add\"}",
        b"{\"op\":\"add\",\"at\":\"user\",\"text\":\"x\",\"colour\":1}",
        b"{\"op\":\"fly\",\"at\":\"user\"}",
        b"{\"op\":\"add\",\"at\":1,\"text\":\"x\"}",
        b"{\"op\":\"add\",\"at\":\"user\",\"text\":null}",
        b"{\"op\":\"rm\",\"at\":\"user\",\"index\":1.5}",
        b"{\"op\":\"rm\",\"at\":\"user\",\"index\":\"1\"}",
        b"{\"op\":\"rm\",\"at\":\"user\",\"index\":1e99}",
        b"{\"op\":\"rm\",\"at\":\"user\",\"index\":18446744073709551616}",
        b"{\"op\":\"add\",\"at\":\"user\",\"text\":\"x\"} trailing",
        b"{\"operations\":[{\"op\":\"add\",\"at\":\"user\",\"text\":\"x\"}],\"shiny\":1}",
        b"{\"op\":\"add\",\"at\":\"user\",\"text\":\"\\ud800\"}",
    ];
    for content in bad {
        refused(&directory, &["apply"], content, 2, "invalid_operation");
    }
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    refused(&directory, &["apply"], deep.as_bytes(), 2, "invalid_operation");
    let many = format!("[{}]", vec!["{\"op\":\"add\",\"at\":\"user\",\"text\":\"x\"}"; 1001].join(","));
    refused(&directory, &["apply"], many.as_bytes(), 5, "too_large");
    refused(&directory, &["apply"], b"", 2, "empty_input");
    refused(&directory, &["apply"], b" \n\t", 2, "empty_input");
    refused(
        &directory,
        &["apply"],
        b"{\"op\":\"add\",\"at\":\"user\",\"text\":\"a\\u0000b\"}",
        5,
        "would_break_structure",
    );
}

#[test]
fn negative_and_huge_indexes_find_nothing() {
    let directory = TestDirectory::new(&[("facts/user.md", USER)]);
    for index in ["-1", "0", "3", "4294967297", "9223372036854775807", "-9223372036854775808"] {
        refused(&directory, &["bullet", "del", "user", "--index", index, "-f"], b"", 3, "bullet_not_found");
        refused(&directory, &["bullet", "update", "user", "--index", index, "x", "-f"], b"", 3, "bullet_not_found");
        let operation = format!("{{\"op\":\"rm\",\"at\":\"user\",\"index\":{index}}}");
        let result = directory.run_with_stdin(&["apply", "-f"], operation.as_bytes());
        assert!(["bullet_not_found", "invalid_operation"].contains(&&*result.error_code()), "{index}: {result:?}");
    }
    for index in ["9223372036854775808", "99999999999999999999", "1.5", "one", ""] {
        refused(&directory, &["bullet", "del", "user", "--index", index, "-f"], b"", 2, "usage");
    }
    for at in ["user@0", "user@99999999999999999999999", "user@4294967297", "user@3"] {
        for line in [&["read", at][..], &["rm", "-f", at]] {
            let result = directory.run(line);
            assert!([2, 3, 5].contains(&result.status), "{line:?}: {result:?}");
            assert_eq!(directory.text("facts/user.md"), USER);
        }
    }
}

#[test]
fn empty_stdin_is_reported() {
    let directory = TestDirectory::new(&[("facts/user.md", USER)]);
    for line in [&["add", "user"][..], &["write", "new"], &["append"], &["patch", "user"], &["apply"]] {
        refused(&directory, line, b"", 2, "empty_input");
        refused(&directory, line, b"\xff\xfe", 5, "not_text");
        refused(&directory, line, b"a\0", 5, "not_text");
        refused(&directory, &[line, &["-F", "nowhere"]].concat(), b"", 3, "file_not_found");
    }
}

#[test]
fn without_a_data_dir_every_command_reports_that() {
    let directory = TestDirectory::new(&[]);
    fs::rename(directory.dir(), directory.root().join("elsewhere")).expect("moved");
    for line in [&["list"][..], &["read", "user"], &["add", "user", "x"], &["undo"], &["status"], &["check"]] {
        let result = directory.run(line);
        assert_eq!((result.status, result.error_code().as_str()), (3, "no_data_dir"), "{line:?}: {result:?}");
        assert!(result.stderr.contains("memdir init"), "{result:?}");
        let result = directory.run(&[&["-C", "nowhere"], line].concat());
        assert_eq!((result.status, result.error_code().as_str()), (3, "no_data_dir"), "{line:?}: {result:?}");
    }
    assert!(!directory.dir().exists());
}

#[test]
fn unreadable_files_and_read_only_folders_are_reported_and_unchanged() {
    if passed_as_nobody() {
        return;
    }
    let directory = TestDirectory::new(&[("facts/user.md", USER), ("facts/closed.md", USER)]);
    let mode = |path: &str, mode: u32| {
        fs::set_permissions(directory.dir().join(path), PermissionsExt::from_mode(mode)).expect("its mode");
    };
    mode("facts/closed.md", 0o000);
    for (line, content) in changes("facts/closed.md").into_iter().chain([(vec!["read", "facts/closed.md"], &b""[..])]) {
        refused(&directory, &line, content, 1, "io");
    }
    done(&directory, &["list"]);
    done(&directory, &["add", "user", "first"]);
    for folder in ["facts", ".memdir/undo", ".memdir", ""] {
        mode(folder, 0o555);
        for line in [&["add", "user", "x"][..], &["rm", "-f", "user"], &["add", "folder/fresh", "x"]] {
            let result = directory.run(line);
            // What is written lies in facts/ and undo/; the journal is only appended to.
            let possible = ["", ".memdir"].contains(&folder);
            assert!(
                result.status == 5 && result.error_code() == "read_only" || possible,
                "{folder} {line:?}: {result:?}"
            );
            if result.status == 0 {
                done(&directory, &["undo"]);
            }
        }
        for line in [&["list"][..], &["read", "user"], &["list", "user"], &["log"], &["status"], &["diff"]] {
            done(&directory, line);
        }
        mode(folder, 0o755);
        assert_eq!(directory.text("facts/user.md").matches("- first").count(), 1, "{folder}");
    }
    done(&directory, &["add", "user", "second"]);
    for folder in ["facts", ""] {
        mode(folder, 0o000);
        for line in [&["read", "user"][..], &["add", "user", "x"], &["list", "user"]] {
            let result = directory.run(line);
            assert!(
                [1, 3, 5].contains(&result.status) && !result.error_code().is_empty(),
                "{folder} {line:?}: {result:?}"
            );
        }
        mode(folder, 0o755);
    }
    assert!(directory.text("facts/user.md").ends_with("- first\n- second\n"));
}

/// Fills a tiny disk (in a mount namespace of its own) and goes on writing.
const FULL: &str = r#"
set -eu
mount -t tmpfs -o size=256k,mode=777 tmpfs "$1"
cd "$1"
mkdir -p memory/facts
printf 'version: 1\n' > memory/memdir.yaml
printf '# User\n\n- Prefers tabs\n' > memory/facts/user.md
"$2" add user first >/dev/null
cp -r memory/facts before
head -c 400000 /dev/zero > filler 2>/dev/null || true
for try in 1 2 3 4 5 6; do
    if "$2" --json add user "one more $try" >out 2>err.$try; then echo "done"; else echo "exit $?"; cat err.$try; fi
done 2>/dev/null || true
"$2" read user
rm filler
echo ---
"$2" add user last
"$2" read user
"#;

#[test]
fn a_full_disk_changes_nothing_and_is_reported() {
    let dir = tempfile::tempdir().expect("a folder");
    let script = [FULL, ""].concat();
    let run = |flags: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(flags).args(["sh", "-c", &script, "sh"]).arg(dir.path()).arg(program());
        command
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("GIT_AUTHOR_NAME", "test")
            .env("HOME", dir.path());
        command.output()
    };
    let flags: &[&str] = if rustix::process::geteuid().is_root() { &["-m"] } else { &["-rm"] };
    let output = match run(flags) {
        Ok(output) => output,
        Err(e) => return crate::support::memory::missing(&format!("a full disk needs unshare (util-linux): {e}")),
    };
    let (result, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if errors.contains("mount:") || errors.contains("unshare:") {
        return crate::support::memory::missing(&format!("a full disk needs a mount namespace of our own: {errors}"));
    }
    assert!(output.status.success(), "{result}\n{errors}");
    let (full, after) = result.split_once("---\n").unwrap_or_else(|| panic!("{result}\n{errors}"));
    assert!(full.contains("exit 1") || full.contains("exit 5"), "the disk was never full: {result}");
    let acknowledged = full.matches("done").count();
    assert_eq!(full.matches("- one more").count(), acknowledged, "{result}");
    assert!(full.contains("- first"), "{result}");
    assert_eq!(after.matches("- one more").count(), acknowledged, "{result}");
    assert!(after.contains("- last") && after.contains("- Prefers tabs\n- first\n"), "{result}");
}

#[test]
fn what_is_wrong_is_said_once_and_clearly() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Likes tea\n\n## Work\n\n- Desk\n");
    memory.run(["list", "@x"]).exit(5).stderr_contains("'@x' is not a memory path: no file before '@'");
    memory.run(["add", "#sec", "x"]).exit(5).stderr_contains("'#sec' is not a memory path: no file before '#'");
    let title = memory.run(["append", "-t", "a # b {#id}"]).stdin("Rested.\n").ends();
    assert!(title.stderr.contains("as a heading, 'a # b {#id}' is read as 'a # b'"), "{title}");
    let removed = memory.run(["rm", "user", "Likes tea"]).ends();
    assert_eq!(removed.stderr.matches("try: ").count(), 1, "{removed}");
    assert!(
        removed.stderr.contains("rm FILE '- TEXT'") && removed.stderr.contains("try: memdir list user"),
        "{removed}"
    );
    memory.done(["rm", "user", "- Likes tea"]);
    let etag =
        memory.run(["apply"]).stdin("[{\"op\":\"rm\",\"at\":\"user#work\",\"index\":1,\"text\":\"Chair\"}]").ends();
    assert!(etag.status != 0 && !etag.stderr.contains("nothing was removed"), "{etag}");
    let memory = Memory::new().policy("version: [\n");
    let refused = memory.run(["add", "user", "x"]).ends();
    assert_eq!(refused.stderr.matches("invalid YAML").count(), 1, "{refused}");
}
