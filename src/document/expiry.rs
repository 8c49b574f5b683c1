//! Until when the bullets of a file are valid: one below another expires with it, unless it is pinned or has a day of
//! its own.
//!
//! Never asks for the date: callers compare with theirs.

use jiff::civil::Date;
use memchr::memmem;

use super::{Document, MetaKey};

/// The last valid days of the bullets of a file.
pub struct ExpiryDates(Vec<Option<Date>>);

impl ExpiryDates {
    /// Reads the metadata of all bullets but those for which `is_inert` is true.
    pub fn of(document: &Document, is_inert: impl Fn(usize) -> bool) -> ExpiryDates {
        let key = format!("{}=", MetaKey::Exp.name());
        if memmem::find(document.text().as_bytes(), key.as_bytes()).is_none() {
            return ExpiryDates(Vec::new());
        }
        // The ends of the bullets around the present one, with their days.
        let mut around: Vec<(u32, Option<Date>)> = Vec::new();
        let mut days = Vec::with_capacity(document.bullets().len());
        for (number, bullet) in document.bullets().iter().enumerate() {
            while around.pop_if(|(end, _)| *end <= bullet.line_start).is_some() {}
            let meta = document.bullet_meta(number).filter(|_| !is_inert(number)).unwrap_or_default();
            let outer = around.last().and_then(|(_, day)| *day).filter(|_| !meta.is_pinned());
            let day = meta.expires().or(outer);
            around.push((bullet.end, day));
            days.push(day);
        }
        ExpiryDates(days)
    }

    /// The last day on which a bullet is valid: its own, or that of the bullet around it. Only its own counts if it is
    /// pinned: `prune` keeps it, too.
    pub fn last_day(&self, bullet: usize) -> Option<Date> {
        self.0.get(bullet).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_bullet_has_the_last_day_of_the_one_around_it_unless_it_is_pinned_or_has_its_own() {
        let text = "\
- In Rome
  <!-- mem exp=2026-02-20 -->
  - Hotel near the station
    - Breakfast from seven
  - Keep the receipts
    <!-- mem pin -->
    - In the blue folder
  - Parking until March
    <!-- mem exp=2026-03-01 -->
    - Level two
- Lives in Oslo
  - In Grünerløkka
";
        let document = Document::parse(text);
        let days = |is_inert: fn(usize) -> bool| {
            let dates = ExpiryDates::of(&document, is_inert);
            let day = |bullet| dates.last_day(bullet).map_or("-".to_owned(), |day| day.to_string()[5..].to_owned());
            (0..document.bullets().len()).map(day).collect::<Vec<_>>()
        };
        assert_eq!(days(|_| false), ["02-20", "02-20", "02-20", "-", "-", "03-01", "03-01", "-", "-"]);
        assert_eq!(days(|bullet| bullet == 0), ["-", "-", "-", "-", "-", "03-01", "03-01", "-", "-"]);
        assert_eq!(ExpiryDates::of(&Document::parse("- In Rome\n"), |_| false).last_day(0), None);
    }
}
