//! What stands behind the text of a shown item: how old it is, and what speaks against it.
//!
//! Never finds out by itself: the code that shows the item does.

use std::cell::OnceCell;

use jiff::civil::Date;

use super::sanitize::sanitize_line;
use crate::text::code_anchor::CodeAnchor;
use crate::view::query::item_facts::ItemDate;
use crate::view::stale_anchors::{StaleAnchor, anchor_mark};

/// A longer place in code, in bytes, is not repeated in a remark.
const MAX_PLACE_BYTES: usize = 80;

/// An item that is about to be shown.
#[derive(Clone, Copy, Debug)]
pub struct ShownItem<'a> {
    /// Its address, with the name of its memory if that is another than the session's.
    pub address: &'a str,
    pub text: &'a str,
    /// The day on which it was written or confirmed.
    pub day: Option<Date>,
    /// The value of its metadata key `anchor`.
    pub anchor: Option<&'a str>,
}

/// What is known about a shown item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemRemarks {
    /// How many days ago it was written or confirmed, if that was before today.
    pub age: Option<i32>,
    /// The state of its anchor, and its place in code.
    pub stale_anchor: Option<(StaleAnchor, String)>,
    /// The place of a statement outside the memory that it excludes: `CLAUDE.md:12`.
    pub contradicts: Option<String>,
}

/// Finds out what is known about an item.
pub type FindRemarks<'a> = &'a dyn Fn(&ShownItem<'_>) -> ItemRemarks;

impl<'a> ShownItem<'a> {
    pub fn new(address: &'a str, text: &'a str, date: Option<ItemDate>, anchor: Option<&'a str>) -> ShownItem<'a> {
        ShownItem { address, text, day: date.map(|date| date.day), anchor }
    }

    /// What is known about it, asked once: `known` keeps the answer.
    pub fn remarks<'r>(&self, known: &'r OnceCell<ItemRemarks>, find: FindRemarks<'_>) -> &'r ItemRemarks {
        known.get_or_init(|| find(self))
    }
}

impl ItemRemarks {
    /// The state of its anchor.
    pub fn anchor_state(&self) -> Option<StaleAnchor> {
        self.stale_anchor.as_ref().map(|(state, _)| *state)
    }

    /// The text behind that of the item: ` (94d) (src/a.rs:3 changed) (contradicts CLAUDE.md:12)`.
    pub fn to_text(&self) -> String {
        let age = self.age.map_or(String::new(), |days| format!(" ({days}d)"));
        format!("{age}{}", self.doubts())
    }

    /// The same text without the age. That its lines moved is no doubt: they still say the same.
    pub fn doubts(&self) -> String {
        let code = self.stale_anchor.as_ref().map_or(String::new(), |(state, place)| match state {
            StaleAnchor::Moved => String::new(),
            state if place.len() > MAX_PLACE_BYTES => anchor_mark(*state),
            StaleAnchor::Changed => format!(" ({} changed)", sanitize_line(place)),
            StaleAnchor::Gone => format!(" ({} is gone)", sanitize_line(place)),
        });
        let other = self.contradicts.as_ref();
        let contradiction = other.map_or(String::new(), |place| format!(" (contradicts {})", sanitize_line(place)));
        code + &contradiction
    }
}

/// The number of whole days from a day to another; `None` if it is not before that.
pub fn age_in_days(day: Date, today: Date) -> Option<i32> {
    let days = day.until((jiff::Unit::Day, today)).ok()?.get_days();
    (days > 0).then_some(days)
}

/// What a remark calls the code of an anchor: the lines, or the file if it is gone.
pub fn code_place(anchor: &CodeAnchor, state: StaleAnchor) -> String {
    if state == StaleAnchor::Gone { anchor.path.to_string() } else { anchor.place() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_in_brackets_and_what_is_unknown_has_none() {
        let remarks = |age, state: Option<StaleAnchor>, contradicts: Option<&str>| ItemRemarks {
            age,
            stale_anchor: state.map(|state| (state, "src/a.rs:3".to_owned())),
            contradicts: contradicts.map(str::to_owned),
        };
        let all = remarks(Some(94), Some(StaleAnchor::Changed), Some("CLAUDE.md:12"));
        assert_eq!(all.to_text(), " (94d) (src/a.rs:3 changed) (contradicts CLAUDE.md:12)");
        assert_eq!(all.doubts(), " (src/a.rs:3 changed) (contradicts CLAUDE.md:12)");
        assert_eq!(remarks(None, Some(StaleAnchor::Gone), None).to_text(), " (src/a.rs:3 is gone)");
        assert_eq!(remarks(None, Some(StaleAnchor::Moved), None).to_text(), "");
        let far = ItemRemarks { stale_anchor: Some((StaleAnchor::Changed, "a".repeat(200))), ..ItemRemarks::default() };
        assert_eq!(far.to_text(), " (anchor changed)");
    }

    #[test]
    fn an_age_is_of_whole_days_before_today() {
        let day = |day| Date::new(2026, 2, day).unwrap();
        assert_eq!(age_in_days(day(1), day(24)), Some(23));
        assert_eq!((age_in_days(day(24), day(24)), age_in_days(day(25), day(24))), (None, None));
    }
}
