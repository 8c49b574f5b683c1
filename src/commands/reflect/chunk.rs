//! Reads one chunk of a conversation: calls the model, judges its proposals, and plans them on top of the accepted
//! ones.
//!
//! Writes nothing and holds no lock; `commit_chunk` commits the accepted operations.

use serde_json::{Value, json};

pub use super::chunk_limits::ChunkLimits;
pub use super::chunk_result::{AcceptedOperation, ChunkResult};
use super::decision_text::{
    effects_text, finding_reason, mark_known, mark_refused, redact, redact_decision, refusal_text, rejection_reason,
    string_field, waiting_reason,
};
use super::overlay::ReflectOverlay;
use crate::code::{Code, Rejection};
use crate::commands::answer::ReflectDecision;
use crate::commands::review::reviewed_files;
use crate::llm::{
    AnswerSchema, ChatMessage, Deadline, ErrorKind, LlmError, Model, ModelReply, ModelRequest, StopReason, ToolCall,
    ToolDefinition, ToolOutcome,
};
use crate::operation::{Action, Operation, dialects};
use crate::path::{MemoryPath, PathPrefixes};
use crate::reflect::guards::{self, GuardFinding, MemoryKind, Violation, WritingRules};
use crate::reflect::judge::{JudgeContext, Route, describe_findings, route_proposal};
use crate::reflect::outcome::{self, route_effects};
use crate::reflect::prompt::{self, PromptValues, ReplyMode};
use crate::reflect::proposal::{self, Proposal, parse_proposal};
use crate::reflect::{chunks, tool_schema};
use crate::transcript::Turn;
use crate::view::diff::unified_diff;

/// The input for reading a chunk.
pub struct ChunkInput<'a> {
    pub model: &'a dyn Model,
    /// The deadline of all requests.
    pub deadline: Deadline,
    /// With tools, or as one JSON object; `None`: whatever the host supports.
    pub reply_mode: Option<ReplyMode>,
    pub instructions: &'a str,
    /// All turns of the conversation, unmodified.
    pub turns: &'a [Turn],
    /// The file into which everything is written.
    pub into: Option<&'a MemoryPath>,
    pub prefixes: &'a PathPrefixes,
    /// Texts that wait because only another conversation states them.
    pub heard: &'a [String],
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

/// Reads one chunk: the turns in `range`.
pub fn read_chunk(
    overlay: &mut ReflectOverlay<'_>,
    input: &ChunkInput<'_>,
    range: std::ops::Range<usize>,
) -> ChunkResult {
    let prompt = user_prompt(overlay, input, range.clone());
    let mut dialogue = ReflectDialogue {
        overlay,
        input,
        result: ChunkResult::default(),
        prompt,
        max_operations: input.limits.max_operations(&input.turns[range]),
        is_correction: false,
        asked: Vec::new(),
    };
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
    dialogue.result
}

/// The first request about a chunk, as it would be sent.
pub fn first_request(
    overlay: &mut ReflectOverlay<'_>,
    input: &ChunkInput<'_>,
    range: std::ops::Range<usize>,
) -> ModelRequest {
    let prompt = user_prompt(overlay, input, range.clone());
    let dialogue = ReflectDialogue {
        overlay,
        input,
        result: ChunkResult::default(),
        prompt,
        max_operations: input.limits.max_operations(&input.turns[range]),
        is_correction: false,
        asked: Vec::new(),
    };
    let reply_mode = input.reply_mode.unwrap_or(ReplyMode::Tools);
    let messages = vec![ChatMessage::User(dialogue.prompt.clone())];
    match reply_mode {
        ReplyMode::Tools => ModelRequest { tools: tool_definitions(), ..dialogue.build_request(reply_mode, messages) },
        ReplyMode::JsonObject => {
            ModelRequest { answer: Some(dialogue.answer_schema()), ..dialogue.build_request(reply_mode, messages) }
        }
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

struct ReflectDialogue<'d, 's, 'r> {
    overlay: &'d mut ReflectOverlay<'s>,
    input: &'r ChunkInput<'r>,
    result: ChunkResult,
    prompt: String,
    /// How many operations one reply may have, if a grammar limits it.
    max_operations: usize,
    /// Whether the last message reported refusals to the model, so that its reply is a correction.
    is_correction: bool,
    /// Operations that contradict the memory, about which the model was asked.
    asked: Vec<Operation>,
}

impl ReflectDialogue<'_, '_, '_> {
    fn build_request(&self, reply_mode: ReplyMode, messages: Vec<ChatMessage>) -> ModelRequest {
        let prompt_values = PromptValues {
            max_chars: self.input.writing_rules.max_chars,
            into: self.input.into.map(MemoryPath::as_str),
            today: self.input.today,
            mode: reply_mode,
        };
        let system = prompt::instructions(self.input.instructions, &prompt_values);
        ModelRequest { system, messages, max_tokens: self.input.limits.max_reply_tokens, ..ModelRequest::default() }
    }

    fn answer_schema(&self) -> AnswerSchema {
        let bounded = tool_schema::bounded_schema(self.max_operations, self.input.writing_rules.max_chars);
        AnswerSchema { bounded, ..AnswerSchema::new("operations", tool_schema::one_shot_schema()) }
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
        let model_id = self.input.model.id();
        let request_number = self.result.requests + 1;
        (self.input.progress)(&format!(
            "calling {} {}, request {request_number}, {used} tokens so far",
            model_id.provider, model_id.model
        ));
        self.result.requests += 1;
        match self.input.model.complete(request, self.input.deadline) {
            Ok(reply) => {
                self.result.usage += reply.usage;
                self.result.estimated_usage += super::cost_estimate::usage_or_estimate(request, &reply);
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
            let request =
                ModelRequest { tools: tool_definitions(), ..self.build_request(ReplyMode::Tools, messages.clone()) };
            let Some(reply) = self.send(&request) else { return };
            if reply.stop == StopReason::Truncated {
                // After a second truncated reply, further requests are pointless.
                if std::mem::replace(&mut was_truncated, true) {
                    self.result.error = Some(LlmError::new(ErrorKind::Malformed, "the model's answers are cut off"));
                    return;
                }
                messages.push(ChatMessage::User(
                    "Your answer was cut off; nothing of it was done. Do less at once.".into(),
                ));
                continue;
            }
            if reply.calls.is_empty() {
                // Small models write the calls as text instead of making them.
                for value in proposal::parse_reply(&reply.text).unwrap_or_default() {
                    drop(self.decide_value(&value));
                }
                return;
            }
            let outcomes: Vec<ToolOutcome> = reply.calls.iter().map(|call| self.run_call(call)).collect();
            self.is_correction = outcomes.iter().any(|o| o.failed);
            messages.push(ChatMessage::Assistant { text: reply.text, calls: reply.calls });
            messages.push(ChatMessage::ToolResults(outcomes));
        }
    }

    fn run_call(&mut self, call: &ToolCall) -> ToolOutcome {
        let (text, failed) = match tool_schema::WRITE_TOOLS.contains(&call.name.as_str()) {
            true => match &call.arguments {
                Value::Object(arguments) => {
                    let mut value = arguments.clone();
                    value.insert("op".into(), json!(call.name));
                    match self.decide_value(&Value::Object(value)) {
                        Ok(done) => (done, false),
                        Err(why) => (why, true),
                    }
                }
                _ => ("the arguments are not a JSON object".to_owned(), true),
            },
            false => match self.overlay.run_read_tool(&call.name, &call.arguments) {
                Ok(text) => (redact(&chunks::escape_frame_tags(&text)), false),
                Err(why) => (refusal_text(&why), true),
            },
        };
        ToolOutcome { id: call.id.clone(), name: call.name.clone(), text, failed }
    }

    /// The dialogue with one JSON object per reply: the model may correct refused operations.
    fn run_with_object(&mut self) {
        let mut messages = vec![ChatMessage::User(self.prompt.clone())];
        let mut was_invalid = false;
        // One reply and two corrections: a model that still fails is guessing.
        for _ in 0..3 {
            let request = ModelRequest {
                answer: Some(self.answer_schema()),
                ..self.build_request(ReplyMode::JsonObject, messages.clone())
            };
            let Some(reply) = self.send(&request) else { return };
            let is_truncated = reply.stop == StopReason::Truncated;
            let values = match proposal::parse_reply(&reply.text) {
                Ok(values) if !is_truncated => values,
                _ => {
                    let (failure, advice) = match is_truncated {
                        true => ("the model's answers are cut off", prompt::TRUNCATION_MESSAGE),
                        false => ("the model's answer contains no JSON object", prompt::NO_OBJECT_MESSAGE),
                    };
                    if std::mem::replace(&mut was_invalid, true) {
                        self.result.error = Some(LlmError::new(ErrorKind::Malformed, failure));
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
            let mut refused = Vec::new();
            for (n, value) in values.iter().enumerate() {
                if let Err(why) = self.decide_value(value) {
                    refused.push((n, why));
                }
            }
            if refused.is_empty() {
                return;
            }
            self.is_correction = true;
            messages.push(ChatMessage::Assistant { text: reply.text, calls: Vec::new() });
            messages.push(ChatMessage::User(prompt::refusal_message(&refused)));
        }
    }

    /// Decides on one proposal. Returns what was done, or why not, as text for the model.
    fn decide_value(&mut self, value: &Value) -> Result<String, String> {
        let number = self.result.decisions.len();
        let proposal = match parse_proposal(value) {
            Ok(wish) => wish,
            Err(why) => {
                // For a text with several lines, the guards give better reasons than the parser.
                let findings = match why.code == Code::Multiline {
                    true => {
                        guards::check_text(&string_field(value, "text"), MemoryKind::Fact, self.input.writing_rules)
                    }
                    false => Vec::new(),
                };
                let (reasons, reply) = match findings.is_empty() {
                    true => (vec![rejection_reason(&why)], refusal_text(&why)),
                    false => (findings.iter().map(finding_reason).collect(), describe_findings(&findings)),
                };
                let (op, text) = (string_field(value, "op"), string_field(value, "text"));
                let decision = ReflectDecision { verdict: "refused", op, text, reasons, ..ReflectDecision::default() };
                self.result.decisions.push(redact_decision(decision));
                return Err(reply);
            }
        };
        let printed = dialects::to_json(&proposal.operation);
        let mut decision = ReflectDecision {
            op: string_field(&printed, "op"),
            at: Some(string_field(&printed, "at")).filter(|at| !at.is_empty()),
            text: [string_field(&printed, "title"), string_field(&printed, "text")]
                .into_iter()
                .find(|t| !t.is_empty())
                .unwrap_or_default(),
            quote: proposal.quote.as_deref().map(redact),
            turn: proposal.turn,
            ..ReflectDecision::default()
        };
        // A model that corrects one operation often repeats the others, too: do not count those again.
        if self.result.accepted.iter().any(|a| a.operation == proposal.operation) {
            return Ok("that was accepted already".into());
        }
        let result = self.judge(&proposal, &mut decision, number);
        let decision = redact_decision(decision);
        let is_same = |d: &ReflectDecision| (&d.op, &d.at, &d.text) == (&decision.op, &decision.at, &decision.text);
        // An accepted operation refers to its decision by index, so the decision must be kept.
        let accepted = self.result.accepted.last().is_some_and(|a| a.decision_index == number);
        if accepted || !self.result.decisions.iter().any(|d| is_same(d) && d.verdict == decision.verdict) {
            self.result.decisions.push(decision);
        }
        result
    }

    fn judge(&mut self, proposal: &Proposal, decision: &mut ReflectDecision, number: usize) -> Result<String, String> {
        let input = self.input;
        let bullet_texts = self.overlay.bullet_texts();
        let (turns, rules, into, prefixes) = (input.turns, input.writing_rules, input.into, input.prefixes);
        let asked = self.asked.clone();
        let (asked, heard, today) = (asked.as_slice(), input.heard, input.today);
        let judge_context = JudgeContext { turns, known: bullet_texts, rules, into, prefixes, asked, heard, today };
        let first_route = route_proposal(proposal, &judge_context);
        self.count_first_attempt(&first_route);
        let evidence = match &first_route {
            Route::Refused(findings) => return self.refuse(proposal, decision, findings),
            Route::AlreadyKnown(found) => return mark_known(decision, found),
            Route::Apply(proof) | Route::Inbox(proof, _) => *proof,
        };
        decision.turn = Some(evidence.turn);
        let changeset = match self.overlay.plan(&proposal.operation) {
            Ok(changeset) => changeset,
            // An existing file may only be changed bullet by bullet, even if the model has read it.
            Err(why) if matches!(proposal.operation.action, Action::Write { .. }) && why.code == Code::NeedsProof => {
                return mark_refused(
                    decision,
                    &[GuardFinding { violation: Violation::NotAllowed, excerpt: "write on an existing file".into() }],
                );
            }
            Err(why) => {
                decision.verdict = "refused";
                decision.reasons = vec![rejection_reason(&why)];
                let text = refusal_text(&why);
                if is_obstacle(&why) {
                    self.result.obstacle.get_or_insert(why);
                }
                return Err(text);
            }
        };
        if changeset.files.is_empty() {
            decision.verdict = "known";
            return Ok("the memory already has that; nothing was changed".into());
        }
        let (files, effects) = self.overlay.planned_effects(&changeset);
        let writes = write_count(&proposal.operation, &effects);
        if let Some(what) = self.exceeded_limit(evidence.turn, writes) {
            return mark_refused(decision, &[GuardFinding { violation: Violation::Limit, excerpt: what.to_owned() }]);
        }
        let ground =
            JudgeContext { turns, known: self.overlay.bullet_texts(), rules, into, prefixes, asked, heard, today };
        let outcome = outcome::PlannedEffects { effects: &effects, files: &files };
        let reviewed = reviewed_files(self.overlay.session(), &changeset);
        let as_proposal = match route_effects(first_route, proposal, &outcome, &ground) {
            Route::Refused(found) => return self.refuse(proposal, decision, &found),
            Route::AlreadyKnown(found) => return mark_known(decision, &found),
            Route::Inbox(_, found) => Some(found),
            Route::Apply(_) => (input.propose || reviewed.is_some()).then(Vec::new),
        };
        // The quote goes into the journal, which must not contain secrets.
        let quote = proposal.quote.as_deref().map(redact).unwrap_or_default();
        let waits = as_proposal.map(|found| {
            decision.reasons = found.iter().map(finding_reason).collect();
            let why = waiting_reason(&found, reviewed.as_deref());
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let diff = changeset.files.iter().map(|file| {
                let before = self.overlay.current_text(&file.path);
                unified_diff(file.path.as_str(), before.as_deref(), file.after.as_ref().map(|b| text(b)).as_deref())
            });
            (why.trim().to_owned(), diff.collect::<String>())
        });
        let answer = match &waits {
            Some(_) => "proposed: a person will decide".to_owned(),
            None => effects_text(&changeset),
        };
        decision.verdict = if waits.is_some() { "proposed" } else { "kept" };
        if waits.is_none() {
            self.overlay.accept(changeset);
        }
        let operation = proposal.operation.clone();
        self.result.accepted.push(AcceptedOperation {
            operation,
            evidence,
            quote,
            as_proposal: waits,
            writes,
            decision_index: number,
        });
        Ok(answer)
    }

    /// Refuses a proposal, and remembers if the model was asked about a contradiction.
    fn refuse(
        &mut self,
        proposal: &Proposal,
        decision: &mut ReflectDecision,
        findings: &[GuardFinding],
    ) -> Result<String, String> {
        if findings.iter().any(|f| matches!(f.violation, Violation::Contradiction | Violation::PossibleContradiction)) {
            self.asked.push(proposal.operation.clone());
        }
        mark_refused(decision, findings)
    }

    /// Counts first attempts and those that passed the guards.
    fn count_first_attempt(&mut self, route: &Route) {
        if self.is_correction {
            return;
        }
        let passed = !matches!(route, Route::Refused(_));
        self.result.first_attempts.0 += 1;
        self.result.first_attempts.1 += u64::from(passed);
    }

    /// The limit that another accepted operation would exceed.
    fn exceeded_limit(&self, turn: usize, writes: usize) -> Option<&'static str> {
        let limits = self.input.limits;
        let total: usize = self.result.accepted.iter().map(|a| a.writes).sum();
        let total_of_turn: usize =
            self.result.accepted.iter().filter(|a| a.evidence.turn == turn).map(|a| a.writes).sum();
        match (total + writes > limits.max_writes, total_of_turn + writes > limits.max_writes_per_turn) {
            (true, _) => Some("more writes than one chunk allows"),
            (_, true) => Some("more writes than one turn allows"),
            _ => None,
        }
    }
}

/// Whether an error is about the state of the memory (conflict markers, a link, a failing disk) and not about the
/// proposal: once the state is better, the same proposal may be kept.
pub fn is_obstacle(why: &Rejection) -> bool {
    matches!(why.code, Code::ConflictMarkers | Code::UnsafeFile | Code::Io | Code::NotText | Code::Internal)
}

/// How many writes an operation counts as: one for an episode, else the number of its bullets.
fn write_count(operation: &Operation, effects: &[crate::change::Effect]) -> usize {
    let bullets = effects.iter().filter(|e| e.sign == crate::change::EffectSign::Added && e.handle.is_some()).count();
    if matches!(operation.action, Action::Append { .. }) { 1 } else { bullets.max(1) }
}
