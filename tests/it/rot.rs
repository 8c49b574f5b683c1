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
    assert_eq!(report["unreadable_examples"], serde_json::json!(["binary.md: it is not UTF-8 text"]), "{report}");
    let shown = folder.run(&[]).exit(0);
    assert!(shown.stderr.contains("1 file or folder was not read: binary.md: it is not UTF-8 text\n"), "{shown:#?}");
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

/// What people have in their folders: nothing of it may stop the check, fill more than a screen, or be changed.
#[test]
fn odd_folders_are_counted_and_stay_as_they_are() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new(&[
        ("windows.md", "# Notes\r\n\r\n- Prefers tea in the morning\r\n- Prefers tea in the morning\r\n"),
        ("bom.md", "\u{feff}# Notes\n\n- Likes walks by the lake\n"),
        ("empty.md", ""),
        ("blank.md", "\n\n\n"),
        ("front.md", "---\ntitle: x\n"),
        ("UPPER.MD", "- Likes the sea in winter\n"),
        ("name with spaces ü.md", "- See [[windows]]\n"),
    ]);
    let notes = folder.0.path().join("notes");
    fs_err::write(notes.join(std::ffi::OsStr::from_bytes(b"caf\xe9.md")), "- Likes rain\n").unwrap();
    fs_err::write(notes.join("picture.md"), b"\x89PNG\r\n\x1a\n\x00\x00\xff").unwrap();
    fs_err::write(notes.join("huge.md"), vec![b'x'; (4 << 20) + 1]).unwrap();
    fs_err::create_dir(notes.join("folder.md")).unwrap();
    fs_err::write(folder.0.path().join("outside.md"), "- [[nowhere]]\n").unwrap();
    std::os::unix::fs::symlink(folder.0.path().join("outside.md"), notes.join("out.md")).unwrap();
    std::os::unix::fs::symlink("nothing", notes.join("broken.md")).unwrap();
    let before = folder.tree();
    let ran = folder.run(&[]).exit(6);
    assert_eq!(folder.tree(), before);
    assert!(ran.stdout.lines().count() < 24 && !ran.stdout.contains("nowhere"), "{ran:#?}");
    let report: Value = serde_json::from_str(&folder.run(&["--json"]).stdout).unwrap();
    assert_eq!((&report["files"], &report["unreadable"]), (&Value::from(8), &Value::from(3)), "{report}");
    let named = report["unreadable_examples"].to_string();
    for part in [
        "caf\u{fffd}.md: its name is not UTF-8",
        "huge.md: it is larger than 4 MiB",
        "picture.md: it is not UTF-8 text",
    ] {
        assert!(named.contains(part), "{part}: {report}");
    }
    assert_eq!(
        folder.count("repeated"),
        (1, vec!["windows.md:4 = windows.md:3: Prefers tea in the morning".to_owned()])
    );
    let none = Folder::new(&[]);
    fs_err::create_dir(none.0.path().join("notes")).unwrap();
    let ran = none.run(&[]).exit(0);
    assert!(ran.stdout.starts_with("notes: 0 files"), "{ran:#?}");
}

/// A vault of 10,000 notes is checked within the test's patience, on one screen.
#[test]
fn a_vault_of_many_notes_is_one_screen() {
    let folder = Folder::new(&[]);
    let notes = folder.0.path().join("notes");
    let index: String = (0..400).map(|n| format!("- [Note {n}](d0/n{n}.md) — note\n")).collect();
    for n in 0..10_000 {
        let file = notes.join(format!("d{}/n{n}.md", n / 500));
        if n % 500 == 0 {
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        }
        let text =
            format!("# Note {n}\n\n- Shipment {n} arrived at berth {}\n- See [[n{}]]\n", n % 37, (n * 7) % 11_000);
        fs_err::write(file, text).unwrap();
    }
    fs_err::write(notes.join("MEMORY.md"), index).unwrap();
    let ran = folder.run(&[]).exit(6);
    assert!(ran.stdout.starts_with("notes: 10001 files, 20400 bullets") && ran.stdout.lines().count() < 24, "{ran:#?}");
    assert_eq!(folder.count("index_overflow").0, 200);
}

/// Files and folders of others are counted as unreadable, and the rest is read.
#[test]
fn what_may_not_be_read_is_counted() {
    use std::os::unix::fs::PermissionsExt;
    if crate::support::test_dir::passed_as_nobody() {
        return;
    }
    let folder =
        Folder::new(&[("closed.md", "- [[nowhere]]\n"), ("shut/a.md", "- [[nowhere]]\n"), ("ok.md", "- fine\n")]);
    let notes = folder.0.path().join("notes");
    let mode = |path: &str, mode: u32| {
        fs_err::set_permissions(notes.join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("closed.md", 0);
    mode("shut", 0);
    let ran = folder.run(&["--json"]).exit(0);
    mode("shut", 0o755);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&report["files"], &report["unreadable"]), (&Value::from(1), &Value::from(2)), "{report}");
    let named = report["unreadable_examples"].to_string();
    assert!(named.contains("closed.md: it cannot be read: ") && named.contains("shut: "), "{report}");
}

/// What is too deep or too large is counted and named, beside what was read.
#[test]
fn what_is_too_deep_or_too_large_is_named() {
    let deepest = "d/".repeat(16);
    let (read, left_out) = (format!("{deepest}read.md"), format!("{deepest}e/a.md"));
    let folder = Folder::new(&[(&read, "- [[nowhere]]\n"), (&left_out, "- [[nobody]]\n")]);
    fs_err::write(folder.0.path().join("notes/big.md"), "- [[nothing]]\n".repeat(300_000)).unwrap();
    let ran = folder.run(&[]).exit(6);
    assert!(ran.stdout.contains("read.md:1: nowhere") && !ran.stdout.contains("nobody"), "{ran:#?}");
    let named = format!(
        "2 files and folders were not read: big.md: it is larger than 4 MiB; {deepest}e: it is more than 16 folders deep\n"
    );
    assert!(ran.stderr.contains(&named), "{ran:#?}");
    let report: Value = serde_json::from_str(&folder.run(&["--json"]).stdout).unwrap();
    assert_eq!((&report["files"], &report["unreadable"]), (&Value::from(1), &Value::from(2)), "{report}");
}

/// A big tree ends at a limit, which the report names with its figures, on one screen.
#[test]
fn a_tree_over_a_limit_is_read_up_to_it() {
    let folder = Folder::new(&[("a/last.md", "- fine\n")]);
    let notes = folder.0.path().join("notes");
    let put = |name: &str, text: &str| fs_err::write(notes.join(name), text).unwrap();
    for n in 0..20_010 {
        put(&format!("n{n:05}.md"), "");
    }
    let ran = folder.run(&[]).exit(0);
    let first: Vec<&str> = ran.stdout.lines().take(2).collect();
    let stopped = "stopped at 20000 markdown files, after 20011 names; the rest was not checked";
    assert_eq!(first, ["notes: 20000 files, 0 bullets, 0B", stopped], "{ran:#?}");
    assert!(ran.stdout.lines().count() < 24, "{ran:#?}");
    let report: Value = serde_json::from_str(&folder.run(&["--json"]).stdout).unwrap();
    let stop = serde_json::json!({"what": "markdown files", "limit": 20000, "entries": 20011});
    assert_eq!((&report["stopped"], &report["files"]), (&stop, &Value::from(20_000)), "{report}");
    let sound: Value = serde_json::from_str(&Folder::new(&[("a.md", "- fine\n")]).run(&["--json"]).stdout).unwrap();
    assert_eq!(sound.get("stopped"), None);
}

/// One note can be long: what is found in it is counted in a time that grows with its length only.
#[test]
fn a_long_note_is_checked_like_many_short_ones() {
    let links: String = (0..8_000).map(|n| format!("[[n{n}]] `[[x]]` ")).collect();
    let bullets: String = (0..1_500).map(|n| format!("- Pump {} uses oil {}\n", n % 250, n % 7)).collect();
    let index: String = (0..8_000).map(|n| format!("- [n{n}](n{n}.md)\n")).collect();
    let folder = Folder::new(&[("MEMORY.md", &index), ("links.md", &links), ("bullets.md", &bullets)]);
    let count = |kind: &str| folder.count(kind).0;
    assert_eq!((count("dangling_links"), count("not_in_index")), (16_000, 2));
    assert!(count("contradictions") > 1_000);
}

#[test]
fn a_memory_that_restricts_the_caller_is_left_out() {
    let policy = "version: 1\nallowlists: {bot: [work], ana: [work, health]}\n";
    let folder = Folder::new(&[
        ("memory/memdir.yaml", policy),
        ("memory/facts/health.md", "# Health\n\n- See [[qzhidden]]\n"),
        ("other/memdir.yaml", "version: 1\n"),
        ("other/facts/x.md", "- See [[shown]]\n"),
        ("a.md", "- See [[gone]]\n"),
    ]);
    let count = |actor: &str| {
        let ran = folder.run(&["--as", actor]).exit(6);
        assert_eq!(ran.stdout.contains("qzhidden"), actor == "ana", "{ran:?}");
        (ran.stdout.lines().next().unwrap_or_default().to_owned(), ran.stderr)
    };
    let (seen, told) = count("bot");
    assert!(
        seen.contains("notes: 2 files") && told.contains("left out: 1 folder of scopes, of Logseq"),
        "{seen} {told}"
    );
    let (seen, told) = count("ana");
    assert!(seen.contains("notes: 3 files") && told.is_empty(), "{seen} {told}");
    let rot = |dir: &str, actor: &str| {
        let mut command = memdir_command(folder.0.path());
        command.current_dir(folder.0.path()).args(["check", "--rot", dir, "--as", actor]);
        ProgramOutput::of(command.stdin(std::process::Stdio::null()))
    };
    let against = |actor: &str| {
        let mut command = memdir_command(folder.0.path());
        let words = ["--dir", "notes/memory", "--as", actor, "check", "--against", "notes/memory/facts/health.md"];
        command.current_dir(folder.0.path()).args(words);
        ProgramOutput::of(command.stdin(std::process::Stdio::null()))
    };
    assert!(against("bot").exit(5).stderr.contains("category_not_allowed"));
    assert!(!against("ana").stderr.contains("category_not_allowed"));
    for dir in ["notes/memory", "notes/memory/facts"] {
        let refused = rot(dir, "bot").exit(5).stderr;
        assert!(refused.contains("category_not_allowed"), "{refused}");
        rot(dir, "ana").exit(6);
    }
}

#[test]
fn words_in_too_many_bullets_to_lead_to_contradictions_are_counted() {
    let sensor = |n: usize| format!("- Sensor {n}: 20 degrees\n");
    let list = |bullets: usize| (1..=bullets).map(sensor).collect::<String>();
    let skipped = |text: &str| {
        let folder = Folder::new(&[("a.md", text), ("b.md", "- Likes tea\n")]);
        let json: Value = serde_json::from_str(&folder.run(&["--json"]).stdout).unwrap();
        let lines = folder.run(&[]).stdout;
        (
            json["frequent_words"].as_u64(),
            lines.lines().filter(|line| line.contains("more than 40 bullets")).map(str::to_owned).collect::<Vec<_>>(),
        )
    };
    assert_eq!(skipped(&list(40)), (None, vec![]));
    let (count, lines) = skipped(&list(41));
    let line =
        format!("{} words occur in more than 40 bullets of a section and led to no contradictions", count.unwrap());
    assert_eq!((count, lines), (Some(2), vec![line]));
    // A word of two sections is one word.
    let two = format!("# A\n\n## One\n\n{0}\n## Two\n\n{0}", list(41));
    assert_eq!(skipped(&two).0, Some(2));
    let one = "- Likes tea\n".repeat(41);
    assert_eq!(
        skipped(&one.replace("Likes tea", "tea")).1,
        ["1 word occurs in more than 40 bullets of a section and led to no contradictions"]
    );
}

#[test]
fn links_of_obsidian_logseq_and_a_zettelkasten_are_read_as_there() {
    let folder = Folder::new(&[
        (
            "Home.md",
            "- [[Plan#Goals]] [[Plan#^b1]] [[Plan#Lost]] [md](Plan.md#goals) [[Lost]] %% [[Hidden]] %%\n- [[{{date}}]]\n",
        ),
        ("Plan.md", "# Plan\n\n## Goals\n\nText ^b1\n"),
        (
            "pages/Project A.md",
            "type:: project\nalias:: PA, [[Proj]]\n\n- [[ns/page]] [[PA]] [[proj]] {{query [[x]]}} [[y]]\n",
        ),
        ("pages/ns___page.md", "- [[Jan 2nd, 2026]] [[2026/01/02]] [[Jan 3rd, 2026]]\n"),
        ("journals/2026_01_02.md", "- bought milk\n- bought milk\n"),
        ("journals/2026_01_05.md", "- bought milk\n"),
        ("logseq/config.edn", "{}"),
        ("logseq/bak/pages/old.md", "- [[Older]]\n"),
        ("202601021530 Trees.md", "See [[202601021531]], [[202601021532]].\n"),
        ("202601021531.md", "Leaves\n"),
        ("202601021532 Roots.md", "Roots\n"),
    ]);
    let before = folder.tree();
    let (count, examples) = folder.count("dangling_links");
    assert_eq!(examples, ["Home.md:1: Plan#Lost", "Home.md:1: Lost", "pages/Project A.md:4: y"]);
    assert_eq!(count, 4, "the fourth is Jan 3rd");
    // The same on another day is no repetition.
    assert_eq!(
        folder.count("repeated"),
        (1, vec!["journals/2026_01_02.md:2 = journals/2026_01_02.md:1: bought milk".into()])
    );
    assert_eq!(folder.tree(), before);
}
