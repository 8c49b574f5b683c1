//! Metadata lines that an editor left under a bullet they were never meant for: they say nothing until somebody says so.
//!
//! Never decides by the present text alone: only what memdir left tells a stray line from one that a person wrote.

use super::snapshot::{History, Snapshot, Step};
use crate::document::{Document, Handle, Meta};
use crate::path::MemoryPath;

/// A bullet and its metadata line.
type Pair = (Handle, Meta);

/// The bullets of a file whose metadata line is inert. History is asked for only where a bullet has such a line.
pub fn bullets(document: &Document, path: &MemoryPath, snapshot: &Snapshot) -> Step<Vec<usize>> {
    match has_lines(document) {
        true => Ok(strays(document, snapshot.history(path)?)),
        false => Ok(Vec::new()),
    }
}

/// The same on the text that a plan makes of the file.
pub fn after(path: &MemoryPath, before: Option<&Document>, after: &Document, snapshot: &Snapshot) -> Step<Vec<usize>> {
    let Some(before) = before else { return Ok(Vec::new()) };
    let inert = bullets(before, path, snapshot)?;
    let stray: Vec<Pair> = pairs(before).into_iter().filter(|(i, _)| inert.contains(i)).map(|(_, p)| p).collect();
    let stray = carried(&stray, before, after);
    Ok(pairs(after).into_iter().filter(|(_, pair)| stray.contains(pair)).map(|(i, _)| i).collect())
}

/// Whether any bullet has a metadata line.
pub fn has_lines(document: &Document) -> bool {
    document.metas().iter().any(|m| m.bullet.is_some())
}

/// The same, by a history that is known. A line once inert stays so through memdir's own changes of other bullets.
pub fn strays(document: &Document, history: &History) -> Vec<usize> {
    // Oldest first; an edge is an outside edit where its earlier text is what a revision left.
    let texts = history.past.iter().rev().map(|p| (&p.document, p.rev.is_none()));
    let texts: Vec<(&Document, bool)> = texts.chain(history.left.iter().map(|d| (d, true))).collect();
    let mut inert: Vec<Pair> = Vec::new();
    for (i, (then, outside)) in texts.iter().enumerate() {
        let next = texts.get(i + 1).map_or(document, |(d, _)| d);
        inert = carried(&inert, then, next);
        if *outside {
            inert.extend(turned_up(then, next));
        }
    }
    let mut found: Vec<usize> = Vec::new();
    for (i, pair) in pairs(document) {
        if inert.contains(&pair) {
            found.push(i);
        }
    }
    found
}

fn pairs(document: &Document) -> Vec<(usize, Pair)> {
    let lines = document.metas().iter().filter_map(|m| m.bullet);
    lines
        .filter_map(|i| Some((i as usize, (document.handles()[i as usize], document.bullet_meta(i as usize)?))))
        .collect()
}

fn count(all: &[(usize, Pair)], pair: &Pair) -> usize {
    all.iter().filter(|(_, p)| p == pair).count()
}

/// Lines that stand under another bullet than before, which lost them: its own line was deleted, or another bullet
/// came between the two.
fn turned_up(then: &Document, now: &Document) -> Vec<Pair> {
    let (had, has) = (pairs(then), pairs(now));
    let fresh = has.iter().filter(|(_, pair)| count(&had, pair) == 0);
    let stray = fresh.filter(|(_, (handle, meta))| {
        let knew = then.handles().contains(handle);
        had.iter().any(|(_, owner)| {
            let lost = owner.1 == *meta && count(&has, owner) < count(&had, owner);
            // A bullet that is new and stands where the owner stood is the owner, rephrased.
            lost && (knew || now.handles().contains(&owner.0))
        })
    });
    stray.map(|(_, pair)| pair.clone()).collect()
}

/// Inert lines that still stand; one whose bullet was rephrased goes with it.
fn carried(inert: &[Pair], then: &Document, now: &Document) -> Vec<Pair> {
    let (had, has) = (pairs(then), pairs(now));
    let still = |pair: &Pair| {
        if count(&has, pair) > 0 {
            return Some(pair.clone());
        }
        let rephrased = has.iter().find(|(_, (handle, meta))| {
            *meta == pair.1 && !then.handles().contains(handle) && count(&had, &(*handle, meta.clone())) == 0
        });
        rephrased.map(|(_, p)| p.clone())
    };
    inert.iter().filter_map(still).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Past;

    fn past(rev: Option<u64>, text: &str) -> Past {
        Past { rev, actor: "ann".into(), at: String::new(), document: Document::parse(text) }
    }

    /// The texts of bullets whose line is inert in the last of some texts; those after `|` were left by memdir.
    fn check(texts: &[(&str, bool)], expected: &[&str]) {
        let [rest @ .., (left, _), (now, _)] = texts else { panic!("two texts are due") };
        let past = rest.iter().rev().map(|(text, outside)| past((!outside).then_some(1), text)).collect();
        let now = Document::parse(*now);
        let found = strays(&now, &History { left: Some(Document::parse(*left)), past });
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
