//! Selects the items for every context: pinned ones, those of categories with `context: all`, important ones.
//!
//! Never guesses an importance: items without one are found through the index and `query`.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::HashMap;

use super::context_filter::ContextFilter;
use super::entries::is_entry_summary;
use super::layered::overrules_mark;
use super::remarks::{FindRemarks, ItemRemarks, ShownItem};
use super::result::ContextReason;
use super::{item_address, item_identity, item_line, place_in_file, sanitize, text_bytes, whole_text};
use crate::document::{DEFAULT_IMPORTANCE, Handle, MetaKey, category_name};
use crate::policy::{ContextMode, EffectiveConfidence, Policy};
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::{ItemDate, ItemFacts};
use crate::view::query::items::ItemKind;

/// Minimum importance of an item that is always included.
pub const IMPORTANT: u8 = 7;
/// A longer text, in bytes, is ranked below all shorter ones, unless it is pinned: it would displace many. None is cut:
/// half a rule may say the opposite of it.
pub const LONG_BYTES: usize = 800;

/// Why an item is included; of several reasons the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteReason {
    Pinned,
    /// Its category has `context: all`; holds the category's index in the policy.
    AlwaysCategory(usize),
    /// Its importance is at least `IMPORTANT`.
    Important,
    /// Its importance is lower, but at least [`DEFAULT_IMPORTANCE`].
    Noted,
}

impl NoteReason {
    /// The reason as the answer has it.
    pub fn in_answer(self) -> ContextReason {
        match self {
            NoteReason::Pinned => ContextReason::Pinned,
            NoteReason::AlwaysCategory(_) => ContextReason::All,
            NoteReason::Important => ContextReason::Important,
            NoteReason::Noted => ContextReason::Noted,
        }
    }

    fn rank(self) -> u8 {
        match self {
            NoteReason::Pinned => 0,
            NoteReason::AlwaysCategory(_) => 1,
            NoteReason::Important => 2,
            NoteReason::Noted => 3,
        }
    }
}

/// An item of a context.
#[derive(Clone, Debug)]
pub struct ContextNote {
    pub reason: NoteReason,
    pub date: Option<ItemDate>,
    /// The path of its file.
    pub path: String,
    pub address: String,
    /// Identity of a bullet's text: equal for bullets that say the same.
    pub identity: Option<Handle>,
    /// Its text as one sanitized line.
    pub text: String,
    /// The value of its metadata key `anchor`.
    pub anchor: Option<String>,
    /// What is known about it, once it was asked.
    pub remarks: OnceCell<ItemRemarks>,
    importance: u8,
    is_long: bool,
    /// Its effective confidence, if it states one.
    pub confidence: Option<EffectiveConfidence>,
    /// The addresses of items of farther layers that it contradicts.
    pub overrules: Vec<String>,
    /// Indices of its categories that have a `rag_length` in the policy.
    limited_categories: Vec<usize>,
}

impl ContextNote {
    /// Indices of its categories that have a `rag_length` in the policy.
    pub fn limited_categories(&self) -> &[usize] {
        &self.limited_categories
    }

    /// The file whose name stands above its line.
    pub fn file(&self) -> Option<&str> {
        place_in_file(&self.address, &self.path).map(|_| self.path.as_str())
    }

    /// What is known about it, asked once.
    pub fn remarks(&self, find: FindRemarks<'_>) -> &ItemRemarks {
        ShownItem::new(&self.address, &self.text, self.date, self.anchor.as_deref()).remarks(&self.remarks, find)
    }

    /// Its line below the name of its file, with what is known about it.
    pub fn line(&self, remarks: &ItemRemarks) -> String {
        let mark = remarks.to_text();
        let doubt = confidence_mark(self.confidence);
        let text = format!("{}{mark}{doubt}{}", self.text, overrules_mark(&self.overrules));
        item_line(&self.address, &self.path, &text)
    }

    /// What sorts it before its importance and its date do.
    pub fn rank(&self) -> (u8, bool, bool) {
        (self.reason.rank(), self.is_doubtful(), self.is_long)
    }

    fn is_doubtful(&self) -> bool {
        is_low(self.confidence)
    }
}

/// The items of these files that belong into every context, most valuable first. A category with a `rag_length` gives
/// at most that many, not counting pinned items and categories with `context: all`.
pub fn context_notes(
    files: &[ItemizedFile],
    origins: &BulletOrigins,
    policy: &Policy,
    filter: &ContextFilter,
) -> Vec<ContextNote> {
    let mut all: Vec<(ContextNote, usize, usize)> = Vec::new();
    for (f, file) in files.iter().enumerate() {
        let facts = ItemFacts::new(file, origins);
        for item in 0..file.items.len() {
            let Some((reason, bounded)) = note_reason(&facts, item, policy) else { continue };
            // The newest entries represent the others.
            if reason == NoteReason::Noted && is_entry_summary(file, item) {
                continue;
            }
            if !filter.allows_item(&facts, item) {
                continue;
            }
            let note = ContextNote {
                reason,
                date: facts.date(item),
                path: file.path.to_string(),
                address: String::new(),
                identity: None,
                text: String::new(),
                anchor: facts.meta(item).valid(MetaKey::Anchor).map(str::to_owned),
                remarks: OnceCell::new(),
                importance: facts.importance(item).unwrap_or(0),
                is_long: reason != NoteReason::Pinned && text_bytes(file, item) > LONG_BYTES,
                confidence: facts.confidence(item, policy.decay, filter.today),
                overrules: Vec::new(),
                limited_categories: bounded,
            };
            all.push((note, f, item));
        }
    }
    all.sort_by(|(a, fa, ia), (b, fb, ib)| compare_value(a, b).then_with(|| (fa, ia).cmp(&(fb, ib))));
    let mut lengths = CategoryQuotas::new(policy);
    all.retain(|(note, ..)| lengths.take(&note.limited_categories, note.reason.rank() < 2));
    let sanitized = |(note, f, item): (ContextNote, usize, usize)| ContextNote {
        address: sanitize::sanitize_line(&item_address(&files[f], item)),
        identity: item_identity(&files[f], item),
        text: sanitize::sanitize_line(&whole_text(&files[f], item)),
        ..note
    };
    all.into_iter().map(sanitized).filter(|note| !note.text.is_empty()).collect()
}

/// Orders the more valuable note first: by reason, low confidence last, long ones behind others, then by importance,
/// date.
fn compare_value(a: &ContextNote, b: &ContextNote) -> Ordering {
    let by_imp = || b.importance.cmp(&a.importance);
    a.rank().cmp(&b.rank()).then_with(by_imp).then_with(|| b.date.cmp(&a.date))
}

/// Whether an item states a confidence of which too little is left.
pub fn is_low(confidence: Option<EffectiveConfidence>) -> bool {
    confidence.is_some_and(|confidence| confidence.is_low())
}

/// What the line of an item of low confidence ends with: ` (low confidence 0.2)`.
pub fn confidence_mark(confidence: Option<EffectiveConfidence>) -> String {
    let low = confidence.filter(EffectiveConfidence::is_low);
    low.map_or(String::new(), |confidence| format!(" (low confidence {})", confidence.rounded()))
}

/// The indices of an item's categories in the policy.
pub fn policy_categories(facts: &ItemFacts<'_>, item: usize, policy: &Policy) -> Vec<usize> {
    let own = if policy.categories.is_empty() { Vec::new() } else { facts.categories(item) };
    let of = |n: &usize| own.contains(&category_name(&policy.categories[*n].name));
    (0..policy.categories.len()).filter(of).collect()
}

/// Why an item is included, and its categories that have a `rag_length`.
pub fn note_reason(facts: &ItemFacts<'_>, item: usize, policy: &Policy) -> Option<(NoteReason, Vec<usize>)> {
    if facts.file.items[item].kind == ItemKind::Heading {
        return None;
    }
    let mine = policy_categories(facts, item, policy);
    let always = mine.iter().copied().find(|n| policy.categories[*n].context == ContextMode::All);
    let reason = match (facts.is_pinned(item), always, facts.importance(item)) {
        (true, ..) => NoteReason::Pinned,
        (_, Some(category), _) => NoteReason::AlwaysCategory(category),
        (.., Some(imp)) if imp >= IMPORTANT => NoteReason::Important,
        (.., Some(imp)) if imp >= DEFAULT_IMPORTANCE => NoteReason::Noted,
        _ => return None,
    };
    Some((reason, mine.into_iter().filter(|n| policy.categories[*n].rag_length.is_some()).collect()))
}

/// Counts how many items of each category a context may still include.
pub struct CategoryQuotas<'a> {
    policy: &'a Policy,
    taken: HashMap<usize, usize>,
}

impl<'a> CategoryQuotas<'a> {
    pub fn new(policy: &'a Policy) -> CategoryQuotas<'a> {
        CategoryQuotas { policy, taken: HashMap::new() }
    }

    /// Takes an item if each of its categories has capacity left, or if `anyway` is set.
    pub fn take(&mut self, categories: &[usize], anyway: bool) -> bool {
        let most = |n: &usize| self.policy.categories[*n].rag_length.unwrap_or(usize::MAX);
        let has_capacity = categories.iter().all(|n| self.taken.get(n).copied().unwrap_or(0) < most(n));
        if has_capacity || anyway {
            categories.iter().for_each(|n| *self.taken.entry(*n).or_default() += 1);
        }
        has_capacity || anyway
    }
}

/// The lines that report omitted items.
pub fn omitted_lines(notes: &[&ContextNote], policy: &Policy) -> Vec<String> {
    let count = |rank: u8| notes.iter().filter(|n| n.reason.rank() == rank).count();
    let mut lines = Vec::new();
    let mut push_line = |n: usize, what: &str, command: &str| {
        if n > 0 {
            lines.push(format!("… and {n} more {what}: memdir query {command}"));
        }
    };
    push_line(count(0), "pinned", "--pinned");
    let mut names: Vec<&str> = notes
        .iter()
        .filter_map(|n| {
            if let NoteReason::AlwaysCategory(c) = n.reason { Some(policy.categories[c].name.as_str()) } else { None }
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    // Print the name only if it needs no quoting: a policy may come from an untrusted repository.
    match names[..] {
        [name] if sanitize::is_plain_name(name) => push_line(count(1), "always there", &format!("--category {name}")),
        _ => push_line(count(1), "always there", "--category NAME"),
    }
    match (count(2), count(3)) {
        (important, 0) => push_line(important, "important", "--imp 7.."),
        (0, noted) => push_line(noted, "of some importance", "--imp 5.."),
        (important, noted) => push_line(important + noted, "of some importance", "--imp 5.."),
    }
    lines
}
