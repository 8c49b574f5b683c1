//! From operations to a changeset: `plan`, the one funnel every change goes through.
//!
//! Pure: asks for what it must know instead of fetching it, and leaves nothing half done.

use crate::change::Changeset;
use crate::code::Rejection;
use crate::document::Item;
use crate::path::MemoryPath;

use super::desk::{Context, Desk};
use super::draft::Draft;
use super::finish::finished;
use super::sheet::sheets;
use super::snapshot::{Snapshot, Step, Stop, Want};
use super::{Action, Operation, bullets, evict, gates, keys, read, refuse, relocate, values, whole};

/// What came of planning.
#[derive(Debug)]
pub enum Planned {
    /// This is what will be done.
    Ready(Box<Changeset>),
    /// Fetch this and plan again.
    Needs(Vec<Want>),
}

/// Plans a batch on a snapshot. Nothing is done; the same arguments give the same answer.
///
/// # Errors
/// All refusals, each with the number of its operation.
pub fn plan(snapshot: &Snapshot, operations: &[Operation], cx: &Context<'_>) -> Result<Planned, Vec<Rejection>> {
    let mut desk = Desk { snapshot, cx, warnings: Vec::new(), mismatched: Vec::new(), wanted: Vec::new() };
    let (mut drafts, mut rejections) = (Vec::new(), Vec::new());
    for (n, op) in operations.iter().enumerate() {
        match drafted(&mut desk, n, op) {
            Ok(some) => drafts.extend(some.into_iter().map(|d| (n, d))),
            Err(Stop::Want(want)) => desk.wanted.push(want),
            Err(Stop::Reject(rejection)) => rejections.push(blame(&desk, *rejection, n)),
        }
    }
    if !desk.wanted.is_empty() {
        return Ok(Planned::Needs(std::mem::take(&mut desk.wanted)));
    }
    if !rejections.is_empty() {
        return Err(rejections);
    }
    let applied = drafts.iter().filter(|(n, d)| is_patch(&operations[*n]) && matches!(d, Draft::Edit(..))).count();
    let (sheets, same) = sheets(drafts, snapshot).map_err(|r| vec![r])?;
    let mut changeset =
        Changeset { applied, operations: operations.iter().map(read::print).collect(), ..Changeset::default() };
    changeset.effects.extend(same);
    let mut evicted = Vec::new();
    for sheet in sheets {
        match finished(&mut desk, sheet, &mut changeset, &mut evicted) {
            Ok(()) => {}
            Err(Stop::Want(want)) => desk.wanted.push(want),
            Err(Stop::Reject(rejection)) => rejections.push(*rejection),
        }
    }
    for aside in evicted {
        match evict::put_aside(&mut desk, &mut changeset, aside) {
            Ok(()) => {}
            Err(Stop::Want(want)) => desk.wanted.push(want),
            Err(Stop::Reject(rejection)) => rejections.push(*rejection),
        }
    }
    if !desk.wanted.is_empty() {
        return Ok(Planned::Needs(desk.wanted));
    }
    rejections.extend(unproven(&desk, &changeset));
    if !rejections.is_empty() {
        return Err(rejections);
    }
    changeset.effects.sort_by_key(|e| e.operation);
    changeset.warnings.extend(desk.warnings.into_iter().map(|(_, w)| w));
    changeset.forget = operations.iter().any(|op| matches!(op.action, Action::Remove { forget: true, .. }));
    Ok(Planned::Ready(Box::new(changeset)))
}

fn is_patch(op: &Operation) -> bool {
    matches!(op.action, Action::Patch { .. })
}

/// An operation whose `if_match` failed is in conflict, whatever else is wrong with it.
fn blame(desk: &Desk<'_>, rejection: Rejection, n: usize) -> Rejection {
    match desk.mismatched.iter().find(|(m, _, _)| *m == n) {
        Some((_, path, etag)) => refuse::conflict(path, *etag).at(n),
        None => rejection.at(n),
    }
}

/// Mismatched proofs of files that would change.
fn unproven(desk: &Desk<'_>, changeset: &Changeset) -> Vec<Rejection> {
    let changes = |path: &MemoryPath| changeset.files.iter().any(|f| f.path == *path);
    let failed = desk.mismatched.iter().filter(|(_, path, _)| changes(path));
    failed.map(|(n, path, etag)| refuse::conflict(path, *etag).at(*n)).collect()
}

fn drafted(desk: &mut Desk<'_>, n: usize, op: &Operation) -> Step<Vec<Draft>> {
    match &op.action {
        Action::Add { at, text, children, meta, create } => {
            gates::bullet_size(text, children)?;
            let item = Item { text: text.clone(), meta: keys::meta_of(meta)?, children: children.clone() };
            bullets::add(desk, n, op, at, item, *create)
        }
        Action::Update { at, index, old, text } => {
            gates::bullet_size(text, &[])?;
            bullets::update(desk, n, op, at, *index, old.as_deref(), text)
        }
        Action::Remove { at, index, text, archive, .. } => {
            bullets::remove(desk, n, op, at, (*index, text.as_deref()), *archive)
        }
        Action::Move { at, to, create } => relocate::relocate(desk, n, op, at, to, *create),
        Action::Set { at, pairs } => values::set(desk, n, op, at, pairs),
        Action::Write { at, text, create } => whole::write(desk, n, op, at, text, *create),
        Action::Patch { at, pairs } => whole::patch(desk, n, op, at, pairs),
        Action::Append { .. } => whole::append(desk, n, op),
        Action::Nothing { .. } => Ok(Vec::new()),
    }
}
