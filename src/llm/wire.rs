//! What both HTTP protocols share: request settings, and parsing of the parts of a reply.
//!
//! Pure: it does no I/O.

use serde_json::Value;

use super::{ModelReply, StopReason, TokenUsage, ToolCall};

/// Settings sent with every request to a host.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestSettings {
    pub model: String,
    /// Upper bound of a reply, in tokens; lowers the limit of a request.
    pub max_tokens: Option<u32>,
    /// Sent only when set.
    pub temperature: Option<f64>,
    /// Sent only when set.
    pub top_p: Option<f64>,
    /// Whether the host is OpenAI's own, which expects `max_completion_tokens` instead of `max_tokens`.
    pub is_openai: bool,
    /// Whether the host is a server on this machine.
    pub is_local: bool,
}

impl RequestSettings {
    /// The reply limit to send, in tokens; 0 when neither side sets one.
    pub fn max_reply_tokens(&self, requested: u32) -> u32 {
        match (requested, self.max_tokens) {
            (wanted, None) => wanted,
            (0, Some(most)) => most,
            (wanted, Some(most)) => wanted.min(most),
        }
    }
}

/// Builds a reply from its parsed parts. Drops the tool calls of a truncated or refused reply, and replaces missing,
/// duplicate or invalid call ids.
///
/// `turn` is the number of messages in the request, which makes the generated ids unique within the conversation.
pub fn build_reply(
    text: String,
    mut calls: Vec<ToolCall>,
    reason: Option<&str>,
    usage: TokenUsage,
    turn: usize,
) -> ModelReply {
    let stop = stop_reason(reason.unwrap_or_default(), !calls.is_empty());
    if matches!(stop, StopReason::Truncated | StopReason::Refused) {
        calls.clear();
    }
    for index in 0..calls.len() {
        let is_valid_id = |id: &str| {
            !id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        };
        let (before, rest) = calls.split_at_mut(index);
        let Some(call) = rest.first_mut() else { break };
        if !is_valid_id(&call.id) || before.iter().any(|other| other.id == call.id) {
            call.id = format!("call_{turn}_{index}");
        }
    }
    ModelReply { text: strip_thinking(text), calls, stop, usage }
}

/// Maps the stop reason of any host. A missing one means that the reply is complete.
fn stop_reason(reason: &str, has_calls: bool) -> StopReason {
    let complete = if has_calls { StopReason::ToolCalls } else { StopReason::End };
    match reason.to_ascii_lowercase().as_str() {
        "" | "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "tool_calls" | "tool_use"
        | "function_call" => complete,
        "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" | "error" => StopReason::Truncated,
        "refusal" | "safety" | "sensitive" => StopReason::Refused,
        reason if reason.contains("filter") => StopReason::Refused,
        _ => StopReason::Other(super::host_fault::error_line(reason).chars().take(40).collect()),
    }
}

/// Tool arguments as JSON. Hosts send an object, a string that holds one, or nothing.
pub fn parse_arguments(value: Option<&Value>) -> Value {
    let empty = || Value::Object(Default::default());
    match value {
        None | Some(Value::Null) => empty(),
        Some(Value::String(text)) if text.trim().is_empty() => empty(),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            // Some hosts encode the arguments twice.
            Ok(Value::String(inner)) => serde_json::from_str(&inner).unwrap_or(Value::String(inner)),
            Ok(Value::Null) => empty(),
            Ok(value) => value,
            Err(_) => Value::String(text.clone()),
        },
        Some(value) => value.clone(),
    }
}

/// Arguments to send back to the host, which must be an object: anything else becomes an empty one.
pub fn as_object(arguments: &Value) -> Value {
    if arguments.is_object() { arguments.clone() } else { Value::Object(Default::default()) }
}

/// The text of a message, sent as one string or as a list of parts; parts of other types are skipped.
pub fn content_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let of = |part: &Value| match part {
                Value::String(text) => Some(text.clone()),
                part if matches!(part.get("type").and_then(Value::as_str), None | Some("text" | "output_text")) => {
                    part.get("text").and_then(Value::as_str).map(str::to_owned)
                }
                _ => None,
            };
            parts.iter().filter_map(of).collect()
        }
        _ => String::new(),
    }
}

/// Removes a leading `<think>…</think>` block, which some hosts leave in the text.
fn strip_thinking(text: String) -> String {
    let start = text.trim_start();
    let after = start.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>"));
    match after {
        Some((_, answer)) => answer.trim_start().to_owned(),
        None => text,
    }
}

/// More tokens than any request has. A host may state any number, and these are added up for days.
const MAX_TOKENS: u64 = 1 << 40;

/// The sum of the named counters that are present; 0 if there are none.
pub fn token_count(usage: Option<&Value>, names: &[&str]) -> u64 {
    let number = |v: &Value| v.as_u64().or_else(|| v.as_f64().filter(|n| *n > 0.0).map(|n| n as u64));
    let all = names.iter().filter_map(|name| number(usage?.get(*name)?));
    all.fold(0, u64::saturating_add).min(MAX_TOKENS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_count_of_tokens_can_be_added_to_others() {
        let usage = json!({"in": 18_446_744_073_709_551_615u64, "cached": 3.0, "out": -1});
        assert_eq!(token_count(Some(&usage), &["in", "cached"]), MAX_TOKENS);
        assert_eq!((token_count(Some(&usage), &["cached"]), token_count(Some(&usage), &["out", "none"])), (3, 0));
    }

    #[test]
    fn arguments_come_in_many_shapes() {
        let object = json!({"at": "user"});
        for sent in [object.clone(), json!("{\"at\":\"user\"}"), json!("\"{\\\"at\\\":\\\"user\\\"}\"")] {
            assert_eq!(parse_arguments(Some(&sent)), object);
        }
        for sent in [None, Some(json!(null)), Some(json!("")), Some(json!("null"))] {
            assert_eq!(parse_arguments(sent.as_ref()), json!({}));
        }
        assert_eq!(parse_arguments(Some(&json!("{\"at\": "))), json!("{\"at\": "));
    }

    #[test]
    fn a_truncated_reply_has_no_calls() {
        let call = || vec![ToolCall { id: "a".into(), name: "add".into(), arguments: json!({}) }];
        for (reason, stop, remaining) in [
            (None, StopReason::ToolCalls, 1),
            (Some("stop"), StopReason::ToolCalls, 1),
            (Some("STOP"), StopReason::ToolCalls, 1),
            (Some("length"), StopReason::Truncated, 0),
            (Some("max_tokens"), StopReason::Truncated, 0),
            (Some("refusal"), StopReason::Refused, 0),
            (Some("content_filter: SAFETY"), StopReason::Refused, 0),
            (Some("pause_turn"), StopReason::Other("pause_turn".into()), 1),
        ] {
            let reply = build_reply(String::new(), call(), reason, TokenUsage::default(), 0);
            assert_eq!((reply.stop, reply.calls.len()), (stop, remaining), "{reason:?}");
        }
        assert_eq!(
            build_reply("x".into(), Vec::new(), Some("tool_calls"), TokenUsage::default(), 0).stop,
            StopReason::End
        );
    }

    #[test]
    fn every_call_has_an_id_of_its_own() {
        let calls =
            ["a", "a", "", "b c"].map(|id| ToolCall { id: id.into(), name: "add".into(), arguments: json!({}) });
        let reply = build_reply(String::new(), calls.into(), None, TokenUsage::default(), 3);
        let ids: Vec<&str> = reply.calls.iter().map(|c| c.id.as_str()).collect();
        assert_eq!(ids, ["a", "call_3_1", "call_3_2", "call_3_3"]);
    }

    #[test]
    fn thinking_is_passed_over() {
        assert_eq!(strip_thinking("\n<think>hm\n</think>\n\n{}".into()), "{}");
        assert_eq!(strip_thinking("a <think>b</think>".into()), "a <think>b</think>");
        let parts = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, "b"]);
        assert_eq!(content_text(Some(&parts)), "ab");
    }
}
