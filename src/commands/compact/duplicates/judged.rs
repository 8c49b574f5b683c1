//! `.memdir/duplicates`: which pairs a model was asked about, and when, on this machine.
//!
//! Never holds a text or a handle, only a hash of both texts of a pair. A file with anything odd in it counts as empty:
//! pairs are then asked about again, which costs tokens and nothing else.

use std::collections::BTreeMap;
use std::fmt::Write;

use jiff::civil::Date;
use sha2::{Digest, Sha256};

use crate::document::Handle;
use crate::reflect::duplicates::{DuplicateItem, JUDGED_DAYS};
use crate::store::Store;
use crate::text::hex;

/// File name below `.memdir/`.
pub const NOTE: &str = "duplicates";
/// The most lines that are read: 14 days of 50 pairs are 700.
const MAX_LINES: usize = 2000;

/// What was found about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedAs {
    /// The model was asked; its answer has led to nothing, or to a change.
    Asked,
    /// The two do not say the same.
    Different,
    /// They may say the same, but a person must decide.
    Refused,
}

impl JudgedAs {
    const ALL: [(JudgedAs, &'static str); 3] =
        [(JudgedAs::Asked, "asked"), (JudgedAs::Different, "different"), (JudgedAs::Refused, "refused")];

    fn name(self) -> &'static str {
        JudgedAs::ALL.iter().find(|(one, _)| *one == self).map_or("asked", |(_, name)| name)
    }
}

/// The pairs of the last 14 days.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgedPairs {
    /// The last day on which no pair was left waiting.
    pub caught_up: Option<Date>,
    pairs: BTreeMap<String, (Date, JudgedAs)>,
}

/// The hash of a pair: of both texts and the places where they stand, in any order.
pub fn fingerprint(a: &DuplicateItem, b: &DuplicateItem, similarity: f64) -> String {
    let mut sides =
        [a, b].map(|item| format!("{}\0{}\0{}", item.path, item.section, Handle::of(&item.text).prefix(12)));
    sides.sort();
    let digest = Sha256::digest(format!("{}\0{}\0{similarity:.2}", sides[0], sides[1]).as_bytes());
    hex(&digest[..8])
}

impl JudgedPairs {
    /// Reads the file as of a day. Pairs that are older than 14 days, or of a later day, are left out.
    pub fn load(store: &Store, today: Date) -> JudgedPairs {
        store.read_note(NOTE).and_then(|text| JudgedPairs::parse(&text, today)).unwrap_or_default()
    }

    fn parse(text: &str, today: Date) -> Option<JudgedPairs> {
        let mut all = JudgedPairs::default();
        // A write that was cut off leaves a line without its end.
        if !(text.is_empty() || text.ends_with('\n')) || text.lines().count() > MAX_LINES {
            return None;
        }
        for line in text.lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            match fields[..] {
                ["caught-up", day] => all.caught_up = Some(day.parse().ok()?).filter(|day| *day <= today),
                [day, hash, name] => {
                    let day: Date = day.parse().ok()?;
                    let (judged, _) = *JudgedAs::ALL.iter().find(|(_, known)| *known == name)?;
                    if hash.len() != 16 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                        return None;
                    }
                    all.pairs.insert(hash.to_owned(), (day, judged));
                }
                _ => return None,
            }
        }
        all.pairs.retain(|_, (day, _)| days_since(*day, today).is_some_and(|days| days < JUDGED_DAYS));
        Some(all)
    }

    pub fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(day) = self.caught_up {
            let _ = writeln!(text, "caught-up {day}");
        }
        for (hash, (day, judged)) in &self.pairs {
            let _ = writeln!(text, "{day} {hash} {}", judged.name());
        }
        text
    }

    pub fn insert(&mut self, fingerprint: String, day: Date, judged: JudgedAs) {
        self.pairs.insert(fingerprint, (day, judged));
    }

    /// What was found about a pair that is not asked about again yet.
    pub fn find(&self, fingerprint: &str) -> Option<JudgedAs> {
        self.pairs.get(fingerprint).map(|(_, judged)| *judged).filter(|judged| *judged != JudgedAs::Asked)
    }

    /// How many pairs a model was asked about on a day.
    pub fn asked_on(&self, day: Date) -> usize {
        self.pairs.values().filter(|(asked, _)| *asked == day).count()
    }
}

/// The days since a day; `None` for a later one, which a wrong clock has written.
fn days_since(day: Date, today: Date) -> Option<i32> {
    let days = day.until((jiff::Unit::Day, today)).ok()?.get_days();
    (days >= 0).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    const HASH: &str = "0123456789abcdef";

    #[test]
    fn a_pair_is_known_for_fourteen_days() {
        let mut judged = JudgedPairs { caught_up: Some(day("2026-02-01")), ..JudgedPairs::default() };
        judged.insert(HASH.into(), day("2026-02-01"), JudgedAs::Different);
        judged.insert("f".repeat(16), day("2026-02-01"), JudgedAs::Asked);
        let text = judged.to_text();
        let on = |today: &str| JudgedPairs::parse(&text, day(today)).unwrap();
        assert_eq!(on("2026-02-01"), judged);
        assert_eq!(on("2026-02-14").find(HASH), Some(JudgedAs::Different));
        assert_eq!(on("2026-02-15").find(HASH), None);
        // A pair whose answer led to nothing is asked about again, but it counts on its day.
        assert_eq!(on("2026-02-01").find(&"f".repeat(16)), None);
        assert_eq!(
            (on("2026-02-01").asked_on(day("2026-02-01")), on("2026-02-02").asked_on(day("2026-02-02"))),
            (2, 0)
        );
        // What a wrong clock has written counts for nothing.
        let early = on("2026-01-31");
        assert_eq!((early.find(HASH), early.caught_up), (None, None));
    }

    #[test]
    fn a_damaged_file_counts_as_empty() {
        let whole = format!("2026-02-01 {HASH} different\n");
        assert!(JudgedPairs::parse(&whole, day("2026-02-01")).is_some());
        for damage in [
            &whole[..whole.len() - 1],
            &whole[..whole.len() - 4],
            &format!("{whole}\0\0\0\n"),
            &format!("{whole}2026-02-31 {HASH} different\n"),
            &format!("{whole}2026-02-01 {HASH} unknown\n"),
            &format!("{whole}2026-02-01 zz different\n"),
            &format!("{whole}caught-up never\n"),
            &whole.repeat(MAX_LINES + 1),
        ] {
            assert_eq!(JudgedPairs::parse(damage, day("2026-02-01")), None, "{:.80}", damage);
        }
    }
}
