//! The transport: one JSON-RPC message a line on stdin and stdout.
//!
//! Never ends a session because of what a client sends: what is no request is skipped until the first request. Never
//! ends one before what was sent is answered: `rmcp` waits for 5 seconds, in which a slow disk makes few changes.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use tokio::sync::watch;

use super::requests::SharedState;

/// After the end of stdin, a request that is not answered in this time after the last answer stays unanswered.
const LAST_ANSWER_WAIT: Duration = Duration::from_secs(60);

/// The connection to a client over stdin and stdout, one message a line.
pub struct StdioTransport {
    lines: AsyncRwTransport<RoleServer, StdioReader, StdioWriter>,
    state: Arc<SharedState>,
    has_started: bool,
    unanswered: Arc<watch::Sender<Vec<RequestId>>>,
}

impl StdioTransport {
    /// Opens the transport. The end of stdin closes the state, which ends what waits for changes.
    pub fn open(state: &Arc<SharedState>) -> StdioTransport {
        let (stdin, stdout) = stdio_pipes();
        let lines = AsyncRwTransport::new_server(stdin, stdout);
        StdioTransport { lines, state: state.clone(), has_started: false, unanswered: Arc::default() }
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
        let (sent, state, unanswered) = (self.lines.send(message), self.state.clone(), self.unanswered.clone());
        async move {
            let sent = sent.await;
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
            let message = self.lines.receive().await;
            match &message {
                None => {
                    self.state.close();
                    let mut unanswered = self.unanswered.subscribe();
                    let all_answered = unanswered.wait_for(Vec::is_empty);
                    drop(tokio::time::timeout(LAST_ANSWER_WAIT, all_answered).await);
                }
                Some(JsonRpcMessage::Request(request)) => {
                    self.has_started = true;
                    self.unanswered.send_modify(|all| all.push(request.id.clone()));
                }
                // A notification or response before the first request would end the session.
                Some(_) if !self.has_started => continue,
                // A cancelled request gets no answer.
                Some(JsonRpcMessage::Notification(sent)) => {
                    if let ClientNotification::CancelledNotification(cancelled) = &sent.notification {
                        self.unanswered
                            .send_modify(|all| all.retain(|id| Some(id) != cancelled.params.request_id.as_ref()));
                    }
                }
                Some(_) => {}
            }
            return message;
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.lines.close().await
    }
}
