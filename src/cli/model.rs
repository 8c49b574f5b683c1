//! Options of the verbs that ask a model, and the model that was tried as text.
//!
//! Never says which model is meant, and takes no key.

use std::time::Duration;

use clap::Args;

use super::args::seconds;
use super::text::Page;
use crate::commands::answer::ModelCheck;
use crate::host::models::Asked;

// Options of every verb that asks a model.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct ModelArgs {
    /// Who answers: openai, anthropic, gemini, openrouter, ollama, llamacpp, lmstudio, vllm, exec; also MEMDIR_PROVIDER
    #[arg(long, value_name = "NAME", help_heading = "Model")]
    pub provider: Option<String>,
    /// The model, as the provider knows it; also MEMDIR_MODEL
    #[arg(long, value_name = "NAME", help_heading = "Model")]
    pub model: Option<String>,
    /// How long to wait for the model, in seconds (30 a request, 600 in all)
    #[arg(long, value_name = "S", help_heading = "Model", value_parser = seconds)]
    pub timeout: Option<Duration>,
}

impl From<ModelArgs> for Asked {
    fn from(said: ModelArgs) -> Asked {
        Asked { provider: said.provider, model: said.model, timeout: said.timeout }
    }
}

/// What would be called, and what the try came to.
pub fn checked(page: &mut Page, check: &ModelCheck) {
    let ModelCheck { provider, model, endpoint, .. } = check;
    page.text(&format!("{provider} {model} at {endpoint}"));
    if let Some(from) = &check.key {
        page.text(&format!(", key from {from}"));
    }
    page.end();
    let tokens = match (check.input_tokens, check.output_tokens) {
        (0, 0) => String::new(),
        (input, output) => format!(", {input} tokens in, {output} out"),
    };
    page.text(&format!("answered in {} ms{tokens}", check.milliseconds)).end();
}
