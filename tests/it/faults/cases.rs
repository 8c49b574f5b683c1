//! The commands that are tried: one of every kind that changes something, and the memory it changes.
//!
//! Never depends on the day: dates are given.

/// A command.
pub struct Case {
    /// Its name in a report.
    pub name: &'static str,
    /// What is done before it, so that there is something to do.
    pub before: &'static [&'static [&'static str]],
    /// What is added to the policy.
    pub policy: &'static str,
    /// Its arguments.
    pub args: &'static [&'static str],
    /// Its input.
    pub stdin: &'static str,
    /// Where it starts.
    pub start: Start,
    /// Whether the small run takes it.
    pub small: bool,
}

/// What there is before the command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Nothing at all.
    Nothing,
    /// A memory.
    Memory,
    /// A memory whose `.memdir/` is gone.
    Plain,
}

const CASE: Case = Case { name: "", policy: "", before: &[], args: &[], stdin: "", start: Start::Memory, small: false };

/// The files of the memory: written by hand, so that nothing of them is in the journal.
pub const FILES: [(&str, &str); 7] = [
    (
        "facts/user.md",
        "# User\n\n> Summary: tabs, tea, austin\n\n## Work {#mem123}\n- Prefers tabs\n- Likes tea\n\n## Home\n- Lives in Austin\n",
    ),
    (
        "facts/project.md",
        "# Project\n\nSee [user](user.md) and [work](user.md#work).\n\n- Uses Rust\n- Builds nightly\n",
    ),
    ("facts/prefs.md", "# Prefs\n\n> Summary: dark, mode\n\n- Dark mode\n"),
    ("facts/secret.md", "# Secret\n\n- Was born in Xanadu\n- Likes rain\n"),
    (
        "archive/facts/old.md",
        "# Old\n\n- Had a car\n  <!-- mem archived=2025-11-20 purge=2026-01-01 from=# -->\n- Had a boat\n  <!-- mem archived=2025-11-20 from=# -->\n",
    ),
    ("facts/odd.md", "# Odd\n\n<!-- mem imp=7 -->\n\n- Something\n"),
    ("episodes/2026-02.md", "# 2026-02 Episodes\n\n## Logger fix\n- Date: 2026-02-03\n- Lesson: flush\n"),
];

/// All of them.
pub const CASES: [Case; 27] = [
    Case { name: "init", args: &["init", "memory"], start: Start::Nothing, small: true, ..CASE },
    Case { name: "init --example", args: &["init", "deep/memory", "--example"], start: Start::Nothing, ..CASE },
    Case { name: "add", args: &["add", "user#Work", "Knows Go"], ..CASE },
    Case { name: "first add", args: &["add", "user#Work", "Knows Go"], start: Start::Plain, small: true, ..CASE },
    Case { name: "add to a new file", args: &["add", "notes/deep/new.md", "First"], ..CASE },
    Case { name: "update", args: &["update", "user", "Likes tea", "Likes coffee"], small: true, ..CASE },
    Case { name: "rm", args: &["rm", "user", "- Likes tea"], ..CASE },
    Case { name: "rm file", args: &["rm", "prefs", "-f"], ..CASE },
    Case { name: "rm --archive", args: &["rm", "prefs", "--archive", "-f"], ..CASE },
    Case {
        name: "rm --forget",
        before: &[
            &["add", "secret", "Likes snow"],
            &["update", "secret", "Was born in Xanadu", "Was born in Xanadu once"],
        ],
        args: &["rm", "secret", "- Was born in Xanadu once", "--forget"],
        ..CASE
    },
    Case { name: "mv bullet", args: &["mv", "user@twz1", "prefs"], ..CASE },
    Case { name: "mv section", args: &["mv", "user#Home", "prefs"], ..CASE },
    Case { name: "mv file with links", args: &["mv", "user", "people"], ..CASE },
    Case { name: "set", args: &["set", "user@twz1", "imp=7"], ..CASE },
    Case {
        name: "append",
        args: &["append", "-t", "Cache fix", "-d", "2026-02-04", "-F", "-"],
        stdin: "- Lesson: measure\n",
        ..CASE
    },
    Case { name: "patch", args: &["patch", "user", "--old", "Prefers tabs", "--new", "Prefers spaces"], ..CASE },
    Case { name: "write", args: &["write", "notes.md", "-F", "-"], stdin: "# Notes\n\n- One\n", ..CASE },
    Case { name: "write over", args: &["write", "prefs", "-f", "-F", "-"], stdin: "# Prefs\n\n- Light mode\n", ..CASE },
    Case {
        name: "apply",
        args: &["apply"],
        stdin: "{\"op\":\"add\",\"at\":\"user#Work\",\"text\":\"Knows Go\"}\n\
                {\"op\":\"add\",\"at\":\"prefs\",\"text\":\"Large type\"}\n\
                {\"op\":\"add\",\"at\":\"project\",\"text\":\"Ships weekly\"}\n",
        small: true,
        ..CASE
    },
    Case {
        name: "a merge that archives",
        args: &["apply"],
        stdin: "{\"op\":\"update\",\"at\":\"user\",\"old\":\"Prefers tabs\",\"text\":\"Prefers tabs and tea\",\"archive\":true}\n\
                {\"op\":\"rm\",\"at\":\"user\",\"text\":\"Likes tea\",\"archive\":true}\n",
        small: true,
        ..CASE
    },
    Case {
        name: "prune",
        policy: "expired: archive\n",
        before: &[&["set", "user@twz1", "exp=2026-01-01"], &["set", "prefs@kdw7", "exp=2026-01-01"]],
        args: &["prune"],
        small: true,
        ..CASE
    },
    Case {
        name: "restore",
        before: &[&["rm", "user", "- Likes tea", "--archive"]],
        args: &["restore", "user"],
        small: true,
        ..CASE
    },
    Case { name: "compact", args: &["compact", "user#Work", "--to", "1"], small: true, ..CASE },
    Case { name: "edit", args: &["edit", "user"], ..CASE },
    Case { name: "undo", before: &[&["add", "user#Work", "Knows Go"]], args: &["undo"], ..CASE },
    Case { name: "redo", before: &[&["add", "user#Work", "Knows Go"], &["undo"]], args: &["redo"], ..CASE },
    Case { name: "check --fix", args: &["check", "--fix"], ..CASE },
];

/// Those of this run.
pub fn chosen() -> impl Iterator<Item = &'static Case> {
    let only = std::env::var("MEMDIR_CASE").ok();
    CASES.iter().filter(move |case| match &only {
        Some(only) => case.name == only,
        None => case.small || super::full(),
    })
}
