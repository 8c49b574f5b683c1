//! Folders of other programs, adopted where they are: every command works in them, and no other byte changes.
//!
//! The shapes of `fixtures/adopted` and their sources are in its README.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::test_dir::below;
use crate::support::{Memory, ProgramOutput, handle, memdir_command};

/// The text of an entry, as seen from within the adopted folder.
const ENTRY: &str = "../entry.md";

/// A copy of an adopted folder, named after the program that it belongs to.
struct Adopted {
    root: tempfile::TempDir,
    name: &'static str,
}

impl Adopted {
    fn new(name: &'static str) -> Adopted {
        let adopted = Adopted { root: tempfile::tempdir().unwrap(), name };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/adopted").join(name);
        for (path, bytes) in below(&source, |_| true) {
            let file = adopted.dir().join(&path);
            if source.join(&path).is_file() {
                fs_err::create_dir_all(file.parent().unwrap()).unwrap();
                fs_err::write(file, bytes).unwrap();
            }
        }
        adopted.expect(&["init", "--adopt", name], &["memdir.yaml"], None);
        fs_err::write(adopted.root.path().join("entry.md"), "- Vents hang\n").unwrap();
        adopted
    }

    fn dir(&self) -> PathBuf {
        self.root.path().join(self.name)
    }

    fn run(&self, words: &[&str]) -> ProgramOutput {
        let start: &[&str] = if words[0] == "init" { &[] } else { &["-C", self.name] };
        ProgramOutput::of(memdir_command(self.root.path()).args(start).args(words))
    }

    /// Runs a command that must succeed, and returns its answer.
    #[track_caller]
    fn answer(&self, words: &[&str]) -> String {
        self.run(words).exit(0).stdout
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        below(&self.dir(), |path| path != ".memdir").into_iter().filter(|(p, _)| self.dir().join(p).is_file()).collect()
    }

    /// Runs a command that must create, change or remove exactly these files. With `line`, the first of them must
    /// differ from its old text in nothing but a line with this text, added or replaced.
    #[track_caller]
    fn expect(&self, words: &[&str], touched: &[&str], line: Option<&str>) {
        let before = self.files();
        let output = self.run(words).exit(0);
        let after = self.files();
        let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let differs: Vec<&str> =
            names.into_iter().filter(|n| before.get(*n) != after.get(*n)).map(String::as_str).collect();
        assert_eq!(differs, touched, "{words:?}: {output:?}");
        if let Some(text) = line {
            let lines = |tree: &BTreeMap<String, Vec<u8>>| {
                let all = String::from_utf8(tree.get(touched[0]).cloned().unwrap_or_default()).unwrap();
                all.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>()
            };
            let (was, is) = (lines(&before), lines(&after));
            let start = was.iter().zip(&is).take_while(|(a, b)| a == b).count();
            let end = was[start..].iter().rev().zip(is[start..].iter().rev()).take_while(|(a, b)| a == b).count();
            let (old, new) = (&was[start..was.len() - end], &is[start..is.len() - end]);
            assert!(old.len() <= 1 && new.len() <= 2 && new.concat().contains(text), "{words:?}: {old:?} -> {new:?}");
        }
    }
}

/// One folder: what is addressed in it, and where that is.
struct Case {
    name: &'static str,
    /// A file: its address in lower case, and its path.
    file: (&'static str, &'static str),
    /// A bullet of that file, the words to find it, and its new text.
    bullet: (&'static str, &'static str, &'static str),
    /// A folder, and the number of its files.
    folder: (&'static str, usize),
    /// A new file in a known folder: its address and path.
    new: (&'static str, &'static str),
    /// Where that file is moved: the address and the path.
    moved: (&'static str, &'static str),
    /// What `list` prints for a file without a summary.
    title: &'static str,
    /// Today's note.
    today: &'static str,
    /// An index of the files, which changes with their names.
    index: Option<&'static str>,
}

const CASES: [Case; 5] = [
    Case {
        name: "openclaw",
        file: ("user", "USER.md"),
        bullet: ("**Timezone:** Europe/Zurich", "timezone zurich", "**Timezone:** Europe/Lisbon"),
        folder: ("memory", 2),
        new: ("memory/projects", "memory/projects.md"),
        moved: ("memory/plans", "memory/plans.md"),
        title: "USER.md - About Your Human",
        today: "memory/2026-02-24.md",
        index: None,
    },
    Case {
        name: "obsidian",
        file: ("ideen", "Ideen.md"),
        bullet: ("Regenfass mit Schwimmer", "regenfass", "Regenfass mit Pumpe"),
        folder: ("Projekte", 1),
        new: ("projekte/Zaun", "Projekte/Zaun.md"),
        moved: ("Personen/Zaun", "Personen/Zaun.md"),
        title: "Ideen fürs Jahr",
        today: "Tagebuch/2026-02-24.md",
        index: None,
    },
    Case {
        name: "basic-memory",
        file: ("sht41 sensor", "hardware/SHT41 Sensor.md"),
        bullet: ("[bus] I2C at 0x44", "i2c 0x44", "[bus] I2C at 0x45"),
        folder: ("hardware", 1),
        new: ("hardware/Vent Wiring", "hardware/Vent Wiring.md"),
        moved: ("projects/Vent Wiring", "projects/Vent Wiring.md"),
        title: "daily/2026-02-23.md",
        today: "daily/2026-02-24.md",
        index: None,
    },
    Case {
        name: "claude-code",
        file: ("User_Role", "user_role.md"),
        bullet: ("Knows C and Rust well", "rust", "Knows C, C++ and Rust well"),
        folder: ("facts", 0),
        new: ("reference_links", "reference_links.md"),
        moved: ("links", "links.md"),
        title: "Integration tests use a real broker, never a mock",
        today: "episodes/2026-02.md",
        index: Some("MEMORY.md"),
    },
    Case {
        name: "zk",
        file: ("K2M9-sensor-choice", "k2m9-sensor-choice.md"),
        bullet: ("Calibrate once a year", "calibrate", "Calibrate twice a year"),
        folder: ("journal/daily", 2),
        new: ("journal/ideas", "journal/ideas.md"),
        moved: ("journal/daily/ideas", "journal/daily/ideas.md"),
        title: "February 23, 2026",
        today: "journal/daily/2026-02-24.md",
        index: None,
    },
];

#[test]
fn every_command_works_in_an_adopted_folder_and_touches_nothing_else() {
    for case in &CASES {
        let adopted = Adopted::new(case.name);
        let (address, path) = case.file;
        let (old, words, new) = case.bullet;
        let markdown = adopted.files().keys().filter(|p| p.ends_with(".md") && !p.starts_with('.')).count();
        let list = adopted.answer(&["list"]);
        assert_eq!(list.lines().count(), markdown, "{list}");
        assert!(list.contains(case.title), "{list}");
        assert_eq!(adopted.answer(&["list", case.folder.0]).lines().count(), case.folder.1, "{}", case.name);
        let text = adopted.answer(&["read", address]);
        assert_eq!(text.as_bytes(), adopted.files()[path], "{}", case.name);
        assert!(adopted.answer(&["query", words]).contains(old), "{}", case.name);

        adopted.expect(&["add", address, "A fact of its own"], &[path], Some("A fact of its own"));
        adopted.expect(&["update", address, old, new], &[path], Some(new));
        let with_index = |paths: &[&'static str]| {
            let mut all: Vec<&str> = paths.iter().copied().chain(case.index).collect();
            all.sort_unstable();
            all
        };
        adopted.expect(&["add", case.new.0, "First of its file"], &with_index(&[case.new.1]), None);
        let both = with_index(&[case.new.1, case.moved.1]);
        adopted.expect(&["mv", case.new.0, case.moved.0], &both, None);
        let entry = |title: &'static str, summary: &'static str| ["append", "-t", title, "-s", summary, "-F", ENTRY];
        adopted.expect(&entry("Vents", "they close again"), &[case.today], None);
        adopted.expect(&entry("Later", "a second entry"), &[case.today], None);
        assert!(adopted.answer(&["context"]).contains("Later: a second entry"), "{}", case.name);
        for _ in 0..6 {
            adopted.answer(&["undo"]);
        }
        let pristine = below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/adopted").join(case.name), |_| true);
        for (name, bytes) in adopted.files() {
            assert_eq!(pristine.get(&name).or((name == "memdir.yaml").then_some(&bytes)), Some(&bytes), "{name}");
        }
    }
}

#[test]
fn nothing_of_an_adopted_folder_is_forked_into_facts() {
    for case in CASES.iter().filter(|case| case.name != "claude-code") {
        let adopted = Adopted::new(case.name);
        for words in [
            &["add", case.file.0, "x"][..],
            &["add", case.new.0, "x"],
            &["mv", case.new.0, case.moved.0],
            &["append", "-t", "Entry", "-s", "y", "-F", ENTRY],
        ] {
            adopted.answer(words);
        }
        assert!(!adopted.dir().join("facts").exists() && !adopted.dir().join("episodes").exists(), "{}", case.name);
    }
}

#[test]
fn a_daily_note_is_an_episode() {
    let adopted = Adopted::new("openclaw");
    let query = |words: &[&str]| adopted.run(&[&["--json", "query"], words].concat()).exit(0).json();
    let hit = query(&["sensor drift", "-L", "1"]);
    assert_eq!(hit["items"][0]["kind"], "entry", "{hit}");
    assert_eq!(hit["items"][0]["date"], "2026-02-22", "{hit}");
    assert_eq!(query(&["SHT41", "--since", "2026-02-23"])["items"][0]["path"], "memory/2026-02-23.md");
    assert_eq!(query(&["SHT41", "--since", "2026-02-24"])["items"].as_array().unwrap().len(), 0);
    // Today's note needs no title, and its name is the date.
    adopted.answer(&["append", "-F", ENTRY]);
    assert_eq!(adopted.answer(&["read", "2026-02-24"]), "# 2026-02-24\n\n- Vents hang\n");
    adopted.answer(&["append", "-t", "Vents", "-s", "oiled", "-F", ENTRY]);
    assert_eq!(adopted.answer(&["read", "2026-02-24#vents"]), "## Vents\n- Summary: oiled\n- Vents hang\n");
    for (date, path) in [("2026-02-22", "memory/2026-02-22.md"), ("2026-02-10", "memory/2026-02-10.md")] {
        adopted.expect(&["append", "-d", date, "-t", "Late", "-F", ENTRY], &[path], None);
    }
}

#[test]
fn a_rename_without_a_folder_stays_where_the_file_is() {
    let adopted = Adopted::new("openclaw");
    adopted.expect(&["mv", "soul", "SPIRIT"], &["SOUL.md", "SPIRIT.md"], None);
    adopted.expect(&["mv", "memory/2026-02-22", "old"], &["memory/2026-02-22.md", "memory/old.md"], None);
}

#[test]
fn two_files_of_one_name_are_not_guessed_between() {
    let memory = Memory::new().file("a/Notes.md", "# N\n\n- one\n").file("b/notes.md", "# N\n\n- two\n");
    memory.run(["read", "notes"]).exit(3).stderr_contains("a/Notes.md");
    memory.run(["add", "notes", "three"]).exit(3).stderr_contains("did_you_mean");
    memory.run(["add", "facts/notes", "three"]).exit(3).stderr_contains("--create");
    memory.run(["add", "facts/notes", "three", "--create"]).exit(0);
    memory.run(["add", "b/notes", "three"]).exit(0).stdout_contains("b/notes.md");
}

#[test]
fn list_takes_any_folder() {
    let memory = Memory::new()
        .file("facts/team/alpha.md", "# Alpha\n\n> Summary: rockets\n\n- x\n")
        .file("facts/user.md", "# User\n\n- x\n")
        .file("notes/deep/a.md", "# About a\n\n- x\n")
        .file("notes.md", "# The notes\n\n- y\n");
    for folder in ["team", "facts/team", "team/", "memory/facts/team"] {
        memory.run(["list", folder]).exit(0).stdout("facts/team/alpha.md (33B): rockets\n");
    }
    memory.run(["list", "notes/"]).exit(0).stdout("notes/deep/a.md (15B): About a\n");
    memory.run(["list", "notes"]).exit(0).stdout_contains("notes.md: The notes\n");
    memory.run(["list", "nowhere/"]).exit(5);
    memory.run(["list", "../memory"]).exit(5);
    memory.run(["list", "nowhere"]).exit(3);
}

#[test]
fn a_restricted_caller_learns_of_no_hidden_folder() {
    let policy = "version: 1\ncategories:\n  custom:\n    - name: health\nallowlists:\n  bob: [work]\n";
    let memory = Memory::new().policy(policy).file("facts/user.md", "- x\n").file("secret/health.md", "- y\n");
    let answer = |folder: &str| {
        let address = format!("{folder}/new");
        let output = memory.run(["add", &*address, "z", "-n"]).by("bob").ends();
        (output.status, output.stderr.replace(folder, "FOLDER"), output.stdout.replace(folder, "FOLDER"))
    };
    assert_eq!(answer("secret"), answer("absent"));
    assert_eq!(memory.run(["list", "secret"]).by("bob").ends().stdout, "");
}

#[test]
fn names_of_people_are_no_conflict_copies_but_those_of_sync_tools_are() {
    let memory = Memory::new().file("facts/Ideen (2026).md", "- a\n").file("facts/Chapter 2.md", "- b\n");
    memory.run(["check"]).exit(0);
    let copies = [
        "user (Ana's conflicted copy 2026-02-24)",
        "user.sync-conflict-20260224-101010-ABCDEFG",
        "user_conflict-20260224-101010",
        "user (SFConflict ana@example.org 2026-02-24-10-10-10)",
        "user (Case Conflict)",
        "user (1)",
        "user 2",
    ];
    for copy in copies {
        let memory = Memory::new().file("facts/user.md", "- a\n").file(&format!("facts/{copy}.md"), "- b\n");
        memory.run(["check"]).ends().stdout_contains("conflict_copy");
    }
}

#[test]
fn bullets_and_sections_of_a_file_with_a_hash_in_its_name_are_found_at_their_addresses() {
    for (name, stem) in [("C# notes.md", "C# notes"), ("a#b#c.md", "a#b#c"), ("bob@work.md", "bob@work")] {
        let memory = Memory::new();
        memory.put(name, "# C# notes\n\n- Records are immutable\n\n## Tasks\n\n- Read the book\n");
        let found = memory.done(["--json", "query", "immutable"]).json();
        let address = found["items"][0]["address"].as_str().unwrap().to_owned();
        assert_eq!(address, format!("{name}@{}", crate::support::handle("Records are immutable")));
        assert_eq!(memory.done(["read", &address]).stdout, "- Records are immutable\n");
        assert_eq!(memory.done(["read", &format!("{stem}@1")]).stdout, "- Records are immutable\n");
        for section in [format!("{name}#tasks"), format!("{name}#c-notes/tasks")] {
            assert!(memory.done(["read", &section]).stdout.contains("Read the book"), "{section}");
        }
        assert!(memory.done(["list", &format!("{name}#tasks")]).stdout.contains("Read the book"), "{name}");
        memory.done(["update", &address, "Records cannot be changed"]);
        memory.done(["add", &format!("{name}#tasks"), "Write a test"]);
        let text = memory.text(name).unwrap();
        assert!(text.contains("- Records cannot be changed\n") && text.contains("- Read the book\n- Write a test\n"));
        // Where both files exist, the longer name is meant.
        if name.starts_with('C') {
            memory.put("C.md", "# C\n\n- Pointers are addresses\n");
            assert_eq!(memory.done(["read", "C# notes@1"]).stdout, "- Records cannot be changed\n");
        }
    }
}

#[test]
fn a_file_whose_name_begins_with_a_hash_is_found_at_its_path() {
    let memory =
        Memory::new().file("Ideas/#hash.md", "# W\n\n- weird\n\n## Later\n\n- more\n").file("#top.md", "- x\n");
    memory.done(["list"]).stdout_contains("Ideas/#hash.md");
    let bullet = format!("Ideas/#hash.md@{}", crate::support::handle("weird"));
    assert_eq!(memory.done(["read", &bullet]).stdout, "- weird\n");
    memory.done(["read", "Ideas/#hash.md#later"]).stdout_contains("- more");
    for command in ["read", "list", "check", "log"] {
        memory.run([command, "Ideas/#hash.md"]).may_change().exit(0);
    }
    memory.done(["add", "Ideas/#hash.md", "second"]);
    memory.done(["add", "#top.md", "third"]);
    assert!(memory.text("#top.md").unwrap().contains("- third"));
    memory.done(["mv", "Ideas/#hash.md", "Ideas/hash.md"]);
    assert!(memory.text("Ideas/hash.md").unwrap().contains("- weird\n- second\n"));
    for command in
        [vec!["read", "Ideas/#hash.md"], vec!["add", "Ideas/#other.md", "x"], vec!["mv", "#top.md", "a/#b.md"]]
    {
        memory.run(command).exit(5).stderr_contains("no file has this name");
    }
}

#[test]
fn an_archived_file_of_an_adopted_folder_returns_from_the_address_that_it_had() {
    let memory = Memory::new().file("t.md", "# T\n\n- one\n").file("Daily/note.md", "# Note\n\n- two\n- three\n");
    for (address, path) in [("t", "t.md"), ("t.md", "t.md"), ("Daily/note", "Daily/note.md"), ("note", "Daily/note.md")]
    {
        let text = memory.text(path).unwrap();
        memory.done(["rm", "--archive", "-f", path]);
        memory.done(["restore", address]).stdout_contains(path);
        assert_eq!(memory.text(path).as_deref(), Some(text.as_str()), "{address}");
    }
    let two = format!("note@{}", crate::support::handle("two"));
    memory.done(["rm", "--archive", "-f", "Daily/note.md"]);
    memory.done(["restore", &two]);
    assert_eq!(memory.text("Daily/note.md").unwrap().matches("- two").count(), 1);
    memory.run(["restore", "nothing"]).exit(3).stderr_contains("nothing of facts/nothing.md is archived");
}

#[test]
fn a_listed_path_names_that_file_where_a_folder_has_the_name_of_the_data_directory() {
    let memory =
        Memory::new().file("plan.md", "# Plan\n\n- Inner item\n").file("memory/plan.md", "# Plan\n\n- Outer item\n");
    memory.done(["list"]).stdout_contains("memory/plan.md");
    for address in ["memory/plan.md", "memory/plan"] {
        memory.done(["read", address]).stdout_contains("Outer item");
    }
    let absolute = memory.dir().join("plan.md");
    for address in ["plan.md", "./memory/plan.md", absolute.to_str().unwrap()] {
        memory.done(["read", address]).stdout_contains("Inner item");
    }
    memory.done(["add", "memory/plan.md", "Third item"]);
    assert!(memory.text("memory/plan.md").unwrap().contains("- Third item"));
    let outer = format!("memory/plan.md@{}", handle("Outer item"));
    memory.done(["update", &outer, "Changed item"]);
    memory.run(["mv", "plan.md", "memory/plan.md"]).exit(4);
    memory.run(["apply"]).stdin(format!(r#"{{"op":"rm","at":"memory/plan.md@{}"}}"#, handle("Changed item"))).exit(0);
    assert_eq!(memory.text("plan.md").unwrap(), "# Plan\n\n- Inner item\n");
    // A file that does not exist there is spelt as on the command line.
    memory.done(["read", "memory/plan.md#plan"]);
    memory.done(["mv", "memory/plan.md", "other.md"]);
    memory.done(["read", "memory/plan.md"]).stdout_contains("Inner item");
}
