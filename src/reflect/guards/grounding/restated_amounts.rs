//! Recognises an amount of money that is written otherwise: $900 and 900 USD, 40 EUR and €40, $1,250 and 1250美元.
//!
//! Never converts one currency into another, and takes a plain `$` for no dollar but that of the United States.

use super::restated;
use crate::text::Splice;
use crate::text::exact_tokens::{CurrencyAmount, currency_amounts};

/// A text with each amount of money as its sources write an equal one; `None` if nothing changes.
pub(super) fn in_forms_of(text: &str, sources: &[&str]) -> Option<String> {
    let own = currency_amounts(text);
    if own.is_empty() {
        return None;
    }
    let said: Vec<_> = sources
        .iter()
        .flat_map(|source| currency_amounts(source).into_iter().map(move |amount| (amount, *source)))
        .collect();
    let as_said = |amount: CurrencyAmount| {
        let surface = &text[amount.range.clone()];
        let is_equal = |other: &CurrencyAmount| other.value == amount.value && other.currency == amount.currency;
        let (other, source) = said.iter().find(|(other, _)| is_equal(other))?;
        let is_said = sources.iter().any(|source| source.contains(surface));
        (!is_said).then(|| Splice {
            start: amount.range.start,
            end: amount.range.end,
            new: source[other.range.clone()].into(),
        })
    };
    restated(text, &own.into_iter().filter_map(as_said).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_amounts_are_recognised() {
        for (text, source, expected) in [
            ("The rent is 900 USD.", "the rent is $900", Some("The rent is $900.")),
            ("The rent is 900 USD a month.", "I pay $900 a month", Some("The rent is $900 a month.")),
            ("The rent is $900 a month.", "I pay 900 USD a month", Some("The rent is 900 USD a month.")),
            ("The rent is 1,250 USD.", "$1250 it is", Some("The rent is $1250.")),
            ("The licence costs €40.", "it is 40 EUR", Some("The licence costs 40 EUR.")),
            ("房租1250美元。", "房租$1250", Some("房租$1250。")),
            ("The rent is 900 EUR.", "the rent is $900", None),
            ("The rent is 900 AUD.", "the rent is $900", None),
            ("The rent is 800 USD.", "the rent is $900", None),
            ("The rent is $900.", "the rent is $900", None),
        ] {
            assert_eq!(in_forms_of(text, &[source]).as_deref(), expected, "{text} / {source}");
        }
    }
}
