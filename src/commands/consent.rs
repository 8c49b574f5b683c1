//! The approval gate of changes by agents, and its rule of consent: an agent changes sensitive fields only with the
//! user's words of agreement. Without them its batch waits in `inbox/` as one proposal.
//!
//! Never decides which text is sensitive or which words agree: `reflect/guards` does. `reflect` has a gate of its own,
//! because it knows the conversation; what a model of `compact` writes is checked in `reflect/compaction`.

use serde_json::{Value, json};

use super::change::{commit_approved, plan_in_context};
use super::review::WOULD_WAIT;
use super::{Error, Session};
use crate::change::{Changeset, FileChange};
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::operation::{Action, Batch, Operation, PlanContext, Snapshot, Target, dialects};
use crate::path::MemoryPath;
use crate::reflect::guards::{self, WritingRules};
use crate::reflect::inbox_item::{self, InboxItem};
use crate::store::LockedStore;
use crate::text::secrets;
use crate::transcript::{Role, Turn};
use crate::view::diff::unified_diff;
use statements::{ChangedStatement, changed_statements};

mod statements;

/// What a planned change passes before it is committed.
#[derive(Clone, Copy)]
pub struct ApprovalGate<'a> {
    pub session: &'a Session,
    pub batch: &'a Batch,
    pub mode: CommitMode<'a>,
}

/// Whether a planned change is to be committed.
#[derive(Clone, Copy)]
pub enum CommitMode<'a> {
    /// It is only shown: a refused batch is not kept.
    DryRun,
    /// It is committed under this lock; a refused batch is kept as a proposal.
    Commit(&'a LockedStore<'a>),
}

impl ApprovalGate<'_> {
    /// Refuses a planned change of sensitive fields by an agent, unless the batch carries the user's consent.
    ///
    /// # Errors
    /// `consent`, with the proposal's id; the errors of writing the proposal.
    pub(super) fn require_consent(&self, changeset: &Changeset, snapshot: &Snapshot) -> Result<(), Error> {
        if !self.session.is_agent {
            return Ok(());
        }
        if let CommitMode::DryRun = self.mode {
            // A dry run does not get to `commit_loop`, which asks for this.
            self.require_review(changeset, snapshot)?;
        }
        let texts = ChangedTexts::of(changeset, snapshot);
        let changed = ChangedFields::of(self.session, changeset, &texts);
        self.require_agreement(changeset, &texts, changed)
    }

    /// Adds to a change with the user's consent the removal of the proposal that was kept of the same batch without it.
    ///
    /// # Errors
    /// `io`.
    pub(super) fn settle_proposal(&self, changeset: &mut Changeset, snapshot: &mut Snapshot) -> Result<(), Error> {
        let session = self.session;
        if !session.is_agent || self.batch.consent.is_empty() || changeset.files.is_empty() {
            return Ok(());
        }
        let id = inbox_item::proposal_id(&proposed_operation(session, self.batch, changeset));
        let Some(path) = inbox_item::item_path(&id) else { return Ok(()) };
        let Some(waiting) = session.store.read(&path)? else { return Ok(()) };
        // What a person has edited is another proposal.
        if inbox_item::is_edited(&String::from_utf8_lossy(&waiting.bytes), &id) {
            return Ok(());
        }
        let action = Action::remove(Target::Address(path.to_string()));
        let removal = Operation { if_match: Some(waiting.etag.hex()), ..action.into() };
        let context = PlanContext { force: true, allow_reserved: true, ..session.plan_context() };
        let removed = plan_in_context(session, snapshot, std::slice::from_ref(&removal), &context)?;
        changeset.files.extend(removed.files);
        changeset.operations.extend(removed.operations);
        Ok(())
    }

    /// Refuses a planned compaction that takes sensitive fields out of the memory, unless the batch carries the user's
    /// consent. What it merges into another text stays.
    ///
    /// # Errors
    /// As [`Self::require_consent`].
    pub(super) fn require_consent_to_archive(&self, changeset: &Changeset, snapshot: &Snapshot) -> Result<(), Error> {
        let session = self.session;
        let texts = ChangedTexts::of(changeset, snapshot);
        let (added, _) = changed_statements(changeset, &texts, &session.policy.policy.sensitive);
        let kept = |text: &str| added.iter().any(|s| s.text.to_lowercase().contains(&text.to_lowercase()));
        let mut removed = ChangedFields::of(session, changeset, &texts).removed;
        removed.retain(|(_, text)| !kept(text));
        let changed = ChangedFields { added: Vec::new(), removed };
        let operations = changeset.operations.iter().map(|operation| dialects::parse_operation(operation).ok());
        let planned = Batch { operations: operations.collect::<Option<_>>().unwrap_or_default(), ..self.batch.clone() };
        ApprovalGate { batch: &planned, ..*self }.require_agreement(changeset, &texts, changed)
    }

    /// Refuses a change of these fields and texts, unless the batch carries the user's consent to each.
    fn require_agreement(
        &self,
        changeset: &Changeset,
        texts: &ChangedTexts<'_>,
        changed: ChangedFields,
    ) -> Result<(), Error> {
        let fields = unconsented_fields(self.batch, changed);
        if fields.is_empty() {
            return Ok(());
        }
        let what = fields.join(", ");
        let quoted = if self.batch.consent.is_empty() {
            ""
        } else {
            ", and the quote does not agree to it in English or Chinese"
        };
        let refusal = Rejection::new(Code::Consent, format!("{what} changes only with the user's consent{quoted}"))
            .hint(CONSENT_HINT)
            .detail("fields", fields);
        self.refuse(refusal, changeset, texts, &format!("sensitive {what}"))
    }

    /// Refuses a change, and keeps its batch as a proposal unless this is a dry run. `cause` is what the proposal waits
    /// for. Always an error.
    ///
    /// # Errors
    /// `refusal`, with the proposal's id; the errors of writing the proposal.
    pub(super) fn refuse(
        &self,
        mut refusal: Rejection,
        changeset: &Changeset,
        texts: &ChangedTexts<'_>,
        cause: &str,
    ) -> Result<(), Error> {
        let CommitMode::Commit(locked) = self.mode else {
            refusal.message.push_str(WOULD_WAIT);
            return Err(refusal.into());
        };
        let id = keep_as_proposal(self.session, locked, self.batch, changeset, texts, cause)?;
        refusal.message.push_str(&format!("; the change waits in inbox/ as {id}"));
        let refusal = refusal
            .try_command(SuggestedCommand::new("inbox", id.as_str()))
            .detail("path", format!("inbox/{id}.md"))
            .detail("proposal", id);
        let warnings = changeset.warnings.iter().filter(|warning| warning.code == Code::Secret).cloned();
        Err(Error { rejections: vec![refusal], warnings: warnings.collect() })
    }
}

const CONSENT_HINT: &str = "ask the user and pass their own words with --consent, or let a person accept the proposal";

/// A changed file with its texts before and after the change.
pub(super) struct ChangedText<'a> {
    file: &'a FileChange,
    before: Option<String>,
    after: Option<String>,
}

/// The changed files of a change, without proposals.
pub(super) struct ChangedTexts<'a>(Vec<ChangedText<'a>>);

impl<'a> ChangedTexts<'a> {
    pub(super) fn of(changeset: &'a Changeset, snapshot: &Snapshot) -> ChangedTexts<'a> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let changed_text = |file: &'a FileChange| {
            let read = snapshot.file(&file.path).ok().flatten().map(|loaded| loaded.document.text().to_owned());
            let before = file.before.as_ref().map(|version| read.unwrap_or_else(|| text(&version.bytes)));
            ChangedText { file, before, after: file.after.as_ref().map(|bytes| text(bytes)) }
        };
        ChangedTexts(changeset.files.iter().filter(|file| !is_proposal(file)).map(changed_text).collect())
    }

    fn diff(&self) -> String {
        let diff =
            |one: &ChangedText<'_>| unified_diff(one.file.path.as_str(), one.before.as_deref(), one.after.as_deref());
        self.0.iter().map(diff).collect()
    }
}

/// The sensitive fields that a change adds and removes, each with the statement.
struct ChangedFields {
    added: Vec<(String, String)>,
    removed: Vec<(String, String)>,
}

impl ChangedFields {
    fn of(session: &Session, changeset: &Changeset, texts: &ChangedTexts<'_>) -> ChangedFields {
        let rules = WritingRules { benign: Vec::new(), ..session.writing_rules() };
        let field_in =
            |readings: &[String]| readings.iter().find_map(|reading| guards::sensitive_field(reading, &rules));
        let field_of = |statement: &ChangedStatement| {
            // A sentence that states a field by itself stated it before, too; a value may have got or lost its label.
            if statement.moved && field_in(&statement.own_readings()).is_some() {
                None
            } else {
                field_in(&statement.readings())
            }
        };
        let stated = |all: Vec<ChangedStatement>| {
            all.into_iter().filter_map(|one| Some((field_of(&one)?, one.text))).collect::<Vec<_>>()
        };
        let (mut added, removed) = changed_statements(changeset, texts, &rules.sensitive);
        // What moves into `procedures/` is hidden there, and no new statement.
        added.retain(|one| !one.in_procedures || removed.iter().all(|gone| gone.text != one.text));
        ChangedFields { added: stated(added), removed: stated(removed) }
    }
}

/// The sensitive fields of what a change removes, each once.
pub(super) fn removed_fields(session: &Session, changeset: &Changeset, texts: &ChangedTexts<'_>) -> Vec<String> {
    let removed = ChangedFields::of(session, changeset, texts).removed;
    unconsented_fields(&Batch::default(), ChangedFields { added: Vec::new(), removed })
}

/// The fields of a change to which the user's words in the batch do not agree. A field that gets another value is added.
fn unconsented_fields(batch: &Batch, changed: ChangedFields) -> Vec<String> {
    // A batch is one change: a refusal of one of its operations refuses all.
    let agreed =
        |agrees: &dyn Fn(&str) -> bool| !batch.consent.is_empty() && batch.consent.iter().all(|quote| agrees(quote));
    let ChangedFields { added, removed } = changed;
    let is_replaced = |field: &String| added.iter().any(|(of, _)| of == field);
    let removed = removed
        .iter()
        .filter(|(field, text)| !is_replaced(field) && !agreed(&|quote| guards::agrees_to_removal(quote, field, text)));
    let refused = added.iter().filter(|(_, text)| !agreed(&|quote| agrees_to_addition(quote, text))).chain(removed);
    let mut fields: Vec<String> = refused.map(|(field, _)| field.clone()).collect();
    fields.sort();
    fields.dedup();
    fields
}

/// Whether the user's words agree to a text, as an answer to the question whether to remember it. A refusal does not.
fn agrees_to_addition(quote: &str, text: &str) -> bool {
    let turn = |number, role, text: String| Turn { number, role, at: None, text, injected: false };
    let turns =
        [turn(1, Role::Assistant, format!("Should I remember this? {text}")), turn(2, Role::User, quote.to_owned())];
    !guards::asks_for_removal(quote) && guards::has_consent_for(text, &turns, 2)
}

/// Writes a batch as a proposal, unless the same one waits already. `cause` is what it waits for. Returns its id.
fn keep_as_proposal(
    session: &Session,
    locked: &LockedStore<'_>,
    batch: &Batch,
    changeset: &Changeset,
    texts: &ChangedTexts<'_>,
    cause: &str,
) -> Result<String, Error> {
    let operation = proposed_operation(session, batch, changeset);
    let id = inbox_item::proposal_id(&operation);
    let Some(path) = inbox_item::item_path(&id) else {
        return Err(Rejection::new(Code::Internal, "the id of a proposal is not valid").into());
    };
    // Without the allowlist filter, which hides the inbox.
    let unfiltered = session.unfiltered();
    let (policy, today) = (&unfiltered.policy.policy, session.now.date());
    let consent = Some(secrets::redact(&batch.consent.join("; ")).0).filter(|words| !words.is_empty());
    let waiting = unfiltered.store.read(&path)?.map(|version| String::from_utf8_lossy(&version.bytes).into_owned());
    if let Some(text) = waiting.filter(|text| !inbox_item::parse_item(text).is_expired(&today.to_string())) {
        // The user's words may have come since.
        let with_words = consent.map_or_else(|| text.clone(), |words| inbox_item::with_consent(&text, &words, cause));
        if with_words != text {
            write_proposal(&unfiltered, locked, &path, with_words, cause)?;
        }
        return Ok(id);
    }
    let all =
        operation.get("operations").and_then(Value::as_array).map_or(std::slice::from_ref(&operation), Vec::as_slice);
    let is_forget = |one: &&Value| one["forget"] == true;
    // What cannot be undone gives the batch its title.
    let first = all.iter().find(is_forget).or(all.first()).unwrap_or(&operation);
    let flag = if is_forget(&first) { " --forget" } else { "" };
    let part = |key: &str| first.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let subject = part("title").or_else(|| part("text")).or_else(|| part("at")).unwrap_or("a change");
    let to = part("to").map_or_else(String::new, |to| format!(" to {to}"));
    let until = today.checked_add(jiff::Span::new().days(i64::from(policy.consent_days))).unwrap_or(today);
    let item = InboxItem {
        title: format!(
            "{}{flag} {}{to}",
            part("op").unwrap_or_default(),
            subject.chars().take(120).collect::<String>()
        ),
        reason: cause.to_owned(),
        by: session.actor.clone(),
        at: today.to_string(),
        until: until.to_string(),
        conversation: None,
        turn: None,
        quote: consent,
        diff: texts.diff(),
        scope: session.scope.as_ref().map(|scope| scope.name.clone()),
        layer: session.layer_name.clone(),
        operation,
    };
    write_proposal(&unfiltered, locked, &path, item.to_markdown(), cause)?;
    Ok(id)
}

/// Writes the file of a proposal, as a change of its own.
fn write_proposal(
    session: &Session,
    locked: &LockedStore<'_>,
    path: &MemoryPath,
    text: String,
    cause: &str,
) -> Result<(), Error> {
    let write = Operation::from(Action::Write { at: Target::Address(path.to_string()), text, create: true });
    let context = PlanContext { force: true, create: true, allow_reserved: true, ..session.plan_context() };
    let reason = Some(format!("waits for a person: {cause}"));
    commit_approved(session, locked, &Batch { reason, ..Batch::default() }, Vec::new(), || {
        let mut snapshot = Snapshot::new();
        let planned = plan_in_context(session, &mut snapshot, std::slice::from_ref(&write), &context)?;
        Ok((planned, snapshot))
    })?;
    Ok(())
}

/// Whether a file is a proposal. The undo of an acceptance brings one back, which is no part of another proposal.
fn is_proposal(file: &FileChange) -> bool {
    inbox_item::id_of(&file.path).is_some()
}

/// The batch as one proposal: its operations; of a change without any (`undo`, `resolve`) the files that it writes.
fn proposed_operation(session: &Session, batch: &Batch, changeset: &Changeset) -> Value {
    let written = || changeset.files.iter().filter(|file| !is_proposal(file)).map(file_operation).collect::<Vec<_>>();
    let all = if batch.operations.is_empty() { written() } else { with_proof(session, &batch.operations, changeset) };
    let mut all: Vec<Value> = all.iter().map(dialects::to_json).collect();
    if all.len() == 1 { all.remove(0) } else { json!({ "operations": all }) }
}

/// The operations; where they hold with `--force` alone, with the etags of the files that they were planned on. Who
/// accepts the proposal knows no other state.
fn with_proof(session: &Session, operations: &[Operation], changeset: &Changeset) -> Vec<Operation> {
    let context = PlanContext { create: true, ..session.plan_context() };
    let mut operations = operations.to_vec();
    let needs_proof = |operations: &[Operation]| {
        let planned = plan_in_context(session, &mut Snapshot::new(), operations, &context);
        planned
            .err()
            .map_or(Vec::new(), |error| error.rejections)
            .into_iter()
            .filter_map(|rejection| (rejection.code == Code::NeedsProof).then(|| rejection.operation.unwrap_or(0)))
    };
    for n in needs_proof(&operations).collect::<Vec<_>>() {
        let path = changeset.effects.iter().find(|effect| effect.operation == n).map(|effect| &effect.path);
        let file = changeset.files.iter().find(|file| path.is_none_or(|path| *path == file.path));
        let etag = file.and_then(|file| file.before.as_ref()).map(|version| version.etag.hex());
        if let Some(operation) = operations.get_mut(n).filter(|operation| operation.if_match.is_none()) {
            operation.if_match = etag;
        }
    }
    operations
}

fn file_operation(file: &FileChange) -> Operation {
    let at = Target::Address(file.path.to_string());
    let action = match &file.after {
        Some(bytes) => Action::Write { at, text: String::from_utf8_lossy(bytes).into_owned(), create: true },
        None => Action::remove(at),
    };
    let if_match = file.before.as_ref().map(|version| version.etag.hex());
    Operation { if_match, ..action.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_refuse_are_no_consent() {
        for quote in ["Yes, please remember that.", "yes, do", "ok, remember it", "好的，记住吧"] {
            assert!(agrees_to_addition(quote, "Lives in Austin"), "{quote}");
        }
        for quote in [
            "No, don't save that.",
            "Please don't remember that",
            "What time is it in Austin?",
            "Should you remember that?",
            "Sure, remember that I drink tea",
        ] {
            assert!(!agrees_to_addition(quote, "Lives in Austin"), "{quote}");
        }
    }

    /// Texts that agree (`+`) or do not (`-`) to the removal of `City: Rome`, and to the addition of `City: Berlin`; `.` is
    /// not judged.
    fn wrong_judgements(texts: &str) -> Vec<String> {
        let rows = texts.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let is_wrong = |row: &&str| {
            let (signs, quote) = row.split_once(' ').unwrap();
            let judged =
                [guards::agrees_to_removal(quote, "city", "City: Rome"), agrees_to_addition(quote, "City: Berlin")];
            signs.chars().zip(judged).any(|(sign, agrees)| sign != '.' && agrees != (sign == '+'))
        };
        rows.filter(is_wrong).map(str::to_owned).collect()
    }

    #[test]
    fn words_agree_to_a_removal_or_to_an_addition() {
        for texts in [
            include_str!("../../fixtures/guards/consent_removal.en.txt"),
            include_str!("../../fixtures/guards/consent_removal.zh.txt"),
        ] {
            assert_eq!(wrong_judgements(texts), [""; 0]);
        }
    }

    /// Written before the rules, and some after them. The rules were not changed for them; the two wait for a person.
    #[test]
    fn words_that_were_not_seen_agree_to_a_removal_or_to_an_addition() {
        for (texts, most) in [
            (include_str!("../../fixtures/guards/judged/consent_removal.en.txt"), 2),
            (include_str!("../../fixtures/guards/judged/consent_removal.zh.txt"), 0),
        ] {
            let wrong = wrong_judgements(texts);
            assert!(wrong.len() <= most, "{wrong:#?}");
        }
    }
}
