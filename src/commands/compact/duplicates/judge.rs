//! The questions to a model about batches of pairs.

use super::super::super::budget::TokenReservation;
use super::super::super::model::OpenModel;
use super::super::super::{Error, Session};
use super::super::model_calls::{JsonQuestion, ModelAnswer, ModelCalls};
use crate::host::user::Prompt;
use crate::llm::TokenUsage;
use crate::reflect::duplicates::{
    DuplicateItem, PairVerdict, answer_schema, build_question, parse_reply, system_prompt,
};

/// Upper bound of a reply about one pair, in tokens: a merged text and the object around it.
const REPLY_TOKENS_PER_PAIR: u32 = 160;

/// A model that judges pairs, with the user's limits.
pub struct Judge<'a> {
    calls: ModelCalls<'a>,
    max_chars: usize,
}

/// The end of a request about a batch.
pub enum JudgeReply {
    /// For each pair its verdict, if the reply has one.
    Verdicts(Vec<Option<PairVerdict>>),
    /// Why there is none, and none is to be expected for other pairs.
    Stopped(String),
}

impl<'a> Judge<'a> {
    pub fn new(session: &'a Session, opened: &'a OpenModel, required: bool) -> Judge<'a> {
        let max_chars = session.policy.policy.max_chars;
        Judge { calls: ModelCalls::new(session, opened, required), max_chars }
    }

    /// The model, as `provider/model`.
    pub fn name(&self) -> String {
        self.calls.name()
    }

    /// Token counts of all requests.
    pub fn usage(&self) -> TokenUsage {
        self.calls.usage
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
        self.calls.reserve(&self.question(pairs))
    }

    fn question(&self, pairs: &[(&DuplicateItem, &DuplicateItem)]) -> JsonQuestion {
        JsonQuestion {
            name: "duplicates",
            system: self.calls.opened().own_prompts.text(Prompt::Duplicates, system_prompt()),
            question: build_question(pairs, self.max_chars),
            schema: answer_schema(),
            reply_tokens: u32::try_from(pairs.len()).unwrap_or(u32::MAX).saturating_mul(REPLY_TOKENS_PER_PAIR),
        }
    }

    /// Asks about a batch.
    ///
    /// # Errors
    /// As [`ModelCalls::ask`].
    pub fn ask(
        &mut self,
        pairs: &[(&DuplicateItem, &DuplicateItem)],
        reserved: TokenReservation,
    ) -> Result<JudgeReply, Error> {
        let read = &mut |text: &str, calls: &[serde_json::Value]| parse_reply(text, calls, pairs);
        Ok(match self.calls.ask(self.question(pairs), reserved, read)? {
            ModelAnswer::Value(verdicts) => JudgeReply::Verdicts(verdicts),
            ModelAnswer::Unusable(reason) | ModelAnswer::Stopped(reason) => JudgeReply::Stopped(reason),
        })
    }
}
