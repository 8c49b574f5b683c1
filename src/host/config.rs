//! The user's own config, `$XDG_CONFIG_HOME/memdir/config.yaml`: what a policy from git must never say.
//!
//! Reads a text only; where it lies and whether it exists is its caller's business.

use serde_json::{Map, Value};

use crate::code::{Code, Warning};
use crate::policy::yaml;
use crate::shape::{Field, Form, Shape, may};

/// What one person has set for all data dirs on this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserConfig {
    /// `memory.dataDir` (seeds/m2-markdown-memory.md 9): the data dir of `-g`, as written; `~` is not expanded.
    pub data_dir: Option<String>,
    /// `durability`: `full`, `atomic` or `fast`.
    pub durability: Option<String>,
    /// `lock_timeout_s`: how long a write waits for the lock, in seconds.
    pub lock_timeout_s: Option<f64>,
    /// `model`: who answers `reflect` and `compact`.
    pub model: ModelConfig,
    /// `budget.tokens_per_day`: what models may cost a day, in tokens.
    pub tokens_per_day: Option<u64>,
}

/// The block `model`, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelConfig {
    /// Who answers, one of [`PROVIDERS`].
    pub provider: Option<String>,
    /// The model's name, as the provider knows it.
    pub name: Option<String>,
    /// Where the provider listens.
    pub base_url: Option<String>,
    /// A file that holds the key; `~` is not expanded.
    pub key_file: Option<String>,
    /// A program that prints the key, with its arguments.
    pub key_command: Option<Vec<String>>,
    /// The program of `exec`, with its arguments.
    pub command: Option<Vec<String>>,
    /// How long one request may take, in seconds.
    pub timeout_s: Option<f64>,
    /// How long all requests of one command may take, in seconds.
    pub overall_s: Option<f64>,
    /// The longest reply, in tokens.
    pub max_tokens: Option<u32>,
    /// Sent only when set: current models refuse it.
    pub temperature: Option<f64>,
    /// Sent only when set: current models refuse it.
    pub top_p: Option<f64>,
    /// Whether tools are used: `auto`, `on` or `off`.
    pub tools: Option<String>,
}

/// Whom `model.provider` may name.
pub const PROVIDERS: &[&str] =
    &["openai", "anthropic", "gemini", "openrouter", "ollama", "llamacpp", "lmstudio", "vllm", "exec"];

const CONFIG: Form = form(
    "config",
    &[&[
        may("memory", &Shape::Object(&MEMORY), "where memory lies"),
        may("durability", &Shape::Choice(&["full", "atomic", "fast"]), "how hard a write is pressed to the disk"),
        may("lock_timeout_s", &Shape::Number, "how long a write waits for the lock, in seconds"),
        may("model", &Shape::Object(&MODEL), "who answers reflect and compact"),
        may("budget", &Shape::Object(&BUDGET), "what models may cost"),
    ]],
);
const MODEL: Form = form(
    "model",
    &[&[
        may("provider", &Shape::Choice(PROVIDERS), "who answers"),
        may("name", &Shape::Text(1), "the model"),
        may("base_url", &Shape::Text(1), "where the provider listens"),
        may("key_file", &Shape::Text(1), "a file that holds the key"),
        may("key_command", &WORDS, "a program that prints the key, with its arguments"),
        may("command", &WORDS, "the program of exec, with its arguments"),
        may("timeout_s", &Shape::Number, "how long one request may take, in seconds (30)"),
        may("overall_s", &Shape::Number, "how long all requests of one command may take, in seconds (600)"),
        may("max_tokens", &Shape::Integer(1, 1 << 20), "the longest reply, in tokens"),
        may("temperature", &Shape::Number, "sent only when set"),
        may("top_p", &Shape::Number, "sent only when set"),
        may("tools", &Shape::Choice(&["auto", "on", "off"]), "whether tools are used"),
    ]],
);
const BUDGET: Form =
    form("budget", &[&[may("tokens_per_day", &Shape::Integer(0, 1 << 53), "what models may cost a day, in tokens")]]);
const WORDS: Shape = Shape::List(&Shape::Text(0), 1);
const MEMORY: Form = form("memory", &[&[may("dataDir", &Shape::Text(1), "the data dir of -g")]]);

const fn form(name: &'static str, fields: &'static [&'static [Field]]) -> Form {
    Form { name, about: "", fields, groups: &[], foreign: &[], open: false, rule: None }
}

/// Reads the config's text. Never fails: what is not understood is passed over and told.
pub fn load(text: &str) -> (UserConfig, Vec<Warning>) {
    let mut warnings = Vec::new();
    let mut warn = |line: Option<usize>, message: &str| {
        let place = line.map_or(String::new(), |n| format!(" line {n}"));
        let warning = Warning::new(Code::InvalidPolicy, format!("config.yaml{place}: {message}; it is passed over"));
        warnings.push(line.into_iter().fold(warning, |w, n| w.detail("line", n)));
    };
    let object = match yaml::read(text) {
        Ok(Value::Object(object)) => object,
        Ok(Value::Null) => return Default::default(),
        Ok(_) => {
            warn(Some(1), "it is not a mapping of keys to values");
            return (UserConfig::default(), warnings);
        }
        Err(flaw) => {
            warn(flaw.line, &flaw.message);
            return (UserConfig::default(), warnings);
        }
    };
    let mut check = |form: &Form, object: &Map<String, Value>, above: Option<&str>| {
        for (key, value) in object {
            if let Err(problem) = form.check(&[(key.clone(), value.clone())].into_iter().collect()) {
                let path: Vec<String> = above.map(str::to_owned).into_iter().chain(problem.path).collect();
                warn(yaml::line_of(text, &path), &problem.message);
            }
        }
    };
    let mut top = object;
    let mut block = |name: &str, form: &Form| {
        let below = match top.get(name) {
            Some(Value::Object(_)) => top.shift_remove(name).and_then(|v| v.as_object().cloned()).unwrap_or_default(),
            _ => Map::new(),
        };
        check(form, &below, Some(name));
        // What is not understood counts as not said.
        below.into_iter().filter(|(k, v)| form.check(&Map::from_iter([(k.clone(), v.clone())])).is_ok()).collect()
    };
    let memory: Map<String, Value> = block("memory", &MEMORY);
    let model: Map<String, Value> = block("model", &MODEL);
    let budget: Map<String, Value> = block("budget", &BUDGET);
    check(&CONFIG, &top, None);
    let seconds = |value: Option<&Value>| value.and_then(Value::as_f64).filter(|s| s.is_finite() && *s >= 0.0);
    let config = UserConfig {
        data_dir: word(memory.get("dataDir")).filter(|d| !d.is_empty()),
        durability: word(top.get("durability")).filter(|d| matches!(d.as_str(), "full" | "atomic" | "fast")),
        lock_timeout_s: seconds(top.get("lock_timeout_s")),
        tokens_per_day: budget.get("tokens_per_day").and_then(whole),
        model: ModelConfig {
            provider: word(model.get("provider")),
            name: word(model.get("name")),
            base_url: word(model.get("base_url")),
            key_file: word(model.get("key_file")),
            key_command: words(model.get("key_command")),
            command: words(model.get("command")),
            timeout_s: seconds(model.get("timeout_s")),
            overall_s: seconds(model.get("overall_s")),
            max_tokens: model.get("max_tokens").and_then(whole).and_then(|n| n.try_into().ok()),
            temperature: model.get("temperature").and_then(Value::as_f64),
            top_p: model.get("top_p").and_then(Value::as_f64),
            tools: word(model.get("tools")),
        },
    };
    (config, warnings)
}

fn word(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

fn words(value: Option<&Value>) -> Option<Vec<String>> {
    value?.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
}

/// A whole number, also one written as `3.0`.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|n| *n >= 0.0 && n.fract() == 0.0).map(|n| n as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_config_says_where_memory_lies() {
        let (config, warnings) = load("memory:\n  dataDir: data/memory    # Root directory for memory files\n");
        assert_eq!((config.data_dir.as_deref(), warnings.len()), (Some("data/memory"), 0));
        assert_eq!(load(""), Default::default());
    }

    #[test]
    fn the_model_block_says_who_answers() {
        let text = "model:\n  provider: exec\n  command: [agent, -p]\n  timeout_s: 0.5\n  max_tokens: 512\n  tools: no\n\
                    budget: {tokens_per_day: 20000}\n";
        let (config, warnings) = load(text);
        assert_eq!(warnings.iter().map(|w| w.details["line"].clone()).collect::<Vec<_>>(), [6]);
        let expected = ModelConfig {
            provider: Some("exec".into()),
            command: Some(vec!["agent".into(), "-p".into()]),
            timeout_s: Some(0.5),
            max_tokens: Some(512),
            ..ModelConfig::default()
        };
        assert_eq!((config.model, config.tokens_per_day), (expected, Some(20_000)));
        // A line for a shell is no list of words: nobody shall guess where its words end.
        assert_eq!(load("model: {command: agent -p}").0.model.command, None);
    }

    #[test]
    fn what_is_not_understood_is_told_and_the_rest_counts() {
        let text = "memory:\n  dataDir: m\n  dbPath: x\ndurability: slow\nlock_timeout_s: 2\ncolour: blue\n";
        let (config, warnings) = load(text);
        let lines: Vec<_> = warnings.iter().map(|w| w.details["line"].clone()).collect();
        assert_eq!(lines, [3, 4, 6]);
        assert_eq!(
            (config.data_dir.as_deref(), config.durability, config.lock_timeout_s),
            (Some("m"), None, Some(2.0))
        );
        for broken in ["[", "- a", "a: b: c", "memory: 3"] {
            assert_eq!(load(broken).0, UserConfig::default(), "{broken}");
            assert_eq!(load(broken).1.len(), 1, "{broken}");
        }
    }
}
