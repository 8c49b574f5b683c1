//! The dates that people keep in a file themselves: `- Updated: 2026-02-24`, front matter `updated`, `last_updated`.
//!
//! Never makes one, and never touches more than the date in it.

use jiff::Zoned;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::document::{Document, Section};
use crate::text::Splice;

/// The front matter keys that say when a file changed.
const KEYS: [&str; 2] = ["updated", "last_updated"];

/// The replacements that bring those dates up to now, where what they speak of changed and they themselves did not.
/// Sorted; on `after`.
pub fn updated(before: &Document, after: &Document, now: &Zoned) -> Vec<Splice> {
    if before.text() == after.text() {
        return Vec::new();
    }
    let mut splices: Vec<Splice> = KEYS.iter().filter_map(|key| front(before, after, key, now)).collect();
    let bullets = (0..after.bullets().len()).filter(|&i| after.bullets()[i].depth == 0);
    splices.extend(bullets.filter_map(|i| bullet(before, after, i, now)));
    splices.sort_by_key(|s| s.start);
    splices
}

fn front(before: &Document, after: &Document, key: &str, now: &Zoned) -> Option<Splice> {
    let value = |d: &Document| d.front_value(key).map(|v| d.text()[v.range()].to_owned());
    let (was, is) = (value(before)?, value(after)?);
    if was != is {
        return None;
    }
    let start = after.front_value(key)?.start as usize;
    let quote = is.len() - is.trim_start_matches(['"', '\'']).len();
    dated(&is[quote..], start + quote, now)
}

/// The date of an `Updated:` bullet: directly below the title it is the file's, else its section's.
fn bullet(before: &Document, after: &Document, i: usize, now: &Zoned) -> Option<Splice> {
    let value = label(after, i)?;
    let section = after.bullets()[i].section as usize;
    let slug = &after.sections()[section].slug;
    let twin = before.sections().iter().position(|s| s.slug == *slug && s.level == after.sections()[section].level)?;
    let own = |b: &usize| before.bullets()[*b].section as usize == twin && label(before, *b) == Some(value);
    (0..before.bullets().len()).find(own)?;
    let spoken_of = |d: &Document, s: usize| {
        let Section { level, heading, end, .. } = &d.sections()[s];
        if *level <= 1 { d.text().to_owned() } else { d.text()[heading.start as usize..*end as usize].to_owned() }
    };
    if spoken_of(before, twin) == spoken_of(after, section) {
        return None;
    }
    let raw = after.bullet_raw(i);
    dated(value, after.bullets()[i].content as usize + raw.len() - value.len(), now)
}

/// What follows `Updated:` in a bullet.
fn label(document: &Document, bullet: usize) -> Option<&str> {
    let raw = document.bullet_raw(bullet);
    let value = raw.strip_prefix("Updated:").or_else(|| raw.strip_prefix("**Updated:**"))?;
    Some(value.trim_start_matches([' ', '\t']))
}

/// Replaces the date (and the time right behind it) at the start of a value.
fn dated(value: &str, at: usize, now: &Zoned) -> Option<Splice> {
    let day = value.get(..10)?;
    day.parse::<Date>().ok()?;
    let rest = &value[10..];
    let time = rest.strip_prefix('T').map_or(0, |t| {
        1 + t.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | '+' | '-' | 'Z'))).unwrap_or(t.len())
    });
    let new = match time {
        0 => now.date().to_string(),
        _ => now.with_time_zone(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };
    let old = &value[..10 + time];
    (old != new).then(|| Splice { start: at, end: at + old.len(), new })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, stamped: &str) {
        let now = "2026-11-20T08:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(TimeZone::UTC);
        let (b, a) = (Document::parse(before), Document::parse(after));
        let splices = updated(&b, &a, &now);
        assert_eq!(crate::text::splice(a.text(), &splices).unwrap(), stamped, "{after:?}");
    }

    #[test]
    fn an_updated_bullet_is_kept_current_value_only() {
        check(
            "# A\n- a\n- Updated: 2026-02-24\n",
            "# A\n- b\n- Updated: 2026-02-24\n",
            "# A\n- b\n- Updated: 2026-11-20\n",
        );
        let noted = "- Updated: 2026-02-24 (by hand)\n";
        check(noted, &format!("{noted}- x\n"), "- Updated: 2026-11-20 (by hand)\n- x\n");
        check("- Updated: long ago\n", "- Updated: long ago\n- x\n", "- Updated: long ago\n- x\n");
    }

    #[test]
    fn what_the_caller_wrote_stays_and_nothing_happens_without_a_change() {
        check("- Updated: 2026-02-24\n", "- Updated: 2026-01-01\n- x\n", "- Updated: 2026-01-01\n- x\n");
        check("- Updated: 2026-02-24\n", "- Updated: 2026-02-24\n", "- Updated: 2026-02-24\n");
        check("- a\n", "- a\n- Updated: 2026-02-24\n", "- a\n- Updated: 2026-02-24\n");
    }

    #[test]
    fn a_sections_date_speaks_of_that_section() {
        let before = "## A\n- a\n- Updated: 2026-02-24\n\n## B\n- b\n- Updated: 2026-02-24\n";
        let after = before.replace("- b\n", "- c\n");
        check(before, &after, &after.replace("c\n- Updated: 2026-02-24", "c\n- Updated: 2026-11-20"));
    }

    #[test]
    fn front_matter_keeps_its_quotes_and_its_form() {
        let before = "---\nupdated: \"2026-02-24\" # ours\nlast_updated: 2026-02-24T10:00:00+08:00\n---\n- a\n";
        let stamped = "---\nupdated: \"2026-11-20\" # ours\nlast_updated: 2026-11-20T08:00:00Z\n---\n- b\n";
        check(before, &before.replace("- a", "- b"), stamped);
    }
}
