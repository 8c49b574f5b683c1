//! The dialogue with a model about batches of pairs: a request, a reply, at most one correction for each batch.
//!
//! Uses the lock only to reserve and settle tokens.

use super::super::super::budget::{self, TokenReservation};
use super::super::super::model::{OpenModel, model_rejection};
use super::super::super::{Error, Session};
use crate::code::{Code, Rejection};
use crate::host::user::Prompt;
use crate::llm::{AnswerSchema, ChatMessage, Deadline, ErrorKind, ModelRequest, StopReason, TokenUsage};
use crate::reflect::duplicates::{
    DuplicateItem, PairVerdict, answer_schema, build_question, parse_reply, system_prompt,
};
use crate::view::query::answer::estimate_llm_tokens;

/// Upper bound of a reply about one pair, in tokens: a merged text and the object around it.
const REPLY_TOKENS_PER_PAIR: u32 = 160;
/// How many characters of a reply are sent back with its correction.
const MAX_QUOTED_CHARS: usize = 2000;

/// A model that judges pairs, with the user's limits.
pub struct Judge<'a> {
    session: &'a Session,
    opened: &'a OpenModel,
    budget: Option<u64>,
    required: bool,
    deadline: Deadline,
    /// Token counts of all requests.
    pub usage: TokenUsage,
}

/// The end of a request about a batch.
pub enum JudgeReply {
    /// For each pair its verdict, if the reply has one.
    Verdicts(Vec<Option<PairVerdict>>),
    /// Why there is none, and none is to be expected for other pairs.
    Stopped(String),
}

impl<'a> Judge<'a> {
    pub fn new(session: &'a Session, opened: &'a OpenModel, budget: Option<u64>, required: bool) -> Judge<'a> {
        let deadline = Deadline::within(opened.total_timeout);
        Judge { session, opened, budget, required, deadline, usage: TokenUsage::default() }
    }

    /// The model, as `provider/model`.
    pub fn name(&self) -> String {
        let id = self.opened.model.id();
        format!("{}/{}", id.provider, id.model)
    }

    /// The source that the journal records for the model's decisions.
    pub fn source(&self) -> String {
        format!("duplicates:{}", self.name())
    }

    /// Reserves the tokens of a batch with its correction; `None` if the rest of the day's budget is smaller.
    ///
    /// # Errors
    /// `busy`, `io`.
    pub fn reserve(&self, pairs: &[(&DuplicateItem, &DuplicateItem)]) -> Result<Option<TokenReservation>, Error> {
        let question = estimate_llm_tokens(&self.question(pairs)) + estimate_llm_tokens(&self.system());
        let tokens = 2 * (question as u64 + u64::from(reply_tokens(pairs.len())));
        Ok(budget::reserve(self.session, self.budget, "duplicates", tokens)?)
    }

    fn system(&self) -> String {
        self.opened.own_prompts.text(Prompt::Duplicates, system_prompt())
    }

    fn question(&self, pairs: &[(&DuplicateItem, &DuplicateItem)]) -> String {
        build_question(pairs, self.session.policy.policy.max_chars)
    }

    /// Asks about a batch.
    ///
    /// # Errors
    /// `model` if the user interrupted the request, or if the model is required and cannot be reached.
    pub fn ask(
        &mut self,
        pairs: &[(&DuplicateItem, &DuplicateItem)],
        reserved: TokenReservation,
    ) -> Result<JudgeReply, Error> {
        let (mut usage, mut requests) = (TokenUsage::default(), 0);
        let reply = self.request(pairs, &mut usage, &mut requests);
        budget::settle_call(self.session, reserved, usage, requests);
        self.usage += usage;
        reply
    }

    fn request(
        &self,
        pairs: &[(&DuplicateItem, &DuplicateItem)],
        usage: &mut TokenUsage,
        requests: &mut usize,
    ) -> Result<JudgeReply, Error> {
        let mut request = ModelRequest {
            system: self.system(),
            messages: vec![ChatMessage::User(self.question(pairs))],
            answer: Some(AnswerSchema::new("duplicates", answer_schema())),
            max_tokens: reply_tokens(pairs.len()),
            temperature: Some(0.0),
            ..ModelRequest::default()
        };
        let id = self.opened.model.id();
        loop {
            *requests += 1;
            self.session.progress.begin(&format!("calling {} {}", id.provider, id.model));
            let (said, why) = match self.opened.model.complete(&request, self.deadline) {
                Err(error) => {
                    *usage += error.usage;
                    match error.kind {
                        ErrorKind::Interrupted => {
                            return Err(Rejection::new(Code::Model, "interrupted before a decision").into());
                        }
                        ErrorKind::Malformed | ErrorKind::TooLarge => (String::new(), error.message),
                        _ if self.required => return Err(model_rejection(error).into()),
                        ErrorKind::Unreachable
                        | ErrorKind::Timeout
                        | ErrorKind::Unauthorized
                        | ErrorKind::QuotaExceeded
                        | ErrorKind::Busy
                        | ErrorKind::Rejected
                        | ErrorKind::NoTools
                        | ErrorKind::ProgramFailed => return Ok(JudgeReply::Stopped(error.message)),
                    }
                }
                Ok(reply) => {
                    *usage += reply.usage;
                    let calls: Vec<_> = reply.calls.iter().map(|call| call.arguments.clone()).collect();
                    let parsed = match reply.stop {
                        StopReason::Truncated => Err("the answer was cut off".to_owned()),
                        StopReason::Refused => {
                            return Ok(JudgeReply::Stopped("the model refused to answer".into()));
                        }
                        StopReason::End | StopReason::ToolCalls | StopReason::Other(_) => {
                            parse_reply(&reply.text, &calls, pairs)
                        }
                    };
                    match parsed {
                        Ok(verdicts) => return Ok(JudgeReply::Verdicts(verdicts)),
                        Err(why) => (reply.text, why),
                    }
                }
            };
            if *requests > 1 || self.deadline.remaining().is_none() {
                return Ok(JudgeReply::Stopped(format!("the model's answer could not be used: {why}")));
            }
            let said: String = said.chars().take(MAX_QUOTED_CHARS).collect();
            let text = if said.trim().is_empty() { "(nothing)".to_owned() } else { said };
            request.messages.push(ChatMessage::Assistant { text, calls: Vec::new() });
            request.messages.push(ChatMessage::User(format!("{why}. Answer again, with the JSON object only.")));
        }
    }
}

fn reply_tokens(pairs: usize) -> u32 {
    u32::try_from(pairs).unwrap_or(u32::MAX).saturating_mul(REPLY_TOKENS_PER_PAIR)
}
