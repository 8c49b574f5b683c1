//! Tests of the readers with texts of any kind: what is read is in the file that is made of it, or has a remark.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::compose::compose;
use super::target_path::target_paths;
use super::*;
use crate::document::{Document, bullet_to_text};
use crate::path::MemoryPath;

fn files(name: &str, text: &str) -> Vec<SourceFile> {
    vec![SourceFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() }]
}

/// All bullets of the files that are made of a source, and all remarks.
fn imported(files: &[SourceFile]) -> (Vec<String>, Vec<ImportRemark>) {
    let read = ImportKind::detect(files).expect("a known kind").read(files);
    let (mut bullets, mut remarks) = (Vec::new(), read.remarks);
    for note in &read.notes {
        let composed = compose(note, None).expect("a text");
        let document = Document::parse(composed.text.clone().unwrap_or_default());
        let top = (0..document.bullets().len()).filter(|at| document.bullets()[*at].depth == 0);
        bullets.extend(top.map(|at| bullet_to_text(&document, at)));
        remarks.extend(composed.remarks);
        let again = compose(note, Some(document)).expect("a text");
        assert_eq!((again.added, again.text), (0, None), "a second import adds nothing");
    }
    (bullets, remarks)
}

#[test]
fn the_second_reader_of_a_kind_is_not_asked() {
    for (name, text, kind) in [
        ("x.json", "[{\"id\":\"1\",\"memory\":\"a\"}]", ImportKind::Mem0),
        ("x.json", "{\"results\":[{\"memory\":\"a\"}]}", ImportKind::Mem0),
        ("x.json", "{\"label\":\"human\",\"value\":\"a\"}", ImportKind::Letta),
        ("x.json", "{\"entities\":[],\"relations\":[]}", ImportKind::ServerMemory),
        ("x.json", "{\"memories\":[{\"content\":\"a\"}]}", ImportKind::ChatGpt),
        (
            "x.json",
            "{\"memories\":[{\"id\":\"1\",\"content\":\"a\",\"updated_at\":\"2026-01-01T00:00:00Z\"}]}",
            ImportKind::ChatGpt,
        ),
        ("x.json", "[{\"id\":\"1\",\"content\":\"a\",\"createdAt\":null,\"updatedAt\":null}]", ImportKind::ChatGpt),
        (
            "x.json",
            "{\"memories\":[{\"id\":\"1\",\"content\":\"a\",\"createdAt\":null,\"updatedAt\":null}]}",
            ImportKind::Memdir,
        ),
        ("x.json", "{\"memdir\":1,\"files\":[]}", ImportKind::Memdir),
        ("x.json", "{\"Food\":{\"Likes\":[{\"item\":\"a\",\"display\":\"A\"}]}}", ImportKind::JsonMemory),
        ("x.md", "a", ImportKind::Markdown),
        ("x.txt", "a", ImportKind::ChatGpt),
    ] {
        assert_eq!(ImportKind::detect(&files(name, text)), Ok(kind), "{text}");
    }
}

#[test]
fn a_text_file_beside_markdown_is_no_list_of_memories() {
    let kind_of = |sources: &[(&str, &str)]| {
        let file =
            |(name, text): &(&str, &str)| SourceFile { name: (*name).to_owned(), bytes: text.as_bytes().to_vec() };
        ImportKind::detect(&sources.iter().map(file).collect::<Vec<_>>()).map_err(|e| e.hint.unwrap_or_default())
    };
    let (note, text, talk) = ("# Journal\n\nAt the zoo.\n", "milk\n", "[{\"content\":\"a\"}]");
    assert_eq!(kind_of(&[("LICENSE.txt", text), ("work/j.md", note)]), Ok(ImportKind::Markdown));
    assert_eq!(kind_of(&[("MEMORY.md", note), ("todo.txt", text)]), Ok(ImportKind::Claude));
    assert_eq!(kind_of(&[("a.txt", text), ("b.txt", text)]), Ok(ImportKind::ChatGpt));
    assert_eq!(kind_of(&[("a.txt", ""), ("b.txt", text)]), Ok(ImportKind::ChatGpt));
    assert_eq!(
        kind_of(&[("memories.json", talk), ("j.md", note)]),
        Err("name one with --from: chatgpt, markdown".to_owned())
    );
    assert!(kind_of(&[("a.txt", " \n")]).is_err());
}

#[test]
fn the_list_of_chatgpts_settings_keeps_its_times() {
    let list = r#"{"memories":[{"id":"m-1","content":"Is vegan.","created_timestamp":1780000000.5,
        "updated_at":"2026-09-30T12:00:00.000Z","conversation_id":null,"gizmo_id":null}],"memory_max_tokens":9}"#;
    let files = files("memories.json", list);
    assert_eq!(ImportKind::detect(&files), Ok(ImportKind::ChatGpt));
    let read = ImportKind::ChatGpt.read(&files);
    let NoteContent::Bullets { bullets, .. } = &read.notes[0].content else { panic!("no bullets") };
    let meta: Vec<String> = bullets[0].meta.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(meta, ["id=m-1", "added=2026-05-28T20:26:40Z", "upd=2026-09-30T12:00:00.000Z"]);
}

/// What an import makes of a memory: the number of bullets added, and its remarks.
fn import_into(memory: &mut BTreeMap<MemoryPath, String>, files: &[SourceFile]) -> (usize, Vec<ImportRemark>) {
    let read = ImportKind::detect(files).expect("a known kind").read(files);
    let present: Vec<MemoryPath> = memory.keys().cloned().collect();
    let document = |path: &MemoryPath| memory.get(path).map(|text| Document::parse(text.as_str()));
    let paths = target_paths(&read.notes, "facts", &present, &document);
    let (mut added, mut remarks) = (0, read.remarks);
    for (note, (path, _)) in read.notes.iter().zip(paths) {
        let composed = compose(note, memory.get(&path).map(|text| Document::parse(text.as_str()))).expect("a text");
        added += composed.added;
        remarks.extend(composed.remarks);
        memory.extend(composed.text.map(|text| (path, text)));
    }
    (added, remarks)
}

/// Graphs, memories of mem0 and blocks of Letta with the same names and texts.
fn sources(records: &[(&str, usize)]) -> [Vec<SourceFile>; 3] {
    let text = |number: usize| format!("fact {number}");
    let entity = |(name, number): &(&str, usize)| {
        json!({"type": "entity", "name": name, "entityType": "t", "observations": [text(*number)]}).to_string() + "\n"
    };
    let row =
        |(name, number): &(&str, usize)| json!({"id": format!("x{number}"), "memory": text(*number), "user_id": name});
    let block = |(name, number): &(&str, usize)| json!({"label": name, "value": format!("- {}\n", text(*number))});
    let rows = |row: &dyn Fn(&(&str, usize)) -> Value| records.iter().map(row).collect::<Vec<_>>();
    [
        files("g.jsonl", &records.iter().map(entity).collect::<String>()),
        files("m.json", &json!({"results": rows(&row)}).to_string()),
        files("l.json", &json!({"blocks": rows(&block)}).to_string()),
    ]
}

/// Names of which several lead to one name of a file.
const NAMES: [&str; 16] =
    ["C", "C#", "C?", "c", "ana", "Ana", "ANA", "ana-2", "C-2", "a/b", "a/B", "A/b", " C", "CON", "relations", "x\ny"];

#[test]
fn an_import_finds_a_file_by_its_title() {
    let mut memory = BTreeMap::new();
    for record in [("C#", 1), ("C", 2), ("C?", 3)] {
        assert_eq!(import_into(&mut memory, &sources(&[record])[0]).0, 1, "{record:?}");
    }
    assert_eq!(memory.len(), 3, "{memory:?}");
    // A file that a person wrote: by its title, or by its name.
    let path = MemoryPath::new("facts/user.md").unwrap();
    for name in ["User", "user"] {
        let mut memory = BTreeMap::from([(path.clone(), "# User\n\n- Tea\n".to_owned())]);
        import_into(&mut memory, &sources(&[(name, 1)])[0]);
        assert_eq!(memory.into_values().collect::<Vec<_>>(), ["# User\n\n- Tea\n- fact 1\n"], "{name}");
    }
}

#[test]
fn a_known_id_with_another_text_is_listed() {
    let mut memory = BTreeMap::new();
    let source = |text: &str| files("m.json", &json!([{"id": "k1", "memory": text, "user_id": "u"}]).to_string());
    assert_eq!(import_into(&mut memory, &source("Lives in Rome")), (1, Vec::new()));
    assert_eq!(import_into(&mut memory, &source("Lives in Rome")), (0, Vec::new()));
    let (added, remarks) = import_into(&mut memory, &source("Lives in Paris"));
    assert_eq!((added, remarks.len()), (0, 1));
    assert_eq!(remarks[0].item, "memory k1");
    assert_eq!(remarks[0].reason, "a bullet with its id 'k1' is there with another text, and keeps that");
    assert!(remarks[0].is_skipped);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]
    #[test]
    fn the_order_of_a_source_changes_nothing(
        names in proptest::collection::vec(proptest::sample::select(&NAMES[..]), 1..9),
        cut in 0usize..9,
        order in Just((0usize..9).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let records: Vec<(&str, usize)> = names.iter().enumerate().map(|(number, name)| (*name, number)).collect();
        let again: Vec<(&str, usize)> = order.iter().filter_map(|at| records.get(*at).copied()).collect();
        // Labels of blocks that occur twice tell nothing of the file, once it was changed.
        let is_distinct = names.iter().collect::<std::collections::HashSet<_>>().len() == names.len();
        let (first, rest) = records.split_at(cut.min(records.len()));
        for kind in 0..if is_distinct { 3 } else { 2 } {
            let mut memory = BTreeMap::new();
            let mut added = 0;
            for part in [first, rest].into_iter().filter(|part| !part.is_empty()) {
                added += import_into(&mut memory, &sources(part)[kind]).0;
            }
            prop_assert_eq!(added, records.len(), "{:?}", memory);
            for (name, number) in &records {
                let fact = format!("fact {number}\n");
                let text: Vec<&String> = memory.values().filter(|text| text.contains(&fact)).collect();
                prop_assert_eq!(text.len(), 1, "{:?}", memory);
                // All facts of a file are of one name.
                let mut others = records.iter().filter(|(other, _)| other != name);
                prop_assert!(!others.any(|(_, other)| text[0].contains(&format!("fact {other}\n"))), "{:?}", memory);
            }
            let was = memory.clone();
            prop_assert_eq!(import_into(&mut memory, &sources(&again)[kind]).0, 0, "{:?} {:?}", &was, &again);
            prop_assert_eq!(&memory, &was);
        }
    }
}

#[test]
fn a_note_of_memdir_moves_below_a_folder_unless_it_is_set_aside() {
    let moved = |name: &str, is_own_path| {
        let mut note = ImportedNote { name: name.to_owned(), is_own_path, content: NoteContent::Text(String::new()) };
        note.move_below("notes");
        note.name
    };
    assert_eq!(moved("facts/user", true), "notes/user");
    assert_eq!(moved("Daily/note", true), "notes/Daily/note");
    for name in ["notes/user", "archive/facts/user", "inbox/p123456"] {
        assert_eq!(moved(name, true), name);
    }
    assert_eq!(moved("Daily/note", false), "Daily/note");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
    #[test]
    fn no_text_is_lost(
        texts in proptest::collection::vec(
            r#"([-+*#>`~<\[\]:.\\"'|=_ a1é茶🙂\n\t]|<!-- mem x=1 -->|\n\n|\[\[B\]\]|---|> Summary: x){0,8}"#, 0..8),
        name in r#"([-./\\:#*"<>|?%$ aB1é\u{7}\n]|CON|\.\./){0,12}"#,
    ) {
        let entity = json!({"type": "entity", "name": name, "entityType": "t", "observations": texts});
        let rows: Vec<_> = texts.iter().map(|text| json!({"memory": text, "user_id": name})).collect();
        for (source, item) in [
            (files("m.jsonl", &entity.to_string()), "m.jsonl line 1, observation"),
            (files("m.json", &json!({"results": rows}).to_string()), "m.json memory"),
        ] {
            if rows.is_empty() {
                continue;
            }
            let (bullets, remarks) = imported(&source);
            let plain = |text: &str| text.replace('\\', "").split_whitespace().collect::<Vec<_>>().join(" ");
            let bullets: Vec<String> = bullets.iter().map(|text| plain(text)).collect();
            for (at, text) in texts.iter().enumerate() {
                let is_told = remarks.iter().any(|r| r.is_skipped && r.item.ends_with(&format!("{item} {}", at + 1)));
                prop_assert!(is_told || bullets.contains(&plain(text)), "{:?} {:?} {:?}", text, bullets, remarks);
            }
        }
    }
}
