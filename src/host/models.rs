//! Selects the model from flags, environment variables and the user config.
//!
//! Pure: never reads a key from a file or a command (`keys.rs` does), never calls a model, and never reads a data
//! directory: what arrived by `git clone` must not select a model.

use std::time::Duration;

use super::EnvLookup;
use super::config::{ModelSettings, UserConfig};
use crate::code::{Code, Rejection, quote_short};

/// Default timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Default timeout of all requests of one command together.
pub const OVERALL_TIMEOUT: Duration = Duration::from_secs(600);
/// Environment variable that a program of `exec` inherits. It marks a nested call of memdir, which must not call a
/// model again.
pub const NESTED_CALL_VARIABLE: &str = "MEMDIR_INSIDE";

/// What a model is called for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelRole {
    /// Anything but the roles below.
    #[default]
    General,
    /// To find the items of a request.
    Finder,
    /// To decide on the edits of a request.
    Editor,
}

/// How the caller named the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelQuery {
    /// `--provider`.
    pub provider: Option<String>,
    /// `--model`.
    pub model: Option<String>,
    /// `--timeout`: the timeout of one request and of all requests together.
    pub timeout: Option<Duration>,
    pub role: ModelRole,
}

impl ModelQuery {
    /// The query for the model of a role: `name` is `--finder` or `--editor`.
    pub fn for_role(&self, role: ModelRole, name: Option<&str>) -> ModelQuery {
        ModelQuery { model: name.map(str::to_owned).or_else(|| self.model.clone()), role, ..self.clone() }
    }
}

/// The settings of the model with a role: its own block, else `model`.
fn settings_for(config: &UserConfig, role: ModelRole) -> &ModelSettings {
    let own = match role {
        ModelRole::General => None,
        ModelRole::Finder => config.finder.as_ref(),
        ModelRole::Editor => config.editor.as_ref(),
    };
    own.unwrap_or(&config.model)
}

/// The protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderProtocol {
    /// OpenAI-compatible chat completions.
    Chat,
    /// Anthropic messages.
    Messages,
    /// A program: prompt on stdin, answer on stdout.
    Program,
}

/// Whether tool calls are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolUse {
    /// If the host supports them.
    #[default]
    Auto,
    On,
    Off,
}

/// The source of an API key.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    /// No key is configured.
    Missing,
    /// An environment variable: its name, its value.
    Variable(&'static str, String),
    /// A file; `~/` is the home directory.
    File(String),
    /// A program and its arguments.
    Command(Vec<String>),
}

impl KeySource {
    /// Describes the source for a person; never contains the key.
    pub fn description(&self) -> Option<String> {
        match self {
            KeySource::Missing => None,
            KeySource::Variable(name, _) => Some((*name).to_owned()),
            KeySource::File(path) => Some(format!("file {path}")),
            KeySource::Command(words) => Some(format!("command {}", words.first().map_or("", String::as_str))),
        }
    }
}

impl std::fmt::Debug for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.description().unwrap_or_else(|| "none".to_owned()))
    }
}

/// The selected model and how to reach it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSelection {
    pub provider: &'static str,
    pub protocol: ProviderProtocol,
    /// The model's name; `None` to use the only one that the host lists.
    pub model: Option<String>,
    /// The base URL; empty for a program.
    pub base_url: String,
    pub key: KeySource,
    /// The program and its arguments; empty for a host.
    pub command: Vec<String>,
    /// Timeout of one request.
    pub timeout: Duration,
    /// Timeout of all requests of one command together.
    pub overall_timeout: Duration,
    /// Maximum length of a reply, in tokens.
    pub max_tokens: Option<u32>,
    /// Sent only if set.
    pub temperature: Option<f64>,
    /// Sent only if set.
    pub top_p: Option<f64>,
    pub tools: ToolUse,
}

/// The built-in defaults of a provider.
pub(super) struct KnownProvider {
    pub(super) name: &'static str,
    pub(super) protocol: ProviderProtocol,
    /// The default base URL.
    base_url: &'static str,
    /// The environment variable that replaces the base URL.
    base_url_variable: Option<&'static str>,
    /// The environment variable with the API key.
    key_variable: Option<&'static str>,
    /// Whether it is a remote service, which needs a key and a model's name.
    hosted: bool,
    /// Prefixes of its models' names.
    model_prefixes: &'static [&'static str],
}

impl KnownProvider {
    /// Whether a base URL leads to the provider's own, remote host.
    pub(super) fn is_own_host(&self, base_url: &str) -> bool {
        self.hosted && url_authority(base_url) == url_authority(self.base_url)
    }
}

const fn hosted(
    name: &'static str,
    base_url: &'static str,
    base_url_variable: Option<&'static str>,
    key: &'static str,
    models: &'static [&'static str],
) -> KnownProvider {
    KnownProvider {
        name,
        protocol: ProviderProtocol::Chat,
        base_url,
        base_url_variable,
        key_variable: Some(key),
        hosted: true,
        model_prefixes: models,
    }
}

const fn local(
    name: &'static str,
    base_url: &'static str,
    base_url_variable: Option<&'static str>,
    key: Option<&'static str>,
) -> KnownProvider {
    KnownProvider {
        name,
        protocol: ProviderProtocol::Chat,
        base_url,
        base_url_variable,
        key_variable: key,
        hosted: false,
        model_prefixes: &[],
    }
}

/// All providers, in order of preference: if several have a key, the earlier one is selected.
const KNOWN_PROVIDERS: &[KnownProvider] = &[
    hosted(
        "openai",
        "https://api.openai.com/v1",
        Some("OPENAI_BASE_URL"),
        "OPENAI_API_KEY",
        &["gpt", "o1", "o3", "o4"],
    ),
    KnownProvider {
        protocol: ProviderProtocol::Messages,
        ..hosted("anthropic", "https://api.anthropic.com", Some("ANTHROPIC_BASE_URL"), "ANTHROPIC_API_KEY", &["claude"])
    },
    hosted(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        None,
        "GEMINI_API_KEY",
        &["gemini", "gemma"],
    ),
    hosted("openrouter", "https://openrouter.ai/api/v1", None, "OPENROUTER_API_KEY", &[]),
    local("ollama", "http://127.0.0.1:11434/v1", Some("OLLAMA_HOST"), Some("OLLAMA_API_KEY")),
    local("llamacpp", "http://127.0.0.1:8080/v1", None, Some("LLAMA_API_KEY")),
    local("lmstudio", "http://127.0.0.1:1234/v1", None, None),
    local("vllm", "http://127.0.0.1:8000/v1", None, Some("VLLM_API_KEY")),
    KnownProvider { protocol: ProviderProtocol::Program, ..local("exec", "", None, None) },
];

/// Selects the model: `--provider` and `--model`, else `MEMDIR_PROVIDER` and `MEMDIR_MODEL`, else the user config, else
/// the usual variables (`OPENAI_API_KEY`, …).
///
/// # Errors
/// `usage` for an unknown provider; `no_model` if nothing is configured, or a key or a model's name is missing.
pub fn select_model(query: &ModelQuery, config: &UserConfig, env: EnvLookup<'_>) -> Result<ModelSelection, Rejection> {
    let env = |name: &str| env(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
    if env(NESTED_CALL_VARIABLE).is_some() {
        return Err(Rejection::new(Code::NoModel, "memdir was called by a model program that memdir itself started")
            .hint("configure the program of `exec` so that it does not call memdir"));
    }
    let requested = query.provider.clone().or_else(|| env("MEMDIR_PROVIDER"));
    let model = query.model.clone().or_else(|| env("MEMDIR_MODEL"));
    let settings = settings_for(config, query.role);
    let configured = settings.provider.as_deref().or(match settings {
        ModelSettings { command: Some(_), .. } => Some("exec"),
        ModelSettings { base_url: Some(_), .. } => Some("openai"),
        _ => None,
    });
    let provider = match requested.as_deref().or(configured) {
        Some(name) => find_provider(name)?,
        None => {
            provider_from_environment(model.as_deref().or(settings.name.as_deref()), &env).ok_or_else(no_model_error)?
        }
    };
    // An address or a key that is configured for one provider must not go to another.
    let no_settings = ModelSettings::default();
    let provider_settings = if configured.is_none_or(|name| name == provider.name) { settings } else { &no_settings };
    let selection = ModelSelection {
        provider: provider.name,
        protocol: provider.protocol,
        model: model.or_else(|| provider_settings.name.clone()),
        base_url: base_url_of(provider, provider_settings, &env),
        key: key_source_of(provider, provider_settings, &env),
        // Only the provider `exec` runs the configured program.
        command: settings
            .command
            .clone()
            .filter(|_| provider.protocol == ProviderProtocol::Program)
            .unwrap_or_default(),
        timeout: query.timeout.or_else(|| positive_seconds(settings.timeout_s)).unwrap_or(REQUEST_TIMEOUT),
        overall_timeout: query.timeout.or_else(|| positive_seconds(settings.overall_s)).unwrap_or(OVERALL_TIMEOUT),
        max_tokens: settings.max_tokens,
        temperature: settings.temperature,
        top_p: settings.top_p,
        tools: match settings.tools.as_deref() {
            Some("on") => ToolUse::On,
            Some("off") => ToolUse::Off,
            _ => ToolUse::Auto,
        },
    };
    check_complete(provider, selection)
}

pub(super) fn find_provider(name: &str) -> Result<&'static KnownProvider, Rejection> {
    let lower = name.to_ascii_lowercase();
    let names: Vec<&str> = KNOWN_PROVIDERS.iter().map(|p| p.name).collect();
    let shown = quote_short(name);
    KNOWN_PROVIDERS.iter().find(|p| p.name == lower).ok_or_else(|| {
        Rejection::new(Code::Usage, format!("unknown provider {shown}")).hint(format!(
            "use one of {}; for another host with OpenAI-compatible chat completions use openai with a base_url",
            names.join(", ")
        ))
    })
}

/// Selects a provider by the usual variables: the one whose model names start like `model`, else the first that is set.
fn provider_from_environment(model: Option<&str>, env: EnvLookup<'_>) -> Option<&'static KnownProvider> {
    let is_set = |name: &Option<&str>| name.is_some_and(|name| env(name).is_some());
    // The key of a local host does not count: it may be set for another program.
    let mut candidates = KNOWN_PROVIDERS
        .iter()
        .filter(|p| is_set(&p.base_url_variable) || p.hosted && is_set(&p.key_variable))
        .peekable();
    let first = *candidates.peek()?;
    let model_matches =
        |p: &&KnownProvider| model.is_some_and(|m| p.model_prefixes.iter().any(|start| m.starts_with(start)));
    Some(candidates.find(model_matches).unwrap_or(first))
}

/// Returns the base URL of a provider.
pub(super) fn base_url_of(provider: &KnownProvider, settings: &ModelSettings, env: EnvLookup<'_>) -> String {
    let configured = settings.base_url.clone().or_else(|| match provider.base_url_variable {
        Some("OLLAMA_HOST") => env("OLLAMA_HOST").map(|host| ollama_base_url(&host)),
        at => at.and_then(env),
    });
    configured.map_or_else(|| provider.base_url.to_owned(), |url| url.trim_end_matches('/').to_owned())
}

/// Reads `OLLAMA_HOST` as Ollama does: a host, a port or both, with or without `http://`. An address that means all
/// interfaces becomes the local one.
fn ollama_base_url(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let (authority, path) =
        rest.split_once('/').map_or((rest, ""), |(place, path)| (place, path.trim_end_matches('/')));
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => (name, port),
        _ if scheme == "https" => (authority, "443"),
        _ if host.contains("://") => (authority, "80"),
        _ => (authority, "11434"),
    };
    let name = match name {
        "" | "0.0.0.0" | "[::]" => "127.0.0.1",
        name => name,
    };
    let path = if path.is_empty() { "v1" } else { path };
    format!("{scheme}://{name}:{port}/{path}")
}

pub(super) fn key_source_of(provider: &KnownProvider, settings: &ModelSettings, env: EnvLookup<'_>) -> KeySource {
    match (&settings.key_file, &settings.key_command) {
        _ if provider.protocol == ProviderProtocol::Program => KeySource::Missing,
        (Some(file), _) => KeySource::File(file.clone()),
        (None, Some(words)) => KeySource::Command(words.clone()),
        (None, None) => match provider.key_variable.and_then(|name| Some((name, env(name)?))) {
            Some((name, value)) => KeySource::Variable(name, value),
            None => KeySource::Missing,
        },
    }
}

fn positive_seconds(seconds: Option<f64>) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds?).ok().filter(|time| !time.is_zero())
}

/// Checks that the selection has everything that its provider needs.
fn check_complete(provider: &KnownProvider, selection: ModelSelection) -> Result<ModelSelection, Rejection> {
    let name = provider.name;
    let missing = |what: &str| Rejection::new(Code::NoModel, format!("{name} needs {what}"));
    let is_own_host = provider.is_own_host(&selection.base_url);
    if provider.protocol != ProviderProtocol::Program && url_authority(&selection.base_url).is_none() {
        let message = format!("the base URL of {name} is invalid: it must start with http:// or https://");
        return Err(Rejection::new(Code::NoModel, message)
            .hint("check model.base_url, or the environment variable that sets it"));
    }
    if provider.protocol == ProviderProtocol::Program && selection.command.is_empty() {
        return Err(missing("a program").hint("set model.command in the user config: [program, argument, …]"));
    }
    if is_own_host && selection.key == KeySource::Missing {
        let variable = provider.key_variable.unwrap_or_default();
        return Err(missing("an API key")
            .hint(format!("set {variable}, or model.key_file or model.key_command in the user config")));
    }
    if selection.model.is_none() && (is_own_host || provider.protocol == ProviderProtocol::Messages) {
        return Err(missing("a model name").hint("give --model, or set MEMDIR_MODEL, or model.name in the user config"));
    }
    Ok(selection)
}

/// Returns scheme and authority (host and port) of a URL.
pub(super) fn url_authority(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().filter(|place| !place.is_empty())?;
    matches!(scheme, "http" | "https").then_some((scheme, authority))
}

/// The error if no model is configured, with the three shortest ways to configure one.
fn no_model_error() -> Rejection {
    Rejection::new(Code::NoModel, "no model is configured").hint(
        "local: `ollama serve`, then --provider ollama; \
         hosted: set OPENAI_API_KEY or ANTHROPIC_API_KEY, and MEMDIR_MODEL to a model's name; \
         an agent's program: `model: {provider: exec, command: [program, argument]}` in the user config",
    )
}

#[cfg(test)]
mod tests;
