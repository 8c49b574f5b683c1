//! Finds texts in the memory that a new text repeats.
//!
//! Never decides which of two texts is better.

use super::Violation;
use crate::text::TextFeatures;
use crate::text::similarity::NEAR_DUPLICATE;

/// The most similar of the other texts, if it is equal (`Duplicate`) or similar enough (`NearDuplicate`).
pub fn find_duplicate<'a>(text: &str, others: impl Iterator<Item = &'a str>) -> Option<(Violation, String)> {
    let features = TextFeatures::of(text);
    let mut closest: Option<(f64, &str)> = None;
    for other in others {
        let similarity = if other.trim() == text.trim() { 1.0 } else { features.similarity(&TextFeatures::of(other)) };
        if similarity >= NEAR_DUPLICATE && closest.is_none_or(|(highest, _)| similarity > highest) {
            closest = Some((similarity, other));
        }
    }
    closest.map(|(alike, other)| {
        (if alike >= 1.0 { Violation::Duplicate } else { Violation::NearDuplicate }, other.to_owned())
    })
}
