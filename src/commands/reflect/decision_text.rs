//! Formats decisions: as text for the model, and as reasons for the answer.
//!
//! Decides nothing. Text for a model is framed as data and contains no secrets.

use serde_json::Value;

use crate::change::{Changeset, Effect};
use crate::code::Rejection;
use crate::commands::results::{DecisionVerdict, ReflectDecision, RefusalReason};
use crate::commands::review::REVIEW_REASON;
use crate::reflect::chunks;
use crate::reflect::guards::GuardFinding;
use crate::reflect::judge::describe_findings;
use crate::text::json_strings::map_strings;

/// Text without secrets: they must not leave this machine.
pub fn redact(text: &str) -> String {
    crate::text::secrets::redact(text).0
}

/// A JSON value as text without secrets. They are found in its strings: JSON's own notation escapes the quotes between
/// which some are recognised.
pub fn redacted_json(value: &Value) -> String {
    let mut value = value.clone();
    map_strings(&mut value, &redact);
    value.to_string()
}

/// Marks a decision as refused; returns the reasons as text for the model.
pub fn mark_refused(decision: &mut ReflectDecision, findings: &[GuardFinding]) -> Result<String, String> {
    decision.verdict = DecisionVerdict::Refused;
    decision.reasons = findings.iter().map(finding_reason).collect();
    Err(describe_findings(findings))
}

/// Marks a decision as known.
pub fn mark_known(decision: &mut ReflectDecision, findings: &[GuardFinding]) -> Result<String, String> {
    decision.verdict = DecisionVerdict::Known;
    decision.reasons = findings.iter().map(finding_reason).collect();
    Ok("the memory already has this; nothing was changed".into())
}

/// A string field of an object; empty if it is missing.
pub fn string_field(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub fn finding_reason(found: &GuardFinding) -> RefusalReason {
    RefusalReason { name: found.violation.name().to_owned(), what: redact(&found.excerpt) }
}

/// Why a proposal waits: what was found about it, else the files whose changes a person reviews, else that all do.
pub fn waiting_reason(findings: &[GuardFinding], reviewed: Option<&str>) -> String {
    let reasons = findings.iter().map(finding_reason).map(|r| format!("{} {}", r.name, r.what));
    match (findings, reviewed) {
        ([], Some(what)) => format!("{REVIEW_REASON}{what}"),
        ([], None) => "every operation is a proposal in this run".to_owned(),
        _ => reasons.collect::<Vec<_>>().join(", "),
    }
}

pub fn rejection_reason(error: &Rejection) -> RefusalReason {
    RefusalReason { name: error.code.name().to_owned(), what: redact(&error.message) }
}

/// A decision as it may be printed: what a model wrote may contain a key that its host knows.
pub fn redact_decision(decision: ReflectDecision) -> ReflectDecision {
    let text = |text: Option<String>| text.map(|text| redact(&text));
    ReflectDecision {
        op: redact(&decision.op),
        at: text(decision.at),
        text: redact(&decision.text),
        quote: text(decision.quote),
        ..decision
    }
}

/// An error as text for the model.
pub fn refusal_text(error: &Rejection) -> String {
    let hint = error.hint.as_ref().map_or(String::new(), |h| format!("; {h}"));
    redact(&chunks::escape_frame_tags(&format!("refused: {}: {}{hint}", error.code.name(), error.message)))
}

/// The effects of a change, with the current handles of its bullets.
pub fn effects_text(changeset: &Changeset) -> String {
    let line = |e: &Effect| {
        let handle = e.handle.as_ref().map_or(String::new(), |h| format!("@{h} "));
        format!("{} {}: {handle}{}", e.sign.symbol(), e.path, e.text)
    };
    // Removed text may contain secrets, so it is redacted as well.
    redact(&chunks::escape_frame_tags(&changeset.effects.iter().map(line).collect::<Vec<_>>().join("\n")))
}
