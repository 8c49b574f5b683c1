//! What `add` does with a text that its place has already: nothing, unless no read shows it any more.
//!
//! Never changes the metadata of a bullet that reads show: the answer names what was given and is not set.

use super::bullets::{set_meta_of, unchanged_bullet};
use super::field_checks;
use super::pending_edit::PendingEdit;
use super::planner::Planner;
use super::snapshot::PlanStep;
use crate::code::{Code, Warning};
use crate::document::meta_keys::KeyWriter;
use crate::document::{BulletMeta, LocatedBullet, MetaKey};

/// A bullet that has expired holds again as it is given now. Of any other one the metadata stays.
pub fn add_known(
    planner: &mut Planner<'_>,
    n: usize,
    bullet: LocatedBullet<'_>,
    given: Option<&BulletMeta>,
) -> PlanStep<Vec<PendingEdit>> {
    let is_over = |meta: &BulletMeta| meta.expires().is_some_and(|day| day < planner.context.now.date());
    let given: Vec<(String, String)> = given.map(|meta| meta.0.clone()).unwrap_or_default();
    // As reads take it, inert or not.
    let present = bullet.meta().unwrap_or_default();
    let has = |key: MetaKey| given.iter().any(|(name, _)| name == key.name());
    if is_over(&present) && !is_over(&BulletMeta(given.clone())) {
        let mut pairs: Vec<_> = given.iter().filter(|(key, _)| key != MetaKey::Id.name()).cloned().collect();
        if !has(MetaKey::Exp) {
            pairs.push((MetaKey::Exp.name().to_owned(), String::new()));
        }
        return set_meta_of(planner, n, bullet, &pairs);
    }
    let today = planner.today();
    let not_set: Vec<String> = given
        .iter()
        .filter(|(key, _)| is_asked_for(key))
        .map(|(key, value)| (key, field_checks::stored_value(key, value, &today)))
        .filter(|(key, value)| present.raw(key) != Some(value))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let address = format!("{}{}", bullet.path, bullet.document.bullet_reference(bullet.index));
    if let Some(branch) = present.valid(MetaKey::Branch).filter(|_| !has(MetaKey::Branch)) {
        let message =
            format!("{address} has the text already, for the branch {branch} alone; `set` with branch= lifts that");
        planner.warn(n, Warning::new(Code::Note, message).detail("address", address.clone()));
    }
    if !not_set.is_empty() {
        let message =
            format!("{address} has the text already and keeps its metadata; `set` gives it {}", not_set.join(" "));
        planner.warn(n, Warning::new(Code::Note, message).detail("address", address));
    }
    Ok(vec![unchanged_bullet(bullet, n)])
}

/// Whether a caller sets this key, and not memdir or an import.
fn is_asked_for(key: &str) -> bool {
    MetaKey::ALL
        .iter()
        .find(|known| known.name() == key)
        .is_none_or(|known| matches!(known.spec().writer, KeyWriter::Person | KeyWriter::PersonOrModel))
}
