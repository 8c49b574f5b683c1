//! `find.embeddings` of the user config: which host turns texts into vectors, and for which memories.
//!
//! Never reads a key or calls a host, and never takes a setting from a data directory: what arrived by `git clone` must
//! not send texts anywhere.

use std::path::Path;

use serde_json::{Map, Value};

use super::EnvLookup;
use super::config::{self, ModelSettings};
use super::models::{self, KeySource, ProviderProtocol};
use super::trusted::lists_directory;
use crate::code::{Code, Rejection};
use crate::json_shape::{FieldGroup, JsonShape, ShapeForm, optional, required};

/// The `find.embeddings` block, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmbeddingSettings {
    /// Provider, name, URL and key of the model, with the keys of the `model` block.
    pub model: ModelSettings,
    /// The data directories whose items may be sent; `~/` is not expanded.
    pub memories: Vec<String>,
    /// What some models expect in front of a question, such as `query: `.
    pub query_prefix: String,
    /// What some models expect in front of a stored text, such as `passage: `.
    pub text_prefix: String,
}

pub(super) const EMBEDDINGS_FORM: ShapeForm = ShapeForm {
    groups: &[FieldGroup::AtLeastOne(&["provider", "base_url"])],
    ..ShapeForm::new(
        "embeddings",
        &[&[
            required("name", &JsonShape::Text(1), "the model's name"),
            required("memories", &config::NAME_LIST, "the data directories whose items may be sent to it"),
            optional("provider", &JsonShape::Choice(config::PROVIDERS), "the model's provider"),
            optional("base_url", &JsonShape::Text(1), "the base URL of a host with OpenAI-compatible /embeddings"),
            optional("key_file", &JsonShape::Text(1), "a file that holds the key"),
            optional("key_command", &config::WORD_LIST, "a program that prints the key, with its arguments"),
            optional("query_prefix", &JsonShape::Text(0), "what the model expects in front of a question"),
            optional("text_prefix", &JsonShape::Text(0), "what the model expects in front of a stored text"),
        ]],
    )
};

/// The selected host and model of vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingSelection {
    pub provider: &'static str,
    pub model: String,
    pub base_url: String,
    pub key: KeySource,
}

impl EmbeddingSettings {
    /// Reads a valid block.
    pub(super) fn from_object(object: &Map<String, Value>) -> EmbeddingSettings {
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        EmbeddingSettings {
            model: config::model_settings(object),
            memories: config::string_list(object.get("memories")).unwrap_or_default(),
            query_prefix: text("query_prefix").unwrap_or_default(),
            text_prefix: text("text_prefix").unwrap_or_default(),
        }
    }

    /// Whether the block names a data directory. A scope is a memory of its own: it is named by its own directory.
    pub fn names_memory(&self, dir: &Path, env: EnvLookup<'_>) -> bool {
        lists_directory(&self.memories, dir, env)
    }

    /// What identifies the vectors of this block: those of another host, model or prefix cannot be compared with them.
    pub fn identity(&self) -> String {
        let ModelSettings { provider, name, base_url, .. } = &self.model;
        let parts = [provider, base_url, name].map(|part| part.as_deref().unwrap_or_default());
        [&parts[..], &[self.text_prefix.as_str()]].concat().join("\0")
    }

    /// Selects host, model and the source of the key. A key from the environment goes only to a provider that is named:
    /// it must not reach whichever host a URL leads to.
    ///
    /// # Errors
    /// `no_model` for a provider without embeddings, an invalid URL, or a missing key.
    pub fn select(&self, env: EnvLookup<'_>) -> Result<EmbeddingSelection, Rejection> {
        let wrong = |reason: String| Rejection::new(Code::NoModel, format!("find.embeddings: {reason}"));
        let provider = models::find_provider(self.model.provider.as_deref().unwrap_or("openai"))?;
        if provider.protocol != ProviderProtocol::Chat {
            return Err(wrong(format!("{} has no embeddings", provider.name))
                .hint("use a provider with OpenAI-compatible embeddings, such as ollama, llamacpp, vllm or openai"));
        }
        let base_url = models::base_url_of(provider, &self.model, env);
        if models::url_authority(&base_url).is_none() {
            return Err(wrong("base_url must start with http:// or https://".into())
                .hint("give the address of the host, such as http://127.0.0.1:11434/v1"));
        }
        let key = match &self.model {
            ModelSettings { provider: None, key_file: None, key_command: None, .. } => KeySource::Missing,
            settings => models::key_source_of(provider, settings, env),
        };
        if provider.is_own_host(&base_url) && key == KeySource::Missing {
            return Err(wrong(format!("{} needs an API key", provider.name)).hint("set key_file or key_command there"));
        }
        let model = self.model.name.clone().unwrap_or_default();
        Ok(EmbeddingSelection { provider: provider.name, model, base_url, key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Option<EmbeddingSettings>, usize) {
        let (config, warnings) = config::parse(text);
        (config.embeddings, warnings.len())
    }

    #[test]
    fn a_block_needs_a_host_a_model_and_memories() {
        let whole = "find: {embeddings: {base_url: 'http://127.0.0.1:1/v1', name: m, memories: [~/memory]}}\n";
        let (settings, warnings) = parse(whole);
        let settings = settings.unwrap();
        assert_eq!((settings.memories.as_slice(), warnings), (&["~/memory".to_owned()][..], 0));
        for broken in [
            "find: {embeddings: {name: m, memories: [a]}}",
            "find: {embeddings: {base_url: x, memories: [a]}}",
            "find: {embeddings: {base_url: x, name: m}}",
            "find: {embeddings: {base_url: x, name: m, memories: a}}",
            "find: {embeddings: {base_url: x, name: m, memories: [a], colour: red}}",
            "find: {embeddings: 3}",
            "find: 3",
        ] {
            assert_eq!(parse(broken), (None, 1), "{broken}");
        }
    }

    #[test]
    fn a_key_of_the_environment_goes_to_the_provider_that_is_named() {
        let env = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-1".to_owned());
        let select = |block: &str| {
            let text = format!("find: {{embeddings: {{name: m, memories: [/m], {block}}}}}");
            parse(&text).0.unwrap().select(&env)
        };
        assert_eq!(select("base_url: 'http://127.0.0.1:1'").unwrap().key, KeySource::Missing);
        assert_eq!(select("provider: openai").unwrap().key, KeySource::Variable("OPENAI_API_KEY", "sk-1".into()));
        let local = select("provider: ollama").unwrap();
        assert_eq!((local.base_url.as_str(), local.key), ("http://127.0.0.1:11434/v1", KeySource::Missing));
        for wrong in ["provider: exec", "provider: anthropic", "base_url: 'ftp://h'", "provider: gemini"] {
            assert_eq!(select(wrong).unwrap_err().code, Code::NoModel, "{wrong}");
        }
    }

    #[test]
    fn a_memory_is_named_by_any_path_that_leads_to_it() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("memory");
        fs_err::create_dir_all(dir.join("scopes/team")).unwrap();
        let env = |name: &str| (name == "HOME").then(|| home.path().to_str().unwrap().to_owned());
        let settings = |named: &str| EmbeddingSettings { memories: vec![named.into()], ..EmbeddingSettings::default() };
        assert!(settings("~/memory").names_memory(&dir, &env));
        assert!(settings(dir.to_str().unwrap()).names_memory(&dir.join("."), &env));
        assert!(!settings("~/memory").names_memory(&dir.join("scopes/team"), &env));
        assert!(!settings("memory").names_memory(&dir, &env) && !settings("~/other").names_memory(&dir, &env));
    }
}
