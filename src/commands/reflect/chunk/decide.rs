//! Decides on the proposals of one reply: judges each, and plans it on top of the accepted ones.
//!
//! Never calls the model: what is refused is text for it.

use serde_json::Value;

use super::super::decision_text::{
    effects_text, finding_reason, mark_known, mark_refused, redact, redact_decision, redacted_json, refusal_text,
    rejection_reason, string_field, waiting_reason,
};
use super::{AcceptedOperation, ReflectDialogue, is_obstacle, stated_facts};
use crate::change::{Changeset, Effect, EffectSign};
use crate::code::{Code, Rejection};
use crate::commands::results::{DecisionVerdict, ReflectDecision};
use crate::commands::review::reviewed_files;
use crate::llm::{ErrorKind, LlmError};
use crate::operation::{Action, Operation, dialects};
use crate::reflect::guards::{self, GuardFinding, MemoryKind, Violation};
use crate::reflect::host_strings;
use crate::reflect::judge::{JudgeContext, Route, describe_findings, route_proposal};
use crate::reflect::outcome::{self, route_effects};
use crate::reflect::proposal::{Proposal, parse_proposal};
use crate::reflect::removal::{RemovalContext, route_removal};
use crate::text::one_line::cut_with_ellipsis;
use crate::view::diff::unified_diff;

/// The most operations of one reply: as many as a batch may have.
const MAX_OPERATIONS: usize = 1000;

/// How many characters of an operation that cannot be read are reported.
const MAX_UNREADABLE_CHARS: usize = 80;

impl ReflectDialogue<'_, '_, '_> {
    /// Decides on all proposals of a reply. Returns those that are refused, with the reasons; `None` if the dialogue
    /// has ended with an error.
    pub(super) fn decide_all(&mut self, values: &[Value]) -> Option<Vec<(usize, String)>> {
        if values.len() > MAX_OPERATIONS {
            let message =
                format!("the model's answer has {} operations; at most {MAX_OPERATIONS} are read", values.len());
            self.result.error = Some(LlmError::new(ErrorKind::Unusable, message));
            return None;
        }
        self.siblings = stated_facts(values);
        self.last_is_unreadable = false;
        let mut refused = Vec::new();
        for (n, value) in values.iter().enumerate() {
            if self.deadline.remaining().is_none() {
                let message = format!(
                    "the time limit passed while the answer was checked: {n} of its {} operations were done",
                    values.len()
                );
                self.result.error = Some(LlmError::new(ErrorKind::Timeout, message));
                return None;
            }
            if let Err(reason) = self.decide_value(value) {
                refused.push((n, reason));
            }
        }
        Some(refused)
    }

    /// Decides on one proposal. Returns what was done, or why not, as text for the model.
    pub(super) fn decide_value(&mut self, value: &Value) -> Result<String, String> {
        let number = self.result.decisions.len();
        if let Some(secret) = host_strings::find_secret(value) {
            let mut decision = ReflectDecision {
                op: string_field(value, "op"),
                at: Some(string_field(value, "at")).filter(|at| !at.is_empty()),
                text: string_field(value, "text"),
                ..ReflectDecision::default()
            };
            let findings = vec![secret];
            let answer = mark_refused(&mut decision, &findings);
            self.count_first_attempt(&Route::Refused(findings));
            self.note_decision(decision, number);
            self.has_readable_operations = true;
            return answer;
        }
        let proposal = match parse_proposal(value) {
            Ok(proposal) => proposal,
            Err(error) => {
                self.last_is_unreadable = true;
                // For a text with several lines, the guards give better reasons than the parser.
                let findings = if error.code == Code::Multiline {
                    self.has_readable_operations = true;
                    guards::check_text(&string_field(value, "text"), MemoryKind::Fact, self.input.writing_rules)
                } else {
                    Vec::new()
                };
                let (reasons, reply) = if findings.is_empty() {
                    (vec![rejection_reason(&error)], refusal_text(&error))
                } else {
                    (findings.iter().map(finding_reason).collect(), describe_findings(&findings))
                };
                let text = Some(string_field(value, "text")).filter(|text| !text.is_empty());
                let decision = ReflectDecision {
                    verdict: DecisionVerdict::Refused,
                    op: string_field(value, "op"),
                    text: text
                        .unwrap_or_else(|| cut_with_ellipsis(&redacted_json(value), MAX_UNREADABLE_CHARS).into_owned()),
                    reasons,
                    ..ReflectDecision::default()
                };
                self.note_decision(decision, number);
                return Err(reply);
            }
        };
        self.has_readable_operations = true;
        let printed = dialects::to_json(&proposal.operation);
        let mut decision = ReflectDecision {
            op: string_field(&printed, "op"),
            at: Some(string_field(&printed, "at")).filter(|at| !at.is_empty()),
            text: [string_field(&printed, "title"), string_field(&printed, "text")]
                .into_iter()
                .find(|t| !t.is_empty())
                .unwrap_or_default(),
            quote: proposal.quote.as_deref().map(redact),
            turn: proposal.turn,
            ..ReflectDecision::default()
        };
        // A model that corrects one operation often repeats the others, too: do not count those again.
        if self.result.accepted.iter().any(|a| a.operation == proposal.operation) {
            return Ok("that was accepted already".into());
        }
        let result = self.judge(&proposal, &mut decision, number);
        self.note_decision(decision, number);
        result
    }

    /// Notes a decision, unless it repeats an earlier one. The decision on a correction replaces the refusal before it.
    fn note_decision(&mut self, decision: ReflectDecision, number: usize) {
        let decision = redact_decision(decision);
        let is_same = |d: &ReflectDecision| (&d.op, &d.at, &d.text) == (&decision.op, &decision.at, &decision.text);
        // An accepted operation refers to its decision by index.
        let accepted = self.result.accepted.last_mut().filter(|a| a.decision_index == number);
        let decisions = &mut self.result.decisions;
        // The text of a decision on an entry is its title only: the bullets of a correction may be others.
        let is_correctable =
            |d: &ReflectDecision| d.verdict == DecisionVerdict::Refused && d.op != "append" && is_same(d);
        if let Some(refusal) = decisions.iter().position(is_correctable) {
            decisions[refusal] = decision;
            if let Some(accepted) = accepted {
                accepted.decision_index = refusal;
            }
        } else if accepted.is_some() || !decisions.iter().any(|d| is_same(d) && d.verdict == decision.verdict) {
            decisions.push(decision);
        }
    }

    /// What a proposal is compared with: the conversation, and the memory as earlier operations left it.
    fn judge_context(&self) -> JudgeContext<'_> {
        JudgeContext {
            turns: self.input.turns,
            known: self.overlay.bullet_texts(),
            rules: self.input.writing_rules,
            into: self.input.into,
            prefixes: self.input.prefixes,
            asked: &self.asked,
            unconfirmed: self.input.unconfirmed,
            today: self.input.today,
        }
    }

    fn judge(&mut self, proposal: &Proposal, decision: &mut ReflectDecision, number: usize) -> Result<String, String> {
        let first_route = route_proposal(proposal, &self.judge_context());
        self.count_first_attempt(&first_route);
        let evidence = match &first_route {
            Route::Refused(findings) => return self.refuse(proposal, decision, findings),
            Route::AlreadyKnown(found) => return mark_known(decision, found),
            Route::Apply(proof) | Route::Inbox(proof, _) => *proof,
        };
        decision.turn = Some(evidence.turn);
        let changeset = match self.overlay.plan(&proposal.operation) {
            Ok(changeset) => changeset,
            Err(error) => return self.mark_unplanned(proposal, decision, error),
        };
        if changeset.files.is_empty() {
            decision.verdict = DecisionVerdict::Known;
            return Ok("the memory already has that; nothing was changed".into());
        }
        let (files, effects) = self.overlay.planned_effects(&changeset);
        let writes = write_count(&proposal.operation, &effects);
        if let Some(what) = self.exceeded_limit(evidence.turn, writes) {
            return mark_refused(decision, &[GuardFinding { violation: Violation::Limit, excerpt: what.to_owned() }]);
        }
        if decision.text.is_empty() {
            decision.text =
                effects.iter().find(|e| e.sign == EffectSign::Removed).map_or_else(String::new, |e| e.text.clone());
        }
        let planned = outcome::PlannedEffects { effects: &effects, files: &files };
        let found = match self.route_planned(first_route, proposal, &planned) {
            Route::Refused(found) => return self.refuse(proposal, decision, &found),
            Route::AlreadyKnown(found) => return mark_known(decision, &found),
            Route::Inbox(_, found) => Some(found),
            Route::Apply(_) => None,
        };
        let operation = proposal.operation.clone();
        // The quote goes into the journal, which must not contain secrets.
        let quote = proposal.quote.as_deref().map(redact).unwrap_or_default();
        let decision_index = number;
        let accepted = AcceptedOperation { operation, evidence, quote, as_proposal: None, writes, decision_index };
        Ok(self.accept(accepted, changeset, found, decision))
    }

    /// The decision about a proposal, by what it would change.
    fn route_planned(&self, route: Route, proposal: &Proposal, planned: &outcome::PlannedEffects<'_>) -> Route {
        let context = self.judge_context();
        let route = route_effects(route, proposal, planned, &context);
        let is_pinned = |effect: &Effect| self.overlay.is_pinned(&effect.path, &effect.text);
        let removal = RemovalContext { siblings: &self.siblings, is_pinned: &is_pinned };
        route_removal(route, proposal, planned, &context, &removal)
    }

    /// Notes an operation as accepted: to be applied or, for the reasons found, for the files of a person or because
    /// all are to be proposed, as a proposal. Returns the answer to the model.
    fn accept(
        &mut self,
        mut accepted: AcceptedOperation,
        changeset: Changeset,
        found: Option<Vec<GuardFinding>>,
        decision: &mut ReflectDecision,
    ) -> String {
        let reviewed = reviewed_files(self.overlay.session(), &changeset);
        let found = found.or_else(|| (self.input.propose || reviewed.is_some()).then(Vec::new));
        let answer = match &found {
            Some(found) => {
                decision.reasons = found.iter().map(finding_reason).collect();
                let reason = waiting_reason(found, reviewed.as_deref());
                accepted.as_proposal = Some((reason.trim().to_owned(), self.changeset_diff(&changeset)));
                decision.verdict = DecisionVerdict::Proposed;
                "proposed: a person will decide".to_owned()
            }
            None => {
                let answer = effects_text(&changeset);
                decision.verdict = DecisionVerdict::Kept;
                self.overlay.accept(changeset);
                answer
            }
        };
        self.result.accepted.push(accepted);
        answer
    }

    /// Refuses a proposal that cannot be planned.
    fn mark_unplanned(
        &mut self,
        proposal: &Proposal,
        decision: &mut ReflectDecision,
        mut error: Rejection,
    ) -> Result<String, String> {
        // An existing file may only be changed bullet by bullet, even if the model has read it.
        if matches!(proposal.operation.action, Action::Write { .. }) && error.code == Code::NeedsProof {
            let excerpt = "write on an existing file".into();
            return mark_refused(decision, &[GuardFinding { violation: Violation::NotAllowed, excerpt }]);
        }
        decision.verdict = DecisionVerdict::Refused;
        let is_gone = matches!(error.code, Code::BulletChanged | Code::BulletNotFound);
        if is_gone && self.has_changed(&proposal.operation) {
            let at = decision.at.as_deref().unwrap_or_default();
            error.message = format!("{at} was changed by an earlier operation of this answer");
        }
        decision.reasons = vec![rejection_reason(&error)];
        let text = refusal_text(&error);
        if is_obstacle(&error) {
            self.result.obstacle.get_or_insert(error);
        }
        Err(text)
    }

    /// The unified diff of a planned change, file by file, against the texts as earlier operations left them.
    fn changeset_diff(&self, changeset: &Changeset) -> String {
        let diff = changeset.files.iter().map(|file| {
            let before = self.overlay.current_text(&file.path);
            let after = file.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes));
            unified_diff(file.path.as_str(), before.as_deref(), after.as_deref())
        });
        diff.collect()
    }

    /// Refuses a proposal, and remembers if the model was asked about a contradiction.
    fn refuse(
        &mut self,
        proposal: &Proposal,
        decision: &mut ReflectDecision,
        findings: &[GuardFinding],
    ) -> Result<String, String> {
        if findings.iter().any(|f| matches!(f.violation, Violation::Contradiction | Violation::PossibleContradiction)) {
            self.asked.push(proposal.operation.clone());
        }
        mark_refused(decision, findings)
    }

    /// Whether an accepted operation changed what this one names.
    fn has_changed(&self, operation: &Operation) -> bool {
        let at = |operation: &Operation| string_field(&dialects::to_json(operation), "at");
        let is_applied = |a: &&AcceptedOperation| a.as_proposal.is_none();
        self.result.accepted.iter().filter(is_applied).any(|a| at(&a.operation) == at(operation))
    }

    /// Counts first attempts and those that passed the guards.
    fn count_first_attempt(&mut self, route: &Route) {
        if self.is_correction {
            return;
        }
        let passed = !matches!(route, Route::Refused(_));
        self.result.first_attempts.0 += 1;
        self.result.first_attempts.1 += u64::from(passed);
    }

    /// The limit that another accepted operation would exceed.
    fn exceeded_limit(&self, turn: usize, writes: usize) -> Option<&'static str> {
        let limits = self.input.limits;
        let total: usize = self.result.accepted.iter().map(|a| a.writes).sum();
        let total_of_turn: usize =
            self.result.accepted.iter().filter(|a| a.evidence.turn == turn).map(|a| a.writes).sum();
        match (total + writes > limits.max_writes, total_of_turn + writes > limits.max_writes_per_turn) {
            (true, _) => Some("more writes than one chunk allows"),
            (_, true) => Some("more writes than one turn allows"),
            _ => None,
        }
    }
}

/// How many writes an operation counts as: one for an episode, else the number of its bullets.
fn write_count(operation: &Operation, effects: &[Effect]) -> usize {
    let bullets = effects.iter().filter(|e| e.sign == EffectSign::Added && e.handle.is_some()).count();
    if matches!(operation.action, Action::Append { .. }) { 1 } else { bullets.max(1) }
}
