//! A client of `memdir mcp`: JSON-RPC lines to its stdin, and what it answers.
//!
//! Never sleeps: it waits for a message, and a server that sends none in a minute fails the test.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Memory, memdir_command};

/// How long a server may take for a message on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The era of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// A session begins with `initialize`.
    Initialize,
    /// Every request carries its metadata.
    Inline,
}

/// A server, and the pipes to it.
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Notifications that were received before an expected answer.
    notifications: RefCell<VecDeque<Value>>,
    /// Answers to other requests that were received before an expected one, by id: a server may answer in any order.
    answers: RefCell<HashMap<u64, Value>>,
    next_id: Cell<u64>,
    era: Era,
}

/// The command `memdir mcp` for a memory.
pub fn server_command(memory: &Memory, options: &[&str]) -> Command {
    let home = memory.dir().parent().unwrap().to_owned();
    let mut command = memdir_command(&home);
    command.arg("mcp").args(options).env("MEMDIR", memory.dir()).env("XDG_CONFIG_HOME", home.join("config"));
    command
}

impl McpClient {
    /// Starts a server and begins a session.
    pub fn start(memory: &Memory, options: &[&str], era: Era) -> McpClient {
        McpClient::spawn(server_command(memory, options), era)
    }

    /// Begins a session with this server.
    pub fn spawn(command: Command, era: Era) -> McpClient {
        let mut client = McpClient::spawn_silent(command, era);
        if era == Era::Initialize {
            let answer = client.request("initialize", initialize_params());
            assert_eq!(answer["result"]["serverInfo"]["name"], "memdir", "{answer}");
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        client
    }

    /// Starts a server and sends nothing.
    pub fn spawn_silent(mut command: Command, era: Era) -> McpClient {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, messages) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.unwrap();
                let message: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        let (notifications, answers, next_id) = (RefCell::default(), RefCell::default(), Cell::new(1));
        McpClient { child, stdin, messages, notifications, answers, next_id, era }
    }

    /// Sends a line as it is.
    pub fn send_line(&mut self, line: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_ref()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string());
    }

    /// Sends a request and returns its id.
    pub fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next_id.replace(self.next_id.get() + 1);
        if self.era == Era::Inline {
            let meta = params.as_object_mut().unwrap().entry("_meta").or_insert(json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "mallory", "version": "1"});
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message.
    #[track_caller]
    pub fn receive(&self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("the server sends a message")
    }

    /// The answer to a request. Notifications and answers to other requests are kept.
    #[track_caller]
    pub fn answer(&self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.answers.borrow_mut().remove(&id) {
                return answer;
            }
            let message = self.receive();
            let Some(found) = message.get("id") else {
                self.notifications.borrow_mut().push_back(message);
                continue;
            };
            let sent = found.as_u64().filter(|found| *found == id || *found < self.next_id.get());
            let sent = sent.unwrap_or_else(|| panic!("the answer to no request: {message}"));
            assert!(self.answers.borrow_mut().insert(sent, message).is_none(), "{sent} is answered twice");
        }
    }

    /// The next notification of this method.
    #[track_caller]
    pub fn notification(&self, method: &str) -> Value {
        loop {
            let kept = self.notifications.borrow_mut().pop_front();
            let message = kept.unwrap_or_else(|| self.receive());
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// The result of a tool that must succeed.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"].clone()
    }

    /// The error of a tool that must fail.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(answer["result"].get("structuredContent"), None, "{answer}");
        serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap()
    }

    /// Closes stdin: the server must end by itself, without a word on stderr.
    #[track_caller]
    pub fn close(mut self) {
        assert_eq!(self.answers.take(), HashMap::new(), "answers that nobody waited for");
        drop(self.stdin.take());
        self.ended();
    }

    /// Closes stdin while a subscription is open: its final result may come, and the server must end.
    #[track_caller]
    pub fn close_with_open_listener(self, id: u64) {
        let listener = json!(id);
        let last: Vec<Value> =
            self.messages.try_iter().filter(|m| m.get("id").is_some_and(|id| *id != listener)).collect();
        assert_eq!(last, Vec::<Value>::new());
        self.close();
    }

    /// Sends a signal: the server must end.
    #[track_caller]
    pub fn terminate(mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.ended();
    }

    #[track_caller]
    fn ended(&mut self) {
        let status = self.child.wait().unwrap();
        let mut stderr = String::new();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut stderr).unwrap();
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a client of the first era says about itself. The server must not use it.
pub fn initialize_params() -> Value {
    json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "mallory", "version": "1"},
    })
}
