//! Whether memory says a thing already.
//!
//! Never says which of two texts is the better one.

use super::Flaw;
use crate::text::Features;
use crate::text::likeness::NEAR;

/// The text among others that says the same (`Duplicate`) or nearly the same (`NearDuplicate`) thing; the closest.
pub fn twin<'a>(text: &str, others: impl Iterator<Item = &'a str>) -> Option<(Flaw, String)> {
    let wanted = Features::of(text);
    let mut closest: Option<(f64, &str)> = None;
    for other in others {
        let alike = if other.trim() == text.trim() { 1.0 } else { wanted.likeness(&Features::of(other)) };
        if alike >= NEAR && closest.is_none_or(|(most, _)| alike > most) {
            closest = Some((alike, other));
        }
    }
    closest.map(|(alike, other)| (if alike >= 1.0 { Flaw::Duplicate } else { Flaw::NearDuplicate }, other.to_owned()))
}
