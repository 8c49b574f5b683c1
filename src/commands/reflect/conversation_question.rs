//! One question about a whole ended conversation, whose answer is one JSON object: what `--record` and `--procedure`
//! have in common. It is asked once for a conversation, within the day's budget and 30 seconds.

use std::time::Duration;

use anyhow::anyhow;
use serde_json::Value;

use super::conversations::parse_conversations;
use super::single_answer::{ReplyReader, ask};
use super::{ReflectOptions, commit_chunk, end_run, watermark};
use crate::code::{Code, Rejection};
use crate::commands::model::OpenModel;
use crate::commands::reflect::decision_text::finding_reason;
use crate::commands::results::{ConversationRow, DecisionCounts, DecisionVerdict, ReflectDecision, ReflectReport};
use crate::commands::{CommandResult, Error, Session, budget};
use crate::host::user::Prompt;
use crate::llm::{AnswerSchema, ChatMessage, Deadline, ModelRequest};
use crate::reflect::guards::GuardFinding;
use crate::reflect::record::build_question;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::transcript::Conversation;

/// Time limit of the model calls: a host that ends a conversation does not wait longer.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// Tokens of the instructions and replies, as estimated for the budget.
const OVERHEAD_TOKENS: u64 = 1500;

/// Makes something of each conversation, until one has to wait or fails.
pub fn for_each_conversation(
    session: &Session,
    bytes: &[u8],
    mut report: ReflectReport,
    make: impl Fn(&Conversation, &mut ReflectReport) -> Result<(), Error>,
) -> CommandResult<ReflectReport> {
    for conversation in parse_conversations(session, bytes)? {
        if let Err(error) = make(&conversation, &mut report) {
            end_run(&mut report, error)?;
            break;
        }
        if report.deferred.is_some() {
            break;
        }
    }
    Ok(report)
}

/// How a reply is read and judged.
pub struct ReplyRules<'a, T> {
    /// Reads the text of a reply and the arguments of its tool calls; `None` if the model writes nothing.
    pub parse: fn(&str, &[Value]) -> anyhow::Result<Option<T>>,
    /// Finds the rules that what is written breaks.
    pub check: &'a dyn Fn(&T) -> Vec<GuardFinding>,
}

/// What a model wrote, the rules that it still breaks, and the model.
pub type WrittenAnswer<T> = (T, Vec<GuardFinding>, OpenModel);

/// A question about a whole conversation, which a model answers with one JSON object.
pub struct ConversationQuestion {
    /// `record` or `procedure`: what is made, the name of the answer, and the start of the request's id.
    pub name: &'static str,
    pub prompt: Prompt,
    pub system: String,
    pub schema: Value,
    /// The longest reply, in tokens.
    pub max_tokens: u32,
}

impl ConversationQuestion {
    /// The request id of a conversation: it is answered only once.
    pub fn request_id(&self, conversation: &Conversation) -> String {
        let id = watermark::conversation_id(conversation);
        format!("{}:{id}:{}", self.name, watermark::turns_hash(&conversation.turns))
    }

    /// Asks about a conversation, and once for a correction if the answer breaks rules. `None` if the model writes
    /// nothing; also if the conversation was answered before or there is no budget or time, which the report says.
    ///
    /// # Errors
    /// `no_model`; `model`, `model_refused` and the like; `io`.
    pub fn ask<T>(
        &self,
        session: &Session,
        options: &ReflectOptions<'_>,
        conversation: &Conversation,
        report: &mut ReflectReport,
        rules: &ReplyRules<'_, T>,
    ) -> Result<Option<WrittenAnswer<T>>, Error> {
        let mut corrected = false;
        let answered = self.ask_model(session, options, conversation, report, &mut |reply| {
            let Some(written) = (rules.parse)(&reply.text, &reply.call_arguments())? else { return Ok(None) };
            let findings = (rules.check)(&written);
            correct_once(written, findings, &mut corrected)
        })?;
        Ok(answered.and_then(|(written, opened)| written.map(|(written, findings)| (written, findings, opened))))
    }

    fn ask_model<T>(
        &self,
        session: &Session,
        options: &ReflectOptions<'_>,
        conversation: &Conversation,
        report: &mut ReflectReport,
        read: ReplyReader<'_, T>,
    ) -> Result<Option<(T, OpenModel)>, Error> {
        let (turns, name) = (&conversation.turns, self.name);
        let request = self.request_id(conversation);
        let is_known = commit_chunk::is_committed(session, &request)?;
        report.conversations.push(ConversationRow {
            id: watermark::conversation_id(conversation),
            kind: conversation.kind.name(),
            turns: turns.len(),
            seen: if is_known { turns.len() } else { 0 },
            skipped: conversation.skipped,
            ..ConversationRow::default()
        });
        if is_known {
            return Ok(None);
        }
        let opened = (options.open_model)()?;
        let (question, left_out) = build_question(turns, conversation.summary.as_deref());
        if left_out > 0 {
            report.partial = Some(format!("the conversation is long: its first {left_out} turns were not read"));
        }
        let tokens = estimate_llm_tokens(&question) as u64 + OVERHEAD_TOKENS;
        let Some(reservation) = budget::reserve(session, &request, tokens)? else {
            let reason = budget::shortfall(session, tokens)
                .unwrap_or_else(|| "today's token budget is not enough for this conversation".to_owned());
            let reason = format!("{reason}: no {name} is made");
            report.deferred = Some(reason);
            return Ok(None);
        };
        let model_request = ModelRequest {
            system: opened.own_prompts.text(self.prompt, self.system.clone()),
            messages: vec![ChatMessage::User(question)],
            answer: Some(AnswerSchema::new(name, self.schema.clone())),
            max_tokens: self.max_tokens,
            ..ModelRequest::default()
        };
        let time_limit = opened.total_timeout.min(TIME_LIMIT);
        let deadline = Deadline::within(time_limit);
        let earlier = report.model.take();
        let (usage, asked) = ask(options, &opened, deadline, model_request, report, read);
        let requests = report.model.as_ref().map_or(0, |model| model.turns);
        budget::settle_call(session, reservation, usage, requests);
        if let (Some(costs), Some(earlier)) = (&mut report.model, earlier) {
            costs.add(&earlier);
        }
        match asked {
            Ok(value) => Ok(Some((value, opened))),
            // A host that ends a conversation goes on without an answer.
            Err(error) if deadline.remaining().is_none() => {
                report.deferred = Some(format!("no {name} is made: {}", message_of(&error, time_limit)));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Notes the decision about the only text that was proposed. Returns whether it is kept.
pub fn note_decision(report: &mut ReflectReport, op: &str, text: String, findings: &[GuardFinding]) -> bool {
    let is_kept = findings.is_empty();
    let mut decision = ReflectDecision { op: op.into(), text, ..ReflectDecision::default() };
    decision.verdict = if is_kept { DecisionVerdict::Kept } else { DecisionVerdict::Refused };
    decision.reasons = findings.iter().map(finding_reason).collect();
    report.counts += DecisionCounts {
        found: 1,
        kept: usize::from(is_kept),
        refused: usize::from(!is_kept),
        ..DecisionCounts::default()
    };
    for reason in &decision.reasons {
        *report.refused_by.entry(reason.name.clone()).or_default() += 1;
    }
    report.decisions.push(decision);
    is_kept
}

/// Accepts an answer without findings at once; another is asked for once more, with the rules that it breaks.
fn correct_once<T>(
    answer: T,
    findings: Vec<GuardFinding>,
    corrected: &mut bool,
) -> anyhow::Result<Option<(T, Vec<GuardFinding>)>> {
    if findings.is_empty() || std::mem::replace(corrected, true) {
        return Ok(Some((answer, findings)));
    }
    let broken = findings.iter().map(|found| format!("{} ({})", found.violation.rule(), found.excerpt));
    Err(anyhow!(broken.collect::<Vec<_>>().join(" ")))
}

fn message_of(error: &Error, time_limit: Duration) -> String {
    error.rejections.first().map_or_else(String::new, |first: &Rejection| match first.code {
        Code::Model => format!("the model did not answer within {} s", time_limit.as_secs_f64()),
        _ => first.message.clone(),
    })
}
