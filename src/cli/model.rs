//! Options of the commands that call a model, and the text output of `reflect --check-model`.
//!
//! Never selects the model, and takes no API key.

use std::time::Duration;

use clap::Args;

use super::args::seconds;
use super::print_result::PrintResult;
use super::text::Printer;
use crate::commands::results::{ModelCheck, WarningRow};
use crate::host::models::ModelQuery;

// Options of every command that calls a model. (No doc comment: clap would use it as the command's help.)
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct ModelArgs {
    /// The provider: openai, anthropic, gemini, openrouter, ollama, llamacpp, lmstudio, vllm, exec; also
    /// MEMDIR_PROVIDER
    #[arg(long, value_name = "NAME", help_heading = "Model options")]
    pub provider: Option<String>,
    /// The model's name at the provider; also MEMDIR_MODEL
    #[arg(long, value_name = "NAME", help_heading = "Model options")]
    pub model: Option<String>,
    /// Seconds to wait for the model (default 30 per request, 600 in total)
    #[arg(long, value_name = "S", help_heading = "Model options", allow_negative_numbers = true, value_parser = seconds)]
    pub timeout: Option<Duration>,
}

impl From<ModelArgs> for ModelQuery {
    fn from(args: ModelArgs) -> ModelQuery {
        ModelQuery { provider: args.provider, model: args.model, timeout: args.timeout, ..ModelQuery::default() }
    }
}

impl PrintResult for ModelCheck {
    /// Prints which model is configured, and the result of a test call.
    fn print(&self, printer: &mut Printer) {
        let ModelCheck { provider, model, endpoint, .. } = self;
        printer.text(&format!("{provider} {model} at {endpoint}"));
        if let Some(from) = &self.key {
            printer.text(&format!(", key from {from}"));
        }
        printer.end_line();
        let tokens = match (self.input_tokens, self.output_tokens) {
            (0, 0) => String::new(),
            (input, output) => format!(", {input} tokens in, {output} out"),
        };
        printer.text(&format!("answered in {} ms{tokens}", self.milliseconds)).end_line();
    }

    fn warnings(&self) -> &[WarningRow] {
        &self.warnings
    }
}
