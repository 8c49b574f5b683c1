//! A model host on loopback that replies from a script, in both protocols, with every fault a host can
//! have; and records its requests.
//!
//! Every request is held against the vendor's published schema (`fixtures/schemas/`): one that does not fit fails the
//! test that sent it. Never sleeps: a host that hangs waits until the client has closed the connection.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use memdir::llm::hosted::{HttpRequest, Transport};
use memdir::llm::http::HttpTransport;
use serde_json::{Value, json};

/// What the host does with one request.
#[derive(Clone, Debug)]
pub enum ScriptedReply {
    /// Answers.
    Answer(Answer),
    /// Reads the request and does not reply.
    Hang,
    /// Sends the head of an answer, half of its body, and no more.
    HangMidBody(Answer),
    /// Sends the body byte by byte, at this pace.
    Drip(Answer, Duration),
    /// Closes without a word.
    Close,
    /// Sends the head and half of the body, and closes.
    CloseMidBody(Answer),
    /// Sends bytes that are no HTTP.
    Garbage,
    /// Sends a body without end.
    Endless,
    /// Forwards the request to another host, records both, and returns that host's reply.
    Forward(Tape),
    /// Answers a request for embeddings with a vector for each text.
    Vectors(fn(&str) -> Vec<f64>),
}

/// The upstream of requests, and the file that records them: one line each, `{"line", "asked", "status", "answered"}`.
#[derive(Clone, Debug)]
pub struct Tape {
    upstream: String,
    file: PathBuf,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    chunked: bool,
}

impl Answer {
    /// A status and a JSON body.
    pub fn json(status: u16, body: &Value) -> Answer {
        Answer::raw(status, "application/json", body.to_string())
    }

    /// A status and any body.
    pub fn raw(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status, headers: vec![("content-type".into(), kind.into())], body: body.into(), chunked: false }
    }

    /// An answer of chat completions, in words.
    pub fn chat(text: &str) -> Answer {
        Answer::choice(&json!({"role": "assistant", "content": text}), "stop")
    }

    /// An answer of chat completions that calls tools.
    pub fn chat_calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Answer {
        let call = |(n, (name, arguments)): (usize, (&str, Value))| {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            json!({"id": format!("call_{n}"), "type": "function", "function": function})
        };
        let calls: Vec<Value> = calls.into_iter().enumerate().map(call).collect();
        Answer::choice(&json!({"role": "assistant", "content": null, "tool_calls": calls}), "tool_calls")
    }

    /// An answer of chat completions with this message.
    pub fn choice(message: &Value, finish: &str) -> Answer {
        let choice = json!({"index": 0, "message": message, "finish_reason": finish, "logprobs": null});
        let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
        let head = json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m"});
        let mut body = head;
        body["choices"] = json!([choice]);
        body["usage"] = usage;
        Answer::json(200, &body)
    }

    /// An answer of messages with these blocks.
    pub fn message(content: &Value, stop: &str) -> Answer {
        let usage = json!({"input_tokens": 100, "output_tokens": 10});
        Answer::json(
            200,
            &json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
                    "stop_reason": stop, "stop_sequence": null, "usage": usage}),
        )
    }

    /// An error in OpenAI's format.
    pub fn error(status: u16, message: &str) -> Answer {
        Answer::json(status, &json!({"error": {"message": message, "type": "x", "param": null, "code": null}}))
    }

    /// With a header.
    pub fn header(mut self, name: &str, value: &str) -> Answer {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// In chunks.
    pub fn chunked(mut self) -> Answer {
        self.chunked = true;
        self
    }

    fn head(&self) -> String {
        let mut head = format!("HTTP/1.1 {} Said\r\n", self.status);
        self.headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        head + &if self.chunked {
            "transfer-encoding: chunked\r\n\r\n".to_owned()
        } else {
            format!("content-length: {}\r\n\r\n", self.body.len())
        }
    }

    /// The body as it travels.
    fn travelling(&self) -> Vec<u8> {
        if !self.chunked {
            return self.body.clone();
        }
        let mut out = Vec::new();
        for piece in self.body.chunks(7) {
            out.extend(format!("{:x}\r\n", piece.len()).into_bytes());
            out.extend(piece);
            out.extend(b"\r\n");
        }
        out.extend(b"0\r\n\r\n");
        out
    }
}

impl From<Answer> for ScriptedReply {
    fn from(answer: Answer) -> ScriptedReply {
        ScriptedReply::Answer(answer)
    }
}

/// One request as received.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// `POST /v1/chat/completions`.
    pub line: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null where there is none.
    pub body: Value,
}

impl ReceivedRequest {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// What the host's threads share.
struct Shared {
    script: Mutex<VecDeque<ScriptedReply>>,
    requests: Mutex<Vec<ReceivedRequest>>,
    flaws: Mutex<Vec<String>>,
    connections: AtomicUsize,
    over: AtomicBool,
    /// The reply after the end of the script, instead of nothing.
    always: Option<ScriptedReply>,
}

/// A host on loopback. When it is dropped, every request must have been valid and every reply wanted.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// A host with these replies, one a request; the test fails if there are more requests.
    pub fn script<S: Into<ScriptedReply>>(script: impl IntoIterator<Item = S>) -> Server {
        Server::start(script.into_iter().map(Into::into).collect(), None)
    }

    /// A host with one reply to every request.
    pub fn always(say: impl Into<ScriptedReply>) -> Server {
        Server::start(VecDeque::new(), Some(say.into()))
    }

    /// A host that replays another one's replies, in order. With `MEMDIR_TEST_UPSTREAM=http://HOST:PORT` in the
    /// environment of the tests, requests go to that host instead, and the file is written anew.
    pub fn cassette(file: &Path) -> Server {
        match std::env::var("MEMDIR_TEST_UPSTREAM") {
            Ok(upstream) => Server::recording(&upstream, file),
            Err(_) => Server::replaying(file),
        }
    }

    /// A host that forwards to another one and records its replies.
    pub fn recording(upstream: &str, file: &Path) -> Server {
        fs_err::write(file, "").unwrap();
        Server::always(ScriptedReply::Forward(Tape { upstream: upstream.into(), file: file.into() }))
    }

    /// A host that replays a recording.
    pub fn replaying(file: &Path) -> Server {
        let text = fs_err::read_to_string(file).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let status = |line: &Value| u16::try_from(line["status"].as_u64().unwrap()).unwrap();
        Server::script(lines.map(|line| Answer::json(status(&line), &line["answered"])).collect::<Vec<_>>())
    }

    fn start(script: VecDeque<ScriptedReply>, always: Option<ScriptedReply>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            script: Mutex::new(script),
            requests: Mutex::default(),
            flaws: Mutex::default(),
            connections: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            always,
        });
        let listening = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if listening.over.load(Ordering::SeqCst) {
                    return;
                }
                listening.connections.fetch_add(1, Ordering::SeqCst);
                let shared = Arc::clone(&listening);
                std::thread::spawn(move || drop(shared.serve(stream)));
            }
        });
        Server { address, shared }
    }

    /// Where it listens: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The reply to the next request, before any other.
    pub fn reply_next(&self, say: ScriptedReply) {
        self.shared.script.lock().unwrap().push_front(say);
    }

    /// Drops the replies that no request has taken.
    pub fn clear_script(&self) {
        self.shared.script.lock().unwrap().clear();
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.address));
        if std::thread::panicking() {
            return;
        }
        let flaws = self.shared.flaws.lock().unwrap();
        assert!(flaws.is_empty(), "requests that are not valid:\n{}", flaws.join("\n"));
        let left = self.shared.script.lock().unwrap().len();
        assert_eq!(left, 0, "replies that nobody asked for");
    }
}

impl Shared {
    /// Serves one connection for as long as it is open.
    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream;
        while let Some((requests, flaw)) = receive(&mut reader)? {
            let flaw = flaw.or_else(|| flawed(&requests));
            let mut flaws = self.flaws.lock().unwrap();
            flaws.extend(flaw.map(|flaw| format!("{}: {flaw}\n{:#}", requests.line, requests.body)));
            self.requests.lock().unwrap().push(requests.clone());
            let say = self.script.lock().unwrap().pop_front().or_else(|| self.always.clone());
            let Some(say) = say else {
                flaws.push(format!("{}: asked more often than the script says", requests.line));
                return Ok(());
            };
            drop(flaws);
            let say = match say {
                ScriptedReply::Forward(tape) => forward(&tape, &requests).into(),
                ScriptedReply::Vectors(vector_of) => vectors(&requests, vector_of).into(),
                say => say,
            };
            if !speak(&mut stream, say)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Performs one step of the script; returns whether the connection stays open.
fn speak(stream: &mut TcpStream, say: ScriptedReply) -> std::io::Result<bool> {
    let half = |answer: &Answer| {
        let body = answer.travelling();
        [answer.head().into_bytes(), body[..body.len() / 2].to_vec()].concat()
    };
    match say {
        ScriptedReply::Answer(answer) => {
            stream.write_all(&[answer.head().into_bytes(), answer.travelling()].concat())?;
            return Ok(true);
        }
        ScriptedReply::Hang => {
            gone(stream, None);
        }
        ScriptedReply::HangMidBody(answer) => {
            stream.write_all(&half(&answer))?;
            gone(stream, None);
        }
        ScriptedReply::Drip(answer, pace) => {
            stream.write_all(answer.head().as_bytes())?;
            for byte in answer.travelling() {
                stream.write_all(&[byte])?;
                if gone(stream, Some(pace)) {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        ScriptedReply::Close | ScriptedReply::Forward(_) | ScriptedReply::Vectors(_) => {}
        ScriptedReply::CloseMidBody(answer) => stream.write_all(&half(&answer))?,
        ScriptedReply::Garbage => stream.write_all(b"\x16\x03\x01 nobody speaks like this\r\n\r\n\0\0\xff")?,
        ScriptedReply::Endless => {
            stream.write_all(b"HTTP/1.1 200 Said\r\ntransfer-encoding: chunked\r\n\r\n")?;
            let piece = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
            while stream.write_all(&piece).is_ok() {}
        }
    }
    Ok(false)
}

/// The answer of a host of embeddings, in another order than the texts.
fn vectors(requests: &ReceivedRequest, vector_of: fn(&str) -> Vec<f64>) -> Answer {
    let texts = requests.body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let row = |(n, text)| json!({"object": "embedding", "index": n, "embedding": vector_of(text)});
    let rows: Vec<Value> = texts.enumerate().map(row).rev().collect();
    let usage = json!({"prompt_tokens": 1, "total_tokens": 1});
    Answer::json(200, &json!({"object": "list", "data": rows, "model": "m", "usage": usage}))
}

/// What another host answers to the same question; both are written down, the key is not.
fn forward(tape: &Tape, requests: &ReceivedRequest) -> Answer {
    let path = requests.line.split(' ').nth(1).unwrap_or_default();
    let url = format!("{}{path}", tape.upstream);
    let passed = |name: &&'static str| requests.header(name).map(|value| (*name, value.to_owned()));
    let headers: Vec<_> = ["authorization", "x-api-key", "anthropic-version"].iter().filter_map(passed).collect();
    let body = requests.body.to_string();
    let body = (!requests.body.is_null()).then_some(body.as_bytes());
    let outgoing = HttpRequest { url: &url, headers: &headers, body, timeout: Duration::from_secs(300) };
    let Ok(incoming) = HttpTransport.send(&outgoing) else {
        return Answer::error(502, "the other host does not answer");
    };
    let answered: Value = serde_json::from_slice(&incoming.body).unwrap_or_default();
    let line = json!({"line": requests.line, "asked": requests.body, "status": incoming.status, "answered": answered});
    let mut file = fs_err::OpenOptions::new().append(true).open(&tape.file).unwrap();
    writeln!(file, "{line}").unwrap();
    Answer::json(incoming.status, &answered)
}

/// Waits until the other side has gone, or for so long; whether it has gone.
fn gone(stream: &mut TcpStream, pace: Option<Duration>) -> bool {
    let _ = stream.set_read_timeout(pace);
    let read = stream.read(&mut [0; 1]);
    let _ = stream.set_read_timeout(None);
    !matches!(read, Err(e) if matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut))
}

/// One request, and what is wrong with its form.
fn receive(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<(ReceivedRequest, Option<String>)>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, n)| n.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let read = if body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&body) };
    let flaw = read.as_ref().err().map(|e| format!("invalid JSON: {e}"));
    Ok(Some((ReceivedRequest { line, headers, body: read.unwrap_or_default() }, flaw)))
}

/// What is wrong with a request, by the vendor's schema and headers.
fn flawed(requests: &ReceivedRequest) -> Option<String> {
    let schema = match requests.line.as_str() {
        line if line.starts_with("GET ") && line.ends_with("/models") => return None,
        line if line.starts_with("POST ") && line.ends_with("/chat/completions") => "openai-chat.json",
        line if line.starts_with("POST ") && line.ends_with("/embeddings") => "openai-embeddings.json",
        line if line.starts_with("POST ") && line.ends_with("/messages") => "anthropic-messages.json",
        _ => return Some("no such path".into()),
    };
    if requests.header("content-type") != Some("application/json") {
        return Some("it does not say that it is JSON".into());
    }
    if schema == "anthropic-messages.json" && requests.header("anthropic-version").is_none() {
        return Some("anthropic-version is missing".into());
    }
    if requests.header("content-length").is_none() {
        return Some("its length is not known".into());
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schemas").join(schema);
    let published: Value = serde_json::from_str(&fs_err::read_to_string(file).unwrap()).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource(schema, published).unwrap();
    let index = compiler.compile(schema, &mut schemas).unwrap();
    let mut body = requests.body.clone();
    // llama.cpp's servers extend the format by a schema; no other host is sent one before it has rejected `json_schema`.
    if let Some(format) = body.get_mut("response_format").and_then(Value::as_object_mut)
        && format["type"] == "json_object"
    {
        format.remove("schema");
    }
    schemas.validate(&body, index).err().map(|e| format!("{e:#}"))
}

#[test]
fn a_request_that_does_not_fit_the_schema_fails_its_test() {
    let post = |path: &str, body: &Value| {
        let server = Server::always(Answer::chat("pong"));
        let version = ("anthropic-version", "2023-06-01".to_owned());
        let (url, body) = (server.url() + path, body.to_string());
        let within = Duration::from_secs(20);
        HttpTransport
            .send(&HttpRequest { url: &url, headers: &[version], body: Some(body.as_bytes()), timeout: within })
            .unwrap();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(server))).is_ok()
    };
    let message = json!([{"role": "user", "content": "ping"}]);
    assert!(post("/v1/chat/completions", &json!({"model": "m", "messages": message})));
    assert!(post("/v1/messages", &json!({"model": "m", "messages": message, "max_tokens": 9})));
    assert!(!post("/v1/chat/completions", &json!({"model": "m", "messages": message, "max_token": 9})));
    assert!(!post("/v1/chat/completions", &json!({"model": "m", "messages": [{"role": "user"}]})));
    assert!(!post("/v1/messages", &json!({"model": "m", "messages": message})));
    assert!(!post("/v1/elsewhere", &json!({"model": "m", "messages": message})));
}
