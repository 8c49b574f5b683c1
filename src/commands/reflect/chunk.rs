//! Reads one chunk of a conversation: calls the model, judges its proposals, and plans them on top of the accepted
//! ones.
//!
//! Writes nothing and holds no lock; `commit_chunk` commits the accepted operations.

use serde_json::{Value, json};

pub use super::chunk_limits::ChunkLimits;
pub use super::chunk_result::{AcceptedOperation, ChunkResult};
use super::decision_text::{redact, refusal_text};
use super::overlay::ReflectOverlay;
use crate::code::{Code, Rejection};
use crate::llm::{
    AnswerSchema, ChatMessage, Deadline, ErrorKind, LlmError, Model, ModelReply, ModelRequest, StopReason, ToolCall,
    ToolDefinition, ToolOutcome,
};
use crate::operation::{Action, Operation};
use crate::path::{MemoryPath, PathPrefixes};
use crate::reflect::guards::WritingRules;
use crate::reflect::prompt::{self, PromptValues, ReplyMode};
use crate::reflect::proposal::{self, Proposal, UnusableReply, parse_proposal};
use crate::reflect::{chunks, tool_schema};
use crate::transcript::Turn;

mod decide;

/// What the requests about a chunk and the decisions on their replies depend on, beside the model.
pub struct ChunkInput<'a> {
    /// With tools, or as one JSON object; `None`: whatever the host supports.
    pub reply_mode: Option<ReplyMode>,
    pub instructions: &'a str,
    /// All turns of the conversation, unmodified.
    pub turns: &'a [Turn],
    /// The file into which everything is written.
    pub into: Option<&'a MemoryPath>,
    pub prefixes: &'a PathPrefixes,
    /// Texts that wait because only another conversation states them.
    pub unconfirmed: &'a [String],
    /// The policy's rules for texts.
    pub writing_rules: &'a WritingRules,
    /// Today, `YYYY-MM-DD`.
    pub today: &'a str,
    /// Turn every operation into a proposal.
    pub propose: bool,
    pub limits: ChunkLimits,
    /// Receives one line about each step, to be displayed.
    pub progress: &'a dyn Fn(&str),
}

/// Reads one chunk, the turns in `range`, with a model whose requests must all end before the deadline.
pub fn read_chunk(
    overlay: &mut ReflectOverlay<'_>,
    model: &dyn Model,
    deadline: Deadline,
    input: &ChunkInput<'_>,
    range: std::ops::Range<usize>,
) -> ChunkResult {
    let mut dialogue = ReflectDialogue::new(overlay, model, deadline, input, range);
    match input.reply_mode {
        Some(ReplyMode::JsonObject) => dialogue.run_with_object(),
        Some(ReplyMode::Tools) => dialogue.run_with_tools(),
        None => {
            dialogue.run_with_tools();
            if dialogue.result.requests <= 1
                && dialogue.result.error.as_ref().is_some_and(|t| t.kind == ErrorKind::NoTools)
            {
                // The failed request does not count: the host rejected it before the model saw it.
                (dialogue.result.error, dialogue.result.requests) = (None, 0);
                dialogue.run_with_object();
            }
        }
    }
    dialogue.require_proposals();
    dialogue.result
}

/// The first request about a chunk, as it would be sent.
pub fn first_request(
    overlay: &mut ReflectOverlay<'_>,
    input: &ChunkInput<'_>,
    range: std::ops::Range<usize>,
) -> ModelRequest {
    let max_operations = input.limits.max_operations(&input.turns[range.clone()]);
    let messages = vec![ChatMessage::User(user_prompt(overlay, input, range))];
    match input.reply_mode.unwrap_or(ReplyMode::Tools) {
        ReplyMode::Tools => input.request_with_tools(messages),
        ReplyMode::JsonObject => input.request_of_object(messages, max_operations),
    }
}

impl ChunkInput<'_> {
    fn request_with_tools(&self, messages: Vec<ChatMessage>) -> ModelRequest {
        ModelRequest { tools: tool_definitions(), ..self.build_request(ReplyMode::Tools, messages) }
    }

    fn request_of_object(&self, messages: Vec<ChatMessage>, max_operations: usize) -> ModelRequest {
        let bounded = tool_schema::bounded_schema(max_operations, self.writing_rules.max_chars);
        let schema = AnswerSchema { bounded, ..AnswerSchema::new("operations", tool_schema::one_shot_schema()) };
        ModelRequest { answer: Some(schema), ..self.build_request(ReplyMode::JsonObject, messages) }
    }

    fn build_request(&self, reply_mode: ReplyMode, messages: Vec<ChatMessage>) -> ModelRequest {
        let prompt_values = PromptValues {
            max_chars: self.writing_rules.max_chars,
            into: self.into.map(MemoryPath::as_str),
            today: self.today,
            mode: reply_mode,
        };
        let system = prompt::instructions(self.instructions, &prompt_values);
        ModelRequest { system, messages, max_tokens: self.limits.max_reply_tokens, ..ModelRequest::default() }
    }
}

/// The user message about a chunk, without secrets.
fn user_prompt(overlay: &mut ReflectOverlay<'_>, input: &ChunkInput<'_>, range: std::ops::Range<usize>) -> String {
    let conversation = chunks::render_turns(&input.turns[range], &redact);
    let mut memory = overlay.known_memory(&conversation);
    memory.facts = redact(&memory.facts);
    memory.episodes = redact(&memory.episodes);
    prompt::build_question(&memory, &conversation)
}

fn tool_definitions() -> Vec<ToolDefinition> {
    let tool = |(name, description, parameters): tool_schema::ToolSchema| ToolDefinition {
        name: name.into(),
        description: description.into(),
        parameters,
    };
    tool_schema::tools().into_iter().map(tool).collect()
}

/// How many characters of a reply that could not be used are sent back to the model.
const MAX_RETURNED_CHARS: usize = 400;

/// The error of a reply that is JSON without operations: the conversation is not read.
const NO_OPERATIONS: &str = "the model's answer contains no operations";

/// The operation of a call of a write tool.
fn call_operation(call: &ToolCall) -> Option<serde_json::Map<String, Value>> {
    let mut value = call.arguments.as_object()?.clone();
    value.insert("op".into(), json!(call.name));
    Some(value)
}

/// The additions and updates among operations.
fn stated_facts(values: &[Value]) -> Vec<Proposal> {
    let is_stated =
        |proposal: &Proposal| matches!(proposal.operation.action, Action::Add { .. } | Action::Update { .. });
    values.iter().filter_map(|value| parse_proposal(value).ok()).filter(is_stated).collect()
}

struct ReflectDialogue<'d, 's, 'r> {
    overlay: &'d mut ReflectOverlay<'s>,
    model: &'r dyn Model,
    deadline: Deadline,
    input: &'r ChunkInput<'r>,
    result: ChunkResult,
    prompt: String,
    /// How many operations one reply may have, if a grammar limits it.
    max_operations: usize,
    /// Whether the last message reported refusals to the model, so that its reply is a correction.
    is_correction: bool,
    /// Operations that contradict the memory, about which the model was asked.
    asked: Vec<Operation>,
    /// The additions and updates of the reply that is read, by which a removal of it may be explained.
    siblings: Vec<Proposal>,
    /// Whether a call named no tool, or had arguments that are no JSON object.
    has_invalid_calls: bool,
    /// Whether something that the model proposed was an operation, even one that was refused.
    has_readable_operations: bool,
    /// Whether the last reply with proposals had one that is no operation.
    last_is_unreadable: bool,
}

impl<'d, 's, 'r> ReflectDialogue<'d, 's, 'r> {
    fn new(
        overlay: &'d mut ReflectOverlay<'s>,
        model: &'r dyn Model,
        deadline: Deadline,
        input: &'r ChunkInput<'r>,
        range: std::ops::Range<usize>,
    ) -> ReflectDialogue<'d, 's, 'r> {
        ReflectDialogue {
            prompt: user_prompt(overlay, input, range.clone()),
            overlay,
            model,
            deadline,
            input,
            result: ChunkResult::default(),
            max_operations: input.limits.max_operations(&input.turns[range]),
            is_correction: false,
            asked: Vec::new(),
            siblings: Vec::new(),
            has_invalid_calls: false,
            has_readable_operations: false,
            last_is_unreadable: false,
        }
    }

    /// A dialogue that ended without a proposal is no reading of the conversation, if a limit ended it or if what the
    /// model called or proposed could not be understood.
    fn require_proposals(&mut self) {
        let has_failed = self.result.error.is_some() || self.result.obstacle.is_some();
        if has_failed || self.has_readable_operations {
            return;
        }
        let message = match (self.result.decisions.last(), self.result.limit_reached.take()) {
            // The model took back what could not be read.
            (Some(_), None) if !self.last_is_unreadable => return,
            (Some(decision), _) => {
                let reason = decision.reasons.first().map_or("", |reason| reason.what.as_str());
                format!("none of the model's operations could be read: {reason}")
            }
            (None, Some(limit)) => format!("the model proposed nothing until the limit of {limit}"),
            (None, None) if self.has_invalid_calls => "the model's tool calls could not be read".to_owned(),
            (None, None) => return,
        };
        self.result.error = Some(LlmError::new(ErrorKind::Unusable, message));
    }

    /// Sends a request; `None` if the dialogue has ended.
    fn send(&mut self, request: &ModelRequest) -> Option<ModelReply> {
        if self.result.obstacle.is_some() {
            return None;
        }
        let limits = self.input.limits;
        let used = self.result.estimated_usage.sum();
        if self.result.requests >= limits.max_requests {
            self.result.limit_reached = Some("turns");
            return None;
        }
        if used >= limits.max_tokens {
            self.result.limit_reached = Some("tokens");
            return None;
        }
        if self.result.requests > 0 && self.deadline.remaining().is_none() {
            let message = "the time limit passed while the model's answer was checked, before the next request";
            self.result.error = Some(LlmError::new(ErrorKind::Timeout, message));
            return None;
        }
        let model_id = self.model.id();
        let request_number = self.result.requests + 1;
        (self.input.progress)(&format!(
            "calling {} {}, request {request_number}, {used} tokens so far",
            model_id.provider, model_id.model
        ));
        self.result.requests += 1;
        match self.model.complete(request, self.deadline) {
            Ok(reply) => {
                self.result.usage += reply.usage;
                self.result.estimated_usage += crate::commands::cost_estimate::usage_or_estimate(request, &reply);
                if reply.stop == StopReason::Refused {
                    self.result.error = Some(LlmError::new(ErrorKind::Rejected, "the model refused to answer"));
                    return None;
                }
                Some(reply)
            }
            Err(error) => {
                self.result.usage += error.usage;
                self.result.estimated_usage += error.usage;
                self.result.error = Some(error);
                None
            }
        }
    }

    /// The dialogue with tools: ends when the model calls no tool.
    fn run_with_tools(&mut self) {
        let mut messages = vec![ChatMessage::User(self.prompt.clone())];
        let mut was_truncated = false;
        loop {
            let request = self.input.request_with_tools(messages.clone());
            let Some(reply) = self.send(&request) else { return };
            // Not every host says that it cut a reply off.
            if reply.stop == StopReason::Truncated || reply.calls.is_empty() && proposal::is_cut_json(&reply.text) {
                // After a second truncated reply, further requests are pointless.
                if std::mem::replace(&mut was_truncated, true) {
                    self.result.error = Some(LlmError::new(ErrorKind::Unusable, "the model's answers are cut off"));
                    return;
                }
                messages.push(ChatMessage::User(
                    "Your answer was cut off; nothing of it was done. Do less at once.".into(),
                ));
                continue;
            }
            if reply.calls.is_empty() {
                if proposal::is_foreign_json(&reply.text) {
                    self.result.error = Some(LlmError::new(ErrorKind::Unusable, NO_OPERATIONS));
                    return;
                }
                // Small models write the calls as text instead of making them.
                let values = proposal::parse_reply(&reply.text).unwrap_or_default();
                drop(self.decide_all(&values));
                return;
            }
            let arguments = |call: &ToolCall| call_operation(call).map(Value::Object);
            self.last_is_unreadable = false;
            self.siblings = stated_facts(&reply.calls.iter().filter_map(arguments).collect::<Vec<_>>());
            let outcomes: Vec<ToolOutcome> = reply.calls.iter().map(|call| self.run_call(call)).collect();
            self.is_correction = outcomes.iter().any(|o| o.failed);
            messages.push(ChatMessage::Assistant { text: reply.text, calls: reply.calls });
            messages.push(ChatMessage::ToolResults(outcomes));
        }
    }

    fn run_call(&mut self, call: &ToolCall) -> ToolOutcome {
        let is_tool = tool_schema::tools().iter().any(|(name, ..)| *name == call.name);
        self.has_invalid_calls |= !is_tool || !call.arguments.is_object();
        let (text, failed) = if tool_schema::WRITE_TOOLS.contains(&call.name.as_str()) {
            match call_operation(call) {
                Some(value) => match self.decide_value(&Value::Object(value)) {
                    Ok(done) => (done, false),
                    Err(error) => (error, true),
                },
                None => ("the arguments are not a JSON object".to_owned(), true),
            }
        } else {
            match self.overlay.run_read_tool(&call.name, &call.arguments) {
                Ok(text) => (redact(&chunks::escape_frame_tags(&text)), false),
                Err(error) => (refusal_text(&error), true),
            }
        };
        ToolOutcome { id: call.id.clone(), name: call.name.clone(), text, failed }
    }

    /// The dialogue with one JSON object per reply: the model may correct refused operations.
    fn run_with_object(&mut self) {
        let mut messages = vec![ChatMessage::User(self.prompt.clone())];
        let mut was_invalid = false;
        // One reply and two corrections: a model that still fails is guessing.
        for _ in 0..3 {
            let request = self.input.request_of_object(messages.clone(), self.max_operations);
            let Some(reply) = self.send(&request) else { return };
            let is_truncated = reply.stop == StopReason::Truncated;
            let values = match proposal::parse_reply(&reply.text) {
                Ok(values) if !is_truncated => values,
                unusable => {
                    let (failure, advice) = match unusable {
                        _ if is_truncated => ("the model's answers are cut off", prompt::TRUNCATION_MESSAGE),
                        Err(UnusableReply::NoOperations) => (NO_OPERATIONS, prompt::NO_OPERATIONS_MESSAGE),
                        _ => ("the model's answer contains no JSON object", prompt::NO_OBJECT_MESSAGE),
                    };
                    if std::mem::replace(&mut was_invalid, true) {
                        self.result.error = Some(LlmError::new(ErrorKind::Unusable, failure));
                        return;
                    }
                    // The whole of a reply without an end would leave no space for another.
                    let start = reply.text.chars().take(MAX_RETURNED_CHARS).collect();
                    messages.push(ChatMessage::Assistant { text: start, calls: Vec::new() });
                    messages.push(ChatMessage::User(advice.into()));
                    if is_truncated {
                        self.max_operations = 1;
                    }
                    continue;
                }
            };
            let Some(refused) = self.decide_all(&values).filter(|refused| !refused.is_empty()) else { return };
            self.is_correction = true;
            messages.push(ChatMessage::Assistant { text: reply.text, calls: Vec::new() });
            messages.push(ChatMessage::User(prompt::refusal_message(&refused)));
        }
    }
}

/// Whether an error is about the state of the memory (conflict markers, a link, a failing disk) and not about the
/// proposal: once the state is better, the same proposal may be kept.
pub fn is_obstacle(error: &Rejection) -> bool {
    matches!(error.code, Code::ConflictMarkers | Code::UnsafeFile | Code::Io | Code::NotText | Code::Internal)
}
