//! Syncs that fail are reported truly: refused, unknown, or not durable.
//!
//! Never takes an answer for the truth: the files are compared with it, and the next command must find its way.

use serde_json::Value;

use super::aftermath::{Expected, verdict, wrong};
use super::errors::named;
use super::place::Place;
use super::{trace, watched};

/// The output of a command when one of its calls fails, and what is wrong with the result.
fn failed_sync(name: &str, call: &str, when: &str) -> (Option<i32>, Value, bool, Vec<String>) {
    let case = named(name);
    let before = Place::before(case);
    let expected = Expected::of(case, &before);
    let place = before.copy();
    let output = place.run(case, &trace::meddling(call, &format!("error=EIO:when={when}")), &[]);
    let printed = if output.status.success() { &output.stdout } else { &output.stderr };
    let answer = serde_json::from_slice(printed).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    let new = place.files() == expected.new;
    (output.status.code(), answer, new, wrong(&place, case, &expected))
}

/// How often a command makes a call.
fn count(name: &str, call: &str) -> usize {
    let case = named(name);
    trace::calls(&Place::before(case), case, &[]).iter().filter(|c| c.name == call).count()
}

#[test]
fn a_sync_that_fails_once_is_refused_as_a_plain_error() {
    if !watched() {
        return;
    }
    for name in ["update", "apply", "rm"] {
        let (status, error, new, wrong) = failed_sync(name, "fdatasync", "1");
        assert_eq!((status, error["code"].as_str(), &error["changed"]), (Some(1), Some("io"), &Value::Bool(false)));
        assert!(!new, "{name}");
        verdict(&format!("one journal sync of {name} fails"), 1, &wrong);
    }
}

#[test]
fn an_uncertain_outcome_is_reported_as_unknown() {
    if !watched() {
        return;
    }
    for name in ["update", "apply", "rm"] {
        let (status, error, _, mut wrong) = failed_sync(name, "fdatasync", "1+");
        let code = error["code"].as_str();
        assert_eq!((status, code, &error["changed"]), (Some(1), Some("outcome_unknown"), &Value::Null), "{name}");
        assert!(error["message"].as_str().unwrap().contains("the next command finishes or undoes it"), "{error}");
        // Its slots stay: a power cut may bring the intent back.
        wrong.retain(|w| !w.starts_with("litter"));
        verdict(&format!("no journal sync of {name} goes through"), 1, &wrong);
    }
}

#[test]
fn a_change_that_a_power_cut_may_undo_is_reported_as_not_durable() {
    if !watched() {
        return;
    }
    for name in ["update", "apply", "rm"] {
        // The folders come last.
        let (status, answer, new, wrong) = failed_sync(name, "fsync", &count(name, "fsync").to_string());
        let warned = answer["warnings"].to_string();
        assert!(status == Some(0) && warned.contains("not_durable"), "{name}: {answer}");
        assert!(new && answer["changed"] == true, "{name}: {answer}");
        verdict(&format!("the last folder sync of {name} fails"), 1, &wrong);
    }
}
