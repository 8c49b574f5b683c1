//! What must hold after a command failed, however it failed.
//!
//! Never repairs anything itself: memdir's next commands do.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::cases::{Case, Start};
use super::workspace::{FaultWorkspace, Tree, memory};

/// How a case goes when nothing is wrong.
pub struct Expected {
    /// The files before it.
    pub old: Tree,
    /// The files after it.
    pub new: Tree,
}

impl Expected {
    /// Finds out.
    pub fn of(case: &Case, before: &FaultWorkspace) -> Expected {
        let workspace = before.copy();
        let output = workspace.run(case, &[], &[]);
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 6)), "{}: {reported}", case.name);
        let expected = Expected { old: before.files(), new: workspace.files() };
        assert_ne!(expected.old, expected.new, "{} changes nothing", case.name);
        expected
    }
}

/// The file that the next command writes.
const NEXT: &str = "memory/facts/zebra.md";

/// Checks a directory after a command was interrupted, and continues working in it. Returns what is wrong.
pub fn wrong(workspace: &FaultWorkspace, case: &Case, expected: &Expected) -> Vec<String> {
    let mut wrong = Vec::new();
    let init = case.start == Start::Nothing || case.args[0] == "init";
    for (name, text) in workspace.files() {
        let known = [&expected.old, &expected.new].iter().any(|tree| tree.get(&name) == Some(&text));
        if !known {
            wrong
                .push(format!("torn or unknown: {name}: {:?}", text.map(|t| String::from_utf8_lossy(&t).into_owned())));
        }
    }
    for (name, text) in &expected.old {
        if expected.new.get(name) == Some(text) && workspace.files().get(name) != Some(text) {
            wrong.push(format!("lost: {name}"));
        }
    }
    if init {
        after_init(workspace, case, expected, &mut wrong);
    } else {
        after_change(workspace, case, expected, &mut wrong);
    }
    wrong
}

/// Init again makes what is missing.
fn after_init(workspace: &FaultWorkspace, case: &Case, expected: &Expected, wrong: &mut Vec<String>) {
    let output = workspace.run(case, &[], &[]);
    if !output.status.success() {
        wrong.push(format!("init again: {}", String::from_utf8_lossy(&output.stderr)));
    } else if workspace.files() != expected.new {
        wrong.push(format!("init again leaves {:?}", workspace.files().keys()));
    }
}

fn after_change(workspace: &FaultWorkspace, case: &Case, expected: &Expected, wrong: &mut Vec<String>) {
    let mut run = |args: &[&str]| {
        let output = workspace.memdir(&[&["--json", "-C", memory(case)], args].concat());
        let answer = serde_json::from_slice::<Value>(&output.stdout);
        if !output.status.success() || answer.is_err() {
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            wrong.push(format!("{args:?} exits {:?}: {out} {err}", output.status.code()));
        }
        workspace.files()
    };
    run(&["list"]);
    run(&["log"]);
    let mut now = run(&["add", "zebra.md", "The next one"]);
    let undone = run(&["undo"]);
    if now.remove(NEXT).is_none() {
        wrong.push("the next write wrote nothing".into());
    }
    if undone != now {
        wrong.push(format!("undo of the next write leaves {:?}", undone.keys()));
    }
    if now != expected.old && now != expected.new {
        let odd = now.iter().filter(|(name, text)| expected.old.get(*name) != Some(text)).map(|(name, _)| name);
        wrong.push(format!("half: {:?} are new", odd.collect::<Vec<_>>()));
    }
    wrong.extend(leftover_files(workspace, case));
    if case.args.contains(&"--forget") && now == expected.new && holds(workspace, case, b"Xanadu") {
        wrong.push("a forgotten text is still there".into());
    }
}

/// Whether any file of the data directory holds a text.
pub fn holds(workspace: &FaultWorkspace, case: &Case, text: &[u8]) -> bool {
    let files = walkdir::WalkDir::new(workspace.memory(case)).into_iter().flatten().filter(|e| e.file_type().is_file());
    files.into_iter().any(|e| memchr::memmem::find(&std::fs::read(e.path()).unwrap(), text).is_some())
}

/// Files in `.memdir/` that belong to no existing revision.
fn leftover_files(workspace: &FaultWorkspace, case: &Case) -> Vec<String> {
    let machine = workspace.memory(case).join(".memdir");
    let names = |dir: &std::path::Path| -> BTreeSet<String> {
        let entries = std::fs::read_dir(dir).into_iter().flatten();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    };
    let mut files = BTreeMap::<u64, usize>::new();
    let journal = std::fs::read(machine.join("journal")).unwrap_or_default();
    for line in journal.split(|&b| b == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        match (line["rev"].as_u64(), line["end"].as_u64(), line["as"].as_str()) {
            (Some(rev), ..) => drop(files.insert(rev, line["files"].as_array().map_or(0, Vec::len))),
            (_, Some(rev), Some(how)) if how != "done" => drop(files.remove(&rev)),
            _ => {}
        }
    }
    // A process that is killed while it writes the journal anew leaves that for the next one that does. Uses are
    // recorded by reads and moves.
    let known = [".gitignore", "journal", "journal.new", "undo", "usage"].map(str::to_owned);
    let mut leftover_files: Vec<String> = names(&machine).into_iter().filter(|name| !known.contains(name)).collect();
    leftover_files.extend(names(&machine.join("undo")).into_iter().filter(|slot| {
        let parts = slot.split_once('-').and_then(|(rev, i)| Some((rev.parse().ok()?, i.parse::<usize>().ok()?)));
        parts.is_none_or(|(rev, i)| files.get(&rev).is_none_or(|count| i >= *count))
    }));
    leftover_files.into_iter().map(|name| format!("litter: .memdir/{name}")).collect()
}

/// The end of a test: reports the failures, a few of each command.
pub fn verdict(what: &str, tried: usize, wrong: &[String]) {
    eprintln!("{what}: {tried} tried, {} wrong", wrong.len());
    let mut shown = BTreeMap::<&str, Vec<&str>>::new();
    for line in wrong {
        shown.entry(line.split(':').next().unwrap_or("")).or_default().push(line);
    }
    let few = |(case, lines): (&&str, &Vec<&str>)| {
        format!("{case}, {}:\n  {}\n", lines.len(), lines[..lines.len().min(40)].join("\n  "))
    };
    assert!(
        wrong.is_empty(),
        "{what}: {} of {tried} wrong:\n{}",
        wrong.len(),
        shown.iter().map(few).collect::<String>()
    );
}
