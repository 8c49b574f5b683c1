//! Finds texts in the memory that a new text repeats or contradicts.
//!
//! Never decides which of two texts is better. Likeness alone is no repetition: a text with another name, number, date,
//! negation or order is news.

use super::{GuardFinding, Violation};
use crate::document::Handle;
use crate::text::TextFeatures;
use crate::text::contradiction::{adds_condition, find_contradiction, find_news};
use crate::text::similarity::NEAR_DUPLICATE;

/// What a new text repeats or contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedText {
    /// `Duplicate`, `NearDuplicate` or `Contradiction`.
    pub violation: Violation,
    /// The text in the memory.
    pub text: String,
}

impl From<&RelatedText> for GuardFinding {
    /// The finding quotes the start of the text; of a contradicted one also the handle, for an update.
    fn from(related: &RelatedText) -> GuardFinding {
        let start: String = related.text.chars().take(60).collect();
        let excerpt = match related.violation {
            Violation::Contradiction => format!("@{} {start}", Handle::of(&related.text).prefix(6)),
            _ => start,
        };
        GuardFinding { violation: related.violation, excerpt }
    }
}

/// The text that is repeated word for word; else the first that is contradicted; else the most similar one that the new
/// text adds nothing to.
pub fn find_related<'a>(text: &str, others: impl Iterator<Item = &'a str>) -> Option<RelatedText> {
    let features = TextFeatures::of(text);
    let (mut closest, mut contradicted): (Option<(f64, &str)>, Option<&str>) = (None, None);
    let related = |violation, text: &str| Some(RelatedText { violation, text: text.to_owned() });
    for other in others {
        let similarity = features.similarity(&TextFeatures::of(other));
        if other.trim() == text.trim() || similarity >= 1.0 && find_news(text, other).is_none() {
            return related(Violation::Duplicate, other);
        }
        if contradicted.is_none() && !adds_condition(text, other) && find_contradiction(text, other).is_some() {
            contradicted = Some(other);
        }
        let is_closer = closest.is_none_or(|(highest, _)| similarity > highest);
        if similarity >= NEAR_DUPLICATE && is_closer && find_news(text, other).is_none() {
            closest = Some((similarity, other));
        }
    }
    match (contradicted, closest) {
        (Some(other), _) => related(Violation::Contradiction, other),
        (None, Some((_, other))) => related(Violation::NearDuplicate, other),
        (None, None) => None,
    }
}
