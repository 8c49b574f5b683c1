//! `tool anthropic`: the vendor's memory tool over a memory. Its texts are those of the vendor's documentation; where the
//! vendor's own backends lose data or escape, this one does not.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Memory, memdir_command};

/// The reply to a request: its content, and whether it is an error.
fn ask(memory: &Memory, request: &Value) -> (String, bool) {
    let ran = memory.run(["tool", "anthropic"]).by("").stdin(request.to_string()).exit(0);
    let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
    (reply["content"].as_str().unwrap().to_owned(), reply["is_error"].as_bool().unwrap())
}

fn done(memory: &Memory, request: &Value) -> String {
    let (content, is_error) = ask(memory, request);
    assert!(!is_error, "{request} {content}");
    content
}

fn refused(memory: &Memory, request: &Value) -> String {
    let before = memory.text("facts/notes.txt.md");
    let (content, is_error) = ask(memory, request);
    assert!(is_error, "{request} {content}");
    assert_eq!(memory.text("facts/notes.txt.md"), before, "{request}");
    content
}

fn create(memory: &Memory, path: &str, text: &str) -> String {
    done(memory, &json!({"command": "create", "path": path, "file_text": text}))
}

fn view(memory: &Memory, path: &str) -> String {
    done(memory, &json!({"command": "view", "path": path}))
}

#[test]
fn a_file_lives_from_create_to_delete() {
    let memory = Memory::new();
    let head =
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";
    assert_eq!(view(&memory, "/memories"), format!("{head}\n0B\t/memories"));
    assert_eq!(
        create(&memory, "/memories/notes.txt", "Hello, World!"),
        "File created successfully at: /memories/notes.txt"
    );
    assert_eq!(memory.text("facts/notes.txt.md").as_deref(), Some("Hello, World!"));
    create(&memory, "/memories/deep/nested/file.txt", "one\ntwo\n");
    assert_eq!(
        view(&memory, "/memories/"),
        format!("{head}\n21B\t/memories\n8B\t/memories/deep/\n8B\t/memories/deep/nested/\n13B\t/memories/notes.txt")
    );
    let replace =
        json!({"command": "str_replace", "path": "/memories/notes.txt", "old_str": "Hello", "new_str": "Bye"});
    assert_eq!(
        done(&memory, &replace),
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tBye, World!"
    );
    let insert =
        json!({"command": "insert", "path": "/memories/notes.txt", "insert_line": 1, "insert_text": "Again\n"});
    assert_eq!(done(&memory, &insert), "The file /memories/notes.txt has been edited.");
    // Without `new_str` the text is removed.
    done(&memory, &json!({"command": "str_replace", "path": "/memories/notes.txt", "old_str": ", World"}));
    // The file has a summary now; the tool's lines are those that the agent wrote.
    assert_eq!(memory.text("facts/notes.txt.md").as_deref(), Some("> Summary: bye\n\nBye!\nAgain\n"));
    assert_eq!(
        view(&memory, "/memories/notes.txt"),
        "Here's the content of /memories/notes.txt with line numbers:\n     1\tBye!\n     2\tAgain\n     3\t"
    );
    let rename = json!({"command": "rename", "old_path": "/memories/deep", "new_path": "/memories/flat/er"});
    assert_eq!(done(&memory, &rename), "Successfully renamed /memories/deep to /memories/flat/er");
    assert_eq!(memory.text("facts/flat/er/nested/file.txt.md").as_deref(), Some("one\ntwo\n"));
    let delete = json!({"command": "delete", "path": "/memories/flat"});
    assert_eq!(done(&memory, &delete), "Successfully deleted /memories/flat");
    assert_eq!(memory.text("facts/flat/er/nested/file.txt.md"), None);
    // One revision for each request, by the caller that the tool is for, and undoable.
    let log = memory.done(["--json", "log"]).json();
    let entries = log["entries"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["actor"]), (7, &json!("claude")), "{log}");
    memory.done(["undo"]);
    assert_eq!(memory.text("facts/flat/er/nested/file.txt.md").as_deref(), Some("one\ntwo\n"));
}

#[test]
fn a_failure_is_reported_in_the_tools_words_and_changes_nothing() {
    let memory = Memory::new();
    create(&memory, "/memories/notes.txt", "a\nb\na\n");
    create(&memory, "/memories/dir/x.md", "x\n");
    let path = "/memories/notes.txt";
    for (request, content) in [
        (
            json!({"command": "view", "path": "/memories/none"}),
            "The path /memories/none does not exist. Please provide a valid path.",
        ),
        (
            json!({"command": "view", "path": "/memoriesEVIL/x.md"}),
            "Path must start with /memories, got: /memoriesEVIL/x.md",
        ),
        (json!({"command": "view", "path": "/memories/../x"}), "Path /memories/../x would escape /memories directory"),
        (json!({"command": "create", "path": path, "file_text": "x"}), "File /memories/notes.txt already exists"),
        (
            json!({"command": "create", "path": "/memories", "file_text": "x"}),
            "Cannot create the /memories directory itself",
        ),
        (
            json!({"command": "str_replace", "path": path, "old_str": "zz", "new_str": "x"}),
            "No replacement was performed, old_str `zz` did not appear verbatim in /memories/notes.txt.",
        ),
        (
            json!({"command": "str_replace", "path": path, "old_str": "a", "new_str": "x"}),
            "No replacement was performed. Multiple occurrences of old_str `a` in lines: 1, 3. Please ensure it is unique",
        ),
        (
            json!({"command": "str_replace", "path": "/memories/dir", "old_str": "a"}),
            "The path /memories/dir is not a file.",
        ),
        (
            json!({"command": "insert", "path": path, "insert_line": 4, "insert_text": "x"}),
            "Invalid `insert_line` parameter: 4. It should be within the range [0, 3].",
        ),
        (json!({"command": "delete", "path": "/memories/none"}), "The path /memories/none does not exist"),
        (json!({"command": "delete", "path": "/memories/"}), "Cannot delete the /memories directory itself"),
        (
            json!({"command": "rename", "old_path": "/memories/none", "new_path": "/memories/new/x.md"}),
            "The path /memories/none does not exist",
        ),
        (
            json!({"command": "rename", "old_path": path, "new_path": "/memories/dir/x.md"}),
            "The destination /memories/dir/x.md already exists",
        ),
        (
            json!({"command": "rename", "old_path": "/memories/dir", "new_path": "/memories/dir/in"}),
            "Cannot rename /memories/dir to /memories/dir/in, which is inside it",
        ),
    ] {
        assert_eq!(refused(&memory, &request), content, "{request}");
    }
    for request in [json!({"command": "explode"}), json!({"path": "/memories"}), json!([])] {
        assert!(refused(&memory, &request).starts_with("Invalid request: "));
    }
    for path in ["/memories/.hidden.md", "/memories/c#.md", "/memories/a\u{0}.md"] {
        refused(&memory, &json!({"command": "create", "path": path, "file_text": "x"}));
    }
    assert!(!memory.dir().join("facts/new").exists());
    assert_eq!(memory.done(["--json", "log"]).json()["entries"].as_array().unwrap().len(), 2);
}

#[test]
fn an_adopted_folder_keeps_its_files_where_they_are() {
    let memory = Memory::new();
    memory.put("projects/alpha.md", "# Alpha\n\n- Ships in May\n");
    memory.put("archive/facts/old.md", "- Old\n");
    assert!(view(&memory, "/memories").ends_with("\t/memories/projects/\n24B\t/memories/projects/alpha.md"));
    assert!(view(&memory, "/memories/archive").ends_with("/archive/facts/\n6B\t/memories/archive/facts/old.md"));
    create(&memory, "/memories/projects/beta.md", "- Beta\n");
    assert_eq!(memory.text("projects/beta.md").as_deref(), Some("- Beta\n"));
    // A name is exact: no file of another folder is found by it.
    refused(&memory, &json!({"command": "view", "path": "/memories/alpha.md"}));
    done(
        &memory,
        &json!({"command": "rename", "old_path": "/memories/projects/beta.md", "new_path": "/memories/beta.md"}),
    );
    assert_eq!(memory.text("facts/beta.md").as_deref(), Some("- Beta\n"));
    assert!(view(&memory, "/memories/facts").ends_with("/memories/facts/beta.md"));
}

#[test]
fn an_agent_needs_the_users_consent_here_too() {
    let memory = Memory::new();
    create(&memory, "/memories/user.md", "# User\n\n- Likes tea\n");
    let text = memory.text("facts/user.md");
    let insert = json!({"command": "insert", "path": "/memories/user.md", "insert_line": 3, "insert_text": "- Home address: 12 Elm Street"});
    let (content, is_error) = ask(&memory, &insert);
    assert!(is_error && content.starts_with("consent: "), "{content}");
    assert!(content.ends_with("hint: a person can accept the proposal with `memdir inbox`"), "{content}");
    assert_eq!(memory.text("facts/user.md"), text);
}

#[test]
fn a_summary_is_not_the_agents_text_and_stays() {
    let memory = Memory::new();
    memory.put("facts/user.md", "# User\n\n> Summary: what the user likes, in my words\n\n- Likes tea\n");
    let head = "Here's the content of /memories/user.md with line numbers:";
    assert_eq!(
        view(&memory, "/memories/user.md"),
        format!("{head}\n     1\t# User\n     2\t\n     3\t- Likes tea\n     4\t")
    );
    done(
        &memory,
        &json!({"command": "insert", "path": "/memories/user.md", "insert_line": 3, "insert_text": "- Hates rain"}),
    );
    done(
        &memory,
        &json!({"command": "str_replace", "path": "/memories/user.md", "old_str": "# User", "new_str": "# The user"}),
    );
    let now = "# The user\n\n> Summary: what the user likes, in my words\n\n- Likes tea\n- Hates rain\n";
    assert_eq!(memory.text("facts/user.md").as_deref(), Some(now));
}

#[test]
fn many_servers_at_once_lose_no_line() {
    let memory = Memory::new();
    create(&memory, "/memories/notes.txt", "start\n");
    std::thread::scope(|scope| {
        for server in 0..4 {
            let memory = &memory;
            scope.spawn(move || {
                let mut command = memdir_command(memory.dir().parent().unwrap());
                command.arg("--dir").arg(memory.dir()).args(["tool", "anthropic", "--serve"]);
                let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
                let (mut requests, mut replies) =
                    (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
                for n in 0..10 {
                    let request = json!({"command": "insert", "path": "/memories/notes.txt", "insert_line": 1,
                                         "insert_text": format!("line {n} of {server}")});
                    writeln!(requests, "{request}\n").unwrap();
                    let reply: Value = serde_json::from_str(&replies.next().unwrap().unwrap()).unwrap();
                    assert_eq!(reply["is_error"], false, "{reply}");
                }
                drop(requests);
                assert!(child.wait().unwrap().success());
            });
        }
    });
    let text = memory.text("facts/notes.txt.md").unwrap();
    assert_eq!(text.lines().count(), 41, "{text}");
    for (server, n) in (0..4).flat_map(|server| (0..10).map(move |n| (server, n))) {
        assert_eq!(text.matches(&format!("line {n} of {server}\n")).count(), 1);
    }
}

#[test]
fn an_edit_keeps_the_line_endings_and_the_end_of_a_file() {
    let memory = Memory::new();
    memory.put("facts/c.md", "# c\r\n\r\n- one\r\n- two");
    let without_summary = || {
        let text = memory.text("facts/c.md").unwrap();
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
        let lines: Vec<&str> = text.split("\r\n").filter(|line| !line.is_empty() && !line.starts_with("> ")).collect();
        (lines.join("|"), text.ends_with('\n'))
    };
    done(&memory, &json!({"command": "insert", "path": "/memories/c.md", "insert_line": 3, "insert_text": "- mid"}));
    assert_eq!(without_summary(), ("# c|- one|- mid|- two".to_owned(), false));
    let (old, new) = ("- one\n- mid", "- one\n- more\n- mid");
    done(&memory, &json!({"command": "str_replace", "path": "/memories/c.md", "old_str": old, "new_str": new}));
    assert_eq!(without_summary(), ("# c|- one|- more|- mid|- two".to_owned(), false));
}

#[test]
fn a_folder_whose_files_link_to_each_other_is_renamed() {
    let memory = Memory::new();
    let inside = "[b](b.txt.md), [[b.txt]] and [home](../home.txt.md)\n";
    create(&memory, "/memories/old/a.txt", inside);
    create(&memory, "/memories/old/b.txt", "[a](a.txt.md) and [itself](b.txt.md)\n");
    create(&memory, "/memories/home.txt", "[a](old/a.txt.md), [[facts/old/b.txt]]\n");
    let before = memory.text("facts/old/a.txt.md").unwrap();
    done(&memory, &json!({"command": "rename", "old_path": "/memories/old", "new_path": "/memories/new/deep"}));
    let text = |path: &str| memory.text(path).unwrap_or_else(|| panic!("{path} of {:?}", memory.tree().keys()));
    assert_eq!(text("facts/new/deep/a.txt.md"), before.replace("../home", "../../home"));
    assert!(text("facts/new/deep/b.txt.md").ends_with("[a](a.txt.md) and [itself](b.txt.md)\n"));
    assert!(text("facts/home.txt.md").ends_with("[a](new/deep/a.txt.md), [[facts/new/deep/b.txt]]\n"));
    let before = memory.tree();
    memory.done(["undo"]);
    memory.done(["redo"]);
    assert_eq!(memory.tree(), before);
}
