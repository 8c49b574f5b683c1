//! The report of a compaction: for each file and section, what was decided, and by whom.
//!
//! Only collects and formats; decides nothing.

use super::super::results::{
    ChangeResult, CompactAction, CompactDecider, CompactDecisionRow, CompactReport, CompactedSection, TokenCounts,
};
use super::dialogue::{CompactDialogue, STORED_REASONS};
use crate::code::{Code, Warning};
use crate::document::Document;
use crate::operation::evict::EvictionCandidate;
use crate::operation::limits::{ContentSize, LimitedSection, counted_measure, section_size};
use crate::path::MemoryPath;
use crate::policy::LimitMeasure;
use crate::reflect::compaction::{CompactionAction, CompactionDecision, OverLimit};
use crate::text::counted_noun::counted_noun;

/// How the reason begins with which the journal records what age decides.
pub const LIMIT_REASON: &str = "over its limit of";
/// How the source begins with which the journal records what a model decides.
pub const COMPACT_SOURCE: &str = "compact:";

/// What a compaction did. `compact` answers with it; a change that compacts on the side adds it to its warnings.
#[derive(Default)]
pub struct CompactionReport {
    /// One row for each file and section.
    pub rows: Vec<CompactionRow>,
    /// Files and sections that stay over their limit.
    pub still_over_limit: Vec<Warning>,
    /// The model, as `provider/model`.
    pub model: Option<String>,
    /// Token counts of all requests.
    pub tokens: Option<TokenCounts>,
}

impl CompactionReport {
    /// Records the model and its token counts.
    pub fn record_model(&mut self, dialogue: &CompactDialogue<'_>) {
        self.model.clone_from(&dialogue.model_name);
        let tokens = TokenCounts { input: dialogue.usage.input, output: dialogue.usage.output };
        self.tokens = (tokens.input + tokens.output > 0).then_some(tokens);
    }

    /// The report as warnings, for a change that compacts on the side.
    pub fn warnings(&self) -> Vec<Warning> {
        let warning = |row: &CompactionRow| {
            let message = format!("{} was over its limit: {}", row.address, row.summary());
            Warning::new(Code::LimitReached, message)
                .detail("address", row.address.as_str())
                .detail("decided", row.model_decisions)
                .detail("by_age", row.age_evictions)
        };
        self.rows.iter().map(warning).collect()
    }
}

impl CompactionReport {
    /// The answer of `compact`.
    pub fn into_compact_report(self, change: ChangeResult) -> CompactReport {
        let decided = self.rows.iter().map(|r| r.model_decisions).sum();
        let by_age = self.rows.iter().map(|r| r.age_evictions).sum();
        let places: Vec<CompactedSection> = self.rows.into_iter().map(CompactionRow::into_answer).collect();
        CompactReport { change, places, decided, by_age, model: self.model, tokens: self.tokens }
    }
}

/// One file or section.
pub struct CompactionRow {
    address: String,
    measure: LimitMeasure,
    before: usize,
    after: usize,
    limit: usize,
    decisions: Vec<CompactDecisionRow>,
    /// Number of decisions by the model that were applied.
    pub model_decisions: usize,
    /// Number of items archived because of their age.
    pub age_evictions: usize,
    /// Why items were archived by age instead of by a model decision; `None` where they were not.
    pub fallback_reason: Option<String>,
    model: bool,
}

impl CompactionRow {
    /// Describes the file or section before the compaction.
    pub fn new(address: String, limited: &LimitedSection, document: &Document) -> CompactionRow {
        let excess = limited.excess(document);
        let measure = match excess {
            ContentSize { entries: 1.., .. } => LimitMeasure::Entries,
            ContentSize { bullets: 1.., .. } => LimitMeasure::Bullets,
            _ => LimitMeasure::Chars,
        };
        let limit = match measure {
            LimitMeasure::Bullets => limited.limits.bullets,
            LimitMeasure::Entries => limited.limits.entries,
            LimitMeasure::Chars => limited.limits.chars,
        };
        let size_before = section_size(document, limited.section).measured(measure);
        CompactionRow {
            address,
            measure,
            before: size_before,
            after: size_before,
            limit: limit.unwrap_or_default(),
            decisions: Vec::new(),
            model_decisions: 0,
            age_evictions: 0,
            fallback_reason: None,
            model: false,
        }
    }

    /// Updates the current size.
    pub fn update_size(&mut self, limited: &LimitedSection, document: &Document) {
        self.after = section_size(document, limited.section).measured(self.measure);
    }

    /// Whether anything was decided.
    pub fn has_decisions(&self) -> bool {
        !self.decisions.is_empty()
    }

    /// The limit and why age decides, as the reason of an eviction: in words of our own, because it is stored, and an
    /// error names the host or quotes the model.
    pub fn limit_reason(&self) -> String {
        let known = |reason: &str| STORED_REASONS.into_iter().find(|known| reason.starts_with(known));
        let why =
            self.fallback_reason.as_deref().map(|reason| known(reason).unwrap_or("the model could not be called"));
        let why = why.map_or_else(String::new, |why| format!("; {why}"));
        format!("{LIMIT_REASON} {}: first in, first out{why}", counted_measure(self.limit, self.measure))
    }

    /// Records decisions of the model.
    pub fn record_decisions(&mut self, over_limit: &OverLimit, decisions: &[CompactionDecision]) {
        let name = |at: &usize| {
            let separator = if over_limit.entries { '#' } else { '@' };
            format!("{}{separator}{}", over_limit.path, over_limit.items[*at].name)
        };
        for decision in decisions {
            let action = match decision.action {
                CompactionAction::Delete => CompactAction::Delete,
                CompactionAction::Rewrite if decision.absorbs.is_empty() => CompactAction::Edit,
                CompactionAction::Rewrite => CompactAction::Merge,
            };
            self.model_decisions += 1;
            self.decisions.push(CompactDecisionRow {
                by: CompactDecider::Model,
                action,
                target: name(&decision.target),
                absorbs: decision.absorbs.iter().map(name).collect(),
                reason: Some(decision.reason.clone()).filter(|r| !r.is_empty()),
            });
        }
        self.model = true;
    }

    /// Records that age decides, and why.
    pub fn record_fallback(&mut self, reason: Option<String>) {
        self.fallback_reason = reason;
    }

    /// Records the items archived because of their age.
    pub fn record_evictions(&mut self, document: &Document, path: &MemoryPath, candidates: &[EvictionCandidate]) {
        for candidate in candidates {
            let target = match candidate {
                EvictionCandidate::Bullet(i) => format!("{path}@{}", document.handle_name(*i)),
                EvictionCandidate::Entry(s) => format!("{path}#{}", document.sections()[*s].slug),
            };
            self.age_evictions += 1;
            self.decisions.push(CompactDecisionRow {
                by: CompactDecider::Age,
                action: CompactAction::Archive,
                target,
                absorbs: Vec::new(),
                reason: None,
            });
        }
    }

    /// A summary such as `11 bullets, now 10: 1 decision of the model`.
    fn summary(&self) -> String {
        let mut parts = Vec::new();
        if self.model_decisions > 0 {
            parts.push(format!("{} of the model", counted_noun(self.model_decisions, "decision")));
        }
        if self.age_evictions > 0 {
            let reason = self.fallback_reason.as_deref().map(|reason| format!("; {reason}")).unwrap_or_default();
            parts.push(format!("{} of the oldest moved to archive/ (first in, first out{reason})", self.age_evictions));
        }
        format!("{}, now {}: {}", counted_measure(self.before, self.measure), self.after, parts.join(", "))
    }

    /// The row for the answer.
    pub fn into_answer(self) -> CompactedSection {
        CompactedSection {
            sentence: self.summary(),
            measure: self.measure,
            was: self.before,
            now: self.after,
            most: self.limit,
            decided: self.model_decisions,
            by_age: self.age_evictions,
            reason: self.fallback_reason.filter(|_| self.age_evictions > 0),
            decisions: self.decisions,
            address: self.address,
        }
    }
}
