//! Recovery from what happens to real directories: torn and flipped journals, lost machine state, git, other mounts,
//! other people's files, clocks that jump.
//!
//! Never leaves its own folder; tests that need privileges run in namespaces of their own or report a skip.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memdir::change::{Changeset, EntryHeader, EntryOutcome, FileChange};

use crate::support::memory::{DataDirectory, apply, full, missing, path};
use crate::support::test_dir::copy_program;
use crate::support::{Memory, ProgramOutput, clean_command, program};

const USER: &str = "# User\n\n- Lives in Austin\n";

/// Three revisions, the last of them a batch over two files.
fn three() -> DataDirectory {
    let memory = DataDirectory::new(&[("facts/user.md", USER), ("facts/other.md", "# Other\n\n- One\n")]);
    memory.done(&["add", "user", "Keeps bees"]);
    memory.done(&["add", "other", "Two"]);
    let session = memory.session("t");
    apply(&session, r#"[{"op":"add","at":"user","text":"Last"},{"op":"add","at":"other","text":"Last"}]"#).unwrap();
    memory
}

/// Moves a memory away, to be copied back.
fn set_aside(memory: &DataDirectory, saved: &Path) {
    std::fs::rename(memory.path(""), saved).unwrap();
}

/// Puts one folder in another's place, modes included.
fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    for entry in walkdir::WalkDir::new(from).into_iter().map(Result::unwrap) {
        let at = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(at).unwrap();
        } else {
            std::fs::copy(entry.path(), at).unwrap();
        }
    }
}

/// Whatever is in the journal, the next command works, people's texts stay, and the journal is whole again.
fn survives(memory: &DataDirectory, what: &str) {
    let texts = [memory.text("facts/user.md"), memory.text("facts/other.md")];
    let session = memory.session("t");
    apply(&session, r#"[{"op":"add","at":"user","text":"After"}]"#).unwrap_or_else(|why| panic!("{what}: {why:?}"));
    assert_eq!(memory.text("facts/user.md"), texts[0].clone() + "- After\n", "{what}");
    assert_eq!(memory.text("facts/other.md"), texts[1], "{what}");
    let entries = session.store.journal().unwrap();
    let last = entries.last().unwrap();
    assert!(entries.iter().all(|e| e.outcome != EntryOutcome::Pending), "{what}");
    assert!(entries.iter().all(|e| e.rev < last.rev || e == last), "{what}");
    memdir::commands::status(&session).unwrap_or_else(|why| panic!("{what}: {why:?}"));
    // What was just done is undone, byte for byte.
    let how = memdir::commands::ChangeOptions::default();
    memdir::commands::undo(&session, &memdir::commands::UndoOptions::default(), &how)
        .unwrap_or_else(|why| panic!("{what}: {why:?}"));
    assert_eq!(memory.text("facts/user.md"), texts[0], "{what}");
}

#[test]
fn a_journal_cut_at_any_byte_of_its_last_three_records_serves_the_next_command() {
    let memory = three();
    let journal = memory.path(".memdir/journal");
    let whole = std::fs::read(&journal).unwrap();
    let saved = memory.root().join("saved");
    set_aside(&memory, &saved);
    for cut in (0..whole.len()).step_by(if full() { 1 } else { 7 }) {
        copy(&saved, &memory.path(""));
        std::fs::write(&journal, &whole[..cut]).unwrap();
        survives(&memory, &format!("cut at {cut} of {}", whole.len()));
    }
}

/// A process that copies a memory while another of its threads starts a program has a descriptor of the copy in that
/// child for a moment, open for writing.
#[cfg(target_os = "linux")]
#[test]
fn a_slot_that_is_open_for_writing_for_a_moment_takes_back_nothing() {
    let memory = three();
    let journal = memory.path(".memdir/journal");
    let whole = std::fs::read(&journal).unwrap();
    std::fs::write(&journal, &whole[..whole.len() - 4]).unwrap();
    let slot = memory.path(".memdir/undo/3-1");
    let copied = std::fs::read(&slot).unwrap();
    std::fs::remove_file(&slot).unwrap();
    std::fs::write(&slot, copied).unwrap();
    let writer = std::fs::OpenOptions::new().append(true).open(&slot).unwrap();
    let mut command = clean_command(program(), memory.root());
    command.arg("--dir").arg(memory.path("")).args(["add", "user", "After"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The writer ends once the command has met it.
    let descriptors = std::path::PathBuf::from(format!("/proc/{}/fd", child.id()));
    let has_met = || {
        let open = std::fs::read_dir(&descriptors).into_iter().flatten().flatten();
        open.filter_map(|fd| std::fs::read_link(fd.path()).ok()).any(|at| at == slot)
    };
    while !has_met() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    drop(writer);
    assert!(child.wait().unwrap().success());
    assert!(memory.text("facts/user.md").ends_with("- Last\n- After\n"), "{}", memory.text("facts/user.md"));
    assert!(memory.text("facts/other.md").ends_with("- Last\n"), "{}", memory.text("facts/other.md"));
}

#[test]
fn a_flipped_bit_anywhere_in_the_journal_serves_the_next_command() {
    let memory = three();
    let journal = memory.path(".memdir/journal");
    let whole = std::fs::read(&journal).unwrap();
    let saved = memory.root().join("saved");
    set_aside(&memory, &saved);
    for at in (0..whole.len()).step_by(if full() { 1 } else { 11 }) {
        let mut spoilt = whole.clone();
        spoilt[at] ^= 1 << (at % 8);
        copy(&saved, &memory.path(""));
        std::fs::write(&journal, &spoilt).unwrap();
        survives(&memory, &format!("bit {} of byte {at}", at % 8));
    }
}

#[test]
fn lost_slots_cost_history_and_nothing_else() {
    let memory = three();
    std::fs::remove_dir_all(memory.path(".memdir/undo")).unwrap();
    survives(&memory, "no slots");
    // A small change is restored from the journal alone.
    std::fs::remove_dir_all(memory.path(".memdir/undo")).unwrap();
    memory.done(&["undo", "r3"]);
    assert!(!memory.text("facts/user.md").contains("Last") && !memory.text("facts/other.md").contains("Last"));
}

#[test]
fn machine_state_that_is_taken_away_before_any_step_leaves_each_file_old_or_new() {
    let mut answers = BTreeMap::new();
    for step in 0..20 {
        let memory = DataDirectory::new(&[("facts/a.md", "a\n"), ("facts/b.md", "b\n")]);
        let session = memory.session("t");
        let change = |name: &str, after: &str| FileChange {
            path: path(name),
            before: session.store.read(&path(name)).unwrap(),
            after: Some(Arc::new(after.into())),
            mode: None,
            edits: None,
            moved: None,
            summary: None,
        };
        let files = vec![change("facts/a.md", "aa\n"), change("facts/b.md", "bb\n")];
        let changeset = Changeset { files, ..Changeset::default() };
        let header = EntryHeader {
            at: "2026-02-24T10:00:00Z".into(),
            actor: "t".into(),
            reason: None,
            source: None,
            consent: None,
            request: None,
            request_digest: None,
        };
        let (locked, _) = session.store.lock().unwrap();
        let answer = locked.commit_watched(&changeset, &header, None, &mut |n| {
            if n == step {
                let _ = std::fs::remove_dir_all(memory.path(".memdir"));
            }
            true
        });
        drop(locked);
        let now = [memory.text("facts/a.md"), memory.text("facts/b.md")];
        let result = match &answer {
            Some(Ok(_)) => Some(true),
            Some(Err(memdir::store::CommitStopped::Rejected(why))) => why.changed,
            _ => Some(false),
        };
        let new = [now[0] == "aa\n", now[1] == "bb\n"];
        assert!(new[0] || now[0] == "a\n", "{step}: {now:?}");
        assert!(new[1] || now[1] == "b\n", "{step}: {now:?}");
        // The report is true of both files; a half batch is reported as unknown.
        assert!(result.is_none() || result == Some(new[0]) && result == Some(new[1]), "{step}: {answer:?} but {now:?}");
        *answers.entry(result).or_insert(0) += 1;
        // And the memory goes on.
        memory.done(&["add", "other", "After", "--create"]);
    }
    println!("recovery: machine state taken away: {answers:?}");
}

fn git(memory: &DataDirectory, line: &[&str]) -> ProgramOutput {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]);
    command.env("HOME", memory.root()).env("GIT_CONFIG_NOSYSTEM", "1").current_dir(memory.root()).args(line);
    ProgramOutput::of(command.stdin(Stdio::null()))
}

fn repository() -> DataDirectory {
    let memory = DataDirectory::new(&[("facts/user.md", USER), ("facts/other.md", "# Other\n\n- One\n")]);
    for line in
        [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-qm", "one"], &["checkout", "-qb", "side"]]
    {
        let result = git(&memory, line);
        assert_eq!(result.status, 0, "{line:?}: {result:?}");
    }
    memory.done(&["add", "user", "Of the side"]);
    for line in [&["commit", "-qam", "two"][..], &["checkout", "-q", "main"]] {
        let result = git(&memory, line);
        assert_eq!(result.status, 0, "{line:?}: {result:?}");
    }
    memory
}

#[test]
fn git_between_commands_is_an_outside_edit() {
    let memory = repository();
    let other = DataDirectory::new(&[]);
    let clone = git(&memory, &["clone", "-q", ".", other.path("clone").to_str().unwrap()]);
    assert_eq!(clone.status, 0, "{clone:?}");
    for line in [
        &["checkout", "-q", "side"][..],
        &["stash", "-q"],
        &["stash", "pop", "-q"],
        &["checkout", "-q", "."],
        &["clean", "-qxdf"],
        &["checkout", "-q", "main"],
        &["reset", "-q", "--hard"],
        &["clean", "-qxdf"],
        &["merge", "-q", "side"],
        &["pull", "-q", ".", "side"],
    ] {
        let result = git(&memory, line);
        assert!(result.status >= 0, "{result:?}");
        memory.done(&["add", "user", "Between"]);
        assert!(memory.text("facts/user.md").contains("- Between\n"));
        for look in [&["status"][..], &["log"], &["list", "user"], &["check"]] {
            assert!(matches!(memory.run(look).status, 0 | 6), "{look:?} after {line:?}");
        }
        memory.done(&["undo"]);
        assert!(!memory.text("facts/user.md").contains("- Between\n"), "{line:?}");
    }
    let seen = git(&memory, &["status", "--porcelain", "--ignored"]);
    assert!(!seen.stdout.contains("?? memory/.memdir"), "machine state ignores itself: {}", seen.stdout);
}

#[test]
fn git_during_commands_tears_no_file() {
    let memory = repository();
    let stop = AtomicBool::new(false);
    let mut result = BTreeMap::<i32, usize>::new();
    let (mut turns, mut wrong) = (0, Vec::new());
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let lines: [&[&str]; 6] = [
                &["checkout", "-qf", "side"],
                &["stash", "-q"],
                &["clean", "-qxdf"],
                &["checkout", "-qf", "main"],
                &["stash", "pop", "-q"],
                &["checkout", "-qf", "."],
            ];
            let mut turns = 0;
            while !stop.load(Ordering::Relaxed) {
                git(&memory, lines[turns % lines.len()]);
                turns += 1;
            }
            turns
        });
        for n in 0..40 {
            let run_output = memory.run(&["add", "user", &format!("During {n}")]);
            *result.entry(run_output.status).or_default() += 1;
            let text = memory.text("facts/user.md");
            let whole = text.is_empty() || text.starts_with("# User\n") && text.ends_with('\n');
            // Checked at the end: a panic here would leave the other thread at work.
            let unknown = run_output.stderr.contains("outcome_unknown") && run_output.status == 1;
            if !whole || !(unknown || matches!(run_output.status, 0 | 4 | 5 | 7)) {
                wrong.push(format!("{run_output:?}: {text}"));
            }
        }
        stop.store(true, Ordering::Relaxed);
        turns = other.join().unwrap();
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
    println!("recovery: 40 adds during {turns} git commands, by exit {result:?}");
    git(&memory, &["checkout", "-qf", "main"]);
    memory.done(&["add", "user", "After"]);
    assert_eq!(git(&memory, &["fsck", "--strict"]).status, 0);
}

#[test]
fn a_clock_that_jumps_back_changes_no_order() {
    let memory = DataDirectory::new(&[("facts/user.md", USER)]);
    for (now, text) in [("2026-02-24", "First"), ("1999-01-01", "Second"), ("2038-01-20T04:00:00Z", "Third")] {
        let mut command = memory.command(&["add", "user", text]);
        assert_eq!(ProgramOutput::of(command.env("MEMDIR_NOW", now)).status, 0);
    }
    for text in ["Third", "Second", "First"] {
        assert!(memory.text("facts/user.md").contains(text));
        memory.done(&["undo"]);
        assert!(!memory.text("facts/user.md").contains(text));
    }
    assert_eq!(memory.text("facts/user.md"), USER);
    let log = memory.done(&["log"]);
    let (first, last) = (log.find("r1").unwrap(), log.find("r6").unwrap());
    assert!(last < first, "newest first: {log}");
}

#[test]
fn a_switch_supports_file_systems_without_atomic_exchange() {
    let memory = DataDirectory::new(&[("facts/user.md", USER)]);
    for (n, value) in ["1", ""].into_iter().enumerate() {
        let mut command = memory.command(&["add", "user", &format!("Number {n}")]);
        assert_eq!(ProgramOutput::of(command.env("MEMDIR_NO_EXCHANGE", value)).status, 0);
    }
    memory.done(&["undo", "r1"]);
    assert_eq!(memory.text("facts/user.md"), format!("{USER}- Number 1\n"));
}

const INSIDE: &str = "MEMDIR_TEST_INSIDE";

/// Runs inside a mount namespace of its own, where `facts/` is another file system.
fn mounted(root: String) {
    let dir = Path::new(&root).join("memory");
    let mount = Command::new("mount").args(["-t", "tmpfs", "none"]).arg(dir.join("facts")).status();
    if !mount.is_ok_and(|status| status.success()) {
        println!("no mount");
        return;
    }
    std::fs::write(dir.join("facts/user.md"), USER).unwrap();
    let run = |line: &[&str]| {
        let mut command = clean_command(program(), Path::new(&root));
        ProgramOutput::of(command.env("MEMDIR", &dir).args(line))
    };
    for line in [&["add", "user", "x"][..], &["read", "user"], &["rm", "user", "-f"], &["add", "new", "x"]] {
        let run_output = run(line);
        assert_eq!(run_output.status, 5, "{line:?}: {run_output:?}");
        assert!(
            run_output.stderr.starts_with("memdir: unsafe_file: ") && run_output.stderr.contains("mount"),
            "{run_output:?}"
        );
    }
    assert_eq!(run(&["list"]).status, 0);
    assert_eq!(std::fs::read_to_string(dir.join("facts/user.md")).unwrap(), USER);
    println!("MOUNTED");
}

#[test]
fn a_folder_on_another_mount_is_refused_in_plain_words() {
    if let Ok(root) = std::env::var(INSIDE) {
        return mounted(root);
    }
    let memory = DataDirectory::new(&[]);
    let mut command = Command::new("unshare");
    command.args(["-rm", "--propagation", "private"]).arg(std::env::current_exe().unwrap());
    command
        .args(["recovery::a_folder_on_another_mount_is_refused_in_plain_words", "--exact", "--nocapture"])
        .env(INSIDE, memory.root());
    match command.output() {
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains("MOUNTED") => {}
        Ok(output) if output.status.success() || !String::from_utf8_lossy(&output.stdout).contains("running") => {
            missing(&format!("no namespace to mount in: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stdout)),
        Err(why) => missing(&format!("unshare cannot be started: {why}")),
    }
}

/// Runs as user `nobody` in a memory that partly belongs to another user.
fn foreign(root: String) {
    let dir = Path::new(&root).join("memory");
    let run = |line: &[&str]| {
        let mut command = clean_command(Path::new(&root).join("memdir"), Path::new(&root));
        ProgramOutput::of(command.env("MEMDIR", &dir).args(line))
    };
    let run_output = run(&["add", "readable", "x"]);
    assert_eq!(run_output.status, 0, "{run_output:?}");
    assert!(
        run_output.stderr.contains("owner") || run_output.stdout.contains("owner"),
        "that the owner changes is told: {run_output:?}"
    );
    for line in [&["add", "closed", "x"][..], &["read", "closed"], &["add", "locked/user", "x", "--create"]] {
        let run_output = run(line);
        assert!(matches!(run_output.status, 1 | 5), "{line:?}: {run_output:?}");
        assert!(
            run_output.stderr.to_lowercase().contains("permission") || run_output.stderr.contains("read_only"),
            "{run_output:?}"
        );
    }
    for line in [&["list"][..], &["status"], &["log"]] {
        assert_eq!(run(line).status, 0, "{line:?}");
    }
    println!("FOREIGN");
}

#[test]
fn a_planted_journal_sets_no_special_mode_and_writes_no_policy() {
    use memdir::change::Etag;
    let memory = Memory::new();
    let (old, new) = ("# User\n\n- A\n", "# User\n\n- B\n");
    memory.put("facts/user.md", old);
    let mode = |path: &str| fs_err::metadata(memory.dir().join(path)).unwrap().permissions().mode() & 0o7777;
    let hex = |text: &str| Etag::of(text.as_bytes()).hex();
    let file = |path: &str, old: &str, new: &str, edit: &str, after: &str| {
        format!(
            r#"{{"path":"{path}","before":"{}","after":"{}","mode":{}{after},"inode":1,"edits":[{edit}]}}"#,
            hex(old),
            hex(new),
            mode(path)
        )
    };
    let special = format!(r#","mode_after":{}"#, 0o6777);
    let user = file("facts/user.md", old, new, r#"[10,"A","B"]"#, &special);
    let policy = file("memdir.yaml", "version: 1\n", "#ersion: 1\n", r##"[0,"v","#"]"##, "");
    for files in [user.clone(), format!("{user},{policy}")] {
        let line = format!(r#"{{"v":1,"rev":1,"at":"2026-01-01T00:00:00Z","actor":"e","files":[{files}]"#);
        let line = format!("{line},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(line.as_bytes()));
        memory.put(".memdir/journal", line);
        fs_err::create_dir_all(memory.dir().join(".memdir/undo")).unwrap();
        memory.done(["add", "other", "x", "--create"]);
        assert_eq!(mode("facts/user.md") & 0o7000, 0);
        assert_eq!(memory.text("memdir.yaml").unwrap(), "version: 1\n");
        memory.put("facts/user.md", old);
        fs_err::remove_dir_all(memory.dir().join(".memdir")).unwrap();
    }
}

#[test]
fn another_users_files_are_replaced_with_a_word_or_refused_with_one() {
    if let Ok(root) = std::env::var(INSIDE) {
        return foreign(root);
    }
    if !rustix::process::geteuid().is_root() {
        return missing("only root can make another user's files");
    }
    let memory =
        DataDirectory::new(&[("facts/readable.md", USER), ("facts/closed.md", USER), ("facts/locked/user.md", USER)]);
    let own = |name: &str| std::os::unix::fs::chown(memory.root().join(name), Some(65534), Some(65534)).unwrap();
    ["", "memory", "memory/facts"].into_iter().for_each(own);
    let mode = |name: &str, mode| std::fs::set_permissions(memory.path(name), PermissionsExt::from_mode(mode)).unwrap();
    mode("facts/readable.md", 0o644);
    mode("facts/closed.md", 0o600);
    mode("facts/locked", 0o755);
    copy_program(Path::new(env!("CARGO_BIN_EXE_memdir")), &memory.root().join("memdir"));
    copy_program(&std::env::current_exe().unwrap(), &memory.root().join("it"));
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]).arg(memory.root().join("it"));
    command
        .args(["recovery::another_users_files_are_replaced_with_a_word_or_refused_with_one", "--exact", "--nocapture"])
        .env(INSIDE, memory.root())
        .current_dir(memory.root());
    match command.output() {
        Ok(output) => {
            let result =
                String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert!(result.contains("FOREIGN"), "{result}");
        }
        Err(why) => missing(&format!("setpriv cannot be started: {why}")),
    }
    assert_eq!(memory.text("facts/closed.md"), USER);
    assert_eq!(memory.text("facts/locked/user.md"), USER);
}
