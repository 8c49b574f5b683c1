//! The dialogue with a model about one file or section: a request, a reply, at most one correction.
//!
//! Uses neither the store nor the lock.

use std::time::Duration;

use anyhow::anyhow;

use super::super::Error;
use super::super::model::{model_rejection, unusable_answer};
use super::report::COMPACT_SOURCE;
use crate::code::{Code, Rejection};
use crate::llm::{
    AnswerSchema, ChatMessage, Deadline, ErrorKind, LlmError, Model, ModelRequest, StopReason, TokenUsage,
};
use crate::reflect::compaction::{
    CompactionDecision, CompactionRules, OverLimit, bounded_decision_schema, build_correction, build_question, decide,
    decision_schema, parse_reply, system_prompt,
};

/// Time limit of all requests of one command.
const TIME_LIMIT: Duration = Duration::from_secs(120);
/// Upper bound of a reply, in tokens.
const MAX_REPLY_TOKENS: u32 = 1024;
/// How many characters of a reply are sent back with its correction.
const MAX_QUOTED_CHARS: usize = 2000;

const NO_MODEL: &str = "no model is configured";
const KEPT_CHANGING: &str = "the memory kept changing while the model was running";
const REFUSED: &str = "the model refused to answer";
const UNUSABLE: &str = "the model's decision could not be applied";
/// The reasons for which age decides that may be stored. Others are errors of a host.
pub(super) const STORED_REASONS: [&str; 4] = [NO_MODEL, KEPT_CHANGING, REFUSED, UNUSABLE];

/// A model, until it fails in a way that makes further requests useless.
pub struct CompactDialogue<'a> {
    model: Option<&'a dyn Model>,
    /// Whether a model that cannot be reached is an error instead of a reason to let age decide.
    required: bool,
    deadline: Deadline,
    corrected: bool,
    /// The model, as `provider/model`.
    pub model_name: Option<String>,
    /// Token counts of all requests.
    pub usage: TokenUsage,
    /// Why the model does not decide, or no longer.
    pub fallback_reason: Option<String>,
}

impl<'a> CompactDialogue<'a> {
    pub fn new(model: Option<&'a dyn Model>, required: bool) -> CompactDialogue<'a> {
        let model_name = model.map(|m| format!("{}/{}", m.id().provider, m.id().model));
        let fallback_reason = model.is_none().then(|| NO_MODEL.to_owned());
        CompactDialogue {
            model,
            required,
            deadline: Deadline::within(TIME_LIMIT),
            corrected: false,
            model_name,
            usage: TokenUsage::default(),
            fallback_reason,
        }
    }

    /// Whether the model can still be called.
    pub fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// Starts with the next file or section, for which one correction is allowed again.
    pub fn begin_next(&mut self) {
        self.corrected = false;
    }

    /// Ends the dialogue: no more requests.
    pub fn close(mut self) -> CompactDialogue<'a> {
        if self.model.take().is_some() {
            self.fallback_reason = Some(KEPT_CHANGING.into());
        }
        self
    }

    /// The source that the journal records for the model's decisions.
    pub fn source(&self) -> String {
        self.model_name.as_deref().map(|model_name| format!("{COMPACT_SOURCE}{model_name}")).unwrap_or_default()
    }

    /// Requests decisions until they are valid. `None` if age must decide; then `fallback_reason` is set.
    ///
    /// # Errors
    /// `model` if the user interrupted the request, or if the model is required and cannot be reached.
    pub fn request_decisions<T>(
        &mut self,
        over_limit: &OverLimit,
        rules: &CompactionRules<'_>,
        mut try_decisions: impl FnMut(&[CompactionDecision]) -> anyhow::Result<T>,
    ) -> Result<Option<(Vec<CompactionDecision>, T)>, Error> {
        let mut messages = vec![ChatMessage::User(build_question(over_limit, rules.max_chars))];
        while let Some(model) = self.model {
            let bounded = bounded_decision_schema(over_limit, rules.max_chars);
            let answer = AnswerSchema { bounded, ..AnswerSchema::new("decision", decision_schema()) };
            let request = ModelRequest {
                system: system_prompt(),
                messages: messages.clone(),
                tools: Vec::new(),
                answer: Some(answer),
                max_tokens: MAX_REPLY_TOKENS,
                ..ModelRequest::default()
            };
            let (reply, problem) = match model.complete(&request, self.deadline) {
                Err(error) => match self.failed_request(error)? {
                    Some(problem) => (String::new(), problem),
                    None => return Ok(None),
                },
                Ok(reply) => {
                    self.usage += reply.usage;
                    let arguments: Vec<_> = reply.calls.iter().map(|c| c.arguments.clone()).collect();
                    let parsed = match reply.stop {
                        StopReason::Truncated => Err(anyhow!("the answer was cut off")),
                        StopReason::Refused => {
                            self.fallback_reason = Some(REFUSED.into());
                            return Ok(None);
                        }
                        StopReason::End | StopReason::ToolCalls | StopReason::Other(_) => {
                            parse_reply(&reply.text, &arguments)
                        }
                    };
                    let decided = parsed.and_then(|reply| decide(over_limit, &reply, rules));
                    match decided.and_then(|decisions| Ok((try_decisions(&decisions)?, decisions))) {
                        Ok((value, decisions)) => return Ok(Some((decisions, value))),
                        Err(rejection) => (reply.text, rejection.to_string()),
                    }
                }
            };
            if std::mem::replace(&mut self.corrected, true) || self.deadline.remaining().is_none() {
                self.fallback_reason = Some(unusable_answer(UNUSABLE, &problem));
                return Ok(None);
            }
            let reply_text: String = reply.chars().take(MAX_QUOTED_CHARS).collect();
            let reply = if reply_text.trim().is_empty() { "(nothing)".to_owned() } else { reply_text };
            messages.push(ChatMessage::Assistant { text: reply, calls: Vec::new() });
            messages.push(ChatMessage::User(build_correction(over_limit, rules.max_chars, &problem)));
        }
        Ok(None)
    }

    /// The problem that a correction names to the model, of a request that failed; `None` if age must decide.
    fn failed_request(&mut self, error: LlmError) -> Result<Option<String>, Error> {
        self.usage += error.usage;
        match error.kind {
            ErrorKind::Interrupted => Err(Rejection::new(Code::Model, "interrupted before a decision").into()),
            // The day's own budget is no failure of the host: it has no status.
            kind if self.required && (kind != ErrorKind::QuotaExceeded || error.status.is_some()) => {
                Err(model_rejection(error).into())
            }
            kind if kind.is_unusable_answer() => Ok(Some(error.message)),
            _ => {
                // A model that cannot be reached now is not called for the remaining files and sections either.
                self.model = None;
                self.fallback_reason = Some(error.message);
                Ok(None)
            }
        }
    }
}
