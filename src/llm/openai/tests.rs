use super::*;
use crate::llm::{Outcome, Tool};

fn asks() -> Asks {
    Asks { model: "m".into(), most_tokens: None, temperature: None, top_p: None, at_home: false }
}

fn object() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false})
}

fn read(message: Value, finish: Value) -> Reply {
    reply(&json!({"choices": [{"message": message, "finish_reason": finish}]}), 1).unwrap()
}

#[test]
fn a_plain_question_sends_no_more_than_it_must() {
    let request = Request { messages: vec![Message::User("hi".into())], ..Request::default() };
    let sent = body(&request, &asks(), &Habits::default());
    assert_eq!(Value::Object(sent), json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]}));
}

#[test]
fn the_vendors_own_host_wants_the_newer_name_of_the_limit() {
    let request = Request { most_tokens: 100, ..Request::default() };
    let sent = |at_home: bool, renamed: bool, most: Option<u32>| {
        let asks = Asks { at_home, most_tokens: most, ..asks() };
        let body = body(&request, &asks, &Habits { renamed, ..Habits::default() });
        LIMITS.map(|name| body.get(name).and_then(Value::as_u64))
    };
    assert_eq!(sent(false, false, None), [Some(100), None]);
    assert_eq!(sent(true, false, None), [None, Some(100)]);
    assert_eq!(sent(false, true, None), [None, Some(100)]);
    assert_eq!(sent(true, true, Some(50)), [Some(50), None]);
}

#[test]
fn a_conversation_with_tools_is_sent_as_the_protocol_wants_it() {
    let call = |id: &str, arguments: Value| Call { id: id.into(), name: "add".into(), arguments };
    let request = Request {
        system: "s".into(),
        messages: vec![
            Message::Assistant {
                text: String::new(),
                calls: vec![call("a", json!({"x": 1})), call("b", json!("{\"x"))],
            },
            Message::Results(vec![
                Outcome { id: "a".into(), name: "add".into(), text: "done".into(), failed: false },
                Outcome { id: "b".into(), name: "add".into(), text: "no JSON".into(), failed: true },
            ]),
        ],
        tools: vec![Tool { name: "add".into(), about: "Adds".into(), parameters: object() }],
        ..Request::default()
    };
    let sent = Value::Object(body(&request, &asks(), &Habits::default()));
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "add", "arguments": arguments}});
    assert_eq!(
        sent["messages"],
        json!([
            {"role": "system", "content": "s"},
            // What was no JSON would make a host fail that reads it again.
            {"role": "assistant", "content": "", "tool_calls": [call("a", "{\"x\":1}"), call("b", "{}")]},
            {"role": "tool", "tool_call_id": "a", "content": "done"},
            {"role": "tool", "tool_call_id": "b", "content": "no JSON"},
        ])
    );
    let function = json!({"name": "add", "description": "Adds", "parameters": object()});
    assert_eq!(sent["tools"], json!([{"type": "function", "function": function}]));
}

#[test]
fn a_wanted_object_is_asked_for_in_the_form_that_the_host_knows() {
    let schema = Schema { name: "answer".into(), schema: object() };
    let request = Request { answer: Some(schema), ..Request::default() };
    let sent = |form: Form| Value::Object(body(&request, &asks(), &Habits { form, ..Habits::default() }));
    assert_eq!(sent(Form::Schema)["response_format"]["json_schema"]["strict"], true);
    assert_eq!(sent(Form::Schema)["messages"], json!([]));
    assert_eq!(sent(Form::Object)["response_format"], json!({"type": "json_object"}));
    assert_eq!(sent(Form::Words).get("response_format"), None);
    for form in [Form::Object, Form::Words] {
        let system = sent(form)["messages"][0]["content"].as_str().unwrap().to_owned();
        assert!(system.starts_with("Answer with one JSON object") && system.ends_with(&object().to_string()));
    }
    assert!(is_closed(&object()) && !is_closed(&json!({"properties": {"a": {}}})));
    assert!(!is_closed(&json!({"items": {"properties": {"a": {}}, "required": [], "additionalProperties": false}})));
}

#[test]
fn dialects_of_a_reply_say_the_same() {
    let call = |arguments: Value| json!({"id": "a", "function": {"name": "add", "arguments": arguments}});
    let expected = vec![Call { id: "a".into(), name: "add".into(), arguments: json!({"x": 1}) }];
    for message in [
        json!({"content": null, "tool_calls": [call(json!("{\"x\":1}"))]}),
        json!({"content": "", "tool_calls": [call(json!({"x": 1}))], "reasoning_content": "hm"}),
        json!({"content": [], "tool_calls": [call(json!({"x": 1}))], "audio": null}),
    ] {
        for finish in [json!("tool_calls"), json!("stop"), json!(null)] {
            let reply = read(message.clone(), finish);
            assert_eq!((reply.calls, reply.stop, reply.text.as_str()), (expected.clone(), Stop::Calls, ""));
        }
    }
    let words = read(json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), json!(null));
    assert_eq!((words.text.as_str(), words.stop, words.usage), ("ab", Stop::End, Usage::default()));
    let old =
        read(json!({"content": null, "function_call": {"name": "add", "arguments": "{}"}}), json!("function_call"));
    assert_eq!((old.calls[0].id.as_str(), old.stop), ("call_1_0", Stop::Calls));
    let two = read(json!({"tool_calls": [call(json!("{}")), call(json!("{}"))]}), json!("tool_calls"));
    assert_eq!(two.calls.len(), 2);
    let refused = read(json!({"content": null, "refusal": "I cannot"}), json!("stop"));
    assert_eq!((refused.text.as_str(), refused.stop), ("I cannot", Stop::Refused));
    let cut = read(json!({"content": "a", "tool_calls": [call(json!("{\"x"))]}), json!("length"));
    assert_eq!((cut.calls.len(), cut.stop), (0, Stop::Truncated));
}

#[test]
fn an_answer_without_a_choice_is_none_and_costs_all_the_same() {
    for nothing in [json!({}), json!({"choices": []}), json!([]), json!({"choices": null})] {
        assert_eq!(reply(&nothing, 0).unwrap_err().what, What::Malformed);
    }
    let body = json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2.0}});
    assert_eq!(reply(&body, 0).unwrap_err().usage, Usage { input: 7, output: 2 });
}

#[test]
fn hosts_list_their_models_in_two_ways() {
    assert_eq!(models(&json!({"data": [{"id": "a"}, {"id": "b"}]})), ["a", "b"]);
    assert_eq!(models(&json!({"models": [{"name": "a"}]})), ["a"]);
    assert_eq!(models(&json!({"data": null})), [""; 0]);
}
