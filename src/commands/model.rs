//! The model of a command: selecting it, opening it, testing it, and mapping its errors to ours.
//!
//! Keeps a key no longer than opening takes, and reports only where the key was found.

use std::time::{Duration, Instant};

use super::CommandResult;
use super::results::{ModelCheck, WarningRow};
use crate::code::{Code, Rejection, Warning};
use crate::host::embeddings::EmbeddingSettings;
use crate::host::models::{self, ModelQuery, ModelSelection, ProviderProtocol, ToolUse};
use crate::host::user::{self, OwnPrompts};
use crate::host::{EnvLookup, keys};
use crate::llm::{
    self, ApiKey, ChatMessage, Deadline, ErrorKind, LlmError, Model, ModelConfig, ModelRequest, Protocol,
};
use crate::text::secrets;

/// An open model, with the user's settings for its use. [`OpenModel::new`] makes one of the caller's own.
#[non_exhaustive]
pub struct OpenModel {
    pub model: Box<dyn Model>,
    /// Time limit of all requests of one command together.
    pub total_timeout: Duration,
    /// Whether tools are used.
    pub tools: ToolUse,
    /// The URL of the host, or the path of the program.
    pub endpoint: String,
    /// Where the key was found.
    pub key: Option<String>,
    /// The user's own texts of prompts, instead of ours.
    pub(crate) own_prompts: OwnPrompts,
    pub warnings: Vec<Warning>,
}

impl OpenModel {
    /// A model with the built-in prompts, 600 seconds for the requests of a command, and tools if it accepts them.
    pub fn new(model: impl Model + 'static) -> OpenModel {
        OpenModel {
            model: Box::new(model),
            total_timeout: models::OVERALL_TIMEOUT,
            tools: ToolUse::Auto,
            endpoint: String::new(),
            key: None,
            own_prompts: OwnPrompts::default(),
            warnings: Vec::new(),
        }
    }
}

/// Opens the model that flags, environment and user config select.
///
/// # Errors
/// `no_model`, `usage`; `invalid_policy` for a prompt of the user that cannot be read; those of [`model_rejection`] if
/// the host's list of models had to be fetched.
pub fn open_model(query: &ModelQuery, env: EnvLookup<'_>) -> Result<OpenModel, Rejection> {
    let selection = models::select_model(query, &user::load_config(env).0, env)?;
    if selection.protocol != ProviderProtocol::Program && !llm::HAS_NETWORK {
        return Err(Rejection::new(Code::NoModel, "this build of memdir has no network support")
            .hint("use a program: `model: {provider: exec, command: [program, argument]}` in the user config"));
    }
    let own_prompts = OwnPrompts::load(env)?;
    let (key, warning) = keys::read(&selection.key, env, hide_secrets)?;
    let key = key.map(|text| ApiKey::new(&text).ok_or_else(|| invalid_key_error(&selection))).transpose()?;
    let mut warnings: Vec<Warning> = warning.into_iter().collect();
    warnings.extend(unencrypted_key_warning(&selection.base_url, key.is_some()));
    let config = model_config(&selection, key);
    let model = llm::open(&config).map_err(open_error)?;
    let endpoint = match selection.protocol {
        ProviderProtocol::Program => selection.command.first().cloned().unwrap_or_default(),
        ProviderProtocol::Chat | ProviderProtocol::Messages => llm::redacted_url(&selection.base_url),
    };
    let key = selection.key.description();
    let (total_timeout, tools) = (selection.overall_timeout, selection.tools);
    Ok(OpenModel { model, total_timeout, tools, endpoint, key, own_prompts, warnings })
}

/// Maps an error of opening the model: `Rejected` without an HTTP status means that the host has no model or several.
fn open_error(error: LlmError) -> Rejection {
    match (error.kind, error.status) {
        (ErrorKind::Rejected, None) => Rejection::new(Code::NoModel, error.message),
        _ => model_rejection(error),
    }
}

fn invalid_key_error(selection: &ModelSelection) -> Rejection {
    let key_source = selection.key.description().unwrap_or_default();
    Rejection::new(Code::NoModel, format!("the key in {key_source} is invalid: it must be one word of visible ASCII"))
}

/// A warning if the key is sent unencrypted to another machine.
fn unencrypted_key_warning(base_url: &str, has_key: bool) -> Option<Warning> {
    let is_unencrypted = has_key && base_url.starts_with("http://") && !llm::is_loopback(base_url);
    let message = || format!("the key is sent unencrypted to {}", llm::redacted_url(base_url));
    is_unencrypted.then(|| Warning::new(Code::Note, message()))
}

fn model_config(selection: &ModelSelection, key: Option<ApiKey>) -> ModelConfig {
    ModelConfig {
        provider: selection.provider.to_owned(),
        protocol: match selection.protocol {
            ProviderProtocol::Chat => Protocol::ChatCompletions,
            ProviderProtocol::Messages => Protocol::Messages,
            ProviderProtocol::Program => Protocol::Program,
        },
        model: selection.model.clone(),
        base_url: selection.base_url.clone(),
        key,
        command: selection.command.clone(),
        variables: vec![(models::NESTED_CALL_VARIABLE.to_owned(), "1".to_owned())],
        timeout: selection.timeout.min(selection.overall_timeout),
        max_tokens: selection.max_tokens,
        temperature: selection.temperature,
        top_p: selection.top_p,
        hide_secrets,
    }
}

/// A message of a host or a program without what looks like a key, of any service.
fn hide_secrets(message: &str) -> String {
    secrets::redact(message).0
}

/// The host and model of `find.embeddings`, with its key. `timeout` is that of a request, and `key_timeout` that of the
/// key command.
///
/// # Errors
/// `no_model`.
pub(super) fn embedding_model(
    settings: &EmbeddingSettings,
    env: EnvLookup<'_>,
    timeout: Duration,
    key_timeout: Duration,
) -> Result<(ModelConfig, Vec<Warning>), Rejection> {
    let selection = settings.select(env)?;
    let (key, warning) = keys::read_within(&selection.key, env, key_timeout, hide_secrets)?;
    let is_key = |text: String| {
        ApiKey::new(&text).ok_or_else(|| Rejection::new(Code::NoModel, "the key of find.embeddings is invalid"))
    };
    let key = key.map(is_key).transpose()?;
    let mut warnings: Vec<Warning> = warning.into_iter().collect();
    warnings.extend(unencrypted_key_warning(&selection.base_url, key.is_some()));
    let config = ModelConfig {
        provider: selection.provider.to_owned(),
        protocol: Protocol::ChatCompletions,
        model: Some(selection.model),
        base_url: selection.base_url,
        key,
        command: Vec::new(),
        variables: Vec::new(),
        timeout,
        max_tokens: None,
        temperature: None,
        top_p: None,
        hide_secrets,
    };
    Ok((config, warnings))
}

/// Maps an error of the model to a rejection with a hint.
pub fn model_rejection(error: LlmError) -> Rejection {
    let (code, hint) = match error.kind {
        ErrorKind::Unreachable => {
            (Code::Model, Some("check that the host is running and that model.base_url is right"))
        }
        ErrorKind::Timeout => (Code::Model, Some("raise --timeout, or model.timeout_s in the user config")),
        ErrorKind::Busy => (Code::Model, Some("try again later; what was read stays read")),
        ErrorKind::TooLarge => (Code::Model, Some("use another model or host, or lower model.max_tokens")),
        ErrorKind::Malformed => (
            Code::Model,
            Some("check that model.base_url and the provider fit the host, with `memdir reflect --check-model`"),
        ),
        ErrorKind::Unusable => {
            (Code::Model, Some("nothing was kept or marked as read; see what the model answers, or use another one"))
        }
        ErrorKind::ProgramFailed => (Code::Model, Some("run model.command by hand to see why")),
        ErrorKind::Interrupted => (Code::Model, None),
        ErrorKind::Unauthorized => {
            (Code::ModelRefused, Some("the key is missing or wrong, or has no access to this model"))
        }
        ErrorKind::QuotaExceeded => (Code::ModelRefused, Some("the account needs quota before a retry can succeed")),
        ErrorKind::NoTools => {
            (Code::ModelRefused, Some("set `tools: off` in the model block of the user config to send no tools"))
        }
        ErrorKind::Rejected => {
            (Code::ModelRefused, Some("check the model's name and options in the model block of the user config"))
        }
    };
    let mut rejection = Rejection::new(code, error.message);
    rejection.hint = hint.map(str::to_owned);
    if let Some(status) = error.status {
        rejection = rejection.detail("status", status);
    }
    let (input, output) = (error.usage.input, error.usage.output);
    if input + output > 0 {
        rejection = rejection.detail("input_tokens", input).detail("output_tokens", output);
    }
    rejection
}

/// Why an answer could not be used, as it may be printed: the reason may quote a key that the model wrote.
pub fn unusable_answer(what: &str, reason: &str) -> String {
    format!("{what}: {}", secrets::redact(reason).0)
}

/// Reports which model would be used, and tests it with one short request.
///
/// # Errors
/// Those of [`open_model`] and [`model_rejection`], with the model's provider, name and endpoint as details.
pub fn check_model(query: &ModelQuery, env: EnvLookup<'_>) -> CommandResult<ModelCheck> {
    let opened = open_model(query, env)?;
    let model_id = opened.model.id().clone();
    let request = ModelRequest {
        system: "This is a connection test. Answer with one word.".into(),
        messages: vec![ChatMessage::User("Say: pong".into())],
        // Reasoning models spend tokens before the reply.
        max_tokens: 256,
        ..ModelRequest::default()
    };
    let began = Instant::now();
    let reply = opened.model.complete(&request, Deadline::within(opened.total_timeout)).map_err(|error| {
        let key_note = opened.key.clone().map_or(String::new(), |key| format!(" with the key from {key}"));
        let model_note =
            format!("the model was {} {} at {}{key_note}", model_id.provider, model_id.model, opened.endpoint);
        let rejection = model_rejection(error);
        let hint = rejection.hint.clone().map_or(model_note.clone(), |hint| format!("{hint}; {model_note}"));
        let rejection = rejection.detail("provider", &*model_id.provider).detail("model", &*model_id.model);
        rejection.detail("endpoint", &*opened.endpoint).hint(hint)
    })?;
    Ok(ModelCheck {
        provider: model_id.provider,
        model: model_id.model,
        endpoint: opened.endpoint,
        key: opened.key,
        milliseconds: began.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        input_tokens: reply.usage.input,
        output_tokens: reply.usage.output,
        warnings: opened.warnings.iter().map(WarningRow::from).collect(),
    })
}
