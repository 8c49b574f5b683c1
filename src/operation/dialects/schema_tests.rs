//! The published schema and the parser of operations accept the same values.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::json_shape::sample::{ChoiceTape, all_patterns, check_pattern_agreement, schema_validator};

/// Generates operations that are valid or nearly valid, in every dialect and envelope.
fn random_input(tape: &mut ChoiceTape) -> Value {
    let mut operation = |tape: &mut ChoiceTape| {
        let forms: Vec<&ShapeForm> = own_dialect::FORMS.iter().copied().chain(other_dialect_forms()).collect();
        let form = *tape.pick(&forms);
        tape.object(form, &mut |tape| tape.any_value())
    };
    match tape.number_below(10) {
        0 => (0..tape.number_below(4)).map(|_| operation(tape)).collect(),
        1 => tape.object(envelope::FORMS[0], &mut operation),
        2 => tape.object(envelope::FORMS[1], &mut operation),
        3 if tape.once_in(4) => tape.any_value(),
        _ => operation(tape),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC*", json in "[\\[\\]{}\":,a0-9 \n`\\\\-]{0,40}") {
        _ = parse_batch(&text);
        _ = parse_batch(&json);
    }
}

/// The schema and the parser accept the same values, and an accepted operation survives printing and parsing.
#[test]
fn the_schema_accepts_what_the_reader_accepts() {
    let valid = schema_validator(operations_schema());
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let (accepted, all) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    runner
        .run(&proptest::collection::vec(any::<u16>(), 0..120), |tape| {
            let value = random_input(&mut ChoiceTape::new(&tape, &[]));
            let read = parse_batch(&value.to_string());
            all.set(all.get() + 1);
            prop_assert_eq!(valid(&value), read.is_ok(), "{} {:?}", value, read);
            let Ok(read) = read else { return Ok(()) };
            accepted.set(accepted.get() + 1);
            let printed: Vec<Value> = read.operations.iter().map(to_json).collect();
            prop_assert!(valid(&json!(printed)), "{:?}", printed);
            prop_assert_eq!(&parse_batch(&json!(printed).to_string()).unwrap().operations, &read.operations);
            Ok(())
        })
        .unwrap();
    // A fuzzer that generates mostly invalid values would not test the valid ones, and vice versa.
    assert!(accepted.get() * 4 > all.get() && accepted.get() * 4 < all.get() * 3, "{accepted:?} of {all:?}");
}

#[test]
fn text_checks_and_patterns_agree() {
    let all = all_patterns(
        own_dialect::FORMS.iter().copied().chain(other_dialect_forms()).chain(envelope::FORMS.iter().copied()),
    );
    assert!(all.len() >= 8, "{}", all.len());
    all.iter().for_each(|p| check_pattern_agreement(p, &[]));
}
