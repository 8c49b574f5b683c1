//! The consent gate: an agent changes sensitive fields only with the user's words of agreement. Without them its batch
//! waits in `inbox/` as one proposal.
//!
//! Never decides which text is sensitive or which words agree: `reflect/guards` does. `reflect` has a gate of its own,
//! because it knows the conversation; `compact` only restates what the memory contains.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::change::{commit_approved, plan_in_context};
use super::review::require_review;
use super::{Error, Session};
use crate::change::Changeset;
use crate::code::{Code, Hint, Rejection};
use crate::operation::{Action, Batch, Operation, PlanContext, Snapshot, Target, dialects};
use crate::reflect::guards::{self, WritingRules, secrets};
use crate::reflect::inbox_item::{self, InboxItem};
use crate::store::LockedStore;
use crate::text::prose_mask::split_label;
use crate::text::sentences::sentences;
use crate::transcript::{Role, Turn};
use crate::view::diff::unified_diff;

/// Refuses a planned change of sensitive fields by an agent, unless the batch carries the user's consent. The refused
/// batch is kept as a proposal, unless `locked` is `None` (a dry run).
///
/// # Errors
/// `consent`, with the proposal's id; the errors of writing the proposal.
pub(super) fn require_consent(
    session: &Session,
    locked: Option<&LockedStore<'_>>,
    batch: &Batch,
    changeset: &Changeset,
    snapshot: &Snapshot,
) -> Result<(), Error> {
    if !session.is_agent {
        return Ok(());
    }
    if locked.is_none() {
        // A dry run does not get to `commit_loop`, which asks for this.
        require_review(session, None, batch, changeset, snapshot)?;
    }
    let texts = FileTexts::of(changeset, snapshot);
    let fields = unconsented_fields(session, batch, changeset, &texts);
    if fields.is_empty() {
        return Ok(());
    }
    let what = fields.join(", ");
    let why = match batch.consent.is_empty() {
        false => format!("{what} changes only with the user's consent, and the quote does not agree to it"),
        true => format!("{what} changes only with the user's consent"),
    };
    let Some(locked) = locked else {
        let refused = Rejection::new(Code::Consent, format!("{why}; without -n the change would wait in inbox/"));
        return Err(refused.hint(CONSENT_HINT).detail("fields", fields).into());
    };
    let id = keep_as_proposal(session, locked, batch, changeset, &texts, &format!("sensitive {what}"))?;
    Err(Rejection::new(Code::Consent, format!("{why}; the change waits in inbox/ as {id}"))
        .hint(CONSENT_HINT)
        .try_command(Hint::new("inbox", id.as_str()))
        .detail("fields", fields)
        .detail("path", format!("inbox/{id}.md"))
        .detail("proposal", id)
        .into())
}

const CONSENT_HINT: &str = "ask the user and pass their own words with --consent, or let a person accept the proposal";

/// The texts of the changed files before and after the change.
pub(super) struct FileTexts<'a>(Vec<(&'a str, Option<String>, Option<String>)>);

impl<'a> FileTexts<'a> {
    pub(super) fn of(changeset: &'a Changeset, snapshot: &Snapshot) -> FileTexts<'a> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let rows = changeset.files.iter().map(|file| {
            let read = snapshot.file(&file.path).ok().flatten().map(|loaded| loaded.document.text().to_owned());
            let before = file.before.as_ref().map(|version| read.unwrap_or_else(|| text(&version.bytes)));
            (file.path.as_str(), before, file.after.as_ref().map(|bytes| text(bytes)))
        });
        FileTexts(rows.collect())
    }

    fn diff(&self) -> String {
        self.0.iter().map(|(path, before, after)| unified_diff(path, before.as_deref(), after.as_deref())).collect()
    }
}

/// The sensitive fields that a change adds without consent; if it adds none, those that it removes without consent.
fn unconsented_fields(session: &Session, batch: &Batch, changeset: &Changeset, texts: &FileTexts<'_>) -> Vec<String> {
    let policy = &session.policy.policy;
    let rules = WritingRules { max_chars: policy.max_chars, sensitive: policy.sensitive.clone(), benign: Vec::new() };
    let (added, removed) = changed_statements(changeset, texts);
    let sensitive = |statements: Vec<String>| -> Vec<(String, String)> {
        let field = |text: String| Some((guards::sensitive_field(&text, &rules)?, text));
        statements.into_iter().filter_map(field).collect()
    };
    let mut found = sensitive(added);
    if found.is_empty() {
        found = sensitive(removed);
    }
    // A batch is one change: a refusal of one of its operations refuses all.
    let agreed = |text: &str| !batch.consent.is_empty() && batch.consent.iter().all(|quote| agrees(quote, text));
    let mut fields: Vec<String> = found.into_iter().filter(|(_, text)| !agreed(text)).map(|(field, _)| field).collect();
    fields.sort();
    fields.dedup();
    fields
}

/// Whether the user's words agree to a text, as an answer to the question whether to remember it. A refusal does not.
fn agrees(quote: &str, text: &str) -> bool {
    let turn = |number, role, text: String| Turn { number, role, at: None, text, injected: false };
    let turns =
        [turn(1, Role::Assistant, format!("Should I remember this? {text}")), turn(2, Role::User, quote.to_owned())];
    guards::has_consent_for(text, &turns, 2)
}

/// The statements (sentences of paragraphs) that a change adds and those that it removes, each compared in all changed
/// files together, so that a move is neither. Derived summary lines do not count.
fn changed_statements(changeset: &Changeset, texts: &FileTexts<'_>) -> (Vec<String>, Vec<String>) {
    // A bullet that `rm --archive` takes out of the memory is removed, and one that `restore` brings back is added; one
    // that a limit evicts is moved.
    let crosses = |op: &Value| op == "rm" || op == "restore";
    let by_caller = changeset.operations.iter().any(|operation| operation.get("op").is_some_and(crosses));
    let ignored = |path: &str| path.starts_with("inbox/") || by_caller && path.starts_with("archive/");
    let mut difference: HashMap<String, i64> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    for ((path, before, after), file) in texts.0.iter().zip(&changeset.files).filter(|((path, ..), _)| !ignored(path)) {
        debug_assert_eq!(*path, file.path.as_str());
        let derived = file.summary.as_deref().unwrap_or_default();
        let is_summary = |text: &String| text.starts_with("Summary:");
        let (before, after) = differing_parts(before.as_deref().unwrap_or(""), after.as_deref().unwrap_or(""));
        let before = statements(before).into_iter().filter(|text| !is_summary(text));
        let after = statements(after).into_iter();
        let after =
            after.filter(|text| !(is_summary(text) && derived.contains(text.trim_start_matches("Summary:").trim())));
        for (text, sign) in before.map(|text| (text, -1)).chain(after.map(|text| (text, 1))) {
            *difference.entry(text.clone()).or_insert_with(|| {
                order.push(text);
                0
            }) += sign;
        }
    }
    let with = |wanted: i64| order.iter().filter(|text| difference[*text].signum() == wanted).cloned().collect();
    (with(1), with(-1))
}

/// Both texts without the paragraphs that they share at their start and end: a change of a long file reads only what it
/// changes.
fn differing_parts<'a>(before: &'a str, after: &'a str) -> (&'a str, &'a str) {
    let starts_paragraph = |line: &str| {
        let trimmed = line.trim();
        trimmed.is_empty() || trimmed.starts_with(['-', '*', '+', '#', '|']) || trimmed.starts_with("<!--")
    };
    // Lines that go into one paragraph are read together: a part begins with a line that no paragraph continues.
    let (mut start, mut at) = (0, 0);
    for (old, new) in before.split_inclusive('\n').zip(after.split_inclusive('\n')) {
        if starts_paragraph(old) && starts_paragraph(new) {
            start = at;
        }
        if old != new {
            break;
        }
        at += old.len();
    }
    let (before, after) = (&before[start..], &after[start..]);
    let (mut end, mut at) = (0, 0);
    for (old, new) in before.split_inclusive('\n').rev().zip(after.split_inclusive('\n').rev()) {
        if old != new {
            break;
        }
        at += old.len();
        if starts_paragraph(old) {
            end = at;
        }
    }
    (&before[..before.len() - end], &after[..after.len() - end])
}

/// The sentences of a markdown text, without list, quotation and heading markers; a line that continues a paragraph
/// belongs to it.
fn statements(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let plain = trimmed.trim_start_matches(['-', '*', '+', '>', '#', '|', ' ', '\t']);
        let plain = without_number(plain);
        // "City: Berlin" is a line of its own, in front matter as well as in prose.
        let starts = plain.len() != trimmed.len() || trimmed.starts_with("<!--") || split_label(plain).is_some();
        match paragraphs.last_mut().filter(|_| open && !starts && !trimmed.is_empty()) {
            Some(paragraph) => {
                paragraph.push(' ');
                paragraph.push_str(plain);
            }
            None if !plain.is_empty() => paragraphs.push(plain.to_owned()),
            None => {}
        }
        open = !plain.is_empty() && !trimmed.starts_with(['#', '|']) && !trimmed.starts_with("<!--");
    }
    paragraphs.iter().flat_map(|paragraph| sentences(paragraph)).map(|s| s.trim().to_owned()).collect()
}

/// A line without the number of an ordered list.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(text) if rest.len() != line.len() => text.trim_start(),
        _ => line,
    }
}

/// Writes a batch as a proposal, unless the same one waits already. `why` is what it waits for. Returns its id.
pub(super) fn keep_as_proposal(
    session: &Session,
    locked: &LockedStore<'_>,
    batch: &Batch,
    changeset: &Changeset,
    texts: &FileTexts<'_>,
    why: &str,
) -> Result<String, Error> {
    let operation = proposed_operation(batch, changeset);
    let id = inbox_item::proposal_id(&operation);
    let Some(path) = inbox_item::item_path(&id) else {
        return Err(Rejection::new(Code::Internal, "the id of a proposal is not valid").into());
    };
    // Without the allowlist filter, which hides the inbox.
    let unfiltered = session.unfiltered();
    let (policy, today) = (&unfiltered.policy.policy, session.now.date());
    if let Some(waiting) = unfiltered.store.read(&path)?
        && !inbox_item::parse_item(&String::from_utf8_lossy(&waiting.bytes)).is_expired(&today.to_string())
    {
        return Ok(id);
    }
    let first = operation.pointer("/operations/0").unwrap_or(&operation);
    let part = |key: &str| first.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let subject = part("title").or_else(|| part("text")).or_else(|| part("at")).unwrap_or("a change");
    let until = today.checked_add(jiff::Span::new().days(i64::from(policy.consent_days))).unwrap_or(today);
    let item = InboxItem {
        title: format!("{} {}", part("op").unwrap_or_default(), subject.chars().take(120).collect::<String>()),
        why: why.to_owned(),
        by: session.actor.clone(),
        at: today.to_string(),
        until: until.to_string(),
        conversation: None,
        turn: None,
        quote: Some(secrets::redact(&batch.consent.join("; ")).0).filter(|quotes| !quotes.is_empty()),
        diff: texts.diff(),
        operation,
    };
    let action = Action::Write { at: Target::Address(path.to_string()), text: item.to_markdown(), create: true };
    let create = Operation { action, seen: None, if_match: None, reason: None, source: None };
    let context = PlanContext {
        policy,
        prefixes: &unfiltered.prefixes,
        now: &unfiltered.now,
        actor: &unfiltered.actor,
        force: true,
        create: true,
        allow_reserved: true,
        links: None,
    };
    let reason = Some(format!("waits for a person: {why}"));
    commit_approved(&unfiltered, locked, &Batch { reason, ..Batch::default() }, Vec::new(), || {
        let mut snapshot = Snapshot::new();
        let planned = plan_in_context(&unfiltered, &mut snapshot, std::slice::from_ref(&create), &context)?;
        Ok((planned, snapshot))
    })?;
    Ok(id)
}

/// The batch as one proposal: its operations; of a change without any (`undo`, `resolve`) the files that it writes.
fn proposed_operation(batch: &Batch, changeset: &Changeset) -> Value {
    let written = || changeset.files.iter().map(file_operation).collect::<Vec<_>>();
    let all = if batch.operations.is_empty() { written() } else { batch.operations.clone() };
    let mut all: Vec<Value> = all.iter().map(dialects::to_json).collect();
    if all.len() == 1 { all.remove(0) } else { json!({ "operations": all }) }
}

fn file_operation(file: &crate::change::FileChange) -> Operation {
    let at = Target::Address(file.path.to_string());
    let action = match &file.after {
        Some(bytes) => Action::Write { at, text: String::from_utf8_lossy(bytes).into_owned(), create: true },
        None => {
            Action::Remove { at, index: None, text: None, archive: false, purge: None, forget: false, if_exists: false }
        }
    };
    let if_match = file.before.as_ref().map(|version| version.etag.hex());
    Operation { action, seen: None, if_match, reason: None, source: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_the_sentences_of_paragraphs_without_markers() {
        let text = "---\ntags: a\ncity: Berlin\n---\n# User\n\n> Summary: city\n\n- Lives in\n  Austin. Likes jazz\n  - Below\n1. One\n\nProse\ngoes on\n";
        let expected = [
            "tags: a",
            "city: Berlin",
            "User",
            "Summary: city",
            "Lives in Austin.",
            "Likes jazz",
            "Below",
            "One",
            "Prose goes on",
        ];
        assert_eq!(statements(text), expected);
    }

    #[test]
    fn what_two_texts_share_is_not_read() {
        for (before, after, parts) in [
            ("- a\n- b\n- c\n", "- a\n- x\n- c\n", ("- b\n", "- x\n")),
            ("- a\n", "- a\n- b\n", ("- a\n", "- a\n- b\n")),
            ("", "- a\n", ("", "- a\n")),
            // A line that continues a paragraph is read with its beginning, and with its end.
            (
                "- a\n- Lives in\n  Cork\n- c\n",
                "- a\n- Lives in\n  Bonn\n- c\n",
                ("- Lives in\n  Cork\n", "- Lives in\n  Bonn\n"),
            ),
            ("One\ntwo\nthree\n\nend\n", "One\n2\nthree\n\nend\n", ("One\ntwo\nthree\n", "One\n2\nthree\n")),
            ("- same\n", "- same\n", ("", "")),
        ] {
            let (old, new) = differing_parts(before, after);
            let rest = |part: &str| statements(part);
            assert!(before.contains(old) && after.contains(new), "{before:?} {after:?}");
            assert_eq!((rest(old), rest(new)), (rest(parts.0), rest(parts.1)), "{before:?} {after:?}");
        }
    }

    #[test]
    fn words_that_refuse_are_no_consent() {
        for quote in ["Yes, please remember that.", "yes, do", "ok, remember it", "好的，记住吧"] {
            assert!(agrees(quote, "Lives in Austin"), "{quote}");
        }
        for quote in ["No, don't save that.", "Please don't remember that", "What time is it in Austin?"] {
            assert!(!agrees(quote, "Lives in Austin"), "{quote}");
        }
    }
}
