use super::super::evidence::find_evidence;
use super::*;
use crate::transcript::{MessageParts, Role, Turn};

/// Whether a removal of a bullet applies: the words of a user's turn say that it ended.
fn applies(bullet: &str, conversation: &str, quote: &str) -> bool {
    let turns: Vec<Turn> = conversation
        .split(" // ")
        .enumerate()
        .map(|(n, text)| {
            let (role, text) = text.strip_prefix("A: ").map_or((Role::User, text), |text| (Role::Assistant, text));
            Turn { number: n + 1, role, at: None, text: text.to_owned(), injected: false }
        })
        .collect();
    let proof = find_evidence(quote, None, &turns, &[]).unwrap_or_else(|error| panic!("{conversation}: {error:?}"));
    let at = proof.turn - 1;
    let earlier: Vec<&str> = turns[..at].iter().map(|turn| turn.text.as_str()).collect();
    let question = turns[..at].last().filter(|turn| turn.role == Role::Assistant).map(|turn| turn.text.as_str());
    let own = MessageParts::of(&turns[at].text).own;
    proof.role == Role::User
        && is_said_to_end(bullet, &EndingEvidence { quote, own: &own, earlier: &earlier, question })
}

/// The cases that are decided wrongly, and their number.
fn wrong_cases(file: &str) -> (Vec<&str>, usize) {
    let cases: Vec<&str> = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let is_wrong = |line: &&&str| {
        let [expected, bullet, conversation, quote] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        applies(bullet, conversation, quote) != (expected == "apply")
    };
    (cases.iter().filter(is_wrong).copied().collect(), cases.len())
}

#[test]
fn the_tuned_removals_are_decided_rightly() {
    let english = wrong_cases(include_str!("../../../../fixtures/removals/tuned.en.txt"));
    let chinese = wrong_cases(include_str!("../../../../fixtures/removals/tuned.zh.txt"));
    assert_eq!((english.0, chinese.0), (Vec::<&str>::new(), Vec::<&str>::new()));
}

/// The judged half was written with the tuned one, and read by the rules once, after they were tuned.
#[test]
fn the_judged_removals_are_decided_as_once_measured() {
    let english = wrong_cases(include_str!("../../../../fixtures/removals/judged.en.txt"));
    let chinese = wrong_cases(include_str!("../../../../fixtures/removals/judged.zh.txt"));
    let right = |(wrong, all): &(Vec<&str>, usize)| (all - wrong.len(), *all);
    assert_eq!((right(&english), right(&chinese)), ((25, 26), (24, 24)), "{:#?} {:#?}", english.0, chinese.0);
}

#[test]
fn a_quote_that_says_nothing_ends_nothing() {
    for quote in ["", "…", "tea"] {
        let evidence = EndingEvidence { quote, own: "I like tea.", earlier: &[], question: None };
        assert!(!is_said_to_end("Likes tea", &evidence), "{quote:?}");
    }
}
