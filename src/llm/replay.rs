//! A model with scripted replies, for tests of the code that calls models.
//!
//! Never touches the network.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::{
    Deadline, ErrorKind, LlmError, Model, ModelId, ModelReply, ModelRequest, StopReason, TokenUsage, ToolCall,
};

/// Returns its replies in order; after the last one, `Unreachable`.
pub struct ReplayModel {
    id: ModelId,
    replies: RefCell<VecDeque<Result<ModelReply, LlmError>>>,
    requests: RefCell<Vec<ModelRequest>>,
}

impl ReplayModel {
    pub fn new(replies: impl IntoIterator<Item = Result<ModelReply, LlmError>>) -> ReplayModel {
        let id = ModelId { provider: "replay".into(), model: "script".into() };
        ReplayModel { id, replies: RefCell::new(replies.into_iter().collect()), requests: RefCell::default() }
    }

    /// The requests received so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.requests.borrow().clone()
    }
}

impl Model for ReplayModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn complete(&self, request: &ModelRequest, _: Deadline) -> Result<ModelReply, LlmError> {
        self.requests.borrow_mut().push(request.clone());
        let exhausted = || Err(LlmError::new(ErrorKind::Unreachable, "the script has no more replies"));
        self.replies.borrow_mut().pop_front().unwrap_or_else(exhausted)
    }
}

/// A text reply, for a script.
pub fn text_reply(text: impl Into<String>) -> Result<ModelReply, LlmError> {
    Ok(ModelReply {
        text: text.into(),
        calls: Vec::new(),
        stop: StopReason::End,
        usage: TokenUsage { input: 100, output: 10 },
    })
}

/// A reply with tool calls (name and arguments), for a script.
pub fn tool_call_reply<'a>(
    calls: impl IntoIterator<Item = (&'a str, serde_json::Value)>,
) -> Result<ModelReply, LlmError> {
    let numbered = calls.into_iter().enumerate();
    let calls =
        numbered.map(|(n, (name, arguments))| ToolCall { id: format!("call_{n}"), name: name.into(), arguments });
    let calls = calls.collect();
    Ok(ModelReply {
        text: String::new(),
        calls,
        stop: StopReason::ToolCalls,
        usage: TokenUsage { input: 100, output: 10 },
    })
}
