//! A long journal: commands read only its end, and answer as if they had read all of it.

use std::process::Command;

use memdir::commands::{self, ChangeOptions};
use memdir::operation::dialects;
use memdir::path::MemoryPath;
use memdir::store::RevisionSide;
use memdir::store::file_revisions::FileSearchLimit;
use memdir::view::journal::revision_states;

use crate::support::memory::full;
use crate::support::test_dir::passed_as_nobody;
use crate::support::{Memory, handle, program};

const FILES: usize = 12;

fn text(revision: usize) -> String {
    format!("Version {revision} of a fact that is about as long as such facts are")
}

/// A memory with so many real revisions: updates of a dozen files, and now and then a save by hand, an undo, a move.
fn memory_with(revisions: usize) -> Memory {
    let memory = Memory::new();
    let session = memory.session();
    let change = |operation: String| {
        let batch = dialects::parse_batch(&operation).unwrap();
        commands::change(&session, batch, &ChangeOptions::default())
            .unwrap_or_else(|why| panic!("{operation}: {why:?}"))
    };
    let mut last: [Option<usize>; FILES] = [None; FILES];
    let mut made = 0;
    while made < revisions {
        let n = made % FILES;
        made += 1;
        match last[n].replace(made) {
            None => drop(change(format!(r#"{{"op":"add","at":"f{n}","text":"{}"}}"#, text(made)))),
            Some(old) => {
                let at = format!("f{n}@{}", handle(&text(old)));
                drop(change(format!(r#"{{"op":"update","at":"{at}","text":"{}"}}"#, text(made))));
            }
        }
        let file = format!("facts/f{n}.md");
        if made % 97 == 0 {
            memory.put(&file, memory.text(&file).unwrap() + &format!("- By hand {made}\n"));
        }
        if made % 101 == 0 {
            drop(change(format!(r#"{{"op":"add","at":"f{n}","text":"Undone {made}"}}"#)));
            commands::undo(&session, &Default::default(), &ChangeOptions::default()).unwrap();
            made += 2;
        }
    }
    memory
}

const READERS: [&[&str]; 7] = [
    &["query", "version fact", "--json", "--explain"],
    &["query", "version", "--since", "2000-01-01", "--json"],
    &["context", "--as", "reader", "-n"],
    &["context", "--style", "records"],
    &["undo", "-n"],
    &["status", "--json"],
    &["log", "-L", "20", "--json"],
];

fn answers(memory: &Memory) -> Vec<String> {
    READERS.iter().map(|words| memory.done(*words).stdout).collect()
}

/// The lowest offset of the journal at which a command reads, in bytes.
fn lowest_offset_read(memory: &Memory, words: &[&str]) -> u64 {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-qq", "-e", "trace=read,pread64", "-o"]).arg(trace.path()).arg(program());
    command.args(words).current_dir(memory.dir()).env("MEMDIR_DURABILITY", "fast");
    assert!(command.output().unwrap().status.success(), "{words:?}");
    let trace = fs_err::read_to_string(trace.path()).unwrap();
    let journal = trace.lines().filter(|line| line.contains("/.memdir/journal>"));
    let offset = |line: &str| {
        assert!(line.contains("pread64("), "{line}");
        line.rsplit_once(") = ")?.0.rsplit_once(", ")?.1.parse::<u64>().ok()
    };
    journal.map(|line| offset(line).unwrap_or_else(|| panic!("{line}"))).min().unwrap()
}

#[test]
fn commands_read_only_the_end_of_a_long_journal() {
    let memory = memory_with(if full() { 20_000 } else { 600 });
    memory.done(["context", "--as", "reader"]);
    let size = fs_err::metadata(memory.dir().join(".memdir/journal")).unwrap().len();
    let end = if full() { size / 20 * 19 } else { size / 2 };
    for words in READERS.iter().chain(&[&["add", "f1", "One more"][..]]) {
        let lowest = lowest_offset_read(&memory, words);
        assert!(lowest > end, "{words:?} reads from {lowest} of {size} bytes");
    }
}

#[test]
fn answers_are_the_same_with_and_without_notes_about_the_journal() {
    let memory = memory_with(600);
    memory.done(["context", "--as", "reader"]);
    memory.put("facts/f3.md", memory.text("facts/f3.md").unwrap() + "- By hand at last\n");
    let notes = ["cache-files", "cache-bullets"].map(|name| memory.dir().join(".memdir").join(name));
    let with_notes = answers(&memory);
    for note in &notes {
        let text = fs_err::read(note).unwrap();
        let mut spoilt = text.clone();
        *spoilt.last_mut().unwrap() ^= 1;
        for wrong in [Some(spoilt), Some(text[..text.len() / 2].to_vec()), Some(Vec::new()), None] {
            match wrong {
                Some(bytes) => fs_err::write(note, bytes).unwrap(),
                None => fs_err::remove_file(note).unwrap(),
            }
            for (words, (with, without)) in READERS.iter().zip(with_notes.iter().zip(answers(&memory))) {
                assert_eq!(*with, without, "{words:?}");
            }
        }
        fs_err::write(note, text).unwrap();
    }
    memory.done(["rm", "f3@1", "--forget", "-f"]);
    assert!(notes.iter().all(|note| !note.exists()), "what is forgotten is in no note");
}

#[test]
fn one_revision_is_found_without_those_before_it_and_tells_the_same() {
    let memory = memory_with(600);
    // Some slots are gone, as after a collection.
    for rev in 100..200 {
        drop(fs_err::remove_file(memory.dir().join(format!(".memdir/undo/{rev}-0"))));
    }
    let store = memory.session().store;
    let (whole, entries) = (store.read_whole_history().unwrap(), store.journal().unwrap());
    let states = revision_states(&entries);
    assert_eq!(store.history_start().unwrap().as_ref(), Some(&entries[0].header.at));
    for entry in &entries {
        let found = store.read_revision(entry.rev).unwrap().expect("it is found").entries();
        assert_eq!(found[0], *entry);
        assert_eq!(revision_states(&found).get(&entry.rev), states.get(&entry.rev), "r{}", entry.rev);
        for file in &entry.files {
            for side in [RevisionSide::Before, RevisionSide::After] {
                let [text, wanted] =
                    [store.text_at(entry.rev, &file.path, side), whole.text(entry.rev, &file.path, side)];
                assert_eq!(text.ok(), wanted.ok(), "r{} {side:?}", entry.rev);
            }
        }
    }
    assert!(store.read_revision(0).unwrap().is_none() && store.read_revision(9_999).unwrap().is_none());
    memory.run(["show", "r9999"]).exit(3).stderr_contains("this machine's journal contains r1 to r");
}

#[test]
fn the_newest_revisions_of_a_file_are_those_of_the_whole_journal() {
    let memory = memory_with(600);
    let store = memory.session().store;
    let (whole, entries) = (store.read_whole_history().unwrap(), store.journal().unwrap());
    for n in [0, 3, FILES - 1] {
        let path = MemoryPath::new(&format!("facts/f{n}.md")).unwrap();
        let of_file: Vec<_> =
            entries.iter().filter(|e| e.files.iter().any(|file| file.path == path)).cloned().collect();
        for (revisions, bytes) in [(usize::MAX, u64::MAX), (5, u64::MAX), (usize::MAX, 1), (1, 1)] {
            let limit = FileSearchLimit { revisions, bytes };
            let found = store.newest_revisions_of(&path, limit).unwrap().unwrap();
            let newest = found.history.entries();
            assert!(!newest.is_empty() && of_file.ends_with(&newest), "{n} {limit:?}");
            let is_whole = found.searched_from.is_none();
            assert_eq!(is_whole, newest.len() == of_file.len(), "{n} {limit:?}");
            assert!(found.searched_from.is_none_or(|rev| rev <= newest[0].rev));
            for entry in &newest {
                let text = found.history.text(entry.rev, &path, RevisionSide::Before);
                assert_eq!(text.ok(), whole.text(entry.rev, &path, RevisionSide::Before).ok(), "r{}", entry.rev);
            }
        }
    }
    let unknown = MemoryPath::new("facts/none.md").unwrap();
    let limit = FileSearchLimit { revisions: 1, bytes: 1 };
    assert!(store.newest_revisions_of(&unknown, limit).unwrap().unwrap().history.entries().is_empty());
}

#[test]
fn nothing_to_redo_or_undo_is_said_of_the_newest_revisions() {
    let memory = memory_with(60);
    let session = memory.session();
    for n in 0..1_100 {
        let operation = format!(r#"{{"op":"add","at":"many{}","text":"Item {n}"}}"#, n % 40);
        commands::change(&session, dialects::parse_batch(&operation).unwrap(), &ChangeOptions::default()).unwrap();
    }
    for words in [&["redo"][..], &["undo", "--by", "nobody"]] {
        let said = memory.done(words).unchanged().stderr_contains("there is nothing to undo or redo since r");
        said.stderr_contains("name an older revision, which `log` lists");
    }
    memory.done(["undo"]);
    memory.done(["redo"]).stdout_contains("redone r");
}

#[test]
fn a_revision_is_shown_whatever_the_lines_around_it_are() {
    let memory = memory_with(600);
    let journal = memory.dir().join(".memdir/journal");
    let text = fs_err::read_to_string(&journal).unwrap();
    let wanted: Vec<String> =
        [2, 150, 300, 450, 590].map(|rev| memory.done(["show", &format!("r{rev}")]).stdout).into();
    // Torn lines, lines of others, and one that is longer than anything that is read at once.
    let long = "x".repeat(3 << 20);
    let noise: [&dyn Fn(usize) -> String; 4] = [
        &|n| if n % 7 == 0 { "{\"v\":1,\"rev\":9".to_owned() + "\n" } else { String::new() },
        &|n| if n % 3 == 0 { "{\"v\":1,\"end\":1,\"as\":\"done\"}\n".to_owned() } else { String::new() },
        &|n| if n == 400 { format!("{long}\n") } else { String::new() },
        &|n| if n == 400 { "\n".repeat(70_000) } else { String::new() },
    ];
    for (number, noise) in noise.iter().enumerate() {
        let damaged: String = text.lines().enumerate().map(|(n, line)| format!("{}{line}\n", noise(n))).collect();
        fs_err::write(&journal, damaged).unwrap();
        for (rev, wanted) in [2, 150, 300, 450, 590].into_iter().zip(&wanted) {
            assert_eq!(memory.done(["show", &format!("r{rev}")]).stdout, *wanted, "r{rev}, noise {number}");
        }
    }
    // A revision that cannot be read does not exist, however it is searched for.
    fs_err::write(&journal, text.replace("\"rev\":150,", "\"rev\":155,")).unwrap();
    memory.run(["show", "r150"]).exit(3).stderr_contains("r150 does not exist");
    assert_eq!(memory.done(["show", "r450"]).stdout, wanted[3]);
}

#[test]
fn the_whole_log_says_the_same_as_one_with_a_limit() {
    let memory = memory_with(600);
    memory.put("facts/f3.md", memory.text("facts/f3.md").unwrap() + "- By hand at last\n");
    let f1 = handle(&text(590));
    for words in [
        &["log"][..],
        &["log", "--oneline"],
        &["log", "f1"],
        &["log", &format!("f1@{f1}")],
        &["log", "--by", "outside"],
        &["log", "-p", "--since", "r570"],
    ] {
        let (whole, limited) =
            (memory.run([words, &["--all"]].concat()), memory.run([words, &["-L", "9999"]].concat()));
        let (whole, limited) = (whole.ends(), limited.ends());
        assert_eq!((whole.status, &whole.stdout), (limited.status, &limited.stdout), "{words:?}");
        assert!(words != ["log"] || whole.stdout.lines().count() > 600, "{whole}");
    }
    Memory::new().done(["log", "--all"]).stderr_contains("no history on this machine yet");
}

#[test]
fn notes_of_another_journal_are_ignored() {
    let memory = memory_with(600);
    let state = |name: &str| memory.dir().join(".memdir").join(name);
    let notes = ["cache-files", "cache-bullets"];
    let older = fs_err::read(state("journal")).unwrap();
    for n in 0..400 {
        memory.done(["add", "more", &format!("One of four hundred facts, number {n}")]);
    }
    memory.done(["context", "--as", "reader"]);
    memory.done(["query", "version"]);
    let newer: Vec<Vec<u8>> = notes.map(|name| fs_err::read(state(name)).unwrap()).into();
    let other = memory_with(650);
    let compare = |what: &str| {
        // Some of them fail: the files are newer than the journal.
        let outcomes = || {
            READERS.map(|words| {
                let outcome = memory.run(words).ends();
                (outcome.status, outcome.stdout, outcome.stderr)
            })
        };
        let with = outcomes();
        notes.iter().for_each(|name| drop(fs_err::remove_file(state(name))));
        for (words, (with, without)) in READERS.iter().zip(with.iter().zip(outcomes())) {
            assert_eq!(*with, without, "{what}: {words:?}");
        }
        notes.iter().for_each(|name| drop(fs_err::remove_file(state(name))));
    };
    let put_notes = || notes.iter().zip(&newer).for_each(|(name, note)| fs_err::write(state(name), note).unwrap());
    // An older backup, written over the journal: the same inode.
    fs_err::write(state("journal"), &older).unwrap();
    put_notes();
    compare("an older journal in place");
    // Another file with that name.
    fs_err::write(state("restored"), &older).unwrap();
    fs_err::rename(state("restored"), state("journal")).unwrap();
    put_notes();
    compare("an older journal");
    // The journal of another memory, as long as ours.
    fs_err::copy(other.dir().join(".memdir/journal"), state("journal")).unwrap();
    put_notes();
    compare("the journal of another memory");
}

#[test]
fn notes_that_cannot_be_written_change_no_answer() {
    if passed_as_nobody() {
        return;
    }
    let memory = memory_with(600);
    memory.done(["context", "--as", "reader"]);
    let with_notes = answers(&memory);
    let state = memory.dir().join(".memdir");
    ["cache-files", "cache-bullets"].iter().for_each(|name| drop(fs_err::remove_file(state.join(name))));
    let mode = |mode| {
        let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(mode);
        fs_err::set_permissions(&state, mode).unwrap();
    };
    mode(0o500);
    let read_only = answers(&memory);
    mode(0o700);
    for (words, (with, without)) in READERS.iter().zip(with_notes.iter().zip(read_only)) {
        assert_eq!(*with, without, "{words:?}");
    }
}
