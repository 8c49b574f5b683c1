//! The transport: one JSON-RPC message a line on stdin and stdout.
//!
//! Never ends a session because of what a client sends: a line that is no message is answered with an error, and what
//! is no request is skipped until the one that begins it. Never ends one before what was sent is answered: `rmcp` waits
//! for 5 seconds, in which a slow disk makes few changes.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, GetMeta, JsonRpcMessage, JsonRpcRequest, ProtocolVersion, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use tokio::sync::{Mutex, watch};

use super::batches::{BatchAnswer, OpenBatches};
use super::message_lines::{LineWriter, MessageLine, MessageLines, error_line, refused_batch};
use super::requests::{SharedState, unread_request};

/// After the end of stdin, a request that is not answered in this time after the last answer stays unanswered.
const LAST_ANSWER_WAIT: Duration = Duration::from_secs(60);

/// The connection to a client over stdin and stdout, one message a line.
pub struct StdioTransport {
    input: MessageLines<StdioReader>,
    /// `None` once the session has ended.
    output: Arc<Mutex<Option<LineWriter<StdioWriter>>>>,
    /// The error of a line that was read, and whether it is among what is to be written.
    error: Option<(String, bool)>,
    state: Arc<SharedState>,
    has_started: bool,
    unanswered: Arc<watch::Sender<Vec<RequestId>>>,
    /// Whether the version of the protocol that the client began with has batches.
    has_batches: bool,
    /// Messages of a batch that was read, in its order.
    queued: VecDeque<RxJsonRpcMessage<RoleServer>>,
    batches: Arc<OpenBatches>,
}

impl StdioTransport {
    /// Opens the transport. The end of stdin closes the state, which ends what waits for changes.
    pub fn open(state: &Arc<SharedState>) -> StdioTransport {
        let (stdin, stdout) = stdio_pipes();
        StdioTransport {
            input: MessageLines::new(stdin),
            output: Arc::new(Mutex::new(Some(LineWriter::new(stdout)))),
            error: None,
            state: state.clone(),
            has_started: false,
            unanswered: Arc::default(),
            has_batches: false,
            queued: VecDeque::new(),
            batches: Arc::default(),
        }
    }

    /// Queues the messages of a batch.
    fn read_batch(&mut self, elements: Vec<MessageLine>) {
        if !self.has_batches {
            self.error = Some((refused_batch(), false));
            return;
        }
        let (mut requests, mut errors) = (Vec::new(), Vec::new());
        for element in elements {
            match element {
                MessageLine::Message(message) => {
                    if let JsonRpcMessage::Request(request) = &*message {
                        requests.push(request.id.clone());
                    }
                    self.queued.push_back(*message);
                }
                MessageLine::Wrong(error) => errors.extend(serde_json::from_str::<serde_json::Value>(&error)),
                MessageLine::Batch(_) | MessageLine::Ignored => {}
            }
        }
        self.error = self.batches.open(requests, errors).map(|line| (line, false));
    }

    /// The next message; `None` at the end of stdin. May be dropped at any time: what was begun is in the transport.
    async fn next_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some((line, is_pushed)) = &mut self.error {
                if let Some(output) = self.output.lock().await.as_mut() {
                    if !*is_pushed {
                        output.push(line.as_bytes());
                        *is_pushed = true;
                    }
                    // A client that is gone closes stdin, too.
                    drop(output.write().await);
                }
                self.error = None;
            }
            if let Some(message) = self.queued.pop_front() {
                return Some(message);
            }
            match self.input.next().await {
                Ok(Some(MessageLine::Message(message))) => return Some(*message),
                Ok(Some(MessageLine::Batch(elements))) => self.read_batch(elements),
                Ok(Some(MessageLine::Wrong(error))) => self.error = Some((error, false)),
                Ok(Some(MessageLine::Ignored)) => {}
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let is_response = matches!(message, JsonRpcMessage::Response(_));
        let (output, state, unanswered) = (self.output.clone(), self.state.clone(), self.unanswered.clone());
        let batches = self.batches.clone();
        async move {
            let sent = send_message(&output, &batches, answered.as_ref(), &message).await;
            if let Some(request) = answered {
                unanswered.send_modify(|all| all.retain(|other| *other != request));
                if is_response && sent.is_ok() {
                    state.answer_sent(&request);
                }
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.next_message().await;
            match &message {
                None => {
                    self.state.close();
                    let mut unanswered = self.unanswered.subscribe();
                    let all_answered = unanswered.wait_for(Vec::is_empty);
                    drop(tokio::time::timeout(LAST_ANSWER_WAIT, all_answered).await);
                }
                // `rmcp` takes it for any request before the first, and does not say what is wrong with it.
                Some(JsonRpcMessage::Request(JsonRpcRequest {
                    request: ClientRequest::CustomRequest(unread),
                    id,
                    ..
                })) if unread.method == "initialize" => {
                    let error = unread_request(unread.clone());
                    let id = serde_json::to_value(id).unwrap_or_default();
                    self.error = Some((error_line(error.code, &error.message, &id), false));
                    continue;
                }
                Some(JsonRpcMessage::Request(request)) => {
                    self.has_started |= begins_session(&request.request);
                    if let ClientRequest::InitializeRequest(begun) = &request.request {
                        self.has_batches = begun.params.protocol_version == ProtocolVersion::V_2025_03_26;
                    }
                    self.unanswered.send_modify(|all| all.push(request.id.clone()));
                }
                // A notification or response before the request that begins the session would end it.
                Some(_) if !self.has_started => continue,
                // A cancelled request gets no answer.
                Some(JsonRpcMessage::Notification(sent)) => {
                    if let ClientNotification::CancelledNotification(cancelled) = &sent.notification {
                        self.unanswered
                            .send_modify(|all| all.retain(|id| Some(id) != cancelled.params.request_id.as_ref()));
                        let line = cancelled.params.request_id.as_ref().and_then(|id| self.batches.cancel(id));
                        self.error = line.map(|line| (line, false));
                    }
                }
                Some(_) => {}
            }
            return message;
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}

/// Whether `rmcp` begins the session with this request, if it is the first such one.
fn begins_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty(),
    }
}

/// Writes a message; an answer to a request of a batch only with the last one of that batch.
async fn send_message(
    output: &Mutex<Option<LineWriter<StdioWriter>>>,
    batches: &OpenBatches,
    answered: Option<&RequestId>,
    message: &TxJsonRpcMessage<RoleServer>,
) -> Result<(), io::Error> {
    let in_batch = match answered {
        Some(request) => batches.answer(request, serde_json::to_value(message)?),
        None => BatchAnswer::Single,
    };
    let line = match in_batch {
        BatchAnswer::Single => serde_json::to_vec(message)?,
        BatchAnswer::Kept => return Ok(()),
        BatchAnswer::Complete(line) => line.into_bytes(),
    };
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    output.push(&line);
    output.write().await
}
