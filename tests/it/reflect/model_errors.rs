//! Whatever goes wrong with the model, the memory holds whole chunks or nothing.

use memdir::code::Code;
use memdir::llm::replay::{text_reply, tool_call_reply};
use memdir::llm::{ErrorKind, LlmError, ModelReply, StopReason};
use memdir::reflect::prompt::ReplyMode;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::script::{Script, add, object, ops};
use crate::support::{Memory, handle};

const EVERY: [ErrorKind; 11] = [
    ErrorKind::Unreachable,
    ErrorKind::Timeout,
    ErrorKind::Unauthorized,
    ErrorKind::QuotaExceeded,
    ErrorKind::Busy,
    ErrorKind::Rejected,
    ErrorKind::NoTools,
    ErrorKind::TooLarge,
    ErrorKind::Malformed,
    ErrorKind::ProgramFailed,
    ErrorKind::Interrupted,
];

#[test]
fn an_error_in_the_first_chunk_changes_nothing_and_is_reported_by_its_code() {
    for what in EVERY {
        let memory = Memory::new().file("facts/user.md", "# User\n\n- Editor: vim\n");
        let before = memory.tree();
        let script = Script::of([Err(LlmError::new(what, "no")), Err(LlmError::new(what, "no"))]);
        let failure = script.tries(&memory, "User: I'm Zhang San.\n").unwrap_err();
        assert!([Code::Model, Code::ModelRefused].contains(&failure.rejections[0].code), "{what:?}");
        assert_eq!(failure.rejections[0].changed, Some(false));
        assert_eq!(memory.tree(), before, "{what:?}");
        // Nothing was marked as read: the next run reads it.
        let again = Script::of([ops(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")])]);
        assert_eq!(again.reads(&memory, "User: I'm Zhang San.\n").counts.kept, 1);
    }
}

#[test]
fn an_error_in_the_middle_of_a_chunk_keeps_nothing_of_it() {
    for what in EVERY {
        let memory = Memory::new();
        let before = memory.tree();
        let first = add("facts/user.md", "Name: Zhang San", "I'm Zhang San");
        let script = Script::of([tool_call_reply([("add", object(first))]), Err(LlmError::new(what, "no"))])
            .way(ReplyMode::Tools);
        assert!(script.tries(&memory, "User: I'm Zhang San.\n").is_err(), "{what:?}");
        assert_eq!(memory.tree(), before, "{what:?}");
    }
}

#[test]
fn a_file_that_cannot_be_changed_now_leaves_the_conversation_unread() {
    let good = "# User\n\n- Editor: vim\n";
    let marked = "# User\n\n<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n";
    for way in [ReplyMode::JsonObject, ReplyMode::Tools] {
        for (obstacle, code) in [("markers", Code::ConflictMarkers), ("link", Code::UnsafeFile)] {
            let memory = Memory::new().file("facts/user.md", good);
            let beside = memory.dir().join("../beside");
            match obstacle {
                "markers" => memory.put("facts/user.md", marked),
                _ => fs_err::hard_link(memory.dir().join("facts/user.md"), &beside).unwrap(),
            }
            let fact = add("facts/user.md", "Name: Zhang San", "I'm Zhang San");
            let reply = || match way {
                ReplyMode::JsonObject => ops(std::slice::from_ref(&fact)),
                ReplyMode::Tools => tool_call_reply([("add", object(fact.clone()))]),
            };
            let failure = Script::of([reply()]).way(way).tries(&memory, "User: I'm Zhang San.\n").unwrap_err();
            assert_eq!(failure.rejections[0].code, code, "{obstacle}");
            drop(fs_err::remove_file(&beside));
            memory.put("facts/user.md", good);
            let again = Script::of([reply(), text_reply("done")]).way(way);
            assert_eq!(again.reads(&memory, "User: I'm Zhang San.\n").counts.kept, 1, "{obstacle}");
        }
    }
}

/// A conversation of two chunks, distinguished by their names.
fn long() -> String {
    let filler = "This sentence is here to make the conversation long enough for two chunks. ".repeat(80);
    format!(
        "User: I'm Zhang San. {filler}\nAssistant: Noted. {filler}\nUser: {filler}\nAssistant: {filler}\nUser: \
         {filler}\nUser: Our project is called Phoenix.\n"
    )
}

#[test]
fn a_store_that_fails_at_a_later_chunk_keeps_the_earlier_ones_and_reports_partial() {
    let memory = Memory::new();
    let script = Script::of([
        ops(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]),
        ops(&[add("facts/project.md", "Project name: Phoenix", "project is called Phoenix")]),
    ]);
    // The journal cannot be read or written any more.
    let journal = memory.dir().join(".memdir/journal");
    let script = script.meanwhile(1, move || {
        fs_err::rename(&journal, journal.with_file_name("elsewhere")).unwrap();
        fs_err::create_dir(&journal).unwrap();
    });
    let answer = script.reads(&memory, &long());
    assert!(answer.partial.is_some(), "{answer:?}");
    assert_eq!((answer.counts.kept, answer.conversations[0].chunks), (1, 1));
    assert!(memory.text("facts/user.md").unwrap().contains("Zhang San") && memory.text("facts/project.md").is_none());
}

#[test]
fn an_error_in_a_later_chunk_keeps_the_earlier_ones_and_reports_partial() {
    for what in EVERY {
        let memory = Memory::new();
        let script = Script::of([
            ops(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]),
            Err(LlmError::new(what, "no")),
        ]);
        let answer = script.reads(&memory, &long());
        assert!(answer.partial.is_some() && answer.counts.kept == 1, "{what:?}");
        assert_eq!((answer.conversations[0].chunks, answer.conversations[0].of), (1, 2), "{what:?}");
        assert_eq!(memory.text("facts/project.md"), None);
        let rest = Script::of([ops(&[add("facts/project.md", "Project name: Phoenix", "project is called Phoenix")])]);
        let answer = rest.reads(&memory, &long());
        assert_eq!((answer.counts.kept, rest.requests().len()), (1, 1), "{what:?}");
    }
}

#[test]
fn a_refusal_that_is_corrected_is_not_reported_beside_the_correction() {
    let memory = Memory::new();
    let in_turn = |quote: &str| ops(&[add("facts/user.md", "Name: Zhang San", quote)]);
    let report = Script::of([in_turn("never said"), in_turn("I'm Zhang San")]).reads(&memory, "User: I'm Zhang San.\n");
    assert_eq!((report.counts.found, report.counts.kept, report.counts.refused), (1, 1, 0));
}

#[test]
fn an_unreadable_reply_is_requested_once_more() {
    let memory = Memory::new();
    let script = Script::of([
        text_reply("I would keep the name."),
        ops(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]),
    ]);
    assert_eq!(script.reads(&memory, "User: I'm Zhang San.\n").counts.kept, 1);
    let memory = Memory::new();
    let script = Script::of([text_reply("no"), text_reply("no"), text_reply("no")]);
    let failure = script.tries(&memory, "User: I'm Zhang San.\n").unwrap_err();
    assert_eq!((failure.rejections[0].code, script.requests().len()), (Code::Model, 2));
}

/// Any operation that a model might propose, sensible or hostile.
fn any_operation() -> impl Strategy<Value = Value> {
    let places = [
        "facts/user.md",
        "user",
        "user#work",
        "../../etc/passwd",
        "/etc/passwd",
        "memdir.yaml",
        ".memdir/journal",
        "archive/facts/user.md",
        "inbox/p123456.md",
        "scopes/other/facts/a.md",
        "procedures/x.md",
        "episodes/2026-02.md",
        "facts/\u{202e}x.md",
        "",
    ];
    let at = prop_oneof![
        prop::sample::select(places.to_vec()).prop_map(str::to_owned),
        Just(format!("user@{}", handle("Editor: vim"))),
        Just("user@1".to_owned()),
    ];
    let text = prop_oneof![
        "[A-Z][a-z]{2,8} (uses|has|prefers) [a-z]{3,9}\\.",
        Just("# Heading\n- a".to_owned()),
        Just("<!-- mem id=x -->".to_owned()),
        Just("x".repeat(9000)),
        "\\PC{0,40}",
    ];
    let op = prop::sample::select(vec!["add", "update", "rm", "append", "write", "patch", "set", "mv", "zap", ""]);
    let quote = prop::sample::select(vec!["I'm Zhang San", "tea in the morning", "nobody said this", ""]);
    (op, at, text, quote, any::<bool>()).prop_map(|(op, at, text, quote, more)| {
        let mut value = json!({"op": op, "at": at, "text": text, "quote": quote, "turn": 1, "title": "T", "to": "facts/b.md",
            "meta": {"imp": 3}, "old": "Editor: vim", "pairs": [["a", "b"]]});
        if more {
            value["forget"] = json!(true);
            value["pin"] = json!(1);
        }
        value
    })
}

fn any_reply() -> impl Strategy<Value = Result<ModelReply, LlmError>> {
    prop_oneof![
        8 => prop::collection::vec(any_operation(), 0..5).prop_map(|all| ops(&all)),
        4 => prop::collection::vec(any_operation(), 1..4).prop_map(|all| {
            let calls: Vec<(String, Value)> =
                all.into_iter().map(|o| (o["op"].as_str().unwrap_or("add").to_owned(), object(o))).collect();
            memdir::llm::replay::tool_call_reply(calls.iter().map(|(name, arguments)| (name.as_str(), arguments.clone())))
        }),
        1 => "\\PC{0,60}".prop_map(text_reply),
        1 => Just(Err(LlmError::new(ErrorKind::Busy, "no"))),
        1 => Just(text_reply("").map(|reply| ModelReply { stop: StopReason::Truncated, ..reply })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_model_reply_leaves_the_memory_consistent(
        replies in prop::collection::vec(any_reply(), 1..5),
        tools in any::<bool>(),
    ) {
        let memory = Memory::new().file("facts/user.md", "# User\n\n- Editor: vim\n- Shell: fish\n\n## Work\n\n- Role: dev\n");
        let before = memory.tree();
        let script = Script::of(replies).way(if tools { ReplyMode::Tools } else { ReplyMode::JsonObject });
        let result = script.tries(&memory, "User: I'm Zhang San, I have tea in the morning.\nAssistant: Fine.\n");
        for path in memory.tree().keys() {
            prop_assert!(["facts/", "episodes/", "inbox/p", "procedures/", "memdir.yaml", ".gitignore"].iter().any(|p| path.starts_with(p)), "{}", path);
        }
        if result.is_err() {
            prop_assert_eq!(memory.tree(), before.clone());
        }
        let session = memory.session();
        let revisions = session.store.journal().unwrap().len();
        for _ in 0..revisions {
            memdir::commands::undo(&session, &Default::default(), &Default::default()).unwrap();
        }
        prop_assert_eq!(memory.tree(), before);
    }
}

#[test]
fn a_model_that_only_reads_until_the_limit_leaves_the_conversation_unread() {
    let list = || tool_call_reply([("list", json!({}))]);
    let unknown = || tool_call_reply([("remember", json!({"text": "x"}))]);
    let broken = || tool_call_reply([("add", json!("{\"at\": "))]);
    let done = || text_reply("done");
    let scripts: [(&str, Vec<Result<ModelReply, LlmError>>); 4] = [
        ("the limit of turns", std::iter::repeat_with(list).take(40).collect()),
        ("the limit of turns", std::iter::repeat_with(unknown).take(40).collect()),
        ("could not be read", vec![unknown(), done()]),
        ("could not be read", vec![broken(), done()]),
    ];
    for (reason, replies) in scripts {
        let memory = Memory::new().file("facts/user.md", "# User\n\n- Editor: vim\n");
        let before = memory.tree();
        let failure = Script::of(replies).way(ReplyMode::Tools).tries(&memory, "User: I'm Zhang San.\n").unwrap_err();
        let rejection = &failure.rejections[0];
        assert!(rejection.code == Code::Model && rejection.message.contains(reason), "{rejection:?}");
        assert!(rejection.hint.as_ref().unwrap().contains("nothing was kept or marked as read"), "{rejection:?}");
        assert_eq!(memory.tree(), before, "{reason}");
        let again = Script::of([ops(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")])]);
        assert_eq!(again.reads(&memory, "User: I'm Zhang San.\n").counts.kept, 1, "{reason}");
    }
    // The same without tools: after two corrections, nothing in the reply is an operation.
    let memory = Memory::new();
    let before = memory.tree();
    let broken = || text_reply(r#"{"operations": [5, "x", {"op": "nuke"}]}"#);
    let mixed = || text_reply(r#"{"operations": [{"op": "nuke"}, {"op": "rm", "at": "user@zzzz"}]}"#);
    let failure = Script::of([broken(), broken(), broken()]).tries(&memory, "User: I'm Zhang San.\n").unwrap_err();
    assert!(failure.rejections[0].message.contains("none of the model's operations could be read"), "{failure:?}");
    assert_eq!(memory.tree(), before);
    let report = Script::of([mixed(), mixed(), mixed()]).reads(&memory, "User: I'm Zhang San.\n");
    let texts: Vec<&str> = report.decisions.iter().map(|decision| decision.text.as_str()).collect();
    assert_eq!(texts, [r#"{"op":"nuke"}"#, ""]);
    // A model that takes back what cannot be read has read it; what it said is shown without its secrets.
    let memory = Memory::new();
    let secret = || text_reply(r#"{"operations": [{"op": "nuke", "quote": "password: \"hunter2hunt\""}]}"#);
    let report = Script::of([secret(), ops(&[])]).reads(&memory, "User: I'm Zhang San.\n");
    assert_eq!(report.counts.refused, 1);
    let shown = &report.decisions.iter().next().unwrap().text;
    assert!(shown.contains("nuke") && !shown.contains("hunter2hunt"), "{shown}");
    // A model that only looks and then says that there is nothing has read it.
    let memory = Memory::new();
    let looked = Script::of([list(), done()]).way(ReplyMode::Tools);
    assert_eq!(looked.reads(&memory, "User: I'm Zhang San.\n").counts.found, 0);
    let again = Script::of([]).reads(&memory, "User: I'm Zhang San.\n");
    assert_eq!((again.conversations[0].seen, again.conversations[0].turns), (1, 1));
}

#[test]
fn what_was_accepted_before_the_limit_is_kept_and_partial() {
    let memory = Memory::new();
    let fact = add("facts/user.md", "Name: Zhang San", "I'm Zhang San");
    let first = std::iter::once(tool_call_reply([("add", object(fact))]));
    let replies = first.chain(std::iter::repeat_with(|| tool_call_reply([("list", json!({}))])).take(40));
    let answer = Script::of(replies.collect::<Vec<_>>()).way(ReplyMode::Tools).reads(&memory, "User: I'm Zhang San.\n");
    assert_eq!(answer.counts.kept, 1);
    assert!(answer.partial.as_ref().unwrap().contains("its limit of turns"), "{answer:?}");
}
