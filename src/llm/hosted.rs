//! A model behind HTTP: asks, asks again where that can help, asks otherwise where the host understands less.
//!
//! Knows both protocols and no connection: the line is given, so that tests can hold the other end of it.

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use serde_json::{Map, Value};

use super::fallback::Habits;
use super::fault::{Fault, sentence};
use super::wire::Asks;
use super::{Choice, Deadline, Model, Reply, Request, Trouble, What, Who, Wire, anthropic, openai, place, retry};

/// The most changes of mind over one question.
const CHANGES: usize = 8;
/// The most models that are named where one of several must be chosen.
const NAMED: usize = 8;

/// One request, ready to go.
pub struct Outgoing<'a> {
    /// The whole address.
    pub url: &'a str,
    /// Headers; one of them may hold the key.
    pub headers: &'a [(&'static str, String)],
    /// What is posted; `None`: it is a GET.
    pub body: Option<&'a [u8]>,
    /// How long all of it may take.
    pub within: Duration,
}

/// What came back.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    /// The HTTP status.
    pub status: u16,
    /// How long the host wants to be left alone.
    pub after: Option<Duration>,
    /// Whether the host says that asking again helps.
    pub again: Option<bool>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why nothing came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// No connection, or it broke; why.
    Connection(String),
    /// It took too long.
    Timeout,
    /// The body is over the cap.
    TooLarge,
}

/// Whatever carries requests.
pub trait Line {
    /// Carries one request.
    ///
    /// # Errors
    /// Why nothing came back.
    fn carry(&self, outgoing: &Outgoing<'_>) -> Result<Incoming, Broken>;
}

/// A model behind a line.
pub struct Hosted<L> {
    line: L,
    who: Who,
    choice: Choice,
    asks: Asks,
    habits: RefCell<Habits>,
}

/// What a host made of a question.
enum Heard {
    /// An answer.
    Answer(Value),
    /// A refusal, with the status that it counts as.
    Refusal(Fault, u16),
}

impl<L: Line> Hosted<L> {
    /// The model of a choice. Asks nobody, unless the choice names no model.
    ///
    /// # Errors
    /// As [`super::open`].
    pub fn new(line: L, choice: &Choice) -> Result<Hosted<L>, Trouble> {
        let asks = Asks {
            model: choice.model.clone().unwrap_or_default(),
            most_tokens: choice.most_tokens,
            temperature: choice.temperature,
            top_p: choice.top_p,
            at_home: place::host(&choice.base_url) == "api.openai.com",
        };
        let who = Who { provider: choice.provider.clone(), model: asks.model.clone() };
        let mut hosted = Hosted { line, who, choice: choice.clone(), asks, habits: RefCell::default() };
        if choice.model.is_none() {
            let name = hosted.only_model()?;
            hosted.who.model.clone_from(&name);
            hosted.asks.model = name;
        }
        Ok(hosted)
    }

    /// The name of the only model that the host has.
    fn only_model(&self) -> Result<String, Trouble> {
        let refused = |why: String| Err(Trouble::new(What::Rejected, why));
        if self.choice.wire != Wire::Chat {
            return refused(format!("{} needs a model's name", self.choice.provider));
        }
        let names = match self.exchange("/models", None, Deadline::within(self.choice.timeout))? {
            Heard::Answer(list) => openai::models(&list),
            Heard::Refusal(fault, status) => return Err(self.trouble(&fault, status, false)),
        };
        let shown: Vec<String> = names.iter().take(NAMED).map(|name| sentence(name)).collect();
        match names.as_slice() {
            [name] => Ok(name.clone()),
            [] => refused(format!("{} has no model yet", self.host())),
            names => {
                let more = if names.len() > NAMED { ", …" } else { "" };
                refused(format!(
                    "{} has several models; name one with --model: {}{more}",
                    self.host(),
                    shown.join(", ")
                ))
            }
        }
    }

    fn body(&self, request: &Request) -> Map<String, Value> {
        let habits = self.habits.borrow();
        match self.choice.wire {
            Wire::Messages => anthropic::body(request, &self.asks, &habits),
            Wire::Chat | Wire::Program => openai::body(request, &self.asks, &habits),
        }
    }

    fn read(&self, body: &Value, request: &Request) -> Result<Reply, Trouble> {
        let reply = match self.choice.wire {
            Wire::Messages => anthropic::reply(body, request),
            Wire::Chat | Wire::Program => openai::reply(body, request.messages.len()),
        };
        reply.map_err(|trouble| Trouble { message: format!("{}: {}", self.host(), trouble.message), ..trouble })
    }

    /// One question, and again where that can help.
    fn exchange(&self, path: &str, body: Option<&Map<String, Value>>, deadline: Deadline) -> Result<Heard, Trouble> {
        let url = place::join(&self.choice.base_url, path);
        let headers = self.headers();
        let tools = body.is_some_and(|body| body.contains_key("tools"));
        let body = body.map(|body| serde_json::to_vec(body).unwrap_or_default());
        let mut n = 0;
        loop {
            let left = deadline.left().ok_or_else(|| self.late(deadline))?;
            let within = left.min(self.choice.timeout);
            let outgoing = Outgoing { url: &url, headers: &headers, body: body.as_deref(), within };
            let (trouble, after) = match self.line.carry(&outgoing) {
                Ok(incoming) => {
                    let after = incoming.after;
                    match heard(&incoming) {
                        Err(why) => return Err(Trouble { status: Some(incoming.status), ..self.malformed(why) }),
                        Ok(Heard::Refusal(fault, status))
                            if fault.what(status, tools) == What::Busy && incoming.again != Some(false) =>
                        {
                            (self.trouble(&fault, status, tools), after)
                        }
                        Ok(heard) => return Ok(heard),
                    }
                }
                Err(Broken::Connection(why)) => {
                    let why = self.blot(&sentence(&why));
                    (Trouble::new(What::Unreachable, format!("{} cannot be reached: {why}", self.host())), None)
                }
                Err(Broken::Timeout) => return Err(self.late(deadline)),
                Err(Broken::TooLarge) => {
                    return Err(Trouble::new(What::TooLarge, format!("{} answered more than 8 MiB", self.host())));
                }
            };
            let wait = after.unwrap_or_else(|| retry::backoff(n, chance()));
            n += 1;
            // Nobody is helped by a wait that ends in the deadline.
            if n > retry::AGAIN || deadline.left().is_none_or(|left| wait >= left) {
                return Err(waiting(trouble, after));
            }
            std::thread::sleep(wait);
        }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let key = self.choice.key.as_ref();
        match self.choice.wire {
            Wire::Messages => {
                let version = ("anthropic-version", anthropic::VERSION.to_owned());
                key.map(|key| ("x-api-key", key.secret().to_owned())).into_iter().chain([version]).collect()
            }
            Wire::Chat | Wire::Program => {
                key.map(|key| ("authorization", format!("Bearer {}", key.secret()))).into_iter().collect()
            }
        }
    }

    /// The host, for messages.
    fn host(&self) -> String {
        format!("{} at {}", self.who.provider, place::shown(&self.choice.base_url))
    }

    fn blot(&self, text: &str) -> String {
        self.choice.key.as_ref().map_or_else(|| text.to_owned(), |key| key.blot(text))
    }

    fn late(&self, deadline: Deadline) -> Trouble {
        let message = match deadline.left() {
            Some(_) => format!("{} did not answer within {} s", self.host(), self.choice.timeout.as_secs_f64()),
            None => format!("{} did not answer in time", self.host()),
        };
        Trouble::new(What::Timeout, message)
    }

    fn malformed(&self, why: &str) -> Trouble {
        Trouble::new(What::Malformed, format!("{}: {why}", self.host()))
    }

    fn trouble(&self, fault: &Fault, status: u16, tools: bool) -> Trouble {
        // Blotted out before it is cut, so that no piece of a key is left at the end.
        let words = sentence(&self.blot(&fault.message));
        let words = match (status, words.as_str()) {
            (300..400, "") => ": it sends elsewhere; its last address is wanted".to_owned(),
            (_, "") => String::new(),
            (_, words) => format!(": {words}"),
        };
        let what = fault.what(status, tools);
        Trouble { status: Some(status), ..Trouble::new(what, format!("{} answered {status}{words}", self.host())) }
    }
}

impl<L: Line> Model for Hosted<L> {
    fn who(&self) -> &Who {
        &self.who
    }

    fn ask(&self, request: &Request, deadline: Deadline) -> Result<Reply, Trouble> {
        let path = match self.choice.wire {
            Wire::Messages => anthropic::PATH,
            Wire::Chat | Wire::Program => openai::PATH,
        };
        let mut changes = 0;
        loop {
            let body = self.body(request);
            let (fault, status) = match self.exchange(path, Some(&body), deadline)? {
                Heard::Answer(value) => return self.read(&value, request),
                Heard::Refusal(fault, status) => (fault, status),
            };
            let mut habits = self.habits.borrow_mut();
            let tools = body.contains_key("tools");
            changes += 1;
            // Tools that only carry a wanted object can be done without.
            let carrier = request.tools.is_empty() && tools && fault.what(status, tools) == What::NoTools;
            let learned = habits.learn(&body, &fault, status) || carrier && habits.plainer();
            if !learned || changes > CHANGES {
                return Err(self.trouble(&fault, status, !request.tools.is_empty()));
            }
        }
    }
}

/// What a host said: an answer, or a refusal with the status that it counts as.
fn heard(incoming: &Incoming) -> Result<Heard, &'static str> {
    let text = String::from_utf8_lossy(&incoming.body);
    let body: Option<Value> = serde_json::from_str(text.trim()).ok();
    let fine = (200..300).contains(&incoming.status);
    let Some(body) = body else {
        return match fine {
            true => Err("its answer is no JSON"),
            false => Ok(Heard::Refusal(Fault::words(&text), incoming.status)),
        };
    };
    let fault = Fault::read(&body);
    if !fine {
        return Ok(Heard::Refusal(fault.unwrap_or_default(), incoming.status));
    }
    let inner = body.pointer("/choices/0/error").filter(|e| !e.is_null());
    let fault = match inner {
        Some(error) => Fault::read(&serde_json::json!({ "error": error })),
        None => fault.filter(|_| !answers(&body)),
    };
    match fault {
        // A failure that is told with a good status, and not what kind: as good as a 500.
        Some(fault) => {
            let status = fault.status.unwrap_or(500);
            Ok(Heard::Refusal(fault, status))
        }
        None => Ok(Heard::Answer(body)),
    }
}

/// Whether a body is an answer, whatever else stands in it.
fn answers(body: &Value) -> bool {
    let told = body.get("error").is_some_and(|e| e.is_object() || e.as_str().is_some_and(|text| !text.is_empty()));
    let holds = |key: &str| body.get(key).is_some_and(|v| v.as_array().is_some_and(|a| !a.is_empty()) || v.is_string());
    !told && ["choices", "content", "data", "models"].iter().any(|key| holds(key))
}

/// A trouble that says how long the host wants to be left alone.
fn waiting(trouble: Trouble, after: Option<Duration>) -> Trouble {
    match after.map(|after| after.as_secs_f64().ceil()).filter(|seconds| *seconds >= 1.0) {
        Some(seconds) => Trouble { message: format!("{} (it asks to wait {seconds} s)", trouble.message), ..trouble },
        None => trouble,
    }
}

/// A number from 0 to 1 that nobody can guess; good enough to spread callers, and for nothing else.
fn chance() -> f64 {
    f64::from(RandomState::new().hash_one(0u8) as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests;
