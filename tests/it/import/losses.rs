//! What `import` and `export` must not lose: notes in an index, bullets of any shape, broken sources.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::Memory;

/// A source beside the memory.
fn source(memory: &Memory, name: &str, text: &str) -> String {
    let path = memory.dir().parent().expect("a folder").join(name);
    fs_err::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs_err::write(&path, text).expect("written");
    path.display().to_string()
}

fn folder_of(file: &str) -> String {
    Path::new(file).parent().expect("a folder").display().to_string()
}

fn import(memory: &Memory, args: &[&str]) -> Value {
    let all: Vec<&str> = ["--json", "import"].iter().chain(args).copied().collect();
    memory.run(all).may_change().exit(0).json()
}

fn reasons(answer: &Value, list: &str) -> String {
    let rows = answer[list].as_array().unwrap().iter();
    rows.map(|row| format!("{}: {}\n", row["item"].as_str().unwrap(), row["reason"].as_str().unwrap())).collect()
}

#[test]
fn notes_in_the_index_of_claude_are_imported() {
    let memory = Memory::new();
    let index = source(&memory, "alone/MEMORY.md", "# Memory\n\n- Deploys on Fridays\n- Likes [tea](https://t.ea)\n");
    let answer = import(&memory, &[&folder_of(&index)]);
    assert_eq!((&answer["added"], &answer["from"]), (&json!(2), &json!("claude")), "{answer}");
    assert!(memory.text("facts/MEMORY.md").unwrap().contains("- Deploys on Fridays"));
    assert_eq!(import(&memory, &[&folder_of(&index)])["changed"], false);

    let memory = Memory::new();
    let text = "# Memory\n\n- [A](a.md) — hook\n  more\n- Own note\n- [Gone](gone.md) — only here\n\nProse.\n";
    let index = source(&memory, "both/MEMORY.md", text);
    source(&memory, "both/a.md", "# A\n\n- one\n");
    let answer = import(&memory, &[&folder_of(&index)]);
    let kept = memory.text("facts/MEMORY.md").unwrap();
    for part in ["- Own note", "- [Gone](gone.md) — only here", "Prose."] {
        assert!(kept.contains(part), "{part} {kept}");
    }
    assert!(!kept.contains("a.md"), "{kept}");
    assert!(reasons(&answer, "skipped").contains("MEMORY.md: it is the index of the other files in 1 of"), "{answer}");
}

const SHAPES: &str =
    "# S\n\n- # x\n- > q\n  > r\n- ```sh\n  make all\n  ```\n- 1. one\n- 2024. was a good year\n- plain\n";

#[test]
fn bullets_of_any_shape_are_listed_and_exported() {
    let memory = Memory::new().file("facts/s.md", SHAPES);
    let listed = memory.run(["list", "s"]).exit(0).stdout;
    for text in ["# x", "> q > r", "```sh make all ```", "1. one", "2024. was a good year", "plain"] {
        assert!(listed.lines().any(|line| line.starts_with('@') && line.ends_with(text)), "{text} {listed}");
    }
    for kind in ["jsonl", "server-memory", "json-memory", "records"] {
        let text = memory.run(["export", "--to", kind]).exit(0).stdout;
        for part in ["# x", "> q", "make all", "1. one", "2024. was a good year", "plain"] {
            assert!(text.contains(part), "{kind} {part} {text}");
        }
    }
    let rows = memory.run(["export", "--to", "jsonl"]).exit(0).stdout;
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 6);
    assert_eq!(rows[2]["text"], "```sh\nmake all\n```");
    memory.run(["rm", "s@2", "--force"]).may_change();
}

#[test]
fn a_bullet_of_another_shape_is_changed_and_the_others_stay() {
    let memory = Memory::new().file("facts/s.md", SHAPES);
    let rows = memory.run(["--json", "export", "--to", "jsonl"]).exit(0).json();
    let text = rows["text"].as_str().unwrap();
    let handle = |at: usize| {
        let row: Value = serde_json::from_str(text.lines().nth(at).unwrap()).unwrap();
        format!("s@{}", row["handle"].as_str().unwrap())
    };
    memory.run(["update", &handle(4), "2025. was better"]).may_change().exit(0);
    memory.run(["rm", &handle(2)]).may_change().exit(0);
    let after = memory.text("facts/s.md").unwrap();
    assert!(after.contains("- # x\n- > q\n  > r\n- 1. one\n- 2025\\. was better\n- plain\n"), "{after}");
}

#[test]
fn records_have_all_of_a_bullet() {
    let text =
        "# S\n\n- Deploy so:\n  <!-- mem id=m1 -->\n\n  ```sh\n  make\n  ```\n\n  Second paragraph.\n  - nested\n";
    let memory = Memory::new().file("facts/s.md", text);
    let answer: Value = serde_json::from_str(&memory.run(["export", "--to", "records"]).exit(0).stdout).unwrap();
    let contents: Vec<&str> =
        answer["memories"].as_array().unwrap().iter().map(|row| row["content"].as_str().unwrap()).collect();
    assert_eq!(contents[0], "Deploy so:\n\n```sh\nmake\n```\n\nSecond paragraph.");
}

#[test]
fn a_named_file_that_cannot_be_read_is_an_error_with_its_place() {
    let memory = Memory::new();
    let broken = source(&memory, "broken.json", "{\"results\":[{\"memory\":\"a\"},\n{\"memory\":]}");
    for args in [vec!["import", &broken, "--from", "mem0"], vec!["import", &broken]] {
        let run = memory.run(args).exit(2).unchanged();
        assert!(run.stderr.contains("broken.json") && run.stderr.contains("line 2 column 11"), "{}", run.stderr);
    }
    let deep = source(&memory, "deep.json", &format!("{{\"a\":{}1{}}}", "[".repeat(400), "]".repeat(400)));
    let run = memory.run(["import", &deep, "--from", "json-memory"]).exit(2).unchanged();
    assert!(run.stderr.contains("recursion limit exceeded at line 1"), "{}", run.stderr);
}

#[test]
fn notes_beside_a_text_file_stay_notes() {
    let memory = Memory::new();
    let note =
        "# Journal\n\nToday we went to\nthe zoo with Ana.\n\n```sh\nmake\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let first = source(&memory, "notes/trips/j.md", note);
    source(&memory, "notes/todo.txt", "milk\n");
    let folder = folder_of(&folder_of(&first));
    let answer = import(&memory, &[&folder]);
    assert_eq!(answer["from"], "markdown", "{answer}");
    assert_eq!(reasons(&answer, "skipped"), "todo.txt: it is not a markdown file\n");
    assert!(memory.text("facts/trips/j.md").unwrap().contains("Today we went to\nthe zoo with Ana."));
    source(&memory, "notes/mem0.json", r#"[{"memory":"a"}]"#);
    memory.run(["import", &folder]).exit(2).unchanged().stderr_contains("--from: mem0, markdown");
}

#[test]
fn an_empty_text_file_is_refused() {
    let memory = Memory::new();
    let empty = source(&memory, "empty.txt", "\n");
    for args in [vec!["import", &empty], vec!["import", &empty, "--from", "chatgpt"]] {
        memory.run(args).exit(2).unchanged().stderr_contains("nothing is imported from empty.txt: the file is empty");
    }
}

#[test]
fn half_an_emoji_is_read_as_the_replacement_character() {
    let memory = Memory::new();
    let text = r#"{"results":[{"memory":"cut \ud83d","id":"a"},{"memory":"whole \ud83d\ude00 \\ud83d","id":"b"}]}"#;
    let answer = import(&memory, &[&source(&memory, "mem0.json", text)]);
    assert!(reasons(&answer, "altered").contains("mem0.json: 1 halves of characters"), "{answer}");
    let text = memory.text("facts/mem0.md").unwrap();
    assert!(text.contains("cut \u{fffd}") && text.contains("whole 😀 \\ud83d"), "{text}");
}

#[test]
fn memories_of_chatgpt_are_read_or_listed() {
    let memory = Memory::new();
    let talks = json!([
        {"title": "t", "mapping": {
            "1": {"message": {"recipient": "bio", "create_time": 1_700_000_000.5,
                "content": {"content_type": "code", "text": "Likes code"}}},
            "2": {"message": {"recipient": "bio", "create_time": -86_400.0,
                "content": {"content_type": "text", "parts": ["Is old"]}}},
            "3": {"message": {"recipient": "bio", "content": {"content_type": "text"}}},
        }},
        {"title": "no mapping", "mapping": null},
        {},
    ]);
    let answer = import(&memory, &[&source(&memory, "conversations.json", &talks.to_string())]);
    assert_eq!(answer["added"], 2, "{answer}");
    let text = memory.text("facts/chatgpt.md").unwrap();
    assert!(text.contains("- Likes code") && text.contains("added=1969-12-31"), "{text}");
    let skipped = reasons(&answer, "skipped");
    assert!(skipped.contains("'no mapping': it has no messages") && skipped.contains("'untitled'"), "{skipped}");
    assert!(skipped.contains("a message to the tool bio has no text"), "{skipped}");

    let memory = Memory::new();
    let rows = json!({"memories": [
        {"content": "Likes tea"}, {"content": "Likes tea", "created_at": "2024-05-01"}, {"content": "Likes tea"},
    ]});
    let answer = import(&memory, &[&source(&memory, "m.json", &rows.to_string())]);
    assert_eq!((&answer["added"], answer["skipped"].as_array().unwrap().len()), (&json!(1), 2), "{answer}");
    assert!(memory.text("facts/chatgpt.md").unwrap().contains("added=2024-05-01"));
}

#[test]
fn what_is_left_out_of_metadata_and_texts_is_listed() {
    let memory = Memory::new();
    let text = r#"[{"memory":"a","metadata":{"note":"one\ntwo"}}]"#;
    let answer = import(&memory, &[&source(&memory, "mem0.json", text)]);
    assert!(reasons(&answer, "altered").contains("left out of its note"), "{answer}");
    let note = source(&memory, "notes/b.md", "\u{feff}# B\n\n- one\n");
    let answer = import(&memory, &[&folder_of(&note)]);
    assert!(reasons(&answer, "altered").contains("b.md: its byte order mark is left out"), "{answer}");
    let own = r#"{"path":"facts/nul.md","text":"one"}"#;
    import(&memory, &[&source(&memory, "own.jsonl", own)]);
    assert!(memory.text("facts/entity-nul.md").is_some(), "{:?}", memory.tree());
}

#[test]
fn an_export_leaves_nothing_out_silently() {
    let text = "# A\n\n> Summary: tabs, tea\n\n<!-- note -->\n\n- Tea\n- <!-- c --> Hidden\n\n## Empty\n\n### Below\n\n```\nmake\n```\n\n## Full\n\n- Tabs\n";
    let memory = Memory::new()
        .file("facts/a.md", text)
        .file("archive/facts/old.md", "# Old\n\n- x\n")
        .file("archive/facts/b.md", "# B\n\n- y\n");
    let told = |kind: &str, file: &[&str]| {
        let ran = memory.run(["export", "--to", kind].iter().chain(file)).exit(0);
        ran.stderr.lines().map(|line| line.replace("memdir: not exported: ", "")).collect::<Vec<_>>()
    };
    let archive = "archive/: 2 files, exported only if named";
    let (blocks, summary) = ("facts/a.md: 3 blocks of text that are no bullets", "facts/a.md: its summary line");
    let empty = "facts/a.md: the headings of 2 sections without bullets";
    for kind in ["json", "markdown"] {
        assert_eq!(told(kind, &[]), [archive], "{kind}");
        assert_eq!(told(kind, &["facts/a.md"]), [""; 0], "{kind}");
    }
    for kind in ["jsonl", "json-memory"] {
        assert_eq!(told(kind, &[]), [blocks, summary, empty, archive], "{kind}");
    }
    assert_eq!(told("server-memory", &[]), [blocks, summary, "facts/a.md: the headings of 3 sections", archive]);
    let comment = "facts/a.md: 1 comment or other HTML";
    let no_records = "facts/a.md: 1 block of text that are no records";
    assert_eq!(told("records", &[]), [summary, comment, "facts/a.md: the headings of 3 sections", no_records, archive]);
    assert_eq!(told("html", &[]), [comment, archive]);
    assert_eq!(told("claude-index", &[]), [""; 0]);
    memory.run(["export", "--to", "jsonl", "archive/facts/old.md"]).exit(0).stdout_contains("Old");
}

#[test]
fn two_files_of_one_title_are_exported_with_two_names() {
    let memory = Memory::new()
        .file("facts/ana.md", "# User\n\n- Ana likes tea\n")
        .file("facts/user.md", "# User\n\n- Bo hates tea\n");
    let told =
        "not exported: facts/user.md: its title alone, which another file has, too; it is named 'User (facts/user.md)'";
    for kind in ["server-memory", "json-memory"] {
        let exported = memory.run(["export", "--to", kind]).exit(0);
        exported.stderr_contains(told);
        let text = memory.run(["export", "--to", kind]).exit(0).stdout;
        for part in ["\"User\"", "\"User (facts/user.md)\"", "Ana likes tea", "Bo hates tea"] {
            assert!(text.contains(part), "{part} {text}");
        }
        let other = Memory::new();
        let answer = import(&other, &[&source(&other, "x.json", &text)]);
        assert_eq!((&answer["added"], &answer["skipped"]), (&json!(2), &json!([])), "{answer}");
        assert_eq!(other.run(["export", "--to", kind]).exit(0).stdout.lines().count(), text.lines().count());
        let first = other.text("facts/User.md").unwrap();
        assert!(first.contains("- Ana likes tea\n") && !first.contains("Bo"), "{first}");
    }
}

#[test]
fn an_export_counts_the_scopes_that_are_not_in_it() {
    let memory = Memory::new().file("facts/a.md", "# A\n\n- Tea\n");
    let told = "not exported: scopes/: 1 scope, each exported with -S NAME";
    assert!(!memory.done(["export", "--to", "json"]).stderr.contains("scopes/"));
    memory.done(["scope", "add", "team"]);
    for kind in ["json", "jsonl", "markdown", "html"] {
        memory.done(["export", "--to", kind]).stderr_contains(told);
    }
    assert!(!memory.done(["export", "--to", "json", "facts/a.md"]).stderr.contains("scopes/"));
    assert!(!memory.done(["-S", "team", "export", "--to", "json"]).stderr.contains("scopes/"));
    memory.policy("version: 1\nallowlists: {bot: [a]}\n");
}

#[test]
fn an_export_to_a_folder_says_that_it_is_none_to_replace() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Prefers tabs\n");
    let folder = memory.dir().parent().unwrap().join("out");
    fs_err::create_dir(&folder).unwrap();
    for more in [&[][..], &["-f"]] {
        let ran = memory.run(["export", "--to", "json", "-o", folder.to_str().unwrap()].iter().chain(more)).exit(2);
        assert!(ran.stderr.contains("out' is a folder") && ran.stderr.contains("name a file in it"), "{ran}");
        assert!(!ran.stderr.contains("-f replaces it"), "{ran}");
        assert_eq!(fs_err::read_dir(&folder).unwrap().count(), 0);
    }
}

#[test]
fn an_own_export_makes_no_second_bullet_with_an_id() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Likes tea\n  <!-- mem id=t1 -->\n");
    let export = memory.run(["export", "--to", "json"]).exit(0).stdout;
    let export = source(&memory, "e.json", &export);
    memory.done(["patch", "user", "--old", "Likes tea", "--new", "Likes green tea"]);
    let answer = import(&memory, &[&export]);
    assert_eq!(answer["changed"], false, "{answer}");
    assert!(reasons(&answer, "skipped").contains("a bullet with its id 't1' is there with another text"), "{answer}");
    memory.done(["check"]);
}
