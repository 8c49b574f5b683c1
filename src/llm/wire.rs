//! What both protocols share: the words of a body, and a reply made of what was found in one.
//!
//! Pure.

use serde_json::Value;

use super::{Call, Reply, Stop, Usage};

/// What is sent with every question.
#[derive(Clone, Debug, PartialEq)]
pub struct Asks {
    /// The model's name.
    pub model: String,
    /// The longest reply, in tokens, whatever a request allows.
    pub most_tokens: Option<u32>,
    /// Sent only when set.
    pub temperature: Option<f64>,
    /// Sent only when set.
    pub top_p: Option<f64>,
    /// The vendor's own host, which wants the newer name of a reply's limit.
    pub at_home: bool,
}

impl Asks {
    /// The longest reply of a request, in tokens; 0 where nobody says.
    pub fn limit(&self, wanted: u32) -> u32 {
        match (wanted, self.most_tokens) {
            (wanted, None) => wanted,
            (0, Some(most)) => most,
            (wanted, Some(most)) => wanted.min(most),
        }
    }
}

/// A reply whose parts were found: calls of an answer that was cut off are thrown away, ids are made good.
///
/// `turn` numbers the question within its conversation, so that ids made here are unique in it.
pub fn reply(text: String, mut calls: Vec<Call>, said: Option<&str>, usage: Usage, turn: usize) -> Reply {
    let stop = stop(said.unwrap_or_default(), !calls.is_empty());
    if matches!(stop, Stop::Truncated | Stop::Refused) {
        calls.clear();
    }
    for at in 0..calls.len() {
        let fits = |id: &str| {
            !id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        };
        let (before, rest) = calls.split_at_mut(at);
        let Some(call) = rest.first_mut() else { break };
        if !fits(&call.id) || before.iter().any(|other| other.id == call.id) {
            call.id = format!("call_{turn}_{at}");
        }
    }
    Reply { text: thoughtless(text), calls, stop, usage }
}

/// Why a reply ended, in the words of any host. Nothing said: it is complete.
fn stop(said: &str, calls: bool) -> Stop {
    let complete = if calls { Stop::Calls } else { Stop::End };
    match said.to_ascii_lowercase().as_str() {
        "" | "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "tool_calls" | "tool_use"
        | "function_call" => complete,
        "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" | "error" => Stop::Truncated,
        "refusal" | "safety" | "sensitive" => Stop::Refused,
        said if said.contains("filter") => Stop::Refused,
        _ => Stop::Other(super::fault::sentence(said).chars().take(40).collect()),
    }
}

/// Arguments as JSON: hosts send an object, or a text that holds one, or nothing.
pub fn arguments(sent: Option<&Value>) -> Value {
    let empty = || Value::Object(Default::default());
    match sent {
        None | Some(Value::Null) => empty(),
        Some(Value::String(text)) if text.trim().is_empty() => empty(),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            // Some hosts encode twice.
            Ok(Value::String(inner)) => serde_json::from_str(&inner).unwrap_or(Value::String(inner)),
            Ok(Value::Null) => empty(),
            Ok(value) => value,
            Err(_) => Value::String(text.clone()),
        },
        Some(value) => value.clone(),
    }
}

/// Arguments as an object, for the model to see again; what was no object cannot be shown to it.
pub fn object(arguments: &Value) -> Value {
    if arguments.is_object() { arguments.clone() } else { Value::Object(Default::default()) }
}

/// Text that comes as one string or in parts; parts that are no text are passed over.
pub fn text(content: Option<&Value>) -> String {
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

/// A text without the thinking that some hosts leave in front of it.
fn thoughtless(text: String) -> String {
    let start = text.trim_start();
    let after = start.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>"));
    match after {
        Some((_, answer)) => answer.trim_start().to_owned(),
        None => text,
    }
}

/// A count, wherever it stands; 0 where it does not.
pub fn count(usage: Option<&Value>, names: &[&str]) -> u64 {
    let number = |v: &Value| v.as_u64().or_else(|| v.as_f64().filter(|n| *n > 0.0).map(|n| n as u64));
    let all = names.iter().filter_map(|name| number(usage?.get(*name)?));
    all.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_come_in_many_shapes() {
        let object = json!({"at": "user"});
        for sent in [object.clone(), json!("{\"at\":\"user\"}"), json!("\"{\\\"at\\\":\\\"user\\\"}\"")] {
            assert_eq!(arguments(Some(&sent)), object);
        }
        for sent in [None, Some(json!(null)), Some(json!("")), Some(json!("null"))] {
            assert_eq!(arguments(sent.as_ref()), json!({}));
        }
        assert_eq!(arguments(Some(&json!("{\"at\": "))), json!("{\"at\": "));
    }

    #[test]
    fn what_was_cut_off_calls_nothing() {
        let call = || vec![Call { id: "a".into(), name: "add".into(), arguments: json!({}) }];
        for (said, stop, left) in [
            (None, Stop::Calls, 1),
            (Some("stop"), Stop::Calls, 1),
            (Some("STOP"), Stop::Calls, 1),
            (Some("length"), Stop::Truncated, 0),
            (Some("max_tokens"), Stop::Truncated, 0),
            (Some("refusal"), Stop::Refused, 0),
            (Some("content_filter: SAFETY"), Stop::Refused, 0),
            (Some("pause_turn"), Stop::Other("pause_turn".into()), 1),
        ] {
            let reply = reply(String::new(), call(), said, Usage::default(), 0);
            assert_eq!((reply.stop, reply.calls.len()), (stop, left), "{said:?}");
        }
        assert_eq!(reply("x".into(), Vec::new(), Some("tool_calls"), Usage::default(), 0).stop, Stop::End);
    }

    #[test]
    fn every_call_has_an_id_of_its_own() {
        let calls = ["a", "a", "", "b c"].map(|id| Call { id: id.into(), name: "add".into(), arguments: json!({}) });
        let reply = reply(String::new(), calls.into(), None, Usage::default(), 3);
        let ids: Vec<&str> = reply.calls.iter().map(|c| c.id.as_str()).collect();
        assert_eq!(ids, ["a", "call_3_1", "call_3_2", "call_3_3"]);
    }

    #[test]
    fn thinking_is_passed_over() {
        assert_eq!(thoughtless("\n<think>hm\n</think>\n\n{}".into()), "{}");
        assert_eq!(thoughtless("a <think>b</think>".into()), "a <think>b</think>");
        let parts = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, "b"]);
        assert_eq!(text(Some(&parts)), "ab");
    }
}
