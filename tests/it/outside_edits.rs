//! Human hands: people who save, truncate, rename and delete while commands run lose nothing.
//!
//! At each step of a commit inside one process, and from a second process while real commands run.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use fastrand::Rng;
use memdir::change::{Changeset, EntryHeader, FileChange};
use memdir::store::{CommitStopped, Store, StoreOptions};

use crate::support::memory::{DataDirectory, again, full, path};
use crate::support::{Memory, fast_store};

/// How a person's editor saves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Save {
    /// Over the old bytes, the rest cut off.
    InPlace,
    /// Empties the file, and writes later.
    Truncate,
    /// Writes beside it, then renames.
    Rename,
    /// Takes it away, and makes it again later.
    Delete,
}

const SAVES: [Save; 4] = [Save::InPlace, Save::Truncate, Save::Rename, Save::Delete];
const NAMES: [&str; 4] = ["facts/a.md", "facts/b.md", "facts/new.md", "facts/gone.md"];
const HUMAN: &str = "a person's own words\n";

/// A save in two halves: `begin` at one step, `end` at a later one.
struct Hand {
    save: Save,
    open: Option<File>,
    done: bool,
}

impl Hand {
    fn new(save: Save) -> Hand {
        Hand { save, open: None, done: false }
    }

    fn begin(&mut self, file: &Path) {
        match self.save {
            Save::InPlace => self.open = File::options().write(true).open(file).ok(),
            Save::Truncate => self.open = File::options().write(true).truncate(true).open(file).ok(),
            Save::Rename => {
                let beside = file.with_extension("md~");
                std::fs::write(&beside, HUMAN).unwrap();
                self.done = std::fs::rename(&beside, file).is_ok();
            }
            Save::Delete => drop(std::fs::remove_file(file)),
        }
    }

    fn end(&mut self, file: &Path) {
        match (self.save, self.open.take()) {
            (Save::InPlace, Some(mut open)) => {
                open.write_all(HUMAN.as_bytes()).unwrap();
                open.set_len(HUMAN.len() as u64).unwrap();
                self.done = true;
            }
            (_, Some(mut open)) => {
                open.write_all(HUMAN.as_bytes()).unwrap();
                self.done = true;
            }
            (Save::Delete, None) => {
                let made = File::options().write(true).create_new(true).open(file);
                self.done = made.is_ok_and(|mut f| f.write_all(HUMAN.as_bytes()).is_ok());
            }
            _ => {}
        }
    }
}

fn batch(memory: &DataDirectory, exchange: bool) -> (Store, Changeset) {
    for (name, text) in [("facts/a.md", "a\n"), ("facts/b.md", "b\n"), ("facts/gone.md", "gone\n")] {
        memory.write(name, text);
    }
    let store = Store::open(&memory.path(""), StoreOptions { allow_exchange: exchange, ..fast_store() }).unwrap();
    let change = |name: &str, after: Option<&str>| FileChange {
        path: path(name),
        before: store.read(&path(name)).unwrap(),
        after: after.map(|text| Arc::new(text.into())),
        mode: None,
        edits: None,
        moved: None,
        summary: None,
    };
    let afters = [Some("aa\n"), Some("bb\n"), Some("new\n"), None];
    let files = NAMES.iter().zip(afters).map(|(name, after)| change(name, after)).collect();
    (store, Changeset { files, ..Changeset::default() })
}

fn header() -> EntryHeader {
    EntryHeader {
        at: "2026-02-24T10:00:00Z".into(),
        actor: "t".into(),
        reason: None,
        source: None,
        consent: None,
        request: None,
        request_digest: None,
    }
}

/// What a person can find: the files themselves, and what was put aside in the inbox.
fn findable(memory: &DataDirectory) -> (Vec<String>, usize) {
    let mut all: Vec<String> = NAMES.map(|name| memory.text(name)).into();
    let inbox: Vec<_> = std::fs::read_dir(memory.path("inbox")).into_iter().flatten().flatten().collect();
    let aside = inbox.len();
    all.extend(inbox.into_iter().map(|e| std::fs::read_to_string(e.path()).unwrap()));
    (all, aside)
}

/// One person, one batch: the save begins before step `from` and ends before step `to`.
fn meet(save: Save, name: &str, from: usize, to: usize, exchange: bool) -> usize {
    let memory = DataDirectory::new(&[]);
    let (store, changeset) = batch(&memory, exchange);
    let mut hand = Hand::new(save);
    let (locked, _) = store.lock().unwrap();
    let mut last = 0;
    let answer = locked.commit_watched(&changeset, &header(), None, &mut |step| {
        last = step;
        if step == from {
            hand.begin(&memory.path(name));
        }
        if step == to {
            hand.end(&memory.path(name));
        }
        true
    });
    hand.end(&memory.path(name));
    let begun = from <= last;
    let run_output = format!("{save:?} of {name} at {from} to {to}: {answer:?}");
    let (texts, aside) = findable(&memory);
    assert!(aside <= 1, "{run_output}: {texts:?}");
    if hand.done && begun {
        assert!(texts.iter().any(|t| t == HUMAN), "lost: {run_output}: {texts:?}");
    }
    if aside > 0 {
        let result = format!("{answer:?}").contains("inbox/rescued-");
        drop(locked);
        let (_locked, again) = store.lock().unwrap();
        assert!(result && format!("{again:?}").contains("inbox/rescued-"), "not told: {run_output} then {again:?}");
    }
    if let Some(Ok(_)) = &answer {
        // The change is in place: every file without an outside edit reads as the batch left it.
        for (other, after) in NAMES.iter().zip(["aa\n", "bb\n", "new\n", ""]).filter(|(n, _)| **n != name) {
            assert_eq!(memory.text(other), after, "{other}: {run_output}");
        }
    } else {
        for (other, before) in NAMES.iter().zip(["a\n", "b\n", "", "gone\n"]).filter(|(n, _)| **n != name) {
            assert_eq!(memory.text(other), before, "{other}: {run_output}");
        }
        assert!(
            matches!(answer, Some(Err(CommitStopped::BaseChanged(_) | CommitStopped::Rejected(_)))),
            "{run_output}"
        );
    }
    last
}

#[test]
fn saves_that_begin_and_end_at_any_two_steps_lose_nothing() {
    let steps = meet(Save::Rename, "facts/a.md", usize::MAX, usize::MAX, true) + 1;
    assert!(steps > 12);
    let mut met = 0;
    for (save, name) in SAVES.into_iter().flat_map(|save| NAMES.map(|name| (save, name))) {
        let kinds = if full() { vec![true, false] } else { vec![true] };
        for (from, exchange) in (0..steps).flat_map(|from| kinds.iter().map(move |&e| (from, e))) {
            let longest = if save == Save::Rename { from } else { steps };
            // An editor that holds the file open at the first look is waited for, which takes its time.
            let apart = if full() { 1 } else { 4 };
            for to in (from..=longest).step_by(apart) {
                if !full() && from < 4 && to > from && (from > 0 || name != NAMES[0]) {
                    continue;
                }
                meet(save, name, from, to, exchange);
                met += 1;
            }
        }
    }
    println!("hands: {met} saves over a commit of {steps} steps, none lost");
}

const HAND: &str = "MEMDIR_TEST_HAND";

/// How often a person looks again before a save counts as lost.
const LOOKS: usize = 100_000;

/// One line of a person's, counted up with every save; a child process of the test below.
fn person(root: String) {
    let root = Path::new(&root);
    let file = root.join("memory/facts/user.md");
    let mut rng = Rng::with_seed(7);
    let line = |n: usize| format!("- human {n}.\n");
    let mut last = 0;
    while !root.join("stop").exists() {
        let Ok(mut text) = std::fs::read_to_string(&file) else { continue };
        // The last saved text is in the file, or in the inbox; between a swap and the check of the displaced text,
        // it is in the slot, and is restored at once.
        let aside = || {
            let all = std::fs::read_dir(root.join("memory/inbox")).into_iter().flatten().flatten();
            all.map(|e| std::fs::read_to_string(e.path()).unwrap_or_default()).any(|t| t.contains(&line(last)))
        };
        for _ in 0..LOOKS {
            if text.contains(&line(last)) || aside() {
                break;
            }
            std::thread::yield_now();
            text = std::fs::read_to_string(&file).unwrap_or(text);
        }
        assert!(text.contains(&line(last)) || aside(), "human {last} is lost: {text}");
        let kept: String = text.split_inclusive('\n').filter(|l| !l.starts_with("- human ")).collect();
        let next = kept + &line(last + 1);
        let saved = match SAVES[rng.usize(..4)] {
            Save::InPlace => File::options().write(true).open(&file).and_then(|mut f| {
                f.write_all(next.as_bytes())?;
                f.set_len(next.len() as u64)
            }),
            Save::Truncate => {
                File::options().write(true).truncate(true).open(&file).and_then(|mut f| f.write_all(next.as_bytes()))
            }
            Save::Rename => {
                std::fs::write(root.join("beside"), &next).and_then(|()| std::fs::rename(root.join("beside"), &file))
            }
            Save::Delete => {
                let _ = std::fs::remove_file(&file);
                let beside = root.join("beside");
                std::fs::write(&beside, &next).and_then(|()| std::fs::rename(&beside, &file))
            }
        };
        if saved.is_ok() {
            last += 1;
            std::fs::write(root.join("saves"), last.to_string()).unwrap();
        }
    }
}

#[test]
fn an_editor_that_saves_continuously_beside_real_commands_loses_no_save() {
    if let Ok(root) = std::env::var(HAND) {
        return person(root);
    }
    let memory = DataDirectory::new(&[("facts/user.md", "# User\n\n- Lives in Austin\n- human 0.\n")]);
    let mut person = again("outside_edits::an_editor_that_saves_continuously_beside_real_commands_loses_no_save")
        .env(HAND, memory.root())
        .spawn()
        .unwrap();
    let (mut done, mut result) = (0, std::collections::BTreeMap::<i32, usize>::new());
    let commands = if full() { 2000 } else { 60 };
    for n in 0..commands {
        let text = format!("command {n}.");
        let run_output = memory.run(&["add", "user", &text, "--create"]);
        *result.entry(run_output.status).or_default() += 1;
        assert!(matches!(run_output.status, 0 | 1 | 3 | 4 | 5 | 7), "{run_output:?}");
        assert!(run_output.status == 0 || run_output.stderr.contains("nothing was changed"), "{run_output:?}");
        done += usize::from(run_output.status == 0);
    }
    std::fs::write(memory.root().join("stop"), "").unwrap();
    assert!(person.wait().unwrap().success(), "a save was lost");
    let saves = std::fs::read_to_string(memory.root().join("saves")).unwrap_or_default();
    let aside = std::fs::read_dir(memory.path("inbox")).into_iter().flatten().count();
    println!("hands: {saves} saves beside {commands} commands ({done} done, by exit {result:?}), {aside} put aside");
    assert_eq!(memory.run(&["status"]).status, 0);
}

#[test]
fn status_lists_what_an_editor_dropped_after_later_changes_too() {
    let memory = Memory::new();
    memory.done(["add", "user", "alpha one", "--create"]);
    let old = memory.text("facts/user.md").unwrap();
    memory.done(["add", "user", "beta two"]);
    memory.put("facts/user.md", format!("{old}- HUMAN\n"));
    memory.done(["status"]).stdout_contains("beta two");
    memory.done(["add", "user", "gamma three"]);
    memory.done(["status"]).stdout_contains("beta two");
    // What is there again, and is removed by a command, is not dropped.
    memory.done(["add", "user", "beta two"]);
    memory.done(["rm", "user", "- beta two"]);
    assert!(!memory.done(["status"]).stdout.contains("beta two"));
}

#[test]
fn a_change_that_an_editor_overwrote_is_reported_by_status_and_restored_by_redo() {
    let memory = DataDirectory::new(&[("facts/user.md", "# User\n\n- Lives in Austin\n")]);
    let opened = memory.text("facts/user.md");
    memory.done(&["add", "user", "Keeps bees"]);
    memory.write("facts/user.md", &opened.replace("Austin", "Boston"));
    let status = memory.done(&["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["dropped"][0]["text"], "Keeps bees");
    let rev = status["dropped"][0]["rev"].as_str().unwrap();
    memory.done(&["redo", rev]);
    let text = memory.text("facts/user.md");
    assert!(text.contains("- Lives in Boston\n") && text.contains("- Keeps bees\n"), "{text}");
    let status: serde_json::Value = serde_json::from_str(&memory.done(&["status", "--json"])).unwrap();
    assert!(status["dropped"].as_array().is_none_or(Vec::is_empty), "{status}");
}

#[test]
fn a_bullet_that_a_person_moved_to_another_file_is_not_dropped() {
    let memory = Memory::new();
    memory.done(["add", "first", "alpha one", "beta two"]);
    memory.done(["add", "second", "gamma three"]);
    let text = memory.text("facts/first.md").unwrap();
    memory.put("facts/first.md", text.replace("- alpha one\n", ""));
    memory.done(["status"]).stdout_contains("dropped outside memdir: r1 by tester in facts/first.md: alpha one\n");
    for place in ["facts/second.md", "facts/new.md"] {
        let before = memory.text(place);
        memory.put(place, before.clone().unwrap_or_default() + "- alpha one\n");
        assert!(!memory.done(["status"]).stdout.contains("alpha one"), "{place}");
        memory.put(place, before.unwrap_or_default());
    }
    // A copy in the archive does not count: it is in no read.
    memory.put("archive/facts/first.md", "- alpha one\n");
    memory.done(["status"]).stdout_contains("alpha one");
}

#[test]
fn a_file_that_was_deleted_is_reported_and_brought_back_by_redo() {
    let memory = Memory::new();
    memory.done(["add", "user", "One a", "Two b"]);
    memory.done(["update", "user", "One a", "One c"]);
    let text = memory.text("facts/user.md").unwrap();
    std::fs::remove_file(memory.dir().join("facts/user.md")).unwrap();
    let status = memory.done(["status"]);
    let row = "dropped outside memdir: r2 by tester in facts/user.md: One c (and 1 more; the file is gone)\ntry: memdir redo r2\n";
    status.stdout_contains(row);
    memory.run(["undo"]).exit(4).stderr_contains("try: memdir redo r2\n");
    for rev in ["r1", "r2"] {
        memory.done(["redo", rev]);
        assert_eq!(memory.text("facts/user.md").as_ref(), Some(&text), "{rev}");
        assert!(!memory.done(["status"]).stdout.contains("dropped"));
        std::fs::remove_file(memory.dir().join("facts/user.md")).unwrap();
    }
    // Under another name it is still there.
    memory.put("facts/me.md", &text);
    assert!(!memory.done(["status"]).stdout.contains("dropped"));
    // What memdir removed stays removed.
    memory.put("facts/user.md", &text);
    memory.done(["rm", "user", "-f"]);
    assert!(!memory.done(["status"]).stdout.contains("dropped"));
    memory.run(["redo", "r2"]).exit(4).unchanged();
}
