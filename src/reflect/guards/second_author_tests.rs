//! Guards on texts of a second author.

use super::tests::{GuardScore, flagged, labelled, turn};
use super::{MemoryKind, Violation, has_consent_for};
use crate::transcript::{Role, Turn};

/// Texts of a second author, on which the guards were tuned as well: what one author thinks of is a part of what there is.
#[test]
fn texts_of_a_second_author() {
    macro_rules! second {
        ($($name:literal, $kind:ident, $violation:ident;)+) => {
            [$((
                $name,
                [Violation::$violation, Violation::NotPastTense],
                MemoryKind::$kind,
                concat!(
                    include_str!(concat!("../../../fixtures/guards/second/", $name, ".en.txt")),
                    include_str!(concat!("../../../fixtures/guards/second/", $name, ".zh.txt")),
                ),
            )),+]
        };
    }
    let sets = second! {
        "facts", Fact, ManyFacts;
        "person", Fact, NotThirdPerson;
        "tone", Fact, NotNeutral;
        "tense", Episode, NotPastTense;
        "stable", Episode, StableFact;
        "orders", Fact, Instruction;
    };
    let mut report = String::new();
    for (name, violations, kind, texts) in sets {
        let mut score = GuardScore::default();
        for (wanted, text) in labelled(texts) {
            let got = flagged(&text, &violations, kind);
            score.add(wanted, got);
            if wanted != got {
                report += &format!("{name} {} {text}\n", if wanted { "missed" } else { "wrong" });
            }
        }
        if score.precision() < 0.9 || score.recall() < 0.85 {
            report +=
                &format!("{name}: precision {:.2} recall {:.2} is below the goal\n", score.precision(), score.recall());
        }
    }
    let sensitive = concat!(
        include_str!("../../../fixtures/guards/second/sensitive.en.txt"),
        include_str!("../../../fixtures/guards/second/sensitive.zh.txt"),
    );
    let wrong = labelled(sensitive)
        .into_iter()
        .filter(|(wanted, text)| flagged(text, &[Violation::Sensitive], MemoryKind::Fact) != *wanted);
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.len() <= 6, "{wrong:#?}");
    assert!(!report.contains("below the goal"), "{report}");
}

#[test]
fn requests_of_a_second_author_count_for_their_fact() {
    let texts = concat!(
        include_str!("../../../fixtures/guards/second/consent.en.txt"),
        include_str!("../../../fixtures/guards/second/consent.zh.txt"),
    );
    let (mut wrong, mut all) = (Vec::new(), 0);
    for (wanted, line) in labelled(texts) {
        let (said, fact) = line.split_once(" || ").unwrap();
        let turns: Vec<Turn> = said.split(" ++ ").enumerate().map(|(n, said)| turn(n + 1, Role::User, said)).collect();
        all += 1;
        if has_consent_for(fact, &turns, 1) != wanted {
            wrong.push(line);
        }
    }
    assert!(all >= 100 && wrong.len() * 12 <= all, "{wrong:#?}");
}
