//! A long journal: commands read only its end, and answer as if they had read all of it.

use std::process::Command;

use memdir::commands::{self, ChangeOptions};
use memdir::operation::dialects;

use crate::memory::full;
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
