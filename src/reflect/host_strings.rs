//! Searches every string of what a host answered for secrets: not only texts, but also addresses, names and metadata.
//!
//! Never looks at the quote, which is the user's and goes nowhere without its secrets.

use serde_json::Value;

use super::guards::{GuardFinding, Violation};
use crate::text::secrets::find_secrets;

/// Fields whose value is a quote of the conversation.
const QUOTES: [&str; 2] = ["quote", "evidence"];

/// The finding about the first secret in a key or a string of an operation, with the kind of the secret.
pub fn find_secret(operation: &Value) -> Option<GuardFinding> {
    let kind = match operation {
        Value::Object(fields) => fields.iter().filter(|(key, _)| !QUOTES.contains(&key.as_str())).find_map(in_field),
        other => in_value(other),
    };
    kind.map(|kind| GuardFinding { violation: Violation::Secret, excerpt: kind.to_owned() })
}

fn in_field((key, value): (&String, &Value)) -> Option<&'static str> {
    in_text(key).or_else(|| in_value(value))
}

fn in_value(value: &Value) -> Option<&'static str> {
    match value {
        Value::String(text) => in_text(text),
        Value::Array(all) => all.iter().find_map(in_value),
        Value::Object(fields) => fields.iter().find_map(in_field),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The kind of the first secret of a text, or of a part of it, if it is an address.
fn in_text(text: &str) -> Option<&'static str> {
    let secret = |text: &str| find_secrets(text).first().map(|secret| secret.kind);
    let is_address = || !text.contains(char::is_whitespace) && text.contains(['/', '#', '@']);
    secret(text).or_else(|| {
        let parts = is_address().then(|| text.split(['/', '#', '@', '.']))?;
        parts.filter(|part| !part.is_empty()).find_map(secret)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_string_but_the_quote_is_searched() {
        let key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        for found in [
            json!({"at": format!("facts/{key}.md")}),
            json!({"at": format!("user#{key}")}),
            json!({"at": format!("user@{key}")}),
            json!({"meta": {"type": key}}),
            json!({key: null}),
            json!({"pairs": [{"old": "a", "new": format!("b {key}")}]}),
            json!([key]),
        ] {
            assert_eq!(find_secret(&found).map(|f| f.violation), Some(Violation::Secret), "{found}");
        }
        for none in [json!({"quote": key, "at": "facts/user.md@7k2m"}), json!({"text": "Uses tabs", "turn": 3})] {
            assert_eq!(find_secret(&none), None, "{none}");
        }
    }
}
