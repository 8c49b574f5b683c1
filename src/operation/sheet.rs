//! Drafts put together by file, and operations that meet on one place found out.
//!
//! Never looks into a text beyond the places that edits name.

use crate::change::Effect;
use crate::code::{Code, Rejection};
use crate::document::{Document, Edit};
use crate::path::MemoryPath;

use super::draft::{Draft, Echo};
use super::snapshot::Snapshot;

/// Everything a batch wants of one file.
#[derive(Debug)]
pub struct Sheet {
    /// The file.
    pub path: MemoryPath,
    /// Edits with their operation's number and how they are told.
    pub edits: Vec<(usize, Edit, Echo)>,
    /// The whole text.
    pub whole: Option<(usize, String)>,
    /// The file goes.
    pub gone: Option<usize>,
    /// It gets another name.
    pub moved: Option<(usize, MemoryPath)>,
    /// The caller's summary line.
    pub line: Option<String>,
    /// Only links are rewritten: derived values stay as they are.
    pub links: bool,
    /// The operations that touch it.
    by: Vec<usize>,
}

impl Sheet {
    fn new(path: MemoryPath) -> Sheet {
        Sheet { path, edits: Vec::new(), whole: None, gone: None, moved: None, line: None, links: true, by: Vec::new() }
    }
}

/// Groups drafts by file, in the order in which files are first named.
///
/// # Errors
/// `overlapping_operations` where two operations meet.
pub fn sheets(drafts: Vec<(usize, Draft)>, snapshot: &Snapshot) -> Result<(Vec<Sheet>, Vec<Effect>), Rejection> {
    let (mut sheets, mut same): (Vec<Sheet>, Vec<Effect>) = (Vec::new(), Vec::new());
    for (n, draft) in drafts {
        let path = match &draft {
            Draft::Same(effect) => {
                same.push(effect.clone());
                continue;
            }
            Draft::Edit(path, ..) | Draft::Whole(path, _) | Draft::Gone(path) => path,
            Draft::Moved(path, _) | Draft::Links(path, _) | Draft::Line(path, _) => path,
        };
        let at = sheets.iter().position(|s| s.path == *path).unwrap_or_else(|| {
            sheets.push(Sheet::new(path.clone()));
            sheets.len() - 1
        });
        let sheet = &mut sheets[at];
        let alone = matches!(draft, Draft::Whole(..) | Draft::Gone(_) | Draft::Moved(..));
        let claimed = sheet.whole.is_some() || sheet.gone.is_some() || sheet.moved.is_some();
        if sheet.by.iter().any(|m| *m != n) && (alone || claimed) {
            return Err(overlap(n, sheet.by[0], &sheet.path));
        }
        sheet.by.push(n);
        put(sheet, n, draft, snapshot)?;
    }
    let targets: Vec<_> = sheets.iter().filter_map(|s| s.moved.clone()).collect();
    for (n, to) in targets {
        if let Some(other) =
            sheets.iter().find(|s| s.path == to || s.moved.as_ref().is_some_and(|(m, t)| *m != n && *t == to))
        {
            return Err(overlap(n, other.by[0], &to));
        }
    }
    Ok((sheets, same))
}

fn put(sheet: &mut Sheet, n: usize, draft: Draft, snapshot: &Snapshot) -> Result<(), Rejection> {
    match draft {
        Draft::Same(_) => {}
        Draft::Links(path, edits) => {
            let document = snapshot.file(&path).ok().flatten().map(|f| &f.document);
            for edit in edits {
                meets(sheet, n, &edit, document)?;
                sheet.edits.push((n, edit, Echo::Silent));
            }
        }
        Draft::Edit(path, edit, echo) => {
            let document = snapshot.file(&path).ok().flatten().map(|f| &f.document);
            meets(sheet, n, &edit, document)?;
            sheet.links = false;
            sheet.edits.push((n, edit, echo));
        }
        Draft::Whole(_, text) => (sheet.whole, sheet.links) = (Some((n, text)), false),
        Draft::Gone(_) => (sheet.gone, sheet.links) = (Some(n), false),
        Draft::Moved(_, to) => sheet.moved = Some((n, to)),
        Draft::Line(_, line) => (sheet.line, sheet.links) = (Some(line), false),
    }
    Ok(())
}

/// Refuses an edit whose bytes another operation changes too.
fn meets(sheet: &Sheet, n: usize, edit: &Edit, document: Option<&Document>) -> Result<(), Rejection> {
    let Some((start, end)) = document.and_then(|d| reach(d, edit)) else { return Ok(()) };
    for (m, other, _) in &sheet.edits {
        let Some((s, e)) = document.and_then(|d| reach(d, other)) else { continue };
        if *m != n && start < e && s < end {
            return Err(overlap(n, *m, &sheet.path));
        }
    }
    Ok(())
}

/// The bytes an edit is about; `None` for insertions, which never meet.
fn reach(document: &Document, edit: &Edit) -> Option<(usize, usize)> {
    match edit {
        Edit::Update { bullet, .. } | Edit::SetMeta { bullet, .. } => {
            let b = document.bullets().get(*bullet)?;
            Some((b.content as usize, (b.head_end as usize).max(b.content as usize + 1)))
        }
        Edit::Remove { bullet } => {
            let b = document.bullets().get(*bullet)?;
            Some((b.line as usize, b.end as usize))
        }
        Edit::Raw(s) => (s.start < s.end).then_some((s.start, s.end)),
        Edit::Insert { .. } => None,
    }
}

fn overlap(n: usize, m: usize, path: &MemoryPath) -> Rejection {
    Rejection::new(
        Code::OverlappingOperations,
        format!("operations {} and {} of the batch meet in {path}", m.min(n) + 1, n.max(m) + 1),
    )
    .hint("positions and handles of a batch mean the state before it: send the second in a batch of its own")
    .at(n)
}
