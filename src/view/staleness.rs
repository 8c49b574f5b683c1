//! Finds the bullets of a file that should be confirmed or removed: age has left little of their confidence, or their
//! last valid day is over.
//!
//! Never guesses: a bullet that states neither a confidence nor a last day is never stale.

use std::cell::OnceCell;

use jiff::civil::Date;
use memchr::memmem;

use crate::document::{Document, MetaKey};
use crate::path::MemoryPath;
use crate::policy::{DecayRule, EffectiveConfidence};
use crate::view::query::item_facts::SectionDates;

/// Why a bullet is stale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StaleReason {
    /// This was its last valid day.
    Expired(Date),
    /// What is left of its confidence.
    Decayed(EffectiveConfidence),
}

/// The stale bullets of a file, by index, in their order.
pub fn stale_bullets(
    document: &Document,
    path: &MemoryPath,
    decay: Option<DecayRule>,
    today: Date,
) -> Vec<(usize, StaleReason)> {
    if document.meta_lines().is_empty() {
        return Vec::new();
    }
    let dates = OnceCell::new();
    let reason = |bullet: usize| {
        let meta = document.bullet_meta(bullet)?;
        if let Some(last) = meta.expires().filter(|last| *last < today) {
            return Some(StaleReason::Expired(last));
        }
        let (stated, rule) = (meta.confidence()?, decay?);
        let dates = dates.get_or_init(|| SectionDates::of(document, path));
        let since = dates.day_of_bullet(&meta, document.bullets()[bullet].section);
        let confidence = EffectiveConfidence::new(stated, Some(rule), since, today);
        confidence.is_stale().then_some(StaleReason::Decayed(confidence))
    };
    (0..document.bullets().len()).filter_map(|bullet| Some((bullet, reason(bullet)?))).collect()
}

/// Whether a file may have stale bullets, without parsing it: true for some that have none, too.
pub fn may_have_stale_bullets(bytes: &[u8]) -> bool {
    let has_value = |key: &MetaKey| memmem::find(bytes, format!("{}=", key.name()).as_bytes()).is_some();
    [MetaKey::Exp, MetaKey::Conf].iter().any(has_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: DecayRule = DecayRule { half_life_days: 100, floor: 0.3 };

    /// Checks which bullets are stale on 2026-07-01, `x` for those that expired.
    fn check(text: &str, decay: Option<DecayRule>, expected: &[&str]) {
        let (document, path) = (Document::parse(text), MemoryPath::new("facts/user.md").unwrap());
        let row = |(bullet, reason): (usize, StaleReason)| match reason {
            StaleReason::Expired(_) => format!("{} x", document.bullet_text(bullet)),
            StaleReason::Decayed(confidence) => format!("{} {}", document.bullet_text(bullet), confidence.rounded()),
        };
        let today = Date::constant(2026, 7, 1);
        let found: Vec<String> = stale_bullets(&document, &path, decay, today).into_iter().map(row).collect();
        assert_eq!(found, expected, "{text}");
        assert!(expected.is_empty() || may_have_stale_bullets(text.as_bytes()));
    }

    #[test]
    fn what_expired_or_decayed_is_stale() {
        check("- a\n  <!-- mem exp=2026-06-30 -->\n- b\n  <!-- mem exp=2026-07-01 -->\n", None, &["a x"]);
        check("- a\n  <!-- mem conf=0.9 added=2026-01-01 -->\n", None, &[]);
        check("- a\n  <!-- mem conf=0.9 added=2026-01-01 -->\n", Some(RULE), &["a 0.3"]);
        check("- a\n  <!-- mem conf=0.9 added=2026-01-01 upd=2026-06-30 -->\n", Some(RULE), &[]);
        check("- a\n  <!-- mem added=2020-01-01 -->\n- b\n  <!-- mem conf=0.9 -->\n", Some(RULE), &[]);
    }

    #[test]
    fn the_date_of_the_section_stands_in_for_that_of_the_bullet() {
        let text =
            "# A\n\n## B\n- Date: 2026-03-23\n- b\n  <!-- mem conf=0.8 -->\n\n## C\n- c\n  <!-- mem conf=0.8 -->\n";
        check(text, Some(RULE), &["b 0.4"]);
    }
}
