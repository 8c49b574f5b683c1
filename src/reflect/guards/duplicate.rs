//! Finds texts in the memory that a new text repeats or contradicts.
//!
//! Never decides which of two texts is better. Likeness alone is no repetition: a text with another name, number, date,
//! negation or order is news.

use super::possible_contradiction::{find_exclusive_value, find_possible_contradiction, tells_an_end};
use super::{GuardFinding, Violation};
use crate::document::Handle;
use crate::text::contradiction::compare_statements;
use crate::text::near_duplicate::extra_words;
use crate::text::statement::Statement;
use crate::text::whole_denial::is_whole_denial;

/// What a new text repeats or contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedText {
    /// `Duplicate`, `NearDuplicate`, `Contradiction` or `PossibleContradiction`.
    pub violation: Violation,
    /// The text in the memory.
    pub text: String,
}

impl From<&RelatedText> for GuardFinding {
    /// The finding quotes the start of the text; of a contradicted one also the handle, for an update.
    fn from(related: &RelatedText) -> GuardFinding {
        let start: String = related.text.chars().take(60).collect();
        let excerpt = match related.violation {
            Violation::Contradiction | Violation::PossibleContradiction => {
                format!("@{} {start}", Handle::of(&related.text).prefix(6))
            }
            _ => start,
        };
        GuardFinding { violation: related.violation, excerpt }
    }
}

/// The text that is repeated word for word; else the first that is contradicted; else the one that is repeated with the
/// fewest other words.
pub fn find_related<'a>(text: &str, others: impl Iterator<Item = &'a str>) -> Option<RelatedText> {
    let new = Statement::of(text);
    let (mut closest, mut contradicted): (Option<(usize, &str)>, Option<&str>) = (None, None);
    let related = |violation, text: &str| Some(RelatedText { violation, text: text.to_owned() });
    for other in others {
        let known = Statement::of(other);
        let extra = extra_words(&new, &known);
        if other.trim() == text.trim() || extra == Some(0) && new.has_same_tokens(&known) {
            return related(Violation::Duplicate, other);
        }
        // "Smokes on holiday" may stand beside "Does not smoke", so the model is asked about it as what may contradict.
        if contradicted.is_none() && !is_whole_denial(&new, &known) && compare_statements(&new, &known).is_some() {
            contradicted = Some(other);
        }
        if let Some(extra) = extra
            && closest.is_none_or(|(fewest, _)| extra < fewest)
        {
            closest = Some((extra, other));
        }
    }
    match (contradicted, closest) {
        (Some(other), _) => related(Violation::Contradiction, other),
        (None, Some((_, other))) => related(Violation::NearDuplicate, other),
        (None, None) => None,
    }
}

/// Like [`find_related`]; if nothing is repeated or contradicted, the first text that may be.
pub fn find_related_or_possible<'a>(text: &str, others: impl Iterator<Item = &'a str> + Clone) -> Option<RelatedText> {
    match find_related(text, others.clone()) {
        // "Gave up the rented studio" repeats the words of "Rents a studio".
        Some(RelatedText { violation: Violation::NearDuplicate, text: known })
            if tells_an_end(text) != tells_an_end(&known) =>
        {
            Some(RelatedText { violation: Violation::PossibleContradiction, text: known })
        }
        Some(related) => Some(related),
        None => {
            let text = find_possible_contradiction(text, others)?;
            Some(RelatedText { violation: Violation::PossibleContradiction, text })
        }
    }
}

/// Like [`find_related_or_possible`], of a text about which the model was asked, and which it insists on: of what may
/// be contradicted only what differs in one value of one thing.
pub fn find_related_or_exclusive<'a>(text: &str, others: impl Iterator<Item = &'a str> + Clone) -> Option<RelatedText> {
    find_related(text, others.clone()).or_else(|| {
        let text = find_exclusive_value(text, others)?;
        Some(RelatedText { violation: Violation::PossibleContradiction, text })
    })
}

/// Whether one of some texts says the same.
pub fn is_repeated<'a>(text: &str, others: impl Iterator<Item = &'a str>) -> bool {
    find_related(text, others).is_some_and(|related| related.violation != Violation::Contradiction)
}
