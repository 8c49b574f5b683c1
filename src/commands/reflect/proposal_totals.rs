//! Counts what models proposed and what the guards decided, of one run or over all days.
//!
//! Never holds a text: names of guards and error codes only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::chunk::ChunkResult;
use crate::commands::results::{DecisionVerdict, ReflectDecision};
use crate::reflect::guards::Violation;

/// What became of the proposals of models, as counts that are added up over chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalTotals {
    /// Number of texts that models proposed, and how many of them passed all writing rules at the first attempt.
    #[serde(default, rename = "first")]
    pub first_attempts: (u64, u64),
    /// Number of proposals that were compared with the conversation, and how many of them it supports.
    #[serde(default)]
    pub grounded: (u64, u64),
    /// Number of refusals for each guard or error code.
    #[serde(default)]
    pub refused: BTreeMap<String, u64>,
    /// Number of chunks of conversations that were read, and in how many of them nothing was worth keeping.
    #[serde(default, rename = "pieces")]
    pub chunks: (u64, u64),
}

impl ProposalTotals {
    /// The counts of a chunk.
    pub fn of(result: &ChunkResult) -> ProposalTotals {
        // One that failed is read again.
        let chunks = match (&result.error, &result.obstacle) {
            (None, None) => (1, u64::from(result.accepted.is_empty())),
            _ => (0, 0),
        };
        let mut totals = ProposalTotals { first_attempts: result.first_attempts, chunks, ..ProposalTotals::default() };
        for decision in &result.decisions {
            if let Some(supported) = is_grounded(decision) {
                totals.grounded = (totals.grounded.0 + 1, totals.grounded.1 + u64::from(supported));
            }
            for reason in decision.reasons.iter().filter(|_| decision.verdict == DecisionVerdict::Refused) {
                *totals.refused.entry(reason.name.clone()).or_default() += 1;
            }
        }
        totals
    }

    /// The share of texts that passed all writing rules at the first attempt, 0 to 1; `None` without any.
    pub fn first_pass(&self) -> Option<f64> {
        share(self.first_attempts)
    }

    /// The share of proposals that the conversation supports, 0 to 1; `None` without any.
    pub fn grounded_share(&self) -> Option<f64> {
        share(self.grounded)
    }
}

impl std::ops::AddAssign<&ProposalTotals> for ProposalTotals {
    fn add_assign(&mut self, other: &ProposalTotals) {
        self.first_attempts =
            (self.first_attempts.0 + other.first_attempts.0, self.first_attempts.1 + other.first_attempts.1);
        self.grounded = (self.grounded.0 + other.grounded.0, self.grounded.1 + other.grounded.1);
        self.chunks = (self.chunks.0 + other.chunks.0, self.chunks.1 + other.chunks.1);
        for (name, count) in &other.refused {
            *self.refused.entry(name.clone()).or_default() += count;
        }
    }
}

/// Whether the conversation supports a proposal; `None` where something else decided before it was compared.
fn is_grounded(decision: &ReflectDecision) -> Option<bool> {
    let has = |violation: Violation| decision.reasons.iter().any(|reason| reason.name == violation.name());
    match decision.verdict {
        DecisionVerdict::Kept | DecisionVerdict::Proposed => Some(!has(Violation::Ungrounded)),
        DecisionVerdict::Refused if has(Violation::NoEvidence) || has(Violation::InjectedEvidence) => Some(false),
        _ => None,
    }
}

fn share((all, some): (u64, u64)) -> Option<f64> {
    (all > 0).then(|| some as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::results::RefusalReason;

    #[test]
    fn what_was_decided_before_the_comparison_does_not_count_as_grounded() {
        let decision = |verdict, names: &[&str]| ReflectDecision {
            verdict,
            reasons: names.iter().map(|n| RefusalReason { name: (*n).into(), what: String::new() }).collect(),
            ..ReflectDecision::default()
        };
        let decisions = vec![
            decision(DecisionVerdict::Kept, &[]),
            decision(DecisionVerdict::Proposed, &["sensitive"]),
            decision(DecisionVerdict::Proposed, &["ungrounded", "sensitive"]),
            decision(DecisionVerdict::Refused, &["no_evidence", "pronoun"]),
            decision(DecisionVerdict::Refused, &["pronoun"]),
            decision(DecisionVerdict::Refused, &["bullet_not_found"]),
            decision(DecisionVerdict::Known, &["duplicate"]),
        ];
        let totals = ProposalTotals::of(&ChunkResult { decisions, first_attempts: (6, 4), ..ChunkResult::default() });
        assert_eq!((totals.grounded, totals.grounded_share()), ((4, 2), Some(0.5)));
        let refused: Vec<_> = totals.refused.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        assert_eq!(refused, [("bullet_not_found", 1), ("no_evidence", 1), ("pronoun", 2)]);
        let mut all = totals.clone();
        all += &totals;
        assert_eq!((all.first_attempts, all.grounded, all.refused["pronoun"]), ((12, 8), (8, 4), 4));
        assert_eq!(all.chunks, (2, 2), "nothing was accepted");
        assert_eq!(ProposalTotals::default().first_pass(), None);
    }
}
