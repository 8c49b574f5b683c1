//! Measures what `reflect` decides on conversations of authors who knew no rule of it: `fixtures/judged_conversations/`.
//!
//! One case a line: the turns (`U: ` the user, `A: ` the assistant), the bullets that the memory has, and the text that a
//! model proposes with its quote. Odd numbers may be read to improve the rules, even ones only judge them. The counts
//! that were measured are the lower bounds.

use memdir::commands::results::ReflectReport;
use serde::Deserialize;
use serde_json::json;

use super::script::{Script, ops};
use crate::support::Memory;
use crate::support::memory::full;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedCase {
    id: String,
    kind: String,
    turns: Vec<String>,
    memory: Vec<String>,
    text: String,
    quote: String,
    turn: usize,
}

/// What became of a proposal.
#[derive(Debug, PartialEq)]
enum ProposalFate {
    Kept,
    /// It was kept only after a question about an older bullet.
    KeptWhenAsked,
    /// It waits, was refused, or is in the memory already.
    NotKept,
}

impl JudgedCase {
    fn number(&self) -> usize {
        self.id[1..].parse().unwrap()
    }

    fn is_right(&self, fate: &ProposalFate) -> bool {
        match self.kind.as_str() {
            "useful" | "own" | "compatible" => *fate != ProposalFate::NotKept,
            "ungrounded" | "pasted" => *fate == ProposalFate::NotKept,
            "contradiction" => *fate != ProposalFate::Kept,
            other => panic!("{}: {other}", self.id),
        }
    }

    /// Proposes the text, and insists as long as `reflect` asks.
    fn run(&self) -> (ProposalFate, ReflectReport) {
        let memory = Memory::new();
        if !self.memory.is_empty() {
            let bullets: String = self.memory.iter().map(|text| format!("- {text}\n")).collect();
            memory.put("facts/user.md", format!("# User\n\n{bullets}").into_bytes());
        }
        let messages = self.turns.iter().map(|turn| match turn.split_once(": ") {
            Some(("U", text)) => json!({"role": "user", "content": text}),
            Some(("A", text)) => json!({"role": "assistant", "content": text}),
            _ => panic!("{}: {turn}", self.id),
        });
        let conversation = json!({ "messages": messages.collect::<Vec<_>>() }).to_string();
        let proposal = json!({
            "op": "add", "at": "facts/user.md", "text": self.text, "quote": self.quote, "turn": self.turn,
        });
        let script = Script::of((0..4).map(|_| ops(std::slice::from_ref(&proposal))));
        let report = script.reads(&memory, &conversation);
        let fate = match (report.counts.kept, script.requests().len()) {
            (0, _) => ProposalFate::NotKept,
            (_, 1) => ProposalFate::Kept,
            _ => ProposalFate::KeptWhenAsked,
        };
        (fate, report)
    }
}

/// The kinds of cases, in the order of the counts below.
const KINDS: [&str; 6] = ["useful", "ungrounded", "pasted", "own", "contradiction", "compatible"];

/// How many decisions are right, by kind: among the odd and among the even cases.
type RightCounts = [[usize; 2]; 6];

/// Which cases of a set are run: all, or every fifth.
fn runs(case: &JudgedCase) -> bool {
    full() || case.number().is_multiple_of(5)
}

/// Right decisions of each kind; prints the wrong ones of the odd cases, and of the even ones too if
/// `MEMDIR_SHOW_JUDGED` is set.
fn measure(set: &str, lines: &str) -> RightCounts {
    let mut counts = RightCounts::default();
    for line in lines.lines() {
        let case: JudgedCase = serde_json::from_str(line).unwrap_or_else(|e| panic!("{set}: {e}: {line}"));
        if !runs(&case) {
            continue;
        }
        let (fate, report) = case.run();
        let kind = KINDS.iter().position(|kind| *kind == case.kind).unwrap_or_else(|| panic!("{line}"));
        let half = 1 - case.number() % 2;
        if case.is_right(&fate) {
            counts[kind][half] += 1;
        } else if half == 0 || std::env::var_os("MEMDIR_SHOW_JUDGED").is_some() {
            let reasons = report.decisions.iter().flat_map(|d| &d.reasons).map(|r| format!("{} {}", r.name, r.what));
            let reasons: Vec<String> = reasons.collect();
            println!("{set} {} {} {fate:?} {reasons:?}\n    {}\n    {:?}", case.id, case.kind, case.text, case.quote);
        }
    }
    println!("{set} {KINDS:?} [odd, even]: {counts:?}");
    counts
}

/// Asserts that no count is lower than the one that was measured: of all cases, or of every fifth.
fn check(set: &str, lines: &str, all: RightCounts, every_fifth: RightCounts) {
    let counts = measure(set, lines);
    let measured = if full() { all } else { every_fifth };
    let lower = |kind: &usize| (0..2).any(|half| counts[*kind][half] < measured[*kind][half]);
    let worse: Vec<&str> = (0..KINDS.len()).filter(lower).map(|kind| KINDS[kind]).collect();
    assert!(worse.is_empty(), "{set}: {worse:?} of {counts:?}; measured: {measured:?}");
}

#[test]
fn the_fourteenth_author_in_english() {
    check(
        "fourteenth.en",
        include_str!("../../../fixtures/judged_conversations/fourteenth.en.jsonl"),
        [[5, 8], [21, 24], [12, 9], [2, 1], [10, 10], [4, 2]],
        [[1, 2], [4, 5], [2, 2], [0, 0], [2, 2], [1, 1]],
    );
}

#[test]
fn the_fourteenth_author_in_chinese() {
    check(
        "fourteenth.zh",
        include_str!("../../../fixtures/judged_conversations/fourteenth.zh.jsonl"),
        [[6, 9], [17, 19], [13, 9], [3, 4], [10, 9], [3, 2]],
        [[1, 2], [4, 4], [3, 2], [0, 0], [2, 2], [1, 0]],
    );
}

#[test]
fn the_fifteenth_author_in_english() {
    check(
        "fifteenth.en",
        include_str!("../../../fixtures/judged_conversations/fifteenth.en.jsonl"),
        [[7, 7], [21, 19], [13, 7], [3, 3], [8, 8], [3, 4]],
        [[1, 0], [4, 4], [3, 0], [1, 0], [2, 1], [0, 0]],
    );
}

#[test]
fn the_fifteenth_author_in_chinese() {
    check(
        "fifteenth.zh",
        include_str!("../../../fixtures/judged_conversations/fifteenth.zh.jsonl"),
        [[10, 11], [22, 17], [11, 8], [2, 3], [10, 9], [3, 3]],
        [[2, 2], [5, 2], [1, 1], [0, 1], [2, 2], [1, 0]],
    );
}
