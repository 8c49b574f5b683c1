//! Checkpoints: whole or not at all, for their owners only, and no part of the memory.
//!
//! What a kill leaves is tested in `faults/checkpoints.rs`.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::{CommandOutcome, Memory, memdir_command};

/// A state with everything that a parser could change: order, blanks, numbers beyond 64 bits, escapes, no line end.
const STATE: &str =
    "{ \"messages\": [\"h\\u00e9llo\", 1.10, 123456789012345678901234567890],\r\n\t\"a\": null, \"a\": 1 }";

fn save(memory: &Memory, key: &str, state: &str) -> CommandOutcome {
    memory.run(["--json", "checkpoint", "save", key]).stdin(state).exit(0)
}

fn keys(memory: &Memory) -> Vec<String> {
    let list = memory.done(["--json", "checkpoint", "list"]).json();
    list["checkpoints"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_state_is_loaded_byte_for_byte_as_it_was_saved() {
    let memory = Memory::new();
    memory.done(["checkpoint", "list"]).stdout("").stderr_contains("no checkpoints");
    let saved = save(&memory, "ana/thread-7", STATE).json();
    assert_eq!((&saved["outcome"], &saved["bytes"]), (&json!("saved"), &json!(STATE.len())));
    memory.done(["checkpoint", "load", "ana/thread-7"]).stdout(STATE).quiet();
    let loaded = memory.done(["--json", "checkpoint", "load", "ana/thread-7"]).json();
    assert_eq!((&loaded["text"], &loaded["etag"]), (&json!(STATE), &saved["etag"]));
    let later =
        memory.run(["checkpoint", "save", "ana/thread-7"]).stdin("[]").env("MEMDIR_NOW", "2026-02-25T13:00:00Z");
    later.exit(0).quiet();
    let list = memory.run(["--json", "checkpoint", "list"]).env("MEMDIR_NOW", "2026-02-25T13:00:30Z").exit(0).json();
    let expected = json!({
        "key": "ana/thread-7", "bytes": 2, "etag": "4f53cda18c2baa0c", "created": "2026-02-24T10:00:00Z",
        "updated": "2026-02-25T13:00:00Z", "age_seconds": 30,
    });
    assert_eq!(list["checkpoints"], json!([expected]));
    let text = memory.run(["checkpoint", "list"]).env("MEMDIR_NOW", "2026-02-28T13:00:00Z").exit(0);
    text.stdout("ana/thread-7  2B, 3d, etag 4f53cda18c2baa0c\n");
    memory.done(["checkpoint", "rm", "ana/thread-7"]).stdout_contains("removed ana/thread-7");
    assert_eq!(
        memory.run(["--json", "checkpoint", "load", "ana/thread-7"]).exit(3).error()["code"],
        "checkpoint_not_found"
    );
    memory.run(["checkpoint", "rm", "ana/thread-7"]).exit(3);
}

#[test]
fn only_the_user_can_read_the_file_and_an_upgrade_of_it() {
    let memory = Memory::new();
    save(&memory, "a", STATE);
    let folder = memory.dir().join(".memdir/checkpoints");
    let file = fs_err::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let mode = |path: &std::path::Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    // A later version may add to the header.
    let text = fs_err::read_to_string(&file).unwrap();
    fs_err::write(&file, text.replacen('{', "{\"host\":\"x\",", 1)).unwrap();
    memory.done(["checkpoint", "load", "a"]).stdout(STATE);
    fs_err::remove_file(&file).unwrap();
    fs_err::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    assert_eq!(memory.run(["--json", "checkpoint", "load", "a"]).exit(5).error()["code"], "unsafe_file");
}

#[test]
fn what_is_no_checkpoint_is_refused_and_the_one_before_stays() {
    let memory = Memory::new();
    save(&memory, "a", STATE);
    let refused = |key: &str, state: &str| {
        let error = memory.run(["--json", "checkpoint", "save", key]).stdin(state).ends();
        (error.status, error.error()["code"].as_str().unwrap().to_owned(), error.error())
    };
    let (status, code, error) = refused("a", "{\"a\":\n 1,}");
    assert_eq!((status, &*code, &error["details"]["line"]), (2, "invalid_checkpoint", &json!(2)));
    assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
    assert_eq!(refused("", "{}").1, "invalid_checkpoint");
    assert_eq!(refused(&"k".repeat(201), "{}").1, "invalid_checkpoint");
    let large = format!("\"{}\"", "x".repeat(16 << 20));
    assert_eq!((refused("a", &large).0, &*refused("a", &large).1), (5, "too_large"));
    memory.done(["checkpoint", "load", "a"]).stdout(STATE);
    for line in [
        &["checkpoint", "save"][..],
        &["checkpoint", "list", "a"],
        &["checkpoint", "load", "a", "-F", "x"],
        &["checkpoint", "load", "a", "--if-match", "01234567"],
        &["checkpoint", "save", "a", "{}"],
    ] {
        assert_eq!(memory.run(line).exit(2).stderr.split(": ").nth(1), Some("usage"), "{line:?}");
    }
    let broken = memory.policy("version: 1\nunknown: 1\n");
    broken.run(["checkpoint", "save", "a"]).stdin("{}").exit(5).stderr_contains("invalid_policy");
    broken.done(["checkpoint", "load", "a"]).stdout(STATE);
}

#[test]
fn a_checkpoint_that_changed_is_not_replaced() {
    let memory = Memory::new();
    let etag = save(&memory, "a", "1").json()["etag"].as_str().unwrap().to_owned();
    let with = |etag: &str, state: &str| {
        memory.run(["--json", "checkpoint", "save", "a", "--if-match", etag]).stdin(state).ends()
    };
    let second = with(&etag, "2").json()["etag"].clone();
    let error = with(&etag, "3");
    assert_eq!((error.status, &error.error()["code"]), (4, &json!("conflict")));
    assert_eq!(error.error()["details"]["etag"], second);
    memory.run(["checkpoint", "rm", "a", "--if-match", &etag]).exit(4);
    memory.done(["checkpoint", "load", "a"]).stdout("2");
    memory.done(["checkpoint", "rm", "a", "--if-match", second.as_str().unwrap()]);
    let gone = with(&etag, "4");
    assert_eq!((gone.status, &gone.error()["details"]["etag"]), (4, &Value::Null));
}

/// Starts a program that saves a state.
fn start_saving(memory: &Memory, state: &str, options: &[&str]) -> Child {
    let mut command = memdir_command(memory.dir().parent().unwrap());
    command.args(["checkpoint", "save", "a"]).args(options).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(state.as_bytes()).unwrap();
    child
}

#[test]
fn of_several_writers_at_once_one_wins_whole() {
    let memory = Memory::new();
    let states: Vec<String> = (0..8).map(|n| format!("[\"{}\"]", n.to_string().repeat(200_000))).collect();
    let etag = save(&memory, "a", "0").json()["etag"].as_str().unwrap().to_owned();
    let writers: Vec<Child> = states.iter().map(|state| start_saving(&memory, state, &["--if-match", &etag])).collect();
    let ends: Vec<i32> = writers.into_iter().map(|mut w| w.wait().unwrap().code().unwrap()).collect();
    let winner = ends.iter().position(|status| *status == 0).unwrap();
    assert!(ends.iter().enumerate().all(|(n, status)| *status == if n == winner { 0 } else { 4 }), "{ends:?}");
    memory.done(["checkpoint", "load", "a"]).stdout(&states[winner]);
    // Without an etag the last one wins, and a reader sees a whole one at any time.
    let mut writers: Vec<Child> = states.iter().map(|state| start_saving(&memory, state, &[])).collect();
    loop {
        let running = writers.iter_mut().any(|writer| writer.try_wait().unwrap().is_none());
        let loaded = memory.done(["checkpoint", "load", "a"]).stdout;
        assert!(states.contains(&loaded), "{}", loaded.len());
        if !running {
            break;
        }
    }
    assert!(writers.into_iter().all(|mut writer| writer.wait().unwrap().success()));
    assert_eq!(fs_err::read_dir(memory.dir().join(".memdir/checkpoints")).unwrap().count(), 1);
}

#[test]
fn a_checkpoint_is_no_memory() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Prefers tabs\n");
    memory.done(["add", "user", "Likes tea"]);
    let outputs = |memory: &Memory| {
        let lines: [&[&str]; 7] = [
            &["list"],
            &["query", "zebra"],
            &["context", "-n"],
            &["log", "--json"],
            &["export", "--to", "json"],
            &["check"],
            &["status", "--json"],
        ];
        lines.map(|line| memory.run(line).ends().stdout)
    };
    let before = outputs(&memory);
    memory.run(["checkpoint", "save", "zebra"]).stdin("{\"zebra\": 1}").exit(0).unchanged();
    assert_eq!(outputs(&memory), before);
    memory.done(["undo"]).stdout_contains("undone r1");
    assert_eq!(keys(&memory), ["zebra"]);
}

#[test]
fn a_scope_has_checkpoints_of_its_own() {
    let memory = Memory::new();
    memory.done(["scope", "add", "web"]);
    save(&memory, "a", "1");
    memory.run(["-S", "web", "checkpoint", "load", "a"]).exit(3);
    memory.run(["-S", "web", "checkpoint", "save", "a"]).stdin("2").exit(0);
    memory.done(["checkpoint", "load", "a"]).stdout("1");
    memory.done(["-S", "web", "checkpoint", "load", "a"]).stdout("2");
}

#[test]
fn an_allowlist_that_hides_nothing_keeps_the_keys_of_others_apart() {
    let memory = Memory::new().policy("version: 2\nallowlists: {planner: [work], ana: [work]}\n");
    save(&memory, "ana/one", "1");
    for command in ["load", "rm"] {
        memory.run(["checkpoint", command, "ana/one"]).by("planner").exit(5).unchanged();
    }
    assert_eq!(keys(&memory), ["ana/one"]);
}

#[test]
fn an_agent_with_an_allowlist_has_only_the_keys_below_its_name() {
    let policy = "version: 2\ncategories: {custom: [{name: work}, {name: health}]}\nallowlists: {planner: [work], 'a/b': [work]}\n\
                  checkpoints: {keep: 1}\n";
    let memory = Memory::new().policy(policy);
    save(&memory, "ana/one", "1");
    save(&memory, "planner/of-ana", "1");
    let agent = |line: &[&str], name: &str| memory.run(line).stdin("{}").by(name).ends();
    let refused = agent(&["--json", "checkpoint", "load", "ana/one"], "planner");
    assert_eq!((refused.status, &refused.error()["code"]), (5, &json!("category_not_allowed")));
    assert_eq!(agent(&["--json", "checkpoint", "load", "ana/none"], "planner").stderr, refused.stderr, "no oracle");
    for line in [&["checkpoint", "save", "planner"][..], &["checkpoint", "rm", "ana/one"], &["checkpoint", "save", ""]]
    {
        assert_ne!(agent(line, "planner").status, 0, "{line:?}");
    }
    assert_eq!(agent(&["checkpoint", "save", "a/b/c"], "a/b").status, 5, "it could be the agent 'a' as well");
    // What it saves prunes its own, not those of others.
    agent(&["checkpoint", "save", "planner/two"], "planner").stdout_contains("pruned planner/of-ana");
    assert_eq!(agent(&["checkpoint", "list"], "planner").stdout.lines().count(), 1);
    assert_eq!(keys(&memory), ["ana/one", "planner/two"]);
}

#[test]
fn the_policy_prunes_at_a_save_and_with_prune() {
    let memory = Memory::new();
    let save_at = |key: &str, at: &str| {
        memory.run(["checkpoint", "save", key]).stdin("{}").env("MEMDIR_NOW", at).exit(0);
    };
    for (key, at) in
        [("ana/1", "2026-02-01"), ("ana/2", "2026-02-02"), ("ana/3", "2026-02-03"), ("bob/1", "2026-01-01")]
    {
        save_at(key, at);
    }
    let memory = memory.policy("version: 2\ncheckpoints: {keep: 2, days: 40}\n");
    let expected = "removed checkpoint ana/1\n  checkpoints: keep 2\nremoved checkpoint bob/1\n  checkpoints: 40 days, last saved 2026-01-01\n";
    memory.done(["prune", "-n"]).stdout_contains(expected);
    assert_eq!(keys(&memory).len(), 4);
    memory.done(["prune"]).stdout(expected).stderr_contains("2 checkpoints removed").unchanged();
    assert_eq!(keys(&memory), ["ana/2", "ana/3"]);
    let saved = memory.run(["--json", "checkpoint", "save", "ana/4"]).stdin("{}").exit(0).json();
    assert_eq!(saved["pruned"][0]["address"], "ana/2");
    // A clock that jumped removes nothing for its age.
    memory.run(["checkpoint", "save", "ana/5"]).stdin("{}").env("MEMDIR_NOW", "2036-02-24").exit(0);
    assert_eq!(keys(&memory), ["ana/4", "ana/5"]);
    memory
        .policy("version: 1\ncheckpoints: {keep: 2}\n")
        .run(["add", "user", "x"])
        .exit(5)
        .stderr_contains("version: 2");
}

#[test]
fn messages_about_nothing_name_what_is_there() {
    let memory = Memory::new();
    let hint = "hint: pipe the text in, or name a file with -F; `add` and `update` also take it as an argument";
    for words in [&["checkpoint", "save", "k"][..], &["write", "user"], &["append", "-t", "x"], &["apply"]] {
        memory.run(words).stdin("").exit(2).stderr_contains(hint);
    }
    let save = memory.run(["checkpoint", "save", "k", "--if-match", "0123456789"]).stdin("{}").exit(4);
    save.stderr_contains("conflict: there is no checkpoint 'k', so it has no etag");
}

#[test]
fn a_damaged_checkpoint_is_listed_and_can_be_removed() {
    let memory = Memory::new();
    ["a", "b", "c"].iter().for_each(|key| drop(save(&memory, key, "{}")));
    let path = |key: &str| format!(".memdir/checkpoints/{}", memdir::change::Etag::of(key.as_bytes()).hex());
    memory.put(&path("b"), "no checkpoint");
    // Cut by one byte: the header is whole.
    let whole = std::fs::read(memory.dir().join(path("c"))).unwrap();
    memory.put(&path("c"), &whole[..whole.len() - 1]);
    let mut damaged = [path("b"), path("c")];
    damaged.sort();
    let listed = memory.run(["checkpoint", "list"]).exit(0);
    assert_eq!(listed.stdout.lines().count(), 1, "{listed}");
    for path in &damaged {
        let note = format!("{path} is a checkpoint that another program damaged");
        assert!(listed.stderr.contains(&note), "{listed}");
    }
    assert_eq!(memory.run(["checkpoint", "list", "--json"]).exit(0).json()["damaged"], json!(damaged));
    memory.run(["checkpoint", "load", "b"]).exit(2).stderr_contains("damaged");
    for words in [&["checkpoint", "save", "b"][..], &["checkpoint", "rm", "b"]] {
        let line: Vec<&str> = words.iter().copied().chain(["--if-match", "0123456789"]).collect();
        let refused = memory.run(line).stdin("{}").exit(4).unchanged();
        refused.stderr_contains("the checkpoint 'b' was damaged by another program, so its etag is unknown");
    }
    memory.done(["checkpoint", "rm", "b"]).stdout("removed b  damaged\n");
    memory.put(&path("b"), "no checkpoint");
    let removed = memory.done(["checkpoint", "rm", "b", "--json"]).json();
    let expected = json!({"key": "b", "damaged": true, "outcome": "removed", "pruned": []});
    let part = |key: &str| (removed.get(key).cloned(), expected.get(key).cloned());
    for key in ["key", "damaged", "outcome", "pruned", "bytes", "etag", "created", "updated", "age_seconds"] {
        let (is, should_be) = part(key);
        assert_eq!(is, should_be, "{key} {removed}");
    }
    save(&memory, "c", "{}");
    assert_eq!(memory.run(["checkpoint", "list", "--json"]).exit(0).json()["damaged"], json!(null));
    // A damaged file does not say whose it is.
    memory.put(&path("b"), "no checkpoint");
    let memory = memory.policy("version: 1\nallowlists: {planner: [fact]}\n");
    let listed = memory.run(["checkpoint", "list"]).by("planner").exit(0);
    assert_eq!(listed.stderr, "memdir: no checkpoints; `memdir checkpoint save KEY` saves one\n");
}

#[test]
fn an_etag_that_is_too_short_is_no_conflict() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- A\n");
    save(&memory, "a", "{}");
    for etag in ["abc", "0123456", "zzzzzzzzzz", ""] {
        for words in [&["checkpoint", "save", "a"][..], &["checkpoint", "rm", "a"], &["add", "user", "B"]] {
            let line: Vec<&str> = words.iter().copied().chain(["--if-match", etag]).collect();
            memory.run(line).stdin("{}").exit(2).unchanged().stderr_contains("8 to 64 hex digits");
        }
    }
}
