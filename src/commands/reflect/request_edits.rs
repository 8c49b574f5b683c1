//! Judges the edits of a request: each names an item by its path and its text, passes the guards, and can be planned;
//! the request's words are the evidence.
//!
//! Writes nothing. Edits are one batch: if one is refused, none is made.

use anyhow::anyhow;
use serde_json::{Map, Value};

use super::chunk::is_obstacle;
use super::decision_text::{finding_reason, redact, redact_decision, refusal_text, rejection_reason, string_field};
use super::overlay::{ReflectOverlay, first_rejection};
use super::request_memory::RequestMemory;
use crate::code::{Code, Rejection};
use crate::commands::change::plan_batch;
use crate::commands::results::{DecisionVerdict, ReflectDecision, RefusalReason};
use crate::commands::{ChangeOptions, Session};
use crate::document::{Document, MetaKey};
use crate::llm::ModelReply;
use crate::operation::{Action, Operation, Snapshot, Target, dialects};
use crate::reflect::guards::{self, GuardFinding, MemoryKind, OtherText, Violation, WritingRules};
use crate::reflect::host_strings;
use crate::reflect::judge::{JudgeContext, Route, describe_findings, route_proposal};
use crate::reflect::outcome::{PlannedEffects, route_effects};
use crate::reflect::proposal::{Proposal, parse_proposal};
use crate::reflect::removal::{RemovalContext, route_removal};
use crate::reflect::request::{EditorAnswer, NamedItem, NamedProblem, parse_editor, resolve_item};
use crate::transcript::{Role, Turn};

/// How often the editor is called: its answer and two corrections.
pub const MAX_CALLS: usize = 3;

/// What became of an answer of the editor.
pub enum JudgedAnswer {
    Edits(JudgedEdits),
    NoChange(String),
    Rejected(String),
}

/// Edits with the decision about each.
#[derive(Default)]
pub struct JudgedEdits {
    /// The operations of the edits that pass, in order.
    pub operations: Vec<Operation>,
    pub decisions: Vec<ReflectDecision>,
    pub reasoning: String,
    /// Why the edits that do not pass are refused, for the model, by their index.
    refused: Vec<(usize, String)>,
}

impl JudgedEdits {
    pub fn is_refused(&self) -> bool {
        !self.refused.is_empty()
    }
}

/// What edits are judged by.
pub struct EditJudge<'a, 's> {
    pub session: &'s Session,
    pub memory: &'a RequestMemory,
    /// The memory before the request; no edit is ever accepted there.
    pub overlay: &'a mut ReflectOverlay<'s>,
    /// The items that a search named: their texts are known to the editor.
    pub found: &'a [usize],
    /// The request, as the only turn of a conversation.
    pub turns: [Turn; 1],
    pub rules: &'a WritingRules,
    /// The source of the operations.
    pub source: String,
    /// How many answers were read.
    pub answers: usize,
    /// Edits of earlier answers that were refused, and that no later answer corrected or sent again.
    pub given_up: Vec<ReflectDecision>,
    /// The edits of the last answer that passed.
    pub passed: Vec<ReflectDecision>,
    /// Why the memory could not be read as an edit needs it, if so.
    pub obstacle: Option<Rejection>,
}

/// The request as evidence.
pub fn request_turn(request: &str) -> [Turn; 1] {
    [Turn { number: 1, role: Role::User, at: None, text: request.to_owned(), injected: false }]
}

/// An edit as an operation on the item that it names.
struct ResolvedEdit {
    proposal: Proposal,
    /// The text of the item that it changes or removes.
    replaced: Option<String>,
    /// The machine key of a new item.
    id: Option<String>,
}

impl EditJudge<'_, '_> {
    /// Reads an answer.
    ///
    /// # Errors
    /// What the model should correct, in words for it.
    pub fn read(&mut self, reply: &ModelReply) -> anyhow::Result<JudgedAnswer> {
        self.answers += 1;
        let (edits, reasoning) = match parse_editor(&reply.text, &reply.call_arguments())? {
            EditorAnswer::NoChange(reason) => return Ok(JudgedAnswer::NoChange(reason)),
            EditorAnswer::Rejected(reason) => return Ok(JudgedAnswer::Rejected(reason)),
            EditorAnswer::Proceed(edits, reason) => (edits, reason),
        };
        let (judged, refused) = self.judge(&edits);
        let judged = JudgedEdits { reasoning, ..judged };
        if judged.is_refused() && self.answers < MAX_CALLS && self.obstacle.is_none() {
            self.given_up.extend(refused);
            let line = |(n, reason): &(usize, String)| format!("edit {}: {reason}", n + 1);
            let reasons: Vec<String> = judged.refused.iter().map(line).collect();
            Err(anyhow!(
                "Nothing was changed, because edits were refused.\n{}\nSend all edits again, without those that cannot be corrected",
                reasons.join("\n")
            ))
        } else {
            Ok(JudgedAnswer::Edits(judged))
        }
    }

    /// Judges edits. Also returns the decisions about those that are refused for what they are.
    fn judge(&mut self, edits: &[Map<String, Value>]) -> (JudgedEdits, Vec<ReflectDecision>) {
        let mut judged = JudgedEdits::default();
        let resolved: Vec<_> = edits.iter().map(|edit| self.resolve(edit)).collect();
        let replaced: Vec<&String> = resolved.iter().flatten().filter_map(|edit| edit.replaced.as_ref()).collect();
        // What this batch itself takes away is no duplicate of what it adds, and contradicts nothing.
        let mut known: Vec<String> = self.overlay.bullet_texts().to_vec();
        for text in replaced {
            if let Some(at) = known.iter().position(|other| other == text) {
                known.swap_remove(at);
            }
        }
        let mut numbers = Vec::new();
        for (n, (edit, resolved)) in edits.iter().zip(&resolved).enumerate() {
            let mut decision = ReflectDecision::default();
            let result = match resolved {
                Ok(resolved) => {
                    describe(&mut decision, resolved);
                    self.judge_edit(resolved, &known, &mut decision)
                }
                Err((reason, reply)) => {
                    decision.op = string_field(&Value::Object(edit.clone()), "operation");
                    decision.at = edit.get("path").and_then(Value::as_str).map(str::to_owned);
                    decision.text = NamedItem::of(&Value::Object(edit.clone())).value;
                    refuse(&mut decision, reason.clone(), reply.clone())
                }
            };
            match result {
                Ok(operations) => {
                    known.extend(operations.iter().filter_map(|operation| match &operation.action {
                        Action::Add { text, .. } | Action::Update { text, .. } => Some(text.clone()),
                        _ => None,
                    }));
                    // A model that repeats an edit means it once.
                    for operation in operations {
                        if !judged.operations.contains(&operation) {
                            numbers.push(n);
                            judged.operations.push(operation);
                        }
                    }
                }
                Err(reason) => judged.refused.push((n, reason)),
            }
            judged.decisions.push(redact_decision(decision));
        }
        if !judged.is_refused() && !judged.operations.is_empty() {
            self.plan_all(&mut judged, &numbers);
        }
        self.settle_earlier(&judged.decisions);
        let is_refused = |n: &usize| judged.refused.iter().any(|(refused, _)| refused == n);
        let (refused, passed): (Vec<usize>, Vec<usize>) = (0..judged.decisions.len()).partition(is_refused);
        let decisions = |all: Vec<usize>| all.into_iter().map(|n| judged.decisions[n].clone()).collect();
        let refused = decisions(refused);
        self.passed = decisions(passed);
        if judged.is_refused() {
            judged.operations.clear();
            for decision in judged.decisions.iter_mut().filter(|decision| decision.verdict == DecisionVerdict::Kept) {
                decision.verdict = DecisionVerdict::Refused;
                let what = "another edit of the request is refused".to_owned();
                decision.reasons = vec![RefusalReason { name: "batch".into(), what }];
            }
        }
        (judged, refused)
    }

    /// Drops the refused edits of earlier answers that this answer has, as they were or corrected: another text at the
    /// same place, or the same text at another one.
    fn settle_earlier(&mut self, decisions: &[ReflectDecision]) {
        let is_same = |a: &ReflectDecision, b: &ReflectDecision| (&a.op, &a.at, &a.text) == (&b.op, &b.at, &b.text);
        let mut corrections: Vec<&ReflectDecision> =
            decisions.iter().filter(|decision| !self.passed.iter().any(|passed| is_same(passed, decision))).collect();
        self.given_up.retain(|refused| {
            let fits = |d: &&ReflectDecision| {
                own_verb(&d.op) == own_verb(&refused.op) && (d.at == refused.at || d.text == refused.text)
            };
            let exact = corrections.iter().position(|decision| is_same(decision, refused));
            let at = exact.or_else(|| corrections.iter().position(fits));
            at.map(|at| corrections.swap_remove(at)).is_none()
        });
    }

    /// The operation of an edit, on the item that it names.
    fn resolve(&self, edit: &Map<String, Value>) -> Result<ResolvedEdit, (RefusalReason, String)> {
        let rejected = |error: &Rejection| (rejection_reason(error), refusal_text(error));
        if let Some(secret) = host_strings::find_secret(&Value::Object(edit.clone())) {
            return Err((finding_reason(&secret), describe_findings(&[secret])));
        }
        let mut edit = edit.clone();
        let named = NamedItem::of(&Value::Object(edit.clone()));
        let is_update = edit.get("operation").and_then(Value::as_str) == Some("update");
        let mut id = None;
        if let Some(Value::Object(new)) = edit.get_mut("new_value") {
            new.retain(|_, value| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty()));
            // memdir writes the date itself, and how long a fact lasts is for a person to say.
            new.retain(|key, _| !["added", "durability"].contains(&key.as_str()));
            if new.contains_key("display") {
                id = new.remove("item").and_then(|item| item.as_str().map(str::to_owned)).filter(|id| is_usable_id(id));
            }
            // Metadata alone: the text stays.
            if is_update && !new.contains_key("display") && !new.contains_key("item") {
                let item = self.find(&named).map_err(|error| rejected(&error))?;
                new.insert("display".into(), self.memory.items[item].text.clone().into());
            }
        }
        // The item is found by its text; as a value it would be compared a second time, letter by letter.
        edit.remove("current_value");
        let mut proposal = parse_proposal(&Value::Object(edit)).map_err(|error| rejected(&error))?;
        (proposal.quote, proposal.turn) = (Some(self.turns[0].text.clone()), Some(1));
        proposal.operation.source = Some(self.source.clone());
        let mut replaced = None;
        if let Action::Add { meta, .. } | Action::Update { meta, .. } = &mut proposal.operation.action {
            meta.retain(|(key, _)| MetaKey::from_name(key).is_some_and(MetaKey::is_for_models));
        }
        match &mut proposal.operation.action {
            Action::Update { at, index, old: current, .. } | Action::Remove { at, index, text: current, .. } => {
                let item = &self.memory.items[self.find(&named).map_err(|error| rejected(&error))?];
                *at = Target::Address(item.address.clone());
                (*index, *current) = (None, Some(item.text.clone()));
                replaced = Some(item.text.clone());
            }
            Action::Add { .. } => {}
            _ => {
                let message = "an edit is insert, update, delete or no_change";
                return Err(rejected(&Rejection::new(Code::InvalidOperation, message)));
            }
        }
        if let Action::Remove { if_exists, .. } = &mut proposal.operation.action {
            *if_exists = false;
        }
        // What a person wrote need not pass the rules again when only its metadata is set.
        if let Action::Update { at, text, children, meta, .. } = &proposal.operation.action
            && replaced.as_ref() == Some(text)
            && children.is_empty()
            && !meta.is_empty()
        {
            proposal.operation.action = Action::Set { at: at.clone(), pairs: meta.clone() };
        }
        Ok(ResolvedEdit { proposal, replaced, id })
    }

    /// The item that an edit names.
    fn find(&self, named: &NamedItem) -> Result<usize, Rejection> {
        let items = &self.memory.items;
        resolve_item(named, items, self.found).map_err(|problem| {
            let path = &named.path;
            let not_found = |message: String| Rejection::new(Code::BulletNotFound, message);
            match problem {
                NamedProblem::NotFound => not_found(format!("there is no item at {path}")),
                NamedProblem::NoValue => {
                    Rejection::new(Code::NeedsProof, format!("the item at {path} needs its current_value"))
                }
                NamedProblem::OtherValue(Some(at)) => {
                    let message = format!("the item at {path} is '{}'", items[at].text);
                    Rejection::new(Code::TextMismatch, message).hint("current_value is the text of the item at path")
                }
                NamedProblem::OtherValue(None) => {
                    not_found(format!("no item at {path} is '{}', or several are", named.value))
                }
            }
        })
    }

    /// Judges one edit on the memory as it was. Returns its operations; none if the memory has it already.
    fn judge_edit(
        &mut self,
        edit: &ResolvedEdit,
        known: &[String],
        decision: &mut ReflectDecision,
    ) -> Result<Vec<Operation>, String> {
        let proposal = &edit.proposal;
        let prefixes = &self.session.prefixes;
        let today = &self.session.now.date().to_string();
        let turns = &self.turns;
        let context =
            JudgeContext { turns, known, rules: self.rules, into: None, prefixes, asked: &[], unconfirmed: &[], today };
        let route = match route_proposal(proposal, &context) {
            Route::Refused(found) => return refuse_findings(decision, &found),
            Route::AlreadyKnown(found) => return already_known(decision, edit, &found),
            route => route,
        };
        let changeset = match self.overlay.plan(&proposal.operation) {
            Ok(changeset) => changeset,
            Err(error) => {
                let reply = refusal_text(&error);
                let reason = rejection_reason(&error);
                if is_obstacle(&error) {
                    self.obstacle.get_or_insert(error);
                }
                return refuse(decision, reason, reply);
            }
        };
        if let Some(file) = changeset.files.iter().find(|file| !self.memory.may_change(&file.path)) {
            let excerpt = format!("{} has none of the tags", file.path);
            return refuse_findings(decision, &[GuardFinding { violation: Violation::NotAllowed, excerpt }]);
        }
        let mut operations = Vec::new();
        if !changeset.files.is_empty() {
            let (files, effects) = self.overlay.planned_effects(&changeset);
            let planned = PlannedEffects { effects: &effects, files: &files };
            let route = route_effects(route, proposal, &planned, &context);
            let route = match proposal.operation.action {
                // The request says that the item ended, and a person may ask for what is pinned.
                Action::Remove { .. } => route,
                _ => {
                    let removal = RemovalContext { siblings: &[], is_pinned: &|_| false };
                    route_removal(route, proposal, &planned, &context, &removal)
                }
            };
            match route {
                Route::Apply(_) => {}
                // A person asked, and can say it in other words or make the change; nothing waits.
                Route::Refused(found) | Route::Inbox(_, found) => return refuse_findings(decision, &found),
                Route::AlreadyKnown(found) => return already_known(decision, edit, &found),
            }
            operations.push(with_id(&proposal.operation, edit.id.as_deref().filter(|id| !self.has_id(id))));
        }
        decision.verdict = if operations.is_empty() { DecisionVerdict::Known } else { DecisionVerdict::Kept };
        Ok(operations)
    }

    /// Whether a bullet has this id. A new bullet is then added without one.
    fn has_id(&self, id: &str) -> bool {
        let in_document = |document: &Document| {
            (0..document.bullets().len()).any(|at| document.bullet_id(at).is_some_and(|other| other == id))
        };
        self.overlay.fact_files().any(|(_, document)| in_document(document))
    }

    /// Plans the operations as one batch, as it will be made.
    fn plan_all(&mut self, judged: &mut JudgedEdits, numbers: &[usize]) {
        let planned = plan_batch(self.session, &mut Snapshot::new(), &judged.operations, &ChangeOptions::default());
        let Err(error) = planned else { return };
        let operation = error.rejections.first().and_then(|rejection| rejection.operation);
        let rejection = first_rejection(error);
        let number = operation.and_then(|n| numbers.get(n).copied()).unwrap_or_default();
        if is_obstacle(&rejection) {
            self.obstacle.get_or_insert(rejection.clone());
        }
        let decision = &mut judged.decisions[number];
        (decision.verdict, decision.reasons) = (DecisionVerdict::Refused, vec![rejection_reason(&rejection)]);
        judged.refused.push((number, refusal_text(&rejection)));
    }
}

/// The verb of an edit that names no item is that of the answer; that of others, memdir's own.
fn own_verb(op: &str) -> &str {
    match op {
        "insert" => "add",
        "delete" => "rm",
        op => op,
    }
}

/// The fields of a decision that are those of the operation.
fn describe(decision: &mut ReflectDecision, edit: &ResolvedEdit) {
    let printed = dialects::to_json(&edit.proposal.operation);
    decision.op = string_field(&printed, "op");
    decision.at = Some(string_field(&printed, "at"));
    decision.text = string_field(&printed, "text");
    if let Some(replaced) = edit.replaced.as_ref().filter(|_| decision.text.is_empty()) {
        decision.text.clone_from(replaced);
    }
    decision.quote = edit.proposal.quote.as_deref().map(redact);
}

fn refuse<T>(decision: &mut ReflectDecision, reason: RefusalReason, reply: String) -> Result<T, String> {
    (decision.verdict, decision.reasons) = (DecisionVerdict::Refused, vec![reason]);
    Err(reply)
}

fn refuse_findings<T>(decision: &mut ReflectDecision, found: &[GuardFinding]) -> Result<T, String> {
    (decision.verdict, decision.reasons) = (DecisionVerdict::Refused, found.iter().map(finding_reason).collect());
    Err(describe_findings(found))
}

/// What is known need not be inserted. An update to a text that another item has would leave the old text in place.
fn already_known(
    decision: &mut ReflectDecision,
    edit: &ResolvedEdit,
    found: &[GuardFinding],
) -> Result<Vec<Operation>, String> {
    if edit.replaced.is_some() {
        return refuse_findings(decision, found)
            .map_err(|reason: String| format!("{reason} Delete this item instead."));
    }
    (decision.verdict, decision.reasons) = (DecisionVerdict::Known, found.iter().map(finding_reason).collect());
    Ok(Vec::new())
}

/// Whether the machine key of an item may be its id: it is a name, and says nothing that a memory may not say.
fn is_usable_id(id: &str) -> bool {
    let words = id.replace(['_', '-'], " ");
    let found = guards::check_text(&words, MemoryKind::Fact, &WritingRules::default());
    MetaKey::Id.accepts(id) && !found.iter().any(|finding| finding.violation.concerns(OtherText::Name))
}

/// An addition with an id.
fn with_id(operation: &Operation, id: Option<&str>) -> Operation {
    let mut operation = operation.clone();
    if let (Action::Add { meta, .. }, Some(id)) = (&mut operation.action, id) {
        meta.insert(0, (MetaKey::Id.name().to_owned(), id.to_owned()));
    }
    operation
}
