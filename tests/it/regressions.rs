//! Smaller holes that measuring found, each with the shortest way to see it.

use std::os::unix::fs::PermissionsExt;

use crate::support::git_repo::Repo;
use crate::support::{Memory, ProgramOutput, memdir_command};

/// A memory with one file of one bullet.
fn memory() -> Memory {
    let memory = Memory::new();
    memory.done(["add", "user", "A1", "--create"]);
    memory
}

#[test]
fn litter_of_a_killed_merge_is_not_committed() {
    let repo = Repo::whole();
    repo.hub();
    repo.put("facts/user.md", "# User\n\n- a\n");
    for litter in ["..merge_file_A.1-0.tmp", ".merge_file_AbCdEf", ".gitattributes.12-3.tmp", "facts/.user.md.9-1.tmp"]
    {
        repo.put(litter, "x");
    }
    repo.memdir(["sync"]).exit(0);
    let committed = repo.git(["ls-files"]);
    assert!(committed.contains("facts/user.md"), "{committed}");
    assert!(!committed.contains("merge_file") && !committed.contains("user.md.9-1"), "{committed}");
}

#[test]
fn a_planted_journal_sets_no_special_mode_and_writes_no_policy() {
    use memdir::change::Etag;
    let memory = Memory::new();
    let (old, new) = ("# User\n\n- A\n", "# User\n\n- B\n");
    memory.put("facts/user.md", old);
    let mode = |path: &str| fs_err::metadata(memory.dir().join(path)).unwrap().permissions().mode() & 0o7777;
    let hex = |text: &str| Etag::of(text.as_bytes()).hex();
    let file = |path: &str, old: &str, new: &str, edit: &str, after: &str| {
        format!(
            r#"{{"path":"{path}","before":"{}","after":"{}","mode":{}{after},"inode":1,"edits":[{edit}]}}"#,
            hex(old),
            hex(new),
            mode(path)
        )
    };
    let special = format!(r#","mode_after":{}"#, 0o6777);
    let user = file("facts/user.md", old, new, r#"[10,"A","B"]"#, &special);
    let policy = file("memdir.yaml", "version: 1\n", "#ersion: 1\n", r##"[0,"v","#"]"##, "");
    for files in [user.clone(), format!("{user},{policy}")] {
        let line = format!(r#"{{"v":1,"rev":1,"at":"2026-01-01T00:00:00Z","actor":"e","files":[{files}]"#);
        let line = format!("{line},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(line.as_bytes()));
        memory.put(".memdir/journal", line);
        fs_err::create_dir_all(memory.dir().join(".memdir/undo")).unwrap();
        memory.done(["add", "other", "x", "--create"]);
        assert_eq!(mode("facts/user.md") & 0o7000, 0);
        assert_eq!(memory.text("memdir.yaml").unwrap(), "version: 1\n");
        memory.put("facts/user.md", old);
        fs_err::remove_dir_all(memory.dir().join(".memdir")).unwrap();
    }
}

#[test]
fn resolve_names_what_it_could_not_search() {
    let memory = Memory::new().file("facts/tea.md", "# T\n\n<<<<<<< H\n- g\n=======\n- b\n>>>>>>> t\n");
    memory.put("facts/tee.md", memory.text("facts/tea.md").unwrap());
    fs_err::hard_link(memory.dir().join("facts/tee.md"), memory.dir().join("../beside")).unwrap();
    // A person has to look at it, so the answer is not a plain success.
    memory.run(["resolve", "--both"]).may_change().exit(4).stderr_contains("facts/tee.md");
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
fn undo_after_forget_takes_back_nothing_older() {
    let memory = memory();
    memory.done(["add", "project", "Older fact", "--create"]);
    memory.done(["add", "user", "Secret fact"]);
    memory.done(["add", "user", "Other fact"]);
    memory.done(["rm", "user", "- Secret fact", "--forget"]);
    let before = memory.tree();
    let refused = memory.run(["undo"]).ends();
    assert!(refused.status != 0 && refused.stderr.contains("r5"), "{refused}");
    assert_eq!(memory.tree(), before);
    let log = memory.done(["log"]).stdout;
    assert_eq!(log.matches("rm --forget").count(), 1, "{log}");
}

#[test]
fn a_summary_stands_below_a_title_that_ends_with_a_carriage_return_alone() {
    let memory = Memory::new().file("facts/user.md", "# User\r\r- Likes tea\r- Lives in Austin\r");
    memory.done(["add", "user", "Plays chess"]);
    let text = memory.text("facts/user.md").unwrap();
    let (above, below) = text.split_once("> Summary: ").unwrap();
    assert_eq!(above, "# User\r\r", "{text:?}");
    assert!(below.ends_with("\r- Likes tea\r- Lives in Austin\r- Plays chess\n"), "{text:?}");
}

#[test]
fn a_file_that_cannot_be_read_is_reported_by_what_searches_it() {
    if !crate::support::test_dir::unprivileged() {
        return;
    }
    let policy = "version: 1\nallowlists: {bot: [work], ana: [work, health]}\n";
    let memory = Memory::new().policy(policy).file("facts/style.md", "# Style\n\n- Indent with tabs\n");
    memory.done(["add", "other", "Indent the second line"]);
    memory.done(["add", "style", "Tabs are wide"]);
    memory.done(["context", "--as", "ana"]);
    let home = memory.dir().parent().unwrap().to_owned();
    // Not by `run`, which reads every file to compare it.
    let run = |words: &[&str]| {
        let mut command = memdir_command(&home);
        command.args(words).env("MEMDIR", memory.dir()).env("XDG_CONFIG_HOME", home.join("config"));
        ProgramOutput::of(command.stdin(std::process::Stdio::null())).exit(0)
    };
    let mode = |mode: u32| {
        let file = memory.dir().join("facts/style.md");
        fs_err::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let told = "left out: 'facts/style.md' cannot be read: permission denied";
    mode(0);
    let found = run(&["query", "indent", "--as", "ana"]);
    assert!(found.stdout.contains("Indent the second line") && found.stderr.contains(told), "{found:?}");
    let json = run(&["query", "zebra", "--json", "--as", "ana"]).stdout;
    assert!(json.contains(&format!("\"left_out\":[\"{told}\"]")), "{json}");
    let context = |style: &str, name: &str| run(&["context", "-n", "--style", style, "--as", name]).stdout;
    for style in ["default", "index", "records"] {
        assert!(context(style, "ana").contains(&format!("… {told}\n")), "{style}");
    }
    // A caller that may not see all of it learns nothing of the file.
    let ran = run(&["query", "indent", "--as", "bot"]);
    assert!(!ran.stdout.contains("style") && !ran.stderr.contains("style"), "{ran:?}");
    for style in ["default", "index", "records"] {
        assert!(!context(style, "bot").contains("style"), "{style}");
    }
    mode(0o644);
    memory.put("facts/style.md", b"# Style\n\n- Indent with tabs \xff\n");
    let found = run(&["query", "indent", "--as", "ana"]);
    assert!(found.stderr.contains("left out: 'facts/style.md' is not UTF-8 text"), "{found:?}");
    assert!(context("records", "ana").contains("left out: 'facts/style.md' is not UTF-8 text"));
    let default = context("default", "ana");
    assert!(!default.contains("deleted"), "{default}");
}

#[test]
fn an_error_about_a_moved_file_names_its_new_path() {
    let memory = memory();
    memory.done(["mv", "user", "person"]);
    memory.done(["mv", "person", "notes/human", "--create"]);
    let new = memory.tree().into_keys().find(|path| path.ends_with("human.md")).unwrap();
    for words in [&["list", "user"][..], &["read", "user"], &["rm", "user@1"], &["set", "person", "title=X"]] {
        let refused = memory.run(words).exit(3).stderr_contains(&format!("moved it to {new}"));
        refused.stderr_contains(&format!("try: memdir list {new}"));
    }
    // One that is back, or whose new file is gone, has no new path.
    memory.done(["rm", "-f", &new]);
    assert!(!memory.run(["list", "user"]).exit(3).stderr.contains("moved"));
}

#[test]
fn a_last_day_that_is_over_is_reported() {
    let memory = memory();
    let told = "expired: it expired on 2026-02-23 already";
    memory.done(["add", "user", "Old news", "--exp", "2026-02-23"]).stderr_contains(told);
    memory.done(["set", "user@2", "exp=2026-02-23", "-f"]).stderr_contains(told);
    for words in [&["add", "user", "News", "--exp", "2026-02-24"][..], &["set", "user@2", "imp=3", "-f"]] {
        assert_eq!(memory.done(words).stderr, "");
    }
}

#[test]
fn undo_tells_a_moved_file_from_an_edited_one() {
    let memory = memory();
    let ops = r#"[{"op":"add","at":"user","text":"B2"},{"op":"add","at":"other","text":"C3","create":true}]"#;
    memory.run(["apply"]).stdin(ops).exit(0);
    memory.done(["mv", "user", "person", "--create"]);
    let undone = memory.done(["undo", "r2", "--keep-edited"]);
    assert!(!undone.stderr.contains("edited"), "{undone}");
    undone.stderr_contains("facts/user.md was moved to facts/person.md by r3; left as it is");
}

#[test]
fn a_text_that_starts_with_a_dash_gets_a_tip_that_works() {
    let memory = memory();
    let tip = "a text that starts with '-' needs a list marker, in one word: '- -5 degrees'";
    for words in [&["add", "user", "-x"][..], &["add", "user", "-5 degrees", "--tag", "t"], &["rm", "user", "-x"]] {
        memory.run(words).exit(2).stderr_contains(tip);
    }
    memory.done(["add", "user", "- -5 degrees", "--tag", "t"]);
    assert!(memory.text("facts/user.md").unwrap().contains("- -5 degrees #t\n"));
    memory.done(["rm", "user", "- -5 degrees #t"]);
}
