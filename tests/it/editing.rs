//! `edit` with a scripted editor: what was typed is never lost.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::{memdir_command, write_program};

struct EditorSetup {
    root: tempfile::TempDir,
}

impl EditorSetup {
    fn new() -> EditorSetup {
        let setup = EditorSetup { root: tempfile::tempdir().unwrap() };
        fs_err::create_dir_all(setup.path("memory/facts")).unwrap();
        fs_err::create_dir(setup.path("tmp")).unwrap();
        fs_err::write(setup.path("memory/facts/user.md"), "# User\n\n- Prefers tabs\n- Lives in Austin\n").unwrap();
        setup
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn text(&self) -> String {
        fs_err::read_to_string(self.path("memory/facts/user.md")).unwrap()
    }

    /// Runs memdir with an editor that is this shell script; `$1` is the copy.
    fn edit(&self, script: &str, line: &[&str]) -> Output {
        let editor = self.path("editor");
        write_program(&editor, &format!("#!/bin/sh\n{script}\n"));
        let mut command = memdir_command(self.root.path());
        command
            .env("TMPDIR", self.path("tmp"))
            .env("MEMDIR_AS", "")
            .env("GIT_AUTHOR_NAME", "test")
            .env("EDITOR", editor)
            .args(line);
        command.output().unwrap()
    }

    fn copies(&self) -> usize {
        fs_err::read_dir(self.path("tmp")).unwrap().count()
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_edit_is_written_and_its_copy_is_gone() {
    let setup = EditorSetup::new();
    let result = setup.edit("sed -i s/tabs/spaces/ \"$1\"", &["edit", "user"]);
    assert_eq!(result.status.code(), Some(0), "{}", stderr(&result));
    assert!(setup.text().contains("- Prefers spaces\n"), "{}", setup.text());
    assert_eq!(setup.copies(), 0);
}

#[test]
fn an_unchanged_copy_is_nothing_to_do() {
    let setup = EditorSetup::new();
    let result = setup.edit("true", &["edit", "user"]);
    assert_eq!((result.status.code(), stderr(&result)), (Some(0), "memdir: nothing to do\n".into()));
    assert_eq!(setup.copies(), 0);
}

#[test]
fn a_bullet_of_a_missing_file_opens_no_editor() {
    let setup = EditorSetup::new();
    for address in ["new@acvh", "new#section"] {
        let result = setup.edit("echo text > \"$1\"", &["edit", address]);
        assert_eq!(result.status.code(), Some(3), "{}", stderr(&result));
        assert!(stderr(&result).starts_with("memdir: file_not_found: "), "{}", stderr(&result));
    }
    assert_eq!(setup.copies(), 0);
}

#[test]
fn the_copy_is_private_and_keeps_the_files_name() {
    let setup = EditorSetup::new();
    let out = setup.path("seen");
    let script = format!("stat -c '%a' \"$(dirname \"$1\")\" > {0}; basename \"$1\" >> {0}", out.display());
    setup.edit(&script, &["edit", "user"]);
    assert_eq!(fs_err::read_to_string(out).unwrap(), "700\nuser.md\n");
}

#[test]
fn a_concurrent_change_is_kept() {
    let setup = EditorSetup::new();
    let memory = setup.path("memory/facts/user.md");
    let script = format!("sed -i s/tabs/spaces/ \"$1\"; echo '- Drinks tea' >> {}", memory.display());
    let result = setup.edit(&script, &["edit", "user"]);
    match result.status.code() {
        Some(0) => assert!(setup.text().contains("Prefers spaces") && setup.text().contains("Drinks tea")),
        _ => {
            assert!(setup.text().contains("Drinks tea") && !setup.text().contains("spaces"), "{}", setup.text());
            kept(&setup, &result, "Prefers spaces");
        }
    }
}

#[test]
fn a_refused_edit_is_kept_and_can_be_resumed() {
    let setup = EditorSetup::new();
    let result = setup.edit("printf '<<<<<<< a\\n- x\\n=======\\n- y\\n>>>>>>> b\\n' > \"$1\"", &["edit", "user"]);
    assert_ne!(result.status.code(), Some(0));
    let copy = kept(&setup, &result, "<<<<<<<");
    let resumed = setup.edit("sed -i '/^[<=>]/d' \"$1\"", &["edit", "user", "--resume", copy.to_str().unwrap()]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert!(setup.text().contains("- x\n- y\n"), "{}", setup.text());
    assert_eq!(setup.copies(), 0);
}

#[test]
fn an_editor_that_fails_changes_nothing_and_loses_nothing() {
    let setup = EditorSetup::new();
    let before = setup.text();
    let result = setup.edit("echo '- half' >> \"$1\"; exit 3", &["edit", "user"]);
    assert_eq!(result.status.code(), Some(1), "{}", stderr(&result));
    assert_eq!(setup.text(), before);
    kept(&setup, &result, "- half");
}

#[test]
fn a_copy_in_which_nothing_was_written_is_removed_whatever_fails() {
    let setup = EditorSetup::new();
    let before = setup.text();
    for (script, line) in [
        ("exit 3", &["edit", "user"][..]),
        ("kill -9 $$", &["edit", "user"]),
        ("rm \"$1\"; exit 1", &["edit", "user"]),
        ("rm \"$1\"", &["edit", "user"]),
        ("exit 3", &["edit", "new"]),
    ] {
        let result = setup.edit(script, line);
        assert_eq!(result.status.code(), Some(1), "{script} {line:?} {}", stderr(&result));
        assert!(!stderr(&result).contains("your text is kept"), "{script} {line:?} {}", stderr(&result));
        assert_eq!((setup.copies(), setup.text()), (0, before.clone()), "{script} {line:?}");
    }
    for line in [["edit", "user"], ["edit", "new"]] {
        let mut command = memdir_command(setup.root.path());
        command.env("TMPDIR", setup.path("tmp")).env_remove("EDITOR").env_remove("VISUAL").args(line);
        let result = command.output().unwrap();
        assert_eq!(result.status.code(), Some(2), "{}", stderr(&result));
        assert!(stderr(&result).contains("no editor is set"), "{}", stderr(&result));
        assert!(!stderr(&result).contains("your text is kept"), "{}", stderr(&result));
        assert_eq!(setup.copies(), 0, "{line:?}");
    }
}

#[test]
fn a_kept_copy_stays_when_the_editor_that_continues_with_it_fails() {
    let setup = EditorSetup::new();
    let copy = kept(&setup, &setup.edit("echo '- half' >> \"$1\"; exit 3", &["edit", "user"]), "- half");
    let again = setup.edit("exit 3", &["edit", "user", "--resume", copy.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
    assert_eq!(kept(&setup, &again, "- half"), copy);
}

#[test]
fn a_kept_copy_of_a_file_that_was_moved_or_removed_meanwhile_can_be_resumed() {
    for (meanwhile, file, is_moved) in [("mv user people", "people.md", true), ("rm user -f", "user.md", false)] {
        let setup = EditorSetup::new();
        let memdir = memdir_command(setup.root.path()).get_program().to_string_lossy().into_owned();
        let result = setup.edit(&format!("sed -i s/tabs/spaces/ \"$1\"; '{memdir}' {meanwhile} -q"), &["edit", "user"]);
        assert_eq!(result.status.code(), Some(4), "{}", stderr(&result));
        let printed = stderr(&result);
        let command = printed.split("try: memdir ").nth(1).and_then(|rest| rest.lines().next()).expect(&printed);
        assert_eq!(printed.contains("moved it to facts/people.md"), is_moved, "{printed}");
        let words: Vec<&str> = command.split(' ').collect();
        let resumed = setup.edit("true", &words);
        assert_eq!(resumed.status.code(), Some(0), "{command}: {}", stderr(&resumed));
        let text = fs_err::read_to_string(setup.path("memory/facts").join(file)).unwrap();
        assert!(text.contains("- Prefers spaces\n- Lives in Austin\n"), "{text}");
        assert_eq!((setup.copies(), setup.path("memory/facts/user.md").exists()), (0, !is_moved));
    }
}

/// The kept copy, as reported: in the hint and as a command to try.
fn kept(setup: &EditorSetup, result: &Output, holds: &str) -> PathBuf {
    let printed = stderr(result);
    let path = printed.split("your text is kept in ").nth(1).and_then(|rest| rest.lines().next()).expect(&printed);
    assert!(printed.contains(&format!("try: memdir edit --resume {path} user")), "{printed}");
    assert!(Path::new(path).starts_with(setup.path("tmp")));
    assert!(fs_err::read_to_string(path).unwrap().contains(holds));
    PathBuf::from(path)
}

/// Without markers the same text met the same conflict for ever.
#[test]
fn a_conflict_is_marked_in_the_copy_that_is_resumed() {
    let setup = EditorSetup::new();
    let memory = setup.path("memory/facts/user.md");
    let script = format!("sed -i s/tabs/spaces/ \"$1\"; sed -i s/tabs/emacs/ {}", memory.display());
    let result = setup.edit(&script, &["edit", "user"]);
    assert_eq!(result.status.code(), Some(4), "{}", stderr(&result));
    assert!(stderr(&result).contains("`edit --resume` marks the places in it, with both texts"), "{}", stderr(&result));
    let copy = kept(&setup, &result, "Prefers spaces");
    let resume = ["edit", "user", "--resume", copy.to_str().unwrap()];
    // Undecided, nothing is written.
    let undecided = setup.edit("true", &resume);
    assert_ne!(undecided.status.code(), Some(0));
    let marked = fs_err::read_to_string(&copy).unwrap();
    let place = "<<<<<<< in the memory now\n- Prefers emacs\n||||||| before\n- Prefers tabs\n=======\n- Prefers spaces\n>>>>>>> your text\n";
    assert!(marked.contains(place), "{marked}");
    assert!(setup.text().contains("Prefers emacs"));
    let decided = setup.edit("sed -i -e '/^[<=>|]/d' -e '/tabs/d' -e '/emacs/d' \"$1\"", &resume);
    assert_eq!(decided.status.code(), Some(0), "{}", stderr(&decided));
    assert!(setup.text().contains("- Prefers spaces\n") && !setup.text().contains("emacs"), "{}", setup.text());
    assert_eq!(setup.copies(), 0);
}
