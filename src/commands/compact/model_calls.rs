//! Questions to a model whose answers are JSON objects: a request, a reply, at most one correction.
//!
//! Uses the lock only to reserve and settle tokens.

use anyhow::anyhow;
use serde_json::Value;

use super::super::budget::{self, TokenReservation};
use super::super::cost_estimate::usage_or_estimate;
use super::super::model::{OpenModel, model_rejection, unusable_answer};
use super::super::{Error, Session};
use crate::code::{Code, Rejection};
use crate::llm::{AnswerSchema, ChatMessage, Deadline, ErrorKind, ModelRequest, StopReason, TokenUsage};
use crate::text::llm_tokens::estimate_llm_tokens;

/// How many characters of a reply are sent back with its correction.
const MAX_QUOTED_CHARS: usize = 2000;

/// The calls of one command, within the user's limits.
pub struct ModelCalls<'a> {
    session: &'a Session,
    opened: &'a OpenModel,
    required: bool,
    deadline: Deadline,
    /// Token counts of all requests, as the host reports them.
    pub usage: TokenUsage,
}

/// A question that a model answers with one JSON object.
pub struct JsonQuestion {
    /// The name of the answer, and of the reservation of tokens.
    pub name: &'static str,
    pub system: String,
    pub question: String,
    pub schema: Value,
    /// Upper bound of the reply, in tokens.
    pub reply_tokens: u32,
}

/// The end of a request.
pub enum ModelAnswer<T> {
    Value(T),
    /// The reply and its correction could not be used.
    Unusable(String),
    /// Why no answer is to be expected to other questions either.
    Stopped(String),
}

/// Reads a reply's text and the arguments of its tool calls, or says in words for the model why it cannot be used.
pub type AnswerReader<'r, T> = &'r mut dyn FnMut(&str, &[Value]) -> anyhow::Result<T>;

impl<'a> ModelCalls<'a> {
    pub fn new(session: &'a Session, opened: &'a OpenModel, required: bool) -> ModelCalls<'a> {
        let deadline = Deadline::within(opened.total_timeout);
        ModelCalls { session, opened, required, deadline, usage: TokenUsage::default() }
    }

    pub fn opened(&self) -> &'a OpenModel {
        self.opened
    }

    /// The model, as `provider/model`.
    pub fn name(&self) -> String {
        let id = self.opened.model.id();
        format!("{}/{}", id.provider, id.model)
    }

    /// Reserves the tokens of a question with its correction; `None` if the rest of the day's budget is smaller.
    ///
    /// # Errors
    /// `busy`, `io`.
    pub fn reserve(&self, question: &JsonQuestion) -> Result<Option<TokenReservation>, Error> {
        let asked = estimate_llm_tokens(&question.question) + estimate_llm_tokens(&question.system);
        let tokens = 2 * (asked as u64 + u64::from(question.reply_tokens));
        Ok(budget::reserve(self.session, question.name, tokens)?)
    }

    /// Asks a question.
    ///
    /// # Errors
    /// `model` if the user interrupted the request, or if the model is required and cannot be reached.
    pub fn ask<T>(
        &mut self,
        question: JsonQuestion,
        reserved: TokenReservation,
        read: AnswerReader<'_, T>,
    ) -> Result<ModelAnswer<T>, Error> {
        let (mut estimated, mut requests) = (TokenUsage::default(), 0);
        let answer = self.request(question, &mut estimated, &mut requests, read);
        budget::settle_call(self.session, reserved, estimated, requests);
        answer
    }

    /// Adds the tokens for the budget to `estimated`.
    fn request<T>(
        &mut self,
        question: JsonQuestion,
        estimated: &mut TokenUsage,
        requests: &mut usize,
        read: AnswerReader<'_, T>,
    ) -> Result<ModelAnswer<T>, Error> {
        let mut request = ModelRequest {
            system: question.system,
            messages: vec![ChatMessage::User(question.question)],
            answer: Some(AnswerSchema::new(question.name, question.schema)),
            max_tokens: question.reply_tokens,
            temperature: Some(0.0),
            ..ModelRequest::default()
        };
        let id = self.opened.model.id();
        loop {
            *requests += 1;
            self.session.progress.begin(&format!("calling {} {}", id.provider, id.model));
            let (reply, reason) = match self.opened.model.complete(&request, self.deadline) {
                Err(error) => {
                    self.usage += error.usage;
                    *estimated += error.usage;
                    match error.kind {
                        ErrorKind::Interrupted => {
                            return Err(Rejection::new(Code::Model, "interrupted before a decision").into());
                        }
                        kind if kind.is_unusable_answer() => (String::new(), error.message),
                        _ if self.required => return Err(model_rejection(error).into()),
                        _ => return Ok(ModelAnswer::Stopped(error.message)),
                    }
                }
                Ok(reply) => {
                    self.usage += reply.usage;
                    *estimated += usage_or_estimate(&request, &reply);
                    let parsed = match reply.stop {
                        StopReason::Truncated => Err(anyhow!("the answer was cut off")),
                        StopReason::Refused => {
                            return Ok(ModelAnswer::Stopped("the model refused to answer".into()));
                        }
                        StopReason::End | StopReason::ToolCalls | StopReason::Other(_) => {
                            read(&reply.text, &reply.call_arguments())
                        }
                    };
                    match parsed {
                        Ok(value) => return Ok(ModelAnswer::Value(value)),
                        Err(error) => (reply.text, error.to_string()),
                    }
                }
            };
            let unusable = || unusable_answer("the model's answer could not be used", &reason);
            if self.deadline.remaining().is_none() {
                return Ok(ModelAnswer::Stopped(unusable()));
            }
            if *requests > 1 {
                return Ok(ModelAnswer::Unusable(unusable()));
            }
            let reply: String = reply.chars().take(MAX_QUOTED_CHARS).collect();
            let text = if reply.trim().is_empty() { "(nothing)".to_owned() } else { reply };
            request.messages.push(ChatMessage::Assistant { text, calls: Vec::new() });
            request.messages.push(ChatMessage::User(format!("{reason}. Answer again, with the JSON object only.")));
        }
    }
}
