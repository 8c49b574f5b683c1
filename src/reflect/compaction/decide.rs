//! Validates a model's decisions: resolves item names, checks the rules, and explains each violation in a sentence that
//! helps the model to correct it.
//!
//! Never guesses which item a name refers to.

use std::collections::BTreeSet;

use anyhow::{anyhow, bail};

use super::binding::rearranged_item;
use super::carried::{added_words, missing_words, tags};
use super::mergeable::check_mergeable;
use super::reply::{ItemName, RawDecision};
use super::stated_fields::added_field;
use super::{CompactionItem, OverLimit};
use crate::operation::limits::ContentSize;
use crate::operation::validation;
use crate::text::invisible_chars;

/// How many more items than necessary a merge may absorb, so that a group of near-duplicates can be merged at once.
const MAX_EXTRA_MERGED: usize = 3;
/// The maximum length of an entry's new text, in characters.
const MAX_ENTRY_CHARS: usize = 2000;
/// The maximum length of a reason in the journal, in characters.
const MAX_REASON_CHARS: usize = 200;

/// The rules for new texts.
pub struct CompactionRules<'a> {
    /// The maximum length of a bullet, in characters.
    pub max_chars: usize,
    /// The fields that change only with the user's consent.
    pub sensitive: &'a [String],
    /// Further checks of a new text; the error is a sentence for the model.
    pub check: &'a dyn Fn(&str) -> anyhow::Result<()>,
}

/// What happens to the target of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionAction {
    /// The target is removed, with the items that it absorbs.
    Delete,
    /// The target gets a new text; the items that it absorbs are removed.
    Rewrite,
}

/// A decision of the model that [`decide`] has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionDecision {
    pub action: CompactionAction,
    /// 0-based index into [`OverLimit::items`].
    pub target: usize,
    /// The items removed with it, as 0-based indices.
    pub absorbs: Vec<usize>,
    /// The new text; `None` for a removal.
    pub text: Option<String>,
    /// The reason, as stored in the journal.
    pub reason: String,
}

/// Validates decisions.
///
/// # Errors
/// A sentence for the model about the first violated rule.
pub fn decide(
    over_limit: &OverLimit,
    raw: &[RawDecision],
    rules: &CompactionRules<'_>,
) -> anyhow::Result<Vec<CompactionDecision>> {
    let mut decisions: Vec<CompactionDecision> = Vec::new();
    let mut named: Vec<usize> = Vec::new();
    for raw_decision in raw {
        let decision = decide_one(over_limit, raw_decision, rules)?;
        for &item in decision.absorbs.iter().chain([&decision.target]) {
            if named.contains(&item) {
                bail!("item {} is named by two decisions", item + 1);
            }
            named.push(item);
        }
        decisions.push(decision);
    }
    check_amount(over_limit, &decisions)?;
    Ok(decisions)
}

fn decide_one(
    over_limit: &OverLimit,
    raw: &RawDecision,
    rules: &CompactionRules<'_>,
) -> anyhow::Result<CompactionDecision> {
    let target = match &raw.target {
        Some(named) => resolve_item(over_limit, named)?,
        None => bail!("it names no target"),
    };
    let mut absorbs: Vec<usize> = Vec::new();
    for named in &raw.absorbs {
        let at = resolve_item(over_limit, named)?;
        if at != target && !absorbs.contains(&at) {
            absorbs.push(at);
        }
    }
    let reason = clean_reason(&raw.reason);
    match raw.action.as_str() {
        "delete" | "remove" | "rm" | "forget" | "archive" | "evict" => {
            Ok(CompactionDecision { action: CompactionAction::Delete, target, absorbs, text: None, reason })
        }
        "edit" | "merge" | "update" | "rewrite" | "replace" | "combine" | "consolidate" | "modify" => {
            for &at in absorbs.iter().chain([&target]) {
                if !over_limit.items[at].complete {
                    bail!("item {} was not shown whole, so it cannot be rewritten or absorbed", at + 1);
                }
            }
            let counted = over_limit.entries || over_limit.over.bullets > 0;
            if counted && absorbs.is_empty() {
                bail!("a new text alone frees no space: every item that it replaces must be named in absorbs");
            }
            let text =
                if over_limit.entries { entry_text(&raw.text)? } else { bullet_text(&raw.text, rules.max_chars)? };
            (rules.check)(&text)?;
            check_mergeable(over_limit, target, &absorbs, &text)?;
            check_merged(over_limit, target, &absorbs, &text, rules.sensitive)?;
            Ok(CompactionDecision { action: CompactionAction::Rewrite, target, absorbs, text: Some(text), reason })
        }
        "keep" | "none" | "no_change" => Err(anyhow!("keeping everything is not possible here")),
        _ => Err(anyhow!("action must be \"delete\", \"merge\" or \"edit\"")),
    }
}

/// Checks that a new text contains the names, numbers and words of the items that it replaces, no others, and no
/// sensitive field that none of them states.
fn check_merged(
    over_limit: &OverLimit,
    target: usize,
    absorbs: &[usize],
    text: &str,
    sensitive: &[String],
) -> anyhow::Result<()> {
    let items = &over_limit.items;
    // An entry keeps its heading.
    let heading = items[target].text.lines().next().filter(|_| over_limit.entries).unwrap_or_default();
    let merged = format!("{heading}\n{text}");
    let quoted = |words: &[String]| words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ");
    for &at in absorbs.iter().chain([&target]) {
        let missing = missing_words(&items[at].text, &merged);
        if !missing.is_empty() {
            bail!("new_content lacks words of item {}: {}", at + 1, quoted(&missing));
        }
    }
    let sources = || absorbs.iter().chain([&target]);
    let wanted: BTreeSet<&str> = sources().flat_map(|at| tags(&items[*at].text)).collect();
    if tags(text) != wanted {
        let wanted: Vec<&str> = wanted.into_iter().collect();
        let wanted = if wanted.is_empty() { "none".to_owned() } else { wanted.join(" ") };
        bail!("new_content must have the tags of the items that it replaces, and no others: {wanted}");
    }
    let replaced: Vec<&str> = sources().map(|at| items[*at].text.as_str()).collect();
    if let added @ [_, ..] = &added_words(text, &replaced)[..] {
        bail!("new_content adds words that no item contains: {}", quoted(added));
    }
    if let Some(at) = rearranged_item(text, &replaced).and_then(|at| sources().nth(at)) {
        bail!(
            "new_content may give words of item {} to another one: keep the words of each item together and in their \
             order, with items without a subject first or after a semicolon",
            at + 1
        );
    }
    match added_field(text, &replaced, sensitive) {
        None => Ok(()),
        Some(field) => Err(anyhow!("new_content states {field}, which no item states in these words")),
    }
}

/// Resolves a name to an item's 0-based index.
fn resolve_item(over_limit: &OverLimit, name: &ItemName) -> anyhow::Result<usize> {
    let at = match name {
        ItemName::Number(n) => {
            usize::try_from(*n).ok().and_then(|n| n.checked_sub(1)).filter(|n| *n < over_limit.items.len())
        }
        ItemName::Text(word) => find_by_name(over_limit, word)?,
    };
    let Some(at) = at else {
        bail!("there is no such item: targets are numbers from 1 to {}", over_limit.items.len());
    };
    if over_limit.items[at].pinned { Err(anyhow!("item {} is pinned and stays as it is", at + 1)) } else { Ok(at) }
}

/// Finds an item by handle, id, slug or address. The address of another file matches nothing.
fn find_by_name(over_limit: &OverLimit, word: &str) -> anyhow::Result<Option<usize>> {
    let local = word.strip_prefix(over_limit.path.as_str()).unwrap_or(word);
    let name = local.trim_start_matches(['@', '#', '^']);
    let matches = |item: &&CompactionItem| item.name.eq_ignore_ascii_case(name) || item.id.as_deref() == Some(name);
    let mut found = over_limit.items.iter().enumerate().filter(|(_, item)| matches(item)).map(|(i, _)| i);
    match (found.next(), found.next()) {
        (Some(_), Some(_)) => Err(anyhow!("two items have that name: give their numbers")),
        (one, _) => Ok(one),
    }
}

/// Checks that the decisions remove no more items than needed. Too few is no error: a further round follows.
fn check_amount(over_limit: &OverLimit, decisions: &[CompactionDecision]) -> anyhow::Result<()> {
    let weight = |at: &usize| over_limit.items[*at].weight;
    let count = |size: ContentSize| if over_limit.entries { size.entries } else { size.bullets };
    let over = count(over_limit.over);
    let (mut merged, mut deleted): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for decision in decisions {
        match decision.action {
            CompactionAction::Rewrite => merged.extend(&decision.absorbs),
            CompactionAction::Delete => deleted.extend(decision.absorbs.iter().chain([&decision.target])),
        }
    }
    let max = over + MAX_EXTRA_MERGED;
    if merged.len() > max {
        bail!("that absorbs {} items, and {max} is the most", merged.len());
    }
    let remaining = over.saturating_sub(merged.len());
    let chars = |all: &[usize]| all.iter().map(|at| weight(at).chars).sum::<usize>();
    let least = deleted.iter().map(|at| weight(at).chars).min().unwrap_or_default();
    let enough =
        deleted.len() > remaining && (over_limit.over.chars == 0 || chars(&deleted) - least >= over_limit.over.chars);
    match enough {
        true if remaining == 0 && over_limit.over.chars == 0 => Err(anyhow!("that deletes more than needed")),
        true => Err(anyhow!("that deletes {} items, more than needed", deleted.len())),
        false => Ok(()),
    }
}

/// Validates a bullet's new text: one line without invisible characters.
pub fn bullet_text(text: &str, max_chars: usize) -> anyhow::Result<String> {
    let text = text.trim();
    let text = ["- ", "* ", "+ "].iter().find_map(|m| text.strip_prefix(m)).unwrap_or(text).trim();
    if text.is_empty() {
        bail!("new_content is empty");
    }
    if text.contains(['\n', '\r']) {
        bail!("new_content must be one line");
    }
    if text.chars().any(is_invisible) {
        bail!("new_content holds control or invisible characters");
    }
    let chars = text.chars().count();
    if chars > max_chars || text.len() > validation::MAX_BULLET_BYTES {
        bail!("new_content has {chars} characters, and {max_chars} is the most");
    }
    Ok(text.to_owned())
}

/// Validates an entry's new text: a list without headings.
fn entry_text(text: &str) -> anyhow::Result<String> {
    let text = text.trim();
    if text.is_empty() {
        bail!("new_content is empty");
    }
    if text.chars().any(|c| c != '\n' && is_invisible(c)) {
        bail!("new_content holds control or invisible characters");
    }
    let chars = text.chars().count();
    if chars > MAX_ENTRY_CHARS {
        bail!("new_content has {chars} characters, and {MAX_ENTRY_CHARS} is the most");
    }
    let mut out = String::new();
    for line in text.lines().map(str::trim_end).filter(|l| !l.is_empty()) {
        if line.starts_with('#') || line.starts_with("---") || line.starts_with("```") || line.starts_with('<') {
            bail!("new_content must be a plain list, without headings");
        }
        let item = ["- ", "* ", "+ ", " "].iter().any(|m| line.starts_with(m));
        out.push_str(if item { "" } else { "- " });
        out.push_str(line);
        out.push('\n');
    }
    Ok(out)
}

/// Cleans a reason for the journal: one line, without secrets, truncated.
fn clean_reason(text: &str) -> String {
    // Redact before truncating: otherwise the start of a key could remain at the end.
    let text = crate::text::secrets::redact(text).0;
    let plain: String = text.chars().map(|c| if is_invisible(c) { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").chars().take(MAX_REASON_CHARS).collect()
}

/// Control, invisible and filler characters, and those that change the writing direction.
pub(super) fn is_invisible(c: char) -> bool {
    c.is_control() || invisible_chars::is_invisible(c) || invisible_chars::is_filler(c)
}
