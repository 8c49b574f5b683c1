//! The model that a verb asks: choosing it, opening it, trying it, and what its troubles mean to whoever called.
//!
//! Never holds a key longer than opening takes, and says only where it came from.

use std::time::{Duration, Instant};

use super::Verdict;
use super::answer::{Answer, ModelCheck};
use super::change::told;
use crate::code::{Code, Rejection, Warning};
use crate::host::models::{self, Asked, Chosen, Speaks, Tools};
use crate::host::{keys, user};
use crate::llm::{self, Choice, Deadline, Key, Message, Model, Request, Trouble, What, Wire};

/// The environment, as a function.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A model that can be asked, and the user's wishes about asking it.
pub struct Opened {
    /// Whom to ask.
    pub model: Box<dyn Model>,
    /// How long all questions of one command may take together.
    pub overall: Duration,
    /// Whether tools are used.
    pub tools: Tools,
    /// Where it is asked: an address, or a program.
    pub endpoint: String,
    /// Where the key came from.
    pub key: Option<String>,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

/// The model that flags, environment and user config mean.
///
/// # Errors
/// `no_model`, `usage`; as [`rejected`] where the host had to be asked for a model's name.
pub fn model(asked: &Asked, env: Env<'_>) -> Result<Opened, Rejection> {
    let chosen = models::choose(asked, &user::config(env).0, env)?;
    if chosen.speaks != Speaks::Program && !llm::NETWORK {
        return Err(Rejection::new(Code::NoModel, "this build of memdir has no network")
            .hint("use a program: `model: {provider: exec, command: [program, argument]}` in the user config"));
    }
    let (key, warning) = keys::read(&chosen.key, env)?;
    let key = key.map(|text| Key::new(&text).ok_or_else(|| bad(&chosen))).transpose()?;
    let mut warnings: Vec<Warning> = warning.into_iter().collect();
    warnings.extend(overheard(&chosen, key.is_some()));
    let choice = choice(&chosen, key);
    let model = llm::open(&choice).map_err(unnamed)?;
    let endpoint = match chosen.speaks {
        Speaks::Program => chosen.command.first().cloned().unwrap_or_default(),
        Speaks::Chat | Speaks::Messages => llm::shown(&chosen.base_url),
    };
    let key = chosen.key.shown();
    Ok(Opened { model, overall: chosen.overall, tools: chosen.tools, endpoint, key, warnings })
}

/// A host whose list does not say which model is meant.
fn unnamed(trouble: Trouble) -> Rejection {
    match (trouble.what, trouble.status) {
        (What::Rejected, None) => Rejection::new(Code::NoModel, trouble.message),
        _ => rejected(trouble),
    }
}

fn bad(chosen: &Chosen) -> Rejection {
    let from = chosen.key.shown().unwrap_or_default();
    Rejection::new(Code::NoModel, format!("what {from} holds is no key: one word of visible ASCII is wanted"))
}

/// A key that travels unencrypted.
fn overheard(chosen: &Chosen, key: bool) -> Option<Warning> {
    let plain = key && chosen.base_url.starts_with("http://") && !llm::is_loopback(&chosen.base_url);
    let message = || format!("the key goes unencrypted to {}", llm::shown(&chosen.base_url));
    plain.then(|| Warning::new(Code::Note, message()))
}

fn choice(chosen: &Chosen, key: Option<Key>) -> Choice {
    Choice {
        provider: chosen.provider.to_owned(),
        wire: match chosen.speaks {
            Speaks::Chat => Wire::Chat,
            Speaks::Messages => Wire::Messages,
            Speaks::Program => Wire::Program,
        },
        model: chosen.model.clone(),
        base_url: chosen.base_url.clone(),
        key,
        command: chosen.command.clone(),
        variables: vec![(models::INSIDE.to_owned(), "1".to_owned())],
        timeout: chosen.timeout.min(chosen.overall),
        most_tokens: chosen.max_tokens,
        temperature: chosen.temperature,
        top_p: chosen.top_p,
    }
}

/// What a trouble with the model means to whoever called.
pub fn rejected(trouble: Trouble) -> Rejection {
    let (code, hint) = match trouble.what {
        What::Unreachable => (Code::Model, Some("is it running, and is its address right? (model.base_url)")),
        What::Timeout => (Code::Model, Some("--timeout, or model.timeout_s in the user config, gives it more time")),
        What::Busy | What::TooLarge | What::Malformed | What::Program | What::Interrupted => (Code::Model, None),
        What::Denied => (Code::ModelRefused, Some("the key is missing, wrong, or not for this model")),
        What::Quota => (Code::ModelRefused, Some("trying again cannot help before the account has quota")),
        What::NoTools => (Code::ModelRefused, Some("`tools: off` in the user config's model block asks without tools")),
        What::Rejected => (Code::ModelRefused, None),
    };
    let mut rejection = Rejection::new(code, trouble.message);
    rejection.hint = hint.map(str::to_owned);
    if let Some(status) = trouble.status {
        rejection = rejection.detail("status", status);
    }
    let (input, output) = (trouble.usage.input, trouble.usage.output);
    if input + output > 0 {
        rejection = rejection.detail("input_tokens", input).detail("output_tokens", output);
    }
    rejection
}

/// Says what would be called, and tries it with one short question.
///
/// # Errors
/// As [`model`] and [`rejected`], with what would be called as details.
pub fn check(asked: &Asked, env: Env<'_>) -> Verdict {
    let opened = model(asked, env)?;
    let who = opened.model.who().clone();
    let question = Request {
        system: "You are being tried. Answer with one word.".into(),
        messages: vec![Message::User("Say: pong".into())],
        // Models that think first spend tokens on it.
        most_tokens: 256,
        ..Request::default()
    };
    let began = Instant::now();
    let reply = opened.model.ask(&question, Deadline::within(opened.overall)).map_err(|trouble| {
        let from = opened.key.clone().map_or(String::new(), |key| format!(" with the key from {key}"));
        let tried = format!("this was {} {} at {}{from}", who.provider, who.model, opened.endpoint);
        let rejection = rejected(trouble);
        let hint = rejection.hint.clone().map_or(tried.clone(), |hint| format!("{hint}; {tried}"));
        let rejection = rejection.detail("provider", &*who.provider).detail("model", &*who.model);
        rejection.detail("endpoint", &*opened.endpoint).hint(hint)
    })?;
    Ok(Answer::Model(ModelCheck {
        provider: who.provider,
        model: who.model,
        endpoint: opened.endpoint,
        key: opened.key,
        milliseconds: began.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        input_tokens: reply.usage.input,
        output_tokens: reply.usage.output,
        warnings: opened.warnings.iter().map(told).collect(),
    }))
}
