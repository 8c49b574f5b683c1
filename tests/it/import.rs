//! `import` and `export`: fixtures in the shapes of other programs, their way back, and sources that are refused.

mod losses;

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::Memory;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/imports").join(name).display().to_string()
}

fn import(memory: &Memory, source: &str) -> Value {
    memory.run(["--json", "import", source]).may_change().exit(0).json()
}

fn export(memory: &Memory, kind: &str) -> String {
    memory.run(["export", "--to", kind]).exit(0).stdout
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A source beside the memory.
fn source(memory: &Memory, name: &str, bytes: &[u8]) -> String {
    let path = memory.dir().parent().expect("a folder").join(name);
    fs_err::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs_err::write(&path, bytes).expect("written");
    path.display().to_string()
}

/// The rows of a list as `item: reason`.
fn rows(answer: &Value, list: &str) -> Vec<String> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    answer[list]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{}: {}", text(row, "item"), text(row, "reason")))
        .collect()
}

#[test]
fn every_fixture_is_recognised_and_imported_once() {
    for (name, kind, added) in [
        ("claude", "claude", 2),
        ("basic-memory", "basic-memory", 6),
        ("server-memory.jsonl", "server-memory", 11),
        ("resource_user_food_prefs.json", "json-memory", 3),
        ("mem0.json", "mem0", 3),
        ("letta-blocks.json", "letta", 2),
        ("letta-agent.af", "letta", 1),
        ("conversations.json", "chatgpt", 3),
        ("chatgpt-memories.txt", "chatgpt", 4),
    ] {
        let memory = Memory::new();
        memory.run(["import", &fixture(name), "-n"]).exit(0).unchanged();
        let first = import(&memory, &fixture(name));
        assert_eq!((&first["from"], &first["added"]), (&json!(kind), &json!(added)), "{name} {first}");
        let tree = memory.tree();
        let again = import(&memory, &fixture(name));
        assert_eq!((&again["changed"], &again["added"]), (&json!(false), &json!(0)), "{name} {again}");
        assert_eq!(memory.tree(), tree, "{name}");
        memory.run(["undo"]).may_change().exit(0);
        assert_eq!(memory.run(["list"]).exit(0).stdout, "", "one revision: {name}");
    }
}

#[test]
fn resources_of_every_kind_are_files_of_one_memory() {
    let memory = Memory::new();
    let resource = |kind: &str, content: &Value| {
        let about =
            json!({"resource_id": format!("resource_user_{kind}_prefs"), "tags": [kind], "last_updated": "2025-12-28"});
        json!({"_metadata": about, kind: content})
    };
    let item = |id: &str, text: &str| json!({"item": id, "display": text, "added": "2025-12-28", "expiry": null});
    let kinds = [
        ("food", json!({"likes": [item("sushi", "Sushi")], "dislikes": [item("olives", "Olives")]})),
        ("routine", json!({"weekdays": [item("gym", "Gym at seven")], "coffeeAfter": "09:00"})),
        ("health", json!([item("penicillin", "Allergic to penicillin")])),
        ("general", json!({"style": {"tone": [item("direct", "Direct answers")]}})),
    ];
    for (kind, content) in &kinds {
        let path = source(&memory, &format!("{kind}.json"), resource(kind, content).to_string().as_bytes());
        let answer = import(&memory, &path);
        assert_eq!(
            (&answer["from"], &answer["skipped"], &answer["altered"]),
            (&json!("json-memory"), &json!([]), &json!([]))
        );
    }
    for (kind, content) in &kinds {
        let own = memory.run(["export", "--to", "json-memory", kind]).exit(0).stdout;
        assert_eq!(serde_json::from_str::<Value>(&own).unwrap(), resource(kind, content), "{kind}");
    }
    let found = memory.run(["query", "penicillin"]).exit(0).stdout;
    assert!(found.contains("facts/health.md") && found.contains("Allergic to penicillin"), "{found}");
}

#[test]
fn a_graph_comes_back_as_it_was() {
    let memory = Memory::new();
    import(&memory, &fixture("server-memory.jsonl"));
    let text = fs_err::read_to_string(fixture("server-memory.jsonl")).unwrap();
    let sorted = |text: &str| {
        let mut lines: Vec<String> = json_lines(text).iter().map(Value::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&export(&memory, "server-memory")), sorted(&text));
}

#[test]
fn a_resource_comes_back_as_it_was() {
    let memory = Memory::new();
    let answer = import(&memory, &fixture("resource_user_food_prefs.json"));
    assert_eq!(rows(&answer, "skipped"), [""; 0]);
    let text = memory.text("facts/food.md").unwrap();
    assert!(
        text.contains("## likes\n\n- Pasta (especially carbonara)\n  <!-- mem id=pasta_carbonara added=2025-12-28 -->"),
        "{text}"
    );
    assert!(text.contains("exp=2026-12-31"), "{text}");
    let was: Value =
        serde_json::from_str(&fs_err::read_to_string(fixture("resource_user_food_prefs.json")).unwrap()).unwrap();
    let is: Value = serde_json::from_str(&export(&memory, "json-memory")).unwrap();
    assert_eq!(is, was);
}

#[test]
fn sections_of_a_resource_that_become_one_are_listed() {
    let resource = json!({"_metadata": {}, "sec": {"one": ["A"], "One": ["B"], "a-b": ["C"], "A b": ["D"], "": ["E"]}});
    let memory = Memory::new();
    let answer = import(&memory, &source(&memory, "r.json", resource.to_string().as_bytes()));
    let altered = rows(&answer, "altered");
    for name in ["One", "A b"] {
        let row = format!("sec.{name}: its items are kept in the section of a name that differs only in");
        assert!(altered.iter().any(|altered| altered.starts_with(&row)), "{altered:?}");
    }
    assert!(altered.iter().any(|altered| altered.starts_with("sec.: its name is empty")), "{altered:?}");
    let text = memory.text("facts/sec.md").unwrap();
    assert!(["A", "B", "C", "D", "E"].iter().all(|item| text.contains(&format!("- {item}\n"))), "{text}");
}

#[test]
fn numbers_booleans_and_lists_of_a_resource_keep_their_types() {
    let resource = json!({
        "_metadata": {"resource_id": "r", "tags": ["x"], "last_updated": "2025-12-28", "version": 3, "open": false},
        "routine": {
            "rules": {"max": 4, "quiet": true, "coffeeAfter": "09:00", "release": "1.10", "share": 0.5},
            "list": [{"item": "ab", "display": "A", "confidence": 0.8, "importance": 7, "durability": "long",
                "seen": 2, "parts": ["x", 1], "added": null, "expiry": null}],
        },
    });
    let memory = Memory::new();
    let answer = import(&memory, &source(&memory, "r.json", resource.to_string().as_bytes()));
    assert_eq!((&answer["skipped"], &answer["altered"]), (&json!([]), &json!([])), "{answer}");
    assert_eq!(serde_json::from_str::<Value>(&export(&memory, "json-memory")).unwrap(), resource);
    // What comes back otherwise is listed.
    let other = json!({"_metadata": {}, "routine": {"Name": "Ana", "max": "4", "list": [
        {"item": 5, "display": "A", "confidence": "0.8", "pin": true}, 7,
    ]}});
    let memory = Memory::new();
    let answer = import(&memory, &source(&memory, "o.json", other.to_string().as_bytes()));
    let mut altered = rows(&answer, "altered");
    altered.sort();
    assert_eq!(
        altered,
        [
            "routine.Name: its name and value are kept as the text of an item",
            "routine.list[0]: its confidence, a text, is exported as a number",
            "routine.list[0]: its item, a number, is exported as a text",
            "routine.list[0]: its pin is kept as x-pin",
            "routine.list[1]: its value, a number, is exported as a text",
            "routine.max: its max, a text, is exported as a number",
        ]
    );
}

#[test]
fn the_expiry_date_of_a_resource_is_an_expiry() {
    let memory = Memory::new();
    let resource = json!({"_metadata": {"resource_id": "r"}, "style": {"likes": [
        {"item": "short", "display": "Short answers", "expiry_date": "2020-12-31"},
        {"item": "long", "display": "Long answers", "expiry": "2020-12-31"},
    ]}});
    let answer = import(&memory, &source(&memory, "r.json", resource.to_string().as_bytes()));
    assert_eq!(rows(&answer, "altered"), ["style.likes[0]: its expiry_date is kept as expiry"]);
    let text = memory.text("facts/style.md").unwrap();
    assert_eq!(text.matches("exp=2020-12-31").count(), 2, "{text}");
    memory.run(["query", "answers"]).exit(0).stderr_contains("no matches");
    let insert = |item: Value| json!({"operation": "insert", "path": "style.likes", "new_value": item}).to_string();
    memory
        .run(["apply"])
        .stdin(insert(json!({"item": "blunt", "display": "Blunt", "expiry_date": "2027-01-01"})))
        .may_change()
        .exit(0)
        .diff("M facts/style.md\n+- Blunt\n+  <!-- mem exp=2027-01-01 -->\n");
    let delete = json!({"operation": "delete", "path": "style.likes[2].expiry_date", "current_value": "2027-01-01"});
    memory.run(["apply"]).stdin(delete.to_string()).may_change().exit(0);
    let exported: Value = serde_json::from_str(&export(&memory, "json-memory")).unwrap();
    let likes = exported["style"]["likes"].as_array().unwrap();
    assert_eq!([&likes[0]["expiry"], &likes[2]["expiry"]], [&json!("2020-12-31"), &Value::Null], "{exported}");
}

#[test]
fn a_label_and_a_section_of_one_name_are_both_exported() {
    let memory = Memory::new().file(
        "facts/style.md",
        "# style\n\n- tone: direct\n- Plain\n\n## tone\n\n- formal in letters\n\n## items\n\n- keeps lists\n",
    );
    let text = export(&memory, "json-memory");
    for part in ["tone: direct", "Plain", "formal in letters", "keeps lists"] {
        assert!(text.contains(&format!("\"{part}\"")), "{part} {text}");
    }
    let other = Memory::new();
    import(&other, &source(&other, "x.json", text.as_bytes()));
    let is_derived = |line: &&str| line.starts_with("> Summary");
    let text = other.text("facts/style.md").unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !is_derived(line)).collect();
    let was = memory.text("facts/style.md").unwrap();
    assert_eq!(lines, was.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>());
}

#[test]
fn a_file_that_cannot_be_exported_is_named() {
    let memory = Memory::new();
    memory.put("facts/a.md", "- one\n");
    memory.put("facts/b.md", b"- \xff\n");
    let exported = memory.run(["--json", "export", "--to", "json"]).ends();
    assert_eq!(exported.status, 8, "{exported}");
    let answer = exported.json();
    assert_eq!((&answer["items"], &answer["unread"]), (&json!(1), &json!(true)));
    assert_eq!(rows(&answer, "skipped"), ["facts/b.md: it is not UTF-8 text"]);
}

#[test]
fn notes_keep_their_text_and_the_index_is_made_anew() {
    let memory = Memory::new();
    let answer = import(&memory, &fixture("claude"));
    assert!(rows(&answer, "skipped")[0].starts_with("MEMORY.md: it is the index"), "{answer}");
    let was = fs_err::read_to_string(fixture("claude/user_role.md")).unwrap();
    assert_eq!(memory.run(["export", "--to", "markdown", "user_role"]).exit(0).stdout, was);
    assert_eq!(
        export(&memory, "claude-index"),
        "- [Testing policy](facts/feedback_testing.md) — Integration tests must hit a real database, not mocks\n\
         - [User role](facts/user_role.md) — Data scientist, new to this repository\n"
    );
    let notes = Memory::new();
    import(&notes, &fixture("basic-memory"));
    let text = notes.text("facts/notes/coffee-brewing.md").unwrap();
    for line in fs_err::read_to_string(fixture("basic-memory/notes/coffee-brewing.md")).unwrap().lines() {
        assert!(text.contains(line), "{line}");
    }
}

#[test]
fn ids_and_dates_are_kept() {
    let memory = Memory::new();
    let answer = import(&memory, &fixture("mem0.json"));
    let text = memory.text("facts/alex.md").unwrap();
    for part in [
        "## food",
        "id=892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
        "added=2024-07-20T01:30:36.275141-07:00",
        "upd=2024-08-02",
        "oid=40",
        "exp=2027-01-31",
        "source=onboarding",
        "categories=food,health",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(memory.text("facts/release-bot.md").is_some());
    assert_eq!(rows(&answer, "altered"), ["memory 892db2ae-06d9-49e5-8b3e-585ef9b85b8e: its 'hash' is not kept"]);
    let talk = Memory::new();
    let answer = import(&talk, &fixture("conversations.json"));
    assert!(rows(&answer, "skipped")[0].contains("'Dinner ideas'"), "{answer}");
    let text = talk.text("facts/chatgpt.md").unwrap();
    assert!(text.contains("- Prefers metric units.\n  <!-- mem added=2024-04-02 -->"), "{text}");
    assert!(text.contains("- Is vegan.\n  <!-- mem added=2024-05-01T08:00:05Z -->"), "{text}");
}

#[test]
fn an_export_as_json_is_the_same_memory_byte_for_byte() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n> Summary: name, editor, work\n\n- Name: Ana\n  <!-- mem imp=7 x=\"a b\" -->\n- Editor: vim\n\n## Work\n\nSome prose.\n\n- Work: nurse\n  - nested\n")
        .file("episodes/2026-02.md", "# 2026-02 Episodes\n\n> Summary: logger fix\n\n## Logger fix\n- Date: 2026-02-24\n- Lesson: flush\n")
        .file("procedures/release.md", "# Release\r\n\r\n- Tag it\r\n");
    let exported = export(&memory, "json");
    let other = Memory::new();
    import(&other, &source(&other, "all.json", exported.as_bytes()));
    for path in ["facts/user.md", "episodes/2026-02.md", "procedures/release.md"] {
        assert_eq!(other.text(path), memory.text(path), "{path}");
    }
    assert_eq!(export(&other, "json"), exported);
    let lines = export(&memory, "jsonl");
    let third = Memory::new();
    import(&third, &source(&third, "all.jsonl", lines.as_bytes()));
    assert_eq!(json_lines(&export(&third, "jsonl")), json_lines(&lines));
    let mut records: Value = serde_json::from_str(&export(&memory, "records")).unwrap();
    for row in records["memories"].as_array_mut().unwrap() {
        let id = row["id"].as_str().unwrap();
        memory.run(["read", id]).exit(0);
        row["id"] = id.split_inclusive('@').next().into();
    }
    assert_eq!(
        records,
        json!({"memories": [
            {"id": "episodes/2026-02.md#logger-fix", "content": "Logger fix\n- Date: 2026-02-24\n- Lesson: flush",
             "createdAt": "2026-02-24T00:00:00Z", "updatedAt": "2026-02-24T00:00:00Z"},
            {"id": "facts/user.md@", "content": "Name: Ana", "createdAt": null, "updatedAt": null},
            {"id": "facts/user.md@", "content": "Editor: vim", "createdAt": null, "updatedAt": null},
            {"id": "facts/user.md#work", "content": "Some prose.", "createdAt": null, "updatedAt": null},
            {"id": "facts/user.md@", "content": "Work: nurse", "createdAt": null, "updatedAt": null},
            {"id": "facts/user.md@", "content": "nested", "createdAt": null, "updatedAt": null},
        ]})
    );
}

#[test]
fn a_file_that_exists_only_gets_what_it_lacks() {
    let memory = Memory::new().file("facts/alex.md", "# alex\n\nMine.\n\n## food\n\n- Likes soup\n");
    import(&memory, &fixture("mem0.json"));
    let text = memory.text("facts/alex.md").unwrap();
    assert!(text.contains("Mine.") && text.contains("- Likes soup\n- Is a vegetarian"), "{text}");
    memory.run(["update", "alex@892db2ae-06d9-49e5-8b3e-585ef9b85b8e", "Eats no nuts", "-f"]).may_change().exit(0);
    assert_eq!(import(&memory, &fixture("mem0.json"))["added"], 0, "an id that is known, whatever its text is now");
    let note = Memory::new().file("facts/user_role.md", "# Mine\n\n- One\n");
    let answer = import(&note, &fixture("claude"));
    assert!(note.text("facts/user_role.md").unwrap().starts_with("# Mine\n"), "{answer}");
    assert!(
        rows(&answer, "skipped").iter().any(|row| row.contains("the file exists; this text is not added")),
        "{answer}"
    );
}

#[test]
fn hostile_names_end_in_safe_ones_and_are_reported() {
    let memory = Memory::new();
    let long = "n".repeat(300);
    let names = [
        "../../etc/passwd",
        "CON",
        "a\u{7}b\u{202e}c",
        &long,
        "Bob",
        "bob",
        "",
        ".hidden",
        "a\\b:c",
        "relations",
        "x\ny",
    ];
    let lines: String = names
        .iter()
        .map(|name| {
            json!({"type": "entity", "name": name, "entityType": "t", "observations": [format!("of {name:?}")]})
                .to_string()
                + "\n"
        })
        .collect();
    let path = source(&memory, "names.jsonl", lines.as_bytes());
    let answer = import(&memory, &path);
    assert_eq!(answer["added"], names.len(), "{answer}");
    let altered = rows(&answer, "altered");
    for name in names.iter().filter(|name| **name != "Bob") {
        assert!(
            altered.iter().any(|row| row.starts_with(&format!("{name}: written as facts/"))),
            "{name:?} {altered:?}"
        );
    }
    memory.run(["check"]).exit(0);
    assert_eq!(import(&memory, &path)["added"], 0);
    let back = json_lines(&export(&memory, "server-memory"));
    for name in names {
        assert!(back.iter().any(|row| row["name"] == name), "{name:?}");
    }
}

#[test]
fn a_note_keeps_a_name_that_a_file_can_have_and_links_lead_to_it() {
    let memory = Memory::new();
    let folder = memory.dir().parent().unwrap().join("notes");
    fs_err::create_dir_all(folder.join("Ünï – dash")).unwrap();
    let names = ["notes 🎉", "a’b", "Ünï – dash/C++ & co (1)"];
    let links: String = names.iter().take(2).map(|name| format!("- see [[{name}]]\n")).collect();
    fs_err::write(folder.join("b.md"), links).unwrap();
    for name in names {
        fs_err::write(folder.join(format!("{name}.md")), "- one\n").unwrap();
    }
    fs_err::write(folder.join("what?.md"), "- two\n").unwrap();
    let folder = folder.to_str().unwrap();
    let answer = import(&memory, folder);
    assert_eq!(rows(&answer, "altered"), ["what?: written as facts/what.md"]);
    for name in names {
        assert_eq!(memory.text(&format!("facts/{name}.md")).as_deref(), Some("- one\n"), "{name}");
    }
    let checked = memory.run(["check"]).ends();
    assert!(!checked.stdout.contains("dangling_link"), "{checked}");
    assert_eq!(import(&memory, folder)["added"], 0);
}

#[test]
fn what_is_dropped_or_altered_has_a_line() {
    let memory = Memory::new();
    let lines = concat!(
        r#"{"type":"entity","name":"A","entityType":"t","observations":["ok","ok","",7,{"x":1},"a\n===\nb","nul\u0000l"]}"#,
        "\nnot json\n",
        r#"{"type":"other"}"#,
        "\n",
        r#"{"type":"relation","from":"Nobody","to":"A","relationType":"knows"}"#,
        "\n"
    );
    let answer = import(&memory, &source(&memory, "m.jsonl", lines.as_bytes()));
    let (skipped, altered) = (rows(&answer, "skipped"), rows(&answer, "altered"));
    for part in [
        "m.jsonl line 2: it is not a JSON object",
        "m.jsonl line 3: it is no entity and no relation",
        "m.jsonl line 1, observation 2: another item there has the same text",
        "m.jsonl line 1, observation 3: it has no text",
        "m.jsonl line 1, observation 5: it is not text",
    ] {
        assert!(skipped.contains(&part.to_owned()), "{part} {skipped:?}");
    }
    for part in
        ["observation 4: a value that is not text", "observation 6: its lines are joined", "observation 7: control"]
    {
        assert!(altered.iter().any(|row| row.contains(part)), "{part} {altered:?}");
    }
    assert!(memory.text("facts/relations.md").unwrap().contains("- [[Nobody]] knows [[A]]"));
}

#[test]
fn an_unknown_or_doubtful_kind_names_the_candidates() {
    let memory = Memory::new();
    for (name, text) in [("a.json", "{\"a\":1}"), ("a.bin", "x"), ("b.jsonl", "nonsense\n")] {
        let error = memory.run(["--json", "import", &source(&memory, name, text.as_bytes())]).exit(2).error();
        assert_eq!(error["code"], "usage");
        assert!(error["hint"].as_str().unwrap().contains("server-memory, json-memory"), "{error}");
    }
    let folder = source(&memory, "both/x.md", b"# X\n\n- a\n");
    source(&memory, "both/mem0.json", fs_err::read(fixture("mem0.json")).unwrap().as_slice());
    let folder = PathBuf::from(folder).parent().unwrap().display().to_string();
    let error = memory.run(["--json", "import", &folder]).exit(2).unchanged().error();
    assert_eq!(error["hint"], "name one with --from: mem0, markdown");
    memory.run(["import", &folder, "--from", "markdown", "--in", "facts/notes"]).may_change().exit(0);
    assert!(memory.text("facts/notes/x.md").is_some());
    for folder_name in ["../out", "archive", "inbox/x", ".memdir"] {
        memory.run(["import", &folder, "--from", "markdown", "--in", folder_name]).exit(5);
    }
    memory.run(["import", &memory.dir().display().to_string()]).exit(2);
    memory.run(["import", "nowhere.json"]).exit(3);
}

/// A zip archive with stored entries: name, content, the mode of the system (0 for none), and the size that it states.
fn archive(entries: &[(&str, &[u8], u32, Option<u32>)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content, mode, size) in entries {
        let (offset, crc) = (out.len() as u32, crc32(content));
        let stored = content.len() as u32;
        let size = size.unwrap_or(stored);
        let common = |into: &mut Vec<u8>| {
            into.write_all(&[0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
            for number in [crc, stored, size] {
                into.write_all(&number.to_le_bytes()).unwrap();
            }
            into.write_all(&(name.len() as u16).to_le_bytes()).unwrap();
            into.write_all(&[0, 0]).unwrap();
        };
        out.extend(b"PK\x03\x04\x14\x00");
        common(&mut out);
        out.extend(name.as_bytes());
        out.extend(*content);
        directory.extend(b"PK\x01\x02\x14\x03\x14\x00");
        common(&mut directory);
        directory.extend([0, 0, 0, 0, 0, 0]);
        directory.extend((mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, length, count) = (out.len() as u32, directory.len() as u32, entries.len() as u16);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    for number in [count, count] {
        out.extend(number.to_le_bytes());
    }
    for number in [length, start] {
        out.extend(number.to_le_bytes());
    }
    out.extend([0, 0]);
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

#[test]
fn a_hostile_archive_is_refused_whole() {
    let memory = Memory::new();
    let good: (&str, &[u8], u32, Option<u32>) = ("notes/a.md", b"# A\n\n- one\n", 0o100_644, None);
    let note: &[u8] = b"# B\n\n- two\n";
    for (name, bad) in [
        ("dots", vec![("../b.md", note, 0, None)]),
        ("inner dots", vec![("a/../../b.md", note, 0, None)]),
        ("absolute", vec![("/etc/b.md", note, 0, None)]),
        ("drive", vec![("C:b.md", note, 0, None)]),
        ("backslash", vec![("..\\b.md", note, 0, None)]),
        ("link", vec![("b.md", b"/etc/passwd" as &[u8], 0o120_777, None)]),
        ("device", vec![("b.md", note, 0o020_644, None)]),
        ("twice", vec![("b.md", note, 0, None), ("b.md", b"# C\n", 0, None)]),
        ("twice but for case", vec![("b.md", note, 0, None), ("B.md", b"# C\n", 0, None)]),
        ("bomb", vec![("b.md", note, 0, Some(2_000_000_000))]),
        ("size", vec![("b.md", note, 0, Some(5))]),
    ] {
        let entries: Vec<_> = std::iter::once(good).chain(bad).collect();
        let path = source(&memory, "bad.zip", &archive(&entries));
        let error = memory.run(["--json", "import", &path]).exit(5).error();
        assert!(["unsafe_file", "too_large"].contains(&error["code"].as_str().unwrap()), "{name} {error}");
    }
    // What unpacks to as much is refused before it is unpacked.
    let path = source(&memory, "small.zip", &archive(&[good, ("b.md", note, 0, Some(20_000_000))]));
    memory.run(["import", &path]).exit(5).stderr_contains("unpack to more than 200 times its size");
    let path = source(&memory, "good.zip", &archive(&[good, ("notes/p.png", b"x", 0, None)]));
    let answer = import(&memory, &path);
    assert_eq!(rows(&answer, "skipped"), ["notes/p.png: it is no text of a known kind"]);
    assert!(memory.text("facts/notes/a.md").is_some());
}

#[test]
fn an_export_to_a_file_is_private_and_replaces_nothing_unasked() {
    use std::os::unix::fs::PermissionsExt;
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Prefers tabs\n");
    let out = memory.dir().parent().unwrap().join("out.json");
    let path = out.display().to_string();
    memory.run(["export", "--to", "json", "-o", &path]).exit(0).stdout("");
    assert_eq!(fs_err::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
    let first = fs_err::read_to_string(&out).unwrap();
    assert_eq!(first, export(&memory, "json"));
    let error = memory.run(["--json", "export", "--to", "jsonl", "-o", &path]).exit(4).error();
    assert_eq!(error["code"], "exists");
    assert_eq!(fs_err::read_to_string(&out).unwrap(), first);
    memory.run(["export", "--to", "jsonl", "-o", &path, "-f"]).exit(0);
    assert_ne!(fs_err::read_to_string(&out).unwrap(), first);
    memory.run(["export", "--to", "json", "user@1"]).exit(2);
    memory.run(["export", "--to", "json", "-o", "-"]).exit(0).stdout(&first).unchanged();
}

#[test]
fn an_entity_keeps_a_name_that_a_file_can_have() {
    let memory = Memory::new();
    let line = |name: &str| json!({"type": "entity", "name": name, "entityType": "x", "observations": ["One"]});
    let text = [line("ünï 🎉"), line("It’s – a=b"), line("C#")].map(|line| format!("{line}\n")).concat();
    let answer = import(&memory, &source(&memory, "m.jsonl", text.as_bytes()));
    assert_eq!(rows(&answer, "altered"), ["C#: written as facts/C.md"], "{answer}");
    assert!(memory.text("facts/ünï 🎉.md").is_some() && memory.text("facts/It’s – a=b.md").is_some());
    // A file that has the plainer name already is that of the entity.
    let earlier = Memory::new().file("facts/ünï.md", "---\ntype: x\n---\n# ünï 🎉\n\n- One\n");
    let answer = import(&earlier, &source(&earlier, "m.jsonl", format!("{}\n", line("ünï 🎉")).as_bytes()));
    assert_eq!(answer["added"], json!(0), "{answer}");
}

#[test]
fn entities_of_one_name_are_one_file_with_every_type() {
    let memory = Memory::new();
    let lines = concat!(
        r#"{"type":"entity","name":"Jaguar","entityType":"animal","observations":["Runs fast"],"source":"zoo"}"#,
        "\n",
        r#"{"type":"entity","name":"Jaguar","entityType":"car","observations":["Is British"],"source":"garage"}"#,
        "\n",
        r#"{"type":"entity","name":"Jaguar","entityType":"animal","observations":["Swims"]}"#,
        "\n",
    );
    let path = source(&memory, "m.jsonl", lines.as_bytes());
    let answer = import(&memory, &path);
    let text = memory.text("facts/Jaguar.md").unwrap();
    assert!(text.contains("type: animal\n") && text.contains("type-2: car\n"), "{text}");
    assert!(text.contains("source: zoo\n") && text.contains("source-2: garage\n"), "{text}");
    assert!(text.contains("- Runs fast\n- Is British\n- Swims\n"), "{text}");
    let altered = rows(&answer, "altered");
    let note = "m.jsonl line 2: an entity of this name has another entityType; it is kept as type-2";
    assert!(altered.contains(&note.to_owned()), "{altered:?}");
    assert!(
        altered
            .contains(&"m.jsonl line 2: an entity of this name has another source; it is kept as source-2".to_owned()),
        "{altered:?}"
    );
    assert_eq!(altered.len(), 2, "{altered:?}");
    assert_eq!(memory.text("facts/Jaguar.md").unwrap().matches("type").count(), 2);
    memory.run(["import", &path]).exit(0).unchanged();
}

#[test]
fn an_agent_imports_nothing_sensitive_without_consent() {
    let memory = Memory::new();
    let lines = r#"{"type":"entity","name":"Ana","entityType":"person","observations":["Lives in Austin"]}"#;
    let path = source(&memory, "m.jsonl", lines.as_bytes());
    let ran = memory.run(["--json", "import", &path]).by("planner").may_change().exit(5);
    assert_eq!(ran.error()["code"], "consent");
    assert!(memory.text("facts/Ana.md").is_none());
}

#[test]
fn an_export_tells_what_it_has_no_place_for() {
    let memory = Memory::new()
        .file(
            "facts/food.md",
            "---\ntags: [home]\ntype: list\n---\n# Food\n\n## Likes\n\n- Soup\n  <!-- mem id=m1 imp=8 added=2025-01-02 -->\n- Tea\n",
        )
        .file("facts/prose.md", "# Prose\n\nNo bullet.\n");
    let told = |kind: &str| {
        let ran = memory.run(["export", "--to", kind]).exit(0);
        ran.stderr.lines().map(|line| line.replace("memdir: not exported: ", "")).collect::<Vec<_>>()
    };
    let (block, no_bullets) =
        ("facts/prose.md: a block of text that is no bullet", "facts/prose.md: it has no bullets");
    assert_eq!(told("json"), [""; 0]);
    assert_eq!(told("jsonl"), ["facts/food.md: of its front matter: tags, type", block, no_bullets]);
    assert_eq!(told("json-memory"), ["facts/food.md: of its front matter: tags, type", block, no_bullets]);
    assert_eq!(
        told("server-memory"),
        [
            "facts/food.md: the metadata of 1 bullet",
            "facts/food.md: of its front matter: tags",
            "facts/food.md: the heading of a section",
            block
        ]
    );
    assert_eq!(
        told("records"),
        [
            "facts/food.md: the metadata of 1 bullet",
            "facts/food.md: of its front matter: tags, type",
            "facts/food.md: the heading of a section"
        ]
    );
}

#[test]
fn what_was_exported_for_another_program_is_recognised_again() {
    let memory = Memory::new()
        .file("facts/food.md", "# Food\n\n## Likes\n\n- Soup\n  <!-- mem id=m1 added=2025-01-02 -->\n- Tea\n");
    let other = Memory::new();
    let resource = source(&other, "resource.json", export(&memory, "json-memory").as_bytes());
    assert_eq!(import(&other, &resource)["from"], "json-memory");
    let text = other.text("facts/Food.md").unwrap();
    assert!(text.contains("## Likes\n\n- Soup\n  <!-- mem id=m1 added=2025-01-02 -->\n- Tea\n"), "{text}");
    let other = Memory::new();
    let records = source(&other, "records.json", export(&memory, "records").as_bytes());
    let answer = import(&other, &records);
    assert_eq!(answer["from"], "memdir");
    // Its id says nothing of its file.
    assert_eq!(rows(&answer, "altered"), ["records.json record 1: it does not name its file"], "{answer}");
    let text = other.text("facts/records.md").unwrap();
    assert!(text.contains("- Soup\n  <!-- mem id=m1 added=2025-01-02"), "{text}");
    assert!(other.text("facts/food.md").unwrap().contains("- Tea\n"));
}

#[test]
fn records_return_to_their_files_and_entries() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n- Name: Ana\n\n## Work\n\nSome prose.\n")
        .file("episodes/2026-02.md", "# 2026-02 Episodes\n\n## Logger fix\n- Date: 2026-02-24\n- Lesson: flush\n\n## Likes green\n- Date: 2026-02-20\n- Summary: Likes green tea\n");
    let other = Memory::new();
    let answer = import(&other, &source(&other, "records.json", export(&memory, "records").as_bytes()));
    assert_eq!((&answer["from"], &answer["skipped"]), (&json!("memdir"), &json!([])), "{answer}");
    let text = other.text("facts/user.md").unwrap();
    assert!(text.contains("- Name: Ana\n") && text.contains("- Some prose.\n"), "{text}");
    let text = other.text("episodes/2026-02.md").unwrap();
    assert!(text.contains("## Logger fix\n\n- Date: 2026-02-24\n- Lesson: flush\n"), "{text}");
    assert!(text.contains("## Likes green\n\n- Date: 2026-02-20\n- Summary: Likes green tea\n"), "{text}");
    // Ids of their own say nothing of the kind: the fields do.
    for (fields, from) in [(r#""createdAt":null,"updatedAt":null"#, "memdir"), (r#""updated_at":null"#, "chatgpt")] {
        let list = format!(r#"{{"memories":[{{"id":"u1","content":"Tea",{fields}}}]}}"#);
        assert_eq!(import(&other, &source(&other, "list.json", list.as_bytes()))["from"], from);
    }
}

#[test]
fn a_file_whose_name_no_new_file_can_have_gets_what_it_lacks() {
    let vault = Memory::new().file("Ideas/#hash.md", "# Hash\n\n- Old\n");
    let exported = export(&vault, "json");
    let file = source(&vault, "v.json", exported.as_bytes());
    let tree = vault.tree();
    vault.run(["import", &file]).exit(0).stderr_contains("0 added, 1 already there");
    assert_eq!(vault.tree(), tree);
    let more = source(&vault, "w.json", exported.replace("- Old", "- Old\\n- New").as_bytes());
    vault.run(["import", &more]).may_change().exit(0).diff("M Ideas/#hash.md\n+- New\n");
}

#[test]
fn an_export_of_an_adopted_folder_returns_to_its_paths_and_can_be_imported_again() {
    let daily = "# 2026-02-20\n\n> Summary: log\n\n## Log\n\n- Paid the rent\n";
    let vault = Memory::new().file("Daily/note.md", "# note\n\n- Likes tea\n").file("Daily/2026-02-20.md", daily);
    let vault = vault.file("Home.md", "# Home\n\n- Door is green\n");
    // Only json has the summary line.
    let body = |text: Option<String>| text.map(|text| text.replace("> Summary: log\n\n", ""));
    for kind in ["json", "jsonl", "records"] {
        let other = Memory::new();
        let file = source(&other, &format!("v.{kind}.json"), export(&vault, kind).as_bytes());
        import(&other, &file);
        for path in ["Daily/note.md", "Daily/2026-02-20.md", "Home.md"] {
            assert_eq!(body(other.text(path)), body(vault.text(path)), "{kind} {path}");
        }
        let again = other
            .run(["import", &file])
            .exit(0)
            .stderr_contains("memdir: 0 added, 3 already there, 0 skipped, 0 altered\n");
        assert_eq!((again.stdout.as_str(), again.stderr.contains("memdir: memdir")), ("", false), "{kind}");
        other.run(["import", &file, "--in", "notes"]).may_change().exit(0);
        for path in ["Daily/note.md", "Daily/2026-02-20.md", "Home.md"] {
            assert_eq!(body(other.text(&format!("notes/{path}"))), body(vault.text(path)), "{kind} {path}");
        }
        let refused = other.run(["import", &file, "--in", "."]).exit(5);
        assert!(refused.stderr.starts_with("memdir: invalid_path: files cannot be imported into '.'"), "{refused}");
    }
}
