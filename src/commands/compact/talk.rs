//! The conversation with a model about one place: a question, an answer, at most one correction.
//!
//! Knows no store and no lock.

use std::time::Duration;

use super::super::Failure;
use crate::code::{Code, Rejection};
use crate::llm::{Deadline, Message, Model, Request, Schema, Stop, Usage, What};
use crate::reflect::compaction::{Crowd, Decision, Rules, ask, correct, decide, read, schema, system};

/// How long all questions of one command may take.
const WITHIN: Duration = Duration::from_secs(120);
/// The longest reply, in tokens.
const MOST_TOKENS: u32 = 1024;
/// How much of a reply is said back with its correction, in characters.
const SAID: usize = 2000;

/// A model, while it is of use.
pub struct Talk<'a> {
    model: Option<&'a dyn Model>,
    deadline: Deadline,
    corrected: bool,
    /// Who was asked: `provider/model`.
    pub who: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// Why it does not decide (any more).
    pub why: Option<String>,
}

impl<'a> Talk<'a> {
    /// A conversation that has not begun.
    pub fn new(model: Option<&'a dyn Model>) -> Talk<'a> {
        let who = model.map(|m| format!("{}/{}", m.who().provider, m.who().model));
        let why = model.is_none().then(|| "no model is configured".to_owned());
        Talk { model, deadline: Deadline::within(WITHIN), corrected: false, who, usage: Usage::default(), why }
    }

    /// Whether asking makes sense.
    pub fn listens(&self) -> bool {
        self.model.is_some()
    }

    /// Another place: it may be corrected once again.
    pub fn turn(&mut self) {
        self.corrected = false;
    }

    /// No more questions.
    pub fn ended(mut self) -> Talk<'a> {
        if self.model.take().is_some() {
            self.why = Some("the memory kept moving while the model was thinking".into());
        }
        self
    }

    /// Who decides, for the journal.
    pub fn source(&self) -> String {
        self.who.as_deref().map(|who| format!("compact:{who}")).unwrap_or_default()
    }

    /// Asks for decisions until they fit; `None` when age must decide, and `why` says so.
    ///
    /// # Errors
    /// `model` when a person stopped it.
    pub fn decide<T>(
        &mut self,
        crowd: &Crowd,
        rules: &Rules<'_>,
        mut fits: impl FnMut(&[Decision]) -> Result<T, String>,
    ) -> Result<Option<(Vec<Decision>, T)>, Failure> {
        let mut messages = vec![Message::User(ask(crowd, rules.most_chars))];
        while let Some(model) = self.model {
            let answer = Schema { name: "decision".into(), schema: schema() };
            let request = Request {
                system: system(),
                messages: messages.clone(),
                tools: Vec::new(),
                answer: Some(answer),
                most_tokens: MOST_TOKENS,
            };
            let (said, why) = match model.ask(&request, self.deadline) {
                Err(trouble) => {
                    self.usage += trouble.usage;
                    match trouble.what {
                        What::Interrupted => {
                            return Err(Rejection::new(Code::Model, "stopped before anything was decided").into());
                        }
                        What::Malformed | What::TooLarge => (String::new(), trouble.message),
                        _ => {
                            // Whoever cannot be reached now is not asked again in the next place.
                            self.model = None;
                            self.why = Some(trouble.message);
                            return Ok(None);
                        }
                    }
                }
                Ok(reply) => {
                    self.usage += reply.usage;
                    let arguments: Vec<_> = reply.calls.iter().map(|c| c.arguments.clone()).collect();
                    let decided = match reply.stop {
                        Stop::Truncated => Err("the answer was cut off".to_owned()),
                        Stop::Refused => {
                            self.why = Some("the model would not answer".into());
                            return Ok(None);
                        }
                        _ => read(&reply.text, &arguments),
                    };
                    let decided = decided.and_then(|said| decide(crowd, &said, rules));
                    match decided.and_then(|decisions| Ok((fits(&decisions)?, decisions))) {
                        Ok((done, decisions)) => return Ok(Some((decisions, done))),
                        Err(why) => (reply.text, why),
                    }
                }
            };
            if std::mem::replace(&mut self.corrected, true) || self.deadline.left().is_none() {
                self.why = Some(format!("the model's decision could not be carried out: {why}"));
                return Ok(None);
            }
            let said: String = said.chars().take(SAID).collect();
            let said = if said.trim().is_empty() { "(nothing)".to_owned() } else { said };
            messages.push(Message::Assistant { text: said, calls: Vec::new() });
            messages.push(Message::User(correct(crowd, rules.most_chars, &why)));
        }
        Ok(None)
    }
}
