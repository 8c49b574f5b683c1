use std::cell::Cell;
use std::collections::VecDeque;

use super::*;
use crate::llm::{Key, Message, Stop, Tool};
use serde_json::json;

/// Says what it was told to say, and remembers what it was asked.
struct Script {
    replies: RefCell<VecDeque<Result<Incoming, Broken>>>,
    asked: RefCell<Vec<Value>>,
    carried: Cell<usize>,
}

impl Line for Script {
    fn carry(&self, outgoing: &Outgoing<'_>) -> Result<Incoming, Broken> {
        self.carried.set(self.carried.get() + 1);
        self.asked.borrow_mut().push(outgoing.body.map_or(Value::Null, |b| serde_json::from_slice(b).unwrap()));
        self.replies.borrow_mut().pop_front().expect("a reply for every question")
    }
}

fn says(status: u16, body: Value) -> Result<Incoming, Broken> {
    Ok(Incoming { status, after: Some(Duration::ZERO), again: None, body: body.to_string().into_bytes() })
}

fn fine() -> Result<Incoming, Broken> {
    says(200, json!({"choices": [{"message": {"content": "pong"}, "finish_reason": "stop"}]}))
}

fn fails(status: u16, message: &str) -> Result<Incoming, Broken> {
    says(status, json!({"error": {"message": message, "param": null}}))
}

fn choice(wire: Wire) -> Choice {
    Choice {
        provider: "openai".into(),
        wire,
        model: Some("m".into()),
        base_url: "http://host.example/v1".into(),
        key: Key::new("sk-secret"),
        command: Vec::new(),
        variables: Vec::new(),
        timeout: Duration::from_secs(30),
        most_tokens: None,
        temperature: Some(0.1),
        top_p: None,
    }
}

fn question(tools: bool) -> Request {
    let tool = Tool { name: "add".into(), about: String::new(), parameters: json!({"type": "object"}) };
    Request {
        messages: vec![Message::User("ping".into())],
        tools: if tools { vec![tool] } else { Vec::new() },
        most_tokens: 9,
        ..Request::default()
    }
}

/// Asks once; what came of it, and how many requests it took.
fn ask(
    replies: impl IntoIterator<Item = Result<Incoming, Broken>>,
    tools: bool,
) -> (Result<Reply, Trouble>, Vec<Value>) {
    let line = Script {
        replies: RefCell::new(replies.into_iter().collect()),
        asked: RefCell::default(),
        carried: Cell::new(0),
    };
    let hosted = Hosted::new(line, &choice(Wire::Chat)).unwrap();
    let reply = hosted.ask(&question(tools), Deadline::within(Duration::from_secs(20)));
    assert!(hosted.line.replies.borrow().is_empty(), "every reply was wanted");
    (reply, hosted.line.asked.take())
}

fn refused(replies: impl IntoIterator<Item = Result<Incoming, Broken>>, tools: bool) -> (What, String) {
    let trouble = ask(replies, tools).0.unwrap_err();
    (trouble.what, trouble.message)
}

#[test]
fn what_may_pass_is_asked_again() {
    for passing in [408, 409, 429, 500, 503, 529] {
        assert_eq!(ask([fails(passing, "busy"), fails(passing, "busy"), fine()], false).0.unwrap().text, "pong");
    }
    let trouble = refused([fails(503, "a"), fails(503, "b"), fails(503, "c")], false);
    assert_eq!(trouble, (What::Busy, "openai at http://host.example/v1 answered 503: c".into()));
}

#[test]
fn what_does_not_pass_is_asked_once() {
    assert_eq!(
        refused([fails(401, "Incorrect API key: sk-secret.")], false).1,
        "openai at http://host.example/v1 answered 401: Incorrect API key: …"
    );
    for (status, said, what) in [
        (401, "key", What::Denied),
        (403, "region", What::Denied),
        (402, "pay", What::Quota),
        (429, "You exceeded your current quota: insufficient_quota", What::Quota),
        (400, "nonsense", What::Rejected),
        (404, "no such model", What::Rejected),
        (307, "", What::Rejected),
    ] {
        assert_eq!(refused([fails(status, said)], false).0, what, "{status}");
    }
    assert_eq!(refused([Err(Broken::Timeout)], false).0, What::Timeout);
    assert_eq!(refused([Err(Broken::TooLarge)], false).0, What::TooLarge);
    let page = Incoming { status: 200, body: b"<html>".to_vec(), ..Incoming::default() };
    assert_eq!(refused([Ok(page)], false).0, What::Malformed);
    let stop = Incoming { again: Some(false), ..fails(529, "overloaded").unwrap() };
    assert_eq!(refused([Ok(stop)], false).0, What::Busy);
}

#[test]
fn a_host_that_wants_a_longer_pause_than_is_left_is_not_waited_for() {
    let later = Incoming { after: Some(Duration::from_secs(120)), ..fails(429, "slow down").unwrap() };
    let began = std::time::Instant::now();
    assert!(refused([Ok(later)], false).1.ends_with("slow down (it asks to wait 120 s)"));
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn errors_with_a_good_status_are_errors() {
    let coded = json!({"error": {"message": "m", "code": 401}});
    assert_eq!(refused([says(200, coded)], false).0, What::Denied);
    let plain = || says(200, json!({"error": "backend gone"}));
    assert_eq!(refused([plain(), plain(), plain()], false).0, What::Busy);
    let inner = json!({"choices": [{"error": {"message": "m", "code": 502}, "finish_reason": "error"}]});
    assert_eq!(ask([says(200, inner), fine()], false).0.unwrap().text, "pong");
    let both = json!({"error": null, "message": "ok", "choices": [{"message": {"content": "pong"}}]});
    assert_eq!(ask([says(200, both)], false).0.unwrap().stop, Stop::End);
}

#[test]
fn a_blamed_parameter_is_left_out_from_then_on() {
    let blame = || fails(400, "Unsupported parameter: 'temperature'");
    let (reply, asked) = ask([blame(), fails(400, "Unknown parameter: 'max_tokens'"), fine()], false);
    assert_eq!(reply.unwrap().text, "pong");
    assert_eq!(asked[0]["temperature"], 0.1);
    assert_eq!((asked[1].get("temperature"), asked[1]["max_tokens"].as_u64()), (None, Some(9)));
    assert_eq!((asked[2].get("max_tokens"), asked[2]["max_completion_tokens"].as_u64()), (None, Some(9)));
    // The same blame again, although it is not sent any more: that is an error.
    assert_eq!(refused([blame(), blame()], false).0, What::Rejected);
}

#[test]
fn a_host_without_tools_says_so_at_once() {
    for (status, said) in [(400, "m does not support tools"), (500, "Failed to parse input at pos 3")] {
        assert_eq!(refused([fails(status, said)], true).0, What::NoTools);
    }
}

#[test]
fn a_wanted_object_is_asked_for_otherwise_where_tools_are_unknown() {
    let answer = || says(200, json!({"content": [{"type": "text", "text": "{}"}], "stop_reason": "end_turn"}));
    let replies = [fails(400, "this model does not support tools"), answer()];
    let line = Script { replies: RefCell::new(replies.into()), asked: RefCell::default(), carried: Cell::new(0) };
    let hosted = Hosted::new(line, &choice(Wire::Messages)).unwrap();
    let schema = super::super::Schema { name: "answer".into(), schema: json!({"type": "object"}) };
    let request = Request { answer: Some(schema), ..question(false) };
    let reply = hosted.ask(&request, Deadline::within(Duration::from_secs(20))).unwrap();
    assert_eq!(reply.text, "{}");
    let asked = hosted.line.asked.take();
    assert!(asked[0].get("tools").is_some() && asked[1].get("tools").is_none());
}

#[test]
fn the_only_model_of_a_host_need_not_be_named() {
    let open = |list: Value| {
        let line = Script {
            replies: RefCell::new([says(200, list)].into()),
            asked: RefCell::default(),
            carried: Cell::new(0),
        };
        let hosted = Hosted::new(line, &Choice { model: None, ..choice(Wire::Chat) });
        hosted.map(|hosted| hosted.who().model.clone()).map_err(|trouble| (trouble.what, trouble.message))
    };
    assert_eq!(open(json!({"data": [{"id": "tiny"}]})).unwrap(), "tiny");
    let (what, message) = open(json!({"data": [{"id": "a"}, {"id": "b\n"}]})).unwrap_err();
    assert_eq!(what, What::Rejected);
    assert!(message.ends_with("name one with --model: a, b"), "{message}");
    assert!(open(json!({"data": []})).unwrap_err().1.ends_with("has no model yet"));
}

#[test]
fn nothing_is_asked_after_the_deadline() {
    let line = Script { replies: RefCell::default(), asked: RefCell::default(), carried: Cell::new(0) };
    let hosted = Hosted::new(line, &choice(Wire::Chat)).unwrap();
    let trouble = hosted.ask(&question(false), Deadline::within(Duration::ZERO)).unwrap_err();
    assert_eq!((trouble.what, hosted.line.carried.get()), (What::Timeout, 0));
}

/// All places in a value, from the outermost in.
fn places(value: &Value, at: String, all: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, inner)| places(inner, format!("{at}/{key}"), all)),
        Value::Array(items) => items.iter().enumerate().for_each(|(n, inner)| places(inner, format!("{at}/{n}"), all)),
        _ => {}
    }
    all.push(at);
}

#[test]
fn no_shape_of_an_answer_is_more_than_a_trouble() {
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
    let mut seen = 0;
    for (wire, body) in
        [(Wire::Chat, chat), (Wire::Messages, message), (Wire::Chat, fault.clone()), (Wire::Messages, fault)]
    {
        let mut all = Vec::new();
        places(&body, String::new(), &mut all);
        for (place, odd) in all.iter().flat_map(|place| odd.iter().map(move |odd| (place, odd))) {
            let mut body = body.clone();
            *body.pointer_mut(place).unwrap() = odd.clone();
            let replies = std::iter::repeat_with(|| says(200, body.clone())).take(20);
            let line =
                Script { replies: RefCell::new(replies.collect()), asked: RefCell::default(), carried: Cell::new(0) };
            let hosted = Hosted::new(line, &choice(wire)).unwrap();
            let said = hosted.ask(&question(true), Deadline::within(Duration::from_secs(20)));
            if let Err(trouble) = said {
                assert!(!trouble.message.contains(char::is_control), "{trouble:?}");
            }
            seen += 1;
        }
    }
    assert!(seen > 400, "{seen}");
}
