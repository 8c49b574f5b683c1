//! Error responses of hosts: parses their many shapes and maps them to an `ErrorKind`.
//!
//! Pure. Never fails on an unknown shape, and never lets line breaks or control characters into a message.

use std::borrow::Cow;

use serde_json::Value;

use super::ErrorKind;
use crate::text::invisible_chars::{is_filler, is_invisible, is_joiner};
use crate::text::one_line::{collapse_whitespace, cut_with_ellipsis};

/// How many characters of a host's message are kept.
const MAX_MESSAGE_CHARS: usize = 300;

/// An error response of a host; fields are empty where the host gives none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostFault {
    /// The message as the host sent it: any length, perhaps several lines.
    pub message: String,
    /// `code`, `type` and `status`, in lower case, separated by spaces.
    pub code_and_type: String,
    /// The parameter that the host rejects.
    pub param: Option<String>,
    /// The HTTP status given in the body: gateways answer 200 and put the upstream status there.
    pub status: Option<u16>,
    /// Whether it came with a status of success.
    pub is_in_success: bool,
}

impl HostFault {
    /// Finds the error in a body: `{error: {…}}`, `{error: "…"}`, `{message}` or `{detail}`, also as the first element
    /// of a list. `None` if there is none.
    pub fn from_json(body: &Value) -> Option<HostFault> {
        let body = body.as_array().and_then(|all| all.first()).unwrap_or(body);
        let object = body.as_object()?;
        let error_value =
            ["error", "detail", "message"].iter().find_map(|key| object.get(*key).filter(|v| !v.is_null()))?;
        let inner = error_value.as_array().and_then(|all| all.first()).unwrap_or(error_value);
        let field = |key: &str| inner.get(key).or_else(|| object.get(key)).filter(|v| !v.is_null());
        let string_field = |key: &str| field(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let message = match inner {
            Value::String(text) => text.clone(),
            _ => ["message", "msg", "detail"]
                .iter()
                .map(|key| string_field(key))
                .find(|m| !m.is_empty())
                .unwrap_or_default(),
        };
        let number = |v: &Value| v.as_u64().or_else(|| v.as_str()?.parse().ok());
        let status = field("code").or_else(|| field("status")).and_then(number).filter(|n| (400..600).contains(n));
        // Gateways put the message of the upstream host here.
        let upstream = inner.pointer("/metadata/raw").and_then(Value::as_str).unwrap_or_default();
        Some(HostFault {
            message: if upstream.is_empty() { message } else { format!("{message}: {upstream}") },
            code_and_type: format!("{} {} {}", string_field("code"), string_field("type"), string_field("status"))
                .to_ascii_lowercase()
                .trim()
                .to_owned(),
            param: field("param").and_then(Value::as_str).map(str::to_owned),
            status: status.and_then(|n| n.try_into().ok()),
            is_in_success: false,
        })
    }

    /// An error body that is not JSON: plain text is the message; an HTML page has none.
    pub fn from_text(body: &str) -> HostFault {
        let is_html = body.trim_start().starts_with('<');
        HostFault { message: if is_html { String::new() } else { body.trim().to_owned() }, ..HostFault::default() }
    }

    /// The kind of the error. `status` is the HTTP status, `tools` whether the request had tools.
    pub fn error_kind(&self, status: u16, tools: bool) -> ErrorKind {
        let message = self.message.to_ascii_lowercase();
        let mentions = |words: &[&str]| words.iter().any(|w| message.contains(w) || self.code_and_type.contains(w));
        if status == 402 || mentions(QUOTA_PHRASES) {
            return ErrorKind::QuotaExceeded;
        }
        if tools && matches!(status, 400 | 404 | 422 | 500 | 501) && mentions(NO_TOOLS_PHRASES) {
            return ErrorKind::NoTools;
        }
        match status {
            401 | 403 => ErrorKind::Unauthorized,
            408 | 409 | 425 | 429 | 500.. => ErrorKind::Busy,
            _ => ErrorKind::Rejected,
        }
    }

    /// Whether the error names this parameter, in `param` or as a whole word in the message.
    pub fn names_parameter(&self, name: &str) -> bool {
        let contains_word = |text: &str| {
            let is_word_char = |c: char| c.is_alphanumeric() || c == '_';
            text.match_indices(name).any(|(at, _)| {
                !text[..at].ends_with(is_word_char) && !text[at + name.len()..].starts_with(is_word_char)
            })
        };
        match &self.param {
            Some(param) => contains_word(param),
            None => contains_word(&self.message),
        }
    }
}

/// What hosts answer when the account is empty. Unlike a rate limit, waiting does not help.
const QUOTA_PHRASES: &[&str] = &[
    "insufficient_quota",
    "billing",
    "credit balance",
    "insufficient credits",
    "spend limit",
    "spending limit",
    "specified api usage limits",
];

/// What hosts answer when they, the model or their parser of replies do not support tools.
const NO_TOOLS_PHRASES: &[&str] = &[
    "does not support tools",
    "not support tool",
    "tool use",
    "tool choice requires",
    "tool-call-parser",
    "tools param requires",
    "support function",
    "function calling",
    "function_calling",
    "parse tool call",
    "failed to parse input",
    "tools are not supported",
    "tools is not supported",
    "unsupported parameter: tools",
    "unknown field: tools",
    "unknown name \"tools\"",
];

/// Text as part of a one-line message: no line breaks or control characters, truncated, no final full stop.
pub fn error_line(text: &str) -> String {
    truncated(&visible_line(text))
}

/// A text on one line, without control and invisible characters, which can also stand within a key.
pub fn visible_line(text: &str) -> String {
    let hidden = |c: char| c.is_control() || is_invisible(c) || is_filler(c) || is_joiner(c);
    let visible: String = text.chars().filter(|c| c.is_whitespace() || !hidden(*c)).collect();
    collapse_whitespace(&visible)
}

/// A line of a message, truncated, without its final full stop.
pub fn truncated(line: &str) -> String {
    match cut_with_ellipsis(line, MAX_MESSAGE_CHARS) {
        Cow::Borrowed(whole) => whole.trim_end_matches('.').to_owned(),
        Cow::Owned(cut) => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(body: Value, message: &str, status: u16, tools: bool, kind: ErrorKind) {
        let fault = HostFault::from_json(&body).unwrap();
        assert_eq!(fault.message, message);
        assert_eq!(fault.error_kind(fault.status.unwrap_or(status), tools), kind, "{fault:?}");
    }

    #[test]
    fn errors_come_in_many_shapes() {
        check(json!({"error": {"message": "slow down", "code": null}}), "slow down", 429, false, ErrorKind::Busy);
        check(json!({"error": {"message": "m", "code": 502}}), "m", 200, false, ErrorKind::Busy);
        check(json!({"error": {"message": "m", "code": "401"}}), "m", 200, false, ErrorKind::Unauthorized);
        check(json!({"error": "model 'x' not found"}), "model 'x' not found", 404, false, ErrorKind::Rejected);
        check(json!([{"error": {"message": "m", "status": "INVALID_ARGUMENT"}}]), "m", 400, false, ErrorKind::Rejected);
        check(json!({"object": "error", "message": "m", "code": 400}), "m", 400, false, ErrorKind::Rejected);
        check(json!({"detail": [{"loc": ["body"], "msg": "m"}]}), "m", 422, false, ErrorKind::Rejected);
        check(
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}}),
            "m",
            529,
            false,
            ErrorKind::Busy,
        );
        for fine in [json!({"choices": []}), json!({"error": null, "choices": []}), json!("x"), json!([])] {
            assert_eq!(HostFault::from_json(&fine), None);
        }
        assert_eq!(HostFault::from_text("<html>nginx</html>").message, "");
    }

    #[test]
    fn an_empty_account_is_not_a_busy_host() {
        let quota = json!({"error": {"message": "m", "type": "insufficient_quota", "code": "insufficient_quota"}});
        check(quota, "m", 429, false, ErrorKind::QuotaExceeded);
        let credit = "Your credit balance is too low to access the API";
        check(
            json!({"error": {"type": "invalid_request_error", "message": credit}}),
            credit,
            400,
            false,
            ErrorKind::QuotaExceeded,
        );
        check(json!({"error": {"message": "m"}}), "m", 402, false, ErrorKind::QuotaExceeded);
    }

    #[test]
    fn tools_are_the_cause_only_if_the_request_had_some() {
        for (status, message) in [
            (400, "library/tiny:latest does not support tools"),
            (400, "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"),
            (500, "tools param requires --jinja flag"),
            (500, "Failed to parse input at pos 12: <tool_call>"),
            (404, "No endpoints found that support tool use"),
        ] {
            check(json!({"error": {"message": message}}), message, status, true, ErrorKind::NoTools);
            let without = if status == 500 { ErrorKind::Busy } else { ErrorKind::Rejected };
            check(json!({"error": {"message": message}}), message, status, false, without);
        }
    }

    #[test]
    fn a_parameter_matches_as_a_whole_word() {
        let fault = |message: &str| HostFault::from_text(message);
        assert!(fault("Unsupported parameter: 'max_tokens' is not supported").names_parameter("max_tokens"));
        assert!(!fault("use max_completion_tokens").names_parameter("max_tokens"));
        let param = HostFault { param: Some("temperature".into()), ..fault("top_p too") };
        assert!(param.names_parameter("temperature") && !param.names_parameter("top_p"));
    }

    #[test]
    fn a_message_becomes_one_line() {
        assert_eq!(error_line("a\r\n  b\u{1b}[31m\u{202e}c. "), "a b[31mc");
        assert_eq!(visible_line("s\u{200b}k-\u{7}li\u{ad}ve\u{2028}x"), "sk-live x");
        assert_eq!(error_line(&"x".repeat(400)).chars().count(), 301);
    }
}
