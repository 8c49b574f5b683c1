//! The transport: one JSON-RPC message a line on stdin and stdout.
//!
//! Never ends a session because of what a client sends: what is no request is skipped until the first request.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};

use super::requests::SharedState;

/// stdin and stdout.
pub struct StdioTransport {
    lines: AsyncRwTransport<RoleServer, StdioReader, StdioWriter>,
    state: Arc<SharedState>,
    has_started: bool,
}

impl StdioTransport {
    /// Opens the transport. The end of stdin closes the state, which ends what waits for changes.
    pub fn open(state: &Arc<SharedState>) -> StdioTransport {
        let (stdin, stdout) = stdio_pipes();
        let lines = AsyncRwTransport::new_server(stdin, stdout);
        StdioTransport { lines, state: state.clone(), has_started: false }
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
            _ => None,
        };
        let (sent, state) = (self.lines.send(message), self.state.clone());
        async move {
            sent.await?;
            if let Some(request) = answered {
                state.answer_sent(&request);
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.lines.receive().await;
            match &message {
                None => self.state.close(),
                // A notification or response before the first request would end the session.
                Some(other) if !self.has_started && !matches!(other, JsonRpcMessage::Request(_)) => continue,
                Some(_) => self.has_started = true,
            }
            return message;
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.lines.close().await
    }
}
