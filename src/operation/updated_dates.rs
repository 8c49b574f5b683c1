//! Updates the dates that users keep in a file: `- Updated: 2026-02-24`, front matter `updated` and `last_updated`.
//!
//! Never adds such a date, and never changes more than the date itself.

use jiff::Zoned;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::document::{Document, Section};
use crate::text::Splice;

/// The front matter keys that hold the date of a file's last change.
const DATE_KEYS: [&str; 2] = ["updated", "last_updated"];

/// The splices on `after` that set these dates to `now`, sorted. A date is updated if its file or section changed and
/// the date itself did not: a date that the caller wrote stays.
pub fn updated_date_splices(before: &Document, after: &Document, now: &Zoned) -> Vec<Splice> {
    if before.text() == after.text() {
        return Vec::new();
    }
    let mut splices: Vec<Splice> =
        DATE_KEYS.iter().filter_map(|key| front_matter_date_splice(before, after, key, now)).collect();
    let bullets = (0..after.bullets().len()).filter(|&i| after.bullets()[i].depth == 0);
    splices.extend(bullets.filter_map(|i| bullet_date_splice(before, after, i, now)));
    splices.sort_by_key(|s| s.start);
    splices
}

fn front_matter_date_splice(before: &Document, after: &Document, key: &str, now: &Zoned) -> Option<Splice> {
    let value = |d: &Document| d.front_value(key).map(|v| d.text()[v.range()].to_owned());
    let (was, is) = (value(before)?, value(after)?);
    if was != is {
        return None;
    }
    let start = after.front_value(key)?.start as usize;
    let quote = is.len() - is.trim_start_matches(['"', '\'']).len();
    replace_date(&is[quote..], start + quote, now)
}

/// The splice of an `Updated:` bullet. Directly below the file's title the date is the file's, else its section's.
fn bullet_date_splice(before: &Document, after: &Document, i: usize, now: &Zoned) -> Option<Splice> {
    let value = updated_label_value(after, i)?;
    let section = after.bullets()[i].section as usize;
    let slug = &after.sections()[section].slug;
    let section_before =
        before.sections().iter().position(|s| s.slug == *slug && s.level == after.sections()[section].level)?;
    let has_same_date = |b: &usize| {
        before.bullets()[*b].section as usize == section_before && updated_label_value(before, *b) == Some(value)
    };
    (0..before.bullets().len()).find(has_same_date)?;
    let scope_text = |d: &Document, s: usize| {
        let Section { level, heading, end, .. } = &d.sections()[s];
        if *level <= 1 { d.text().to_owned() } else { d.text()[heading.start as usize..*end as usize].to_owned() }
    };
    if scope_text(before, section_before) == scope_text(after, section) {
        return None;
    }
    let raw = after.bullet_raw(i);
    replace_date(value, after.bullets()[i].text_start as usize + raw.len() - value.len(), now)
}

/// The text after `Updated:` in a bullet.
fn updated_label_value(document: &Document, bullet: usize) -> Option<&str> {
    let raw = document.bullet_raw(bullet);
    let value = raw.strip_prefix("Updated:").or_else(|| raw.strip_prefix("**Updated:**"))?;
    Some(value.trim_start_matches([' ', '\t']))
}

/// Replaces the date, and a time directly after it, at the start of a value. `at` is the value's byte offset.
fn replace_date(value: &str, at: usize, now: &Zoned) -> Option<Splice> {
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

    fn check(before: &str, after: &str, expected: &str) {
        let now = "2026-11-20T08:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(TimeZone::UTC);
        let (b, a) = (Document::parse(before), Document::parse(after));
        let splices = updated_date_splices(&b, &a, &now);
        assert_eq!(crate::text::splice(a.text(), &splices).unwrap(), expected, "{after:?}");
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
    fn a_sections_date_is_updated_with_that_section() {
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
