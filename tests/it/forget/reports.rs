//! What `rm --forget` cannot remove, it names: files that are no memory files, names, words of derived lines.

use super::{SECRET, holders, memory};
use crate::support::memory::DataDirectory;

fn secret_line() -> String {
    format!("- {SECRET}")
}

/// Its words are in the line that is derived from the file's bullets, which the diff shows.
#[test]
fn the_summary_line_in_a_proposal_has_no_word_of_it() {
    for decision in [None, Some("--accept"), Some("--reject")] {
        let memory = DataDirectory::new(&[("memdir.yaml", "version: 2\nagents: {write: propose}\n")]);
        memory.done(&["add", "user#health", "Ana takes Zoloft daily"]);
        assert_eq!(memory.run(&["--as", "bot", "add", "user", "Likes tea"]).status, 5);
        assert!(!holders(&memory, "zoloft").is_empty(), "the derived line has the word");
        let output = memory.run(&["rm", "--forget", "user", "- Ana takes Zoloft daily"]);
        assert_eq!(output.status, 0, "{output:#?}");
        if let Some(decision) = decision {
            memory.done(&["inbox", decision]);
        }
        for word in ["zoloft", "Zoloft"] {
            assert_eq!(holders(&memory, word), [""; 0], "{decision:?} {output:#?}");
        }
        assert_eq!(memory.text("facts/user.md").contains("Likes tea"), decision == Some("--accept"));
    }
}

#[test]
fn nor_has_that_of_a_proposal_that_was_decided_before() {
    let memory = DataDirectory::new(&[("memdir.yaml", "version: 2\nagents: {write: propose}\n")]);
    let others: String = (0..9).map(|n| format!("- Likes number {n}\n")).collect();
    memory.write("facts/user.md", &format!("# User\n\n## Health\n\n- Ana takes Zoloft daily\n\n## Likes\n\n{others}"));
    memory.done(&["add", "user#likes", "Likes rain"]);
    assert_eq!(memory.run(&["--as", "bot", "add", "user#likes", "Likes tea"]).status, 5);
    memory.done(&["inbox", "--reject"]);
    memory.done(&["rm", "--forget", "user", "- Ana takes Zoloft daily"]);
    for word in ["zoloft", "Zoloft"] {
        assert_eq!(holders(&memory, word), [""; 0]);
    }
}

#[test]
fn copies_in_files_that_are_no_memory_files_are_named() {
    let memory = memory();
    memory.write("memdir.yaml", &format!("version: 1\n# {SECRET}\n"));
    for name in ["facts/user.md~", "facts/user.md.bak", "facts/.user.md.swp", "all.json", ".obsidian/workspace.json"] {
        std::fs::create_dir_all(memory.path(name).parent().unwrap()).unwrap();
        std::fs::write(memory.path(name), [b"\0\xff", SECRET.as_bytes(), b"\0"].concat()).unwrap();
    }
    let wide: Vec<u8> = SECRET.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(memory.path("wide.txt"), wide).unwrap();
    std::fs::write(memory.path("packed.zip"), b"PK\x03\x04rest").unwrap();
    std::fs::File::create(memory.path("large.bin")).unwrap().set_len(1 << 30).unwrap();
    std::fs::write(memory.path("harmless.txt"), "nothing here").unwrap();
    memory.done(&["scope", "add", "web"]);
    std::fs::write(memory.path("scopes/web/note.txt"), SECRET).unwrap();
    let output = memory.run(&["rm", "--forget", "user", &secret_line()]);
    for told in [
        "also in all.json, memdir.yaml, wide.txt, .obsidian/workspace.json, facts/.user.md.swp, facts/user.md.bak, \
         facts/user.md~, which memdir does not change",
        "is compressed or is too much: large.bin, packed.zip",
        "also in note.txt of the scope 'web', which memdir does not change",
    ] {
        assert!(output.status == 0 && output.stderr.contains(told), "{told}: {output:#?}");
    }
    assert!(!output.stderr.contains("harmless"), "{output:#?}");
    assert_eq!(holders(&memory, SECRET).len(), 7, "they stay as they are");
}

#[test]
fn a_text_is_found_as_exports_write_it() {
    for format in ["json", "html", "jsonl"] {
        let memory = DataDirectory::new(&[]);
        let text = "Says \"yes & no\" to Bob's <plan>";
        memory.done(&["add", "user", text]);
        let file = memory.path("facts/all.txt");
        let run = memory.run(&["export", "--to", format, "-o", file.to_str().unwrap()]);
        if run.status == 2 {
            continue;
        }
        assert_eq!(run.status, 0, "{run:#?}");
        let output = memory.run(&["rm", "--forget", "user@1", "-f"]);
        assert!(output.stderr.contains("also in facts/all.txt, which"), "{format}: {output:#?}");
    }
}

#[test]
fn a_name_that_stays_in_the_history_is_named() {
    let memory = DataDirectory::new(&[]);
    memory.done(&["add", "Ana Maria HIV", "x"]);
    let output = memory.run(&["rm", "--forget", "Ana Maria HIV", "-f"]);
    assert!(output.status == 0 && output.stderr.contains("keep the name facts/Ana Maria HIV.md"), "{output:#?}");
    let memory = DataDirectory::new(&[]);
    memory.done(&["--as", SECRET, "add", "user", SECRET]);
    let output = memory.run(&["rm", "--forget", "user", &secret_line()]);
    assert!(output.stderr.contains("the name of who made a change"), "{output:#?}");
}

/// What was archived is forgotten in the archive; what was purged from there is in the history only.
#[test]
fn an_archived_bullet_is_forgotten_where_it_is() {
    let memory = memory();
    memory.done(&["rm", "--archive", "user", &secret_line()]);
    let output = memory.run(&["rm", "--forget", "user", &secret_line()]);
    let suggested = "try: memdir rm --forget archive/facts/user.md@";
    assert!(output.status != 0 && output.stderr.contains(suggested), "{output:#?}");
    let output_of_rm = memory.run(&["rm", "user", &secret_line()]);
    assert!(output_of_rm.stderr.contains("try: memdir restore facts/user.md@"), "{output_of_rm:#?}");
    let purged = || {
        std::fs::remove_file(memory.path("archive/facts/user.md")).unwrap();
    };
    purged();
    let output = memory.run(&["rm", "user", &secret_line()]);
    assert!(output.stderr.contains("purged from archive/ since") && !output.stderr.contains("restore"), "{output:#?}");
    let output = memory.run(&["rm", "--forget", "user", &secret_line()]);
    assert!(output.status == 0 && output.stderr.contains("in the history only"), "{output:#?}");
    assert_eq!(holders(&memory, SECRET), [""; 0]);
}
