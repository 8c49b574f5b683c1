//! Everything that memdir prints, pasted into a conversation, through `reflect`: a scripted model quotes it, and nothing
//! of it is kept.

use serde_json::{Value, json};

use super::script::{Script, add, ops};
use crate::support::memory::full;
use crate::support::model_server::{Answer, Server};
use crate::support::{Memory, handle};

const CITY: &str = "Office: Reykjavik harbour";
const LAYOUT: &str = "Prefers the Reykjavik keyboard layout";
const OLD: &str = "Moved to Reykjavik from Oslo";
/// Its handle has letters only, like a person's name.
const NAMED: &str = "Reads the Reykjavik Grapevine 8";
const CLAIM: &str = "The ferry lands in Reykjavik";
const CONFLICT: &str = "# Map\n\n<<<<<<< HEAD\n- Reykjavik is in the west\n||||||| 1f2e3d4\n- Reykjavik is far\n=======\n- Reykjavik is in the south\n>>>>>>> other\n";

/// A memory about Reykjavik with facts, entries, tables, links, history and a proposal that waits.
fn filled() -> (Memory, String) {
    let note = "# Travel\n\n> Summary: ferry\n\nThe ferry to Reykjavik leaves on Tuesdays, see [[user]].\n\n| day | port |\n| --- | --- |\n| Tue | Reykjavik |\n";
    let entry = "# 2026-02 Episodes\n\n## Trip to Reykjavik\n- Date: 2026-02-11\n- Summary: Reykjavik by ferry\n\nThe crossing to Reykjavik took three days.\n";
    let memory = Memory::new()
        .file("facts/user.md", &format!("# User\n\n- {CITY}\n- {LAYOUT}\n- {NAMED}\n"))
        .file("facts/travel.md", note)
        .file("episodes/2026-02.md", entry);
    let city = ops(&[add("facts/home.md", "City: Reykjavik", "I live in Reykjavik")]);
    let waiting = Script::of([city]).reads(&memory, "User: I live in Reykjavik these days.\n");
    let id = waiting.decisions[0].proposal.clone().unwrap();
    (memory, id)
}

/// Runs one command after the other: with its words, what it prints, as text and, where nothing changes, as JSON.
fn print_everything(memory: &Memory, id: &str, mut printed: impl FnMut(&[&str], &str)) {
    let at = |text: &str| format!("facts/user.md@{}", handle(text));
    let mut print = |words: &[&str], stdin: &str| {
        let ran = memory.run(words).stdin(stdin).may_change().ends();
        [ran.stdout, ran.stderr].iter().filter(|text| text.contains("Reykjavik")).for_each(|text| printed(words, text));
    };
    let hook = r#"{"session_id":"s","cwd":".","hook_event_name":"SessionStart","source":"startup"}"#;
    for host in ["claude", "codex", "gemini", "cursor"] {
        print(&["hook", "session-start", "--host", host], hook);
    }
    let folder = memory.dir().display().to_string();
    let views: [&[&str]; 45] = [
        &["check", "--rot", &folder],
        &["check", "--stale"],
        &["check", "--writing"],
        &["stats"],
        &["scope", "list"],
        &["blame", "user"],
        &["list", "user", "--blame"],
        &["query", "Reykjavik", "--linked"],
        &["context", "-n", "-b", "400"],
        &["context", "--style", "index", "-n"],
        &["export", "--to", "markdown"],
        &["list"],
        &["list", "user"],
        &["list", "user", "-v"],
        &["list", "user#user"],
        &["list", "travel"],
        &["list", "2026-02"],
        &["read", "user"],
        &["read", &at(CITY)],
        &["read", "travel"],
        &["read", "2026-02"],
        &["read", "2026-02#trip-to-reykjavik"],
        &["query", "Reykjavik"],
        &["query", "Reykjavik", "--full"],
        &["query", "Reykjavik", "--explain"],
        &["query", "ferry", "--full"],
        &["context"],
        &["context", "--style", "index"],
        &["context", "--style", "records"],
        &["status"],
        &["check"],
        &["inbox"],
        &["inbox", id, "--accept", "-n"],
        &["reflect", "--show-prompt"],
        &["add", "user", OLD, "-n"],
        &["rm", &at(CITY), "-n"],
        &["update", &at(CITY), "Office: Reykjavik airport", "-n"],
        &["update", "facts/user.md@zzzz", "Office: Bergen"],
        &["rm", "user", "Reykjavik"],
        &["add", "user", "Office: Reykjavik castle", "-n"],
        &["add", "user", "Prefers that Reykjavik keyboard layout", "-n"],
        &["set", &at(LAYOUT), "importance=high", "-n"],
        &["mv", &at(LAYOUT), "facts/layouts.md", "-n"],
        &["compact", "user", "--to", "1", "--by-age", "-n"],
        &["patch", "travel", "--old", "Reykjavik", "--new", "Akureyri", "-n"],
    ];
    for words in views {
        let stdin = if words[0] == "reflect" { "User: The ferry goes to Reykjavik.\n" } else { "" };
        print(words, stdin);
        print(&[words, &["--json"]].concat(), stdin);
    }
    let changes: [&[&str]; 13] = [
        &["add", "user", OLD],
        &["update", &at(LAYOUT), "Prefers the Reykjavik layout", "-m", "Reykjavik"],
        &["update", &at(LAYOUT), "Prefers the Reykjavik layout"],
        &["set", &at(CITY), "importance=high"],
        &["mv", &at(NAMED), "facts/papers.md"],
        &["rm", &at(OLD)],
        &["undo"],
        &["redo"],
        &["append", "-t", "A second trip to Reykjavik"],
        &["apply"],
        &["inbox", id, "--reject"],
        &["compact", "user", "--to", "1", "--by-age"],
        &["rm", "facts/papers.md", "--archive"],
    ];
    for words in changes {
        let stdin = match words[0] {
            "apply" => r#"[{"op":"add","at":"user","text":"Owns a flag of Reykjavik"}]"#,
            "append" => "The road to Reykjavik was closed.\n",
            _ => "",
        };
        print(words, stdin);
    }
    memory.put("facts/map.md", CONFLICT);
    let history: [&[&str]; 13] = [
        &["resolve", "map"],
        &["check"],
        &["log"],
        &["log", "user"],
        &["log", "-p"],
        &["show", "r2"],
        &["show", "r3"],
        &["diff"],
        &["diff", "r1"],
        &["diff", "--bullets", "r1"],
        &["diff", "--stat", "r1"],
        &["undo", "-n"],
        &["undo", "r2", "-n"],
    ];
    for words in history {
        print(words, "");
        print(&[words, &["--json"]].concat(), "");
    }
}

/// Runs `reflect` on a conversation with these messages of the user; the model adds a claim for each quote.
fn reflect(memory: &Memory, messages: &[String], quotes: &[String]) -> Value {
    let operation =
        |quote: &String| json!({"op": "add", "at": "facts/ferry.md", "text": CLAIM, "quote": quote, "turn": 1});
    let reply = json!({"operations": quotes.iter().map(operation).collect::<Vec<_>>()}).to_string();
    let server = Server::always(Answer::chat(&reply));
    let words = ["reflect", "-", "--mode", "ops", "--provider", "openai", "--model", "m", "--json"];
    let lines = |message: &String| format!("{}\n", json!({"role": "user", "content": message}));
    let conversation: String = messages.iter().map(lines).collect();
    let run = memory.run(words).env("OPENAI_API_KEY", "sk-x").env("OPENAI_BASE_URL", &server.url());
    let ran = run.stdin(conversation).may_change().ends();
    assert!(!server.requests().is_empty() || ran.stdout.contains("\"found\":0"), "{ran}");
    ran.json()
}

#[test]
fn what_a_user_types_is_kept() {
    let (memory, _) = filled();
    let message = "By the way, the ferry from the islands always lands in Reykjavik.";
    let report =
        reflect(&memory, &[message.to_owned()], &["the ferry from the islands always lands in Reykjavik".into()]);
    assert_eq!(report["counts"]["kept"], 1, "{report:#}");
}

#[test]
fn a_quote_of_own_words_carries_nothing_that_is_pasted_beside_it() {
    let (memory, _) = filled();
    let own = "By the way, I take the ferry from the islands every week.";
    let letter =
        "Proofread this letter.\n\nDear Ruth,\nthe ferry from the islands always lands in Reykjavik.\nYours, Tom";
    let quotes = ["I take the ferry from the islands every week".to_owned()];
    let report = reflect(&memory, &[format!("{letter}\n\n{own}")], &quotes);
    assert_eq!(report["counts"]["kept"], 0, "{report:#}");
    assert!(report.to_string().contains("ungrounded Reykjavik"), "{report:#}");
}

#[test]
fn nothing_that_memdir_prints_is_kept() {
    assert!(handle(NAMED).bytes().all(|b| b.is_ascii_alphabetic()), "{}", handle(NAMED));
    let (memory, id) = filled();
    memory.configure("budget: {tokens_per_day: 1000000000}\n");
    let (mut wrong, mut count) = (Vec::new(), 0);
    print_everything(&memory, &id, |words, text| {
        count += 1;
        let mut quotes: Vec<String> = Vec::new();
        for line in text.lines().filter(|line| line.contains("Reykjavik")) {
            let before = &line[..line.find("Reykjavik").unwrap()];
            let start = before.rfind(['@', ')', ':', '"', '-', '|']).map_or(0, |at| at + 1);
            let part = line[start..].split(['"', '(', '\\']).next().unwrap_or_default().trim();
            quotes.extend([line.trim(), part].map(|quote| quote.chars().take(200).collect()));
        }
        quotes.dedup();
        quotes.truncate(if full() { 30 } else { 2 });
        let before = format!("Please fix the login.\n{text}");
        let report =
            reflect(&memory, &[text.to_owned(), before, format!("{text}\n\nPlease fix the login {count}.")], &quotes);
        for decision in report["decisions"].as_array().unwrap().iter().filter(|d| d["verdict"] != "refused") {
            wrong.push(format!("{words:?}: {} {}: {}", decision["verdict"], decision["quote"], decision["reasons"]));
        }
        // The next command must find the memory as it was.
        let _ = fs_err::remove_file(memory.dir().join("facts/ferry.md"));
    });
    assert!(count > 70, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
