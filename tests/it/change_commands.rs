//! Each verb in a dozen sentences: what it does to the directory, what it answers, and what it refuses.

use serde_json::json;

use crate::support::{Memory, handle};

const P: &str = "procedures/p.md";
const TEXT: &str = "\
# P

- Prefers tabs
- Lives in Austin

## Work

- Standup at ten
";

fn memory() -> Memory {
    Memory::new().file(P, TEXT)
}

fn at(text: &str) -> String {
    format!("{P}@{}", handle(text))
}

/// The section is found again under the name that made it, and under its slug.
#[test]
fn a_name_with_underscores_makes_one_section() {
    let m = Memory::new();
    for name in ["my_notes", "my-notes", "my_notes"] {
        m.done(["add", &format!("user#{name}"), &format!("By {name}")]);
    }
    assert_eq!(
        m.text("facts/user.md").unwrap(),
        "# User\n\n> Summary: my notes\n\n## My notes\n\n- By my_notes\n- By my-notes\n"
    );
    m.done(["update", "user#my_notes@1", "-f", "Changed"]).stdout_contains("+ ");
    m.run(["tool", "seed"]).stdin(r#"{"operation":"delete","path":"user.my_notes[1]"}"#).exit(0);
    assert_eq!(m.text("facts/user.md").unwrap(), "# User\n\n> Summary: my notes\n\n## My notes\n\n- Changed\n");
    // The second section of a title is not meant by a name with a number.
    let roadmap = Memory::new().file("facts/roadmap.md", "# Roadmap\n\n## Phase\n\n- One\n\n## Phase\n\n- Two\n");
    roadmap.done(["add", "roadmap#phase_1", "Three"]);
    assert!(roadmap.text("facts/roadmap.md").unwrap().ends_with("- Two\n\n## Phase 1\n\n- Three\n"));
    // A name that no title would lead back to stays as it is.
    m.done(["add", "user#-x-", "One"]);
    m.done(["add", "user#-x-", "Two"]);
    assert_eq!(m.text("facts/user.md").unwrap().matches("\n## ").count(), 2);
}

#[test]
fn an_id_of_another_bullet_is_refused() {
    let m = Memory::new();
    m.done(["add", "user", "Likes tea", "--id", "drink"]);
    let refused = m.run(["add", "user", "Likes rum", "--id", "drink"]).exit(4).unchanged();
    refused.stderr_contains("exists: the id drink is already used in facts/user.md");
    let add = |text: &str| json!({"op": "add", "at": "user", "text": text, "meta": {"id": "drink"}});
    let twice = json!([{"op": "add", "at": "user", "text": "Rum", "meta": {"id": "new"}}, {"op": "add", "at": "user", "text": "Gin", "meta": {"id": "new"}}]);
    m.run(["apply"]).stdin(twice.to_string()).exit(4).unchanged();
    // An id that the same batch frees may be used.
    let freed = json!([{"op": "rm", "at": format!("user@{}", handle("Likes tea"))}, add("Likes rum")]);
    m.run(["apply"]).stdin(freed.to_string()).exit(0);
    assert!(m.text("facts/user.md").unwrap().contains("id=drink"));
}

/// A text that no read shows any more holds again when it is added.
#[test]
fn what_is_added_again_is_in_use() {
    let m = Memory::new().file("facts/user.md", "# User\n\n- Office: Porto\n  <!-- mem exp=2026-02-01 imp=7 -->\n");
    let text = |m: &Memory| m.text("facts/user.md").unwrap();
    m.done(["add", "user", "Office: Porto"]);
    assert!(text(&m).contains("- Office: Porto\n  <!-- mem imp=7 -->\n"), "{}", text(&m));
    m.done(["query", "office"]).stdout_contains("Office: Porto");
    m.done(["set", &format!("user@{}", handle("Office: Porto")), "exp=2026-02-01"]);
    m.done(["add", "user", "Office: Porto", "--exp", "2026-12-31", "--pin"]);
    assert!(text(&m).contains("exp=2026-12-31"), "{}", text(&m));
    // What is in use stays as it is, and the answer says so.
    m.done(["add", "user", "Office: Porto"]).unchanged().stdout_contains("= @");
    let told = m.run(["add", "user", "Office: Porto", "--imp", "9"]).exit(0).unchanged();
    told.stderr_contains("has the text already and keeps its metadata; `set` gives it imp=9");
    m.put("facts/user.md", "# User\n\n- Office: Porto\n  <!-- mem branch=feature -->\n");
    let told = m.run(["add", "user", "Office: Porto"]).exit(0).unchanged();
    told.stderr_contains("has the text already, for the branch feature alone");
}

/// What stands below a bullet goes with it, and the answer names it.
#[test]
fn what_is_removed_with_a_bullet_is_named() {
    let text = "# Trip\n\n- Packing list\n  - insulin for Mia\n  - passports\n    - two\n- Tickets\n";
    let m = Memory::new().file("facts/trip.md", text);
    let list = format!("trip@{}", handle("Packing list"));
    let lines = |texts: &[(&str, &str)]| -> String {
        texts.iter().map(|(sign, text)| format!("{sign} @{} {text}\n", handle(text))).collect()
    };
    let removed = [("-", "Packing list"), ("-", "insulin for Mia"), ("-", "passports"), ("-", "two")];
    m.done(["rm", &list]).stdout(&format!("facts/trip.md  r1\n{}", lines(&removed)));
    m.done(["undo"]);
    let new = "- Packing list 2\n  - socks\n  - passports\n";
    let changed =
        [("-", "Packing list"), ("-", "insulin for Mia"), ("-", "two"), ("+", "Packing list 2"), ("+", "socks")];
    m.run(["update", &list, "-"]).stdin(new).exit(0).stdout(&format!("facts/trip.md  r3\n{}", lines(&changed)));
}

#[test]
fn add_writes_bullets_and_answers_with_their_handles() {
    let m = memory();
    let tea = handle("Likes tea");
    m.done(["add", P, "Likes tea"]).stdout(&format!("{P}  r1\n+ @{tea} Likes tea\n")).quiet();
    m.done(["add", P, "Likes tea"]).stdout(&format!("{P}  unchanged\n= @{tea} Likes tea\n")).unchanged();
    m.done(["add", "procedures/p.md#work", "- Retro on Friday", "* Demo"])
        .diff(&format!("M {P}\n+- Retro on Friday\n+- Demo\n"));
    m.done(["add", "procedures/p#home", "Two cats"]).diff(&format!("M {P}\n+\n+## Home\n+\n+- Two cats\n"));
    m.done(["add", "procedures/new.md", "First"])
        .diff("A procedures/new.md\n+# New\n+\n+- First\n")
        .stdout_contains("new file");
    m.run(["add", P]).stdin("- one\n  - child\n- two\n").exit(0).diff(&format!("M {P}\n+- one\n+  - child\n+- two\n"));
    m.run(["add", P, "-"]).stdin("three\n").exit(0).diff(&format!("M {P}\n+- three\n"));
    m.done(["add", P, "Tagged", "--tag", "x", "--imp", "7"])
        .diff(&format!("M {P}\n+- Tagged #x\n+  <!-- mem imp=7 -->\n"));
    m.done(["add", P, "# no heading"]).diff(&format!("M {P}\n+- \\# no heading\n"));
    m.run(["add", P, "two\nlines"]).exit(2).stderr_contains("multiline");
    m.run(["add", P, ""]).exit(2);
    m.run(["add", P]).exit(2).stderr_contains("empty_input");
    m.run(["add", &at("Prefers tabs"), "x"]).exit(2).stderr_contains("usage");
    m.run(["add", P, "x", "--imp", "11"]).exit(2).stderr_contains("imp");
    m.run(["add", P, &"x".repeat(9000)]).exit(5).stderr_contains("too_large");
    m.run(["add", "archive/p.md", "x"]).exit(5).stderr_contains("read_only");
    m.run(["add", "procedures/q.md", "x"]).exit(0).diff("A procedures/q.md\n+# Q\n+\n+- x\n");
    m.run(["add", "procedures/nwe.md", "x"]).exit(3).stderr_contains("did_you_mean");
}

#[test]
fn update_replaces_the_bullet_that_is_named() {
    let m = memory();
    let (tabs, spaces) = (handle("Prefers tabs"), handle("Prefers spaces"));
    m.done(["update", &at("Prefers tabs"), "Prefers spaces"])
        .stdout(&format!("{P}  r1\n- @{tabs} Prefers tabs\n+ @{spaces} Prefers spaces\n"))
        .diff(&format!("M {P}\n-- Prefers tabs\n+- Prefers spaces\n"))
        .quiet();
    m.done(["update", &at("Prefers spaces"), "Prefers spaces"]).unchanged().stdout_contains("= @");
    m.run(["update", &at("Prefers tabs"), "x"]).exit(4).stderr_contains("bullet_changed").stderr_contains(&spaces);
    m.done(["update", P, "Lives in Austin", "- Lives in Denver"])
        .diff(&format!("M {P}\n-- Lives in Austin\n+- Lives in Denver\n"));
    m.done(["bullet", "update", P, "--index", "1", "--old", "Prefers spaces", "Tabs"])
        .diff(&format!("M {P}\n-- Prefers spaces\n+- Tabs\n"));
    m.run(["update", &at("Tabs"), "-"])
        .stdin("- from stdin\n")
        .exit(0)
        .diff(&format!("M {P}\n-- Tabs\n+- from stdin\n"));
    m.run(["update", &at("from stdin"), "Lives in Denver"]).exit(4).stderr_contains("duplicate");
    m.run(["update", P, "nowhere", "x"]).exit(3).stderr_contains("bullet_not_found");
    m.run(["update", "procedures/nosuch.md", "a", "b"]).exit(3).stderr_contains("file_not_found");
    m.run(["update", "procedures/p.md#nosuch", "a", "b"]).exit(3).stderr_contains("section_not_found");
    m.run(["update", &at("from stdin"), "a\nb"]).exit(2).stderr_contains("multiline");
    m.run(["update", &at("from stdin"), "x", "--if-match", "0123456789"]).exit(4).stderr_contains("conflict");
    let crlf = Memory::new().file(P, "\u{feff}- a b\r\n* c\r\n\r\n1. d");
    crlf.done(["update", P, "c", "C"]);
    crlf.done(["update", P, "d", "D"]);
    assert_eq!(crlf.text(P).unwrap(), "\u{feff}- a b\r\n* C\r\n\r\n1. D");
}

#[test]
fn rm_removes_bullets_sections_and_files_with_proof() {
    let m = memory();
    m.done(["rm", &at("Lives in Austin")]).diff(&format!("M {P}\n-- Lives in Austin\n")).stdout_contains("- @");
    m.run(["rm", &at("Lives in Austin")]).exit(4).stderr_contains("bullet_changed");
    m.done(["rm", &at("Standup at ten")]);
    assert!(m.text(P).unwrap().ends_with("\n## Work\n"));
    m.run(["rm", P]).exit(4).stderr_contains("needs_proof").stderr_contains(&handle("Prefers tabs"));
    m.run(["rm", "procedures/p#work"]).exit(4).stderr_contains("needs_proof");
    m.done(["rm", "-f", "procedures/p#work"]);
    assert_eq!(m.text(P).unwrap(), "# P\n\n- Prefers tabs\n");
    m.run(["rm", &at("Prefers tabs"), &format!("{P}@zzzz")]).exit(3);
    m.done(["rm", "--archive", &at("Prefers tabs")]).diff(
        "A archive/procedures/p.md\n+# P\n+\n+- Prefers tabs\n+  <!-- mem archived=2026-02-24 from=# -->\n\
             M procedures/p.md\n-\n-- Prefers tabs\n",
    );
    m.run(["mv", "archive/procedures/p.md", "p2"]).exit(5).stderr_contains("read_only");
    m.done(["rm", "-f", P]).diff("D procedures/p.md\n-# P\n");
    m.run(["rm", "-f", P]).exit(3).stderr_contains("file_not_found");
    let n = memory();
    n.done(["rm", P, "- Prefers tabs", "- Lives in Austin"])
        .diff(&format!("M {P}\n-- Prefers tabs\n-- Lives in Austin\n-\n"));
    let etag = n.done(["etag", P]).stdout.trim_end().to_owned();
    n.done(["rm", P, "--if-match", &etag]);
    assert_eq!(n.text(P), None);
}

#[test]
fn etag_prints_the_version_of_a_file_or_section() {
    let m = memory();
    let section = "## Work\n\n- Standup at ten\n";
    let etag = |text: &str| memdir::change::Etag::of(text.as_bytes()).short();
    m.done(["etag", P]).stdout(&format!("{}\n", etag(TEXT)));
    m.done(["etag", &at("Prefers tabs")]).stdout(&format!("{}\n", etag(TEXT)));
    let answer = m.done(["etag", &format!("{P}#work"), "--json"]).json();
    assert_eq!((answer["section"].as_str(), answer["etag"].as_str()), (Some("work"), Some(&*etag(section))));
    m.run(["etag", "nowhere"]).exit(3).stderr_contains("file_not_found");
}

#[test]
fn mv_moves_bullets_sections_and_files_with_their_links() {
    let m = memory().file(
        "facts/see.md",
        "# See\n\n- [[procedures/p]] and [[p|that]]\n- [it](../procedures/p.md#work)\n- `[[p]]` [[pp]]\n",
    );
    m.done(["mv", &at("Lives in Austin"), "procedures/p#work"])
        .diff(&format!("M {P}\n-- Lives in Austin\n+- Lives in Austin\n"));
    m.done(["mv", &at("Lives in Austin"), "procedures/p#work"]).unchanged();
    m.done(["mv", &at("Lives in Austin"), "procedures/home.md"])
        .diff(&format!("A procedures/home.md\n+# Home\n+\n+- Lives in Austin\nM {P}\n-- Lives in Austin\n"));
    m.done(["mv", "procedures/p#work", "procedures/home.md"]);
    assert!(m.text("procedures/home.md").unwrap().ends_with("\n## Work\n\n- Standup at ten\n"));
    m.run(["mv", P, "procedures/home.md"]).exit(4).stderr_contains("exists");
    m.run(["mv", P, "../x"]).exit(5);
    m.run(["mv", "procedures/nosuch", "procedures/x"]).exit(3);
    m.run(["mv", &at("Prefers tabs"), "procedures/home@1"]).exit(2).stderr_contains("usage");
    m.done(["mv", P, "procedures/deep/q.md"]);
    assert_eq!(m.text(P), None);
    assert_eq!(m.text("procedures/deep/q.md").unwrap(), "# P\n\n- Prefers tabs\n");
    let see = m.text("facts/see.md").unwrap();
    assert!(see.contains("- [[procedures/deep/q]] and [[q|that]]\n- [it](../procedures/home.md#work)\n"), "{see}");
    assert!(see.contains("- `[[p]]` [[pp]]\n"), "{see}");
    let moved = m.done(["undo", "--json"]).json();
    assert_eq!(moved["undone"], "r4");
    assert!(m.text("facts/see.md").unwrap().contains("[[procedures/p]] and [[p|that]]"));
}

#[test]
fn set_changes_metadata_titles_and_summaries() {
    let m = memory();
    let tabs = at("Prefers tabs");
    m.done(["set", &tabs, "imp=7", "exp=2026-12-31"]).diff(&format!("M {P}\n+  <!-- mem exp=2026-12-31 imp=7 -->\n"));
    m.done(["set", &tabs, "imp=7"]).unchanged();
    m.done(["set", &tabs, "imp="])
        .diff(&format!("M {P}\n-  <!-- mem exp=2026-12-31 imp=7 -->\n+  <!-- mem exp=2026-12-31 -->\n"));
    m.done(["set", &tabs, "exp="]).diff(&format!("M {P}\n-  <!-- mem exp=2026-12-31 -->\n"));
    m.done(["set", &tabs, "note=a --> b \"c\""]);
    m.done(["set", &tabs, "note="]);
    assert_eq!(m.text(P).unwrap(), TEXT);
    m.run(["set", &tabs, "exp=soon"]).exit(2).stderr_contains("YYYY-MM-DD");
    m.run(["set", &tabs, "a b=c"]).exit(2).stderr_contains("is not a valid key");
    m.run(["set", &tabs, "imp"]).exit(2);
    m.done(["set", &tabs, "id=mem1"]);
    m.run(["set", &at("Standup at ten"), "id=mem1"]).exit(4).stderr_contains("exists");
    m.done(["set", "procedures/p#work", "title=Job"]).diff(&format!("M {P}\n-## Work\n+## Job\n"));
    m.done(["set", "procedures/p#job", "id=job1"]).diff(&format!("M {P}\n-## Job\n+## Job {{#job1}}\n"));
    m.done(["set", P, "title=Pea"]).diff(&format!("M {P}\n-# P\n+# Pea\n"));
    m.done(["set", P, "summary=what I said"]).diff(&format!("M {P}\n+> Summary: what I said\n+\n"));
    m.done(["set", P, "owner=no"]);
    assert!(m.text(P).unwrap().starts_with("---\nowner: "), "{:?}", m.text(P));
}

#[test]
fn set_replaces_a_front_matter_value_of_several_lines_as_a_whole() {
    let rest = "status: x\n---\n# X\n\n- x\n";
    for value in
        ["tags:\n  - health\n  - b", "tags:\n- health", "tags: [a,\n  b]", "tags: |\n  a\n\n  b", "tags:\n  a: b"]
    {
        let m = Memory::new().file("facts/a.md", &format!("---\n{value}\n{rest}"));
        m.done(["set", "a", "tags=x"]);
        assert!(m.text("facts/a.md").unwrap().starts_with("---\ntags: x\nstatus: x\n---\n# X\n"), "{:?}", m.tree());
        m.put("facts/a.md", format!("---\n{value}\n{rest}"));
        m.done(["set", "a", "tags="]);
        assert!(m.text("facts/a.md").unwrap().starts_with("---\nstatus: x\n---\n# X\n"), "{:?}", m.tree());
    }
    let m = Memory::new().file("facts/a.md", "---\n\"due\": 1\n---\n- x\n");
    m.done(["set", "a", "due=x"]).diff("M facts/a.md\n-\"due\": 1\n+\"due\": x\n");
    let m = Memory::new().file("facts/a.md", "---\na: |\n  t\n---\n- x\n");
    m.done(["set", "a", "new=v"]).diff("M facts/a.md\n+new: v\n");
}

#[test]
fn set_refuses_a_front_matter_value_that_others_need() {
    for front in ["a: &x\n  - b\nc: *x\n", "a:\n  - b: {\nc: d\n", "[a, b]\n"] {
        let m = Memory::new().file("facts/a.md", &format!("---\n{front}---\n- x\n"));
        m.run(["set", "a", "a=1"]).exit(5).stderr_contains("'a' in the front matter of facts/a.md cannot be changed");
    }
    let m = Memory::new().file("facts/a.md", "---\nt: a: b\nc: d\n---\n- x\n");
    m.done(["set", "a", "c=e"]).diff("M facts/a.md\n-c: d\n+c: e\n");
}

#[test]
fn set_removes_no_key_that_is_not_there() {
    let m = Memory::new().file("facts/a.md", "---\na: 1\n---\n# X\n\n- x\n").file("facts/b.md", "# B\n\n- x\n");
    m.done(["set", "a", "tags="]).unchanged().stdout_contains("unchanged");
    m.done(["set", "b", "tags="]).unchanged().stdout_contains("unchanged");
}

#[test]
fn set_refuses_a_key_given_twice() {
    let m = Memory::new().file("facts/a.md", "# A\n\n- x\n");
    let refused = m.run(["set", "a@1", "imp=3", "imp=4"]).exit(2).unchanged();
    refused.stderr_contains("usage: 'imp' is given twice; nothing was changed");
}

#[test]
fn set_writes_one_front_matter_at_the_start_of_the_file() {
    let m = Memory::new().file("facts/a.md", "\u{feff}intro\n\n- x\n");
    m.done(["set", "a", "title=T", "b=c", "d=e"]);
    let text = m.text("facts/a.md").unwrap();
    assert!(text.starts_with("\u{feff}---\nb: c\nd: e\n---\n\n# T\n\n"), "{text:?}");
    let two = r#"[{"op":"set","at":"c","meta":{"k":"v"}},{"op":"set","at":"c","meta":{"l":"w"}}]"#;
    m.put("facts/c.md", "- x\n");
    m.run(["apply"]).stdin(two).exit(2).stderr_contains("overlap").unchanged();
    m.put("facts/b.md", "\u{feff}intro\n\n- x\n");
    m.done(["set", "b", "title=T"]);
    let text = m.text("facts/b.md").unwrap();
    assert!(text.starts_with("\u{feff}# T\n\n"), "{text:?}");
}

#[test]
fn append_adds_entries_and_paragraphs_at_the_end() {
    let m = Memory::new();
    m.run(["append", "-t", "Logger fix", "-s", "pipe leak"]).stdin("- Lesson: flush\n").exit(0).diff(
        "A episodes/2026-02.md\n+# 2026-02 Episodes\n+\n+> Summary: logger fix, pipe, leak, flush\n+\n+## Logger fix\n\
         +- Summary: pipe leak\n+- Date: 2026-02-24\n+- Lesson: flush\n",
    );
    m.run(["append", "-t", "Logger fix", "-s", "pipe leak"]).stdin("- Lesson: flush\n").exit(0).unchanged();
    m.run(["append", "-t", "Next"]).stdin("text\n").exit(0).diff(
        "M episodes/2026-02.md\n-> Summary: logger fix, pipe, leak, flush\n+> Summary: logger fix, pipe, leak, flush, next\n+\n+## Next\n+- Date: 2026-02-24\n+\n+text\n",
    );
    m.run(["append", "-t", "Old", "-d", "2025-12-31"]).stdin("- x\n").exit(0);
    assert!(m.text("episodes/2025-12.md").unwrap().ends_with("## Old\n- Date: 2025-12-31\n- x\n"));
    m.run(["append", "--file-summary", "mine", "-t", "Own"]).stdin("- x\n").exit(0);
    assert!(m.text("episodes/2026-02.md").unwrap().contains("\n> Summary: mine\n"));
    m.run(["append", "-t", "a\nb"]).stdin("x\n").exit(2);
    m.run(["append", "-t", "T", "-d", "yesterdy"]).stdin("x\n").exit(2);
    m.run(["append"]).stdin("no title\n").exit(2).stderr_contains("title");
    m.run(["append", "-t", "T"]).exit(2).stderr_contains("empty_input");
    m.run(["append", "procedures/p.md"])
        .stdin("a paragraph\n")
        .exit(0)
        .diff("A procedures/p.md\n+# P\n+\n+a paragraph\n");
    m.run(["append", "procedures/p.md"]).stdin("a paragraph\n").exit(0).unchanged();
    m.put("procedures/short.md", "- no final line end");
    m.run(["append", "procedures/short.md"]).stdin("## T\n").exit(0);
    assert_eq!(m.text("procedures/short.md").unwrap(), "- no final line end\n\n## T\n");
    m.put("procedures/open.md", "```\nno end\n");
    let unclosed = "the code block that starts in line 1 is not closed; close it with '```'";
    m.run(["append", "procedures/open.md"]).stdin("x\n").exit(5).stderr_contains(unclosed);
    m.run(["add", "procedures/open.md", "x"]).exit(5).stderr_contains(unclosed);
}

#[test]
fn patch_replaces_texts_that_occur_once() {
    let m = memory();
    m.done(["patch", P, "--old", "tabs", "--new", "spaces"])
        .stdout_contains("applied 1")
        .diff(&format!("M {P}\n-- Prefers tabs\n+- Prefers spaces\n"));
    m.done(["patch", P, "--old", "tabs", "--new", "spaces"]).unchanged();
    m.done(["patch", P, "--old", "spaces", "--new", "spaces, two"]).stdout_contains("applied 1");
    m.done(["patch", P, "--old", "spaces", "--new", "spaces, two"]).unchanged();
    m.run(["patch", P, "--old", "never", "--new", "P"]).exit(3).stderr_contains("text_not_found");
    m.run(["patch", P, "--old", "i", "--new", "x"]).exit(4).stderr_contains("ambiguous_text");
    m.run(["patch", P, "--old", "Austin"]).exit(2);
    m.run(["patch", P, "--old", "", "--new", "x"]).exit(2);
    m.run(["patch", P]).stdin("not json").exit(2).stderr_contains("invalid_operation");
    m.run(["patch", P]).stdin(r#"[{"oldText":"Austin","newText":"Denver"},{"oldText":"nope","newText":"P"}]"#).exit(3);
    m.run(["patch", P])
        .stdin(r#"[{"oldText":"Austin","newText":"a"},{"oldText":"in Austin","newText":"b"}]"#)
        .exit(2)
        .stderr_contains("overlapping");
    m.run(["patch", P])
        .stdin("[{\"oldText\":\"Austin\\n\\n## Work\",\"newText\":\"Rome\\n\\n## Job\"}]")
        .exit(0)
        .diff(&format!("M {P}\n-- Lives in Austin\n+- Lives in Rome\n-## Work\n+## Job\n"));
    m.done(["patch", P, "--old", "\n- Lives in Rome", "--new", ""]).diff(&format!("M {P}\n-- Lives in Rome\n"));
    let s = Memory::new().file("facts/u.md", "# U\n\n> Summary: tea\n\n- Drink: tea\n");
    s.done(["patch", "facts/u.md", "--old", "tea", "--new", "mate"]).stdout_contains("applied 1");
    assert!(s.text("facts/u.md").unwrap().ends_with("- Drink: mate\n"));
}

#[test]
fn a_patch_that_nobody_made_is_not_applied_already() {
    let m = Memory::new();
    m.done(["add", "user", "Likes coffee", "Drinks tea daily", "Lives in Rome"]);
    m.done(["update", "user", "Likes coffee", "Likes mate"]);
    let patch = |old: &'static str, new: &'static str| m.run(["patch", "user", "--old", old, "--new", new]);
    for new in ["tea", "e"] {
        patch("coffee", new).exit(3).unchanged().stderr_contains("text_not_found");
    }
    m.done(["rm", "user", "- Drinks tea daily"]);
    patch("daily", "Rome").exit(3).unchanged().stderr_contains("text_not_found");
    let seed = r#"{"name":"memory_patch","arguments":{"path":"facts/user.md","patches":[{"oldText":"coffee","newText":"Rome"}]}}"#;
    let answer = m.run(["tool", "seed"]).stdin(seed).exit(0).unchanged().stdout;
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((&answer["success"], &answer["code"]), (&json!(false), &json!("text_not_found")), "{answer}");

    patch("mate", "green tea").exit(0).stdout_contains("applied 1");
    m.done(["add", "user", "Added later"]);
    patch("mate", "green tea").exit(0).unchanged().stdout_contains("the new text is there already");
    m.done(["update", "user", "Likes green tea", "Likes green tea cold"]);
    patch("mate", "green tea").exit(3).unchanged();
}

#[test]
fn an_update_that_nobody_made_is_not_made_already() {
    let m = Memory::new().policy("version: 1\nstamps: [added, upd, by]\n");
    m.done(["add", "user", "Likes coffee", "Lives in Rome", "Owns a bike"]);
    m.done(["rm", "user", "- Likes coffee"]);
    let update = ["update", "user", "Likes coffee", "Lives in Rome"];
    m.run(update).exit(4).unchanged().stderr_contains("bullet_changed").stderr_contains("was removed by");
    m.run(["update", "user", "Never there", "Lives in Rome"]).exit(3).stderr_contains("bullet_not_found");
    let made = ["update", "user", "Owns a bike", "Owns a car"];
    m.done(made);
    m.done(["add", "user", "Added later"]);
    m.done(made).unchanged();
    let item = || m.run(["update", "user", "Owns a car", "-F", "-"]).stdin("- Owns a van\n  - with a bed\n");
    item().exit(0).stdout_contains("with a bed");
    item().exit(0).unchanged();
    m.done(["update", "user", "Owns a van", "Owns a boat"]);
    m.run(made).exit(4).unchanged().stderr_contains("now: ");
}

#[test]
fn the_etag_of_a_section_proves_what_was_read_there() {
    let m = Memory::new();
    m.done(["add", "user", "A one"]);
    m.done(["add", "user#Work", "Standup at ten", "Lunch at one"]);
    let etag = || m.done(["etag", "user#work"]).stdout.trim().to_owned();
    let old = etag();
    m.done(["add", "user", "Outside the section"]);
    assert_eq!(etag(), old);
    let read = m.done(["read", "user#work", "-v"]);
    assert!(read.stderr.contains(&format!("facts/user.md#work 41 bytes, etag {old}")), "{read}");
    m.run(["update", "user", "A one", "A two", "--if-match", &old]).exit(4).stderr_contains("conflict");
    m.run(["rm", "user", "-f", "--if-match", &old]).exit(4).stderr_contains("conflict");
    m.done(["update", "user#work@1", "Standup at nine", "--if-match", &old]);
    m.run(["rm", "user#work", "--if-match", &old]).exit(4).stderr_contains("conflict");
    m.done(["add", "user#work", "Review at two", "--if-match", &etag()]);
    m.done(["rm", "user#work", "--if-match", &etag()]);
    assert_eq!(m.text("facts/user.md").unwrap().lines().last(), Some("- Outside the section"));
}

#[test]
fn an_id_of_another_bullet_or_section_is_refused_wherever_it_stands() {
    let m = Memory::new();
    m.done(["add", "user", "First ^key1", "Second"]);
    m.done(["add", "user#Work", "Third"]);
    m.done(["add", "other", "Elsewhere ^key1"]);
    let second = format!("user@{}", handle("Second"));
    let elsewhere = format!("other@{}", handle("Elsewhere ^key1"));
    for words in [
        vec!["add", "user", "Fourth ^key1"],
        vec!["add", "user", "Fourth ^twice", "Fifth ^twice"],
        vec!["update", &second, "Second ^key1"],
        vec!["set", "user#work", "id=key1"],
        vec!["patch", "user", "--old", "Second", "--new", "Second ^key1"],
    ] {
        m.run(words).exit(4).unchanged().stderr_contains("exists: ").stderr_contains("is already used in");
    }
    m.run(["append", "user"]).stdin("## Entry {#key1}\n").exit(4).unchanged().stderr_contains("exists");
    m.done(["set", "user#work", "id=key2"]);
    m.run(["add", "user", "Fourth ^key2"]).exit(4).stderr_contains("the id key2 is already used");
    m.done(["update", "user", "First ^key1", "First again ^key1"]);
    m.done(["mv", "user@key1", "user#work", "-f"]);
    // What moves, or comes back from the archive, keeps its id; `check` reports it.
    m.done(["mv", &elsewhere, "user"]);
    assert!(m.run(["check"]).ends().stdout.contains("duplicate_id"));
    m.done(["undo"]);
    m.done(["rm", &elsewhere, "--archive"]);
    m.done(["add", "other", "Elsewhere again ^key1"]);
    m.done(["rm", "other", "- Elsewhere again ^key1", "--archive"]);
    m.put("facts/twice.md", "# Twice\n\n- A ^key\n- B ^key\n");
    m.done(["update", "twice", "B ^key", "C ^key"]);
}

#[test]
fn write_replaces_a_file_only_with_proof() {
    let m = memory();
    m.run(["write", "procedures/new.md"])
        .stdin("# New\n\n- x\n")
        .exit(0)
        .diff("A procedures/new.md\n+# New\n+\n+- x\n");
    m.run(["write", "procedures/new.md"]).stdin("# New\n\n- x\n").exit(0).unchanged();
    m.run(["write", P])
        .stdin("# P\n\n- Prefers tabs\n")
        .exit(4)
        .stderr_contains("needs_proof")
        .stderr_contains("remove 2 of its bullets")
        .stderr_contains("Lives in Austin");
    let etag = memdir::change::Etag::of(TEXT.as_bytes()).short();
    m.run(["write", P, "--if-match", "0123456789"]).stdin("x\n").exit(4).stderr_contains("conflict");
    m.run(["write", P, "--if-match", "0123456789"]).stdin(TEXT).exit(0).unchanged();
    m.run(["write", P, "--if-match", &etag])
        .stdin("# P\n\n- Prefers tabs\n")
        .exit(0)
        .diff(&format!("M {P}\n-- Lives in Austin\n-\n-## Work\n-\n-- Standup at ten\n"));
    m.run(["write", P, "-f"]).stdin("# Other\n").exit(0).diff(&format!("M {P}\n-# P\n-\n-- Prefers tabs\n+# Other\n"));
    m.run(["write", P, "-f"]).stdin("").exit(2).stderr_contains("empty_input");
    m.run(["write", P, "-f"]).stdin(b"caf\xe9".to_vec()).exit(5).stderr_contains("not_text");
    m.run(["write", P, "-f"]).stdin("a\0b").exit(5).stderr_contains("not_text");
    m.run(["write", "procedures/p#work", "-f"]).stdin("x\n").exit(2);
    m.run(["write", "../x"]).stdin("x\n").exit(5).stderr_contains("invalid_path");
    m.run(["write", "procedures/P.md", "--create"]).stdin("x\n").exit(4).stderr_contains("exists");
}

/// An editor that replaces a word, as a shell command.
fn editor(script: &str) -> String {
    format!("sh -c '{script}' --")
}

#[test]
fn edit_merges_what_was_saved_meanwhile_or_refuses() {
    let m = memory();
    m.run(["edit", P])
        .env("EDITOR", &editor("sed -i s/tabs/spaces/ \"$1\""))
        .exit(0)
        .diff(&format!("M {P}\n-- Prefers tabs\n+- Prefers spaces\n"));
    m.run(["edit", P]).env("EDITOR", "true").exit(0).unchanged();
    m.run(["edit", P]).env("EDITOR", "false").may_change().ends();
    assert!(m.text(P).unwrap().contains("Prefers spaces"));
    let other = m.dir().join(P);
    let meanwhile =
        editor(&format!("sed -i s/spaces/both/ \"$1\"; printf \"%s\\n\" \"- meanwhile\" >> {}", other.display()));
    m.run(["edit", P]).env("EDITOR", &meanwhile).exit(0);
    let text = m.text(P).unwrap();
    assert!(text.contains("- Prefers both\n") && text.ends_with("- meanwhile\n"), "{text}");
    let clash = editor(&format!("sed -i s/both/mine/ \"$1\"; sed -i s/both/theirs/ {}", other.display()));
    m.run(["edit", P]).env("EDITOR", &clash).may_change().exit(4).stderr_contains("conflict");
    assert!(m.text(P).unwrap().contains("Prefers theirs"));
}

#[test]
fn a_dry_run_shows_the_diff_and_writes_nothing() {
    let m = memory();
    m.done(["update", &at("Prefers tabs"), "Prefers spaces", "-n"])
        .unchanged()
        .stdout_contains("-- Prefers tabs\n+- Prefers spaces\n");
    let dry = m.done(["rm", &at("Prefers tabs"), "-n", "--json"]).unchanged().json();
    assert_eq!((&dry["dry_run"], &dry["changed"]), (&json!(true), &json!(true)));
    m.run(["apply"]).stdin(dry["operations"].to_string()).exit(0).diff(&format!("M {P}\n-- Prefers tabs\n"));
    m.run(["rm", &at("Prefers tabs"), "-n"]).exit(4);
    m.done(["log"]).stdout_contains("r1");
    m.done(["mv", P, "procedures/q.md", "-n"]).unchanged();
}

#[test]
fn json_answers_name_file_revision_etag_and_effects() {
    let m = memory();
    let answer = m.done(["add", P, "Likes tea", "--json", "-m", "said so"]).json();
    assert_eq!((&answer["changed"], &answer["rev"]), (&json!(true), &json!("r1")));
    let file = &answer["files"][0];
    assert_eq!(file["path"], P);
    assert_eq!(file["etag"], memdir::change::Etag::of(m.text(P).unwrap().as_bytes()).short());
    assert_eq!((&file["effects"][0]["sign"], &file["effects"][0]["text"]), (&json!("+"), &json!("Likes tea")));
    assert_eq!(m.done(["log", "--json"]).json()["entries"][0]["reason"], "said so");
    let error = m.run(["rm", "procedures/p@zzzz", "--json"]).exit(3).error();
    assert_eq!(
        (&error["code"], &error["changed"], &error["retryable"]),
        (&json!("bullet_not_found"), &json!(false), &json!(false))
    );
}

#[test]
fn a_request_that_was_done_is_answered_again_and_not_done_again() {
    let m = memory();
    let batch = json!({"request": "call-1", "operations": [{"op": "add", "at": P, "text": "Likes tea"}]}).to_string();
    let first = m.run(["apply", "--json"]).stdin(batch.as_str()).exit(0).json();
    m.done(["rm", &at("Likes tea")]);
    let second = m.run(["apply", "--json"]).stdin(batch.as_str()).exit(0).unchanged().json();
    assert_eq!((&first["changed"], &second["changed"]), (&json!(true), &json!(false)));
    assert_eq!((&first["rev"], &first["files"]), (&second["rev"], &second["files"]));
    let elsewhere = batch.replace("Likes tea", "Likes milk");
    let conflict = m.run(["apply", "--json"]).stdin(elsewhere).exit(4).unchanged().error();
    assert_eq!(conflict["code"], "conflict");
    assert!(conflict["message"].as_str().unwrap().contains("the id 'call-1' is that of another batch, applied as r1"));
    let other = batch.replace("call-1", "call-2");
    m.run(["apply"]).stdin(other).exit(0).diff(&format!("M {P}\n+- Likes tea\n"));
    // A refused batch is not done: the same id may be tried again.
    let refused = json!({"request": "call-3", "operations": [{"op": "rm", "at": format!("{P}@zzzz")}]}).to_string();
    m.run(["apply"]).stdin(refused.as_str()).exit(3);
    m.run(["apply"]).stdin(refused).exit(3);
}

#[test]
fn a_near_duplicate_is_added_and_its_older_bullet_is_named() {
    let text =
        "# User\n\n- Prefers window seats\n- Standup is at 10:00 every Monday\n\n## Work\n\n- Reviews go to Ana\n";
    let m = Memory::new().file(P, text);
    let older = at("Prefers window seats");
    let ran = m.run(["add", P, "prefers a window seat"]).exit(0).stdout_contains("+ @");
    ran.stderr_contains(&format!("near_duplicate: {older} has nearly the same text"));
    // In another section as well, and as JSON.
    let json = m.run(["--json", "add", &format!("{P}#work"), "User prefers window seats"]).exit(0).json();
    assert_eq!(
        (&json["warnings"][0]["code"], &json["warnings"][0]["details"]["address"]),
        (&"near_duplicate".into(), &older.into())
    );
    for news in ["Standup is at 10:30 every Monday", "Does not prefer window seats"] {
        m.run(["add", P, news]).exit(0).stderr_contains("contradiction: ");
    }
    m.run(["add", P, "Reviews go to Bob"]).exit(0).quiet();
}

#[test]
fn what_has_expired_contradicts_nothing() {
    let m = Memory::new().file("facts/user.md", "# User\n\n- Office: Lisbon\n  <!-- mem exp=2026-02-01 -->\n");
    m.run(["add", "user", "Office: Berlin"]).exit(0).quiet();
    m.done(["check"]);
    let status = m.done(["status"]).stdout;
    assert!(!status.contains("contradiction"), "{status}");
    m.run(["add", "user", "Office: Oslo"]).exit(0).stderr_contains("contradiction: ");
}

#[test]
fn a_contradiction_is_added_and_its_older_bullet_is_named() {
    let text = "# User\n\n- City: Paris\n- Allergic to peanuts\n- 用户住在汉堡\n\n## Ana\n\n- Age: 41\n";
    let m = Memory::new().file(P, text);
    for (new, old) in [
        ("City: Berlin", "City: Paris"),
        ("Not allergic to peanuts", "Allergic to peanuts"),
        ("用户住在柏林", "用户住在汉堡"),
    ] {
        let ran = m.run(["add", P, new]).exit(0).stdout_contains("+ @");
        ran.stderr_contains(&format!("contradiction: {} says otherwise", at(old)));
    }
    // The same label in another section is about another subject; what can hold beside the old text is no contradiction.
    for news in ["Age: 38", "Visited Berlin"] {
        m.run(["add", P, news]).exit(0).quiet();
    }
}

#[test]
fn a_last_day_that_is_over_is_reported() {
    let memory = Memory::new();
    memory.done(["add", "user", "A1", "--create"]);
    let told = "expired: it expired on 2026-02-23 already";
    memory.done(["add", "user", "Old news", "--exp", "2026-02-23"]).stderr_contains(told);
    memory.done(["set", "user@2", "exp=2026-02-23", "-f"]).stderr_contains(told);
    for words in [&["add", "user", "News", "--exp", "2026-02-24"][..], &["set", "user@2", "imp=3", "-f"]] {
        assert_eq!(memory.done(words).stderr, "");
    }
}

#[test]
fn a_missing_section_comes_with_its_missing_parents() {
    let memory = Memory::new().file("facts/o.md", "# O\n\n## A\n");
    let made = memory.done(["add", "o#A/B/C", "one", "two"]);
    let expected =
        ["+ ### B".into(), "+ #### C".into(), format!("+ @{} one", handle("one")), format!("+ @{} two", handle("two"))];
    assert_eq!(made.stdout.lines().skip(1).collect::<Vec<_>>(), expected);
    let memory = Memory::new().file("facts/p.md", "# P\n\n## Home\n\n- Garden\n- Shed\n");
    memory.done(["add", "p#Work/Contacts", "Bob", "--quiet"]);
    memory.done(["add", "p#Home/Pets/Cats", "Tom", "--quiet"]);
    memory.done(["mv", "p#home@1", "p#Work/Tools", "-f", "--quiet"]);
    for (section, text) in [("p#work/contacts", "Bob"), ("p#home/pets/cats", "Tom"), ("p#work/tools", "Garden")] {
        memory.done(["read", section]).stdout_contains(text);
    }
    let text = memory.text("facts/p.md").unwrap();
    assert!(text.contains("## Work\n\n### Contacts\n\n- Bob\n\n### Tools\n\n- Garden\n"), "{text}");
    assert!(text.contains("### Pets\n\n#### Cats\n\n- Tom\n"), "{text}");
    for (command, code) in [
        (["add", "p#a/b/c/d/e/f", "x"], "would_break_structure"),
        (["add", "p#a//b", "x"], "would_break_structure"),
        (["mv", "p#work/tools", "p#Home/Tools"], "usage"),
        (["mv", "p#work/tools", "q#Home/Tools"], "usage"),
    ] {
        memory.run(command).ends().stderr_contains(code);
    }
    memory.done(["mv", "p#work/tools", "p#Work/Things"]);
    memory.done(["read", "p#work/things"]).stdout_contains("Garden");
}

#[test]
fn a_moved_or_restored_bullet_keeps_its_bytes() {
    let bullets = [
        ("- plain with <!-- hidden note --> tail\n", "plain with <!-- hidden note --> tail"),
        ("- code `<!-- x -->` here\n", "code `<!-- x -->` here"),
        ("- hard break  \n  second line\n", "hard break second line"),
        ("- `code <!--\n  goes on` here <!-- x -->\n", "`code <!-- goes on` here <!-- x -->"),
    ];
    let dst = "# Dst\n\n- z\n";
    for (line, text) in bullets {
        let bullet = format!("src@{}", handle(text));
        let m = Memory::new().file("facts/src.md", &format!("# Src\n\n- y\n{line}")).file("facts/dst.md", dst);
        m.done(["mv", &bullet, "dst"]);
        assert!(m.text("facts/dst.md").unwrap().ends_with(&format!("- z\n{line}")), "{:?}", m.text("facts/dst.md"));
        m.done(["undo"]);
        m.done(["rm", "--archive", &bullet]);
        assert!(!m.text("facts/src.md").unwrap().contains(line));
        m.done(["restore", &bullet]);
        assert!(m.text("facts/src.md").unwrap().ends_with(&format!("- y\n{line}")), "{:?}", m.text("facts/src.md"));
    }
    let m = Memory::new().file("facts/dst.md", dst);
    m.done(["add", "dst", "code `<!-- y -->` and <!-- z"]);
    assert!(m.text("facts/dst.md").unwrap().ends_with("- z\n- code `<!-- y -->` and \\<!-- z\n"));
}

#[test]
fn add_takes_today_for_a_date_as_set_does() {
    let m = memory();
    m.done(["add", P, "Visitor in the office", "--exp", "today"])
        .diff(&format!("M {P}\n+- Visitor in the office\n+  <!-- mem exp=2026-02-24 -->\n"));
}

#[test]
fn what_memdir_writes_is_a_fact_file() {
    let memory = Memory::new();
    memory.run(["add", "user", "Name: Ana", "Role: dev"]).exit(0);
    assert_eq!(
        memory.text("facts/user.md").unwrap(),
        "# User\n\n> Summary: name, role, ana, dev\n\n- Name: Ana\n- Role: dev\n"
    );
}

#[test]
fn a_text_that_differs_in_backslashes_is_another_text() {
    let m = Memory::new().file(P, "# P\n\n- The pattern is ^a\\.b$\n");
    let ran = m.run(["add", P, "The pattern is ^a.b$"]).exit(0).unchanged();
    ran.stderr_contains("has the text but for backslashes");
    m.done(["add", P, "The pattern is ^a\\.b$"]).unchanged().quiet();
    m.done(["update", P, "The pattern is ^a\\.b$", "The pattern is ^a\\.b$"]).unchanged();
    m.done(["update", P, "The pattern is ^a\\.b$", "The pattern is ^a.b$"])
        .diff(&format!("M {P}\n-- The pattern is ^a\\.b$\n+- The pattern is ^a.b$\n"));
}

#[test]
fn a_text_of_another_item_or_section_is_no_duplicate() {
    let text = "# People\n\n- Anna\n  - likes tea\n- Bob\n\n## Before 2020\n\n- Office is in Berlin\n";
    let m = Memory::new().file(P, text);
    m.done(["add", P, "likes tea"]).diff(&format!("M {P}\n+- likes tea\n"));
    m.run(["add", P, "Office is in Berlin"])
        .exit(0)
        .stderr_contains("has the same text; the bullet was added anyway")
        .diff(&format!("M {P}\n+- Office is in Berlin\n"));
    m.done(["add", P, "Bob"]).unchanged();
    m.done(["add", &format!("{P}#before-2020"), "Office is in Berlin"]).unchanged();
    m.run(["update", P, "Bob", "Anna"]).exit(4).stderr_contains("duplicate");
    m.put(P, text);
    m.done(["update", P, "Bob", "likes tea"]).diff(&format!("M {P}\n-- Bob\n+- likes tea\n"));
}

#[test]
fn a_bullet_moved_to_a_file_is_compared_with_those_below_its_title() {
    let m = Memory::new()
        .file("facts/a.md", "# A\n\n- Likes tea\n- Likes rum\n")
        .file("facts/b.md", "# B\n\n- Likes tea\n\n## More\n\n- Likes rum\n");
    let at = |text: &str| format!("a@{}", handle(text));
    m.run(["mv", &at("Likes tea"), "b"]).exit(4).stderr_contains("duplicate");
    m.done(["mv", &at("Likes tea"), "a"]).unchanged();
    m.done(["mv", &at("Likes rum"), "b"]);
    assert!(m.text("facts/b.md").unwrap().ends_with("\n- Likes tea\n- Likes rum\n\n## More\n\n- Likes rum\n"));
}

#[test]
fn a_title_that_would_be_read_otherwise_is_refused() {
    let m = Memory::new()
        .file("procedures/s.md", "Profile\n=======\n\n- a b c\n")
        .file("procedures/h.md", "# Profile\n\n- a\n")
        .file("procedures/n.md", "- a\n");
    for (file, title) in [("s", "- dash title"), ("s", "# C"), ("h", "C #"), ("n", "C #")] {
        let words = ["set".to_owned(), format!("procedures/{file}"), format!("title={title}")];
        m.run(words).exit(5).stderr_contains("would_break_structure");
    }
    m.done(["set", "procedures/s", "title=C and *D*"]).diff("M procedures/s.md\n-Profile\n+C and *D*\n");
    m.done(["set", "procedures/n", "title=- dash title"]).diff("M procedures/n.md\n+# - dash title\n+\n");
}

#[test]
fn metadata_that_an_editor_left_below_another_bullet_goes_nowhere_with_it() {
    for words in [
        &["mv", "user@ALLERGY", "health", "--create"][..],
        &["rm", "user@ALLERGY", "--archive"],
        &["update", "user@ALLERGY", "Allergic to nuts"],
    ] {
        let m = Memory::new().policy("version: 2\nstamps: [upd]\n");
        m.done(["add", "user", "Allergic to penicillin", "Flight to Rome"]);
        m.done(["set", &format!("user@{}", handle("Flight to Rome")), "exp=2027-01-05", "id=rome"]);
        let text = m.text("facts/user.md").unwrap();
        assert!(text.contains("id=rome"), "{text}");
        m.put("facts/user.md", text.replace("- Flight to Rome\n", ""));
        m.done(words.iter().map(|word| word.replace("ALLERGY", &handle("Allergic to penicillin"))));
        for (path, (bytes, _)) in m.tree() {
            assert!(!String::from_utf8(bytes).unwrap().contains("id=rome"), "{words:?}: {path}");
        }
    }
}

/// A file may have its title twice: `list` shows that of the front matter.
#[test]
fn a_new_title_is_set_where_the_file_has_one() {
    let m = Memory::new()
        .file("facts/a.md", "---\ntitle: Old\n---\n# Old\n\n- x\n")
        .file("facts/b.md", "---\ntitle: Old\n---\n\n- x\n");
    m.done(["set", "a", "title=New"]).diff("M facts/a.md\n-title: Old\n+title: New\n-# Old\n+# New\n");
    m.done(["set", "a", "title=New"]).unchanged();
    m.done(["set", "b", "title=New"]).diff("M facts/b.md\n-title: Old\n+title: New\n");
}

/// The section becomes the file: it has no second heading of the same title, and links to it follow.
#[test]
fn a_section_moves_into_a_new_file_of_its_name() {
    let m = Memory::new()
        .file("facts/t.md", "# T\n\n- a\n\n## Plan\n\n- b [[t#later]]\n\n### Later\n\n- c\n\n## Rest\n\n- d\n")
        .file("facts/links.md", "# Links\n\n- see [[t#plan]] and [[t#later]]\n");
    m.done(["mv", "t#plan", "plan"]);
    assert!(m.text("facts/t.md").unwrap().ends_with("- a\n\n## Rest\n\n- d\n"));
    let plan = m.text("facts/plan.md").unwrap();
    assert!(plan.starts_with("# Plan\n") && plan.ends_with("- b [[plan#later]]\n\n### Later\n\n- c\n"), "{plan}");
    assert_eq!(plan.matches("Plan").count(), 1, "{plan}");
    assert!(m.text("facts/links.md").unwrap().contains("[[plan#plan]] and [[plan#later]]"));
    m.run(["mv", "t#rest", "plan#plan"]).exit(4).unchanged();
}
