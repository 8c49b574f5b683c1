//! Tests of the readers with texts of any kind: what is read is in the file that is made of it, or has a remark.

use proptest::prelude::*;
use serde_json::json;

use super::compose::compose;
use super::*;
use crate::document::{Document, bullet_to_text};

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
