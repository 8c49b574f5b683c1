use std::cell::Cell;
use std::collections::VecDeque;

use super::*;
use crate::llm::{ApiKey, ChatMessage, StopReason, ToolDefinition};
use serde_json::json;

/// A transport with scripted responses; records the bodies it was sent.
struct ScriptedTransport {
    replies: RefCell<VecDeque<Result<HttpResponse, TransportError>>>,
    bodies: RefCell<Vec<Value>>,
    sent: Cell<usize>,
}

impl Transport for ScriptedTransport {
    fn send(&self, outgoing: &HttpRequest<'_>) -> Result<HttpResponse, TransportError> {
        self.sent.set(self.sent.get() + 1);
        self.bodies.borrow_mut().push(outgoing.body.map_or(Value::Null, |b| serde_json::from_slice(b).unwrap()));
        self.replies.borrow_mut().pop_front().expect("a reply for every question")
    }
}

fn respond(status: u16, body: Value) -> Result<HttpResponse, TransportError> {
    Ok(HttpResponse {
        status,
        retry_after: Some(Duration::ZERO),
        should_retry: None,
        body: body.to_string().into_bytes(),
    })
}

fn success() -> Result<HttpResponse, TransportError> {
    respond(200, json!({"choices": [{"message": {"content": "pong"}, "finish_reason": "stop"}]}))
}

fn failure(status: u16, message: &str) -> Result<HttpResponse, TransportError> {
    respond(status, json!({"error": {"message": message, "param": null}}))
}

fn config(wire: Protocol) -> ModelConfig {
    ModelConfig {
        provider: "openai".into(),
        protocol: wire,
        model: Some("m".into()),
        base_url: "http://host.example/v1".into(),
        key: ApiKey::new("sk-secret"),
        command: Vec::new(),
        variables: Vec::new(),
        timeout: Duration::from_secs(30),
        max_tokens: None,
        temperature: Some(0.1),
        top_p: None,
        hide_secrets: str::to_owned,
    }
}

fn request(tools: bool) -> ModelRequest {
    let tool = ToolDefinition { name: "add".into(), description: String::new(), parameters: json!({"type": "object"}) };
    ModelRequest {
        messages: vec![ChatMessage::User("ping".into())],
        tools: if tools { vec![tool] } else { Vec::new() },
        max_tokens: 9,
        ..ModelRequest::default()
    }
}

/// Sends one request; returns the result and the bodies of all HTTP requests it took.
fn ask(
    replies: impl IntoIterator<Item = Result<HttpResponse, TransportError>>,
    tools: bool,
) -> (Result<ModelReply, LlmError>, Vec<Value>) {
    let transport = ScriptedTransport {
        replies: RefCell::new(replies.into_iter().collect()),
        bodies: RefCell::default(),
        sent: Cell::new(0),
    };
    let model = HostedModel::new(transport, &config(Protocol::ChatCompletions)).unwrap();
    let reply = model.complete(&request(tools), Deadline::within(Duration::from_secs(20)));
    assert!(model.transport.replies.borrow().is_empty(), "every reply was wanted");
    (reply, model.transport.bodies.take())
}

fn error_of(
    replies: impl IntoIterator<Item = Result<HttpResponse, TransportError>>,
    tools: bool,
) -> (ErrorKind, String) {
    let error = ask(replies, tools).0.unwrap_err();
    (error.kind, error.message)
}

#[test]
fn transient_errors_are_retried() {
    for status in [408, 409, 429, 500, 503, 529] {
        assert_eq!(ask([failure(status, "busy"), failure(status, "busy"), success()], false).0.unwrap().text, "pong");
    }
    let error = error_of([failure(503, "a"), failure(503, "b"), failure(503, "c")], false);
    assert_eq!(error, (ErrorKind::Busy, "openai at http://host.example/v1 answered 503: c".into()));
}

#[test]
fn permanent_errors_are_not_retried() {
    assert_eq!(
        error_of([failure(401, "Incorrect API key: sk-secret.")], false).1,
        "openai at http://host.example/v1 answered 401: Incorrect API key: …"
    );
    for (status, message, kind) in [
        (401, "key", ErrorKind::Unauthorized),
        (403, "region", ErrorKind::Unauthorized),
        (402, "pay", ErrorKind::QuotaExceeded),
        (429, "You exceeded your current quota: insufficient_quota", ErrorKind::QuotaExceeded),
        (400, "nonsense", ErrorKind::Rejected),
        (404, "no such model", ErrorKind::Rejected),
        (307, "", ErrorKind::Rejected),
    ] {
        assert_eq!(error_of([failure(status, message)], false).0, kind, "{status}");
    }
    assert_eq!(error_of([Err(TransportError::Timeout)], false).0, ErrorKind::Timeout);
    assert_eq!(error_of([Err(TransportError::TooLarge)], false).0, ErrorKind::TooLarge);
    let page = HttpResponse { status: 200, body: b"<html>".to_vec(), ..HttpResponse::default() };
    assert_eq!(error_of([Ok(page)], false).0, ErrorKind::Malformed);
    let stop = HttpResponse { should_retry: Some(false), ..failure(529, "overloaded").unwrap() };
    assert_eq!(error_of([Ok(stop)], false).0, ErrorKind::Busy);
}

#[test]
fn a_retry_after_beyond_the_deadline_fails_at_once() {
    let later = HttpResponse { retry_after: Some(Duration::from_secs(120)), ..failure(429, "slow down").unwrap() };
    let began = std::time::Instant::now();
    assert!(error_of([Ok(later)], false).1.ends_with("slow down (retry after 120 s)"));
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn errors_with_a_good_status_are_errors() {
    let coded = json!({"error": {"message": "m", "code": 401}});
    assert_eq!(error_of([respond(200, coded)], false).0, ErrorKind::Unauthorized);
    let plain = || respond(200, json!({"error": "backend gone"}));
    assert_eq!(error_of([plain(), plain(), plain()], false).0, ErrorKind::Busy);
    let inner = json!({"choices": [{"error": {"message": "m", "code": 502}, "finish_reason": "error"}]});
    assert_eq!(ask([respond(200, inner), success()], false).0.unwrap().text, "pong");
    let both = json!({"error": null, "message": "ok", "choices": [{"message": {"content": "pong"}}]});
    assert_eq!(ask([respond(200, both)], false).0.unwrap().stop, StopReason::End);
}

#[test]
fn a_rejected_parameter_is_no_longer_sent() {
    let rejection = || failure(400, "Unsupported parameter: 'temperature'");
    let (reply, bodies) = ask([rejection(), failure(400, "Unknown parameter: 'max_tokens'"), success()], false);
    assert_eq!(reply.unwrap().text, "pong");
    assert_eq!(bodies[0]["temperature"], 0.1);
    assert_eq!((bodies[1].get("temperature"), bodies[1]["max_tokens"].as_u64()), (None, Some(9)));
    assert_eq!((bodies[2].get("max_tokens"), bodies[2]["max_completion_tokens"].as_u64()), (None, Some(9)));
    // The host rejects the same parameter again although it is no longer sent: that is an error.
    assert_eq!(error_of([rejection(), rejection()], false).0, ErrorKind::Rejected);
}

#[test]
fn a_host_without_tools_fails_at_once() {
    for (status, message) in [(400, "m does not support tools"), (500, "Failed to parse input at pos 3")] {
        assert_eq!(error_of([failure(status, message)], true).0, ErrorKind::NoTools);
    }
}

#[test]
fn a_requested_object_falls_back_to_instructions() {
    let answer = || respond(200, json!({"content": [{"type": "text", "text": "{}"}], "stop_reason": "end_turn"}));
    let replies = [failure(400, "this model does not support tools"), answer()];
    let transport =
        ScriptedTransport { replies: RefCell::new(replies.into()), bodies: RefCell::default(), sent: Cell::new(0) };
    let model = HostedModel::new(transport, &config(Protocol::Messages)).unwrap();
    let schema = super::super::AnswerSchema::new("answer", json!({"type": "object"}));
    let request = ModelRequest { answer: Some(schema), ..request(false) };
    let reply = model.complete(&request, Deadline::within(Duration::from_secs(20))).unwrap();
    assert_eq!(reply.text, "{}");
    let bodies = model.transport.bodies.take();
    assert!(bodies[0].get("tools").is_some() && bodies[1].get("tools").is_none());
}

#[test]
fn the_only_model_of_a_host_need_not_be_named() {
    let open = |list: Value| {
        let transport = ScriptedTransport {
            replies: RefCell::new([respond(200, list)].into()),
            bodies: RefCell::default(),
            sent: Cell::new(0),
        };
        let model = HostedModel::new(transport, &ModelConfig { model: None, ..config(Protocol::ChatCompletions) });
        model.map(|hosted| hosted.id().model.clone()).map_err(|error| (error.kind, error.message))
    };
    assert_eq!(open(json!({"data": [{"id": "tiny"}]})).unwrap(), "tiny");
    let (kind, message) = open(json!({"data": [{"id": "a"}, {"id": "b\n"}]})).unwrap_err();
    assert_eq!(kind, ErrorKind::Rejected);
    assert!(message.ends_with("name one with --model: a, b"), "{message}");
    assert!(open(json!({"data": []})).unwrap_err().1.ends_with("has no models"));
}

#[test]
fn no_request_is_sent_after_the_deadline() {
    let transport = ScriptedTransport { replies: RefCell::default(), bodies: RefCell::default(), sent: Cell::new(0) };
    let model = HostedModel::new(transport, &config(Protocol::ChatCompletions)).unwrap();
    let error = model.complete(&request(false), Deadline::within(Duration::ZERO)).unwrap_err();
    assert_eq!((error.kind, model.transport.sent.get()), (ErrorKind::Timeout, 0));
}

/// JSON pointers of all values inside a value, innermost first.
fn json_pointers(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, inner)| json_pointers(inner, format!("{pointer}/{key}"), pointers))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, inner)| json_pointers(inner, format!("{pointer}/{n}"), pointers))
        }
        _ => {}
    }
    pointers.push(pointer);
}

#[test]
fn every_malformed_answer_is_an_error() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "add", "arguments": "{\"x\": 1}"}});
    let message = json!({"role": "assistant", "content": [{"type": "text", "text": "hi"}], "refusal": null, "tool_calls": [call]});
    let chat = json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}});
    let block = json!({"type": "tool_use", "id": "a", "name": "add", "input": {"x": 1}});
    let message = json!({"content": [{"type": "text", "text": "hi"}, block], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}});
    let fault = json!({"error": {"message": "m", "type": "t", "param": "p", "code": 400, "metadata": {"raw": "r"}}});
    let odd = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("\u{202e}\n"),
        json!([]),
        json!([[]]),
        json!({}),
    ];
    let mut checked = 0;
    for (wire, body) in [
        (Protocol::ChatCompletions, chat),
        (Protocol::Messages, message),
        (Protocol::ChatCompletions, fault.clone()),
        (Protocol::Messages, fault),
    ] {
        let mut pointers = Vec::new();
        json_pointers(&body, String::new(), &mut pointers);
        for (pointer, odd) in pointers.iter().flat_map(|place| odd.iter().map(move |odd| (place, odd))) {
            let mut body = body.clone();
            *body.pointer_mut(pointer).unwrap() = odd.clone();
            let replies = std::iter::repeat_with(|| respond(200, body.clone())).take(20);
            let transport = ScriptedTransport {
                replies: RefCell::new(replies.collect()),
                bodies: RefCell::default(),
                sent: Cell::new(0),
            };
            let model = HostedModel::new(transport, &config(wire)).unwrap();
            let result = model.complete(&request(true), Deadline::within(Duration::from_secs(20)));
            if let Err(error) = result {
                assert!(!error.message.contains(char::is_control), "{error:?}");
            }
            checked += 1;
        }
    }
    assert!(checked > 400, "{checked}");
}

/// Requests an object; returns the result and whether each HTTP request had `response_format`.
fn ask_for_object(
    replies: impl IntoIterator<Item = Result<HttpResponse, TransportError>>,
) -> (Result<ModelReply, LlmError>, Vec<bool>) {
    let transport = ScriptedTransport {
        replies: RefCell::new(replies.into_iter().collect()),
        bodies: RefCell::default(),
        sent: Cell::new(0),
    };
    let model = HostedModel::new(transport, &config(Protocol::ChatCompletions)).unwrap();
    let answer = crate::llm::AnswerSchema::new("a", json!({"type": "object"}));
    let asked = ModelRequest { answer: Some(answer), ..request(false) };
    let reply = model.complete(&asked, Deadline::within(Duration::from_secs(20)));
    let bodies = model.transport.bodies.take();
    (reply, bodies.iter().map(|body| body.get("response_format").is_some()).collect())
}

#[test]
fn a_format_that_a_host_cannot_take_is_left_out_once_whatever_the_status() {
    for status in [400, 413, 418, 500, 501] {
        let (reply, formats) = ask_for_object([failure(status, "Internal Server Error"), success()]);
        assert_eq!((reply.unwrap().text.as_str(), formats), ("pong", vec![true, false]), "{status}");
    }
    // Without the format it fails as well: the status counts as it does elsewhere.
    let (reply, formats) = ask_for_object([failure(500, "a"), failure(500, "b"), failure(500, "c"), failure(500, "d")]);
    assert_eq!((reply.unwrap_err().kind, formats), (ErrorKind::Busy, vec![true, false, false, false]));
    for status in [401, 403, 402] {
        let (reply, formats) = ask_for_object([failure(status, "no")]);
        assert_eq!((reply.is_err(), formats), (true, vec![true]), "{status}");
    }
    let (reply, formats) = ask_for_object([failure(503, "busy"), success()]);
    assert_eq!((reply.is_ok(), formats), (true, vec![true, true]));
}

#[test]
fn a_server_that_knows_only_json_objects_gets_the_schema_with_one() {
    // The answer of llama-cpp-python's server.
    let message = "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), \
                   'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}";
    let transport = ScriptedTransport {
        replies: RefCell::new([failure(500, message), success()].into()),
        bodies: RefCell::default(),
        sent: Cell::new(0),
    };
    let model = HostedModel::new(transport, &config(Protocol::ChatCompletions)).unwrap();
    let answer = crate::llm::AnswerSchema::new("a", json!({"type": "object"}));
    let asked = ModelRequest { answer: Some(answer), ..request(false) };
    model.complete(&asked, Deadline::within(Duration::from_secs(20))).unwrap();
    let bodies = model.transport.bodies.take();
    assert_eq!(bodies[1]["response_format"], json!({"type": "json_object", "schema": {"type": "object"}}));
}

#[test]
fn the_key_is_hidden_in_replies_and_in_part() {
    let call = json!({"id": "c", "type": "function", "function": {"name": "add", "arguments": "{\"text\": \"it is sk-secret\"}"}});
    let message = json!({"content": "your key is sk-secret", "tool_calls": [call]});
    let reply = ask([respond(200, json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]}))], true).0;
    let reply = reply.unwrap();
    assert_eq!(reply.text, "your key is …");
    assert_eq!(reply.calls[0].arguments, json!({"text": "it is …"}));
    assert_eq!(
        error_of([failure(401, "Incorrect API key: sk-s\u{200b}ec\u{ad}ret")], false).1,
        "openai at http://host.example/v1 answered 401: Incorrect API key: …"
    );
    assert_eq!(
        error_of([failure(401, "Incorrect API key: sk-secre***")], false).1,
        "openai at http://host.example/v1 answered 401: Incorrect API key: …***"
    );
}
