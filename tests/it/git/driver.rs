//! `merge-driver` and `merge` keep their contracts: git's for one, ours for the other, on three files and nothing else.
//!
//! Uses no repository; the merge decisions themselves are tested in `merging`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fs_err as fs;

use crate::support::memdir_command;

const BASE: &str = "# User\n\n- Lives in Austin\n- Vegan since 2024\n";
const OURS: &str = "# User\n\n- Lives in Lisbon\n- Vegan since 2024\n";
const THEIRS: &str = "# User\n\n- Lives in Austin\n- Vegan since 2023\n";
const OTHER: &str = "# User\n\n- Lives in Porto\n- Vegan since 2024\n";

/// Three files `O A B` in a directory, and memdir run there: exit status, stdout, stderr, what `A` reads then.
struct Three {
    dir: tempfile::TempDir,
}

fn three(sides: [impl AsRef<[u8]>; 3]) -> Three {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in ["O", "A", "B"].iter().zip(sides) {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    Three { dir }
}

impl Three {
    fn run(&self, words: &[&str]) -> (i32, String, String) {
        let mut command = memdir_command(self.dir.path());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.args(words).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn file(&self, name: &str) -> Vec<u8> {
        fs::read(self.dir.path().join(name)).unwrap()
    }

    fn run_driver(&self, more: &[&str]) -> i32 {
        let (status, out, err) = self.run(&[&["merge-driver", "--", "O", "A", "B"], more].concat());
        assert_eq!((out.as_str(), err.as_str()), ("", ""));
        status
    }
}

#[test]
fn a_clean_merge_is_written_into_our_file_which_keeps_its_mode() {
    let files = three([BASE, OURS, THEIRS]);
    let ours = files.dir.path().join("A");
    fs::set_permissions(&ours, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(files.run_driver(&["7", "memory/facts/user.md"]), 0);
    assert_eq!(String::from_utf8(files.file("A")).unwrap(), "# User\n\n- Lives in Lisbon\n- Vegan since 2023\n");
    assert_eq!(fs::metadata(&ours).unwrap().permissions().mode() & 0o7777, 0o640);
    assert_eq!(fs::read_dir(files.dir.path()).unwrap().count(), 3, "nothing is left beside them");
    assert_eq!((files.file("O"), files.file("B")), (BASE.into(), THEIRS.into()));
}

#[test]
fn a_conflict_has_gits_markers_names_and_length() {
    let files = three([BASE, OURS, OTHER]);
    assert_eq!(files.run_driver(&["9", "facts/user.md", "base of both", "HEAD", "other"]), 1);
    insta::assert_snapshot!(String::from_utf8(files.file("A")).unwrap(), @r"
    # User

    <<<<<<<<< HEAD
    - Lives in Lisbon
    ||||||||| base of both
    - Lives in Austin
    =========
    - Lives in Porto
    >>>>>>>>> other
    - Vegan since 2024
    ");
    let old = three([BASE, OURS, OTHER]);
    assert_eq!(old.run_driver(&["7", "facts/user.md", "%S", "%X", "%Y"]), 1);
    let text = String::from_utf8(old.file("A")).unwrap();
    assert!(text.contains("<<<<<<< ours\n") && text.contains(">>>>>>> theirs\n"), "{text}");
}

#[test]
fn a_path_or_label_that_looks_like_an_option_is_a_name() {
    let files = three([BASE, OURS, OTHER]);
    assert_eq!(files.run_driver(&["7", "-n.md", "--json", "-q", "$(id)"]), 1);
    assert!(String::from_utf8(files.file("A")).unwrap().contains(">>>>>>> $(id)\n"));
}

#[test]
fn a_failed_merge_leaves_our_file_and_is_no_conflict() {
    let files = three([BASE, OURS, THEIRS]);
    for words in [
        &["merge-driver", "--", "none", "A", "B", "7", "p"][..],
        &["merge-driver", "--", "O", "A", ".", "7", "p"],
        &["merge-driver", "--", "O", "A", "B", "wide", "p"],
        &["merge-driver", "O", "A"],
    ] {
        let (status, out, err) = files.run(words);
        assert!(status > 128 && out.is_empty() && err.lines().count() >= 1, "{words:?} {status} {out} {err}");
        assert_eq!(files.file("A"), OURS.as_bytes(), "{words:?}");
    }
}

#[test]
fn texts_that_are_no_utf8_are_merged_by_lines_as_git_does() {
    let latin = |home: &str, year: &str| {
        [b"- Lives in ", home.as_bytes(), b"\n- caf\xe9\n- a\n- b\n- Vegan since ", year.as_bytes(), b"\n"].concat()
    };
    let files = three([latin("Austin", "2024"), latin("Lisbon", "2024"), latin("Austin", "2023")]);
    assert_eq!(files.run_driver(&["7", "p"]), 0);
    assert_eq!(files.file("A"), latin("Lisbon", "2023"));
    let files = three([latin("Austin", "2024"), latin("Lisbon", "2024"), latin("Porto", "2024")]);
    assert_eq!(files.run_driver(&["8", "p", "", "HEAD", "other"]), 1);
    let marked = files.file("A");
    let text = String::from_utf8_lossy(&marked);
    assert!(text.contains("<<<<<<<< HEAD\n- Lives in Lisbon\n") && text.contains("- caf\u{fffd}\n"), "{text}");
}

#[test]
fn files_too_large_for_a_memory_are_merged_by_lines() {
    let middle = "- one of very many facts that nobody reads\n".repeat(1_600_000);
    let big = |first: &str, last: &str| [first.as_bytes(), middle.as_bytes(), last.as_bytes()].concat();
    let files = three([big("- a\n", "- z\n"), big("- A\n", "- z\n"), big("- a\n", "- Z\n")]);
    assert_eq!(files.run_driver(&["7", "p"]), 0);
    assert!(files.file("A") == big("- A\n", "- Z\n"));
}

#[test]
fn a_binary_stays_ours_and_is_a_conflict() {
    let files = three([&b"a\0"[..], b"b\0", b"c\0"]);
    let (status, out, err) = files.run(&["merge-driver", "--", "O", "A", "B", "7", "p"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("our side was kept"), "{err}");
    assert_eq!(files.file("A"), b"b\0");
    let files = three([&b"a\0"[..], b"a\0", b"c\0"]);
    assert_eq!(files.run_driver(&["7", "p"]), 0);
    assert_eq!(files.file("A"), b"c\0", "a side that changed nothing gives way");
}

#[test]
fn merge_prints_the_text_and_its_status_reports_conflicts() {
    let files = three([BASE, OURS, THEIRS]);
    let (status, out, err) = files.run(&["merge", "O", "A", "B"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "# User\n\n- Lives in Lisbon\n- Vegan since 2023\n", ""));
    assert_eq!(files.file("A"), OURS.as_bytes(), "no side is written");
    fs::write(files.dir.path().join("B"), OTHER).unwrap();
    let (status, out, err) = files.run(&["merge", "O", "A", "B", "--marker-size", "8"]);
    assert!(status == 4 && out.contains("<<<<<<<< ours\n- Lives in Lisbon\n"), "{status} {out}");
    assert_eq!(err, "memdir: merge_conflict: 1 conflict is left, in line 3\n");
    let (status, out, _) = files.run(&["merge", "O", "A", "B", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &json["v"], &json["clean"]), (4, &1.into(), &false.into()));
    assert_eq!(json["clashes"][0]["theirs"], "- Lives in Porto\n");
}

#[test]
fn merge_writes_to_the_given_file_and_refuses_binary_input() {
    let files = three([BASE, OURS, THEIRS]);
    let (status, out, err) = files.run(&["merge", "O", "A", "B", "-o", "merged"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    assert_eq!(files.file("merged"), b"# User\n\n- Lives in Lisbon\n- Vegan since 2023\n");
    fs::write(files.dir.path().join("B"), b"- caf\xe9\n").unwrap();
    let (status, out, err) = files.run(&["merge", "O", "A", "B"]);
    assert_eq!((status, out.as_str()), (5, ""));
    assert!(err.starts_with("memdir: not_text: 'B' is not UTF-8 text"), "{err}");
    let (status, _, err) = files.run(&["merge", "none", "A", "B"]);
    assert!(status == 3 && err.starts_with("memdir: file_not_found: "), "{status} {err}");
    assert!(Path::new(&files.dir.path().join("merged")).exists());
}
