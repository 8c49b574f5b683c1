//! What a host says when it does not answer: errors in all their shapes, and what kind of trouble they are.
//!
//! Pure. Never fails on a strange shape, and never lets a line break or a control character through.

use serde_json::Value;

use super::What;

/// The most characters of a host's own words that are passed on.
const MOST: usize = 300;

/// An error as a host tells it, as far as it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// Its words.
    pub message: String,
    /// `code` and `type`, lower case, joined by a blank.
    pub kind: String,
    /// The parameter that it blames.
    pub param: Option<String>,
    /// The HTTP status that stands in the body: hosts that forward others answer 200 and put it there.
    pub status: Option<u16>,
}

impl Fault {
    /// The error in a body, if there is one: `{error: {…}}`, `{error: "…"}`, `{message}`, `{detail}`, in a list or not.
    pub fn read(body: &Value) -> Option<Fault> {
        let body = body.as_array().and_then(|all| all.first()).unwrap_or(body);
        let object = body.as_object()?;
        let said = ["error", "detail", "message"].iter().find_map(|key| object.get(*key).filter(|v| !v.is_null()))?;
        let inner = said.as_array().and_then(|all| all.first()).unwrap_or(said);
        let of = |key: &str| inner.get(key).or_else(|| object.get(key)).filter(|v| !v.is_null());
        let word = |key: &str| of(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let message = match inner {
            Value::String(text) => text.clone(),
            _ => ["message", "msg", "detail"].iter().map(|key| word(key)).find(|m| !m.is_empty()).unwrap_or_default(),
        };
        let number = |v: &Value| v.as_u64().or_else(|| v.as_str()?.parse().ok());
        let status = of("code").or_else(|| of("status")).and_then(number).filter(|n| (400..600).contains(n));
        // What an upstream host said stands below, where one forwards it.
        let upstream = inner.pointer("/metadata/raw").and_then(Value::as_str).unwrap_or_default();
        Some(Fault {
            message: if upstream.is_empty() { message } else { format!("{message}: {upstream}") },
            kind: format!("{} {} {}", word("code"), word("type"), word("status"))
                .to_ascii_lowercase()
                .trim()
                .to_owned(),
            param: of("param").and_then(Value::as_str).map(str::to_owned),
            status: status.and_then(|n| n.try_into().ok()),
        })
    }

    /// An error that is told in plain words, or in a page for a browser.
    pub fn words(body: &str) -> Fault {
        let page = body.trim_start().starts_with('<');
        Fault { message: if page { String::new() } else { body.trim().to_owned() }, ..Fault::default() }
    }

    /// What kind of trouble it is. `tools`: whether the request offered any.
    pub fn what(&self, status: u16, tools: bool) -> What {
        let said = self.message.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|w| said.contains(w) || self.kind.contains(w));
        if status == 402 || has(NO_MONEY) {
            return What::Quota;
        }
        if tools && matches!(status, 400 | 404 | 422 | 500 | 501) && has(NO_TOOLS) {
            return What::NoTools;
        }
        match status {
            401 | 403 => What::Denied,
            408 | 409 | 425 | 429 | 500.. => What::Busy,
            _ => What::Rejected,
        }
    }

    /// Whether it blames a parameter, by `param` or by name in its words.
    pub fn blames(&self, name: &str) -> bool {
        let whole = |text: &str| {
            let part = |c: char| c.is_alphanumeric() || c == '_';
            text.match_indices(name)
                .any(|(at, _)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
        };
        match &self.param {
            Some(param) => whole(param),
            None => whole(&self.message),
        }
    }
}

/// What hosts say when the account is empty: waiting does not fill it.
const NO_MONEY: &[&str] = &[
    "insufficient_quota",
    "billing",
    "credit balance",
    "insufficient credits",
    "spend limit",
    "spending limit",
    "specified api usage limits",
];

/// What hosts say when they, the model or the parser of its answers know no tools.
const NO_TOOLS: &[&str] = &[
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

/// Words as a part of one line of ours: no line breaks, no control characters, not too long.
pub fn sentence(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let line: String = words.join(" ").chars().filter(|c| !unseen(*c)).collect();
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.trim_end_matches('.').to_owned(),
    }
}

/// Characters that turn a line's direction or hide in it.
fn unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(body: Value, message: &str, status: u16, tools: bool, what: What) {
        let fault = Fault::read(&body).unwrap();
        assert_eq!(fault.message, message);
        assert_eq!(fault.what(fault.status.unwrap_or(status), tools), what, "{fault:?}");
    }

    #[test]
    fn errors_come_in_many_shapes() {
        check(json!({"error": {"message": "slow down", "code": null}}), "slow down", 429, false, What::Busy);
        check(json!({"error": {"message": "m", "code": 502}}), "m", 200, false, What::Busy);
        check(json!({"error": {"message": "m", "code": "401"}}), "m", 200, false, What::Denied);
        check(json!({"error": "model 'x' not found"}), "model 'x' not found", 404, false, What::Rejected);
        check(json!([{"error": {"message": "m", "status": "INVALID_ARGUMENT"}}]), "m", 400, false, What::Rejected);
        check(json!({"object": "error", "message": "m", "code": 400}), "m", 400, false, What::Rejected);
        check(json!({"detail": [{"loc": ["body"], "msg": "m"}]}), "m", 422, false, What::Rejected);
        check(
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}}),
            "m",
            529,
            false,
            What::Busy,
        );
        for fine in [json!({"choices": []}), json!({"error": null, "choices": []}), json!("x"), json!([])] {
            assert_eq!(Fault::read(&fine), None);
        }
        assert_eq!(Fault::words("<html>nginx</html>").message, "");
    }

    #[test]
    fn an_empty_account_is_not_a_busy_host() {
        let quota = json!({"error": {"message": "m", "type": "insufficient_quota", "code": "insufficient_quota"}});
        check(quota, "m", 429, false, What::Quota);
        let credit = "Your credit balance is too low to access the API";
        check(json!({"error": {"type": "invalid_request_error", "message": credit}}), credit, 400, false, What::Quota);
        check(json!({"error": {"message": "m"}}), "m", 402, false, What::Quota);
    }

    #[test]
    fn tools_are_to_blame_only_where_some_were_offered() {
        for (status, said) in [
            (400, "library/tiny:latest does not support tools"),
            (400, "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"),
            (500, "tools param requires --jinja flag"),
            (500, "Failed to parse input at pos 12: <tool_call>"),
            (404, "No endpoints found that support tool use"),
        ] {
            check(json!({"error": {"message": said}}), said, status, true, What::NoTools);
            let without = if status == 500 { What::Busy } else { What::Rejected };
            check(json!({"error": {"message": said}}), said, status, false, without);
        }
    }

    #[test]
    fn a_blamed_parameter_is_named_whole() {
        let fault = |message: &str| Fault::words(message);
        assert!(fault("Unsupported parameter: 'max_tokens' is not supported").blames("max_tokens"));
        assert!(!fault("use max_completion_tokens").blames("max_tokens"));
        let param = Fault { param: Some("temperature".into()), ..fault("top_p too") };
        assert!(param.blames("temperature") && !param.blames("top_p"));
    }

    #[test]
    fn words_become_one_harmless_line() {
        assert_eq!(sentence("a\r\n  b\u{1b}[31m\u{202e}c. "), "a b [31mc");
        assert_eq!(sentence(&"x".repeat(400)).chars().count(), 301);
    }
}
