//! `reflect --record`: one paragraph about an ended conversation, as an entry. If that is one too many, the same model
//! decides which of all entries leaves, the new one included.
//!
//! Never holds the lock while the model runs.

use std::time::Duration;

use serde_json::Value;

use super::decision_text::finding_reason;
use super::single_answer::ask;
use super::{ReflectOptions, commit_chunk, parse_conversations, watermark};
use crate::code::{Code, Rejection};
use crate::commands::answer::{CompactOutcome, ConversationRow, DecisionCounts, ReflectDecision, ReflectReport};
use crate::commands::compact::{CompactOptions, compact_within_budget};
use crate::commands::{ChangeOptions, CommandResult, Error, Session, budget};
use crate::host::user::Prompt;
use crate::llm::{AnswerSchema, ChatMessage, Deadline, ModelReply, ModelRequest};
use crate::operation::{Action, Batch, Operation};
use crate::reflect::guards::{GuardFinding, WritingRules};
use crate::reflect::record::{
    MAX_REPLY_TOKENS, Record, RecordOrigin, answer_schema, build_question, check_record, parse_reply, system_prompt,
};
use crate::transcript::{Conversation, Turn};
use crate::view::query::answer::estimate_llm_tokens;

/// Time limit of the model calls for one record: a host that ends a conversation does not wait longer.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// Tokens of the instructions and replies, as estimated for the budget.
const OVERHEAD_TOKENS: u64 = 1500;

/// Makes a record of each conversation. `related` are the ids of other conversations that it names.
///
/// # Errors
/// `usage` for an id that is none; `invalid_transcript`; `no_model`; `model` and `model_refused`; errors of committing.
pub fn make_record(
    session: &Session,
    bytes: &[u8],
    related: &[String],
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<ReflectReport> {
    if !change_options.dry_run {
        session.may_write()?;
    }
    if let Some(id) = related.iter().find(|id| !watermark::is_plain_id(id)) {
        let message = format!("'{id}' is no id of a conversation");
        return Err(Rejection::new(Code::Usage, message)
            .hint("an id has ASCII letters, digits, '-', '_', '.' and ':', and at most 100 of them")
            .into());
    }
    let mut report = ReflectReport { dry_run: change_options.dry_run, ..ReflectReport::default() };
    for conversation in parse_conversations(bytes)? {
        record_conversation(session, &conversation, related, options, change_options, &mut report)?;
        if report.deferred.is_some() {
            break;
        }
    }
    Ok(report)
}

fn record_conversation(
    session: &Session,
    conversation: &Conversation,
    related: &[String],
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
    report: &mut ReflectReport,
) -> Result<(), Error> {
    let turns = &conversation.turns;
    let id = watermark::conversation_id(conversation);
    let request = format!("record:{id}:{}", watermark::turns_hash(turns));
    let is_known = commit_chunk::is_committed(session, &request)?;
    report.conversations.push(ConversationRow {
        id: id.clone(),
        kind: conversation.kind.name(),
        turns: turns.len(),
        seen: if is_known { turns.len() } else { 0 },
        skipped: conversation.skipped,
        ..ConversationRow::default()
    });
    if is_known {
        return Ok(());
    }
    let opened = (options.open_model)()?;
    let (question, left_out) = build_question(turns);
    if left_out > 0 {
        report.partial = Some(format!("the conversation is long: its first {left_out} turns were not read"));
    }
    let daily_budget = session.policy.policy.daily_budget(options.daily_budget);
    let tokens = estimate_llm_tokens(&question) as u64 + OVERHEAD_TOKENS;
    let Some(reservation) = budget::reserve(session, daily_budget, &request, tokens)? else {
        report.deferred = Some("today's token budget is not enough for this conversation: no record is made".into());
        return Ok(());
    };
    let model_request = ModelRequest {
        system: opened.own_prompts.text(Prompt::Record, system_prompt()),
        messages: vec![ChatMessage::User(question)],
        answer: Some(AnswerSchema::new("record", answer_schema())),
        max_tokens: MAX_REPLY_TOKENS,
        ..ModelRequest::default()
    };
    let mut judge = RecordJudge { rules: writing_rules(session), turns, corrected: false };
    let deadline = Deadline::within(opened.total_timeout.min(TIME_LIMIT));
    let (usage, asked) = ask(options, &opened, deadline, model_request, report, &mut |reply| judge.read(reply));
    let requests = report.model.as_ref().map_or(0, |model| model.turns);
    budget::settle_call(session, reservation, usage, requests);
    let (record, findings) = match asked {
        Ok(Some(judged)) => judged,
        Ok(None) => return Ok(()),
        // A host that ends a conversation goes on without a record.
        Err(error) if deadline.remaining().is_none() => {
            report.deferred = Some(format!("no record is made: {}", message_of(&error)));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let mut decision = ReflectDecision { op: "append".into(), text: record.text.clone(), ..ReflectDecision::default() };
    decision.verdict = if findings.is_empty() { "kept" } else { "refused" };
    decision.reasons = findings.iter().map(finding_reason).collect();
    report.counts += DecisionCounts {
        found: 1,
        kept: usize::from(findings.is_empty()),
        refused: usize::from(!findings.is_empty()),
        ..DecisionCounts::default()
    };
    for reason in &decision.reasons {
        *report.refused_by.entry(reason.name.clone()).or_default() += 1;
    }
    let is_kept = findings.is_empty();
    report.decisions.push(decision);
    if !is_kept {
        return Ok(());
    }
    let model = opened.model.id();
    let model_name = format!("{}/{}", model.provider, model.model);
    let batch = Batch {
        operations: vec![Operation {
            action: Action::Append {
                at: None,
                text: record.body(&RecordOrigin { conversation: &id, related }),
                title: Some(record.title()),
                date: None,
                summary: Some(record.text.clone()),
                file_summary: None,
                create: false,
            },
            seen: None,
            if_match: None,
            reason: None,
            source: change_options.source.clone().or_else(|| Some(format!("record:{model_name}"))),
        }],
        request: Some(request),
        reason: change_options.reason.clone().or_else(|| Some(format!("record of {id}"))),
        ..Batch::default()
    };
    let compact_options = CompactOptions { batch: Some(batch), ..CompactOptions::default() };
    let outcome = compact_within_budget(
        session,
        &compact_options,
        change_options,
        Some(&opened),
        daily_budget,
        options.progress,
    )?;
    let CompactOutcome::Compacted(compacted) = outcome else { return Ok(()) };
    report.changed |= compacted.change.changed;
    report.revs.extend(compacted.change.rev);
    report.files.extend(compacted.change.files);
    if let Some(operations) = compacted.change.operations {
        report.operations.get_or_insert_default().extend(operations);
    }
    report.warnings.extend(compacted.change.warnings);
    if let (Some(tokens), Some(model)) = (compacted.tokens, &mut report.model) {
        model.turns += 1;
        model.input_tokens = model.input_tokens.saturating_add(tokens.input);
        model.output_tokens = model.output_tokens.saturating_add(tokens.output);
    }
    Ok(())
}

fn writing_rules(session: &Session) -> WritingRules {
    let policy = &session.policy.policy;
    WritingRules { max_chars: policy.max_chars, sensitive: policy.sensitive.clone(), benign: policy.benign.clone() }
}

/// Reads replies. A record that breaks a rule is asked for once more, with the rules that it breaks.
struct RecordJudge<'a> {
    rules: WritingRules,
    turns: &'a [Turn],
    corrected: bool,
}

impl RecordJudge<'_> {
    fn read(&mut self, reply: &ModelReply) -> Result<Option<(Record, Vec<GuardFinding>)>, String> {
        let calls: Vec<Value> = reply.calls.iter().map(|call| call.arguments.clone()).collect();
        let Some(record) = parse_reply(&reply.text, &calls)? else { return Ok(None) };
        let findings = check_record(&record, self.turns, &self.rules);
        if findings.is_empty() || std::mem::replace(&mut self.corrected, true) {
            return Ok(Some((record, findings)));
        }
        let broken = findings.iter().map(|found| format!("{} ({})", found.violation.rule(), found.excerpt));
        Err(broken.collect::<Vec<_>>().join(" "))
    }
}

fn message_of(error: &Error) -> String {
    error.rejections.first().map_or_else(String::new, |first: &Rejection| match first.code {
        Code::Model => format!("the model did not answer within {} seconds", TIME_LIMIT.as_secs()),
        _ => first.message.clone(),
    })
}
