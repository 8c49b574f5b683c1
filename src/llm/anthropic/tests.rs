use super::*;
use crate::llm::{AnswerSchema, StopReason, ToolOutcome};

fn settings() -> RequestSettings {
    RequestSettings {
        model: "m".into(),
        max_tokens: None,
        temperature: None,
        top_p: None,
        is_openai: false,
        is_local: false,
    }
}

fn request_with_schema() -> ModelRequest {
    let schema = json!({"type": "object", "properties": {}});
    ModelRequest { answer: Some(AnswerSchema::new("answer", schema)), ..ModelRequest::default() }
}

#[test]
fn a_conversation_with_tools_is_sent_as_the_protocol_wants_it() {
    let call = |id: &str, arguments: Value| ToolCall { id: id.into(), name: "add".into(), arguments };
    let outcome = |id: &str, failed: bool| ToolOutcome { id: id.into(), name: "add".into(), text: "x".into(), failed };
    let request = ModelRequest {
        system: "s".into(),
        messages: vec![
            ChatMessage::User("hi".into()),
            ChatMessage::Assistant {
                text: " ".into(),
                calls: vec![call("a", json!({"x": 1})), call("b", json!("{\"x"))],
            },
            ChatMessage::ToolResults(vec![outcome("a", false), outcome("b", true)]),
            ChatMessage::Assistant { text: String::new(), calls: Vec::new() },
            ChatMessage::User(String::new()),
        ],
        ..ModelRequest::default()
    };
    let sent = Value::Object(request_body(&request, &settings(), &HostCapabilities::default()));
    assert_eq!(
        sent,
        json!({"model": "m", "max_tokens": 4096, "system": "s", "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "a", "name": "add", "input": {"x": 1}},
                {"type": "tool_use", "id": "b", "name": "add", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "x"},
                {"type": "tool_result", "tool_use_id": "b", "content": "x", "is_error": true},
            ]},
        ]})
    );
}

#[test]
fn a_requested_object_is_a_tool_or_an_instruction() {
    let sent = |form: AnswerFormat| {
        Value::Object(request_body(
            &request_with_schema(),
            &settings(),
            &HostCapabilities { answer_format: form, ..HostCapabilities::default() },
        ))
    };
    assert_eq!(sent(AnswerFormat::Schema)["tool_choice"], json!({"type": "tool", "name": "answer"}));
    assert_eq!(sent(AnswerFormat::Schema).get("system"), None);
    for form in [AnswerFormat::ObjectWithSchema, AnswerFormat::JsonObject, AnswerFormat::Instructions] {
        assert_eq!(sent(form).get("tools"), None);
        assert!(sent(form)["system"].as_str().unwrap().starts_with("Answer with one JSON object"));
    }
}

#[test]
fn a_reply_is_its_words_and_calls() {
    let body = json!({
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "text", "text": "Adding."},
            {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"x": 1}},
            {"type": "something_new"},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 7, "cache_creation_input_tokens": null, "output_tokens": 3},
    });
    let reply = parse_reply(&body, &ModelRequest::default()).unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("Adding.", StopReason::ToolCalls));
    assert_eq!(reply.calls, [ToolCall { id: "toolu_1".into(), name: "add".into(), arguments: json!({"x": 1}) }]);
    assert_eq!(reply.usage, TokenUsage { input: 12, output: 3 });
}

#[test]
fn a_requested_object_becomes_text() {
    let call = json!({"type": "tool_use", "id": "a", "name": "answer", "input": {"x": 1}});
    let answered = parse_reply(&json!({"content": [call], "stop_reason": "tool_use"}), &request_with_schema()).unwrap();
    assert_eq!((answered.text.as_str(), answered.stop, answered.calls.len()), ("{\"x\":1}", StopReason::End, 0));
    let cut = parse_reply(&json!({"content": [call], "stop_reason": "max_tokens"}), &request_with_schema()).unwrap();
    assert_eq!((cut.text.as_str(), cut.stop), ("", StopReason::Truncated));
    let plain = parse_reply(&json!({"content": "{}", "stop_reason": null}), &request_with_schema()).unwrap();
    assert_eq!((plain.text.as_str(), plain.stop), ("{}", StopReason::End));
}

#[test]
fn an_answer_without_content_is_none() {
    for nothing in [json!({}), json!({"content": null}), json!([])] {
        assert_eq!(parse_reply(&nothing, &ModelRequest::default()).unwrap_err().kind, ErrorKind::Malformed);
    }
    for block in [json!([]), json!({}), json!({"type": "text"}), json!({"type": "tool_use", "input": {}})] {
        let body = json!({"content": [block, {"type": "text", "text": "a"}]});
        assert_eq!(parse_reply(&body, &ModelRequest::default()).unwrap_err().kind, ErrorKind::Malformed, "{body}");
    }
    let other = json!({"content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "a"}]});
    assert_eq!(parse_reply(&other, &ModelRequest::default()).unwrap().text, "a");
}
