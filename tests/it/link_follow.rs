//! Links follow what they lead to: a section that gets another title, a section or file that moves; and links in a text
//! that moves still reach their target.

use crate::support::{Memory, ProgramOutput, clean_command, program};

/// A file with sections, and links to them in every form.
fn memory() -> Memory {
    Memory::new()
        .file(
            "facts/user.md",
            "# User\n\n- see [[#Work]], [work](#work)\n\n## Work\n\n- desk ^d1\n- [[#Home]], [home](#home), [[user#Work|job]]\n\n\
             ### Tools\n\n- vim\n\n## Home\n\n- tea\n",
        )
        .file("facts/job.md", "# Job\n\n- [[user#Work|work]] `[[user#Work]]`\n")
        .file(
            "procedures/p.md",
            "- [a](../facts/user.md#work \"t\"), [b](../facts/user.md#home), [[user#^d1]], [[user]], [[user#work]]\n\
             - [[facts/user#Work#Tools]], [[user#Tools]], [c](../facts/user.md#tools)\n",
        )
}

fn texts(memory: &Memory) -> [String; 3] {
    ["facts/user.md", "facts/job.md", "procedures/p.md"].map(|path| memory.text(path).unwrap())
}

#[test]
fn links_follow_a_section_to_its_new_title() {
    let memory = memory();
    let before = texts(&memory);
    for arguments in [["set", "user#work", "title=Paid Work"], ["mv", "user#work", "user#Paid Work"]] {
        let renamed = memory.done(arguments);
        assert_eq!(renamed.stderr, "", "{arguments:?}");
        let [user, job, p] = texts(&memory);
        let title = user.lines().find_map(|line| line.strip_prefix("## ")).unwrap().to_owned();
        assert!(user.contains(&format!("- see [[#{title}]], [work](#paid-work)\n\n## {title}\n")), "{user}");
        assert!(user.contains(&format!("- [[#Home]], [home](#home), [[user#{title}|job]]\n")), "{user}");
        assert_eq!(job, format!("# Job\n\n- [[user#{title}|work]] `[[user#Work]]`\n"));
        let first = "- [a](../facts/user.md#paid-work \"t\"), [b](../facts/user.md#home), [[user#^d1]], [[user]], [[user#paid-work]]\n";
        let second = format!("- [[facts/user#{title}#Tools]], [[user#Tools]], [c](../facts/user.md#tools)\n");
        assert_eq!(p, format!("{first}{second}"));
        memory.done(["check"]);
        memory.done(["undo"]);
        assert_eq!(texts(&memory), before);
    }
}

/// The lines of a file that define reference links.
fn definitions_of(memory: &Memory, path: &str) -> String {
    let text = memory.text(path).unwrap();
    text.lines().filter(|line| line.starts_with('[')).collect::<Vec<_>>().join("\n")
}

#[test]
fn reference_links_follow_a_section() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n- see [work][w]\n\n[w]: #work\n\n## Work\n\n- desk\n\n## Home\n\n- tea\n")
        .file("facts/job.md", "# Job\n\n- pay\n")
        .file(
            "procedures/p.md",
            "- [a][ref], [ref], [b][home]\n\n[ref]: ../facts/user.md#work \"t\"\n[home]: <../facts/user.md#home>\n",
        );
    let definitions = || ["facts/user.md", "procedures/p.md"].map(|path| definitions_of(&memory, path));
    let before = definitions();
    for (command, own, there) in [
        (vec!["set", "user#work", "title=Paid Work"], "#paid-work", "../facts/user.md#paid-work"),
        (vec!["mv", "user#work", "user#Tasks"], "#tasks", "../facts/user.md#tasks"),
        (vec!["mv", "user#work", "job"], "job.md#work", "../facts/job.md#work"),
    ] {
        assert_eq!(memory.done(command).stderr, "");
        let expected = [format!("[w]: {own}"), format!("[ref]: {there} \"t\"\n[home]: <../facts/user.md#home>")];
        assert_eq!(definitions(), expected);
        memory.done(["check"]);
        memory.done(["undo"]);
        assert_eq!(definitions(), before);
    }
    memory.done(["mv", "user", "facts/person.md", "--create"]);
    assert_eq!(
        definitions_of(&memory, "procedures/p.md"),
        "[ref]: ../facts/person.md#work \"t\"\n[home]: <../facts/person.md#home>"
    );
    memory.put("procedures/p.md", "- [a][ref]\n\n[ref]: ../facts/person.md#play\n");
    memory.run(["check", "--strict"]).ends().stdout_contains("has no section, bullet or anchor 'play'");
}

#[test]
fn links_to_sections_of_one_name_keep_their_section() {
    let memory = Memory::new()
        .file("facts/a.md", "# A\n\n## Work\n\n- one\n\n## Work\n\n- two\n")
        .file("facts/b.md", "- [1](a.md#work), [2](a.md#work-1), [[a#Work]]\n");
    memory.done(["set", "a#work", "title=Play (evenings)"]);
    assert_eq!(
        memory.text("facts/b.md").unwrap(),
        "- [1](a.md#play-evenings), [2](a.md#work), [[a#Play (evenings)]]\n"
    );
    memory.done(["undo"]);
    // A title with a mark of links is named by its slug.
    memory.done(["set", "a#work", "title=C# | more"]);
    assert_eq!(memory.text("facts/b.md").unwrap(), "- [1](a.md#c--more), [2](a.md#work), [[a#c--more]]\n");
    memory.done(["undo"]);
    memory.done(["set", "a", "title=Alpha"]);
    assert_eq!(memory.text("facts/b.md").unwrap(), "- [1](a.md#work), [2](a.md#work-1), [[a#Work]]\n");
}

#[test]
fn links_follow_a_section_to_another_file() {
    let memory = memory();
    for (to, title, slug) in [("job", "Work", "work"), ("job#Tasks", "Tasks", "tasks")] {
        let moved = memory.done(["mv", "user#work", to]);
        assert_eq!(moved.stderr, "", "{to}");
        let [user, job, p] = texts(&memory);
        assert!(user.contains(&format!("- see [[facts/job#{title}]], [work](job.md#{slug})\n")), "{user}");
        assert!(job.contains(&format!("- [[job#{title}|work]] `[[user#Work]]`\n\n## {title}\n")), "{job}");
        assert!(job.contains(&format!("- [[facts/user#Home]], [home](user.md#home), [[job#{title}|job]]\n")), "{job}");
        assert!(
            p.contains(&format!("- [a](../facts/job.md#{slug} \"t\"), [b](../facts/user.md#home), [[job#^d1]]")),
            "{p}"
        );
        assert!(
            p.contains(&format!(", [[user]], [[job#{slug}]]\n- [[facts/job#{title}#Tools]], [[job#Tools]],")),
            "{p}"
        );
        memory.done(["check"]);
        memory.done(["undo"]);
    }
}

#[test]
fn a_link_that_cannot_follow_is_reported() {
    let memory = Memory::new()
        .file("facts/a.md", "# A\n\n## Work\n\n- one ^d1\n")
        .file("facts/b.md", "# B\n\n- other ^d1\n")
        .file("facts/c.md", "- [[a#^d1]], [[a#Work]]\n");
    let moved = memory.done(["mv", "a#work", "b"]);
    moved.stderr_contains("dangling_link: 1 link leads nowhere after the change, in facts/c.md");
    assert_eq!(memory.text("facts/c.md").unwrap(), "- [[a#^d1]], [[b#Work]]\n");
}

#[test]
fn a_link_by_reference_that_moves_away_from_its_definition_is_reported() {
    let memory = Memory::new()
        .file(
            "facts/a.md",
            "# A\n\n- [x][r], [w][s]\n\n## Work\n\n- [y][s], [y][r], [r]\n\n[s]: b.md\n\n## End\n\n[r]: b.md\n",
        )
        .file("facts/b.md", "# B\n\n- [z][t]\n\n[t]: a.md\n");
    memory.done(["mv", "a#work", "b"]).stderr_contains(
        "dangling_link: 3 links of the form [text][label] lost the definition, in facts/a.md, facts/b.md",
    );
    memory.done(["undo"]);
    memory.put("facts/b.md", "# B\n\n[r]: a.md\n");
    memory.done(["mv", "a#work", "b"]).stderr_contains(
        "dangling_link: 3 links of the form [text][label] lost the definition, in facts/a.md, facts/b.md",
    );
}

#[test]
fn a_bullet_that_moves_away_from_the_definition_of_its_link_is_reported() {
    let memory = Memory::new()
        .file("facts/a.md", "# A\n\n- see [x][r]\n- [y](b.md)\n\n[r]: https://example.com\n")
        .file("facts/b.md", "# B\n\n- other\n");
    let moved = memory.done(["mv", "-f", "a@1", "b"]);
    moved.stderr_contains("dangling_link: 1 link of the form [text][label] lost the definition, in facts/b.md");
    memory.done(["undo"]);
    memory.put("facts/b.md", "# B\n\n- other\n\n[r]: https://example.com\n");
    assert_eq!(memory.done(["mv", "-f", "a@1", "b"]).stderr, "");
    // The other bullet has a link of its own.
    assert_eq!(memory.done(["mv", "-f", "a@1", "b"]).stderr, "");
}

#[test]
fn relative_links_in_a_text_that_moves_still_reach_their_target() {
    let links = "[x](x.md#s), ![i](img/i.png), [code](../../src/a.rs#L3), [w](https://a.b/c), [[x]], `[y](y.md)`";
    let memory = Memory::new()
        .file(
            "facts/user.md",
            &format!("# User\n\n## Work\n\n- {links}\n\n[ref]: x.md \"t\"\n\n## Home\n\n- tea {links}\n"),
        )
        .file("facts/x.md", "# X\n\n## S\n\n- a\n")
        .file("procedures/deep/p.md", "# P\n\n- b\n");
    let moved = "[x](../../facts/x.md#s), ![i](../../facts/img/i.png), [code](../../../src/a.rs#L3), [w](https://a.b/c), [[x]], `[y](y.md)`";
    assert_eq!(memory.done(["mv", "user#work", "procedures/deep/p.md"]).stderr, "");
    let p = memory.text("procedures/deep/p.md").unwrap();
    assert!(p.contains(&format!("- {moved}\n\n[ref]: ../../facts/x.md \"t\"\n")), "{p}");
    memory.done(["mv", "-f", "user#home@1", "procedures/deep/p.md"]);
    let p = memory.text("procedures/deep/p.md").unwrap();
    assert!(p.contains(&format!("- tea {moved}\n")), "{p}");
    memory.done(["mv", "procedures/deep/p.md", "facts/q.md", "--create"]);
    let q = memory.text("facts/q.md").unwrap();
    assert!(q.contains(&format!("- {links}\n\n[ref]: x.md \"t\"\n")) && q.contains(&format!("- tea {links}\n")), "{q}");
}

#[test]
fn a_heading_that_the_other_file_has_too_is_named_below_its_parent() {
    let memory = Memory::new()
        .file(
            "facts/a.md",
            "# A\r\n\r\n## One\r\n\r\n### Sub\r\n\r\n- s\r\n\r\n## Two\r\n\r\n- [[#Sub]], [s](#sub), [[#Two]]\r\n",
        )
        .file("facts/b.md", "# B\n\n## Sub\n\n- z [[#Sub]]\n");
    assert_eq!(memory.done(["mv", "a#one", "b"]).stderr, "");
    let a = memory.text("facts/a.md").unwrap();
    assert!(a.contains("- [[facts/b#One#Sub]], [s](b.md#sub-1), [[#Two]]\r\n"), "{a}");
    assert!(memory.text("facts/b.md").unwrap().contains("- z [[#Sub]]\n\n## One\n\n### Sub\n\n- s\n"));
    memory.done(["check"]);
}

#[test]
fn a_batch_gives_two_sections_a_new_title() {
    let memory = Memory::new()
        .file("facts/a.md", "# A\n\n## One\n\n- x\n\n## Two\n\n- [[#One]], [[#Two]]\n")
        .file("facts/b.md", "- [[a#One]], [[a#Two]], [x](a.md#one)\n");
    let rename = |from: &str, to: &str| format!(r##"{{"op":"set","at":"a#{from}","meta":{{"title":"{to}"}}}}"##);
    memory.run(["apply"]).stdin(format!("[{},{}]", rename("one", "Uno"), rename("two", "Dos"))).exit(0);
    assert_eq!(memory.text("facts/b.md").unwrap(), "- [[a#Uno]], [[a#Dos]], [x](a.md#uno)\n");
    assert!(memory.text("facts/a.md").unwrap().contains("- [[#Uno]], [[#Dos]]\n"));
}

#[test]
fn links_that_a_restricted_agent_does_not_see_stay_and_are_reported_to_the_owner() {
    let policy =
        "version: 1\ncategories:\n  custom:\n    - name: food\n    - name: health\nallowlists:\n  bot: [food]\n";
    let plain = || {
        Memory::new()
            .file("memdir.yaml", policy)
            .file("facts/user.md", "# User\n\n## Likes\n\n- tea\n\n## Home\n\n- sea\n")
            .file("facts/job.md", "# Job\n\n- pay\n")
            .file("facts/own.md", "- [[user#Likes]], [[job]]\n")
    };
    let hidden = "# Doctor\n\n- [[user#Likes]], [x](user.md#likes), [[job]]\n";
    let partly = "# Other\n\n- [[user#Likes]], [[job]]\n\n## Health\n\n- knee\n";
    for (command, own) in [
        (&["set", "user#likes", "title=Loves"][..], "- [[user#Loves]], [[job]]\n"),
        (&["mv", "user#likes", "user#Loves"], "- [[user#Loves]], [[job]]\n"),
        (&["mv", "user#likes", "job"], "- [[job#Likes]], [[job]]\n"),
        (&["mv", "job", "work", "--create"], "- [[user#Likes]], [[work]]\n"),
    ] {
        let memory = plain();
        let alone = memory.done([command, &["--as", "bot"]].concat());
        let memory = plain().file("facts/health.md", hidden).file("facts/other.md", partly);
        let beside = memory.done([command, &["--as", "bot"]].concat());
        assert_eq!((beside.stdout, beside.stderr), (alone.stdout, alone.stderr), "{command:?}");
        assert_eq!(memory.text("facts/own.md").unwrap(), own, "{command:?}");
        assert_eq!(memory.text("facts/health.md").unwrap(), hidden, "{command:?}");
        assert_eq!(memory.text("facts/other.md").unwrap(), partly, "{command:?}");
        let found = memory.run(["check", "--strict"]).ends();
        for path in ["facts/health.md:3:", "facts/other.md:3:"] {
            let is_reported = |line: &str| line.starts_with(path) && line.contains(": dangling_link: ");
            assert!(found.stdout.lines().any(is_reported), "{command:?}: {found}");
        }
    }
}

#[test]
fn a_text_edit_tells_which_links_it_lets_dangle() {
    let user = "# User\n\n- see [work](#work)\n\n## Work\n\n- desk\n\n### Tools\n\n- vim\n\n## Home\n\n- tea\n";
    let new = || {
        Memory::new()
            .file("facts/user.md", user)
            .file("facts/a.md", "- [[user#Work]], [[user#Home]], [[user]]\n")
            .file("facts/b.md", "- [t](user.md#tools), [[user#Nowhere]], `[[user#Work]]`\n\n[w]: user.md#work\n")
            .file("archive/facts/c.md", "- [[user#Work]]\n")
    };
    let whole = user.replace("## Work", "## Job");
    let told = |links: usize, files: &str| {
        let lead = if links == 1 { "link leads" } else { "links lead" };
        format!(
            "dangling_link: {links} {lead} nowhere after the change, in {files}; `memdir check` lists dangling links"
        )
    };
    for (command, input, message) in [
        (
            &["patch", "user", "--old", "## Work", "--new", "## Job"][..],
            "",
            told(3, "facts/a.md, facts/b.md, facts/user.md"),
        ),
        (&["patch", "user", "--old", "### Tools", "--new", "### Things"], "", told(1, "facts/b.md")),
        (&["write", "-f", "user"], &whole, told(3, "facts/a.md, facts/b.md, facts/user.md")),
        (&["rm", "-f", "user#work"], "", told(4, "facts/a.md, facts/b.md, facts/user.md")),
        (&["rm", "-f", "--archive", "user#work"], "", told(4, "facts/a.md, facts/b.md, facts/user.md")),
        (&["rm", "-f", "user"], "", told(5, "facts/a.md, facts/b.md")),
        // The name alone leads to the file in the archive.
        (&["rm", "-f", "--archive", "user"], "", told(2, "facts/b.md")),
    ] {
        let memory = new();
        let planned = memory.run([command, &["-n"]].concat()).stdin(input).exit(0);
        planned.stderr_contains(&message);
        let ran = memory.run([command, &["--json"]].concat()).stdin(input).exit(0);
        let warnings = ran.json()["warnings"].clone();
        assert_eq!(warnings.as_array().unwrap().len(), 1, "{command:?}: {ran}");
        assert_eq!(warnings[0]["code"], "dangling_link", "{command:?}: {ran}");
        let links = warnings[0]["details"]["links"].as_u64().unwrap();
        assert!(message.contains(&format!(": {links} link")), "{command:?}: {ran}");
    }
}

#[test]
fn a_text_edit_that_takes_no_linked_heading_away_tells_nothing() {
    let user = "# User\n\n## Work\n\n- desk\n\n## Home\n\n- tea\n";
    for (command, input) in [
        (&["patch", "user", "--old", "desk", "--new", "table"][..], ""),
        (&["patch", "user", "--old", "## Home", "--new", "## House"], ""),
        (&["write", "-f", "user"], "# User\n\n## Home\n\n- tea\n\n## Work\n\n- desk\n"),
        (&["rm", "-f", "user#home"], ""),
        (&["rm", "-f", "--archive", "user#home"], ""),
    ] {
        let memory = Memory::new().file("facts/user.md", user).file("facts/a.md", "- [[user#Work]], [[user#Gone]]\n");
        assert_eq!(memory.run(command).stdin(input).exit(0).stderr, "", "{command:?}");
    }
}

#[test]
fn any_number_of_files_may_link_to_what_moves() {
    let mut memory = Memory::new().file("facts/target.md", "# Target\n\n## Part\n\n- x ^one\n");
    for n in 0..40 {
        memory = memory.file(&format!("facts/l{n}.md"), "- see [[target]], [[target#Part]], [[target#^one]]\n");
    }
    memory.done(["mv", "target", "renamed"]);
    memory.done(["set", "renamed#part", "title=Other"]);
    memory.done(["mv", "renamed#other", "elsewhere", "--create"]);
    for n in 0..40 {
        let text = memory.text(&format!("facts/l{n}.md")).unwrap();
        assert_eq!(text, "- see [[renamed]], [[elsewhere#Other]], [[elsewhere#^one]]\n");
    }
}

#[test]
fn a_link_to_another_file_of_the_name_stays() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n## Work\n\n- one ^m1\n")
        .file("notes/user.md", "# Other\n\n## Work\n\n- two ^m1\n")
        .file("facts/x.md", "# X\n\n- see [[user]], [[user#work]], [[user#^m1]]\n- see [[notes/user#work]]\n");
    let first = "- see [[user]], [[user#work]], [[user#^m1]]\n";
    for (words, second) in [
        (&["set", "notes/user.md#work", "title=Old jobs"][..], "[[notes/user#old-jobs]]"),
        (&["mv", "notes/user.md#work", "facts/jobs.md", "--create"], "[[facts/jobs#work]]"),
        (&["mv", "notes/user.md@m1", "facts/jobs.md", "--create", "-f"], "[[notes/user#work]]"),
        (&["mv", "notes/user.md", "notes/people.md", "--create"], "[[notes/people#work]]"),
    ] {
        memory.done(words);
        assert_eq!(memory.text("facts/x.md").unwrap(), format!("# X\n\n{first}- see {second}\n"), "{words:?}");
        let found = memory.run(["check"]).ends().stdout;
        assert!(!found.contains("dangling_link"), "{words:?}: {found}");
        memory.done(["undo"]);
    }
}

#[test]
fn a_link_to_a_moved_file_is_not_led_to_another_file() {
    let memory = Memory::new()
        .file("facts/notes.md", "# Notes\n\n- other\n")
        .file("facts/user.md", "# User\n\n- one\n")
        .file("facts/x.md", "# X\n\n- see [[user]], [[user.md|me]]\n");
    memory.done(["mv", "facts/user.md", "procedures/notes.md", "--create"]);
    assert_eq!(memory.text("facts/x.md").unwrap(), "# X\n\n- see [[procedures/notes]], [[procedures/notes.md|me]]\n");
    memory.done(["mv", "procedures/notes.md", "facts/person.md", "--create"]);
    assert!(memory.text("facts/x.md").unwrap().contains("[[facts/person]]"));
}

/// A batch has two open files for each of its files.
#[test]
fn a_file_with_more_links_than_files_may_be_open_is_renamed() {
    let memory = Memory::new().file("facts/hub.md", "# Hub\n");
    for n in 0..150 {
        memory.put(&format!("facts/f{n}.md"), format!("# F{n}\n\n- See [hub](hub.md) {n}\n"));
    }
    let home = memory.dir().parent().unwrap().to_owned();
    let mut command = clean_command("sh", &home);
    command.arg("-c").arg("ulimit -Sn 256; exec \"$0\" \"$@\"").arg(program()).args(["mv", "hub", "center"]);
    ProgramOutput::of(&mut command).exit(0);
    assert_eq!(memory.text("facts/f149.md").unwrap(), "# F149\n\n- See [hub](center.md) 149\n");
    memory.done(["undo"]);
    assert_eq!(memory.text("facts/f149.md").unwrap(), "# F149\n\n- See [hub](hub.md) 149\n");
}
