//! What a host turned out not to support, and what is sent instead.
//!
//! Pure. A request that fails because of one parameter is sent again without it; what was learnt applies to all later
//! requests to this host.

use serde_json::{Map, Value};

use super::host_fault::HostFault;

/// How a JSON object is requested, from the strictest to the most lenient way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerFormat {
    /// The host constrains the reply to the schema.
    #[default]
    Schema,
    /// The same in the older form of llama.cpp's servers: `json_object` with a `schema`.
    ObjectWithSchema,
    /// The host constrains the reply to JSON; the schema is in the instructions.
    JsonObject,
    /// The host constrains nothing; only the instructions ask for JSON, with the schema.
    Instructions,
}

/// What is known about a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCapabilities {
    /// Whether the reply limit uses the other of the two names in `LIMITS`.
    pub uses_other_limit_name: bool,
    /// How a JSON object is requested.
    pub answer_format: AnswerFormat,
    /// Parameters that are no longer sent.
    pub dropped_parameters: Vec<&'static str>,
}

/// The two names of the reply limit in chat completions.
pub const LIMIT_NAMES: [&str; 2] = ["max_tokens", "max_completion_tokens"];
/// Optional parameters: dropped when the host rejects them.
const OPTIONAL_PARAMETERS: [&str; 4] = ["temperature", "top_p", "parallel_tool_calls", "tool_choice"];
/// The parameter that asks for a JSON object.
pub const FORMAT_PARAMETER: &str = "response_format";
/// Words by which hosts refer to constrained output.
const FORMAT_WORDS: [&str; 7] =
    ["response_format", "json_schema", "json_object", "structured output", "grammar", "schema", "guided"];

/// Whether a host that cannot take a requested format may answer with this status. Several answer 500 without naming
/// the parameter (llama-cpp-python's server); wrong keys, rate limits and gateways have statuses of their own.
pub fn may_be_format(status: u16) -> bool {
    matches!(status, 400 | 404 | 405 | 406 | 409..=428 | 430..=499 | 500 | 501)
}

impl HostCapabilities {
    /// Learns from the rejection of a request body. Returns `false` if no optional part of the body is the cause.
    pub fn learn(&mut self, body: &Map<String, Value>, error: &HostFault, status: u16) -> bool {
        if !matches!(status, 400 | 404 | 422 | 500 | 501) {
            return false;
        }
        let message = error.message.to_ascii_lowercase();
        let is_rejected = |name: &str| {
            body.contains_key(name) && (error.names_parameter(name) || message.contains(&format!("`{name}`")))
        };
        if let Some(name) = LIMIT_NAMES.iter().copied().find(|name| is_rejected(name)).filter(|_| status < 500) {
            if !(self.uses_other_limit_name || name == "max_tokens" && !body.contains_key("messages")) {
                self.uses_other_limit_name = true
            } else {
                self.dropped_parameters.extend(LIMIT_NAMES)
            }
            return true;
        }
        if let Some(name) = OPTIONAL_PARAMETERS.iter().copied().find(|name| is_rejected(name)).filter(|_| status < 500)
        {
            self.dropped_parameters.push(name);
            return true;
        }
        let param = error.param.as_deref().unwrap_or_default();
        let is_about_format = FORMAT_WORDS.iter().any(|name| message.contains(name) || param.contains(name));
        if body.contains_key(FORMAT_PARAMETER) && is_about_format {
            return self.use_simpler_format();
        }
        false
    }

    /// Switches to the next more lenient way of requesting objects; `false` if there is none.
    pub fn use_simpler_format(&mut self) -> bool {
        let next = match self.answer_format {
            AnswerFormat::Schema => AnswerFormat::ObjectWithSchema,
            AnswerFormat::ObjectWithSchema => AnswerFormat::JsonObject,
            AnswerFormat::JsonObject => AnswerFormat::Instructions,
            AnswerFormat::Instructions => return false,
        };
        self.answer_format = next;
        true
    }

    /// Adds a parameter to a body, unless the host does not support it.
    pub fn set_parameter(&self, body: &mut Map<String, Value>, name: &'static str, value: Option<Value>) {
        if let Some(value) = value.filter(|_| !self.dropped_parameters.contains(&name)) {
            body.insert(name.into(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Checks what is learnt when the host rejects body `body` with this message.
    fn check(body: Value, param: Option<&str>, message: &str, expected: Option<HostCapabilities>) {
        let fault = HostFault { param: param.map(str::to_owned), ..HostFault::from_text(message) };
        let mut capabilities = HostCapabilities::default();
        let learned = capabilities.learn(body.as_object().unwrap(), &fault, 400);
        assert_eq!(learned.then_some(capabilities), expected, "{message}");
    }

    fn without(name: &'static str) -> Option<HostCapabilities> {
        Some(HostCapabilities { dropped_parameters: vec![name], ..HostCapabilities::default() })
    }

    #[test]
    fn a_rejected_parameter_is_dropped() {
        let sent = json!({"messages": [], "temperature": 0.1, "top_p": 0.5, "tool_choice": "auto"});
        let temperature = "Unsupported value: 'temperature' does not support 0.1 with this model.";
        check(sent.clone(), Some("temperature"), temperature, without("temperature"));
        check(sent.clone(), None, "top_p is not supported", without("top_p"));
        check(sent.clone(), None, "`tool_choice` must be none", without("tool_choice"));
        check(sent.clone(), Some("parallel_tool_calls"), "unknown parameter", None);
        check(sent, None, "the model 'temperatures' does not exist", None);
    }

    #[test]
    fn the_other_limit_name_is_tried_first() {
        let sent = json!({"messages": [], "max_tokens": 9});
        let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        check(
            sent.clone(),
            Some("max_tokens"),
            message,
            Some(HostCapabilities { uses_other_limit_name: true, ..HostCapabilities::default() }),
        );
        let mut capabilities = HostCapabilities { uses_other_limit_name: true, ..HostCapabilities::default() };
        let fault = HostFault::from_text("max_completion_tokens is unknown");
        assert!(capabilities.learn(
            json!({"messages": [], "max_completion_tokens": 9}).as_object().unwrap(),
            &fault,
            422
        ));
        assert_eq!(capabilities.dropped_parameters, LIMIT_NAMES);
    }

    #[test]
    fn objects_are_requested_in_simpler_formats() {
        let sent = json!({"messages": [], "response_format": {"type": "json_schema"}});
        let mut capabilities = HostCapabilities::default();
        let fault = HostFault::from_text("response_format.type must be text");
        for format in [AnswerFormat::ObjectWithSchema, AnswerFormat::JsonObject, AnswerFormat::Instructions] {
            assert!(capabilities.learn(sent.as_object().unwrap(), &fault, 400));
            assert_eq!(capabilities.answer_format, format);
        }
        assert!(!capabilities.learn(sent.as_object().unwrap(), &fault, 400));
        check(json!({"messages": []}), Some("response_format"), "no", None);
    }

    #[test]
    fn an_unrelated_rejection_changes_nothing() {
        let mut capabilities = HostCapabilities::default();
        let sent = json!({"messages": [], "temperature": 0.1});
        for (status, message) in
            [(429, "temperature"), (401, "temperature"), (500, "temperature"), (400, "no such model")]
        {
            assert!(
                !capabilities.learn(sent.as_object().unwrap(), &HostFault::from_text(message), status),
                "{status} {message}"
            );
        }
    }
}
