//! Questions in words alone: the schema of an answer as an instruction, and a whole conversation as one text.
//!
//! Never shortens what it is given.

use std::fmt::Write;

use super::{Message, Request, Schema};

/// The instruction for hosts that cannot hold a model to a schema.
pub fn instruction(schema: &Schema) -> String {
    format!("Answer with one JSON object that fits this JSON Schema, and with nothing else:\n{}", schema.schema)
}

/// The system text, with the instruction where it is asked for.
pub fn system(request: &Request, instruct: bool) -> String {
    match request.answer.as_ref().filter(|_| instruct) {
        Some(schema) if request.system.is_empty() => instruction(schema),
        Some(schema) => format!("{}\n\n{}", request.system, instruction(schema)),
        None => request.system.clone(),
    }
}

/// The whole question as one text, for programs that take one.
pub fn flat(request: &Request) -> String {
    let mut out = String::new();
    let mut part = |text: &str| {
        if !text.is_empty() {
            let gap = if out.is_empty() { "" } else { "\n\n" };
            let _ = write!(out, "{gap}{}", text.trim_end_matches('\n'));
        }
    };
    part(&request.system);
    for message in &request.messages {
        match message {
            Message::User(text) => part(text),
            Message::Assistant { text, .. } => part(&format!("You answered:\n{text}")),
            Message::Results(all) => all.iter().for_each(|outcome| part(&outcome.text)),
        }
    }
    if let Some(schema) = &request.answer {
        part(&instruction(schema));
    }
    out + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_becomes_one_text() {
        let request = Request {
            system: "Be brief.".into(),
            messages: vec![
                Message::User("One?".into()),
                Message::Assistant { text: "Two".into(), calls: Vec::new() },
                Message::User("No.\n".into()),
            ],
            answer: Some(Schema { name: "a".into(), schema: serde_json::json!({"type": "object"}) }),
            ..Request::default()
        };
        assert_eq!(
            flat(&request),
            "Be brief.\n\nOne?\n\nYou answered:\nTwo\n\nNo.\n\nAnswer with one JSON object that fits this JSON Schema, \
             and with nothing else:\n{\"type\":\"object\"}\n"
        );
    }
}
