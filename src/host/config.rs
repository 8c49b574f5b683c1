//! Parses the user config, `$XDG_CONFIG_HOME/memdir/config.yaml`: settings that a policy from git must not contain.
//!
//! Never opens a file: the caller passes the text.

use serde_json::{Map, Value};

use super::conversation_scope::ConversationRule;
use super::embeddings::{EMBEDDINGS_FORM, EmbeddingSettings};
use crate::code::{Code, Warning};
use crate::json_shape::{FieldGroup, JsonShape, ShapeForm, optional};
use crate::policy::yaml;

/// The settings of one user for all data directories on this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserConfig {
    /// `memory.dataDir`: the data directory of `-g`, as written; `~` is not expanded.
    pub data_dir: Option<String>,
    /// `memory.repositories`: the folder with a private memory for each git repository, as written.
    pub repositories: Option<String>,
    /// `durability`: `full`, `atomic` or `fast`.
    pub durability: Option<String>,
    /// `lock_timeout_s`: how long a write waits for the lock, in seconds.
    pub lock_timeout_s: Option<f64>,
    /// `model`: the model that `reflect` and `compact` call.
    pub model: ModelSettings,
    /// `finder`: the model that finds the items of `reflect --request`; without it, `model`.
    pub finder: Option<ModelSettings>,
    /// `editor`: the model that decides on the edits of `reflect --request`; without it, `model`.
    pub editor: Option<ModelSettings>,
    /// `people`: names of callers (`--as`) who are people, not agents.
    pub people: Vec<String>,
    /// `trusted`: the data directories on which hooks may act; `~/` is not expanded.
    pub trusted: Vec<String>,
    /// `layers`: the memories that are read together, the nearest first: `project`, `mine`, or directories.
    pub layers: Vec<String>,
    /// `scopes`: which scope a conversation belongs to, for `hook` and `reflect`; the first rule that matches applies.
    pub scopes: Vec<ConversationRule>,
    /// `find.embeddings`: the host that turns texts into vectors, for `query` and hooks.
    pub embeddings: Option<EmbeddingSettings>,
    /// `sync.remote`: the remote of memories that were set up to follow it, a URL or a path; `~/` is not expanded.
    pub sync_remote: Option<String>,
    /// `sync.timeout_s`: how long a hook waits for that remote, in seconds.
    pub sync_timeout_s: Option<f64>,
    /// `budget.tokens_per_day`: the limit on model usage, in tokens a day.
    pub tokens_per_day: Option<u64>,
}

/// The `model` block, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelSettings {
    /// The name of a provider that memdir knows, e.g. `openai`.
    pub provider: Option<String>,
    /// The model's name, as the provider spells it.
    pub name: Option<String>,
    /// The provider's base URL.
    pub base_url: Option<String>,
    /// A file that holds the key; `~` is not expanded.
    pub key_file: Option<String>,
    /// A program that prints the key, with its arguments.
    pub key_command: Option<Vec<String>>,
    /// The program that the provider `exec` runs, with its arguments.
    pub command: Option<Vec<String>>,
    /// Timeout of one request, in seconds.
    pub timeout_s: Option<f64>,
    /// Timeout of all requests of one command together, in seconds.
    pub overall_s: Option<f64>,
    /// Maximum length of a reply, in tokens.
    pub max_tokens: Option<u32>,
    /// Sent only if set: some current models reject it.
    pub temperature: Option<f64>,
    /// Sent only if set: some current models reject it.
    pub top_p: Option<f64>,
    /// Whether tool calls are used: `auto`, `on` or `off`.
    pub tools: Option<String>,
}

/// Valid values of `model.provider`.
pub const PROVIDERS: &[&str] =
    &["openai", "anthropic", "gemini", "openrouter", "ollama", "llamacpp", "lmstudio", "vllm", "exec"];

const CONFIG_FORM: ShapeForm = ShapeForm::new(
    "config",
    &[&[
        optional("memory", &JsonShape::Object(&MEMORY_FORM), "the location of the memory"),
        optional(
            "durability",
            &JsonShape::Choice(&["full", "atomic", "fast"]),
            "how much is synced before a command returns",
        ),
        optional("lock_timeout_s", &JsonShape::Number, "how long a write waits for the lock, in seconds"),
        optional("model", &JsonShape::Object(&MODEL_FORM), "the model for reflect and compact"),
        optional("finder", &JsonShape::Object(&MODEL_FORM), "the model that finds the items of reflect --request"),
        optional("editor", &JsonShape::Object(&MODEL_FORM), "the model that decides on the edits of reflect --request"),
        optional("people", &NAME_LIST, "the names with --as that are people, not agents"),
        optional("trusted", &NAME_LIST, "the data directories on which hooks may act"),
        optional(
            "layers",
            &NAME_LIST,
            "the memories that are read together, the nearest first: project, mine, directories",
        ),
        optional("budget", &JsonShape::Object(&BUDGET_FORM), "limits on model usage"),
        optional("sync", &JsonShape::Object(&SYNC_FORM), "the remote of homes that vanish"),
        optional("find", &JsonShape::Object(&FIND_FORM), "how `query` and hooks find items"),
        optional(
            "scopes",
            &JsonShape::List(&JsonShape::Object(&CONVERSATION_RULE_FORM), 0),
            "which scope a conversation belongs to; the first rule that matches applies",
        ),
    ]],
);
const MODEL_FORM: ShapeForm = ShapeForm::new(
    "model",
    &[&[
        optional("provider", &JsonShape::Choice(PROVIDERS), "the model's provider"),
        optional("name", &JsonShape::Text(1), "the model's name"),
        optional("base_url", &JsonShape::Text(1), "the provider's base URL"),
        optional("key_file", &JsonShape::Text(1), "a file that holds the key"),
        optional("key_command", &WORD_LIST, "a program that prints the key, with its arguments"),
        optional("command", &WORD_LIST, "the program of exec, with its arguments"),
        optional("timeout_s", &JsonShape::Number, "timeout of one request, in seconds (default 30)"),
        optional("overall_s", &JsonShape::Number, "timeout of all requests of one command, in seconds (default 600)"),
        optional("max_tokens", &JsonShape::Integer(1, 1 << 20), "maximum length of a reply, in tokens"),
        optional("temperature", &JsonShape::Number, "sent only if set"),
        optional("top_p", &JsonShape::Number, "sent only if set"),
        optional("tools", &JsonShape::Choice(&["auto", "on", "off"]), "whether tool calls are used"),
    ]],
);
const BUDGET_FORM: ShapeForm = ShapeForm::new(
    "budget",
    &[&[optional("tokens_per_day", &JsonShape::Integer(0, 1 << 53), "maximum model usage per day, in tokens")]],
);
const SYNC_FORM: ShapeForm = ShapeForm::new(
    "sync",
    &[&[
        optional("remote", &JsonShape::Text(1), "the remote of `sync --home` and hooks: a URL or an absolute path"),
        optional("timeout_s", &JsonShape::Number, "how long a hook waits for it, in seconds (default 5)"),
    ]],
);
const FIND_FORM: ShapeForm = ShapeForm::new(
    "find",
    &[&[optional("embeddings", &JsonShape::Object(&EMBEDDINGS_FORM), "the host that computes embeddings of texts")]],
);
const CONVERSATION_RULE_FORM: ShapeForm = ShapeForm {
    groups: &[FieldGroup::AtLeastOne(&["directory", "field"]), FieldGroup::AtLeastOne(&["scope", "field"])],
    ..ShapeForm::new(
        "scope rule",
        &[&[
            optional("directory", &JsonShape::Text(1), "a glob over the directory of the conversation"),
            optional("field", &JsonShape::Text(1), "a field of the transcript"),
            optional("is", &JsonShape::Text(1), "a glob over the value of the field"),
            optional("scope", &JsonShape::Text(1), "the scope; without it the value of the field"),
        ]],
    )
};
pub(super) const WORD_LIST: JsonShape = JsonShape::List(&JsonShape::Text(0), 1);
pub(super) const NAME_LIST: JsonShape = JsonShape::List(&JsonShape::Text(1), 0);
const MEMORY_FORM: ShapeForm = ShapeForm::new(
    "memory",
    &[&[
        optional("dataDir", &JsonShape::Text(1), "the data directory of -g"),
        optional("repositories", &JsonShape::Text(1), "the folder with a private memory for each git repository"),
    ]],
);

/// Parses the config. Never fails: an invalid entry is ignored, with a warning.
pub fn parse(text: &str) -> (UserConfig, Vec<Warning>) {
    let mut warnings = Vec::new();
    let mut warn = |line: Option<usize>, message: &str| {
        let place = line.map_or(String::new(), |n| format!(" line {n}"));
        let warning = Warning::new(Code::InvalidPolicy, format!("config.yaml{place}: {message}; ignored"));
        warnings.push(line.into_iter().fold(warning, |w, n| w.detail("line", n)));
    };
    let object = match yaml::parse(text) {
        Ok(Value::Object(object)) => object,
        Ok(Value::Null) => return Default::default(),
        Ok(_) => {
            warn(Some(1), "the file is not a mapping of keys to values");
            return (UserConfig::default(), warnings);
        }
        Err(problem) => {
            warn(problem.line, &problem.message);
            return (UserConfig::default(), warnings);
        }
    };
    let mut check = |form: &ShapeForm, object: &Map<String, Value>, above: Option<&str>| {
        for (key, value) in object {
            if let Err(problem) = form.check(&[(key.clone(), value.clone())].into_iter().collect()) {
                let path: Vec<String> = above.map(str::to_owned).into_iter().chain(problem.path).collect();
                warn(yaml::line_of(text, &path), &problem.message);
            }
        }
    };
    let mut top = object;
    let [has_finder, has_editor] = ["finder", "editor"].map(|name| top.get(name).is_some_and(Value::is_object));
    let mut block = |name: &str, form: &ShapeForm| {
        let entries = match top.get(name) {
            Some(Value::Object(_)) => top.shift_remove(name).and_then(|v| v.as_object().cloned()).unwrap_or_default(),
            _ => Map::new(),
        };
        check(form, &entries, Some(name));
        // An invalid entry counts as absent.
        entries.into_iter().filter(|(k, v)| form.check(&Map::from_iter([(k.clone(), v.clone())])).is_ok()).collect()
    };
    let memory: Map<String, Value> = block("memory", &MEMORY_FORM);
    let model: Map<String, Value> = block("model", &MODEL_FORM);
    let finder: Map<String, Value> = block("finder", &MODEL_FORM);
    let editor: Map<String, Value> = block("editor", &MODEL_FORM);
    let budget: Map<String, Value> = block("budget", &BUDGET_FORM);
    let sync: Map<String, Value> = block("sync", &SYNC_FORM);
    let find: Map<String, Value> = block("find", &FIND_FORM);
    check(&CONFIG_FORM, &top, None);
    let config = UserConfig {
        data_dir: string_value(memory.get("dataDir")).filter(|d| !d.is_empty()),
        repositories: string_value(memory.get("repositories")).filter(|d| !d.is_empty()),
        durability: string_value(top.get("durability")).filter(|d| matches!(d.as_str(), "full" | "atomic" | "fast")),
        lock_timeout_s: seconds(top.get("lock_timeout_s")),
        people: string_list(top.get("people")).unwrap_or_default(),
        trusted: string_list(top.get("trusted")).unwrap_or_default(),
        layers: string_list(top.get("layers")).unwrap_or_default(),
        tokens_per_day: budget.get("tokens_per_day").and_then(whole_number),
        scopes: conversation_rules(top.get("scopes")),
        embeddings: find.get("embeddings").and_then(Value::as_object).map(EmbeddingSettings::from_object),
        sync_remote: string_value(sync.get("remote")),
        sync_timeout_s: seconds(sync.get("timeout_s")),
        model: model_settings(&model),
        finder: has_finder.then(|| model_settings(&finder)),
        editor: has_editor.then(|| model_settings(&editor)),
    };
    (config, warnings)
}

/// The settings of a block for a model.
pub(super) fn model_settings(model: &Map<String, Value>) -> ModelSettings {
    ModelSettings {
        provider: string_value(model.get("provider")),
        name: string_value(model.get("name")),
        base_url: string_value(model.get("base_url")),
        key_file: string_value(model.get("key_file")),
        key_command: string_list(model.get("key_command")),
        command: string_list(model.get("command")),
        timeout_s: seconds(model.get("timeout_s")),
        overall_s: seconds(model.get("overall_s")),
        max_tokens: model.get("max_tokens").and_then(whole_number).and_then(|n| n.try_into().ok()),
        temperature: model.get("temperature").and_then(Value::as_f64),
        top_p: model.get("top_p").and_then(Value::as_f64),
        tools: string_value(model.get("tools")),
    }
}

/// The rules of `scopes`. A list with an invalid rule counts as absent, like any invalid entry.
fn conversation_rules(value: Option<&Value>) -> Vec<ConversationRule> {
    let Some(rules) = value.and_then(Value::as_array) else { return Vec::new() };
    let is_object = |rule: &Value| rule.as_object().is_some_and(|rule| CONVERSATION_RULE_FORM.check(rule).is_ok());
    if !rules.iter().all(is_object) {
        return Vec::new();
    }
    let rule = |rule: &Value| ConversationRule {
        directory: string_value(rule.get("directory")),
        field: string_value(rule.get("field")),
        value: string_value(rule.get("is")),
        scope: string_value(rule.get("scope")),
    };
    rules.iter().map(rule).collect()
}

fn seconds(value: Option<&Value>) -> Option<f64> {
    value.and_then(Value::as_f64).filter(|s| s.is_finite() && *s >= 0.0)
}

fn string_value(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

pub(super) fn string_list(value: Option<&Value>) -> Option<Vec<String>> {
    value?.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
}

/// Returns a whole number, also from `3.0`.
fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|n| *n >= 0.0 && n.fract() == 0.0).map(|n| n as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_config_sets_the_data_dir() {
        let (config, warnings) = parse("memory:\n  dataDir: data/memory    # Root directory for memory files\n");
        assert_eq!((config.data_dir.as_deref(), warnings.len()), (Some("data/memory"), 0));
        assert_eq!(parse(""), Default::default());
    }

    #[test]
    fn the_model_block_is_read() {
        let text = "model:\n  provider: exec\n  command: [agent, -p]\n  timeout_s: 0.5\n  max_tokens: 512\n  tools: no\n\
                    budget: {tokens_per_day: 20000}\n";
        let (config, warnings) = parse(text);
        assert_eq!(warnings.iter().map(|w| w.details["line"].clone()).collect::<Vec<_>>(), [6]);
        let expected = ModelSettings {
            provider: Some("exec".into()),
            command: Some(vec!["agent".into(), "-p".into()]),
            timeout_s: Some(0.5),
            max_tokens: Some(512),
            ..ModelSettings::default()
        };
        assert_eq!((config.model, config.tokens_per_day), (expected, Some(20_000)));
        // A shell command line is not a list of words: splitting it would be a guess.
        assert_eq!(parse("model: {command: agent -p}").0.model.command, None);
    }

    #[test]
    fn the_models_of_requests_are_blocks_like_that_of_the_model() {
        let (config, warnings) = parse("finder: {provider: ollama, name: small, colour: red}\neditor: 3\n");
        let finder =
            ModelSettings { provider: Some("ollama".into()), name: Some("small".into()), ..ModelSettings::default() };
        assert_eq!((config.finder, config.editor, warnings.len()), (Some(finder), None, 2));
    }

    #[test]
    fn rules_for_conversations_are_read() {
        let text = "scopes:\n  - {directory: ~/web/**, scope: web}\n  - {field: appId}\n";
        let (config, warnings) = parse(text);
        assert_eq!((config.scopes.len(), warnings.len()), (2, 0));
        assert_eq!(
            (config.scopes[0].scope.as_deref(), config.scopes[1].field.as_deref()),
            (Some("web"), Some("appId"))
        );
        for invalid in ["scopes: [{scope: web}]", "scopes: [{directory: x}]", "scopes: [web]", "scopes: [{field: 3}]"] {
            let (config, warnings) = parse(invalid);
            assert_eq!((config.scopes.len(), warnings.len()), (0, 1), "{invalid}");
        }
    }

    #[test]
    fn invalid_entries_give_warnings_and_the_rest_applies() {
        let text = "memory:\n  dataDir: m\n  dbPath: x\ndurability: slow\nlock_timeout_s: 2\ncolour: blue\n";
        let (config, warnings) = parse(text);
        let lines: Vec<_> = warnings.iter().map(|w| w.details["line"].clone()).collect();
        assert_eq!(lines, [3, 4, 6]);
        assert_eq!(
            (config.data_dir.as_deref(), config.durability, config.lock_timeout_s),
            (Some("m"), None, Some(2.0))
        );
        for broken in ["[", "- a", "a: b: c", "memory: 3"] {
            assert_eq!(parse(broken).0, UserConfig::default(), "{broken}");
            assert_eq!(parse(broken).1.len(), 1, "{broken}");
        }
    }
}
