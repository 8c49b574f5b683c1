//! Arguments that contradict each other, texts that cannot be stored, names that mean several things: the exit status
//! and the reason of each refusal. The builder checks that nothing was changed.

use crate::support::{Memory, handle};

fn memory() -> Memory {
    Memory::new()
        .file("facts/a.md", "- A\n  <!-- mem id=mem1 -->\n")
        .file("facts/b.md", "- B\n  <!-- mem id=mem1 -->\n")
        .file("facts/twice.md", "- same\n- same\n")
        .file("facts/s.md", "# S\n\n## Work {#w1}\n\n### Contacts\n\n- x\n\n## Home\n\n### Contacts\n\n- y\n")
}

#[test]
fn contradictions_and_texts_that_cannot_be_stored_are_refused_with_the_reason() {
    let same = format!("twice@{}", handle("same"));
    let cases: &[(&[&str], i32, &str)] = &[
        (&["add", "a", "-F", "x", "y"], 2, "usage: give texts as arguments, or - for stdin, or a file with -F"),
        (&["add", "a", "x", "y", "--id", "z"], 2, "usage: --id needs exactly one text"),
        (&["update", "a", "OLD", "NEW", "--old", "x"], 2, "usage: the old text is given twice"),
        (&["update", "a", "OLD", "NEW", "-F", "x"], 2, "usage: give the new text as an argument or with -F, not both"),
        (&["set", "a", "k=a\nb"], 2, "multiline: a value must be one line"),
        (&["set", "s#home", "id=1 bad"], 2, "id"),
        (&["set", "s#w1", "id=w2"], 4, "exists: the section already has an id"),
        (&["set", "s#w1", "colour=red"], 2, "usage: a section has no 'colour'; only its title and id can be set"),
        (&["set", "s#none", "title=x"], 3, "section_not_found: facts/s.md has no section 'none'"),
        (&["patch", "a", "--old", "A", "--new", "b\nc"], 2, "multiline: a text argument contains a line break"),
        (&["patch", "a", "--old", "nowhere", "--new", "b"], 3, "text_not_found"),
        (&["append", "-t", "a\tb\u{1}"], 2, "multiline: the title must be one line without control characters"),
        (&["mv", &same, "b"], 4, "ambiguous_bullet: 2 bullets of facts/twice.md match"),
        (&["read", &same], 4, "ambiguous_bullet: 2 bullets of facts/twice.md match"),
        (&["update", "@mem1", "x"], 4, "ambiguous_id: 2 files contain the id mem1"),
        (&["read", "@mem1"], 4, "  facts/b.md@mem1"),
        (&["read", "@mem9"], 3, "bullet_not_found: no file contains the id mem9"),
        (&["man", "nix"], 2, "usage: no manual page 'nix'"),
        (&["init", "--example"], 4, "exists: --example needs an empty directory"),
        (&["edit", "a"], 2, "usage: no editor is set"),
        (&["edit", "--resume", "none.md", "a"], 3, "file_not_found: "),
    ];
    let memory = memory();
    for (line, status, reason) in cases {
        memory.run(*line).stdin("text\n").exit(*status).stderr_contains(reason);
    }
}

#[test]
fn content_on_stdin_that_is_no_content_is_refused() {
    let cases: &[(&[&str], &str, i32, &str)] = &[
        (&["patch", "a"], "[]", 2, "invalid_operation: invalid patches: the list is empty"),
        (&["patch", "a"], "7", 2, "invalid_operation: invalid patches: expected a list or an object"),
        (&["patch", "a"], "[{\"oldText\": \"A\", \"newText\": \"x\\u0000\"}]", 5, "not_text: the new text of pair 1"),
        (&["write", "facts/n.md"], "x\0y", 5, "not_text: the content contains a NUL at byte 1"),
        (&["write", "facts/n.md"], "<<<<<<< a\n=======\n>>>>>>> b\n", 5, "conflict_markers: line 1 of the text"),
        (&["append", "facts/a.md"], "\n", 2, "empty_input: "),
        (&["append"], "no heading\n", 2, "usage: an episode entry needs a title"),
    ];
    let memory = memory();
    for (line, content, status, reason) in cases {
        memory.run(*line).stdin(*content).exit(*status).stderr_contains(reason);
    }
}

#[test]
fn values_that_are_already_set_change_nothing() {
    let memory = memory();
    memory.done(["set", "s", "title=New", "description=x"]);
    memory.done(["set", "s", "title=New", "description=x"]).unchanged().stdout_contains("unchanged");
    memory.done(["set", "s#home", "id=h1"]).diff("M facts/s.md\n-## Home\n+## Home {#h1}\n");
    memory.done(["set", "a", "title=Now with a title"]).diff("M facts/a.md\n+# Now with a title\n+\n");
}

#[test]
fn weekly_episodes_have_the_iso_week_in_their_name() {
    let memory = Memory::new().policy("version: 1\nepisodes: week\n");
    memory.run(["append", "-t", "Standup"]).stdin("- text\n").exit(0).stdout_contains("episodes/2026-W09.md");
    // The ISO year of a day in early January is the one before.
    memory.run(["append", "-t", "New year", "--date", "2027-01-01"]).stdin("- text\n").exit(0);
    assert!(memory.text("episodes/2026-W53.md").is_some());
}

#[test]
fn all_manual_pages_are_written_to_a_directory() {
    let memory = memory();
    let dir = memory.dir().join("man");
    fs_err::create_dir(&dir).unwrap();
    let dir = dir.to_str().unwrap();
    memory.done(["man", "--all", dir]);
    let page = memory.text("man/memdir-add.1").unwrap();
    memory.done(["man", "add"]).stdout(&page);
    memory.done(["man", "durability"]).stdout(&memory.text("man/memdir-durability.7").unwrap());
    for topic in ["operation", "policy", "query", "answer"] {
        assert!(memory.done(["schema", topic]).stdout.contains("\"$schema\""), "{topic}");
    }
}

/// A person adds to a file that a revision created, with another revision after it: only what the revision wrote goes.
#[test]
fn undoing_the_creation_of_a_file_leaves_what_a_person_added_to_it() {
    let memory = Memory::new();
    memory.done(["add", "facts/new.md", "One", "Two"]);
    memory.done(["add", "facts/new.md", "Three"]);
    memory.put("facts/new.md", memory.text("facts/new.md").unwrap() + "- By hand\n");
    memory.done(["undo", "r1"]);
    let text = memory.text("facts/new.md").unwrap();
    assert!(text.ends_with("- Three\n- By hand\n") && !text.contains("One") && !text.contains("Two"), "{text}");
    memory.put("facts/new.md", text.replace("Three", "Three, changed"));
    memory.run(["undo", "r2"]).exit(4).stderr_contains("conflict: ");
}
