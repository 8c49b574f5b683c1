//! What a host turned out not to understand, and what is asked instead.
//!
//! Pure. A host that blames a parameter is asked once more without it; what was learned holds for all later questions.

use serde_json::{Map, Value};

use super::fault::Fault;

/// How a wanted JSON object is asked for, from the strictest to the plainest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The host holds the model to the schema.
    #[default]
    Schema,
    /// The host holds the model to JSON; the schema stands in the instructions.
    Object,
    /// Instructions only.
    Words,
}

/// What is known of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// The reply's limit goes by its other name.
    pub renamed: bool,
    /// How a wanted object is asked for.
    pub form: Form,
    /// Parameters that are not sent any more.
    pub dropped: Vec<&'static str>,
}

/// The two names of a reply's limit in chat completions.
pub const LIMITS: [&str; 2] = ["max_tokens", "max_completion_tokens"];
/// Parameters that a question can do without.
const SPARE: [&str; 4] = ["temperature", "top_p", "parallel_tool_calls", "tool_choice"];
/// How hosts call what holds a model to a form.
const FORMS: [&str; 7] =
    ["response_format", "json_schema", "json_object", "structured output", "grammar", "schema", "guided"];

impl Habits {
    /// Learns from a refusal of a body. `false`: it blames nothing that could be left out.
    pub fn learn(&mut self, body: &Map<String, Value>, fault: &Fault, status: u16) -> bool {
        if !matches!(status, 400 | 404 | 422 | 500 | 501) {
            return false;
        }
        let said = fault.message.to_ascii_lowercase();
        let blamed =
            |name: &str| body.contains_key(name) && (fault.blames(name) || said.contains(&format!("`{name}`")));
        if let Some(name) = LIMITS.iter().copied().find(|name| blamed(name)).filter(|_| status < 500) {
            match self.renamed || name == "max_tokens" && !body.contains_key("messages") {
                false => self.renamed = true,
                true => self.dropped.extend(LIMITS),
            }
            return true;
        }
        if let Some(name) = SPARE.iter().copied().find(|name| blamed(name)).filter(|_| status < 500) {
            self.dropped.push(name);
            return true;
        }
        let param = fault.param.as_deref().unwrap_or_default();
        let about_form = FORMS.iter().any(|name| said.contains(name) || param.contains(name));
        if body.contains_key("response_format") && about_form {
            return self.plainer();
        }
        false
    }

    /// Asks for objects in the next plainer way; `false` where there is none.
    pub fn plainer(&mut self) -> bool {
        let next = match self.form {
            Form::Schema => Form::Object,
            Form::Object => Form::Words,
            Form::Words => return false,
        };
        self.form = next;
        true
    }

    /// Sets a parameter, unless the host does not understand it.
    pub fn set(&self, body: &mut Map<String, Value>, name: &'static str, value: Option<Value>) {
        if let Some(value) = value.filter(|_| !self.dropped.contains(&name)) {
            body.insert(name.into(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is sent, what the host says to it, and what is known then.
    fn check(body: Value, param: Option<&str>, said: &str, expected: Option<Habits>) {
        let fault = Fault { param: param.map(str::to_owned), ..Fault::words(said) };
        let mut habits = Habits::default();
        let learned = habits.learn(body.as_object().unwrap(), &fault, 400);
        assert_eq!(learned.then_some(habits), expected, "{said}");
    }

    fn without(name: &'static str) -> Option<Habits> {
        Some(Habits { dropped: vec![name], ..Habits::default() })
    }

    #[test]
    fn a_blamed_parameter_is_left_out() {
        let sent = json!({"messages": [], "temperature": 0.1, "top_p": 0.5, "tool_choice": "auto"});
        let temperature = "Unsupported value: 'temperature' does not support 0.1 with this model.";
        check(sent.clone(), Some("temperature"), temperature, without("temperature"));
        check(sent.clone(), None, "top_p is not supported", without("top_p"));
        check(sent.clone(), None, "`tool_choice` must be none", without("tool_choice"));
        check(sent.clone(), Some("parallel_tool_calls"), "unknown parameter", None);
        check(sent, None, "the model 'temperatures' does not exist", None);
    }

    #[test]
    fn the_limit_goes_by_its_other_name_first() {
        let sent = json!({"messages": [], "max_tokens": 9});
        let other = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        check(sent.clone(), Some("max_tokens"), other, Some(Habits { renamed: true, ..Habits::default() }));
        let mut habits = Habits { renamed: true, ..Habits::default() };
        let fault = Fault::words("max_completion_tokens is unknown");
        assert!(habits.learn(json!({"messages": [], "max_completion_tokens": 9}).as_object().unwrap(), &fault, 422));
        assert_eq!(habits.dropped, LIMITS);
    }

    #[test]
    fn objects_are_asked_for_in_ever_plainer_ways() {
        let sent = json!({"messages": [], "response_format": {"type": "json_schema"}});
        let mut habits = Habits::default();
        let fault = Fault::words("response_format.type must be text");
        for form in [Form::Object, Form::Words] {
            assert!(habits.learn(sent.as_object().unwrap(), &fault, 400));
            assert_eq!(habits.form, form);
        }
        assert!(!habits.learn(sent.as_object().unwrap(), &fault, 400));
        check(json!({"messages": []}), Some("response_format"), "no", None);
    }

    #[test]
    fn a_refusal_of_something_else_teaches_nothing() {
        let mut habits = Habits::default();
        let sent = json!({"messages": [], "temperature": 0.1});
        for (status, said) in [(429, "temperature"), (401, "temperature"), (500, "temperature"), (400, "no such model")]
        {
            assert!(!habits.learn(sent.as_object().unwrap(), &Fault::words(said), status), "{status} {said}");
        }
    }
}
