//! One file brought to its end: edits proven, limits kept, derived values made current.
//!
//! Never drafts: what is wanted of the file is on its sheet.

use crate::change::{Changeset, Effect, Sign};
use crate::code::{Code, Rejection};
use crate::document::{Document, Edit, Edited, edit, summary};
use crate::path::MemoryPath;
use crate::policy::Stamp;
use crate::text::{Splice, compose, splice};

use super::desk::Desk;
use super::draft::Echo;
use super::evict::{self, Evicted};
use super::sheet::Sheet;
use super::snapshot::Step;
use super::written::{change, genre, narrow};
use super::{effects, gates, limits, relocate, stamps};

/// Brings one file to its end: edits, limits, summary; then into the changeset.
pub fn finished(desk: &mut Desk<'_>, sheet: Sheet, changeset: &mut Changeset, evicted: &mut Vec<Evicted>) -> Step<()> {
    let path = sheet.path.clone();
    let present = desk.snapshot.file(&path)?;
    let skeleton;
    let base = match present {
        Some(file) => &file.document,
        None => {
            skeleton = desk.skeleton(&path);
            &skeleton
        }
    };
    if let Some((n, to)) = &sheet.moved {
        return relocate::moved(present, &path, to, *n, sheet.edits, changeset);
    }
    if let Some(n) = sheet.gone {
        changeset.effects.extend(effects::between(Some(base), None, &path, n));
        changeset.files.push(change(&path, present, None, None, None));
        return Ok(());
    }
    let (mut after, mut splices) = match &sheet.whole {
        Some((n, text)) => {
            let after = Document::parse(text.clone());
            changeset.effects.extend(effects::between(present.map(|f| &f.document), Some(&after), &path, *n));
            (after, None)
        }
        None => {
            let edited = edited(base, &sheet, &path)?;
            match sheet.edits.first() {
                Some((n, ..)) if sheet.links => {
                    changeset.effects.extend(effects::between(Some(base), Some(&edited.document), &path, *n));
                }
                _ => changeset.effects.extend(told(base, &edited, &sheet, &path)),
            }
            (edited.document, present.is_some().then_some(edited.splices))
        }
    };
    let over = limits::limits(desk, &path, present.map(|f| &f.document), &after)?;
    if !over.is_empty() {
        let rest = evict::evict(&path, &after, &over, changeset, evicted, desk)?;
        splices = splices.map(|first| compose(&first, &rest.splices));
        after = rest.document;
    }
    let mut line = None;
    if let Some(before) = present.filter(|_| !sheet.links && desk.cx.policy.stamps.contains(&Stamp::Updated)) {
        let dates = stamps::updated(&before.document, &after, desk.cx.now);
        if !dates.is_empty() {
            let text = splice(after.text(), &dates).map_err(|_| met_the_end())?;
            after = Document::parse(text);
            splices = splices.map(|first| compose(&first, &dates));
        }
    }
    if !sheet.links {
        let before = present.map(|f| &f.document);
        if let Some((splice, value)) = derived(desk, &sheet, before, &after, &path)? {
            after = Document::parse(spliced(after.text(), &splice)?);
            splices = splices.map(|first| compose(&first, std::slice::from_ref(&splice)));
            line = value;
        }
    }
    gates::file(&path, &after)?;
    if present.is_some_and(|f| f.document.text() == after.text()) {
        return Ok(());
    }
    let edits = splices.or_else(|| present.map(|f| vec![narrow(f.document.text(), after.text())]));
    changeset.files.push(change(&path, present, Some(after), edits, line));
    Ok(())
}

fn edited(base: &Document, sheet: &Sheet, path: &MemoryPath) -> Result<Edited, Rejection> {
    let edits: Vec<Edit> = sheet.edits.iter().map(|(_, e, _)| e.clone()).collect();
    edit(base, &edits).map_err(|refused| {
        let first = &refused[0];
        let n = sheet.edits.get(first.edit).map_or(0, |(n, _, _)| *n);
        Rejection::new(Code::WouldBreakStructure, format!("in {path}: {}", first.why))
            .hint("rephrase the text, or put it in a file of its own")
            .at(n)
    })
}

/// The lines of the answer for a file's edits.
fn told(base: &Document, edited: &Edited, sheet: &Sheet, path: &MemoryPath) -> Vec<Effect> {
    let after = &edited.document;
    let mut out = Vec::new();
    for (k, (n, edit, echo)) in sheet.edits.iter().enumerate() {
        let wrote = edited.wrote.get(k).map(Vec::as_slice).unwrap_or_default();
        match echo {
            Echo::Updated(old) => {
                out.push(effects::bullet(base, path, *old, Sign::Removed, *n));
                out.extend(wrote.iter().map(|&i| effects::bullet(after, path, i, Sign::Added, *n)));
            }
            Echo::Added => {
                if let Edit::Insert { at: crate::document::Place::NewSection { .. }, .. } = edit
                    && let Some(&first) = wrote.first()
                {
                    let section = after.bullets()[first].section as usize;
                    let slug = effects::section_slug(after, section);
                    out.push(effects::line(path, Sign::Added, effects::heading(after, section), slug, *n));
                }
                out.extend(wrote.iter().map(|&i| effects::bullet(after, path, i, Sign::Added, *n)));
            }
            Echo::Removed(old) => out.push(effects::bullet(base, path, *old, Sign::Removed, *n)),
            Echo::Values(old, pairs) => {
                let mut effect = effects::bullet(base, path, *old, Sign::Set, *n);
                effect.text = pairs.clone();
                out.push(effect);
            }
            Echo::MovedAway(old, to) => {
                let mut effect = effects::bullet(base, path, *old, Sign::Moved, *n);
                effect.to = Some(to.clone());
                out.push(effect);
            }
            Echo::Told(effects) => out.extend(effects.iter().cloned()),
            Echo::Silent => {}
        }
    }
    out
}

/// The replacement of the summary line (and other derived values), if it is due.
fn derived(
    desk: &Desk<'_>,
    sheet: &Sheet,
    before: Option<&Document>,
    after: &Document,
    path: &MemoryPath,
) -> Step<Option<(Splice, Option<String>)>> {
    if let Some(line) = &sheet.line {
        // The caller's words, not memdir's: the journal does not claim them.
        return Ok(summary::placed(after, line).map(|s| (s, None)));
    }
    let value = |d: &Document| d.summary().map(|s| d.text()[s.value.range()].to_owned());
    let touched = match before {
        Some(before) => value(before) != value(after),
        None => sheet.whole.is_some() && value(after).is_some(),
    };
    if touched {
        return Ok(None);
    }
    let genre = genre(path);
    let empty = Document::parse("");
    let mut next = summary::next(before.unwrap_or(&empty), after, genre, None);
    if next == summary::Next::NeedsLast {
        let last = desk.snapshot.line(path)?;
        next = summary::next(before.unwrap_or(&empty), after, genre, Some(last));
    }
    Ok(match next {
        summary::Next::Write { splice, line } => Some((splice, Some(line))),
        _ => None,
    })
}

fn spliced(text: &str, one: &Splice) -> Result<String, Rejection> {
    splice(text, std::slice::from_ref(one)).map_err(|_| met_the_end())
}

fn met_the_end() -> Rejection {
    Rejection::new(Code::Internal, "a derived value met the end of the text")
}
