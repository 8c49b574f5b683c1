//! Hostile addresses and hostile files, for every verb that takes an address: nothing outside is read, named or written.
//!
//! Never runs as root: as root each test starts itself again as user `nobody`, in a folder of that user.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};

use fs_err as fs;
use memdir::commands::{self, ChangeOptions, CheckOptions, ListOptions, LogOptions, Session};
use memdir::path::{Address, PathPrefixes};
use serde_json::{Value, json};

use crate::support::memory::{full, missing};
use crate::support::test_dir::{SetOnDrop, TestDirectory, below, passed_as_nobody};
use crate::support::{ProgramOutput, fast_store, open_session};

/// The content of every file outside, which must never be shown.
const CANARY: &str = "canary-7q3vx";
const USER: &str = "# User\n\n- Prefers tabs\n- Lives in Austin\n";

/// The commands with an address (`P`), options first; `<` gives stdin. A command may be listed several times.
const ROWS: &[(&str, &[&str])] = &[
    ("list", &["list", "--", "P"]),
    ("read", &["read", "--", "P"]),
    ("add", &["add", "--", "P", "text"]),
    ("update", &["update", "--", "P", "old", "new"]),
    ("rm", &["rm", "-f", "--", "P"]),
    ("restore", &["restore", "--", "P"]),
    ("mv", &["mv", "--", "P", "other"]),
    ("mv", &["mv", "--", "user", "P"]),
    ("mv", &["mv", "--", "user@acvh", "P"]),
    ("set", &["set", "--", "P", "summary=x"]),
    ("append", &["append", "-t", "T", "--", "P", "<"]),
    ("patch", &["patch", "--old", "a", "--new", "b", "--", "P"]),
    ("write", &["write", "-f", "--", "P", "<"]),
    ("edit", &["edit", "--", "P"]),
    ("bullet add", &["bullet", "add", "--", "P", "text"]),
    ("bullet del", &["bullet", "del", "--", "P", "text"]),
    ("bullet update", &["bullet", "update", "--", "P", "old", "new"]),
    ("bullet list", &["bullet", "list", "--", "P"]),
    ("log", &["log", "--", "P"]),
    ("diff", &["diff", "--", "r1", "P"]),
    ("diff", &["diff", "--since", "r1", "--", "P"]),
    ("compact", &["compact", "--to", "1", "--", "P"]),
    ("compact", &["compact", "--duplicates", "--", "P"]),
    ("check", &["check", "--", "P"]),
    ("resolve", &["resolve", "--", "P"]),
    ("export", &["export", "--to", "markdown", "--", "P"]),
    ("etag", &["etag", "--", "P"]),
    ("where", &["where", "--", "P"]),
    ("__complete", &["__complete", "--", "read", "P"]),
];

/// Verbs that take no address of a memory.
const WITHOUT: [&str; 26] = [
    "stats",
    "embed",
    "scope",
    "checkpoint",
    "prune",
    "import",
    "mcp",
    "reflect",
    "inbox",
    "context",
    "query",
    "init",
    "status",
    "apply",
    "show",
    "undo",
    "redo",
    "schema",
    "completions",
    "man",
    "setup",
    "sync",
    "merge",
    "merge-driver",
    "hook",
    "tool",
];

#[test]
fn every_command_is_attacked_or_takes_no_address() {
    let mut verbs = BTreeSet::new();
    for verb in memdir::cli::grammar().get_subcommands() {
        let name = verb.get_name().to_owned();
        let deeper: Vec<String> = verb.get_subcommands().map(|v| format!("{name} {}", v.get_name())).collect();
        verbs.extend(if deeper.is_empty() { vec![name] } else { deeper });
    }
    let known: BTreeSet<String> = ROWS.iter().map(|r| r.0).chain(WITHOUT).map(str::to_owned).collect();
    assert_eq!(verbs, known);
}

/// The hostile paths as (path, the grammar forbids it), and some that name the files outside.
fn paths(directory: &TestDirectory) -> Vec<(String, bool)> {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../../fixtures/hostile/paths.json")).expect("JSON");
    let row = |r: &Value| (r["path"].as_str().expect("a path").to_owned(), r["grammar"] == "refuse");
    let mut all: Vec<(String, bool)> = rows.iter().map(row).collect();
    let root = directory.root().to_str().expect("UTF-8");
    all.extend(
        [
            "../outside/secret.md".to_owned(),
            "memory/../outside/secret.md".into(),
            "../outside/secret".into(),
            format!("{root}/outside/secret.md"),
            format!("{root}/memory/../outside/secret.md"),
            format!("{root}/memory//../outside/secret.md"),
            format!("{root}/memoryx/secret.md"),
            format!("file://{root}/outside/secret.md"),
        ]
        .map(|path| (path, true)),
    );
    all
}

/// A data directory, and files with the canary around it.
fn guarded() -> TestDirectory {
    let directory = TestDirectory::new(&[("facts/user.md", USER)]);
    for folder in ["outside", "memoryx"] {
        fs::create_dir_all(directory.root().join(folder)).expect("made");
        fs::write(directory.root().join(folder).join("secret.md"), format!("# S\n\n- {CANARY}\n")).expect("written");
    }
    fs::write(directory.root().join("secret.md"), format!("- {CANARY}\n")).expect("written");
    directory
}

/// Everything but the data directory itself and what belongs to the user: their config, and the copies of an editor.
fn around(directory: &TestDirectory) -> std::collections::BTreeMap<String, Vec<u8>> {
    below(directory.root(), |path| !["memory", ".local", ".cache", ".config"].contains(&path))
}

fn run_row(directory: &TestDirectory, row: &[&str], path: &str) -> ProgramOutput {
    let line: Vec<&str> = row.iter().filter(|w| **w != "<").map(|w| if *w == "P" { path } else { w }).collect();
    if row.contains(&"<") { directory.run_with_stdin(&line, b"- new\n") } else { directory.run(&line) }
}

/// What a path that the grammar forbids may be answered with.
///
/// `#`, `@` end a name: what is left may be a good one that does not exist, or a bullet that a position does not prove.
/// A list marker in front makes it a text.
fn is_refusal(row: &[&str], path: &str, code: i32) -> bool {
    let reads = Address::parse(path, &PathPrefixes::default()).is_ok();
    match row[0] {
        "__complete" => code == 0,
        _ if path.starts_with(['-', '*', '+']) && path[1..].starts_with([' ', '\t']) => code != 0,
        // `-` is stdin, and a folder keeps the name: `mv user ./` is `mv user ./user`.
        "append" if path == "-" => code == 0,
        "mv" if path.ends_with('/') => [0, 3, 4, 5].contains(&code),
        "list" if path.trim_end_matches('/') == "facts" => code == 0,
        // A file that is gone may have a history; there is none here.
        "log" if reads => [0, 3, 5].contains(&code),
        _ if reads => [2, 3, 4, 5].contains(&code),
        _ => code == 5,
    }
}

#[test]
fn no_hostile_path_leaves_the_data_dir_through_the_program() {
    if passed_as_nobody() {
        return;
    }
    let full = full();
    let (each, mut tried, mut strict) = (if full { ROWS.len() } else { 3 }, 0, 0);
    let mut wrong = Vec::new();
    let mut directory = guarded();
    let (outside, inside) = (around(&directory), directory.files());
    for (number, (path, refuse)) in paths(&directory).iter().enumerate().filter(|(_, (p, _))| !p.contains('\0')) {
        if !refuse || path == "-" {
            directory = guarded();
        }
        for turn in 0..each {
            let (name, row) = ROWS[(number * each + turn) % ROWS.len()];
            let result = run_row(&directory, row, path);
            tried += 1;
            strict += usize::from(*refuse && result.status == 5);
            if result.stdout.contains(CANARY) || result.stderr.contains(CANARY) || result.stdout.contains("root:x:0") {
                wrong.push(format!("{name} {path:?} leaks: {result:?}"));
            }
            if *refuse && !is_refusal(row, path, result.status)
                || result.status < 0
                || result.status == 1
                || result.status > 7
            {
                wrong.push(format!("{name} {path:?} (refuse: {refuse}): {result:?}"));
            }
        }
        if *refuse && path != "-" && !path.ends_with('/') && directory.files() != inside {
            wrong.push(format!("{path:?} changed the memory"));
        }
        if around(&directory) != outside {
            wrong.push(format!("{path:?} changed something outside"));
        }
        if directory.files() != inside {
            directory = guarded();
        }
    }
    println!("{tried} command lines, {strict} refused with 5, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

fn session(directory: &TestDirectory) -> Session {
    let dir = directory.dir();
    let prefixes = PathPrefixes(vec![dir.to_string_lossy().into_owned(), "memory".into()]);
    Session { prefixes, ..open_session(&dir, "test", "version: 1\n", fast_store()) }
}

/// A result as text, so that those of different commands fit in one list.
fn debug<T: std::fmt::Debug>(result: Result<T, commands::Error>) -> Result<String, commands::Error> {
    result.map(|value| format!("{value:?}"))
}

#[test]
fn no_hostile_path_is_read_by_any_command_in_process() {
    if passed_as_nobody() {
        return;
    }
    let directory = guarded();
    let (outside, inside) = (around(&directory), directory.files());
    let session = session(&directory);
    let mut tried = 0;
    for (path, refuse) in paths(&directory) {
        let log = LogOptions { address: Some(path.clone()), ..LogOptions::default() };
        let verdicts = [
            debug(commands::list(&session, Some(&path))),
            debug(commands::read(&session, &path)),
            debug(commands::list_bullets(&session, &path, ListOptions::default())),
            debug(commands::log(&session, &log)),
            debug(commands::diff(&session, None, Some(&path))),
            debug(commands::path_of(&session, Some(&path))),
            debug(commands::check(
                &session,
                std::slice::from_ref(&path),
                &CheckOptions::default(),
                &ChangeOptions::default(),
            )),
        ];
        for (number, verdict) in verdicts.into_iter().enumerate() {
            tried += 1;
            let result = format!("{verdict:?}");
            assert!(!result.contains(CANARY) && !result.contains("root:x:0"), "{path:?} leaks: {result}");
            let code = verdict.err().map_or(0, |f| i32::from(f.rejections[0].code.exit()));
            let folder = number == 0 && path.trim_start_matches("./").trim_end_matches('/') == "facts";
            assert!(
                !refuse
                    || folder
                    || is_refusal(if [3, 4].contains(&number) { &["log"] } else { &["read"] }, &path, code),
                "{number} {path:?}: {result}"
            );
        }
    }
    println!("{tried} readings");
    assert!(tried > 4_000);
    assert!(around(&directory) == outside && directory.files() == inside, "something changed");
}

#[test]
fn every_operation_on_every_forbidden_path_is_refused_in_one_batch_each() {
    if passed_as_nobody() {
        return;
    }
    let directory = guarded();
    let (outside, inside) = (around(&directory), directory.files());
    let forbidden: Vec<String> =
        paths(&directory).into_iter().filter(|(p, refuse)| *refuse && !p.is_empty()).map(|(p, _)| p).collect();
    type Make = fn(&str) -> Value;
    let operations: [(&str, Make); 12] = [
        ("add", |p| json!({"op": "add", "at": p, "text": "x"})),
        ("update", |p| json!({"op": "update", "at": p, "old": "Prefers tabs", "text": "x"})),
        ("rm", |p| json!({"op": "rm", "at": p})),
        ("restore", |p| json!({"op": "restore", "at": p})),
        ("rm text", |p| json!({"op": "rm", "at": p, "text": "Prefers tabs"})),
        ("mv", |p| json!({"op": "mv", "at": p, "to": "other"})),
        ("mv to", |p| json!({"op": "mv", "at": "user", "to": p})),
        ("mv bullet to", |p| json!({"op": "mv", "at": "user@acvh", "to": p})),
        ("set", |p| json!({"op": "set", "at": p, "meta": {"summary": "x"}})),
        ("write", |p| json!({"op": "write", "at": p, "text": "x\n"})),
        ("patch", |p| json!({"op": "patch", "at": p, "pairs": [{"old": "tabs", "new": "x"}]})),
        ("append", |p| json!({"op": "append", "at": p, "text": "- x"})),
    ];
    let mut refused = 0;
    for (name, make) in operations {
        let batch: Vec<Value> = forbidden.iter().map(|p| make(p)).collect();
        let result = directory.run_with_stdin(&["--json", "apply"], Value::Array(batch).to_string().as_bytes());
        assert_ne!(result.status, 0, "{name}: {result:?}");
        assert!(!result.stderr.contains(CANARY), "{name} leaks");
        let error: Value = serde_json::from_str(&result.stderr).expect("one object");
        let failures = error["failures"].as_array().unwrap_or_else(|| panic!("{name}: {error}"));
        refused += failures.iter().filter(|f| f["code"] == "invalid_path").count();
        assert!(directory.files() == inside, "{name} changed the memory");
    }
    println!("{refused} operations refused as invalid_path of {}", operations.len() * forbidden.len());
    assert!(refused > 8 * forbidden.len(), "only {refused}");
    assert!(around(&directory) == outside, "something outside changed");
}

#[test]
fn an_impossible_name_is_refused_before_the_editor_starts() {
    let directory = guarded();
    let long = "a".repeat(256);
    for name in [&*long, "user^id", "a[b"] {
        for line in [&["edit", name][..], &["add", name, "x"], &["write", name, "-F", "secret.md"]] {
            let result = directory.run(line);
            assert_eq!((result.status, result.error_code().as_str()), (5, "invalid_path"), "{line:?}: {result:?}");
        }
    }
    assert_eq!(directory.files().len(), 3);
}

/// Things that are no plain files of this memory: (address, what it is).
const TRAPS: [(&str, &str); 11] = [
    ("facts/device.md", "a device"),
    ("facts/link.md", "a link to a file outside"),
    ("facts/near.md", "a link to a file inside"),
    ("facts/dangling.md", "a link to nothing"),
    ("facts/loop.md", "a link to itself"),
    ("facts/hard.md", "a second name of a file outside"),
    ("facts/fifo.md", "a FIFO"),
    ("facts/socket.md", "a socket"),
    ("facts/dir.md", "a directory"),
    ("door/secret.md", "a file behind a linked directory"),
    ("facts/up/secret.md", "a file behind a linked directory, deeper"),
];

fn trapped() -> TestDirectory {
    let directory = guarded();
    let facts = directory.dir().join("facts");
    symlink("../../outside/secret.md", facts.join("link.md")).expect("a link");
    symlink("user.md", facts.join("near.md")).expect("a link");
    symlink("../../outside/nothing.md", facts.join("dangling.md")).expect("a link");
    symlink("loop.md", facts.join("loop.md")).expect("a link");
    fs::hard_link(directory.root().join("outside/secret.md"), facts.join("hard.md")).expect("a hard link");
    let folder = std::fs::File::open(&facts).expect("open");
    rustix::fs::mkfifoat(&folder, "fifo.md", rustix::fs::Mode::from_raw_mode(0o600)).expect("a FIFO");
    drop(UnixListener::bind(facts.join("socket.md")).expect("a socket"));
    fs::create_dir(facts.join("dir.md")).expect("a folder");
    symlink("../outside", directory.dir().join("door")).expect("a link");
    symlink("../../outside", facts.join("up")).expect("a link");
    directory
}

#[test]
fn anything_but_a_plain_file_is_refused_by_every_command() {
    if passed_as_nobody() {
        return;
    }
    let directory = trapped();
    let theirs = std::env::var_os("MEMDIR_TEST_THEIRS").map(std::path::PathBuf::from);
    let device = theirs.map(|theirs| theirs.join("device.md")).filter(|device| device.exists());
    let traps = match device {
        Some(device) => {
            fs::rename(device, directory.dir().join("facts/device.md")).expect("moved in");
            &TRAPS[..]
        }
        None => {
            missing("only root can make a device");
            &TRAPS[1..]
        }
    };
    let (outside, inside) = (around(&directory), directory.files());
    let mut wrong = Vec::new();
    for (address, kind) in traps {
        for (name, row) in ROWS {
            let result = run_row(&directory, row, address);
            // A file is not moved over any existing file, folder or link.
            let taken = *row == ["mv", "--", "user", "P"] && result.error_code() == "exists";
            let fits = result.status == 5 || taken || *name == "__complete" && result.status == 0;
            if !fits || result.stdout.contains(CANARY) || result.stderr.contains(CANARY) {
                wrong.push(format!("{name} {row:?} on {kind}: {result:?}"));
            }
            if directory.files() != inside || around(&directory) != outside {
                wrong.push(format!("{name} on {kind} changed something"));
            }
        }
    }
    for line in [&["list"][..], &["status"], &["check"], &["list", "facts"], &["log"], &["diff"], &["rm", "@canary"]] {
        let result = directory.run(line);
        if result.stdout.contains(CANARY) || result.stderr.contains(CANARY) || result.status == 1 {
            wrong.push(format!("{line:?}: {result:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

#[test]
fn machine_state_and_policy_behind_links_are_refused() {
    if passed_as_nobody() {
        return;
    }
    for (name, to) in [(".memdir", "outside"), ("memdir.yaml", "secret.md"), ("inbox", "outside"), ("facts", "outside")]
    {
        let directory = guarded();
        let at = directory.dir().join(name);
        if at.is_dir() {
            fs::rename(&at, directory.root().join("aside")).expect("moved");
        } else if at.exists() {
            fs::remove_file(&at).expect("gone");
        }
        symlink(format!("../{to}"), &at).expect("a link");
        let outside = around(&directory);
        for line in [&["list"][..], &["add", "user", "x"], &["status"], &["undo"], &["check", "--fix"], &["log", "-p"]]
        {
            let result = directory.run(line);
            assert!(
                !result.stdout.contains(CANARY) && !result.stderr.contains(CANARY),
                "{name} {line:?} leaks: {result:?}"
            );
        }
        assert_eq!(directory.run(&["add", "user", "x"]).status, if name == "inbox" { 0 } else { 5 }, "{name}");
        assert!(around(&directory) == outside, "{name}: something outside changed");
    }
}

#[test]
fn nothing_is_made_through_links() {
    if passed_as_nobody() {
        return;
    }
    for name in ["memdir.yaml", "facts", "episodes", "procedures", "inbox", ".memdir", ".gitignore", "README.md"] {
        for option in ["--adopt", "--example"] {
            for to in ["../outside", "../outside/new", "../secret.md"] {
                let directory = guarded();
                fs::remove_dir_all(directory.dir()).expect("gone");
                fs::create_dir(directory.dir()).expect("made");
                symlink(to, directory.dir().join(name)).expect("a link");
                let outside = around(&directory);
                for line in [&["init", option, "memory"][..], &["-C", "memory", "add", "user", "x"]] {
                    let result = directory.run(line);
                    assert!(
                        !result.stdout.contains(CANARY) && !result.stderr.contains(CANARY),
                        "{name} {line:?}: {result:?}"
                    );
                }
                assert!(around(&directory) == outside, "{name} -> {to}: {option} changed something outside");
            }
        }
    }
}

#[test]
fn a_fifo_without_a_writer_is_not_waited_for() {
    let directory = guarded();
    let folder = std::fs::File::open(directory.root()).expect("open");
    rustix::fs::mkfifoat(&folder, "fifo", rustix::fs::Mode::from_raw_mode(0o600)).expect("a FIFO");
    for line in [&["add", "user", "-F", "fifo"][..], &["write", "new", "-F", "fifo"], &["apply", "-F", "fifo"]] {
        let result = directory.run(line);
        assert_eq!((result.status, result.error_code().as_str()), (2, "empty_input"), "{line:?}: {result:?}");
    }
}

#[test]
fn other_peoples_files_are_read_or_refused_and_never_half_written() {
    if passed_as_nobody() {
        return;
    }
    let Some(theirs) = std::env::var_os("MEMDIR_TEST_THEIRS").map(std::path::PathBuf::from) else {
        return missing("only root can make another user's file");
    };
    let directory = guarded();
    for name in ["theirs.md", "closed.md"] {
        fs::rename(theirs.join(name), directory.dir().join("facts").join(name)).expect("moved in");
    }
    let closed = directory.run(&["read", "facts/closed.md"]);
    assert_eq!((closed.status, closed.error_code().as_str()), (1, "io"), "{closed:?}");
    assert_eq!(directory.run(&["add", "facts/closed.md", "x"]).status, 1);
    assert!(directory.run(&["read", "facts/theirs.md"]).stdout.contains("another user's"));
    let added = directory.run(&["add", "facts/theirs.md", "ours"]);
    let text = directory.text("facts/theirs.md");
    let whole = if added.status == 0 { text.contains("- another user's\n- ours\n") } else { !text.contains("ours") };
    assert!(whole, "{added:?}: {text}");
    assert_eq!(directory.run(&["list"]).status, 0);
}

#[test]
fn a_file_that_is_swapped_for_a_link_again_and_again_leads_nowhere() {
    if passed_as_nobody() {
        return;
    }
    let directory = guarded();
    let outside = around(&directory);
    let facts = directory.dir().join("facts");
    symlink("../../outside/secret.md", facts.join("other")).expect("a link");
    symlink("../outside", directory.dir().join("door")).expect("a link");
    fs::create_dir(directory.dir().join("facts2")).expect("a folder");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let folder = std::fs::File::open(&facts).expect("open");
            while !over.load(Ordering::Relaxed) {
                let swap = rustix::fs::RenameFlags::EXCHANGE;
                let _ = rustix::fs::renameat_with(&folder, "user.md", &folder, "other", swap);
                std::thread::yield_now();
            }
        });
        let _ends = SetOnDrop(&over);
        for round in 0..60 {
            let text = format!("round {round}");
            for line in [&["read", "user"][..], &["list", "user"], &["add", "user", &text], &["write", "-f", "user"]] {
                let result = directory.run_with_stdin(line, b"# User\n\n- ours\n");
                assert!(
                    !result.stdout.contains(CANARY) && !result.stderr.contains(CANARY),
                    "{line:?} leaks: {result:?}"
                );
                assert!([0, 3, 5, 7].contains(&result.status), "{line:?}: {result:?}");
            }
        }
    });
    assert!(around(&directory) == outside, "something outside changed");
}
