//! The annotated conversations are what they claim to be: they parse, every operation of a scripted reply is accounted
//! for, and a quote that counts as evidence is in the turn that is named.
//!
//! `fixtures/conversations/NAME/`: `conversation.*`, `memory/` to start from, `replies.json` (texts as a model writes
//! them, one a round), `expected.yaml` (what is kept, refused with which reason, proposed, or left as it was).

use std::path::{Path, PathBuf};

use fs_err as fs;
use memdir::document::Document;
use memdir::transcript::{Conversation, Role, Turn, read};
use serde::Deserialize;
use serde_json::Value;

/// Every reason for which an operation may go back.
const REASONS: [&str; 26] = [
    "no_evidence",
    "injected_evidence",
    "tool_evidence",
    "pasted_evidence",
    "too_long",
    "too_many_sentences",
    "many_facts",
    "not_third_person",
    "pronoun",
    "not_neutral",
    "not_past_tense",
    "stable_fact",
    "relative_date",
    "control_characters",
    "heading",
    "front_matter",
    "instruction",
    "permission",
    "secret",
    "duplicate",
    "near_duplicate",
    "canary",
    "sensitive",
    "withheld",
    "limit",
    "not_allowed",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    about: String,
    language: String,
    now: String,
    #[serde(default)]
    kept: Vec<Item>,
    #[serde(default)]
    refused: Vec<Item>,
    #[serde(default)]
    proposed: Vec<Item>,
    /// Not a byte of the memory changes.
    #[serde(default)]
    unchanged: bool,
    /// What the same conversation does when it is read again.
    #[serde(default)]
    twice: Option<String>,
    /// Questions that the memory answers afterwards.
    #[serde(default)]
    asked: Vec<Question>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    op: Option<String>,
    at: Option<String>,
    text: Option<String>,
    why: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    query: String,
    holds: String,
}

struct Case {
    name: String,
    folder: PathBuf,
    conversation: Conversation,
    operations: Vec<Value>,
    rounds: usize,
    expected: Expected,
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conversations");
    let mut folders: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    folders.into_iter().map(case).collect()
}

fn case(folder: PathBuf) -> Case {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let files = ["conversation.md", "conversation.jsonl"].map(|file| folder.join(file));
    let file = files.iter().find(|file| file.is_file()).unwrap_or_else(|| panic!("{name} has a conversation"));
    let mut all = read(&fs::read(file).unwrap()).unwrap();
    assert_eq!(all.len(), 1, "{name}");
    let replies: Vec<String> = serde_json::from_str(&fs::read_to_string(folder.join("replies.json")).unwrap()).unwrap();
    let operations = replies.iter().flat_map(|reply| operations(&name, reply)).collect();
    let expected = fs::read_to_string(folder.join("expected.yaml")).unwrap();
    let expected = serde_yaml::from_str(&expected).unwrap_or_else(|e| panic!("{name}: {e}"));
    let conversation = all.remove(0);
    Case { name, folder, conversation, operations, rounds: replies.len(), expected }
}

/// The operations of a reply, which may be inside a code fence.
fn operations(name: &str, reply: &str) -> Vec<Value> {
    let json = &reply[reply.find('{').unwrap()..=reply.rfind('}').unwrap()];
    let mut value: Value = serde_json::from_str(json).unwrap_or_else(|e| panic!("{name}: {e}"));
    let Value::Array(operations) = value["operations"].take() else { panic!("{name}: {reply}") };
    operations
}

impl Case {
    /// What is expected of an operation: the list it is in, and its item.
    fn fate(&self, operation: &Value) -> (&'static str, &Item) {
        let lists =
            [("kept", &self.expected.kept), ("refused", &self.expected.refused), ("proposed", &self.expected.proposed)];
        let same = |item: &Item| {
            item.text.as_deref() == operation["text"].as_str()
                && item.at.as_deref().is_none_or(|at| operation["at"] == at)
                && item.op.as_deref().is_none_or(|op| operation["op"] == op)
        };
        let fates: Vec<(&str, &Item)> = lists
            .into_iter()
            .flat_map(|(list, items)| items.iter().filter(|i| same(i)).map(move |i| (list, i)))
            .collect();
        assert_eq!(fates.len(), 1, "{}: {operation}", self.name);
        fates[0]
    }

    fn turn(&self, operation: &Value) -> &Turn {
        let number = operation["turn"].as_u64().unwrap() as usize;
        self.conversation
            .turns
            .iter()
            .find(|turn| turn.number == number)
            .unwrap_or_else(|| panic!("{}: {operation}", self.name))
    }
}

#[test]
fn there_are_enough_in_each_language() {
    let cases = cases();
    let count = |language: &str| cases.iter().filter(|case| case.expected.language == language).count();
    assert!(cases.len() >= 20 && count("en") >= 12 && count("zh") >= 8 && count("mixed") >= 3, "{}", cases.len());
    for case in &cases {
        assert!(
            !case.expected.about.is_empty() && case.expected.now.parse::<jiff::Timestamp>().is_ok(),
            "{}",
            case.name
        );
        let chinese =
            case.conversation.turns.iter().filter(|t| t.text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)));
        assert_eq!(chinese.count() > 0, case.expected.language != "en", "{}", case.name);
        assert!(case.expected.twice.as_deref().is_none_or(|twice| twice == "unchanged"), "{}", case.name);
        for asked in &case.expected.asked {
            let text = |item: &Item| item.text.clone().unwrap_or_default();
            assert!(
                case.expected.kept.iter().any(|item| text(item).contains(&asked.holds)),
                "{}: {}",
                case.name,
                asked.query
            );
        }
    }
}

#[test]
fn every_operation_is_accounted_for() {
    for case in cases() {
        let expected = &case.expected;
        let fates: Vec<&str> = case.operations.iter().map(|operation| case.fate(operation).0).collect();
        let count = |list: &str| fates.iter().filter(|fate| **fate == list).count();
        assert_eq!(count("kept"), expected.kept.len(), "{}", case.name);
        assert_eq!(count("refused"), expected.refused.len(), "{}", case.name);
        assert_eq!(count("proposed"), expected.proposed.len(), "{}", case.name);
        assert_eq!(expected.unchanged, expected.kept.is_empty() && expected.proposed.is_empty(), "{}", case.name);
        // A refused proposal is returned to the model once.
        assert!(case.rounds > 1 || expected.refused.is_empty(), "{}", case.name);
        let reasons =
            expected.refused.iter().chain(&expected.proposed).map(|item| item.why.as_deref().unwrap_or_default());
        assert!(reasons.into_iter().all(|why| REASONS.contains(&why)), "{}", case.name);
    }
}

#[test]
fn every_reason_occurs() {
    let cases = cases();
    let all = cases.iter().flat_map(|case| case.expected.refused.iter().chain(&case.expected.proposed));
    let seen: Vec<&str> = all.map(|item| item.why.as_deref().unwrap()).collect();
    let missing: Vec<&&str> = REASONS.iter().filter(|reason| !seen.contains(reason)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn quotes_are_in_the_turns_that_the_annotations_name() {
    for case in cases() {
        for operation in &case.operations {
            let (quote, turn) = (operation["quote"].as_str().unwrap(), case.turn(operation));
            let (list, item) = case.fate(operation);
            let stands = turn.text.contains(quote);
            let spoken = !turn.injected && matches!(turn.role, Role::User | Role::Assistant);
            let anywhere = case.conversation.turns.iter().any(|turn| turn.text.contains(quote));
            let own =
                case.conversation.turns.iter().any(|t| t.text.contains(quote) && !t.injected && t.role != Role::Tool);
            let right = match (list, item.why.as_deref().unwrap_or_default()) {
                (_, "no_evidence") => !anywhere,
                (_, "injected_evidence") => stands && turn.injected && !own,
                (_, "tool_evidence") => stands && turn.role == Role::Tool && !own,
                (_, "pasted_evidence") => stands && turn.role == Role::User,
                // Instructions from tools are refused, whatever their content.
                (_, "instruction") => stands,
                _ => stands && spoken,
            };
            assert!(right, "{}: {operation}\n{turn:?}", case.name);
        }
    }
}

#[test]
fn handles_point_at_bullets_of_the_memory() {
    let mut seen = 0;
    for case in cases() {
        let handled = case.operations.iter().filter_map(|o| o["at"].as_str()?.split_once('@'));
        for (file, handle) in handled {
            let text = fs::read_to_string(case.folder.join("memory").join(file)).unwrap();
            let document = Document::parse(text);
            assert_eq!(document.bullets_by_handle(handle).len(), 1, "{}: {file}@{handle}", case.name);
            seen += 1;
        }
    }
    assert!(seen >= 4, "{seen}");
}
