//! Messages of JSON-RPC as lines of a stream: reads, writes and checks them.
//!
//! Never answers what needs no answer: a notification, or what is an answer itself. Two programs that answered each
//! other's errors would never stop.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;

use rmcp::RoleServer;
use rmcp::model::ErrorCode;
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use crate::text::surrogates::mended;

/// A longer line, in bytes, is not kept: a client that never ends a line must not fill the memory of the machine.
const MAX_LINE_BYTES: usize = 16 << 20;

/// What a line is.
pub enum MessageLine {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A batch: what its elements are, at least one.
    Batch(Vec<MessageLine>),
    /// It is no message; the line to answer.
    Wrong(String),
    /// It is empty, or no message that is to be answered.
    Ignored,
}

/// Reads lines from a stream.
pub struct MessageLines<R> {
    stream: BufReader<R>,
    line: Vec<u8>,
    /// The line has been too long, and its end was not seen.
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> MessageLines<R> {
    pub fn new(stream: R) -> MessageLines<R> {
        MessageLines { stream: BufReader::new(stream), line: Vec::new(), is_too_long: false }
    }

    /// The next line; `None` at the end of the stream. What stands after the last line break counts as a line if it is
    /// JSON as a whole, and is ignored otherwise: a client that died left it. Nothing is lost if this future is dropped:
    /// what was read stays here.
    ///
    /// # Errors
    /// Those of the stream.
    pub async fn next(&mut self) -> io::Result<Option<MessageLine>> {
        loop {
            let read = self.stream.fill_buf().await?;
            if read.is_empty() {
                let line = std::mem::take(&mut self.line);
                let is_whole = !self.is_too_long && serde_json::from_slice::<serde::de::IgnoredAny>(&line).is_ok();
                return Ok(is_whole.then(|| read_line(&line)));
            }
            let end = memchr::memchr(b'\n', read);
            let taken = end.map_or(read.len(), |end| end + 1);
            self.is_too_long |= self.line.len() + taken > MAX_LINE_BYTES;
            if self.is_too_long {
                self.line = Vec::new()
            } else {
                self.line.extend_from_slice(&read[..taken])
            }
            self.stream.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return Ok(Some(if std::mem::take(&mut self.is_too_long) {
                    MessageLine::Wrong(error_line(
                        ErrorCode::INVALID_REQUEST,
                        "Invalid request: the line is longer than 16 MiB",
                        &Value::Null,
                    ))
                } else {
                    read_line(&line)
                }));
            }
        }
    }
}

/// What a line is (JSON-RPC 2.0, sections 4 and 5).
fn read_line(line: &[u8]) -> MessageLine {
    // RFC 8259, section 8.1: a byte order mark may be ignored.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return MessageLine::Ignored;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return MessageLine::Message(Box::new(message));
    }
    // A text that JavaScript cut within an emoji is JSON (RFC 8259, section 8.2), and its request has an id to answer.
    if let Cow::Owned(mended) = mended(line) {
        return read_line(&mended);
    }
    let value = match serde_json::from_slice::<Value>(line) {
        Ok(value) => value,
        Err(error) => {
            return MessageLine::Wrong(error_line(
                ErrorCode::PARSE_ERROR,
                &format!("Parse error: {error}"),
                &Value::Null,
            ));
        }
    };
    match value {
        Value::Array(elements) if !elements.is_empty() => {
            MessageLine::Batch(elements.into_iter().map(read_element).collect())
        }
        value => not_a_message(&value),
    }
}

/// What an element of a batch is. The request that begins a session cannot be one (MCP 2025-03-26, "Lifecycle").
fn read_element(element: Value) -> MessageLine {
    if element["method"] == "initialize" {
        return not_a_message(&element);
    }
    match serde_json::from_value(element.clone()) {
        Ok(message) => MessageLine::Message(Box::new(message)),
        Err(_) => not_a_message(&element),
    }
}

/// The line of a batch in a version of the protocol that has none.
pub fn refused_batch() -> String {
    error_line(ErrorCode::INVALID_REQUEST, "Invalid request: this version of MCP has no batches", &Value::Null)
}

/// The error of JSON that is no message, unless it needs no answer.
fn not_a_message(value: &Value) -> MessageLine {
    let is_notification = value["method"].is_string() && value.get("id").is_none();
    let is_answer = value.get("method").is_none() && (value.get("result").is_some() || value.get("error").is_some());
    if is_notification || is_answer {
        return MessageLine::Ignored;
    }
    let id = value.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64());
    MessageLine::Wrong(error_line(ErrorCode::INVALID_REQUEST, "Invalid request", id.unwrap_or(&Value::Null)))
}

/// The line of an error. JSON-RPC 2.0, section 5: the id is null if that of the request could not be read. `rmcp` would
/// leave it out.
pub fn error_line(code: ErrorCode, message: &str, id: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}}).to_string()
}

/// Writes lines to a stream.
pub struct LineWriter<W> {
    stream: W,
    unwritten: VecDeque<u8>,
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    pub fn new(stream: W) -> LineWriter<W> {
        LineWriter { stream, unwritten: VecDeque::new() }
    }

    /// Adds a line to what is to be written.
    pub fn push(&mut self, line: &[u8]) {
        self.unwritten.extend(line);
        self.unwritten.push_back(b'\n');
    }

    /// Writes what was added. If this future is dropped, the next one goes on where it was: no line is torn.
    ///
    /// # Errors
    /// Those of the stream.
    pub async fn write(&mut self) -> io::Result<()> {
        while !self.unwritten.is_empty() {
            if self.stream.write_buf(&mut self.unwritten).await? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        self.stream.flush().await
    }
}
