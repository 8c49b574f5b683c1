//! The decisions of a report.
//!
//! Keeps no decision with a secret in it: what a model wrote may contain a key that its host knows.

use std::ops::Deref;

use serde::Serialize;

use super::{ReflectDecision, RefusalReason};
use crate::reflect::guards::Violation;
use crate::text::secrets;

/// Decisions as they may be printed: secrets are redacted from each one that is added.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct DecisionList(Vec<ReflectDecision>);

impl DecisionList {
    /// Adds a decision.
    pub fn push(&mut self, decision: ReflectDecision) {
        self.0.push(redact_decision(decision));
    }
}

impl Deref for DecisionList {
    type Target = [ReflectDecision];

    fn deref(&self) -> &[ReflectDecision] {
        &self.0
    }
}

impl Extend<ReflectDecision> for DecisionList {
    fn extend<T: IntoIterator<Item = ReflectDecision>>(&mut self, decisions: T) {
        decisions.into_iter().for_each(|decision| self.push(decision));
    }
}

impl IntoIterator for DecisionList {
    type Item = ReflectDecision;
    type IntoIter = std::vec::IntoIter<ReflectDecision>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// A decision without secrets. Beside a secret, no other reason quotes the text, which may have a part of it.
fn redact_decision(decision: ReflectDecision) -> ReflectDecision {
    let redact = |text: String| secrets::redact(&text).0;
    let has_secret = decision.reasons.iter().any(|reason| reason.name == Violation::Secret.name());
    let reason = |reason: RefusalReason| {
        if has_secret && reason.name != Violation::Secret.name() {
            RefusalReason { what: String::new(), ..reason }
        } else {
            RefusalReason { what: redact(reason.what), ..reason }
        }
    };
    ReflectDecision {
        op: redact(decision.op),
        at: decision.at.map(redact),
        text: redact(decision.text),
        quote: decision.quote.map(redact),
        reasons: decision.reasons.into_iter().map(reason).collect(),
        ..decision
    }
}
