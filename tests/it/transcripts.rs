//! Conversations as programs leave them: each fixture reads as its kind with its turns, none as another, and nothing
//! that is done to one makes the reader panic.
//!
//! `fixtures/transcripts/KIND/NAME` holds the file, `NAME.turns` what is read from it. `MEMDIR_BLESS=1` writes the
//! latter; read what changed before you keep it.

use std::path::{Path, PathBuf};

use fs_err as fs;
use memdir::transcript::{Conversation, Role, TranscriptError, TranscriptFormat, Turn, read};
use proptest::prelude::*;

const KINDS: [TranscriptFormat; 16] = [
    TranscriptFormat::ClaudeAi,
    TranscriptFormat::ShareGpt,
    TranscriptFormat::Copilot,
    TranscriptFormat::OpenAiResponses,
    TranscriptFormat::AiStudio,
    TranscriptFormat::MemoryRequest,
    TranscriptFormat::Aider,
    TranscriptFormat::Cursor,
    TranscriptFormat::ClaudeCode,
    TranscriptFormat::Codex,
    TranscriptFormat::GeminiJson,
    TranscriptFormat::GeminiLines,
    TranscriptFormat::OpenAi,
    TranscriptFormat::ChatGpt,
    TranscriptFormat::Markdown,
    TranscriptFormat::Plain,
];

/// Folder, path and bytes of every fixture.
fn fixtures() -> Vec<(String, PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts");
    let walk = walkdir::WalkDir::new(root).min_depth(2).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = walk.filter(|e| e.file_type().is_file() && e.path().extension().is_none_or(|x| x != "turns"));
    files
        .map(|e| {
            let folder = e.path().parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
            (folder, e.path().to_owned(), fs::read(e.path()).unwrap())
        })
        .collect()
}

/// What was read, as text: a line for each conversation, one for each turn.
fn summary_of(result: &Result<Vec<Conversation>, TranscriptError>) -> String {
    let conversations = match result {
        Ok(conversations) => conversations,
        Err(error) => return format!("unreadable: {error}\n"),
    };
    let mut all = String::new();
    for c in conversations {
        let named =
            |name: &str, value: &Option<String>| value.as_ref().map_or(String::new(), |v| format!(" {name}={v:?}"));
        let skipped = if c.skipped > 0 { format!(" skipped={}", c.skipped) } else { String::new() };
        all += &format!("{}{}{}{skipped}\n", c.kind.name(), named("id", &c.id), named("title", &c.title));
        for turn in &c.turns {
            let at = turn.at.as_deref().unwrap_or("-");
            let injected = if turn.injected { " injected" } else { "" };
            all += &format!("{:>3} {}{injected} {at} {:?}\n", turn.number, turn.role.name(), turn.text);
        }
    }
    all
}

#[test]
fn every_fixture_reads_as_its_kind_with_its_turns() {
    let bless = std::env::var_os("MEMDIR_BLESS").is_some();
    let mut stale = Vec::new();
    for (_, path, bytes) in fixtures() {
        let beside = path.with_file_name(format!("{}.turns", path.file_name().unwrap().to_string_lossy()));
        let summary_of = summary_of(&read(&bytes));
        if bless {
            fs::write(&beside, &summary_of).unwrap();
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if expected != summary_of {
            stale.push(format!("{}\n--- expected\n{expected}--- read\n{summary_of}", path.display()));
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn none_is_misread_as_another_kind() {
    for (folder, path, bytes) in fixtures() {
        match read(&bytes) {
            Ok(all) => {
                assert!(all.iter().all(|c| c.kind.name() == folder), "{} as {}", path.display(), all[0].kind.name())
            }
            Err(error) => assert_eq!(folder, "unreadable", "{}: {error}", path.display()),
        }
    }
    for kind in KINDS {
        let count = fixtures().iter().filter(|(folder, ..)| folder == kind.name()).count();
        assert!(count >= 5, "{}: {count} fixtures", kind.name());
    }
}

#[test]
fn turns_are_numbered_and_none_is_empty() {
    for (_, path, bytes) in fixtures() {
        for conversation in read(&bytes).unwrap_or_default() {
            let numbers: Vec<usize> = conversation.turns.iter().map(|turn| turn.number).collect();
            assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>(), "{}", path.display());
            assert!(!numbers.is_empty() && conversation.turns.iter().all(|turn| !turn.text.trim().is_empty()));
            for turn in &conversation.turns {
                let is_local = |at: &str| {
                    conversation.kind == TranscriptFormat::Aider && at.parse::<jiff::civil::DateTime>().is_ok()
                };
                let is_time = |at: &String| at.parse::<jiff::Timestamp>().is_ok() || is_local(at);
                assert!(turn.at.as_ref().is_none_or(is_time), "{turn:?}");
            }
        }
    }
}

#[test]
fn a_file_may_end_anywhere() {
    for (_, _, bytes) in fixtures() {
        for end in (0..bytes.len()).step_by(7) {
            let _ = read(&bytes[..end]);
        }
    }
}

/// Kinds whose fixtures contain `Rome` only in what the user did not write: answers, tool output, attachments, drafts, and
/// messages that were edited away.
const EXPORTS: [TranscriptFormat; 8] = [
    TranscriptFormat::ClaudeAi,
    TranscriptFormat::ShareGpt,
    TranscriptFormat::Copilot,
    TranscriptFormat::OpenAiResponses,
    TranscriptFormat::AiStudio,
    TranscriptFormat::MemoryRequest,
    TranscriptFormat::Aider,
    TranscriptFormat::Cursor,
];

fn exports() -> Vec<(PathBuf, Vec<u8>)> {
    let of_export = |folder: &str| EXPORTS.iter().any(|kind| kind.name() == folder);
    fixtures().into_iter().filter(|(folder, ..)| of_export(folder)).map(|(_, path, bytes)| (path, bytes)).collect()
}

/// The lines that count as typed by the user.
fn typed_lines(bytes: &[u8]) -> Vec<String> {
    let own = |turn: &&memdir::transcript::Turn| turn.role == memdir::transcript::Role::User && !turn.injected;
    let turns = read(bytes).unwrap_or_default().into_iter().flat_map(|c| c.turns).collect::<Vec<_>>();
    turns.iter().filter(own).flat_map(|turn| turn.text.lines().map(|line| line.trim().to_owned())).collect()
}

/// The lines of a damaged file that are not the user's, not even as the beginning of a line that was cut off.
fn foreign_lines(bytes: &[u8], own: &[String]) -> Vec<String> {
    // A character may have been cut in the middle.
    let is_own = |line: &str| own.iter().any(|whole| whole.starts_with(line.trim_end_matches('\u{FFFD}')));
    let has_words = |line: &str| line.contains(char::is_alphanumeric);
    typed_lines(bytes).into_iter().filter(|line| has_words(line) && !is_own(line)).collect()
}

#[test]
fn what_the_user_did_not_write_is_not_theirs() {
    for (path, bytes) in exports() {
        let typed = typed_lines(&bytes);
        assert!(!typed.is_empty() && !typed.iter().any(|line| line.contains("Rome")), "{}: {typed:?}", path.display());
    }
}

/// A file that is cut off has fewer messages, never other ones.
#[test]
fn a_truncated_export_gives_the_user_no_other_words() {
    let is_tail = |path: &Path| path.file_stem().is_some_and(|name| name == "tail");
    for (path, bytes) in exports().into_iter().filter(|(path, _)| !is_tail(path)) {
        let own = typed_lines(&bytes);
        // The first line of a text is needed to recognise it.
        let known = |kind: &str| path.to_string_lossy().contains(kind);
        let first = if known("/aider/") {
            60
        } else if known("/cursor/") {
            180
        } else {
            0
        };
        // What was taken back is the user's until the line that takes it back.
        let is_rewound = path.file_stem().is_some_and(|name| ["rewound", "session-log"].iter().any(|n| name == *n));
        for end in (first..bytes.len()).step_by(3).filter(|_| !is_rewound) {
            let foreign = foreign_lines(&bytes[..end], &own);
            assert!(foreign.is_empty(), "{} up to {end}: {foreign:?}", path.display());
        }
        // The end of a JSON file that was cut off at its beginning, at any byte.
        let is_json = path.extension().is_some_and(|x| x == "json");
        for start in (0..bytes.len()).step_by(3).filter(|_| is_json) {
            let foreign = foreign_lines(&bytes[start..], &own);
            assert!(foreign.is_empty(), "{} from {start}: {foreign:?}", path.display());
        }
    }
}

#[test]
fn two_exports_in_one_file_give_the_user_no_other_words() {
    let files = exports();
    for (first, one) in &files {
        for (second, other) in &files {
            let own = [typed_lines(one), typed_lines(other)].concat();
            let foreign = foreign_lines(&[&one[..], b"\n", &other[..]].concat(), &own);
            assert!(foreign.is_empty(), "{} + {}: {foreign:?}", first.display(), second.display());
        }
    }
}

#[test]
fn an_export_in_another_encoding_gives_the_user_no_other_words() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (path, bytes) in exports() {
        let text = String::from_utf8(bytes).unwrap();
        let marked = [&[0xFF, 0xFE][..], &utf16(&text)].concat();
        assert_eq!(read(&marked), read(text.as_bytes()), "{}", path.display());
        assert!(typed_lines(&utf16(&text)).is_empty(), "{}", path.display());
        // As Latin-1, and UTF-8 that was taken for Latin-1 and encoded again.
        let narrow: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        let twice: String = text.bytes().map(char::from).collect();
        for other in [narrow, twice.into_bytes()] {
            let typed = typed_lines(&other);
            assert_eq!(typed.len(), typed_lines(text.as_bytes()).len(), "{}", path.display());
            assert!(!typed.iter().any(|line| line.contains("Rome")), "{}: {typed:?}", path.display());
        }
    }
}

/// A log that is cut off within its last line loses that line and nothing else.
#[test]
fn a_truncated_last_line_is_counted_and_loses_nothing_else() {
    let lines = fixtures().into_iter().filter(|(folder, path, _)| {
        path.extension().is_some_and(|x| x == "jsonl")
            && ["claude-code", "codex", "gemini-lines"].contains(&folder.as_str())
    });
    let mut seen = 0;
    for (_, path, bytes) in lines {
        let Ok(whole) = read(&bytes) else { continue };
        if !bytes.ends_with(b"}\n") {
            continue;
        }
        let again = [&bytes[..], b"{\"type\":\"user\",\"mess"].concat();
        let again = read(&again).unwrap();
        assert_eq!(again[0].turns, whole[0].turns, "{}", path.display());
        assert_eq!(again[0].skipped, whole[0].skipped + 1, "{}", path.display());
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn deep_nesting_is_refused_or_skipped_and_never_overflows() {
    for deep in ["[".repeat(200_000), "{\"a\":".repeat(200_000), "{\"messages\":[".repeat(100_000)] {
        assert!(matches!(read(deep.as_bytes()), Err(TranscriptError::InvalidJson { .. })), "{:?}", &deep[..20]);
    }
    let parts = format!("{}\"x\"{}", "[".repeat(100_000), "]".repeat(100_000));
    let document = format!("{{\"messages\":[{{\"role\":\"user\",\"content\":{parts}}}]}}");
    assert!(matches!(read(document.as_bytes()), Err(TranscriptError::InvalidJson { .. })));
    let good = "{\"type\":\"user\",\"uuid\":\"1\",\"message\":{\"role\":\"user\",\"content\":\"hello\"}}";
    let deep = format!("{{\"type\":\"user\",\"uuid\":\"2\",\"message\":{{\"role\":\"user\",\"content\":{parts}}}}}");
    let aside = format!(
        "{{\"type\":\"user\",\"uuid\":\"3\",\"x\":{parts},\"message\":{{\"role\":\"user\",\"content\":\"bye\"}}}}"
    );
    let read = read(format!("{good}\n{deep}\n{aside}\n").as_bytes()).unwrap();
    assert_eq!((read[0].turns.len(), read[0].skipped), (2, 1));
}

/// Work grows with the file, not with its square: eight times the lines take well under thirty times as long. Hostile
/// shapes of each part that looks further than its line.
#[test]
fn work_is_linear_in_the_size() {
    let claude = |n: usize| -> String {
        (0..n)
            .map(|i| {
                format!(
                    "{{\"type\":\"assistant\",\"uuid\":\"{i}\",\"message\":{{\"id\":\"m{}\",\"role\":\"assistant\",\"content\":\
                     [{{\"type\":\"text\",\"text\":\"<system-reminder> {i}\"}}]}}}}\n",
                    i / 2
                )
            })
            .collect()
    };
    let gemini = |n: usize| -> String {
        (0..n).map(|i| format!("{{\"id\":\"{i}\",\"type\":\"user\",\"content\":\"a\"}}\n")).collect()
    };
    let codex = |n: usize| -> String {
        (0..n)
            .map(|i| {
                format!("{{\"type\":\"event_msg\",\"payload\":{{\"type\":\"user_message\",\"message\":\"{i}\"}}}}\n")
            })
            .collect()
    };
    let text = |n: usize| -> String { "User: a\n```\n<system-reminder> </skill> (memories for app: x)\n".repeat(n) };
    let aider = |n: usize| -> String {
        let start = "# aider chat started at 2026-02-24 10:00:00\n\n";
        format!("{start}{}", "#### a  \n\n```x\n> b  \n\n\n```\n[{\n".repeat(n))
    };
    let cursor = |n: usize| "---\n\n**User**\n\n```a\n[\n\n---\n\n**Cursor**\n\n# b\n".repeat(n);
    let copilot = |n: usize| -> String {
        let change = "{\"kind\":2,\"k\":[\"requests\"],\"v\":[{\"message\":\"a\",\"response\":[]}]}\n";
        format!("{{\"kind\":0,\"v\":{{\"requests\":[]}}}}\n{}", change.repeat(n))
    };
    let shapes: [&dyn Fn(usize) -> String; 7] = [&claude, &gemini, &codex, &text, &aider, &cursor, &copilot];
    for (shape, make) in shapes.iter().enumerate() {
        let turns = |n: usize| read(make(n).as_bytes()).unwrap()[0].turns.len();
        let time = |n: usize| {
            let started = std::time::Instant::now();
            assert!(turns(n) > 0);
            started.elapsed()
        };
        // The best of up to three: a machine that is busy with something else only ever adds.
        let small = (0..3).map(|_| time(1_000)).min().unwrap();
        let limit = small * 30 + std::time::Duration::from_millis(50);
        assert!((0..3).any(|_| time(8_000) < limit), "shape {shape}: {small:?} for 1,000, over {limit:?} for 8,000");
    }
}

/// The footer of a session looks like the time above a heading.
#[test]
fn a_heading_below_the_footer_of_a_session_is_no_turn_of_the_user() {
    let session = "# 🤖 Copilot CLI Session\n\n---\n\n<sub>⏱️ 0s</sub>\n\n### 👤 User\n\nI live in Oslo.\n\n\
                   <sub>⏱️ 2s</sub>\n\n### 💬 Copilot\n\nNoted.\n\n---\n\n<sub>Generated by GitHub Copilot CLI</sub>\n\n";
    for heading in ["### 👤 User", "### 💬 Copilot", "### ✅ `view`", "### Task Complete"] {
        let conversations = read(format!("{session}{heading}\n\nI live in Bergen.\n").as_bytes()).unwrap();
        let of_user: Vec<&Turn> = conversations[0].turns.iter().filter(|turn| turn.role == Role::User).collect();
        assert!(matches!(&of_user[..], [turn] if turn.text == "I live in Oslo."), "{heading}: {of_user:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Bytes overwritten, cut out, doubled: the result is a conversation or an error.
    #[test]
    fn damage_never_panics(which in any::<prop::sample::Index>(), damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 1..8)) {
        let fixtures = fixtures();
        let mut bytes = which.get(&fixtures).2.clone();
        for (place, byte, how) in damage {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => { bytes.drain(at..(at + usize::from(byte)).min(bytes.len())); }
                _ => { let tail = bytes[at..].to_vec(); bytes.extend(tail); }
            }
        }
        match read(&bytes) {
            Ok(all) => prop_assert!(all.iter().all(|c| !c.turns.is_empty())),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

/// JavaScript cuts texts between the halves of an emoji, and hosts write such a half as an escape.
#[test]
fn half_a_character_loses_no_turn() {
    let turn = r#"{"role":"user","content":"I live in Oslo \ud83d now"}"#;
    let claude = r#"{"type":"user","message":{"role":"user","content":"I live in Oslo \ud83d now"},"sessionId":"a","timestamp":"2026-02-24T10:00:00Z","uuid":"u1"}"#;
    let answer = r#"{"role":"assistant","content":"ok \ud83d\ude00"}"#;
    for text in [format!("{turn}\n{answer}\n"), format!("{{\"messages\":[{turn},{answer}]}}"), format!("{claude}\n")] {
        let conversations = read(text.as_bytes()).unwrap();
        assert_eq!(conversations[0].turns[0].text, "I live in Oslo \u{fffd} now", "{text}");
        if let Some(second) = conversations[0].turns.get(1) {
            assert_eq!(second.text, "ok \u{1f600}");
        }
    }
    // What is no JSON has no escapes.
    let plain = read(b"I wrote \\ud83d in my notes today.\n").unwrap();
    assert!(plain[0].turns[0].text.contains("\\ud83d"), "{plain:?}");
}
