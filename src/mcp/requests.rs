//! The requests of a client: each is translated, run on a thread for blocking work, and translated back.
//!
//! Never calls the library on the thread that reads requests, and never takes the caller's name from a client.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    Implementation, InitializeRequestParams, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, RequestId, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use super::tool_result::error_result;
use super::tools::{ToolRequest, ToolSpec};
use super::watcher::{NotificationTarget, SharedWatchList, WatchList, watch};
use super::{ServerAccess, ServerOptions, ToolSet, progress, resources};
use crate::code::{Code, Rejection};
use crate::commands::{Error, ProgressNotes, ReaderMark};
use crate::memory::Memory;

/// What a request gets if the server does nothing.
const SWITCHED_OFF: &str = "memdir is switched off (MEMDIR_MODE=off)";

/// What a client's model is to know before it calls a tool.
const fn instructions(tools: ToolSet) -> &'static str {
    match tools {
        ToolSet::Memory => {
            "Long-term memory as markdown files. Call memory_context when a session starts; memory_query when something \
             may be known; memory_change for lasting facts; memory_append for what happened."
        }
        ToolSet::Seed => {
            "Long-term memory as markdown files. Call memory_list when a task starts, and memory_read for the files \
             that it needs."
        }
        ToolSet::Graph => {
            "Long-term memory as a knowledge graph. Call search_nodes or read_graph when a task starts, and add what you \
             learn."
        }
    }
}

/// What all requests of a session share.
pub struct SharedState {
    options: ServerOptions,
    /// Opened by the first request that needs it: a server may start before the memory exists.
    memory: OnceLock<Memory>,
    /// Held by a change from its request to its answer: the changes of one client are made in the order in which they
    /// were sent.
    pub changes: Arc<tokio::sync::Mutex<()>>,
    /// A change was made through this server.
    changed: Notify,
    is_closed: watch::Sender<bool>,
    /// What a client watches that began with `initialize`.
    watched: SharedWatchList,
    has_watcher: AtomicBool,
    reader_mark: Mutex<Option<UnsavedMark>>,
    /// The warnings about policy and user config that the client was shown last.
    shown_warnings: Mutex<Vec<String>>,
}

/// What a reader has seen once an answer is out. It is saved with the next call, or at the end of the session: news in
/// an answer that was not sent stay unread.
struct UnsavedMark {
    request: RequestId,
    mark: ReaderMark,
    is_sent: bool,
}

impl SharedState {
    pub fn new(options: ServerOptions) -> SharedState {
        SharedState {
            options,
            memory: OnceLock::new(),
            changes: Arc::default(),
            changed: Notify::new(),
            is_closed: watch::Sender::new(false),
            watched: SharedWatchList::default(),
            has_watcher: AtomicBool::new(false),
            reader_mark: Mutex::default(),
            shown_warnings: Mutex::default(),
        }
    }

    /// The answer to a request was written.
    pub fn answer_sent(&self, request: &RequestId) {
        let mut mark = self.reader_mark.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mark) = mark.as_mut().filter(|mark| mark.request == *request) {
            mark.is_sent = true;
        }
    }

    /// Saves what the reader has seen for certain.
    pub async fn save_reader_mark(self: &Arc<Self>) {
        let mark = self.reader_mark.lock().unwrap_or_else(PoisonError::into_inner).take_if(|mark| mark.is_sent);
        if let Some(UnsavedMark { mark, .. }) = mark {
            // A mark that cannot be written is ignored: the updates are shown again.
            drop(self.run(move |memory| memory?.mark_read(&mark)).await);
        }
    }

    /// Adds to an answer the warnings that the client was not shown yet.
    fn add_warnings(&self, notes: &ProgressNotes, answer: &mut CallToolResult) {
        let now: Vec<String> = notes.warnings().into_iter().map(|warning| warning.message).collect();
        let mut shown = self.shown_warnings.lock().unwrap_or_else(PoisonError::into_inner);
        let new = now.iter().filter(|warning| !shown.contains(warning));
        answer.content.extend(new.map(|warning| ContentBlock::text(format!("warning: {warning}"))));
        *shown = now;
    }

    /// Ends what waits for changes: the client is gone.
    pub fn close(&self) {
        self.is_closed.send_replace(true);
    }

    /// Waits until a change was made through this server, or for this time. Answers false once the session is closed.
    pub async fn changed_or_elapsed(&self, wait: Duration) -> bool {
        let mut is_closed = self.is_closed.subscribe();
        tokio::select! {
            biased;
            _ = is_closed.wait_for(|is_closed| *is_closed) => false,
            () = self.changed.notified() => true,
            () = tokio::time::sleep(wait) => true,
        }
    }

    /// The memory. Its directory and caller are those that were found first.
    fn memory(&self) -> Result<Memory, Error> {
        if let Some(memory) = self.memory.get() {
            return Ok(memory.clone());
        }
        let memory = Memory::open(self.options.memory.clone())?;
        Ok(self.memory.get_or_init(|| memory).clone())
    }

    /// Runs blocking work with the memory, on a thread that may block.
    pub async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(Result<Memory, Error>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let state = self.clone();
        let finished = tokio::task::spawn_blocking(move || work(state.memory())).await;
        finished.unwrap_or_else(|_| {
            let mut crashed = Rejection::new(Code::Internal, "the command crashed");
            crashed.changed = None;
            Err(crashed.into())
        })
    }
}

/// Answers the requests of one client.
pub struct RequestHandler {
    pub state: Arc<SharedState>,
}

impl RequestHandler {
    fn access(&self) -> ServerAccess {
        self.state.options.access
    }

    fn offered_tools(&self) -> impl Iterator<Item = &'static ToolSpec> + use<> {
        ToolSpec::offered(self.state.options.tools, self.access())
    }

    /// Refuses resources if the server has none.
    fn require_resources(&self) -> Result<(), ErrorData> {
        match self.access() {
            ServerAccess::ReadAndChange | ServerAccess::ReadOnly => Ok(()),
            ServerAccess::Nothing => Err(ErrorData::invalid_request(SWITCHED_OFF, None)),
        }
    }

    /// Runs blocking work for a resource.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Memory) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, ErrorData> {
        self.require_resources()?;
        self.state.run(|memory| work(memory?)).await.map_err(|error| resources::error_data(&error))
    }

    /// A watch list of these URIs. It is read before any later change of this client.
    async fn watch_list(&self, uris: Vec<String>, watch_files: bool) -> Result<WatchList, ErrorData> {
        let _turn = self.state.changes.lock().await;
        self.run(move |memory| Ok(WatchList::new(&memory, &uris, watch_files))).await?
    }

    /// Watches for a client that began with `initialize`. The first list starts the watcher.
    fn watch(&self, list: WatchList, context: &RequestContext<RoleServer>) {
        self.state.watched.lock().unwrap_or_else(PoisonError::into_inner).add(list);
        if !self.state.has_watcher.swap(true, Ordering::Relaxed) {
            let target = NotificationTarget::Client(context.peer.clone());
            tokio::spawn(watch(self.state.clone(), self.state.watched.clone(), target));
        }
    }
}

impl ServerHandler for RequestHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources();
        let capabilities = capabilities.enable_resources_subscribe().enable_resources_list_changed().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(instructions(self.state.options.tools));
        info.server_info = Implementation::new("memdir", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offered_tools().map(ToolSpec::describe).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = ToolSpec::find(self.state.options.tools, &request.name) else {
            let names: Vec<&str> = self.offered_tools().map(|tool| tool.name).collect();
            let message = format!("there is no tool '{}'; the tools are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        if !self.offered_tools().any(|offered| offered.name == tool.name) {
            let reason = match self.access() {
                ServerAccess::ReadAndChange | ServerAccess::ReadOnly => "this server may not change the memory",
                ServerAccess::Nothing => SWITCHED_OFF,
            };
            let rejection = Rejection::new(Code::ReadOnly, reason)
                .hint("the user can start it without --read-only and MEMDIR_MODE");
            return Ok(error_result(self.state.options.tools, &rejection.into()).into());
        }
        let arguments = request.arguments.unwrap_or_default();
        // Nothing is awaited before: changes take turns in the order in which they came.
        let turn = if tool.changes() { Some(self.state.changes.clone().lock_owned().await) } else { None };
        self.state.save_reader_mark().await;
        let keeps_mark = self.state.options.is_named && self.access() == ServerAccess::ReadAndChange;
        let notes = ProgressNotes::default();
        let noted = notes.clone();
        let result = self.state.run(move |memory| {
            let memory = memory?.with_progress(&noted);
            let reader = keeps_mark.then(|| memory.actor().to_owned());
            let call = ToolRequest { memory, arguments, reader };
            let answer = (tool.run)(&call);
            call.memory.finish_call(tool.changes());
            // Held until the change is made, also if the client does not wait for it.
            drop(turn);
            answer
        });
        let result = progress::run_with_progress(result, &notes, &context).await;
        if tool.changes() {
            self.state.changed.notify_waiters();
        }
        let mut answer = match result {
            Ok(mut answer) => {
                if let Some(mark) = answer.mark.take() {
                    let unsaved = UnsavedMark { request: context.id.clone(), mark, is_sent: false };
                    *self.state.reader_mark.lock().unwrap_or_else(PoisonError::into_inner) = Some(unsaved);
                }
                answer.into()
            }
            Err(error) => error_result(self.state.options.tools, &error),
        };
        self.state.add_warnings(&notes, &mut answer);
        Ok(answer.into())
    }

    /// A request with an unknown method or invalid params.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unread_request(request))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        if context.peer.peer_info().is_some() {
            // A client that began with `initialize` cannot ask for it: it is notified once it lists the files.
            self.watch(self.watch_list(Vec::new(), true).await?, &context);
        }
        let tools = self.state.options.tools;
        self.run(move |memory| resources::list(&memory, tools, cursor.as_deref())).await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.require_resources()?;
        Ok(resources::templates(self.state.options.tools))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (uri, address) = (request.uri.clone(), resources::to_address(&request.uri)?);
        self.run(move |memory| resources::read(&memory, &uri, &address)).await.map(Into::into)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watch(self.watch_list(vec![request.uri], false).await?, &context);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.state.watched.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        (self.access() != ServerAccess::Nothing).then(|| requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = context.accepted();
        let uris = accepted.resource_subscriptions.clone().unwrap_or_default();
        let list = self.watch_list(uris, accepted.resources_list_changed == Some(true)).await?;
        let target = NotificationTarget::Subscription(context.sink().clone());
        let list = SharedWatchList::new(list.into());
        tokio::select! {
            () = watch(self.state.clone(), list, target) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }
}

/// The error of a request that could not be read. A client that hears that there is no `tools/call` takes the server for
/// one without tools, so wrong params of a method that there is are an error of their own (JSON-RPC 2.0, section 5.1).
pub(super) fn unread_request(request: CustomRequest) -> ErrorData {
    let params = request.params.unwrap_or_else(|| json!({}));
    let problem = match request.method.as_str() {
        "initialize" => initialize_problem(params),
        "tools/call" => params_problem::<CallToolRequestParams>(params),
        "resources/read" => params_problem::<ReadResourceRequestParams>(params),
        "resources/subscribe" => params_problem::<SubscribeRequestParams>(params),
        "resources/unsubscribe" => params_problem::<UnsubscribeRequestParams>(params),
        _ => None,
    };
    match problem {
        Some(reason) => {
            ErrorData::invalid_params(format!("the params of {} are not valid: {reason}", request.method), None)
        }
        None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {}", request.method), None),
    }
}

fn params_problem<T: DeserializeOwned>(params: Value) -> Option<String> {
    serde_json::from_value::<T>(params).err().map(|error| error.to_string())
}

/// What is wrong with the params of `initialize`, with the name of the field, for the author of a client.
fn initialize_problem(params: Value) -> Option<String> {
    let is_object = |name: &&str| params.get(name).is_some_and(Value::is_object);
    let not_object = ["capabilities", "clientInfo"].into_iter().find(|name| !is_object(name));
    match not_object {
        _ if !params.get("protocolVersion").is_some_and(Value::is_string) => {
            Some("protocolVersion must be a string".to_owned())
        }
        Some(name) => Some(format!("{name} must be an object")),
        None => params_problem::<InitializeRequestParams>(params),
    }
}
