//! Exports of chat programs: a model that quotes a tool, an attachment or a program keeps nothing, and one that quotes
//! the assistant has the assistant's turn as evidence, never one of the user's.

use std::path::Path;

use fs_err as fs;
use memdir::transcript::{Role, read};

use super::script::{Script, add, ops};
use crate::support::Memory;

/// The texts of a kind's files that contain `Rome`, which the user did not write.
fn files(kind: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts").join(kind);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = files.filter(|path| path.extension().is_none_or(|x| x != "turns")).map(fs::read_to_string);
    texts.map(Result::unwrap).filter(|text| text.contains("Rome")).collect()
}

#[test]
fn what_the_user_did_not_write_is_never_evidence_of_the_user() {
    for kind in
        ["aider", "ai-studio", "claude-ai", "copilot", "cursor", "memory-request", "openai-responses", "sharegpt"]
    {
        let mut tried = 0;
        for text in files(kind) {
            let turns = read(text.as_bytes()).unwrap().swap_remove(0).turns;
            for turn in turns.iter().filter(|turn| turn.text.contains("Rome")) {
                assert!(turn.role != Role::User || turn.injected, "{kind}: {turn:?}");
                let line = turn.text.lines().find(|line| line.contains("Rome")).unwrap();
                let mut operation = add("facts/user.md", "Lives in Rome", line);
                operation["turn"] = turn.number.into();
                let memory = Memory::new();
                let answer = Script::of([ops(&[operation]), ops(&[]), ops(&[])]).reads(&memory, &text);
                if turn.role == Role::Assistant && !turn.injected {
                    let roles = answer.decisions.iter().filter_map(|decision| Some(turns[decision.turn? - 1].role));
                    assert!(roles.into_iter().all(|role| role == Role::Assistant), "{kind}: {:?}", answer.decisions);
                } else {
                    // Evidence from a tool alone waits for a person; what a program inserted is refused.
                    assert_eq!(answer.counts.kept, 0, "{kind}: {:?}", answer.decisions);
                    assert!(!turn.injected || answer.counts.proposed == 0, "{kind}: {:?}", answer.decisions);
                    assert_eq!(memory.text("facts/user.md"), None, "{kind}: {line:?}");
                }
                tried += 1;
            }
        }
        assert!(tried > 0, "{kind}");
    }
}
