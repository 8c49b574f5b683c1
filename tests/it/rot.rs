//! `check --rot` on folders that are no memories.

use serde_json::Value;

use crate::support::{ProgramOutput, memdir_command};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let file = folder.0.path().join("notes").join(path);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, text).unwrap();
        }
        folder
    }

    fn run(&self, words: &[&str]) -> ProgramOutput {
        let mut command = memdir_command(self.0.path());
        command.current_dir(self.0.path()).args(["check", "--rot", "notes"]).args(words);
        ProgramOutput::of(command.stdin(std::process::Stdio::null()))
    }

    fn count(&self, kind: &str) -> (u64, Vec<String>) {
        let report: Value = serde_json::from_str(&self.run(&["--json"]).stdout).unwrap();
        let row = report["counts"].as_array().unwrap().iter().find(|row| row["kind"] == kind).unwrap().clone();
        let examples = row["examples"].as_array().unwrap().iter().map(|e| e.as_str().unwrap().to_owned()).collect();
        (row["count"].as_u64().unwrap(), examples)
    }

    fn tree(&self) -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let all = walkdir::WalkDir::new(self.0.path()).sort_by_file_name().into_iter().map(Result::unwrap);
        all.filter(|e| e.file_type().is_file())
            .map(|e| (e.path().to_owned(), fs_err::read(e.path()).unwrap()))
            .collect()
    }
}

#[test]
fn everything_is_counted_on_one_screen_and_nothing_is_written() {
    let folder = Folder::new(&[
        ("MEMORY.md", "# Index\n\n- [Prefs](prefs.md): preferences\n- [Gone](gone.md): missing\n"),
        (
            "prefs.md",
            "---\nname: prefs\n---\n# Prefs\n\n- Deploys on Fridays\n- Never deploys on Fridays\n- Drinks green tea\n- See [[nowhere]]\n\
             - key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789abcdef\n- code\n  <!-- mem anchor=src/a.rs:1#aaaaaaaaaaaa -->\n",
        ),
        ("sub/tea.md", "- drinks green tea.\n- yes\n- yes\n"),
    ]);
    let before = folder.tree();
    let ran = folder.run(&[]).exit(6);
    insta::assert_snapshot!(ran.stdout, @r"
    notes: 3 files, 11 bullets, 330B
        1  repeated bullets
           sub/tea.md:1 = prefs.md:8: drinks green tea.
        1  contradicting pairs of bullets
           prefs.md:7: Never deploys on Fridays / prefs.md:6: Deploys on Fridays
        2  dangling links
           MEMORY.md:4: gone.md
           prefs.md:9: nowhere
        0  lines of the index that Claude Code does not load
        1  files missing from the index
           sub/tea.md
        1  stale anchors to code
           prefs.md:11: src/a.rs:1 is gone
        1  keys and passwords in plain text
           prefs.md:10: an API key
    ");
    assert!(!ran.stdout.contains("abcdefgh") && ran.stdout.lines().count() < 30, "{ran:#?}");
    assert_eq!(folder.tree(), before);
}

#[test]
fn a_sound_folder_has_nothing() {
    let folder = Folder::new(&[
        ("MEMORY.md", "# Index\n\n- [a](a.md)\n- [[b c]]\n"),
        ("a.md", "- Likes tea\n- Likes coffee\n- See [b](b%20c.md) and [the web](https://example.org/x.md)\n"),
        ("b c.md", "- Likes water\n"),
    ]);
    let ran = folder.run(&[]).exit(0);
    assert!(ran.stdout.lines().skip(1).all(|line| line.starts_with("    0  ")), "{ran:#?}");
}

#[test]
fn an_index_is_cut_off_by_lines_and_by_bytes() {
    let lines = |n: usize, width: usize| format!("{}\n", "x".repeat(width)).repeat(n);
    for (text, lost) in [
        (lines(200, 20), 0),
        (lines(201, 20), 1),
        (lines(250, 20), 50),
        (lines(100, 249), 0),
        (lines(101, 249), 1),
        (lines(1, 26_000), 1),
    ] {
        let folder = Folder::new(&[("MEMORY.md", &text)]);
        assert_eq!(folder.count("index_overflow").0, lost, "{} bytes", text.len());
    }
    assert_eq!(Folder::new(&[("index.md", &lines(300, 20))]).count("index_overflow").0, 0);
}

#[test]
fn three_examples_stand_for_many() {
    let list: String = (0..40).map(|n| format!("- See [[nowhere {n}]]\n")).collect();
    let (count, examples) = Folder::new(&[("a.md", &list)]).count("dangling_links");
    assert_eq!((count, examples.len(), examples[0].as_str()), (40, 3, "a.md:1: nowhere 0"));
    let same = "- Prefers window seats on trains\n".repeat(30);
    assert_eq!(Folder::new(&[("a.md", &same)]).count("repeated").0, 29);
}

#[test]
fn anchors_are_compared_with_the_code_of_the_repository() {
    let folder = Folder::new(&[
        ("src/a.rs", "fn main() {}\n"),
        ("memory/a.md", "- Starts here\n  <!-- mem anchor=src/a.rs:1#000000000000 -->\n"),
    ]);
    let notes = folder.0.path().join("notes");
    fs_err::create_dir(notes.join(".git")).unwrap();
    let (count, examples) = folder.count("stale_anchors");
    assert_eq!((count, examples), (1, vec!["memory/a.md:1: src/a.rs:1 has changed".to_owned()]));
}

#[test]
fn links_and_hidden_folders_are_not_entered_and_other_files_not_read() {
    let folder =
        Folder::new(&[(".obsidian/a.md", "- [[nowhere]]\n"), ("a.txt", "- [[nowhere]]\n"), ("ok.md", "- fine\n")]);
    fs_err::write(folder.0.path().join("outside.md"), "- [[nowhere]]\n").unwrap();
    std::os::unix::fs::symlink("../outside.md", folder.0.path().join("notes/link.md")).unwrap();
    std::os::unix::fs::symlink("..", folder.0.path().join("notes/up")).unwrap();
    fs_err::write(folder.0.path().join("notes/binary.md"), b"\xff\xfe\x00").unwrap();
    let ran = folder.run(&["--json"]).exit(0);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&report["files"], &report["unreadable"]), (&Value::from(2), &Value::from(1)), "{report}");
}

#[test]
fn what_is_no_folder_is_an_error() {
    let folder = Folder::new(&[("a.md", "")]);
    let run = |words: &[&str]| {
        let mut command = memdir_command(folder.0.path());
        ProgramOutput::of(command.current_dir(folder.0.path()).args(words).stdin(std::process::Stdio::null()))
    };
    assert!(run(&["check", "--rot", "nowhere"]).exit(3).stderr.contains("file_not_found"));
    run(&["check", "--rot", "notes/a.md"]).exit(2);
    run(&["check", "--rot", "notes", "--fix"]).exit(2);
    run(&["check", "--rot", "notes", "user"]).exit(2);
}
