//! Keys and passwords in what a change writes, and in what the history says of it: warned of or refused, as `secrets:`
//! of the policy says.
//!
//! Never prints a secret, and never reads more than the operations and the header: what a file holds already is no news.
//! `reflect` refuses secrets whatever the policy says.

use serde_json::Value;

use super::Session;
use crate::change::Changeset;
use crate::code::{Code, Rejection, Warning};
use crate::operation::{Batch, Snapshot};
use crate::policy::SecretRule;
use crate::reflect::inbox_item;
use crate::text::secrets::{blank_pins, find_secrets};

/// Warns of secrets that a planned change writes, or refuses it, before the journal sees them.
///
/// # Errors
/// `secret`.
pub(super) fn check_secrets(
    session: &Session,
    changeset: &mut Changeset,
    snapshot: &Snapshot,
) -> Result<(), Rejection> {
    let rule = session.policy.policy.secrets;
    if rule == SecretRule::Off {
        return Ok(());
    }
    let mut kinds: Vec<&'static str> = Vec::new();
    let is_known_path = |text: &str| changeset.files.iter().any(|f| f.before.is_some() && f.path.as_str() == text);
    for operation in &changeset.operations {
        each_text(operation, &mut |text| {
            if is_known_path(text) {
                return;
            }
            let found = find_secrets(&blank_pins(text)).into_iter();
            kinds.extend(found.filter(|s| !is_known(&text[s.range.clone()], changeset, snapshot)).map(|s| s.kind));
        });
    }
    report(rule, kinds, changeset)
}

/// The same for what describes a change in the history: reason, source and request id. Every change passes here just
/// before it is committed, also one that writes no text of its own. The words of consent are redacted in the header.
///
/// # Errors
/// `secret`.
pub(super) fn check_header_secrets(
    session: &Session,
    batch: &Batch,
    changeset: &mut Changeset,
) -> Result<(), Rejection> {
    let rule = session.policy.policy.secrets;
    if rule == SecretRule::Off {
        return Ok(());
    }
    let own = [&batch.reason, &batch.source, &batch.request].into_iter().filter_map(|text| text.as_deref());
    let of_operations = changeset.operations.iter().flat_map(|operation| {
        ["reason", "source"].into_iter().filter_map(|key| operation.get(key).and_then(Value::as_str))
    });
    let kinds = own.chain(of_operations).flat_map(find_secrets).map(|found| found.kind).collect();
    report(rule, kinds, changeset)
}

/// Refuses a change with secrets of these kinds, or adds a warning that names those of which none is given yet.
fn report(rule: SecretRule, mut kinds: Vec<&'static str>, changeset: &mut Changeset) -> Result<(), Rejection> {
    kinds.sort_unstable();
    kinds.dedup();
    if rule == SecretRule::Refuse && !kinds.is_empty() {
        let message = format!("this would be stored as plain text: {}", kinds.join(", "));
        return Err(Rejection::new(Code::Secret, message)
            .hint("leave it out, and say where it is kept instead")
            .detail("kinds", kinds));
    }
    let is_told = |kind: &str| {
        let own = changeset.warnings.iter().filter(|warning| warning.code == Code::Secret);
        own.map(|warning| &warning.message).any(|message| message.contains(kind))
    };
    kinds.retain(|kind| !is_told(kind));
    if !kinds.is_empty() {
        let what = kinds.join(", ");
        let message = format!("a secret is stored as plain text: {what}; rm --forget erases it, also from the history");
        changeset.warnings.push(Warning::new(Code::Secret, message).detail("kinds", kinds));
    }
    Ok(())
}

/// A shorter text holds no secret, in bytes: names of operations and files.
const SHORTEST_SECRET: usize = 8;

/// Calls a function with every text of a JSON value that could hold a secret, names of metadata and front matter keys
/// among them.
pub(super) fn each_text(value: &Value, call: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) if text.len() >= SHORTEST_SECRET => call(text),
        Value::Array(values) => values.iter().for_each(|value| each_text(value, call)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            if key.len() >= SHORTEST_SECRET {
                call(key);
            }
            each_text(value, call);
        }),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a changed file of the memory holds this already. What a proposal holds is not decided yet.
fn is_known(secret: &str, changeset: &Changeset, snapshot: &Snapshot) -> bool {
    changeset.files.iter().filter(|file| inbox_item::id_of(&file.path).is_none()).any(|file| {
        let before = snapshot.file(&file.path).ok().flatten();
        before.is_some_and(|loaded| loaded.document.text().contains(secret))
    })
}
