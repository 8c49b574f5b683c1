//! Asking models behind HTTP and behind programs: protocols, dialects, faults, deadlines and keys, over a real socket.
//!
//! Every request goes to a scripted host on loopback, which holds it against the vendor's published schema.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use memdir::commands::model;
use memdir::host::models::ModelQuery;
use memdir::llm::{
    self, AnswerSchema, ApiKey, ChatMessage, Deadline, ErrorKind, LlmError, Model, ModelConfig, ModelReply,
    ModelRequest, Protocol, StopReason, ToolCall, ToolDefinition, ToolOutcome,
};
use serde_json::{Value, json};

use crate::model_programs::{config, text, tried};
use crate::support::model_server::{Answer, ScriptedReply, Server};

pub const KEY: &str = "sk-test-0123456789abcdef";
/// The wires of both protocols.
pub const WIRES: [Protocol; 2] = [Protocol::ChatCompletions, Protocol::Messages];

fn choice(server: &Server, wire: Protocol) -> ModelConfig {
    ModelConfig {
        provider: "test".into(),
        protocol: wire,
        model: Some("m".into()),
        base_url: server.url(),
        key: ApiKey::new(KEY),
        command: Vec::new(),
        variables: Vec::new(),
        timeout: Duration::from_secs(20),
        max_tokens: Some(500),
        temperature: None,
        top_p: None,
        hide_secrets: str::to_owned,
    }
}

fn open(server: &Server, wire: Protocol) -> Box<dyn Model> {
    llm::open(&choice(server, wire)).unwrap()
}

/// The answer `pong` of a protocol.
pub fn pong(wire: Protocol) -> Answer {
    match wire {
        Protocol::Messages => Answer::message(&json!([{"type": "text", "text": "pong"}]), "end_turn"),
        _ => Answer::chat("pong"),
    }
}

fn ping() -> ModelRequest {
    ModelRequest {
        system: "Be brief.".into(),
        messages: vec![ChatMessage::User("ping".into())],
        ..ModelRequest::default()
    }
}

fn parameters() -> Value {
    json!({"type": "object", "properties": {"at": {"type": "string"}, "text": {"type": ["string", "null"]}},
           "required": ["at", "text"], "additionalProperties": false})
}

/// A question with everything in it.
fn whole() -> ModelRequest {
    let calls = vec![
        ToolCall { id: "call_1".into(), name: "add".into(), arguments: json!({"at": "user", "text": "Vegan"}) },
        ToolCall { id: "call_2".into(), name: "add".into(), arguments: json!("{\"at\": ") },
    ];
    let result = |id: &str, failed| ToolOutcome { id: id.into(), name: "add".into(), text: "said".into(), failed };
    ModelRequest {
        messages: vec![
            ChatMessage::User("ping 茶 \u{0} \"".into()),
            ChatMessage::Assistant { text: "Adding.".into(), calls },
            ChatMessage::ToolResults(vec![result("call_1", false), result("call_2", true)]),
            ChatMessage::Assistant { text: "Done.".into(), calls: Vec::new() },
            ChatMessage::User("And now?".into()),
        ],
        tools: vec![ToolDefinition {
            name: "add".into(),
            description: "Adds a bullet".into(),
            parameters: parameters(),
        }],
        ..ping()
    }
}

fn soon() -> Deadline {
    Deadline::within(Duration::from_secs(20))
}

fn ask(server: &Server, wire: Protocol, request: &ModelRequest) -> Result<ModelReply, LlmError> {
    open(server, wire).complete(request, soon())
}

#[test]
fn both_protocols_carry_a_conversation_with_tools() {
    for wire in WIRES {
        let call = json!({"at": "user", "text": null});
        let calls = match wire {
            Protocol::Messages => {
                let block = json!({"type": "tool_use", "id": "toolu_9", "name": "add", "input": call});
                Answer::message(&json!([{"type": "thinking", "thinking": "hm", "signature": "s"}, block]), "tool_use")
            }
            _ => Answer::chat_calls([("add", call.clone())]),
        };
        let server = Server::script([calls.chunked(), pong(wire)]);
        let model = open(&server, wire);
        let mut request = whole();
        let first = model.complete(&request, soon()).unwrap();
        assert_eq!((first.calls.len(), &first.calls[0].arguments, first.stop), (1, &call, StopReason::ToolCalls));
        assert_eq!((first.usage.input, first.usage.output), (100, 10));
        // The reply is sent back unchanged.
        let id = first.calls[0].id.clone();
        request.messages.push(ChatMessage::Assistant { text: first.text, calls: first.calls });
        request.messages.push(ChatMessage::ToolResults(vec![ToolOutcome {
            id,
            name: "add".into(),
            text: "done".into(),
            failed: false,
        }]));
        assert_eq!(model.complete(&request, soon()).unwrap().text, "pong");
        // One connection serves both.
        assert_eq!(server.connections(), 1);
    }
}

#[test]
fn the_key_travels_in_one_header_only() {
    for (wire, name, value) in [
        (Protocol::ChatCompletions, "authorization", format!("Bearer {KEY}")),
        (Protocol::Messages, "x-api-key", KEY.to_owned()),
    ] {
        let server = Server::script([pong(wire)]);
        ask(&server, wire, &ping()).unwrap();
        let requests = server.requests().remove(0);
        assert_eq!(requests.header(name), Some(value.as_str()));
        let others = requests.headers.iter().filter(|(n, v)| n != name && v.contains(KEY)).count();
        assert_eq!((others, requests.body.to_string().contains(KEY), requests.line.contains(KEY)), (0, false, false));
    }
}

#[test]
fn a_requested_object_uses_a_format_that_the_host_supports() {
    let schema = AnswerSchema::new("answer", parameters());
    let request = ModelRequest { answer: Some(schema), ..ping() };
    let refuse = |what: &str| Answer::error(400, &format!("{what} is not supported by this model"));
    let server = Server::script([
        refuse("json_schema"),
        refuse("schema"),
        refuse("response_format"),
        Answer::chat("{}"),
        Answer::chat("{}"),
    ]);
    let model = open(&server, Protocol::ChatCompletions);
    assert_eq!(model.complete(&request, soon()).unwrap().text, "{}");
    assert_eq!(model.complete(&request, soon()).unwrap().text, "{}");
    let types: Vec<Value> = server.requests().iter().map(|a| a.body["response_format"]["type"].clone()).collect();
    // What was learned holds.
    let object = || json!("json_object");
    assert_eq!(types, [json!("json_schema"), object(), object(), Value::Null, Value::Null]);

    let block = json!([{"type": "tool_use", "id": "a", "name": "answer", "input": {"at": "user", "text": null}}]);
    let server = Server::script([Answer::message(&block, "tool_use")]);
    let reply = ask(&server, Protocol::Messages, &request).unwrap();
    assert_eq!((reply.text.as_str(), reply.calls.len()), ("{\"at\":\"user\",\"text\":null}", 0));
}

#[test]
fn a_rejected_parameter_is_left_out() {
    for wire in WIRES {
        let blame = |name: &str| match wire {
            Protocol::Messages => {
                let error = json!({"type": "invalid_request_error", "message": format!("`{name}` is deprecated for this model.")});
                Answer::json(400, &json!({"type": "error", "error": error}))
            }
            _ => Answer::json(
                400,
                &json!({"error": {"message": "Unsupported value", "param": name, "code": "unsupported_value"}}),
            ),
        };
        let server = Server::script([blame("temperature"), blame("top_p"), pong(wire)]);
        let choice = ModelConfig { temperature: Some(0.2), top_p: Some(0.9), ..choice(&server, wire) };
        assert_eq!(llm::open(&choice).unwrap().complete(&ping(), soon()).unwrap().text, "pong");
        let sent: Vec<[bool; 2]> =
            server.requests().iter().map(|a| ["temperature", "top_p"].map(|n| a.body.get(n).is_some())).collect();
        assert_eq!(sent, [[true, true], [false, true], [false, false]]);
    }
    let renamed = Answer::error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
    let server = Server::script([renamed, pong(Protocol::ChatCompletions)]);
    let request = ModelRequest { max_tokens: 50, ..ping() };
    ask(&server, Protocol::ChatCompletions, &request).unwrap();
    assert_eq!(server.requests()[1].body["max_completion_tokens"], 50);
}

#[test]
fn every_dialect_is_parsed() {
    let call =
        json!({"id": "", "type": "function", "function": {"name": "add", "arguments": {"at": "user", "text": null}}});
    let message = json!({"role": "assistant", "content": "", "tool_calls": [call, call], "reasoning_content": "hm"});
    let body = json!({"choices": [{"message": message, "finish_reason": null}]});
    let server = Server::script([Answer::raw(200, "text/plain", body.to_string()), Answer::chat("ok")]);
    let model = open(&server, Protocol::ChatCompletions);
    let reply = model.complete(&whole(), soon()).unwrap();
    let ids: Vec<&str> = reply.calls.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(
        (ids, reply.stop, reply.usage),
        (vec!["call_5_0", "call_5_1"], StopReason::ToolCalls, llm::TokenUsage::default())
    );
    // Arguments received as an object are sent back as a text.
    let mut request = whole();
    request.messages.push(ChatMessage::Assistant { text: reply.text, calls: reply.calls });
    model.complete(&request, soon()).unwrap();
    let back = server.requests()[1].body["messages"][7]["tool_calls"][0]["function"]["arguments"].clone();
    assert_eq!(back, json!("{\"at\":\"user\",\"text\":null}"));
}

#[test]
fn a_truncated_answer_calls_no_tools() {
    for finish in ["length", "content_filter"] {
        let call = json!({"id": "a", "type": "function", "function": {"name": "add", "arguments": "{\"at\": \"us"}});
        let server = Server::script([Answer::choice(&json!({"content": null, "tool_calls": [call]}), finish)]);
        let reply = ask(&server, Protocol::ChatCompletions, &whole()).unwrap();
        assert!(
            reply.calls.is_empty() && matches!(reply.stop, StopReason::Truncated | StopReason::Refused),
            "{finish}"
        );
    }
    for stop in ["max_tokens", "refusal", "model_context_window_exceeded"] {
        let block = json!([{"type": "tool_use", "id": "a", "name": "add", "input": {}}]);
        let server = Server::script([Answer::message(&block, stop)]);
        let reply = ask(&server, Protocol::Messages, &whole()).unwrap();
        assert!(reply.calls.is_empty() && matches!(reply.stop, StopReason::Truncated | StopReason::Refused), "{stop}");
    }
}

#[test]
fn transient_errors_are_retried_after_the_delay_that_the_host_gives() {
    for wire in WIRES {
        let busy = |status: u16| Answer::error(status, "busy").header("retry-after-ms", "1");
        let server = Server::script([busy(429), busy(503), pong(wire)]);
        assert_eq!(ask(&server, wire, &ping()).unwrap().text, "pong");
        assert_eq!(server.requests().len(), 3);
    }
    let hour = Answer::error(429, "slow down").header("retry-after", "3600");
    let server = Server::script([hour]);
    let failure = ask(&server, Protocol::ChatCompletions, &ping()).unwrap_err();
    assert_eq!((failure.kind, failure.status), (ErrorKind::Busy, Some(429)));
    let quota = Answer::json(429, &json!({"error": {"message": "pay", "code": "insufficient_quota"}}));
    let server = Server::script([quota.header("retry-after-ms", "1")]);
    assert_eq!(ask(&server, Protocol::ChatCompletions, &ping()).unwrap_err().kind, ErrorKind::QuotaExceeded);
}

#[test]
fn a_connection_that_breaks_is_made_again() {
    for fault in
        [ScriptedReply::Close, ScriptedReply::CloseMidBody(pong(Protocol::ChatCompletions)), ScriptedReply::Garbage]
    {
        let server = Server::script([fault.clone(), pong(Protocol::ChatCompletions).into()]);
        assert_eq!(ask(&server, Protocol::ChatCompletions, &ping()).unwrap().text, "pong", "{fault:?}");
    }
}

/// Every fault that a host can have, and the kinds of error that may report it; each ends in time and shows no key.
pub fn faults(wire: Protocol) -> Vec<(ScriptedReply, &'static [ErrorKind])> {
    let slow = Duration::from_millis(40);
    vec![
        (ScriptedReply::Hang, &[ErrorKind::Timeout]),
        (ScriptedReply::HangMidBody(pong(wire)), &[ErrorKind::Timeout]),
        (ScriptedReply::Drip(pong(wire), slow), &[ErrorKind::Timeout]),
        (ScriptedReply::Close, &[ErrorKind::Unreachable]),
        (ScriptedReply::CloseMidBody(pong(wire)), &[ErrorKind::Unreachable]),
        (ScriptedReply::Garbage, &[ErrorKind::Unreachable]),
        (ScriptedReply::Endless, &[ErrorKind::TooLarge, ErrorKind::Timeout]),
        (Answer::raw(200, "text/html", "<html>proxy</html>").into(), &[ErrorKind::Malformed]),
        (Answer::raw(200, "application/json", "").into(), &[ErrorKind::Malformed]),
        (Answer::raw(200, "application/json", "{\"choices\": [").into(), &[ErrorKind::Malformed]),
        (Answer::json(200, &json!({})).into(), &[ErrorKind::Malformed]),
        (Answer::json(200, &json!([])).into(), &[ErrorKind::Malformed]),
        (Answer::raw(200, "application/json", b"\xff\xfe".to_vec()).into(), &[ErrorKind::Malformed]),
        (Answer::json(200, &json!({"error": "gone"})).into(), &[ErrorKind::Busy]),
        (Answer::error(500, "oops").into(), &[ErrorKind::Busy]),
        (Answer::raw(502, "text/html", "<html>bad gateway</html>").into(), &[ErrorKind::Busy]),
        (Answer::error(429, "slow down").header("retry-after", "1").into(), &[ErrorKind::Busy]),
        (Answer::error(401, &format!("Incorrect API key provided: {KEY}.")).into(), &[ErrorKind::Unauthorized]),
        (Answer::raw(403, "text/plain", KEY).into(), &[ErrorKind::Unauthorized]),
        (Answer::error(404, "no such model").into(), &[ErrorKind::Rejected]),
        (Answer::raw(307, "text/plain", "").header("location", "http://127.0.0.1:9/").into(), &[ErrorKind::Rejected]),
        (Answer::raw(204, "text/plain", "").into(), &[ErrorKind::Malformed]),
    ]
}

#[test]
fn every_fault_ends_within_the_deadline() {
    for wire in WIRES {
        for (fault, kinds) in faults(wire) {
            let server = Server::always(fault.clone());
            let model = open(&server, wire);
            let began = Instant::now();
            let failure = model.complete(&ping(), Deadline::within(Duration::from_millis(300))).unwrap_err();
            let took = began.elapsed();
            assert!(took < Duration::from_millis(1300), "{fault:?} took {took:?}");
            assert!(kinds.contains(&failure.kind), "{fault:?}: {failure:?}");
            assert!(!format!("{failure:?}").contains("sk-"), "{failure:?}");
            assert!(!failure.message.contains(char::is_control), "{failure:?}");
        }
    }
}

#[test]
fn one_request_has_a_time_of_its_own() {
    let server = Server::script([ScriptedReply::Hang]);
    let choice = ModelConfig { timeout: Duration::from_millis(100), ..choice(&server, Protocol::ChatCompletions) };
    let failure = llm::open(&choice).unwrap().complete(&ping(), soon()).unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Timeout);
    assert!(failure.message.ends_with("did not answer within 0.1 s"), "{}", failure.message);
}

#[test]
fn a_redirect_is_not_followed_with_the_key() {
    let other = Server::script(Vec::<ScriptedReply>::new());
    let away = Answer::raw(308, "text/plain", "").header("location", &format!("{}/v1/chat/completions", other.url()));
    let server = Server::script([away]);
    let failure = ask(&server, Protocol::ChatCompletions, &ping()).unwrap_err();
    assert!(failure.message.ends_with("it redirects; set base_url to the final URL"), "{}", failure.message);
    assert_eq!(other.connections(), 0);
}

/// Calls the host of the environment, and prints the result on stderr. Does nothing unless another test calls it.
fn model_call_in_a_child_process(base_url: String) {
    let env = |name: &str| match name {
        "OPENAI_BASE_URL" => Some(base_url.clone()),
        "MEMDIR_MODEL" => Some("m".to_owned()),
        _ => None,
    };
    match model::check_model(&ModelQuery { timeout: Some(Duration::from_secs(10)), ..ModelQuery::default() }, &env) {
        Ok(_) => eprintln!("answered"),
        Err(failure) => eprintln!("{}", failure.rejections[0].message),
    }
}

/// The output of a separate process, with this environment beside the address.
fn elsewhere(base_url: &str, env: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "models::a_proxy_of_the_environment_is_used_but_not_for_this_machine", "--nocapture"]);
    let requests = command.env("MEMDIR_TEST_ASK", base_url).envs(env.iter().copied()).output().unwrap();
    String::from_utf8(requests.stderr).unwrap()
}

#[test]
fn a_proxy_of_the_environment_is_used_but_not_for_this_machine() {
    if let Ok(base_url) = std::env::var("MEMDIR_TEST_ASK") {
        return model_call_in_a_child_process(base_url);
    }
    let proxy = Server::script([pong(Protocol::ChatCompletions)]);
    let env = [
        ("HTTP_PROXY", proxy.url()),
        ("http_proxy", proxy.url()),
        ("NO_PROXY", String::new()),
        ("no_proxy", String::new()),
    ];
    let env = env.each_ref().map(|(name, value)| (*name, value.as_str()));
    let printed = elsewhere("http://model.example/v1", &env);
    assert!(printed.contains("answered"), "{printed}");
    assert_eq!(proxy.requests()[0].line, "POST http://model.example/v1/chat/completions");
    let near = Server::script([pong(Protocol::ChatCompletions)]);
    let printed = elsewhere(&near.url(), &env);
    assert!(printed.contains("answered"), "{printed}");
    assert_eq!((near.requests().len(), proxy.requests().len()), (1, 1));
}

#[test]
fn a_host_without_tls_is_reported_as_such() {
    let server = Server::always(ScriptedReply::Garbage);
    let printed = elsewhere(&server.url().replace("http:", "https:"), &[]);
    assert!(printed.contains("cannot be reached: "), "{printed}");
}

#[test]
fn names_are_looked_up() {
    let server = Server::script([pong(Protocol::ChatCompletions)]);
    let named = server.url().replace("127.0.0.1", "localhost");
    let choice = ModelConfig { base_url: named, ..choice(&server, Protocol::ChatCompletions) };
    assert_eq!(llm::open(&choice).unwrap().complete(&ping(), soon()).unwrap().text, "pong");
}

#[test]
fn a_long_question_arrives_whole() {
    let long = "茶 and more ".repeat(200_000);
    let server = Server::script([pong(Protocol::ChatCompletions)]);
    let request = ModelRequest { messages: vec![ChatMessage::User(long.clone())], ..ModelRequest::default() };
    ask(&server, Protocol::ChatCompletions, &request).unwrap();
    assert_eq!(server.requests()[0].body["messages"][0]["content"], long);
}

#[test]
fn a_recording_replays_the_replies() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cassette.jsonl");
    let requests = |server: &Server| {
        let model = open(server, Protocol::ChatCompletions);
        [model.complete(&whole(), soon()).unwrap(), model.complete(&ping(), soon()).unwrap()]
    };
    let upstream =
        Server::script([Answer::chat_calls([("add", json!({"at": "user", "text": "x"}))]), Answer::chat("done")]);
    let first = requests(&Server::recording(&upstream.url(), &file));
    assert_eq!(requests(&Server::replaying(&file)), first);
    assert!(!fs_err::read_to_string(&file).unwrap().contains(KEY));
}

#[test]
fn the_recording_in_the_repository_replays() {
    let server = Server::cassette(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cassettes/ping.jsonl"));
    let reply = ask(&server, Protocol::ChatCompletions, &ping()).unwrap();
    assert!(!reply.text.is_empty() && reply.usage.output > 0, "{reply:?}");
}

#[test]
fn check_model_reports_the_call_and_its_cost() {
    let server = Server::script([pong(Protocol::ChatCompletions)]);
    let env = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &server.url()), ("MEMDIR_MODEL", "tiny")];
    let check = tried(&ModelQuery::default(), &env).unwrap();
    assert_eq!((check.provider.as_str(), check.model.as_str()), ("openai", "tiny"));
    assert_eq!((check.endpoint, check.key.as_deref()), (server.url(), Some("OPENAI_API_KEY")));
    assert_eq!((check.input_tokens, check.output_tokens), (100, 10));

    let server = Server::script([Answer::error(401, &format!("bad key {KEY}"))]);
    let env = [("ANTHROPIC_API_KEY", KEY), ("ANTHROPIC_BASE_URL", &server.url()), ("MEMDIR_MODEL", "claude-x")];
    let refused = tried(&ModelQuery::default(), &env).unwrap_err();
    assert_eq!(
        (refused.code.name(), refused.code.exit(), &refused.details["status"]),
        ("model_refused", 8, &json!(401))
    );
    let all = format!("{refused:?}");
    assert!(all.contains("ANTHROPIC_API_KEY") && all.contains(&server.url()) && !all.contains(KEY), "{all}");
}

#[test]
fn the_only_model_of_a_local_host_need_not_be_named() {
    let list = Answer::json(200, &json!({"object": "list", "data": [{"id": "tiny"}]}));
    let server = Server::script([list, pong(Protocol::ChatCompletions)]);
    let host = server.url();
    let check =
        tried(&ModelQuery { provider: Some("ollama".into()), ..ModelQuery::default() }, &[("OLLAMA_HOST", &host)])
            .unwrap();
    assert_eq!((check.model.as_str(), check.key), ("tiny", None));
    assert_eq!(server.requests()[0].line, "GET /v1/models");
}

#[test]
fn a_key_is_read_from_a_file_or_a_program_too() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs_err::write(file.path(), format!("{KEY}\n")).unwrap();
    for (lines, from) in [
        (format!("key_file: {}", text(file.path())), format!("file {}", text(file.path()))),
        (format!("key_command: [printf, '{KEY}']"), "command printf".to_owned()),
    ] {
        let server = Server::script([pong(Protocol::Messages)]);
        let url = server.url();
        let yaml = format!("model:\n  provider: anthropic\n  name: m\n  base_url: {url}\n  {lines}\n");
        let home = config(&yaml);
        let check = tried(&ModelQuery::default(), &[("XDG_CONFIG_HOME", text(home.path()))]).unwrap();
        assert_eq!((check.key, check.warnings.len()), (Some(from), 0));
        assert_eq!(server.requests()[0].header("x-api-key"), Some(KEY));
    }
}
