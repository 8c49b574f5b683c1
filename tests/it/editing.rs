//! `edit` with a scripted editor: what was typed is never lost.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Desk {
    root: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        let desk = Desk { root: tempfile::tempdir().unwrap() };
        fs_err::create_dir_all(desk.path("memory/facts")).unwrap();
        fs_err::create_dir(desk.path("tmp")).unwrap();
        fs_err::write(desk.path("memory/facts/user.md"), "# User\n\n- Prefers tabs\n- Lives in Austin\n").unwrap();
        desk
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
        fs_err::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs_err::set_permissions(&editor, PermissionsExt::from_mode(0o755)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.root.path()).env("TMPDIR", self.path("tmp"));
        command.env("MEMDIR_AS", "test").env("EDITOR", editor).current_dir(self.root.path()).args(line);
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
    let desk = Desk::new();
    let told = desk.edit("sed -i s/tabs/spaces/ \"$1\"", &["edit", "user"]);
    assert_eq!(told.status.code(), Some(0), "{}", stderr(&told));
    assert!(desk.text().contains("- Prefers spaces\n"), "{}", desk.text());
    assert_eq!(desk.copies(), 0);
}

#[test]
fn an_unchanged_copy_is_nothing_to_do() {
    let desk = Desk::new();
    let told = desk.edit("true", &["edit", "user"]);
    assert_eq!((told.status.code(), stderr(&told)), (Some(0), "memdir: nothing to do\n".into()));
    assert_eq!(desk.copies(), 0);
}

#[test]
fn the_copy_is_private_and_keeps_the_files_name() {
    let desk = Desk::new();
    let out = desk.path("seen");
    let script = format!("stat -c '%a' \"$(dirname \"$1\")\" > {0}; basename \"$1\" >> {0}", out.display());
    desk.edit(&script, &["edit", "user"]);
    assert_eq!(fs_err::read_to_string(out).unwrap(), "700\nuser.md\n");
}

#[test]
fn what_somebody_else_wrote_meanwhile_stays() {
    let desk = Desk::new();
    let memory = desk.path("memory/facts/user.md");
    let script = format!("sed -i s/tabs/spaces/ \"$1\"; echo '- Drinks tea' >> {}", memory.display());
    let told = desk.edit(&script, &["edit", "user"]);
    match told.status.code() {
        Some(0) => assert!(desk.text().contains("Prefers spaces") && desk.text().contains("Drinks tea")),
        _ => {
            assert!(desk.text().contains("Drinks tea") && !desk.text().contains("spaces"), "{}", desk.text());
            kept(&desk, &told, "Prefers spaces");
        }
    }
}

#[test]
fn a_refused_edit_is_kept_and_can_be_resumed() {
    let desk = Desk::new();
    let told = desk.edit("printf '<<<<<<< a\\n- x\\n=======\\n- y\\n>>>>>>> b\\n' > \"$1\"", &["edit", "user"]);
    assert_ne!(told.status.code(), Some(0));
    let copy = kept(&desk, &told, "<<<<<<<");
    let resumed = desk.edit("sed -i '/^[<=>]/d' \"$1\"", &["edit", "user", "--resume", copy.to_str().unwrap(), "-f"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert!(desk.text().contains("- x\n- y\n"), "{}", desk.text());
    assert_eq!(desk.copies(), 0);
}

#[test]
fn an_editor_that_fails_changes_nothing_and_loses_nothing() {
    let desk = Desk::new();
    let before = desk.text();
    let told = desk.edit("echo '- half' >> \"$1\"; exit 3", &["edit", "user"]);
    assert_eq!(told.status.code(), Some(1), "{}", stderr(&told));
    assert_eq!(desk.text(), before);
    kept(&desk, &told, "- half");
}

/// The kept copy, as it is told: in the hint and as a command to try.
fn kept(desk: &Desk, told: &Output, holds: &str) -> PathBuf {
    let said = stderr(told);
    let path = said.split("your text is kept in ").nth(1).and_then(|rest| rest.lines().next()).expect(&said);
    assert!(said.contains(&format!("try: memdir edit --resume {path} user")), "{said}");
    assert!(Path::new(path).starts_with(desk.path("tmp")));
    assert!(fs_err::read_to_string(path).unwrap().contains(holds));
    PathBuf::from(path)
}
