//! Whether the history of a file has a change that an operation asks for, so that a repeated operation changes nothing.
//!
//! Never takes a change for made because its result could be one: another writer may have written that text.

use crate::document::{Document, Handle, LocatedBullet};
use crate::text::Splice;

use super::choose_bullet::BulletSelector;
use super::planner::Planner;
use super::snapshot::{FileHistory, PlanStep};

/// Whether one revision, or one edit outside memdir, made all these replacements of texts, and what it wrote still
/// stands. `now` is the present text.
pub fn was_patched(history: &FileHistory, now: &Document, pairs: &[(String, String)]) -> bool {
    let past = history.last_written.iter().chain(history.past.iter().map(|past| &past.document));
    let texts: Vec<&Document> = std::iter::once(now).chain(past).collect();
    texts.windows(2).any(|pair| is_patched(pair[1], pair[0], now, pairs).unwrap_or(false))
}

/// Whether `newer` is `before` with these replacements; `None` if an old text does not occur in `before` once.
fn is_patched(before: &Document, newer: &Document, now: &Document, pairs: &[(String, String)]) -> Option<bool> {
    let mut splices: Vec<Splice> = Vec::new();
    for (old, new) in pairs {
        let [start] = old_positions(before, old)[..] else { return None };
        splices.push(Splice { start, end: start + old.len(), new: new.clone() });
    }
    splices.sort_by_key(|splice| splice.start);
    let patched = crate::text::splice(before.text(), &splices).ok()?;
    let mut written = 0;
    let is_made = splices.iter().all(|splice| {
        let start = splice.start + written - splices_before(&splices, splice.start);
        written += splice.new.len();
        let [with_above, with_below, alone] = lines_around(&patched, start..start + splice.new.len());
        let is_new = |lines| has_lines(newer.text(), lines) && !has_lines(before.text(), lines);
        // The same revision may have changed one of the neighbours, too.
        (is_new(with_above) || is_new(with_below)) && has_lines(now.text(), alone)
    });
    Some(is_made && pairs.iter().all(|(old, _)| old_positions(newer, old).is_empty()))
}

/// How many bytes the replacements before a position take away.
fn splices_before(splices: &[Splice], position: usize) -> usize {
    splices.iter().filter(|splice| splice.start < position).map(|splice| splice.end - splice.start).sum()
}

/// The whole lines that a range touches: with the line above them, which says where they stand, with the line below, and
/// without.
fn lines_around(text: &str, range: std::ops::Range<usize>) -> [&str; 3] {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let start = line_start(range.start);
    let end = text[range.end..].find('\n').map_or(text.len(), |length| range.end + length);
    let above = if start == 0 { 0 } else { line_start(start - 1) };
    let below = text[(end + 1).min(text.len())..].find('\n').map_or(text.len(), |length| end + 1 + length);
    [&text[above..end], &text[start..below], &text[start..end]]
}

/// Whether a text has these whole lines.
fn has_lines(text: &str, lines: &str) -> bool {
    let ends = |at: usize| text[at..].is_empty() || text[at..].starts_with('\n');
    text.match_indices(lines).any(|(at, _)| (at == 0 || text[..at].ends_with('\n')) && ends(at + lines.len()))
}

/// Where a text that a patch replaces occurs. The summary line counts only for a text that itself contains one, because
/// memdir rewrites that line.
pub fn old_positions(document: &Document, old: &str) -> Vec<usize> {
    let summary = document.summary_line().map(|line| line.line.range()).filter(|_| !old.contains("> Summary:"));
    let is_outside = |at: &usize| summary.as_ref().is_none_or(|line| *at + old.len() <= line.start || *at >= line.end);
    document.text().match_indices(old).map(|(at, _)| at).filter(is_outside).collect()
}

/// Whether an update from the text that its caller names was made already, or its caller has seen that the bullet at
/// the index, which is `bullet`, has the new text.
pub fn was_made(planner: &Planner<'_>, bullet: LocatedBullet<'_>, selector: &BulletSelector<'_>) -> PlanStep<bool> {
    let (Some(old), Some(new)) = (selector.text, selector.new_text) else { return Ok(true) };
    let at_index = selector.index.and_then(|n| usize::try_from(n).ok()?.checked_sub(1));
    let is_seen = at_index.is_some_and(|n| {
        selector.proven && bullet.document.top_level_bullets(selector.section).get(n) == Some(&bullet.index)
    });
    Ok(is_seen || was_updated(planner.snapshot.history(bullet.path)?, old, new))
}

/// Whether revisions gave a bullet with the text `old` the text `new`.
fn was_updated(history: &FileHistory, old: &str, new: &str) -> bool {
    let (old, new) = (Handle::of(old), Handle::of(new));
    let latest = history.past.iter().rev().fold(old, |handle, past| past.updates.new_handle(handle).unwrap_or(handle));
    latest == new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::RecordedUpdates;
    use crate::operation::PastText;

    fn history(texts: &[&str]) -> FileHistory {
        let past = texts.iter().map(|text| PastText {
            rev: Some(1),
            actor: "ann".into(),
            document: Document::parse(*text),
            updates: RecordedUpdates::default(),
            archived: RecordedUpdates::default(),
            moves: Vec::new(),
        });
        FileHistory { past: past.collect(), ..FileHistory::default() }
    }

    /// Checks whether a patch counts as made; `texts` are those of the file, the newest first.
    fn check(texts: &[&str], pairs: &[(&str, &str)], expected: bool) {
        let pairs: Vec<_> = pairs.iter().map(|(old, new)| (old.to_string(), new.to_string())).collect();
        let made = was_patched(&history(&texts[1..]), &Document::parse(texts[0]), &pairs);
        assert_eq!(made, expected, "{texts:?} {pairs:?}");
    }

    #[test]
    fn a_patch_was_made_only_if_its_text_took_the_place_of_the_old_one() {
        const BASE: &str = "# U\n\n> Summary: coffee\n\n- Likes coffee\n- Drinks tea daily\n";
        let tea = BASE.replace("Likes coffee", "Likes tea");
        let mate = BASE.replace("coffee", "mate");
        let pair = [("coffee", "tea")];
        check(&[&tea, BASE], &pair, true);
        check(&[&(tea.clone() + "- Later\n"), &tea, BASE], &pair, true);
        // Another change of the same revision in the line above, or below.
        check(
            &[&BASE.replace("coffee", "mate").replace("tea daily", "tea at noon"), BASE],
            &[("tea daily", "tea at noon")],
            true,
        );
        check(
            &[&BASE.replace("coffee", "mate").replace("tea daily", "tea at noon"), BASE],
            &[("coffee", "mate")],
            true,
        );
        check(&[&mate, &tea, BASE], &pair, false);
        check(&[&mate, BASE], &pair, false);
        check(&[&mate, BASE], &[("coffee", "e")], false);
        check(&[&BASE.replace("- Likes coffee\n", ""), BASE], &pair, false);
        let elsewhere = BASE.replace("- Likes coffee\n", "") + "- Likes tea\n";
        check(&[&elsewhere, BASE], &pair, false);
        let both = [("Likes coffee", "Loves tea"), ("daily", "at\n  night")];
        let done = BASE.replace("Likes coffee", "Loves tea").replace("daily", "at\n  night");
        check(&[&done, BASE], &both, true);
        check(&[&done, &BASE.replace("daily", "at\n  night"), BASE], &both, false);
    }
}
