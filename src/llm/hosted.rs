//! A model behind an HTTP API: sends a request, retries where that can help, and adapts to what the host supports.
//!
//! Knows both protocols but opens no connection: the transport is a parameter, so that tests can script it.

use std::cell::RefCell;
use std::time::Duration;

use serde_json::{Map, Value};

use super::capabilities::{self, AnswerFormat, FORMAT_PARAMETER, HostCapabilities};
use super::host_fault::{HostFault, truncated, visible_line};
use super::jitter::random_share;
use super::wire::RequestSettings;
use super::{
    ApiKey, Deadline, ErrorKind, LlmError, Model, ModelConfig, ModelId, ModelReply, ModelRequest, Protocol, anthropic,
    host_url, openai, retry,
};

/// How many times one request is adapted to the host before it fails.
const MAX_ADAPTATIONS: usize = 8;
/// How many models an error message lists.
const MAX_LISTED_MODELS: usize = 8;

/// One HTTP request, ready to send.
pub struct HttpRequest<'a> {
    pub url: &'a str,
    /// Headers; one of them may hold the key.
    pub headers: &'a [(&'static str, String)],
    /// The body of a POST; `None` for a GET.
    pub body: Option<&'a [u8]>,
    /// Time limit of the whole exchange.
    pub timeout: Duration,
}

/// An HTTP response with any status.
#[derive(Clone, Debug, Default)]
pub struct HttpResponse {
    pub status: u16,
    /// The delay that the host requests before the next request (`retry-after`).
    pub retry_after: Option<Duration>,
    /// Whether the host recommends a retry (`x-should-retry`).
    pub should_retry: Option<bool>,
    pub body: Vec<u8>,
}

/// Why there is no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportError {
    /// No connection, or the connection broke; with the cause.
    Connection(String),
    Timeout,
    /// The body exceeds the size limit.
    TooLarge,
}

/// What sends HTTP requests; tests replace it by a script of responses.
pub trait Transport {
    /// Sends one request.
    ///
    /// # Errors
    /// Why there is no response.
    fn send(&self, outgoing: &HttpRequest<'_>) -> Result<HttpResponse, TransportError>;
}

/// A model behind an HTTP API.
pub struct HostedModel<L> {
    transport: L,
    id: ModelId,
    config: ModelConfig,
    settings: RequestSettings,
    capabilities: RefCell<HostCapabilities>,
}

/// What a response with a body says: a result, or an error of the host.
pub(super) enum HttpOutcome {
    /// The JSON of a response that reports no error.
    Success(Value),
    /// An error response, with its effective HTTP status.
    Failure(HostFault, u16),
}

impl<L: Transport> HostedModel<L> {
    /// Sends no request, unless the configuration names no model.
    ///
    /// # Errors
    /// As [`super::open`].
    pub fn new(transport: L, config: &ModelConfig) -> Result<HostedModel<L>, LlmError> {
        let settings = RequestSettings {
            model: config.model.clone().unwrap_or_default(),
            max_tokens: config.max_tokens,
            temperature: config.temperature,
            top_p: config.top_p,
            is_openai: host_url::host_name(&config.base_url) == "api.openai.com",
            is_local: host_url::is_loopback(&config.base_url),
        };
        let id = ModelId { provider: config.provider.clone(), model: settings.model.clone() };
        let mut hosted =
            HostedModel { transport, id, config: config.clone(), settings, capabilities: RefCell::default() };
        if config.model.is_none() {
            let name = hosted.only_model()?;
            hosted.id.model.clone_from(&name);
            hosted.settings.model = name;
        }
        Ok(hosted)
    }

    pub(super) fn model_name(&self) -> &str {
        &self.settings.model
    }

    /// The name of the only model that the host lists.
    fn only_model(&self) -> Result<String, LlmError> {
        let rejected = |reason: String| Err(LlmError::new(ErrorKind::Rejected, reason));
        if self.config.protocol != Protocol::ChatCompletions {
            return rejected(format!("{} needs a model name", self.config.provider));
        }
        let names = match self.send_with_retries("/models", None, Deadline::within(self.config.timeout))? {
            HttpOutcome::Success(list) => openai::model_names(&list),
            HttpOutcome::Failure(fault, status) => return Err(self.host_error(&fault, status, false)),
        };
        let shown: Vec<String> = names.iter().take(MAX_LISTED_MODELS).map(|name| self.message_line(name)).collect();
        match names.as_slice() {
            [name] => Ok(name.clone()),
            [] => rejected(format!("{} has no models", self.host_label())),
            names => {
                let more = if names.len() > MAX_LISTED_MODELS { ", …" } else { "" };
                rejected(format!(
                    "{} has several models; name one with --model: {}{more}",
                    self.host_label(),
                    shown.join(", ")
                ))
            }
        }
    }

    fn request_body(&self, request: &ModelRequest) -> Map<String, Value> {
        let capabilities = self.capabilities.borrow();
        match self.config.protocol {
            Protocol::Messages => anthropic::request_body(request, &self.settings, &capabilities),
            Protocol::ChatCompletions | Protocol::Program => {
                openai::request_body(request, &self.settings, &capabilities)
            }
        }
    }

    fn parse_reply(&self, body: &Value, request: &ModelRequest) -> Result<ModelReply, LlmError> {
        let reply = match self.config.protocol {
            Protocol::Messages => anthropic::parse_reply(body, request),
            Protocol::ChatCompletions | Protocol::Program => openai::parse_reply(body, request.messages.len()),
        };
        let mut reply = reply.map_err(|error| {
            let message = (self.config.hide_secrets)(&self.redact(&error.message));
            LlmError { message: format!("{}: {message}", self.host_label()), ..error }
        })?;
        // A host that knows a secret may repeat it; what comes from here is printed, stored and sent again.
        for secret in self.secrets() {
            reply.text = secret.redact_in_answer(&reply.text);
            for call in &mut reply.calls {
                call.id = secret.redact_in_answer(&call.id);
                call.name = secret.redact_in_answer(&call.name);
                secret.redact_in_arguments(&mut call.arguments);
            }
        }
        Ok(reply)
    }

    /// Sends one request, and retries while the host is busy or unreachable.
    pub(super) fn send_with_retries(
        &self,
        path: &str,
        body: Option<&Map<String, Value>>,
        deadline: Deadline,
    ) -> Result<HttpOutcome, LlmError> {
        let url = host_url::endpoint_url(&self.config.base_url, path);
        let headers = self.headers();
        let tools = body.is_some_and(|body| body.contains_key("tools"));
        let has_format = body.is_some_and(|body| body.contains_key(FORMAT_PARAMETER));
        let body = body.map(|body| serde_json::to_vec(body).unwrap_or_default());
        let mut retries = 0;
        loop {
            let remaining = deadline.remaining().ok_or_else(|| self.timeout_error(deadline))?;
            let timeout = remaining.min(self.config.timeout);
            let outgoing = HttpRequest { url: &url, headers: &headers, body: body.as_deref(), timeout };
            let (error, after) = match self.transport.send(&outgoing) {
                Ok(incoming) => {
                    let retry_after = incoming.retry_after;
                    match classify(&incoming) {
                        Err(rejection) => {
                            return Err(LlmError { status: Some(incoming.status), ..self.malformed_error(rejection) });
                        }
                        Ok(HttpOutcome::Failure(fault, status))
                            if fault.error_kind(status, tools) == ErrorKind::Busy
                                && incoming.should_retry != Some(false)
                                && !(has_format && capabilities::may_be_format(status)) =>
                        {
                            (self.host_error(&fault, status, tools), retry_after)
                        }
                        Ok(outcome) => return Ok(outcome),
                    }
                }
                Err(TransportError::Connection(message)) => {
                    let cause = self.message_line(&message);
                    (
                        LlmError::new(
                            ErrorKind::Unreachable,
                            format!("{} cannot be reached: {cause}", self.host_label()),
                        ),
                        None,
                    )
                }
                Err(TransportError::Timeout) => return Err(self.timeout_error(deadline)),
                Err(TransportError::TooLarge) => {
                    return Err(LlmError::new(
                        ErrorKind::TooLarge,
                        format!("{} sent more than 8 MiB", self.host_label()),
                    ));
                }
            };
            let delay = after.unwrap_or_else(|| retry::backoff(retries, random_share()));
            retries += 1;
            // Fail now rather than sleep into the deadline.
            if retries > retry::MAX_RETRIES || deadline.remaining().is_none_or(|left| delay >= left) {
                return Err(with_retry_after(error, after));
            }
            std::thread::sleep(delay);
        }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let key = self.config.key.as_ref();
        match self.config.protocol {
            Protocol::Messages => {
                let version = ("anthropic-version", anthropic::VERSION.to_owned());
                key.map(|key| ("x-api-key", key.secret().to_owned())).into_iter().chain([version]).collect()
            }
            Protocol::ChatCompletions | Protocol::Program => {
                key.map(|key| ("authorization", format!("Bearer {}", key.secret()))).into_iter().collect()
            }
        }
    }

    /// The provider and its URL, for messages.
    fn host_label(&self) -> String {
        format!("{} at {}", self.id.provider, host_url::redacted_url(&self.config.base_url))
    }

    /// A host's text as a part of a message. The key is looked for in what will be seen, and before the line is
    /// truncated: otherwise invisible characters could divide it, or its start remain at the end.
    fn message_line(&self, text: &str) -> String {
        truncated(&(self.config.hide_secrets)(&self.redact(&visible_line(text))))
    }

    fn redact(&self, text: &str) -> String {
        self.secrets().fold(text.to_owned(), |text, secret| secret.redact(&text))
    }

    /// What the host knows and no other may see: the key, and what is secret in its URL.
    fn secrets(&self) -> impl Iterator<Item = ApiKey> + '_ {
        let in_url = host_url::secrets(&self.config.base_url).into_iter().filter_map(|secret| ApiKey::new(&secret));
        self.config.key.iter().cloned().chain(in_url)
    }

    fn timeout_error(&self, deadline: Deadline) -> LlmError {
        let message = match deadline.remaining() {
            Some(_) => format!("{} did not answer within {} s", self.host_label(), self.config.timeout.as_secs_f64()),
            None => format!("{} did not answer in time", self.host_label()),
        };
        LlmError::new(ErrorKind::Timeout, message)
    }

    pub(super) fn malformed_error(&self, reason: &str) -> LlmError {
        LlmError::new(ErrorKind::Malformed, format!("{}: {reason}", self.host_label()))
    }

    pub(super) fn host_error(&self, fault: &HostFault, status: u16, tools: bool) -> LlmError {
        let message = self.message_line(&fault.message);
        let words = match (status, message.as_str()) {
            (300..400, "") => ": it redirects; set base_url to the final URL".to_owned(),
            (_, "") => String::new(),
            (_, words) => format!(": {words}"),
        };
        let kind = fault.error_kind(status, tools);
        let answered = if fault.is_in_success { "with an error".to_owned() } else { status.to_string() };
        LlmError {
            status: Some(status),
            ..LlmError::new(kind, format!("{} answered {answered}{words}", self.host_label()))
        }
    }
}

impl<L: Transport> Model for HostedModel<L> {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn complete(&self, request: &ModelRequest, deadline: Deadline) -> Result<ModelReply, LlmError> {
        let path = match self.config.protocol {
            Protocol::Messages => anthropic::PATH,
            Protocol::ChatCompletions | Protocol::Program => openai::PATH,
        };
        let mut adaptations = 0;
        // The format before it was left out on suspicion; once a request.
        let mut format_before = None;
        loop {
            let body = self.request_body(request);
            let (fault, status) = match self.send_with_retries(path, Some(&body), deadline)? {
                HttpOutcome::Success(value) => return self.parse_reply(&value, request),
                HttpOutcome::Failure(fault, status) => (fault, status),
            };
            let mut capabilities = self.capabilities.borrow_mut();
            let tools = body.contains_key("tools");
            adaptations += 1;
            // Tools that only carry a requested object can be replaced by instructions.
            let replaces_schema_tool =
                request.tools.is_empty() && tools && fault.error_kind(status, tools) == ErrorKind::NoTools;
            let mut learned =
                capabilities.learn(&body, &fault, status) || replaces_schema_tool && capabilities.use_simpler_format();
            if !learned && body.contains_key(FORMAT_PARAMETER) && capabilities::may_be_format(status) {
                format_before = Some(capabilities.answer_format);
                capabilities.answer_format = AnswerFormat::Instructions;
                learned = true;
            } else if let Some(format) = format_before.filter(|_| !learned) {
                // Leaving it out did not help, so it was not the cause.
                capabilities.answer_format = format;
            }
            if !learned || adaptations > MAX_ADAPTATIONS {
                return Err(self.host_error(&fault, status, !request.tools.is_empty()));
            }
        }
    }
}

/// Classifies a response. The error is for a body that is not JSON.
fn classify(incoming: &HttpResponse) -> Result<HttpOutcome, &'static str> {
    let text = String::from_utf8_lossy(&incoming.body);
    let body: Option<Value> = serde_json::from_str(text.trim()).ok();
    let is_success = (200..300).contains(&incoming.status);
    let Some(body) = body else {
        return if is_success {
            Err("its answer is not JSON")
        } else {
            Ok(HttpOutcome::Failure(HostFault::from_text(&text), incoming.status))
        };
    };
    let fault = HostFault::from_json(&body);
    if !is_success {
        return Ok(HttpOutcome::Failure(fault.unwrap_or_default(), incoming.status));
    }
    let inner = body.pointer("/choices/0/error").filter(|e| !e.is_null());
    let fault = match inner {
        Some(error) => HostFault::from_json(&serde_json::json!({ "error": error })),
        None => fault.filter(|_| !is_answer(&body)),
    };
    match fault {
        // An error with status 2xx and no code of its own counts as a 500, so that it is retried.
        Some(fault) => {
            let status = fault.status.unwrap_or(500);
            let is_in_success = fault.status.is_none();
            Ok(HttpOutcome::Failure(HostFault { is_in_success, ..fault }, status))
        }
        None => Ok(HttpOutcome::Success(body)),
    }
}

/// Whether a body is a successful response, whatever other keys it has.
fn is_answer(body: &Value) -> bool {
    let has_error = body.get("error").is_some_and(|e| e.is_object() || e.as_str().is_some_and(|text| !text.is_empty()));
    let has_content =
        |key: &str| body.get(key).is_some_and(|v| v.as_array().is_some_and(|a| !a.is_empty()) || v.is_string());
    !has_error && ["choices", "content", "data", "models"].iter().any(|key| has_content(key))
}

/// Adds the delay that the host requests to the message of an error.
fn with_retry_after(error: LlmError, retry_after: Option<Duration>) -> LlmError {
    match retry_after.map(|after| after.as_secs_f64().ceil()).filter(|seconds| *seconds >= 1.0) {
        Some(seconds) => LlmError { message: format!("{} (retry after {seconds} s)", error.message), ..error },
        None => error,
    }
}

#[cfg(test)]
mod tests;
