//! Syncs that fail are reported truly: refused, unknown, or not durable.
//!
//! Never takes an answer for the truth: the files are compared with it, and the next command must find its way.

use serde_json::Value;

use super::aftermath::{Expected, verdict, wrong};
use super::errors::named;
use super::workspace::FaultWorkspace;
use super::{trace, watched};
use crate::support::program;

/// The output of a command when one of its calls fails, and what is wrong with the result.
fn failed_sync(name: &str, call: &str, when: &str) -> (Option<i32>, Value, bool, Vec<String>) {
    let case = named(name);
    let before = FaultWorkspace::before(case);
    let expected = Expected::of(case, &before);
    let workspace = before.copy();
    let output = workspace.run(case, &trace::meddling(call, &format!("error=EIO:when={when}")), &[]);
    let printed = if output.status.success() { &output.stdout } else { &output.stderr };
    let answer = serde_json::from_slice(printed).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    let new = workspace.files() == expected.new;
    (output.status.code(), answer, new, wrong(&workspace, case, &expected))
}

/// How often a command makes a call.
fn count(name: &str, call: &str) -> usize {
    let case = named(name);
    trace::calls(&FaultWorkspace::before(case), case, &[]).iter().filter(|c| c.name == call).count()
}

#[test]
fn a_sync_that_fails_once_is_refused_as_a_plain_error() {
    if !watched() {
        return;
    }
    for name in ["update", "apply", "rm"] {
        let (status, error, new, wrong) = failed_sync(name, "fdatasync", "1");
        assert_eq!((status, error["code"].as_str(), &error["changed"]), (Some(1), Some("io"), &Value::Bool(false)));
        assert!(!new, "{name}");
        verdict(&format!("one journal sync of {name} fails"), 1, &wrong);
    }
}

#[test]
fn an_uncertain_outcome_is_reported_as_unknown() {
    if !watched() {
        return;
    }
    for name in ["update", "apply", "rm"] {
        let (status, error, _, mut wrong) = failed_sync(name, "fdatasync", "1+");
        let code = error["code"].as_str();
        assert_eq!((status, code, &error["changed"]), (Some(1), Some("outcome_unknown"), &Value::Null), "{name}");
        assert!(error["message"].as_str().unwrap().contains("the next command finishes or undoes it"), "{error}");
        // Its slots stay: a power cut may bring the intent back.
        wrong.retain(|w| !w.starts_with("litter"));
        verdict(&format!("no journal sync of {name} goes through"), 1, &wrong);
    }
}

#[test]
fn a_change_that_a_power_cut_may_undo_is_reported_as_not_durable() {
    if !watched() {
        return;
    }
    for name in ["update", "apply", "rm"] {
        // The folders come last.
        let (status, answer, new, wrong) = failed_sync(name, "fsync", &count(name, "fsync").to_string());
        let warned = answer["warnings"].to_string();
        assert!(status == Some(0) && warned.contains("not_durable"), "{name}: {answer}");
        assert!(new && answer["changed"] == true, "{name}: {answer}");
        verdict(&format!("the last folder sync of {name} fails"), 1, &wrong);
    }
}

#[test]
fn a_folder_whose_sync_fails_is_not_created() {
    if !watched() {
        return;
    }
    let before = FaultWorkspace::before(named("update"));
    for nth in 1..4 {
        let workspace = before.copy();
        let through = trace::meddling("fsync", &format!("error=EIO:when={nth}"));
        let mut command = workspace.command(&through[0]);
        command.args(&through[1..]).arg(program());
        command.args(["-C", "memory", "--json", "add", "facts/new/x.md", "X", "--create"]);
        let output = command.output().unwrap();
        let made = workspace.path().join("memory/facts/new").exists();
        let told = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
        if output.status.success() {
            assert!(told.contains("not_durable") && made, "{nth}: {told}")
        } else {
            assert!(told.contains("\"changed\":false") && !made, "{nth}: {told}")
        }
    }
}

/// Runs a batch of three files while opening fails from some call on, and checks that all of it or nothing stays.
#[test]
fn a_batch_is_whole_when_files_cannot_be_opened() {
    if !watched() {
        return;
    }
    let before = FaultWorkspace::before(named("update"));
    for name in ["a", "b", "c"] {
        before.memdir(&["-C", "memory", "add", name, &format!("{name}1"), "--create"]);
    }
    let batch =
        r#"[{"op":"add","at":"a","text":"a2"},{"op":"rm","at":"facts/b.md"},{"op":"add","at":"c","text":"c2"}]"#;
    std::fs::write(before.path().join("batch"), batch).unwrap();
    for (call, error, from) in (10..30).map(|n| ("openat", "ENFILE", n)).chain((4..12).map(|n| ("openat2", "EIO", n))) {
        let workspace = before.copy();
        let through = trace::meddling(call, &format!("error={error}:when={from}+"));
        let mut command = workspace.command(&through[0]);
        command.args(&through[1..]).arg(program()).args(["-C", "memory", "--json", "apply", "-f"]);
        command.stdin(std::fs::File::open(workspace.path().join("batch")).unwrap());
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
        let text = |name: &str| std::fs::read_to_string(workspace.path().join("memory/facts").join(name)).ok();
        let state =
            || [text("a.md").unwrap().contains("a2"), text("b.md").is_none(), text("c.md").unwrap().contains("c2")];
        let at_once = state();
        if told.contains("\"changed\":false") {
            assert_eq!(at_once, [false; 3], "{call} {from}: {told}");
        }
        let next = workspace.memdir(&["-C", "memory", "add", "project", "Something after"]);
        assert!(next.status.success(), "{call} {from}: {next:?}");
        let state = state();
        assert!(state == [false; 3] || state == [true; 3], "{call} {from}: {state:?}: {told}");
    }
}

#[test]
fn a_swap_by_renames_that_fails_is_reported_correctly_and_blocks_nothing() {
    if !watched() {
        return;
    }
    let before = FaultWorkspace::before(named("update"));
    for (call, nth) in [("renameat", 1), ("renameat", 2), ("renameat2", 1)] {
        let workspace = before.copy();
        let through = trace::meddling(call, &format!("error=EIO:when={nth}"));
        let mut command = workspace.command(&through[0]);
        command.args(&through[1..]).arg(program()).env("MEMDIR_NO_EXCHANGE", "1");
        let output = command.args(["-C", "memory", "--json", "add", "project", "Something new"]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_new =
            || std::fs::read_to_string(workspace.path().join("memory/facts/project.md")).unwrap().contains("new");
        assert!(!output.status.success() && is_new() != told.contains("\"changed\":false"), "{call} {nth}: {told}");
        let next = workspace.memdir(&["-C", "memory", "add", "project", "Something after"]);
        assert!(next.status.success(), "{call} {nth}: {next:?}");
    }
}

/// What a person saves while memdir swaps two files without a swap system call is kept. The delays only give the save
/// the time to come in between.
#[test]
fn a_save_during_a_swap_by_renames_is_kept() {
    if !watched() {
        return;
    }
    let workspace = FaultWorkspace::before(named("update"));
    let file = workspace.path().join("memory/facts/project.md");
    let undo = workspace.path().join("memory/.memdir/undo");
    let saved = std::fs::read_to_string(&file).unwrap() + "- Typed by a person\n";
    let through = trace::meddling("linkat,renameat", "delay_exit=300000");
    let mut command = workspace.command(&through[0]);
    command.args(&through[1..]).arg(program()).env("MEMDIR_NO_EXCHANGE", "1");
    let mut child = command.args(["-C", "memory", "add", "project", "Something new"]).spawn().unwrap();
    let is_swapping = || {
        let mut names = std::fs::read_dir(&undo).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.any(|name| name.to_string_lossy().ends_with(".old"))
    };
    while !is_swapping() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    std::fs::write(workspace.path().join("swp"), &saved).unwrap();
    std::fs::rename(workspace.path().join("swp"), &file).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("Typed by a person") && text.contains("Something new"), "{text}");
}
