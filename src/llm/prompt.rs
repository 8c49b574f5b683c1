//! Requests as plain text: a schema as an instruction, and a whole conversation as one prompt.
//!
//! Never truncates its input.

use std::fmt::Write;

use super::{AnswerSchema, ChatMessage, ModelRequest};

/// The instruction for hosts that cannot constrain a reply to a schema.
pub fn schema_instruction(schema: &AnswerSchema) -> String {
    format!("Answer with one JSON object that fits this JSON Schema, and with nothing else:\n{}", schema.schema)
}

/// The system prompt; with `instruct`, followed by the instruction for the requested object.
pub fn system_prompt(request: &ModelRequest, with_schema: bool) -> String {
    match request.answer.as_ref().filter(|_| with_schema) {
        Some(schema) if request.system.is_empty() => schema_instruction(schema),
        Some(schema) => format!("{}\n\n{}", request.system, schema_instruction(schema)),
        None => request.system.clone(),
    }
}

/// The whole request as one text, for a program that reads a prompt from stdin.
pub fn as_text(request: &ModelRequest) -> String {
    let mut out = String::new();
    let mut add_part = |text: &str| {
        if !text.is_empty() {
            let gap = if out.is_empty() { "" } else { "\n\n" };
            let _ = write!(out, "{gap}{}", text.trim_end_matches('\n'));
        }
    };
    add_part(&request.system);
    for message in &request.messages {
        match message {
            ChatMessage::User(text) => add_part(text),
            ChatMessage::Assistant { text, .. } => add_part(&format!("You answered:\n{text}")),
            ChatMessage::ToolResults(outcomes) => outcomes.iter().for_each(|outcome| add_part(&outcome.text)),
        }
    }
    if let Some(schema) = &request.answer {
        add_part(&schema_instruction(schema));
    }
    out + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_becomes_one_text() {
        let request = ModelRequest {
            system: "Be brief.".into(),
            messages: vec![
                ChatMessage::User("One?".into()),
                ChatMessage::Assistant { text: "Two".into(), calls: Vec::new() },
                ChatMessage::User("No.\n".into()),
            ],
            answer: Some(AnswerSchema::new("a", serde_json::json!({"type": "object"}))),
            ..ModelRequest::default()
        };
        assert_eq!(
            as_text(&request),
            "Be brief.\n\nOne?\n\nYou answered:\nTwo\n\nNo.\n\nAnswer with one JSON object that fits this JSON Schema, \
             and with nothing else:\n{\"type\":\"object\"}\n"
        );
    }
}
