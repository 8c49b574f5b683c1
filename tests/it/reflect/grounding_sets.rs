//! Measures the guard of grounding on labelled texts in two languages: names, numbers, words of content, scope, roles, and
//! what the assistant repeats from a tool.

use memdir::reflect::guards::grounding::{GroundingSources, repeats_tool_output, ungrounded_words};

/// The lines of a fixture that start with one of two labels, with whether the guard must report them.
fn labelled(file: &str, reported: &str) -> Vec<(bool, [String; 2])> {
    let lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parts = |line: &str| {
        let [label, text, source] = line.splitn(3, " | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        (label == reported, [text.to_owned(), source.replace("\\n", "\n")])
    };
    lines.map(parts).collect()
}

/// Fails if the guard misses more than one of twenty, or reports more than one of twenty wrongly.
fn measure(cases: &[(bool, [String; 2])], is_reported: impl Fn(&str, &str) -> bool) {
    let (mut found, mut right, mut wrong) = (0, 0, String::new());
    for (wanted, [text, source]) in cases {
        let got = is_reported(text, source);
        found += usize::from(got);
        right += usize::from(got && *wanted);
        if got != *wanted {
            wrong += &format!("{}: {text} | {source}\n", if got { "wrong" } else { "missed" });
        }
    }
    let all = cases.iter().filter(|(wanted, _)| *wanted).count();
    println!("precision {right} of {found}, recall {right} of {all}\n{wrong}");
    assert!(
        right * 20 >= all * 19 && right * 20 >= found * 19,
        "precision {right} of {found}, recall of {all}\n{wrong}"
    );
}

#[test]
fn names_roles_and_duration_in_chinese_come_from_the_source() {
    let cases = labelled(include_str!("../../../fixtures/grounding/zh.txt"), "no");
    measure(&cases, |text, source| {
        let sources = GroundingSources {
            quote: source,
            texts: vec![source],
            times: vec!["2026-02-24T10:00:00Z"],
            ..GroundingSources::default()
        };
        !ungrounded_words(text, &sources, &[]).is_empty()
    });
}

#[test]
fn names_numbers_words_and_scope_come_from_the_source() {
    for cases in [
        labelled(include_str!("../../../fixtures/grounding/tuning.en.txt"), "no"),
        labelled(include_str!("../../../fixtures/grounding/tuning.zh.txt"), "no"),
    ] {
        measure(&cases, |text, source| {
            let sources = GroundingSources {
                quote: source,
                texts: vec![source],
                times: vec!["2026-02-24T10:00:00Z"],
                ..GroundingSources::default()
            };
            !ungrounded_words(text, &sources, &[]).is_empty()
        });
    }
}

/// The turns of a case, with the one that has the quote and the quote itself, which stands in ⟦ ⟧.
fn quoted_turns(talk: &str) -> (Vec<(bool, String)>, usize, String) {
    let (mut turns, mut quoted) = (Vec::new(), None);
    for (n, turn) in talk.split(" ## ").enumerate() {
        let (is_user, turn) = turn.strip_prefix("A: ").map_or((true, turn), |turn| (false, turn));
        let quote = turn.split_once('⟦').and_then(|(_, rest)| rest.split_once('⟧')).map(|(quote, _)| quote.to_owned());
        quoted = quote.map(|quote| (n, quote)).or(quoted);
        turns.push((is_user, turn.replace(['⟦', '⟧'], "")));
    }
    let (turn, quote) = quoted.unwrap_or_else(|| panic!("no quote: {talk}"));
    (turns, turn, quote)
}

#[test]
fn words_values_participants_and_choices_come_from_the_turns() {
    for cases in [
        labelled(include_str!("../../../fixtures/grounding/turns.en.txt"), "no"),
        labelled(include_str!("../../../fixtures/grounding/turns.zh.txt"), "no"),
    ] {
        measure(&cases, is_reported_in_turns);
    }
}

/// Whether the guard reports a text whose quote stands in one of several turns.
fn is_reported_in_turns(text: &str, talk: &str) -> bool {
    let (turns, quoted, quote) = quoted_turns(talk);
    let question = (0..quoted).rfind(|&n| !turns[n].0);
    let sources = question.into_iter().chain([quoted]).map(|n| turns[n].1.as_str()).collect();
    let nearby: Vec<&str> = turns[..quoted].iter().map(|(_, turn)| turn.as_str()).collect();
    let sources =
        GroundingSources { quote: &quote, texts: sources, topics: nearby.clone(), ..GroundingSources::default() };
    !ungrounded_words(text, &sources, &nearby).is_empty()
}

/// The limits are what was reached: a change that misses more, or reports more that is true, is noticed.
#[test]
fn true_texts_in_free_words_are_mostly_kept() {
    for (file, most_missed, most_wrong) in [
        (include_str!("../../../fixtures/grounding/fourth.en.txt"), 1, 11),
        (include_str!("../../../fixtures/grounding/fourth.zh.txt"), 3, 19),
        (include_str!("../../../fixtures/grounding/fifth.en.txt"), 2, 15),
        (include_str!("../../../fixtures/grounding/fifth.zh.txt"), 6, 9),
        (include_str!("../../../fixtures/grounding/sixth.en.txt"), 2, 1),
        (include_str!("../../../fixtures/grounding/sixth.zh.txt"), 0, 0),
        (include_str!("../../../fixtures/grounding/seventh.en.txt"), 0, 0),
        (include_str!("../../../fixtures/grounding/seventh.zh.txt"), 0, 0),
        (include_str!("../../../fixtures/grounding/eighth.en.txt"), 0, 3),
        (include_str!("../../../fixtures/grounding/eighth.zh.txt"), 1, 1),
        (include_str!("../../../fixtures/grounding/ninth.en.txt"), 3, 1),
        (include_str!("../../../fixtures/grounding/ninth.zh.txt"), 4, 0),
        (include_str!("../../../fixtures/grounding/tenth.en.txt"), 0, 1),
        (include_str!("../../../fixtures/grounding/tenth.zh.txt"), 1, 0),
        (include_str!("../../../fixtures/grounding/eleventh.en.txt"), 0, 0),
        (include_str!("../../../fixtures/grounding/eleventh.zh.txt"), 0, 0),
        // Written before the rules for the tuned ones, and run when these stood.
        (include_str!("../../../fixtures/grounding/eleventh_judged.en.txt"), 0, 0),
        (include_str!("../../../fixtures/grounding/eleventh_judged.zh.txt"), 0, 0),
        // Written with the tuned ones, and run when the rules stood.
        (include_str!("../../../fixtures/grounding/tenth_judged.en.txt"), 0, 0),
        (include_str!("../../../fixtures/grounding/tenth_judged.zh.txt"), 1, 0),
        // No rule was written for these: 17 and 14 missed, 12 and 18 wrong before the rules for the tuned ones.
        (include_str!("../../../fixtures/grounding/ninth_judged.en.txt"), 5, 8),
        (include_str!("../../../fixtures/grounding/ninth_judged.zh.txt"), 3, 6),
        // No rule was written for these before they were run: 1 and 6 missed, 1 and 1 wrong. Six of those missed were
        // fixed by their causes afterwards.
        (include_str!("../../../fixtures/grounding/seventh_judged.en.txt"), 0, 1),
        (include_str!("../../../fixtures/grounding/seventh_judged.zh.txt"), 1, 0),
    ] {
        let cases = labelled(file, "no");
        let (mut missed, mut wrong) = (Vec::new(), Vec::new());
        for (wanted, [text, talk]) in &cases {
            match (*wanted, is_reported_in_turns(text, talk)) {
                (true, false) => missed.push(text),
                (false, true) => wrong.push(text),
                _ => {}
            }
        }
        println!("{} missed, {} wrong of {}", missed.len(), wrong.len(), cases.len());
        assert!(missed.len() <= most_missed && wrong.len() <= most_wrong, "missed {missed:#?}\nwrong {wrong:#?}");
    }
}

#[test]
fn texts_nearest_to_true_ones_wait() {
    for file in [
        include_str!("../../../fixtures/grounding/neighbours.en.txt"),
        include_str!("../../../fixtures/grounding/neighbours.zh.txt"),
    ] {
        let cases = labelled(file, "no");
        let kept: Vec<_> = cases.iter().filter(|(_, [text, talk])| !is_reported_in_turns(text, talk)).collect();
        assert!(cases.len() > 30 && kept.is_empty(), "{kept:#?}");
    }
}

#[test]
fn an_assistant_that_repeats_a_tool_in_chinese_is_recognised() {
    let cases = labelled(include_str!("../../../fixtures/grounding/tool.zh.txt"), "tool");
    measure(&cases, |quote, output| repeats_tool_output(quote, [output].into_iter(), ["帮我看一下"].into_iter()));
}
