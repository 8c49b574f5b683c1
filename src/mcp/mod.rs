//! `memdir mcp`: an MCP server on stdin and stdout, for agents whose host calls tools.
//!
//! Never has rules of its own: it translates a request, calls one method of `Memory`, and translates the result.

mod arguments;
mod batches;
mod graph_tools;
mod memory_tools;
mod message_lines;
mod progress;
mod requests;
mod resources;
mod seed_tools;
mod stdio;
mod tool_result;
mod tools;
mod watcher;

use std::sync::Arc;

use rmcp::service::ServerInitializeError;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::code::{Code, Rejection};
use crate::memory::OpenOptions;
use requests::{RequestHandler, SharedState};

/// Threads that may run commands at the same time. A command reads with two threads of its own.
const COMMAND_THREADS: usize = 4;

/// What the command line decides about a server. Nothing that a client sends changes it.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The memory, and the caller.
    pub memory: OpenOptions,
    /// Whether the caller's name was given, not guessed. Only such callers have a mark of what they have seen.
    pub is_named: bool,
    pub tools: ToolSet,
    pub access: ServerAccess,
}

/// The tools that a server offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSet {
    /// Six tools for all that an agent does with a memory.
    Memory,
    /// Five tools for whole files: read, write, patch, append and list.
    Seed,
    /// Nine tools for a knowledge graph.
    Graph,
}

/// What a client may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerAccess {
    ReadAndChange,
    ReadOnly,
    /// The server has no tools and no resources.
    Nothing,
}

/// Serves one client until it closes stdin, or until SIGTERM or SIGINT. A change that was begun is finished.
///
/// # Errors
/// `io` if the session cannot start.
pub fn serve(options: ServerOptions) -> Result<(), Rejection> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().max_blocking_threads(COMMAND_THREADS).build().map_err(|e| cannot_start(&e))?;
    let result = runtime.block_on(serve_client(Arc::new(SharedState::new(options))));
    // A read of stdin cannot be interrupted where stdin is no pipe: nothing may wait for it.
    runtime.shutdown_background();
    result
}

async fn serve_client(state: Arc<SharedState>) -> Result<(), Rejection> {
    let listen = |kind| signal(kind).map_err(|e| cannot_start(&e));
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    let transport = stdio::StdioTransport::open(&state);
    let session = tokio::select! {
        session = rmcp::serve_server(RequestHandler { state: state.clone() }, transport) => match session {
            Ok(session) => session,
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
            // Its own text would show the message as Rust does.
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => return Err(cannot_start(&"the first request is not `initialize`")),
            Err(error) => return Err(cannot_start(&error)),
        },
        () = ended(&mut terminate, &mut interrupt) => return Ok(()),
    };
    let cancellation = session.cancellation_token();
    let mut session = std::pin::pin!(session.waiting());
    tokio::select! {
        _ = &mut session => {}
        () = ended(&mut terminate, &mut interrupt) => {
            state.close();
            cancellation.cancel();
            let _ = session.await;
        }
    }
    drop(state.changes.lock().await);
    state.save_reader_mark().await;
    Ok(())
}

async fn ended(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

fn cannot_start(reason: &dyn std::fmt::Display) -> Rejection {
    Rejection::new(Code::Io, format!("the MCP session cannot start: {reason}"))
}
