//! Guards on texts of other authors: what one author thinks of is a part of what there is. The guards were tuned on
//! those of the second and the third, and a little on those of the fourth, after they had been measured on them; those
//! of the fifth are only measured.

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
/// The sets that both later authors wrote.
macro_rules! later_sets {
    ($author:literal) => {
        sets! {
            $author:
            "facts", Fact, [ManyFacts];
            "person", Fact, [NotThirdPerson, Pronoun];
            "tone", Fact, [NotNeutral];
            "tense", Episode, [NotPastTense, StableFact];
            "stable", Episode, [StableFact, NotPastTense];
            "orders", Fact, [Instruction, NotThirdPerson];
            "permission", Fact, [Permission, Instruction];
        }
    };
}

const THIRD: &[AuthorSet] = later_sets!("third");
const THIRD_SECRETS: &[AuthorSet] = sets! { "third": "secrets", Fact, [Secret]; };
const FOURTH: &[AuthorSet] = later_sets!("fourth");
/// Recall and precision on the sets of [`FOURTH`], in their order.
const FOURTH_LIMITS: [(f64, f64); 7] =
    [(0.75, 0.96), (1.0, 0.97), (0.82, 0.76), (0.95, 0.92), (0.95, 0.95), (0.82, 1.0), (0.85, 0.95)];

/// Sets for which no rule was made, with the same limits.
const FIFTH: &[AuthorSet] = sets! {
    "fifth":
    "orders", Fact, [Instruction, NotThirdPerson];
    "permission", Fact, [Permission, Instruction];
};
const FIFTH_LIMITS: [(f64, f64); 2] = [(0.77, 0.96), (0.78, 0.9)];

/// The score of one set; what is wrong is appended to the report.
fn score((name, violations, kind, texts): &AuthorSet, report: &mut String) -> GuardScore {
    let mut score = GuardScore::default();
    for (wanted, text) in labelled(texts) {
        let got = flagged(&text, violations, *kind);
        score.add(wanted, got);
        if wanted != got {
            *report += &format!("{name} {} {text}\n", if wanted { "missed" } else { "wrong" });
        }
    }
    score
}

/// The limits are what was reached, a little rounded down: a change that makes one of them worse is noticed.
#[test]
fn texts_of_an_author_in_freer_words() {
    let mut report = String::new();
    assert_eq!((FOURTH.len(), FIFTH.len()), (FOURTH_LIMITS.len(), FIFTH_LIMITS.len()));
    let limits = FOURTH_LIMITS.into_iter().chain(FIFTH_LIMITS);
    for (set, (recall, precision)) in FOURTH.iter().chain(FIFTH).zip(limits) {
        let score = score(set, &mut report);
        report += &format!("{}: recall {:.3} precision {:.3}\n", set.0, score.recall(), score.precision());
        if score.recall() < recall || score.precision() < precision {
            report += "that is below the limit\n";
        }
    }
    assert!(!report.contains("below the limit"), "{report}");
}

#[test]
fn texts_of_other_authors() {
    let mut report = String::new();
    for set in SECOND.iter().chain(THIRD).chain(THIRD_SECRETS) {
        let (name, score) = (set.0, score(set, &mut report));
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
        let (wrong, all) = (wrong_consents(texts), labelled(texts).len());
        assert!(all >= least && wrong.len() * 10 <= all, "{wrong:#?}");
    }
}

/// The messages of a set on which consent is judged wrongly.
fn wrong_consents(texts: &str) -> Vec<String> {
    let is_wrong = |(wanted, line): &(bool, String)| {
        let (said, fact) = line.split_once(" || ").unwrap();
        let turns: Vec<Turn> = (1..)
            .zip(said.split(" ++ "))
            .map(|(number, said)| match said.strip_prefix("Assistant: ") {
                Some(text) => turn(number, Role::Assistant, text),
                None => turn(number, Role::User, said),
            })
            .collect();
        let at = turns.iter().find(|turn| turn.role == Role::User).unwrap().number;
        has_consent_for(fact, &turns, at) != *wanted
    };
    labelled(texts).into_iter().filter(is_wrong).map(|(_, line)| line).collect()
}

#[test]
fn a_pasted_text_agrees_to_nothing() {
    for texts in [
        include_str!("../../../fixtures/guards/consent_pasted.en.txt"),
        include_str!("../../../fixtures/guards/consent_pasted.zh.txt"),
        // Written before the rules. One failure was fixed after the first measurement.
        include_str!("../../../fixtures/guards/judged/consent_pasted.en.txt"),
        include_str!("../../../fixtures/guards/judged/consent_pasted.zh.txt"),
    ] {
        assert!(labelled(texts).len() >= 16);
        assert_eq!(wrong_consents(texts), [""; 0]);
    }
}

/// Rules of a team or a lab, stated as facts without a subject, beside orders: the limits are what was reached.
#[test]
fn chinese_rules_without_a_subject_are_mostly_kept() {
    for (file, least_flagged, least_kept) in [
        (include_str!("../../../fixtures/guards/fresh/statements.zh.txt"), 19, 19),
        (include_str!("../../../fixtures/guards/fresh/statements_second.zh.txt"), 0, 44),
        (include_str!("../../../fixtures/guards/fresh/orders_third.zh.txt"), 8, 13),
        (include_str!("../../../fixtures/guards/fresh/orders_third_judged.zh.txt"), 6, 11),
        // Only measured.
        (include_str!("../../../fixtures/guards/fresh/statements_judged.zh.txt"), 15, 17),
    ] {
        let (mut flags, mut kept, mut report) = (0, 0, String::new());
        for (wanted, text) in labelled(file) {
            let got = flagged(&text, &[Violation::Instruction, Violation::Permission], MemoryKind::Fact);
            (flags, kept) = (flags + usize::from(wanted && got), kept + usize::from(!wanted && !got));
            if wanted != got {
                report += &format!("{} {text}\n", if wanted { "missed" } else { "wrong" });
            }
        }
        assert!(flags >= least_flagged && kept >= least_kept, "{flags} flagged, {kept} kept\n{report}");
    }
}
