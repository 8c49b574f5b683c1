//! Checks what a model says of a pair: which bullet may go, and whether something would be lost.
//!
//! Never removes a bullet that is pinned, has an id or is more important than the one that stays, and never loses a
//! name, a number, a date or a negation. What cannot be carried out waits for a person.

use anyhow::{anyhow, bail};

use super::pairs::lost_words;
use super::{DuplicateItem, PairVerdict, PairVerdictKind};
use crate::document::{BulletMarks, DEFAULT_IMPORTANCE, Strikethrough};
use crate::reflect::compaction::{
    CompactionRules, added_field, added_words, bullet_text, missing_content_words, missing_words, rearranged_item,
};

/// How many content words of the bullet that goes may stand in other words in the one that stays.
const MAX_REPLACED_WORDS: usize = 3;

/// What becomes of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairOutcome {
    /// The second stays and the first goes, or the other way round; the text of the one that stays changes if there is
    /// a new one.
    Absorb { keeps_second: bool, text: Option<String> },
    /// They do not say the same.
    Different,
    /// A person must decide; the reason is one sentence.
    Refused(String),
}

/// Whether a bullet may go and leave another one in its place.
fn may_go(item: &DuplicateItem, stays: &DuplicateItem) -> bool {
    let importance = |item: &DuplicateItem| item.importance.unwrap_or(DEFAULT_IMPORTANCE);
    !item.pinned && !item.has_id && importance(item) <= importance(stays)
}

/// Which of two bullets may stay, `true` for the second; the better one first: the one that others may not replace,
/// then the more recent, then the first.
pub fn absorb_order(a: &DuplicateItem, b: &DuplicateItem) -> Vec<bool> {
    let is_newer = b.changed > a.changed;
    let mut order = if is_newer { vec![true, false] } else { vec![false, true] };
    order.retain(|keeps_second| if *keeps_second { may_go(a, b) } else { may_go(b, a) });
    order
}

/// What becomes of a pair on a verdict of the model: what it asks for, if one of the two may go and nothing is lost.
pub fn decide_pair(
    a: &DuplicateItem,
    b: &DuplicateItem,
    verdict: &PairVerdict,
    rules: &CompactionRules<'_>,
) -> PairOutcome {
    let mut order = absorb_order(a, b);
    if order.is_empty() {
        return PairOutcome::Refused("neither may go: pinned, with an id, or more important".into());
    }
    // The model's choice comes first, if it is possible.
    order.sort_by_key(|keeps_second| Some(*keeps_second) != verdict.keeps_second);
    match verdict.kind {
        PairVerdictKind::Different => PairOutcome::Different,
        PairVerdictKind::Same => absorb(a, b, &order),
        PairVerdictKind::Merge if a.path != b.path => {
            // A caller that may see one file need not be allowed to see the words of the other.
            PairOutcome::Refused("bullets of two files are not merged into one text".into())
        }
        PairVerdictKind::Merge if a.section != b.section => {
            PairOutcome::Refused("bullets of two sections are not merged into one text".into())
        }
        PairVerdictKind::Merge if !keeps_marks(&verdict.text, a) => PairOutcome::Refused(
            "the merged text has another category, task marker or strikethrough than the two bullets".into(),
        ),
        PairVerdictKind::Merge => merge(a, b, &order, &verdict.text, rules),
    }
}

/// Whether a merged text is of the kind of the bullets that it replaces, which are of one kind.
fn keeps_marks(text: &str, item: &DuplicateItem) -> bool {
    let marks = BulletMarks::of(text);
    marks == BulletMarks::of(&item.text) && marks.strike != Strikethrough::Part
}

fn absorb(a: &DuplicateItem, b: &DuplicateItem, order: &[bool]) -> PairOutcome {
    let mut first_reason = String::new();
    for keeps_second in order {
        let (goes, stays) = if *keeps_second { (a, b) } else { (b, a) };
        match check_absorbed(&goes.text, &stays.text) {
            Ok(()) => return PairOutcome::Absorb { keeps_second: *keeps_second, text: None },
            Err(reason) if first_reason.is_empty() => first_reason = reason.to_string(),
            Err(_) => {}
        }
    }
    PairOutcome::Refused(first_reason)
}

/// Whether a text may stand for another one that a model calls the same.
fn check_absorbed(goes: &str, stays: &str) -> anyhow::Result<()> {
    let lost = lost_words(goes, stays);
    if !lost.is_empty() {
        bail!("it would lose {}", quoted(&lost));
    }
    let missing = missing_content_words(goes, stays);
    let instead = missing_content_words(stays, goes);
    match missing.len() {
        0 => Ok(()),
        // Nothing says it in other words.
        _ if instead.is_empty() => Err(anyhow!("it would lose {}", quoted(&missing))),
        n if n > MAX_REPLACED_WORDS => Err(anyhow!("the words differ too much: {}", quoted(&missing))),
        _ => Ok(()),
    }
}

fn merge(a: &DuplicateItem, b: &DuplicateItem, order: &[bool], text: &str, rules: &CompactionRules<'_>) -> PairOutcome {
    let text = match bullet_text(text, rules.max_chars).and_then(|text| (rules.check)(&text).map(|()| text)) {
        Ok(text) => text,
        Err(error) => return PairOutcome::Refused(error.to_string()),
    };
    for item in [a, b] {
        let missing = missing_words(&item.text, &text);
        if !missing.is_empty() {
            return PairOutcome::Refused(format!("the merged text lacks {}", quoted(&missing)));
        }
    }
    let added = added_words(&text, &[&a.text, &b.text]);
    if !added.is_empty() {
        return PairOutcome::Refused(format!("the merged text adds {}", quoted(&added)));
    }
    if rearranged_item(&text, &[&a.text, &b.text]).is_some() {
        return PairOutcome::Refused(
            "the merged text has the words of one in another order, or mixed with the other's".into(),
        );
    }
    if let Some(field) = added_field(&text, &[&a.text, &b.text], rules.sensitive) {
        return PairOutcome::Refused(format!("the merged text states {field}, which neither states in these words"));
    }
    let stays = |keeps_second: bool| if keeps_second { b } else { a };
    // One that says it all already needs no new text.
    if let Some(&keeps_second) = order.iter().find(|side| stays(**side).text.trim() == text) {
        return PairOutcome::Absorb { keeps_second, text: None };
    }
    if let Some(&keeps_second) = order.iter().find(|side| !stays(**side).pinned) {
        return PairOutcome::Absorb { keeps_second, text: Some(text) };
    }
    PairOutcome::Refused("the one that stays is pinned and keeps its text".into())
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}
