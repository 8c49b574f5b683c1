//! Turns decisions into operations. Each keeps the lines that it was based on, to detect later changes of the file.
//!
//! Never deletes for good: every removed item moves to the archive, and of a rewritten one a copy.

use super::mergeable::{raised_importance, with_metadata};
use super::{CompactionAction, CompactionDecision, OverLimit};
use crate::change::Etag;
use crate::document::{Document, LocatedBullet, MetaKey, section_range};
use crate::operation::evict::{EvictionCandidate, byte_range};
use crate::operation::{Action, Operation, Target};
use crate::path::MemoryPath;

/// Operations that are planned together, on the result of the previous step.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionStep {
    pub path: MemoryPath,
    /// One operation per item.
    pub edits: Vec<CompactionEdit>,
}

/// One operation of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionEdit {
    pub operation: Operation,
    /// The item's lines at the time of the decision, without trailing white space.
    pub old_lines: String,
    /// An entry's new lines or a bullet's new text; `None` for a removal.
    pub new_text: Option<String>,
}

impl CompactionStep {
    pub fn operations(&self) -> Vec<Operation> {
        self.edits.iter().map(|m| m.operation.clone()).collect()
    }
}

/// The steps that carry out decisions, removals in file order after the rewrites. `source` goes into the
/// journal as the author.
pub fn plan_steps(
    over_limit: &OverLimit,
    document: &Document,
    decisions: &[CompactionDecision],
    source: &str,
) -> Vec<CompactionStep> {
    let remove = |at: usize, reason: &str| {
        let candidate = over_limit.items[at].candidate;
        (at + 1, candidate, removal(&over_limit.path, document, candidate, reason, source))
    };
    let mut edits: Vec<(usize, EvictionCandidate, CompactionEdit)> = Vec::new();
    for decision in decisions {
        let target = over_limit.items[decision.target].candidate;
        edits.push(match (&decision.action, &decision.text) {
            (CompactionAction::Rewrite, Some(text)) => {
                (0, target, rewrite(over_limit, document, target, text, decision, source))
            }
            (CompactionAction::Rewrite, None) | (CompactionAction::Delete, _) => {
                remove(decision.target, &decision.reason)
            }
        });
        edits.extend(decision.absorbs.iter().map(|at| remove(*at, &decision.reason)));
    }
    edits.sort_by_key(|(at, ..)| *at);
    split_steps(&over_limit.path, document, edits.into_iter().map(|(_, thing, m)| (thing, m)).collect())
}

/// The steps that remove the given (oldest) items.
pub fn removal_steps(
    path: &MemoryPath,
    document: &Document,
    candidates: &[EvictionCandidate],
    reason: &str,
) -> Vec<CompactionStep> {
    let edits = candidates.iter().map(|t| (*t, removal(path, document, *t, reason, "")));
    split_steps(path, document, edits.collect())
}

/// Puts all operations into one step, except the removal of an entry at the end of the file: it also removes the blank
/// lines before it, and the entry before it may be removed, too.
fn split_steps(
    path: &MemoryPath,
    document: &Document,
    edits: Vec<(EvictionCandidate, CompactionEdit)>,
) -> Vec<CompactionStep> {
    let end = document.text().len();
    let is_last = |(candidate, m): &(EvictionCandidate, CompactionEdit)| {
        matches!(candidate, EvictionCandidate::Entry(_))
            && m.new_text.is_none()
            && byte_range(document, *candidate).end == end
    };
    let (last, first): (Vec<_>, Vec<_>) = edits.into_iter().partition(is_last);
    let step = |moves: Vec<(EvictionCandidate, CompactionEdit)>| CompactionStep {
        path: path.clone(),
        edits: moves.into_iter().map(|(_, m)| m).collect(),
    };
    [first, last].into_iter().filter(|moves| !moves.is_empty()).map(step).collect()
}

fn attributed_operation(action: Action, reason: &str, source: &str) -> Operation {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Operation { reason: given(reason), source: given(source), ..action.into() }
}

fn candidate_lines(document: &Document, candidate: EvictionCandidate) -> String {
    document.text()[byte_range(document, candidate)].trim_end().to_owned()
}

fn removal(
    path: &MemoryPath,
    document: &Document,
    candidate: EvictionCandidate,
    reason: &str,
    source: &str,
) -> CompactionEdit {
    let (at, index, text) = match candidate {
        EvictionCandidate::Bullet(index) => selector(LocatedBullet { path, document, index }),
        EvictionCandidate::Entry(s) => (Target::Address(format!("{path}#{}", document.sections()[s].slug)), None, None),
    };
    let action = Action::Remove { at, index, text, archive: true, purge: None, forget: false, if_exists: false };
    CompactionEdit {
        operation: attributed_operation(action, reason, source),
        old_lines: candidate_lines(document, candidate),
        new_text: None,
    }
}

/// Moves a bullet to the archive.
pub fn bullet_removal(bullet: LocatedBullet<'_>, reason: &str, source: &str) -> CompactionEdit {
    removal(bullet.path, bullet.document, EvictionCandidate::Bullet(bullet.index), reason, source)
}

/// Gives a bullet a new text, and keeps a copy of the old one in the archive.
pub fn bullet_rewrite(bullet: LocatedBullet<'_>, text: &str, reason: &str, source: &str) -> CompactionEdit {
    let (at, index, old) = selector(bullet);
    let action =
        Action::Update { at, index, old, text: text.to_owned(), children: Vec::new(), meta: Vec::new(), archive: true };
    CompactionEdit {
        operation: attributed_operation(action, reason, source),
        old_lines: candidate_lines(bullet.document, EvictionCandidate::Bullet(bullet.index)),
        new_text: Some(text.to_owned()),
    }
}

/// Addresses a bullet: by handle or, if several bullets share it, by 1-based index and text.
fn selector(bullet: LocatedBullet<'_>) -> (Target, Option<i64>, Option<String>) {
    let LocatedBullet { path, document, index: bullet } = bullet;
    let name = document.handle_name(bullet);
    match document.bullets_by_handle(&name)[..] {
        [_] => (Target::Address(format!("{path}@{name}")), None, None),
        _ => {
            let index = document.top_level_bullets(0).binary_search(&bullet).map_or(0, |n| n + 1);
            let text = document.bullet_text(bullet).into_owned();
            (Target::Address(path.to_string()), i64::try_from(index).ok(), Some(text))
        }
    }
}

fn rewrite(
    over_limit: &OverLimit,
    document: &Document,
    candidate: EvictionCandidate,
    text: &str,
    decision: &CompactionDecision,
    source: &str,
) -> CompactionEdit {
    let path = &over_limit.path;
    match candidate {
        EvictionCandidate::Bullet(index) => {
            let bullet = LocatedBullet { path, document, index };
            let mut edit = bullet_rewrite(bullet, text, &decision.reason, source);
            let importance = raised_importance(over_limit, decision.target, &decision.absorbs);
            if let (Action::Update { meta, .. }, Some(value)) = (&mut edit.operation.action, importance) {
                meta.push((MetaKey::Imp.name().to_owned(), value.to_string()));
            }
            edit
        }
        EvictionCandidate::Entry(s) => {
            let old_lines = candidate_lines(document, candidate);
            let body = with_metadata(text, over_limit, decision.target, &decision.absorbs);
            let new = rewritten_entry(document, s, &body);
            let pairs = vec![(old_lines.clone(), new.clone())];
            let action = Action::Patch { at: Target::Address(path.to_string()), pairs, archive: true };
            CompactionEdit {
                operation: attributed_operation(action, &decision.reason, source),
                old_lines,
                new_text: Some(new),
            }
        }
    }
}

/// An entry with a new body; heading and date are kept.
fn rewritten_entry(document: &Document, section: usize, body: &str) -> String {
    let text = document.text();
    let heading = document.sections()[section].heading.range();
    let own = (0..document.bullets().len()).filter(|&i| document.bullets()[i].section as usize == section);
    let date = own.map(|i| document.bullet_text(i)).find(|t| t.starts_with("Date:"));
    let mut new = text[heading].trim_end().to_owned();
    if let Some(date) =
        date.filter(|_| !body.lines().any(|l| l.trim_start_matches(['-', '*', '+', ' ']).starts_with("Date:")))
    {
        new.push_str(&format!("\n- {date}"));
    }
    new.push('\n');
    new.push_str(body.trim_end());
    match document.eol().as_str() {
        "\r\n" => new.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ => new,
    }
}

/// The item that an operation refers to in a document, if it is unique.
pub(super) fn find_candidate(
    step: &CompactionStep,
    edit: &CompactionEdit,
    document: &Document,
) -> Option<EvictionCandidate> {
    let (at, index) = match &edit.operation.action {
        Action::Remove { at, index, .. } | Action::Update { at, index, .. } => (at, *index),
        Action::Patch { pairs, .. } => {
            let old = &pairs.first()?.0;
            let fits = |s: &usize| document.text()[section_range(document, *s)].trim_end() == old;
            return (1..document.sections().len()).find(fits).map(EvictionCandidate::Entry);
        }
        Action::Add { .. }
        | Action::Restore { .. }
        | Action::Move { .. }
        | Action::Set { .. }
        | Action::Write { .. }
        | Action::Append { .. }
        | Action::Nothing { .. } => return None,
    };
    let Target::Address(at) = at else { return None };
    let rest = at.strip_prefix(step.path.as_str())?;
    if let Some(slug) = rest.strip_prefix('#') {
        // A slug may depend on earlier headings, which may have changed: compare the lines, prefer the same slug.
        let same = |s: &usize| candidate_lines(document, EvictionCandidate::Entry(*s)) == edit.old_lines;
        let mut all = (1..document.sections().len()).filter(same);
        let named = all.clone().find(|s| document.sections()[*s].slug == slug);
        return named.or_else(|| all.next()).map(EvictionCandidate::Entry);
    }
    match (rest.strip_prefix('@'), index) {
        (Some(name), _) => match document.bullets_by_handle(name)[..] {
            [one] => Some(EvictionCandidate::Bullet(one)),
            _ => None,
        },
        (None, Some(n)) => document
            .top_level_bullets(0)
            .get(usize::try_from(n).ok()?.checked_sub(1)?)
            .copied()
            .map(EvictionCandidate::Bullet),
        _ => None,
    }
}

/// Whether all items of a step are unchanged since the decision.
pub fn is_current(step: &CompactionStep, document: &Document) -> bool {
    step.edits.iter().all(|edit| {
        find_candidate(step, edit, document).is_some_and(|t| candidate_lines(document, t) == edit.old_lines)
    })
}

/// A step's operations, completed with what the removal of an entry needs: its current slug and its checksum. Requires
/// that the step [`is_current`].
pub fn current_operations(step: &CompactionStep, document: &Document) -> Vec<Operation> {
    let mut operations = step.operations();
    for (operation, edit) in operations.iter_mut().zip(&step.edits) {
        if let Some(EvictionCandidate::Entry(s)) = find_candidate(step, edit, document)
            && let Action::Remove { at, .. } = &mut operation.action
        {
            *at = Target::Address(format!("{}#{}", step.path, document.sections()[s].slug));
            operation.seen = Some(Etag::of(&document.text().as_bytes()[section_range(document, s)]).short());
        }
    }
    operations
}
