//! What was decided, in words: for the model that asked, and for the answer.
//!
//! Decides nothing. Whatever goes to a model is framed and holds no secret.

use serde_json::Value;

use crate::change::{Changeset, Effect};
use crate::code::Rejection;
use crate::commands::answer::{Decision, Reason};
use crate::reflect::chunks;
use crate::reflect::guards::{Flaw, Found};
use crate::reflect::judge::told;

/// A text without its secrets: they never leave this machine.
pub fn clean(text: &str) -> String {
    crate::reflect::guards::secrets::redact(text).0
}

/// Marks a decision as turned down; answers the reasons in words for the model.
pub fn refused(decision: &mut Decision, found: &[Found]) -> Result<String, String> {
    decision.verdict = "refused";
    decision.reasons = found.iter().map(reason).collect();
    Err(told(found))
}

/// What is known is no news; but where a number is another, the model is told which rule it met: it may have been
/// told that something changed.
pub fn held(decision: &mut Decision, found: &[Found]) -> Result<String, String> {
    decision.verdict = "known";
    decision.reasons = found.iter().map(reason).collect();
    let numbers = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    // What is told of a text is its beginning.
    let begins = |what: &str| decision.text.chars().take(what.chars().count().max(60)).collect::<String>();
    let other = |f: &Found| f.flaw == Flaw::NearDuplicate && numbers(&begins(&f.what)) != numbers(&f.what);
    match found.iter().any(other) {
        true => Err(clean(&chunks::framed(&told(found)))),
        false => Ok("the memory holds this already; nothing was changed".into()),
    }
}

/// A text field of an object; empty where there is none.
pub fn said(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A guard's finding as a reason.
pub fn reason(found: &Found) -> Reason {
    Reason { name: found.flaw.name().to_owned(), what: found.what.clone() }
}

/// An error as a reason.
pub fn coded(why: &Rejection) -> Reason {
    Reason { name: why.code.name().to_owned(), what: why.message.clone() }
}

/// An error in words for the model.
pub fn refusal(why: &Rejection) -> String {
    let hint = why.hint.as_ref().map_or(String::new(), |h| format!("; {h}"));
    clean(&chunks::framed(&format!("refused: {}: {}{hint}", why.code.name(), why.message)))
}

/// What an operation changed, with the handles that bullets have now.
pub fn effects_told(changeset: &Changeset) -> String {
    let line = |e: &Effect| {
        let handle = e.handle.as_ref().map_or(String::new(), |h| format!("@{h} "));
        format!("{} {}: {handle}{}", e.sign.mark(), e.path, e.text)
    };
    // What was removed may be what must not be sent.
    clean(&chunks::framed(&changeset.effects.iter().map(line).collect::<Vec<_>>().join("\n")))
}
