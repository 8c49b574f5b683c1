//! Which model is meant: from flags, environment, the user's config and the variables that everybody sets.
//!
//! Pure over what it is given; never reads a key from a file or a command (`keys.rs` does), never asks anybody, and never
//! looks into a data dir: what came by `git clone` chooses no model.

use std::time::Duration;

use super::config::{ModelConfig, UserConfig};
use crate::code::{Code, Rejection};

/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(30);
/// How long all requests of one command may take.
const OVERALL: Duration = Duration::from_secs(600);
/// The variable that a program of `exec` finds: who asks it is asked by memdir already.
pub const INSIDE: &str = "MEMDIR_INSIDE";

/// What the caller said about the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// `--provider`.
    pub provider: Option<String>,
    /// `--model`.
    pub model: Option<String>,
    /// `--timeout`: how long the command may wait for the model, in all and for one request.
    pub timeout: Option<Duration>,
}

/// The language a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// OpenAI's chat completions.
    Chat,
    /// Anthropic's messages.
    Messages,
    /// Prompt on stdin, answer on stdout.
    Program,
}

/// Whether tools are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tools {
    /// Where the host can.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// Where a key comes from.
#[derive(Clone, PartialEq, Eq)]
pub enum KeyFrom {
    /// Nowhere.
    Nowhere,
    /// A variable: its name, its value.
    Variable(&'static str, String),
    /// A file; `~/` is the home directory.
    File(String),
    /// A program and its arguments.
    Command(Vec<String>),
}

impl KeyFrom {
    /// Where it comes from, for people; never the key.
    pub fn shown(&self) -> Option<String> {
        match self {
            KeyFrom::Nowhere => None,
            KeyFrom::Variable(name, _) => Some((*name).to_owned()),
            KeyFrom::File(path) => Some(format!("file {path}")),
            KeyFrom::Command(words) => Some(format!("command {}", words.first().map_or("", String::as_str))),
        }
    }
}

impl std::fmt::Debug for KeyFrom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown().unwrap_or_else(|| "nowhere".to_owned()))
    }
}

/// The model that is meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The provider's name.
    pub provider: &'static str,
    /// What it speaks.
    pub speaks: Speaks,
    /// The model's name; `None`: the host is asked for the only one it has.
    pub model: Option<String>,
    /// Where it listens; empty for a program.
    pub base_url: String,
    /// Its key.
    pub key: KeyFrom,
    /// The program and its arguments; empty for a host.
    pub command: Vec<String>,
    /// How long one request may take.
    pub timeout: Duration,
    /// How long all requests of one command may take.
    pub overall: Duration,
    /// The longest reply, in tokens.
    pub max_tokens: Option<u32>,
    /// Sent only when set.
    pub temperature: Option<f64>,
    /// Sent only when set.
    pub top_p: Option<f64>,
    /// Whether tools are used.
    pub tools: Tools,
}

/// What is known of a provider.
struct Provider {
    name: &'static str,
    speaks: Speaks,
    /// Where it listens unless something else is said.
    base_url: &'static str,
    /// The variable that names another place.
    at: Option<&'static str>,
    /// The variable with its key.
    key: Option<&'static str>,
    /// Whether it is somebody else's machine: no answer without a key and a model's name.
    hosted: bool,
    /// How its models' names begin.
    models: &'static [&'static str],
}

const fn hosted(
    name: &'static str,
    base_url: &'static str,
    at: Option<&'static str>,
    key: &'static str,
    models: &'static [&'static str],
) -> Provider {
    Provider { name, speaks: Speaks::Chat, base_url, at, key: Some(key), hosted: true, models }
}

const fn local(
    name: &'static str,
    base_url: &'static str,
    at: Option<&'static str>,
    key: Option<&'static str>,
) -> Provider {
    Provider { name, speaks: Speaks::Chat, base_url, at, key, hosted: false, models: &[] }
}

/// All of them; where several have a key, an earlier one is meant.
const ALL: &[Provider] = &[
    hosted(
        "openai",
        "https://api.openai.com/v1",
        Some("OPENAI_BASE_URL"),
        "OPENAI_API_KEY",
        &["gpt", "o1", "o3", "o4"],
    ),
    Provider {
        speaks: Speaks::Messages,
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
    Provider { speaks: Speaks::Program, ..local("exec", "", None, None) },
];

/// The model that is meant: `--provider` and `--model`, then `MEMDIR_PROVIDER` and `MEMDIR_MODEL`, then the user's config,
/// then the usual variables.
///
/// # Errors
/// `usage` for a provider that nobody knows; `no_model` where nothing is configured, or a key or a model's name is missing.
pub fn choose(asked: &Asked, config: &UserConfig, env: &dyn Fn(&str) -> Option<String>) -> Result<Chosen, Rejection> {
    let env = |name: &str| env(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
    if env(INSIDE).is_some() {
        return Err(Rejection::new(Code::NoModel, "memdir was called by a program that memdir itself asked")
            .hint("let the program of `exec` answer without memdir's own hooks"));
    }
    let named = asked.provider.clone().or_else(|| env("MEMDIR_PROVIDER"));
    let model = asked.model.clone().or_else(|| env("MEMDIR_MODEL"));
    let theirs = &config.model;
    let configured = theirs.provider.as_deref().or(match theirs {
        ModelConfig { command: Some(_), .. } => Some("exec"),
        ModelConfig { base_url: Some(_), .. } => Some("openai"),
        _ => None,
    });
    let provider = match named.as_deref().or(configured) {
        Some(name) => known(name)?,
        None => usual(model.as_deref().or(theirs.name.as_deref()), &env).ok_or_else(nothing)?,
    };
    // What was configured for one provider (its address, its key) is nobody else's.
    let other = ModelConfig::default();
    let own = if configured.is_none_or(|name| name == provider.name) { theirs } else { &other };
    let chosen = Chosen {
        provider: provider.name,
        speaks: provider.speaks,
        model: model.or_else(|| own.name.clone()),
        base_url: address(provider, own, &env),
        key: key(provider, own, &env),
        // A program is nobody's but `exec`'s, whoever else is configured.
        command: theirs.command.clone().filter(|_| provider.speaks == Speaks::Program).unwrap_or_default(),
        timeout: asked.timeout.or_else(|| time(theirs.timeout_s)).unwrap_or(REQUEST),
        overall: asked.timeout.or_else(|| time(theirs.overall_s)).unwrap_or(OVERALL),
        max_tokens: theirs.max_tokens,
        temperature: theirs.temperature,
        top_p: theirs.top_p,
        tools: match theirs.tools.as_deref() {
            Some("on") => Tools::On,
            Some("off") => Tools::Off,
            _ => Tools::Auto,
        },
    };
    whole(provider, chosen)
}

fn known(name: &str) -> Result<&'static Provider, Rejection> {
    let lower = name.to_ascii_lowercase();
    let names: Vec<&str> = ALL.iter().map(|p| p.name).collect();
    let shown: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    ALL.iter().find(|p| p.name == lower).ok_or_else(|| {
        Rejection::new(Code::Usage, format!("'{shown}' is no provider")).hint(format!(
            "it is one of {}; any host that speaks chat completions is openai with a base_url",
            names.join(", ")
        ))
    })
}

/// Whom the usual variables mean: the provider whose models are named like that, else the first that is set.
fn usual(model: Option<&str>, env: &dyn Fn(&str) -> Option<String>) -> Option<&'static Provider> {
    let is_set = |name: &Option<&str>| name.is_some_and(|name| env(name).is_some());
    // A local host's key alone says nothing: it may stand there for another program.
    let mut set = ALL.iter().filter(|p| is_set(&p.at) || p.hosted && is_set(&p.key)).peekable();
    let first = *set.peek()?;
    let fits = |p: &&Provider| model.is_some_and(|m| p.models.iter().any(|start| m.starts_with(start)));
    Some(set.find(fits).unwrap_or(first))
}

/// Where a provider listens.
fn address(provider: &Provider, own: &ModelConfig, env: &dyn Fn(&str) -> Option<String>) -> String {
    let said = own.base_url.clone().or_else(|| match provider.at {
        Some("OLLAMA_HOST") => env("OLLAMA_HOST").map(|host| ollama(&host)),
        at => at.and_then(env),
    });
    said.map_or_else(|| provider.base_url.to_owned(), |url| url.trim_end_matches('/').to_owned())
}

/// `OLLAMA_HOST` as Ollama reads it: a host, a port or both, with or without `http://`; all interfaces mean this one.
fn ollama(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let (place, path) = rest.split_once('/').map_or((rest, ""), |(place, path)| (place, path.trim_end_matches('/')));
    let (name, port) = match place.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => (name, port),
        _ if scheme == "https" => (place, "443"),
        _ if host.contains("://") => (place, "80"),
        _ => (place, "11434"),
    };
    let name = match name {
        "" | "0.0.0.0" | "[::]" => "127.0.0.1",
        name => name,
    };
    let path = if path.is_empty() { "v1" } else { path };
    format!("{scheme}://{name}:{port}/{path}")
}

fn key(provider: &Provider, own: &ModelConfig, env: &dyn Fn(&str) -> Option<String>) -> KeyFrom {
    match (&own.key_file, &own.key_command) {
        _ if provider.speaks == Speaks::Program => KeyFrom::Nowhere,
        (Some(file), _) => KeyFrom::File(file.clone()),
        (None, Some(words)) => KeyFrom::Command(words.clone()),
        (None, None) => match provider.key.and_then(|name| Some((name, env(name)?))) {
            Some((name, value)) => KeyFrom::Variable(name, value),
            None => KeyFrom::Nowhere,
        },
    }
}

fn time(seconds: Option<f64>) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds?).ok().filter(|time| !time.is_zero())
}

/// Whether all is said that the provider needs.
fn whole(provider: &Provider, chosen: Chosen) -> Result<Chosen, Rejection> {
    let name = provider.name;
    let lacks = |what: &str| Rejection::new(Code::NoModel, format!("{name} needs {what}"));
    let at_home = provider.hosted && place(&chosen.base_url) == place(provider.base_url);
    if provider.speaks != Speaks::Program && place(&chosen.base_url).is_none() {
        let message = format!("the address of {name} is none: it starts with http:// or https://");
        return Err(
            Rejection::new(Code::NoModel, message).hint("look at model.base_url, or at the variable that names it")
        );
    }
    if provider.speaks == Speaks::Program && chosen.command.is_empty() {
        return Err(lacks("a program").hint("set model.command in the user config: [program, argument, …]"));
    }
    if at_home && chosen.key == KeyFrom::Nowhere {
        let variable = provider.key.unwrap_or_default();
        return Err(
            lacks("a key").hint(format!("set {variable}, or model.key_file or model.key_command in the user config"))
        );
    }
    if chosen.model.is_none() && (at_home || provider.speaks == Speaks::Messages) {
        return Err(lacks("a model's name").hint("give --model, or set MEMDIR_MODEL, or model.name in the user config"));
    }
    Ok(chosen)
}

/// Scheme, host and port of an address.
fn place(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let place = rest.split(['/', '?', '#']).next().filter(|place| !place.is_empty())?;
    matches!(scheme, "http" | "https").then_some((scheme, place))
}

/// Nothing is configured: the three shortest ways to get going.
fn nothing() -> Rejection {
    Rejection::new(Code::NoModel, "no model is configured").hint(
        "a local one: `ollama serve`, then --provider ollama; \
         a hosted one: set OPENAI_API_KEY or ANTHROPIC_API_KEY, and MEMDIR_MODEL to a model's name; \
         an agent's command line: `model: {provider: exec, command: [program, argument]}` in the user config",
    )
}

#[cfg(test)]
mod tests;
