//! A scripted model, and `reflect` with it in this process.

use std::cell::RefCell;
use std::rc::Rc;

use memdir::commands::model::OpenModel;
use memdir::commands::reflect::{ReflectOptions, reflect, reflect_queued};
use memdir::commands::results::ReflectReport;
use memdir::commands::{ChangeOptions, Error, Session};
use memdir::llm::replay::{ReplayModel, text_reply};
use memdir::llm::{ChatMessage, Deadline, LlmError, Model, ModelId, ModelReply, ModelRequest};
use memdir::reflect::prompt::ReplyMode;
use serde_json::{Value, json};

use crate::support::Memory;

/// Before which question something happens, and what.
type Meanwhile = Rc<RefCell<Option<(usize, Box<dyn FnOnce()>)>>>;

/// A script, and how it is to be played.
pub struct Script {
    replay: Rc<ReplayModel>,
    meanwhile: Meanwhile,
    pub way: Option<ReplyMode>,
    pub into: Option<String>,
    pub dry_run: bool,
    pub propose: bool,
    pub budget: Option<u64>,
    pub day: Option<&'static str>,
}

/// The model that is handed over: it shares the script.
struct Player {
    replay: Rc<ReplayModel>,
    meanwhile: Meanwhile,
}

impl Model for Player {
    fn id(&self) -> &ModelId {
        self.replay.id()
    }

    fn complete(&self, request: &ModelRequest, deadline: Deadline) -> Result<ModelReply, LlmError> {
        let now = |(n, _): &mut (usize, Box<dyn FnOnce()>)| *n == self.replay.requests().len();
        if let Some((_, happens)) = self.meanwhile.borrow_mut().take_if(now) {
            happens();
        }
        self.replay.complete(request, deadline)
    }
}

impl Script {
    /// A script of replies; requests one object unless set otherwise.
    pub fn of(replies: impl IntoIterator<Item = Result<ModelReply, LlmError>>) -> Script {
        Script {
            replay: Rc::new(ReplayModel::new(replies)),
            meanwhile: Rc::default(),
            way: Some(ReplyMode::JsonObject),
            into: None,
            dry_run: false,
            propose: false,
            budget: None,
            day: None,
        }
    }

    pub fn way(mut self, way: ReplyMode) -> Script {
        self.way = Some(way);
        self
    }

    pub fn auto(&self) -> Script {
        Script { replay: self.replay.clone(), meanwhile: self.meanwhile.clone(), way: None, into: None, ..*self }
    }

    /// What happens while the model thinks about the n-th question, from 0.
    pub fn meanwhile(self, n: usize, what: impl FnOnce() + 'static) -> Script {
        *self.meanwhile.borrow_mut() = Some((n, Box::new(what)));
        self
    }

    /// Every question so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.replay.requests()
    }

    /// Our last message in the n-th request.
    pub fn question(&self, n: usize) -> String {
        let request = &self.requests()[n];
        let ours = request.messages.iter().rev().find_map(|m| match m {
            ChatMessage::User(text) => Some(text.clone()),
            _ => None,
        });
        ours.unwrap_or_default()
    }

    /// The results of the calls before the n-th request.
    pub fn results(&self, n: usize) -> Vec<String> {
        match self.requests()[n].messages.last() {
            Some(ChatMessage::ToolResults(outcomes)) => outcomes.iter().map(|o| o.text.clone()).collect(),
            other => panic!("no results: {other:?}"),
        }
    }

    /// Reads a conversation; it must end well.
    #[track_caller]
    pub fn reads(&self, memory: &Memory, conversation: &str) -> ReflectReport {
        self.tries(memory, conversation).unwrap_or_else(|failure| panic!("{failure:?}"))
    }

    /// Reads a conversation, however it ends.
    pub fn tries(&self, memory: &Memory, conversation: &str) -> Result<ReflectReport, Error> {
        self.with(memory, |session, ask, how| reflect(session, conversation.as_bytes(), ask, how))
    }

    /// Reads what waits in the queue.
    pub fn drains(&self, memory: &Memory) -> Result<ReflectReport, Error> {
        self.with(memory, reflect_queued)
    }

    fn with(
        &self,
        memory: &Memory,
        verb: impl Fn(&Session, &ReflectOptions<'_>, &ChangeOptions) -> Result<ReflectReport, Error>,
    ) -> Result<ReflectReport, Error> {
        let mut session = memory.session();
        session.user_tokens_per_day = self.budget;
        if let Some(day) = self.day {
            session.now =
                format!("{day}T10:00:00Z").parse::<jiff::Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC);
        }
        let open = || {
            let (replay, meanwhile) = (self.replay.clone(), self.meanwhile.clone());
            Ok(OpenModel::new(Player { replay, meanwhile }))
        };
        let ask = ReflectOptions {
            reply_mode: self.way,
            propose: self.propose,
            into: self.into.clone(),
            ..ReflectOptions::new(&open)
        };
        let how = ChangeOptions { dry_run: self.dry_run, ..ChangeOptions::default() };
        verb(&session, &ask, &how)
    }
}

/// A one-shot reply with these operations.
pub fn ops(operations: &[Value]) -> Result<ModelReply, LlmError> {
    text_reply(json!({ "operations": operations }).to_string())
}

/// An add with its evidence.
pub fn add(at: &str, text: &str, quote: &str) -> Value {
    json!({"op": "add", "at": at, "text": text, "quote": quote, "turn": 1})
}

/// An operation as a tool's arguments.
pub fn object(mut operation: Value) -> Value {
    operation.as_object_mut().unwrap().remove("op");
    operation
}
