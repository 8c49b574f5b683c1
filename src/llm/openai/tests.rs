use super::*;
use crate::llm::{ToolDefinition, ToolOutcome};

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

fn closed_schema() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false})
}

fn parse_message(message: Value, finish: Value) -> ModelReply {
    parse_reply(&json!({"choices": [{"message": message, "finish_reason": finish}]}), 1).unwrap()
}

#[test]
fn a_plain_question_sends_no_more_than_it_must() {
    let request = ModelRequest { messages: vec![ChatMessage::User("hi".into())], ..ModelRequest::default() };
    let sent = request_body(&request, &settings(), &HostCapabilities::default());
    assert_eq!(Value::Object(sent), json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]}));
}

#[test]
fn openai_gets_the_newer_name_of_the_limit() {
    let request = ModelRequest { max_tokens: 100, ..ModelRequest::default() };
    let sent = |at_home: bool, renamed: bool, most: Option<u32>| {
        let settings = RequestSettings { is_openai: at_home, max_tokens: most, ..settings() };
        let body = request_body(
            &request,
            &settings,
            &HostCapabilities { uses_other_limit_name: renamed, ..HostCapabilities::default() },
        );
        LIMIT_NAMES.map(|name| body.get(name).and_then(Value::as_u64))
    };
    assert_eq!(sent(false, false, None), [Some(100), None]);
    assert_eq!(sent(true, false, None), [None, Some(100)]);
    assert_eq!(sent(false, true, None), [None, Some(100)]);
    assert_eq!(sent(true, true, Some(50)), [Some(50), None]);
}

#[test]
fn a_conversation_with_tools_is_sent_as_the_protocol_wants_it() {
    let call = |id: &str, arguments: Value| ToolCall { id: id.into(), name: "add".into(), arguments };
    let request = ModelRequest {
        system: "s".into(),
        messages: vec![
            ChatMessage::Assistant {
                text: String::new(),
                calls: vec![call("a", json!({"x": 1})), call("b", json!("{\"x"))],
            },
            ChatMessage::ToolResults(vec![
                ToolOutcome { id: "a".into(), name: "add".into(), text: "done".into(), failed: false },
                ToolOutcome { id: "b".into(), name: "add".into(), text: "no JSON".into(), failed: true },
            ]),
        ],
        tools: vec![ToolDefinition { name: "add".into(), description: "Adds".into(), parameters: closed_schema() }],
        ..ModelRequest::default()
    };
    let sent = Value::Object(request_body(&request, &settings(), &HostCapabilities::default()));
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "add", "arguments": arguments}});
    assert_eq!(
        sent["messages"],
        json!([
            {"role": "system", "content": "s"},
            // Hosts that parse the arguments again would fail on the string that is not JSON.
            {"role": "assistant", "content": "", "tool_calls": [call("a", "{\"x\":1}"), call("b", "{}")]},
            {"role": "tool", "tool_call_id": "a", "content": "done"},
            {"role": "tool", "tool_call_id": "b", "content": "no JSON"},
        ])
    );
    let function = json!({"name": "add", "description": "Adds", "parameters": closed_schema()});
    assert_eq!(sent["tools"], json!([{"type": "function", "function": function}]));
}

#[test]
fn a_server_on_this_machine_gets_the_schema_with_bounds() {
    let answer = AnswerSchema { bounded: json!({"maxItems": 3}), ..AnswerSchema::new("answer", closed_schema()) };
    let request = ModelRequest { answer: Some(answer), ..ModelRequest::default() };
    for (is_local, expected) in [(false, closed_schema()), (true, json!({"maxItems": 3}))] {
        let sent = request_body(&request, &RequestSettings { is_local, ..settings() }, &HostCapabilities::default());
        assert_eq!(sent["response_format"]["json_schema"]["schema"], expected);
    }
}

#[test]
fn a_requested_object_uses_the_format_of_the_host() {
    let schema = AnswerSchema::new("answer", closed_schema());
    let request = ModelRequest { answer: Some(schema), ..ModelRequest::default() };
    let sent = |form: AnswerFormat| {
        Value::Object(request_body(
            &request,
            &settings(),
            &HostCapabilities { answer_format: form, ..HostCapabilities::default() },
        ))
    };
    assert_eq!(sent(AnswerFormat::Schema)["response_format"]["json_schema"]["strict"], true);
    let older = json!({"type": "json_object", "schema": closed_schema()});
    assert_eq!(sent(AnswerFormat::ObjectWithSchema)["response_format"], older);
    for form in [AnswerFormat::Schema, AnswerFormat::ObjectWithSchema] {
        assert_eq!(sent(form)["messages"], json!([]));
    }
    assert_eq!(sent(AnswerFormat::JsonObject)["response_format"], json!({"type": "json_object"}));
    assert_eq!(sent(AnswerFormat::Instructions).get("response_format"), None);
    for form in [AnswerFormat::JsonObject, AnswerFormat::Instructions] {
        let system = sent(form)["messages"][0]["content"].as_str().unwrap().to_owned();
        assert!(system.starts_with("Answer with one JSON object") && system.ends_with(&closed_schema().to_string()));
    }
    assert!(is_strict_schema(&closed_schema()) && !is_strict_schema(&json!({"properties": {"a": {}}})));
    assert!(!is_strict_schema(
        &json!({"items": {"properties": {"a": {}}, "required": [], "additionalProperties": false}})
    ));
}

#[test]
fn all_dialects_give_the_same_reply() {
    let call = |arguments: Value| json!({"id": "a", "function": {"name": "add", "arguments": arguments}});
    let expected = vec![ToolCall { id: "a".into(), name: "add".into(), arguments: json!({"x": 1}) }];
    for message in [
        json!({"content": null, "tool_calls": [call(json!("{\"x\":1}"))]}),
        json!({"content": "", "tool_calls": [call(json!({"x": 1}))], "reasoning_content": "hm"}),
        json!({"content": [], "tool_calls": [call(json!({"x": 1}))], "audio": null}),
    ] {
        for finish in [json!("tool_calls"), json!("stop"), json!(null)] {
            let reply = parse_message(message.clone(), finish);
            assert_eq!((reply.calls, reply.stop, reply.text.as_str()), (expected.clone(), StopReason::ToolCalls, ""));
        }
    }
    let words =
        parse_message(json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), json!(null));
    assert_eq!((words.text.as_str(), words.stop, words.usage), ("ab", StopReason::End, TokenUsage::default()));
    let old = parse_message(
        json!({"content": null, "function_call": {"name": "add", "arguments": "{}"}}),
        json!("function_call"),
    );
    assert_eq!((old.calls[0].id.as_str(), old.stop), ("call_1_0", StopReason::ToolCalls));
    let two = parse_message(json!({"tool_calls": [call(json!("{}")), call(json!("{}"))]}), json!("tool_calls"));
    assert_eq!(two.calls.len(), 2);
    let refused = parse_message(json!({"content": null, "refusal": "I cannot"}), json!("stop"));
    assert_eq!((refused.text.as_str(), refused.stop), ("I cannot", StopReason::Refused));
    let cut = parse_message(json!({"content": "a", "tool_calls": [call(json!("{\"x"))]}), json!("length"));
    assert_eq!((cut.calls.len(), cut.stop), (0, StopReason::Truncated));
}

#[test]
fn an_answer_without_a_choice_is_none_and_costs_all_the_same() {
    for nothing in [json!({}), json!({"choices": []}), json!([]), json!({"choices": null})] {
        assert_eq!(parse_reply(&nothing, 0).unwrap_err().kind, ErrorKind::Malformed);
    }
    for choice in [
        json!(7),
        json!({"message": null}),
        json!({"message": {}}),
        json!({"message": {"content": 7}}),
        json!({"message": {"tool_calls": "zz"}, "finish_reason": "tool_calls"}),
        json!({"message": {"content": null, "tool_calls": [{"function": {}}]}}),
        json!({"message": {"function_call": "zz"}}),
    ] {
        let body = json!({"choices": [choice]});
        assert_eq!(parse_reply(&body, 0).unwrap_err().kind, ErrorKind::Malformed, "{body}");
    }
    let empty = json!({"choices": [{"message": {"role": "assistant", "content": null}, "finish_reason": "stop"}]});
    assert_eq!(parse_reply(&empty, 0).unwrap().text, "");
    let body = json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2.0}});
    assert_eq!(parse_reply(&body, 0).unwrap_err().usage, TokenUsage { input: 7, output: 2 });
}

#[test]
fn hosts_list_their_models_in_two_ways() {
    assert_eq!(model_names(&json!({"data": [{"id": "a"}, {"id": "b"}]})), ["a", "b"]);
    assert_eq!(model_names(&json!({"models": [{"name": "a"}]})), ["a"]);
    assert_eq!(model_names(&json!({"data": null})), [""; 0]);
}
