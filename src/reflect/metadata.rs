//! Compares the metadata of a file's bullets before and after a planned change.
//!
//! Never judges a value. Keys that programs write are left out: they change with the bullet's text.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::change::{Effect, EffectSign};
use crate::document::{BulletMeta, Document, LocatedBullet, MetaKey};
use crate::operation::effects::bullet_effect;
use crate::path::MemoryPath;

/// What a planned change does to the metadata of a file's bullets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataChanges {
    /// Last days of validity that are new.
    pub expiries: Vec<Date>,
    /// Whether bullets have values that none had before, or lost values although as many bullets are there.
    pub is_rewritten: bool,
}

impl MetadataChanges {
    pub fn between(before: Option<&Document>, after: Option<&Document>) -> MetadataChanges {
        let Some(after) = after else { return MetadataChanges::default() };
        let expiries = |document: &Document| bullet_metas(document).filter_map(|meta| meta.expires()).collect();
        let lines = |document: &Document| bullet_metas(document).filter_map(|meta| set_values(&meta)).collect();
        let (days_before, lines_before) = before.map_or_else(Default::default, |d| (expiries(d), lines(d)));
        let lines_after: Vec<String> = lines(after);
        let has_new = !without(lines_after.clone(), &lines_before).is_empty();
        let has_lost = lines_after.len() < lines_before.len();
        let is_as_long = before.is_some_and(|before| before.bullets().len() == after.bullets().len());
        MetadataChanges {
            expiries: without(expiries(after), &days_before),
            is_rewritten: has_new || has_lost && is_as_long,
        }
    }
}

/// A `~` effect for each bullet that keeps its text and gets other metadata.
pub fn metadata_effects(before: Option<&Document>, after: Option<&Document>, path: &MemoryPath) -> Vec<Effect> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let values = |document: &Document, i: usize| document.bullet_meta(i).and_then(|meta| set_values(&meta));
    let mut known: HashMap<u64, Vec<Option<String>>> = HashMap::new();
    for (i, handle) in before.handles().iter().enumerate() {
        known.entry(handle.0).or_default().push(values(before, i));
    }
    let mut effects = Vec::new();
    for (i, handle) in after.handles().iter().enumerate() {
        let Some(same) = known.get_mut(&handle.0) else { continue };
        match same.iter().position(|other| *other == values(after, i)) {
            Some(at) => drop(same.swap_remove(at)),
            None => effects.push(bullet_effect(LocatedBullet { path, document: after, index: i }, EffectSign::Set, 0)),
        }
    }
    effects
}

fn bullet_metas(document: &Document) -> impl Iterator<Item = BulletMeta> + '_ {
    (0..document.bullets().len()).filter_map(|i| document.bullet_meta(i))
}

/// The values that no program writes, as one text; `None` if there are none.
fn set_values(meta: &BulletMeta) -> Option<String> {
    let mut own = meta.clone();
    own.0.retain(|(key, _)| !MetaKey::from_name(key).is_some_and(MetaKey::is_automatic));
    own.0.sort_unstable();
    (!own.0.is_empty()).then(|| own.to_comment())
}

/// The values of a list that another list does not have. Equal values are counted.
fn without<T: PartialEq>(mut values: Vec<T>, others: &[T]) -> Vec<T> {
    for other in others {
        if let Some(at) = values.iter().position(|value| value == other) {
            values.swap_remove(at);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "- Allergic to peanuts\n- Likes tea\n";
    const TEA_EXPIRES: &str = "- Allergic to peanuts\n- Likes tea\n  <!-- mem exp=2026-12-31 upd=2026-02-24 -->\n";
    const TEA_IS_PINNED: &str = "- Allergic to peanuts\n- Likes tea\n  <!-- mem pin=yes -->\n";

    #[test]
    fn a_new_expiry_and_other_values_are_found() {
        let check = |before: &str, after: &str, days: usize, is_rewritten: bool, bullets: &[&str]| {
            let (before, after) = (Document::parse(before), Document::parse(after));
            let changes = MetadataChanges::between(Some(&before), Some(&after));
            assert_eq!((changes.expiries.len(), changes.is_rewritten), (days, is_rewritten), "{}", after.text());
            let path = MemoryPath::new("facts/user.md").unwrap();
            let effects = metadata_effects(Some(&before), Some(&after), &path);
            assert_eq!(effects.iter().map(|e| e.text.as_str()).collect::<Vec<_>>(), bullets, "{}", after.text());
        };
        check(PLAIN, PLAIN, 0, false, &[]);
        check(PLAIN, TEA_EXPIRES, 1, true, &["Likes tea"]);
        check(TEA_EXPIRES, TEA_EXPIRES, 0, false, &[]);
        check(TEA_EXPIRES, PLAIN, 0, true, &["Likes tea"]);
        check(TEA_IS_PINNED, TEA_EXPIRES, 1, true, &["Likes tea"]);
        check(TEA_EXPIRES, "- Allergic to peanuts\n", 0, false, &[]);
        check(PLAIN, "- Allergic to peanuts\n- Likes tea\n  <!-- mem upd=2026-02-24 -->\n", 0, false, &[]);
        check(TEA_IS_PINNED, "- Allergic to peanuts\n- Likes green tea\n", 0, true, &[]);
    }
}
