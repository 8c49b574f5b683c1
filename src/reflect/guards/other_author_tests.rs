//! Guards on texts of a second and a third author, on which they were tuned as well: what one author thinks of is a part
//! of what there is.

use super::tests::{GuardScore, flagged, labelled, turn};
use super::{MemoryKind, Violation, has_consent_for};
use crate::transcript::{Role, Turn};

/// The texts of an author in both languages.
macro_rules! texts {
    ($author:literal, $name:literal) => {
        concat!(
            include_str!(concat!("../../../fixtures/guards/", $author, "/", $name, ".en.txt")),
            include_str!(concat!("../../../fixtures/guards/", $author, "/", $name, ".zh.txt")),
        )
    };
}

type AuthorSet = (&'static str, &'static [Violation], MemoryKind, &'static str);

macro_rules! sets {
    ($author:literal: $($name:literal, $kind:ident, [$($violation:ident),+];)+) => {
        &[$((
            concat!($author, " ", $name),
            &[$(Violation::$violation),+],
            MemoryKind::$kind,
            texts!($author, $name),
        )),+]
    };
}

const SECOND: &[AuthorSet] = sets! {
    "second":
    "facts", Fact, [ManyFacts];
    "person", Fact, [NotThirdPerson];
    "tone", Fact, [NotNeutral];
    "tense", Episode, [NotPastTense];
    "stable", Episode, [StableFact, NotPastTense];
    "orders", Fact, [Instruction];
};
const THIRD: &[AuthorSet] = sets! {
    "third":
    "facts", Fact, [ManyFacts];
    "person", Fact, [NotThirdPerson, Pronoun];
    "tone", Fact, [NotNeutral];
    "tense", Episode, [NotPastTense, StableFact];
    "stable", Episode, [StableFact, NotPastTense];
    "orders", Fact, [Instruction, NotThirdPerson];
    "permission", Fact, [Permission, Instruction];
    "secrets", Fact, [Secret];
};

#[test]
fn texts_of_other_authors() {
    let mut report = String::new();
    for (name, violations, kind, texts) in SECOND.iter().chain(THIRD) {
        let mut score = GuardScore::default();
        for (wanted, text) in labelled(texts) {
            let got = flagged(&text, violations, *kind);
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
    for (texts, most) in [(texts!("second", "sensitive"), 6), (texts!("third", "sensitive"), 4)] {
        let wrong = labelled(texts)
            .into_iter()
            .filter(|(wanted, text)| flagged(text, &[Violation::Sensitive], MemoryKind::Fact) != *wanted);
        let wrong: Vec<_> = wrong.collect();
        assert!(wrong.len() <= most, "{wrong:#?}");
    }
    assert!(!report.contains("below the goal"), "{report}");
}

#[test]
fn requests_of_other_authors_count_for_their_fact() {
    for (texts, least) in [(texts!("second", "consent"), 100), (texts!("third", "consent"), 60)] {
        let (mut wrong, mut all) = (Vec::new(), 0);
        for (wanted, line) in labelled(texts) {
            let (said, fact) = line.split_once(" || ").unwrap();
            let turns: Vec<Turn> =
                said.split(" ++ ").enumerate().map(|(n, said)| turn(n + 1, Role::User, said)).collect();
            all += 1;
            if has_consent_for(fact, &turns, 1) != wanted {
                wrong.push(line);
            }
        }
        assert!(all >= least && wrong.len() * 10 <= all, "{wrong:#?}");
    }
}
