use super::*;
use crate::llm::{Outcome, Schema, Stop};

fn asks() -> Asks {
    Asks { model: "m".into(), most_tokens: None, temperature: None, top_p: None, at_home: false }
}

fn wanting() -> Request {
    let schema = json!({"type": "object", "properties": {}});
    Request { answer: Some(Schema { name: "answer".into(), schema }), ..Request::default() }
}

#[test]
fn a_conversation_with_tools_is_sent_as_the_protocol_wants_it() {
    let call = |id: &str, arguments: Value| Call { id: id.into(), name: "add".into(), arguments };
    let outcome = |id: &str, failed: bool| Outcome { id: id.into(), name: "add".into(), text: "x".into(), failed };
    let request = Request {
        system: "s".into(),
        messages: vec![
            Message::User("hi".into()),
            Message::Assistant { text: " ".into(), calls: vec![call("a", json!({"x": 1})), call("b", json!("{\"x"))] },
            Message::Results(vec![outcome("a", false), outcome("b", true)]),
            Message::Assistant { text: String::new(), calls: Vec::new() },
            Message::User(String::new()),
        ],
        ..Request::default()
    };
    let sent = Value::Object(body(&request, &asks(), &Habits::default()));
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
fn a_wanted_object_is_the_one_tool_or_an_instruction() {
    let sent = |form: Form| Value::Object(body(&wanting(), &asks(), &Habits { form, ..Habits::default() }));
    assert_eq!(sent(Form::Schema)["tool_choice"], json!({"type": "tool", "name": "answer"}));
    assert_eq!(sent(Form::Schema).get("system"), None);
    for form in [Form::Object, Form::Words] {
        assert_eq!(sent(form).get("tools"), None);
        assert!(sent(form)["system"].as_str().unwrap().starts_with("Answer with one JSON object"));
    }
}

#[test]
fn a_reply_is_its_words_and_calls() {
    let said = json!({
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "text", "text": "Adding."},
            {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"x": 1}},
            {"type": "something_new"},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 7, "cache_creation_input_tokens": null, "output_tokens": 3},
    });
    let reply = reply(&said, &Request::default()).unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("Adding.", Stop::Calls));
    assert_eq!(reply.calls, [Call { id: "toolu_1".into(), name: "add".into(), arguments: json!({"x": 1}) }]);
    assert_eq!(reply.usage, Usage { input: 12, output: 3 });
}

#[test]
fn a_wanted_object_comes_back_as_text() {
    let call = json!({"type": "tool_use", "id": "a", "name": "answer", "input": {"x": 1}});
    let answered = reply(&json!({"content": [call], "stop_reason": "tool_use"}), &wanting()).unwrap();
    assert_eq!((answered.text.as_str(), answered.stop, answered.calls.len()), ("{\"x\":1}", Stop::End, 0));
    let cut = reply(&json!({"content": [call], "stop_reason": "max_tokens"}), &wanting()).unwrap();
    assert_eq!((cut.text.as_str(), cut.stop), ("", Stop::Truncated));
    let plain = reply(&json!({"content": "{}", "stop_reason": null}), &wanting()).unwrap();
    assert_eq!((plain.text.as_str(), plain.stop), ("{}", Stop::End));
}

#[test]
fn an_answer_without_content_is_none() {
    for nothing in [json!({}), json!({"content": null}), json!([])] {
        assert_eq!(reply(&nothing, &Request::default()).unwrap_err().what, What::Malformed);
    }
}
