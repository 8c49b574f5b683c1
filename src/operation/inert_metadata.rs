//! Finds inert metadata lines: lines that an outside edit left below the wrong bullet, for instance by deleting the
//! bullet but not its metadata. They are ignored until the bullet's metadata is set again.
//!
//! Never decides by the present text alone: only the text that memdir wrote last distinguishes a misplaced line from
//! one that the user wrote there.

use std::collections::HashMap;

use super::snapshot::{FileHistory, PlanStep, Snapshot};
use crate::document::{BulletMeta, Document, Handle, LocatedBullet};
use crate::path::MemoryPath;

type BulletMetaPair = (Handle, BulletMeta);

/// The bullets of a file whose metadata line is inert. Requests the history only if a bullet has a metadata line.
pub fn inert_bullets(document: &Document, path: &MemoryPath, snapshot: &Snapshot) -> PlanStep<Vec<usize>> {
    if has_metadata_lines(document) { Ok(inert_by_history(document, snapshot.history(path)?)) } else { Ok(Vec::new()) }
}

/// A bullet's metadata; `None` if its line is inert. Requests the history only if it has a line.
pub fn own_metadata(bullet: LocatedBullet<'_>, snapshot: &Snapshot) -> PlanStep<Option<BulletMeta>> {
    let LocatedBullet { path, document, index } = bullet;
    match bullet.meta() {
        Some(meta) if !inert_bullets(document, path, snapshot)?.contains(&index) => Ok(Some(meta)),
        _ => Ok(None),
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
    let (before, after) = (OwnedMetadata::of(before), OwnedMetadata::of(after));
    let misplaced: Vec<BulletMetaPair> =
        before.pairs.iter().filter(|(i, _)| inert.contains(i)).map(|(_, p)| p.clone()).collect();
    Ok(after.bullets_with(&carry_over(&misplaced, &before, &after)))
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
    let texts = texts.chain(history.last_written.iter().map(|d| (d, true)));
    let mut texts = texts.map(|(document, outside)| (OwnedMetadata::of(document), outside)).peekable();
    let present = OwnedMetadata::of(document);
    let mut inert: Vec<BulletMetaPair> = Vec::new();
    while let Some((then, outside)) = texts.next() {
        let next = texts.peek().map_or(&present, |(next, _)| next);
        inert = carry_over(&inert, &then, next);
        if outside {
            inert.extend(newly_misplaced(&then, next));
        }
    }
    present.bullets_with(&inert)
}

/// The metadata lines of a text with the bullets above them, counted once: a file may have thousands of them, and
/// dozens of its earlier texts are compared.
struct OwnedMetadata<'d> {
    document: &'d Document,
    pairs: Vec<(usize, BulletMetaPair)>,
    counts: HashMap<BulletMetaPair, usize>,
}

impl<'d> OwnedMetadata<'d> {
    fn of(document: &'d Document) -> OwnedMetadata<'d> {
        let owners = document.meta_lines().iter().filter_map(|m| m.bullet.map(|bullet| bullet as usize));
        let pairs: Vec<(usize, BulletMetaPair)> =
            owners.filter_map(|i| Some((i, (document.handles()[i], document.bullet_meta(i)?)))).collect();
        let mut counts = HashMap::new();
        pairs.iter().for_each(|(_, pair)| *counts.entry(pair.clone()).or_default() += 1);
        OwnedMetadata { document, pairs, counts }
    }

    fn count(&self, pair: &BulletMetaPair) -> usize {
        self.counts.get(pair).copied().unwrap_or(0)
    }

    fn has_bullet(&self, handle: Handle) -> bool {
        self.document.handles().contains(&handle)
    }

    /// The indexes of the bullets whose metadata is one of `wanted`.
    fn bullets_with(&self, wanted: &[BulletMetaPair]) -> Vec<usize> {
        self.pairs.iter().filter(|(_, pair)| wanted.contains(pair)).map(|(i, _)| *i).collect()
    }
}

/// Metadata lines that are below another bullet than before, while their own bullet lost them: the bullet was deleted,
/// or another bullet was inserted between the two.
fn newly_misplaced(before: &OwnedMetadata<'_>, now: &OwnedMetadata<'_>) -> Vec<BulletMetaPair> {
    let lost: Vec<&BulletMetaPair> =
        before.pairs.iter().map(|(_, pair)| pair).filter(|pair| now.count(pair) < before.count(pair)).collect();
    let new_pairs = now.pairs.iter().map(|(_, pair)| pair).filter(|pair| before.count(pair) == 0);
    let misplaced = new_pairs.filter(|(handle, meta)| {
        let mut owners = lost.iter().filter(|owner| owner.1 == *meta).peekable();
        // If both the old owner is gone and the new owner is new, the owner was rephrased: the line is its own.
        owners.peek().is_some() && (before.has_bullet(*handle) || owners.any(|owner| now.has_bullet(owner.0)))
    });
    misplaced.cloned().collect()
}

/// The inert lines that still exist. If the bullet above one was rephrased, the line stays inert below the new text.
fn carry_over(inert: &[BulletMetaPair], before: &OwnedMetadata<'_>, now: &OwnedMetadata<'_>) -> Vec<BulletMetaPair> {
    let carry = |pair: &BulletMetaPair| {
        if now.count(pair) > 0 {
            return Some(pair.clone());
        }
        let rephrased = now
            .pairs
            .iter()
            .map(|(_, new)| new)
            .find(|new| new.1 == pair.1 && before.count(new) == 0 && !before.has_bullet(new.0));
        rephrased.cloned()
    };
    inert.iter().filter_map(carry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::RecordedUpdates;
    use crate::operation::PastText;

    fn past(rev: Option<u64>, text: &str) -> PastText {
        PastText {
            rev,
            actor: "ann".into(),
            document: Document::parse(text),
            updates: RecordedUpdates::default(),
            archived: RecordedUpdates::default(),
            moves: Vec::new(),
        }
    }

    /// Checks which bullets of the last text have an inert line. A text's flag: an edit outside memdir replaced it.
    fn check(texts: &[(&str, bool)], expected: &[&str]) {
        let [rest @ .., (last_written, _), (now, _)] = texts else { panic!("expected at least two texts") };
        let past = rest.iter().rev().map(|(text, outside)| past((!outside).then_some(1), text)).collect();
        let now = Document::parse(*now);
        let found = inert_by_history(
            &now,
            &FileHistory { last_written: Some(Document::parse(*last_written)), past, searched_from: None },
        );
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
