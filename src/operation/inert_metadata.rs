//! Finds inert metadata lines: lines that an outside edit left below the wrong bullet, for instance by deleting the
//! bullet but not its metadata. They are ignored until the bullet's metadata is set again.
//!
//! Never decides by the present text alone: only the text that memdir wrote last distinguishes a misplaced line from one
//! that the user wrote there.

use super::snapshot::{FileHistory, PlanStep, Snapshot};
use crate::document::{BulletMeta, Document, Handle};
use crate::path::MemoryPath;

type BulletMetaPair = (Handle, BulletMeta);

/// The bullets of a file whose metadata line is inert. Requests the history only if a bullet has a metadata line.
pub fn inert_bullets(document: &Document, path: &MemoryPath, snapshot: &Snapshot) -> PlanStep<Vec<usize>> {
    match has_metadata_lines(document) {
        true => Ok(inert_by_history(document, snapshot.history(path)?)),
        false => Ok(Vec::new()),
    }
}

/// The bullets whose metadata line is inert in the text after a planned change.
pub fn inert_after_change(
    path: &MemoryPath,
    before: Option<&Document>,
    after: &Document,
    snapshot: &Snapshot,
) -> PlanStep<Vec<usize>> {
    let Some(before) = before else { return Ok(Vec::new()) };
    let inert = inert_bullets(before, path, snapshot)?;
    let misplaced: Vec<BulletMetaPair> =
        bullet_meta_pairs(before).into_iter().filter(|(i, _)| inert.contains(i)).map(|(_, p)| p).collect();
    let stray = carry_over(&misplaced, before, after);
    Ok(bullet_meta_pairs(after).into_iter().filter(|(_, pair)| stray.contains(pair)).map(|(i, _)| i).collect())
}

/// Whether any bullet has a metadata line.
pub fn has_metadata_lines(document: &Document) -> bool {
    document.meta_lines().iter().any(|m| m.bullet.is_some())
}

/// The bullets whose metadata line is inert, by a given history. An inert line stays inert when memdir changes other
/// bullets.
pub fn inert_by_history(document: &Document, history: &FileHistory) -> Vec<usize> {
    // Oldest first. The flag: an edit outside memdir replaced the text (or may have: the last written text is compared
    // with the present one).
    let texts = history.past.iter().rev().map(|p| (&p.document, p.rev.is_none()));
    let texts: Vec<(&Document, bool)> = texts.chain(history.last_written.iter().map(|d| (d, true))).collect();
    let mut inert: Vec<BulletMetaPair> = Vec::new();
    for (i, (then, outside)) in texts.iter().enumerate() {
        let next = texts.get(i + 1).map_or(document, |(d, _)| d);
        inert = carry_over(&inert, then, next);
        if *outside {
            inert.extend(newly_misplaced(then, next));
        }
    }
    let mut found: Vec<usize> = Vec::new();
    for (i, pair) in bullet_meta_pairs(document) {
        if inert.contains(&pair) {
            found.push(i);
        }
    }
    found
}

fn bullet_meta_pairs(document: &Document) -> Vec<(usize, BulletMetaPair)> {
    let lines = document.meta_lines().iter().filter_map(|m| m.bullet);
    lines
        .filter_map(|i| Some((i as usize, (document.handles()[i as usize], document.bullet_meta(i as usize)?))))
        .collect()
}

fn count_pair(all: &[(usize, BulletMetaPair)], pair: &BulletMetaPair) -> usize {
    all.iter().filter(|(_, p)| p == pair).count()
}

/// Metadata lines that are below another bullet than before, while their own bullet lost them: the bullet was deleted,
/// or another bullet was inserted between the two.
fn newly_misplaced(before: &Document, now: &Document) -> Vec<BulletMetaPair> {
    let (had, has) = (bullet_meta_pairs(before), bullet_meta_pairs(now));
    let new_pairs = has.iter().filter(|(_, pair)| count_pair(&had, pair) == 0);
    let misplaced = new_pairs.filter(|(_, (handle, meta))| {
        let existed = before.handles().contains(handle);
        had.iter().any(|(_, owner)| {
            let lost = owner.1 == *meta && count_pair(&has, owner) < count_pair(&had, owner);
            // If both the old owner is gone and the new owner is new, the owner was rephrased: the line is its own.
            lost && (existed || now.handles().contains(&owner.0))
        })
    });
    misplaced.map(|(_, pair)| pair.clone()).collect()
}

/// The inert lines that still exist. If the bullet above one was rephrased, the line stays inert below the new text.
fn carry_over(inert: &[BulletMetaPair], before: &Document, now: &Document) -> Vec<BulletMetaPair> {
    let (had, has) = (bullet_meta_pairs(before), bullet_meta_pairs(now));
    let carry = |pair: &BulletMetaPair| {
        if count_pair(&has, pair) > 0 {
            return Some(pair.clone());
        }
        let rephrased = has.iter().find(|(_, (handle, meta))| {
            *meta == pair.1 && !before.handles().contains(handle) && count_pair(&had, &(*handle, meta.clone())) == 0
        });
        rephrased.map(|(_, p)| p.clone())
    };
    inert.iter().filter_map(carry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::PastText;

    fn past(rev: Option<u64>, text: &str) -> PastText {
        PastText { rev, actor: "ann".into(), document: Document::parse(text), moves: Vec::new() }
    }

    /// Checks which bullets of the last text have an inert line. A text's flag: an edit outside memdir replaced it.
    fn check(texts: &[(&str, bool)], expected: &[&str]) {
        let [rest @ .., (last_written, _), (now, _)] = texts else { panic!("expected at least two texts") };
        let past = rest.iter().rev().map(|(text, outside)| past((!outside).then_some(1), text)).collect();
        let now = Document::parse(*now);
        let found = inert_by_history(&now, &FileHistory { last_written: Some(Document::parse(*last_written)), past });
        let found: Vec<String> = found.into_iter().map(|i| now.bullet_text(i).into_owned()).collect();
        assert_eq!(found, expected, "{texts:?}");
    }

    const LINE: &str = "  <!-- mem id=mem7 -->\n";

    #[test]
    fn a_line_whose_bullet_was_deleted_is_inert_and_one_that_a_person_wrote_is_not() {
        let left = format!("- a\n- b\n{LINE}");
        check(&[(&left, true), (&format!("- a\n{LINE}"), false)], &["a"]);
        check(&[(&left, true), (&format!("- a\n- B\n{LINE}"), false)], &[]);
        check(&[(&left, true), (&format!("- b\n{LINE}- a\n"), false)], &[]);
        check(&[("- a\n", true), (&format!("- a\n{LINE}"), false)], &[]);
        check(&[(&left, true), (&format!("- a\n- b\n- new\n{LINE}"), false)], &["new"]);
    }

    #[test]
    fn it_stays_inert_while_memdir_changes_other_bullets() {
        let (first, stray) = (format!("- a\n- b\n{LINE}"), format!("- a\n{LINE}"));
        let (added, rephrased) = (format!("- a\n{LINE}- c\n"), format!("- A\n{LINE}- c\n"));
        check(&[(&first, true), (&stray, false), (&added, true), (&added, false)], &["a"]);
        check(&[(&first, true), (&stray, false), (&rephrased, true), (&rephrased, false)], &["A"]);
    }
}
